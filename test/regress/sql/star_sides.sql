--
-- Joins in the engines to relations that are no tables: subqueries, CTEs, functions, VALUES, foreign tables.
--
CREATE TABLE sides_fact (id int NOT NULL, a int, b bigint, t text, n numeric(10, 2), v float8, d date);
INSERT INTO sides_fact SELECT i, CASE WHEN i % 17 <> 0 THEN i % 500 END, i % 300, 'key' || i % 100, i % 1000 / 7.0, i / 4.0, date '2020-01-01' + i % 400
FROM generate_series(1, 20000) i;
CREATE TABLE sides_items (k int, x int, s text, n numeric(8, 3), b bigint);
INSERT INTO sides_items SELECT i % 450, i % 7, 'val' || i % 30, i / 3.0, i FROM generate_series(0, 4000) i;
INSERT INTO sides_items VALUES (NULL, 3, 'null', 1, 1);
CREATE TABLE sides_names (k int PRIMARY KEY, name text);
INSERT INTO sides_names SELECT i, 'name' || i % 12 FROM generate_series(0, 400) i;
CREATE TABLE sides_parts (k int, x int) PARTITION BY RANGE (k);
CREATE TABLE sides_parts_1 PARTITION OF sides_parts FOR VALUES FROM (0) TO (200);
CREATE TABLE sides_parts_2 PARTITION OF sides_parts FOR VALUES FROM (200) TO (600);
INSERT INTO sides_parts SELECT i % 510, i % 9 FROM generate_series(0, 3000) i;
CREATE TABLE sides_lsn (p pg_lsn);
CREATE INDEX ON sides_lsn (p);
INSERT INTO sides_lsn SELECT ('0/' || i)::pg_lsn FROM generate_series(10, 99) i;
VACUUM ANALYZE sides_fact, sides_items, sides_names, sides_parts, sides_lsn;

SET gpuagg.mode = force;

