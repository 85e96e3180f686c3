--
-- rank, dense_rank, percent_rank and cume_dist of a hypothetical row: counts of the rows before it.
--

CREATE TABLE ranked_rows (g int, v int, f float8, n numeric(10, 2), s text COLLATE "C", d date, o int NOT NULL);
INSERT INTO ranked_rows SELECT i % 5, nullif(i % 100, i % 11 * 10), CASE i % 13 WHEN 0 THEN 'NaN'::float8 WHEN 1 THEN NULL WHEN 2 THEN '-0' WHEN 3 THEN 0 ELSE i % 50 END,
	CASE WHEN i % 7 > 0 THEN i % 60 / 4.0 END, CASE WHEN i % 9 > 0 THEN 'key ' || i % 30 END, date '2024-01-01' + i % 90, i % 4
FROM generate_series(1, 3000) i;
ANALYZE ranked_rows;

-- each order, a NULL value, values that rows have and have not
CREATE FUNCTION check_ranks(direct text, ordered text, rest text) RETURNS SETOF text LANGUAGE sql AS $$
	SELECT check_query(format('SELECT g, %1$s, count(*) FROM ranked_rows %2$s GROUP BY g',
		string_agg(format('%s(%s) WITHIN GROUP (ORDER BY %s) %s', f, direct, ordered, filter), ', ' ORDER BY f, filter), rest))
	FROM unnest('{rank,dense_rank,percent_rank,cume_dist}'::text[]) f, (VALUES (''), ('FILTER (WHERE o > 0)')) x (filter) $$;
SELECT check_ranks('50', 'v' || o, '') FROM unnest('{""," DESC"," NULLS FIRST"," DESC NULLS LAST"," USING >"}'::text[]) o;
SELECT check_ranks('NULL::int', 'v' || o, '') FROM unnest('{""," DESC"," NULLS FIRST"," DESC NULLS LAST"}'::text[]) o;
SELECT check_ranks('-1', 'v', 'WHERE v > 3'), check_ranks('1000', 'v', 'WHERE v > 3');

-- each type; NaN is above all, 0 and -0 are equal
SELECT check_ranks(v, 'f', ''), check_ranks(v, 'f DESC', '') FROM unnest('{0::float8,''-0'',''NaN'',''inf'',7.5}'::text[]) v;
SELECT check_ranks('7.25', 'n', ''), check_ranks('7.2501', 'n DESC', ''), check_ranks('date ''2024-02-01''', 'd', ''), check_ranks('true', 'v > 50', '');
SELECT check_query('SELECT g, rank(''key 15'') WITHIN GROUP (ORDER BY s), cume_dist(''key 15'') WITHIN GROUP (ORDER BY s DESC), percent_rank(''l'') WITHIN GROUP (ORDER BY s) FROM ranked_rows GROUP BY g');

-- several values
SELECT check_query(format('SELECT g, rank(50, %1$s, ''key 15'') WITHIN GROUP (ORDER BY v%2$s, f%3$s, s), cume_dist(50, %1$s, ''key 15'') WITHIN GROUP (ORDER BY v%2$s, f%3$s, s), percent_rank(50, %1$s, NULL) WITHIN GROUP (ORDER BY v%2$s, f%3$s, s) FROM ranked_rows GROUP BY g', f, a, b))
FROM unnest('{0::float8,''NaN'',NULL::float8}'::text[]) f, unnest('{""," DESC"}'::text[]) a, unnest('{""," NULLS FIRST"}'::text[]) b;

