--
-- NaN and the infinities among numerics.
--

-- n: plain; f: of a type modifier, which lets NaN in; w: more than 64 bits; r: NOT
-- NULL; rare: one NaN behind many numbers.  Groups of g: numbers only; NaN; Infinity;
-- -Infinity; both; all; NULLs; nothing but specials
CREATE TABLE special_numbers (id int NOT NULL, g int NOT NULL, n numeric, f numeric(12,3), w numeric, r numeric NOT NULL, rare numeric,
	i4 int, i8 bigint);
CREATE FUNCTION special_numeric_of(g int, i int) RETURNS numeric LANGUAGE sql IMMUTABLE AS $$
SELECT CASE WHEN g = 7 THEN (ARRAY['NaN', 'Infinity', '-Infinity'])[1 + i % 3]
	WHEN i % 5 <> 0 OR g = 0 THEN NULL
	WHEN g = 1 THEN 'NaN' WHEN g = 2 THEN 'Infinity' WHEN g = 3 THEN '-Infinity'
	WHEN g = 4 THEN (ARRAY['Infinity', '-Infinity'])[1 + i % 2]
	WHEN g = 5 THEN (ARRAY['NaN', 'Infinity', '-Infinity'])[1 + i % 3] END::numeric $$;
INSERT INTO special_numbers SELECT i, g,
	coalesce(special_numeric_of(g, i), CASE WHEN g <> 6 AND i % 7 <> 0 THEN round(i / 8.0 - 20, i % 4) END),
	CASE WHEN special_numeric_of(g, i) = 'NaN' THEN 'NaN' WHEN i % 11 <> 0 THEN i / 8.0 - 20 END,
	coalesce(special_numeric_of(g, i), (i - 1000) * 1e22 + i / 8.0),
	coalesce(special_numeric_of(g, i), i * 1.25),
	CASE WHEN i = 1999 THEN 'NaN' ELSE i * 0.5 END,
	CASE WHEN i % 13 <> 0 THEN i END, CASE WHEN i % 17 <> 0 THEN i * 1000000 END
FROM (SELECT i, i / 3 % 8 AS g FROM generate_series(1, 2000) i) s;

-- aggregates, before ANALYZE has seen any and after
CREATE FUNCTION check_special_sums(columns text) RETURNS text LANGUAGE sql AS $$
SELECT check_query('SELECT id % 9, g, ' || string_agg(format('count(%1$s), sum(%1$s), avg(%1$s), variance(%1$s), stddev_pop(%1$s), count(*) FILTER (WHERE %1$s IS NULL)', c), ', ') || ' FROM special_numbers GROUP BY 1, 2')
FROM unnest(columns::text[]) c $$;
SELECT check_special_sums('{n}'), check_special_sums('{f,r}'), check_special_sums('{rare}');
VACUUM ANALYZE special_numbers;
SELECT check_special_sums('{n,f,r,rare}');
SELECT check_query('SELECT sum(n), avg(r), sum(f) FILTER (WHERE g = 2), var_pop(n) FILTER (WHERE g IN (2, 3)), sum(rare) FROM special_numbers');
SELECT check_query('SELECT g, count(w), sum(w), avg(w), sum(w) FILTER (WHERE id % 3 = 0) FROM special_numbers GROUP BY g');

-- as PostgreSQL shows them
SELECT g, sum(n), avg(n), round(stddev(n), 3) AS stddev, sum(f), sum(r), avg(r) FROM special_numbers GROUP BY g ORDER BY g;
SELECT var_samp(n), var_pop(n), stddev(n) FROM special_numbers WHERE id = 15;
SELECT var_samp(n), var_pop(n), sum(n) FROM special_numbers WHERE n = 'NaN' AND id < 40;
SELECT count(n), sum(n), avg(n), var_pop(n) FROM special_numbers WHERE id < 0;

