"""Random expressions over a set of columns, as trees that can be reduced."""
from tables import INT_LIMITS, base_type, quote, random_value
import makers


class Expr:
    """An SQL expression: text with {0}, {1} ... where its operands go.

    loose: a numeric that as a key may have any scale of those of its group.
    """

    def __init__(self, type, form, *operands):
        self.type = type
        self.form = form
        self.operands = list(operands)
        self.loose = type == 'numeric'

    def __str__(self):
        if not self.operands:
            return self.form
        return self.form.format(*self.operands)

    def simpler(self):
        """Expressions of the same type with one part less."""
        for i, operand in enumerate(self.operands):
            if operand.type == self.type:
                yield operand
            for s in operand.simpler():
                yield Expr(self.type, self.form, *(self.operands[:i] + [s] + self.operands[i + 1:]))


COMPARISONS = ['=', '<>', '<', '<=', '>', '>=']
INTS = ['int2', 'int4', 'int8']
FLOATS = ['float4', 'float8']
ORDERED = INTS + FLOATS + ['numeric', 'numeric', 'date', 'timestamp', 'timestamptz', 'time', 'money']
TEXTS = ['text', 'varchar', 'bpchar']
EQUALITY = TEXTS + ['"char"', 'uuid', 'oid', 'interval', 'bytea', 'bit', 'varbit', 'inet', 'macaddr', 'mood']
KEY_TYPES = ORDERED + EQUALITY + ['bool']
# what a comparison may set against each other
MIXED = {'int2': INTS, 'int4': INTS, 'int8': INTS, 'float4': FLOATS, 'float8': FLOATS,
         'numeric': ['numeric', 'numeric', 'numeric', 'int4', 'int8'],
         'date': ['date', 'date', 'timestamp', 'timestamptz'], 'timestamp': ['timestamp', 'date', 'timestamptz'],
         'timestamptz': ['timestamptz', 'timestamptz', 'timestamp', 'date']}
# intervals that are equal have the same: a month is 30 days, a day 24 hours
DURATION = ('((extract(year FROM {0}) * 12 + extract(month FROM {0})) * 30 + extract(day FROM {0})) * 24 * 60 * 60'
            ' + extract(hour FROM {0}) * 60 * 60 + extract(minute FROM {0}) * 60 + extract(second FROM {0})')
WIDER = {'int2': ['int2'], 'int4': ['int2', 'int4'], 'int8': INTS}


