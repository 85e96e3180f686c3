--
-- Who may do what does not change: functions, columns, rows, views.
--
CREATE ROLE gpuagg_reader;
CREATE TABLE secrets (owner text, open_part int, secret_part int);
INSERT INTO secrets SELECT CASE WHEN i % 2 = 0 THEN 'gpuagg_reader' ELSE 'somebody' END, i % 10, i FROM generate_series(1, 1000) i;
ANALYZE secrets;

-- tables and columns
SET ROLE gpuagg_reader;
SELECT count(*) FROM secrets;
RESET ROLE;
GRANT SELECT (open_part) ON secrets TO gpuagg_reader;
SET ROLE gpuagg_reader;
SELECT open_part, count(*) FROM secrets WHERE open_part < 2 GROUP BY open_part ORDER BY 1;
SELECT sum(secret_part) FROM secrets;
SELECT open_part, count(*) FROM secrets WHERE secret_part > 5 GROUP BY open_part;
SELECT count(*) FILTER (WHERE secret_part > 5) FROM secrets;
SELECT check_query('SELECT open_part, count(*) FROM secrets GROUP BY open_part');
RESET ROLE;

-- what the extension shows
SET ROLE gpuagg_reader;
SELECT count(*) > 0 AS devices, count(gpuagg_version()) > 0 AS version FROM gpuagg_devices;
RESET ROLE;

-- functions and aggregates
CREATE FUNCTION addable(int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT $1';
BEGIN;
REVOKE EXECUTE ON FUNCTION pg_catalog.sum(int) FROM PUBLIC;
SET LOCAL ROLE gpuagg_reader;
SELECT sum(open_part) FROM secrets;
ROLLBACK;
BEGIN;
REVOKE EXECUTE ON FUNCTION pg_catalog.int4_sum(bigint, int) FROM PUBLIC;
SET LOCAL ROLE gpuagg_reader;
SELECT sum(open_part) FROM secrets;
ROLLBACK;
BEGIN;
REVOKE EXECUTE ON FUNCTION pg_catalog.int4pl(int, int) FROM PUBLIC;
SET LOCAL ROLE gpuagg_reader;
SELECT max(open_part + 1) FROM secrets;
ROLLBACK;
BEGIN;
REVOKE EXECUTE ON FUNCTION pg_catalog.int4gt(int, int) FROM PUBLIC;
SET LOCAL ROLE gpuagg_reader;
SELECT count(*) FROM secrets WHERE open_part > 3;
ROLLBACK;

-- rows
GRANT SELECT ON secrets TO gpuagg_reader;
CREATE POLICY own_rows ON secrets USING (owner = current_user);
ALTER TABLE secrets ENABLE ROW LEVEL SECURITY;
SET ROLE gpuagg_reader;
SELECT owner, count(*), sum(secret_part) FROM secrets GROUP BY owner ORDER BY owner;
SELECT check_query('SELECT owner, open_part, count(*) FROM secrets GROUP BY 1, 2');
RESET ROLE;
SELECT owner, count(*) FROM secrets GROUP BY owner ORDER BY owner;

-- a plan made for one role is another for the next
PREPARE rows_seen AS SELECT count(*) FROM secrets;
EXECUTE rows_seen;
SET ROLE gpuagg_reader;
EXECUTE rows_seen;
RESET ROLE;
EXECUTE rows_seen;
DEALLOCATE rows_seen;
DROP POLICY own_rows ON secrets;
ALTER TABLE secrets DISABLE ROW LEVEL SECURITY;

-- a security barrier: the view's condition comes before a leaky one
CREATE VIEW guarded WITH (security_barrier) AS SELECT open_part, secret_part FROM secrets WHERE open_part <> 0;
GRANT SELECT ON guarded TO gpuagg_reader;
REVOKE SELECT ON secrets FROM gpuagg_reader;
REVOKE SELECT (open_part) ON secrets FROM gpuagg_reader;
SET ROLE gpuagg_reader;
SELECT open_part, count(*) FROM guarded WHERE 10 / open_part > 2 GROUP BY open_part ORDER BY 1;
SELECT check_query('SELECT open_part, sum(secret_part) FROM guarded WHERE 10 / open_part > 2 GROUP BY open_part');
RESET ROLE;

DROP VIEW guarded;
DROP TABLE secrets;
DROP OWNED BY gpuagg_reader;
DROP ROLE gpuagg_reader;
