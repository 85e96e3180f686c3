/*
 * number_condition.h
 *	  Conditions on the numbers of rows.
 */
#ifndef GPUAGG_NUMBER_CONDITION_H
#define GPUAGG_NUMBER_CONDITION_H

#include "nodes/primnodes.h"

/*
 * In "left operator right", one of which is an integer constant: the other one, and the greatest
 * number, if that is what it is, that meets the condition.  NULL: the condition is of another kind.
 */
extern Node *greatest_number_of(const OpExpr *condition, int64 *number);

#endif							/* GPUAGG_NUMBER_CONDITION_H */
