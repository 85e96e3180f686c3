"""Random tables: their definition, their rows, and what happens to them.

A schema is a list of steps that build it: an Sql runs as it stands, an Insert
has rows that a reduction can drop one by one.  All randomness comes from the
generator that is passed in.
"""
import json
import re
import struct

from dataclasses import dataclass, field


@dataclass
class Sql:
    text: str

    def statements(self):
        return [self.text]


@dataclass
class Insert:
    table: str
    columns: list
    rows: list                  # of lists of SQL literals

    def statements(self):
        names = ', '.join(self.columns)
        return ['INSERT INTO %s (%s) VALUES %s' %
                (self.table, names,
                 ',\n  '.join('(%s)' % ', '.join(r) for r in self.rows[i:i + 500]))
                for i in range(0, len(self.rows), 500)]


@dataclass
class Column:
    """A column, or what a subquery delivers as one.

    sums: what its values are like.  'exact', small multiples of 1/4 or integers, so
    that any order of adding them up gives the same; other floats' sums depend on it.
    'small' integers; 'fine', 'broad' and other floats, see random_float; 'even', 'tame',
    'wide' and other numerics, see random_numeric; an interval's units.
    uniform: equal values are the same value (not 1 day and 24 hours, 1.0 and 1.00).
    values: literals of a table's column.
    collation: if it is a text, '' for the database's.
    """
    name: str
    type: str
    sums: str = ''
    uniform: bool = True
    values: list = field(default_factory=list)
    collation: str = ''


@dataclass
class Table:
    name: str
    columns: list = field(default_factory=list)
    rows: int = 0
    plain: bool = True          # one heap, no partitions, no children
    kind: str = 'table'
    primary: bool = False       # id is its primary key


def quote(text):
    return "'" + text.replace("'", "''") + "'"


INT_LIMITS = {'int2': 1 << 15, 'int4': 1 << 31, 'int8': 1 << 63}
WORDS = ['', 'a', 'b', 'B', 'ab', 'AB', 'a ', ' a', 'abc', 'ä', 'Ä', 'a\u0308', '€uro', "o'clock", 'a\\b', '%', '{}', 'NULL',
         'the quick brown fox', 'x' * 30]


