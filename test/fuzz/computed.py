"""Random queries with expressions that PostgreSQL computes once for each distinct value of a column."""
from aggregate import Aggregate
from expressions import INTS, TEXTS, Expr, Generator
from queries import Query, QueryMaker
from tables import NONDETERMINISTIC, base_type

# of a column: (text, its type); what can raise an error is marked by its type's `?`
OF_TEXTS = [('lower({0})', 'text'), ('upper({0})', 'text'), ('initcap({0})', 'text'), ('reverse({0})', 'text'),
            ('left(md5({0}), 1)', 'text'), ("({0} || '!')", 'text'), ("replace({0}, 'a', 'bb')", 'text?'), ("({0} || lower({0}) > 'b')", 'bool'), ("regexp_replace({0}, '[a-m]', '#')", 'text'),
            ("translate({0}, 'abw', 'xy')", 'text'), ("lpad({0}, 4, '*')", 'text?'), ('length(upper({0}))', 'int4'),
            ('ascii(reverse({0}))', 'int4'), ('length({0})::text::int4', 'int4?'), ('repeat({0}, 2)::varchar(3)', 'varchar'),
            ("({0} ILIKE '%a%')", 'bool'), ("({0} ~ '[b-k]')", 'bool'), ("(lower({0}) < 'k')", 'bool'),
            ("({0} < 'm' COLLATE \"en-x-icu\")", 'bool'), ("(lower({0}) IN ('a', 'b', 'w1', ''))", 'bool'),
            ("({0} NOT IN (SELECT x FROM (VALUES ('a'), ('w1'), ('B')) v (x)))", 'bool'), ("concat({0}, '-')", 'text'),
            ("coalesce(upper({0}), 'none')", 'text')]
OF_INTS = [('to_hex({0})', 'text'), ('{0}::text', 'text'), ("to_char({0}, 'FM099')", 'text'), ("({0}::text || 'x')", 'text'),
           ('reverse({0}::text)', 'text'), ('length({0}::text)', 'int4'), ("({0}::text LIKE '%1')", 'bool'), ("({0} || '0' < '5')", 'bool'),
           ('(100 / {0})::text', 'text?'), ('left({0}::text, 2)::int4', 'int4?'),
           ('({0} NOT IN (SELECT g FROM generate_series(0, 7) g))', 'bool'), ("concat('x', {0})", 'text'),
           ('({0} IN (SELECT nullif(g, 3) FROM generate_series(0, 7) g))', 'bool')]
OF_TIMES = [("to_char({0}, 'YYYY-MM')", 'text'), ("to_char({0}, 'Dy HH24')", 'text'), ("to_char({0}, 'FMDay HH12:MI PM, IYYY-IW')", 'text'),
            ("upper(to_char({0}, 'mon bc'))", 'text'), ("to_char(date_trunc('hour', {0}), 'HH24')", 'text'), ('{0}::text', 'text'),
            ("to_char({0}, 'HH24:MI')", 'text'), ("(to_char({0}, 'FMHH12 am') IN ('3 am', '12 pm'))", 'bool'), ("(to_char({0}, 'Dy') > 'S')", 'bool'),
            ("to_char({0}, 'DDD')::int4", 'int4?'), ("(to_char({0}, 'MM') < '07')", 'bool')]
OF_ANY = [('{0}::text', 'text'), ('reverse({0}::text)', 'text'), ('length({0}::text)', 'int4'), ("({0}::text LIKE '%1%')", 'bool'),
          ("left({0}::text, 1)", 'text')]
FORMS = {'text': OF_TEXTS, 'varchar': OF_TEXTS, 'bpchar': OF_TEXTS, 'int2': OF_INTS[1:], 'int4': OF_INTS, 'int8': OF_INTS,
         'date': OF_TIMES, 'timestamp': OF_TIMES, 'timestamptz': OF_TIMES, 'bool': OF_ANY, 'uuid': OF_ANY, 'mood': OF_ANY,
         'oid': OF_ANY, 'time': OF_ANY,
         'numeric': OF_ANY + [("to_char({0}, 'FM9990.09')", 'text'), ('(100 / {0})::text', 'text?')],
         'inet': OF_ANY + [('host({0})', 'text'), ('masklen({0}::cidr)', 'int4?')],
         'bytea': OF_ANY + [("encode({0}, 'hex')", 'text'), ('md5({0})', 'text')]}
OWN_COLLATIONS = ['', '', '', ' COLLATE "C"', ' COLLATE "en-x-icu"', ' COLLATE phonebook', ' COLLATE punctuation', ' COLLATE of_libc']
# of texts of a nondeterministic collation: what is the same for all that are equal
OF_EQUAL = ["({0} = 'A')", "({0} <> 'b')", "({0} < 'b')", "({0} IN ('AB', 'Ä', ''))", '({0} IS NULL)',
            "({0} IN ('a', 'W1', 'c', 'd', 'e', 'f', 'G', 'h', 'i', 'j', 'k', 'l', 'm', 'n', 'o', 'p', 'q', 'r', 'äb'))",
            "({0} IS DISTINCT FROM 'Ab')", "coalesce({0} = 'w2', false)"]


