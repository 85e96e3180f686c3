/*
 * joined_ranked_rows.c
 *	  The first rows of each group of a join, found by the places of one table's.
 *
 * Of the subquery in
 *
 *	  SELECT ... FROM (SELECT ..., rank() OVER w AS n FROM f JOIN d ON ... WHERE ...) s WHERE n <= 3
 *
 * those rows are wanted whose rows of f are in
 *
 *	  SELECT place FROM (SELECT f.ctid AS place, rank() OVER w AS n FROM f JOIN d ON ... WHERE ...) r
 *	  WHERE n <= 3
 *
 * and so the subquery has the condition f.ctid IN that.  What that puts out has nothing of d, so
 * that engines can find its rows (first_rows_step.c).  Ranks among the rows that are left are the
 * same up to the last one that is wanted, and above it for all others: whatever comes before a row
 * that is wanted is wanted, too.  Row numbers are in one of the orders that SQL allows.  This holds
 * whether or not a row of f is joined to several of d: all rows of the join that it belongs to are
 * left.
 *
 * Likewise SELECT DISTINCT ON, which takes the rows of number 1.
 *
 * Of an order that engines do not know as a whole, the places are those of rank() or dense_rank() by its
 * first keys: any rank by more keys is not less.
 *
 * What the subquery puts out it computes for these rows only, so it may raise no error.
 */
#include "postgres.h"

#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "parser/parse_relation.h"
#include "parser/parsetree.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "plan/lower/lower_parts.h"
#include "plan/query/conditions.h"
#include "plan/query/dependence.h"
#include "plan/query/rewrite.h"
#include "plan/query/row_numbers.h"
#include "plan/query/row_places.h"
#include "plan/query/takes_rows.h"
#include "plan/query/where_conjuncts.h"
#include "program/first_rows.h"

/* The rows of a query that are wanted: those of these numbers. */
typedef struct Ranking
{
	Query	   *query;
	WindowFunc *function;		/* that numbers them */
	List	   *windows;		/* WindowClause, of which it is by one */
	int64		greatest;
} Ranking;

/* Does the query have rows of a join that are not grouped, nor taken in part? */
static bool
joins_rows(const Query *query)
{
	return query->commandType == CMD_SELECT && list_length(query->rtable) > 1 &&
		!query->hasAggs && !query->hasTargetSRFs && query->groupClause == NIL &&
		query->groupingSets == NIL && query->havingQual == NULL && query->setOperations == NULL &&
		query->rowMarks == NIL && query->cteList == NIL && query->limitCount == NULL &&
		query->limitOffset == NULL;
}

static bool
is_distinct_on(const Query *query)
{
	return query->hasDistinctOn && !query->hasWindowFuncs && joins_rows(query);
}

/* Is the relation a subquery whose rows may be numbered? */
static bool
is_numbered(const RangeTblEntry *rte)
{
	return rte->rtekind == RTE_SUBQUERY && !rte->lateral && !rte->security_barrier &&
		rte->subquery->hasWindowFuncs && rte->subquery->distinctClause == NIL &&
		joins_rows(rte->subquery);
}

bool
may_find_ranked_rows(const Query *query)
{
	ListCell   *lc;

	if (is_distinct_on(query))
		return true;
	foreach(lc, query->jointree != NULL && query->jointree->quals != NULL ? query->rtable : NIL)
		if (is_numbered(lfirst_node(RangeTblEntry, lc)))
			return true;
	return false;
}

/* A subquery as a relation. */
static RangeTblEntry *
relation_of_query(Query *query)
{
	ParseState *state = make_parsestate(NULL);
	RangeTblEntry *rte = addRangeTableEntryForSubquery(state, query, makeAlias("numbered", NIL),
													   false, false)->p_rte;

	free_parsestate(state);
	return rte;
}

/* How many keys of a window's order engines know, if it is not all of them; 0: it is, or none. */
static int
keys_known(const Query *query, const WindowClause *window)
{
	int			known = 0;
	ListCell   *lc;

	foreach(lc, window->orderClause)
	{
		const SortGroupClause *sort = lfirst_node(SortGroupClause, lc);
		const Node *key = get_sortgroupclause_expr((SortGroupClause *) sort, query->targetList);

		if (get_sortgroupref_clause_noerr(sort->tleSortGroupRef, window->partitionClause) != NULL)
			continue;
		if (known == FIRST_ROWS_MAX_KEYS || !type_has_number_order(getBaseType(exprType(key))))
			return known > 0 ? foreach_current_index(lc) : 0;
		known++;
	}
	return 0;
}

/* Let the window's order end where engines no longer know it, and rows that are equal have one number. */
static void
cut_order(const Query *query, WindowClause *window, WindowFunc *function)
{
	int			known = keys_known(query, window);

	if (known == 0)
		return;
	window->orderClause = list_truncate(window->orderClause, known);
	if (function->winfnoid == F_ROW_NUMBER)
		function->winfnoid = F_RANK_;
}

/* The window that the function is over. */
static WindowClause *
window_of(List *windows, const WindowFunc *function)
{
	ListCell   *lc;

	foreach(lc, windows)
		if (lfirst_node(WindowClause, lc)->winref == function->winref)
			return lfirst(lc);
	elog(ERROR, "window function has no window");
}

