"""Exact aggregates of floats, for comparison with the engines'.

PostgreSQL's own depend on the order of the rows.  What an engine computes of a
group's values does not:

    sum         the exact sum, rounded once to the result's type
    avg         that sum as float8, divided by the number of values
    Sxx         N * sum(x * x) - sum(x) * sum(x), exact and rounded once, divided
                by N; Syy and Sxy alike; NaN where a value is NaN or infinite
    variances, covariances, correlation, regressions
                made of these as PostgreSQL's final functions make them; from 19 on
                guarded against overflow on the way, and regr_avgx and regr_avgy
                are the exact mean, rounded once

So the rows of each group are fetched natively, with the values as bytes, and all
of this is computed with fractions and with Python's floats, which are doubles.
"""
import fractions
import itertools
import math
import re
import struct

from collections import Counter

LARGEST = {'float4': fractions.Fraction(2 ** 24 - 1) * 2 ** 104, 'float8': fractions.Fraction(2 ** 53 - 1) * 2 ** 971}
LEAST = -1074      # the smallest double's exponent
MOST_ROWS = 200000  # for exact aggregates to be computed of
HALF_UNIT = {'float4': fractions.Fraction(2) ** 103, 'float8': fractions.Fraction(2) ** 970}


class Overflow(Exception):
    """A sum that its type does not hold: PostgreSQL's plan answers, or raises an error."""


def value_of(text):
    """The float8 in a bytea's text; None for NULL."""
    return None if text is None else struct.unpack('>d', bytes.fromhex(text[2:]))[0]


def rounded(exact, type):
    """A fraction as the nearest value of the type, ties to even."""
    if abs(exact) >= LARGEST[type] + HALF_UNIT[type]:
        raise Overflow()
    if type == 'float8':
        return exact.numerator / exact.denominator
    # two roundings could differ from one: find the float4 by its last bit
    size = abs(exact)
    if not size:
        return 0.0
    exponent = max(size.numerator.bit_length() - size.denominator.bit_length() - 24, -149)
    unit = fractions.Fraction(2) ** exponent
    while size / unit >= 2 ** 24:
        unit *= 2
    while unit > fractions.Fraction(2) ** -149 and size / unit < 2 ** 23:
        unit /= 2
    return math.copysign(float(round(size / unit) * unit), exact)


def units(value):
    """A double as a number of the smallest one there is, which sums up faster than fractions."""
    number, divisor = value.as_integer_ratio()
    return number << (1 - LEAST - divisor.bit_length())


def exact_total(values):
    return fractions.Fraction(sum(map(units, values)), 2 ** -LEAST)


def total(values, type):
    """The sum of floats; NaN, the infinities and -0 as PostgreSQL has them."""
    infinite = {v for v in values if math.isinf(v)}
    if any(math.isnan(v) for v in values) or len(infinite) == 2:
        return math.nan
    if infinite:
        return infinite.pop()
    if all(v == 0 and math.copysign(1, v) < 0 for v in values):
        return -0.0
    return rounded(exact_total(values), type)


def quotient(a, b):
    """a / b of doubles, also by 0."""
    if b:
        return a / b
    if a == 0 or math.isnan(a) or math.isnan(b):
        return math.nan
    return math.copysign(math.inf, a) * math.copysign(1, b)


def deviations(xs, ys):
    """The sum of (x - avg(x)) * (y - avg(y))."""
    if not all(map(math.isfinite, itertools.chain(xs, ys))):
        return math.nan
    products = fractions.Fraction(sum(units(x) * units(y) for x, y in zip(xs, ys)), 2 ** (-2 * LEAST))
    return rounded(len(xs) * products - exact_total(xs) * exact_total(ys), 'float8') / len(xs)


def average(values):
    return (total(values, 'float8') + 0.0) / len(values)


def variance(name, values):
    """variance and stddev, of samples and of populations."""
    n = len(values)
    if not name.endswith('_pop'):
        n -= 1
    if not n:
        return None
    result = deviations(values, values) / n
    return math.sqrt(result) if name.startswith('stddev') else result


