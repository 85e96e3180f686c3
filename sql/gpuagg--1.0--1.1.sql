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
