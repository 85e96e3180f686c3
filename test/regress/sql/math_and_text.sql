--
-- Bits, roots and rounding, texts in order, places and blanks.
--
SELECT x, check_engine(format('SELECT %1$s AS x, count(*), min(id), max(id) FROM facts GROUP BY 1', x))
FROM unnest(ARRAY['i2 & 5::smallint', 'i4 & 255', 'i8 & i4', 'i2 | 7::smallint', 'i4 | i2', 'i8 | 4096', 'i2 # i2', 'i4 # 77', 'i8 # -1', '~i2', '~i4', '~i8', 'i2 << 3', 'i2 << 15', 'i2 >> 1', 'i4 << 5', 'i4 << 31', 'i4 >> 2', 'i4 >> 31', 'i8 << 7', 'i8 << 63', 'i8 >> 40', 'i8 >> 63', 'i4 << (id % 32)', 'i8 >> (id % 64)',
	'sqrt(f8 * f8)', '|/ abs(f4)', 'floor(f8)', 'ceil(f8)', 'ceiling(f4)', 'round(f8)', 'round(f4)', 'trunc(f8)', 'trunc(f8 / 7)', 'sign(f8)', 'sign(f4)', 'degrees(f8)', 'degrees(f4)', 'radians(f8)', 'radians(f4)', 'round(f8 / 3)::int', 'floor(f8)::bigint',
	'GREATEST(t, vc)', 'LEAST(t, vc, ''m'')', 'length(GREATEST(ch, ''ab''))', 'LEAST(ch, ''ab'')::text', 'LEAST(vc, NULL)', 't < vc', 't <= ''c''', 'vc > t', 't >= vc', 'ch < ''ab ''', 'ch <= ''ab'' ', 'ch > ''abc''', 'ch >= ''abc''']) x;
SELECT check_engine('SELECT count(*), min(id) FROM facts WHERE t > ''c'' AND t < ''dd'' AND vc BETWEEN ''v1'' AND ''v5''');
SELECT x::text AS value, check_query(format('SELECT floor(x), ceil(x), round(x), trunc(x), sign(x), 1 / NULLIF(sign(trunc(x)), 0), abs(x) FROM (VALUES (%L::float8), (2.5)) v (x) GROUP BY x', x)), 
	check_query(format('SELECT sqrt(x), sqrt(LEAST(x, 1e30)::float4), round(LEAST(x, 1e30)::float4) FROM (VALUES (%L::float8), (2.5)) v (x) GROUP BY x', x)) AS roots
FROM unnest('{0,-0,0.5,-0.5,1.5,2.5,-2.5,4503599627370497.5,1e300,Infinity,NaN,0.1}'::float8[]) x WHERE x >= 0 OR x::text = '-0' OR x = 'NaN';
SELECT check_query('SELECT floor(x), ceil(x), round(x), trunc(x), sign(x) FROM (VALUES (''-Infinity''::float8), (-0.5), (-1.5), (-2.5), (-0.4)) v (x) GROUP BY x');

CREATE TABLE words (id int, t text, c char(8), p text);
INSERT INTO words SELECT row_number() OVER (), a || b || a, left(b || a, 8), c FROM unnest('{"",a,é,"€€"," ","  x"}'::text[]) a, unnest('{"",ab,éa,"a b"," ",b€,"aé "}'::text[]) b, unnest('{"",a,b,é,"a b",aé,€€,"é€"," ",zz}'::text[]) c;
INSERT INTO words VALUES (0, NULL, NULL, NULL), (-1, 'x', NULL, NULL), (-2, NULL, 'x', 'x'), (-3, E'a\u00ff', 'b', E'\x7f');
SELECT x, check_engine(format('SELECT %1$s AS x, count(*), min(id), max(id) FROM words GROUP BY 1', x))
FROM unnest(ARRAY['strpos(t, p)', 'strpos(t, ''é'')', 'position(p IN t)', 'position(''€'' IN t)', 'strpos(t, '''')', 'strpos(p, t)', 'btrim(t)', 'ltrim(t)', 'rtrim(t)', 'trim(t)', 'trim(both from c)', 'length(ltrim(t))', 'starts_with(t, p)', 't ^@ ''é''', 'starts_with(t, '''')',
	't < p', 't <= p', 't > p', 't >= p', 'GREATEST(t, p, c)', 'LEAST(p, t)', 'c >= ''a''']) x;
SELECT check_engine('SELECT max(strpos(t, p)), sum(length(btrim(t))), count(*) FILTER (WHERE t < p), bool_or(t > p) FROM words');
SELECT c AS condition, check_engine('SELECT count(*), min(id), max(id) FROM words WHERE ' || c)
FROM unnest(ARRAY['(t < p) IS TRUE', '(t < p) IS NOT TRUE', '(t < p) IS FALSE', '(t < p) IS NOT FALSE', '(t < p) IS UNKNOWN', '(t < p) IS NOT UNKNOWN']) c;

-- shifts that depend on the machine are PostgreSQL's, as are collations but C
SELECT x, check_fallback(format('SELECT %s, count(*) FROM facts WHERE id < 100 GROUP BY 1', x)) FROM unnest('{i4 << id,i4 >> -id,i8 << id,i2 << 16,i2 >> 17}'::text[]) x;
CREATE COLLATION other (provider = icu, locale = 'en');
SET gpuagg.report_rejections = on;
SELECT count(*) FILTER (WHERE t < 'b' COLLATE other), max(GREATEST(t, p COLLATE other)) = 'zz' FROM words WHERE id = -1;
RESET gpuagg.report_rejections;

