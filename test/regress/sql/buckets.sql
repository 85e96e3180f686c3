--
-- width_bucket and date_bin with constants, dates and times made of parts, and
-- intervals: differences of timestamps, their fields, sums and comparisons.
--
CREATE TABLE measures (id int, k int, f float8, r real, n numeric(12,2), q numeric(20,6), a int, b bigint, s smallint, ts timestamp, tz timestamptz, later timestamp, d date, tm time, iv interval);
INSERT INTO measures SELECT i, i % 7, i * 0.37 - 300, i * 0.5 - 100, i * 0.25 - 200, i * 1.000001 - 700, i % 60 - 10, i * 100, i % 300,
	'1969-12-20 03:00'::timestamp + i * interval '9 days 37 min 1.500003 s', '1969-12-20 03:00+00'::timestamptz + i * interval '9 days 37 min 1.500003 s', '1985-12-20 21:00'::timestamp + i * interval '47 min 1.9 s',
	'1999-12-01'::date + i, '01:00'::time + i * interval '7.000001 s', (i - 600) * interval '5 mons 1 day 3 h 0.500001 s' FROM generate_series(1, 1500) i;
INSERT INTO measures (id, k) SELECT -i, i FROM generate_series(0, 6) i;
INSERT INTO measures (id, k, f, r, n, q, b) VALUES (-10, 0, 'Infinity', 'Infinity', 9999999999.99, 999999999999.999999, 9223372036854775807), (-11, 1, '-Infinity', '-Infinity', -9999999999.99, -999999999999.999999, -9223372036854775808),
	(-12, 2, -50, -50, -50, -50, -50), (-13, 3, 200, 200, 200, 200, 200), (-14, 4, 199.99999999999997, 200, 199.99, 199.999999, 199), (-15, 5, '-0', '-0', 0, 0, 0), (-16, 6, 1e308, 3e38, 0.01, 0.000001, 1), (-17, 0, -1e308, -3e38, -0.01, -0.000001, -1);
INSERT INTO measures (id, k, ts, tz, later, d, tm) VALUES (-20, 0, 'infinity', 'infinity', 'infinity', 'infinity', '24:00'), (-21, 1, '-infinity', '-infinity', '-infinity', '-infinity', '00:00');
INSERT INTO measures (id, k, ts, tz, later, d, iv) VALUES (-22, 2, '0044-03-15 12:30:59.5 BC', '0044-03-15 12:30:59.5+00 BC', '2000-01-01', '0044-03-15 BC', '-1 year -1 day -0.000001 s'), (-23, 3, '2000-01-01', '2000-01-01 00:00+00', '2000-01-01', '2000-01-01', '1 mon'),
	(-24, 4, '1999-12-31 23:45', '1999-12-31 23:45+00', '2000-01-01', '1999-12-31', '30 days'), (-25, 5, '1999-12-31 23:44:59.999999', '1999-12-31 23:44:59.999999+00', '2000-01-01', '1999-12-31', '720 hours');
VACUUM ANALYZE measures;
SET TimeZone = 'Europe/Berlin';
SELECT x, check_engine(format('SELECT %1$s AS x, count(*), min(id), max(id) FROM measures GROUP BY 1', x))
FROM unnest(ARRAY['width_bucket(f, -50, 200, 10)', 'width_bucket(f, 200, -50, 7)', 'width_bucket(f, 1e300, -1e300, 3)', 'width_bucket(f, 0, 0.1, 2147483646)', 'width_bucket(r, -50, 200, 10)', 'width_bucket(a, 0, 40, 4)', 'width_bucket(b, 0, 40000, 13)',
	'width_bucket(n, -50, 200, 10)', 'width_bucket(n, 200.5, -50, 10)', 'width_bucket(n, 0, 0.0001, 10000)', 'width_bucket(n, -0.001, 100.1234, 7)', 'width_bucket(q, -50, 200, 3)', 'width_bucket(q, 200, 0, 3)', 'width_bucket(n, 0, 1, 3) + width_bucket(f, 0, 1, 3)',
	'width_bucket(a, ARRAY[1, 5, 5, 9])', 'width_bucket(s, ARRAY[-1, 0, 100])', 'width_bucket(s, ARRAY[1, 5, 9]::int2[])', 'width_bucket(b, ARRAY[1, 5, 9223372036854775807])', 'width_bucket(b, ARRAY[100, 5, 7, 1, 2000]::bigint[])', 'width_bucket(n, ARRAY[1, 5.125, 9])', 'width_bucket(q, ARRAY[-100, 0.000001, 9.5])',
	'width_bucket(f, ARRAY[-0.0, 5.5, 9, ''NaN'']::float8[])', 'width_bucket(r, ARRAY[1, 5.5, 9]::real[])', 'width_bucket(f, ARRAY[9, 5, 7, 1, ''NaN'', 3]::float8[])', 'width_bucket(a, ''{}''::int[])', 'width_bucket(ts, ARRAY[timestamp ''2000-01-01'', ''2000-02-01'', ''infinity''])', 'width_bucket(d, ARRAY[date ''2000-01-01'', ''2000-02-01''])', 'width_bucket(tm, ARRAY[time ''02:00'', ''03:00''])']) x;
