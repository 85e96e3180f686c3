/*
 * needed_keys.h
 *	  Which groups of a subquery the query around it asks for.
 */
#ifndef GPUAGG_NEEDED_KEYS_H
#define GPUAGG_NEEDED_KEYS_H

#include "plan/query/grouped_subquery.h"

/*
 * If conditions of the query, its conjuncts, say which values of a key its rows ask for, let the
 * grouping have only the rows with these.
 */
extern void need_keys(const Query *query, List *conditions, GroupedSubquery *grouped);

#endif							/* GPUAGG_NEEDED_KEYS_H */
