/* sql/gpuagg--1.0.sql */

-- complain if script is sourced in psql rather than via CREATE EXTENSION
\echo Use "CREATE EXTENSION gpuagg" to load this file. \quit

CREATE FUNCTION gpuagg_version() RETURNS text
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

COMMENT ON FUNCTION gpuagg_version() IS 'version of the gpuagg library that is loaded';

--
-- gpu_sum_by_key(key, value): an array of (key, sum, count), one element for
-- each key, in the order of ORDER BY key.  sum has the type of sum(value);
-- count is count(value).
--

CREATE TYPE gpu_sum_int4_int4 AS (key integer, sum bigint, count bigint);
CREATE FUNCTION gpu_sum_by_key_transition(internal, integer, integer) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpu_sum_by_key_int4_int4' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpu_sum_by_key_int4_int4_final(internal) RETURNS gpu_sum_int4_int4[]
	AS 'MODULE_PATHNAME', 'gpu_by_key_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE AGGREGATE gpu_sum_by_key(integer, integer) (
	SFUNC = gpu_sum_by_key_transition, STYPE = internal, SSPACE = 2048,
	FINALFUNC = gpu_sum_by_key_int4_int4_final, FINALFUNC_MODIFY = SHAREABLE,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE gpu_sum_by_key(integer, integer) IS
	'sum and count of values by key, in key order';

CREATE TYPE gpu_sum_int4_int8 AS (key integer, sum numeric, count bigint);
CREATE FUNCTION gpu_sum_by_key_transition(internal, integer, bigint) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpu_sum_by_key_int4_int8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpu_sum_by_key_int4_int8_final(internal) RETURNS gpu_sum_int4_int8[]
	AS 'MODULE_PATHNAME', 'gpu_by_key_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE AGGREGATE gpu_sum_by_key(integer, bigint) (
	SFUNC = gpu_sum_by_key_transition, STYPE = internal, SSPACE = 2048,
	FINALFUNC = gpu_sum_by_key_int4_int8_final, FINALFUNC_MODIFY = SHAREABLE,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE gpu_sum_by_key(integer, bigint) IS
	'sum and count of values by key, in key order';

CREATE TYPE gpu_sum_int4_float8 AS (key integer, sum float8, count bigint);
CREATE FUNCTION gpu_sum_by_key_transition(internal, integer, float8) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpu_sum_by_key_int4_float8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpu_sum_by_key_int4_float8_final(internal) RETURNS gpu_sum_int4_float8[]
	AS 'MODULE_PATHNAME', 'gpu_by_key_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE AGGREGATE gpu_sum_by_key(integer, float8) (
	SFUNC = gpu_sum_by_key_transition, STYPE = internal, SSPACE = 2048,
	FINALFUNC = gpu_sum_by_key_int4_float8_final, FINALFUNC_MODIFY = SHAREABLE,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE gpu_sum_by_key(integer, float8) IS
	'sum and count of values by key, in key order';

CREATE TYPE gpu_sum_int8_int4 AS (key bigint, sum bigint, count bigint);
CREATE FUNCTION gpu_sum_by_key_transition(internal, bigint, integer) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpu_sum_by_key_int8_int4' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpu_sum_by_key_int8_int4_final(internal) RETURNS gpu_sum_int8_int4[]
	AS 'MODULE_PATHNAME', 'gpu_by_key_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE AGGREGATE gpu_sum_by_key(bigint, integer) (
	SFUNC = gpu_sum_by_key_transition, STYPE = internal, SSPACE = 2048,
	FINALFUNC = gpu_sum_by_key_int8_int4_final, FINALFUNC_MODIFY = SHAREABLE,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE gpu_sum_by_key(bigint, integer) IS
	'sum and count of values by key, in key order';

CREATE TYPE gpu_sum_int8_int8 AS (key bigint, sum numeric, count bigint);
CREATE FUNCTION gpu_sum_by_key_transition(internal, bigint, bigint) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpu_sum_by_key_int8_int8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpu_sum_by_key_int8_int8_final(internal) RETURNS gpu_sum_int8_int8[]
	AS 'MODULE_PATHNAME', 'gpu_by_key_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE AGGREGATE gpu_sum_by_key(bigint, bigint) (
	SFUNC = gpu_sum_by_key_transition, STYPE = internal, SSPACE = 2048,
	FINALFUNC = gpu_sum_by_key_int8_int8_final, FINALFUNC_MODIFY = SHAREABLE,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE gpu_sum_by_key(bigint, bigint) IS
	'sum and count of values by key, in key order';

CREATE TYPE gpu_sum_int8_float8 AS (key bigint, sum float8, count bigint);
CREATE FUNCTION gpu_sum_by_key_transition(internal, bigint, float8) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpu_sum_by_key_int8_float8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpu_sum_by_key_int8_float8_final(internal) RETURNS gpu_sum_int8_float8[]
	AS 'MODULE_PATHNAME', 'gpu_by_key_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE AGGREGATE gpu_sum_by_key(bigint, float8) (
	SFUNC = gpu_sum_by_key_transition, STYPE = internal, SSPACE = 2048,
	FINALFUNC = gpu_sum_by_key_int8_float8_final, FINALFUNC_MODIFY = SHAREABLE,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE gpu_sum_by_key(bigint, float8) IS
	'sum and count of values by key, in key order';

