/*
 * codes.c
 *	  Text keys of kept columns, and texts that have conditions, as codes.
 *
 * Where a column of texts is a key, or has conditions, and is nothing else, kernels take the
 * codes of its segments as they are: integers, small and dense.  No row's text is looked at.  A
 * group's becomes a text when it leaves (emit_coded in key.cuh), and a condition's answer is
 * looked up (answers.c); that pays if a dictionary has fewer entries than half of the rows.
 *
 * Entries of a dictionary stay what they are, and no two of them are the same text.  So the
 * run goes by the entries that had been told when it began, wherever the dictionary is moved
 * later: it has it pinned.  What else rows may have added to it is not known: of places that
 * have no entry yet, each would be an empty text, and so would have another code.
 *
 * Rows that are not served, of masked blocks or out of column batches, may have other texts.
 * Once such rows come, the run has a dictionary of its own for each key.  It begins with the same
 * entries under the same codes, and rows' texts are added as they are for rows that are kept.
 * That takes three launches for each key and buffer, so at least half of the blocks must be
 * served.  Of a column that is no key such rows need no codes.  Segments of two tables have codes
 * of two dictionaries, and are taken as texts.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/cuda/codegen/coded.h"
#include "engine/cuda/core/interpreter.h"
#include "engine/cuda/core/run_resources.h"
#include "engine/cuda/input/codes.h"
#include "program/heap_page.h"

/* Of all blocks, what must be served. */
#define SERVED_SHARE 2

/* Of the rows that are served, what a dictionary may have entries whose conditions are answered. */
#define ANSWERED_SHARE 2

/*
 * Of the memory that is left, what dictionaries of the run's own take at most to begin with; and
 * what one takes to have room for two buffers of rows, so that it is not asked between them
 * what it has.
 */
#define OWN_SHARE 8

#define ROW_THREADS 256

static uint64_t
count_blocks(const RunCore *run)
{
	uint64_t	nblocks = 0;

	for (int i = 0; i < run->hints.ntables; i++)
		nblocks += run->hints.tables[i].nblocks;
	return nblocks;
}

/* What is served of the Program's column; NULL: segments of two tables have it. */
static const ServedText *
served_text(const ServedTexts *texts, int number)
{
	const ServedText *found = NULL;

	for (uint32_t i = 0; i < texts->n; i++)
	{
		if (texts->texts[i].number != number)
			continue;
		if (found != NULL)
			return NULL;
		found = &texts->texts[i];
	}
	return found;
}

/*
 * What a column's dictionary takes, with as many texts of a buffer of pages as it has kept
 * ones.
 */
static uint64_t
size_needed(const Dictionary *own, const InputLayout *input, bool pages)
{
	DictionaryRoom room;

	if (!pages)
		return dictionary_least_size(own);
	if (!dictionary_room(own, own->entries, (uint64_t) input->pages * HEAP_PAGE_SIZE, &room))
		return UINT64_MAX;
	return room.size;
}

/* Note the coded columns; false: not all of them can be.  pages: blocks are not served. */
static bool
note_columns(const RunCore *run, const Program *coded, const ServedTexts *texts,
			 const InputLayout *input, bool pages, Codes *codes)
{
	const Column *columns = program_columns(coded);
	uint64_t	most = (run->memory_limit - run->memory_used) / OWN_SHARE;

	codes->ncolumns = 0;
	for (int i = 0; i < coded->ncolumns; i++)
	{
		CodedColumn *column = &codes->columns[codes->ncolumns];
		const ServedText *text;
		uint64_t	size;

		if (!columns[i].coded)
			continue;
		text = served_text(texts, i);
		if (text == NULL)
			return false;
		*column = (CodedColumn) {.number = i,.own.entries = text->entries,.own.bytes = text->bytes};
		if (columns[i].missing >= 0)
			column->missing = run->constants.params[columns[i].missing].bytes.len;
		column->is_key = coded_is_key(run->program, i);
		dictionary_tell(text->column->dictionary, &column->kept);
		size = column->is_key ? size_needed(&column->own, input, pages) : 0;
		if (size > most)
			return false;
		most -= size;
		codes->ncolumns++;
	}
	return true;
}

/* Which columns' conditions it pays to answer by entries. */
static void
choose_asked(const RunCore *run, const ServedTexts *texts, bool *asked)
{
	for (int i = 0; i < run->program->ncolumns; i++)
	{
		const ServedText *text = served_text(texts, i);

		asked[i] = text != NULL && text->entries < run->head.stats.rows / ANSWERED_SHARE;
	}
}

/* Make it, with the conditions of these columns; false: there are no codes. */
static bool
make_program(const RunCore *run, const bool *asked, const ServedTexts *texts,
			 const InputLayout *input, bool pages, Program *coded, Codes *codes)
{
	CodedConditions conditions;

	return coded_make(run->program, asked, coded, &conditions) &&
		note_columns(run, coded, texts, input, pages, codes) &&
		answers_take(run, &conditions, &codes->answers);
}

