--
-- Aggregates of an outer join's right side, grouped by a key of its left side, which are made
-- before the join.
--
CREATE TABLE eager_customer (id int PRIMARY KEY, name text NOT NULL, region int, code char(6), other int8, a int, UNIQUE (name, region));
INSERT INTO eager_customer SELECT i, 'name' || i, i % 20, 'c' || i % 400, i % 900, i % 3 FROM generate_series(1, 4000) i;
CREATE TABLE eager_order (id int NOT NULL, customer int, kind int2, total numeric(12, 2), amount int, note text, price float8, code char(10));
INSERT INTO eager_order SELECT i, nullif(i * 11 % 2800, 5), i % 7, i % 1000 / 4.0, CASE WHEN i % 5 > 0 THEN i % 600 END, CASE WHEN i % 3 > 0 THEN 'note' || i % 50 END, i / 4.0, 'c' || i % 600
FROM generate_series(1, 30000) i;
CREATE TABLE eager_parent (id int PRIMARY KEY, x int);
CREATE TABLE eager_child () INHERITS (eager_parent);
INSERT INTO eager_parent SELECT i, i % 5 FROM generate_series(1, 50) i;
INSERT INTO eager_child SELECT i, i % 3 FROM generate_series(1, 70) i;
CREATE TABLE eager_part (id int PRIMARY KEY, x int) PARTITION BY RANGE (id);
CREATE TABLE eager_part_1 PARTITION OF eager_part FOR VALUES FROM (0) TO (500);
CREATE TABLE eager_part_2 PARTITION OF eager_part FOR VALUES FROM (500) TO (5000);
INSERT INTO eager_part SELECT i, i % 5 FROM generate_series(1, 3000) i;
CREATE TABLE eager_none (id int PRIMARY KEY) PARTITION BY RANGE (id);
VACUUM ANALYZE eager_customer, eager_order, eager_parent, eager_child, eager_part, eager_none;

