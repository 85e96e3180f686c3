--
-- sum and avg of intervals, percentiles and modes of these, and sum of money.  Months, days and
-- times are summed by themselves; PostgreSQL's sums may overflow at some row.
--
CREATE TABLE stays (id int NOT NULL, k int, b boolean, begins timestamp, ends timestamp, i interval, m interval, n interval NOT NULL, paid money, empty interval);
INSERT INTO stays SELECT j, j % 700, j % 2 = 0, timestamp '2020-02-27 23:10' + j * interval '7919 seconds', timestamp '2020-03-01 04:00' + j * interval '7907.000001 seconds',
	CASE WHEN j % 5 > 0 THEN (j * 7919 % 10007 - 5000) * interval '1.000001 seconds' END,
	CASE WHEN j % 7 > 0 THEN make_interval(months => j % 41 - 20, days => j * 31 % 50 - 25, secs => j * 7919 % 100003 - 50000.25) END,
	j * interval '1 day', CASE WHEN j % 3 > 0 THEN (j * 1.17 - 900)::numeric::money END
FROM generate_series(1, 6000) j;
VACUUM ANALYZE stays;

SELECT query, check_engine(query) FROM (VALUES
	('SELECT k % 50, sum(i), avg(i), sum(m), avg(m), avg(n), count(*) FROM stays GROUP BY 1'),
	('SELECT id, sum(m), avg(m), avg(i) FROM stays GROUP BY 1'),
	('SELECT sum(i), avg(i), sum(m), avg(m), sum(n), avg(n), sum(empty), avg(empty), sum(paid) FROM stays'),
	('SELECT sum(i), avg(m), sum(paid) FROM stays WHERE id < 0'),
	('SELECT k % 50, avg(ends - begins), sum(ends - begins) FILTER (WHERE b), max(ends - begins) FROM stays GROUP BY 1'),
	('SELECT b, avg(m) FILTER (WHERE id % 3 = 0), sum(-m), avg(i + n) FROM stays GROUP BY 1'),
	('SELECT k % 9, sum(paid), count(paid), max(paid), sum(paid) FILTER (WHERE b) FROM stays GROUP BY 1'),
	('SELECT k % 9, b, sum(m), sum(paid) FROM stays GROUP BY ROLLUP (1, 2)'),
	('SELECT k % 100, avg(m) FROM stays GROUP BY 1 HAVING sum(i) > ''1 hour'' ORDER BY avg(m) DESC, 1 LIMIT 7'),
	('SELECT k, sum(paid) FROM stays GROUP BY 1 HAVING sum(paid) > ''1000'' ORDER BY sum(paid) DESC, 1 LIMIT 7'),
	('SELECT k % 5, percentile_cont(0.3) WITHIN GROUP (ORDER BY ends - begins), percentile_cont(0.5) WITHIN GROUP (ORDER BY begins - ends DESC) FILTER (WHERE b) FROM stays GROUP BY 1'),
	('SELECT k % 5, percentile_disc(0.3) WITHIN GROUP (ORDER BY ends - begins), mode() WITHIN GROUP (ORDER BY date_trunc(''day'', ends) - date_trunc(''day'', begins)) FROM stays GROUP BY 1'),
	('SELECT percentile_cont(ARRAY[0, 0.25, NULL, 1]) WITHIN GROUP (ORDER BY ends - begins), percentile_disc(ARRAY[0.1, 0.9]) WITHIN GROUP (ORDER BY n DESC) FROM stays'),
	('SELECT id, percentile_cont(0.5) WITHIN GROUP (ORDER BY n), mode() WITHIN GROUP (ORDER BY i) FROM stays GROUP BY 1'),
	('SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY empty), percentile_disc(0.5) WITHIN GROUP (ORDER BY i) FROM stays')) v (query);
SELECT sum(i), avg(m), avg(ends - begins), sum(paid), percentile_cont(0.37) WITHIN GROUP (ORDER BY ends - begins), percentile_disc(0.37) WITHIN GROUP (ORDER BY i) FROM stays;

-- joined, of a child plan, and once for each distinct value
SELECT query, check_query(query) FROM (VALUES
	('SELECT x.k % 7, sum(x.m), avg(y.i), sum(y.paid) FROM stays x JOIN stays y ON x.id = y.id + 1 GROUP BY 1'),
	('SELECT k % 7, avg(age(ends, begins)), sum(paid * 2) FROM stays GROUP BY 1'),
	('SELECT k % 7, sum(DISTINCT paid), count(*) FROM stays GROUP BY 1')) v (query);
SELECT strategy, set_config('gpuagg.strategy', strategy, true) IS NULL AS none, check_engine('SELECT k % 40, sum(m), avg(i), sum(paid), percentile_disc(0.5) WITHIN GROUP (ORDER BY n) FROM stays GROUP BY 1')
FROM unnest(ARRAY['atomic', 'block', 'peers', 'scan', 'vote']) strategy;

-- sums that overflow, or do at some row and not in the end, or are in range, though their sizes are not
CREATE TABLE long_stays (k int, i interval, paid money);
INSERT INTO long_stays SELECT j / 1000, CASE j % 2 WHEN 0 THEN -1 ELSE 1 END * (ARRAY['3000000 months', '3000000 days', '200000000 hours'])[1 + j / 1000]::interval,
	CASE j % 2 WHEN 0 THEN -1 ELSE 1 END * 9e13::numeric::money FROM generate_series(0, 2999) j;
INSERT INTO long_stays SELECT 3, '2147483647 months', '92233720368547758.07';
INSERT INTO long_stays SELECT 4, i, paid FROM (VALUES ('2147483647 days'::interval, '92233720368547758.07'::money), ('-1 days', '-0.01')) v (i, paid);
INSERT INTO long_stays SELECT 5, '2147483647 months', '92233720368547758.07' FROM generate_series(1, 2);
SELECT check_fallback('SELECT k, sum(i), avg(i) FROM long_stays WHERE k < 5 GROUP BY 1'), check_fallback('SELECT k, sum(paid) FROM long_stays WHERE k < 5 GROUP BY 1'),
	check_engine('SELECT k, avg(i) FROM long_stays WHERE k = 3 GROUP BY 1'), check_fallback('SELECT k, sum(paid) FROM long_stays WHERE k = 3 GROUP BY 1'), check_fallback('SELECT k % 1, sum(i), sum(paid) FROM long_stays WHERE k < 3 GROUP BY 1');
-- in groups of a grouping set only; in groups that are not among the first
SELECT check_fallback('SELECT i, count(*), sum(paid) FROM (SELECT id AS i, money ''30000000000000000'' AS paid FROM stays WHERE id < 8) s GROUP BY ROLLUP (1)');
SELECT mode, outcome('SELECT k, sum(paid) FROM long_stays GROUP BY 1 ORDER BY count(*) DESC LIMIT 2', mode, 'on') AS money, outcome('SELECT k, avg(i) FROM long_stays GROUP BY 1 HAVING count(*) > 5', mode, 'on') AS interval
FROM unnest(ARRAY['off', 'force']) mode;

-- intervals that are not written as differences of timestamps are: another one may be as long
SELECT check_fallback('SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY m) FROM stays WHERE id < 100'), check_fallback('SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY i + n) FROM stays WHERE n > ''3 days'' AND id < 50');

DROP TABLE stays, long_stays;
