"""Random aggregate queries, and the simpler ones that a reduction tries."""
import copy

from dataclasses import dataclass, field, replace
from aggregate import Aggregate
from expressions import Expr, Generator, DURATION, FLOATS, INTS, KEY_TYPES
from oracle import FloatOracle
from surroundings import Surroundings, surround
from tables import UNHASHED, Column, base_type, set_zone

EXTREMES = INTS + FLOATS + ['date', 'timestamp', 'timestamptz', 'numeric', 'numeric', 'interval', 'text', 'varchar', 'bpchar', 'inet',
                            'oid', 'time', 'money', 'mood']
BITS = ['bit_and', 'bit_or', 'bit_xor']
VARIANCES = ['variance', 'var_samp', 'var_pop', 'stddev', 'stddev_samp', 'stddev_pop']
BOOLEANS = ['bool_and', 'bool_or', 'every']
PAIRS = ['corr', 'covar_pop', 'covar_samp', 'regr_avgx', 'regr_avgy', 'regr_count', 'regr_intercept', 'regr_r2',
         'regr_slope', 'regr_sxx', 'regr_sxy', 'regr_syy']

# what a child plan reads, so that it computes keys that are expressions
CHILD_PLANS = ('subquery', 'aggregates', 'join', 'UNION ALL', 'VALUES')


