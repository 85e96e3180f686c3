"""An output of a query that is no key: an aggregate, or what is computed from some."""
from dataclasses import dataclass

from expressions import Expr
from oracle import Exact


@dataclass
class Aggregate:
    form: str                   # 'sum({0})'
    argument: Expr = None
    filter: Expr = None
    around: str = '{}'          # what is computed from the aggregate
    approximate: bool = False   # PostgreSQL's own answer depends on the order of rows
    loose: bool = False         # its scale does

    def plain(self):
        text = self.form.format(self.argument) if self.argument else self.form
        return text + (' FILTER (WHERE %s)' % self.filter if self.filter else '')

    def exact(self):
        """The aggregate of floats that the oracle knows."""
        name, rest = self.form.split('(', 1)
        arguments = self.argument.operands if self.argument.type == 'pair' else [self.argument]
        return Exact(name, arguments[0].type, list(map(str, arguments)), str(self.filter or ''), rest.startswith('DISTINCT'))

    def __str__(self):
        return self.around.replace('{}', self.plain())
