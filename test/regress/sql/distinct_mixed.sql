--
-- Aggregates with DISTINCT beside others: each value of their argument once a
-- group, out of the engine's groups of keys and arguments.
--

-- beside aggregates that need all rows, with keys and without
SELECT check_query('SELECT b, count(*), sum(i4), count(DISTINCT i2), sum(DISTINCT i2), avg(DISTINCT i2) FROM facts GROUP BY b');
SELECT check_query('SELECT count(*), sum(i4), count(DISTINCT i2), sum(DISTINCT i2), avg(DISTINCT i2) FROM facts');
SELECT check_query('SELECT i2, count(*), avg(f8), count(DISTINCT k), sum(DISTINCT k), max(id), min(DISTINCT k) FROM facts GROUP BY i2');
SELECT check_query('SELECT b, i2 % 5, t, count(*), count(DISTINCT i4 / 10) FROM facts GROUP BY b, i2 % 5, t');
SELECT b, count(*), count(DISTINCT i2), sum(DISTINCT i8), avg(DISTINCT i4) FROM facts GROUP BY b ORDER BY b;
SELECT pg_typeof(count(DISTINCT i2)), pg_typeof(sum(DISTINCT i2)), pg_typeof(sum(DISTINCT i4)), pg_typeof(sum(DISTINCT i8)), pg_typeof(avg(DISTINCT i4)), pg_typeof(avg(DISTINCT f4)), count(*) FROM facts;

-- each type of argument, NULLs among the values
SELECT c AS argument, check_query(format('SELECT b, count(*), count(DISTINCT %1$I), max(id) FROM facts GROUP BY b', c))
FROM unnest('{b,i2,i4,i8,f4,f8,d,ts,tz,t,vc,ch,qc,u,o,k}'::text[]) c;
SELECT c AS argument, check_query(format('SELECT b, count(*), sum(DISTINCT %1$I), avg(DISTINCT %1$I), min(DISTINCT %1$I), max(DISTINCT %1$I) FROM facts GROUP BY b', c))
FROM unnest('{i2,i4,i8,f4,f8}'::text[]) c;
SELECT check_query('SELECT i2 % 9, stddev(DISTINCT i2), var_pop(DISTINCT i2), variance(DISTINCT i2), count(*) FROM facts GROUP BY 1');
SELECT check_query('SELECT b, stddev(DISTINCT i8), var_pop(DISTINCT i8), stddev_pop(DISTINCT i4), sum(i8) FROM facts GROUP BY b');
SELECT check_query('SELECT b, bit_xor(DISTINCT i4), bit_and(DISTINCT i4), bool_or(DISTINCT i4 > 0), count(*) FROM facts GROUP BY b');

-- what is equal: display scales, trailing blanks, signs of zero, NaN
CREATE TABLE distinct_odd (g int, n numeric(8,2), f float8, c char(4), s text);
INSERT INTO distinct_odd SELECT i % 3, (i % 7) / 4.0, CASE i % 5 WHEN 0 THEN '-0'::float8 WHEN 1 THEN 0 WHEN 2 THEN 'NaN' ELSE i % 4 END,
	CASE i % 4 WHEN 0 THEN 'a' WHEN 1 THEN 'a ' WHEN 2 THEN 'b' END, CASE i % 4 WHEN 0 THEN 'a' WHEN 1 THEN 'a ' WHEN 2 THEN '' END
