--
-- Joins in the engines by UUIDs, truth values and numerics.
--
CREATE TABLE skeys_fact (id int NOT NULL, u uuid, b bool, n numeric(8, 2), any_n numeric, wide numeric(30, 2), a int, t text, v float8);
INSERT INTO skeys_fact SELECT i, CASE WHEN i % 13 <> 0 THEN md5((i % 1000)::text)::uuid END, CASE WHEN i % 7 <> 0 THEN i % 3 = 0 END,
	CASE WHEN i % 11 <> 0 THEN (i % 500 - 250) / 4.0 END, CASE WHEN i % 17 <> 0 THEN (i % 300 - 150) / 8.0 END, i % 300 * 1e20, i % 20, 'key' || i % 15, i / 4.0
FROM generate_series(1, 20000) i;
CREATE TABLE skeys_uuid (u uuid UNIQUE, x int, s text, o uuid);
INSERT INTO skeys_uuid SELECT md5(i::text)::uuid, i % 7, 'val' || i % 30, md5((i + 7)::text)::uuid FROM generate_series(0, 800) i;
-- one word of a UUID is another one's, and both words of two are exchanged
INSERT INTO skeys_uuid SELECT (left(a, 16) || right(b, 16))::uuid, 100 + i FROM generate_series(0, 20) i, LATERAL (SELECT md5(i::text) AS a, md5((i + 1)::text) AS b) m;
INSERT INTO skeys_uuid SELECT (right(a, 16) || left(a, 16))::uuid, 200 + i FROM generate_series(0, 20) i, LATERAL (SELECT md5(i::text) AS a) m;
INSERT INTO skeys_uuid VALUES (NULL, 1), (NULL, 2);
CREATE TABLE skeys_flag (b bool, a int, x int, PRIMARY KEY (b, a));
INSERT INTO skeys_flag SELECT b, a, a * 2 + b::int FROM generate_series(0, 15) a, (VALUES (true), (false)) f (b);
CREATE TABLE skeys_truth (b bool UNIQUE, x int);
INSERT INTO skeys_truth VALUES (true, 1), (false, 2), (NULL, 3), (NULL, 4);
-- of the fact's scale, of a larger one, of a smaller one, of none
CREATE TABLE skeys_same (n numeric(10, 2) UNIQUE, x int, s text);
INSERT INTO skeys_same SELECT i / 4.0, i % 9, 'val' || i % 5 FROM generate_series(-200, 300) i;
INSERT INTO skeys_same (x) VALUES (1), (2);
CREATE TABLE skeys_fine (n numeric(12, 5) PRIMARY KEY, x int);
INSERT INTO skeys_fine SELECT i / 16.0, i % 9 FROM generate_series(-2000, 2000) i;
CREATE TABLE skeys_coarse (n numeric(6) PRIMARY KEY, x int);
INSERT INTO skeys_coarse SELECT i, i % 9 FROM generate_series(-50, 50) i;
CREATE TABLE skeys_any (n numeric PRIMARY KEY, x int);
INSERT INTO skeys_any SELECT trim_scale(i / 8.0), i % 9 FROM generate_series(-300, 300) i;
CREATE TABLE skeys_triple (n numeric(8, 2), u uuid, t text, b bool, x int, PRIMARY KEY (n, u, t, b));
INSERT INTO skeys_triple SELECT DISTINCT ON (1, 2, 3, 4) n, u, t, b, id % 6 FROM skeys_fact WHERE n > -20 AND u > '40000000-0000-0000-0000-000000000000' AND t > 'key1' AND b IS NOT NULL;
CREATE TABLE skeys_none (u uuid PRIMARY KEY, n numeric(8, 2) UNIQUE, b bool UNIQUE);
VACUUM ANALYZE skeys_fact, skeys_uuid, skeys_flag, skeys_truth, skeys_same, skeys_fine, skeys_coarse, skeys_any, skeys_triple, skeys_none;

SET gpuagg.mode = force;

