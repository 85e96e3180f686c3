"""Runs a query natively and in engines, and says how the outcomes differ."""
import copy
import decimal
import math
import re
import time

from collections import Counter
from oracle import MOST_ROWS
from tables import quote
from wire import Connection, Lost

COMMON = """SET search_path = fuzz; SET cursor_tuple_fraction = 1; SET enable_sort = off;
SET statement_timeout = '60s'; SET client_min_messages = notice"""
NUMERIC = 1700

# What gpuagg says of itself.
GAVE_UP = re.compile(r'engine "\w+" cannot finish the aggregation: (.*)', re.S)
# The classes of reasons, by the SQLSTATE that they are raised with.
GIVEN_UP = {'0A000': 'inexact', 'XX001': 'corrupt page', '53200': 'out of memory', '58000': 'engine failure'}
BROKE = '58000'     # the device, or its process: a defect, unless it was asked for
TIMED_OUT = '57014'
# Settings by which PostgreSQL comes to rows in other orders.
OTHER_PLANS = [['max_parallel_workers_per_gather = 0'],
               ['enable_nestloop = off', 'enable_mergejoin = off', 'enable_hashjoin = on'],
               ['enable_nestloop = on', 'enable_mergejoin = off', 'enable_hashjoin = off'],
               ['enable_nestloop = off', 'enable_mergejoin = on', 'enable_hashjoin = off', 'enable_sort = on'],
               ['enable_hashagg = off', 'enable_sort = on'], ['enable_hashagg = on', 'enable_indexscan = off'],
               ['enable_nestloop = on', 'enable_mergejoin = off', 'enable_hashjoin = off', 'enable_indexscan = off',
                'enable_indexonlyscan = off', 'enable_bitmapscan = off', 'enable_material = off', 'enable_sort = on'],
               ['join_collapse_limit = 1', 'from_collapse_limit = 1']]
REJECTED = re.compile(r'gpuagg leaves an aggregation to PostgreSQL: (.*)', re.S)


class Verdict:
    """What became of a query in one engine."""

    def __init__(self):
        self.taken = False      # the plan has a GpuAgg
        self.fallback = None    # why the engine gave up, if it did
        self.fallback_class = None  # of GIVEN_UP
        self.rejection = None   # why the plan has none
        self.failure = None     # how the outcome differs, if it does
        self.error = None       # the SQLSTATE that the query raises natively
        self.other_error = False    # another of its rows' errors came first
        self.pages = False      # the engine reads the table's pages
        self.lookups = 0        # relations of joins that the engine looks up
        self.computed = 0       # look-ups of what PostgreSQL computes of distinct values
        self.join_reason = None # why a join is PostgreSQL's
        self.served = False     # the engine has used columns that are kept
        self.kept = None        # look-ups that another run of the query has not had to make; None: not known
        self.devices = 0        # over which a run was dealt, if it was
        self.rows = None        # of the last outcome


class Session:
    """A connection with its settings, made again after a crash."""

    def __init__(self, directory, database, settings):
        self.directory = directory
        self.database = database
        self.settings = settings
        self.connect()

    def connect(self):
        self.connection = Connection(self.directory, 'postgres', self.database)
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


class Keeper(Session):
    """The session that prepares, and asks what is kept."""

    def __init__(self, directory, database, engine):
        super().__init__(directory, database, ["LOAD 'gpuagg'", 'SET gpuagg.mode = off', 'SET gpuagg.engine = ' + engine])
        self.query('CREATE EXTENSION IF NOT EXISTS gpuagg SCHEMA public')

    def run(self, statements):
        """One that fails is as good as none."""
        self.send(statements)
        self.receive()

    def hits(self):
        return int(self.query('SELECT coalesce(sum(hits), 0) FROM public.gpuagg_cache').rows[0][0])


def without_scale(text):
    """A numeric's value in the one form that all equal ones have."""
    try:
        value = decimal.Decimal(text)
        return str(value.normalize(WIDE)) if value.is_finite() else text
    except (decimal.InvalidOperation, TypeError):
        return text


WIDE = decimal.Context(prec=140000, Emax=999999, Emin=-999999)


def close(a, b):
    """Are two floats the same but for rounding errors of what PostgreSQL adds up?"""
    if a is None or b is None or a == b:
        return a == b
    x, y = float(a), float(b)
    if math.isnan(x) or math.isnan(y):
        return math.isnan(x) and math.isnan(y)
    return math.isclose(x, y, rel_tol=1e-9, abs_tol=1e-6)


