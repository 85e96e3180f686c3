--
-- HAVING: groups for which a comparison with a constant is not true do not leave the engine.
--
\set VERBOSITY terse
CREATE TABLE having_rows (k int, t text, v int, b int8, n numeric(12,2), w numeric(30,5), f float8, s float4, d date, ts timestamp, ti time, m money);
INSERT INTO having_rows SELECT i % 401, 'text ' || i % 1009, i * 37 % 7919 - 3000, (i * 41 % 5003 - 2000) * 1800000000000000,
	(i * 7 % 10007 - 3000) / 100.0, (i % 4001 - 2000) * 1000000000000000.00001, CASE WHEN i % 11 > 0 THEN (i * 3 % 5003 - 1500) / 4.0 END,
	(i % 3001 - 1000) / 8.0, date '2020-01-01' + i % 997, timestamp '2020-01-01' + i % 701 * interval '1 hour',
	time '00:00' + i % 1201 * interval '1 min', (i % 607 - 300)::numeric::money
	FROM generate_series(1, 4000) i;
INSERT INTO having_rows SELECT NULL, NULL, i FROM generate_series(1, 5) i;
INSERT INTO having_rows SELECT 5000 + i FROM generate_series(1, 3) i;
INSERT INTO having_rows SELECT 6000 + i, 'far', 2147483647, 9223372036854775807, -0.01, 0.00001, 0, 0, 'infinity', '-infinity', '24:00', '-92233720368547758.08'
	FROM generate_series(1, 3) i;
ANALYZE having_rows;

-- The lines of EXPLAIN (ANALYZE) about groups.
CREATE FUNCTION having_lines(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	PERFORM let_engine_answer();
	FOR line IN EXECUTE 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) ' || query LOOP
		IF line ~ 'Removed by Filter|Groups Left Out|  Groups:|Top Groups' THEN
			RETURN NEXT trim(line);
		END IF;
	END LOOP;
END $$;

-- Each comparison with values between, at and beyond those of the groups.
SELECT a, check_query(string_agg(format('SELECT k, %1$s, %2$L FROM having_rows GROUP BY k HAVING %1$s %2$s %3$s', a, o, c), ' UNION ALL '))
FROM (VALUES
	('count(*)', '{0,1,9,10,-1,9223372036854775807,-9223372036854775808}'::text[]),
	('count(v)', '{0,1,10,5.5::int,NULL::int}'),
	('sum(v)', '{0,5000,-9223372036854775807,100000000000,2147483647,1::int2,NULL::int}'),
	('sum(b)', '{0,0.5,-0.5,18000000000000000,-18000000000000000.1,9223372036854775807,9223372036854775808,27670116110564327421,1e30,-1e30,''NaN''::numeric,''Infinity''::numeric}'),
	('sum(n)', '{0,-0.01,-0.011,100,100.005,-100.001,''-Infinity''::numeric,1e131071,-9e131071}'),
	('sum(w)', '{0,0.00001,0.000001,1e15,-1e15,9e13,92233720368547.75807,92233720368547.75808}'),
	('avg(v)', '{0,500,-0.0001,1000.3333333333333333,2147483647,1e40,1e131071}'),
	('avg(n)', '{0,-0.01,10,20.013,''NaN''::numeric}'),
	('avg(b)', '{0,9223372036854775807,-9223372036854775808,1e25}'),
	('min(v)', '{0,-3000,2147483647,-2147483648,9223372036854775807}'),
	('max(b)', '{0,9223372036854775807,9223372036854775806,-9223372036854775808}'),
	('max(n)', '{0,-0.01,-0.005,50,99999999999999999999}'),
	('max(d)', '{''2020-06-01''::date,''infinity''::date,''-infinity''::date}'),
	('min(ts)', '{''2020-01-20''::timestamp,''-infinity''::timestamp,''infinity''::timestamp}'),
	('min(ti)', '{''10:00''::time,''24:00''::time,''00:00''::time}'),
	('max(m)', '{''10''::money,''-92233720368547758.08''::money,''92233720368547758.07''::money}'),
	('max(f)', '{0,100.25,''-0''::float8,''NaN''::float8,''Infinity''::float8}'),
	('min(s)', '{0,-100.125::float4,-100.1::float8}')) AS columns(a, constants),
	unnest(constants) WITH ORDINALITY constant(c, i), unnest(CASE i % 3 WHEN 0 THEN ARRAY['<', '>='] WHEN 1 THEN ARRAY['<=', '>'] ELSE ARRAY['=', '<>'] END) o
