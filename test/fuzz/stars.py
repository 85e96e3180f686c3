"""Queries over stars and snowflakes: the joins of a fact with its dimensions (star_tables.py).

Keys, aggregates and what is around them are those of queries.py; a dimension's columns are
keys and arguments also where they are of types that no engine has.
"""
import collections
import re

from aggregate import Aggregate
from expressions import Expr, Generator, INTS, KEY_TYPES, ORDERED
from queries import QueryMaker
from sides import EXTREMES, make_side
from star_tables import LOOSELY, Reference, dimension_change
from tables import Column, base_type

ALIASES = 'ghjklmnpuvwabcde'    # none that queries.py or a subquery has
# conditions on a column that raise no error, of whatever value
SAFE = {
    'int': ['{} % 3 = 1', '{} / 7 = 2', '{} & 3 = 1', '{} << 2 > 40', 'greatest({}, 9) = 9', 'least({}, 5) < 5', '({} / 2) % 2 <> 0', '{} IN ({} % 10, 7)',
            'nullif({}, 3) IS NULL', "{}::text LIKE '1%'"],
    'numeric': ['abs({}) > 3', '- {} < 0.5', 'sign({}) = 1', 'greatest({}, 2.5) = 2.5'],
    'date': ['extract(year FROM {}) > 1999', 'extract(isodow FROM {}) IN (1, 2, 7)', '{} < current_date', '{} >= current_date - 9000',
             "{} > now() - interval '20 years'", "{} < date_trunc('year', current_date)"],
    'timestamp': ['extract(month FROM {}) = 4', "date_part('hour', {}) < 9", "{}::date > '1999-12-31' AND {}::time < '12:00'", "date_trunc('day', {}) = {}",
                  '{} < localtimestamp'],
    'timestamptz': ['extract(epoch FROM {}) > 100000', "{}::date >= '2000-01-01'", "{} < now() - interval '10 years 3 days'"],
    'interval': ['extract(day FROM {}) > 3', "greatest({}, interval '1 day') = interval '1 day'"],
    'text': ["upper({}) = 'AB'", "btrim({}, 'a ') <> ''", "lpad({}, 5, 'x') < 'b'", "split_part({}, ' ', 2) = ''", 'length({}) % 2 = 0', "{} LIKE 'a%'",
             "left({}, 1) IN ('a', 'w')", "CASE WHEN length({}) > 2 THEN substr({}, 2, 1) ELSE {} END < 'b'"]}
# conditions that raise errors of some values, or might of others
FALLIBLE = {
    'int': ['100 / ({} - 3) < 20', '{} * 20000000 > 7', '10 % {} = 1', "({}::text || '0')::int2 > 50", "(CASE WHEN {} > 2 THEN 12 / ({} - 2) END) > 1", 'coalesce(60 / {}, 7) > 3',
            "to_date({}::text, 'MMYYYY') > '1990-01-01'", "left('abcdef', {}::int4) <> repeat('ab', 30 / ({}::int4 - 9))", 'sqrt({}) > 3', "lpad('x', ({} % 50)::int4) <> 'y'"],
    'numeric': ['1 / {} > 0.01', 'sqrt({}) < 3', 'ln({}) > 1', '{}::int2 % 3 = 1', 'power({}, 3) > 5'],
    'float8': ['exp({}) > 2', '1 / {} < 0.5', '{}::int4 % 2 = 0'],
    'date': ["to_char({}, 'YYYY')::int > 2000", "date_trunc('month', {}) < '2010-01-01'", '{} + 10000 > current_date', '1000 / extract(dow FROM {}) > 200'],
    'timestamp': ["{} + interval '1 day' > '2000-01-01'", "date_trunc('year', {}) < localtimestamp"],
    'timestamptz': ["({} AT TIME ZONE 'Europe/Berlin')::time < '12:00'", "date_trunc('day', {}) < now()"],
    'text': ["length({}) / (length({}) - 2) < 3", "{}::int > 3", "substr({}, 1, length({}) - 1) <> 'a'", "'abab' ~ {}", "{} LIKE {} || '_'", "regexp_replace({}, '[^0-9]', '', 'g')::int8 IS NOT NULL",
             "('0' || regexp_replace({}, '[^0-9]', '', 'g'))::numeric < 7", "json_build_object('a', {}) ->> 'a' < 'm'", "{} ~ '^[a-m]'", "chr(ascii({})) > 'c'"]}
