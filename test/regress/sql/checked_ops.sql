--
-- Each operation that can fail (`checked` in ops.def; test/unit/test_checked.c
-- sees to it that each is here).  In a row that passes the filter: PostgreSQL's
-- own error, or its answer where only the engine cannot give one, be it in a
-- key, an argument or a condition.  In a row that is filtered out: no error.
--
CREATE TABLE edges (id int, a2 smallint DEFAULT 1, b2 smallint DEFAULT 1, a4 int DEFAULT 1, b4 int DEFAULT 1, a8 bigint DEFAULT 1, b8 bigint DEFAULT 1,
	x4 real DEFAULT 1, y4 real DEFAULT 1, x8 float8 DEFAULT 1, y8 float8 DEFAULT 1, d date DEFAULT '2000-01-01', e date DEFAULT '2000-01-01',
	ts timestamp DEFAULT '2000-01-01', tz timestamptz DEFAULT '2000-01-01 00:00+00', n numeric(10,2) DEFAULT 1, m numeric(18,6) DEFAULT 1, q numeric DEFAULT 1.0,
	w numeric(60,19) DEFAULT 1, iv interval DEFAULT '1 hour', t text DEFAULT '1');
CREATE TABLE checked_ops (id int GENERATED ALWAYS AS IDENTITY, op text, expr text, row_values text);
INSERT INTO checked_ops (op, expr, row_values) VALUES
	('int2_add', 'a2 + b2', 'a2 = 32767'), ('int2_add', 'a2 + b2', 'a2 = -32768, b2 = -1'),
	('int2_sub', 'a2 - b2', 'a2 = -32768'),
	('int2_mul', 'a2 * b2', 'a2 = 256, b2 = 128'),
	('int2_div', 'a2 / b2', 'b2 = 0'), ('int2_div', 'a2 / b2', 'a2 = -32768, b2 = -1'),
	('int2_mod', 'a2 % b2', 'b2 = 0'),
	('int2_neg', '-a2', 'a2 = -32768'),
	('int2_abs', 'abs(a2)', 'a2 = -32768'),
	('int4_add', 'a4 + b4', 'a4 = 2147483647'), ('int4_add', 'a2 + b4', 'b4 = 2147483647'),
	('int4_sub', 'a4 - b4', 'a4 = -2147483648'),
	('int4_mul', 'a4 * b4', 'a4 = 65536, b4 = -32769'),
	('int4_div', 'a4 / b4', 'b4 = 0'), ('int4_div', 'a4 / b4', 'a4 = -2147483648, b4 = -1'),
	('int4_mod', 'a4 % b4', 'b4 = 0'), ('int4_mod', 'mod(a4, b4)', 'b4 = 0'),
	('int4_gcd', 'gcd(a4, b4)', 'a4 = -2147483648, b4 = 0'), ('int4_lcm', 'lcm(a4, b4)', 'a4 = 65536, b4 = 32769'),
	('int4_neg', '-a4', 'a4 = -2147483648'),
	('int4_abs', '@ a4', 'a4 = -2147483648'),
	('int8_add', 'a8 + b8', 'a8 = 9223372036854775807'), ('int8_add', 'a8 + b4', 'a8 = -9223372036854775808, b4 = -1'), ('int8_add', 'm * 5 + m * 5', 'm = 999999999999.999999'),
	('int8_sub', 'a8 - b8', 'a8 = -9223372036854775808'),
	('int8_mul', 'a8 * b8', 'a8 = 4294967296, b8 = 2147483648'), ('int8_mul', 'n * m', 'n = 99999999.99, m = 999999999999.999999'),
	('int8_div', 'a8 / b8', 'b8 = 0'), ('int8_div', 'a8 / b8', 'a8 = -9223372036854775808, b8 = -1'), ('int8_div', 'a4 / b8', 'b8 = 0'),
	('int8_mod', 'a8 % b8', 'b8 = 0'), ('int8_mod', 'n % m', 'm = 0'),
	('int8_gcd', 'gcd(a8, b8)', 'a8 = -9223372036854775808, b8 = -9223372036854775808'), ('int8_lcm', 'lcm(a8, b8)', 'a8 = 4294967296, b8 = 2147483649'),
	('int8_neg', '-a8', 'a8 = -9223372036854775808'),
	('int8_abs', 'abs(a8)', 'a8 = -9223372036854775808'),
	('int8_to_int2', 'a8::int2', 'a8 = 32768'), ('int8_to_int2', 'a4::int2', 'a4 = -32769'), ('int8_to_int2', 'n::int2', 'n = 32767.5'),
	('int8_to_int4', 'a8::int4', 'a8 = -2147483649'), ('int8_to_int4', 'm::int4', 'm = 2147483647.5'),
	('int2_shl', 'a2 << b4', 'b4 = 16'),
	('int2_shr', 'a2 >> b4', 'b4 = -1'),
	('int4_shl', 'a4 << b4', 'b4 = 32'),
	('int4_shr', 'a4 >> b4', 'b4 = -1'),
	('int8_shl', 'a8 << b4', 'b4 = 64'),
	('int8_shr', 'a8 >> b4', 'b4 = -1'),
	('float4_add', 'x4 + y4', 'x4 = 3.4e38, y4 = 3.4e38'),
	('float4_sub', 'x4 - y4', 'x4 = -3.4e38, y4 = 3.4e38'),
	('float4_mul', 'x4 * y4', 'x4 = 1e30, y4 = 1e30'), ('float4_mul', 'x4 * y4', 'x4 = 1e-30, y4 = 1e-30'),
	('float4_div', 'x4 / y4', 'y4 = 0'), ('float4_div', 'x4 / y4', 'x4 = 1e30, y4 = 1e-30'), ('float4_div', 'x4 / y4', 'x4 = 1e-30, y4 = 1e30'),
	('float8_add', 'x8 + y8', 'x8 = 1.7e308, y8 = 1.7e308'),
	('float8_sub', 'x8 - y8', 'x8 = -1.7e308, y8 = 1.7e308'),
	('float8_mul', 'x8 * y8', 'x8 = 1e200, y8 = 1e200'), ('float8_mul', 'x8 * y4', 'x8 = 5e-324, y4 = 0.1'),
	('float8_div', 'x8 / y8', 'y8 = 0'), ('float8_div', 'x8 / y8', 'x8 = 1e200, y8 = 1e-200'), ('float8_div', 'x4 / y8', 'x4 = 1e-30, y8 = 1.7e308'),
	('float8_sqrt', 'sqrt(x8)', 'x8 = -5e-324'), ('float8_sqrt', '|/ x8', 'x8 = ''-infinity'''),
	('float8_to_float4', 'x8::real', 'x8 = 1e39'), ('float8_to_float4', 'x8::real', 'x8 = 1e-50'),
	('float8_to_int2', 'x8::int2', 'x8 = 32767.5'), ('float8_to_int2', 'x4::int2', 'x4 = ''NaN'''),
	('float8_to_int4', 'x8::int4', 'x8 = -2147483648.6'), ('float8_to_int4', 'x4::int4', 'x4 = 2147483648'),
	('float8_to_int8', 'x8::int8', 'x8 = 9223372036854775808'), ('float8_to_int8', 'x4::int8', 'x4 = ''infinity'''),
	('date_add', 'd + a4', 'd = ''5874897-12-31'''), ('date_add', 'd + a4', 'a4 = 2147483647'),
	('date_sub', 'd - a4', 'd = ''4714-11-24 BC'''),
	('date_diff', 'd - e', 'd = ''infinity'''), ('date_diff', 'd - e', 'e = ''-infinity'''),
	('date_to_timestamp', 'd::timestamp', 'd = ''294277-01-01'''), ('date_to_timestamp', 'd + interval ''1 hour''', 'd = ''5874897-12-31'''),
	('timestamp_to_date', '(tz AT TIME ZONE ''+05'')::date', 'tz = ''4714-11-24 00:00+00 BC'''),
	('date_extract', 'extract(year FROM d)', 'd = ''infinity'''), ('date_extract', 'extract(epoch FROM d)::int', 'd = ''-infinity'''),
	('timestamp_extract', 'extract(epoch FROM ts)', 'ts = ''infinity'''), ('timestamp_extract', 'extract(epoch FROM ts)', 'ts = ''294276-12-31'''), ('timestamp_extract', 'extract(epoch FROM tz)::int', 'tz = ''2040-01-01 00:00+00'''),
	('timestamp_trunc', 'date_trunc(''year'', ts)', 'ts = ''4714-12-24 BC'''), ('timestamp_trunc', 'date_trunc(''millennium'', ts)', 'ts = ''4713-12-24 BC'''),
	('timestamp_add_months', 'ts + interval ''1 month''', 'ts = ''294276-12-31'''), ('timestamp_add_months', 'ts - interval ''1 month''', 'ts = ''4714-11-24 BC'''),
	('timestamp_add_days', 'ts + interval ''1 day''', 'ts = ''294276-12-31'''), ('timestamp_add_days', 'ts - interval ''1 day''', 'ts = ''4714-11-24 BC'''),
	('timestamp_add_time', 'ts + interval ''1 hour''', 'ts = ''294276-12-31 23:30'''), ('timestamp_add_time', 'tz - interval ''1 hour''', 'tz = ''4714-11-24 00:30+00 BC'''),
	('float8_to_timestamp', 'to_timestamp(x8)', 'x8 = ''NaN'''), ('float8_to_timestamp', 'to_timestamp(x8)', 'x8 = 9224318016000'),
	('interval_add', 'extract(day FROM iv + iv)', 'iv = ''2000000000 days'''), ('interval_sub', 'iv - interval ''1 day'' > interval ''0''', 'iv = ''-2147483648 days'''), ('interval_neg', 'date_part(''hour'', -iv)', 'iv = ''-2147483648 days'''),
	('interval_extract', 'extract(epoch FROM iv)', 'iv = ''170000000 years'''),
	('interval_product', 'extract(day FROM iv * a4)', 'iv = ''2000000000 days'', a4 = 2'), ('interval_product', 'a8 * interval ''1 mon'' > iv', 'a8 = 2147483648'), ('interval_product', 'ts - iv * a4', 'iv = ''2000000000 hours'', a4 = 2'), ('interval_product', 'ts + a8 * interval ''1 day''', 'a8 = 9223372036854775807'),
	('time_product', 'ts + x8 * interval ''1 second''', 'x8 = ''NaN'''), ('time_product', 'ts - interval ''1 hour'' * x8', 'x8 = 1e15'),
	('month_start', 'make_date(a4, b4, 1)', 'b4 = 13'), ('month_start', 'make_date(a4, b4, 1)', 'a4 = 0'), ('month_day', 'make_date(2001, 2, a4)', 'a4 = 29'), ('month_day', 'make_date(-4714, 11, a4 + 23)', 'a4 = 0'),
	('float8_width_bucket', 'width_bucket(x8, 0, 10, 2147483647)', 'x8 = 10'),
	('timestamp_bin', 'date_bin(''10000 days'', ts, ''2000-01-01'')', 'ts = ''4714-11-24 BC'''), ('timestamp_bin', 'date_bin(''1 day'', tz, ''294276-12-31 00:00+00'')', 'tz = ''4714-11-24 00:30+00 BC'''),
	('timestamptz_local', 'tz::timestamp', 'tz = ''294276-12-31 23:30+00'''), ('timestamptz_local', 'tz AT TIME ZONE ''-01''', 'tz = ''294276-12-31 23:30+00'''),
	('timestamp_utc', 'ts::timestamptz', 'ts = ''4714-11-24 00:30 BC'''), ('timestamp_utc', 'd::timestamptz', 'd = ''4714-11-24 BC'''), ('timestamp_utc', 'ts AT TIME ZONE ''+05''', 'ts = ''294276-12-31 23:30'''),
	('text_int2', 't::int2', 't = ''32768'''),
	('text_limited', 'substr(t, 1, a4)', 'a4 = -1'), ('text_limited', 'substring(t FROM 2 FOR a4)', 'a4 = -2147483648'),
	('text_int4', 't::int4', 't = ''-2147483649'''), ('text_int4', 't::int4', 't = '''''),
	('text_int8', 't::int8', 't = ''9223372036854775808'''), ('text_int8', 't::int8', 't = ''1e2'''),
	('text_bool', 't::bool', 't = ''truth'''), ('text_bool', 't::bool', 't = ''o'''),
	('text_numeric', 't::numeric(10,2)', 't = ''1e'''), ('text_numeric', 't::numeric(10,2)', 't = ''NaN'''), ('text_numeric', 't::numeric(4,2)', 't = ''99.995'''),
	('numeric_fit', 'm::numeric(6,2)', 'm = 9999.995'), ('numeric_fit', '(n * 1.5)::numeric(3)', 'n = 999.5'),
	('numeric_to_float8', 'm::float8', 'm = 999999999999.999999'),
	('display_scale_is', 'q', 'q = 1.00'),
	('wide_to_int8', 'w::int8', 'w = 9223372036854775808'), ('wide_to_int8', 'w::int4', 'w = -1e19'),
	('wide_add', 'w + w', 'w = 9e18'), ('wide_add', 'w + n', 'w = -17014118346046923173.1687303715884105727, n = -1'),
	('wide_sub', '-w - w', 'w = 9e18'),
	('wide_neg', '-(w - 0.0000000000000000001)', 'w = -17014118346046923173.1687303715884105727'),
	('wide_abs', 'abs(w - 0.0000000000000000001)', 'w = -17014118346046923173.1687303715884105727'),
	('wide_mul', 'w * m', 'w = 1e18'),
	('numeric_quotient', 'round(n / m, 2)', 'm = 0'), ('wide_raise', 'round(n / m, 2)', 'n = 0.01, m = 999999999999'),
	('wide_fit', 'w::numeric(10,2)', 'w = 99999999.995'), ('wide_fit', 'w::numeric(25,19)', 'w = -1000000');
