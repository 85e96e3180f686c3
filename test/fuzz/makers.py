"""Forms of expressions by the type of their value: (weight, text, operands).

An operand is a type's name, whose expression comes at its place; a type with
`!`, a literal of it; or a tuple, one of these constants.  A function instead of
text and operands makes the expression itself, from a Generator and a depth.
"""
import functools

from tables import JSON_KEYS, quote

INTS = ['int2', 'int4', 'int8']
FLOATS = ['float4', 'float8']
TEXTS = ['text', 'varchar', 'bpchar']
WIDER = {'int2': ['int2'], 'int4': ['int2', 'int4'], 'int8': INTS}

UNITS = ('microseconds', 'milliseconds', 'second', 'minute', 'hour', 'day', 'week', 'month', 'quarter', 'year', 'decade',
         'century', 'millennium')
DATE_FIELDS = ('day', 'week', 'month', 'quarter', 'year', 'decade', 'century', 'millennium', 'dow', 'isodow', 'doy',
               'isoyear', 'epoch', 'julian')
TIME_FIELDS = DATE_FIELDS + ('microseconds', 'milliseconds', 'second', 'minute', 'hour')
ZONE_FIELDS = TIME_FIELDS + ('timezone', 'timezone_hour', 'timezone_minute')
INTERVAL_FIELDS = ('microseconds', 'milliseconds', 'second', 'minute', 'hour', 'day', 'month', 'quarter', 'year',
                   'decade', 'century', 'millennium', 'epoch')
FIELDS = {'date': DATE_FIELDS, 'timestamp': TIME_FIELDS, 'timestamptz': ZONE_FIELDS, 'interval': INTERVAL_FIELDS}
ZONES = ("'UTC'", "'Europe/Berlin'", "'America/New_York'", "'Australia/Lord_Howe'", "interval '5:30'")
INTERVALS = ("interval '1 day'", "interval '1 month'", "interval '-1 month 3 days'", "interval '36 hours'", "interval '0'",
             "interval '1 year -1 second'", "interval '100 years'", "interval '24:00:00.000001'", "interval '-1 day 1 hour'",
             "interval '300000 years'")
PATTERNS = ("'a%'", "'%b'", "'%o%'", "'_'", "'__%'", "'%\\%%'", "''", "'%'", "'a_c'", "'%ä%'", "'w1%'", "'t%e q_ick%'",
            "'%xx'", "'w_'", "'%a%b%'")
REGEXES = ("'^a'", "'b$'", "'^(a|w).*b'", "'a|é$'", "'^..$'", "'[.]|o'", "'t.e'", "'^$'", "'[a-c]'", "'a+b?'")
LIBM = ('exp', 'ln', 'log', 'cbrt', 'sin', 'cos', 'tan', 'cot', 'asin', 'acos', 'atan', 'sinh', 'cosh', 'tanh', 'asinh', 'acosh', 'atanh')
LENGTHS = ('0', '1', '2', '3', '5', '-1', '-2', '100')


def extracts(chance):
    """extract() and date_part() of each type of times."""
    forms = []
    for type, fields in FIELDS.items():
        forms += [(chance / len(fields), 'extract(%s FROM {0})' % f, (type,)) for f in fields]
        forms += [(chance / len(fields) / 2, "date_part('%s', {0})::numeric" % f, (type,)) for f in fields]
    return forms


