--
-- Keys and equality of types that are integers or strings of bytes to an engine:
-- time, money, enums, bytea, bit, inet and others.
--
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
ALTER TYPE mood ADD VALUE 'calm' BEFORE 'ok';
CREATE DOMAIN feeling AS mood;
CREATE TABLE plain_keys (id int NOT NULL, i4 int, t time, m money, e mood, f feeling, nn mood NOT NULL, ba bytea, bt bit(11), vb varbit, ip inet, ci cidr, rc regclass, rt regtype,
	iv interval, g int);
INSERT INTO plain_keys SELECT i, i % 1000,
	CASE WHEN i % 11 <> 0 THEN time '00:00' + i % 300 * interval '4 min 48.000001 sec' END,
	CASE WHEN i % 13 <> 0 THEN ((i % 90 - 45) * 12345.67)::numeric::money END,
	CASE WHEN i % 7 <> 0 THEN (enum_range(NULL::mood))[1 + i % 4] END, (enum_range(NULL::mood))[1 + i % 5], (enum_range(NULL::mood))[1 + i / 3 % 4],
	CASE WHEN i % 17 <> 0 THEN decode(left(repeat(lpad(to_hex(i % 40), 2, '0'), 8), i % 7 * 2), 'hex') END,
	CASE WHEN i % 9 <> 0 THEN (i % 50)::bit(11) END, CASE WHEN i % 8 <> 0 THEN substring((i % 60)::bit(16)::varbit FROM 1 + i % 16) END,
	CASE WHEN i % 5 <> 0 THEN set_masklen('10.0.0.0'::inet + i % 30, 8 + i % 3 * 12) WHEN i % 10 = 0 THEN '2001:db8::1'::inet + i % 20 END,
	CASE WHEN i % 6 <> 0 THEN set_masklen('10.0.0.0'::cidr, 24 + i % 8) END,
	CASE WHEN i % 4 <> 0 THEN (1000 + i % 7)::oid::regclass END, CASE WHEN i % 4 <> 0 THEN (ARRAY['int4', 'text', 'int8']::regtype[])[1 + i % 3] END,
	i * interval '1 hour', i % 3
FROM generate_series(1, 3000) i;
VACUUM ANALYZE plain_keys;

SELECT c AS key, check_engine(format('SELECT %I, count(*), sum(i4) FROM plain_keys GROUP BY 1', c)) FROM unnest('{t,m,e,f,nn,ba,bt,vb,ip,ci,rc,rt}'::text[]) c;
SELECT check_engine('SELECT DISTINCT e, ba, t FROM plain_keys');
SELECT check_engine('SELECT e, m, ip, count(*) FROM plain_keys GROUP BY 1, 2, 3');
SELECT check_engine('SELECT g, min(t), max(t), min(m), max(m), max(m) FILTER (WHERE id % 2 = 0), count(t), count(ip), count(e) FROM plain_keys GROUP BY g');
SELECT min(t), max(t), min(m), max(m) FROM plain_keys;
SELECT min(t), max(m) FROM plain_keys WHERE id < 0;
SELECT e, count(*), count(nn) FROM plain_keys WHERE nn <> 'sad' GROUP BY e ORDER BY e;
SELECT check_engine('SELECT count(DISTINCT e), count(DISTINCT ba), count(DISTINCT t), count(DISTINCT ip) FILTER (WHERE id > 50), count(DISTINCT vb) FROM plain_keys');
SELECT check_engine('SELECT e, nn, count(*), grouping(e) FROM plain_keys GROUP BY CUBE (e, nn)');

-- conditions
SELECT check_engine('SELECT g, ' || string_agg(format('count(*) FILTER (WHERE %s)', c), ', ') || ' FROM plain_keys GROUP BY g') FROM unnest(ARRAY[
	't = ''00:04:48.000001''', 't <> ''01:00''', 't < ''10:00''', 't >= ''10:00''', 't BETWEEN ''03:00'' AND ''05:00''', 't IN (''00:00'', ''00:04:48.000001'')', 'm > ''$100''', 'm <= ''-$100''', 'm = ''$12345.67''', 'm <> 0::money',
	'e = ''ok''', 'e <> nn', 'e = f::mood', 'e IN (''ok'', ''calm'')', 'e = ANY (''{happy,calm,NULL}'')', 'e IS DISTINCT FROM nn', 'nn <> ALL (''{ok,sad}'')', 'ba = ''\x0101''', 'ba <> ''\x''', 'ba < ''\x10''', 'ba >= ''\x0f0f0f''', 'ba = ''''',
	'ba IN (''\x'', ''\x02'', ''\x0303'', ''\x04'')', 'octet_length(ba) > 3', 'length(ba) = 2', 'bt = B''00000000111''', 'bt <> B''00000000111''', 'vb = B''1''', 'vb <> bt', 'ip = ''10.0.0.1''', 'ip <> ''10.0.0.1/20''', 'ip = ci', 'ci = ''10.0.0.0/24''',
	'rc = 1003::regclass', 'rt = ''text''::regtype', 'coalesce(e, ''ok'') = ''ok''', 'nullif(t, ''00:00'') < ''01:00''', 'greatest(t, ''12:00'') = ''12:00''', 'least(m, ''$0'') = ''$0''', 'greatest(ba, ''\x05'') = ''\x05''',
	'CASE WHEN g = 1 THEN e ELSE nn END = ''happy''']) c;