CHANGED = 0.1       # of the queries: a dimension changes before
LEAST = 0.2         # the share of queries that engines must answer by look-ups
LEAST_KEPT = 0.1    # of those beside a writer, the share that must have a look-up that was kept
ENOUGH = 200        # queries, for a share to tell anything


class StarSource(str):
    """What follows FROM; joins: forms with {left} for what is joined before, innermost first."""

    def __new__(cls, first, joins):
        text = first
        for number, form in enumerate(joins):
            # one table stands in no parentheses
            text = form.replace('({left})', '(%s)' % text if number else text).replace('{left}', text)
        self = super().__new__(cls, text)
        self.first, self.joins = first, joins
        return self

    def simpler(self):
        for i in range(len(self.joins)):
            yield StarSource(self.first, self.joins[:i] + self.joins[i + 1:])


class Role:
    """A table in a join, by an alias."""

    def __init__(self, table, alias, dimension=None, renames=None):
        self.table = table
        self.alias = alias
        self.dimension = dimension
        self.renames = renames or {}
        self.plain = True       # it stands in the join itself, not in a subquery
        self.hidden = set()     # columns that what stands in its place has not

    def name(self, column):
        return '%s.%s' % (self.alias, self.renames.get(column.name, column.name))

    def columns(self):
        return [Column(self.name(c), c.type, c.sums, c.uniform, c.values) for c in [Column('id', 'int4')] + self.table.columns
                if c.name not in self.hidden]


