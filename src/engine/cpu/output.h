/*
 * output.h
 *	  Groups' records as a GroupBatch.
 */
#ifndef GPUAGG_OUTPUT_H
#define GPUAGG_OUTPUT_H

#include "engine/cpu/keys.h"

#define OUTPUT_GROUPS 4096		/* the most in one batch */

typedef struct GroupOutput GroupOutput;

/* NULL: no memory.  The layout must outlive it. */
extern GroupOutput *output_create(const Program *program, const KeyLayout *layout);
extern void output_free(GroupOutput *output);

/*
 * n records, stride words apart, into a batch whose arrays the next call
 * reuses.  False: no memory.
 */
extern bool output_batch(GroupOutput *output, const uint64_t *records, size_t stride,
						 uint32_t n, GroupBatch *batch);

#endif							/* GPUAGG_OUTPUT_H */