-- extremes and keys: of one display scale
SELECT check_query('SELECT g, ' || string_agg(format('min(%1$s), max(%1$s), min(%1$s) FILTER (WHERE id %% 2 = 0)', c), ', ') || ' FROM special_numbers GROUP BY g')
FROM unnest('{f,"f * 2",-f,abs(f),"round(f, 1)","f + i4","CASE WHEN id % 3 > 0 THEN f END"}'::text[]) c;
SELECT check_query('SELECT f, count(*), sum(n) FROM special_numbers GROUP BY f');
SELECT check_query('SELECT DISTINCT f FROM special_numbers');
SELECT check_query('SELECT abs(f), g, max(f) FROM special_numbers GROUP BY 1, 2');
CREATE TABLE special_keys AS SELECT i, CASE WHEN i % 10 = 0 THEN 'NaN' WHEN i % 10 = 1 THEN 'Infinity' WHEN i % 10 = 2 THEN '-Infinity'
	ELSE round(i % 100 * 1.5, 1) END::numeric AS k, CASE i % 3 WHEN 0 THEN 'NaN' WHEN 1 THEN 'Infinity' ELSE i * 1e25 + 0.5 END::numeric AS w
FROM generate_series(1, 1000) i;
ANALYZE special_keys;
SELECT check_query('SELECT k, count(*), sum(k), min(k), max(k) FROM special_keys GROUP BY k');
SELECT check_query('SELECT w, count(*), sum(w), avg(w) FROM special_keys GROUP BY w');
SELECT check_query('SELECT i % 7, min(w), max(w), max(w) FILTER (WHERE w < ''NaN''), min(w + 1), max(-w), min(DISTINCT w) FROM special_keys GROUP BY 1');
SELECT check_query('SELECT i % 3, min(w), max(w) FROM special_keys GROUP BY ROLLUP (i % 3)');
SELECT k, count(*), min(k), max(k), sum(k) FROM special_keys WHERE k > 140 OR k < 10 GROUP BY k ORDER BY k;
SELECT min(k), max(k) FROM special_keys;

-- conditions: NaN is equal to NaN, and larger than all else
SELECT check_query('SELECT g, ' || string_agg(format('count(*) FILTER (WHERE %1$s)', f), ', ') || ' FROM special_numbers GROUP BY g')
FROM unnest(ARRAY['n > 10', 'n >= ''Infinity''', 'n = ''NaN''', 'n <> ''NaN''', 'n < ''NaN''', 'n > ''-Infinity''', 'n <= ''-Infinity''',
	'n BETWEEN ''-Infinity'' AND 3', 'n = n', 'n < r', 'n = r', 'n <> w', 'w > 5e22', 'w = ''Infinity''', 'w < ''-Infinity'' OR w = ''NaN''', 'f = ''NaN''',
	'n IN (1.5, ''NaN'', 3)', 'n = ANY (''{NaN,Infinity}'')', 'n <> ALL (''{NaN,Infinity}'')', 'n IS DISTINCT FROM ''NaN''', 'n IS NOT NULL', 'n > i4', 'n > i8',
	'NOT n > 3', 'coalesce(n, 0) > 1', 'nullif(n, ''NaN'') > 5', 'greatest(n, f) > 4', 'least(n, r) = ''-Infinity''', 'CASE WHEN n = ''NaN'' THEN f ELSE n END > 2']) WITH ORDINALITY AS c(f, i) GROUP BY i % 2;
SELECT check_query('SELECT g, count(*), sum(n) FROM special_numbers WHERE n < ''NaN'' AND r <> ''Infinity'' GROUP BY g');

-- arithmetic
SELECT check_query('SELECT g, ' || string_agg(format('sum(%1$s), avg(%1$s), count(%1$s)', e), ', ') || ' FROM special_numbers GROUP BY g')
FROM unnest(ARRAY['n + 1', '1 - n', 'n + r', 'n - r', 'n - n', 'n * r', 'n * 0', 'n * -2', '-n', 'abs(n)', '+n', 'n + i4', 'n * i4', 'n * (1 - f)', 'w + n', 'w - w', 'w * 3',
	'-w', 'abs(w)', 'round(n, 1)', 'round(n)', 'round(w, 1)', 'f::numeric(14,5)', 'f::numeric(9,1)', 'f::numeric(38,5)', 'n + ''Infinity''', '''-Infinity'' * n', 'n * ''NaN''', 'coalesce(n, ''NaN'')',
	'CASE WHEN g = 1 THEN n WHEN g = 2 THEN 5 ELSE ''-Infinity'' END', 'greatest(n, r)', 'least(n, f, 3)', 'nullif(n, ''Infinity'')', 'CASE n WHEN ''NaN'' THEN 1 ELSE r END']) WITH ORDINALITY AS c(e, i) GROUP BY i % 4;
