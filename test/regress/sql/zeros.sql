--
-- 0 and -0, which are equal: PostgreSQL's min and max show whichever came last, a
-- key shows what came first, and GREATEST and LEAST keep the first.
--

-- groups with 0 only, without a zero, and with both zeros between others
CREATE TABLE signed_zeros (id int NOT NULL, k int, v float8, w float4, b boolean);
INSERT INTO signed_zeros SELECT j, j % 4,
	CASE WHEN j % 10 > 0 THEN CASE j % 4 WHEN 0 THEN 0 WHEN 1 THEN j WHEN 2 THEN -j ELSE (ARRAY[-3, '-0', 0, 5, 'NaN']::float8[])[1 + j / 4 % 5] END END,
	CASE WHEN j % 7 > 0 THEN CASE j % 4 WHEN 0 THEN 0 WHEN 1 THEN j WHEN 2 THEN -j ELSE (ARRAY[-3, '-0', 0, 5, 'Infinity']::float4[])[1 + j / 4 % 5] END END,
	j % 3 = 0
FROM generate_series(1, 400) j;
VACUUM ANALYZE signed_zeros;
SELECT check_engine('SELECT k, min(v), max(v), min(w), max(w), count(*) FROM signed_zeros GROUP BY k'), check_engine('SELECT min(v), max(w) FROM signed_zeros'),
	check_engine('SELECT k, max(v) FILTER (WHERE v < -2), min(w) FILTER (WHERE w > 2) FROM signed_zeros GROUP BY k'),
	check_engine('SELECT k % 2, max(-abs(v)), min(abs(w)) FROM signed_zeros WHERE k <> 3 AND v <> 0 GROUP BY 1');
SELECT k, min(v), max(v), min(w), max(w) FROM signed_zeros GROUP BY k ORDER BY k;

-- both, in either order, alone, as the least, as the greatest and below NaN; -0
-- alone; then what is exact
CREATE TABLE equal_zeros (id int NOT NULL, k int, s text, v float8, w float4);
INSERT INTO equal_zeros SELECT row_number() OVER (), k, s, z::float8, z::float4 FROM (VALUES
	(1, 'first', '-0'), (1, 'last', '0'), (2, 'first', '0'), (2, 'last', '-0'), (3, 'first', '-0'), (3, 'second', '0'), (3, 'last', '9'), (4, 'first', '0'), (4, 'second', '-0'), (4, 'last', '9'),
	(5, 'first', '-9'), (5, 'second', '-0'), (5, 'last', '0'), (6, 'first', '-9'), (6, 'second', '0'), (6, 'last', '-0'), (7, 'first', '-0'), (8, 'first', '0'), (8, 'last', '0'),
	(9, 'first', 'NaN'), (9, 'second', '0'), (9, 'third', '-0'), (10, 'first', '-9'), (10, 'second', '0'), (10, 'third', '-0'), (10, 'last', '9'), (11, 'first', NULL), (11, 'last', '0')) x (k, s, z);
VACUUM ANALYZE equal_zeros;
SELECT k, check_fallback(format('SELECT min(v), max(v) FROM equal_zeros WHERE k = %s', k)) AS float8, check_fallback(format('SELECT min(w), max(w) FROM equal_zeros WHERE k = %s', k)) AS float4,
	check_fallback(format('SELECT k, min(v), max(w) FROM equal_zeros WHERE k = %s GROUP BY k', k)) AS both
FROM unnest('{1,2,3,4,5,6,7,9}'::int[]) k;
SELECT k, check_engine(format('SELECT min(v), max(v), min(w), max(w) FROM equal_zeros WHERE k = %s', k)) FROM unnest('{8,10,11}'::int[]) k;
SELECT k, min(v), max(v), min(w), max(w) FROM equal_zeros GROUP BY k ORDER BY k;
SELECT check_engine('SELECT k, max(v), max(w) FROM equal_zeros WHERE k IN (3, 4, 8) GROUP BY k'), check_engine('SELECT k, min(v), min(w) FROM equal_zeros WHERE k IN (5, 6, 8) GROUP BY k'),
	check_fallback('SELECT k, min(v) FROM equal_zeros WHERE k IN (3, 4, 8) GROUP BY k'), check_fallback('SELECT k, max(w) FROM equal_zeros WHERE k IN (5, 6, 8) GROUP BY k');

