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
	format->program = program;
	format->nextremes = 0;
	format->nlists = 0;
	for (int i = 0; i < program->naccs; i++)
	{
		uint16_t	word = (uint16_t) (layout->words + accs[i].word);

		if (acc_is_text((AccKind) accs[i].kind))
			format->extremes[format->nextremes++] = word;
		if (acc_is_list((AccKind) accs[i].kind))
			format->lists[format->nlists++] = word;
	}
}

/* Are there bytes behind records? */
static inline bool
has_bytes(const RecordFormat *format)
{
	return format->layout->ntexts > 0 || format->nextremes > 0 || format->nlists > 0;
}

bool
group_parts_create(GroupParts *parts, const RecordFormat *format)
{
	*parts = (GroupParts)
	{
		.format = format
	};
	if (format->nlists == 0)
		return true;
	parts->words = malloc(format->stride * sizeof(uint64_t));
	parts->walks = malloc(format->nlists * sizeof(ListWalk));
	return parts->words != NULL && parts->walks != NULL;
}

void
group_parts_free(GroupParts *parts)
{
	free(parts->words);
	free(parts->walks);
}

void
group_parts_begin(GroupParts *parts, const uint64_t *group)
{
	const RecordFormat *format = parts->format;

	parts->group = group;
	parts->begun = false;
	for (int i = 0; i < format->nlists; i++)
		list_walk(&parts->walks[i], &group[format->lists[i]]);
}

/* Give the part the next piece of each list; are there any? */
static bool
take_pieces(GroupParts *parts)
{
	const RecordFormat *format = parts->format;
	bool		any = false;

	for (int i = 0; i < format->nlists; i++)
	{
		ListPiece	piece = list_next(&parts->walks[i]);

		list_pack(&parts->words[format->lists[i]], piece);
		any |= piece.n > 0;
	}
	return any;
}

const uint64_t *
group_parts_next(GroupParts *parts)
{
	const RecordFormat *format = parts->format;
	bool		first = !parts->begun;

	parts->begun = true;
	if (format->nlists == 0)
		return first ? parts->group : NULL;
	if (first)
		memcpy(parts->words, parts->group, format->stride * sizeof(uint64_t));
	else
		state_init(format->program, parts->words + format->layout->words);
	return take_pieces(parts) || first ? parts->words : NULL;
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

/* Bytes of a list's values behind a record. */
static inline size_t
list_size(const uint64_t *words)
{
	return words[0] == 0 ? 0 : words[1] * sizeof(uint64_t);
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
	for (int i = 0; i < format->nlists; i++)
		size += list_size(&group[format->lists[i]]);
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
	for (int i = 0; i < format->nlists; i++)
	{
		const uint64_t *words = &group[format->lists[i]];

		if (words[0] == 0)
			continue;
		to = (char *) list_gather(words, (uint64_t *) to);
		record[format->lists[i]] = LIST_PACKED;
	}
	return to;
}

/* Let a copied record have the addresses of its texts and lists; returns where they end. */
static const char *
find_bytes(const RecordFormat *format, uint64_t *record, const char *bytes)
{
	const KeyLayout *layout = format->layout;

	for (int i = 0; i < layout->ntexts; i++)
	{
		uint64_t   *key = &record[layout->texts[i] - 1];

		if (!is_long(key))
			continue;
		memcpy(&key[1], &bytes, sizeof(bytes));
		bytes += text_size((uint32_t) key[0]);
	}
	for (int i = 0; i < format->nextremes; i++)
	{
		uint64_t   *words = &record[format->extremes[i]];

		if (words[0] == 0)
			continue;
		words[0] = (uint64_t) (uintptr_t) bytes;
		bytes += text_size((uint32_t) words[1]);
	}
	for (int i = 0; i < format->nlists; i++)
	{
		uint64_t   *words = &record[format->lists[i]];

		if (words[0] == 0)
			continue;
		words[0] = (uint64_t) (uintptr_t) bytes | LIST_PACKED;
		bytes += list_size(words);
	}
	return bytes;
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
	if (!has_bytes(format))
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
		at = find_bytes(format, record, at + least);
	}
	return true;
}
