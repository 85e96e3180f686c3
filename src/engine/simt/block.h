/*
 * block.h
 *	  Runs the blocks of a launch, one after another, on fibers.
 */
#ifndef GPUAGG_SIMT_BLOCK_H
#define GPUAGG_SIMT_BLOCK_H

#include "engine/simt/shim.h"

#define SIMT_WARP_SIZE 32
#define SIMT_MAX_BLOCK 1024		/* threads a block */

/* One launch. */
typedef struct SimtLaunch
{
	const SimtKernel *kernel;
	const void *params;
	uint32_t	grid,
				block;
	uint32_t	dynamic_shared; /* bytes */
	unsigned char *shared,		/* the module's static shared memory */
			   *shared_end;
	SimtRuntime **rt;			/* the module's pointer to the runtime */
} SimtLaunch;

typedef struct SimtBlock SimtBlock;

/*
 * The memory for running blocks: 1024 stacks of 64 KB, of which only what is
 * touched takes real memory, and shared_limit bytes of dynamic shared memory.
 * NULL: no memory.
 */
extern SimtBlock *simt_block_create(uint32_t shared_limit);
extern void simt_block_free(SimtBlock *block);

/*
 * 0 (the default): a thread runs until it must wait, and the next thread in
 * order follows.  Otherwise threads change at random, also at atomics, in an
 * order that the seed determines.
 */
extern void simt_block_seed(SimtBlock *block, uint64_t seed);

/* Run all blocks; false, with the reason in message, if a thread went wrong. */
extern bool simt_block_launch(SimtBlock *block, const SimtLaunch *launch,
							  char *message, size_t len);

#endif							/* GPUAGG_SIMT_BLOCK_H */
