--
-- percentile_cont, percentile_disc and mode: lists of values, and what is read from them.
--

-- over nothing, over NULLs, over one value
CREATE TABLE no_values (g int, v float8);
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY v), percentile_disc(0.5) WITHIN GROUP (ORDER BY v), mode() WITHIN GROUP (ORDER BY v) FROM no_values;
SELECT check_query('SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY v), mode() WITHIN GROUP (ORDER BY v) FROM no_values');
SELECT check_query('SELECT g, percentile_cont(0.5) WITHIN GROUP (ORDER BY v) FROM no_values GROUP BY g');
SELECT g, percentile_cont(0.3) WITHIN GROUP (ORDER BY v), percentile_disc(0.3) WITHIN GROUP (ORDER BY v DESC), mode() WITHIN GROUP (ORDER BY v)
FROM (VALUES (1, NULL), (2, 7), (3, 7), (3, NULL), (4, 5), (4, 9), (4, 5), (4, 9), (4, 6)) x (g, v) GROUP BY g ORDER BY g;

-- each type, both orders, the first and the last value
SELECT check_query('SELECT k, percentile_disc(0.4) WITHIN GROUP (ORDER BY i2), percentile_disc(0.4) WITHIN GROUP (ORDER BY i4), percentile_disc(0.4) WITHIN GROUP (ORDER BY i8), mode() WITHIN GROUP (ORDER BY i2), mode() WITHIN GROUP (ORDER BY i4), mode() WITHIN GROUP (ORDER BY b) FROM facts GROUP BY k');
SELECT check_query('SELECT k, percentile_disc(0.4) WITHIN GROUP (ORDER BY i2 DESC), percentile_disc(0.9) WITHIN GROUP (ORDER BY i8 DESC), mode() WITHIN GROUP (ORDER BY i2 DESC), mode() WITHIN GROUP (ORDER BY b DESC), percentile_cont(0.3) WITHIN GROUP (ORDER BY i4 DESC) FROM facts GROUP BY k');
SELECT check_query('SELECT percentile_disc(0) WITHIN GROUP (ORDER BY i4), percentile_disc(1) WITHIN GROUP (ORDER BY i4), percentile_cont(0) WITHIN GROUP (ORDER BY i4), percentile_cont(1) WITHIN GROUP (ORDER BY i4 DESC), count(*), sum(i4) FROM facts');
CREATE TABLE many_types AS
SELECT i AS id, i * 7919 % 97 AS g, date '2020-02-20' + i * 31 % 977 AS d, timestamp '2001-01-01' + i * 7 % 1009 * interval '1 h' AS ts,
	timestamptz '2001-01-01 UTC' - i * 11 % 1013 * interval '1 min' AS tz, time '00:00' + i % 71 * interval '17 s' AS t, (i % 89)::money AS m,
	(i * 13 % 701 - 350) / 4.0::float8 AS f, (i * 17 % 499 - 250)::float4 / 8 AS r, (i * 19 % 997 - 500) / 100.0::numeric(8, 2) AS n
FROM generate_series(1, 20000) i;
ALTER TABLE many_types ALTER n TYPE numeric(8, 2);
ANALYZE many_types;
SELECT check_query('SELECT g, percentile_disc(0.5) WITHIN GROUP (ORDER BY d), percentile_disc(0.5) WITHIN GROUP (ORDER BY ts), percentile_disc(0.5) WITHIN GROUP (ORDER BY tz), percentile_disc(0.5) WITHIN GROUP (ORDER BY t), percentile_disc(0.5) WITHIN GROUP (ORDER BY m) FROM many_types GROUP BY g');
SELECT check_query('SELECT g, percentile_cont(0.35) WITHIN GROUP (ORDER BY f), percentile_cont(0.35) WITHIN GROUP (ORDER BY r), percentile_cont(0.35) WITHIN GROUP (ORDER BY n), percentile_disc(0.35) WITHIN GROUP (ORDER BY f), percentile_disc(0.35) WITHIN GROUP (ORDER BY r), percentile_disc(0.35) WITHIN GROUP (ORDER BY n DESC) FROM many_types GROUP BY g');
SELECT check_query('SELECT g, mode() WITHIN GROUP (ORDER BY f), mode() WITHIN GROUP (ORDER BY r DESC), mode() WITHIN GROUP (ORDER BY n), mode() WITHIN GROUP (ORDER BY d) FROM many_types GROUP BY g');
SELECT check_query('SELECT percentile_cont(p) WITHIN GROUP (ORDER BY f) FROM many_types, (VALUES (0.25)) x (p) GROUP BY p');