-- subqueries that are unique by what they group by, and distinct ones
SELECT check_join('SELECT s.m, count(*), sum(v) FROM sides_fact f JOIN (SELECT k, max(x) AS m FROM sides_items GROUP BY k) s ON f.a = s.k GROUP BY 1');
SELECT check_join('SELECT f.d, sum(s.total), count(s.mean), min(s.t), sum(s.c) FROM sides_fact f JOIN (SELECT k, sum(n * 2) AS total, avg(x) AS mean, min(s) AS t, count(*) AS c FROM sides_items GROUP BY k HAVING count(*) > 1) s ON f.a = s.k GROUP BY 1');
SELECT check_join('SELECT s.c, count(*) FROM sides_fact f LEFT JOIN (SELECT k, count(*) AS c FROM sides_items WHERE x < 4 GROUP BY k) s ON f.a = s.k GROUP BY 1');
SELECT check_join('SELECT s.k % 5, count(*) FROM sides_fact f JOIN (SELECT DISTINCT k FROM sides_items) s ON f.a = s.k GROUP BY 1');
SELECT check_join('SELECT s.x, count(*) FROM sides_fact f JOIN (SELECT DISTINCT ON (k) k, x FROM sides_items ORDER BY k, b) s ON f.a = s.k GROUP BY 1');
SELECT check_join('SELECT s.x, count(*) FROM sides_fact f JOIN (SELECT k, x FROM sides_items UNION SELECT k, k FROM sides_names) s ON f.a = s.k AND f.b = s.x GROUP BY 1');
SELECT check_join('SELECT count(*), sum(v) FROM sides_fact f JOIN (SELECT count(DISTINCT s) AS c FROM sides_items) s ON f.a = s.c');
SELECT check_join('SELECT count(*) FROM sides_fact f WHERE f.v > 100 AND f.a IN (SELECT k FROM sides_items GROUP BY k HAVING count(*) > 8)');
SELECT check_join('SELECT count(*) FROM sides_fact f WHERE NOT EXISTS (SELECT 1 FROM (SELECT k FROM sides_items OFFSET 5) s WHERE s.k = f.a)');
-- with LIMIT, windows, and of partitions
SELECT check_join('SELECT s.name, count(*) FROM sides_fact f JOIN (SELECT * FROM sides_names ORDER BY k DESC LIMIT 90) s ON f.a = s.k GROUP BY 1');
SELECT check_join('SELECT s.r, count(*) FROM sides_fact f JOIN (SELECT k, rank() OVER (ORDER BY name) AS r FROM sides_names) s ON f.a = s.k GROUP BY 1');
SELECT check_join('SELECT s.m, count(*) FROM sides_fact f JOIN (SELECT k, max(x) AS m FROM sides_parts GROUP BY k) s ON f.a = s.k GROUP BY 1');
SELECT check_join('SELECT s.m, count(*) FROM sides_fact f JOIN (SELECT k, max(x) AS m FROM sides_parts GROUP BY k) s ON f.a = s.k LEFT JOIN (SELECT k, min(x) AS l FROM sides_parts WHERE k < 300 GROUP BY k) r ON f.b = r.k WHERE r.l IS NULL OR r.l < s.m GROUP BY 1');
SELECT check_join('SELECT s.x, count(*) FROM sides_fact f JOIN (SELECT DISTINCT k, x FROM (SELECT k, 1 AS x FROM sides_names UNION ALL SELECT k, 2 FROM sides_parts) u) s ON f.a = s.k AND s.x = f.id % 3 GROUP BY 1');
SELECT check_join('SELECT s.src, count(*) FROM sides_fact f LEFT JOIN (SELECT k, 1 AS src FROM sides_names WHERE k < 100 UNION ALL SELECT k, 2 FROM sides_names WHERE k BETWEEN 100 AND 180) s ON f.a = s.k GROUP BY 1');
-- subqueries with joins, and in joins
SELECT check_join('SELECT s.name, s.c, count(*) FROM sides_fact f JOIN (SELECT i.k, max(name) AS name, count(*) AS c FROM sides_items i JOIN sides_names n USING (k) GROUP BY i.k) s ON f.a = s.k GROUP BY 1, 2');
SELECT check_join('SELECT n.name, count(*), sum(s.c) FROM sides_fact f JOIN (SELECT k, count(*) AS c FROM sides_items GROUP BY k) s ON f.a = s.k JOIN sides_names n ON n.k = s.c GROUP BY 1');
SELECT check_join('SELECT n.name, count(*), sum(s.c) FROM sides_fact f LEFT JOIN (sides_names n JOIN (SELECT k, count(*) AS c FROM sides_items GROUP BY k) s ON n.k = s.k) ON f.a = n.k GROUP BY 1');
-- a subquery's own engine
SET gpuagg.engine = cpu;
EXPLAIN (COSTS OFF) SELECT s.m, sum(n) FROM sides_fact f JOIN (SELECT k, max(x) AS m FROM sides_items GROUP BY k) s ON f.a = s.k GROUP BY 1;
RESET gpuagg.engine;

