/*
 * top.cuh
 *	  The slots of those groups that fulfil conditions, or of these those that can be among
 *	  the first ones of an order.
 *
 * A condition is a range of a column's words.  All groups, and those that fulfil the
 * conditions, are counted first (top_pass).
 *
 * Radix selection: a group's place in the order is a 64-bit word for each column
 * (top_order.h).  A pass counts groups by the next bits of their words, of those groups whose
 * bits above are those of the last words that leave (top_count); then one block finds what
 * the next bits of these words are (top_choose).  After all bits, or when the bits so far
 * tell exactly the wanted groups, groups with no greater words are listed; of those with the
 * last words only as many as are wanted, where any will do (TopArgs.ties).
 *
 * These kernels know of the table only where its words are, so that all Programs share
 * them.
 */
#ifndef GPUAGG_TOP_CUH
#define GPUAGG_TOP_CUH

#include "compact.cuh"

DEVICE_FN uint64_t
top_load(const TopArgs *args, const WordPlace *place, uint64_t slot)
{
	const uint64_t *words = place->is_statistic ? args->statistics : args->slots;

	return words[place->first + slot * place->stride];
}

DEVICE_FN bool
top_exists(const TopArgs *args, uint64_t slot)
{
	return top_load(args, &args->key, slot) != args->empty;
}

DEVICE_FN bool
top_is_null(const TopArgs *args, const TopValue *value, uint64_t slot)
{
	if (value->null_source == TOP_NULL_COUNT)
		return top_load(args, &value->nulls, slot) == 0;
	if (value->null_source == TOP_NULL_BIT)
		return (top_load(args, &value->nulls, slot) >> value->null_shift & 1) != 0;
	return value->null_source == TOP_NULL_SLOT && slot == 0;
}

/* A text's first 8 bytes, behind a shorter one zeros, as a number in their order. */
DEVICE_FN uint64_t
top_text(const uint8_t *bytes, uint32_t length)
{
	uint64_t	first = 0;

	for (uint32_t i = 0; i < 8 && i < length; i++)
		first |= (uint64_t) bytes[i] << (8 * i);
	return top_bytes(first);
}

/* What a key's word is made of; its words are in words. */
DEVICE_FN uint64_t
top_key(const TopArgs *args, const TopValue *value, uint64_t slot, uint64_t word)
{
	switch (value->source)
	{
		case TOP_KEY_INT:
			return top_int_key(word >> value->shift, value->bits);
		case TOP_KEY_FLOAT:
			return top_float_key(word >> value->shift, value->bits);
		case TOP_KEY_BYTES:
			return top_bytes(word);
		case TOP_KEY_TEXT:
			return top_text(args->arena + (word >> 32) * 8, (uint32_t) word);
		case TOP_KEY_SLOT:
			return (uint64_t) args->direct_min + slot - 1;
		default:
			return word;
	}
}

/* The same of a key that may be a code. */
DEVICE_FN uint64_t
top_decoded_key(const TopArgs *args, const TopValue *value, uint64_t slot, uint64_t word)
{
	uint64_t	key = top_key(args, value, slot, word);
	TextRef		entry;

	if (value->texts.entries == NULL)
		return key;
	entry = value->texts.entries[(uint32_t) key];
	return top_text(value->texts.bytes + entry.start, entry.length);
}

/* A column's word. */
DEVICE_FN uint64_t
top_word_of(const TopArgs *args, const TopValue *value, uint64_t slot)
{
	uint64_t	words[TOP_WORDS] = {0};
	uint64_t	count = 1;

	if (top_is_null(args, value, slot))
		return top_word(value->order, 0, true, words, 0);
	if (value->order & TOP_AVERAGE)
		count = top_load(args, &value->nulls, slot);
	for (uint32_t i = 0; i < TOP_WORDS; i++)
		if (i < value->nwords)
			words[i] = top_load(args, &value->words[i], slot);
	if (value->source != TOP_STATE)
		words[0] = top_decoded_key(args, value, slot, words[0]);
	return top_word(value->order, value->unit, false, words, count);
}

/*
 * The next column's word, behind one of these words: 0 if the order ends there for this
 * group.
 */
DEVICE_FN uint64_t
top_next_word(const TopArgs *args, uint32_t column, uint64_t slot, bool *shared, uint64_t word)
{
	*shared = *shared || top_word_is_shared(word);
	return *shared ? 0 : top_word_of(args, &args->columns[column], slot);
}

