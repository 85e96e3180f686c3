--
-- Operators, casts and conditions, each with NULLs among the operands, as
-- filter, key or argument.
--

-- arithmetic
SELECT l, op, r, check_query(format('SELECT %1$s %2$s %3$s, count(*), sum(%1$s %2$s %3$s) FROM facts WHERE %3$s <> 0 GROUP BY 1', l, op, r))
FROM unnest('{i2,i4,id::bigint}'::text[]) l, unnest('{+,-,*,/,%}'::text[]) op, unnest('{i2,i4,id::bigint,7,-1}'::text[]) r;
SELECT l, op, r, check_query(format('SELECT %1$s %2$s %3$s, count(*), max(%1$s %2$s %3$s) FROM facts WHERE %1$s <> 0 AND %3$s <> 0 GROUP BY 1', l, op, r))
FROM unnest('{f4,f8}'::text[]) l, unnest('{+,-,*,/}'::text[]) op, unnest('{f4,f8,2.5::float8,-0.5::float4}'::text[]) r;
SELECT x, check_query(format('SELECT %1$s, count(*) FROM facts GROUP BY 1', x))
FROM unnest('{-i2,-i4,-i8,-f4,-f8,+i4,- -i4,abs(i2),abs(i4),abs(i8),abs(f4),abs(f8),@ i4}'::text[]) x;
SELECT x, check_query(format('SELECT %1$s, count(*), min(%1$s) FROM facts GROUP BY 1', x))
FROM unnest('{d + 1,d - 30,1 + d,d + i4,d - i4,d - date ''2000-03-01'',ts::date,d::timestamp,"mod(i4, 7)"}'::text[]) x;

-- division and remainder round towards zero
SELECT v / 3 AS quotient, v % 3 AS remainder, count(*)
FROM (VALUES (-4), (-3), (-2), (-1), (0), (1), (2), (3), (4)) x (v) GROUP BY 1, 2 ORDER BY 1, 2;
SELECT (-2147483648) % v AS remainder, count(*) FROM (VALUES (-1), (1)) x (v) GROUP BY 1;
SELECT (-9223372036854775808) % v AS remainder, count(*) FROM (VALUES (-1::bigint), (1)) x (v) GROUP BY 1;

-- casts: to integers they round half to even from floats
SELECT f, t, check_query(format('SELECT %1$s::%2$s, count(*) FROM facts GROUP BY 1', f, t))
FROM unnest('{i2,i4,id::bigint,f4,f8}'::text[]) f, unnest('{smallint,int,bigint,real,float8}'::text[]) t;
SELECT v::int AS i, v::bigint AS b, v::smallint AS s, count(*)
FROM (VALUES (0.5::float8), (1.5), (2.5), (-0.5), (-1.5), (-2.5), (2.4999), (1e4)) x (v) GROUP BY 1, 2, 3 ORDER BY 1, 2, 3;
SELECT check_query('SELECT i4::bool, count(*) FROM facts GROUP BY 1');
SELECT check_query('SELECT b::int, count(*), sum(b::int) FROM facts GROUP BY 1');
SELECT check_query('SELECT vc::text, count(*) FROM facts GROUP BY 1');

-- conditions
SELECT c AS condition, check_query('SELECT b, count(*), min(id), max(id) FROM facts WHERE ' || c || ' GROUP BY b')
FROM unnest(ARRAY[
	'b', 'NOT b', 'b IS TRUE', 'b IS NOT TRUE', 'b IS FALSE', 'b IS NOT FALSE', 'b IS UNKNOWN', 'b IS NOT UNKNOWN',
	'b = true', 'b <> false', 'i4 IS NULL', 'i4 IS NOT NULL', 't IS NULL', 't IS NOT NULL', 'u IS NULL',
	'i4 BETWEEN -10 AND 10', 'i4 NOT BETWEEN -10 AND 10', 'f8 BETWEEN -1 AND i2', 'd BETWEEN ''2000-02-28'' AND ''2000-03-02''',
	'ts BETWEEN ''2000-01-01'' AND ''2000-01-01 02:00''',
	'i4 IN (1, 2, 3)', 'i4 NOT IN (1, 2, 3)', 'i4 IN (1, NULL)', 'i4 NOT IN (1, NULL)', 'i4 IN (7)', 'i2 IN (1, 2, i4)',
	't IN (''bbb'', ''cccc'', '''')', 't NOT IN (''bbb'', ''cccc'')', 'ch IN (''abc'', ''ab'')', 'vc IN (''v1'', ''v2'', ''nix'')',
	'qc IN (''A'', ''B'')', 'u IN (''c4ca4238-a0b9-2382-0dcc-509a6f75849b'')', 'o IN (4294967290, 4294967291)',
	'd IN (''2000-03-01'', ''2000-02-29'')', 'f8 IN (0.25, -3.5)', 'i8 IN (0, 10000000000)', 'i4 = ANY (''{1,2,NULL}'')',
	'i4 <> ALL (''{1,2}'')', 'i4 = ANY (''{}'')', 'i4 > ANY (''{100,200}'')', 'i4 < ALL (''{100,200}'')',
	'i4 > 0 AND i8 > 0', 'i4 > 0 OR i8 > 0', 'NOT (i4 > 0 AND i8 > 0)', 'NOT (i4 > 0 OR i8 > 0 OR b)',
	'(i4 > 0) = (i8 > 0)', '(i4 > 0) IS NULL', 'NOT (t = ''bbb'' OR u IS NULL) AND (f8 > 3 OR f4 < 1)',
	'i4 + i2 > 100', 'i4 * 2 = i8 / 10000000000', 'i4 % 3 = 1', 'f8 * 4 > i4', 'i2 = i4', 'id = i8', 'f4 = f8', 'f4 > i4',
	'd < ts', 'd = ts', 'ts >= d', 'ts <> d', 'ts::date = ''2000-01-01''', 'b > (i4 > 0)', 'b <= (i4 > 0)',
	'd > ''2000-03-01''::date + 5', 'd = ''2000-03-01''', 'NULL', 'true', 'false', '1 = 1', 'i4 = NULL', 'i4 > 1 + 1']) c;

-- truth tables
SELECT a, b, a AND b AS "and", a OR b AS "or", NOT a AS "not", count(*)
FROM (VALUES (true), (false), (NULL)) x (a), (VALUES (true), (false), (NULL)) y (b)
GROUP BY 1, 2, a AND b, a OR b, NOT a ORDER BY 1, 2;

-- stable functions and parameters are values at the start
SELECT check_query('SELECT b, count(*) FROM facts WHERE tz < now() GROUP BY b');
SELECT check_query('SELECT b, count(*) FROM facts WHERE d < current_date AND i4 > length(''abc'') GROUP BY b');
SELECT check_query('SELECT b, count(*) FROM facts WHERE i4 > (SELECT avg(id) - 6000 FROM facts) GROUP BY b');
