/*
 * gather_tuples.cuh
 *	  Heap pages from host memory into a batch's bytes, but only those tuples that can pass
 *	  the filter.
 *
 * A warp takes a page.  It copies the page's header and line pointers; then it tests the
 * visible tuples by what conditions ask of them, which is few bytes of each; then it copies
 * those that are not refused, each to its place on the page.  A tuple that cannot be tested
 * is copied, and one that contradicts itself is left to the kernel that makes columns.  What
 * else is in the copy of the page is not read by any kernel.
 *
 * The link takes longer for a sector of 32 bytes of each tuple than for the same bytes of
 * whole pages (input/tuple_filter.c).  So two lanes test a tuple: one reads its header, the
 * other the first condition's value where it is in a tuple without NULLs, both at once, so
 * that one request serves both if they are in the same sector.
 *
 * A page may be written to meanwhile: hint bits and xmax, none of which is tested.
 */
#ifndef GPUAGG_GATHER_TUPLES_CUH
#define GPUAGG_GATHER_TUPLES_CUH

#include "heap_tuple.h"

/* Bytes of a tuple's header if there is no bitmap: the least multiple of 8. */
#define PLAIN_HEADER 24

/* The page's words of 4 bytes before its first line pointer, which has number 1. */
#define WORDS_BEFORE_LINES (HEAP_PAGE_LINES / HEAP_LINE_SIZE)

/* Number i of the page's visible line pointers. */
DEVICE_FN uint32_t
visible_line(const GatherTuplesArgs *args, const DevicePage *info, uint32_t i)
{
	return info->all ? i + 1 : args->lines[info->lines + i];
}

/* The page's header, and its line pointers up to the last visible one. */
DEVICE_FN void
copy_lines(const GatherTuplesArgs *args, const DevicePage *info, const uint8_t *from,
		   uint8_t *to)
{
	uint32_t	last = info->nlines;
	uint32_t	nwords;

	if (!info->all)
		for (uint32_t i = lane_index(); i < info->nlines; i += WARP_SIZE)
			last = visible_line(args, info, i) > last ? visible_line(args, info, i) : last;
	for (uint32_t lanes = WARP_SIZE / 2; lanes > 0; lanes /= 2)
	{
		uint32_t	other = warp_shfl_xor_u32(FULL_MASK, last, lanes);

		last = other > last ? other : last;
	}
	nwords = WORDS_BEFORE_LINES + last;
	if (nwords > HEAP_PAGE_SIZE / HEAP_LINE_SIZE)
		nwords = HEAP_PAGE_SIZE / HEAP_LINE_SIZE;
	for (uint32_t i = lane_index(); i < nwords; i += WARP_SIZE)
	{
		uint32_t	word = HEAP_NUMBER(uint32_t, from + i * HEAP_LINE_SIZE);

		/* one that says this by itself is as wrong as any other that is not normal */
		if (i >= WORDS_BEFORE_LINES && word == LINE_REFUSED)
			word = 0;
		((uint32_t *) to)[i] = word;
	}
	warp_sync(FULL_MASK);
}

/* A value of so many bytes at a place of a tuple's data, which is aligned to its size. */
DEVICE_FN int64_t
value_of_word(uint64_t word, uint32_t place, uint32_t width)
{
	return (int64_t) (word << (64 - 8 * (place % 8 + width))) >> (64 - 8 * width);
}

/*
 * Is the tuple refused?  word: of its header.  value: what stands where the first
 * condition's word is in a tuple with a plain header.
 */
DEVICE_FN bool
is_refused(const GatherTuplesArgs *args, const uint8_t *page, uint32_t line, uint64_t word,
		   uint64_t value)
{
	uint64_t	there = UINT64_MAX;	/* attributes that are not NULL */
	HeapTuple	tuple;

	if (heap_tuple_header(page, line, word, &tuple) != HEAP_TUPLE_GOOD)
		return false;
	if (tuple.has_nulls)
	{
		there = word >> HEAP_TUPLE_SHIFT(HEAP_TUPLE_BITS);
		if (tuple.hoff > PLAIN_HEADER)
			there |= HEAP_NUMBER(uint64_t, tuple.data - tuple.hoff + PLAIN_HEADER) << 8;
	}
	for (uint32_t i = 0; i < args->nconditions; i++)
	{
		GatherCondition condition = args->conditions[i];
		uint64_t	before = (UINT64_C(1) << condition.att) - 1;
		int64_t		number;

		if (condition.att >= tuple.natts)
			continue;
		if (!(there >> condition.att & 1))
		{
			if (condition.refuses_nulls)
				return true;
			continue;
		}
		if ((there & before) != before || condition.place + condition.width > tuple.len)
			continue;
		if (i > 0 || tuple.hoff != PLAIN_HEADER)
			value = HEAP_NUMBER(uint64_t, tuple.data + condition.place / 8 * 8);
		number = value_of_word(value, condition.place, condition.width);
		if ((number >= condition.least && number <= condition.most) == (condition.inside != 0))
			return true;
	}
	return false;
}

