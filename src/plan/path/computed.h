/*
 * computed.h
 *	  Expressions that only PostgreSQL can compute, once for each distinct value of their inputs.
 */
#ifndef GPUAGG_COMPUTED_H
#define GPUAGG_COMPUTED_H

#include "plan/path/grouping.h"
#include "plan/path/star.h"

/*
 * Find what engines cannot compute of a table's columns, which `tables` has, for the grouping
 * of its rows, and of those of the other look-ups of *star.  Each that is added, before these, has
 * for its relation the rows that pass the clauses that engines can compute; its cheapest path,
 * which is to be made of these by the caller, has the distinct values of the columns in its target.
 *
 * certain: would PostgreSQL compute keys and arguments for all rows that pass?  truncates: what
 * formats show is computed of truncated moments.  Returns false if something can only be computed
 * row by row, or had better be.
 */
extern bool computed_find(const Grouping *grouping, RelOptInfo *rel, const InputTables *tables,
						  bool certain, bool truncates, Star *star);

/* What such a look-up is called in EXPLAIN: its columns. */
extern const char *computed_name(PlannerInfo *root, const StarLookup *lookup);

/* What it takes longer than PostgreSQL's costs say to compute expressions of so many rows. */
extern Cost computed_calls_cost(const List *computed, double rows);

/*
 * hashed_subplans.c: subqueries of expressions that are computed.
 */

/* Are all that an expression has answered by hash tables of rows that do not depend on its columns? */
extern bool subplans_are_hashed(PlannerInfo *root, Node *expr);

/* Can neither such an expression nor its subqueries raise an error? */
extern bool subplans_cannot_fail(PlannerInfo *root, Node *expr);

#endif							/* GPUAGG_COMPUTED_H */
