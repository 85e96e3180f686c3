--
-- Queries that sort a table's rows and take the first ones.  Orders end in a column without
-- repeats, but where only what is determined is selected.
--
\set VERBOSITY terse

-- orders by all types, in all directions, with NULLs
SELECT col, dir, check_engine(format('SELECT %s, id, t FROM facts ORDER BY %1$s %s, id LIMIT 10', col, dir))
FROM unnest(ARRAY['b', 'i2', 'i4', 'i8', 'f4', 'f8', 'd', 'ts', 'tz']) col,
	unnest(ARRAY['', 'DESC', 'NULLS FIRST', 'DESC NULLS LAST']) dir;

-- how many are taken
SELECT part, check_engine('SELECT * FROM facts ORDER BY i8 DESC, id ' || part)
FROM unnest(ARRAY['LIMIT 1', 'LIMIT 2 OFFSET 3', 'OFFSET 1 LIMIT 1', 'FETCH FIRST ROW ONLY', 'FETCH NEXT 5 ROWS ONLY',
	'LIMIT 17', 'LIMIT 100', 'LIMIT 128', 'OFFSET 120 LIMIT 8', 'LIMIT 3::smallint']) part;
SELECT check_engine('SELECT id FROM facts WHERE id < 0 ORDER BY id LIMIT 5');
SELECT check_engine('SELECT id FROM facts WHERE id < 4 ORDER BY id DESC LIMIT 128');
SELECT check_engine('SELECT id FROM facts ORDER BY id DESC LIMIT 5 OFFSET 3');

-- what is equal in the order: all of it WITH TIES; by further columns PostgreSQL sorts, whatever these are
SELECT check_engine('SELECT i8 FROM facts ORDER BY i8 LIMIT 20');
SELECT check_engine('SELECT id, i8 FROM facts ORDER BY i8 FETCH FIRST 7 ROWS WITH TIES');
SELECT check_engine('SELECT id FROM facts ORDER BY i8, f8, i4, t COLLATE "C" DESC, id LIMIT 9');
SELECT check_engine('SELECT id, t FROM facts ORDER BY id / 2 DESC, t, id LIMIT 9');
SELECT check_fallback('SELECT id FROM facts ORDER BY id / 1000, t, id LIMIT 9');

-- conditions, expressions in orders and in the output, columns of the system
SELECT check_engine('SELECT id + 1, upper(t) AS u FROM facts WHERE d > date ''2000-03-01'' AND vc LIKE ''v%2%'' ORDER BY i4 % 7, -f8 DESC, id LIMIT 12');
SELECT check_engine('SELECT ctid, tableoid::regclass, id FROM facts ORDER BY f8 DESC NULLS LAST, id LIMIT 3');
SELECT check_engine('SELECT f8 * 2 AS twice FROM facts WHERE b ORDER BY twice DESC NULLS LAST, id LIMIT 3');
SELECT check_engine('SELECT 1 AS one, id FROM facts ORDER BY one, i8, id LIMIT 3');

-- where it stands in a query, with parameters, and what is asked for again
SELECT check_engine('SELECT count(*), sum(i8) FROM (SELECT i8 FROM facts ORDER BY f8 DESC NULLS LAST, id LIMIT 10) s');
SELECT check_engine('SELECT o.x, s.* FROM (VALUES (1), (2), (3), (NULL)) o(x), LATERAL (SELECT id, i8 FROM facts WHERE k = o.x ORDER BY i8 DESC NULLS LAST, id LIMIT 2) s');
SELECT check_engine('(SELECT id FROM facts ORDER BY i8, id LIMIT 3) UNION ALL (SELECT id FROM facts ORDER BY i8 DESC, id LIMIT 3)');
SELECT check_engine('WITH a AS MATERIALIZED (SELECT id, t FROM facts ORDER BY ts, id LIMIT 6) SELECT * FROM a, a b WHERE a.id = b.id');
SELECT check_engine('SELECT id, (SELECT max(n) FROM generate_series(1, 3) n) AS n FROM (SELECT id FROM facts ORDER BY i4, id LIMIT 4) s');
SET plan_cache_mode = force_generic_plan;
PREPARE latest(int) AS SELECT id, i8 FROM facts WHERE k < $1 ORDER BY i8 DESC NULLS LAST, id LIMIT 3;
SET gpuagg.mode = force;
EXECUTE latest(5);
EXECUTE latest(0);
SET gpuagg.mode = off;
EXECUTE latest(5);
DEALLOCATE latest;
RESET plan_cache_mode;
SET gpuagg.mode = force;
BEGIN;
DECLARE latest SCROLL CURSOR FOR SELECT id FROM facts ORDER BY i8 DESC NULLS LAST, id LIMIT 5;
FETCH 3 FROM latest;
FETCH BACKWARD 2 FROM latest;
FETCH ALL FROM latest;
COMMIT;
RESET gpuagg.mode;

