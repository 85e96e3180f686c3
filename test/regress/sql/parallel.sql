--
-- Parallel aggregation: several processes share one query, by runs of the CPU engine in
-- each of them, or by one run in the device process that all feed.  Engines that fail
-- in one of the processes are in test/tap/parallel.pl, and columns that they have kept in
-- test/tap/residence_parallel.pl.  No table is vacuumed, so that nothing is kept here.
--
\set VERBOSITY terse
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 3;
-- for tables as small as these, too
SET gpuagg.setup_cost = 0;
SET gpuagg.page_cost = 0.1;
SET gpuagg.tuple_cost = 0.0001;
SET gpuagg.operator_cost = 0.0001;
SET gpuagg.group_cost = 0;

CREATE FUNCTION drop_rows() RETURNS void LANGUAGE plpgsql
SET client_min_messages = warning AS 'BEGIN DROP TABLE IF EXISTS pg_temp.native, pg_temp.ours; END';

-- Is the plan parallel, and are its rows, with no fallback, those of PostgreSQL's own
-- plan?  INSERT, and so check_query, has no parallel plans.
CREATE FUNCTION check_parallel(query text, fallback text DEFAULT no_fallback()) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	line text;
	parallel boolean := false;
BEGIN
	PERFORM set_config('gpuagg.mode', 'force', true);
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
		parallel := parallel OR line LIKE '%GpuAgg Partial%';
	END LOOP;
	IF NOT parallel THEN
		RETURN 'NOT PARALLEL';
	END IF;
	PERFORM drop_rows(), set_config('gpuagg.mode', 'off', true);
	EXECUTE format('CREATE TEMP TABLE native AS SELECT q::text AS r FROM (%s) q', query);
	PERFORM set_config('gpuagg.mode', 'force', true), set_config('gpuagg.fallback', fallback, true);
	EXECUTE format('CREATE TEMP TABLE ours AS SELECT q::text AS r FROM (%s) q', query);
	PERFORM set_config('gpuagg.fallback', 'on', true);
	RETURN compare_rows();
END $$;

CREATE TABLE par (k int, g int, t text, v int, b bigint, n numeric(12, 2), f float8, d date);
INSERT INTO par SELECT i % 100, i % 20011, CASE WHEN i % 13 > 0 THEN 'text ' || i % 501 END, i % 1000 - 500,
	CASE WHEN i % 7 > 0 THEN i * 10000000000 END, i / 100.0, (i % 4096) / 8.0, date '2020-01-01' + i % 400
FROM generate_series(1, 60000) i;
ANALYZE par;

-- the plan; engines have different names
CREATE FUNCTION plan_of(query text, options text DEFAULT 'COSTS OFF') RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	FOR line IN EXECUTE format('EXPLAIN (%s) %s', options, query) LOOP
		RETURN NEXT regexp_replace(line, 'Engine: \w+', 'Engine: X');
	END LOOP;
END $$;
SELECT plan_of('SELECT k, sum(v), count(*) FROM par WHERE g < 5000 GROUP BY k');
SELECT plan_of('SELECT count(*) FROM par', 'VERBOSE, COSTS OFF');

-- there are workers
CREATE FUNCTION launched(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	line text;
	result text;
BEGIN
	PERFORM let_engine_answer();
	FOR line IN EXECUTE 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) ' || query LOOP
		IF line ~ 'Workers Launched|Rows Read|Heap Pages|  Groups:|Fallback' THEN
			result := concat_ws(', ', result, trim(line));
		END IF;
	END LOOP;
	RETURN replace(result, 'Workers Launched: 0, ', '');
END $$;
SELECT launched('SELECT k, sum(v), count(*) FROM par GROUP BY k') AS launched,
	ceil(pg_relation_size('par') / current_setting('block_size')::float8) AS pages;

CREATE FUNCTION memory(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	PERFORM let_engine_answer();
	FOR line IN EXECUTE 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) ' || query LOOP
		IF line ~ 'Batches' THEN
			RETURN regexp_replace(trim(line), '[0-9]{2,}', 'N', 'g');
		END IF;
	END LOOP;
END $$;

