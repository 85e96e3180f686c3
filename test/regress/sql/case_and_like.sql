--
-- Expressions that take one of several values; calendar; LIKE and parts of
-- texts.  Each as key and as argument or condition, with NULLs.
--

-- CASE, COALESCE, NULLIF, GREATEST, LEAST
SELECT x, check_engine(format('SELECT %1$s AS x, count(*), min(id), max(id) FROM facts GROUP BY 1', x))
FROM unnest(ARRAY[
	'CASE WHEN i4 > 0 THEN i2 ELSE -i2 END', 'CASE WHEN i4 > 0 THEN i8 WHEN i4 < -100 THEN id::bigint END',
	'CASE WHEN b THEN 1 WHEN NOT b THEN 2 ELSE 3 END', 'CASE WHEN b THEN f4 ELSE f8 END', 'CASE WHEN b THEN f8 ELSE i2 END',
	'CASE WHEN b THEN d END', 'CASE WHEN b THEN ts ELSE d END', 'CASE WHEN b THEN t ELSE vc END', 'CASE WHEN b THEN t ELSE ''other'' END',
	'CASE WHEN b THEN u END', 'CASE WHEN b THEN qc ELSE ''x''::"char" END', 'CASE WHEN b IS NULL THEN NULL ELSE b END',
	'CASE i4 WHEN 1 THEN 10 WHEN 2 THEN 20 WHEN i2 THEN 30 ELSE 40 END', 'CASE i2 WHEN NULL THEN 1 WHEN 5 THEN 2 END',
	'CASE t WHEN ''aaaa'' THEN 1 WHEN ''bb'' THEN 2 END', 'CASE b WHEN i4 > 0 THEN ''same'' ELSE ''other'' END',
	'CASE i4 WHEN 1 THEN CASE i2 WHEN 1 THEN 11 ELSE 12 END ELSE CASE i2 WHEN 2 THEN 22 END END',
	'CASE CASE WHEN b THEN i4 ELSE i2 END WHEN 7 THEN 1 ELSE 0 END',
	'COALESCE(i4, 7)', 'COALESCE(i4, i2, id)', 'COALESCE(b, i4 > 0, false)', 'COALESCE(t, vc, ''none'')', 'COALESCE(f4, f8, 0)',
	'COALESCE(d, ts)', 'COALESCE(i4, NULL)', 'COALESCE(id, i4)', 'COALESCE(u)',
	'NULLIF(i4, 7)', 'NULLIF(i4, i2)', 'NULLIF(i2, i8)', 'NULLIF(t, ''aaaa'')', 'NULLIF(ch, ''ab'')', 'NULLIF(b, true)', 'NULLIF(d, ''2000-03-01'')', 'NULLIF(f8, 0)',
	'GREATEST(i4, i2)', 'LEAST(i4, i2, id)', 'GREATEST(i2, 5::smallint)', 'LEAST(i8, 0, NULL)', 'GREATEST(f4, 0.5::real)', 'LEAST(f4, f8)',
	'GREATEST(b, i4 > 0)', 'LEAST(d, ''2000-03-01'')', 'GREATEST(ts, d)', 'LEAST(tz, ''2001-04-01 12:00+00'')', 'GREATEST(i4)',
	'LEAST(NULLIF(f8, 1), ''NaN'')', 'GREATEST(f8, ''-infinity'')']) x;
SELECT check_engine('SELECT k, sum(CASE WHEN i4 > 0 THEN i4 END), count(NULLIF(i2, 1)), min(LEAST(f4, f8)), sum(COALESCE(i8, 0)), max(GREATEST(i2, i4)), count(*) FILTER (WHERE CASE WHEN b THEN i4 > 0 ELSE i2 > 0 END) FROM facts GROUP BY k');
SELECT GREATEST(a, b) AS g, LEAST(a, b) AS l, min(COALESCE(a, 1)) FROM (VALUES ('-infinity'::float8, '0'::float8), (0, 1), ('NaN', 1), (NULL, 2), (NULL, NULL)) v (a, b) GROUP BY 1, 2 ORDER BY 1, 2;

