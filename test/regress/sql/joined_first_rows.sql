--
-- The first rows of a table that others are joined to: of all, and of each group.  Orders end in a
-- column without repeats, but where only what is determined is selected.
--
\set VERBOSITY terse
CREATE TABLE joined_rows (id int PRIMARY KEY, v int, note text) WITH (fillfactor = 50);
INSERT INTO joined_rows SELECT i, i * 7919 % 1000003, 'n' || i FROM generate_series(1, 3000) i;
CREATE TABLE joined_parts (id int, v int, note text) PARTITION BY RANGE (id);
CREATE TABLE joined_parts_1 PARTITION OF joined_parts FOR VALUES FROM (0) TO (1000);
CREATE TABLE joined_parts_2 PARTITION OF joined_parts FOR VALUES FROM (1000) TO (3001);
INSERT INTO joined_parts SELECT * FROM joined_rows;
ANALYZE joined_rows, joined_parts;

-- rows of a table that others are joined to
CREATE TABLE joined_kinds (k int PRIMARY KEY, name text, area int, big numeric);
INSERT INTO joined_kinds SELECT i, 'kind ' || i % 7, CASE WHEN i % 4 > 0 THEN i % 5 END, i * 1e20 FROM generate_series(0, 40) i;
CREATE TABLE joined_tags (k int, tag text);
INSERT INTO joined_tags SELECT i % 41, 't' || i FROM generate_series(1, 100) i;
ANALYZE joined_kinds, joined_tags;
SELECT check_engine('SELECT id, v, note FROM joined_rows JOIN joined_kinds k ON id % 50 = k.k WHERE area = 3 ORDER BY v DESC, id LIMIT 9');
SELECT check_engine('SELECT id FROM joined_rows l WHERE EXISTS (SELECT FROM joined_tags t WHERE t.k = l.id % 50) ORDER BY v DESC, id LIMIT 9');
SELECT check_engine('SELECT DISTINCT ON (v % 10) v % 10 AS m, id FROM joined_rows LEFT JOIN joined_kinds k ON id % 50 = k.k WHERE k.area IS NULL ORDER BY m, v DESC, id');
SELECT check_engine('SELECT * FROM (SELECT id, v, row_number() OVER (PARTITION BY v % 10 ORDER BY v, id) AS n FROM joined_rows JOIN joined_kinds k ON id % 50 = k.k) s WHERE n <= 2');

-- of several tables: the first rows are found before they are joined
SELECT rest, check_engine('SELECT l.*, name, area, big FROM joined_rows l ' || rest)
FROM unnest(ARRAY['JOIN joined_kinds k ON id % 50 = k.k WHERE area = 3 ORDER BY v DESC, id LIMIT 9',
	'JOIN joined_kinds k ON id % 50 = k.k WHERE area = 3 AND v % 2 = 0 ORDER BY v DESC, id LIMIT 5 OFFSET 3',
	'LEFT JOIN joined_kinds k ON id % 50 = k.k AND area < 3 WHERE note LIKE ''%7'' ORDER BY v, id LIMIT 4',
	', joined_kinds k WHERE id % 50 = k.k AND EXISTS (SELECT FROM joined_tags t WHERE t.k = k.k AND tag LIKE ''%5'') ORDER BY v DESC, id LIMIT 6',
	'JOIN (SELECT k AS id, name, area, big FROM joined_kinds) k USING (id) ORDER BY v DESC, l.id LIMIT 6']) rest;
SELECT check_engine('SELECT * FROM (SELECT l.id, k.name FROM joined_rows l JOIN joined_kinds k ON id % 50 = k.k ORDER BY v DESC, id LIMIT 20) s JOIN joined_kinds o ON s.id % 41 = o.k WHERE o.area > 1');
SET plan_cache_mode = force_generic_plan;
PREPARE latest(int) AS SELECT l.id, name FROM joined_rows l JOIN joined_kinds k ON id % 50 = k.k WHERE area = $1 ORDER BY v DESC, id LIMIT 3;
SET gpuagg.mode = force;
EXECUTE latest(2);
EXECUTE latest(NULL);
SET gpuagg.mode = off;
EXECUTE latest(2);
DEALLOCATE latest;
RESET plan_cache_mode;
RESET gpuagg.mode;

