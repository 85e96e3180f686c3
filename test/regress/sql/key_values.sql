--
-- Groups that keys of few values make: days and months of moments, fields, quotients and rests,
-- cases of constants.  What is not of that kind has as many as PostgreSQL's rules say.
--
CREATE TABLE dated (at timestamp NOT NULL, tz timestamptz NOT NULL, d date NOT NULL, n int NOT NULL, big bigint, x float8, m numeric(12,3));
INSERT INTO dated SELECT timestamp '2025-01-01' + i * interval '1 minute', timestamptz '2025-01-01 00:00+00' + i * interval '1 minute',
	date '2000-01-01' + i % 9000, i, i * 1000, i, i / 100.0 FROM generate_series(0, 19999) i;
ANALYZE dated;
-- the estimate of the groups, rounded, and who makes them
CREATE FUNCTION estimated(key text, OUT groups text, OUT maker text) LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE format('EXPLAIN (FORMAT JSON) SELECT %1$s, count(*), sum(n) FROM dated GROUP BY %1$s', key) INTO plan;
	maker := coalesce(plan->0->'Plan'->>'Custom Plan Provider', 'PostgreSQL');
	groups := round((plan->0->'Plan'->>'Plan Rows')::numeric, -1);
END $$;
SET gpuagg.mode = force;
SELECT key, (estimated(key)).* FROM unnest(ARRAY['date_trunc(''day'', at)', 'date_trunc(''hour'', tz)', 'date_trunc(''month'', d)',
	'at::date', 'extract(month FROM at)', 'extract(hour FROM tz)::int', 'extract(year FROM d)', 'date_part(''dow'', d)', 'n / 1000', 'big % 100',
	'n % 7 + 1', 'CASE WHEN n < 100 THEN ''few'' WHEN n < 1000 THEN ''more'' ELSE ''many'' END',
	'date_trunc(''month'', at) + interval ''1 day''', 'date_trunc(''minute'', at)', 'n', 'n + 1', 'CASE WHEN n < 100 THEN n ELSE 0 END',
	'date_trunc(''week'', at AT TIME ZONE ''UTC'')', 'floor(extract(epoch FROM at) / 3600)', 'floor(extract(epoch FROM tz) / 900) * 900', 'ceil(extract(epoch FROM d) / 864000)',
	'extract(epoch FROM at)::int / 3600', 'floor(n / 1000.0)', 'ceil(big / 1000000.0)', 'floor(m / 50)', 'ceil(m)']) key;
SELECT (estimated('date_trunc(''day'', at), n % 3')).*;
-- one to whom rows are hidden learns nothing of the range
CREATE ROLE key_values_user;
GRANT SELECT ON dated TO key_values_user;
ALTER TABLE dated ENABLE ROW LEVEL SECURITY;
CREATE POLICY half ON dated USING (n >= 0);
SET ROLE key_values_user;
SELECT key, (estimated(key)).groups FROM unnest(ARRAY['date_trunc(''day'', at)', 'n / 1000', 'big % 100']) key;
RESET ROLE;
SELECT key, (estimated(key)).groups FROM unnest(ARRAY['date_trunc(''day'', at)', 'n / 1000', 'big % 100']) key;
RESET gpuagg.mode;
DROP FUNCTION estimated(text);
DROP TABLE dated;
DROP ROLE key_values_user;
