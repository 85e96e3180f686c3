--
-- Aggregates with DISTINCT that are read from lists of a group's values, in their order, and
-- not from groups of keys and values.  gpuagg.group_cost decides which of both costs less.
--

-- how the values are taken
CREATE FUNCTION values_are(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	line text;
	lists int := 0;
	keys int := 0;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (VERBOSE, COSTS OFF) ' || query LOOP
		lists := lists + (line ~ 'Program: values ')::int;
		keys := keys + (line ~ 'Regrouping: key ')::int;
	END LOOP;
	RETURN CASE WHEN lists > 0 THEN format('%s lists', lists) WHEN keys > 0 THEN 'keys' ELSE 'PostgreSQL''s' END;
END $$;
-- the answer, with lists
CREATE FUNCTION check_lists(query text) RETURNS text LANGUAGE sql AS
$$ SELECT check_query(query) || CASE WHEN values_are(query) ~ 'lists' THEN '' ELSE ' FROM ' || values_are(query) END $$;

CREATE TABLE listed AS
SELECT i AS id, i * 7919 % 97 AS g, i * 31 % 977 AS i4, (i * 7 % 301 - 150)::int2 AS i2, (i::int8 * 7777777777777 % 100003 - 50000) * 90000000000000 AS i8,
	date '2020-02-20' + i * 31 % 977 AS d, timestamp '2001-01-01' + i * 7 % 1009 * interval '1 h' AS ts,
	timestamptz '2001-01-01 UTC' - i * 11 % 1013 * interval '1 min' AS tz, time '00:00' + i % 71 * interval '17 s' AS t, (i % 89)::money AS m,
	(i * 13 % 701 - 350) / 4.0::float8 AS f, (i * 17 % 499 - 250)::float4 / 8 AS r, (i * 19 % 997 - 500) / 100.0 AS n, i % 3 = 0 AS b, 'name ' || i % 50 AS s
FROM generate_series(1, 20000) i;
ALTER TABLE listed ALTER n TYPE numeric(8, 2);
INSERT INTO listed (id, g) SELECT 20000 + i, CASE WHEN i % 2 = 0 THEN i % 97 ELSE 200 END FROM generate_series(1, 300) i;
ANALYZE listed;
SET gpuagg.group_cost = 1e7;

-- each type, NULLs among the values, groups of NULLs only, no rows
SELECT check_lists('SELECT g, count(DISTINCT i4), count(DISTINCT i2), count(DISTINCT i8), count(DISTINCT d), count(DISTINCT ts), count(DISTINCT tz) FROM listed GROUP BY g');
SELECT check_lists('SELECT g, count(DISTINCT t), count(DISTINCT m), count(DISTINCT f), count(DISTINCT r), count(DISTINCT n), count(DISTINCT n) FILTER (WHERE id % 7 = 0), count(DISTINCT f) FILTER (WHERE b) FROM listed GROUP BY g');
SELECT check_lists('SELECT count(DISTINCT i4), count(DISTINCT i8), count(DISTINCT f), count(DISTINCT n) FROM listed');
SELECT check_query('SELECT g, count(DISTINCT b), count(DISTINCT b) FILTER (WHERE id % 7 = 0) FROM listed GROUP BY g'), check_query('SELECT count(DISTINCT b) FROM listed');
SELECT check_lists('SELECT g, sum(DISTINCT i4), avg(DISTINCT i4), sum(DISTINCT i2), avg(DISTINCT i2), sum(DISTINCT i8), avg(DISTINCT i8), sum(DISTINCT n), avg(DISTINCT n) FROM listed GROUP BY g');
SELECT check_lists('SELECT avg(DISTINCT i4), sum(DISTINCT i4) FILTER (WHERE id > 30000), avg(DISTINCT i8), sum(DISTINCT n) FROM listed');
-- more lists than a device has room for
SELECT check_query('SELECT g, count(DISTINCT i4), count(DISTINCT i2), count(DISTINCT i8), count(DISTINCT d), count(DISTINCT ts), count(DISTINCT tz), count(DISTINCT t), count(DISTINCT m), count(DISTINCT f) FROM listed GROUP BY g');
SELECT check_query('SELECT g, count(DISTINCT i4), sum(DISTINCT i8), avg(DISTINCT n) FROM listed WHERE id < 0 GROUP BY g');
SELECT count(DISTINCT i4), sum(DISTINCT i4), sum(DISTINCT i8), avg(DISTINCT n), count(DISTINCT f) FROM listed WHERE id > 20000;
SELECT g, count(DISTINCT i4), sum(DISTINCT i2), sum(DISTINCT i8), avg(DISTINCT i4), avg(DISTINCT n) FROM listed WHERE g IN (3, 200) GROUP BY g ORDER BY g;
SELECT pg_typeof(sum(DISTINCT i2)), pg_typeof(sum(DISTINCT i4)), pg_typeof(sum(DISTINCT i8)), pg_typeof(avg(DISTINCT i4)), pg_typeof(sum(DISTINCT n)), pg_typeof(count(DISTINCT f)) FROM listed;

-- a group a row, one group, several keys, a key that is the argument
SELECT check_query('SELECT id, count(DISTINCT i4), sum(DISTINCT i8) FROM listed GROUP BY id');
SELECT check_query('SELECT g, b, s, count(DISTINCT i4), sum(DISTINCT i8) FROM listed GROUP BY g, b, s');
SELECT check_lists('SELECT 1, count(DISTINCT id / 2), sum(DISTINCT id / 3) FROM listed GROUP BY 1');
SELECT check_query('SELECT g, count(DISTINCT g), sum(DISTINCT g) FROM listed GROUP BY g');

-- each its own list, those over the same values and filter one
SELECT check_lists('SELECT g, count(DISTINCT i4), sum(DISTINCT i4), avg(DISTINCT i4), count(DISTINCT i8), sum(DISTINCT n), count(DISTINCT d) FILTER (WHERE b), count(*), sum(f), min(ts), avg(i8), stddev(i4) FROM listed GROUP BY g');
SELECT values_are('SELECT g, count(DISTINCT i4), sum(DISTINCT i4), avg(DISTINCT i4), count(DISTINCT i8), sum(DISTINCT n), count(DISTINCT d) FILTER (WHERE b) FROM listed GROUP BY g');
SELECT check_lists('SELECT g, count(DISTINCT i4), percentile_disc(0.5) WITHIN GROUP (ORDER BY i4), mode() WITHIN GROUP (ORDER BY i4), percentile_cont(0.3) WITHIN GROUP (ORDER BY f), sum(DISTINCT i4) FROM listed GROUP BY g');
SELECT values_are('SELECT g, count(DISTINCT i4), percentile_disc(0.5) WITHIN GROUP (ORDER BY i4), mode() WITHIN GROUP (ORDER BY i4), sum(DISTINCT i4) FROM listed GROUP BY g');

-- HAVING, ORDER BY and LIMIT, expressions, joins, subqueries, other sources
SELECT check_lists('SELECT g, count(DISTINCT i4) + 1, sum(DISTINCT i4) / nullif(count(DISTINCT i2), 0) FROM listed GROUP BY g HAVING count(DISTINCT i4) > 100 AND avg(DISTINCT i2) < 5');
SELECT check_lists('SELECT g, count(DISTINCT i4) AS c FROM listed GROUP BY g ORDER BY c DESC, g LIMIT 7');
SELECT check_lists('SELECT g, sum(DISTINCT i8) AS c FROM listed GROUP BY g HAVING sum(DISTINCT i8) > 0 ORDER BY c, g LIMIT 7');
SELECT check_lists('SELECT x.g % 10, count(DISTINCT y.i4), sum(DISTINCT y.n) FROM listed x JOIN listed y ON x.g = y.id GROUP BY 1');
SELECT check_lists('SELECT g, count(DISTINCT i4), avg(DISTINCT i8) FROM (SELECT * FROM listed ORDER BY id LIMIT 10000) s GROUP BY g');
SELECT check_lists('SELECT i % 10, count(DISTINCT i % 77), sum(DISTINCT i % 13) FROM generate_series(1, 5000) i GROUP BY 1');
PREPARE distinct_behind (int) AS SELECT sum(c) FROM (SELECT g, count(DISTINCT i4 % $1) AS c FROM listed GROUP BY g) x;
SET plan_cache_mode = force_generic_plan;
EXECUTE distinct_behind (10);
EXECUTE distinct_behind (NULL);
EXECUTE distinct_behind (7);
RESET plan_cache_mode;
DEALLOCATE distinct_behind;

-- 0 and -0 are one value, and so are all NaNs; sums of the whole range
CREATE TABLE listed_odd (g int, f float8, r float4, i8 int8, i4 int4, n numeric(8, 2), w numeric);
INSERT INTO listed_odd SELECT i % 3, CASE i % 6 WHEN 0 THEN '-0'::float8 WHEN 1 THEN 0 WHEN 2 THEN 'NaN' WHEN 3 THEN 'inf' WHEN 4 THEN '-inf' ELSE i % 4 END,
	CASE i % 3 WHEN 0 THEN '-0'::float4 WHEN 1 THEN 0 ELSE 'NaN' END,
	CASE i % 4 WHEN 0 THEN 9223372036854775807 - i % 5 WHEN 1 THEN -9223372036854775808 + i % 5 ELSE i END, CASE i % 2 WHEN 0 THEN 2147483647 - i % 7 ELSE -2147483648 + i % 9 END,
	(i % 7) / 4.0, 10 ^ 30 + i % 5 FROM generate_series(1, 400) i;
ANALYZE listed_odd;
SELECT check_lists('SELECT g, count(DISTINCT f), count(DISTINCT r), sum(DISTINCT i8), avg(DISTINCT i8), sum(DISTINCT i4), avg(DISTINCT i4), count(DISTINCT i8) FROM listed_odd GROUP BY g');
SELECT count(DISTINCT f), count(DISTINCT r), sum(DISTINCT i8), avg(DISTINCT i4) FROM listed_odd;

-- NaN among numerics: counted, and left to PostgreSQL where they are summed
SELECT check_lists('SELECT g, count(DISTINCT n), sum(DISTINCT n), avg(DISTINCT n) FROM listed_odd GROUP BY g');
INSERT INTO listed_odd (g, n) VALUES (1, 'NaN'), (1, 'NaN'), (2, 'NaN');
SELECT check_lists('SELECT g, count(DISTINCT n) FROM listed_odd GROUP BY g');
SELECT check_fallback('SELECT g, sum(DISTINCT n) FROM listed_odd GROUP BY g');
ANALYZE listed_odd;
SELECT check_lists('SELECT g, count(DISTINCT n) FROM listed_odd GROUP BY g');
SELECT check_query('SELECT g, sum(DISTINCT n), avg(DISTINCT n) FROM listed_odd GROUP BY g'), values_are('SELECT g, sum(DISTINCT n), avg(DISTINCT n) FROM listed_odd GROUP BY g');

-- errors are PostgreSQL's: of rows that FILTER lets pass
SELECT check_fallback('SELECT g, count(DISTINCT 100 / (i2 + 3)) FROM listed GROUP BY g');
SELECT check_lists('SELECT g, count(DISTINCT 100 / (i2 + 3)) FILTER (WHERE i2 <> -3) FROM listed GROUP BY g');
SELECT check_fallback('SELECT g, sum(DISTINCT i4 * 10000000) FROM listed GROUP BY g');

-- what has no list: keys
SELECT q AS query, check_query(format('SELECT %s FROM listed GROUP BY g', q)), values_are(format('SELECT %s FROM listed GROUP BY g', q))
FROM unnest('{"count(DISTINCT s)", "count(DISTINCT s), count(DISTINCT i4)", "sum(DISTINCT f)", "stddev(DISTINCT i4)", "bit_xor(DISTINCT i4)"}'::text[]) q;
SELECT check_query('SELECT g, count(DISTINCT w), sum(DISTINCT w) FROM listed_odd GROUP BY g');

-- beside grouping sets: each set has lists of its own, if the input can be read several times
SELECT check_lists('SELECT g, b, count(DISTINCT i4) FROM listed GROUP BY ROLLUP (g, b)'), values_are('SELECT g, b, count(DISTINCT i4) FROM listed GROUP BY ROLLUP (g, b)');
SELECT check_lists('SELECT g % 5, b, GROUPING(g % 5, b), count(DISTINCT i4), sum(DISTINCT i8) FILTER (WHERE i2 > 0), avg(DISTINCT n), count(*), sum(f), max(d), count(DISTINCT g % 5) FROM listed GROUP BY CUBE (1, b) HAVING count(DISTINCT i4) > 1');
SELECT check_lists('SELECT b, i2, count(DISTINCT i4) AS n FROM listed GROUP BY GROUPING SETS ((b), (i2), (b), ()) ORDER BY n DESC, b, i2 LIMIT 5');
SELECT check_lists('WITH w AS MATERIALIZED (SELECT * FROM listed WHERE b) SELECT g, t, count(DISTINCT i4) FROM w GROUP BY ROLLUP (g, t)');
SELECT check_lists('SELECT x.b, y.g, count(DISTINCT x.i4) FROM listed x JOIN listed y ON x.i4 = y.id GROUP BY CUBE (x.b, y.g)');
SELECT check_lists('SELECT g, count(DISTINCT i4) FROM listed WHERE i4 + 0 < 0 GROUP BY ROLLUP (g)');
SELECT check_query('SELECT g, count(DISTINCT i4) FROM (SELECT * FROM listed OFFSET 1) x GROUP BY ROLLUP (g)'), values_are('SELECT g, count(DISTINCT i4) FROM (SELECT * FROM listed OFFSET 1) x GROUP BY ROLLUP (g)');
SELECT check_query('SELECT b, count(DISTINCT i4), count(DISTINCT s) FROM listed GROUP BY ROLLUP (b)'), values_are('SELECT b, count(DISTINCT i4), count(DISTINCT s) FROM listed GROUP BY ROLLUP (b)');
SELECT check_join('SELECT b, count(DISTINCT i4), avg(DISTINCT n) FROM listed GROUP BY ROLLUP (b)');
SELECT check_fallback('SELECT b, count(DISTINCT 100 / (i2 + 3)) FROM listed GROUP BY ROLLUP (b)');

-- few different pairs of key and value cost less as keys
SET gpuagg.group_cost = 0;
SELECT check_query('SELECT g, count(DISTINCT b), sum(DISTINCT i2) FROM listed GROUP BY g'), values_are('SELECT g, count(DISTINCT b), sum(DISTINCT i2) FROM listed GROUP BY g');
SET gpuagg.group_cost = 1e7;

-- the engine fails: PostgreSQL's own plan answers
SELECT check_join('SELECT g, count(DISTINCT i4), sum(DISTINCT i8), avg(DISTINCT n) FROM listed GROUP BY g');

-- more than the memory: lists go into a file, and come back by parts or by passes
SET gpuagg.engine = cpu;
SET work_mem = '64kB';
SELECT check_lists('SELECT id % 300, count(DISTINCT i4), sum(DISTINCT i8), count(*), sum(f) FROM listed GROUP BY 1');
SELECT check_lists('SELECT g, count(DISTINCT i4), sum(DISTINCT n), count(DISTINCT d), max(t) FROM listed GROUP BY g');
SELECT check_lists('SELECT count(DISTINCT i8 / 7 + id), sum(DISTINCT i4), count(DISTINCT f * id), avg(DISTINCT i8) FROM listed');
RESET work_mem;
RESET gpuagg.engine;

-- by cost
RESET gpuagg.group_cost;
SET gpuagg.engine = cpu;
CREATE TABLE many_distinct AS SELECT i % 10 AS g, i * 7919::int8 % 200003 AS v, i % 3 AS few FROM generate_series(1, 200000) i;
ANALYZE many_distinct;
SELECT values_are('SELECT g, count(DISTINCT v) FROM many_distinct GROUP BY g'), values_are('SELECT g, count(DISTINCT few) FROM many_distinct GROUP BY g'), values_are('SELECT v, count(DISTINCT few) FROM many_distinct GROUP BY v');
SELECT values_are('SELECT g, count(DISTINCT v) FROM many_distinct GROUP BY ROLLUP (g)'), values_are('SELECT g, count(DISTINCT few) FROM many_distinct GROUP BY ROLLUP (g)');
BEGIN;
SET LOCAL gpuagg.mode = auto;
SELECT values_are('SELECT g, few, count(DISTINCT v) FROM many_distinct GROUP BY CUBE (g, few)'), values_are('SELECT g, count(DISTINCT few) FROM many_distinct GROUP BY ROLLUP (g)');
COMMIT;
SELECT check_query('SELECT g, count(DISTINCT v) FROM many_distinct GROUP BY g'), check_query('SELECT g, count(DISTINCT few) FROM many_distinct GROUP BY g');
RESET gpuagg.engine;

DROP TABLE listed, listed_odd, many_distinct;
DROP FUNCTION check_lists, values_are;
