--
-- What the node shares with the plans around it: InitPlans, subqueries that are
-- planned twice, memory of repeated runs, the order of evaluation, statistics.
--
CREATE TABLE zeros (a int, b int, x int);
INSERT INTO zeros VALUES (1, 4, 0), (1, 5, 2);
ANALYZE zeros;

-- an InitPlan inside an expression that is evaluated in a subtransaction; one
-- that stops while its scan is open
SELECT check_query($$SELECT i2, count(*) FROM facts WHERE i2::text = lower((SELECT min(i2)::text FROM facts)) GROUP BY i2$$);
SELECT i2 IS NULL AS i2_null, count(*) > 0 AS some FROM facts
WHERE length(lower((EXISTS (SELECT FROM facts WHERE id > 5))::text)) = 4 GROUP BY 1;
SELECT count(*) FROM zeros WHERE b = length(lower((SELECT r FROM (SELECT id::text AS r FROM facts WHERE id >= 1000 ORDER BY id LIMIT 1) s)))
HAVING count(*) = 1;

-- an InitPlan that no row needs, by what CASE, COALESCE and FILTER promise, is
-- not run: its error, or what it does, is none of the query's
CREATE SEQUENCE unneeded;
SELECT a, sum(CASE WHEN x > 5 THEN (SELECT id FROM facts) ELSE b END) FROM zeros GROUP BY a;
SELECT CASE x WHEN 0 THEN a WHEN 2 THEN b ELSE (SELECT 1 / (count(*) - 12000) FROM facts) END, count(*) FROM zeros GROUP BY 1 ORDER BY 1;
SELECT coalesce(b, (SELECT id FROM facts)), count(*) FROM zeros GROUP BY 1 ORDER BY 1;
SELECT a, sum(x + (SELECT id FROM facts)) FILTER (WHERE x > 5) FROM zeros GROUP BY a;
SELECT a, count(DISTINCT x + (SELECT id FROM facts)) FILTER (WHERE x > 5) FROM zeros GROUP BY a;
SELECT count(*) FROM zeros WHERE CASE WHEN x > 5 THEN b = (SELECT nextval('unneeded')) ELSE true END;
SELECT is_called FROM unneeded;
SELECT n, (SELECT sum(CASE WHEN x > n THEN (SELECT id FROM facts WHERE id < n) ELSE b END) FROM zeros) FROM generate_series(2, 4) n;
-- but one that all rows need is a constant to the engine
SELECT check_engine($$SELECT CASE WHEN x > (SELECT min(x) FROM zeros) THEN 1 ELSE 0 END, count(*) FROM zeros GROUP BY 1$$);
SELECT check_engine($$SELECT sum(x) FILTER (WHERE b > (SELECT min(b) FROM zeros)) FROM zeros$$);

-- an expression that fails once, in a plan that runs again
CREATE FUNCTION reciprocal(int) RETURNS int LANGUAGE sql STABLE SET search_path = pg_catalog AS 'SELECT 1; SELECT 10 / $1';
SELECT x, (SELECT count(*) FROM zeros WHERE a < 0 AND b = reciprocal(x)) FROM (VALUES (2), (0), (5), (0)) v (x);

-- a child whose memory must outlive a run
CREATE INDEX zeros_a ON zeros (a);
SET enable_seqscan = off;
SET enable_bitmapscan = off;
SET gpuagg.page_cost = 1000000;
SELECT n, (SELECT max(b) FROM zeros WHERE a >= n) FROM generate_series(0, 2) n;
SELECT n, (SELECT count(b) FROM (SELECT b FROM zeros WHERE a >= n ORDER BY a LIMIT 5) s) FROM generate_series(0, 2) n;
RESET gpuagg.page_cost;
RESET enable_seqscan;
RESET enable_bitmapscan;

-- subqueries that lock rows or have partitions: the input is planned once
CREATE TABLE lists (a int, b int) PARTITION BY LIST (a);
CREATE TABLE lists_1 PARTITION OF lists FOR VALUES IN (1);
CREATE TABLE lists_2 PARTITION OF lists FOR VALUES IN (2);
INSERT INTO lists SELECT i % 2 + 1, i FROM generate_series(1, 9) i;
SELECT a, count(*) FROM (SELECT * FROM zeros FOR UPDATE) s GROUP BY a;
SELECT a, count(*) FROM (SELECT * FROM lists FOR UPDATE) s GROUP BY a ORDER BY a;
SELECT source(q), check_query(q) FROM unnest(ARRAY['SELECT a, count(*) FROM (SELECT * FROM lists OFFSET 0) s GROUP BY a', 'SELECT a, count(*) FROM (SELECT * FROM lists FOR UPDATE) s GROUP BY a']) q;
SELECT a, count(*) FROM (SELECT * FROM lists OFFSET 0) s GROUP BY a ORDER BY a;

