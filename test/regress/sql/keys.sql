--
-- Which rows are one group: NULLs, signed zeros, NaN, blanks, bytes; many keys
-- and many groups.
--

-- NULL is a key, once
SELECT b, count(*) FROM facts GROUP BY b ORDER BY b;
SELECT b, i2 % 2 AS odd, count(*) FROM facts GROUP BY 1, 2 ORDER BY 1, 2;

-- floats: -0 is 0, all NaNs are one, infinities are two
CREATE TABLE floats (id int, a real, b double precision);
INSERT INTO floats VALUES
	(1, '0', '0'), (2, '-0', '-0'), (3, 'NaN', 'NaN'), (4, '-NaN', '-NaN'), (5, 'Infinity', 'Infinity'),
	(6, '-Infinity', '-Infinity'), (7, NULL, NULL), (8, '1', '1'), (9, 'Infinity', 'Infinity'),
	(10, '1e-45', '5e-324'), (11, NULL, NULL), (12, '1', '1');
INSERT INTO floats SELECT 13, -a, -b FROM floats WHERE a = 'NaN';
SELECT a, count(*), min(id) FROM floats WHERE a <> 0 OR a IS NULL GROUP BY a ORDER BY a;
SELECT b, count(*), min(id) FROM floats WHERE b <> 0 OR b IS NULL GROUP BY b ORDER BY b;
SELECT count(*), min(id), max(id) FROM floats WHERE b = 0 GROUP BY b;
SELECT count(*), min(id), max(id) FROM floats WHERE a = 0 GROUP BY a;
SELECT check_query('SELECT a + 0, b + 0, count(*) FROM floats GROUP BY 1, 2');
SELECT min(a), max(a), min(b), max(b) FROM floats;
SELECT min(a), max(a), min(b), max(b) FROM floats WHERE b <> 'NaN';
SELECT c AS comparison, check_query('SELECT id, count(*) FROM floats WHERE ' || c || ' GROUP BY id')
FROM unnest(ARRAY['a = b', 'a < b', 'b = ''NaN''', 'b < ''NaN''', 'b >= ''NaN''', 'a <> ''NaN''', 'b > ''Infinity''',
	'b = -0.0', 'a <= b', 'a > ''-Infinity''']) c;

-- text: byte for byte, empty is not NULL; char(n) without its blanks
CREATE TABLE texts (t text, v varchar(10), c char(10), n text COLLATE "C");
INSERT INTO texts VALUES ('', '', '', ''), (NULL, NULL, NULL, NULL), ('a', 'a', 'a', 'a'), ('a ', 'a ', 'a ', 'a '),
	('A', 'A', 'A', 'A'), ('é', 'é', 'é', 'é'), ('é', 'é', 'é', 'é'), ('ab', 'ab', 'ab', 'ab'), ('', '', '', ''),
	(repeat('x', 200), 'x', 'x', repeat('x', 126)), (repeat('x', 201), 'x', 'x', repeat('x', 127));
INSERT INTO texts SELECT * FROM texts;
SELECT c AS key, check_query(format('SELECT %I, count(*) FROM texts GROUP BY 1', c)) FROM unnest('{t,v,c,n}'::text[]) c;
SELECT length(t), '[' || left(t, 3) || ']' AS t, count(*) FROM texts GROUP BY t ORDER BY t COLLATE "C";
SELECT '[' || c || ']' AS c, count(*) FROM texts GROUP BY c ORDER BY c COLLATE "C";
SELECT check_query('SELECT t, v, c, n, count(*) FROM texts GROUP BY 1, 2, 3, 4');

-- a nondeterministic collation is no equality of bytes
CREATE COLLATION IF NOT EXISTS any_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
SELECT is_taken('SELECT t COLLATE any_case, count(*) FROM texts GROUP BY 1');
SELECT is_taken('SELECT count(*) FROM texts WHERE t = ''a'' COLLATE any_case');

-- several keys, and the same one again
SELECT check_query('SELECT i2, d, count(*), sum(i4) FROM facts GROUP BY 1, 2');
SELECT check_query('SELECT u, t, f8, count(*) FROM facts GROUP BY 1, 2, 3');
SELECT check_query('SELECT b, i2, i4, i8, f4, f8, d, ts, tz, t, vc, ch, qc, u, o, k, count(*)
	FROM facts GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16');
SELECT check_query('SELECT b, i2 AS x, i2 AS y, count(*) FROM facts GROUP BY b, i2, x, y');

-- keys that are not shown, and that are expressions
SELECT check_query('SELECT count(*) FROM facts GROUP BY i4');
SELECT check_query('SELECT i4 % 10, count(*) FROM facts GROUP BY i4 % 10');
SELECT check_query('SELECT i4 % 10 + 1, -(i4 % 10), count(*) FROM facts GROUP BY i4 % 10');
SELECT check_query('SELECT i4 > 0, i8 IS NULL, count(*) FROM facts GROUP BY 1, 2');
SELECT check_query('SELECT d + 1, count(*) FROM facts GROUP BY d + 1');
SELECT check_query('SELECT id, k, count(*) FROM facts GROUP BY id, k');

-- a key that is the table's primary key brings the other columns along
CREATE TABLE with_primary (id int PRIMARY KEY, t text, v int);
INSERT INTO with_primary SELECT i, 't' || i % 5, i % 9 FROM generate_series(1, 100) i;
SELECT check_query('SELECT id, t, v, count(*), sum(v) FROM with_primary GROUP BY id');

-- more groups than expected: the statistics know nothing of them
CREATE TABLE surprise (k int, v int) WITH (autovacuum_enabled = off);
INSERT INTO surprise SELECT i % 40000, i % 7 FROM generate_series(1, 80000) i;
SELECT check_query('SELECT k, count(*), sum(v), max(v) FROM surprise GROUP BY k');
SELECT check_query('SELECT k::bigint * 1000003, count(*) FROM surprise GROUP BY 1');
SELECT check_query('SELECT k, v, count(*) FROM surprise GROUP BY 1, 2');
SELECT count(*), sum(c), sum(s) FROM (SELECT k, count(*) AS c, sum(v) AS s FROM surprise GROUP BY k) g;

-- keys that differ in their highest bits only
CREATE TABLE high_bits AS SELECT i::bigint << 48 AS k, (i::bigint << 52)::float8 AS f FROM generate_series(0, 999) i;
SELECT check_query('SELECT k, count(*) FROM high_bits GROUP BY k');
SELECT check_query('SELECT f, count(*) FROM high_bits GROUP BY f');
