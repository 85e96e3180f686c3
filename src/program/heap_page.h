/*
 * heap_page.h
 *	  PostgreSQL's layout of a heap page, its tuples and varlena values, for code
 *	  that reads raw pages without PostgreSQL's headers.
 *
 * Plain constants and expressions, valid as C and as CUDA C.  All numbers on a
 * page stand in the machine's byte order, which is little-endian here: the
 * varlena headers below are those of little-endian machines.
 * src/source/heap_page_check.c holds this against PostgreSQL's own headers.
 */
#ifndef GPUAGG_HEAP_PAGE_H
#define GPUAGG_HEAP_PAGE_H

#define HEAP_PAGE_SIZE 8192

/* Alignment of tuples on the page, and of the data within a tuple. */
#define HEAP_PAGE_ALIGN 8

/* Offsets in the page header: three uint16, then the line pointers. */
#define HEAP_PAGE_LOWER 12		/* end of the line pointers */
#define HEAP_PAGE_UPPER 14		/* begin of the tuples */
#define HEAP_PAGE_SPECIAL 16	/* end of the tuples */
#define HEAP_PAGE_LINES 24

/*
 * A line pointer, as uint32: 15 bits offset of the tuple in the page, 2 bits
 * flags, 15 bits length of the tuple, from the lowest bit on.
 */
#define HEAP_LINE_SIZE 4
#define HEAP_LINE_OFFSET(line) ((line) & 0x7fff)
#define HEAP_LINE_FLAGS(line) (((line) >> 15) & 3)
#define HEAP_LINE_LENGTH(line) ((line) >> 17)
#define HEAP_LINE_UNUSED 0
#define HEAP_LINE_NORMAL 1		/* the only kind with a tuple */
#define HEAP_LINE_REDIRECT 2
#define HEAP_LINE_DEAD 3

/*
 * Offsets in the tuple header: uint16, uint16, uint8 (where the data begins,
 * from the tuple's begin), and the bitmap: one bit an attribute, the lowest
 * first, 1 is a value, 0 is NULL; there if HEAP_TUPLE_HAS_NULL is set.
 */
#define HEAP_TUPLE_INFOMASK2 18
#define HEAP_TUPLE_INFOMASK 20
#define HEAP_TUPLE_HOFF 22
#define HEAP_TUPLE_BITS 23
#define HEAP_TUPLE_NATTS(infomask2) ((infomask2) & 0x07ff)
#define HEAP_TUPLE_MAX_NATTS 1664
#define HEAP_TUPLE_HAS_NULL 0x0001	/* in infomask */

/* An aligned word of 8 bytes has all of these, each from this bit on. */
#define HEAP_TUPLE_WORD 16
#define HEAP_TUPLE_SHIFT(offset) (8 * ((offset) - HEAP_TUPLE_WORD))

/*
 * Varlena values, told apart by their first byte:
 *	  0			padding, or a 4-byte header: the value is aligned
 *	  1			a pointer to a value stored out of line; its tag follows
 *	  odd		1-byte header, not aligned: size, which includes the header
 *	  even		4-byte header (uint32): size, which includes the header, and
 *				whether the value is compressed
 */
#define VARLENA_IS_SHORT(first) ((first) & 1)
#define VARLENA_SHORT_SIZE(first) ((first) >> 1)
#define VARLENA_SHORT_HEADER 1
#define VARLENA_IS_EXTERNAL(first) ((first) == 1)
#define VARLENA_SIZE(header) ((header) >> 2)
#define VARLENA_HEADER 4
#define VARLENA_IS_COMPRESSED(header) ((header) & 2)
#define VARLENA_COMPRESSED_HEADER 8

/*
 * The only kind of pointer that is stored in tables; the other tags' pointers
 * lead to a process's own memory.
 */
#define VARLENA_TAG_ONDISK 18
#define VARLENA_ONDISK_SIZE 18	/* with the first byte and the tag */

#endif							/* GPUAGG_HEAP_PAGE_H */
