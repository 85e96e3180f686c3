/*
 * deform.cuh
 *	  Heap pages into columns.
 *
 * A warp takes a page, a lane one visible tuple after another; neighbouring
 * lanes read neighbouring tuples and write neighbouring rows.  Rows have their
 * places from the host, which counts the visible tuples of each page.
 *
 * A tuple is walked attribute by attribute up to the last one that is needed.
 * All lanes of a warp are at the same attribute, so its description is read by
 * all at once; only varlena values and NULLs make their ways differ.
 *
 * Nothing on a page is believed: what a line pointer, a header or a length says
 * is compared with what it must lie within before it is used.  What contradicts
 * itself sets an error in the counters, and the host drops the batch.  A row with
 * a needed value that is compressed or stored out of line is marked as left out,
 * if the program leaves rows.
 *
 * DEFORM_NUMERIC: there are columns of type numeric.  They have most of the code.
 */
#ifndef GPUAGG_DEFORM_CUH
#define GPUAGG_DEFORM_CUH

#include "heap_page.h"
#include "numeric_page.h"

/* A tuple whose header has been checked. */
typedef struct DeformTuple
{
	const uint8_t *data;		/* behind header and bitmap */
	const uint8_t *bitmap;		/* NULL: no NULLs */
	uint32_t	len;			/* bytes of data */
	uint32_t	natts;
} DeformTuple;

/* A value in a tuple. */
typedef struct DeformValue
{
	uint32_t	offset;			/* in the tuple's data */
	uint32_t	header;			/* bytes */
	uint32_t	size;			/* bytes, with the header */
	bool		plain;			/* neither compressed nor out of line */
} DeformValue;

/* Pages are aligned, numbers on them need not be. */
DEVICE_FN uint32_t
read_u16(const uint8_t *at)
{
	return (uint32_t) at[0] | (uint32_t) at[1] << 8;
}

DEVICE_FN uint32_t
read_u32(const uint8_t *at)
{
	return read_u16(at) | read_u16(at + 2) << 16;
}

/* Is the page's header sane, and are there as many line pointers? */
DEVICE_FN bool
page_check(const uint8_t *page, uint32_t *nlines, uint32_t *upper, uint32_t *special)
{
	uint32_t	lower = read_u16(page + HEAP_PAGE_LOWER);

	*upper = read_u16(page + HEAP_PAGE_UPPER);
	*special = read_u16(page + HEAP_PAGE_SPECIAL);
	if (lower < HEAP_PAGE_LINES || lower > *upper || *upper > *special ||
		*special > HEAP_PAGE_SIZE)
		return false;
	*nlines = (lower - HEAP_PAGE_LINES) / HEAP_LINE_SIZE;
	return true;
}

/* The tuple of a line pointer; false if page or tuple contradict themselves. */
DEVICE_FN bool
tuple_check(const uint8_t *page, uint32_t number, DeformTuple *tuple)
{
	uint32_t	nlines,
				upper,
				special,
				line,
				offset,
				len,
				hoff,
				bits;
	const uint8_t *header;
	bool		has_nulls;

	if (!page_check(page, &nlines, &upper, &special) || number < 1 || number > nlines)
		return false;
	line = read_u32(page + HEAP_PAGE_LINES + (number - 1) * HEAP_LINE_SIZE);
	offset = HEAP_LINE_OFFSET(line);
	len = HEAP_LINE_LENGTH(line);
	if (HEAP_LINE_FLAGS(line) != HEAP_LINE_NORMAL || offset < upper ||
		offset + len > special || offset % HEAP_PAGE_ALIGN != 0 || len < HEAP_TUPLE_BITS)
		return false;
	header = page + offset;
	hoff = header[HEAP_TUPLE_HOFF];
	has_nulls = (read_u16(header + HEAP_TUPLE_INFOMASK) & HEAP_TUPLE_HAS_NULL) != 0;
	tuple->natts = HEAP_TUPLE_NATTS(read_u16(header + HEAP_TUPLE_INFOMASK2));
	bits = has_nulls ? (tuple->natts + 7) / 8 : 0;
	if (tuple->natts > HEAP_TUPLE_MAX_NATTS || hoff < HEAP_TUPLE_BITS + bits ||
		hoff > len || hoff % HEAP_PAGE_ALIGN != 0)
		return false;
	tuple->bitmap = has_nulls ? header + HEAP_TUPLE_BITS : NULL;
	tuple->data = header + hoff;
	tuple->len = len - hoff;
	return true;
}

