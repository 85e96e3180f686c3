--
-- timestamptz under the session's time zone, and AT TIME ZONE.
--

-- around the changes of all zones below, and where there are none
CREATE TABLE zones (zone text);
INSERT INTO zones VALUES ('UTC'), ('Europe/Berlin'), ('America/New_York'), ('Asia/Kolkata'), ('Australia/Lord_Howe'), ('America/Sao_Paulo'),
	('Pacific/Apia'), ('Europe/Dublin'), ('Africa/Monrovia'), ('Asia/Tehran'), ('Europe/Moscow'), ('EST5EDT,M3.2.0,M11.1.0'), ('<+0330>-3:30'), ('MET');
CREATE FUNCTION local_offset(zone text, at timestamptz) RETURNS interval LANGUAGE sql AS 'SELECT (at AT TIME ZONE zone) - (at AT TIME ZONE ''UTC'')';
CREATE TABLE moments (id int, tz timestamptz, ts timestamp, d date);
WITH months AS (
	SELECT zone, m, local_offset(zone, m) AS a, local_offset(zone, m + interval '1 month') AS b
	FROM zones, generate_series(timestamptz '1880-01-01 00:00+00', '2060-01-01 00:00+00', interval '1 month') m
), hours AS (
	SELECT zone, h FROM months, generate_series(m, m + interval '32 days', interval '1 hour') h
	WHERE a <> b AND (extract(year FROM m) IN (1940, 1945, 1950, 2008, 2011, 2014, 2024, 2050) OR zone IN ('Africa/Monrovia', 'Asia/Kolkata'))
		AND local_offset(zone, h) <> local_offset(zone, h + interval '1 hour')
), near AS (
	SELECT DISTINCT h + o AS at FROM hours, unnest('{-1 day,-3 hours,-61 minutes,-1 hour,-59 minutes 1 second,-0.5 seconds,0,0.000001 seconds,30 minutes,59 minutes 59.9 seconds,1 hour,2 hours 30 minutes,4 hours,23 hours,1 day}'::interval[]) o
)
INSERT INTO moments SELECT row_number() OVER (ORDER BY at), at, at AT TIME ZONE 'UTC' + interval '1 hour', (at AT TIME ZONE 'UTC')::date FROM near;
INSERT INTO moments SELECT -i, at, at AT TIME ZONE 'UTC', (at AT TIME ZONE 'UTC')::date
	FROM generate_series(1, 350) i, LATERAL (SELECT timestamptz '1811-02-03 04:05:06.789+00' + i * interval '1 year 37 days 11 hours 17 minutes' AS at) s WHERE at < '2190-01-01 00:00+00';
INSERT INTO moments VALUES (-1001, 'infinity', 'infinity', 'infinity'), (-1002, '-infinity', '-infinity', '-infinity'), (-1003, NULL, NULL, NULL);
SELECT count(*) BETWEEN 500 AND 5000 FROM moments;

-- queries over all that there is, in each zone: rows, and whether they agree
CREATE FUNCTION in_zones(query text) RETURNS TABLE (result text, times bigint) LANGUAGE plpgsql AS $$
DECLARE
	z text;
	results text[];
BEGIN
	FOR z IN SELECT zone FROM zones LOOP
		PERFORM set_config('TimeZone', z, true);
		results := results || (CASE WHEN check_engine(query) ~ '^[1-9]\d* rows$' THEN 'as natively' ELSE z || ': ' || check_engine(query) END);
	END LOOP;
	RETURN QUERY SELECT r, count(*) FROM unnest(results) r GROUP BY r;
END $$;
SELECT * FROM in_zones('SELECT date_trunc(''day'', tz), tz::date, count(*), min(id), max(id) FROM moments GROUP BY 1, 2');
SELECT what, r.* FROM (
	SELECT 'units', string_agg(format('min(date_trunc(%L, tz))', u), ', ') FROM unnest('{minute,hour,day,week,month,quarter,year,decade,century}'::text[]) u
	UNION ALL SELECT 'fields', string_agg(format('min(date_part(%L, tz))', f), ', ')
	FROM unnest('{microseconds,milliseconds,second,minute,hour,day,week,month,quarter,year,decade,century,millennium,isoyear,dow,isodow,doy,julian,epoch}'::text[]) f
	UNION ALL SELECT 'casts', string_agg(format('min(%s)', x), ', ') FROM unnest('{tz::date,tz::timestamp,ts::timestamptz,d::timestamptz,tz::date::timestamptz}'::text[]) x
	UNION ALL SELECT 'intervals', string_agg(format('min(tz + %1$L::interval), max(tz - %1$L::interval)', i), ', ')
	FROM unnest('{1 day,-1 day,1 month,-13 months,1 month 1 day 1 hour,-1 day 24 hours,90 minutes,0}'::text[]) i
	UNION ALL SELECT 'comparisons', string_agg(format('bool_and(%1$s %3$s %2$s), bool_or(%2$s %3$s %1$s)', a, b, o), ', ')
	FROM (VALUES ('tz', 'ts'), ('tz', 'd')) t (a, b), unnest('{<,<=,=,<>,>,>=}'::text[]) o
	) v (what, list), in_zones('SELECT id, ' || list || ' FROM moments GROUP BY 1') r;
SELECT c AS condition, r.* FROM unnest(ARRAY[
	'tz >= date ''2008-03-30'' AND tz < date ''2014-10-26''', 'tz BETWEEN timestamp ''1945-04-02 02:30'' AND ''2011-12-30 12:00''',
	'tz::date = ''2008-10-26''', 'date_trunc(''month'', tz) = ''2014-10-01''']) c,
	in_zones(format('SELECT count(*), min(id), max(id), count(*) FILTER (WHERE id > 0) FROM moments WHERE %s', c)) r;

