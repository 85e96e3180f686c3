--
-- The first rows of an order that has all their columns, as groups of equal rows.
--
\set VERBOSITY terse
CREATE TABLE sorted_rows (id int, s text, a text, c char(4), n numeric, f float8, v int, loose text);
INSERT INTO sorted_rows SELECT i, CASE WHEN i % 5 > 0 THEN 's' || i * 7919 % 501 END, 'a' || i % 3, 'c' || i % 11, i % 4 / 2.0, i % 3, i % 17, 'L' || i % 5 FROM generate_series(1, 4000) i;
CREATE TABLE sorted_kinds (k int PRIMARY KEY, name text);
INSERT INTO sorted_kinds SELECT i, 'kind ' || i % 6 FROM generate_series(0, 16) i;
ANALYZE sorted_rows, sorted_kinds;

-- Are rows read, or groups, with the CPU engine's costs?
CREATE FUNCTION repeated(query text) RETURNS text LANGUAGE plpgsql SET gpuagg.engine = 'cpu' AS $$
DECLARE
	plan jsonb;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
	RETURN CASE WHEN jsonb_path_exists(plan, 'strict $.**?(@."Function Name" == "generate_series")') THEN 'groups' ELSE 'rows' END;
END $$;

-- all columns are among those that it is ordered by; NULLs, repetitions, parts of them
SELECT query, check_query(query), repeated(query) FROM (VALUES
	('SELECT s FROM sorted_rows ORDER BY s LIMIT 20'),
	('SELECT s FROM sorted_rows WHERE s <> ''s3'' ORDER BY s DESC LIMIT 33'),
	('SELECT s FROM sorted_rows ORDER BY s DESC NULLS LAST LIMIT 5 OFFSET 13'),
	('SELECT s FROM sorted_rows ORDER BY s NULLS FIRST LIMIT 900'),
	('SELECT upper(s) AS u, length(s) FROM sorted_rows WHERE id % 7 < 3 ORDER BY s LIMIT 12'),
	('SELECT a, s FROM sorted_rows WHERE v > 2 ORDER BY a DESC, s LIMIT 50'),
	('SELECT 1, s FROM sorted_rows WHERE v > 2 ORDER BY length(s), s, a LIMIT 50'),
	('SELECT s FROM sorted_rows WHERE id < 0 ORDER BY s LIMIT 5'),
	('SELECT a FROM sorted_rows WHERE id < 4 ORDER BY a LIMIT 1000'),
	('SELECT a FROM sorted_rows ORDER BY a LIMIT 1000'),
	('SELECT a FROM sorted_rows ORDER BY a OFFSET 3 FETCH FIRST ROW ONLY'),
	('SELECT name, s FROM sorted_rows JOIN sorted_kinds ON v = k ORDER BY name, s LIMIT 70'),
	('SELECT name FROM sorted_rows LEFT JOIN sorted_kinds ON v = k AND k > 3 ORDER BY name DESC LIMIT 70'),
	('SELECT s FROM (SELECT DISTINCT s, a FROM sorted_rows) d ORDER BY s LIMIT 9'),
	('SELECT v FROM sorted_rows ORDER BY v LIMIT 200'),
	('SELECT s, k FROM sorted_rows JOIN sorted_kinds ON v = k ORDER BY k, s LIMIT 7')) q (query);