/* Is there a group in the slot that fulfils the conditions?  A NULL's word is the last one. */
DEVICE_FN bool
top_passes(const TopArgs *args, uint64_t slot)
{
	bool		passes = top_exists(args, slot);

	for (uint32_t i = 0; i < args->nconditions && passes; i++)
	{
		uint64_t	word = top_word_of(args, &args->conditions[i], slot);

		passes = word >= args->conditions[i].least && word <= args->conditions[i].most &&
			word != UINT64_MAX;
	}
	return passes;
}

/*
 * The word of this pass's column into *word.  Are the words before it, and what stands above
 * this pass's bits, those of the last group?
 */
DEVICE_FN bool
top_takes_part(const TopArgs *args, const TopSelection *selection, uint64_t slot, uint64_t *word)
{
	bool		shared = false;

	*word = top_word_of(args, &args->columns[0], slot);
	for (uint32_t i = 0; i < args->column; i++)
	{
		if (*word != selection->last[i])
			return false;
		*word = top_next_word(args, i + 1, slot, &shared, *word);
	}
	return (*word ^ selection->last[args->column]) >> args->shift >> args->bits == 0;
}

/* Where a group is to the last one that leaves: < 0 before it, 0 with the same words. */
DEVICE_FN int
top_compare_last(const TopArgs *args, const TopSelection *selection, uint64_t slot)
{
	bool		shared = false;
	uint64_t	word = args->ncolumns > 0 ? top_word_of(args, &args->columns[0], slot) : 0;

	for (uint32_t i = 0; i < args->ncolumns; i++)
	{
		uint64_t	last = top_last_word(selection->last[i], args->columns[i].slack);

		/* words that slack lets pass are no ties */
		if (word != last)
			return word < last ? -1 : 1;
		if (i + 1 < args->ncolumns)
			word = top_next_word(args, i + 1, slot, &shared, word);
	}
	return 0;
}

/* Count all groups, and those that fulfil the conditions. */
KERNEL(top_pass, TopArgs, args)
{
	uint64_t	rounds = ((uint64_t) args.capacity + WARP_SIZE - 1) / WARP_SIZE * WARP_SIZE;

	/* whole warps, since they count together */
	for (uint64_t slot = grid_index(); slot < rounds; slot += grid_size())
	{
		bool		there = slot < args.capacity;

		(void) compact_place(there && top_exists(&args, slot), &args.selection->groups);
		(void) compact_place(there && top_passes(&args, slot), &args.selection->passing);
	}
}

/* Count groups by the bits of this pass. */
KERNEL(top_count, TopArgs, args)
{
	SHARED uint32_t bins[TOP_BINS];
	const TopSelection *selection = args.selection;

	/* all blocks see the same: it is set by another launch */
	if (selection->complete)
		return;
	for (uint32_t i = threadIdx.x; i < TOP_BINS; i += blockDim.x)
		bins[i] = 0;
	block_sync();
	for (uint64_t slot = grid_index(); slot < args.capacity; slot += grid_size())
	{
		uint64_t	word;

		if (top_passes(&args, slot) && top_takes_part(&args, selection, slot, &word))
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
	selection->last[args->column] |= (uint64_t) bin << args->shift;
	if (selection->leaving > args->wanted)
		return;
	/* all that have these bits leave, whatever the others are */
	selection->complete = true;
	selection->last[args->column] |= (UINT64_C(1) << args->shift) - 1;
	for (uint32_t i = args->column + 1; i < args->ncolumns; i++)
		selection->last[i] = UINT64_MAX;
}

/* By one block of TOP_THREADS: choose the bin, and empty all for the next pass. */
KERNEL(top_choose, TopArgs, args)
{
	const uint32_t each = TOP_BINS / TOP_THREADS;
	SHARED uint32_t sums[TOP_THREADS];
	uint32_t   *bins = args.bins + threadIdx.x * each;
	uint32_t	sum = 0;

	if (args.selection->complete)
		return;
	for (uint32_t i = 0; i < each; i++)
		sum += bins[i];
	sums[threadIdx.x] = sum;
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
	const TopSelection *selection = args.selection;
	uint64_t	rounds = ((uint64_t) args.capacity + WARP_SIZE - 1) / WARP_SIZE * WARP_SIZE;

	/* whole warps, since they take places together */
	for (uint64_t slot = grid_index(); slot < rounds; slot += grid_size())
	{
		int			order = slot < args.capacity && top_passes(&args, slot) ?
			top_compare_last(&args, selection, slot) : 1;
		bool		is_tie = order == 0 && args.ties < UINT32_MAX;
		uint32_t	tie = compact_place(is_tie, &args.selection->ties);
		bool		leaves = is_tie ? tie < args.ties : order <= 0;
		uint32_t	place = compact_place(leaves, &args.selection->listed);

		if (leaves && place < args.room)
			args.list[place] = (uint32_t) slot;
	}
}

#endif							/* GPUAGG_TOP_CUH */
