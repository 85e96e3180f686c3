/*
 * numeric_round.c
 *	  Rounding and casts of numerics.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"
#include "utils/regproc.h"

#include "plan/lower/lower_parts.h"
#include "plan/lower/numeric/lower_wide.h"
#include "plan/lower/numeric/numeric_operand.h"
#include "plan/lower/numeric/numeric_parts.h"
#include "plan/lower/numeric/numeric_round.h"
#include "program/numeric_page.h"
#include "program/special.h"

/* The register at another scale, rounded if that is less. */
static int
change_scale(Lowering *l, int reg, const NumericInfo *from, int to)
{
	int			operand;

	if (to >= from->scale && (is_wide(l, reg) || is_expected_wide(from->most, to - from->scale) ||
							 to > NUMERIC64_MAX_SCALE))
		return wide_raised(l, reg, to - from->scale);
	if (to >= from->scale)
		return raise_scale(l, reg, from->scale, to);
	operand = is_wide(l, reg) ? lower_int4(l, from->scale - to) : lower_power(l, from->scale - to);
	if (operand < 0)
		return -1;
	return program_add_op(l->builder, is_wide(l, reg) ? OP_wide_round : OP_numeric_round,
						  reg, operand);
}

/* A Const of type int4 that is not NULL; false: it is something else. */
static bool
int4_value(const Expr *expr, int *value)
{
	if (!IsA(expr, Const) || ((const Const *) expr)->constisnull)
		return false;
	*value = DatumGetInt32(((const Const *) expr)->constvalue);
	return true;
}

/* Rounded or truncated to tens, hundreds and so on: a whole number of 10^digits. */
static int
lower_tens(Lowering *l, int reg, const NumericInfo *from, int digits, bool truncates,
		   NumericInfo *info)
{
	int			dropped = from->scale + digits;

	fixed_scale(info, 0, from->most * pow(10, -from->scale) + pow(10, digits));
	if (dropped > (is_wide(l, reg) ? NUMERIC128_MAX_SCALE : NUMERIC64_MAX_SCALE))
		return lower_reject(l, REJECTED_NUMERIC, _("rounding to this number of digits is not supported"));
	if (is_wide(l, reg))
		return wide_raised(l, lower_op(l, OP_wide_round, reg, lower_int4(l, dropped)), digits);
	reg = lower_op(l, truncates ? OP_numeric_trunc : OP_numeric_round, reg, lower_power(l, dropped));
	return reg < 0 ? -1 : raise_scale(l, reg, 0, digits);
}

int
lower_round(Lowering *l, List *args, bool truncates, NumericInfo *info)
{
	NumericInfo from;
	int			reg = lower_numeric(l, linitial(args), &from);
	int			to;

	if (reg < 0)
		return -1;
	if (!int4_value(lsecond(args), &to) || to < -NUMERIC128_MAX_SCALE || to > NUMERIC128_MAX_SCALE)
		return lower_reject(l, REJECTED_NUMERIC, _("rounding to this number of digits is not supported"));
	if (truncates && is_wide(l, reg) && to < from.scale)
		return lower_reject(l, REJECTED_NUMERIC, _("function %s is not supported over numerics of 128 bits"),
							format_procedure(F_TRUNC_NUMERIC_INT4));
	if (to < 0)
		return lower_tens(l, reg, &from, -to, truncates, info);
	fixed_scale(info, to, from.most * pow(10, to - from.scale));
	if (!check_size(l, info))
		return -1;
	if (!truncates || to >= from.scale)
		return change_scale(l, reg, &from, to);
	return lower_op(l, OP_numeric_trunc, reg, lower_power(l, from.scale - to));
}

/*
 * Beyond the precision is an error; what fits 64 bits is then of that size.  No
 * precision has room for infinities, which are at the ends of a register's
 * numbers (special.h); the limit itself must be none of these.
 */
static int
limit_precision(Lowering *l, int reg, int precision)
{
	int			limit;

	if (is_wide(l, reg))
	{
		limit = wide_power(l, Min(precision, NUMERIC128_MAX_SCALE));
		reg = limit < 0 ? -1 : program_add_op(l->builder, OP_wide_fit, reg, limit);
		return precision > NUMERIC64_MAX_SCALE ? reg : make_narrow(l, reg);
	}
	limit = precision > NUMERIC64_MAX_SCALE ?
		lower_param_ref(l, (Expr *) int8_const(SPECIAL_NUMBER_PINF - 1, false)) : lower_power(l, precision);
	return limit < 0 ? -1 : program_add_op(l->builder, OP_numeric_fit, reg, limit);
}

/* The operands of a division; NIL: the expression is none. */
static List *
division_operands(const Expr *expr)
{
	if (IsA(expr, FuncExpr) && ((const FuncExpr *) expr)->funcid == F_NUMERIC_DIV)
		return ((const FuncExpr *) expr)->args;
	if (IsA(expr, OpExpr) && get_opcode(((const OpExpr *) expr)->opno) == F_NUMERIC_DIV)
		return ((const OpExpr *) expr)->args;
	return NIL;
}

/*
 * How many digits before the point a quotient of integers by that one may have so that PostgreSQL's
 * rounds to no other whole number; 0: none.  It keeps 16 significant digits at least, and counts
 * four at a time: a quotient of less than 10^(4w + 4) has 16 - 4w digits behind the point.  One that
 * is not whole is 1 / divisor away from a whole number at least.
 */
static int
exact_quotient_digits(double divisor)
{
	for (int w = 4; w >= 0; w--)
		if (divisor < 2 * pow(10, NUMERIC_MIN_SIG_DIGITS - 4 * w))
			return 4 * w + 4;
	return 0;
}

