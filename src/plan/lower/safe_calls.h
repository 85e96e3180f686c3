/*
 * safe_calls.h
 *	  Which calls of functions raise no error.
 */
#ifndef GPUAGG_SAFE_CALLS_H
#define GPUAGG_SAFE_CALLS_H

#include "nodes/primnodes.h"

/*
 * Can a call fail whose arguments do not?  It is a FuncExpr, a ScalarArrayOpExpr, or an OpExpr
 * or a node with its members.
 */
extern bool call_can_fail(Node *node);

/* Is the function one of these? */
extern bool function_is_among(Oid function, const Oid *functions, int n);

/*
 * safe_moments.c: is the node a date or a timestamp that is computed of the present one, and not
 * far from it, so that computing it is no error?
 */
extern bool moment_is_near(const Node *node);

#endif							/* GPUAGG_SAFE_CALLS_H */
