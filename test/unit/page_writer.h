/*
 * page_writer.h
 *	  Heap pages for tests of engines: a page, and a tuple in the making.
 *
 * Part of the one program that includes it.
 */
#ifndef PAGE_WRITER_H
#define PAGE_WRITER_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "program/heap_page.h"

typedef struct TupleWriter
{
	char		data[4096];
	uint32_t	len;
	uint32_t	natts;
	bool		has_nulls;
	uint8_t		bits[32];
} TupleWriter;

static void
page_put16(char *page, uint32_t at, uint32_t number)
{
	uint16_t	value = (uint16_t) number;

	memcpy(page + at, &value, 2);
}

static uint32_t
page_get16(const char *page, uint32_t at)
{
	uint16_t	value;

	memcpy(&value, page + at, 2);
	return value;
}

static void
page_begin(char *page)
{
	memset(page, 0, HEAP_PAGE_SIZE);
	page_put16(page, HEAP_PAGE_LOWER, HEAP_PAGE_LINES);
	page_put16(page, HEAP_PAGE_UPPER, HEAP_PAGE_SIZE);
	page_put16(page, HEAP_PAGE_SPECIAL, HEAP_PAGE_SIZE);
}

static inline uint32_t
page_nlines(const char *page)
{
	return (page_get16(page, HEAP_PAGE_LOWER) - HEAP_PAGE_LINES) / HEAP_LINE_SIZE;
}

static void
tuple_begin(TupleWriter *tuple)
{
	memset(tuple, 0, sizeof(*tuple));
}

static inline void
tuple_null(TupleWriter *tuple)
{
	tuple->has_nulls = true;
	tuple->natts++;
}

static void
tuple_fixed(TupleWriter *tuple, const void *value, uint32_t len, uint32_t align)
{
	tuple->bits[tuple->natts / 8] |= (uint8_t) (1 << tuple->natts % 8);
	tuple->natts++;
	tuple->len = (tuple->len + align - 1) / align * align;
	memcpy(tuple->data + tuple->len, value, len);
	tuple->len += len;
}

/* A varlena value with the short header, or the long one. */
static inline void
tuple_text(TupleWriter *tuple, const char *value, uint32_t len, bool is_short)
{
	uint8_t		short_header = (uint8_t) ((len + 1) << 1 | 1);
	uint32_t	header = (len + 4) << 2;

	if (is_short)
		tuple_fixed(tuple, &short_header, 1, 1);
	else
		tuple_fixed(tuple, &header, 4, 4);
	memcpy(tuple->data + tuple->len, value, len);
	tuple->len += len;
}

/* Add the tuple under a new line pointer; false: no room. */
static bool
page_add(char *page, const TupleWriter *tuple, uint32_t flags)
{
	uint32_t	hoff = HEAP_TUPLE_BITS + (tuple->has_nulls ? (tuple->natts + 7) / 8 : 0);
	uint32_t	lower = page_get16(page, HEAP_PAGE_LOWER);
	uint32_t	upper = page_get16(page, HEAP_PAGE_UPPER);
	uint32_t	len;
	uint32_t	line;

	hoff = (hoff + 7) / 8 * 8;
	len = hoff + tuple->len;
	if (upper < lower + HEAP_LINE_SIZE + (len + 7) / 8 * 8)
		return false;
	upper -= (len + 7) / 8 * 8;
	page_put16(page, upper + HEAP_TUPLE_INFOMASK2, tuple->natts);
	page_put16(page, upper + HEAP_TUPLE_INFOMASK, tuple->has_nulls ? HEAP_TUPLE_HAS_NULL : 0);
	page[upper + HEAP_TUPLE_HOFF] = (char) hoff;
	if (tuple->has_nulls)
		memcpy(page + upper + HEAP_TUPLE_BITS, tuple->bits, (tuple->natts + 7) / 8);
	memcpy(page + upper + hoff, tuple->data, tuple->len);
	line = upper | flags << 15 | len << 17;
	memcpy(page + lower, &line, 4);
	page_put16(page, HEAP_PAGE_LOWER, lower + HEAP_LINE_SIZE);
	page_put16(page, HEAP_PAGE_UPPER, upper);
	return true;
}

#endif							/* PAGE_WRITER_H */
