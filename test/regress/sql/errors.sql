--
-- Rows whose expressions fail: the error is PostgreSQL's own; rows that are
-- filtered out raise none.
--
CREATE TABLE traps (id int, small smallint, i int, big bigint, f4 real, f8 double precision, zero int);
INSERT INTO traps SELECT i, i % 100, i, i, i, i, i % 5 FROM generate_series(1, 2000) i;
INSERT INTO traps VALUES (0, 32767, 2147483647, 9223372036854775807, 3e38, 1e308, 0);

SELECT x, check_fallback(format('SELECT id %% 2, sum(%s) FROM traps GROUP BY 1', x))
FROM unnest(ARRAY['i / zero', 'i % zero', 'big / zero', 'big % zero', 'small / zero', 'f8 / zero', 'f4 / zero',
	'i + 1', 'i * 2', 'i - (-1)', 'big + 1', 'big * 2', 'small + 1::smallint', 'small * 2::smallint', 'big - (-1)',
	'f8 * 10', 'f4 * 10::float4', 'f8 + 1.7e308', 'big::int', 'i::smallint', 'f8::int', 'f8::bigint', 'f4::smallint', 'f8::real',
	'(-i - 1) / (zero - 1)', '-(-i - 1)', '(-big - 1) / (zero - 1)', 'f8 / 1e-300', '1e-300 / f8']) x;

-- as a key, and in a filter
SELECT check_fallback('SELECT i / zero, count(*) FROM traps GROUP BY 1');
SELECT check_fallback('SELECT id, count(*) FROM traps WHERE 10 / zero > 2 GROUP BY 1');
SELECT check_fallback('SELECT id, count(*) FROM traps WHERE i / zero > 2 OR id > 3 GROUP BY 1');
SELECT check_fallback('SELECT count(*) FILTER (WHERE i / zero > 2) FROM traps');
SELECT check_fallback('SELECT d, count(*) FROM (SELECT date ''5874897-12-30'' + id AS d FROM traps OFFSET 0) s GROUP BY 1');
SELECT check_fallback('SELECT date ''5874897-12-30'' + id, count(*) FROM traps GROUP BY 1');

-- conditions are evaluated in PostgreSQL's order, cheap ones first
SELECT outcome(q, 'off', 'on') AS native, outcome(q, 'force', 'on') AS ours
FROM (VALUES ('SELECT count(*) FROM traps WHERE (id < -1 OR id = -5 OR id = -6 OR id = -7) AND 10 / zero > 2')) x (q);
-- so is a cast of a numeric that is too large for the engine, which fails where it is read, and for
-- the type
CREATE TABLE wide_traps AS SELECT 1 AS id, 9999999999999999999::numeric(25,6) AS n;
SELECT outcome(q, 'off', 'on') AS native, outcome(q, 'force', 'on') AS ours
FROM (VALUES ('numeric_to_int8', 'SELECT count(*) FROM wide_traps WHERE n::bigint IS NULL AND id < 0')) x (op, q);

-- kept from the error by what comes before it
SELECT c AS condition, check_query('SELECT id % 10, count(*), sum(i) FROM traps WHERE ' || c || ' GROUP BY 1')
FROM unnest(ARRAY['zero <> 0 AND 1000 / zero > 300', 'zero = 0 OR 1000 / zero > 300', 'NOT (zero = 0 OR 1000 / zero > 300)',
	'zero > 0 AND (zero = 1 OR i % zero = 1)', 'id > 0 AND i + 1 > 5', 'nullif(zero, 0) > 0 AND 1000 / zero > 300']) c;
-- not so by NULL within an AND that is no list of conditions
SELECT check_fallback('SELECT count(*) FROM traps WHERE (nullif(zero, 0) > 0 AND 1000 / zero > 300) OR id < -1');
SELECT check_query('SELECT id % 10, sum(i / zero), min(i % zero) FROM traps WHERE zero <> 0 GROUP BY 1');
SELECT check_query('SELECT id % 10, sum(i / zero) FILTER (WHERE zero <> 0), count(*) FROM traps GROUP BY 1');
SELECT check_query('SELECT i + 1, count(*) FROM traps WHERE id > 0 GROUP BY 1');
SELECT check_query('SELECT sum(i + NULL::int), count(NULL / zero) FROM traps WHERE id > 0');

