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

-- Wide rows, of which a device reads no more than a condition's column if that refuses them:
-- NULLs of any column, columns that older rows do not have, columns behind a text.
SELECT format('CREATE TABLE filters_in_place (id int, a smallint NOT NULL, flag bool, d date, c "char", big bigint, ts timestamp, %s, t text, behind int, f float8)',
	string_agg(format('x%s float8', i), ', ')) FROM generate_series(1, 50) i \gexec
CREATE FUNCTION fill_filters_in_place(rows int, nulls bool) RETURNS void LANGUAGE sql AS $$
	INSERT INTO filters_in_place (id, a, flag, d, c, big, ts, x1, x2, x40, x50, t, behind, f)
	SELECT i, i % 100 - 50, nullif(i % 3, 2) = 1, CASE i % 50 WHEN 7 THEN 'infinity' WHEN 8 THEN NULL ELSE date '2020-01-01' + i % 400 END, chr(65 + i % 26)::"char",
		CASE i % 20 WHEN 3 THEN NULL ELSE i * 1000000000::bigint END, timestamp '2020-01-01' + i * interval '1 min', i, CASE WHEN nulls AND i % 2 = 0 THEN NULL ELSE i END, 1, 2,
		repeat('text', i % 20), i % 10, i / 4.0
	FROM generate_series(1, rows) i $$;
SELECT fill_filters_in_place(6000, true);
SELECT format('UPDATE filters_in_place SET %s WHERE id %% 5 > 0', string_agg(format('x%s = %s', i, i), ', ')) FROM generate_series(2, 50) i \gexec
ALTER TABLE filters_in_place ADD COLUMN added int DEFAULT 5;
SELECT fill_filters_in_place(2000, false);
SELECT q AS query, check_query('SELECT ' || q)
FROM unnest(ARRAY[
	'count(*), sum(id), max(t), sum(x50) FROM filters_in_place WHERE a = 7',
	'a, count(*), max(t), sum(big) FROM filters_in_place WHERE a < -48 OR a > 48 GROUP BY 1',
	'count(*), sum(id) FROM filters_in_place WHERE a <> 0',
	'count(*), sum(id) FROM filters_in_place WHERE a > 40000',
	'count(*), max(t) FROM filters_in_place WHERE flag AND a IN (1, 3, 5)',
	'count(*), max(t) FROM filters_in_place WHERE NOT flag AND id BETWEEN 100 AND 150',
	'count(*), max(t) FROM filters_in_place WHERE flag IS NOT TRUE AND id < 100',
	'count(*), max(t) FROM filters_in_place WHERE flag IS NULL AND id < 100',
	'd, count(*), max(t) FROM filters_in_place WHERE d >= ''2021-01-20'' GROUP BY 1',
	'd, count(*) FROM filters_in_place WHERE d IS NULL OR d = ''2020-03-01'' GROUP BY 1',
	'c, count(*), sum(f) FROM filters_in_place WHERE c = ''C'' AND id % 4 = 2 GROUP BY 1',
	'count(*), min(ts), max(ts), sum(big) FROM filters_in_place WHERE big > 5900000000000 AND ts > ''2020-01-02''',
	'count(*), sum(big) FROM filters_in_place WHERE big IS NULL OR big < 100000000000',
	'behind, count(*), sum(id) FROM filters_in_place WHERE behind = 3 AND t LIKE ''%text%'' GROUP BY 1',
	'added, count(*), sum(id) FROM filters_in_place WHERE added = 5 AND id < 50 GROUP BY 1',
	'count(*), sum(id) FROM filters_in_place WHERE id = 5 AND a = 7',
	'count(*), max(t) FROM filters_in_place WHERE a = 7 AND 1000 / a > 100',
	'count(*) FILTER (WHERE t > ''text''), sum(x2) FROM filters_in_place WHERE id >= 0']) q;
SELECT q AS query, check_fallback('SELECT ' || q)
FROM unnest(ARRAY[
	'count(*), max(t) FROM filters_in_place WHERE 1000 / (id - 5000) > 100 AND (a = 7 OR a = 8 OR a = 9 OR a = 10)',
	'count(*), max(t) FROM filters_in_place WHERE (a = 7 OR a = 8) AND 1000 / (id - 157) > 100',
	'sum(1000 / (id - 157)) FROM filters_in_place WHERE a = 7']) q;
PREPARE filters_in_place_of(smallint) AS SELECT a, count(*), max(t) FROM filters_in_place WHERE a = $1 GROUP BY a;
SET plan_cache_mode = force_generic_plan;
EXECUTE filters_in_place_of(7);
EXECUTE filters_in_place_of(-50);
EXECUTE filters_in_place_of(NULL);
EXECUTE filters_in_place_of(77);
RESET plan_cache_mode;

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
-- dates against constant timestamps, which engines compare as days
CREATE TABLE filters_dates AS SELECT i AS id, (CASE i % 12 WHEN 3 THEN NULL WHEN 5 THEN 'infinity' WHEN 7 THEN '-infinity' WHEN 9 THEN '5874897-12-31' WHEN 10 THEN '4714-11-24 BC' ELSE (date '1999-12-28' + i % 9)::text END)::date AS d
FROM generate_series(1, 2000) i;
SELECT moment, check_engine(format('SELECT d, count(*) FILTER (WHERE d < %1$s), count(*) FILTER (WHERE d <= %1$s), count(*) FILTER (WHERE d > %1$s), count(*) FILTER (WHERE d >= %1$s), count(*) FILTER (WHERE d = %1$s), count(*) FILTER (WHERE d <> %1$s) FROM filters_dates GROUP BY 1', moment)),
	check_engine(format('SELECT d, count(*) FILTER (WHERE %1$s < d), count(*) FILTER (WHERE %1$s <= d), count(*) FILTER (WHERE %1$s > d), count(*) FILTER (WHERE %1$s >= d), count(*) FILTER (WHERE %1$s = d), count(*) FILTER (WHERE %1$s <> d) FROM filters_dates GROUP BY 1', moment))
FROM unnest('{timestamp ''2000-01-01'',timestamp ''2000-01-02 00:00:00.000001'',timestamp ''1999-12-31 23:59:59.999999'',timestamp ''1999-12-30'',timestamp ''infinity'',timestamp ''-infinity'',timestamp ''294276-12-31 23:59:59.999999'',timestamp ''4714-11-24 BC'',date ''1999-12-01'' + interval ''1 month''}'::text[]) moment;

RESET gpuagg.engine;
DROP TABLE filters_wide, filters_waves, filters_faulty, filters_unfit, filters_in_place, filters_order, filters_dates;
