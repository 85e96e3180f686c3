"""What the benchmarks share: a cluster, loading, timed queries, the machine."""

import json
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TOOL = os.path.join(TOP, "tools", "private-postgres")
MARK = "-- next plan --"


def progress(text):
    print(text, file=sys.stderr, flush=True)


class Cluster:
    """A running cluster with gpuagg.

    It is a private one, stopped at the end of a `with`; or, with server=True, the server
    that PGHOST and the like name, where the database gpuagg_bench_NAME is used, and made if
    it is not there.  A locale, as tools/private-postgres has it, is part of that database's name.
    """

    def __init__(self, name, *lines, server=False, locale=None):
        self.name = name
        self.locale = locale
        self.env = dict(os.environ)
        self.private = not server
        self.directory = None
        if server:
            self.use_database()
        else:
            self.start(name, lines)
        self.sql("CREATE EXTENSION IF NOT EXISTS gpuagg")

    def use_database(self):
        name, words = f"gpuagg_bench_{self.name}", ""
        if self.locale:
            name += "_" + re.sub(r"\W", "_", self.locale.lower())
            words = "TEMPLATE template0 " + locale_words(self.locale)
        if self.sql(f"SELECT count(*) FROM pg_database WHERE datname = '{name}'") == "0":
            self.sql(f"CREATE DATABASE {name} {words}")
        self.env["PGDATABASE"] = name

    def start(self, name, lines):
        progress("building and starting a private cluster")
        subprocess.run([TOOL, "install"], check=True)
        subprocess.run([TOOL, "start", *(["--locale", self.locale] if self.locale else []), name, "session_preload_libraries = 'gpuagg'",
                        "jit = off", "autovacuum = off", "max_wal_size = 8GB", *lines], check=True)
        exports = subprocess.run([TOOL, "env", name], check=True, capture_output=True, text=True).stdout
        for variable, value in re.findall(r"(\w+)=(\S+)", exports):
            self.env[variable] = value.replace("$PATH", os.environ["PATH"])

    def __enter__(self):
        return self

    def __exit__(self, *error):
        if self.private:
            subprocess.run([TOOL, "stop", self.name], check=True)

    def data_directory(self):
        """The server may have been stopped since it said so."""
        if not self.directory:
            self.directory = self.sql("SHOW data_directory")
        return self.directory

    def pg_ctl(self, *words):
        """As the user that the server runs as, who is never root."""
        program = shutil.which("pg_ctl", path=self.env["PATH"])
        subprocess.run(([TOOL, "as"] if os.getuid() == 0 else []) + [program, "-D", self.data_directory(), *words],
                       check=True, stdout=subprocess.DEVNULL)

    def restart(self, options="", wait=True):
        """Stop the server and start it with these options of `postgres`; when it was started, by time.monotonic()."""
        self.pg_ctl("-m", "fast", "-w", "stop")
        began = time.monotonic()
        self.pg_ctl("-l", os.path.join(self.data_directory(), "restart.log"), "-o", options, "-w" if wait else "-W", "-t", "120", "start")
        return began

    def recover(self):
        """Start the server anew as it was, also where a benchmark that was stopped has left none."""
        self.pg_ctl("-m", "fast", "-l", os.path.join(self.data_directory(), "restart.log"), "-o", "", "-w", "-t", "120", "restart")

    def sql(self, text):
        """Run SQL in a session of its own; its output, unaligned."""
        done = subprocess.run(["psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1"], input=text,
                              env=self.env, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(done.stderr.strip())
        return done.stdout.strip()

    def write(self, path, text):
        """Run SQL in a session of its own; its output goes to a file."""
        with open(path, "w") as out:
            done = subprocess.run(["psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1"], input=text,
                                  env=self.env, stdout=out, stderr=subprocess.PIPE, text=True)
        if done.returncode != 0:
            raise RuntimeError(done.stderr.strip())

    def engines(self):
        """The engines that are there, of those that users use."""
        found = []
        for engine in ("cpu", "cuda"):
            try:
                self.sql(f"LOAD 'gpuagg'; SET gpuagg.engine = {engine}")
                found.append(engine)
            except RuntimeError:
                pass
        return found

    def insert(self, table, rows, select, step=500000):
        """Insert that many rows, at most `step` at a time in each of several sessions.

        select(first, count) is the SELECT for some of them, or a statement that inserts
        them if `table` is None.
        """
        into = f"INSERT INTO {table}" if table else ""
        chunks = [(first, min(step, rows - first)) for first in range(0, rows, step)]

        def insert_chunk(chunk):
            first, count = chunk
            self.sql(f"SELECT setseed({first % 997} / 997.0) \\g /dev/null\n{into} {select(first, count)}")
            return count

        done = 0
        with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            for count in pool.map(insert_chunk, chunks):
                done += count
                progress(f"loaded {done:,} of {rows:,} rows of {table or self.name}")

    def together(self, statements):
        """Run the statements in several sessions at once."""
        with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            list(pool.map(self.sql, statements))

    def explain(self, settings, query, options="ANALYZE, TIMING OFF, "):
        """The plans of the query, run once under each of the settings, in one session."""
        explain = f"EXPLAIN ({options}FORMAT JSON) {query};\n\\echo {MARK}\n"
        output = self.sql("".join(f"{setting};\n{explain}" for setting in settings))
        return [json.loads(part)[0] for part in output.split(MARK) if part.strip()]

    def time(self, settings, query, runs):
        """Run the query runs + 1 times in one session, the first not counted.

        Gives milliseconds (planning and execution) and whether gpuagg ran it:
        {"median", "best", "times", "taken", "fallback"}.
        """
        return self.time_in_turn([settings], query, runs)[0]

    def time_in_turn(self, settings, query, runs):
        """The same under each of the settings, in turn, since a machine's speed changes."""
        plans = self.explain(settings * (runs + 1), query)
        found = []
        for i in range(len(settings)):
            times = [run_time(plan) for plan in plans[i::len(settings)][1:]]
            text = json.dumps(plans[i - len(settings)])
            found.append({"median": statistics.median(times), "best": min(times), "times": times,
                          "taken": '"GpuAgg"' in text, "fallback": '"Fallback"' in text})
        return found

    def same_rows(self, settings, other_settings, query):
        """Do both settings give the same rows?"""
        differences = self.sql(f"""
            {settings};
            CREATE TEMP TABLE one AS SELECT q::text AS r FROM ({query}) q;
            {other_settings};
            CREATE TEMP TABLE other AS SELECT q::text AS r FROM ({query}) q;
            SET gpuagg.mode = off;
            SELECT count(*) FROM ((TABLE one EXCEPT ALL TABLE other) UNION ALL
                                  (TABLE other EXCEPT ALL TABLE one)) d""")
        return differences == "0"


def locale_words(locale):
    """Of CREATE DATABASE."""
    provider, _, name = locale.rpartition(":")
    return f"LOCALE_PROVIDER icu ICU_LOCALE '{name}'" if provider == "icu" else f"LOCALE_PROVIDER libc LOCALE '{locale}'"


def run_time(plan):
    """Milliseconds of planning and execution."""
    return plan["Planning Time"] + plan["Execution Time"]


def first_line(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True, cwd=TOP).stdout.strip().split("\n")[0]
    except OSError:
        return ""


def commit():
    """Of the source; GPUAGG_COMMIT names it where there is no repository."""
    return os.environ.get("GPUAGG_COMMIT") or first_line("git", "describe", "--always", "--dirty")


def memory_gib():
    with open("/proc/meminfo") as meminfo:
        return int(re.search(r"MemTotal:\s*(\d+)", meminfo.read()).group(1)) // 1024 // 1024


def machine(cluster):
    """What the numbers were measured on and with."""
    with open("/proc/cpuinfo") as cpuinfo:
        models = re.findall(r"model name\s*: (.*)", cpuinfo.read())
    return {
        "cpu": models[0] if models else platform.machine(),
        "cores": os.cpu_count(),
        "memory_gib": memory_gib(),
        "gpu": first_line("nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader") if "cuda" in cluster.engines() else "",
        "kernel": platform.release(),
        "postgresql": cluster.sql("SHOW server_version"),
        "compiler": first_line("cc", "--version"),
        "gpuagg": cluster.sql("SELECT gpuagg_version()"),
        "commit": commit(),
        "date": cluster.sql("SELECT now()::timestamp(0)"),
    }
