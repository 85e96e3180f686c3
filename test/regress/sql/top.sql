--
-- ORDER BY with LIMIT: groups that cannot be among the first ones do not leave the node.
-- Beyond the sort keys the rows are made to be in one order, so that they can be compared.
--
\set VERBOSITY terse
CREATE TABLE top (k int, t text, v int, n numeric(12,2), f float8, d date);
INSERT INTO top SELECT i % 2003, 'text ' || i % 1009, i % 7919 - 3000, (i * 7 % 10007) / 100.0,
	CASE WHEN i % 11 > 0 THEN i % 5003 / 4.0 END, date '2020-01-01' + i % 997
	FROM generate_series(1, 20000) i;
INSERT INTO top SELECT NULL, NULL, i, NULL, 'NaN', NULL FROM generate_series(1, 5) i;
INSERT INTO top SELECT 5000 + i, 'once', NULL, 'NaN', '-Infinity', 'infinity' FROM generate_series(1, 3) i;
ANALYZE top;
CREATE SEQUENCE top_counter;
SET top.zero = 0;

-- The lines of EXPLAIN (ANALYZE) about groups.
CREATE FUNCTION top_lines(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	PERFORM let_engine_answer();
	FOR line IN EXECUTE 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) ' || query LOOP
		IF line ~ 'Top Groups|Groups Left Out|  Groups:' THEN
			RETURN NEXT trim(line);
		END IF;
	END LOOP;
END $$;