def mean(values):
    """The exact mean, rounded once."""
    if not any(values) or not all(map(math.isfinite, values)):
        return total(values, 'float8')
    return rounded(exact_total(values) / len(values), 'float8')


def out_of_range(number):
    return number == 0 or math.isinf(number)


def correlation(xx, yy, xy, guarded):
    if not guarded:
        return quotient(xy, math.sqrt(xx * yy))
    root = math.sqrt(xx) * math.sqrt(yy) if out_of_range(xx * yy) else math.sqrt(xx * yy)
    # not max() and min() alone, which take NaN for a number
    return xy if math.isnan(xy) else max(-1.0, min(1.0, quotient(xy, root)))


def determination(xx, yy, xy, guarded):
    if yy == 0:
        return 1.0
    if not guarded:
        return quotient(xy * xy, xx * yy)
    if out_of_range(xy * xy) or out_of_range(xx * yy):
        square = quotient(xy, math.sqrt(xx) * math.sqrt(yy)) ** 2
    else:
        square = quotient(xy * xy, xx * yy)
    return 1.0 if square > 1 else square


def proportion(a, b, c, guarded):
    """a * b / c"""
    value = a * b / c
    if not guarded or not out_of_range(value) or not all(map(math.isfinite, (a, b, c))):
        return value
    (a, i), (b, j), (c, k) = map(math.frexp, (a, b, c))
    try:
        return math.ldexp(a * b / c, i + j - k)
    except OverflowError:
        return math.copysign(math.inf, a * b / c)


def pair(name, ys, xs, guarded):
    """What PostgreSQL computes of the rows that have both a y and an x; guarded: from 19 on."""
    n = len(xs)
    if name == 'regr_count':
        return n
    if not n or (name == 'covar_samp' and n == 1):
        return None
    if name in ('regr_avgx', 'regr_avgy'):
        return (mean if guarded else average)(xs if name == 'regr_avgx' else ys)
    xy = deviations(xs, ys)
    if name in ('covar_pop', 'covar_samp', 'regr_sxy'):
        return xy if name == 'regr_sxy' else xy / (n if name == 'covar_pop' else n - 1)
    xx, yy = deviations(xs, xs), deviations(ys, ys)
    if name in ('regr_sxx', 'regr_syy'):
        return xx if name == 'regr_sxx' else yy
    if xx == 0 or (name == 'corr' and yy == 0):
        return None
    return {'corr': lambda: correlation(xx, yy, xy, guarded),
            'regr_r2': lambda: determination(xx, yy, xy, guarded),
            'regr_slope': lambda: quotient(xy, xx),
            'regr_intercept': lambda: (total(ys, 'float8') + 0.0 - proportion(total(xs, 'float8') + 0.0, xy, xx,
                                                                              guarded)) / n}[name]()


def distinct(values):
    """Each value once; all NaN are equal, and so are 0 and -0."""
    found = {v for v in values if not math.isnan(v)}
    return list(found) + [math.nan] * any(map(math.isnan, values))


