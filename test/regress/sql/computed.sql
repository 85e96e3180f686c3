--
-- Expressions without an operation, which PostgreSQL computes once for each distinct value of their columns.
--
CREATE TABLE computed (id int NOT NULL, g int, s text, v varchar(20), c char(8), d date, ts timestamp, z timestamptz, x int, y bigint, n numeric(10, 2), f float8, b boolean, u uuid, w numeric);
INSERT INTO computed SELECT i, i % 7, CASE WHEN i % 13 <> 0 THEN 'Name ' || i % 211 END, 'Var' || i % 50, 'pad' || i % 20,
	CASE WHEN i % 17 <> 0 THEN date '2024-01-01' + i % 400 END, timestamp '2024-02-28' + (i % 300) * interval '5 hours', timestamptz '2024-03-30 12:00+00' + (i % 100) * interval '30 minutes',
	i % 100 - 50, CASE WHEN i % 11 <> 0 THEN i % 90 * 10000000000 END, i % 1000 / 4.0, i % 77 / 3.0, nullif(i % 5, 4) > 1, CASE WHEN i % 19 <> 0 THEN md5((i % 60)::text)::uuid END, CASE WHEN i % 2 = 0 THEN 1.0 ELSE 1.00 END
FROM generate_series(1, 20000) i;
INSERT INTO computed (id, s, v, c) VALUES (0, '', '', ''), (-1, ' x ', ' x ', ' x '), (-2, E'tab\there', 'É', 'é');
CREATE TABLE computed_names (g int PRIMARY KEY, low text, name text);
INSERT INTO computed_names SELECT i, 'name ' || i * 30, 'Name of ' || i FROM generate_series(0, 5) i;
VACUUM ANALYZE computed, computed_names;
-- costly, and marked so that PostgreSQL may ask it once
CREATE FUNCTION computed_slow(text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS $$BEGIN RETURN reverse($1) || length($1); END$$;
CREATE FUNCTION computed_lax(text) RETURNS text LANGUAGE sql IMMUTABLE AS $$SELECT CASE WHEN $1 IS NULL THEN 'none' ELSE $1 END$$;
CREATE FUNCTION computed_fails(int) RETURNS int LANGUAGE plpgsql IMMUTABLE STRICT AS $$BEGIN IF $1 = 13 THEN RAISE EXCEPTION 'thirteen'; END IF; RETURN $1 / 10; END$$;

SET gpuagg.mode = force;

-- keys
SELECT check_join('SELECT lower(s), count(*), sum(n), max(f) FROM computed GROUP BY 1');
SELECT check_join('SELECT to_char(d, ''YYYY-MM''), count(*), min(x), max(n) FROM computed GROUP BY 1');
SELECT check_join('SELECT to_char(ts, ''Day HH24''), g, count(s) FROM computed GROUP BY 1, 2');
SELECT check_join('SELECT to_char(z, ''DD TZ''), sum(y) FROM computed GROUP BY 1');
SELECT check_join('SELECT md5(v), reverse(v), count(*) FROM computed GROUP BY 1, 2');
SELECT check_join('SELECT to_hex(x), to_char(y, ''FM999G999''), count(*) FROM computed GROUP BY 1, 2');
SELECT check_join('SELECT regexp_replace(s, ''\d$'', ''#''), split_part(s, '' '', 2), count(*) FROM computed GROUP BY 1, 2');
SELECT check_join('SELECT regexp_split_to_array(v, ''a''), count(*) FROM computed GROUP BY 1');
SELECT check_join('SELECT (''{"a": "'' || v || ''"}'')::jsonb, count(*) FROM computed GROUP BY 1');
SELECT check_join('SELECT computed_slow(s), count(*) FROM computed GROUP BY 1');
-- of two columns, and two expressions of a column
SELECT check_join('SELECT lower(s) || g, count(*) FROM computed GROUP BY 1');
SELECT check_join('SELECT lower(s), upper(s), to_char(d, ''MM''), count(*) FROM computed GROUP BY 1, 2, 3');
SELECT check_join('SELECT lower(s), initcap(lower(s)), count(*) FROM computed GROUP BY 1, 2');
-- of types of other sizes and equalities
SELECT check_join('SELECT b::text, count(*) FROM computed GROUP BY 1');
SELECT check_join('SELECT upper(u::text), count(*), max(x) FROM computed GROUP BY 1');
SELECT check_join('SELECT reverse(c), length(lower(c)), count(*) FROM computed GROUP BY 1, 2');
SELECT check_join('SELECT n::text, to_char(n, ''FM990.0000''), count(*) FROM computed GROUP BY 1, 2');
SELECT check_join('SELECT sqrt(n), g, count(*) FROM computed WHERE n < 40 GROUP BY 1, 2');
SELECT check_join('SELECT reverse(b::text || c), count(*) FROM computed GROUP BY 1');
SELECT check_join('SELECT reverse(b::text || left(u::text, 3)), count(*) FROM computed GROUP BY 1');
SELECT check_join('SELECT md5(left(u::text, 2) || v || b), count(*) FROM computed GROUP BY 1');
SELECT check_join('SELECT to_char(ts, ''"'' || v || ''" HH24''), lower(c || v), count(*) FROM computed GROUP BY 1, 2');
BEGIN;
UPDATE computed SET n = 'NaN' WHERE id = 77;
SELECT check_fallback('SELECT n::text, count(*) FROM computed GROUP BY 1');
ROLLBACK;
-- parts of what engines compute
SELECT check_join('SELECT coalesce(initcap(s), ''none''), count(*) FROM computed GROUP BY 1');
SELECT check_join('SELECT CASE WHEN lower(s) LIKE ''%7'' THEN upper(s) ELSE lower(v) END, count(*) FROM computed GROUP BY 1');
SELECT check_join('SELECT CASE lower(v) WHEN ''var7'' THEN 1 WHEN ''var8'' THEN 2 END, count(*) FROM computed GROUP BY 1');
SELECT check_join('SELECT x + length(initcap(s)), count(*) FROM computed GROUP BY 1');
SELECT check_join('SELECT lower(s) IS NULL, nullif(lower(v), ''var3''), greatest(upper(v), ''VAR2'' COLLATE "C"), count(*) FROM computed GROUP BY 1, 2, 3');
-- arguments, and what is counted
SELECT check_join('SELECT g, sum(ascii(md5(s))), count(lower(s)), max(to_char(d, ''DDD'')::int), min(initcap(v) COLLATE "C") FROM computed GROUP BY g');
SELECT check_join('SELECT g, count(*) FILTER (WHERE lower(s) LIKE ''%1''), bool_or(s ILIKE ''%99''), sum(x) FILTER (WHERE upper(v) > ''VAR3'') FROM computed GROUP BY g');
SELECT check_join('SELECT g, count(DISTINCT lower(s)), count(DISTINCT initcap(v)), sum(DISTINCT length(upper(v))) FROM computed GROUP BY g');
SELECT check_join('SELECT g, percentile_disc(0.5) WITHIN GROUP (ORDER BY ascii(md5(v))) FROM computed GROUP BY g');
SELECT check_join('SELECT sum(to_char(ts, ''SSSS'')::int), avg(to_char(ts, ''MM'')::numeric(4, 1)) FROM computed');
-- conditions
SELECT check_join('SELECT g, count(*) FROM computed WHERE s ILIKE ''%E 1%'' GROUP BY 1');
SELECT check_join('SELECT g, count(*) FROM computed WHERE lower(s) IN (''name 1'', ''name 2'') AND x > 0 GROUP BY 1');
SELECT check_join('SELECT lower(v), count(*) FROM computed WHERE upper(s) < ''NAME 5'' AND NOT (lower(v) = ''var9'') AND b GROUP BY 1');
SELECT check_join('SELECT count(*) FROM computed WHERE lower(s) IS NULL OR lower(v) = ''var1'' OR x = 3');
SELECT check_join('SELECT count(*) FROM computed WHERE lower(s) = lower(v)');
SELECT check_join('SELECT count(*), min(lower(s)) FROM computed WHERE lower(s) = ''nothing''');
-- DISTINCT, grouping sets, HAVING, ORDER BY and LIMIT
SELECT check_join('SELECT DISTINCT initcap(s), x % 3 FROM computed');
SELECT check_join('SELECT lower(s), to_char(d, ''MM''), g, count(*), grouping(lower(s)) FROM computed GROUP BY GROUPING SETS ((1, 3), (2), ())');
SELECT check_join('SELECT lower(s), count(*) FROM computed GROUP BY 1 HAVING count(*) > 88 OR lower(s) LIKE ''%5''');
SELECT lower(s), count(*), sum(x) FROM computed GROUP BY 1 ORDER BY 2 DESC, lower(s) COLLATE "C" LIMIT 3;
-- joins
SELECT check_join('SELECT lower(s), name, count(*) FROM computed JOIN computed_names USING (g) GROUP BY 1, 2');
SELECT check_join('SELECT name, count(*), max(upper(v) COLLATE "C") FROM computed c JOIN computed_names d ON lower(c.s) = d.low GROUP BY 1');
SELECT check_join('SELECT lower(v), name, count(*) FROM computed c LEFT JOIN computed_names d ON c.g = d.g AND c.s ILIKE ''%2'' WHERE c.v ILIKE ''%1%'' GROUP BY 1, 2');
SELECT check_join('SELECT upper(v), count(*) FROM computed c WHERE NOT EXISTS (SELECT 1 FROM computed_names d WHERE d.low = lower(c.s)) GROUP BY 1');

-- not computed so: values that are equal and differ, what is not NULL for NULLs, or is volatile
SELECT q, check_query(q), source(q) FROM unnest(ARRAY[
	'SELECT w::text, count(*) FROM computed GROUP BY 1',
	'SELECT reverse(c || f::text), count(*) FROM computed GROUP BY 1',
	'SELECT f::text, count(*) FROM computed GROUP BY 1',
	'SELECT computed_lax(s), count(*) FROM computed GROUP BY 1',
	'SELECT concat(s, v), count(*) FROM computed GROUP BY 1',
	'SELECT pg_column_size(s), pg_column_compression(s), count(*) FROM computed GROUP BY 1, 2',
	'SELECT g, count(*) FROM computed WHERE computed_slow(s) > ''9'' GROUP BY 1']) q;
SELECT source('SELECT lower(s) || random(), count(*) FROM computed GROUP BY 1');
SELECT source('SELECT lower(s), sum((SELECT g FROM computed_names WHERE low = lower(s))) FROM computed GROUP BY 1');
-- too many values
SET work_mem = '64kB';
SET hash_mem_multiplier = 1;
SELECT source('SELECT to_hex(id), count(*) FROM computed GROUP BY 1');
RESET work_mem;
RESET hash_mem_multiplier;

-- errors are PostgreSQL's
SELECT outcome(q, 'off', 'on') AS native, outcome(q, 'force', 'on') AS ours FROM unnest(ARRAY[
	'SELECT computed_fails(x), count(*) FROM computed GROUP BY 1',
	'SELECT computed_fails(x), count(*) FROM computed WHERE x <> 13 GROUP BY 1',
	'SELECT computed_fails(x), count(*) FROM computed WHERE lower(s) <> ''name 3'' GROUP BY 1',
	'SELECT g, sum(computed_fails(x)) FILTER (WHERE x < 13) FROM computed GROUP BY 1',
	'SELECT CASE WHEN x < 13 THEN computed_fails(x) END, count(*) FROM computed GROUP BY 1',
	'SELECT to_char(ts, ''Mon'')::int, count(*) FROM computed GROUP BY 1',
	'SELECT lower(s), count(*) FROM computed WHERE 100 / (x - 3) > -1000 GROUP BY 1']) q;
-- other conditions, or a join, leave no row for which a condition of the engine's is an error
SELECT q, outcome(q, 'off', 'on') AS native, outcome(q, 'force', 'on') AS ours, source(q) FROM unnest(ARRAY[
	'SELECT g, count(*) FROM computed WHERE (x::bigint * y * 10000000) IS NULL AND s ILIKE ''nobody%'' GROUP BY 1',
	'SELECT lower(s), count(*) FROM computed JOIN computed_names USING (g) WHERE name = ''nobody'' AND 100 / (x - 3) > -1000 GROUP BY 1']) q;
SELECT check_join('SELECT lower(s), count(*) FROM computed WHERE 100 / (x + 51) > 1 GROUP BY 1');
-- and nothing that can raise errors is computed of rows that such a condition refuses: beside a
-- parallel plan, which a function's query is not, the error would be the query's
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT ln(x::numeric), count(*) FROM computed WHERE 1000 / (x + 1000) < 1 AND x < 3 GROUP BY 1 ORDER BY 1;
RESET max_parallel_workers_per_gather;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;

-- what auto takes, and what EXPLAIN shows
SET gpuagg.mode = auto;
SET gpuagg.engine = cpu;
SET max_parallel_workers_per_gather = 0;
CREATE TABLE computed_many AS SELECT id, g, s, v, x FROM computed, generate_series(1, 20);
ANALYZE computed_many;
EXPLAIN (COSTS OFF) SELECT lower(s), upper(s), count(*), max(length(initcap(v))) FROM computed_many WHERE x > 0 GROUP BY 1, 2;
EXPLAIN (COSTS OFF) SELECT g, count(*) FROM computed_many WHERE v ILIKE '%1%' AND x > 0 GROUP BY 1;
EXPLAIN (COSTS OFF) SELECT to_hex(id), count(*) FROM computed_many GROUP BY 1;
DROP TABLE computed_many;
RESET max_parallel_workers_per_gather;
RESET gpuagg.engine;
SET gpuagg.mode = force;

-- of partitions, one of which lies otherwise, and of tables with children
CREATE TABLE computed_parts (id int, s text, x int, d date) PARTITION BY LIST (x);
CREATE TABLE computed_part_0 PARTITION OF computed_parts FOR VALUES IN (0, NULL);
CREATE TABLE computed_part_1 (d date, gone int, x int, s text, id int);
ALTER TABLE computed_part_1 DROP gone;
ALTER TABLE computed_parts ATTACH PARTITION computed_part_1 FOR VALUES IN (1);
CREATE TABLE computed_part_2 PARTITION OF computed_parts FOR VALUES IN (2, 3) PARTITION BY RANGE (id);
CREATE TABLE computed_part_2_low PARTITION OF computed_part_2 FOR VALUES FROM (MINVALUE) TO (4000);
CREATE TABLE computed_part_2_high PARTITION OF computed_part_2 FOR VALUES FROM (4000) TO (MAXVALUE);
INSERT INTO computed_parts SELECT i, CASE WHEN i % 13 <> 0 THEN 'Name ' || i % 4 || i % 41 END, CASE WHEN i % 9 <> 8 THEN i % 4 END, date '2024-01-01' + i % 50 FROM generate_series(1, 20000) i;
CREATE TABLE computed_parent (id int, s text);
CREATE TABLE computed_child (more int) INHERITS (computed_parent);
INSERT INTO computed_parent SELECT i, 'Parent ' || i % 20 FROM generate_series(1, 3000) i;
INSERT INTO computed_child SELECT i, 'Child ' || i % 30, i FROM generate_series(1, 5000) i;
VACUUM ANALYZE computed_parts, computed_parent, computed_child;
SELECT check_join('SELECT lower(s), count(*), sum(id) FROM computed_parts GROUP BY 1');
SELECT check_join('SELECT md5(s), x, count(*) FROM computed_parts WHERE s ILIKE ''%2'' AND id % 3 <> 0 GROUP BY 1, 2');
SELECT check_join('SELECT upper(s), count(*) FROM computed_parts WHERE id > 5000 AND (lower(s) IS NULL OR lower(s) = ''name 13'') GROUP BY 1');
SELECT check_join('SELECT lower(s), count(*) FROM computed_parts WHERE x = 2 AND id < 3000 GROUP BY 1');
SELECT check_join('SELECT x, max(s COLLATE "en-x-icu"), min(initcap(s) COLLATE "C") FROM computed_parts GROUP BY 1');
SELECT check_join('SELECT upper(s), name, count(*) FROM computed_parts p JOIN computed_names n ON p.x = n.g GROUP BY 1, 2');
SELECT check_join('SELECT lower(s), count(*) FROM computed_parent GROUP BY 1');
SELECT check_join('SELECT lower(s), count(*) FROM ONLY computed_parent GROUP BY 1');
SELECT check_join('SELECT id % 3, count(*) FROM computed_parent WHERE s ILIKE ''%d 1%'' GROUP BY 1');
SELECT outcome(q, 'off', 'on') AS native, outcome(q, 'force', 'on') AS ours FROM unnest(ARRAY[
	'SELECT computed_fails(x + 10), count(*) FROM computed_parts GROUP BY 1',
	'SELECT computed_fails(x + 10), count(*) FROM computed_parts WHERE x <= 2 GROUP BY 1']) q;
SET gpuagg.mode = auto;
SET gpuagg.engine = cpu;
SET max_parallel_workers_per_gather = 0;
SELECT place, step, taken, reason FROM gpuagg_explain('SELECT lower(s), count(*) FROM computed_parts GROUP BY 1');
RESET max_parallel_workers_per_gather;
RESET gpuagg.engine;
SET gpuagg.mode = force;
DROP TABLE computed_parts, computed_parent, computed_child;

-- kept, until the table changes
SELECT check_join('SELECT lower(v), count(*) FROM computed GROUP BY 1');
INSERT INTO computed (id, v) VALUES (-3, 'New');
SELECT check_join('SELECT lower(v), count(*) FROM computed GROUP BY 1');
SELECT lower(v), count(*) FROM computed WHERE id < 0 GROUP BY 1 ORDER BY lower(v) COLLATE "C";
UPDATE computed SET v = 'Newer' WHERE id = -3;
SELECT lower(v), count(*) FROM computed WHERE id < 0 GROUP BY 1 ORDER BY lower(v) COLLATE "C";
BEGIN;
DELETE FROM computed WHERE id < 0;
SELECT check_join('SELECT lower(v), count(*) FROM computed GROUP BY 1');
ROLLBACK;
SELECT check_join('SELECT lower(v), count(*) FROM computed GROUP BY 1');
-- or what computes it
VACUUM computed;
CREATE DOMAIN computed_name AS text CHECK (VALUE <> 'none');
SELECT count(*) FROM (SELECT initcap(v)::computed_name, count(*) FROM computed GROUP BY 1) n;
ALTER DOMAIN computed_name ADD CHECK (VALUE <> 'Var7');
SELECT count(*) FROM (SELECT initcap(v)::computed_name, count(*) FROM computed GROUP BY 1) n;
DROP DOMAIN computed_name;
CREATE TEXT SEARCH CONFIGURATION computed_words (COPY = simple);
SELECT check_join('SELECT ts_rank(to_tsvector(''computed_words'', initcap(v) || '' the''), ''the''), count(*) FROM computed GROUP BY 1');
ALTER TEXT SEARCH CONFIGURATION computed_words ALTER MAPPING FOR asciiword WITH english_stem;
SELECT check_join('SELECT ts_rank(to_tsvector(''computed_words'', initcap(v) || '' the''), ''the''), count(*) FROM computed GROUP BY 1');
DROP TEXT SEARCH CONFIGURATION computed_words;

-- settings that change what is computed
SET TimeZone = 'UTC';
SELECT to_char(z, 'HH24') AS hour, count(*) FROM computed WHERE id <= 3 GROUP BY 1 ORDER BY 1;
SET TimeZone = 'Asia/Tokyo';
SELECT to_char(z, 'HH24') AS hour, count(*) FROM computed WHERE id <= 3 GROUP BY 1 ORDER BY 1;
RESET TimeZone;

-- prepared, once more with other parameters, in cursors, and for rows of another query
PREPARE by_pattern(text, text) AS SELECT g, lower(v) || $2, count(*) FROM computed WHERE upper(s) > $1 GROUP BY 1, 2 ORDER BY 1, (lower(v) || $2) COLLATE "C" LIMIT 2;
SET plan_cache_mode = force_generic_plan;
EXECUTE by_pattern('NAME 3', '!');
EXECUTE by_pattern('NAME 9', '?');
RESET plan_cache_mode;
DEALLOCATE by_pattern;
SELECT g, (SELECT count(*) FROM (SELECT upper(v) FROM computed c WHERE c.x = n.g GROUP BY 1) k) AS names FROM computed_names n ORDER BY 1;
BEGIN;
DECLARE names CURSOR FOR SELECT upper(v), count(*) FROM computed GROUP BY 1 ORDER BY upper(v) COLLATE "C";
FETCH 2 FROM names;
MOVE ABSOLUTE 0 IN names;
FETCH 1 FROM names;
ROLLBACK;

-- rows that are hidden are not computed of
CREATE FUNCTION computed_tells(text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT COST 0.0001 AS $$BEGIN IF $1 LIKE 'Var%' THEN RAISE EXCEPTION 'saw %', $1; END IF; RETURN $1 || '.'; END$$;
CREATE ROLE computed_reader;
GRANT SELECT ON computed TO computed_reader;
ALTER TABLE computed ENABLE ROW LEVEL SECURITY;
CREATE POLICY few ON computed TO computed_reader USING (id < 0);
SET ROLE computed_reader;
SELECT computed_tells(v), count(*) FROM computed GROUP BY 1 ORDER BY computed_tells(v) COLLATE "C";
SELECT count(*) FROM computed WHERE computed_tells(v) <> 'New.';
SELECT computed_tells(v), count(*) FROM computed WHERE 100 / (id + 1000) > -1 GROUP BY 1 ORDER BY computed_tells(v) COLLATE "C";
RESET ROLE;
-- what formats show of more moments than there are days, hours or minutes
CREATE TABLE computed_moments (id int, at timestamp, t2 timestamp, tz timestamptz, n numeric(10, 2));
INSERT INTO computed_moments SELECT i, timestamp '2024-12-30' + i * interval '61.7 seconds', CASE WHEN i % 7 > 0 THEN timestamp '1999-12-25' + i * interval '21 seconds' END,
	CASE WHEN i <= 10000 THEN timestamptz '2025-03-05 00:00+00' ELSE timestamptz '2025-03-27 00:00+00' END + i * interval '61 seconds', i % 1000 / 4.0 FROM generate_series(1, 20000) i;
VACUUM ANALYZE computed_moments;
INSERT INTO computed_moments VALUES (-1, 'infinity', '-infinity', 'infinity'), (-2, '4714-11-24 00:00 BC', '294276-12-31 23:59:59.999999', '4714-11-25 00:00+00 BC'), (-3, '0001-01-01 00:00:00.1 BC', '0001-01-01', '0001-01-01 00:00+00');
CREATE FUNCTION truncated_to(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
	RETURN (SELECT string_agg(DISTINCT concat(t[2], CASE WHEN t[1] <> '' THEN ' of a day' END), ', ')
		FROM regexp_matches(plan::text, '"Relation": "((?:[^"\\]|\\.)*)"', 'g') r, regexp_matches(r[1], '("time\\"\()?date_trunc\(''(\w+)''') t);
END $$;
SELECT x, truncated_to(query), check_query(query)
FROM unnest(ARRAY['to_char(at, ''YYYY-MM'')', 'to_char(at, ''Dy HH24'')', 'to_char(t2, ''MI'')', 'to_char(t2, ''IYYY-"W"IW'')', 'to_char(t2, ''FMDay, DDth FMMonth YYYY "at" HH12 P.M.'')', 'to_char(at, ''yyyy.mm.dd bc'')',
	'upper(to_char(at, ''mon'')) || ''.''', 'to_char(at, ''Y,YYY Q'')::text', 'to_char(date_trunc(''hour'', at), ''DD HH24'')', 'to_char(at AT TIME ZONE ''UTC'' AT TIME ZONE ''Asia/Kolkata'', ''HH24'')', 'to_char(tz AT TIME ZONE ''Europe/Paris'', ''MM-DD HH24'')',
	'to_char(at, ''MS'')', 'to_char(at, ''aMI'')', 'to_char(at, ''TMDay'')', 'to_char(at, ''FXDD'')', 'to_char(at, ''DD "hours'')', 'to_char(at, ''"\""DD'')', 'to_char(at, ''Month, d.m.'')', 'to_char(tz, ''YYYY-MM'')', 'to_char(at, NULLIF(''DD'', ''MM''))']) x,
	format('SELECT %s, count(*), sum(n), min(id) FROM computed_moments GROUP BY 1', x) query;
SELECT truncated_to(query), check_query(query)
FROM (VALUES ('SELECT to_char(at, ''YYYY-MM''), to_char(t2, ''DD''), count(*), max(to_char(at, ''YYYY-MM'')) FROM computed_moments GROUP BY 1, 2'),
	('SELECT to_char(at, ''YYYY-MM''), to_char(t2, ''DD''), count(*), max(n) FROM computed_moments GROUP BY 1, 2'),
	('SELECT to_char(at, ''HH24''), at::date, count(*) FROM computed_moments WHERE at > ''2024-12-31'' AND n < 200 GROUP BY 1, 2'),
	('SELECT DISTINCT to_char(at, ''Day'') FROM computed_moments'),
	('SELECT to_char(at, ''MM''), to_char(t2, ''DD''), count(*), grouping(to_char(at, ''MM'')) FROM computed_moments GROUP BY ROLLUP (1, 2)'),
	('SELECT to_char(at, ''HH24:MI''), count(*), min(to_char(t2, ''YYYY "week" WW'')), sum(n) FILTER (WHERE to_char(at, ''HH24'') < ''12'') FROM computed_moments GROUP BY 1'),
	('SELECT n > 100, count(*), max(id) FROM computed_moments WHERE to_char(at, ''YYYY-MM'') = ''2025-01'' AND id > 100 GROUP BY 1'),
	('SELECT count(*), max(id) FROM computed_moments WHERE to_char(at, ''FMHH24'')::int BETWEEN 8 AND 17'),
	('SELECT to_char(at, ''HH24'') || to_char(at, ''" on" Dy''), count(*) FROM computed_moments WHERE to_char(t2, ''DD'') IN (''01'', ''26'') GROUP BY 1'),
	('SELECT to_char(at, ''FM""''), count(*) FROM computed_moments GROUP BY 1'),
	('SELECT to_char(at, ''MM'') AS m, percentile_cont(0.5) WITHIN GROUP (ORDER BY n) FROM computed_moments GROUP BY 1 HAVING count(*) > 1 ORDER BY m')) v (query);
-- of moments with time zone, where days have 23 hours, 25 or, at Lord Howe's, half an hour more
CREATE FUNCTION check_in_zone(zone text, query text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('timezone', zone, true);
	RETURN concat_ws(', ', check_query(query), truncated_to(query));
END $$;
SELECT zone, format, check_in_zone(zone, query)
FROM unnest(ARRAY['America/Los_Angeles', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'Etc/GMT+12']) zone, unnest(ARRAY['YYYY-MM-DD', 'HH24:MI', 'HH12 AM, Dy', 'SS', 'HH24 OF']) format,
	format('SELECT to_char(tz, %L), count(*), sum(id), max(to_char(tz, ''MI'')) FROM computed_moments WHERE to_char(tz, ''Dy'') <> ''Mon'' GROUP BY 1', format) query
ORDER BY 1, 2;
DROP FUNCTION check_in_zone;
-- of a character without a length, equal values differ by blanks
CREATE TABLE padded_texts AS SELECT (ARRAY['a', 'a  ', 'b'])[1 + i % 3]::bpchar AS c, i FROM generate_series(1, 3000) i;
ANALYZE padded_texts;
SELECT check_query('SELECT to_jsonb(c)::text, count(*), sum(i) FROM padded_texts GROUP BY 1');
DROP TABLE padded_texts;

DROP FUNCTION truncated_to;
DROP TABLE computed_moments;
DROP TABLE computed CASCADE;
DROP TABLE computed_names;
DROP ROLE computed_reader;
DROP FUNCTION computed_slow, computed_lax, computed_fails, computed_tells;
RESET gpuagg.mode;
