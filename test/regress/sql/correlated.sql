--
-- Correlated subqueries of aggregates, which become joins of their groups.
--
CREATE TABLE correlated_customer (id int PRIMARY KEY, name text, region int, credit numeric(12, 2), big int8, code char(6));
INSERT INTO correlated_customer SELECT i, 'name' || i, i % 20, i * 17 % 900, i % 300, 'c' || i % 40 FROM generate_series(1, 3000) i;
CREATE TABLE correlated_order (id int NOT NULL, customer int, kind int2, total numeric(12, 2), amount int, moment timestamp, note text, price float8, code char(10), any_n numeric);
INSERT INTO correlated_order SELECT i, nullif(i * 11 % 2800, 5), i % 7, i % 1000 / 4.0, CASE WHEN i % 5 > 0 THEN i % 600 END, timestamp '2024-01-01' + i % 900 * interval '1 hour', CASE WHEN i % 3 > 0 THEN 'note' || i % 50 END, i / 4.0, 'c' || i % 60,
	i % 100 / 3.0 FROM generate_series(1, 30000) i;
CREATE INDEX ON correlated_order (customer);
CREATE TABLE correlated_pair (a int, b int, n int, PRIMARY KEY (a, b));
INSERT INTO correlated_pair SELECT i % 2800, i * 2 % 7, i % 90 FROM generate_series(1, 2800) i;
CREATE TABLE correlated_empty (customer int, amount int);
VACUUM ANALYZE correlated_customer, correlated_order, correlated_pair, correlated_empty;

