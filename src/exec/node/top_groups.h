/*
 * top_groups.h
 *	  The groups that can be among the first ones of an order, and those that HAVING lets
 *	  pass, as far as an engine can tell.
 */
#ifndef GPUAGG_TOP_GROUPS_H
#define GPUAGG_TOP_GROUPS_H

#include "nodes/execnodes.h"

#include "plan/plan_info.h"
#include "program/top_order.h"

typedef struct TopGroups TopGroups;

/* A group's value of one of the node's columns; by reference, in the current context. */
typedef Datum (*TopGroupsValue) (void *node, uint32_t group, int column, bool *isnull);

/*
 * For as long as the current context; tlist: the node's columns.  What value returns is
 * of their types.
 */
extern TopGroups *top_groups_create(const TopInfo *info, List *tlist, TopGroupsValue value,
									void *node);

/* No group has been there yet. */
extern void top_groups_reset(TopGroups *top);

/*
 * Are there enough groups that come before this one?  Then it is counted, and need not
 * leave; else, if it does leave, top_groups_add must be told.
 */
extern bool top_groups_are_better(TopGroups *top, uint32_t group);
extern void top_groups_add(TopGroups *top);

/*
 * What an engine may know of the order, where each of its groups can leave; the node's
 * first nkeys columns are keys, the next ones the Program's aggregates.
 */
extern TopHint top_groups_hint(const PlanInfo *plan, List *tlist);

extern uint64 top_groups_left_out(const TopGroups *top);

/*
 * having_hint.c: HAVING's comparisons as conditions that an engine knows.
 */

/*
 * Add conditions to the hint, of groups of the Program: a group for which one does not hold
 * is none that HAVING lets pass.  having: its clauses; values: ExprStates, one for each of
 * info's columns.  Returns for how many of these a group for which the condition holds passes.
 */
extern int	having_hint(const HavingInfo *info, List *having, List *values,
						const Program *program, ExprContext *econtext, TopHint *hint);

#endif							/* GPUAGG_TOP_GROUPS_H */
