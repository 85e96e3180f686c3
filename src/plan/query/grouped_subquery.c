/*
 * grouped_subquery.c
 *	  A correlated subquery that gives one value as a relation that can be joined.
 *
 * One of aggregates is a grouping of its rows.  Its equalities with expressions of the query around
 * it go there, and what of them is over its own rows are the keys of its groups.  The expression
 * over its aggregates goes there, too, so that it is computed where PostgreSQL would compute it.  All
 * else is computed of groups that nobody may ask for, and must not raise an error.  One without
 * aggregates that refers to the query around it by a key of its table is the table itself.
 */
#include "postgres.h"

#include "access/xact.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "parser/parse_oper.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "plan/lower/lower.h"
#include "plan/query/grouped_subquery.h"
#include "plan/query/table_keys.h"
#include "plan/query/where_conjuncts.h"
#include "set_aside.h"

/* An expression, and what the planner makes of it before it plans. */
typedef struct Folding
{
	Node	   *expr;
	Node	   *folded;
} Folding;

static void
fold(void *argument)
{
	Folding    *folding = argument;

	folding->folded = eval_const_expressions(NULL, folding->expr);
}

Node *
folded_safely(const void *expr)
{
	Folding		folding = {.expr = (Node *) expr};

	if (expr == NULL || IsA(expr, Const))
		return (Node *) expr;
	if (IsInParallelMode() || set_errors_aside(fold, &folding, true) != 0)
		return NULL;
	return folding.folded;
}

bool
folded_cannot_fail(const void *expr)
{
	Node	   *folded;

	if (cannot_fail((Node *) expr))
		return true;
	folded = folded_safely(expr);
	return folded != NULL && cannot_fail(folded);
}

bool
folded_conditions_cannot_fail(const FromExpr *jointree)
{
	Node	   *folded;

	if (jointree == NULL || conditions_cannot_fail((Node *) jointree))
		return true;
	folded = folded_safely(jointree);
	return folded != NULL && conditions_cannot_fail(folded);
}

bool
join_tree_cannot_fail(const Query *query)
{
	ListCell   *lc;

	foreach(lc, query->rtable)
	{
		const RangeTblEntry *rte = lfirst_node(RangeTblEntry, lc);

		if (rte->rtekind == RTE_JOIN)
			continue;
		if (rte->rtekind != RTE_RELATION || rte->tablesample != NULL ||
			compat_has_virtual_columns(rte->relid) || !folded_cannot_fail(rte->securityQuals))
			return false;
	}
	return folded_conditions_cannot_fail(query->jointree);
}

/* Is the query one of SELECT, FROM and WHERE alone, and maybe aggregates? */
static bool
is_simple(const Query *query)
{
	return query->commandType == CMD_SELECT && query->groupClause == NIL &&
		query->groupingSets == NIL && query->havingQual == NULL && query->distinctClause == NIL &&
		query->sortClause == NIL && query->limitOffset == NULL && query->limitCount == NULL &&
		query->setOperations == NULL && query->cteList == NIL && query->rowMarks == NIL &&
		!query->hasWindowFuncs && !query->hasTargetSRFs && !query->hasModifyingCTE &&
		!query->hasForUpdate;
}

/* Let a query be as if it had neither ORDER BY nor a LIMIT of one row or more: it has one row at most. */
static void
drop_order(Query *query)
{
	const Const *limit = (const Const *) folded_safely(query->limitCount);

	query->sortClause = NIL;
	if (limit != NULL && IsA(limit, Const) && !limit->constisnull && DatumGetInt64(limit->constvalue) > 0)
		query->limitCount = NULL;
}

bool
table_query_cannot_fail(const Query *query)
{
	return is_simple(query) && !query->hasAggs && !query->hasSubLinks &&
		folded_cannot_fail(query->targetList) && join_tree_cannot_fail(query);
}

/* Has an expression columns of the subquery, and none of the query around it? */
static bool
is_inner(Node *expr)
{
	return contain_vars_of_level(expr, 0) && !contain_vars_of_level(expr, 1);
}

static bool
is_outer(Node *expr)
{
	return contain_vars_of_level(expr, 1) && !contain_vars_of_level(expr, 0);
}

bool
groups_agree(Node *inner, Oid operator, Oid collation, SortGroupClause *group)
{
	Oid			type = exprType(inner);

	get_sort_group_operators(type, false, false, false, &group->sortop, &group->eqop, NULL,
							 &group->hashable);
	return OidIsValid(group->eqop) && group->hashable &&
		equality_ops_are_compatible(operator, group->eqop) &&
		(!type_is_collatable(type) ||
		 (OidIsValid(collation) && exprCollation(inner) == collation));
}

