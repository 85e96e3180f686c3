/*
 * explain_option.c
 *	  EXPLAIN (GPUAGG): what becomes of each grouping of the query.
 *
 * PostgreSQL 18 and later have options of extensions.  The reports are taken when
 * EXPLAIN has its query planned, and shown below the plan, when the executor has
 * asked whether the user may read the tables.  EXPLAIN EXECUTE has no reports: its
 * plan may have been made before.
 */
#include "postgres.h"

#include "compat.h"
#include "exec/sql/explain_option.h"

#if PG_VERSION_NUM >= 180000

#include <math.h>

#include "commands/defrem.h"
#include "commands/explain.h"
#include "nodes/parsenodes.h"

#include "plan/path/report.h"

/* What EXPLAIN's state has of the option, if it is given. */
typedef struct ExplainOption
{
	bool		on;
	bool		planned;		/* reports are those of a plan */
	List	   *reports;
} ExplainOption;

static int	extension;
static ExplainOneQuery_hook_type prev_explain_query = NULL;
static explain_per_plan_hook_type prev_per_plan = NULL;

static void
set_option(ExplainState *es, DefElem *opt, ParseState *pstate)
{
	ExplainOption *option = palloc0(sizeof(ExplainOption));

	option->on = defGetBoolean(opt);
	SetExplainExtensionState(es, extension, option);
}

/* The option of an EXPLAIN, or NULL: it is not given, or off. */
static ExplainOption *
option_of(ExplainState *es)
{
	ExplainOption *option = GetExplainExtensionState(es, extension);

	return option != NULL && option->on ? option : NULL;
}

static void
explain_query(Query *query, int cursor_options, IntoClause *into, ExplainState *es,
			  const char *query_string, ParamListInfo params, QueryEnvironment *environment)
{
	ExplainOption *option = option_of(es);
	List	  **before = report_into(NULL);

	if (option != NULL)
	{
		option->planned = true;
		option->reports = NIL;
		report_into(&option->reports);
	}
	PG_TRY();
	{
		(prev_explain_query ? prev_explain_query : standard_ExplainOneQuery)
			(query, cursor_options, into, es, query_string, params, environment);
	}
	PG_FINALLY();
	{
		report_into(before);
	}
	PG_END_TRY();
}

static void
show_costs(const GroupingReport *report, ExplainState *es)
{
	if (!es->costs)
		return;
	if (report->engine != NULL)
		ExplainPropertyFloat("Cost", NULL, report->cost, 2, es);
	if (!isinf(report->native_cost))
		ExplainPropertyFloat("PostgreSQL Cost", NULL, report->native_cost, 2, es);
}

static void
show_report(const GroupingReport *report, ExplainState *es)
{
	ExplainOpenGroup("Grouping", NULL, true, es);
	ExplainPropertyText("Grouping", psprintf("%s of %s", report->step, report->place), es);
	if (es->format == EXPLAIN_FORMAT_TEXT)
		es->indent++;
	if (report->aggregates != NULL && es->verbose)
		ExplainPropertyText("Aggregates", report->aggregates, es);
	ExplainPropertyBool("Taken", report->fate == GROUPING_TAKEN, es);
	if (report->engine != NULL)
		ExplainPropertyText("Engine", report->engine, es);
	show_costs(report, es);
	if (report->reason != NULL)
		ExplainPropertyText("Reason", report->reason, es);
	if (report->hint != NULL)
		ExplainPropertyText("Hint", report->hint, es);
	if (es->format == EXPLAIN_FORMAT_TEXT)
		es->indent--;
	ExplainCloseGroup("Grouping", NULL, true, es);
}

static void
show_reports(PlannedStmt *plan, IntoClause *into, ExplainState *es, const char *query_string,
			 ParamListInfo params, QueryEnvironment *environment)
{
	ExplainOption *option = option_of(es);
	ListCell   *lc;

	if (prev_per_plan)
		prev_per_plan(plan, into, es, query_string, params, environment);
	if (option == NULL)
		return;
	if (!option->planned)
	{
		ExplainPropertyText("Groupings", "not known, the plan was made before", es);
		return;
	}
	ExplainOpenGroup("Groupings", "Groupings", false, es);
	foreach(lc, option->reports)
		show_report(lfirst(lc), es);
	ExplainCloseGroup("Groupings", "Groupings", false, es);
}

void
explain_option_init(void)
{
	extension = GetExplainExtensionId("gpuagg");
	COMPAT_REGISTER_EXPLAIN_OPTION("gpuagg", set_option);
	prev_explain_query = ExplainOneQuery_hook;
	ExplainOneQuery_hook = explain_query;
	prev_per_plan = explain_per_plan_hook;
	explain_per_plan_hook = show_reports;
}

#else

void
explain_option_init(void)
{
}

#endif
