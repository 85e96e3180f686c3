--
-- The first rows of each group: DISTINCT ON, and row_number() or a rank not above a constant.  Orders end
-- in a column without repeats, but where only what is determined is selected.
--
\set VERBOSITY terse

-- keys and orders of all types, NULLs in both
SELECT key, check_engine(format('SELECT DISTINCT ON (%s) %1$s, id, t FROM facts ORDER BY %1$s, i4, id', key))
FROM unnest(ARRAY['b', 'i2', 'i4', 'i8', 'f4', 'f8', 'd', 'ts', 'tz', 't COLLATE "C"', 'qc', 'u', 'o', 'k']) key;
SELECT col, dir, check_engine(format('SELECT DISTINCT ON (k) k, %s, id FROM facts ORDER BY k DESC NULLS LAST, %1$s %s, id', col, dir))
FROM unnest(ARRAY['b', 'i2', 'i4', 'i8', 'f4', 'f8', 'd', 'ts', 'tz']) col,
	unnest(ARRAY['', 'DESC', 'NULLS FIRST', 'DESC NULLS LAST']) dir;
SELECT n, check_engine(format('SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY i2 ORDER BY f8 DESC, id) AS n FROM facts) s WHERE %s', n))
FROM unnest(ARRAY['n = 1', 'n <= 2', 'n < 4', '3 >= n', '17 > n', 'n <= 5::bigint', 'n < 3::smallint', 'n <= 5 AND n < 3', 'n <= 3 AND n > 1', 'n = 2', 'n <= 4 AND id % 3 = 0']) n;

-- other orders: of no key, of one that is in all rows or decides nothing, by the first key only
SELECT check_engine('SELECT DISTINCT ON (k) k FROM facts');
SELECT check_engine('SELECT k FROM (SELECT k, row_number() OVER (PARTITION BY k) AS n FROM facts) s WHERE n = 1');
SELECT check_engine('SELECT DISTINCT ON (k) k, i4 FROM facts ORDER BY k, i4 DESC NULLS LAST');
SELECT check_engine('SELECT k, i4, n FROM (SELECT k, i4, row_number() OVER (PARTITION BY k ORDER BY i4) AS n FROM facts) s WHERE n <= 3');
SELECT check_engine('SELECT DISTINCT ON (i4, b) * FROM facts ORDER BY b DESC, i4, i4 DESC, id, id DESC');
SELECT check_engine('SELECT id, n FROM (SELECT id, row_number() OVER (PARTITION BY k ORDER BY k, i2 DESC, 1::int, id) AS n FROM facts) s WHERE n <= 2');

-- without keys, and without rows
SELECT check_engine('SELECT * FROM (SELECT *, row_number() OVER (ORDER BY i8 DESC NULLS LAST, id DESC) AS n FROM facts) s WHERE n <= 16');
SELECT check_engine('SELECT * FROM (SELECT *, row_number() OVER (ORDER BY i8 DESC, id) AS n FROM facts WHERE id < 0) s WHERE n <= 3');
-- many rows of each group, of groups with more and with fewer
SELECT n, check_engine(format('SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY b ORDER BY f8 DESC, id) AS n FROM facts) s WHERE n <= %s', n)) FROM unnest(ARRAY[17, 100, 128]) n;
SELECT check_engine('SELECT id, n FROM (SELECT *, row_number() OVER (PARTITION BY id % 90 ORDER BY i4, id) AS n FROM facts) s WHERE n BETWEEN 120 AND 128');
SELECT f, check_engine(format('SELECT k, id, n FROM (SELECT *, %s() OVER (PARTITION BY k ORDER BY id DESC) AS n FROM facts) s WHERE n <= 100', f)) FROM unnest(ARRAY['rank', 'dense_rank']) f;
SELECT check_engine('SELECT DISTINCT ON (k) * FROM facts WHERE id < 0 ORDER BY k, id');

