--
-- Conditions and columns of joined relations that raise no error, whatever the rows, which
-- PostgreSQL evaluates for all rows of a look-up; and such as could.
--
CREATE TABLE safe_fact (id int NOT NULL, k int, v float8);
INSERT INTO safe_fact SELECT i, i % 60, i / 4.0 FROM generate_series(1, 5000) i;
CREATE TABLE safe_rows (k int PRIMARY KEY, i2 int2, i4 int4, i8 int8, f4 float4, f8 float8, n numeric, d date, ts timestamp, tz timestamptz,
	tm time, iv interval, t text, b bool, vc varchar(30), bc char(5));
INSERT INTO safe_rows SELECT i, i, i * 1000, i * 10000000000, i / 4.0, i / 8.0, i / 10.0, date '2020-01-30' + i * 20, timestamp '2020-01-30 10:20:30.123456' + i * interval '1 hour',
	timestamptz '2020-01-30 10:20:30.123456+00' + i * interval '31 hours', time '00:00:01' + i * interval '1 minute', i * interval '1 day 2 hours 3 minutes',
	'val' || i % 7, i % 3 = 0, 'a,b' || i % 4, 'c' || i % 5
FROM generate_series(0, 40) i;
-- the least values, the largest ones, and others of which something is NULL, infinite or an error
INSERT INTO safe_rows VALUES
	(50, -32768, -2147483648, -9223372036854775808, '-3.4028235e38', '-1.7976931348623157e308', '-1e131071', '4714-11-24 BC', '4714-11-24 BC', '4714-11-24 00:00:00+00 BC', '00:00', '-178956970 years -8 months -2147483648 days -2562047788:00:54', '', true, '', ''),
	(51, 32767, 2147483647, 9223372036854775807, '3.4028235e38', '1.7976931348623157e308', repeat('9', 131072)::numeric + 0.5, '5874897-12-31', '294276-12-31 23:59:59.999999', '294276-12-31 23:59:59.999999+00', '24:00', '178956970 years 7 months 2147483647 days 2562047788:00:54', E'a\\%_\\', false, 'abc', 'ab'),
	(52, 0, 0, 0, 'nan', 'nan', 'nan', 'infinity', 'infinity', 'infinity', '12:34:56.789', '0', ',,', NULL, 'abcdefghijklmnopq', 'abc'),
	(53, -1, -1, -1, 'inf', 'inf', 'inf', '-infinity', '-infinity', '-infinity', '23:59:59.999999', '-1 mon', 'B', NULL, 'abc', 'a'),
	(54, 1, 1, 1, '-inf', '-inf', '-inf', '0001-01-01 BC', '0001-12-31 BC', '0001-12-31 BC', '00:00', '1 mon', 'b', NULL, 'abc', 'a'),
	(55, 1, 1, 1, '1e-45', '4.9e-324', ('1e-' || 16383)::numeric, '1969-12-31', '1969-12-31', '1969-12-31', '00:00', '1 day', 'b', NULL, 'abc', 'a');
INSERT INTO safe_rows (k) VALUES (56);
VACUUM ANALYZE safe_fact, safe_rows;

SET gpuagg.mode = force;
-- what is looked up does not depend on the engine, but what auto takes does
SET gpuagg.engine = cpu;