-- what a transaction sees of its own changes
CREATE TABLE limited (id int PRIMARY KEY, v int, note text) WITH (fillfactor = 50);
INSERT INTO limited SELECT i, i * 7919 % 1000003, 'n' || i FROM generate_series(1, 3000) i;
ANALYZE limited;
BEGIN;
DELETE FROM limited WHERE v > 990000;
UPDATE limited SET note = note || '+' WHERE id % 3 = 0;
UPDATE limited SET v = -id WHERE id % 500 = 0;
SELECT check_engine('SELECT * FROM limited ORDER BY v DESC, id LIMIT 20');
SELECT check_engine('SELECT * FROM limited ORDER BY v, id LIMIT 20');
ROLLBACK;
SELECT check_engine('SELECT * FROM limited ORDER BY v DESC, id LIMIT 20');

-- an error that PostgreSQL meets in a row that is not among the first
SELECT check_fallback('SELECT id FROM limited WHERE 1000 / (id - 1000) < 5 ORDER BY v LIMIT 3');
SELECT check_fallback('SELECT id, 1000 / (id - 1000) AS q FROM limited ORDER BY v LIMIT 3') IN ('22012 division by zero', '3 rows') AS same;

-- one that PostgreSQL does not meet, since it reads rows in the order of an index
SELECT check_fallback('SELECT id FROM limited WHERE 1000 / (id - 1000) < 5 ORDER BY id LIMIT 3');
SELECT check_fallback('SELECT id, 1000 / (id - 1000) AS q FROM limited ORDER BY id LIMIT 3');
SELECT check_fallback('SELECT id FROM limited ORDER BY id, 1000 / (id - 1000) LIMIT 3');
SELECT check_engine('SELECT id FROM limited WHERE v > 5 ORDER BY id LIMIT 3');

-- partitions, of which some columns lie differently
CREATE TABLE limited_parts (id int, v int, note text) PARTITION BY RANGE (id);
CREATE TABLE limited_parts_1 PARTITION OF limited_parts FOR VALUES FROM (0) TO (1000);
CREATE TABLE limited_parts_2 PARTITION OF limited_parts FOR VALUES FROM (1000) TO (3001);
INSERT INTO limited_parts SELECT * FROM limited;
ANALYZE limited_parts;
SELECT check_engine('SELECT * FROM limited_parts ORDER BY v DESC, id LIMIT 20');
SELECT check_engine('SELECT id, tableoid::regclass FROM limited_parts WHERE id > 900 ORDER BY v, id LIMIT 20');

-- what EXPLAIN and gpuagg_explain show
SET gpuagg.mode = force;
SET gpuagg.engine = cpu;
EXPLAIN (COSTS OFF) SELECT id, note FROM limited WHERE v > 5 ORDER BY v DESC NULLS LAST, id LIMIT 3 OFFSET 1;
EXPLAIN (COSTS OFF) SELECT id FROM limited ORDER BY v, note LIMIT 3;
RESET gpuagg.engine;
RESET gpuagg.mode;
SELECT step, reason FROM unnest(ARRAY[
	'SELECT * FROM facts ORDER BY i8, id LIMIT 129',
	'SELECT * FROM facts ORDER BY t, id LIMIT 3',
	'SELECT *, random() FROM facts ORDER BY id LIMIT 3',
	'SELECT facts FROM facts ORDER BY id LIMIT 3',
	'SELECT id, (SELECT count(*) FROM limited l WHERE l.id < facts.id) FROM facts ORDER BY id LIMIT 3',
	'SELECT id FROM facts ORDER BY b, t, id LIMIT 3',
	'SELECT id FROM facts ORDER BY id',
	'SELECT id FROM facts ORDER BY id LIMIT 3 FOR UPDATE',
	'SELECT * FROM generate_series(1, 100000) n ORDER BY n LIMIT 3',
	'SELECT a.id, l.id AS other FROM facts a JOIN limited l USING (id) ORDER BY a.id LIMIT 3',
	'SELECT note FROM facts a JOIN limited l USING (id) ORDER BY note LIMIT 3']) q, gpuagg_explain(q);
DROP TABLE limited, limited_parts;
