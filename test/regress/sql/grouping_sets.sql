--
-- GROUPING SETS, ROLLUP and CUBE: made of the engine's groups of all keys.
--

-- each form, with GROUPING, beside each kind of aggregate
SELECT check_query('SELECT b, i2, count(*), sum(i4), GROUPING(b, i2) FROM facts GROUP BY ROLLUP (b, i2)');
SELECT check_query('SELECT b, i2, t, count(i4), GROUPING(t, i2, b), GROUPING(i2) FROM facts GROUP BY CUBE (b, i2, t)');
SELECT check_query('SELECT i2, d, k, count(*) FROM facts GROUP BY GROUPING SETS (i2, d, k)');
SELECT check_query('SELECT b, i2 % 5, count(*) FROM facts GROUP BY GROUPING SETS ((b, i2 % 5), (b), (i2 % 5), ())');
SELECT check_query('SELECT b, qc, i2 % 3, count(*) FROM facts GROUP BY b, ROLLUP (qc, i2 % 3)');
SELECT check_query('SELECT b, qc, i2 % 3, d, count(*) FROM facts GROUP BY CUBE (b, qc), ROLLUP (i2 % 3, d)');
SELECT check_query('SELECT b, qc, d, count(*) FROM facts GROUP BY ROLLUP ((b, qc), d)');
SELECT check_query('SELECT b, k % 7, sum(i2), sum(i4), sum(i8), sum(f4), sum(f8) FROM facts GROUP BY ROLLUP (b, k % 7)');
SELECT check_query('SELECT b, k % 7, avg(i2), avg(i4), avg(i8), avg(f4), avg(f8) FROM facts GROUP BY ROLLUP (b, k % 7)');
SELECT check_query('SELECT b, k % 7, min(i2), max(i4), min(i8), max(f4), min(f8), max(d), min(ts), max(tz) FROM facts GROUP BY CUBE (b, k % 7)');
SELECT check_query('SELECT b, k % 7, bool_and(i2 > 0), bool_or(b), bit_and(i4), bit_or(i8), bit_xor(i2) FROM facts GROUP BY CUBE (b, k % 7)');
SELECT check_query('SELECT b, k % 7, stddev(i2), var_pop(i4), variance(i8), stddev_pop(i8) FROM facts GROUP BY CUBE (b, k % 7)');
SELECT check_query('SELECT b, k, count(*) FILTER (WHERE i4 > 0), sum(i4) FILTER (WHERE i2 > 500) FROM facts GROUP BY ROLLUP (b, k)');
SELECT check_query('SELECT b, i2 FROM facts GROUP BY ROLLUP (b, i2)');

-- each type of key, NULLs among the values beside those of keys left out
SELECT c AS key, check_query(format('SELECT %1$I, b, count(*), sum(i4), GROUPING(b), GROUPING(%1$I) FROM facts GROUP BY CUBE (%1$I, b)', c))
FROM unnest('{i2,i4,i8,f4,f8,d,ts,tz,t,vc,ch,qc,u,o,k}'::text[]) c;
SELECT check_query('SELECT n, s, count(*), sum(n) FROM (SELECT (i4 / 8.0)::numeric(8,3) AS n, repeat(vc, 3) AS s FROM facts) x GROUP BY CUBE (n, s)');
CREATE TABLE sets_amounts AS SELECT (i4 / 8.0)::numeric(8,3) AS n, repeat(vc, i2 % 9) AS s, b FROM facts;
SELECT check_query('SELECT n, s, b, count(*), sum(n), avg(n), max(n) FROM sets_amounts GROUP BY CUBE (n, s, b)');

-- sets that come twice, sets that hold others, no set with all keys
SELECT b, GROUPING(b), count(*) FROM facts GROUP BY GROUPING SETS ((b), (), (b), (), ()) ORDER BY 2, 1;
SELECT check_query('SELECT b, i2, count(*) FROM facts GROUP BY GROUPING SETS ((b), (b, i2), (b, i2), (i2), (i2))');
SELECT b, b AS again, count(*) FROM facts GROUP BY DISTINCT ROLLUP (b), ROLLUP (b) ORDER BY 1, 3;
SELECT check_query('SELECT b, qc, count(*) FROM facts GROUP BY DISTINCT ROLLUP (b, qc), ROLLUP (b)');
SELECT check_query('SELECT b, qc, count(*) FROM facts GROUP BY ROLLUP (b, qc), ROLLUP (b)');
SELECT check_query('SELECT b, i2 % 3, qc, k % 5, count(*), max(id) FROM facts GROUP BY GROUPING SETS ((b, i2 % 3, qc), (i2 % 3, qc, k % 5), (qc), (k % 5, b))');
SELECT count(*), sum(i4), GROUPING(b) FROM facts GROUP BY GROUPING SETS ((), ()), b HAVING b IS NULL;
SELECT count(*), max(i2) FROM facts GROUP BY ();
SELECT count(*), max(i2) FROM facts GROUP BY GROUPING SETS ((), ());

