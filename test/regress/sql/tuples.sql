--
-- How tuples can lie on a page: added and dropped columns, short and long
-- varlenas, compressed and external ones, wide rows, all alignments.
--

-- columns that older tuples do not have
CREATE TABLE grown (k int, v int);
INSERT INTO grown SELECT i % 3, i FROM generate_series(1, 100) i;
ALTER TABLE grown ADD COLUMN no_default int;
ALTER TABLE grown ADD COLUMN i int DEFAULT 42;
ALTER TABLE grown ADD COLUMN t text DEFAULT 'missing';
ALTER TABLE grown ADD COLUMN f float8 NOT NULL DEFAULT 1.5;
ALTER TABLE grown ADD COLUMN u uuid DEFAULT 'c4ca4238-a0b9-2382-0dcc-509a6f75849b';
ALTER TABLE grown ADD COLUMN b bool NOT NULL DEFAULT true;
ALTER TABLE grown ADD COLUMN c char(5) DEFAULT 'abc';
SELECT i, t, f, u, b, c, no_default, count(*), sum(v) FROM grown GROUP BY 1, 2, 3, 4, 5, 6, 7;
INSERT INTO grown SELECT i % 3, i, i, i, 't' || i % 2, i, NULL, i % 2 = 0, 'x' FROM generate_series(1, 50) i;
UPDATE grown SET i = NULL WHERE v = 7;
SELECT c AS key, check_query(format('SELECT %I, count(*), sum(v), sum(i), min(f) FROM grown GROUP BY 1', c))
FROM unnest('{k,no_default,i,t,f,u,b,c}'::text[]) c;
SELECT check_query('SELECT k, count(*) FROM grown WHERE i = 42 AND t = ''missing'' AND b GROUP BY k');
SELECT check_query('SELECT k, count(*) FROM grown WHERE no_default IS NULL GROUP BY k');

-- dropped ones, of every kind of length, before the others
CREATE TABLE shrunk (a int, gone1 text, b bigint, gone2 char(3), c smallint, gone3 numeric, d int, gone4 float8, e text);
INSERT INTO shrunk SELECT i, repeat('x', i % 300), i * 2, 'abc', i % 7, i / 3.0, i % 11, i, 'e' || i % 5 FROM generate_series(1, 1000) i;
SELECT check_query('SELECT c, count(*), sum(a), sum(b), sum(d) FROM shrunk GROUP BY c');
ALTER TABLE shrunk DROP COLUMN gone1, DROP COLUMN gone2, DROP COLUMN gone3, DROP COLUMN gone4;
SELECT check_query('SELECT c, count(*), sum(a), sum(b), sum(d) FROM shrunk GROUP BY c');
INSERT INTO shrunk SELECT i, i * 2, i % 7, i % 11, 'e' || i % 5 FROM generate_series(1, 1000) i;
SELECT check_query('SELECT c, e, count(*), sum(a), sum(b), sum(d) FROM shrunk GROUP BY c, e');
ALTER TABLE shrunk ADD COLUMN f int DEFAULT 9;
SELECT check_query('SELECT c, e, f, count(*), sum(a), sum(b), sum(d) FROM shrunk GROUP BY 1, 2, 3');

-- varlenas with headers of one and of four bytes before and between the columns
CREATE TABLE strings (id int, before text, i smallint, between_them text, j bigint, c "char", last text);
INSERT INTO strings SELECT n, repeat('a', n % 140), n % 5, CASE WHEN n % 3 <> 0 THEN repeat('b', 120 + n % 12) END, n, 'q', repeat('z', n % 4)
FROM generate_series(1, 3000) n;
SELECT check_query('SELECT i, last, count(*), sum(j), max(id) FROM strings GROUP BY 1, 2');
SELECT check_query('SELECT before, count(*), sum(j) FROM strings GROUP BY before');
SELECT check_query('SELECT between_them, c, count(*) FROM strings GROUP BY 1, 2');
SELECT check_query('SELECT count(*), sum(j) FROM strings WHERE before = repeat(''a'', 127)');

-- compressed and external: as columns that are passed over, and as keys
CREATE TABLE toasted (id int, big text, v int);
INSERT INTO toasted SELECT i, repeat('compressible ', 500) || i % 3, i FROM generate_series(1, 60) i;
ALTER TABLE toasted ALTER big SET STORAGE EXTERNAL;
INSERT INTO toasted SELECT i, (SELECT string_agg(md5((i % 3)::text || n), '') FROM generate_series(1, 200) n), i FROM generate_series(61, 120) i;
SELECT check_query('SELECT id % 5, count(*), sum(v) FROM toasted GROUP BY 1');
SELECT outcome('SELECT big, count(*) FROM toasted GROUP BY big', 'force', 'on');
SELECT store_rows('native', 'SELECT md5(big), n FROM (SELECT big, count(*) AS n FROM toasted GROUP BY big) s', 'off', 'on'),
	store_rows('ours', 'SELECT md5(big), n FROM (SELECT big, count(*) AS n FROM toasted GROUP BY big) s', 'force', 'on');
