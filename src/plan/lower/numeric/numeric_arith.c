/*
 * numeric_arith.c
 *	  Sums, differences, remainders and products of numerics.
 *
 * Sums need operands of one scale, so the one of lesser scale is multiplied by
 * a power of 10; products add their scales.  Whatever leaves the bits that a
 * number has is an error of the operation.
 */
#include "postgres.h"

#include <math.h>
#include "utils/regproc.h"

#include "plan/lower/lower_parts.h"
#include "plan/lower/numeric/lower_wide.h"
#include "plan/lower/numeric/numeric_operand.h"
#include "plan/lower/numeric/numeric_parts.h"
#include "program/numeric_page.h"

int
lower_aligned(Lowering *l, Oid function, OpCode op, bool compare, List *args,
			  NumericInfo *info)
{
	NumericOperand operands[2];
	int			regs[2];
	double		most = 0;
	bool		wide = false;

	if (!numeric_operand(l, linitial(args), compare, &operands[0]) ||
		!numeric_operand(l, lsecond(args), compare, &operands[1]))
		return -1;
	info->scale = Max(operands[0].info.scale, operands[1].info.scale);
	info->shown = display_scale_larger(operands[0].info.shown, operands[1].info.shown);
	for (int i = 0; i < 2; i++)
	{
		most += operands[i].info.most * pow(10, info->scale - operands[i].info.scale);
		wide |= numeric_operand_is_wide(l, &operands[i], info->scale);
	}
	info->most = most;
	if (!check_size(l, info))
		return -1;
	wide |= !compare && most >= NUMERIC64_MOST;
	if (wide && wide_op(op) < 0)
		return lower_reject(l, REJECTED_NUMERIC, _("function %s is not supported over numerics of 128 bits"),
							format_procedure(function));
	for (int i = 0; i < 2; i++)
	{
		regs[i] = numeric_operand_at(l, &operands[i], info->scale, wide);
		if (regs[i] < 0)
			return -1;
	}
	return program_add_op(l->builder, wide ? (OpCode) wide_op(op) : op,
						  regs[0], regs[1]);
}

int
lower_product(Lowering *l, List *args, NumericInfo *info)
{
	ProgramBuilder *b = l->builder;
	NumericInfo infos[2];
	int			first = lower_numeric(l, linitial(args), &infos[0]);
	int			second = first < 0 ? -1 : lower_numeric(l, lsecond(args), &infos[1]);

	if (second < 0)
		return -1;
	info->scale = infos[0].scale + infos[1].scale;
	info->most = infos[0].most * infos[1].most;
	info->shown = display_scale_added(infos[0].shown, infos[1].shown);
	if (!check_size(l, info))
		return -1;
	if (is_wide(l, first) || is_wide(l, second))
		return program_add_op(b, OP_wide_mul, make_wide(l, first), make_wide(l, second));
	return program_add_op(b, info->scale > NUMERIC64_MAX_SCALE || info->most >= NUMERIC64_MOST ?
						  OP_wide_product : OP_int8_mul, first, second);
}