class StarMaker(QueryMaker):
    surrounded = 0.15

    def __init__(self, rng, fact, dimensions, exact_floats=False, zone=''):
        super().__init__(rng, [fact] + [d.table for d in dimensions if d.table is not fact], exact_floats, zone)
        self.fact = fact
        self.dimensions = dimensions
        self.roles = []
        self.where = []
        self.aliases = None
        self.ctes = []

    def change(self, query):
        """Let a dimension change before the query, that is run also before, or not."""
        changing = [d for d in self.dimensions if d.table is not self.fact]
        if changing and self.rng.random() < CHANGED:
            query.changes = dimension_change(self.rng, changing)
            query.runs_first = self.rng.random() < 0.5

    def simple(self, columns):
        """A condition that raises no error and is not always the same, as a text."""
        rng = self.rng
        column = rng.choice(columns)
        type, name = base_type(column.type), column.name
        safe = SAFE.get('int' if type in INTS else 'text' if type == 'varchar' else type)
        if safe and column.type != LOOSELY and rng.random() < 0.2:
            return '(%s)' % rng.choice(safe).replace('{}', name)
        literals = [v for v in column.values if len(v) < 100]
        kind = rng.random()
        if kind < 0.15 or type not in KEY_TYPES or (not literals and type not in INTS):
            return '(%s IS %sNULL)' % (name, rng.choice(['', 'NOT ']))
        cast = {'bpchar': 'char(3)', 'bit': 'bit(5)'}.get(type, column.type)
        literal = '%s::%s' % (rng.choice(literals) if literals else rng.randint(0, 300), cast)
        if kind < 0.3 and len(literals) > 2:
            chosen = rng.sample(literals, rng.randint(2, min(5, len(literals))))
            return '(%s IN (%s))' % (name, ', '.join('%s::%s' % (v, cast) for v in chosen))
        if kind < 0.4:
            return '(coalesce(%s, %s) = %s)' % (name, literal, literal)
        if kind < 0.5:
            return '(%s %s %s OR %s)' % (name, rng.choice(['=', '<>']), literal, self.simple(columns))
        if kind < 0.65:
            others = [c for c in columns if base_type(c.type) == type]
            return '(%s %s %s)' % (name, rng.choice(['=', '<>']), rng.choice(others).name)
        ops = ['=', '<>', '<', '>=', '>', '<='] if type in ORDERED and type != 'bool' else ['=', '<>']
        return '(%s %s %s)' % (name, rng.choice(ops if type != '"char"' else ['=']), literal)

    def fallible(self, columns):
        """A condition that raises errors of some values, perhaps beside one that keeps rows from it."""
        rng = self.rng
        column = rng.choice(columns)
        type = base_type(column.type)
        forms = FALLIBLE.get('int' if type in INTS else 'text' if type == 'varchar' else type)
        if not forms or column.type == LOOSELY:
            return self.simple(columns)
        text = '(%s)' % rng.choice(forms).replace('{}', column.name)
        if rng.random() < 0.4:
            others = [text, self.simple(columns)]
            rng.shuffle(others)
            text = ' AND '.join(others)
        return text

    def condition(self, columns):
        """One of several kinds, which may raise errors."""
        kind = self.rng.random()
        if kind < 0.25:
            return self.fallible(columns)
        if kind < 0.8:
            return self.simple(columns)
        return str(Generator(self.rng, columns).filter(2))

    def outer_side(self, role, column):
        """The parent's side of an equality."""
        rng, name = self.rng, role.name(column)
        if rng.random() > 0.1:
            return name
        type = base_type(column.type)
        if type in INTS:
            return rng.choice(['(%s %% 50)', '(%s + 1)', 'abs(%s)', '(- %s)', '%s::int8', 'coalesce(%s, 3)']) % name
        if type == 'numeric':
            return rng.choice(['(%s + 0.5)', 'round(%s, 1)', '(%s * 2)', '(- %s)', 'coalesce(%s, 1.5)', '%s::numeric(14,4)']) % name
        if type == 'bool':
            return rng.choice(['(NOT %s)', 'coalesce(%s, true)']) % name
        if type in ('text', 'varchar'):
            return rng.choice(["(%s || '')", 'lower(%s)', "coalesce(%s, '')", '%s::text', 'left(%s, 2)']) % name
        return '(%s + 1)' % name if type == 'date' else name

    def equalities(self, reference, parent, role):
        rng, found = self.rng, []
        for column, key in zip(reference.columns, reference.keys):
            sides = [self.outer_side(parent, column), role.name(key)]
            if rng.random() < 0.04 and base_type(key.type) in INTS:
                sides[1] = '(%s + 0)' % sides[1]
            if rng.random() < 0.5:
                sides.reverse()
            found.append((' IS NOT DISTINCT FROM ' if rng.random() < 0.02 else ' = ').join(sides))
        return found

    def choose(self):
        """(a reference, the role of its parent, the dimension), of what can be joined next."""
        ways = [(r, role, d) for d in self.dimensions for r in d.references for role in self.roles
                if role.table is r.parent and not role.hidden]
        reference, parent, dimension = self.rng.choice(ways)
        if self.rng.random() < 0.15 and len(reference.columns) == 1:
            # the dimension in another role
            type = base_type(reference.columns[0].type)
            columns = [c for c in [Column('id', 'int4')] + parent.table.columns if base_type(c.type) == type or (
                type in INTS and c.type in INTS)]
            reference = Reference(reference.parent, [self.rng.choice(columns or reference.columns)], reference.keys)
        return reference, parent, dimension

    def using(self, reference, parent, dimension, alias):
        """A join by USING; None: the names do not allow it."""
        selves = any(r.table is self.fact for r in self.roles[1:]) or dimension.table is self.fact
        renamed = {n for r in self.roles for n in r.renames.values()}
        names = [c.name for c in reference.columns]
        if parent is not self.roles[0] or selves or renamed & set(names) or 'id' in names or len(set(names)) < len(names):
            return None
        role = Role(dimension.table, alias, dimension, {k.name: n for k, n in zip(reference.keys, names)})
        # all columns, id too, have other names than those of other tables
        listed = ', '.join('%s.%s AS %s' % ('i', c.name, role.renames.get(c.name, c.name)) for c in dimension.table.columns)
        role.renames['id'] = alias + 'id'
        self.roles.append(role)
        return '{left} %s (SELECT i.id AS %sid, %s FROM %s i) %s USING (%s)' % (
            self.rng.choice(['JOIN', 'LEFT JOIN']), alias, listed, dimension.table.name, alias, ', '.join(names))

    def filter_join(self, reference, parent, dimension, alias):
        """A semi or anti join, in WHERE."""
        rng = self.rng
        role = Role(dimension.table, alias, dimension)
        terms = self.equalities(reference, parent, role)
        more = [self.condition(role.columns())] if rng.random() < 0.3 else []
        if rng.random() < 0.15:
            more.append(self.condition(role.columns() + parent.columns()))
        elif rng.random() < 0.2:
            more += self.difference(role, parent)
        kind = rng.random()
        if kind > 0.88:
            self.where.append(self.correlated_condition(role, parent, terms + more))
            return
        if kind < 0.3 and len(reference.keys) == 1:
            text = '(%s %sIN (SELECT %s FROM %s %s%s))' % (
                parent.name(reference.columns[0]), 'NOT ' if rng.random() < 0.1 else '', role.name(reference.keys[0]),
                dimension.table.name, alias, ' WHERE ' + ' AND '.join(more) if more else '')
        else:
            text = '(%sEXISTS (SELECT %s FROM %s %s WHERE %s))' % (
                rng.choice(['', 'NOT ']), rng.choice(['', '1', '*']), dimension.table.name, alias, ' AND '.join(terms + more))
        self.where.append(Expr('bool', text))

    def difference(self, role, parent):
        """Two columns of a type that are to have other values, if there are any."""
        pairs = [(a, b) for a in role.columns() for b in parent.columns()
                 if a.type == b.type and a.type in EXTREMES or a.type in INTS and b.type in INTS]
        if not pairs:
            return []
        a, b = self.rng.choice(pairs)
        return ['%s <> %s' % self.rng.choice([(a.name, b.name), (b.name, a.name)])]

    def correlated(self, role, conditions):
        """A subquery of an aggregate of the dimension's rows that fulfil these, and its type."""
        rng = self.rng
        if role.dimension and role.dimension.primary and rng.random() < 0.4:
            column = rng.choice(role.columns())
            return '(SELECT %s FROM %s %s WHERE %s)' % (column.name, role.table.name, role.alias, ' AND '.join(conditions)), column.type
        ways = [('count(*)', 'int8')]
        for column in role.columns():
            ways.append(('count(%s%s)' % (rng.choice(['', '', 'DISTINCT ']), column.name), 'int8'))
            if column.type in ('int2', 'int4'):
                ways += [('sum(%s)' % column.name, 'int8'), ('max(%s) - min(%s)' % (column.name, column.name), column.type)]
            if column.type in EXTREMES:
                ways.append(('%s(%s)' % (rng.choice(['min', 'max']), column.name), column.type))
        aggregate, type = rng.choice(ways)
        if '(' in aggregate and ' ' not in aggregate and rng.random() < 0.1:
            aggregate += ' FILTER (WHERE %s)' % self.simple(role.columns())
        return '(SELECT %s FROM %s %s WHERE %s)' % (aggregate, role.table.name, role.alias, ' AND '.join(conditions)), type

    def correlated_condition(self, role, parent, conditions):
        rng = self.rng
        subquery, type = self.correlated(role, conditions)
        others = [] if type not in KEY_TYPES else [c for c in parent.columns() if c.type in INTS] if type in INTS else [c for c in parent.columns() if c.type == type]
        if not others or rng.random() < 0.3:
            forms = ['({0} IS NULL)', '({0} IS NOT NULL)'] + (['({0} = 0)', '({0} < 3)', '(coalesce({0}, 1) > 0)'] if type in INTS else [])
        else:
            forms = ['({0} < {1})', '({1} < {0})', '({1} = {0})', '({1} <> {0})', '({0} >= {1} OR {1} IS NULL)']
        form = rng.choice(forms)
        return Expr('bool', form.format(subquery, rng.choice(others).name if others else ''))

    def grouped_join(self):
        """A dimension's rows, each with aggregates of the fact's rows that refer to it."""
        rng = self.rng
        ways = [(r, d) for d in self.dimensions for r in d.references
                if r.parent is self.fact and d.primary and d.table is not self.fact]
        if not ways:
            return None
        reference, dimension = rng.choice(ways)
        fact, role = Role(self.fact, 'g'), Role(dimension.table, 'h', dimension)
        terms = self.equalities(reference, fact, role)
        if rng.random() < 0.5:
            terms.append(self.simple(rng.choice([fact.columns(), fact.columns(), role.columns()])))
        keys = ', '.join(role.name(k) for k in reference.keys)
        columns = [Column('s.s%d' % i, k.type) for i, k in enumerate(reference.keys)]
        outputs = ['%s AS s%d' % (role.name(k), i) for i, k in enumerate(reference.keys)]
        for _ in range(rng.randint(1, 3)):
            aggregate, type = self.correlated(fact, ['true'])
            columns.append(Column('s.s%d' % len(columns), type))
            outputs.append('%s AS s%d' % (aggregate[len('(SELECT '):aggregate.index(' FROM ')], len(outputs)))
        where = ' WHERE ' + self.condition(role.columns()) if rng.random() < 0.3 else ''
        having = rng.choice(['', '', '', ' HAVING count(g.id) > 1', ' HAVING count(*) < 4'])
        return '(SELECT %s FROM %s h LEFT JOIN %s g ON %s%s GROUP BY %s%s) s' % (
            ', '.join(outputs), dimension.table.name, self.fact.name, ' AND '.join(terms), where, keys, having), columns, 'star'

    def relation(self, role, reference, columns):
        """The dimension itself, or what is made of it, perhaps with columns of its own."""
        rng, name, alias = self.rng, role.table.name, role.alias
        kind = rng.random()
        if kind < 0.3:
            side = make_side(self, role, reference, columns)
            if side:
                return side
        if kind < 0.88:
            role.plain = kind >= 0.3
            return '%s %s' % (name, alias)
        role.plain = False
        if kind < 0.94:
            own = [Column('i.' + c.name, c.type, c.sums, c.uniform, c.values) for c in role.table.columns]
            return '(SELECT * FROM %s i WHERE %s) %s' % (name, self.condition(own), alias)
        ints = [c for c in role.table.columns if c.type in INTS]
        made = ['5 AS five%s' % alias] + (['coalesce(i.%s, 0) AS made%s' % (ints[-1].name, alias)] if ints else [])
        columns.append(Column('%s.five%s' % (alias, alias), 'int4'))
        if ints:
            columns.append(Column('%s.made%s' % (alias, alias), ints[-1].type))
        return '(SELECT i.*, %s FROM %s i) %s' % (', '.join(made), name, alias)

    def add_join(self, columns):
        """One more join's form; None: it stands in WHERE."""
        rng = self.rng
        reference, parent, dimension = self.choose()
        alias = next(self.aliases)
        if rng.random() < 0.12:
            return self.filter_join(reference, parent, dimension, alias)
        if rng.random() < 0.08:
            form = self.using(reference, parent, dimension, alias)
            if form:
                columns += self.roles[-1].columns()
                return form
        role = Role(dimension.table, alias, dimension)
        self.roles.append(role)
        terms = self.equalities(reference, parent, role)
        kind = rng.random()
        relation = self.relation(role, reference, columns)
        if rng.random() < 0.25:
            terms.append(self.condition(rng.choice([role.columns(), parent.columns(), role.columns() + columns])))
        columns += role.columns()
        on = ' AND '.join(terms)
        if kind < 0.4:
            return '{left} JOIN %s ON %s' % (relation, on)
        if kind < 0.52:
            self.where += [Expr('bool', t if t.startswith('(') else '(%s)' % t) for t in terms]
            return '{left} CROSS JOIN %s' % relation
        if kind < 0.8:
            return '{left} LEFT JOIN %s ON %s' % (relation, on)
        if kind < 0.88:
            return '%s RIGHT JOIN ({left}) ON %s' % (relation, on)
        if kind < 0.94 and len(self.dimensions) > 1:
            return self.nested(relation, on, role, columns)
        if kind < 0.97:
            return '{left} RIGHT JOIN %s ON %s' % (relation, on)
        if kind < 0.98:
            return '{left} FULL JOIN %s ON %s' % (relation, on)
        return '{left} JOIN %s ON %s' % (relation, on)

    def nested(self, relation, on, role, columns):
        """A dimension and one of its own on the right side of one join."""
        rng = self.rng
        ways = [(r, d) for d in self.dimensions for r in d.references if r.parent is role.table and not role.hidden]
        if not ways:
            return '{left} LEFT JOIN %s ON %s' % (relation, on)
        reference, dimension = rng.choice(ways)
        inner = Role(dimension.table, role.alias + 'x', dimension)
        self.roles.append(inner)
        columns += inner.columns()
        return '{left} %s (%s %s %s %s ON %s) ON %s' % (
            rng.choice(['LEFT JOIN', 'JOIN']), relation, rng.choice(['LEFT JOIN', 'JOIN']), dimension.table.name, inner.alias,
            ' AND '.join(self.equalities(reference, role, inner)), on)

    def source(self):
        rng = self.rng
        self.roles = [Role(self.fact, 'f')]
        self.where, self.dependent, self.ctes = [], [], []
        self.aliases = iter(ALIASES)
        columns = self.roles[0].columns()
        joins = []
        grouped = self.grouped_join() if rng.random() < 0.04 else None
        if grouped:
            self.roles = []
            return grouped
        for _ in range(rng.choice([1, 1, 2, 2, 3, 4])):
            form = self.add_join(columns)
            if form:
                joins.append(form)
        only = 'ONLY ' if self.fact.kind == 'inheritance' and rng.random() < 0.3 else ''
        source = StarSource('%s%s f' % (only, self.fact.name), joins)
        if rng.random() < 0.08:
            return self.subquery(source, columns)
        return source, columns, 'star'

    def subquery(self, source, columns):
        """The same, with the joins in a subquery."""
        chosen = self.rng.sample(columns, self.rng.randint(1, min(6, len(columns))))
        listed = ', '.join('%s AS s%d' % (c.name, i) for i, c in enumerate(chosen))
        if self.rng.random() < 0.6:
            reference, parent, dimension = self.choose()
            role = Role(dimension.table, 'q', dimension)
            expression, type = self.correlated(role, self.equalities(reference, parent, role))
            listed += ', %s AS s%d' % (expression, len(chosen))
            chosen.append(Column('', type))
        where = ' WHERE ' + ' AND '.join(map(str, self.where)) if self.where else ''
        self.where, self.roles = [], []
        return '(SELECT %s FROM %s%s) s' % (listed, source, where), [
            Column('s.s%d' % i, c.type, c.sums, c.uniform, c.values) for i, c in enumerate(chosen)], 'star'

    def shown_key(self, columns):
        """A column as it is; of floats, zeros of both signs make engines give up."""
        column = self.rng.choice(columns)
        return Expr(base_type(column.type), column.name)

    def make(self):
        rng = self.rng
        query = super().make()
        self.change(query)
        query.where = self.where + query.where
        query.ctes = self.ctes
        looked_up = [c for r in self.roles[1:] for c in r.columns()]
        plain = query.around in ('plain', 'prepared', 'lateral', 'cte', 'subquery', 'cursor') and not query.exact
        if not looked_up or not plain:
            return query
        alone = not query.sets and not query.distinct and not query.limit and not query.order
        if query.keys and alone and not any('OVER' in str(a) for a in query.aggregates) and rng.random() < 0.4:
            query.keys.append(self.shown_key(looked_up))
        if query.aggregates and rng.random() < 0.15:
            column = rng.choice(looked_up)
            query.aggregates.append(Aggregate(rng.choice(['count({0})', 'count({0})', 'count(DISTINCT {0})']),
                                              Expr(base_type(column.type), column.name)))
        if query.keys and alone and rng.random() < 0.12:
            reference, parent, dimension = self.choose()
            role = Role(dimension.table, 'q', dimension)
            text, type = self.correlated(role, self.equalities(reference, parent, role))
            if rng.random() < 0.6 and type in KEY_TYPES:
                query.keys.append(Expr(base_type(type), text))
            else:
                query.aggregates.append(Aggregate('count({0})', Expr(base_type(type), text)))
        primary = [r for r in self.roles[1:] if r.dimension and r.dimension.primary and r.plain and not r.renames]
        if primary and alone and query.keys and rng.random() < 0.1:
            self.add_columns_of(query, rng.choice(primary))
        return query

    def add_columns_of(self, query, role):
        """Columns that depend on a dimension's primary key, which is a key."""
        for key in role.dimension.references[0].keys:
            query.keys.append(Expr(base_type(key.type), role.name(key)))
        for column in self.rng.sample(role.table.columns, min(2, len(role.table.columns))):
            query.aggregates.append(Aggregate('{0}', Expr(base_type(column.type), role.name(column))))


