/*
 * eager_aggregation.c
 *	  Aggregates of an outer join's right side, made before the join.
 *
 * Where rows of
 *
 *	  l LEFT JOIN r ON l.x = r.x AND (conditions of r)
 *
 * are grouped by columns that no two rows of l have in common, each group has one row of l, and all
 * rows of r with its x.  So the aggregates over r are those of r's groups by x, and l is joined to
 * these, one row at most (Yan, Larson, Eager Aggregation and Lazy Aggregation, VLDB 1995).  A row
 * of l without one has what aggregates are of one row of NULLs.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "parser/parse_relation.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "plan/query/grouped_subquery.h"
#include "plan/query/rewrite.h"
#include "plan/query/table_keys.h"
#include "plan/query/where_conjuncts.h"

typedef struct EagerAggregation
{
	Query	   *query;			/* that is rewritten */
	JoinExpr   *join;			/* its only one */
	Index		left;			/* numbers of the two sides in its range table */
	Index		right;
	Query	   *groups;			/* of the right side, which is its relation 1 */
	List	   *on;				/* what the join's condition becomes: */
	List	   *equalities;		/* what of it is by the groups' keys */
	bool		guarded;		/* columns of groups are guarded (guarded_value) */
	bool		fails;			/* an expression cannot be taken */
} EagerAggregation;

/* The relations of the query itself that an expression has columns of. */
static Relids
relations_of(const EagerAggregation *eager, const void *expr)
{
	return pull_varnos(NULL, compat_not_nulled((Node *) expr, eager->join->rtindex));
}

/* The only one; 0: there is none, or several. */
static Index
relation_of(const EagerAggregation *eager, const void *expr)
{
	int			relid;

	return bms_get_singleton_member(relations_of(eager, expr), &relid) ? (Index) relid : 0;
}

/*
 * Are the groups those of single rows of the left side?  The planner drops a key that is not put out
 * of a query without groups, so none may be an error.
 */
static bool
groups_are_rows(const EagerAggregation *eager)
{
	Bitmapset  *columns = NULL;
	ListCell   *lc;

	foreach(lc, eager->query->groupClause)
	{
		TargetEntry *entry = get_sortgroupclause_tle(lfirst(lc), eager->query->targetList);
		Node	   *expr = (Node *) entry->expr;

		if (relation_of(eager, expr) != eager->left || contain_volatile_functions(expr) ||
			checkExprHasSubLink(expr) || (entry->resjunk && !folded_cannot_fail(expr)))
			return false;
		if (IsA(expr, Var))
			columns = bms_add_member(columns, Max(((Var *) expr)->varattno, 0));
	}
	return columns_are_key(rt_fetch(eager->left, eager->query->rtable), columns, true);
}

/* An expression of the right side, as the query of its groups, a level below, has it. */
static Node *
in_groups(const EagerAggregation *eager, const void *expr)
{
	Node	   *result = compat_not_nulled(copyObject((Node *) expr), eager->join->rtindex);

	IncrementVarSublevelsUp(result, 1, 1);
	ChangeVarNodes(result, (int) eager->right, 1, 0);
	return result;
}

/* A column of the groups, as the query has it; nulled: above the join. */
static Var *
column_of_groups(const EagerAggregation *eager, const TargetEntry *entry, bool nulled)
{
	Node	   *expr = (Node *) entry->expr;
	Var		   *var = makeVar((int) eager->right, entry->resno, exprType(expr), exprTypmod(expr),
							  exprCollation(expr), 0);

	if (nulled)
		compat_set_nulled((Node *) var, eager->right, eager->join->rtindex);
	return var;
}

