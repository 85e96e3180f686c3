"""What benchmarks have measured: one form for all of them, and the documents that are made of it.

A report is a JSON file NAME.json, or TAG-NAME.json, where TAG names a machine:

name, title, about    the benchmark, and what it measures, as Markdown
command               how to repeat it; machine: on what and with what, with commit and date
settings              what the benchmark was told; a run that goes on needs the same
tables                [name, rows, size] each
unit                  of what was measured, if a question does not say its own: ms, s, queries/s, …
columns               [key, title] each: the systems that were compared; baseline: the key of one
absent                by title: why a system was not measured
notes                 sentences
complete              was all measured that was asked for?
plot                  "bars" or "lines" (over `x` of each question): its picture is NAME.svg
questions             {name, title, sql, unit, x, measured}; measured has by column's key:
    median, runs      the number, and those that it is the median of
    first             the first run's
    workers, settings what the best plan had
    taken, reason     whose plan ran: gpuagg, PostgreSQL, fallback; why PostgreSQL's
    same_rows         were they PostgreSQL's?  null: not compared
    stopped           a run was stopped after so much
    error             what the system said in the place of an answer
"""

import glob
import json
import math
import os
import re
import shlex
import subprocess
import sys

from cluster import TOP, machine, progress

RESULTS = os.path.join(TOP, "bench", "results")
DOCUMENT = os.path.join(TOP, "doc", "benchmarks.md")
TEMPLATE = os.path.join(TOP, "bench", "document.md")
MARK = "<!-- results -->"
README_BEGIN, README_END = "<!-- bench/questions -->", "<!-- end -->"
README_REPORT = "questions"
OLDEST = 150        # commits that change the code
SLOW = 1.2          # gpuagg takes so many times as long as PostgreSQL's own plan, or forced so many times less
ORDER = ["questions", "clickbench", "tpch", "ssb", "dbbenchmark", "dashboards", "star", "many_groups", "first", "first_runs", "sessions",
         "load", "writers", "workers", "crossover", "device", "groups"]
# options that say where something is, and when to stop, and not what is measured
PLACES = {"--output": 1, "--files": 1, "--tag": 1, "--resume": 0, "--server": 0, "--load-only": 0, "--seconds": 1}
REQUIRED = ("name", "title", "about", "command", "machine", "settings", "tables", "unit", "columns", "absent", "notes", "questions")
MACHINE = ("cpu", "cores", "memory_gib", "gpu", "postgresql", "gpuagg", "commit", "date")


def add_arguments(parser):
    parser.add_argument("--output", default=os.path.join(TOP, ".build", "bench"), help="the directory of NAME.json")
    parser.add_argument("--tag", default="", help="a word for the machine: the file is TAG-NAME.json")
    parser.add_argument("--resume", action="store_true", help="go on where a run to the same file was stopped")


def path_of(args, name):
    return os.path.join(args.output, (f"{args.tag}-" if args.tag else "") + name + ".json")


def command():
    """How this program was called, without the places of files."""
    words, left = [os.path.relpath(os.path.abspath(sys.argv[0]), TOP)], list(sys.argv[1:])
    while left:
        word = left.pop(0)
        if word in PLACES:
            del left[:PLACES[word]]
        elif word == "--duckdb":
            words += [word, "LIBRARY"]
            del left[:1]
        else:
            words.append(shlex.quote(word))
    return " ".join(words)


def new(cluster, name, title, about, columns, **more):
    found = {"name": name, "title": title, "about": about, "command": command(), "machine": machine(cluster), "settings": {}, "tables": [],
             "unit": "ms", "columns": columns, "baseline": None, "absent": {}, "notes": [], "plot": None}
    found.update(more)
    found["questions"] = []
    return json.loads(json.dumps(found))


def read(path):
    with open(path) as file:
        return json.load(file)


def write(report, path):
    """Anew after each question: a run that is stopped leaves what it has measured."""
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    with open(path + ".new", "w") as file:
        json.dump(report, file, indent=1, ensure_ascii=False)
        file.write("\n")
    os.replace(path + ".new", path)


def same_run(report, before):
    """Can what was measured before stand beside what is measured now?"""
    def facts(one):
        return [one["settings"], one["tables"]] + [one["machine"][name] for name in ("cpu", "cores", "gpu", "postgresql", "commit")]
    return facts(report) == facts(before)


def resume(report, args):
    """Take the questions that a run to the same file has measured, if one is to go on."""
    path = path_of(args, report["name"])
    if args.resume and os.path.exists(path):
        before = read(path)
        if not same_run(report, before):
            raise SystemExit(f"{path} is of another machine, commit or setting")
        report["questions"] = before["questions"]
    return path