-- conditions, expressions as keys, in orders and in the output; what errors there are
SELECT check_engine('SELECT DISTINCT ON (i4 % 7, length(t)) id + 1, upper(t), i4 % 7 FROM facts WHERE d > date ''2000-03-01'' AND vc LIKE ''v%2%'' ORDER BY i4 % 7, length(t), -f8 DESC, id');
SELECT check_engine('SELECT n + 1, n * id, u, format(''%s-%s'', t, n) FROM (SELECT u, id, t, row_number() OVER (PARTITION BY date_trunc(''hour'', ts) ORDER BY abs(i2) DESC, id) AS n FROM facts WHERE b) s WHERE n <= 2');
SELECT check_engine('SELECT DISTINCT ON (k) k, 100 / (id + 1) AS q FROM facts ORDER BY k, id');
SELECT check_fallback('SELECT DISTINCT ON (k) k, 100 / (id - 7000) AS q FROM facts ORDER BY k, id DESC');
SELECT check_fallback('SELECT DISTINCT ON (k) k, id FROM facts ORDER BY k, 1000 / (id - 7000), id');
SELECT check_fallback('SELECT * FROM (SELECT k, row_number() OVER (PARTITION BY k ORDER BY 1000 / (id - 7000), id) AS n FROM facts) s WHERE n = 1');
-- PostgreSQL 15 computes outputs of rows that its run condition does not let pass
SELECT check_fallback('SELECT * FROM (SELECT k, 100 / (id - 7000) AS q, row_number() OVER (PARTITION BY k ORDER BY id) AS n FROM facts) s WHERE n = 1') IN ('22012 division by zero', '3001 rows') AS same;
SELECT check_engine('SELECT * FROM (SELECT k, -id AS m, t IS NULL AS l, row_number() OVER (PARTITION BY k ORDER BY id) IS NULL AS x, row_number() OVER (PARTITION BY k ORDER BY id) AS n FROM facts) s WHERE n = 1');
SELECT check_engine('SELECT DISTINCT ON (k) k, id, ctid, tableoid::regclass FROM facts ORDER BY k, id');

-- floats: -0 is 0, NaN is above all; numerics with NaN and infinities, and without a scale
CREATE TABLE first_floats (k int, f float8, r float4, x numeric(12, 3), y numeric, id int);
INSERT INTO first_floats SELECT i % 5, (ARRAY['0', '-0', 'NaN', 'Infinity', '-Infinity', '1e-300', '-5'])[i % 7 + 1]::float8,
	(ARRAY['-0', '0', 'NaN', '-1'])[i % 4 + 1]::float4, (i * 37 % 101) / 8.0, i * 31 % 97, i FROM generate_series(1, 200) i;
ANALYZE first_floats;
SELECT col, dir, check_engine(format('SELECT id, %s, n FROM (SELECT *, row_number() OVER (PARTITION BY k ORDER BY %1$s %s, id) AS n FROM first_floats) s WHERE n <= 16', col, dir))
FROM unnest(ARRAY['f', 'r', 'x', 'y']) col, unnest(ARRAY['', 'DESC']) dir;
INSERT INTO first_floats SELECT i % 5, 1, 1, CASE WHEN i % 3 = 0 THEN 'NaN' END::numeric, (ARRAY['NaN', 'Infinity', '-Infinity', '5'])[i % 4 + 1]::numeric, i FROM generate_series(201, 260) i;
SELECT col, dir, check_engine(format('SELECT id, %s, n FROM (SELECT *, row_number() OVER (PARTITION BY k ORDER BY %1$s %s, id) AS n FROM first_floats) s WHERE n <= 16', col, dir))
FROM unnest(ARRAY['x', 'y']) col, unnest(ARRAY['', 'DESC']) dir;
-- a key shows the row's own value
SELECT check_engine('SELECT DISTINCT ON (f) f, id FROM first_floats ORDER BY f, id DESC');

-- toasted values: in rows that leave, as a key and in a condition
CREATE TABLE first_toasted (id int, k text COLLATE "C", v int, wide text);
ALTER TABLE first_toasted ALTER k SET STORAGE EXTERNAL;
INSERT INTO first_toasted SELECT i, repeat('k', CASE WHEN i % 5 = 0 THEN 3000 ELSE i % 4 END), i * 7 % 13,
	repeat(md5(i::text), CASE WHEN i % 3 = 0 THEN 300 ELSE 2 END) FROM generate_series(1, 500) i;
ANALYZE first_toasted;
SELECT check_engine('SELECT DISTINCT ON (v) v, id, wide FROM first_toasted ORDER BY v, id DESC');
SELECT check_engine('SELECT DISTINCT ON (k) k, id, wide FROM first_toasted ORDER BY k, v DESC, id');
SELECT check_engine('SELECT * FROM (SELECT id, length(wide), row_number() OVER (PARTITION BY k ORDER BY v, id) AS n FROM first_toasted WHERE wide > ''5'') s WHERE n <= 3');

