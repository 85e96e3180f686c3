--
-- What a role is told of rows and columns that it may not read: by EXPLAIN, by
-- what becomes of a query, and by gpuagg.report_rejections.
--
-- whether kernels are compiled in time would show in strategy and memory
SET gpuagg.strategy = atomic;
CREATE ROLE gpuagg_spy;
CREATE ROLE gpuagg_owner;
CREATE TABLE watched (tenant int, k int, n numeric, m numeric(15,2), w numeric(30,2), f float8, i int, t text);
ALTER TABLE watched ALTER t SET (n_distinct = 20, n_distinct_inherited = 20);	-- hidden values decide what PostgreSQL expects, too
CREATE TABLE watched_child () INHERITS (watched);
GRANT SELECT ON watched TO gpuagg_spy, gpuagg_owner;
CREATE POLICY own_rows ON watched USING (tenant = 1);
ALTER TABLE watched ENABLE ROW LEVEL SECURITY;

CREATE TABLE unwatched (tenant int, k int, n numeric, m numeric(15,2), w numeric(30,2), f float8, i int, t text);
CREATE VIEW behind_barrier WITH (security_barrier) AS SELECT * FROM unwatched WHERE tenant = 1;
CREATE VIEW sums_behind_barrier WITH (security_barrier) AS
	SELECT k, sum(n) AS n, sum(m) AS m, sum(w) AS w, sum(f) AS f, count(*) AS i, max(t COLLATE "C") AS t FROM unwatched WHERE tenant = 1 GROUP BY k;
CREATE VIEW of_another AS SELECT * FROM watched;
ALTER VIEW of_another OWNER TO gpuagg_owner;
GRANT SELECT ON behind_barrier, sums_behind_barrier, of_another TO gpuagg_spy;

-- Rows that may be hidden: of these columns, and what they are.
CREATE TABLE hidden (name text, tenant int, n numeric, m numeric, w numeric, f float8, i int, t text);
INSERT INTO hidden VALUES
	('plain', 2, 1.5, 1.25, 1.25, 1, 1, 'x'),
	('digits', 2, 1.23456789, 1.25, 1.25, 1, 1, 'x'),
	('more digits', 2, 1.000000000000000000000000000000000000000000001, 1.25, 1.25, 1, 1, 'x'),
	('large', 2, 1e30, 1e12, 1e25, 1e300, 2147483647, 'x'),
	('huge', 2, 1e50, -1e12, -1e27, -1e300, -2147483648, 'x'),
	('special', 2, 'NaN', 'NaN', 'NaN', 'NaN', 1, 'x'),
	('infinite', 2, 'Infinity', 1.25, 1.25, 'Infinity', 1, 'x'),
	('null', 2, NULL, NULL, NULL, NULL, NULL, NULL),
	('zero', 2, 0, 0, 0, -0.0, 0, ''),
	('long', 2, 1.5, 1.25, 1.25, 1, 1, repeat('x', 3000)),
	('zero of nobody', NULL, 0, 0, 0, -0.0, 0, 'x');

-- Put rows into a table, some of them hidden.
CREATE FUNCTION fill(target text, rows hidden) RETURNS void LANGUAGE plpgsql SET gpuagg.mode = off AS $$
BEGIN
	EXECUTE format('TRUNCATE %I', target);
	EXECUTE format('INSERT INTO %I SELECT 1, x %% 3, x * 0.5, x, x, x, x, x::text FROM generate_series(1, 20) x', target);
	EXECUTE format('INSERT INTO %I SELECT $1.tenant, x %% 3, $1.n, $1.m, $1.w, $1.f, $1.i, $1.t FROM generate_series(1, 20) x', target)
		USING rows;
	EXECUTE format('ANALYZE %I', target);
END $$;

