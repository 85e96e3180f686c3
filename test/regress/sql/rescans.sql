--
-- Plans that run more than once, with and without changed parameters.
--
SELECT check_query('SELECT x, s.* FROM generate_series(-3, 3) x, LATERAL (SELECT count(*), sum(i4) FROM facts WHERE i2 > x) s');
SELECT check_query('SELECT x, s.* FROM generate_series(1, 5) x, LATERAL (SELECT i2 % x AS k, count(*), max(f8) FROM facts GROUP BY 1) s');
SELECT check_query('SELECT x, s.* FROM generate_series(1, 5) x LEFT JOIN LATERAL (SELECT i4, count(*) FROM facts WHERE id < 10 * x GROUP BY i4 HAVING count(*) > 1) s ON true');
SELECT check_query('SELECT x, (SELECT sum(i4) FROM facts WHERE id <= x) FROM generate_series(0, 100, 10) x');
SELECT check_query('SELECT id, (SELECT count(*) FROM facts g WHERE g.i4 = f.i4) FROM facts f WHERE id < 30');
SELECT check_query('SELECT x, (SELECT count(*) FROM (SELECT i2 FROM facts WHERE i4 > x GROUP BY i2) s) FROM generate_series(0, 500, 100) x');

-- nothing changes between the runs
SET enable_material = off;
SET enable_hashjoin = off;
SET enable_mergejoin = off;
SET enable_memoize = off;
SELECT check_query('SELECT x, s.* FROM generate_series(1, 4) x JOIN (SELECT i2, count(*) AS c FROM facts GROUP BY i2) s ON s.c > x * 15');
SELECT check_query('SELECT x FROM generate_series(1, 70) x WHERE x NOT IN (SELECT count(*) FROM facts GROUP BY i2)');
RESET enable_material;
RESET enable_hashjoin;
RESET enable_mergejoin;
RESET enable_memoize;

-- given up in the middle: LIMIT above, with the next run from the start
SELECT check_query('SELECT x, s.n FROM generate_series(1, 6) x, LATERAL (SELECT count(*) AS n FROM (SELECT i2 FROM facts WHERE i4 < x * 50 GROUP BY i2 LIMIT 5) l) s');

-- a run that has to fall back among others that have not
CREATE TABLE divisors (divisor int);
INSERT INTO divisors VALUES (1), (2), (0), (3);
SELECT outcome('SELECT divisor, s.* FROM divisors, LATERAL (SELECT sum(i4 / divisor) FROM facts) s', 'force', 'on');
SELECT divisor, s.* FROM divisors, LATERAL (SELECT sum(i4 / divisor) FROM facts WHERE divisor <> 0 OR id < 0) s ORDER BY 1;

-- in recursion
WITH RECURSIVE r (n, c) AS (
	SELECT 1, 0::bigint
	UNION ALL
	SELECT n + 1, (SELECT count(*) FROM facts WHERE i4 = n) FROM r WHERE n < 6)
SELECT * FROM r ORDER BY n;
