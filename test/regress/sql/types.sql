--
-- Each type as key, as argument and in filters.
--

-- keys
SELECT c AS key, check_query(format('SELECT %I, count(*) FROM facts GROUP BY 1', c))
FROM unnest('{b,i2,i4,i8,f4,f8,d,ts,tz,t,vc,ch,qc,u,o,k}'::text[]) c;

-- count(x) of any of them
SELECT c AS column, check_query(format('SELECT i2, count(%I), count(*) FROM facts GROUP BY 1', c))
FROM unnest('{b,i2,i4,i8,f4,f8,d,ts,tz,t,vc,ch,qc,u,o,k}'::text[]) c;

-- sum and avg
SELECT c AS column, check_query(format('SELECT b, sum(%1$I), avg(%1$I), sum(%1$I) FROM facts GROUP BY 1', c))
FROM unnest('{i2,i4,i8,f4,f8}'::text[]) c;

-- min and max
SELECT c AS column, check_query(format('SELECT i2, min(%1$I), max(%1$I) FROM facts GROUP BY 1', c))
FROM unnest('{i2,i4,i8,f4,f8,d,ts,tz}'::text[]) c;

-- result types
CREATE TABLE result_types AS
SELECT count(*) AS c, count(t) AS ct, sum(i2) AS s2, sum(i4) AS s4, sum(i8) AS s8, sum(f4) AS sf4, sum(f8) AS sf8,
	avg(i2) AS a2, avg(i4) AS a4, avg(i8) AS a8, avg(f4) AS af4, avg(f8) AS af8,
	min(i2) AS m2, min(i4) AS m4, min(i8) AS m8, min(f4) AS mf4, min(f8) AS mf8,
	max(d) AS md, max(ts) AS mts, max(tz) AS mtz
FROM facts;
SELECT attname, atttypid::regtype FROM pg_attribute
WHERE attrelid = 'result_types'::regclass AND attnum > 0 ORDER BY attnum;
SELECT * FROM result_types \gx

-- filters: every comparison, for constants of the type, of a wider one, and
-- between columns
SELECT c AS column, op, check_query(format('SELECT b, count(*) FROM facts WHERE %I %s %L GROUP BY 1', c, op, v))
FROM (VALUES ('i2', '10'), ('i4', '-77'), ('i8', '20000000000'), ('f4', '2.25'), ('f8', '-3.5'),
	('d', '2000-03-01'), ('ts', '2000-01-01 01:10'), ('tz', '2001-04-02 05:00+00')) AS x (c, v),
	unnest('{=,<>,<,<=,>,>=}'::text[]) op;
SELECT c AS column, op, check_query(format('SELECT i2, count(*) FROM facts WHERE %I %s %L GROUP BY 1', c, op, v))
FROM (VALUES ('b', 't'), ('t', 'bbb'), ('vc', 'v12'), ('ch', 'abc'), ('qc', 'F'),
	('u', 'c4ca4238-a0b9-2382-0dcc-509a6f75849b'), ('o', '4294967290')) AS x (c, v),
	unnest('{=,<>}'::text[]) op;
SELECT l, op, r, check_query(format('SELECT b, count(*) FROM facts WHERE %I %s %I GROUP BY 1', l, op, r))
FROM unnest('{i2,i4,i8}'::text[]) l, unnest('{=,<>,<,<=,>,>=}'::text[]) op, unnest('{i2,i4,i8}'::text[]) r;
SELECT l, op, r, check_query(format('SELECT b, count(*) FROM facts WHERE %I %s %I GROUP BY 1', l, op, r))
FROM unnest('{f4,f8}'::text[]) l, unnest('{=,<>,<,<=,>,>=}'::text[]) op, unnest('{f4,f8}'::text[]) r;

-- char(n): blanks at the end do not count, as text they do
SELECT check_query($$SELECT count(*) FROM facts WHERE ch = 'abc  '$$);
SELECT count(*) > 0 AS found FROM facts WHERE ch = 'abc     ';
