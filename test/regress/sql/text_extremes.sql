--
-- min and max of texts.
--
SELECT check_engine('SELECT b, min(t), max(t), min(vc), max(vc), min(ch), max(ch), min(t COLLATE "C"), max(t) FILTER (WHERE i4 > 0), count(t) FROM facts GROUP BY b'),
	check_engine('SELECT k, min(t), max(vc), min(ch), max(ch), max(left(t, 2)), min(CASE WHEN i4 > 0 THEN t ELSE vc END) FROM facts GROUP BY k'),
	check_engine('SELECT t, min(t), max(vc) FROM facts GROUP BY t'), check_engine('SELECT min(t), max(t), max(ch) FROM facts'), check_engine('SELECT min(t), max(ch) FROM facts WHERE id < 0'),
	check_engine('SELECT b, max(t) FROM facts GROUP BY b HAVING min(vc) < ''v2'' AND max(ch) > ''a'''), check_engine('SELECT max(u::text) FROM facts') AS child;

-- bytes, not characters; blanks; lengths that grow and shrink
CREATE TABLE spellings (id int, k int, t text, c char(5), long text);
INSERT INTO spellings SELECT i, i % 3000, chr(1 + i * 7919 % 1000) || chr(32 + i % 95) || repeat(chr(9 + i % 30), i % 3), (ARRAY['a', E'a\t', 'a ', E'a\t ', '', ' ', 'é', 'b'])[1 + i % 8],
	CASE WHEN i % 100 > 0 THEN repeat(chr(97 + i * 31 % 26), i * 17 % 700) END FROM generate_series(1, 20000) i;
SELECT check_engine('SELECT k, min(t), max(t), min(c), max(c), min(long), max(long), length(max(c)), min(id) FROM spellings GROUP BY k'),
	check_engine('SELECT k % 2, min(t), max(t), min(c), max(c), min(long), max(long) FROM spellings GROUP BY 1'), check_engine('SELECT id, max(long), min(c) FROM spellings GROUP BY id'),
	check_engine('SELECT min(t), max(t), min(c), max(c), min(long), max(long) FROM spellings'), check_engine('SELECT c, long, max(t) FROM spellings GROUP BY c, long');
SELECT c || '|' AS c, min(c) || '|' AS min, max(c::text) || '|' AS max FROM spellings WHERE c IN ('a', '') GROUP BY 1 ORDER BY 1;
SELECT check_query('SELECT a.k, max(a.t), min(b.long) FROM spellings a JOIN spellings b ON a.id = b.id WHERE b.k < 100 GROUP BY 1'), check_query('SELECT max(t), count(DISTINCT k) FROM spellings');

-- long values, compressed or stored out of line
CREATE TABLE documents (id int, t text);
INSERT INTO documents SELECT i, repeat(md5(i::text), 100 * i) FROM generate_series(1, 20) i;
SELECT check_engine('SELECT id % 3, max(t), min(t) FROM documents GROUP BY 1'), check_query('SELECT max(t || '''') FROM documents');

-- one plan, many executions; a cursor; a limit of memory
PREPARE extremes(int) AS SELECT k % 3, min(t), max(long) = repeat('z', length(max(long))) FROM spellings WHERE id > $1 GROUP BY 1 ORDER BY 1;
SET plan_cache_mode = force_generic_plan;
EXECUTE extremes(19990);
EXECUTE extremes(19998);
EXECUTE extremes(20000);
SET gpuagg.mode = off;
EXECUTE extremes(19990);
RESET gpuagg.mode;
RESET plan_cache_mode;
SELECT a.n, s.* FROM (VALUES (1), (2), (3)) a (n), LATERAL (SELECT max(c) AS c, count(*) AS rows FROM spellings WHERE k = a.n) s ORDER BY 1;
BEGIN;
DECLARE c CURSOR FOR SELECT k, max(c), min(c) FROM spellings WHERE id < 7 GROUP BY k ORDER BY k;
FETCH 3 FROM c;
FETCH 10 FROM c;
COMMIT;
CREATE TABLE long_spellings AS SELECT i AS id, repeat(chr(97 + i % 26), 1000) || i AS t FROM generate_series(1, 6000) i;
SET gpuagg.memory_limit = '4MB';
SET gpuagg.engine = cpu;
SELECT check_query('SELECT id, max(t) FROM long_spellings GROUP BY id');
RESET gpuagg.engine;
RESET gpuagg.memory_limit;
SELECT check_engine('SELECT id, max(t) FROM long_spellings GROUP BY id');

-- whatever the strategy; grouping sets, of which rows come twice
SELECT s, set_config('gpuagg.strategy', s, true) IS NULL AS n, check_engine('SELECT k % 40, min(t), max(c), count(*), max(long), min(id) FILTER (WHERE k > 9) FROM spellings GROUP BY 1')
FROM unnest(ARRAY['atomic', 'block', 'peers', 'scan', 'vote']) s;
SELECT check_query('SELECT k % 7, c, min(t), max(long), count(*) FROM spellings GROUP BY ROLLUP (1, 2)'), check_query('SELECT k % 7, count(DISTINCT c), max(c), min(long) FROM spellings GROUP BY 1');

-- what is not compared by bytes, or has no fixed length
CREATE COLLATION by_language (provider = icu, locale = 'en');
SET gpuagg.report_rejections = on;
SELECT max(coalesce(t, '') COLLATE by_language) FROM facts WHERE id < 0;
SELECT min(t::bpchar) FROM facts WHERE id < 0;
RESET gpuagg.report_rejections;