-- CTEs
SELECT check_join('WITH c AS MATERIALIZED (SELECT k, count(*) AS n FROM sides_items GROUP BY k) SELECT c.n, count(*) FROM sides_fact f JOIN c ON f.a = c.k GROUP BY 1');
SELECT check_join('WITH c AS MATERIALIZED (SELECT k, name FROM sides_names WHERE k > 20) SELECT c.name, count(*) FROM sides_fact f LEFT JOIN c ON f.a = c.k GROUP BY 1');
SELECT check_join('WITH c AS MATERIALIZED (SELECT k, max(b) AS m FROM sides_items GROUP BY k) SELECT x.m - y.m, count(*) FROM sides_fact f JOIN c x ON f.a = x.k JOIN c y ON f.id % 400 = y.k GROUP BY 1');
SELECT check_join('WITH c AS MATERIALIZED (SELECT k, max(b) AS m FROM sides_items GROUP BY k) SELECT (SELECT min(m) FROM c WHERE m > 3700), x.m % 3, count(*) FROM sides_fact f JOIN c x ON f.a = x.k GROUP BY 1, 2');
SELECT check_join('WITH RECURSIVE c(k) AS (SELECT 1 UNION SELECT k FROM sides_names WHERE k > 0 AND k IN (SELECT k FROM sides_names WHERE k = 3)) SELECT c.k, count(*) FROM sides_fact f JOIN c ON f.a = c.k GROUP BY 1');
SELECT check_join('WITH c AS MATERIALIZED (SELECT k, count(*) AS n FROM sides_items GROUP BY k) SELECT s.m, count(*) FROM sides_fact f JOIN (SELECT n, max(k) AS m FROM c GROUP BY n) s ON f.a = s.m GROUP BY 1');
-- VALUES and functions
SELECT check_join('SELECT s.name, count(*), sum(v) FROM sides_fact f JOIN (VALUES (1, ''one''), (2, ''two''), (700, ''none'')) s(k, name) ON f.a = s.k GROUP BY 1');
SELECT check_join('SELECT s.name, count(*), sum(v) FROM sides_fact f LEFT JOIN (VALUES (''key1'', ''one''), (''key2'', NULL)) s(k, name) ON f.t = s.k GROUP BY 1');
SELECT check_join('SELECT g % 10, count(*), sum(v) FROM sides_fact f JOIN generate_series(1, 450) g ON f.a = g GROUP BY 1');
SELECT check_join('SELECT g IS NULL, count(*), sum(g) FROM sides_fact f LEFT JOIN generate_series(1, 4500, 3) g ON f.id = g GROUP BY 1');
SELECT check_join('SELECT g.n, count(*) FROM sides_fact f JOIN unnest(''{5,3,8}''::int[]) WITH ORDINALITY g(k, n) ON f.a = g.k GROUP BY 1');
SELECT check_join('SELECT count(*) FROM sides_fact f WHERE f.a IN (SELECT unnest(''{5,3,8,5}''::int[]))');
-- foreign tables
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS file_fdw;
RESET client_min_messages;
CREATE SERVER sides_files FOREIGN DATA WRAPPER file_fdw;
CREATE FOREIGN TABLE sides_lines (k int, name text) SERVER sides_files OPTIONS (program 'for i in 1 2 3 4 5 6; do echo $i,n$((i % 3)); done', format 'csv');
SELECT check_join('SELECT f.d, count(*) FROM sides_fact f WHERE f.a IN (SELECT k FROM sides_lines WHERE name = ''n1'') GROUP BY 1');
SELECT check_join('SELECT s.name, count(*) FROM sides_fact f JOIN (SELECT k, max(name) AS name FROM sides_lines GROUP BY k) s ON f.a = s.k GROUP BY 1');

-- a key that is there twice
SELECT check_fallback('SELECT s.name, count(*) FROM sides_fact f JOIN (VALUES (1, ''one''), (1, ''two'')) s(k, name) ON f.a = s.k GROUP BY 1');
SELECT check_fallback('WITH c AS MATERIALIZED (SELECT k, x FROM sides_items LIMIT 452) SELECT c.x, count(*) FROM sides_fact f JOIN c ON f.a = c.k GROUP BY 1');

-- more than one execution, with parameters on either side
SELECT check_query('SELECT n, (SELECT sum(s.m) FROM sides_fact f JOIN (SELECT k, max(x) AS m FROM sides_items WHERE b > n * 100 GROUP BY k) s ON f.a = s.k) FROM generate_series(1, 4) n');
SELECT check_query('SELECT n, (WITH c AS MATERIALIZED (SELECT k, count(*) AS m FROM sides_items WHERE b > n * 100 GROUP BY k) SELECT sum(c.m) FROM sides_fact f JOIN c ON f.a = c.k) FROM generate_series(1, 4) n');
SELECT check_query('SELECT n, (SELECT count(*) FROM sides_fact f JOIN generate_series(n, n + 40) g ON f.a = g) FROM generate_series(1, 4) n');
SELECT check_query('SELECT n, (SELECT count(*) FROM sides_fact f JOIN (VALUES (n), (n * 2)) s(k) ON f.a = s.k WHERE f.id > n) FROM generate_series(1, 4) n');
PREPARE sides_parameters(int) AS SELECT s.m, count(*), sum(f.v) FROM sides_fact f JOIN (SELECT k, max(x) AS m FROM sides_items WHERE b > $1 GROUP BY k HAVING min(b) < $1 * 2) s ON f.a = s.k GROUP BY 1 ORDER BY 1;
SET plan_cache_mode = force_generic_plan;
EXECUTE sides_parameters(1000);
EXECUTE sides_parameters(3000);
RESET plan_cache_mode;

