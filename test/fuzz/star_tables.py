"""Tables of stars and snowflakes: a fact, and dimensions that it, or each other, refer to."""
import re

from dataclasses import dataclass, field
from tables import (INT_LIMITS, MAKE_COSTLY, MAKE_MOODS, NEIGHBOURS, SUPPORTED, Column, Insert, Pool, Sql, TableMaker, base_type,
                    modifier_of, quote, random_value)

FACT_SIZES = [60, 300, 1000, 1000, 2500]
READER = 'fuzz_reader'      # whom row security hides rows from
# types by which tables are joined, the first ones in engines
JOINED = ['int2', 'int4', 'int4', 'int8', 'text', 'varchar', 'char(3)', 'date', 'varchar(5)', 'bool', '"char"', 'timestamptz',
          'mood', 'oid', 'uuid', 'uuid', 'numeric(10,2)', 'numeric(10,2)', 'numeric(8,3)', 'numeric', 'float8', 'inet']
# the same of most joins
LIKELY = ('int2', 'int4', 'int8', 'text', 'varchar', 'bpchar', 'date', 'uuid', 'bool', 'numeric')
KEYED = {base_type(t) for t in JOINED}
MAKE_COLLATION = "CREATE COLLATION loosely (provider = icu, locale = 'und-u-ks-level2', deterministic = false)"
LOOSELY = 'text COLLATE loosely'    # a type's name of its own, so that no expression compares it with other texts
# Sets of what is unique by a dimension's keys; {t}, {k}, {c} its columns, {first} the first one.
INDEXES = [(40, 'ALTER TABLE {t} ADD PRIMARY KEY ({k})'), (30, 'CREATE UNIQUE INDEX ON {t} ({k})'),
           (5, 'CREATE UNIQUE INDEX ON {t} ({k}) INCLUDE (id)'), (4, 'CREATE UNIQUE INDEX ON {t} ({k}) WHERE {first} IS NOT NULL'),
           (2, 'ALTER TABLE {t} ADD UNIQUE ({k}) DEFERRABLE'), (3, 'CREATE UNIQUE INDEX ON {t} (({first} || \'\'))'),
           (12, '')]
# What happens to a dimension between queries: {c} a column.
CHANGES = ['UPDATE {t} SET {c} = {c} WHERE id % 3 = 0', 'UPDATE {t} SET {c} = NULL WHERE id % 5 = 1',
           'DELETE FROM {t} WHERE id % 7 = 2', 'BEGIN; DELETE FROM {t}; ROLLBACK', 'VACUUM {t}', 'VACUUM ANALYZE {t}',
           'VACUUM (FREEZE) {t}', 'VACUUM FULL {t}', 'ANALYZE {t}', 'TRUNCATE {t}',
           'ALTER TABLE {t} ADD COLUMN more int4 DEFAULT 5', 'ALTER TABLE {t} DROP COLUMN IF EXISTS more',
           'DELETE FROM {t} WHERE id % 2 = 0; VACUUM {t}', 'UPDATE {t} SET id = id + 1; VACUUM {t}']
CHANGE_WEIGHTS = [3, 3, 2, 3, 8, 8, 3, 1, 2, 0.3, 1, 1, 1, 2]


@dataclass
class Reference:
    """A way to join a dimension: columns of the parent that its keys are values of."""
    parent: object              # a Table
    columns: list               # Column of the parent
    keys: list                  # Column of the dimension


@dataclass
class Dimension:
    table: object
    references: list = field(default_factory=list)
    primary: bool = False       # its keys are its primary key


class FactMaker(TableMaker):
    """A table many of whose columns can be joined by."""

    def new_column(self):
        rng = self.rng
        column = super().new_column()
        if rng.random() < 0.5:
            column.type = type = rng.choice(JOINED)
            sums = ['exact', 'small'] if type in INT_LIMITS else ['even', 'tame'] if type == 'numeric' else ['']
            column.sums = 'exact' if type == 'float8' else rng.choice(sums)
            column.uniform = type != 'numeric'
            self.pools[column.name] = Pool(rng, type, column.sums)
            column.values = self.pools[column.name].values
        return column

    def rows_of(self, columns):
        """Literals that rows have in these columns, as tuples without NULL."""
        found = []
        for step in self.steps:
            if isinstance(step, Insert):
                places = [step.columns.index(c.name) for c in columns if c.name in step.columns]
                if len(places) == len(columns):
                    found += [tuple(row[p] for p in places) for row in step.rows]
        return sorted({row for row in found if 'NULL' not in row})


def fits(literal, type):
    """Is a parent's value one of the key's type?"""
    text = literal[1:-1] if literal.startswith("'") else literal
    if type in INT_LIMITS:
        return re.fullmatch(r'-?\d+', text) and -INT_LIMITS[type] <= int(text) < INT_LIMITS[type]
    precision, scale = modifier_of(type)
    if precision is not None:
        return text == 'NaN' or abs(float(text)) < 10.0 ** (precision - scale) - 1
    size = {'varchar(5)': 5, 'char(3)': 3, 'char(5)': 5}.get(type)
    return size is None or len(text) <= size