-- AT TIME ZONE: names, abbreviations, fixed offsets
SELECT zone, check_engine(format('SELECT tz AT TIME ZONE %L, count(*), min(id) FROM moments GROUP BY 1', zone)) AS local,
	check_engine(format('SELECT ts AT TIME ZONE %L, count(*), min(id) FROM moments GROUP BY 1', zone)) AS utc,
	check_engine(format('SELECT date_trunc(''day'', tz, %L), count(*), min(id) FROM moments GROUP BY 1', zone)) AS trunc
FROM (TABLE zones UNION ALL VALUES ('EST'), ('cest'), ('Z'), ('-5:30'), ('europe/berlin')) z;
SELECT check_engine('SELECT date_trunc(''hour'', tz AT TIME ZONE ''Asia/Tehran'') AT TIME ZONE ''America/New_York'', count(*) FROM moments GROUP BY 1');
SELECT zone, check_fallback(format('SELECT tz AT TIME ZONE %L, count(*) FROM moments GROUP BY 1', zone)) FROM unnest('{MSK,nowhere/else}'::text[]) zone;
-- a zone decides nothing about seconds, but it can be wrong, or NULL
SELECT u, check_query(format('SELECT date_trunc(%L, tz, ''Asia/Kolkata''), count(*) FROM moments GROUP BY 1', u)) AS known,
	check_fallback(format('SELECT date_trunc(%L, tz, ''nowhere/else''), count(*) FROM moments GROUP BY 1', u)) AS unknown,
	check_query(format('SELECT date_trunc(%L, tz, nullif(''UTC'', CASE WHEN id %% 3 = 0 THEN ''UTC'' END)) AS s, count(*) FROM moments GROUP BY 1', u)) AS varying
FROM unnest('{microseconds,second,minute}'::text[]) u;

-- one plan, several zones: its parameters are filled at each execution
PREPARE by_day AS SELECT tz::date AS day, count(*) FROM moments WHERE id BETWEEN 100 AND 110 GROUP BY 1 ORDER BY 1;
SET plan_cache_mode = force_generic_plan;
SET TimeZone = 'Asia/Tehran';
SELECT is_taken('EXECUTE by_day');
EXECUTE by_day;
SET TimeZone = 'America/New_York';
EXECUTE by_day;
SET gpuagg.mode = off;
EXECUTE by_day;
SET TimeZone = 'Asia/Tehran';
EXECUTE by_day;
RESET gpuagg.mode;
RESET plan_cache_mode;
RESET TimeZone;

-- the rules are told for 1800 to 2200; beyond, PostgreSQL answers where they change
CREATE TABLE far (id int, tz timestamptz, ts timestamp, d date);
INSERT INTO far VALUES (1, '2250-07-01 12:00+00', '2250-07-01 12:00', '2250-07-01'), (2, '0100-07-01 12:00+00', '0100-07-01 12:00', '0100-07-01'),
	(3, '4714-11-24 00:00+00 BC', '4714-11-24 00:00 BC', '4714-11-24 BC'), (4, '294276-12-31 23:59:59+00', '294276-12-31 23:59:59', '5874897-12-31');
SET TimeZone = 'Europe/Berlin';
SELECT check_fallback('SELECT tz::date, count(*) FROM far WHERE id = 1 GROUP BY 1'), check_engine('SELECT tz::date, count(*) FROM far WHERE id = 2 GROUP BY 1');
SET TimeZone = 'Asia/Kolkata';
SELECT check_engine('SELECT tz::date, ts::timestamptz, d::timestamptz, count(*) FROM far WHERE id < 3 GROUP BY 1, 2, 3');
SELECT x, check_fallback(format('SELECT %s, count(*) FROM far WHERE id > 2 GROUP BY 1', x)) AS error, check_engine(format('SELECT %s, count(*) FROM far WHERE id <= 2 GROUP BY 1', x)) AS filtered
FROM unnest('{ts::timestamptz,d::timestamptz,tz::timestamp,tz + interval ''1 day'',tz - interval ''1 month''}'::text[]) x;
SET TimeZone = 'America/New_York';
SELECT x, check_fallback(format('SELECT %s, count(*) FROM far WHERE id > 2 GROUP BY 1', x))
FROM unnest('{ts::timestamptz,d::timestamptz,tz::timestamp,tz::date,"date_trunc(''day'', tz)"}'::text[]) x;
SELECT check_fallback('SELECT count(*) FROM far WHERE d > tz');
RESET TimeZone;

-- parallel plans beside it
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT check_query('SELECT date_trunc(''day'', a.tz), count(*) FROM moments a JOIN moments b USING (id) WHERE a.tz >= date ''1950-01-01'' GROUP BY 1');
-- age() of timestamps with time zone reads the session's, though PostgreSQL takes it for immutable: what is kept of it goes
CREATE TABLE zone_ages (id int, tz timestamptz NOT NULL);
INSERT INTO zone_ages SELECT i, timestamptz '2024-02-28 22:00+00' + i % 30 * interval '12 hours' FROM generate_series(1, 3000) i;
VACUUM ANALYZE zone_ages;
SET timezone = 'UTC';
SELECT check_query('SELECT count(*) FROM zone_ages WHERE age(tz, timestamptz ''2023-12-31 23:30+00'') > interval ''2 mons''');
SET timezone = 'Asia/Tokyo';
SELECT check_query('SELECT count(*) FROM zone_ages WHERE age(tz, timestamptz ''2023-12-31 23:30+00'') > interval ''2 mons''');
RESET timezone;
DROP TABLE zone_ages;