-- a subquery with side effects is not run twice
CREATE SEQUENCE effects;
SELECT sum(f), max(n) FROM (SELECT (SELECT nextval('effects') + 0 * a) AS n, 'NaN'::float8 AS f FROM lists OFFSET 0) s;

-- clauses are evaluated in PostgreSQL's order: the cheap one first, and it fails
SELECT a, count(*) FROM zeros WHERE b + 0 + 0 + 0 = 5 AND 1 / x > -1 GROUP BY a;
SELECT a, count(*) FROM zeros WHERE 1 / x + 0 + 0 > -1 AND b = 5 GROUP BY a;
SELECT a, count(*) FROM zeros GROUP BY a HAVING sum(x) + 0 + 0 + 0 = 5 AND 1 / (sum(x) - 2) > 0;

-- beside a parallel plan, an error can only be set aside before it begins; who
-- meets one first, a worker or the leader, its context would tell
\set SHOW_CONTEXT never
SET max_parallel_workers_per_gather = 2;
SET min_parallel_table_scan_size = 0;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
ALTER FUNCTION reciprocal PARALLEL SAFE;
SELECT i2, sum(i4 + reciprocal(length(left(now()::text, 0)))) FROM facts GROUP BY i2;
SELECT i2, sum(i4 + reciprocal(length(left(now()::text, 0)))) FROM facts WHERE id < 0 GROUP BY i2;
SELECT no_fallback() \gset
SET gpuagg.fallback = :no_fallback;
SELECT b, sum(i4 + reciprocal(length(left(now()::text, 2)))), count(*) FILTER (WHERE vc <> lower(now()::text)) FROM facts GROUP BY b ORDER BY b;
PREPARE since (text) AS SELECT b, count(*) FROM facts WHERE tz < now() - $1::interval GROUP BY b ORDER BY b;
SET plan_cache_mode = force_generic_plan;
EXECUTE since ('1 day');
RESET gpuagg.fallback;
EXECUTE since ('300000 years');
RESET plan_cache_mode;
RESET max_parallel_workers_per_gather;
RESET min_parallel_table_scan_size;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
\set SHOW_CONTEXT errors

-- what no row changes comes before all others
PREPARE gated (bool) AS SELECT a, count(*) FROM zeros WHERE 1 / x > -1 AND $1 GROUP BY a;
SET plan_cache_mode = force_generic_plan;
EXECUTE gated (false);
EXECUTE gated (true);
RESET plan_cache_mode;

-- texts have the headers that PostgreSQL's groups have
SELECT check_query($$SELECT pg_column_size(k), count(*) FROM (SELECT repeat('x', n) AS k FROM generate_series(120, 130) n) s GROUP BY k$$);

-- all rows are counted as read, those of the last batch too
CREATE TABLE counted AS SELECT i FROM generate_series(1, 5000) i;
BEGIN;
SELECT let_engine_answer() \gset
SELECT count(*) FROM counted;
COMMIT;
SELECT pg_stat_force_next_flush();
SELECT seq_scan, seq_tup_read FROM pg_stat_user_tables WHERE relname = 'counted';

-- a cancelled query is not set aside, and whoever catches it has his own
-- subtransaction to roll back, not one that was left over
CREATE FUNCTION cancelled() RETURNS int LANGUAGE plpgsql STABLE AS $$ BEGIN RAISE query_canceled; END $$;
DO $$
DECLARE
	n bigint;
BEGIN
	INSERT INTO zeros VALUES (7, 7, 7);
	SELECT count(*) INTO n FROM zeros WHERE b + cancelled() > 0;
EXCEPTION WHEN query_canceled THEN
	RAISE NOTICE 'cancelled';
END $$;
ROLLBACK;
SELECT count(*) FROM zeros WHERE a = 7;

DROP TABLE zeros, lists, counted;
DROP SEQUENCE effects, unneeded;
DROP FUNCTION reciprocal, cancelled;
