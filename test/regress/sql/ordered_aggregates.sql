--
-- Aggregates whose input is ordered: lists of rows, which PostgreSQL's session orders and has
-- aggregated by the aggregates' own functions.
--
SET gpuagg.engine = cpu;

-- over nothing, over NULLs, over one row
CREATE TABLE few_ordered (g int, v int, t text, id int);
SELECT string_agg(t, ',' ORDER BY id), array_agg(v ORDER BY id), json_agg(v ORDER BY id) FROM few_ordered;
SELECT g, string_agg(t, ',' ORDER BY id) FROM few_ordered GROUP BY g;
SELECT check_engine('SELECT string_agg(t, '','' ORDER BY id), array_agg(v ORDER BY id), json_agg(v ORDER BY id) FROM few_ordered');
INSERT INTO few_ordered VALUES (1, NULL, NULL, 1), (2, 7, 'b', 2), (3, 7, 'z', 4), (3, NULL, '', 3), (4, 5, 'e', NULL), (4, 9, 'd', 5), (4, 5, NULL, 6), (4, NULL, 'c', 7), (4, 6, 'bb', 8), (4, NULL, NULL, 9), (5, NULL, NULL, 10), (5, NULL, NULL, 11), (4, -5, 'a', 12);
ANALYZE few_ordered;
SELECT g, string_agg(t, ',' ORDER BY id), string_agg(t, ', ' ORDER BY t COLLATE "C" DESC), string_agg(t, t ORDER BY t COLLATE "C"), array_agg(v ORDER BY id DESC), array_agg(t ORDER BY v, id) FROM few_ordered GROUP BY g ORDER BY g;
SELECT g, array_agg(v ORDER BY id NULLS FIRST), array_agg(id ORDER BY v DESC NULLS LAST, id DESC), array_agg(id ORDER BY v NULLS FIRST, t COLLATE "C", id), (array_agg(t ORDER BY id DESC NULLS LAST))[1] FROM few_ordered GROUP BY g ORDER BY g;
SELECT g, string_agg(DISTINCT t, ',' ORDER BY t), string_agg(DISTINCT t, ','), array_agg(DISTINCT t), json_agg(DISTINCT v), count(*) FROM few_ordered GROUP BY g ORDER BY g;
SELECT g, string_agg(t, ',' ORDER BY id) FILTER (WHERE v > 5), array_agg(t ORDER BY id) FILTER (WHERE v IS NULL), json_object_agg(id, t ORDER BY id) FILTER (WHERE id IS NOT NULL), count(*) FROM few_ordered GROUP BY g ORDER BY g;
SELECT string_agg(t, NULL ORDER BY id), string_agg('x', ',' ORDER BY id), string_agg(DISTINCT 'x', ','), array_agg(1 ORDER BY id), string_agg(t, ',' ORDER BY 'x'::text, id), string_agg(t, '' ORDER BY g, id) FROM few_ordered;

-- equal texts that differ
CREATE COLLATION ordered_loosely (provider = icu, locale = 'und-u-ks-level2', deterministic = false);

-- each type as an argument and as a key of the order
CREATE TYPE weather AS ENUM ('sun', 'fog', 'rain', 'snow');
CREATE TABLE many_ordered AS
SELECT i AS id, i * 7919 % 97 AS g, i % 3 = 0 AS b, (i * 7 % 301 - 150)::int2 AS i2, i * 31 % 977 - 400 AS i4, (i::int8 * 7777777777777 % 100003 - 50000) * 90000000000000 AS i8,
	date '2020-02-20' + i * 31 % 977 AS d, timestamp '2001-01-01' + i * 7 % 1009 * interval '1 h' AS ts, timestamptz '2001-01-01 UTC' - i * 11 % 1013 * interval '1 min' AS tz,
	time '00:00' + i % 71 * interval '17 s' AS tm, (i % 89)::money AS m, (i * 13 % 701 - 350) / 4.0::float8 AS f, ((i * 17 % 401 - 200) / 8.0)::float4 AS f4, (i * 19 % 997 - 500) / 100.0 AS n, 'name ' || i * 37 % 5003 AS s,
	repeat(chr(97 + i % 26), i % 7) || i % 500 AS vs, ('x' || md5(i::text))::char(9) AS c, md5(i::text)::uuid AS u, decode(md5((i % 999)::text), 'hex') AS y, ('10.' || i % 199 || '.0.' || i % 251)::inet AS a,
	(ARRAY['sun', 'fog', 'rain', 'snow'])[1 + i % 4]::weather AS w, (4294967295 - i % 80)::oid AS o, chr(65 + i % 30)::"char" AS q, i % 311 * interval '7 h' AS iv, repeat(md5(i::text), i % 6) AS l
