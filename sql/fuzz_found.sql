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
SELECT DISTINCT 'a'::text AS k, c FROM found WHERE c < 2 GROUP BY GROUPING SETS (('a'::text), (c)) ORDER BY 1, 2;
PREPARE constant_key(int) AS SELECT DISTINCT $1 AS k, c FROM found WHERE c < 2 GROUP BY GROUPING SETS (($1), (c)) ORDER BY 1, 2;
EXECUTE constant_key(5);

DEALLOCATE ALL;
RESET plan_cache_mode;
