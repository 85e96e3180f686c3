--
-- TPC-H's queries 1 and 6, as TPC-H writes them, over a lineitem in small.
--
CREATE TABLE lineitem (
	l_orderkey bigint NOT NULL, l_partkey integer NOT NULL, l_suppkey integer NOT NULL, l_linenumber integer NOT NULL,
	l_quantity decimal(15,2) NOT NULL, l_extendedprice decimal(15,2) NOT NULL,
	l_discount decimal(15,2) NOT NULL, l_tax decimal(15,2) NOT NULL,
	l_returnflag char(1) NOT NULL, l_linestatus char(1) NOT NULL,
	l_shipdate date NOT NULL, l_commitdate date NOT NULL, l_receiptdate date NOT NULL,
	l_shipinstruct char(25) NOT NULL, l_shipmode char(10) NOT NULL, l_comment varchar(44) NOT NULL);
INSERT INTO lineitem
SELECT i / 4, p, p % 97 + 1, i % 4 + 1, quantity, quantity * (90000 + p % 20001 * 10 + p % 1000) / 100,
	i % 11 / 100.0, i % 9 / 100.0,
	CASE WHEN shipdate > '1995-06-17' THEN 'N' WHEN i % 2 = 0 THEN 'R' ELSE 'A' END,
	CASE WHEN shipdate > '1995-06-17' THEN 'O' ELSE 'F' END,
	shipdate, shipdate + i % 61 - 30, shipdate + i % 30 + 1,
	'DELIVER IN PERSON', CASE i % 3 WHEN 0 THEN 'TRUCK' WHEN 1 THEN 'MAIL' ELSE 'REG AIR' END,
	repeat('final packages ', i % 3)
FROM (SELECT i, i * 7919 % 20000 + 1 AS p, (i * 31 % 50 + 1)::numeric AS quantity,
	date '1992-01-02' + i * 613 % 2526 AS shipdate FROM generate_series(1, 10000) i) s;
VACUUM ANALYZE lineitem;

CREATE VIEW q1 AS
SELECT
	l_returnflag,
	l_linestatus,
	sum(l_quantity) AS sum_qty,
	sum(l_extendedprice) AS sum_base_price,
	sum(l_extendedprice * (1 - l_discount)) AS sum_disc_price,
	sum(l_extendedprice * (1 - l_discount) * (1 + l_tax)) AS sum_charge,
	avg(l_quantity) AS avg_qty,
	avg(l_extendedprice) AS avg_price,
	avg(l_discount) AS avg_disc,
	count(*) AS count_order
FROM
	lineitem
WHERE
	l_shipdate <= date '1998-12-01' - interval '90' day
GROUP BY
	l_returnflag,
	l_linestatus
ORDER BY
	l_returnflag,
	l_linestatus;
CREATE VIEW q6 AS
SELECT
	sum(l_extendedprice * l_discount) AS revenue
FROM
	lineitem
WHERE
	l_shipdate >= date '1994-01-01'
	AND l_shipdate < date '1994-01-01' + interval '1' year
	AND l_discount BETWEEN 0.06 - 0.01 AND 0.06 + 0.01
	AND l_quantity < 24;

SELECT check_query('TABLE q1'), check_query('TABLE q6');
TABLE q1 \gx
TABLE q6;
