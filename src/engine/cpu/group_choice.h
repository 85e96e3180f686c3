/*
 * group_choice.h
 *	  Which groups leave the CPU engine.
 */
#ifndef GPUAGG_GROUP_CHOICE_H
#define GPUAGG_GROUP_CHOICE_H

#include "engine/cpu/keys.h"
#include "engine/engine.h"

/* Groups that are looked at together at most. */
#define CHOICE_GROUPS 4096

typedef struct GroupChoice GroupChoice;

/* Groups that are complete. */
typedef struct GroupRecords
{
	const KeyLayout *layout;
	const uint64_t *records;
	size_t		stride;			/* words from one to the next */
	uint32_t	ngroups;
} GroupRecords;

/*
 * What the hints ask for, into *choice, NULL if all groups leave; the Program and units, of
 * float sums by accumulators, must outlive it.  False: there is no memory.
 */
extern bool choice_create(const Program *program, const EngineHints *hints,
						  const int32_t *units, GroupChoice **choice);
extern void choice_free(GroupChoice *choice);
extern size_t choice_memory(const GroupChoice *choice); /* bytes */

/* No group has been looked at, or none of those that have been has been taken. */
extern void choice_reset(GroupChoice *choice);
extern void choice_rewind(GroupChoice *choice);

/* Look at groups before they are chosen from, each once.  False: interrupted. */
extern bool choice_look(GroupChoice *choice, const GroupRecords *groups,
						const EngineHints *hints);

/*
 * Of n groups, at most CHOICE_GROUPS, the numbers of those that leave, in their order; returns
 * how many they are.
 */
extern uint32_t choice_take(GroupChoice *choice, const KeyLayout *layout,
							const uint64_t *records, size_t stride, uint32_t n,
							uint16_t *leaving);

/* How many of those did not, by their order, or by the conditions. */
extern uint64_t choice_left_out(const GroupChoice *choice);
extern uint64_t choice_removed(const GroupChoice *choice);

#endif							/* GPUAGG_GROUP_CHOICE_H */