/* SELECT place, number FROM the query's. */
static Query *
numbered_places(const Ranking *ranking, Index rti)
{
	Query	   *numbered = copyObject(ranking->query);
	WindowFunc *function = copyObject(ranking->function);
	Expr	   *number = (Expr *) function;
	List	   *targets = list_make2(makeTargetEntry((Expr *) place_of_row(rti), 1, "place", false),
									 makeTargetEntry(number, 2, "n", false));

	numbered->targetList = add_junk_targets(targets, ranking->query->targetList);
	numbered->windowClause = copyObject(ranking->windows);
	cut_order(ranking->query, window_of(numbered->windowClause, function), function);
	numbered->hasWindowFuncs = true;
	numbered->distinctClause = NIL;
	numbered->hasDistinctOn = false;
	numbered->sortClause = NIL;
	return numbered;
}

/* The places of rows whose numbers are not above the greatest one. */
static Query *
wanted_places(const Ranking *ranking, Index rti)
{
	Query	   *places = makeNode(Query);
	RangeTblRef *ref = makeNode(RangeTblRef);
	Var		   *number = makeVar(1, 2, INT8OID, -1, InvalidOid, 0);
	Const	   *end = make_count(ranking->greatest + 1);
	Expr	   *wanted = make_opclause(Int8LessOperator, BOOLOID, false, (Expr *) number,
									   (Expr *) end, InvalidOid, InvalidOid);
	Var		   *place = makeVar(1, 1, TIDOID, -1, InvalidOid, 0);

	ref->rtindex = 1;
	places->commandType = CMD_SELECT;
	places->canSetTag = true;
	places->rtable = list_make1(relation_of_query(numbered_places(ranking, rti)));
	places->jointree = makeFromExpr(list_make1(ref), (Node *) wanted);
	places->targetList = list_make1(makeTargetEntry((Expr *) place, 1, "place", false));
	return places;
}

/* Let the query have the wanted rows only, and maybe others. */
static bool
keep_wanted(const Ranking *ranking)
{
	Query	   *query = ranking->query;
	Index		rti = largest_relation_with_places(query);
	Query	   *places;

	if (!rti_is_valid(rti) || ranking->greatest < 1 || ranking->greatest > FIRST_ROWS_MAX ||
		!puts_out_others(query, rti) || !query_can_be_copied(query) ||
		contain_volatile_functions((Node *) query) ||
		!other_targets_cannot_fail(query->targetList, (Expr *) ranking->function))
		return false;
	places = wanted_places(ranking, rti);
	/* rows are not to be estimated to be left out twice */
	if (join_conditions_cannot_fail(query->jointree, SUBQUERIES_FAIL))
		drop_conditions(query, conditions_of_rows(query, rti));
	query->jointree->quals = make_and_qual(query->jointree->quals, is_at_places(rti, places));
	query->hasSubLinks = true;
	return true;
}

/* DISTINCT ON takes the first row of each group, by the rest of the order. */
static bool
keep_distinct(Query *query)
{
	WindowClause *window = makeNode(WindowClause);
	WindowFunc *function = makeNode(WindowFunc);
	Ranking		ranking = {query, function, list_make1(window), 1};

	window->partitionClause = copyObject(query->distinctClause);
	window->orderClause = copyObject(order_behind_keys(query));
	window->frameOptions = FRAMEOPTION_DEFAULTS;
	window->winref = 1;
	function->winfnoid = F_ROW_NUMBER;
	function->wintype = INT8OID;
	function->winref = 1;
	function->location = -1;
	return keep_wanted(&ranking);
}

/* Is a column of the query the number of a subquery's rows?  Sets all but the greatest one. */
static bool
find_ranking(const Query *query, const Node *column, Ranking *ranking)
{
	const Var  *var = (const Var *) column;
	const RangeTblEntry *rte;
	const TargetEntry *target;
	RowNumbering numbering;

	if (!IsA(var, Var) || var->varlevelsup != 0 || var->varattno <= 0)
		return false;
	rte = rt_fetch(var->varno, query->rtable);
	if (!is_numbered(rte))
		return false;
	target = list_nth_node(TargetEntry, rte->subquery->targetList, var->varattno - 1);
	if (!IsA(target->expr, WindowFunc) ||
		!find_numbering((const WindowFunc *) target->expr, &numbering))
		return false;
	ranking->query = rte->subquery;
	ranking->function = (WindowFunc *) target->expr;
	ranking->windows = rte->subquery->windowClause;
	return true;
}

bool
find_ranked_rows(Query *query)
{
	bool		found = is_distinct_on(query) && keep_distinct(query);
	List	   *rewritten = NIL;
	ListCell   *lc;

	foreach(lc, conjuncts_of(query->jointree->quals))
	{
		const Node *condition = lfirst(lc);
		Ranking		ranking;
		Node	   *column;

		if (!IsA(condition, OpExpr))
			continue;
		column = greatest_number_of((const OpExpr *) condition, &ranking.greatest);
		if (column != NULL && find_ranking(query, column, &ranking) &&
			!list_member_ptr(rewritten, ranking.query) && keep_wanted(&ranking))
			rewritten = lappend(rewritten, ranking.query);
	}
	return found || rewritten != NIL;
}
