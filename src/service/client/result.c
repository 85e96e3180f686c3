/*
 * result.c
 *	  A run's groups in the session: parts in memory, and beyond a limit in a store.
 *
 * A part is a file that the device process has written (groups_file.c).  Of a run that
 * streams, parts are few and go when they have been read.  Else the session
 * keeps files mapped up to its limit.  Of a part that is beyond it, the bytes go into
 * the store as one piece of partition 0, to be read again, one after the other, behind
 * the parts in memory.  If the store fails for a run that has streamed, it streams again.
 *
 * A result owns its readers; a piece is the store's.
 */
#include "service/client/result.h"

#include <stdio.h>
#include <stdlib.h>

#include "service/wire/groups_file.h"

struct Result
{
	const Program *program;
	EngineHints hints;
	GroupsReader **parts;		/* in memory */
	uint32_t	nparts;
	uint32_t	room;
	uint64_t	nstored;
	bool		streamed;		/* until it was told to hold all parts */
	bool		full;			/* the store takes no more */
	uint64_t	held;			/* bytes, by parts */
	uint64_t	memory;			/* the most held at once */
	uint32_t	next;			/* part that groups come from; nparts: the store */
	bool		begun;			/* to read the store */
	GroupsReader *piece;		/* of the store, or NULL */
};

static EngineStatus
no_memory(char *message)
{
	snprintf(message, 256, "out of memory");
	return ENGINE_NO_MEMORY;
}

static EngineStatus
store_failed(const Result *result, char *message)
{
	snprintf(message, 256, "%s", result->hints.store->message);
	return ENGINE_NO_STORE;
}

Result *
result_create(const Program *program, const EngineHints *hints)
{
	Result	   *result = calloc(1, sizeof(*result));

	if (result == NULL)
		return NULL;
	result->program = program;
	result->hints = *hints;
	return result;
}

void
result_free(Result *result)
{
	if (result == NULL)
		return;
	for (uint32_t i = 0; i < result->nparts; i++)
		groups_reader_close(result->parts[i]);
	groups_reader_close(result->piece);
	free(result->parts);
	free(result);
}

/* So much is held beside the parts. */
static void
note_memory(Result *result, uint64_t beside)
{
	if (result->held + beside > result->memory)
		result->memory = result->held + beside;
}

/* Keep a part in memory. */
static EngineStatus
keep_part(Result *result, GroupsReader *reader, char *message)
{
	if (result->nparts == result->room)
	{
		uint32_t	room = result->room * 2 + 4;
		GroupsReader **parts = realloc(result->parts, room * sizeof(*parts));

		if (parts == NULL)
			return no_memory(message);
		result->parts = parts;
		result->room = room;
	}
	result->parts[result->nparts++] = reader;
	result->held += groups_reader_memory(reader);
	return ENGINE_OK;
}

/* Is the part, behind those in memory, to go into the store? */
static bool
is_stored(const Result *result, const GroupsReader *reader)
{
	const EngineHints *hints = &result->hints;

	return !hints->streams && hints->store != NULL && hints->host_limit > 0 &&
		(result->nstored > 0 ||
		 result->held + groups_reader_memory(reader) > hints->host_limit);
}

EngineStatus
result_add(Result *result, int file, uint64_t size, char *message)
{
	GroupStore *store = result->hints.store;
	GroupsReader *reader = groups_reader_open(result->program, file, size, &result->hints,
											  message, 256);
	EngineStatus status = ENGINE_OK;

	if (reader == NULL)
		return ENGINE_FAILED;
	note_memory(result, groups_reader_memory(reader));
	if (!is_stored(result, reader))
		status = keep_part(result, reader, message);
	else if (store->write(store, 0, groups_reader_bytes(reader), size))
	{
		result->nstored++;
		groups_reader_close(reader);
	}
	else if (result->streamed)
	{
		result->full = result->hints.streams = true;
		status = keep_part(result, reader, message);
	}
	else
		status = store_failed(result, message);
	if (status != ENGINE_OK)
		groups_reader_close(reader);
	return status;
}

static void
free_part(Result *result, uint32_t part)
{
	result->held -= groups_reader_memory(result->parts[part]);
	groups_reader_close(result->parts[part]);
	result->parts[part] = NULL;
}

bool
result_hold(Result *result)
{
	if (result->full)
		return false;
	result->streamed |= result->hints.streams;
	result->hints.streams = false;
	return true;
}

bool
result_streams(const Result *result)
{
	return result->hints.streams;
}

uint32_t
result_unread(const Result *result)
{
	return result->nparts - result->next;
}

/* The next piece of the store; none after the last. */
static EngineStatus
next_piece(Result *result, char *message)
{
	GroupStore *store = result->hints.store;
	const void *bytes = NULL;
	size_t		size = 0;

	groups_reader_close(result->piece);
	result->piece = NULL;
	if (!result->begun && !store->rewind(store, 0))
		return store_failed(result, message);
	result->begun = true;
	if (!store->read(store, 0, &bytes, &size))
		return store_failed(result, message);
	if (size == 0)
		return ENGINE_OK;
	result->piece = groups_reader_of(result->program, bytes, size, &result->hints, message, 256);
	if (result->piece == NULL)
		return ENGINE_FAILED;
	note_memory(result, groups_reader_memory(result->piece));
	return ENGINE_OK;
}

EngineStatus
result_next(Result *result, GroupBatch *batch, char *message)
{
	EngineStatus status = ENGINE_OK;

	batch->ngroups = 0;
	for (; result->next < result->nparts; result->next++)
	{
		groups_reader_next(result->parts[result->next], batch);
		if (batch->ngroups > 0)
			return ENGINE_OK;
		if (result->hints.streams)
			free_part(result, result->next);
	}
	if (result->nstored == 0)
		return ENGINE_OK;
	if (result->piece == NULL)
		status = next_piece(result, message);
	while (status == ENGINE_OK && result->piece != NULL)
	{
		groups_reader_next(result->piece, batch);
		if (batch->ngroups > 0)
			return ENGINE_OK;
		status = next_piece(result, message);
	}
	return status;
}

void
result_rewind(Result *result)
{
	for (uint32_t i = 0; i < result->nparts; i++)
		groups_reader_rewind(result->parts[i]);
	groups_reader_close(result->piece);
	result->piece = NULL;
	result->begun = false;
	result->next = 0;
}

uint64_t
result_memory(const Result *result)
{
	return result->memory;
}

uint64_t
result_batches(const Result *result)
{
	return result->nstored + 1;
}
