"""Questions to several systems: PostgreSQL's best plan, DuckDB, gpuagg on the CPU, gpuagg on a GPU.

What most benchmarks share: main(), to which each gives its Benchmark. All systems are measured in one
run on one machine, everything in memory.

PostgreSQL and gpuagg: planning and execution by EXPLAIN (ANALYZE, TIMING OFF), rows produced and none sent,
each with workers and without, PostgreSQL also with workers that cost nothing, for its estimates of these are
often high: the best plan counts. gpuagg.mode is auto, but force for `cpu_forced` and `cuda_forced`. The GPU
has kept the columns (gpuagg_prewarm), and its kernels are compiled; so has the CPU engine in shared memory,
where the server has gpuagg.cpu_cache_size. DuckDB: its library's call, which returns
the rows, with all processors; it has its own tables in a file, and reads PostgreSQL's, where its extension for
that is installed.

gpuagg's rows must be PostgreSQL's: compared are their number and a sum of hashes. DuckDB's must be the same but for
rounding, since its means are floats; many rows are not compared.
"""

import argparse
import collections
import csv
import json
import math
import os
import statistics
import sys
import time

import duckdb_tables
import report
from cluster import Cluster, progress, run_time

# name; sql: what is timed; checks: the queries whose rows must be the same (of `sql`, the rows that LIMIT lets
# through need not be); title: what a table says of it, or None; duckdb: the query as DuckDB has to be asked, or a Reason why it is not
Query = collections.namedtuple("Query", "name sql checks title duckdb", defaults=[None, None])
Reason = collections.namedtuple("Reason", "text")

# add_arguments(parser); load(cluster, args); queries(args) gives a list of Query; describe(args), the report's first words;
# memory(args), megabytes of the tables and indexes
Benchmark = collections.namedtuple("Benchmark", "name title doc add_arguments load queries describe memory")

SYSTEMS = [("postgresql", "PostgreSQL"), ("duckdb", "DuckDB"), ("duckdb_heap", "DuckDB over PostgreSQL's heap"), ("cpu", "gpuagg, CPU"),
           ("cuda", "gpuagg, GPU"), ("cpu_forced", "gpuagg, CPU, forced"), ("cuda_forced", "gpuagg, GPU, forced")]
FREE_WORKERS = "; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0"
WARM_RUNS = 2
COMPILE_SECONDS = 10    # a query's own kernels are there by then
TOLERANCE = 2e-9        # of DuckDB's floats
COMPARED_ROWS = 100000  # of DuckDB, at most
SHORT = 2000            # milliseconds of a run of DuckDB that is repeated for warm caches
PLACES = ("output", "files", "tag", "resume", "server", "load_only", "duckdb", "queries", "seconds")


def settings(args, system, workers):
    engine, _, forced = system.partition("_")
    mode = "off" if system == "postgresql" else "force" if forced else "auto"
    return (f"SET gpuagg.mode = {mode}; SET gpuagg.engine = {'cpu' if system == 'postgresql' else engine};"
            f" SET max_parallel_workers_per_gather = {workers}; SET work_mem = '{args.work_mem}'; SET jit = off")


def nodes(plan):
    yield plan
    for child in plan.get("Plans", []):
        yield from nodes(child)


def our_node(plan):
    found = [node for node in nodes(plan["Plan"]) if node.get("Custom Plan Provider") == "GpuAgg"]
    return found[0] if found else {}


def whose(plan):
    """What there is of gpuagg in a plan."""
    if not our_node(plan):
        return "PostgreSQL"
    return "fallback" if '"Fallback"' in json.dumps(plan) else "gpuagg"


def compiled(plan):
    """Did kernels of the query's own run, or is there nothing to compile?"""
    return our_node(plan).get("Engine Strategy") != "interpret"


def rounds(args, first):
    """So many runs are timed where the first one took so many milliseconds."""
    return max(1, min(args.runs, int(args.query_seconds * 1000 / max(first, 0.001))))