CREATE TYPE gpu_sum_text_int4 AS (key text, sum bigint, count bigint);
CREATE FUNCTION gpu_sum_by_key_transition(internal, text, integer) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpu_sum_by_key_text_int4' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpu_sum_by_key_text_int4_final(internal) RETURNS gpu_sum_text_int4[]
	AS 'MODULE_PATHNAME', 'gpu_by_key_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE AGGREGATE gpu_sum_by_key(text, integer) (
	SFUNC = gpu_sum_by_key_transition, STYPE = internal, SSPACE = 2048,
	FINALFUNC = gpu_sum_by_key_text_int4_final, FINALFUNC_MODIFY = SHAREABLE,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE gpu_sum_by_key(text, integer) IS
	'sum and count of values by key, in key order';

CREATE TYPE gpu_sum_text_int8 AS (key text, sum numeric, count bigint);
CREATE FUNCTION gpu_sum_by_key_transition(internal, text, bigint) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpu_sum_by_key_text_int8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpu_sum_by_key_text_int8_final(internal) RETURNS gpu_sum_text_int8[]
	AS 'MODULE_PATHNAME', 'gpu_by_key_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE AGGREGATE gpu_sum_by_key(text, bigint) (
	SFUNC = gpu_sum_by_key_transition, STYPE = internal, SSPACE = 2048,
	FINALFUNC = gpu_sum_by_key_text_int8_final, FINALFUNC_MODIFY = SHAREABLE,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE gpu_sum_by_key(text, bigint) IS
	'sum and count of values by key, in key order';

CREATE TYPE gpu_sum_text_float8 AS (key text, sum float8, count bigint);
CREATE FUNCTION gpu_sum_by_key_transition(internal, text, float8) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpu_sum_by_key_text_float8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpu_sum_by_key_text_float8_final(internal) RETURNS gpu_sum_text_float8[]
	AS 'MODULE_PATHNAME', 'gpu_by_key_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE AGGREGATE gpu_sum_by_key(text, float8) (
	SFUNC = gpu_sum_by_key_transition, STYPE = internal, SSPACE = 2048,
	FINALFUNC = gpu_sum_by_key_text_float8_final, FINALFUNC_MODIFY = SHAREABLE,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE gpu_sum_by_key(text, float8) IS
	'sum and count of values by key, in key order';

--
-- gpu_count_by_key(key): an array of (key, count), likewise; count is count(*).
--

CREATE TYPE gpu_count_int4 AS (key integer, count bigint);
CREATE FUNCTION gpu_count_by_key_transition(internal, integer) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpu_count_by_key_int4' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpu_count_by_key_int4_final(internal) RETURNS gpu_count_int4[]
	AS 'MODULE_PATHNAME', 'gpu_by_key_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE AGGREGATE gpu_count_by_key(integer) (
	SFUNC = gpu_count_by_key_transition, STYPE = internal, SSPACE = 2048,
	FINALFUNC = gpu_count_by_key_int4_final, FINALFUNC_MODIFY = SHAREABLE,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE gpu_count_by_key(integer) IS
	'number of rows by key, in key order';

CREATE TYPE gpu_count_int8 AS (key bigint, count bigint);
CREATE FUNCTION gpu_count_by_key_transition(internal, bigint) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpu_count_by_key_int8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpu_count_by_key_int8_final(internal) RETURNS gpu_count_int8[]
	AS 'MODULE_PATHNAME', 'gpu_by_key_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE AGGREGATE gpu_count_by_key(bigint) (
	SFUNC = gpu_count_by_key_transition, STYPE = internal, SSPACE = 2048,
	FINALFUNC = gpu_count_by_key_int8_final, FINALFUNC_MODIFY = SHAREABLE,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE gpu_count_by_key(bigint) IS
	'number of rows by key, in key order';

CREATE TYPE gpu_count_text AS (key text, count bigint);
CREATE FUNCTION gpu_count_by_key_transition(internal, text) RETURNS internal
	AS 'MODULE_PATHNAME', 'gpu_count_by_key_text' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION gpu_count_by_key_text_final(internal) RETURNS gpu_count_text[]
	AS 'MODULE_PATHNAME', 'gpu_by_key_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE AGGREGATE gpu_count_by_key(text) (
	SFUNC = gpu_count_by_key_transition, STYPE = internal, SSPACE = 2048,
	FINALFUNC = gpu_count_by_key_text_final, FINALFUNC_MODIFY = SHAREABLE,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE gpu_count_by_key(text) IS
	'number of rows by key, in key order';

--
-- gpuagg_devices: the CUDA devices that this server sees, or one row that says
-- what is missing.
--

CREATE FUNCTION gpuagg_device_list(
	OUT device integer, OUT name text, OUT memory bigint,
	OUT compute_capability text, OUT driver text, OUT usable boolean, OUT reason text)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL RESTRICTED;

CREATE VIEW gpuagg_devices AS SELECT * FROM gpuagg_device_list();

GRANT SELECT ON gpuagg_devices TO PUBLIC;

COMMENT ON VIEW gpuagg_devices IS 'CUDA devices, and whether gpuagg can use them';
