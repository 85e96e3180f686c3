/*
 * sorted_groups.c
 *	  The first rows of an order that says all of them, as groups.
 *
 * Where the columns that a query puts out are among those that it is ordered by,
 *
 *	  SELECT s FROM t WHERE ... ORDER BY s LIMIT n
 *
 * has the rows of
 *
 *	  SELECT g.s FROM
 *		(SELECT s, count(*) AS rows FROM t WHERE ... GROUP BY s ORDER BY s LIMIT n) g,
 *		LATERAL generate_series(1, least(g.rows, n))
 *	  ORDER BY g.s LIMIT n
 *
 * since rows that are equal in all of these columns are the same rows.  The first n groups have n
 * rows and more.  So an engine groups the rows and gives the first few groups (plan/path/top.c), where
 * otherwise all rows that pass would be fetched and sorted, if a column is one of texts.
 *
 * Values that are equal must be identical.  Nothing may raise an error: PostgreSQL may stop at the
 * first rows of an index, and may compute what it puts out of them only.
 */
#include "postgres.h"

#include "catalog/pg_aggregate.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "parser/parse_clause.h"
#include "parser/parse_oper.h"
#include "parser/parse_relation.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "utils/fmgroids.h"
#include "utils/typcache.h"

#include "compat.h"
#include "plan/lower/lower_parts.h"
#include "plan/query/dependence.h"
#include "plan/query/grouped_subquery.h"
#include "plan/query/rewrite.h"
#include "plan/query/takes_rows.h"

/* More rows than these are PostgreSQL's to sort. */
#define MOST_SORTED_ROWS 1000

/* The relations of the rewritten query. */
#define GROUPS_RELATION 1
#define NUMBERS_RELATION 2

/* Is a column put out that nothing is ordered by, as in most queries?  Then these need not be copied. */
static bool
puts_out_unsorted_column(const Query *query)
{
	ListCell   *lc;

	foreach(lc, query->targetList)
	{
		const TargetEntry *entry = lfirst_node(TargetEntry, lc);

		if (IsA(entry->expr, Var) && entry->ressortgroupref == 0)
			return true;
	}
	return false;
}

bool
may_group_sorted_rows(Query *query)
{
	return query_takes_rows(query) && query->limitCount != NULL && query->sortClause != NIL &&
		!query->hasTargetSRFs && query->cteList == NIL && query->jointree->fromlist != NIL &&
		!puts_out_unsorted_column(query);
}

/* The columns of expressions, each once. */
static List *
columns_of(Node *exprs)
{
	List	   *columns = NIL;
	ListCell   *lc;

	foreach(lc, pull_var_clause(exprs, PVC_RECURSE_PLACEHOLDERS))
		columns = list_append_unique(columns, lfirst(lc));
	return columns;
}

/* Can the column's values be put into groups of identical ones? */
static bool
can_group_by(const Var *column)
{
	TypeCacheEntry *type = lookup_type_cache(column->vartype, TYPECACHE_EQ_OPR | TYPECACHE_LT_OPR);

	return column->varattno > 0 && OidIsValid(type->eq_opr) && OidIsValid(type->lt_opr) &&
		equal_is_identical((Node *) column);
}

/* Are all columns that the query puts out among those that it is ordered by, and groups of them? */
static bool
order_has_columns(const Query *query, const List *columns)
{
	List	   *order = get_sortgrouplist_exprs(query->sortClause, query->targetList);
	ListCell   *lc;

	foreach(lc, columns)
		if (!list_member(order, lfirst(lc)) || !can_group_by(lfirst(lc)))
			return false;
	return columns != NIL;
}

/* Group the query by a column, which is its next one. */
static void
group_by_column(Query *query, Var *column)
{
	char	   *name = get_rte_attribute_name(rt_fetch(column->varno, query->rtable), column->varattno);
	TargetEntry *entry = makeTargetEntry((Expr *) copyObject(column),
										 list_length(query->targetList) + 1, name, false);
	SortGroupClause *group = makeNode(SortGroupClause);

	get_sort_group_operators(column->vartype, true, true, false, &group->sortop, &group->eqop, NULL,
							 &group->hashable);
	query->targetList = lappend(query->targetList, entry);
	group->tleSortGroupRef = assignSortGroupRef(entry, query->targetList);
	query->groupClause = lappend(query->groupClause, group);
}

/* Order the query's groups as its rows were: by columns, and what is computed of them. */
static void
order_groups(Query *query, const List *targets)
{
	List	   *order = query->sortClause;
	ListCell   *lc;

	query->sortClause = NIL;
	foreach(lc, order)
	{
		SortGroupClause *clause = copyObject(lfirst_node(SortGroupClause, lc));
		Node	   *expr = get_sortgroupclause_expr(clause, (List *) targets);
		TargetEntry *entry = tlist_member((Expr *) expr, query->targetList);

		if (entry == NULL)
		{
			entry = makeTargetEntry(copyObject((Expr *) expr), list_length(query->targetList) + 1,
									NULL, true);
			query->targetList = lappend(query->targetList, entry);
		}
		clause->tleSortGroupRef = assignSortGroupRef(entry, query->targetList);
		query->sortClause = lappend(query->sortClause, clause);
	}
}

