/*
 * room.c
 *	  Which chunks stay: their heat, the limit, and what gives way to what.
 *
 * A chunk has the heat (heat.h) of its hottest column.  One that is to be kept can push out only
 * such as have less than half of its heat.  So a scan of a large table, once, pushes out nothing
 * that is read daily; of a table that is larger than the cache the first stripes stay, and do
 * not push out each other; and two tables that are read in turn do not, either.
 *
 * Tables of look-ups have a share of the limit (device_lookups.c).  Within it all chunks give way to
 * them, since most of the limit is the chunks' all the same.
 *
 * Runs that need memory for themselves get it from tables of look-ups first, since sessions have
 * their bytes and send them again; then from the coldest chunks, whatever their heat is.  Of
 * equally cold ones a table's last stripes go first.
 */
#include <stdlib.h>

#include "engine/cuda/kept/device_lookups.h"
#include "engine/cuda/kept/room.h"
#include "engine/heat.h"

/* What all runs together may have, divided by the share of it that may be kept. */
#define LIMIT_SHARE 4

/* What may be kept, divided by the share of it that look-ups have. */
#define LOOKUPS_SHARE 8

double
kept_heat_now(const KeptColumn *column, int64_t now)
{
	return heat_left(column->heat, column->heat_at, now);
}

void
kept_heat(KeptColumn *column, double heat, int64_t now)
{
	column->heat = fmin(kept_heat_now(column, now) + heat, HEAT_MOST);
	column->heat_at = now;
}

uint64_t
kept_limit(const KeptCache *cache)
{
	if (cache->limit == KEPT_SHARE)
		return cache->memory != NULL ? cache->memory->budget / LIMIT_SHARE : 0;
	return cache->limit;
}

/* Have all columns' heat be that of now. */
static void
cool(KeptCache *cache, int64_t now)
{
	for (KeptFile *file = cache->files; file != NULL; file = file->next)
		for (KeptColumn *column = file->columns; column != NULL; column = column->next)
			kept_heat(column, 0, now);
}

/* Once they are. */
static double
chunk_heat(const KeptChunk *chunk)
{
	double		heat = 0;

	for (int i = 0; i < chunk->ncolumns; i++)
		heat = fmax(heat, chunk->columns[i].column->heat);
	return heat;
}

/* The least heat of a chunk that is not pinned; infinite: there is none. */
static double
coldest(const KeptCache *cache)
{
	double		least = INFINITY;

	for (const KeptFile *file = cache->files; file != NULL; file = file->next)
		for (uint32_t i = 0; i < file->nstripes; i++)
		{
			const KeptChunk *chunk = file->stripes[i] ? file->stripes[i]->chunks : NULL;

			for (; chunk != NULL; chunk = chunk->next)
				if (chunk->pins == 0)
					least = fmin(least, chunk_heat(chunk));
		}
	return least;
}

/* Evict a stripe's chunks of that heat, until there are so many bytes at most. */
static void
evict_of_stripe(KeptCache *cache, KeptFile *file, uint32_t number, double heat,
				uint64_t bytes)
{
	KeptChunk  *chunk = file->stripes[number] ? file->stripes[number]->chunks : NULL;

	while (chunk != NULL && cache->bytes > bytes)
	{
		KeptChunk  *next = chunk->next;

		if (chunk->pins == 0 && chunk_heat(chunk) <= heat)
		{
			cache->evicted += chunk->blocks;
			kept_evict_chunk(cache, file, number, chunk);
		}
		chunk = next;
	}
}

/*
 * Evict chunks that are not pinned and have less than that heat, the coldest first, until
 * there are so many bytes at most.  Each round takes those of the least heat.
 */
static bool
shrink(KeptCache *cache, uint64_t bytes, double below, int64_t now)
{
	if (cache->bytes > bytes)
		cool(cache, now);
	while (cache->bytes > bytes)
	{
		double		heat = coldest(cache);

		if (!(heat < below))
			return false;
		for (KeptFile *file = cache->files; file != NULL; file = file->next)
			for (uint32_t i = file->nstripes; i > 0 && cache->bytes > bytes; i--)
				evict_of_stripe(cache, file, i - 1, heat, bytes);
	}
	return true;
}

bool
kept_give_back(KeptCache *cache, uint64_t bytes, int64_t now)
{
	uint64_t	before = cache->bytes;

	device_lookups_evict(cache, bytes < cache->lookup_bytes ? cache->lookup_bytes - bytes : 0);
	(void) shrink(cache, bytes < before ? before - bytes : 0, INFINITY, now);
	return cache->bytes < before;
}

void
kept_set_limit(KeptCache *cache, uint64_t limit, int64_t now)
{
	cache->limit = limit;
	device_lookups_evict(cache, kept_limit(cache) / LOOKUPS_SHARE);
	(void) shrink(cache, kept_limit(cache), INFINITY, now);
}

/* As kept_memory; the size is what memory of it really takes. */
static bool
take_memory(KeptCache *cache, uint64_t size, double heat, int64_t now, DevicePtr *ptr)
{
	uint64_t	limit = kept_limit(cache);
	double		below = heat * HEAT_GIVES_WAY;
	DeviceStatus status;

	if (size > limit || !shrink(cache, limit - size, below, now))
		return false;
	status = device_memory_take(cache->device, cache->memory, size, ptr);
	if (status != DEVICE_NO_MEMORY)
		return status == DEVICE_OK;
	/* the limit is not what keeps it out: what runs have */
	return shrink(cache, cache->bytes > size ? cache->bytes - size : 0, below, now) &&
		device_memory_take(cache->device, cache->memory, size, ptr) == DEVICE_OK;
}

bool
kept_memory(KeptCache *cache, uint64_t *size, double heat, int64_t now, DevicePtr *ptr)
{
	*size = device_memory_size(cache->memory, *size);
	if (!take_memory(cache, *size, heat, now, ptr))
		return false;
	cache->bytes += *size;
	return true;
}

bool
kept_lookup_memory(KeptCache *cache, uint64_t *size, int64_t now, DevicePtr *ptr)
{
	uint64_t	share = kept_limit(cache) / LOOKUPS_SHARE;

	if (*size > share)
		return false;
	device_lookups_evict(cache, share - *size);
	return cache->lookup_bytes <= share - *size && kept_memory(cache, size, HEAT_ANY, now, ptr);
}

KeptChunk *
kept_chunk(KeptCache *cache, uint64_t size, int ncolumns, double heat, int64_t now)
{
	KeptChunk  *chunk = calloc(1, sizeof(*chunk) + ncolumns * sizeof(chunk->columns[0]));

	if (chunk == NULL)
		return NULL;
	if (!kept_memory(cache, &size, heat, now, &chunk->memory))
	{
		free(chunk);
		return NULL;
	}
	chunk->size = size;
	chunk->ncolumns = ncolumns;
	return chunk;
}