-- not so: rows without a place in the table, errors of rows that do not come first, too many
SELECT rest, is_taken('SELECT l.id, name, k.k FROM joined_rows l ' || rest)
FROM unnest(ARRAY['RIGHT JOIN joined_kinds k ON id % 50 = k.k ORDER BY v, id LIMIT 3',
	'FULL JOIN joined_kinds k ON id = k.k ORDER BY v, id LIMIT 3',
	'JOIN joined_kinds k ON id % 50 = k.k ORDER BY v, name, id LIMIT 3',
	'JOIN joined_kinds k ON id % 50 = k.k ORDER BY area, id LIMIT 3',
	'LEFT JOIN joined_kinds k ON id % 50 = k.k ORDER BY v, id FETCH FIRST 4 ROWS WITH TIES',
	'JOIN joined_kinds k ON id % 50 = k.k ORDER BY v, id LIMIT 129',
	'JOIN joined_kinds k ON id % 50 = k.k ORDER BY v, id LIMIT 3 FOR UPDATE']) rest;
SELECT is_taken('SELECT l.id, t.k FROM joined_rows l JOIN joined_tags t ON id % 50 = t.k ORDER BY v DESC, id LIMIT 9');
SELECT is_taken('SELECT l.id, name, 100 / (k.k - 3) AS q FROM joined_rows l JOIN joined_kinds k ON id % 50 = k.k ORDER BY v, id LIMIT 3');
SELECT is_taken('SELECT l.id, name FROM joined_parts l JOIN joined_kinds k ON id % 50 = k.k ORDER BY v, id LIMIT 3');
SELECT is_taken('SELECT l.id, name, random() FROM joined_rows l JOIN joined_kinds k ON id % 50 = k.k ORDER BY v, id LIMIT 3');

-- of each group: those of one table, whatever groups and orders them
SELECT window_by, check_engine(format('SELECT * FROM (SELECT l.id, note, row_number() OVER (%s) AS n FROM joined_rows l LEFT JOIN joined_kinds k ON id %% 50 = k.k) s WHERE n <= 3', window_by))
FROM unnest(ARRAY['PARTITION BY name ORDER BY v DESC, id', 'PARTITION BY area ORDER BY k.k DESC, v', 'PARTITION BY name, area % 2 ORDER BY id',
	'PARTITION BY v % 10 ORDER BY area NULLS FIRST, id', 'ORDER BY area DESC, id']) window_by;

-- of several tables: their places are found before they are joined
SELECT condition, check_engine(format('SELECT * FROM (SELECT l.*, k.*, row_number() OVER (PARTITION BY name ORDER BY v DESC, id) AS n FROM joined_rows l JOIN joined_kinds k ON id %% 50 = k.k) s WHERE %s', condition))
FROM unnest(ARRAY['n = 1', 'n <= 3', '4 > n', 'n BETWEEN 2 AND 5', 'n <= 16', 'n <= 3 AND n <> 2 AND area > 1']) condition;
SELECT function, check_engine(format('SELECT * FROM (SELECT l.id, l.v, k.*, %s() OVER (PARTITION BY area ORDER BY v %% 5000) AS n FROM joined_rows l LEFT JOIN joined_kinds k ON id %% 50 = k.k) s WHERE n <= 3', function))
FROM unnest(ARRAY['rank', 'dense_rank']) function;
SELECT check_engine('SELECT count(*), sum(v), max(name) FROM (SELECT v, name, row_number() OVER (PARTITION BY area ORDER BY v) AS n FROM joined_rows JOIN joined_kinds k ON id % 50 = k.k WHERE note LIKE ''%3%'') s WHERE n < 4');
SELECT check_engine('SELECT DISTINCT ON (area) l.*, k.* FROM joined_rows l JOIN joined_kinds k ON id % 50 = k.k ORDER BY area, v DESC, id');
SELECT check_engine('SELECT DISTINCT ON (name, note LIKE ''%7'') name, note LIKE ''%7'' AS m, l.id, big FROM joined_rows l LEFT JOIN joined_kinds k ON id % 50 = k.k ORDER BY name DESC, m, v, id');

-- a row that is joined to several, which engines do not join
SELECT check_query('SELECT * FROM (SELECT l.id, t.tag, row_number() OVER (PARTITION BY v % 7 ORDER BY v, id, tag) AS n FROM joined_rows l JOIN joined_tags t ON id % 50 = t.k) s WHERE n <= 9') IN ('63 rows', 'NOT TAKEN') AS same;
SELECT count(*), sum(id), max(tag), max(n) FROM (SELECT l.id, t.tag, rank() OVER (PARTITION BY v % 7 ORDER BY v, id) AS n FROM joined_rows l JOIN joined_tags t ON id % 50 = t.k) s WHERE n <= 9;
SET gpuagg.mode = off;
SELECT count(*), sum(id), max(tag), max(n) FROM (SELECT l.id, t.tag, rank() OVER (PARTITION BY v % 7 ORDER BY v, id) AS n FROM joined_rows l JOIN joined_tags t ON id % 50 = t.k) s WHERE n <= 9;
RESET gpuagg.mode;

