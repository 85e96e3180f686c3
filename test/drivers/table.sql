-- What the drivers' queries read: queries.txt.  Sums of floats
-- are exact without gpuagg, too.
SET client_min_messages = error;
DROP TABLE IF EXISTS driven;
CREATE TABLE driven AS
	SELECT i % 97 AS k, i AS v, (i * 1.25)::numeric(12, 2) AS n, i / 8.0::float8 AS f, 's' || i % 13 AS s,
		timestamp '2024-01-01' + i * interval '1 minute' AS t, CASE WHEN i % 5 > 0 THEN i END AS x
	FROM generate_series(1, 20000) i;
VACUUM ANALYZE driven;
