/*
 * lower_wide.c
 *	  Numerics in 128 bits.
 *
 * They are used where statistics, or the scale, say that 64 bits will not do: for
 * columns of large values, products, sums.  No constant is of that size: two of
 * int8 are put together.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "utils/numeric.h"

#include "compat.h"
#include "plan/lower/lower_internal.h"
#include "program/ops_wide.h"

bool
is_wide(Lowering *l, int reg)
{
	return l->builder->insns[reg].type == VT_WIDE;
}

int
widen(Lowering *l, int reg)
{
	return reg < 0 || is_wide(l, reg) ? reg :
		program_add_op(l->builder, OP_wide_of_int8, reg, -1);
}

int
narrow(Lowering *l, int reg)
{
	return reg < 0 || !is_wide(l, reg) ? reg :
		program_add_op(l->builder, OP_wide_to_int8, reg, -1);
}

static int
wide_slots(Lowering *l, Wide value)
{
	int			low = lower_slot(l, (Expr *) int8_const((int64) value.w[0], false));
	int			high = low < 0 ? -1 : lower_slot(l, (Expr *) int8_const((int64) value.w[1], false));

	return high < 0 ? -1 : program_add_op(l->builder, OP_wide_make, low, high);
}

/* A constant in units of 10^-unit. */
int
wide_const(Lowering *l, const Const *constant, int unit)
{
	struct varlena *numeric;
	Wide		value;

	if (constant->constisnull)
		return widen(l, lower_slot(l, (Expr *) int8_const(0, true)));
	numeric = (struct varlena *) DatumGetNumeric(constant->constvalue);
	if (!numeric_to_wide((const uint8 *) VARDATA_ANY(numeric), VARSIZE_ANY_EXHDR(numeric),
						 unit, true, &value))
		return lower_reject(l, _("a numeric constant does not fit into 128 bits"));
	return wide_slots(l, value);
}

int
wide_power(Lowering *l, int exponent)
{
	return wide_slots(l, wide_power_of_10(exponent));
}

/* A value of any width, with that many more digits. */
int
wide_raised(Lowering *l, int reg, int digits)
{
	int			power;

	if (reg < 0 || digits == 0)
		return widen(l, reg);
	if (!is_wide(l, reg) && digits <= NUMERIC64_MAX_SCALE)
	{
		power = power_slot(l, digits);
		return power < 0 ? -1 : program_add_op(l->builder, OP_wide_product, reg, power);
	}
	reg = widen(l, reg);
	power = wide_power(l, digits);
	return power < 0 ? -1 : program_add_op(l->builder, OP_wide_mul, reg, power);
}

/* The operation over WIDE that does what one over INT8 does, or -1. */
int
wide_op(OpCode op)
{
	switch (op)
	{
		case OP_int8_eq:
			return OP_wide_eq;
		case OP_int8_ne:
			return OP_wide_ne;
		case OP_int8_lt:
			return OP_wide_lt;
		case OP_int8_le:
			return OP_wide_le;
		case OP_int8_gt:
			return OP_wide_gt;
		case OP_int8_ge:
			return OP_wide_ge;
		case OP_int8_add:
			return OP_wide_add;
		case OP_int8_sub:
			return OP_wide_sub;
		case OP_int8_neg:
			return OP_wide_neg;
		case OP_int8_abs:
			return OP_wide_abs;
		default:
			return -1;
	}
}
