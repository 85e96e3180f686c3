/*
 * given_groups.h
 *	  Which groups of a run have been given, by their keys.
 */
#ifndef GPUAGG_GIVEN_GROUPS_H
#define GPUAGG_GIVEN_GROUPS_H

#include "engine/engine.h"

typedef struct GivenGroups GivenGroups;

/*
 * Can a group of the Program be known again by its keys' bytes, and is what it holds good
 * before all groups are known?
 */
extern bool given_groups_are_possible(const Program *program);

/*
 * In the current context.  The Program and the store, of which one partition is used for
 * what takes more than `limit` bytes, must be there until given_groups_end.
 */
extern GivenGroups *given_groups_create(const Program *program, GroupStore *store, uint64 limit);

/* Add all groups of a batch.  If the store fails, nothing is known of the groups any more. */
extern void given_groups_add(GivenGroups *given, const GroupBatch *batch);

/* No more are added; false: they are not known, since the store has failed. */
extern bool given_groups_end(GivenGroups *given);

/* After that: is the batch's group, of a Program with the same keys, one of them? */
extern bool given_groups_have(GivenGroups *given, const GroupBatch *batch, uint32 group);

#endif							/* GPUAGG_GIVEN_GROUPS_H */
