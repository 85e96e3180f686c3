--
-- The Star Schema Benchmark's 13 queries over its schema in small.  bench/ssb takes tables, dates and queries from here.
--
CREATE SCHEMA ssb;
SET search_path = ssb, public;
CREATE TABLE dates (d_datekey int NOT NULL, d_date varchar(18), d_dayofweek varchar(9), d_month varchar(9), d_year int,
	d_yearmonthnum int, d_yearmonth varchar(7), d_daynuminweek int, d_daynuminmonth int, d_daynuminyear int,
	d_monthnuminyear int, d_weeknuminyear int, d_sellingseason varchar(12));
CREATE TABLE customer (c_custkey int NOT NULL, c_name varchar(25), c_address varchar(25), c_city varchar(10),
	c_nation varchar(15), c_region varchar(12), c_phone varchar(15), c_mktsegment varchar(10));
CREATE TABLE supplier (s_suppkey int NOT NULL, s_name varchar(25), s_address varchar(25), s_city varchar(10),
	s_nation varchar(15), s_region varchar(12), s_phone varchar(15));
CREATE TABLE part (p_partkey int NOT NULL, p_name varchar(22), p_mfgr varchar(6), p_category varchar(7), p_brand1 varchar(9),
	p_color varchar(11), p_type varchar(25), p_size int, p_container varchar(10));
CREATE TABLE lineorder (lo_orderkey bigint NOT NULL, lo_linenumber int NOT NULL, lo_custkey int NOT NULL, lo_partkey int NOT NULL,
	lo_suppkey int NOT NULL, lo_orderdate int NOT NULL, lo_orderpriority varchar(15), lo_shippriority varchar(1),
	lo_quantity int, lo_extendedprice int, lo_ordtotalprice int, lo_discount int, lo_revenue int, lo_supplycost int,
	lo_tax int, lo_commitdate int, lo_shipmode varchar(10));

INSERT INTO dates SELECT to_char(d, 'YYYYMMDD')::int, to_char(d, 'FMMonth DD, YYYY'), to_char(d, 'FMDay'), to_char(d, 'FMMonth'),
	extract(year FROM d)::int, to_char(d, 'YYYYMM')::int, to_char(d, 'MonYYYY'), extract(dow FROM d)::int + 1, extract(day FROM d)::int,
	extract(doy FROM d)::int, extract(month FROM d)::int, (extract(doy FROM d)::int - 1) / 7 + 1,
	CASE WHEN extract(month FROM d) IN (11, 12) THEN 'Christmas' WHEN extract(month FROM d) IN (6, 7, 8) THEN 'Summer' ELSE 'Other' END
FROM generate_series(timestamp '1992-01-01', '1998-12-31', '1 day') d;
INSERT INTO supplier SELECT i, 'Supplier#' || i, 'address ' || i, rpad(left(nation, 9), 9) || i / 25 % 10, nation, region, 'phone'
FROM generate_series(1, 250) i, LATERAL (SELECT (ARRAY['ALGERIA', 'ARGENTINA', 'CHINA', 'FRANCE', 'EGYPT', 'ETHIOPIA', 'BRAZIL', 'INDIA', 'GERMANY', 'IRAN', 'KENYA', 'CANADA', 'INDONESIA',
		'ROMANIA', 'IRAQ', 'MOROCCO', 'PERU', 'JAPAN', 'RUSSIA', 'JORDAN', 'MOZAMBIQUE', 'UNITED STATES', 'VIETNAM', 'UNITED KINGDOM', 'SAUDI ARABIA'])[1 + i % 25] AS nation,
	(ARRAY['AFRICA', 'AMERICA', 'ASIA', 'EUROPE', 'MIDDLE EAST'])[1 + i % 5] AS region) n;
INSERT INTO customer SELECT i, 'Customer#' || i, 'address ' || i, s_city, s_nation, s_region, 'phone', (ARRAY['BUILDING', 'AUTOMOBILE', 'MACHINERY'])[1 + i % 3]
FROM generate_series(1, 500) i JOIN supplier ON s_suppkey = 1 + (i - 1) % 250;
INSERT INTO part SELECT i, 'part ' || i, 'MFGR#' || 1 + i % 5, 'MFGR#' || 1 + i % 5 || 1 + i / 5 % 5, 'MFGR#' || 1 + i % 5 || 1 + i / 5 % 5 || 1 + i / 25 % 40,
	(ARRAY['azure', 'beige', 'cyan'])[1 + i % 3], 'STANDARD TIN', 1 + i % 50, 'SM BOX' FROM generate_series(1, 1000) i;
