/*
 * joined_rows.h
 *	  How many more rows joins have than the planner estimates.
 */
#ifndef GPUAGG_JOINED_ROWS_H
#define GPUAGG_JOINED_ROWS_H

#include "nodes/pathnodes.h"

/* As a factor, of a join of these relations; 1: as many. */
extern double joined_rows_factor(PlannerInfo *root, Relids relids);

#endif							/* GPUAGG_JOINED_ROWS_H */
