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

/*
 * safety.c: which expressions raise no error, whatever rows they are evaluated for.
 */

/*
 * Is evaluating the expression, clause (RestrictInfo) or list of them sure to raise no error,
 * but for lack of memory?  False if that is not known.
 */
extern bool cannot_fail(Node *node);

/* The same of the conditions of a join tree. */
extern bool conditions_cannot_fail(Node *jtnode);

/* Is a part of the expression the value of a CASE around it? */
extern bool has_case_test(Node *node);

/*
 * hidden_rows.c: rows that the user may not see.
 */

/* Is the query part of a view that is a security barrier, for all we know? */
extern bool is_behind_barrier(const PlannerInfo *root);

/* Can a table of the query have rows that are hidden from the user? */
extern bool has_hidden_rows(PlannerInfo *root, Index rti);

struct VariableStatData;

/*
 * Has a column statistics whose values the user may see?  What PostgreSQL asks before it passes
 * them to a function that is not leakproof; and the functions of a view that is a barrier are not
 * the user's, but what EXPLAIN shows of them he sees.
 */
extern bool statistics_are_readable(const PlannerInfo *root, const struct VariableStatData *variable);

/*
 * subquery.c: queries that relations of another query stand for.
 */

/* The query, planned, whose output a subquery's or a CTE's rows are; NULL: there is none. */
extern PlannerInfo *subquery_root(PlannerInfo *root, Index rti);

/*
 * lower_regroup.c: a Program over the groups of another one, for coarser groups.
 */

/*
 * The Program that takes in each value of aggregates with DISTINCT once, from the
 * groups of a Program that has the keys and the aggregates without DISTINCT.
 * Returns NULL, with *reason set, if it cannot be done.
 */
extern Program *lower_regrouping(const Program *fine, List *keys, List *aggrefs,
								 const char **reason);

#endif							/* GPUAGG_LOWER_H */
