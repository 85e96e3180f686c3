/*
 * numeric_origin.c
 *	  Where a numeric of a subquery, a CTE, a UNION or VALUES comes from.
 *
 * The query below has been planned when the one above it is (subquery.c); its PlannerInfo
 * has what its output is computed from, and the statistics of its tables.  A column of a UNION, or of VALUES, is guessed so that it is right for all of its
 * parts.  Of other functions' columns nothing is known.
 *
 * In a view that is a security barrier there are only types and rules to go by:
 * numeric_stats.c.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parse_relation.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"

#include "plan/lower/lower.h"
#include "plan/lower/numeric/numeric_guess.h"
#include "plan/lower/numeric/numeric_scale.h"

/* A guess of several parts, of which NULLs say nothing. */
typedef struct MergedGuess
{
	bool		any;
	NumericGuess guess;
	const char *reason;			/* why a part has none, or NULL */
} MergedGuess;

/* Parts of a UNION get the type that is common to them later. */
static bool
is_integer(const Expr *expr)
{
	Oid			type = getBaseType(exprType((const Node *) expr));

	return type == INT2OID || type == INT4OID || type == INT8OID;
}

/* One more part; false: there is no good guess of it. */
static bool
merge_part(MergedGuess *merged, PlannerInfo *root, Expr *expr, int *lookups)
{
	NumericGuess guess = {.fixed = true};

	if (expr == NULL)
		return false;
	if (IsA(expr, Const) && ((Const *) expr)->constisnull)
		return true;
	if (is_numeric(expr))
	{
		if (!numeric_guess_within(root, expr, lookups, &guess, &merged->reason))
			return false;
	}
	else if (!is_integer(expr))
		return false;
	if (merged->any)
		numeric_guess_merge(&merged->guess, &guess);
	else
		merged->guess = guess;
	merged->any = true;
	return true;
}

static bool merge_output(MergedGuess *merged, PlannerInfo *root, AttrNumber attno, int *lookups);

/* The output of the query that a relation of root stands for, if there is one. */
static bool
merge_subquery(MergedGuess *merged, PlannerInfo *root, int rti, AttrNumber attno, int *lookups)
{
	PlannerInfo *query = subquery_root(root, rti);

	return query != NULL && merge_output(merged, query, attno, lookups);
}

/* UNION, INTERSECT or EXCEPT, or a query that is part of it. */
static bool
merge_set_operation(MergedGuess *merged, PlannerInfo *root, Node *node, AttrNumber attno,
					int *lookups)
{
	const SetOperationStmt *operation = (SetOperationStmt *) node;

	check_stack_depth();
	if (IsA(node, RangeTblRef))
		return merge_subquery(merged, root, ((RangeTblRef *) node)->rtindex, attno, lookups);
	return merge_set_operation(merged, root, operation->larg, attno, lookups) &&
		merge_set_operation(merged, root, operation->rarg, attno, lookups);
}

/* A column of a query's output; root: the query's own. */
static bool
merge_output(MergedGuess *merged, PlannerInfo *root, AttrNumber attno, int *lookups)
{
	const Query *query = root->parse;
	const TargetEntry *column;

	if ((*lookups)-- <= 0 || query->commandType != CMD_SELECT)
		return false;
	if (query->setOperations != NULL)
		return merge_set_operation(merged, root, query->setOperations, attno, lookups);
	column = get_tle_by_resno(query->targetList, attno);
	return column != NULL && !column->resjunk && merge_part(merged, root, column->expr, lookups);
}

/* UNION ALL that has become one relation with children. */
static bool
merge_children(MergedGuess *merged, PlannerInfo *root, const Var *var, int *lookups)
{
	ListCell   *lc;

	foreach(lc, root->append_rel_list)
	{
		const AppendRelInfo *child = lfirst_node(AppendRelInfo, lc);

		if (child->parent_relid == (Index) var->varno &&
			!merge_part(merged, root, list_nth(child->translated_vars, var->varattno - 1), lookups))
			return false;
	}
	return merged->any;
}

static bool
merge_values(MergedGuess *merged, PlannerInfo *root, const RangeTblEntry *rte, AttrNumber attno,
			 int *lookups)
{
	ListCell   *lc;

	foreach(lc, rte->values_lists)
	{
		if (!merge_part(merged, root, list_nth(lfirst(lc), attno - 1), lookups))
			return false;
	}
	return true;
}

static bool
merge_origin(MergedGuess *merged, PlannerInfo *root, const Var *var, int *lookups)
{
	const RangeTblEntry *rte = planner_rt_fetch(var->varno, root);

	if (rte->rtekind == RTE_SUBQUERY && rte->inh)
		return merge_children(merged, root, var, lookups);
	if (rte->rtekind == RTE_VALUES)
		return merge_values(merged, root, rte, var->varattno, lookups);
	return merge_subquery(merged, root, var->varno, var->varattno, lookups);
}

bool
numeric_origin_guess(PlannerInfo *root, const Var *var, int *lookups, NumericGuess *guess,
					 const char **reason)
{
	MergedGuess merged = {0};

	if (!merge_origin(&merged, root, var, lookups))
	{
		if (merged.reason != NULL)
			*reason = merged.reason;
		return false;
	}
	*guess = merged.guess;
	return true;
}

bool
numeric_output_guess(PlannerInfo *root, int *lookups, NumericGuess *guess)
{
	MergedGuess merged = {0};

	if (!merge_output(&merged, root, 1, lookups))
		return false;
	*guess = merged.guess;
	return true;
}
