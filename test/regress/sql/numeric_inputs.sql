--
-- numeric that a child plan computes: keys and arguments over joins, subqueries,
-- CTEs, UNION, VALUES and foreign tables; aggregates over aggregates.
--

-- n: scale 2; m: 0 to 3 digits, shown as 3; v: of several display scales
CREATE TABLE sales (id int PRIMARY KEY, buyer int, day date, n numeric(12,2), m numeric, v numeric, i4 int, i8 bigint);
INSERT INTO sales SELECT i, i % 40, date '1994-03-01' + i * 7 % 1500,
	CASE WHEN i % 11 <> 0 THEN (i % 999 - 500) * 1.37 END,
	CASE WHEN i % 13 <> 0 THEN round((i % 2001 - 1000) / 7.0, 3) END,
	CASE WHEN i % 7 <> 0 THEN round((i % 301 - 150) / 7.0, i % 4) END, i % 30, i * bigint '1000000'
FROM generate_series(1, 3000) i;
CREATE TABLE buyers (buyer int PRIMARY KEY, discount numeric(4,2) NOT NULL, born timestamp, worked interval, called time);
INSERT INTO buyers SELECT i, i / 100.0, timestamp '1960-01-01' + i * interval '100 days 3 hours 4.25 seconds',
	i * interval '3 hours 2.5 seconds', time '08:00' + i * interval '61.5 seconds'
FROM generate_series(0, 39) i;
VACUUM ANALYZE sales, buyers;

-- the same keys over any source
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS file_fdw;
RESET client_min_messages;
CREATE SERVER here FOREIGN DATA WRAPPER file_fdw;
CREATE FOREIGN TABLE sales_far (id int, buyer int, day date, n numeric(12,2), m numeric(9,3), v numeric(9,4), i4 int, i8 bigint)
SERVER here OPTIONS (program 'for i in 1 2 3 4 5 6; do echo $i,$((i % 3)),199$i-01-01,$i.25,0.12$((i % 4)),$i.5000,$i,$i; done', format 'csv');
SELECT k AS key, check_query(format('SELECT %s, count(*), sum(i4) FROM sales GROUP BY 1', k)) AS pages,
	check_query(format('SELECT %s, count(*), sum(i4) FROM (SELECT * FROM sales OFFSET 0) s GROUP BY 1', k)) AS subquery,
	check_query(format('SELECT %s, count(*), sum(i4) FROM sales JOIN buyers USING (buyer) GROUP BY 1', k)) AS join,
	check_query(format('SELECT %s, count(*) FROM buyers LEFT JOIN (SELECT * FROM sales WHERE id > 1000) s USING (buyer) GROUP BY 1', k)) AS outer,
	check_query(format('WITH s AS MATERIALIZED (TABLE sales) SELECT %s, sum(i4) FROM s GROUP BY 1', k)) AS cte,
	check_query(format('SELECT %s, count(*) FROM (TABLE sales UNION ALL TABLE sales) s GROUP BY 1', k)) AS union,
	check_query(format('SELECT %s, count(*) FROM (TABLE sales EXCEPT SELECT * FROM sales WHERE id < 9) s GROUP BY 1', k)) AS except,
	check_query(format('SELECT %s, count(*) FROM sales_far GROUP BY 1', k)) AS foreign
FROM unnest(ARRAY['n', 'n + 1', 'n * 1.5', '-m', 'abs(m)', 'n - m', 'n % 7', 'round(m)', 'round(m, 1)', 'round(n / 3, 1)', 'floor(m)', 'ceil(n / 7)', 'trunc(v, 2)', 'sign(v)',
	'div(m, 3)', 'n::numeric(9,1)', '(v / 3)::numeric(9,4) + 1', 'i4::numeric', 'i8 * 0.5', 'extract(year FROM day)', 'extract(month FROM day + 1)', 'extract(second FROM day::timestamp)',
	'CASE WHEN i4 > 10 THEN n END', 'CASE i4 WHEN 1 THEN n WHEN 2 THEN 0.25 ELSE 1.00 END', 'coalesce(n, 0.00)', 'nullif(n, 1.37)', 'greatest(n, 0.00)', 'least(n, round(m, 2))']) k;

-- fields of times and intervals
SELECT f AS field, check_query(format('SELECT extract(%1$s FROM worked), count(*) FROM buyers GROUP BY 1', f)) AS interval,
	check_query(format('SELECT extract(%1$s FROM called), count(*) FROM sales JOIN buyers USING (buyer) GROUP BY 1', f)) AS time