INSERT INTO edges (id) SELECT 0 UNION ALL SELECT id FROM checked_ops;
ANALYZE edges;
DO $$
DECLARE
	c record;
BEGIN
	FOR c IN SELECT * FROM checked_ops LOOP
		EXECUTE format('UPDATE edges SET %s WHERE id = %s', c.row_values, c.id);
	END LOOP;
END $$;
VACUUM edges;

SET TimeZone = 'Asia/Kolkata';
SELECT op, expr, row_values, check_fallback(format('SELECT %s, count(*) FROM edges WHERE id IN (0, %s) GROUP BY 1', expr, id)) AS outcome
FROM checked_ops ORDER BY id;

-- as a condition, and as an argument: the same outcome
SELECT op, expr, check_fallback(format('SELECT id, count(*) FROM edges WHERE id IN (0, %s) AND (%s) IS NOT NULL GROUP BY 1', id, expr)) AS "as a condition",
	check_fallback(format('SELECT id, count(*) FILTER (WHERE id < 0), count(%s) FROM edges WHERE id IN (0, %s) GROUP BY 1', expr, id)) AS "as an argument"
FROM checked_ops WHERE op IN ('int4_div', 'float8_sqrt', 'timestamp_utc') ORDER BY id;

-- filtered out, or not evaluated: by all of them at once
SELECT check_engine('SELECT id, ' || string_agg(format('count(%s)', expr), ', ') || ' FROM edges WHERE id = 0 GROUP BY id') AS filtered,
	check_engine('SELECT id % 2, ' || string_agg(format('count(CASE WHEN id = 0 THEN (%s) IS NOT NULL END)', expr), ', ') || ' FROM edges GROUP BY 1') AS skipped,
	check_engine('SELECT id % 2, ' || string_agg(format('count(%s) FILTER (WHERE id = 0)', expr), ', ') || ' FROM edges GROUP BY 1') AS "filtered for one"
