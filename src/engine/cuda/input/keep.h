/*
 * keep.h
 *	  Columns of the pages that a run reads, kept for later runs.
 */
#ifndef GPUAGG_KEEP_H
#define GPUAGG_KEEP_H

#include "engine/cuda/input/keep_texts.h"
#include "engine/cuda/input/pack.h"
#include "engine/cuda/input/page_deformer.h"
#include "engine/cuda/input/kept_tables.h"
#include "engine/stripe.h"

/* Stripes of which an input buffer may have all pages, of any size and of the size that there is. */
#ifdef GPUAGG_TESTING
#define KEEP_STRIPES 64			/* small ones are for tests only */
#define KEEP_MOST_STRIPES (stripe_blocks == STRIPE_BLOCKS ? 4 : KEEP_STRIPES)
#else
#define KEEP_STRIPES 4
#define KEEP_MOST_STRIPES KEEP_STRIPES
#endif

/* Some of the run's columns, as a chunk holds them. */
typedef struct KeepSet
{
	struct KeepSet *next;
	int			ncolumns;
	int		   *columns;		/* of KeptTables.columns */
	ColumnPlace *places;
	uint32_t	row_bytes;
	DeformAttrs attrs;
} KeepSet;

/* A stripe that is being kept. */
typedef struct KeepStripe
{
	const KeptTable *table;
	uint32_t	number;
	const KeepSet *set;
	KeptStripe *stripe;		/* as it will be */
	KeptChunk  *plain;		/* room for its columns as they come from pages */
	KeptChunk  *chunk;		/* what is kept; NULL: they are not encoded yet */
	KeepPages	pages;
	PackSource	source;
	BufferTexts	texts;
} KeepStripe;

/* Those of one buffer, and those of what it held before, which are being encoded. */
typedef struct KeepBuffer
{
	uint32_t	n;
	uint32_t	npacked;
	KeepStripe	stripes[KEEP_STRIPES];
	KeepStripe	packed[KEEP_STRIPES];
} KeepBuffer;

/* Begins as zeros. */
typedef struct Keep
{
	bool		enabled;		/* is anything to be kept, and was there room so far? */
	KeptTables *tables;
	KeepSet    *sets;
	uint32_t	result_size;	/* of a stripe: Counters, then for each column its
								 * ColumnRange and its PackedColumn */
	DeviceBuffer device_results;	/* of KEEP_STRIPES for each buffer */
	Stage		results;		/* page-locked: the same, downloaded */
	DeviceEvent *packed;		/* behind the last stripe that is encoded */
	KeepTexts	texts;
} Keep;

/*
 * What is to be kept of the tables, once it is known what is served; for so many buffers of
 * so many pages.  Whatever a failure leaves, keep_close takes.
 */
extern EngineStatus keep_open(RunCore *run, KeptTables *tables, uint32_t buffer_pages,
							  uint32_t nbuffers, Keep *keep);

/*
 * How many of the pages a buffer should take, behind which there is room for so many more
 * in it, so that no stripe that is to be kept is divided.  last: the page before, or NULL.
 */
extern uint32_t keep_limit(const Keep *keep, const PageRef *last, const PageRef *pages,
						   uint32_t n, uint32_t room);

/* Are there more pages of a stripe behind this one, which is to be kept? */
extern bool keep_continues(const Keep *keep, const PageRef *page);

/* Choose stripes of a full buffer, and note the places of their pages' rows. */
extern void keep_begin(RunCore *run, Keep *keep, const PageDeformer *deformer,
					   const InputLayout *input, const InputBuffer *buffer, uint32_t number,
					   KeepBuffer *kept);

/* Launch, in the work stream, once the buffer's pages are on the device. */
extern EngineStatus keep_launch(RunCore *run, const Keep *keep, const PageDeformer *deformer,
								const InputLayout *input, const InputBuffer *buffer,
								const KeepBuffer *kept, uint32_t number);

/*
 * The launch has been done: what has no errors is encoded, by another launch.  What was
 * encoded the last time goes to the cache.
 */
extern EngineStatus keep_end(RunCore *run, Keep *keep, const PageDeformer *deformer,
							 KeepBuffer *kept, uint32_t number);

/*
 * There are no more buffers: what has been encoded goes to the cache.  BUSY: it has not yet
 * been.
 */
extern EngineStatus keep_finish(RunCore *run, Keep *keep, const PageDeformer *deformer,
								KeepBuffer *kept, uint32_t nbuffers);

/* Drop what has not ended; nothing is left that works on the device. */
extern void keep_drop(RunCore *run, const Keep *keep, KeepBuffer *kept);

extern void keep_close(RunCore *run, Keep *keep);

#endif							/* GPUAGG_KEEP_H */