def split(rows, places):
    """{what is exact of a row: the sorted list of what is not}."""
    found = {}
    for row in rows:
        exact = tuple(v for i, v in enumerate(row) if i not in places)
        found.setdefault(exact, []).append(tuple(row[i] for i in places))
    for values in found.values():
        values.sort(key=lambda r: [(v is None, float(v or 0)) for v in r])
    return found


def rows_differ(native, ours, query):
    """How two outcomes' rows differ, or None."""
    names = [c[0] for c in native.columns]
    loose = [i for i, c in enumerate(native.columns) if c[0] in query.loose() and c[1] == NUMERIC]
    want, have = native.rows, ours.rows
    if loose:
        want, have = ([tuple(without_scale(v) if i in loose else v for i, v in enumerate(r)) for r in rows]
                      for rows in (want, have))
    places = [i for i, n in enumerate(names) if n in query.approximate()]
    if places:
        want, have = split(want, places), split(have, places)
        for exact in set(want) | set(have):
            w, h = want.get(exact, []), have.get(exact, [])
            if len(w) != len(h) or not all(close(a, b) for x, y in zip(w, h) for a, b in zip(x, y)):
                return 'for %s values %s, natively %s' % (exact, h[:3], w[:3])
        return None
    have, want = Counter(have), Counter(want)
    if have != want:
        return 'surplus rows %s, missing %s (of %d)' % (
            list((have - want).elements())[:3], list((want - have).elements())[:3], len(native.rows))
    return None


def without_columns(outcomes, names):
    """Outcomes of what is left of the rows."""
    found = []
    for outcome in outcomes:
        places = [i for i, c in enumerate(outcome.columns) if c[0] not in names]
        other = copy.copy(outcome)
        other.columns = [outcome.columns[i] for i in places]
        other.rows = [tuple(row[i] for i in places) for row in outcome.rows]
        found.append(other)
    return found


def difference(native, ours, query):
    """How two lists of outcomes differ, in one line; None if they do not."""
    for n, o in zip(native, ours):
        if n.error or o.error:
            if n.error != o.error:
                return '%s, natively %s' % (o.text(), n.text())
            continue
        if n.columns != o.columns:
            return 'columns %s, natively %s' % (o.columns, n.columns)
        found = rows_differ(n, o, query)
        if found:
            return found
    return None


def both_errors(native, ours, query):
    """Is the first difference that both raise errors over data, but not the same?

    A child plan runs ahead of the engine by a batch, and the plan that takes over
    may not be the one that PostgreSQL chose (it may have sorted the rows first).
    If two rows, or two expressions of one, raise errors, either may come first.
    """
    for n, o in zip(native, ours):
        if difference([n], [o], query):
            return bool(n.error and o.error) and over_data(n.error) and over_data(o.error)
    return False


def in_any_order(plans):
    """Does a plan meet rows, or groups, in an order that nobody promises?"""
    text = '\n'.join(r[0] for p in plans for r in p.rows)
    # an engine's groups come in another order than those of PostgreSQL's hash tables
    return 'Workers Planned' in text or 'Source: child plan' in text or (
        'GpuAgg' in text and 'Group Key' in text)


def over_data(error):
    """Is an error one of some row's values?"""
    return error[0][:2] == '22' or (error[0] == '0A000' and bool(re.match('cannot convert (infinity|NaN) to', error[1])))


