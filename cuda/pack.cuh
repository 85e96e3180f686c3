/*
 * pack.cuh
 *	  Columns that are kept, from plain arrays to numbers of the width that they need.
 *
 * `column_ranges` finds the least and the greatest number of each column, and how many rows
 * are NULL; the host chooses a base and a width of each from that, and `pack` writes the
 * numbers less the base.  A warp takes PACK_ROWS rows of a column at a time.
 *
 * What is NULL, and what stands behind the last row, becomes 0, so that it is read as the
 * base, which is a value of the column.
 */
#ifndef GPUAGG_PACK_CUH
#define GPUAGG_PACK_CUH

/* One row of a column as it stands in plain arrays. */
typedef struct PlainValue
{
	uint64_t	words[2];		/* of an integer the first, with its sign */
	bool		isnull;
} PlainValue;

DEVICE_FN PlainValue
plain_value(const PackArgs *args, const DeviceColumn *column, uint64_t row)
{
	const uint8_t *at = args->plain + args->capacity * column->values + row * column->width;
	PlainValue	value = {{0, 0}, false};

	if (row >= args->nrows)
		return value;
	value.isnull = column->nulls > 0 && (args->plain + args->capacity * column->nulls)[row] != 0;
	if (value.isnull)
		return value;
	if (column->width == 1)
		value.words[0] = (uint64_t) (int64_t) *(const int8_t *) at;
	else if (column->width == 2)
		value.words[0] = (uint64_t) (int64_t) *(const int16_t *) at;
	else if (column->width == 4)
		value.words[0] = (uint64_t) (int64_t) *(const int32_t *) at;
	else
		value.words[0] = *(const uint64_t *) at;
	if (column->width == 16)
		value.words[1] = ((const uint64_t *) at)[1];
	return value;
}

/* Unsigned numbers in the order of signed ones. */
DEVICE_FN uint64_t
ordered_number(uint64_t number)
{
	return number ^ UINT64_C(1) << 63;
}

DEVICE_FN uint64_t
warp_max_u64(uint64_t value)
{
	for (uint32_t lanes = WARP_SIZE / 2; lanes > 0; lanes /= 2)
	{
		uint64_t	other = warp_shfl_xor_u64(FULL_MASK, value, lanes);

		value = value > other ? value : other;
	}
	return value;
}

KERNEL(column_ranges, PackArgs, args)
{
	uint64_t	pieces = args.capacity / PACK_ROWS;

	for (uint64_t i = grid_index() / WARP_SIZE; i < pieces * args.ncolumns;
		 i += grid_size() / WARP_SIZE)
	{
		const DeviceColumn *column = &args.columns[i / pieces];
		ColumnRange *range = &args.ranges[i / pieces];
		uint64_t	first = i % pieces * PACK_ROWS;
		uint64_t	least = 0;
		uint64_t	most = 0;
		uint32_t	nulls = 0;
		uint32_t	rows = 0;

		for (uint32_t j = 0; j < PACK_ROWS; j += WARP_SIZE)
		{
			uint64_t	row = first + j + lane_index();
			PlainValue	value = plain_value(&args, column, row);
			uint64_t	number = ordered_number(value.words[0]);
			bool		counts = row < args.nrows && !value.isnull;

			nulls += bits_count_u32(warp_ballot(FULL_MASK, value.isnull));
			rows += bits_count_u32(warp_ballot(FULL_MASK, counts));
			if (!counts)
				continue;
			least = least > ~number ? least : ~number;
			most = most > number ? most : number;
		}
		least = warp_max_u64(least);
		most = warp_max_u64(most);
		if (lane_index() != 0)
			continue;
		if (nulls > 0)
			atomic_add_u64_noreturn(&range->nulls, nulls);
		if (rows == 0)
			continue;
		(void) atomic_max_u64(&range->least, least);
		(void) atomic_max_u64(&range->most, most);
	}
}

/* A warp's neighbouring rows, the first of which is a multiple of 32, as numbers. */
DEVICE_FN void
pack_numbers(uint8_t *to, uint32_t width, uint64_t row, uint64_t number)
{
	uint32_t	bits;

	switch (width)
	{
		case WIDTH_NONE:
			break;
		case WIDTH_BIT:
			bits = warp_ballot(FULL_MASK, number != 0);
			if (lane_index() == 0)
				*(uint32_t *) (to + row / 8) = bits;
			break;
		case WIDTH_1:
			to[row] = (uint8_t) number;
			break;
		case WIDTH_2:
			((uint16_t *) to)[row] = (uint16_t) number;
			break;
		case WIDTH_4:
			((uint32_t *) to)[row] = (uint32_t) number;
			break;
		default:
			((uint64_t *) to)[row] = number;
			break;
	}
}

/* A value as it is, of 4 bytes at least. */
DEVICE_FN void
pack_plain(uint8_t *to, uint32_t size, uint64_t row, const PlainValue *value)
{
	if (size == 4)
		((uint32_t *) to)[row] = (uint32_t) value->words[0];
	else if (size == 8)
		((uint64_t *) to)[row] = value->words[0];
	else
	{
		((uint64_t *) to)[2 * row] = value->words[0];
		((uint64_t *) to)[2 * row + 1] = value->words[1];
	}
}

KERNEL(pack, PackArgs, args)
{
	uint64_t	pieces = args.capacity / PACK_ROWS;

	for (uint64_t i = grid_index() / WARP_SIZE; i < pieces * args.ncolumns;
		 i += grid_size() / WARP_SIZE)
	{
		const DeviceColumn *column = &args.columns[i / pieces];
		PackedColumn packed = args.packed[i / pieces];

		for (uint32_t j = 0; j < PACK_ROWS; j += WARP_SIZE)
		{
			uint64_t	row = i % pieces * PACK_ROWS + j + lane_index();
			PlainValue	value = plain_value(&args, column, row);
			bool		there = row < args.nrows && !value.isnull;

			if (packed.plain)
				pack_plain(args.to + packed.values, column->width, row, &value);
			else
				pack_numbers(args.to + packed.values, packed.width, row,
							 there ? value.words[0] - packed.base : 0);
			pack_numbers(args.to + packed.nulls, packed.null_width, row, value.isnull);
		}
	}
}

#endif							/* GPUAGG_PACK_CUH */
