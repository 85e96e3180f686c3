/*
 * keep_texts.h
 *	  Codes of the texts of a stripe that is kept.
 */
#ifndef GPUAGG_KEEP_TEXTS_H
#define GPUAGG_KEEP_TEXTS_H

#include "engine/cuda/core/run_kernels.h"
#include "engine/cuda/input/input_buffer.h"
#include "engine/cuda/input/kept_tables.h"

/* A run's; begins as zeros. */
typedef struct KeepTexts
{
	uint32_t	ncolumns;		/* of texts at most that a stripe has */
	DeviceBuffer found;			/* DictionaryArgs.found of one column */
	Stage		told;			/* page-locked: DictionaryCounters */
} KeepTexts;

/* Columns of one stripe on their way; those that are no texts are none of this file's. */
typedef struct BufferTexts
{
	const KeptTable *table;
	const int  *columns;		/* of the table's */
	const ColumnPlace *places;	/* of these, in `plain` */
	int			ncolumns;
	DevicePtr	plain;			/* columns as RowBatch.columns, of so many rows: */
	uint64_t	capacity;
	uint32_t	nrows;			/* that are there */
	uint32_t	npages;			/* that they come from, at least one row of each */
	uint32_t	place;			/* in KeepTexts.told, of the first column of texts */
} BufferTexts;

/* Could the run keep the column, as far as others are concerned? */
extern bool keep_texts_possible(const RunCore *run, const KeptColumn *column);

/* Does it?  Of a column of texts it then is the one that fills the dictionary. */
extern bool keep_texts_claimed(const RunCore *run, const KeptColumn *column);

/*
 * Claim the dictionaries of all columns that are possible; for so many stripes on their way
 * at once.  keep_texts_close gives them back.
 */
extern EngineStatus keep_texts_open(RunCore *run, const KeptTables *tables,
									uint32_t nstripes, KeepTexts *texts);
extern void keep_texts_close(RunCore *run, const KeptTables *tables, KeepTexts *texts);

/*
 * Have room for a stripe's texts, in the dictionaries and beside; true: they are on their way.
 * False: they cannot be kept, at least not now.
 */
extern bool keep_texts_begin(RunCore *run, KeepTexts *texts, const PageKernels *kernels,
							 const BufferTexts *kept, int64_t now);

/*
 * Launch, in the work stream, once the texts of the buffer's pages are in `plain`: what stands
 * there then are numbers of 8 bytes, the codes.
 */
extern EngineStatus keep_texts_launch(RunCore *run, const KeepTexts *texts,
									  const PageKernels *kernels, const InputBuffer *buffer,
									  const BufferTexts *kept);

/* That has been done.  ranges: of the stripe's columns. */
extern void keep_texts_end(RunCore *run, const KeepTexts *texts, const BufferTexts *kept,
						   const ColumnRange *ranges);

/* Are some of the stripe's columns, of any type, not given up? */
extern bool keep_texts_leave_any(const RunCore *run, const BufferTexts *kept);

/* The stripe's chunk is to have no columns that were given up. */
extern void keep_texts_forget(RunCore *run, const BufferTexts *kept, KeptChunk *chunk);

/* Nothing is on its way: let dictionaries have no more memory than they need. */
extern EngineStatus keep_texts_trim(RunCore *run, const KeptTables *tables,
									const KeepTexts *texts, const PageKernels *kernels);

/* The run ends early, and the device has done what it had to do. */
extern void keep_texts_drop(const RunCore *run, const KeepTexts *texts, const BufferTexts *kept);

#endif							/* GPUAGG_KEEP_TEXTS_H */