/* The varlena value at, or behind padding from, the offset. */
DEVICE_FN bool
varlena_check(const DeformTuple *tuple, uint32_t align, DeformValue *value)
{
	uint32_t	first,
				word;

	if (value->offset >= tuple->len)
		return false;
	if (tuple->data[value->offset] == 0)
		value->offset = (value->offset + align - 1) & ~(align - 1);
	if (value->offset >= tuple->len)
		return false;
	first = tuple->data[value->offset];
	value->plain = true;
	if (VARLENA_IS_EXTERNAL(first))
	{
		if (value->offset + 2 > tuple->len ||
			tuple->data[value->offset + 1] != VARLENA_TAG_ONDISK)
			return false;
		value->header = value->size = VARLENA_ONDISK_SIZE;
		value->plain = false;
	}
	else if (VARLENA_IS_SHORT(first))
	{
		value->header = VARLENA_SHORT_HEADER;
		value->size = VARLENA_SHORT_SIZE(first);
	}
	else
	{
		if (value->offset % VARLENA_HEADER != 0 ||
			value->offset + VARLENA_HEADER > tuple->len)
			return false;
		word = read_u32(tuple->data + value->offset);
		value->plain = !VARLENA_IS_COMPRESSED(word);
		value->header = value->plain ? VARLENA_HEADER : VARLENA_COMPRESSED_HEADER;
		value->size = VARLENA_SIZE(word);
	}
	return value->size >= value->header && value->offset + value->size <= tuple->len;
}

/* The next value of an attribute that is not NULL. */
DEVICE_FN bool
value_check(const DeformTuple *tuple, const DeformAttr *attr, DeformValue *value)
{
	if (attr->len < 0)
		return varlena_check(tuple, attr->align, value);
	value->offset = (value->offset + attr->align - 1) & ~((uint32_t) attr->align - 1);
	value->header = 0;
	value->size = (uint32_t) attr->len;
	value->plain = true;
	return value->offset + value->size <= tuple->len;
}

/* A column's place for a row. */
DEVICE_FN uint8_t *
column_value(const RowBatch *batch, const DeformColumn *column, uint32_t row)
{
	return batch->columns + batch->capacity * column->values +
		(uint64_t) row * column->width;
}

/* Copy a value of the column's width; its place is aligned, the source not. */
DEVICE_FN void
copy_value(const DeformColumn *column, uint8_t *to, const uint8_t *from)
{
	uint64_t	low = 0;

	if (column->width == 16)
	{
		((uint64_t *) to)[0] = read_u32(from) | (uint64_t) read_u32(from + 4) << 32;
		((uint64_t *) to)[1] = read_u32(from + 8) | (uint64_t) read_u32(from + 12) << 32;
		return;
	}
	for (uint32_t i = 0; i < column->width; i++)
		low |= (uint64_t) from[i] << (8 * i);
	if (column->width == 8)
		*(uint64_t *) to = low;
	else if (column->width == 4)
		*(uint32_t *) to = (uint32_t) low;
	else if (column->width == 2)
		*(uint16_t *) to = (uint16_t) low;
	else
		*to = (uint8_t) low;
}

DEVICE_FN void
put_isnull(const RowBatch *batch, const DeformColumn *column, uint32_t row, bool isnull)
{
	if (column->nulls > 0)
		(batch->columns + batch->capacity * column->nulls)[row] = isnull;
}

/*
 * NULL in a column.  Old row versions may have NULL in what is now a NOT NULL
 * column; then the answer is not ours to give.
 */
DEVICE_FN uint32_t
put_null(const RowBatch *batch, const DeformColumn *column, uint32_t row)
{
	uint8_t    *to = column_value(batch, column, row);

	for (uint32_t i = 0; i < column->width; i++)
		to[i] = 0;
	put_isnull(batch, column, row, true);
	return column->nulls > 0 ? 0 : ERROR_INEXACT;
}

