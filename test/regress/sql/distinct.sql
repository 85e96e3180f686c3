--
-- SELECT DISTINCT.
--

-- each type of key, NULLs among the values
SELECT c AS key, check_query(format('SELECT DISTINCT %I FROM facts', c))
FROM unnest('{b,i2,i4,i8,f4,f8,d,ts,tz,t,vc,ch,qc,u,o,k}'::text[]) c;

-- several keys, expressions, constants, one column twice, filters, no rows
SELECT check_query('SELECT DISTINCT b, i2 FROM facts');
SELECT check_query('SELECT DISTINCT t, i2 % 10, d, u FROM facts');
SELECT check_query('SELECT DISTINCT id, i4, i8, f8, ts, vc FROM facts WHERE id % 4 = 0');
SELECT check_query('SELECT DISTINCT i4 + id % 3, i2 IS NULL, i4 > 0 AND b FROM facts');
SELECT check_query('SELECT DISTINCT 1, b, ''x''::text, NULL::int FROM facts');
SELECT check_query('SELECT DISTINCT b, b, NOT b FROM facts');
SELECT check_query('SELECT DISTINCT i2 FROM facts WHERE i4 > 100 AND t = ''bbb''');
SELECT check_query('SELECT DISTINCT i2 FROM facts WHERE id < 0');
SELECT check_query('SELECT DISTINCT v FROM (VALUES (0::float8), (''-0''), (''NaN''), (''NaN''), (1)) x (v)');

-- with ORDER BY and LIMIT above
SELECT DISTINCT b FROM facts ORDER BY b;
SELECT DISTINCT b, i2 % 3 AS r FROM facts ORDER BY r DESC NULLS LAST, b;
SELECT DISTINCT i2 FROM facts ORDER BY i2 LIMIT 3 OFFSET 2;
SELECT DISTINCT i2 % 3, i2 % 3 + 1 FROM facts WHERE i2 >= 0 ORDER BY i2 % 3 + 1 DESC;
SELECT check_query('SELECT DISTINCT i4, t FROM facts ORDER BY t DESC, i4');

-- over other sources: what they compute is no matter
SELECT check_query('SELECT DISTINCT f.b, g.i2 FROM facts f JOIN facts g ON f.id = g.id + 7');
SELECT check_query('SELECT DISTINCT upper(t), coalesce(i2, 0) FROM facts');
SELECT check_query('SELECT DISTINCT v % 10 FROM generate_series(1, 1000) v');
SELECT check_query('SELECT DISTINCT b, (SELECT max(g.i4) FROM facts g WHERE g.id < f.id % 5) FROM facts f WHERE id < 50');
SELECT check_query('SELECT DISTINCT f.i2, g.b FROM facts f LEFT JOIN (SELECT id, i4 > 0 AS b FROM facts) g ON f.id = g.id * 3');

-- over what was grouped, by the engine as well
SELECT check_query('SELECT DISTINCT count(*) FROM facts GROUP BY i4');
SELECT check_query('SELECT DISTINCT count(*), max(i2) > 0, b FROM facts GROUP BY i4, b HAVING count(*) > 1');
SELECT DISTINCT max(i4), count(*) + 1 FROM facts;
SELECT check_query('SELECT DISTINCT count(DISTINCT i4) FROM facts GROUP BY b');
SELECT DISTINCT count(*) FROM facts GROUP BY i4 ORDER BY 1;
SELECT check_query('SELECT DISTINCT sum(i4) FROM facts GROUP BY i2 % 5, b');
SELECT check_query('SELECT DISTINCT b, count(*) FROM facts GROUP BY ROLLUP (b, i2)');

-- in subqueries, CTEs, set operations, INSERT
SELECT check_query('SELECT count(*) FROM (SELECT DISTINCT i2, i4 FROM facts) x');
SELECT check_query('WITH x AS MATERIALIZED (SELECT DISTINCT i2 FROM facts) SELECT x.i2, count(*) FROM x JOIN facts f ON f.i2 = x.i2 GROUP BY 1');
SELECT check_query('SELECT DISTINCT i2 FROM facts UNION ALL SELECT DISTINCT id % 5 FROM facts');
SELECT check_query('SELECT id FROM facts WHERE id < 300 AND i2 IN (SELECT DISTINCT i2 FROM facts WHERE i4 < -490)');
CREATE TABLE kept AS SELECT DISTINCT i2, b FROM facts;
SELECT count(*) FROM kept;
INSERT INTO kept SELECT DISTINCT i2, b FROM facts WHERE i2 > 90;
SELECT count(*), count(i2) FROM kept;
PREPARE some_keys (int) AS SELECT DISTINCT i2 FROM facts WHERE i4 = $1 ORDER BY i2;
EXECUTE some_keys (1);
EXECUTE some_keys (400);
DEALLOCATE some_keys;

