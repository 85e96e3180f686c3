--
-- numeric in 128 bits, where statistics or scales say that 64 will not do.
--

-- p: large values; q: the same without a type modifier; s: 30 digits behind the point;
-- a, b: small themselves, large when multiplied; k: a few large keys; d: what the
-- 128 bits cannot hold, in a few rows
CREATE TABLE wide_numbers (id int NOT NULL, g int, p numeric(38,2), q numeric, s numeric(40,30), a numeric(15,2) NOT NULL, b numeric(18,6),
	k numeric(30,3), i4 int, i8 bigint);
INSERT INTO wide_numbers SELECT i, i % 7,
	CASE WHEN i % 11 <> 0 THEN (i * 37 % 1999 - 1000) * 1234567890123456789012345.67 END,
	CASE WHEN i % 13 <> 0 THEN round((i * 31 % 999 - 500) * 98765432109876543210.123456, i % 7) END,
	CASE WHEN i % 5 <> 0 THEN (i % 777 - 388) / 10.0 ^ (i % 31) END,
	(i * 7 % 1000 - 500) * 10000000001.23,
	CASE WHEN i % 17 <> 0 THEN (i * 11 % 1000 - 500) * 999999999.123456 END,
	CASE WHEN i % 3 <> 0 THEN (i % 20 - 10) * 123456789012345678901.234 END,
	i * 1000, CASE WHEN i % 3 <> 0 THEN i * bigint '1000000000000000' END
FROM generate_series(1, 2000) i;
VACUUM ANALYZE wide_numbers;

-- columns, sums of more than 128 bits among them
SELECT c AS column, check_query(format(
	'SELECT g, count(%1$I), sum(%1$I), avg(%1$I), sum(%1$I) FILTER (WHERE id < 9), avg(-%1$I) FROM wide_numbers GROUP BY g', c)) || ', '
	|| check_query(format('SELECT sum(%1$I), avg(%1$I) FROM wide_numbers', c)) || ', ' || check_query(format('SELECT id, sum(%1$I) FROM wide_numbers GROUP BY id', c)) AS result
FROM unnest('{p,q,s,a,b,k}'::text[]) c;
SELECT check_query('SELECT sum(p), avg(q), sum(s) FROM wide_numbers WHERE id < 0');
SELECT g, sum(p), sum(q), avg(s), sum(a * b) FROM wide_numbers GROUP BY g ORDER BY g LIMIT 3;

-- keys
SELECT check_query(format('SELECT %s, count(*), sum(p) FROM wide_numbers GROUP BY 1', c)) FROM unnest('{p,s,k,a * b,-k,k + 1.5}'::text[]) c;
SELECT check_query('SELECT k, g, a, count(*) FROM wide_numbers GROUP BY k, g, a');
SELECT check_query('SELECT DISTINCT k, pg_column_size(k) FROM wide_numbers');
SELECT k, count(*) FROM wide_numbers GROUP BY k ORDER BY k LIMIT 4;

-- expressions
SELECT e AS expression, check_query(format('SELECT id %% 50, sum(%1$s), avg(%1$s), count(%1$s) FROM wide_numbers GROUP BY 1', e))
FROM unnest(ARRAY['a * b', 'a * a', 'a * b * 2', 'a * b * 0.00001', 'b * b', 'p + a', 'p - q', '1 - p', 'p + p', '-p', 'abs(q)', '+p', 'p * 3', 'p * 1.00', 'p * 0.1', 'k * k', 's - a',
	'q * i4', 's * 2', 's + 1', 's * 0.12345678', 'p + i8', 'round(a * b, 2)', 'round(q)', 'round(q, 3)', 'round(p, 10)', 'round(s, 5)', 'round(s, 29)', '(a * b)::numeric(30,2)',
	'(a * b)::numeric(38,8)', 'p::numeric(38,6)', 'p::numeric(32,0)', 's::numeric(12,4)', 's::numeric(30,18) * 2', 'round(s, 4)::float8::int', '(s * 1e3)::int', 'p + NULL', 'i4::numeric(38,30) + s',
	'coalesce(p, 0)', 'coalesce(q, a)', 'greatest(p, q)', 'least(p, a, 0.001)', 'nullif(p, q)', 'CASE WHEN p > 0 THEN p ELSE s END', 'CASE p WHEN 0 THEN a WHEN k THEN b ELSE q END',
	'CASE WHEN a > 0 THEN a * b ELSE a END', 'CASE WHEN a > 0 THEN a * b END + 1.5']) e;
-- extremes: of both signs, of lengths around 64 bits, NULLs, none at all; where they come from, how they are merged
SELECT e AS expression, check_engine(format('SELECT g, min(%1$s), max(%1$s), max(%1$s) FILTER (WHERE i4 > 1900000), min(abs(%1$s)) FROM wide_numbers GROUP BY g', e)) || ', '
	|| check_engine(format('SELECT min(%1$s), max(%1$s) FROM wide_numbers', e)) AS result
