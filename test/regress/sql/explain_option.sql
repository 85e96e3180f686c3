--
-- EXPLAIN (GPUAGG): what becomes of each grouping; from PostgreSQL 18 on.  What it
-- shows is compared here, since other versions show nothing.
--
\set VERBOSITY terse
CREATE TABLE with_option (k int, g text);
INSERT INTO with_option SELECT i % 100, i % 7 FROM generate_series(1, 1000) i;
ANALYZE with_option;

-- EXPLAIN's output with these options, or its error
CREATE FUNCTION explained(options text, query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	line text;
	result text := '';
BEGIN
	FOR line IN EXECUTE format('EXPLAIN (%s) %s', options, query) LOOP
		result := result || line || E'\n';
	END LOOP;
	RETURN result;
EXCEPTION WHEN OTHERS THEN
	RETURN sqlerrm;
END $$;

-- Is it as expected?  For versions without the option nothing is.
CREATE FUNCTION check_option(options text, query text, pattern text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text := explained(options, query);
BEGIN
	IF current_setting('server_version_num')::int < 180000 AND result = 'unrecognized EXPLAIN option "gpuagg"' THEN
		RETURN 'as expected';
	END IF;
	RETURN CASE WHEN result ~ pattern THEN 'as expected' ELSE result END;
END $$;

SELECT check_option('GPUAGG, COSTS OFF', 'SELECT k, string_agg(g, '','') FROM with_option GROUP BY k',
	'\nGrouping: GROUP BY k of query\n  Taken: false\n  Reason: aggregate string_agg\(text,text\) is not supported\n$');
SELECT check_option('GPUAGG, COSTS OFF, VERBOSE', 'SELECT DISTINCT n FROM (SELECT k, count(*) AS n FROM with_option GROUP BY k) s',
	'\nGrouping: GROUP BY k of subquery s\n  Aggregates: count\(\*\)\n  Taken: true\n  Engine: \w+\nGrouping: DISTINCT n of query\n  Taken: true\n  Engine: \w+\n$');
SELECT check_option('GPUAGG, COSTS OFF, ANALYZE, TIMING OFF, SUMMARY OFF, BUFFERS OFF', 'SELECT count(*) FROM with_option',
	'\nGrouping: GROUP BY \(\) of query\n  Taken: true\n  Engine: \w+\n$');
-- not what is planned while the query runs
CREATE FUNCTION plans_another() RETURNS bigint LANGUAGE plpgsql STABLE AS $$
BEGIN
	RETURN (SELECT count(*) FROM (SELECT g FROM with_option GROUP BY g) s);
END $$;
SELECT check_option('GPUAGG, COSTS OFF, ANALYZE, TIMING OFF, SUMMARY OFF, BUFFERS OFF',
	'SELECT k, count(*) FROM with_option GROUP BY k HAVING count(*) > plans_another()', '\nGrouping: GROUP BY k of query\n((?!Grouping).)*$');
SELECT check_option('GPUAGG', 'SELECT count(*) FROM with_option', '\n  Cost: [0-9.]+\n  PostgreSQL Cost: [0-9.]+\n$');
SELECT check_option('GPUAGG, FORMAT JSON', 'SELECT count(*) FROM with_option',
	'"Groupings": \[\s+\{\s+"Grouping": "GROUP BY \(\) of query",\s+"Taken": true,\s+"Engine": "\w+",\s+"Cost": [0-9.]+,\s+"PostgreSQL Cost": [0-9.]+\s+\}\s+\]');
SELECT check_option('GPUAGG, FORMAT XML', 'SELECT count(*) FROM with_option',
	'<Groupings>\s+<Grouping>\s+<Grouping>GROUP BY \(\) of query</Grouping>\s+<Taken>true</Taken>');
SELECT check_option('GPUAGG, FORMAT YAML', 'SELECT count(*) FROM with_option',
	'Groupings: *\n +- Grouping: "GROUP BY \(\) of query"\n');

-- nothing to tell, or nothing wanted
SELECT explained('COSTS OFF', 'SELECT count(*) FROM with_option') ~ 'Grouping' AS told;
SELECT check_option('GPUAGG OFF', 'SELECT count(*) FROM with_option', '^((?!Grouping).)*$');
SELECT check_option('GPUAGG', 'SELECT k FROM with_option', '^((?!Grouping).)*$');
SELECT check_option('GPUAGG maybe', 'SELECT k FROM with_option', 'gpuagg requires a Boolean value');
PREPARE counts AS SELECT count(*) FROM with_option;
SELECT check_option('GPUAGG', 'EXECUTE counts', '\nGroupings: not known, the plan was made before\n$');
DEALLOCATE counts;

-- what it reads is for those who may
CREATE ROLE gpuagg_explainer;
SET ROLE gpuagg_explainer;
SELECT check_option('GPUAGG', 'SELECT k, string_agg(g, '','') FROM with_option GROUP BY k', '^permission denied for table with_option$');
RESET ROLE;

DROP TABLE with_option;
DROP FUNCTION explained, check_option, plans_another;
DROP ROLE gpuagg_explainer;
