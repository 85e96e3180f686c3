/*
 * pack.c
 *	  How columns of a chunk are encoded, and the kernels that do it.
 *
 * Integers (dates, times and numerics of 64 bits among them) and booleans become numbers:
 * the value less the least one of the chunk's column, in no bit, one bit, or 1, 2, 4 or 8
 * bytes, as the greatest needs.  So do the codes of texts (keep_texts.c).  Floats, numerics of
 * 128 bits, uuids and intervals stay as they are: the range of their bits is nearly always that
 * of the type.
 *
 * NULLs are bits, and nothing if there are none.
 */
#include "engine/cuda/codegen/layout.h"
#include "engine/cuda/input/pack.h"

#define PACK_THREADS 256

uint64_t
pack_capacity(uint32_t nrows)
{
	return nrows == 0 ? PACK_ROWS : ((uint64_t) nrows + PACK_ROWS - 1) / PACK_ROWS * PACK_ROWS;
}

/* Are values of the type integers, or codes? */
static bool
is_number(ValueType type)
{
	return type == VT_TEXT || layout_type_width(type) != WIDTH_NONE;
}

/* A ColumnRange has it with the sign bit turned. */
static int64_t
number_of_ordered(uint64_t ordered)
{
	return (int64_t) (ordered ^ UINT64_C(1) << 63);
}

static uint8_t
width_of_range(uint64_t range)
{
	if (range <= 1)
		return range == 0 ? WIDTH_NONE : WIDTH_BIT;
	if (range <= UINT8_MAX)
		return WIDTH_1;
	if (range <= UINT16_MAX)
		return WIDTH_2;
	return range <= UINT32_MAX ? WIDTH_4 : WIDTH_8;
}

/* Bytes of so many numbers of a width: of a multiple of PACK_ROWS a multiple of PLACE_ALIGN. */
static uint64_t
numbers_size(uint32_t width, uint64_t rows)
{
	return width == WIDTH_NONE ? 0 : (rows << (width - 1)) / 8;
}

uint64_t
pack_place(const Column *column, const ColumnRange *range, const PackSource *source, uint64_t at,
		   KeptPlace *place)
{
	ValueType	type = (ValueType) column->type;
	bool		integer = is_number(type);
	uint64_t	size = source->capacity * (uint64_t) layout_value_size(type);

	place->values = at;
	place->plain_bytes = size + (column->nullable ? source->capacity : 0);
	place->nnulls = range->nulls;
	place->has_range = integer && range->nulls < source->nrows;
	place->least = place->has_range ? number_of_ordered(~range->least) : 0;
	place->most = place->has_range ? number_of_ordered(range->most) : 0;
	place->width = WIDTH_NONE;
	if (integer)
	{
		place->width = width_of_range((uint64_t) place->most - (uint64_t) place->least);
		size = numbers_size(place->width, source->capacity);
	}
	place->null_width = range->nulls > 0 ? WIDTH_BIT : WIDTH_NONE;
	place->nulls = at + size;
	place->bytes = size + numbers_size(place->null_width, source->capacity);
	return at + place->bytes;
}

PackedColumn
pack_describe(const Column *column, const KeptPlace *place)
{
	return (PackedColumn)
	{
		.values = place->values,
			.nulls = place->nulls,
			.base = (uint64_t) place->least,
			.width = place->width,
			.null_width = place->null_width,
			.plain = !is_number((ValueType) column->type)
	};
}

/* A warp for each of PACK_ROWS rows. */
static EngineStatus
launch(RunCore *run, DeviceKernel *kernel, const PackSource *source, PackArgs *args)
{
	args->plain = source->plain;
	args->capacity = source->capacity;
	args->nrows = source->nrows;
	args->columns = source->attrs->device.ptr + source->attrs->nattrs * sizeof(DeformAttr);
	args->ncolumns = (uint32_t) source->ncolumns;
	return kernels_launch(run, kernel, source->capacity / PACK_ROWS * args->ncolumns * 32,
						  PACK_THREADS, 0, args);
}

EngineStatus
pack_find_ranges(RunCore *run, const PageKernels *kernels, const PackSource *source,
				 DevicePtr ranges)
{
	PackArgs	args = {.ranges = ranges};

	return launch(run, kernels->column_ranges, source, &args);
}

EngineStatus
pack_launch(RunCore *run, const PageKernels *kernels, const PackSource *source, DevicePtr packed,
			DevicePtr to)
{
	PackArgs	args = {.packed = packed,.to = to};

	return launch(run, kernels->pack, source, &args);
}