FROM generate_series(1, 200) i;
ANALYZE distinct_odd;
SELECT check_query('SELECT g, count(*), count(DISTINCT n), sum(DISTINCT n), avg(DISTINCT n), max(n) FROM distinct_odd GROUP BY g');
SELECT check_query('SELECT count(DISTINCT c), count(DISTINCT s), count(*) FROM distinct_odd');
SELECT check_query('SELECT count(DISTINCT f), count(*) FROM distinct_odd WHERE f::text <> ''0''');
SELECT count(DISTINCT f) AS f, count(DISTINCT c) AS c, count(DISTINCT s) AS s, count(DISTINCT n) AS n, count(*) FROM distinct_odd;
SELECT check_query('SELECT g, count(DISTINCT n + 0.125), sum(DISTINCT n * 2), count(n) FROM distinct_odd GROUP BY g');
SELECT check_query('SELECT g, sum(DISTINCT f) FILTER (WHERE f <> ''NaN''), count(f) FROM distinct_odd WHERE f::text <> ''-0'' GROUP BY g');

-- float sums are exact, also where they need more words than they begin with
SELECT let_engine_answer(), store_rows('native', q, 'force', 'off'), store_rows('ours', r, 'force', 'off')
FROM (SELECT 'CASE k % 4 WHEN 0 THEN f8 * 1e40 WHEN 1 THEN -f8 * 1e40 WHEN 2 THEN f8 / 3e30 ELSE f8 END') v (x),
	LATERAL (SELECT format('SELECT b, sum(x), avg(x) FROM (SELECT DISTINCT b, %1$s AS x FROM facts) d GROUP BY b', x),
		format('SELECT b, sum(DISTINCT x), avg(DISTINCT x) FROM (SELECT b, %1$s AS x FROM facts OFFSET 0) d GROUP BY b', x)) q (q, r);
SELECT compare_rows();
SELECT let_engine_answer(), store_rows('native', q, 'force', 'off'), store_rows('ours', r, 'force', 'off')
FROM (SELECT 'CASE k % 4 WHEN 0 THEN f8 * 1e40 WHEN 1 THEN -f8 * 1e40 WHEN 2 THEN f8 / 3e30 ELSE f8 END') v (x),
	LATERAL (SELECT format('SELECT b, sum(%1$s), (SELECT sum(x) FROM (SELECT DISTINCT %1$s AS x FROM facts) d) FROM facts GROUP BY ROLLUP (b) HAVING GROUPING(b) = 1', x),
		format('SELECT NULL::bool, sum(%1$s), sum(DISTINCT %1$s) FROM facts', x)) q (q, r);
SELECT compare_rows();
SELECT check_query('SELECT g, stddev(DISTINCT f), var_pop(DISTINCT f::float4), variance(DISTINCT f) FILTER (WHERE f > 1), sum(f), count(*) FROM (VALUES (1, 2.25::float8), (1, 0.5), (1, 2.25), (1, 0.75), (2, NULL), (2, 3.5), (3, NULL)) v (g, f) GROUP BY ROLLUP (g)');
SELECT check_query('SELECT g, var_pop(DISTINCT f), variance(DISTINCT f), count(*) FROM (VALUES (1, 0.25::float8), (1, ''NaN''), (2, 0.5), (2, ''inf''), (3, -0.5)) v (g, f) GROUP BY ROLLUP (g)');
SELECT b, min(DISTINCT vc COLLATE "C"), max(repeat(vc, 5) COLLATE "C"), count(DISTINCT i2), count(*) FROM facts GROUP BY b ORDER BY b;

