--
-- Conditions and columns of joined relations that can raise errors.  A look-up is made of all rows,
-- of some of which PostgreSQL may never evaluate them: where one raises an error, PostgreSQL's own
-- plan answers.
--
\set VERBOSITY terse
CREATE TABLE guarded_fact (id int PRIMARY KEY, k int, k2 int, v float8);
INSERT INTO guarded_fact SELECT i, i % 60, i % 7, i / 4.0 FROM generate_series(1, 6000) i;
CREATE TABLE guarded_none (LIKE guarded_fact INCLUDING INDEXES);
CREATE TABLE guarded_good (k int PRIMARY KEY, x int, big int, t text, dt text, re text, j jsonb, nm text, f float8, n numeric, p int);
INSERT INTO guarded_good SELECT i, i % 5 + 1, i, (i * 3)::text, '2020-01-' || i % 28 + 1, 'n' || i % 3, jsonb_build_object('n', i % 9), 'n' || i % 6, i, i, i % 4
FROM generate_series(0, 40) i;
-- the same, and a row that no row of guarded_fact is joined to
CREATE TABLE guarded_bad (LIKE guarded_good INCLUDING INDEXES);
INSERT INTO guarded_bad TABLE guarded_good;
INSERT INTO guarded_bad VALUES (1000, 0, 2147483647, 'bad', 'never', '(', '{"n": "x"}', 'n0', 'infinity', 0, 1);
CREATE TABLE guarded_part (p int PRIMARY KEY, q text, name text);
INSERT INTO guarded_part SELECT i, i::text, 'p' || i FROM generate_series(0, 3) i;
INSERT INTO guarded_part VALUES (9, 'bad', 'p9');
CREATE UNIQUE INDEX ON guarded_good ((t::int));
VACUUM ANALYZE guarded_fact, guarded_none, guarded_good, guarded_bad, guarded_part;

CREATE FUNCTION guarded_plpgsql(i int) RETURNS int LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
	IF i = 0 THEN
		RAISE EXCEPTION 'zero' USING errcode = 'PX001';
	END IF;
	RETURN i;
