"""Random queries that take the first rows of each group of a table, or of all: DISTINCT ON, row_number(), ranks, LIMIT.
Others take all rows that meet conditions, sorted or as they come.  To some tables another one is joined by its id.

Each order of row numbers, or before a LIMIT, ends in the table's id, of which no two rows have the same, so that SQL
leaves nothing open; or it says all that is put out, so that rows which are equal in it are the same.  Ranks are the same for rows that are equal in the order, and ties are all taken.
"""
from dataclasses import dataclass, field

from aggregate import Aggregate
from expressions import FLOATS, INTS, Expr, Generator
from queries import Query, QueryMaker
from tables import NONDETERMINISTIC

ORDERED = INTS + FLOATS + ['date', 'timestamp', 'timestamptz', 'time', 'money', 'bool', 'numeric']
OUTPUTS = ['int2', 'int4', 'int8', 'float8', 'numeric', 'text', 'date', 'timestamp', 'bool', 'interval', 'uuid', 'inet']
DIRECTIONS = ['', '', 'DESC', 'DESC', 'NULLS FIRST', 'DESC NULLS LAST']
IDENTICAL = ['int2', 'int4', 'int8', 'text', 'text', 'text', 'date', 'timestamp', 'bool', 'uuid']
LIMITS = ['LIMIT %d', 'LIMIT %d', 'LIMIT %d OFFSET 2', 'OFFSET 5 LIMIT %d', 'FETCH FIRST %d ROWS WITH TIES']
PARTS = ['', '', 'LIMIT 3', 'LIMIT 1000', 'OFFSET 2']
CONDITIONS = ['n <= %d', 'n < %d', 'n = %d', '%d >= n', 'n <= %d AND n > 1', 'n BETWEEN 2 AND %d']


@dataclass
class FirstRowsQuery(Query):
    """by: what the rows of a group are ordered by before id, with directions; ends: that of id.

    condition: of row numbers, by this function; '': DISTINCT ON, or if there is a limit, the first of all rows.
    selects: all rows that pass, or a part of them if they are sorted.
    sole: what is put out is of what the rows are ordered by alone.
    """
    by: list = field(default_factory=list)
    ends: str = ''
    condition: str = ''
    function: str = 'row_number'
    limit: str = ''
    selects: bool = False
    sole: bool = False

    def select(self):
        outputs = ', '.join('%s AS o%d' % (e, i) for i, e in self.outputs() if str(e) != 'n')
        ranks = self.function != 'row_number' or 'TIES' in self.limit
        last = [] if (ranks or self.sole) and self.by else ['t.id ' + self.ends]
        order = ', '.join(['%s %s' % (e, d) for e, d in self.by] + last)
        keys = ', '.join(map(str, self.keys))
        where = ' WHERE ' + ' AND '.join(map(str, self.where)) if self.where else ''
        if self.limit or self.selects and self.by:
            return 'SELECT %s FROM %s%s ORDER BY %s %s' % (outputs, self.source, where, order, self.limit)
        if self.selects:
            return 'SELECT %s FROM %s%s' % (outputs, self.source, where)
        if not self.condition:
            return 'SELECT DISTINCT ON (%s) %s FROM %s%s ORDER BY %s, %s' % (keys, outputs, self.source, where, keys, order)
        window = ('PARTITION BY %s ' % keys if keys else '') + 'ORDER BY ' + order
        names = ', '.join('n AS o%d' % i if str(e) == 'n' else 'o%d' % i for i, e in self.outputs())
        return 'SELECT %s FROM (SELECT %s%s%s() OVER (%s) AS n FROM %s%s) s WHERE %s' % (
            names, outputs, ', ' if outputs else '', self.function, window, self.source, where, self.condition)

    def outputs(self):
        return list(enumerate(self.aggregates))

    def simpler(self):
        for other in super().simpler():
            if other.keys or other.condition or other.limit or other.selects:
                yield other
        for i, (e, direction) in enumerate([] if self.sole else self.by):
            for part in [None] + list(e.simpler()):
                other = FirstRowsQuery(**self.__dict__)
                other.by = self.by[:i] + ([(part, direction)] if part else []) + self.by[i + 1:]
                yield other