/* Take a conjunct as a correlation, whose key is the attribute of a relation of the query around. */
static Correlation *
take_correlation(OpExpr *conjunct, Index rti, AttrNumber attno, SortGroupClause *group)
{
	Correlation *result = palloc(sizeof(Correlation));
	Node	   *left;
	Node	   *right;
	bool		inner_first;
	Var		   *key;

	/* aggregates of the query around it are not there before that is grouped */
	if (!IsA(conjunct, OpExpr) || list_length(conjunct->args) != 2 ||
		contain_subplans((Node *) conjunct) || contain_volatile_functions((Node *) conjunct) ||
		contain_aggs_of_level((Node *) conjunct, 1))
		return NULL;
	left = linitial(conjunct->args);
	right = lsecond(conjunct->args);
	inner_first = is_inner(left);
	if (!op_hashjoinable(conjunct->opno, exprType(left)) ||
		!(inner_first ? is_outer(right) : is_outer(left) && is_inner(right)))
		return NULL;
	result->inner = (Expr *) (inner_first ? left : right);
	result->outer = copyObject((Expr *) (inner_first ? right : left));
	IncrementVarSublevelsUp((Node *) result->outer, -1, 1);
	result->operator = inner_first ? conjunct->opno : get_commutator(conjunct->opno);
	result->collation = conjunct->inputcollid;
	if (!OidIsValid(result->operator) || !folded_cannot_fail(result->inner) ||
		!folded_cannot_fail(result->outer) ||
		!groups_agree((Node *) result->inner, result->operator, result->collation, group))
		return NULL;
	key = makeVar(rti, attno, exprType((Node *) result->inner), exprTypmod((Node *) result->inner),
				  exprCollation((Node *) result->inner), 0);
	result->clause = copyObject(conjunct);
	result->clause->args = inner_first ? list_make2(key, result->outer) :
		list_make2(result->outer, key);
	return result;
}

TargetEntry *
group_by_key(Query *query, Expr *key, SortGroupClause *group)
{
	TargetEntry *entry = makeTargetEntry(key, list_length(query->targetList) + 1,
										 psprintf("key%d", list_length(query->groupClause) + 1), false);

	group->tleSortGroupRef = entry->ressortgroupref = list_length(query->groupClause) + 1;
	query->targetList = lappend(query->targetList, entry);
	query->groupClause = lappend(query->groupClause, group);
	return entry;
}

/* Divide the query's conditions into keys and those that stay. */
static bool
take_correlations(Query *query, Index rti, GroupedSubquery *grouped)
{
	List	   *rest = NIL;
	ListCell   *lc;

	grouped->correlations = NIL;
	foreach(lc, conjuncts_of(query->jointree->quals))
	{
		SortGroupClause *group = makeNode(SortGroupClause);
		Correlation *correlation;

		if (!contain_vars_of_level(lfirst(lc), 1))
		{
			rest = lappend(rest, lfirst(lc));
			continue;
		}
		correlation = take_correlation(lfirst(lc), rti, list_length(query->targetList) + 1, group);
		if (correlation == NULL)
			return false;
		(void) group_by_key(query, correlation->inner, group);
		grouped->correlations = lappend(grouped->correlations, correlation);
	}
	query->jointree->quals = rest == NIL ? NULL : (Node *) make_ands_explicit(rest);
	return grouped->correlations != NIL;
}

/* What the value's mutator needs. */
typedef struct ValueContext
{
	Query	   *query;			/* whose target list the aggregates go to */
	Index		rti;
	List	   *guard;			/* what a group's columns are taken under, or NIL */
	bool		fails;			/* an aggregate cannot be taken */
} ValueContext;

bool
can_be_made_before(const Aggref *aggref)
{
	return aggref->agglevelsup == 0 && aggref->aggorder == NIL && folded_cannot_fail(aggref) &&
		!contain_volatile_functions((Node *) aggref) && !contain_subplans((Node *) aggref);
}

Node *
value_of_group(const Aggref *aggref, Node *column, int64 missing)
{
	CoalesceExpr *coalesce;

	if (aggref->aggfnoid != F_COUNT_ && aggref->aggfnoid != F_COUNT_ANY)
		return column;
	coalesce = makeNode(CoalesceExpr);
	coalesce->coalescetype = INT8OID;
	coalesce->args = list_make2(column,
								makeConst(INT8OID, -1, InvalidOid, sizeof(int64), Int64GetDatum(missing),
										  false, FLOAT8PASSBYVAL));
	coalesce->location = -1;
	return (Node *) coalesce;
}

Node *
guarded_value(List *clauses, Expr *value)
{
	CaseExpr   *result = makeNode(CaseExpr);
	CaseWhen   *when = makeNode(CaseWhen);

	when->expr = (Expr *) make_ands_explicit(copyObject(clauses));
	when->result = value;
	when->location = -1;
	result->casetype = exprType((Node *) value);
	result->casecollid = exprCollation((Node *) value);
	result->args = list_make1(when);
	result->defresult = (Expr *) makeNullConst(result->casetype, exprTypmod((Node *) value),
											   result->casecollid);
	result->location = -1;
	return (Node *) result;
}

