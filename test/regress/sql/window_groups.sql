--
-- Window functions over whole partitions, which are joins with groups.
--
CREATE TABLE windowed (id int PRIMARY KEY, g int NOT NULL, h int, t text NOT NULL, v int, n numeric(8, 2), f float8 NOT NULL, d date);
INSERT INTO windowed SELECT i, i * 7919 % 97, CASE WHEN i % 11 > 0 THEN i % 13 END, 'name ' || i % 50, CASE WHEN i % 7 > 0 THEN i * 31 % 977 END, (i * 19 % 997 - 500) / 100.0, CASE WHEN i % 5 = 0 THEN '-0' ELSE i % 5 - 1 END, date '2020-02-20' + i * 31 % 977
FROM generate_series(1, 20000) i;
CREATE TABLE windowed_parent (g int NOT NULL, v int);
CREATE TABLE windowed_child () INHERITS (windowed_parent);
INSERT INTO windowed_child SELECT i % 10, i FROM generate_series(1, 5000) i;
CREATE TABLE windowed_part (g int NOT NULL, v int) PARTITION BY RANGE (g);
CREATE TABLE windowed_part_1 PARTITION OF windowed_part FOR VALUES FROM (0) TO (50);
CREATE TABLE windowed_part_2 PARTITION OF windowed_part DEFAULT;
INSERT INTO windowed_part SELECT g, v FROM windowed;
VACUUM ANALYZE windowed, windowed_parent, windowed_child, windowed_part;