-- What each expression comes to: whether PostgreSQL raises an error for one of the rows, and whether
-- it is computed for a look-up's rows, as a column and as a condition.
CREATE FUNCTION safe_outcome(expression text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	native text;
	as_column text := format('SELECT %s, count(*), sum(v) FROM safe_fact f JOIN safe_rows i ON f.k = i.k GROUP BY 1', expression);
	as_condition text := format('SELECT count(*), sum(v) FROM safe_fact f JOIN safe_rows i ON f.k = i.k AND (%s) IS NOT NULL', expression);
BEGIN
	native := outcome(format('SELECT %s FROM safe_rows i', expression), 'off', 'on');
	IF native <> '48 rows' THEN
		RETURN native || lookups(as_condition);
	END IF;
	RETURN concat_ws(', ', nullif(regexp_replace(check_join(as_column), '^\d+ rows, ', ''), 'i (inner)'),
					 nullif(check_join(as_condition), '1 rows, i (inner)'));
END $$;
CREATE FUNCTION safe_unless(expressions text[]) RETURNS TABLE (expression text, outcome text) LANGUAGE sql AS
$$SELECT e, o FROM unnest(expressions) e, safe_outcome(e) o WHERE o <> ''$$;

-- none of these is otherwise
SET timezone = 'America/Los_Angeles';
SELECT safe_unless(array_agg(format('extract(%s FROM %s)', field, of)))
FROM unnest('{day,week,month,quarter,year,decade,century,millennium,isoyear,dow,isodow,doy,julian,epoch}'::text[]) field, unnest('{i.d,i.ts,i.tz}'::text[]) of;
SELECT safe_unless(array_agg(format('%s(%s %s)', function, format(argument, field), of)))
FROM unnest('{microseconds,second,hour,epoch}'::text[]) field, unnest('{i.ts,i.tz,i.tm,i.iv}'::text[]) of, (VALUES ('extract', '%s FROM'), ('date_part', '''%s'', ')) f (function, argument);
SELECT safe_unless(array_agg(format('date_part(''%s'', %s)', field, of))) FROM unnest('{year,quarter,millennium,day}'::text[]) field, unnest('{i.ts,i.tz,i.iv}'::text[]) of;
SELECT safe_unless(array_agg(format('date_trunc(''%s'', i.ts)', field))) FROM unnest('{microseconds,milliseconds,Second,minute,HOUR,day}'::text[]) field;
SELECT safe_unless(array_agg(format('i.%s %s (%s)', number, operator, divisor)))
FROM unnest('{i2,i4,i8}'::text[]) number, unnest('{/,%}'::text[]) operator, unnest('{2,-2,7,-32768,''3''::int2,''4''::int8}'::text[]) divisor;
SELECT safe_unless(ARRAY['i.i2 % (-1)', 'i.i4 % (-1)', 'i.i8 % (-1)', 'mod(i.i4, 10)', 'mod(i.i2, 3::int2)', 'i.i4 & 7', 'i.i8 | i.i2', 'i.i2 # i.i2', '~i.i4', 'i.i4 << 33', 'i.i8 >> i.i4', 'i.i2 << (-1)']);
SELECT safe_unless(array_agg(format('%s %s %s', a, operator, b)))
FROM unnest('{i.d,i.ts,i.tz}'::text[]) a, unnest('{<,=}'::text[]) operator, unnest('{i.d,i.ts,i.tz,now(),current_date,localtimestamp(2),''infinity''::timestamptz}'::text[]) b;
SELECT safe_unless(array_agg(format('i.d >= %s', moment)))
FROM unnest(ARRAY['current_date - 30', 'now() - interval ''4 months''', 'date_trunc(''month'', current_date)', 'current_timestamp - interval ''1 year''', 'date_trunc(''week'', now()) + interval ''1 day''',
	'(now() - interval ''7 days'')::date', 'localtimestamp::date + 365000']) moment;
SELECT safe_unless('{i.ts::date,i.tz::date,i.ts::time,i.tz::time,i.f4::numeric,i.f8::numeric,-i.n,abs(i.n),@ i.n,sign(i.n),i.b::text,i.i2::float8,i.i4::int8}');
SELECT safe_unless(ARRAY['btrim(i.t, ''v'')', 'ltrim(i.t, i.t)', 'rtrim(i.t, i.vc)', 'lpad(i.t, 10, i.vc)', 'rpad(i.t, 100, '''')', 'split_part(i.vc, '','', 2)', 'split_part(i.t, i.t, -1)',
	'i.vc::varchar(2)', 'i.t::char(2)', 'i.bc::char(1)', 'left(i.t, i.i4)', 'right(i.t, i.i4)', 'substr(i.t, i.i4, 3)', 'upper(i.t)', 'length(i.t)', 'octet_length(i.t)']);
SELECT safe_unless(ARRAY['greatest(i.i4, 3)', 'least(i.n, -1e10)', 'least(i.i8, i.i4, 0)', 'greatest(i.t, i.vc)', 'least(i.iv, ''1 day'')', 'greatest(i.tz, now())', 'i.i4 IN (i.i2, 3)', 'i.i4 NOT IN (1, 2, i.i8)',
	'coalesce(i.i4, i.i2) / 2', 'nullif(i.i4, 0) % 3', 'CASE WHEN i.b THEN i.i4 % 5 ELSE i.i2 / 2 END', 'i.t LIKE ''val%''', 'i.t IN (''val1'', ''b'')', 'i.d BETWEEN current_date AND current_date + 5']);

-- these can raise errors, of these rows or of others, so that they are set aside (star_guarded.sql)
SELECT expression, outcome FROM safe_unless(ARRAY['i.i4 / -1', 'i.i4 / i.i2', 'i.i4 % 0', 'i.i4 + 1', 'i.i4::int2', 'abs(i.i4)', '-i.i8', 'i.i4 % i.i2', 'mod(i.n, 0)', 'i.f8 / 2', 'i.f8::float4',
	'extract(hour FROM i.d)', 'extract(fortnight FROM i.ts)', 'date_part(''year'', i.d)', 'date_trunc(''month'', i.ts)', 'date_trunc(''day'', i.tz)', 'date_trunc(i.t, i.ts)',
	'i.d::timestamp', 'i.tz::timestamp', 'i.d + 1', 'i.ts - interval ''1 day''', 'current_date + i.i4', 'substr(i.t, 1, -1)', 'substr(i.t, 1, i.i4)', 'split_part(i.t, '','', 0)',
	'lpad(i.t, i.i4)', 'i.t LIKE i.t', 'i.t LIKE ''a\''', 'i.t::int']);
SELECT condition, lookups('SELECT count(*) FROM safe_fact f JOIN safe_rows i ON f.k = i.k AND ' || condition) FROM unnest(ARRAY['i.d < current_date + 2000000000', 'i.tz < now() - interval ''5000 years''', 'i.tz < date_trunc(''century'', now())', 'lpad(i.t, 100000000) < ''a''', 'i.i4 % 3 = i.k / i.i2',
	'current_user = i.t', 'greatest(ARRAY[i.i4], ARRAY[3]) = ARRAY[3]', 'split_part(i.t, '','', i.k + 0) = ''a''', 'i.vc || i.t = ''a''']) condition;
RESET timezone;

-- an error that PostgreSQL raises, and one that it does not, since it comes to no such row
CREATE TABLE safe_none (k int PRIMARY KEY, x int);
VACUUM ANALYZE safe_none;
SELECT outcome(q, 'off', 'on') AS native, outcome(q, 'force', 'on') AS ours
FROM unnest(ARRAY['SELECT count(*) FROM safe_fact f JOIN safe_rows i ON f.k = i.k AND i.i4 / -1 < 5',
	'SELECT count(*) FROM safe_fact f JOIN safe_rows i ON f.k = i.k AND i.i4 / 0 < 5',
	'SELECT count(*) FROM safe_none n JOIN safe_fact f ON n.k = f.id JOIN safe_rows i ON f.k = i.k AND i.i4 / nullif(n.x, 5) < 5']) q;

-- PostgreSQL comes to rows of some keys only
SET enable_hashjoin = off;
SET enable_mergejoin = off;
SET enable_seqscan = off;
SET enable_bitmapscan = off;
SELECT condition, outcome(q, 'off', 'on') AS native, outcome(q, 'force', 'on') AS ours
FROM unnest(ARRAY['i.i4 / -1 < 5', 'i.i4 + 1 > 0', 'date_trunc(''month'', i.ts) > ''2000-01-01''', 'i.i4 / 2 < 5']) condition,
	format('SELECT i.t, count(*) FROM safe_fact f JOIN safe_rows i ON f.k = i.k WHERE f.id %% 60 < 40 AND %s GROUP BY 1', condition) q;
RESET enable_hashjoin;
RESET enable_mergejoin;
RESET enable_seqscan;
RESET enable_bitmapscan;

-- auto takes them
CREATE FUNCTION safe_auto(condition text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('gpuagg.mode', 'auto', true);
	RETURN lookups('SELECT i.t, count(*), sum(v) FROM safe_fact f JOIN safe_rows i ON f.k = i.k WHERE ' || condition || ' GROUP BY 1');
END $$;
INSERT INTO safe_fact SELECT i, i % 60, i / 4.0 FROM generate_series(1, 60000) i;
VACUUM ANALYZE safe_fact;
SELECT condition, safe_auto(condition) FROM unnest(ARRAY['i.i4 % 2 = 0', 'i.k % 2 = 0', 'extract(year FROM i.d) = 2020', 'i.d < current_date', 'i.tz > now() - interval ''10 years''', 'i.k / 10 = 3',
	'i.i4 & 1 = 0', 'greatest(i.i4, i.i2) > 7', 'i.ts::date > ''2020-01-01''']) condition;
DROP FUNCTION safe_outcome, safe_unless, safe_auto;
DROP TABLE safe_fact, safe_rows, safe_none;
