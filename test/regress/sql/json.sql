--
-- Values of the keys of jsonb columns, and what input functions make of texts.
--
CREATE TABLE json_documents (id int NOT NULL, j jsonb, n jsonb NOT NULL, t text);
INSERT INTO json_documents SELECT i, CASE i % 11 WHEN 0 THEN NULL WHEN 1 THEN '[1, "kind", {"kind": 2}]' WHEN 2 THEN to_jsonb('kind'::text) WHEN 3 THEN '{}'
		WHEN 4 THEN jsonb_build_object('kind', 'k' || i % 7, '', 'empty', 'a', jsonb_build_object('b', i % 5, 'c', jsonb_build_object('d', 'deep ' || i % 3)))
		WHEN 5 THEN jsonb_build_object('kind', NULL, 'a', jsonb_build_array(1, 2), 'ok', i % 2 = 0)
		WHEN 6 THEN jsonb_build_object('kind', 'ä€"\' || i % 3, 'v', i % 100 - 50, 'a', 'b')
		WHEN 7 THEN ('{"kind": "first", "kind": "last", "v": 1e' || i % 12 || ', "w": ' || i % 9 - 4 || '.50e-' || i % 30 || ', "k": 1, "kin": 2, "kindx": 3, "kinc": 4, "kine": 5}')::jsonb
		WHEN 8 THEN (SELECT jsonb_object_agg('key' || k, k * i % 17) || jsonb_build_object('kind', i % 4, 'v', i) FROM generate_series(1, i % 150) k)
		WHEN 9 THEN jsonb_build_object('v', ((i % 100) - 50) * 10000, 'w', ((i % 1000) - 500) / 8.0, 'kind', i % 2 = 0, 'ok', 'true', 'a', NULL)
		ELSE jsonb_build_object('w', i % 13 * 0.001, 'kind', repeat('x', i % 3 * 20), 'v', ' ' || i || E'\n') END,
	jsonb_build_object('v', i % 1000, 's', i % 20, 'f', i % 100 / 8.0, 'd', i / 7.0::float8, 'pad', repeat('p', i % 5 * 40)), i % 50 - 20 || '' FROM generate_series(1, 6600) i;
VACUUM ANALYZE json_documents;
SET gpuagg.engine = cpu;
SELECT check_query('SELECT j ->> ''kind'', count(*), count(j ->> ''v''), sum((j ->> ''v'')::int8) FROM json_documents WHERE id % 11 <> 7 GROUP BY 1');
SELECT check_query('SELECT j ->> ''kind'', j ->> ''v'', j ->> '''', j ->> ''ok'', j ->> ''no such key'', count(*) FROM json_documents GROUP BY 1, 2, 3, 4, 5');
SELECT check_query('SELECT j ->> ''w'', j ->> ''k'', j ->> ''kin'', j ->> ''kinc'', j ->> ''kine'', j ->> ''kindx'', min(j ->> ''key1''), max(j ->> ''key149'' COLLATE "C"), min(j ->> ''key77'' COLLATE "C") FROM json_documents GROUP BY 1, 2, 3, 4, 5, 6');
SELECT check_query('SELECT n ->> ''s'', sum((n ->> ''v'')::int), avg((n ->> ''v'')::int2), sum((n ->> ''f'')::float8), max((n ->> ''d'')::float8), min(n ->> ''d'') FROM json_documents GROUP BY 1');
SELECT check_query('SELECT j -> ''a'' ->> ''b'', j #>> ''{a,b}'', j #>> ''{a,c,d}'', j -> ''a'' -> ''c'' ->> ''d'', jsonb_extract_path_text(j, ''a'', ''c'', ''no''), count(*) FROM json_documents GROUP BY 1, 2, 3, 4, 5');
SELECT check_query('SELECT j ? ''kind'', j ? ''a'', n ? ''v'', count(*) FROM json_documents GROUP BY 1, 2, 3');
SELECT check_query('SELECT (j ->> ''ok'')::bool, count(*) FROM json_documents WHERE j ->> ''kind'' LIKE ''k%'' OR j ->> ''kind'' IS NULL OR (j ->> ''w'')::float8 > 0 GROUP BY 1');
SELECT check_query('SELECT j ->> ''kind'', count(DISTINCT n ->> ''s''), count(*) FILTER (WHERE n ->> ''s'' = ''7'') FROM json_documents GROUP BY 1');
SELECT check_query('SELECT t::int, t::float8, sum(t::int2), sum((t || '''')::int8) FROM json_documents GROUP BY 1, 2');
SELECT check_query('SELECT coalesce(j ->> ''kind'', ''none''), length(j ->> ''kind''), count(*) FROM json_documents GROUP BY 1, 2');
-- stored out of line, or compressed
CREATE TABLE json_toasted (id int, j jsonb);
ALTER TABLE json_toasted ALTER j SET STORAGE EXTERNAL;
INSERT INTO json_toasted SELECT i, jsonb_build_object('kind', i % 5, 'pad', repeat('x', i % 4 * 1500), 'v', i) FROM generate_series(1, 600) i;
ALTER TABLE json_toasted ALTER j SET STORAGE EXTENDED;
INSERT INTO json_toasted SELECT i, jsonb_build_object('kind', i % 5, 'pad', repeat('x', i % 4 * 1500), 'v', i) FROM generate_series(1, 600) i;
SELECT check_query('SELECT j ->> ''kind'', sum((j ->> ''v'')::int), count(*) FROM json_toasted GROUP BY 1');
-- a column that was added with a default
ALTER TABLE json_toasted ADD k jsonb DEFAULT '{"a": 5}';
SELECT check_query('SELECT k ->> ''a'', count(*) FROM json_toasted GROUP BY 1');
-- keys that are parameters
PREPARE by_key(text) AS SELECT n ->> $1, count(*) FROM json_documents WHERE id < 12 GROUP BY 1 ORDER BY 1;
SET plan_cache_mode = force_generic_plan;
EXECUTE by_key('s');
EXECUTE by_key(NULL);
RESET plan_cache_mode;
-- what only PostgreSQL can write: containers and long numbers
SELECT check_fallback('SELECT j ->> ''a'', count(*) FROM json_documents GROUP BY 1');
CREATE TABLE json_long_numbers AS SELECT ('{"n": ' || repeat('9', i) || '.' || repeat('5', i % 7) || '0}')::jsonb AS j FROM generate_series(1, 80) i;
SELECT check_fallback('SELECT j ->> ''n'', count(*) FROM json_long_numbers GROUP BY 1');
CREATE TABLE json_short_numbers AS SELECT * FROM json_long_numbers WHERE length(j ->> 'n') < 50;
SELECT check_query('SELECT (j ->> ''n''), (j ->> ''n'')::float8, count(*) FROM json_short_numbers GROUP BY 1, 2');
-- texts as numbers
CREATE TABLE number_texts AS SELECT t FROM unnest(ARRAY['32767', '-32768', '2147483647', '-2147483648', '9223372036854775807', '-9223372036854775808', E' +7\t', '-0', '007']) t;
SELECT t, check_query(format('SELECT t::int8, t::float8, count(*) FROM number_texts WHERE t = %L GROUP BY 1, 2', t)) FROM number_texts;
SELECT check_query('SELECT t::int4, t::int8, count(*) FROM number_texts WHERE length(t) < 11 GROUP BY 1, 2');
SELECT check_query('SELECT t::int2, sum(t::int4) FROM number_texts WHERE length(t) < 7 GROUP BY 1');
TRUNCATE number_texts;
INSERT INTO number_texts SELECT * FROM unnest(ARRAY['1e-5', '.5', '5.', '123456789012345678901234567890', '0.1234567890123456789', '1.7976931348623157e308', '4.9e22', '9007199254740993', '-9007199254740992e22', '9007199254740991e-22', '1e23', '-1.5E+3', '2.2250738585072014e-308', '0.000000000000000000000000000000000000000001']) t;
SELECT t, check_query(format('SELECT t::float8, count(*) FROM number_texts WHERE t = %L GROUP BY 1', t)) FROM number_texts;
TRUNCATE number_texts;
INSERT INTO number_texts SELECT * FROM unnest(ARRAY['0', '-0.004999', '-0.005', '0.005', '1.995', '12.3e1', '-1e-30', '4999e-6', '5E-3', '0e999', '99999999.994', '0.00000000000000000000000000001', ' 7.10 ']) t;
SELECT t, check_query(format('SELECT t::numeric(10,2), sum(t::numeric(12,4)), max(t::numeric(15)), count(*) FROM number_texts WHERE t = %L GROUP BY 1', t)) FROM number_texts;
SELECT check_query('SELECT t::numeric(12,3) > 0, sum(t::numeric(12,3)), avg(t::numeric(14,2)), min(t::numeric(10,2)) FROM number_texts GROUP BY 1');
SELECT check_query('SELECT sum((n ->> ''d'')::numeric(10,2)), max((n ->> ''v'')::numeric(5)), sum((n ->> ''f'')::numeric(10,1)) FROM json_documents');
TRUNCATE number_texts;
INSERT INTO number_texts SELECT * FROM unnest(ARRAY['true', 'false', ' true ', 'f', 'yes', 'TRUE', 'oN', 'of', 'Off', 'n', '1', '0', 'Tru']) t;
SELECT check_query('SELECT t::bool, count(*) FROM number_texts GROUP BY 1');
-- what PostgreSQL alone reads
TRUNCATE number_texts;
INSERT INTO number_texts VALUES ('Infinity'), ('-inf'), ('NaN');
SELECT check_fallback('SELECT t::float8, count(*) FROM number_texts GROUP BY 1');
-- texts that are no numbers, or too large ones
TRUNCATE number_texts;
INSERT INTO number_texts SELECT * FROM unnest(ARRAY['32768', '-32769', '1.0', '', ' ', '-', '+', '1 2', 'x', '2147483648', '9223372036854775808', '-9223372036854775809', '1e5', '1e999', '1e-999', '1e', '.', 'e5', '--1', '1.2.3', 'truex', 'o', '10', 'onn']) t;
CREATE FUNCTION cast_error(text, text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	EXECUTE format('SELECT max(t::%s)::text FROM number_texts WHERE t = %L', $2, $1) INTO result;
	RETURN result;
EXCEPTION WHEN OTHERS THEN
	RETURN sqlerrm;
END $$;
SELECT t, cast_error(t, 'int2'), cast_error(t, 'int4'), cast_error(t, 'int8'), cast_error(t, 'float8'), cast_error(t, 'bool::int') FROM number_texts;
-- more digits behind the point than a numeric can have
TRUNCATE number_texts;
INSERT INTO number_texts SELECT * FROM unnest(ARRAY['1e-16383', '1e-16384', '0e-16384', '0.' || repeat('0', 16383), '0.' || repeat('0', 16384), '0.1' || repeat('0', 16383), repeat('0', 16384) || '1e-1', '0e99999']) t;
SELECT left(t, 9), length(t), cast_error(t, 'numeric(10,2)'), cast_error(t, 'numeric(18,6)') FROM number_texts;
-- by any engine
RESET gpuagg.engine;
SELECT check_query('SELECT t::int2, sum(t::int4), sum(t::int8) FROM json_documents GROUP BY 1');
SELECT check_query('SELECT n ->> ''s'', sum((n ->> ''v'')::int), max((n ->> ''d'')::float8) FROM json_documents WHERE n ? ''s'' GROUP BY 1');
SET gpuagg.engine = cpu;
EXPLAIN (COSTS OFF) SELECT j -> 'a' ->> 'b', count(*) FROM json_documents GROUP BY 1;
EXPLAIN (COSTS OFF) SELECT j -> 'a', count(*) FROM json_documents GROUP BY 1;
EXPLAIN (COSTS OFF) SELECT j #>> '{a,0}', count(*) FROM json_documents GROUP BY 1;
RESET gpuagg.engine;
DROP TABLE json_documents, json_toasted, json_long_numbers, json_short_numbers, number_texts;
DROP FUNCTION cast_error;
