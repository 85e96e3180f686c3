--
-- Rows from elsewhere than one plain table: joins, subqueries, functions,
-- partitions, foreign tables and the rest.
--
CREATE TABLE names (k int PRIMARY KEY, name text);
INSERT INTO names SELECT i, 'name ' || i / 2 FROM generate_series(-100, 100, 3) i;

SELECT q AS source, check_query('SELECT ' || q)
FROM unnest(ARRAY[
	'name, count(*), sum(i4) FROM facts JOIN names ON i2 = names.k GROUP BY name',
	'name, b, count(*), avg(f8) FROM facts LEFT JOIN names ON i2 = names.k GROUP BY name, b',
	'i2 + names.k, count(*) FROM facts FULL JOIN names ON i2 = names.k GROUP BY 1',
	'count(*), sum(x.i4 + y.i4) FROM facts x, facts y WHERE x.id = y.id + 1',
	'b, count(*) FROM facts WHERE EXISTS (SELECT 1 FROM names WHERE names.k = i2) GROUP BY b',
	'b, count(*) FROM facts WHERE i2 NOT IN (SELECT k FROM names) GROUP BY b',
	'h, count(*) FROM (SELECT i4 / 100 AS h FROM facts ORDER BY id LIMIT 5000) s GROUP BY h',
	'h, count(*) FROM (SELECT DISTINCT i4 / 10 AS h, b FROM facts) s GROUP BY h',
	'up, count(*) FROM (SELECT upper(t) AS up FROM facts OFFSET 0) s GROUP BY up',
	'r, count(*) FROM (SELECT row_number() OVER (ORDER BY id) % 7 AS r FROM facts) s GROUP BY r',
	'i2, sum(c) FROM (SELECT i2, i4, count(*) AS c FROM facts GROUP BY i2, i4) s GROUP BY i2',
	'x, count(*) FROM (SELECT i2 AS x FROM facts UNION ALL SELECT i4 FROM facts) s GROUP BY x',
	'x, count(*) FROM (SELECT i2 AS x FROM facts UNION SELECT i4 FROM facts) s GROUP BY x',
	'v % 2, count(*), sum(v) FROM (VALUES (1), (2), (3), (NULL)) x (v) GROUP BY 1',
	'g % 5, count(*), sum(g) FROM generate_series(1, 10000) g GROUP BY 1',
	'g, count(*) FROM generate_series(timestamp ''2001-01-01'', ''2001-01-02'', ''1 hour'') g GROUP BY 1',
	'e, count(*) FROM unnest(''{a,b,NULL,a}''::text[]) e GROUP BY e',
	'b, count(*) FROM facts TABLESAMPLE BERNOULLI (50) REPEATABLE (1) GROUP BY b',
	'b, count(*) FROM facts WHERE ctid >= ''(2,0)'' GROUP BY b',
	'relkind, count(*) FROM pg_class WHERE oid < 16384 GROUP BY relkind',
	'count(*), sum(1) FROM (SELECT) s',
	'count(*)',
	'sum(3), max(4.5::float8) WHERE false']) q;

-- index scans find fewer rows at less cost; the same rows all the same
CREATE TABLE indexed AS TABLE facts;
CREATE INDEX ON indexed (id);
ANALYZE indexed;
SET enable_seqscan = off;
SELECT check_query('SELECT b, count(*), sum(i4) FROM indexed WHERE id BETWEEN 100 AND 200 GROUP BY b');
SELECT check_query('SELECT b, count(*) FROM indexed GROUP BY b');
RESET enable_seqscan;

-- partitions, one of them with its columns in another order, one empty
CREATE TABLE parts (k int, region text, v bigint) PARTITION BY LIST (region);
CREATE TABLE part_n PARTITION OF parts FOR VALUES IN ('n');
CREATE TABLE part_s (v bigint, dropped int, region text, k int);
ALTER TABLE part_s DROP COLUMN dropped;
ALTER TABLE parts ATTACH PARTITION part_s FOR VALUES IN ('s');
CREATE TABLE part_rest PARTITION OF parts DEFAULT;
INSERT INTO parts SELECT i % 50, (ARRAY['n', 's'])[1 + i % 2], i FROM generate_series(1, 3000) i;
ANALYZE parts;
SELECT check_query('SELECT region, count(*), sum(v) FROM parts GROUP BY region');
SELECT check_query('SELECT k, count(*), max(v) FROM parts GROUP BY k');
SELECT check_query('SELECT k, sum(v) FROM parts WHERE region = ''s'' GROUP BY k');
SELECT check_query('SELECT k, sum(v) FROM part_s GROUP BY k');
SET enable_partitionwise_aggregate = on;
SELECT check_query('SELECT region, count(*), sum(v) FROM parts GROUP BY region');
SELECT check_query('SELECT k, count(*), avg(v) FROM parts GROUP BY k');
SELECT check_query('SELECT count(*), min(k) FROM parts WHERE v > 100');
RESET enable_partitionwise_aggregate;

