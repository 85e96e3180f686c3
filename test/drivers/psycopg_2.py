"""psycopg_2: queries.txt by psycopg2: its simple protocol, PREPARE, and named cursors."""
import os
import sys

try:
    import psycopg2
except ImportError:
    sys.exit(print("there is no psycopg2", file=sys.stderr) or 77)

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "queries.txt")
QUERIES = [line.strip() for line in open(FILE)]


def simple(connection, query):
    cursor = connection.cursor()
    cursor.execute(query.replace("%", "%%").replace("$1", "%s"), (100,))
    return cursor.fetchall()


def prepared(connection, query):
    cursor = connection.cursor()
    cursor.execute("PREPARE driven (int) AS " + query)
    rows = []
    for _ in range(7):
        cursor.execute("EXECUTE driven (100)")
        rows.append(cursor.fetchall())
    cursor.execute("DEALLOCATE driven")
    return rows


def server_side(connection, query):
    with connection.cursor("driven") as cursor:
        cursor.itersize = 3
        cursor.execute(query.replace("%", "%%").replace("$1", "%s"), (100,))
        return list(cursor)


connection = psycopg2.connect("")
for mode in "off", "force":
    connection.cursor().execute(f"SET gpuagg.mode = {mode}")
    for way, run in ("simple", simple), ("prepared", prepared), ("server-side cursor", server_side):
        for i, query in enumerate(QUERIES):
            print(way, mode, f"query {i + 1}", repr(run(connection, query)), sep="\t")
        print(way, mode, "plan", repr(simple(connection, "EXPLAIN " + QUERIES[0])), sep="\t")
