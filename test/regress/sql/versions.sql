--
-- What differs between PostgreSQL's versions, by their own doing: the expected
-- output is one of several.
--
SELECT current_setting('server_version_num')::int >= 170000 AS from_17,
	current_setting('server_version_num')::int >= 180000 AS from_18,
	current_setting('server_version_num')::int >= 190000 AS from_19 \gset
CREATE TABLE versions AS SELECT i AS id, i % 10 AS a, i % 1000 AS b, nullif(i % 11, 0) AS c, CASE i WHEN 3 THEN 1e300 ELSE 1 END AS x FROM generate_series(1, 10000) i;

-- the native plan of 16 and later sorts for aggregates with DISTINCT, keys or not
SELECT check_fallback('SELECT count(DISTINCT b), sum(x) FROM versions'), check_fallback('SELECT a, count(DISTINCT b), sum(x) FROM versions GROUP BY a');
SELECT check_query('SELECT count(DISTINCT b) FROM versions'), check_query('SELECT string_agg(DISTINCT b::text, '','') FROM versions');

-- and leaves out keys that are the same in all rows, or equal to others
SELECT q, check_fallback('SELECT sum(x), ' || q), check_query('SELECT ' || q) FROM unnest(ARRAY[
	'a, b, count(*) FROM versions WHERE a = 3 GROUP BY a, b',
	'count(*) FROM versions WHERE a = 3 GROUP BY a',
	'count(DISTINCT b) FROM versions WHERE a = 3 GROUP BY a',
	'a, c, count(*) FROM versions WHERE a = c GROUP BY a, c',
	'v.a, w.b % 10 AS d, count(*) FROM versions v JOIN (SELECT id AS i, b FROM versions) w ON v.id = w.i AND v.a = w.b % 10 GROUP BY v.a, d']) q;
SELECT q, check_query(q) FROM unnest(ARRAY[
	'SELECT count(*) FROM versions WHERE a = 3 AND id < 0 GROUP BY a',
	'SELECT DISTINCT a, c FROM versions WHERE a = c']) q;

-- DISTINCT of what is the same in all rows reads one row, from 16 on: an error of another is not met
SELECT q, is_taken(q), outcome(q, 'off', 'on') = outcome(q, 'force', 'on') AS same FROM unnest(ARRAY[
	'SELECT DISTINCT a FROM versions WHERE a = 3',
	'SELECT DISTINCT 1 FROM versions WHERE 10 / (id - 9) > -100',
	'SELECT DISTINCT 1 FROM (SELECT id FROM versions OFFSET 0) s WHERE 10 / (id - 9) > -100',
	'SELECT DISTINCT 1, ''x'' FROM versions WHERE id < 0']) q;

