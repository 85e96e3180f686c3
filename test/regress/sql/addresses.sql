--
-- Addresses: extremes of inet and cidr; macaddr as a key, as a value and in conditions.
--
CREATE TABLE addresses (id int NOT NULL, k int, ip inet, net cidr, m macaddr, vendor macaddr NOT NULL);
INSERT INTO addresses SELECT i, i % 700,
	CASE WHEN i % 7 = 0 THEN '2001:db8::'::inet + i * 7919 % 100000 WHEN i % 5 = 0 THEN set_masklen('10.1.0.0'::inet + i * 31 % 5000, i % 33) WHEN i % 11 > 0 THEN '10.0.255.0'::inet + i * 17 % 3000 END,
	CASE WHEN i % 3 > 0 THEN set_masklen('10.255.129.3'::inet::cidr, 1 + i % 32) WHEN i % 2 > 0 THEN set_masklen('2001:db8:ffff::1'::inet::cidr, i % 129) END,
	CASE WHEN i % 9 > 0 THEN lpad(to_hex(i * 2654435761 % 281474976710656), 12, '0')::macaddr END, trunc(lpad(to_hex(i % 50 * 8191999999991 % 281474976710656), 12, '0')::macaddr)
FROM generate_series(1, 20000) i;
VACUUM ANALYZE addresses;

-- the least and the greatest address
SELECT check_engine('SELECT k, min(ip), max(ip), min(net), max(net), max(ip) FILTER (WHERE id % 3 = 0), count(ip) FROM addresses GROUP BY k'),
	check_engine('SELECT min(ip), max(ip), min(net), max(net) FROM addresses'), check_engine('SELECT min(ip), max(net) FROM addresses WHERE id < 0'),
	check_engine('SELECT net, min(ip), max(ip), max(id) FROM addresses GROUP BY net'), check_engine('SELECT k % 2, min(DISTINCT ip), max(DISTINCT net) FROM addresses GROUP BY 1');
SELECT min(ip), max(ip), min(net), max(net), max(ip) FILTER (WHERE family(ip) = 4) AS greatest_of_4 FROM addresses;
SELECT ip, min(ip), max(net) FROM (VALUES ('10.0.0.1'::inet, '10.0.0.0/8'::cidr), ('10.0.0.1/8', '10.0.0.0/9'), ('10.0.0.1', NULL), ('::', '0.0.0.0/0')) v (ip, net) GROUP BY ip ORDER BY ip;
SELECT check_query('SELECT a.k, min(a.ip), max(b.net) FROM addresses a JOIN addresses b ON a.id = b.id WHERE b.k < 100 GROUP BY 1'), check_query('SELECT k % 7, net, max(ip) FROM addresses GROUP BY ROLLUP (1, 2)');
SELECT s, set_config('gpuagg.strategy', s, true) IS NULL AS n, check_engine('SELECT k % 40, min(ip), max(net), count(*), count(m) FROM addresses GROUP BY 1') FROM unnest(ARRAY['atomic', 'block', 'peers', 'scan', 'vote']) s;

-- macaddr
SELECT check_engine('SELECT m, count(*), min(id) FROM addresses GROUP BY m'), check_engine('SELECT vendor, count(*), count(m), max(ip) FROM addresses GROUP BY vendor'),
	check_engine('SELECT vendor, k % 3, m, count(*) FROM addresses GROUP BY 1, 2, 3'), check_engine('SELECT DISTINCT vendor FROM addresses'), check_engine('SELECT count(DISTINCT m), count(DISTINCT vendor) FILTER (WHERE k < 9) FROM addresses'),
	check_engine('SELECT vendor, net, count(*), grouping(net) FROM addresses GROUP BY CUBE (vendor, net)');
SELECT vendor, count(*) FROM addresses GROUP BY vendor ORDER BY vendor LIMIT 5;
SELECT m, count(*) FROM addresses GROUP BY m ORDER BY m DESC NULLS LAST LIMIT 5;
SELECT check_engine('SELECT k % 5, ' || string_agg(format('count(*) FILTER (WHERE %s)', c), ', ') || ' FROM addresses GROUP BY 1') FROM unnest(ARRAY[
	'm = ''00:00:9e:37:79:b1''', 'm <> vendor', 'm < ''80:00:00:00:00:00''', 'm <= vendor', 'm > ''00:00:9e:37:79:b1''', 'm >= ''ff:ff:00:00:00:00''', 'm BETWEEN ''10:00:00:00:00:00'' AND ''20:00:00:00:00:00''',
	'm IN (''00:00:9e:37:79:b1'', ''00:01:3c:6e:f3:62'')', 'm IS DISTINCT FROM vendor', 'm IS NULL', 'coalesce(m, vendor) < ''40:00:00:00:00:00''', 'nullif(vendor, m) > ''40:00:00:00:00:00''', 'CASE WHEN k > 3 THEN m ELSE vendor END = vendor']) c;
PREPARE of_vendor(macaddr) AS SELECT vendor, count(*), min(ip) FROM addresses WHERE vendor >= $1 GROUP BY vendor ORDER BY vendor LIMIT 3;
SET plan_cache_mode = force_generic_plan;
EXECUTE of_vendor('40:00:00:00:00:00');
EXECUTE of_vendor('f0:00:00:00:00:00');
RESET plan_cache_mode;
SELECT check_query('SELECT a.m, b.vendor, count(*) FROM addresses a JOIN addresses b ON a.id = b.k GROUP BY 1, 2'), check_query('SELECT m, count(*) FROM (SELECT m FROM addresses ORDER BY id LIMIT 500) s GROUP BY m'),
	check_query('SELECT trunc(m), count(*) FROM addresses GROUP BY 1'), check_query('SELECT m, max(id) FROM addresses WHERE ip > ''10.0.0.3'' GROUP BY 1');

-- columns that are added; behind a varlena, and before one
ALTER TABLE addresses ADD COLUMN x macaddr DEFAULT 'ff:ee:dd:cc:bb:aa', ADD COLUMN y macaddr, ADD COLUMN z "char" DEFAULT 'z';
INSERT INTO addresses VALUES (-1, -1, '1.2.3.4', NULL, '01:02:03:04:05:06', 'ff:ff:ff:ff:ff:ff', '00:00:00:00:00:01', '00:00:00:00:01:00', 'a'), (-2, -1, NULL, '1.2.3.0/24', NULL, '00:00:00:00:00:00', NULL, '01:00:00:00:00:00', NULL);
SELECT check_engine('SELECT x, y, z, count(*), max(ip) FROM addresses GROUP BY 1, 2, 3'), check_engine('SELECT z, count(*) FILTER (WHERE x = ''ff:ee:dd:cc:bb:aa''), count(DISTINCT x) FROM addresses GROUP BY 1');
CREATE TABLE only_addresses (m macaddr, n macaddr NOT NULL);
INSERT INTO only_addresses SELECT m, vendor FROM addresses;
SELECT check_engine('SELECT m, n, count(*) FROM only_addresses GROUP BY 1, 2'), check_engine('SELECT n, count(m) FROM only_addresses GROUP BY 1');
DROP TABLE addresses, only_addresses;
