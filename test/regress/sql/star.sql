--
-- Joins in the engines: a table, and relations that are unique by what they are joined by.
--
CREATE TABLE star_fact (id int NOT NULL, a int, b bigint, t text, c char(8), n numeric(10, 2), v float8, d date);
INSERT INTO star_fact SELECT i, CASE WHEN i % 17 <> 0 THEN i % 500 END, CASE WHEN i % 13 <> 0 THEN i % 300 * 10000000000 END,
	CASE WHEN i % 11 <> 0 THEN 'key' || i % 100 END, 'c' || i % 50, i % 1000 / 7.0, i / 4.0, date '2020-01-01' + i % 400
FROM generate_series(1, 20000) i;
CREATE TABLE star_int (k int, x int, s text, n numeric(8, 3), f float8, u uuid, any_n numeric, d date, o int, j jsonb, z text);
INSERT INTO star_int SELECT i, i % 7, 'val' || i % 30, i / 3.0, CASE WHEN i % 2 = 0 THEN 0 ELSE -i END, md5((i % 5)::text)::uuid, i % 9,
	date '2021-01-01' + i % 700, CASE WHEN i % 3 = 0 THEN i % 4 END, to_jsonb(i % 6), repeat('z', i % 3) FROM generate_series(0, 400) i;
INSERT INTO star_int (k) VALUES (NULL), (NULL);
CREATE UNIQUE INDEX ON star_int (k);
CREATE TABLE star_big (k bigint PRIMARY KEY, x smallint NOT NULL, s varchar(20) NOT NULL);
INSERT INTO star_big SELECT i * 10000000000, i % 9, 'b' || i % 4 FROM generate_series(1, 250) i;
CREATE TABLE star_text (k text PRIMARY KEY, x int, c char(10));
INSERT INTO star_text SELECT 'key' || i, i % 3, 'c' || i % 6 FROM generate_series(1, 90) i;
CREATE TABLE star_char (k char(4) PRIMARY KEY, x int);
INSERT INTO star_char SELECT 'c' || i, i % 5 FROM generate_series(0, 40) i;
CREATE TABLE star_pair (a int, t text, x int, PRIMARY KEY (a, t));
INSERT INTO star_pair SELECT a, 'key' || t, a * t % 10 FROM generate_series(0, 450) a, generate_series(0, 20) t;
CREATE TABLE star_triple (a int, b bigint, t text, x int, PRIMARY KEY (a, b, t));
INSERT INTO star_triple SELECT DISTINCT ON (1, 2, 3) a, b, t, id % 6 FROM star_fact WHERE a > 100 AND b > 0 AND t > 'key3';
CREATE TABLE star_next (k int PRIMARY KEY, i int);
INSERT INTO star_next SELECT i, i % 300 FROM generate_series(0, 450) i;
CREATE TABLE star_twice (k int, x int);
INSERT INTO star_twice SELECT i, i % 7 FROM generate_series(0, 5000) i;
CREATE TABLE star_none (k int PRIMARY KEY, x int);
VACUUM ANALYZE star_fact, star_int, star_big, star_text, star_char, star_pair, star_triple, star_next, star_twice, star_none;
-- one key for two rows, which statistics do not show
INSERT INTO star_twice VALUES (77, 0);

SET gpuagg.mode = force;

