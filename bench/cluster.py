"""What the benchmarks share: a private cluster, timed queries, the machine."""

import json
import os
import platform
import re
import statistics
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TOOL = os.path.join(TOP, "tools", "private-postgres")
MARK = "-- next plan --"


def progress(text):
    print(text, file=sys.stderr, flush=True)


class Cluster:
    """A running private cluster with gpuagg; stopped at the end of a `with`."""

    def __init__(self, name, *lines):
        self.name = name
        progress("building and starting a private cluster")
        subprocess.run([TOOL, "install"], check=True)
        subprocess.run([TOOL, "start", name, "session_preload_libraries = 'gpuagg'",
                        "jit = off", "autovacuum = off", "max_wal_size = 8GB", *lines], check=True)
        exports = subprocess.run([TOOL, "env", name], check=True, capture_output=True, text=True).stdout
        self.env = dict(os.environ)
        for variable, value in re.findall(r"(\w+)=(\S+)", exports):
            self.env[variable] = value.replace("$PATH", os.environ["PATH"])
        self.sql("CREATE EXTENSION gpuagg")

    def __enter__(self):
        return self

    def __exit__(self, *error):
        subprocess.run([TOOL, "stop", self.name], check=True)

    def sql(self, text):
        """Run SQL in a session of its own; its output, unaligned."""
        done = subprocess.run(["psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1"], input=text,
                              env=self.env, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(done.stderr.strip())
        return done.stdout.strip()

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

    def time(self, settings, query, runs):
        """Run the query runs + 1 times in one session, the first not counted.

        Gives milliseconds (planning and execution) and whether gpuagg ran it:
        {"median", "best", "times", "taken", "fallback"}.
        """
        explain = f"EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) {query};\n\\echo {MARK}\n"
        output = self.sql(settings + ";\n" + explain * (runs + 1))
        plans = [json.loads(part)[0] for part in output.split(MARK) if part.strip()]
        times = [plan["Planning Time"] + plan["Execution Time"] for plan in plans[1:]]
        text = json.dumps(plans[-1])
        return {"median": statistics.median(times), "best": min(times), "times": times,
                "taken": '"GpuAgg"' in text, "fallback": '"Fallback"' in text}

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


def first_line(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True, cwd=TOP).stdout.strip().split("\n")[0]
    except OSError:
        return ""


def machine(cluster):
    """What the numbers were measured on and with."""
    with open("/proc/cpuinfo") as cpuinfo:
        models = re.findall(r"model name\s*: (.*)", cpuinfo.read())
    with open("/proc/meminfo") as meminfo:
        memory = int(re.search(r"MemTotal:\s*(\d+)", meminfo.read()).group(1)) // 1024 // 1024
    return {
        "cpu": models[0] if models else platform.machine(),
        "cores": os.cpu_count(),
        "memory_gib": memory,
        "gpu": first_line("nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"),
        "kernel": platform.release(),
        "postgresql": cluster.sql("SHOW server_version"),
        "compiler": first_line("cc", "--version"),
        "gpuagg": cluster.sql("SELECT gpuagg_version()"),
        "commit": os.environ.get("GPUAGG_COMMIT") or first_line("git", "describe", "--always", "--dirty"),
        "date": cluster.sql("SELECT now()::timestamp(0)"),
    }


def write_results(directory, name, result, table):
    """NAME.json and NAME.md in the directory."""
    os.makedirs(directory, exist_ok=True)
    with open(os.path.join(directory, name + ".json"), "w") as out:
        json.dump(result, out, indent=1)
        out.write("\n")
    with open(os.path.join(directory, name + ".md"), "w") as out:
        out.write(table)
    progress(f"written: {os.path.join(directory, name)}.md and .json")
