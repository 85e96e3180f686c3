--
-- What a transaction sees: its own changes, savepoints, isolation levels,
-- temporary and unlogged tables, tables made within it.
--
SET temp_buffers = '1MB';
CREATE TABLE seen (g int, v int);
INSERT INTO seen SELECT i % 3, i FROM generate_series(1, 300) i;

BEGIN;
INSERT INTO seen VALUES (9, 1), (9, 2);
UPDATE seen SET v = 0 WHERE g = 0;
DELETE FROM seen WHERE g = 1;
SELECT g, count(*), sum(v) FROM seen GROUP BY g ORDER BY g;
SELECT check_query('SELECT g, count(*), sum(v) FROM seen GROUP BY g');
SAVEPOINT s;
DELETE FROM seen WHERE g = 9;
SELECT g, count(*), sum(v) FROM seen GROUP BY g ORDER BY g;
ROLLBACK TO s;
SELECT g, count(*), sum(v) FROM seen GROUP BY g ORDER BY g;
ROLLBACK;
SELECT g, count(*), sum(v) FROM seen GROUP BY g ORDER BY g;

-- a command does not see what it does itself
INSERT INTO seen SELECT 100 + g, count(*) FROM seen GROUP BY g;
SELECT g, count(*), sum(v) FROM seen WHERE g >= 100 GROUP BY g ORDER BY g;
WITH added AS (INSERT INTO seen VALUES (200, 1) RETURNING g)
SELECT count(*), (SELECT count(*) FROM added) FROM seen WHERE g = 200;
DELETE FROM seen WHERE g >= 100;

-- isolation levels
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT check_query('SELECT g, count(*), sum(v) FROM seen GROUP BY g');
INSERT INTO seen VALUES (5, 5);
SELECT check_query('SELECT g, count(*), sum(v) FROM seen GROUP BY g');
ROLLBACK;
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT check_query('SELECT g, count(*), sum(v) FROM seen GROUP BY g');
SELECT count(*) > 0 AS predicate_locks FROM pg_locks WHERE mode = 'SIReadLock' AND relation = 'seen'::regclass;
ROLLBACK;
BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY DEFERRABLE;
SELECT g, count(*), sum(v) FROM seen GROUP BY g ORDER BY g;
COMMIT;
BEGIN READ ONLY;
SELECT g, count(*), sum(v) FROM seen GROUP BY g ORDER BY g;
COMMIT;

-- an error and after it
BEGIN;
SELECT sum(v / (g - g)) FROM seen;
SELECT count(*) FROM seen;
ROLLBACK;
SELECT count(*) FROM seen;

-- temporary and unlogged tables, large enough to leave their buffers
CREATE TEMP TABLE passing AS SELECT i % 100 AS g, i AS v, repeat('x', 50) AS filler FROM generate_series(1, 30000) i;
SELECT check_query('SELECT g, count(*), sum(v) FROM passing GROUP BY g');
-- where cursors have pinned most of the session's buffers
CREATE FUNCTION pin_pages(n int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	FOR i IN 1 .. n LOOP
		EXECUTE format('DECLARE pin_%s CURSOR FOR SELECT ctid FROM passing WHERE ctid >= ''(%s, 1)''', i, i);
		EXECUTE format('FETCH pin_%s', i);
	END LOOP;
END $$;
BEGIN;
SELECT pin_pages(124);
SELECT count(*), sum(v) FROM passing;
ROLLBACK;
DELETE FROM passing WHERE g < 50;
SELECT check_query('SELECT g, count(*), sum(v) FROM passing GROUP BY g');
BEGIN;
CREATE TEMP TABLE until_commit (g int, v int) ON COMMIT DELETE ROWS;
INSERT INTO until_commit VALUES (1, 2), (1, 3);
SELECT g, sum(v) FROM until_commit GROUP BY g;
COMMIT;
SELECT g, sum(v) FROM until_commit GROUP BY g;
CREATE UNLOGGED TABLE unlogged AS SELECT i % 10 AS g, i AS v FROM generate_series(1, 1000) i;
SELECT check_query('SELECT g, count(*), sum(v) FROM unlogged GROUP BY g');

-- made, rewritten or emptied in the same transaction
BEGIN;
CREATE TABLE fresh AS SELECT i % 4 AS g, i AS v FROM generate_series(1, 100) i;
SELECT check_query('SELECT g, count(*), sum(v) FROM fresh GROUP BY g');
TRUNCATE fresh;
INSERT INTO fresh VALUES (1, 1);
SELECT check_query('SELECT g, count(*), sum(v) FROM fresh GROUP BY g');
ALTER TABLE fresh ALTER v TYPE bigint USING v + 1;
SELECT g, count(*), sum(v), pg_typeof(max(v)) FROM fresh GROUP BY g;
ROLLBACK;

-- statistics count the scan and its rows as a sequential scan does
SELECT pg_stat_force_next_flush();
SELECT seq_scan AS scans_before, seq_tup_read AS rows_before FROM pg_stat_user_tables WHERE relname = 'unlogged' \gset
BEGIN;
SELECT let_engine_answer() \gset
SELECT count(*), sum(g) FROM unlogged WHERE v > 10;
COMMIT;
SELECT pg_stat_force_next_flush();
SELECT seq_scan - :scans_before AS scans, seq_tup_read - :rows_before AS rows FROM pg_stat_user_tables WHERE relname = 'unlogged';
