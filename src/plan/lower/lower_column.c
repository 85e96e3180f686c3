/*
 * lower_column.c
 *	  Columns: attributes of a table, and inputs of a child plan.
 *
 * Columns are added when an expression first needs them, so a table may have
 * attributes of any type as long as they are not looked at: those are only
 * laid out (ProgramBuilder.attrs), to be stepped over.
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/datum.h"

#include "plan/lower/lower_parts.h"

const AttrMissing *
lower_missing_value(Lowering *l, Form_pg_attribute attr)
{
	const AttrMissing *missing;

	if (!attr->atthasmissing || !l->desc->constr || !l->desc->constr->missing)
		return NULL;
	missing = &l->desc->constr->missing[attr->attnum - 1];
	return missing->am_present ? missing : NULL;
}

/* The parameter of that value, or -1. */
static int
missing_param(Lowering *l, Form_pg_attribute attr, ValueType type)
{
	const AttrMissing *missing = lower_missing_value(l, attr);
	Const	   *value;

	if (missing == NULL)
		return -1;
	value = makeConst(attr->atttypid, attr->atttypmod, attr->attcollation,
					  attr->attlen,
					  datumCopy(missing->am_value, attr->attbyval, attr->attlen),
					  false, attr->attbyval);
	return lower_add_param(l, (Expr *) value, type);
}

Form_pg_attribute
lower_attribute(Lowering *l, const Var *var)
{
	if (var->varlevelsup != 0 || (Index) var->varno != l->rti)
		lower_reject(l, REJECTED_INPUT, _("a column of another table is used"));
	else if (var->varattno == 0)
		lower_reject(l, REJECTED_INPUT, _("whole-row references are not supported"));
	else if (var->varattno < 0)
		lower_reject(l, REJECTED_INPUT, _("system columns are not supported"));
	else
		return TupleDescAttr(l->desc, l->map->attnums[var->varattno - 1] - 1);
	return NULL;
}

int
lower_reject_hidden(Lowering *l)
{
	return lower_reject(l, REJECTED_INPUT, _("rows are hidden from the user, which may have values that the engine cannot hold"));
}

int
lower_var(Lowering *l, const Var *var)
{
	Form_pg_attribute attr = lower_attribute(l, var);
	int			type = attr == NULL ? -1 : lower_type(l, var->vartype);

	if (type < 0)
		return -1;
	if (l->hides_rows && attr->attlen < 0)
		return lower_reject_hidden(l);
	return program_add_column(l->builder, attr->attnum, type, !attr->attnotnull,
							  missing_param(l, attr, type));
}

int
lower_input_number(Lowering *l, const Expr *expr)
{
	ListCell   *lc;

	foreach(lc, l->inputs)
	{
		if (equal(lfirst(lc), expr))
			return foreach_current_index(lc) + 1;
	}
	return 0;
}

int
lower_input(Lowering *l, Expr *expr)
{
	int			attno = lower_input_number(l, expr);
	int			type = attno == 0 ? -1 : lower_type(l, exprType((Node *) expr));

	return type < 0 ? -1 : program_add_column(l->builder, attno, type, true, -1);
}

int
lower_new_input(Lowering *l, Expr *expr)
{
	if (lower_input_number(l, expr) == 0)
		l->inputs = lappend(l->inputs, expr);
	return lower_input(l, expr);
}
