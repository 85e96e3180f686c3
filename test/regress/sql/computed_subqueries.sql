--
-- Subqueries in expressions that PostgreSQL computes once for each distinct value, and expressions of columns that
-- are never NULL.
--
CREATE TABLE sub_fact (id int NOT NULL, k int NOT NULL, a int, t text NOT NULL, s text, v float8);
INSERT INTO sub_fact SELECT i, i % 500, CASE WHEN i % 17 <> 0 THEN i % 400 END, 'key' || i % 100, CASE WHEN i % 11 <> 0 THEN 's' || i % 40 END, i / 4.0
FROM generate_series(1, 20000) i;
CREATE TABLE sub_item (k int PRIMARY KEY, x int, y int, name text NOT NULL);
INSERT INTO sub_item SELECT i, i % 7, CASE WHEN i % 50 <> 0 THEN i END, 'key' || i % 150 FROM generate_series(0, 449) i;
CREATE TABLE sub_none (k int, name text);
VACUUM ANALYZE sub_fact, sub_item, sub_none;

SET gpuagg.mode = force;
SELECT query, source(query), check_join(query) FROM (VALUES
	-- conditions
	('SELECT t, count(*), sum(v) FROM sub_fact WHERE k NOT IN (SELECT k FROM sub_item WHERE x = 3) GROUP BY 1'),
	('SELECT count(*) FROM sub_fact WHERE t NOT IN (SELECT name FROM sub_item WHERE x < 2)'),
	('SELECT t, count(*) FROM sub_fact WHERE k IN (SELECT k FROM sub_item WHERE x = 3) OR k IN (SELECT x FROM sub_item) GROUP BY 1'),
	('SELECT t, count(*) FROM sub_fact WHERE (k NOT IN (SELECT k FROM sub_item WHERE x = 3) OR a > 300) AND v < 4000 GROUP BY 1'),
	('SELECT count(*) FROM sub_fact WHERE (k, t) NOT IN (SELECT k, name FROM sub_item)'),
	('SELECT count(*) FROM sub_fact WHERE k + 1 NOT IN (SELECT k FROM sub_item)'),
	('SELECT count(*) FROM sub_fact WHERE k NOT IN (SELECT max(k) FROM sub_item GROUP BY x)'),
	-- NULLs among the rows, and none of them
	('SELECT count(*) FROM sub_fact WHERE k NOT IN (SELECT y FROM sub_item)'),
	('SELECT k IN (SELECT y FROM sub_item), count(*) FROM sub_fact GROUP BY 1'),
	('SELECT count(*) FROM sub_fact WHERE k NOT IN (SELECT k FROM sub_none)'),
	('SELECT (k NOT IN (SELECT y FROM sub_item)) IS NULL, count(*) FROM sub_fact GROUP BY 1'),
	-- keys, arguments, filters
	('SELECT k IN (SELECT k FROM sub_item WHERE x = 3), count(*), sum(v) FROM sub_fact GROUP BY 1'),
	('SELECT CASE WHEN k IN (SELECT k FROM sub_item WHERE x = 3) THEN ''three'' WHEN k NOT IN (SELECT k FROM sub_item) THEN ''none'' ELSE t END, count(*) FROM sub_fact GROUP BY 1'),
	('SELECT s, count(*) FILTER (WHERE k NOT IN (SELECT k FROM sub_item WHERE x = 3)), count(*) FILTER (WHERE t IN (SELECT name FROM sub_item WHERE x = 1)) FROM sub_fact GROUP BY 1'),
	('SELECT s, bool_and(k IN (SELECT k FROM sub_item)), count(DISTINCT k NOT IN (SELECT k FROM sub_item WHERE x = 1)) FROM sub_fact GROUP BY 1'),
	-- beside a join
	('SELECT i.x, count(DISTINCT f.t), count(*) FROM sub_fact f JOIN sub_item i USING (k) WHERE f.k NOT IN (SELECT k FROM sub_item WHERE name LIKE ''%7'') AND i.x <> 2 GROUP BY 1'),
	('SELECT i.x, count(*) FROM sub_fact f LEFT JOIN sub_item i ON f.a = i.k AND f.k NOT IN (SELECT k FROM sub_item WHERE x = 3) GROUP BY 1'),
	-- a column that can be NULL, of which PostgreSQL computes each row
	('SELECT count(*) FROM sub_fact WHERE a NOT IN (SELECT k FROM sub_none)'),
	('SELECT count(*) FROM sub_fact WHERE a NOT IN (SELECT k FROM sub_item WHERE x = 3)'),
	-- the same of rows that depend on the fact's, and of what changes with each row
	('SELECT count(*) FROM sub_fact f WHERE k NOT IN (SELECT k FROM sub_item i WHERE i.x < f.id % 3)'),
	('SELECT count(*) FROM sub_fact f WHERE k NOT IN (SELECT k FROM sub_item i WHERE 1 / (x + 1) > 2) AND s > ''s3''')
	) q (query);
