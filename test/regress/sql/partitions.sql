--
-- Partitioned tables and tables with children: their pages are read directly,
-- those of tables that lie otherwise are scanned and sent.
--

-- Where a query's rows come from, or another line of EXPLAIN.
CREATE FUNCTION source_of(query text, wanted text DEFAULT 'Source', options text DEFAULT '') RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	PERFORM let_engine_answer();
	FOR line IN EXECUTE format('EXPLAIN (%s COSTS OFF) %s', options, query) LOOP
		IF line LIKE '% ' || wanted || ': %' THEN
			RETURN trim(line);
		END IF;
	END LOOP;
	RETURN 'no such line';
END $$;

-- by range, with an empty partition, a default one, and rows at the bounds
CREATE TABLE by_range (id int, g int, v bigint, t text) PARTITION BY RANGE (id);
CREATE TABLE range_a PARTITION OF by_range FOR VALUES FROM (0) TO (1000);
CREATE TABLE range_b PARTITION OF by_range FOR VALUES FROM (1000) TO (2000);
CREATE TABLE range_empty PARTITION OF by_range FOR VALUES FROM (2000) TO (3000);
CREATE TABLE range_rest PARTITION OF by_range DEFAULT;
INSERT INTO by_range SELECT i, CASE WHEN i % 13 <> 0 THEN i % 10 END, i * 3, 't' || i % 7 FROM generate_series(-200, 1999) i;
INSERT INTO by_range SELECT i, i % 10, i * 3, NULL FROM generate_series(3000, 3400) i;
ANALYZE by_range;
SELECT q AS query, source_of('SELECT ' || q), check_query('SELECT ' || q)
FROM unnest(ARRAY[
	'g, count(*), sum(v) FROM by_range GROUP BY g',
	't, count(*), min(id), max(v) FROM by_range GROUP BY t',
	'count(*), sum(v), avg(id) FROM by_range',
	'g, t, count(*) FROM by_range WHERE v % 2 = 0 AND t <> ''t3'' GROUP BY g, t',
	'g + 1, sum(v) FILTER (WHERE id > 1500) FROM by_range GROUP BY 1 HAVING count(*) > 10',
	'DISTINCT t FROM by_range',
	'count(DISTINCT g) FROM by_range',
	'g, count(*) FROM by_range WHERE id BETWEEN 500 AND 1500 GROUP BY g',
	'g, count(*) FROM by_range WHERE id < 1000 AND id >= 0 GROUP BY g',
	'g, count(*) FROM by_range WHERE id BETWEEN 2100 AND 2200 GROUP BY g',
	'count(*) FROM by_range WHERE id IS NULL',
	'g, count(*) FROM by_range WHERE id = 7 AND id = 8 GROUP BY g',
	'g, count(*) FROM ONLY by_range GROUP BY g',
	'tableoid::regclass::text, count(*) FROM by_range GROUP BY 1',
	'x.g, count(*) FROM by_range x JOIN by_range y ON x.id = y.id + 1 GROUP BY x.g']) q;
SET enable_partition_pruning = off;
SELECT source_of('SELECT g, count(*) FROM by_range WHERE id BETWEEN 500 AND 1500 GROUP BY g'),
	check_query('SELECT g, count(*) FROM by_range WHERE id BETWEEN 500 AND 1500 GROUP BY g');
RESET enable_partition_pruning;

-- errors: in rows that pass PostgreSQL's own, in a late partition too
SELECT check_fallback('SELECT g, sum(1 / (id - 3399)) FROM by_range GROUP BY g');
SELECT check_query('SELECT g, sum(1 / (id - 3399)) FROM by_range WHERE id <> 3399 GROUP BY g');

