--
-- Groups of groups: what a grouping puts out goes to the one above it, or to a look-up, by columns.
--
CREATE TABLE nested (id int NOT NULL, k int, b bigint, t text, c char(8), n numeric(10, 2), w numeric, f float8, d date, u uuid, o boolean, v int, s timestamp);
INSERT INTO nested SELECT i, CASE WHEN i % 19 > 0 THEN i % 5003 END, i % 5000 * 10000000000, CASE WHEN i % 23 > 0 THEN 't' || i % 5001 END, 'c' || i % 900,
	i % 5009 / 4.0, CASE WHEN i = 777 THEN 'NaN'::numeric ELSE i % 700 END, CASE WHEN i % 29 > 0 THEN i % 6000 / 4.0 END, date '2020-01-01' + i % 800,
	md5((i % 5007)::text)::uuid, i % 3 = 0, CASE WHEN i % 31 > 0 THEN i % 1000 END, timestamp '2020-01-01' + i % 9000 * interval '1 minute'
FROM generate_series(1, 20000) i;
VACUUM ANALYZE nested;
SET gpuagg.mode = force;

-- have so many groups been given as columns?  Where engines fail, none is.
CREATE FUNCTION gives_columns(query text, expected int) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
	line text;
	found int := 0;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) ' || query LOOP
		found := coalesce(substring(line FROM 'Groups Given as Columns: (\d+)')::int, found);
	END LOOP;
	RETURN found = CASE WHEN no_fallback() = 'on' THEN 0 ELSE expected END;
END $$;

-- keys and results that are columns
SELECT query, check_query(query), gives_columns(query, columns) FROM (VALUES
	('SELECT n, count(*) FROM (SELECT k, count(*) AS n FROM nested GROUP BY k) s GROUP BY n', 5004),
	('SELECT count(*), count(k), sum(n), min(k), max(n), avg(k) FROM (SELECT k, count(*) AS n FROM nested GROUP BY k) s', 5004),
	('SELECT count(*) FROM (SELECT k FROM nested GROUP BY k) s', 5004),
	('SELECT k, sum(x), min(x), count(x), max(m), count(*) FROM (SELECT b, sum(v) AS x, max(b) AS m, min(k) AS k FROM nested GROUP BY b) s GROUP BY k', 5000),
	('SELECT d, e, max(x), count(y), count(*) FROM (SELECT b, max(d) AS d, bit_and(v) AS e, max(s) AS x, sum(v) AS y FROM nested GROUP BY b) s GROUP BY d, e', 5000),
	('SELECT x, count(*), sum(y) FROM (SELECT k, max(s) AS x, sum(f) AS y FROM nested GROUP BY k) s GROUP BY x', 5004),
	('SELECT n, min(t), max(t), count(t), count(DISTINCT t) FROM (SELECT t, count(*) AS n FROM nested GROUP BY t) s GROUP BY n', 5002),
	('SELECT c, count(*), sum(n) FROM (SELECT c, k, count(*) AS n FROM nested GROUP BY c, k) s GROUP BY c', 19848),
	('SELECT n, count(*), sum(x) FROM (SELECT n, count(*) AS x FROM nested GROUP BY n) s GROUP BY n', 5009),
	('SELECT o, count(*), count(f), min(f), max(f), sum(f) FROM (SELECT o, f, count(*) FROM nested GROUP BY o, f) s GROUP BY o', 6002),
	('SELECT d, count(*), count(DISTINCT u) FROM (SELECT d, u, bit_or(b) AS x FROM nested GROUP BY d, u) s GROUP BY d', 20000),
	('SELECT avg(x), sum(x), min(x), max(x), count(x), count(y), sum(y) FROM (SELECT k, sum(n) AS x, sum(b) AS y FROM nested GROUP BY k) s', 5004),
	('SELECT x, count(*) FROM (SELECT b, sum(n) AS x, sum(CASE WHEN v > 2 THEN v::bigint END) AS y FROM nested GROUP BY b) s GROUP BY x', 5000),
	('SELECT y, count(*) FROM (SELECT b, sum(CASE WHEN v > 900 THEN v::bigint END) AS y FROM nested GROUP BY b) s GROUP BY y', 5000),
	('SELECT count(*), sum(x) FROM (SELECT n, count(*) AS x FROM (SELECT k, count(*) AS n FROM nested GROUP BY k) s GROUP BY n) r', 5004)) q (query, columns);

