--
-- Functions of the C library over floats, which the CPU engine computes with the bits that PostgreSQL has.
--
CREATE TABLE float_math (id int, k int, x float8, y float8, r real);
INSERT INTO float_math SELECT i, i % 7, (i * 0.37 - 900) / 3.7, (i % 1999 - 999) / 999.0, i * 0.25 FROM generate_series(1, 5000) i;
INSERT INTO float_math VALUES (0, 0, NULL, NULL, NULL), (-1, 1, 'NaN', 'NaN', 'NaN'), (-2, 2, NULL, 0.5, 1), (-3, 3, '-0', '-0', '-0'), (-4, 4, NULL, 5e-324, 1e-45);
VACUUM ANALYZE float_math;

-- devices have other functions
SET gpuagg.engine = cpu;
SET gpuagg.mode = force;
SELECT e, check_engine(format('SELECT %s AS x, count(*), min(id) FROM float_math GROUP BY 1', e))
FROM unnest(ARRAY['exp(x)', 'exp(-r / 10)', 'ln(abs(x) + 1)', 'ln(r + 0.001)', 'log(abs(x) + 0.5)', 'log10(r + 7)', 'power(abs(x), 1.7)', 'x ^ 3', 'pow(r, y)', 'power(1.001, x)', 'power(x, k)', 'cbrt(x)', '||/ y', 'sin(x)', 'cos(x)', 'tan(x)', 'cot(x)', 'sin(x * 1e15)', 'cos(r)', 'asin(y)', 'acos(y)', 'atan(x)', 'atan2(x, y)', 'atan2(y, r)',
	'sinh(x)', 'cosh(y)', 'tanh(y)', 'asinh(x)', 'acosh(r + 1)', 'atanh(y)', 'degrees(acos(sin(y) * cos(x)))', 'radians(x)', 'floor(log(r + 1))', 'round(exp(NULLIF(y, ''NaN'')) * 1000)::int', 'CASE WHEN x > 0 THEN ln(x) END', 'COALESCE(ln(NULLIF(r, 0)), -1)']) e;
SELECT q, check_engine(q)
FROM unnest(ARRAY['SELECT k, sum(round(100 * sin(x))), avg(floor(exp(y) * 7)), min(cos(x)), max(atan2(y, x)), count(ln(r + 1)) FROM float_math GROUP BY k', 'SELECT count(*), max(id) FROM float_math WHERE cos(x) > 0 AND exp(y) < 2', 'SELECT k, count(*) FILTER (WHERE sin(x) < y) FROM float_math GROUP BY k',
	'SELECT k, count(DISTINCT round(sin(x) * 100)) FROM float_math GROUP BY k', 'SELECT DISTINCT exp(x) FROM float_math', 'SELECT floor(cbrt(x)) AS c, count(*) FROM float_math GROUP BY 1 HAVING count(*) > 3 ORDER BY 1', 'SELECT a.k, sum(ceil(exp(a.y) * b.id)) FROM float_math a JOIN float_math b ON b.id = a.k GROUP BY 1']) q;

-- at the ends of what they take and give: the values and the errors of PostgreSQL's plan
CREATE TABLE float_edges AS SELECT row_number() OVER () AS id, x
FROM unnest('{0,-0,1,-1,0.5,-0.5,1.0000000000000002,-1.0000000000000002,2,-2,3,-3,5e-324,-5e-324,1e-310,2.5e-308,1e17,-1e22,1.7976931348623157e308,-1.7976931348623157e308,709,710,-708,-740,-746,711,-711,Infinity,-Infinity,NaN,NULL}'::float8[]) x;
VACUUM ANALYZE float_edges;
CREATE FUNCTION float_outcomes(f text, OUT same boolean, OUT fails boolean) LANGUAGE plpgsql AS $$
DECLARE
	passing int[];
	edge int;
	query text := 'SELECT id, ' || f || ', count(*) FROM float_edges WHERE id %s GROUP BY 1, 2';
BEGIN
	same := true;
	FOR edge IN SELECT id FROM float_edges LOOP
		IF outcome(format(query, '= ' || edge), 'off', 'on') = '1 rows' THEN
			passing := passing || edge;
		ELSE
			same := same AND check_fallback(format(query, '= ' || edge)) ~ '^22';
		END IF;
	END LOOP;
	same := same AND check_engine(format(query, format('= ANY (%L::int[])', passing))) = cardinality(passing) || ' rows';
	fails := cardinality(passing) < (SELECT count(*) FROM float_edges);
END $$;
SELECT f, o.* FROM unnest(ARRAY['exp(x)', 'ln(x)', 'log(x)', 'cbrt(x)', 'sin(x)', 'cos(x)', 'tan(x)', 'cot(x)', 'asin(x)', 'acos(x)', 'atan(x)', 'sinh(x)', 'cosh(x)', 'tanh(x)', 'asinh(x)', 'acosh(x)', 'atanh(x)', 'degrees(x)', 'radians(x)']) f, float_outcomes(f) o;
DELETE FROM float_edges WHERE abs(x) NOT IN (0, 1, 0.5, 2, 3, 5e-324, 1.7976931348623157e308, 'Infinity', 'NaN');
SELECT f, bool_and(same) AS same, bool_or(fails) AS fails
FROM unnest(ARRAY['power(x, %L::float8)', 'power(%L::float8, x)', 'atan2(x, %L::float8)']) WITH ORDINALITY f (f, n), unnest('{0,-0,-1,0.5,-2,3,-4.5,1e308,1e-310,Infinity,-Infinity,NaN}'::float8[]) y, float_outcomes(format(f, y)) o
GROUP BY f, n ORDER BY n;
DROP FUNCTION float_outcomes(text);
DROP TABLE float_edges;
-- degrees have functions of their own
SELECT source('SELECT sind(x), count(*) FROM float_math GROUP BY 1');
RESET gpuagg.mode;
SELECT source('SELECT exp(y), count(*) FROM float_math GROUP BY 1');
RESET gpuagg.engine;
DROP TABLE float_math;
