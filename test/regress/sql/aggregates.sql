--
-- Aggregates: their results to the last digit, over nothing, over NULLs, with
-- FILTER, at the ends of their types' ranges.
--

-- nothing: one row without keys, none with keys
CREATE TABLE nothing (LIKE facts);
SELECT count(*), count(i4), sum(i2), sum(i4), sum(i8), sum(f4), sum(f8), avg(i4), avg(i8), avg(f8), min(i4), max(ts)
FROM nothing \gx
SELECT check_query('SELECT count(*), count(i4), sum(i2), sum(i8), avg(f4), min(d) FROM nothing');
SELECT check_query('SELECT i4, count(*), sum(i4) FROM nothing GROUP BY i4');
SELECT check_query('SELECT count(*), sum(i4), avg(f8), min(ts) FROM facts WHERE id < 0');
SELECT check_query('SELECT b, count(*) FROM facts WHERE id < 0 GROUP BY b');

-- NULLs only
SELECT count(*), count(i4), sum(i4), avg(i8), min(f8), max(d) FROM facts WHERE i4 IS NULL AND i8 IS NULL AND f8 IS NULL AND d IS NULL;
SELECT check_query('SELECT i4 IS NULL, count(i4), sum(i4), avg(i4), min(i4), max(i4) FROM facts GROUP BY 1');
SELECT check_query('SELECT id % 1000, sum(i8), sum(f4), avg(f8), min(tz), count(d) FROM facts WHERE id % 17 = 0 GROUP BY 1');

-- all of them at once, shared states among them
SELECT check_query('SELECT b, count(*), count(i2), sum(i2), avg(i2), min(i2), max(i2), count(i8), sum(i8), avg(i8), min(i8), max(i8) FROM facts GROUP BY b');
SELECT check_query('SELECT qc, sum(f4), avg(f4), min(f4), max(f4), sum(f8), avg(f8), min(f8), max(f8) FROM facts GROUP BY qc');
SELECT check_query('SELECT qc, min(d), max(d), min(ts), max(ts), min(tz), max(tz) FROM facts GROUP BY qc');
SELECT check_query('SELECT count(*) + 1, sum(i4) * 2 - sum(i2), sum(f8) / count(*), max(i4) - min(i4), -sum(i8) FROM facts');
SELECT check_query('SELECT i2, sum(i4) > 0, coalesce(sum(i8), 0)::text, CASE WHEN count(*) > 50 THEN ''many'' ELSE ''few'' END FROM facts GROUP BY i2');

-- arguments that are expressions
SELECT check_query('SELECT b, sum(i4 + i2), sum(i4 * 2), avg(i8 / 3), min(-f8), max(d + 7), count(i4 > 3) FROM facts GROUP BY b');
SELECT check_query('SELECT sum(1), sum(2::bigint), avg(3), count(4), min(5.5::float8), max(date ''2020-02-02'') FROM facts');
SELECT check_query('SELECT b, count(NULL::int), sum(NULL::int), max(NULL::date) FROM facts GROUP BY b');