-- no rows: the empty sets have one each, others none
SELECT b, count(*), sum(i4), max(i2), GROUPING(b) FROM facts WHERE id < 0 GROUP BY GROUPING SETS ((b), (), (b, i2), ());
SELECT check_query('SELECT b, count(*) FROM facts WHERE id < 0 GROUP BY GROUPING SETS ((b), (i2))');
SELECT count(*) FROM facts WHERE id < 0 GROUP BY GROUPING SETS ((), ());
SELECT 1 AS one FROM facts WHERE id < 0 GROUP BY ROLLUP (b);
SELECT 1 AS one FROM facts WHERE id < 0 GROUP BY ROLLUP (b) HAVING count(*) > 0;

-- keys that are expressions, of each other too; one key in several places
SELECT check_query('SELECT i2, i2 + 1, (i2 + 1) * 2, i2 * 2, count(*) FROM facts GROUP BY GROUPING SETS ((i2), (i2 + 1))');
SELECT check_query('SELECT i2 + i4, count(*), GROUPING(i2 + i4) + 1 FROM facts GROUP BY ROLLUP (i2 + i4)');
SELECT check_query('SELECT b IS NULL, b, coalesce(b, false), b AND i2 > 0, count(*) FROM facts GROUP BY ROLLUP (b, i2)');
SELECT check_query('SELECT CASE WHEN GROUPING(b) = 1 THEN ''all'' ELSE b::text END, sum(i4) FROM facts GROUP BY ROLLUP (b)');
SELECT check_query('SELECT i2, sum(i2), max(i2 + 1), count(*) FROM facts GROUP BY CUBE (i2, b)');
CREATE TABLE sets_named (id int PRIMARY KEY, name text, v int);
INSERT INTO sets_named SELECT i, 'n' || i % 3, i % 10 FROM generate_series(1, 50) i;
SELECT check_query('SELECT id, name, v % 2, count(*) FROM sets_named GROUP BY GROUPING SETS ((id), (id, v % 2))');
SELECT check_query('SELECT id, upper(name), v % 2, GROUPING(v % 2) FROM sets_named GROUP BY id, ROLLUP (v % 2) HAVING name > ''n0''');

-- HAVING, ORDER BY, LIMIT, DISTINCT, window functions, set operations above
SELECT check_query('SELECT b, i2, count(*) FROM facts GROUP BY CUBE (b, i2) HAVING count(*) > 30');
SELECT check_query('SELECT b, i2, count(*) FROM facts GROUP BY CUBE (b, i2) HAVING i2 > 50 OR GROUPING(i2) = 1');
SELECT check_query('SELECT b, i2 FROM facts GROUP BY CUBE (b, i2) HAVING GROUPING(b, i2) IN (1, 3) AND sum(i4) IS NOT NULL');
SELECT check_query('SELECT b, i2 FROM facts GROUP BY CUBE (b, i2) HAVING count(*) < 0');
SELECT b, i2 % 2 AS r, count(*), GROUPING(b, i2 % 2) AS g FROM facts GROUP BY CUBE (b, i2 % 2) ORDER BY g, b NULLS FIRST, r;
SELECT b, i2, max(i4) FROM facts GROUP BY ROLLUP (b, i2) ORDER BY b, i2 DESC NULLS LAST LIMIT 3;
SELECT b, count(*) AS n, rank() OVER (PARTITION BY GROUPING(b) ORDER BY count(*)) FROM facts GROUP BY ROLLUP (b) ORDER BY b, n;
SELECT check_query('SELECT DISTINCT b, GROUPING(b), count(*) > 100 FROM facts GROUP BY CUBE (b, i2)');
SELECT check_query('SELECT b, count(*) FROM facts GROUP BY ROLLUP (b) UNION ALL SELECT b, count(*) FROM facts GROUP BY b');
SELECT check_query('SELECT x.b, count(*), sum(n) FROM (SELECT b, i2, count(*) AS n FROM facts GROUP BY CUBE (b, i2)) x GROUP BY ROLLUP (x.b)');