GROUP BY a ORDER BY a;

-- Sums of floats that no order of rows changes.
SELECT a, check_query(string_agg(format('SELECT k, %1$s FROM having_rows WHERE f IS NOT NULL GROUP BY k HAVING %1$s %2$s %3$s', a, o, c), ' UNION ALL '))
FROM unnest(ARRAY['sum(f)', 'avg(f)', 'sum(s)', 'avg(s)', 'sum(v::float8)']) a,
	unnest(ARRAY['0', '100.25', '-0.125::float4', '''-Infinity''', '''NaN''', '250.33333333333334']) c, unnest(ARRAY['<', '>=', '<>']) o
GROUP BY a ORDER BY a;

-- Several, sides exchanged, and what an engine does not know.
SELECT query, check_query('SELECT k, count(*), sum(v), min(t) FROM having_rows GROUP BY k HAVING ' || query)
FROM unnest(ARRAY['5 < count(*) AND sum(v) > 0', '0 >= sum(v)', 'count(*) BETWEEN 9 AND 10', 'sum(v) BETWEEN 0 AND 1000 AND max(v) < 5000 AND min(v) > -2500 AND count(v) > 1 AND count(*) < 20',
	'sum(v) > 0 OR count(*) = 1', 'sum(v) IS NULL', 'NOT sum(v) > 0', 'sum(v) > count(*)', 'sum(v) + 1 > 10', 'min(t) > ''text 2''', 'sum(v) > 0 AND min(t) < ''text 7''',
	'sum(v) > 100.5', 'sum(v) > 0 AND 1000 / count(*) > 1', 'sum(v) < (SELECT avg(v) FROM having_rows)', 'sum(b) > (SELECT sum(b) / 2000 FROM having_rows)',
	'sum(v) IN (1, 2, 3)', 'bool_or(v > 0)', 'variance(v) > 1000', 'false', 'count(*) > 1 AND random() >= 0']) query;
SELECT check_query('SELECT count(*) FROM having_rows HAVING count(*) > 5'), check_query('SELECT sum(v) FROM having_rows HAVING count(*) < 5');
SELECT check_query('SELECT k, t, count(*) FROM having_rows GROUP BY GROUPING SETS ((k), (t), (k, t), ()) HAVING count(*) > 9');
SELECT check_query('SELECT k, count(DISTINCT v) FROM having_rows GROUP BY k HAVING count(DISTINCT v) > 9');
SELECT check_query('SELECT t FROM having_rows GROUP BY t HAVING max(v) > 4000');
SELECT check_query('SELECT a, (SELECT count(*) FROM (SELECT k FROM having_rows GROUP BY k HAVING sum(v) > a * 1000) s) FROM generate_series(-2, 5) a');
SELECT check_query('SELECT a, s.* FROM generate_series(1, 3) a, LATERAL (SELECT k, sum(v) FROM having_rows GROUP BY k HAVING sum(v) > a * 10000 OFFSET 0) s');