-- not so: other functions of the window, errors, more rows than engines find
SELECT output, condition, is_taken(format('SELECT * FROM (SELECT l.id, name, %s AS m, row_number() OVER w AS n FROM joined_rows l JOIN joined_kinds k ON id %% 50 = k.k WINDOW w AS (PARTITION BY area ORDER BY v, id)) s WHERE %s', output, condition))
FROM (VALUES ('count(*) OVER w', 'n <= 3'), ('1 / (k.k - 3)', 'n <= 3'), ('random()', 'n <= 3'), ('l.v', 'n <= 129'), ('l.v', 'n > 3'), ('l.v', 'n <= m')) f(output, condition);

-- what copies of a query cannot have: CTEs of queries around it, samples
SELECT check_query('WITH c AS (SELECT k, name FROM joined_kinds) SELECT * FROM (SELECT l.id, c.name FROM joined_rows l JOIN c ON l.id % 50 = c.k ORDER BY l.v DESC, l.id LIMIT 3) s');
SELECT check_query('WITH c AS MATERIALIZED (SELECT k, name FROM joined_kinds) SELECT * FROM (SELECT l.id, c.name, row_number() OVER (PARTITION BY name ORDER BY v, id) AS n FROM joined_rows l JOIN c ON l.id % 50 = c.k) s WHERE n <= 2');
SELECT check_query('WITH c AS (SELECT k, name FROM joined_kinds) SELECT * FROM (SELECT DISTINCT ON (name) l.id, c.name FROM joined_rows l JOIN c ON l.id % 50 = c.k ORDER BY name, v) s');
SELECT is_taken('SELECT l.id, name FROM joined_rows l JOIN joined_kinds k TABLESAMPLE SYSTEM (100) ON l.id % 50 = k.k ORDER BY l.v DESC, l.id LIMIT 3');
-- outputs that are parts of what the window is by, that are NULL where nothing is joined, or of another window
SELECT check_engine('SELECT * FROM (SELECT id, v % 10 + 1 AS m, row_number() OVER (PARTITION BY v % 10 ORDER BY v, id) AS n FROM joined_rows JOIN joined_kinds k ON id % 50 = k.k) s WHERE n <= 2');
SELECT check_query('SELECT DISTINCT ON (l.v % 10) l.id, s.c FROM joined_rows l LEFT JOIN (SELECT k, 7 AS c FROM joined_kinds) s ON l.id % 50 = s.k ORDER BY l.v % 10, l.v, l.id');
SELECT check_query('SELECT * FROM (SELECT l.id, s.c, row_number() OVER (PARTITION BY l.v % 10 ORDER BY l.v, l.id) AS n FROM joined_rows l LEFT JOIN (SELECT k, 7 AS c FROM joined_kinds) s ON l.id % 50 = s.k) s WHERE n < 3');
SELECT check_query('SELECT * FROM (SELECT l.id, k.c, row_number() OVER (PARTITION BY k.k ORDER BY l.v, l.id) AS n, count(*) OVER (PARTITION BY k.k) AS m FROM joined_rows l JOIN (SELECT k, count(*) AS c FROM joined_tags GROUP BY k) k ON l.id % 50 = k.k ORDER BY m) s WHERE n <= 3');
-- errors of conditions that PostgreSQL does not come to, and the row of a cursor that an index orders
SELECT check_query('SELECT * FROM (SELECT l.id, name, row_number() OVER (PARTITION BY name ORDER BY v, id) AS n FROM joined_rows l JOIN joined_kinds k ON id % 50 = k.k) s WHERE false AND 1 / 0 = 1 AND n <= 2');
SET gpuagg.mode = force;
BEGIN;
DECLARE one CURSOR FOR SELECT * FROM joined_rows WHERE v > 5 ORDER BY id;
FETCH 1 FROM one;
UPDATE joined_rows SET note = 'updated' WHERE CURRENT OF one RETURNING *;
ROLLBACK;
RESET gpuagg.mode;

-- what EXPLAIN shows
SET gpuagg.mode = force;
SET gpuagg.engine = cpu;
EXPLAIN (COSTS OFF) SELECT id FROM joined_rows JOIN joined_kinds k ON id % 50 = k.k ORDER BY v % 10, note LIMIT 3;
EXPLAIN (COSTS OFF) SELECT DISTINCT ON (v % 3) id FROM joined_rows LEFT JOIN joined_kinds k ON id % 50 = k.k WHERE area IS NULL ORDER BY v % 3, id;
RESET gpuagg.engine;
RESET gpuagg.mode;
DROP TABLE joined_rows, joined_parts, joined_kinds, joined_tags;
