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

-- What tools/demo-page.sql shows.
CREATE TABLE demo_questions (number int PRIMARY KEY, title text, query text, chart text);
CREATE TABLE demo_times (question int, configuration int, label text, ms numeric, gain numeric);
CREATE TABLE demo_bars (question int, n bigint, label text, value numeric);

-- How queries are executed; those of gpuagg come last.
CREATE TABLE demo_configurations (number int PRIMARY KEY, label text, mode text, engine text, workers int);
INSERT INTO demo_configurations VALUES
	(1, 'PostgreSQL, one process', 'off', 'cpu', 0),
	(2, 'PostgreSQL, two workers', 'off', 'cpu', 2),
	(3, 'gpuagg on the CPU', 'auto', 'cpu', 2),
	(4, 'gpuagg on the GPU', 'auto', 'cuda', 2);

CREATE PROCEDURE demo_set(configuration int) LANGUAGE plpgsql AS $$
DECLARE
	c demo_configurations;
BEGIN
	SELECT * INTO c FROM demo_configurations WHERE number = configuration;
	PERFORM set_config('gpuagg.mode', c.mode, false), set_config('gpuagg.engine', c.engine, false),
		set_config('max_parallel_workers_per_gather', c.workers::text, false);
END $$;

-- Median time of planning and executing the query, in milliseconds, after a first run that does
-- not count, and on a GPU three, until its kernels are there; NULL if gpuagg should have taken the query and has not.
CREATE FUNCTION demo_time(query text, runs int) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE
	plan jsonb;
	times numeric[];
BEGIN
	FOR run IN CASE current_setting('gpuagg.engine') WHEN 'cuda' THEN -2 ELSE 0 END .. runs LOOP
		EXECUTE 'EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ' || query INTO plan;
		IF run > 0 THEN
			times := times || (plan -> 0 ->> 'Planning Time')::numeric + (plan -> 0 ->> 'Execution Time')::numeric;
		END IF;
	END LOOP;
	IF current_setting('gpuagg.mode') <> 'off' AND NOT plan @? '$.**."Custom Plan Provider"' THEN
		RETURN NULL;
	END IF;
	RETURN (SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY t) FROM unnest(times) t);
END $$;

-- Execute a question's query in one way; a line with a bar, as long as the time.
CREATE FUNCTION demo_line(question int, configuration int, runs int, mark text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	c demo_configurations;
	ms numeric;
	serial numeric;
	best numeric;
	gain numeric;
BEGIN
	SELECT * INTO c FROM demo_configurations WHERE number = configuration;
	CALL demo_set(configuration);
	ms := demo_time((SELECT q.query FROM demo_questions q WHERE number = question), runs);
	SELECT max(t.ms) FILTER (WHERE t.configuration = 1), min(t.ms) INTO serial, best
		FROM demo_times t WHERE t.question = demo_line.question AND t.configuration <= 2;
	IF ms IS NULL THEN
		RETURN ' left to PostgreSQL';
	END IF;
	IF c.mode <> 'off' THEN
		gain := round(best / ms, 1);
	END IF;
	INSERT INTO demo_times VALUES (question, configuration, c.label, ms, gain);
	RETURN format('%s ms  %s%s', to_char(ms, '9990.0'), repeat(mark, least(greatest(round(36 * ms / coalesce(serial, ms)), 1), 48)::int),
		'  ' || gain || ' times as fast');
END $$;

-- Do both plans give the same rows?
CREATE FUNCTION demo_compare(question int) RETURNS text LANGUAGE plpgsql SET client_min_messages = warning AS $$
DECLARE
	query text := (SELECT q.query FROM demo_questions q WHERE number = question);
	rows bigint;
	differences bigint;
BEGIN
	PERFORM set_config('gpuagg.mode', 'auto', true);
	EXECUTE 'CREATE TEMP TABLE ours AS ' || query;
	PERFORM set_config('gpuagg.mode', 'off', true);
	EXECUTE 'CREATE TEMP TABLE native AS ' || query;
	SELECT count(*) INTO rows FROM native;
	SELECT count(*) INTO differences FROM
		((TABLE native EXCEPT ALL TABLE ours) UNION ALL (TABLE ours EXCEPT ALL TABLE native)) d;
	DROP TABLE native, ours;
	RETURN CASE WHEN differences = 0 THEN format('%s rows, the same by both', rows) ELSE format('%s ROWS DIFFER', differences) END;
END $$;

-- Keep the first rows of an answer for the page: the column that its chart shows, and what is below it.
CREATE PROCEDURE demo_keep(question int, "column" text, label text) LANGUAGE plpgsql AS $$
DECLARE
	query text := (SELECT q.query FROM demo_questions q WHERE number = question);
BEGIN
	EXECUTE format('INSERT INTO demo_bars SELECT $1, row_number() OVER (), %s, %I FROM (%s) AS answer LIMIT 31',
		label, "column", query) USING question;
END $$;
