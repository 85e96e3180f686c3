/*
 * report.c
 *	  What gpuagg.report_rejections tells.
 *
 * Costs and reasons are found while a query is planned, and whether the user may
 * read its tables PostgreSQL asks when execution begins.  So they are kept until
 * the plan is there, and told if the user may execute it.
 *
 * What is planned may call functions that plan queries of their own: each run of
 * the planner has its own list, in the context that it runs in.
 */
#include "postgres.h"

#include "optimizer/planner.h"

#include "compat.h"
#include "guc.h"
#include "plan/path/report.h"

static planner_hook_type prev_planner_hook = NULL;

/* The reasons that the current run of the planner has found. */
static List *rejections = NIL;

void
report_rejection(const char *reason)
{
	if (gpuagg_report_rejections)
		rejections = lappend(rejections, pstrdup(reason));
}

static void
tell_rejections(const PlannedStmt *plan)
{
	ListCell   *lc;

	if (rejections == NIL || !compat_is_permitted(plan))
		return;
	foreach(lc, rejections)
		ereport(NOTICE,
				(errmsg("gpuagg leaves an aggregation to PostgreSQL: %s",
						(const char *) lfirst(lc))));
}

static PlannedStmt *
plan_query(Query *parse, const char *query_string, int cursor_options,
		   COMPAT_PLANNER_PARAMS(params))
{
	planner_hook_type plan = prev_planner_hook ? prev_planner_hook : standard_planner;
	List	   *outer = rejections;
	PlannedStmt *result;

	rejections = NIL;
	PG_TRY();
	{
		result = plan(parse, query_string, cursor_options, COMPAT_PLANNER_ARGS(params));
		tell_rejections(result);
	}
	PG_FINALLY();
	{
		rejections = outer;
	}
	PG_END_TRY();
	return result;
}

void
report_init(void)
{
	prev_planner_hook = planner_hook;
	planner_hook = plan_query;
}