-- without GROUP BY, over nothing, beside others, with grouping sets, over a join, in HAVING and ORDER BY
SELECT rank(5) WITHIN GROUP (ORDER BY v), dense_rank(5) WITHIN GROUP (ORDER BY v), percent_rank(5) WITHIN GROUP (ORDER BY v), cume_dist(5) WITHIN GROUP (ORDER BY v) FROM ranked_rows WHERE g > 99;
SELECT check_query('SELECT rank(5) WITHIN GROUP (ORDER BY v), dense_rank(5) WITHIN GROUP (ORDER BY v), percent_rank(5) WITHIN GROUP (ORDER BY v), cume_dist(5) WITHIN GROUP (ORDER BY v) FROM ranked_rows WHERE g > 99');
SELECT check_query('SELECT rank(5) WITHIN GROUP (ORDER BY v), dense_rank(5) WITHIN GROUP (ORDER BY v DESC), percent_rank(5) WITHIN GROUP (ORDER BY v), cume_dist(5) WITHIN GROUP (ORDER BY v) FROM ranked_rows');
SELECT check_query('SELECT g, rank(5) WITHIN GROUP (ORDER BY v), percentile_cont(0.5) WITHIN GROUP (ORDER BY f), sum(n), avg(v) FROM ranked_rows GROUP BY g');
SELECT check_query('SELECT g, rank(5) WITHIN GROUP (ORDER BY v), count(DISTINCT v), sum(DISTINCT v) FROM ranked_rows GROUP BY g');
SELECT check_query('SELECT g, o, rank(5) WITHIN GROUP (ORDER BY v), cume_dist(5) WITHIN GROUP (ORDER BY v) FROM ranked_rows GROUP BY ROLLUP (g, o)');
SELECT check_query('SELECT g, o, rank(5) WITHIN GROUP (ORDER BY v), dense_rank(5) WITHIN GROUP (ORDER BY v) FROM ranked_rows GROUP BY CUBE (g, o)');
SELECT check_query('SELECT x.o, rank(5) WITHIN GROUP (ORDER BY y.v) FROM ranked_rows x JOIN (SELECT DISTINCT ON (g) g, v FROM ranked_rows ORDER BY g, v) y USING (g) GROUP BY 1');
SELECT check_query('SELECT g, rank(50) WITHIN GROUP (ORDER BY v) AS r FROM ranked_rows GROUP BY g HAVING rank(50) WITHIN GROUP (ORDER BY v) > 270 ORDER BY r DESC, g LIMIT 2');

-- parameters; an argument that differs from group to group
PREPARE ranks (int) AS SELECT g, rank($1) WITHIN GROUP (ORDER BY v), dense_rank($1) WITHIN GROUP (ORDER BY v DESC) FROM ranked_rows GROUP BY g ORDER BY g;
SET plan_cache_mode = force_generic_plan;
EXECUTE ranks (17);
EXECUTE ranks (NULL);
SET gpuagg.mode = off;
EXECUTE ranks (17);
EXECUTE ranks (NULL);
RESET gpuagg.mode;
RESET plan_cache_mode;
DEALLOCATE ranks;
SELECT reason FROM gpuagg_explain('SELECT g, rank(g) WITHIN GROUP (ORDER BY v) FROM ranked_rows GROUP BY g');
SELECT reason FROM gpuagg_explain('SELECT dense_rank(1, 2) WITHIN GROUP (ORDER BY v, g) FROM ranked_rows');
CREATE AGGREGATE my_rank(VARIADIC "any" ORDER BY VARIADIC "any") (sfunc = ordered_set_transition_multi, stype = internal, finalfunc = rank_final, finalfunc_extra, hypothetical);
SELECT reason FROM gpuagg_explain('SELECT my_rank(1) WITHIN GROUP (ORDER BY v) FROM ranked_rows');
DROP AGGREGATE my_rank(VARIADIC "any" ORDER BY VARIADIC "any");

-- all that rows are ordered by is evaluated for each of them, and the filter before it
SELECT check_fallback('SELECT rank(1, 1) WITHIN GROUP (ORDER BY o, 1 / v) FROM ranked_rows');
SELECT check_fallback('SELECT rank(NULL::int) WITHIN GROUP (ORDER BY 1 / v NULLS FIRST) FROM ranked_rows');
SELECT check_query('SELECT rank(1, 1) WITHIN GROUP (ORDER BY o, 1 / v) FILTER (WHERE v > 0) FROM ranked_rows');

DROP FUNCTION check_ranks;
DROP TABLE ranked_rows;
