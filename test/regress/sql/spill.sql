--
-- Groups beyond work_mem: the CPU engine writes them to a temporary file.
--
SET gpuagg.engine = cpu;
SET work_mem = '64kB';

CREATE TABLE spilled AS
SELECT i AS id, i * 7919 % 20011 AS k, i % 7 AS v, (i % 15013) / 100.0::numeric(8, 2) AS n,
	CASE WHEN i % 11 > 0 THEN (i % 12007) * 0.25::float8 END AS f, (i % 5003)::float4 AS r,
	CASE WHEN i % 13 > 0 THEN 'name ' || i % 9001 || repeat('x', i % 9001 % 50) END AS t,
	(i % 3001)::text::varchar(9) AS c, make_interval(days => i % 99) AS y, i::numeric(30, 10) * 1e9 AS w
FROM generate_series(1, 40000) i;
ALTER TABLE spilled ALTER n TYPE numeric(8, 2), ALTER w TYPE numeric(30, 10);
ANALYZE spilled;

-- Do the groups of the query's first aggregation leave the tables of the engine, or those whose
-- lines begin so, into a file?  small: kB of memory.
CREATE FUNCTION spills(query text, whose text DEFAULT '', small int DEFAULT 4096) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	plan jsonb;
BEGIN
	PERFORM let_engine_answer();
	EXECUTE 'EXPLAIN (ANALYZE, FORMAT JSON) ' || query INTO plan;
	plan := jsonb_path_query_first(plan, '$.**?(@."Custom Plan Provider" == "GpuAgg")');
	RETURN format('%s batches, %s of disk, memory %s',
				  CASE WHEN (plan ->> (whose || 'Batches'))::int > 1 THEN 'many' ELSE plan ->> (whose || 'Batches') END,
				  CASE WHEN (plan ->> (whose || 'Disk Usage'))::int > 0 THEN 'some' ELSE plan ->> (whose || 'Disk Usage') END,
				  CASE WHEN (plan ->> (whose || 'Peak Memory Usage'))::int < small THEN 'small' ELSE plan ->> (whose || 'Peak Memory Usage') END);
END $$;
SELECT spills('SELECT k, count(*), sum(v) FROM spilled GROUP BY k');
SELECT spills('SELECT v, count(*), sum(k) FROM spilled GROUP BY v');
SELECT spills('SELECT count(*), sum(k) FROM spilled');

-- the fallback, which does not run, takes little memory
BEGIN;
SET LOCAL work_mem = '64MB';
SET LOCAL gpuagg.mode = force;
DECLARE many CURSOR FOR SELECT id, count(*) FROM spilled GROUP BY id;
SELECT is_taken('SELECT id, count(*) FROM spilled GROUP BY id') AS taken, coalesce(sum(total_bytes), 0) < 1000000 AS little
FROM pg_backend_memory_contexts WHERE name LIKE 'HashAgg%';
COMMIT;

-- keys and aggregates of all kinds
SELECT check_query('SELECT k, count(*), sum(v) FROM spilled GROUP BY k');
SELECT check_query('SELECT k, sum(id::int8), avg(id::int8), min(id), max(k), sum(n), avg(n), min(w), max(w) FROM spilled GROUP BY k');
SELECT check_query('SELECT k, sum(f), avg(r), min(f), max(r), variance(f), stddev(n), corr(f, r) FROM spilled GROUP BY k');
SELECT check_query('SELECT k, min(t), max(t), min(c), max(c), min(y), max(y) FROM spilled GROUP BY k');
SELECT check_query('SELECT t, count(*), max(t), min(c) FROM spilled GROUP BY t');
SELECT check_query('SELECT n, count(*), bool_and(v > 1), bit_or(v), bit_xor(k) FROM spilled GROUP BY n');
SELECT check_query('SELECT f, count(*), sum(f) FROM spilled GROUP BY f');
SELECT check_query('SELECT t, f, n, v, count(*), count(f), sum(k) FILTER (WHERE v > 2) FROM spilled GROUP BY t, f, n, v');
SELECT check_query('SELECT t, k % 10 FROM spilled GROUP BY t, k % 10 HAVING count(*) > 1');
SELECT check_query('SELECT DISTINCT t, c FROM spilled');
SELECT check_query('SELECT k, count(*) FROM (SELECT k, v FROM spilled OFFSET 0) s GROUP BY k');