CREATE FUNCTION top_is_planned(query text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
		IF line ~ 'Top Groups' THEN
			RETURN true;
		END IF;
	END LOOP;
	RETURN false;
END $$;

-- Groups come in no order, but with an order of the keys as they come most are left out.
SELECT line ~ '^Top Groups: 10$|^Groups: 2007$' OR substr(line, 18)::int BETWEEN 1 AND 1997 AS ok
	FROM top_lines('SELECT k, count(*) FROM top GROUP BY k ORDER BY count(*) DESC, k LIMIT 10') line;
SELECT * FROM top_lines('SELECT k, count(*) FROM top GROUP BY k ORDER BY count(*) DESC, k');
SELECT * FROM top_lines('SELECT k, count(*) FROM top GROUP BY k LIMIT 10');

-- Each order, of keys and of aggregates of each kind.
SELECT o, check_query(format('SELECT k, count(*), sum(v), min(n), max(t), avg(n), sum(f), avg(v), min(d), bool_or(v > 0), sum(n)
	FROM top GROUP BY k ORDER BY %s, k LIMIT 10', o))
FROM unnest(ARRAY['k', 'k DESC', 'k NULLS FIRST', 'k DESC NULLS LAST', 'count(*)', 'count(*) DESC',
	'sum(v)', 'sum(v) DESC', 'sum(v) NULLS FIRST', 'sum(v) DESC NULLS LAST', 'min(n)', 'min(n) DESC', 'max(t)', 'max(t) DESC',
	'max(t) COLLATE "C"', 'avg(n)', 'avg(n) DESC', 'sum(f)', 'sum(f) DESC', 'avg(v)', 'avg(v) DESC', 'min(d)', 'min(d) DESC',
	'bool_or(v > 0)', 'bool_or(v > 0) DESC', 'sum(n)', 'sum(n) DESC', '2, 3 DESC', '2 DESC, 4 NULLS FIRST, 3']) o;

-- Orders that a device can tell from a state's words, and those next to them.
SELECT o, check_query(format('SELECT k, min(f), max(f), min(v), max(v), sum(v::int8), sum(v::int8 * 1800000000000000), count(v), max(n), count(*)
	FROM top GROUP BY k ORDER BY %s, k LIMIT 20', o))
FROM unnest(ARRAY['min(f)', 'min(f) DESC', 'max(f) NULLS FIRST', 'max(f) DESC NULLS LAST', 'min(v)', 'min(v) DESC',
	'max(v) DESC NULLS LAST, 10', 'sum(v::int8)', 'sum(v::int8) DESC NULLS LAST', 'sum(v::int8 * 1800000000000000)',
	'sum(v::int8 * 1800000000000000) DESC', 'count(v)', 'count(v) DESC', 'max(n) DESC', 'max(n) DESC NULLS LAST',
	'-count(v)', 'sum(v::int8) + 1 DESC', '10 DESC, 2']) o;

-- Sums of floats, whose values are what they are rounded to, and averages.
SELECT o, check_query(format('SELECT k, sum(v::float8 / 8), avg(v::float8 / 8), sum(v::float4), avg(v::float4), avg(v), avg(v::int8),
	avg(v::int8 * 1800000000000000), avg(d - date ''2020-01-01''), sum(w), avg(w), sum(4.149515568880993e180 * v::float8), sum(n * 0), count(*)
	FROM (SELECT *, CASE WHEN v %% 3 = 0 THEN v / 4.0::float8 END AS w FROM top WHERE d < ''infinity'') s GROUP BY k ORDER BY %s, k LIMIT 20', o))
FROM unnest(ARRAY['2', '2 DESC', '3', '3 DESC', '4', '4 DESC', '5 DESC', '6', '6 DESC', '7', '7 DESC NULLS LAST', '8', '8 DESC',
	'9', '9 DESC', '10', '10 DESC', '10 NULLS FIRST', '10 DESC NULLS LAST', '11', '11 DESC', '11 NULLS FIRST', '11 DESC NULLS LAST',
	'12', '12 DESC', '13']) o;
SELECT check_query('SELECT k, sum(z), avg(z) FROM (SELECT k, CASE WHEN k % 2 = 0 THEN 0 ELSE -0.0::float8 END AS z FROM top WHERE k < 2003) s
	GROUP BY k ORDER BY sum(z) DESC, k LIMIT 30');
SELECT check_query('SELECT k % 1999, sum(f), avg(f) FROM top WHERE f < 200 GROUP BY 1 ORDER BY 2 DESC NULLS LAST, 1 LIMIT 5 OFFSET 3');

-- Keys of other types, several of them, and a sort key that is none.
SELECT check_query('SELECT t, count(*) FROM top GROUP BY t ORDER BY t DESC LIMIT 7');
SELECT check_query('SELECT n, count(*) FROM top GROUP BY n ORDER BY n DESC LIMIT 7');
SELECT check_query('SELECT f, count(*) FROM top GROUP BY f ORDER BY f DESC LIMIT 7');
SELECT check_query('SELECT d, t, count(*) FROM top GROUP BY d, t ORDER BY d DESC, t LIMIT 7');
SELECT check_query('SELECT d, t, count(*) FROM top GROUP BY t, d ORDER BY count(*) DESC, length(t), t, d LIMIT 7');
SELECT check_query('SELECT DISTINCT t, k FROM top ORDER BY t DESC, k LIMIT 9');

-- Keys of each type that an engine can order, and behind aggregates that do not decide alone.
CREATE TABLE top_keys AS SELECT i % 2999 AS k, i % 7 = 0 AS b, (i * 13 % 1501 - 700)::int2 AS i2,
	(i * 17 % 1201 - 600) * 10000000000 AS i8, CASE WHEN i % 5 > 0 THEN (i % 307 - 100) / 8.0::float4 END AS f4,
	date '2000-01-01' + i % 811 AS d, time '00:00' + i % 401 * interval '7 min' AS ti,
	timestamptz '2020-01-01 00:00+00' + i % 503 * interval '1 day' AS tz, (i % 601 - 99)::numeric(12,2) / 4 AS n,
	(i % 211 - 100)::numeric(30,5) * 1000000000000000 AS w, ((i % 97 - 9)::numeric * 7)::money AS m,
	md5((i % 701)::text)::uuid AS u, ('k' || i % 997) COLLATE "C" AS tc, 'k' || i % 991 AS tx, decode(md5((i % 499)::text), 'hex') AS bt,
	((i % 89 - 44)::text || 'x')::char(9) COLLATE "C" AS c, (i % 251 + 2147483600::int8)::oid AS o, i % 3 AS v
	FROM generate_series(0, 11995) i;
INSERT INTO top_keys SELECT 5000 + i FROM generate_series(1, 3) i;
ANALYZE top_keys;
SELECT c, check_query(format('SELECT %1$s, k, count(*), sum(v) FROM top_keys GROUP BY %1$s, k ORDER BY %1$s%2$s, k LIMIT 12', c, o))
FROM unnest(ARRAY['b', 'i2', 'i8', 'f4', 'd', 'ti', 'tz', 'n', 'w', 'm', 'u', 'tc', 'tx', 'bt', 'c', 'o', 'k']) c,
	unnest(ARRAY['', ' DESC', ' NULLS FIRST', ' DESC NULLS LAST']) o;
SELECT c, check_query(format('SELECT %1$s, k, count(*), sum(v) FROM top_keys GROUP BY %1$s, k ORDER BY count(*) DESC, %1$s%2$s, sum(v), k LIMIT 12', c, o))
FROM unnest(ARRAY['b', 'i2', 'i8', 'f4', 'd', 'ti', 'tz', 'n', 'w', 'm', 'u', 'tc', 'tx', 'bt', 'c', 'o']) c,
	unnest(ARRAY['', ' DESC', ' NULLS FIRST', ' DESC NULLS LAST']) o;
SELECT check_query('SELECT k, count(*), avg(v) FROM top_keys GROUP BY k ORDER BY 2 DESC, 1 DESC LIMIT 10');
SELECT check_query('SELECT k, count(*), sum(i8) FROM top_keys GROUP BY k ORDER BY 2, 3 DESC, 1 LIMIT 10');
-- by what is read from lists of values
SELECT o, check_query(format('SELECT k, count(DISTINCT v), sum(DISTINCT v), count(*) FROM top_keys GROUP BY k ORDER BY %s, k LIMIT 12', o))
FROM unnest(ARRAY['count(DISTINCT v)', 'count(DISTINCT v) DESC', 'sum(DISTINCT v) DESC NULLS LAST', 'count(*), sum(DISTINCT v)']) o;
SELECT check_query('SELECT i2, count(DISTINCT k) FROM top_keys GROUP BY i2 ORDER BY 2 DESC, 1 LIMIT 10');
SELECT check_query('SELECT i2, count(DISTINCT k) FROM top_keys GROUP BY i2 HAVING count(DISTINCT k) > 7 ORDER BY 1 LIMIT 10');
SELECT check_query('SELECT i2, percentile_disc(0.5) WITHIN GROUP (ORDER BY k), count(DISTINCT k) FROM top_keys GROUP BY i2 ORDER BY 3 DESC, 1 LIMIT 10');
-- of groups that are equal in all that they are ordered by, any will do
SELECT check_query('SELECT n FROM (SELECT k, count(*) AS n FROM top_keys GROUP BY k ORDER BY 2 DESC LIMIT 10) s');
SELECT check_query('SELECT n, w FROM (SELECT k % 500 AS k, count(*) AS n, sum(v % 2) AS w FROM top_keys GROUP BY 1 ORDER BY n, w DESC LIMIT 10) s');
SELECT check_query('SELECT k, sum(i8 * 100000) FROM top_keys GROUP BY k ORDER BY 2 DESC NULLS LAST, 1 LIMIT 10');
SELECT check_query('SELECT k, i2, i8, d, ti, count(*) FROM top_keys GROUP BY 1, 2, 3, 4, 5 ORDER BY 6, 4, 5, 2, 3, 1 LIMIT 10');
SELECT check_query('SELECT DISTINCT n, d FROM top_keys ORDER BY d DESC NULLS LAST, n LIMIT 10');
-- An engine leaves out all others where what it may know of the order is enough.
SELECT * FROM top_lines('SELECT k, count(*) FROM top_keys GROUP BY k ORDER BY 2 DESC, 1 LIMIT 10');
SELECT * FROM top_lines('SELECT k, v, count(*) FROM top_keys GROUP BY k, v ORDER BY v DESC NULLS LAST, 3, k DESC LIMIT 10');

-- OFFSET, ties, HAVING, more than there are.
SELECT check_query('SELECT k, sum(v) FROM top GROUP BY k ORDER BY sum(v) DESC, k LIMIT 5 OFFSET 20');
SELECT check_query('SELECT k, sum(v) FROM top GROUP BY k ORDER BY sum(v) DESC, k OFFSET 1990');
SELECT check_query('SELECT count(*) FROM top GROUP BY k ORDER BY count(*) DESC FETCH FIRST 3 ROWS WITH TIES');
SELECT check_query('SELECT t, count(*) FROM top GROUP BY t ORDER BY count(*) FETCH FIRST 2 ROWS WITH TIES');
SELECT check_query('SELECT k, count(*) FROM top GROUP BY k HAVING count(*) < 10 ORDER BY count(*) DESC, k LIMIT 4');
SELECT check_query('SELECT k, count(*) FROM top GROUP BY k HAVING sum(v) > 0 ORDER BY k DESC LIMIT 4');
SELECT check_query('SELECT k, count(*) FROM top GROUP BY k ORDER BY count(*), k LIMIT 5000');
SELECT check_query('SELECT k, count(*) FROM top GROUP BY k ORDER BY count(*), k LIMIT 0');

-- Not where all groups are looked at above, or where one that is left out could raise an error.
SELECT query, top_is_planned(query) FROM unnest(ARRAY[
	'SELECT k, v > 0 FROM top GROUP BY k, v > 0 HAVING count(*) > 1 ORDER BY k LIMIT 3',
	'SELECT k, rank() OVER (ORDER BY k) FROM top GROUP BY k ORDER BY k LIMIT 3',
	'SELECT DISTINCT count(*) FROM top GROUP BY k ORDER BY count(*) LIMIT 1',
	'SELECT k, generate_series(1, 2) FROM top GROUP BY k ORDER BY k LIMIT 3',
	'SELECT k, 1 / count(v) FROM top GROUP BY k ORDER BY k LIMIT 3',
	'SELECT k FROM top GROUP BY k HAVING 1 / count(v) >= 0 ORDER BY k LIMIT 3',
	'SELECT k FROM top GROUP BY k ORDER BY abs(k) LIMIT 3',
	'SELECT k, grouping(k) FROM top GROUP BY ROLLUP (k) ORDER BY k LIMIT 3',
	'SELECT k, CASE WHEN count(v) > 0 THEN 0 ELSE 1 / current_setting(''top.zero'')::int END FROM top GROUP BY k ORDER BY k LIMIT 3',
	'SELECT k, CASE WHEN count(v) > 0 THEN 0 ELSE (SELECT 1 / (count(*) - 20008) FROM top) END FROM top GROUP BY k ORDER BY k LIMIT 3',
	'SELECT k FROM top GROUP BY k HAVING count(v) > 0 OR count(*) > (SELECT 1 / (count(*) - 20008) FROM top) ORDER BY k LIMIT 3',
	'SELECT k FROM top GROUP BY k HAVING count(v) > 0 OR count(*) > pg_backend_pid() ORDER BY k LIMIT 3',
	'SELECT k FROM top GROUP BY k HAVING count(v) > 0 OR count(*) > nextval(''top_counter'') ORDER BY k LIMIT 3']) query;
SELECT top_is_planned('SELECT k, (SELECT count(*) FROM top), 7, count(*) > 9 FROM top GROUP BY k HAVING (SELECT count(*) > 0 FROM top) ORDER BY k LIMIT 3');
SELECT check_query('SELECT k, rank() OVER (ORDER BY k) FROM top GROUP BY k ORDER BY k LIMIT 3');
SELECT outcome('SELECT k, 1 / count(v) FROM top GROUP BY k ORDER BY k LIMIT 3', 'force', no_fallback()),
	outcome('SELECT k FROM top GROUP BY k HAVING 1 / count(v) >= 0 ORDER BY k LIMIT 3', 'force', no_fallback());
SELECT outcome('SELECT k, CASE WHEN count(v) > 0 THEN 0 ELSE 1 / current_setting(''top.zero'')::int END FROM top GROUP BY k ORDER BY k LIMIT 3', 'force', no_fallback()),
	outcome('SELECT k, CASE WHEN count(v) > 0 THEN 0 ELSE (SELECT 1 / (count(*) - 20008) FROM top) END FROM top GROUP BY k ORDER BY k LIMIT 3', 'force', no_fallback());
-- nor where fewer calls would be seen
SELECT check_query('SELECT k FROM top GROUP BY k HAVING nextval(''top_counter'') > 0 ORDER BY k LIMIT 3');
SELECT last_value FROM top_counter;

-- In a subquery that runs again and again, in prepared queries, and in cursors.
SELECT check_query('SELECT a, s.* FROM generate_series(1, 3) a, LATERAL
	(SELECT k, count(*) FROM top WHERE v > a * 100 GROUP BY k ORDER BY count(*) DESC, k LIMIT 4) s');
PREPARE top_of(int) AS SELECT k, count(*) FROM top GROUP BY k ORDER BY count(*) DESC, k LIMIT $1;
EXECUTE top_of(2);
EXECUTE top_of(3);
SET plan_cache_mode = force_generic_plan;
EXECUTE top_of(3);
RESET plan_cache_mode;
BEGIN;
DECLARE c SCROLL CURSOR FOR SELECT k, count(*) FROM top GROUP BY k ORDER BY count(*) DESC, k LIMIT 4;
FETCH 2 FROM c;
FETCH ALL FROM c;
FETCH BACKWARD 3 FROM c;
COMMIT;
DROP TABLE top, top_keys;
DROP SEQUENCE top_counter;
RESET top.zero;
DROP FUNCTION top_lines, top_is_planned;
