/*
 * clauses.c
 *	  The order in which PostgreSQL evaluates clauses.
 *
 * It is seen where a clause raises an error for a row that another clause
 * removes.  The rule is that of order_qual_clauses in createplan.c: ascending
 * by security level, then by cost, equal ones as they were; what is leakproof
 * and cheap need not wait for its security level.
 */
#include "postgres.h"

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