FROM unnest(ARRAY['p', 's', '-p', 'a * b', 'CASE WHEN g < 3 THEN p ELSE a END', '(a * b)::numeric(38,8)', 'round(s, 20)']) e;
SELECT check_query('SELECT id, min(p), max(s) FROM wide_numbers GROUP BY id'), check_query('SELECT min(p), max(k) FROM wide_numbers WHERE id < 0'), check_query('SELECT g, max(p) FROM wide_numbers GROUP BY g HAVING min(p) < -1.232e27'),
	check_query('SELECT max(x.p), min(y.s) FROM wide_numbers x JOIN wide_numbers y USING (id) GROUP BY x.g'), check_query('SELECT g, i4 % 3, min(p), max(s) FROM wide_numbers GROUP BY CUBE (1, 2)');
SELECT check_query('SELECT max(DISTINCT p), count(DISTINCT g) FROM wide_numbers');
CREATE TABLE wide_edges (g int, v numeric(38,0));
INSERT INTO wide_edges SELECT i % 200, s * (2::numeric ^ (i / 4 % 118) + i % 3 - 1) FROM generate_series(1, 4000) i, unnest(ARRAY[1, -1]) s;
INSERT INTO wide_edges SELECT 200 + i % 3, s * (999999999999999999999999999999999999 - i % 5) FROM generate_series(1, 30) i, unnest(ARRAY[1, -1]) s;
ANALYZE wide_edges;
SELECT s, set_config('gpuagg.strategy', s, true) IS NULL AS n, check_engine('SELECT g, min(v), max(v), count(*), max(v) FILTER (WHERE v < 0), min(v) FILTER (WHERE v > 0) FROM wide_edges GROUP BY g')
FROM unnest(ARRAY['atomic', 'block', 'peers', 'scan', 'vote']) s;
SELECT min(v), max(v), max(v) FILTER (WHERE v < -1e30), min(v) FILTER (WHERE v > 18446744073709551615) FROM wide_edges;
-- NaN and the infinities among them, and alone
CREATE TABLE wide_specials AS SELECT i, i % 50 AS g, CASE WHEN i % 50 = 7 THEN 'NaN' WHEN i % 53 = 0 THEN 'Infinity' WHEN i % 59 = 0 THEN '-Infinity' WHEN i % 61 = 0 THEN 'NaN' ELSE (i * 12345678901234567890123.5)::numeric(38,1) * (1 - 2 * (i % 2)) END AS u FROM generate_series(1, 3000) i;
ANALYZE wide_specials;
SELECT check_engine('SELECT g, min(u), max(u), count(*) FROM wide_specials GROUP BY g'), check_engine('SELECT min(u), max(u) FROM wide_specials WHERE g <> 7'), check_query('SELECT g % 5, i % 3, min(u), max(u) FROM wide_specials GROUP BY CUBE (1, 2)');
-- beyond 128 bits, in rows that count and in others
INSERT INTO wide_edges VALUES (1, 99999999999999999999999999999999999999);
SELECT check_query('SELECT g, min(v), max(v) FROM wide_edges GROUP BY g');
SELECT check_fallback('SELECT g, max(v * 10) FROM wide_edges GROUP BY g');
SELECT check_query('SELECT g, max(v * 10) FROM wide_edges WHERE v < 1e36 GROUP BY g'), check_query('SELECT g, max(v * 10) FILTER (WHERE v < 1e36) FROM wide_edges GROUP BY g');
-- narrowed: variances, doubles
SELECT e AS expression, check_query(format('SELECT g, min(%1$s), max(%1$s), variance(%1$s) FROM wide_numbers WHERE abs(p) < 1e10 OR p IS NULL AND id < 200 GROUP BY g', e))
FROM unnest(ARRAY['p', 'a * b * 0', 's::numeric(10,3)', 'round(s, 12)']) e;
SELECT check_fallback('SELECT g, stddev(a * b) FROM wide_numbers GROUP BY g');
SELECT check_query('SELECT g, sum((a * b)::int8) FROM wide_numbers WHERE abs(a * b) < 1e18 GROUP BY g');
SELECT check_fallback('SELECT g, sum((a * b)::int8) FROM wide_numbers GROUP BY g');

-- filters
SELECT f AS filter, check_query('SELECT g, count(*) FROM wide_numbers WHERE ' || f || ' GROUP BY g')
FROM unnest(ARRAY['p > 1e20', 'p <= -1234567890123456789012345.67', 'p = 0', 'p <> 2469135780246913578024691.34', 'q BETWEEN -1e21 AND 1e21', 's < 1e-25', 'a * b > 1e20', 'a * b = b * a', 'p > q',
	'p >= a', 'q IN (0, 98765432109876543210.123456)', 'p IS DISTINCT FROM q', 'k < 1e30', 'p > 12345678901234567890123456789012345.67', 'a < 1e30', 's = 0.1', 's > g', 'p > 1.0000000001', 'NOT p < k']) f;
