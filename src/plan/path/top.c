/*
 * top.c
 *	  Groups that need not leave the node: by ORDER BY with LIMIT, and by HAVING.
 *
 * PostgreSQL sorts the groups and takes the first ones.  The node leaves out groups that
 * cannot be among them: those that come behind as many others, by the sort keys that are
 * the node's own keys and aggregates (exec/node/top_groups.c).  Of the sort keys it may look at
 * the leading ones only; then groups that are equal in these all leave.
 *
 * The groups must go straight to the sort and from there to the limit, and what PostgreSQL
 * would compute of a group that is left out, in the node or for its results, must not
 * be able to raise an error.
 *
 * HAVING's clauses that an engine may know compare an aggregate with a constant or a parameter,
 * by an operator of the order that PostgreSQL has for their types.  A group for which one is not
 * true need not leave the engine (exec/node/having_hint.c); HAVING as a whole is evaluated by the
 * node.
 */
#include "postgres.h"

#include <math.h>

#include "access/stratnum.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "exec/values/final.h"
#include "plan/path/top.h"

/* More groups than these are PostgreSQL's to choose from. */
#define MOST_TOP_GROUPS 10000

/* A comparison of an aggregate with a value that is the same for all groups. */
typedef struct HavingClause
{
	Expr	   *aggregate;
	Expr	   *value;			/* a Const or a Param, not of more than its type */
	int			strategy;		/* of a B-tree: where the aggregate is to the value */
} HavingClause;

/* A constant LIMIT or OFFSET; -1: it is something else. */
static int64
constant_count(const Node *node)
{
	const Const *count = (const Const *) node;

	if (node == NULL || !IsA(node, Const) || count->constisnull)
		return -1;
	return DatumGetInt64(count->constvalue);
}

/* How many groups the query takes, if these are few; 0: all, or nobody knows. */
static int64
groups_taken(const Query *parse)
{
	int64		count = constant_count(parse->limitCount);
	int64		offset = parse->limitOffset ? constant_count(parse->limitOffset) : 0;

	if (count <= 0 || offset < 0 ||
		count > MOST_TOP_GROUPS || offset > MOST_TOP_GROUPS - count)
		return 0;
	return count + offset;
}

double
top_rows_taken(const Query *parse)
{
	int64		count = groups_taken(parse);

	return count > 0 ? (double) count : -1;
}

/* Is there nothing between the step and the sort, or where nothing is sorted, the limit? */
static bool
sort_is_next(const Grouping *grouping)
{
	const Query *parse = grouping->root->parse;

	if (grouping->is_input || grouping->regroups || grouping->of_set || parse->hasTargetSRFs ||
		parse->setOperations != NULL)
		return false;
	return grouping->distinct || (!parse->hasWindowFuncs && parse->distinctClause == NIL);
}

int
top_limit(const Grouping *grouping)
{
	const Query *parse = grouping->root->parse;

	return parse->sortClause == NIL && sort_is_next(grouping) ? (int) groups_taken(parse) : 0;
}

/* Types of values among which operators of one family compare numbers. */
static bool
types_are_comparable(Oid a, Oid b)
{
	switch (a)
	{
		case INT2OID:
		case INT4OID:
		case INT8OID:
			return b == INT2OID || b == INT4OID || b == INT8OID;
		case FLOAT4OID:
		case FLOAT8OID:
			return b == FLOAT4OID || b == FLOAT8OID;
		case NUMERICOID:
		case DATEOID:
		case TIMEOID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
		case MONEYOID:
			return b == a;
		default:
			return false;
	}
}

/* Is the clause such a comparison?  None can raise an error. */
static bool
having_is_comparison(const Grouping *grouping, Node *clause, HavingClause *result)
{
	const OpExpr *op = (const OpExpr *) clause;
	Oid			opno;
	Oid			type;

	if (!IsA(clause, OpExpr) || list_length(op->args) != 2)
		return false;
	result->aggregate = linitial(op->args);
	result->value = lsecond(op->args);
	opno = op->opno;
	if (list_member(grouping->aggrefs, result->value))
	{
		result->aggregate = lsecond(op->args);
		result->value = linitial(op->args);
		opno = get_commutator(opno);
	}
	type = exprType((Node *) result->aggregate);
	if (!list_member(grouping->aggrefs, result->aggregate) ||
		!(IsA(result->value, Const) || IsA(result->value, Param)) || !OidIsValid(opno) ||
		!types_are_comparable(type, exprType((Node *) result->value)))
		return false;
	result->strategy = get_op_opfamily_strategy(opno,
												lookup_type_cache(type, TYPECACHE_BTREE_OPFAMILY)->btree_opf);
	return result->strategy != InvalidStrategy;
}

/* The clauses of HAVING that are not. */
static List *
having_other_clauses(const Grouping *grouping)
{
	List	   *others = NIL;
	HavingClause clause;
	ListCell   *lc;

	foreach(lc, grouping->having)
		if (!having_is_comparison(grouping, lfirst(lc), &clause))
			others = lappend(others, lfirst(lc));
	return others;
}