-- a float sum that needs more words late; the first of 0 and -0
SELECT check_query('SELECT k, sum(CASE WHEN id = 39990 THEN 1e250 ELSE f END) FROM spilled GROUP BY k');
SELECT check_query('SELECT CASE WHEN k > 5 THEN k ELSE f * 0 * (id % 3 - 1) END::text, count(*) FROM spilled GROUP BY CASE WHEN k > 5 THEN k ELSE f * 0 * (id % 3 - 1) END');

-- grouping sets and DISTINCT over groups that have left the table
SELECT check_query('SELECT k, v, count(*), sum(id) FROM spilled GROUP BY GROUPING SETS ((k, v), (v), ())');
-- the 0 or -0 of a set's first row is not known of groups in files
SELECT check_fallback('SELECT z, k, count(*) FROM (SELECT k, CASE WHEN id % 3 = 0 THEN -0.0::float8 ELSE 0 END AS z FROM spilled) s GROUP BY GROUPING SETS ((z, k), (z))');
-- the only 0 comes second, and first out of the file
SELECT check_fallback('SELECT z, id, count(*) FROM (SELECT id, CASE WHEN id = 2 THEN 0 ELSE -0.0::float8 END AS z FROM spilled) s GROUP BY GROUPING SETS ((z, id), (z))');
SELECT check_query('SELECT t, v, min(t), max(c) FROM spilled GROUP BY ROLLUP (t, v)');
SELECT check_query('SELECT v, count(DISTINCT k), count(DISTINCT t), sum(DISTINCT id) FROM spilled GROUP BY v');
SELECT check_query('SELECT v, count(DISTINCT k), min(t), max(t) FROM spilled GROUP BY v');

-- rescans, and some of the groups only
SELECT check_query('SELECT a.i, s.* FROM generate_series(0, 6, 2) a (i), LATERAL (SELECT count(*), sum(c), max(t) FROM (SELECT k, count(*) AS c, max(t) AS t FROM spilled WHERE v >= a.i GROUP BY k OFFSET 0) g) s');
SELECT check_query('SELECT count(*) FROM (SELECT k, count(*) FROM spilled GROUP BY k LIMIT 10) s');
SELECT check_query('SELECT i, (SELECT count(*) FROM (SELECT k, count(*) FROM spilled GROUP BY k LIMIT 9 + i) s) FROM generate_series(1, 3) i');
CREATE FUNCTION fetch_groups() RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	groups CURSOR FOR SELECT k, sum(id) AS ids FROM spilled GROUP BY k;
	one record;
	ids bigint := 0;
BEGIN
	OPEN groups;
	FOR i IN 1 .. 20011 LOOP
		BEGIN
			FETCH groups INTO one;
			ids := ids + one.ids;
			IF i % 5000 = 1 THEN
				PERFORM 1 / (i % 5000 - 1);
			END IF;
		EXCEPTION WHEN division_by_zero THEN
			NULL;
		END;
	END LOOP;
	FETCH groups INTO one;
	RETURN CASE WHEN NOT FOUND THEN ids END;
END $$;
SELECT fetch_groups() = sum(id) FROM spilled;
BEGIN;
DECLARE held CURSOR WITH HOLD FOR SELECT k, count(*) FROM spilled GROUP BY k ORDER BY k;
FETCH 2 FROM held;
COMMIT;
FETCH 2 FROM held;
CLOSE held;

-- errors, and PostgreSQL's own plan, after groups have left the table
SELECT check_fallback('SELECT k, sum(10 / (id - 39999)) FROM spilled GROUP BY k');
SELECT check_fallback('SELECT k, min(CASE WHEN id > 39000 THEN -0.0::float8 WHEN id > 38000 THEN 0 ELSE f + 1 END) FROM spilled GROUP BY k');
SELECT check_fallback('SELECT k, justify_days(max(CASE WHEN id = 17 THEN interval ''9 months'' WHEN id = 17 + 20011 THEN interval ''270 days'' ELSE y END)), count(*) FROM spilled GROUP BY k % 5, k');

-- PostgreSQL's limit of temporary files; more of it in temp_files
SET temp_file_limit = '100kB';
BEGIN;
SELECT let_engine_answer();
SELECT left(outcome('SELECT k, count(*) FROM spilled GROUP BY k', 'force', 'off'), 5);
COMMIT;
RESET temp_file_limit;
SELECT outcome('SELECT k, count(*) FROM spilled GROUP BY k', 'force', no_fallback());