-- the values of constants are looked at once, wherever the rows are
SELECT outcome('SELECT sum(i + 1/0) FROM traps', 'force', 'on'), outcome('SELECT sum(i + 1/0) FROM traps', 'off', 'on');

-- errors after the aggregates
SELECT outcome('SELECT sum(i) / (count(*) - count(*)) FROM traps', 'force', 'on');
SELECT outcome('SELECT id % 2, sum(i)::int FROM traps GROUP BY 1', 'force', 'on');

-- Several errors in one query: that of the row and expression to which
-- PostgreSQL's own plan comes first.  The child plan's own errors come before
-- others, though, each of which is raised by one of the expressions.
CREATE TABLE failing (x text);
INSERT INTO failing VALUES ('i / zero'), ('i + 1'), ('big::int'), ('f8 * 10'), ('i % (id - 7)'), ('i');
CREATE FUNCTION different_errors(template text) RETURNS TABLE (queries bigint, errors bigint, different bigint) LANGUAGE sql AS $$
	SELECT count(*), count(DISTINCT native), count(*) FILTER (WHERE native <> ours)
	FROM (SELECT outcome(q, 'off', 'on') AS native, outcome(q, 'force', 'on') AS ours
		FROM (SELECT format(template, a.x, b.x) AS q FROM failing a, failing b) s) s $$;
SELECT t, different_errors(t) FROM unnest(ARRAY['SELECT max(%s), sum(%s) FROM traps', 'SELECT id %% 2, count(%s), avg(%s) FROM traps GROUP BY 1',
	'SELECT %s, max(%s) FROM traps GROUP BY 1', 'SELECT count(*) FROM traps WHERE %s > 3 AND %s < 100', 'SELECT count(DISTINCT %s), max(%s) FROM traps',
	'SELECT id %% 3, count(DISTINCT %s), max(%s) FROM traps GROUP BY 1']) t;
BEGIN;
SELECT let_engine_answer();
SELECT source(q), outcome(q, 'off', 'on') AS native, outcome(q, 'force', 'on') AS ours
FROM (VALUES ('SELECT max(i / zero) FROM traps'), ('SELECT sum(asind(CASE WHEN id = 900 THEN 2 ELSE 0 END)) FROM traps'), ('SELECT max(i / zero), sum(asind(CASE WHEN id = 900 THEN 2 ELSE 0 END)) FROM traps')) q (q);
COMMIT;
-- a group whose arguments fail, and to which PostgreSQL's plan does not come; from 16 on it would, to sort the arguments
SELECT count(set_config(name, 'off', false)) <= 1 AS is_off FROM pg_settings WHERE name = 'enable_presorted_aggregate';
SELECT q, outcome(q, 'off', 'on') AS native, outcome(q, 'force', 'on') AS ours
FROM unnest(ARRAY['SELECT id % 10, count(DISTINCT ln(1999 - id)) FROM traps WHERE id BETWEEN 1 AND 1999 GROUP BY 1 ORDER BY 1 LIMIT 1',
	'SELECT id % 10, count(DISTINCT 10 / (1999 - id)) FROM traps WHERE id BETWEEN 1 AND 1999 GROUP BY 1 ORDER BY 1 LIMIT 1',
	'SELECT 1 WHERE EXISTS (SELECT id % 10, count(DISTINCT ln(1999 - id)) FROM traps WHERE id BETWEEN 1 AND 1999 GROUP BY 1)',
	'SELECT count(DISTINCT ln(1999 - id)) FROM traps LIMIT 1']) q;

-- no error ends a session's use of it
SELECT check_query('SELECT zero, count(*) FROM traps GROUP BY zero');
