/*
 * lower_logic.h
 *	  AND, OR, NOT, IS NULL, IS TRUE and the like.
 */
#ifndef GPUAGG_LOWER_LOGIC_H
#define GPUAGG_LOWER_LOGIC_H

#include "plan/lower/lowering.h"

extern int	lower_bool_expr(Lowering *l, const BoolExpr *expr);
extern int	lower_null_test(Lowering *l, const NullTest *test);
extern int	lower_boolean_test(Lowering *l, const BooleanTest *test);

/* AND or OR of a list, from its first member to its last. */
extern int	lower_chain(Lowering *l, OpCode op, List *args);

/* Conditions for a row, in their order. */
extern int	lower_conditions(Lowering *l, List *clauses);

#endif							/* GPUAGG_LOWER_LOGIC_H */
