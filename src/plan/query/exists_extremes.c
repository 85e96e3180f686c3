/*
 * exists_extremes.c
 *	  EXISTS of rows with another value, as a condition on the least and the greatest one.
 *
 * Some of the rows that
 *
 *	  EXISTS (SELECT FROM r WHERE r.k = l.k AND r.x <> l.x)
 *
 * asks for are there if and only if one of the extremes of x among the rows with this k is not l.x:
 *
 *	  (SELECT min(r.x) <> l.x OR max(r.x) <> l.x FROM r WHERE r.k = l.k)
 *
 * which can be a join of groups (grouped_subquery.c), where PostgreSQL compares each row with all
 * that have its k.  Extremes are NULL where all of x is, or there is no row, and so is the comparison
 * with an l.x that is NULL.
 */
#include "postgres.h"

#include "catalog/pg_aggregate.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "parser/parse_func.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "plan/query/exists_extremes.h"
#include "plan/query/where_conjuncts.h"

/* A condition that two values differ: the subquery's own, and one of the query around it. */
typedef struct Difference
{
	OpExpr	   *clause;
	bool		inner_first;	/* the subquery's is the left one */
} Difference;

/* Is the operator the negation of the type's own equality? */
static bool
is_inequality(Oid operator, Oid type)
{
	Oid			equality = get_negator(operator);
	Oid			own = lookup_type_cache(type, TYPECACHE_EQ_OPR)->eq_opr;

	return OidIsValid(equality) && OidIsValid(own) && op_mergejoinable(equality, type) &&
		equality_ops_are_compatible(equality, own);
}

/* Is a conjunct such a condition? */
static bool
is_difference(Node *conjunct, Difference *difference)
{
	OpExpr	   *clause = (OpExpr *) conjunct;
	Node	   *inner;
	Node	   *outer;

	if (!IsA(clause, OpExpr) || list_length(clause->args) != 2 || contain_subplans(conjunct) ||
		contain_volatile_functions(conjunct))
		return false;
	difference->clause = clause;
	difference->inner_first = !contain_vars_of_level(linitial(clause->args), 1);
	inner = difference->inner_first ? linitial(clause->args) : lsecond(clause->args);
	outer = difference->inner_first ? lsecond(clause->args) : linitial(clause->args);
	return contain_vars_of_level(inner, 0) && !contain_vars_of_level(inner, 1) &&
		contain_vars_of_level(outer, 1) && !contain_vars_of_level(outer, 0) &&
		(exprCollation(inner) == clause->inputcollid || !OidIsValid(exprCollation(inner))) &&
		is_inequality(clause->opno, exprType(inner));
}

/* PostgreSQL's min or max of a type, itself; InvalidOid: there is none. */
static Oid
extreme_of_type(const char *name, Oid type)
{
	return LookupFuncName(list_make2(makeString("pg_catalog"), makeString(pstrdup(name))), 1, &type,
						  true);
}

/* The difference of an extreme of the subquery's values. */
static Expr *
differs_extreme(const Difference *difference, Oid function)
{
	OpExpr	   *result = copyObject(difference->clause);
	ListCell   *inner = difference->inner_first ? list_head(result->args) : list_tail(result->args);
	Expr	   *value = lfirst(inner);
	Aggref	   *aggref = makeNode(Aggref);

	aggref->aggfnoid = function;
	aggref->aggtype = exprType((Node *) value);
	aggref->aggcollid = aggref->inputcollid = exprCollation((Node *) value);
	aggref->aggtranstype = InvalidOid;
	aggref->aggargtypes = list_make1_oid(aggref->aggtype);
	aggref->args = list_make1(makeTargetEntry(value, 1, NULL, false));
	aggref->aggkind = AGGKIND_NORMAL;
	aggref->aggsplit = AGGSPLIT_SIMPLE;
	aggref->aggno = aggref->aggtransno = -1;
	aggref->location = -1;
	lfirst(inner) = aggref;
	return (Expr *) result;
}

/* SELECT the least one differs OR the greatest one does; conjuncts: the conditions that stay. */
static Query *
make_query(const Query *subquery, List *conjuncts, const Difference *difference)
{
	Oid			type = exprType(difference->inner_first ? linitial(difference->clause->args) :
								lsecond(difference->clause->args));
	Oid			least = extreme_of_type("min", type);
	Oid			greatest = extreme_of_type("max", type);
	Query	   *result;
	Expr	   *differs;

	if (!OidIsValid(least) || !OidIsValid(greatest) || get_func_rettype(least) != type)
		return NULL;
	result = copyObject((Query *) subquery);
	differs = makeBoolExpr(OR_EXPR, list_make2(differs_extreme(difference, least),
											   differs_extreme(difference, greatest)), -1);
	result->hasAggs = true;
	result->targetList = list_make1(makeTargetEntry(differs, 1, "differs", false));
	result->jointree->quals = (Node *) make_ands_explicit(copyObject(conjuncts));
	return result;
}

Query *
exists_by_extremes(const SubLink *sublink)
{
	const Query *subquery = (const Query *) sublink->subselect;
	Difference	difference;
	Difference	other;
	bool		found = false;
	List	   *conjuncts = NIL;
	ListCell   *lc;

	/* what else makes other rows, such as GROUP BY or LIMIT, group_subquery refuses */
	if (sublink->subLinkType != EXISTS_SUBLINK || subquery->hasAggs)
		return NULL;
	foreach(lc, conjuncts_of(subquery->jointree->quals))
	{
		if (!is_difference(lfirst(lc), &other))
			conjuncts = lappend(conjuncts, lfirst(lc));
		else if (found)
			return NULL;
		else
		{
			difference = other;
			found = true;
		}
	}
	return found && conjuncts != NIL ? make_query(subquery, conjuncts, &difference) : NULL;
}
