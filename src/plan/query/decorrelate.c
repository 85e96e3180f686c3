/*
 * decorrelate.c
 *	  Correlated subqueries that give one value as joins.
 *
 * A condition such as
 *
 *	  x < (SELECT 0.2 * avg(y) FROM inner WHERE inner.k = outer.k)
 *
 * makes PostgreSQL aggregate the rows of one k for each row.  The rewritten query joins
 *
 *	  (SELECT k, avg(y) FROM inner GROUP BY k)
 *
 * by k, with the condition x < 0.2 * avg.  This is the same where the condition is not true of
 * NULL, which the subquery's value is if no row has the k (Kim, On Optimizing an SQL-like Nested
 * Query, ACM TODS 7(3), 1982).  Elsewhere, as in the target list, or where rows are counted, of
 * which there are 0 then, it is an outer join.  A subquery that gives a column of the one row with a
 * key is a join with its table.  EXISTS of rows with another value is a condition on aggregates
 * (exists_extremes.c).
 *
 * More groups are made than are asked for, so what is computed for them may raise no error
 * (grouped_subquery.c); neither may conditions on them, which may be evaluated before groups are
 * joined to the rows that ask for them, unless these are guarded (guarded_value).  If it is
 * known which keys are asked for, only theirs are made (needed_keys.c).
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "parser/parse_clause.h"
#include "parser/parse_oper.h"
#include "parser/parse_relation.h"
#include "rewrite/rewriteManip.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "plan/lower/lower_parts.h"
#include "plan/query/conditions.h"
#include "plan/query/exists_extremes.h"
#include "plan/query/grouped_subquery.h"
#include "plan/query/needed_keys.h"
#include "plan/query/rewrite.h"
#include "plan/query/where_conjuncts.h"

/* The groupings that one expression needs. */
typedef struct Replacement
{
	Index		first;			/* number of the first one's range table entry */
	bool		guarded;		/* as group_subquery has it */
	List	   *groupings;		/* GroupedSubquery */
} Replacement;

/* The subquery, whose value stands for the sublink, as a relation; or NULL. */
static GroupedSubquery *
relation_of_sublink(const SubLink *sublink, Index rti, bool guarded)
{
	Query	   *subquery = castNode(Query, sublink->subselect);
	GroupedSubquery *grouped;

	if (sublink->subLinkType == EXPR_SUBLINK)
		return subquery->hasAggs ? group_subquery(subquery, rti, guarded) :
			row_subquery(subquery, rti, guarded);
	subquery = exists_by_extremes(sublink);
	grouped = subquery == NULL ? NULL : group_subquery(subquery, rti, guarded);
	if (grouped != NULL)
	{
		BooleanTest *exists = makeNode(BooleanTest);

		/* values are compared where there is a row with the key only */
		exists->arg = folded_cannot_fail(grouped->value) ? grouped->value :
			(Expr *) guarded_value(correlation_clauses(grouped), grouped->value);
		exists->booltesttype = IS_TRUE;
		exists->location = -1;
		grouped->value = (Expr *) exists;
	}
	return grouped;
}

/* NOT of a condition that is never NULL. */
static bool
is_not_exists(Node *node)
{
	const SubLink *exists = is_notclause(node) ? (const SubLink *) get_notclausearg(node) : NULL;

	return exists != NULL && IsA(exists, SubLink) && exists->subLinkType == EXISTS_SUBLINK;
}

/*
 * NOT of whether an extreme differs.  Extremes hardly ever equal a value by the planner's
 * estimates, so that no row were left, and loops over groups that have no index looked cheap.
 * Of a CASE it takes a half to be true.
 */
static Node *
none_differs(BooleanTest *differs)
{
	CaseExpr   *result = makeNode(CaseExpr);
	CaseWhen   *when = makeNode(CaseWhen);

	when->expr = differs->arg;
	when->result = (Expr *) makeBoolConst(false, false);
	when->location = -1;
	result->casetype = BOOLOID;
	result->args = list_make1(when);
	result->defresult = (Expr *) makeBoolConst(true, false);
	result->location = -1;
	return (Node *) result;
}