-- IS DISTINCT FROM, arrays with NULL
SELECT c AS condition, check_engine('SELECT b, count(*), min(id), max(id) FROM facts WHERE ' || c || ' GROUP BY b')
FROM unnest(ARRAY[
	'i4 IS DISTINCT FROM i2', 'i4 IS NOT DISTINCT FROM i2', 'i4 IS DISTINCT FROM 5', 'i4 IS NOT DISTINCT FROM 5', 'i4 IS DISTINCT FROM NULL',
	't IS DISTINCT FROM vc', 't IS NOT DISTINCT FROM ''aaaa''', 'b IS DISTINCT FROM (i4 > 0)', 'f8 IS DISTINCT FROM f4', 'd IS NOT DISTINCT FROM ts',
	'u IS DISTINCT FROM ''c4ca4238-a0b9-2382-0dcc-509a6f75849b''', 'ch IS DISTINCT FROM ''ab''', 'id IS DISTINCT FROM i8',
	'i4 = ANY (''{1,NULL,3}'')', 'i4 <> ALL (''{1,NULL}'')', 'NOT i4 = ANY (''{1,NULL}'')', 'i4 <> ANY (''{1,NULL}'')', 'i4 = ALL (''{1,NULL}'')', '(i4 = ANY (''{1,NULL}'')) IS NULL',
	'CASE WHEN i4 > 0 THEN b ELSE i2 > 0 END', 'COALESCE(i4, 0) = 0', 'NULLIF(b, true) IS NULL', 'GREATEST(i4, i2) > LEAST(id, 50)']) c;

-- an error in what is not evaluated is none; in what is, it is PostgreSQL's
CREATE TABLE ratios (k int, a int, z int, t text);
INSERT INTO ratios SELECT i % 5, i, i % 3, CASE WHEN i % 3 > 0 THEN 'abc' END FROM generate_series(1, 300) i;
SELECT q, check_engine('SELECT k, count(*), sum(' || q || ') FROM ratios GROUP BY k')
FROM unnest(ARRAY[
	'CASE WHEN z <> 0 THEN a / z END', 'CASE WHEN z = 0 THEN 0 ELSE a / z END', 'CASE z WHEN 0 THEN 0 ELSE a % z END',
	'CASE WHEN z = 0 THEN 1 WHEN a / z > 5 THEN 2 ELSE 3 END', 'COALESCE(a, a / z)', 'COALESCE(NULLIF(z, 0), 7) / COALESCE(NULLIF(z, 0), 1)', 'a / NULLIF(z, 0)',
	'CASE WHEN z <> 0 AND a / z > 5 THEN 1 ELSE 0 END', 'CASE WHEN z = 0 THEN NULL ELSE COALESCE(a / z, 1) END', 'CASE WHEN z = 0 OR a / z > 5 THEN 1 END',
	'CASE WHEN CASE WHEN z = 0 THEN false ELSE a / z > 5 END THEN 1 ELSE 0 END']) q;
SELECT q, check_fallback('SELECT k, count(*), sum(' || q || ') FROM ratios GROUP BY k')
FROM unnest(ARRAY[
	'CASE WHEN z = 0 THEN a / z END', 'CASE WHEN a / z > 5 THEN 1 END', 'CASE a / z WHEN 1 THEN 0 END', 'CASE WHEN z <> 0 THEN 1 ELSE a / z END',
	'COALESCE(a / z, 1)', 'COALESCE(NULLIF(z, 0), a / z)', 'NULLIF(a, a / z)', 'GREATEST(a, a / z)', 'LEAST(NULL, a / z, 1)', 'GREATEST(a / z, 1)',
	'CASE WHEN a IS DISTINCT FROM a / z THEN 1 END', 'CASE WHEN a / z IS NOT DISTINCT FROM NULL THEN 1 END']) q;