class DimensionMaker(FactMaker):
    """A dimension of what another table's maker has made."""

    def key_type(self, type):
        """The type of a key for a parent's column."""
        rng = self.rng
        others = {'int2': list(INT_LIMITS), 'int4': list(INT_LIMITS), 'int8': list(INT_LIMITS), 'text': ['varchar', 'text'],
                  'varchar': ['text', 'varchar'], 'varchar(5)': ['text', 'varchar', 'varchar(5)'],
                  'char(3)': ['char(3)', 'char(5)', 'char(3)', 'text'], 'date': ['date', 'date', 'date', 'timestamp'],
                  'numeric(10,2)': ['numeric(12,5)', 'numeric(9,1)', 'numeric'], 'numeric(8,3)': ['numeric(10,2)', 'numeric(25,6)', 'numeric'],
                  'numeric': ['numeric(10,2)', 'numeric(18,4)']}
        return rng.choice(others[type]) if type in others and rng.random() < 0.4 else type

    def value_column(self):
        rng = self.rng
        column = self.new_column()
        if rng.random() < 0.15:
            column.type = rng.choice(NEIGHBOURS + [LOOSELY, 'numeric', 'interval', 'float4', 'float8'])
            column.sums, column.uniform = '', column.type not in ('numeric', 'interval')
            self.pools[column.name] = Pool(rng, 'text' if column.type == LOOSELY else column.type, '')
            column.values = self.pools[column.name].values
        elif rng.random() < 0.2 and column.type in SUPPORTED:
            # few, so that groups are larger
            pool = self.pools[column.name]
            pool.values = column.values = pool.values[:3]
        return column

    def renamed(self, column):
        """Names differ from those of all other tables, so that USING takes but its own."""
        pool = self.pools.pop(column.name)
        column.name = self.table.name + column.name
        self.pools[column.name] = pool
        return column

    def key_rows(self, parent, columns, types):
        """The dimension's keys: some of the parent's values, and such as it has not."""
        rng = self.rng
        rows = [r for r in parent.rows_of(columns) if all(fits(v, t) and len(v) < 500 for v, t in zip(r, types))]
        kind = rng.random()
        if kind < 0.04:
            return []
        if kind < 0.08:
            return rows[:1]
        share = rng.choice([1, 1, 0.8, 0.8, 0.5, 0.1])
        rows = [r for r in rows if rng.random() < share][:rng.choice([50, 400, 400, 2000])]
        for _ in range(rng.choice([0, 0, 3, 30])):
            rows.append(tuple(quote(random_value(rng, 'char(3)' if t == 'char(5)' else t)) for t in types))
        rng.shuffle(rows)
        return rows

    def join(self, parent, count):
        """Keys of so many of the parent's columns; None if it has none."""
        rng = self.rng
        candidates = [c for c in [Column('id', 'int4')] + parent.table.columns if base_type(c.type) in KEYED]
        if rng.random() < 0.85:
            likely = [c for c in candidates if base_type(c.type) in LIKELY]
            candidates = likely or candidates
        columns = rng.sample(candidates, min(count, len(candidates)))
        types = [self.key_type(c.type) for c in columns]
        keys = []
        for type in types:
            self.counter += 1
            column = Column('%sk%d' % (self.table.name, self.counter), type, uniform=type != 'numeric', collation=self.collation())
            self.pools[column.name] = Pool(rng, 'char(3)' if type == 'char(5)' else type, '')
            keys.append(column)
        return Reference(parent.table, columns, keys), self.key_rows(parent, columns, types)

    def make(self, parent):
        """Its Dimension, and the steps."""
        rng, name = self.rng, self.table.name
        reference, rows = self.join(parent, rng.choice([1, 1, 1, 1, 1, 2, 2, 3]))
        values = [self.renamed(self.value_column()) for _ in range(rng.choice([0, 1, 2, 2, 3, 5]))]
        self.table.columns = reference.keys + values if rng.random() < 0.7 else values + reference.keys
        nulls = rng.random() < 0.15
        self.create_dimension(reference)
        data = []
        for i, row in enumerate(rows):
            row = [('NULL' if nulls and rng.random() < 0.1 else v) for v in row]
            data.append([str(i)] + row + [self.pools[c.name].pick(rng) for c in values])
        if data:
            self.steps.append(Insert(name, ['id'] + [c.name for c in reference.keys + values], data))
        self.table.rows = len(data)
        dimension = Dimension(self.table, [reference])
        self.finish(dimension, reference)
        return dimension

    def declared(self, column):
        return column.type if column.type == LOOSELY else super().declared(column)

    def create_dimension(self, reference):
        rng, name = self.rng, self.table.name
        kind = rng.random()
        self.sql('CREATE %sTABLE %s (%s)%s' % (
            'UNLOGGED ' if kind < 0.05 else '', name, self.definitions(self.table.columns),
            ' PARTITION BY HASH (%s)' % reference.keys[0].name if kind > 0.95 else ''))
        if kind > 0.95:
            for i in range(2):
                self.sql('CREATE TABLE %s_%d PARTITION OF %s FOR VALUES WITH (MODULUS 2, REMAINDER %d)' % (name, i, name, i))

    def finish(self, dimension, reference):
        """What makes it unique, or not; statistics; row security."""
        rng, name = self.rng, self.table.name
        keys = [k.name for k in reference.keys]
        same = ' AND '.join('a.%s = b.%s' % (k, k) for k in keys)
        self.sql('DELETE FROM %s a USING %s b WHERE a.id > b.id AND %s' % (name, name, same))
        _, index = rng.choices(INDEXES, [i[0] for i in INDEXES])[0]
        if '||' in index and base_type(reference.keys[0].type) not in ('text', 'varchar'):
            index = ''
        dimension.primary = 'PRIMARY' in index
        if dimension.primary:
            self.sql('DELETE FROM %s WHERE %s' % (name, ' OR '.join(k + ' IS NULL' for k in keys)))
        if index:
            self.sql(index.format(t=name, k=', '.join(keys), first=keys[0]))
        if rng.random() < 0.85:
            self.sql(rng.choice(['ANALYZE ', 'VACUUM ANALYZE ', 'VACUUM ANALYZE ', 'VACUUM ANALYZE ']) + name)
        if not index and rng.random() < 0.5:
            # what is there twice
            self.sql('INSERT INTO %s SELECT * FROM %s LIMIT 2' % (name, name))
        if rng.random() < 0.15:
            secure(self)