-- what PostgreSQL has of equal values is not said; what is not ordered by; errors; too many
SELECT query, repeated(query) FROM (VALUES
	('SELECT n FROM sorted_rows ORDER BY n LIMIT 5'),
	('SELECT f FROM sorted_rows ORDER BY f LIMIT 5'),
	('SELECT s, v FROM sorted_rows ORDER BY s LIMIT 5'),
	('SELECT s FROM sorted_rows ORDER BY lower(s) LIMIT 5'),
	('SELECT 10 / length(s) FROM sorted_rows ORDER BY s LIMIT 5'),
	('SELECT s FROM sorted_rows ORDER BY s LIMIT 1001'),
	('SELECT s FROM sorted_rows ORDER BY s FETCH FIRST 5 ROWS WITH TIES'),
	('SELECT s FROM sorted_rows ORDER BY s'),
	('SELECT s, random() FROM sorted_rows ORDER BY s LIMIT 5'),
	('SELECT s, (SELECT max(k) FROM sorted_kinds) FROM sorted_rows ORDER BY s LIMIT 5'),
	('SELECT s, generate_series(1, 2) FROM sorted_rows ORDER BY s LIMIT 5'),
	('SELECT s FROM sorted_rows TABLESAMPLE SYSTEM (50) ORDER BY s LIMIT 5'),
	('SELECT s FROM (SELECT s, 10 / v AS q FROM sorted_rows) x WHERE q > 1 ORDER BY s LIMIT 5'),
	('SELECT coalesce(s COLLATE "C", a) FROM sorted_rows ORDER BY 1 LIMIT 5')) q (query);
SELECT repeated('SELECT s FROM sorted_rows WHERE 10 / (id - 3) > -99 ORDER BY s LIMIT 5');

-- other collations; equal values of a nondeterministic one are no identical ones
CREATE COLLATION sorted_loosely (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
ALTER TABLE sorted_rows ALTER loose TYPE text COLLATE sorted_loosely, ALTER a TYPE text COLLATE "en-x-icu";
SELECT query, check_query(query), repeated(query) FROM (VALUES
	('SELECT a FROM sorted_rows ORDER BY a DESC LIMIT 7'),
	('SELECT s FROM sorted_rows WHERE s IS NOT NULL ORDER BY s COLLATE "en-x-icu" DESC, s LIMIT 7')) q (query);
SELECT repeated('SELECT loose FROM sorted_rows ORDER BY loose LIMIT 7');

-- prepared, in a cursor, by auto; who may read what
SET gpuagg.mode = force;
SET plan_cache_mode = force_generic_plan;
PREPARE sorted(int) AS SELECT s FROM sorted_rows WHERE v = $1 ORDER BY s LIMIT 3;
EXECUTE sorted(3);
EXECUTE sorted(NULL);
DEALLOCATE sorted;
RESET plan_cache_mode;
BEGIN;
DECLARE sorted_cursor CURSOR FOR SELECT s FROM sorted_rows ORDER BY s LIMIT 6;
FETCH 2 FROM sorted_cursor;
FETCH BACKWARD 1 FROM sorted_cursor;
FETCH LAST FROM sorted_cursor;
COMMIT;
SET gpuagg.mode = auto;
INSERT INTO sorted_rows SELECT i, 's' || i % 10, 'a' FROM generate_series(1, 40000) i;
ANALYZE sorted_rows;
SELECT repeated('SELECT s FROM sorted_rows ORDER BY s LIMIT 6');
CREATE INDEX ON sorted_rows (s);
SELECT repeated('SELECT s FROM sorted_rows ORDER BY s LIMIT 6');
DROP INDEX sorted_rows_s_idx;
SET gpuagg.mode = force;
CREATE ROLE sorted_reader;
GRANT SELECT (a, v) ON sorted_rows TO sorted_reader;
ALTER TABLE sorted_rows ENABLE ROW LEVEL SECURITY;
CREATE POLICY sorted_policy ON sorted_rows USING (v > 10);
SET ROLE sorted_reader;
SELECT a FROM sorted_rows ORDER BY a LIMIT 2;
SELECT s FROM sorted_rows ORDER BY s LIMIT 2;
SELECT repeated('SELECT a FROM sorted_rows ORDER BY a LIMIT 2');
RESET ROLE;
RESET gpuagg.mode;

DROP FUNCTION repeated;
DROP TABLE sorted_rows, sorted_kinds;
DROP ROLE sorted_reader;
DROP COLLATION sorted_loosely;
