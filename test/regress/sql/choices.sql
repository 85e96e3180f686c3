--
-- Which paths auto takes where most of the cost is that of the input, which is the same for
-- PostgreSQL's own plan, and where an order or the first rows are wanted.
--
\set VERBOSITY terse
-- days of which some are there twice, so that joins are PostgreSQL's
CREATE TABLE choice_days (day int, version int, year int, month int, PRIMARY KEY (day, version));
CREATE TABLE choice_items (item int PRIMARY KEY, brand text, class text);
CREATE TABLE choice_sales (day int, item int, customer int, amount numeric(9,2));
INSERT INTO choice_days SELECT i, 1, 1950 + i / 100, i / 10 % 10 FROM generate_series(1, 10000) i;
INSERT INTO choice_days SELECT i, 2, 1900, 11 FROM generate_series(1, 2000) i;
INSERT INTO choice_items SELECT i, 'brand ' || i % 50, 'class ' || i % 7 FROM generate_series(1, 500) i;
-- of a hundred years two have sales, so that joins have more rows than are estimated
INSERT INTO choice_sales SELECT 5000 + i % 200, 1 + i * 7 % 500, i % 2000, i % 100 FROM generate_series(1, 50000) i;
CREATE INDEX ON choice_sales (customer);
CREATE TABLE choice_texts (t text, n int, v int, filler char(200));
INSERT INTO choice_texts SELECT 'text ' || i / 4, i % 4, i, '' FROM generate_series(1, 20000) i;
CREATE INDEX ON choice_texts (t, n) INCLUDE (v);
VACUUM ANALYZE choice_days, choice_items, choice_sales, choice_texts;

-- what is tested are decisions by these costs, without workers
SET gpuagg.mode = auto;
SET gpuagg.engine = cpu;
SET gpuagg.setup_cost = 12;
SET gpuagg.page_cost = 0.02;
SET gpuagg.tuple_cost = 0.002;
SET gpuagg.operator_cost = 0.00015;
SET gpuagg.group_cost = 0.002;
SET max_parallel_workers_per_gather = 0;
SET random_page_cost = 1;
CREATE FUNCTION choice(query text) RETURNS TABLE (step text, taken boolean, costs text, reason text)
LANGUAGE sql AS $$
	SELECT regexp_replace(step, 'choice_\w+\.', '', 'g'), taken, CASE WHEN cost < postgresql_cost THEN 'less'
		WHEN cost < postgresql_cost * 1.01 THEN 'about as much' ELSE 'more' END, regexp_replace(reason, '\d+', 'N') FROM gpuagg_explain(query) $$;