class LookupTally:
    """How many queries' joins were look-ups, which of these were given up, and why others were none."""

    def __init__(self):
        self.queries = 0
        self.answered = 0
        self.asked = 0      # answered queries of which is known whether a look-up was kept
        self.kept = 0       # of these, those with one
        self.given_up = collections.Counter()
        self.reasons = collections.Counter()

    def count(self, verdict, reasons):
        """One query; reasons() tells why its joins are PostgreSQL's."""
        self.queries += 1
        self.asked += verdict.kept is not None
        self.kept += bool(verdict.kept)
        if not verdict.lookups:
            # a join's reason before an aggregate's
            why = sorted(reasons(), key=lambda r: 'join' not in r)
            verdict.join_reason = re.sub(r'\d+', 'N', why[0]) if why else 'prepared, or no join is left'
            self.reasons[verdict.join_reason] += 1
        elif verdict.fallback:
            self.given_up[re.sub(r'\d+', 'N', verdict.fallback)] += 1
        else:
            self.answered += 1

    def plausible(self):
        return self.queries < ENOUGH or self.answered > LEAST * self.queries and self.kept >= LEAST_KEPT * self.asked

    def lines(self):
        yield '%d of %d queries were answered by look-ups, %d given up' % (
            self.answered, self.queries, sum(self.given_up.values()))
        if self.asked:
            yield 'of %d, %d had a look-up that was kept' % (self.asked, self.kept)
        for title, counts in (('given up', self.given_up), ('no look-up', self.reasons)):
            for what, n in counts.most_common(30):
                yield '%6d  %s: %s' % (n, title, what)