-- what a transaction sees: of its own changes, HOT chains, deleted and locked rows
CREATE TABLE first_changed (id int PRIMARY KEY, k int, v int, note text) WITH (fillfactor = 50);
INSERT INTO first_changed SELECT i, i % 20, i % 17, 'n' || i FROM generate_series(1, 2000) i;
ANALYZE first_changed;
BEGIN;
UPDATE first_changed SET note = note || '+' WHERE id % 3 = 0;
UPDATE first_changed SET note = note || '*', v = v + 1 WHERE id % 6 = 0;
DELETE FROM first_changed WHERE id % 11 = 0;
INSERT INTO first_changed SELECT i, i % 20, 100, 'new' FROM generate_series(2001, 2010) i;
SAVEPOINT s;
UPDATE first_changed SET v = 1000;
ROLLBACK TO s;
SELECT check_engine('SELECT DISTINCT ON (k) * FROM first_changed ORDER BY k, v DESC, id');
SELECT check_engine('SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY k ORDER BY v, id) AS n FROM first_changed) s WHERE n <= 5');
DECLARE c CURSOR FOR SELECT DISTINCT ON (k) k, id, v, note FROM first_changed ORDER BY k, v DESC, id;
FETCH 2 FROM c;
UPDATE first_changed SET v = 5000 - id, note = 'later';
DELETE FROM first_changed WHERE k = 3;
FETCH 2 FROM c;
DECLARE w SCROLL CURSOR FOR SELECT k, id, n FROM (SELECT k, id, row_number() OVER (PARTITION BY k ORDER BY v DESC, id) AS n FROM first_changed WHERE k < 3) s WHERE n <= 2 ORDER BY k, n;
FETCH 3 FROM w;
FETCH BACKWARD 2 FROM w;
FETCH ALL FROM w;
COMMIT;
SELECT check_engine('SELECT DISTINCT ON (k) * FROM first_changed ORDER BY k, v DESC, id');
ALTER TABLE first_changed DROP COLUMN v, ADD COLUMN w int DEFAULT 7;
INSERT INTO first_changed SELECT i, i % 20, 'w', i % 9 FROM generate_series(3001, 3200) i;
SELECT check_engine('SELECT DISTINCT ON (k) * FROM first_changed ORDER BY k, w DESC, id');

-- rows that the same command changes meanwhile
BEGIN;
UPDATE first_changed c SET w = -n FROM (SELECT id, row_number() OVER (PARTITION BY k ORDER BY w DESC, id) AS n FROM first_changed) q WHERE n <= 3 AND c.id = q.id;
INSERT INTO first_changed SELECT DISTINCT ON (k) id + 10000, k, note, w FROM first_changed ORDER BY k, w, id;
SELECT count(*), sum(w), sum(id) FROM first_changed WHERE w < 0;
ROLLBACK;
BEGIN;
SET LOCAL gpuagg.mode = off;
UPDATE first_changed c SET w = -n FROM (SELECT id, row_number() OVER (PARTITION BY k ORDER BY w DESC, id) AS n FROM first_changed) q WHERE n <= 3 AND c.id = q.id;
INSERT INTO first_changed SELECT DISTINCT ON (k) id + 10000, k, note, w FROM first_changed ORDER BY k, w, id;
SELECT count(*), sum(w), sum(id) FROM first_changed WHERE w < 0;
ROLLBACK;

-- partitions, and children with attributes at other places
CREATE TABLE first_parts (id int, k int, v int) PARTITION BY RANGE (id);
CREATE TABLE first_part1 PARTITION OF first_parts FOR VALUES FROM (0) TO (1000);
CREATE TABLE first_part2 (v int, id int, k int);
ALTER TABLE first_parts ATTACH PARTITION first_part2 FOR VALUES FROM (1000) TO (1200);
CREATE TABLE first_part3 PARTITION OF first_parts FOR VALUES FROM (1200) TO (3000);
INSERT INTO first_parts SELECT i, i % 30, i * 31 % 97 FROM generate_series(1, 2500) i;
ANALYZE first_parts;
SELECT check_query('SELECT DISTINCT ON (k) *, tableoid::regclass FROM first_parts ORDER BY k, v, id');
ALTER TABLE first_parts DETACH PARTITION first_part2;
SELECT check_engine('SELECT DISTINCT ON (k) *, tableoid::regclass FROM first_parts ORDER BY k, v, id');
SELECT check_engine('SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY k ORDER BY v DESC, id) AS n FROM first_parts) s WHERE n <= 3');
CREATE TABLE first_parent (gone text, k int, v int, id int);
ALTER TABLE first_parent DROP COLUMN gone;
CREATE TABLE first_child (more text) INHERITS (first_parent);
INSERT INTO first_parent SELECT i % 10, i % 7, i FROM generate_series(1, 300) i;
INSERT INTO first_child SELECT i % 10, i % 8, i, 'x' FROM generate_series(301, 600) i;
ANALYZE first_parent, first_child;
SELECT check_query('SELECT DISTINCT ON (k) *, tableoid::regclass FROM first_parent ORDER BY k, v, id');

