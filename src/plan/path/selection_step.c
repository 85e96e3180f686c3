/*
 * selection_step.c
 *	  Queries that take the rows of a table that meet its conditions.
 *
 * SELECT ... WHERE, of one table, is the grouping of the rows that pass by their places: each is a
 * group.  The node fetches them in the order of the places, which is that of a sequential scan.
 * The engine reads the columns of the conditions only, so that it pays where few rows pass.
 *
 * The step is the query's last one, behind which nothing sorts the rows (ordered_step.c), or
 * takes a part of them: PostgreSQL's scan ends early.  Nor is it a subquery that is run for each row
 * of the query around it, or a cursor's, whose current row UPDATE and DELETE find by PostgreSQL's
 * scan.
 *
 * Conditions that engines cannot compute PostgreSQL evaluates of the rows that are fetched.  It may do
 * so behind others only where nobody sees the order: they raise no error for a row that another one
 * leaves out, and row security does not ask for one.
 *
 * Where PostgreSQL finds the rows by an index, gpuagg.mode "force" does not take the step: whoever
 * sets it for groupings would lose all searches by key.
 */
#include "postgres.h"

#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "optimizer/planner.h"
#include "optimizer/restrictinfo.h"

#include "plan/lower/lower.h"
#include "plan/path/clauses.h"
#include "plan/path/first_rows_step.h"
#include "plan/path/selection_step.h"
#include "plan/query/takes_rows.h"

/* Of conditions that PostgreSQL evaluates, for the estimate of rows that come to them. */
#define LEAST_SELECTIVITY 1e-6

static bool for_cursor = false;

bool
selection_step_for_cursor(bool declared)
{
	bool		before = for_cursor;

	for_cursor = declared;
	return before;
}

bool
selection_step_is_for_cursor(void)
{
	return for_cursor;
}

bool
selection_step_is_repeated(const PlannerInfo *root)
{
	for (root = root->parent_root; root != NULL; root = root->parent_root)
		if (root->plan_params != NIL)
			return true;
	return false;
}

bool
selection_step_is_wanted(const PlannerInfo *root, const RelOptInfo *input_rel)
{
	Query	   *parse = root->parse;

	return input_rel->reloptkind == RELOPT_BASEREL && input_rel->rtekind == RTE_RELATION &&
		input_rel->baserestrictinfo != NIL && root->tuple_fraction == 0 &&
		query_takes_rows(parse) && parse->sortClause == NIL && !limit_needed(parse) &&
		!for_cursor && !selection_step_is_repeated(root);
}

const char *
selection_step_examine(Grouping *grouping, PlannerInfo *root, RelOptInfo *input_rel)
{
	return first_rows_examine(grouping, root, input_rel, &(FirstRowsStep)
							  {
								  .target = input_rel->cheapest_total_path->pathtarget,
								  .numbering = EVERY_ROW,
								  .count = 1
							  });
}

/* Can an engine compute the condition of a table's row? */
static bool
engine_has_condition(const Grouping *grouping, const RestrictInfo *rinfo)
{
	InputTables tables;
	List	   *clause = list_make1(rinfo->clause);
	Lowering   *l;

	if (input_tables(grouping->root, grouping->input_rel, clause, &tables) != NULL)
		return false;
	l = lower_begin_pages(grouping->root, grouping->input_rel->relid, tables.desc, tables.map);
	return lower_filter(l, clause);
}

/* Does row security, or a view, ask that conditions are evaluated in their order? */
static bool
order_is_secure(const List *rinfos)
{
	ListCell   *lc;

	foreach(lc, rinfos)
		if (lfirst_node(RestrictInfo, lc)->security_level > 0)
			return true;
	return false;
}

bool
selection_step_divide(Grouping *grouping)
{
	RelOptInfo *rel = grouping->input_rel;
	List	   *rinfos = clauses_in_order(grouping->root, rel->baserestrictinfo);
	bool		secure = order_is_secure(rinfos);
	bool		others_may_follow = true;
	bool		computes = false;
	List	   *rest = NIL;
	List	   *conditions;
	ListCell   *lc;

	foreach(lc, rinfos)
	{
		RestrictInfo *rinfo = lfirst(lc);

		if (others_may_follow && engine_has_condition(grouping, rinfo))
		{
			computes = true;
			continue;
		}
		rest = lappend(rest, rinfo);
		others_may_follow &= !secure && cannot_fail((Node *) rinfo);
	}
	conditions = get_actual_clauses(rest);
	if (!computes || rest == NIL || contain_subplans((Node *) conditions) ||
		!first_rows_add_conditions(grouping, conditions))
		return false;
	grouping->rechecked = rest;
	grouping->rows_selected = clamp_row_est(rel->rows /
											Max(clauselist_selectivity(grouping->root, rest, 0,
																	   JOIN_INNER, NULL),
												LEAST_SELECTIVITY));
	return true;
}