-- a filter decides which values count; arguments that are computed, what comes from a
-- child plan, HAVING
SELECT check_engine('SELECT k, min(v) FILTER (WHERE s = ''last''), max(w) FILTER (WHERE s = ''last'') FROM equal_zeros WHERE k IN (1, 3, 4, 5, 8, 11) GROUP BY k'),
	check_fallback('SELECT k, max(v) FILTER (WHERE s = ''last'') FROM equal_zeros WHERE k IN (1, 2) GROUP BY k'),
	check_fallback('SELECT min(v) FILTER (WHERE s <> ''last'') FROM equal_zeros WHERE k = 3'),
	check_fallback('SELECT k, max(-v), min(v * -1), max(least(v, -w)) FROM equal_zeros WHERE k IN (8, 11) GROUP BY k'),
	check_fallback('SELECT min(coalesce(v, ''-0'')) FROM equal_zeros WHERE k = 11'),
	check_engine('SELECT k, max(abs(v)), min(abs(w)) FROM equal_zeros GROUP BY k');
SELECT check_fallback('SELECT max(z) FROM (VALUES (''-0''::float8), (0)) x (z)'), check_fallback('SELECT min(z) FROM (VALUES (0::float4), (''-0'')) x (z)'), check_query('SELECT min(z), max(z) FROM (VALUES (0::float4), (1)) x (z)'),
	check_fallback('SELECT k FROM equal_zeros GROUP BY k HAVING min(v) = 0'), check_query('SELECT max(v), min(w) FROM equal_zeros WHERE k = 11 AND v IS NULL');
SELECT min(v), max(v) FROM equal_zeros WHERE k = 1;
SELECT min(v), max(v) FROM equal_zeros WHERE k = 2;
SELECT min(v), max(v) FROM (SELECT * FROM equal_zeros WHERE k = 1 ORDER BY id DESC OFFSET 0) x;
SELECT s, set_config('gpuagg.strategy', s, true) IS NULL AS none, check_fallback('SELECT k, max(v) FROM equal_zeros GROUP BY k'), check_engine('SELECT k, min(v), max(v), min(w), max(w) FROM signed_zeros GROUP BY k') FROM unnest(ARRAY['atomic', 'block', 'peers', 'scan', 'vote']) s;

-- groups that are made of others: in the coarser ones only, and in no group
SELECT check_fallback('SELECT k, min(v) FROM equal_zeros WHERE k IN (7, 8) GROUP BY ROLLUP (k)'), check_fallback('SELECT id, max(w) FROM equal_zeros WHERE k = 2 GROUP BY GROUPING SETS ((id), ())'),
	check_query('SELECT k, s, min(v), max(w) FROM equal_zeros WHERE k IN (8, 11) GROUP BY CUBE (k, s)'), check_query('SELECT k, b, max(v), min(w) FROM signed_zeros WHERE k <> 3 GROUP BY CUBE (k, b)'),
	check_fallback('SELECT k, count(DISTINCT s), min(v), max(v) FROM equal_zeros WHERE k < 3 GROUP BY k'), check_query('SELECT k, count(DISTINCT b), min(v), max(v) FROM signed_zeros WHERE k <> 3 GROUP BY k'),
	check_fallback('SELECT k, min(DISTINCT v) FROM equal_zeros WHERE k < 3 GROUP BY k'), check_query('SELECT k, max(DISTINCT v), min(w) FROM equal_zeros WHERE k IN (8, 10, 11) GROUP BY k');

-- one key, which shows the first; one of DISTINCT's values
SELECT k, check_query(format('SELECT v, count(*) FROM equal_zeros WHERE k = %s GROUP BY v', k)), check_query(format('SELECT w, sum(id) FROM equal_zeros WHERE k = %s GROUP BY w', k)),
	check_query(format('SELECT DISTINCT v FROM equal_zeros WHERE k = %s', k)) FROM unnest('{1,2,3,4,9,10}'::int[]) k;
SELECT k, check_query(format('SELECT count(DISTINCT v) FROM equal_zeros WHERE k = %s', k)),
	check_query(format('SELECT count(*) FROM (SELECT DISTINCT w FROM equal_zeros WHERE k = %s) x', k)) FROM unnest('{1,2,3,4,9,10}'::int[]) k;

-- GREATEST and LEAST
SELECT e AS key, check_engine(format('SELECT %s, count(*) FROM equal_zeros WHERE k = 1 GROUP BY 1', e)), check_engine(format('SELECT %s, count(*) FROM equal_zeros WHERE k = 2 GROUP BY 1', e))
FROM unnest(ARRAY['greatest(v, -v)', 'greatest(-v, v)', 'least(v, -v)', 'least(-v, v)', 'greatest(w, -w)', 'least(-w, w)', 'greatest(NULL, v, -w)', 'least(-w, v, 0)']) e;
SELECT greatest(v, -v), count(*) FROM equal_zeros WHERE id = 1 GROUP BY 1;
SELECT greatest(v, -v), count(*) FROM equal_zeros WHERE id = 2 GROUP BY 1;
SELECT least(-v, v), count(*) FROM equal_zeros WHERE id = 1 GROUP BY 1;
SELECT least(-v, v), count(*) FROM equal_zeros WHERE id = 2 GROUP BY 1;
