--
-- Filters of several conditions: each is evaluated for the rows that those before it
-- leave, and what the query needs besides is read of the rows that pass.
--
CREATE TABLE filters_wide (id int NOT NULL, title text, a int, note text NOT NULL, b smallint, c bigint NOT NULL, url text, d date, n numeric(10,2), f float8, last text);
INSERT INTO filters_wide SELECT i, CASE i % 5 WHEN 0 THEN NULL WHEN 1 THEN '' ELSE repeat('title ', i % 9) END, nullif(i % 7, 3), 'note ' || i % 11, i % 100, i % 13,
	CASE WHEN i % 17 = 0 THEN NULL ELSE repeat('http://', i % 30) || i % 50 END, date '2020-01-01' + i % 400, i % 91 / 4.0, i % 19, CASE i % 3 WHEN 0 THEN NULL ELSE 'last ' || i % 23 END
FROM generate_series(1, 40000) i;
ALTER TABLE filters_wide ADD COLUMN added int DEFAULT 5;
INSERT INTO filters_wide SELECT i, 'new', 1, 'note', 1, 1, 'url', date '2020-01-01', 1, 1, 'last', i % 9 FROM generate_series(1, 1000) i;

SELECT q AS query, check_query('SELECT ' || q)
FROM unnest(ARRAY[
	'count(*) FROM filters_wide WHERE b <> 0',
	'count(*), sum(a) FROM filters_wide WHERE b = 7 AND c = 3 AND d > ''2020-02-01''',
	'title, count(*) FROM filters_wide WHERE c = 5 AND b < 50 AND a > 2 GROUP BY 1',
	'last, d, count(*) FROM filters_wide WHERE title <> '''' AND url LIKE ''%http%'' AND b BETWEEN 10 AND 30 AND c IN (1, 4, 7) GROUP BY 1, 2',
	'id % 10, count(last), min(url), max(note), sum(n) FROM filters_wide WHERE last > ''last 12'' AND title IS NOT NULL GROUP BY 1',
	'note, sum(f), avg(n) FROM filters_wide WHERE n > 5 AND n < 9 AND f > 3 AND a IS NULL GROUP BY 1',
	'added, count(*) FROM filters_wide WHERE added <> 3 AND title IS NOT NULL GROUP BY 1',
	'count(*) FILTER (WHERE added = 5), count(*) FROM filters_wide WHERE added = 5 OR url IS NULL',
	'url, count(*) FROM filters_wide WHERE last IS NULL AND (a = 1 OR b = 2) AND note = ''note 4'' GROUP BY 1',
	'b, count(*) FROM filters_wide WHERE b >= 0 GROUP BY 1',
	'b, count(*) FROM filters_wide WHERE b < 0 GROUP BY 1',
	'count(*) FROM filters_wide WHERE b < 0',
	'title, url, count(*) FROM filters_wide WHERE last <> ''last 1'' AND a = a AND 1 = (SELECT 1) GROUP BY 1, 2',
	'b, count(*) FROM filters_wide WHERE c > 3 AND 1 = (SELECT 2) GROUP BY 1',
	'CASE WHEN c > 6 THEN title ELSE last END, count(*) FROM filters_wide WHERE c > 3 AND coalesce(a, 9) > 4 GROUP BY 1']) q;

-- many rows pass, then few do, and many again: both ways to read a page, by turns
CREATE TABLE filters_waves AS SELECT i AS id, i / 25000 % 2 AS wave, i % 10 AS k, 'text ' || i % 100 AS t FROM generate_series(0, 199999) i;
SELECT q AS query, check_query('SELECT ' || q)
FROM unnest(ARRAY[
	't, count(*), sum(id) FROM filters_waves WHERE wave = 0 GROUP BY 1',
	't, count(*), sum(id) FROM filters_waves WHERE wave = 1 AND k <> 4 GROUP BY 1',
	'count(*) FROM filters_waves WHERE t <> ''text 7'' AND (wave = 0 OR id % 10 = 3)',
	'k, min(t), max(id) FROM filters_waves WHERE t < ''text 9'' AND (wave = 1 OR k = 3) GROUP BY 1']) q;

-- A condition's errors are raised for rows that the conditions before it leave, and for
-- no others.  One that is NULL keeps a row from those behind it; an operand of AND does not.
CREATE TABLE filters_faulty AS SELECT i AS id, CASE i % 10 WHEN 0 THEN 0 WHEN 1 THEN NULL ELSE i % 10 END AS a, 'x' || i % 3 AS t, i % 4 AS b FROM generate_series(1, 5000) i;
SELECT q AS query, check_query('SELECT ' || q)
FROM unnest(ARRAY[
	'count(*) FROM filters_faulty WHERE a <> 0 AND 100 / a > 20',
	't, count(*) FROM filters_faulty WHERE t <> ''x1'' AND a > 0 AND 100 / a > 20 AND b = 1 GROUP BY 1',
	'count(*) FROM filters_faulty WHERE a > 0 AND 100 / a > 20 AND 1000 / (100 / a - 100) > -50 AND a > 1',
	'sum(100 / a) FROM filters_faulty WHERE b = 1 AND a > 2',
	'100 / a, count(*) FROM filters_faulty WHERE t = ''x1'' AND a <> 0 GROUP BY 1',
	'count(*) FROM filters_faulty WHERE (a IS NOT NULL AND a <> 0) AND 100 / a > 1']) q;
SELECT q AS query, check_fallback('SELECT ' || q)
FROM unnest(ARRAY[
	'count(*) FROM filters_faulty WHERE 100 / a > 20 AND (a = 7 OR a = 8 OR a = 9)',
	'count(*) FROM filters_faulty WHERE 100 / a > 20 AND (id = -7 OR id = -8 OR id = -9)',
	'count(*) FROM filters_faulty WHERE b = 1 AND 100 / (id - 1001) > 20 AND (t = ''x7'' OR t = ''x8'' OR t = ''x9'')',
	'count(*) FROM filters_faulty WHERE (nullif(a, 2) > 1 AND 100 / (nullif(a, 2) - 5) > 0) IS NOT TRUE',
	'count(*) FROM filters_faulty WHERE (a > 1 AND 100 / (id - 11) > 0) OR a IS NULL AND 100 / (id - 11) > 0',
	'sum(100 / a) FROM filters_faulty WHERE b < 3']) q;

-- values that the engine cannot hold, or leaves out, in what a filter reads and in what it does not
CREATE TABLE filters_unfit AS SELECT i AS id, i % 10 AS k, CASE i WHEN 7 THEN 1e300 ELSE 1 END AS x, CASE i % 10 WHEN 4 THEN repeat('toast ', 2000) ELSE 'short' END AS t FROM generate_series(1, 3000) i;
SELECT q AS query, check_query('SELECT ' || q)
FROM unnest(ARRAY[
	'k, md5(max(t)), count(*) FROM filters_unfit WHERE k < 5 AND id > 50 GROUP BY 1',
	'md5(t), n FROM (SELECT t, count(*) AS n FROM filters_unfit WHERE k = 4 OR k = 5 GROUP BY 1) s',
	'k, count(*) FROM filters_unfit WHERE t LIKE ''toast%'' AND id > 50 GROUP BY 1',
	'k, count(*) FROM filters_unfit WHERE id > 50 AND t LIKE ''%t%'' AND k <> 6 GROUP BY 1']) q;
SELECT q AS query, check_fallback('SELECT ' || q)
FROM unnest(ARRAY['k, sum(x) FROM filters_unfit WHERE k = 7 GROUP BY 1']) q;

-- A value that a condition reads is detoasted where the conditions before it leave its row.
-- Conditions go by cost: a pattern after comparisons of integers behind its text, a
-- comparison of texts before that of an integer far behind it.
SET gpuagg.engine = cpu;
CREATE TABLE filters_order AS SELECT i % 8 AS a, CASE i % 2 WHEN 0 THEN repeat('toast ', 2000) ELSE 'short' END AS t, i % 10 AS b,
	'1' AS t1, '2' AS t2, '3' AS t3, i % 25 AS c, i AS id FROM generate_series(1, 2000) i;
CREATE FUNCTION detoasted_rows(query text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
	plan jsonb;
BEGIN
	PERFORM let_engine_answer();
	EXECUTE 'EXPLAIN (ANALYZE, FORMAT JSON) ' || query INTO plan;
	RETURN jsonb_path_query_first(plan, '$.**?(@."Custom Plan Provider" == "GpuAgg")') ->> 'Detoasted Rows';
END $$;
SELECT q AS query, detoasted_rows(q), check_query(q)
FROM (SELECT 'SELECT count(*) FROM filters_order WHERE ' || c FROM unnest(ARRAY[
	't LIKE ''%t_a%'' AND b = 2',
	't LIKE ''%t_a%'' AND c = 2 AND b = 2',
	't LIKE ''%t_a%'' AND t <> ''toast''',
	't <> ''short'' AND b = 2',
	't <> ''short'' AND a = 2 AND c = 2',
	't <> ''short'' AND c = 2',
	'(b = 1 OR b = 2 OR b = 3 OR b = 4 OR b = 5 OR b = 6 OR b = 8) AND t LIKE ''%t_a%'' AND a = 4',
	't LIKE ''%t_a%'' AND 100 / (a + 1) > 20 AND b = 2']) c) x (q);
RESET gpuagg.engine;
DROP TABLE filters_wide, filters_waves, filters_faulty, filters_unfit, filters_order;
