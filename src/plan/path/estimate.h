/*
 * estimate.h
 *	  How many groups a grouping step has, by PostgreSQL's own rules.
 */
#ifndef GPUAGG_ESTIMATE_H
#define GPUAGG_ESTIMATE_H

#include "plan/path/grouping.h"

extern GroupingEstimates estimate_grouping(const Grouping *grouping);

#endif							/* GPUAGG_ESTIMATE_H */
