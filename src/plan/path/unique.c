/*
 * unique.c
 *	  Relations whose rows are likely to differ.
 *
 * Of tables, statistics tell.  A subquery's rows, or a CTE's, differ by what it groups by, and
 * otherwise as statistics of its own relations tell.  Numbers of a series differ.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "parser/parse_relation.h"
#include "parser/parsetree.h"
#include "utils/fmgroids.h"
#include "utils/selfuncs.h"

#include "plan/lower/lower.h"
#include "plan/path/star.h"

/* Rows are taken to be unique by what has so many values, in parts of their number. */
#define NEARLY_UNIQUE 0.95

/* Do statistics say that nearly all rows differ? */
static bool
nearly_all_differ(PlannerInfo *root, List *exprs, double rows)
{
	return exprs != NIL && rows > 0 &&
		estimate_num_groups(root, exprs, rows, NULL, NULL) >= NEARLY_UNIQUE * rows;
}

static const Expr *
without_casts(const Expr *expr)
{
	while (IsA(expr, RelabelType))
		expr = ((const RelabelType *) expr)->arg;
	return expr;
}

/* The columns (TargetEntry) of a query's output that expressions above it are. */
static List *
output_columns(const Query *query, List *exprs)
{
	List	   *columns = NIL;
	ListCell   *lc;

	foreach(lc, exprs)
	{
		const Var  *var = (const Var *) without_casts(lfirst(lc));
		TargetEntry *column = IsA(var, Var) ? get_tle_by_resno(query->targetList, var->varattno) : NULL;

		if (column != NULL)
			columns = list_append_unique_ptr(columns, column);
	}
	return columns;
}

/* Are all that a query groups by, or is distinct by, among the columns? */
static bool
has_all(const Query *query, List *clause, List *columns)
{
	ListCell   *lc;

	foreach(lc, clause)
		if (!list_member_ptr(columns, get_sortgroupclause_tle(lfirst(lc), query->targetList)))
			return false;
	return clause != NIL;
}

/* Is the output's every column among these? */
static bool
has_whole_output(const Query *query, List *columns)
{
	ListCell   *lc;

	foreach(lc, query->targetList)
		if (!lfirst_node(TargetEntry, lc)->resjunk && !list_member_ptr(columns, lfirst(lc)))
			return false;
	return true;
}

/* Is a query's output unique by the columns, since of each row there is but one? */
static bool
is_grouped_by(const Query *query, List *columns)
{
	if (query->setOperations != NULL)
		return !castNode(SetOperationStmt, query->setOperations)->all &&
			has_whole_output(query, columns);
	if (has_all(query, query->distinctClause, columns))
		return true;
	if (query->hasTargetSRFs || query->groupingSets != NIL)
		return false;
	if (query->groupClause == NIL)
		return query->hasAggs || query->havingQual != NULL;
	return has_all(query, query->groupClause, columns);
}

static bool
query_is_unique(PlannerInfo *root, List *exprs, double rows)
{
	List	   *columns = output_columns(root->parse, exprs);
	List	   *inner = NIL;
	ListCell   *lc;
	int			rti;

	if (is_grouped_by(root->parse, columns))
		return true;
	if (columns == NIL || root->parse->setOperations != NULL || root->parse->commandType != CMD_SELECT)
		return false;
	foreach(lc, columns)
		inner = lappend(inner, lfirst_node(TargetEntry, lc)->expr);
	/* what is above a query only, such as a LIMIT, leaves its rows as they are */
	if (bms_get_singleton_member(root->all_baserels, &rti) &&
		planner_rt_fetch(rti, root)->rtekind != RTE_RELATION && root->parse->groupClause == NIL)
		return likely_unique(root, root->simple_rel_array[rti], inner);
	return nearly_all_differ(root, inner, rows);
}

static bool
is_series(Oid function)
{
	switch (function)
	{
		case F_GENERATE_SERIES_INT4_INT4:
		case F_GENERATE_SERIES_INT4_INT4_INT4:
		case F_GENERATE_SERIES_INT8_INT8:
		case F_GENERATE_SERIES_INT8_INT8_INT8:
		case F_GENERATE_SERIES_TIMESTAMP_TIMESTAMP_INTERVAL:
			return true;
		default:
			return false;
	}
}

/* A column of a function's rows, also as a date. */
static const Var *
function_column(const Expr *expr)
{
	const FuncExpr *call = (const FuncExpr *) expr;

	if (IsA(expr, FuncExpr) && call->funcid == F_DATE_TIMESTAMP)
		expr = linitial(call->args);
	expr = without_casts(expr);
	return IsA(expr, Var) ? (const Var *) expr : NULL;
}

/* Has one of the expressions the numbers of a series, or of the function's rows? */
static bool
function_is_unique(const RangeTblEntry *rte, List *exprs)
{
	const RangeTblFunction *first = linitial_node(RangeTblFunction, rte->functions);
	bool		gives_series = list_length(rte->functions) == 1 &&
		IsA(first->funcexpr, FuncExpr) && is_series(((FuncExpr *) first->funcexpr)->funcid);
	ListCell   *lc;

	foreach(lc, exprs)
	{
		const Var  *var = function_column(lfirst(lc));

		if (var == NULL)
			continue;
		if (gives_series && var->varattno == 1)
			return true;
		if (rte->funcordinality && var->varattno == list_length(rte->eref->colnames))
			return true;
	}
	return false;
}

bool
likely_unique(PlannerInfo *root, RelOptInfo *rel, List *exprs)
{
	const RangeTblEntry *rte = planner_rt_fetch(rel->relid, root);
	PlannerInfo *query = subquery_root(root, rel->relid);

	if (query != NULL)
		return query_is_unique(query, exprs, rel->tuples);
	if (rte->rtekind == RTE_FUNCTION && function_is_unique(rte, exprs))
		return true;
	return nearly_all_differ(root, exprs, rel->tuples);
}
