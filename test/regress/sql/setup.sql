--
-- What the other files use: the module in every session of this database,
-- taking all it can; functions that compare it with PostgreSQL's own plans;
-- a table with a column of each type.
--
\set VERBOSITY terse
LOAD 'gpuagg';
DO $$
BEGIN
	EXECUTE format('ALTER DATABASE %I SET session_preload_libraries = gpuagg', current_database());
	EXECUTE format('ALTER DATABASE %I SET gpuagg.mode = force', current_database());
END $$;
\c -
SHOW gpuagg.mode;
CREATE EXTENSION gpuagg;

-- Does the plan of this query, in force mode, contain GpuAgg?
CREATE FUNCTION is_taken(query text) RETURNS boolean
LANGUAGE plpgsql SET gpuagg.mode = force AS $$
DECLARE
	line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
		IF line LIKE '%Custom Scan (GpuAgg)%' THEN
			RETURN true;
		END IF;
	END LOOP;
	RETURN false;
END $$;

-- Put a query's rows, as text, into a new temporary table, in these modes.
CREATE FUNCTION store_rows(target text, query text, mode text, fallback text) RETURNS void
LANGUAGE plpgsql SET client_min_messages = warning SET gpuagg.mode = off SET gpuagg.fallback = on AS $$
BEGIN
	EXECUTE format('DROP TABLE IF EXISTS pg_temp.%I', target);
	EXECUTE format('CREATE TEMP TABLE %I (r text)', target);
	PERFORM set_config('gpuagg.mode', mode, true), set_config('gpuagg.fallback', fallback, true);
	EXECUTE format('INSERT INTO pg_temp.%I SELECT q::text FROM (%s) q', target, query);
END $$;

-- How the stored rows differ, or how many there are.
CREATE FUNCTION compare_rows() RETURNS text
LANGUAGE plpgsql SET gpuagg.mode = off AS $$
DECLARE
	missing text;
	surplus text;
BEGIN
	EXECUTE 'SELECT string_agg(r, '' '' ORDER BY r) FROM (TABLE native EXCEPT ALL TABLE ours LIMIT 5) d' INTO missing;
	EXECUTE 'SELECT string_agg(r, '' '' ORDER BY r) FROM (TABLE ours EXCEPT ALL TABLE native LIMIT 5) d' INTO surplus;
	IF missing IS NOT NULL OR surplus IS NOT NULL THEN
		RETURN format('DIFFERENT: missing %s, surplus %s', missing, surplus);
	END IF;
	EXECUTE 'SELECT count(*) FROM native' INTO missing;
	RETURN missing || ' rows';
END $$;

-- A suite of its own runs these files with engines that fail, by
-- gpuagg.inject_failure, and with gpuagg_test.fallback on: then PostgreSQL's own
-- plan may answer where otherwise only an engine may.
CREATE FUNCTION no_fallback() RETURNS text LANGUAGE sql AS
$$SELECT CASE WHEN current_setting('gpuagg_test.fallback', true) = 'on' THEN 'on' ELSE 'off' END$$;

-- Until the transaction ends, engines do in that suite what they do in others:
-- for what tells of them, and for failures of their own.
CREATE FUNCTION let_engine_answer() RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
	IF no_fallback() = 'on' THEN
		PERFORM set_config('gpuagg.inject_failure', '', true);
	END IF;
END $$;

-- Is the query taken, and are its rows those of PostgreSQL's own plan, with no
-- fallback?
CREATE FUNCTION check_query(query text) RETURNS text
LANGUAGE plpgsql AS $$
BEGIN
	IF NOT is_taken(query) THEN
		RETURN 'NOT TAKEN';
	END IF;
	PERFORM store_rows('native', query, 'off', 'on'), store_rows('ours', query, 'force', no_fallback());
	RETURN compare_rows();
END $$;

-- What running the query comes to: "N rows", or the error it raises.
CREATE FUNCTION outcome(query text, mode text, fallback text) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	PERFORM store_rows('result', query, mode, fallback);
	EXECUTE 'SELECT count(*) FROM result' INTO result;
	RETURN result || ' rows';
EXCEPTION WHEN OTHERS THEN
	RETURN sqlstate || ' ' || sqlerrm;
END $$;

-- Is the query taken, does the engine give up, and is the outcome (rows or an
-- error) that of PostgreSQL's own plan all the same?
CREATE FUNCTION check_fallback(query text) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
	native text := outcome(query, 'off', 'on');
	ours text;
BEGIN
	PERFORM let_engine_answer();
	ours := outcome(query, 'force', 'on');
	IF NOT is_taken(query) THEN
		RETURN 'NOT TAKEN';
	ELSIF native <> ours THEN
		RETURN format('DIFFERENT: %s, natively %s', ours, native);
	ELSIF native LIKE '% rows' THEN
		IF outcome(query, 'force', 'off') LIKE '% rows' THEN
			RETURN 'NO FALLBACK';
		END IF;
		PERFORM store_rows('native', query, 'off', 'on'), store_rows('ours', query, 'force', 'on');
		RETURN compare_rows();
	END IF;
	RETURN native;
END $$;