def ints(type):
    forms = [(1, '(- {0})', (type,)), (1, 'abs({0})', (type,)), (2, '({0} % {1})', (type, type)),
             (0.3, 'mod({0}, {1})', (type, type)), (0.3, '({0} & {1})', (type, type)), (0.3, '({0} | {1})', (type, type)),
             (0.2, '({0} # {1})', (type, type)), (0.2, '(~ {0})', (type,)),
             (0.2, '({0} << {1})', (type, ('0', '1', '3', '31'))), (0.2, '({0} >> {1})', (type, ('0', '1', '7', '33'))),
             (0.4, '{0}::text::' + type, (type,)), (0.5, "({0} ->> 'v')::" + type, ('jsonb',))]
    if type != 'int2':
        forms += [(0.2, '%s({0}, {1})' % name, (type, type)) for name in ('gcd', 'lcm')]
    for left in WIDER[type]:
        for right in INTS:
            if type in (left, right) and right in WIDER[type]:
                forms += [(w / len(WIDER[type]), '({0} %s {1})' % op, (left, right)) for op, w in zip('+-*/', (2, 2, 2, 1))]
    forms += [(0.7, '{0}::' + type, (source,)) for source in INTS + FLOATS + ['numeric', 'numeric']]
    forms += [(f[0], '(%s)::%s' % (f[1], type), f[2]) for f in extracts(0.5)]
    if type == 'int4':
        forms += [(1, '{0}::int4', ('bool',)), (1, '({0} - {1})', ('date', 'date'))]
        forms += [(0.4, name + '({0})', (t,)) for name in ('length', 'octet_length', 'char_length', 'bit_length') for t in TEXTS]
        forms += [(0.1, 'ascii({0})', ('text',)), (0.1, "strpos({0}, 'a')", ('text',)), (0.1, 'gcd({0}, {1})', ('int4', 'int4')),
                  (0.1, 'sign({0}::numeric)::int4', ('int4',)), (0.6, 'width_bucket({0}, {1}, 7)', ('float8', ('0, 100', '100, 0', '-1, 0.1', '-1e5, 1e6')))]
        forms += [(0.4, 'width_bucket({0}, {1}, 9)', ('numeric', ('0::numeric, 100', '100.5, -3', '-0.01, 0.1'))),
                  (0.4, 'width_bucket({0}, {1})', ('int4', ("'{-5,0,0,7,100}'::int[]", "'{3,1,2}'::int[]", "'{}'::int[]"))),
                  (0.3, 'width_bucket({0}, {1})', ('numeric', ("'{-5,0,0.01,7,100}'::numeric[]",))),
                  (0.3, 'width_bucket({0}, {1})', ('float8', ("'{-5,0,0.5,7,NaN}'::float8[]", "'{9,-1,0}'::float8[]")))]
    return forms


def floats(type):
    forms = [(1, '(- {0})', (type,)), (1, 'abs({0})', (type,))]
    others = ['float4'] if type == 'float4' else FLOATS
    for left in others:
        for right in others:
            if type in (left, right):
                forms += [(w, '({0} %s {1})' % op, (left, right)) for op, w in zip('+-*/', (2, 2, 2, 1.5))]
    forms += [(1, '{0}::' + type, (source,)) for source in INTS + FLOATS + ['numeric']]
    if type == 'float8':
        forms += [(0.6, "({0} ->> 'f')::float8", ('jsonb',)), (0.3, '{0}::text::float8', ('numeric',))]
        forms += [(0.2, name + '({0})', ('float8',)) for name in ('floor', 'ceil', 'round', 'trunc', 'sign', 'sqrt', 'degrees', 'radians')]
        forms += [(0.05, name + '({0})', ('float8',)) for name in LIBM] + [(0.1, 'power({0}, {1})', ('float8', ('2', '-1', '0.5', "'NaN'"))), (0.05, 'atan2({0}, {1})', ('float8', 'float8'))]
        forms += [(f[0] * 1.5, f[1].replace('::numeric', ''), f[2]) for f in extracts(0.5) if 'date_part' in f[1]]
    return forms


