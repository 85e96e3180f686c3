/*
 * heap_page_check.c
 *	  Checks program/heap_page.h against PostgreSQL's own headers.
 *
 * Nothing here runs: a build against a PostgreSQL whose pages look different
 * fails.  Bit-fields (the line pointer's) have no offsets to compare; they are
 * laid out from the lowest bit on wherever machines are little-endian.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "storage/bufpage.h"

#include "program/heap_page.h"

#ifdef WORDS_BIGENDIAN
#error "gpuagg reads heap pages of little-endian machines only"
#endif

#define SAME(ours, theirs) StaticAssertDecl((ours) == (theirs), #ours " is not " #theirs)

SAME(HEAP_PAGE_SIZE, BLCKSZ);
SAME(HEAP_PAGE_ALIGN, MAXIMUM_ALIGNOF);
SAME(HEAP_PAGE_LOWER, offsetof(PageHeaderData, pd_lower));
SAME(HEAP_PAGE_UPPER, offsetof(PageHeaderData, pd_upper));
SAME(HEAP_PAGE_SPECIAL, offsetof(PageHeaderData, pd_special));
SAME(HEAP_PAGE_LINES, SizeOfPageHeaderData);

SAME(HEAP_LINE_SIZE, sizeof(ItemIdData));
SAME(HEAP_LINE_UNUSED, LP_UNUSED);
SAME(HEAP_LINE_NORMAL, LP_NORMAL);
SAME(HEAP_LINE_REDIRECT, LP_REDIRECT);
SAME(HEAP_LINE_DEAD, LP_DEAD);

SAME(HEAP_TUPLE_INFOMASK2, offsetof(HeapTupleHeaderData, t_infomask2));
SAME(HEAP_TUPLE_INFOMASK, offsetof(HeapTupleHeaderData, t_infomask));
SAME(HEAP_TUPLE_HOFF, offsetof(HeapTupleHeaderData, t_hoff));
SAME(HEAP_TUPLE_BITS, SizeofHeapTupleHeader);
SAME(HEAP_TUPLE_NATTS(0xffff), HEAP_NATTS_MASK);
SAME(HEAP_TUPLE_MAX_NATTS, MaxTupleAttributeNumber);
SAME(HEAP_TUPLE_HAS_NULL, HEAP_HASNULL);

SAME(VARLENA_SHORT_HEADER, VARHDRSZ_SHORT);
SAME(VARLENA_HEADER, VARHDRSZ);
SAME(VARLENA_COMPRESSED_HEADER, VARHDRSZ_COMPRESSED);
SAME(VARLENA_TAG_ONDISK, VARTAG_ONDISK);
SAME(VARLENA_ONDISK_SIZE, VARHDRSZ_EXTERNAL + sizeof(varatt_external));
