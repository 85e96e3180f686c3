--
-- numeric whose display scale is not that of a type modifier: columns without
-- one, and values that CASE and the like choose; variances.
--

-- u: display scale 2 everywhere; m: 0 to 4; z: zeros of many; s: 12, small; w:
-- integers; r: NOT NULL, 1 to 3
CREATE TABLE free (id int NOT NULL, g int, u numeric, m numeric, z numeric, s numeric, w numeric, r numeric NOT NULL,
	n2 numeric(12,2), n4 numeric(12,4), i4 int, i8 bigint, t text);
CREATE FUNCTION fill_free(first int, last int) RETURNS void LANGUAGE sql AS $$
INSERT INTO free SELECT i, i % 7,
	CASE WHEN i % 11 <> 0 THEN round((i % 999 - 500) * 1.37, 2) END,
	CASE WHEN i % 13 <> 0 THEN round((i % 2001 - 1000) / 7.0, i % 5) END,
	CASE WHEN i % 5 <> 0 THEN round(0.0, i % 6) END,
	CASE WHEN i % 3 <> 0 THEN round((i % 77 - 38) / 10.0 ^ (i % 10), 12) END,
	CASE WHEN i % 17 <> 0 THEN i * 100000 - 9000000 END,
	round(i / 8.0, 1 + i / 7 % 3),
	CASE WHEN i % 11 <> 0 THEN (i % 999 - 500) * 10.0 ^ (i % 7 - 2) END,
	CASE WHEN i % 13 <> 0 THEN (i % 2001 - 1000) / 10.0 ^ (i % 5) END,
	CASE WHEN i % 29 <> 0 THEN i * 10 - 3000 END, CASE WHEN i % 31 <> 0 THEN i * bigint '1000000' END, repeat('x', i % 9)
FROM generate_series(first, last) i $$;
SELECT fill_free(1, 3000);
VACUUM ANALYZE free;

-- sums and what is made of them have the largest display scale of their group
SELECT c AS column, check_query(format(
	'SELECT i4 %% 3, count(%1$I), sum(%1$I), avg(%1$I), sum(%1$I) FILTER (WHERE id < 9), var_samp(%1$I), stddev(%1$I) FROM free GROUP BY 1', c))
FROM unnest('{u,m,z,s,w,r}'::text[]) c;
SELECT c AS column, check_query(format('SELECT id / 3, sum(%1$I), avg(%1$I), sum(%1$I + n2), sum(-%1$I) FROM free GROUP BY 1', c))
FROM unnest('{u,m,z,s,w,r}'::text[]) c;
-- where CASE makes NULL of a value, its display scale does not count
SELECT c AS column, check_query(format(
	'SELECT id / 3, sum(CASE WHEN id %% 3 <> 1 THEN %1$I END), avg(NULLIF(%1$I, n2)), sum(CASE WHEN id %% 3 = 0 THEN -%1$I END) FROM free GROUP BY 1', c))
FROM unnest('{u,m,z,s,w,r}'::text[]) c;
SELECT check_query('SELECT sum(u), avg(m), sum(z), avg(s), sum(w), sum(r) FROM free');
SELECT check_query('SELECT sum(u), avg(m), sum(z), avg(s), sum(w), sum(r) FROM free WHERE id < 0');
SELECT id % 3 AS k, sum(z), avg(z), sum(m), avg(r), sum(u) FROM free WHERE id IN (1, 2, 3, 4, 6, 7) GROUP BY 1 ORDER BY 1;

-- expressions
SELECT e AS expression, check_query(format('SELECT id %% 50, sum(%1$s), avg(%1$s), count(%1$s) FROM free GROUP BY 1', e))
FROM unnest(ARRAY['u + m', 'm - 1', '1.00000 - m', 'u * m', '-m', 'abs(r)', '+m', 'm * 3', 'm * 1.00', 'm % 7', 'mod(r, 0.3)', 'z * z', 'm + NULL',
	'm::int8', 'u::int4', 'm::numeric(16,1)', 'm::numeric(14,6)', 'round(m)', 'round(m, 1)', 'round(m, 4)', 'm::numeric', 'r * n4 + z',
	'(u + m) * (1 - n4)', 'm::float8::int']) e;