-- over what a subquery computes, some of it the same for all rows
SELECT x, y, count(*) FROM (SELECT 7 AS x, b AS y FROM facts) f GROUP BY GROUPING SETS ((x), (y)) ORDER BY 2, 1;
SELECT check_query('SELECT x, x + 1, y, c, n, count(*), sum(x) FROM (SELECT i2 + 1 AS x, upper(t) AS y, ch::char(4) AS c, (i4 / 10.0)::numeric(9,4) AS n FROM facts WHERE id < 2000) f GROUP BY CUBE (x, y, c, n)');
SELECT check_query('SELECT x, z, count(*) FROM (SELECT i2 % 7 AS x, k + 1 AS z FROM facts) f GROUP BY GROUPING SETS ((x), (z), ()) HAVING x > 3 OR z < 100');

-- over other sources
SELECT check_query('SELECT f.b, g.i2, count(*), sum(g.i4) FROM facts f JOIN facts g ON g.id = f.id / 2 GROUP BY ROLLUP (f.b, g.i2)');
SELECT check_query('SELECT v % 3, v % 5, count(*), sum(v) FROM generate_series(1, 1000) v GROUP BY CUBE (1, 2)');
SELECT check_query('SELECT b, sum(length(t)), count(upper(t) || i4) FROM facts GROUP BY ROLLUP (b)');
SELECT check_query('SELECT f.b, g.qc, count(g.id) FROM facts f LEFT JOIN (SELECT * FROM facts WHERE i2 > 0) g ON f.id = g.id GROUP BY CUBE (f.b, g.qc)');

-- float keys: all NaNs are one group, and so are 0 and -0 (for the latter not each
-- engine finds the one that PostgreSQL shows)
SELECT check_query('SELECT v, w, count(*) FROM (VALUES (''-0''::float8, 1), (''NaN'', 2), (''NaN'', 2), (1, 1), (NULL, 3)) x (v, w) GROUP BY CUBE (v, w)');
SELECT store_rows('native', q, 'off', 'on'), store_rows('ours', q, 'force', 'on')
FROM (VALUES ('SELECT v = 0, w, count(*) FROM (VALUES (0::float8, 1), (''-0'', 1), (''-0'', 2)) x (v, w) GROUP BY CUBE (v, w)')) x (q);
SELECT compare_rows();

-- float sums are exact, hence the same by whatever way, also where they need more
-- words than they begin with
SELECT let_engine_answer(), store_rows('native', q, 'force', 'off'), store_rows('ours', r, 'force', 'off')
FROM (SELECT 'CASE k % 4 WHEN 0 THEN f8 * 1e40 WHEN 1 THEN -f8 * 1e40 WHEN 2 THEN f8 / 3e30 ELSE f8 END') v (x),
	LATERAL (SELECT format('SELECT b, sum(%1$s), avg(%1$s) FROM facts GROUP BY b UNION ALL SELECT NULL, sum(%1$s), avg(%1$s) FROM facts', x),
		format('SELECT b, sum(%1$s), avg(%1$s) FROM facts GROUP BY ROLLUP (b)', x)) q (q, r);
SELECT compare_rows();

-- extremes of texts
SELECT b, i2 % 2 AS r, min(vc COLLATE "C"), max(repeat(vc, 5) COLLATE "C") FROM facts GROUP BY CUBE (b, i2 % 2) ORDER BY 1, 2, 3, 4;

-- parameters, prepared and generic plans, InitPlans, correlated subqueries
PREPARE sets (int, int) AS SELECT b, i2 % 4 AS r, count(*), sum(i4 + $2) FROM facts WHERE i4 < $1 GROUP BY ROLLUP (b, i2 % 4) ORDER BY b, r, count(*);
SET plan_cache_mode = force_generic_plan;
EXECUTE sets (-400, 1);
EXECUTE sets (-10000, 0);
RESET plan_cache_mode;
EXECUTE sets (-400, 1);
DEALLOCATE sets;
SELECT check_query('SELECT b, count(*) FROM facts WHERE i4 > (SELECT avg(i4) FROM facts) GROUP BY ROLLUP (b) HAVING count(*) > (SELECT count(*) FROM sets_named)');
SELECT check_query('SELECT n.id, (SELECT string_agg(x.c::text, '','' ORDER BY x.c) FROM (SELECT count(*) AS c FROM facts f WHERE f.id < n.id * 10 GROUP BY CUBE (f.b, f.i2 % 2)) x) FROM sets_named n');
SELECT check_query('SELECT n.id, x.* FROM sets_named n, LATERAL (SELECT f.b, count(*), sum(f.i4 + n.v) FROM facts f WHERE f.k = n.id GROUP BY ROLLUP (f.b)) x');