/* The expression with values of groupings in the places of subqueries. */
static Node *
replace_mutator(Node *node, void *context)
{
	Replacement *replacement = context;
	Index		rti = replacement->first + list_length(replacement->groupings);
	GroupedSubquery *grouped;

	if (node == NULL)
		return NULL;
	if (is_not_exists(node))
	{
		Node	   *exists = replace_mutator((Node *) get_notclausearg(node), context);

		return IsA(exists, BooleanTest) ? none_differs((BooleanTest *) exists) :
			(Node *) make_notclause((Expr *) exists);
	}
	if (!IsA(node, SubLink) || !may_be_joined((const SubLink *) node))
		return expression_tree_mutator(node, replace_mutator, context);
	grouped = relation_of_sublink((const SubLink *) node, rti, replacement->guarded);
	if (grouped == NULL)
		return copyObject(node);
	replacement->groupings = lappend(replacement->groupings, grouped);
	return (Node *) grouped->value;
}

/* NULL: the expression has no subquery that can be replaced. */
static Node *
replace_subqueries(const Query *query, Node *expr, bool guarded, Replacement *replacement)
{
	Node	   *result;

	*replacement = (Replacement)
	{
		.first = list_length(query->rtable) + 1,.guarded = guarded
	};
	if (!checkExprHasSubLink(expr) || contain_volatile_functions(expr))
		return NULL;
	result = replace_mutator(expr, replacement);
	return replacement->groupings == NIL ? NULL : result;
}

/* Is the condition not true where one of the groupings has no row? */
static bool
refuses_missing(Node *condition, const Replacement *replacement)
{
	Relids		nonnullable = find_nonnullable_rels(condition);

	for (int i = 0; i < list_length(replacement->groupings); i++)
		if (!bms_is_member(replacement->first + i, nonnullable))
			return false;
	return true;
}

static RangeTblRef *
make_ref(Index rti)
{
	RangeTblRef *ref = makeNode(RangeTblRef);

	ref->rtindex = (int) rti;
	return ref;
}

/* The groupings become relations of the query, behind those that it has. */
static void
add_relations(Query *query, List *conditions, const Replacement *replacement)
{
	ParseState *state = make_parsestate(NULL);
	ListCell   *lc;

	foreach(lc, replacement->groupings)
	{
		GroupedSubquery *grouped = lfirst(lc);

		if (grouped->has_groups)
			need_keys(query, conditions, grouped);
		query->rtable = lappend(query->rtable,
								addRangeTableEntryForSubquery(state, grouped->query,
															  makeAlias("EXPR_subquery", NIL), false,
															  false)->p_rte);
	}
	free_parsestate(state);
}

/* Join the groupings to all that the query's FROM has; returns the equalities. */
static List *
join_inner(Query *query, const Replacement *replacement)
{
	List	   *clauses = NIL;
	ListCell   *lc;

	foreach(lc, replacement->groupings)
	{
		query->jointree->fromlist = lappend(query->jointree->fromlist,
											make_ref(replacement->first + foreach_current_index(lc)));
		clauses = list_concat(clauses, correlation_clauses(lfirst(lc)));
	}
	return clauses;
}

/* The same by outer joins, whose range table entries come behind the groupings'. */
static void
join_left(Query *query, const Replacement *replacement, Node *replaced)
{
	ListCell   *lc;

	foreach(lc, replacement->groupings)
	{
		Index		rti = replacement->first + foreach_current_index(lc);
		RangeTblEntry *rte = makeNode(RangeTblEntry);
		JoinExpr   *join = makeNode(JoinExpr);
		List	   *from = query->jointree->fromlist;

		rte->rtekind = RTE_JOIN;
		rte->jointype = join->jointype = JOIN_LEFT;
		rte->eref = makeAlias("EXPR_join", NIL);
		query->rtable = lappend(query->rtable, rte);
		join->rtindex = list_length(query->rtable);
		join->larg = list_length(from) == 1 ? linitial(from) : (Node *) makeFromExpr(from, NULL);
		join->rarg = (Node *) make_ref(rti);
		join->quals = (Node *) make_ands_explicit(correlation_clauses(lfirst(lc)));
		query->jointree->fromlist = list_make1(join);
		compat_set_nulled(replaced, rti, join->rtindex);
	}
}

/*
 * PostgreSQL evaluates a condition on a subquery after others on the same relation, and before
 * joins.  A join may come in any order.  So no other condition may raise an error, for rows that
 * this one is to refuse, or refuses too early.
 */
static bool
others_cannot_fail(const Query *query, List *conditions, const Node *own)
{
	ListCell   *lc;

	foreach(lc, conditions)
		if (lfirst(lc) != own && !condition_cannot_fail(lfirst(lc), SUBQUERIES_FAIL))
			return false;
	return join_conditions_cannot_fail(makeFromExpr(query->jointree->fromlist, NULL),
									   SUBQUERIES_FAIL);
}