def secure(maker):
    """Hide some rows from the reader."""
    name = maker.table.name
    maker.sql('ALTER TABLE %s ENABLE ROW LEVEL SECURITY' % name)
    maker.sql('CREATE POLICY p ON %s USING (%s)' % (name, maker.rng.choice(
        ['id % 4 <> 1', 'id < 100', 'true', "id <> length(current_user)", 'id IN (SELECT 3)'])))


def star_settings(rng):
    """What else sessions of a seed have set; each time all of it."""
    joins = ['enable_hashjoin', 'enable_nestloop', 'enable_mergejoin']
    without = rng.choice(joins) if rng.random() < 0.2 else ''
    collapse = rng.choice([(1, 8), (8, 1)]) if rng.random() < 0.1 else (8, 8)
    return ["SET work_mem = '%s'" % rng.choice(['64kB', '1MB', '4MB', '4MB', '4MB', '4MB', '4MB']),
            *['SET %s = %s' % (j, 'off' if j == without else 'on') for j in joins],
            'SET join_collapse_limit = %d' % collapse[0], 'SET from_collapse_limit = %d' % collapse[1],
            'SET geqo_threshold = %d' % (2 if rng.random() < 0.05 else 12),
            'SET enable_partitionwise_join = %s' % ('on' if rng.random() < 0.15 else 'off'),
            'SET ROLE %s' % (READER if rng.random() < 0.15 else 'NONE')]


def dimension_change(rng, dimensions):
    """Statements that change a dimension."""
    dimension = rng.choice(dimensions).table
    text = rng.choices(CHANGES, CHANGE_WEIGHTS)[0]
    return text.format(t=dimension.name, c=rng.choice(dimension.columns).name).split('; ')


def make_star(rng):
    """(steps, the fact's Table, dimensions)."""
    steps = [Sql(text) for text in MAKE_MOODS + [MAKE_COSTLY, MAKE_COLLATION, 'CREATE ROLE ' + READER]]
    collations = [rng.choice(['"C"', '"und-x-icu"']) if rng.random() < 0.15 else '']
    fact = FactMaker(rng, 't1', rng.choice(FACT_SIZES), collations)
    fact.make()
    if rng.random() < 0.1:
        secure(fact)
    if rng.random() < 0.8:
        fact.sql('VACUUM ANALYZE t1')
    steps += fact.steps
    makers, dimensions = [fact], []
    for i in range(rng.randint(2, 5)):
        maker = DimensionMaker(rng, 'd%d' % (i + 1), 0, collations)
        parent = fact if len(makers) == 1 or rng.random() < 0.7 else rng.choice(makers[1:])
        dimensions.append(maker.make(parent))
        makers.append(maker)
        steps += maker.steps
    if fact.table.primary:
        # the fact by its own key
        columns = [c for c in fact.table.columns if c.type in INT_LIMITS] or [Column('id', 'int4')]
        dimensions.append(Dimension(fact.table, [Reference(fact.table, [rng.choice(columns)], [Column('id', 'int4')])]))
    steps += [Sql('GRANT USAGE ON SCHEMA fuzz TO ' + READER), Sql('GRANT ALL ON ALL TABLES IN SCHEMA fuzz TO ' + READER),
              Sql('GRANT SET ON PARAMETER gpuagg.inject_failure TO ' + READER)]
    return steps, fact.table, dimensions