-- by hash, by list, and nested
CREATE TABLE by_hash (k int, v int, f float8) PARTITION BY HASH (k);
CREATE TABLE hash_0 PARTITION OF by_hash FOR VALUES WITH (MODULUS 3, REMAINDER 0);
CREATE TABLE hash_1 PARTITION OF by_hash FOR VALUES WITH (MODULUS 3, REMAINDER 1);
CREATE TABLE hash_2 PARTITION OF by_hash FOR VALUES WITH (MODULUS 3, REMAINDER 2);
INSERT INTO by_hash SELECT i % 100, i, i % 8 / 4.0 FROM generate_series(1, 3000) i;
CREATE TABLE nested (region text, day date, v int) PARTITION BY LIST (region);
CREATE TABLE nested_n PARTITION OF nested FOR VALUES IN ('n', NULL);
CREATE TABLE nested_s PARTITION OF nested FOR VALUES IN ('s') PARTITION BY RANGE (day);
CREATE TABLE nested_s_1 PARTITION OF nested_s FOR VALUES FROM ('2020-01-01') TO ('2020-06-01');
CREATE TABLE nested_s_2 PARTITION OF nested_s FOR VALUES FROM ('2020-06-01') TO ('2021-01-01') PARTITION BY HASH (v);
CREATE TABLE nested_s_2_all PARTITION OF nested_s_2 FOR VALUES WITH (MODULUS 1, REMAINDER 0);
CREATE TABLE nested_rest PARTITION OF nested DEFAULT;
INSERT INTO nested SELECT (ARRAY['n', 's', 'x', NULL])[1 + i % 4], date '2020-01-01' + i % 366, i FROM generate_series(1, 4000) i;
ANALYZE by_hash, nested;
SELECT q AS query, source_of('SELECT ' || q), check_query('SELECT ' || q)
FROM unnest(ARRAY[
	'k, count(*), sum(v) FROM by_hash GROUP BY k',
	'f, count(*), sum(v) FROM by_hash GROUP BY f',
	'k, sum(v) FROM by_hash WHERE k = 7 GROUP BY k',
	'region, count(*), sum(v) FROM nested GROUP BY region',
	'day, count(*) FROM nested WHERE region = ''s'' GROUP BY day',
	'day, count(*) FROM nested WHERE region = ''s'' AND day >= ''2020-07-01'' GROUP BY day',
	'v % 7, count(*), min(day) FROM nested_s GROUP BY 1',
	'region, max(day) FROM nested WHERE region IS NULL OR v > 3000 GROUP BY region']) q;

-- partitions that lie otherwise: another order, columns that are gone, columns
-- that came later with a default of their own
CREATE TABLE odd (k int, region text, v bigint NOT NULL, n numeric(10, 2)) PARTITION BY LIST (k);
CREATE TABLE odd_like PARTITION OF odd FOR VALUES IN (0, 1, 2);
CREATE TABLE odd_order (v bigint NOT NULL, n numeric(10, 2), gone int, k int, region text);
INSERT INTO odd_order SELECT i, i / 4.0, 1, 3 + i % 2, 'order' || i % 5 FROM generate_series(1, 300) i;
ALTER TABLE odd_order DROP COLUMN gone;
ALTER TABLE odd ATTACH PARTITION odd_order FOR VALUES IN (3, 4);
CREATE TABLE odd_late (k int);
INSERT INTO odd_late SELECT 5 FROM generate_series(1, 50);
ALTER TABLE odd_late ADD COLUMN region text DEFAULT 'before', ADD COLUMN v bigint NOT NULL DEFAULT 77, ADD COLUMN n numeric(10, 2) DEFAULT 1.25;
INSERT INTO odd_late VALUES (5, repeat('long ', 1000), 5, 5);
ALTER TABLE odd ATTACH PARTITION odd_late FOR VALUES IN (5);
CREATE TABLE odd_same (k int, region text, v bigint NOT NULL, n numeric(10, 2), gone_behind int);
ALTER TABLE odd_same DROP COLUMN gone_behind;
ALTER TABLE odd ATTACH PARTITION odd_same FOR VALUES IN (6);
INSERT INTO odd SELECT i % 7, CASE WHEN i % 11 <> 0 THEN 'r' || i % 6 END, i, i / 8.0 FROM generate_series(1, 7000) i WHERE i % 7 <> 5;
ANALYZE odd;
SELECT q AS query, source_of('SELECT ' || q), check_query('SELECT ' || q)
FROM unnest(ARRAY[
	'k, count(*), sum(v) FROM odd GROUP BY k',
	'k, count(*) FROM odd GROUP BY k',
	'md5(r), c, s FROM (SELECT region AS r, count(*) AS c, sum(n) AS s FROM odd GROUP BY region) s',
	'count(*), sum(v), min(n) FROM odd',
	'count(*) FROM odd',
	'k, sum(v) FROM odd WHERE region LIKE ''r%'' OR region IS NULL GROUP BY k',
	'region, count(*) FROM odd WHERE k IN (3, 4) GROUP BY region',
	'v::float8 / 8, count(*) FROM odd GROUP BY 1']) q;
SELECT check_fallback('SELECT k, sum(1 / (v - 77)) FROM odd GROUP BY k');
SELECT source_of('SELECT region, count(*), sum(v) FROM odd GROUP BY 1', 'Scanned Rows', 'ANALYZE,'),
	source_of('SELECT region, count(*), sum(v) FROM odd GROUP BY 1', 'Rows Read', 'ANALYZE,'),
	source_of('SELECT region, count(*), sum(v) FROM odd GROUP BY 1', 'Heap Pages', 'ANALYZE,') IS NOT NULL AS pages;