-- Few groups of a join, by estimate: the setup is noise, and rows may be more.
SELECT * FROM choice('SELECT class, sum(amount) FROM choice_sales JOIN choice_days USING (day) JOIN choice_items USING (item)
	WHERE year = 2000 AND month = 3 GROUP BY class');
SELECT * FROM choice('SELECT class, brand, sum(amount) FROM choice_sales JOIN choice_days USING (day) JOIN choice_items USING (item)
	WHERE year = 2000 AND month = 3 GROUP BY ROLLUP (class, brand) ORDER BY 1, 2 LIMIT 100');
SELECT * FROM choice('SELECT class, sum(amount), rank() OVER (ORDER BY class) FROM choice_sales JOIN choice_days USING (day) JOIN choice_items USING (item)
	WHERE year = 2000 AND month = 3 GROUP BY class');
SELECT * FROM choice('SELECT DISTINCT brand, customer FROM choice_sales JOIN choice_days USING (day) JOIN choice_items USING (item)
	WHERE year = 2000 AND month = 3');
-- It is not noise in the cost of few rows by an index, nor is it spared where there are no groups to find.
SELECT * FROM choice('SELECT class, sum(amount) FROM choice_sales JOIN choice_items USING (item) WHERE customer = 7 GROUP BY class');
SELECT * FROM choice('SELECT sum(day), max(customer) FROM choice_sales JOIN choice_days USING (day) WHERE year = 2000 AND month = 3');

-- Look-ups may cost more by a few parts in a hundred, as estimates of a join's rows are too low.
CREATE FUNCTION chosen_at(query text, part float8) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	off json;
	forced json;
	chosen text;
BEGIN
	SET LOCAL gpuagg.setup_cost = 0;
	SET LOCAL gpuagg.mode = off;
	EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO off;
	SET LOCAL gpuagg.mode = force;
	EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO forced;
	PERFORM set_config('gpuagg.setup_cost', (part * (off->0->'Plan'->>'Total Cost')::float8 - (forced->0->'Plan'->>'Total Cost')::float8)::text, true);
	SET LOCAL gpuagg.mode = auto;
	FOR chosen IN EXECUTE 'EXPLAIN ' || query LOOP
		IF chosen LIKE '%Look-up:%' THEN
			RETURN 'look-ups';
		END IF;
	END LOOP;
	RETURN 'join';
END $$;
SELECT part, chosen_at('SELECT class, sum(amount) FROM choice_sales JOIN choice_items USING (item) GROUP BY class', part) FROM (VALUES (1.02), (1.05)) p (part);
DROP FUNCTION chosen_at;

-- Scans of an index in a loop read more pages than the planner counts, which takes 200 of them to be some of 5,000.
CREATE TABLE choice_regions (region int PRIMARY KEY, name text);
CREATE TABLE choice_makers (maker int PRIMARY KEY, region int);
CREATE TABLE choice_orders (maker int, amount int, filler char(100));
INSERT INTO choice_regions SELECT i, 'region ' || i FROM generate_series(1, 25) i;
INSERT INTO choice_makers SELECT i, 1 + i % 25 FROM generate_series(1, 5000) i;
INSERT INTO choice_orders SELECT 1 + (i::bigint * 7919) % 5000, i, '' FROM generate_series(1, 50000) i;
CREATE INDEX ON choice_makers (region);
CREATE INDEX ON choice_orders (maker);
VACUUM ANALYZE choice_regions, choice_makers, choice_orders;
CREATE FUNCTION looks_up(query text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	SET LOCAL random_page_cost = 4;
	FOR line IN EXECUTE 'EXPLAIN ' || query LOOP
		IF line LIKE '%Look-up:%' THEN
			RETURN true;
		END IF;
	END LOOP;
	RETURN false;
END $$;
SELECT looks_up('SELECT sum(amount) FROM choice_orders JOIN choice_makers USING (maker) JOIN choice_regions USING (region) WHERE name = ''region 7''');
-- Not where it knows how many there are.
SELECT looks_up('SELECT sum(amount) FROM choice_orders JOIN choice_makers USING (maker) WHERE region = 7 AND maker < 250');
-- Nearly each row finds the one that it refers to by a key of two columns, which the planner takes to be independent: 1,000 are joined, of which it expects 10.
CREATE TABLE choice_offers (part int, maker int, price int, PRIMARY KEY (part, maker));
CREATE TABLE choice_lines (part int, maker int, a int, b int, c int, amount int);
INSERT INTO choice_regions SELECT i, 'region ' || i FROM generate_series(26, 1000) i;
INSERT INTO choice_offers SELECT 1 + i / 10, 1 + i % 1000, i FROM generate_series(0, 4999) i;
INSERT INTO choice_lines SELECT part, maker, 1 + n % 1000, 1 + n / 7 % 1000, 1 + n / 11 % 1000, price FROM choice_offers, generate_series(1, 20) n ORDER BY n;
CREATE INDEX ON choice_lines (part, maker);
VACUUM ANALYZE choice_regions, choice_lines, choice_offers;
SELECT looks_up('SELECT sum(amount * price), min(r1.region), min(r2.name), min(r3.region) FROM choice_lines JOIN choice_offers USING (part, maker)
	JOIN choice_regions r1 ON a = r1.region JOIN choice_regions r2 ON b = r2.region JOIN choice_regions r3 ON c = r3.region WHERE price < 50');
-- Few rows are read by an index.
SELECT looks_up('SELECT sum(amount * price), min(r1.region), min(r2.name), min(r3.region) FROM choice_lines JOIN choice_offers USING (part, maker)
	JOIN choice_regions r1 ON a = r1.region JOIN choice_regions r2 ON b = r2.region JOIN choice_regions r3 ON c = r3.region WHERE price = 50');
DROP FUNCTION looks_up;
DROP TABLE choice_regions, choice_makers, choice_orders, choice_offers, choice_lines;

-- An order that the query needs, or a query around it, counts with the sort that it spares.
SELECT * FROM choice('SELECT t, n, sum(v) FROM choice_texts GROUP BY t, n ORDER BY t, n');
SELECT * FROM choice('SELECT t, n, sum(v), rank() OVER (PARTITION BY t ORDER BY n) FROM choice_texts GROUP BY t, n');
SET enable_hashagg = off;
SELECT * FROM choice('SELECT *, rank() OVER (PARTITION BY t ORDER BY s) FROM (SELECT t, n, sum(v) AS s FROM choice_texts GROUP BY t, n OFFSET 0) c');
SELECT * FROM choice('SELECT * FROM (SELECT t, n, sum(v) AS s FROM choice_texts GROUP BY t, n OFFSET 0) c ORDER BY t, s');
RESET enable_hashagg;
EXPLAIN (COSTS OFF) SELECT t, n, sum(v) FROM choice_texts GROUP BY t, n ORDER BY t, n;
-- Not where nobody can use it, or the first rows in another order are wanted.
SELECT * FROM choice('SELECT t, n, sum(v) FROM choice_texts GROUP BY t, n');
SELECT * FROM choice('SELECT t, n, sum(v) FROM choice_texts GROUP BY t, n ORDER BY sum(v), t LIMIT 10');
SELECT * FROM choice('WITH c AS MATERIALIZED (SELECT t, n, sum(v) AS s FROM choice_texts GROUP BY t, n) SELECT * FROM c ORDER BY t, s');
SELECT * FROM choice('SELECT * FROM (SELECT t, n, sum(v) AS s FROM choice_texts GROUP BY t, n OFFSET 0) c ORDER BY s, t');

-- The first rows sooner, where a part of them is taken.
SELECT * FROM choice('SELECT t, n, sum(v) FROM choice_texts GROUP BY t, n LIMIT 10');
SELECT * FROM choice('SELECT * FROM (SELECT t, n, sum(v) AS s FROM choice_texts GROUP BY t, n OFFSET 0) c WHERE s > 0 LIMIT 10');
SELECT * FROM choice('SELECT * FROM (SELECT t, n, sum(v) AS s FROM choice_texts GROUP BY t, n OFFSET 0) c JOIN choice_days ON day = s LIMIT 10');

-- The planner counts nothing for sorting the values of percentiles and modes.
SELECT * FROM choice('SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY day), percentile_cont(0.5) WITHIN GROUP (ORDER BY customer), mode() WITHIN GROUP (ORDER BY item) FROM choice_sales');
SELECT * FROM choice('SELECT mode() WITHIN GROUP (ORDER BY day) FROM choice_sales WHERE customer = 7');
DROP FUNCTION choice;
DROP TABLE choice_days, choice_items, choice_sales, choice_texts;
RESET gpuagg.mode;
RESET gpuagg.engine;
RESET gpuagg.setup_cost;
RESET gpuagg.page_cost;
RESET gpuagg.tuple_cost;
RESET gpuagg.operator_cost;
RESET gpuagg.group_cost;
RESET max_parallel_workers_per_gather;
RESET random_page_cost;
