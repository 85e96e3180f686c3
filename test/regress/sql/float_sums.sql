--
-- Sums of floats: exact, rounded once.  The oracle is PostgreSQL's numeric, which
-- holds every k * 2^e, sums exactly, and becomes the nearest float when it is cast.
--

-- Values by how far their exponents lie apart, in three kinds of groups: some, many,
-- and one at the end whose values are unlike those before.
CREATE TABLE float_terms AS
SELECT i, kind, g, k, e,
	k::float8 * 2::float8 ^ e AS v,
	((k % 16000000) * 2::float8 ^ (e / 7))::float4 AS w,
	k::numeric * CASE WHEN e < 0 THEN 5::numeric ^ -e * ('1e' || e)::numeric ELSE 2::numeric ^ e END AS n,
	(k % 16000000)::numeric * CASE WHEN e / 7 < 0 THEN 5::numeric ^ (-(e / 7)) * ('1e' || e / 7)::numeric ELSE 2::numeric ^ (e / 7) END AS m
FROM (SELECT i, kind, CASE WHEN kind = 'late' AND i > 4990 THEN -1 ELSE i % 37 END AS g,
		(i * 7919::bigint * 1000003 * (i % 71 + 1) % 9007199254740881) * (1 - 2 * (i % 2)) AS k,
		CASE kind WHEN 'near' THEN -52 - i % 20
			WHEN 'far' THEN i % 150 - 100
			WHEN 'late' THEN CASE WHEN i > 4990 THEN -120 ELSE -40 END
			ELSE i * 17 % 800 - 700 END::int AS e
	FROM generate_series(1, 5000) i, unnest('{near,far,late,all}'::text[]) kind
	WHERE kind <> 'all' OR i % 50 = 0) x;
SELECT kind, count(*) FROM float_terms GROUP BY kind ORDER BY kind;

SET gpuagg.mode = off;
-- the numerics are the floats
SELECT count(*) FROM float_terms WHERE n::float8 <> v OR m::float4 <> w;
CREATE TABLE float_exact AS SELECT kind, g, sum(n)::float8 AS v, sum(m)::float4 AS w, sum(m)::float8 AS w8, count(*) AS c FROM float_terms GROUP BY kind, g;
CREATE TABLE float_native AS SELECT kind, g, sum(v) AS v, sum(w) AS w FROM float_terms GROUP BY kind, g;
-- the oracle is no tautology: PostgreSQL's own sums are others
SELECT kind, count(*) FILTER (WHERE n.v <> e.v) > 0 AS sums, count(*) FILTER (WHERE n.w <> e.w) > 0 AS singles FROM float_native n JOIN float_exact e USING (kind, g) GROUP BY kind ORDER BY kind;
DROP TABLE float_native;
RESET gpuagg.mode;

-- How many sums over these rows are not the exact ones?
CREATE FUNCTION wrong_sums(kind text, source text) RETURNS text
LANGUAGE plpgsql SET gpuagg.fallback = off AS $$
DECLARE
	query text := format('SELECT g, sum(v) AS v, sum(w) AS w, sum(w::float8) AS w8, avg(v) AS a, count(*) AS c FROM %s GROUP BY g', source);
	result text;