-- FILTER, on the aggregate with DISTINCT or beside it
SELECT check_query('SELECT b, count(DISTINCT i2) FILTER (WHERE i4 > 0), sum(i2), count(*) FILTER (WHERE i4 < 0) FROM facts GROUP BY b');
SELECT check_query('SELECT b, count(DISTINCT i2) FILTER (WHERE i4 > 0), count(DISTINCT i2), sum(DISTINCT i2) FILTER (WHERE i4 > 0), count(*) FROM facts GROUP BY b');
SELECT check_query('SELECT b, count(DISTINCT i2) FILTER (WHERE false), sum(DISTINCT i4) FILTER (WHERE NULL), count(*) FROM facts GROUP BY b');
SELECT check_query('SELECT i2 % 3, sum(DISTINCT n) FILTER (WHERE b), count(*) FROM facts, (VALUES (1.5::numeric(4,1)), (2::numeric(4,1))) x (n) WHERE id < 300 GROUP BY 1');
SELECT check_query('SELECT g, sum(DISTINCT n) FILTER (WHERE f = 0), avg(DISTINCT n) FILTER (WHERE s <> ''''), count(*) FROM distinct_odd GROUP BY g');
SELECT check_query('SELECT g, variance(DISTINCT n), stddev_pop(DISTINCT n), sum(n) FROM distinct_odd GROUP BY g');
SELECT check_query('SELECT g, count(DISTINCT c) FILTER (WHERE f = 0), count(DISTINCT s) FILTER (WHERE s <> ''''), count(*) FROM distinct_odd GROUP BY g');
SELECT check_query('SELECT b, sum(DISTINCT 100 / (i4 - 1)) FILTER (WHERE i4 <> 1), count(*) FROM facts GROUP BY b');

-- several arguments, arguments that are keys, constants, equal to others
SELECT check_query('SELECT b, count(DISTINCT i2), count(DISTINCT d), sum(DISTINCT i2 % 10), count(*), sum(i4) FROM facts GROUP BY b');
SELECT check_query('SELECT count(DISTINCT i2), count(DISTINCT d), sum(DISTINCT i2 % 10), count(*), sum(i4) FROM facts');
SELECT check_query('SELECT b, i2, count(DISTINCT i2), sum(DISTINCT i2), count(DISTINCT b), count(*) FROM facts GROUP BY b, i2');
SELECT check_query('SELECT i2, i2 + 1, count(DISTINCT i2 + 1), count(DISTINCT i2), count(DISTINCT d), sum(i4) FROM facts GROUP BY i2');
SELECT check_query('SELECT i2, (i2 + 1) * 3, sum(DISTINCT i2 + 1), count(*) FROM facts GROUP BY i2 HAVING i2 + 1 > 0');
SELECT check_query('SELECT b, count(DISTINCT 1), count(DISTINCT NULL::int), 1, count(*) FROM facts GROUP BY b');
SELECT check_query('SELECT b, count(DISTINCT i2) + count(DISTINCT i2), sum(DISTINCT i2)::float8 / count(DISTINCT i2), count(*) FROM facts GROUP BY b');

-- no rows, only NULLs
SELECT count(DISTINCT i2), sum(DISTINCT i2), avg(DISTINCT i2), count(*), sum(i4) FROM facts WHERE id < 0;
SELECT check_query('SELECT b, count(DISTINCT i2), count(*) FROM facts WHERE id < 0 GROUP BY b');
SELECT b, count(DISTINCT i2), sum(DISTINCT i2), count(*) FROM facts WHERE i2 IS NULL GROUP BY b ORDER BY b;

-- with grouping sets
SELECT check_query('SELECT b, i2 % 5, count(DISTINCT i4), count(*), sum(i4), GROUPING(b, i2 % 5) FROM facts GROUP BY CUBE (b, i2 % 5)');
SELECT check_query('SELECT b, qc, count(DISTINCT b), count(DISTINCT qc), sum(DISTINCT i2), count(*), sum(i4) FROM facts GROUP BY ROLLUP (b, qc)');
SELECT check_query('SELECT b, t, count(DISTINCT t), count(DISTINCT i2), sum(i8) FROM facts GROUP BY GROUPING SETS ((b), (t), (), (b), ())');
SELECT check_query('SELECT i2, b, count(DISTINCT i2), sum(DISTINCT i2), count(*) FROM facts GROUP BY GROUPING SETS ((b), (i2, b), ())');
SELECT b, count(DISTINCT i2), count(*) FROM facts WHERE id < 0 GROUP BY ROLLUP (b);

