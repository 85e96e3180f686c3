-- Quotients of numerics: each is rounded at a scale of its own, which sums show the largest of.

-- a, b: of a type with a scale; u, v: of several display scales; k, q: integers
CREATE TABLE quotients (id int NOT NULL, g int, a numeric(10,2), b numeric(10,2), u numeric, v numeric, k int, q smallint, w numeric(40,2));
INSERT INTO quotients SELECT i, i % 13, CASE WHEN i % 17 <> 0 THEN (i * 7919 % 20011 - 10000) / 10.0 ^ (i % 3) END,
	CASE WHEN i % 19 <> 0 THEN (i * 104729 % 30011 + 1) / 10.0 ^ (i % 3) * (1 - i % 2 * 2) END,
	CASE WHEN i % 23 <> 0 THEN round((i * 31 % 4001 - 2000) / 7.0, i % 5) END, round((i % 997 + 1) / 3.0, i % 4 + 1), i % 50 + 1, i % 9 + 1,
	i * 12345678901234567890.5
FROM generate_series(1, 6000) i;
-- equal operands, ten-thousands of one another, halves
UPDATE quotients SET b = a WHERE id % 29 = 0 AND a <> 0;
UPDATE quotients SET b = 8, a = id % 9 WHERE id % 31 = 0;
UPDATE quotients SET b = 9999, a = 10001 WHERE id % 311 = 0;
UPDATE quotients SET b = 0.05, a = 5000 WHERE id % 317 = 0;
VACUUM ANALYZE quotients;

-- of each row, so that scales are seen
SELECT e AS expression, check_engine(format('SELECT id, %s FROM quotients GROUP BY id', e)) AS result
FROM unnest(ARRAY['sum(a / b)', 'avg(b / a) FILTER (WHERE a <> 0)', 'sum(u / v)', 'sum(a / v)', 'sum(u / b)', 'sum(a / k), sum(a / q)', 'sum(k / b)', 'sum(1.0 * k / q)', 'sum(a / 3)', 'sum(a / 0.03)',
	'sum(a / 700)', 'sum(a / 1000.00000)', 'sum(-2 / b)', 'sum(0.001 / v)', 'sum(0 / b)', 'sum(a * 100 / b)', 'sum(100 * (a / b))', 'sum(a / b + u)', 'sum(1 - a / b)', 'sum(a * b / k)', 'sum(a * (1 - b) / q)',
	'sum(-(a / b)), sum(abs(a / b))', 'sum(coalesce(a / b, u))', 'sum(CASE WHEN k > 25 THEN a / b ELSE 1 END)', 'sum(CASE WHEN k > 25 THEN a / b ELSE u / v END)', 'sum(a / nullif(b, 8))', 'sum(greatest(a / b, u))',
	'sum(round(a / b, 3)), max(round(u / v, 1))', 'sum((a / b)::numeric(12,4))', 'sum((a / b)::int)', 'count(*) FILTER (WHERE a / b > 1.5)', 'sum(a / b) FILTER (WHERE a > 10)']) e;

-- of groups
SELECT g, sum(a / b), avg(a / b), sum(u / v) FROM quotients WHERE b > 0 AND id < 100 GROUP BY g ORDER BY g LIMIT 3;
SELECT check_engine('SELECT g, sum(a / b), avg(a / b), count(a / b), sum(u / v), avg(a * b / k) FROM quotients GROUP BY g');
SELECT check_engine('SELECT sum(a / b), avg(k / v) FROM quotients');
SELECT check_engine('SELECT g, k % 3, sum(a / b) FROM quotients GROUP BY ROLLUP (1, 2)');
SELECT check_engine('SELECT round(a / b, 1), count(*) FROM quotients GROUP BY 1');
SELECT check_engine('SELECT g, count(DISTINCT round(a / b, 1)), sum(DISTINCT round(u / v, 0)), sum(a / b) FROM quotients GROUP BY g');
SELECT check_engine('SELECT g, count(*) FROM quotients WHERE a / b > 0.5 AND u / v <= 1.25 GROUP BY g');
SELECT check_engine('SELECT g, sum(a / b) FROM quotients GROUP BY g HAVING sum(a / b) > 0 ORDER BY 2 DESC LIMIT 4');
SELECT check_query('SELECT g, sum(x), avg(x) FROM (SELECT g, a / b AS x FROM quotients OFFSET 0) s GROUP BY g');
SELECT check_query('SELECT g, sum(x / v) FROM (SELECT g, v, sum(a) AS x FROM quotients GROUP BY g, v) s GROUP BY g');

-- keys, extremes and variances have the scale of some row: computed of distinct values, or PostgreSQL's
SELECT check_engine('SELECT k / 7.0, count(*) FROM quotients GROUP BY 1');
SELECT check_query('SELECT a / b, count(*) FROM quotients GROUP BY 1');
SELECT check_query('SELECT max(a / b) FROM quotients');
SELECT check_query('SELECT stddev(a / b) FROM quotients');
-- of 128 bits, of too many digits, or by what is no number
SELECT check_query('SELECT sum(w / k) FROM quotients');
SELECT check_query('SELECT sum(a / b * u) FROM quotients');
SELECT check_query('SELECT sum(a / b / k) FROM quotients');
SELECT check_query('SELECT sum(a / ''NaN'') FROM quotients');

-- errors, and what was not expected: PostgreSQL's plan answers
SELECT check_fallback('SELECT sum(a / (k - 25)) FROM quotients');
SELECT check_engine('SELECT sum(a / (k - 25)) FROM quotients WHERE k < 25');
INSERT INTO quotients (id, a, v) VALUES (7000, 0.01, 99999999);
SELECT check_fallback('SELECT sum(a / v) FROM quotients');
UPDATE quotients SET a = 'NaN', b = 1 WHERE id = 7000;
SELECT check_fallback('SELECT sum(a / b) FROM quotients');
SELECT check_engine('SELECT sum(a / b) FROM quotients WHERE id < 7000');
DROP TABLE quotients;