FROM checked_ops;
RESET TimeZone;

-- what only the display scale, or a part, of a sum can be
CREATE TABLE zeros AS SELECT i AS id, CASE WHEN i = 2 THEN round(0.0, 600) ELSE 0.0 END AS q,
	CASE WHEN i = 2 THEN 17014118346046923173.1687303715884105727 ELSE 1 END::numeric(60,19) AS w FROM generate_series(1, 2) i;
ANALYZE zeros;
SELECT op, check_fallback('SELECT ' || expr || ' FROM zeros') AS outcome, check_engine('SELECT ' || expr || ' FROM zeros WHERE id <> 2') AS filtered
FROM (VALUES ('display_scale_sum', 'sum(q * q)'), ('wide_high', 'sum(w)')) v (op, expr);

-- what devices leave to PostgreSQL
CREATE TABLE written AS SELECT i AS id, (ARRAY['{"a": 1, "b": 1}', '{"a": {"b": 1}, "b": "1.2.3"}', '{"a": 1e80, "b": "infinity"}', '{"a": "\u00e4", "b": "1e400"}'])[i]::jsonb AS j FROM generate_series(1, 4) i;
ANALYZE written;
SET gpuagg.engine = cpu;
SELECT op, expr, id, check_fallback(format('SELECT %s, count(*) FROM written WHERE id IN (1, %s) GROUP BY 1', expr, id)) AS outcome,
	check_engine(format('SELECT count(%s) FILTER (WHERE id = 1) FROM written', expr)) AS filtered
