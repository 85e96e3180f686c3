--
-- extract(), which is numeric: values, display scales, NULLs, infinities.
--
CREATE TABLE instants (id int, k int, d date, ts timestamp, tz timestamptz);
INSERT INTO instants SELECT i, i % 7, d, d + time '23:59:59.999999' * (i % 5 / 4.0) + i * interval '1.000307 seconds', (d + i * interval '3.25 seconds') AT TIME ZONE 'UTC'
FROM (SELECT i, '1890-03-01'::date + i * 83 AS d FROM generate_series(1, 700) i) s;
INSERT INTO instants VALUES (-1, 1, NULL, NULL, NULL), (-2, 2, '0044-03-15 BC', '0044-03-15 12:30:59.5 BC', '0044-03-15 12:30:59.5+00 BC'), (-3, 3, '4714-11-24 BC', '4714-11-24 BC', '4714-11-24 00:00+00 BC'),
	(-4, 4, '294276-12-31', '294276-12-31 23:59:59.999999', '294276-12-31 23:59:59.999999+00'), (-5, 5, '1970-01-01', '1969-12-31 23:59:59.000001', '1970-01-01 00:00:00.000001+00');
SET TimeZone = 'Europe/Berlin';
SELECT f AS field, check_engine(format('SELECT extract(%s FROM ts), count(*), min(id), max(id) FROM instants WHERE id <> -4 GROUP BY 1', f)) AS timestamp,
	check_engine(format('SELECT extract(%s FROM tz), count(*), min(id), max(id) FROM instants WHERE id <> -4 GROUP BY 1', f)) AS timestamptz,
	check_engine(format('SELECT k, sum(extract(%1$s FROM ts)), avg(extract(%1$s FROM ts)), min(extract(%1$s FROM ts)), max(extract(%1$s FROM ts)) FROM instants WHERE id <> -4 AND extract(%1$s FROM ts) > 1 GROUP BY k', f)) AS aggregates
FROM unnest('{microseconds,milliseconds,second,minute,hour,day,week,month,quarter,year,decade,century,millennium,isoyear,dow,isodow,doy,epoch}'::text[]) f;
SELECT f AS field, check_engine(format('SELECT extract(%1$s FROM d), count(*), sum(extract(%1$s FROM d)), avg(extract(%1$s FROM d)) FROM instants GROUP BY 1', f)) AS date
FROM unnest('{day,week,month,quarter,year,decade,century,millennium,isoyear,dow,isodow,doy,julian,epoch}'::text[]) f;
SELECT x, check_engine(format('SELECT %s, count(*), min(id) FROM instants WHERE id <> -4 GROUP BY 1', x))
FROM unnest(ARRAY['extract(second FROM ts)::int', 'extract(epoch FROM tz)::bigint', 'extract(second FROM ts)::float8', 'extract(milliseconds FROM tz)::numeric(10,1)', 'round(extract(second FROM ts), 2)',
	'extract(epoch FROM ts) + 0.5', 'floor(extract(epoch FROM ts) / 86400)', 'floor(extract(epoch FROM tz) / 86400) * 86400', 'ceil(extract(epoch FROM d) / 604800)', 'extract(year FROM d) * 100 + extract(month FROM d)', '-extract(dow FROM tz)', 'mod(extract(second FROM ts), 7)', 'extract(epoch FROM tz) - extract(epoch FROM ts)',
	'extract(hour FROM tz)::smallint', 'extract(julian FROM ts)::int', 'extract(julian FROM tz)::bigint']) x;
SELECT c AS condition, check_engine('SELECT count(*), min(id), max(id) FROM instants WHERE id <> -4 AND ' || c)
FROM unnest(ARRAY['extract(second FROM ts) = 59.000001', 'extract(second FROM ts) < 10.5', 'extract(year FROM tz) BETWEEN 1950 AND 1960', 'extract(epoch FROM ts) >= -0.999999',
	'extract(hour FROM tz) <> extract(hour FROM ts)', 'extract(month FROM d) IN (1, 2.0, 3)', 'extract(year FROM d) = extract(isoyear FROM d)', 'extract(milliseconds FROM ts) > extract(second FROM tz)']) c;
SELECT k, extract(epoch FROM ts), extract(second FROM tz), extract(milliseconds FROM tz), extract(epoch FROM d), max(extract(second FROM ts)) FROM instants WHERE id < 0 AND id > -4 GROUP BY 1, 2, 3, 4, 5 ORDER BY 1;
PREPARE of_year(numeric) AS SELECT k, count(*), sum(extract(second FROM ts)) FROM instants WHERE extract(year FROM ts) > $1 GROUP BY k HAVING max(extract(doy FROM d)) > 300 ORDER BY k;
SET plan_cache_mode = force_generic_plan;
SELECT is_taken('EXECUTE of_year(1999.5)');
EXECUTE of_year(2040.5);
SET gpuagg.mode = off;
EXECUTE of_year(2040.5);
RESET gpuagg.mode;
RESET plan_cache_mode;

-- infinity is beyond fixed point, where PostgreSQL's answer is not NULL
INSERT INTO instants VALUES (-6, 6, 'infinity', 'infinity', 'infinity'), (-7, 0, '-infinity', '-infinity', '-infinity');
SELECT check_engine('SELECT extract(hour FROM ts), extract(month FROM d), extract(second FROM tz), count(*) FROM instants WHERE id < -5 GROUP BY 1, 2, 3'),
	check_fallback('SELECT extract(year FROM ts), count(*) FROM instants GROUP BY 1'), check_fallback('SELECT max(extract(epoch FROM tz)) FROM instants WHERE id <> -4'), check_fallback('SELECT min(extract(julian FROM d)) FROM instants');
-- a column of epochs from beyond 64 bits
SELECT check_fallback('SELECT max(extract(epoch FROM ts)) FROM instants WHERE id = -4');

SET gpuagg.report_rejections = on;
SELECT max(extract(julian FROM ts)) FROM instants WHERE id = 1;
SELECT max(extract(timezone FROM tz)) FROM instants WHERE id = 1;
RESET gpuagg.report_rejections;
RESET TimeZone;