-- and its counts
SELECT pg_stat_force_next_flush();
SELECT temp_files AS files, temp_bytes AS bytes FROM pg_stat_database WHERE datname = current_database() \gset
BEGIN;
SELECT let_engine_answer();
SELECT count(*), sum(c) FROM (SELECT k, count(*) AS c FROM spilled GROUP BY k) s;
COMMIT;
SELECT pg_stat_force_next_flush();
SELECT temp_files - :files AS files, temp_bytes - :bytes > 20011 * 16 AS bytes FROM pg_stat_database WHERE datname = current_database();

-- none for groups that fit
SELECT temp_files AS files FROM pg_stat_database WHERE datname = current_database() \gset
BEGIN;
SELECT let_engine_answer();
SELECT count(*), sum(c) FROM (SELECT v, id % 100, count(*) AS c FROM spilled GROUP BY v, id % 100) s;
COMMIT;
SELECT pg_stat_force_next_flush();
SELECT temp_files - :files AS files FROM pg_stat_database WHERE datname = current_database();

-- the setting goes before work_mem; work_mem does not count for what it allows
SET gpuagg.memory_limit = '64MB';
SELECT spills('SELECT k, count(*), sum(v) FROM spilled GROUP BY k');
RESET gpuagg.memory_limit;
SET work_mem = '32MB';
SELECT spills('SELECT k, count(*), sum(v) FROM spilled GROUP BY k');