-- attributes that the engine does not look at may lie elsewhere
CREATE TABLE first_later (id int, k int, v int, gone int, note text) PARTITION BY RANGE (id);
ALTER TABLE first_later DROP COLUMN gone;
CREATE TABLE first_later1 (id int, k int, v int, note text);
CREATE TABLE first_later2 (id int, k int, v int, gone int, note text, more int);
ALTER TABLE first_later2 DROP COLUMN gone, DROP COLUMN more;
ALTER TABLE first_later ATTACH PARTITION first_later1 FOR VALUES FROM (0) TO (500);
ALTER TABLE first_later ATTACH PARTITION first_later2 FOR VALUES FROM (500) TO (5000);
INSERT INTO first_later SELECT i, i % 30, i * 31 % 97, 'n' || i FROM generate_series(1, 2500) i;
ANALYZE first_later;
SELECT check_engine('SELECT DISTINCT ON (k) *, tableoid::regclass FROM first_later ORDER BY k, v, id');

-- row security: hidden rows do not come first
CREATE TABLE first_hidden (k int, v int, id int, secret text);
INSERT INTO first_hidden SELECT i % 10, i % 50, i, CASE WHEN i % 3 = 0 THEN 'hidden' ELSE 'shown' END FROM generate_series(1, 3000) i;
ALTER TABLE first_hidden ENABLE ROW LEVEL SECURITY;
CREATE POLICY p ON first_hidden USING (id % 3 <> 0);
CREATE ROLE gpuagg_first_rows;
GRANT SELECT ON first_hidden TO gpuagg_first_rows;
ANALYZE first_hidden;
SET ROLE gpuagg_first_rows;
SELECT is_taken('SELECT DISTINCT ON (k) * FROM first_hidden ORDER BY k, v DESC, id');
SELECT DISTINCT ON (k) * FROM first_hidden ORDER BY k, v DESC, id LIMIT 4;
RESET ROLE;
REVOKE SELECT ON first_hidden FROM gpuagg_first_rows;
GRANT SELECT (k, id) ON first_hidden TO gpuagg_first_rows;
SET ROLE gpuagg_first_rows;
SELECT DISTINCT ON (k) k, v FROM first_hidden ORDER BY k, id;
SELECT DISTINCT ON (k) k, id FROM first_hidden ORDER BY k, id LIMIT 2;
RESET ROLE;
DROP TABLE first_hidden;
DROP ROLE gpuagg_first_rows;

-- parameters, joins with the rows, rescans, what stands above
PREPARE first_n (int, int) AS SELECT count(*), sum(id) FROM (SELECT *, row_number() OVER (PARTITION BY k ORDER BY i8, id) AS n FROM facts WHERE id > $1) s WHERE n <= $2;
EXECUTE first_n (100, 2);
EXECUTE first_n (6000, 3);
SET plan_cache_mode = force_generic_plan;
EXECUTE first_n (6000, 3);
RESET plan_cache_mode;
PREPARE first_k (int) AS SELECT count(*), sum(id) FROM (SELECT DISTINCT ON (k) id FROM facts WHERE id > $1 ORDER BY k, id DESC) s;
SET plan_cache_mode = force_generic_plan;
EXECUTE first_k (100);
EXECUTE first_k (11900);
RESET plan_cache_mode;
SELECT check_engine('SELECT x.v, q.* FROM (VALUES (1), (500), (11990), (20000)) x (v), LATERAL (SELECT DISTINCT ON (i2) i2, id, t FROM facts WHERE id > x.v ORDER BY i2, f8, id) q');
SELECT check_engine('SELECT x.v, q.* FROM (VALUES (1), (500), (11990), (20000)) x (v), LATERAL (SELECT * FROM (SELECT i2, id, row_number() OVER (PARTITION BY i2 ORDER BY f8, id) AS n FROM facts WHERE id > x.v) s WHERE n <= 2) q');
SELECT check_engine('SELECT q.k, count(*), sum(f.i4) FROM (SELECT DISTINCT ON (k) k, id FROM facts ORDER BY k, id DESC) q JOIN facts f ON f.id = q.id + 1 GROUP BY q.k');
SELECT check_query('SELECT id FROM (SELECT DISTINCT ON (k) k, id FROM facts ORDER BY k, id) a UNION ALL SELECT n FROM (SELECT row_number() OVER (PARTITION BY k ORDER BY id) AS n FROM facts) b WHERE n = 1');
SELECT check_engine('WITH q AS MATERIALIZED (SELECT DISTINCT ON (i2) * FROM facts ORDER BY i2, id) SELECT * FROM q a JOIN q b USING (id)');
SELECT check_engine('SELECT DISTINCT ON (k) k, id FROM facts ORDER BY k, id DESC LIMIT 7');
SELECT check_engine('SELECT DISTINCT ON (k) k, id FROM facts ORDER BY k, id DESC LIMIT 7 OFFSET 100');

