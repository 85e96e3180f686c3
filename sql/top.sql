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

-- Keys of other types, several of them, and a sort key that is none.
SELECT check_query('SELECT t, count(*) FROM top GROUP BY t ORDER BY t DESC LIMIT 7');
SELECT check_query('SELECT n, count(*) FROM top GROUP BY n ORDER BY n DESC LIMIT 7');
SELECT check_query('SELECT f, count(*) FROM top GROUP BY f ORDER BY f DESC LIMIT 7');
SELECT check_query('SELECT d, t, count(*) FROM top GROUP BY d, t ORDER BY d DESC, t LIMIT 7');
SELECT check_query('SELECT d, t, count(*) FROM top GROUP BY t, d ORDER BY count(*) DESC, length(t), t, d LIMIT 7');
SELECT check_query('SELECT DISTINCT t, k FROM top ORDER BY t DESC, k LIMIT 9');

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
	'SELECT k, grouping(k) FROM top GROUP BY ROLLUP (k) ORDER BY k LIMIT 3']) query;
SELECT check_query('SELECT k, rank() OVER (ORDER BY k) FROM top GROUP BY k ORDER BY k LIMIT 3');
SELECT outcome('SELECT k, 1 / count(v) FROM top GROUP BY k ORDER BY k LIMIT 3', 'force', no_fallback()),
	outcome('SELECT k FROM top GROUP BY k HAVING 1 / count(v) >= 0 ORDER BY k LIMIT 3', 'force', no_fallback());

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
DROP TABLE top;
DROP FUNCTION top_lines, top_is_planned;
