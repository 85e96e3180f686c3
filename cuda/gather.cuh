/*
 * gather.cuh
 *	  Heap pages from host memory into a batch's bytes.
 *
 * A block takes one page after another.  Each of its threads loads 16 bytes at a
 * time, all of them before it stores the first, so that few blocks have enough
 * loads on their way to keep the link busy.  A page may be written to meanwhile by
 * other processes; it is read once, and the kernels that follow see that copy.
 */
#ifndef GPUAGG_GATHER_CUH
#define GPUAGG_GATHER_CUH

#include "heap_page.h"

typedef struct Vector16
{
	uint64_t	low;
	uint64_t	high;
} __attribute__((aligned(16))) Vector16;

#define GATHER_LOADS (HEAP_PAGE_SIZE / sizeof(Vector16) / GATHER_THREADS)

KERNEL_BOUNDS(gather, GatherArgs, args, GATHER_THREADS, 1)
{
	for (uint32_t page = blockIdx.x; page < args.npages; page += gridDim.x)
	{
		const Vector16 *from = (const Vector16 *) args.sources[page];
		Vector16   *to = (Vector16 *) (args.to + (uint64_t) page * HEAP_PAGE_SIZE);
		Vector16	loaded[GATHER_LOADS];

		if (from == NULL)
			continue;
		PRAGMA_UNROLL
		for (uint32_t i = 0; i < GATHER_LOADS; i++)
			loaded[i] = from[i * GATHER_THREADS + threadIdx.x];
		PRAGMA_UNROLL
		for (uint32_t i = 0; i < GATHER_LOADS; i++)
			to[i * GATHER_THREADS + threadIdx.x] = loaded[i];
	}
}

#endif							/* GPUAGG_GATHER_CUH */