class Exact:
    """An aggregate that the oracle knows: its function, arguments and filter, as texts.

    type: float4 or float8, the argument's, of which sum is one as well.
    guarded: the server is PostgreSQL 19 or later.
    """
    guarded = False

    def __init__(self, name, type, arguments, condition='', distinct=False):
        self.name = name
        self.type = type
        self.arguments = arguments
        self.condition = condition
        self.distinct = distinct

    def columns(self):
        """Expressions for the arguments' bytes, NULL in rows that the aggregate does not take in."""
        for argument in self.arguments:
            value = 'float8send((%s)::float8)' % argument
            yield 'CASE WHEN %s THEN %s END' % (self.condition, value) if self.condition else value

    def result_type(self):
        return self.type if self.name == 'sum' else 'float8'

    def value(self, rows):
        """Over rows of its arguments; None for NULL."""
        rows = [r for r in rows if None not in r]
        values = [r[0] for r in rows]
        if len(self.arguments) == 2:
            return pair(self.name, values, [r[1] for r in rows], self.guarded)
        if self.distinct:
            values = distinct(values)
        if self.name == 'count':
            return len(values)
        if not values:
            return None
        if self.name == 'sum':
            return total(values, self.type)
        return average(values) if self.name == 'avg' else variance(self.name, values)

    def shown(self, number):
        """A value in a form that tells -0 from 0, which DISTINCT does not."""
        if number is None:
            return None
        return repr(number + 0.0 if self.distinct and number == 0 else float(number))

    def shown_text(self, text):
        """The same of what a server sends: a float4's text is the shortest that gives it as a float4."""
        if text is None:
            return None
        number = float(text)
        if self.result_type() == 'float4' and math.isfinite(number):
            number = struct.unpack('f', struct.pack('f', number))[0]
        return self.shown(number)

    def __str__(self):
        return '%s(%s%s)' % (self.name, 'DISTINCT ' * self.distinct, ', '.join(self.arguments))


def grouping_sets(form, count):
    """The sets, as tuples of the keys' numbers, that what follows GROUP BY means."""
    def numbers(text):
        return tuple(map(int, re.findall(r'\{(\d+)\}', text)))

    if not form:
        return [tuple(range(count))]
    first, keyword, rest = re.match(r'(.*?)(ROLLUP|CUBE|GROUPING SETS) \((.*)\)$', form).groups()
    if keyword == 'GROUPING SETS':
        sets = [numbers(part) for part in re.findall(r'\([^()]*\)', rest)]
    else:
        keys = numbers(rest)
        sets = [keys[:i] for i in range(len(keys) + 1)] if keyword == 'ROLLUP' else [
            s for i in range(len(keys) + 1) for s in itertools.combinations(keys, i)]
    return [numbers(first) + s for s in sets]


class FloatOracle:
    """The oracle of one query: of its keys, and of its aggregates (Exact)."""

    def __init__(self, keys, sets, source, where, aggregates, ctes=''):
        self.keys = keys
        self.sets = grouping_sets(sets, len(keys))
        self.aggregates = aggregates
        columns = list(keys)
        self.places = []
        for a in aggregates:
            self.places.append(slice(len(columns), len(columns) + len(a.arguments)))
            columns += a.columns()
        self.rows = '%sSELECT %s FROM %s%s LIMIT %d' % (
            ctes, ', '.join(columns), source, ' WHERE ' + where if where else '', MOST_ROWS + 1)

    def groups(self, rows):
        """The groups of all sets: lists of (keys' values, rows)."""
        same = [self.keys.index(k) for k in self.keys]
        for number in self.sets:
            number = sorted({same[i] for i in number})
            found = {} if number else {(): []}
            for row in rows:
                found.setdefault(tuple(row[i] for i in number), []).append(row)
            for values, members in found.items():
                of = dict(zip(number, values))
                yield tuple(of.get(i) for i in same), members

    def expected(self, rows):
        """Of fetched rows: a Counter of rows as differs() makes them of the engine's."""
        count = len(self.keys)
        rows = [row[:count] + tuple(map(value_of, row[count:])) for row in rows]
        return Counter(keys + tuple(a.shown(a.value([m[place] for m in members]))
                                    for a, place in zip(self.aggregates, self.places))
                       for keys, members in self.groups(rows))

    def differs(self, fetched, ours):
        """How an engine's rows differ from the exact ones, or None."""
        count = len(self.keys)
        try:
            want = self.expected(fetched)
        except Overflow:
            return 'a sum of floats that its type does not hold'
        have = Counter(row[:count] + tuple(a.shown_text(text) for a, text in zip(self.aggregates, row[count:]))
                       for row in ours)
        if have != want:
            return 'surplus rows %s, exact ones missing %s of %s' % (
                list((have - want).elements())[:3], list((want - have).elements())[:3], ', '.join(map(str, self.aggregates)))
        return None
