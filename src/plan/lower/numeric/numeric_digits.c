/*
 * numeric_digits.c
 *	  How many digits a numeric has at most.
 *
 * A numeric can have 131072 digits before its point.  A column whose type says how many has
 * no more than 1000, and products and sums of few of these are far from an overflow.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"

#include "plan/lower/numeric/numeric_parts.h"

/* What an expression may have; more than that: it is not known. */
#define FEW_DIGITS 100000

/* Fewer than 2^63 rows are added up. */
#define SUM_DIGITS 20

static int	most_digits(const Node *node);

/* The digits of a product; a sum has no more. */
static int
product_digits(const List *args)
{
	int			digits = 0;
	ListCell   *lc;

	foreach(lc, args)
		digits = Min(digits + most_digits(lfirst(lc)), FEW_DIGITS);
	return digits;
}

static int
call_digits(Oid function, const List *args)
{
	switch (function)
	{
		case F_NUMERIC_INT2:
		case F_NUMERIC_INT4:
		case F_NUMERIC_INT8:
			return SUM_DIGITS;
		case F_NUMERIC_ADD:
		case F_NUMERIC_SUB:
		case F_NUMERIC_MUL:
		case F_NUMERIC_UMINUS:
			return product_digits(args) + 1;
		default:
			return FEW_DIGITS;
	}
}

static int
aggregate_digits(const Aggref *aggref)
{
	Oid			aggregate = aggref->aggfnoid;

	switch (aggregate)
	{
		case F_SUM_INT8:
		case F_AVG_INT2:
		case F_AVG_INT4:
		case F_AVG_INT8:
			return 2 * SUM_DIGITS;
		case F_SUM_NUMERIC:
		case F_AVG_NUMERIC:
		case F_MIN_NUMERIC:
		case F_MAX_NUMERIC:
			return most_digits((Node *) linitial_node(TargetEntry, aggref->args)->expr) + SUM_DIGITS;
		default:
			return FEW_DIGITS;
	}
}

static int
most_digits(const Node *node)
{
	const Const *constant = (const Const *) node;

	if (exprType(node) != NUMERICOID)
		return FEW_DIGITS;
	switch (nodeTag(node))
	{
		case T_Var:
			return exprTypmod(node) >= 0 ? NUMERIC_MAX_PRECISION : FEW_DIGITS;
		case T_Const:
			return constant->constisnull ? 0 :
				Min(strlen(DatumGetCString(DirectFunctionCall1(numeric_out, constant->constvalue))),
					FEW_DIGITS);
		case T_FuncExpr:
			return call_digits(((const FuncExpr *) node)->funcid, ((const FuncExpr *) node)->args);
		case T_OpExpr:
			return call_digits(get_opcode(((const OpExpr *) node)->opno),
							   ((const OpExpr *) node)->args);
		case T_CoalesceExpr:
			return product_digits(((const CoalesceExpr *) node)->args);
		case T_Aggref:
			return aggregate_digits((const Aggref *) node);
		default:
			return FEW_DIGITS;
	}
}

bool
numeric_has_few_digits(const Node *node)
{
	return most_digits(node) < FEW_DIGITS;
}
