/*
 * stored_groups.h
 *	  The groups of a run that are in a GroupStore, as GroupBatches.
 */
#ifndef GPUAGG_STORED_GROUPS_H
#define GPUAGG_STORED_GROUPS_H

#include "engine/cpu/group_output.h"
#include "engine/cpu/spill.h"

/* Zero but for the first three to begin with, and between rewinding and the next batch. */
typedef struct StoredGroups
{
	Spill	   *spill;			/* the caller's, like the table */
	GroupTable *table;			/* to merge in; unused if the store is merged */
	GroupChoice *choice;		/* the caller's; NULL: all groups leave */
	uint32_t	partition;		/* of those to be read */
	bool		begun;			/* the partition */
	uint64_t	ngroups;		/* read so far */
	uint64_t	nparts;			/* of the groups, that were read one by one */
	GroupOutput *output;		/* of the part read last */
	uint32_t	npieces;		/* of the partition, that were read: of a merged store */
	bool		has_moved;		/* other pieces of the store have been read since */
	StoredValues values;		/* of the list that is being read */
} StoredGroups;

/*
 * INEXACT if the states of a group are so once they are merged; before the first
 * batch.  FAILED: the store has, or interrupted, here and below; the reason is in
 * message (256 bytes).
 */
extern EngineStatus stored_check(StoredGroups *groups, char *message);

/* The next groups, none after the last. */
extern EngineStatus stored_batch(StoredGroups *groups, GroupBatch *batch, char *message);

/* As EngineLists.list, of the last batch. */
extern EngineStatus stored_list(StoredGroups *groups, StoredList *list, char *message);

/* Begin with the first group again; frees the output, too. */
extern void stored_rewind(StoredGroups *groups);

#endif							/* GPUAGG_STORED_GROUPS_H */
