/*
 * heap_tuple.h
 *	  The checks before anything is read from a raw heap page.
 *
 * Nothing on a page is believed: what a header, a line pointer or a value's
 * length says is compared with what it must lie within.  A page may change
 * meanwhile (other processes set hint bits and xmax), so each number is read
 * once, and what was checked is what is used.
 *
 * A page is aligned to 8 bytes at least.  Tuples that are where these functions
 * say are, too, and so is their data; so every number read here is aligned.
 *
 * Valid as C and as CUDA C.
 */
#ifndef GPUAGG_HEAP_TUPLE_H
#define GPUAGG_HEAP_TUPLE_H

#include "fn.h"
#include "heap_page.h"

/* In C, volatile forbids the compiler to read a number again. */
#ifdef __CUDACC_RTC__
#define HEAP_NUMBER(type, at) (*(const type *) (at))
#else
#define HEAP_NUMBER(type, at) (*(const volatile type *) (at))
#endif

/* Where line pointers and tuples may lie on a page. */
typedef struct HeapBounds
{
	uint32_t	nlines;			/* line pointers that there is room for */
	uint32_t	upper;			/* offset where tuples begin */
	uint32_t	special;		/* and end */
} HeapBounds;

/* A tuple whose header has been checked. */
typedef struct HeapTuple
{
	const uint8_t *data;		/* behind header and bitmap */
	uint16_t	len;			/* bytes of data */
	uint16_t	natts;
	uint8_t		hoff;			/* bytes of header and bitmap */
	bool		has_nulls;
} HeapTuple;

/* A value's bytes in a tuple: its header's length, and all of its size. */
typedef struct HeapValue
{
	uint32_t	header;
	uint32_t	size;
	bool		plain;			/* neither compressed nor out of line */
} HeapValue;

/* What can be wrong with a tuple. */
typedef enum HeapTupleCheck
{
	HEAP_TUPLE_GOOD,
	HEAP_TUPLE_MISPLACED,		/* it is not where tuples are */
	HEAP_TUPLE_TOO_MANY_ATTRIBUTES,
	HEAP_TUPLE_BAD_HEADER_LENGTH
} HeapTupleCheck;

/* Read the page's header.  False: it contradicts itself. */
GA_FN bool
heap_bounds(const uint8_t *page, HeapBounds *bounds)
{
	uint32_t	lower = HEAP_NUMBER(uint16_t, page + HEAP_PAGE_LOWER);

	bounds->upper = HEAP_NUMBER(uint16_t, page + HEAP_PAGE_UPPER);
	bounds->special = HEAP_NUMBER(uint16_t, page + HEAP_PAGE_SPECIAL);
	if (lower < HEAP_PAGE_LINES || lower > bounds->upper ||
		bounds->upper > bounds->special || bounds->special > HEAP_PAGE_SIZE)
		return false;
	bounds->nlines = (lower - HEAP_PAGE_LINES) / HEAP_LINE_SIZE;
	return true;
}

/* Line pointer `number`, from 1 to nlines. */
GA_FN uint32_t
heap_line(const uint8_t *page, uint32_t number)
{
	return HEAP_NUMBER(uint32_t, page + HEAP_PAGE_LINES + (number - 1) * HEAP_LINE_SIZE);
}

/* Does a normal line pointer lead to where tuples are? */
GA_FN bool
heap_line_is_placed(const HeapBounds *bounds, uint32_t line)
{
	uint32_t	offset = HEAP_LINE_OFFSET(line);
	uint32_t	len = HEAP_LINE_LENGTH(line);

	return offset >= bounds->upper && offset + len <= bounds->special &&
		offset % HEAP_PAGE_ALIGN == 0 && len >= HEAP_TUPLE_BITS;
}

/* The word of a tuple's header that has all the numbers read of it. */
GA_FN uint64_t
heap_tuple_word(const uint8_t *page, uint32_t line)
{
	return HEAP_NUMBER(uint64_t, page + HEAP_LINE_OFFSET(line) + HEAP_TUPLE_WORD);
}