/* Take an equality of both sides: the right one's is a key of its groups. */
static bool
take_equality(EagerAggregation *eager, OpExpr *clause)
{
	bool		right_first;
	Node	   *right;
	Node	   *left;
	SortGroupClause *group = makeNode(SortGroupClause);
	TargetEntry *entry;

	if (!IsA(clause, OpExpr) || list_length(clause->args) != 2 || checkExprHasSubLink((Node *) clause))
		return false;
	right_first = relation_of(eager, linitial(clause->args)) == eager->right;
	right = right_first ? linitial(clause->args) : lsecond(clause->args);
	left = right_first ? lsecond(clause->args) : linitial(clause->args);
	if (relation_of(eager, right) != eager->right || relation_of(eager, left) != eager->left ||
		!op_hashjoinable(clause->opno, exprType(linitial(clause->args))) ||
		!groups_agree(right, clause->opno, clause->inputcollid, group) || !folded_cannot_fail(right))
		return false;
	entry = group_by_key(eager->groups, (Expr *) in_groups(eager, right), group);
	right = (Node *) column_of_groups(eager, entry, false);
	clause = copyObject(clause);
	clause->args = right_first ? list_make2(right, left) : list_make2(left, right);
	eager->on = lappend(eager->on, clause);
	eager->equalities = lappend(eager->equalities, clause);
	return true;
}

/* Divide the join's condition: what is of the right side alone is a condition of its groups' rows. */
static bool
take_join_condition(EagerAggregation *eager)
{
	List	   *own = NIL;
	ListCell   *lc;

	foreach(lc, conjuncts_of(eager->join->quals))
	{
		Node	   *clause = lfirst(lc);
		Index		rti = relation_of(eager, clause);

		if (contain_volatile_functions(clause))
			return false;
		if (rti == eager->right)
			own = lappend(own, in_groups(eager, clause));
		else if (rti == eager->left)
			eager->on = lappend(eager->on, clause);
		else if (!take_equality(eager, (OpExpr *) clause))
			return false;
	}
	if (own != NIL)
		eager->groups->jointree->quals = (Node *) make_ands_explicit(own);
	return eager->groups->groupClause != NIL;
}

/* Is an aggregate of one row of NULLs, but count(*), the same as of no rows? */
static bool
ignores_nulls(const EagerAggregation *eager, const Aggref *aggref)
{
	ListCell   *lc;

	if (aggref->aggfilter != NULL &&
		bms_is_member((int) eager->right, find_nonnullable_rels((Node *) aggref->aggfilter)))
		return true;
	if (aggref->aggfilter != NULL || (aggref->args == NIL && aggref->aggfnoid != F_COUNT_))
		return false;
	foreach(lc, aggref->args)
	{
		Node	   *arg = (Node *) lfirst_node(TargetEntry, lc)->expr;

		if (!bms_is_member((int) eager->right, relations_of(eager, arg)) ||
			contain_nonstrict_functions(arg))
			return false;
	}
	return true;
}

static bool
can_take_aggregate(const EagerAggregation *eager, const Aggref *aggref)
{
	return can_be_made_before(aggref) &&
		(bms_is_empty(relations_of(eager, aggref)) || relation_of(eager, aggref) == eager->right) &&
		ignores_nulls(eager, aggref);
}

/* An aggregate's value, which is the next column of the groups. */
static Node *
take_aggregate(EagerAggregation *eager, Aggref *aggref)
{
	TargetEntry *entry = makeTargetEntry((Expr *) in_groups(eager, aggref),
										 list_length(eager->groups->targetList) + 1, "value", false);
	Var		   *column = column_of_groups(eager, entry, true);
	Node	   *value = (Node *) column;

	eager->groups->targetList = lappend(eager->groups->targetList, entry);
	if (eager->guarded)
	{
		value = guarded_value(eager->equalities, (Expr *) column);
		compat_set_nulled(value, eager->right, eager->join->rtindex);
	}
	return value_of_group(aggref, value,
						  aggref->aggfnoid == F_COUNT_ && aggref->aggfilter == NULL ? 1 : 0);
}

