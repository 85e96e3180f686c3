/*
 * ordered_step.c
 *	  Queries that sort a table's rows and take the first ones.
 *
 * SELECT ... ORDER BY ... LIMIT n OFFSET m takes the first n + m rows of the table, or of one that
 * others are joined to, in that order: the first rows of one group without keys
 * (first_rows_step.c).  The node gives them in any order, and more where rows are equal by the keys
 * of the order that it knows; PostgreSQL's Sort and Limit are above it.  Or the node gives every row
 * that passes (selection_step.c), where these are few.
 *
 * The native child has a limit, too, so that its sort keeps the first rows only.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"

#include "plan/path/first_rows_step.h"
#include "plan/path/ordered_step.h"
#include "plan/path/selection_step.h"
#include "plan/path/top.h"
#include "plan/query/takes_rows.h"
#include "program/first_rows.h"

/* Are the rows, or of a join the columns of them that leave the query, those of one table? */
static bool
rows_are_of_table(const PlannerInfo *root, const RelOptInfo *rel)
{
	if (rel->reloptkind == RELOPT_JOINREL)
		return bms_membership(pull_varnos((PlannerInfo *) root, (Node *) root->processed_tlist)) ==
			BMS_SINGLETON;
	return rel->reloptkind == RELOPT_BASEREL && rel->rtekind == RTE_RELATION;
}

bool
ordered_step_is_wanted(const PlannerInfo *root, const RelOptInfo *input_rel)
{
	return query_takes_rows(root->parse) && root->sort_pathkeys != NIL &&
		(top_rows_taken(root->parse) > 0 || input_rel->baserestrictinfo != NIL) &&
		rows_are_of_table(root, input_rel);
}

/* The path of which the query takes the least, in costs; NULL: there is none. */
static const Path *
cheapest_part(const PlannerInfo *root, const RelOptInfo *ordered_rel, Cost *cost)
{
	double		taken = top_rows_taken(root->parse);
	const Path *best = NULL;
	ListCell   *lc;

	foreach(lc, ordered_rel->pathlist)
	{
		const Path *path = lfirst(lc);
		double		share = taken < 0 ? 1 : Min(1, taken / Max(path->rows, 1));
		Cost		part = path->startup_cost + (path->total_cost - path->startup_cost) * share;

		if (best != NULL && part >= *cost)
			continue;
		best = path;
		*cost = part;
	}
	return best;
}

Cost
ordered_step_native_cost(const PlannerInfo *root, const RelOptInfo *ordered_rel)
{
	Cost		cost = INFINITY;

	(void) cheapest_part(root, ordered_rel, &cost);
	return cost;
}

/* Does the path read all rows before the first one leaves it? */
static bool
sorts_all_rows(const Path *path)
{
	while (IsA(path, ProjectionPath) || IsA(path, GatherMergePath))
		path = IsA(path, ProjectionPath) ? ((const ProjectionPath *) path)->subpath :
			((const GatherMergePath *) path)->subpath;
	return IsA(path, SortPath);
}

/* May PostgreSQL read the rows in their order, so that a cursor's current row can be updated? */
static bool
may_be_updated(const RelOptInfo *ordered_rel)
{
	ListCell   *lc;

	foreach(lc, ordered_rel->pathlist)
		if (!sorts_all_rows(lfirst(lc)))
			return selection_step_is_for_cursor();
	return false;
}

/* Why the first rows of the order cannot be kept, or NULL. */
static const char *
examine_count(double count)
{
	if (count < 0)
		return "all rows are wanted";
	return count > FIRST_ROWS_MAX ? psprintf("more than %d rows are wanted", FIRST_ROWS_MAX) : NULL;
}

const char *
ordered_step_examine(Grouping *grouping, PlannerInfo *root, RelOptInfo *input_rel,
					 const RelOptInfo *ordered_rel, bool every_row)
{
	const Query *parse = root->parse;
	double		count = top_rows_taken(parse);
	const char *reason = every_row ? NULL : examine_count(count);
	Cost		cost;
	const Path *native = cheapest_part(root, ordered_rel, &cost);

	if (native == NULL)
		return "PostgreSQL has no path of its own for the step";
	if (may_be_updated(ordered_rel))
		return "a cursor's current row may be updated";
	if (reason != NULL)
		return reason;
	return first_rows_examine(grouping, root, input_rel, &(FirstRowsStep)
							  {
								  .target = native->pathtarget,
								  .order = parse->sortClause,
								  .numbering = every_row ? EVERY_ROW :
								  parse->limitOption == LIMIT_OPTION_WITH_TIES ?
								  NUMBER_OF_RANK : NUMBER_OF_ROW,
								  .count = every_row ? 1 : (int) count,
								  .ordered = true,
								  .ends_early = root->tuple_fraction > 0 && !sorts_all_rows(native)
							  });
}

Path *
ordered_step_native_path(const Grouping *grouping, RelOptInfo *ordered_rel)
{
	PlannerInfo *root = grouping->root;
	int64		count = (int64) top_rows_taken(root->parse);
	Node	   *limit = (Node *) makeConst(INT8OID, -1, InvalidOid, sizeof(int64),
										   Int64GetDatum(count), false, FLOAT8PASSBYVAL);
	Path	   *path = grouping->input_rel->cheapest_total_path;

	path = (Path *) create_sort_path(root, ordered_rel, path, root->sort_pathkeys, (double) count);
	if (!equal(path->pathtarget->exprs, grouping->target->exprs))
		path = apply_projection_to_path(root, ordered_rel, path, grouping->target);
	if (count < 0)
		return path;
	return (Path *) create_limit_path(root, ordered_rel, path, NULL, limit,
									  root->parse->limitOption, 0, count);
}

Path *
ordered_step_path(PlannerInfo *root, Path *rows, RelOptInfo *ordered_rel)
{
	return (Path *) create_sort_path(root, ordered_rel, rows, root->sort_pathkeys,
									 top_rows_taken(root->parse));
}
