/*
 * planning.c
 *	  How queries are planned.
 *
 * A query of which there is another one with the same rows (plan/query/rewrite.h) is
 * planned once more, as that one, and the plan that costs less is taken, if an engine has a part in
 * it: PostgreSQL's own plans are of the query as it is.
 */
#include "postgres.h"

#include "nodes/extensible.h"
#include "optimizer/planner.h"

#include "compat.h"
#include "exec/node/node.h"
#include "guc.h"
#include "plan/path/path.h"
#include "plan/path/report.h"
#include "plan/path/selection_step.h"
#include "plan/plan_info.h"
#include "plan/query/rewrite.h"

/* A plan that costs less is taken as it is; and if it would only select rows in another way. */
#define LEAST_COST 500
#define LEAST_COST_TO_SELECT 5000

/*
 * Before 18, a plan that has what an enable_* setting forbids costs more than this, which tells nothing
 * of how long its scans take.
 */
#define FORBIDDEN_COST 1e10

/*
 * A rewritten query's plan is taken if it costs less than this share of the query's own: tables by
 * index, as subqueries are often asked for, take less time than their costs say.
 */
#define WORTHWHILE 0.75

static planner_hook_type prev_planner_hook = NULL;

/* Another query with the same rows: whether there may be one, and to make it, in place. */
typedef struct Rewriting
{
	bool		(*may) (Query *query);
	bool		(*rewrite) (Query *query);
	Cost		least;			/* plans that cost less are taken as they are, */
	bool		forced;			/* but with force, which takes a plan in which engines do more */
	bool		rows;			/* that is to find rows of tables */
	bool		cursors;		/* of cursors' queries, too */
} Rewriting;

static const Rewriting rewritings[] = {
	{may_rewrite_query, rewrite_query, LEAST_COST, true, false, true},
	{may_rewrite_to_places, rewrite_to_places, LEAST_COST, true, true, false},
	{may_group_sorted_rows, group_sorted_rows, LEAST_COST, true, false, false},
	{may_select_rows, select_rows, LEAST_COST_TO_SELECT, false, true, false}
};

static int	count_nodes(const Plan *plan, bool rows);

static int
count_nodes_in(const List *plans, bool rows)
{
	int			count = 0;
	ListCell   *lc;

	foreach(lc, plans)
		count += count_nodes(lfirst(lc), rows);
	return count;
}

/* Does a GpuAgg node give rows of a table? */
static bool
gives_rows(const CustomScan *scan)
{
	return plan_info_from_list(scan->custom_private)->first_rows != NULL;
}

/* Of a GpuAgg node's children, the first is its fallback. */
static int
count_custom(const CustomScan *scan, bool rows)
{
	if (scan->methods != &gpuagg_scan_methods)
		return count_nodes_in(scan->custom_plans, rows);
	if (!rows || gives_rows(scan))
		return 1;
	return count_nodes_in(list_copy_tail(scan->custom_plans, 1), rows);
}

/* The GpuAgg nodes of a plan, or those that give rows of a table, without those below one. */
static int
count_nodes(const Plan *plan, bool rows)
{
	if (plan == NULL)
		return 0;
	switch (nodeTag(plan))
	{
		case T_CustomScan:
			return count_custom((const CustomScan *) plan, rows);
		case T_Append:
			return count_nodes_in(((const Append *) plan)->appendplans, rows);
		case T_MergeAppend:
			return count_nodes_in(((const MergeAppend *) plan)->mergeplans, rows);
		case T_SubqueryScan:
			return count_nodes(((const SubqueryScan *) plan)->subplan, rows);
		default:
			return count_nodes(plan->lefttree, rows) + count_nodes(plan->righttree, rows);
	}
}

static int
count_engines(const PlannedStmt *plan, bool rows)
{
	return count_nodes(plan->planTree, rows) + count_nodes_in(plan->subplans, rows);
}

