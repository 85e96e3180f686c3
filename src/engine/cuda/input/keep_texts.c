/*
 * keep_texts.c
 *	  Codes of the texts of a stripe that is kept.
 *
 * The deform kernel makes columns of a stripe's texts, as places in the buffer's bytes; the
 * kernels of dictionary.cuh put their codes into the same places, which are encoded as other
 * numbers are.  Stripes of a run come one after another in its work stream.  So a dictionary
 * grows between two of them.
 *
 * A run claims the dictionaries that it may fill when it begins to keep.  Columns whose
 * dictionary another run fills meanwhile it does not keep.
 *
 * Given up is a column that seems to have more texts than half of its table's rows, or too many
 * for a dictionary; and one of which some stripes in a row had texts that are compressed or out
 * of line, and so could not be kept.  Other columns of stripes that have it are kept all the
 * same.
 */
#include <stdlib.h>

#include "engine/cuda/input/keep_texts.h"
#include "engine/cuda/kept/room.h"
#include "program/heap_page.h"

/* Of what may be kept, a dictionary has no more than that share. */
#define DICTIONARY_SHARE 4

/* So many stripes in a row were refused because of toasted values. */
#define MOST_REFUSED 8

#define ROW_THREADS 256

static bool
is_text(const KeptColumn *column)
{
	return column->key.type == VT_TEXT;
}

bool
keep_texts_possible(const RunCore *run, const KeptColumn *column)
{
	const Dictionary *dictionary = column->dictionary;

	if (!is_text(column))
		return true;
	return !column->given_up &&
		(dictionary == NULL || dictionary->filler == NULL || dictionary->filler == run);
}

bool
keep_texts_claimed(const RunCore *run, const KeptColumn *column)
{
	if (!is_text(column))
		return true;
	return !column->given_up && column->dictionary != NULL && column->dictionary->filler == run;
}

/* Claim a column's dictionary, or make one; false: no memory. */
static bool
claim(const RunCore *run, KeptColumn *column)
{
	if (!is_text(column) || !keep_texts_possible(run, column) || keep_texts_claimed(run, column))
		return true;
	if (column->dictionary == NULL)
		column->dictionary = calloc(1, sizeof(*column->dictionary));
	if (column->dictionary == NULL)
		return false;
	column->dictionary->filler = run;
	kept_pin_dictionary(column);
	return true;
}

EngineStatus
keep_texts_open(RunCore *run, const KeptTables *tables, uint32_t nstripes,
				KeepTexts *texts)
{
	for (int i = 0; i < tables->ncolumns; i++)
		texts->ncolumns += tables->columns[i]->type == VT_TEXT;
	if (texts->ncolumns == 0)
		return ENGINE_OK;
	for (int i = 0; i < tables->ntables; i++)
		for (int j = 0; j < tables->ncolumns; j++)
			if (!claim(run, tables->tables[i].columns[j]))
				return run_fail(run, ENGINE_NO_MEMORY, "out of memory");
	return run_take_stage(run, nstripes * texts->ncolumns * sizeof(DictionaryCounters),
						  &texts->told);
}

/* Let a dictionary go that the run has claimed. */
static void
release(RunCore *run, const KeptTable *table, KeptColumn *column)
{
	Dictionary *dictionary = column->dictionary;

	if (!is_text(column) || dictionary == NULL || dictionary->filler != run)
		return;
	dictionary->filler = NULL;
	if (dictionary->moved != NULL)
		run_give_event(run, &dictionary->moved);
	if (dictionary->spoilt)
		kept_give_up(&run->context->kept, table->file, column);
	kept_unpin_dictionary(&run->context->kept, column);
}

void
keep_texts_close(RunCore *run, const KeptTables *tables, KeepTexts *texts)
{
	if (texts->ncolumns == 0)
		return;
	for (int i = 0; i < tables->ntables; i++)
		for (int j = 0; j < tables->ncolumns; j++)
			release(run, &tables->tables[i], tables->tables[i].columns[j]);
	run_free(run, &texts->found);
	run_give_stage(run, &texts->told);
}

/* The stripe's i-th column if it is one of texts, or NULL. */
static KeptColumn *
text_column(const BufferTexts *kept, int i)
{
	KeptColumn *column = kept->table->columns[kept->columns[i]];

	return is_text(column) ? column : NULL;
}

/* What the texts of a column can take: all bytes of the pages, and what old tuples lack. */
static uint64_t
most_bytes(const BufferTexts *kept, const KeptColumn *column)
{
	return (uint64_t) kept->npages * HEAP_PAGE_SIZE +
		(column->key.has_missing ? kept->nrows * sizeof(column->key.missing) : 0);
}

