--
-- Values that are compressed or stored out of line: their rows are left out by
-- the engine, detoasted here, and sent to it as column batches.
--

-- What EXPLAIN ANALYZE tells of them.
CREATE FUNCTION detoasted_rows(query text) RETURNS text
LANGUAGE plpgsql SET gpuagg.fallback = off AS $$
DECLARE
	line text;
BEGIN
	PERFORM let_engine_answer();
	FOR line IN EXECUTE 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) ' || query LOOP
		IF line LIKE '%Detoasted Rows%' THEN
			RETURN trim(line);
		END IF;
	END LOOP;
	RETURN 'none';
END $$;

-- text that cannot be compressed
CREATE FUNCTION noise(seed int, parts int) RETURNS text LANGUAGE sql IMMUTABLE AS
$$SELECT string_agg(md5(seed::text || ':' || n), '') FROM generate_series(1, parts) n$$;

-- each kind of storage: short, compressible and incompressible values, and NULL
CREATE TABLE stored (id int NOT NULL, plain text, main text, external text, extended text, v int);
ALTER TABLE stored ALTER plain SET STORAGE PLAIN, ALTER main SET STORAGE MAIN,
	ALTER external SET STORAGE EXTERNAL, ALTER extended SET STORAGE EXTENDED;
INSERT INTO stored SELECT i, t.x, t.y, t.z, t.z, i
FROM generate_series(1, 900) i, LATERAL (SELECT
	CASE i % 7 WHEN 0 THEN 'p' WHEN 1 THEN NULL ELSE repeat('plain ', i % 5 * 10) END AS x,
	CASE i % 5 WHEN 0 THEN 'm' WHEN 1 THEN NULL ELSE repeat('main ', 600 + i % 3) END AS y,
	CASE i % 6 WHEN 0 THEN 'e' WHEN 1 THEN NULL WHEN 2 THEN repeat('external ', 400 + i % 3) WHEN 3 THEN noise(i % 4, 100) ELSE 'f' || i % 3 END AS z) t;
SELECT min(pg_column_size(main)) < max(length(main)) / 4 AS compressed,
	max(pg_column_size(external)) AS external FROM stored WHERE length(main) > 1000;
SELECT c AS key, check_query(format('SELECT md5(k), n, s FROM (SELECT %I AS k, count(*) AS n, sum(v) AS s FROM stored GROUP BY 1) q', c))
FROM unnest('{plain,main,external,extended}'::text[]) c;
SELECT detoasted_rows('SELECT plain, count(*) FROM stored GROUP BY 1') AS plain,
	detoasted_rows('SELECT main, count(*) FROM stored GROUP BY 1') AS main,
	detoasted_rows('SELECT external, count(*) FROM stored GROUP BY 1') AS external,
	detoasted_rows('SELECT extended, main, count(*) FROM stored GROUP BY 1, 2') AS two;

-- what is not needed costs nothing, wherever it stands
SELECT check_query('SELECT v % 10, count(*), sum(id) FROM stored GROUP BY 1'),
	detoasted_rows('SELECT v % 10, count(*), sum(id) FROM stored GROUP BY 1'),
	detoasted_rows('SELECT plain, count(*), sum(v) FROM stored WHERE v > 5 GROUP BY 1');

-- in filters, arguments, keys made of them, HAVING, and DISTINCT
SELECT q AS query, check_query('SELECT ' || q)
FROM unnest(ARRAY[
	'id % 5, count(*), sum(v) FROM stored WHERE main LIKE ''main%'' GROUP BY 1',
	'id % 5, count(*) FROM stored WHERE external = ''f1'' GROUP BY 1',
	'id % 5, count(*) FROM stored WHERE external = repeat(''external '', 402) GROUP BY 1',
	'id % 5, count(*) FROM stored WHERE external IS NULL OR extended IS NULL GROUP BY 1',
	'id % 5, count(*), count(main), count(external) FROM stored GROUP BY 1',
	'id % 5, sum(length(main)), max(length(extended)) FROM stored GROUP BY 1',
	'length(extended), count(*) FROM stored GROUP BY 1',
	'main IS NULL, count(external) FILTER (WHERE main IS NOT NULL) FROM stored GROUP BY 1',
	'count(*), sum(v) FROM stored WHERE external < main',
	'length(main), count(*) FROM stored GROUP BY 1 HAVING count(*) > 100',
	'DISTINCT md5(x) FROM (SELECT DISTINCT external AS x FROM stored) s']) q;

-- errors: of rows that pass, PostgreSQL's own; of rows that do not, none
SELECT check_query('SELECT id % 5, sum(1 / (length(main) - 3005)) FROM stored WHERE length(main) <> 3005 GROUP BY 1');
SELECT check_fallback('SELECT id % 5, sum(1 / (length(main) - 3005)) FROM stored GROUP BY 1');

-- one among many, and all; rows that came and went; pages with room again
CREATE TABLE rare (id int, t text) WITH (autovacuum_enabled = off);
INSERT INTO rare SELECT i, CASE WHEN i = 7777 THEN repeat('rare ', 1000) ELSE 't' || i % 10 END FROM generate_series(1, 20000) i;
SELECT check_query('SELECT md5(t), n FROM (SELECT t, count(*) AS n FROM rare GROUP BY t) s'),
	detoasted_rows('SELECT t, count(*) FROM rare GROUP BY t');
VACUUM rare;
SELECT check_query('SELECT md5(t), n FROM (SELECT t, count(*) AS n FROM rare GROUP BY t) s'),
	detoasted_rows('SELECT t, count(*) FROM rare GROUP BY t');
