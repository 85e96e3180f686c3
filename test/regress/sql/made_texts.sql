--
-- Texts that the CPU engine makes of others, and of integers, of more values than PostgreSQL would compute one by one.
--
CREATE TABLE made_texts (id int NOT NULL, s text COLLATE "C", v varchar(40) COLLATE "C", c char(8), i2 smallint, i4 int, i8 bigint, word text, code varchar(20));
INSERT INTO made_texts SELECT i, CASE WHEN i % 11 > 0 THEN 'User ' || i || ' Ünïcode€𝄞' END, CASE WHEN i % 13 > 0 THEN 'Aa-' || i * 7 END, 'c' || i % 100,
	i % 65536 - 32768, (i * bigint '429000' - 2147483648)::int, (i * numeric '1844000000000000' - 9223372036854775807)::bigint, (ARRAY['ab', 'aab', '', 'aaab', 'ß'])[1 + i % 5] || i, CASE WHEN i % 17 > 0 THEN 'Aa_' || i * 7 END
FROM generate_series(1, 10000) i;
INSERT INTO made_texts VALUES (0, '', '', '', 0, 0, 0, ''), (-1, repeat('Longer than a page: ', 3000), 'x', 'x', -32768, -2147483648, '-9223372036854775808', 'a'),
	(-2, E'\u00df\u20ac', E'\u00e9', NULL, 32767, 2147483647, '9223372036854775807', NULL);
VACUUM ANALYZE made_texts;

-- devices have no memory for them
SET gpuagg.engine = cpu;
SET gpuagg.mode = force;
SELECT x, check_query(query), source(query)
FROM unnest(ARRAY['s || v', 's || ''-'' || i4', 'i2::text', 'i4::text', 'i8::text', 'i8::varchar', 'lower(s)', 'upper(v)', 'lower(upper(s) || v)', 'reverse(s)', 'reverse(v || s)',
	'replace(s, ''User'', ''somebody else'')', 'replace(word, ''aa'', ''b'')', 'replace(word, '''', ''b'')', 'replace(s, ''€'', '''')', 'replace(word, ''a'', ''aa'')', 'lpad(i4::text, 12, ''0'')', 'rpad(s, 9)', 'lpad(s, 20, ''€x'')', 'rpad(v || s, 1000, ''ab€'')', 'lpad(word, -1, ''x'')', 'lpad(word, 7, '''')', 'repeat(word, 3)', 'repeat(s || v, -1)', 'length(lpad(s, 7) || c)', 'c || s', 'left(lower(s), 8) || right(v, 3)',
	'split_part(s || ''@'' || v, ''@'', 2)', '(i4 || '''')::int', 'coalesce(s || v, ''none'')', 'CASE WHEN id % 2 = 0 THEN s ELSE upper(s) END', 'id || '':'' || length(s || v)']) x,
	format('SELECT %s, count(*), sum(i4) FROM made_texts GROUP BY 1', x) query;
SELECT q, check_query(q), source(q)
FROM unnest(ARRAY['SELECT count(*) FROM made_texts WHERE s || v LIKE ''%1%9'' AND id > 5', 'SELECT id % 7, min(lower(s) || i8), max(reverse(v)), count(DISTINCT word || c) FROM made_texts GROUP BY 1',
	'SELECT count(*) FILTER (WHERE upper(v) > ''AA-4'' || s), sum(length(replace(s, ''U'', ''uu''))) FROM made_texts WHERE i8::text <> ''0''',
	'SELECT DISTINCT v || word FROM made_texts', 'SELECT s || v AS x, grouping(s || v), count(*) FROM made_texts GROUP BY ROLLUP (1)',
	'SELECT v || word AS x, count(*) FROM made_texts GROUP BY 1 HAVING count(*) < 2 ORDER BY x DESC LIMIT 5',
	'SELECT t.s || u.v, count(*) FROM made_texts t JOIN made_texts u ON u.id = t.i2 GROUP BY 1']) q;
-- what has few distinct values is computed of these, in any engine
SELECT source('SELECT lower(c), count(*) FROM made_texts GROUP BY 1'), source('SELECT lower(left(v, 4)), count(*) FROM made_texts GROUP BY 1');
-- cases, and ILIKE: in the collation C, and of ASCII's characters in others
SELECT x, check_query(query), source(query)
FROM unnest(ARRAY['lower(code COLLATE "en-x-icu")', 'upper(code COLLATE "en-x-icu") || i4', 'code COLLATE "en-x-icu" ILIKE ''aA\_1%''', 's ILIKE ''uSeR _1%''', 's NOT ILIKE ''user%€%''', 's ILIKE ''user 1\_%'' OR s IS NULL']) x,
	format('SELECT %s, count(*), sum(i4) FROM made_texts GROUP BY 1', x) query;
SELECT q, check_query(q), source(q)
FROM unnest(ARRAY['SELECT count(*), min(i4) FROM made_texts WHERE code COLLATE "en-x-icu" ILIKE ''%1_7''', 'SELECT count(*) FROM made_texts WHERE lower(code COLLATE "en-x-icu") = ''aa_7007'' OR s ILIKE ''%99''',
	'SELECT count(*) FILTER (WHERE s NOT ILIKE ''%Ünï%'') FROM made_texts']) q;
-- left to PostgreSQL: cases of a language that has others for ASCII's letters, texts that are replaced by such that rows have
SELECT source('SELECT lower(code COLLATE "tr-x-icu"), count(*) FROM made_texts GROUP BY 1'), source('SELECT count(*) FROM made_texts WHERE code COLLATE "tr-x-icu" ILIKE ''aa%''');
SELECT source('SELECT lower(s COLLATE "en-x-icu"), count(*) FROM made_texts GROUP BY 1'), source('SELECT replace(s, v, ''''), count(*) FROM made_texts GROUP BY 1'), source('SELECT lpad(s, i4, ''x''), count(*) FROM made_texts GROUP BY 1'), source('SELECT repeat(s, 1001), count(*) FROM made_texts GROUP BY 1');
RESET gpuagg.mode;
-- what auto does
SELECT source('SELECT s || v, count(*) FROM made_texts GROUP BY 1');
RESET gpuagg.engine;
DROP TABLE made_texts;
