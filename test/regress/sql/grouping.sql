--
-- What stands around a GROUP BY: HAVING, ORDER BY, LIMIT, DISTINCT, set
-- operations, outer queries.
--

-- HAVING, over what is shown and what is not, and without aggregates
SELECT h AS having, check_query('SELECT i2, count(*) FROM facts GROUP BY i2 HAVING ' || h)
FROM unnest(ARRAY['count(*) > 60', 'sum(i4) > 0', 'i2 > 90', 'i2 > 90 AND count(*) = 0', 'max(f8) > 10 OR i2 IS NULL',
	'count(*) FILTER (WHERE b) > 20', 'avg(i4) > avg(i2)', 'sum(i4) IS NOT NULL', 'true', 'false', 'NULL']) h;
SELECT check_query('SELECT count(*) FROM facts HAVING count(*) > 1');
SELECT check_query('SELECT count(*) FROM facts HAVING count(*) < 1');
SELECT check_query('SELECT max(i4) FROM facts HAVING sum(i2) IS NOT NULL');
SELECT check_query('SELECT 1 FROM facts HAVING min(i4) < 0');
SELECT check_query('SELECT i2 FROM facts GROUP BY i2 HAVING max(i4) > 490');

-- no aggregate at all
SELECT check_query('SELECT i2 FROM facts GROUP BY i2');
SELECT check_query('SELECT i2, t FROM facts GROUP BY i2, t');
SELECT check_query('SELECT 1 FROM facts GROUP BY i2');

-- ORDER BY and LIMIT
SELECT i2, count(*), sum(i4) FROM facts GROUP BY i2 ORDER BY i2 LIMIT 3;
SELECT i2, count(*), sum(i4) FROM facts GROUP BY i2 ORDER BY sum(i4) DESC NULLS LAST, i2 LIMIT 3 OFFSET 2;
SELECT qc, max(f8) FROM facts GROUP BY qc ORDER BY max(f8) - min(f8), qc DESC NULLS FIRST LIMIT 4;
SELECT t, count(*) FROM facts GROUP BY t ORDER BY length(t), t COLLATE "C" LIMIT 4;
SELECT count(*) FROM (SELECT i4, count(*) FROM facts GROUP BY i4 LIMIT 10) s;
SELECT i2, count(*) FROM facts GROUP BY i2 ORDER BY i2 FETCH FIRST 2 ROWS WITH TIES;
SELECT i2 FROM facts GROUP BY i2 LIMIT 0;

-- DISTINCT, windows and set operations above
SELECT check_query('SELECT DISTINCT count(*) FROM facts GROUP BY i4');
SELECT check_query('SELECT i2, count(*), rank() OVER (ORDER BY count(*)) FROM facts GROUP BY i2');
SELECT check_query('SELECT i2, sum(count(*)) OVER (ORDER BY i2) FROM facts GROUP BY i2');
SELECT check_query('SELECT b, count(*) FROM facts GROUP BY b UNION ALL SELECT i2 > 0, sum(i4) FROM facts GROUP BY 1');
SELECT check_query('SELECT i2, count(*) FROM facts GROUP BY i2 EXCEPT SELECT i2, 60 FROM facts');

-- as a source of other queries: joins, subqueries, another GROUP BY
SELECT check_query('SELECT c, count(*) FROM (SELECT i4, count(*) AS c FROM facts GROUP BY i4) s GROUP BY c');
SELECT check_query('SELECT f.id, s.c FROM facts f JOIN (SELECT i2, count(*) AS c FROM facts GROUP BY i2) s USING (i2) WHERE f.id < 50');
SELECT check_query('SELECT id FROM facts WHERE i4 = (SELECT max(i4) FROM facts)');
SELECT check_query('SELECT id FROM facts WHERE i2 IN (SELECT i2 FROM facts GROUP BY i2 HAVING count(*) > 55)');
SELECT check_query('SELECT EXISTS (SELECT 1 FROM facts HAVING sum(i4) > 0), ARRAY(SELECT count(*) FROM facts GROUP BY b ORDER BY 1)');
SELECT check_query('SELECT a.b, a.c, b.c FROM (SELECT b, count(*) AS c FROM facts GROUP BY b) a FULL JOIN (SELECT b, sum(i4) AS c FROM facts GROUP BY b) b ON a.b = b.b');

-- whole rows and system columns above it
SELECT check_query('SELECT s, s.c + 1 FROM (SELECT i2, count(*) AS c FROM facts GROUP BY i2) s');

-- into tables
CREATE TABLE by_i2 AS SELECT i2, count(*) AS c, sum(i4) AS s FROM facts GROUP BY i2;
INSERT INTO by_i2 SELECT i2, count(*), sum(i4) FROM facts GROUP BY i2;
SELECT count(*), sum(c) FROM by_i2;
CREATE MATERIALIZED VIEW by_d AS SELECT d, count(*) AS c FROM facts GROUP BY d;
REFRESH MATERIALIZED VIEW by_d;
SELECT check_query('SELECT sum(c) FROM by_d');
UPDATE by_i2 SET c = s.n FROM (SELECT i2, max(i4) AS n FROM facts GROUP BY i2) s WHERE by_i2.i2 = s.i2;
DELETE FROM by_i2 WHERE c < (SELECT avg(i4) FROM facts);
SELECT count(*), sum(c) FROM by_i2;