/* The Program that kernels are to run, if there is one; NULL: that they run as it is. */
static Program *
choose_program(const RunCore *run, const ServedTexts *texts, const InputLayout *input,
			   Codes *codes)
{
	uint64_t	served = run->head.stats.blocks_resident;
	uint64_t	nblocks = count_blocks(run);
	uint32_t	nparts = run->hints.nparts > 0 ? run->hints.nparts : 1;
	bool		asked[PROGRAM_MAX_COLUMNS];
	bool		none[PROGRAM_MAX_COLUMNS] = {false};
	bool		pages = served < nblocks;
	Program    *coded;

	if (texts->n == 0 || served < nblocks / nparts / SERVED_SHARE)
		return NULL;
	choose_asked(run, texts, asked);
	coded = malloc(run->program->size);
	if (coded != NULL &&
		(make_program(run, asked, texts, input, pages, coded, codes) ||
		 make_program(run, none, texts, input, pages, coded, codes)))
		return coded;
	free(coded);
	codes->ncolumns = 0;
	return NULL;
}

EngineStatus
codes_open(RunCore *run, ServedTexts *texts, const InputLayout *input, Codes *codes)
{
	Program    *coded = choose_program(run, texts, input, codes);
	EngineStatus status = ENGINE_OK;

	if (coded == NULL)
		return ENGINE_OK;
	run->kernel_program = coded;
	run_make_layouts(run);
	interpreter_renew(run);
	for (int i = 0; i < codes->ncolumns && status == ENGINE_OK; i++)
	{
		const CodedColumn *column = &codes->columns[i];

		run->coded[i] = (DeviceTexts) {column->kept.entries, column->kept.bytes};
		run->ncoded[i] = column->own.entries;
		status = served_texts_wait(run, served_text(texts, column->number)->column->dictionary);
		served_texts_leave(texts, column->number);
	}
	return status == ENGINE_OK ? answers_open(run, &codes->answers) : status;
}

EngineStatus
codes_answer(RunCore *run, Codes *codes, DeviceKernel *copy)
{
	EngineStatus status = ENGINE_OK;

	for (int i = 0; i < codes->ncolumns && status == ENGINE_OK; i++)
	{
		const CodedColumn *column = &codes->columns[i];
		AnswerTexts texts = {
			.number = column->number,.entries = column->own.entries,.bytes = column->own.bytes,
			.kept = {column->kept.entries, column->kept.bytes}
		};

		status = answers_entries(run, &codes->answers, copy, &texts);
	}
	return status;
}

/* The columns' places in a buffer. */
static DevicePtr
place_of(const RunCore *run, const InputLayout *input, const InputBuffer *buffer,
		 const CodedColumn *column)
{
	return buffer->columns.ptr +
		(uint64_t) input->rows * run->layouts[0].columns[column->number].values;
}

/* Where counters of a column are in page-locked memory: of `kept`, and of `own`. */
static DictionaryCounters *
told_place(const Codes *codes, const CodedColumn *column, bool own)
{
	return (DictionaryCounters *) codes->told.data + (own ? ARGS_MAX_CODED : 0) +
		(column - codes->columns);
}

/* Ask the device what a dictionary has that rows may have added to. */
static EngineStatus
ask(RunCore *run, const Codes *codes, CodedColumn *column)
{
	DictionaryCounters *told = told_place(codes, column, true);
	Dictionary *own = &column->own;
	DeviceStatus device = run->device_ops->download(run->device, run->work, told,
													own->memory, sizeof(*told));
	EngineStatus status = run_wait(run, device, "could not read a dictionary's counters");

	if (status == ENGINE_OK)
		dictionary_told(own, own->entries_coming, own->bytes_coming, told);
	return status;
}

/* The entries that there were when the run began, as a dictionary to be moved from. */
static EngineStatus
tell_kept(RunCore *run, const Codes *codes, const CodedColumn *column, DeviceDictionary *kept)
{
	DictionaryCounters *told = told_place(codes, column, false);

	*told = (DictionaryCounters) {.entries = column->own.entries,.bytes = column->own.bytes};
	*kept = column->kept;
	kept->counters = codes->counters.ptr +
		(uint64_t) (column - codes->columns) * sizeof(*told);
	kept->entries_room = told->entries;
	kept->bytes_room = told->bytes;
	return run_device(run, run->device_ops->upload(run->device, run->work, kept->counters,
												   told, sizeof(*told)),
					  "could not tell the device of a dictionary");
}