def measure_plan(cluster, args, query, setting, limit):
    """Times under one setting, None if the first run took more than `limit` milliseconds."""
    try:
        first = cluster.explain([f"SET statement_timeout = {int(limit)}; {setting}"], query.sql)[0]
    except RuntimeError as error:
        if "statement timeout" not in str(error):
            raise
        return None
    if "= cuda" in setting:
        waited = time.monotonic() + COMPILE_SECONDS
        while time.monotonic() < waited and not all(map(compiled, cluster.explain([setting] * WARM_RUNS, query.sql))):
            time.sleep(0.5)
    taken, plans = run_time(first), [first]
    if taken < args.query_seconds * 1000:
        plans = cluster.explain([setting] * (WARM_RUNS + rounds(args, taken)), query.sql)[WARM_RUNS:]
    node = our_node(plans[-1])
    times = [run_time(plan) for plan in plans]
    return {"median": statistics.median(times), "runs": times, "first": taken, "taken": whose(plans[-1]),
            "strategy": node.get("Engine Strategy"), "resident": node.get("Blocks Resident")}


def reasons(cluster, setting, query):
    """Why its groupings are left to PostgreSQL."""
    told = cluster.sql(f"{setting};\nSELECT DISTINCT reason FROM gpuagg_explain($q${query.sql}$q$) WHERE NOT taken AND reason IS NOT NULL")
    return told.split("\n") if told else ["there is no grouping"]


def measure_best(cluster, args, query, system):
    """The best of a system's plans with and without workers."""
    best = None
    choices = [(args.workers, FREE_WORKERS)] if system == "postgresql" else []
    for workers, more in choices + [(args.workers, ""), (0, "")]:
        setting = settings(args, system, workers) + more
        found = measure_plan(cluster, args, query, setting, best["median"] + 500 if best else args.timeout * 1000)
        if found and (best is None or found["median"] < best["median"]):
            best = {**found, "workers": workers, "settings": setting}
    if best is None:
        return {"median": None, "stopped": args.timeout * 1000, "settings": settings(args, system, args.workers)}
    if best["taken"] == "PostgreSQL" and system != "postgresql":
        best["reason"] = reasons(cluster, best["settings"], query)
    return best


def measure_duckdb(duck, args, query):
    if isinstance(query.duckdb, Reason):
        return {"error": query.duckdb.text}
    sql = query.duckdb or query.sql
    try:
        first = duck.run(sql)[1]
        if first < SHORT:
            duck.run(sql)
        times = [duck.run(sql)[1] for _ in range(rounds(args, first))]
    except RuntimeError as error:
        return {"error": str(error).split("\n")[0]}
    return {"median": statistics.median(times), "runs": times, "first": first}


def digests(cluster, setting, query):
    """Of each of the query's checks: how many rows, and the sum of their hashes."""
    return [cluster.sql(f"{setting};\nSELECT count(*), sum(hashtextextended(q::text, 0)) FROM (SELECT * FROM ({check}) c OFFSET 0) q")
            for check in query.checks]


def plain(value):
    """A value as a number or a text that both systems write alike."""
    value = {"t": "true", "f": "false"}.get(value.rstrip(), value.rstrip())
    try:
        return float(value)
    except ValueError:
        return value


def rows_of(path):
    """The rows of a CSV file, in an order in which floats count last."""
    with open(path) as file:
        rows = [[plain(value) for value in row] for row in csv.reader(file)]
    os.remove(path)
    return sorted(rows, key=lambda row: ([str(value) for value in row if not isinstance(value, float) or value.is_integer()],
                                         [value for value in row if isinstance(value, float)]))


def close(one, other):
    return one == other or (isinstance(one, float) and isinstance(other, float)
                            and (math.isclose(one, other, rel_tol=TOLERANCE, abs_tol=TOLERANCE) or math.isnan(one) and math.isnan(other)))


def same_but_rounded(rows, others):
    return len(rows) == len(others) and all(
        len(row) == len(other) and all(map(close, row, other)) for row, other in zip(rows, others))


def duckdb_same(cluster, duck, args, query, native, found):
    """Has DuckDB PostgreSQL's rows?  None if no check could be compared, or the query is DuckDB's own."""
    if query.duckdb:
        return None
    path = os.path.join(args.files, cluster.name + "-answer.csv")
    same = None
    for check, digest in zip(query.checks, found):
        if int(digest.split("|")[0]) > COMPARED_ROWS:
            continue
        try:
            duck.run(f"COPY ({check}) TO '{path}' (FORMAT csv, HEADER false)")
        except RuntimeError:
            continue            # the check has names of columns, or types, that are PostgreSQL's
        rows = rows_of(path)
        cluster.write(path, f"{native['settings']};\nCOPY ({check}) TO STDOUT (FORMAT csv)")
        same = same is not False and same_but_rounded(rows, rows_of(path))
    return same


def measure_or_error(cluster, args, query, system):
    try:
        return measure_best(cluster, args, query, system)
    except RuntimeError as error:
        return {"median": None, "error": str(error).split("\n")[0]}


