--
-- gpuagg.verify: engines' answers are compared with PostgreSQL's own.  That a difference
-- is found is tested in tap/verify.pl.
--
SET gpuagg.verify = 1;
SET gpuagg.fallback = off;
SELECT let_engine_answer();

-- What the comparison of a query's answer has come to.
CREATE FUNCTION verdict(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	line text;
	found text := 'not verified';
BEGIN
	PERFORM let_engine_answer();
	FOR line IN EXECUTE 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) ' || query LOOP
		IF line LIKE '%Verified: %' THEN
			found := substring(line FROM 'Verified: (.*)');
		END IF;
	END LOOP;
	RETURN found;
END $$;

-- verdict, and are the groups that leave after the comparison the right ones?
CREATE FUNCTION check_verified(query text) RETURNS text LANGUAGE sql AS
$$SELECT verdict(query) || ', ' || check_query(query)$$;

SELECT check_verified('SELECT i4, count(*), sum(i8), min(t), max(d) FROM facts GROUP BY i4');
SELECT check_verified('SELECT count(*), sum(i2), avg(i4) FROM facts');
SELECT check_verified('SELECT count(*) FROM facts WHERE id < 0');
SELECT check_verified('SELECT i4 FROM facts WHERE id < 0 GROUP BY 1');
SELECT check_verified('SELECT DISTINCT b, ch FROM facts');
SELECT check_verified('SELECT count(*) FROM facts GROUP BY k');
SELECT check_verified('SELECT t || ''!'', avg(i4) * 2 FROM facts GROUP BY t HAVING count(*) > 100');
SELECT check_verified('SELECT i2, k, grouping(i2), count(*), count(DISTINCT i4) FROM facts GROUP BY GROUPING SETS ((i2), (k), (i2, k), (i2), ())');
SELECT check_verified('SELECT i4, array_agg(DISTINCT i2) FROM facts GROUP BY 1');
SELECT check_verified('SELECT f8, count(*) FROM facts GROUP BY f8');
SELECT check_verified('SELECT k, count(*) FROM facts GROUP BY k ORDER BY 2 DESC, 1 LIMIT 5');
SELECT check_verified('SELECT ARRAY[i4, min(i2)], ROW(max(t), b) FROM facts GROUP BY i4, b');

-- equal values that look different
CREATE TABLE verify_looks (k int, f float8);
INSERT INTO verify_looks SELECT i % 3, CASE i % 4 WHEN 0 THEN '0' WHEN 1 THEN '-0' WHEN 2 THEN 'NaN' END::float8 FROM generate_series(1, 1000) i;
SELECT verdict('SELECT f, count(*) FROM verify_looks GROUP BY f');

-- Sums of floats, which PostgreSQL rounds in the order of the rows, are compared with the
-- CPU engine's, by other engines.  These have digits that an order decides.
CREATE TABLE verify_floats AS SELECT i % 10 AS k, (1e16 / i * (i % 2 - 0.5))::float8 AS f, (i / 7.0)::float4 AS g FROM generate_series(1, 5000) i;
CREATE FUNCTION verdict_of_floats(query text) RETURNS boolean LANGUAGE sql AS
$$SELECT verdict(query) = CASE current_setting('gpuagg.engine') WHEN 'cpu' THEN 'not verified' ELSE 'equal' END$$;
SELECT verdict_of_floats('SELECT k, sum(f), avg(g) FROM verify_floats GROUP BY k');
SELECT verdict_of_floats('SELECT k, sum(f) FROM verify_floats GROUP BY k HAVING sum(f) > 0');
SELECT verdict_of_floats('SELECT k, stddev(g), corr(f, g) FROM verify_floats GROUP BY ROLLUP (k)');
SELECT verdict('SELECT k, min(f), max(g) FROM verify_floats GROUP BY k');

-- Not compared: what another reading of the input could change, and what would raise an
-- error for a group that the query does not want.
SELECT verdict('SELECT i4, count(*), random() FROM facts GROUP BY i4');
SELECT verdict('SELECT k, count(*) FROM facts GROUP BY k HAVING random() >= 0');
SELECT verdict('SELECT i4, count(*) FROM (SELECT i4 FROM facts OFFSET 1) s GROUP BY i4');
SELECT verdict('SELECT k, 1 / (count(*) - 5) FROM facts GROUP BY k LIMIT 1');
SELECT verdict('SELECT k, count(*) FROM facts GROUP BY k LIMIT 1');
SELECT verdict('SELECT k, 1 / (count(*) + 5) FROM facts GROUP BY k ORDER BY 2 LIMIT 1');
SELECT verdict('SELECT 1 WHERE EXISTS (SELECT 1 / (count(*) - 5) FROM facts GROUP BY k)');

-- rescans, each of them; generic plans; cursors, which stop early and go back
SELECT check_verified('SELECT x, s.* FROM generate_series(1, 3) x, LATERAL (SELECT i4 % x AS m, count(*) FROM facts GROUP BY 1) s');
PREPARE verified(int) AS SELECT count(*), sum(i8) FROM facts WHERE i4 < $1;
SET plan_cache_mode = force_generic_plan;
EXECUTE verified(10);
EXECUTE verified(-400);
BEGIN;
SELECT let_engine_answer();
DECLARE c SCROLL CURSOR FOR SELECT k, count(*) FROM facts GROUP BY k ORDER BY k;
FETCH 2 FROM c;
FETCH ABSOLUTE 3 FROM c;
FETCH BACKWARD 1 FROM c;
DECLARE d CURSOR FOR SELECT b, count(*) FROM facts GROUP BY b;
FETCH 1 FROM d \g /dev/null
COMMIT;

-- own rows that are not committed, of which there may be any number
BEGIN;
SELECT let_engine_answer();
INSERT INTO verify_looks SELECT 7, i FROM generate_series(1, 10) i;
DELETE FROM verify_looks WHERE k = 0;
SELECT verdict('SELECT k, count(*) FROM verify_looks GROUP BY k');
SELECT k, count(*) FROM verify_looks GROUP BY k ORDER BY k;
ROLLBACK;

-- groups in temporary files
SET work_mem = '64kB';
SELECT check_verified('SELECT id, count(*) FROM facts GROUP BY id');
SELECT check_verified('SELECT id, t, count(DISTINCT i4) FROM facts GROUP BY ROLLUP (id, t)');
RESET work_mem;

-- several tables, values out of line
CREATE TABLE verify_parts (k int, s text) PARTITION BY LIST (k);
CREATE TABLE verify_parts_1 PARTITION OF verify_parts FOR VALUES IN (1);
CREATE TABLE verify_parts_2 (s text, k int);
ALTER TABLE verify_parts ATTACH PARTITION verify_parts_2 FOR VALUES IN (2);
INSERT INTO verify_parts SELECT i % 2 + 1, repeat(md5((i % 5)::text), 200) FROM generate_series(1, 500) i;
SELECT check_verified('SELECT k, s, count(*) FROM verify_parts GROUP BY k, s');

-- the setting
SET gpuagg.verify = 1.1;
SET gpuagg.verify = 0;
SELECT verdict('SELECT i4, count(*) FROM facts GROUP BY i4');
SET gpuagg.verify = 0.5;
SELECT n BETWEEN 10 AND 90 AS about_half FROM (SELECT count(*) AS n FROM generate_series(1, 100) i WHERE verdict('SELECT count(*) FROM verify_looks WHERE k = ' || i) = 'equal') s;
DROP TABLE verify_looks, verify_floats, verify_parts;
