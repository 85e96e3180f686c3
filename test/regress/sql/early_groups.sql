--
-- Queries that PostgreSQL 19 and later plans with partial aggregates below joins
-- (enable_eager_aggregate).  Of all versions the answers and GpuAgg's places are the same.
--
CREATE TABLE early_fact (id int NOT NULL, d int, e int, v int, w numeric(10, 2), x float8, t text, l pg_lsn);
INSERT INTO early_fact SELECT i, i % 100, i % 37, nullif(i % 1000, 7), i % 500 / 4.0, i / 4.0, 't' || i % 20, ('0/' || i % 90)::pg_lsn FROM generate_series(1, 20000) i;
CREATE TABLE early_dim (k int PRIMARY KEY, g int, n text, z int);
INSERT INTO early_dim SELECT i, i % 7, 'n' || i % 4, i % 3 FROM generate_series(0, 89) i;
CREATE TABLE early_many (k int, g int);
INSERT INTO early_many SELECT i % 60, i % 5 FROM generate_series(1, 300) i;
CREATE TABLE early_parts (id int NOT NULL, d int, v int, t text) PARTITION BY RANGE (d);
CREATE TABLE early_parts_1 PARTITION OF early_parts FOR VALUES FROM (0) TO (50);
CREATE TABLE early_parts_2 (t text, v int, d int, id int NOT NULL);
ALTER TABLE early_parts ATTACH PARTITION early_parts_2 FOR VALUES FROM (50) TO (100);
INSERT INTO early_parts SELECT i, i % 100, i % 1000, 't' || i % 20 FROM generate_series(1, 20000) i;
CREATE TABLE early_dims (k int PRIMARY KEY, g int) PARTITION BY RANGE (k);
CREATE TABLE early_dims_1 PARTITION OF early_dims FOR VALUES FROM (0) TO (50);
CREATE TABLE early_dims_2 PARTITION OF early_dims FOR VALUES FROM (50) TO (100);
INSERT INTO early_dims SELECT i, i % 7 FROM generate_series(0, 99) i;
VACUUM ANALYZE early_fact, early_dim, early_many, early_parts, early_dims;

CREATE FUNCTION plan_in(query text, mode text) RETURNS jsonb LANGUAGE plpgsql SET gpuagg.mode = off AS $$
DECLARE
	plan jsonb;
BEGIN
	PERFORM set_config('gpuagg.mode', mode, true);
	EXECUTE 'EXPLAIN (FORMAT JSON, COSTS OFF) ' || query INTO plan;
	RETURN plan;
END $$;

-- Has the plan partial aggregates below a join, where PostgreSQL makes such plans?
CREATE FUNCTION is_early(query text, mode text) RETURNS bool LANGUAGE sql AS $$
SELECT current_setting('server_version_num')::int < 190000 OR
	jsonb_path_exists(plan_in(query, mode), 'strict $.** ? (@."Node Type" like_regex "Join|Loop").** ? (@."Partial Mode" == "Partial")')
$$;

-- Has the plan a GpuAgg node?
CREATE FUNCTION has_gpuagg(query text, mode text) RETURNS bool LANGUAGE sql AS $$
SELECT jsonb_path_exists(plan_in(query, mode), 'strict $.** ? (@."Custom Plan Provider" == "GpuAgg")')
$$;

-- The rows in a mode, compared with those in mode off.
CREATE FUNCTION check_rows(query text, mode text) RETURNS text LANGUAGE sql AS $$
SELECT store_rows('native', query, 'off', 'on'), store_rows('ours', query, mode, no_fallback());
SELECT compare_rows();
$$;

-- In each mode; is the engine's plan taken in mode auto, unless PostgreSQL's is sure to be faster?
CREATE FUNCTION check_early(query text, wins bool, OUT native bool, OUT forced text, OUT auto text, OUT placed bool) LANGUAGE sql AS $$
SELECT is_early(query, 'off'), check_join(query), check_rows(query, 'auto'),
	has_gpuagg(query, 'auto') = NOT (wins AND current_setting('server_version_num')::int >= 190000)
