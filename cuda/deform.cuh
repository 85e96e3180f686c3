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
 * Nothing on a page is believed (heap_tuple.h).  What contradicts itself sets
 * an error in the counters, and the host drops the batch.  But kernels that follow
 * read its rows before the host knows.  So every row gets values: one with an error
 * has NULLs, and is marked as left out, if the program leaves rows.  Else old
 * bytes would be read as places of texts.
 *
 * A row with a needed value that is compressed or stored out of line is marked
 * as left out, too, and that is no error.
 *
 * A row whose tuple was not gathered since a condition refuses it (gather_tuples.cuh) becomes one
 * that the filter refuses by the same condition.
 *
 * A row's place (first_rows.h) is a column of no attribute.  In columns that are kept it is without
 * the table's number, which belongs to a run.
 *
 * Another launch makes columns that are kept of the same pages (input/keep.c): of those
 * that have a place there.
 *
 * DEFORM_NUMERIC: there are columns of type numeric.  They have most of the code.
 */
#ifndef GPUAGG_DEFORM_CUH
#define GPUAGG_DEFORM_CUH

#include "first_rows.h"
#include "heap_tuple.h"
#include "numeric_page.h"

/* The tuple of a line pointer; false if page or tuple contradict themselves. */
DEVICE_FN bool
find_tuple(const uint8_t *page, uint32_t number, HeapTuple *tuple)
{
	HeapBounds	bounds;
	uint32_t	line;

	if (!heap_bounds(page, &bounds) || number < 1 || number > bounds.nlines)
		return false;
	line = heap_line(page, number);
	return HEAP_LINE_FLAGS(line) == HEAP_LINE_NORMAL &&
		heap_tuple(page, &bounds, line, tuple) == HEAP_TUPLE_GOOD;
}

/* Was the tuple of a line pointer of a page that was gathered by tuples left where it was? */
DEVICE_FN bool
was_refused(const uint8_t *page, uint32_t number)
{
	HeapBounds	bounds;

	return heap_bounds(page, &bounds) && number >= 1 && number <= bounds.nlines &&
		heap_line(page, number) == LINE_REFUSED;
}

/* Bytes of a value, which need not be aligned. */
DEVICE_FN uint32_t
read_bytes4(const uint8_t *at)
{
	return (uint32_t) at[0] | (uint32_t) at[1] << 8 | (uint32_t) at[2] << 16 |
		(uint32_t) at[3] << 24;
}

/* A column's place for a row. */
DEVICE_FN uint8_t *
column_value(const RowBatch *batch, const DeviceColumn *column, uint32_t row)
{
	return batch->columns + batch->capacity * column->values +
		(uint64_t) row * column->width;
}