SELECT check_query('SELECT i4, count(*) FROM special_numbers WHERE n * 2 > ''Infinity'' GROUP BY i4');
SELECT check_query('SELECT g, sum(i8 + 0.0), sum(i8), sum(n), max(i8), bit_or(i8) FROM special_numbers GROUP BY g HAVING sum(n) <> ''NaN''');

-- not here: errors of specials, and what PostgreSQL's plan makes of others
SELECT e AS expression, check_fallback(format('SELECT g, count(%s) FROM special_numbers GROUP BY g', e))
FROM unnest(ARRAY['n::int', 'n::int8', 'r::numeric(10,2)', 'n % 7', 'n::float8']) e;
SELECT e AS expression, check_query(format('SELECT g, sum(%s) FROM special_numbers WHERE g = 0 GROUP BY g', e))
FROM unnest(ARRAY['n::int', 'n::int8', 'r::numeric(10,2)', 'n % 7']) e;

-- grouping sets, DISTINCT: by merging the engine's groups
SELECT check_query('SELECT g, sum(DISTINCT f), avg(DISTINCT f), count(DISTINCT f), var_pop(DISTINCT f), max(f), sum(r), count(*) FROM special_numbers GROUP BY g');
SELECT check_query('SELECT sum(DISTINCT f), stddev(DISTINCT f) FILTER (WHERE g < 4), avg(n), min(f), sum(i8) FROM special_numbers');
SELECT check_query('SELECT g, f, id % 3, sum(f), avg(n), variance(r), min(f), max(f), grouping(f) FROM special_numbers WHERE id < 300 GROUP BY CUBE (g, f, id % 3)');
SELECT check_query('SELECT f, i4 % 2, sum(n), count(DISTINCT f) FILTER (WHERE f < ''NaN'') FROM special_numbers WHERE id < 200 GROUP BY ROLLUP (f, i4 % 2)');
SELECT check_query('SELECT k, sum(k), max(k), count(DISTINCT w), sum(DISTINCT w) FROM special_keys GROUP BY GROUPING SETS ((k), ())');

-- numbers at the end of the range are no specials, and never taken for them
CREATE TABLE range_end (n numeric(19,0), i8 bigint, s numeric);
INSERT INTO range_end SELECT x, x, CASE WHEN x % 2 = 0 THEN numeric 'NaN' END FROM unnest('{9223372036854775807,9223372036854775806,-9223372036854775807,5}'::int8[]) x;
SELECT check_query('SELECT n, count(*), sum(n), min(i8), max(i8), sum(i8) FROM range_end WHERE n < 9223372036854775807 GROUP BY n');
SELECT check_query('SELECT i8, count(*), sum(s), min(i8) FROM range_end GROUP BY i8');
SELECT check_fallback('SELECT count(*) FROM range_end WHERE s > i8');
SELECT check_fallback('SELECT sum(s), sum(n) FROM range_end');

-- each operation that can fail, as in checked_ops: in rows that pass the filter and in others
CREATE TABLE special_edges (id int, a numeric(19,0) DEFAULT 1, b numeric(19,0) DEFAULT 1, q numeric DEFAULT 1, w numeric(60,19) DEFAULT 1, i8 bigint DEFAULT 0,
	s numeric(3) DEFAULT 'NaN');