-- costs know of it
CREATE FUNCTION total_cost(query text, memory text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	PERFORM set_config('work_mem', memory, true);
	EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
	RETURN (plan #>> '{0,Plan,Total Cost}')::float8;
END $$;
SELECT total_cost(query, '64kB') > total_cost(query, '64MB') + 150 AS spills, total_cost(query, '16MB') = total_cost(query, '64MB') AS fits
FROM (VALUES ('SELECT k, count(*) FROM spilled GROUP BY k'), ('SELECT v, count(*) FROM spilled GROUP BY v')) q (query);

-- those of regrouping know of it, too
SELECT total_cost(query, '4MB') > total_cost(query, '64MB') + 150 AS spills, total_cost(query, '32MB') = total_cost(query, '64MB') AS fits
FROM (VALUES ('SELECT k, v, c, count(*) FROM spilled GROUP BY CUBE (k, v, c)'), ('SELECT v, id % 3, count(*) FROM spilled GROUP BY CUBE (v, id % 3)')) q (query);

-- and those of several processes
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 3;
SET gpuagg.setup_cost = 0;
SET gpuagg.group_cost = 0;
ALTER TABLE spilled SET (parallel_workers = 3);
CREATE FUNCTION is_parallel(query text, memory text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
	plan jsonb;
BEGIN
	PERFORM set_config('work_mem', memory, true);
	EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
	RETURN jsonb_path_exists(plan, '$.**?(@."Custom Plan Provider" == "GpuAgg Partial")');
END $$;
SELECT is_parallel(query, '64kB') AND is_parallel(query, '64MB') AS parallel, total_cost(query, '64kB') > total_cost(query, '64MB') + 150 AS spills
FROM (VALUES ('SELECT k, count(*) FROM spilled GROUP BY k'), ('SELECT v, count(*) FROM spilled GROUP BY v')) q (query);
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
RESET max_parallel_workers_per_gather;
RESET gpuagg.setup_cost;
RESET gpuagg.group_cost;

-- The limit holds for groups that a device returns, and for regrouping, whatever the engine.
-- With an extreme of texts no group leaves before all are there.
RESET gpuagg.engine;
SET work_mem = '64kB';
SELECT spills('SELECT k, count(*), sum(v), min(t) FROM spilled GROUP BY k'), spills('SELECT v, count(*), sum(k) FROM spilled GROUP BY v');
SELECT check_query('SELECT k, count(*), sum(v), min(t), max(n) FROM spilled GROUP BY k');
SELECT check_query('SELECT t, id % 5000, count(*) FROM spilled GROUP BY t, id % 5000');
SELECT check_query('SELECT i, (SELECT count(*) FROM (SELECT k, t, count(*) FROM spilled GROUP BY k, t LIMIT 9 + i * 5000) s) FROM generate_series(1, 3) i');
SET gpuagg.group_cost = 0;
SELECT q AS query, spills('SELECT ' || q, 'Regrouping ', 1024) AS regrouping_spills
FROM unnest(ARRAY[
	'k, v, id % 100, count(*), sum(id) FROM spilled GROUP BY CUBE (k, v, id % 100)',
	'v, count(DISTINCT t) FROM spilled GROUP BY v',
	'k, v % 2, count(*) FROM spilled WHERE k < 50 GROUP BY ROLLUP (k, v % 2)']) q;
RESET gpuagg.group_cost;

-- sets and aggregates of all kinds
SELECT q AS query, check_query('SELECT ' || q)
FROM unnest(ARRAY[
	'k, v, id % 100, grouping(k, v), count(*), sum(id) FROM spilled GROUP BY CUBE (k, v, id % 100)',
	'k, v, sum(n), avg(f), stddev(v), min(id), max(w), bool_or(v > 3) FROM spilled GROUP BY GROUPING SETS ((k, v), (k), (v), (), (k))',
	't, c, v, min(t), max(c), min(y), max(y), count(*) FROM spilled GROUP BY ROLLUP (t, c, v)',
	't, k, count(DISTINCT c), min(t), sum(n) FROM spilled GROUP BY GROUPING SETS ((t), (k), ())',
	'v, count(DISTINCT k), count(DISTINCT t), sum(DISTINCT id), avg(DISTINCT n), count(*) FROM spilled GROUP BY v',
	'k, sum(DISTINCT f), sum(DISTINCT r) FROM spilled GROUP BY k',
	'count(DISTINCT k), count(DISTINCT t), sum(DISTINCT f), sum(id) FROM spilled',
	'f, n, count(*) FROM spilled GROUP BY GROUPING SETS ((f, n), (f), (n)) HAVING count(*) > 1',
	'id, count(*) FROM spilled GROUP BY ROLLUP (id) ORDER BY count(*) DESC, id LIMIT 5']) q;

-- rescans, some of the groups only, and what is found out late
SELECT check_query('SELECT a.i, s.* FROM generate_series(0, 6, 3) a (i), LATERAL (SELECT count(*), sum(c), max(t) FROM (SELECT k, t, count(*) AS c FROM spilled WHERE v >= a.i GROUP BY ROLLUP (k, t) OFFSET 0) g) s');
SELECT check_query('SELECT count(*) FROM (SELECT k, v, count(*) FROM spilled GROUP BY CUBE (k, v) LIMIT 10) s');
SELECT check_query('SELECT k, v, sum(CASE WHEN id = 39990 THEN 1e250 ELSE f END) FROM spilled GROUP BY ROLLUP (k, v)');
SELECT check_fallback('SELECT k, v, justify_days(max(CASE WHEN id = 17 THEN interval ''9 months'' WHEN id = 17 + 20011 THEN interval ''270 days'' ELSE y END)), count(*) FROM spilled GROUP BY GROUPING SETS ((k, v), (k))');

-- the file is PostgreSQL's: with its limit, and counted
SET gpuagg.engine = cpu;
SET gpuagg.memory_limit = '1MB';
CREATE TABLE spilled_sets AS SELECT i AS a, i % 5000 AS b, (i % 5000) * 7 % 4001 AS c FROM generate_series(1, 5000) i;
ANALYZE spilled_sets;
-- of a set's groups that are taken into another's, too
SELECT check_fallback('SELECT z, a, b, count(*) FROM (SELECT a, b, CASE WHEN a = 2 THEN 0 ELSE -0.0::float8 END AS z FROM spilled_sets) s GROUP BY GROUPING SETS ((z, a), (z, b), (z))');
SET temp_file_limit = '10kB';
BEGIN;
SELECT let_engine_answer();
SELECT left(outcome('SELECT a, b, c, count(*) FROM spilled_sets GROUP BY GROUPING SETS ((a, b, c), (b))', 'force', no_fallback()), 5);
SELECT left(outcome('SELECT a, b, c, count(*) FROM spilled_sets GROUP BY CUBE (a, b, c)', 'force', 'off'), 5);
COMMIT;
RESET temp_file_limit;
SELECT pg_stat_force_next_flush();
SELECT temp_files AS files, temp_bytes AS bytes FROM pg_stat_database WHERE datname = current_database() \gset
BEGIN;
SELECT let_engine_answer();
SELECT count(*), sum(n) FROM (SELECT a, b, c, count(*) AS n FROM spilled_sets GROUP BY CUBE (a, b, c)) s;
COMMIT;
SELECT pg_stat_force_next_flush();
SELECT temp_files - :files AS files, temp_bytes - :bytes > 5000 * 16 AS bytes FROM pg_stat_database WHERE datname = current_database();
DROP TABLE spilled, spilled_sets;
