/*
 * lower.h
 *	  From PostgreSQL's expressions to a Program.
 *
 * Lowering never guesses and never changes the tree it looks at: what it does
 * not know, it rejects with a reason.
 */
#ifndef GPUAGG_LOWER_H
#define GPUAGG_LOWER_H

#include "plan/lower/lowering.h"

/*
 * Each returns false, with l->reason set (a translatable phrase such as
 * "function lower(text) is not supported", for "... because ..."), if it met
 * what it cannot lower; all that follow then return false too.  Clauses are
 * ANDed in their order.  The program's keys and aggregates (lower_agg.c) are in the
 * order of the calls.
 */
extern bool lower_filter(Lowering *l, List *clauses);
extern bool lower_key(Lowering *l, Expr *expr);

/* Let a row's error in the expression be seen, though nothing may need its value. */
extern bool lower_checked(Lowering *l, Expr *expr);

/* The finished Program, palloc'd, or NULL with a reason if it got too large. */
extern Program *lower_finish(Lowering *l);

/*
 * Can a child plan's column of this expression, an argument of an aggregate, be
 * taken, whatever computes it?
 */
extern bool lower_can_input(PlannerInfo *root, const Aggref *aggref, Expr *expr);

#endif							/* GPUAGG_LOWER_H */