/* Read that word of the tuple that a line pointer leads to, which is placed. */
GA_FN HeapTupleCheck
heap_tuple_header(const uint8_t *page, uint32_t line, uint64_t word, HeapTuple *tuple)
{
	uint32_t	len = HEAP_LINE_LENGTH(line);
	uint32_t	hoff = (uint8_t) (word >> HEAP_TUPLE_SHIFT(HEAP_TUPLE_HOFF));
	uint32_t	bits;

	tuple->natts = (uint16_t)
		HEAP_TUPLE_NATTS((uint16_t) (word >> HEAP_TUPLE_SHIFT(HEAP_TUPLE_INFOMASK2)));
	tuple->has_nulls =
		(word >> HEAP_TUPLE_SHIFT(HEAP_TUPLE_INFOMASK) & HEAP_TUPLE_HAS_NULL) != 0;
	bits = tuple->has_nulls ? (tuple->natts + 7u) / 8 : 0;
	if (tuple->natts > HEAP_TUPLE_MAX_NATTS)
		return HEAP_TUPLE_TOO_MANY_ATTRIBUTES;
	if (hoff < HEAP_TUPLE_BITS + bits || hoff > len || hoff % HEAP_PAGE_ALIGN != 0)
		return HEAP_TUPLE_BAD_HEADER_LENGTH;
	tuple->data = page + HEAP_LINE_OFFSET(line) + hoff;
	tuple->len = (uint16_t) (len - hoff);
	tuple->hoff = (uint8_t) hoff;
	return HEAP_TUPLE_GOOD;
}

/* Read the header of the tuple that a normal line pointer leads to. */
GA_FN HeapTupleCheck
heap_tuple(const uint8_t *page, const HeapBounds *bounds, uint32_t line, HeapTuple *tuple)
{
	if (!heap_line_is_placed(bounds, line))
		return HEAP_TUPLE_MISPLACED;
	return heap_tuple_header(page, line, heap_tuple_word(page, line), tuple);
}

/* Is an attribute, numbered from 0 and below natts, NULL in the tuple? */
GA_FN bool
heap_attribute_is_null(const HeapTuple *tuple, uint32_t att)
{
	const uint8_t *bitmap = tuple->data - tuple->hoff + HEAP_TUPLE_BITS;

	return tuple->has_nulls && !((bitmap[att / 8] >> (att % 8)) & 1);
}

/* Is one of the attributes first .. last, all below natts, NULL in the tuple? */
GA_FN bool
heap_has_null_among(const HeapTuple *tuple, uint32_t first, uint32_t last)
{
	const uint8_t *bitmap = tuple->data - tuple->hoff + HEAP_TUPLE_BITS;
	uint32_t	nulls = 0;

	if (!tuple->has_nulls)
		return false;
	for (uint32_t i = first / 8; i <= last / 8; i++)
	{
		uint32_t	mask = i == first / 8 ? 0xffu << (first % 8) : 0xffu;

		if (i == last / 8)
			mask &= 0xffu >> (7 - last % 8);
		nulls |= (uint8_t) ~bitmap[i] & mask;
	}
	return nulls != 0;
}

/*
 * The varlena value at *offset of the tuple's data or, where there is padding, at
 * the next multiple of align behind it, to which *offset is moved.  False: it
 * does not fit into the tuple.
 */
GA_FN bool
heap_varlena(const HeapTuple *tuple, uint32_t align, uint32_t *offset, HeapValue *value)
{
	uint32_t	first;

	if (*offset >= tuple->len)
		return false;
	first = HEAP_NUMBER(uint8_t, tuple->data + *offset);
	if (first == 0)
	{
		*offset = (*offset + align - 1) & ~(align - 1);
		if (*offset >= tuple->len)
			return false;
		first = HEAP_NUMBER(uint8_t, tuple->data + *offset);
	}

	value->plain = true;
	if (VARLENA_IS_EXTERNAL(first))
	{
		if (*offset + 2 > tuple->len ||
			HEAP_NUMBER(uint8_t, tuple->data + *offset + 1) != VARLENA_TAG_ONDISK)
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
		uint32_t	word;

		if (*offset % VARLENA_HEADER != 0 || *offset + VARLENA_HEADER > tuple->len)
			return false;
		word = HEAP_NUMBER(uint32_t, tuple->data + *offset);
		value->plain = !VARLENA_IS_COMPRESSED(word);
		value->header = value->plain ? VARLENA_HEADER : VARLENA_COMPRESSED_HEADER;
		value->size = VARLENA_SIZE(word);
	}
	return value->size >= value->header && *offset + value->size <= tuple->len;
}

/* The same for a value of a fixed length. */
GA_FN bool
heap_fixed(const HeapTuple *tuple, uint32_t align, uint32_t len, uint32_t *offset,
		   HeapValue *value)
{
	*offset = (*offset + align - 1) & ~(align - 1);
	value->header = 0;
	value->size = len;
	value->plain = true;
	return *offset + len <= tuple->len;
}

#endif							/* GPUAGG_HEAP_TUPLE_H */