class Generator:
    """Makes expressions over columns (Column, with qualified names).

    params: None, or the list that literals may move to, as (type, values).
    unsupported: the chance of something that gpuagg leaves to PostgreSQL.
    """

    def __init__(self, rng, columns, params=None, unsupported=0.01):
        self.rng = rng
        self.columns = columns
        self.params = params
        self.unsupported = unsupported
        # of everything, or of what is common: much that is rare leaves all to PostgreSQL
        self.common = rng.random() < 0.6
        self.by_type = {}
        for c in columns:
            self.by_type.setdefault(base_type(c.type), []).append(c)

    def column(self, type):
        found = self.by_type.get(type)
        return Expr(type, self.rng.choice(found).name) if found else None

    def literal(self, type):
        rng = self.rng
        cast = {'bpchar': 'char(3)', 'bit': 'bit(5)'}.get(type, type)
        if rng.random() < 0.02:
            return Expr(type, 'NULL::' + cast)
        if self.params is not None and rng.random() < 0.5 and len(self.params) < 12:
            values = [quote(random_value(rng, cast)) if rng.random() < 0.93 else 'NULL' for _ in range(3)]
            self.params.append((type, values))
            return Expr(type, '$%d' % len(self.params))
        return Expr(type, '%s::%s' % (quote(random_value(rng, cast)), cast))

    def leaf(self, type):
        if type == 'bool' and self.columns and self.rng.random() < 0.8:
            # constants would make most filters one of them
            return self.column(type) or Expr(type, '({0} < {1})', self.leaf('int4'), self.literal('int4'))
        if self.rng.random() < 0.2:
            return self.literal(type)
        return self.column(type) or self.converted(type) or self.literal(type)

    def converted(self, type):
        """A column of another type, cast; None if there is none."""
        sources = {'date': ['timestamp', 'timestamptz'], 'timestamp': ['date', 'timestamptz'], 'text': TEXTS[1:],
                   'timestamptz': ['timestamp', 'date'], 'numeric': INTS}
        for source in sources.get(type, INTS + FLOATS if type in INTS + FLOATS else []):
            column = self.column(source)
            if column:
                return Expr(type, '{0}::' + type, column)
        return None

    def filter(self, depth=2):
        """A truth that depends on a column, if there are any."""
        for _ in range(5):
            expr = self.make('bool', depth)
            if any(c.name in str(expr) for c in self.columns):
                break
        return expr

    def make(self, type, depth=2):
        if depth <= 0 or self.rng.random() < 0.35:
            return self.leaf(type)
        if type != 'bool' and self.rng.random() < 0.15:
            return self.choice(type, depth - 1)
        form = makers.pick(self.rng, type, self.common)
        if not form:
            return self.leaf(type)
        if callable(form):
            return form(self, depth - 1)
        text, operands = form
        return Expr(type, text, *[self.operand(o, depth - 1) for o in operands])

    def operand(self, what, depth):
        """An operand: of a type, or one of some constants."""
        if isinstance(what, tuple):
            return Expr('constant', self.rng.choice(what))
        if what.endswith('!'):
            return self.literal(what[:-1])
        return self.make(what, depth)

    def choice(self, type, depth):
        """What takes one of several values of a type, whichever it is."""
        rng = self.rng
        make = lambda: self.make(type, depth - 1)
        kind = rng.random()
        if kind < 0.3:
            forms = ['CASE WHEN {0} THEN {1} ELSE {2} END', 'CASE WHEN {0} THEN {1} WHEN NOT {0} THEN {2} END']
            return Expr(type, '(%s)' % rng.choice(forms), self.make('bool', depth), make(), make())
        if kind < 0.45:
            subject = rng.choice(KEY_TYPES)
            return Expr(type, '(CASE {0} WHEN {1} THEN {2} WHEN {3} THEN {4} ELSE {2} END)', self.make(subject, depth - 1),
                        self.literal(subject), make(), self.leaf(subject), make())
        if kind < 0.65:
            return Expr(type, rng.choice(['COALESCE({0}, {1})', 'COALESCE({0}, {1}, {0})']), make(), make())
        if kind < 0.8:
            return Expr(type, 'NULLIF({0}, {1})', make(), make())
        return Expr(type, rng.choice(['GREATEST({0}, {1})', 'LEAST({0}, {1})', 'GREATEST(LEAST({0}, {1}), {2})']),
                    make(), make(), make())

    def comparison(self, depth):
        rng = self.rng
        type = rng.choice(KEY_TYPES)
        op = rng.choice(COMPARISONS)
        if type in EQUALITY:
            op = rng.choice(['=', '=', '<>'])
        if type == '"char"' and op == '<>':
            op = '='
        if type in EQUALITY and rng.random() < 0.15:
            op = rng.choice(COMPARISONS)
        other = rng.choice(MIXED.get(type, [type]))
        left = self.leaf(type) if rng.random() < 0.5 else self.make(type, depth)
        return Expr('bool', '({0} ' + op + ' {1})', left, self.make(other, depth))

    def membership(self, depth):
        rng = self.rng
        type = rng.choice(INTS + ['float8', 'text', 'varchar', 'date', 'uuid', 'bpchar', 'oid', 'numeric', 'timestamptz', 'timestamp',
                                  'time', 'money', 'bytea', 'inet', 'macaddr', 'mood'])
        if rng.random() < 0.4:
            return self.in_array(type, depth)
        literals = [self.literal(type) for _ in range(rng.randint(1, 5) if rng.random() < 0.9 else rng.randint(8, 20))]
        if rng.random() < 0.1:
            literals += [self.leaf(type)]
        marks = ', '.join('{%d}' % (i + 1) for i in range(len(literals)))
        forms = ['({0} IN (%s))', '({0} NOT IN (%s))', '({0} = ANY (ARRAY[%s]))', '({0} <> ALL (ARRAY[%s]))']
        if type in ORDERED:
            forms += ['({0} < ANY (ARRAY[%s]))', '({0} >= ALL (ARRAY[%s]))']
        return Expr('bool', rng.choice(forms) % marks, self.make(type, depth), *literals)

    def in_array(self, type, depth):
        """ANY and ALL over an array that is one constant, or one parameter."""
        rng = self.rng
        op = rng.choice(['= ANY', '= ANY', '<> ALL', '<> ANY', '= ALL'])
        if type in ORDERED and rng.random() < 0.4:
            op = '%s %s' % (rng.choice(COMPARISONS), rng.choice(['ANY', 'ALL']))
        elements = {'bpchar': 'char(3)'}.get(rng.choice([t for t in MIXED.get(type, []) if t in INTS] or [type]), type)
        if self.params is not None and rng.random() < 0.5 and len(self.params) < 12:
            self.params.append((elements + '[]', [self.array(elements) for _ in range(3)]))
            array = Expr('array', '$%d' % len(self.params))
        else:
            array = Expr('array', '%s::%s[]' % (self.array(elements), elements))
        return Expr('bool', '({0} %s ({1}))' % op, self.make(type, depth), array)

    def array(self, type):
        """An array's literal: of none, some or many elements, some of them NULL; of two dimensions."""
        rng = self.rng
        kind = rng.random()
        if kind < 0.04:
            return 'NULL'
        size = 0 if kind < 0.1 else rng.randint(1, 4) if kind < 0.8 else rng.randint(8, 40)
        nulls = rng.choice([0, 0, 0.1, 0.5])
        texts = ['NULL' if rng.random() < nulls else
                 '"%s"' % random_value(rng, type).replace('\\', '\\\\').replace('"', '\\"') for _ in range(size)]
        whole = '{%s}' % ','.join(texts)
        return quote('{%s,%s}' % (whole, whole) if size and kind > 0.95 else whole)

    def summand(self, depth=2):
        """An expression whose sum is the same in any order, but for PostgreSQL's own."""
        rng = self.rng
        floats = [c for c in self.columns if c.sums == 'exact' and c.type in FLOATS]
        if floats and rng.random() < 0.5:
            column = rng.choice(floats)
            plain = Expr(column.type, column.name)
            if rng.random() < 0.6:
                return plain
            form = rng.choice(['({0} + 1)', '({0} - 0.25)', '({0} * 2)', '(- {0})', 'abs({0})'])
            type = column.type if form in ('(- {0})', 'abs({0})') else 'float8'
            return Expr(type, form, plain)
        if rng.random() < 0.35:
            return self.make('numeric', depth if rng.random() < 0.4 else 0)
        if rng.random() < 0.05:
            return self.make('interval', 1)
        return self.make(rng.choice(INTS), depth if rng.random() < 0.3 else 0)

    def float_summand(self):
        """A double whose sums, and those of its squares, PostgreSQL computes almost exactly."""
        columns = [c for c in self.columns if c.sums in ('exact', 'small') and c.type in FLOATS + INTS
                   and (c.type in FLOATS or c.sums == 'small')]
        if not columns:
            return None
        column = self.rng.choice(columns)
        return Expr('float8', self.rng.choice([column.name, column.name + '::float8', '(%s / 4.0::float8)' % column.name])
                    if column.type == 'float8' else column.name + '::float8')

    def canonical(self, expr):
        """The expression, or one of its value that does not show which of equal values it is."""
        if expr.type in FLOATS:
            return Expr(expr.type, '({0} + 0::%s)' % expr.type, expr)
        if expr.type == 'numeric':
            expr.loose = expr.operands or not any(c.name == expr.form and c.type != 'numeric' for c in self.columns)
        if expr.type == 'interval':
            uniform = not expr.operands and any(c.name == expr.form and c.uniform for c in self.columns)
            return expr if uniform else Expr('numeric', DURATION, expr)
        return expr

    def key(self):
        """A grouping key.  0 and -0 are one group: which is shown is open."""
        rng = self.rng
        columns = [c for c in self.columns if base_type(c.type) in KEY_TYPES]
        if rng.random() < self.unsupported:
            columns = self.columns
        if columns and rng.random() < 0.65:
            column = rng.choice(columns)
            result = Expr(base_type(column.type), column.name)
        else:
            result = self.make(rng.choice(KEY_TYPES), 2)
        result = self.canonical(result)
        if not result.operands and ('::' in result.form or '$' in result.form):
            # a bare constant would be no key in the plan, a cast one is
            return Expr(result.type, '({0})', result)
        return result
