/*
 * lower_numeric_column.c
 *	  Numerics that tables, and child plans, have.
 *
 * A column needs a scale, and 64 or 128 bits, before a value is seen
 * (numeric_guess.c).  Engines verify every value, so what is guessed wrong ends
 * the run as inexact.
 */
#include "postgres.h"

#include "utils/numeric.h"

#include "compat.h"
#include "plan/lower/lower_parts.h"
#include "plan/lower/numeric/numeric_guess.h"
#include "plan/lower/numeric/numeric_operand.h"
#include "plan/lower/numeric/numeric_parts.h"
#include "program/numeric_page.h"

/* The missing value of an attribute at a scale, and its own display scale, or -1. */
static int
missing_numeric_param(Lowering *l, Form_pg_attribute attr, int scale, int *shown)
{
	const AttrMissing *missing = lower_missing_value(l, attr);
	struct varlena *number;
	Const	   *value = NULL;

	*shown = -1;
	if (missing == NULL)
		return -1;
	number = (struct varlena *) DatumGetNumeric(missing->am_value);
	*shown = numeric_header((const uint8 *) VARDATA_ANY(number),
							VARSIZE_ANY_EXHDR(number)).scale;
	if (*shown <= NUMERIC_MAX_SHOWN)
		value = scaled_const(missing->am_value, false, scale);
	/* nothing checks it later */
	if (value == NULL || special_class(DatumGetInt64(value->constvalue)) != 0)
		return lower_reject(l, REJECTED_NUMERIC, _("the default of column \"%s\" does not fit into 64 bits"),
							NameStr(attr->attname));
	return lower_add_param(l, (Expr *) value, VT_INT8);
}

/* Statistics and type modifiers do not tell enough of a numeric. */
static int
lower_reject_unknown(Lowering *l, const char *reason)
{
	lower_hint(l, "Round it with round(x, n); for a column, a type numeric(p, s) or ANALYZE can help.");
	return lower_reject(l, REJECTED_NUMERIC, "%s", reason);
}

/* The column of which that is known; attr: of a table, or NULL. */
static int
add_column(Lowering *l, const NumericGuess *guess, int attno, Form_pg_attribute attr,
		   NumericInfo *info)
{
	NumericPart part = guess->fixed ? NUMERIC_EXACT : NUMERIC_UNITS;
	bool		nullable = attr == NULL || !attr->attnotnull;
	int			missing = -1;
	int			missing_shown = -1;
	bool		wide;

	l->expects_specials |= guess->special;
	fixed_scale(info, guess->scale, guess->most);
	wide = guess->wide || guess->scale > NUMERIC64_MAX_SCALE || guess->most >= NUMERIC64_MOST;
	if (wide && attr != NULL && lower_missing_value(l, attr) != NULL)
		return lower_reject(l, REJECTED_NUMERIC, _("a numeric of 128 bits with a default for old rows is not supported"));
	if (attr != NULL)
		missing = missing_numeric_param(l, attr, guess->scale, &missing_shown);
	if (part == NUMERIC_UNITS)
		info->shown = display_scale_column(attno, nullable, missing_shown,
											guess->same ? guess->scale : -1);
	if (wide)
		return program_add_wide_column(l->builder, attno, part, guess->scale, nullable);
	return program_add_numeric_column(l->builder, attno, part, guess->scale, nullable, missing);
}

/* Does every value of the column fit into 64 bits, but for NaN? */
static bool
is_short(const Var *var)
{
	int			precision;

	return known_precision((const Expr *) var, &precision) && precision <= NUMERIC64_MAX_SCALE;
}

int
lower_numeric_var(Lowering *l, const Var *var, NumericInfo *info)
{
	Form_pg_attribute attr = lower_attribute(l, var);
	NumericGuess guess;
	const char *reason;

	if (attr == NULL)
		return -1;
	if (l->hides_rows && !is_short(var))
		return lower_reject_hidden(l);
	l->needs_specials |= l->hides_rows;
	if (!numeric_guess(l->root, (Expr *) var, &guess, &reason))
		return lower_reject_unknown(l, reason);
	return add_column(l, &guess, attr->attnum, attr, info);
}

/*
 * The column of the child plan that has the expression's value; -1: none has.
 * Where only the scale is wanted, all that can be guessed without lowering it is
 * a column.
 */
int
lower_numeric_input(Lowering *l, Expr *expr, NumericInfo *info)
{
	int			attno = lower_input_number(l, expr);
	NumericGuess guess;
	const char *reason;
	bool		found;

	if (attno == 0 && l->scale_search != NULL && numeric_is_given(expr))
	{
		l->inputs = lappend(l->inputs, expr);
		attno = list_length(l->inputs);
	}
	if (attno == 0)
		return -1;
	found = l->scale_search != NULL ?
		numeric_guess_within(l->root, expr, l->scale_search, &guess, &reason) :
		numeric_guess(l->root, expr, &guess, &reason);
	if (!found)
		return lower_reject_unknown(l, reason);
	return add_column(l, &guess, attno, NULL, info);
}
