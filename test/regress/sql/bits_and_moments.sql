--
-- bool_and, bool_or, every, bit_and, bit_or, bit_xor; variances and standard
-- deviations of integers.
--

-- over nothing, over NULLs, over one value
CREATE TABLE no_facts (LIKE facts);
SELECT bool_and(b), bool_or(b), every(b), bit_and(i2), bit_or(i4), bit_xor(i8), variance(i2), stddev(i4), var_pop(i8), stddev_pop(i2) FROM no_facts;
SELECT check_query('SELECT bool_and(b), bool_or(b), bit_and(i4), bit_or(i4), bit_xor(i4), var_samp(i4), var_pop(i4) FROM no_facts');
SELECT check_query('SELECT i2, every(b), bit_xor(i8), stddev_samp(i8) FROM no_facts GROUP BY i2');
SELECT bool_and(b), bool_or(b), bit_and(i2), bit_or(i4), bit_xor(i8) FROM facts WHERE b IS NULL AND i2 IS NULL AND i4 IS NULL AND i8 IS NULL;
SELECT check_query('SELECT b IS NULL, bool_and(b), bool_or(b), every(b) FROM facts GROUP BY 1');
SELECT check_query('SELECT i2 IS NULL, bit_and(i2), bit_or(i2), bit_xor(i2), var_pop(i2), var_samp(i2) FROM facts GROUP BY 1');
SELECT variance(i4), var_pop(i4), stddev(i4), stddev_pop(i4) FROM facts WHERE id = 1;
SELECT check_query('SELECT id, variance(i4), var_pop(i4), stddev(i8), stddev_pop(i2) FROM facts GROUP BY id');

-- booleans: all true, all false, mixed, with NULLs
SELECT g, bool_and(v), bool_or(v), every(v)
FROM (VALUES (1, true), (1, true), (2, false), (2, false), (3, true), (3, false), (4, true), (4, NULL), (5, NULL::bool)) x (g, v)
GROUP BY g ORDER BY g;
SELECT check_query('SELECT i4, bool_and(b), bool_or(b), every(i2 > 0), bool_or(i8 IS NULL) FROM facts GROUP BY i4');
SELECT check_query('SELECT k, bool_and(b) FILTER (WHERE i2 > 0), bool_or(b) FILTER (WHERE i4 < -400) FROM facts GROUP BY k');
SELECT check_query('SELECT bool_and(id > 0), every(id > 1), bool_or(id > 11999), bool_or(id > 12000), bool_and(NOT b) FROM facts');
SELECT check_query('SELECT i2, count(*) FROM facts GROUP BY i2 HAVING bool_or(b) AND NOT bool_and(i4 > -490)');
SELECT check_query('SELECT t, bool_or(vc = ''v7'') FROM facts GROUP BY t');

-- bits of each width, signs among them
SELECT g, bit_and(i2), bit_or(i2), bit_xor(i2), bit_and(i4), bit_or(i4), bit_xor(i4), bit_and(i8), bit_or(i8), bit_xor(i8)
FROM (VALUES (1, (-1)::smallint, -1, -1::bigint), (1, 5, 5, 5),
	(2, -32768, -2147483648, -9223372036854775808), (2, 32767, 2147483647, 9223372036854775807),
	(3, -32768, -2147483648, -9223372036854775808), (3, -2, -3, -4), (4, 1, NULL, NULL), (4, 3, NULL, 12884901888)) x (g, i2, i4, i8)
GROUP BY g ORDER BY g;
SELECT check_query('SELECT b, bit_and(i2), bit_or(i2), bit_xor(i2), bit_and(i4), bit_or(i4), bit_xor(i4), bit_and(i8), bit_or(i8), bit_xor(i8) FROM facts GROUP BY b');
SELECT check_query('SELECT k, bit_and(i2), bit_or(i2), bit_xor(i2), bit_and(i4), bit_or(i4), bit_xor(i4), bit_and(i8), bit_or(i8), bit_xor(i8) FROM facts GROUP BY k');
SELECT check_query('SELECT t, bit_xor(i8) FILTER (WHERE b), bit_or(id), bit_and(id + 65536) FROM facts GROUP BY t');
SELECT check_query('SELECT bit_and(id), bit_or(id), bit_xor(id), bit_xor(7), bit_xor(i8 + 1) FROM facts');
SELECT check_query('SELECT bit_and(v), bit_or(v) FROM (SELECT 16777216 + i AS v FROM generate_series(1, 5000) i) x');

