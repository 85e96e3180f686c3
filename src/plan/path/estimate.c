/*
 * estimate.c
 *	  How many groups a grouping step has: PostgreSQL's own rules, and key_values.c.  And how wide
 *	  a value is.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_statistic_ext.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"

#include "plan/path/grouping.h"
#include "plan/path/top.h"

static double
groups_by_columns(const Grouping *grouping, List *keys)
{
	return estimate_num_groups(grouping->root, keys,
							   grouping->input_rel->cheapest_total_path->rows, NULL, NULL);
}

/* By PostgreSQL's rules, but no more than keys of few values have combinations. */
static double
groups_of(const Grouping *grouping, List *keys)
{
	double		groups = keys == NIL ? 1 : groups_by_columns(grouping, keys);
	double		combinations = 1;
	List	   *others = NIL;
	ListCell   *lc;

	foreach(lc, keys)
	{
		double		values = key_values(grouping->root, lfirst(lc));

		if (values > 0)
			combinations *= values;
		else
			others = lappend(others, lfirst(lc));
	}
	if (list_length(others) == list_length(keys))
		return groups;
	if (others != NIL)
		combinations *= groups_by_columns(grouping, others);
	return clamp_row_est(Min(groups, combinations));
}

/* Does a set have all keys? */
static bool
finest_is_a_set(const Grouping *grouping)
{
	ListCell   *lc;

	foreach(lc, grouping->sets)
	{
		if (list_length(lfirst(lc)) == list_length(grouping->input_keys))
			return true;
	}
	return false;
}

/* Do statistics tell how the columns of a table depend on each other? */
static bool
dependence_is_known(PlannerInfo *root, List *keys)
{
	Relids		relids = pull_varnos(root, (Node *) keys);
	int			relid = -1;

	while ((relid = bms_next_member(relids, relid)) >= 0)
	{
		RelOptInfo *rel = relid < root->simple_rel_array_size ? root->simple_rel_array[relid] : NULL;
		ListCell   *lc;

		if (rel == NULL)
			continue;
		foreach(lc, rel->statlist)
		{
			if (lfirst_node(StatisticExtInfo, lc)->kind == STATS_EXT_NDISTINCT)
				return true;
		}
	}
	return false;
}

/*
 * The groups that the rows would have if the keys did not depend on each other, but for those
 * of the same columns.
 */
static double
independent_groups(const Grouping *grouping, const List *keys)
{
	double		rows = grouping->input_rel->cheapest_total_path->rows;
	double		combinations = 1;
	List	   *seen = NIL;
	ListCell   *lc;

	foreach(lc, keys)
	{
		List	   *vars = pull_var_clause(lfirst(lc), PVC_RECURSE_AGGREGATES |
										   PVC_RECURSE_WINDOWFUNCS | PVC_RECURSE_PLACEHOLDERS);

		if (list_difference(vars, seen) != NIL)
			combinations *= groups_of(grouping, list_make1(lfirst(lc)));
		seen = list_concat_unique(seen, vars);
	}
	return combinations * -expm1(-rows / combinations);
}

/*
 * Groups of all keys of grouping sets and all arguments, though no set has all of them, so that
 * PostgreSQL's plan need not make them.  Its rule, that columns of one table have no more combinations than a
 * tenth of its rows, would make them too cheap here.
 */
static double
finest_groups(const Grouping *grouping)
{
	List	   *keys = grouping_engine_keys(grouping);
	double		groups = groups_of(grouping, keys);

	if ((grouping->arguments == NIL && finest_is_a_set(grouping)) ||
		dependence_is_known(grouping->root, keys))
		return groups;
	return Max(groups, independent_groups(grouping, keys));
}

/* Groups of the engine. */
static double
estimate_groups(const Grouping *grouping)
{
	PlannerInfo *root = grouping->root;
	Query	   *parse = root->parse;

	if (grouping->regroups)
		return finest_groups(grouping);
	if (grouping->rechecked != NIL)
		return grouping->rows_selected;
	if (grouping->rows_differ)
		return grouping->input_rel->rows;
	if (grouping->is_input)
		return groups_of(grouping, grouping->input_keys);
	if (grouping->of_set)
		return groups_of(grouping, list_truncate(list_copy(grouping->input_keys),
												 list_length(grouping->clause)));
	/* what has been grouped is taken to be distinct */
	if (grouping->distinct &&
		(parse->groupClause || parse->groupingSets || parse->hasAggs || root->hasHavingQual))
		return grouping->input_rel->cheapest_total_path->rows;
	return groups_of(grouping, get_sortgrouplist_exprs(grouping->clause,
													   root->processed_tlist));
}

