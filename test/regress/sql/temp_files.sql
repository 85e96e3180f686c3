--
-- Temporary files that find no room: PostgreSQL's own plan answers, with all of the limit,
-- or raises its own error.
--
CREATE TABLE filed AS
SELECT i AS id, hashint4(i) & 255 AS a, hashint4(i + 77777) & 255 AS b, i % 7 AS v, 'name ' || hashint4(i) % 9001 AS s
FROM generate_series(1, 40000) i;
ANALYZE filed;

-- The outcome under a limit of temporary files, and that of PostgreSQL's own plan; errors by their code.
CREATE FUNCTION limited(query text, files text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	PERFORM set_config('temp_file_limit', files, true);
	result := check_fallback(query);
	PERFORM set_config('temp_file_limit', '-1', true);
	RETURN CASE WHEN result LIKE '% rows' THEN result ELSE left(result, 5) END;
END $$;

-- the warning that comes once a session, which names the engine
SET client_min_messages = error;
BEGIN;
SELECT let_engine_answer();
SET LOCAL work_mem = '64kB';
SET LOCAL temp_file_limit = 0;
SET LOCAL gpuagg.mode = force;
SELECT count(*), sum(s) FROM (SELECT a, b, sum(v) AS s FROM filed GROUP BY GROUPING SETS ((a), (b))) g;
COMMIT;

-- the engine first groups by both keys
SET work_mem = '256kB';
SELECT limited('SELECT a, b, sum(v) FROM filed GROUP BY GROUPING SETS ((a), (b))', '100kB');
SELECT limited('SELECT a, b, sum(v) FROM filed GROUP BY GROUPING SETS ((a), (b))', '0');
SELECT limited('SELECT a, count(DISTINCT s), count(DISTINCT v) FROM filed GROUP BY a', '0');
SET gpuagg.engine = cpu;
SELECT limited('SELECT a, b, sum(v) FROM filed GROUP BY GROUPING SETS ((a), (b))', '100kB');
SELECT limited('SELECT a, b, sum(v) FROM (SELECT * FROM filed OFFSET 0) s GROUP BY GROUPING SETS ((a), (b))', '100kB');

-- memory that PostgreSQL's plan may take, and the engine may not
SET work_mem = '64MB';
SET gpuagg.memory_limit = '1MB';
SELECT limited('SELECT s, id, count(*), min(s), max(s) FROM filed GROUP BY s, id', '0');
SELECT limited('SELECT s, id, count(*), min(s), max(s) FROM filed GROUP BY s, id', '1MB');
SELECT limited('SELECT a, b, v, count(*) FROM filed GROUP BY CUBE (a, b, v)', '500kB');

-- PostgreSQL's plan needs files, too, and has the whole limit; or not enough
SET work_mem = '64kB';
SET enable_hashagg = off;
CREATE FUNCTION sums(n int) RETURNS text LANGUAGE sql AS
$$SELECT string_agg(format('sum(v::bigint + %s)', i), ', ') FROM generate_series(1, n) i$$;
SELECT limited(format('SELECT count(*), sum(hashtext(g::text)) FROM (SELECT id, %s FROM filed GROUP BY id OFFSET 0) g', sums(12)), '4MB');
SELECT limited(format('SELECT id, %s FROM filed GROUP BY id', sums(12)), '400kB');
RESET enable_hashagg;
RESET gpuagg.memory_limit;
SELECT count(*) FROM pg_ls_tmpdir();

-- Groups have left when the limit is reached: what is in a file is read, and what is not goes on
-- without.
CREATE TABLE filed_late (k int, v int);
ALTER TABLE filed_late SET (autovacuum_enabled = off);
INSERT INTO filed_late SELECT i, i % 7 FROM generate_series(1, 60000) i;
CREATE FUNCTION moved(query text, early text, late text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	c refcursor;
	n bigint;
BEGIN
	PERFORM let_engine_answer(), set_config('gpuagg.mode', 'force', true), set_config('temp_file_limit', early, true);
	OPEN c FOR EXECUTE query;
	MOVE FORWARD 10 IN c;
	PERFORM set_config('temp_file_limit', late, true);
	MOVE FORWARD 100 IN c;
	MOVE FORWARD ALL IN c;
	GET DIAGNOSTICS n = ROW_COUNT;
	CLOSE c;
	PERFORM set_config('temp_file_limit', '-1', true);
	RETURN n || ' more rows';
EXCEPTION WHEN OTHERS THEN
	RETURN sqlstate;
END $$;
SET gpuagg.engine = cpu;
SELECT moved(format('SELECT k, count(*), %s FROM filed_late GROUP BY k', sums(12)), '-1', '0');
SELECT moved(format('SELECT k, v, %s FROM filed_late GROUP BY GROUPING SETS ((k), (v, k))', sums(12)), '-1', '0');
RESET gpuagg.engine;
SELECT moved('SELECT k, count(*), sum(v) FROM filed_late GROUP BY k', '-1', '0');
SELECT moved('SELECT k, count(*), sum(v) FROM filed_late GROUP BY k', '-1', '100kB');
SET work_mem = '4MB';
SELECT moved('SELECT k, count(*), sum(v) FROM filed_late GROUP BY k', '0', '0');

-- aggregate functions, which have no other plan, begin again only if they must
SET work_mem = '64kB';
SET temp_file_limit = 0;
BEGIN;
SELECT let_engine_answer();
SELECT cardinality(gpu_sum_by_key(a, v)), cardinality(gpu_sum_by_key(id, v::float8)) FROM filed;
ROLLBACK;
RESET temp_file_limit;
DROP TABLE filed, filed_late;
DROP FUNCTION limited, sums, moved;
