/*
 * memory_store.h
 *	  A GroupStore in memory, and an engine that gives each run of the CPU engine one:
 *	  one run that spills, or several that hand over, merge, and let one more give
 *	  the groups.
 *
 * Part of the one program that includes it.
 */
#ifndef MEMORY_STORE_H
#define MEMORY_STORE_H

#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"

#define STORE_MOST_PARTITIONS 8192
#define STORE_MOST_RUNS 4

typedef struct StoredPiece
{
	struct StoredPiece *next;
	size_t		size;
	void	   *bytes;			/* of exactly that size, for the address sanitizer */
} StoredPiece;

typedef struct MemoryStore
{
	GroupStore	head;
	int64_t		units[PROGRAM_MAX_ACCS];
	StoredPiece *first[STORE_MOST_PARTITIONS];
	StoredPiece *last[STORE_MOST_PARTITIONS];
	StoredPiece *at;			/* the next one, as shared_store.c has it: one for all partitions */
	StoredPiece *read;			/* a copy of what was read last */
} MemoryStore;

/* What tests want, and what happened. */
static struct
{
	int			runs;			/* 1: it spills; more: they hand over */
	uint32_t	partitions;
	long		fails_at;		/* this call of a store fails, from 1; 0: none */
	long		calls;
	uint64_t	pieces;			/* written */
	uint64_t	beyond;			/* of these, into partitions beyond the first ones */
	uint64_t	bytes;
	uint64_t	released;		/* partitions */
	bool		loses;			/* the second piece that is written */
	bool		full;			/* nothing can be written beyond the first partitions */
} stores = {.runs = 1,.partitions = 4};

static bool
store_call_fails(void)
{
	return ++stores.calls == stores.fails_at;
}

static void
free_piece(StoredPiece *piece)
{
	if (piece != NULL)
		free(piece->bytes);
	free(piece);
}

static void
free_pieces(MemoryStore *store, uint32_t partition)
{
	while (store->first[partition] != NULL)
	{
		StoredPiece *next = store->first[partition]->next;

		free_piece(store->first[partition]);
		store->first[partition] = next;
	}
}

static StoredPiece *
new_piece(const void *bytes, size_t size)
{
	StoredPiece *piece = calloc(1, sizeof(*piece));

	piece->size = size;
	piece->bytes = memcpy(malloc(size), bytes, size);
	return piece;
}

static bool
memory_store_write(GroupStore *head, uint32_t partition, const void *bytes, size_t size)
{
	MemoryStore *store = (MemoryStore *) head;
	StoredPiece *piece;

	if (store_call_fails() || size == 0 || (stores.full && partition >= head->npartitions) ||
		partition >= (head->grows ? STORE_MOST_PARTITIONS : 2 * head->npartitions))
		return false;
	stores.beyond += partition >= head->npartitions;
	stores.bytes += size;
	if (++stores.pieces == 2 && stores.loses)
		return true;
	piece = new_piece(bytes, size);
	if (store->first[partition] == NULL)
		store->first[partition] = piece;
	else
		store->last[partition]->next = piece;
	store->last[partition] = piece;
	return true;
}

static bool
memory_store_rewind(GroupStore *head, uint32_t partition)
{
	MemoryStore *store = (MemoryStore *) head;

	store->at = store->first[partition];
	return !store_call_fails();
}

static bool
memory_store_read(GroupStore *head, uint32_t partition, const void **bytes, size_t *size)
{
	MemoryStore *store = (MemoryStore *) head;
	StoredPiece *piece = store->at;

	free_piece(store->read);
	store->read = NULL;
	*size = 0;
	if (store_call_fails())
		return false;
	if (piece == NULL)
		return true;
	store->at = piece->next;
	store->read = new_piece(piece->bytes, piece->size);
	*bytes = store->read->bytes;
	*size = piece->size;
	return true;
}

/* What is read all the same is lost. */
static void
memory_store_release(GroupStore *head, uint32_t partition)
{
	MemoryStore *store = (MemoryStore *) head;

	free_pieces(store, partition);
	stores.released++;
}

static MemoryStore *
memory_store(void)
{
	MemoryStore *store = calloc(1, sizeof(*store));

	store->head.npartitions = stores.partitions;
	store->head.grows = stores.runs == 1;
	store->head.message = "the store has failed";
	store->head.units = stores.runs > 1 ? store->units : NULL;
	store->head.write = memory_store_write;
	store->head.rewind = memory_store_rewind;
	store->head.read = memory_store_read;
	store->head.release = memory_store_release;
	stores.calls = 0;
	stores.pieces = 0;
	stores.beyond = 0;
	stores.bytes = 0;
	stores.released = 0;
	return store;
}

