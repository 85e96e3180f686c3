--
-- Queries that take the rows of a table that meet its conditions.  They come in the order of a
-- sequential scan.
--
\set VERBOSITY terse

-- the rows of a query, numbered as they come: an INSERT would plan it as its own
CREATE FUNCTION numbered(query text) RETURNS text LANGUAGE sql AS
$$SELECT 'WITH q AS MATERIALIZED (' || query || ') SELECT row_number() OVER () AS n, * FROM q'$$;

-- conditions by all types
SELECT col, check_engine(numbered(format('SELECT * FROM facts WHERE %s', condition)))
FROM (VALUES ('b', 'b'), ('b', 'b IS NULL'), ('i2', 'i2 = 3'), ('i4', 'i4 % 97 = 5'), ('i8', 'i8 IN (0, 20000000000, 7)'),
	('f4', 'f4 > 0.9'), ('f8', 'f8 = ''NaN'' OR f8 < -1'), ('d', 'd = date ''2000-03-01'''), ('ts', 'ts IS NULL'),
	('tz', 'tz > timestamptz ''2001-01-01'''), ('u', 'u = (SELECT u FROM facts WHERE id = 7)'), ('t', 't = ''x'' OR t LIKE ''%7%'''),
	('vc', 'vc LIKE ''v1%'' AND id < 500'), ('id', 'id < 0'), ('id', 'id > 0')) c(col, condition);

-- what is put out: expressions, columns of the system, none
SELECT check_engine(numbered('SELECT ctid, tableoid::regclass, id + 1, upper(t) AS u, 7 AS seven FROM facts WHERE id % 100 = 3'));
SELECT check_engine(numbered('SELECT 1 AS one FROM facts WHERE id % 100 = 3'));
SELECT check_engine(numbered('SELECT FROM facts WHERE id % 100 = 3'));
SELECT check_engine('SELECT count(*) FROM (SELECT id FROM facts WHERE i4 % 97 = 5 OFFSET 0) s');

-- conditions that PostgreSQL evaluates of the rows that the others let pass
SELECT condition, check_engine(numbered('SELECT id, t FROM facts WHERE ' || condition))
FROM unnest(ARRAY['id % 5 = 3 AND u < ''80000000-0000-0000-0000-000000000000''',
	'u > ''80000000-0000-0000-0000-000000000000'' AND k = 4 AND md5(t) < ''8''',
	'id % 9 = 3 AND facts.* IS NOT NULL', 'u < ''10000000-0000-0000-0000-000000000000''',
	'id % 100 = 3 AND md5(t) <> (SELECT max(t) FROM facts)',
	'id % 5 = 3 AND u > ''50000000-0000-0000-0000-000000000000'' ORDER BY md5(t), id LIMIT 7']) condition;

-- sorted by whatever PostgreSQL can sort by, with and without a limit
SELECT ord, check_engine(numbered('SELECT id, t, u FROM facts WHERE id % 50 = 3 ORDER BY ' || ord))
FROM unnest(ARRAY['t, id', 't COLLATE "C" DESC, id', 'upper(t) DESC NULLS LAST, id', 'u, id LIMIT 3', 't, id LIMIT 5 OFFSET 2',
	't, id LIMIT 1000', 'id DESC LIMIT 200', 'id']) ord;

-- where it stands in a query, and with parameters
SELECT check_engine(numbered('SELECT id FROM facts WHERE i4 = (SELECT max(i4) FROM facts)'));
SELECT check_engine('WITH a AS MATERIALIZED (SELECT id, t FROM facts WHERE id % 100 = 3) SELECT * FROM a, a b WHERE a.id = b.id');
SELECT check_engine('SELECT id FROM facts WHERE id % 100 = 3 UNION ALL SELECT id FROM facts WHERE id % 100 = 4');
SET plan_cache_mode = force_generic_plan;
PREPARE selected(int) AS SELECT id, i8 FROM facts WHERE k = $1 AND id < 300;
SET gpuagg.mode = force;
EXECUTE selected(5);
EXECUTE selected(-1);
SET gpuagg.mode = off;
EXECUTE selected(5);
DEALLOCATE selected;
RESET plan_cache_mode;
RESET gpuagg.mode;