/* Have memory for the rows' slots. */
static bool
make_found(RunCore *run, KeepTexts *texts, const BufferTexts *kept)
{
	uint64_t	size = kept->capacity * sizeof(uint32_t);

	if (texts->found.size >= size)
		return true;
	run_free(run, &texts->found);
	return run_alloc(run, size, &texts->found) == ENGINE_OK;
}

/* Have what tells others when a dictionary has been moved, and note its new memory. */
static bool
begin_move(RunCore *run, Dictionary *dictionary, DevicePtr memory, const DictionaryRoom *room)
{
	if (dictionary->moved == NULL && run_take_event(run, &dictionary->moved) != ENGINE_OK)
		return false;
	return dictionary_grow(dictionary, memory, room);
}

/* Move a dictionary into memory of another size, by the work stream; false: there is none. */
static bool
move(RunCore *run, const PageKernels *kernels, KeptColumn *column, DictionaryRoom *room,
	 int64_t now)
{
	KeptCache  *cache = &run->context->kept;
	Dictionary *dictionary = column->dictionary;
	DictionaryMoveArgs args = {0};
	EngineStatus status;
	uint64_t	evicted = cache->evicted;
	DevicePtr	memory;
	bool		taken = kept_memory(cache, &room->size, kept_heat_now(column, now), now,
										&memory);

	run->head.stats.blocks_evicted += cache->evicted - evicted;
	if (!taken)
		return false;
	if (dictionary->memory != 0)
		dictionary_tell(dictionary, &args.from);
	if (!begin_move(run, dictionary, memory, room))
	{
		kept_memory_free(cache, memory, room->size);
		return false;
	}
	dictionary_tell(dictionary, &args.to);
	status = run_device(run, run->device_ops->fill(run->device, run->work, memory, 0,
												   dictionary_zeros(dictionary)),
						"could not clear a dictionary");
	if (status == ENGINE_OK && args.from.slots != 0)
		status = kernels_launch(run, kernels->dictionary_move, room->entries, ROW_THREADS, 0,
								&args);
	if (status == ENGINE_OK)
		status = run_device(run, run->device_ops->event_record(run->device, dictionary->moved,
															   run->work),
							"could not record an event");
	if (status != ENGINE_OK)
		dictionary->spoilt = true;
	return status == ENGINE_OK;
}

/* Have room for the stripe in a dictionary; false: there is none. */
static bool
make_room(RunCore *run, const PageKernels *kernels, const BufferTexts *kept,
		  KeptColumn *column, int64_t now)
{
	KeptCache  *cache = &run->context->kept;
	Dictionary *dictionary = column->dictionary;
	uint64_t	most = kept_limit(cache) / DICTIONARY_SHARE;
	uint64_t	bytes = most_bytes(kept, column);
	DictionaryRoom room;

	if (dictionary->spoilt)
		return false;
	if (dictionary_has_room(dictionary, kept->nrows, bytes))
		return true;
	if (dictionary_least_size(dictionary) > most)
		kept_give_up(cache, kept->table->file, column);
	/* what is on its way may have less than it could */
	if (column->given_up || !dictionary_room(dictionary, kept->nrows, bytes, &room) ||
		room.size > most)
		return false;
	return move(run, kernels, column, &room, now);
}

/* Where a device tells what the dictionary of the stripe's column of texts with that number has. */
static DictionaryCounters *
told_place(const KeepTexts *texts, const BufferTexts *kept, uint32_t number)
{
	return (DictionaryCounters *) texts->told.data + kept->place + number;
}

bool
keep_texts_begin(RunCore *run, KeepTexts *texts, const PageKernels *kernels,
				 const BufferTexts *kept, int64_t now)
{
	int			n = 0;

	for (int i = 0; i < kept->ncolumns; i++)
	{
		if (text_column(kept, i) == NULL)
			continue;
		if (!make_room(run, kernels, kept, text_column(kept, i), now))
			return false;
		n++;
	}
	if (n > 0 && !make_found(run, texts, kept))
		return false;
	n = 0;
	for (int i = 0; i < kept->ncolumns; i++)
	{
		if (text_column(kept, i) == NULL)
			continue;
		dictionary_expect(text_column(kept, i)->dictionary, kept->nrows,
						  most_bytes(kept, text_column(kept, i)));
		*told_place(texts, kept, n++) = (DictionaryCounters) {0};
	}
	return true;
}