FROM unnest('{microseconds,milliseconds,second,minute,hour,epoch}'::text[]) f;

-- quotients have several display scales; what functions return has none that is known
SET gpuagg.report_rejections = on;
SELECT n / 3 AS k, count(*) FROM sales JOIN buyers USING (buyer) GROUP BY 1 ORDER BY 1 LIMIT 1;
SELECT sqrt(m) AS k, count(*) FROM sales WHERE m > 0 GROUP BY 1 ORDER BY 1 LIMIT 1;
SELECT g + 1 AS k, count(*) FROM generate_series(1.0, 3.0, 0.5) g GROUP BY 1 ORDER BY 1 LIMIT 1;
SELECT max(a) FROM (SELECT avg(n) AS a FROM sales GROUP BY buyer HAVING string_agg('x', '') IS NOT NULL) s;
WITH RECURSIVE r(x) AS (VALUES (1.5) UNION ALL SELECT x * 1.5 FROM r WHERE x < 50) SELECT max(x), count(x) FROM r;
RESET gpuagg.report_rejections;
-- what is only counted may have any
SELECT check_query('SELECT count(g), count(*) FILTER (WHERE g IS NULL) FROM generate_series(1.0, 3.0, 0.5) g');
SELECT check_query('SELECT buyer, count(x) FROM (SELECT buyer, n / m AS x FROM sales WHERE m <> 0 OFFSET 0) s GROUP BY buyer');

