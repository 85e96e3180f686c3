/*
 * conditions.h
 *	  Which conditions with subqueries raise no error.
 */
#ifndef GPUAGG_CONDITIONS_H
#define GPUAGG_CONDITIONS_H

#include "nodes/parsenodes.h"

/*
 * Is evaluating the condition for any row sure to raise no error, IN and EXISTS of plain tables in it
 * too?  values: those of subqueries that are expressions are taken to raise none; else they may.
 */
extern bool condition_cannot_fail(Node *condition, bool values);

#endif							/* GPUAGG_CONDITIONS_H */
