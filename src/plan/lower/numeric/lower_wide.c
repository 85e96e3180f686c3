/*
 * lower_wide.c
 *	  Numerics in 128 bits, and powers of 10 in 64.
 *
 * 128 bits are used where statistics, or the scale, say that 64 will not do: for
 * columns of large values, products, sums.  No parameter is of that size: two of int8 are
 * put together.
 */
#include "postgres.h"

#include "utils/numeric.h"

#include "compat.h"
#include "plan/lower/lower_parts.h"
#include "plan/lower/numeric/lower_wide.h"
#include "program/numeric_page.h"
#include "program/ops_wide.h"

bool
is_wide(Lowering *l, int reg)
{
	return l->builder->insns[reg].type == VT_WIDE;
}

int
make_wide(Lowering *l, int reg)
{
	return reg < 0 || is_wide(l, reg) ? reg :
		program_add_op(l->builder, OP_wide_of_int8, reg, -1);
}

int
make_narrow(Lowering *l, int reg)
{
	return reg < 0 || !is_wide(l, reg) ? reg :
		program_add_op(l->builder, OP_wide_to_int8, reg, -1);
}

static int
lower_wide_value(Lowering *l, Wide value)
{
	int			low = lower_param_ref(l, (Expr *) int8_const((int64) value.w[0], false));
	int			high = low < 0 ? -1 : lower_param_ref(l, (Expr *) int8_const((int64) value.w[1], false));

	return high < 0 ? -1 : program_add_op(l->builder, OP_wide_make, low, high);
}

int
wide_const(Lowering *l, const Const *constant, int scale)
{
	struct varlena *numeric;
	Wide		value;

	if (constant->constisnull)
		return make_wide(l, lower_param_ref(l, (Expr *) int8_const(0, true)));
	numeric = (struct varlena *) DatumGetNumeric(constant->constvalue);
	if (!numeric_to_wide((const uint8 *) VARDATA_ANY(numeric), VARSIZE_ANY_EXHDR(numeric),
						 scale, true, &value))
		return lower_reject(l, REJECTED_NUMERIC, _("a numeric constant does not fit into 128 bits"));
	return lower_wide_value(l, value);
}

int
wide_power(Lowering *l, int exponent)
{
	return lower_wide_value(l, wide_power_of_10(exponent));
}

int64
power_of_10(int exponent)
{
	int64		power = 1;

	while (exponent-- > 0)
		power *= 10;
	return power;
}

int
lower_power(Lowering *l, int exponent)
{
	return lower_param_ref(l, (Expr *) int8_const(power_of_10(exponent), false));
}

int
wide_raised(Lowering *l, int reg, int digits)
{
	int			power;

	if (reg < 0 || digits == 0)
		return make_wide(l, reg);
	if (!is_wide(l, reg) && digits <= NUMERIC64_MAX_SCALE)
	{
		power = lower_power(l, digits);
		return power < 0 ? -1 : program_add_op(l->builder, OP_wide_product, reg, power);
	}
	reg = make_wide(l, reg);
	power = wide_power(l, digits);
	return power < 0 ? -1 : program_add_op(l->builder, OP_wide_mul, reg, power);
}

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