/* What a column has in tuples that are too short to hold it. */
DEVICE_FN uint32_t
put_missing(const DeformArgs *args, const DeformColumn *column, uint32_t row)
{
	uint8_t    *to = column_value(&args->batch, column, row);
	const DeviceSlot *slot = &args->slots[column->missing < 0 ? 0 : column->missing];

	if (column->missing < 0)
		return put_null(&args->batch, column, row);
	if (column->is_text)
		*(TextRef *) to = slot->text;
	else if (column->width == 16)
		copy_value(column, to, (const uint8_t *) slot->bytes);
	else
		copy_value(column, to, (const uint8_t *) &slot->word);
	put_isnull(&args->batch, column, row, slot->isnull != 0);
	return 0;
}

DEVICE_FN uint32_t
put_value(const DeformArgs *args, const DeformColumn *column, uint32_t row,
		  const DeformTuple *tuple, const DeformValue *value)
{
	uint8_t    *to = column_value(&args->batch, column, row);
	const uint8_t *from = tuple->data + value->offset + value->header;

	/* what stands in the column's place must be harmless all the same */
	if (!value->plain && !column->presence)
	{
		for (uint32_t i = 0; i < column->width; i++)
			to[i] = 0;
		put_isnull(&args->batch, column, row, false);
		return ERROR_TOASTED;
	}
	if (DEFORM_NUMERIC && column->numeric != NUMERIC_NONE)
	{
		if (!numeric_read_part(column->numeric, column->width == sizeof(Wide),
							   from, value->size - value->header, column->scale, to))
			return numeric_is_not_admitted(column->numeric, from, value->size - value->header) ?
				ERROR_SPECIAL : ERROR_NUMERIC;
	}
	else if (column->is_text)
	{
		((TextRef *) to)->start = (uint32_t) (from - args->batch.bytes);
		((TextRef *) to)->length = value->size - value->header;
	}
	else if (column->presence)
		*to = true;
	else
		copy_value(column, to, from);
	put_isnull(&args->batch, column, row, false);
	return 0;
}

/* One tuple as a row; bits of errors. */
DEVICE_FN uint32_t
deform_tuple(const DeformArgs *args, const DeformTuple *tuple, uint32_t row)
{
	DeformValue value;
	uint32_t	errors = 0;

	value.offset = 0;
	for (uint32_t i = 0; i < args->nattrs; i++)
	{
		DeformAttr	attr = args->attrs[i];
		bool		missing = i >= tuple->natts;
		bool		isnull = !missing && tuple->bitmap != NULL &&
			!((tuple->bitmap[i / 8] >> (i % 8)) & 1);

		if (!missing && !isnull && !value_check(tuple, &attr, &value))
			return ERROR_CORRUPT;
		for (int c = attr.column; c >= 0; c = args->columns[c].next)
		{
			const DeformColumn *column = &args->columns[c];

			if (missing)
				errors |= put_missing(args, column, row);
			else if (isnull)
				errors |= put_null(&args->batch, column, row);
			else
				errors |= put_value(args, column, row, tuple, &value);
		}
		if (!missing && !isnull)
			value.offset += value.size;
	}
	return errors;
}

KERNEL(deform, DeformArgs, args)
{
	uint64_t	nwarps = grid_size() / WARP_SIZE;

	for (uint64_t p = grid_index() / WARP_SIZE; p < args.npages; p += nwarps)
	{
		DevicePage	info = args.info[p];
		const uint8_t *page = args.pages + p * HEAP_PAGE_SIZE;

		for (uint32_t i = lane_index(); i < info.nlines; i += WARP_SIZE)
		{
			uint32_t	number = info.all ? i + 1 : args.lines[info.lines + i];
			DeformTuple tuple;
			uint32_t	errors = ERROR_CORRUPT;

			if (tuple_check(page, number, &tuple))
				errors = deform_tuple(&args, &tuple, info.row + i);
			if (args.batch.left != NULL && !(errors & ~ERROR_TOASTED))
			{
				args.batch.left[info.row + i] = errors != 0;
				if (errors != 0)
					atomic_add_u32_noreturn(&args.counters->left, 1);
				continue;
			}
			if (errors == 0)
				continue;
			if (errors & ERROR_CORRUPT)
				args.counters->block = info.block;
			atomic_or_u32(&args.counters->errors, errors);
		}
	}
}

#endif							/* GPUAGG_DEFORM_CUH */
