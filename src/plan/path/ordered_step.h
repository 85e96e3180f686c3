/*
 * ordered_step.h
 *	  Queries that sort a table's rows and take the first ones.
 */
#ifndef GPUAGG_ORDERED_STEP_H
#define GPUAGG_ORDERED_STEP_H

#include "plan/path/grouping.h"

/*
 * Does the query sort the rows of a table, without a step before, and take a few of them, or has it
 * conditions?  Then ordered_step_examine takes it apart, as the first rows in the order or as every
 * row that passes, and returns NULL, or why it can never be taken (a phrase, palloc'd or constant).
 */
extern bool ordered_step_is_wanted(const PlannerInfo *root, const RelOptInfo *input_rel);
extern const char *ordered_step_examine(Grouping *grouping, PlannerInfo *root,
										RelOptInfo *input_rel, const RelOptInfo *ordered_rel,
										bool every_row);

/* What the query takes of the cheapest of PostgreSQL's paths for the step, in costs. */
extern Cost ordered_step_native_cost(const PlannerInfo *root, const RelOptInfo *ordered_rel);

/* The input's rows sorted, of which PostgreSQL takes as many as the query does. */
extern Path *ordered_step_native_path(const Grouping *grouping, RelOptInfo *ordered_rel);

/* The step's path, by a node that gives the first rows in any order. */
extern Path *ordered_step_path(PlannerInfo *root, Path *rows, RelOptInfo *ordered_rel);

#endif							/* GPUAGG_ORDERED_STEP_H */
