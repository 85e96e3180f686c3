"""Queries in turns: PostgreSQL alone, gpuagg's choice, gpuagg forced.

What bench/clickbench, bench/tpch, bench/dbbenchmark and bench/many_groups share: main(), to which each
gives its Benchmark.  A query runs once under each setting, each in a session of its own,
which warms the buffers and says how long it takes; then in one session under all settings
in turns, the first of which is not counted where it is short.  A query that takes long runs
fewer times, at least once.

gpuagg.mode = auto is not timed where its plan is that of one of the other modes, costs
included: its time is theirs.

The results are written anew after each query.
"""

import argparse
import collections
import json
import math
import os
import statistics
import sys
import time

from cluster import TOP, Cluster, machine, progress, run_time, write_results

SLOW = 1.2      # auto takes so many times as long as PostgreSQL's own plan
MISSED = 1.2    # auto left to PostgreSQL what is so many times as fast forced
SHORT = 2000    # milliseconds of a turn that is repeated for warm caches

# sql: what is timed; checks: the queries whose rows must be the same (of `sql`, the rows
# that LIMIT lets through need not be)
Query = collections.namedtuple("Query", "name sql checks")

# add_arguments(parser); load(cluster, args); queries(args) gives a list of Query; describe(args), the report's first words;
# memory(args), megabytes of the tables and indexes
Benchmark = collections.namedtuple("Benchmark", "name doc add_arguments load queries describe memory")


def settings(args, mode, workers):
    return (f"SET gpuagg.mode = {mode}; SET gpuagg.engine = {args.engine};"
            f" SET max_parallel_workers_per_gather = {workers}; SET work_mem = '{args.work_mem}'")


def nodes(plan):
    yield plan
    for child in plan.get("Plans", []):
        yield from nodes(child)


def whose(plan):
    """What there is of gpuagg in a plan."""
    found = [node for node in nodes(plan["Plan"]) if node.get("Custom Plan Provider") == "GpuAgg"]
    if not found:
        return "PostgreSQL"
    return "fallback" if '"Fallback"' in json.dumps(found) else "gpuagg"


class Timed:
    """A query under one number of workers, in all modes."""

    def __init__(self, query, workers):
        self.query = query
        self.workers = workers
        self.times = {}         # by mode; no time: it was stopped
        self.taken = {}         # by mode, whose plan ran
        self.same_as = None     # the mode whose plan is auto's

    def median(self, mode):
        if mode == "auto" and self.same_as:
            mode = self.same_as
        times = self.times.get(mode)
        return statistics.median(times) if times else None

    def chosen(self):
        return self.taken.get(self.same_as or "auto", "")

    def gain(self, mode):
        """How many times as fast as PostgreSQL's own plan."""
        native, other = self.median("off"), self.median(mode)
        return native / other if native and other else None

    def remark(self):
        if self.chosen() != "PostgreSQL" and self.gain("auto") and self.gain("auto") * SLOW < 1:
            return "**slow**"
        if self.chosen() == "PostgreSQL" and self.gain("force") and self.gain("force") > MISSED:
            return "missed"
        return ""

    def result(self):
        return {"query": self.query.name, "sql": self.query.sql, "workers": self.workers, "times": self.times,
                "taken": self.taken, "auto_is": self.same_as, "remark": self.remark()}


def plan_shape(cluster, setting, query):
    return json.dumps(cluster.explain([setting], query, "")[0])


def modes_to_time(cluster, args, timed):
    """All modes but auto, if its plan is another mode's."""
    plans = {mode: plan_shape(cluster, settings(args, mode, timed.workers), timed.query.sql) for mode in args.modes}
    for mode in ("off", "force"):
        if "auto" in plans and plans.get(mode) == plans["auto"]:
            timed.same_as = mode
            return [other for other in args.modes if other != "auto"]
    return args.modes


def add_plan(timed, mode, plan):
    timed.times.setdefault(mode, []).append(run_time(plan))
    timed.taken[mode] = whose(plan)


def first_runs(cluster, args, timed, modes):
    """One run of each mode; the modes that finished, and milliseconds of all."""
    finished = []
    for mode in modes:
        limited = f"SET statement_timeout = '{args.timeout}s'; " + settings(args, mode, timed.workers)
        try:
            add_plan(timed, mode, cluster.explain([limited], timed.query.sql)[0])
            finished.append(mode)
        except RuntimeError as error:
            if "statement timeout" not in str(error):
                raise
            timed.times[mode] = []
    return finished, sum(timed.times[mode][0] for mode in finished)


def measure(cluster, args, query, workers):
    timed = Timed(query, workers)
    modes, total = first_runs(cluster, args, timed, modes_to_time(cluster, args, timed))
    rounds = min(args.runs, int(args.query_seconds * 1000 / max(total, 0.001)))
    if rounds > 0 and modes:
        warming = len(modes) if total < SHORT else 0
        plans = cluster.explain([settings(args, mode, workers) for mode in modes] * (rounds + (warming > 0)), query.sql)
        timed.times = {mode: times for mode, times in timed.times.items() if mode not in modes}
        for i, plan in enumerate(plans[warming:]):
            add_plan(timed, modes[i % len(modes)], plan)
    return timed


def same_rows(cluster, args, query):
    """Has gpuagg PostgreSQL's rows, with the fewest and the most workers?"""
    native = settings(args, "off", max(args.workers))
    return all(cluster.same_rows(native, settings(args, "force", workers), check)
               for check in query.checks for workers in sorted({min(args.workers), max(args.workers)}))


