/*
 * lower_slot.h
 *	  Values that are the same for all rows: slots, and their registers.
 */
#ifndef GPUAGG_LOWER_SLOT_H
#define GPUAGG_LOWER_SLOT_H

#include "plan/lower/lowering.h"

/* Is the value the same for all rows, to be computed once by PostgreSQL? */
extern bool same_for_all_rows(Expr *expr);

/* The slot of an expression, an equal one's if there is; -1: none is free. */
extern int	lower_add_slot(Lowering *l, Expr *expr, ValueType type);

/* The register of an expression's value, which is the same for all rows. */
extern int	lower_slot_ref(Lowering *l, Expr *expr);

/* Of a slot whose bytes are made of the value: see SLOT_ZONE_TYPE. */
extern int	lower_made_slot_ref(Lowering *l, Expr *expr);

/* Of a constant: a NULL of a type, numbers. */
extern int	lower_null(Lowering *l, Oid type);
extern int	lower_int4(Lowering *l, int32 value);
extern int	lower_int8(Lowering *l, int64 value);

/* The Const of a number, or of NULL. */
extern Const *int4_const(int32 value);
extern Const *int8_const(int64 value, bool isnull);

#endif							/* GPUAGG_LOWER_SLOT_H */
