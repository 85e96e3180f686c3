--
-- Values of types that engines do not have, where only whether they are NULL
-- matters.
--
CREATE DOMAIN span AS interval;
CREATE TYPE pair AS (a int, b text);
CREATE TABLE any_types (id int NOT NULL, g int, iv interval, ba bytea, j json, jb jsonb, a int[], ta text[], r int4range, ip inet, tt timetz,
	bt bit(5), vb varbit, pt point, nm name, m macaddr, e regclass, xid xid, sp span, p pair, nn interval NOT NULL, n numeric(50,45), t text, i4 int);
INSERT INTO any_types SELECT i, i % 7,
	CASE WHEN i % 2 <> 0 THEN i * interval '1 hour' END, CASE WHEN i % 3 <> 0 THEN decode(repeat('ab', i % 300), 'hex') END,
	CASE WHEN i % 5 <> 0 THEN json_build_object('i', i) END, CASE WHEN i % 7 <> 0 THEN jsonb_build_object('i', repeat('x', i % 200)) END,
	CASE WHEN i % 11 <> 0 THEN array_fill(i, ARRAY[i % 9]) END, CASE WHEN i % 13 <> 0 THEN '{}'::text[] END,
	CASE WHEN i % 17 <> 0 THEN int4range(i, i + 5) END, CASE WHEN i % 19 <> 0 THEN '10.0.0.1'::inet + i END,
	CASE WHEN i % 4 <> 0 THEN '10:00+02'::timetz END, CASE WHEN i % 6 <> 0 THEN (i % 32)::bit(5) END, CASE WHEN i % 8 <> 0 THEN ''::varbit END,
	CASE WHEN i % 9 <> 0 THEN point(i, i) END, CASE WHEN i % 10 <> 0 THEN ('n' || i)::name END, CASE WHEN i % 12 <> 0 THEN '08:00:2b:01:02:03'::macaddr END,
	CASE WHEN i % 14 <> 0 THEN 'pg_class'::regclass END, CASE WHEN i % 15 <> 0 THEN '5'::xid END, CASE WHEN i % 16 <> 0 THEN '1 day'::span END,
	CASE WHEN i % 18 <> 0 THEN ROW(NULL, NULL)::pair END, '1 day', CASE WHEN i % 20 <> 0 THEN i END, CASE WHEN i % 21 <> 0 THEN 't' || i END, CASE WHEN i % 22 <> 0 THEN i END
FROM generate_series(1, 2000) i;
VACUUM ANALYZE any_types;

SELECT check_engine('SELECT g, ' || string_agg(format('count(%1$s), max(i4) FILTER (WHERE %1$s IS NOT NULL)', c), ', ') || ' FROM any_types GROUP BY g')
FROM unnest('{iv,ba,j,jb,a,ta,r,ip,tt,bt,vb,pt,nm,m,e,xid,sp,nn,t}'::text[]) c;
SELECT check_engine('SELECT count(p), count(iv) FILTER (WHERE j IS NULL), count(nn) FROM any_types');
SELECT check_engine('SELECT iv IS NULL, ba IS NULL AND jb IS NOT NULL, count(*) FROM any_types GROUP BY 1, 2');
SELECT check_engine('SELECT g, count(*), count(ta) FROM any_types WHERE a IS NOT NULL AND iv IS NULL AND (t > ''t5'' COLLATE "C" OR r IS NULL) GROUP BY g');
SELECT check_engine('SELECT CASE WHEN jb IS NULL THEN g END, count(j), count(*) FROM any_types GROUP BY 1 HAVING count(j) > 100');
SELECT check_engine('SELECT g, sum(i4) FROM any_types WHERE iv IS NULL AND id < 0 GROUP BY g');
SELECT count(iv), count(j), count(nn) FROM any_types WHERE id < 0;

-- in old rows, with a default and without; a dropped column
ALTER TABLE any_types ADD COLUMN d1 interval, ADD COLUMN d2 interval DEFAULT '2 days', ADD COLUMN d3 bytea NOT NULL DEFAULT '\x01';
INSERT INTO any_types (id, g, nn, d1, d2, d3) VALUES (-1, 1, '1 day', '1 day', NULL, ''), (-2, 1, '1 day', NULL, '1 day', '\xff');
SELECT check_engine('SELECT g, count(d1), count(d2), count(d3), count(iv), count(*) FILTER (WHERE d2 IS NULL) FROM any_types GROUP BY g');
ALTER TABLE any_types DROP COLUMN j, DROP COLUMN pt;
SELECT check_engine('SELECT g, count(d1), count(d2), count(iv), count(ip), count(nm) FROM any_types GROUP BY g');