def number(value, form):
    return format(value, form) if value is not None else "-"


def geometric_mean(values):
    return math.exp(sum(math.log(value) for value in values) / len(values)) if values else None


def means(results):
    lines = ["| workers | queries | PostgreSQL / auto, geometric mean | PostgreSQL / forced, geometric mean |", "|---" * 4 + "|"]
    for workers in sorted({timed.workers for timed in results}):
        of_these = [timed for timed in results if timed.workers == workers]
        gains = {mode: geometric_mean([timed.gain(mode) for timed in of_these if timed.gain(mode)]) for mode in ("auto", "force")}
        lines.append(f"| {workers} | {len(of_these)} | {number(gains['auto'], '.2f')} | {number(gains['force'], '.2f')} |")
    return lines


def row(timed):
    return (f"| {timed.query.name} | {timed.workers} | {number(timed.median('off'), '.1f')} | {number(timed.median('auto'), '.1f')}"
            f" | {timed.chosen()} | {number(timed.median('force'), '.1f')} | {number(timed.gain('auto'), '.2f')}"
            f" | {number(timed.gain('force'), '.2f')} | {timed.remark()} |")


def table(benchmark, args, described, results, differing):
    lines = [benchmark.describe(args) + f" Milliseconds, medians of at most {args.runs} runs; work_mem {args.work_mem}.", "",
             "| query | workers | PostgreSQL | auto | chosen | forced | PostgreSQL / auto | PostgreSQL / forced | |", "|---" * 9 + "|"]
    lines += [row(timed) for timed in results] + [""] + means(results)
    remarks = [timed.remark() for timed in results]
    lines += ["", f"auto slower than {SLOW} times PostgreSQL: {remarks.count('**slow**')}; left to PostgreSQL though gpuagg was"
              f" {MISSED} times faster: {remarks.count('missed')}; queries whose rows differ: {', '.join(differing) or 'none'}"
              + ("." if args.compare else " (not compared)."), "",
              "{cpu}, {cores} cores, {memory_gib} GiB; PostgreSQL {postgresql}; gpuagg {gpuagg}, {commit}; load {load}."
              .format(**described, load=os.getloadavg()[0])]
    return "\n".join(lines) + "\n"


def run(benchmark, cluster, args):
    began = time.monotonic()
    results, differing = [], []
    described = machine(cluster)
    for query in benchmark.queries(args):
        if args.queries and query.name not in args.queries:
            continue
        if time.monotonic() - began > args.seconds:
            progress(f"{args.seconds} seconds are over: {query.name} and later ones are left out")
            break
        for workers in args.workers:
            results.append(measure(cluster, args, query, workers))
            progress(row(results[-1]))
        if args.compare and not same_rows(cluster, args, query):
            differing.append(query.name)
            progress(f"{query.name}: ROWS DIFFER")
        written = write_results(args.output, benchmark.name,
                                {"machine": described, "results": [timed.result() for timed in results], "differing": differing},
                                table(benchmark, args, described, results, differing))
    if results:
        progress(f"written: {written}")
    return differing


def arguments(benchmark):
    parser = argparse.ArgumentParser(description=benchmark.doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--queries", nargs="+", metavar="NAME", help="these only")
    parser.add_argument("--workers", nargs="+", type=int, default=[0, 2], metavar="N", help="parallel workers of a query")
    parser.add_argument("--modes", nargs="+", default=["off", "auto", "force"], metavar="MODE", help="of gpuagg.mode")
    parser.add_argument("--engine", default="auto", help="gpuagg.engine")
    parser.add_argument("--work-mem", default="256MB")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--timeout", type=int, default=60, help="seconds, of a query's first run")
    parser.add_argument("--query-seconds", type=float, default=15, help="of a query's later runs with one number of workers")
    parser.add_argument("--seconds", type=int, default=3600, help="begin no query after so many")
    parser.add_argument("--no-compare", dest="compare", action="store_false", help="do not compare the rows")
    parser.add_argument("--no-vacuum", dest="vacuum", action="store_false",
                        help="no page all-visible: analyze the tables, and do not vacuum them")
    parser.add_argument("--server", action="store_true", help="a running server's database, not a private cluster")
    parser.add_argument("--load-only", action="store_true", help="with --server: load, and measure nothing")
    parser.add_argument("--loaded", action="store_true", help="with --server: the tables are there")
    parser.add_argument("--output", default=os.path.join(TOP, ".build", "bench"))
    benchmark.add_arguments(parser)
    return parser.parse_args()


def main(benchmark):
    args = arguments(benchmark)
    workers = max(args.workers)
    lines = [f"shared_buffers = {256 + benchmark.memory(args)}MB", "maintenance_work_mem = 256MB",
             f"max_worker_processes = {workers + 8}", f"max_parallel_workers = {max(workers, 1)}"]
    with Cluster(benchmark.name, *lines, server=args.server) as cluster:
        if not args.loaded:
            benchmark.load(cluster, args)
            # what was not vacuumed has its hint bits set by a first reader
            cluster.sql("VACUUM (FREEZE, ANALYZE)" if args.vacuum else "ANALYZE")
            cluster.sql("CHECKPOINT")
        differing = [] if args.load_only else run(benchmark, cluster, args)
    sys.exit(1 if differing else 0)