/* Is the plan of a rewritten query to be taken in the place of another one? */
static bool
is_better(const PlannedStmt *rewritten, const PlannedStmt *own, const Rewriting *rewriting)
{
	int			engines = count_engines(rewritten, rewriting->rows);
	bool		more = engines > count_engines(own, rewriting->rows);

	if (rewriting->rows ? !more : engines == 0)
		return false;
	if (rewriting->forced && gpuagg_mode == MODE_FORCE && more)
		return true;
	return (!rewriting->rows || own->planTree->total_cost < FORBIDDEN_COST) &&
		compat_disabled_nodes(rewritten->planTree) <= compat_disabled_nodes(own->planTree) &&
		rewritten->planTree->total_cost < own->planTree->total_cost * WORTHWHILE;
}

/* Whose turn it is after this hook. */
static planner_hook_type
next_planner(void)
{
	return prev_planner_hook ? prev_planner_hook : standard_planner;
}

/* What the planner is given beside a query. */
typedef struct PlannerInput
{
	const char *query_string;
	int			cursor_options;
	bool		reported;		/* somebody asks for reports */
	COMPAT_PLANNER_MEMBERS(params);
} PlannerInput;

static PlannedStmt *
plan_next(Query *query, const PlannerInput *in)
{
	return next_planner()(query, in->query_string, in->cursor_options,
						  COMPAT_PLANNER_MEMBER_ARGS(in));
}

/*
 * May the row that a cursor is at be updated?  PostgreSQL's plan can be a scan of one table though the
 * query names others, or an Append of such scans.
 */
static bool
may_be_updated(const Query *query)
{
	return !query->hasAggs && !query->hasWindowFuncs && query->groupClause == NIL &&
		query->groupingSets == NIL && query->distinctClause == NIL;
}

/* Is it worth the time to plan another query? */
static bool
is_worthwhile(const PlannedStmt *plan, const Query *query, const Rewriting *rewriting)
{
	/* the first rows are wanted, and may be updated, or read backward */
	if (selection_step_is_for_cursor() && (!rewriting->cursors || may_be_updated(query)))
		return false;
	return plan->planTree->total_cost >= rewriting->least ||
		(rewriting->forced && gpuagg_mode == MODE_FORCE);
}

/* The better one of a plan, and that of the query rewritten. */
static PlannedStmt *
better_plan(PlannedStmt *plan, const Query *query, const PlannerInput *in, const Rewriting *rewriting)
{
	Query	   *copy = copyObject((Query *) query);
	PlannerRun *own;
	PlannedStmt *other;

	if (!rewriting->rewrite(copy))
		return plan;
	own = report_switch(report_begin(in->reported));
	other = plan_next(copy, in);
	if (is_better(other, plan, rewriting))
		return other;
	report_switch(own);
	return plan;
}

/* The plan of a query, or of one with the same rows. */
static PlannedStmt *
best_plan(Query *query, const PlannerInput *in)
{
	bool		may[lengthof(rewritings)];
	Query	   *copy = NULL;
	PlannedStmt *plan;

	for (int i = 0; i < (int) lengthof(rewritings); i++)
	{
		may[i] = gpuagg_mode != MODE_OFF && rewritings[i].may(query);
		/* planning changes the query */
		if (may[i] && copy == NULL)
			copy = copyObject(query);
	}
	plan = plan_next(query, in);
	for (int i = 0; i < (int) lengthof(rewritings); i++)
		if (may[i] && is_worthwhile(plan, copy, &rewritings[i]))
			plan = better_plan(plan, copy, in, &rewritings[i]);
	return plan;
}

static PlannedStmt *
plan_query(Query *query, const char *query_string, int cursor_options,
		   COMPAT_PLANNER_PARAMS(params))
{
	List	  **reports = report_into(NULL);
	PlannerRun *outer = report_switch(report_begin(reports != NULL));
	/* a cursor's is planned so whatever cursor_tuple_fraction is */
	bool		for_cursor = selection_step_for_cursor(cursor_options & CURSOR_OPT_FAST_PLAN);
	PlannerInput in = {query_string, cursor_options, reports != NULL, COMPAT_PLANNER_ARGS(params)};
	PlannedStmt *volatile result;

	path_come_last();
	PG_TRY();
	{
		result = best_plan(query, &in);
		report_finish(result, reports);
	}
	PG_FINALLY();
	{
		selection_step_for_cursor(for_cursor);
		report_switch(outer);
	}
	PG_END_TRY();
	return result;
}

void
planning_init(void)
{
	prev_planner_hook = planner_hook;
	planner_hook = plan_query;
}
