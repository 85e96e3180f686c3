/*
 * explain_query.c
 *	  What becomes of each grouping of a query, for SQL: gpuagg_explain(query).
 *
 * The query is analyzed, rewritten and planned as EXPLAIN does it, and not
 * executed.  Parameters, $1 and so on, have no values: as in a generic plan.
 * Nothing is told unless the user may read the query's tables, as EXPLAIN asks
 * it when it prepares execution.
 */
#include "postgres.h"

#include <math.h>

#include "fmgr.h"
#include "funcapi.h"
#include "nodes/parsenodes.h"
#include "rewrite/rewriteHandler.h"
#include "tcop/tcopprot.h"
#include "tcop/utility.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"

#include "compat.h"
#include "plan/path/report.h"

#define COLUMNS 10

PG_FUNCTION_INFO_V1(gpuagg_explain_query);

/* The query within a utility statement that has one, before rewriting. */
static Query *
query_of_utility(Node *statement)
{
	Node	   *query = NULL;

	if (IsA(statement, CreateTableAsStmt))
		query = ((CreateTableAsStmt *) statement)->query;
	else if (IsA(statement, DeclareCursorStmt))
		query = ((DeclareCursorStmt *) statement)->query;
	else if (IsA(statement, ExplainStmt))
		query = ((ExplainStmt *) statement)->query;
	if (query == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("gpuagg_explain does not take %s", CreateCommandName(statement)),
				 errhint("Give the query itself.")));
	return castNode(Query, query);
}

/*
 * The planner's queries of a rewritten one: itself, or those within.  A NOTIFY that
 * a rule has added has none.
 */
static List *
plannable_queries(Query *query)
{
	List	   *queries = NIL;
	ListCell   *lc;

	if (query->commandType != CMD_UTILITY)
		return list_make1(query);
	if (query->querySource != QSRC_ORIGINAL)
		return NIL;
	query = query_of_utility(query->utilityStmt);
	if (query->commandType == CMD_UTILITY)
		return plannable_queries(query);
	foreach(lc, QueryRewrite(copyObject(query)))
		queries = list_concat(queries, plannable_queries(lfirst_node(Query, lc)));
	return queries;
}

/* Parse, analyze and rewrite. */
static List *
queries_of(const char *query_string)
{
	List	   *statements = pg_parse_query(query_string);
	List	   *queries = NIL;
	Oid		   *types = NULL;
	int			ntypes = 0;
	ListCell   *lc;

	if (list_length(statements) != 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("gpuagg_explain takes one statement, not %d",
						list_length(statements))));
	foreach(lc, pg_analyze_and_rewrite_varparams(linitial_node(RawStmt, statements),
												 query_string, &types, &ntypes, NULL))
		queries = list_concat(queries, plannable_queries(lfirst_node(Query, lc)));
	return queries;
}

/* Plan a query; what becomes of its groupings. */
static List *
reports_of(Query *query, const char *query_string)
{
	List	   *reports = NIL;
	List	  **before = report_into(&reports);

	PG_TRY();
	{
		(void) compat_check_permissions(compat_plan_query(query, query_string), true);
	}
	PG_FINALLY();
	{
		report_into(before);
	}
	PG_END_TRY();
	return reports;
}

static void
set_text(Datum *value, bool *isnull, const char *text)
{
	*isnull = text == NULL;
	*value = *isnull ? (Datum) 0 : CStringGetTextDatum(text);
}

static void
put_report(ReturnSetInfo *result, const GroupingReport *report)
{
	Datum		values[COLUMNS];
	bool		isnull[COLUMNS] = {false};

	values[0] = Int32GetDatum(report->level);
	values[1] = CStringGetTextDatum(report->place);
	values[2] = CStringGetTextDatum(report->step);
	set_text(&values[3], &isnull[3], report->aggregates);
	values[4] = BoolGetDatum(report->fate == GROUPING_TAKEN);
	set_text(&values[5], &isnull[5], report->engine);
	values[6] = Float8GetDatum(report->cost);
	isnull[6] = report->engine == NULL;
	values[7] = Float8GetDatum(report->native_cost);
	isnull[7] = isinf(report->native_cost);
	set_text(&values[8], &isnull[8], report->reason);
	set_text(&values[9], &isnull[9], report->hint);
	tuplestore_putvalues(result->setResult, result->setDesc, values, isnull);
}

Datum
gpuagg_explain_query(PG_FUNCTION_ARGS)
{
	char	   *query_string = text_to_cstring(PG_GETARG_TEXT_PP(0));
	List	   *queries = queries_of(query_string);
	ListCell   *lc;

	InitMaterializedSRF(fcinfo, 0);
	foreach(lc, queries)
	{
		ListCell   *report;

		foreach(report, reports_of(lfirst_node(Query, lc), query_string))
			put_report((ReturnSetInfo *) fcinfo->resultinfo, lfirst(report));
	}
	return (Datum) 0;
}