-- cursors
BEGIN;
DECLARE c SCROLL CURSOR FOR SELECT b, i2 % 2 AS r, count(*) FROM facts GROUP BY GROUPING SETS ((b), (i2 % 2), ()) ORDER BY 1, 2, 3;
FETCH 2 FROM c;
FETCH BACKWARD 1 FROM c;
FETCH LAST FROM c;
FETCH ABSOLUTE 1 FROM c;
DECLARE held CURSOR WITH HOLD FOR SELECT count(*) FROM facts GROUP BY GROUPING SETS ((b), ());
FETCH 1 FROM c;
COMMIT;
MOVE ALL FROM held;
CLOSE held;

-- parallel plans of the input, partitions
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT check_query('SELECT b, i2, count(*), sum(i4) FROM facts GROUP BY ROLLUP (b, i2)');
SELECT check_query('SELECT f.b, g.qc, count(*) FROM facts f JOIN facts g USING (id) GROUP BY ROLLUP (f.b, g.qc)');
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
CREATE TABLE sets_parts (a int, b int, v int) PARTITION BY RANGE (a);
CREATE TABLE sets_parts1 PARTITION OF sets_parts FOR VALUES FROM (0) TO (10);
CREATE TABLE sets_parts2 PARTITION OF sets_parts FOR VALUES FROM (10) TO (20);
INSERT INTO sets_parts SELECT i % 20, i % 3, i FROM generate_series(1, 1000) i;
ANALYZE sets_parts;
SET enable_partitionwise_aggregate = on;
SELECT check_query('SELECT a, b, count(*), sum(v) FROM sets_parts GROUP BY CUBE (a, b)');
SELECT check_query('SELECT a, count(*), sum(v) FROM sets_parts GROUP BY GROUPING SETS ((a), (a, b))');
RESET enable_partitionwise_aggregate;

-- native plans of each kind stand by
SET enable_hashagg = off;
SELECT check_query('SELECT b, i2, count(*) FROM facts GROUP BY CUBE (b, i2)');
SELECT check_fallback('SELECT b, i2, sum(10 / (i4 - 1)) FROM facts GROUP BY CUBE (b, i2)');
RESET enable_hashagg;
SET enable_sort = off;
SELECT check_query('SELECT b, i2, count(*) FROM facts GROUP BY CUBE (b, i2)');
RESET enable_sort;

-- errors are PostgreSQL's, and only where it raises them
SELECT check_fallback('SELECT b, 1 / (i4 - 1), count(*) FROM facts GROUP BY ROLLUP (b, 1 / (i4 - 1))');
SELECT check_query('SELECT b, 10 / (i4 - 1), count(*) FROM facts WHERE i4 <> 1 GROUP BY ROLLUP (b, 10 / (i4 - 1))');
SELECT check_fallback('SELECT b, max(i4 + 2147483600) FROM facts GROUP BY ROLLUP (b)');

-- many groups, and PostgreSQL's own plan for them
CREATE TABLE sets_wide AS SELECT i AS a, i % 997 AS b, repeat('x', 20 + i % 5) || i AS t FROM generate_series(1, 30000) i;
SELECT check_query('SELECT a, b, count(*), max(a) FROM sets_wide GROUP BY CUBE (a, b)');
SELECT check_query('SELECT a, t, count(*) FROM sets_wide GROUP BY GROUPING SETS ((a), (t), (a, t), (a, t))');
SELECT check_fallback('SELECT a, t, count(*), min(CASE WHEN a < 9 THEN -0.0::float8 ELSE a END) FROM sets_wide GROUP BY GROUPING SETS ((a), (t))');
SELECT check_fallback('SELECT a, b, count(*), min(CASE WHEN a < 9 THEN -0.0::float8 ELSE a END) FROM sets_wide WHERE a <= 2000 GROUP BY CUBE (a, b, a + 1, a + 2)');
SET enable_hashagg = off;
SELECT check_fallback('SELECT a, t, count(*), min(CASE WHEN a < 9 THEN -0.0::float8 ELSE a END) FROM sets_wide GROUP BY CUBE (a, t)');
RESET enable_hashagg;
SET enable_sort = off;
SELECT check_fallback('SELECT a, t, count(*), min(CASE WHEN a < 9 THEN -0.0::float8 ELSE a END) FROM sets_wide GROUP BY GROUPING SETS ((a), (t), ())');
RESET enable_sort;

