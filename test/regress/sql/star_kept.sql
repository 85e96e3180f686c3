--
-- A look-up of a table that does not change stays for the session's next queries.  VACUUM must
-- find no older transaction of the database, so the test is alone.
--
CREATE TABLE star_rows (a int);
INSERT INTO star_rows SELECT i % 500 FROM generate_series(1, 20000) i;
ANALYZE star_rows;
SET gpuagg.mode = force;
CREATE TABLE star_kept (k int PRIMARY KEY, x int);
INSERT INTO star_kept SELECT i, i % 3 FROM generate_series(0, 400) i;
VACUUM ANALYZE star_kept;
CREATE FUNCTION kept_counts(OUT kept boolean, OUT counts text) LANGUAGE plpgsql AS $$
DECLARE
	query text := 'SELECT x, count(*) AS n FROM star_rows f JOIN star_kept i ON f.a = i.k GROUP BY x';
	plan json;
BEGIN
	PERFORM let_engine_answer();
	EXECUTE 'EXPLAIN (ANALYZE, FORMAT JSON) ' || query INTO plan;
	kept := plan->0->'Plan'->'Look-ups'->0->>'Kept';
	EXECUTE format('SELECT string_agg(x || '': '' || n, '', '' ORDER BY x) FROM (%s) q', query) INTO counts;
END $$;
-- The planner knows what is kept, and that it has changed.
-- A device that has begun would cost less, too.
SET gpuagg.setup_cost = 12;
CREATE FUNCTION cost() RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT JSON) SELECT x, count(*) AS n FROM star_rows f JOIN star_kept i ON f.a = i.k GROUP BY x' INTO plan;
	RETURN plan->0->'Plan'->'Total Cost';
END $$;
SELECT cost() AS cost_before \gset
SELECT * FROM kept_counts();
SELECT * FROM kept_counts();
SELECT cost() < :cost_before AS cheaper;
BEGIN;
DELETE FROM star_kept WHERE x = 1;
SELECT cost() < :cost_before AS cheaper;
ROLLBACK;
VACUUM star_kept;
SELECT cost() < :cost_before AS cheaper;
SELECT * FROM kept_counts();
RESET gpuagg.setup_cost;
BEGIN;
DELETE FROM star_kept WHERE x = 2;
SELECT * FROM kept_counts();
ROLLBACK;
SELECT * FROM kept_counts();
UPDATE star_kept SET x = 1 WHERE x = 2;
SELECT * FROM kept_counts();
VACUUM star_kept;
SELECT * FROM kept_counts();
SELECT * FROM kept_counts();
-- changed and vacuumed since it was looked at
UPDATE star_kept SET x = 0 WHERE x = 1 AND k < 100;
VACUUM star_kept;
SELECT * FROM kept_counts();
SELECT * FROM kept_counts();
TRUNCATE star_kept;
SELECT * FROM kept_counts();
INSERT INTO star_kept SELECT i, 7 FROM generate_series(0, 400) i;
VACUUM star_kept;
SELECT * FROM kept_counts();
ALTER TABLE star_kept DROP COLUMN x;
ALTER TABLE star_kept ADD COLUMN x int DEFAULT 8;
SELECT * FROM kept_counts();
-- a column's default, which no row has, goes with the transaction
ALTER TABLE star_kept DROP COLUMN x;
BEGIN;
ALTER TABLE star_kept ADD COLUMN x int DEFAULT 9;
SELECT * FROM kept_counts();
SELECT * FROM kept_counts();
ROLLBACK;
BEGIN;
SAVEPOINT s;
ALTER TABLE star_kept ADD COLUMN x int DEFAULT 10;
SELECT * FROM kept_counts();
ROLLBACK TO s;
ALTER TABLE star_kept ADD COLUMN x int DEFAULT 11;
SELECT * FROM kept_counts();
COMMIT;
SELECT * FROM kept_counts();
ALTER TABLE star_kept SET UNLOGGED;
VACUUM star_kept;
SELECT * FROM kept_counts();
SELECT * FROM kept_counts();
DROP FUNCTION kept_counts, cost;
DROP TABLE star_kept;
-- what functions give that PostgreSQL takes to be immutable depends on settings
CREATE TABLE star_outputs (b bytea, f int);
INSERT INTO star_outputs SELECT decode(lpad(to_hex(i % 3), 4, '0'), 'hex'), i % 3 FROM generate_series(1, 3000) i;
VACUUM ANALYZE star_outputs;
SELECT b::text, (f::float8 / 3)::text, count(*) FROM star_outputs GROUP BY 1, 2 ORDER BY 1;
SET bytea_output = escape;
SELECT b::text, (f::float8 / 3)::text, count(*) FROM star_outputs GROUP BY 1, 2 ORDER BY 1;
RESET bytea_output;
SET extra_float_digits = 0;
SELECT b::text, (f::float8 / 3)::text, count(*) FROM star_outputs GROUP BY 1, 2 ORDER BY 1;
RESET extra_float_digits;
SELECT b::text, (f::float8 / 3)::text, count(*) FROM star_outputs GROUP BY 1, 2 ORDER BY 1;
PREPARE star_outputs AS SELECT quote_ident('k' || f), count(*) FROM star_outputs GROUP BY 1 ORDER BY 1;
SET plan_cache_mode = force_generic_plan;
EXECUTE star_outputs;
SET quote_all_identifiers = on;
EXECUTE star_outputs;
RESET quote_all_identifiers;
EXECUTE star_outputs;
RESET plan_cache_mode;
DEALLOCATE star_outputs;
-- rows of a catalog can change in place
CREATE TABLE star_catalog AS SELECT 'star_outputs'::regclass::oid AS o FROM generate_series(1, 20000);
VACUUM ANALYZE star_catalog;
VACUUM pg_class;
SELECT c.reltuples, count(*) FROM star_catalog s JOIN pg_class c ON c.oid = s.o GROUP BY 1;
SELECT c.reltuples, count(*) FROM star_catalog s JOIN pg_class c ON c.oid = s.o GROUP BY 1;
DELETE FROM star_outputs WHERE f = 2;
ANALYZE star_outputs;
SELECT c.reltuples, count(*) FROM star_catalog s JOIN pg_class c ON c.oid = s.o GROUP BY 1;
DROP TABLE star_catalog, star_outputs;
-- One that costs too much for a query is made once those without it have lost that much.
SET gpuagg.mode = auto;
SET gpuagg.engine = cpu;
CREATE TABLE star_large (k int PRIMARY KEY, x int);
INSERT INTO star_large SELECT i, i % 3 FROM generate_series(0, 99999) i;
VACUUM ANALYZE star_large;
CREATE FUNCTION looks_up() RETURNS bool LANGUAGE plpgsql AS $$
DECLARE
	plan jsonb;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT JSON) SELECT x, count(*) AS n FROM star_rows f JOIN star_large i ON f.a = i.k GROUP BY x' INTO plan;
	RETURN jsonb_path_exists(plan, '$.**."Look-ups"');