-- inheritance: the parent with and without its children
CREATE TABLE parent (k int, v int);
CREATE TABLE child (extra text) INHERITS (parent);
INSERT INTO parent SELECT i % 3, i FROM generate_series(1, 100) i;
INSERT INTO child SELECT i % 3, i, 'x' FROM generate_series(1, 50) i;
SELECT check_query('SELECT k, count(*), sum(v) FROM parent GROUP BY k');
SELECT check_query('SELECT k, count(*), sum(v) FROM ONLY parent GROUP BY k');
SELECT check_query('SELECT extra, count(*) FROM child GROUP BY extra');

-- a foreign table
CREATE EXTENSION file_fdw;
CREATE SERVER files FOREIGN DATA WRAPPER file_fdw;
CREATE FOREIGN TABLE lines (g int, v bigint, name text)
SERVER files OPTIONS (program 'for i in 1 2 3 4 5 6; do echo $((i % 2)),$i,n$((i % 3)); done', format 'csv');
SELECT check_query('SELECT g, count(*), sum(v) FROM lines GROUP BY g');
SELECT check_query('SELECT name, min(v) FROM lines WHERE v > 2 GROUP BY name');
-- as a partition
CREATE TABLE partly_foreign (g int, v bigint, name text) PARTITION BY LIST (g);
CREATE TABLE partly_here PARTITION OF partly_foreign FOR VALUES IN (5, 6);
INSERT INTO partly_foreign SELECT 5 + i % 2, i, 'n' || i % 3 FROM generate_series(1, 100) i;
ALTER TABLE partly_foreign ATTACH PARTITION lines FOR VALUES IN (0, 1);
SELECT check_query('SELECT g, count(*), sum(v) FROM partly_foreign GROUP BY g');
SELECT check_query('SELECT g, count(*), sum(v) FROM partly_foreign WHERE g > 1 GROUP BY g');

-- a foreign server that PostgreSQL has group; nothing connects to it
CREATE EXTENSION postgres_fdw;
CREATE SERVER nowhere FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '/nowhere');
CREATE USER MAPPING FOR CURRENT_USER SERVER nowhere;
CREATE TABLE elsewhere (g int, v bigint) PARTITION BY LIST (g);
CREATE FOREIGN TABLE elsewhere_1 PARTITION OF elsewhere FOR VALUES IN (1, 2) SERVER nowhere;
CREATE FOREIGN TABLE elsewhere_2 PARTITION OF elsewhere FOR VALUES IN (3, 4) SERVER nowhere;
SELECT taken, reason FROM gpuagg_explain('SELECT g, sum(v) FROM elsewhere_1 GROUP BY g');
SELECT step, taken, reason FROM gpuagg_explain('SELECT DISTINCT count(*) FROM elsewhere_1 GROUP BY g') ORDER BY step;
SELECT taken, reason FROM gpuagg_explain('SELECT g, sum(v) FROM elsewhere_1 GROUP BY ROLLUP (g)');
SET enable_partitionwise_aggregate = on;
SELECT taken, reason FROM gpuagg_explain('SELECT g, sum(v) FROM elsewhere GROUP BY g');
RESET enable_partitionwise_aggregate;
SELECT taken, reason FROM gpuagg_explain('SELECT g, sum(v) FROM elsewhere GROUP BY g');
SET client_min_messages = warning;
DROP EXTENSION postgres_fdw CASCADE;
RESET client_min_messages;

-- parallel plans below, or instead
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT check_query('SELECT i2, count(*), sum(i4) FROM facts GROUP BY i2');
SELECT check_query('SELECT name, count(*) FROM facts JOIN names ON i2 = names.k GROUP BY name');
SELECT check_query('SELECT h, count(*) FROM (SELECT i4 / 100 AS h FROM facts OFFSET 0) s GROUP BY h');
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