-- many values: ranges are counted, and only those that are wanted are sorted
SELECT check_query('SELECT percentile_cont(0.123) WITHIN GROUP (ORDER BY f * id), percentile_cont(0.877) WITHIN GROUP (ORDER BY f * id), percentile_disc(0.5) WITHIN GROUP (ORDER BY f * id DESC), mode() WITHIN GROUP (ORDER BY id / 7), mode() WITHIN GROUP (ORDER BY CASE WHEN id % 3 > 0 THEN 1 ELSE f * (id % 2 - 1) END) FROM many_types');
SELECT check_query('SELECT percentile_disc(0.01) WITHIN GROUP (ORDER BY id::int8 * id * id * id), percentile_disc(0.99) WITHIN GROUP (ORDER BY (id % 2 * 2 - 1) * 9223372036854775000), mode() WITHIN GROUP (ORDER BY id::int8 * id) FROM many_types');

-- NaN is above all, infinities are next to it; neighbours that are infinite
CREATE TABLE extremes_of_floats (g int, v float8);
INSERT INTO extremes_of_floats SELECT i % 5, CASE i % 4 WHEN 0 THEN 'NaN'::float8 WHEN 1 THEN 'inf' WHEN 2 THEN '-inf' ELSE i END FROM generate_series(1, 43) i;
SELECT check_query('SELECT g, percentile_cont(0) WITHIN GROUP (ORDER BY v), percentile_cont(0.3) WITHIN GROUP (ORDER BY v), percentile_cont(0.72) WITHIN GROUP (ORDER BY v), percentile_cont(1) WITHIN GROUP (ORDER BY v), percentile_disc(0.6) WITHIN GROUP (ORDER BY v DESC), mode() WITHIN GROUP (ORDER BY v) FROM extremes_of_floats GROUP BY g');

-- 0 and -0 are equal: if a group has both, which is the result is not known
CREATE TABLE zeros_of_groups (g int, v float8);
INSERT INTO zeros_of_groups VALUES (1, -1), (1, '-0'), (1, 1), (2, 0), (2, 0), (3, '-0'), (3, '-0'), (3, 5);
SELECT check_query('SELECT g, percentile_disc(0.5) WITHIN GROUP (ORDER BY v), percentile_cont(0.5) WITHIN GROUP (ORDER BY v), mode() WITHIN GROUP (ORDER BY v) FROM zeros_of_groups GROUP BY g');
INSERT INTO zeros_of_groups VALUES (4, 0), (4, '-0'), (4, 5), (4, 6), (4, 7);
SELECT check_query('SELECT g, percentile_disc(0.9) WITHIN GROUP (ORDER BY v) FROM zeros_of_groups GROUP BY g');
SELECT check_fallback('SELECT g, percentile_disc(0.1) WITHIN GROUP (ORDER BY v) + 0 FROM zeros_of_groups GROUP BY g');
SELECT check_fallback('SELECT g, mode() WITHIN GROUP (ORDER BY v) + 0 FROM zeros_of_groups GROUP BY g');

-- FILTER, HAVING, ORDER BY and LIMIT, expressions, joins, subqueries, beside other aggregates
SELECT check_query('SELECT g, percentile_cont(0.5) WITHIN GROUP (ORDER BY f) FILTER (WHERE id % 3 = 0), mode() WITHIN GROUP (ORDER BY id % 5) FILTER (WHERE f > 0), sum(f), avg(n), count(*), min(d), stddev(n) FROM many_types GROUP BY g');
SELECT check_query('SELECT g, percentile_cont(0.5) WITHIN GROUP (ORDER BY f) - percentile_cont(0.25) WITHIN GROUP (ORDER BY f) FROM many_types GROUP BY g HAVING percentile_disc(0.5) WITHIN GROUP (ORDER BY id) > 9000');
SELECT check_query('SELECT g, percentile_cont(0.5) WITHIN GROUP (ORDER BY f) AS p FROM many_types GROUP BY g ORDER BY p DESC, g LIMIT 7');
SELECT check_query('SELECT x.g % 10, percentile_cont(0.5) WITHIN GROUP (ORDER BY y.f) FROM many_types x JOIN many_types y ON x.g = y.id GROUP BY 1');
SELECT check_query('SELECT g, percentile_cont(0.5) WITHIN GROUP (ORDER BY f) FROM (SELECT * FROM many_types ORDER BY id LIMIT 10000) s GROUP BY g');