-- the row of a cursor that is updated is found by PostgreSQL's scan
CREATE TABLE selected (id int PRIMARY KEY, v int, note text) WITH (fillfactor = 50);
INSERT INTO selected SELECT i, i * 7919 % 1000003, 'n' || i FROM generate_series(1, 3000) i;
ANALYZE selected;
SET gpuagg.mode = force;
SET cursor_tuple_fraction = 1;
BEGIN;
DECLARE rows SCROLL CURSOR FOR SELECT * FROM selected WHERE v < 2000;
FETCH 2 FROM rows;
UPDATE selected SET note = 'updated' WHERE CURRENT OF rows RETURNING *;
ROLLBACK;
DO $$
DECLARE
	rows CURSOR FOR SELECT * FROM selected WHERE v < 2000;
BEGIN
	FOR one IN rows LOOP
		UPDATE selected SET note = one.note || '!' WHERE CURRENT OF rows;
	END LOOP;
END $$;
SELECT id, note FROM selected WHERE note LIKE '%!';
RESET cursor_tuple_fraction;
RESET gpuagg.mode;

-- what a transaction sees of its own changes
BEGIN;
DELETE FROM selected WHERE v > 990000;
UPDATE selected SET note = note || '+' WHERE id % 3 = 0;
UPDATE selected SET v = -id WHERE id % 500 = 0;
SELECT check_engine(numbered('SELECT * FROM selected WHERE v < 0 OR v > 980000'));
ROLLBACK;
SELECT check_engine(numbered('SELECT * FROM selected WHERE v < 0 OR v > 980000'));

-- errors of conditions and of the output
SELECT check_fallback(numbered('SELECT id FROM selected WHERE 1000 / (id - 1000) < -500'));
SELECT check_fallback(numbered('SELECT id FROM selected WHERE id <> 1000 AND 1000 / (id - 1000) < -500'));
SELECT outcome(numbered('SELECT 1000 / (id - 1000) FROM selected WHERE id > 900'), 'force', no_fallback());
SELECT outcome(numbered('SELECT 1000 / (id - 1000) FROM selected WHERE id > 1000'), 'force', no_fallback());
SELECT check_fallback(numbered('SELECT id, 1000 / (id - 1000) AS q FROM selected WHERE id > 900 ORDER BY note LIMIT 3'));

-- conditions that can raise errors are evaluated in PostgreSQL's order, or not at all in the engine
SELECT check_fallback(numbered('SELECT id FROM selected WHERE note < md5(note) AND 1000 / (id - 1000) < -500'));
SELECT check_engine(numbered('SELECT id FROM selected WHERE v < 500000 AND 1000 / length(md5(note)) > 20'));
SELECT outcome(numbered('SELECT id FROM selected WHERE v < 500000 AND 1000 / (length(md5(note)) - 32) > 20'), 'force', no_fallback());

-- partitions, of which some columns lie differently
CREATE TABLE selected_parts (id int, v int, note text) PARTITION BY RANGE (id);
CREATE TABLE selected_parts_1 PARTITION OF selected_parts FOR VALUES FROM (0) TO (1000);
CREATE TABLE selected_parts_2 PARTITION OF selected_parts FOR VALUES FROM (1000) TO (3001);
INSERT INTO selected_parts SELECT * FROM selected;
ANALYZE selected_parts;
SELECT check_engine(numbered('SELECT *, tableoid::regclass FROM selected_parts WHERE v % 50 = 7'));

-- row security: no row that a policy hides
CREATE ROLE gpuagg_test_selected;
CREATE POLICY own ON selected USING (id % 2 = 0);
ALTER TABLE selected ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON selected TO gpuagg_test_selected;
SET ROLE gpuagg_test_selected;
SET gpuagg.mode = force;
SELECT count(*), min(id % 2), max(id % 2) FROM (SELECT id FROM selected WHERE v % 50 = 7 OFFSET 0) s;
EXPLAIN (COSTS OFF) SELECT id FROM selected WHERE v % 50 = 7 AND md5(note) < '8';
RESET gpuagg.mode;
RESET ROLE;

-- what EXPLAIN and gpuagg_explain show
SET gpuagg.mode = force;
SET gpuagg.engine = cpu;
EXPLAIN (COSTS OFF) SELECT * FROM selected WHERE v > 5;
EXPLAIN (COSTS OFF) SELECT id FROM selected WHERE v > 5 ORDER BY note;
EXPLAIN (COSTS OFF) SELECT id FROM selected WHERE md5(note) < '8' AND v > 5;
RESET gpuagg.engine;
RESET gpuagg.mode;
SELECT step, reason FROM unnest(ARRAY[
	'SELECT * FROM selected WHERE v > 5 LIMIT 10',
	'SELECT *, random() FROM selected WHERE v > 5',
	'SELECT selected FROM selected WHERE v > 5',
	'SELECT generate_series(1, id) FROM selected WHERE v > 5',
	'SELECT id, (SELECT count(*) FROM facts f WHERE f.id < selected.id) FROM selected WHERE v > 5',
	'SELECT id, ARRAY(SELECT f.id FROM facts f WHERE f.i4 = s.id ORDER BY f.t, f.id) FROM selected s WHERE v > 5',
	'SELECT * FROM selected',
	'SELECT * FROM selected ORDER BY note',
	'SELECT * FROM selected WHERE id = 5',
	'SELECT * FROM selected WHERE v > 5 FOR UPDATE',
	'SELECT a.id FROM facts a JOIN selected s USING (id) WHERE s.v > 5']) q, gpuagg_explain(q);
