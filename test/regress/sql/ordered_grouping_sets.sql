--
-- Aggregates of ordered lists beside GROUPING SETS, ROLLUP and CUBE: a node for each set.
--
CREATE TABLE ordered_in_sets AS
SELECT i AS id, i * 7919 % 13 AS a, CASE WHEN i % 11 <> 0 THEN i % 4 END AS b, (i % 3)::text AS c, i * 31 % 977 - 400 AS v,
	(i * 13 % 701 - 350) / 4.0::float8 AS f, date '2020-02-20' + i * 31 % 97 AS d, 'name ' || i * 37 % 503 AS s
FROM generate_series(1, 6000) i;
ANALYZE ordered_in_sets;
CREATE TABLE nothing_in_sets (a int, b int, v int);

CREATE FUNCTION nodes_of(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
		CONTINUE WHEN line !~ 'Append|GpuAgg|Filter|Group Key';
		RETURN NEXT line;
	END LOOP;
END $$;
SELECT nodes_of('SELECT a, b, GROUPING(a, b), mode() WITHIN GROUP (ORDER BY v) FROM ordered_in_sets GROUP BY ROLLUP (a, b) HAVING count(*) > 3');
SELECT b, c, GROUPING(b, c), percentile_disc(0.5) WITHIN GROUP (ORDER BY v), percentile_cont(0.25) WITHIN GROUP (ORDER BY v), count(*) FROM ordered_in_sets GROUP BY CUBE (b, c) ORDER BY 3, 1, 2;

-- each of them, and beside others
SELECT check_engine('SELECT a, b, GROUPING(a, b), percentile_cont(0.5) WITHIN GROUP (ORDER BY f), percentile_disc(ARRAY[0.1, 0.9]) WITHIN GROUP (ORDER BY d), mode() WITHIN GROUP (ORDER BY v DESC) FROM ordered_in_sets GROUP BY ROLLUP (a, b)');
SELECT check_engine('SELECT a, b, c, mode() WITHIN GROUP (ORDER BY v), count(*), sum(v), max(d), avg(f), count(DISTINCT v), sum(DISTINCT v) FILTER (WHERE v > 0), min(c) FROM ordered_in_sets GROUP BY CUBE (a, b, c)');
SELECT check_engine('SELECT a, mode() WITHIN GROUP (ORDER BY v) FROM ordered_in_sets GROUP BY GROUPING SETS ((a), (a), (), ())'), check_engine('SELECT mode() WITHIN GROUP (ORDER BY v) FROM ordered_in_sets GROUP BY ()');
SELECT check_engine('SELECT a, b, mode() WITHIN GROUP (ORDER BY v) FROM ordered_in_sets GROUP BY a, ROLLUP (b)');

-- what the keys are, and what is made of them; of a set that lacks one it is NULL
SELECT check_engine('SELECT a + 1, (a + 1) * 2, coalesce(b, -1), GROUPING(a + 1), GROUPING(b, a + 1) + 10, CASE GROUPING(b) WHEN 1 THEN ''all'' ELSE b::text END, percentile_disc(0.4) WITHIN GROUP (ORDER BY v) + coalesce(b, 0) FROM ordered_in_sets GROUP BY GROUPING SETS ((a + 1), (b), (a + 1, b))');
SELECT check_engine('SELECT a, b, percentile_disc(0.4) WITHIN GROUP (ORDER BY a), mode() WITHIN GROUP (ORDER BY b) FROM ordered_in_sets GROUP BY ROLLUP (a, b)');
SELECT check_engine('SELECT a, b, mode() WITHIN GROUP (ORDER BY v) FROM ordered_in_sets WHERE a = 5 GROUP BY CUBE (a, b)'), check_engine('SELECT a, b, mode() WITHIN GROUP (ORDER BY v) FROM ordered_in_sets WHERE a = b GROUP BY CUBE (a, b)');
ALTER TABLE ordered_in_sets ADD PRIMARY KEY (id);
SELECT check_engine('SELECT id, a, s, c, mode() WITHIN GROUP (ORDER BY v) FROM ordered_in_sets WHERE id < 500 GROUP BY id, ROLLUP (c)');

-- HAVING, ORDER BY, LIMIT, DISTINCT and window functions above
SELECT check_engine('SELECT a, b, mode() WITHIN GROUP (ORDER BY v) FROM ordered_in_sets GROUP BY ROLLUP (a, b) HAVING GROUPING(b) = 1 OR a IS NULL'), check_engine('SELECT a, b FROM ordered_in_sets GROUP BY ROLLUP (a, b) HAVING percentile_disc(0.5) WITHIN GROUP (ORDER BY v) > 90 AND b IS NOT NULL');
SELECT check_engine('SELECT a, b, mode() WITHIN GROUP (ORDER BY v) FROM ordered_in_sets GROUP BY ROLLUP (a, b) ORDER BY 3 DESC, 1, 2 LIMIT 7'), check_engine('SELECT count(*) FROM (SELECT a, mode() WITHIN GROUP (ORDER BY v) FROM ordered_in_sets GROUP BY CUBE (a, b) LIMIT 5) x');
SELECT check_engine('SELECT DISTINCT b, mode() WITHIN GROUP (ORDER BY v) > 0 FROM ordered_in_sets GROUP BY ROLLUP (a, b)'), check_engine('SELECT a, b, rank() OVER (PARTITION BY GROUPING(a, b) ORDER BY percentile_cont(0.5) WITHIN GROUP (ORDER BY f), a, b) FROM ordered_in_sets GROUP BY CUBE (a, b)');

-- nothing to group; other sources; several reads of the same
SELECT a, b, mode() WITHIN GROUP (ORDER BY v) FROM nothing_in_sets GROUP BY CUBE (a, b);
SELECT check_query('SELECT i % 5, i % 3, mode() WITHIN GROUP (ORDER BY i % 7) FROM generate_series(1, 1000) i GROUP BY ROLLUP (1, 2)');
SELECT check_query('WITH w AS MATERIALIZED (SELECT * FROM ordered_in_sets WHERE v > 0) SELECT a, b, mode() WITHIN GROUP (ORDER BY v) FROM w GROUP BY ROLLUP (a, b)');
SELECT check_query('SELECT x.a, y.c, mode() WITHIN GROUP (ORDER BY x.v) FROM ordered_in_sets x JOIN ordered_in_sets y ON x.v = y.id GROUP BY CUBE (x.a, y.c)');
SELECT check_query('SELECT x.a, y.c, mode() WITHIN GROUP (ORDER BY x.v) FROM ordered_in_sets x JOIN ordered_in_sets y ON x.v = y.v GROUP BY CUBE (x.a, y.c)');
SELECT check_query('SELECT upper(s), b, mode() WITHIN GROUP (ORDER BY v) FROM ordered_in_sets GROUP BY ROLLUP (1, 2)'), check_query('SELECT a, mode() WITHIN GROUP (ORDER BY length(reverse(s))) FROM ordered_in_sets GROUP BY ROLLUP (a)');
SELECT check_query('SELECT n, m FROM generate_series(1, 3) n, LATERAL (SELECT a % n, mode() WITHIN GROUP (ORDER BY v) FROM ordered_in_sets WHERE a < n GROUP BY ROLLUP (1)) x (g, m)');
SELECT check_query('SELECT a, (SELECT max(b) FROM ordered_in_sets), mode() WITHIN GROUP (ORDER BY v) FROM ordered_in_sets x WHERE v > (SELECT avg(v) FROM ordered_in_sets) GROUP BY ROLLUP (a)');
CREATE TABLE parts_in_sets (a int, b int, v int) PARTITION BY LIST (b);
CREATE TABLE parts_in_sets_1 PARTITION OF parts_in_sets FOR VALUES IN (1, 2);
CREATE TABLE parts_in_sets_2 PARTITION OF parts_in_sets DEFAULT;
INSERT INTO parts_in_sets SELECT a, b, v FROM ordered_in_sets;
ANALYZE parts_in_sets;
SELECT check_engine('SELECT a, b, mode() WITHIN GROUP (ORDER BY v) FROM parts_in_sets GROUP BY ROLLUP (a, b)');
PREPARE sets_of(int) AS SELECT b, c, percentile_disc(0.5) WITHIN GROUP (ORDER BY v) FROM ordered_in_sets WHERE a = $1 GROUP BY ROLLUP (b, c) ORDER BY 1, 2 LIMIT 4;
SET plan_cache_mode = force_generic_plan;
EXECUTE sets_of(3);
EXECUTE sets_of(4);
RESET plan_cache_mode;
DEALLOCATE sets_of;
BEGIN;
DECLARE of_sets SCROLL CURSOR FOR SELECT c, percentile_disc(0.5) WITHIN GROUP (ORDER BY v) FROM ordered_in_sets GROUP BY ROLLUP (c) ORDER BY c;
FETCH 3 FROM of_sets;
FETCH BACKWARD 2 FROM of_sets;
COMMIT;

-- the first, or a later set falls back; errors are PostgreSQL's
SELECT check_join('SELECT a, b, mode() WITHIN GROUP (ORDER BY v) FROM ordered_in_sets GROUP BY ROLLUP (a, b)');
CREATE TABLE zeros_in_sets AS SELECT i % 3 AS a, i % 2 AS b, CASE WHEN i % 3 = 1 AND i % 2 = 1 THEN float8 '0' WHEN i % 3 = 1 THEN float8 '-0' ELSE i % 5 + 1 END AS v FROM generate_series(0, 60) i;
SELECT check_fallback('SELECT a, b, percentile_disc(0.5) WITHIN GROUP (ORDER BY v) + 0 FROM zeros_in_sets GROUP BY GROUPING SETS ((a, b), (a))');
SELECT check_fallback('SELECT a, mode() WITHIN GROUP (ORDER BY 10 / v) FROM ordered_in_sets GROUP BY ROLLUP (a)');
SET gpuagg.verify = 1;
SELECT check_engine('SELECT a, b, mode() WITHIN GROUP (ORDER BY v) FROM ordered_in_sets GROUP BY ROLLUP (a, b)');
RESET gpuagg.verify;

-- auto takes them; what is left to PostgreSQL
BEGIN;
SET LOCAL gpuagg.mode = auto;
SET LOCAL gpuagg.engine = cpu;
SELECT taken, reason FROM gpuagg_explain('SELECT a, b, percentile_cont(0.5) WITHIN GROUP (ORDER BY f) FROM ordered_in_sets GROUP BY ROLLUP (a, b)');
COMMIT;
SELECT taken, reason FROM gpuagg_explain('SELECT a, mode() WITHIN GROUP (ORDER BY v) FROM (SELECT * FROM ordered_in_sets OFFSET 1) x GROUP BY ROLLUP (a)');
SELECT taken, reason FROM gpuagg_explain('SELECT a, mode() WITHIN GROUP (ORDER BY v) FROM ordered_in_sets TABLESAMPLE SYSTEM (50) GROUP BY ROLLUP (a)');
SELECT taken, reason FROM gpuagg_explain('SELECT a, mode() WITHIN GROUP (ORDER BY v) FROM ordered_in_sets WHERE random() > 0.5 GROUP BY ROLLUP (a)');
SELECT taken, reason FROM gpuagg_explain('SELECT mode() WITHIN GROUP (ORDER BY v) FROM ordered_in_sets GROUP BY CUBE (a, b, c, d, v, f, s)');
SELECT taken, reason FROM gpuagg_explain('WITH RECURSIVE r AS (SELECT 1 AS n, 0 AS m UNION ALL SELECT n + 1, x.m FROM r, LATERAL (SELECT mode() WITHIN GROUP (ORDER BY v) FROM ordered_in_sets WHERE a = r.n GROUP BY ROLLUP (a)) x (m) WHERE n < 3) SELECT * FROM r') ORDER BY 1, 2;

-- lists of rows, in the CPU engine
SET gpuagg.engine = cpu;
SELECT b, c, string_agg(s, ',' ORDER BY id), array_agg(v ORDER BY v DESC), array_agg(DISTINCT c), count(*) FROM ordered_in_sets WHERE id < 9 GROUP BY GROUPING SETS ((b), (c), ()) ORDER BY 1, 2;
SELECT check_engine('SELECT a, b, c, GROUPING(a, b, c), string_agg(s, '','' ORDER BY id), array_agg(v ORDER BY v), array_agg(DISTINCT s ORDER BY s DESC), json_agg(f ORDER BY d, id) FILTER (WHERE v > 0), max(s COLLATE "C"), count(DISTINCT v) FROM ordered_in_sets GROUP BY CUBE (a, b, c)');
SELECT check_engine('SELECT a, b, (array_agg(s ORDER BY f DESC, id))[1] FROM ordered_in_sets GROUP BY ROLLUP (a, b) HAVING count(*) > 100');
SELECT check_join('SELECT a, b, string_agg(s, '','' ORDER BY id) FROM ordered_in_sets GROUP BY ROLLUP (a, b)');
SELECT check_fallback('SELECT a, b, array_agg(100 / v ORDER BY id) FROM ordered_in_sets GROUP BY ROLLUP (a, b)');
SET work_mem = '64kB';
SELECT check_engine('SELECT a, b, string_agg(s, '','' ORDER BY id), mode() WITHIN GROUP (ORDER BY v), array_agg(v ORDER BY v) FROM ordered_in_sets GROUP BY ROLLUP (a, b)');
RESET work_mem;

-- by several processes
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
ALTER TABLE ordered_in_sets SET (parallel_workers = 2);
SELECT check_engine('SELECT a, b, string_agg(s, '','' ORDER BY id), mode() WITHIN GROUP (ORDER BY v), array_agg(v ORDER BY v) FROM ordered_in_sets GROUP BY ROLLUP (a, b)');
SELECT check_join('SELECT a, b, string_agg(s, '','' ORDER BY id) FROM ordered_in_sets GROUP BY CUBE (a, b)');
RESET max_parallel_workers_per_gather;
RESET min_parallel_table_scan_size;
RESET parallel_tuple_cost;
RESET parallel_setup_cost;

RESET gpuagg.engine;
DROP FUNCTION nodes_of;
DROP TABLE ordered_in_sets, nothing_in_sets, parts_in_sets, zeros_in_sets;
