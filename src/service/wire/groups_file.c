/*
 * groups_file.c
 *	  A run's groups in a memory file: written by the device process, read by the
 *	  session.
 *
 * The file: a head; the arrays of each batch, each at a multiple of 8 bytes; the
 * directory, an entry a batch, which says where they are.  A state's words that are a
 * text's address (state.h) are its place in the file there, 0 where it has none.
 *
 * The reader trusts nothing in the file, but that it does not change: it is sealed.
 * Places, sizes and the order of texts' offsets are checked when it is opened, since
 * nothing may fail once the first group has been given.  States with places of texts
 * are copied, and the places become addresses in the mapped file.
 *
 * Writer and reader own their memory, the file and the mapping.  A reader of bytes does
 * not own these.  Plain C99 without
 * postgres.h.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "service/wire/groups_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "service/wire/channel.h"

/* Bytes that are gathered before they are written. */
#define WRITE_BUFFER (UINT64_C(256) << 10)

typedef struct FileHead
{
	uint64_t	nbatches;
	uint64_t	directory;		/* place */
} FileHead;

/* A batch's arrays.  Behind it: a KeyParts for each key of the Program. */
typedef struct BatchEntry
{
	uint64_t	ngroups;
	uint64_t	states;			/* place */
	uint64_t	units;			/* place; 0: there are none */
} BatchEntry;

typedef struct KeyParts
{
	uint64_t	values;			/* place, and bytes */
	uint64_t	values_size;
	uint64_t	offsets;		/* place; 0 unless it is a TEXT */
	uint64_t	validity;		/* place; 0: no NULLs */
} KeyParts;

static size_t
entry_size(const Program *program)
{
	return sizeof(BatchEntry) + program->nkeys * sizeof(KeyParts);
}

/* Bytes of a key's values, but a TEXT's, which its offsets say. */
static uint64_t
fixed_size(ValueType type, uint64_t ngroups)
{
	return ngroups * (uint64_t) value_type_size(type);
}

struct GroupsWriter
{
	const Program *program;
	int			file;
	uint64_t	size;			/* of the file, with what is gathered */
	size_t		gathered;
	char	   *buffer;
	char	   *directory;
	uint64_t	nbatches;
	uint64_t	room;			/* batches in the directory */
	uint64_t   *states;			/* of a batch, with places for addresses */
	uint64_t	states_room;	/* words */
};

GroupsWriter *
groups_writer_create(const Program *program)
{
	GroupsWriter *writer = calloc(1, sizeof(*writer));

	if (writer == NULL)
		return NULL;
	writer->program = program;
	writer->size = sizeof(FileHead);
	writer->buffer = malloc(WRITE_BUFFER);
	writer->file = file_create("gpuagg groups");
	if (writer->buffer != NULL && writer->file >= 0)
		return writer;
	groups_writer_free(writer);
	return NULL;
}

void
groups_writer_free(GroupsWriter *writer)
{
	if (writer == NULL)
		return;
	if (writer->file >= 0)
		close(writer->file);
	free(writer->buffer);
	free(writer->directory);
	free(writer->states);
	free(writer);
}

static bool
flush(GroupsWriter *writer)
{
	uint64_t	place = writer->size - writer->gathered;
	size_t		size = writer->gathered;

	writer->gathered = 0;
	return size == 0 || file_write(writer->file, place, writer->buffer, size);
}

/* Append bytes. */
static bool
append(GroupsWriter *writer, const void *data, uint64_t size)
{
	if (size > WRITE_BUFFER - writer->gathered && !flush(writer))
		return false;
	if (size > WRITE_BUFFER)
	{
		if (!file_write(writer->file, writer->size, data, size))
			return false;
	}
	else if (size > 0)
	{
		memcpy(writer->buffer + writer->gathered, data, size);
		writer->gathered += size;
	}
	writer->size += size;
	return true;
}

/* Append an array at the next multiple of 8. */
static bool
append_array(GroupsWriter *writer, const void *data, uint64_t size, uint64_t *place)
{
	static const char zeros[8] = {0};

	if (!append(writer, zeros, (8 - writer->size % 8) % 8))
		return false;
	*place = writer->size;
	return append(writer, data, size);
}

static bool
has_text_states(const Program *p)
{
	for (int i = 0; i < p->naccs; i++)
		if (acc_is_text((AccKind) program_accs(p)[i].kind))
			return true;
	return false;
}