-- rows of the largest table of a join, and those that windows are over, by costs: the plan, and the rows without and with it
CREATE TABLE selected_many (id int, k int, note text);
INSERT INTO selected_many SELECT i, i % 1000, 'n' || i FROM generate_series(1, 400000) i;
CREATE TABLE selected_kinds (k int PRIMARY KEY, name text);
INSERT INTO selected_kinds SELECT i, 'kind ' || i FROM generate_series(0, 990) i;
CREATE TABLE selected_copy (id int, name text);
VACUUM ANALYZE selected_many, selected_kinds;
CREATE FUNCTION taken_by_cost(query text) RETURNS text LANGUAGE plpgsql SET gpuagg.engine = cpu SET max_parallel_workers_per_gather = 0 AS $$
DECLARE
	line text;
	taken text := 'not taken';
BEGIN
	PERFORM set_config('gpuagg.mode', 'auto', true);
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
		taken := CASE WHEN line LIKE '%Rows: all that pass%' THEN 'taken' ELSE taken END;
	END LOOP;
	IF query LIKE 'INSERT%' THEN
		RETURN taken;
	END IF;
	PERFORM store_rows('native', query, 'off', 'on'), store_rows('ours', query, 'auto', no_fallback());
	RETURN taken || ', ' || compare_rows();
END $$;
SELECT query, taken_by_cost(query) FROM unnest(ARRAY[
	'SELECT m.*, name FROM selected_many m JOIN selected_kinds USING (k) WHERE note LIKE ''n12345%''',
	'SELECT m.id, name FROM selected_many m LEFT JOIN selected_kinds s ON m.k = s.k WHERE m.note LIKE ''n12345%'' AND (name IS NULL OR name < ''kind 7'')',
	'SELECT id, lag(id) OVER (ORDER BY id) FROM selected_many WHERE note LIKE ''n12345%''',
	'SELECT m.k, name, rank() OVER (ORDER BY name, id) FROM selected_many m, selected_kinds s WHERE m.k = s.k AND m.note LIKE ''n12345%'' AND id > 5',
	'SELECT m.k, name, rank() OVER (ORDER BY name, id) FROM selected_many m, selected_kinds s WHERE m.k = s.k AND m.note LIKE ''n12345%'' AND id / (id - 5) > 0',
	'SELECT m.id, name FROM selected_kinds s LEFT JOIN selected_many m ON m.k = s.k WHERE m.note LIKE ''n12345%''',
	'SELECT m.id, name FROM selected_kinds s LEFT JOIN selected_many m ON m.k = s.k WHERE m.note LIKE ''n12345%'' OR m.k IS NULL',
	'SELECT m.*, name FROM selected_many m JOIN selected_kinds USING (k) WHERE note LIKE ''n1%''',
	'INSERT INTO selected_copy SELECT m.id, name FROM selected_many m JOIN selected_kinds USING (k) WHERE note LIKE ''n12345%''']) query;
-- a policy with a subquery: the rows of this table are PostgreSQL's
CREATE ROLE gpuagg_test_selected_many;
CREATE POLICY own ON selected_many USING (k IN (SELECT k FROM selected_kinds WHERE k % 2 = 0));
ALTER TABLE selected_many ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON selected_many, selected_kinds TO gpuagg_test_selected_many;
SET ROLE gpuagg_test_selected_many;
SET gpuagg.mode = auto;
SELECT m.id, name FROM selected_many m JOIN selected_kinds USING (k) WHERE note LIKE 'n12345%' ORDER BY m.id;
RESET gpuagg.mode;
RESET ROLE;
DROP FUNCTION taken_by_cost(text);
DROP TABLE selected_many, selected_kinds, selected_copy;
DROP ROLE gpuagg_test_selected_many;
DROP TABLE selected, selected_parts;
DROP ROLE gpuagg_test_selected;
DROP FUNCTION numbered(text);