-- integers of numerics, their quotients, fields of texts
CREATE TABLE math_amounts (id int, k int, n numeric(12,2), m numeric(15,6), q numeric, w numeric(40,10), t text);
INSERT INTO math_amounts SELECT i, i % 5, (i - 500) * 0.25, (i - 500) * 1.000001, (i - 500) * 0.1, i * 1e20, 'a' || i % 7 || ',é,,' || i % 3 FROM generate_series(1, 1000) i;
INSERT INTO math_amounts VALUES (-1, 1, NULL, NULL, NULL, NULL, NULL), (-2, 2, 9999999999.99, 999999999.999999, 0.0, -1, ''), (-3, 3, -9999999999.99, -999999999.999999, -0.1, 1.5, ','), (-4, 4, -0.01, -0.000001, 7.0, -1.5, ',,,,'), (-5, 0, 0.01, 0.000001, 1.0, 0, '€'), (-6, 1, 0, 0, 0.0, 0, '😀,b');
VACUUM ANALYZE math_amounts;
SELECT x, check_engine(format('SELECT %1$s AS x, count(*), min(id), max(id) FROM math_amounts GROUP BY 1', x))
FROM unnest(ARRAY['floor(n)', 'ceil(n)', 'ceiling(m)', 'trunc(n)', 'trunc(m, 2)', 'trunc(n, 1)', 'trunc(n, 4)', 'trunc(n, -1)', 'trunc(m, -2)', 'round(n, -1)', 'round(n, -2)', 'round(m, -3)', 'round(q, -1)', 'round(n, -10)', 'round(n, -11)', 'round(n * 100, -4) * 2', 'round(n, -16)', 'round(w, -1)', 'round(w, -22)', 'round(-w, -20) + n', 'sign(n)', 'sign(m)', 'floor(q)', 'div(n, 7)', 'div(m, -0.3)', 'div(n, 0.25)', 'div(100, NULLIF(n, 0))', 'floor(n)::int8', 'floor(n * 1.5)', 'ceil(-m) + floor(m)', 'trunc(n * 0.001, 3)', 'mod(floor(n), 7)', 'floor(n / 7)', 'ceil(n / 0.3)', 'floor(m / 2.5) * 2.5', 'ceiling(m / 1000)', 'floor(id / 100.0)', 'floor(m / 12345.678)', 'ceil(q / 0.1)',
	'split_part(t, '','', 1)', 'split_part(t, '','', 2)', 'split_part(t, '','', 4)', 'split_part(t, '','', 16)', 'split_part(t, '','', -1)', 'split_part(t, '',,'', 2)', 'split_part(t, '',,'', -1)', 'split_part(t, ''é'', 2)', 'ascii(t)', 'ascii(split_part(t, '','', 2))', 'left(split_part(t, '','', 1), 1) = ''a''']) x;
SELECT check_engine('SELECT k, sum(floor(n)), avg(ceil(m)), min(trunc(m, 1)), sum(round(m, -2)), max(round(q, -1)), max(sign(n)), sum(div(n, 3)), count(*) FILTER (WHERE floor(n) > 10) FROM math_amounts GROUP BY k');
SELECT x, check_query(format('SELECT %1$s AS x, count(*), min(id) FROM math_amounts GROUP BY 1', x))
FROM unnest(ARRAY['floor(w)', 'trunc(w, 1)', 'sign(w)', 'trunc(w, -1)', 'round(n, -17)', 'round(w, -29)', 'trunc(n, -17)', 'round(n, -2147483648)', 'trunc(w, -2147483648)', 'split_part(t, '','', -2)', 'split_part(t, '''', 1)', 'split_part(t, '','', 17)']) x;
-- quotients that PostgreSQL rounds, or may round, to whole numbers
SELECT x, check_query(format('SELECT %1$s, count(*) FROM math_amounts GROUP BY 1', x))
FROM unnest(ARRAY['floor(k / 3e-15)', 'ceil(n / -7)', 'floor(n / NULLIF(m, 0))', 'ceil(n / ''NaN'')', 'floor(n / NULL)', 'sign(n / 7)', 'floor(m / 99999999999.7)']) x;
SELECT check_fallback('SELECT max(floor(extract(epoch FROM t) / 900)) FROM (VALUES (timestamp ''2025-01-01''), (''9999-12-31'')) v (t)');
SELECT check_query(format('SELECT %1$s, count(*) FROM (SELECT i * 10.0 ^ -e AS x FROM generate_series(-3, 3) i, generate_series(0, 16, 4) e) v GROUP BY 1', x))
FROM unnest(ARRAY['floor(x / 3)', 'ceil(x / 3e-7)', 'floor(x::numeric(18,9) / 3)', 'ceil(x::numeric(18,9) / 700000)', 'floor((x - 0.000000001)::numeric(18,9) / 0.7)']) x;
SELECT check_fallback('SELECT div(n, m), count(*) FROM math_amounts GROUP BY 1');
SELECT check_query('SELECT split_part(t, '','', 0), count(*) FROM math_amounts WHERE id IS NULL GROUP BY 1');
INSERT INTO math_amounts (id, k, n, q) VALUES (-7, 2, 'NaN', 'NaN'), (-8, 3, NULL, 'Infinity');
SELECT check_fallback('SELECT floor(n), sign(n), trunc(n, 1), trunc(n, -1), ceil(q), div(q, 2), count(*) FROM math_amounts GROUP BY 1, 2, 3, 4, 5, 6');
SELECT check_engine('SELECT round(n, -1), round(n, -3) + 1, round(q, -1), count(*) FROM math_amounts GROUP BY 1, 2, 3');