-- fractions: a parameter, one that is no fraction, NULL, one that rows change
PREPARE percentile (float8) AS SELECT count(p) FROM (SELECT g, percentile_disc($1) WITHIN GROUP (ORDER BY id) AS p FROM many_types GROUP BY g) s;
SET plan_cache_mode = force_generic_plan;
EXECUTE percentile (0.5);
EXECUTE percentile (NULL);
\set VERBOSITY terse
EXECUTE percentile (1.5);
EXECUTE percentile ('NaN');
RESET plan_cache_mode;
SELECT is_taken('SELECT percentile_disc(1.5) WITHIN GROUP (ORDER BY id) FROM many_types');
SELECT percentile_disc(-0.1) WITHIN GROUP (ORDER BY id) FROM many_types;

-- fractions of the group: keys, what is computed of keys, NULL, and what is no fraction
CREATE TABLE fractions AS SELECT i AS id, i % 4 AS g, i % 5 / 4.0::float8 AS p, (i % 3 / 4.0)::numeric(3, 2) AS n, CASE WHEN i % 6 < 5 THEN i % 6 END AS h, 'name ' || i % 3 AS s, (i * 37 % 1000) / 8.0::float8 AS v, i * 31 % 501 AS w FROM generate_series(1, 3000) i;
ANALYZE fractions;
SELECT check_engine('SELECT g, percentile_cont(CASE g WHEN 1 THEN 0.9 WHEN 2 THEN 0 ELSE 0.5 END) WITHIN GROUP (ORDER BY v), percentile_disc(g / 4.0::float8) WITHIN GROUP (ORDER BY w DESC), percentile_cont(0.3) WITHIN GROUP (ORDER BY v), count(*), max(p) FROM fractions GROUP BY g');
SELECT check_engine('SELECT p, n, percentile_cont(p) WITHIN GROUP (ORDER BY v), percentile_disc(n) WITHIN GROUP (ORDER BY w) FILTER (WHERE g > 1), percentile_cont(1 - p / 2) WITHIN GROUP (ORDER BY w) FROM fractions GROUP BY p, n');
SELECT h, percentile_cont(h / 4.0::float8) WITHIN GROUP (ORDER BY v), percentile_disc(CASE WHEN h < 3 THEN h / 3.0::float8 WHEN h = 4 THEN 1 END) WITHIN GROUP (ORDER BY w), count(*) FROM fractions GROUP BY h ORDER BY h;
SELECT check_engine('SELECT h, percentile_cont(h / 4.0::float8) WITHIN GROUP (ORDER BY v), percentile_disc(CASE WHEN h < 3 THEN h / 3.0::float8 WHEN h = 4 THEN 1 END) WITHIN GROUP (ORDER BY w) FILTER (WHERE v > 2), mode() WITHIN GROUP (ORDER BY v), count(DISTINCT w) FROM fractions GROUP BY h');
SELECT check_engine('SELECT s, id % 7, percentile_disc(CASE WHEN s = ''name 1'' THEN (id % 7) / 8.0::float8 ELSE 0.125 END) WITHIN GROUP (ORDER BY w) FROM fractions GROUP BY s, id % 7 HAVING percentile_disc((id % 7) / 7.0::float8) WITHIN GROUP (ORDER BY w) > 100');
SELECT check_engine('SELECT q, percentile_cont(q) WITHIN GROUP (ORDER BY v), percentile_disc(q) WITHIN GROUP (ORDER BY timestamp ''2000-01-01'' + w * interval ''1 s'' - timestamp ''2000-01-01'') FROM fractions, (VALUES (0.25::float8), (0.5), (0.75)) x (q) GROUP BY q');
SELECT check_engine('SELECT a.h, percentile_cont(b.p) WITHIN GROUP (ORDER BY a.v) FROM fractions a JOIN fractions b ON a.h = b.id GROUP BY a.h, b.p');
SELECT check_engine('SELECT g, h, percentile_cont(coalesce(h, 4) / 4.0::float8) WITHIN GROUP (ORDER BY v) FROM fractions GROUP BY ROLLUP (g, h)'), check_engine('SELECT percentile_cont(p) WITHIN GROUP (ORDER BY v) FROM fractions WHERE id < 0 GROUP BY p');
SELECT check_engine('SELECT h, percentile_cont(h / 4.0::float8) WITHIN GROUP (ORDER BY v) FROM fractions GROUP BY h ORDER BY 2 DESC');
SELECT check_join('SELECT p, percentile_cont(p) WITHIN GROUP (ORDER BY v) FROM fractions GROUP BY p');
SELECT check_fallback('SELECT h, percentile_cont(h / 3.0::float8) WITHIN GROUP (ORDER BY v) FROM fractions GROUP BY h'), check_fallback('SELECT h, percentile_disc(1 / h) WITHIN GROUP (ORDER BY v) FROM fractions GROUP BY h'), check_fallback('SELECT h, percentile_disc(h - 0.5::float8) WITHIN GROUP (ORDER BY v) FILTER (WHERE h > 1) FROM fractions WHERE h < 2 GROUP BY h');
-- equal keys that are not identical
INSERT INTO fractions (id, p, v) SELECT i, '-0', 1000 + i FROM generate_series(3001, 3010) i;
SELECT check_engine('SELECT percentile_cont(p) WITHIN GROUP (ORDER BY v), percentile_disc(1 - p) WITHIN GROUP (ORDER BY v) FROM fractions GROUP BY p');
SELECT taken, reason FROM gpuagg_explain('SELECT percentile_cont(atan2(p, -1) / 4) WITHIN GROUP (ORDER BY v) FROM fractions GROUP BY p');
-- by several processes, and from a file
BEGIN;
SET LOCAL gpuagg.engine = cpu;
SET LOCAL parallel_setup_cost = 0;
SET LOCAL parallel_tuple_cost = 0;
SET LOCAL min_parallel_table_scan_size = 0;
SET LOCAL max_parallel_workers_per_gather = 2;
ALTER TABLE fractions SET (parallel_workers = 2);
SELECT check_engine('SELECT h, percentile_cont(h / 4.0::float8) WITHIN GROUP (ORDER BY v), percentile_disc(h / 5.0::float8) WITHIN GROUP (ORDER BY w) FROM fractions GROUP BY h');
COMMIT;
BEGIN;
SET LOCAL work_mem = '64kB';
SET LOCAL gpuagg.engine = cpu;
SELECT check_engine('SELECT g, id % 2, percentile_cont(g / 96.0::float8) WITHIN GROUP (ORDER BY f), percentile_disc(id % 2 / 2.0::float8) WITHIN GROUP (ORDER BY id DESC) FROM many_types GROUP BY g, id % 2'), check_engine('SELECT id % 2, percentile_cont(id % 2 / 4.0::float8) WITHIN GROUP (ORDER BY f * id) FROM many_types GROUP BY 1');
COMMIT;
BEGIN;
SET LOCAL gpuagg.mode = auto;
SET LOCAL gpuagg.engine = cpu;
SELECT is_taken_by_auto FROM (SELECT taken AS is_taken_by_auto FROM gpuagg_explain('SELECT g, percentile_cont(g / 100.0::float8) WITHIN GROUP (ORDER BY f) FROM many_types GROUP BY g')) x;
COMMIT;

