/*
 * lower_call.c
 *	  Calls of functions and operators.
 *
 * Most functions are operations (function_op.c); some are several, as their
 * arguments say, and have files of their own.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/float.h"
#include "utils/fmgroids.h"
#include "utils/regproc.h"

#include "plan/lower/lower_parts.h"
#include "plan/lower/numeric/lower_numeric_call.h"

static bool
orders_texts(OpCode op)
{
	switch (op)
	{
		case OP_text_lt:
		case OP_text_le:
		case OP_text_gt:
		case OP_text_ge:
		case OP_bpchar_lt:
		case OP_bpchar_le:
		case OP_bpchar_gt:
		case OP_bpchar_ge:
			return true;
		default:
			return false;
	}
}

/* Unary plus: needs no operation. */
static bool
is_identity(Oid function)
{
	switch (function)
	{
		case F_INT2UP:
		case F_INT4UP:
		case F_INT8UP:
		case F_FLOAT4UP:
		case F_FLOAT8UP:
			return true;
		default:
			return false;
	}
}

/* The quotient, or the product, of an angle and a degree's radians, with float8's checks. */
static int
lower_angle(Lowering *l, Oid function, Expr *angle)
{
	Const	   *degree = makeConst(FLOAT8OID, -1, InvalidOid, sizeof(float8),
								   Float8GetDatum(RADIANS_PER_DEGREE), false, FLOAT8PASSBYVAL);
	int			reg = lower_operand(l, function, angle, VT_FLOAT8);

	return reg < 0 ? -1 : lower_op(l, function == F_DEGREES ? OP_float8_div : OP_float8_mul, reg,
								   lower_param_ref(l, (Expr *) degree));
}

int
lower_function(Lowering *l, Oid function, List *args, Oid collation)
{
	int			op = function_op(function);
	int			regs[2] = {-1, -1};
	Oid			type = args == NIL ? InvalidOid : exprType(linitial(args));
	NumericInfo info;
	int			reg;

	if (lower_date_function(l, function, args, &reg) ||
		lower_date_comparison(l, function, args, &reg) ||
		lower_interval_function(l, function, args, &reg) ||
		lower_bucket_function(l, function, args, &reg) ||
		lower_zone_function(l, function, args, &reg) ||
		lower_json_function(l, function, args, &reg) ||
		lower_text_function(l, function, args, collation, &reg) ||
		lower_made_text(l, function, args, collation, &reg))
		return reg;
	if (function == F_DEGREES || function == F_RADIANS)
		return lower_angle(l, function, linitial(args));
	if (is_identity(function))
		return lower_expr(l, linitial(args));
	if (is_numeric_function(function))
		return lower_numeric_function(l, function, args, &info);
	if (op < 0 || list_length(args) != op_nargs((OpCode) op) ||
		(op_calls_libm((OpCode) op) && !lower_may_need_cpu(l)))
		return lower_reject(l, REJECTED_EXPRESSION, _("function %s is not supported"),
							format_procedure(function));
	if (op_arg((OpCode) op, 0) == VT_TEXT && !check_collation(l, type, collation))
		return -1;
	if (orders_texts((OpCode) op) && !check_order(l, type, collation))
		return -1;
	for (int i = 0; i < list_length(args); i++)
	{
		regs[i] = lower_operand(l, function, list_nth(args, i),
								op_arg((OpCode) op, i));
		if (regs[i] < 0)
			return -1;
	}
	return program_add_op(l->builder, (OpCode) op, regs[0], regs[1]);
}