/* The units of a constant that is more than 0, and no more than 64 bits; else 0. */
static int64
positive_units(const Expr *expr, int scale)
{
	const Const *constant = (const Const *) expr;
	const Const *units = constant->constisnull ? NULL :
		scaled_const(constant->constvalue, false, scale);

	return units == NULL ? 0 : Max(0, DatumGetInt64(units->constvalue));
}

/* floor(x / constant), or ceil of it: op over both as integers. */
static int
lower_whole_quotient(Lowering *l, OpCode op, List *args, NumericInfo *info)
{
	NumericOperand operands[2];
	int64		divisor = 0;
	int			scale;
	int			reg;
	int			digits;

	if (!numeric_operand(l, linitial(args), false, &operands[0]) ||
		!numeric_operand(l, lsecond(args), true, &operands[1]))
		return -1;
	scale = Max(operands[0].info.scale, operands[1].info.scale);
	if (operands[1].constant != NULL)
		divisor = positive_units(lsecond(args), scale);
	digits = exact_quotient_digits((double) divisor);
	if (divisor == 0 || digits == 0 || numeric_operand_is_wide(l, &operands[0], scale))
		return lower_reject(l, REJECTED_NUMERIC, _("this division of numerics is not supported"));
	fixed_scale(info, 0, operands[0].info.most * pow(10, scale - operands[0].info.scale) / divisor);
	reg = numeric_operand_at(l, &operands[0], scale, false);
	reg = reg < 0 ? -1 : lower_op(l, op, reg, lower_param_ref(l, (Expr *) int8_const(divisor, false)));
	return reg < 0 ? -1 : limit_precision(l, reg, Min(digits, NUMERIC64_MAX_SCALE));
}

int
lower_whole(Lowering *l, Oid function, OpCode op, List *args, NumericInfo *info)
{
	List	   *division = division_operands(linitial(args));
	NumericInfo from;
	int			reg;

	if (division != NIL && op != OP_numeric_sign)
		return lower_whole_quotient(l, op, division, info);
	reg = lower_numeric(l, linitial(args), &from);
	if (reg < 0)
		return -1;
	if (is_wide(l, reg) || from.scale > NUMERIC64_MAX_SCALE)
		return lower_reject(l, REJECTED_NUMERIC, _("function %s is not supported over numerics of 128 bits"),
							format_procedure(function));
	fixed_scale(info, 0, from.most * pow(10, -from.scale));
	if (op == OP_numeric_sign)
		return program_add_op(l->builder, op, reg, -1);
	return lower_op(l, op, reg, lower_power(l, from.scale));
}

int
lower_quotient(Lowering *l, Oid function, List *args, NumericInfo *info)
{
	NumericInfo aligned;
	int			reg = lower_aligned(l, function, OP_int8_div, true, args, &aligned);

	fixed_scale(info, 0, aligned.most);
	return reg;
}

/* Is it the numeric that a text is read as? */
static bool
is_read_text(const Expr *expr)
{
	return IsA(expr, CoerceViaIO) &&
		exprType((Node *) ((const CoerceViaIO *) expr)->arg) == TEXTOID;
}

/* numeric(text::numeric, type modifier): rounded as it is read */
static int
lower_text_cast(Lowering *l, const CoerceViaIO *cast, const Expr *modifier, NumericInfo *info)
{
	int			typmod;
	int			precision;
	int			to;
	int			reg;

	if (!int4_value(modifier, &typmod) || !read_typmod(typmod, &precision, &to) || to < 0 ||
		precision > NUMERIC64_MAX_SCALE)
		return lower_reject(l, REJECTED_NUMERIC, _("a cast to numeric of this scale is not supported"));
	reg = lower_expr(l, cast->arg);
	fixed_scale(info, to, 0);
	reg = reg < 0 ? -1 : lower_op(l, OP_text_numeric, reg, lower_int4(l, to));
	return reg < 0 ? -1 : limit_precision(l, reg, precision);
}

int
lower_cast(Lowering *l, List *args, NumericInfo *info)
{
	NumericInfo from;
	int			reg;
	int			typmod;
	int			precision;
	int			to;

	if (is_read_text(linitial(args)))
		return lower_text_cast(l, linitial(args), lsecond(args), info);
	reg = lower_numeric(l, linitial(args), &from);
	if (reg < 0)
		return -1;
	if (!int4_value(lsecond(args), &typmod) || !read_typmod(typmod, &precision, &to) || to < 0)
		return lower_reject(l, REJECTED_NUMERIC, _("a cast to numeric of this scale is not supported"));
	fixed_scale(info, to, from.most * pow(10, to - from.scale));
	if (!check_size(l, info))
		return -1;
	reg = change_scale(l, reg, &from, to);
	return reg < 0 ? -1 : limit_precision(l, reg, precision);
}

int
lower_to_int(Lowering *l, OpCode op, List *args)
{
	NumericInfo info;
	int			reg = lower_numeric(l, linitial(args), &info);

	reg = reg < 0 ? -1 : make_narrow(l, change_scale(l, reg, &info, 0));
	return reg < 0 ? -1 : program_add_op(l->builder, op, reg, -1);
}

int
lower_to_float8(Lowering *l, List *args)
{
	NumericInfo info;
	int			reg = lower_numeric(l, linitial(args), &info);

	if (reg < 0)
		return -1;
	if (info.scale > NUMERIC64_MAX_SCALE)
		return lower_reject(l, REJECTED_NUMERIC, _("a cast of a numeric with more than %d decimal digits is not supported"),
							NUMERIC64_MAX_SCALE);
	reg = make_narrow(l, reg);
	return lower_op(l, OP_numeric_to_float8, reg, lower_power(l, info.scale));
}