-- What the role is told of a query, and of its run.
CREATE FUNCTION told(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	line text;
	result text := '';
BEGIN
	SET LOCAL ROLE gpuagg_spy;
	FOR line IN EXECUTE 'EXPLAIN (ANALYZE, VERBOSE, BUFFERS OFF, COSTS OFF, TIMING OFF, SUMMARY OFF) ' || query LOOP
		result := result || line || E'\n';
	END LOOP;
	RESET ROLE;
	RETURN result;
EXCEPTION WHEN OTHERS THEN
	RETURN sqlstate || ' ' || sqlerrm;
END $$;

-- Is the query taken, and the role told the same whatever is hidden?
CREATE FUNCTION check_told(target text, query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	rows hidden;
	expected text;
	result text;
BEGIN
	FOR rows IN SELECT * FROM hidden LOOP
		PERFORM fill(target, rows);
		result := told(query);
		IF result !~ 'Custom Scan \(GpuAgg\)' THEN
			RETURN 'NOT TAKEN: ' || result;
		END IF;
		expected := coalesce(expected, result);
		IF result <> expected THEN
			RETURN format('TOLD OF HIDDEN ROWS (%s): %s', rows.name,
				(SELECT string_agg(trim(l), '; ') FROM (SELECT * FROM string_to_table(result, E'\n') EXCEPT SELECT * FROM string_to_table(expected, E'\n')) x (l)));
		END IF;
	END LOOP;
	RETURN substring(result FROM 'Source: (heap pages|child plan)');
END $$;

CREATE TABLE questions (query text);
INSERT INTO questions VALUES
	('SELECT k, sum(n), avg(n) FROM %I GROUP BY k'),
	('SELECT k, sum(m), max(m), variance(m) FROM %I GROUP BY k'),
	('SELECT k, sum(w), max(w) FROM %I GROUP BY k'),
	('SELECT k, sum(f), min(f) FROM %I GROUP BY k'),
	('SELECT k, count(*) FROM %I WHERE i * i / i > 2 GROUP BY k'),
	('SELECT k, count(*) FROM %I WHERE 10 / i > 2 AND m * m > 1 GROUP BY k'),
	('SELECT k, count(n), count(t), count(m) FROM %I GROUP BY k'),
	('SELECT t, count(*) FROM %I GROUP BY t'),
	('SELECT k, max(t COLLATE "C") FROM %I GROUP BY k'),
	('SELECT m, count(DISTINCT m), sum(i) FROM %I GROUP BY ROLLUP (k, m)');

-- row level security, of the table and with a child; as a view's owner has it
SELECT query, check_told('watched', format(query, 'watched')) FROM questions;
INSERT INTO watched_child SELECT * FROM watched;
ANALYZE watched_child;
SELECT query, check_told('watched', format(query, 'watched')) FROM questions;
SELECT query, check_told('watched_child', format(query, 'watched')) FROM questions;
SELECT query, check_told('watched', format(query, 'of_another')) FROM questions;

-- views that are a barrier
SELECT query, check_told('unwatched', format(query, 'behind_barrier')) FROM questions WHERE query !~ '\mn\M';
SELECT column_name, check_told('unwatched', format('SELECT k, %I FROM sums_behind_barrier', column_name))
FROM information_schema.columns WHERE table_name = 'sums_behind_barrier' AND column_name <> 'k' ORDER BY ordinal_position;

-- the reason of a fallback has no value in it
CREATE TABLE passwords (password text);
INSERT INTO passwords VALUES ('secret');
CREATE TABLE no_rows (k int);
CREATE VIEW with_password WITH (security_barrier) AS
	SELECT k, count(*) FROM no_rows WHERE k > (SELECT password FROM passwords)::int GROUP BY k;
GRANT SELECT ON with_password TO gpuagg_spy;
SELECT regexp_replace(told('SELECT * FROM with_password'), '.*(Fallback: [^\n]*).*', '\1') AS told, told('SELECT * FROM with_password') ~ 'secret' AS value;

-- without the privileges, what gpuagg thinks of a query is not told
GRANT SELECT (k) ON unwatched TO gpuagg_spy;
CREATE VIEW not_for_owner AS SELECT k, n FROM unwatched;
ALTER VIEW not_for_owner OWNER TO gpuagg_owner;
GRANT SELECT ON not_for_owner TO gpuagg_spy;
CREATE VIEW not_for_spy AS SELECT k, m FROM unwatched;
CREATE TABLE results (k int, count bigint);
GRANT SELECT ON results TO gpuagg_spy;
CREATE FUNCTION count_keys() RETURNS bigint LANGUAGE sql IMMUTABLE AS 
	'SELECT count(k) FROM (SELECT k FROM unwatched GROUP BY k HAVING string_agg(k::text, '','') <> '''') s';
SET gpuagg.report_rejections = on;
SET ROLE gpuagg_spy;
EXPLAIN SELECT k, array_agg(n) FROM unwatched GROUP BY k;
SELECT k, array_agg(k) FROM unwatched WHERE n > 0 GROUP BY k;
SELECT k, array_agg(n) FROM not_for_owner GROUP BY k;
SELECT k, array_agg(m) FROM not_for_spy GROUP BY k;
SELECT (SELECT array_agg(n) FROM unwatched);
INSERT INTO results SELECT k, count(DISTINCT ctid) FROM unwatched GROUP BY k;
SET gpuagg.mode = auto;
SELECT k, count(n) FROM unwatched GROUP BY k;
PREPARE counts AS SELECT k, count(n) FROM unwatched GROUP BY k;
EXPLAIN EXECUTE counts;
SET gpuagg.mode = force;

-- with them it is; and of a query within the planning of another one
EXPLAIN (COSTS OFF) SELECT k, array_agg(k) FROM unwatched GROUP BY k;
EXPLAIN (COSTS OFF) SELECT k, array_agg(n) FROM watched WHERE k < count_keys() GROUP BY k;
-- (a function's plan is kept for its next call from 18 on)
DISCARD PLANS;
EXPLAIN (COSTS OFF) SELECT k, array_agg(n) FROM unwatched WHERE k < count_keys() GROUP BY k;
RESET ROLE;
RESET gpuagg.mode;
RESET gpuagg.report_rejections;

-- of columns that may be read, statistics are
GRANT SELECT (n) ON unwatched TO gpuagg_spy;
SELECT fill('unwatched', hidden) FROM hidden WHERE name = 'digits';
SET ROLE gpuagg_spy;
SELECT bool_or(line ~ '10\^-8') AS known FROM program('SELECT sum(n) FROM unwatched') line;
SELECT bool_or(line ~ '10\^-8') AS known FROM program('SELECT sum(n) FROM of_another') line;
RESET ROLE;

DROP VIEW with_password, not_for_owner, not_for_spy, of_another, behind_barrier, sums_behind_barrier;
DROP FUNCTION count_keys, check_told, told, fill;
DROP TABLE watched, watched_child, unwatched, hidden, questions, results, passwords, no_rows;
DROP ROLE gpuagg_spy, gpuagg_owner;