-- fields and units of dates and timestamps, over all that they can be
CREATE TABLE days (id int, d date, ts timestamp, tz timestamptz);
INSERT INTO days
	SELECT row_number() OVER (), d, CASE WHEN d < '294277-01-01' THEN d + time '00:00' + (i * 7919 % 86400) * interval '1 second 12345 microseconds' END
	FROM (SELECT i, '4714-11-24 BC'::date + i AS d FROM generate_series(0, 800) i
		UNION ALL SELECT i, '0006-12-20 BC'::date + i FROM generate_series(0, 4500) i
		UNION ALL SELECT i, '1896-02-01'::date + i * 3 FROM generate_series(0, 4000) i
		UNION ALL SELECT i, '1995-12-20'::date + i FROM generate_series(0, 2500) i
		UNION ALL SELECT i, '4714-11-24 BC'::date + i * 24683 FROM generate_series(0, 4600) i
		UNION ALL SELECT i, '294276-01-01'::date + i FROM generate_series(0, 365) i) s;
INSERT INTO days VALUES (-1, 'infinity', 'infinity', 'infinity'), (-2, '-infinity', '-infinity', '-infinity'), (-3, NULL, NULL, NULL),
	(-4, '5874897-12-31', '294276-12-31 23:59:59.999999', '294276-12-31 23:59:59.999999+00'), (-5, '4714-11-24 BC', '4714-11-24 00:00:00 BC', '4714-11-24 00:00:00+00 BC'),
	(-6, '1970-01-01', '1969-12-31 23:59:59.5', '1969-12-31 23:59:59.5+00'), (-7, '1969-12-31', '1969-12-31 23:59:59.499999', '1969-12-31 23:59:59.4999+00'),
	(-8, '2000-02-29', '2000-02-29 12:00:00', '2000-02-29 12:00+00'), (-9, '2000-12-31', '2000-12-31 11:59:59.999999', NULL), (-10, '0001-12-31 BC', '0001-12-31 23:59:59.9995 BC', NULL), (-11, '0001-01-01', '0001-01-01', NULL);
UPDATE days SET tz = ts AT TIME ZONE 'UTC' WHERE id > 0;
SELECT f AS unit, check_engine(format('SELECT date_trunc(%1$L, ts), count(*), min(id) FROM days WHERE ts >= ''4712-01-01 BC'' GROUP BY 1', f))
FROM unnest('{microseconds,milliseconds,second,minute,hour,day,week,month,quarter,year,Years}'::text[]) f;
SELECT f AS unit, check_engine(format('SELECT date_trunc(%1$L, ts), count(*), min(id) FROM days WHERE ts >= ''4001-01-01 BC'' GROUP BY 1', f)) FROM unnest('{decade,century,millennium}'::text[]) f;
SELECT f AS unit, check_fallback(format('SELECT date_trunc(%1$L, ts), count(*), min(id) FROM days GROUP BY 1', f)) FROM unnest('{month,quarter,year,decade,century,millennium}'::text[]) f;
SELECT f AS unit, check_engine(format('SELECT date_trunc(%1$L, tz), count(*), min(id) FROM days GROUP BY 1', f)) FROM unnest('{microseconds,milliseconds,second}'::text[]) f;
SELECT f AS field, check_engine(format('SELECT date_part(%1$L, ts), count(*), min(id), max(id) FROM days GROUP BY 1', f)) AS date_part,
	check_engine(format('SELECT id, sum(extract(%1$s FROM ts)::bigint) FROM days WHERE ts <> ''infinity'' AND ts <> ''-infinity'' GROUP BY id', f)) AS extract