-- some suppliers are of the customer's city, and some orders of one month
INSERT INTO lineorder SELECT o, line, customer, part, CASE WHEN o % 3 = 0 THEN 1 + (customer - 1) % 250 ELSE 1 + (o * 7 + line * 31) % 250 END, day, '1-URGENT', '0',
	quantity, quantity * (900 + part), quantity * 3000, (o + line) % 11, quantity * (900 + part) / 100 * (100 - (o + line) % 11), 600 + part, (o + line) % 9, day, 'AIR'
FROM (SELECT o, line, 1 + (o * 37 + o / 6) % 500 AS customer, 1 + (o * 13 + o / 7 + line * 211) % 1000 AS part, 1 + (o * 31 + line * 17) % 50 AS quantity,
		to_char(CASE WHEN o % 6 = 0 THEN date '1997-12-01' + o % 31 ELSE date '1992-01-01' + o * 613 % 2406 END, 'YYYYMMDD')::int AS day
	FROM generate_series(1, 3000) o, generate_series(1, 4) line) l;
ALTER TABLE dates ADD PRIMARY KEY (d_datekey);
ALTER TABLE customer ADD PRIMARY KEY (c_custkey);
ALTER TABLE supplier ADD PRIMARY KEY (s_suppkey);
ALTER TABLE part ADD PRIMARY KEY (p_partkey);
VACUUM ANALYZE dates, customer, supplier, part, lineorder;

CREATE TABLE queries (name text PRIMARY KEY, query text);
INSERT INTO queries VALUES
('Q1.1', $q$SELECT sum(lo_extendedprice * lo_discount) AS revenue FROM lineorder, dates WHERE lo_orderdate = d_datekey AND d_year = 1993
	AND lo_discount BETWEEN 1 AND 3 AND lo_quantity < 25$q$),
('Q1.2', $q$SELECT sum(lo_extendedprice * lo_discount) AS revenue FROM lineorder, dates WHERE lo_orderdate = d_datekey AND d_yearmonthnum = 199401
	AND lo_discount BETWEEN 4 AND 6 AND lo_quantity BETWEEN 26 AND 35$q$),
('Q1.3', $q$SELECT sum(lo_extendedprice * lo_discount) AS revenue FROM lineorder, dates WHERE lo_orderdate = d_datekey AND d_weeknuminyear = 6
	AND d_year = 1994 AND lo_discount BETWEEN 5 AND 7 AND lo_quantity BETWEEN 26 AND 35$q$),
('Q2.1', $q$SELECT sum(lo_revenue), d_year, p_brand1 FROM lineorder, dates, part, supplier WHERE lo_orderdate = d_datekey AND lo_partkey = p_partkey
	AND lo_suppkey = s_suppkey AND p_category = 'MFGR#12' AND s_region = 'AMERICA' GROUP BY d_year, p_brand1 ORDER BY d_year, p_brand1$q$),
('Q2.2', $q$SELECT sum(lo_revenue), d_year, p_brand1 FROM lineorder, dates, part, supplier WHERE lo_orderdate = d_datekey AND lo_partkey = p_partkey
	AND lo_suppkey = s_suppkey AND p_brand1 BETWEEN 'MFGR#2221' AND 'MFGR#2228' AND s_region = 'ASIA' GROUP BY d_year, p_brand1 ORDER BY d_year, p_brand1$q$),
('Q2.3', $q$SELECT sum(lo_revenue), d_year, p_brand1 FROM lineorder, dates, part, supplier WHERE lo_orderdate = d_datekey AND lo_partkey = p_partkey
	AND lo_suppkey = s_suppkey AND p_brand1 = 'MFGR#2239' AND s_region = 'EUROPE' GROUP BY d_year, p_brand1 ORDER BY d_year, p_brand1$q$),
