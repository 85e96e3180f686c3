"""Exact sums of floats, for comparison with the engines'.

PostgreSQL's own sums depend on the order of the rows.  An engine's sum is the
exact one, rounded once to the result's type, and its average that sum, rounded
to float8, divided by the number of values.  So the rows of each group are
fetched natively, with the values as bytes, and added up as fractions.
"""
import fractions
import math
import struct

from collections import Counter

LARGEST = {'float4': fractions.Fraction(2 ** 24 - 1) * 2 ** 104, 'float8': fractions.Fraction(2 ** 53 - 1) * 2 ** 971}
HALF_UNIT = {'float4': fractions.Fraction(2) ** 103, 'float8': fractions.Fraction(2) ** 970}


class Overflow(Exception):
    """A sum that its type does not hold: PostgreSQL's plan answers, or raises an error."""


def value_of(text):
    """The float8 in a bytea's text."""
    return struct.unpack('>d', bytes.fromhex(text[2:]))[0]


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


def total(values, type):
    """The sum of floats; NaN and the infinities as PostgreSQL has them."""
    infinite = {v for v in values if math.isinf(v)}
    if any(math.isnan(v) for v in values) or len(infinite) == 2:
        return math.nan
    if infinite:
        return infinite.pop()
    return rounded(sum(map(fractions.Fraction, values), fractions.Fraction(0)), type)


def aggregate(name, type, values):
    """sum's or avg's value over these, None for none."""
    values = [v for v in values if v is not None]
    if not values:
        return None
    if name == 'sum':
        return total(values, type)
    return total(values, 'float8') / len(values)


def same(number, text):
    """Is the text that value?  -0 is 0."""
    if number is None or text is None:
        return number is None and text is None
    shown = float(text)
    return number == shown or (math.isnan(number) and math.isnan(shown))


def round_shown(number, type):
    """A float4's text is the shortest that gives it as a float4."""
    return number if number is None or type == 'float8' or math.isnan(number) else struct.unpack(
        'f', struct.pack('f', number))[0]


class FloatSums:
    """The oracle of one query: of its keys, and of sums and averages.

    sums: (name, type, argument, filter) of each aggregate, as texts.
    """

    def __init__(self, keys, source, where, sums):
        self.keys = keys
        self.sums = sums
        columns = list(keys)
        for _, _, argument, condition in sums:
            value = 'float8send((%s)::float8)' % argument
            columns.append('CASE WHEN %s THEN %s END' % (condition, value) if condition else value)
        self.rows = 'SELECT %s FROM %s%s' % (', '.join(columns), source, ' WHERE ' + where if where else '')

    def expected(self, rows):
        """{keys: the aggregates' values} of fetched rows."""
        groups = {} if self.keys else {(): []}
        for row in rows:
            groups.setdefault(row[:len(self.keys)], []).append(row[len(self.keys):])
        return {key: [aggregate(name, type, [None if r[i] is None else value_of(r[i]) for r in members])
                      for i, (name, type, _, _) in enumerate(self.sums)] for key, members in groups.items()}

    def differs(self, fetched, ours):
        """How an engine's rows differ from the exact ones, or None."""
        try:
            want = self.expected(fetched)
        except Overflow:
            return None
        have = Counter(row[:len(self.keys)] for row in ours)
        if have != Counter(want.keys()):
            return 'groups %s, natively %s' % (list(have)[:3], list(want)[:3])
        for row in ours:
            values = want[row[:len(self.keys)]]
            for (name, type, argument, _), number, text in zip(self.sums, values, row[len(self.keys):]):
                result = type if name == 'sum' else 'float8'
                shown = None if text is None else repr(round_shown(float(text), result))
                if not same(number, shown):
                    return '%s(%s) of %s is %s, exactly %s' % (name, argument, row[:len(self.keys)], text, number)
        return None
