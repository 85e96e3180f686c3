--
-- gpuagg_explain: what becomes of each grouping of a query, and why.
--
\set VERBOSITY terse
CREATE TABLE explained (k int, g text, v bigint, t timestamp);
INSERT INTO explained SELECT i % 100, i % 7, i, now() FROM generate_series(1, 5000) i;
CREATE INDEX ON explained (k);
VACUUM ANALYZE explained;
CREATE VIEW explained_view AS SELECT g, count(*) AS n FROM explained GROUP BY g;

-- what is taken, and where it stands
SELECT level, place, step, aggregates, taken, reason, hint FROM gpuagg_explain(
	'SELECT k, sum(v), count(*) FILTER (WHERE v > 5) FROM explained GROUP BY k HAVING max(v) > 10');
SELECT level, place, step, aggregates, taken FROM gpuagg_explain(
	'SELECT count(*) FROM explained');
SELECT level, place, step, aggregates, taken FROM gpuagg_explain(
	'SELECT a.k + 1, "S".g, count(*) FROM explained a JOIN (SELECT g FROM explained GROUP BY g) "S" USING (g) GROUP BY a.k + 1, "S".g');
SELECT level, place, step, aggregates, taken FROM gpuagg_explain(
	'WITH c AS MATERIALIZED (SELECT g, count(*) AS n FROM explained GROUP BY g)
	SELECT DISTINCT n, (SELECT max(v) FROM explained e WHERE e.g >= c.g) FROM c');
SELECT level, place, step, aggregates, taken FROM gpuagg_explain(
	'SELECT DISTINCT c.k, (SELECT max(v) FROM explained e WHERE e.g = c.g) FROM explained c');
-- (PostgreSQL's names of the parts of UNION are others from 19 on)
SELECT level, substr(place, 1, 8) AS place, step, aggregates, taken FROM gpuagg_explain(
	'SELECT k, count(*) FROM explained GROUP BY k UNION ALL SELECT v, min(k) FROM explained GROUP BY ROLLUP (v, k)');
SELECT level, place, step, aggregates, taken FROM gpuagg_explain(
	'SELECT count(*) FROM explained_view WHERE n > 3');
SELECT level, place, step FROM gpuagg_explain(
	'SELECT DISTINCT k, row_number() OVER (ORDER BY k) FROM explained');
SELECT level, place, step, aggregates, taken FROM gpuagg_explain(
	'SELECT one, count(*) FROM explained LEFT JOIN (SELECT k AS key, k + 1 AS one FROM explained) s ON key = v GROUP BY GROUPING SETS ((one), ())');
SELECT level, place, step, aggregates, taken FROM gpuagg_explain(
	'SELECT k, string_agg(DISTINCT g, '','') FROM explained GROUP BY k');
SELECT * FROM gpuagg_explain('SELECT k FROM explained');

-- why it is not taken
SELECT step, aggregates, taken, engine IS NULL AS no_engine, cost, reason FROM gpuagg_explain(
	'SELECT g, string_agg(k::text, '','') FROM explained GROUP BY g');
SELECT reason FROM gpuagg_explain('SELECT DISTINCT ON (k) k, v FROM explained ORDER BY k, g');
SELECT place, taken, reason FROM gpuagg_explain(
	'SELECT max(n), max(cardinality(a)) FROM (SELECT k, count(*) AS n, array_agg(v) AS a FROM explained GROUP BY k OFFSET 0) s');
SELECT step, taken, reason, hint FROM gpuagg_explain('SELECT g, count(*) FROM explained WHERE false GROUP BY g');

-- and what would change that
CREATE TABLE hinted (t text COLLATE "en-x-icu", n numeric);
INSERT INTO hinted VALUES ('a', 1.0), ('b', 1.00), ('b', '1e100');
ANALYZE hinted;
SELECT reason, hint FROM gpuagg_explain('SELECT max(coalesce(t, '''')) FROM hinted');
SELECT taken FROM gpuagg_explain('SELECT max(t COLLATE "C") FROM hinted');
SELECT reason, hint FROM gpuagg_explain('SELECT sum(a) FROM (SELECT avg(n) AS a FROM hinted OFFSET 0) s') WHERE place = 'query';
SELECT taken FROM gpuagg_explain('SELECT sum(round(a, 5)) FROM (SELECT avg(n) AS a FROM hinted OFFSET 0) s') WHERE place = 'query';
SELECT reason, hint FROM gpuagg_explain('SELECT n, count(*) FROM (VALUES (1.0), (1.00)) v (n) GROUP BY n');
SELECT taken FROM gpuagg_explain('SELECT n::numeric(10, 2), count(*) FROM (VALUES (1.0), (1.00)) v (n) GROUP BY 1');
SELECT reason, hint FROM gpuagg_explain('SELECT count(*) FROM hinted WHERE random() < 0');
SELECT reason, hint FROM gpuagg_explain('SELECT string_agg(g, '','') FROM explained');
DROP TABLE hinted;

-- costs decide
CREATE FUNCTION explain_costs(query text) RETURNS TABLE (taken boolean, engine boolean, cheaper boolean, reason text, hint text)
LANGUAGE sql AS 'SELECT taken, engine IS NOT NULL, cost < postgresql_cost, reason, hint FROM gpuagg_explain(query)';
SET gpuagg.mode = off;
SELECT * FROM explain_costs('SELECT k, sum(v) FROM explained GROUP BY k');
SET gpuagg.mode = auto;
-- (opening a device has a cost of its own)
SET gpuagg.engine = cpu;
SET gpuagg.setup_cost = 1e9;
SELECT * FROM explain_costs('SELECT k, sum(v) FROM explained GROUP BY k');
SET gpuagg.setup_cost = 0;
SET gpuagg.tuple_cost = 0;
SET gpuagg.page_cost = 0;
SELECT * FROM explain_costs('SELECT k, sum(v) FROM explained GROUP BY k');
SELECT * FROM explain_costs('SELECT k, sum(v) FROM explained GROUP BY k LIMIT 1');
SET gpuagg.report_rejections = on;
EXPLAIN (COSTS OFF) SELECT k, sum(v) FROM explained GROUP BY k LIMIT 1;
RESET gpuagg.report_rejections;
RESET gpuagg.engine;
RESET gpuagg.setup_cost;
RESET gpuagg.tuple_cost;
RESET gpuagg.page_cost;
RESET gpuagg.mode;

-- statements, of which none is run
SELECT step FROM gpuagg_explain('INSERT INTO explained SELECT k, g FROM explained GROUP BY 1, 2');
SELECT step FROM gpuagg_explain('CREATE TABLE explained2 AS SELECT k FROM explained GROUP BY k');
SELECT step FROM gpuagg_explain('DECLARE c CURSOR FOR SELECT k FROM explained GROUP BY k');
SELECT step FROM gpuagg_explain('EXPLAIN ANALYZE DELETE FROM explained WHERE k IN (SELECT count(*) FROM explained GROUP BY g)');
SELECT step FROM gpuagg_explain('EXPLAIN CREATE TABLE explained2 AS SELECT k FROM explained GROUP BY k;');
SELECT count(*), to_regclass('explained2') FROM explained;
SELECT step FROM gpuagg_explain('SELECT 1; SELECT 2');
SELECT step FROM gpuagg_explain('');
SELECT step FROM gpuagg_explain('VACUUM explained');
SELECT step FROM gpuagg_explain('EXPLAIN EXECUTE no_such');
SELECT step FROM gpuagg_explain('SELECT no_such FROM explained');
SELECT step FROM gpuagg_explain(NULL);
CREATE RULE two AS ON UPDATE TO explained DO INSTEAD
	(DELETE FROM explained WHERE k IN (SELECT sum(k) FROM explained GROUP BY g); NOTIFY nobody; SELECT count(*) FROM explained);
SELECT step, aggregates FROM gpuagg_explain('UPDATE explained SET k = 1');

-- parameters have no value
SELECT step, aggregates, taken FROM gpuagg_explain('SELECT k + $1, sum(v) FROM explained WHERE t > $2 GROUP BY k + $1');
SELECT step FROM gpuagg_explain('SELECT $1, count(*) FROM explained GROUP BY $1 || ''x''');

-- what is planned while the query is planned is no part of it
CREATE FUNCTION explained_keys() RETURNS bigint LANGUAGE sql IMMUTABLE AS
	'SELECT count(s) FROM (SELECT step AS s FROM gpuagg_explain(''SELECT DISTINCT g FROM explained'') UNION SELECT g FROM explained GROUP BY g) u';
SELECT level, place, step, taken FROM gpuagg_explain('SELECT k, count(*) FROM explained WHERE k < explained_keys() GROUP BY k');

-- and an error leaves nothing behind
SELECT step FROM gpuagg_explain('SELECT 1 / 0 FROM explained GROUP BY k');
SELECT step FROM gpuagg_explain('SELECT g FROM explained GROUP BY g');

-- to those who may read the tables
CREATE ROLE gpuagg_asker;
CREATE VIEW explained_rows AS SELECT k, g FROM explained;
GRANT SELECT ON explained_view TO gpuagg_asker;
GRANT SELECT (k) ON explained TO gpuagg_asker;
SET ROLE gpuagg_asker;
SELECT step, taken FROM gpuagg_explain('SELECT k, count(*) FROM explained GROUP BY k');
SELECT place, step, taken FROM gpuagg_explain('SELECT n FROM explained_view');
SELECT step, taken FROM gpuagg_explain('SELECT k, array_agg(g) FROM explained GROUP BY k');
SELECT step, taken FROM gpuagg_explain('SELECT k, array_agg(k) FROM explained_rows GROUP BY k');
SELECT step, taken FROM gpuagg_explain('INSERT INTO explained SELECT k FROM explained GROUP BY k');
SELECT step, taken FROM gpuagg_explain('CREATE TABLE x AS SELECT g FROM explained GROUP BY g');
SET gpuagg.report_rejections = on;
SELECT step, taken FROM gpuagg_explain('SELECT k, array_agg(g) FROM explained GROUP BY k');
RESET gpuagg.report_rejections;
RESET ROLE;

DROP VIEW explained_view, explained_rows;
DROP TABLE explained;
DROP FUNCTION explain_costs, explained_keys;
DROP ROLE gpuagg_asker;
