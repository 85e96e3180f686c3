/*
 * top.cuh
 *	  The slots of those groups that can be among the first ones of an order.
 *
 * Radix selection: a group's place in the order is a 64-bit word (top_order.h).  A pass
 * counts groups by the next bits of their words, of those groups whose bits above are
 * those of the last word that leaves (top_count); then one block finds what the next bits
 * of this word are (top_choose).  After all bits, groups with no greater words are listed.
 *
 * These kernels know of the table only where its words are, so that all Programs share
 * them.
 */
#ifndef GPUAGG_TOP_CUH
#define GPUAGG_TOP_CUH

#include "compact.cuh"

DEVICE_FN uint64_t
top_load(const TopArgs *args, const TopPlace *place, uint64_t slot)
{
	return args->slots[place->first + slot * place->stride];
}

DEVICE_FN bool
top_exists(const TopArgs *args, uint64_t slot)
{
	return top_load(args, &args->key, slot) != args->empty;
}

DEVICE_FN uint64_t
top_word_of(const TopArgs *args, uint64_t slot)
{
	bool		isnull = args->counted && top_load(args, &args->count, slot) == 0;
	uint64_t	low = top_load(args, &args->low, slot);

	return top_word(args->order, isnull, low,
					args->order & TOP_INT128 ? top_load(args, &args->high, slot) : 0);
}

/* Is what stands above this pass's bits the same? */
DEVICE_FN bool
top_same_above(const TopArgs *args, uint64_t a, uint64_t b)
{
	return (a ^ b) >> args->shift >> args->bits == 0;
}

/* Count groups by the bits of this pass. */
KERNEL(top_count, TopArgs, args)
{
	SHARED uint32_t bins[TOP_BINS];
	uint64_t	last = args.selection->last;

	for (uint32_t i = threadIdx.x; i < TOP_BINS; i += blockDim.x)
		bins[i] = 0;
	block_sync();
	for (uint64_t slot = grid_index(); slot < args.capacity; slot += grid_size())
	{
		uint64_t	word;

		if (!top_exists(&args, slot))
			continue;
		word = top_word_of(&args, slot);
		if (top_same_above(&args, word, last))
			atomic_add_u32_noreturn(&bins[(word >> args.shift) & ((1u << args.bits) - 1)], 1);
	}
	block_sync();
	for (uint32_t i = threadIdx.x; i < 1u << args.bits; i += blockDim.x)
		if (bins[i] != 0)
			atomic_add_u32_noreturn(&args.bins[i], bins[i]);
}

/*
 * The bin of the last group that is wanted, or the last bin if there are fewer; sums:
 * those of TOP_BINS / TOP_THREADS bins each.  One thread's work.
 */
DEVICE_FN void
top_choose_bin(const TopArgs *args, const uint32_t *sums)
{
	const uint32_t each = TOP_BINS / TOP_THREADS;
	TopSelection *selection = args->selection;
	uint32_t	before = selection->before;
	uint32_t	part = 0;
	uint32_t	bin;

	while (part + 1 < (1u << args->bits) / each && before + sums[part] < args->wanted)
		before += sums[part++];
	for (bin = part * each; bin < part * each + each - 1; bin++)
	{
		if (before + args->bins[bin] >= args->wanted)
			break;
		before += args->bins[bin];
	}
	selection->before = before;
	selection->leaving = before + args->bins[bin];
	selection->last |= (uint64_t) bin << args->shift;
}

/* By one block of TOP_THREADS: choose the bin, and empty all for the next pass. */
KERNEL(top_choose, TopArgs, args)
{
	const uint32_t each = TOP_BINS / TOP_THREADS;
	SHARED uint32_t sums[TOP_THREADS];
	uint32_t   *bins = args.bins + threadIdx.x * each;
	uint32_t	sum = 0;

	for (uint32_t i = 0; i < each; i++)
		sum += bins[i];
	sums[threadIdx.x] = sum;
	/* the first pass has counted all */
	if (args.shift + TOP_BITS == 64)
		atomic_add_u32_noreturn(&args.selection->groups, sum);
	block_sync();
	if (threadIdx.x == 0)
		top_choose_bin(&args, sums);
	block_sync();
	for (uint32_t i = 0; i < each; i++)
		bins[i] = 0;
}

/* List the slots of the groups that leave. */
KERNEL(top_list, TopArgs, args)
{
	uint64_t	last = args.selection->last;
	uint64_t	rounds = ((uint64_t) args.capacity + WARP_SIZE - 1) / WARP_SIZE * WARP_SIZE;

	if (args.selection->leaving > args.room)
		return;
	/* whole warps, since they take places together */
	for (uint64_t slot = grid_index(); slot < rounds; slot += grid_size())
	{
		bool		leaves = slot < args.capacity && top_exists(&args, slot) &&
			top_word_of(&args, slot) <= last;
		uint32_t	place = compact_place(leaves, &args.selection->listed);

		if (leaves)
			args.list[place] = (uint32_t) slot;
	}
}

#endif							/* GPUAGG_TOP_CUH */
