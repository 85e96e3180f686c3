--
-- = ANY, <> ALL, IN: few elements, many, arrays known when execution begins.
--
CREATE FUNCTION list_of(element text, n int) RETURNS text LANGUAGE sql AS
$$ SELECT string_agg(replace(element, '#', i::text), ', ') FROM generate_series(1, n) i $$;
SELECT x, n, check_engine(format('SELECT b, count(*), min(id), max(id), count(*) FILTER (WHERE %1$s IN (%2$s)) FROM facts WHERE %1$s NOT IN (%2$s) GROUP BY b', x, list_of(element, n))) AS "not in",
	check_engine(format('SELECT %1$s = ANY (ARRAY[%2$s, NULL]), %1$s <> ALL (ARRAY[%2$s, NULL]), count(*), min(id) FROM facts GROUP BY 1, 2', x, list_of(element, n))) AS "with null"
FROM (VALUES ('i2', '(# - 60)'), ('i4', '(# * 3)'), ('i8', '(# * 10000000000)'), ('d', '(date ''2000-02-25'' + #)'), ('ts', '(timestamp ''2000-01-01'' + # * interval ''10 minutes'')'),
	('tz', '(timestamptz ''2001-04-01 00:00+00'' + # * interval ''1 hour'')'), ('t', '''#'''), ('vc', '''v#'''), ('ch', '''a#'''), ('o', '(4294967296 - #)::oid'), ('i4', '(#::bigint * 4)'), ('i8', '#'), ('i2', '#')) v (x, element),
	unnest('{1,16,17,200}'::int[]) n;
SELECT check_engine(format('SELECT t IN (%1$s), vc IN (%1$s), ch IN (%1$s), count(*) FROM facts GROUP BY 1, 2, 3', list_of('chr(97 + # % 26) || repeat(chr(97 + # % 26), # % 7)', 150)));
SELECT check_engine('SELECT count(*), min(id) FROM facts WHERE ch = ANY (''{"ab ",a,"abc",abcdef,x1,x2,x3,x4,x5,x6,x7,x8,x9,y1,y2,y3,y4,"ab"}''::char(6)[])'),
	check_engine('SELECT count(*), min(id) FROM facts WHERE t <> ALL (''{"",aaaa,bb,cc,x1,x2,x3,x4,x5,x6,x7,x8,x9,y1,y2,y3,y4,"aaaa"}'')');

-- other operators: few elements
SELECT c AS condition, check_engine('SELECT b, count(*), min(id), max(id) FROM facts WHERE ' || c || ' GROUP BY b')
FROM unnest(ARRAY['i4 < ANY (''{1,NULL,-30}'')', 'i4 >= ALL (''{1,200}'')', 'NOT i4 > ANY (''{1,NULL}'')', 'f8 = ANY (''{1,NaN,2.5,NULL}'')', 'd <= ALL (''{2000-03-01,2000-04-01}'')', 'i4 <> ANY (''{1,1}'')', 'i4 = ALL (''{1,1}'')',
	'u = ANY (''{c4ca4238-a0b9-2382-0dcc-509a6f75849b}'')', 'b = ANY (''{true,NULL}'')', 'qc = ANY (''{A,B}'')', 'i4 = ANY (''{}'')', 'i4 <> ALL (''{}'')', 'i4 < ANY (''{}'')', 'd = ANY (''{2000-03-01 00:00,2000-03-02 01:00}''::timestamp[])']) c;

-- parameters: each kind of array, through one generic plan
PREPARE ints(int[]) AS SELECT b, count(*), count(*) FILTER (WHERE i2 <> ALL ($1)) AS out, count(*) FILTER (WHERE (i4 = ANY ($1)) IS NULL) AS unknown FROM facts WHERE i4 = ANY ($1) IS NOT FALSE GROUP BY b ORDER BY b;
PREPARE texts(text[], date[], bigint) AS SELECT count(*) FILTER (WHERE t = ANY ($1)) AS t, count(*) FILTER (WHERE vc <> ALL ($1)) AS vc, count(*) FILTER (WHERE d = ANY ($2)) AS d, count(*) FILTER (WHERE i8 IN (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, $3)) AS i8 FROM facts;
CREATE FUNCTION executed(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	r record;
	modes text[] := '{off,force}';
	answers text[] := '{"",""}';
BEGIN
	IF NOT is_taken(query) THEN
		RETURN 'NOT TAKEN';
	END IF;
	PERFORM set_config('gpuagg.fallback', no_fallback(), true);
	FOR i IN 1..2 LOOP
		PERFORM set_config('gpuagg.mode', modes[i], true);
		FOR r IN EXECUTE query LOOP
			answers[i] := answers[i] || r::text;
		END LOOP;
	END LOOP;
	RETURN CASE WHEN answers[1] = answers[2] THEN answers[2] ELSE 'DIFFERENT: ' || answers::text END;
END $$;
SET plan_cache_mode = force_generic_plan;
SELECT a, executed(format('EXECUTE ints(%L)', a)) FROM unnest(ARRAY['{1,2,3}', '{}', '{NULL}', '{5,NULL,5,-5}', NULL, '{{1,2},{3,4}}']) a;
SELECT a, executed(format('EXECUTE ints(%L)', (SELECT array_agg(i * 2 - 500) FROM generate_series(1, 500) i))) FROM (VALUES ('many')) v (a);
SELECT a, d, executed(format('EXECUTE texts(%L, %L, 20000000000)', a, d)) FROM (VALUES ('{aaaa,v1,"",v2}', '{2000-03-01,2000-02-29}'), ('{}', '{}'), ('{NULL,v3}', '{NULL}'), (NULL, NULL)) v (a, d);
RESET plan_cache_mode;
SELECT check_query('SELECT count(*), min(id) FROM facts WHERE i4 = ANY (ARRAY(SELECT i2 * 2 FROM facts WHERE id < 300))'),
	check_query('SELECT b, count(*) FROM facts WHERE t = ANY (ARRAY(SELECT vc FROM facts WHERE false)) GROUP BY b'), check_query('SELECT count(*) FROM facts WHERE k <> ALL (ARRAY(SELECT i4 FROM facts WHERE i4 IS NOT NULL AND id < 300))');

-- errors: of x, even if the array is empty; of an element
CREATE TABLE shares (a int, z int);
INSERT INTO shares SELECT i, i % 3 FROM generate_series(1, 90) i;
SELECT check_fallback('SELECT count(*) FROM shares WHERE a / z = ANY (''{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17}'')'), check_fallback('SELECT count(*) FROM shares WHERE a / z = ANY (ARRAY(SELECT 1 WHERE false))'),
	check_engine('SELECT count(*) FROM shares WHERE z > 0 AND a / z = ANY (''{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17}'')'),
	check_engine('SELECT count(*) FROM shares WHERE z > 0 AND a / z = ANY (ARRAY(SELECT 1 WHERE false))');

SET gpuagg.report_rejections = on;
SELECT count(*) FILTER (WHERE f8 = ANY ((SELECT array_agg(i::float8) FROM generate_series(1, 3) i)::float8[])) FROM facts WHERE id < 0;
SELECT count(*) FILTER (WHERE i4 = ANY (ARRAY[i2, id])), count(*) FILTER (WHERE i4 = ANY (CASE WHEN b THEN '{1}'::int[] END)) FROM facts WHERE id < 0;
RESET gpuagg.report_rejections;
