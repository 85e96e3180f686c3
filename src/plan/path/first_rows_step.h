/*
 * first_rows_step.h
 *	  Steps of a query that take the first rows of each group of a table's.
 */
#ifndef GPUAGG_FIRST_ROWS_STEP_H
#define GPUAGG_FIRST_ROWS_STEP_H

#include "plan/path/grouping.h"

/* What a step takes the first rows of, and which. */
typedef struct FirstRowsStep
{
	PathTarget *target;			/* its output, */
	PathTarget *input;			/* and its input: what the node puts out if it is ranked above */
	List	   *junk;			/* Expr, of target, whose values are not used */
	List	   *keys;			/* SortGroupClause: of the groups; NIL: all rows are one */
	List	   *order;			/* SortGroupClause: of the rows of a group */
	RowNumbering numbering;
	int			count;			/* the greatest number of a row that is wanted; of EVERY_ROW 1 */
	bool		distinct;		/* it is DISTINCT ON */
	bool		ordered;		/* it sorts these rows again, */
	bool		ends_early;		/* where PostgreSQL reads them in that order */
} FirstRowsStep;

/* Take a step apart.  Returns NULL, or why it can never be taken (a phrase, palloc'd or constant). */
extern const char *first_rows_examine(Grouping *grouping, PlannerInfo *root, RelOptInfo *input_rel,
									  const FirstRowsStep *step);

/* Let the node evaluate conditions of the rows, too.  False: it cannot have their columns. */
extern bool first_rows_add_conditions(Grouping *grouping, List *conditions);

/* The window of which a query takes no more than the first rows, or NULL. */
extern const WindowClause *first_rows_window(const RelOptInfo *window_rel);

/* The same with SELECT DISTINCT ON, and with such a window. */
extern const char *first_rows_examine_distinct(Grouping *grouping, PlannerInfo *root,
											   RelOptInfo *input_rel);
extern const char *first_rows_examine_window(Grouping *grouping, PlannerInfo *root,
											 RelOptInfo *input_rel, RelOptInfo *window_rel);

/* PostgreSQL's cheapest path for those two; NULL: there is none of its own. */
extern Path *first_rows_native_path(const RelOptInfo *rel);

/* Its path to the rows that such a step's node puts out, or more of them, to be a child; NULL likewise. */
extern Path *first_rows_native_rows(const Grouping *grouping, RelOptInfo *rel);

/* The step's path over the node's, where PostgreSQL decides among its rows. */
extern Path *first_rows_ranked_path(PlannerInfo *root, Path *rows, RelOptInfo *rel);

/* How many rows the step has of so many groups, and what fetching them costs. */
extern double first_rows_count(const Grouping *grouping, double groups);
extern Cost first_rows_fetch_cost(const Grouping *grouping, double rows, double pages);

/* The node's columns: what its output is made of. */
extern List *first_rows_scan_tlist(const Grouping *grouping);

/*
 * The node's output, without window functions, which EXPLAIN shows of WindowAgg only, and NULL where
 * values are not used.
 */
extern List *first_rows_tlist(const Grouping *grouping, List *tlist);

#endif							/* GPUAGG_FIRST_ROWS_STEP_H */