('Q3.1', $q$SELECT c_nation, s_nation, d_year, sum(lo_revenue) AS revenue FROM customer, lineorder, supplier, dates WHERE lo_custkey = c_custkey
	AND lo_suppkey = s_suppkey AND lo_orderdate = d_datekey AND c_region = 'ASIA' AND s_region = 'ASIA' AND d_year >= 1992 AND d_year <= 1997
	GROUP BY c_nation, s_nation, d_year ORDER BY d_year ASC, revenue DESC$q$),
('Q3.2', $q$SELECT c_city, s_city, d_year, sum(lo_revenue) AS revenue FROM customer, lineorder, supplier, dates WHERE lo_custkey = c_custkey
	AND lo_suppkey = s_suppkey AND lo_orderdate = d_datekey AND c_nation = 'UNITED STATES' AND s_nation = 'UNITED STATES' AND d_year >= 1992 AND d_year <= 1997
	GROUP BY c_city, s_city, d_year ORDER BY d_year ASC, revenue DESC$q$),
('Q3.3', $q$SELECT c_city, s_city, d_year, sum(lo_revenue) AS revenue FROM customer, lineorder, supplier, dates WHERE lo_custkey = c_custkey
	AND lo_suppkey = s_suppkey AND lo_orderdate = d_datekey AND (c_city = 'UNITED KI1' OR c_city = 'UNITED KI5')
	AND (s_city = 'UNITED KI1' OR s_city = 'UNITED KI5') AND d_year >= 1992 AND d_year <= 1997 GROUP BY c_city, s_city, d_year ORDER BY d_year ASC, revenue DESC$q$),
('Q3.4', $q$SELECT c_city, s_city, d_year, sum(lo_revenue) AS revenue FROM customer, lineorder, supplier, dates WHERE lo_custkey = c_custkey
	AND lo_suppkey = s_suppkey AND lo_orderdate = d_datekey AND (c_city = 'UNITED KI1' OR c_city = 'UNITED KI5')
	AND (s_city = 'UNITED KI1' OR s_city = 'UNITED KI5') AND d_yearmonth = 'Dec1997' GROUP BY c_city, s_city, d_year ORDER BY d_year ASC, revenue DESC$q$),
('Q4.1', $q$SELECT d_year, c_nation, sum(lo_revenue - lo_supplycost) AS profit FROM dates, customer, supplier, part, lineorder WHERE lo_custkey = c_custkey
	AND lo_suppkey = s_suppkey AND lo_partkey = p_partkey AND lo_orderdate = d_datekey AND c_region = 'AMERICA' AND s_region = 'AMERICA'
	AND (p_mfgr = 'MFGR#1' OR p_mfgr = 'MFGR#2') GROUP BY d_year, c_nation ORDER BY d_year, c_nation$q$),
('Q4.2', $q$SELECT d_year, s_nation, p_category, sum(lo_revenue - lo_supplycost) AS profit FROM dates, customer, supplier, part, lineorder WHERE lo_custkey = c_custkey
	AND lo_suppkey = s_suppkey AND lo_partkey = p_partkey AND lo_orderdate = d_datekey AND c_region = 'AMERICA' AND s_region = 'AMERICA'
	AND (d_year = 1997 OR d_year = 1998) AND (p_mfgr = 'MFGR#1' OR p_mfgr = 'MFGR#2') GROUP BY d_year, s_nation, p_category ORDER BY d_year, s_nation, p_category$q$),
('Q4.3', $q$SELECT d_year, s_city, p_brand1, sum(lo_revenue - lo_supplycost) AS profit FROM dates, customer, supplier, part, lineorder WHERE lo_custkey = c_custkey
	AND lo_suppkey = s_suppkey AND lo_partkey = p_partkey AND lo_orderdate = d_datekey AND c_region = 'AMERICA' AND s_nation = 'UNITED STATES'
	AND (d_year = 1997 OR d_year = 1998) AND p_category = 'MFGR#14' GROUP BY d_year, s_city, p_brand1 ORDER BY d_year, s_city, p_brand1$q$);

SELECT name, check_join(query) FROM queries ORDER BY name;
RESET search_path;