FROM unnest('{microseconds,milliseconds,second,minute,hour,day,week,month,quarter,year,decade,century,millennium,isoyear,dow,isodow,doy,julian,epoch}'::text[]) f;
SELECT f AS field, check_engine(format('SELECT id, sum(extract(%1$s FROM d)::bigint) FROM days WHERE isfinite(d) GROUP BY id', f)) AS extract,
	check_engine(format('SELECT id, min(date_part(%1$L, d)) FROM days WHERE d < ''294277-01-01'' OR d = ''infinity'' GROUP BY id', f)) AS date_part
FROM unnest('{day,week,month,quarter,year,decade,century,millennium,isoyear,dow,isodow,doy,julian,epoch}'::text[]) f;
SELECT f AS field, check_engine(format('SELECT extract(%1$s FROM d)::int, count(*) FROM days GROUP BY 1', f)) AS day,
	check_engine(format('SELECT extract(%1$s FROM ts)::smallint, extract(%1$s FROM ts)::float8, count(*) FROM days GROUP BY 1, 2', f)) AS timestamp
FROM unnest('{day,week,month,quarter,dow,isodow,doy}'::text[]) f;
SELECT c AS condition, check_engine('SELECT count(*), min(id), max(id) FROM days WHERE ' || c)
FROM unnest(ARRAY['extract(month FROM d) = 2', 'extract(month FROM ts) IN (2, 3, 12)', 'extract(dow FROM ts) <> 0.0', 'extract(hour FROM ts) >= 12', 'extract(day FROM d) BETWEEN 10 AND 20',
	'isfinite(d)', 'isfinite(ts)', 'isfinite(tz)', 'date_part(''year'', ts) = 2000']) c;
SELECT check_fallback('SELECT sum(extract(year FROM d)::int) FROM days'), check_fallback('SELECT sum(extract(epoch FROM ts)::int) FROM days WHERE isfinite(ts)'), check_fallback('SELECT count(date_part(''year'', d)) FROM days');

-- intervals
SELECT i AS interval, check_engine(format('SELECT ts + %1$L::interval, count(*), min(ts - %1$L::interval) FROM days WHERE ts BETWEEN ''4500-01-01 BC'' AND ''294000-01-01'' OR NOT isfinite(ts) GROUP BY 1', i)) AS timestamp,
	check_engine(format('SELECT d + %1$L::interval, count(*), min(d - %1$L::interval) FROM days WHERE d BETWEEN ''4500-01-01 BC'' AND ''294000-01-01'' OR NOT isfinite(d) GROUP BY 1', i)) AS date
FROM unnest('{1 day,-40 days,3 hours,1 day 3 hours,-1 microsecond,1 month,13 months,-1 month,1 year,4 years -1 day,-100 years,1 mon 1 day 1 hour,0}'::text[]) i;
SELECT i AS interval, check_fallback(format('SELECT ts + %1$L::interval, count(*) FROM days GROUP BY 1', i))
FROM unnest('{1 microsecond,-1 microsecond,1 day,-1 day,1 month,-1 month,300000 years,-300000 years,170000000 years,-170000000 years,2000000000 days,-2000000000 days,2000000000 hours}'::text[]) i;
SELECT check_engine('SELECT tz + interval ''90 minutes'', count(*) FROM facts GROUP BY 1'), check_engine('SELECT count(*) FROM facts WHERE ts < timestamp ''2000-01-01'' - interval ''1 hour'' AND d >= date ''2000-01-01'' + interval ''2 months''');
SELECT check_engine('SELECT interval ''1 day'' + ts, count(*) FROM facts GROUP BY 1');

-- texts
CREATE TABLE phrases (id int, t text, c char(8));
INSERT INTO phrases SELECT row_number() OVER (), a || b || c, left(a || c, 8) FROM
	unnest('{"",a,b,ab,%,_,\\,é,aé,€a,😀,"a b",abab}'::text[]) a, unnest('{"",a,éa,__,%,bab}'::text[]) b, unnest('{"",b,ab,é,\\," "}'::text[]) c;
