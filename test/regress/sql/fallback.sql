--
-- PostgreSQL's own plan, when the engine gives up: its rows are the node's,
-- whatever is above the node, and its input is the node's input plan.
--
\set VERBOSITY terse

-- an extreme that is -0 ends in PostgreSQL's own plan
CREATE TABLE zero_pairs (id int, g int, f float8, s text, h int);
INSERT INTO zero_pairs VALUES (1, 5, '-0', 'a', 1), (2, 5, '0', 'a', 1), (3, 5, 2, 'b', 2), (4, 6, '-0', 'c', 3), (5, 5, 3, 'd', 4);
CREATE FUNCTION costly(int) RETURNS int LANGUAGE plpgsql IMMUTABLE COST 100000 AS 'BEGIN RETURN $1 * 1000; END';
CREATE FUNCTION unsure(int) RETURNS int LANGUAGE plpgsql VOLATILE AS 'BEGIN RETURN $1 * 1000; END';

-- outputs that the planner postpones until after sorting
CREATE TABLE outputs (c int, g int);
INSERT INTO outputs SELECT costly(h) AS c, g FROM zero_pairs WHERE g = 5 GROUP BY g, h HAVING min(f) = 0 ORDER BY g LIMIT 10;
SELECT * FROM outputs;
SELECT s || (random() * 0)::int::text, g, min(f) FROM zero_pairs WHERE g = 5 GROUP BY g, s ORDER BY g, s;
SELECT check_fallback(q) FROM unnest(ARRAY[
	'SELECT costly(h), g, min(f) FROM zero_pairs GROUP BY g, h ORDER BY g, h LIMIT 2',
	'SELECT unsure(h), s, g, min(f) FROM zero_pairs GROUP BY g, h, s ORDER BY g, h',
	'SELECT g, costly(h), min(f), s FROM zero_pairs WHERE s = ''a'' GROUP BY h, g, s ORDER BY s, g, h LIMIT 3',
	'SELECT costly(h) + x, g, min(f) FROM zero_pairs, generate_series(1, 2) x WHERE g = 5 GROUP BY g, h, x ORDER BY g, x, h LIMIT 9',
	'SELECT s, unsure(max(h)) FROM zero_pairs GROUP BY s, g HAVING min(f) <= 0 ORDER BY count(*), g, s LIMIT 9',
	'SELECT DISTINCT ON (g) g, costly(h), min(f) FROM zero_pairs WHERE g = 5 GROUP BY g, h ORDER BY g, h DESC']) q;

-- sort keys that the outputs do not have
SELECT check_fallback(q) FROM unnest(ARRAY[
	'SELECT min(f) FROM zero_pairs GROUP BY g, s, h ORDER BY h, s, g',
	'SELECT g + 1, min(f) FROM zero_pairs GROUP BY g ORDER BY g * 2 DESC, max(s)',
	'SELECT x.c FROM (SELECT s AS c, g AS d, min(f) AS m FROM zero_pairs GROUP BY g, s) x JOIN zero_pairs y ON x.d = y.g AND x.m <= y.f',
	'SELECT rank() OVER (ORDER BY min(f), g), lag(s) OVER (PARTITION BY g ORDER BY s) FROM zero_pairs GROUP BY g, s',
	'SELECT s, min(f) FROM zero_pairs GROUP BY s UNION ALL SELECT g::text, min(f) FROM zero_pairs GROUP BY g']) q;

-- the input's plan is one, and begins again
SELECT check_fallback(q) FROM unnest(ARRAY[
	'SELECT g, min(f), count(*) FROM (SELECT * FROM zero_pairs OFFSET 0) x GROUP BY g',
	'SELECT g, s, min(f) FROM (SELECT * FROM zero_pairs ORDER BY h LIMIT 9) x GROUP BY ROLLUP (g, s)',
	'SELECT g, s, h, min(f) FROM (SELECT * FROM zero_pairs OFFSET 0) x GROUP BY CUBE (g, s, h)',
	'SELECT g, count(DISTINCT s), min(f) FROM (SELECT * FROM zero_pairs OFFSET 0) x GROUP BY g',
	'SELECT DISTINCT m FROM (SELECT min(f) AS m, g FROM zero_pairs GROUP BY g OFFSET 0) x',
	'SELECT min(f), count(*) FROM (SELECT f FROM zero_pairs FOR UPDATE) x',
	'WITH c AS MATERIALIZED (SELECT * FROM zero_pairs) SELECT a.g, min(b.f) FROM c a JOIN c b USING (id) GROUP BY 1',
	'SELECT x.g, min(x.f) FROM zero_pairs x JOIN zero_pairs y USING (h) GROUP BY 1',
	'SELECT (SELECT max(h) FROM zero_pairs i WHERE i.id <= x.h), min(x.f) FROM zero_pairs x JOIN zero_pairs y USING (h) GROUP BY 1']) q;
-- arguments that the input's plan computes beside its columns
SELECT check_fallback('SELECT g, min(f), min(initcap(s)), max(md5(s)) FROM (SELECT * FROM zero_pairs OFFSET 0) x GROUP BY g');
SELECT count(*) FROM zero_pairs;

-- runs that fall back and runs that do not, with and without changed parameters
SELECT check_fallback(q) FROM unnest(ARRAY[
	'SELECT n, l.* FROM generate_series(1, 7) n, LATERAL (SELECT g, min(f), count(*) FROM (SELECT * FROM zero_pairs WHERE id >= n % 4 OFFSET 0) x GROUP BY g) l',
	'SELECT n, l.* FROM generate_series(1, 7) n, LATERAL (SELECT g, h, min(f), count(*) FROM (SELECT * FROM zero_pairs WHERE id >= n % 4 OFFSET 0) x GROUP BY ROLLUP (g, h)) l',
	'SELECT n, l.* FROM generate_series(1, 7) n, LATERAL (SELECT g, min(f), count(*) FROM (SELECT * FROM zero_pairs WHERE id >= n % 4 OFFSET 0) x GROUP BY g ORDER BY g LIMIT 1) l',
	'SELECT n, l.* FROM generate_series(1, 7) n, LATERAL (SELECT g + n % 2, min(f) FROM (SELECT * FROM zero_pairs OFFSET 0) x GROUP BY 1) l',
	'SELECT n, (SELECT count(DISTINCT s) + min(f) FROM (SELECT * FROM zero_pairs WHERE id > n % 3 OFFSET 0) x) FROM generate_series(1, 7) n']) q;
SET enable_hashagg = off;
SELECT check_fallback('SELECT n, l.* FROM generate_series(1, 7) n, LATERAL (SELECT g, h, min(f), count(*) FROM (SELECT * FROM zero_pairs WHERE id >= n % 4 OFFSET 0) x GROUP BY ROLLUP (g, h)) l');
RESET enable_hashagg;
SET enable_material = off;
SELECT check_fallback('SELECT n, l.* FROM generate_series(1, 3) n JOIN (SELECT g, min(f) AS m FROM (SELECT * FROM zero_pairs OFFSET 0) x GROUP BY g) l ON l.m < n');
RESET enable_material;

-- a parallel plan below
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT check_fallback('SELECT x.g, min(x.f), count(*) FROM zero_pairs x JOIN zero_pairs y USING (h) GROUP BY 1');

DO $$
DECLARE
	line text;
	found boolean := false;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) SELECT x.g, min(x.f), count(*) FROM zero_pairs x JOIN zero_pairs y USING (h) GROUP BY 1' LOOP
		found := found OR line LIKE '%Gather%';
	END LOOP;
	ASSERT found, 'no parallel plan';
END $$;
