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
DROP TABLE star_rows;
