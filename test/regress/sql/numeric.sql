--
-- numeric with a scale: stored values, digits and display scales of results,
-- and what leaves 64 bits.
--

-- Values of many lengths and weights, in short and (wide's) long headers, with
-- zeros at both ends that are not stored.  n0 NOT NULL, the others with NULLs.
CREATE TABLE amounts (id int NOT NULL, g int, n0 numeric(10,0) NOT NULL, n1 numeric(17,1), n2 numeric(15,2),
	n4 numeric(12,4), n7 numeric(18,7), wide numeric(400,16), i2 smallint, i4 int, i8 bigint, t text);
INSERT INTO amounts SELECT i, i % 17,
	CASE i % 5 WHEN 0 THEN 0 WHEN 1 THEN i * 10000 WHEN 2 THEN -i ELSE 9999999999 - i END,
	CASE WHEN i % 7 <> 0 THEN (i % 301 - 150) * 10.0 ^ (i % 14 - 1) END,
	CASE WHEN i % 11 <> 0 THEN (i % 999 - 500) * 10.0 ^ (i % 9 - 2) END,
	CASE WHEN i % 13 <> 0 THEN (i % 2001 - 1000) / 10.0 ^ (i % 5) END,
	CASE WHEN i % 3 <> 0 THEN (i % 77 - 38) / 10.0 ^ (i % 8) END,
	CASE WHEN i % 19 <> 0 THEN (i % 777 - 388) / 10.0 ^ (i % 17) END,
	CASE WHEN i % 23 <> 0 THEN i % 100 - 50 END, CASE WHEN i % 29 <> 0 THEN i * 1000 - 3000000 END,
	CASE WHEN i % 31 <> 0 THEN i * bigint '100000000' END, CASE WHEN i % 2 = 0 THEN repeat('x', i % 9) END
FROM generate_series(1, 6000) i;
VACUUM ANALYZE amounts;

-- keys, counts, sums, averages, extremes
SELECT c AS key, check_query(format('SELECT %I, count(*) FROM amounts GROUP BY 1', c))
FROM unnest('{n0,n1,n2,n4,n7,wide}'::text[]) c;
SELECT c AS column, check_query(format(
	'SELECT g, count(%1$I), sum(%1$I), avg(%1$I), min(%1$I), max(%1$I), min(%1$I) FILTER (WHERE id < 9) FROM amounts GROUP BY g', c))
FROM unnest('{n0,n1,n2,n4,n7,wide}'::text[]) c;
SELECT check_query('SELECT n2, pg_column_size(n2), pg_column_size(sum(n2)) FROM amounts GROUP BY n2');
SELECT check_query('SELECT DISTINCT n2, n4 FROM amounts');
SELECT check_query('SELECT n1, n2, t, n7, count(*), sum(n4) FROM amounts GROUP BY n1, n2, t, n7');
SELECT check_query('SELECT sum(n2), avg(n2), min(n2), max(n2), count(n2) FROM amounts');
SELECT check_query('SELECT sum(n2), avg(n2), min(n2), max(n2), count(n2) FROM amounts WHERE id < 0');
SELECT sum(n1), sum(n2), avg(n4), min(n7), max(n7), sum(n0), avg(n0) FROM amounts WHERE g = 3;
SELECT n4, count(*), avg(n4) FROM amounts WHERE n4 IN (0, 1, 1.5, -2.0000, 0.0001) GROUP BY n4 ORDER BY n4;

-- filters: every comparison, with constants of lesser and larger scales, on
-- both sides, and between columns
SELECT c AS column, op, check_query(format('SELECT g, count(*) FROM amounts WHERE %I %s %s GROUP BY 1', c, op, v))
FROM (VALUES ('n0', '9999999000'), ('n1', '-3'), ('n2', '10.50000'), ('n2', '-2.345'), ('n4', '0.1'), ('n7', '1e-7')) AS x (c, v),
	unnest('{=,<>,<,<=,>,>=}'::text[]) op;
SELECT check_query('SELECT g, count(*) FROM amounts WHERE 1.5 < n4 AND 2 > n2 GROUP BY g');
SELECT check_query('SELECT g, count(*) FROM amounts WHERE ' || f || ' GROUP BY g')
FROM unnest('{n2 BETWEEN -1.5 AND 100,n4 NOT BETWEEN 0 AND 1,"n2 IN (1, 2.5, -3.00)","n4 NOT IN (0.5, 0.25)",n2 IS NULL,
	n7 IS NOT NULL,n2 < n4,n4 = n7,n0 >= n2,n2 > i4,i8 = n2,n2 < NULL OR g = 1,n2 + n4 > 3.5}'::text[]) f;

-- expressions, as arguments and as keys
SELECT e AS expression, check_query(format('SELECT g, sum(%1$s), avg(%1$s), min(%1$s), count(%1$s) FROM amounts GROUP BY g', e))
FROM unnest(ARRAY['n2 + n4', 'n2 - 1', '1 - n4', 'n2 * n4', '-n2', 'abs(n4)', '+n2', 'n2 * 3', 'n2 * 1.00', '0.10 * n7',
	'n4 * (1 - n7)', 'n4 * n4 * (2.5 + i2)', 'i4::numeric', 'i2 * n2', 'i2 + n4', 'n2 % 7', 'mod(n2, 0.3)',
	'n2::int8', 'n4::int4', 'n7::int2', 'n2::numeric(16,1)', 'i4::numeric(12,3)', 'n4::numeric(14,6)', 'round(n4)', 'round(n2, 1)',
	'round(n2, 4)', 'n4 - NULL::numeric', 'n2::numeric', 'n4::numeric::numeric(15,4)']) e;
SELECT e AS key, check_query(format('SELECT %1$s, count(*), sum(%1$s) FROM amounts GROUP BY 1', e))
FROM unnest(ARRAY['n2 + 1.000', 'n4 * n7', '-n2', 'abs(n4)', 'i2::numeric', 'n4::numeric(8,1)', 'round(n2)', 'n4::int']) e;
SELECT check_query('SELECT n4::float8, count(*), min(n7::float8), max(n2::float8 / 3) FROM amounts GROUP BY 1');
SELECT check_query('SELECT n2 > 0, n2::int8 % 3, count(*) FROM amounts WHERE abs(n2) < 1e6 GROUP BY 1, 2');
SELECT n4 + 1.00000 AS key, sum(n4 * 2.50), avg(-n4) FROM amounts WHERE abs(n4) < 0.0005 GROUP BY 1 ORDER BY 1;

-- what surrounds a GROUP BY
SELECT check_query('SELECT g, sum(n2) FROM amounts GROUP BY g HAVING sum(n2) > 1000.5 AND min(n4) < 0');
SELECT check_query('SELECT g, sum(n2) / count(*), sum(n4) * 2 FROM amounts GROUP BY g ORDER BY sum(n2) DESC LIMIT 5');
SELECT g, sum(n7) FROM amounts GROUP BY g ORDER BY sum(n7) DESC LIMIT 3;

-- sums beyond 64 bits
CREATE TABLE large (g int, n numeric(18,2));
INSERT INTO large SELECT i % 3, CASE WHEN i % 4 = 0 THEN -1 ELSE 1 END * (9999999999999999.99 - i) FROM generate_series(1, 1000) i;
SELECT check_query('SELECT g, sum(n), avg(n), min(n), max(n) FROM large GROUP BY g');
SELECT sum(n), avg(n), sum(-n) FROM large;

-- what does not fit falls back: products, sums, casts, whole values
SELECT check_fallback('SELECT g, sum(n * n) FROM large GROUP BY g');
SELECT check_fallback('SELECT g, sum(n + n * 900) FROM large GROUP BY g');
SELECT check_fallback('SELECT g, count(*) FROM large WHERE n < 1.00001 GROUP BY g');
SELECT check_fallback('SELECT g, sum(n::float8) FROM large GROUP BY g');
SELECT check_fallback('SELECT g, sum(n::int4) FROM large GROUP BY g');
SELECT check_fallback('SELECT g, sum(n::numeric(15,2)) FROM large GROUP BY g');
SELECT check_fallback('SELECT g, sum(n % (g - 1)) FROM large GROUP BY g');
CREATE TABLE special (g int, n numeric(25,2));
INSERT INTO special VALUES (1, 1.5), (1, 'NaN'), (2, NULL);
SELECT check_query('SELECT g, sum(n), max(n), count(n) FROM special GROUP BY g');
SELECT check_query('SELECT g, count(*) FROM special GROUP BY g');
DELETE FROM special WHERE n = 'NaN';
INSERT INTO special VALUES (3, 92233720368547758.07), (3, -92233720368547758.07);
SELECT check_query('SELECT g, sum(n), min(n), max(n) FROM special GROUP BY g');
INSERT INTO special VALUES (3, 92233720368547758.08);
SELECT check_fallback('SELECT g, sum(n), min(n), max(n) FROM special GROUP BY g');

-- values that do not have their column's scale, since somebody changed the catalog
CREATE TABLE tampered (g int, n numeric(10,2));
INSERT INTO tampered VALUES (1, 1.5), (1, 2);
UPDATE pg_attribute SET atttypmod = (10 << 16 | 3) + 4 WHERE attrelid = 'tampered'::regclass AND attname = 'n';
SELECT check_fallback('SELECT g, sum(n), min(n) FROM tampered GROUP BY g');

-- columns that are added, and changed
ALTER TABLE special ADD COLUMN a numeric(9,3) DEFAULT 2.5, ADD COLUMN b numeric(9,3);
INSERT INTO special VALUES (4, 1, 3.25, 4);
SELECT check_query('SELECT g, sum(a), sum(b), min(a), count(b) FROM special GROUP BY g');
SELECT check_query('SELECT a, b, count(*) FROM special GROUP BY a, b');
ALTER TABLE special ALTER COLUMN a TYPE numeric(20,3);
ALTER TABLE special ALTER COLUMN b TYPE numeric(20,1);
SELECT check_query('SELECT g, sum(a), sum(b), min(a), count(b) FROM special GROUP BY g');

-- domains
CREATE DOMAIN money2 AS numeric(10,2);
CREATE TABLE paid (g int, m money2);
INSERT INTO paid SELECT i % 4, i / 4.0 FROM generate_series(1, 100) i;
SELECT check_query('SELECT g, sum(m), avg(m) FROM paid WHERE m > 2.125 GROUP BY g');
SELECT check_query('SELECT m, count(*) FROM paid GROUP BY m');

-- other sources
SELECT check_query('SELECT a.g, sum(a.n2), avg(b.n4 + a.n2) FROM amounts a JOIN amounts b ON a.id = b.id + 1 GROUP BY a.g');
SELECT check_query('SELECT n2, count(*) FROM (SELECT n2 FROM amounts WHERE id < 2000 OFFSET 0) s GROUP BY n2');
SELECT check_query('SELECT sum(n) FROM (VALUES (1.50::numeric(5,2)), (2.25::numeric(5,2))) x (n)');
SELECT check_query($$SELECT sum(n) FROM (VALUES ('NaN'::numeric(5,2)), (2.25::numeric(5,2))) x (n)$$);

-- parameters: their scale is not known, which matters to no comparison
CREATE FUNCTION check_parameter(op text, value numeric) RETURNS text 
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET client_min_messages = warning AS $$
DECLARE
	query text := format('SELECT g, count(*), sum(n2) FROM amounts WHERE n2 %1$s $1 OR $1 %1$s n4 GROUP BY g', op);
BEGIN
	DROP TABLE IF EXISTS ours, native;
	CREATE TEMP TABLE ours (r text);
	EXECUTE format('PREPARE by_parameter(numeric) AS INSERT INTO ours SELECT s::text FROM (%s) s', query);
	PERFORM set_config('gpuagg.fallback', no_fallback(), true);
	EXECUTE format('EXECUTE by_parameter(%L)', value);
	SET LOCAL gpuagg.mode = off;
	EXECUTE format('CREATE TEMP TABLE native AS SELECT s::text AS r FROM (%s) s', replace(query, '$1', quote_nullable(value) || '::numeric'));
	DEALLOCATE by_parameter;
	RETURN compare_rows();
END $$;
SELECT op, v AS value, check_parameter(op, v) FROM unnest('{=,<>,<,<=,>,>=}'::text[]) op, unnest('{0,10.5,-0.12345,NULL}'::numeric[]) v;
PREPARE above(numeric) AS SELECT g, count(*), sum(n2) FROM amounts WHERE n2 > $1 GROUP BY g ORDER BY g LIMIT 2;
SET plan_cache_mode = force_generic_plan;
EXECUTE above(1000.125);
EXECUTE above(1e30);
EXECUTE above('NaN');
RESET plan_cache_mode;
SELECT check_query('SELECT g, count(*) FROM amounts WHERE n4 > (SELECT avg(n4) FROM amounts) GROUP BY g');

-- the program says the scales
SELECT program('SELECT n2, sum(n2 * (1 - n4)), avg(n7) FROM amounts GROUP BY n2');

-- with numeric inside of them
SELECT check_query('SELECT g, count(*) FROM amounts WHERE ' || f || ' GROUP BY g')
FROM unnest('{n2 IS DISTINCT FROM n4,n2 IS NOT DISTINCT FROM 1.50,"CASE WHEN n2 > 1.5 THEN n4 < 1 ELSE n7 = 0 END","CASE n4 WHEN 0 THEN true WHEN 1.5 THEN false END",
	"n2 = ANY (ARRAY[1, 2.5, -3.00])","n2 <> ALL (ARRAY[1, 2.5])"}'::text[]) f;
SELECT check_query('SELECT g, sum(n), count(n) FROM (SELECT g, ' || e || ' AS n FROM amounts) s GROUP BY g')
FROM unnest('{"CASE WHEN n2 > 1 THEN n4 ELSE n4 + 1 END","coalesce(n4, 0)","nullif(n2, n4)","greatest(n2, n4)","(coalesce(n4, 0))::numeric(12,4)",
	"CASE n4 WHEN 0.0 THEN 1 WHEN 1.5 THEN 2 END",n4::float4::int}'::text[]) e;

-- what is left to PostgreSQL
SET gpuagg.report_rejections = on;
CREATE TABLE unscaled (n numeric, m numeric(5,-2), s numeric(40,30));
INSERT INTO unscaled VALUES (1.5, 1234, 1), (1.50, 5678, 2);
SELECT sum(n) FROM unscaled;
SELECT n, count(*) FROM unscaled GROUP BY n;
SELECT sum(m) FROM unscaled;
SELECT sum(s) FROM unscaled;
SELECT sum(n2 / 3) FROM amounts WHERE id < 10;
SELECT sum(sqrt(n0)) FROM amounts WHERE id < 2;
SELECT sum(wide * n4) FROM amounts WHERE id < 2;
SELECT sum(CASE WHEN n4 > 0 THEN n4 END) FROM amounts WHERE id < 4;
SELECT count(*) FILTER (WHERE n2 < 1e30) FROM amounts;
SELECT sum(n4::numeric(5,-1)) FROM amounts WHERE id < 4;
RESET gpuagg.report_rejections;