END $$;
-- two statements are not inlined
CREATE FUNCTION guarded_sql(i int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT 1; SELECT 100 / i';
CREATE FUNCTION guarded_query(i int) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
BEGIN
	RETURN (SELECT count(*) + 10 / i FROM guarded_part WHERE p < i);
END $$;
CREATE DOMAIN guarded_positive AS int CHECK (VALUE > 0);
CREATE TABLE guarded_conditions (id serial, condition text);
INSERT INTO guarded_conditions (condition) VALUES
	('d.t::int > 20'), ('100 / d.x > 20'), ('d.big + 1 > 7'), ('abs(d.big - 20) + d.big > 5'), ('to_date(d.dt, ''YYYY-MM-DD'') < ''2020-01-20'''), ('d.dt::timestamp < ''2020-01-17'''),
	('d.nm ~ d.re'), ('(d.j ->> ''n'')::int > 3'), ('guarded_plpgsql(d.x) > 1'), ('guarded_sql(d.x) > 20'), ('guarded_query(d.x) > 5'), ('d.x::guarded_positive > 1'),
	('sqrt(d.x - 1) > 1'), ('substr(d.nm, 1, d.x - 1) <> ''n'''), ('ln(d.n + d.x) > 2'), ('d.f::int8 < 30'), ('d.f::int2 % 3 = 1'), ('d.t::int > 20 OR d.p = 1'),
	('NOT (d.t::int BETWEEN 20 AND 50)'), ('(CASE WHEN d.p = 1 THEN 100 / d.x ELSE 3 END) = 3'), ('coalesce(100 / d.x, 0) <> 50'), ('d.t::int IN (3, 6, 9, d.x)'), ('d.t::int = ANY (ARRAY[3, d.big])'),
	('lpad(d.nm, d.big) < ''n5'''), ('nullif(d.t::int, 3) IS NOT NULL'), ('(100 / d.x > 20) IS NOT FALSE'), ('greatest(d.t::int, 7) > 30'), ('power(d.f - 1, 2) - d.f * d.x > d.t::float8');

-- No row raises an error: the engine answers.  Nothing is otherwise.
CREATE FUNCTION guarded_unless(relation text, format_ text, expected text) RETURNS TABLE (condition text, outcome text) LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY SELECT c.condition, o FROM guarded_conditions c, check_join(format(format_, relation, c.condition)) o WHERE o !~ expected ORDER BY id;
END $$;
SELECT * FROM guarded_unless('guarded_good', 'SELECT d.p, count(*), sum(v) FROM guarded_fact f JOIN %s d ON f.k = d.k WHERE (%s) GROUP BY 1', '^[1-4] rows, d \(inner\)$');
SELECT * FROM guarded_unless('guarded_good', 'SELECT d.p, count(*), sum(v) FROM guarded_fact f LEFT JOIN %s d ON f.k = d.k AND (%s) GROUP BY 1', '^[3-5] rows, d \(left\)$');
SELECT * FROM guarded_unless('guarded_good', 'SELECT k2, count(*), sum(v) FROM guarded_fact f WHERE EXISTS (SELECT FROM %s d WHERE f.k2 = d.x AND (%s)) GROUP BY 1', '^[1-5] rows, d \(semi\)$');
SELECT * FROM guarded_unless('guarded_good', 'SELECT k2, count(*), sum(v) FROM guarded_fact f WHERE NOT EXISTS (SELECT FROM %s d WHERE f.k = d.k AND (%s)) GROUP BY 1', '^7 rows, d \(anti\)$');
-- with others before and behind, and hidden by one before
SELECT * FROM guarded_unless('guarded_bad', 'SELECT d.nm, count(*), sum(v) FROM guarded_fact f JOIN %s d ON f.k = d.k WHERE d.k < 1000 AND (%s) AND d.nm LIKE ''n%%'' GROUP BY 1', '^[1-6] rows, d \(inner\)$');

-- A row raises an error that PostgreSQL comes to as well, since it hashes all rows; or that it does
-- not, since no row of the fact asks for it, or there is none.
CREATE FUNCTION guarded_outcomes(OUT condition text, OUT hashed text, OUT asked text, OUT empty text) RETURNS SETOF record LANGUAGE plpgsql AS $$
DECLARE
	of_join text := 'SELECT d.p, count(*), sum(v) FROM %s f %s JOIN guarded_bad d ON f.k = d.k AND (%s) GROUP BY 1';
BEGIN
	FOR condition IN SELECT c.condition FROM guarded_conditions c ORDER BY id LOOP
		PERFORM set_config('enable_hashjoin', 'on', true), set_config('enable_mergejoin', 'off', true), set_config('enable_nestloop', 'off', true);
		hashed := regexp_replace(check_fallback(format(of_join, 'guarded_fact', '', condition)), '^([0-9A-Z]{5}) .*', '\1');
		empty := check_fallback(format(of_join, 'guarded_none', '', condition));
		PERFORM set_config('enable_hashjoin', 'off', true), set_config('enable_nestloop', 'on', true), set_config('enable_material', 'off', true), set_config('enable_seqscan', 'off', true);
		asked := check_fallback(format(of_join, 'guarded_fact', 'LEFT', condition));
		PERFORM set_config('enable_seqscan', 'on', true);
		RETURN NEXT;
	END LOOP;
END $$;
SELECT * FROM guarded_outcomes();

-- conditions keep PostgreSQL's order
SELECT check_fallback('SELECT count(*) FROM guarded_fact f JOIN guarded_bad d ON f.k = d.k WHERE 100 / d.x > 20 AND length(d.t) <> 3');
SELECT check_join('SELECT count(*) FROM guarded_fact f JOIN guarded_bad d ON f.k = d.k WHERE length(d.t) <> 3 AND 100 / d.x > 20');
SELECT check_join('SELECT count(*) FROM guarded_fact f JOIN guarded_bad d ON f.k = d.k WHERE d.t <> ''bad'' AND 100 / d.x > 20 AND d.t::int > 5 AND d.nm <> ''n1''');

-- columns: as keys, arguments, filters and in conditions of the join
SELECT check_join('SELECT to_date(d.dt, ''YYYY-MM-DD''), count(*), sum(v) FROM guarded_fact f JOIN guarded_good d ON f.k = d.k GROUP BY 1');
SELECT check_join('SELECT d.p, sum(d.t::int), max(guarded_plpgsql(d.x)), count(*) FILTER (WHERE d.t::int > 30) FROM guarded_fact f JOIN guarded_good d ON f.k = d.k GROUP BY 1');
-- what a CASE compares with the columns is known to the CASE only
SELECT check_join('SELECT sum(CASE f.k2 WHEN d.p THEN 1 WHEN d.x THEN f.id ELSE 3 END), max(guarded_plpgsql(d.x)) FROM guarded_fact f JOIN guarded_good d ON f.k = d.k');
SELECT check_join('SELECT sum(CASE f.k2 WHEN d.p THEN f.id ELSE 3 END), max(d.n::float4) FROM guarded_fact f LEFT JOIN guarded_good d ON f.k = d.k');
SELECT check_join('SELECT d.t::int, sum(v) FROM guarded_fact f LEFT JOIN guarded_good d ON f.k = d.k GROUP BY 1');
SELECT check_join('SELECT f.k2, sum(v) FROM guarded_fact f JOIN guarded_good d ON f.k = d.k AND d.t::int > f.id GROUP BY 1');
SELECT check_join('SELECT f.k2, sum(v) FROM guarded_fact f LEFT JOIN guarded_good d ON f.k = d.k WHERE coalesce(d.t::int, 1000) > 100 GROUP BY 1');
SELECT check_join('SELECT d.nm, sum(v) FROM guarded_fact f JOIN guarded_good d ON f.k = d.t::int WHERE 100 / d.x > 20 GROUP BY 1');
SELECT check_fallback('SELECT to_date(d.dt, ''YYYY-MM-DD''), sum(v) FROM guarded_fact f JOIN guarded_bad d ON f.k = d.k GROUP BY 1');
SELECT check_fallback('SELECT d.p, sum(d.t::int), count(guarded_sql(d.x)) FROM guarded_fact f JOIN guarded_bad d ON f.k = d.k GROUP BY 1');
-- of rows only that meet the conditions
SELECT check_join('SELECT d.t::int, count(*) FROM guarded_fact f JOIN guarded_bad d ON f.k = d.k WHERE d.t ~ ''^[0-9]+$'' GROUP BY 1');
SELECT check_join('SELECT d.nm, sum(d.t::int) FROM guarded_fact f JOIN guarded_bad d ON f.k = d.k WHERE lpad(d.t, d.p + 5) <> lpad(''bad'', d.p + 5) GROUP BY 1');
-- where engines compute them of rows that are found, no others are looked at
SELECT check_join('SELECT d.t::int, d.big + 1, sum(f.id / d.x) FROM guarded_fact f JOIN guarded_bad d ON f.k = d.k GROUP BY 1, 2');

-- several, each with conditions; one joined to another one
SELECT check_join('SELECT p.name, count(*), sum(v) FROM guarded_fact f JOIN guarded_good d ON f.k = d.k JOIN guarded_part p ON p.p = d.p WHERE d.t::int > 20 AND p.p < 5 AND p.q::int > 0 GROUP BY 1');
SELECT check_join('SELECT p.name, count(*), sum(v) FROM guarded_fact f JOIN guarded_good d ON f.k = d.k JOIN guarded_part p ON p.p = d.p + 0 WHERE p.p < 5 AND p.q::int > 0 GROUP BY 1');
SELECT check_fallback('SELECT p.name, count(*), sum(v) FROM guarded_fact f JOIN guarded_good d ON f.k = d.k JOIN guarded_part p ON p.p = d.p WHERE d.t::int > 20 AND p.q::int > 0 GROUP BY 1');
SELECT check_join('SELECT d.p, e.p, count(*) FROM guarded_fact f JOIN guarded_good d ON f.k = d.k AND d.t::int > 10 LEFT JOIN guarded_good e ON f.k2 = e.k AND 100 / e.x > 20 GROUP BY 1, 2');
-- an empty one spares PostgreSQL the other one's rows, or not
SELECT check_fallback('SELECT count(*) FROM guarded_fact f JOIN guarded_bad d ON f.k = d.k JOIN guarded_part p ON p.p = f.k2 WHERE p.name = ''none'' AND d.t::int > 20');
-- subqueries' columns, and what is no table
SELECT check_join('SELECT count(*), sum(s.m) FROM guarded_fact f LEFT JOIN (SELECT k, coalesce(100 / x, 0) AS m FROM guarded_good) s ON f.k = s.k WHERE s.m IS NULL OR s.m > 20');
SELECT check_fallback('SELECT count(*), sum(s.m) FROM guarded_fact f LEFT JOIN (SELECT k, coalesce(100 / x, 0) AS m FROM guarded_bad) s ON f.k = s.k WHERE s.m IS NULL OR s.m > 20');
SELECT check_join('SELECT g, count(*) FROM guarded_fact f JOIN generate_series(1, 20) g ON f.k = g WHERE 100 / g > 10 GROUP BY 1');
SELECT check_join('WITH c AS MATERIALIZED (SELECT x, count(*)::text AS n FROM guarded_good GROUP BY x) SELECT c.n, count(*) FROM guarded_fact f JOIN c ON f.k2 = c.x WHERE c.n::int > 1 GROUP BY 1');
SELECT check_join('SELECT s.n, count(*) FROM guarded_fact f JOIN (SELECT x, count(*)::text AS n FROM guarded_good GROUP BY x OFFSET 0) s ON f.k2 = s.x WHERE s.n::int > 1 GROUP BY 1');
SELECT check_join('SELECT u.x, count(*) FROM guarded_fact f LEFT JOIN (SELECT x, t FROM guarded_good WHERE k < 9 UNION ALL SELECT x, t FROM guarded_good WHERE k >= 9) u ON f.k = u.t::int GROUP BY 1');
CREATE TABLE guarded_parted (k int, t text) PARTITION BY RANGE (k);
CREATE TABLE guarded_parted_1 PARTITION OF guarded_parted FOR VALUES FROM (0) TO (20);
CREATE TABLE guarded_parted_2 (t text, k int);
ALTER TABLE guarded_parted ATTACH PARTITION guarded_parted_2 FOR VALUES FROM (20) TO (2000);
INSERT INTO guarded_parted SELECT k, t FROM guarded_bad;
ALTER TABLE guarded_parted ADD PRIMARY KEY (k);
VACUUM ANALYZE guarded_parted;
SELECT check_join('SELECT d.t, count(*) FROM guarded_fact f JOIN guarded_parted d ON f.k = d.k WHERE d.k < 1000 AND d.t::int > 20 GROUP BY 1');
SELECT check_fallback('SELECT d.t, count(*) FROM guarded_fact f JOIN guarded_parted d ON f.k = d.k WHERE d.t::int > 20 GROUP BY 1');

-- by an index, also one of what can raise errors
CREATE TABLE guarded_many (k int PRIMARY KEY, c int, t text);
INSERT INTO guarded_many SELECT i, i % 1000, i::text FROM generate_series(0, 50000) i;
INSERT INTO guarded_many VALUES (-1, -1, 'bad');
CREATE INDEX ON guarded_many (c);
VACUUM ANALYZE guarded_many;
CREATE FUNCTION guarded_scan(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	line text;
	result text;
	below boolean := false;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
		below := below OR line ~ 'Materialize';
		IF below AND line ~ 'Scan|Filter|Index Cond' THEN
			result := concat_ws(', ', result, trim(regexp_replace(line, 'using \w+ |->', '', 'g')));
		END IF;
	END LOOP;
	RETURN result;
END $$;
SELECT guarded_scan(q), check_join(q) FROM (VALUES ('SELECT count(*) FROM guarded_fact f JOIN guarded_many d ON f.k = d.k WHERE d.c = 7 AND d.t::int > 20')) v(q);
SET enable_bitmapscan = off;
SELECT guarded_scan(q), check_join(q) FROM (VALUES ('SELECT count(*) FROM guarded_fact f JOIN guarded_many d ON f.k = d.k WHERE d.c = 7 AND d.t::int > 20')) v(q);
RESET enable_bitmapscan;
CREATE TABLE guarded_cast AS SELECT * FROM guarded_many WHERE k >= 0;
ALTER TABLE guarded_cast ADD PRIMARY KEY (k);
CREATE INDEX ON guarded_cast ((t::int));
VACUUM ANALYZE guarded_cast;
SELECT guarded_scan(q), check_join(q) FROM (VALUES ('SELECT count(*) FROM guarded_fact f JOIN guarded_cast d ON f.k = d.k WHERE d.t::int = 20')) v(q);
-- an index that lacks a column, of which its predicate implies a condition
CREATE TABLE guarded_partial (k int PRIMARY KEY, x int, p int, pad text);
INSERT INTO guarded_partial SELECT i, i % 5 + 1, i % 100, repeat('x', 200) FROM generate_series(1, 20000) i;
CREATE INDEX ON guarded_partial (k, x) WHERE p IN (1, 2, 3, 4, 5, 6, 7);
VACUUM ANALYZE guarded_partial;
SET enable_bitmapscan = off;
SET enable_seqscan = off;
SELECT guarded_scan(q), check_join(q) FROM (VALUES ('SELECT count(*), sum(d.x) FROM guarded_fact f JOIN guarded_partial d ON f.k = d.k WHERE 100 / d.x > 5 AND d.p IN (1, 2, 3, 4, 5, 6, 7)')) v(q);
RESET enable_bitmapscan;
RESET enable_seqscan;
-- the rows do not fit into memory before they are looked at
SET work_mem = '64kB';
SELECT check_join('SELECT count(*), sum(d.c) FROM guarded_fact f LEFT JOIN guarded_cast d ON f.id = d.k AND d.t::int % 7 = 1');
RESET work_mem;

-- parameters, and rows that are asked for once more
PREPARE guarded_prepared(int) AS SELECT d.p, count(*), sum(v) FROM guarded_fact f JOIN guarded_bad d ON f.k = d.k WHERE d.k < $1 AND d.t::int > $1 / 10 GROUP BY 1 ORDER BY 1;
SET plan_cache_mode = force_generic_plan;
SELECT no_fallback() \gset
SET gpuagg.fallback = :no_fallback;
EXECUTE guarded_prepared(1000);
EXECUTE guarded_prepared(100);
RESET gpuagg.fallback;
EXECUTE guarded_prepared(2000);
EXECUTE guarded_prepared(100);
RESET plan_cache_mode;
SELECT check_join('SELECT o.i, (SELECT count(*) FROM guarded_fact f JOIN guarded_good d ON f.k = d.k WHERE d.t::int > o.i AND guarded_sql(d.x) > 20) FROM (VALUES (10), (50), (90)) o(i)');
SET enable_hashjoin = off;
SET enable_mergejoin = off;
SET enable_material = off;
SET enable_seqscan = off;
SELECT check_fallback('SELECT o.i, (SELECT count(d.k) FROM guarded_fact f LEFT JOIN guarded_bad d ON f.k = d.k AND d.t::int > o.i AND guarded_sql(d.x) > 20) FROM (VALUES (10), (50), (90)) o(i)');
-- the rows are those of the scan that asked for them with another parameter
SELECT check_fallback('SELECT o.i, (SELECT count(d.k) FROM guarded_fact f LEFT JOIN guarded_bad d ON f.k = d.k AND d.p < o.i AND d.t::int > 20) FROM (VALUES (1), (2), (3)) o(i)');
SELECT check_join('SELECT o.i, (SELECT count(d.k) FROM guarded_fact f LEFT JOIN guarded_good d ON f.k = d.k AND d.p < o.i AND d.t::int > 20) FROM (VALUES (1), (2), (3)) o(i)');
RESET enable_hashjoin;
RESET enable_mergejoin;
RESET enable_material;
RESET enable_seqscan;

-- what is left to PostgreSQL
CREATE FUNCTION guarded_volatile(i int) RETURNS int LANGUAGE sql VOLATILE AS 'SELECT 1; SELECT i';
SELECT condition, reason FROM unnest(ARRAY['guarded_volatile(d.x) > 1', 'd.t::int > (SELECT min(p) FROM guarded_part WHERE p > d.x)', 'random() < 0', 'd.t::int > (SELECT max(p) FROM guarded_part)']) condition,
	gpuagg_explain('SELECT count(*) FROM guarded_fact f JOIN guarded_good d ON f.k = d.k AND ' || condition) WHERE reason IS NOT NULL;
-- subqueries whose value PostgreSQL may never ask for
SELECT outcome(q, 'off', 'on'), outcome(q, 'force', 'on') FROM unnest(ARRAY['SELECT count(*) FROM guarded_fact f JOIN guarded_good d ON f.k = d.k WHERE CASE WHEN d.p = 99 THEN 100 / d.x > (SELECT 1 / (count(*) - count(*)) FROM guarded_part) ELSE true END',
	'SELECT count(*) FROM guarded_fact f JOIN guarded_good d ON f.k = d.k WHERE 100 / d.x < 0 AND d.t::int > (SELECT 1 / (count(*) - count(*)) FROM guarded_part)',
	'SELECT lpad(d.nm, (SELECT 1 / (count(*) - count(*))::int FROM guarded_part)), count(*) FROM guarded_fact f JOIN guarded_good d ON f.k = d.k WHERE 100 / d.x < 0 GROUP BY 1']) q;

-- no row that a policy hides is looked at
CREATE ROLE guarded_user;
CREATE FUNCTION guarded_leak(i int) RETURNS boolean LANGUAGE plpgsql IMMUTABLE COST 0.0001 AS $$
BEGIN
	RAISE NOTICE 'seen %', i;
	RETURN i > 0;
END $$;
CREATE TABLE guarded_hidden AS SELECT k, x FROM guarded_bad WHERE k < 2 OR k = 1000;
ALTER TABLE guarded_hidden ADD PRIMARY KEY (k), ENABLE ROW LEVEL SECURITY;
CREATE POLICY seen ON guarded_hidden USING (x <> 0);
GRANT SELECT ON guarded_hidden, guarded_fact TO guarded_user;
VACUUM ANALYZE guarded_hidden;
SET ROLE guarded_user;
BEGIN;
SELECT let_engine_answer() \gset
SET LOCAL gpuagg.fallback = off;
SELECT lookups('SELECT count(*) FROM guarded_fact f JOIN guarded_hidden h ON f.k = h.k AND guarded_leak(h.x)');
SELECT count(*) FROM guarded_fact f JOIN guarded_hidden h ON f.k = h.k AND guarded_leak(h.x);
COMMIT;
RESET ROLE;
-- nor one of which the policy is NULL; a condition before it can raise errors by what is known here
CREATE TABLE guarded_nulls (k int PRIMARY KEY, x int, y int, t text);
INSERT INTO guarded_nulls VALUES (1, 5, 5, '30'), (2, NULL, NULL, 'bad'), (3, -3, -3, 'bad');
CREATE POLICY seen ON guarded_nulls USING (x > 0 OR y > 0 OR x > 100);
ALTER TABLE guarded_nulls ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON guarded_nulls TO guarded_user;
VACUUM ANALYZE guarded_nulls;
SET ROLE guarded_user;
BEGIN;
SELECT let_engine_answer() \gset
SET LOCAL gpuagg.fallback = off;
SELECT lookups('SELECT count(*) FROM guarded_fact f JOIN guarded_nulls h ON f.k = h.k AND h.t = ANY (ARRAY[h.t, h.t]) AND guarded_leak(h.k)');
SELECT count(*) FROM guarded_fact f JOIN guarded_nulls h ON f.k = h.k AND h.t = ANY (ARRAY[h.t, h.t]) AND guarded_leak(h.k);
COMMIT;
RESET ROLE;
-- a condition that is NULL refuses a row, so that no other one is evaluated, nor a column
SELECT check_join('SELECT count(*) FROM guarded_fact f JOIN guarded_nulls d ON f.k = d.k WHERE 100 / d.x > 5 AND d.t::int > 5');
SELECT check_join('SELECT to_char(d.t::int, ''999''), count(*) FROM guarded_fact f JOIN guarded_nulls d ON f.k = d.k WHERE 100 / d.x > 5 GROUP BY 1');

-- a cancel is the query's, and so is an error after which the transaction has to be tried again
CREATE FUNCTION guarded_conflict(i int) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
	IF i = 0 THEN
		RAISE EXCEPTION 'conflict' USING errcode = '40001';
	END IF;
	RETURN true;
END $$;
SELECT outcome('SELECT count(*) FROM guarded_fact f JOIN guarded_bad d ON f.k = d.k AND guarded_conflict(d.x)', 'force', no_fallback());
CREATE FUNCTION guarded_slow(i int) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
	PERFORM pg_sleep(10);
	RETURN true;
END $$;
SET statement_timeout = '200ms';
SELECT count(*) FROM guarded_fact f JOIN guarded_good d ON f.k = d.k AND guarded_slow(d.x);
RESET statement_timeout;

-- beside workers no subtransaction can begin: there are no workers, or PostgreSQL's own plan answers
CREATE FUNCTION guarded_parallel(query text, fallback text) RETURNS text LANGUAGE plpgsql SET client_min_messages = warning AS $$
DECLARE
	line text;
	found text := '';
BEGIN
	PERFORM set_config('gpuagg.mode', 'force', true), let_engine_answer();
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
		found := found || coalesce(', ' || substring(line FROM 'GpuAgg Partial|Look-up: .*'), '');
	END LOOP;
	DROP TABLE IF EXISTS pg_temp.native, pg_temp.ours;
	PERFORM set_config('gpuagg.mode', 'off', true);
	EXECUTE format('CREATE TEMP TABLE native AS SELECT q::text AS r FROM (%s) q', query);
	PERFORM set_config('gpuagg.mode', 'force', true), set_config('gpuagg.fallback', fallback, true);
	BEGIN
		EXECUTE format('CREATE TEMP TABLE ours AS SELECT q::text AS r FROM (%s) q', query);
	EXCEPTION WHEN OTHERS THEN
		RETURN regexp_replace(sqlerrm, 'engine "\w+"', 'the engine') || found;
	END;
	RETURN compare_rows() || found;
END $$;
-- a device has workers for larger tables only
SET gpuagg.engine = cpu;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
SET gpuagg.setup_cost = 0;
SET gpuagg.page_cost = 0.1;
SET gpuagg.tuple_cost = 0.0001;
SET gpuagg.operator_cost = 0.0001;
SET gpuagg.group_cost = 0;
SELECT guarded_parallel(q, 'off') FROM unnest(ARRAY['SELECT d.p, count(*), sum(v) FROM guarded_fact f JOIN guarded_good d ON f.k = d.k WHERE d.t::int > 20 GROUP BY 1',
	'SELECT to_date(d.dt, ''YYYY-MM-DD''), count(*) FROM guarded_fact f JOIN guarded_good d ON f.k = d.k WHERE (d.j ->> ''n'')::int > 3 GROUP BY 1',
	'SELECT d.p, count(*), sum(v) FROM guarded_fact f JOIN guarded_good d ON f.k = d.k WHERE guarded_plpgsql(d.x) > 1 GROUP BY 1']) q;
SELECT outcome(q, 'off', 'on'), outcome(q, 'force', 'on') FROM unnest(ARRAY['SELECT d.p, count(*), sum(v) FROM guarded_fact f JOIN guarded_bad d ON f.k = d.k WHERE d.t::int > 20 GROUP BY 1']) q;
SET enable_hashjoin = off;
SET enable_mergejoin = off;
SET enable_material = off;
SET enable_seqscan = off;
SELECT guarded_parallel(q, fallback) FROM unnest('{on,off}'::text[]) fallback, unnest(ARRAY['SELECT d.p, count(*), sum(v) FROM guarded_fact f LEFT JOIN guarded_bad d ON f.k = d.k AND d.t::int > 20 GROUP BY 1',
	'SELECT d.p, count(*), sum(v) FROM guarded_fact f LEFT JOIN guarded_bad d ON f.k = d.k AND guarded_plpgsql(d.x) > 1 GROUP BY 1']) q;
RESET enable_hashjoin;
RESET enable_mergejoin;
RESET enable_material;
RESET enable_seqscan;
-- another part of the query has workers
SELECT guarded_parallel(format('SELECT d.p, count(*), (SELECT count(*) FROM guarded_many WHERE t <> ''x'') FROM guarded_fact f JOIN guarded_good d ON f.k = d.k WHERE %s GROUP BY 1', condition), fallback)
FROM unnest('{on,off}'::text[]) fallback, unnest('{guarded_plpgsql(d.x) > 1,d.t::int > 21}'::text[]) condition;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
RESET max_parallel_workers_per_gather;
RESET gpuagg.setup_cost;
RESET gpuagg.page_cost;
RESET gpuagg.tuple_cost;
RESET gpuagg.operator_cost;
RESET gpuagg.group_cost;

-- auto takes them, and answers as PostgreSQL's plan does
INSERT INTO guarded_fact SELECT i, i % 60, i % 7, i / 4.0 FROM generate_series(6001, 60000) i;
VACUUM ANALYZE guarded_fact;
CREATE FUNCTION guarded_auto(query text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('gpuagg.mode', 'auto', true);
	RETURN lookups(query);
END $$;
SELECT condition, guarded_auto(q), outcome(q, 'auto', no_fallback()) FROM unnest(ARRAY['d.t::int > 20', '100 / d.x > 20', 'guarded_plpgsql(d.x) > 1', '(d.j ->> ''n'')::int > 3', 'd.nm ~ d.re']) condition,
	format('SELECT d.nm, count(*), sum(v) FROM guarded_fact f JOIN guarded_good d ON f.k = d.k WHERE %s GROUP BY 1', condition) q;
SELECT condition, guarded_auto(q), outcome(q, 'off', 'on') = outcome(q, 'auto', 'on') AS same FROM unnest(ARRAY['d.t::int > 20', '100 / d.x > 20', 'guarded_plpgsql(d.x) > 1', '(d.j ->> ''n'')::int > 3', 'd.nm ~ d.re']) condition,
	format('SELECT d.nm, count(*), sum(v) FROM guarded_fact f JOIN guarded_bad d ON f.k = d.k WHERE %s GROUP BY 1', condition) q;
DROP FUNCTION guarded_unless, guarded_outcomes, guarded_scan, guarded_parallel, guarded_auto, guarded_plpgsql, guarded_sql, guarded_query, guarded_volatile, guarded_leak, guarded_slow, guarded_conflict;
DROP TABLE guarded_fact, guarded_none, guarded_good, guarded_bad, guarded_part, guarded_conditions, guarded_parted, guarded_many, guarded_hidden, guarded_nulls;
DROP DOMAIN guarded_positive;
DROP ROLE guarded_user;
