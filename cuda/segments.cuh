/*
 * segments.cuh
 *	  Rows of a batch that stand in several places.
 *
 * A segment has a part of the batch's rows: for each of the Program's columns an array, and
 * marks of rows that are left out.  Rows are numbered as if each segment had room for
 * `segment_rows`; those beyond a segment's own are left out.  So segments that have about
 * the same number of rows are taken by one launch.
 *
 * Values of integers are unsigned numbers, of the width that the segment's own values need,
 * and a base (args.cuh).  All rows that a warp takes at once are in few segments, mostly one,
 * so that the branches by width are its threads' common ones.
 *
 * segment_rows is a multiple of SEGMENT_ALIGN, so that the rows of a thread that takes
 * several at once are in one segment, and the division by it is one of 40 bits.
 */
#ifndef GPUAGG_SEGMENTS_CUH
#define GPUAGG_SEGMENTS_CUH

/* The number of a row's segment. */
DEVICE_FN uint32_t
row_segment_number(const RowBatch *batch, uint64_t row)
{
	return (uint32_t) (row / SEGMENT_ALIGN * batch->segment_magic >> SEGMENT_MAGIC_SHIFT);
}

/* A row's segment, and its number there. */
DEVICE_FN const uint64_t *
row_segment(const RowBatch *batch, uint64_t row, uint64_t *offset)
{
	uint64_t	segment = row_segment_number(batch, row);

	*offset = row - segment * batch->segment_rows;
	return batch->segments + segment * batch->segment_words;
}

DEVICE_FN bool
segment_leaves(const uint64_t *segment, uint64_t offset)
{
	const uint8_t *mask = (const uint8_t *) segment[SEGMENT_MASK];

	return offset >= segment[SEGMENT_NROWS] || (mask != NULL && mask[offset] != 0);
}

/* The mask of numbers of a width of 2^(width - 1) bits. */
DEVICE_FN uint64_t
packed_mask(uint32_t width)
{
	return width == WIDTH_NONE ? 0 : UINT64_MAX >> (64 - (1u << (width - 1)));
}

/*
 * The 8 bytes that have a row's number in them, shifted so that it stands lowest, with
 * those of other rows before it.
 */
DEVICE_FN uint64_t
packed_word(uint64_t place, uint64_t row)
{
	uint64_t	bit = row << (PLACE_WIDTH(place) - 1);

	return load_readonly((const uint64_t *) PLACE_ADDRESS(place) + bit / 64) >> (bit % 64);
}

/* The number of a row of a segment. */
DEVICE_FN uint64_t
segment_number(uint64_t place, uint64_t row)
{
	uint32_t	width = PLACE_WIDTH(place);

	return width == WIDTH_NONE ? 0 : packed_word(place, row) & packed_mask(width);
}

/*
 * The text of a row of a segment: of an entry of a dictionary, whose bytes the batch has, or
 * as it is.
 */
DEVICE_FN TextRef
segment_text(uint64_t place, uint64_t entries, uint64_t row)
{
	if (entries == 0)
		return ((const TextRef *) PLACE_ADDRESS(place))[row];
	return ((const TextRef *) entries)[segment_number(place, row)];
}

/* Which of PACKED_ROWS rows, the first of which is a multiple of that, are left out: a bit each. */
DEVICE_FN uint32_t
segment_leaves_of_tile(const uint64_t *segment, uint32_t row)
{
	const uint8_t *mask = (const uint8_t *) segment[SEGMENT_MASK];
	bool		marked = mask != NULL && row < segment[SEGMENT_NROWS];
	uint32_t	left = 0;

	PRAGMA_UNROLL
	for (uint32_t i = 0; i < PACKED_ROWS; i += 4)
	{
		uint32_t	marks = marked ? *(const uint32_t *) (mask + row + i) : 0;

		PRAGMA_UNROLL
		for (uint32_t j = 0; j < 4; j++)
			left |= (uint32_t) ((marks >> (8 * j) & 255) != 0 ||
								row + i + j >= segment[SEGMENT_NROWS]) << (i + j);
	}
	return left;
}

/* Numbers of PACKED_ROWS rows, four or eight, as they are loaded. */
typedef struct Packed
{
	uint32_t	words[2 * PACKED_ROWS];
} Packed;