/* Append the texts of an accumulator's states; their addresses become places. */
static bool
append_texts(GroupsWriter *writer, uint32_t ngroups, uint32_t word)
{
	uint64_t   *words = writer->states + word;

	for (uint32_t i = 0; i < ngroups; i++, words += writer->program->nwords)
	{
		const char *text = (const char *) (uintptr_t) words[0];

		if (text == NULL)
			continue;
		words[1] = (uint32_t) words[1];
		words[0] = writer->size;
		if (!append(writer, text, words[1]))
			return false;
	}
	return true;
}

/* A copy of them, which have addresses. */
static bool
append_text_states(GroupsWriter *writer, const GroupBatch *batch, uint64_t *place)
{
	const Program *p = writer->program;
	uint64_t	n = (uint64_t) batch->ngroups * p->nwords;

	if (n > writer->states_room)
	{
		uint64_t   *states = realloc(writer->states, n * sizeof(uint64_t));

		if (states == NULL)
			return false;
		writer->states = states;
		writer->states_room = n;
	}
	if (n > 0)
		memcpy(writer->states, batch->states, n * sizeof(uint64_t));
	for (int i = 0; i < p->naccs; i++)
		if (acc_is_text((AccKind) program_accs(p)[i].kind) &&
			!append_texts(writer, batch->ngroups, program_accs(p)[i].word))
			return false;
	return append_array(writer, writer->states, n * sizeof(uint64_t), place);
}

static bool
append_states(GroupsWriter *writer, const GroupBatch *batch, uint64_t *place)
{
	const Program *p = writer->program;

	if (has_text_states(p))
		return append_text_states(writer, batch, place);
	return append_array(writer, batch->states,
						(uint64_t) batch->ngroups * p->nwords * sizeof(uint64_t), place);
}

static bool
append_key(GroupsWriter *writer, ValueType type, const ColumnVector *key, uint64_t ngroups,
		   KeyParts *parts)
{
	memset(parts, 0, sizeof(*parts));
	parts->values_size = type == VT_TEXT ? key->offsets[ngroups] : fixed_size(type, ngroups);
	if (type == VT_TEXT &&
		!append_array(writer, key->offsets, (ngroups + 1) * sizeof(uint32_t), &parts->offsets))
		return false;
	if (key->validity != NULL &&
		!append_array(writer, key->validity, (ngroups + 7) / 8, &parts->validity))
		return false;
	return append_array(writer, key->values, parts->values_size, &parts->values);
}

/* The next entry of the directory, or NULL. */
static BatchEntry *
next_entry(GroupsWriter *writer)
{
	size_t		size = entry_size(writer->program);

	if (writer->nbatches == writer->room)
	{
		uint64_t	room = writer->room * 2 + 16;
		char	   *directory = realloc(writer->directory, room * size);

		if (directory == NULL)
			return NULL;
		writer->directory = directory;
		writer->room = room;
	}
	return (BatchEntry *) (writer->directory + writer->nbatches++ * size);
}

uint64_t
groups_writer_size(const GroupsWriter *writer)
{
	return writer->size;
}

bool
groups_writer_add(GroupsWriter *writer, const GroupBatch *batch)
{
	const Program *p = writer->program;
	BatchEntry *entry = next_entry(writer);
	KeyParts   *parts;

	if (entry == NULL)
		return false;
	parts = (KeyParts *) (entry + 1);
	entry->ngroups = batch->ngroups;
	entry->units = 0;
	for (int i = 0; i < p->nkeys; i++)
		if (!append_key(writer, program_key_type(p, i), &batch->keys[i], batch->ngroups,
						&parts[i]))
			return false;
	if (batch->units != NULL && p->naccs > 0 &&
		!append_array(writer, batch->units, p->naccs * sizeof(int32_t), &entry->units))
		return false;
	return append_states(writer, batch, &entry->states);
}

int
groups_writer_end(GroupsWriter *writer, uint64_t *size)
{
	FileHead	head = {.nbatches = writer->nbatches};

	if (!append_array(writer, writer->directory,
					  writer->nbatches * entry_size(writer->program), &head.directory) ||
		!flush(writer) || !file_write(writer->file, 0, &head, sizeof(head)) ||
		!file_seal(writer->file))
		return -1;
	*size = writer->size;
	return writer->file;
}

struct GroupsReader
{
	const Program *program;
	const char *map;			/* the file's bytes */
	bool		mapped;			/* by the reader */
	uint64_t	size;
	uint64_t	nbatches;
	const char *directory;
	uint64_t	next;			/* batch to be given */
	uint64_t	given;			/* groups of those before */
	uint64_t   *states;			/* of all batches, if some words are addresses */
	uint64_t	states_size;	/* bytes */
	ColumnVector *keys;			/* of the batch that was given last */
};