static void
memory_store_free(MemoryStore *store)
{
	for (uint32_t i = 0; i < STORE_MOST_PARTITIONS; i++)
		free_pieces(store, i);
	free_piece(store->read);
	free(store);
}

/* An engine's run, of one or several of the CPU engine. */
typedef struct StoringRun
{
	EngineRun	head;
	MemoryStore *store;
	Program    *program;
	const ParamValue *params;
	EngineHints hints;
	EngineRun  *runs[STORE_MOST_RUNS];
	int			turn;			/* the run that gets the next batch */
	EngineRun  *out;			/* the one that gives groups */
} StoringRun;

/* What a run of the CPU engine has answered. */
static EngineStatus
answer(StoringRun *run, EngineRun *from, EngineStatus status)
{
	run->head.stats = from->stats;
	memcpy(run->head.message, from->message, sizeof(from->message));
	return status;
}

static void
storing_close(EngineRun *head)
{
	StoringRun *run = (StoringRun *) head;

	for (int i = 0; i < STORE_MOST_RUNS; i++)
		if (run->runs[i] != NULL)
			cpu_engine.close(run->runs[i]);
	if (run->out != NULL && run->out != run->runs[0])
		cpu_engine.close(run->out);
	memory_store_free(run->store);
	free(run->program);
	free(run);
}

static const EngineOps storing_engine;

static EngineStatus
storing_open(const Program *program, const ParamValue *params, const EngineHints *hints,
			 EngineRun **result, char *message)
{
	StoringRun *run = calloc(1, sizeof(*run));
	EngineStatus status = ENGINE_OK;

	run->head.ops = &storing_engine;
	run->store = memory_store();
	run->program = memcpy(malloc(program->size), program, program->size);
	run->params = params;
	run->hints = *hints;
	run->hints.store = &run->store->head;
	for (int i = 0; i < stores.runs && status == ENGINE_OK; i++)
		status = cpu_engine.open(program, params, &run->hints, &run->runs[i], message);
	*result = &run->head;
	if (status == ENGINE_OK)
		return status;
	storing_close(&run->head);
	*result = NULL;
	return status;
}

static EngineStatus
storing_columns(EngineRun *head, const ColumnBatch *batch)
{
	StoringRun *run = (StoringRun *) head;
	EngineRun  *to = run->runs[run->turn++ % stores.runs];

	return answer(run, to, cpu_engine.columns(to, batch));
}

/* All runs hand over; the partitions are merged by one run after the other. */
static EngineStatus
merge_runs(StoringRun *run)
{
	EngineStatus status = ENGINE_OK;

	for (int i = 0; i < stores.runs && status == ENGINE_OK; i++)
		status = answer(run, run->runs[i], cpu_engine.partial->emit_partial(run->runs[i]));
	for (uint32_t p = 0; p < stores.partitions && status == ENGINE_OK; p++)
	{
		EngineRun  *merger = run->runs[p % stores.runs];

		status = answer(run, merger, cpu_engine.partial->combine(merger, p));
	}
	run->store->head.merged = true;
	if (status == ENGINE_OK)
		status = cpu_engine.open(run->program, run->params, &run->hints, &run->out,
								 run->head.message);
	return status;
}

static EngineStatus
storing_groups(EngineRun *head, GroupBatch *batch)
{
	StoringRun *run = (StoringRun *) head;
	EngineStatus status = ENGINE_OK;

	if (run->out == NULL && stores.runs > 1)
		status = merge_runs(run);
	else if (run->out == NULL)
		run->out = run->runs[0];
	if (status != ENGINE_OK)
		return status;
	return answer(run, run->out, cpu_engine.groups(run->out, batch));
}

static void
storing_rewind(EngineRun *head)
{
	cpu_engine.rewind(((StoringRun *) head)->out);
}

static EngineStatus
storing_list(EngineRun *head, StoredList *list)
{
	StoringRun *run = (StoringRun *) head;

	return answer(run, run->out, cpu_engine.lists->list(run->out, list));
}

static const EngineLists storing_lists = {.list = storing_list};

static const EngineTraits storing_traits = {.id = ENGINE_ID_CPU};

static const EngineOps storing_engine = {
	.traits = &storing_traits,
	.open = storing_open,
	.columns = storing_columns,
	.groups = storing_groups,
	.rewind = storing_rewind,
	.close = storing_close,
	.lists = &storing_lists,
};

#endif							/* MEMORY_STORE_H */
