"""Failures of an engine on request: which call of a query's runs fails, with which status.

gpuagg.inject_failure (src/handle/inject.h) makes it so.  A call that a query does
not reach means no failure; so those are frequent here that most queries reach.
"""
import collections

STATUSES = ['inexact', 'widen', 'special', 'corrupt', 'no_memory', 'failed', 'lost']

# (weight, call, numbers of the call)
ALWAYS = [(10, 'any', [1, 1, 2, 2, 3, 3, 4, 5]), (3, 'open', [1, 1, 2]), (3, 'groups', [1])]
PAGES = (6, 'pages', [1, 1, 2])
COLUMNS = (6, 'columns', [1, 1, 2])
REGROUP = (10, 'regroup', [1, 1, 2, 3])

LEAST = 0.5     # the share of queries that must really have fallen back


def choose(rng, query):
    """A value of gpuagg.inject_failure."""
    calls = ALWAYS + [COLUMNS if query.kind in ('aggregates', 'join', 'UNION ALL', 'VALUES') else PAGES]
    if query.sets or any('(DISTINCT ' in a.form for a in query.aggregates):
        calls.append(REGROUP)
    _, call, numbers = rng.choices(calls, [c[0] for c in calls])[0]
    return '%s:%d:%s' % (call, rng.choice(numbers), rng.choice(STATUSES))


class Tally:
    """How many queries fell back, by what was to fail."""

    def __init__(self):
        self.taken = collections.Counter()
        self.fell_back = collections.Counter()

    def count(self, failure, fell_back):
        """One query with a GpuAgg in its plan."""
        call, _, status = failure.split(':')
        for what in ('', 'call ' + call, 'status ' + status):
            self.taken[what] += 1
            self.fell_back[what] += fell_back

    def plausible(self):
        """Did most of the queries fall back, and some for each call and status?"""
        return (self.fell_back[''] >= LEAST * self.taken['']
                and (self.taken[''] < 500 or all(self.fell_back[what] for what in self.taken)))

    def lines(self):
        for what in sorted(self.taken):
            yield '%6d of %6d queries fell back%s' % (self.fell_back[what], self.taken[what], what and ', ' + what)