class ComputedMaker(QueryMaker):
    """Makes such queries only, over one table or a join by its id."""

    def computed(self, columns, *types):
        """An expression of one of these types, or of any; None if no column has one."""
        rng = self.rng
        found = [(c, f) for c in columns for f in FORMS.get(base_type(c.type), [])
                 if (f[1].rstrip('?') in types or not types) and (f[1][-1] != '?' or rng.random() < 0.2)]
        if not found:
            return None
        column, (form, type) = rng.choice(found)
        return Expr(type.rstrip('?'), form, Expr(column.type, column.name))

    def of_two(self, columns):
        """A text of two columns, which may be one."""
        known = [c for c in columns if base_type(c.type) in FORMS] or columns
        pair = [Expr(c.type, c.name) for c in self.rng.choices(known, k=2)]
        return Expr('text', self.rng.choice(["lower({0}::text || {1}::text)", "md5({0}::text || '-' || {1}::text)"]), *pair)

    def of_one_collation(self, columns):
        """Columns whose texts can be compared."""
        texts = [c for c in columns if base_type(c.type) in TEXTS]
        chosen = self.rng.choice(sorted({c.collation for c in texts}) or [''])
        return [c for c in columns if c not in texts or c.collation in ('', chosen)]

    def make_equal(self, query, equal):
        """Groups and conditions by texts of which equal ones can differ."""
        rng = self.rng
        text = lambda: Expr('text', rng.choice(equal).name)
        truth = lambda: Expr('bool', rng.choice(OF_EQUAL), text())
        for i in range(rng.choice([0, 1, 1, 2])):
            query.keys.append(rng.choice([text, truth, lambda: Expr('int4', '(t.id % 3)')])())
            if query.keys[-1].type == 'text':
                # which of its texts a group shows is open
                query.dress[i] = rng.choice(OF_EQUAL).replace('{0}', '{}')
        forms = [Aggregate('count(*)'), Aggregate('count({0})', text()), Aggregate('count(DISTINCT {0})', text()),
                 Aggregate('sum({0})', Expr('int4', 't.id')), Aggregate('bool_or({0})', truth())]
        query.aggregates = [rng.choice(forms) for _ in range(rng.choice([1, 1, 2]))]
        if rng.random() < 0.3:
            query.aggregates.append(Aggregate('count(*)', filter=truth()))
        query.where = [truth() for _ in range(rng.choice([0, 0, 1]))]
        return query

    def key(self, columns):
        rng = self.rng
        if columns and rng.random() < 0.15:
            return self.of_two(columns)
        key = self.computed(columns)
        kind = rng.random()
        if key is None or kind < 0.15:
            return Generator(rng, columns).key()
        if key.type == 'text' and kind < 0.25:
            return Expr('text', "coalesce({0}, 'none')", key)
        if kind < 0.32:
            other = self.computed(columns, key.type) or key
            return Expr(key.type, 'CASE WHEN {0} IS NULL THEN {1} ELSE {0} END', key, other)
        if key.type == 'text' and kind < 0.4:
            return Expr('text', '({0} || {1})', key, self.computed(columns, 'text'))
        return key

    def aggregate(self, columns):
        rng = self.rng
        number, text, truth = (self.computed(columns, t) for t in ('int4', 'text', 'bool'))
        forms = [Aggregate('count(*)')]
        if number:
            forms += [Aggregate(f, number) for f in ('sum({0})', 'max({0})', 'count(DISTINCT {0})', 'avg({0})',
                                                     'percentile_disc(0.5) WITHIN GROUP (ORDER BY {0})')]
        if text:
            forms += [Aggregate('count({0})', text), Aggregate('count(DISTINCT {0})', text)]
            forms += [Aggregate('%s({0}%s)' % (rng.choice(['min', 'max']), c), text) for c in OWN_COLLATIONS]
        if truth:
            forms += [Aggregate('bool_or({0})', truth), Aggregate('count({0})', truth)]
        texts = [c for c in columns if c.type in ('text', 'varchar')]
        if texts:
            column = Expr('text', rng.choice(texts).name)
            forms += [Aggregate('%s({0}%s)' % (rng.choice(['min', 'max']), c), column) for c in OWN_COLLATIONS]
        chosen = rng.choice(forms)
        if truth and rng.random() < 0.2 and 'DISTINCT' not in chosen.form and 'WITHIN' not in chosen.form:
            chosen.filter = truth
        return chosen

    def make(self):
        rng = self.rng
        table, other = rng.choice(self.tables), rng.choice(self.tables)
        columns = self.qualified(table, 't')
        source, kind = '%s t' % table.name, table.kind
        if rng.random() < 0.15:
            source, kind = '%s t %s %s u ON t.id = u.id' % (table.name, rng.choice(['JOIN', 'LEFT JOIN']), other.name), 'join'
            columns = columns + self.qualified(other, 'u')
        columns = self.of_one_collation(columns)
        around = rng.choices(['plain', 'prepared', 'cursor', 'subquery'], [75, 10, 5, 10])[0]
        query = Query(source, around=around, kind=kind, fetches=['ALL'])
        equal = [c for c in columns if c.collation in NONDETERMINISTIC and base_type(c.type) in TEXTS]
        if equal and rng.random() < 0.3:
            return self.make_equal(query, equal)
        query.keys = [self.key(columns) for _ in range(rng.choice([0, 1, 1, 1, 2, 2, 3]))]
        query.aggregates = [self.aggregate(columns) for _ in range(rng.choice([1, 1, 2, 3]))]
        for _ in range(rng.choice([0, 0, 1, 1, 2])):
            condition = self.computed(columns, 'bool') if rng.random() < 0.5 else None
            query.where.append(condition or Generator(rng, columns).filter(1))
        if query.keys and rng.random() < 0.1:
            query.sets = 'GROUPING SETS (%s, ())' % ', '.join('({%d})' % i for i in range(len(query.keys)))
        return query