/* Are the query's rows those of one relation, without a join that refuses some of them? */
static bool
is_of_one_relation(const Query *query, List *conditions, const Node *own)
{
	ListCell   *lc;

	foreach(lc, conditions)
		if (lfirst(lc) != own && checkExprHasSubLink(lfirst(lc)))
			return false;
	return list_length(query->jointree->fromlist) == 1 &&
		IsA(linitial(query->jointree->fromlist), RangeTblRef);
}

/* Is a grouping joined by several keys? */
static bool
has_several_keys(const Replacement *replacement)
{
	ListCell   *lc;

	foreach(lc, replacement->groupings)
		if (list_length(((const GroupedSubquery *) lfirst(lc))->correlations) > 1)
			return true;
	return false;
}

/*
 * Rewrite one of the query's conditions; appends what it becomes.  False: it stays.  If it can raise
 * an error itself, it must be evaluated for the same rows: all of one relation.
 *
 * The planner takes several keys to be independent, and so expects few rows of an inner join, or none.
 * Of an outer join, which is not made an inner one if values are guarded, it expects all rows.
 */
static bool
rewrite_condition(Query *query, List *conditions, Node *condition, List **conjuncts)
{
	Replacement replacement;
	Node	   *replaced = replace_subqueries(query, condition, false, &replacement);
	bool		fails;
	bool		inner;

	if (replaced == NULL || !others_cannot_fail(query, conditions, condition))
		return false;
	fails = !values_cannot_fail(replaced, replacement.first);
	inner = !fails && !has_several_keys(&replacement) && refuses_missing(replaced, &replacement);
	if (fails && !is_of_one_relation(query, conditions, condition))
		return false;
	if (fails || has_several_keys(&replacement))
		replaced = replace_subqueries(query, condition, true, &replacement);
	add_relations(query, conditions, &replacement);
	if (inner)
		*conjuncts = list_concat(*conjuncts, join_inner(query, &replacement));
	else
		join_left(query, &replacement, replaced);
	*conjuncts = lappend(*conjuncts, replaced);
	return true;
}

/* Can relations be added to the query's FROM? */
static bool
can_be_rewritten(const Query *query)
{
	return query->commandType == CMD_SELECT && query->setOperations == NULL &&
		query->rowMarks == NIL && query->jointree->fromlist != NIL && query->hasSubLinks;
}

/* Rewrite the conditions of the query itself. */
static bool
rewrite_conditions(Query *query, List *conditions)
{
	List	   *conjuncts = NIL;
	bool		rewritten = false;
	ListCell   *lc;

	foreach(lc, conditions)
	{
		if (rewrite_condition(query, conditions, lfirst(lc), &conjuncts))
			rewritten = true;
		else
			conjuncts = lappend(conjuncts, lfirst(lc));
	}
	if (rewritten)
		query->jointree->quals = (Node *) make_ands_explicit(conjuncts);
	return rewritten;
}

/* Is the target a key of the query's groups? */
static bool
is_group_key(const Query *query, const TargetEntry *entry)
{
	return entry->ressortgroupref != 0 &&
		get_sortgroupref_clause_noerr(entry->ressortgroupref, query->groupClause) != NULL;
}

/* Are equal values of each of the query's group keys the same ones? */
static bool
keys_are_identical(Query *query)
{
	ListCell   *lc;

	foreach(lc, query->groupClause)
		if (!equal_is_identical(get_sortgroupclause_expr(lfirst(lc), query->targetList)))
			return false;
	return true;
}

/* Is the query's side of a correlation one of its group keys, and compared as that is? */
static bool
is_by_group_key(Query *query, const Correlation *correlation)
{
	Node	   *outer = strip_implicit_coercions((Node *) correlation->outer);
	ListCell   *lc;

	foreach(lc, query->groupClause)
	{
		SortGroupClause *group = lfirst(lc);
		Node	   *key = get_sortgroupclause_expr(group, query->targetList);

		if (equal(outer, strip_implicit_coercions(key)) &&
			equality_ops_are_compatible(group->eqop, correlation->operator) &&
			(!type_is_collatable(exprType(key)) || exprCollation(key) == correlation->collation))
			return true;
	}
	return false;
}

/*
 * Do all rows of one of the query's groups meet the same rows of the groupings?  What they are
 * joined by is made of the group's keys, but can tell values apart that are equal as keys are, such as
 * 1.0 and 1.00 as texts.
 */
static bool
are_joined_by_groups(Query *query, const Replacement *replacement)
{
	ListCell   *lc;
	ListCell   *lc2;

	foreach(lc, replacement->groupings)
		foreach(lc2, ((const GroupedSubquery *) lfirst(lc))->correlations)
			if (!is_by_group_key(query, lfirst(lc2)))
				return false;
	return true;
}