-- errors are PostgreSQL's
SELECT check_fallback('SELECT DISTINCT 1 / (i4 - 1) FROM facts');
SELECT check_query('SELECT DISTINCT 1 / i4 FROM facts WHERE i4 <> 0');

-- aggregates with DISTINCT: PostgreSQL's own, over distinct rows
SELECT check_query('SELECT count(DISTINCT i2), sum(DISTINCT i2), avg(DISTINCT i2) FROM facts');
SELECT check_query('SELECT b, count(DISTINCT i4), sum(DISTINCT i4), avg(DISTINCT i4) FROM facts GROUP BY b');
SELECT check_query('SELECT t, count(DISTINCT i2), sum(DISTINCT i4) FROM facts GROUP BY t');
-- texts that are only counted, also beside what reads them
SELECT query, check_query(query) FROM (VALUES
	('SELECT count(DISTINCT t) FROM facts'),
	('SELECT count(DISTINCT t), count(*), count(t), max(t COLLATE "C"), min(vc COLLATE "C") FROM facts'),
	('SELECT count(DISTINCT vc) FILTER (WHERE i4 > 0), sum(i8) FROM facts'),
	('SELECT t, count(DISTINCT vc) FROM facts GROUP BY 1'),
	('SELECT i4, t, count(DISTINCT vc), count(*) FROM facts WHERE i2 > 50 GROUP BY 1, 2'),
	('SELECT count(DISTINCT t), count(DISTINCT vc) FROM facts'),
	('SELECT k, count(DISTINCT md5(t)) FROM facts GROUP BY 1 HAVING count(DISTINCT md5(t)) > 2'),
	('SELECT k % 5, count(DISTINCT vc) FROM facts GROUP BY ROLLUP (1)')) q (query);
SELECT check_query('SELECT i2 % 7, count(DISTINCT t), min(i4), max(d), bool_and(b), bit_or(i2) FROM facts GROUP BY 1');
SELECT check_query('SELECT b, count(DISTINCT i2 / 10), count(DISTINCT i4 % 3) FILTER (WHERE i2 > 0) FROM facts GROUP BY b');
SELECT check_query('SELECT b, qc, sum(DISTINCT i8), string_agg(DISTINCT t, '','' ORDER BY t DESC), array_agg(DISTINCT u) FROM facts GROUP BY b, qc');
SELECT check_query('SELECT b, count(DISTINCT k) FROM facts GROUP BY b HAVING sum(DISTINCT i2) > -6000 AND max(i4) < 1000');
SELECT check_query('SELECT 5, count(DISTINCT i4) FROM facts WHERE i2 = 7 GROUP BY i2');
SELECT check_query('SELECT count(DISTINCT i4), count(DISTINCT 1), min(i8) FROM facts WHERE id < 0');
SELECT check_query('SELECT i2, count(DISTINCT i4) FROM facts WHERE id < 0 GROUP BY i2');
SELECT count(DISTINCT 1) FROM facts WHERE id < 0;
SELECT count(DISTINCT 1) FROM facts;
SELECT check_query('SELECT f.b, count(DISTINCT g.i4) FROM facts f JOIN facts g ON g.id = f.id / 2 GROUP BY f.b');
SELECT check_query('SELECT count(DISTINCT (b, i2)) FROM facts');
SELECT check_query('SELECT DISTINCT count(DISTINCT i4) FROM facts GROUP BY b');
SELECT b, count(DISTINCT i2), stddev(DISTINCT i2) FROM facts GROUP BY b ORDER BY b;
SELECT count(DISTINCT v::text) FROM (VALUES (0::float8), ('-0'), ('-0')) x (v);
SELECT count(DISTINCT v::text) FROM (VALUES ('a'::char(3)), ('a  '), ('b')) x (v);
SELECT check_fallback('SELECT b, sum(DISTINCT 10 / (i4 - 1)) FROM facts GROUP BY b');

DROP TABLE kept;