-- The relations that the engine looks up for the query's joins.
CREATE FUNCTION lookups(query text) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
	line text;
	found text := '';
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
		IF line ~ 'Look-up: ' THEN
			-- what 19 calls otherwise
			found := found || ', ' || replace(substring(line FROM 'Look-up: (.*)'), 'unnamed_', 'ANY_');
		END IF;
	END LOOP;
	RETURN coalesce(nullif(found, ''), ', no look-up');
END $$;

-- check_query, how the query's joins are done, and are its rows right, too, once the engine has
-- failed, in builds that can be told to fail?
CREATE FUNCTION check_join(query text) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
	answered text := check_query(query);
	failed text := answered;
	failure text := current_setting('gpuagg.inject_failure', true);
BEGIN
	IF answered <> 'NOT TAKEN' AND failure IS NOT NULL THEN
		PERFORM set_config('gpuagg.inject_failure', 'groups:1:inexact', true);
		PERFORM store_rows('ours', query, 'force', 'on');
		PERFORM set_config('gpuagg.inject_failure', failure, true);
		failed := compare_rows();
	END IF;
	RETURN answered || CASE WHEN failed <> answered THEN '; FALLBACK: ' || failed ELSE '' END || lookups(query);
END $$;

-- Where the engine's rows come from; or that PostgreSQL computes something of distinct values.
CREATE FUNCTION source(query text) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
	line text;
	found text := 'none';
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
		IF line ~ 'Look-up: distinct values' THEN
			RETURN 'distinct values';
		ELSIF line ~ 'Source: ' AND found = 'none' THEN
			found := substring(line FROM 'Source: (heap pages|child plan)');
		END IF;
	END LOOP;
	RETURN found;
END $$;

-- check_query, and is all of it computed from the table's pages?
CREATE FUNCTION check_engine(query text) RETURNS text
LANGUAGE plpgsql AS $$
BEGIN
	RETURN check_query(query) || CASE source(query) WHEN 'heap pages' THEN '' ELSE ' FROM ' || source(query) END;
END $$;

-- The program that the engine would run.
CREATE FUNCTION program(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (VERBOSE, COSTS OFF) ' || query LOOP
		CONTINUE WHEN line !~ 'Program';
		RETURN NEXT trim(line);
	END LOOP;
END $$;

-- A column of each type, NULLs in all but id.  Floats are multiples of 1/4, so
-- that their sums are exact in any order.
CREATE TABLE facts (
	id int NOT NULL, b boolean, i2 smallint, i4 integer, i8 bigint,
	f4 real, f8 double precision, d date, ts timestamp, tz timestamptz,
	t text, vc varchar(20), ch char(6), qc "char", u uuid, o oid, k integer);
INSERT INTO facts SELECT
	i,
	CASE WHEN i % 7 <> 0 THEN i % 2 = 0 END,
	CASE WHEN i % 11 <> 0 THEN (i % 200 - 100)::smallint END,
	CASE WHEN i % 13 <> 0 THEN i % 1000 - 500 END,
	CASE WHEN i % 17 <> 0 THEN (i % 300 - 150) * 10000000000 END,
	CASE WHEN i % 5 <> 0 THEN (i % 100 - 50) / 4.0 END,
	CASE WHEN i % 19 <> 0 THEN (i % 500 - 250) / 4.0 END,
	CASE WHEN i % 23 <> 0 THEN date '2000-02-25' + i % 40 END,
	CASE WHEN i % 29 <> 0 THEN timestamp '1999-12-31 22:00' + i % 60 * interval '10 minutes' END,
	CASE WHEN i % 31 <> 0 THEN timestamptz '2001-04-01 00:00+00' + i % 50 * interval '1 hour' END,
	CASE WHEN i % 3 <> 0 THEN repeat(chr(97 + i % 26), i % 9) END,
	CASE WHEN i % 37 <> 0 THEN 'v' || i % 70 END,
	CASE WHEN i % 41 <> 0 THEN left('abcdef', i % 7) END,
	CASE WHEN i % 43 <> 0 THEN chr(65 + i % 30)::"char" END,
	CASE WHEN i % 47 <> 0 THEN md5((i % 90)::text)::uuid END,
	CASE WHEN i % 53 <> 0 THEN (4294967295 - i % 80)::oid END,
	CASE WHEN i % 59 <> 0 THEN i % 3000 END
FROM generate_series(1, 12000) i;
VACUUM ANALYZE facts;

-- The same, of which no engine keeps columns: what is read of it is the same in any order of
-- tests.
CREATE UNLOGGED TABLE facts_unlogged AS SELECT * FROM facts;
VACUUM ANALYZE facts_unlogged;

-- the checks themselves see what they are for
SELECT is_taken('SELECT i4 FROM facts'), is_taken('SELECT i4, count(*) FROM facts GROUP BY i4');
SELECT check_query('SELECT i4, count(*) FROM facts GROUP BY i4');
SELECT check_query('SELECT i4, array_agg(id) FROM facts GROUP BY i4');
SELECT store_rows('native', 'VALUES (1), (2), (2)', 'off', 'on'), store_rows('ours', 'VALUES (2), (3), (1)', 'off', 'on');
SELECT compare_rows();
SELECT outcome('SELECT 1/0', 'off', 'on'), outcome('VALUES (1), (2)', 'off', 'on');