FROM (VALUES ('jsonb_text', 'j ->> ''a''', 2), ('jsonb_text', 'j ->> ''a''', 3), ('text_float8', '(j ->> ''b'')::float8', 2), ('text_float8', '(j ->> ''b'')::float8', 3), ('text_float8', '(j ->> ''b'')::float8', 4)) v (op, expr, id);
DROP TABLE written;

CREATE TABLE arguments AS SELECT * FROM (VALUES (1, 0.5::float8, 0.5::float8), (2, 710, 0), (3, -2, 0.5), (4, 'Infinity', 1), (5, 0, -1)) v (id, x, y);
ANALYZE arguments;
SELECT op, expr, id, check_fallback(format('SELECT %s, count(*) FROM arguments WHERE id IN (1, %s) GROUP BY 1', expr, id)) AS outcome,
	check_engine(format('SELECT count(%s) FILTER (WHERE id = 1) FROM arguments', expr)) AS filtered
FROM (VALUES ('float8_exp', 'exp(x)', 2), ('float8_ln', 'ln(x)', 3), ('float8_ln', 'ln(x)', 5), ('float8_log10', 'log(x)', 3), ('float8_log10', 'log(x)', 5), ('float8_power', 'power(x, y)', 3), ('float8_power', 'x ^ y', 5), ('float8_power', 'power(x, x)', 2),
	('float8_sin', 'sin(x)', 4), ('float8_cos', 'cos(x)', 4), ('float8_tan', 'tan(x)', 4), ('float8_cot', 'cot(x)', 4), ('float8_asin', 'asin(x)', 3), ('float8_acos', 'acos(x)', 2), ('float8_acosh', 'acosh(x + 1)', 3), ('float8_atanh', 'atanh(x)', 2)) v (op, expr, id);