/* Do so many items of that size lie in the file, at a multiple of 8? */
static bool
is_inside(const GroupsReader *reader, uint64_t place, uint64_t count, uint64_t size)
{
	return place % 8 == 0 && place >= sizeof(FileHead) && place <= reader->size &&
		(count == 0 || size <= (reader->size - place) / count);
}

static const void *
at(const GroupsReader *reader, uint64_t place)
{
	return reader->map + place;
}

static const BatchEntry *
entry_of(const GroupsReader *reader, uint64_t batch)
{
	return (const BatchEntry *) (reader->directory + batch * entry_size(reader->program));
}

static bool
offsets_are_good(const GroupsReader *reader, const KeyParts *parts, uint64_t ngroups)
{
	const uint32_t *offsets = at(reader, parts->offsets);

	for (uint64_t i = 0; i < ngroups; i++)
		if (offsets[i] > offsets[i + 1])
			return false;
	return offsets[ngroups] <= parts->values_size;
}

static bool
key_is_good(const GroupsReader *reader, ValueType type, const KeyParts *parts, uint64_t ngroups)
{
	if (!is_inside(reader, parts->values, parts->values_size, 1))
		return false;
	if (parts->validity != 0 && !is_inside(reader, parts->validity, (ngroups + 7) / 8, 1))
		return false;
	if (type != VT_TEXT)
		return parts->offsets == 0 && parts->values_size == fixed_size(type, ngroups);
	return is_inside(reader, parts->offsets, ngroups + 1, sizeof(uint32_t)) &&
		offsets_are_good(reader, parts, ngroups);
}

static bool
batch_is_good(const GroupsReader *reader, const BatchEntry *entry)
{
	const Program *p = reader->program;
	const KeyParts *parts = (const KeyParts *) (entry + 1);

	if (entry->ngroups == 0 || entry->ngroups >= UINT32_MAX ||
		!is_inside(reader, entry->states, entry->ngroups, p->nwords * sizeof(uint64_t)) ||
		(entry->units != 0 && !is_inside(reader, entry->units, p->naccs, sizeof(int32_t))) ||
		(entry->units == 0 && program_sums_floats(p)))
		return false;
	for (int i = 0; i < p->nkeys; i++)
		if (!key_is_good(reader, program_key_type(p, i), &parts[i], entry->ngroups))
			return false;
	return true;
}

/* An accumulator's texts get addresses for their places, if these are good. */
static bool
take_texts(const GroupsReader *reader, uint64_t *words, uint64_t ngroups)
{
	for (uint64_t i = 0; i < ngroups; i++, words += reader->program->nwords)
	{
		if (words[0] == 0)
			continue;
		if (words[1] > UINT32_MAX || words[0] > reader->size ||
			words[1] > reader->size - words[0])
			return false;
		words[0] = (uint64_t) (uintptr_t) (reader->map + words[0]);
	}
	return true;
}

/* Copy a batch's states behind those before, with addresses of texts. */
static bool
copy_states(GroupsReader *reader, const BatchEntry *entry, uint64_t *states)
{
	const Program *p = reader->program;

	memcpy(states, at(reader, entry->states), entry->ngroups * p->nwords * sizeof(uint64_t));
	for (int i = 0; i < p->naccs; i++)
		if (acc_is_text((AccKind) program_accs(p)[i].kind) &&
			!take_texts(reader, states + program_accs(p)[i].word, entry->ngroups))
			return false;
	return true;
}

static bool
map_file(GroupsReader *reader, int file)
{
	void	   *map;

	if (!file_is_sealed(file, reader->size))
		return false;
	/* all of it will be read */
	map = mmap(NULL, reader->size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file, 0);
	reader->mapped = map != MAP_FAILED;
	reader->map = reader->mapped ? map : NULL;
	return reader->mapped;
}

static bool
find_directory(GroupsReader *reader)
{
	FileHead	head;

	if (reader->size < sizeof(head))
		return false;
	memcpy(&head, reader->map, sizeof(head));
	if (!is_inside(reader, head.directory, head.nbatches, entry_size(reader->program)))
		return false;
	reader->nbatches = head.nbatches;
	reader->directory = reader->map + head.directory;
	return true;
}

static const char contradiction[] = "the groups' file contradicts itself";

/* Check all batches, and count their groups.  NULL, or what is wrong. */
static const char *
check_batches(const GroupsReader *reader, const EngineHints *hints, uint64_t *ngroups)
{
	*ngroups = 0;
	for (uint64_t i = 0; i < reader->nbatches; i++)
	{
		const BatchEntry *entry = entry_of(reader, i);

		if (engine_interrupted(hints))
			return INTERRUPTED_MESSAGE;
		if (!batch_is_good(reader, entry))
			return contradiction;
		*ngroups += entry->ngroups;
	}
	return NULL;
}