/* Does one List of ints have all members of the other? */
static bool
has_all(const List *list, const List *part)
{
	ListCell   *lc;

	foreach(lc, part)
	{
		if (!list_member_int(list, lfirst_int(lc)))
			return false;
	}
	return true;
}

/* A set's keys, as the input has them. */
static List *
keys_of_set(const Grouping *grouping, const List *set)
{
	List	   *keys = NIL;
	ListCell   *lc;

	foreach(lc, set)
		keys = lappend(keys, list_nth(grouping->input_keys, lfirst_int(lc)));
	return keys;
}

/*
 * How often a value of an argument is another one in its set's groups, for all sets and arguments:
 * regrouping makes groups of these, too, unless they are the engine's.
 */
static double
distinct_values(const Grouping *grouping)
{
	double		values = 0;
	ListCell   *lc;
	ListCell   *argument;

	foreach(lc, grouping->sets)
		foreach(argument, grouping->arguments)
		{
			List	   *keys = lappend(keys_of_set(grouping, lfirst(lc)), lfirst(argument));

			if (list_length(keys) < list_length(grouping->input_keys) + list_length(grouping->arguments))
				values += Max(groups_of(grouping, keys), independent_groups(grouping, keys));
		}
	return values;
}

/*
 * What regrouping will do: each set takes in the groups of the smallest set that
 * has its keys, else the engine's (regroup.c).
 */
static void
estimate_regrouping(const Grouping *grouping, GroupingEstimates *estimates)
{
	double	   *groups = palloc(list_length(grouping->sets) * sizeof(double));
	ListCell   *lc;

	foreach(lc, grouping->sets)
	{
		groups[foreach_current_index(lc)] =
			groups_of(grouping, keys_of_set(grouping, lfirst(lc)));
		estimates->result_groups += groups[foreach_current_index(lc)];
	}
	estimates->made = estimates->result_groups + distinct_values(grouping);
	foreach(lc, grouping->sets)
	{
		List	   *set = lfirst(lc);
		double		least = estimates->groups;

		/* all of them serve those aggregates */
		for (int i = 0; grouping->arguments == NIL && i < list_length(grouping->sets); i++)
		{
			List	   *other = list_nth(grouping->sets, i);

			if (list_length(other) > list_length(set) && has_all(other, set))
				least = Min(least, groups[i]);
		}
		estimates->regrouped += least;
	}
}

static GroupingEstimates
estimates_of(const Grouping *grouping)
{
	GroupingEstimates estimates = {.groups = estimate_groups(grouping),.having_selectivity = 1};

	if (grouping->regroups)
		estimate_regrouping(grouping, &estimates);
	else
		estimates.result_groups = estimates.groups;
	cost_qual_eval(&estimates.having_cost, grouping->having, grouping->root);
	if (grouping->having != NIL)
		estimates.having_selectivity = clauselist_selectivity(grouping->root, grouping->having,
															  0, JOIN_INNER, NULL);
	return estimates;
}

void
estimate_grouping(Grouping *grouping)
{
	if (grouping->is_estimated)
		return;
	grouping->estimates = estimates_of(grouping);
	if (grouping->first_rows == NULL)
		grouping->top = top_groups_wanted(grouping);
	grouping->is_estimated = true;
}

int
average_width(const PlannerInfo *root, const Expr *expr)
{
	Oid			type = exprType((const Node *) expr);
	int			width = get_typlen(type);

	if (width < 0 && IsA(expr, Var) && ((const Var *) expr)->varlevelsup == 0 &&
		planner_rt_fetch(((const Var *) expr)->varno, root)->rtekind == RTE_RELATION)
		width = get_attavgwidth(planner_rt_fetch(((const Var *) expr)->varno, root)->relid,
								((const Var *) expr)->varattno);
	return width > 0 ? width : get_typavgwidth(type, exprTypmod((const Node *) expr));
}
