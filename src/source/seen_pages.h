/*
 * seen_pages.h
 *	  What a session has seen of pages that it reads again in its next runs.
 */
#ifndef GPUAGG_SEEN_PAGES_H
#define GPUAGG_SEEN_PAGES_H

#include "access/htup_details.h"
#include "access/transam.h"
#include "storage/buf.h"
#include "storage/off.h"
#include "utils/relcache.h"

#define SEEN_WORDS ((MaxHeapTuplesPerPage + 63) / 64)

/* A page: 64 bytes. */
typedef struct SeenPage
{
	uint64		lsn;			/* that it had; 0: only its buffer is known */
	uint64		visible[SEEN_WORDS];	/* lines of tuples that snapshots see: a bit
										 * each, the first one's lowest */
	BlockNumber block;
	Buffer		buffer;			/* in which it was */
	TransactionId xmin;			/* of the snapshot that saw it */
	uint32		nvisible;
} SeenPage;

typedef struct SeenPages SeenPages;

/*
 * Begin to read npages pages of a table whose columns may stay (table_columns_may_stay); NULL:
 * there are none, or too many.  No other pages are looked at until the end.
 */
extern SeenPages *seen_pages_begin(Relation relation, uint64 npages);

/* A page that was there in the last run, or NULL; blocks are asked in ascending order. */
extern const SeenPage *seen_pages_find(SeenPages *pages, BlockNumber block);

/* Remember a page for the next run; they come in ascending order, at most as many as said. */
extern void seen_pages_add(SeenPages *pages, const SeenPage *page);

/* All pages have been read: forget those of the last run. */
extern void seen_pages_end(SeenPages *pages);

/* Does a snapshot with this xmin see what was seen, of a page that has this LSN now? */
static inline bool
seen_page_holds(const SeenPage *page, uint64 lsn, TransactionId xmin)
{
	return page != NULL && page->lsn != 0 && page->lsn == lsn &&
		!TransactionIdPrecedes(xmin, page->xmin);
}

/* Note the lines of the visible tuples, n of them, or with lines == NULL the first n. */
extern void seen_page_set_lines(SeenPage *page, const OffsetNumber *lines, uint32 n);

/* Write the lines of its visible tuples. */
extern void seen_page_lines(const SeenPage *page, OffsetNumber *lines);

#endif							/* GPUAGG_SEEN_PAGES_H */
