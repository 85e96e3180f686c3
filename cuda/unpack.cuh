/*
 * unpack.cuh
 *	  Rows in segments as columns that stand behind one another, without those left out.
 *
 * For kernels that copy columns as they stand, as strategy `scatter` does.  A block takes
 * UNPACK_ROWS neighbouring rows of a segment at a time, and by one atomic gets places for those
 * that are not left out; so rows are in no order.
 */
#ifndef GPUAGG_UNPACK_CUH
#define GPUAGG_UNPACK_CUH

#include "prefix.cuh"
#include "segments.cuh"

/* Rows of a thread. */
#define UNPACK_EACH (UNPACK_ROWS / UNPACK_THREADS)

/* No row, or one that is left out. */
#define UNPACK_NONE UINT32_MAX

/* Some rows of a segment, and where they go. */
typedef struct UnpackPart
{
	const uint64_t *segment;
	uint32_t	first;			/* row of the segment */
	uint32_t	to[UNPACK_EACH];	/* of the thread's rows, or UNPACK_NONE */
} UnpackPart;

/* The number in the segment of the thread's i-th row. */
DEVICE_FN uint32_t
unpack_row(const UnpackPart *part, uint32_t i)
{
	return part->first + i * UNPACK_THREADS + threadIdx.x;
}

/* The ranks of the thread's rows among those that are not left out; returns how many these are. */
DEVICE_FN uint32_t
unpack_rank(UnpackPart *part)
{
	uint32_t	nrows = (uint32_t) part->segment[SEGMENT_NROWS];
	bool		masked = part->segment[SEGMENT_MASK] != 0;
	uint32_t	before = 0;

	if (!masked)
		before = nrows <= part->first ? 0 :
			nrows - part->first < UNPACK_ROWS ? nrows - part->first : UNPACK_ROWS;
	PRAGMA_UNROLL
	for (uint32_t i = 0; i < UNPACK_EACH; i++)
	{
		uint32_t	rank = i * UNPACK_THREADS + threadIdx.x;
		bool		stays = rank < before;

		if (masked)
		{
			uint32_t	total;

			stays = !segment_leaves(part->segment, unpack_row(part, i));
			rank = before + block_prefix_sum(stays, &total);
			before += total;
		}
		part->to[i] = stays ? rank : UNPACK_NONE;
	}
	return before;
}

/* Places in the columns for the rows of a part. */
DEVICE_FN void
unpack_places(const UnpackArgs *args, UnpackPart *part)
{
	SHARED uint32_t start;
	uint32_t	rows = unpack_rank(part);

	block_sync();
	if (threadIdx.x == 0 && rows > 0)
		start = atomic_add_u32(&args->counters->unpacked, rows);
	block_sync();
	PRAGMA_UNROLL
	for (uint32_t i = 0; i < UNPACK_EACH; i++)
		part->to[i] += part->to[i] != UNPACK_NONE ? start : 0;
}

/* Numbers of a place, and `base` more, of a size. */
#define UNPACK_NUMBERS(name, type) \
DEVICE_FN void \
name(const UnpackPart *part, uint64_t place, uint64_t base, uint8_t *column) \
{ \
	PRAGMA_UNROLL \
	for (uint32_t i = 0; i < UNPACK_EACH; i++) \
		if (part->to[i] != UNPACK_NONE) \
			((type *) column)[part->to[i]] = \
				(type) (base + segment_number(place, unpack_row(part, i))); \
}

UNPACK_NUMBERS(unpack_numbers_1, uint8_t)
UNPACK_NUMBERS(unpack_numbers_2, uint16_t)
UNPACK_NUMBERS(unpack_numbers_4, uint32_t)
UNPACK_NUMBERS(unpack_numbers_8, uint64_t)

/* Values that stand there as they are. */
#define UNPACK_VALUES(name, type, words) \
DEVICE_FN void \
name(const UnpackPart *part, uint64_t place, uint8_t *column) \
{ \
	const type *values = (const type *) PLACE_ADDRESS(place); \
\
	PRAGMA_UNROLL \
	for (uint32_t i = 0; i < UNPACK_EACH; i++) \
		for (uint32_t j = 0; j < (words) && part->to[i] != UNPACK_NONE; j++) \
			((type *) column)[(uint64_t) part->to[i] * (words) + j] = \
				values[(uint64_t) unpack_row(part, i) * (words) + j]; \
}

UNPACK_VALUES(unpack_values_4, uint32_t, 1)
UNPACK_VALUES(unpack_values_8, uint64_t, 1)
UNPACK_VALUES(unpack_values_16, uint64_t, 2)

/* Column i of a part. */
DEVICE_FN void
unpack_column(const UnpackArgs *args, const UnpackPart *part, uint32_t i)
{
	const UnpackColumn *column = &args->columns[i];
	uint8_t    *values = args->to + args->capacity * column->values;
	uint64_t	place = part->segment[SEGMENT_VALUES(i)];
	uint64_t	base = part->segment[SEGMENT_BASE(i)];

	if (column->plain && column->width == 4)
		unpack_values_4(part, place, values);
	else if (column->plain && column->width == 8)
		unpack_values_8(part, place, values);
	else if (column->plain)
		unpack_values_16(part, place, values);
	else if (column->width == 1)
		unpack_numbers_1(part, place, base, values);
	else if (column->width == 2)
		unpack_numbers_2(part, place, base, values);
	else if (column->width == 4)
		unpack_numbers_4(part, place, base, values);
	else
		unpack_numbers_8(part, place, base, values);
	if (column->nulls > 0)
		unpack_numbers_1(part, part->segment[SEGMENT_NULLS(i)], 0,
						 args->to + args->capacity * column->nulls);
}

KERNEL_BOUNDS(unpack, UnpackArgs, args, UNPACK_THREADS, 4)
{
	uint32_t	each = (args.batch.segment_rows + UNPACK_ROWS - 1) / UNPACK_ROWS;
	uint32_t	nparts = (uint32_t) (args.batch.nrows / args.batch.segment_rows) * each;

	for (uint32_t number = blockIdx.x; number < nparts; number += gridDim.x)
	{
		UnpackPart	part;

		part.segment = args.batch.segments + (uint64_t) (number / each) * args.batch.segment_words;
		part.first = number % each * UNPACK_ROWS;
		unpack_places(&args, &part);
		for (uint32_t i = 0; i < args.ncolumns; i++)
			unpack_column(&args, &part, i);
	}
}

#endif							/* GPUAGG_UNPACK_CUH */