-- FILTER, each its own
SELECT check_query('SELECT b, count(*) FILTER (WHERE i4 > 0), sum(i4) FILTER (WHERE i4 > 0), sum(i4) FILTER (WHERE i4 <= 0),
	avg(f8) FILTER (WHERE t = ''bbb''), min(i8) FILTER (WHERE i2 BETWEEN -5 AND 5), count(i4) FILTER (WHERE b) FROM facts GROUP BY b');
SELECT check_query('SELECT count(*) FILTER (WHERE i4 IS NULL), count(*) FILTER (WHERE NULL), count(*) FILTER (WHERE false), sum(i4) FILTER (WHERE false) FROM facts');
SELECT check_query('SELECT i2, max(ts) FILTER (WHERE i4 > 400) FROM facts WHERE i2 > 0 GROUP BY i2');

-- avg: numeric's digits
SELECT avg(v), avg(w) FROM (VALUES (1, 1::bigint), (2, 2), (2, 2)) x (v, w);
SELECT avg(v), avg(w) FROM (VALUES (1000000, 1000000000000::bigint), (1000001, 1000000000001), (1000001, 1000000000001)) x (v, w);
SELECT avg(v), avg(w) FROM (VALUES (-1, -1::bigint), (0, 0), (0, 0)) x (v, w);
SELECT avg(v), avg(w) FROM (VALUES (0, 0::bigint), (0, 0)) x (v, w);
SELECT avg(v) FROM (VALUES (7::smallint), (8::smallint)) x (v);
SELECT check_query('SELECT i4, avg(id), avg(i8), avg(i2) FROM facts GROUP BY i4');

-- the ends of the ranges
CREATE TABLE extremes (g int, i2 smallint, i4 int, i8 bigint, f4 real, f8 double precision, d date, ts timestamp, tz timestamptz);
INSERT INTO extremes VALUES
	(1, 32767, 2147483647, 9223372036854775807, 3.4028235e38, 1.7976931348623157e308, 'infinity', 'infinity', 'infinity'),
	(1, -32768, -2147483648, -9223372036854775808, -3.4028235e38, -1.7976931348623157e308, '-infinity', '-infinity', '-infinity'),
	(2, 32767, 2147483647, 9223372036854775807, 1e-45, 5e-324, '5874897-12-31', '294276-12-31 23:59:59.999999', '294276-12-31 23:59:59.999999+00'),
	(2, 32767, 2147483647, 9223372036854775807, 0, 0, '4714-11-24 BC', '4714-11-24 00:00:00 BC', '4714-11-24 00:00:00+00 BC'),
	(3, -32768, -2147483648, -9223372036854775808, 'infinity', 'infinity', NULL, NULL, NULL),
	(3, -32768, -2147483648, -9223372036854775808, 1, 1, NULL, NULL, NULL);
SELECT g, sum(i2), sum(i4), sum(i8), avg(i2), avg(i4), avg(i8) FROM extremes GROUP BY g ORDER BY g;
SELECT g, min(i2), max(i2), min(i4), max(i4), min(i8), max(i8) FROM extremes GROUP BY g ORDER BY g;
SELECT g, sum(f4), sum(f8), min(f4), max(f4), min(f8), max(f8) FROM extremes GROUP BY g ORDER BY g;
SELECT g, min(d), max(d), min(ts), max(ts), min(tz), max(tz) FROM extremes GROUP BY g ORDER BY g;
SELECT c AS key, check_query(format('SELECT %I, count(*) FROM extremes GROUP BY 1', c)) FROM unnest('{i2,i4,i8,f4,f8,d,ts,tz}'::text[]) c;

-- sums beyond 64 bits, and back again
SELECT sum(i8), avg(i8) FROM extremes, generate_series(1, 1000) WHERE g = 2;
SELECT sum(i8) FROM extremes, generate_series(1, 1000) WHERE g IN (2, 3);
SELECT check_query('SELECT s % 3, sum(i8), avg(i8), sum(i4), avg(i4) FROM extremes, generate_series(1, 1000) s WHERE g <> 1 GROUP BY 1');

-- infinities and NaN
SELECT sum(v), avg(v), min(v), max(v) FROM (VALUES ('infinity'::float8), (1)) x (v);
SELECT sum(v), avg(v), min(v), max(v) FROM (VALUES ('infinity'::float8), ('-infinity')) x (v);
SELECT sum(v), avg(v), min(v), max(v) FROM (VALUES ('NaN'::float8), (1)) x (v);
SELECT sum(v) = 0, avg(v) = 0, min(v) = 0, max(v) = 0 FROM (VALUES ('-0'::float8), ('-0')) x (v);
SELECT sum(v), avg(v), min(v), max(v) FROM (VALUES ('infinity'::float4), ('-infinity')) x (v);

-- a float sum that is infinite though no value is, or an average whose sum of
-- squares is: PostgreSQL's error
SELECT check_fallback('SELECT avg(f8) FROM extremes WHERE g = 1');
SELECT check_fallback('SELECT avg(v) FROM (VALUES (1e200::float8), (2e200)) x (v)');
SELECT check_query('SELECT avg(v), sum(v) FROM (VALUES (1e30::float8), (2e30)) x (v)');
SELECT check_fallback('SELECT sum(f8 * 1) FROM extremes, generate_series(1, 2) WHERE f8 > 1e300 AND f8 < ''infinity''');
SELECT check_fallback('SELECT sum(f4) FROM extremes, generate_series(1, 2) WHERE f4 > 1e30 AND f4 < ''infinity''');
SELECT check_fallback('SELECT avg(f8) FROM extremes, generate_series(1, 2) WHERE f8 > 1e300 AND f8 < ''infinity''');

-- an int2 and a constant: as a sum of the int2s, which all of them share
SELECT query, check_query(query) FROM (VALUES
	('SELECT k % 7, sum(i2 + 5), sum(i2 - 7), sum(3 + i2), sum(i2), count(i2), sum(i2 + 0) FROM facts GROUP BY 1'),
	('SELECT sum(i2 + 32767), sum(i2 - 32767), sum(i2 + (-32768)), sum(i2 + 100000), sum(5 - i2), avg(i2 + 1) FROM facts'),
	('SELECT i4, sum(i2 + 5) FILTER (WHERE i2 > 0), sum(DISTINCT i2 + 5), sum(i2 + 5) FROM facts GROUP BY 1 HAVING sum(i2 + 5) > 9'),
	('SELECT k, sum(i2 + 5) FROM facts GROUP BY 1 ORDER BY 2 DESC NULLS LAST, 1 LIMIT 5'),
	('SELECT sum(i2 + 5), sum(i2 + 4), sum(i2 + 3), sum(i2 - 2) FROM facts WHERE id < 0'),
	('SELECT k, sum(i2 + 5), sum(i2 + 4), sum(i2 + 3), sum(i2 - 2) FROM facts GROUP BY 1 HAVING sum(i2 + 4) > 9 ORDER BY sum(i2 + 3) DESC, 1 LIMIT 9'),
	('SELECT x, count(*), sum(y) FROM (SELECT k, sum(i2 + 1) AS x, sum(i2 + 2) AS y, sum(i2 + 3) AS z, sum(i2 - 2) AS w FROM facts GROUP BY 1) s WHERE z > w GROUP BY 1'),
	('SELECT k % 9, b, sum(i2 + 5) FILTER (WHERE i4 > 0), sum(i2 + 4) FILTER (WHERE i4 > 0), sum(i2 + 3), sum(i2 - 2), count(DISTINCT t) FROM facts GROUP BY GROUPING SETS ((1, 2), (1), ())'),
	('SELECT sum(i + 1), sum(i + 2), sum(i + 3), sum(i + 4) FROM (SELECT length(t)::int2 AS i FROM facts OFFSET 0) s')) q (query);
SELECT i2 IS NULL, sum(i2 + 40), count(*) FROM facts GROUP BY 1 ORDER BY 1;
SELECT i2 IS NULL, sum(i2 + 40), sum(i2 - 40), sum(i2 + 1), sum(i2 + 2) FROM facts GROUP BY 1 ORDER BY 1;
SELECT count(*) FROM program('SELECT sum(i2 + 1), sum(i2 + 2), sum(3 + i2) FROM facts') line WHERE line ~ 'sum_int ';
SELECT count(*) FROM program('SELECT sum(i2 + 1), sum(i2 + 2), sum(3 + i2), sum(i2 - 4) FROM facts') line WHERE line ~ 'sum_int ';
SELECT count(*) FROM program('SELECT sum(i2 + 1), sum(i2 + 2), sum(3 + i2), sum(i2 - 4) FILTER (WHERE b) FROM facts') line WHERE line ~ 'sum_int ';