PREPARE above(numeric) AS SELECT g, count(*) FROM wide_numbers WHERE p > $1 OR p = $1 GROUP BY g ORDER BY g LIMIT 2;
SET plan_cache_mode = force_generic_plan;
EXECUTE above(1000.125);
EXECUTE above(1e30);
EXECUTE above(NULL);
RESET plan_cache_mode;

-- errors: beyond 128 bits, beyond a precision; in rows that count only
CREATE TABLE wide_unknown (g int, p numeric(38,2), s numeric(40,30));
INSERT INTO wide_unknown SELECT i % 3, i * 1000, i / 1000.0 FROM generate_series(1, 100) i;
SELECT check_query('SELECT g, sum(p + s), sum(s), avg(p * s), sum(greatest(p, s)) FROM wide_unknown GROUP BY g');
INSERT INTO wide_unknown VALUES (1, 170141184, -1), (1, 9e15, 170141184);
SELECT e AS expression, check_fallback('SELECT g, sum(' || e || ') FROM wide_unknown GROUP BY g') FROM unnest('{s,p + s,p - s,p * s,"greatest(p, s)"}'::text[]) e;
SELECT check_query('SELECT g, count(*), sum(p) FROM wide_unknown GROUP BY g');
SELECT check_fallback('SELECT g, sum((a * b)::numeric(20,2)) FROM wide_numbers GROUP BY g');
SELECT check_query('SELECT g, sum((a * b)::numeric(20,2)) FROM wide_numbers WHERE abs(a * b) < 1e17 GROUP BY g');
SELECT check_query('SELECT g, sum(CASE WHEN p > 1e8 THEN s ELSE p + s END) FROM wide_unknown WHERE s < 1e8 GROUP BY g');
-- and what is known to be beyond them is left to PostgreSQL
SET gpuagg.report_rejections = on;
SELECT sum(p * q) FROM wide_numbers;
SELECT sum(p + s) FROM wide_numbers;
SELECT sum(s * s) FROM wide_numbers;
SELECT sum(greatest(p, s)) FROM wide_numbers;
RESET gpuagg.report_rejections;
BEGIN;
INSERT INTO wide_numbers (id, a, q) VALUES (-1, 0, 170141183460469231731687303715.884105728);
SELECT check_fallback('SELECT g, sum(q) FROM wide_numbers GROUP BY g');
ROLLBACK;
BEGIN;
INSERT INTO wide_numbers (id, a, q) VALUES (-1, 0, 170141183460469231700000000000000.000000), (-2, 0, -170141183460469231731687303715884.105727);
SELECT check_query('SELECT id < 0, sum(q), avg(q), count(*) FROM wide_numbers GROUP BY id < 0');
SELECT check_query('SELECT id, sum(q), sum(q - 1) FROM wide_numbers WHERE id = -1 GROUP BY id');
SELECT check_fallback('SELECT id, sum(q - q) FROM wide_numbers WHERE id < 0 GROUP BY id, g HAVING sum(q + 1e31) > 0');
SELECT check_fallback('SELECT id, sum(q - 1) FROM wide_numbers GROUP BY id');
SELECT check_fallback('SELECT id, sum(q * -1.5) FROM wide_numbers GROUP BY id');
ROLLBACK;
BEGIN;
INSERT INTO wide_numbers (id, a, p) VALUES (-1, 0, 'NaN');
SELECT check_query('SELECT g, sum(p) FROM wide_numbers GROUP BY g');
ROLLBACK;

-- other sources
SELECT check_query('SELECT x.g, sum(x.p), avg(y.q + x.p), sum(x.a * y.b) FROM wide_numbers x JOIN wide_numbers y ON x.id = y.id + 1 GROUP BY x.g');
SELECT check_query('SELECT p, count(*) FROM (SELECT p FROM wide_numbers OFFSET 0) s GROUP BY p');
SELECT check_query('SELECT g, sum((p / 3)::numeric(38,4)) FROM wide_numbers GROUP BY g');

-- what the program says
SELECT program('SELECT k, sum(a * b + p), avg(s) FROM wide_numbers WHERE q > 1 GROUP BY k');

-- columns that are added
ALTER TABLE wide_numbers ADD COLUMN n numeric(38,30) DEFAULT 0.5, ADD COLUMN m numeric(38,30);
SELECT check_query('SELECT g, sum(n), sum(m) FROM wide_numbers GROUP BY g');