INSERT INTO phrases VALUES (0, NULL, NULL);
SELECT p AS pattern, check_engine(format('SELECT id %% 7, count(*), sum(id) FROM phrases WHERE t LIKE %L GROUP BY 1', p)) AS "like",
	check_engine(format('SELECT t NOT LIKE %1$L, c LIKE %1$L, count(*) FROM phrases GROUP BY 1, 2', p)) AS others
FROM unnest(ARRAY['', '%', '%%', '%%%', '_', '__', '___', '_%', '%_', 'a', 'a%', '%a', '%a%', 'ab%ab', '%ab%ab%', '%b_b%', '%a_', '_a%', 'é%', '%é', '%é%', '%_é%', '_é_', '\%', '\%%', '%\%%', '%\_%', '\\', '%\\', '%\\%', 'a\b%', '%aba', 'a%b%', '%€_%', '😀_', '%b ', 'ab      ', '%a%b%a%', 'abab%', '%abab']) p;
SELECT x, check_engine(format('SELECT %1$s AS x, count(*), min(id), max(id) FROM phrases GROUP BY 1', x))
FROM unnest(ARRAY['length(t)', 'length(c)', 'char_length(t)', 'character_length(c)', 'octet_length(t)', 'octet_length(c)', 'c::text', 'length(c::text)',
	'left(t, 1)', 'left(t, 0)', 'left(t, 2)', 'left(t, -1)', 'left(t, -3)', 'right(t, 1)', 'right(t, 0)', 'right(t, 3)', 'right(t, -1)', 'right(t, -2)', 'left(c, 2)',
	'substr(t, 1)', 'substr(t, 2)', 'substr(t, 0)', 'substr(t, -1)', 'substr(t, 1, 1)', 'substr(t, 2, 2)', 'substring(t FROM 2 FOR 1)', 'substring(t FROM 3)', 'substr(t, 0, 2)', 'substr(t, -3, 5)', 'substr(t, -3, 3)', 'substr(t, 3, 0)', 'substr(t, 2, 2147483647)',
	'CASE WHEN t LIKE ''a%'' THEN left(t, 1) ELSE ''-'' END', 'COALESCE(left(t, 2), c)', 'NULLIF(left(t, 1), ''a'')', 'left(substr(t, 2), 1)',
	'left(t, id % 7 - 3)', 'right(t, id % 7 - 3)', 'substr(t, id % 7 - 3)', 'substring(c FROM length(t) - 1)', 'substr(t, strpos(t, ''b'') + 1)', 'left(t, strpos(t, ''é'') - 1)', 'right(t, length(t) - strpos(t, ''b''))',
	'substr(t, 1, strpos(t, ''b''))', 'substr(t, 2, id % 4)', 'substring(t FROM 3 FOR length(c))', 'CASE WHEN strpos(t, ''b'') > 0 THEN substr(t, 1, strpos(t, ''b'') - 1) END']) x;
SELECT check_fallback('SELECT substr(t, 1, strpos(t, ''b'') - 1), count(*) FROM phrases GROUP BY 1');

-- regular expressions that LIKE can say, and those that it cannot
SELECT r AS regex, check_query(format('SELECT t ~ %1$L, t !~ %1$L, count(*), sum(id) FROM phrases GROUP BY 1, 2', r)), source(format('SELECT count(*) FROM phrases WHERE t ~ %L', r))
FROM unnest(ARRAY['', '^', '$', '^$', 'a', '^a', 'b$', '^ab$', '^a|b$', 'é|€', '^(a|b)é', '(a|é|)b', '(?:a|b)(a|é)$', '^a.b', 'a.*b', '^a.+b$', '.', '.+', '^.$', '^..$', '\.', '%', '_$', '\%', '\\', '[%]', '[.]|b$', 'a b', '^((a|b)a|€)', '((a))', 'a||b', '^a$|^b$', '😀', 'a}',
	'a*', 'a+', 'a?b', '(a|b)*', '.?', '.*?b', 'a{2}', '[ab]', '[^a]', '\w', '\ya', 'a^b', 'a$b', '(^a)', '(a|b$)', '(?i)A', '(?=a)', '***=a.b', '***:a', '(a|b)(a|b)(a|b)(a|b)', 'a]']) r;
