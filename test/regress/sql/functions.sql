--
-- Inside functions, DO blocks, triggers, views, CTEs.
--
CREATE FUNCTION count_above(int) RETURNS bigint LANGUAGE sql STABLE AS
'SELECT count(*) FROM facts WHERE i4 > $1';
SELECT count_above(0), count_above(450), count_above(NULL);
SELECT x, count_above(x) FROM generate_series(0, 400, 100) x;

CREATE FUNCTION totals(at_least int) RETURNS TABLE (k smallint, n bigint, s bigint) LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY SELECT i2, count(*), sum(i4) FROM facts WHERE i2 >= at_least GROUP BY i2 ORDER BY i2;
END $$;
SELECT * FROM totals(97);
SELECT * FROM totals(98);

-- loops leave the query before its end
DO $$
DECLARE
	r record;
	n int := 0;
BEGIN
	FOR r IN SELECT i4, count(*) AS c FROM facts GROUP BY i4 LOOP
		n := n + 1;
		EXIT WHEN n = 10;
	END LOOP;
	RAISE NOTICE 'left after %', n;
END $$;

-- the query within a query within it
CREATE FUNCTION nested(smallint) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE
	r record;
	total numeric := 0;
BEGIN
	FOR r IN SELECT i4, count(*) AS c FROM facts WHERE i2 = $1 GROUP BY i4 LOOP
		total := total + r.c * (SELECT coalesce(sum(i2), 0) FROM facts WHERE i4 = r.i4);
	END LOOP;
	RETURN total;
END $$;
SELECT check_query('SELECT i2, nested(i2), count(*) FROM facts WHERE i2 BETWEEN 10 AND 13 GROUP BY i2');

-- caught errors
CREATE FUNCTION try(divisor int) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	RETURN (SELECT sum(i4 / divisor) FROM facts);
EXCEPTION WHEN division_by_zero THEN
	RETURN 'division by zero';
END $$;
SELECT try(7), try(0), try(7);

-- COMMIT while a query is under way
CREATE TABLE progress (k int, c bigint);
CREATE PROCEDURE commit_each() LANGUAGE plpgsql AS $$
DECLARE
	r record;
BEGIN
	FOR r IN SELECT i2, count(*) AS c FROM facts WHERE i2 > 90 GROUP BY i2 LOOP
		INSERT INTO progress VALUES (r.i2, r.c);
		COMMIT;
	END LOOP;
END $$;
CALL commit_each();
SELECT count(*), sum(k), sum(c) FROM progress;

-- a trigger that aggregates the table it stands on
CREATE FUNCTION report() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE NOTICE 'now % rows, sum %', (SELECT count(*) FROM progress), (SELECT sum(k) FROM progress);
	RETURN NULL;
END $$;
CREATE TRIGGER report AFTER INSERT OR DELETE ON progress EXECUTE FUNCTION report();
INSERT INTO progress VALUES (1, 1), (2, 2);
DELETE FROM progress WHERE k = 1;

-- and one over its transition table
CREATE FUNCTION report_new() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE NOTICE 'new: %', (SELECT string_agg(k || ' ' || n, ', ' ORDER BY k) FROM (SELECT k, count(*) AS n FROM new_rows GROUP BY k) s);
	RETURN NULL;
END $$;
CREATE TRIGGER report_new AFTER INSERT ON progress REFERENCING NEW TABLE AS new_rows EXECUTE FUNCTION report_new();
INSERT INTO progress VALUES (5, 1), (5, 2), (6, 3);

-- views and CTEs, inlined or not, used twice, writing
CREATE VIEW by_b AS SELECT b, count(*) AS c, sum(i4) AS s FROM facts GROUP BY b;
SELECT check_query('SELECT * FROM by_b');
SELECT check_query('SELECT s FROM by_b WHERE b');
SELECT check_query('WITH w AS (SELECT i2, count(*) AS c FROM facts GROUP BY i2) SELECT * FROM w WHERE c > 50');
SELECT check_query('WITH w AS MATERIALIZED (SELECT i2, count(*) AS c FROM facts GROUP BY i2) SELECT a.c, b.c FROM w a JOIN w b ON a.i2 = b.i2 + 1');
WITH gone AS (DELETE FROM progress WHERE k IN (5, 6) RETURNING k)
SELECT k, count(*) FROM gone GROUP BY k ORDER BY k;
SELECT (SELECT count(*) FROM progress WHERE k = 5) AS left_over;
