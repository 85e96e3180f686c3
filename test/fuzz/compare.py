"""Runs a query natively and in engines, and says how the outcomes differ."""
import re

from collections import Counter
from wire import Connection

COMMON = """SET search_path = fuzz; SET cursor_tuple_fraction = 1; SET enable_sort = off;
SET max_parallel_workers_per_gather = 0; SET plan_cache_mode = force_generic_plan; SET timezone = 'Europe/Berlin';
SET statement_timeout = '60s'; SET client_min_messages = notice"""

# What gpuagg says of itself.
GAVE_UP = re.compile(r'engine "\w+" cannot finish the aggregation: (.*)', re.S)
REJECTED = re.compile(r'gpuagg leaves an aggregation to PostgreSQL: (.*)', re.S)


class Verdict:
    """What became of a query in one engine."""

    def __init__(self):
        self.taken = False      # the plan has a GpuAgg
        self.fallback = None    # why the engine gave up, if it did
        self.rejection = None   # why the plan has none
        self.failure = None     # how the outcome differs, if it does
        self.error = None       # the SQLSTATE that the query raises natively
        self.other_error = False    # another of its rows' errors came first


class Session:
    """A connection with its settings, made again after a crash."""

    def __init__(self, directory, settings):
        self.directory = directory
        self.settings = settings
        self.connect()

    def connect(self):
        self.connection = Connection(self.directory, 'postgres', 'postgres')
        for statement in [COMMON] + self.settings:
            outcome = self.connection.query(statement)
            if outcome.error:
                raise SystemExit('%s: %s' % (statement, outcome.error[1]))

    def send(self, statements):
        self.sent = list(statements)
        for s in self.sent:
            self.connection.send(s)

    def receive(self):
        return [self.connection.receive() for _ in self.sent]

    def query(self, sql):
        return self.connection.query(sql)


def difference(native, ours):
    """How two lists of outcomes differ, in one line; None if they do not."""
    for n, o in zip(native, ours):
        if n.error or o.error:
            if n.error != o.error:
                return '%s, natively %s' % (o.text(), n.text())
            continue
        if n.columns != o.columns:
            return 'columns %s, natively %s' % (o.columns, n.columns)
        have, want = Counter(o.rows), Counter(n.rows)
        if have != want:
            return 'surplus rows %s, missing %s (of %d)' % (
                list((have - want).elements())[:3], list((want - have).elements())[:3], len(n.rows))
    return None


def both_errors(native, ours):
    """Is the first difference that both raise errors over data, but not the same?

    A child plan runs ahead of the engine by a batch, and the plan that takes over
    may not be the one that PostgreSQL chose (it may have sorted the rows first).
    If two rows, or two expressions of one, raise errors, either may come first.
    """
    for n, o in zip(native, ours):
        if difference([n], [o]):
            return bool(n.error and o.error) and n.error[0][:2] == o.error[0][:2] == '22'
    return False


class Comparer:
    """The sessions: one that builds, one native, one for each engine."""

    def __init__(self, directory, engines, memory_limit=0):
        self.builder = Session(directory, [])
        self.native = Session(directory, ["LOAD 'gpuagg'", 'SET gpuagg.mode = off'])
        self.engines = {e: Session(directory, [
            "LOAD 'gpuagg'", 'SET gpuagg.mode = force', 'SET gpuagg.engine = ' + e,
            'SET gpuagg.report_rejections = on', 'SET gpuagg.memory_limit = %d' % memory_limit]) for e in engines}

    def reconnect(self):
        for s in [self.builder, self.native] + list(self.engines.values()):
            s.connection.close()
            s.connect()

    def build(self, steps):
        """Make the schema anew.  A step that fails is as good as none."""
        builder = self.builder
        builder.query('DROP SCHEMA IF EXISTS fuzz CASCADE')
        builder.send(['CREATE SCHEMA fuzz'] + [s for step in steps for s in step.statements()])
        builder.receive()

    def run(self, query, snapshot=False):
        """{engine: Verdict}; with a snapshot, all sessions see the same one."""
        prepare, explained, opening, body, closing = query.statements()
        engines = self.engines.values()
        self.native.send(prepare)
        for session in engines:
            session.send(prepare + ['EXPLAIN (COSTS OFF) ' + explained])
        self.native.receive()
        plans = {e: session.receive()[-1] for e, session in self.engines.items()}
        if snapshot:
            opening, closing = [s for s in opening if s != 'BEGIN'], ['ROLLBACK'] + closing
            self.share_snapshot()
        self.native.send(opening + body)
        for session in engines:
            session.send(['SET gpuagg.fallback = off'] + opening + body)
        native = self.native.receive()[-len(body):]
        verdicts = {e: self.judge(session, native, plans[e], opening, body, snapshot)
                    for e, session in self.engines.items()}
        for session in [self.native] + list(engines):
            session.send(closing + ['RESET gpuagg.fallback'])
            session.receive()
        return verdicts

    def share_snapshot(self):
        """Begin a transaction in each session, all with the native one's snapshot."""
        self.native.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
        name = self.native.query('SELECT pg_export_snapshot()').rows[0][0]
        for session in self.engines.values():
            for statement in ('BEGIN ISOLATION LEVEL REPEATABLE READ', "SET TRANSACTION SNAPSHOT '%s'" % name,
                              'SAVEPOINT s'):
                outcome = session.query(statement)
                if outcome.error:
                    raise SystemExit('%s: %s' % (statement, outcome.error[1]))

    def judge(self, session, native, plan, opening, body, snapshot):
        """Compare what the session was sent last; run it again if the engine gave up."""
        verdict = Verdict()
        verdict.taken = any('GpuAgg' in r[0] for r in plan.rows)
        reasons = [REJECTED.match(n) for n in plan.notices]
        verdict.rejection = next((r.group(1) for r in reasons if r), None)
        verdict.error = next((o.error[0] for o in native if o.error), None)
        outcomes = session.receive()
        ours = outcomes[-len(body):]
        gave_up = next((m for m in (GAVE_UP.match(o.error[1]) for o in outcomes if o.error) if m), None)
        if gave_up:
            verdict.fallback = gave_up.group(1)
            back = ['ROLLBACK TO s'] if snapshot else ['ROLLBACK'] if opening else []
            session.send(back + ['SET gpuagg.fallback = on'] + opening + body)
            ours = session.receive()[-len(body):]
        verdict.failure = difference(native, ours)
        if verdict.error and verdict.error.startswith('42'):
            verdict.failure = 'the query is not valid: ' + next(o.error[1] for o in native if o.error)
        if verdict.failure and (gave_up or any('Source: child plan' in r[0] for r in plan.rows)):
            verdict.other_error = both_errors(native, ours)
            if verdict.other_error:
                verdict.failure = None
        return verdict

