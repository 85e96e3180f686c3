--
-- What test/fuzz has found, reduced.
--
SET plan_cache_mode = force_generic_plan;

-- a key that is a parameter is no column of a tuple that is not there yet
CREATE TABLE found (id int, c int);
INSERT INTO found SELECT i, i % 7 FROM generate_series(1, 90) i;
PREPARE parameter_key(int) AS SELECT $1 AS k, count(*) FROM found GROUP BY $1;
EXECUTE parameter_key(5);
PREPARE parameter_keys(int, bool) AS
	SELECT $1 AS k, $1 + 1 AS l, $2 AND id > 0 AS m, c, $1 + c AS n, count(*) FILTER (WHERE $2) AS o
	FROM found WHERE id < $1 GROUP BY $1, $1 + 1, $2 AND id > 0, c, $1 + c HAVING $1 + 1 > 5 ORDER BY c;
EXECUTE parameter_keys(5, true);
EXECUTE parameter_keys(NULL, true);
EXECUTE parameter_keys(4, true);

-- scans below an Append are begun in one run and scanned again in the next
CREATE TABLE found_parts (id int, c int) PARTITION BY RANGE (id);
CREATE TABLE found_part1 PARTITION OF found_parts FOR VALUES FROM (0) TO (50);
CREATE TABLE found_part2 PARTITION OF found_parts FOR VALUES FROM (50) TO (100);
INSERT INTO found_parts SELECT * FROM found;
SELECT check_query('SELECT * FROM (VALUES (5), (1), (NULL), (3)) o(x) LEFT JOIN LATERAL
	(SELECT t.c, count(*) FROM found_parts t WHERE t.c < o.x GROUP BY t.c) l ON true');

-- an expensive condition of HAVING waits for the cheap ones
SELECT outcome(q, 'off', 'on') AS native, outcome(q, 'force', 'on') AS ours FROM (VALUES
	('SELECT c FROM found GROUP BY c HAVING sum(id) + 1 + 1 < 0 AND 1 / (c - c) > 0'),
	('SELECT c FROM found GROUP BY c HAVING 1 / (c - c) > 0 AND sum(id) + 1 + 1 < 0'),
	('SELECT c FROM found GROUP BY c HAVING sum(id) + count(*) + 1 + 1 < 0 AND 1 / c > 5'),
	('SELECT c FROM found GROUP BY c HAVING 1 + 1 / c + count(*) > 5 AND c <> 0')) x (q);

-- a condition on parameters is evaluated even if there are no rows
CREATE TABLE found_nothing (a int);
PREPARE no_rows(int) AS SELECT count(*) FROM found_nothing WHERE 1 / $1 > 0;
EXECUTE no_rows(1);
EXECUTE no_rows(0);

-- a constant that is a key of grouping sets is NULL where these leave it out
SELECT * FROM (SELECT DISTINCT 'a'::text AS k, c FROM found WHERE c < 2 GROUP BY GROUPING SETS (('a'::text), (c))) s ORDER BY 1, 2;
PREPARE constant_key(int) AS SELECT * FROM (SELECT DISTINCT $1 AS k, c FROM found WHERE c < 2 GROUP BY GROUPING SETS (($1), (c))) s ORDER BY 1, 2;
EXECUTE constant_key(5);
SELECT DISTINCT c AS k, c::numeric AS l FROM found WHERE c < 2 GROUP BY c, ROLLUP (c::numeric) ORDER BY 1, 2;

-- a key that is gone where the planner has simplified an expression over it
CREATE TABLE found_texts (id int PRIMARY KEY, c int, t text);
INSERT INTO found_texts SELECT i, i % 2, 'abc' || i FROM generate_series(1, 6) i;
SELECT left(t, 3)::varchar AS k, coalesce(left(t, 3)::varchar::text, 'none') AS l, count(*) FROM found_texts GROUP BY 1;
SELECT left(t, 3)::varchar AS k, count(*) FROM found_texts GROUP BY 1 HAVING left(t, 3)::varchar::text || 'd' > 'a';
SELECT * FROM (SELECT c, left(t, 3)::varchar AS k, coalesce(left(t, 3)::varchar::text, 'none') AS l, count(*) FROM found_texts WHERE id < 0 GROUP BY ROLLUP (1, 2)) s;
-- but not those that depend on a primary key, if all sets have it
SELECT check_query('SELECT id, t, left(t, 3)::varchar AS k, t || id, count(*) FROM found_texts GROUP BY id, 3');
SELECT check_query('SELECT id, t, c, count(*) FROM found_texts GROUP BY id, ROLLUP (c)');
SELECT check_query('SELECT f.id, f.t, g.t, count(*) FROM found_texts f LEFT JOIN found_texts g ON f.id = g.c GROUP BY f.id, g.id');

-- variances of distinct floats
SELECT check_query('SELECT id % 3, round(var_pop(DISTINCT c::float8)::numeric, 8), round(stddev(DISTINCT c::float4)::numeric, 8), var_samp(DISTINCT c::float8) FILTER (WHERE id < 3), sum(id) FROM found GROUP BY id % 3');
SELECT check_query('SELECT c, id % 2, round(variance(DISTINCT c / 4::float8)::numeric, 8), round(stddev_pop(DISTINCT 1 - c::float4)::numeric, 8), count(*) FROM found GROUP BY CUBE (c, id % 2)');
SELECT stddev_pop(DISTINCT v), stddev(DISTINCT v), var_pop(DISTINCT v) IS NULL, count(*) FROM (VALUES ('NaN'::float8), ('inf'), (1), (1)) s(v) GROUP BY v ORDER BY v;
SELECT check_query('SELECT var_pop(DISTINCT c::float8), count(*) FROM found WHERE id < 0');

-- a column that is two keys of grouping sets is NULL in one of them
SELECT DISTINCT k, count(*) FROM (SELECT c AS k, c AS l FROM found WHERE c < 2) s GROUP BY GROUPING SETS ((k), (l)) ORDER BY 1, 2;

SELECT check_query('SELECT id, c, count(*) FROM found WHERE id = c GROUP BY ROLLUP (c, id) ORDER BY c, id'),
	check_query('SELECT DISTINCT id, c, count(*) FROM found WHERE id < 3 GROUP BY ROLLUP (c, id)');

-- with grouping sets, what a subquery computes is computed for all rows of its filter
SELECT check_fallback('SELECT c, sum(d) FILTER (WHERE c < 0) FROM (SELECT c, 1 / (id - 1) AS d FROM found) s GROUP BY ROLLUP (c)');
SELECT check_fallback('SELECT c, max(CASE WHEN c < 0 THEN d END), count(*) FROM (SELECT c, (1 / (id - 1))::text AS d FROM found) s GROUP BY CUBE (c)');
SELECT check_query('SELECT c, sum(d) FILTER (WHERE c < 0), count(*) FROM (SELECT c, 1 / (id - 1) AS d FROM found WHERE id > 1) s GROUP BY ROLLUP (c)');
SELECT check_query('SELECT c, sum(d) FILTER (WHERE c < 0), count(*) FROM (SELECT c, 1 / (id - 1) AS d FROM found) s GROUP BY c');
SELECT check_query('SELECT c, e, sum(d) FILTER (WHERE c > 4), count(d), avg(e) FROM (SELECT c, id::int8 - 1 AS d, 100 / (id - 1) AS e FROM found WHERE id > 1) s GROUP BY CUBE (c, e)');
SELECT check_query('SELECT c, sum(d), avg(d) FILTER (WHERE d > 4), min(-d), count(e), stddev(e) FROM (SELECT c, id::numeric(10, 2) * 1.5 AS d, nullif(c, 3)::numeric(5, 0) AS e FROM found) s GROUP BY ROLLUP (c)');

-- the largest numbers of 128 bits
CREATE TABLE found_numbers (n numeric);
INSERT INTO found_numbers VALUES (170141183460469231731687303715884105727), (170141183460469231722463931679029329920),
	(170141183460469231722463931679029329919), (-170141183460469231722463931679029329919), (-1), (0);
ANALYZE found_numbers;
SELECT check_query('SELECT n, count(*) FROM found_numbers GROUP BY n');
SELECT check_query('SELECT DISTINCT n FROM found_numbers');
SELECT check_query('SELECT max(170141183460469231731687303715884105727::numeric) FROM found_numbers');

-- no precision has room for an infinity
SELECT check_fallback('SELECT max((id - n)::numeric(38,10)) FROM found, (VALUES (''-Infinity''::numeric)) i (n)'),
	check_fallback('SELECT sum((id - n)::numeric(60,10)) FROM found, (VALUES (''Infinity''::numeric), (1)) i (n)'),
	check_query('SELECT c, max((c - n)::numeric(38,10)), min((c - n)::numeric(60,20)) FROM found, (VALUES (''NaN''::numeric), (1.5)) i (n) GROUP BY c');

DEALLOCATE ALL;
RESET plan_cache_mode;