SELECT compare_rows();
SELECT left(big, 13) AS start, count(*) FROM toasted WHERE big IS NOT NULL AND id <= 60 GROUP BY big ORDER BY big;
SELECT big IS NULL, count(big), count(*) FROM toasted GROUP BY 1;

-- many columns, many NULLs: null bitmaps of all sizes
SELECT format('CREATE TABLE wide (%s)', string_agg(format('c%s %s', i, (ARRAY['int', 'bigint', 'smallint', 'bool', 'float8', 'text', '"char"'])[1 + i % 7]), ', '))
FROM generate_series(1, 300) i \gexec
SELECT format('INSERT INTO wide SELECT %s FROM generate_series(1, 500) n',
	string_agg(CASE WHEN i % 11 = 3 THEN 'NULL' ELSE format('CASE WHEN n %% %s <> 0 THEN %s END', 2 + i % 9,
		(ARRAY['n', 'n', 'n::smallint', 'n % 2 = 0', 'n', '''x'' || n % 5', '''c''::"char"'])[1 + i % 7]) END, ', '))
FROM generate_series(1, 300) i \gexec
SELECT check_query('SELECT c5, count(*), sum(c7), sum(c8), sum(c294), count(c300), max(c298), min(c1) FROM wide GROUP BY c5');
SELECT check_query('SELECT c298, c297, count(*), sum(c296) FROM wide WHERE c293 IS NOT NULL GROUP BY 1, 2');
SELECT check_query('SELECT ' || string_agg(format('count(c%s)', i), ', ') || ' FROM wide') FROM generate_series(1, 240) i;

-- no columns at all
CREATE TABLE no_columns ();
INSERT INTO no_columns DEFAULT VALUES;
INSERT INTO no_columns DEFAULT VALUES;
SELECT check_query('SELECT count(*) FROM no_columns');

-- rows that changed: HOT chains, dead line pointers, pages with room again
CREATE TABLE churned (id int, g int, v int) WITH (fillfactor = 50, autovacuum_enabled = off);
INSERT INTO churned SELECT i, i % 10, i FROM generate_series(1, 5000) i;
UPDATE churned SET v = v + 1 WHERE id % 3 = 0;
DELETE FROM churned WHERE id % 7 = 0;
SELECT check_query('SELECT g, count(*), sum(v) FROM churned GROUP BY g');
VACUUM churned;
SELECT check_query('SELECT g, count(*), sum(v) FROM churned GROUP BY g');
INSERT INTO churned SELECT i, i % 10, i FROM generate_series(1, 500) i;
UPDATE churned SET v = v + 1 WHERE id % 50 = 0;
SELECT check_query('SELECT g, count(*), sum(v) FROM churned GROUP BY g');
DELETE FROM churned WHERE id > 2500;
VACUUM (FREEZE) churned;
SELECT check_query('SELECT g, count(*), sum(v) FROM churned GROUP BY g');
VACUUM FULL churned;
SELECT check_query('SELECT g, count(*), sum(v) FROM churned GROUP BY g');
DELETE FROM churned;
SELECT check_query('SELECT g, count(*), sum(v) FROM churned GROUP BY g');

-- all-visible pages, each with one unused line pointer, at another place in each
CREATE TABLE holes (id int) WITH (autovacuum_enabled = off);
INSERT INTO holes SELECT generate_series(1, 9000);
DELETE FROM holes WHERE (ctid::text::point)[1] = (ctid::text::point)[0] + 1;
VACUUM (FREEZE) holes;
SELECT check_query('SELECT count(*), sum(id) FROM holes');

-- generated columns and domains
CREATE DOMAIN positive AS int CHECK (VALUE > 0);
CREATE TABLE generated (a positive, twice int GENERATED ALWAYS AS (a * 2) STORED);
INSERT INTO generated SELECT i % 10 + 1 FROM generate_series(1, 100) i;
SELECT check_query('SELECT twice, count(*), sum(twice) FROM generated GROUP BY twice');
SELECT is_taken('SELECT a, count(*) FROM generated GROUP BY a') IS NOT NULL AS planned;
SELECT a, count(*) FROM generated GROUP BY a ORDER BY a LIMIT 2;
