--
-- min and max of intervals.  PostgreSQL compares their lengths, of months with 30
-- days and days with 24 hours; equal ones can be written differently.
--

-- i: no two are equal but identical ones; m: all fields, of both signs; e: equal ones
-- among small values, and large ones that are not
CREATE TABLE spans (id int NOT NULL, k int, b boolean, i interval, m interval, e interval, n interval NOT NULL, h interval(2));
INSERT INTO spans SELECT j, j % 900, j % 2 = 0,
	CASE WHEN j % 5 > 0 THEN (j * 7919 % 10007 - 5000) * interval '1.000001 seconds' END,
	CASE WHEN j % 7 > 0 THEN make_interval(months => j % 41 - 20, days => j * 31 % 50 - 25, secs => j * 7919 % 100003 - 50000) END,
	CASE WHEN j % 3 = 0 THEN interval '1 month' WHEN j % 3 = 1 THEN interval '30 days' ELSE j * interval '1 year' END,
	j * interval '1 day', j % 100 * interval '1.5 hours'
FROM generate_series(1, 6000) j;
VACUUM ANALYZE spans;
SELECT check_engine('SELECT k % 50, min(i), max(i), count(i), max(i) FILTER (WHERE b), min(n), max(h), count(*) FROM spans GROUP BY 1'), check_engine('SELECT id, min(i), max(m), min(e) FROM spans GROUP BY id'),
	check_engine('SELECT b, max(n), max(e) FROM spans GROUP BY b HAVING max(n) > ''3 years'' AND min(i) < ''0'''), check_engine('SELECT min(i), max(i), min(n), max(e) FROM spans'),
	check_engine('SELECT min(i), max(n) FROM spans WHERE id < 0'), check_engine('SELECT k % 3, min(i) FROM spans WHERE i IS NULL OR h IS NOT NULL AND id < 40 GROUP BY 1'),
	check_engine('SELECT i IS NULL, count(*), count(m) FROM spans GROUP BY 1');
SELECT min(n), max(n), min(i), max(i), max(e), min(h), max(h) FROM spans;
SELECT check_engine('SELECT k % 9, min(DISTINCT i), max(DISTINCT n), count(*) FROM spans GROUP BY 1'), check_query('SELECT k % 9, min(DISTINCT e) FROM spans GROUP BY 1');

-- what takes one of several; defaults, parameters; what a child plan computes
SELECT check_engine('SELECT k % 9, max(CASE WHEN b THEN i ELSE n END), min(coalesce(i, n)), max(coalesce(i, interval ''-7 years'')) FROM spans GROUP BY 1'),
	check_query('SELECT k % 9, max(i + n), max(age(timestamp ''2001-01-01'' + n)), min(n::interval(0)) FROM spans GROUP BY 1'), check_query('SELECT x.k, max(x.i), min(y.n) FROM spans x JOIN spans y ON x.id = y.id + 1 GROUP BY 1'),
	check_query('SELECT k % 4, b, max(n), min(i) FROM spans GROUP BY CUBE (1, 2)'), check_query('SELECT k % 4, count(DISTINCT b), max(n) FROM spans GROUP BY 1');
ALTER TABLE spans ADD d interval DEFAULT '2 months -3 days 4.5 seconds', ADD z interval;
SELECT check_engine('SELECT k % 9, max(d), min(d), max(z), count(d), count(z) FROM spans GROUP BY 1');
PREPARE longest(int, interval) AS SELECT k % 2, max(coalesce(i, $2)), min(n) FROM spans WHERE id < $1 GROUP BY 1 ORDER BY 1;
SET plan_cache_mode = force_generic_plan;
EXECUTE longest(50, '1 hour');
EXECUTE longest(50, '100 years 1 day');
EXECUTE longest(0, NULL);
RESET plan_cache_mode;
SELECT s, set_config('gpuagg.strategy', s, true) IS NULL AS none, check_engine('SELECT k % 40, min(i), max(n), count(*), max(h) FROM spans GROUP BY 1') FROM unnest(ARRAY['atomic', 'block', 'peers', 'scan', 'vote']) s;

-- almost the least and the greatest there are: from 17 on, these are infinite
CREATE TABLE long_spans AS SELECT j % 3 AS k, i FROM (VALUES (make_interval(months => 2147483646, days => 2147483647) + interval '2562047788:00:54.775807'), (make_interval(months => -2147483647, days => -2147483648) + interval '-2562047788:00:54.775807'), ('0')) v (i), generate_series(1, 9) j;
SELECT check_engine('SELECT k, min(i), max(i), max(i) FILTER (WHERE i IS NULL) FROM long_spans GROUP BY k'), check_engine('SELECT min(i), max(i) FROM long_spans');
SELECT min(i), max(i) FROM long_spans;

-- equal ones, written differently: which is shown depends on the order of rows
CREATE TABLE equal_spans (id int, k int, i interval);
INSERT INTO equal_spans SELECT j, j % 10, (ARRAY['1 month', '30 days', '29 days 24:00', '1 month', '-1 month 1440:00'])[1 + j % 5]::interval FROM generate_series(0, 999) j;
SELECT check_fallback('SELECT max(i) FROM equal_spans'), check_fallback('SELECT k % 2, min(i) FROM equal_spans GROUP BY 1'), check_query('SELECT k % 5, min(i), max(i) FROM equal_spans GROUP BY 1'),
	check_query('SELECT k % 2, max(i) FILTER (WHERE k = 2) FROM equal_spans GROUP BY 1'), check_query('SELECT max(i) FROM equal_spans WHERE k IN (3, 8)'), check_query('SELECT id, max(i) FROM equal_spans GROUP BY id');
-- in groups of a grouping set only; beyond the rows that were equal
SELECT check_fallback('SELECT k, max(i) FROM equal_spans GROUP BY ROLLUP (k)'), check_query('SELECT k, b, max(i) FROM equal_spans, (VALUES (true), (false)) b (b) GROUP BY GROUPING SETS ((k, b), (k))');
INSERT INTO equal_spans VALUES (-1, 0, '2 months');
SELECT check_query('SELECT max(i) FROM equal_spans'), check_fallback('SELECT min(i), max(i) FROM equal_spans');

-- not by the bytes
SET gpuagg.report_rejections = on;
SELECT i, count(*) FROM equal_spans GROUP BY i ORDER BY 2;
SELECT count(DISTINCT i) FROM equal_spans;
SELECT count(*) FROM (SELECT DISTINCT i FROM equal_spans) s;
RESET gpuagg.report_rejections;
SELECT check_query('SELECT k, count(*), max(i) FROM equal_spans WHERE i > ''0'' AND k < 5 GROUP BY k');