class Comparer:
    """The sessions: one that builds, one native, one for each engine, one that has columns kept."""

    def __init__(self, directory, database, engines, memory_limit=0, resident=False, dealt=False):
        self.dealt = dealt      # are tables dealt over several devices?
        self.writer = None      # who changes tables meanwhile
        self.builder = Session(directory, database, [])
        self.builder.query('CREATE EXTENSION IF NOT EXISTS gpuagg SCHEMA public')
        self.native = Session(directory, database, ["LOAD 'gpuagg'", 'SET gpuagg.mode = off'])
        self.engines = {e: Session(directory, database, [
            "LOAD 'gpuagg'", 'SET gpuagg.mode = force', 'SET gpuagg.engine = ' + e,
            'SET gpuagg.report_rejections = on', 'SET gpuagg.memory_limit = %d' % memory_limit]) for e in engines}
        self.keeper = Keeper(directory, database, engines[0]) if resident else None

    def sums_are_exact(self):
        """Do the engines compute the exact sum of floats, or add them up as they come?"""
        session = next(iter(self.engines.values()))
        found = session.query("SELECT sum(v) FROM (VALUES (1e16::float8), (1), (-1e16), (1)) s(v)")
        return found.rows == [('2',)]

    def guards_moments(self):
        """Is it PostgreSQL 19 or later, whose regressions do not overflow on their way?"""
        return int(self.native.query('SHOW server_version_num').rows[0][0]) >= 190000

    def can_inject(self):
        """Is the module one that can be told to fail?"""
        return not any(s.query('SHOW gpuagg.inject_failure').error for s in self.engines.values())

    def reconnect(self):
        """Connect anew after a crash, once the server has recovered from it."""
        for s in [self.builder, self.native, *self.engines.values()] + ([self.keeper] if self.keeper else []):
            s.connection.close()
            for trial in range(60):
                try:
                    s.connect()
                    break
                except (Lost, OSError):
                    time.sleep(1)

    def build(self, steps, settings=()):
        """Make the schema anew.  A step that fails is as good as none."""
        builder = self.builder
        others = [self.native] + list(self.engines.values())
        for session in [builder] + others:
            for statement in ['RESET ROLE'] + list(settings):
                if session in others or not statement.startswith('SET ROLE'):
                    session.query(statement)
        # a reduced schema's steps may have left a transaction that failed
        builder.query('ROLLBACK')
        builder.query('RESET ROLE')
        for statement in ('DROP SCHEMA IF EXISTS fuzz CASCADE', 'CREATE SCHEMA fuzz'):
            error = builder.query(statement).error
            if error:
                raise SystemExit('%s: %s' % (statement, error[1]))
        builder.send(['SET search_path = fuzz'] + [s for step in steps for s in step.statements()])
        builder.receive()

    def reads_pages(self, query):
        """Would an engine read a table's pages?"""
        prepare, explained, _, _, closing = query.statements()
        session = next(iter(self.engines.values()))
        session.send(prepare + ['EXPLAIN (COSTS OFF) ' + e for e in explained] + closing)
        return any('Source: heap pages' in row[0] for outcome in session.receive() for row in outcome.rows)

    def join_reasons(self, query):
        """Why engines do not run the query's joins, or its aggregations."""
        prepare, explained, _, _, closing = query.statements()
        session = next(iter(self.engines.values()))
        session.send(prepare + ['SELECT reason FROM public.gpuagg_explain(%s)' % quote(explained[0])] + closing)
        return [r[0] for r in session.receive()[len(prepare)].rows if r[0]]

    def run_first(self, query):
        """What comes of it is not looked at."""
        prepare, _, opening, body, closing = query.statements()
        for session in self.engines.values():
            session.send(prepare + opening + body + closing)
            session.receive()

    def prepare(self, query):
        """Have columns kept, and change the tables then."""
        preparation = query.preparation
        self.keeper.run(preparation.before())
        if preparation.runs:
            self.run_first(query)
        self.keeper.run(preparation.changes)

    def change(self, query):
        """Change tables before the query."""
        if query.runs_first:
            self.run_first(query)
            if self.writer:
                self.writer.wait()
        for statement in query.changes:
            self.builder.query(statement)

    def run(self, query, snapshot=False):
        """{engine: Verdict}; with a snapshot, all sessions see the same one."""
        prepare, explained, opening, body, closing = query.statements()
        engines = self.engines.values()
        self.change(query)
        if query.preparation:
            self.prepare(query)
        self.native.send(prepare)
        for session in engines:
            session.send(prepare + ['EXPLAIN (COSTS OFF) ' + e for e in explained])
        self.native.receive()
        plans = {e: session.receive()[len(prepare):] for e, session in self.engines.items()}
        if snapshot:
            opening, closing = [s for s in opening if s != 'BEGIN'], ['ROLLBACK'] + closing
            self.share_snapshot()
        hits = self.keeper.hits() if query.preparation else 0
        self.native.send(opening + body)
        for session in engines:
            session.send(['SET gpuagg.fallback = off'] + query.failing() + opening + body)
        native = self.native.receive()[-len(body):]
        values = self.oracle_values(query)
        verdicts = {e: self.judge(query, session, native, values, plans[e], opening, body, snapshot)
                    for e, session in self.engines.items()}
        for verdict in verdicts.values() if query.preparation else ():
            verdict.served = self.keeper.hits() > hits
        for engine, verdict in verdicts.items() if self.dealt else ():
            if verdict.pages and not verdict.fallback and not verdict.error:
                verdict.devices = self.devices(self.engines[engine], explained[0])
        for engine, verdict in verdicts.items() if snapshot else ():
            if verdict.lookups and not verdict.fallback and not verdict.error:
                verdict.kept = self.kept_lookups(self.engines[engine], explained[0])
        for session in [self.native] + list(engines):
            session.send(closing + ['RESET gpuagg.fallback'])
            session.receive()
        if query.failure:
            for session in engines:
                session.query('RESET gpuagg.inject_failure')
        self.compare_engines(query, verdicts)
        return verdicts

    @staticmethod
    def devices(session, text):
        """Of those that a run of the query is dealt over, the number; 0: it has one."""
        session.send(['EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) ' + text])
        return max((int(n) for o in session.receive() for r in o.rows for n in re.findall(r'Devices: (\d+)', r[0])), default=0)

    @staticmethod
    def kept_lookups(session, text):
        session.send(['EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) ' + text])
        return sum(bool(re.search(r'Look-up: .* Kept$', r[0])) for o in session.receive() for r in o.rows)

    def oracle_values(self, query):
        """What the query's oracle needs: outcomes, one for each of the query's; None if there is no oracle."""
        oracle = query.oracle()
        if not oracle:
            return None
        prepare, calls, closing = query.oracle_statements(oracle.rows)
        self.native.send(prepare + calls + closing)
        return self.native.receive()[len(prepare):len(prepare) + len(calls)]

    @staticmethod
    def differs_from_exact(query, values, native, ours):
        """How outcomes differ from the exact ones, or from PostgreSQL's errors, or None."""
        oracle = query.oracle()
        for v, n, o in zip(values, native, ours):
            if n.error or o.error:
                if n.error != o.error:
                    return '%s, natively %s' % (o.text(), n.text())
            elif not v.error and len(v.rows) <= MOST_ROWS:
                found = oracle.differs(v.rows, o.rows)
                if found:
                    return found
        return None

    @staticmethod
    def compare_engines(query, verdicts):
        """What PostgreSQL does not compute exactly must be the same in all engines."""
        answered = {e: v for e, v in verdicts.items() if v.taken and not v.fallback and v.rows is not None}
        first = next(iter(answered.values()), None)
        for engine, v in answered.items():
            if query.approximate() and not v.failure and v.rows != first.rows:
                v.failure = 'engines differ: %s' % list((v.rows - first.rows).elements())[:3]

    def share_snapshot(self):
        """Begin a transaction in each session, all with the native one's snapshot."""
        self.native.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
        name = self.native.query('SELECT pg_export_snapshot()').rows[0][0]
        self.native.query('SAVEPOINT s')
        for session in self.engines.values():
            for statement in ('BEGIN ISOLATION LEVEL REPEATABLE READ', "SET TRANSACTION SNAPSHOT '%s'" % name,
                              'SAVEPOINT s'):
                outcome = session.query(statement)
                if outcome.error:
                    raise SystemExit('%s: %s' % (statement, outcome.error[1]))

    def native_again(self, query, settings=(), snapshot=False):
        """What the query comes to natively with other settings, which do not last."""
        names = [t.split('=')[0].strip() for t in settings]
        prepare, _, opening, body, closing = query.statements()
        first = ['SET ' + t for t in settings]
        if snapshot:
            # the transaction goes on, and what is prepared is planned again
            first = ['ROLLBACK TO s'] + first + (['DEALLOCATE ALL'] + prepare if query.around == 'prepared' else [])
            first += [t for t in opening if t != 'BEGIN']
            self.native.send(first + body + ['ROLLBACK TO s'])
            return self.native.receive()[len(first):][:len(body)]
        # first of all the transaction ends that it may have begun
        self.native.send(closing + ['SHOW ' + n for n in names])
        before = [o.rows[0][0] for o in self.native.receive()[len(closing):]]
        first += prepare + opening
        self.native.send(first + body + closing + ["SET %s = '%s'" % pair for pair in zip(names, before)])
        return self.native.receive()[len(first):][:len(body)]

    def stopped_early(self, query, ours, snapshot):
        """Is the error one that PostgreSQL's plan only avoids by not computing all rows, or not yet?"""
        error = next((o.error for o in ours if o.error), None)
        if not query.may_stop_early() or not error or not over_data(error):
            return False
        if not snapshot:
            self.native.send(query.statements()[-1])
            self.native.receive()
        return any(o.error and over_data(o.error) for o in self.native_again(query.without_limit(), snapshot=snapshot))

    def computed_early(self, query, native, ours, snapshot):
        """Is the only error one that another plan of PostgreSQL's does not meet, or does?

        Workers that sort a relation below a join for the grouping above it compute sort keys
        also of the rows that the join drops.  A join by hash reads no row of one relation if
        the other one has none.
        """
        error = next((o.error for o in native if o.error), None)
        ours_error = next((o.error for o in ours if o.error), None)
        if bool(error) == bool(ours_error) or not over_data(error or ours_error):
            return False
        return any(difference(self.native_again(query, settings, snapshot), ours, query) is None for settings in OTHER_PLANS)

    @staticmethod
    def finds_nothing(query, session, native, ours, snapshot):
        """Does only PostgreSQL's plan raise an error, of rows that have nothing to be found in?

        Where a relation that must be found in has no rows, the engine reads nothing else.
        """
        error = next((o.error for o in native if o.error), None)
        if not error or not over_data(error) or any(o.error for o in ours):
            return False
        prepare, explained, _, _, closing = query.statements()
        explained = ['EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) ' + e for e in explained]
        session.send(explained if snapshot else closing + prepare + explained + closing)
        return any(re.search(r'Look-up: .* Keys: 0 ', r[0]) for o in session.receive() for r in o.rows)

    def judge(self, query, session, native, values, plans, opening, body, snapshot):
        """Compare what the session was sent last; run it again if the engine gave up."""
        verdict = Verdict()
        plan = plans[0]
        verdict.taken = any('GpuAgg' in r[0] for r in plan.rows)
        reasons = [REJECTED.match(n) for n in plan.notices]
        verdict.rejection = next((r.group(1) for r in reasons if r), None)
        verdict.error = next((o.error[0] for o in native if o.error), None)
        outcomes = session.receive()
        ours = outcomes[-len(body):]
        gave_up = next((o.error for o in outcomes if o.error and GAVE_UP.match(o.error[1])), None)
        if gave_up:
            verdict.fallback = GAVE_UP.match(gave_up[1]).group(1)
            verdict.fallback_class = GIVEN_UP.get(gave_up[0], gave_up[0])
            back = ['ROLLBACK TO s'] if snapshot else ['ROLLBACK'] if opening else []
            session.send(back + ['SET gpuagg.fallback = on'] + query.failing() + opening + body)
            ours = session.receive()[-len(body):]
        verdict.pages = any('Source: heap pages' in r[0] for r in plan.rows)
        verdict.computed = sum('Look-up: distinct values' in r[0] for r in plan.rows)
        verdict.lookups = sum('Look-up: ' in r[0] for r in plan.rows) - verdict.computed
        if not any(o.error for o in ours):
            verdict.rows = Counter(r for o in ours for r in o.rows)
        # a plan, or what is above the engine's, may be PostgreSQL's, with its own sums
        whole = all(p.rows and p.rows[0][0].startswith('Custom Scan (GpuAgg)') for p in plans)
        if values and whole and not gave_up:
            verdict.failure = self.differs_from_exact(query, values, native, ours)
        elif query.exact and (gave_up or not whole):
            # PostgreSQL's own sums: by another plan, in another order
            verdict.failure = None if any(o.error for o in native + ours) else difference(
                *(without_columns(outcomes, query.approximate()) for outcomes in (native, ours)), query)
        else:
            verdict.failure = difference(native, ours, query)
        if verdict.error and verdict.error.startswith('42'):
            verdict.failure = 'the query is not valid: ' + next(o.error[1] for o in native if o.error)
        if verdict.failure and (gave_up or in_any_order(plans)):
            verdict.other_error = both_errors(native, ours, query) or self.stopped_early(query, ours, snapshot)
            if verdict.other_error:
                verdict.failure = None
        if verdict.failure and (self.computed_early(query, native, ours, snapshot) or
                                self.finds_nothing(query, session, native, ours, snapshot)):
            verdict.other_error, verdict.failure = True, None
        if verdict.error == TIMED_OUT:
            verdict.failure = None      # there is no answer to compare with
        if gave_up and gave_up[0] == BROKE and not query.failure:
            verdict.failure = verdict.failure or 'the engine failed: ' + verdict.fallback
        return verdict