def wrong(report):
    """What keeps a file from being a report."""
    found = [f"has no {name}" for name in REQUIRED if name not in report]
    if found:
        return found
    found = [f"its machine has no {name}" for name in MACHINE if name not in report["machine"]]
    keys = {key for key, _ in report["columns"]}
    for question in report["questions"]:
        for key, measured in question["measured"].items():
            if key not in keys:
                found.append(f"{question['name']}: no column {key}")
            elif not any(name in measured for name in ("median", "stopped", "error")):
                found.append(f"{question['name']}: {key} has no number")
    return found


def failing(report, *keys):
    """The questions whose rows were not PostgreSQL's, or that had an error, in one of the columns."""
    found = [(question["name"], [question["measured"].get(key, {}) for key in keys]) for question in report["questions"]]
    return [name for name, columns in found if any(measured.get("same_rows") is False or "error" in measured for measured in columns)]


def age(commit):
    """How many commits have changed the code since; None if the history does not say."""
    done = subprocess.run(["git", "rev-list", "--count", commit.replace("-dirty", "") + "..HEAD", "--", "src", "cuda", "sql"], cwd=TOP, capture_output=True, text=True)
    return int(done.stdout) if done.returncode == 0 else None


# Numbers and tables

def figure(value, unit="ms"):
    if unit == "bytes":
        return f"{value:,.0f}"
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def median_of(question, key):
    return (question["measured"].get(key) or {}).get("median")


def cell(question, key, unit):
    measured = question["measured"].get(key)
    if measured is None:
        return "-"
    if "error" in measured:
        return "error"
    if measured.get("median") is None:
        return f"> {figure(measured['stopped'], unit)}"
    text = figure(measured["median"], unit)
    if measured.get("taken") not in (None, "gpuagg") and key != "postgresql":
        text += f" ({measured['taken']})"
    return text + (" (rows differ)" if measured.get("same_rows") is False else "")


def unit_of(report, question):
    return question.get("unit") or report["unit"]


def shown_columns(report):
    return [(key, title) for key, title in report["columns"] if any(question["measured"].get(key) for question in report["questions"])]


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


def gain(report, key):
    """The baseline's time over a column's, geometric mean of the questions that both have, and how many these are."""
    both = [(median_of(question, report["baseline"]), median_of(question, key)) for question in report["questions"]
            if unit_of(report, question) in ("ms", "s")]
    ratios = [one / other for one, other in both if one and other]
    return geometric_mean(ratios), len(ratios)


def gains(report):
    cells = []
    for key, _ in shown_columns(report):
        mean, count = gain(report, key)
        cells.append("-" if mean is None else f"{mean:.2f}" + (f" ({count})" if count != len(report["questions"]) else ""))
    return cells


def table(report):
    """A row a question, and the geometric means."""
    shown = shown_columns(report)
    units = {unit_of(report, question) for question in report["questions"]}
    lines = [f"| {units.pop() if len(units) == 1 else ''} | " + " | ".join(title for _, title in shown) + " |", "|---" + "|---:" * len(shown) + "|"]
    for question in report["questions"]:
        unit = unit_of(report, question)
        title = (question.get("title") or question["name"]).replace("|", "\\|")
        lines.append(f"| {title}{f', {unit}' if units else ''} | " + " | ".join(cell(question, key, unit) for key, _ in shown) + " |")
    return lines, shown


def listed(names):
    return ", ".join(names)


def remarks(report):
    """Sentences of what was not taken, was slow, or failed."""
    found = []
    for key, title in shown_columns(report):
        by_reason, slow, missed, errors = {}, [], [], {}
        for question in report["questions"]:
            measured, native = question["measured"].get(key) or {}, median_of(question, "postgresql")
            forced = median_of(question, key + "_forced")
            if "error" in measured:
                errors.setdefault(measured["error"], []).append(question["name"])
            if measured.get("taken") not in (None, "gpuagg") and key != "postgresql":
                for reason in measured.get("reason") or ["no reason is known"]:
                    by_reason.setdefault(reason, []).append(question["name"])
                if forced and native and forced * SLOW < native:
                    missed.append(question["name"])
            elif "taken" in measured and not key.endswith("_forced") and native and median_of(question, key) and median_of(question, key) > native * SLOW:
                slow.append(question["name"])
        if by_reason:
            found.append(f"{title}, left to PostgreSQL: " + "; ".join(f"{listed(names)} ({reason})" for reason, names in by_reason.items()) + ".")
        if missed:
            found.append(f"{title}, left to PostgreSQL though {SLOW} times as fast where forced: {listed(missed)}.")
        if slow:
            found.append(f"{title}, slower than PostgreSQL's own plan by more than {SLOW} times: {listed(slow)}.")
        for error, names in errors.items():
            found.append(f"{title}, error in {listed(names)}: {error}.")
    return found


