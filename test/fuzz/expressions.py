"""Random expressions over a set of columns, as trees that can be reduced."""
from tables import INT_LIMITS, base_type, quote, random_value


class Expr:
    """An SQL expression: text with {0}, {1} ... where its operands go."""

    def __init__(self, type, form, *operands):
        self.type = type
        self.form = form
        self.operands = list(operands)

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
ORDERED = INTS + FLOATS + ['date', 'timestamp', 'timestamptz']
EQUALITY = ['text', 'varchar', 'bpchar', '"char"', 'uuid', 'oid']
KEY_TYPES = ORDERED + EQUALITY + ['bool']
# what a comparison may set against each other
MIXED = {'int2': INTS, 'int4': INTS, 'int8': INTS, 'float4': FLOATS, 'float8': FLOATS,
         'date': ['date', 'date', 'timestamp'], 'timestamp': ['timestamp', 'date'], 'timestamptz': ['timestamptz']}
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
        self.by_type = {}
        for c in columns:
            self.by_type.setdefault(base_type(c.type), []).append(c)

    def column(self, type):
        found = self.by_type.get(type)
        return Expr(type, self.rng.choice(found).name) if found else None

    def literal(self, type):
        rng = self.rng
        cast = {'bpchar': 'char(3)'}.get(type, type)
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
        sources = {'date': ['timestamp'], 'timestamp': ['date'], 'text': ['varchar']}
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
        if type in INTS:
            return self.make_int(type, depth - 1)
        if type in FLOATS:
            return self.make_float(type, depth - 1)
        if type == 'bool':
            return self.make_bool(depth - 1)
        if type in ('date', 'timestamp'):
            return self.make_date(type, depth - 1)
        if type in ('text', 'varchar', 'bpchar'):
            return self.make_text(type, depth - 1)
        return self.leaf(type)

    def make_int(self, type, depth):
        rng = self.rng
        kind = rng.random()
        if kind < 0.5:
            # the wider operand decides the result's type
            left = rng.choice(WIDER[type])
            right = type if left != type else rng.choice(WIDER[type])
            if rng.random() < 0.5:
                left, right = right, left
            op = rng.choice(['+', '+', '-', '-', '*', '*', '/', '%'])
            if op == '%' and left != right:
                left = right = type
            return Expr(type, '({0} ' + op + ' {1})', self.make(left, depth), self.make(right, depth))
        if kind < 0.6:
            return Expr(type, rng.choice(['(- {0})', 'abs({0})']), self.make(type, depth))
        if kind < 0.9:
            source = rng.choice(INTS + FLOATS)
            return Expr(type, '{0}::' + type, self.make(source, depth))
        if type == 'int4':
            if kind < 0.95:
                return Expr(type, '{0}::int4', self.make('bool', depth))
            return Expr(type, '({0} - {1})', self.make('date', depth), self.make('date', depth))
        return self.leaf(type)

    def make_float(self, type, depth):
        rng = self.rng
        kind = rng.random()
        if kind < 0.55:
            left = type
            right = type if type == 'float4' else rng.choice(FLOATS)
            return Expr(type, '({0} ' + rng.choice('++--**/') + ' {1})',
                        self.make(left, depth), self.make(right, depth))
        if kind < 0.65:
            return Expr(type, rng.choice(['(- {0})', 'abs({0})']), self.make(type, depth))
        return Expr(type, '{0}::' + type, self.make(rng.choice(INTS + FLOATS), depth))

    def make_date(self, type, depth):
        rng = self.rng
        if type == 'timestamp':
            if rng.random() < self.unsupported * 3:
                return Expr(type, "({0} + '1 day'::interval)", self.make(type, depth))
            return Expr(type, '{0}::timestamp', self.make('date', depth))
        if rng.random() < 0.6:
            return Expr(type, '({0} ' + rng.choice('+-') + ' {1})', self.make('date', depth), self.make('int4', depth))
        return Expr(type, '{0}::date', self.make('timestamp', depth))

    def make_text(self, type, depth):
        if self.rng.random() < self.unsupported * 3:
            return Expr(type, 'upper({0})::' + type, self.make('text', depth))
        if type == 'text' and self.rng.random() < 0.3:
            return Expr(type, '{0}::text', self.make('varchar', depth))
        return self.leaf(type)

    def make_bool(self, depth):
        rng = self.rng
        kind = rng.random()
        if kind < 0.35:
            return self.comparison(depth)
        if kind < 0.6:
            return Expr('bool', '({0} ' + rng.choice(['AND', 'OR']) + ' {1})',
                        self.make('bool', depth), self.make('bool', depth))
        if kind < 0.67:
            return Expr('bool', '(NOT {0})', self.make('bool', depth))
        if kind < 0.75:
            return Expr('bool', '({0} IS %s)' % rng.choice(['NULL', 'NOT NULL']),
                        self.make(rng.choice(KEY_TYPES), depth))
        if kind < 0.8:
            test = rng.choice(['TRUE', 'FALSE', 'UNKNOWN', 'NOT TRUE', 'NOT FALSE', 'NOT UNKNOWN'])
            return Expr('bool', '({0} IS %s)' % test, self.make('bool', depth))
        if kind < 0.88:
            type = rng.choice(ORDERED)
            return Expr('bool', '({0} %sBETWEEN {1} AND {2})' % rng.choice(['', '', 'NOT ', 'NOT ']),
                        self.make(type, depth), self.make(type, depth - 1), self.make(type, depth - 1))
        if kind < 1 - self.unsupported:
            return self.membership(depth)
        return self.left_to_postgres(depth)

    def comparison(self, depth):
        rng = self.rng
        type = rng.choice(KEY_TYPES)
        op = rng.choice(COMPARISONS)
        if type in EQUALITY:
            op = rng.choice(['=', '=', '<>'])
        if type == '"char"' and op == '<>':
            op = '='
        other = rng.choice(MIXED.get(type, [type]))
        left = self.leaf(type) if rng.random() < 0.5 else self.make(type, depth)
        return Expr('bool', '({0} ' + op + ' {1})', left, self.make(other, depth))

    def membership(self, depth):
        rng = self.rng
        type = rng.choice(INTS + ['float8', 'text', 'varchar', 'date', 'uuid', 'bpchar', 'oid'])
        literals = [self.literal(type) for _ in range(rng.randint(1, 5))]
        marks = ', '.join('{%d}' % (i + 1) for i in range(len(literals)))
        form = rng.choice(['({0} IN (%s))', '({0} NOT IN (%s))', '({0} = ANY (ARRAY[%s]))', '({0} <> ALL (ARRAY[%s]))'])
        return Expr('bool', form % marks, self.make(type, depth), *literals)

    def left_to_postgres(self, depth):
        type = self.rng.choice(KEY_TYPES)
        form = self.rng.choice(['({0} IS DISTINCT FROM {1})', '(coalesce({0}, {1}) IS NULL)',
                                '(CASE WHEN {0} = {1} THEN true END)'])
        return Expr('bool', form, self.make(type, depth), self.make(type, depth))

    def summand(self, depth=2):
        """An expression whose sum is the same in any order, but for PostgreSQL's own."""
        rng = self.rng
        floats = [c for c in self.columns if c.sums and c.type in FLOATS]
        if floats and rng.random() < 0.5:
            column = rng.choice(floats)
            plain = Expr(column.type, column.name)
            if column.sums == 'serial' or rng.random() < 0.6:
                return plain
            form = rng.choice(['({0} + 1)', '({0} - 0.25)', '({0} * 2)', '(- {0})', 'abs({0})'])
            type = column.type if form in ('(- {0})', 'abs({0})') else 'float8'
            return Expr(type, form, plain)
        return self.make(rng.choice(INTS), depth if rng.random() < 0.3 else 0)

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
        if result.type in FLOATS:
            return Expr(result.type, '({0} + 0::%s)' % result.type, result)
        if not result.operands and ('::' in result.form or '$' in result.form):
            # a bare constant would be no key in the plan, a cast one is
            return Expr(result.type, '({0})', result)
        return result