-- expressions of columns that are never NULL, though NULL would not make them NULL
SELECT query, source(query), check_join(query) FROM (VALUES
	('SELECT concat(t, ''-'', k % 10), count(*) FROM sub_fact GROUP BY 1'),
	('SELECT format(''%s!'', t), count(*) FROM sub_fact GROUP BY 1'),
	('SELECT concat(s, ''-''), count(*) FROM sub_fact GROUP BY 1'),
	('SELECT count(*) FROM sub_fact WHERE concat(t) = ''key7''')) q (query);

-- errors are PostgreSQL's
SELECT count(*) FROM sub_fact WHERE k NOT IN (SELECT 10 / (k - 3) FROM sub_item);
SELECT check_query('SELECT count(*) FROM sub_fact WHERE v < 0 AND k NOT IN (SELECT 10 / (k - 3) FROM sub_item)');

-- many executions, each with other rows
PREPARE sub_parameters(int) AS SELECT t, count(*) FROM sub_fact WHERE k NOT IN (SELECT k FROM sub_item WHERE x < $1) GROUP BY 1 ORDER BY 1 LIMIT 2;
SET plan_cache_mode = force_generic_plan;
EXECUTE sub_parameters(1);
EXECUTE sub_parameters(6);
RESET plan_cache_mode;
SELECT check_query('SELECT n, (SELECT count(*) FROM sub_fact WHERE k NOT IN (SELECT k FROM sub_item WHERE x < 4)) + n FROM generate_series(1, 3) n');
SELECT check_join('SELECT n, (SELECT count(*) FROM sub_fact WHERE k NOT IN (SELECT k FROM sub_item WHERE x < n)) FROM generate_series(1, 3) n');
SELECT check_join('SELECT n, (SELECT count(*) FROM sub_fact WHERE k NOT IN (SELECT k FROM (SELECT k FROM sub_item WHERE x < n OFFSET 0) s)) FROM generate_series(1, 3) n');
SELECT check_join('SELECT count(*) FROM sub_fact WHERE k NOT IN (SELECT k FROM sub_item WHERE x < (SELECT max(x) - 3 FROM sub_item))');
BEGIN;
SELECT count(*) FROM sub_fact WHERE k NOT IN (SELECT k FROM sub_item);
DELETE FROM sub_item WHERE x = 2;
SELECT count(*) FROM sub_fact WHERE k NOT IN (SELECT k FROM sub_item);
ROLLBACK;
-- EXPLAIN shows the subquery once; how conditions show it depends on PostgreSQL's version
SET gpuagg.engine = cpu;
CREATE FUNCTION sub_plan(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
		IF line !~ '(Computed|Filter): .*SubPlan|(Computed|Filter): .*ANY' THEN
			RETURN NEXT line;
		END IF;
	END LOOP;
END $$;
SELECT sub_plan('SELECT t, count(*) FROM sub_fact WHERE k NOT IN (SELECT k FROM sub_item WHERE x = 3) GROUP BY 1');
-- in workers
BEGIN;
SET LOCAL max_parallel_workers_per_gather = 2;
SET LOCAL parallel_setup_cost = 0;
SET LOCAL parallel_tuple_cost = 0;
SET LOCAL min_parallel_table_scan_size = 0;
SELECT check_join('SELECT t, count(*), sum(v) FROM sub_fact WHERE k NOT IN (SELECT k FROM sub_item WHERE x = 3) GROUP BY 1');
COMMIT;
-- rows that a policy hides of either table
CREATE ROLE sub_reader;
GRANT SELECT ON sub_fact, sub_item TO sub_reader;
ALTER TABLE sub_item ENABLE ROW LEVEL SECURITY;
CREATE POLICY sub_policy ON sub_item USING (x < 5);
SET ROLE sub_reader;
SELECT count(*) FROM sub_fact WHERE k NOT IN (SELECT k FROM sub_item WHERE x > 3);
RESET ROLE;
ALTER TABLE sub_fact ENABLE ROW LEVEL SECURITY;
CREATE POLICY sub_policy ON sub_fact USING (k < 450);
SET ROLE sub_reader;
SELECT count(*) FROM sub_fact WHERE k NOT IN (SELECT k FROM sub_item WHERE x > 3);
SET gpuagg.mode = off;
SELECT count(*) FROM sub_fact WHERE k NOT IN (SELECT k FROM sub_item WHERE x > 3);
RESET ROLE;

DEALLOCATE sub_parameters;
DROP FUNCTION sub_plan;
DROP TABLE sub_fact, sub_item, sub_none;
DROP ROLE sub_reader;
RESET gpuagg.engine;
