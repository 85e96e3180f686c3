--
-- EXPLAIN.  Numbers and the engine's name are not compared.
--
CREATE FUNCTION explain(options text, query text) RETURNS SETOF text
LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	FOR line IN EXECUTE format('EXPLAIN (%s) %s', options, query) LOOP
		line := regexp_replace(line, '(Engine|Engine Strategy): \w+', '\1: X');
		line := regexp_replace(line, 'Fallback: .*', 'Fallback: X');
		line := regexp_replace(line, '(rows=\d+)\.00', '\1');	-- 18
		CONTINUE WHEN line ~ '^ *(Planning Time|Execution Time|Planning|Buffers|Query Identifier|JIT|Memory Usage|Device Memory|Rows Refused in Place|Pages Read in Place|Pages Copied|Blocks Kept|Blocks Resident)';
		line := regexp_replace(line, '\d+(\.\d+)?( ?)(kB|ms)', 'N\2\3', 'g');
		line := regexp_replace(line, 'Pages: \d+', 'Pages: N');	-- fewer, if columns are kept
		RETURN NEXT line;
	END LOOP;
END $$;

SELECT explain('COSTS OFF', 'SELECT i2, count(*), sum(i4) FROM facts WHERE i4 > 5 AND b GROUP BY i2');
SELECT explain('COSTS OFF', 'SELECT count(*) FROM facts');
SELECT explain('COSTS OFF', 'SELECT i2 % 2, max(f8) FILTER (WHERE b) FROM facts GROUP BY 1 HAVING count(*) > 3 ORDER BY 1 LIMIT 2');
SELECT explain('COSTS OFF', 'SELECT x.b, count(*) FROM facts x JOIN facts y ON x.i4 = y.i2 GROUP BY 1');
SELECT explain('COSTS OFF', 'SELECT DISTINCT b, i2 % 5 FROM facts WHERE i4 > 0 ORDER BY b');
SELECT explain('COSTS OFF', 'SELECT DISTINCT count(*) FROM facts GROUP BY i4');
SELECT explain('COSTS OFF, VERBOSE', 'SELECT b, every(i4 > 0), bit_xor(i2), stddev(i2), var_pop(i8) FROM facts GROUP BY b');
SELECT explain('COSTS OFF, VERBOSE', 'SELECT b, regr_slope(i2, i4), covar_pop(f8, i4) FROM facts GROUP BY b');
SELECT explain('COSTS OFF, VERBOSE', 'SELECT i2, avg(i4 + 1) FROM facts WHERE d > ''2000-03-01'' GROUP BY i2');

-- run
SELECT explain('ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF', 'SELECT i2, count(*) FROM facts_unlogged WHERE i2 > 50 GROUP BY i2');

-- never begun
SELECT explain('ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF', 'SELECT * FROM (SELECT i2, count(*) FROM facts GROUP BY i2 LIMIT 0) s');

-- fallen back: says why
SELECT explain('ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF', 'SELECT sum(v) FROM (VALUES (''1e300''::float8), (1)) x (v)');

-- other formats parse, and have the same parts
CREATE FUNCTION explain_json(query text) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, VERBOSE, FORMAT JSON) ' || query INTO result;
	RETURN result::jsonb;
END $$;
CREATE FUNCTION explain_xml(query text) RETURNS xml LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, VERBOSE, FORMAT XML) ' || query INTO result;
	RETURN xmlparse(document result);
END $$;
SELECT p ->> 'Node Type' AS node, p ->> 'Custom Plan Provider' AS provider, p -> 'Group Key' AS keys, (p -> 'Actual Rows')::int AS rows
FROM jsonb_path_query(explain_json('SELECT b, count(*), sum(i4) FROM facts WHERE i2 > 3 GROUP BY b'), '$[0].Plan') p;
-- keys that PostgreSQL has for its own nodes have its values
SELECT jsonb_path_query(explain_json('SELECT b, count(*) FROM facts WHERE i2 IN (SELECT generate_series(1, 3)) GROUP BY b'), '$[0].Plan.**."Look-ups"[*]."Join Type"') AS join_type;
SELECT xmlexists('//*[local-name()="Custom-Plan-Provider" and text()="GpuAgg"]'
	PASSING BY REF explain_xml('SELECT b, count(*), sum(i4) FROM facts WHERE i2 > 3 GROUP BY b')) AS found;
SELECT count(*) > 5 AS found FROM explain('ANALYZE, VERBOSE, FORMAT YAML', 'SELECT b, count(*) FROM facts GROUP BY b');

-- nothing of what EXPLAIN runs or plans stays behind
SELECT check_query('SELECT b, count(*) FROM facts GROUP BY b');