-- the subquery of a filter's parameter is no part of the node
CREATE FUNCTION filter_of(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
		IF line LIKE '%Input Filter%' THEN RETURN NEXT line; END IF;
	END LOOP;
END $$;
SELECT filter_of('SELECT a, count(*) FROM versions WHERE id > (SELECT min(id) + 10 FROM versions) GROUP BY a');
SELECT check_query('SELECT a, count(*) FROM versions WHERE id > (SELECT min(id) + 10 FROM versions) GROUP BY a');

-- a placeholder around what a subquery computes
SELECT filter_of('SELECT a, b, count(*) FROM (SELECT a + 1 AS a, b FROM versions) s WHERE a = 3 GROUP BY GROUPING SETS (a, b)');

-- infinite intervals
\if :from_17
SELECT max(CASE WHEN a < 20 THEN '-infinity'::timestamp END + interval 'infinity') FROM versions;
SELECT count(*) FROM versions WHERE CASE WHEN a < 20 THEN 'infinity'::timestamptz END - interval 'infinity' IS NULL;
\endif

-- a column is NULL in spite of a constraint that is not valid
\if :from_18
ALTER TABLE versions ADD CONSTRAINT versions_c NOT NULL c NOT VALID;
\endif
SELECT check_query('SELECT c, count(*), count(c), sum(c) FROM versions GROUP BY c'), check_query('SELECT count(c), count(*) FROM versions WHERE c IS NULL');
CREATE TABLE versions_row (k int PRIMARY KEY, c int);
INSERT INTO versions_row VALUES (1, NULL), (2, 5), (3, 6);
ANALYZE versions_row;
\if :from_18
ALTER TABLE versions_row ADD CONSTRAINT versions_row_c NOT NULL c NOT VALID;
\endif
SELECT check_engine('SELECT r.c, count(*), count(r.c), sum(r.c) FROM versions v JOIN versions_row r ON v.a = r.k GROUP BY r.c');
DROP TABLE versions_row;

-- what the enable_* settings forbid, from 18 on before costs
SET gpuagg.mode = auto;
SET gpuagg.page_cost = 10000;
SET enable_seqscan = off;
SELECT count(*) AS nodes FROM filter_of('SELECT a, count(*) FROM versions WHERE id > 5 GROUP BY a');
RESET enable_seqscan;
RESET gpuagg.page_cost;
RESET gpuagg.mode;

-- the name of a window, from 18 on only for the node that computes its functions
SELECT check_query('SELECT DISTINCT b, row_number() OVER (PARTITION BY k ORDER BY id) FROM facts');
SELECT check_query('SELECT DISTINCT b, rank() OVER (ORDER BY i2 / 50) FROM facts WHERE id < 500');
SELECT q, is_taken(q), check_query(q) FROM (VALUES ('SELECT DISTINCT sum(i2 * 0.25) OVER (PARTITION BY k) FROM facts')) v (q);

-- below DISTINCT and window functions PostgreSQL does not sort by keys that it knows to be the same,
-- though they are NULL in some sets: then its own order counts
SELECT q, is_taken(q) FROM (VALUES
	('SELECT DISTINCT id, c, count(*) FROM versions WHERE id = 3 GROUP BY ROLLUP (c, id)'),
	('SELECT id, c, sum(id) OVER (PARTITION BY id) FROM versions WHERE id = c GROUP BY CUBE (c, id)'),
	('SELECT id, c, count(*) FROM versions WHERE id = 3 GROUP BY ROLLUP (c, id)'),
	('SELECT DISTINCT id, c, count(*) FROM versions WHERE id < 3 GROUP BY ROLLUP (c, id)')) v (q);

-- constants: from 18 on a key that is a subquery's cannot be told from one of the query itself, and HAVING false
-- is a condition on the input
SELECT check_query('SELECT x, b, count(*), GROUPING(x) FROM (SELECT 1 AS x, b FROM facts) f GROUP BY ROLLUP (x, b)');
SELECT check_query('SELECT b, i2 FROM facts GROUP BY CUBE (b, i2) HAVING false');

-- a column that is two keys of grouping sets is NULL in one of them
SELECT DISTINCT k, l, grouping(k, l) FROM (SELECT c AS k, c AS l FROM versions WHERE c < 2 AND id < 20) s GROUP BY GROUPING SETS ((k), (l)) ORDER BY 1, 2;

-- from 19 on, means of equal values, and regressions whose steps leave the range of doubles
SELECT NOT :'from_19' OR (regr_avgx(1, x) = 0.1::float8 AND regr_avgy(x, 1) = 0.1::float8) AS is_equal FROM (SELECT 0.1::float8 AS x FROM generate_series(1, 48)) s;
SELECT check_query('SELECT regr_avgx(1, -zero), regr_avgy(-zero, 1), avg(-zero) FROM (SELECT 0::float8 AS zero FROM versions) s');
SELECT power, check_query(format('SELECT corr(y, x), regr_r2(y, x), regr_slope(y, x), regr_intercept(y, x) FROM (SELECT i * 2::float8 ^ %1$s AS x, (i / 2) * 2::float8 ^ %1$s AS y FROM generate_series(1, 4) i) s', power))
FROM unnest('{-530,-300,-260,10,260,300}'::int[]) power;
SELECT NOT :'from_19' OR (corr(y, x) <= 1 AND regr_r2(y, x) <= 1) AS is_within FROM (SELECT x, 3 * x AS y FROM (SELECT i * 13 / 10::float8 AS x FROM generate_series(1, 5) i) s) s;

DROP FUNCTION filter_of;
DROP TABLE versions;