FROM generate_series(1, 12000) i;
ALTER TABLE many_ordered ALTER n TYPE numeric(8, 2);
INSERT INTO many_ordered (id, g) SELECT 20000 + i, CASE WHEN i % 2 = 0 THEN i % 97 ELSE 200 END FROM generate_series(1, 300) i;
INSERT INTO many_ordered (id, g, d, ts, f, f4) VALUES (30001, 300, 'infinity', '-infinity', 'NaN', 'Infinity'), (30002, 300, '-infinity', 'infinity', '-0', '-0'), (30003, 300, '4713-01-01 BC', '4713-01-01 BC', '-Infinity', 'NaN'), (30004, 300, NULL, NULL, '0', '0');
ANALYZE many_ordered;
SELECT c, check_engine(format('SELECT g, array_agg(%1$s ORDER BY id), array_agg(id ORDER BY %1$s DESC, id), array_agg(id ORDER BY %1$s NULLS FIRST, id), string_agg(s, ''-'' ORDER BY %1$s DESC NULLS LAST, id) FROM many_ordered GROUP BY g', c))
FROM unnest('{b,i2,i4,i8,d,ts,tz,tm,m,f,f4,n,s,vs,c,u,y,a,w,o,q,iv,l}'::text[]) c;
SELECT c, check_query(format('SELECT g, array_agg(DISTINCT %1$s), json_agg(DISTINCT %1$s ORDER BY %1$s DESC), count(*) FROM many_ordered WHERE g <> 300 GROUP BY g', c))
FROM unnest('{n,s,vs,u,y,a,w,q,o,l}'::text[]) c;
SELECT check_engine('SELECT g, array_agg(s ORDER BY s COLLATE "C"), array_agg(s ORDER BY s COLLATE "en-x-icu"), array_agg(l ORDER BY l COLLATE "C" DESC, id), string_agg(DISTINCT vs, '','') FROM many_ordered GROUP BY g');
SELECT check_engine('SELECT g, string_agg(y, ''\x00'' ORDER BY id), json_agg(s ORDER BY id DESC), jsonb_agg(i4 ORDER BY id), json_object_agg(id, n ORDER BY id), jsonb_object_agg(id, d ORDER BY d, id) FROM many_ordered GROUP BY g');
SELECT check_engine('SELECT g, (array_agg(s ORDER BY f DESC NULLS LAST, id))[1], (array_agg(i4 ORDER BY ts, id))[1:2], array_length(array_agg(b ORDER BY i4, i8, d, id), 1) FROM many_ordered GROUP BY g');
SELECT check_engine('SELECT string_agg(s, '','' ORDER BY id), array_agg(i4 ORDER BY s, id), string_agg(DISTINCT vs, ''|'' ORDER BY vs DESC) FROM many_ordered');
SELECT check_engine('SELECT id, string_agg(s, '','' ORDER BY id), array_agg(i4 ORDER BY f) FROM many_ordered GROUP BY id');
SELECT check_engine('SELECT s, d, string_agg(vs, '','' ORDER BY id) FROM many_ordered GROUP BY s, d');
SELECT check_engine('SELECT g, array_agg(i4 + i2 ORDER BY id / 3, id), string_agg(s, left(vs, 1) ORDER BY abs(i4), id) FROM many_ordered WHERE b OR i4 > 100 GROUP BY g');

-- rows that are equal in the order stay as they are in the table, as PostgreSQL leaves few of them
SELECT check_engine('SELECT array_agg(id ORDER BY b DESC) FROM many_ordered WHERE id < 7'), check_engine('SELECT string_agg(s, '','' ORDER BY 1 + g * 0) FROM many_ordered');

