/*
 * served_texts.c
 *	  Texts of kept columns for a run: copies of their dictionaries.
 *
 * Kernels know a text by its place in the batch's bytes.  So the bytes of all dictionaries
 * stand behind the constants in those of each buffer of segments, and entries have their
 * places there.  A code in a segment is then the number of such an entry.
 *
 * Another run may add to a dictionary meanwhile: what a segment has codes of was there, and
 * was told, before.  If it moves the dictionary, the copy waits for that.
 *
 * Of a column whose codes kernels take as they are (codes.c) there is no copy.
 *
 * A dictionary takes room for one entry more than it has, an empty text: what rows that are
 * NULL have, where there is no other.
 */
#include <stdlib.h>

#include "engine/cuda/input/served_texts.h"

/*
 * Of the memory that is left to a run, what one copy takes at most: each launch that is queued
 * has its own.  Places have 32 bits.
 */
#define COPY_SHARE 8
#define COPY_MOST (UINT64_C(1) << 31)

#define COPY_ALIGN 16
#define COPY_THREADS 256

static bool
is_text(const RunCore *run, int column)
{
	return program_columns(run->program)[column].type == VT_TEXT;
}

static uint64_t
bytes_taken(uint64_t bytes)
{
	return (bytes + COPY_ALIGN - 1) / COPY_ALIGN * COPY_ALIGN;
}

bool
served_texts_fit(const RunCore *run, const KeptTable *table, const ServedTexts *texts)
{
	uint64_t	bytes = texts->bytes;
	uint64_t	entries = texts->entries;

	for (int i = 0; i < run->program->ncolumns; i++)
	{
		const KeptColumn *column = table->columns[i];

		if (!is_text(run, i))
			continue;
		if (column->given_up || column->dictionary == NULL || column->dictionary->spoilt)
			return false;
		bytes += bytes_taken(column->dictionary->bytes);
		entries += column->dictionary->entries + 1;
	}
	return bytes <= COPY_MOST &&
		bytes + entries * sizeof(TextRef) <= (run->memory_limit - run->memory_used) / COPY_SHARE;
}

static void
note(KeptColumn *column, int number, uint32_t first, uint32_t nsegments,
	 ServedTexts *texts)
{
	const Dictionary *dictionary = column->dictionary;

	texts->texts[texts->n++] = (ServedText)
	{
		.column = column,.number = number,.first = first,.nsegments = nsegments,
			.entries = dictionary->entries,.bytes = dictionary->bytes,
			.entries_place = texts->entries,.bytes_place = texts->bytes
	};
	kept_pin_dictionary(column);
	texts->entries += dictionary->entries + 1;
	texts->bytes += bytes_taken(dictionary->bytes);
}

bool
served_texts_note(const RunCore *run, const KeptTable *table, uint32_t first,
				  uint32_t nsegments, ServedTexts *texts)
{
	uint32_t	room = texts->n + (uint32_t) run->program->ncolumns;
	ServedText *larger = realloc(texts->texts, (room + 1) * sizeof(*larger));

	if (larger == NULL)
		return false;
	texts->texts = larger;
	for (int i = 0; i < run->program->ncolumns; i++)
		if (is_text(run, i))
			note(table->columns[i], i, first, nsegments, texts);
	return true;
}

void
served_texts_leave(ServedTexts *texts, int number)
{
	texts->entries = texts->bytes = 0;
	for (uint32_t i = 0; i < texts->n; i++)
	{
		ServedText *text = &texts->texts[i];

		text->coded |= text->number == number;
		if (text->coded)
			continue;
		text->entries_place = texts->entries;
		text->bytes_place = texts->bytes;
		texts->entries += text->entries + 1;
		texts->bytes += bytes_taken(text->bytes);
	}
}

EngineStatus
served_texts_place(RunCore *run, ServedTexts *texts, uint64_t *words)
{
	uint64_t	size = texts->entries * sizeof(TextRef);
	size_t		segment_words = SEGMENT_WORDS((size_t) run->program->ncolumns);
	EngineStatus status = run_alloc(run, size, &texts->device_entries);

	if (status != ENGINE_OK || size == 0)
		return status;
	for (uint32_t i = 0; i < texts->n; i++)
	{
		const ServedText *text = &texts->texts[i];
		DevicePtr	entries = texts->device_entries.ptr + text->entries_place * sizeof(TextRef);

		if (text->coded)
			continue;
		/* what a segment adds to its numbers is in entries */
		for (uint32_t j = text->first; j < text->first + text->nsegments; j++)
		{
			uint64_t   *base = &words[j * segment_words + SEGMENT_BASE(text->number)];

			*base = entries + *base * sizeof(TextRef);
		}
	}
	return run_device(run, run->device_ops->fill(run->device, run->work,
												 texts->device_entries.ptr, 0, size),
					  "could not clear entries");
}

EngineStatus
served_texts_wait(RunCore *run, const Dictionary *dictionary)
{
	if (dictionary->moved == NULL)
		return ENGINE_OK;
	return run_device(run, run->device_ops->stream_wait_event(run->device, run->work,
															  dictionary->moved),
					  "could not order the streams");
}

EngineStatus
served_texts_copy(RunCore *run, const ServedTexts *texts, DeviceKernel *copy, DevicePtr bytes)
{
	EngineStatus status = ENGINE_OK;

	for (uint32_t i = 0; i < texts->n && status == ENGINE_OK; i++)
	{
		const ServedText *text = &texts->texts[i];
		DeviceDictionary dictionary;
		DictionaryCopyArgs args = {
			.nentries = text->entries,.nbytes = text->bytes,
			.start = run->constants.bytes_size + (uint32_t) text->bytes_place
		};

		if (text->coded)
			continue;
		dictionary_tell(text->column->dictionary, &dictionary);
		args.entries = dictionary.entries;
		args.bytes = dictionary.bytes;
		args.to_entries = texts->device_entries.ptr + text->entries_place * sizeof(TextRef);
		args.to_bytes = bytes + args.start;
		status = served_texts_wait(run, text->column->dictionary);
		if (status == ENGINE_OK)
			status = kernels_launch(run, copy, args.nentries + args.nbytes / sizeof(uint64_t),
									COPY_THREADS, 0, &args);
	}
	return status;
}

void
served_texts_close(RunCore *run, ServedTexts *texts)
{
	for (uint32_t i = 0; i < texts->n; i++)
		kept_unpin_dictionary(&run->context->kept, texts->texts[i].column);
	run_free(run, &texts->device_entries);
	free(texts->texts);
}
