/*
 * report.c
 *	  What becomes of each grouping of a query, and why.
 *
 * A report for each grouping is made while the query is planned, if
 * gpuagg.report_rejections is set or somebody asks (report_into).  Where in the
 * query it stands, and whether the planner took the path that it was offered,
 * is known when the plan is there.
 *
 * Whether the user may read the query's tables PostgreSQL asks when execution
 * begins.  So the notices are kept until the plan is there, and told if the user
 * may execute it; who takes reports has to ask for himself.
 *
 * For the cumulative statistics, rejections are counted by classes of their reasons,
 * and paths that were offered and not taken, since PostgreSQL's own cost less.  What
 * is planned only because somebody asks for its reports is not counted.
 *
 * What is planned may call functions that plan queries of their own: each run of
 * the planner has its own list, in the context that it runs in.
 */
#include "postgres.h"

#include "compat.h"
#include "guc.h"
#include "plan/path/describe.h"
#include "plan/path/first_rows_step.h"
#include "plan/path/others.h"
#include "plan/path/report.h"
#include "stats/stats.h"

struct PlannerRun
{
	bool		wanted;
	List	   *reports;
	int			rejected[NUM_REJECTION_CLASSES];
	int			offered;		/* GpuAgg paths, */
	int			taken;			/* and those that are in the plan */
};

static PlannerRun no_run;		/* what is planned is not a query's whole plan */
static PlannerRun *run = &no_run;
static List **next_reports = NULL;	/* of the next run */

/* What users are told of a fate, and could do. */
static const struct
{
	const char *reason;
	const char *hint;
}			fates[] = {
	[GROUPING_DEARER] = {
		"PostgreSQL's own plan is estimated to cost less",
		"Set gpuagg.mode to \"force\" to take it all the same."
	},
	[GROUPING_UNSORTED] = {
		NULL,					/* it names a number: report_cost */
		"Set gpuagg.mode to \"force\" to take it all the same."
	},
	[GROUPING_LATER] = {
		"the query takes a part of the rows, the first of which PostgreSQL's own plan gives sooner",
		"Set gpuagg.mode to \"force\" to take it all the same."
	},
	[GROUPING_NOT_CHOSEN] = {
		"the rest of the query is estimated to cost less with PostgreSQL's own plan",
		"Set gpuagg.mode to \"force\" to take it all the same."
	},
	[GROUPING_EMPTY] = {
		"it has no input", NULL
	},
	[GROUPING_OFF] = {
		"gpuagg.mode is \"off\"",
		"Set gpuagg.mode to \"auto\" or \"force\"."
	},
};

List **
report_into(List **reports)
{
	List	  **before = next_reports;

	next_reports = reports;
	return before;
}

GroupingReport *
report_grouping(PlannerInfo *root, UpperRelationKind stage, RelOptInfo *grouped_rel,
				List *having, Cost native_cost)
{
	GroupingReport *report;

	if (!run->wanted)
		return NULL;
	report = palloc0(sizeof(GroupingReport));
	report->root = root;
	report->level = root->query_level;
	report->step = stage == UPPERREL_WINDOW ?
		describe_window(root, first_rows_window(grouped_rel)) : describe_step(root, stage);
	if (stage == UPPERREL_GROUP_AGG)
		report->aggregates = describe_aggregates(root, grouped_rel, having);
	report->native_cost = native_cost;
	run->reports = lappend(run->reports, report);
	return report;
}

bool
reject_grouping(Rejection *rejection, RejectionClass reason_class, const char *reason)
{
	*rejection = (Rejection)
	{
		.reason = reason,.reason_class = reason_class
	};
	return false;
}

void
report_fate(GroupingReport *report, GroupingFate fate)
{
	if (report == NULL)
		return;
	report->fate = fate;
	report->reason = fates[fate].reason;
	report->hint = fates[fate].hint;
}

void
report_rejection(GroupingReport *report, const Rejection *rejection)
{
	run->rejected[rejection->reason_class]++;
	if (report == NULL)
		return;
	report->fate = GROUPING_REJECTED;
	report->reason = pstrdup(rejection->reason);
	report->hint = rejection->hint;
}

void
report_engine(GroupingReport *report, const char *engine)
{
	if (report != NULL)
		report->engine = engine;
}