def random_int(rng, type):
    limit = INT_LIMITS[type]
    kind = rng.random()
    if kind < 0.75:
        return rng.randint(-20, 100)
    if kind < 0.85:
        return rng.choice([-limit, limit - 1, -limit + 1, limit // 2, -limit // 2])
    return rng.randint(-limit, limit - 1)


def random_wild_float(rng, type):
    extremes = ['NaN', 'Infinity', '-Infinity', '-0', '0', '1e-40', '0.1', '-1', '16777217', '32767.5',
                '-32768.5', '2147483647.5', '9.3e18', '1e30']
    if type == 'float8':
        extremes += ['1.7976931348623157e308', '-1.7976931348623157e308', '5e-324', '1e200', '-1e141', '1e39']
    else:
        extremes += ['3.4028235e38', '-3.4028235e38', '1e-45']
    if rng.random() < 0.5:
        return rng.choice(extremes)
    value = rng.uniform(-1000, 1000)
    return repr(struct.unpack('f', struct.pack('f', value))[0] if type == 'float4' else value)


def random_float(rng, type, sums):
    """'fine': full precision, exponents near each other; 'broad': many exponents, no special values."""
    if sums == 'exact':
        return repr(rng.randint(-40, 40) / 4.0)
    if sums not in ('fine', 'broad'):
        return random_wild_float(rng, type)
    if sums == 'fine':
        value = rng.choice([rng.uniform(-1000, 1000), round(rng.uniform(-100, 100), 2), rng.gauss(0, 1) * 10.0 ** rng.randint(-4, 4)])
    else:
        near = rng.choice([rng.uniform(-1, 1), 1.0, -1.0, 1 / 3])
        value = near * 2.0 ** rng.choice([0, 53, 54, rng.randint(-60, 60), rng.randint(-140, 60)] if type == 'float4' else
                                         [0, 53, 54, rng.randint(-60, 60), rng.randint(-1074, 450)])
    return repr(struct.unpack('f', struct.pack('f', value))[0] if type == 'float4' else value)


def random_date(rng):
    kind = rng.random()
    if kind < 0.1:
        return rng.choice(['infinity', '-infinity', '4713-01-01 BC', '5874897-12-31', '294276-12-31',
                           '0001-12-31 BC', '1999-12-31', '2000-01-01'])
    year = rng.choice([1970, 1999, 2000, 2024] if kind < 0.8 else [1582, 1799, 1883, 1900, 1941, 1945, 2007, 2037, 2038, 2500])
    if kind > 0.93:
        # clocks are changed at the end of these months, and at the beginning of others
        return '%04d-%02d-%02d' % (year, *rng.choice([(3, 31), (10, 31), (3, 25), (10, 25), (4, 1), (11, 1), (12, 30), (2, 28)]))
    return '%04d-%02d-%02d' % (year, rng.randint(1, 12), rng.randint(1, 28))


def random_timestamp(rng):
    """Also one with a time zone: the last ones are none in zones of the west."""
    if rng.random() < 0.1:
        return rng.choice(['infinity', '-infinity', '4713-01-01 00:00:00 BC', '294276-12-30 23:59:59.999999',
                           '1999-12-31 23:59:59.999999', '2000-01-01 00:00:00'])
    day = random_date(rng)
    if day.endswith('y') or len(day) > 10 or day.endswith('BC'):
        day = '2001-04-01'
    return '%s %02d:%02d:%02d%s' % (day, rng.randint(0, 23), rng.choice([0, 30]), rng.choice([0, 59]),
                                    rng.choice(['', '.5', '.000001']))


def random_text(rng):
    kind = rng.random()
    if kind < 0.7:
        return rng.choice(WORDS)
    if kind < 0.9:
        return 'w%d' % rng.randint(0, 50)
    return chr(rng.randint(97, 122)) * rng.randint(1, 200)


def random_toast(rng):
    """Long texts: some compress, some are stored out of line, some stay short."""
    if rng.random() < 0.5:
        return random_text(rng)
    if rng.random() < 0.5:
        return rng.choice(['toast', 'a', 'b', 'w\u00e4']) * rng.randint(400, 2000)
    if rng.random() < 0.05:
        return ''.join(chr(rng.randint(32, 126)) for _ in range(rng.randint(8000, 40000))).replace('\\', '/')
    return ''.join(chr(rng.randint(32, 126)) for _ in range(rng.randint(1500, 4000))).replace('\\', '/')


INTERVAL_UNITS = {'hours': ['1 hour', '24 hours', '-90 minutes', '0', '36:00:00.000001', '-00:00:01', '2400 hours'],
                  'days': ['1 day', '-1 day', '0', '30 days', '31 days', '366 days'],
                  'months': ['1 month', '-1 month', '0', '1 year', '12 months', '13 months', '100 years'],
                  '': ['1 day', '24 hours', '-1 month', '0', '1 month 30 days', '60 days', '1 year -1 day',
                       '1 month -30 days 5 minutes', '29 days 23:59:59.999999', '-1 day 1 hour']}


def random_interval(rng, unit=''):
    return rng.choice(INTERVAL_UNITS[unit])


def random_wild_numeric(rng):
    return rng.choice(['NaN', 'Infinity', '-Infinity', '123456789012345678901234567890.5', '-1e30', '1e-30', '9223372036854775807',
                       '9223372036854775808', '-170141183460469231731687303715884105729', '0.000000000000000001',
                       '170141183460469231731687303715884105727', '99999999999999999999999999999999999999', '1e200',
                       '1' + '0' * 3000 + '.7'])


def random_numeric(rng, precision, scale, sums=''):
    """A value of numeric(precision, scale); None, None: one without a type modifier.

    Those without are of one display scale ('even'), of several ('tame'), have up to
    36 digits ('wide'), or are anything else.
    """
    kind = rng.random()
    if precision is None:
        if sums == '' and kind < 0.1:
            return random_wild_numeric(rng)
        precision = 30 if sums == 'wide' else 9
        scale = 2 if sums == 'even' else rng.choice([0, 2, 6]) if sums == 'wide' else rng.choice([0, 0, 1, 2, 2, 4])
    if rng.random() < 0.003:
        return 'NaN'
    digits = rng.choice([1, 2, 3, precision, precision]) if kind < 0.5 else min(3, precision)
    return '%se%d' % (rng.choice([rng.randint(-10 ** digits + 1, 10 ** digits - 1), 10 ** digits - 1]), -scale)


def modifier_of(type):
    """(precision, scale) of numeric(...); (None, None) without."""
    found = re.match(r'numeric\((\d+),(-?\d+)\)', type)
    return (int(found.group(1)), int(found.group(2))) if found else (None, None)


JSON_KEYS = ['a', 'b', 'ab', 'kind', 'v', 'f', 'ok', '', 'ä']


def random_number(rng):
    return rng.choice(['0', '-1', '12', '1.50', '0.000', '-0.0001', '1e3', '1.5e-3', '-2.5E2', '12345678901234567890.5', '1e40',
                       '1e70', '0.1234567890123456', str(rng.randint(-1000, 1000)), str(rng.randint(0, 99999) / 100)])


def random_json_value(rng, key, depth):
    kind = rng.random()
    if kind < 0.08:
        return 'null'
    if kind < 0.9 and key in ('v', 'f', 'ok'):
        # what casts take
        return {'v': str(rng.randint(-50, 50)), 'f': str(rng.randint(-50, 50) / 4.0), 'ok': rng.choice(['true', 'false', '"true"'])}[key]
    if depth > 0 and kind < (0.6 if key in ('a', 'b') else 0.15):
        return random_object(rng, depth - 1) if kind < 0.5 else '[1, "a", {"a": 2}]'
    if kind < 0.7:
        return json.dumps(rng.choice(WORDS + ['12', ' 7', '"', 'line\n', '\\u0041', 'a' * 300]), ensure_ascii=rng.random() < 0.5)
    return random_number(rng) if kind < 0.9 else rng.choice(['true', 'false'])


def random_object(rng, depth):
    """Some keys come twice, and some objects have many."""
    keys = rng.choices(JSON_KEYS, k=rng.choice([0, 1, 3, 5, 8]))
    if rng.random() < 0.1:
        keys += ['k%d' % i for i in range(rng.choice([20, 40, 100]))]
    return '{%s}' % ', '.join('%s: %s' % (json.dumps(k), random_json_value(rng, k, depth)) for k in keys)


def random_json(rng):
    if rng.random() < 0.1:
        return rng.choice(['null', '[]', '["a", "kind", 1]', '"kind"', '1.0', 'true', '[{"a": 1}]'])
    return random_object(rng, 2)


def random_value(rng, type, sums=''):
    """A value of the type as text, not yet quoted."""
    if type.startswith('numeric'):
        return random_numeric(rng, *modifier_of(type), sums)
    if type == 'interval':
        return random_interval(rng, sums)
    if type in INT_LIMITS:
        if sums == 'small':
            return str(rng.randint(-50, 50))
        return str(random_int(rng, type))
    if type in ('float4', 'float8'):
        return random_float(rng, type, sums)
    simple = {
        'bool': lambda: rng.choice(['t', 'f']),
        '"char"': lambda: rng.choice(['', 'a', 'b', 'Z', '0', '~']),
        'oid': lambda: str(rng.choice([0, 1, 4294967295, 2147483648, rng.randint(0, 50)])),
        'date': lambda: random_date(rng),
        'timestamp': lambda: random_timestamp(rng),
        'timestamptz': lambda: random_timestamp(rng),
        'uuid': lambda: '%032x' % rng.choice([0, (1 << 128) - 1, rng.getrandbits(5), rng.getrandbits(5) << 120]),
        'text': lambda: random_text(rng),
        'varchar': lambda: random_text(rng),
        'time': lambda: rng.choice(['00:00', '24:00', '12:34:56.789', '23:59:59.999999', '01:30', '02:30']),
        'timetz': lambda: rng.choice(['00:00+00', '02:00+02', '23:59:59.5-07']),
        'money': lambda: rng.choice(['0', '-92233720368547758.08', '92233720368547758.07', '%.2f' % (rng.randint(-999, 999) / 100)]),
        'bytea': lambda: rng.choice(['', '\\x00ff', '\\x00', '\\xdeadbeef', '\\x' + 'ab' * rng.choice([1, 2, 2500])]),
        'bit(5)': lambda: rng.choice(['00000', '11111', '10101', '00001']),
        'varbit': lambda: rng.choice(['', '0', '1', '10', '00000000', '000000000', '101010101010']),
        'inet': lambda: rng.choice(['10.0.0.%d' % rng.randint(0, 5), '10.0.0.1/24', '10.0.0.1/8', '::1', '::ffff:10.0.0.1', '10.0.0.0/24']),
        'macaddr': lambda: rng.choice(['00:00:00:00:00:00', 'ff:ff:ff:ff:ff:ff', '08:00:2b:01:02:0%d' % rng.randint(0, 5), '0%d:00:00:00:00:ff' % rng.randint(0, 5)]),
        'mood': lambda: rng.choice(MOODS),
        'jsonb': lambda: random_json(rng),
        'varchar(5)': lambda: random_text(rng)[:5],
        'char(3)': lambda: random_text(rng)[:3],
        'int4[]': lambda: rng.choice(['{}', '{1,2}', '{NULL}']),
    }
    return simple[type]()


NUMERICS = ['numeric(10,2)', 'numeric(10,2)', 'numeric(18,4)', 'numeric(5,0)', 'numeric(25,6)', 'numeric(4,3)',
            'numeric(38,20)', 'numeric(6,-2)', 'numeric', 'numeric']
SUPPORTED = ['bool', '"char"', 'int2', 'int4', 'int8', 'float4', 'float8', 'date', 'timestamp', 'timestamptz',
             'oid', 'uuid', 'text', 'varchar', 'varchar(5)', 'char(3)', 'numeric', 'numeric', 'interval', 'time', 'money',
             'bytea', 'bit(5)', 'varbit', 'inet', 'macaddr', 'mood']
NEIGHBOURS = ['timetz', 'jsonb', 'jsonb', 'int4[]']
# an enum, of which the order is not that of making
MOODS = ['sad', 'calm', 'ok', 'happy']
# as an identity that is expensive, so that the planner computes it late
MAKE_COSTLY = ('CREATE FUNCTION costly(anyelement) RETURNS anyelement LANGUAGE plpgsql IMMUTABLE COST 100000 '
               "AS 'begin return $1; end'")
MAKE_MOODS = ["CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy')", "ALTER TYPE mood ADD VALUE 'calm' BEFORE 'ok'"]
UNHASHED = ['money', 'bit', 'varbit']


def base_type(type):
    return {'varchar(5)': 'varchar', 'char(3)': 'bpchar', 'bit(5)': 'bit'}.get(type, 'numeric' if type.startswith('numeric') else type)


class Pool:
    """Where a column's values come from: distinct ones, skewed, some NULL."""

    def __init__(self, rng, type, sums, toast=False):
        make = random_toast if toast else lambda r: random_value(r, type, sums)
        self.values = [quote(make(rng)) for _ in range(rng.choice([1, 3, 10, 40, 40, 300]))]
        self.nulls = rng.choice([0, 0, 0.05, 0.3, 0.95])
        self.skew = rng.choice([1, 1, 3])

    def pick(self, rng):
        if self.nulls and rng.random() < self.nulls:
            return 'NULL'
        return self.values[int(rng.random() ** self.skew * len(self.values))]


# types that a column's type may be changed to: any of its values fit
WIDENED = {'int2': ['int4', 'int8'], 'int4': ['int8', 'numeric'], 'numeric(10,2)': ['numeric(12,2)', 'numeric', 'numeric(18,4)'],
           'numeric(5,0)': ['numeric(10,2)', 'numeric(9,0)', 'numeric'], 'varchar(5)': ['varchar', 'text'],
           'char(3)': ['text', 'varchar'], 'float4': ['float8']}


class TableMaker:
    """Makes one table: a list of steps, and the Table that results.

    collations: one of them is that of a text column, '' for the database's.
    """

    def __init__(self, rng, name, size, collations=('',)):
        self.rng = rng
        self.collations = collations
        self.table = Table(name)
        self.size = size
        self.steps = []
        self.pools = {}
        self.next_id = 0
        self.counter = 0

    def sql(self, text, *args):
        self.steps.append(Sql(text % args if args else text))

    def new_column(self):
        """A column with a random type and its pool; not yet in the table."""
        rng = self.rng
        type = rng.choice(SUPPORTED if rng.random() < 0.9 else NEIGHBOURS)
        if rng.random() < 0.3:
            type = rng.choice(['int4', 'int8', 'float8', 'text', 'numeric', 'timestamptz'])
        sums = ''
        if type in ('float4', 'float8'):
            sums = rng.choice(['exact', 'exact', 'fine', 'fine', 'broad', ''])
        elif type in INT_LIMITS:
            sums = rng.choice(['exact', 'small'])
        if type == 'numeric':
            type = rng.choice(NUMERICS)
            sums = rng.choice(['even', 'tame', 'tame', 'wide', '']) if type == 'numeric' else ''
        elif type == 'interval':
            sums = rng.choice(list(INTERVAL_UNITS))
        uniform = type != 'numeric' and (type != 'interval' or sums != '')
        toast = type in ('text', 'varchar') and rng.random() < 0.2
        self.counter += 1
        column = Column('c%d' % self.counter, type, sums, uniform, collation=self.collation())
        self.pools[column.name] = Pool(rng, type, sums, toast)
        column.values = self.pools[column.name].values
        return column

    def insert(self, rows, into=None):
        rng = self.rng
        names = ['id'] + [c.name for c in self.table.columns]
        pools = [self.pools[n] for n in names[1:]]
        data = []
        for _ in range(rows):
            data.append([str(self.next_id)] + [p.pick(rng) for p in pools])
            self.next_id += 1
        if data:
            self.steps.append(Insert(into or self.table.name, names, data))

    def collation(self):
        return self.rng.choice(self.collations) if len(self.collations) > 1 else self.collations[0]

    def declared(self, column):
        text = base_type(column.type) in ('text', 'varchar', 'bpchar')
        return '%s%s' % (column.type, ' COLLATE ' + column.collation if text and column.collation else '')

    def definitions(self, columns):
        return ', '.join(['id int4 NOT NULL'] + ['%s %s' % (c.name, self.declared(c)) for c in columns])

    def create(self):
        rng, name = self.rng, self.table.name
        width = rng.choice([2, 4, 6, 8, 12]) if rng.random() < 0.95 else 40
        self.table.columns = columns = [self.new_column() for _ in range(width)]
        kind = rng.random()
        self.table.plain = kind < 0.84
        if self.table.plain:
            self.table.primary = rng.random() < 0.3
            # wide rows of few columns: a device reads some of them in part only
            filler = ', filler char(400) NOT NULL DEFAULT \'\'' if kind < 0.25 else ''
            self.sql('CREATE %sTABLE %s (%s%s%s) WITH (fillfactor = %d)',
                     'UNLOGGED ' if kind < 0.1 else '', name, self.definitions(columns), filler,
                     ', PRIMARY KEY (id)' if self.table.primary else '', rng.choice([100, 100, 50]))
        elif kind < 0.89:
            self.create_partitions(columns)
        elif kind < 0.95:
            self.create_partitions_by_value(columns)
        else:
            self.table.kind = 'inheritance'
            self.sql('CREATE TABLE %s (%s)', name, self.definitions(columns))
            self.sql('CREATE TABLE %s_child (extra text DEFAULT \'e\') INHERITS (%s)', name, name)

    def create_partitions(self, columns):
        name = self.table.name
        self.table.kind = 'partitions'
        cut = self.size // 3
        self.sql('CREATE TABLE %s (%s) PARTITION BY RANGE (id)', name, self.definitions(columns))
        self.sql('CREATE TABLE %s_1 PARTITION OF %s FOR VALUES FROM (MINVALUE) TO (%d)', name, name, cut)
        # attached with its columns in another order, behind a dropped one
        self.sql('CREATE TABLE %s_2 (gone text, %s, id int4 NOT NULL)', name,
                 ', '.join('%s %s' % (c.name, self.declared(c)) for c in reversed(columns)))
        self.sql('ALTER TABLE %s_2 DROP COLUMN gone', name)
        self.sql('ALTER TABLE %s ATTACH PARTITION %s_2 FOR VALUES FROM (%d) TO (MAXVALUE)', name, name, cut)

    def create_partitions_by_value(self, columns):
        """By hash of a column, or by lists of id's signs, with partitions of partitions."""
        rng, name = self.rng, self.table.name
        self.table.kind = 'partitions'
        hashed = [c.name for c in columns if base_type(c.type) not in ['int4[]', 'bytea', 'interval', 'float4', 'float8'] + UNHASHED]
        if hashed and rng.random() < 0.6:
            parts = rng.choice([1, 2, 5])
            self.sql('CREATE TABLE %s (%s) PARTITION BY HASH (%s)' % (name, self.definitions(columns), rng.choice(hashed)))
            for i in range(parts):
                self.sql('CREATE TABLE %s_%d PARTITION OF %s FOR VALUES WITH (MODULUS %d, REMAINDER %d)' %
                         (name, i, name, parts, i))
        else:
            self.sql('CREATE TABLE %s (%s) PARTITION BY LIST ((id %% 3))' % (name, self.definitions(columns)))
            self.sql('CREATE TABLE %s_0 PARTITION OF %s FOR VALUES IN (0)' % (name, name))
            self.sql('CREATE TABLE %s_d PARTITION OF %s DEFAULT PARTITION BY RANGE (id)' % (name, name))
            self.sql('CREATE TABLE %s_d1 PARTITION OF %s_d FOR VALUES FROM (MINVALUE) TO (20)' % (name, name))
            self.sql('CREATE TABLE %s_d2 PARTITION OF %s_d FOR VALUES FROM (20) TO (MAXVALUE)' % (name, name))

    def add_column(self):
        rng = self.rng
        column = self.new_column()
        default = self.pools[column.name].pick(rng)
        form = rng.choice(['', ' DEFAULT %s', ' NOT NULL DEFAULT %s'])
        if default == 'NULL' or len(default) > 2000:    # a row of the catalog is a page at most
            form = ''
        self.sql('ALTER TABLE %s ADD COLUMN %s %s%s' %
                 (self.table.name, column.name, self.declared(column), form % default if form else ''))
        if 'NOT NULL' in form:
            self.pools[column.name].nulls = 0
        self.table.columns.append(column)

    def change_type(self):
        """Another type for a column, by rewriting the table or by the catalog alone."""
        rng = self.rng
        columns = [c for c in self.table.columns if c.type in WIDENED]
        if not columns or self.table.kind == 'partitions':
            return
        column = rng.choice(columns)
        if column.type == 'date' and any('5874897' in v for v in self.pools[column.name].values):
            return      # no timestamp is as late as that
        column.type = rng.choice(WIDENED[column.type])
        column.uniform = column.type != 'numeric'
        self.sql('ALTER TABLE %s ALTER COLUMN %s TYPE %s', self.table.name, column.name, self.declared(column))

    def drop_column(self):
        if len(self.table.columns) > 1:
            column = self.table.columns.pop(self.rng.randrange(len(self.table.columns)))
            self.sql('ALTER TABLE %s DROP COLUMN %s', self.table.name, column.name)

    def change_rows(self):
        rng, name = self.rng, self.table.name
        column = rng.choice(self.table.columns).name
        divisor = rng.choice([2, 3, 7, 50])
        self.sql(rng.choice([
            'UPDATE %s SET %s = %s WHERE id %% %d = 0' % (name, column, column, divisor),
            'UPDATE %s SET %s = DEFAULT WHERE id %% %d = 1' % (name, column, divisor),
            'DELETE FROM %s WHERE id %% %d = 1' % (name, divisor),
            'BEGIN; DELETE FROM %s WHERE id %% %d = 0; ROLLBACK' % (name, divisor),
            'DELETE FROM %s WHERE id %% 97 <> 5' % name if rng.random() < 0.1 else 'ANALYZE %s' % name,
        ]))

    def toast_storage(self):
        texts = [c.name for c in self.table.columns if c.type == 'text']
        if texts:
            self.sql('ALTER TABLE %s ALTER COLUMN %s SET %s', self.table.name, self.rng.choice(texts),
                     self.rng.choice(['STORAGE EXTERNAL', 'STORAGE MAIN', 'STORAGE EXTENDED', 'COMPRESSION lz4', 'COMPRESSION pglz']))

    def grow(self):
        """Many rows from few: ids of their own make up to 10^5 groups."""
        times = self.rng.choice([20, 60])
        names = ', '.join(c.name for c in self.table.columns)
        self.sql('INSERT INTO %s (id, %s) SELECT id + n * %d, %s FROM %s, generate_series(1, %d) n',
                 self.table.name, names, self.next_id, names, self.table.name, times)
        self.next_id *= times + 1

    def make(self):
        rng = self.rng
        self.create()
        if rng.random() < 0.15:
            self.toast_storage()
        pieces = rng.choice([1, 1, 2, 3])
        for _ in range(pieces):
            self.insert(self.size // pieces)
            for change, chance in ((self.add_column, 0.2), (self.drop_column, 0.15), (self.change_rows, 0.4),
                                   (self.change_rows, 0.2), (self.change_type, 0.1)):
                if rng.random() < chance:
                    change()
        if not self.table.plain and rng.random() < 0.5:
            self.sql('CREATE INDEX ON %s (id)', self.table.name)
        if self.size > 1000 and rng.random() < 0.15:
            self.grow()
        if rng.random() < 0.7:
            self.sql('%s %s', rng.choice(['VACUUM', 'VACUUM FREEZE', 'ANALYZE', 'ANALYZE', 'VACUUM ANALYZE', 'VACUUM ANALYZE']),
                     self.table.name)
        if rng.random() < 0.2:
            self.change_rows()
        if rng.random() < 0.1:
            # what statistics do not know of
            self.insert(5)
        self.table.rows = self.next_id
        return self.table


TIME_ZONES = ['UTC', 'Europe/Berlin', 'America/St_Johns', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'America/New_York',
              'Pacific/Apia', 'Africa/Monrovia', 'Antarctica/Troll', 'Asia/Tehran', 'Europe/Dublin', '+05:30', 'EST5EDT',
              'Africa/Casablanca', 'America/Sao_Paulo', 'Europe/Amsterdam', 'Asia/Manila', 'CET-1CEST,M3.5.0,M10.5.0/3',
              '<+0130>-1:30', 'Pacific/Kiritimati', 'America/Caracas', 'Asia/Gaza', 'Europe/London']


def set_zone(rng):
    return "SET timezone = '%s'" % rng.choice(TIME_ZONES)


def make_settings(rng):
    """What a seed's sessions have set, as statements."""
    draw = rng.random()
    parallel = draw < 0.25
    return [set_zone(rng),
            'SET enable_partitionwise_aggregate = %s' % rng.choice(['on', 'off']),
            'SET plan_cache_mode = %s' % rng.choice(['force_generic_plan', 'force_generic_plan', 'force_custom_plan']),
            "SET work_mem = '%s'" % rng.choice(['64kB', '4MB', '4MB']),
            'SET hash_mem_multiplier = %d' % rng.choice([1, 2]),
            # values of DISTINCT are keys where groups cost nothing, and in lists where they cost much
            'SET gpuagg.group_cost = %s' % rng.choice(['-1', '0', '1e7', '1e7']),
            'SET gpuagg.parallel_division = %s' % ('keys' if draw < 0.12 else 'auto'),
            'SET max_parallel_workers_per_gather = %d' % (2 if parallel else 0),
            'SET parallel_setup_cost = %d' % (0 if parallel else 1000),
            'SET parallel_tuple_cost = %s' % (0 if parallel else 0.1),
            'SET min_parallel_table_scan_size = %s' % (0 if parallel else "'8MB'")]


SIZES = [0, 1, 7, 60, 300, 300, 1000, 2500]


# locales of ICU and of the C library, one whose order is not that of its languages' words, and two in which texts
# that differ are equal
MAKE_COLLATIONS = ["CREATE COLLATION phonebook (provider = icu, locale = 'de-u-co-phonebk')",
                   "CREATE COLLATION punctuation (provider = icu, locale = 'en-u-ka-shifted')",
                   "CREATE COLLATION same_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false)",
                   "CREATE COLLATION same_letter (provider = icu, locale = 'und-u-ks-level1', deterministic = false)",
                   'CREATE COLLATION of_libc FROM "C.utf8"', 'CREATE COLLATION IF NOT EXISTS of_libc FROM "en_US.utf8"']
NONDETERMINISTIC = ['same_case', 'same_letter']
COLLATIONS = ['', '"C"', '"en-x-icu"', 'phonebook', 'punctuation', 'of_libc'] + NONDETERMINISTIC


def make_schema(rng, sizes=SIZES, mixed=False):
    """(steps, tables) of a random schema, with so many rows in a table; mixed: with columns of several collations."""
    steps, tables = [Sql(text) for text in MAKE_MOODS + [MAKE_COSTLY] + (MAKE_COLLATIONS if mixed else [])], []
    # one for all, for two would not be comparable
    collations = COLLATIONS if mixed else [rng.choice(['"C"', '"und-x-icu"', '"en-x-icu"']) if rng.random() < 0.15 else '']
    for i in range(rng.choice([1, 2, 2, 3])):
        size = rng.choice(sizes)
        maker = TableMaker(rng, 't%d' % (i + 1), size, collations)
        tables.append(maker.make())
        steps += maker.steps
    return steps, tables