/* Copy a value of the column's width; its place is aligned, the source not. */
DEVICE_FN void
copy_value(const DeviceColumn *column, uint8_t *to, const uint8_t *from)
{
	uint64_t	low = 0;

	if (column->width == 16)
	{
		((uint64_t *) to)[0] = read_bytes4(from) | (uint64_t) read_bytes4(from + 4) << 32;
		((uint64_t *) to)[1] = read_bytes4(from + 8) | (uint64_t) read_bytes4(from + 12) << 32;
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

/* The same of a value that tuples have fewer bytes of, at most 8. */
DEVICE_FN void
copy_short(const DeviceColumn *column, uint8_t *to, const uint8_t *from, uint32_t stored)
{
	uint64_t	value = 0;

	for (uint32_t i = 0; i < stored; i++)
		value |= (uint64_t) from[i] << (8 * i);
	copy_value(column, to, (const uint8_t *) &value);
}

DEVICE_FN void
put_isnull(const RowBatch *batch, const DeviceColumn *column, uint32_t row, bool isnull)
{
	if (column->nulls > 0)
		(batch->columns + batch->capacity * column->nulls)[row] = isnull;
}

/*
 * NULL in a column.  Old row versions may have NULL in what is now a NOT NULL
 * column; then the answer is not ours to give.
 */
DEVICE_FN uint32_t
put_null(const RowBatch *batch, const DeviceColumn *column, uint32_t row)
{
	uint8_t    *to = column_value(batch, column, row);

	for (uint32_t i = 0; i < column->width; i++)
		to[i] = 0;
	put_isnull(batch, column, row, true);
	return column->nulls > 0 ? 0 : ERROR_INEXACT;
}

/* What a column has in tuples that are too short to hold it. */
DEVICE_FN uint32_t
put_missing(const DeformArgs *args, const DeviceColumn *column, uint32_t row)
{
	uint8_t    *to = column_value(&args->batch, column, row);
	const DeviceConstant *constant =
		&args->constants[column->missing < 0 ? 0 : column->missing];

	if (column->missing < 0)
		return put_null(&args->batch, column, row);
	if (column->is_text)
		*(TextRef *) to = constant->text;
	else if (column->width == 16)
		copy_value(column, to, (const uint8_t *) constant->bytes);
	else
		copy_value(column, to, (const uint8_t *) &constant->word);
	put_isnull(&args->batch, column, row, constant->isnull != 0);
	return 0;
}

DEVICE_FN uint32_t
put_value(const DeformArgs *args, const DeviceColumn *column, uint32_t row,
		  const uint8_t *data, const HeapValue *value)
{
	uint8_t    *to = column_value(&args->batch, column, row);
	const uint8_t *from = data + value->header;

	/* what stands in the column's place must be harmless all the same */
	if (!value->plain && !column->presence)
	{
		for (uint32_t i = 0; i < column->width; i++)
			to[i] = 0;
		put_isnull(&args->batch, column, row, false);
		if (args->ranges != NULL)
			args->ranges[column - args->columns].toasted = true;
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
	else if (value->size - value->header < column->width)
		copy_short(column, to, from, value->size - value->header);
	else
		copy_value(column, to, from);
	put_isnull(&args->batch, column, row, false);
	return 0;
}

/* A row that does not pass the filter, or one of NULLs. */
DEVICE_FN void
put_no_values(const DeformArgs *args, uint32_t row, bool refused)
{
	for (uint32_t c = 0; c < args->ncolumns; c++)
	{
		const DeviceColumn *column = &args->columns[c];
		uint8_t    *to = column_value(&args->batch, column, row);

		if (refused && c == args->refused_column)
			copy_value(column, to, (const uint8_t *) &args->refused);
		else
			for (uint32_t i = 0; i < column->width; i++)
				to[i] = 0;
		put_isnull(&args->batch, column, row, !refused);
	}
}

/* One tuple as a row; bits of errors. */
DEVICE_FN uint32_t
deform_tuple(const DeformArgs *args, const HeapTuple *tuple, uint32_t row)
{
	HeapValue	value;
	uint32_t	offset = 0;
	uint32_t	errors = 0;

	for (uint32_t i = 0; i < args->nattrs; i++)
	{
		DeformAttr	attr = args->attrs[i];
		bool		missing = i >= tuple->natts;
		bool		isnull = !missing && heap_attribute_is_null(tuple, i);

		if (!missing && !isnull &&
			!(attr.len < 0 ? heap_varlena(tuple, attr.align, &offset, &value) :
			  heap_fixed(tuple, attr.align, (uint32_t) attr.len, &offset, &value)))
			return ERROR_CORRUPT;
		for (int c = attr.column; c >= 0; c = args->columns[c].next)
		{
			const DeviceColumn *column = &args->columns[c];

			if (missing)
				errors |= put_missing(args, column, row);
			else if (isnull)
				errors |= put_null(&args->batch, column, row);
			else
				errors |= put_value(args, column, row, tuple->data + offset, &value);
		}
		if (!missing && !isnull)
			offset += value.size;
	}
	return errors;
}

/* The place of a row, if there is a column of it. */
DEVICE_FN void
put_place(const DeformArgs *args, const DevicePage *info, uint32_t number, uint32_t row)
{
	uint32_t	table = args->ranges != NULL ? 0 : info->table;

	if (args->place_column >= 0)
		*(uint64_t *) column_value(&args->batch, &args->columns[args->place_column], row) =
			place_make(table, info->block, number);
}

/* Tell of a row whether it is left out, and what errors it has. */
DEVICE_FN void
note_errors(const DeformArgs *args, uint32_t row, uint32_t block, uint32_t errors)
{
	bool		leaves = args->batch.left != NULL;

	if (leaves)
		args->batch.left[row] = errors != 0;
	if (errors == 0)
		return;
	if (leaves && errors == ERROR_TOASTED)
	{
		atomic_add_u32_noreturn(&args->counters->left, 1);
		return;
	}
	if (errors & ERROR_CORRUPT)
		args->counters->block = block;
	atomic_or_u32(&args->counters->errors, errors);
}

KERNEL(deform, DeformArgs, args)
{
	uint64_t	nwarps = grid_size() / WARP_SIZE;
	uint32_t	refused = 0;

	for (uint64_t p = grid_index() / WARP_SIZE; p < args.npages; p += nwarps)
	{
		DevicePage	info = args.info[p];
		const uint8_t *page = args.pages + p * HEAP_PAGE_SIZE;
		uint32_t	row = args.ranges != NULL ? info.kept : info.row;

		if (args.ranges != NULL && row == KEPT_NONE)
			continue;
		for (uint32_t i = lane_index(); i < info.nlines; i += WARP_SIZE)
		{
			uint32_t	number = info.all ? i + 1 : args.lines[info.lines + i];
			bool		is_refused = info.filtered && was_refused(page, number);
			HeapTuple	tuple;
			uint32_t	errors = 0;

			if (!is_refused)
				errors = find_tuple(page, number, &tuple) ?
					deform_tuple(&args, &tuple, row + i) : ERROR_CORRUPT;
			if (is_refused || (errors & ~ERROR_TOASTED))
				put_no_values(&args, row + i, is_refused);
			else
				put_place(&args, &info, number, row + i);
			refused += is_refused;
			note_errors(&args, row + i, info.block, errors);
		}
	}
	if (refused > 0)
		atomic_add_u32_noreturn(&args.counters->refused, refused);
}

#endif							/* GPUAGG_DEFORM_CUH */
