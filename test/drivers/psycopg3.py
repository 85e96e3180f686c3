"""psycopg3: queries.txt by psycopg 3: simple and extended protocol, prepared, text and binary, cursors."""
import os
import sys

try:
    import psycopg
    from psycopg.rows import tuple_row
except ImportError:
    sys.exit(print("there is no psycopg 3", file=sys.stderr) or 77)

QUERIES = [line.strip().replace("%", "%%").replace("$1", "%s")
           for line in open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "queries.txt"))]


def raw(cursor):
    """The bytes of the rows."""
    result = cursor.pgresult
    return [[result.get_value(i, j) for j in range(result.nfields)] for i in range(result.ntuples)]


def plain(connection, query, **how):
    return raw(connection.cursor(binary=how.pop("binary", False)).execute(query, (100,), **how))


def prepared(connection, query):
    return [plain(connection, query, prepare=True) for _ in range(7)]


def client(connection, query):
    return raw(psycopg.ClientCursor(connection).execute(query, (100,)))


def server_side(connection, query, binary):
    with connection.cursor("driven", binary=binary) as cursor:
        cursor.itersize = 3
        cursor.execute(query, (100,))
        return [cursor.fetchmany(3) for _ in range(40)]


WAYS = {"extended": plain, "extended, binary": lambda c, q: plain(c, q, binary=True), "prepared": prepared,
        "server-side cursor": lambda c, q: server_side(c, q, False),
        "server-side cursor, binary": lambda c, q: server_side(c, q, True)}
if hasattr(psycopg, "ClientCursor"):
    WAYS["simple"] = client
with psycopg.connect("", row_factory=tuple_row) as connection:
    for mode in "off", "force":
        connection.execute(f"SET gpuagg.mode = {mode}")
        connection.execute("DISCARD PLANS")
        for way, run in WAYS.items():
            for i, query in enumerate(QUERIES):
                print(way, mode, f"query {i + 1}", repr(run(connection, query)), sep="\t")
            print(way, mode, "plan", repr(connection.execute("EXPLAIN " + QUERIES[0], (100,)).fetchall()), sep="\t")