/* What is known of a group, or of all of them, in an expression: as columns. */
static Node *
columns_mutator(Node *node, void *context)
{
	const Grouping *grouping = context;

	if (node == NULL)
		return NULL;
	if (list_member(grouping->keys, node) || list_member(grouping->aggrefs, node) ||
		IsA(node, Const) || (IsA(node, Param) && ((Param *) node)->paramkind == PARAM_EXTERN))
		return (Node *) makeVar(1, 1, exprType(node), exprTypmod(node), exprCollation(node), 0);
	return expression_tree_mutator(node, columns_mutator, context);
}

/*
 * Is there a call without arguments, or a value that may not have been computed?  PostgreSQL
 * runs an InitPlan when its value is asked for.
 */
static bool
has_failing_leaf(Node *node, void *context)
{
	const FuncExpr *call = (const FuncExpr *) node;

	if (node == NULL)
		return false;
	if (IsA(node, Param) ||
		(IsA(node, FuncExpr) && call->args == NIL && !get_func_leakproof(call->funcid)))
		return true;
	return expression_tree_walker(node, has_failing_leaf, context);
}

/*
 * Could one of the expressions raise an error for a group that is left out?  What is leakproof
 * raises none.  A call may be made for some groups only, whether it has arguments of theirs or
 * not.  A value that is an output, or a condition, as a whole is asked for by the first group
 * that leaves.
 */
static bool
exprs_can_fail(const Grouping *grouping, const List *exprs)
{
	List	   *columns = (List *) columns_mutator((Node *) exprs, (void *) grouping);
	ListCell   *lc;

	foreach(lc, columns)
		if (!IsA(lfirst(lc), Param) && has_failing_leaf(lfirst(lc), NULL))
			return true;
	return contain_leaked_vars((Node *) columns);
}

/* Could HAVING, or an output? */
static bool
clauses_can_fail(const Grouping *grouping)
{
	return exprs_can_fail(grouping, grouping->target->exprs) ||
		exprs_can_fail(grouping, having_other_clauses(grouping));
}

bool
groups_can_fail(const Grouping *grouping, const Program *results)
{
	return final_can_fail(results) || clauses_can_fail(grouping);
}

HavingInfo *
top_having(const Grouping *grouping, const Program *results, List **values)
{
	HavingInfo *info = palloc0(sizeof(HavingInfo));
	List	   *others = having_other_clauses(grouping);
	HavingClause clause;
	ListCell   *lc;

	if (grouping->regroups || final_can_fail(results) || exprs_can_fail(grouping, others) ||
		contain_volatile_functions((Node *) others))
		return NULL;
	foreach(lc, grouping->having)
	{
		if (!having_is_comparison(grouping, lfirst(lc), &clause))
			continue;
		info->columns = lappend_int(info->columns,
									top_column_number(grouping, (Node *) clause.aggregate));
		info->strategies = lappend_int(info->strategies, clause.strategy);
		*values = lappend(*values, clause.value);
	}
	return info->columns != NIL ? info : NULL;
}

int
top_column_number(const Grouping *grouping, const Node *expr)
{
	ListCell   *lc;

	foreach(lc, grouping->keys)
		if (equal(lfirst(lc), expr))
			return foreach_current_index(lc);
	foreach(lc, grouping->aggrefs)
		if (equal(lfirst(lc), expr))
			return list_length(grouping->keys) + foreach_current_index(lc);
	return -1;
}

TopInfo *
top_groups_wanted(const Grouping *grouping)
{
	PlannerInfo *root = grouping->root;
	int64		count = groups_taken(root->parse);
	TopInfo    *top;
	ListCell   *lc;

	if (count == 0 || root->parse->sortClause == NIL || !sort_is_next(grouping) ||
		clauses_can_fail(grouping))
		return NULL;
	top = palloc0(sizeof(TopInfo));
	top->count = (int) count;
	foreach(lc, root->parse->sortClause)
	{
		SortGroupClause *clause = lfirst_node(SortGroupClause, lc);
		Node	   *expr = get_sortgroupclause_expr(clause, root->processed_tlist);
		int			column = top_column_number(grouping, expr);

		if (column < 0)
			break;
		top->columns = lappend_int(top->columns, column);
		top->operators = lappend_oid(top->operators, clause->sortop);
		top->collations = lappend_oid(top->collations, exprCollation(expr));
		top->nulls_first = lappend_int(top->nulls_first, clause->nulls_first);
	}
	top->ties = root->parse->limitOption == LIMIT_OPTION_WITH_TIES ||
		list_length(top->columns) < list_length(root->parse->sortClause);
	return top->columns != NIL ? top : NULL;
}

/* Of the ith group, i > count, count / i leave. */
double
top_groups_leaving(const TopInfo *top, double groups)
{
	if (groups <= top->count)
		return groups;
	return top->count * (1 + log(groups / top->count));
}