UPDATE rare SET t = noise(id % 3, 80) WHERE id % 50 = 0;
SELECT check_query('SELECT md5(t), n FROM (SELECT t, count(*) AS n FROM rare GROUP BY t) s'),
	detoasted_rows('SELECT t, count(*) FROM rare GROUP BY t');
DELETE FROM rare WHERE id % 100 = 0;
UPDATE rare SET id = id + 1 WHERE id % 150 = 0;
VACUUM rare;
SELECT check_query('SELECT md5(t), n, s FROM (SELECT t, count(*) AS n, sum(id) AS s FROM rare GROUP BY t) q'),
	detoasted_rows('SELECT t, count(*) FROM rare GROUP BY t');
CREATE TABLE all_long AS SELECT i AS id, repeat('long ' || i % 20, 600) AS t FROM generate_series(1, 5000) i;
SELECT check_query('SELECT md5(t), n, s FROM (SELECT t, count(*) AS n, sum(id) AS s FROM all_long GROUP BY t) q'),
	detoasted_rows('SELECT t, count(*) FROM all_long GROUP BY t');

-- columns that came later and that are gone, in rows that are left out
ALTER TABLE rare ADD COLUMN late int DEFAULT 5, ADD COLUMN later text NOT NULL DEFAULT repeat('later ', 1000), ADD COLUMN never bigint;
INSERT INTO rare SELECT i, repeat('new ', 800), i % 3, 'x', i FROM generate_series(1, 30) i;
SELECT check_query('SELECT late, md5(t), md5(later), n, s FROM (SELECT late, t, later, count(*) AS n, sum(never) AS s FROM rare GROUP BY 1, 2, 3) q');
ALTER TABLE rare DROP COLUMN t;
SELECT check_query('SELECT late, md5(later), n, s FROM (SELECT late, later, count(*) AS n, sum(id) AS s FROM rare GROUP BY 1, 2) q'),
	detoasted_rows('SELECT late, count(*) FROM rare GROUP BY 1');

-- char(n), varchar, and numerics, which no 64 bits hold if they are that long
CREATE TABLE others (id int, c char(5000), vc varchar(10000), n numeric(1000, 2), m numeric(12, 2));
INSERT INTO others SELECT i, 'c' || i % 3, repeat('v' || i % 4, 3000), CASE WHEN i = 150 THEN repeat('7', 900)::numeric ELSE i % 5 END, i / 4.0
FROM generate_series(1, 200) i;
SELECT check_query('SELECT md5(c), n FROM (SELECT c, count(*) AS n FROM others GROUP BY 1) s');
SELECT check_query('SELECT md5(vc), n, t FROM (SELECT vc, count(*) AS n, sum(m) AS t FROM others GROUP BY 1) s'),
	detoasted_rows('SELECT vc, sum(m) FROM others GROUP BY 1');
SELECT outcome('SELECT id % 3, sum(n) FROM others GROUP BY 1', 'force', 'on'),
	check_query('SELECT id % 3, sum(m) FROM others GROUP BY 1');

-- of the keys 0 and -0 the first is shown: rows in another order will not do
CREATE TABLE toast_zeros (f float8, t text);
INSERT INTO toast_zeros VALUES ('-0', repeat('x', 5000)), (0, 'y'), (1, 'z');
SELECT check_fallback('SELECT f, count(t) FROM toast_zeros WHERE t <> ''z'' GROUP BY f');
SELECT f, count(t) FROM toast_zeros GROUP BY f ORDER BY f;

-- very long ones, as keys and as arguments
CREATE TABLE huge (k int, t text);
ALTER TABLE huge ALTER t SET STORAGE EXTERNAL;
INSERT INTO huge SELECT i, repeat(chr(96 + i % 2), 18000000) || i % 2 FROM generate_series(1, 3) i;
INSERT INTO huge SELECT i, 'short' FROM generate_series(1, 10) i;
SELECT check_query('SELECT k % 2, sum(length(t)), count(*) FROM huge WHERE t LIKE ''%0'' OR t < ''b'' GROUP BY 1');
SELECT check_query('SELECT length(t), md5(t), n FROM (SELECT t, count(*) AS n FROM huge GROUP BY 1) s'),
	detoasted_rows('SELECT t, count(*) FROM huge GROUP BY t');
DROP TABLE huge;

-- again and again: rescans, cursors left early, prepared statements
SELECT check_query('SELECT x, q.* FROM generate_series(1, 3) x, LATERAL (SELECT length(extended) % x AS l, count(*) FROM stored GROUP BY 1) q');
BEGIN;
DECLARE c CURSOR FOR SELECT length(main) AS l, count(*) FROM stored GROUP BY 1;
FETCH 0 FROM c;
MOVE 1 FROM c;
CLOSE c;
COMMIT;
PREPARE longer (int) AS SELECT id % 3 AS k, count(*) FROM stored WHERE length(external) > $1 GROUP BY 1 ORDER BY 1;
SET plan_cache_mode = force_generic_plan;
EXECUTE longer (1000);
EXECUTE longer (3300);
RESET plan_cache_mode;
DEALLOCATE longer;

-- the rows count as the table's
SELECT pg_stat_force_next_flush();
SELECT seq_tup_read AS before FROM pg_stat_user_tables WHERE relname = 'all_long' \gset
SELECT length(t), count(*) FROM all_long GROUP BY 1 ORDER BY 1;
SELECT pg_stat_force_next_flush();
SELECT seq_tup_read - :before AS rows FROM pg_stat_user_tables WHERE relname = 'all_long';

DROP TABLE stored, rare, all_long, others, toast_zeros;
DROP FUNCTION detoasted_rows, noise;
