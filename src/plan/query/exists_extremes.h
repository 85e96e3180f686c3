/*
 * exists_extremes.h
 *	  EXISTS of rows with another value, as a condition on the least and the greatest one.
 */
#ifndef GPUAGG_EXISTS_EXTREMES_H
#define GPUAGG_EXISTS_EXTREMES_H

#include "nodes/parsenodes.h"

/*
 * A subquery of aggregates, at the level of the sublink's own, that gives true where EXISTS is true,
 * and elsewhere false or NULL, if it is one that group_subquery takes.  NULL: the sublink is no such
 * EXISTS.
 */
extern Query *exists_by_extremes(const SubLink *sublink);

#endif							/* GPUAGG_EXISTS_EXTREMES_H */