BEGIN
	IF NOT is_taken(query) THEN
		RETURN 'NOT TAKEN';
	END IF;
	DROP TABLE IF EXISTS pg_temp.sums;
	EXECUTE 'CREATE TEMP TABLE sums AS ' || query;
	PERFORM set_config('gpuagg.mode', 'off', true);
	EXECUTE format('SELECT count(*) FILTER (WHERE (s.v, s.w, s.w8, s.a, s.c) IS DISTINCT FROM (e.v, e.w, e.w8, e.v / e.c, e.c)) || '' of '' || count(*)
		FROM sums s FULL JOIN (SELECT * FROM float_exact WHERE kind = %L) e USING (g)', kind) INTO result;
	PERFORM set_config('gpuagg.mode', 'force', true);
	RETURN result;
END $$;
SET client_min_messages = warning;
SELECT k AS kind, wrong_sums(k, format('(SELECT * FROM float_terms WHERE kind = %L ORDER BY i) x', k)) AS forward,
	wrong_sums(k, format('(SELECT * FROM float_terms WHERE kind = %L ORDER BY i DESC) x', k)) AS backward,
	wrong_sums(k, format('(SELECT * FROM float_terms WHERE kind = %L ORDER BY md5(i::text)) x', k)) AS random,
	wrong_sums(k, format('(SELECT * FROM float_terms WHERE kind = %L ORDER BY g, v) x', k)) AS sorted
FROM unnest('{near,far,late,all}'::text[]) k;

-- from heap pages, by each strategy
CREATE TABLE float_near_values AS SELECT * FROM float_terms WHERE kind = 'near' ORDER BY md5(i::text);
CREATE TABLE float_late_values AS SELECT * FROM float_terms WHERE kind = 'late' ORDER BY i;
VACUUM ANALYZE float_near_values, float_late_values;
CREATE FUNCTION wrong_by_strategy(strategy text, kind text, source text) RETURNS text
LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('gpuagg.strategy', strategy, true);
	RETURN wrong_sums(kind, source);
END $$;
SELECT s AS strategy, wrong_by_strategy(s, 'near', 'float_near_values') AS near
FROM unnest('{atomic,block,peers,scan,scatter,vote,auto}'::text[]) s;
SELECT s AS strategy, wrong_by_strategy(s, 'late', 'float_late_values') AS late FROM unnest('{block,auto}'::text[]) s;
RESET client_min_messages;

-- aggregation by key has no plan to fall back to
SELECT count(*) FROM (SELECT (unnest(gpu_sum_by_key(g, v))).* FROM float_late_values) s JOIN float_exact e ON e.kind = 'late' AND e.g = s.key AND e.v = s.sum AND e.c = s.count;
SELECT count(*) FROM (SELECT (unnest(gpu_sum_by_key(g, v))).* FROM float_terms WHERE kind = 'all') s JOIN float_exact e ON e.kind = 'all' AND e.g = s.key AND e.v = s.sum AND e.c = s.count;

-- a run that begins again says so
CREATE FUNCTION explain_float_sums(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) ' || query LOOP
		IF line ~ 'Float Sums|Fallback' THEN
			RETURN NEXT trim(line);
		END IF;
	END LOOP;
END $$;
SELECT explain_float_sums('SELECT g, sum(v) FROM float_near_values GROUP BY g');
SELECT explain_float_sums('SELECT g, sum(v) FROM float_late_values GROUP BY g');
SELECT explain_float_sums('SELECT g, sum(v) FROM float_terms GROUP BY g');

-- sums that are known
SELECT sum(v) FROM (VALUES (1e280::float8), (1), (-1e280)) x (v);
SELECT sum(v), avg(v) FROM (VALUES (0.1::float8), (0.2), (0.3), (0.4), (0.5), (0.6), (0.7), (0.8), (0.9), (1.0)) x (v);
SELECT sum(v), avg(v) FROM (SELECT 0.1::float8 AS v FROM generate_series(1, 1000000)) x;
SELECT sum(v), avg(v) FROM (SELECT 0.1::float4 AS v FROM generate_series(1, 1000000)) x;
SELECT sum(v), sum(v * 3) FROM (VALUES (4.94e-324::float8), (4.94e-324), (-1e-323), (2.2e-308)) x (v);
SELECT sum(v) FROM (VALUES (16777216::float4), (1), (1e-30)) x (v);
SELECT sum(v) FROM (VALUES (16777216::float4), (1)) x (v);

-- special values, as PostgreSQL has them
CREATE TABLE float_special (g int, v float8, w float4);
INSERT INTO float_special VALUES (1, 'NaN', 'NaN'), (1, 1, 1), (2, 'Infinity', 'Infinity'), (2, 5, 5), (3, '-Infinity', '-Infinity'), (3, -5, -5),
	(4, 'Infinity', 'Infinity'), (4, '-Infinity', '-Infinity'), (5, '-0', '-0'), (5, '-0', '-0'), (6, '-0', '-0'), (6, '0', '0'),
	(7, NULL, NULL), (8, '-0', NULL), (8, NULL, '-0'), (9, 1, 1), (9, -1, -1), (10, 'Infinity', '-Infinity'), (10, 'NaN', 'Infinity'), (11, '-0', '-0'), (11, 1, 1), (11, -1, -1);
SELECT check_query('SELECT g, sum(v), sum(w), avg(v), avg(w), count(v) FROM float_special GROUP BY g');
SELECT g, sum(v), sum(w), avg(v) FROM float_special GROUP BY g ORDER BY g;
SELECT check_query(format('SELECT sum(v), sum(w), avg(v), avg(w) FROM float_special WHERE g = %s', g)) FROM generate_series(1, 11) g;
SELECT check_query('SELECT g, sum(v) FILTER (WHERE v > 0), sum(w) FILTER (WHERE v <= 0) FROM float_special GROUP BY g');
SELECT check_query('SELECT sum(v), avg(w) FROM float_special WHERE g > 100');
SELECT check_query('SELECT n, s FROM generate_series(1, 11) n, LATERAL (SELECT sum(v) AS s FROM float_special WHERE g = n) x');

-- what may overflow is PostgreSQL's own
SELECT check_fallback('SELECT sum(v) FROM (VALUES (1e308::float8), (1e308), (-1e308)) x (v)');
SELECT check_fallback('SELECT sum(v) FROM (VALUES (1e308::float8), (-1e308), (1e308)) x (v)');
SELECT check_fallback('SELECT sum(v) FROM (VALUES (1e300::float8), (1)) x (v)');
SELECT check_fallback('SELECT sum(v) FROM (VALUES (3e38::float4), (3e38), (-3e38)) x (v)');
SELECT check_fallback('SELECT sum(v) FROM (VALUES (1e28::float4), (1)) x (v)');
SELECT check_fallback('SELECT avg(v), sum(v) FROM (VALUES (1e200::float8), (1)) x (v)');
SELECT check_fallback('SELECT var_pop(v) FROM (VALUES (1e200::float8), (1)) x (v)');
SELECT check_query('SELECT avg(v) FROM (VALUES (3e38::float4), (3e38)) x (v)');
SELECT check_query('SELECT sum(v) FROM (VALUES (1e297::float8), (NULL)) x (v)');
SELECT check_fallback('SELECT regr_avgx(y, x) FROM (VALUES (1e200::float8, 1::float8), (1, 2)) t (y, x)');
SELECT check_query('SELECT regr_count(y, x) FROM (VALUES (1e200::float8, 1::float8), (1, 2), (NULL, 1)) t (y, x)');
SELECT check_fallback('SELECT g, sum(1 / (v - v)) FROM float_special WHERE g = 9 GROUP BY g');

-- variances and the like: of small integers, whose deviations are no fractions
CREATE TABLE float_pairs AS SELECT i % 5 AS g, CASE WHEN i % 7 <> 0 THEN (i * 13 % 40)::float8 END AS x, CASE WHEN i % 11 <> 0 THEN (i * i % 50)::float8 END AS y FROM generate_series(1, 4000) i;
CREATE FUNCTION float_rounded(v float8) RETURNS numeric LANGUAGE sql IMMUTABLE AS 'SELECT round(v::numeric, 6)';
SELECT f AS function, check_query(format('SELECT g, float_rounded(%1$s(x)), float_rounded(%1$s(x::float4)), float_rounded(%1$s(x) FILTER (WHERE y > 10)) FROM float_pairs GROUP BY g', f))
FROM unnest('{variance,var_samp,var_pop,stddev,stddev_samp,stddev_pop}'::text[]) f;
SELECT f AS function, check_query(format('SELECT g, float_rounded(%1$s(y, x)), float_rounded(%1$s(x, y)), float_rounded(%1$s(y, x) FILTER (WHERE x > 10)), count(*) FROM float_pairs GROUP BY g', f)) AS groups,
	check_query(format('SELECT float_rounded(%1$s(y, x)), float_rounded(%1$s(y * 2, 3::float4)), float_rounded(%1$s(2.5, x)) FROM float_pairs', f)) AS one
FROM unnest('{covar_pop,covar_samp,corr,regr_sxx,regr_syy,regr_sxy,regr_avgx,regr_avgy,regr_r2,regr_slope,regr_intercept}'::text[]) f;
SELECT check_query('SELECT g, regr_count(y, x), regr_count(x, 1), count(x) FROM float_pairs GROUP BY g');

-- nothing, one pair, lines of one x or one y
SELECT check_query('SELECT var_pop(x), var_samp(x), stddev(x), covar_pop(y, x), covar_samp(y, x), corr(y, x), regr_sxx(y, x), regr_avgx(y, x), regr_r2(y, x), regr_slope(y, x), regr_intercept(y, x), regr_count(y, x) FROM float_pairs WHERE g > 10');
SELECT check_query(format('SELECT var_pop(x), var_samp(x), stddev_pop(y), covar_pop(y, x), covar_samp(y, x), corr(y, x), regr_sxx(y, x), regr_syy(y, x), regr_sxy(y, x), regr_avgx(y, x), regr_avgy(y, x), regr_r2(y, x), regr_slope(y, x), regr_intercept(y, x), regr_count(y, x) FROM (VALUES %s) t (y, x)', v))
FROM unnest(ARRAY['(2::float8, 3::float8)', '(2::float8, NULL::float8)', '(2::float8, 3::float8), (4, 3)', '(2::float8, 3::float8), (2, 5)', '(2::float8, 3::float8), (2, 3)',
	'(2::float8, 3::float8), (4, 7)', '(2::float8, ''NaN''::float8), (4, 7)', '(2::float8, ''Infinity''::float8), (4, 7)', '(''Infinity''::float8, 3::float8), (''-Infinity'', 7)',
	'(''-0''::float8, 1::float8), (''-0'', 2)', '(''NaN''::float8, 1::float8)', '(''Infinity''::float8, 1::float8)', '(5::float8, ''Infinity''::float8), (5, 1)']) v;

-- exactly, where PostgreSQL's own lose digits
SELECT var_pop(v), stddev_pop(v), var_samp(v) FROM (VALUES (1e15::float8), (1e15 + 1)) x (v);
SELECT var_pop(v), covar_pop(v, -v), corr(v, v + 1), regr_slope(2 * v, v), regr_r2(v, v) FROM (SELECT 0.1::float8 AS v FROM generate_series(1, 3)) x;
SELECT var_pop(v), regr_sxx(v, v), regr_slope(v * 4, v), corr(v, -v) FROM (SELECT 1e12 + i::float8 / 1024 AS v FROM generate_series(1, 1024) i) x;

-- of int2 and int4, their extremes among them: what the same numbers as floats give, to the last bit
CREATE TABLE integer_pairs AS SELECT g, x, s, y, x::float8 AS fx, s::float8 AS fs, y::float8 AS fy
FROM (SELECT i % 9 AS g, CASE WHEN i % 13 <> 0 THEN (i * 7919::bigint * 1000003 % 4294967296 - 2147483648)::int4 END AS x,
		CASE WHEN i % 17 <> 0 THEN (i * 7919 % 65536 - 32768)::int2 END AS s,
		CASE WHEN i % 9 = 0 THEN NULL WHEN i % 9 = 1 THEN -7 WHEN i % 11 <> 0 THEN (i * 104729::bigint * 1299709 % 4294967296 - 2147483648) / (i % 3 * 1000 + 1) END::int4 AS y
	FROM generate_series(1, 5000) i) v;
INSERT INTO integer_pairs SELECT g, x, s, y, x, s, y FROM (VALUES (20, 2147483647, 32767::int2, -2147483648), (20, -2147483648, -32768, 2147483647), (21, -2147483648, -32768, -2147483648), (21, -2147483648, -32768, -2147483648),
	(22, 2147483647, 32767, 2147483646), (22, 2147483646, 32767, 2147483647), (22, 2147483647, 32766, 2147483645), (23, -5, 3, 4), (24, NULL, 3, 4), (24, 1, NULL, NULL), (25, 0, 0, 0), (25, 0, 0, 0), (25, 1, -1, 0)) v (g, x, s, y);
CREATE FUNCTION integer_moments(f text, integers text, floats text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	one text := format('SELECT g, %1$s(%2$s) AS i, %1$s(%2$s) FILTER (WHERE g <> s) AS j FROM integer_pairs GROUP BY g', f, integers);
	other text := format('SELECT g, %1$s(%2$s) AS i, %1$s(%2$s) FILTER (WHERE g <> s) AS j FROM integer_pairs GROUP BY g', f, floats);
	result text;
BEGIN
	IF NOT (is_taken(one) AND is_taken(other)) THEN
		RETURN 'NOT TAKEN';
	END IF;
	EXECUTE format('SELECT count(*) FILTER (WHERE (float8send(a.i), float8send(a.j)) IS DISTINCT FROM (float8send(b.i), float8send(b.j))) || '' of '' || count(*) || '' differ'' FROM (%s) a JOIN (%s) b USING (g)', one, other) INTO result;
	RETURN result;
END $$;
SELECT f AS function, integer_moments(f, 'y, x', 'fy, fx') AS int4, integer_moments(f, 's, x', 'fs, fx') AS "int2 and int4", integer_moments(f, 's, s', 'fs, fs') AS int2,
	integer_moments(f, 'x + 0, s * -1', 'fx, fs * -1') AS expressions, integer_moments(f, 'y, fx', 'fy, fx') AS mixed
FROM unnest('{covar_pop,covar_samp,corr,regr_sxx,regr_syy,regr_sxy,regr_avgx,regr_avgy,regr_r2,regr_slope,regr_intercept}'::text[]) f;
SELECT f AS function, integer_moments(f, 'x::float8', 'fx') AS int4, integer_moments(f, 's::float8', 'fs') AS int2
FROM unnest('{variance,var_samp,var_pop,stddev,stddev_samp,stddev_pop}'::text[]) f;
SELECT check_query('SELECT g, regr_count(y, x), regr_count(s, s), float_rounded(covar_pop(s % 9, y % 5)), float_rounded(corr(s % 9, s % 9 * 2)) FROM integer_pairs GROUP BY g');
SELECT check_query('SELECT g, float_rounded(covar_samp(a, b)) FROM (SELECT g, s AS a, t.n AS b FROM integer_pairs JOIN (VALUES (1, 3), (2, -4), (23, 9)) t (k, n) ON g = k) j GROUP BY g');
SELECT check_query('SELECT s::float8, var_pop(s::float8), regr_count(s, s) FROM integer_pairs JOIN (VALUES (1), (2)) t (k) ON g = k GROUP BY s::float8');
-- what sums and squares in numeric give, rounded where PostgreSQL's final functions round
SELECT bool_and(regr_sxx = (n * xx - x * x)::float8 / n::float8) AS sxx, bool_and(regr_sxy = (n * xy - x * y)::float8 / n::float8) AS sxy, bool_and(avgx = x::float8 / n::float8 OR current_setting('server_version_num')::int >= 190000) AS avgx
FROM (SELECT g, regr_sxx(y, x), regr_sxy(y, x), regr_avgx(y, x) AS avgx FROM integer_pairs GROUP BY g) e
JOIN (SELECT g, count(*)::numeric AS n, sum(x::numeric) AS x, sum(y::numeric) AS y, sum(x::numeric * x) AS xx, sum(x::numeric * y) AS xy FROM integer_pairs WHERE x IS NOT NULL AND y IS NOT NULL GROUP BY g) o USING (g);
SELECT check_fallback('SELECT g, corr(y, x / (s - s)) FROM integer_pairs GROUP BY g');
SELECT check_fallback('SELECT g, corr(x + x, y) FROM integer_pairs GROUP BY g');

-- errors of both arguments are PostgreSQL's, whichever is NULL
SELECT check_fallback('SELECT regr_avgx(y, 1 / (x - x)) FROM float_pairs');
SELECT check_fallback('SELECT regr_avgy(1 / (x - x), y) FROM float_pairs WHERE x IS NOT NULL AND y IS NULL');
SELECT check_fallback('SELECT regr_count(y, 1 / (x - x)) FROM float_pairs WHERE y IS NULL');
SELECT check_fallback('SELECT g, var_pop(1 / (x - 13)) FROM float_pairs GROUP BY g');
SELECT check_query('SELECT g, float_rounded(covar_pop(1 / x, y)) FROM float_pairs WHERE x > 0 GROUP BY g');

DROP TABLE float_terms, float_exact, float_near_values, float_late_values, float_special, float_pairs, integer_pairs;
DROP FUNCTION wrong_sums, wrong_by_strategy, explain_float_sums, float_rounded, integer_moments;
