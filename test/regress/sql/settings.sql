--
-- Settings: what they take and what they do.
--
SELECT name, setting FROM pg_settings WHERE name IN ('gpuagg.mode', 'gpuagg.fallback', 'gpuagg.report_rejections', 'gpuagg.strategy') ORDER BY 1;
SET gpuagg.mode = fast;
SET gpuagg.engine = 'steam';
SET gpuagg.strategy = 'luck';
SET gpuagg.fallback = maybe;
SET gpuagg.report_rejections = 7;
-- the words depend on the version
\set VERBOSITY sqlstate
SET gpuagg.memory_limit = -1;
\set VERBOSITY default
SET gpuagg.setup_cost = -2;
SHOW gpuagg.mode;

-- names that do not exist are no settings of this module
SET gpuagg.no_such_setting = 1;

-- mode
CREATE TABLE little (k int, v int);
INSERT INTO little VALUES (1, 1), (2, 2);
ANALYZE little;
CREATE FUNCTION shows_gpuagg(query text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN ' || query LOOP
		IF line LIKE '%GpuAgg%' THEN
			RETURN true;
		END IF;
	END LOOP;
	RETURN false;
END $$;
SET gpuagg.mode = off;
SELECT shows_gpuagg('SELECT k, sum(v) FROM little GROUP BY k') AS little, shows_gpuagg('SELECT i4, sum(i2) FROM facts GROUP BY i4') AS facts;
SET gpuagg.mode = force;
SELECT shows_gpuagg('SELECT k, sum(v) FROM little GROUP BY k') AS little, shows_gpuagg('SELECT i4, sum(i2) FROM facts GROUP BY i4') AS facts;
SET gpuagg.mode = auto;
SELECT shows_gpuagg('SELECT k, sum(v) FROM little GROUP BY k') AS little;
RESET gpuagg.mode;

-- auto: gpuagg's plan, unless it costs more by more than a hundredth, though workers could run the other one
CREATE TABLE close_costs AS SELECT i % 20000 AS k FROM generate_series(1, 40000) i;
ANALYZE close_costs;
CREATE FUNCTION plan_cost(query text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
	RETURN plan -> 0 -> 'Plan' ->> 'Total Cost';
END $$;
CREATE FUNCTION takes_at(query text, share float8) RETURNS boolean LANGUAGE plpgsql
SET gpuagg.mode = off SET gpuagg.engine = cpu SET gpuagg.setup_cost = 0 SET max_parallel_workers_per_gather = 2 AS $$
DECLARE
	native float8 := plan_cost(query);
	ours float8;
BEGIN
	SET LOCAL gpuagg.mode = force;
	ours := plan_cost(query);
	PERFORM set_config('gpuagg.setup_cost', (native * share - ours)::text, true);
	SET LOCAL gpuagg.mode = auto;
	RETURN shows_gpuagg(query);
END $$;
SELECT share, takes_at('SELECT k, count(*) FROM close_costs GROUP BY k', share) AS groups, takes_at('SELECT DISTINCT k FROM close_costs', share) AS "distinct"
FROM unnest('{0.95,0.995,1.005,1.02,1.05}'::float8[]) share;
DROP FUNCTION takes_at;

-- Starting workers takes longer than parallel_setup_cost says: they are wanted only where they
-- spare more, and where only they make PostgreSQL's plan cheaper, gpuagg's is chosen.
ALTER TABLE close_costs SET (parallel_workers = 2);
SET gpuagg.engine = cpu;
SET parallel_tuple_cost = 0;
CREATE FUNCTION spared_by_workers(query text) RETURNS float8 LANGUAGE plpgsql
SET gpuagg.mode = force SET max_parallel_workers_per_gather = 0 SET parallel_setup_cost = 0 AS $$
DECLARE
	alone float8 := plan_cost(query);
BEGIN
	SET LOCAL max_parallel_workers_per_gather = 2;
	RETURN alone - plan_cost(query);
END $$;
CREATE FUNCTION workers_at(query text, share float8) RETURNS boolean LANGUAGE plpgsql
SET gpuagg.mode = force SET max_parallel_workers_per_gather = 2 AS $$
DECLARE
	line text;
BEGIN
	PERFORM set_config('parallel_setup_cost', (spared_by_workers(query) * share)::text, true);
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
		IF line LIKE '%GpuAgg Partial%' THEN
			RETURN true;
		END IF;
	END LOOP;
	RETURN false;
END $$;
SELECT share, workers_at('SELECT count(*) FROM close_costs', share) AS workers FROM unnest('{0,0.1,0.3,0.9}'::float8[]) share;

CREATE FUNCTION takes_above(query text, setups float8) RETURNS boolean LANGUAGE plpgsql
SET gpuagg.mode = off SET gpuagg.setup_cost = 0 SET max_parallel_workers_per_gather = 2 AS $$
DECLARE
	setup float8 := spared_by_workers(query);
	native float8;
	ours float8;
BEGIN
	PERFORM set_config('parallel_setup_cost', setup::text, true);
	native := plan_cost(query);
	SET LOCAL gpuagg.mode = force;
	ours := plan_cost(query);
	PERFORM set_config('gpuagg.setup_cost', (native + setup * setups - ours)::text, true);
	SET LOCAL gpuagg.mode = auto;
	RETURN shows_gpuagg(query);
END $$;
SELECT setups, takes_above('SELECT count(*) FROM close_costs', setups) AS gpuagg FROM unnest('{-1,1,3,5}'::float8[]) setups;
RESET gpuagg.engine;
RESET parallel_tuple_cost;
DROP FUNCTION spared_by_workers, workers_at, takes_above, plan_cost;
DROP TABLE close_costs;

-- fallback: what would have to fall back is an error without it
SET gpuagg.fallback = off;
SELECT outcome('SELECT sum(i4 / (id - id)) FROM facts', 'force', 'on');
SELECT outcome('SELECT sum(i4 / (id - id)) FROM facts', 'force', 'off') LIKE '% division by zero' AS postgres_spoke;
RESET gpuagg.fallback;

-- set for a transaction, a function
BEGIN;
SET LOCAL gpuagg.mode = off;
SELECT shows_gpuagg('SELECT i4, sum(i2) FROM facts GROUP BY i4');
ROLLBACK;
SELECT shows_gpuagg('SELECT i4, sum(i2) FROM facts GROUP BY i4');

SELECT gpuagg_version() ~ '^\d+\.\d+' AS version;