END $$;
CREATE FUNCTION plans_until_look_up() RETURNS int LANGUAGE plpgsql AS $$
BEGIN
	FOR i IN 0 .. 29 LOOP
		IF looks_up() THEN
			RETURN i;
		END IF;
	END LOOP;
	RETURN NULL;
END $$;
SELECT plans_until_look_up() BETWEEN 1 AND 29 AS after_some;
SELECT x, count(*) AS n FROM star_rows f JOIN star_large i ON f.a = i.k GROUP BY x ORDER BY x;
SELECT plans_until_look_up() AS once_kept;
DELETE FROM star_large WHERE k = 0;
SELECT looks_up();
SELECT plans_until_look_up() AS while_changed;
VACUUM (INDEX_CLEANUP ON) star_large;
SELECT plans_until_look_up() BETWEEN 1 AND 29 AS after_some;
-- not where there is no memory for it
SET work_mem = '64kB';
SELECT x, count(*) AS n FROM star_rows f JOIN star_large i ON f.a = i.k GROUP BY x ORDER BY x;
SELECT plans_until_look_up() AS without_memory;
RESET work_mem;
RESET gpuagg.engine;
SET gpuagg.mode = force;
DROP FUNCTION plans_until_look_up, looks_up;
DROP TABLE star_large;
-- what was kept of tables that are gone goes when another one is kept
CREATE TABLE star_last (k int PRIMARY KEY, x int);
INSERT INTO star_last SELECT i, i % 3 FROM generate_series(0, 400) i;
VACUUM ANALYZE star_last;
SELECT x, count(*) FROM star_rows f JOIN star_last i ON f.a = i.k GROUP BY x ORDER BY x;
SELECT count(*) <= 1 AS one_is_kept FROM pg_backend_memory_contexts WHERE name = 'GpuAgg look-up';
DROP TABLE star_last;
-- so is one of a join of tables, while neither changes, for queries with the same conditions
CREATE TABLE star_near (k int PRIMARY KEY, r int, x int);
INSERT INTO star_near SELECT i, i % 20, i % 3 FROM generate_series(0, 400) i;
CREATE TABLE star_far (k int PRIMARY KEY, y int, z text);
INSERT INTO star_far SELECT i, i % 4, 'z' || i % 2 FROM generate_series(0, 19) i;
VACUUM ANALYZE star_near, star_far;
CREATE FUNCTION join_counts(condition text, OUT name text, OUT kept boolean, OUT counts text) LANGUAGE plpgsql AS $$
DECLARE
	query text := 'SELECT y, count(*) AS n FROM star_rows f JOIN star_near n ON f.a = n.k JOIN star_far r ON n.r = r.k WHERE ' || condition || ' GROUP BY y';
	plan json;
