"""What stands above a query's groups: late outputs, an order, another query.

Where the nodes above an aggregation compute some outputs themselves (expensive and
volatile ones behind a sort, sets, window functions, what repeats a sort key), the
planner gives the aggregation another target list than the query's.  An engine's
groups and PostgreSQL's own plan must both be made into that.

Nothing here makes the answer depend on an order that SQL leaves open: rows are
ordered by all keys, of which each group has its own, or by all outputs; and what
PostgreSQL computes only nearly is left out where it would decide upon rows.
"""
import random
import re

from aggregate import Aggregate
from expressions import Expr, FLOATS, INTS
from tables import UNHASHED

# Queries around one: <q> is its text; <some> some of its outputs, in another order;
# <all> all of them.
OUTSIDE = [
    'SELECT <some> FROM (<q>) s', 'SELECT <some> FROM (<q>) s', 'SELECT <some> FROM (SELECT * FROM (<q>) i OFFSET 0) s',
    'SELECT s.*, o0 IS NULL AS n FROM (<q>) s WHERE o0 IS NOT NULL',
    'SELECT DISTINCT <some> FROM (<q>) s', 'SELECT <some>, count(*) AS n FROM (<q>) s GROUP BY <some>',
    'WITH q AS MATERIALIZED (<q>) SELECT <some> FROM q', 'WITH q AS NOT MATERIALIZED (<q>) SELECT <some> FROM q',
    'WITH q AS (<q>) SELECT a.*, (SELECT count(*) FROM q b WHERE b.o0 IS NOT DISTINCT FROM a.o0) AS n FROM q a',
    '(<q>) UNION ALL (<q>)', '(<q>) UNION (<q>)', '(<q>) INTERSECT ALL (<q>)',
    'SELECT * FROM (<q>) a EXCEPT ALL SELECT * FROM (<q>) b WHERE o0 IS NULL',
    'SELECT s.*, count(*) OVER (PARTITION BY o0) AS n FROM (<q>) s',
    'SELECT s.*, rank() OVER (ORDER BY <all>) AS n FROM (<q>) s',
    'SELECT generate_series(1, 2) AS n, <some> FROM (<q>) s', 'SELECT <some>, (SELECT s.o0 IS NULL) AS n FROM (<q>) s',
    'SELECT a.*, b.o0 IS NULL AS n FROM (<q>) a JOIN (SELECT DISTINCT o0 FROM (<q>) c) b ON a.o0 IS NOT DISTINCT FROM b.o0',
    'SELECT * FROM (<q>) a WHERE EXISTS (SELECT FROM (<q>) b WHERE b.o0 = a.o0)',
    'SELECT * FROM (VALUES (1), (2)) o(x), LATERAL (SELECT <some>, x AS n FROM (<q>) s WHERE x < 3 OFFSET 0) l',
]
# that show numbers' scales
ROWS = ['SELECT s AS r, s.o0 FROM (<q>) s', 'SELECT s::text AS r FROM (<q>) s', 'SELECT to_json(s)::text AS r FROM (<q>) s']

DIRECTIONS = [[''], [''], ['DESC'], ['', 'DESC'], ['NULLS FIRST', 'DESC NULLS LAST']]
SCROLLS = ['FETCH 2', 'FETCH BACKWARD 1', 'FETCH 3', 'MOVE BACKWARD ALL', 'FETCH 1', 'FETCH LAST', 'FETCH ABSOLUTE 2', 'FETCH PRIOR',
           'FETCH FIRST', 'FETCH ALL', 'FETCH BACKWARD 2', 'FETCH RELATIVE -1']