CREATE TABLE special_ops (id int GENERATED ALWAYS AS IDENTITY, op text, expr text, row_values text);
INSERT INTO special_ops (op, expr, row_values) VALUES
	('special_finite', 'a::int8', 'a = ''NaN'''), ('special_finite', 'a < i8', 'i8 = 9223372036854775807'),
	('special_add', 'a + b', 'a = 9223372036854775800, b = 6'), ('special_add', 'a + b', 'a = 9223372036854775800, b = 8'),
	('special_sub', 'a - b', 'a = -9223372036854775800, b = 8'),
	('special_mul', 'a * b', 'a = 4294967296, b = 2147483648'),
	('special_neg', '-a', 'a = -9223372036854775807'),
	('special_abs', 'abs(a)', 'a = -9223372036854775806'),
	('special_fit', 'a::numeric(3)', 'a = 1000'), ('special_fit', 'q::numeric(3)', 'q = ''-Infinity'''),
	('wide_to_special', 'w::int8', 'w = 9223372036854775807'), ('wide_to_special', 'w::int8', 'w = ''NaN'''),
	('wide_special_finite', 'w > i8 * 17014118346046923173.1687303715884105727', 'i8 = 1'),
	('wide_special_add', 'w + w', 'w = 9e18'),
	('wide_special_sub', '-w - w', 'w = 9e18'),
	('wide_special_mul', 'w * a', 'w = 1e18, a = 1000'),
	('wide_special_neg', '-w', 'w = -17014118346046923173.1687303715884105727'),
	('wide_special_abs', 'abs(w)', 'w = -17014118346046923173.1687303715884105726'),
	('wide_special_fit', 'w::numeric(25,19)', 'w = -1000000');
INSERT INTO special_edges (id) SELECT 0 UNION ALL SELECT id FROM special_ops;
ANALYZE special_edges;
DO $$
DECLARE
	c record;
BEGIN
	FOR c IN SELECT * FROM special_ops LOOP
		EXECUTE format('UPDATE special_edges SET %s WHERE id = %s', c.row_values, c.id);
	END LOOP;
END $$;
SELECT op, expr, row_values, check_fallback(format('SELECT %s, count(*) FROM special_edges WHERE s = ''NaN'' AND id IN (0, %s) GROUP BY 1', expr, id)) AS outcome
FROM special_ops ORDER BY id;
SELECT check_engine('SELECT id, ' || string_agg(format('count(%s)', expr), ', ') || ' FROM special_edges WHERE id = 0 AND s = ''NaN'' GROUP BY id') AS filtered,
	check_engine('SELECT id % 2, ' || string_agg(format('count(%s) FILTER (WHERE id = 0)', expr), ', ') || ' FROM special_edges WHERE s = ''NaN'' GROUP BY 1') AS "filtered for one"
FROM special_ops;

-- a NaN that comes late, rescans and prepared statements
CREATE TABLE late_nan (g int, n numeric);
INSERT INTO late_nan SELECT i % 10, i * 0.25 FROM generate_series(1, 3000) i;
VACUUM ANALYZE late_nan;
PREPARE late_sums AS SELECT g, sum(n), max(n) FROM late_nan GROUP BY g ORDER BY g LIMIT 2;
EXECUTE late_sums;
UPDATE late_nan SET n = 'NaN' WHERE n = 750;
EXECUTE late_sums;
SELECT check_query('SELECT g, sum(n), avg(n), min(n), max(n) FROM late_nan GROUP BY g');
-- lists of values, where they are taken for the sets, have no NaN: then PostgreSQL's plan answers
SELECT store_rows('native', query, 'off', 'on'), store_rows('ours', query, 'force', 'on'), compare_rows() FROM (VALUES
	('SELECT g, sum(DISTINCT n), sum(n), count(DISTINCT n) FROM late_nan GROUP BY ROLLUP (g)')) q (query);
SELECT check_query('SELECT o.x, s.* FROM (VALUES (1), (2), (3)) o(x), LATERAL (SELECT g, sum(n) FROM late_nan WHERE g < o.x GROUP BY g) s');
-- from a child plan
SELECT check_query('SELECT a.g, sum(a.n), max(a.n), count(*) FROM late_nan a JOIN special_numbers b ON a.g = b.g AND b.id < 100 GROUP BY a.g');
SELECT check_query('SELECT g, sum(n), min(n) FROM (SELECT g, n FROM late_nan ORDER BY n DESC LIMIT 100) s GROUP BY g');
DROP TABLE special_numbers, special_keys, range_end, special_edges, special_ops, late_nan;