def numerics(type):
    forms = [(w, '({0} %s {1})' % op, ('numeric', other)) for op, w in zip('+-*/%', (3, 3, 3, 1.5, 1))
             for other in ('numeric', 'numeric!')]
    forms += [(0.5, '({0} %s {1})' % op, ('numeric', 'int4')) for op in '+-*/']
    forms += [(1, '(- {0})', (type,)), (1, 'abs({0})', (type,)), (0.5, 'mod({0}, {1})', (type, type)),
              (1, 'round({0}, {1})', (type, ('0', '1', '2', '3', '6', '-1', '-2', '-3', '-12'))), (0.7, 'round({0})', (type,)),
              (0.7, 'trunc({0}, {1})', (type, ('0', '1', '2', '6', '-1', '-4'))), (0.7, 'trunc({0})', (type,)),
              (0.7, 'floor({0})', (type,)), (0.7, 'ceil({0})', (type,)), (0.5, 'sign({0})', (type,)),
              (0.3, 'floor({0} / 900)', (type,)), (0.2, 'ceil({0} / 0.07)', (type,)), (0.1, 'floor({0} / 12345.678)', (type,)),
              (0.5, 'div({0}, {1})', (type, type)), (0.2, 'trim_scale({0})', (type,)), (0.2, 'scale({0})::numeric', (type,))]
    forms += [(0.7, '{0}::numeric(%s)' % m, (source,)) for m in ('10,2', '5,1', '20,6', '3,0', '38,10')
              for source in ('numeric', 'int4', 'int8', 'float8')]
    forms += [(0.6, '{0}::numeric', (source,)) for source in INTS + FLOATS]
    forms += [(0.4, "({0} ->> 'f')::numeric(%s)" % m, ('jsonb',)) for m in ('10,2', '5,1', '18,6')]
    return forms + extracts(1)


def dates(type):
    return [(3, '({0} + {1})', ('date', 'int4')), (3, '({0} - {1})', ('date', 'int4')), (2, '{0}::date', ('timestamp',)),
            (2, '{0}::date', ('timestamptz',)), (0.5, 'make_date({0}, {1}, {2})', ('int2', ('1', '2', '12', '13'), ('1', '29', '30', '0'))), (0.3, "to_date({0}, 'YYYY')", (("'2001'", "'x'"),))]


def timestamps(type):
    zoned = type == 'timestamptz'
    forms = [(2, '({0} + {1})', (type, INTERVALS)), (2, '({0} - {1})', (type, INTERVALS)),
             (0.5, '({0} + {1})', (type, 'interval')), (0.3, '({0} - {1})', (type, 'interval')),
             (0.3, '({1} + {0})', (type, INTERVALS)), (0.4, "({0} + {1} * interval '1 second')", (type, 'int4')),
             (0.3, "({0} - interval '90 min' * {1})", (type, 'int2')), (0.3, '({0} + {1} * {2})', (type, 'int2', INTERVALS)),
             (0.6, "date_bin({1}, {0}, {2})", (type, ("'15 minutes'", "'1 day 1 hour'", "'7 days'", "'0.000003 s'"), ("'2001-01-01'", "'1970-01-01 00:07'")))]
    forms += [(3 / len(UNITS), "date_trunc('%s', {0})" % unit, (type,)) for unit in UNITS]
    if zoned:
        forms += [(1 / len(UNITS), "date_trunc('%s', {0}, {1})" % unit, (type, ZONES[:4])) for unit in UNITS]
        forms += [(1, '{0}::timestamptz', ('timestamp',)), (1, '{0}::timestamptz', ('date',)),
                  (0.7, '({0} AT TIME ZONE {1})', ('timestamp', ZONES)), (0.5, 'to_timestamp({0})', ('float8',)), (0.3, 'to_timestamp({0})', ('int4',))]
    else:
        forms += [(1, '{0}::timestamp', ('timestamptz',)), (1, '{0}::timestamp', ('date',)),
                  (0.7, '({0} AT TIME ZONE {1})', ('timestamptz', ZONES)), (1, '({0} + {1})', ('date', INTERVALS)),
                  (1, '({0} - {1})', ('date', INTERVALS)), (0.4, "({0} + time '01:30')", ('date',)), (0.4, '({0} + {1})', ('date', 'time'))]
    return forms