def surround(outside, text, count):
    """A query around one of so many outputs."""
    names = ['o%d' % i for i in range(count)]
    # of a reduced query as of any other
    some = random.Random(count).sample(names, max(1, count - count // 3))
    for mark, value in (('<some>', ', '.join(some)), ('<all>', ', '.join(names)), ('<q>', text)):
        outside = outside.replace(mark, value)
    return outside


class Surroundings:
    """Adds to a query, over these columns of its source."""

    def __init__(self, rng, query, columns, tables):
        self.rng = rng
        self.query = query
        self.columns = columns
        self.tables = tables
        self.sortable = True    # PostgreSQL can order the rows

    def output(self, form, *operands, at=None):
        """One more output that is not to be taken for an aggregate."""
        places = len(self.query.aggregates)
        self.query.aggregates.insert(places if at is None else at, Aggregate(form.format(*operands)))

    def add(self):
        rng, query = self.rng, self.query
        if query.sets and query.has_constant_key(self.columns):
            self.sortable = False
        simple = query.around in ('plain', 'prepared', 'cursor', 'lateral', 'cte', 'subquery')
        for add, chance in ((self.constant_key, 0.25), (self.late_output, 0.35), (self.window, 0.15), (self.set_returning, 0.1),
                            (self.subquery_output, 0.15), (self.subquery_having, 0.15), (self.whole_row, 0.05)):
            if simple and rng.random() < chance:
                add()
        if simple and self.sortable and rng.random() < 0.5:
            self.order()
        if simple and rng.random() < 0.5:
            self.dress()
        if query.around == 'plain':
            self.around()
        if query.around == 'lateral' and query.having and rng.random() < 0.5:
            query.around = 'exists'

    def constant_key(self):
        """
        A key that WHERE leaves one value of, so that it sorts nothing.  PostgreSQL thinks
        so of sets that leave it out, too, whose groups are then in no order.
        """
        query = self.query
        if query.sets and query.limit:
            return
        literals = {c.name: [v for v in c.values if len(v) < 100] for c in self.columns if c.type not in FLOATS}
        keys = [k for k in query.keys if literals.get(str(k))]
        if keys:
            key = self.rng.choice(keys)
            self.sortable = not query.sets
            query.where.append(Expr('bool', '(%s = %s)' % (key, self.rng.choice(literals[str(key)]))))

    def late_output(self):
        """An output that the planner computes behind a sort."""
        key = self.rng.choice(self.query.keys) if self.query.keys else '1'
        form = self.rng.choice(['(random() * 0)::int', '(random() * 0)::int', 'costly(count(*))', 'costly(({0}) IS NULL)'])
        self.output(form, key, at=self.rng.choice([0, None]))

    def window(self):
        query = self.query
        keys = ', '.join(map(str, query.keys))
        forms = ['sum(count(*)) OVER ()', 'count(*) OVER ()']
        if keys and self.sortable:
            forms += ['rank() OVER (ORDER BY {0})', 'sum(count(*)) OVER (ORDER BY {0})', 'count(*) OVER (PARTITION BY {1})',
                      'dense_rank() OVER (PARTITION BY {1} ORDER BY {0})']
        self.output(self.rng.choice(forms), keys, query.keys[0] if keys else '')

    def set_returning(self):
        if self.query.around in ('plain', 'prepared', 'subquery', 'lateral'):
            self.output(self.rng.choice(['generate_series(1, 2)', 'generate_series(1, (count(*) % 3)::int)', 'unnest(ARRAY[count(*), 7])']),
                        at=self.rng.choice([0, None]))

    def integer_key(self):
        """A key that subqueries may have: a column."""
        names = {c.name for c in self.columns}
        return next((k for k in self.query.keys if k.type in INTS and str(k) in names), None)

    def subquery_output(self):
        other, key = self.rng.choice(self.tables).name, self.integer_key()
        forms = ['(SELECT max(id) FROM {0})', '(SELECT count(*) FROM {0} GROUP BY id % 1)']
        if key and not self.query.sets:
            forms += ['(SELECT count(*) FROM {0} x WHERE x.id = {1})', '({1} IN (SELECT id FROM {0}))']
        self.output(self.rng.choice(forms), other, key)

    def subquery_having(self):
        other, key = self.rng.choice(self.tables).name, self.integer_key()
        ids = [c.name for c in self.columns if c.name.endswith('.id')]
        forms = ['count(*) > (SELECT count(*) % 3 FROM {0})', 'EXISTS (SELECT FROM {0})']
        if key and not self.query.sets:
            forms += ['({1} IN (SELECT id FROM {0} WHERE id % 3 <> 0))', 'NOT EXISTS (SELECT FROM {0} x WHERE x.id = {1})']
        if ids:
            forms += ['EXISTS (SELECT FROM {0} x WHERE x.id > count({2}))', '(SELECT sum(x.id) > max({2}) FROM {0} x)']
        form = self.rng.choice(forms)
        self.query.having.append(Expr('bool', form.format(other, key, ids[0] if ids else '')))
        if not self.query.keys and not self.query.aggregates:
            self.output('count(*)')

    def whole_row(self):
        """An aggregate of a whole row of the source."""
        alias = re.match(r'(?:.* )?([a-z])(?:\(.*)?$', self.query.source)
        if alias:
            self.output('count(%s)' % alias.group(1))

    def order(self):
        """By all keys, or by all outputs; some rows of that, or all."""
        rng, query = self.rng, self.query
        may_limit = bool(query.limit) or query.around == 'plain'
        if query.keys and not query.sets and not query.distinct and rng.random() < 0.7:
            query.order = 'keys'
            query.limit = rng.choice(['', query.limit or 'LIMIT 10']) if may_limit and not self.sorts_natively() else ''
        elif not self.approximate():
            query.order = 'outputs'
            if query.distinct and query.keys and not query.hidden and not query.sets and rng.random() < 0.4:
                query.distinct = 'DISTINCT ON ({0})'
        query.directions = rng.choice(DIRECTIONS)
        query.fetches = ['1', '3', 'ALL'] if query.limit or query.order == 'keys' else ['ALL']

    def sorts_natively(self):
        """Would PostgreSQL's own plan meet the errors of the first rows only?"""
        return any(k.type in UNHASHED for k in self.query.keys)

    def approximate(self):
        return bool(self.query.approximate())

    def dress(self):
        """Compute some outputs from what is grouped, late or at any time."""
        rng, query = self.rng, self.query
        inexact = query.approximate() | query.loose()
        for i, _ in query.outputs():
            if rng.random() < 0.4 and not (i == 0 and 'ON' in query.distinct):
                forms = ['costly({})', 'costly({})']
                if 'o%d' % i not in inexact and not query.distinct:
                    forms += ['({})::text || (random() * 0)::int::text', '({})::text']
                query.dress[i] = rng.choice(forms)

    def around(self):
        """Something around the whole."""
        rng, query = self.rng, self.query
        kind = rng.random()
        if kind < 0.15:
            query.around = 'insert'
        elif kind < 0.25:
            query.around = 'create table'
        elif kind < 0.35 and (query.order == 'keys' or not self.approximate()):
            query.around = 'scroll'
            ordered = self.sortable and (query.order == 'keys' or (query.order == 'outputs' and not query.loose()))
            query.fetches = rng.sample(SCROLLS, 6) if ordered else ['FETCH ALL', 'MOVE BACKWARD ALL', 'FETCH ALL']
        elif kind < 0.75 and not self.approximate():
            query.around = 'within'
            query.outside = rng.choice([o for o in OUTSIDE if self.sortable or ' OVER ' not in o] + (ROWS if not query.loose() else []))