/* Copy all states, if some are addresses.  NULL, or what is wrong. */
static const char *
take_states(GroupsReader *reader, const EngineHints *hints, uint64_t ngroups)
{
	uint64_t   *states;

	if (!has_text_states(reader->program) || ngroups == 0)
		return NULL;
	/* batches that overlap may have more groups than memory holds */
	if (ngroups > SIZE_MAX / sizeof(uint64_t) / reader->program->nwords)
		return contradiction;
	states = malloc(ngroups * reader->program->nwords * sizeof(uint64_t));
	if (states == NULL)
		return "out of memory";
	reader->states = states;
	reader->states_size = ngroups * reader->program->nwords * sizeof(uint64_t);
	for (uint64_t i = 0; i < reader->nbatches; i++)
	{
		const BatchEntry *entry = entry_of(reader, i);

		if (engine_interrupted(hints))
			return INTERRUPTED_MESSAGE;
		if (!copy_states(reader, entry, states))
			return contradiction;
		states += entry->ngroups * reader->program->nwords;
	}
	return NULL;
}

/* NULL, or what is wrong. */
static const char *
open_bytes(GroupsReader *reader, const EngineHints *hints)
{
	const char *fault;
	uint64_t	ngroups;

	reader->keys = calloc(reader->program->nkeys + 1, sizeof(ColumnVector));
	if (reader->keys == NULL)
		return "out of memory";
	if (!find_directory(reader))
		return contradiction;
	fault = check_batches(reader, hints, &ngroups);
	return fault != NULL ? fault : take_states(reader, hints, ngroups);
}

static GroupsReader *
make_reader(const Program *program, uint64_t size)
{
	GroupsReader *reader = calloc(1, sizeof(*reader));

	if (reader == NULL)
		return NULL;
	reader->program = program;
	reader->size = size;
	return reader;
}

/* The reader, or NULL and why if there is a fault. */
static GroupsReader *
checked_reader(GroupsReader *reader, const char *fault, char *why, size_t len)
{
	if (fault == NULL)
		return reader;
	snprintf(why, len, "%s", fault);
	groups_reader_close(reader);
	return NULL;
}

GroupsReader *
groups_reader_open(const Program *program, int file, uint64_t size, const EngineHints *hints,
				   char *why, size_t len)
{
	GroupsReader *reader = make_reader(program, size);
	const char *fault = "out of memory";

	if (reader != NULL)
		fault = map_file(reader, file) ? open_bytes(reader, hints) :
			"the groups' file cannot be read";
	return checked_reader(reader, fault, why, len);
}

GroupsReader *
groups_reader_of(const Program *program, const void *bytes, uint64_t size,
				 const EngineHints *hints, char *why, size_t len)
{
	GroupsReader *reader = make_reader(program, size);
	const char *fault = "out of memory";

	if (reader != NULL)
	{
		reader->map = bytes;
		fault = open_bytes(reader, hints);
	}
	return checked_reader(reader, fault, why, len);
}

const void *
groups_reader_bytes(const GroupsReader *reader)
{
	return reader->map;
}

uint64_t
groups_reader_memory(const GroupsReader *reader)
{
	return reader->size + reader->states_size;
}

void
groups_reader_next(GroupsReader *reader, GroupBatch *batch)
{
	const BatchEntry *entry;
	const KeyParts *parts;

	memset(batch, 0, sizeof(*batch));
	if (reader->next == reader->nbatches)
		return;
	entry = entry_of(reader, reader->next++);
	parts = (const KeyParts *) (entry + 1);
	for (int i = 0; i < reader->program->nkeys; i++)
	{
		reader->keys[i].values = at(reader, parts[i].values);
		reader->keys[i].offsets = parts[i].offsets ? at(reader, parts[i].offsets) : NULL;
		reader->keys[i].validity = parts[i].validity ? at(reader, parts[i].validity) : NULL;
	}
	batch->ngroups = (uint32_t) entry->ngroups;
	batch->keys = reader->keys;
	batch->states = reader->states == NULL ? at(reader, entry->states) :
		reader->states + reader->given * reader->program->nwords;
	reader->given += entry->ngroups;
	batch->units = entry->units ? at(reader, entry->units) : NULL;
}

void
groups_reader_rewind(GroupsReader *reader)
{
	reader->next = 0;
	reader->given = 0;
}

void
groups_reader_close(GroupsReader *reader)
{
	if (reader == NULL)
		return;
	if (reader->mapped)
		munmap((void *) reader->map, reader->size);
	free(reader->keys);
	free(reader->states);
	free(reader);
}