-- arrays of fractions: all that is over one argument is read from one list of values
SELECT check_query('SELECT g, percentile_cont(ARRAY[0.5, 0.1, 0.9, 0.5]) WITHIN GROUP (ORDER BY f), percentile_disc(ARRAY[0, 0.35, 1]) WITHIN GROUP (ORDER BY id DESC), percentile_disc(ARRAY[0.5, 0.25]) WITHIN GROUP (ORDER BY n), percentile_disc(ARRAY[0.5]) WITHIN GROUP (ORDER BY d) FROM many_types GROUP BY g');
SELECT check_query('SELECT percentile_disc(ARRAY[[0.5, NULL, 0.25], [NULL, 1, 0]]) WITHIN GROUP (ORDER BY t), percentile_cont(''[3:4]={NULL,0.7}''::float8[]) WITHIN GROUP (ORDER BY f) FROM many_types');
SELECT check_query('SELECT percentile_disc(ARRAY[0.5, NULL]) WITHIN GROUP (ORDER BY r), percentile_disc(ARRAY[0.1, 0.2]) WITHIN GROUP (ORDER BY b), percentile_disc(ARRAY[0.1, 0.2]) WITHIN GROUP (ORDER BY m), count(*), avg(n) FROM many_types, (VALUES (true), (false)) x (b)');
SELECT check_query('SELECT g, percentile_cont(ARRAY[0.5, 0.1]) WITHIN GROUP (ORDER BY v), sum(v) FROM no_values GROUP BY g');
SELECT percentile_cont(ARRAY[0.5, 0.1]) WITHIN GROUP (ORDER BY v), percentile_disc(ARRAY[NULL, 0.1]) WITHIN GROUP (ORDER BY v) FROM no_values;
SELECT check_query('SELECT g, (percentile_cont(ARRAY[0.25, 0.75]) WITHIN GROUP (ORDER BY f) FILTER (WHERE id % 3 = 0))[2] - percentile_cont(0.25) WITHIN GROUP (ORDER BY f) AS p FROM many_types GROUP BY g HAVING percentile_disc(ARRAY[0.5, 0.6]) WITHIN GROUP (ORDER BY id) > ARRAY[9000, 1]');
SELECT check_query('SELECT g, percentile_disc(ARRAY[0.3, 0.6]) WITHIN GROUP (ORDER BY id) AS p, count(*) FROM many_types GROUP BY g ORDER BY p DESC LIMIT 5');
SELECT check_query('SELECT g, percentile_disc(ARRAY[0.9]) WITHIN GROUP (ORDER BY v) FROM zeros_of_groups GROUP BY g');
SELECT check_fallback('SELECT g, percentile_disc(ARRAY[0.9, 0.1]) WITHIN GROUP (ORDER BY v) FROM zeros_of_groups GROUP BY g');
CREATE DOMAIN small_number AS int CHECK (VALUE < 100);
SELECT pg_typeof(percentile_disc(ARRAY[0.5, 0.1]) WITHIN GROUP (ORDER BY g::small_number)), pg_typeof(percentile_cont(ARRAY[0.5, 0.1]) WITHIN GROUP (ORDER BY g)) FROM many_types;
SELECT check_query('SELECT percentile_disc(ARRAY[0.5, 0.1]) WITHIN GROUP (ORDER BY (id % 100)::small_number) FROM many_types');
CREATE FUNCTION lists_of(query text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
	line text;
	lists int := 0;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (VERBOSE, COSTS OFF) ' || query LOOP
		lists := lists + (line ~ 'Program: values ')::int;
	END LOOP;
	RETURN lists;
END $$;
SELECT lists_of('SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY f), percentile_cont(0.9) WITHIN GROUP (ORDER BY f DESC), percentile_cont(ARRAY[0.5, 0.1, 0.2]) WITHIN GROUP (ORDER BY f), mode() WITHIN GROUP (ORDER BY f) FROM many_types');
SELECT lists_of('SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY f), percentile_cont(ARRAY[0.5, 0.1, 0.2]) WITHIN GROUP (ORDER BY r) FROM many_types');
\set VERBOSITY terse
SELECT percentile_cont(ARRAY[0.5, 1.5]) WITHIN GROUP (ORDER BY f) FROM many_types;
SELECT percentile_disc(ARRAY['NaN'::float8]) WITHIN GROUP (ORDER BY f) FROM many_types;
SELECT percentile_disc(ARRAY[NULL::float8]) WITHIN GROUP (ORDER BY f), percentile_disc('{}'::float8[]) WITHIN GROUP (ORDER BY f), percentile_disc(NULL::float8[]) WITHIN GROUP (ORDER BY f) FROM many_types;

-- more than the memory: lists go into a file, and come back by parts or by passes
SET gpuagg.engine = cpu;
SET work_mem = '64kB';
SELECT check_query('SELECT id % 3000, percentile_cont(0.5) WITHIN GROUP (ORDER BY f), mode() WITHIN GROUP (ORDER BY d), count(*), sum(f) FROM many_types GROUP BY 1');
SELECT check_query('SELECT g, percentile_cont(0.5) WITHIN GROUP (ORDER BY f), percentile_disc(0.2) WITHIN GROUP (ORDER BY id), mode() WITHIN GROUP (ORDER BY d), max(t) FROM many_types GROUP BY g');
SELECT check_query('SELECT id % 2, percentile_cont(0.5) WITHIN GROUP (ORDER BY f), percentile_disc(0.2) WITHIN GROUP (ORDER BY id), mode() WITHIN GROUP (ORDER BY f * id) FROM many_types GROUP BY 1');
SELECT check_query('SELECT percentile_cont(0.9) WITHIN GROUP (ORDER BY f * id), percentile_disc(0.01) WITHIN GROUP (ORDER BY id), mode() WITHIN GROUP (ORDER BY id / 3), mode() WITHIN GROUP (ORDER BY f), count(*) FROM many_types');
SELECT check_query('SELECT ''name '' || g, percentile_cont(0.5) WITHIN GROUP (ORDER BY f), min(''text '' || id) FROM many_types GROUP BY 1');
INSERT INTO zeros_of_groups SELECT 5, i FROM generate_series(1, 40000) i;
SELECT check_fallback('SELECT g, percentile_disc(0.1) WITHIN GROUP (ORDER BY v) + 0 FROM zeros_of_groups GROUP BY g');
SELECT check_query('SELECT g, percentile_disc(0.9) WITHIN GROUP (ORDER BY v) FROM zeros_of_groups GROUP BY g');
CREATE FUNCTION statistics_of(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	plan jsonb;
BEGIN
	PERFORM let_engine_answer();
	EXECUTE 'EXPLAIN (ANALYZE, FORMAT JSON) ' || query INTO plan;
	plan := jsonb_path_query_first(plan, '$.**?(@."Custom Plan Provider" == "GpuAgg")');
	RETURN format('%s ordered values, %s of disk, memory %s', plan ->> 'Ordered Values',
				  CASE WHEN (plan ->> 'Disk Usage')::int > 0 THEN 'some' ELSE 'no' END,
				  CASE WHEN (plan ->> 'Peak Memory Usage')::int < 1000 THEN 'small' ELSE 'large' END);
END $$;
SELECT statistics_of('SELECT percentile_cont(0.9) WITHIN GROUP (ORDER BY f) FROM many_types');
SELECT statistics_of('SELECT g, percentile_cont(0.9) WITHIN GROUP (ORDER BY f), mode() WITHIN GROUP (ORDER BY d) FROM many_types GROUP BY g');
RESET work_mem;
SELECT statistics_of('SELECT g, percentile_cont(0.9) WITHIN GROUP (ORDER BY f), mode() WITHIN GROUP (ORDER BY f) FROM many_types GROUP BY g');

-- auto takes them where they cost less than sorting all rows
BEGIN;
SET LOCAL gpuagg.mode = auto;
EXPLAIN (COSTS OFF) SELECT g, percentile_cont(0.5) WITHIN GROUP (ORDER BY f) FROM many_types GROUP BY g;
EXPLAIN (COSTS OFF) SELECT g, percentile_cont(ARRAY[0.5, 0.9]) WITHIN GROUP (ORDER BY f) FROM many_types GROUP BY g;
COMMIT;

-- what is left to PostgreSQL
CREATE FUNCTION why(query text) RETURNS SETOF text LANGUAGE sql SET gpuagg.mode = force AS 'SELECT reason FROM gpuagg_explain(query)';
SELECT why('SELECT percentile_cont(ARRAY[0.1, 1.9]) WITHIN GROUP (ORDER BY f) FROM many_types');
SELECT why('SELECT percentile_cont(ARRAY[NULL::float8]) WITHIN GROUP (ORDER BY f) FROM many_types');
SELECT why('SELECT percentile_cont(NULL::float8[]) WITHIN GROUP (ORDER BY f) FROM many_types');
SELECT why('SELECT g, percentile_cont(ARRAY[g / 100.0]) WITHIN GROUP (ORDER BY f) FROM many_types GROUP BY g');
SELECT why('SELECT g, percentile_cont(g / 100.0) WITHIN GROUP (ORDER BY f) FROM many_types GROUP BY g');
SELECT why('SELECT g, percentile_disc(0.5) WITHIN GROUP (ORDER BY f), count(DISTINCT ''name '' || g) FROM many_types GROUP BY g');
SELECT why('SELECT g, percentile_disc(0.5) WITHIN GROUP (ORDER BY f), stddev(DISTINCT n) FROM many_types GROUP BY g');
SELECT why('SELECT g, percentile_disc(0.5) WITHIN GROUP (ORDER BY f), bit_xor(DISTINCT id) FROM many_types GROUP BY g');
SELECT why('SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY n * n * n * n * n * n * n * n) FROM many_types');

DROP TABLE no_values, many_types, extremes_of_floats, zeros_of_groups;
DROP FUNCTION statistics_of, lists_of, why;
DROP DOMAIN small_number;