BEGIN
	PERFORM let_engine_answer();
	EXECUTE 'EXPLAIN (ANALYZE, FORMAT JSON) ' || query INTO plan;
	name := plan->0->'Plan'->'Look-ups'->0->>'Relation';
	kept := plan->0->'Plan'->'Look-ups'->0->>'Kept';
	EXECUTE format('SELECT string_agg(y || '': '' || n, '', '' ORDER BY y) FROM (%s) q', query) INTO counts;
END $$;
SELECT * FROM join_counts('true');
SELECT * FROM join_counts('true');
SELECT * FROM join_counts('y > 1');
SELECT * FROM join_counts('y > 2');
SELECT * FROM join_counts('y > 2 AND z = ''z1''');
SELECT * FROM join_counts('x = y');
SELECT * FROM join_counts('x < y');
SELECT * FROM join_counts('x < y');
SELECT * FROM join_counts('true');
UPDATE star_far SET y = 7 WHERE k = 3;
SELECT * FROM join_counts('true');
VACUUM star_far;
SELECT * FROM join_counts('true');
SELECT * FROM join_counts('true');
DELETE FROM star_near WHERE k < 10;
SELECT * FROM join_counts('true');
VACUUM star_near;
SELECT * FROM join_counts('true');
SELECT * FROM join_counts('true');
BEGIN;
ALTER TABLE star_far ALTER y TYPE bigint;
SELECT * FROM join_counts('true');
ROLLBACK;
SELECT * FROM join_counts('true');
DROP FUNCTION join_counts;
DROP TABLE star_near, star_far;
-- by UUIDs and truth values, and by numerics, of which each scale of the fact has a look-up
CREATE TABLE star_ids (u uuid PRIMARY KEY, n numeric(8, 3) UNIQUE, b bool NOT NULL, x int);
INSERT INTO star_ids SELECT md5(i::text)::uuid, i / 4.0, i % 2 = 0, i % 3 FROM generate_series(0, 400) i;
CREATE TABLE star_refs AS SELECT md5(a::text)::uuid AS u, a % 3 = 0 AS b, (a / 4.0)::numeric(8, 2) AS n, (a / 4.0)::numeric(8, 1) AS m FROM star_rows;
VACUUM ANALYZE star_ids, star_refs;
CREATE FUNCTION ref_counts(condition text, OUT kept boolean, OUT counts text) LANGUAGE plpgsql AS $$
DECLARE
	query text := 'SELECT x, count(*) AS n FROM star_refs f JOIN star_ids i ON ' || condition || ' GROUP BY x';
	plan json;
BEGIN
	PERFORM let_engine_answer();
	EXECUTE 'EXPLAIN (ANALYZE, FORMAT JSON) ' || query INTO plan;
	kept := plan->0->'Plan'->'Look-ups'->0->>'Kept';
	EXECUTE format('SELECT string_agg(x || '': '' || n, '', '' ORDER BY x) FROM (%s) q', query) INTO counts;
END $$;
CREATE FUNCTION all_ref_counts() RETURNS TABLE (condition text, kept boolean, counts text) LANGUAGE sql AS
$$SELECT c, r.* FROM unnest('{f.u = i.u,f.u = i.u AND f.b = i.b,f.n = i.n,f.m = i.n}'::text[]) c, ref_counts(c) r$$;
SELECT * FROM all_ref_counts();
SELECT * FROM all_ref_counts();
UPDATE star_ids SET n = n + 1000.125, b = NOT b WHERE x = 1;
SELECT * FROM all_ref_counts();
VACUUM star_ids;
SELECT * FROM all_ref_counts();
SELECT * FROM all_ref_counts();
DELETE FROM star_ids WHERE x = 2;
SELECT * FROM all_ref_counts();
DROP FUNCTION all_ref_counts, ref_counts;
DROP TABLE star_ids, star_refs;
DROP TABLE star_rows;