@dataclass
class Query:
    """One SELECT with its surroundings.

    around: 'plain'; 'prepared', with params; 'cursor'; 'scroll', a cursor that
    goes back; 'lateral', 'scalar' and 'exists', run once for each row of outer;
    'cte' and 'subquery'; 'within', in the form `outside`; 'insert' and 'create
    table', whose rows are then read.
    distinct: '' or DISTINCT; without aggregates there is then no GROUP BY.  ON
    has {0} for the first key.
    order: '', or by what the rows are ordered, limit or not: 'keys', of which
    groups have different ones, or 'outputs'.
    directions: of the order's expressions, in turn; backward: the last one first, so that
    aggregates come before keys.
    dress: {number of an output: a form of what is computed from it}.
    sets: '' or how the keys are grouped: a form with {0}, {1} ... for them.
    exact: its aggregates are of floats, and an oracle knows them.
    zones: none, or statements that set the time zone before each run of what is prepared, and at last.
    failure: '', or what gpuagg.inject_failure is while engines run it.
    preparation: None, or how its columns come to be kept, and what changes then.
    changes: statements before the query; runs_first: it is also run before them.
    ctes: (name, text) of those that the source may have.
    """
    source: str                 # what follows FROM
    where: list = field(default_factory=list)
    keys: list = field(default_factory=list)
    hidden: int = 0             # this many of the keys are not selected
    aggregates: list = field(default_factory=list)
    having: list = field(default_factory=list)
    distinct: str = ''
    sets: str = ''
    kind: str = 'table'         # what the rows come from
    exact: bool = False
    limit: str = ''
    backward: bool = False
    order: str = ''
    directions: list = field(default_factory=lambda: [''])
    dress: dict = field(default_factory=dict)
    outside: str = ''
    around: str = 'plain'
    params: list = field(default_factory=list)
    zones: list = field(default_factory=list)
    outer: list = field(default_factory=list)
    fetches: list = field(default_factory=list)
    failure: str = ''
    preparation: object = None
    changes: list = field(default_factory=list)
    runs_first: bool = False
    ctes: list = field(default_factory=list)

    def failing(self):
        """Statements that let an engine fail; the count of its runs begins anew."""
        return ["SET gpuagg.inject_failure = '%s'" % self.failure] if self.failure else []

    def select(self):
        shown = self.keys[self.hidden:] + self.aggregates
        outputs = [self.dress.get(i, '{}').replace('{}', str(e)) + ' AS o%d' % i for i, e in enumerate(shown)]
        text = self.with_ctes() + 'SELECT %s %s FROM %s' % (self.distinct.format(*self.keys), ', '.join(outputs), self.source)
        if self.where:
            text += ' WHERE ' + ' AND '.join(map(str, self.where))
        if self.keys and (self.aggregates or self.having or not self.distinct):
            text += ' GROUP BY ' + (self.sets.format(*self.keys) if self.sets else ', '.join(map(str, self.keys)))
        if self.having:
            text += ' HAVING ' + ' AND '.join(map(str, self.having))
        return text + self.ordering(len(shown))

    def with_ctes(self):
        used = ['%s AS MATERIALIZED (%s)' % c for c in self.ctes if c[0] + ' ' in self.source]
        return 'WITH %s ' % ', '.join(used) if used else ''

    def ordering(self, count):
        """ORDER BY and LIMIT, for so many outputs."""
        terms = []
        if self.order == 'keys' or ((self.limit or self.order) and not count):
            terms = list(map(str, self.keys))
        elif self.limit or self.order:
            terms = [str(i + 1) for i in range(count)]
        if self.backward and 'ON' not in self.distinct:
            terms.reverse()
        directed = ['%s %s' % (t, self.directions[i % len(self.directions)]) for i, t in enumerate(terms)]
        return (' ORDER BY ' + ', '.join(directed) if directed else '') + (' ' + self.limit if self.limit else '')

    def outputs(self):
        return list(enumerate(self.keys[self.hidden:] + self.aggregates))

    def approximate(self):
        """Names of the columns of which PostgreSQL's own values are not exact."""
        return {'o%d' % i for i, e in self.outputs() if getattr(e, 'approximate', False)}

    def loose(self):
        """Names of numeric columns in which any of equal values may stand for a group."""
        return {'o%d' % i for i, e in self.outputs() if e.loose}

    def oracle(self):
        """Whoever knows the aggregates of floats exactly; None if there are none."""
        if not self.exact:
            return None
        return FloatOracle([str(k) for k in self.keys], self.sets, self.source, ' AND '.join(map(str, self.where)),
                           [a.exact() for a in self.aggregates], self.with_ctes())

    def oracle_statements(self, rows):
        """(to prepare, to run, to close) what fetches the oracle's rows, with this query's parameters."""
        if self.around != 'prepared':
            return [], [rows], []
        return [self.prepare('oracle', rows)], self.calls('oracle'), ['DEALLOCATE oracle']

    def whole(self):
        """The statement that shows in EXPLAIN."""
        text = self.select()
        values = ', '.join('(%s)' % v for v in self.outer)
        if self.around == 'lateral':
            return ('SELECT * FROM (VALUES %s) o(x) LEFT JOIN LATERAL (%s) l ON true' % (values, text))
        if self.around == 'scalar':
            return 'SELECT x, (%s) FROM (VALUES %s) o(x)' % (text, values)
        if self.around == 'exists':
            return 'SELECT x FROM (VALUES %s) o(x) WHERE EXISTS (%s)' % (values, text)
        if self.around == 'within':
            return surround(self.outside, text, len(self.outputs()))
        if self.around == 'insert':
            return 'INSERT INTO target ' + text
        if self.around == 'create table':
            return 'CREATE TEMP TABLE target AS ' + text
        if self.around == 'cte':
            return 'WITH q AS MATERIALIZED (%s) SELECT * FROM q a UNION ALL SELECT * FROM q b' % text
        if self.around == 'subquery':
            return 'SELECT s.* FROM (%s%s) s' % (text, '' if self.limit else ' OFFSET 0')
        return text

    def has_constant_key(self, columns):
        """Is a key without any of the source's columns?"""
        return any(not any(c.name in str(k) for c in columns) for k in self.keys)

    def without_limit(self):
        """The query of which all rows are computed."""
        other = copy.copy(self)
        other.limit = ''
        other.around = {'exists': 'lateral', 'cursor': 'plain', 'scroll': 'plain'}.get(self.around, self.around)
        return other

    def may_stop_early(self):
        """May what reads the rows not ask for all of them, or not at once?"""
        return self.limit or self.around in ('exists', 'cursor', 'scroll')

    def prepare(self, name, text):
        types = ', '.join(t for t, _ in self.params)
        return 'PREPARE %s%s AS %s' % (name, '(%s)' % types if types else '', text)

    def calls(self, name):
        """EXECUTE with each of the parameters' values."""
        result = []
        for i in range(3):
            values = ', '.join('%s::%s' % (v[i], t) for t, v in self.params)
            result.append('EXECUTE %s%s' % (name, '(%s)' % values if values else ''))
        return result

    def statements(self):
        """(to prepare, to EXPLAIN, to open, to run and compare, to close).

        What is prepared may have another plan each time, of which only an oracle asks.
        """
        text = self.whole()
        if self.around == 'prepared':
            calls = self.calls('q')
            body = [s for pair in zip(self.zones, calls) for s in pair] if self.zones else calls
            explained = calls if self.exact else calls[:1]
            return [self.prepare('q', text)], explained, [], body, ['DEALLOCATE ALL'] + self.zones[-1:]
        if self.around == 'cursor':
            return ([], [text], ['BEGIN', 'DECLARE c NO SCROLL CURSOR FOR ' + text],
                    ['FETCH %s FROM c' % f for f in self.fetches], ['ROLLBACK'])
        if self.around == 'scroll':
            return ([], [text], ['BEGIN', 'DECLARE c SCROLL CURSOR FOR ' + text],
                    ['%s FROM c' % f for f in self.fetches], ['ROLLBACK'])
        if self.around in ('insert', 'create table'):
            drop = 'DROP TABLE IF EXISTS target'
            make = 'CREATE TEMP TABLE target AS %s WITH NO DATA' % self.select()
            return ([make], [text], ['TRUNCATE target'], [text, 'TABLE target'], [drop]) if self.around == 'insert' else (
                [], [text], [drop], [text, 'TABLE target'], [drop])
        return [], [text], [], [text], []

    def simpler(self):
        """Queries with something less; those with the greatest cuts first."""
        def changed(**values):
            other = copy.copy(self)
            other.__dict__.update(values)
            return other

        if self.around in ('cursor', 'scroll', 'cte', 'subquery', 'within', 'insert', 'create table'):
            yield changed(around='plain')
        if self.order:
            yield changed(order='', limit='')
        for source in self.source.simpler() if hasattr(self.source, 'simpler') else ():
            yield changed(source=source)
        for i in self.dress:
            yield changed(dress={k: v for k, v in self.dress.items() if k != i})
        if self.zones:
            yield changed(zones=[])
        if self.failure:
            yield changed(failure='')
        if self.changes:
            yield changed(changes=[])
        if self.runs_first:
            yield changed(runs_first=False)
        if self.preparation:
            yield changed(preparation=None)
            if self.preparation.changes:
                yield changed(preparation=replace(self.preparation, changes=[]))
            for i in range(len(self.preparation.changes) if len(self.preparation.changes) > 1 else 0):
                yield changed(preparation=replace(self.preparation, changes=self.preparation.changes[i:i + 1]))
        if self.limit and self.around != 'cursor':
            yield changed(limit='')
        if self.distinct:
            yield changed(distinct='')
        if self.sets:
            yield changed(sets='')
            if ', ()' in self.sets:
                yield changed(sets=self.sets.replace(', ()', ''))
        for name in ('where', 'having', 'aggregates', 'keys'):
            items = getattr(self, name)
            for i in range(len(items) if name != 'keys' or not self.sets else 0):
                rest = items[:i] + items[i + 1:]
                if name == 'keys' and i < self.hidden:
                    yield changed(keys=rest, hidden=self.hidden - 1)
                elif len(self.keys) - self.hidden + len(self.aggregates) > 1 or name in ('where', 'having'):
                    yield changed(**{name: rest})
        for i in range(len(self.outer)):
            if len(self.outer) > 1:
                yield changed(outer=self.outer[:i] + self.outer[i + 1:])
        for i, a in enumerate(self.aggregates):
            for part in self.simpler_aggregates(a):
                yield changed(aggregates=self.aggregates[:i] + [part] + self.aggregates[i + 1:])
        for name in ('where', 'keys', 'having'):
            items = getattr(self, name)
            for i, item in enumerate(items):
                for part in item.simpler():
                    yield changed(**{name: items[:i] + [part] + items[i + 1:]})

    @staticmethod
    def simpler_aggregates(a):
        if a.around != '{}':
            yield replace(a, around='{}')
        if a.filter:
            yield replace(a, filter=None)
            for part in a.filter.simpler():
                yield replace(a, filter=part)
        if a.argument:
            for part in a.argument.simpler():
                yield replace(a, argument=part)