/* The expression with columns of the groups in the places of aggregates. */
static Node *
value_mutator(Node *node, void *context)
{
	EagerAggregation *eager = context;

	if (node == NULL)
		return NULL;
	if (IsA(node, Aggref))
	{
		if (can_take_aggregate(eager, (Aggref *) node))
			return take_aggregate(eager, (Aggref *) node);
		eager->fails = true;
		return node;
	}
	if (IsA(node, Var) && ((const Var *) node)->varlevelsup == 0)
		eager->fails |= (Index) ((const Var *) node)->varno != eager->left;
	if (IsA(node, SubLink) || IsA(node, GroupingFunc))
		eager->fails = true;
	return expression_tree_mutator(node, value_mutator, context);
}

bool
may_aggregate_before_join(const Query *query)
{
	const JoinExpr *join;

	if (query->commandType != CMD_SELECT || query->groupClause == NIL || !query->hasAggs ||
		query->groupingSets != NIL || query->setOperations != NULL || query->rowMarks != NIL ||
		query->hasWindowFuncs || query->hasTargetSRFs || list_length(query->jointree->fromlist) != 1)
		return false;
	join = linitial(query->jointree->fromlist);
	return IsA(join, JoinExpr) && (join->jointype == JOIN_LEFT || join->jointype == JOIN_RIGHT) &&
		join->alias == NULL && IsA(join->larg, RangeTblRef) && IsA(join->rarg, RangeTblRef);
}

/* SELECT FROM the right side. */
static Query *
make_groups(const EagerAggregation *eager)
{
	Query	   *groups = makeNode(Query);
	RangeTblRef *ref = makeNode(RangeTblRef);

	groups->commandType = CMD_SELECT;
	groups->canSetTag = true;
	groups->hasAggs = true;
	compat_copy_relation(groups, eager->query, eager->right);
	ref->rtindex = 1;
	groups->jointree = makeFromExpr(list_make1(ref), NULL);
	return groups;
}

/* Of a copy of the query: it stays as it is if it cannot be rewritten. */
static bool
rewrite(EagerAggregation *eager)
{
	Query	   *query = eager->query;
	bool		is_left = eager->join->jointype == JOIN_LEFT;
	Node	   *having;
	ParseState *state;
	Alias	   *alias;

	eager->left = ((RangeTblRef *) (is_left ? eager->join->larg : eager->join->rarg))->rtindex;
	eager->right = ((RangeTblRef *) (is_left ? eager->join->rarg : eager->join->larg))->rtindex;
	eager->groups = make_groups(eager);
	compat_flatten_groups(query);
	if ((query->jointree->quals != NULL && relation_of(eager, query->jointree->quals) != eager->left) ||
		!groups_are_rows(eager) || !take_join_condition(eager))
		return false;
	query->targetList = (List *) value_mutator((Node *) query->targetList, eager);
	eager->guarded = !folded_cannot_fail(query->havingQual);
	having = value_mutator(query->havingQual, eager);
	if (eager->fails || !join_tree_cannot_fail(eager->groups))
		return false;
	query->jointree->quals = make_and_qual(query->jointree->quals, having);
	query->havingQual = NULL;
	query->groupClause = NIL;
	query->hasAggs = false;
	eager->join->quals = (Node *) make_ands_explicit(eager->on);
	state = make_parsestate(NULL);
	alias = makeAlias(rt_fetch(eager->right, query->rtable)->eref->aliasname, NIL);
	lfirst(list_nth_cell(query->rtable, (int) eager->right - 1)) =
		addRangeTableEntryForSubquery(state, eager->groups, alias, false, false)->p_rte;
	free_parsestate(state);
	return true;
}

bool
aggregate_before_join(Query *query, const Surroundings *around)
{
	EagerAggregation eager = {.query = copyObject(query)};
	bool		fail = around->fail || around->others_fail;

	/* conditions around the query, and subqueries beside it, can be of what it puts out */
	eager.guarded = fail || (around->nested && !folded_cannot_fail(query->targetList));
	eager.join = linitial(eager.query->jointree->fromlist);
	/* HAVING becomes a condition of the join, before others around it or behind */
	if ((query->havingQual != NULL && fail) || !rewrite(&eager))
		return false;
	*query = *eager.query;
	return true;
}
