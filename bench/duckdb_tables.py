"""DuckDB with the rows of a PostgreSQL database: in its own tables, and over PostgreSQL's heap."""

import glob
import os
from concurrent.futures import ThreadPoolExecutor

from cluster import progress
from duckdb_library import DuckDB

TYPES = {"numeric": "decimal", "double precision": "double", "real": "real", "smallint": "smallint", "integer": "integer", "bigint": "bigint",
         "text": "varchar", "character": "varchar", "character varying": "varchar", "boolean": "boolean", "date": "date",
         "timestamp without time zone": "timestamp", "timestamp with time zone": "timestamptz", "jsonb": "json", "json": "json", "uuid": "uuid"}
# as PostgreSQL has it
SAME_MEANING = "SET default_null_order = 'nulls_last_on_asc_first_on_desc'; SET integer_division = true"
NO_DOWNLOADS = "SET autoinstall_known_extensions = false; SET autoload_known_extensions = false"


def columns_of(cluster, table):
    """(name, type, modifier) each."""
    found = cluster.sql(f"""SELECT attname, format_type(atttypid, NULL), substring(format_type(atttypid, atttypmod), '\\(.*\\)')
        FROM pg_attribute WHERE attrelid = '{table}'::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum""")
    return [line.split("|") for line in found.split("\n")]


def export(cluster, table, directory):
    """The table's rows as CSV files, each written by a session of its own; texts without the blanks that character(n) adds."""
    selected = ", ".join(f"{name}::text" if kind == "character" else name for name, kind, _ in columns_of(cluster, table))
    blocks = int(cluster.sql(f"SELECT pg_relation_size('{table}') / current_setting('block_size')::int"))
    parts = min(max(blocks, 1), 4 * (os.cpu_count() or 1))

    def write_part(i):
        first, last = blocks * i // parts, blocks * (i + 1) // parts
        path = os.path.join(directory, f"{cluster.name}-{table}-{i}.csv")
        copy = f"COPY (SELECT {selected} FROM {table} WHERE ctid >= '({first},0)' AND ctid < '({last},0)') TO STDOUT (FORMAT csv)"
        cluster.write(path, copy)
        return path

    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        return list(pool.map(write_part, range(parts)))


def csv_columns(duck, table):
    listed = duck.run("SELECT string_agg('''' || column_name || ''': ''' || data_type || '''', ', ' ORDER BY column_index)"
                      f" FROM duckdb_columns() WHERE table_name = '{table}'")[0]
    return "{" + listed + "}"


def copy_table(cluster, duck, table, directory):
    declared = ", ".join(f"\"{name}\" {TYPES[kind]}{modifier if kind == 'numeric' else ''}" for name, kind, modifier in columns_of(cluster, table))
    files = export(cluster, table, directory)
    duck.run(f"CREATE TABLE {table} ({declared})")
    duck.run(f"INSERT INTO {table} SELECT * FROM read_csv({files}, header = false, allow_quoted_nulls = false,"
             f" columns = {csv_columns(duck, table)})")
    for file in files:
        os.remove(file)
    progress(f"DuckDB has {table}")


def open_own(library, cluster, tables, directory):
    """DuckDB with the same rows, in a file that stays as long as PostgreSQL's rows do."""
    path = os.path.join(directory, f"{cluster.name}-{cluster.sql('SELECT loaded FROM bench_loaded')}.duckdb")
    for other in glob.glob(os.path.join(directory, f"{cluster.name}-*.duckdb*")):
        if not other.startswith(path):
            os.remove(other)
    duck = DuckDB(library, path)
    duck.run(SAME_MEANING)
    for table in tables:
        if duck.run(f"SELECT count(*) FROM duckdb_tables() WHERE table_name = '{table}'")[0] == "0":
            copy_table(cluster, duck, table, directory)
    duck.run("CHECKPOINT")
    for table in tables:
        if duck.run(f"SELECT count(*) FROM {table}")[0] != cluster.sql(f"SELECT count(*) FROM {table}"):
            raise SystemExit(f"{path} does not have all rows of {table}: remove it")
    return duck


def open_heap(library, cluster):
    """DuckDB that reads PostgreSQL's tables; RuntimeError where its extension for that is not installed."""
    duck = DuckDB(library, ":memory:")
    duck.run(NO_DOWNLOADS)
    duck.run("LOAD postgres_scanner")
    duck.run(SAME_MEANING)
    user = cluster.sql("SELECT current_user")
    host = cluster.env.get("PGHOST", "/tmp")
    duck.run(f"ATTACH 'host={host} user={user} dbname={cluster.sql('SELECT current_database()')}' AS pg (TYPE postgres, READ_ONLY)")
    duck.run("USE pg")
    return duck
