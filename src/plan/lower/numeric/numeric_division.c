/*
 * numeric_division.c
 *	  Quotients of numerics.
 *
 * PostgreSQL rounds each quotient at a scale of its own, which is also its display scale
 * (ops_quotient.h).  The register has all of them in units of one scale, the largest that is
 * expected: the least dividend that is not zero, by its scale, over the largest divisor.  A
 * quotient of a larger scale, one that does not fit 128 bits at it, and a division by zero, are
 * errors of the operations, and then PostgreSQL's own plan answers.
 */
#include "postgres.h"

#include <math.h>

#include "plan/lower/lower_parts.h"
#include "plan/lower/numeric/lower_wide.h"
#include "plan/lower/numeric/numeric_operand.h"
#include "plan/lower/numeric/numeric_parts.h"
#include "program/numeric_page.h"
#include "program/ops_quotient.h"

/* A divisor of which nothing is known is taken to be below this. */
#define USUAL_DIVISOR 1e8

/* The place of a magnitude's first digit to the base 10000. */
static int
place_of(double magnitude)
{
	return (int) floor(log10(magnitude) / DIGITS_OF_ONE);
}

/* The largest magnitude that is expected; 0: it is not known, or the number is zero. */
static double
expected_magnitude(const NumericOperand *operand)
{
	return operand->info.most * pow(10, -operand->info.scale);
}

/* Has a quotient no number, or a scale that is not told by the operands' numbers? */
static bool
is_special(const NumericOperand *divisor, const DisplayScale *shown)
{
	return display_scale_has_none(shown) ||
		(divisor->constant != NULL && expected_magnitude(divisor) == 0);
}

/* The largest scale that a quotient is expected to have. */
static int
expected_scale(const NumericOperand *dividend, const NumericOperand *divisor)
{
	double		least = dividend->constant == NULL ? pow(10, -dividend->info.scale) :
		expected_magnitude(dividend);
	double		most = expected_magnitude(divisor);
	int			place = (least > 0 ? Min(place_of(least), 0) : 0) -
		place_of(most > 0 ? most : USUAL_DIVISOR / 10) - 1;

	return Max(QUOTIENT_DIGITS - place * DIGITS_OF_ONE,
			   Max(dividend->info.scale, divisor->info.scale));
}

/* The register of the scale that each quotient has, by its operands at a scale. */
static int
scale_register(Lowering *l, const int *regs, int scale, const DisplayScale *shown)
{
	int			at = lower_int4(l, scale);
	int			first = at < 0 ? -1 : lower_op(l, OP_numeric_leading, regs[0], at);
	int			second = first < 0 ? -1 : lower_op(l, OP_numeric_leading, regs[1], at);
	int			least = second < 0 ? -1 : display_scale_register(l, shown);

	return least < 0 ? -1 :
		lower_op(l, OP_display_scale_max, lower_op(l, OP_quotient_scale, first, second), least);
}

/* The quotients of the operands' registers, each at its own scale, in units of info->scale. */
static int
quotient_register(Lowering *l, const int *regs, int each, const NumericInfo *info)
{
	int			by = lower_op(l, OP_quotient_divisor, regs[1], each);
	int			quotient = by < 0 ? -1 : lower_op(l, OP_numeric_quotient, regs[0], by);
	int			scale = quotient < 0 ? -1 : lower_int4(l, info->scale);

	return scale < 0 ? -1 :
		lower_op(l, OP_wide_raise, quotient, lower_op(l, OP_int4_sub, scale, each));
}

int
lower_division(Lowering *l, List *args, NumericInfo *info)
{
	NumericOperand operands[2];
	const DisplayScale *shown;
	int			regs[2];
	int			scale;
	int			each = -1;

	if (!numeric_operand(l, linitial(args), false, &operands[0]) ||
		!numeric_operand(l, lsecond(args), false, &operands[1]))
		return -1;
	scale = Max(operands[0].info.scale, operands[1].info.scale);
	shown = display_scale_larger(operands[0].info.shown, operands[1].info.shown);
	if (numeric_operand_is_wide(l, &operands[0], scale) ||
		numeric_operand_is_wide(l, &operands[1], scale) || is_special(&operands[1], shown))
		return lower_reject(l, REJECTED_NUMERIC, _("this division of numerics is not supported"));
	info->scale = expected_scale(&operands[0], &operands[1]);
	info->most = operands[0].info.most * pow(10, info->scale - operands[0].info.scale) /
		(operands[1].constant == NULL ? 1 : expected_magnitude(&operands[1]));
	if (!check_size(l, info))
		return -1;
	for (int i = 0; i < 2; i++)
		if ((regs[i] = numeric_operand_at(l, &operands[i], scale, false)) < 0)
			return -1;
	each = scale_register(l, regs, scale, shown);
	if (each < 0)
		return -1;
	info->shown = display_scale_computed(each);
	return quotient_register(l, regs, each, info);
}
