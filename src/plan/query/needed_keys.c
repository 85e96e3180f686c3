/*
 * needed_keys.c
 *	  Which groups of a subquery the query around it asks for.
 *
 * Where all keys are asked for by columns of one table, conditions on this table alone say which
 * keys there are at most: those of its rows that fulfil them.  The grouping's rows are joined to
 * these by IN, so that groups that nobody asks for are not made (a magic set: Mumick, Finkelstein,
 * Pirahesh, Ramakrishnan, Magic is Relevant, SIGMOD 1990, of one table).  The conditions are
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

/* The only relation whose columns ask for keys, or 0. */
static Index
asking_relation(const Query *query, const List *correlations)
{
	Index		rti = 0;
	const RangeTblEntry *rte;
	ListCell   *lc;

	foreach(lc, correlations)
	{
		const Var  *var = (const Var *) ((const Correlation *) lfirst(lc))->outer;

		if (!IsA(var, Var) || var->varlevelsup != 0 || var->varattno <= 0 ||
			compat_can_be_nulled(var) || (rti != 0 && rti != (Index) var->varno))
			return 0;
		rti = var->varno;
	}
	rte = rt_fetch(rti, query->rtable);
	return rte->rtekind == RTE_RELATION && rte->tablesample == NULL && rte->securityQuals == NIL ?
		rti : 0;
}

/* Is it a condition on this relation alone that can be evaluated for any of its rows? */
static bool
is_condition_on(Node *condition, Index rti)
{
	int			relid;

	return bms_get_singleton_member(pull_varnos(NULL, condition), &relid) && (Index) relid == rti &&
		!contain_volatile_functions(condition) && condition_cannot_fail(condition, SUBQUERIES_FAIL);
}

/* SELECT columns FROM the relation WHERE conditions. */
static Query *
make_keys_query(const Query *query, Index rti, List *conditions, const List *correlations)
{
	Query	   *keys = makeNode(Query);
	RangeTblRef *ref = makeNode(RangeTblRef);
	Node	   *condition = (Node *) make_ands_explicit(copyObject(conditions));
	ListCell   *lc;

	keys->commandType = CMD_SELECT;
	keys->canSetTag = true;
	compat_copy_relation(keys, query, rti);
	ref->rtindex = 1;
	ChangeVarNodes(condition, rti, 1, 0);
	keys->jointree = makeFromExpr(list_make1(ref), condition);
	keys->hasSubLinks = checkExprHasSubLink(condition);
	foreach(lc, correlations)
	{
		Expr	   *column = copyObject(((const Correlation *) lfirst(lc))->outer);

		ChangeVarNodes((Node *) column, rti, 1, 0);
		keys->targetList = lappend(keys->targetList,
								   makeTargetEntry(column, foreach_current_index(lc) + 1, "key", false));
	}
	return keys;
}

/* Keys IN (the rows of a query). */
static SubLink *
make_in(const List *correlations, Query *keys)
{
	SubLink    *result = makeNode(SubLink);
	List	   *equalities = NIL;
	ListCell   *lc;

	foreach(lc, correlations)
	{
		const Correlation *correlation = lfirst(lc);
		const Node *column = (const Node *) correlation->outer;
		Param	   *param = makeNode(Param);
		Expr	   *equality;

		param->paramkind = PARAM_SUBLINK;
		param->paramid = foreach_current_index(lc) + 1;
		param->paramtype = exprType(column);
		param->paramtypmod = exprTypmod(column);
		param->paramcollid = exprCollation(column);
		param->location = -1;
		equality = make_opclause(correlation->operator, BOOLOID, false,
								 copyObject(correlation->inner), (Expr *) param, InvalidOid,
								 correlation->collation);
		set_opfuncid((OpExpr *) equality);
		equalities = lappend(equalities, equality);
	}
	result->subLinkType = ANY_SUBLINK;
	result->testexpr = (Node *) make_ands_explicit(equalities);
	result->subselect = (Node *) keys;
	result->location = -1;
	return result;
}

void
need_keys(const Query *query, List *conditions, GroupedSubquery *grouped)
{
	Index		rti = asking_relation(query, grouped->correlations);
	List	   *own = NIL;
	Query	   *groups = grouped->query;
	Query	   *keys;
	ListCell   *lc;

	if (rti == 0)
		return;
	foreach(lc, conditions)
		if (is_condition_on(lfirst(lc), rti))
			own = lappend(own, lfirst(lc));
	if (own == NIL)
		return;
	keys = make_keys_query(query, rti, own, grouped->correlations);
	if (query_depends_on_values(keys))
		return;
	groups->jointree->quals = make_and_qual(groups->jointree->quals,
											(Node *) make_in(grouped->correlations, keys));
	groups->hasSubLinks = true;
}
