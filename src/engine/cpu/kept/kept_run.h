/*
 * kept_run.h
 *	  A run's way to columns that are kept: those that it takes rows from, and those that it makes
 *	  of the pages that it reads.
 */
#ifndef GPUAGG_CPU_KEPT_RUN_H
#define GPUAGG_CPU_KEPT_RUN_H

#include "engine/cpu/deform.h"
#include "engine/cpu/kept/encode.h"
#include "engine/cpu/kept/range_sift.h"
#include "engine/engine.h"
#include "engine/left_list.h"

#define STRIPE_BITMAP (STRIPE_MAX_BLOCKS / 8)

/* One of EngineHints.tables. */
typedef struct CpuKeptTable
{
	const TableState *state;
	CpuKeptName *names;			/* of the Program's columns */
	int		   *numbers;		/* of their entries, or -1; they may be others' by now */
} CpuKeptTable;

/* A stripe whose rows the run takes. */
typedef struct TakenStripe
{
	CpuKeptStripe *stripe;		/* pinned; NULL: there is none */
	uint32_t	nrows;
	uint32_t	next;			/* row */
	bool		masked;			/* are some blocks not served? */
	uint8_t		served[STRIPE_BITMAP];	/* a bit a block */
	uint32_t	nserved;
	uint8_t		asked[STRIPE_BITMAP];
	uint16_t	rows[STRIPE_MAX_BLOCKS];	/* of each block, if it is masked */
	uint32_t	nleft;			/* rows that lack a value */
	uint8_t    *left;			/* a byte a row, if there are some of both: does the row not
								 * count? */
	size_t		left_room;
	DecodedColumn *columns;		/* the Program's */
	ColumnVector *vectors;
	char	   *buffers;		/* of all columns */
} TakenStripe;

/* A stripe that is made of pages. */
typedef struct MadeStripe
{
	bool		enabled;		/* has there been room, and could rows be kept, so far? */
	bool		evicted_gone;	/* has what is of files that are gone been evicted? */
	const CpuKeptTable *table;	/* NULL: there is none */
	CpuKeptStripe *stripe;		/* as it will be; without places */
	uint32_t	next;			/* the block behind the last one */
	bool	   *wanted;			/* of the Program's columns, those that are not kept yet */
	bool	   *deformed;		/* those that the buffer has */
	DeformBuffer *deform;		/* of pages whose rows are not given */
	PlainColumn *columns;
	uint32_t	nrows;			/* in them */
	size_t		memory;			/* bytes of them */
} MadeStripe;

typedef struct CpuKeptRun
{
	CpuKeptArea *area;
	const Program *program;
	const ParamValue *params;
	EngineStats *stats;			/* of the run */
	bool		completes;		/* is a stripe kept anew that lacks an all-visible block? */
	bool		is_counted;		/* does it count for the use of columns? */
	int64_t		now;			/* when it began, in seconds since 1970 */
	int			ntables;
	CpuKeptTable *tables;
	TakenStripe taken;
	RangeSift	sift;			/* of the taken stripe's rows */
	LeftList	left_list;		/* rows of taken stripes that lack a value */
	MadeStripe	made;
} CpuKeptRun;

/*
 * For a run of the Program; the hints' tables, the parameters and the statistics stay the
 * caller's.  *result is NULL if nothing of its tables is kept.  False: no memory.
 */
extern bool kept_run_create(const Program *program, const ParamValue *params,
							const EngineHints *hints, EngineStats *stats, CpuKeptRun **result);

/* NULL is fine, also for what follows. */
extern void kept_run_free(CpuKeptRun *run);
extern size_t kept_run_memory(const CpuKeptRun *run);

/* As EngineStripes.asks. */
extern const uint8_t *kept_run_asks(CpuKeptRun *run, const StripeTurn *turn);

/*
 * Once keep_stripe_end has been called for the stripe before: begin with the rows that are kept of
 * a stripe, and say which blocks are served; what is not kept of it is made of the pages that
 * follow.  True: there are rows, until kept_run_end.
 */
extern bool kept_run_take(CpuKeptRun *run, StripeTurn *turn);

/*
 * The Program's columns of the stripe, and its rows, if some of them are texts; NULL: none are.  Each
 * batch has its codes there.
 */
extern const DecodedColumn *kept_run_columns(const CpuKeptRun *run, uint32_t *nrows);

/* None of the stripe's rows passes the filter: there are no more batches. */
extern void kept_run_skip(CpuKeptRun *run, const StripeTurn *turn);

/*
 * The next batch; false: there are no more.  left: a byte a row, whether it does not count; NULL:
 * all do.  Rows that the filter is known to refuse may be missing; they are counted as read.
 */
extern bool kept_run_batch(CpuKeptRun *run, ColumnBatch *batch, const uint8_t **left);

/* As EngineOps.toasted: of the stripes' rows that lack a value. */
extern int	kept_run_take_left(CpuKeptRun *run, ToastedRow *rows, int max);

/* The rows will not be read any more.  To be called before any other function. */
extern void kept_run_end(CpuKeptRun *run);

/* keep_stripe.c: the columns that are made. */

/*
 * Begin to make a stripe of the pages that follow, if it can be kept.  there: for each column of
 * the Program, is it kept under the stamp that the stripe will have?
 */
extern void keep_stripe_begin(CpuKeptRun *run, const CpuKeptTable *table, uint32_t number,
							  const bool *there);

/* A page of the table, which can be read. */
extern void keep_stripe_page(CpuKeptRun *run, const PageRef *page);

/*
 * The same for a caller that deforms all columns of all the page's tuples: are their rows to be
 * given, all of them and before the stripe ends?
 */
extern bool keep_stripe_takes(CpuKeptRun *run, const PageRef *page);

/* Such rows, all from number `first` of the buffer's on. */
extern void keep_stripe_rows(CpuKeptRun *run, DeformBuffer *buffer, uint32_t first);

/* All of the stripe's pages have been given: keep it. */
extern void keep_stripe_end(CpuKeptRun *run);

extern bool keep_stripes_create(CpuKeptRun *run);
extern void keep_stripes_free(CpuKeptRun *run);

#endif							/* GPUAGG_CPU_KEPT_RUN_H */
