/*
 * sort.cuh
 *	  Pairs of a slot and a value into their order.
 *
 * A radix sort from the lowest byte on (Knuth, The Art of Computer Programming, volume 3,
 * section 5.2.5).  Where slots and values are few enough, a pair is one word (sort_pack,
 * sort_unpack), of 4 bytes if these do; else values are sorted with their slots, and then slots
 * with their values.  Each block has a part of the words.  A pass counts a block's words by
 * the byte (sort_count), finds where those of each byte and block begin (sort_starts), and
 * moves the words there by tiles, without changing the order of those with the same byte
 * (sort_move).  Within a tile, a warp's lanes with the same byte find each other by a match,
 * as in Merrill and Grimshaw, "High Performance and Scalable Radix Sorting" (2011); ranks are
 * by warps first, and the tile is put in order in shared memory, so that words which go to one
 * place are written together.
 */
#ifndef GPUAGG_SORT_CUH
#define GPUAGG_SORT_CUH

#define SORT_WARPS (SORT_THREADS / WARP_SIZE)

/* No byte: behind the last word. */
#define SORT_NONE SORT_BINS

DEVICE_FN uint64_t
sort_load(const SortArray *array, uint64_t place)
{
	return array->wide ? ((const uint64_t *) array->from)[place] : ((const uint32_t *) array->from)[place];
}

DEVICE_FN void
sort_store(const SortArray *array, uint64_t place, uint64_t word)
{
	if (array->wide)
		((uint64_t *) array->to)[place] = word;
	else
		((uint32_t *) array->to)[place] = (uint32_t) word;
}

DEVICE_FN uint32_t
sort_byte(const SortArgs *args, uint64_t word)
{
	return (uint32_t) (word >> args->shift) & (SORT_BINS - 1);
}

/* Where the block's part of the words ends. */
DEVICE_FN uint64_t
sort_part_end(const SortArgs *args)
{
	uint64_t	end = (blockIdx.x + UINT64_C(1)) * args->part;

	return end < args->n ? end : args->n;
}

/* Bytes of the thread's words, each SORT_THREADS behind the one before; words are loaded together. */
DEVICE_FN void
sort_bytes(const SortArgs *args, uint64_t first, uint64_t end, uint32_t *bytes)
{
	PRAGMA_UNROLL
	for (int i = 0; i < SORT_ITEMS; i++)
	{
		uint64_t	place = first + i * SORT_THREADS;

		bytes[i] = place < end ? sort_byte(args, sort_load(&args->key, place)) : SORT_NONE;
	}
}

KERNEL_BOUNDS(sort_count, SortArgs, args, SORT_THREADS, 2)
{
	SHARED uint32_t counts[SORT_BINS];
	uint64_t	end = sort_part_end(&args);

	for (uint32_t i = threadIdx.x; i < SORT_BINS; i += SORT_THREADS)
		counts[i] = 0;
	block_sync();
	for (uint64_t first = blockIdx.x * args.part + threadIdx.x; first < end; first += SORT_TILE)
	{
		uint32_t	bytes[SORT_ITEMS];

		sort_bytes(&args, first, end, bytes);
		PRAGMA_UNROLL
		for (int i = 0; i < SORT_ITEMS; i++)
			if (bytes[i] != SORT_NONE)
				atomic_add_u32_noreturn(&counts[bytes[i]], 1);
	}
	block_sync();
	for (uint32_t i = threadIdx.x; i < SORT_BINS; i += SORT_THREADS)
		args.starts[i * gridDim.x + blockIdx.x] = counts[i];
}

/* Of each byte, counts by block become the sums of those before.  parts: blocks that have counted. */
KERNEL_BOUNDS(sort_starts, SortArgs, args, SORT_BINS, 1)
{
	for (uint32_t byte = blockIdx.x; byte < SORT_BINS; byte += gridDim.x)
	{
		uint32_t   *starts = args.starts + (uint64_t) byte * args.parts;
		uint32_t	before = 0;

		for (uint32_t first = 0; first < args.parts; first += SORT_BINS)
		{
			uint32_t	part = first + threadIdx.x;
			uint32_t	count = part < args.parts ? starts[part] : 0;
			uint32_t	total;
			uint32_t	place = before + block_prefix_sum(count, &total);

			if (part < args.parts)
				starts[part] = place;
			before += total;
		}
		if (threadIdx.x == 0)
			args.totals[byte] = before;
	}
}

/* What a block knows of a tile. */
typedef struct SortTile
{
	uint64_t	words[SORT_TILE];	/* in order */
	uint8_t		bytes[SORT_TILE];	/* theirs */
	uint16_t	counts[SORT_WARPS][SORT_BINS];	/* words by warp; then those of the warps before */
	uint32_t	next[SORT_BINS];	/* where the next word of each byte goes */
	uint32_t	begin[SORT_BINS];	/* where its words begin in the tile */
} SortTile;

/* The words of one thread. */
typedef struct SortItems
{
	uint64_t	first;			/* the first one's place; the others', WARP_SIZE further each */
	uint32_t	bytes[SORT_ITEMS];
	uint32_t	places[SORT_ITEMS]; /* in the tile */
} SortItems;

/* The rank of each of the thread's words among its warp's with the same byte, into places. */
DEVICE_FN void
sort_rank(uint16_t *counts, SortItems *items)
{
	PRAGMA_UNROLL
	for (int i = 0; i < SORT_ITEMS; i++)
	{
		uint32_t	byte = items->bytes[i];
		uint32_t	same = warp_match_u32(FULL_MASK, byte);
		uint32_t	below = bits_count_u32(same & lanes_below());
		uint32_t	before = byte == SORT_NONE ? 0 : counts[byte];

		warp_sync(FULL_MASK);
		if (below == 0 && byte != SORT_NONE)
			counts[byte] = (uint16_t) (before + bits_count_u32(same));
		warp_sync(FULL_MASK);
		items->places[i] = before + below;
	}
}