-- How PostgreSQL's plan, or an engine's, has the subqueries.
CREATE FUNCTION subqueries(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	plan jsonb;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
	RETURN CASE WHEN jsonb_path_exists(plan, 'strict $.**?(@."Parent Relationship" == "SubPlan")') THEN 'row by row' ELSE 'joined' END;
END $$;
CREATE FUNCTION check_joined(query text) RETURNS text LANGUAGE sql AS $$SELECT check_query(query) || ', ' || subqueries(query)$$;

-- How many rows a query has: as PostgreSQL has it?
CREATE FUNCTION rows_of(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	n bigint;
	other bigint;
BEGIN
	EXECUTE 'SELECT count(q::text) FROM (' || query || ') q' INTO n;
	SET gpuagg.mode = off;
	EXECUTE 'SELECT count(q::text) FROM (' || query || ') q' INTO other;
	SET gpuagg.mode = force;
	RETURN CASE WHEN n = other THEN 'same rows' ELSE 'other rows: ' || n || ', not ' || other END;
END $$;

SET gpuagg.engine = cpu;
SELECT query, check_joined(query) FROM (VALUES
	-- a condition that no row passes without a group
	('SELECT c.id FROM correlated_customer c WHERE c.credit < (SELECT 0.5 * avg(o.total) FROM correlated_order o WHERE o.customer = c.id)'),
	('SELECT c.id FROM correlated_customer c WHERE c.credit < 2 * (SELECT sum(o.total) - min(o.amount) FROM correlated_order o WHERE c.id = o.customer AND o.kind = 3)'),
	('SELECT c.region, count(*) FROM correlated_customer c WHERE c.big <= (SELECT max(o.amount) FROM correlated_order o WHERE o.customer = c.id) AND c.name LIKE ''%1%'' GROUP BY 1'),
	('SELECT o.id FROM correlated_order o WHERE o.total = (SELECT max(i.total) FROM correlated_order i WHERE i.customer = o.customer AND i.kind = o.kind)'),
	('SELECT o.id FROM correlated_order o, correlated_customer c WHERE o.customer = c.id AND c.region = 3 AND o.amount > (SELECT avg(i.amount) FROM correlated_order i WHERE i.customer = c.id AND i.note IS NOT NULL)'),
	-- one that rows without a group can pass: nothing is 0 where rows are counted, else NULL
	('SELECT c.id FROM correlated_customer c WHERE (SELECT count(*) FROM correlated_order o WHERE o.customer = c.id) = 0'),
	('SELECT c.id FROM correlated_customer c WHERE (SELECT count(o.amount) FROM correlated_order o WHERE o.customer = c.id AND o.kind = 2) < 2'),
	('SELECT c.id FROM correlated_customer c WHERE (SELECT sum(o.amount) FROM correlated_order o WHERE o.customer = c.id AND o.kind = 2) IS NULL'),
	('SELECT c.id FROM correlated_customer c WHERE coalesce((SELECT sum(o.amount) FROM correlated_order o WHERE o.customer = c.id AND o.kind = 2), 400) > 390'),
	('SELECT c.id FROM correlated_customer c WHERE c.region = 1 OR c.credit < (SELECT avg(o.total) FROM correlated_order o WHERE o.customer = c.id)'),
	-- as a column
	('SELECT c.name, (SELECT sum(o.total) FROM correlated_order o WHERE o.customer = c.id) FROM correlated_customer c'),
	('SELECT c.id, (SELECT count(*) FROM correlated_order o WHERE o.customer = c.id) AS n, (SELECT max(o.moment) - min(o.moment) FROM correlated_order o WHERE o.customer = c.id) FROM correlated_customer c'),
	('SELECT c.id, (SELECT count(*) FROM correlated_order o WHERE o.customer = c.id) AS n, (SELECT max(o.moment) - min(o.moment) FROM correlated_order o WHERE o.customer = c.id AND o.amount > 7) FROM correlated_customer c WHERE c.region < 4 ORDER BY n, 1 LIMIT 30'),
	('SELECT DISTINCT c.region, (SELECT count(*) FROM correlated_order o WHERE o.customer = c.big) FROM correlated_customer c'),
	('SELECT n, count(*), sum(total) FROM (SELECT (SELECT count(*) FROM correlated_order o WHERE o.customer = c.id) AS n, (SELECT sum(o.total) FROM correlated_order o WHERE o.customer = c.id) AS total FROM correlated_customer c) x GROUP BY 1'),
	('SELECT c.id, CASE WHEN c.region > 10 THEN (SELECT count(DISTINCT o.kind) FILTER (WHERE o.amount > 100) FROM correlated_order o WHERE o.customer = c.id) ELSE -1 END FROM correlated_customer c'),
	-- several keys, of other types, expressions, of two relations, on the nullable side of a join
	('SELECT p.a, p.b FROM correlated_pair p WHERE p.n < (SELECT 0.3 * sum(o.amount) FROM correlated_order o WHERE o.customer = p.a AND o.kind = p.b)'),
	('SELECT c.id, (SELECT count(*) FROM correlated_order o WHERE o.customer = c.big) FROM correlated_customer c'),
	('SELECT c.id, (SELECT sum(o.amount) FROM correlated_order o WHERE o.code = c.code) FROM correlated_customer c WHERE c.region = 3'),
	('SELECT c.id FROM correlated_customer c WHERE c.credit > (SELECT avg(o.total) FROM correlated_order o WHERE o.customer % 100 = c.id / 30) AND c.region = 3'),
	('SELECT c.id, p.b FROM correlated_customer c JOIN correlated_pair p ON c.id = p.a WHERE c.big < (SELECT sum(o.amount) FROM correlated_order o WHERE o.customer = c.id AND o.kind = p.b)'),
	('SELECT c.id, (SELECT count(*) FROM correlated_order o WHERE o.customer = p.a), (SELECT sum(o.amount) FROM correlated_order o WHERE o.customer = p.a) FROM correlated_customer c LEFT JOIN correlated_pair p ON c.id = p.a + 5 AND p.b = 1'),
	-- joins within, and nothing at all
	('SELECT c.id FROM correlated_customer c WHERE c.credit < (SELECT sum(o.total) FROM correlated_order o JOIN correlated_pair p ON p.a = o.customer AND p.b = o.kind WHERE o.customer = c.id AND p.n > 40)'),
	('SELECT c.id, (SELECT max(p.n) FROM correlated_order o LEFT JOIN correlated_pair p ON p.a = o.customer AND p.b = o.kind WHERE o.customer = c.id) FROM correlated_customer c'),
	('SELECT c.id, (SELECT count(*) FROM correlated_empty e JOIN correlated_order o USING (customer) WHERE e.customer = c.id) FROM correlated_customer c'),
	-- below: in a subquery that is joined, a CTE, a part of UNION ALL, in HAVING''s place none
	('SELECT c.id FROM correlated_customer c WHERE c.id IN (SELECT o.customer FROM correlated_order o WHERE o.amount > (SELECT 1.8 * avg(i.amount) FROM correlated_order i WHERE i.kind = o.kind AND i.customer = o.customer))'),
	('WITH w AS MATERIALIZED (SELECT c.region, (SELECT sum(o.amount) FROM correlated_order o WHERE o.customer = c.id) AS s FROM correlated_customer c) SELECT region, sum(s) FROM w GROUP BY 1'),
	('SELECT c.id FROM correlated_customer c WHERE c.credit < (SELECT avg(o.total) FROM correlated_order o WHERE o.customer = c.id) UNION ALL SELECT count(*) FROM correlated_order')) q (query);

-- EXISTS of rows with another value, as a condition on the least and the greatest one
CREATE FUNCTION exists_by(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	plan jsonb;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT JSON, VERBOSE) ' || query INTO plan;
	RETURN CASE WHEN plan::text LIKE '%min(%' THEN 'extremes' ELSE 'comparisons' END;
END $$;
SELECT query, check_query(query), exists_by(query) FROM (VALUES
	('SELECT o.id FROM correlated_order o WHERE EXISTS (SELECT 1 FROM correlated_order i WHERE i.customer = o.customer AND i.amount <> o.amount)'),
	('SELECT o.kind, count(*) FROM correlated_order o WHERE NOT EXISTS (SELECT * FROM correlated_order i WHERE o.customer = i.customer AND o.amount <> i.amount AND i.kind < 3) GROUP BY 1'),
	('SELECT o.kind, count(*), count(*) FILTER (WHERE NOT EXISTS (SELECT FROM correlated_order i WHERE i.customer = o.customer AND i.note <> o.note)) FROM correlated_order o GROUP BY 1'),
	('SELECT o.id, EXISTS (SELECT FROM correlated_order i WHERE i.customer = o.customer AND i.total <> o.total) FROM correlated_order o WHERE o.kind = 2 OR NOT EXISTS (SELECT FROM correlated_order i WHERE i.customer = o.customer AND i.price <> o.price AND i.amount > 500)'),
	('SELECT c.id FROM correlated_customer c WHERE EXISTS (SELECT FROM correlated_order o WHERE o.customer = c.id AND o.kind <> c.region) AND NOT EXISTS (SELECT FROM correlated_order o WHERE o.customer = c.id AND o.amount <> c.big)'),
	('SELECT c.id FROM correlated_customer c WHERE NOT EXISTS (SELECT FROM correlated_order o WHERE o.customer = c.id AND o.kind = c.region AND o.moment <> timestamp ''2024-01-01'' + c.region * interval ''1 hour'')'),
	('SELECT c.region, count(*) FROM correlated_customer c WHERE NOT EXISTS (SELECT FROM correlated_empty e WHERE e.customer = c.id AND e.amount <> c.region) GROUP BY 1'),
	('SELECT o.id FROM correlated_order o WHERE EXISTS (SELECT FROM correlated_order i JOIN correlated_pair p ON p.a = i.customer AND p.b = i.kind WHERE i.customer = o.customer AND p.n <> o.amount)'),
	-- two other values, no equality, rows that are left out or none, a type without extremes
	('SELECT o.id FROM correlated_order o WHERE o.kind = 4 AND EXISTS (SELECT FROM correlated_order i WHERE i.customer = o.customer AND i.amount <> o.amount AND i.kind <> o.kind)'),
	('SELECT c.id FROM correlated_customer c WHERE c.id < 40 AND EXISTS (SELECT FROM correlated_pair p WHERE p.n <> c.region)'),
	('SELECT c.id FROM correlated_customer c WHERE NOT EXISTS (SELECT FROM correlated_order o WHERE o.customer = c.id AND o.kind <> c.region LIMIT 0)'),
	('SELECT c.id FROM correlated_customer c WHERE EXISTS (SELECT count(*) FROM correlated_order o WHERE o.customer = c.id AND o.kind <> c.region)'),
	('SELECT c.id FROM correlated_customer c WHERE EXISTS (SELECT FROM correlated_order o WHERE o.customer = c.id AND (o.kind = 1) <> (c.region = 1))')) q (query);
-- of rows none of which has another value, more than one is expected
CREATE FUNCTION expected_rows(query text) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE
	plan jsonb;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
	RETURN plan -> 0 -> 'Plan' -> 'Plan Rows';
END $$;
SELECT exists_by(query), expected_rows(query) > 500 FROM (VALUES
	('SELECT o.id FROM correlated_order o WHERE NOT EXISTS (SELECT FROM correlated_order i WHERE i.customer = o.customer AND i.id <> o.id)'),
	('SELECT o.id FROM correlated_order o WHERE EXISTS (SELECT FROM correlated_order i WHERE i.customer = o.customer AND i.id <> o.id)')) q (query);
DROP FUNCTION exists_by, expected_rows;

-- with values of a query that is further out
SELECT query, check_query(query) FROM (VALUES
	('SELECT r, (SELECT sum(x.n) FROM (SELECT (SELECT count(*) FROM correlated_order o WHERE o.customer = c.id AND o.kind = r) AS n FROM correlated_customer c WHERE c.region = r) x) FROM generate_series(1, 5) r'),
	('SELECT r, (SELECT count(*) FROM correlated_customer c WHERE c.region > r AND c.big < (SELECT sum(o.amount) FROM correlated_order o WHERE o.customer = c.id AND o.kind < r)) FROM generate_series(1, 5) r'),
	('SELECT r, (SELECT sum((SELECT c.region FROM correlated_customer c WHERE c.id = o.customer AND c.region <> r)) FROM correlated_order o WHERE o.kind = r) FROM generate_series(1, 5) r')) q (query);
-- of the one row with a key, in conditions, as keys of groups, in aggregates, beside groups
SELECT query, check_joined(query) FROM (VALUES
	('SELECT (SELECT c.code FROM correlated_customer c WHERE c.id = o.customer) AS code, count(*), sum(o.amount) FROM correlated_order o GROUP BY 1'),
	('SELECT o.customer, (SELECT c.name || c.region FROM correlated_customer c WHERE o.customer = c.id), count(*) FROM correlated_order o WHERE o.kind < 3 GROUP BY o.customer'),
	('SELECT o.kind, sum((SELECT c.region FROM correlated_customer c WHERE c.id = o.customer)), count((SELECT c.name FROM correlated_customer c WHERE c.id = o.customer AND c.region > 4)) FROM correlated_order o GROUP BY 1'),
	('SELECT count(*), max(o.note) FROM correlated_order o WHERE (SELECT c.region FROM correlated_customer c WHERE c.id = o.customer) = 7'),
	('SELECT o.kind, count(*) FROM correlated_order o WHERE (SELECT c.region FROM correlated_customer c WHERE c.id = o.customer AND c.code < ''c2'') IS NULL GROUP BY 1'),
	('SELECT (SELECT p.n FROM correlated_pair p WHERE p.b = o.kind AND p.a = o.customer LIMIT 1), count(*) FROM correlated_order o GROUP BY 1 HAVING count(*) > 3 ORDER BY 1 LIMIT 9'),
	('SELECT o.kind, (SELECT count(*) FROM correlated_customer c WHERE c.region = o.kind) AS n, sum(o.amount) FROM correlated_order o GROUP BY o.kind'),
	('SELECT x.r, count(*), sum(x.amount) FROM (SELECT (SELECT c.region FROM correlated_customer c WHERE c.id = o.customer) AS r, o.amount FROM correlated_order o) x WHERE x.r > 5 GROUP BY 1'),
	('SELECT DISTINCT (SELECT c.region FROM correlated_customer c WHERE c.id = o.customer) FROM correlated_order o'),
	('SELECT (SELECT true FROM correlated_customer c WHERE c.id = o.customer), count(*) FROM correlated_order o GROUP BY 1')) q (query);
-- not by what is no key, or several rows, or an error
SELECT query, subqueries(query), outcome(query, 'force', 'on') = outcome(query, 'off', 'on') FROM (VALUES
	('SELECT (SELECT c.code FROM correlated_customer c WHERE c.region = o.customer), count(*) FROM correlated_order o WHERE o.id < 50 GROUP BY 1'),
	('SELECT (SELECT c.code FROM correlated_customer c WHERE c.id = o.customer LIMIT 0), count(*) FROM correlated_order o WHERE o.id < 50 GROUP BY 1'),
	('SELECT (SELECT p.n FROM correlated_pair p WHERE p.b = o.kind LIMIT 1) IS NULL, count(*) FROM correlated_order o WHERE o.id < 50 GROUP BY 1'),
	('SELECT (SELECT 1 / (c.id - 2900) FROM correlated_customer c WHERE c.id = o.customer), count(*) FROM correlated_order o GROUP BY 1'),
	('SELECT o.kind, (SELECT c.name FROM correlated_customer c WHERE c.id = o.kind), grouping(o.kind), count(*) FROM correlated_order o GROUP BY ROLLUP (1)')) q (query);

-- what stays: errors that groups which nobody asks for can raise, correlations that are no equalities of
-- the subquery's own condition, HAVING, other aggregates, volatile functions, rows to be locked
SELECT query, subqueries(query), outcome(query, 'force', 'on') = outcome(query, 'off', 'on') FROM (VALUES
	('SELECT c.id FROM correlated_customer c WHERE c.id < 90 AND c.credit < (SELECT sum(1000 / (o.id - 29999)) FROM correlated_order o WHERE o.customer = c.id)'),
	('SELECT c.id FROM correlated_customer c WHERE c.id < 90 AND c.credit < (SELECT sum(10 / (o.customer - 100)) FROM correlated_order o WHERE o.customer = c.id)'),
	('SELECT c.id FROM correlated_customer c WHERE c.id < 90 AND c.credit < (SELECT avg(o.total) FROM correlated_order o WHERE o.customer = c.id AND 10 / (o.customer - 100) < 5)'),
	('SELECT c.id FROM correlated_customer c WHERE c.id < 90 AND c.credit < (SELECT sum(o.price * 1e305) FROM correlated_order o WHERE o.customer = c.id)'),
	('SELECT c.id FROM correlated_customer c WHERE c.id < 9 AND c.credit < (SELECT avg(o.total) FROM correlated_order o WHERE o.customer <= c.id)'),
	('SELECT c.id FROM correlated_customer c WHERE c.id < 9 AND c.credit < (SELECT avg(o.total) FROM correlated_order o WHERE o.customer = c.id OR o.kind = c.region)'),
	('SELECT c.id FROM correlated_customer c WHERE c.credit < (SELECT avg(o.total + c.region) FROM correlated_order o WHERE o.customer = c.id)'),
	('SELECT c.id FROM correlated_customer c WHERE c.credit < (SELECT avg(o.total) FROM correlated_order o WHERE o.customer = c.id HAVING count(*) > 3)'),
	('SELECT c.id FROM correlated_customer c WHERE c.name < (SELECT string_agg(o.note, '','' ORDER BY o.id) FROM correlated_order o WHERE o.customer = c.id)'),
	('SELECT c.id FROM correlated_customer c WHERE c.id < 9 AND c.credit < (SELECT avg(o.total) FROM correlated_order o WHERE o.customer = c.id AND random() >= 0)'),
	('SELECT c.id FROM correlated_customer c WHERE c.id < 9 AND c.credit < (SELECT avg(o.total) FROM correlated_order o WHERE o.customer = c.id) FOR UPDATE')) q (query);

-- an error of the expression over the aggregates is that of a row that asks for it
SELECT query, subqueries(query), outcome(query, 'force', 'on'), outcome(query, 'off', 'on') FROM (VALUES
	('SELECT c.id FROM correlated_customer c WHERE c.credit < (SELECT 10 / (count(*) - 10) FROM correlated_order o WHERE o.customer = c.id)'),
	('SELECT c.id FROM correlated_customer c WHERE c.id < 5 AND c.credit < (SELECT 10 / (sum(o.id) - 29999) FROM correlated_order o WHERE o.customer = c.id)')) q (query);
-- as is that of another condition, of a row that no group is found for
SELECT query, subqueries(query), outcome(query, 'force', 'on'), outcome(query, 'off', 'on') FROM (VALUES
	('SELECT c.id FROM correlated_customer c WHERE c.id > 2900 AND 10 / (c.id - 3000) < 4 AND c.credit < (SELECT sum(o.amount) FROM correlated_order o WHERE o.customer = c.id)'),
	('SELECT c.id FROM correlated_customer c WHERE c.id > 2900 AND 10 / (c.id - 3000) < (SELECT sum(o.amount) FROM correlated_order o WHERE o.customer = c.id)'),
	('SELECT c.id FROM correlated_customer c JOIN correlated_pair p ON 10 / (c.id - 3000) < p.n WHERE c.id > 2900 AND c.credit < (SELECT sum(o.amount) FROM correlated_order o WHERE o.customer = c.id)'),
	('SELECT c.id FROM correlated_customer c WHERE c.id > 2000 AND 10 / (c.id - 3000) < 4 AND c.credit < (SELECT sum(e.amount) FROM correlated_empty e WHERE e.customer = c.id)')) q (query);
-- PostgreSQL drops a column that nobody asks for before it computes what is constant in it
SELECT (SELECT count(*) FROM (SELECT o.kind, sum('9.3e18'::float8::int4) FROM correlated_order o GROUP BY 1) s WHERE s.kind > x.kind) FROM (VALUES (5)) x (kind);
SELECT count(*) FROM (SELECT c.id, (SELECT o.id FROM correlated_order o WHERE o.id = c.id LIMIT ('9.3e18'::float8::int4)) FROM correlated_customer c) s;
-- and conditions raise none for groups that nobody asks for: customer 55 has order 5
SELECT query, check_joined(query) FROM (VALUES
	('SELECT c.id FROM correlated_customer c WHERE c.region <> 15 AND 10 / ((SELECT min(o.id) FROM correlated_order o WHERE o.customer = c.id) - 5) < 100'),
	('SELECT s.n FROM (SELECT c.id, (SELECT min(o.id) FROM correlated_order o WHERE o.customer = c.id) AS n FROM correlated_customer c WHERE c.region <> 15) s WHERE 10 / (s.n - 5) < 100'),
	('SELECT s.n, count(*) FROM (SELECT c.id, (SELECT min(o.id) FROM correlated_order o WHERE o.customer = c.id) AS n FROM correlated_customer c WHERE c.region <> 15) s JOIN correlated_pair p ON p.b = 10 / (s.n - 5) GROUP BY 1'),
	('SELECT s.n, count(*) FROM (SELECT c.id, (SELECT min(o.id) FROM correlated_order o WHERE o.customer = c.id) AS n FROM correlated_customer c WHERE c.region <> 15) s GROUP BY 1 HAVING 10 / (s.n - 5) < 100'),
	('SELECT s.n FROM (SELECT c.id, 10 / ((SELECT min(o.id) FROM correlated_order o WHERE o.customer = c.id) - 5) AS n FROM correlated_customer c WHERE c.region <> 15) s WHERE s.n < 100'),
	('SELECT m FROM (SELECT 10 / (s.n - 5) AS m FROM (SELECT c.id, (SELECT min(o.id) FROM correlated_order o WHERE o.customer = c.id) AS n FROM correlated_customer c WHERE c.region <> 15) s) t WHERE m < 100')) q (query);
-- nor do subqueries beside them, of customer 0's order 2800, who is none; below an INSERT the rows' cast could raise an error, too
SELECT count(*), sum(z.y) FROM (SELECT c.id, (SELECT min(o.id) FROM correlated_order o WHERE o.customer = c.id) AS n FROM correlated_customer c) s, LATERAL (SELECT 10 / (s.n - 2800) AS y) z WHERE z.y < 100;
SELECT count(*) FROM (SELECT c.id, (SELECT min(o.id) FROM correlated_order o WHERE o.customer = c.id) AS n FROM correlated_customer c) s WHERE EXISTS (SELECT FROM correlated_pair p WHERE p.b > 5 AND 10 / (s.n - 2800) < 100);

-- rows that are not needed are not grouped
SELECT lookups('SELECT c.id, (SELECT count(*) FROM correlated_order o WHERE o.customer = c.id) FROM correlated_customer c WHERE c.region = 3 AND c.code IN (SELECT o.code FROM correlated_order o WHERE o.kind = 3)');
SELECT check_joined('SELECT c.id, (SELECT count(*) FROM correlated_order o WHERE o.customer = c.id) FROM correlated_customer c WHERE c.region = 3 AND c.code IN (SELECT o.code FROM correlated_order o WHERE o.kind = 3)');

-- equal keys of a group that are not the same, which only what compares them as keys may be joined by
CREATE COLLATION correlated_loosely (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TABLE correlated_alike (g int, n numeric, f float8, t text COLLATE correlated_loosely, c text COLLATE "C", p text COLLATE "POSIX");
INSERT INTO correlated_alike SELECT i % 3, CASE WHEN i % 5 = 0 THEN 1.0 ELSE 1.00 END, CASE WHEN i % 5 = 0 THEN 0 ELSE '-0'::float8 END, CASE WHEN i % 5 = 0 THEN 'a' ELSE 'A' END, 'c', 'p' FROM generate_series(1, 300) i;
SELECT query, check_query(query), subqueries(query) FROM (VALUES
	('SELECT a.n = 1, count(*), (SELECT count(*) FROM correlated_alike b WHERE b.n = a.n) FROM correlated_alike a GROUP BY a.n'),
	('SELECT a.f = 0, count(*), (SELECT count(*) FROM correlated_alike b WHERE b.f = a.f) FROM correlated_alike a GROUP BY a.f'),
	('SELECT count(*), (SELECT count(*) FROM correlated_alike b WHERE b.t = a.t) FROM correlated_alike a GROUP BY a.t'),
	('SELECT a.g, count(*), (SELECT count(*) FROM correlated_alike b WHERE b.g = a.g) FROM correlated_alike a GROUP BY a.g')) q (query);
-- which of the keys' values PostgreSQL has is not said: there is one row of each group
SELECT query, rows_of(query), subqueries(query) FROM (VALUES
	('SELECT count(*), (SELECT count(*) FROM correlated_alike b WHERE b.n::text = a.n::text) FROM correlated_alike a GROUP BY a.n'),
	('SELECT count(*), (SELECT count(*) FROM correlated_alike b WHERE b.f::text = a.f::text) FROM correlated_alike a GROUP BY a.f'),
	('SELECT count(*), (SELECT count(*) FROM correlated_alike b WHERE b.t COLLATE "C" = a.t) FROM correlated_alike a GROUP BY a.t'),
	('SELECT a.g, count(*), (SELECT count(*) FROM correlated_alike b WHERE b.n::text = a.n::text) FROM correlated_alike a GROUP BY a.g, a.n')) q (query);

-- what of the query around is there only of its groups
SELECT query, check_joined(query) FROM (VALUES
	('SELECT c.region, (SELECT count(*) FROM correlated_order o WHERE o.customer = max(c.id)) FROM correlated_customer c GROUP BY 1'),
	('SELECT c.region, (SELECT o.amount FROM correlated_order o WHERE o.id = max(c.id)) FROM correlated_customer c GROUP BY 1'),
	('SELECT c.region, (SELECT count(*) FROM correlated_order o WHERE o.kind = grouping(c.region)) FROM correlated_customer c GROUP BY 1'),
	('SELECT c.region, EXISTS (SELECT FROM correlated_order o WHERE o.kind = c.region AND o.amount <> max(c.big)) FROM correlated_customer c GROUP BY 1')) q (query);

-- a comparison that PostgreSQL makes only of rows with the key, and one without a collation
SELECT query, check_joined(query) FROM (VALUES
	('SELECT c.id FROM correlated_customer c WHERE EXISTS (SELECT FROM correlated_order o WHERE o.customer = c.id AND o.amount <> 10 / (c.id - 2900))'),
	('SELECT c.id FROM correlated_customer c WHERE c.id < 9 AND EXISTS (SELECT FROM correlated_order o WHERE o.customer = c.id AND 10 / (c.id - 5) <> o.amount)'),
	('SELECT o.id FROM correlated_order o WHERE o.kind > 100 AND o.id < (SELECT count(*) FROM correlated_alike b WHERE b.g = o.kind AND b.c < b.p)'),
	('SELECT o.id FROM correlated_order o WHERE o.kind > 100 AND o.id < (SELECT count(*) FROM correlated_alike b WHERE b.g = o.kind AND starts_with(b.t, ''a''))')) q (query);
-- keys that a value before adds tell nothing of the query's own
SELECT check_joined('SELECT c.id, (SELECT avg(o.total) FROM correlated_order o WHERE o.kind = c.region), (SELECT count(*) FROM correlated_order o WHERE o.customer = c.big) FROM correlated_customer c GROUP BY c.id');
DROP TABLE correlated_alike;
DROP COLLATION correlated_loosely;

-- by auto, prepared, with a parameter, in a cursor
SET gpuagg.mode = auto;
SELECT subqueries('SELECT c.id FROM correlated_customer c WHERE c.credit < (SELECT avg(o.total) FROM correlated_order o WHERE o.kind = c.region)');
-- one row of an index takes less
SELECT subqueries('SELECT c.id FROM correlated_customer c WHERE c.id = 3 AND c.credit < (SELECT avg(o.total) FROM correlated_order o WHERE o.customer = c.id)');
SET gpuagg.mode = force;
PREPARE correlated(int, int) AS SELECT c.id, (SELECT sum(o.amount) FROM correlated_order o WHERE o.customer = c.id AND o.kind > $2) FROM correlated_customer c WHERE c.id % $1 = 7 ORDER BY 1 LIMIT 3;
SET plan_cache_mode = force_generic_plan;
EXECUTE correlated(500, 2);
EXECUTE correlated(900, 5);
RESET plan_cache_mode;
DEALLOCATE correlated;
BEGIN;
DECLARE correlated_cursor CURSOR FOR SELECT c.id, (SELECT count(*) FROM correlated_order o WHERE o.customer = c.id) FROM correlated_customer c WHERE c.region = 7 ORDER BY 1;
FETCH 3 FROM correlated_cursor;
FETCH 2 FROM correlated_cursor;
COMMIT;
-- whose row can be updated
BEGIN;
DECLARE correlated_cursor CURSOR FOR SELECT c.id, (SELECT count(*) FROM correlated_order o WHERE o.customer = c.id) FROM correlated_customer c;
FETCH 1 FROM correlated_cursor;
UPDATE correlated_customer SET region = region WHERE CURRENT OF correlated_cursor;
CLOSE correlated_cursor;
DECLARE correlated_cursor CURSOR FOR SELECT c.id FROM correlated_customer c WHERE c.credit < (SELECT 0.5 * avg(o.total) FROM correlated_order o WHERE o.customer = c.id) UNION ALL SELECT a FROM correlated_pair;
FETCH 1 FROM correlated_cursor;
UPDATE correlated_customer SET region = region WHERE CURRENT OF correlated_cursor;
ROLLBACK;

-- views, and who may read what
CREATE ROLE correlated_reader;
GRANT SELECT ON correlated_order TO correlated_reader;
GRANT SELECT (id, region) ON correlated_customer TO correlated_reader;
SET ROLE correlated_reader;
SELECT sum(n) FROM (SELECT (SELECT count(*) FROM correlated_order o WHERE o.customer = c.id) AS n FROM correlated_customer c WHERE c.region = 3) x;
SELECT sum(n) FROM (SELECT (SELECT count(*) FROM correlated_order o WHERE o.customer = c.id) AS n FROM correlated_customer c WHERE c.credit = 3) x;
RESET ROLE;
ALTER TABLE correlated_order ENABLE ROW LEVEL SECURITY;
CREATE POLICY correlated_policy ON correlated_order USING (kind < 3);
ALTER TABLE correlated_customer ENABLE ROW LEVEL SECURITY;
CREATE POLICY correlated_policy ON correlated_customer USING (region < 10);
SET ROLE correlated_reader;
SELECT subqueries('SELECT c.region, (SELECT count(*) FROM correlated_order o WHERE o.customer = c.id) AS n FROM correlated_customer c');
SELECT count(*), sum(n) FROM (SELECT (SELECT count(*) FROM correlated_order o WHERE o.customer = c.id) AS n FROM correlated_customer c) x;
SET gpuagg.mode = off;
SELECT count(*), sum(n) FROM (SELECT (SELECT count(*) FROM correlated_order o WHERE o.customer = c.id) AS n FROM correlated_customer c) x;
RESET ROLE;
SET gpuagg.mode = force;

DROP FUNCTION subqueries, check_joined, rows_of;
DROP TABLE correlated_customer, correlated_order, correlated_pair, correlated_empty;
DROP ROLE correlated_reader;
RESET gpuagg.engine;