-- variances: all six, of each type, beside the sums that they are made of
SELECT variance(v), var_samp(v), var_pop(v), stddev(v), stddev_samp(v), stddev_pop(v) FROM (VALUES (1), (2), (4)) x (v);
SELECT variance(v), var_pop(v), stddev(v), stddev_pop(v) FROM (VALUES (5), (5), (5)) x (v);
SELECT variance(v), var_pop(v), stddev(v), stddev_pop(v) FROM (VALUES (-1::bigint), (1)) x (v);
SELECT check_query('SELECT variance(i2), var_samp(i2), var_pop(i2), stddev(i2), stddev_samp(i2), stddev_pop(i2) FROM facts');
SELECT check_query('SELECT variance(i4), var_samp(i4), var_pop(i4), stddev(i4), stddev_samp(i4), stddev_pop(i4) FROM facts');
SELECT check_query('SELECT variance(i8), var_samp(i8), var_pop(i8), stddev(i8), stddev_samp(i8), stddev_pop(i8) FROM facts');
SELECT check_query('SELECT k, variance(i2), var_pop(i2), stddev(i2), stddev_pop(i2), sum(i2), avg(i2), count(i2) FROM facts GROUP BY k');
SELECT check_query('SELECT k, variance(i4), var_pop(i4), stddev(i4), stddev_pop(i4), sum(i4), avg(i4), count(*) FROM facts GROUP BY k');
SELECT check_query('SELECT k, variance(i8), var_pop(i8), stddev(i8), stddev_pop(i8), sum(i8), avg(i8), min(i8) FROM facts GROUP BY k');
SELECT check_query('SELECT id % 4000, variance(id), stddev_pop(id * id % 1000003), var_pop(id::bigint * id * id) FROM facts GROUP BY 1');
SELECT check_query('SELECT i2, stddev(i4) FILTER (WHERE b), var_pop(i4) FILTER (WHERE i4 > 0), stddev(i4 + i2) FROM facts GROUP BY i2');
SELECT check_query('SELECT i2, variance(i4)::float8 / avg(i4) FROM facts GROUP BY i2 HAVING stddev(i4) > 250 AND avg(i4) <> 0');
SELECT check_query('SELECT stddev(3), var_pop(3::bigint), variance(NULL::int) FROM facts');

-- the ends of the ranges, and roots that need few digits or many
CREATE TABLE ends (g int, i2 smallint, i4 int, i8 bigint);
INSERT INTO ends VALUES
	(1, -32768, -2147483648, -9223372036854775808), (1, 32767, 2147483647, 9223372036854775807),
	(2, -32768, -2147483648, -9223372036854775808), (2, -32768, -2147483648, -9223372036854775808),
	(3, 32767, 2147483647, 9223372036854775807), (3, 32766, 2147483646, 9223372036854775806),
	(4, 0, 0, 0), (4, 1, 1, 1), (4, NULL, NULL, NULL), (5, NULL, NULL, NULL), (6, 7, 7, 3037000500);
SELECT g, variance(i4), stddev(i4), variance(i8), stddev(i8) FROM ends GROUP BY g ORDER BY g;
SELECT g, var_pop(i2), stddev_pop(i2), var_pop(i8), stddev_pop(i8) FROM ends GROUP BY g ORDER BY g;
SELECT check_query('SELECT g, variance(i2), stddev(i2), var_pop(i4), stddev_pop(i4) FROM ends GROUP BY g');
SELECT check_query('SELECT variance(i2), stddev(i4), var_pop(i8), stddev_pop(i8), stddev(i8) FROM ends');
SELECT check_query('SELECT g, variance(i8), stddev(i8), stddev_pop(i8) FROM ends, generate_series(1, 1000) GROUP BY g');
SELECT check_query('SELECT g, stddev(v), stddev_pop(v), variance(v) FROM
	(SELECT i % 1000 AS g, (i * 7919::bigint % 100003) * (10 ^ (i % 1000 % 14))::bigint AS v FROM generate_series(1, 5000) i OFFSET 0) x GROUP BY g');
-- roots of few digits, some of them just below a half at the last one
SELECT check_query('SELECT g, stddev_pop(v), stddev(v) FROM
	(SELECT d AS g, s * ((10 ^ d)::bigint + o) AS v FROM generate_series(1, 17) d, (VALUES (1, 0), (-1, 0), (-1, 1)) x (s, o) OFFSET 0) y GROUP BY g');

-- errors in arguments are PostgreSQL's
SELECT check_fallback('SELECT b, stddev(10 / (i4 - 1)) FROM facts GROUP BY b');
SELECT check_fallback('SELECT bit_or((i4 + 2147483600)::int) FROM facts');
SELECT check_fallback('SELECT bool_or(i8 * 100000000000 > 0) FROM facts');
SELECT check_query('SELECT b, bool_and(1 / i4 > 0), var_pop(1 / i4) FROM facts WHERE i4 <> 0 GROUP BY b');

DROP TABLE no_facts, ends;