SELECT x, check_engine(format('SELECT %1$s AS x, count(*), min(id), max(id) FROM measures GROUP BY 1', x))
FROM unnest(ARRAY['date_bin(''15 min'', ts, ''2000-01-01'')', 'date_bin(''1 day 15 min'', tz, ''2000-01-01 00:07+01'')', 'date_bin(''7 days'', ts, ''1985-01-03'')', 'date_bin(''0.000001 s'', ts, ''2000-01-01'')', 'date_bin(''100000 days'', later, ''1999-01-01'')', 'date_bin(''1 week'', d::timestamp, ''2030-01-01'')', 'date_trunc(''hour'', date_bin(''5 min'', tz, ''2000-01-01''))',
	'make_date(a + 11, s % 12 + 1, k + 1)', 'make_date(s - 301, 12, 31)', 'make_date(5874897, 12, k + 1)', 'd + tm', 'tm + d', 'ts::time', 'tz::time', 'tz::time >= ''12:00''',
	'ts + a * interval ''1 second''', 'tz - interval ''90 min'' * a', 'd + s * interval ''1 hour''',
	'ts + a * interval ''1 day''', 'tz - s * interval ''1 mon -2 days 02:00''', 'interval ''1 mon'' * s + d', 'd - a * interval ''1 year 1 day''', 'tz + interval ''7 days'' * a', 'ts + iv', 'CASE WHEN id BETWEEN 550 AND 650 THEN tz - iv END', 'd + iv', 'iv + later', 'ts - CASE WHEN k > 3 THEN iv ELSE interval ''1 mon'' END']) x;
-- intervals times integers, and times times numbers
SELECT x, check_engine(format('SELECT extract(month FROM %1$s), extract(day FROM %1$s), extract(hour FROM %1$s), extract(second FROM %1$s), count(*), min(id) FROM measures WHERE abs(f) < 1e9 AND id <> -20 GROUP BY 1, 2, 3, 4', x))
FROM unnest(ARRAY['a * interval ''1 hour''', 'interval ''1 mon -3 days 04:05:06.789'' * s', 'b * interval ''1 day''', 'iv * a', 'iv * -2', '0 * iv', 'iv * 1e5', 'f * interval ''1 second''', 'interval ''-90 min'' * (r / 3)', '(later - ts) * k']) x;
SELECT check_engine('SELECT k, sum(s * interval ''1 hour''), avg(a * interval ''1 mon 1 day''), max(iv * k), count(*) FILTER (WHERE ts + a * interval ''1 day'' > tz - s * interval ''1 mon'') FROM measures WHERE id NOT IN (-20, -21) GROUP BY k');
SELECT x, check_fallback(format('SELECT %s, count(*) FROM measures WHERE id > -20 GROUP BY 1', x)) AS outcome
FROM unnest(ARRAY['ts + b * interval ''1 day''', 'f * interval ''1 hour'' > iv', 'extract(day FROM iv * 2000000000)', 'd + a * interval ''1000 years''', 'tz - iv']) x;
-- moments that come twice in local time
CREATE TABLE bucket_moments (n int, tz timestamptz, iv interval);
INSERT INTO bucket_moments SELECT n, tz, n * interval '1 day' + h * interval '1 hour' FROM generate_series(-1, 1) n, generate_series('2023-10-28 22:30+00'::timestamptz, '2023-10-29 03:30+00', '30 min') tz, generate_series(0, 1) h;
VACUUM ANALYZE bucket_moments;
SELECT x, check_engine(format('SELECT %1$s AS x, count(*) FROM bucket_moments GROUP BY 1', x)) FROM unnest(ARRAY['tz + n * interval ''1 day''', 'tz - n * interval ''1 day''', 'tz + n * interval ''1 mon''', 'tz + n * interval ''1 mon -1 day 1 hour''', 'tz + iv', 'tz - iv']) x;
DROP TABLE bucket_moments;
SELECT x, check_engine(format('SELECT %1$s AS x, count(*), min(id), max(id) FROM measures WHERE abs(f) < 1e9 GROUP BY 1', x))
FROM unnest(ARRAY['to_timestamp(f)', 'to_timestamp(f / 1e6)', 'to_timestamp(b)', 'to_timestamp(r * 1e8)', 'timestamp ''epoch'' + b * interval ''1 second''', 'd + f * interval ''1 hour''', 'ts - (f / 3) * interval ''0.000001 s''']) x;
SELECT check_engine('SELECT to_timestamp(f), count(*) FROM measures WHERE f IN (''Infinity'', ''-Infinity'', ''-0'') GROUP BY 1');

