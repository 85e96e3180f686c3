"""Tables, a query, and SQL that makes data, which several benchmarks share."""

TPCH_Q1 = """SELECT l_returnflag, l_linestatus, sum(l_quantity) AS sum_qty, sum(l_extendedprice) AS sum_base_price,
 sum(l_extendedprice * (1 - l_discount)) AS sum_disc_price,
 sum(l_extendedprice * (1 - l_discount) * (1 + l_tax)) AS sum_charge,
 avg(l_quantity) AS avg_qty, avg(l_extendedprice) AS avg_price, avg(l_discount) AS avg_disc, count(*) AS count_order
 FROM lineitem WHERE l_shipdate <= date '1998-12-01' - interval '90' day
 GROUP BY l_returnflag, l_linestatus ORDER BY l_returnflag, l_linestatus""".replace("\n", "")


def array(values):
    return "ARRAY[" + ", ".join(f"'{value}'" for value in values) + "]"


def between(low, high):
    """A random integer."""
    return f"({low} + floor(random() * ({high} - {low} + 1)))::int"


def one_of(values):
    """A random one."""
    return f"({array(values)})[1 + floor(random() * {len(values)})]"


def load_lineitem(cluster, rows):
    cluster.sql("""
        CREATE TABLE lineitem (l_orderkey bigint NOT NULL, l_partkey int NOT NULL, l_suppkey int NOT NULL,
            l_linenumber int NOT NULL, l_quantity decimal(15,2) NOT NULL, l_extendedprice decimal(15,2) NOT NULL,
            l_discount decimal(15,2) NOT NULL, l_tax decimal(15,2) NOT NULL, l_returnflag char(1) NOT NULL,
            l_linestatus char(1) NOT NULL, l_shipdate date NOT NULL, l_commitdate date NOT NULL,
            l_receiptdate date NOT NULL, l_shipinstruct char(25) NOT NULL, l_shipmode char(10) NOT NULL,
            l_comment varchar(44) NOT NULL) WITH (parallel_workers = 64)""")
    cluster.insert("lineitem", rows, lambda first, count: f"""
            SELECT {first} + i / 4, p, 1 + p % 10000, 1 + i % 7, q,
                q * (90000 + (p / 10) % 20001 + 100 * (p % 1000)) / 100, d / 100.0, x / 100.0,
                CASE WHEN shipped + 20 > '1995-06-17' THEN 'N' WHEN x % 2 = 0 THEN 'R' ELSE 'A' END,
                CASE WHEN shipped > '1995-06-17' THEN 'O' ELSE 'F' END, shipped, shipped + d, shipped + 1 + x,
                'DELIVER IN PERSON', 'REG AIR', left(md5(i::text) || md5(p::text), 10 + p % 34)
            FROM (SELECT i, 1 + (random() * 199999)::int AS p, 1 + (random() * 49)::int::numeric AS q,
                (random() * 10)::int AS d, (random() * 8)::int AS x,
                date '1992-01-02' + (random() * 2525)::int AS shipped FROM generate_series(1, {count}) i) s""")


def load_t(cluster, rows):
    cluster.sql("CREATE TABLE t (k int, g int, v float8, n numeric(15,2), i8 bigint) WITH (parallel_workers = 64)")
    cluster.insert("t", rows, lambda first, count: f"""
            SELECT (random() * 1000000)::int, (random() * 100000000)::int % 100,
                floor(random() * 1000000) / 1024, (random() * 1000000)::numeric(15,2),
                (random() * 1000000000)::bigint
            FROM generate_series(1, {count})""")


def load_d(cluster, rows):
    cluster.sql("""CREATE TABLE d (i0 int, i1 int, i2 int, i3 int, i4 int, i5 int, i6 int, i7 int, j3 int, h6 int, b6 bigint,
        t6 text, v float8) WITH (parallel_workers = 64)""")
    cluster.insert("d", rows, lambda first, count: f"""
            SELECT 0, r % 10, r % 100, r % 1000, r % 10000, r % 100000, r % 1000000, r, r / 1000 % 1000,
                CASE WHEN half THEN 0 ELSE r % 1000000 END, r % 1000000 * 9007199254740, 'key ' || r % 1000000,
                floor(random() * 1000000) / 1024
            FROM (SELECT (random() * 9999999)::int AS r, random() < 0.5 AS half FROM generate_series(1, {count})) s""")


def load_visits(cluster, rows):
    visitors = max(rows // 20, 10)
    cluster.sql("""CREATE TABLE visits (arrived timestamp NOT NULL, country text NOT NULL, page text NOT NULL, visitor int NOT NULL,
        ms int NOT NULL, amount numeric(10,2)) WITH (parallel_workers = 64)""")
    # a year in the order of time, few pages and countries that are frequent, and an amount where something was bought
    cluster.insert("visits", rows, lambda first, count: f"""
            SELECT timestamp '2025-01-01' + ({first} + i) * (interval '365 days' / {rows}),
                'country ' || (60 * random() ^ 3)::int,
                CASE (i % 4) WHEN 0 THEN '/shop/' WHEN 1 THEN '/shop/item/' WHEN 2 THEN '/help/' ELSE '/news/' END
                    || (2500 * random() ^ 2)::int,
                floor(random() * {visitors})::int, (random() * 2000)::int,
                CASE WHEN i % 20 = 0 THEN (random() * 500)::numeric(10,2) END
            FROM generate_series(1, {count}) i""")
    cluster.sql(f"""CREATE TABLE visitors AS SELECT id, {one_of(["free", "basic", "team", "enterprise"])} AS plan,
        date '2024-01-01' + (random() * 365)::int AS joined FROM generate_series(0, {visitors} - 1) id;
        ALTER TABLE visitors ADD PRIMARY KEY (id)""")
