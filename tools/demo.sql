-- The demonstration's table, and functions that compare PostgreSQL's own plans
-- with gpuagg's.
CREATE EXTENSION gpuagg;

CREATE TABLE flights (
	departed timestamp NOT NULL,
	delay int,				-- minutes
	distance int,			-- miles
	origin char(3),
	destination char(3)
);

CREATE FUNCTION demo_plan(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY EXECUTE 'EXPLAIN (COSTS OFF) ' || query;
END $$;

-- Median time of planning and executing the query, in milliseconds.
CREATE FUNCTION demo_time(query text, runs int) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE
	plan jsonb;
	times numeric[];
BEGIN
	FOR run IN 0 .. runs LOOP
		EXECUTE 'EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ' || query INTO plan;
		IF run > 0 THEN
			times := times || (plan -> 0 ->> 'Planning Time')::numeric + (plan -> 0 ->> 'Execution Time')::numeric;
		END IF;
	END LOOP;
	RETURN (SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY t) FROM unnest(times) t);
END $$;

-- The engine named in the query's plan, or NULL if gpuagg is not in it.
CREATE FUNCTION demo_engine(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	plan jsonb;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
	RETURN jsonb_path_query_first(plan, '$.**.Engine') #>> '{}';
END $$;

CREATE FUNCTION demo_compare(query text, runs int) RETURNS SETOF text LANGUAGE plpgsql
SET gpuagg.mode = auto SET max_parallel_workers_per_gather = 0 SET client_min_messages = warning AS $$
DECLARE
	engine text := demo_engine(query);
	serial numeric;
	parallel numeric;
	ours numeric;
	rows bigint;
	differences bigint;
BEGIN
	ours := demo_time(query, runs);
	EXECUTE 'CREATE TEMP TABLE ours AS ' || query;
	SET LOCAL gpuagg.mode = off;
	serial := demo_time(query, runs);
	EXECUTE 'CREATE TEMP TABLE native AS ' || query;
	SET LOCAL max_parallel_workers_per_gather = 2;
	parallel := demo_time(query, runs);

	SELECT count(*) INTO rows FROM native;
	SELECT count(*) INTO differences FROM
		((TABLE native EXCEPT ALL TABLE ours) UNION ALL (TABLE ours EXCEPT ALL TABLE native)) d;
	DROP TABLE native, ours;

	RETURN NEXT format('PostgreSQL, one process          %s ms', to_char(serial, '99990.0'));
	RETURN NEXT format('PostgreSQL, up to two workers    %s ms', to_char(parallel, '99990.0'));
	IF engine IS NULL THEN
		RETURN NEXT 'gpuagg left the query to PostgreSQL';
	ELSE
		RETURN NEXT format('gpuagg, engine %s %s ms   %s times as fast as one process',
			rpad(engine, 17), to_char(ours, '99990.0'), to_char(serial / ours, 'FM990.0'));
	END IF;
	RETURN NEXT CASE WHEN differences = 0 THEN
		format('The same %s (EXCEPT ALL both ways)', CASE WHEN rows = 1 THEN 'row' ELSE rows || ' rows' END)
		ELSE format('%s ROWS DIFFER', differences) END;
END $$;