-- one key
SELECT check_join('SELECT i.x, i.s, count(*), sum(v) FROM skeys_fact f JOIN skeys_uuid i ON f.u = i.u GROUP BY 1, 2');
SELECT check_join('SELECT i.u, count(*), sum(v) FROM skeys_fact f JOIN skeys_uuid i ON f.u = i.u GROUP BY 1');
SELECT check_join('SELECT f.u, i.x, count(*) FROM skeys_fact f JOIN skeys_uuid i ON i.u = f.u WHERE i.x < 3 GROUP BY 1, 2');
SELECT check_join('SELECT i.x, i.b, count(*), sum(v) FROM skeys_fact f JOIN skeys_truth i ON f.b = i.b GROUP BY 1, 2');
SELECT check_join('SELECT i.x, count(*), sum(v) FROM skeys_fact f JOIN skeys_truth i ON (f.a > 9) = i.b GROUP BY 1');
SELECT check_join('SELECT i.x, count(*), sum(v) FROM skeys_fact f JOIN skeys_same i ON f.n = i.n GROUP BY 1');
SELECT check_join('SELECT i.n, i.s, count(*), sum(i.n), max(f.n) FROM skeys_fact f JOIN skeys_same i USING (n) GROUP BY 1, 2');
SELECT check_join('SELECT i.x, i.n, count(*), sum(i.n) FROM skeys_fact f JOIN skeys_fine i ON f.n = i.n GROUP BY 1, 2');
SELECT check_join('SELECT i.x, i.n, count(*), sum(i.n) FROM skeys_fact f JOIN skeys_coarse i ON f.n = i.n GROUP BY 1, 2');
SELECT check_join('SELECT i.x, i.n, count(*) FROM skeys_fact f JOIN skeys_any i ON f.n = i.n GROUP BY 1, 2');
SELECT check_join('SELECT i.x, i.n, count(*) FROM skeys_fact f JOIN skeys_any i ON f.any_n = i.n GROUP BY 1, 2');
SELECT check_join('SELECT i.x, count(*) FROM skeys_fact f JOIN skeys_fine i ON f.any_n = i.n GROUP BY 1');
SELECT check_join('SELECT i.x, count(*) FROM skeys_fact f JOIN skeys_coarse i ON f.a = i.n GROUP BY 1');
-- expressions of either side
SELECT check_join('SELECT i.x, count(*), sum(v) FROM skeys_fact f JOIN skeys_fine i ON f.n * 0.5 - 1 = i.n GROUP BY 1');
SELECT check_join('SELECT i.x, count(*), sum(v) FROM skeys_fact f JOIN skeys_same i ON round(f.any_n, 1) = i.n GROUP BY 1');
SELECT check_join('SELECT i.x, count(*), sum(v) FROM skeys_fact f JOIN skeys_uuid i ON coalesce(f.u, ''cfcd2084-95d5-65ef-66e7-dff9f98764da'') = i.u GROUP BY 1');
SELECT check_join('SELECT count(*) FROM skeys_fact f WHERE EXISTS (SELECT 1 FROM skeys_coarse i WHERE i.n * 2 + 0.5 = f.n)');
SELECT check_join('SELECT count(*) FROM skeys_fact f WHERE EXISTS (SELECT 1 FROM skeys_coarse i WHERE (i.x > 4) = f.b AND i.n = f.a)');
-- several
SELECT check_join('SELECT i.x, count(*), sum(v) FROM skeys_fact f JOIN skeys_flag i USING (b, a) GROUP BY 1');
SELECT check_join('SELECT i.x, count(*), sum(v) FROM skeys_fact f LEFT JOIN skeys_flag i ON i.a = f.a AND i.b = (f.n > 0) GROUP BY 1');
SELECT check_join('SELECT i.x, count(*), sum(v) FROM skeys_fact f JOIN skeys_triple i USING (n, u, t, b) GROUP BY 1');
-- outer, semi and anti joins
SELECT check_join('SELECT i.x, i.u IS NULL, count(*), count(i.s), sum(v) FROM skeys_fact f LEFT JOIN skeys_uuid i ON f.u = i.u GROUP BY 1, 2');
SELECT check_join('SELECT i.x, count(*), sum(i.n) FROM skeys_fact f LEFT JOIN skeys_fine i ON f.n = i.n AND i.x > 2 AND f.a > 3 GROUP BY 1');
SELECT check_join('SELECT i.x, count(*) FROM skeys_fact f LEFT JOIN skeys_truth i ON f.b = i.b GROUP BY 1');
SELECT check_join('SELECT i.x, count(*) FROM skeys_fact f LEFT JOIN skeys_triple i USING (n, u, t, b) GROUP BY 1');
SELECT check_join('SELECT a, count(*) FROM skeys_fact f WHERE u IN (SELECT o FROM skeys_uuid WHERE x < 5) GROUP BY a');
SELECT check_join('SELECT a, count(*) FROM skeys_fact f WHERE EXISTS (SELECT 1 FROM skeys_fine i WHERE i.n = f.n AND i.x = 3) GROUP BY a');
SELECT check_join('SELECT a, count(*) FROM skeys_fact f WHERE EXISTS (SELECT 1 FROM skeys_flag i WHERE i.b = f.b AND i.x > 12) GROUP BY a');
SELECT check_join('SELECT a, count(*) FROM skeys_fact f WHERE NOT EXISTS (SELECT 1 FROM skeys_uuid i WHERE i.u = f.u) GROUP BY a');
SELECT check_join('SELECT a, count(*) FROM skeys_fact f WHERE NOT EXISTS (SELECT 1 FROM skeys_any i WHERE i.n = f.n) GROUP BY a');
SELECT check_join('SELECT a, count(*) FROM skeys_fact f WHERE NOT EXISTS (SELECT 1 FROM skeys_truth i WHERE i.b = f.b) GROUP BY a');
SELECT check_join('SELECT a, count(*) FROM skeys_fact f WHERE NOT EXISTS (SELECT 1 FROM skeys_triple i WHERE i.n = f.n AND i.u = f.u AND i.t = f.t) GROUP BY a');
-- by what another look-up has; a join of two; subqueries and VALUES
SELECT check_join('SELECT j.x, count(*), sum(v) FROM skeys_fact f JOIN skeys_uuid i ON f.u = i.u JOIN skeys_uuid j ON i.o = j.u GROUP BY 1');
SELECT check_join('SELECT j.x, count(*), sum(v) FROM skeys_fact f JOIN skeys_same i ON f.n = i.n JOIN skeys_fine j ON i.n = j.n GROUP BY 1');
SELECT check_join('SELECT i.x, count(*) FROM skeys_fact f LEFT JOIN (SELECT n, max(x) AS x FROM skeys_any GROUP BY n) i ON f.n = i.n GROUP BY 1');
SELECT check_join('SELECT i.x, count(*) FROM skeys_fact f JOIN (VALUES (1.5, 1), (2.25, 2), (3, 3)) i (n, x) ON f.n = i.n GROUP BY 1');
SELECT check_join('SELECT i.x, count(*) FROM skeys_fact f JOIN (VALUES (true, 1), (NULL, 2)) i (b, x) ON f.b = i.b GROUP BY 1');
-- no rows
SELECT check_join('SELECT count(*) FROM skeys_fact f JOIN skeys_none i ON f.u = i.u');
SELECT check_join('SELECT i.u, count(*) FROM skeys_fact f LEFT JOIN skeys_none i ON f.n = i.n GROUP BY 1');
SELECT check_join('SELECT count(*) FROM skeys_fact f WHERE NOT EXISTS (SELECT 1 FROM skeys_none i WHERE f.b = i.b)');
-- a key that is there twice, which statistics do not show
CREATE TABLE skeys_twice (n numeric, u uuid, x int);
INSERT INTO skeys_twice SELECT i / 4.0, md5(i::text)::uuid, i % 7 FROM generate_series(-250, 3000) i;
ANALYZE skeys_twice;
SELECT check_join('SELECT i.x, count(*) FROM skeys_fact f JOIN skeys_twice i ON f.n = i.n GROUP BY 1');
SELECT check_join('SELECT i.x, count(*) FROM skeys_fact f JOIN skeys_twice i ON f.u = i.u GROUP BY 1');
INSERT INTO skeys_twice VALUES (1.500, md5('1')::uuid, 3);
SELECT check_fallback('SELECT i.x, count(*) FROM skeys_fact f JOIN skeys_twice i ON f.n = i.n GROUP BY 1');
SELECT check_fallback('SELECT i.x, count(*) FROM skeys_fact f JOIN skeys_twice i ON f.u = i.u GROUP BY 1');
SELECT check_join('SELECT a, count(*) FROM skeys_fact f WHERE EXISTS (SELECT 1 FROM skeys_twice i WHERE f.n = i.n) GROUP BY 1');
SELECT check_join('SELECT a, count(*) FROM skeys_fact f WHERE EXISTS (SELECT 1 FROM skeys_twice i WHERE f.u = i.u) GROUP BY 1');
DROP TABLE skeys_twice;

