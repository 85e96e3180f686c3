/*
 * needed_keys.c
 *	  Which groups of a subquery the query around it asks for.
 *
 * Where a key is asked for by a column of a table, conditions on this table alone say which keys
 * there are at most: those of its rows that fulfil them.  The grouping's rows are joined to these by
 * IN, so that groups that nobody asks for are not made (a magic set: Mumick, Finkelstein, Pirahesh,
 * Ramakrishnan, Magic is Relevant, SIGMOD 1990, of one table).  Of several keys one is enough: the
 * planner takes them to be independent, and would expect far too few rows.  The conditions are
 * evaluated twice, and must not raise an error.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"

#include "compat.h"
#include "plan/lower/lower.h"
#include "plan/query/conditions.h"
#include "plan/query/dependence.h"
#include "plan/query/needed_keys.h"

/* The relation a column of which asks for the key, or 0. */
static Index
asking_relation(const Query *query, const Correlation *correlation)
{
	const Var  *var = (const Var *) correlation->outer;
	const RangeTblEntry *rte;

	if (!IsA(var, Var) || var->varlevelsup != 0 || var->varattno <= 0 || compat_can_be_nulled(var))
		return 0;
	rte = rt_fetch(var->varno, query->rtable);
	return rte->rtekind == RTE_RELATION && rte->tablesample == NULL && rte->securityQuals == NIL ?
		(Index) var->varno : 0;
}

static bool
correlated_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, SubLink) && contain_vars_of_level(((SubLink *) node)->subselect, 1))
		return true;
	return expression_tree_walker(node, correlated_walker, context);
}

/* Does it compare columns with one another?  Nobody knows how few rows it leaves. */
static bool
compares_columns(Node *condition)
{
	const OpExpr *clause = (const OpExpr *) condition;

	return IsA(clause, OpExpr) && list_length(clause->args) == 2 &&
		contain_var_clause(linitial(clause->args)) && contain_var_clause(lsecond(clause->args));
}

/*
 * Is it a condition on this relation alone that can be evaluated for any of its rows, and is likely
 * to leave few for little?
 */
static bool
is_condition_on(Node *condition, Index rti)
{
	int			relid;

	if (compares_columns(condition) || correlated_walker(condition, NULL))
		return false;
	return bms_get_singleton_member(pull_varnos(NULL, condition), &relid) && (Index) relid == rti &&
		!contain_volatile_functions(condition) && condition_cannot_fail(condition, SUBQUERIES_FAIL);
}

/* SELECT column FROM the relation WHERE conditions. */
static Query *
make_keys_query(const Query *query, Index rti, List *conditions, const Correlation *correlation)
{
	Query	   *keys = makeNode(Query);
	RangeTblRef *ref = makeNode(RangeTblRef);
	Node	   *condition = (Node *) make_ands_explicit(copyObject(conditions));
	Expr	   *column = copyObject(correlation->outer);

	keys->commandType = CMD_SELECT;
	keys->canSetTag = true;
	compat_copy_relation(keys, query, rti);
	ref->rtindex = 1;
	ChangeVarNodes(condition, (int) rti, 1, 0);
	ChangeVarNodes((Node *) column, (int) rti, 1, 0);
	keys->jointree = makeFromExpr(list_make1(ref), condition);
	keys->hasSubLinks = checkExprHasSubLink(condition);
	keys->targetList = list_make1(makeTargetEntry(column, 1, "key", false));
	return keys;
}

/* Key IN (the rows of a query). */
static SubLink *
make_in(const Correlation *correlation, Query *keys)
{
	SubLink    *result = makeNode(SubLink);
	const Node *column = (const Node *) correlation->outer;
	Param	   *param = makeNode(Param);

	param->paramkind = PARAM_SUBLINK;
	param->paramid = 1;
	param->paramtype = exprType(column);
	param->paramtypmod = exprTypmod(column);
	param->paramcollid = exprCollation(column);
	param->location = -1;
	result->subLinkType = ANY_SUBLINK;
	result->testexpr = (Node *) make_opclause(correlation->operator, BOOLOID, false,
											  copyObject(correlation->inner), (Expr *) param,
											  InvalidOid, correlation->collation);
	set_opfuncid((OpExpr *) result->testexpr);
	result->subselect = (Node *) keys;
	result->location = -1;
	return result;
}

/* By one of the grouping's keys; false: nothing is known of it. */
static bool
need_key(const Query *query, List *conditions, const Correlation *correlation, Query *groups)
{
	Index		rti = asking_relation(query, correlation);
	List	   *own = NIL;
	Query	   *keys;
	ListCell   *lc;

	if (rti == 0)
		return false;
	foreach(lc, conditions)
		if (is_condition_on(lfirst(lc), rti))
			own = lappend(own, lfirst(lc));
	if (own == NIL)
		return false;
	keys = make_keys_query(query, rti, own, correlation);
	if (query_depends_on_values(keys))
		return false;
	groups->jointree->quals = make_and_qual(groups->jointree->quals,
											(Node *) make_in(correlation, keys));
	groups->hasSubLinks = true;
	return true;
}

void
need_keys(const Query *query, List *conditions, GroupedSubquery *grouped)
{
	ListCell   *lc;

	foreach(lc, grouped->correlations)
		if (need_key(query, conditions, lfirst(lc), grouped->query))
			return;
}
