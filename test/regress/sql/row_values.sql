--
-- First rows whose columns their groups have: these are not fetched, but for zeros and NaNs.
--
\set VERBOSITY terse

-- how many rows of the query's nodes were fetched
CREATE FUNCTION fetched(query text) RETURNS text LANGUAGE plpgsql SET gpuagg.mode = force SET gpuagg.fallback = off AS $$
DECLARE
	line text;
	n text := 'no such node';
BEGIN
	PERFORM let_engine_answer();
	FOR line IN EXECUTE 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) ' || query LOOP
		n := coalesce(substring(line FROM 'Rows Fetched: (\d+)'), n);
	END LOOP;
	RETURN n;
END $$;
CREATE TABLE row_values (b boolean, i2 smallint, i4 integer, i8 bigint, f4 real, f8 double precision, d date, ts timestamp, tz timestamptz,
	t text, vc varchar(20), ch char(6), n numeric(10, 2), u uuid, o oid, place int);
INSERT INTO row_values SELECT i % 2 = 0, i % 7 - 3, i * 31 % 100 - 50, i * 7919::bigint % 1009 - 500, i % 90 / 8.0 + 0.5, -(i * 37 % 1013) - 0.25,
	date '1999-12-20' + i % 30, timestamp '1999-12-31' + (i * 7 % 300) * interval '1 minute', timestamptz '2001-01-01 UTC' - (i % 301) * interval '1 second',
	CASE WHEN i % 5 = 0 THEN repeat('long ', 50) ELSE 't' || i % 5 END, 'v' || i % 9, 'c' || i % 3, i % 11, md5((i % 13)::text)::uuid, (i % 4) * 1000000000::bigint, i
	FROM generate_series(1, 3000) i;
INSERT INTO row_values (place) VALUES (0), (-1);
INSERT INTO row_values (i2, place) VALUES (3, -2), (null, -3);
ANALYZE row_values;

-- keys of groups and keys of orders of all types, with and without the row's number
SELECT key, check_engine(q), fetched(q)
FROM unnest(ARRAY['b', 'i2', 'i4', 'i8', 'f4', 'f8', 'd', 'ts', 'tz', 't', 'vc', 'ch', 'n', 'u', 'o']) key,
	format('SELECT * FROM (SELECT %s, place, row_number() OVER (PARTITION BY %1$s ORDER BY place) AS r FROM row_values) s WHERE r <= 3', key) q;
SELECT key, dir, check_engine(q), fetched(q)
FROM unnest(ARRAY['i2', 'i4', 'i8', 'f4', 'f8', 'd', 'ts', 'tz']) key, unnest(ARRAY['', 'DESC', 'NULLS FIRST', 'DESC NULLS LAST']) dir,
	format('SELECT u, %s FROM (SELECT u, %1$s, row_number() OVER (PARTITION BY u ORDER BY %1$s %s) AS r FROM row_values) s WHERE r <= 4', key, dir) q;
SELECT q, check_engine(q), fetched(q) FROM unnest(ARRAY[
	'SELECT DISTINCT ON (i2) i2, i8, ts FROM row_values ORDER BY i2, i8 DESC NULLS LAST, ts',
	'SELECT DISTINCT ON (t, i2) i2 + 1, upper(t), -place FROM row_values ORDER BY t, i2, place DESC',
	'SELECT DISTINCT ON (t, i2) ctid, tableoid::regclass, i2 FROM row_values ORDER BY t, i2, place DESC',
	'SELECT DISTINCT ON (t, i2) d, i2 FROM row_values ORDER BY t, i2, place DESC',
	'SELECT DISTINCT ON (i4 % 7) i4 % 7 AS k, place FROM row_values ORDER BY i4 % 7, place',
	'SELECT i8 FROM (SELECT i8, rank() OVER (PARTITION BY i2 ORDER BY i8) AS r FROM row_values) s WHERE r <= 2',
	'SELECT ctid FROM (SELECT ctid, rank() OVER (PARTITION BY i2 ORDER BY i8) AS r FROM row_values) s WHERE r <= 2',
	'SELECT ctid, r FROM (SELECT ctid, dense_rank() OVER (PARTITION BY i2 ORDER BY i8) AS r FROM row_values) s WHERE r <= 2',
	'SELECT i8, place FROM row_values ORDER BY i8 DESC NULLS LAST, place LIMIT 9',
	'SELECT ctid, tableoid::regclass FROM row_values WHERE i4 = 7',
	'SELECT ctid, i4 FROM row_values WHERE i4 = 7',
	'SELECT i2 FROM (SELECT i2, row_number() OVER (PARTITION BY i2 ORDER BY place) AS r FROM row_values WHERE i4 < 0) s WHERE r = 1 AND i2 > 0']) q;