/* Words of 8 bytes that a lane loads of a tuple before it stores the first one. */
#define TUPLE_LOADS 4

/* Copy the tuple of a line pointer; all lanes of the warp do. */
DEVICE_FN void
copy_tuple(const uint8_t *from, uint8_t *to, uint32_t line)
{
	const uint64_t *source = (const uint64_t *) (from + HEAP_LINE_OFFSET(line));
	uint64_t   *target = (uint64_t *) (to + HEAP_LINE_OFFSET(line));
	uint32_t	n = (HEAP_LINE_LENGTH(line) + 7) / 8;

	for (uint32_t i = lane_index(); i < n; i += TUPLE_LOADS * WARP_SIZE)
	{
		uint64_t	loaded[TUPLE_LOADS];

		PRAGMA_UNROLL
		for (uint32_t j = 0; j < TUPLE_LOADS; j++)
			loaded[j] = i + j * WARP_SIZE < n ? HEAP_NUMBER(uint64_t, &source[i + j * WARP_SIZE]) : 0;
		PRAGMA_UNROLL
		for (uint32_t j = 0; j < TUPLE_LOADS; j++)
			if (i + j * WARP_SIZE < n)
				target[i + j * WARP_SIZE] = loaded[j];
	}
}

/*
 * Test the tuple of a pair of lanes, of a line pointer that is not refused yet: is it to be
 * copied?  If not, and if it is where tuples are, its line pointer says so from now on.
 */
DEVICE_FN bool
test_tuple(const GatherTuplesArgs *args, const uint8_t *from, const HeapBounds *bounds,
		   uint32_t line, uint32_t *copied_line)
{
	bool		second = lane_index() % 2 != 0;
	bool		placed = HEAP_LINE_FLAGS(line) == HEAP_LINE_NORMAL &&
		heap_line_is_placed(bounds, line);
	uint32_t	at = HEAP_LINE_OFFSET(line) +
		(second ? PLAIN_HEADER + args->conditions[0].place / 8 * 8 : HEAP_TUPLE_WORD);
	uint64_t	word = placed && at + 8 <= HEAP_PAGE_SIZE ? HEAP_NUMBER(uint64_t, from + at) : 0;
	uint64_t	header = warp_shfl_u64(FULL_MASK, word, lane_index() & ~1u);
	uint64_t	value = warp_shfl_u64(FULL_MASK, word, lane_index() | 1u);
	bool		refused = placed && is_refused(args, from, line, header, value);

	if (refused && !second)
		*copied_line = LINE_REFUSED;
	return placed && !refused;
}

DEVICE_FN void
gather_page(const GatherTuplesArgs *args, const DevicePage *info, const uint8_t *from,
			uint8_t *to)
{
	HeapBounds	bounds;

	copy_lines(args, info, from, to);
	if (!heap_bounds(to, &bounds))
		return;
	for (uint32_t first = 0; first < info->nlines; first += WARP_SIZE / 2)
	{
		uint32_t	i = first + lane_index() / 2;
		uint32_t	number = i < info->nlines ? visible_line(args, info, i) : 0;
		bool		known = number >= 1 && number <= bounds.nlines;
		uint32_t	line = known ? heap_line(to, number) : 0;
		uint32_t	pending;

		pending = warp_ballot(FULL_MASK,
							  test_tuple(args, from, &bounds, line,
										 (uint32_t *) to + WORDS_BEFORE_LINES + number - 1) &&
							  lane_index() % 2 == 0);
		for (; pending != 0; pending &= pending - 1)
			copy_tuple(from, to, warp_shfl_u32(FULL_MASK, line, bits_first_u32(pending) - 1));
	}
}

KERNEL_BOUNDS(gather_tuples, GatherTuplesArgs, args, GATHER_THREADS, 1)
{
	uint32_t	nwarps = (uint32_t) (grid_size() / WARP_SIZE);

	for (uint32_t p = (uint32_t) (grid_index() / WARP_SIZE); p < args.pages.npages; p += nwarps)
	{
		const uint8_t *from = (const uint8_t *) args.pages.sources[p];
		DevicePage	info = args.info[p];

		if (from != NULL)
			gather_page(&args, &info, from, args.pages.to + (uint64_t) p * HEAP_PAGE_SIZE);
	}
}

#endif							/* GPUAGG_GATHER_TUPLES_CUH */