-- numerics that no row of the fact has: with more digits, NaN, infinite
CREATE TABLE skeys_odd (n numeric, x int);
CREATE UNIQUE INDEX skeys_odd_key ON skeys_odd (n);
INSERT INTO skeys_odd SELECT i / 4.0, i % 9 FROM generate_series(-100, 100) i;
INSERT INTO skeys_odd SELECT value::numeric, 77 FROM unnest('{NaN,Infinity,-Infinity,0.1234567890123456789012,123456789012345678901234567890,-92233720368547758.08,92233720368547758.08,0.005}'::text[]) value;
VACUUM ANALYZE skeys_odd;
SELECT check_join('SELECT i.x, i.n, count(*) FROM skeys_fact f JOIN skeys_odd i ON f.n = i.n GROUP BY 1, 2');
SELECT check_join('SELECT i.x, count(*) FROM skeys_fact f LEFT JOIN skeys_odd i ON f.n = i.n GROUP BY 1');
SELECT check_join('SELECT count(*) FROM skeys_fact f WHERE NOT EXISTS (SELECT 1 FROM skeys_odd i WHERE f.n = i.n)');
SELECT check_join('SELECT i.x, count(*) FROM skeys_fact f JOIN skeys_odd i ON f.n = i.n AND f.a * 4.0 = i.n GROUP BY 1');
-- twice, but found by no row
DROP INDEX skeys_odd_key;
INSERT INTO skeys_odd VALUES ('NaN', 78), (0.005, 78);
SELECT check_join('SELECT i.x, count(*) FROM skeys_fact f LEFT JOIN skeys_odd i ON f.n = i.n GROUP BY 1');
-- the fact has them: PostgreSQL's own plan answers
CREATE TABLE skeys_odd_fact (a int, n numeric(10, 2), any_n numeric);
INSERT INTO skeys_odd_fact SELECT i % 9, i % 100 / 4.0, i % 100 / 4.0 FROM generate_series(1, 5000) i;
VACUUM ANALYZE skeys_odd_fact;
INSERT INTO skeys_odd_fact VALUES (1, 'NaN', 'NaN');
SELECT check_fallback('SELECT i.x, count(*) FROM skeys_odd_fact f JOIN skeys_same i ON f.n = i.n GROUP BY 1');
SELECT check_fallback('SELECT i.x, count(*) FROM skeys_odd_fact f LEFT JOIN skeys_odd i ON f.any_n = i.n AND i.x <> 78 GROUP BY 1');
SELECT check_fallback('SELECT count(*) FROM skeys_odd_fact f WHERE NOT EXISTS (SELECT 1 FROM skeys_odd i WHERE f.any_n = i.n)');
-- in a row that does not pass the table's own condition
SELECT check_join('SELECT i.x, count(*) FROM skeys_odd_fact f JOIN skeys_same i ON f.n = i.n WHERE f.a <> 1 GROUP BY 1');
-- statistics have them
INSERT INTO skeys_odd_fact SELECT 1, 'NaN', 'NaN' FROM generate_series(1, 500);
ANALYZE skeys_odd_fact;
SELECT check_join('SELECT i.x, count(*) FROM skeys_odd_fact f JOIN skeys_same i ON f.n = i.n GROUP BY 1');
DELETE FROM skeys_odd_fact WHERE n = 'NaN';
ANALYZE skeys_odd_fact;
INSERT INTO skeys_odd_fact VALUES (1, 1, 'Infinity');
SELECT check_fallback('SELECT i.x, count(*) FROM skeys_odd_fact f JOIN skeys_fine i ON f.any_n = i.n GROUP BY 1');
DELETE FROM skeys_odd_fact WHERE any_n = 'Infinity';
INSERT INTO skeys_odd_fact VALUES (1, 1, 0.12345678);
SELECT check_fallback('SELECT i.x, count(*) FROM skeys_odd_fact f JOIN skeys_fine i ON f.any_n = i.n GROUP BY 1');
-- the joined relation has no others: one whose keys are left out is not an empty one
SELECT check_join('SELECT count(*) FROM skeys_odd_fact f WHERE f.any_n IN (SELECT n FROM skeys_odd WHERE x = 79)');
INSERT INTO skeys_odd VALUES (0.12345678, 79);
SELECT check_fallback('SELECT a, count(*) FROM skeys_odd_fact f WHERE f.any_n IN (SELECT n FROM skeys_odd WHERE x = 79) GROUP BY 1');
INSERT INTO skeys_odd_fact VALUES (1, 'NaN', 'NaN');
SELECT check_fallback('SELECT a, count(*) FROM skeys_odd_fact f WHERE f.n IN (SELECT n FROM skeys_odd WHERE x = 77) GROUP BY 1');
SELECT check_fallback('SELECT f.a, count(*) FROM skeys_odd_fact f, (SELECT max(n) AS m FROM skeys_odd_fact) i WHERE f.n = i.m GROUP BY 1');
DROP TABLE skeys_odd, skeys_odd_fact;
-- of 128 bits: those of a joined relation are found, those of the fact are PostgreSQL's
CREATE TABLE skeys_wide (n numeric(30, 2) PRIMARY KEY, x int);
INSERT INTO skeys_wide SELECT i * CASE WHEN i % 2 = 0 THEN 1 ELSE 1e20 END, i % 9 FROM generate_series(-50, 50) i;
ANALYZE skeys_wide;
SELECT check_join('SELECT i.x, i.n, count(*) FROM skeys_fact f JOIN skeys_wide i ON f.n = i.n GROUP BY 1, 2');
SELECT check_join('SELECT i.x, count(*) FROM skeys_fact f JOIN skeys_wide i ON f.wide = i.n GROUP BY 1');
DROP TABLE skeys_wide;
-- an error of a key, which PostgreSQL raises, too
SELECT check_fallback('SELECT i.x, count(*) FROM skeys_fact f JOIN skeys_fine i ON f.n / (f.a - 3)::numeric(4) = i.n GROUP BY 1');
SELECT check_fallback('SELECT i.x, count(*) FROM skeys_fact f JOIN skeys_same i ON (f.n * 100000000)::numeric(10, 2) = i.n GROUP BY 1');