-- Are there windows in the plan?
CREATE FUNCTION has_windows(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
		IF line ~ 'WindowAgg' THEN
			RETURN 'windows';
		END IF;
	END LOOP;
	RETURN 'groups';
END $$;
-- Put a query's rows, as text, into a new table; below an INSERT the rows' cast is a condition that may fail.
CREATE FUNCTION create_rows(target text, query text, mode text, fallback text) RETURNS void
LANGUAGE plpgsql SET client_min_messages = warning SET gpuagg.mode = off SET gpuagg.fallback = on AS $$
BEGIN
	EXECUTE format('DROP TABLE IF EXISTS pg_temp.%I', target);
	PERFORM set_config('gpuagg.mode', mode, true), set_config('gpuagg.fallback', fallback, true);
	EXECUTE format('CREATE TEMP TABLE %I AS SELECT q::text AS r FROM (%s) q', target, query);
END $$;
CREATE FUNCTION check_windows(query text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM create_rows('native', query, 'off', 'on'), create_rows('ours', query, 'force', no_fallback());
	RETURN compare_rows() || ', ' || has_windows(query);
END $$;

SET gpuagg.engine = cpu;
SELECT query, check_windows(query) FROM (VALUES
	('SELECT id, v, sum(v) OVER (PARTITION BY g) FROM windowed'),
	('SELECT * FROM (SELECT *, max(v) OVER (PARTITION BY g) AS m FROM windowed) w WHERE v = m'),
	('SELECT g, count(*), sum(v - a) FROM (SELECT g, v, avg(v) OVER (PARTITION BY g) AS a FROM windowed WHERE v > 100) w GROUP BY g'),
	('SELECT id, count(*) OVER (), count(v) FILTER (WHERE h > 3) OVER (PARTITION BY t), min(d) OVER (PARTITION BY g, t), max(n) OVER w, avg(n) OVER w - n FROM windowed WINDOW w AS (PARTITION BY g ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)'),
	('SELECT DISTINCT g, sum(v) OVER (PARTITION BY g) FROM windowed ORDER BY 2 DESC, 1'),
	('SELECT id, count(*) OVER (PARTITION BY f) FROM windowed'),
	('SELECT id, sum(v) OVER (PARTITION BY h) FROM windowed WHERE h IS NOT NULL'),
	('SELECT id, 10 / v, sum(v) OVER (PARTITION BY g) FROM windowed WHERE v > 0'),
	('SELECT g, v, count(*) OVER (PARTITION BY g) FROM windowed_part'),
	('SELECT id, count(*) OVER (PARTITION BY g) FROM windowed WHERE id < 0'),
	('SELECT id, count(*) OVER () FROM windowed WHERE id < 0'),
	('SELECT id, (SELECT max(m) FROM (SELECT max(v) OVER (PARTITION BY t) AS m FROM windowed) w WHERE m < o.v) FROM windowed o WHERE id < 20'),
	-- what stays: NULLs in PARTITION BY, and children's
	('SELECT id, sum(v) OVER (PARTITION BY h) FROM windowed'),
	('SELECT g, count(*) OVER (PARTITION BY g) FROM windowed_parent'),
	-- expressions
	('SELECT id, sum(v) OVER (PARTITION BY g % 3) FROM windowed'),
	-- frames that are no whole partition
	('SELECT id, sum(v) OVER (PARTITION BY g ORDER BY id) FROM windowed'),
	('SELECT id, count(*) OVER (PARTITION BY g ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE CURRENT ROW) FROM windowed'),
	-- one of two windows
	('SELECT id, sum(v) OVER (PARTITION BY g), row_number() OVER (PARTITION BY g ORDER BY id) FROM windowed'),
	('SELECT id, count(*) OVER w FROM windowed WINDOW w AS (PARTITION BY g), x AS (PARTITION BY t)'),
	-- sums that can raise errors, volatile functions, LIMIT, groups and joins
	('SELECT id, sum(f) OVER (PARTITION BY g) FROM windowed'),
	('SELECT id, count(*) OVER (PARTITION BY g) FROM windowed WHERE random() > -1'),
	('SELECT count(*), sum(c) FROM (SELECT count(*) OVER (PARTITION BY g) AS c FROM windowed LIMIT 100000) w'),
	('SELECT g, count(*), sum(count(*)) OVER () FROM windowed GROUP BY g'),
	('SELECT a.id, count(*) OVER (PARTITION BY a.g) FROM windowed a JOIN windowed b USING (id)'),
	-- a condition around the window that can raise an error where one within it is false
	('SELECT * FROM (SELECT v, h, count(*) OVER (PARTITION BY g) AS n FROM windowed WHERE h <> 0) w WHERE 10 / h > 1'),
	('SELECT * FROM (SELECT 10 / h AS q, count(*) OVER (PARTITION BY g) AS n FROM windowed WHERE h <> 0) w WHERE q > 1')
) q (query);

-- what subqueries beside the window compute of its rows, which are not joined to groups then
\set few '(SELECT h, v, count(*) OVER (PARTITION BY g) AS c FROM windowed WHERE h = 1 OR h = 2 OR h = 3 OR h = 4)'
SELECT query, check_windows(replace(query, 'FEW', :'few')) FROM (VALUES
	('SELECT count(*), sum(c) FROM FEW s, LATERAL (SELECT 1 / s.h AS y) z WHERE z.y >= 0'),
	('SELECT count(*), sum(c) FROM FEW s, LATERAL (SELECT 1 WHERE 1 / s.h > 0) z'),
	('SELECT sum(c) FROM FEW s WHERE EXISTS (SELECT 1 FROM windowed b WHERE b.id > 5 AND 1 / s.h >= 0)'),
	('SELECT sum(c) FROM FEW s WHERE (SELECT 1 / s.h FROM windowed_part LIMIT 1) >= 0'),
	('SELECT sum(c) FROM FEW s WHERE c > (SELECT count(*) / min(id) FROM windowed WHERE id < 3)'),
	('WITH s AS FEW SELECT sum(c) FROM (SELECT * FROM s WHERE 1 / s.h >= 0) q'),
	('SELECT sum(c) FROM FEW s, LATERAL (SELECT s.h) z'),
	-- with those that raise no error they are
	('SELECT sum(c) FROM FEW s WHERE v IN (SELECT v FROM windowed b WHERE b.id > 5)'),
	('WITH s AS FEW SELECT count(*), sum(c) FROM s WHERE s.h > 2')
) q (query);
-- HAVING of no aggregate
BEGIN;
SET LOCAL gpuagg.mode = force;
SELECT (SELECT count(*) OVER () FROM windowed HAVING true), max(m) FROM (SELECT v, max(v) OVER (PARTITION BY g) AS m FROM windowed) w;
COMMIT;
-- a column of the query around is no column of the table
SELECT outcome('SELECT sum((SELECT max(n) FROM (SELECT count(*) OVER (PARTITION BY o.d) AS n FROM windowed_part w WHERE w.v < 9) s)) FROM windowed o WHERE o.id < 30', mode, 'on') FROM unnest('{off,force}'::text[]) mode;
BEGIN;
SET LOCAL gpuagg.mode = force;
MERGE INTO windowed_parent p USING :few s ON p.v = s.c AND 1 / s.h > 0 WHEN MATCHED THEN DO NOTHING;
COMMIT;
-- windows with the same partitions have the same groups; there are only so many
SELECT query, check_windows(query) FROM (VALUES
	('SELECT id, sum(v) OVER w, max(d) OVER (PARTITION BY g ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING), count(*) OVER (PARTITION BY g RANGE UNBOUNDED PRECEDING), min(d) OVER (PARTITION BY g RANGE BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING), count(v) OVER x, count(*) OVER y FROM windowed WINDOW w AS (PARTITION BY g), x AS (w), y AS (PARTITION BY t)'),
	('SELECT id, count(*) OVER (PARTITION BY g, t), count(*) OVER (PARTITION BY g), count(*) OVER (PARTITION BY t), count(*) OVER () FROM windowed'),
	('SELECT id, count(*) OVER (PARTITION BY g, t), count(*) OVER (PARTITION BY g), count(*) OVER (PARTITION BY t), count(*) OVER (), count(*) OVER (PARTITION BY id) FROM windowed')
) q (query);

-- by cost
BEGIN;
SET LOCAL gpuagg.mode = auto;
SELECT has_windows('SELECT * FROM (SELECT *, max(v) OVER (PARTITION BY g) AS m FROM windowed) w WHERE v = m'), has_windows('SELECT id, sum(v) OVER (PARTITION BY g) FROM windowed WHERE id < 10');
SELECT step, aggregates, taken FROM gpuagg_explain('SELECT * FROM (SELECT *, max(v) OVER (PARTITION BY g) AS m FROM windowed) w WHERE v = m');
COMMIT;
RESET gpuagg.engine;

DROP FUNCTION check_windows, create_rows, has_windows;
DROP TABLE windowed, windowed_child, windowed_parent, windowed_part;