-- in workers
BEGIN;
SET LOCAL max_parallel_workers_per_gather = 2;
SET LOCAL parallel_setup_cost = 0;
SET LOCAL parallel_tuple_cost = 0;
SET LOCAL min_parallel_table_scan_size = 0;
SELECT check_join('SELECT s.m, count(*), sum(v) FROM sides_fact f JOIN (SELECT k, max(x) AS m FROM sides_items GROUP BY k) s ON f.a = s.k GROUP BY 1');
SELECT check_join('SELECT s.m, count(*) FROM sides_fact f JOIN (SELECT k, max(x) AS m FROM sides_parts GROUP BY k) s ON f.a = s.k GROUP BY 1');
SELECT check_join('WITH c AS MATERIALIZED (SELECT k, count(*) AS n FROM sides_items GROUP BY k) SELECT c.n, count(*) FROM sides_fact f JOIN c ON f.a = c.k GROUP BY 1');
COMMIT;

-- what a subquery computes raises an error
SELECT check_fallback('SELECT count(*) FROM sides_fact f LEFT JOIN (SELECT k, coalesce(1 / k, 0) AS m FROM sides_names) s ON f.a = s.k WHERE s.m IS NULL OR s.m = 0');
-- what is left to PostgreSQL
CREATE FUNCTION join_reason(query text) RETURNS text LANGUAGE sql AS $$SELECT string_agg(DISTINCT reason, '; ') FROM gpuagg_explain(query) WHERE reason LIKE '%join%'$$;
SELECT join_reason('SELECT sum(s.m) FROM sides_fact f JOIN (SELECT k, 1 / min(x) AS m FROM sides_items GROUP BY k) s ON f.a = s.k');
SELECT join_reason('SELECT count(*) FROM sides_fact f JOIN (SELECT k, max(x) AS m FROM sides_items WHERE 10 / b > 1 GROUP BY k) s ON f.a = s.k');
SELECT join_reason('SELECT count(*) FROM sides_fact f JOIN (SELECT k, max(x) AS m FROM sides_items GROUP BY k LIMIT -1) s ON f.a = s.k');
SELECT join_reason('SELECT count(*) FROM sides_fact f JOIN (SELECT k, x FROM sides_items OFFSET 0) s ON f.a = s.k');
SELECT join_reason('SELECT count(s.m) FROM sides_fact f JOIN (SELECT 1 AS k, max(p) AS m FROM sides_lsn) s ON f.a = s.k');
SELECT join_reason('SELECT count(*) FROM sides_fact f JOIN (SELECT k, max(x) AS m FROM sides_items WHERE b > (SELECT min(k) FROM sides_names) GROUP BY k) s ON f.a = s.k');
SELECT join_reason('SELECT count(*) FROM sides_fact f JOIN (SELECT k FROM sides_names FOR UPDATE) s ON f.a = s.k');
SELECT join_reason('SELECT count(*) FROM sides_fact f, LATERAL (SELECT k FROM sides_names WHERE k < f.id OFFSET 0) s WHERE f.a = s.k');
SELECT join_reason('SELECT count(*) FROM sides_fact f, generate_series(f.id, f.id + 1) g WHERE f.a = g');
SELECT join_reason('SELECT count(*) FROM sides_fact f JOIN generate_series(1, 10, 0) g ON f.a = g');
SELECT join_reason('SELECT count(*) FROM sides_fact f JOIN (VALUES (1), (10 / length(current_setting(''work_mem'')))) s(k) ON f.a = s.k');
SELECT join_reason('WITH c AS MATERIALIZED (SELECT k, 10 / max(x) AS n FROM sides_items GROUP BY k) SELECT count(*) FROM sides_fact f JOIN c ON f.a = c.k');

DROP TABLE sides_fact, sides_items, sides_names, sides_parts, sides_lsn;
DROP FOREIGN TABLE sides_lines;
DROP SERVER sides_files;
DROP FUNCTION join_reason;