-- the most arguments of GROUPING, and many sets
SELECT check_query('SELECT GROUPING(k1, k2, k3, k4, k5, k6, k7, k8, k9, k10, k11, k12, k13, k14, k15, k16, k17, k18, k19, k20, k21, k22, k23, k24, k25, k26, k27, k28, k29, k30, k31), count(*)
	FROM (SELECT id, id + 1, id + 2, id + 3, id + 4, id + 5, id + 6, id + 7, id + 8, id + 9, id + 10, id + 11, id + 12, id + 13, id + 14, id + 15,
		id + 16, id + 17, id + 18, id + 19, id + 20, id + 21, id + 22, id + 23, id + 24, id + 25, id + 26, id + 27, id + 28, id + 29, id + 30 FROM sets_named)
	x (k1, k2, k3, k4, k5, k6, k7, k8, k9, k10, k11, k12, k13, k14, k15, k16, k17, k18, k19, k20, k21, k22, k23, k24, k25, k26, k27, k28, k29, k30, k31)
	GROUP BY ROLLUP (k1, k2, k3, k4, k5, k6, k7, k8, k9, k10, k11, k12, k13, k14, k15, k16, k17, k18, k19, k20, k21, k22, k23, k24, k25, k26, k27, k28, k29, k30, k31)');
SELECT check_query('SELECT id % 2, id % 3, v % 2, v % 3, v % 4, v % 5, id % 4, count(*), GROUPING(v % 2, id % 4) FROM sets_named GROUP BY CUBE (1, 2, 3, 4, 5, 6, 7)');
SELECT check_query('SELECT GROUPING(b), b, count(*) FROM facts GROUP BY b');

-- left to PostgreSQL: constants that must become NULL, one key under two names,
-- more sets than are worth it
SELECT is_taken('SELECT (SELECT 1), count(*) FROM facts GROUP BY ROLLUP (1)');
SELECT (SELECT 1), 2 AS two, b, count(*) FROM facts GROUP BY GROUPING SETS ((1, 3), (2), ()) ORDER BY 4, 3, 2;
SELECT is_taken('SELECT b, b, count(*) FROM facts GROUP BY GROUPING SETS ((1), (2))');
SELECT b, b, count(*) FROM facts GROUP BY GROUPING SETS ((1), (2), ()) ORDER BY 1, 2, 3;
SELECT is_taken('SELECT count(*) FROM sets_named GROUP BY CUBE (id, id + 1, id + 2, id + 3, id + 4, id + 5, id + 6, id + 7, id + 8, id + 9, id + 10)');

-- EXPLAIN shows the sets
CREATE FUNCTION sets_plan_lines(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
		RETURN NEXT regexp_replace(line, 'Engine: \w+', 'Engine: X');
	END LOOP;
END $$;
SELECT sets_plan_lines('SELECT b, i2, count(*), GROUPING(b) FROM facts GROUP BY ROLLUP (b, i2) HAVING count(*) > 1');
SELECT sets_plan_lines('SELECT x, count(*) FROM (SELECT i2 + 1 AS x FROM facts) f GROUP BY ROLLUP (x)');
-- from 16 on, rows can be sorted for the sake of an aggregate
SELECT count(set_config(name, 'off', false)) <= 1 AS is_off FROM pg_settings WHERE name = 'enable_presorted_aggregate';
SELECT sets_plan_lines('SELECT b, count(*), count(DISTINCT i2) FILTER (WHERE i4 > 0) FROM facts GROUP BY b');
CREATE FUNCTION sets_plan_part(query text) RETURNS SETOF json LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	PERFORM let_engine_answer();
	EXECUTE 'EXPLAIN (ANALYZE, FORMAT json) ' || query INTO plan;
	plan := plan -> 0 -> 'Plan';
	RETURN NEXT plan -> 'Grouping Sets';
	RETURN NEXT plan -> 'Group Key';
	RETURN NEXT plan -> 'Groups';
	RETURN NEXT (plan ->> 'Actual Rows')::float8::int;
END $$;
SELECT sets_plan_part('SELECT b, i2 % 2, count(*) FROM facts GROUP BY CUBE (b, i2 % 2)');
SELECT sets_plan_part('SELECT b, count(DISTINCT i2 % 2) FROM facts GROUP BY b');

DROP FUNCTION sets_plan_lines, sets_plan_part;
DROP TABLE sets_amounts, sets_named, sets_parts, sets_wide;
