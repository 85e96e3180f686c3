/*
 * clauses.h
 *	  In which order, and in which rows, PostgreSQL evaluates a query's expressions.
 */
#ifndef GPUAGG_CLAUSES_H
#define GPUAGG_CLAUSES_H

#include "nodes/pathnodes.h"

/*
 * A new list of implicitly ANDed clauses (RestrictInfos or bare expressions) in
 * the order in which a plan of PostgreSQL's evaluates them: the cheap ones
 * first, within what row security allows.
 */
extern List *clauses_in_order(PlannerInfo *root, const List *clauses);

/* Is there one that a plan looks at once, before it reads any row? */
extern bool clauses_have_pseudoconstant(const List *rinfos);

/* Has one of the expressions a subquery whose value is needed in some rows only? */
extern bool has_guarded_subquery(PlannerInfo *root, List *exprs);

/* Has one a subquery whose value is needed, of all rows or of some? */
extern bool has_subquery_value(PlannerInfo *root, List *exprs);

#endif							/* GPUAGG_CLAUSES_H */