-- shapes
SELECT check_parallel('SELECT count(*), sum(v), min(b), max(t), avg(n) FROM par');
SELECT check_parallel('SELECT count(*), sum(v), max(t) FROM par WHERE v > 10000');
SELECT check_parallel('SELECT k, sum(v), count(*), avg(b), min(d), max(n) FROM par GROUP BY k');
SELECT check_parallel('SELECT k, sum(v), count(*) FROM par WHERE v > 10000 GROUP BY k');
SELECT check_parallel('SELECT t, count(*), sum(b), min(t), max(t) FROM par GROUP BY t');
SELECT check_parallel('SELECT t, k, count(b), variance(v), stddev(n) FROM par GROUP BY t, k');
SELECT check_parallel('SELECT g, sum(f), avg(f), min(f), max(f) FROM par GROUP BY g');
SELECT check_parallel('SELECT n, d, count(*), bit_and(v), bool_or(v > 3) FROM par GROUP BY n, d');
SELECT check_parallel('SELECT k, sum(v) FROM par GROUP BY k HAVING sum(v) > 1000');
SELECT check_parallel('SELECT DISTINCT t, k FROM par');
SELECT check_parallel('SELECT k % 7, count(DISTINCT g), sum(DISTINCT v), count(*) FROM par GROUP BY k % 7');
-- groups so dear that lists are ordered, by every engine
SET gpuagg.group_cost = 1;
SELECT check_parallel('SELECT k % 7, count(DISTINCT g), sum(DISTINCT v), avg(DISTINCT n), count(*) FROM par GROUP BY k % 7');
SELECT check_parallel('SELECT count(DISTINCT g), sum(DISTINCT b), count(DISTINCT f) FROM par');
SET gpuagg.group_cost = 0;
SELECT check_parallel('SELECT k, t, grouping(k, t), count(*), sum(v) FROM par GROUP BY GROUPING SETS ((k), (t), ())');
SELECT check_parallel('SELECT k, d, sum(v), max(t) FROM par GROUP BY ROLLUP (k, d)');
SELECT check_parallel('SELECT k, g, count(*) FROM par GROUP BY CUBE (k, g)');
SELECT check_parallel('SELECT k, sum(v) FROM par GROUP BY k ORDER BY k LIMIT 5');
SELECT check_parallel('SELECT count(*) FROM (SELECT g, sum(v) FROM par GROUP BY g LIMIT 50) s');
SELECT check_parallel('SELECT count(*) FROM (SELECT t FROM par GROUP BY t) s');
SELECT check_parallel('SELECT * FROM (SELECT k, sum(v) FROM par GROUP BY k) a JOIN (SELECT k, max(t) FROM par GROUP BY k) b USING (k)');
SELECT check_parallel('SELECT k, sum(v) FROM par WHERE v < (SELECT max(v) FROM par WHERE k = 7) GROUP BY k');
SELECT check_parallel('SELECT k, sum(v) FROM par WHERE d < date ''2020-05-01'' + interval ''3 days'' GROUP BY k');
SELECT check_parallel('SELECT k, sum(v) FROM par WHERE t IN (''text 5'', ''text 7'', ''text 500'') GROUP BY k');
SELECT check_parallel('SELECT date_trunc(''month'', d::timestamptz), sum(v) FROM par GROUP BY 1');
SELECT check_parallel('SELECT g, t, k, d, count(*), sum(v), max(t) FROM par GROUP BY g, t, k, d');

