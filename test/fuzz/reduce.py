"""Makes a failing case smaller, as long as it keeps failing.

First the query, by its own simpler(), then the rows of every Insert by halves,
quarters and so on (Zeller's delta debugging), then the steps, then the query
once more.  Every trial builds its schema anew.
"""
import time

from tables import Insert
from wire import Lost


class Reducer:
    def __init__(self, comparer, engine, settings, seconds):
        self.comparer = comparer
        self.settings = settings
        self.engine = engine
        self.until = time.time() + seconds
        self.built = None
        self.kind = None        # of the failure

    def fails(self, steps, query):
        """How it fails, if as at first; else None."""
        failure = self.outcome(steps, query)
        kind = failure if failure and failure.startswith('the query is not valid') else bool(failure)
        if self.kind is None:
            self.kind = kind
        return failure if kind == self.kind else None

    def outcome(self, steps, query):
        comparer = self.comparer
        try:
            if steps is not self.built or query.changes:
                comparer.build(steps, self.settings)
                self.built = steps
            return comparer.run(query)[self.engine].failure
        except Lost:
            self.built = None
            comparer.reconnect()
            return 'the server crashed'

    def reduce(self, steps, query):
        query = self.reduce_query(steps, query)
        for i in range(len(steps)):
            if isinstance(steps[i], Insert):
                steps = self.reduce_rows(steps, i, query)
        steps = self.reduce_steps(steps, query)
        return steps, self.reduce_query(steps, query)

    def reduce_query(self, steps, query):
        found = True
        while found and time.time() < self.until:
            found = False
            for simpler in query.simpler():
                if time.time() < self.until and self.fails(steps, simpler):
                    query = simpler
                    found = True
                    break
        return query

    def reduce_rows(self, steps, i, query):
        def with_rows(rows):
            insert = Insert(steps[i].table, steps[i].columns, rows)
            return steps[:i] + [insert] + steps[i + 1:]

        size = len(steps[i].rows)
        while size > 0 and time.time() < self.until:
            at = 0
            while at < len(steps[i].rows) and time.time() < self.until:
                fewer = with_rows(steps[i].rows[:at] + steps[i].rows[at + size:])
                if self.fails(fewer, query):
                    steps = fewer
                else:
                    at += size
            size //= 2
        return steps

    def reduce_steps(self, steps, query):
        for i in reversed(range(len(steps))):
            fewer = steps[:i] + steps[i + 1:]
            if time.time() < self.until and self.fails(fewer, query):
                steps = fewer
        return steps


def script(title, failure, settings, steps, query, engine, memory_limit):
    """The case as a file for psql."""
    prepare, _, opening, body, closing = query.statements()
    lines = ['-- %s' % title] + ['-- ' + part for part in failure.splitlines()]
    lines += ["LOAD 'gpuagg';", 'CREATE SCHEMA fuzz;', 'SET search_path = fuzz;',
              'SET enable_sort = off;'] + [s + ';' for s in settings if not s.startswith('SET ROLE')]
    lines += [s + ';' for step in steps for s in step.statements()] + [s + ';' for s in settings if s.startswith('SET ROLE')]
    lines += ['SET gpuagg.engine = %s;' % engine, 'SET gpuagg.memory_limit = %d;' % memory_limit]
    lines += [s + ';' for s in query.failing()]
    if query.preparation:
        twice = prepare + opening + body + closing if query.preparation.runs else []
        lines += ['SET gpuagg.mode = force;'] + [s + ';' for s in query.preparation.before() + twice + query.preparation.changes]
    if query.runs_first:
        lines += ['SET gpuagg.mode = force;'] + [s + ';' for s in prepare + opening + body + closing]
    lines += [s + ';' for s in query.changes]
    for mode in ('off', 'force'):
        lines += ['SET gpuagg.mode = %s;' % mode] + [s + ';' for s in prepare + opening + body + closing]
    return '\n'.join(lines + ['RESET ROLE;', 'DROP SCHEMA fuzz CASCADE;']) + '\n'
