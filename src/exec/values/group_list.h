/*
 * group_list.h
 *	  A list of values that a group is given with, in memory or in the engine's store.
 */
#ifndef GPUAGG_GROUP_LIST_H
#define GPUAGG_GROUP_LIST_H

#include "handle/handle.h"

typedef struct GroupList
{
	EngineHandle *engine;
	const uint64_t *values;		/* all of them; NULL: they are in the store, if there are any */
	uint64		n;
	uint64		nread;
	StoredList	stored;
} GroupList;

/* The list of a group of the engine's last batch, whose state it is; word: the list's first one. */
extern GroupList group_list(EngineHandle *engine, uint32 group, const uint64_t *state, uint32 word);

/*
 * The next values, which stay as long as the batch, or those of a list in the store until the next
 * call; false: there are no more.  Raises an error if the store has failed: it is too late for
 * PostgreSQL's own plan.
 */
extern bool group_list_next(GroupList *list, const uint64_t **values, uint64 *n);

#endif							/* GPUAGG_GROUP_LIST_H */
