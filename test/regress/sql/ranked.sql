--
-- The least and the greatest text in an order that is not that of the bytes.
--
CREATE COLLATION ranked_icu (provider = icu, locale = 'de-u-co-phonebk');
CREATE COLLATION ranked_equal (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TABLE ranked (id int NOT NULL, g int, s text COLLATE ranked_icu, v varchar(20) COLLATE ranked_icu, c char(6) COLLATE ranked_icu, e text COLLATE ranked_equal, t text COLLATE "C", n int);
INSERT INTO ranked SELECT i, i % 7, CASE WHEN i % 13 <> 0 THEN (ARRAY['a', 'B', 'ä', 'Z', 'Ae', 'Å', 'ß', 'ss', ' x', '', '10', '9'])[1 + i / 7 % (i % 7 + 2) + i % 7 % 6] || i % 30 END,
	chr(65 + i / 7 % (20 - i % 7)) || chr(97 + i % 11), (ARRAY['x', 'Y', 'ö'])[1 + i % 3], (ARRAY['x', 'X', 'y'])[1 + i % 3], chr(65 + i % 40), nullif(i % 5, 0) FROM generate_series(1, 20000) i;
CREATE TABLE ranked_names (g int PRIMARY KEY, name text COLLATE ranked_icu);
INSERT INTO ranked_names VALUES (0, 'b'), (1, 'A'), (2, 'ä'), (3, NULL), (4, 'C'), (5, 'Ab');
VACUUM ANALYZE ranked, ranked_names;
SET gpuagg.mode = force;

SELECT check_join('SELECT g, min(s), max(s), count(*) FROM ranked GROUP BY 1');
SELECT check_join('SELECT min(s), max(v), min(t), max(lower(s)) FROM ranked');
SELECT check_join('SELECT g, min(s || v), max(upper(v)), min(left(s, 1)) FROM ranked GROUP BY 1');
SELECT check_join('SELECT g, max(s) FILTER (WHERE id % 5 = 0), min(s) FILTER (WHERE s > ''b''), min(DISTINCT s), max(coalesce(s, v)) FROM ranked GROUP BY 1');
SELECT check_join('SELECT s, max(v), min(v) FROM ranked WHERE s < ''c'' GROUP BY 1');
SELECT check_join('SELECT g, v, max(s), count(DISTINCT id % 4) FROM ranked GROUP BY GROUPING SETS ((1), (2), ())');
SELECT check_join('SELECT g, max(s) FROM ranked GROUP BY 1 HAVING max(s) > ''z1''');
SELECT check_join('SELECT max(s) FROM ranked WHERE id < 0');
SELECT check_join('SELECT g, max(s COLLATE "en-x-icu"), max(s COLLATE "C"), max(t COLLATE ranked_icu) FROM ranked GROUP BY 1');
-- beside what is computed of the column and another one, which can be NULL
SELECT check_join('SELECT left(md5(n || s), 1), min(s), max(v) FROM ranked GROUP BY 1');
-- in the order of the greatest texts, first ones only
SELECT g, max(s), min(v) FROM ranked GROUP BY g ORDER BY max(s) DESC, min(v), g LIMIT 3;
SELECT g, max(s) FROM ranked GROUP BY g ORDER BY max(s) COLLATE "C", g LIMIT 3;
-- of what is joined
SELECT check_join('SELECT id % 3, min(name), max(name), count(name) FROM ranked JOIN ranked_names USING (g) GROUP BY 1');
SELECT check_join('SELECT id % 3, min(name), max(s), count(*) FROM ranked LEFT JOIN ranked_names USING (g) GROUP BY 1');
SELECT check_join('SELECT name, min(s), max(lower(name)) FROM ranked JOIN ranked_names USING (g) GROUP BY 1');
-- not of texts that are equal and differ
SELECT q, check_query(q), source(q) FROM unnest(ARRAY[
	'SELECT g, max(e) FROM ranked GROUP BY 1',
	'SELECT g, max(s || random()::text) IS NULL FROM ranked GROUP BY 1']) q;

SET gpuagg.mode = auto;
SET gpuagg.engine = cpu;
SET max_parallel_workers_per_gather = 0;
CREATE TABLE ranked_many AS SELECT id, g, s, v FROM ranked, generate_series(1, 20);
ANALYZE ranked_many;
EXPLAIN (COSTS OFF) SELECT g, max(s), min(lower(v)) FROM ranked_many GROUP BY 1;
DROP TABLE ranked_many;
-- of few rows, whose look-ups have brought the pages into memory
CREATE TABLE ranked_wide AS SELECT id, g, s, v, repeat('x', 200) AS t FROM ranked, generate_series(1, 3);
ANALYZE ranked_wide;
EXPLAIN (COSTS OFF) SELECT g, max(s), min(v) FROM ranked_wide WHERE id = 7 AND s <> '' GROUP BY 1;
DROP TABLE ranked_wide;
-- a look-up that the session keeps has the ranks of one collation
CREATE COLLATION ranked_shifted (provider = icu, locale = 'und-u-ka-shifted');
CREATE TABLE ranked_twice AS SELECT t FROM unnest(ARRAY['-b', '{}', 'z']) t, generate_series(1, 50);
VACUUM ANALYZE ranked_twice;
SET gpuagg.mode = force;
SELECT min(t COLLATE ranked_shifted) FROM ranked_twice;
SELECT min(t COLLATE "en-x-icu") FROM ranked_twice;
DROP TABLE ranked_twice;
DROP COLLATION ranked_shifted;
RESET max_parallel_workers_per_gather;
RESET gpuagg.engine;
DROP TABLE ranked, ranked_names;
DROP COLLATION ranked_icu;
DROP COLLATION ranked_equal;