def machine_line(report):
    said = "{cpu}, {cores} cores, {memory_gib} GiB; PostgreSQL {postgresql}; gpuagg {gpuagg}, commit {commit}".format(**report["machine"])
    for text in (report["machine"]["gpu"], report["machine"].get("duckdb") and f"DuckDB {report['machine']['duckdb']}"):
        said += f"; {text}" if text else ""
    return said


def tables_of(report):
    return listed(f"`{name}` {rows:,} rows ({size})" for name, rows, size in report["tables"])


def markdown(report, picture=None):
    """The report's part of a document, without a heading."""
    lines, _ = table(report)
    if report["baseline"]:
        lines.append(f"| **{dict(report['columns'])[report['baseline']]}'s time over it, geometric mean** | " + " | ".join(gains(report)) + " |")
    about = report["about"] + (f" {tables_of(report)}." if report["tables"] else "")
    lines = [about, ""] + lines
    said = remarks(report) + report["notes"] + [f"{title}: not measured, {reason}." for title, reason in report["absent"].items()]
    if said:
        lines += [""] + [f"* {sentence}" for sentence in said]
    if picture:
        lines += ["", f"![{report['title']}]({picture})"]
    return lines + ["", f"{machine_line(report)}; {report['machine']['date'][:10]}.", "", f"`{report['command']}`"]


def finish(report, path):
    """Write it, all of which was measured, and show it to who has run the benchmark."""
    report["complete"] = True
    write(report, path)
    print("\n".join(markdown(report)))
    progress(f"written: {path}")


# Documents

def paths():
    """The reports of bench/results."""
    return sorted(glob.glob(os.path.join(RESULTS, "*.json")))


def picture_of(path):
    picture = os.path.splitext(path)[0] + ".svg"
    return picture if os.path.exists(picture) else None


def tag_of(path, report):
    return os.path.basename(path)[:-len(report["name"] + ".json")].rstrip("-")


def sort_key(found):
    path, report = found
    return (ORDER.index(report["name"]) if report["name"] in ORDER else len(ORDER), path)


def anchor(heading):
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def document(found, template):
    """doc/benchmarks.md: the template, with all reports in the mark's place; found: (path, report) each."""
    parts, contents = [], []
    for path, report in sorted(found, key=sort_key):
        heading = report["title"] + (f", {tag_of(path, report)}" if tag_of(path, report) else "")
        picture = picture_of(path)
        contents.append(f"[{heading}](#{anchor(heading)})")
        parts += ["## " + heading, ""] + markdown(report, picture and os.path.relpath(picture, os.path.dirname(DOCUMENT))) + [""]
    return template.replace(MARK, "\n".join(["* " + ", ".join(contents), ""] + parts).rstrip("\n"))


def whole_document():
    with open(TEMPLATE) as file:
        return document([(path, read(path)) for path in paths()], file.read())


def readme_path():
    """Of the report whose table README.md has: one with a GPU, if there is one."""
    found = [path for path in paths() if read(path)["name"] == README_REPORT]
    return max(found, key=lambda path: (bool(read(path)["machine"]["gpu"]), path)) if found else None


def readme_part(path):
    report = read(path)
    lines, _ = table(report)
    picture = picture_of(path)
    said = report["about"] + (" DuckDB returns its rows, the others make theirs and send none." if median_of(report["questions"][0], "duckdb") else "")
    said += " The GPU has kept the columns" if report["machine"]["gpu"] else ""
    said += ", and so has the CPU engine" if any(note.startswith("Kept in shared memory") for note in report["notes"]) else ""
    said += "." if report["machine"]["gpu"] else ""
    text = [README_BEGIN] + lines + ["", f"{said} {tables_of(report)}; {machine_line(report)}. [More](doc/benchmarks.md)"]
    return "\n".join(text + (["", f"![{report['title']}]({os.path.relpath(picture, TOP)})"] if picture else []) + [README_END])


def write_documents():
    """doc/benchmarks.md, and README.md's table."""
    with open(DOCUMENT, "w") as file:
        file.write(whole_document())
    if not readme_path():
        return
    readme = os.path.join(TOP, "README.md")
    with open(readme) as file:
        before, rest = file.read().split(README_BEGIN, 1)
    with open(readme, "w") as file:
        file.write(before + readme_part(readme_path()) + rest.split(README_END, 1)[1])
