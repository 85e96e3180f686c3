/*
 * served_texts.h
 *	  Texts of kept columns for a run: copies of their dictionaries.
 */
#ifndef GPUAGG_SERVED_TEXTS_H
#define GPUAGG_SERVED_TEXTS_H

#include "engine/cuda/core/run_kernels.h"
#include "engine/cuda/input/kept_tables.h"

/* A column's dictionary, as it is when the run begins, for a table's segments. */
typedef struct ServedText
{
	KeptColumn *column;		/* its dictionary is pinned */
	int			number;			/* of the Program's column */
	uint32_t	first;			/* segment */
	uint32_t	nsegments;
	uint32_t	entries;
	uint64_t	bytes;
	uint64_t	entries_place;	/* of the first one, in the run's */
	uint64_t	bytes_place;	/* likewise */
	bool		coded;			/* kernels take codes: there is no copy */
} ServedText;

/* Begins as zeros. */
typedef struct ServedTexts
{
	ServedText *texts;
	uint32_t	n;
	uint64_t	entries;		/* of all that are copied, with one more each */
	uint64_t	bytes;			/* that these take */
	DeviceBuffer device_entries;
} ServedTexts;

/* Have the Program's texts of the table a dictionary, and may a run copy them? */
extern bool served_texts_fit(const RunCore *run, const KeptTable *table,
							 const ServedTexts *texts);

/* Note the table's columns of texts, for these segments; false: no memory. */
extern bool served_texts_note(const RunCore *run, const KeptTable *table, uint32_t first,
							  uint32_t nsegments, ServedTexts *texts);

/* Leave a column's codes as they are, before anything of what follows. */
extern void served_texts_leave(ServedTexts *texts, int number);

/* What a dictionary has may be on its way, by another run's stream: wait in the work stream. */
extern EngineStatus served_texts_wait(RunCore *run, const Dictionary *dictionary);

/* Have memory for entries, and write their addresses into the segments' words. */
extern EngineStatus served_texts_place(RunCore *run, ServedTexts *texts, uint64_t *words);

/* Copy the dictionaries: the texts into the run's bytes, behind constants. */
extern EngineStatus served_texts_copy(RunCore *run, const ServedTexts *texts,
									  DeviceKernel *copy, DevicePtr bytes);

extern void served_texts_close(RunCore *run, ServedTexts *texts);

#endif							/* GPUAGG_SERVED_TEXTS_H */