DROP TABLE arguments;

-- one text that needs more memory than a batch's texts may have
CREATE TABLE long_texts AS SELECT i AS id, (CASE WHEN i = 2 THEN repeat('a', 70000000) ELSE 'b' || i END) COLLATE "C" AS t FROM generate_series(1, 3000) i;
VACUUM ANALYZE long_texts;
SELECT op, expr, check_fallback(format('SELECT length(%s), count(*) FROM long_texts GROUP BY 1', expr)) AS outcome,
	check_engine(format('SELECT length(%s), count(*) FROM long_texts WHERE id <> 2 GROUP BY 1', expr)) AS filtered
FROM (VALUES ('text_concat', 't || ''x'''), ('text_lower', 'lower(t)'), ('text_upper', 'upper(t)'), ('text_reversed', 'reverse(t)'), ('text_replaced', 'replace(t, ''a'', ''b'')'), ('text_left_padded', 'lpad(t, 5, ''x'')'), ('text_right_padded', 'rpad(t, 1000)'), ('text_repeated', 'repeat(t, 1)')) v (op, expr);
-- one that statistics did not have
INSERT INTO long_texts VALUES (3001, 'Ü');
SELECT op, expr, check_fallback(format('SELECT %s, count(*) FROM long_texts WHERE id <> 2 GROUP BY 1', expr)) AS outcome,
	check_engine(format('SELECT %s, count(*) FROM long_texts WHERE id NOT IN (2, 3001) GROUP BY 1', expr)) AS filtered
