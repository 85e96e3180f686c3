--
-- What is left to PostgreSQL, and why.
--
SET gpuagg.report_rejections = on;
\set VERBOSITY terse

-- aggregates
SELECT b, array_agg(ARRAY[id] ORDER BY id) FROM facts WHERE id < 5 GROUP BY b ORDER BY b;
SELECT count(DISTINCT (b, i2 > 0)), count(*) FROM facts;
SELECT count(DISTINCT random() < 2) FROM facts;
SELECT max(coalesce(t, '') COLLATE "en-x-icu") FROM facts;
SELECT sum(n) FROM generate_series(1.5, 2.5) n;
SELECT dense_rank(7, 7) WITHIN GROUP (ORDER BY i4, i2) FROM facts;
SELECT string_agg(vc, ',') FROM facts WHERE id < 3;
SELECT json_agg(f8) FROM facts WHERE id < 3;
SELECT bit_and(v) FROM (VALUES (B'101'), (B'110')) x (v);
SELECT sum(i4 ORDER BY ROW(id)) FROM facts;

-- keys and expressions
SELECT n, count(*) FROM (VALUES (1.0), (1.00)) x (n) GROUP BY n;
SELECT i, count(*) FROM (VALUES (interval '1 day'), ('24 hours')) x (i) GROUP BY i ORDER BY i;
SELECT count(*) FROM facts WHERE upper(t) = 'BBB';
SELECT count(*) FROM facts WHERE t < 'b' COLLATE "C";
SELECT count(*) FROM facts WHERE t LIKE 'b%';
SELECT count(*) FROM facts WHERE random() < 0;
SELECT sum(length(translate(t, 'a', 'b'))) FILTER (WHERE b) FROM facts;
SELECT coalesce(b, false), count(*) FROM facts GROUP BY 1 ORDER BY 1;
SELECT count(*) FROM facts f WHERE f.id < 20 AND f.i4 = (SELECT max(g.i4) FROM facts g WHERE g.i2 = f.i2);

-- DISTINCT
SELECT DISTINCT ON (b) b, id FROM facts ORDER BY b, t, id;
SELECT DISTINCT generate_series(1, 2), b FROM facts WHERE id < 3 ORDER BY 1, 2;
SELECT DISTINCT v FROM (VALUES ('10:00+01'::timetz), ('10:00+01')) x (v);
SELECT DISTINCT random() < 2 FROM facts;
SELECT DISTINCT max(i4) FROM facts;

-- grouping sets
SELECT (SELECT 1) AS one, b, count(*) FROM facts GROUP BY GROUPING SETS ((1), (2)) ORDER BY b, count(*);
SELECT b, b, count(*) FROM facts GROUP BY GROUPING SETS ((1), (2)) ORDER BY 1, 2, 3;
SELECT count(*) FROM (SELECT count(*) FROM facts WHERE id < 5 GROUP BY CUBE (id, id + 1, id + 2, id + 3, id + 4, id + 5), CUBE (b, i2, i4, i8, k)) x;

-- set-returning functions in the target list are no part of the aggregation
SELECT b, generate_series(1, 2), count(*) FROM facts GROUP BY b ORDER BY 1, 2;

-- keys that are equal by another operator class, whose operator ORDER BY uses
CREATE SCHEMA by_size;
CREATE FUNCTION by_size.less(int, int) RETURNS bool LANGUAGE sql IMMUTABLE AS 'SELECT abs($1) < abs($2)';
CREATE FUNCTION by_size.equal(int, int) RETURNS bool LANGUAGE sql IMMUTABLE AS 'SELECT abs($1) = abs($2)';
CREATE FUNCTION by_size.compare(int, int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT abs($1) - abs($2)';
CREATE OPERATOR by_size.< (FUNCTION = by_size.less, LEFTARG = int, RIGHTARG = int);
CREATE OPERATOR by_size.= (FUNCTION = by_size.equal, LEFTARG = int, RIGHTARG = int);
CREATE OPERATOR CLASS by_size.ops FOR TYPE int USING btree AS
	OPERATOR 1 by_size.<, OPERATOR 3 by_size.=, FUNCTION 1 by_size.compare (int, int);
SELECT abs(n), count FROM (SELECT n, count(*) FROM generate_series(-2, 2) n GROUP BY n ORDER BY n USING OPERATOR(by_size.<)) s;
SELECT abs(n) FROM (SELECT DISTINCT n FROM generate_series(-2, 2) n ORDER BY n USING OPERATOR(by_size.<)) s;
SELECT count(DISTINCT n ORDER BY n USING OPERATOR(by_size.<)), sum(n) FROM generate_series(-2, 2) n;
SELECT t, count(*) FROM (VALUES ('b'), ('a'), ('b')) v (t) GROUP BY t ORDER BY t USING ~<~;
SET client_min_messages = warning;
DROP SCHEMA by_size CASCADE;
RESET client_min_messages;

-- nothing is said where nothing is grouped, or taken, or asked for
SELECT i4 FROM facts WHERE id = 1;
SELECT b, count(*) FROM facts GROUP BY b ORDER BY b;
SET gpuagg.mode = off;
SELECT sum(DISTINCT i2 ORDER BY i2), count(*) FROM facts;
SET gpuagg.mode = force;
RESET gpuagg.report_rejections;
SELECT sum(DISTINCT i2 ORDER BY i2), count(*) FROM facts;