def intervals(type):
    return [(2, '({0} - {1})', ('timestamp', 'timestamp')), (2, '({0} - {1})', ('timestamptz', 'timestamptz')),
            (1, '({0} + {1})', (type, type)), (1, '({0} - {1})', (type, type)), (1, '(- {0})', (type,)),
            (0.5, '({0} * {1})', (type, ('2', '0.5', '-1', '1e9'))), (0.5, '({0} * {1})', (INTERVALS, 'int2')), (0.3, '({1} * {0})', (type, 'int4')), (0.3, '({0} / {1})', (type, ('2', '7', '0'))),
            (0.3, 'justify_hours({0})', (type,)), (0.3, 'justify_interval({0})', (type,)),
            (0.3, 'age({0}, {1})', ('timestamp', 'timestamp')), (0.5, "date_trunc('hour', {0})", (type,)),
            (0.3, 'make_interval(days => {0})', ('int4',))]


def times(type):
    return [(1, '{0}::time', (source,)) for source in ('timestamp', 'timestamptz')]


JSON_NAMES = tuple(quote(k) for k in JSON_KEYS) + ("'no'",)
JSON_PATHS = ("'{a}'", "'{a,b}'", "'{b,a,kind}'", "'{a,0}'", "'{a,1}'", "'{}'", "'{kind}'", "'{a,b,v}'", "'{a,NULL}'", "'{\"\"}'")


def texts(type):
    cast = '' if type == 'text' else '::' + type
    forms = [(2, 'left({0}, {1})' + cast, ('text', LENGTHS)), (2, 'right({0}, {1})' + cast, ('text', LENGTHS)),
             (1, 'substr({0}, {1})' + cast, ('text', LENGTHS)), (1, 'substr({0}, {1}, {2})' + cast, ('text', LENGTHS, LENGTHS)),
             (1, 'substring({0} FROM {1} FOR {2})' + cast, ('text', LENGTHS, LENGTHS)),
             (0.5, "split_part({0}, {1}, {2})" + cast, ('text', ("'a'", "' '", "'é'", "'ab'"), ('1', '2', '3', '-1', '-2'))), (0.3, 'upper({0})' + cast, ('text',)), (0.2, 'lower({0})' + cast, ('text',)),
             (0.3, '({0} || {1})' + cast, ('text', 'text')), (0.2, 'btrim({0})' + cast, ('text',)),
             (0.2, "replace({0}, 'a', 'bb')" + cast, ('text',)), (0.3, '{1}({0}, {2}, {3})' + cast, ('text', ('lpad', 'rpad'), LENGTHS, ("'xy'", "'€'", "''"))), (0.1, 'repeat({0}, {1})' + cast, ('text', LENGTHS)), (0.3, '{1}({0}, {2})' + cast, ('text', ('left', 'right', 'substr'), 'int2')),
             (0.3, "substr({0}, strpos({0}, 'a') + 1)" + cast, ('text',)), (0.3, "left({0}, strpos({0}, 'b') - 1)" + cast, ('text',)),
             (0.3, 'substr({0}, {1}, {2})' + cast, ('text', LENGTHS, 'int2'))]
    forms += [(0.8, '({0} ->> {1})' + cast, ('jsonb', JSON_NAMES)), (0.4, '({0} #>> {1})' + cast, ('jsonb', JSON_PATHS)),
              (0.4, '({0} -> {1} ->> {2})' + cast, ('jsonb', JSON_NAMES[:3], JSON_NAMES))]
    if type == 'bpchar':
        # as wide as the columns, so that equal ones are the same
        forms = [(f[0], f[1].replace('::bpchar', '::char(3)'), f[2]) for f in forms]
        return forms + [(2, '{0}::char(3)', ('text',))]
    forms += [(1, '{0}' + '::' + type, (t,)) for t in TEXTS if t != type]
    return forms + [(0.2, '{0}::' + type, (t,)) for t in INTS + ['bool', 'date', 'uuid', 'numeric']]