-- rows that are hidden from the user
CREATE ROLE skeys_user;
GRANT SELECT ON skeys_fact, skeys_same, skeys_uuid TO skeys_user;
ALTER TABLE skeys_same ENABLE ROW LEVEL SECURITY;
CREATE POLICY skeys_policy ON skeys_same USING (x < 3);
ALTER TABLE skeys_fact ENABLE ROW LEVEL SECURITY;
CREATE POLICY skeys_policy ON skeys_fact USING (a < 9);
SET ROLE skeys_user;
SELECT i.x, count(*), sum(v) FROM skeys_fact f JOIN skeys_same i ON f.n = i.n GROUP BY 1 ORDER BY 1;
SELECT count(*), sum(v) FROM skeys_fact f JOIN skeys_uuid i ON f.u = i.u;
RESET ROLE;
ALTER TABLE skeys_fact DISABLE ROW LEVEL SECURITY;

-- prepared; what is said of it
PREPARE skeys(int, numeric) AS SELECT i.x, count(*) FROM skeys_fact f JOIN skeys_fine i ON f.n = i.n WHERE i.x > $1 AND i.n < $2 GROUP BY 1 ORDER BY 1;
SET plan_cache_mode = force_generic_plan;
EXECUTE skeys(6, 10.5);
EXECUTE skeys(7, 'NaN');
RESET plan_cache_mode;
DEALLOCATE skeys;
CREATE FUNCTION skeys_plan(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
		IF line ~ 'Look-up' THEN
			RETURN NEXT trim(line);
		END IF;
	END LOOP;
END $$;
SELECT skeys_plan('SELECT i.x, j.x, count(*) FROM skeys_fact f JOIN skeys_uuid i ON f.u = i.u LEFT JOIN skeys_fine j ON j.n = f.n
	WHERE NOT EXISTS (SELECT 1 FROM skeys_flag k WHERE k.b = f.b AND k.a = f.a) GROUP BY 1, 2');
DROP FUNCTION skeys_plan;
-- by auto
SET gpuagg.engine = cpu;
CREATE FUNCTION skeys_auto(query text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('gpuagg.mode', 'auto', true);
	RETURN lookups(query);
END $$;
SELECT skeys_auto('SELECT i.x, count(*), sum(v) FROM skeys_fact f JOIN skeys_uuid i ON f.u = i.u GROUP BY 1'),
	skeys_auto('SELECT i.x, count(*), sum(v) FROM skeys_fact f JOIN skeys_same i ON f.n = i.n GROUP BY 1'),
	skeys_auto('SELECT i.x, count(*), sum(v) FROM skeys_fact f JOIN skeys_flag i USING (b, a) GROUP BY 1');
DROP FUNCTION skeys_auto;
RESET gpuagg.engine;
DROP TABLE skeys_fact, skeys_uuid, skeys_flag, skeys_truth, skeys_same, skeys_fine, skeys_coarse, skeys_any, skeys_triple, skeys_none;
DROP ROLE skeys_user;
