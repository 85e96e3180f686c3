/*
 * where_conjuncts.h
 *	  The conjuncts of a condition that has not been planned.
 */
#ifndef GPUAGG_WHERE_CONJUNCTS_H
#define GPUAGG_WHERE_CONJUNCTS_H

#include "nodes/nodeFuncs.h"
#include "nodes/pg_list.h"

/* Appends those of the condition, which may be NULL. */
static inline List *
append_conjuncts(List *conjuncts, Node *condition)
{
	ListCell   *lc;

	if (condition == NULL)
		return conjuncts;
	if (!is_andclause(condition))
		return lappend(conjuncts, condition);
	foreach(lc, ((BoolExpr *) condition)->args)
		conjuncts = append_conjuncts(conjuncts, lfirst(lc));
	return conjuncts;
}

static inline List *
conjuncts_of(Node *condition)
{
	return append_conjuncts(NIL, condition);
}

#endif							/* GPUAGG_WHERE_CONJUNCTS_H */
