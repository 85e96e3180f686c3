/* sql/gpuagg--1.0--1.1.sql */

-- complain if script is sourced in psql rather than via ALTER EXTENSION
\echo Use "ALTER EXTENSION gpuagg UPDATE TO '1.1'" to load this file. \quit

--
-- gpuagg_explain(query): what becomes of each grouping of a query, which is
-- planned and not executed.
--

CREATE FUNCTION gpuagg_explain(query text,
	OUT level integer, OUT place text, OUT step text, OUT aggregates text,
	OUT taken boolean, OUT engine text, OUT cost float8, OUT postgresql_cost float8,
	OUT reason text, OUT hint text)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'gpuagg_explain_query' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;

COMMENT ON FUNCTION gpuagg_explain(text) IS
	'which groupings of a query gpuagg takes, and why not the others';

--
-- Cumulative statistics, which need gpuagg in shared_preload_libraries: for a
-- database, each engine's, and how often there was which reason.
--

CREATE FUNCTION gpuagg_engine_stats(database oid,
	OUT engine text, OUT aggregations bigint, OUT fallbacks bigint,
	OUT rows bigint, OUT rows_passed bigint, OUT groups bigint, OUT bytes bigint,
	OUT compile_ms float8, OUT input_ms float8, OUT aggregate_ms float8, OUT output_ms float8,
	OUT verified bigint, OUT different bigint,
	OUT pages_in_place bigint, OUT pages_copied bigint, OUT blocks_resident bigint,
	OUT blocks_skipped bigint, OUT blocks_masked bigint, OUT blocks_kept bigint,
	OUT blocks_evicted bigint, OUT stats_reset timestamptz)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED ROWS 2;

CREATE FUNCTION gpuagg_reason_stats(database oid,
	OUT engine text, OUT event text, OUT reason text, OUT count bigint)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED ROWS 10;

CREATE VIEW gpuagg_stats AS
	SELECT d.datname AS database, s.*
	FROM pg_catalog.pg_database d, LATERAL gpuagg_engine_stats(d.oid) s;

CREATE VIEW gpuagg_stats_reasons AS
	SELECT d.datname AS database, r.*
	FROM pg_catalog.pg_database d, LATERAL gpuagg_reason_stats(d.oid) r;

GRANT SELECT ON gpuagg_stats, gpuagg_stats_reasons TO PUBLIC;

COMMENT ON VIEW gpuagg_stats IS 'what each engine has done in each database';
COMMENT ON VIEW gpuagg_stats_reasons IS
	'why aggregations were left to PostgreSQL, or fell back to it, and how often';

--
-- gpuagg_stats_reset(): the current database's statistics begin with 0.
--

CREATE FUNCTION gpuagg_stats_reset() RETURNS void
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL RESTRICTED;

REVOKE ALL ON FUNCTION gpuagg_stats_reset() FROM PUBLIC;

COMMENT ON FUNCTION gpuagg_stats_reset() IS 'reset the statistics of the current database';

--
-- gpuagg_devices tells also which devices are used, and how much is done there.
--

DROP VIEW gpuagg_devices;
DROP FUNCTION gpuagg_device_list();

CREATE FUNCTION gpuagg_device_list(
	OUT device integer, OUT name text, OUT memory bigint,
	OUT compute_capability text, OUT driver text, OUT usable boolean, OUT reason text,
	OUT used boolean, OUT runs integer, OUT memory_used bigint,
	OUT cache_used bigint, OUT host_cache_used bigint)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL RESTRICTED;

CREATE VIEW gpuagg_devices AS SELECT * FROM gpuagg_device_list();

GRANT SELECT ON gpuagg_devices TO PUBLIC;

COMMENT ON VIEW gpuagg_devices IS 'CUDA devices, and whether gpuagg can use them';

--
-- gpuagg_activity: the queries that engines work for.
--

CREATE FUNCTION gpuagg_activity_list(
	OUT pid integer, OUT database text, OUT relation text, OUT engine text, OUT phase text,
	OUT pages bigint, OUT total_pages bigint, OUT rows bigint, OUT device_memory bigint,
	OUT waiting_since timestamptz, OUT devices integer[])
	RETURNS SETOF record
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL RESTRICTED;

CREATE VIEW gpuagg_activity AS SELECT * FROM gpuagg_activity_list();

GRANT SELECT ON gpuagg_activity TO PUBLIC;

COMMENT ON VIEW gpuagg_activity IS 'queries that engines work for, and those that wait for a device''s memory';

--
-- Columns of tables that stay in device memory, or host memory, from one query to the next: what is
-- there, of the tables that the user may read; to have it there; to have it gone.
--

CREATE FUNCTION gpuagg_cache_list(
	OUT relation regclass, OUT attribute text, OUT rows bigint, OUT bytes bigint,
	OUT bytes_unencoded bigint, OUT blocks bigint, OUT hits bigint,
	OUT last_used timestamptz, OUT valid float8, OUT device integer, OUT host_bytes bigint)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL RESTRICTED;

CREATE VIEW gpuagg_cache AS
	SELECT relation, attribute, max(rows) AS rows, sum(bytes)::bigint AS bytes,
		sum(bytes_unencoded)::bigint AS bytes_unencoded, max(blocks) AS blocks,
		max(valid) AS valid, sum(hits)::bigint AS hits, max(last_used) AS last_used, device,
		sum(host_bytes)::bigint AS host_bytes
	FROM gpuagg_cache_list()
	GROUP BY relation, attribute, device;

GRANT SELECT ON gpuagg_cache TO PUBLIC;

COMMENT ON VIEW gpuagg_cache IS 'columns of tables that are kept in device memory, or in shared memory';

CREATE FUNCTION gpuagg_prewarm(relation regclass, columns text[] DEFAULT NULL,
	OUT rows bigint, OUT bytes bigint, OUT seconds float8)
	RETURNS record
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;

COMMENT ON FUNCTION gpuagg_prewarm(regclass, text[]) IS
	'read a table, and keep columns of it in device memory, or in shared memory';

CREATE FUNCTION gpuagg_evict(relation regclass) RETURNS bigint
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;

COMMENT ON FUNCTION gpuagg_evict(regclass) IS
	'give back the memory that columns of a table are kept in, so many bytes';

--
-- gpuagg_check(): whether settings and machine suit gpuagg, a row a check.
--

CREATE FUNCTION gpuagg_check(OUT name text, OUT status text, OUT seen text, OUT advice text)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 20;

COMMENT ON FUNCTION gpuagg_check() IS
	'settings and machine: what was looked at, what was seen, and what to do';
