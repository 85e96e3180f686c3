/*
 * row_places.c
 *	  Rows of a query's tables by their places.
 *
 * A place, ctid, is that of one version of a row, and what a snapshot sees keeps it.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/sysattr.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "utils/syscache.h"

#include "plan/query/conditions.h"
#include "plan/query/row_places.h"
#include "plan/query/where_conjuncts.h"

/* Is each row of the relation one of the join's, if conditions let it pass? */
static bool
is_not_nulled(const Node *jtnode, Index rti)
{
	const JoinExpr *join = (const JoinExpr *) jtnode;
	ListCell   *lc;

	if (IsA(jtnode, RangeTblRef))
		return ((const RangeTblRef *) jtnode)->rtindex == (int) rti;
	if (IsA(jtnode, FromExpr))
	{
		foreach(lc, ((const FromExpr *) jtnode)->fromlist)
			if (is_not_nulled(lfirst(lc), rti))
				return true;
		return false;
	}
	return ((join->jointype == JOIN_INNER || join->jointype == JOIN_LEFT) &&
			is_not_nulled(join->larg, rti)) ||
		((join->jointype == JOIN_INNER || join->jointype == JOIN_RIGHT) &&
		 is_not_nulled(join->rarg, rti));
}

/* Does a place tell the relation's rows apart, and stay the same while the query runs? */
static bool
has_places(const RangeTblEntry *rte)
{
	return rte->rtekind == RTE_RELATION && rte->tablesample == NULL &&
		(rte->relkind == RELKIND_RELATION || rte->relkind == RELKIND_MATVIEW) &&
		!(rte->inh && has_subclass(rte->relid));
}

bool
relation_has_places(const Query *query, Index rti)
{
	return has_places(rt_fetch(rti, query->rtable)) && is_not_nulled((Node *) query->jointree, rti);
}

/* The pages of a table when it was last vacuumed or analyzed. */
static int32
known_pages(Oid relid)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relid));
	int32		pages = -1;

	if (HeapTupleIsValid(tuple))
	{
		pages = ((Form_pg_class) GETSTRUCT(tuple))->relpages;
		ReleaseSysCache(tuple);
	}
	return pages;
}

Index
largest_relation_with_places(const Query *query)
{
	Index		largest = 0;
	int32		most = -1;

	for (Index rti = 1; (int) rti <= list_length(query->rtable); rti++)
	{
		int32		pages;

		if (!relation_has_places(query, rti))
			continue;
		pages = known_pages(rt_fetch(rti, query->rtable)->relid);
		if (rti_is_valid(largest) && pages <= most)
			continue;
		largest = rti;
		most = pages;
	}
	return largest;
}

bool
puts_out_others(const Query *query, Index rti)
{
	ListCell   *lc;

	foreach(lc, query->targetList)
	{
		const TargetEntry *target = lfirst_node(TargetEntry, lc);
		Relids		relids = pull_varnos(NULL, (Node *) target->expr);

		if (!target->resjunk && !bms_is_subset(relids, bms_make_singleton((int) rti)))
			return true;
	}
	return false;
}

List *
conditions_of_rows(const Query *query, Index rti)
{
	List	   *own = NIL;
	ListCell   *lc;

	foreach(lc, conjuncts_of(query->jointree->quals))
	{
		Node	   *condition = lfirst(lc);
		int			of;

		if (bms_get_singleton_member(pull_varnos(NULL, condition), &of) && of == (int) rti &&
			!checkExprHasSubLink(condition) && !contain_volatile_functions(condition) &&
			!contain_vars_of_level(condition, 1) &&
			condition_cannot_fail(condition, SUBQUERIES_FAIL))
			own = lappend(own, condition);
	}
	return own;
}

void
drop_conditions(Query *query, const List *conditions)
{
	List	   *others = list_difference_ptr(conjuncts_of(query->jointree->quals), conditions);

	query->jointree->quals = others == NIL ? NULL : (Node *) make_ands_explicit(others);
}

Var *
place_of_row(Index rti)
{
	return makeVar((int) rti, SelfItemPointerAttributeNumber, TIDOID, -1, InvalidOid, 0);
}

Node *
is_at_places(Index rti, Query *places)
{
	SubLink    *any = makeNode(SubLink);
	Param	   *place = makeNode(Param);

	place->paramkind = PARAM_SUBLINK;
	place->paramid = 1;
	place->paramtype = TIDOID;
	place->paramtypmod = -1;
	place->location = -1;
	any->subLinkType = ANY_SUBLINK;
	any->testexpr = (Node *) make_opclause(TIDEqualOperator, BOOLOID, false,
										   (Expr *) place_of_row(rti), (Expr *) place, InvalidOid,
										   InvalidOid);
	any->operName = list_make1(makeString("="));
	any->subselect = (Node *) places;
	any->location = -1;
	return (Node *) any;
}

List *
add_junk_targets(List *targets, const List *from)
{
	ListCell   *lc;

	foreach(lc, from)
	{
		TargetEntry *target = copyObject(lfirst_node(TargetEntry, lc));

		if (target->ressortgroupref == 0)
			continue;
		target->resjunk = true;
		target->resno = list_length(targets) + 1;
		targets = lappend(targets, target);
	}
	return targets;
}

bool
other_targets_cannot_fail(const List *targets, const Expr *number)
{
	ListCell   *lc;

	foreach(lc, targets)
	{
		const TargetEntry *target = lfirst_node(TargetEntry, lc);
		Node	   *expr = (Node *) target->expr;

		if (number != NULL && equal(expr, number))
			continue;
		if (contain_window_function(expr) ||
			(target->ressortgroupref == 0 && !condition_cannot_fail(expr, SUBQUERIES_FAIL)))
			return false;
	}
	return true;
}
