/*
 * safety.h
 *	  Which expressions raise no error, whatever rows they are evaluated for.
 */
#ifndef GPUAGG_SAFETY_H
#define GPUAGG_SAFETY_H

#include "nodes/primnodes.h"

/*
 * Is evaluating the expression, clause (RestrictInfo) or list of them sure to raise no error,
 * but for lack of memory?  False if that is not known.
 */
extern bool cannot_fail(Node *node);

#endif							/* GPUAGG_SAFETY_H */
