/*
 * emit.cuh
 *	  Groups out of the table into the output's vectors, in no order.
 */
#ifndef GPUAGG_EMIT_CUH
#define GPUAGG_EMIT_CUH

#include "compact.cuh"

KERNEL(emit, EmitArgs, args)
{
	KERNEL_BEGIN(&args.table);
	uint32_t	nslots = args.to - args.from;
	uint32_t	rounds = (nslots + WARP_SIZE - 1) / WARP_SIZE * WARP_SIZE;

	/* whole warps, since they count their groups together */
	for (uint64_t i = grid_index(); i < rounds; i += grid_size())
	{
		uint32_t	slot = args.from + (uint32_t) i;
		bool		exists = false;
		uint32_t	place;

		if (i < nslots && args.list != NULL)
			slot = args.list[slot];
		if (i < nslots)
			exists = NKEYS == 0 || group_exists(&args.table, slot);
		place = compact_place(exists, &args.counters->emitted);
		if (exists && place < args.capacity)
			emit_group(&args, slot, group_slot(&args.table, slot), place);
	}
}

#endif							/* GPUAGG_EMIT_CUH */
