--
-- array_agg with ORDER BY its argument, or with DISTINCT: lists of values that leave the engine
-- in their order.
--
SET gpuagg.engine = cpu;

-- how the arrays are made
CREATE FUNCTION arrays_are(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	line text;
	lists int := 0;
	several bool := false;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (VERBOSE, COSTS OFF) ' || query LOOP
		lists := lists + (line ~ 'Program: given_values ')::int;
		several := several OR line ~ 'GpuAgg Partial';
	END LOOP;
	RETURN CASE WHEN lists > 0 THEN format('%s lists', lists) ELSE 'PostgreSQL''s' END || CASE WHEN several THEN ' of several processes' ELSE '' END;
END $$;

-- over nothing, over NULLs, over one value; lower bounds
CREATE TABLE few_arrays (g int, v int);
SELECT array_agg(v ORDER BY v), array_agg(DISTINCT v) FROM few_arrays;
SELECT g, array_agg(v ORDER BY v) FROM few_arrays GROUP BY g;
SELECT check_query('SELECT array_agg(v ORDER BY v), array_agg(DISTINCT v) FROM few_arrays'), arrays_are('SELECT array_agg(v ORDER BY v), array_agg(DISTINCT v) FROM few_arrays');
INSERT INTO few_arrays VALUES (1, NULL), (2, 7), (3, 7), (3, NULL), (4, 5), (4, 9), (4, 5), (4, NULL), (4, 6), (4, NULL), (5, NULL), (5, NULL), (4, -5), (4, -2147483648), (4, 2147483647);
ANALYZE few_arrays;
SET gpuagg.mode = force;
SELECT g, array_agg(v ORDER BY v), array_agg(v ORDER BY v DESC), array_agg(DISTINCT v) FROM few_arrays GROUP BY g ORDER BY g;
SELECT g, array_agg(v ORDER BY v NULLS FIRST), array_agg(v ORDER BY v DESC NULLS LAST), array_agg(DISTINCT v ORDER BY v DESC), array_agg(DISTINCT v ORDER BY v NULLS FIRST) FROM few_arrays GROUP BY g ORDER BY g;
SELECT g, array_agg(v ORDER BY v) FILTER (WHERE v > 5), array_agg(DISTINCT v) FILTER (WHERE v IS NULL), array_agg(v ORDER BY v DESC NULLS LAST) FILTER (WHERE g < 4), count(*) FROM few_arrays GROUP BY g ORDER BY g;
SELECT array_agg(v ORDER BY v), array_agg(DISTINCT v), array_agg(v ORDER BY v) FILTER (WHERE v > 2147483646) FROM few_arrays;
SELECT array_dims(array_agg(v ORDER BY v)), pg_typeof(array_agg(DISTINCT v)), cardinality(array_agg(v ORDER BY v)), pg_column_size(array_agg(v ORDER BY v)), pg_column_size(array_agg(v ORDER BY v) FILTER (WHERE v > 0)) FROM few_arrays;
RESET gpuagg.mode;

-- each type, both orders
CREATE TABLE many_arrays AS
SELECT i AS id, i * 7919 % 97 AS g, i % 3 = 0 AS b, (i * 7 % 301 - 150)::int2 AS i2, i * 31 % 977 - 400 AS i4, (i::int8 * 7777777777777 % 100003 - 50000) * 90000000000000 AS i8,
	date '2020-02-20' + i * 31 % 977 AS d, timestamp '2001-01-01' + i * 7 % 1009 * interval '1 h' AS ts, timestamptz '2001-01-01 UTC' - i * 11 % 1013 * interval '1 min' AS tz,
	time '00:00' + i % 71 * interval '17 s' AS t, (i % 89)::money AS m, (i * 13 % 701 - 350) / 4.0::float8 AS f, (i * 19 % 997 - 500) / 100.0 AS n, 'name ' || i % 50 AS s
FROM generate_series(1, 20000) i;
ALTER TABLE many_arrays ALTER n TYPE numeric(8, 2);
INSERT INTO many_arrays (id, g) SELECT 20000 + i, CASE WHEN i % 2 = 0 THEN i % 97 ELSE 200 END FROM generate_series(1, 300) i;
INSERT INTO many_arrays (id, g, d, ts) VALUES (1, 300, 'infinity', '-infinity'), (2, 300, '-infinity', 'infinity'), (3, 300, '4713-01-01 BC', '4713-01-01 BC');
ANALYZE many_arrays;
SELECT check_engine('SELECT g, array_agg(b ORDER BY b), array_agg(i2 ORDER BY i2), array_agg(i4 ORDER BY i4), array_agg(i8 ORDER BY i8), array_agg(d ORDER BY d) FROM many_arrays GROUP BY g');
SELECT check_engine('SELECT g, array_agg(ts ORDER BY ts), array_agg(tz ORDER BY tz), array_agg(t ORDER BY t), array_agg(m ORDER BY m) FROM many_arrays GROUP BY g');
SELECT check_engine('SELECT g, array_agg(b ORDER BY b DESC), array_agg(i2 ORDER BY i2 DESC NULLS LAST), array_agg(i8 ORDER BY i8 DESC), array_agg(d ORDER BY d DESC NULLS LAST), array_agg(ts ORDER BY ts DESC) FROM many_arrays GROUP BY g');
SELECT check_engine('SELECT g, array_agg(DISTINCT b), array_agg(DISTINCT i2), array_agg(DISTINCT i4 ORDER BY i4 DESC), array_agg(DISTINCT i8), array_agg(DISTINCT d), array_agg(DISTINCT t ORDER BY t NULLS FIRST), array_agg(DISTINCT m), count(*) FROM many_arrays GROUP BY g');
SELECT check_engine('SELECT array_agg(i4 ORDER BY i4), array_agg(DISTINCT i4), array_agg(i8 ORDER BY i8 DESC), array_agg(b ORDER BY b) FROM many_arrays');
SELECT check_engine('SELECT id, array_agg(i4 ORDER BY i4), array_agg(DISTINCT i8) FROM many_arrays GROUP BY id');
SELECT check_engine('SELECT g, array_agg(g ORDER BY g), array_agg(id / 3 + g ORDER BY id / 3 + g) FILTER (WHERE b OR i4 > 100) FROM many_arrays GROUP BY g');
SELECT arrays_are('SELECT g, array_agg(i4 ORDER BY i4), array_agg(i4 ORDER BY i4 DESC), array_agg(DISTINCT i4), array_agg(i4 ORDER BY i4) FILTER (WHERE b) FROM many_arrays GROUP BY g');
CREATE DOMAIN small AS int CHECK (VALUE < 100000);
SELECT check_engine('SELECT g, array_agg(i4::small ORDER BY i4::small), array_agg(DISTINCT i2::small), count(*) FROM many_arrays GROUP BY g');

-- beside other aggregates, HAVING, ORDER BY and LIMIT, joins, other sources
SELECT check_engine('SELECT g, array_agg(i4 ORDER BY i4), count(*), sum(i8), avg(f), count(DISTINCT i4), sum(DISTINCT i2), percentile_disc(0.5) WITHIN GROUP (ORDER BY i4), mode() WITHIN GROUP (ORDER BY i4), min(s COLLATE "C") FROM many_arrays GROUP BY g');
SELECT check_engine('SELECT g, s, b, array_agg(i4 ORDER BY i4) FROM many_arrays GROUP BY g, s, b');
SELECT check_engine('SELECT g, array_agg(i4 ORDER BY i4) FROM many_arrays GROUP BY g HAVING count(*) > 206'), check_engine('SELECT g FROM many_arrays GROUP BY g HAVING (array_agg(i4 ORDER BY i4))[1] < -398');
SELECT check_engine('SELECT g, (array_agg(i4 ORDER BY i4 DESC NULLS LAST))[1:3] AS a, cardinality(array_agg(DISTINCT d)) FROM many_arrays GROUP BY g ORDER BY 3 DESC, 1 LIMIT 5');
SELECT check_engine('SELECT g, array_agg(i4 ORDER BY i4) AS a FROM many_arrays GROUP BY g ORDER BY sum(i8) DESC, g LIMIT 3');
SELECT check_query('SELECT x.g % 10, array_agg(y.i4 ORDER BY y.i4), array_agg(DISTINCT x.d) FROM many_arrays x JOIN many_arrays y ON x.g = y.id WHERE y.id > 3 GROUP BY 1');
SELECT check_query('SELECT i % 10, array_agg(i % 77 ORDER BY i % 77 DESC), array_agg(DISTINCT i % 13) FROM generate_series(1, 5000) i GROUP BY 1');
SELECT check_query('SELECT cardinality(a), array_agg(DISTINCT a) FROM (SELECT g, array_agg(i4 ORDER BY i4) AS a FROM many_arrays GROUP BY g OFFSET 0) x GROUP BY 1');
SELECT check_query('SELECT g, a[1], a[cardinality(a)] FROM many_arrays x, LATERAL (SELECT array_agg(i4 ORDER BY i4) FROM many_arrays y WHERE y.g = x.g % 3) l (a) WHERE x.id < 20');

-- a cursor that goes back
BEGIN;
DECLARE arrays SCROLL CURSOR FOR SELECT g, (array_agg(i4 ORDER BY i4))[1:2] FROM many_arrays WHERE g < 4 GROUP BY g ORDER BY g;
FETCH 3 FROM arrays;
FETCH BACKWARD 2 FROM arrays;
COMMIT;

-- few distinct rows cost less than lists of all values
SELECT arrays_are('SELECT g % 3, array_agg(DISTINCT b) FROM many_arrays GROUP BY 1'), arrays_are('SELECT g % 3, array_agg(DISTINCT i8) FROM many_arrays GROUP BY 1'), check_query('SELECT g % 3, array_agg(DISTINCT b) FROM many_arrays GROUP BY 1');

-- what PostgreSQL makes the arrays of
SELECT q AS query, check_query(format('SELECT g, %s FROM many_arrays GROUP BY g', q)), arrays_are(format('SELECT g, %s FROM many_arrays GROUP BY g', q))
FROM unnest('{"array_agg(DISTINCT s)", "array_agg(DISTINCT i4), array_agg(DISTINCT s)", "array_agg(DISTINCT i4), bit_xor(DISTINCT i2)"}'::text[]) q;
SELECT q AS query, is_taken(format('SELECT g, %s FROM many_arrays GROUP BY g', q))
FROM unnest('{"array_agg(i4)", "array_agg(i4 ORDER BY id)", "array_agg(i4 ORDER BY i4, id)", "array_agg(f ORDER BY f)", "array_agg(n ORDER BY n)", "array_agg(s ORDER BY s)", "array_agg(ARRAY[i4] ORDER BY ARRAY[i4])", "json_agg(i4 ORDER BY i4)", "array_agg(i4 ORDER BY -i4)"}'::text[]) q;

-- errors are PostgreSQL's, of rows that FILTER lets pass; the engine fails
SELECT check_fallback('SELECT g, array_agg(100 / (i2 + 3) ORDER BY 100 / (i2 + 3)) FROM many_arrays GROUP BY g');
SELECT check_engine('SELECT g, array_agg(100 / (i2 + 3) ORDER BY 100 / (i2 + 3)) FILTER (WHERE i2 <> -3) FROM many_arrays GROUP BY g');
SELECT check_join('SELECT g, array_agg(i4 ORDER BY i4), array_agg(DISTINCT i8) FROM many_arrays GROUP BY g');

-- more than the memory: lists go into a file, and come back by parts, and one by one
SET work_mem = '64kB';
SELECT check_engine('SELECT id % 3000, array_agg(i4 ORDER BY i4), array_agg(DISTINCT i8), count(*) FROM many_arrays GROUP BY 1');
SELECT check_engine('SELECT g, array_agg(i4 ORDER BY i4), array_agg(DISTINCT d ORDER BY d DESC), max(t), percentile_disc(0.3) WITHIN GROUP (ORDER BY i4) FROM many_arrays GROUP BY g');
SELECT check_engine('SELECT array_agg(i8 / 7 + id ORDER BY i8 / 7 + id), array_agg(DISTINCT i4), sum(DISTINCT i4) FROM many_arrays');
SELECT check_engine('SELECT b, array_agg(i8 / 7 + id ORDER BY i8 / 7 + id DESC NULLS LAST) FROM many_arrays GROUP BY b');
SET hash_mem_multiplier = 1;
SELECT q AS query, check_engine(format('SELECT b, %s FROM many_arrays GROUP BY b', q))
FROM unnest('{"array_agg(i4 ORDER BY i4 DESC)", "array_agg(i4 ORDER BY i4 NULLS FIRST)", "array_agg(i8 ORDER BY i8 DESC NULLS LAST)", "array_agg(DISTINCT i4)", "array_agg(DISTINCT i8 ORDER BY i8 DESC)", "array_agg(DISTINCT i4 ORDER BY i4 NULLS FIRST)", "array_agg(i4 ORDER BY i4) FILTER (WHERE id > 100), array_agg(DISTINCT i8)"}'::text[]) q;

-- a group's list that is more than the memory stays in the file
CREATE FUNCTION memory_of(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	plan jsonb;
BEGIN
	PERFORM let_engine_answer();
	EXECUTE 'EXPLAIN (ANALYZE, FORMAT JSON) ' || query INTO plan;
	plan := jsonb_path_query_first(plan, '$.**?(@."Custom Plan Provider" == "GpuAgg")');
	RETURN format('%s ordered values, %s of disk, memory %s', plan ->> 'Ordered Values',
				  CASE WHEN (plan ->> 'Disk Usage')::int > 0 THEN 'some' ELSE 'no' END,
				  CASE WHEN (plan ->> 'Peak Memory Usage')::int < 1000 THEN 'small' ELSE plan ->> 'Peak Memory Usage' END);
END $$;
CREATE TABLE one_array AS SELECT i * 7919 % 100003 AS v FROM generate_series(1, 100000) i;
ANALYZE one_array;
SELECT check_engine('SELECT array_agg(v ORDER BY v), array_agg(DISTINCT v ORDER BY v DESC) FROM one_array');
SELECT memory_of('SELECT array_length(array_agg(v ORDER BY v), 1) FROM one_array');

-- by several processes
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
ALTER TABLE many_arrays SET (parallel_workers = 2);
SELECT arrays_are('SELECT g, array_agg(i4 ORDER BY i4) FROM many_arrays GROUP BY g');
SELECT check_engine('SELECT g, array_agg(i4 ORDER BY i4), array_agg(DISTINCT i8), percentile_disc(0.3) WITHIN GROUP (ORDER BY i4), max(s COLLATE "C") FROM many_arrays GROUP BY g');
SELECT check_engine('SELECT array_agg(i8 / 7 + id ORDER BY i8 / 7 + id), array_agg(DISTINCT i4) FROM many_arrays');
SELECT check_engine('SELECT b, array_agg(i4 ORDER BY i4), array_agg(DISTINCT i8 ORDER BY i8 DESC) FROM many_arrays GROUP BY b');
RESET hash_mem_multiplier;
RESET work_mem;
SELECT check_engine('SELECT g, array_agg(i4 ORDER BY i4), array_agg(DISTINCT i8), percentile_disc(0.3) WITHIN GROUP (ORDER BY i4), max(s COLLATE "C") FROM many_arrays GROUP BY g');
SELECT check_engine('SELECT id, array_agg(i4 ORDER BY i4), array_agg(DISTINCT i8) FROM many_arrays GROUP BY id');
SELECT check_engine('SELECT array_agg(i8 / 7 + id ORDER BY i8 / 7 + id), array_agg(DISTINCT i4) FROM many_arrays');
RESET max_parallel_workers_per_gather;
RESET min_parallel_table_scan_size;
RESET parallel_tuple_cost;
RESET parallel_setup_cost;

RESET gpuagg.engine;
DROP TABLE few_arrays, many_arrays, one_array;
DROP DOMAIN small;
DROP FUNCTION arrays_are, memory_of;