class FirstRowsMaker(QueryMaker):
    """Makes such queries only."""

    def join(self, query, table, columns):
        """Join a table to the query's, one row of it at most to each; returns its columns."""
        keys = [c.name for c in columns if c.type in INTS]
        query.source += ' %s %s u ON %s = u.id' % (self.rng.choice(['JOIN', 'LEFT JOIN']), table.name, self.rng.choice(keys))
        return self.qualified(table, 'u')

    def of_groups(self, query):
        """What groups know of their rows: an engine need not fetch these."""
        known = query.keys + [e for e, _ in query.by]
        return [Aggregate('{0}', e) for e in self.rng.sample(known, min(len(known), 3))] + [
            Aggregate(self.rng.choice(['t.id', 't.ctid', 't.id, t.tableoid::regclass']))]

    def order_alone(self, query, columns):
        """Let the query put out nothing but what it is ordered by; without columns of which equal values are the same, not."""
        rng = self.rng
        same = [c for c in columns if c.type in IDENTICAL and c.uniform and c.collation not in NONDETERMINISTIC]
        if not same:
            return False
        same = rng.sample(same, min(len(same), rng.choice([1, 1, 2, 3])))
        gen = Generator(rng, same)
        query.by = [(Expr(c.type, c.name), rng.choice(DIRECTIONS)) for c in same]
        query.sole = True
        query.limit = rng.choice(LIMITS) % rng.choice([1, 5, 30, 200, 990])
        query.aggregates = [Aggregate(c.name) for c in same] + [
            Aggregate('{0}', gen.make(rng.choice([c.type for c in same]), rng.choice([0, 1]))) for _ in range(rng.choice([0, 0, 1]))]
        return True

    def make(self):
        rng = self.rng
        table = rng.choice(self.tables)
        columns = self.qualified(table, 't')
        around = rng.choices(['plain', 'prepared', 'cursor', 'lateral', 'cte', 'subquery'], [60, 14, 6, 8, 4, 8])[0]
        query = FirstRowsQuery('%s t' % table.name, around=around, kind=table.kind, fetches=['ALL'])
        own = columns
        if rng.random() < 0.25:
            columns = columns + self.join(query, rng.choice(self.tables), columns)
        gen = Generator(rng, columns, query.params if around == 'prepared' else None)
        query.condition = rng.choice(['', rng.choice(CONDITIONS) % rng.choice([1, 1, 2, 3, 3, 5, 16, 17, 40, 128, 129])])
        query.keys = [gen.key() for _ in range(rng.choice([1, 1, 1, 2, 2, 3, 0] if query.condition else [1, 1, 2, 3]))]
        if rng.random() < 0.3:
            query.limit = rng.choice(LIMITS) % rng.choice([1, 2, 5, 10, 30, 126])
            query.condition = ''
            query.keys = []
        elif rng.random() < 0.4:
            query.selects = True
            query.condition = ''
            query.keys = []
        if rng.random() < (0.4 if query.selects else 0.8):
            query.by = [(Generator(rng, own).make(rng.choice(ORDERED), rng.choice([0, 0, 0, 1, 2])), rng.choice(DIRECTIONS))]
        if query.selects and query.by:
            query.limit = rng.choice(PARTS)
        if (query.by or query.limit) and rng.random() < 0.3:
            query.by += [(gen.make(rng.choice(ORDERED + ['text']), 0), rng.choice(DIRECTIONS)) for _ in range(rng.choice([1, 2]))]
        if query.condition:
            query.function = rng.choice(['row_number', 'row_number', 'rank', 'dense_rank'])
        query.ends = rng.choice(DIRECTIONS)
        query.where = [gen.filter(3) for _ in range(rng.choice([1, 1, 2] if query.selects else [0, 0, 1, 1, 2]))]
        if around == 'lateral':
            query.outer = ['3'] + [rng.choice(['NULL', '0', '50', '100000']) for _ in range(rng.randint(0, 2))]
            query.where.append(Generator(rng, columns).make('bool', 1))
            query.where.append(Expr('bool', '(t.id %s o.x)' % rng.choice(['<', '=', '>'])))
        if not query.limit and rng.random() < 0.4:
            columns = own
        gen = Generator(rng, columns, query.params if around == 'prepared' else None)
        for _ in range(rng.choice([1, 2, 4])):
            shown = gen.make(rng.choice(OUTPUTS), rng.choice([0, 0, 0, 1]))
            query.aggregates.append(Aggregate('{0}', shown))
        query.aggregates += [Aggregate(c.name) for c in rng.sample(columns, min(len(columns), rng.choice([1, 2, 5])))]
        if rng.random() < 0.3:
            query.aggregates = self.of_groups(query)
        if query.limit and not query.selects and rng.random() < 0.3 and self.order_alone(query, columns):
            return query
        if query.condition:
            query.aggregates.insert(rng.randint(0, len(query.aggregates)), Aggregate('n'))
        return query