-- fields of differences, and of intervals
SELECT f AS field, check_engine(format('SELECT extract(%1$s FROM later - ts), count(*), min(id) FROM measures WHERE id NOT IN (-20, -21) GROUP BY 1', f)) AS differences,
	check_engine(format('SELECT extract(%1$s FROM iv), count(*), min(id) FROM measures GROUP BY 1', f)) AS intervals,
	check_engine(format('SELECT date_part(%1$L, iv), date_part(%1$L, tz - timestamptz ''1990-01-01''), count(*), min(id) FROM measures WHERE isfinite(tz) IS NOT FALSE GROUP BY 1, 2', f)) AS parts,
	check_engine(format('SELECT k, sum(extract(%1$s FROM iv)), avg(extract(%1$s FROM later - ts)), min(extract(%1$s FROM -iv)), max(date_part(%1$L, iv + iv)) FROM measures WHERE id NOT IN (-20, -21) GROUP BY k', f)) AS aggregates
FROM unnest('{microseconds,milliseconds,second,minute,hour,day,month,year,decade,century,millennium,epoch}'::text[]) f;
SELECT x, check_engine(format('SELECT %1$s AS x, count(*), min(id), max(id) FROM measures WHERE id NOT IN (-20, -21) GROUP BY 1', x))
FROM unnest(ARRAY['extract(epoch FROM later - ts)::bigint / 3600', 'round(extract(epoch FROM later - ts), 1)', 'extract(epoch FROM iv + (later - ts))', 'extract(day FROM iv - interval ''1 mon 3 days'')', 'extract(epoch FROM COALESCE(iv, interval ''1 hour''))', 'extract(hour FROM CASE WHEN k < 3 THEN iv ELSE -iv END)',
	'later - ts > interval ''3 days''', 'later - ts <= interval ''1 mon''', 'iv = interval ''30 days''', 'iv <> interval ''1 mon''', 'iv >= later - ts', 'iv < ''0''', 'iv BETWEEN ''-1 year'' AND ''1 year''', 'iv IN (''1 mon'', ''720 hours'')', 'iv = -iv', 'iv IS DISTINCT FROM ''30 days''', 'tz - tz = ''0''']) x;
SELECT check_engine('SELECT k, min(later - ts), max(tz - timestamptz ''1990-01-01 00:00+00''), count(iv + iv) FROM measures WHERE isfinite(ts) GROUP BY k');
PREPARE of_length(interval) AS SELECT k, count(*), sum(extract(epoch FROM later - ts)) FROM measures WHERE isfinite(ts) AND later - ts > $1 GROUP BY k ORDER BY k;
SET plan_cache_mode = force_generic_plan;
SELECT is_taken('EXECUTE of_length(''1 day'')');
EXECUTE of_length('1 day');
SET gpuagg.mode = off;
EXECUTE of_length('1 day');
RESET gpuagg.mode;
RESET plan_cache_mode;

-- PostgreSQL 15 multiplies before it divides, later versions divide first
SELECT check_engine('SELECT width_bucket(a, 0, 100, 100), count(*) FROM measures GROUP BY 1') ~ '^5[12] rows$' AS same;
-- a range beyond doubles: PostgreSQL 15 overflows
SELECT check_fallback('SELECT width_bucket(f, -1e308, 1e308, 1000), count(*) FROM measures GROUP BY 1') !~ 'DIFFERENT|TAKEN' AS same;
-- what only PostgreSQL computes, or raises an error for
SELECT x, check_fallback(format('SELECT %s, count(*) FROM measures WHERE id > -20 GROUP BY 1', x)) AS outcome
FROM unnest(ARRAY['width_bucket(f, 0, 1, 2147483647)', 'to_timestamp(f)', 'make_date(a, 2, 29)', 'ts + f * interval ''1 hour''']) x;
SELECT max(width_bucket(f, 0, 0, 5)) FROM measures;
SELECT max(width_bucket(f, 0, 1, 0)) FROM measures;
SELECT max(width_bucket(f, 0, 'infinity', 2)) FROM measures;
SELECT max(width_bucket(n, 0, 1000000000, 2)) FROM measures;
SELECT max(width_bucket(f, k, 10, 2)) FROM measures WHERE f > 0 AND k < 7;
SELECT max(width_bucket(a, ARRAY[1, NULL])) FROM measures;
SELECT max(width_bucket(a, ARRAY[[1], [2]])) FROM measures;
SELECT max(date_bin('1 mon', ts, '2000-01-01')) FROM measures;
SELECT max(date_bin('0', ts, '2000-01-01')) FROM measures;
SELECT max(date_bin('1 day', ts, 'infinity')) FROM measures WHERE id > 0;
SELECT max(date_bin('1 day', ts, ts)) FROM measures WHERE id > 0;
SELECT max(extract(quarter FROM iv)) > 0 FROM measures;
SELECT source('SELECT count(iv * f) FROM measures'), source('SELECT ts + f * interval ''1 day'', count(*) FROM measures GROUP BY 1');
RESET TimeZone;