SELECT check_query('SELECT x.v, (SELECT count(*) FROM (SELECT * FROM (SELECT i2, row_number() OVER (PARTITION BY i2 ORDER BY id) AS n FROM facts WHERE id > x.v) s WHERE n <= 2 LIMIT 3) l) FROM (VALUES (1), (11999), (500), (11990), (20000)) x (v)');

-- groups beyond the memory
CREATE TABLE first_many AS SELECT i AS id, i * 7919 % 30011 AS k, i * 31 % 1009 AS v, 'x' || i AS t FROM generate_series(1, 120000) i;
VACUUM ANALYZE first_many;
SET work_mem = '64kB';
SET hash_mem_multiplier = 1;
SELECT check_engine('SELECT DISTINCT ON (k) * FROM first_many ORDER BY k, v DESC, id');
SELECT check_engine('SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY k ORDER BY v, id) AS n FROM first_many) s WHERE n <= 3');
RESET work_mem;
RESET hash_mem_multiplier;

-- ranks: rows that are equal in the order have the same one, and all of them leave
CREATE TABLE first_ranks AS SELECT i AS id, i % 12 AS k, hashint4(i) % 3000 AS v, (hashint4(i) % 3000) / 8.0::float8 AS f,
	CASE WHEN i % 5 > 0 THEN (hashint4(i) % 3000) / 100.0 END::numeric(12, 3) AS x, NULLIF(hashint4(i) % 4000, 77) AS o, i % 3 AS j FROM generate_series(1, 6000) i;
