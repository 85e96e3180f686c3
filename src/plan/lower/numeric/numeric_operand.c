/*
 * numeric_operand.c
 *	  Operands of numeric operations, at the scale and width that these need.
 */
#include "postgres.h"

#include <math.h>

#include "nodes/makefuncs.h"
#include "utils/numeric.h"

#include "compat.h"
#include "plan/lower/lower_parts.h"
#include "plan/lower/numeric/lower_wide.h"
#include "plan/lower/numeric/numeric_operand.h"
#include "program/numeric_page.h"
#include "program/ops_wide.h"

Const *
scaled_const(Datum value, bool isnull, int scale)
{
	struct varlena *numeric;
	int64		number;

	if (isnull)
		return int8_const(0, true);
	numeric = (struct varlena *) DatumGetNumeric(value);
	if (scale > NUMERIC64_MAX_SCALE ||
		!numeric_to_units((const uint8 *) VARDATA_ANY(numeric), VARSIZE_ANY_EXHDR(numeric),
						  scale, &number))
		return NULL;
	return int8_const(number, false);
}

int
raise_scale(Lowering *l, int reg, int from, int to)
{
	int			power;

	if (from == to)
		return reg;
	power = lower_power(l, to - from);
	return power < 0 ? -1 : program_add_op(l->builder, OP_int8_mul, reg, power);
}

/* Which special is it, if any? */
static uint32
const_special(const Const *constant)
{
	struct varlena *numeric;

	if (constant == NULL || constant->constisnull)
		return 0;
	numeric = (struct varlena *) DatumGetNumeric(constant->constvalue);
	return numeric_special((const uint8 *) VARDATA_ANY(numeric), VARSIZE_ANY_EXHDR(numeric));
}

/* The register of a constant that is NaN or infinite: at all scales the same. */
static int
lower_special(Lowering *l, uint32 special)
{
	int			param = lower_add_param(l, (Expr *) int8_const(special_number(special), false),
										VT_INT8);

	l->needs_specials = true;
	return param < 0 ? -1 : program_add_special_param_ref(l->builder, param);
}

/* Trimmed, a constant's scale is that of its last digit that is not zero. */
static bool
constant_operand(Lowering *l, const Const *constant, bool trim, NumericOperand *operand)
{
	struct varlena *numeric;
	NumericHeader header;
	Wide		number;
	int			scale;

	if (constant->constisnull || const_special(constant) != 0)
	{
		fixed_scale(&operand->info, 0, 0);
		operand->info.shown = display_scale_of_null();
		return true;
	}
	numeric = (struct varlena *) DatumGetNumeric(constant->constvalue);
	header = numeric_header((const uint8 *) VARDATA_ANY(numeric), VARSIZE_ANY_EXHDR(numeric));
	scale = trim ? numeric_least_scale(header) : header.scale;
	if (scale > NUMERIC128_MAX_SCALE ||
		!numeric_to_wide((const uint8 *) VARDATA_ANY(numeric), VARSIZE_ANY_EXHDR(numeric),
						 scale, true, &number))
	{
		lower_reject(l, REJECTED_NUMERIC, _("a numeric constant does not fit into 128 bits"));
		return false;
	}
	number = wide_magnitude(number);
	fixed_scale(&operand->info, scale,
				ldexp((double) number.w[1], 64) + (double) number.w[0]);
	return true;
}

bool
numeric_operand(Lowering *l, Expr *expr, bool trim, NumericOperand *operand)
{
	operand->constant = IsA(expr, Const) ? (const Const *) expr : NULL;
	operand->reg = -1;
	if (operand->constant != NULL)
		return constant_operand(l, operand->constant, trim, operand);
	operand->reg = lower_numeric(l, expr, &operand->info);
	return operand->reg >= 0;
}

bool
numeric_operand_is_wide(Lowering *l, const NumericOperand *operand, int scale)
{
	return scale > NUMERIC64_MAX_SCALE ||
		(operand->constant == NULL && is_wide(l, operand->reg)) ||
		is_expected_wide(operand->info.most, scale - operand->info.scale);
}

int
numeric_operand_at(Lowering *l, const NumericOperand *operand, int scale, bool wide)
{
	Const	   *constant;

	if (operand->constant == NULL)
		return wide ? wide_raised(l, operand->reg, scale - operand->info.scale) :
			raise_scale(l, operand->reg, operand->info.scale, scale);
	if (const_special(operand->constant) != 0)
	{
		int			reg = lower_special(l, const_special(operand->constant));

		return wide ? make_wide(l, reg) : reg;
	}
	if (wide)
		return wide_const(l, operand->constant, scale);
	constant = scaled_const(operand->constant->constvalue, operand->constant->constisnull, scale);
	if (constant == NULL)
		return lower_reject(l, REJECTED_NUMERIC, _("a numeric constant does not fit into 64 bits"));
	return lower_param_ref(l, (Expr *) constant);
}

int
lower_numeric_const(Lowering *l, Expr *constant, NumericInfo *info)
{
	NumericOperand operand;

	if (!numeric_operand(l, constant, false, &operand))
		return -1;
	*info = operand.info;
	return numeric_operand_at(l, &operand, info->scale,
							  numeric_operand_is_wide(l, &operand, info->scale));
}