class QueryMaker:
    """exact_floats: whether engines' sums of floats are exact, and so in no order.

    zone: the statement that has set the sessions' time zone.
    surrounded: of the queries, that something is added around.
    """
    surrounded = 0.4

    def __init__(self, rng, tables, exact_floats=False, zone=''):
        self.rng = rng
        self.tables = tables
        self.exact_floats = exact_floats
        self.zone = zone
        self.dependent = []     # columns that depend on t.id in the current source

    def qualified(self, table, alias):
        return [Column('%s.id' % alias, 'int4')] + [
            Column('%s.%s' % (alias, c.name), c.type, c.sums, c.uniform, c.values, c.collation)
            for c in table.columns]

    def derived(self, table, text, alias):
        """Columns for a subquery over a table: (source, columns)."""
        rng = self.rng
        inner = Generator(rng, self.qualified(table, 'i'))
        selected, columns = [], []
        for n in range(rng.randint(1, 5)):
            if rng.random() < 0.6:
                column = rng.choice(inner.columns)
                selected.append('%s AS d%d' % (column.name, n))
                columns.append(Column('%s.d%d' % (alias, n), column.type, column.sums,
                                      column.uniform))
            else:
                expr = inner.make(rng.choice(KEY_TYPES), 1)
                selected.append('%s AS d%d' % (expr, n))
                columns.append(Column('%s.d%d' % (alias, n), expr.type, '', False))
        return text % ', '.join(selected), columns

    def source(self):
        """(FROM's text, its columns, what it is)."""
        rng = self.rng
        table = rng.choice(self.tables)
        other = rng.choice(self.tables)
        kind = rng.random()
        self.dependent = self.qualified(table, 't')[1:] if table.primary and (kind < 0.68 or 0.8 <= kind < 0.92) else []
        if kind < 0.68:
            only = 'ONLY ' if table.kind == 'inheritance' and rng.random() < 0.3 else ''
            return '%s%s t' % (only, table.name), self.qualified(table, 't'), table.kind
        if kind < 0.72:
            return (*self.aggregated(table), 'aggregates')
        if kind < 0.8:
            inner = Generator(rng, self.qualified(table, 'i'))
            where = ' WHERE %s' % inner.filter() if rng.random() < 0.5 else ''
            offset = rng.choice(['', ' OFFSET 0'])
            return (*self.derived(table, '(SELECT %%s FROM %s i%s%s) s' % (
                table.name, where.replace('%', '%%'), offset), 's'), 'subquery')
        if kind < 0.92:
            join = rng.choice(['JOIN', 'LEFT JOIN', 'FULL JOIN'])
            columns = self.qualified(table, 't') + self.qualified(other, 'u')
            return '%s t %s %s u ON t.id = u.id' % (table.name, join, other.name), columns, 'join'
        if kind < 0.96:
            return (*self.twice(table), 'UNION ALL')
        return (*self.values(), 'VALUES')

    def aggregated(self, table):
        """
        Groups of a table.  Nothing in them depends on the order of its rows: which of equal
        numerics min or a key shows does.
        """
        rng = self.rng
        inner = Generator(rng, self.qualified(table, 'i'))
        keys = [inner.column(rng.choice(INTS)) or Expr('int4', 'i.id') for _ in range(rng.randint(1, 2))]
        selected, columns = list(map(str, keys)), [key.type for key in keys]
        for _ in range(rng.randint(1, 4)):
            argument = inner.make(rng.choice(['numeric', 'numeric'] + INTS), rng.choice([0, 0, 1]))
            form = rng.choice(['sum', 'sum', 'sum', 'avg', 'count'] + ['min', 'max'] * (argument.type != 'numeric'))
            selected.append('%s(%s)' % (form, argument))
            columns.append('int8' if form == 'count' or (form == 'sum' and argument.type in ('int2', 'int4')) else
                           'numeric' if form in ('sum', 'avg') else argument.type)
        text = 'SELECT %s FROM %s i GROUP BY %s' % (
            ', '.join('%s AS d%d' % (e, n) for n, e in enumerate(selected)), table.name, ', '.join(map(str, keys)))
        return '(%s) s' % text, [Column('s.d%d' % n, type, '', False) for n, type in enumerate(columns)]

    def twice(self, table):
        columns = table.columns[:3]
        names = ', '.join(['id'] + [c.name for c in columns])
        part = 'SELECT %s FROM %s' % (names, table.name)
        return '(%s UNION ALL %s) s' % (part, part), [Column('s.id', 'int4')] + [
            Column('s.' + c.name, c.type, c.sums, c.uniform) for c in columns]

    def values(self):
        types = [self.rng.choice(KEY_TYPES) for _ in range(2)]
        maker = Generator(self.rng, [])
        rows = ', '.join('(%s)' % ', '.join(str(maker.literal(t)) for t in types)
                         for _ in range(self.rng.randint(1, 20)))
        return '(VALUES %s) s(v0, v1)' % rows, [Column('s.v%d' % i, t, '', False) for i, t in enumerate(types)]

    def aggregate(self, gen):
        rng = self.rng
        make = rng.choices([self.count, self.sum, self.variance, self.pair, self.bits, self.extreme, self.distinct_aggregate,
                            self.statistic, self.rank, self.ordered], [30, 34, 10, 5, 12, 18, 6, 8, 3, 6] if not gen.common else
                           [30, 34, 8, 1, 12, 18, 0, 8, 1, 0])[0]
        a = make(gen)
        if rng.random() < 0.2 and '(' != a.form[0]:
            a.filter = gen.filter()
        if a.argument is None and rng.random() < 0.15:
            a.around = rng.choice(['({} + 1)', '({} * 2)::int4', '({}::float8 / 4)', 'coalesce({}, 0)'])
        return a

    def count(self, gen):
        if self.rng.random() < 0.6:
            return Aggregate('count(*)')
        if gen.columns and self.rng.random() < 0.3:
            column = self.rng.choice(gen.columns)
            return Aggregate('count({0})', Expr(base_type(column.type), column.name))
        return Aggregate('count({0})', gen.make(self.rng.choice(KEY_TYPES), 2))

    def sum(self, gen):
        if self.rng.random() < 0.1:
            type = self.rng.choice(['interval', 'interval', 'money'])
            return Aggregate(self.rng.choice(['sum({0})', 'avg({0})'][:1 + (type == 'interval')]), gen.make(type, self.rng.choice([0, 0, 1])))
        return Aggregate(self.rng.choice(['sum({0})', 'avg({0})']), gen.summand())

    def variance(self, gen):
        rng = self.rng
        floats = gen.float_summand() if rng.random() < 0.4 else None
        argument = floats or gen.make(rng.choice(INTS + ['numeric']), rng.choice([0, 0, 1]))
        return Aggregate(rng.choice(VARIANCES) + '({0})', argument, approximate=floats is not None)

    def pair(self, gen):
        y, x = gen.float_summand(), gen.float_summand()
        if not x:
            return self.count(gen)
        return Aggregate(self.rng.choice(PAIRS) + '({0})', Expr('pair', '{0}, {1}', y, x), approximate=True)

    def bits(self, gen):
        if self.rng.random() < 0.4:
            return Aggregate(self.rng.choice(BOOLEANS) + '({0})', gen.make('bool', 2))
        return Aggregate(self.rng.choice(BITS) + '({0})', gen.make(self.rng.choice(INTS), self.rng.choice([0, 0, 1])))

    def extreme(self, gen):
        """
        min and max.  Which of equal intervals, of 0 and -0, they return depends on the
        order of rows, which PostgreSQL's parallel plans leave open.
        """
        rng = self.rng
        argument = gen.make(rng.choice(EXTREMES), rng.choice([0, 0, 1, 2]))
        form, around = '%s({0})', '{}'
        if argument.type in FLOATS:
            form = '(%s({0}) + 0)'
        elif argument.type == 'interval' and rng.random() < 0.5:
            argument = gen.canonical(argument)
        elif argument.type == 'interval':
            around = '(' + DURATION.replace('{0}', '{}') + ')'
        return Aggregate(form % rng.choice(['min', 'max']), argument, around=around, loose=argument.type == 'numeric')

    def statistic(self, gen):
        """
        percentile_cont, percentile_disc and mode.  Which of equal values they return, 0 or -0
        or numerics of several scales, depends on the order of rows.
        """
        rng = self.rng
        form = rng.choice(['percentile_cont(%s)', 'percentile_disc(%s)', 'mode()'])
        continuous = form.startswith('percentile_cont')
        if rng.random() < 0.1:
            return Aggregate((form % 0.4 if '%' in form else form) + ' WITHIN GROUP (ORDER BY {0}%s)' % rng.choice(['', ' DESC']),
                             Expr('interval', '({0} - {1})', gen.make('timestamp', 0), gen.make('timestamp', 1)))
        types = FLOATS + INTS + ['numeric'] + ['date', 'timestamp', 'bool', 'text', 'varchar', 'bpchar', 'uuid', 'inet'] * (not continuous)
        argument = gen.make(rng.choice(types), rng.choice([0, 0, 1]))
        fractions = ['0', '1', '0.5', '0.5', '0.25', '0.9', '0.333']
        several = '%' in form and rng.random() < 0.3
        if several:
            form %= 'ARRAY[%s]::float8[]' % ', '.join(['NULL'] * rng.choice([0, 0, 1]) +
                                                      [rng.choice(fractions) for _ in range(rng.choice([1, 2, 5]))])
        elif '%' in form:
            form %= rng.choice(fractions)
        form += ' WITHIN GROUP (ORDER BY {0}%s)' % rng.choice(['', '', ' DESC'])
        floats = continuous or argument.type in FLOATS
        around = '({} + 0)' if floats else '{}'
        if several:
            last = '({})[array_upper({}, 1)]'
            around = '(%s + 0)' % last if floats or argument.type == 'numeric' else '{}::text'
        return Aggregate(form, argument, around=around, loose=argument.type == 'numeric' and not continuous)

    def rank(self, gen):
        """Of a hypothetical row."""
        rng = self.rng
        type = rng.choice(FLOATS + INTS + ['numeric', 'date', 'timestamp', 'bool'])
        value = 'NULL' if rng.random() < 0.1 else gen.literal(type)
        return Aggregate('%s(%s) WITHIN GROUP (ORDER BY {0}%s)' % (
            rng.choice(['rank', 'rank', 'dense_rank', 'percent_rank', 'cume_dist']), value,
            rng.choice(['', '', ' DESC', ' NULLS FIRST', ' DESC NULLS LAST'])), gen.make(type, rng.choice([0, 0, 1])))

    def ordered(self, gen):
        """
        An array of the values in their order; or an aggregate of rows in an order.  Rows that are
        equal in it are the same: the order is by all that is shown.
        """
        if self.rng.random() < 0.6:
            return self.ordered_rows(gen)
        form = self.rng.choice(['array_agg({0} ORDER BY {0})', 'array_agg({0} ORDER BY {0} DESC)', 'array_agg(DISTINCT {0})',
                                'array_agg({0} ORDER BY {0} NULLS FIRST)', 'array_agg(DISTINCT {0} ORDER BY {0} DESC NULLS LAST)'])
        return Aggregate(form, gen.leaf(self.rng.choice(INTS + ['int4', 'bool', 'date', 'timestamp', 'uuid'])))

    def ordered_rows(self, gen):
        """An aggregate with ORDER BY or DISTINCT, of values of which equal ones look alike."""
        rng = self.rng
        value = gen.leaf(rng.choice(['text', 'text', 'varchar', 'int4', 'int8', 'date', 'uuid', 'bool', 'inet']))
        other = gen.leaf(rng.choice(INTS + ['text', 'date', 'timestamp', 'timestamptz', 'uuid', 'mood', 'bool']))
        text = value.type in ('text', 'varchar')
        kind = rng.random()
        if kind < 0.3:
            forms = ["string_agg(DISTINCT {0}, ',')", "string_agg(DISTINCT {0}, ', ' ORDER BY {0} DESC)"] if text else \
                    ['array_agg(DISTINCT {0})', 'array_agg(DISTINCT {0} ORDER BY {0} DESC)']
            return Aggregate(rng.choice(forms), value)
        order = str(other).replace('{', '{{').replace('}', '}}') + rng.choice(['', ' DESC', ' NULLS FIRST', ' DESC NULLS LAST'])
        order += ', {0}' + rng.choice(['', ' DESC', ' NULLS FIRST'])
        form = rng.choice(["string_agg({0}, ',' ORDER BY %s)", "string_agg({0}, '' ORDER BY %s)", 'array_agg({0} ORDER BY %s)'] if text
                          else ['array_agg({0} ORDER BY %s)', 'jsonb_agg({0} ORDER BY %s)']) % order
        return Aggregate(form, value, around='({})[1]' if form.startswith('array') and kind < 0.5 else '{}')

    def distinct_aggregate(self, gen):
        """One that sees each value once; plain columns, for errors come in the order of the rows."""
        rng = self.rng
        kind = rng.random()
        if kind < 0.4:
            form = rng.choice(['sum(DISTINCT {0})', 'sum(DISTINCT {0})', 'avg(DISTINCT {0})', 'avg(DISTINCT {0})',
                               'min(DISTINCT {0})', 'bit_or(DISTINCT {0})', 'bit_xor(DISTINCT {0})', 'var_pop(DISTINCT {0})',
                               'stddev(DISTINCT {0})'])
            return Aggregate(form, gen.leaf(rng.choice(INTS)))
        if kind < 0.55:
            form = rng.choice(['sum', 'avg', 'avg', 'count', 'max', 'variance']) + '(DISTINCT {0})'
            return Aggregate(form, gen.leaf('numeric'), loose=True)
        if kind < 0.9:
            return Aggregate('count(DISTINCT {0})', gen.leaf(rng.choice(KEY_TYPES)))
        return Aggregate("string_agg(DISTINCT {0}::text, ',')", gen.leaf(rng.choice(INTS + ['text', 'date', 'uuid'])))

    def distinct_aggregates(self, gen):
        """Some that see each value once, with filters, and others beside them or not."""
        rng = self.rng
        found = [self.distinct_aggregate(gen) for _ in range(rng.choice([1, 1, 2, 3]))]
        for a in found:
            a.filter = gen.filter() if rng.random() < 0.15 else None
        return found + [self.aggregate(gen) for _ in range(rng.choice([0, 0, 1, 2]))]

    def over_key(self, keys):
        """An output that is computed from a key, as PostgreSQL's aggregates are not."""
        key = self.rng.choice(keys)
        forms = ['({0} IS NULL)', "(CASE WHEN {0} IS NULL THEN 'none' ELSE 'some' END)"]
        if not key.loose and key.type in INTS + ['date', 'text', 'varchar', 'bool', 'uuid', 'timestamp', 'timestamptz']:
            forms += ["coalesce({0}::text, 'none')"]
        return Aggregate(self.rng.choice(forms), key)

    def having(self, gen, keys, aggregates):
        rng = self.rng
        if keys and rng.random() < 0.4:
            return Expr('bool', '({0} IS NOT NULL)', rng.choice(keys))
        if rng.random() < 0.4:
            # what an engine can tell, with constants of all signs
            return Expr('bool', '%s %s %s' % (
                rng.choice(['sum({0})', 'min({0})', 'max({0})', 'avg({0})', 'sum({0}::int8)', 'sum({0}::numeric(12, 2))',
                            'max({0}::float8)', 'count({0})']),
                rng.choice(['>', '<', '>=', '<=', '=', 'BETWEEN -7 AND']),
                rng.choice(['0', '1', '-1', '5', '0.5', '100', '-1000', '10000', '2147483647', '99999999999'])), gen.leaf('int4'))
        if rng.random() < 0.5 or not aggregates:
            return Expr('bool', 'count(*) %s %d' % (rng.choice(['>', '<', '<>']), rng.choice([0, 1, 2, 30])))
        return Expr('bool', '(%s) IS NOT NULL' % rng.choice(aggregates).plain())

    def subquery_filter(self, gen):
        """A filter with a subquery of its own: an initplan, or a semijoin."""
        other = self.rng.choice(self.tables)
        return Expr('bool', self.rng.choice([
            '{0} > (SELECT avg(id)::int4 FROM %s)', '{0} IN (SELECT id FROM %s WHERE id %% 3 = 0)',
            'EXISTS (SELECT FROM %s x WHERE x.id = {0})']) % other.name, gen.leaf('int4'))

    def add_dependent(self, query):
        """Outputs that are no keys, but depend on a primary key that is one."""
        if self.rng.random() < 0.7:
            query.keys.append(Expr('int4', 't.id'))
        else:
            query.keys = [Expr('int4', 't.id')]
        for column in self.rng.sample(self.dependent, min(2, len(self.dependent))):
            query.aggregates.append(Aggregate('{0}', Expr(column.type, column.name)))
        if self.rng.random() < 0.3:
            query.aggregates.append(Aggregate('t'))

    def add_sets(self, query):
        """Group by several sets of the keys."""
        rng = self.rng
        marks = ['{%d}' % i for i in range(len(query.keys))]
        kind = rng.random()
        if kind < 0.3:
            query.sets = 'ROLLUP (%s)' % ', '.join(marks)
        elif kind < 0.5 and len(marks) <= 4:
            query.sets = 'CUBE (%s)' % ', '.join(marks)
        elif kind < 0.6 and len(marks) > 1:
            query.sets = '%s, ROLLUP (%s)' % (marks[0], ', '.join(marks[1:]))
        elif kind < 0.75 and 1 < len(marks) <= 4 and not query.exact:
            query.sets = rng.choice(['CUBE (%s), ROLLUP (%s)', 'ROLLUP ((%s), %s)', 'GROUPING SETS (ROLLUP (%s), CUBE (%s))',
                                     'DISTINCT ROLLUP (%s), CUBE (%s)', 'GROUPING SETS ((%s), GROUPING SETS ((), %s))']) % (
                                         marks[0], ', '.join(marks[1:]))
        else:
            sets = ['(%s)' % ', '.join(rng.sample(marks, rng.randint(1, len(marks)))) for _ in range(rng.randint(1, 4))]
            query.sets = 'GROUPING SETS (%s)' % ', '.join(sets + ['()'] * (rng.random() < 0.4) + ['(%s)' % ', '.join(marks)])

    def add_groupings(self, query):
        """What tells sets' groups from each other, and from those of NULLs."""
        rng = self.rng
        if not query.aggregates and not query.having:
            query.aggregates = [Aggregate('count(*)')]
        if rng.random() < 0.5:
            chosen = rng.sample(query.keys, rng.randint(1, len(query.keys)))
            query.aggregates.append(Aggregate('grouping(%s)' % ', '.join(map(str, chosen))))
            if rng.random() < 0.2:
                query.having.append(Expr('bool', 'grouping(%s) %s 0' % (query.keys[0], rng.choice(['=', '>']))))

    def exact_aggregate(self, gen):
        """One of any floats, which depends on nothing but the values."""
        rng = self.rng
        make = lambda: gen.make(rng.choice(FLOATS), rng.choice([0, 0, 1, 2]))
        kind = rng.random()
        if kind < 0.2:
            if rng.random() < 0.4:
                make = lambda: gen.make(rng.choice(['int2', 'int4', 'int4', 'float8']), rng.choice([0, 0, 1]))
            argument, form = Expr('pair', '{0}, {1}', make(), make()), rng.choice(PAIRS) + '({0})'
        else:
            argument = make()
            form = rng.choice(['sum({0})', 'avg({0})'] if kind < 0.7 else [v + '({0})' for v in VARIANCES])
            if rng.random() < 0.12:
                form = rng.choice([form, 'sum({0})', 'count({0})']).replace('({', '(DISTINCT {')
        return Aggregate(form, argument, gen.filter() if rng.random() < 0.2 else None, approximate=True)

    def make_exact(self, source, columns, kind):
        """Aggregates of floats over any source, compared with exact ones."""
        rng = self.rng
        query = Query(source, kind=kind, exact=True, around=rng.choice(['plain', 'plain', 'plain', 'plain', 'prepared']))
        gen = Generator(rng, columns, query.params if query.around == 'prepared' else None)
        query.keys = [gen.key() for _ in range(rng.choice([0, 1, 1, 2, 3]))]
        query.aggregates = [self.exact_aggregate(gen) for _ in range(rng.choice([1, 1, 2, 3, 5]))]
        query.where = [gen.filter() for _ in range(rng.choice([0, 0, 1]))]
        if query.keys and rng.random() < 0.25:
            self.add_sets(query)
        return query

    def make(self):
        rng = self.rng
        source, columns, kind = self.source()
        if self.exact_floats and rng.random() < 0.15:
            return self.make_exact(source, columns, kind)
        around = rng.choices(['plain', 'prepared', 'cursor', 'lateral', 'scalar', 'cte', 'subquery'],
                             [60, 14, 6, 6, 3, 4, 7])[0]
        query = Query(source, around=around, kind=kind)
        gen = Generator(rng, columns, query.params if around == 'prepared' else None)
        filters = gen
        if around in ('lateral', 'scalar'):
            query.outer = [rng.choice(['NULL', '0', '1', '5', '50', '100000']) for _ in range(rng.randint(1, 4))]
            query.outer[0] = '3'
            filters = Generator(rng, columns)
            query.where.append(Expr('bool', '({0} %s o.x)' % rng.choice(['<', '=', '>']), gen.leaf('int4')))
        for _ in range(rng.choice([0, 0, 1, 1, 2])):
            query.where.append(filters.filter(3))
        if rng.random() < 0.05:
            query.where.append(self.subquery_filter(gen))
        count = rng.choice([0, 1, 1, 1, 2, 2, 3, 6])
        query.keys = [gen.key() for _ in range(count)]
        if count and kind in CHILD_PLANS and rng.random() < 0.3:
            query.keys.append(gen.canonical(gen.make('numeric', rng.choice([1, 1, 2]))))
        query.aggregates = [self.aggregate(gen) for _ in range(rng.choice([0, 1, 1, 2, 3, 5] if count else [1, 2, 4]))]
        if around != 'scalar' and rng.random() < 0.1:
            query.aggregates = self.distinct_aggregates(gen)
        if around == 'scalar':
            query.keys, query.aggregates = [], query.aggregates[:1] or [Aggregate('count(*)')]
        if not query.keys and all(
                any(f + '(' in a.form for f in ['min', 'max'] + BOOLEANS) for a in query.aggregates):
            # PostgreSQL may look for the first row of an order, and meet fewer errors
            query.aggregates = ([] if around == 'scalar' else query.aggregates) + [Aggregate('count(*)')]
        if query.keys and around != 'scalar' and rng.random() < (0.1 if query.aggregates else 0.5):
            query.distinct = 'DISTINCT'
        if around == 'cursor' or (around not in ('scalar',) and rng.random() < 0.15):
            query.limit = '' if around == 'cursor' and rng.random() < 0.3 else rng.choice(
                ['LIMIT 5', 'LIMIT 0', 'OFFSET 2', 'LIMIT 100 OFFSET 3'])
        if any(k.type in UNHASHED for k in query.keys):
            # PostgreSQL sorts such keys, and would meet the errors of the first rows only
            query.limit = ''
        if query.limit or query.distinct or around == 'cte':
            # which rows are left must not depend on the last digits
            query.aggregates = [Aggregate('count(*)') if a.approximate else a for a in query.aggregates]
        if self.dependent and around != 'scalar' and rng.random() < 0.15:
            self.add_dependent(query)
            if rng.random() < 0.2:
                query.sets = '{%d}, ROLLUP (%s)' % (len(query.keys) - 1, ', '.join('{%d}' % i for i in range(len(query.keys))))
        elif query.keys and around != 'scalar' and rng.random() < 0.2:
            self.add_sets(query)
            self.add_groupings(query)
        elif query.keys and query.aggregates and rng.random() < 0.1:
            query.hidden = rng.randint(1, len(query.keys))
        query.backward = rng.random() < 0.3
        if rng.random() < 0.25:
            query.having.append(self.having(gen, query.keys, query.aggregates))
        if query.keys and around != 'scalar' and rng.random() < 0.06:
            query.aggregates.append(self.over_key(query.keys))
        if around == 'prepared' and rng.random() < 0.3:
            query.zones = [set_zone(rng), set_zone(rng), set_zone(rng), self.zone]
        names = [str(k) for k in query.keys]
        if query.sets and (any(k.startswith('%s::' % other) for k in names for other in names)
                           or {'t.id', 'u.id'} <= set(names) or query.has_constant_key(columns)):
            # PostgreSQL sorts by one of varchar and its text, by one of two columns that a join
            # makes equal, and not by constants, though sets may leave out any of these
            query.limit = ''
        # without an order only all rows together are the same
        query.fetches = ['1', '3', 'ALL'] if query.limit else ['ALL']
        if rng.random() < self.surrounded:
            Surroundings(rng, query, columns, self.tables).add()
        return query