static Aggref *
make_count_of_rows(void)
{
	Aggref	   *aggref = makeNode(Aggref);

	aggref->aggfnoid = F_COUNT_;
	aggref->aggtype = INT8OID;
	aggref->aggstar = true;
	aggref->aggkind = AGGKIND_NORMAL;
	aggref->aggsplit = AGGSPLIT_SIMPLE;
	aggref->aggno = aggref->aggtransno = -1;
	aggref->location = -1;
	return aggref;
}

/* SELECT columns, count(*), of the first groups of the query's rows. */
static Query *
make_groups(const Query *query, const List *columns, int64 count)
{
	Query	   *groups = copyObject((Query *) query);
	ListCell   *lc;

	groups->targetList = NIL;
	foreach(lc, columns)
		group_by_column(groups, lfirst(lc));
	groups->targetList = lappend(groups->targetList,
								 makeTargetEntry((Expr *) make_count_of_rows(),
												 list_length(columns) + 1, "rows", false));
	order_groups(groups, query->targetList);
	groups->hasAggs = true;
	groups->limitOffset = NULL;
	groups->limitCount = (Node *) make_count(count);
	return groups;
}

/* A number for each row of a group, of which more than these are not wanted. */
static RangeTblEntry *
make_numbers(ParseState *state, int rows, int64 count)
{
	MinMaxExpr *least = makeNode(MinMaxExpr);
	RangeFunction *function = makeNode(RangeFunction);
	FuncExpr   *series;

	least->minmaxtype = INT8OID;
	least->op = IS_LEAST;
	least->args = list_make2(makeVar(GROUPS_RELATION, rows, INT8OID, -1, InvalidOid, 0),
							 make_count(count));
	least->location = -1;
	series = makeFuncExpr(F_GENERATE_SERIES_INT8_INT8, INT8OID, list_make2(make_count(1), least),
						  InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
	series->funcretset = true;
	function->lateral = true;
	function->alias = makeAlias("numbers", NIL);
	return addRangeTableEntryForFunction(state, list_make1("generate_series"), list_make1(series),
										 list_make1(NIL), function, true, false)->p_rte;
}

/* The expression of groups' columns in place of the rows'. */
static Node *
columns_mutator(Node *node, void *context)
{
	const List *columns = context;
	ListCell   *lc;

	if (node == NULL)
		return NULL;
	foreach(lc, IsA(node, Var) ? columns : NIL)
	{
		const Var  *var = lfirst_node(Var, lc);

		if (equal(var, node))
			return (Node *) makeVar(GROUPS_RELATION, foreach_current_index(lc) + 1, var->vartype,
									var->vartypmod, var->varcollid, 0);
	}
	return expression_tree_mutator(node, columns_mutator, context);
}

static RangeTblRef *
make_ref(int rti)
{
	RangeTblRef *ref = makeNode(RangeTblRef);

	ref->rtindex = rti;
	return ref;
}

/* Let the query read the groups: its targets are of their columns. */
static void
read_groups(Query *query, Query *groups, const List *columns, int64 count)
{
	ParseState *state = make_parsestate(NULL);
	RangeTblEntry *rte = addRangeTableEntryForSubquery(state, groups, makeAlias("groups", NIL), false,
													   true)->p_rte;

	compat_clear_relations(query);
	query->rtable = list_make2(rte, make_numbers(state, list_length(columns) + 1, count));
	query->jointree = makeFromExpr(list_make2(make_ref(GROUPS_RELATION), make_ref(NUMBERS_RELATION)),
								   NULL);
	query->targetList = (List *) columns_mutator((Node *) query->targetList, (void *) columns);
	query->hasSubLinks = false;
	free_parsestate(state);
}

bool
group_sorted_rows(Query *query)
{
	int64		count = query_rows_reached(query, MOST_SORTED_ROWS);
	List	   *order = get_sortgrouplist_exprs(query->sortClause, query->targetList);
	/* in the order's order */
	List	   *columns = columns_of((Node *) list_concat(order, query->targetList));

	if (count == 0 || checkExprHasSubLink((Node *) query->targetList) ||
		!order_has_columns(query, columns) || !query_can_be_copied(query) ||
		contain_volatile_functions((Node *) query) || !folded_cannot_fail(query->targetList) ||
		!join_tree_cannot_fail(query))
		return false;
	read_groups(query, make_groups(query, columns, count), columns, count);
	return true;
}