FROM (VALUES ('text_ascii', 'lower(t COLLATE "en-x-icu")'), ('text_ascii', 't COLLATE "en-x-icu" ILIKE ''B1%''')) v (op, expr);
DROP TABLE long_texts;
RESET gpuagg.engine;

-- infinite intervals are PostgreSQL 17's, and what overflows is an error in later versions only
CREATE TABLE infinite_spans AS SELECT i AS id, CASE WHEN i = 2 THEN 'infinity' ELSE '2000-01-01' END::timestamp AS ts, CASE WHEN i = 2 THEN '4714-11-24 00:30+00 BC' ELSE '2000-01-01 00:00+00' END::timestamptz AS tz,
	CASE WHEN i = 1 THEN '1 hour' WHEN current_setting('server_version_num')::int >= 170000 THEN 'infinity' ELSE '178956970 years 7 mons 2147483647 days 2562047788:00:54.775807' END::interval AS iv FROM generate_series(1, 2) i;
ANALYZE infinite_spans;
SELECT op, expr, check_fallback('SELECT ' || expr || ' FROM infinite_spans') !~ 'FALLBACK|DIFFERENT|TAKEN' AS by_postgresql, check_engine('SELECT ' || expr || ' FROM infinite_spans WHERE id <> 2') AS filtered
FROM (VALUES ('timestamp_diff', 'count(ts - timestamp ''2000-01-01'')'), ('timestamp_diff', 'max(extract(hour FROM tz - timestamptz ''294276-12-31 23:30+00''))'), ('interval_part', 'max(date_part(''hour'', iv))'), ('interval_extract', 'min(extract(day FROM iv))'), ('interval_add', 'max(iv + interval ''0'')'), ('interval_sub', 'max(iv - interval ''0'')'), ('interval_neg', 'min(-iv)'), ('interval_months', 'max(ts + iv)'), ('interval_product', 'max(iv * id)'),
	('interval_whole_length', 'percentile_disc(0.5) WITHIN GROUP (ORDER BY iv)'), ('interval_whole_length', 'mode() WITHIN GROUP (ORDER BY iv DESC)')) v (op, expr);

-- in a query of its own: the fraction of a percentile
SELECT op, expr, check_fallback('SELECT ' || expr || ' FROM infinite_spans GROUP BY id') AS outcome, check_engine('SELECT ' || expr || ' FROM infinite_spans WHERE id <> 2 GROUP BY id') AS filtered
FROM (VALUES ('float8_fraction', 'percentile_cont((id - 1) * 1.5::float8) WITHIN GROUP (ORDER BY id)')) v (op, expr);
