/*
 * ordered_aggregate.h
 *	  Aggregates of rows in an order, by PostgreSQL's own functions.
 */
#ifndef GPUAGG_ORDERED_AGGREGATE_H
#define GPUAGG_ORDERED_AGGREGATE_H

#include "nodes/execnodes.h"

#include "exec/values/group_list.h"
#include "plan/plan_info.h"

typedef struct OrderedAggregate OrderedAggregate;

/* In the current context; the OrderedInfo must stay.  *nrows counts rows that are ordered. */
extern OrderedAggregate *ordered_aggregate_create(const OrderedInfo *info, EState *estate,
												  uint64 *nrows);

/* The rows that follow are those of a Program's list, an accumulator of it. */
extern void ordered_aggregate_begin(OrderedAggregate *ordered, const Program *program, int list);

/*
 * The result of a list of rows (row_list.h).  A Datum by reference is in the current context, or
 * in the aggregate's until its next value.  Raises what its functions, and comparisons, raise, and
 * what group_list_next and PostgreSQL's sort raise.
 */
extern Datum ordered_aggregate_value(OrderedAggregate *ordered, GroupList *list, bool *isnull);

#endif							/* GPUAGG_ORDERED_AGGREGATE_H */