-- keys and values of all types
SELECT check_join('SELECT x, count(*), sum(v) FROM star_fact f JOIN star_int i ON f.a = i.k GROUP BY x');
SELECT check_join('SELECT i.s, i.n, i.u, i.d, i.o, i.j, count(*), sum(v) FROM star_fact f JOIN star_int i ON f.a = i.k GROUP BY 1, 2, 3, 4, 5, 6');
SELECT check_join('SELECT i.any_n, i.f, count(*) FROM star_fact f JOIN star_int i ON f.a = i.k GROUP BY 1, 2');
SELECT check_join('SELECT f.d, sum(i.x), sum(i.n), avg(i.f), min(i.s), max(i.d), count(i.o), count(i.j), sum(i.n * f.n) FROM star_fact f JOIN star_int i ON f.a = i.k GROUP BY f.d');
SELECT check_join('SELECT b.x, b.s, count(*), sum(v) FROM star_fact f, star_big b WHERE f.b = b.k GROUP BY b.x, b.s');
SELECT check_join('SELECT t.x, t.c, count(*), sum(v), min(t.c) FROM star_fact f JOIN star_text t ON f.t = t.k GROUP BY 1, 2');
SELECT check_join('SELECT h.x, count(*), sum(v) FROM star_fact f JOIN star_char h ON f.c = h.k GROUP BY 1');
SELECT check_join('SELECT p.x, count(*), sum(v) FROM star_fact f JOIN star_pair p USING (a, t) GROUP BY 1');
SELECT check_join('SELECT p.x, count(*), sum(v) FROM star_fact f JOIN star_triple p USING (a, b, t) GROUP BY 1');
-- expressions as keys, and computed of a look-up's row
SELECT check_join('SELECT i.x, count(*), sum(v) FROM star_fact f JOIN star_int i ON f.id % 400 = i.k GROUP BY 1');
SELECT check_join('SELECT extract(year FROM i.d), upper(i.s), i.x + 1, count(*), sum(f.v * i.x), sum(length(i.s)) FROM star_fact f JOIN star_int i ON f.a = i.k GROUP BY 1, 2, 3');
SELECT check_join('SELECT CASE WHEN i.s LIKE ''val1%'' THEN i.x ELSE f.id % 3 END, count(*) FROM star_fact f JOIN star_int i ON f.a = i.k WHERE i.s LIKE ''val%'' GROUP BY 1');
-- a cast that leaves the bytes as they are, but not what they equal
CREATE TABLE star_casts (k int PRIMARY KEY, s varchar(10));
INSERT INTO star_casts VALUES (1, 'a'), (2, 'a '), (3, 'b'), (4, 'a  '), (5, NULL);
ANALYZE star_casts;
SELECT check_join('SELECT s::text, count(*) FROM star_fact f JOIN star_casts i ON f.a = i.k GROUP BY 1');
SELECT outcome('SELECT s::bpchar, count(*) FROM star_fact f JOIN star_casts i ON f.a = i.k GROUP BY 1', 'off', 'on'),
	outcome('SELECT s::bpchar, count(*) FROM star_fact f JOIN star_casts i ON f.a = i.k GROUP BY 1', 'force', 'on');
