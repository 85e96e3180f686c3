/*
 * numeric_operand.h
 *	  Operands of numeric operations, at the scale and width that these need.
 */
#ifndef GPUAGG_NUMERIC_OPERAND_H
#define GPUAGG_NUMERIC_OPERAND_H

#include "plan/lower/lowering.h"
#include "plan/lower/numeric/numeric_scale.h"

/*
 * A numeric operand.  Constants are not lowered before the scale is known at
 * which they are wanted.
 */
typedef struct NumericOperand
{
	const Const *constant;		/* or NULL */
	int			reg;
	NumericInfo info;
} NumericOperand;

/* Lower one; trim: a constant's zeros at the end do not matter. */
extern bool numeric_operand(Lowering *l, Expr *expr, bool trim, NumericOperand *operand);

/* Does it need 128 bits, or is it expected to, at a scale that is not below its own? */
extern bool numeric_operand_is_wide(Lowering *l, const NumericOperand *operand, int scale);

/* Its register there. */
extern int	numeric_operand_at(Lowering *l, const NumericOperand *operand, int scale, bool wide);

/* A numeric that is an operand of nothing. */
extern int	lower_numeric_const(Lowering *l, Expr *constant, NumericInfo *info);

/* A numeric at a scale as an int8; NULL: it does not fit. */
extern Const *scaled_const(Datum value, bool isnull, int scale);

/* The register of a value of scale `from` at scale `to`, which is not less. */
extern int	raise_scale(Lowering *l, int reg, int from, int to);

#endif							/* GPUAGG_NUMERIC_OPERAND_H */