-- long values in several tables
INSERT INTO odd SELECT i % 7, repeat(chr(97 + i % 3), 9000), i, i FROM generate_series(1, 210) i;
SELECT check_query('SELECT md5(r), c, s, n FROM (SELECT region AS r, count(*) AS c, sum(v) AS s, max(n) AS n FROM odd GROUP BY region) s'),
	source_of('SELECT region, count(*), sum(v) FROM odd GROUP BY 1', 'Detoasted Rows', 'ANALYZE,'),
	source_of('SELECT k, count(*), sum(v) FROM odd GROUP BY 1', 'Detoasted Rows', 'ANALYZE,');
-- all at once later
ALTER TABLE odd ADD COLUMN w int DEFAULT 9;
INSERT INTO odd VALUES (0, 'w', 1, 1, 2), (3, 'w', 1, 1, NULL);
SELECT check_query('SELECT w, k, count(*), sum(v) FROM odd GROUP BY w, k');
ALTER TABLE odd ALTER w SET DEFAULT 10;
ALTER TABLE odd DROP COLUMN n;
SELECT check_query('SELECT w, k, count(*), sum(v) FROM odd GROUP BY w, k');

-- children of plain tables: more columns, NULLs that the parent forbids
-- from 18 on they can have these only if the constraint is the parent's alone
SELECT current_setting('server_version_num')::int >= 180000 AS inherits \gset
\if :inherits
CREATE TABLE mother (k int NOT NULL NO INHERIT, v int);
\else
CREATE TABLE mother (k int NOT NULL, v int);
\endif
CREATE TABLE daughter (extra text) INHERITS (mother);
CREATE TABLE granddaughter (more int) INHERITS (daughter);
CREATE TABLE son (v int, k int NOT NULL);
ALTER TABLE son INHERIT mother;
INSERT INTO mother SELECT i % 3, i FROM generate_series(1, 100) i;
INSERT INTO daughter SELECT i % 4, i, 'x' FROM generate_series(1, 300) i;
INSERT INTO granddaughter SELECT i % 5, i, 'y', 1 FROM generate_series(1, 50) i;
INSERT INTO son SELECT i, i % 6 FROM generate_series(1, 70) i;
SELECT q AS query, source_of('SELECT ' || q), check_query('SELECT ' || q)
FROM unnest(ARRAY[
	'k, count(*), sum(v) FROM mother GROUP BY k',
	'k, count(*), sum(v) FROM ONLY mother GROUP BY k',
	'extra, count(*), sum(v) FROM daughter GROUP BY extra']) q;
ALTER TABLE daughter ALTER k DROP NOT NULL;
ALTER TABLE son ALTER k DROP NOT NULL;
INSERT INTO daughter VALUES (NULL, 1000, 'null');
INSERT INTO son VALUES (2000, NULL);
SELECT check_query('SELECT k, count(*), sum(v) FROM mother GROUP BY k');
SELECT k, count(*) FROM mother WHERE v >= 1000 GROUP BY k;
ALTER TABLE son ADD CHECK (v > 0);
SET constraint_exclusion = on;
SELECT source_of('SELECT k, count(*) FROM mother WHERE v < -5 GROUP BY k'), check_query('SELECT k, count(*) FROM mother WHERE v < -5 GROUP BY k');
RESET constraint_exclusion;

-- a temporary one; another access method
CREATE TEMP TABLE fleeting () INHERITS (mother);
INSERT INTO fleeting SELECT i % 3, -i FROM generate_series(1, 40) i;
SELECT k, count(*), sum(v) FROM mother GROUP BY k ORDER BY k;
DROP TABLE fleeting;
CREATE ACCESS METHOD heap_too TYPE TABLE HANDLER heap_tableam_handler;
CREATE TABLE odd_method PARTITION OF odd FOR VALUES IN (8, 9) USING heap_too;
INSERT INTO odd SELECT 8 + i % 2, 'method', i, i FROM generate_series(1, 500) i;
SELECT source_of('SELECT k, count(*), sum(v) FROM odd GROUP BY k'), check_query('SELECT k, count(*), sum(v) FROM odd GROUP BY k'),
	source_of('SELECT k, count(*), sum(v) FROM odd WHERE k = 8 GROUP BY k'), check_query('SELECT k, count(*), sum(v) FROM odd WHERE k = 8 GROUP BY k');
DROP TABLE odd_method;
DROP ACCESS METHOD heap_too;