-- floats that are 0 or NaN as keys of groups and of orders
CREATE TABLE row_floats (k double precision, f double precision, r real, id int);
INSERT INTO row_floats SELECT (ARRAY['0', '-0', 'NaN', '1.5', 'Infinity'])[i % 5 + 1]::float8, (ARRAY['0', '-0', 'NaN', 'Infinity', '-Infinity', '1e-300', '-5'])[i % 7 + 1]::float8,
	(ARRAY['-0', '0', 'NaN', '-1', '3.4e38'])[i * 3 % 5 + 1]::float4, i FROM generate_series(1, 200) i;
ANALYZE row_floats;
SELECT q, check_engine(q), fetched(q) FROM unnest(ARRAY[
	'SELECT DISTINCT ON (k) k, id FROM row_floats ORDER BY k, id',
	'SELECT DISTINCT ON (k) k, id FROM row_floats ORDER BY k, id DESC',
	'SELECT f, id, n FROM (SELECT f, id, row_number() OVER (PARTITION BY id % 3 ORDER BY f DESC, id) AS n FROM row_floats) s WHERE n <= 16',
	'SELECT r, id, n FROM (SELECT r, id, row_number() OVER (PARTITION BY id % 3 ORDER BY r DESC, id) AS n FROM row_floats) s WHERE n <= 16']) q;

-- more of the first rows than numbers that fit beside a place
SELECT q, check_engine(q) FROM unnest(ARRAY[
	'SELECT f, id FROM row_floats ORDER BY f, id LIMIT 100',
	'SELECT f, id FROM row_floats ORDER BY f DESC, id LIMIT 100',
	'SELECT r FROM row_floats ORDER BY r LIMIT 128',
	'SELECT id, f FROM row_floats WHERE f = 0 ORDER BY id LIMIT 50']) q;

-- partitions
CREATE TABLE row_parts (k int, v bigint, t text) PARTITION BY RANGE (k);
CREATE TABLE row_parts_1 PARTITION OF row_parts FOR VALUES FROM (0) TO (10);
CREATE TABLE row_parts_2 PARTITION OF row_parts FOR VALUES FROM (10) TO (20);
INSERT INTO row_parts SELECT i % 20, i * 7 % 1009, 't' || i % 3 FROM generate_series(1, 1000) i;
ANALYZE row_parts;
SELECT q, check_engine(q), fetched(q) FROM unnest(ARRAY[
	'SELECT DISTINCT ON (k) k, v, ctid, tableoid::regclass FROM row_parts ORDER BY k, v',
	'SELECT t, v, n, tableoid::regclass FROM (SELECT t, v, tableoid, row_number() OVER (PARTITION BY t ORDER BY v DESC) AS n FROM row_parts) s WHERE n <= 5',
	'SELECT DISTINCT ON (k) k, v, t FROM row_parts ORDER BY k, v']) q;

-- what a transaction has changed itself, and rows that have gone since a cursor was opened
BEGIN;
UPDATE row_parts SET v = v + 5000 WHERE v % 5 = 0;
DELETE FROM row_parts WHERE v % 7 = 0;
SELECT check_engine('SELECT DISTINCT ON (k) k, v, ctid FROM row_parts ORDER BY k, v DESC');
SET LOCAL gpuagg.mode = force;
DECLARE c CURSOR FOR SELECT DISTINCT ON (k) k, v FROM row_parts ORDER BY k, v DESC;
FETCH 2 FROM c;
DELETE FROM row_parts;
FETCH 2 FROM c;
ROLLBACK;

-- by costs: rows that are not fetched cost less than those that are
CREATE TABLE row_many (k int, v bigint, pad text);
INSERT INTO row_many SELECT i % 40000, i * 7919::bigint % 100003, repeat('x', 80) FROM generate_series(1, 200000) i;
ANALYZE row_many;
SET max_parallel_workers_per_gather = 0;
SET gpuagg.engine = cpu;
SET gpuagg.mode = auto;
CREATE FUNCTION row_plan(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	line text;
	plan text := 'PostgreSQL''s own';
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
		plan := coalesce(substring(line FROM 'GpuAgg'), plan);
	END LOOP;
	RETURN plan;
END $$;
SELECT row_plan('SELECT k, v FROM (SELECT k, v, row_number() OVER (PARTITION BY k ORDER BY v) AS n FROM row_many) s WHERE n <= 2');
RESET gpuagg.mode;
RESET gpuagg.engine;
RESET max_parallel_workers_per_gather;
DROP TABLE row_values, row_floats, row_parts, row_many;
DROP FUNCTION fetched(text), row_plan(text);