-- beside other aggregates, HAVING, ORDER BY and LIMIT, joins, other sources
SELECT check_engine('SELECT g, string_agg(s, '','' ORDER BY id), count(*), sum(i8), avg(f), count(DISTINCT i4), sum(DISTINCT i2), percentile_disc(0.5) WITHIN GROUP (ORDER BY i4), mode() WITHIN GROUP (ORDER BY i4), min(s COLLATE "C"), array_agg(i4 ORDER BY i4) FROM many_ordered WHERE g <> 300 GROUP BY g');
SELECT check_engine('SELECT g, string_agg(s, '','' ORDER BY id) FROM many_ordered GROUP BY g HAVING count(*) > 124'), check_engine('SELECT g FROM many_ordered GROUP BY g HAVING (array_agg(i4 ORDER BY id))[1] < 0');
SELECT check_engine('SELECT g, string_agg(s, '','' ORDER BY id) AS x FROM many_ordered GROUP BY g ORDER BY x DESC, 1 LIMIT 5'), check_engine('SELECT g, (array_agg(s ORDER BY id))[1] FROM many_ordered GROUP BY g ORDER BY sum(i8) DESC, g LIMIT 3');
SELECT check_query('SELECT x.g % 10, string_agg(y.s, '','' ORDER BY x.id), array_agg(x.d ORDER BY y.s, x.id) FROM many_ordered x JOIN many_ordered y ON x.g = y.id WHERE y.id > 3 GROUP BY 1');
SELECT check_query('SELECT i % 10, string_agg(chr(65 + i % 26), '''' ORDER BY i), array_agg(i % 13 ORDER BY i DESC) FROM generate_series(1, 5000) i GROUP BY 1');
SELECT check_query('SELECT g, o.x FROM many_ordered y, LATERAL (SELECT string_agg(s, '','' ORDER BY id) FROM many_ordered z WHERE z.g = y.g % 3) o (x) WHERE y.id < 20');
SELECT check_query('SELECT g, string_agg(n::text, '','' ORDER BY id), string_agg(to_char(d, ''YYYY-MM''), '','' ORDER BY d, id), array_agg(upper(s) ORDER BY reverse(s), id) FROM many_ordered GROUP BY g');
PREPARE ordered(text) AS SELECT string_agg(t, $1 ORDER BY id) FROM few_ordered WHERE g = 4;
EXECUTE ordered('; ');
SET plan_cache_mode = force_generic_plan;
EXECUTE ordered('');
EXECUTE ordered(NULL);
RESET plan_cache_mode;
DEALLOCATE ordered;
BEGIN;
DECLARE ordered SCROLL CURSOR FOR SELECT g, string_agg(t, ',' ORDER BY id) FROM few_ordered WHERE g < 4 GROUP BY g ORDER BY g;
FETCH 3 FROM ordered;
FETCH BACKWARD 2 FROM ordered;
COMMIT;

-- a user's own aggregates: strict and not, states by reference, initial values, without a final function
CREATE FUNCTION last_one(text, text) RETURNS text LANGUAGE sql IMMUTABLE STRICT AS 'SELECT $2';
CREATE FUNCTION between_bars(text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RETURN '|' || coalesce($1, 'nothing') || '|'; END $$;
CREATE FUNCTION not_seven(int, int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN IF $2 = 7 THEN RAISE 'seven'; END IF; RETURN (coalesce($1, 0) * 2 + coalesce($2, 1)) % 1000003; END $$;
CREATE AGGREGATE last_text(text) (SFUNC = last_one, STYPE = text);
CREATE AGGREGATE barred(text) (SFUNC = textcat, STYPE = text, INITCOND = '>', FINALFUNC = between_bars);
CREATE AGGREGATE appended(anycompatible) (SFUNC = array_append, STYPE = anycompatiblearray, INITCOND = '{}');
CREATE AGGREGATE sevens(int) (SFUNC = not_seven, STYPE = int);
SELECT g, last_text(t ORDER BY id), barred(t ORDER BY id), appended(v ORDER BY id), sevens(v ORDER BY id) FILTER (WHERE v <> 7 OR v IS NULL) FROM few_ordered GROUP BY g ORDER BY g;
SELECT check_engine('SELECT g, last_text(s ORDER BY id), barred(vs ORDER BY id DESC), appended(i4 ORDER BY id), sevens(i4 % 7 ORDER BY id DESC), last_text(DISTINCT s ORDER BY s), appended(DISTINCT w) FROM many_ordered GROUP BY g');
CREATE AGGREGATE barred_too(text) (SFUNC = textcat, STYPE = text, INITCOND = '>');
SELECT is_taken('SELECT g, barred(t ORDER BY id), barred_too(t ORDER BY id) FROM few_ordered GROUP BY g'), is_taken('SELECT g, barred(t ORDER BY id), barred_too(t ORDER BY v) FROM few_ordered GROUP BY g');
SELECT g, sevens(v ORDER BY id) FROM few_ordered GROUP BY g HAVING g < 2 AND count(*) > 10;
SELECT g, sevens(v ORDER BY id) FROM few_ordered GROUP BY g HAVING count(*) > 10;

-- aggregates that give the same in any order
SELECT check_engine('SELECT g, sum(i4 ORDER BY id), count(s ORDER BY s), avg(n ORDER BY u), min(d ORDER BY id DESC), max(s COLLATE "C" ORDER BY l), bool_and(b ORDER BY id), sum(DISTINCT i2 ORDER BY i2 DESC), regr_count(i4, i2 ORDER BY id), sum(f ORDER BY id), variance(i4 ORDER BY w), bit_or(i4 ORDER BY i4) FILTER (WHERE b) FROM many_ordered GROUP BY g');
SELECT check_engine('SELECT g, sum(i4 ORDER BY 10 / (i2 + 151)), count(*) FROM many_ordered GROUP BY g'), check_fallback('SELECT g, sum(i4 ORDER BY 10 / (i2 + 150)) FROM many_ordered GROUP BY g');
SELECT check_engine('SELECT g, sum(i4 ORDER BY 10 / (i2 + 150)) FILTER (WHERE i2 > -150) FROM many_ordered GROUP BY g');

-- what is taken, and what PostgreSQL makes
SELECT q AS query, is_taken(format('SELECT g, %s FROM many_ordered GROUP BY g', q))
FROM unnest('{"string_agg(s, '','')", "array_agg(ARRAY[i4] ORDER BY id)", "json_agg(many_ordered ORDER BY id)", "string_agg(s, '','' ORDER BY random())", "string_agg(s, '','' ORDER BY id), array_agg(id)", "array_agg(i4 ORDER BY i4 USING <)", "array_agg(DISTINCT f)", "array_agg(DISTINCT iv)", "string_agg(DISTINCT s COLLATE ordered_loosely, '','')"}'::text[]) q;

-- errors are PostgreSQL's, of rows that FILTER lets pass; the engine fails; values are long
SELECT check_fallback('SELECT g, array_agg(100 / (i2 + 3) ORDER BY id) FROM many_ordered GROUP BY g'), check_fallback('SELECT g, string_agg(s, '','' ORDER BY 100 / (i2 + 3)) FROM many_ordered GROUP BY g');
SELECT check_engine('SELECT g, array_agg(100 / (i2 + 3) ORDER BY id) FILTER (WHERE i2 <> -3) FROM many_ordered GROUP BY g');
SELECT check_join('SELECT g, string_agg(s, '','' ORDER BY id), array_agg(DISTINCT vs) FROM many_ordered GROUP BY g');
CREATE TABLE long_ordered AS SELECT i % 3 AS g, i, repeat(md5(i::text), i * 5) AS l FROM generate_series(1, 50) i;
ALTER TABLE long_ordered ALTER l SET STORAGE EXTERNAL;
INSERT INTO long_ordered SELECT i % 3, i, repeat(md5(i::text), i) FROM generate_series(200, 230) i;
SELECT check_engine('SELECT g, md5(string_agg(l, '','' ORDER BY i)), md5(string_agg(l, '','' ORDER BY l)) FROM long_ordered GROUP BY g');
INSERT INTO long_ordered VALUES (1, 300, repeat('long', 3000));
SELECT check_fallback('SELECT g, md5(string_agg(l, '','' ORDER BY i)) FROM long_ordered GROUP BY g');

-- percentiles and modes of types that have no order by numbers
SELECT mode() WITHIN GROUP (ORDER BY t), percentile_disc(0.5) WITHIN GROUP (ORDER BY t) FROM few_ordered WHERE id < 0;
SELECT g, mode() WITHIN GROUP (ORDER BY t COLLATE "C"), percentile_disc(0.5) WITHIN GROUP (ORDER BY t COLLATE "C"), percentile_disc(0) WITHIN GROUP (ORDER BY t COLLATE "C" DESC), percentile_disc(1) WITHIN GROUP (ORDER BY t COLLATE "C" DESC NULLS LAST) FROM few_ordered GROUP BY g ORDER BY g;
SELECT check_engine('SELECT mode() WITHIN GROUP (ORDER BY t), percentile_disc(0.5) WITHIN GROUP (ORDER BY t) FROM few_ordered WHERE id < 0');
SELECT c, check_engine(format('SELECT g, percentile_disc(0.4) WITHIN GROUP (ORDER BY %1$s), percentile_disc(0) WITHIN GROUP (ORDER BY %1$s DESC), percentile_disc(1) WITHIN GROUP (ORDER BY %1$s), mode() WITHIN GROUP (ORDER BY %1$s), mode() WITHIN GROUP (ORDER BY %1$s DESC NULLS LAST), percentile_disc(0.5) WITHIN GROUP (ORDER BY %1$s NULLS FIRST) FILTER (WHERE id %% 3 = 0), string_agg(s, '','' ORDER BY id) FROM many_ordered GROUP BY g', c))
FROM unnest('{s,vs,u,y,a,w,o,q,l}'::text[]) c;
SELECT check_engine('SELECT id % 5, mode() WITHIN GROUP (ORDER BY w), mode() WITHIN GROUP (ORDER BY a DESC), mode() WITHIN GROUP (ORDER BY vs COLLATE "en-x-icu"), percentile_disc(0.3) WITHIN GROUP (ORDER BY vs COLLATE "en-x-icu"), mode() WITHIN GROUP (ORDER BY i4), percentile_cont(0.5) WITHIN GROUP (ORDER BY f) FROM many_ordered GROUP BY 1');
SELECT check_engine('SELECT b, id % 2, mode() WITHIN GROUP (ORDER BY w), percentile_disc(0.3) WITHIN GROUP (ORDER BY vs) FROM many_ordered GROUP BY CUBE (1, 2)');
SELECT g, percentile_disc(ARRAY[[0.5, NULL], [1, 0]]) WITHIN GROUP (ORDER BY t COLLATE "C"), percentile_disc('[3:4]={0.2,0.2}'::float8[]) WITHIN GROUP (ORDER BY t COLLATE "C" DESC), percentile_disc(ARRAY[0.5]) WITHIN GROUP (ORDER BY t) FILTER (WHERE id < 0) FROM few_ordered GROUP BY g ORDER BY g;
SELECT c, check_engine(format('SELECT g, percentile_disc(ARRAY[0.4, 1, 0, NULL, 0.4]) WITHIN GROUP (ORDER BY %1$s), percentile_disc(ARRAY[[0.9, 0.1]]) WITHIN GROUP (ORDER BY %1$s DESC) FILTER (WHERE id %% 3 = 0), percentile_disc(0.4) WITHIN GROUP (ORDER BY %1$s) FROM many_ordered GROUP BY g', c))
FROM unnest('{s,vs,u,y,a,w,o,q,l}'::text[]) c;
SELECT check_engine('SELECT percentile_disc(ARRAY[0.5, 0.1]) WITHIN GROUP (ORDER BY t) FROM few_ordered WHERE id < 0'), check_engine('SELECT b, id % 2, percentile_disc(ARRAY[0.3, 0.6]) WITHIN GROUP (ORDER BY vs) FROM many_ordered GROUP BY CUBE (1, 2)');
CREATE DOMAIN short_ordered AS text CHECK (length(VALUE) < 1000);
SELECT pg_typeof(percentile_disc(ARRAY[0.5]) WITHIN GROUP (ORDER BY s::short_ordered)), pg_typeof(percentile_disc(ARRAY[0.5]) WITHIN GROUP (ORDER BY vs)) FROM many_ordered;
DROP DOMAIN short_ordered;
SELECT check_join('SELECT g, percentile_disc(ARRAY[0.3, 0.6]) WITHIN GROUP (ORDER BY s) FROM many_ordered GROUP BY g');
SELECT q, (SELECT reason FROM gpuagg_explain(format('SELECT %s WITHIN GROUP (ORDER BY %s) FROM many_ordered GROUP BY g', split_part(q, ' ', 1), substr(q, strpos(q, ' ') + 1))))
FROM unnest('{mode() iv,mode() s COLLATE ordered_loosely,percentile_disc(NULL::float8) s,mode() c,percentile_disc(1.1) s,percentile_disc(g/100.0) s,"percentile_disc(''{NULL}''::float8[]) s","percentile_disc(''{0.5,1.5}''::float8[]) s","percentile_disc(''{}''::float8[]) s","mode() ''x''::text",percentile_cont(0.5) iv}'::text[]) q;

-- more than the memory: lists go into a file, and come back by parts, and one by one
SET work_mem = '64kB';
SELECT check_engine('SELECT id % 3000, string_agg(s, '','' ORDER BY id), array_agg(u ORDER BY id), count(*) FROM many_ordered GROUP BY 1');
SELECT check_engine('SELECT g, string_agg(s, '','' ORDER BY id), array_agg(i4 ORDER BY i4), max(d), array_agg(l ORDER BY d, id) FROM many_ordered GROUP BY g');
SELECT check_engine('SELECT string_agg(s, '','' ORDER BY id), array_agg(DISTINCT l), sum(DISTINCT i4) FROM many_ordered');
SELECT check_engine('SELECT b, string_agg(l, '','' ORDER BY id DESC) FROM many_ordered GROUP BY b');
SELECT check_engine('SELECT g, md5(string_agg(l, '','' ORDER BY i)) FROM long_ordered WHERE i < 300 GROUP BY g');

-- groups whose rows are more than the memory: they stay in the file, and are sorted in another one
CREATE FUNCTION memory_of(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	plan jsonb;
BEGIN
	PERFORM let_engine_answer();
	EXECUTE 'EXPLAIN (ANALYZE, FORMAT JSON) ' || query INTO plan;
	plan := jsonb_path_query_first(plan, '$.**?(@."Custom Plan Provider" == "GpuAgg")');
	RETURN format('%s ordered values, %s of disk, memory %s', plan ->> 'Ordered Values',
				  CASE WHEN (plan ->> 'Disk Usage')::int > 0 THEN 'some' ELSE 'no' END,
				  CASE WHEN (plan ->> 'Peak Memory Usage')::int < 1000 THEN 'small' ELSE plan ->> 'Peak Memory Usage' END);
END $$;
SELECT memory_of('SELECT md5(string_agg(l, '','' ORDER BY d, id)) FROM many_ordered'), memory_of('SELECT b, md5(string_agg(l, '','' ORDER BY d, id)) FROM many_ordered GROUP BY b');
SET hash_mem_multiplier = 1;
SELECT c, check_engine(format('SELECT array_agg(id ORDER BY %1$s DESC, id), string_agg(s, ''-'' ORDER BY %1$s NULLS FIRST, id DESC), array_agg(%1$s ORDER BY id) FROM many_ordered', c))
FROM unnest('{b,i2,i4,i8,d,ts,tz,tm,m,f,f4,n,s,vs,c,u,y,a,w,o,q,iv,l}'::text[]) c;
SELECT c, check_query(format('SELECT array_agg(DISTINCT %1$s), json_agg(DISTINCT %1$s ORDER BY %1$s DESC), count(*) FROM many_ordered WHERE g <> 300', c))
FROM unnest('{n,s,vs,u,y,a,w,q,o,l}'::text[]) c;
SELECT check_engine('SELECT b, array_agg(s ORDER BY s COLLATE "C", id), array_agg(s ORDER BY s COLLATE "en-x-icu" DESC, id), string_agg(DISTINCT vs, '',''), barred(vs ORDER BY id DESC), appended(i4 ORDER BY id), last_text(DISTINCT s ORDER BY s) FROM many_ordered GROUP BY b');
SELECT check_engine('SELECT length(string_agg(s, '','' ORDER BY ''x''::text)), string_agg(DISTINCT ''x'', '',''), string_agg(''x'', '','' ORDER BY id), array_agg(1 ORDER BY id) FROM many_ordered');
SELECT check_engine('SELECT string_agg(s, '','' ORDER BY id) FILTER (WHERE b), array_agg(id ORDER BY id DESC) FILTER (WHERE i2 IS NULL), string_agg(s, '','' ORDER BY id) FILTER (WHERE id < 0), percentile_disc(0.3) WITHIN GROUP (ORDER BY i4), array_agg(DISTINCT i4), max(s COLLATE "C") FROM many_ordered');
SELECT check_engine('SELECT CASE WHEN id < 9000 THEN 1 ELSE id END, string_agg(s, '','' ORDER BY id), count(*) FROM many_ordered GROUP BY 1');
SELECT c, check_engine(format('SELECT b, percentile_disc(0.4) WITHIN GROUP (ORDER BY %1$s), percentile_disc(1) WITHIN GROUP (ORDER BY %1$s DESC NULLS LAST), percentile_disc(ARRAY[0.7, 0.1]) WITHIN GROUP (ORDER BY %1$s), mode() WITHIN GROUP (ORDER BY %1$s), mode() WITHIN GROUP (ORDER BY %1$s DESC) FROM many_ordered GROUP BY b', c))
FROM unnest('{s,vs,u,a,w,q}'::text[]) c;
SELECT check_engine('SELECT b, string_agg(s, '','' ORDER BY id) FROM many_ordered GROUP BY b HAVING count(*) > 500'), check_engine('SELECT b FROM many_ordered GROUP BY b HAVING (array_agg(i4 ORDER BY id DESC))[1] IS NULL');
BEGIN;
DECLARE ordered SCROLL CURSOR FOR SELECT b, md5(string_agg(s, ',' ORDER BY id)) = (SELECT md5(string_agg(s, ',' ORDER BY id)) FROM many_ordered y WHERE y.b IS NOT DISTINCT FROM x.b) FROM many_ordered x GROUP BY b ORDER BY b;
FETCH 3 FROM ordered;
FETCH BACKWARD 2 FROM ordered;
COMMIT;
SET gpuagg.verify = 1;
SELECT check_engine('SELECT b, string_agg(s, '','' ORDER BY id), array_agg(i4 ORDER BY i4) FROM many_ordered GROUP BY b');
RESET gpuagg.verify;

-- by several processes
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
ALTER TABLE many_ordered SET (parallel_workers = 2);
SELECT check_engine('SELECT g, string_agg(s, '','' ORDER BY id), array_agg(l ORDER BY d, id), percentile_disc(0.3) WITHIN GROUP (ORDER BY i4), max(s COLLATE "C") FROM many_ordered GROUP BY g');
SELECT check_engine('SELECT string_agg(s, '','' ORDER BY id), array_agg(DISTINCT l) FROM many_ordered');
SELECT check_engine('SELECT b, string_agg(s, '','' ORDER BY id), array_agg(DISTINCT l), array_agg(i4 ORDER BY i4 DESC) FROM many_ordered GROUP BY b');
SELECT check_engine('SELECT CASE WHEN id < 9000 THEN id % 9 ELSE id END, string_agg(s, '','' ORDER BY id), array_agg(i4 ORDER BY i4), mode() WITHIN GROUP (ORDER BY i4) FROM many_ordered GROUP BY 1');
RESET hash_mem_multiplier;
RESET work_mem;
SELECT check_engine('SELECT g, string_agg(s, '','' ORDER BY id), array_agg(l ORDER BY d, id), percentile_disc(0.3) WITHIN GROUP (ORDER BY i4), max(s COLLATE "C") FROM many_ordered GROUP BY g');
SELECT check_engine('SELECT id, string_agg(s, '','' ORDER BY id) FROM many_ordered GROUP BY id');
SELECT check_engine('SELECT g, mode() WITHIN GROUP (ORDER BY vs), percentile_disc(0.5) WITHIN GROUP (ORDER BY s) FROM many_ordered GROUP BY g');
SELECT check_engine('SELECT string_agg(s, '','' ORDER BY id), array_agg(DISTINCT l) FROM many_ordered');
RESET max_parallel_workers_per_gather;
RESET min_parallel_table_scan_size;
RESET parallel_tuple_cost;
RESET parallel_setup_cost;

RESET gpuagg.engine;
DROP AGGREGATE last_text(text);
DROP AGGREGATE barred(text);
DROP AGGREGATE barred_too(text);
DROP AGGREGATE appended(anycompatible);
DROP AGGREGATE sevens(int);
DROP FUNCTION last_one, between_bars, not_seven, memory_of;
DROP TABLE few_ordered, many_ordered, long_ordered;
DROP TYPE weather;
DROP COLLATION ordered_loosely;