INSERT INTO first_ranks SELECT -i, i, 5000, (ARRAY['-0', 'NaN', '0'])[i % 3 + 1]::float8, CASE WHEN i < 3 THEN 9000 END, 1, i % 2 FROM generate_series(1, 11) i, generate_series(1, 2);
ANALYZE first_ranks;
SELECT f, col, cond, check_engine(format('SELECT k, id, v, f, o, n FROM (SELECT *, %s() OVER (PARTITION BY k ORDER BY %s) AS n FROM first_ranks) s WHERE %s', f, col, cond))
FROM unnest(ARRAY['rank', 'dense_rank']) f, unnest(ARRAY['v', 'v DESC', 'f DESC', 'f, o DESC', 'o DESC NULLS LAST', 'j, v DESC']) col, unnest(ARRAY['n = 1', 'n <= 2', 'n < 4', 'n = 3 AND n <= 3']) cond;
SELECT check_engine('SELECT id, n FROM (SELECT *, rank() OVER (ORDER BY v) AS n FROM first_ranks) s WHERE n <= 3');
SELECT check_engine('SELECT id, x, n FROM (SELECT *, dense_rank() OVER (PARTITION BY k ORDER BY x DESC NULLS LAST) AS n FROM first_ranks) s WHERE n <= 3');
SELECT count(*), count(*) FILTER (WHERE n = 1), count(DISTINCT k) FROM (SELECT k, rank() OVER (PARTITION BY k ORDER BY v DESC) AS n FROM first_ranks) s WHERE n <= 3;
-- groups with more equal rows than was expected, among the first or behind them
INSERT INTO first_ranks SELECT i, 3, -9000, -9000, 1, i, 0 FROM generate_series(10001, 10040) i;
ANALYZE first_ranks;
SELECT f, check_fallback(format('SELECT id, n FROM (SELECT *, %s() OVER (PARTITION BY k ORDER BY v) AS n FROM first_ranks) s WHERE n <= 2', f)) FROM unnest(ARRAY['rank', 'dense_rank']) f;
SELECT f, check_engine(format('SELECT id, n FROM (SELECT *, %s() OVER (PARTITION BY k ORDER BY v DESC) AS n FROM first_ranks) s WHERE n <= 2', f)) FROM unnest(ARRAY['rank', 'dense_rank']) f;
SELECT f, check_fallback(format('SELECT * FROM (SELECT id, %s() OVER (PARTITION BY k ORDER BY v) AS n FROM first_ranks) s WHERE n <= 2', f)) FROM unnest(ARRAY['rank', 'dense_rank']) f;
-- more groups than the memory has room for, as is expected or not
SET hash_mem_multiplier = 1;
SET work_mem = '64kB';
SELECT check_query('SELECT * FROM (SELECT *, rank() OVER (PARTITION BY k ORDER BY id) AS n FROM first_many) s WHERE n = 1');
ALTER TABLE first_many ALTER k SET (n_distinct = 100);
ANALYZE first_many;
SET gpuagg.engine = cpu;
SELECT check_fallback('SELECT * FROM (SELECT *, rank() OVER (PARTITION BY k ORDER BY id) AS n FROM first_many) s WHERE n = 1');
RESET gpuagg.engine;
ALTER TABLE first_many ALTER k RESET (n_distinct);
ANALYZE first_many;
SET work_mem = '1MB';
SELECT check_engine('SELECT * FROM (SELECT *, rank() OVER (PARTITION BY k ORDER BY id DESC) AS n FROM first_many) s WHERE n <= 2');
RESET work_mem;
RESET hash_mem_multiplier;
CREATE FUNCTION above_window(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (VERBOSE, COSTS OFF) ' || query LOOP
		EXIT WHEN line ~ 'WindowAgg';
		RETURN NEXT line;
	END LOOP;
END $$;
-- auto takes them where they cost less than sorting all rows
SET gpuagg.engine = cpu;
BEGIN;
SET LOCAL gpuagg.mode = auto;
SELECT above_window('SELECT * FROM (SELECT *, rank() OVER (PARTITION BY k ORDER BY id DESC) AS n FROM first_many) s WHERE n = 1');
SELECT above_window('SELECT * FROM (SELECT *, dense_rank() OVER (PARTITION BY k % 100 ORDER BY id) AS n FROM first_many) s WHERE n <= 3');
COMMIT;

-- an order of more keys than the engine knows, or of texts: PostgreSQL decides among the rows of the first ranks
SELECT f, o, check_engine(format('SELECT id, n FROM (SELECT *, %s() OVER (PARTITION BY k ORDER BY %s, id) AS n FROM facts) s WHERE n <= 3', f, o))
FROM unnest(ARRAY['row_number', 'rank', 'dense_rank']) f, unnest(ARRAY['i4, i8 DESC', 'i4 DESC NULLS LAST, t COLLATE "C" DESC', 'f8, f4 DESC, u', 'i8, k, i4 NULLS FIRST, t']) o;
SELECT o, check_engine(format('SELECT DISTINCT ON (k) k, id, t, f8 FROM facts ORDER BY k, %s, id', o))
FROM unnest(ARRAY['i4, i8 DESC', 'i4 DESC NULLS LAST, t COLLATE "C" DESC', 'f8, f4 DESC, u', 'i8, 1::int, i4 NULLS FIRST, t']) o;
SELECT check_engine('SELECT * FROM (SELECT id, upper(t), row_number() OVER (ORDER BY i4, i8, lower(t) DESC, id) AS n FROM facts) s WHERE n <= 20');
SELECT check_engine('SELECT DISTINCT ON (i2) i2, id, t FROM facts WHERE b ORDER BY i2 DESC NULLS LAST, id / 4, t, id LIMIT 7 OFFSET 2');
SELECT check_engine('SELECT x.v, q.* FROM (VALUES (1), (11990), (20000)) x (v), LATERAL (SELECT * FROM (SELECT i2, id, row_number() OVER (PARTITION BY i2 ORDER BY id / 4, t, id) AS n FROM facts WHERE id > x.v) s WHERE n <= 2) q');
SELECT check_engine('SELECT f.id, q.n FROM facts f JOIN (SELECT * FROM (SELECT id, row_number() OVER (PARTITION BY k ORDER BY i4, t, id) AS n FROM facts) s WHERE n = 1) q ON q.id = f.id');
DECLARE ranked_above SCROLL CURSOR WITH HOLD FOR SELECT id, n FROM (SELECT id, row_number() OVER (PARTITION BY b ORDER BY i4, i8, i2, id) AS n FROM facts) s WHERE n <= 2 ORDER BY n, id;
FETCH 3 FROM ranked_above;
FETCH BACKWARD 2 FROM ranked_above;
CLOSE ranked_above;
-- what is computed of rows that do not leave can raise errors
SELECT check_engine('SELECT * FROM (SELECT 100 / (id + 1) AS q, row_number() OVER (PARTITION BY k ORDER BY i4, t, id) AS n FROM facts) s WHERE n = 1');
SELECT check_fallback('SELECT DISTINCT ON (k) k, id FROM facts ORDER BY k, i4, t, 1000 / (id - 7000), id');
-- of joins: of one table's rows, and of several tables' by the places of one's
SELECT check_engine('SELECT * FROM (SELECT f.id, f.t, row_number() OVER (PARTITION BY f.i2 ORDER BY f.id / 4, f.t, f.id) AS n FROM facts f JOIN first_changed c ON f.k = c.id WHERE c.k < 10) s WHERE n <= 3');
SELECT f, check_engine(format('SELECT * FROM (SELECT f.id, f.t, c.note, %s() OVER (PARTITION BY c.k ORDER BY f.id / 4, f.t, c.id, f.id) AS n FROM facts f JOIN first_changed c ON f.k = c.id WHERE f.id > 100) s WHERE n <= 3', f)) FROM unnest(ARRAY['row_number', 'rank', 'dense_rank']) f;
SELECT check_engine('SELECT DISTINCT ON (c.k) c.k, f.id, f.t, c.note FROM facts f JOIN first_changed c ON f.k = c.id WHERE f.id > 100 ORDER BY c.k, f.id / 4, f.t, f.id');
-- more rows are equal by the keys that the engine knows than is expected
SELECT f, check_fallback(format('SELECT id, n FROM (SELECT *, %s() OVER (PARTITION BY k ORDER BY v, x, o, id) AS n FROM first_ranks) s WHERE n <= 2', f)) FROM unnest(ARRAY['row_number', 'rank', 'dense_rank']) f;
SELECT check_fallback('SELECT DISTINCT ON (k) k, id, f FROM first_ranks ORDER BY k, v, x, o, id');

-- what EXPLAIN shows
EXPLAIN (COSTS OFF) SELECT DISTINCT ON (k) k, id FROM facts WHERE b ORDER BY k, f8 DESC, id NULLS FIRST;
SELECT above_window('SELECT id, n FROM (SELECT id, row_number() OVER (PARTITION BY i4 % 7 ORDER BY i8 DESC NULLS LAST) AS n FROM facts) s WHERE n < 3');

-- what is refused
SELECT step, reason FROM unnest(ARRAY[
	'SELECT * FROM (SELECT *, rank() OVER (PARTITION BY k) AS n FROM facts) s WHERE n <= 2',
	'SELECT * FROM (SELECT *, dense_rank() OVER (PARTITION BY k ORDER BY b) AS n FROM facts) s WHERE n <= 2',
	'SELECT * FROM (SELECT *, rank() OVER (PARTITION BY k ORDER BY id) AS n FROM facts) s WHERE n <= 128',
	'SELECT * FROM (SELECT *, rank() OVER w AS n, row_number() OVER w AS m FROM facts WINDOW w AS (PARTITION BY k ORDER BY id)) s WHERE n <= 2',
	'SELECT * FROM (SELECT *, percent_rank() OVER w AS n, row_number() OVER w AS m FROM facts WINDOW w AS (PARTITION BY k ORDER BY id)) s WHERE m <= 2',
	'SELECT * FROM (SELECT *, count(*) OVER (PARTITION BY k ORDER BY id) AS n FROM facts) s WHERE n <= 2',
	'SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY k ORDER BY id) AS n, lag(id) OVER (PARTITION BY k ORDER BY id) AS l FROM facts) s WHERE n <= 2',
	'SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY k ORDER BY id) AS n, row_number() OVER (ORDER BY i4) AS m FROM facts) s WHERE n <= 2',
	'SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY k ORDER BY id) AS n FROM facts) s WHERE n <= 129',
	'SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY k ORDER BY id) AS n FROM facts) s WHERE n < 1',
	'SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY k ORDER BY id) AS n FROM facts) s WHERE n <= (SELECT 2)',
	'SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY k ORDER BY t) AS n FROM facts) s WHERE n <= 2',
	'SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY i2 ORDER BY b, t) AS n FROM facts) s WHERE n <= 2',
	'SELECT DISTINCT ON (k) id FROM facts ORDER BY k, t, id',
	'SELECT DISTINCT ON (i2) id FROM facts ORDER BY i2, b, t, id',
	'SELECT * FROM (SELECT k, count(*), row_number() OVER (ORDER BY k) AS n FROM facts GROUP BY k) s WHERE n <= 2',
	'SELECT * FROM (SELECT a.id, row_number() OVER (PARTITION BY a.k ORDER BY a.id) AS n FROM facts a JOIN facts b ON a.id = b.i4) s WHERE n <= 2',
	'SELECT * FROM (SELECT f, row_number() OVER (PARTITION BY k ORDER BY id) AS n FROM facts f) s WHERE n <= 2',
	'SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY k ORDER BY id) AS n FROM facts ORDER BY id) s WHERE n <= 2',
	'SELECT * FROM (SELECT row_number() OVER (PARTITION BY k ORDER BY id) AS n, 10 / row_number() OVER (PARTITION BY k ORDER BY id) FROM facts) s WHERE n <= 2',
	'SELECT DISTINCT ON (k) k, random() FROM facts ORDER BY k, id',
	'SELECT DISTINCT ON (k) k, (SELECT max(i) FROM generate_series(1, f.id) i) FROM facts f ORDER BY k, id',
	'SELECT DISTINCT ON (k) k, generate_series(1, 2) FROM facts ORDER BY k, id',
	'SELECT DISTINCT ON (k) k, t::date FROM facts ORDER BY k, id',
	'SELECT DISTINCT ON (k) k, count(*) FROM facts GROUP BY k, i4 ORDER BY k, count(*)',
	'SELECT DISTINCT ON (k) k FROM facts TABLESAMPLE SYSTEM (50) ORDER BY k, id']) query, gpuagg_explain(query) WHERE step !~ 'GROUP BY';
-- an order that the engine knows a part of, and many rows of each group, by auto
CREATE FUNCTION has_node(query text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
	line text;
	found boolean := false;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
		found := found OR line ~ 'GpuAgg';
	END LOOP;
	RETURN found;
END $$;
SET gpuagg.engine = cpu;
BEGIN;
SET LOCAL gpuagg.mode = auto;
SELECT has_node('SELECT DISTINCT ON (k % 100) id, t FROM first_many ORDER BY k % 100, v, id, t');
SELECT has_node('SELECT * FROM (SELECT id, t, row_number() OVER (PARTITION BY k % 100 ORDER BY v, id, t) AS n FROM first_many) s WHERE n <= 2');
SELECT has_node('SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY k % 10 ORDER BY id) AS n FROM first_many) s WHERE n <= 100');
-- groups have fewer rows than there is room for, so that sorting the table costs less
SELECT has_node('SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY k ORDER BY id) AS n FROM first_many) s WHERE n <= 128');
COMMIT;
RESET gpuagg.engine;
-- an order that goes on, of values that are the same in all rows, or of which some are
CREATE TABLE first_same AS SELECT i AS id, i % 3 AS k, 1 AS a, 2 AS b, 't' AS t FROM generate_series(1, 9) i;
VACUUM ANALYZE first_same;
SELECT query, check_query(query) FROM (VALUES
	('SELECT count(*) FROM (SELECT id, row_number() OVER (ORDER BY a, b, t) AS n FROM first_same WHERE k = 2 AND a = 1 AND b = 2 AND t = ''t'') s WHERE n <= 3'),
	('SELECT count(*), sum(n) FROM (SELECT id, rank() OVER (PARTITION BY k ORDER BY a, b, t) AS n FROM first_same WHERE k = 1 AND a = 1 AND b = 2 AND t = ''t'') s WHERE n <= 2'),
	('SELECT id, n FROM (SELECT id, row_number() OVER (PARTITION BY k ORDER BY a, id, t) AS n FROM first_same WHERE k = 1 AND a = 1) s WHERE n <= 3'),
	('SELECT count(*) FROM (SELECT DISTINCT ON (k) k, a, b FROM first_same WHERE k = 1 AND a = 1 AND b = 2 AND t = ''t'' ORDER BY k, a, b, t) s')) q (query);
DROP TABLE first_same;
-- PostgreSQL computes what stands beside a row number before it knows whether the row is wanted
CREATE TABLE first_behind (k int, a int, b int, c int, x int);
INSERT INTO first_behind VALUES (1, 1, 1, 1, 1), (1, 2, 1, 1, 0);
VACUUM ANALYZE first_behind;
SELECT y FROM (SELECT 10 / x AS y, row_number() OVER (PARTITION BY k ORDER BY a, b, c) AS n FROM first_behind) s WHERE n <= 1;
DROP TABLE first_behind;
-- no window of which few rows are wanted
SELECT count(*) FROM gpuagg_explain('SELECT id, row_number() OVER (PARTITION BY k ORDER BY id) FROM facts');