/* Codes of one column, and what the dictionary has then. */
static EngineStatus
launch_column(RunCore *run, const PageKernels *kernels, Dictionary *dictionary,
			  DictionaryArgs *args, DictionaryCounters *told)
{
	DeviceKernel *launches[] = {
		kernels->dictionary_find, kernels->dictionary_add, kernels->dictionary_codes
	};
	EngineStatus status = ENGINE_OK;

	dictionary_tell(dictionary, &args->dictionary);
	for (int i = 0; i < 3 && status == ENGINE_OK; i++)
		status = kernels_launch(run, launches[i], args->nrows, ROW_THREADS, 0, args);
	if (status == ENGINE_OK)
		status = run_device(run, run->device_ops->download(run->device, run->work, told,
														   args->dictionary.counters,
														   sizeof(*told)),
							"could not read a dictionary's counters");
	/* slots may have rows' numbers */
	if (status != ENGINE_OK)
		dictionary->spoilt = true;
	return status;
}

EngineStatus
keep_texts_launch(RunCore *run, const KeepTexts *texts, const PageKernels *kernels,
				  const InputBuffer *buffer, const BufferTexts *kept)
{
	EngineStatus status = ENGINE_OK;
	uint32_t	number = 0;

	for (int i = 0; i < kept->ncolumns && status == ENGINE_OK; i++)
	{
		const ColumnPlace *place = &kept->places[i];
		DictionaryArgs args = {
			.from = buffer->bytes.ptr,.found = texts->found.ptr,.nrows = kept->nrows,
			.texts = kept->plain + kept->capacity * place->values,
			.nulls = place->nulls > 0 ? kept->plain + kept->capacity * place->nulls : 0
		};

		if (text_column(kept, i) == NULL)
			continue;
		status = launch_column(run, kernels, text_column(kept, i)->dictionary, &args,
							   told_place(texts, kept, number));
		number++;
	}
	return status;
}

/* How many the stripe's table seems to have. */
static double
table_rows(const BufferTexts *kept)
{
	return (double) kept->table->state->nblocks * kept->nrows / kept->npages;
}

/* Give up a column of texts if its dictionary tells so, or toasted values do. */
static void
judge(RunCore *run, const BufferTexts *kept, KeptColumn *column, bool toasted)
{
	Dictionary *dictionary = column->dictionary;

	column->refused = toasted ? column->refused + 1 : 0;
	if (!column->given_up && (dictionary->spoilt ||
							  dictionary_is_useless(dictionary, table_rows(kept)) ||
							  column->refused == MOST_REFUSED))
		kept_give_up(&run->context->kept, kept->table->file, column);
}

void
keep_texts_end(RunCore *run, const KeepTexts *texts, const BufferTexts *kept,
			   const ColumnRange *ranges)
{
	uint32_t	number = 0;

	for (int i = 0; i < kept->ncolumns; i++)
	{
		KeptColumn *column = text_column(kept, i);

		if (column == NULL)
			continue;
		dictionary_told(column->dictionary, kept->nrows, most_bytes(kept, column),
						told_place(texts, kept, number));
		/* no rows tell nothing */
		if (kept->nrows > 0)
			judge(run, kept, column, ranges[i].toasted != 0);
		number++;
	}
}

bool
keep_texts_leave_any(const RunCore *run, const BufferTexts *kept)
{
	for (int i = 0; i < kept->ncolumns; i++)
		if (keep_texts_claimed(run, kept->table->columns[kept->columns[i]]))
			return true;
	return false;
}

void
keep_texts_forget(RunCore *run, const BufferTexts *kept, KeptChunk *chunk)
{
	for (int i = 0; i < kept->ncolumns; i++)
	{
		const KeptColumn *column = kept->table->columns[kept->columns[i]];

		if (!keep_texts_claimed(run, column))
			kept_chunk_forget(&run->context->kept, chunk, column);
	}
}

EngineStatus
keep_texts_trim(RunCore *run, const KeptTables *tables, const KeepTexts *texts,
				const PageKernels *kernels)
{
	DictionaryRoom room;

	if (texts->told.data == NULL)
		return ENGINE_OK;
	for (int i = 0; i < tables->ntables; i++)
		for (int j = 0; j < tables->ncolumns; j++)
		{
			KeptColumn *column = tables->tables[i].columns[j];

			if (!is_text(column) || !keep_texts_claimed(run, column) ||
				!dictionary_spare(column->dictionary, &room))
				continue;
			/* without memory it stays as it is */
			(void) move(run, kernels, column, &room, tables->now);
			if (column->dictionary->spoilt)
				return run_fail(run, ENGINE_FAILED, "could not move a dictionary");
		}
	return ENGINE_OK;
}

void
keep_texts_drop(const RunCore *run, const KeepTexts *texts, const BufferTexts *kept)
{
	uint32_t	number = 0;

	for (int i = 0; i < kept->ncolumns; i++)
	{
		KeptColumn *column = text_column(kept, i);

		if (column == NULL)
			continue;
		dictionary_dropped(column->dictionary, kept->nrows, most_bytes(kept, column),
						   told_place(texts, kept, number));
		/* the stream has failed */
		if (run->work == NULL)
			column->dictionary->spoilt = true;
		number++;
	}
}