def measure(cluster, ducks, args, query, systems):
    native = measure_or_error(cluster, args, query, "postgresql")
    measured = {"postgresql": native}
    found = digests(cluster, native["settings"], query) if args.compare and native["median"] else None
    for system in systems:
        if system in ducks:
            measured[system] = measure_duckdb(ducks[system], args, query)
            if found and measured[system].get("median"):
                measured[system]["same_rows"] = duckdb_same(cluster, ducks[system], args, query, native, found)
        elif system != "postgresql":
            measured[system] = measure_or_error(cluster, args, query, system)
            if found and measured[system].get("taken") in ("gpuagg", "fallback"):
                measured[system]["same_rows"] = found == digests(cluster, measured[system]["settings"], query)
    return {"name": query.name, "title": query.title, "sql": query.sql, "measured": measured}


def said(question):
    """A line of progress."""
    shown = [f"{key} {report.cell(question, key, 'ms')}" for key, _ in SYSTEMS if key in question["measured"]]
    return f"{question['name']}: " + ", ".join(shown)


def tables_of(cluster):
    found = cluster.sql("SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relname <> 'bench_loaded' ORDER BY 1")
    return found.split("\n") if found else []


def sizes(cluster, tables):
    found = [cluster.sql(f"SELECT count(*), pg_size_pretty(pg_table_size('{name}')) FROM {name}").split("|") for name in tables]
    return [[name, int(count), size] for name, (count, size) in zip(tables, found)]


def prewarm(cluster, tables, engine):
    """Have the engine keep all columns of the tables that it can keep; a sentence of how long that took."""
    where = "on the GPU" if engine == "cuda" else "in shared memory for the CPU"
    seconds, kept = 0, 0
    for name in tables:
        row = cluster.sql(f"SET gpuagg.engine = {engine}; SELECT seconds, bytes FROM gpuagg_prewarm('{name}')").split("|")
        seconds, kept = seconds + float(row[0]), kept + int(row[1])
    said = f"Kept {where}: {kept / 2**30:.1f} GiB in {seconds:.1f} s."
    progress(said)
    return said


def open_ducks(cluster, args, tables, absent):
    """DuckDB's ways, by system; what is missing goes to `absent`."""
    if not args.duckdb:
        absent["DuckDB"] = "its library was not named"
        return {}
    found = {"duckdb": duckdb_tables.open_own(args.duckdb, cluster, tables, args.files)}
    try:
        found["duckdb_heap"] = duckdb_tables.open_heap(args.duckdb, cluster)
    except RuntimeError:
        absent["DuckDB over PostgreSQL's heap"] = "its extension postgres_scanner is not installed"
    return found


def wanted_systems(args, engines, ducks, absent):
    if "cuda" not in engines:
        absent["gpuagg on a GPU"] = "there is none"
    there = ["postgresql", *ducks, *engines, *(engine + "_forced" for engine in engines)]
    named = args.systems or [system for system, _ in SYSTEMS if not system.endswith("_forced")]
    return [system for system, _ in SYSTEMS if system in named and system in there]


def begin_report(cluster, args, name, title, about, **more):
    """A report of systems, DuckDB's connections, and the systems that are there."""
    absent, tables = {}, tables_of(cluster)
    ducks = open_ducks(cluster, args, tables, absent)
    systems = wanted_systems(args, cluster.engines(), ducks, absent)
    begun = report.new(cluster, name, title, about, SYSTEMS, absent=absent, tables=sizes(cluster, tables),
                       settings={name: value for name, value in vars(args).items() if name not in PLACES}, **more)
    if ducks:
        begun["machine"]["duckdb"] = ducks["duckdb"].version()
    cpu_keeps = cluster.sql("SELECT setting FROM pg_settings WHERE name = 'gpuagg.cpu_cache_size'") not in ("", "0")
    for engine in ("cuda", "cpu"):
        if (engine == "cuda" or cpu_keeps) and any(system.startswith(engine) for system in systems):
            begun["notes"].append(prewarm(cluster, tables, engine))
    return begun, ducks, systems