-- prepared statements, while partitions come, change and go
PREPARE grouped AS SELECT g, count(*), sum(v) FROM by_range WHERE v > 0 GROUP BY g ORDER BY g LIMIT 2;
EXECUTE grouped;
CREATE TABLE newcomer (id int, g int, v bigint, t text);
INSERT INTO newcomer SELECT i, 0, i, 'new' FROM generate_series(5000, 5100) i;
ALTER TABLE by_range ATTACH PARTITION newcomer FOR VALUES FROM (5000) TO (6000);
EXECUTE grouped;
ALTER TABLE newcomer SET (fillfactor = 50);
EXECUTE grouped;
ALTER TABLE by_range DETACH PARTITION newcomer;
EXECUTE grouped;
DROP TABLE newcomer, range_empty;
EXECUTE grouped;
DEALLOCATE grouped;

-- parameters: what is known when a plan is made prunes, what is not does so later
PREPARE pruned (int, int) AS SELECT g, count(*) FROM by_range WHERE id >= $1 AND id < $2 GROUP BY g ORDER BY g LIMIT 3;
SET plan_cache_mode = force_custom_plan;
SELECT source_of('EXECUTE pruned (0, 1000)'), source_of('EXECUTE pruned (0, 1500)');
EXECUTE pruned (0, 1000);
SET plan_cache_mode = force_generic_plan;
SELECT source_of('EXECUTE pruned (0, 1000)');
EXECUTE pruned (0, 1000);
EXECUTE pruned (900, 1100);
PREPARE filtered (int) AS SELECT g, count(*) FROM by_range WHERE v > $1 GROUP BY g ORDER BY g LIMIT 3;
SELECT source_of('EXECUTE filtered (3000)');
EXECUTE filtered (3000);
EXECUTE filtered (9000);
RESET plan_cache_mode;
DEALLOCATE ALL;

-- rescans, cursors
SELECT check_query('SELECT x, s.* FROM generate_series(1, 3) x, LATERAL (SELECT g % x AS m, count(*), sum(v) FROM by_range GROUP BY 1) s');
SELECT check_query('SELECT x, s.* FROM generate_series(1, 3) x, LATERAL (SELECT k % x AS m, count(*), sum(v) FROM odd GROUP BY 1) s');
BEGIN;
DECLARE c CURSOR FOR SELECT region, count(*) FROM nested GROUP BY region ORDER BY 1;
FETCH 1 FROM c;
DELETE FROM nested WHERE region = 's';
FETCH ALL FROM c;
SELECT region, count(*) FROM nested GROUP BY region ORDER BY 1;
ROLLBACK;

-- partitionwise aggregation, parallel plans, index scans below
SET enable_partitionwise_aggregate = on;
SELECT check_query('SELECT id, count(*) FROM by_range GROUP BY id'), check_query('SELECT g, count(*) FROM by_range GROUP BY g');
RESET enable_partitionwise_aggregate;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT check_query('SELECT g, count(*), sum(v) FROM by_range GROUP BY g'), check_query('SELECT k, count(*), sum(v) FROM odd GROUP BY k');
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
CREATE INDEX ON by_range (id);
SET enable_seqscan = off;
SELECT check_query('SELECT g, count(*) FROM by_range WHERE id IN (3, 1003, 3003) GROUP BY g');
RESET enable_seqscan;

-- serializable transactions need predicate locks
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT source_of('SELECT g, count(*) FROM by_range GROUP BY g');
COMMIT;

-- who may read the parent may read its partitions, by row security only some rows
CREATE ROLE partition_reader;
GRANT SELECT ON by_range TO partition_reader;
SET ROLE partition_reader;
SELECT source_of('SELECT g, count(*) FROM by_range GROUP BY g');
SELECT count(*), sum(v) FROM by_range;
SELECT count(*) FROM range_a;
RESET ROLE;
ALTER TABLE by_range ENABLE ROW LEVEL SECURITY;
CREATE POLICY some_rows ON by_range USING (g = 3);
SET ROLE partition_reader;
SELECT g, count(*) FROM by_range GROUP BY g;
RESET ROLE;
DROP POLICY some_rows ON by_range;
REVOKE ALL ON by_range FROM partition_reader;
DROP ROLE partition_reader;

-- the scans and rows count for each table
SELECT pg_stat_force_next_flush();
SELECT sum(seq_scan) AS scans, sum(seq_tup_read) AS rows FROM pg_stat_user_tables WHERE relname LIKE 'odd%' \gset
BEGIN;
SELECT let_engine_answer() \gset
SELECT count(*), sum(v) FROM odd;
COMMIT;
SELECT pg_stat_force_next_flush();
SELECT sum(seq_scan) - :scans AS scans, sum(seq_tup_read) - :rows AS rows FROM pg_stat_user_tables WHERE relname LIKE 'odd%';

DROP TABLE by_range, by_hash, nested, odd, mother, daughter, granddaughter, son;
DROP FUNCTION source_of;