-- Is the right side's table grouped alone?
CREATE FUNCTION grouped_before(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
		IF line ~ 'Group Key: o(_1)?\.' THEN
			RETURN 'before';
		END IF;
	END LOOP;
	RETURN 'after';
END $$;
CREATE FUNCTION check_eager(query text) RETURNS text LANGUAGE sql AS $$SELECT check_query(query) || ', ' || grouped_before(query)$$;

SET gpuagg.engine = cpu;
SELECT query, check_eager(query) FROM (VALUES
	('SELECT c.id, count(o.id) FROM eager_customer c LEFT JOIN eager_order o ON c.id = o.customer GROUP BY c.id'),
	-- what of no row is counted once, or is NULL
	('SELECT c.id, count(*), count(o.amount), sum(o.total), min(o.note), avg(o.amount) FROM eager_customer c LEFT JOIN eager_order o ON c.id = o.customer AND o.kind = 3 GROUP BY c.id'),
	('SELECT c.id, count(*) FILTER (WHERE o.kind > 4), sum(o.amount) FILTER (WHERE o.note LIKE ''%1%''), count(DISTINCT o.kind) FROM eager_customer c LEFT JOIN eager_order o ON c.id = o.customer GROUP BY c.id'),
	('SELECT n, count(*) FROM (SELECT c.id, count(o.id) AS n FROM eager_customer c LEFT JOIN eager_order o ON c.id = o.customer AND o.note NOT LIKE ''%no%7%'' GROUP BY c.id) x GROUP BY 1'),
	('SELECT s.n::float8, s.id, sum(s.id) FILTER (WHERE s.id < 200) FROM (SELECT c.id, count(*) AS n FROM eager_customer c LEFT JOIN eager_order o ON c.id = o.customer AND o.kind <> 3 GROUP BY 1 HAVING count(*) < 5) s GROUP BY s.n::float8, ROLLUP (s.id)'),
	-- the groups of the query around it can be NULL, and there are no rows
	('SELECT s.n::float8, s.id, avg(s.id) FROM (SELECT c.id, min(o.id) AS n FROM eager_none c LEFT JOIN eager_order o ON c.id = o.customer AND (o.kind <> 3 OR o.amount < 5) GROUP BY 1 HAVING count(*) < 5) s GROUP BY s.n::float8, ROLLUP (s.id)'),
	-- other columns of the left side, conditions of it, another key, the other way round
	('SELECT c.name, c.region, 1 + count(o.id), c.id * 2 FROM eager_customer c LEFT JOIN eager_order o ON c.id = o.customer AND c.region < 15 AND o.amount > 30 WHERE c.code > ''c2'' GROUP BY c.id'),
	('SELECT c.id, c.code, sum(o.amount) FROM eager_customer c LEFT JOIN eager_order o ON c.code = o.code GROUP BY 1, 2'),
	('SELECT c.id, c.a, count(o.price), max(o.price) FROM eager_order o RIGHT JOIN eager_customer c ON o.customer = c.other AND o.kind = c.a GROUP BY 1, 2'),
	('SELECT c.id, sum(o.amount) FROM eager_customer c LEFT JOIN eager_order o ON o.customer % 500 = c.id / 4 GROUP BY 1'),
	('SELECT c.id, sum(o.amount) AS s FROM eager_customer c LEFT JOIN eager_order o ON c.id = o.customer GROUP BY 1 HAVING count(o.id) > 14 OR sum(o.total) IS NULL ORDER BY s DESC NULLS LAST, 1 LIMIT 20'),
	('SELECT DISTINCT c.region + count(o.id) FROM eager_customer c LEFT JOIN eager_order o ON c.id = o.customer GROUP BY c.id, c.region'),
	('SELECT p.id, p.x, count(o.id) FROM eager_part p LEFT JOIN eager_order o ON p.id = o.customer GROUP BY 1'),
	-- values of the query around it on the right side
	('SELECT r, (SELECT sum(s.n * s.x) FROM (SELECT c.id, count(o.id) AS n, count(*) FILTER (WHERE o.amount > r) AS x FROM eager_customer c LEFT JOIN eager_order o ON c.id = o.customer AND o.kind <> r AND c.a <> r GROUP BY c.id) s) FROM generate_series(1, 8) r'),
	-- where groups are of several rows, or may be
	('SELECT c.region, count(o.id) FROM eager_customer c LEFT JOIN eager_order o ON c.id = o.customer GROUP BY 1'),
	('SELECT c.name, count(o.id) FROM eager_customer c LEFT JOIN eager_order o ON c.id = o.customer GROUP BY 1'),
	('SELECT c.name, c.region, count(o.id) FROM eager_customer c LEFT JOIN eager_order o ON c.id = o.customer GROUP BY 1, 2'),
	('SELECT p.id, count(o.id) FROM eager_parent p LEFT JOIN eager_order o ON p.id = o.customer GROUP BY 1'),
	-- aggregates of both sides, of NULLs, of an order; conditions of both sides, no equality
	('SELECT c.id, sum(o.amount + c.region) FROM eager_customer c LEFT JOIN eager_order o ON c.id = o.customer GROUP BY 1'),
	('SELECT c.id, count(coalesce(o.amount, 1)), sum(c.region) FROM eager_customer c LEFT JOIN eager_order o ON c.id = o.customer GROUP BY 1'),
	('SELECT c.id, count(*) FILTER (WHERE o.kind IS NULL) FROM eager_customer c LEFT JOIN eager_order o ON c.id = o.customer GROUP BY 1'),
	('SELECT c.id, count(o.id) FROM eager_customer c LEFT JOIN eager_order o ON c.id = o.customer WHERE o.kind > 3 OR o.id IS NULL GROUP BY 1'),
	('SELECT c.id, count(o.id) FROM eager_customer c LEFT JOIN eager_order o ON c.id = o.customer AND (o.kind = c.a OR o.amount > c.other) GROUP BY 1'),
	('SELECT c.id, count(o.id) FROM eager_customer c JOIN eager_order o ON c.id = o.customer GROUP BY 1')) q (query);

-- what can raise an error for rows that the join does not have
SELECT query, grouped_before(query), outcome(query, 'force', 'on') = outcome(query, 'off', 'on') FROM (VALUES
	('SELECT c.id, sum(1000 / (o.id - 29999)) FROM eager_customer c LEFT JOIN eager_order o ON c.id = o.customer WHERE c.id < 90 GROUP BY 1'),
	('SELECT c.id, sum(o.price * 1e304) FROM eager_customer c LEFT JOIN eager_order o ON c.id = o.customer WHERE c.id < 90 GROUP BY 1')) q (query);

-- nor do conditions for groups of rows that the left side does not have
SELECT query, check_eager(query) FROM (VALUES
	('SELECT c.id, min(o.id) FROM eager_customer c LEFT JOIN eager_order o ON c.id = o.customer WHERE c.region <> 15 GROUP BY 1 HAVING 10 / (min(o.id) - 5) < 100'),
	('SELECT s.n, count(*) FROM (SELECT c.id, min(o.id) AS n FROM eager_customer c LEFT JOIN eager_order o ON c.id = o.customer WHERE c.region <> 15 GROUP BY 1) s WHERE 10 / (s.n - 5) < 100 GROUP BY 1'),
	('SELECT s.n, count(*) FROM (SELECT c.id, 10 / (min(o.id) - 5) AS n FROM eager_customer c LEFT JOIN eager_order o ON c.id = o.customer WHERE c.region <> 15 GROUP BY 1) s WHERE s.n < 100 GROUP BY 1')) q (query);
-- nor do subqueries beside them; below an INSERT the rows' cast could raise an error, too
SELECT count(*), sum(z.y) FROM (SELECT c.id, min(o.id) AS n FROM eager_customer c LEFT JOIN eager_order o ON c.id = o.customer WHERE c.region <> 15 GROUP BY 1) s, LATERAL (SELECT 10 / (s.n - 5) AS y) z WHERE z.y < 100;
SELECT count(*) FROM (SELECT c.id, min(o.id) AS n FROM eager_customer c LEFT JOIN eager_order o ON c.id = o.customer WHERE c.region <> 15 GROUP BY 1) s WHERE EXISTS (SELECT FROM eager_part p WHERE p.id > 5 AND 10 / (s.n - 5) < 100);

-- a unique index that tells apart what the groups do not
CREATE COLLATION eager_loosely (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TABLE eager_text (t text COLLATE eager_loosely NOT NULL, k int NOT NULL);
INSERT INTO eager_text SELECT CASE WHEN i % 2 = 0 THEN 'a' ELSE 'A' END || i / 2, i FROM generate_series(1, 3000) i;
CREATE UNIQUE INDEX ON eager_text (t COLLATE "C");
ANALYZE eager_text;
SELECT grouped_before(query), outcome(query, 'force', 'on') = outcome(query, 'off', 'on') FROM (VALUES
	('SELECT e.t, count(o.id) FROM eager_text e LEFT JOIN eager_order o ON o.customer = e.k GROUP BY 1')) q (query);
CREATE UNIQUE INDEX ON eager_text (k);
SELECT grouped_before(query), outcome(query, 'force', 'on') = outcome(query, 'off', 'on') FROM (VALUES
	('SELECT e.t, e.k, count(o.id) FROM eager_text e LEFT JOIN eager_order o ON o.customer = e.k GROUP BY 1, 2')) q (query);
DROP TABLE eager_text;
DROP COLLATION eager_loosely;

-- a key that is not put out and raises an error is computed
SELECT grouped_before(query), outcome(query, 'force', 'on') = outcome(query, 'off', 'on') FROM (VALUES
	('SELECT c.id, count(o.id) FROM eager_customer c LEFT JOIN eager_order o ON o.customer = c.id GROUP BY c.id, 10 / (c.id - 7)'),
	('SELECT c.id, count(o.id) FROM eager_customer c LEFT JOIN eager_order o ON o.customer = c.id GROUP BY c.id, c.region')) q (query);

-- by auto; prepared; who may read what
SET gpuagg.mode = auto;
SELECT grouped_before('SELECT c.id, count(o.id) FROM eager_customer c LEFT JOIN eager_order o ON c.id = o.customer GROUP BY c.id');
SET gpuagg.mode = force;
PREPARE eager(int, text) AS SELECT c.id, count(o.id), sum(o.total) FROM eager_customer c LEFT JOIN eager_order o ON c.id = o.customer AND o.kind > $1 WHERE c.code = $2 GROUP BY c.id ORDER BY 1 LIMIT 3;
SET plan_cache_mode = force_generic_plan;
EXECUTE eager(2, 'c7');
EXECUTE eager(5, 'c8');
RESET plan_cache_mode;
-- a key that goes is no key any more
ALTER TABLE eager_customer DROP CONSTRAINT eager_customer_pkey;
UPDATE eager_customer SET id = 8 WHERE id = 408;
EXECUTE eager(5, 'c8');
DEALLOCATE eager;
ALTER TABLE eager_customer ADD UNIQUE (a, other, region, code, name);
CREATE ROLE eager_reader;
GRANT SELECT (id, x) ON eager_part TO eager_reader;
GRANT SELECT (id, customer) ON eager_order TO eager_reader;
ALTER TABLE eager_order ENABLE ROW LEVEL SECURITY;
CREATE POLICY eager_policy ON eager_order USING (kind < 3);
SET ROLE eager_reader;
SELECT sum(n) FROM (SELECT p.id, count(o.id) AS n FROM eager_part p LEFT JOIN eager_order o ON p.id = o.customer GROUP BY 1) s;
SELECT sum(n) FROM (SELECT p.id, count(o.amount) AS n FROM eager_part p LEFT JOIN eager_order o ON p.id = o.customer GROUP BY 1) s;
SET gpuagg.mode = off;
SELECT sum(n) FROM (SELECT p.id, count(o.id) AS n FROM eager_part p LEFT JOIN eager_order o ON p.id = o.customer GROUP BY 1) s;
RESET ROLE;
SET gpuagg.mode = force;

DROP FUNCTION grouped_before, check_eager;
DROP TABLE eager_customer, eager_order, eager_child, eager_none, eager_parent, eager_part;
DROP ROLE eager_reader;
RESET gpuagg.engine;