/* The expression with columns of the query's groups in the places of aggregates. */
static Node *
value_mutator(Node *node, void *context)
{
	ValueContext *value = context;

	if (node == NULL)
		return NULL;
	if (IsA(node, Aggref))
	{
		Aggref	   *aggref = (Aggref *) node;
		TargetEntry *entry = makeTargetEntry((Expr *) aggref,
											 list_length(value->query->targetList) + 1, "value", false);
		Var		   *column = makeVar(value->rti, entry->resno, aggref->aggtype, -1, aggref->aggcollid, 0);

		value->fails |= !can_be_made_before(aggref) || contain_vars_of_level((Node *) aggref, 1);
		value->query->targetList = lappend(value->query->targetList, entry);
		return value_of_group(aggref, value->guard == NIL ? (Node *) column :
							  guarded_value(value->guard, (Expr *) column), 0);
	}
	/* a column of the query around it is as it is there */
	if (IsA(node, Var) && ((const Var *) node)->varlevelsup > 0)
	{
		Var		   *var = copyObject((Var *) node);

		var->varlevelsup--;
		return (Node *) var;
	}
	if (IsA(node, Var) || IsA(node, SubLink) || IsA(node, GroupingFunc))
		value->fails = true;
	return expression_tree_mutator(node, value_mutator, context);
}

List *
correlation_clauses(const GroupedSubquery *grouped)
{
	List	   *clauses = NIL;
	ListCell   *lc;

	foreach(lc, grouped->correlations)
		clauses = lappend(clauses, ((const Correlation *) lfirst(lc))->clause);
	return clauses;
}

GroupedSubquery *
group_subquery(Query *subquery, Index rti, bool guarded)
{
	GroupedSubquery *grouped;
	Query	   *query;
	Expr	   *value;
	ValueContext context = {.rti = rti};

	if (!subquery->hasAggs || !is_simple(subquery) || list_length(subquery->targetList) != 1 ||
		subquery->jointree->fromlist == NIL)
		return NULL;
	query = copyObject(subquery);
	value = linitial_node(TargetEntry, query->targetList)->expr;
	query->targetList = NIL;
	grouped = palloc(sizeof(GroupedSubquery));
	if (!take_correlations(query, rti, grouped))
		return NULL;
	grouped->has_groups = true;
	context.query = grouped->query = query;
	context.guard = guarded ? correlation_clauses(grouped) : NIL;
	grouped->value = (Expr *) value_mutator((Node *) value, &context);
	return context.fails || contain_vars_of_level((Node *) query, 1) ||
		contain_volatile_functions((Node *) query) || !join_tree_cannot_fail(query) ? NULL : grouped;
}

/* Are columns that correlations are of a key of the subquery's table? */
static bool
are_by_key(const Query *query, const List *correlations)
{
	const RangeTblRef *ref = linitial(query->jointree->fromlist);
	Bitmapset  *columns = NULL;
	ListCell   *lc;

	foreach(lc, correlations)
	{
		const Var  *var = (const Var *) ((const Correlation *) lfirst(lc))->inner;

		if (IsA(var, Var) && var->varattno > 0)
			columns = bms_add_member(columns, var->varattno);
	}
	return columns_are_key(rt_fetch(ref->rtindex, query->rtable), columns, false);
}

/* SELECT keys, value FROM the table, without groups. */
static TargetEntry *
put_out_rows(Query *query, Expr *value)
{
	TargetEntry *entry = makeTargetEntry(value, list_length(query->targetList) + 1, "value", false);
	ListCell   *lc;

	foreach(lc, query->targetList)
		lfirst_node(TargetEntry, lc)->ressortgroupref = 0;
	query->groupClause = NIL;
	query->targetList = lappend(query->targetList, entry);
	return entry;
}

GroupedSubquery *
row_subquery(Query *subquery, Index rti, bool guarded)
{
	GroupedSubquery *row;
	Query	   *query = copyObject(subquery);
	Expr	   *value;
	Var		   *column;

	drop_order(query);
	if (query->hasAggs || query->hasSubLinks || !is_simple(query) ||
		list_length(query->targetList) != 1 || list_length(query->jointree->fromlist) != 1 ||
		!IsA(linitial(query->jointree->fromlist), RangeTblRef))
		return NULL;
	value = linitial_node(TargetEntry, query->targetList)->expr;
	query->targetList = NIL;
	row = palloc0(sizeof(GroupedSubquery));
	row->query = query;
	if (!take_correlations(query, rti, row) || !are_by_key(query, row->correlations) ||
		!folded_cannot_fail(value))
		return NULL;
	column = makeVar((int) rti, put_out_rows(query, value)->resno, exprType((Node *) value),
					 exprTypmod((Node *) value), exprCollation((Node *) value), 0);
	row->value = (Expr *) (guarded ? guarded_value(correlation_clauses(row), (Expr *) column) :
						   (Node *) column);
	return contain_vars_of_level((Node *) query, 1) || contain_volatile_functions((Node *) query) ||
		!join_tree_cannot_fail(query) ? NULL : row;
}