def run(benchmark, cluster, args):
    began = time.monotonic()
    about = (benchmark.describe(args) + f" Milliseconds, medians of at most {args.runs} runs; without or with {args.workers} workers,"
             " the better one.")
    result, ducks, systems = begin_report(cluster, args, benchmark.name, benchmark.title, about, baseline="postgresql", plot="bars")
    path = report.resume(result, args)
    there = {question["name"] for question in result["questions"]}
    for query in benchmark.queries(args):
        if query.name in there or args.queries and query.name not in args.queries:
            continue
        if time.monotonic() - began > args.seconds:
            report.write(result, path)
            raise SystemExit(f"{args.seconds} seconds are over: {query.name} and later ones are left out")
        result["questions"].append(measure(cluster, ducks, args, query, systems))
        progress(said(result["questions"][-1]))
        report.write(result, path)
    report.finish(result, path)
    return report.failing(result, "postgresql", "cpu", "cuda", "cpu_forced", "cuda_forced")


def add_system_arguments(parser):
    """Of all programs that compare systems."""
    parser.add_argument("--workers", type=int, default=max(2, (os.cpu_count() or 2) - 1), metavar="N", help="parallel workers of a query")
    parser.add_argument("--systems", nargs="+", metavar="NAME", choices=[system for system, _ in SYSTEMS],
                        help="of: " + ", ".join(system for system, _ in SYSTEMS) + "; all that are there but the forced ones, if none is named")
    parser.add_argument("--duckdb", metavar="LIBRARY",
                        help="libduckdb.so of its release or of npm's package @duckdb/node-bindings-linux-x64; DuckDB is left out if it is not named")
    parser.add_argument("--work-mem", default="256MB")
    parser.add_argument("--server", action="store_true", help="a running server's database, not a private cluster")
    parser.add_argument("--load-only", action="store_true", help="with --server: load, and measure nothing")
    parser.add_argument("--files", default=os.path.join(report.TOP, ".build", "bench"), help="where DuckDB's database and exported rows are")
    report.add_arguments(parser)


def arguments(benchmark):
    parser = argparse.ArgumentParser(description=benchmark.doc + "\n" + __doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--queries", nargs="+", metavar="NAME", help="these only")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--timeout", type=int, default=60, help="seconds, of a query's first run")
    parser.add_argument("--query-seconds", type=float, default=4, help="of one query's timed runs with one plan")
    parser.add_argument("--seconds", type=int, default=36000, help="begin no query after so many")
    parser.add_argument("--no-compare", dest="compare", action="store_false", help="do not compare the rows")
    parser.add_argument("--locale", help="of the database, such as en_US.UTF-8, if the system has it, or ICU's icu:en-US; C or, with --server, the server's")
    parser.add_argument("--no-vacuum", dest="vacuum", action="store_false",
                        help="no page all-visible: analyze the tables, and do not vacuum them")
    add_system_arguments(parser)
    benchmark.add_arguments(parser)
    return parser.parse_args()


def load(cluster, args, fill):
    """Fill the database by a function, unless a run before has done so with the same arguments; what others have left is dropped."""
    data = json.dumps({name: value for name, value in vars(args).items() if name in ("rows", "scale", "groups", "vacuum")})
    if cluster.sql("SELECT to_regclass('bench_loaded') IS NOT NULL") == "t" and cluster.sql("SELECT data FROM bench_loaded") == data:
        return
    cluster.sql("DROP TABLE IF EXISTS " + ", ".join(["bench_loaded", *tables_of(cluster)]) + " CASCADE")
    fill(cluster, args)
    # what was not vacuumed has its hint bits set by a first reader
    cluster.sql("VACUUM (FREEZE, ANALYZE)" if getattr(args, "vacuum", True) else "ANALYZE")
    cluster.sql(f"CREATE TABLE bench_loaded AS SELECT '{data}'::text AS data, floor(extract(epoch FROM now())) AS loaded; CHECKPOINT")


def server_lines(args, megabytes):
    """Of a private cluster that holds so much in memory."""
    return [f"shared_buffers = {256 + megabytes}MB", f"gpuagg.cpu_cache_size = {64 + megabytes // 2}MB", "maintenance_work_mem = 256MB", "shared_preload_libraries = 'gpuagg'", "max_connections = 200",
            f"max_worker_processes = {args.workers + 8}", f"max_parallel_workers = {max(args.workers, 1)}"]


def main(benchmark):
    args = arguments(benchmark)
    os.makedirs(args.files, exist_ok=True)
    with Cluster(benchmark.name, *server_lines(args, benchmark.memory(args)), server=args.server, locale=args.locale) as cluster:
        load(cluster, args, benchmark.load)
        failing = [] if args.load_only else run(benchmark, cluster, args)
    sys.exit(1 if failing else 0)