SELECT check_engine('SELECT count(*) FROM phrases WHERE t ~ ''^a'' AND c::text !~ ''b'' '), check_query('SELECT count(*) FROM phrases WHERE c ~ ''b$'' '), check_query('SELECT count(*) FROM phrases WHERE t ~* ''A'' ');

-- what the engine cannot compute the child plan does: keys, conditions, and
-- arguments but where FILTER decides for which rows
SELECT q, check_query(q), source(q) FROM unnest(ARRAY[
	'SELECT upper(t), id % 7, sum(length(t)), count(*) FROM phrases GROUP BY 1, 2',
	'SELECT id % 7, sum(length(upper(t))), sum(id) FROM phrases GROUP BY 1',
	'SELECT initcap(t), max(ascii(t)), min(length(t || c)), avg(id + ascii(c)) FROM phrases WHERE initcap(t) <> ''B'' GROUP BY 1',
	'SELECT b, sum(i4 + length(upper(t))), sum(i4) FILTER (WHERE i4 > 0), count(length(upper(t))) FROM facts GROUP BY b',
	'SELECT b, sum(length(upper(t))) FILTER (WHERE i4 > 0) FROM facts GROUP BY b',
	'SELECT g.b, sum(length(upper(g.x))), count(*) FROM facts f LEFT JOIN (SELECT id, b, COALESCE(t, ''none'') || vc AS x FROM facts WHERE i4 > 0) g ON f.id = g.id + 1 GROUP BY g.b',
	'SELECT f.b, max(extract(epoch FROM f.ts)::float8), sum(g.i2) FROM facts f JOIN facts g ON f.id = g.i4 GROUP BY f.b']) q;
CREATE FUNCTION twice(int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN $1 * 2; END';
CREATE FUNCTION once(int) RETURNS int LANGUAGE plpgsql VOLATILE AS 'BEGIN RETURN $1; END';
SELECT q, check_query(q), source(q) FROM unnest(ARRAY[
	'SELECT twice(i2), sum(twice(i4)), max(i8), min(twice(i4) + i2) FROM facts WHERE twice(id) > 100 GROUP BY 1', 'SELECT k, count(*) FROM facts WHERE twice(i4) = 4 GROUP BY k', 'SELECT max(twice(id)) FROM facts',
	'SELECT once(i2), count(*) FROM facts GROUP BY 1', 'SELECT i2, sum(once(i4)) FROM facts GROUP BY 1', 'SELECT i2, count(*) FROM facts WHERE once(id) > 5 GROUP BY 1',
	'SELECT i2, generate_series(1, 2), count(*) FROM facts GROUP BY 1, 2', 'SELECT i2, generate_series(1, count(*)::int), count(*) FROM facts GROUP BY 1']) q;
SELECT check_fallback('SELECT k, sum(length(repeat(''x'', a / z))) FROM ratios GROUP BY k');

-- what stays PostgreSQL's, and why
SET gpuagg.report_rejections = on;
SELECT count(*) FILTER (WHERE t LIKE c) FROM phrases WHERE id < 3;
SELECT count(*) FILTER (WHERE t LIKE 'a\') FROM phrases WHERE id < 3;
SELECT count(left(t, '-2147483648')) FROM phrases WHERE id < 3;
SELECT count(substr(t, 0, length(t))) FROM phrases WHERE id < 3;
SELECT count(substr(t, id, 2)) FROM phrases WHERE id < 3;
SELECT count(CASE WHEN id > 0 THEN array[id] END) FROM phrases WHERE id < 3;
RESET gpuagg.report_rejections;