/* Move a column's dictionary into memory of that room, by the work stream. */
static EngineStatus
move(RunCore *run, const Codes *codes, const PageKernels *kernels, CodedColumn *column,
	 const DictionaryRoom *room)
{
	Dictionary *own = &column->own;
	DeviceBuffer old = column->memory;
	DeviceBuffer memory = {0};
	DictionaryMoveArgs args = {0};
	EngineStatus status = run_alloc(run, room->size, &memory);

	if (status != ENGINE_OK)
		return status;
	if (old.ptr != 0)
		dictionary_tell(own, &args.from);
	else
		status = tell_kept(run, codes, column, &args.from);
	column->memory = memory;
	own->memory = memory.ptr;
	own->room = *room;
	dictionary_tell(own, &args.to);
	run->coded[column - codes->columns] = (DeviceTexts) {args.to.entries, args.to.bytes};
	if (status == ENGINE_OK)
		status = run_device(run, run->device_ops->fill(run->device, run->work, own->memory, 0,
													   dictionary_zeros(own)),
							"could not clear a dictionary");
	if (status == ENGINE_OK)
		status = kernels_launch(run, kernels->dictionary_move, room->entries, ROW_THREADS, 0,
								&args);
	run_free(run, &old);
	return status;
}

/* The room that a dictionary gets, for more rows than these; false: it is too large. */
static bool
choose_room(const RunCore *run, const Dictionary *own, uint32_t rows, uint64_t bytes,
			DictionaryRoom *room)
{
	return (dictionary_room(own, 2 * rows, 2 * bytes, room) &&
			room->size <= (run->memory_limit - run->memory_used) / OWN_SHARE) ||
		dictionary_room(own, rows, bytes, room);
}

/* Have room for a buffer's texts in a column's dictionary, whatever they are. */
static EngineStatus
make_room(RunCore *run, const Codes *codes, const PageKernels *kernels, CodedColumn *column,
		  uint32_t rows, uint64_t bytes)
{
	Dictionary *own = &column->own;
	DictionaryRoom room;
	EngineStatus status;

	if (dictionary_has_room(own, rows, bytes))
		return ENGINE_OK;
	if (own->memory != 0)
	{
		status = ask(run, codes, column);
		if (status != ENGINE_OK || dictionary_has_room(own, rows, bytes))
			return status;
	}
	if (!choose_room(run, own, rows, bytes, &room))
		return run_fail(run, ENGINE_NO_MEMORY, "the texts of a key take too much memory");
	return move(run, codes, kernels, column, &room);
}

/* Memory for what all columns need. */
static EngineStatus
make_memory(RunCore *run, const InputLayout *input, Codes *codes)
{
	size_t		size = ARGS_MAX_CODED * sizeof(DictionaryCounters);
	EngineStatus status;

	if (codes->found.ptr != 0)
		return ENGINE_OK;
	status = run_take_stage(run, 2 * size, &codes->told);
	if (status == ENGINE_OK)
		status = run_alloc(run, size, &codes->counters);
	if (status == ENGINE_OK)
		status = run_alloc(run, (uint64_t) input->rows * sizeof(uint32_t), &codes->found);
	return status;
}

static EngineStatus
launch_column(RunCore *run, const PageKernels *kernels, const CodedColumn *column,
			  DictionaryArgs *args)
{
	DeviceKernel *launches[] = {
		kernels->dictionary_find, kernels->dictionary_add, kernels->dictionary_row_codes
	};
	EngineStatus status = ENGINE_OK;

	dictionary_tell(&column->own, &args->dictionary);
	for (int i = 0; i < 3 && status == ENGINE_OK; i++)
		status = kernels_launch(run, launches[i], args->nrows, ROW_THREADS, 0, args);
	return status;
}

EngineStatus
codes_make(RunCore *run, Codes *codes, const PageKernels *kernels, const InputLayout *input,
		   InputBuffer *buffer)
{
	EngineStatus status = answers_rows(run, &codes->answers, input, buffer);

	for (int i = 0; i < codes->ncolumns && status == ENGINE_OK; i++)
	{
		CodedColumn *column = &codes->columns[i];
		uint32_t	nulls = run->layouts[0].columns[column->number].nulls;
		uint64_t	bytes = buffer->pages ?
			(uint64_t) buffer->npages * HEAP_PAGE_SIZE + column->missing : buffer->nbytes;
		DictionaryArgs args = {
			.from = buffer->bytes.ptr,.nrows = buffer->nrows,
			.texts = place_of(run, input, buffer, column),.counters = buffer->counters,
			.nulls = nulls > 0 ? buffer->columns.ptr + (uint64_t) input->rows * nulls : 0
		};

		if (!column->is_key)
			continue;
		status = make_memory(run, input, codes);
		if (status == ENGINE_OK)
			status = make_room(run, codes, kernels, column, buffer->nrows, bytes);
		args.found = codes->found.ptr;
		if (status != ENGINE_OK)
			break;
		dictionary_expect(&column->own, buffer->nrows, bytes);
		status = launch_column(run, kernels, column, &args);
	}
	return status;
}

void
codes_close(RunCore *run, Codes *codes)
{
	answers_close(run, &codes->answers);
	for (int i = 0; i < codes->ncolumns; i++)
		run_free(run, &codes->columns[i].memory);
	run_free(run, &codes->found);
	run_free(run, &codes->counters);
	run_give_stage(run, &codes->told);
}