-- values that are compressed or stored elsewhere are not fetched
CREATE TABLE any_long (g int, b bytea, jb jsonb, x bytea, t text);
ALTER TABLE any_long ALTER b SET STORAGE EXTERNAL;
INSERT INTO any_long SELECT i % 3, CASE WHEN i % 4 <> 0 THEN convert_to(repeat('x', 9000), 'UTF8') END, CASE WHEN i % 5 <> 0 THEN jsonb_build_object('k', repeat('y', 100000)) END,
	CASE WHEN i % 2 = 0 THEN ''::bytea END, repeat('t', 9000) FROM generate_series(1, 60) i;
SELECT check_engine('SELECT g, count(b), count(jb), count(x), count(*) FILTER (WHERE b IS NULL) FROM any_long GROUP BY g');

CREATE FUNCTION detoasts(query text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	PERFORM let_engine_answer();
	FOR line IN EXECUTE 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) ' || query LOOP
		IF line LIKE '%Detoasted Rows%' THEN
			RETURN true;
		END IF;
	END LOOP;
	RETURN false;
END $$;
SELECT detoasts('SELECT g, count(b), count(jb) FROM any_long GROUP BY g'), detoasts('SELECT t, count(b) FROM any_long GROUP BY t');

-- expressions of such types, and other sources: the child plan computes them
SELECT e AS expression, check_query(format('SELECT g, count(%s), sum(i4) FROM any_types GROUP BY g', e)) FROM unnest(ARRAY['iv + nn', 'ARRAY[i4]', 'ba || ba', 'jb -> ''i''', 'NULLIF(iv, nn)', 'iv * 2', 'CASE WHEN i4 > 5 THEN iv END']) e;
SELECT check_query('SELECT a.g, count(a.iv), count(b.jb), count(*) FILTER (WHERE b.r IS NULL) FROM any_types a LEFT JOIN any_types b ON a.id = b.i4 GROUP BY a.g');
SELECT check_query('SELECT g, count(x), count(y) FROM (SELECT g, iv AS x, array_agg(id) AS y FROM any_types GROUP BY g, iv OFFSET 0) s GROUP BY g');
-- an error that PostgreSQL would raise
SELECT check_fallback('SELECT g, count(iv / (id - 5)) FROM any_types GROUP BY g');
SELECT check_query('SELECT g, count(iv / (id - 5)) FROM any_types WHERE id <> 5 GROUP BY g');
-- tables that lie differently
CREATE TABLE any_parts (g int, iv interval, j json) PARTITION BY LIST (g);
CREATE TABLE any_part1 PARTITION OF any_parts FOR VALUES IN (1);
CREATE TABLE any_part2 (j json, iv interval, g int);
ALTER TABLE any_parts ATTACH PARTITION any_part2 FOR VALUES IN (2);
INSERT INTO any_parts SELECT 1 + i % 2, CASE WHEN i % 3 <> 0 THEN '1 day'::interval END, CASE WHEN i % 5 <> 0 THEN '{}'::json END FROM generate_series(1, 500) i;
SELECT check_engine('SELECT g, count(iv), count(j), count(*) FROM any_parts GROUP BY g');
-- numerics that engines cannot hold
CREATE TABLE any_numerics (g int, n numeric, s numeric(60,40));
INSERT INTO any_numerics SELECT i % 4, CASE WHEN i % 3 <> 0 THEN i * 1e60 END, CASE WHEN i % 5 <> 0 THEN i / 7.0 END FROM generate_series(1, 500) i;
ANALYZE any_numerics;
SELECT check_engine('SELECT g, count(n), count(s), count(*) FILTER (WHERE n IS NULL) FROM any_numerics GROUP BY g');
SELECT check_query('SELECT g, count(n), count(s) FROM (SELECT * FROM any_numerics OFFSET 0) t GROUP BY g');
DROP TABLE any_numerics;
-- these have no use for it
SELECT check_query('SELECT g, count(DISTINCT iv) FROM any_types GROUP BY g');
DROP TABLE any_types, any_long, any_parts;
DROP DOMAIN span;
DROP TYPE pair;
