/*
 * records.c
 *	  Groups as they lie in a piece of a GroupStore.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/cpu/records.h"
#include "program/state.h"

#define SOME_TEXT 1				/* in the place of an address */

void
records_format(RecordFormat *format, const Program *program, const KeyLayout *layout,
			   size_t stride)
{
	const Accumulator *accs = program_accs(program);

	format->layout = layout;
	format->stride = stride;
	format->nextremes = 0;
	for (int i = 0; i < program->naccs; i++)
		if (acc_is_text((AccKind) accs[i].kind))
			format->extremes[format->nextremes++] = (uint16_t) (layout->words + accs[i].word);
}

static inline bool
has_texts(const RecordFormat *format)
{
	return format->layout->ntexts > 0 || format->nextremes > 0;
}

/* A text's bytes behind a record. */
static inline size_t
text_size(size_t len)
{
	return (len + 7) / 8 * 8;
}

/* Is it a key whose bytes are not in its two words? */
static inline bool
is_long(const uint64_t *key)
{
	return (uint32_t) key[0] > TEXT_INLINE;
}

size_t
record_size(const RecordFormat *format, const uint64_t *group)
{
	const KeyLayout *layout = format->layout;
	size_t		size = format->stride * sizeof(uint64_t);

	for (int i = 0; i < layout->ntexts; i++)
		if (is_long(&group[layout->texts[i] - 1]))
			size += text_size((uint32_t) group[layout->texts[i] - 1]);
	for (int i = 0; i < format->nextremes; i++)
		if (group[format->extremes[i]] != 0)
			size += text_size(extreme_text(&group[format->extremes[i]]).len);
	return size;
}

static char *
write_text(Bytes text, char *to)
{
	memcpy(to, text.data, text.len);
	memset(to + text.len, 0, text_size(text.len) - text.len);
	return to + text_size(text.len);
}

char *
record_write(const RecordFormat *format, const uint64_t *group, char *to)
{
	const KeyLayout *layout = format->layout;
	uint64_t   *record = (uint64_t *) to;

	memcpy(to, group, format->stride * sizeof(uint64_t));
	to += format->stride * sizeof(uint64_t);
	for (int i = 0; i < layout->ntexts; i++)
	{
		uint32_t	at = layout->texts[i] - 1;

		if (!is_long(&group[at]))
			continue;
		to = write_text(keys_text(&group[at]), to);
		record[at + 1] = SOME_TEXT;
	}
	for (int i = 0; i < format->nextremes; i++)
	{
		const uint64_t *words = &group[format->extremes[i]];

		if (words[0] == 0)
			continue;
		to = write_text(extreme_text(words), to);
		record[format->extremes[i]] = SOME_TEXT;
		record[format->extremes[i] + 1] = extreme_text(words).len;
	}
	return to;
}

/* Let a copied record have the addresses of its texts; returns where they end. */
static const char *
find_texts(const RecordFormat *format, uint64_t *record, const char *texts)
{
	const KeyLayout *layout = format->layout;

	for (int i = 0; i < layout->ntexts; i++)
	{
		uint64_t   *key = &record[layout->texts[i] - 1];

		if (!is_long(key))
			continue;
		memcpy(&key[1], &texts, sizeof(texts));
		texts += text_size((uint32_t) key[0]);
	}
	for (int i = 0; i < format->nextremes; i++)
	{
		uint64_t   *words = &record[format->extremes[i]];

		if (words[0] == 0)
			continue;
		words[0] = (uint64_t) (uintptr_t) texts;
		texts += text_size((uint32_t) words[1]);
	}
	return texts;
}

bool
records_read(const RecordFormat *format, const void *piece, size_t size,
			 RecordCopies *copies, GroupRecords *groups)
{
	size_t		least = format->stride * sizeof(uint64_t);
	const char *at = piece;
	const char *end = at + size;

	groups->layout = format->layout;
	groups->stride = format->stride;
	groups->records = piece;
	groups->ngroups = (uint32_t) (size / least);
	if (!has_texts(format))
		return true;
	if (copies->room < size)
	{
		free(copies->words);
		copies->words = malloc(size);
		copies->room = copies->words ? size : 0;
		if (copies->words == NULL)
			return false;
	}
	groups->records = copies->words;
	groups->ngroups = 0;
	while (at < end)
	{
		uint64_t   *record = copies->words + groups->ngroups++ * format->stride;

		memcpy(record, at, least);
		at = find_texts(format, record, at + least);
	}
	return true;
}
