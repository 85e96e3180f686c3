/*
 * joined_first_rows.c
 *	  The first rows of a join, found by the places of one table's.
 *
 * Where the order is by columns of one table,
 *
 *	  SELECT ... FROM f JOIN d ON ... WHERE ... ORDER BY f.x LIMIT n
 *
 * has the rows of
 *
 *	  SELECT ... FROM f JOIN d ON ... WHERE ... AND
 *		f.ctid = ANY (ARRAY(SELECT f.ctid FROM f JOIN d ON ... WHERE ... ORDER BY f.x LIMIT n))
 *	  ORDER BY f.x LIMIT n
 *
 * The subquery puts out nothing of d, so that engines can find its rows (first_rows_step.c), and
 * PostgreSQL joins the few that it gives.  They are the first ones, in one of the orders that SQL
 * allows, whether or not a row of f is joined to several of d: the query has all rows of the join
 * that the rows of f belong to.  WITH TIES these can be many, and have no array.
 *
 * What the query puts out it computes for these rows only, so it may raise no error.
 */
#include "postgres.h"

#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"

#include "plan/query/dependence.h"
#include "plan/query/rewrite.h"
#include "plan/query/row_places.h"
#include "plan/query/takes_rows.h"
#include "program/first_rows.h"

bool
may_find_first_rows(const Query *query)
{
	return query_takes_rows(query) && query->limitCount != NULL && query->sortClause != NIL &&
		list_length(query->rtable) > 1 && !query->hasTargetSRFs && query->cteList == NIL;
}

/* The only table of the query that the order is by; 0: there is none, or there are several. */
static Index
ordered_table(const Query *query)
{
	List	   *order = get_sortgrouplist_exprs(query->sortClause, query->targetList);
	int			rti;

	return bms_get_singleton_member(pull_varnos(NULL, (Node *) order), &rti) ? (Index) rti : 0;
}

/* The places of the first rows, so many, in the table. */
static Query *
first_places(const Query *query, Index rti, int64 count)
{
	Query	   *places = copyObject((Query *) query);
	List	   *targets = list_make1(makeTargetEntry((Expr *) place_of_row(rti), 1, "ctid", false));

	places->targetList = add_junk_targets(targets, query->targetList);
	places->limitOffset = NULL;
	places->limitCount = (Node *) make_count(count);
	return places;
}

/* The condition that a row of the table is at one of these places, which are few. */
static Node *
is_in_array(Index rti, Query *places)
{
	SubLink    *array = makeNode(SubLink);
	ScalarArrayOpExpr *condition = makeNode(ScalarArrayOpExpr);

	array->subLinkType = ARRAY_SUBLINK;
	array->subselect = (Node *) places;
	array->location = -1;
	condition->opno = TIDEqualOperator;
	set_sa_opfuncid(condition);
	condition->useOr = true;
	condition->args = list_make2(place_of_row(rti), array);
	condition->location = -1;
	return (Node *) condition;
}

bool
find_first_rows(Query *query)
{
	int64		count = query_rows_reached(query, FIRST_ROWS_MAX);
	Index		rti = ordered_table(query);
	Query	   *places;

	if (count == 0 || !rti_is_valid(rti) || !puts_out_others(query, rti) ||
		!relation_has_places(query, rti) ||
		!query_can_be_copied(query) || contain_volatile_functions((Node *) query) ||
		!other_targets_cannot_fail(query->targetList, NULL))
		return false;
	places = first_places(query, rti, count);
	query->jointree->quals = make_and_qual(query->jointree->quals, is_in_array(rti, places));
	query->hasSubLinks = true;
	return true;
}
