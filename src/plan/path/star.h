/*
 * star.h
 *	  A join as look-ups: one table that is read, and relations that are unique by a key.
 */
#ifndef GPUAGG_STAR_H
#define GPUAGG_STAR_H

#include "nodes/pathnodes.h"

#include "plan/lower/lower_lookup.h"

/*
 * A look-up: for each row of the fact, one row of another relation at most, which is one of
 * the query's, or a join of some of them, as PostgreSQL plans it.
 */
typedef struct StarLookup
{
	RelOptInfo *rel;
	JoinType	jointype;		/* JOIN_INNER, JOIN_LEFT, JOIN_SEMI or JOIN_ANTI */
	List	   *keys;			/* JoinKey */
	bool		unique;			/* no two of its rows have the same keys; false: it may be so */
	List	   *equalities;		/* Expr: what they are of, as EXPLAIN shows it */
	List	   *conditions;		/* Expr: the join's other clauses */
	List	   *filters;		/* Expr: clauses that are evaluated above an outer join */
	List	   *computed;		/* Expr: what PostgreSQL computes of the keys, which are the fact's
								 * own columns (computed.h); NIL: it is a join's */
} StarLookup;

typedef struct Star
{
	RelOptInfo *fact;
	List	   *lookups;		/* StarLookup: each needs the fact and those before only */
	List	   *conditions;		/* RestrictInfo: of the fact, which need what is computed; they are
								 * look-ups' filters */
} Star;

/*
 * Take a join relation apart, with this base relation as its fact.  Returns NULL, or why it
 * cannot be done (a phrase).
 */
extern const char *star_find(PlannerInfo *root, RelOptInfo *joinrel, RelOptInfo *fact,
							 Star *star);

/* The base relations of a join that can be facts, largest first. */
extern List *star_facts(PlannerInfo *root, const RelOptInfo *joinrel);

/*
 * unique.c: relations whose rows are likely to differ.
 */

/*
 * Is it likely that no two rows of a base relation agree in all of these expressions?  That it
 * is so must be found out when they are read.
 */
extern bool likely_unique(PlannerInfo *root, RelOptInfo *rel, List *exprs);

#endif							/* GPUAGG_STAR_H */
