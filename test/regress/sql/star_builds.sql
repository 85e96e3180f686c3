--
-- Joins in the engines: rows of look-ups that groupings give, since they come sooner so.
--
CREATE TABLE builds_fact (id int NOT NULL, a int, b int, t text, v float8);
INSERT INTO builds_fact SELECT i, CASE WHEN i % 17 <> 0 THEN i * 11 % 30000 END, i % 50, 'key' || i % 40000, i / 4.0 FROM generate_series(1, 60000) i;
CREATE TABLE builds_item (k int, p int NOT NULL, x int, s text, n numeric(8, 3), any_n numeric, f float8, d date, z text);
INSERT INTO builds_item SELECT i, i % 100, i % 7, CASE WHEN i % 3 <> 0 THEN 'val' || i % 30 END, i / 3.0, i % 9,
	CASE WHEN i % 4 = 0 THEN 0.5 WHEN i % 4 = 2 THEN 'NaN'::float8 END, date '2021-01-01' + i % 700, repeat('z', i % 5)
FROM generate_series(0, 29999) i;
-- a key that is NULL is so in many rows
INSERT INTO builds_item SELECT NULL, 3, 1 FROM generate_series(1, 50);
CREATE UNIQUE INDEX ON builds_item (k);
CREATE TABLE builds_text (k text PRIMARY KEY, x int NOT NULL, c char(10));
INSERT INTO builds_text SELECT 'key' || i, i % 3, 'c' || i % 6 FROM generate_series(1, 30000) i;
CREATE TABLE builds_pair (a int, b int, x int, PRIMARY KEY (a, b));
INSERT INTO builds_pair SELECT i, i % 50, i % 11 FROM generate_series(0, 29999) i;
CREATE TABLE builds_owner (k int PRIMARY KEY, y int, name text);
INSERT INTO builds_owner SELECT i, i % 4, 'name' || i % 9 FROM generate_series(0, 99) i;
CREATE TABLE builds_sold (k int, amount int);
INSERT INTO builds_sold SELECT i % 6000, i % 10 FROM generate_series(0, 29999) i;
CREATE TABLE builds_twice (k int, x int);
INSERT INTO builds_twice SELECT i, i % 7 FROM generate_series(0, 29999) i;
VACUUM ANALYZE builds_fact, builds_item, builds_text, builds_pair, builds_owner, builds_sold, builds_twice;