def bools(type):
    forms = [(12, lambda g, depth: g.comparison(depth)), (4, '({0} AND {1})', ('bool', 'bool')),
             (4, '({0} OR {1})', ('bool', 'bool')), (2, '(NOT {0})', ('bool',)), (5, lambda g, depth: g.membership(depth)),
             (1, lambda g, depth: g.choice('bool', depth)), (0.3, 'starts_with({0}, {1})', ('text', ("'a'", "'w'", "''"))),
             (0.4, '({0} {1} {2})', ('text', ('~', '!~'), REGEXES)), (0.2, "({0} ILIKE 'A%')", ('text',)), (0.5, '({0}::bool)', ('int4',)),
             (0.2, '(({0}, {1}) < ({2}, {3}))', ('int4', 'date', 'int4', 'date')),
             (0.2, '({0}, {1}) OVERLAPS ({2}, {3})', ('date', 'date', 'date', 'date'))]
    forms += [(0.3, '({0} IS %s)' % test, ('bool',))
              for test in ('TRUE', 'FALSE', 'UNKNOWN', 'NOT TRUE', 'NOT FALSE', 'NOT UNKNOWN')]
    forms += [(0.4, '({0} %s {1})' % op, ('interval', 'interval')) for op in ('=', '<', '>=')]
    forms += [(0.6, '({0} ? {1})', ('jsonb', JSON_NAMES)), (0.4, "({0} ->> 'ok')::bool", ('jsonb',))]
    forms += [(0.5, 'isfinite({0})', (t,)) for t in ('date', 'timestamp', 'timestamptz')]
    forms += [(w, '({0} %s {1})' % like, (t, PATTERNS)) for t in TEXTS for like, w in (('LIKE', 0.6), ('NOT LIKE', 0.3))]
    every = INTS + FLOATS + ['numeric', 'date', 'timestamp', 'timestamptz'] + TEXTS + ['"char"', 'uuid', 'oid', 'interval', 'time', 'money', 'bytea', 'bit',
                                                                             'varbit', 'inet', 'macaddr', 'mood', 'timetz', 'jsonb', 'int4[]']
    for t in every + ['bool']:
        forms += [(0.1, '({0} IS NULL)', (t,)), (0.1, '({0} IS NOT NULL)', (t,)),
                  (0.1, '({0} IS DISTINCT FROM {1})', (t, t)), (0.1, '({0} IS NOT DISTINCT FROM {1})', (t, t))]
    for t in INTS + FLOATS + ['numeric', 'date', 'timestamp', 'timestamptz']:
        forms += [(w / 5, '({0} %s {1} AND {2})' % word, (t, t, t)) for word, w in
                  (('BETWEEN', 1), ('NOT BETWEEN', 1), ('BETWEEN SYMMETRIC', 0.3))]
    forms += [(0.15, "(extract(%s FROM {0}) %s {1})" % (f, op), (t, ('0', '1', '10', '2000', '-1', '1.5')))
              for t, fields in FIELDS.items() for f in fields[::3] for op in ('=', '<', '>=')]
    return forms


BY_TYPE = {'bool': bools, 'numeric': numerics, 'date': dates, 'timestamp': timestamps, 'timestamptz': timestamps,
           'interval': intervals, 'time': times}
BY_TYPE.update({t: ints for t in INTS})
BY_TYPE.update({t: floats for t in FLOATS})
BY_TYPE.update({t: texts for t in TEXTS})


@functools.lru_cache(maxsize=None)
def forms_of(type, common):
    """(the forms for a type, their weights); None if it has none."""
    family = BY_TYPE.get(type)
    forms = family(type) if family else []
    if common:
        forms = [f for f in forms if f[0] > 0.3 or 'DISTINCT FROM' in str(f[1])]
    return ([f[1] if callable(f[1]) else f[1:] for f in forms], [f[0] for f in forms]) if forms else None


def pick(rng, type, common):
    """A form for a type, by the forms' weights; None if there is none."""
    found = forms_of(type, common)
    return rng.choices(*found)[0] if found else None
