/*
 * selection_step.h
 *	  Queries that take the rows of a table that meet its conditions.
 */
#ifndef GPUAGG_SELECTION_STEP_H
#define GPUAGG_SELECTION_STEP_H

#include "plan/path/grouping.h"

/* Is it a declared cursor's query that is planned from now on?  Returns what was said before. */
extern bool selection_step_for_cursor(bool declared);
extern bool selection_step_is_for_cursor(void);

/* Does the query take all rows of a table that meet a condition, as they come? */
extern bool selection_step_is_wanted(const PlannerInfo *root, const RelOptInfo *input_rel);

/* Take its last step apart.  Returns NULL, or why it can never be taken (a phrase). */
extern const char *selection_step_examine(Grouping *grouping, PlannerInfo *root,
										  RelOptInfo *input_rel);

/* Is the query a subquery that is run again and again, for rows of one around it? */
extern bool selection_step_is_repeated(const PlannerInfo *root);

/*
 * Let PostgreSQL evaluate conditions that engines cannot compute, of the rows that the others let
 * pass, for such a step or one that sorts every row: sets grouping->rechecked.  False: there are
 * none, or it cannot be done.
 */
extern bool selection_step_divide(Grouping *grouping);

#endif							/* GPUAGG_SELECTION_STEP_H */