-- How many groupings of the plan are not the query's own, but give rows of look-ups?
CREATE FUNCTION builds(query text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
	plan jsonb;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
	RETURN (SELECT count(*) - 1 FROM jsonb_path_query(plan, 'strict $.**?(@."Custom Plan Provider" == "GpuAgg")'));
END $$;

-- Whether such a grouping itself looks up the 100 owners is open.
CREATE FUNCTION check_builds(query text) RETURNS text LANGUAGE sql AS $$SELECT regexp_replace(check_join(query), '(?<=\)), o \(inner\)$', '')$$;

SET gpuagg.mode = force;
SET gpuagg.engine = cpu;
SELECT query, builds(query), check_builds(query) FROM (VALUES
	('SELECT i.s, count(*), sum(v) FROM builds_fact f JOIN builds_item i ON f.a = i.k WHERE i.x = 3 GROUP BY 1'),
	('SELECT i.s, i.n, count(*), sum(i.x) FROM builds_fact f JOIN builds_item i ON f.a = i.k WHERE i.d < ''2021-02-01'' GROUP BY 1, 2'),
	-- of types whose equal values need not be the same
	('SELECT i.any_n, count(*) FROM builds_fact f JOIN builds_item i ON f.a = i.k WHERE i.x = 3 GROUP BY 1'),
	('SELECT i.f, count(*), min(i.f) FROM builds_fact f JOIN builds_item i ON f.a = i.k WHERE i.x = 3 GROUP BY 1'),
	('SELECT extract(year FROM i.d), count(*) FROM builds_fact f JOIN builds_item i ON f.a = i.k GROUP BY 1'),
	-- a text, a pair of columns, an expression as key
	('SELECT i.c, count(*), sum(i.x) FROM builds_fact f JOIN builds_text i ON f.t = i.k WHERE i.x = 1 GROUP BY 1'),
	('SELECT i.x, count(*) FROM builds_fact f JOIN builds_pair i ON f.a = i.a AND f.b = i.b WHERE i.x > 8 GROUP BY 1'),
	('SELECT i.x, count(*) FROM builds_fact f JOIN builds_item i ON f.a + 1 = i.k WHERE i.z = ''zz'' GROUP BY 1'),
	-- outer, semi and anti joins
	('SELECT i.s, count(*), count(i.x) FROM builds_fact f LEFT JOIN builds_item i ON f.a = i.k AND i.x = 3 GROUP BY 1'),
	('SELECT i.s, count(*) FROM builds_fact f LEFT JOIN builds_item i ON f.a = i.k AND i.x = 3 WHERE i.k IS NULL OR i.n > 9000 GROUP BY 1'),
	('SELECT b, count(*) FROM builds_fact f WHERE EXISTS (SELECT 1 FROM builds_item i WHERE i.k = f.a AND i.x = 3) GROUP BY 1'),
	('SELECT b, count(*) FROM builds_fact f WHERE NOT EXISTS (SELECT 1 FROM builds_item i JOIN builds_owner o ON o.k = i.p WHERE i.x = f.b AND o.y = 2) GROUP BY 1'),
	-- conditions across relations
	('SELECT i.x, t.x, count(*) FROM builds_fact f JOIN builds_item i ON f.a = i.k JOIN builds_text t ON f.t = t.k WHERE i.d < ''2021-03-01'' AND t.c = ''c2'' AND i.x > t.x GROUP BY 1, 2'),
	-- a relation that is joined to another one only, and a subquery
	('SELECT o.name, count(*), sum(i.n) FROM builds_fact f JOIN builds_item i ON f.a = i.k JOIN builds_owner o ON i.p = o.k WHERE o.y = 2 AND i.x = 1 GROUP BY 1'),
	('SELECT i.s, count(*) FROM builds_fact f JOIN builds_item i ON f.a = i.k WHERE i.k IN (SELECT k FROM builds_sold GROUP BY k HAVING sum(amount) > 44) GROUP BY 1'),
	('SELECT i.s, o.name, count(*) FROM builds_fact f LEFT JOIN (builds_item i JOIN builds_owner o ON i.p = o.k AND o.y = 1) ON f.a = i.k AND i.x = 2 GROUP BY 1, 2'),
	-- few rows, or not known to be unique, even if they are
	('SELECT o.name, count(*) FROM builds_fact f JOIN builds_owner o ON f.b = o.k GROUP BY 1'),
	('SELECT i.x, count(*) FROM builds_fact f JOIN builds_twice i ON f.a = i.k GROUP BY 1')) q (query);
-- values that are equal and not the same
CREATE TABLE builds_forms (k int PRIMARY KEY, n numeric, f float8);
INSERT INTO builds_forms SELECT i, CASE i % 4 WHEN 0 THEN 1.0 WHEN 1 THEN 1.00 WHEN 2 THEN 2 END, CASE WHEN i % 2 = 0 THEN '-0'::float8 ELSE 0 END
FROM generate_series(0, 29999) i;
VACUUM ANALYZE builds_forms;
SELECT query, builds(query), check_query(query) FROM (VALUES
	('SELECT i.n > 1, count(*), min(i.k) FROM builds_fact f JOIN builds_forms i ON f.a = i.k GROUP BY 1'),
	('SELECT i.n, count(*) FROM builds_fact f JOIN builds_forms i ON f.a = i.k WHERE i.k % 4 <> 0 GROUP BY 1')) q (query);
-- which of them has a group is PostgreSQL's to say
SELECT check_fallback('SELECT i.k, i.n, i.f, count(*) FROM builds_fact f JOIN builds_forms i ON f.a = i.k WHERE f.id < 3000 GROUP BY 1, 2, 3');
SELECT check_fallback('SELECT i.n, count(*) FROM builds_fact f JOIN builds_forms i ON f.a = i.k GROUP BY 1');
SELECT check_fallback('SELECT i.f, count(*) FROM builds_fact f JOIN builds_forms i ON f.a = i.k GROUP BY 1');
DROP TABLE builds_forms;

-- how the groupings find groups of rows that no look-up has yet: of rows that differ none is looked
-- for, unless no engine answers
CREATE FUNCTION check_strategies(query text, strategies text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
	plan jsonb;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, FORMAT JSON) ' || query INTO plan;
	RETURN jsonb_path_query_array(plan, 'strict $[0].Plan.Plans.**?(@."Custom Plan Provider" == "GpuAgg")."Engine Strategy"')
		IN (strategies::jsonb, CASE WHEN current_setting('gpuagg_test.fallback', true) = 'on' THEN jsonb '[]' END);
END $$;
SELECT query, strategies, check_strategies(query, strategies) FROM (VALUES
	('SELECT i.s, count(*), sum(v) FROM builds_fact f JOIN builds_item i ON f.a = i.k WHERE i.x = 4 GROUP BY 1', '["append"]'),
	('SELECT i.c, count(*), sum(i.x) FROM builds_fact f JOIN builds_text i ON f.t = i.k WHERE i.x = 2 GROUP BY 1', '["append"]'),
	('SELECT i.x, count(*) FROM builds_fact f JOIN builds_pair i ON f.a = i.a AND f.b = i.b WHERE i.x > 7 GROUP BY 1', '["append"]'),
	('SELECT b, count(*) FROM builds_fact f WHERE EXISTS (SELECT 1 FROM builds_sold s WHERE s.k = f.a) GROUP BY 1', '["direct"]')) q (query, strategies);
DROP FUNCTION check_strategies;

-- joins of the right side of a semi, anti or left join, whose rows may be grouped
SELECT query, check_query(query) FROM (VALUES
	('SELECT b, count(*) FROM builds_fact f WHERE f.a IN (SELECT i.k FROM builds_item i WHERE i.x = 3 AND NOT EXISTS (SELECT 1 FROM builds_owner o WHERE o.k = i.p AND o.y = 2)) GROUP BY 1'),
	('SELECT b, count(*) FROM builds_fact f WHERE f.a IN (SELECT i.k FROM builds_item i LEFT JOIN builds_owner o ON o.k = i.p + 50 WHERE i.x = 3) GROUP BY 1'),
	('SELECT b, count(*) FROM builds_fact f WHERE f.a IN (SELECT i.k FROM builds_item i LEFT JOIN builds_owner o ON o.k = i.p AND o.y = 1 WHERE i.x = 3 AND o.name IS NULL) GROUP BY 1'),
	('SELECT b, count(*) FROM builds_fact f WHERE NOT EXISTS (SELECT 1 FROM builds_item i WHERE i.k = f.a AND i.x > 3 AND EXISTS (SELECT 1 FROM builds_owner o WHERE o.k = i.p AND o.y = 2)) GROUP BY 1'),
	('SELECT i.s, count(*) FROM builds_fact f LEFT JOIN (SELECT i.* FROM builds_item i WHERE i.x = 3 AND NOT EXISTS (SELECT 1 FROM builds_owner o WHERE o.k = i.p AND o.y = 2)) i ON f.a = i.k GROUP BY 1'),
	('SELECT i.x, count(*) FROM builds_item i WHERE i.p IN (SELECT f.b FROM builds_fact f WHERE f.id > 100 AND NOT EXISTS (SELECT 1 FROM builds_owner o WHERE o.k = f.b AND o.y = 2)) GROUP BY 1'),
	('SELECT i.x, count(*) FROM builds_item i WHERE i.p IN (SELECT f.b FROM builds_fact f LEFT JOIN builds_owner o ON o.k = f.b + 60 AND o.y > 0 WHERE f.id > 100) GROUP BY 1'),
	('SELECT i.x, count(*) FROM builds_item i WHERE NOT EXISTS (SELECT 1 FROM builds_fact f LEFT JOIN builds_owner o ON o.k = f.b AND o.y > 0 WHERE f.b = i.p AND o.name IS NULL) GROUP BY 1')) q (query);
-- equal rows of one key, which statistics do not show
INSERT INTO builds_twice SELECT i, 0 FROM generate_series(0, 700, 7) i;
SELECT check_fallback('SELECT i.x, count(*) FROM builds_fact f JOIN builds_twice i ON f.a = i.k GROUP BY 1');
-- and of a join
SELECT check_fallback('SELECT o.name, count(*) FROM builds_fact f LEFT JOIN (builds_item i JOIN builds_owner o ON i.p = o.k AND o.y = 1) ON f.b = i.p AND i.x = 2 GROUP BY 1');
RESET gpuagg.engine;
SELECT check_builds('SELECT o.name, count(*), sum(i.n) FROM builds_fact f JOIN builds_item i ON f.a = i.k JOIN builds_owner o ON i.p = o.k WHERE o.y = 2 AND i.x = 1 GROUP BY 1');
SELECT check_join('SELECT i.any_n, i.c, count(*) FROM builds_fact f JOIN (SELECT a.k, a.any_n, t.c FROM builds_item a JOIN builds_text t ON a.p = t.x WHERE a.x = 3) i ON f.a = i.k GROUP BY 1, 2');

-- many rows, of all kinds of values, long texts among them; and numerics that are NaN, which no
-- column of a look-up has
CREATE TABLE builds_wide (k int PRIMARY KEY, s text, n numeric(8, 3), b bool, u uuid, m numeric(30, 5), p timestamptz, c char(4), z text);
INSERT INTO builds_wide SELECT i, CASE WHEN i % 6 > 0 THEN repeat('long', i % 80) END, CASE WHEN i % 7 > 0 THEN i % 90 / 3.0 END, i % 5 = 0,
	('00000000-0000-0000-0000-00000000000' || i % 9)::uuid, (i % 60) * 12345678901234567890.5, '2024-02-03'::timestamptz + i % 40 * interval '1 hour', 'c' || i % 6, repeat('z', i % 3)
FROM generate_series(0, 29999) i;
VACUUM ANALYZE builds_wide;
SET gpuagg.engine = cpu;
SELECT query, builds(query), check_builds(query) FROM (VALUES
	('SELECT w.s, w.b, count(*), sum(w.n), min(w.n), count(w.m) FROM builds_fact f JOIN builds_wide w ON f.a = w.k WHERE w.z = ''zz'' GROUP BY 1, 2'),
	('SELECT w.n, w.c, count(*), max(w.s) FROM builds_fact f JOIN builds_wide w ON f.a = w.k WHERE w.z <> ''zz'' GROUP BY 1, 2'),
	('SELECT w.u, w.m, w.p, count(*) FROM builds_fact f LEFT JOIN builds_wide w ON f.a = w.k AND w.z <> ''zz'' GROUP BY 1, 2, 3'),
	('SELECT o.y, sum(w.m), count(o.x) FROM builds_fact f JOIN (SELECT k, m, p IS NULL AS x, length(z) AS y FROM builds_wide WHERE z <> ''z'' GROUP BY 1, 2, 3, 4) o ON f.a = o.k JOIN builds_wide w ON f.a + 1 = w.k WHERE w.z <> ''zz'' GROUP BY 1')) q (query);
UPDATE builds_wide SET n = 'NaN', m = 'NaN' WHERE k % 1100 = 0;
VACUUM builds_wide;
SELECT check_fallback('SELECT w.n, sum(w.n), count(*) FROM builds_fact f JOIN builds_wide w ON f.a = w.k WHERE w.z <> ''zz'' GROUP BY 1');
SELECT check_fallback('SELECT w.c, sum(w.m) FROM builds_fact f JOIN builds_wide w ON f.a = w.k WHERE w.z <> ''zz'' GROUP BY 1');
DROP TABLE builds_wide;
RESET gpuagg.engine;

-- with parameters, of which each execution has others
SET gpuagg.engine = cpu;
PREPARE builds(int, text) AS SELECT i.s, count(*), sum(f.v) FROM builds_fact f JOIN builds_item i ON f.a = i.k WHERE i.x = $1 AND i.z > $2 GROUP BY 1 ORDER BY 1 LIMIT 3;
SET plan_cache_mode = force_generic_plan;
EXECUTE builds(3, 'zz');
EXECUTE builds(4, 'z');
RESET plan_cache_mode;
SELECT check_query('SELECT n, (SELECT sum(i.x) FROM builds_fact f JOIN builds_item i ON f.a = i.k WHERE i.d < date ''2021-01-01'' + n::int) FROM generate_series(1, 4) n');

-- in workers
BEGIN;
SET LOCAL max_parallel_workers_per_gather = 2;
SET LOCAL parallel_setup_cost = 0;
SET LOCAL parallel_tuple_cost = 0;
SET LOCAL min_parallel_table_scan_size = 0;
SELECT check_join('SELECT i.s, count(*), sum(v) FROM builds_fact f JOIN builds_item i ON f.a = i.k WHERE i.x = 3 GROUP BY 1');
SELECT check_builds('SELECT o.name, count(*), sum(i.n) FROM builds_fact f JOIN builds_item i ON f.a = i.k JOIN builds_owner o ON i.p = o.k WHERE o.y = 2 AND i.x = 1 GROUP BY 1');
COMMIT;

-- rows that a policy hides
CREATE ROLE builds_reader;
GRANT SELECT ON builds_fact, builds_item TO builds_reader;
ALTER TABLE builds_item ENABLE ROW LEVEL SECURITY;
CREATE POLICY builds_policy ON builds_item USING (p < 60);
SET ROLE builds_reader;
SELECT i.x, count(*) FROM builds_fact f JOIN builds_item i ON f.a = i.k WHERE i.s = 'val4' GROUP BY 1 ORDER BY 1;
SET gpuagg.mode = off;
SELECT i.x, count(*) FROM builds_fact f JOIN builds_item i ON f.a = i.k WHERE i.s = 'val4' GROUP BY 1 ORDER BY 1;
RESET ROLE;
SET gpuagg.mode = force;

DEALLOCATE builds;
DROP FUNCTION builds, check_builds;
DROP TABLE builds_fact, builds_item, builds_text, builds_pair, builds_owner, builds_sold, builds_twice;
DROP ROLE builds_reader;
RESET gpuagg.engine;
