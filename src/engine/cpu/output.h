/*
 * output.h
 *	  Groups' records as a GroupBatch.
 */
#ifndef GPUAGG_OUTPUT_H
#define GPUAGG_OUTPUT_H

#include "engine/cpu/keys.h"

typedef struct GroupOutput GroupOutput;

/*
 * For ngroups records, stride words apart.  They and the layout must outlive
 * it, and stay where they are.  NULL: no memory.
 */
extern GroupOutput *output_create(const Program *program, const KeyLayout *layout,
								  const uint64_t *records, size_t stride, uint32_t ngroups);
extern void output_free(GroupOutput *output);
extern size_t output_memory(const GroupOutput *output); /* bytes */

/*
 * The next groups, none after the last; the batch's arrays are reused by the
 * next call.  Cannot fail.
 */
extern void output_batch(GroupOutput *output, GroupBatch *batch);

/* Begin with the first group again. */
extern void output_rewind(GroupOutput *output);

#endif							/* GPUAGG_OUTPUT_H */
