--
-- Prepared statements: parameters in custom and generic plans, plans that
-- outlive changes of table and settings.
--
SET plan_cache_mode = force_generic_plan;
PREPARE by_limit (int) AS SELECT b, count(*), sum(i4) FROM facts WHERE i4 > $1 GROUP BY b ORDER BY b;
EXECUTE by_limit(0);
EXECUTE by_limit(450);
EXECUTE by_limit(NULL);
EXECUTE by_limit(1000);

-- every type as a parameter, every place for it
PREPARE by_types (smallint, bigint, real, float8, date, timestamp, timestamptz, text, uuid, bool) AS
SELECT count(*), count(*) FILTER (WHERE i2 > $1), count(*) FILTER (WHERE i8 = $2), count(*) FILTER (WHERE f4 < $3),
	count(*) FILTER (WHERE f8 < $4), count(*) FILTER (WHERE d >= $5), count(*) FILTER (WHERE ts <= $6),
	count(*) FILTER (WHERE tz <> $7), count(*) FILTER (WHERE t = $8), count(*) FILTER (WHERE u = $9), count(*) FILTER (WHERE b = $10)
FROM facts;
EXECUTE by_types(5, 10000000000, 1.5, -2.25, '2000-03-01', '2000-01-01', '2001-04-01 05:00+00', 'bbb',
	'c4ca4238-a0b9-2382-0dcc-509a6f75849b', false);
EXECUTE by_types(NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
PREPARE by_sum (int) AS SELECT i2 % $1, sum(i4 + $1), max(d + $1) FROM facts GROUP BY 1 ORDER BY 1;
EXECUTE by_sum(3);
EXECUTE by_sum(2);
EXECUTE by_sum(0);
PREPARE by_list (int[]) AS SELECT b, count(*) FROM facts WHERE i4 = ANY ($1) GROUP BY b ORDER BY b;
EXECUTE by_list('{1,2,3}');
EXECUTE by_list('{}');
EXECUTE by_list(NULL);
EXECUTE by_list('{5,NULL}');
EXPLAIN (COSTS OFF) EXECUTE by_list('{1}') \g /dev/null
PREPARE by_having (int) AS SELECT i2, count(*) FROM facts GROUP BY i2 HAVING count(*) > $1 ORDER BY i2 LIMIT $1 / 20;
EXECUTE by_having(60);

-- without parameters, again and again, with changing rows
CREATE TABLE changing (g int, v int);
PREPARE totals AS SELECT g, count(*), sum(v) FROM changing GROUP BY g ORDER BY g;
EXECUTE totals;
INSERT INTO changing VALUES (1, 2), (1, 3), (2, 4);
EXECUTE totals;
DELETE FROM changing WHERE g = 1;
EXECUTE totals;
TRUNCATE changing;
EXECUTE totals;

-- the table changes below the plan
INSERT INTO changing VALUES (1, 10), (2, 20);
ALTER TABLE changing ADD COLUMN w int DEFAULT 5;
EXECUTE totals;
ALTER TABLE changing ALTER v TYPE bigint;
EXECUTE totals;
ALTER TABLE changing ALTER v TYPE int;
ALTER TABLE changing DROP COLUMN w;
EXECUTE totals;
CREATE INDEX ON changing (g);
EXECUTE totals;

-- a plan made in one mode is kept in another
SET gpuagg.mode = off;
EXECUTE totals;
SET gpuagg.mode = force;
EXECUTE totals;
DISCARD PLANS;
EXECUTE totals;

-- one made for an engine that can do more than the one that is to run it
SET plan_cache_mode = force_generic_plan;
SET gpuagg.engine = cpu;
PREPARE extremes AS SELECT b, min(vc COLLATE "C"), max(vc COLLATE "C") FROM facts GROUP BY b ORDER BY b;
EXECUTE extremes;
RESET gpuagg.engine;
SELECT no_fallback() \gset
SET gpuagg.fallback = :no_fallback;
EXECUTE extremes;
RESET gpuagg.fallback;

SET plan_cache_mode = force_custom_plan;
EXECUTE by_limit(450);
EXECUTE by_list('{1,2,3}');
RESET plan_cache_mode;
DEALLOCATE ALL;
