"""What a query is made of, so that one sees what a run has tested."""
import re

from queries import CHILD_PLANS

AGGREGATES = ('count|sum|avg|min|max|variance|var_samp|var_pop|stddev|stddev_samp|stddev_pop|bit_and|bit_or|bit_xor|bool_and|'
              'bool_or|every|corr|covar_[a-z]+|regr_[a-z0-9]+|array_agg|string_agg|percentile_cont|percentile_disc|mode|'
              'rank|dense_rank|percent_rank|cume_dist')
PATTERNS = [('expression: ' + name, re.compile(pattern)) for name, pattern in (
    ('CASE', r'\bCASE\b'), ('COALESCE', 'COALESCE'), ('NULLIF', 'NULLIF'), ('GREATEST, LEAST', 'GREATEST|LEAST'),
    ('IS DISTINCT FROM', 'DISTINCT FROM'), ('IS NULL', r'IS (NOT )?NULL'), ('IS TRUE', r'IS (NOT )?(TRUE|FALSE|UNKNOWN)'),
    ('IN, ANY, ALL', r'\b(IN|ANY|ALL) \('), ('BETWEEN', 'BETWEEN'),
    ('ANY, ALL of an array', r"(ANY|ALL) \(('|\$)"), ('LIKE', r'\bLIKE\b'), ('a key of a jsonb', '->> |#>> '), ('date_trunc', 'date_trunc'),
    ('date_trunc of an interval', r'date_trunc[^()]*\([^()]*interval'), ('extract, date_part', r'extract\(|date_part\('),
    ('AT TIME ZONE', 'AT TIME ZONE'), ('+ interval', r"[+-] interval '"), ('::timestamptz', '::timestamptz'),
    ('left, right, substr', r'\b(left|right|substr|substring)\('), ('length', r'\b(length|octet_length|char_length)\('),
    ('round, trunc, floor, ceil', r'\b(round|trunc|floor|ceil)\('), ('::numeric', '::numeric'),
    ('a division', ' / '), ('a parameter', r'\$\d'), ('subquery', r'\(SELECT'))]
CALL = re.compile(r'\b(%s)\((DISTINCT )?' % AGGREGATES)


def features(query):
    text = query.whole()
    found = {'around: ' + query.around, 'rows from: ' + query.kind}
    for name, distinct in CALL.findall(text):
        found.add('aggregate: %s%s' % (name, ' DISTINCT' if distinct else ''))
    found.update(name for name, pattern in PATTERNS if pattern.search(text))
    for given, name in ((query.sets, query.sets.split(' ')[0] if not query.sets.startswith('{') else 'ROLLUP'),
                        (query.distinct, 'SELECT DISTINCT'), (query.having, 'HAVING'), (query.limit, 'LIMIT'),
                        (query.keys and not query.sets, 'GROUP BY or DISTINCT')):
        if given:
            found.add('query: ' + name)
    if query.exact:
        found.add('query: floats compared with exact ones')
        if query.sets:
            found.add('query: floats compared with exact ones, in sets')
    if query.sets and 'grouping(' in text:
        found.add('query: grouping()')
    if 'DISTINCT {' in ''.join(a.form for a in query.aggregates) and any(
            a.form[0].isalpha() and 'DISTINCT' not in a.form for a in query.aggregates):
        found.add('query: aggregates with and without DISTINCT')
    if any(a.form == '{0}' for a in query.aggregates):
        found.add('query: columns that depend on a key')
    if query.zones:
        found.add('query: in several time zones')
    if any(a.filter for a in query.aggregates):
        found.add('query: FILTER')
    for key in query.keys:
        found.add('key: ' + key.type)
        if key.type == 'numeric' and key.operands and query.kind in CHILD_PLANS:
            found.add('key: an expression of type numeric over a child plan')
    for a in query.aggregates:
        if a.argument is not None:
            found.add('argument: ' + a.argument.type)
    return found