-- filters need no display scale
SELECT check_query('SELECT g, count(*) FROM free WHERE ' || f || ' GROUP BY g')
FROM unnest('{m > 1.5,m = 0,m <> 0.000000001,"m BETWEEN -1.5 AND 100","u IN (1.37, 2.740, 3)",m < n2,m < u,z = 0,s < 1e-7,w > 1e6,m IS NULL,
	m IS DISTINCT FROM u,"CASE m WHEN 1 THEN true WHEN 1.5 THEN false ELSE u > 0 END",m + u > 3.5}'::text[]) f;

-- keys and extremes: one display scale, or none of ours
SELECT c AS key, check_query(format('SELECT %I, count(*), sum(m) FROM free GROUP BY 1', c)) FROM unnest('{u,m,s,w}'::text[]) c;
SELECT check_query('SELECT ' || c || ', count(*), sum(m) FROM free GROUP BY 1') FROM unnest('{u + n2,u * w,m::numeric(9\,1)}'::text[]) c;
-- equal values are but one in what ANALYZE keeps
SELECT check_fallback('SELECT z, count(*), sum(m) FROM free GROUP BY 1');
SELECT check_fallback('SELECT g, min(z) FROM free GROUP BY 1');
SELECT c AS key, check_query(format('SELECT g, min(%1$s), max(%1$s), min(%1$s) FILTER (WHERE id < 20) FROM free GROUP BY g', c))
FROM unnest(ARRAY['u', 'm', 's', 'w', 'u + n2', 'u * w', 'u * 2.5', 'm * m', 'm + 1.0000', 'round(m, 2)']) c;
SELECT check_query('SELECT DISTINCT u, w FROM free');
-- a row that ANALYZE has not seen
BEGIN;
INSERT INTO free (id, g, r, u, w) VALUES (-1, 1, 1.0, 1.370, 5.0);
SELECT check_fallback('SELECT u, count(*) FROM free GROUP BY u');
SELECT check_fallback('SELECT g, max(u) FROM free GROUP BY g');
SELECT check_query('SELECT g, sum(w) FROM free GROUP BY g');
SELECT check_fallback('SELECT g, min(w) FROM free GROUP BY g');
SELECT check_query('SELECT g, sum(m), sum(r) FROM free GROUP BY g');
ROLLBACK;
BEGIN;
INSERT INTO free (id, g, r, u, s) VALUES (-1, 1, 1.0, 1.4, 1);
SELECT check_fallback('SELECT u, count(*) FROM free GROUP BY u');
SELECT check_fallback('SELECT g, min(s) FROM free GROUP BY g');
SELECT check_query('SELECT g, sum(u), avg(u), sum(s) FROM free GROUP BY g');
SELECT check_query('SELECT id, sum(u), avg(u), sum(s) FROM free GROUP BY id');
ROLLBACK;
-- what is too large
CREATE FUNCTION with_value(value numeric, query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	INSERT INTO free (id, g, r, m) VALUES (-1, 1, 1.0, value);
	result := check_fallback(query);
	DELETE FROM free WHERE id = -1;
	RETURN result;
END $$;
SELECT v AS value, with_value(v, 'SELECT g, sum(m), var_pop(m) FROM free GROUP BY g'), with_value(v, 'SELECT count(*) FROM free WHERE m > 1')
FROM unnest('{1e15,-922337203685477.5808,0.00001,0.00001000}'::numeric[]) v;

-- tables without statistics: up to 6 digits
CREATE TABLE unseen (g int, n numeric, m numeric(5,-2), z numeric(40,30));
INSERT INTO unseen SELECT i % 5, round(i / 3.0, i % 7), i * 100, 1 FROM generate_series(1, 300) i;
SELECT check_query('SELECT g, sum(n), avg(n), variance(n), count(n), sum(m), min(m), avg(m) FROM unseen GROUP BY g');
SELECT check_query('SELECT m, count(*) FROM unseen GROUP BY m');
SELECT check_query('SELECT g, count(*) FROM unseen WHERE n * n > 3.5 AND m <> 200 GROUP BY g');
SELECT check_query('SELECT g, max(n) FROM unseen GROUP BY g');
SELECT check_query('SELECT sum(z) FROM unseen');
INSERT INTO unseen VALUES (1, 0.0000001);
SELECT check_fallback('SELECT g, sum(n) FROM unseen GROUP BY g');
ANALYZE unseen;
SELECT check_query('SELECT g, sum(n), avg(n) FROM unseen GROUP BY g');
INSERT INTO unseen SELECT 1, 'NaN' FROM generate_series(1, 50);
SELECT check_query('SELECT g, sum(n) FROM unseen GROUP BY g');
ANALYZE unseen;
SELECT check_query('SELECT g, sum(n), avg(n) FROM unseen GROUP BY g');
UPDATE unseen SET n = 12345678901234567890.123 WHERE n = 'NaN';
ANALYZE unseen;
SELECT check_query('SELECT g, sum(n), avg(n) FROM unseen GROUP BY g');

-- columns that are added
CREATE TABLE free_grown (g int);
INSERT INTO free_grown SELECT i % 3 FROM generate_series(1, 100) i;
ALTER TABLE free_grown ADD COLUMN a numeric DEFAULT 2.50, ADD COLUMN b numeric, ADD COLUMN c numeric NOT NULL DEFAULT 1.125;
INSERT INTO free_grown VALUES (1, 1.5, 2.2500, 3), (2, NULL, NULL, 0);
SELECT check_query('SELECT g, sum(a), avg(b), sum(c), sum(a + c), sum(a * b), stddev(c) FROM free_grown GROUP BY g');
ANALYZE free_grown;
SELECT check_query('SELECT g, sum(a), avg(b), sum(c), sum(a + c), sum(a * b), stddev(c) FROM free_grown GROUP BY g');
ALTER TABLE free_grown ADD COLUMN d numeric DEFAULT 0.12345678, ADD COLUMN e numeric DEFAULT 'NaN';
SELECT check_fallback('SELECT g, sum(d) FROM free_grown GROUP BY g');
SELECT check_query('SELECT g, sum(e) FROM free_grown GROUP BY g');

-- long headers, since the display scale does not fit a short one
CREATE TABLE long_headers (n numeric, m numeric);
INSERT INTO long_headers SELECT round(i * 1.5, 5), round(i * 0.5, 70) FROM generate_series(1, 20) i;
SELECT check_query('SELECT sum(n) FROM long_headers');
SELECT check_query('SELECT sum(m), avg(m), stddev(m), sum(m * n), sum(m + 1) FROM long_headers');
ANALYZE long_headers;
SELECT check_query('SELECT sum(m), avg(m), stddev(m), sum(m * n), sum(m + 1) FROM long_headers WHERE m > 1');
SELECT check_query('SELECT max(m) FROM long_headers');
UPDATE long_headers SET m = round(m, 800) WHERE n > 20;
SELECT check_query('SELECT sum(m), avg(m), stddev(m), sum(m + n) FROM long_headers WHERE m > 1');
SELECT check_fallback('SELECT sum(m * m) FROM long_headers');
UPDATE long_headers SET m = (round(m, 1000) || '00000')::numeric WHERE n > 20;
SELECT check_fallback('SELECT sum(m) FROM long_headers');

-- other sources
SELECT check_query('SELECT a.g, sum(a.m), avg(b.u + a.m), max(a.u) FROM free a JOIN free b ON a.id = b.id + 1 GROUP BY a.g');
SELECT check_query('SELECT u, count(*) FROM (SELECT u FROM free WHERE id < 2000 OFFSET 0) s GROUP BY u');
SELECT check_query('SELECT g, sum(m), variance(m) FROM (SELECT g, m FROM free WHERE id < 2000 OFFSET 0) s GROUP BY g');
SELECT check_query('SELECT g, sum(x) FROM (SELECT g, sum(m) AS x FROM free GROUP BY id, g OFFSET 0) s GROUP BY g');
SELECT check_query('SELECT sum(n) FROM (VALUES (1.50), (2.250)) x (n)');
SELECT check_query('SELECT sum(n) FROM (SELECT m FROM free UNION ALL SELECT u FROM free) x (n)');
CREATE TABLE free_parts (g int, n numeric) PARTITION BY LIST (g);
CREATE TABLE free_parts_1 PARTITION OF free_parts FOR VALUES IN (1);
CREATE TABLE free_parts_2 PARTITION OF free_parts FOR VALUES IN (2);
INSERT INTO free_parts SELECT 1 + i % 2, round(i / 7.0, i % 4) FROM generate_series(1, 500) i;
SELECT check_query('SELECT g, sum(n), avg(n) FROM free_parts GROUP BY g');
ANALYZE free_parts;
SELECT check_query('SELECT g, sum(n), avg(n) FROM free_parts GROUP BY g');
-- quotients: numeric_division has more
SELECT check_query('SELECT g, sum((n2 / 3)::numeric(20,6)), max((n4 / i4)::numeric(12,4)) FROM free WHERE i4 <> 0 GROUP BY g');
SELECT check_query('SELECT g, sum(n2 / 3) FROM free GROUP BY g');
CREATE DOMAIN money_any AS numeric CHECK (VALUE < 1e9);
CREATE TABLE paid_any (g int, m money_any);
INSERT INTO paid_any SELECT i % 4, i / 4.0 FROM generate_series(1, 100) i;
SELECT check_query('SELECT g, sum(m), avg(m) FROM paid_any WHERE m > 2.125 GROUP BY g');

-- a prepared statement made before the values changed
PREPARE sums AS SELECT g, sum(n) FROM free_parts WHERE n > $1 GROUP BY g ORDER BY g;
SET plan_cache_mode = force_generic_plan;
EXECUTE sums(70);
INSERT INTO free_parts VALUES (1, 70.12345);
EXECUTE sums(70);
RESET plan_cache_mode;

-- chosen values
SELECT e AS expression, check_query(format('SELECT id %% 40, sum(%1$s), avg(%1$s), count(%1$s), variance(%1$s) FROM free GROUP BY 1', e))
FROM unnest(ARRAY['CASE WHEN n2 > 0 THEN n2 END', 'CASE WHEN n2 > 0 THEN n2 ELSE n4 END', 'CASE WHEN n2 > 0 THEN n2 WHEN n4 > 0 THEN n4 ELSE 0 END',
	'CASE WHEN n2 > 0 THEN NULL ELSE n4 END', 'CASE g WHEN 1 THEN n2 WHEN 2 THEN m ELSE 1.500 END', 'CASE n4 WHEN 0.0 THEN n2 WHEN 1.5 THEN n4 END',
	'CASE m WHEN 1 THEN 1 WHEN 0 THEN 2.5 WHEN u THEN m END', 'CASE n2 WHEN 5 THEN CASE n4 WHEN 1 THEN 1.5 ELSE n4 END ELSE n2 END',
	'coalesce(n4, 0)', 'coalesce(n4, n2, 0.000000)', 'coalesce(m, u)', 'coalesce(n2, i4)', 'coalesce(NULL::numeric, n2)', 'nullif(n2, n4)', 'nullif(m, 0)',
	'nullif(n2, 5.0)', 'greatest(n2, n4)', 'least(n2, n4, m, 1.50)', 'greatest(m, 0)', 'least(n2, NULL)', 'coalesce(n4, 0)::numeric(12,4)',
	'coalesce(n4, 0) + n2', 'coalesce(n2, 0) * coalesce(n4, 1)', 'abs(coalesce(m, 0.5))', 'round(greatest(n2, n4), 1)', '-coalesce(n4, 0)',
	'n2 - CASE WHEN g = 1 THEN 1.5 ELSE 2.5000 END', 'CASE WHEN g > 2 THEN n2 * n4 ELSE n2 END', 'CASE WHEN n2 > 0 THEN 1 ELSE 0 END',
	'CASE WHEN n2 > 0 THEN 1.0 ELSE 0.5 END', 'coalesce(n2, n2 + 1.0)']) e;
SELECT check_query('SELECT id % 40, sum(CASE WHEN g > 2 THEN n2 ELSE n4 END) FILTER (WHERE n2 <> 5), avg(coalesce(n4, 0)) FILTER (WHERE g = 1) FROM free GROUP BY 1');
SELECT e AS expression, check_query(format('SELECT id %% 40, min(%1$s), max(%1$s) FROM free GROUP BY 1', e)) || ', '
	|| check_query(format('SELECT %1$s, count(*) FROM free GROUP BY 1', e)) AS result
FROM unnest(ARRAY['CASE WHEN n2 > 0 THEN n2 END', 'coalesce(n4, 0.0000)', 'coalesce(n2, u)', 'greatest(n2, u, 0.00)', 'nullif(n2, 5)', 'coalesce(n4, 0)',
	'CASE WHEN g = 1 THEN n2 ELSE n4 END']) e;
SELECT check_query('SELECT g, count(*) FROM free WHERE ' || f || ' GROUP BY g')
FROM unnest('{"coalesce(n4, 0) > n2","CASE WHEN g = 1 THEN n2 ELSE n4 END < 1.5","greatest(n2, m) = least(n4, u)","nullif(n2, n4) IS NULL"}'::text[]) f;
SELECT g, sum(CASE WHEN id < 4 THEN n4 ELSE 0 END), sum(coalesce(z, 0)), avg(least(n2, 1.5)) FROM free WHERE id < 12 GROUP BY g ORDER BY g;

-- errors, and what does not fit, only of values that are chosen
CREATE TABLE chosen (g int, n numeric(18,0), f numeric(18,16), d numeric(5,2));
INSERT INTO chosen VALUES (1, 999999999999999999, 0.5, 0), (1, 5, 0.25, 1), (2, 7, NULL, 2), (2, NULL, NULL, 0);
SELECT check_query('SELECT g, sum(CASE WHEN n > 100 THEN f ELSE n END) FROM chosen GROUP BY g');
SELECT check_fallback('SELECT g, sum(CASE WHEN n > 0 THEN n ELSE f END) FROM chosen GROUP BY g');
SELECT check_query('SELECT g, sum(CASE WHEN n < 100 THEN n * n END) FROM chosen GROUP BY g');
SELECT check_fallback('SELECT g, sum(CASE WHEN n > 100 THEN n * n END) FROM chosen GROUP BY g');
SELECT check_query('SELECT g, sum(CASE WHEN d <> 0 THEN n % d END) FROM chosen GROUP BY g');
SELECT check_fallback('SELECT g, sum(CASE WHEN d = 0 THEN n % d END) FROM chosen GROUP BY g');
SELECT check_query('SELECT g, sum(CASE WHEN d = 0 THEN n % d END) FROM chosen WHERE d <> 0 GROUP BY g');
SELECT check_fallback('SELECT g, sum(greatest(n, f)) FROM chosen GROUP BY g');
SELECT check_query('SELECT g, sum(coalesce(f, n)) FROM chosen GROUP BY g');
SELECT check_query('SELECT g, sum(coalesce(f, n % d)) FROM chosen WHERE n > 0 GROUP BY g');

-- variances
SELECT a AS aggregate, check_query(format('SELECT id / 2 %% 500, %1$s(n2), %1$s(n4), %1$s(w), %1$s(n2 * n4) FROM free GROUP BY 1', a)) || ', '
	|| check_query(format('SELECT %1$s(n2), %1$s(n4) FILTER (WHERE g = 1), %1$s(m), %1$s(u * 0.001) FROM free', a)) || ', '
	|| check_query(format('SELECT id, %1$s(n2), %1$s(m), %1$s(z) FROM free GROUP BY id', a)) AS result
FROM unnest('{variance,var_pop,var_samp,stddev,stddev_pop,stddev_samp}'::text[]) a;
SELECT g, variance(n2), var_pop(n4), stddev(n2), stddev_pop(z), var_samp(m) FROM free WHERE id < 30 GROUP BY g ORDER BY g LIMIT 3;
CREATE TABLE spread (g int, n numeric(18,2), t numeric(18,18));
INSERT INTO spread SELECT i % 3, CASE WHEN i % 4 = 0 THEN -1 ELSE 1 END * (9999999999999999.99 - i), i / 10.0 ^ 18 FROM generate_series(1, 1000) i;
INSERT INTO spread VALUES (5, 1.5, 0), (5, 1.5, 0), (6, 0.01, 1e-18), (6, 0.02, 2e-18), (7, 3, 0.5), (8, NULL, NULL);
SELECT check_query('SELECT g, variance(n), stddev(n), var_pop(n), stddev_pop(n), variance(t), stddev_pop(t), stddev(t) FROM spread GROUP BY g');
SELECT g, var_pop(n), stddev(t), variance(t) FROM spread GROUP BY g ORDER BY g;

-- what the program says
SELECT program('SELECT sum(u * m), max(w) FROM free');
SELECT program('SELECT sum(coalesce(n2, 0)), stddev(n4), count(*) FROM free WHERE m > 1');

-- what is left to PostgreSQL
SET gpuagg.report_rejections = on;
SELECT count(max) FROM (SELECT max(m) FROM free) s;
SELECT count(*) FROM (SELECT 1 FROM free GROUP BY m) s;
SELECT sum(z) FROM unseen;
SELECT sum(e) FROM free_grown;
SELECT sum(n) FROM generate_series(1.5, 2.5) n;
RESET gpuagg.report_rejections;