-- HAVING, ORDER BY, LIMIT, DISTINCT, other sources
SELECT check_query('SELECT b, k % 50, count(*), count(DISTINCT i2) FROM facts GROUP BY 1, 2 HAVING count(DISTINCT i4) > 20 AND sum(i4) > 0');
SELECT k % 5 AS r, count(DISTINCT i2) AS n, count(*) FROM facts GROUP BY 1 ORDER BY count(DISTINCT i2) DESC, r LIMIT 3;
SELECT check_query('SELECT DISTINCT count(DISTINCT i2), count(*) > 100 FROM facts GROUP BY k % 20');
SELECT check_query('SELECT f.b, count(DISTINCT g.i2), count(*), sum(f.i4) FROM facts f JOIN facts g ON g.id = f.id / 2 GROUP BY f.b');
SELECT check_query('SELECT b, count(DISTINCT upper(t)), count(*), sum(i4) FROM facts GROUP BY b');
SELECT check_query('SELECT b, count(DISTINCT t) FILTER (WHERE i2 > 0), count(*) FROM (SELECT b, upper(t) AS t, i2 FROM facts OFFSET 0) x GROUP BY b');
SELECT check_query('SELECT v % 4, count(*), count(DISTINCT v % 6), sum(DISTINCT v % 10) FROM generate_series(1, 1000) v GROUP BY 1');
PREPARE distinct_values (int) AS SELECT b, count(DISTINCT i2 % $1), count(*) FROM facts GROUP BY b ORDER BY b;
SET plan_cache_mode = force_generic_plan;
EXECUTE distinct_values (10);
EXECUTE distinct_values (3);
EXECUTE distinct_values (0);
DEALLOCATE distinct_values;
RESET plan_cache_mode;
SELECT check_query('SELECT o.g, (SELECT count(DISTINCT f.i2) + count(*) FROM facts f WHERE f.id < o.g * 100) FROM distinct_odd o');
SELECT check_query('SELECT o.g, x.* FROM distinct_odd o, LATERAL (SELECT f.b, count(DISTINCT f.i2 + o.g), count(*) FROM facts f WHERE f.k = o.g GROUP BY f.b) x WHERE o.n > 1');

-- errors are PostgreSQL's
SELECT check_fallback('SELECT b, count(DISTINCT 10 / (i4 - 1)), count(*) FROM facts GROUP BY b');
SELECT check_query('SELECT b, count(DISTINCT 10 / (i4 - 1)), count(*) FROM facts WHERE i4 <> 1 GROUP BY b');

-- many values, and PostgreSQL's own plan for them
CREATE TABLE distinct_wide AS SELECT i % 10 AS g, i AS v, repeat('x', 20 + i % 5) || i / 2 AS t FROM generate_series(1, 30000) i;
SELECT check_query('SELECT g, count(*), count(DISTINCT v), sum(DISTINCT v), count(DISTINCT t) FROM distinct_wide GROUP BY g');
SELECT check_query('SELECT count(*), count(DISTINCT v), sum(DISTINCT v), count(DISTINCT t) FROM distinct_wide');
SELECT check_fallback('SELECT g, count(*), count(DISTINCT t), count(DISTINCT v), min(CASE WHEN v < 9 THEN -0.0::float8 ELSE v END) FROM distinct_wide GROUP BY g');

-- left to PostgreSQL, though over distinct rows where these will do
SELECT is_taken('SELECT b, count(*), array_agg(DISTINCT ARRAY[i2]) FROM facts GROUP BY b');
SELECT is_taken('SELECT b, string_agg(DISTINCT t, '','') FROM facts GROUP BY b');
SELECT check_query('SELECT b, count(*), sum(DISTINCT i4 ORDER BY i4) FROM facts GROUP BY b');
SELECT is_taken('SELECT count(DISTINCT (b, i2)), count(*) FROM facts');
CREATE COLLATION nocase (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
SELECT is_taken('SELECT count(DISTINCT t COLLATE nocase), count(*) FROM facts');
DROP COLLATION nocase;

DROP TABLE distinct_odd, distinct_wide;