SELECT check_engine('SELECT CASE WHEN g = 1 THEN e ELSE nn END, coalesce(t, ''00:00''), nullif(ba, ''\x''), count(*) FROM plain_keys WHERE e <> ''calm'' GROUP BY 1, 2, 3');
PREPARE moods(mood) AS SELECT nn, count(*), min(t) FROM plain_keys WHERE e = $1 GROUP BY nn ORDER BY nn;
EXECUTE moods('happy');
SET plan_cache_mode = force_generic_plan;
EXECUTE moods('calm');
RESET plan_cache_mode;

-- other ways to the rows; the order of enums and addresses is PostgreSQL's
SELECT check_query('SELECT g, count(*) FROM plain_keys WHERE e < ''ok'' AND ip > ''10.0.0.3'' AND bt > B''00000000011'' GROUP BY g');
SELECT check_query('SELECT a.e, b.ip, count(*), min(a.t), max(b.m) FROM plain_keys a JOIN plain_keys b ON a.id = b.i4 GROUP BY 1, 2');
SELECT check_query('SELECT e, count(t) FROM (SELECT e, t FROM plain_keys ORDER BY id LIMIT 500) s GROUP BY e');
SELECT check_query('SELECT id % 5, count(ba || ba), max(t + interval ''1 hour''), max(m * 2) FROM plain_keys GROUP BY 1');
SELECT check_query('SELECT ba || ''\x00'', ip + 1, count(*) FROM plain_keys GROUP BY 1, 2');
SELECT check_query('SELECT timestamp ''2001-01-01 00:30'' + id * interval ''7 hours'', (timestamp ''2001-01-01 00:30'' + id * interval ''7 hours'')::time, count(*) FROM plain_keys GROUP BY 1, 2');

-- columns that are added; long values; a domain's and an enum's NULL
ALTER TABLE plain_keys ADD COLUMN x mood DEFAULT 'calm', ADD COLUMN y bytea DEFAULT '\xdeadbeef', ADD COLUMN z time DEFAULT '23:59:59.5', ADD COLUMN w inet;
INSERT INTO plain_keys (id, nn, x, y, z, w) VALUES (-1, 'ok', 'sad', '', '24:00', '::1'), (-2, 'ok', NULL, repeat('x', 5000)::bytea, '00:00', '::1/64'), (-3, 'ok', NULL, repeat('x', 5000)::bytea, '00:00', '::1/64');
SELECT check_engine('SELECT x, y, z, w, count(*), max(z) FROM plain_keys GROUP BY 1, 2, 3, 4');

-- PostgreSQL's own plan takes over: money and bit strings cannot be hashed
SELECT c AS key, check_fallback(format('SELECT %I, sum(i4 / (id - 5)) FROM plain_keys GROUP BY 1', c)),
	check_fallback(format('SELECT %I, count((CASE WHEN id = 5 THEN numeric ''NaN'' ELSE id END)::float8) FROM plain_keys GROUP BY 1', c)) FROM unnest('{m,bt,e,ip}'::text[]) c;
SELECT check_fallback('SELECT DISTINCT m, (CASE WHEN id = 5 THEN numeric ''NaN'' ELSE id END)::float8 FROM plain_keys');
SELECT check_fallback('SELECT m, g, count(DISTINCT i4 / (id - 5)) FROM plain_keys GROUP BY 1, 2');
SELECT is_taken('SELECT array_agg(DISTINCT e) FROM plain_keys');
SELECT check_query('SELECT g, array_agg(DISTINCT e), array_agg(DISTINCT ip) FROM plain_keys GROUP BY g');

-- what is left to PostgreSQL
SELECT c AS argument, is_taken('SELECT ' || c || ' FROM plain_keys') FROM unnest('{max(e),min(ip),sum(m),sum(iv),max(iv),avg(iv)}'::text[]) c;
SELECT is_taken('SELECT iv, count(*) FROM plain_keys GROUP BY iv');
DROP TABLE plain_keys;
DROP DOMAIN feeling;
DROP TYPE mood;