-- An error that a removed group would raise, and an InitPlan that no group asks for, or only groups that would be removed.
SELECT outcome('SELECT k FROM having_rows GROUP BY k HAVING 1 / (count(v) - 10) >= 0 AND count(*) < 5', 'force', no_fallback());
SELECT check_query('SELECT k FROM having_rows WHERE v = -5000 GROUP BY k HAVING count(*) > (SELECT 1 / (count(*) - 4011) FROM having_rows)');
SELECT outcome('SELECT k FROM having_rows GROUP BY k HAVING count(*) > (SELECT 1 / (count(*) - 4011) FROM having_rows)', 'force', no_fallback());
SELECT op, outcome(format('SELECT k FROM having_rows GROUP BY k HAVING sum(v) %s (SELECT 1 / (count(*) - 4011) FROM having_rows) AND count(*) > 100', op), 'force', no_fallback())
FROM unnest(ARRAY['>', '<>']) op;

-- Groups that are removed are counted; the first ones are chosen from the others.
SELECT * FROM having_lines('SELECT k, sum(v) FROM having_rows GROUP BY k HAVING sum(v) > 12000');
SELECT * FROM having_lines('SELECT k, sum(v) FROM having_rows GROUP BY k HAVING sum(v) > 12000 AND count(*) < 10 AND sum(v) + 1 > 0');
SELECT * FROM having_lines('SELECT k, sum(v) FROM having_rows GROUP BY k HAVING sum(v) > 12000 ORDER BY count(*), k LIMIT 5');
SELECT h, o, check_query(format('SELECT k, sum(v), count(*), sum(n), min(t) FROM having_rows GROUP BY k HAVING %s ORDER BY %s, k LIMIT 7', h, o))
FROM unnest(ARRAY['sum(v) > 12000', 'sum(v) < 10000 AND count(*) > 9', 'sum(n) >= 150.01', 'sum(v) = 5', 'count(*) > 100', 'sum(v) > 0 AND min(t) > ''text 2''', 'avg(v) > 100', 'sum(v) > NULL::int']) h,
	unnest(ARRAY['2', '2 DESC NULLS LAST', '3, 4 DESC', 'k DESC', '5']) o;

-- Parameters, generic plans, cursors, memory that does not suffice, an answer that is compared.
PREPARE having_of(int8, numeric) AS SELECT count(*), sum(a) FROM (SELECT sum(v) a FROM having_rows GROUP BY k HAVING sum(v) > $1 AND sum(n) < $2 OFFSET 0) s;
EXECUTE having_of(0, 350);
SET plan_cache_mode = force_generic_plan;
EXECUTE having_of(0, 350);
EXECUTE having_of(NULL, 350);
EXECUTE having_of(12000, 'NaN');
RESET plan_cache_mode;
SET work_mem = '64kB';
SET hash_mem_multiplier = 1;
SELECT check_query('SELECT k, t, sum(v) FROM having_rows GROUP BY k, t HAVING sum(v) > 4900'),
	check_query('SELECT k, t, sum(v) FROM having_rows GROUP BY k, t HAVING sum(v) > 0 ORDER BY 3 DESC, k, t LIMIT 10');
SELECT * FROM having_lines('SELECT k, sum(v) FROM having_rows GROUP BY k HAVING sum(v) > 12000');
RESET work_mem;
RESET hash_mem_multiplier;
SET gpuagg.verify = 1;
SELECT * FROM having_lines('SELECT k, sum(v) FROM having_rows GROUP BY k HAVING sum(v) > 12000');
SELECT check_query('SELECT k, sum(v) FROM having_rows GROUP BY k HAVING sum(v) > 12000 ORDER BY 2, 1 LIMIT 3');
RESET gpuagg.verify;
BEGIN;
DECLARE c SCROLL CURSOR FOR SELECT k, sum(v) FROM having_rows GROUP BY k HAVING sum(v) > 14500 ORDER BY 2 DESC, 1;
FETCH 2 FROM c;
FETCH ALL FROM c;
FETCH BACKWARD 3 FROM c;
COMMIT;
DROP TABLE having_rows;
DROP FUNCTION having_lines;
