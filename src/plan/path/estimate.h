/*
 * estimate.h
 *	  How many rows and groups a grouping step has, by PostgreSQL's own rules.
 */
#ifndef GPUAGG_ESTIMATE_H
#define GPUAGG_ESTIMATE_H

#include "plan/path/grouping.h"

typedef struct GroupingEstimates
{
	double		rows;			/* read */
	double		groups;			/* the engine's */
	double		result_groups;	/* the step's */
	double		regrouped;		/* groups taken into coarser ones, by all sets */
} GroupingEstimates;

extern GroupingEstimates estimate_grouping(const Grouping *grouping,
										   const LoweredGrouping *lowered);

#endif							/* GPUAGG_ESTIMATE_H */