SELECT check_query('SELECT count(DISTINCT s::bpchar) FROM star_fact f JOIN star_casts i ON f.a = i.k');
DROP TABLE star_casts;
-- values of rows that a key of the groups tells apart, of rows that it does not, and of both
CREATE TABLE star_names (k int PRIMARY KEY, s text, n numeric, u uuid, c char(6));
INSERT INTO star_names SELECT i, 'name' || n, n::numeric(10, 1), md5(n::text)::uuid, CASE WHEN i % 9 > 0 THEN n END
FROM generate_series(0, 450) i, LATERAL (SELECT i - (i % 3 = 0)::int AS n) x;
UPDATE star_names SET n = n::numeric(10, 3) WHERE k % 2 = 0;
VACUUM ANALYZE star_names;
SELECT check_join('SELECT i.k, i.s, i.n, i.u, i.c, count(*), sum(v) FROM star_fact f JOIN star_names i ON f.a = i.k GROUP BY 1, 2, 3, 4, 5');
SELECT check_join('SELECT i.k, i.s, i.c, count(*), sum(v) FROM star_fact f LEFT JOIN star_names i ON f.a = i.k GROUP BY 1, 2, 3');
SELECT check_join('SELECT f.a, i.s, i.c, count(*), sum(v) FROM star_fact f LEFT JOIN star_names i ON f.a = i.k AND f.id < 9000 GROUP BY 1, 2, 3');
SELECT check_join('SELECT i.s, i.u, i.c, count(*), sum(v) FROM star_fact f JOIN star_names i ON f.a = i.k GROUP BY 1, 2, 3');
SELECT check_join('SELECT f.a % 2, i.s, count(*), sum(v) FROM star_fact f JOIN star_names i ON f.a = i.k GROUP BY 1, 2');
SELECT check_join('SELECT DISTINCT i.k, i.s FROM star_fact f JOIN star_names i ON f.a = i.k');
SELECT check_join('SELECT DISTINCT i.s FROM star_fact f JOIN star_names i ON f.a = i.k');
SELECT check_join('SELECT i.k, i.s, count(*) FROM star_fact f JOIN star_names i ON f.a = i.k GROUP BY GROUPING SETS ((1, 2), (2), ())');
SELECT check_join('SELECT f.d, count(DISTINCT i.k), count(DISTINCT i.s) FROM star_fact f JOIN star_names i ON f.a = i.k GROUP BY 1');
SELECT check_join('SELECT i.s, i.k % 2, count(*) FROM star_fact f JOIN star_names i ON f.a = i.k GROUP BY 1, 2');
SELECT check_join('SELECT x.k, y.s, count(*) FROM star_fact f JOIN star_names x ON f.a = x.k JOIN star_names y ON f.id / 9 = y.k GROUP BY 1, 2');
SELECT check_join('SELECT i.s, i.k, count(*), sum(v) FROM star_fact f JOIN star_names i ON f.a = i.k GROUP BY 1, 2 ORDER BY sum(v) DESC, i.k LIMIT 9');
DROP TABLE star_names;
-- several, snowflakes, one in two roles
SELECT check_join('SELECT b.s, i.s, count(*), sum(v) FROM star_fact f JOIN star_big b ON f.b = b.k JOIN star_int i ON f.a = i.k GROUP BY 1, 2');
SELECT check_join('SELECT i.x, count(*), sum(v) FROM star_fact f JOIN star_next e ON f.a = e.k JOIN star_int i ON e.i = i.k GROUP BY 1');
SELECT check_join('SELECT x.x, y.x, count(*), sum(v) FROM star_fact f JOIN star_int x ON f.a = x.k JOIN star_int y ON f.id = y.k GROUP BY 1, 2');
SELECT check_join('SELECT y.s, count(*), sum(x.v) FROM star_fact x JOIN star_int y ON x.a = y.k JOIN star_int z ON z.k = y.x GROUP BY 1');
-- outer joins
SELECT check_join('SELECT x, i.s, count(*), count(i.k), sum(v), sum(i.n) FROM star_fact f LEFT JOIN star_int i ON f.a = i.k GROUP BY 1, 2');
SELECT check_join('SELECT x, count(*), sum(v) FROM star_fact f LEFT JOIN star_int i ON f.a = i.k AND i.x > 2 AND f.d > ''2020-05-01'' GROUP BY 1');
SELECT check_join('SELECT x, count(*), sum(v) FROM star_fact f LEFT JOIN star_int i ON f.a = i.k AND i.x * 10 < f.id GROUP BY 1');
SELECT check_join('SELECT count(*), sum(v) FROM star_fact f LEFT JOIN star_int i ON f.a = i.k WHERE i.k IS NULL');
SELECT check_join('SELECT count(*), sum(coalesce(i.x, 100)) FROM star_fact f LEFT JOIN star_int i ON f.a = i.k WHERE i.x IS NULL OR i.x = 3');
-- what is NULL in rows without a match is so below what is computed of it
SELECT check_join('SELECT coalesce(i.x, -1), i.s IS NULL, count(*) FILTER (WHERE i.d IS NULL), sum(coalesce(i.o, 5)) FROM star_fact f LEFT JOIN star_int i ON f.a = i.k WHERE i.k IS NULL GROUP BY 1, 2');
SELECT check_join('SELECT f.d, count(DISTINCT i.x), min(f.v) FROM star_fact f LEFT JOIN (SELECT k, coalesce(x, 9) AS x FROM star_int) i ON f.a = i.k AND i.x = f.id % 5 GROUP BY 1');
SELECT check_join('SELECT i.x, count(DISTINCT i.x) FROM star_fact f LEFT JOIN (SELECT k, 1 AS x FROM star_int) i ON f.a = i.k GROUP BY GROUPING SETS ((i.x), ())');
SELECT check_join('SELECT i.x, count(*), sum(v) FROM star_fact f LEFT JOIN star_next e ON f.a = e.k LEFT JOIN star_int i ON e.i = i.k GROUP BY 1');
SELECT check_join('SELECT i.x, count(*), sum(v) FROM star_fact f LEFT JOIN (star_next e JOIN star_int i ON e.i = i.k) ON f.a = e.k GROUP BY 1');
SELECT check_join('SELECT i.x, count(*), sum(v) FROM star_int i RIGHT JOIN star_fact f ON f.a = i.k GROUP BY 1');
SELECT check_join('SELECT count(*), sum(v) FROM star_fact f RIGHT JOIN star_int i ON f.a = i.k');
SELECT check_join('SELECT count(*), sum(v) FROM star_fact f FULL JOIN star_int i ON f.a = i.k');
-- semi and anti joins
SELECT check_join('SELECT d, count(*) FROM star_fact f WHERE EXISTS (SELECT 1 FROM star_int i WHERE i.k = f.a AND i.x = 3) GROUP BY d');
SELECT check_join('SELECT d, count(*) FROM star_fact f WHERE a IN (SELECT x FROM star_int) GROUP BY d');
SELECT check_join('SELECT d, count(*) FROM star_fact f WHERE NOT EXISTS (SELECT 1 FROM star_int i WHERE i.x = f.a) GROUP BY d');
SELECT check_join('SELECT d, count(*) FROM star_fact f WHERE EXISTS (SELECT 1 FROM star_twice i WHERE i.x = f.a AND i.k > f.id) GROUP BY d');
-- of rows that only have to be there, the distinct ones are looked up if these come sooner, and equal ones
-- are identical
SET gpuagg.engine = cpu;
CREATE FUNCTION keys_looked_up(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	PERFORM let_engine_answer();
	EXECUTE 'EXPLAIN (ANALYZE, FORMAT JSON) ' || query INTO plan;
	RETURN (SELECT string_agg(l->>'Keys', ', ') FROM json_array_elements(plan->0->'Plan'->'Look-ups') l);
END $$;
SELECT query, keys_looked_up(query), check_join(query) FROM (VALUES
	('SELECT count(*) FROM star_fact f WHERE EXISTS (SELECT 1 FROM star_twice i WHERE i.x = f.a)'),
	('SELECT d, count(*) FROM star_fact f WHERE NOT EXISTS (SELECT 1 FROM star_twice i WHERE i.x = f.a AND i.k < 3000) GROUP BY d'),
	('SELECT count(*) FROM star_fact f WHERE a IN (SELECT x FROM star_int WHERE x > 2) AND EXISTS (SELECT 1 FROM star_twice i WHERE i.x = f.id % 10)'),
	('SELECT count(*) FROM star_fact f WHERE EXISTS (SELECT 1 FROM star_text i WHERE i.c = f.c)'),
	('SELECT count(*) FROM star_fact f WHERE EXISTS (SELECT 1 FROM star_int i WHERE i.any_n = f.a)'),
	('SELECT count(*) FROM star_fact f WHERE EXISTS (SELECT 1 FROM star_twice i WHERE i.x = f.a AND i.k > f.id)')) q (query);
RESET gpuagg.engine;
-- conditions across relations
SELECT check_join('SELECT i.x, t.x, count(*) FROM star_fact f JOIN star_int i ON f.a = i.k JOIN star_text t ON f.t = t.k WHERE i.x < t.x GROUP BY 1, 2');
SELECT check_join('SELECT i.x, t.x, count(*) FROM star_fact f JOIN star_int i ON f.a = i.k JOIN star_text t ON f.t = t.k AND (i.x = 1 OR t.c = ''c2'') GROUP BY ROLLUP (1, 2)');
SELECT check_join('SELECT count(*), sum(v) FROM star_fact f JOIN star_int i ON f.a = i.k WHERE i.s IN (''val1'', ''val2'') OR f.t = ''key5''');
-- aggregates, their filters, DISTINCT, sets, order
SELECT check_join('SELECT i.x, count(*) FILTER (WHERE i.s = ''val3''), sum(f.n) FILTER (WHERE i.o IS NULL) FROM star_fact f JOIN star_int i ON f.a = i.k GROUP BY 1 HAVING max(i.s) > ''val2''');
SELECT check_join('SELECT i.x, count(DISTINCT t.x), count(DISTINCT f.d), count(DISTINCT i.s), count(DISTINCT i.x) FROM star_fact f JOIN star_int i ON f.a = i.k JOIN star_text t ON f.t = t.k GROUP BY GROUPING SETS ((i.x), (i.x, i.o), ())');
SELECT check_join('SELECT DISTINCT i.x, i.s FROM star_fact f JOIN star_int i ON f.a = i.k');
SELECT i.s, sum(f.v) FROM star_fact f JOIN star_int i ON f.a = i.k GROUP BY i.s ORDER BY i.s COLLATE "C" DESC LIMIT 3;
SELECT i.s, sum(f.v) FROM star_fact f JOIN star_int i ON f.a = i.k GROUP BY i.s ORDER BY 2 DESC LIMIT 3;
-- rows that nobody can find, or none at all
SELECT check_join('SELECT e.x, count(*), sum(v) FROM star_fact f LEFT JOIN star_none e ON f.a = e.k GROUP BY 1');
SELECT check_join('SELECT e.x, count(*), sum(v) FROM star_fact f JOIN star_none e ON f.a = e.k GROUP BY 1');
SELECT check_join('SELECT count(*), sum(v) FROM star_fact f JOIN star_none e ON f.a = e.k');
SELECT check_join('SELECT count(*) FROM star_fact f WHERE NOT EXISTS (SELECT 1 FROM star_none e WHERE e.k = f.a)');

-- an error of a condition where no row is joined
SET enable_hashjoin = off;
SET enable_mergejoin = off;
SELECT outcome(q, 'off', 'on') AS native, outcome(q, 'force', 'on') AS ours
FROM (VALUES ('SELECT n.x, count(*) FROM star_fact f JOIN star_none n ON f.a = n.k WHERE 100 / (f.id - 3) > -1000 GROUP BY 1')) v (q);
RESET enable_hashjoin;
RESET enable_mergejoin;
-- a key that is there twice, an ambiguous value, too many rows: PostgreSQL's own plan answers
SELECT check_fallback('SELECT w.x, count(*) FROM star_fact f JOIN star_twice w ON f.a = w.k GROUP BY 1');
SELECT check_fallback('SELECT w.k, min(w.k), count(*) FROM star_fact f JOIN star_twice w ON f.a = w.k GROUP BY 1');
CREATE TABLE star_scales (k int PRIMARY KEY, n numeric);
INSERT INTO star_scales VALUES (1, 1.0), (2, 1.00), (3, 2);
ANALYZE star_scales;
SELECT check_fallback('SELECT s.n, count(*) FROM star_fact f JOIN star_scales s ON f.a = s.k GROUP BY 1');
SET gpuagg.memory_limit = '1MB';
CREATE TABLE star_large AS SELECT i AS k, md5(i::text) AS s FROM generate_series(1, 40000) i;
CREATE UNIQUE INDEX ON star_large (k);
VACUUM ANALYZE star_large;
SET enable_nestloop = off;
SET gpuagg.engine = cpu;
-- they are expected to be 1/200 of the table's
SELECT check_fallback('SELECT l.s, count(*) FROM star_fact f JOIN star_large l ON f.a = l.k WHERE length(l.s) BETWEEN 1 AND 99 GROUP BY 1');
-- they are known to be too many: the engine gets the join's rows
SELECT source('SELECT l.s, count(*) FROM star_fact f JOIN star_large l ON f.a = l.k GROUP BY 1');
SELECT check_query('SELECT l.s, count(*) FROM star_fact f JOIN star_large l ON f.a = l.k GROUP BY 1');
-- a key that is a value, too, so that no value is looked for among those before, takes half the memory
SELECT check_join('SELECT l.k, count(*), sum(v) FROM star_fact f JOIN star_large l ON f.a = l.k WHERE l.k <= 10000 GROUP BY 1');
SELECT check_join('SELECT l.k + 1, sum(l.k), min(l.k), count(*) FROM star_fact f LEFT JOIN star_large l ON f.a = l.k AND l.k <= 10000 GROUP BY 1');
RESET gpuagg.memory_limit;
RESET gpuagg.engine;
RESET enable_nestloop;

-- errors: of a condition in a row that the join drops, of one that it keeps
SELECT check_join('SELECT count(*) FROM star_fact f JOIN star_int i ON f.a = i.k WHERE 100 / (f.id + i.x) > 0');
SELECT check_fallback('SELECT count(*) FROM star_fact f JOIN star_int i ON f.a = i.k WHERE 100 / (i.x - f.id % 7) > 0');
SELECT check_fallback('SELECT count(*) FROM star_fact f JOIN star_int i ON f.a = i.k WHERE 1 / i.k < 5');

-- in rows that another join drops, before or after it: which, PostgreSQL's plan knows
SELECT check_fallback('SELECT count(*) FROM star_fact f JOIN star_char h ON f.c = h.k JOIN star_int i ON f.a = i.k
	AND 100 / CASE WHEN f.id % 50 > 40 THEN 0 ELSE i.x + 1 END > 0');

-- parameters on either side, and more than one execution
PREPARE star_parameters(int, text) AS SELECT i.x, count(*), sum(f.v) FROM star_fact f JOIN star_int i ON f.a = i.k WHERE i.x > $1 AND f.t > $2 GROUP BY 1 ORDER BY 1;
SET plan_cache_mode = force_generic_plan;
EXECUTE star_parameters(4, 'key5');
EXECUTE star_parameters(5, 'key9');
RESET plan_cache_mode;
SELECT check_query('SELECT n, (SELECT sum(v) FROM star_fact f JOIN star_big b ON f.b = b.k WHERE b.x = n) FROM generate_series(1, 4) n');
SELECT check_query('SELECT n, (SELECT count(*) FROM star_fact f JOIN star_big b ON f.b = b.k WHERE f.a = n) FROM generate_series(1, 4) n');

-- what is said of it
SET gpuagg.engine = cpu;
EXPLAIN (COSTS OFF) SELECT i.x, sum(f.v) FROM star_fact f LEFT JOIN star_int i ON f.a = i.k WHERE EXISTS (SELECT 1 FROM star_big b WHERE b.k = f.b) GROUP BY 1;
RESET gpuagg.engine;
SELECT reason FROM gpuagg_explain('SELECT count(*) FROM star_fact f FULL JOIN star_int i ON f.a = i.k');
SELECT reason FROM gpuagg_explain('SELECT count(*) FROM star_fact f JOIN star_int i ON f.a = i.x');

-- rows that are hidden are not found
CREATE ROLE star_user;
GRANT SELECT ON star_fact, star_int TO star_user;
ALTER TABLE star_int ENABLE ROW LEVEL SECURITY;
CREATE POLICY star_policy ON star_int USING (x < 3);
SET ROLE star_user;
SELECT i.x, count(*) FROM star_fact f JOIN star_int i ON f.a = i.k GROUP BY 1 ORDER BY 1;
SELECT i.x IS NULL AS hidden, count(*) FROM star_fact f LEFT JOIN star_int i ON f.a = i.k GROUP BY 1 ORDER BY 1;
RESET ROLE;
DROP TABLE star_fact, star_int, star_big, star_text, star_char, star_pair, star_triple, star_next, star_twice, star_none, star_scales, star_large;
DROP ROLE star_user;

-- keys of type varchar; a part of a CASE that is over one relation; kept look-ups whose constants look alike
CREATE TABLE fuzzed_fact AS SELECT i AS id, ('w' || i % 40)::varchar AS v, ('w' || i % 20)::char(4) AS c, i % 50 AS a,
	timestamptz '2020-01-01 UTC' + i % 3 * interval '1 day' AS at FROM generate_series(1, 5000) i;
CREATE TABLE fuzzed_words (w varchar PRIMARY KEY, x int, v varchar(5));
INSERT INTO fuzzed_words SELECT 'w' || i, i % 4, 'w' || i % 3 FROM generate_series(5, 60) i;
CREATE TABLE fuzzed_days (k int PRIMARY KEY, x int, d date, at timestamptz);
INSERT INTO fuzzed_days SELECT i, i % 5, date '2021-01-01' + i, timestamptz '2020-01-02 UTC' FROM generate_series(0, 60) i;
VACUUM ANALYZE fuzzed_fact, fuzzed_words, fuzzed_days;
SELECT check_join('SELECT w.x, count(*) FROM fuzzed_fact f JOIN fuzzed_words w ON f.v = w.w GROUP BY 1');
SELECT check_join('SELECT w.x, count(*) FROM fuzzed_fact f LEFT JOIN fuzzed_words w ON w.w = f.v AND w.v = ''w1'' GROUP BY 1');
SELECT check_join('SELECT count(*) FROM fuzzed_fact f WHERE EXISTS (SELECT 1 FROM fuzzed_words w WHERE w.w = f.v AND w.x = f.a)');
SELECT check_join('SELECT w.x, count(*) FROM fuzzed_fact f JOIN fuzzed_words w ON w.w = f.c::text GROUP BY 1');
SELECT check_join('SELECT CASE f.at WHEN d.at THEN d.x + 1 WHEN ''2020-01-01 UTC'' THEN f.a ELSE -1 END, count(*) FROM fuzzed_fact f JOIN fuzzed_days d ON f.a = d.k GROUP BY 1');
SELECT check_join('SELECT CASE d.at WHEN d.at THEN f.a WHEN f.at THEN d.x END, count(*) FROM fuzzed_fact f JOIN fuzzed_days d ON f.a = d.k GROUP BY 1');
SELECT check_join('SELECT CASE f.at WHEN ''infinity'' THEN 50 WHEN d.at THEN f.a END, count(*) FROM fuzzed_fact f LEFT JOIN fuzzed_days d ON f.a = d.k GROUP BY 1');
SET datestyle = 'SQL, DMY';
SELECT count(*) FROM fuzzed_fact f JOIN fuzzed_days d ON f.a = d.k WHERE d.d < '03/02/2021';
SET datestyle = 'SQL, MDY';
SELECT count(*) FROM fuzzed_fact f JOIN fuzzed_days d ON f.a = d.k WHERE d.d < '03/02/2021';
RESET datestyle;
DROP TABLE fuzzed_fact, fuzzed_words, fuzzed_days;

-- what relations of a build side are joined by could be computed for rows that no row of the fact
-- needs: they are two look-ups
CREATE TABLE fuzzed_fact AS SELECT i AS id, i % 20 AS e FROM generate_series(0, 2000) i;
CREATE TABLE fuzzed_some (k int PRIMARY KEY, c int);
INSERT INTO fuzzed_some SELECT i, CASE WHEN i = 30 THEN 2147483647 ELSE i * 2 END FROM generate_series(0, 30) i;
CREATE TABLE fuzzed_more (k int PRIMARY KEY, x int);
INSERT INTO fuzzed_more SELECT i, i % 7 FROM generate_series(0, 100) i;
VACUUM ANALYZE fuzzed_fact, fuzzed_some, fuzzed_more;
SELECT check_join('SELECT m.x, count(*) FROM fuzzed_fact f JOIN fuzzed_some s ON s.k = f.e JOIN fuzzed_more m ON m.k = s.c + 1 GROUP BY 1');
SELECT reason FROM gpuagg_explain('SELECT m.x, count(*) FROM fuzzed_fact f JOIN fuzzed_some s ON s.k = f.e JOIN fuzzed_more m ON m.k = s.c AND m.x <> f.e GROUP BY 1');
DROP TABLE fuzzed_fact, fuzzed_some, fuzzed_more;

-- a look-up's plan with workers, parts of which are rescanned but not read
CREATE TABLE fuzzed_fact AS SELECT i AS id, i % 20 AS e FROM generate_series(0, 20000) i;
CREATE TABLE fuzzed_some (k int PRIMARY KEY, x int, r int);
INSERT INTO fuzzed_some SELECT i, i % 10, i * 3 FROM generate_series(0, 20) i;
CREATE TABLE fuzzed_more (k int PRIMARY KEY);
INSERT INTO fuzzed_more SELECT i FROM generate_series(0, 5000) i;
VACUUM ANALYZE fuzzed_fact, fuzzed_some, fuzzed_more;
BEGIN;
SET LOCAL max_parallel_workers_per_gather = 2;
SET LOCAL parallel_setup_cost = 0;
SET LOCAL parallel_tuple_cost = 0;
SET LOCAL min_parallel_table_scan_size = 0;
SET LOCAL enable_indexscan = off;
SET LOCAL enable_indexonlyscan = off;
SET LOCAL enable_bitmapscan = off;
SET LOCAL enable_nestloop = off;
SET LOCAL enable_mergejoin = off;
SELECT n, (SELECT sum(f.id) FROM fuzzed_fact f JOIN fuzzed_some s ON s.k = f.e JOIN fuzzed_more m ON m.k = s.r WHERE s.x > n)
FROM (VALUES (1), (20), (21), (22), (2)) v(n);
COMMIT;
DROP TABLE fuzzed_fact, fuzzed_some, fuzzed_more;

-- kept look-ups that differ in a collation only
CREATE TABLE collated_fact AS SELECT i AS id, i % 40 AS a FROM generate_series(1, 4000) i;
CREATE TABLE collated_words (k int PRIMARY KEY, s text COLLATE "POSIX");
INSERT INTO collated_words SELECT i, CASE WHEN i % 2 = 0 THEN 'B' ELSE 'b' END || i FROM generate_series(0, 50) i;
VACUUM ANALYZE collated_fact, collated_words;
SELECT check_join('SELECT count(*) FROM collated_fact f JOIN collated_words w ON f.a = w.k WHERE w.s COLLATE "C" < ''a''');
SELECT check_join('SELECT count(*) FROM collated_fact f JOIN collated_words w ON f.a = w.k WHERE w.s COLLATE "und-x-icu" < ''a''');
SELECT check_join('SELECT w.s COLLATE "C" < ''a'', count(*) FROM collated_fact f JOIN collated_words w ON f.a = w.k GROUP BY 1');
SELECT check_join('SELECT w.s COLLATE "und-x-icu" < ''a'', count(*) FROM collated_fact f JOIN collated_words w ON f.a = w.k GROUP BY 1');
DROP TABLE collated_fact, collated_words;