void
report_join(GroupingReport *report, const char *reason)
{
	if (report != NULL && reason != NULL)
		report->join_reason = psprintf("the join is PostgreSQL's: %s", reason);
}

void
report_cost(GroupingReport *report, Cost cost, double groups, GroupingFate fate)
{
	run->offered++;
	if (report == NULL)
		return;
	report->cost = cost;
	report_fate(report, fate);
	if (fate == GROUPING_UNSORTED)
		report->reason = psprintf("PostgreSQL's own plan gives rows in an order that is needed above, which costs less than sorting %.0f groups",
								  groups);
}

void
report_offered(GroupingReport *report, const RelOptInfo *input_rel,
			   const RelOptInfo *grouped_rel, const Path *path)
{
	if (report == NULL)
		return;
	report->input_rel = input_rel;
	report->grouped_rel = grouped_rel;
	report->path = list_member_ptr(grouped_rel->pathlist, path) ? path : NULL;
}

void
report_taken(GroupingReport *report)
{
	run->taken++;
	if (report == NULL)
		return;
	report->fate = GROUPING_TAKEN;
	report->reason = report->join_reason;
	report->hint = NULL;
}

static void
tell_rejection(const GroupingReport *report)
{
	switch (report->fate)
	{
		case GROUPING_REJECTED:
		case GROUPING_UNSORTED:
		case GROUPING_LATER:
		case GROUPING_NOT_CHOSEN:
		case GROUPING_OTHERS:
			ereport(NOTICE,
					(errmsg("gpuagg leaves an aggregation to PostgreSQL: %s", report->reason)));
			break;
		case GROUPING_DEARER:
			ereport(NOTICE,
					(errmsg("gpuagg leaves an aggregation to PostgreSQL: its cost is estimated at %.0f, that of PostgreSQL's own plan at %.0f",
							report->cost, report->native_cost)));
			break;
		case GROUPING_TAKEN:
		case GROUPING_EMPTY:
		case GROUPING_OFF:
			break;
	}
}

/*
 * Whose path has won?  PostgreSQL's planner leaves a path that it has once taken where it is,
 * so that another extension has removed one that is gone.
 */
static void
examine_winner(GroupingReport *report)
{
	const RelOptInfo *rel = report->grouped_rel;
	const char *name;

	if (rel == NULL || report->fate == GROUPING_TAKEN || rel->cheapest_total_path == report->path)
		return;
	name = others_node(rel->cheapest_total_path, report->input_rel);
	if (report->path != NULL && !list_member_ptr(rel->pathlist, report->path))
	{
		report->reason = name == NULL ? "another extension has replaced GpuAgg by an aggregation of PostgreSQL's"
			: psprintf("another extension has replaced GpuAgg by custom scan \"%s\"", name);
		report->hint = "gpuagg comes after the extensions that are loaded before a session's first query.";
	}
	else if (name != NULL)
		report->reason = psprintf("another extension's custom scan \"%s\" is estimated to cost less",
								  name);
	else
		return;
	report->fate = GROUPING_OTHERS;
}

static void
count_rejections(void)
{
	for (int i = 0; i < NUM_REJECTION_CLASSES; i++)
		stats_count_rejections(i, run->rejected[i]);
	stats_count_rejections(REJECTED_COST, run->offered - run->taken);
}

PlannerRun *
report_begin(bool wanted)
{
	PlannerRun *result = palloc0(sizeof(PlannerRun));

	result->wanted = wanted || gpuagg_report_rejections;
	return result;
}

PlannerRun *
report_switch(PlannerRun *to)
{
	PlannerRun *before = run;

	run = to;
	return before;
}

void
report_finish(const PlannedStmt *plan, List **reports)
{
	bool		tells = gpuagg_report_rejections && run->reports != NIL &&
		compat_check_permissions(plan, false);
	ListCell   *lc;

	foreach(lc, run->reports)
	{
		GroupingReport *report = lfirst(lc);

		report->place = describe_place(report->root);
		examine_winner(report);
		report->root = NULL;
		report->input_rel = report->grouped_rel = NULL;
		report->path = NULL;
		if (tells)
			tell_rejection(report);
	}
	if (reports != NULL)
		*reports = run->reports;
	else
		count_rejections();
}
