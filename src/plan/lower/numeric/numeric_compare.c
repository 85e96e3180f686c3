/*
 * numeric_compare.c
 *	  Comparisons of numerics.
 *
 * Operands are taken to one scale.  Where a numeric is compared with a parameter, or
 * anything else whose value is only known when execution begins, no scale is needed:
 * x < p is x < ceil(p), and x <= p is x <= floor(p), if both are taken at x's scale.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "utils/fmgroids.h"
#include "utils/numeric.h"

#include "plan/lower/lower_parts.h"
#include "plan/lower/numeric/lower_wide.h"
#include "plan/lower/numeric/numeric_parts.h"
#include "program/numeric_page.h"

/* Is its value only known when execution begins, and its scale not even then? */
static bool
is_known_at_start(Expr *expr)
{
	return !IsA(expr, Const) && same_for_all_rows(expr);
}

/*
 * The register of floor(x) or ceil(x), counted in units of 10^-scale.  Computing it
 * fails if that is beyond 64 bits.
 */
static int
lower_bound(Lowering *l, Oid floor_or_ceil, Expr *expr, int scale)
{
	Const	   *power = makeConst(NUMERICOID, -1, InvalidOid, -1,
								  NumericGetDatum(int64_to_numeric(power_of_10(scale))),
								  false, false);
	Expr	   *bound;

	bound = (Expr *) makeFuncExpr(F_NUMERIC_MUL, NUMERICOID, list_make2(expr, power),
								  InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
	bound = (Expr *) makeFuncExpr(floor_or_ceil, NUMERICOID, list_make1(bound),
								  InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
	bound = (Expr *) makeFuncExpr(F_INT8_NUMERIC, INT8OID, list_make1(bound),
								  InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
	return lower_param_ref(l, bound);
}

/* One of the six comparisons, with a number of 64 bits. */
static int
add_comparison(Lowering *l, OpCode op, int reg, int bound)
{
	if (is_wide(l, reg))
		return program_add_op(l->builder, (OpCode) wide_op(op), reg, make_wide(l, bound));
	return program_add_op(l->builder, op, reg, bound);
}

/* x op limit, where op is one of the six comparisons. */
static int
lower_bounded(Lowering *l, OpCode op, Expr *expr, Expr *limit)
{
	ProgramBuilder *b = l->builder;
	NumericInfo info;
	int			reg = lower_numeric(l, expr, &info);
	int			low;
	int			high;

	if (reg >= 0 && info.scale > NUMERIC64_MAX_SCALE)
		return lower_reject(l, REJECTED_NUMERIC, _("a parameter is not supported where numerics have more than %d decimal digits"),
							NUMERIC64_MAX_SCALE);
	low = reg < 0 ? -1 : lower_bound(l, F_FLOOR_NUMERIC, limit, info.scale);
	high = low < 0 ? -1 : lower_bound(l, F_CEIL_NUMERIC, limit, info.scale);
	if (high < 0)
		return -1;
	switch (op)
	{
		case OP_int8_lt:
		case OP_int8_ge:
			return add_comparison(l, op, reg, high);
		case OP_int8_le:
		case OP_int8_gt:
			return add_comparison(l, op, reg, low);
		case OP_int8_eq:		/* and so equal to both, which are one */
			return program_add_op(b, OP_and, add_comparison(l, op, reg, low),
								  add_comparison(l, op, reg, high));
		default:
			return program_add_op(b, OP_or, add_comparison(l, op, reg, low),
								  add_comparison(l, op, reg, high));
	}
}

/* The comparison with left and right exchanged. */
static OpCode
commuted(OpCode op)
{
	switch (op)
	{
		case OP_int8_lt:
			return OP_int8_gt;
		case OP_int8_le:
			return OP_int8_ge;
		case OP_int8_gt:
			return OP_int8_lt;
		case OP_int8_ge:
			return OP_int8_le;
		default:
			return op;
	}
}

int
lower_numeric_comparison(Lowering *l, Oid function, OpCode op, List *args)
{
	NumericInfo info;

	if (is_known_at_start(lsecond(args)))
		return lower_bounded(l, op, linitial(args), lsecond(args));
	if (is_known_at_start(linitial(args)))
		return lower_bounded(l, commuted(op), lsecond(args), linitial(args));
	return lower_aligned(l, function, op, true, args, &info);
}
