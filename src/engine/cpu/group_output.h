/*
 * group_output.h
 *	  Groups' records as a GroupBatch.
 */
#ifndef GPUAGG_GROUP_OUTPUT_H
#define GPUAGG_GROUP_OUTPUT_H

#include "engine/cpu/group_choice.h"
#include "engine/engine.h"

typedef struct GroupOutput GroupOutput;

/*
 * The output of groups that are complete, of those that are chosen, NULL: of all; records,
 * layout, hints and choice must outlive it, and stay where they are.  INEXACT if states are
 * (state.h), NO_MEMORY, or FAILED if interrupted: *output is then NULL, and the reason in message
 * (256 bytes).
 */
extern EngineStatus output_create(const Program *program, const GroupRecords *groups,
								  const EngineHints *hints, GroupChoice *choice,
								  GroupOutput **output, char *message);
extern void output_free(GroupOutput *output);
extern size_t output_memory(const GroupOutput *output); /* bytes */

/*
 * The next groups, none after the last; the batch's arrays are reused by the
 * next call.  False: interrupted, only if groups are chosen, or lists of values given.
 */
extern bool output_batch(GroupOutput *output, GroupBatch *batch);

/* The record of a group of the last batch. */
extern const uint64_t *output_group(const GroupOutput *output, uint32_t group);

/* Begin with the first group again. */
extern void output_rewind(GroupOutput *output);

#endif							/* GPUAGG_GROUP_OUTPUT_H */