-- processes of the CPU engine that divide the only key, an integer, and each read all rows; what
-- has been read is counted once
CREATE FUNCTION division(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	PERFORM set_config('gpuagg.mode', 'force', true);
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
		IF line LIKE '%Parallel Division: %' THEN
			RETURN trim(line);
		END IF;
	END LOOP;
	RETURN NULL;
END $$;
SET gpuagg.parallel_division = keys;
SET gpuagg.engine = cpu;
SELECT division('SELECT g, sum(v) FROM par GROUP BY g'), division('SELECT b % 1000, count(*) FROM par GROUP BY 1'), division('SELECT k, g, count(*) FROM par GROUP BY k, g') AS of_two_keys,
	division('SELECT t, sum(v) FROM par GROUP BY t') AS of_texts, division('SELECT sum(v) FROM par') AS without_keys, division('SELECT k, count(*) FROM (SELECT k FROM par OFFSET 0) s GROUP BY k') AS of_plan;
SELECT launched('SELECT g, sum(v), count(*) FROM par WHERE v < 200 GROUP BY g') AS launched, ceil(pg_relation_size('par') / current_setting('block_size')::float8) AS pages;
SET gpuagg.parallel_division = rows;
SELECT division('SELECT g, sum(v) FROM par GROUP BY g');
SET gpuagg.parallel_division = keys;
RESET gpuagg.engine;
SELECT check_parallel('SELECT k, sum(v), count(*), avg(b), min(d), max(n) FROM par GROUP BY k');
SELECT check_parallel('SELECT g, sum(f), avg(f), min(f), max(t), count(DISTINCT v) FROM par GROUP BY g');
SELECT check_parallel('SELECT g, sum(v) FROM par WHERE v % 3 = 0 AND t > ''text 2'' GROUP BY g');
SELECT check_parallel('SELECT g, sum(v) FROM par GROUP BY g HAVING sum(v) > 1000');
SELECT check_parallel('SELECT b, count(*), max(k) FROM par GROUP BY b');
SELECT check_parallel('SELECT d, count(*), sum(n) FROM par GROUP BY d');
SELECT check_parallel('SELECT v::smallint, count(*), max(t) FROM par GROUP BY 1');
SELECT check_parallel('SELECT v > 0, count(*), max(t) FROM par GROUP BY 1');
SELECT check_parallel('SELECT length(t), count(*), sum(v) FROM par GROUP BY 1');
SELECT check_parallel('SELECT nullif(k, 7) - 50, count(*), sum(v) FROM par GROUP BY 1');
SELECT check_parallel('SELECT v * 100000000::bigint, count(*), percentile_cont(0.5) WITHIN GROUP (ORDER BY v) FROM par GROUP BY 1');
SELECT check_parallel('SELECT DISTINCT g FROM par');
SELECT check_parallel('SELECT g, sum(v) FROM par GROUP BY g ORDER BY sum(v) DESC, g LIMIT 5');
SELECT check_parallel('SELECT g, grouping(g), sum(v) FROM par GROUP BY ROLLUP (g)');
SELECT check_parallel('SELECT n, count(*), sum(v) FROM par GROUP BY n');
SELECT check_parallel('SELECT * FROM (SELECT k, sum(v) FROM par GROUP BY k) a JOIN (SELECT k, max(t) FROM par GROUP BY k) b USING (k)');
SELECT k / (v - 499) AS fails, count(*) FROM par GROUP BY 1;
SET max_parallel_workers = 1;
SELECT check_parallel('SELECT g, sum(f), avg(f), min(f), max(t) FROM par GROUP BY g');
SET max_parallel_workers = 0;
SELECT check_parallel('SELECT g, sum(f), avg(f), min(f), max(t) FROM par GROUP BY g');
RESET max_parallel_workers;
SET parallel_leader_participation = off;
SELECT check_parallel('SELECT g, sum(f), avg(f), min(f), max(t) FROM par GROUP BY g');
RESET parallel_leader_participation;
RESET gpuagg.parallel_division;

-- a float key shows the first of 0 and -0, which no process knows
SELECT check_parallel('SELECT f, count(*) FROM par GROUP BY f');

-- groups beyond the memory of one process, and of all: the CPU engine's go to files, which
-- costs more than one process's
SET gpuagg.engine = cpu;
SET gpuagg.memory_limit = 1;
SET random_page_cost = 0;
SET seq_page_cost = 0;
SELECT check_parallel('SELECT DISTINCT ON (g) g, t, k, d, f, v FROM par ORDER BY g, n DESC');
SELECT check_parallel('SELECT * FROM (SELECT g, v, t, row_number() OVER (PARTITION BY g ORDER BY d DESC, n) AS r FROM par) s WHERE r <= 2');
SELECT check_parallel('SELECT g, t, k, d, count(*), sum(v), max(t) FROM par GROUP BY g, t, k, d');
SELECT check_parallel('SELECT g, d, k, count(*), sum(f), max(t) FROM par GROUP BY GROUPING SETS ((g, d, k), (k))');
SELECT memory('SELECT g, t, k, d, count(*), max(t) FROM par GROUP BY g, t, k, d'), memory('SELECT k, count(*) FROM par GROUP BY k');
BEGIN;
\set VERBOSITY sqlstate
SELECT let_engine_answer();
SET LOCAL temp_file_limit = '100kB';
SELECT check_parallel('SELECT g, t, k, d, count(*), sum(v), max(t) FROM par GROUP BY g, t, k, d');
ROLLBACK;
\set VERBOSITY terse
SET max_parallel_workers = 0;
SELECT check_parallel('SELECT g, t, k, d, count(*), sum(v), max(t) FROM par GROUP BY g, t, k, d');
BEGIN;
\set VERBOSITY sqlstate
SELECT let_engine_answer();
SET LOCAL temp_file_limit = '100kB';
SET LOCAL gpuagg.fallback = off;
SELECT g, t, k, d, count(*), sum(v), max(t) FROM par GROUP BY g, t, k, d;
ROLLBACK;
\set VERBOSITY terse
RESET max_parallel_workers;

-- files that find no room: PostgreSQL's own plan answers, also over the rows that all processes
-- have, and what there was of the files is gone by then
CREATE TABLE par_halves AS SELECT i AS half FROM generate_series(0, 1) i;
ANALYZE par_halves;
CREATE FUNCTION files_in_fallback(query text) RETURNS text LANGUAGE plpgsql
SET gpuagg.mode = force SET client_min_messages = error AS $$
DECLARE
	line text;
	text text := '';
	files int;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (ANALYZE, COSTS OFF) ' || query LOOP
		text := text || line;
	END LOOP;
	EXECUTE format('SELECT (SELECT count(*) FROM pg_ls_dir(''base/pgsql_tmp'')), s::text FROM (%s OFFSET 0) s LIMIT 1', query) INTO files;
	RETURN format('%s files, parallel %s, falls back %s', files, text ~ 'Workers Launched: [1-9].*GpuAgg Partial', text ~ 'Fallback:');
END $$;
BEGIN;
SELECT let_engine_answer();
SET LOCAL client_min_messages = error;
SET LOCAL work_mem = '64MB';
SET LOCAL temp_file_limit = '100kB';
SELECT check_parallel('SELECT g, t, k, d, count(*), sum(v), max(t) FROM par GROUP BY g, t, k, d', 'on');
SELECT check_parallel('SELECT g, t, k, d, count(*), sum(v), max(t) FROM par JOIN par_halves ON half = v & 1 GROUP BY g, t, k, d', 'on');
SELECT files_in_fallback('SELECT g, t, k, d, count(*), sum(v), max(t) FROM par GROUP BY g, t, k, d');
SELECT files_in_fallback('SELECT g, t, k, d, count(*), sum(v), max(t) FROM par JOIN par_halves ON half = v & 1 GROUP BY g, t, k, d');
ROLLBACK;
RESET gpuagg.memory_limit;
RESET gpuagg.engine;
RESET random_page_cost;
RESET seq_page_cost;
SELECT count(*) FROM pg_ls_tmpdir();

-- sums that need more words, and specials: all processes begin again
CREATE TABLE par_wide AS SELECT i % 10 AS k, i * 1e-300 AS tiny, CASE WHEN i = 29990 THEN 1e200 ELSE i END::float8 AS mixed,
	CASE WHEN i = 15000 THEN 'NaN' ELSE (i % 100)::numeric(10, 2) END AS n FROM generate_series(1, 30000) i;
ANALYZE par_wide;
UPDATE par_wide SET n = 'NaN' WHERE k = 3 AND mixed > 29000;
SELECT check_parallel('SELECT k, count(*), sum(mixed * 2) > 0, max(mixed), sum(n), max(n) FROM par_wide GROUP BY k');
SELECT check_parallel('SELECT k, sum(n), avg(n) FROM par_wide GROUP BY GROUPING SETS ((k), ())');
SELECT launched('SELECT k, sum(mixed + tiny) FROM par_wide GROUP BY k');
SET gpuagg.parallel_division = keys;
SELECT check_parallel('SELECT k, count(*), sum(mixed * 2) > 0, max(mixed), sum(n), max(n) FROM par_wide GROUP BY k');
SELECT check_parallel('SELECT n, count(*) FROM par_wide GROUP BY n');
RESET gpuagg.parallel_division;

-- an expression that raises an error
SELECT check_parallel('SELECT k, sum(1000 / (v + 501)) FROM par GROUP BY k');
SELECT k, sum(1000 / (v + 499)) FROM par GROUP BY k;

-- values out of line
CREATE TABLE par_toast (id int, t text, v int);
ALTER TABLE par_toast ALTER t SET STORAGE EXTERNAL;
INSERT INTO par_toast SELECT i, CASE WHEN i % 10 = 0 THEN repeat('long ' || i % 50, 1000) ELSE 'short ' || i % 50 END, i
FROM generate_series(1, 5000) i;
ANALYZE par_toast;
SELECT check_parallel('SELECT t, count(*), sum(v), max(t) FROM par_toast GROUP BY t');
SELECT check_parallel('SELECT v % 3, count(*), min(t), max(t) FROM par_toast GROUP BY v % 3');
SELECT check_parallel('SELECT v % 1000 + 0, t, min(t), max(t), count(*) FROM par_toast GROUP BY v % 1000 + 0, t');

-- partitions, of which one is scanned
CREATE TABLE par_parts (k int, v bigint, t text) PARTITION BY RANGE (k);
CREATE TABLE par_parts1 PARTITION OF par_parts FOR VALUES FROM (0) TO (30);
CREATE TABLE par_parts2 PARTITION OF par_parts FOR VALUES FROM (30) TO (60);
CREATE TABLE par_parts3 PARTITION OF par_parts FOR VALUES FROM (60) TO (61);
CREATE TABLE par_parts4 (t text, dropped int, k int, v bigint);
ALTER TABLE par_parts4 DROP dropped;
ALTER TABLE par_parts ATTACH PARTITION par_parts4 FOR VALUES FROM (61) TO (100);
INSERT INTO par_parts SELECT i % 100, i, 't' || i % 77 FROM generate_series(1, 20000) i WHERE i % 100 <> 60;
ANALYZE par_parts;
SELECT plan_of('SELECT k, sum(v) FROM par_parts GROUP BY k');
SELECT check_parallel('SELECT k, sum(v), max(t) FROM par_parts GROUP BY k');
SELECT check_parallel('SELECT t, count(*) FROM par_parts WHERE k > 20 GROUP BY t');
SELECT check_parallel('SELECT t, count(*) FROM par_parts1 GROUP BY t');
SELECT check_parallel('SELECT count(*) FROM par_parts3');

-- visibility: rows of this transaction, and deleted ones
BEGIN;
DELETE FROM par_toast WHERE id % 3 = 0;
INSERT INTO par_toast SELECT -i, 'new', i FROM generate_series(1, 1000) i;
SELECT count(*), sum(v), count(DISTINCT t) FROM par_toast;
SELECT check_parallel('SELECT t, count(*), sum(v) FROM par_toast GROUP BY t');
ROLLBACK;

-- run again: the plan under a nested loop, in a subquery
CREATE TABLE par_outer AS SELECT generate_series(1, 3) AS x;
ANALYZE par_outer;
SET enable_material = off;
SELECT check_parallel('SELECT x, s.* FROM par_outer LEFT JOIN LATERAL (SELECT k, count(*), sum(v) FROM par WHERE v > 0 GROUP BY k OFFSET 0) s ON s.k = x');
SELECT check_parallel('SELECT x, s.* FROM par_outer LEFT JOIN (SELECT t, max(t), sum(b) FROM par GROUP BY t OFFSET 0) s ON s.sum > x AND s.t > ''text 49''');
RESET enable_material;
SELECT check_parallel('SELECT x, (SELECT sum(s) FROM (SELECT sum(v) AS s FROM par GROUP BY k) q) FROM par_outer');
SELECT check_parallel('SELECT x FROM par_outer WHERE x IN (SELECT k FROM par WHERE v > 400 GROUP BY k)');
SELECT check_parallel('SELECT x FROM par_outer WHERE EXISTS (SELECT sum(v) FROM par GROUP BY k)');

-- prepared plans, with parameters
PREPARE p(int, text) AS SELECT k, count(*), sum(v) FROM par WHERE v > $1 AND t > $2 GROUP BY k ORDER BY k LIMIT 2;
SET plan_cache_mode = force_generic_plan;
EXECUTE p(450, 'text 3');
EXECUTE p(-450, 'text 33');
EXECUTE p(NULL, NULL);
RESET plan_cache_mode;
SET gpuagg.mode = off;
EXECUTE p(450, 'text 3');
EXECUTE p(-450, 'text 33');
RESET gpuagg.mode;
DEALLOCATE p;

-- rows of partial plans: joins, several tables, what a plan computes
CREATE TABLE par_names (k int, name text, rate numeric, big float8);
INSERT INTO par_names SELECT i, 'name ' || i % 17, i % 9 + 0.5, CASE i WHEN 7 THEN 1e200 ELSE i END FROM generate_series(0, 110) i;
-- rows that none meets, so that it is not unique and joins are PostgreSQL's
INSERT INTO par_names SELECT NULL, 'nobody', 0.5, 0 FROM generate_series(1, 7);
ANALYZE par_names;
SELECT plan_of('SELECT name, count(*), sum(v) FROM par JOIN par_names USING (k) GROUP BY name');
SELECT launched('SELECT name, count(*) FROM par JOIN par_names USING (k) GROUP BY name');
SELECT check_parallel('SELECT name, count(*), sum(v), max(t), sum(n * rate) FROM par JOIN par_names USING (k) GROUP BY name');
SELECT check_parallel('SELECT count(*), sum(v), avg(rate) FROM par JOIN par_names USING (k) WHERE v > 0');
SELECT check_parallel('SELECT g, d, count(*), min(name) FROM par LEFT JOIN par_names USING (k) GROUP BY g, d');
SELECT check_parallel('SELECT k, count(*), sum(v) FROM (SELECT k, v FROM par WHERE v > 0 UNION ALL SELECT k, g FROM par WHERE v < -100) u GROUP BY k');
SELECT check_parallel('SELECT upper(name), count(*), sum(v) FROM par JOIN par_names USING (k) GROUP BY 1 HAVING count(*) > 10 ORDER BY 2 DESC, 1 LIMIT 3');
SELECT check_parallel('SELECT name, t, count(*), count(DISTINCT v % 3) FROM par JOIN par_names USING (k) GROUP BY ROLLUP (name, t)');
SELECT check_parallel('SELECT DISTINCT name, d FROM par JOIN par_names USING (k)');
-- a join in the engine: one look-up for all processes
CREATE TABLE par_unique AS SELECT * FROM par_names WHERE k IS NOT NULL;
CREATE UNIQUE INDEX ON par_unique (k);
ANALYZE par_unique;
SELECT launched('SELECT name, count(*) FROM par JOIN par_unique USING (k) GROUP BY name');
SELECT check_parallel('SELECT name, count(*), sum(v), max(t) FROM par JOIN par_unique USING (k) GROUP BY name');
SELECT check_parallel('SELECT g, d, count(*), count(name) FROM par LEFT JOIN par_unique USING (k) GROUP BY g, d');
SELECT check_parallel('SELECT name, t, count(*), count(DISTINCT v % 3) FROM par JOIN par_unique USING (k) GROUP BY ROLLUP (name, t)');
DROP TABLE par_unique;
SELECT check_parallel('SELECT count(*) FROM (SELECT name, g FROM par JOIN par_names USING (k) GROUP BY name, g LIMIT 50) s');
SELECT check_parallel('SELECT name, sum(v) FROM par JOIN par_names USING (k) WHERE v > 0.9 * (SELECT max(v) FROM par) GROUP BY name');
-- the engine begins again
SELECT check_parallel('SELECT name, sum(CASE WHEN g = 5 THEN big ELSE 1 END) FROM par JOIN par_names USING (k) GROUP BY name');
SELECT check_parallel('SELECT name, sum(CASE WHEN g = 5 THEN ''NaN'' ELSE rate END), count(*) FROM par JOIN par_names USING (k) GROUP BY name');
-- it gives up
SELECT name, sum(1 / (g - 20010)) FROM par JOIN par_names USING (k) GROUP BY name;
SELECT count(*), count(s) FROM (SELECT name, sum(CASE WHEN g = 20010 THEN 'infinity'::float8 ELSE 1e300 END) s FROM par JOIN par_names USING (k) GROUP BY name) q;
-- groups in files; one process; no leader
SET gpuagg.memory_limit = 1;
SET gpuagg.engine = cpu;
SET random_page_cost = 0;
SET seq_page_cost = 0;
SELECT check_parallel('SELECT name, g, d, count(*), sum(f) FROM par JOIN par_names USING (k) GROUP BY name, g, d');
RESET gpuagg.engine;
RESET gpuagg.memory_limit;
RESET random_page_cost;
RESET seq_page_cost;
SET max_parallel_workers = 0;
SELECT check_parallel('SELECT name, count(*), sum(v) FROM par JOIN par_names USING (k) GROUP BY name');
RESET max_parallel_workers;
SET parallel_leader_participation = off;
SELECT check_parallel('SELECT name, count(*), sum(v) FROM par JOIN par_names USING (k) GROUP BY name');
RESET parallel_leader_participation;
BEGIN;
DECLARE c CURSOR FOR SELECT name, sum(v) FROM par JOIN par_names USING (k) GROUP BY name ORDER BY name;
FETCH 2 FROM c;
COMMIT;
PREPARE r(int) AS SELECT name, count(*) FROM par JOIN par_names USING (k) WHERE v > $1 GROUP BY name ORDER BY name LIMIT 2;
SET plan_cache_mode = force_generic_plan;
EXECUTE r(450);
EXECUTE r(0);
BEGIN;
CREATE TEMP TABLE from_r AS EXECUTE r(0);
COMMIT;
TABLE from_r;
RESET plan_cache_mode;
DEALLOCATE r;

-- arithmetic over a subquery's value; its errors are PostgreSQL's
SELECT check_parallel('SELECT k, count(*) FROM par WHERE v > 0.5 * (SELECT max(v) FROM par) + 1 GROUP BY k');
SELECT check_parallel('SELECT k, sum(n * (SELECT avg(v)::numeric(8, 2) FROM par)) FROM par WHERE d > (SELECT min(d) FROM par) + 100 GROUP BY k');
SELECT k, count(*) FROM par WHERE v > 1 / (SELECT count(*) - 60000 FROM par) GROUP BY k;
SELECT count(*) FROM par WHERE g < 0 AND v > 1 / (SELECT count(*) - 60000 FROM par);

-- a cursor has no parallel plan, or runs it alone
BEGIN;
DECLARE c CURSOR FOR SELECT k, sum(v) FROM par GROUP BY k ORDER BY k;
FETCH 2 FROM c;
FETCH 1 FROM c;
COMMIT;
PREPARE q AS SELECT k, sum(v) FROM par GROUP BY k ORDER BY k;
SELECT plan_of('EXECUTE q');
BEGIN;
DECLARE c CURSOR FOR SELECT 1;
CREATE TEMP TABLE from_q AS EXECUTE q;
COMMIT;
SELECT count(*), sum(sum) FROM from_q;
DEALLOCATE q;
-- one row at a time
DO $$
DECLARE
	r record;
	n int := 0;
BEGIN
	FOR r IN SELECT k, sum(v) FROM par GROUP BY k LOOP
		n := n + 1;
	END LOOP;
	RAISE NOTICE '% rows', n;
END $$;

-- the leader does not take part; there are no workers; fewer than planned
SET parallel_leader_participation = off;
SELECT check_parallel('SELECT t, count(*), sum(f) FROM par GROUP BY t');
SELECT check_parallel('SELECT count(*), sum(f) FROM par');
SET max_parallel_workers = 0;
SELECT check_parallel('SELECT t, count(*), sum(f) FROM par GROUP BY t');
RESET parallel_leader_participation;
SELECT check_parallel('SELECT g, count(*), sum(f) FROM par GROUP BY g');
SELECT check_parallel('SELECT count(*), sum(f) FROM par');
SET max_parallel_workers = 1;
SELECT check_parallel('SELECT g, count(*), sum(f) FROM par GROUP BY g');
RESET max_parallel_workers;

-- plans that were made for another engine
PREPARE e(int) AS SELECT name, count(*), sum(v) FROM par JOIN par_names USING (k) WHERE v > $1 GROUP BY name ORDER BY name LIMIT 1;
PREPARE f(int) AS SELECT k, count(*), sum(v) FROM par WHERE v > $1 GROUP BY k ORDER BY k LIMIT 1;
SET plan_cache_mode = force_generic_plan;
EXECUTE e(0);
EXECUTE f(0);
SET gpuagg.engine = cpu;
EXECUTE e(0);
EXECUTE f(0);
DEALLOCATE e;
PREPARE e(int) AS SELECT name, count(*), sum(v) FROM par JOIN par_names USING (k) WHERE v > $1 GROUP BY name ORDER BY name LIMIT 1;
EXECUTE e(0);
RESET gpuagg.engine;
EXECUTE e(0);
RESET plan_cache_mode;
DEALLOCATE e;
DEALLOCATE f;

-- another role's query, and one of a function's owner
CREATE ROLE par_reader;
GRANT SELECT ON par, par_names TO par_reader;
CREATE FUNCTION check_definer(query text) RETURNS text LANGUAGE plpgsql SECURITY DEFINER AS 'BEGIN RETURN check_parallel(query); END';
SELECT drop_rows();
SET ROLE par_reader;
SELECT check_parallel('SELECT k, sum(v), max(t) FROM par GROUP BY k');
SELECT check_parallel('SELECT name, sum(v) FROM par JOIN par_names USING (k) GROUP BY name');
SELECT drop_rows();
SELECT check_definer('SELECT k, sum(v), max(t) FROM par GROUP BY k');
RESET ROLE;
DROP FUNCTION check_definer;
REVOKE ALL ON par, par_names FROM par_reader;
DROP ROLE par_reader;

-- what PostgreSQL plans no workers for
ALTER TABLE par_toast SET (parallel_workers = 0);
SELECT check_parallel('SELECT v % 10, count(*) FROM par_toast GROUP BY v % 10');
ALTER TABLE par_toast RESET (parallel_workers);
CREATE TEMP TABLE par_temp AS SELECT * FROM par_toast;
SELECT check_parallel('SELECT v % 10, count(*) FROM par_temp GROUP BY v % 10');
CREATE FUNCTION restricted(int) RETURNS int LANGUAGE plpgsql STABLE PARALLEL RESTRICTED AS 'BEGIN RETURN $1; END';
SELECT check_parallel('SELECT v % 10, count(*) FROM par_toast GROUP BY v % 10 HAVING restricted(v % 10) > 3');
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT check_parallel('SELECT k, count(*) FROM par GROUP BY k');
COMMIT;
SET max_parallel_workers_per_gather = 0;
SELECT check_parallel('SELECT k, count(*) FROM par GROUP BY k');
SET max_parallel_workers_per_gather = 4;
SELECT check_parallel('SELECT k, count(*) FROM par GROUP BY k');

-- the serial plan, where it costs less
RESET parallel_setup_cost;
SELECT check_parallel('SELECT k, count(*) FROM par GROUP BY k');
SET parallel_setup_cost = 0;

-- groups of one or two rows, more than stay in a process's table
CREATE TABLE par_many AS SELECT (i * 7919::bigint % 150011)::int AS k, 'name ' || i % 90007 || repeat('x', i % 20) AS t, i % 1000 AS v
FROM generate_series(1, 200000) i;
ANALYZE par_many;
SELECT check_parallel('SELECT k, count(*), sum(v), avg(v::float8) FROM par_many GROUP BY k');
SELECT check_parallel('SELECT t, count(*), min(t), max(k), sum(v::numeric) FROM par_many GROUP BY t');

-- How many processes, by what rows and groups cost the CPU engine: a table that the planner takes
-- for a large one.  Groups are more of one process's work if tables of them miss the caches.
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET gpuagg.setup_cost;
RESET gpuagg.page_cost;
RESET gpuagg.tuple_cost;
RESET gpuagg.operator_cost;
RESET gpuagg.group_cost;
SET gpuagg.engine = cpu;
SET work_mem = '256MB';
CREATE TABLE par_costs (few int, i int, b bigint, v float8) WITH (parallel_workers = 15, autovacuum_enabled = off);
INSERT INTO par_costs SELECT i, i, i, i FROM generate_series(1, 100) i;
CREATE FUNCTION workers_planned(key text, rows float4, groups int, allowed int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	EXECUTE format('ALTER TABLE par_costs ALTER %I SET (n_distinct = %s)', key, groups);
	ANALYZE par_costs;
	UPDATE pg_class SET reltuples = rows WHERE oid = 'par_costs'::regclass;
	PERFORM set_config('gpuagg.mode', 'force', true), set_config('max_parallel_workers_per_gather', allowed::text, true);
	FOR line IN EXECUTE format('EXPLAIN (COSTS OFF) SELECT %I, sum(v), count(*) FROM par_costs GROUP BY 1', key) LOOP
		IF line LIKE '%Workers Planned%' THEN
			RETURN btrim(line);
		END IF;
	END LOOP;
	RETURN 'none';
END $$;
SELECT key, rows, groups, allowed, workers_planned(key, rows, groups, allowed)
FROM (VALUES ('few', 1e5, 100, 15), ('few', 1e7, 100, 3), ('few', 1e7, 100, 15),
	('i', 1e6, 1000000, 2), ('b', 1e6, 1000000, 2), ('i', 1e7, 1000000, 3), ('i', 1e7, 1000000, 15), ('b', 1e7, 1000000, 15),
	('i', 1e7, 5000000, 3), ('i', 1e7, 5000000, 15), ('b', 1e7, 5000000, 3), ('b', 1e7, 5000000, 15)) q (key, rows, groups, allowed);

-- Of an input plan, workers divide the reading of pages in memory, which PostgreSQL's costs do not
-- divide: few pages, and as many as the cost of one makes of them.  With a float key the
-- workers are those of PostgreSQL's plan.
RESET work_mem;
SET enable_sort = off;
SET parallel_setup_cost = 300;
SET max_parallel_workers_per_gather = 2;
CREATE FUNCTION join_planned(mode text, key text, page_cost float8) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	PERFORM set_config('gpuagg.mode', mode, true), set_config('seq_page_cost', page_cost::text, true);
	FOR line IN EXECUTE format('EXPLAIN (COSTS OFF) SELECT %s, count(*), sum(v) FROM par JOIN par_names USING (k) GROUP BY 1', key) LOOP
		IF line ~ 'GpuAgg\)$|Gather|Finalize' THEN
			RETURN NEXT line;
		END IF;
	END LOOP;
END $$;
SELECT join_planned('force', 'rate', 1);
SELECT join_planned('force', 'rate', 40);
SELECT join_planned('auto', 'rate::float8', 1);
SELECT join_planned('auto', 'rate::float8', 40);

DROP TABLE par, par_halves, par_many, par_wide, par_toast, par_parts, par_outer, par_costs;
DROP FUNCTION plan_of, files_in_fallback, drop_rows, check_parallel, launched, memory, restricted, workers_planned, join_planned;
