/*
 * lower_presence.c
 *	  Whether a value is NULL, where the value itself does not matter.
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"

#include "plan/lower/lower_lookup.h"
#include "plan/lower/lower_parts.h"
#include "plan/lower/numeric/numeric_guess.h"
#include "plan/lower/numeric/numeric_scale.h"
#include "plan/value_type.h"

/*
 * Is the value itself as good as its presence?  Other aggregates may use it, too.
 * But a text is long, and not every numeric can be read.
 */
static bool
is_read_easily(Lowering *l, Expr *expr)
{
	int			type = value_type_of(exprType((Node *) expr));
	NumericGuess guess;
	const char *reason;

	if (is_numeric(expr))
		return numeric_guess(l->root, expr, &guess, &reason);
	return type >= 0 && type != VT_TEXT;
}

int
lower_presence(Lowering *l, Expr *expr)
{
	Form_pg_attribute attr;
	int			missing = -1;
	int			attno;

	if (l->lookups != NIL)
	{
		int			reg = lower_looked_up_presence(l, expr);

		if (reg >= 0 || !lower_succeeded(l))
			return reg;
	}
	if (is_read_easily(l, expr))
		return lower_expr(l, expr);
	attno = lower_input_number(l, expr);
	if (attno > 0)
		return program_add_presence(l->builder, attno, true, -1);
	if (IsA(expr, RelabelType))
		return lower_presence(l, ((RelabelType *) expr)->arg);
	if (!IsA(expr, Var) || l->builder->head.source != SOURCE_PAGES)
		return lower_expr(l, expr);
	attr = lower_attribute(l, (Var *) expr);
	if (attr == NULL)
		return -1;
	if (lower_missing_value(l, attr) != NULL)
		missing = lower_add_param(l, (Expr *) makeBoolConst(true, false), VT_BOOL);
	return program_add_presence(l->builder, attr->attnum, !attr->attnotnull, missing);
}
