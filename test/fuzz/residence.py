"""Columns that stay on the device, or in shared memory for the CPU engine: how they come there, what changes then, who has used them.

Before a query is compared, it is run once, or its tables are prewarmed, so that the
columns that it needs are kept.  Between that and the run that is compared, a few rows of
a table may change, or many, or its blocks become all-visible again.  gpuagg_cache's hits
tell whether the run has taken rows from what is kept.
"""
import collections
import random

from dataclasses import dataclass, field

COPY_OF_A_ROW = 'INSERT INTO {t} SELECT * FROM {t} WHERE id = {k}'

# (weight, statements); k is a row's id, p a remainder
CHANGES = [
    (8, []),
    (4, ['UPDATE {t} SET id = id WHERE id = {k}']),
    (3, ['UPDATE {t} SET {c} = NULL WHERE id BETWEEN {k} AND {k} + 3']),
    (3, ['DELETE FROM {t} WHERE id = {k}']),
    (2, [COPY_OF_A_ROW]),
    (2, ['BEGIN', 'DELETE FROM {t} WHERE id = {k}', 'ROLLBACK']),
    (1, ['BEGIN', 'SELECT FROM {t} WHERE id = {k} FOR UPDATE', 'COMMIT']),
    (1, ['UPDATE {t} SET id = id WHERE id % 10 = {p}']),
    (1, ['DELETE FROM {t} WHERE id = {k}', 'VACUUM {t}']),
    (1, ['UPDATE {t} SET {c} = NULL WHERE id = {k}', 'VACUUM (FREEZE) {t}']),
    (1, ['VACUUM FULL {t}']),
]

SIZES = [60, 300, 1000, 1000, 2500]     # of tables, in rows
INTERPRETED = 0.75      # of the seeds: without kernels of each query's own
VACUUMED = 0.7          # of the queries: nothing is left that has changed before
PREWARMED = 0.3         # of the queries: by gpuagg_prewarm

# Of the runs after either way to have columns kept, the share that must have used them, if
# nobody else changes the tables.  Many cannot: unlogged tables are not kept, nor texts that nearly all differ, and float keys are not served.
# About a third do; of so few runs a fifth may by chance.
LEAST = 0.15
ENOUGH = 100            # runs, for their share to tell anything
ENOUGH_OF_A_KIND = 25   # runs after one kind of preparation, for their share to tell anything


@dataclass
class Preparation:
    """
    vacuum, prewarm: statements before; runs: is the query run then?  changes: statements
    after that.  earlier: changes of queries before, since all tables were vacuumed.
    """
    vacuum: list = field(default_factory=list)
    prewarm: list = field(default_factory=list)
    changes: list = field(default_factory=list)
    earlier: list = field(default_factory=list)

    @property
    def runs(self):
        return not self.prewarm

    def before(self):
        return self.vacuum + self.prewarm

    def alone(self, tables):
        """The same for a query that no other one came before."""
        return Preparation(vacuum_all(tables), self.prewarm, self.earlier + self.changes)

    def kind(self):
        return ('run before' if self.runs else 'prewarmed') + (', then changed' if self.changes else '')


def vacuum_all(tables):
    return ['VACUUM ' + t.name for t in tables]


class Residence:
    """A seed's choices.  unique: no row is copied, since queries sort rows by their ids."""

    def __init__(self, seed, tables, prewarms=True, unique=False):
        self.rng = random.Random('residence %s' % seed)
        self.possible = [c for c in CHANGES if not unique or COPY_OF_A_ROW not in c[1]]
        self.prewarms = prewarms    # can gpuagg_prewarm have columns kept?
        self.tables = tables
        self.changed = []       # statements since all tables were vacuumed

    def settings(self):
        return ['SET gpuagg.strategy = %s' % ('interpret' if self.rng.random() < INTERPRETED else 'auto')]

    def change(self):
        rng = self.rng
        table = rng.choice(self.tables)
        names = dict(t=table.name, c=rng.choice(table.columns).name, k=rng.randrange(max(table.rows, 1)), p=rng.randrange(10))
        _, statements = rng.choices(self.possible, [c[0] for c in self.possible])[0]
        return [s.format(**names) for s in statements]

    def prepare(self):
        rng = self.rng
        vacuum = vacuum_all(self.tables) if rng.random() < VACUUMED else []
        prewarm = ["SELECT public.gpuagg_prewarm('%s')" % t.name for t in self.tables] if rng.random() < PREWARMED and self.prewarms else []
        changes = self.change()
        earlier = [] if vacuum else self.changed
        self.changed = earlier + changes
        return Preparation(vacuum, prewarm, changes, earlier)


class Tally:
    """How many runs have used what is kept, by what came before.

    least: the share that must have, beside one run at least; of few runs, one.
    """

    def __init__(self, least):
        self.least = least
        self.answered = collections.Counter()
        self.served = collections.Counter()

    def count(self, preparation, served):
        """One run that the engine has answered from a table's pages."""
        self.answered[preparation.kind()] += 1
        self.served[preparation.kind()] += served

    def plausible(self):
        """Were enough of them served, after each kind of preparation?"""
        return sum(self.answered.values()) < ENOUGH or all(
            self.served[kind] > (self.least * self.answered[kind] if self.answered[kind] >= ENOUGH_OF_A_KIND else 0)
            for kind in self.answered)

    def lines(self):
        for kind in sorted(self.answered):
            yield '%6d of %6d runs have used columns that were kept: %s' % (self.served[kind], self.answered[kind], kind)