-- computed below: subqueries, views, CTEs, UNION, VALUES, window functions
SELECT q AS source, check_engine('SELECT ' || q)
FROM unnest(ARRAY[
	'x, count(*), sum(x), max(x) FROM (SELECT n * discount AS x FROM sales JOIN buyers USING (buyer) OFFSET 0) s GROUP BY x',
	'x + 1, count(*), sum(x * 2) FROM (SELECT n * discount AS x FROM sales JOIN buyers USING (buyer) OFFSET 0) s GROUP BY 1',
	'sum(x), avg(x), min(x) FROM (SELECT round(n / 3, 4) AS x FROM sales OFFSET 0) s',
	'sum(x), avg(x), stddev(x) FROM (SELECT v AS x FROM sales OFFSET 0) s',
	'sum(x) FROM (SELECT n AS x FROM sales UNION ALL SELECT m FROM sales UNION ALL SELECT i4 FROM sales) s',
	'sum(x) FROM (SELECT n AS x FROM sales UNION SELECT m FROM sales) s',
	'x, count(*) FROM (SELECT n AS x FROM sales UNION ALL SELECT NULL UNION ALL SELECT discount FROM buyers) s GROUP BY x',
	'x, count(*) FROM (SELECT n AS x FROM sales INTERSECT SELECT 1.37 * i FROM generate_series(1, 50) i) s GROUP BY x',
	'x, count(*), sum(y) FROM (VALUES (1.50, 2), (2.50, 3.25), (NULL, 1), (1.50, NULL)) s(x, y) GROUP BY x',
	'sum(x) OVER (ORDER BY x), x FROM (SELECT sum(n) AS x FROM sales GROUP BY buyer) s GROUP BY x',
	'buyer, max(x), max(y) FROM (SELECT buyer, sum(n) OVER w AS x, lag(n) OVER w AS y FROM sales WINDOW w AS (PARTITION BY buyer ORDER BY id)) s GROUP BY buyer',
	'(SELECT max(n) FROM sales WHERE sales.buyer = buyers.buyer) AS x, count(*) FROM buyers GROUP BY x',
	'n - (SELECT max(n) FROM sales) AS x, count(*), sum(m * (SELECT sum(discount) FROM buyers)) FROM sales GROUP BY x',
	'DISTINCT n * discount FROM sales JOIN buyers USING (buyer)',
	'DISTINCT x FROM (SELECT sum(n) OVER (PARTITION BY buyer) AS x FROM sales) s',
	'DISTINCT max(n) + 1 FROM sales GROUP BY buyer HAVING string_agg(''x'', '''') IS NOT NULL',
	'extract(year FROM day), buyer, grouping(buyer), count(*) FROM sales JOIN buyers USING (buyer) GROUP BY ROLLUP (1, buyer)',
	'count(DISTINCT n * discount), sum(DISTINCT n + discount) FROM sales JOIN buyers USING (buyer)']) q;

-- aggregates over aggregates, which PostgreSQL computes because of one that is not ours, or an engine does
CREATE VIEW per_buyer AS
SELECT buyer, sum(n) AS s, max(m) AS m, min(v) AS v, sum(i8) AS i8, sum(n * m) AS p, count(n) AS c FROM sales GROUP BY buyer;
CREATE VIEW per_buyer_native AS
SELECT buyer, sum(n) AS s, max(m) AS m, min(v) AS v, sum(i8) AS i8, sum(n * m) AS p, count(n) AS c FROM sales GROUP BY buyer
HAVING string_agg('x', '') IS NOT NULL;
SELECT a AS aggregates, check_query(format('SELECT %s FROM per_buyer_native', a)) AS native,
	check_query(format('SELECT buyer %% 3, %s FROM per_buyer_native GROUP BY 1', a)) AS native_keys,
	check_engine(format('SELECT buyer %% 3, %s FROM per_buyer GROUP BY 1', a)) AS ours
FROM unnest(ARRAY['max(s), min(s), count(s)', 'sum(s), avg(s)', 'variance(s)', 'sum(s) FILTER (WHERE s > 100)', 'max(m), sum(m)', 'sum(v), count(v)', 'sum(i8), max(i8)',
	'sum(p), max(p)', 'sum(s * 0.5), max(s - m)', 'sum(s) + sum(c)', 'count(DISTINCT s)']) a;
SELECT check_engine('SELECT s, count(*) FROM per_buyer GROUP BY s');
SELECT check_engine('SELECT max(x) FROM (SELECT sum(s) AS x FROM per_buyer_native GROUP BY buyer % 5) t');
SELECT check_query('SELECT buyer, s FROM per_buyer WHERE s = (SELECT max(s) FROM per_buyer)');
SELECT check_engine('WITH w AS MATERIALIZED (TABLE per_buyer_native) SELECT max(s), sum(s) FROM w');
-- behind a security barrier no statistics are looked at, types and rules are
CREATE VIEW barred WITH (security_barrier) AS SELECT buyer, n, m FROM sales;
SELECT check_query('SELECT sum(s), max(s) FROM (SELECT sum(n) AS s FROM barred GROUP BY buyer) t'), check_query('SELECT sum(m) FROM barred');

-- 128 bits where sums can be beyond 64, and fallback beyond what was expected
CREATE TABLE heaps (g int, n numeric(20,2), f numeric, i8 bigint);
INSERT INTO heaps SELECT i % 5, 9e15 - i, i * 0.25, i FROM generate_series(1, 1000) i;
VACUUM ANALYZE heaps;
CREATE VIEW heaped AS SELECT g, sum(n) AS n, sum(f) AS f, sum(i8) AS i8 FROM heaps GROUP BY g HAVING string_agg('x', '') IS NOT NULL;
SELECT check_query('SELECT max(n), sum(n), max(f), sum(i8), max(i8) FROM heaped');
BEGIN;
INSERT INTO heaps VALUES (1, 1, 1e25, 1), (1, 1, 3e25, 1);
SELECT check_fallback('SELECT max(f) FROM heaped');
SELECT check_query('SELECT max(n) FROM heaped');
ROLLBACK;
BEGIN;
INSERT INTO heaps VALUES (1, 1, 0.123456789, 1);
SELECT check_fallback('SELECT sum(f) FROM heaped');
SELECT check_fallback('SELECT f + 1, count(*) FROM (SELECT * FROM heaps OFFSET 0) t GROUP BY 1');
ROLLBACK;
BEGIN;
-- one more digit that is shown
INSERT INTO heaps VALUES (1, 1, 0.250, 1);
SELECT check_fallback('SELECT max(f) FROM heaped');
SELECT check_query('SELECT sum(f) FROM heaped');
SELECT check_fallback('SELECT f + 1, count(*) FROM (SELECT * FROM heaps OFFSET 0) t GROUP BY 1');
ROLLBACK;
BEGIN;
INSERT INTO heaps VALUES (1, 1, 1, 9223372036854775807), (1, 1, 1, 9223372036854775807);
SELECT check_fallback('SELECT sum(i8) FROM heaped');
SELECT check_query('SELECT g, sum(i8) FROM (SELECT * FROM heaps OFFSET 0) t GROUP BY g');
ROLLBACK;
BEGIN;
INSERT INTO heaps VALUES (1, 'NaN', 'Infinity', 1);
SELECT check_query('SELECT sum(n), max(f) FROM heaped');
SELECT check_query('SELECT n + 1, count(*) FROM (SELECT * FROM heaps OFFSET 0) t GROUP BY 1');
ROLLBACK;
-- errors are PostgreSQL's
SELECT check_fallback('SELECT (n * 1e30)::numeric(38,2), count(*) FROM (SELECT * FROM heaps OFFSET 0) t GROUP BY 1');