/*
 * The answer to a condition on a row's text, by the text's code, which is not looked at if the
 * text is NULL.  The texts of rows that are not kept need no codes: these have answers of their own.
 */
DEVICE_FN uint8_t
coded_answer(const AggregateArgs *args, uint32_t condition, uint32_t row, bool isnull,
			 uint32_t code)
{
	if (args->batch.answers != NULL)
		return args->batch.answers[args->batch.capacity * condition + row];
	return args->answers[condition][isnull ? 0 : (uint64_t) code + 1];
}

/*
 * Load the numbers of PACKED_ROWS rows, the first of which is a multiple of that.  most: the
 * largest width that there may be.  What comes of the load is looked at by packed_u32 and packed_u64
 * only, so that other columns' loads are given out meanwhile.
 */
DEVICE_FN void
packed_load(Packed *packed, uint64_t place, uint32_t row, uint32_t most)
{
	uint32_t	width = PLACE_WIDTH(place);
	const uint8_t *address = (const uint8_t *) PLACE_ADDRESS(place);

	if (width == WIDTH_1)
		load_stream(packed->words, address + row, PACKED_ROWS);
	else if (most >= WIDTH_2 && width == WIDTH_2)
		load_stream(packed->words, address + (uint64_t) row * 2, PACKED_ROWS * 2);
	else if (most >= WIDTH_4 && width == WIDTH_4)
		load_stream(packed->words, address + (uint64_t) row * 4, PACKED_ROWS * 4);
	else if (most == WIDTH_8 && width == WIDTH_8)
		load_stream(packed->words, address + (uint64_t) row * 8, PACKED_ROWS * 8);
	else if (width == WIDTH_BIT)
		load_stream(packed->words, address + row / 32 * 4, 4);
}

/* Have a row's number on its way to L2, unless it is a bit at most. */
DEVICE_FN void
packed_ahead(uint64_t place, uint32_t row)
{
	uint32_t	width = PLACE_WIDTH(place);

	if (width >= WIDTH_1)
		load_ahead((const uint8_t *) PLACE_ADDRESS(place) +
				   ((uint64_t) row << (width - WIDTH_1)));
}

/* The rows' numbers of 32 bits at most, and `base` more. */
DEVICE_FN void
packed_u32(const Packed *packed, uint64_t place, uint32_t base, uint32_t row, uint32_t most,
		   uint32_t *values)
{
	uint32_t	width = PLACE_WIDTH(place);

	if (width == WIDTH_1)
	{
		PRAGMA_UNROLL
		for (int i = 0; i < PACKED_ROWS; i++)
			values[i] = base + (packed->words[i / 4] >> (i % 4 * 8) & 0xff);
	}
	else if (most >= WIDTH_2 && width == WIDTH_2)
	{
		PRAGMA_UNROLL
		for (int i = 0; i < PACKED_ROWS; i++)
			values[i] = base + (packed->words[i / 2] >> (i % 2 * 16) & 0xffff);
	}
	else if (most >= WIDTH_4 && width == WIDTH_4)
	{
		PRAGMA_UNROLL
		for (int i = 0; i < PACKED_ROWS; i++)
			values[i] = base + packed->words[i];
	}
	else
	{
		uint32_t	bits = width == WIDTH_BIT ? packed->words[0] >> (row % 32) : 0;

		PRAGMA_UNROLL
		for (int i = 0; i < PACKED_ROWS; i++)
			values[i] = base + (bits >> i & 1);
	}
}

/* Those of 64 bits. */
DEVICE_FN void
packed_u64(const Packed *packed, uint64_t place, uint64_t base, uint32_t row, uint64_t *values)
{
	if (PLACE_WIDTH(place) == WIDTH_8)
	{
		PRAGMA_UNROLL
		for (int i = 0; i < PACKED_ROWS; i++)
			values[i] = base +
				(packed->words[2 * i] | (uint64_t) packed->words[2 * i + 1] << 32);
	}
	else
	{
		uint32_t	low[PACKED_ROWS];

		packed_u32(packed, place, 0, row, WIDTH_4, low);
		PRAGMA_UNROLL
		for (int i = 0; i < PACKED_ROWS; i++)
			values[i] = base + low[i];
	}
}

#endif							/* GPUAGG_SEGMENTS_CUH */
