--
-- Aggregates by key: gpu_sum_by_key(key, value), gpu_count_by_key(key).
-- Each result is compared with that of plain SQL in PostgreSQL's own plan.
--
\set VERBOSITY terse
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS gpuagg;
RESET client_min_messages;
SET gpuagg.mode = off;

SELECT gpuagg_version() = extversion AS version_agrees
FROM pg_extension WHERE extname = 'gpuagg';

-- What PostgreSQL may do with them: parallel safe, but never split (no combine
-- function); final function repeatable, but not before further rows
SELECT p.oid::regprocedure, proparallel, provolatile, aggcombinefn, aggfinalmodify
FROM pg_aggregate a JOIN pg_proc p ON p.oid = aggfnoid
WHERE proname IN ('gpu_sum_by_key', 'gpu_count_by_key')
ORDER BY p.oid::regprocedure::text COLLATE "C";

-- How the rows of two queries differ, or how many they are
CREATE FUNCTION by_key_compare(by_key text, plain text) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
	extra bigint;
	missing bigint;
	rows bigint;
BEGIN
	EXECUTE format('WITH a AS MATERIALIZED (SELECT q::text FROM (%s) q),
						 b AS MATERIALIZED (SELECT q::text FROM (%s) q)
		SELECT (SELECT count(*) FROM (SELECT * FROM a EXCEPT ALL SELECT * FROM b) x),
			   (SELECT count(*) FROM (SELECT * FROM b EXCEPT ALL SELECT * FROM a) x),
			   (SELECT count(*) FROM a)', by_key, plain) INTO extra, missing, rows;
	IF extra + missing > 0 THEN
		RETURN format('%s rows, %s extra, %s missing', rows, extra, missing);
	END IF;
	RETURN format('%s rows agree', rows);
END $$;

-- The same for gpu_sum_by_key, or with v IS NULL gpu_count_by_key, over the rows
-- of `source`, with and without an outer GROUP BY; the keys' order counts too
CREATE FUNCTION by_key_check(k text, v text, source text, g text DEFAULT '0') RETURNS text
LANGUAGE plpgsql AS $$
BEGIN
	RETURN by_key_compare(
		format('SELECT s.g, u.* FROM (SELECT %1$s AS g, %2$s AS a FROM %3$s GROUP BY 1) s,
				unnest(s.a) WITH ORDINALITY u',
			   g, CASE WHEN v IS NULL THEN format('gpu_count_by_key(%s)', k)
				  ELSE format('gpu_sum_by_key(%s, %s)', k, v) END, source),
		format('SELECT %1$s, %2$s, %3$s, row_number() OVER (PARTITION BY %1$s ORDER BY %2$s)
				FROM %4$s GROUP BY 1, 2',
			   g, k, CASE WHEN v IS NULL THEN 'count(*)'
					 ELSE format('sum(%1$s), count(%1$s)', v) END, source));
END $$;

-- Several batches of rows; float sums that are exact in any order
CREATE TABLE by_key_rows AS
SELECT i,
	i % 3000 AS many,
	i % 2 AS few,
	CASE WHEN i % 11 > 0 THEN i * 7919 % 997 - 500 END AS k4,
	CASE WHEN i % 13 > 0 THEN (i * 7919 % 997 - 500) * 10000000000 END AS k8,
	CASE WHEN i % 17 > 0 THEN repeat(chr((65 + i % 26)::int), (i % 5)::int) || i % 100 END AS kt,
	CASE WHEN i % 7 > 0 THEN (i * 104729 % 2000003 - 1000000) * 2000 END::int AS v4,
	CASE WHEN i % 5 > 0 THEN (i * 104729 % 2000003 - 1000000) * 9000000000000 END AS v8,
	CASE WHEN i % 3 > 0 THEN (i * 104729 % 2000003 - 1000000) * 0.25::float8 END AS vf
FROM generate_series(1::bigint, 30000) i;
ALTER TABLE by_key_rows ALTER k4 TYPE int, ALTER many TYPE int, ALTER few TYPE int;
ANALYZE by_key_rows;

CREATE VIEW by_key_types AS
SELECT k, v FROM unnest('{k4,k8,kt}'::text[]) WITH ORDINALITY k(k, nk),
				 unnest('{v4,v8,vf,NULL}'::text[]) WITH ORDINALITY v(v, nv)
ORDER BY nk, nv;

--
-- All types of keys and values: many rows, a batch or less, one row, none
--
SELECT k, v, by_key_check(k, v, 'by_key_rows') FROM by_key_types;
SELECT k, v, by_key_check(k, v, 'by_key_rows WHERE i <= 4096') FROM by_key_types;
SELECT k, v, by_key_check(k, v, 'by_key_rows WHERE i <= 100') FROM by_key_types;
SELECT k, v, by_key_check(k, v, 'by_key_rows WHERE i = 100') FROM by_key_types;
SELECT k, v, by_key_check(k, v, 'by_key_rows WHERE false') FROM by_key_types;
SELECT gpu_sum_by_key(k4, v4) IS NULL AS no_rows, gpu_count_by_key(kt) IS NULL AS no_rows
FROM by_key_rows WHERE false;

-- The types of the results
SELECT pg_typeof(gpu_sum_by_key(k4, v4)), pg_typeof(gpu_sum_by_key(k8, v8)),
	pg_typeof(gpu_sum_by_key(kt, vf)), pg_typeof(gpu_count_by_key(kt))
FROM by_key_rows;
SELECT pg_typeof(key), pg_typeof(sum), pg_typeof(count)
FROM unnest(ARRAY[(1, 2, 3)::gpu_sum_int4_int4]) u
UNION ALL
SELECT pg_typeof(key), pg_typeof(sum), pg_typeof(count)
FROM unnest(ARRAY[(1, 2, 3)::gpu_sum_int8_int8]) u
UNION ALL
SELECT pg_typeof(key), pg_typeof(sum), pg_typeof(count)
FROM unnest(ARRAY[('1', 2, 3)::gpu_sum_text_float8]) u;

--
-- NULL keys and NULL values
--
SELECT gpu_sum_by_key(k, v)
FROM (VALUES (NULL, 1), (2, NULL), (NULL, 3), (2, NULL), (1, NULL), (1, 5)) AS t(k, v);
SELECT gpu_sum_by_key(NULL::text, NULL::float8), gpu_count_by_key(NULL::bigint)
FROM generate_series(1, 5000);
SELECT gpu_count_by_key(k) FROM (VALUES (''), (NULL), ('a'), (''), (NULL), (' ')) AS t(k);
SELECT gpu_sum_by_key(k, 1)
FROM (VALUES (2147483647), (-2147483648), (0), (NULL)) AS t(k);
SELECT gpu_sum_by_key(k, k)
FROM (VALUES (9223372036854775807), (-9223372036854775808), (0), (NULL)) AS t(k);

--
-- GROUP BY: thousands of states, hashed, hashed with spilling, and sorted; two
-- large states at once
--
SELECT k, v, by_key_check(k, v, 'by_key_rows', 'many') FROM by_key_types;
SELECT k, v, by_key_check(k, v, 'by_key_rows', 'few') FROM by_key_types;
SET work_mem = '64kB';
SELECT k, v, by_key_check(k, v, 'by_key_rows', 'many') FROM by_key_types;
RESET work_mem;
SET enable_hashagg = off;
SELECT k, v, by_key_check(k, v, 'by_key_rows', 'many') FROM by_key_types;
RESET enable_hashagg;

-- Two aggregates at once, of the same rows and of others
SELECT cardinality(gpu_sum_by_key(k4, v4)) AS a, cardinality(gpu_sum_by_key(k4, v8)) AS b,
	cardinality(gpu_sum_by_key(k4, v4) FILTER (WHERE i <= 100)) AS c,
	cardinality(gpu_sum_by_key(DISTINCT few, few)) AS d,
	gpu_sum_by_key(DISTINCT few, 1) AS e,
	gpu_count_by_key(few ORDER BY v8) AS f
FROM by_key_rows;

-- A hashed aggregation that is scanned again calls final functions again
SET enable_material = off;
SET enable_hashjoin = off;
SET enable_mergejoin = off;
SET enable_sort = off;
EXPLAIN (COSTS OFF)
SELECT x.i, s.few, cardinality(s.a)
FROM (VALUES (1), (2), (3)) x(i)
LEFT JOIN (SELECT few, gpu_count_by_key(k4) AS a FROM by_key_rows GROUP BY few) s ON s.few < x.i;
SELECT by_key_compare(
	'SELECT x.i, u.* FROM (VALUES (1), (2), (3)) x(i)
	 LEFT JOIN (SELECT few, gpu_count_by_key(k4) AS a FROM by_key_rows GROUP BY few) s ON s.few < x.i,
	 unnest(a) u',
	'SELECT x.i, s.k4, s.count FROM (VALUES (1), (2), (3)) x(i)
	 LEFT JOIN (SELECT few, k4, count(*) FROM by_key_rows GROUP BY few, k4) s ON s.few < x.i');
RESET enable_material;
RESET enable_hashjoin;
RESET enable_mergejoin;
RESET enable_sort;

-- Rescans with other rows
SELECT x.i, u.*
FROM (VALUES (1), (5000), (3)) x(i),
	LATERAL (SELECT gpu_sum_by_key(few, i) AS a FROM by_key_rows r WHERE r.i <= x.i) s, unnest(s.a) u
ORDER BY x.i, u.key;

-- An aggregation that is abandoned
BEGIN;
DECLARE c CURSOR FOR
	SELECT few, cardinality(gpu_sum_by_key(k4, v4)) FROM by_key_rows GROUP BY few ORDER BY few;
FETCH 1 FROM c;
CLOSE c;
COMMIT;
SET enable_sort = off;
SELECT few, cardinality(gpu_sum_by_key(k4, v4)) > 0 AS ok FROM by_key_rows GROUP BY few LIMIT 1 \gset
\echo :ok
RESET enable_sort;
SELECT gpu_sum_by_key(few, 1 / (i - 20000)) FROM by_key_rows;
SELECT gpu_sum_by_key(few, 1 / (i - 30001)) FROM by_key_rows;

-- Not as window functions
SELECT gpu_sum_by_key(k4, v4) OVER (PARTITION BY few) FROM by_key_rows;
SELECT gpu_count_by_key(k4) OVER (ORDER BY i) FROM by_key_rows;

--
-- Parallel workers read the rows, or run the whole
--
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
EXPLAIN (COSTS OFF) SELECT gpu_sum_by_key(k4, v4) FROM by_key_rows;
SELECT k, v, by_key_check(k, v, 'by_key_rows') FROM by_key_types;
SELECT k, v, by_key_check(k, v, 'by_key_rows', 'many') FROM by_key_types WHERE k = 'kt';
-- called force_parallel_mode up to 15
SELECT set_config(name, 'on', false) FROM pg_settings WHERE name IN ('debug_parallel_query', 'force_parallel_mode');
SELECT cardinality(gpu_sum_by_key(k4, v4)) FROM by_key_rows;
SELECT set_config(name, 'off', false) FROM pg_settings WHERE name IN ('debug_parallel_query', 'force_parallel_mode');
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
RESET max_parallel_workers_per_gather;

--
-- Text: collations, char(n), varchar, large values
--
CREATE COLLATION by_key_nondeterministic (provider = icu, locale = 'und', deterministic = false);
CREATE TABLE by_key_text (c text COLLATE "C", u text COLLATE "und-x-icu", n text COLLATE by_key_nondeterministic);
INSERT INTO by_key_text
SELECT w, w, w FROM unnest('{b,B,a,A,Ä,ä,é,e,z,Z,10,9,_,"",NULL}'::text[]) w, generate_series(1, 3);
SELECT gpu_count_by_key(c) FROM by_key_text;
SELECT gpu_count_by_key(u) FROM by_key_text;
SELECT gpu_count_by_key(c COLLATE "und-x-icu") FROM by_key_text;
SELECT by_key_check('c', NULL, 'by_key_text'), by_key_check('u', '1', 'by_key_text');
SELECT gpu_count_by_key(n) FROM by_key_text;
SELECT gpu_sum_by_key(n, 1) FROM by_key_text;
SELECT gpu_count_by_key(n COLLATE "C") FROM by_key_text;
SELECT gpu_count_by_key(c || u) FROM by_key_text;

CREATE TABLE by_key_flights (origin char(3), dest varchar(4), distance int);
INSERT INTO by_key_flights
SELECT (ARRAY['BOS', 'SFO', 'LA', 'ORD', NULL])[1 + i % 5], (ARRAY['KBOS', 'X', ''])[1 + i % 3], i
FROM generate_series(1, 10000) i;
SELECT u.* FROM (SELECT gpu_sum_by_key(origin, distance) AS a FROM by_key_flights) s, unnest(s.a) u;
SELECT u.* FROM (SELECT gpu_count_by_key(dest) AS a FROM by_key_flights) s, unnest(s.a) u;
SELECT by_key_check('origin::text', 'distance', 'by_key_flights'),
	by_key_check('dest::text', 'distance::float8', 'by_key_flights');

-- Compressed and external keys, several batches that their bytes fill
CREATE TABLE by_key_large (k text, x text);
ALTER TABLE by_key_large ALTER x SET STORAGE EXTERNAL;
INSERT INTO by_key_large
SELECT repeat('k', 200000) || i, repeat('x', 200000) || i
FROM generate_series(1, 20) i;
SELECT by_key_check('k', '1', 'by_key_large, generate_series(1, 7)'),
	by_key_check('x', NULL, 'by_key_large, generate_series(1, 7)');

--
-- Sums of bigint are numeric and have no bounds
--
SELECT u.* FROM (
	SELECT gpu_sum_by_key(k, v) AS a
	FROM (VALUES (1, 9223372036854775807), (2, -9223372036854775808), (3, 9223372036854775807),
				 (3, -9223372036854775808), (4, -1), (5, 4294967296), (6, -4294967297)) AS t(k, v),
		 generate_series(1, 3000)) s, unnest(s.a) u;
SELECT by_key_check('k', 'v', '(SELECT i % 7 AS k, (CASE i % 3 WHEN 0 THEN 9223372036854775807
	WHEN 1 THEN -9223372036854775808 ELSE i END)::bigint AS v FROM generate_series(1, 20000) i) t');
-- and of integer bigint
SELECT gpu_sum_by_key(i % 2, CASE i % 2 WHEN 0 THEN 2147483647 ELSE -2147483648 END)
FROM generate_series(1, 10000) i;

--
-- Floats: not a number, infinities, overflow
--
SELECT u.* FROM (
	SELECT gpu_sum_by_key(k, v) AS a
	FROM (VALUES (1, 'NaN'::float8), (1, 1), (2, 'Infinity'), (2, 1), (3, '-Infinity'), (3, 1),
				 (4, 'Infinity'), (4, '-Infinity'), (5, 'Infinity'), (5, 'NaN'), (6, 1e308), (6, -1e308),
				 (7, NULL), (8, 5e-324), (8, 5e-324), (9, 0.1), (9, 0.2), (10, 'Infinity'), (10, 'Infinity'),
				 (11, 1e200), (11, -1e200), (11, 5), (12, 1.5e140), (12, 1e140), (12, 1e139), (13, 1e308), (13, NULL)) AS t(k, v)) s,
	unnest(s.a) u;
SELECT by_key_check('k', 'v', '(VALUES (1, ''NaN''::float8), (1, 1), (2, ''Infinity''), (2, 1),
	(3, ''-Infinity''), (4, ''Infinity''), (4, ''-Infinity''), (5, 1e308), (6, NULL),
	(7, 1e200), (7, -1e200), (7, 5), (8, 1.5e140), (8, 1e140), (8, 1e139), (9, -1.7e308), (9, NULL)) t(k, v)');
SELECT gpu_sum_by_key(1, v) FROM (VALUES (1e308::float8), (1e308)) t(v);
SELECT sum(v) FROM (VALUES (1e308::float8), (1e308)) t(v);
SELECT gpu_sum_by_key(1, v) FROM (VALUES (-1e308::float8), (-1e308)) t(v);

DROP VIEW by_key_types;
DROP TABLE by_key_rows, by_key_text, by_key_flights, by_key_large;
DROP COLLATION by_key_nondeterministic;
DROP FUNCTION by_key_check, by_key_compare;
