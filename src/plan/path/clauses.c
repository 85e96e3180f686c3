/*
 * clauses.c
 *	  In which order, and in which rows, PostgreSQL evaluates a query's expressions.
 *
 * The order of clauses is seen where a clause raises an error for a row that another clause
 * removes.  The rule is that of order_qual_clauses in createplan.c: ascending
 * by security level, then by cost, equal ones as they were; what is leakproof
 * and cheap need not wait for its security level.
 *
 * The value of a subquery that no row changes, an InitPlan, is a parameter of the Program and
 * is computed before the first row (params.c).  PostgreSQL computes it once a row
 * needs it, and never if CASE, COALESCE or the FILTER of an aggregate keep all
 * rows from it; an error of the subquery is then not raised, and what its
 * functions do is not done.  AND and OR guarantee no such order, and PostgreSQL's
 * index scans, too, compute it before the first row.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"

#include "plan/path/clauses.h"

/*
 * Leakproof clauses that cost less go first: in units of cpu_operator_cost, as in
 * order_qual_clauses.
 */
#define CHEAP_OPERATORS 10

typedef struct RankedClause
{
	Node	   *clause;
	Index		security_level;
	Cost		cost;
	int			position;
} RankedClause;

static int
compare_clauses(const void *a, const void *b)
{
	const RankedClause *x = a;
	const RankedClause *y = b;

	if (x->security_level != y->security_level)
		return x->security_level < y->security_level ? -1 : 1;
	if (x->cost != y->cost)
		return x->cost < y->cost ? -1 : 1;
	return x->position - y->position;
}

static Index
security_level_of(const Node *clause, Cost cost)
{
	const RestrictInfo *rinfo = (const RestrictInfo *) clause;

	if (!IsA(clause, RestrictInfo) ||
		(rinfo->leakproof && cost < CHEAP_OPERATORS * cpu_operator_cost))
		return 0;
	return rinfo->security_level;
}

List *
clauses_in_order(PlannerInfo *root, const List *clauses)
{
	int			n = list_length(clauses);
	RankedClause *ranked = palloc(sizeof(RankedClause) * Max(n, 1));
	List	   *result = NIL;
	ListCell   *lc;

	foreach(lc, clauses)
	{
		RankedClause *r = &ranked[foreach_current_index(lc)];
		QualCost	cost;

		r->clause = lfirst(lc);
		cost_qual_eval_node(&cost, r->clause, root);
		r->cost = cost.per_tuple;
		r->security_level = security_level_of(r->clause, r->cost);
		r->position = foreach_current_index(lc);
	}
	qsort(ranked, n, sizeof(RankedClause), compare_clauses);
	for (int i = 0; i < n; i++)
		result = lappend(result, ranked[i].clause);
	pfree(ranked);
	return result;
}

bool
clauses_have_pseudoconstant(const List *rinfos)
{
	ListCell   *lc;

	foreach(lc, rinfos)
	{
		if (lfirst_node(RestrictInfo, lc)->pseudoconstant)
			return true;
	}
	return false;
}

typedef struct GuardContext
{
	const Bitmapset *params;	/* of InitPlans */
	bool		guarded;		/* not all rows come to where the walk is */
} GuardContext;

/* The parameters that InitPlans set, whichever level of the query they are of. */
static Bitmapset *
initplan_params(const PlannerInfo *root)
{
	Bitmapset  *params = NULL;
	ListCell   *lc;
	ListCell   *param;

	for (; root != NULL; root = root->parent_root)
		foreach(lc, root->init_plans)
			foreach(param, lfirst_node(SubPlan, lc)->setParam)
				params = bms_add_member(params, lfirst_int(param));
	return params;
}

static bool guarded_walker(Node *node, GuardContext *context);

static bool
walk_guarded(void *node, const GuardContext *context)
{
	GuardContext inner = {context->params, true};

	return guarded_walker(node, &inner);
}

/* All rows come to what is tested first. */
static bool
walk_case(CaseExpr *expr, GuardContext *context)
{
	CaseWhen   *first = linitial_node(CaseWhen, expr->args);

	return guarded_walker((Node *) expr->arg, context) ||
		guarded_walker((Node *) first->expr, context) ||
		walk_guarded(first->result, context) ||
		walk_guarded(list_copy_tail(expr->args, 1), context) ||
		walk_guarded(expr->defresult, context);
}

static bool
guarded_walker(Node *node, GuardContext *context)
{
	List	   *args;

	if (node == NULL)
		return false;
	switch (nodeTag(node))
	{
		case T_Param:
			return context->guarded &&
				((Param *) node)->paramkind == PARAM_EXEC &&
				bms_is_member(((Param *) node)->paramid, context->params);
		case T_CaseExpr:
			return walk_case((CaseExpr *) node, context);
		case T_CaseWhen:		/* which expression_tree_walker does not know */
			return guarded_walker((Node *) ((CaseWhen *) node)->expr, context) ||
				guarded_walker((Node *) ((CaseWhen *) node)->result, context);
		case T_CoalesceExpr:
			args = ((CoalesceExpr *) node)->args;
			return guarded_walker(linitial(args), context) ||
				walk_guarded(list_copy_tail(args, 1), context);
		case T_Aggref:
			if (((Aggref *) node)->aggfilter == NULL)
				break;
			return guarded_walker((Node *) ((Aggref *) node)->aggfilter, context) ||
				walk_guarded(((Aggref *) node)->args, context);
		default:
			break;
	}
	return expression_tree_walker(node, guarded_walker, (void *) context);
}

bool
has_guarded_subquery(PlannerInfo *root, List *exprs)
{
	GuardContext context = {initplan_params(root), false};

	return !bms_is_empty(context.params) && guarded_walker((Node *) exprs, &context);
}

bool
has_subquery_value(PlannerInfo *root, List *exprs)
{
	GuardContext context = {initplan_params(root), true};

	return !bms_is_empty(context.params) && guarded_walker((Node *) exprs, &context);
}
