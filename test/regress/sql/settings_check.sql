--
-- gpuagg_check(): what it sees of settings, tables and databases, and what users are told.
--
SET gpuagg.engine = cpu;
SET gpuagg.mode = force;
SET jit = off;
SET hash_mem_multiplier = 2;
SELECT count(DISTINCT name) AS checks, bool_and(seen <> '') AS seen, bool_and(advice IS NULL) FILTER (WHERE status = 'ok') AS fine,
	bool_and(advice <> '') FILTER (WHERE status <> 'ok') AS advised FROM gpuagg_check() WHERE name NOT LIKE '/dev/shm';
SELECT name, status, seen FROM gpuagg_check() WHERE name IN ('extension version', 'mode', 'engine', 'device', 'jit');
SELECT seen = current_setting('server_version') AS version FROM gpuagg_check() WHERE name = 'server version';

-- settings
CREATE FUNCTION checked(setting text, value text, check_name text) RETURNS TABLE (status text, seen text, advice text) LANGUAGE plpgsql AS $$
DECLARE
	before text := current_setting(setting);
BEGIN
	PERFORM set_config(setting, value, false);
	RETURN QUERY SELECT c.status, c.seen, c.advice FROM gpuagg_check() c WHERE c.name = check_name;
	PERFORM set_config(setting, before, false);
END $$;
SELECT value, status, advice FROM unnest('{auto,off,force}'::text[]) value, checked('gpuagg.mode', value, 'mode');
SELECT value, c.* FROM unnest('{4MB,256MB}'::text[]) value, checked('work_mem', value, 'work_mem') c;
SELECT value, c.* FROM unnest('{0,64}'::text[]) value, checked('gpuagg.memory_limit', value, 'work_mem') c;
SELECT value, status, advice FROM unnest('{0,2,1000}'::text[]) value, checked('max_parallel_workers_per_gather', value, 'parallel workers');
SELECT value, status, advice FROM unnest('{2,1000}'::text[]) value, checked('max_parallel_workers', value, 'parallel workers');
SELECT value, status, advice FROM unnest('{on,off}'::text[]) value, checked('jit', value, 'jit');
SELECT c.status, c.advice FROM checked('jit_above_cost', '-1', 'jit') c;

-- what matters to a device is told where one would be used
SELECT name FROM gpuagg_check() WHERE name IN ('locked memory', 'huge pages');

-- tables, by pages that are not all-visible
SET max_parallel_workers_per_gather = 0;
CREATE TABLE large_checked AS SELECT i, repeat('x', 1000) AS filler FROM generate_series(1, 10000) i;
ANALYZE large_checked;
SELECT name, status, seen FROM gpuagg_check() WHERE seen LIKE 'public.large_checked:%';
VACUUM large_checked;
SELECT name, status, seen ~ ': [0-9] % of the pages not all-visible' AS few FROM gpuagg_check() WHERE seen LIKE 'public.large_checked:%';
UPDATE large_checked SET i = i WHERE i <= 3000;
VACUUM (DISABLE_PAGE_SKIPPING) large_checked;
DELETE FROM large_checked WHERE i > 8000;
ANALYZE large_checked;
SELECT name, status, seen ~ ': [1-9][0-9] % of the pages not all-visible' AS share, advice LIKE 'Run VACUUM%' AS vacuum
FROM gpuagg_check() WHERE seen LIKE 'public.large_checked:%';

-- those of other users are not named
CREATE ROLE gpuagg_checker;
SET ROLE gpuagg_checker;
SELECT count(*) FROM gpuagg_check() WHERE seen LIKE 'public.large_checked:%';
RESET ROLE;
GRANT SELECT (i) ON large_checked TO gpuagg_checker;
SET ROLE gpuagg_checker;
SELECT count(*) FROM gpuagg_check() WHERE seen LIKE 'public.large_checked:%';

-- and neither is what pg_settings hides, or does not know
SELECT count(*) FROM pg_settings WHERE name IN ('shared_preload_libraries', 'session_preload_libraries');
SELECT name FROM gpuagg_check() WHERE name IN ('locked memory', '/dev/shm');
RESET ROLE;

-- libraries of databases and roles
ALTER ROLE gpuagg_checker SET session_preload_libraries = 'auto_explain, gpuagg';
SELECT status, seen FROM gpuagg_check() WHERE name = 'session_preload_libraries' AND seen LIKE '%gpuagg_checker%';
ALTER ROLE gpuagg_checker SET session_preload_libraries = 'auto_explain';
SELECT status, advice FROM gpuagg_check() WHERE name = 'session_preload_libraries' AND seen LIKE '%role gpuagg_checker%';

-- an extension that is not the library's; nobody else sees it
BEGIN;
UPDATE pg_extension SET extversion = '0.9' WHERE extname = 'gpuagg';
SELECT status, seen FROM gpuagg_check() WHERE name = 'extension version';
ROLLBACK;

DROP TABLE large_checked;
DROP FUNCTION checked;
DROP ROLE gpuagg_checker;