$$;

SET gpuagg.engine = cpu;
SET max_parallel_workers_per_gather = 0;
-- wins: joined before it is aggregated, the table has so many rows that PostgreSQL's plan is faster from 19 on
CREATE TABLE early_queries (q text, wins bool DEFAULT false);
INSERT INTO early_queries (q) VALUES
	-- a look-up
	('SELECT d.g, count(*), sum(f.v), avg(f.w), min(f.x), max(f.t) FROM early_fact f JOIN early_dim d ON f.d = d.k GROUP BY d.g'),
	('SELECT d.g, sum(f.v) FILTER (WHERE f.e > 4), count(f.v), stddev(f.w) FROM early_fact f JOIN early_dim d ON f.d = d.k GROUP BY 1 HAVING sum(f.v) > 10 AND count(*) > 2500'),
	('SELECT d.g, sum(f.v), count(*) FROM early_fact f LEFT JOIN early_dim d ON f.d = d.k GROUP BY 1'),
	('SELECT d.n, sum(f.v), bool_and(f.e > 0) FROM early_fact f JOIN early_dim d ON f.d = d.k WHERE f.e < 30 GROUP BY d.n ORDER BY 2 DESC LIMIT 3'),
	('SELECT s.n, count(*) FROM (SELECT d.g, sum(f.v) AS n FROM early_fact f JOIN early_dim d ON f.d = d.k GROUP BY 1) s GROUP BY 1'),
	('SELECT DISTINCT sum(f.v) > 20 FROM early_fact f JOIN early_dim d ON f.d = d.k GROUP BY d.g'),
	('SELECT sum(f.v) * (SELECT max(e) FROM early_fact), d.g FROM early_fact f JOIN early_dim d ON f.d = d.k GROUP BY d.g'),
	('SELECT d.g, sum(f.v), rank() OVER (ORDER BY sum(f.v)) FROM early_fact f JOIN early_dim d ON f.d = d.k GROUP BY d.g'),
	-- partitions
	('SELECT d.g, sum(f.v), max(f.t) FROM early_parts f JOIN early_dim d ON f.d = d.k GROUP BY 1'),
	('SELECT d.g, sum(f.v), count(*) FROM early_parts f JOIN early_dims d ON f.d = d.k GROUP BY 1 HAVING count(*) FILTER (WHERE f.v > 5) > 10'),
	('SELECT d.k, sum(f.v) FROM early_parts f LEFT JOIN early_dims d ON f.d = d.k GROUP BY 1');
-- several rows for a key
INSERT INTO early_queries (q, wins) VALUES
	('SELECT m.g, count(*), sum(f.v), avg(f.w) FROM early_fact f JOIN early_many m ON f.d = m.k GROUP BY m.g', true),
	('SELECT m.g, count(*), sum(f.v) FILTER (WHERE f.t < ''t5'') FROM early_fact f JOIN early_many m ON f.d = m.k AND f.e > 3 GROUP BY m.g HAVING avg(f.v) > 400', true),
	('SELECT d.n, m.g, sum(f.v) FROM early_fact f JOIN early_many m ON f.d = m.k JOIN early_dim d ON f.d = d.k GROUP BY 1, 2', true),
	('SELECT m.g, sum(f.v), count(f.id) FROM early_fact f LEFT JOIN early_many m ON f.d = m.k GROUP BY 1', true),
	('SELECT m.g, sum(f.v) FROM early_parts f JOIN early_many m ON f.d = m.k GROUP BY 1', true);
-- groups of an engine below
INSERT INTO early_queries (q) VALUES
	('SELECT s.m, sum(f.v) FROM early_fact f JOIN (SELECT d, max(v) AS m FROM early_parts GROUP BY d) s ON f.d = s.d GROUP BY 1'),
	('SELECT m.g, sum(s.n) FROM (SELECT d, e, count(*) AS n FROM early_fact GROUP BY d, e) s JOIN early_many m ON s.d = m.k GROUP BY 1');
