/*
 * lower_presence.h
 *	  Whether a value is NULL, where the value itself does not matter.
 */
#ifndef GPUAGG_LOWER_PRESENCE_H
#define GPUAGG_LOWER_PRESENCE_H

#include "plan/lower/lowering.h"

/*
 * A register that is NULL where the expression is, whose value does not matter.
 * So the type of a column does not either, and a text need not be read.
 */
extern int	lower_presence(Lowering *l, Expr *expr);

#endif							/* GPUAGG_LOWER_PRESENCE_H */
