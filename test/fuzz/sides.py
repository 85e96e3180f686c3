"""Relations that stars join in a dimension's place: subqueries, CTEs, VALUES and functions of its columns.

Subqueries are such as PostgreSQL plans by themselves.  Which rows they have depends on no order.
"""
from expressions import INTS
from star_tables import fits
from tables import Column, base_type

EXTREMES = ('int2', 'int4', 'int8', 'text', 'date', 'timestamptz')     # max() of them is of the same type
UNEVEN = ('float4', 'float8', 'numeric')    # equal values can look different


def keys_of(reference):
    return ', '.join('i.' + k.name for k in reference.keys)


def filtered(maker, role):
    """A condition, or none."""
    if maker.rng.random() < 0.7:
        return ''
    own = [Column('i.' + c.name, c.type, c.sums, c.uniform, c.values) for c in role.table.columns]
    return ' WHERE ' + maker.condition(own)


def whole(maker, role, reference, columns):
    return 'SELECT * FROM %s i%s OFFSET 0' % (role.table.name, filtered(maker, role))


def first_of_each(maker, role, reference, columns):
    return 'SELECT DISTINCT ON (%s) * FROM %s i%s ORDER BY %s, i.id' % (
        keys_of(reference), role.table.name, filtered(maker, role), keys_of(reference))


def first_ones(maker, role, reference, columns):
    return 'SELECT * FROM %s i%s ORDER BY i.id, %s LIMIT %d' % (
        role.table.name, filtered(maker, role), keys_of(reference), maker.rng.choice([0, 1, 20, 500]))


def numbered(maker, role, reference, columns):
    columns.append(Column('%s.rn%s' % (role.alias, role.alias), 'int8'))
    return 'SELECT i.*, row_number() OVER (PARTITION BY %s ORDER BY i.id) AS rn%s FROM %s i%s' % (
        keys_of(reference), role.alias, role.table.name, filtered(maker, role))


def two_parts(maker, role, reference, columns):
    where = filtered(maker, role)[7:] or 'i.id % 3 = 0'
    return 'SELECT * FROM {0} i WHERE ({1}) IS TRUE UNION ALL SELECT * FROM {0} i WHERE ({1}) IS NOT TRUE'.format(role.table.name, where)


def grouped(maker, role, reference, columns):
    if any(base_type(k.type) in UNEVEN or k.name == 'id' for k in reference.keys):
        return first_of_each(maker, role, reference, columns)
    keys = [k.name for k in reference.keys]
    shown = [c.name for c in role.table.columns if c.type in EXTREMES and c.name not in keys]
    role.hidden = {c.name for c in role.table.columns if c.name not in keys + shown}
    columns.append(Column('%s.n%s' % (role.alias, role.alias), 'int8'))
    outputs = [keys_of(reference), 'min(i.id) AS id', 'count(*) AS n' + role.alias] + ['max(i.%s) AS %s' % (c, c) for c in shown]
    having = maker.rng.choice(['', '', '', ' HAVING count(*) = 1', ' HAVING min(i.id) > 5'])
    return 'SELECT %s FROM %s i%s GROUP BY %s%s' % (
        ', '.join(outputs), role.table.name, filtered(maker, role), keys_of(reference), having)


def only_keys(role, reference):
    role.hidden = ({'id'} | {c.name for c in role.table.columns}) - {k.name for k in reference.keys}


def values(maker, role, reference, columns):
    """None: there are no literals."""
    rng = maker.rng
    rows = []
    for i in range(rng.choice([1, 3, 10])):
        row = []
        for column, key in zip(reference.columns, reference.keys):
            literals = [v for v in column.values if len(v) < 100 and fits(v, key.type)]
            if not literals and base_type(key.type) in INTS:
                literals = [str(rng.randint(0, 99))]
            if not literals:
                return None
            row.append('%s::%s' % (rng.choice(literals), key.type))
        rows.append(row)
    if rng.random() < 0.9:
        rows = [list(r) for r in sorted({tuple(r) for r in rows})]
    only_keys(role, reference)
    columns.append(Column('%s.m%s' % (role.alias, role.alias), 'int4'))
    texts = ['(%s, %s)' % (', '.join(r), rng.choice(['NULL::int4', str(i), '3'])) for i, r in enumerate(rows)]
    return '(VALUES %s) %s(%s, m%s)' % (', '.join(texts), role.alias, ', '.join(k.name for k in reference.keys), role.alias)


def series(maker, role, reference, columns):
    """None: the key is no integer."""
    rng, key = maker.rng, reference.keys[0]
    if len(reference.keys) > 1 or key.type not in INTS:
        return None
    only_keys(role, reference)
    first = rng.choice([0, 1, -5, 20])
    last = first + rng.choice([-1, 0, 30, 300])
    forms = ['generate_series({}, {})', 'generate_series({}, {}, 3)']
    # other expressions take the column's type to be the key's
    form = rng.choice(forms + ['generate_series({}::int8, {})'] * (key.type == 'int8'))
    return '%s %s(%s)' % (form.format(first, last), role.alias, key.name)


SUBQUERIES = [whole, first_of_each, first_ones, numbered, two_parts, grouped, grouped]
RELATIONS = [values, series]


def make_side(maker, role, reference, columns):
    """What stands in FROM; None: nothing like that for these columns."""
    rng = maker.rng
    role.plain = False
    if rng.random() < 0.25:
        return rng.choice(RELATIONS)(maker, role, reference, columns)
    text = rng.choice(SUBQUERIES)(maker, role, reference, columns)
    if rng.random() < 0.3:
        name = 'cte_' + role.alias
        maker.ctes.append((name, text))
        return '%s %s' % (name, role.alias)
    return '(%s) %s' % (text, role.alias)