SELECT q, c.* FROM early_queries, check_early(q, wins) c;

-- partitions that are joined and grouped one by one
SET enable_partitionwise_join = on;
SET enable_partitionwise_aggregate = on;
SELECT q, c.* FROM early_queries, check_early(q, wins) c WHERE q LIKE '%parts%';
RESET enable_partitionwise_join;
RESET enable_partitionwise_aggregate;

-- beside workers
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT q, check_join(q), check_rows(q, 'auto') FROM early_queries;
RESET min_parallel_table_scan_size;
RESET parallel_tuple_cost;
RESET parallel_setup_cost;
SET max_parallel_workers_per_gather = 0;

-- an aggregate that no engine has stays with PostgreSQL, as it plans it; with groups of an engine below
SELECT q, is_early(q, 'force'), has_gpuagg(q, 'force'), check_rows(q, 'force') FROM (VALUES
	('SELECT d.g, max(f.l) FROM early_fact f JOIN early_dim d ON f.d = d.k GROUP BY d.g'),
	('SELECT d.g, max(f.l), count(*) FROM early_fact f JOIN early_many d ON f.d = d.k GROUP BY d.g HAVING count(*) > 10'),
	('SELECT s.m, max(f.l) FROM early_fact f JOIN (SELECT d, max(v) % 5 AS m FROM early_parts GROUP BY d) s ON f.d = s.d GROUP BY 1')) v (q);

-- generic plans, for each of other rows, and in a cursor
PREPARE early(int, int) AS SELECT d.g, count(*), sum(f.v) FROM early_fact f JOIN early_dim d ON f.d = d.k WHERE f.e > $1 GROUP BY d.g HAVING sum(f.v) > $2 ORDER BY 1 LIMIT 2;
PREPARE early_many(int) AS SELECT m.g, count(*), sum(f.v) FROM early_fact f JOIN early_many m ON f.d = m.k WHERE f.e > $1 GROUP BY m.g ORDER BY 1 LIMIT 2;
SET plan_cache_mode = force_generic_plan;
SET gpuagg.mode = off;
EXECUTE early(20, 100);
EXECUTE early_many(30);
SET gpuagg.mode = force;
EXECUTE early(20, 100);
EXECUTE early(30, 1000000);
EXECUTE early_many(30);
SET gpuagg.mode = auto;
EXECUTE early(20, 100);
EXECUTE early_many(30);
RESET plan_cache_mode;
DEALLOCATE early;
DEALLOCATE early_many;
SET gpuagg.mode = force;
SELECT q, is_early(q, 'off'), check_join(q), check_rows(q, 'auto') FROM (VALUES
	('SELECT x, s.* FROM generate_series(1, 3) x, LATERAL (SELECT d.g, sum(f.v), count(*) FROM early_fact f JOIN early_dim d ON f.d = d.k WHERE f.e > x * 2 GROUP BY d.g) s'),
	('SELECT x, s.* FROM generate_series(1, 3) x, LATERAL (SELECT m.g, sum(f.v), count(*) FROM early_fact f JOIN early_many m ON f.d = m.k WHERE f.e > x * 2 GROUP BY m.g) s')) v (q);
BEGIN;
DECLARE early CURSOR FOR SELECT m.g, count(*), sum(f.v) FROM early_fact f JOIN early_many m ON f.d = m.k GROUP BY m.g ORDER BY 1;
FETCH 2 FROM early;
DELETE FROM early_many WHERE g = 3;
FETCH ALL FROM early;
ROLLBACK;

RESET max_parallel_workers_per_gather;
RESET gpuagg.engine;
DROP FUNCTION check_early, check_rows, has_gpuagg, is_early, plan_in;
DROP TABLE early_queries, early_fact, early_dim, early_many, early_parts, early_dims;