-- those that are tuples: other results, expressions, a condition, some of the groups, numerics that are special
SELECT query, check_query(query), gives_columns(query, columns) FROM (VALUES
	('SELECT x, count(*) FROM (SELECT k, avg(v) AS x FROM nested GROUP BY k) s GROUP BY x', 0),
	('SELECT x, count(*) FROM (SELECT k, sum(w) AS x FROM nested GROUP BY k) s GROUP BY x', 0),
	('SELECT x, count(*) FROM (SELECT k, max(t) AS x FROM nested GROUP BY k) s GROUP BY x', 0),
	('SELECT x, count(*) FROM (SELECT k, count(*) + 1 AS x FROM nested GROUP BY k) s GROUP BY x', 0),
	('SELECT b % 7, sum(x), min(x), count(x), max(m), sum(k) FROM (SELECT b, sum(v) AS x, max(b) AS m, min(k) AS k FROM nested GROUP BY b) s GROUP BY 1', 0),
	('SELECT k IS NULL, n > 3, count(*) FROM (SELECT k, count(*) AS n FROM nested GROUP BY k) s GROUP BY 1, 2', 0),
	('SELECT n, count(*) FROM (SELECT k, count(*) AS n FROM nested GROUP BY k HAVING sum(v) > 1000) s GROUP BY n', 0),
	('SELECT n, count(*) FROM (SELECT k, count(*) AS n FROM nested GROUP BY k ORDER BY k LIMIT 70) s GROUP BY n', 0),
	('SELECT w > 3, count(*) FROM (SELECT w, count(*) AS n FROM nested GROUP BY w) s GROUP BY 1', 0)) q (query, columns);

-- an overflow among the results, of a group behind the first ones
SELECT outcome(query, 'force', 'on'), outcome(query, 'off', 'on') FROM (VALUES
	('SELECT count(x) FROM (SELECT id, sum(CASE WHEN id > 19990 THEN 1e308 ELSE f END * y) AS x FROM nested, (VALUES (1), (1)) z (y) GROUP BY id) s')) q (query);

-- a result that is made for its tuple only, of a group behind the first ones: the rest are tuples
SELECT check_query('SELECT x, count(*), sum(y), sum(id) FROM (SELECT id, sum(CASE WHEN id = 15000 THEN ''Infinity'' ELSE f END) AS x, sum(v) AS y FROM nested GROUP BY id) s GROUP BY x');

-- sums that engines have no numbers for
SELECT check_fallback('SELECT max(x), count(*) FROM (SELECT k, sum(b * 100000) AS x FROM nested GROUP BY k) s');

-- texts of more bytes than a batch has
CREATE TABLE nested_long AS SELECT i, repeat(chr(97 + i % 26), 300000) || i % 40 AS t FROM generate_series(1, 80) i;
VACUUM ANALYZE nested_long;
SELECT check_query('SELECT length(t), count(*), min(right(t, 4)), sum(n) FROM (SELECT t, count(*) AS n FROM nested_long GROUP BY t) s GROUP BY 1');
SELECT check_query('SELECT left(t, 1), count(*) FROM (SELECT t, count(*) AS n FROM nested_long GROUP BY t) s GROUP BY 1');
DROP TABLE nested_long;

-- again and again, with other parameters
SELECT query, check_query(query) FROM (VALUES
	('SELECT x, (SELECT max(n) FROM (SELECT k, count(*) AS n FROM nested WHERE id % 10 < x GROUP BY k) s) FROM generate_series(1, 4) x'),
	('SELECT x, y.* FROM generate_series(1, 3) x, LATERAL (SELECT n, count(*) FROM (SELECT k, count(*) AS n FROM nested WHERE id % 10 < x GROUP BY k) s GROUP BY n) y')) q (query);

-- looked up
SELECT check_join('SELECT s.n, count(*), sum(f.v) FROM nested f JOIN (SELECT k, count(*) AS n FROM nested GROUP BY k) s ON f.id = s.k GROUP BY 1');
SELECT query, check_join(query), gives_columns(query, columns) FROM (VALUES
	('SELECT f.o, sum(s.n), sum(s.m), count(s.x) FROM nested f LEFT JOIN (SELECT b, count(*) AS n, max(b) AS m, sum(v) AS x FROM nested GROUP BY b) s ON f.b = s.b GROUP BY 1', 5000)) q (query, columns);

DROP FUNCTION gives_columns;
DROP TABLE nested;
RESET gpuagg.mode;