/*
 * The columns of groupings, from this number of the range table on, that an expression of groups
 * has outside of aggregates.  They are the same for all rows of a group (are_joined_by_groups).
 */
static List *
columns_of_groups(Node *expr, Index first)
{
	List	   *columns = NIL;
	ListCell   *lc;

	foreach(lc, pull_var_clause(expr, PVC_INCLUDE_AGGREGATES))
		if (IsA(lfirst(lc), Var) && (Index) ((Var *) lfirst(lc))->varno >= first)
			columns = list_append_unique(columns, lfirst(lc));
	return columns;
}

/* What groups by the column; NULL: nothing can. */
static SortGroupClause *
group_by_column(const Var *column)
{
	SortGroupClause *result = makeNode(SortGroupClause);

	get_sort_group_operators(column->vartype, false, false, false, &result->sortop, &result->eqop,
							 NULL, &result->hashable);
	return OidIsValid(result->eqop) && (OidIsValid(result->sortop) || result->hashable) ? result : NULL;
}

static bool
can_group_by(const List *columns)
{
	ListCell   *lc;

	foreach(lc, columns)
		if (group_by_column(lfirst(lc)) == NULL)
			return false;
	return true;
}

/* Let columns be keys of the query's groups, too. */
static void
add_group_keys(Query *query, const List *columns)
{
	ListCell   *lc;

	foreach(lc, columns)
	{
		SortGroupClause *clause = group_by_column(lfirst(lc));
		TargetEntry *entry = makeTargetEntry(copyObject(lfirst(lc)), list_length(query->targetList) + 1,
											 NULL, true);

		clause->tleSortGroupRef = assignSortGroupRef(entry, query->targetList);
		query->targetList = lappend(query->targetList, entry);
		query->groupClause = lappend(query->groupClause, clause);
	}
}

/*
 * Rewrite one of the targets.  Of a query with groups no value can be guarded.  identical: its own
 * keys are.
 */
static bool
rewrite_target(Query *query, List *conditions, TargetEntry *entry, bool identical,
			   const Surroundings *around)
{
	bool		grouped = query->hasAggs || query->groupClause != NIL;
	bool		fail = around->fail || around->others_fail;
	Replacement replacement;
	Node	   *replaced = replace_subqueries(query, (Node *) entry->expr, fail, &replacement);
	List	   *columns = NIL;

	if (replaced == NULL || (grouped && fail))
		return false;
	/* conditions around the query, and subqueries beside it, can be of what it puts out */
	if (around->nested && !fail && !folded_cannot_fail(replaced))
	{
		if (grouped)
			return false;
		replaced = replace_subqueries(query, (Node *) entry->expr, true, &replacement);
	}
	if (grouped && !is_group_key(query, entry))
		columns = columns_of_groups(replaced, replacement.first);
	if (columns != NIL && !identical && !are_joined_by_groups(query, &replacement))
		return false;
	if (!can_group_by(columns))
		return false;
	add_relations(query, conditions, &replacement);
	join_left(query, &replacement, replaced);
	entry->expr = (Expr *) replaced;
	add_group_keys(query, columns);
	return true;
}

/* Rewrite what the query puts out. */
static bool
rewrite_targets(Query *query, List *conditions, const Surroundings *around)
{
	List	   *targets;
	bool		rewritten = false;
	bool		identical;
	ListCell   *lc;

	if (query->groupingSets != NIL || query->hasTargetSRFs ||
		(query->hasWindowFuncs && (query->hasAggs || query->groupClause != NIL)))
		return false;
	compat_flatten_groups(query);
	targets = list_copy(query->targetList);
	/* before columns of groupings are keys, too */
	identical = keys_are_identical(query);
	foreach(lc, targets)
		rewritten |= rewrite_target(query, conditions, lfirst_node(TargetEntry, lc), identical, around);
	return rewritten;
}

bool
decorrelate(Query *query, const Surroundings *around)
{
	List	   *conditions;
	bool		rewritten;

	if (!can_be_rewritten(query))
		return false;
	conditions = conjuncts_of(query->jointree->quals);
	rewritten = !around->fail && rewrite_conditions(query, conditions);
	return rewrite_targets(query, conditions, around) || rewritten;
}

bool
may_be_joined(const SubLink *sublink)
{
	return (sublink->subLinkType == EXPR_SUBLINK && contain_vars_of_level(sublink->subselect, 1)) ||
		exists_by_extremes(sublink) != NULL;
}