/*
 * Let counts be those of the warps before, and begin the places of bytes.  Returns how many
 * words the thread's byte has, if it has one.
 */
DEVICE_FN uint32_t
sort_add_warps(SortTile *tile)
{
	uint32_t	sum = 0;
	uint32_t	all;
	uint32_t	begin;

	for (int warp = 0; warp < SORT_WARPS && threadIdx.x < SORT_BINS; warp++)
	{
		uint32_t	count = tile->counts[warp][threadIdx.x];

		tile->counts[warp][threadIdx.x] = (uint16_t) sum;
		sum += count;
	}
	begin = block_prefix_sum(sum, &all);
	if (threadIdx.x < SORT_BINS)
		tile->begin[threadIdx.x] = begin;
	return sum;
}

/* The tile's words, which are in order, to where they go. */
DEVICE_FN void
sort_write(const SortArray *array, const SortTile *tile, uint32_t n)
{
	for (uint32_t i = threadIdx.x; i < n; i += SORT_THREADS)
	{
		uint32_t	byte = tile->bytes[i];

		sort_store(array, tile->next[byte] + (i - tile->begin[byte]), tile->words[i]);
	}
}

/* Bring the words of another array, which go with the tile's, into the same order. */
DEVICE_FN void
sort_other(const SortArray *array, const SortItems *items, SortTile *tile)
{
	PRAGMA_UNROLL
	for (int i = 0; i < SORT_ITEMS; i++)
		if (items->bytes[i] != SORT_NONE)
			tile->words[items->places[i]] = sort_load(array, items->first + i * WARP_SIZE);
}

/* Put a tile in order.  Returns how many words the thread's byte has. */
DEVICE_FN uint32_t
sort_tile(const SortArgs *args, uint64_t end, SortItems *items, SortTile *tile)
{
	uint64_t	words[SORT_ITEMS];
	uint32_t	count;

	for (uint32_t i = threadIdx.x; i < SORT_WARPS * SORT_BINS; i += SORT_THREADS)
		(&tile->counts[0][0])[i] = 0;
	block_sync();
	PRAGMA_UNROLL
	for (int i = 0; i < SORT_ITEMS; i++)
	{
		bool		there = items->first + i * WARP_SIZE < end;

		words[i] = there ? sort_load(&args->key, items->first + i * WARP_SIZE) : 0;
		items->bytes[i] = there ? sort_byte(args, words[i]) : SORT_NONE;
	}
	sort_rank(tile->counts[warp_index()], items);
	block_sync();
	count = sort_add_warps(tile);
	block_sync();
	PRAGMA_UNROLL
	for (int i = 0; i < SORT_ITEMS; i++)
	{
		uint32_t	byte = items->bytes[i];

		if (byte == SORT_NONE)
			continue;
		items->places[i] += tile->begin[byte] + tile->counts[warp_index()][byte];
		tile->words[items->places[i]] = words[i];
		tile->bytes[items->places[i]] = (uint8_t) byte;
	}
	block_sync();
	return count;
}

KERNEL_BOUNDS(sort_move, SortArgs, args, SORT_THREADS, 2)
{
	SHARED SortTile tile;
	uint64_t	end = sort_part_end(&args);
	uint32_t	all;
	uint32_t	begin = block_prefix_sum(threadIdx.x < SORT_BINS ? args.totals[threadIdx.x] : 0, &all);

	if (threadIdx.x < SORT_BINS)
		tile.next[threadIdx.x] = begin + args.starts[threadIdx.x * gridDim.x + blockIdx.x];
	for (uint64_t first = blockIdx.x * args.part; first < end; first += SORT_TILE)
	{
		SortItems	items = {first + warp_index() * (SORT_ITEMS * WARP_SIZE) + lane_index()};
		uint32_t	n = (uint32_t) (end - first < SORT_TILE ? end - first : SORT_TILE);
		uint32_t	count = sort_tile(&args, end, &items, &tile);

		sort_write(&args.key, &tile, n);
		block_sync();
		if (args.other.from)
		{
			sort_other(&args.other, &items, &tile);
			block_sync();
			sort_write(&args.other, &tile, n);
			block_sync();
		}
		if (threadIdx.x < SORT_BINS)
			tile.next[threadIdx.x] += count;
		block_sync();
	}
}

/* Each pair as one word. */
KERNEL(sort_pack, SortPackArgs, args)
{
	for (uint64_t i = grid_index(); i < args.n; i += grid_size())
	{
		uint64_t	word = (args.list.values[i] - args.least) >> args.shift;

		/* with 64 bits of a value there is one slot */
		if (args.bits < 64)
			word |= (uint64_t) args.list.slots[i] << args.bits;
		if (args.wide)
			((uint64_t *) args.words)[i] = word;
		else
			((uint32_t *) args.words)[i] = (uint32_t) word;
	}
}

/* Words as pairs again.  Words of 8 bytes may be where values go. */
KERNEL(sort_unpack, SortPackArgs, args)
{
	uint64_t	mask = args.bits < 64 ? (UINT64_C(1) << args.bits) - 1 : UINT64_MAX;

	for (uint64_t i = grid_index(); i < args.n; i += grid_size())
	{
		uint64_t	word = args.wide ? ((const uint64_t *) args.words)[i] : ((const uint32_t *) args.words)[i];

		args.list.slots[i] = args.bits < 64 ? (uint32_t) (word >> args.bits) : 0;
		args.list.values[i] = ((word & mask) << args.shift) + args.least;
	}
}

#endif							/* GPUAGG_SORT_CUH */
