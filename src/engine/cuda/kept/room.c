/*
 * room.c
 *	  Which chunks stay, and where: their heat, the limits, and what gives way to what.
 *
 * A chunk has the heat (heat.h) of its hottest column.  One that is to be kept can push out only
 * such as have less than half of its heat.  So a scan of a large table, once, pushes out nothing
 * that is read daily; of a table that is larger than the cache the first stripes stay, and do
 * not push out each other; and two tables that are read in turn do not, either.
 *
 * A chunk that gives way on the device moves to host memory, where chunks of less than half of its
 * heat give way to it: its bytes are copied, and all else that is known of it stays as it is.
 * Without room there it is evicted.  A chunk for which the device has no room is made in host
 * memory at once.  When a run reads it, it moves up, if it would find room on the device as a new
 * chunk does.  A dictionary, which has to be there, has chunks move down whatever their heat is,
 * since none is lost by that.  What columns take until they are encoded may be beyond the limit for
 * that while, so that they can be kept on the host though all that is on the device is pinned.
 *
 * A move is waited for: the memory that a chunk leaves is used at once.  What the device has been
 * given by other runs goes on.
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

/* What all runs together may have, divided by what may be beyond the limit for a while. */
#define PLAIN_SHARE 8

/* The limit of host memory, divided by the share of it that is made free when it is full. */
#define HOST_ROOM_SHARE 64

/* Bytes that move to the device when a run begins, at most: 5 ms at 50 GB/s. */
#define MOVED_UP_MOST (UINT64_C(256) << 20)

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

/* The least heat of a chunk there that is not pinned; infinite: there is none. */
static double
coldest(const KeptCache *cache, bool on_host)
{
	double		least = INFINITY;

	for (const KeptFile *file = cache->files; file != NULL; file = file->next)
		for (uint32_t i = 0; i < file->nstripes; i++)
		{
			const KeptChunk *chunk = file->stripes[i] ? file->stripes[i]->chunks : NULL;

			for (; chunk != NULL; chunk = chunk->next)
				if (chunk->pins == 0 && chunk->on_host == on_host)
					least = fmin(least, chunk_heat(chunk));
		}
	return least;
}

/* A stripe's chunk there of that heat at most that is not pinned, or NULL. */
static KeptChunk *
cold_chunk(const KeptFile *file, uint32_t number, double heat, bool on_host)
{
	KeptChunk  *chunk = file->stripes[number] ? file->stripes[number]->chunks : NULL;

	while (chunk != NULL && (chunk->pins > 0 || chunk->on_host != on_host || chunk_heat(chunk) > heat))
		chunk = chunk->next;
	return chunk;
}

static void
evict(KeptCache *cache, KeptFile *file, uint32_t number, KeptChunk *chunk)
{
	cache->evicted += chunk->blocks;
	kept_evict_chunk(cache, file, number, chunk);
}

/*
 * Evict chunks in host memory that have less than that heat, the coldest ones: one in any case, for
 * the bytes that are free may be in pieces, and more until so many bytes at most are used.  All
 * chunks are looked at for that.  False: there is none.
 */
static bool
evict_on_host(KeptCache *cache, double below, uint64_t bytes)
{
	double		heat = coldest(cache, true);
	uint64_t	used = cache->host.used;

	if (!(heat < below))
		return false;
	for (KeptFile *file = cache->files; file != NULL; file = file->next)
		for (uint32_t i = file->nstripes; i > 0; i--)
		{
			KeptChunk  *chunk;

			while ((cache->host.used > bytes || cache->host.used == used) &&
				   (chunk = cold_chunk(file, i - 1, heat, true)) != NULL)
				evict(cache, file, i - 1, chunk);
		}
	return true;
}

/* Host memory for a chunk of that heat, once heats are those of now; NULL: no room. */
static void *
take_host_memory(KeptCache *cache, uint64_t size, double heat)
{
	uint64_t	limit = cache->host.limit;
	void	   *memory = NULL;

	if (size > limit)
		return NULL;
	while ((memory = host_memory_take(cache->device, &cache->host, size)) == NULL)
		if (!evict_on_host(cache, heat * HEAT_GIVES_WAY, limit - limit / HOST_ROOM_SHARE))
			break;
	return memory;
}

/* Move a chunk to host memory; false: that has no room, or the copy failed. */
static bool
move_down(KeptCache *cache, KeptChunk *chunk)
{
	void	   *memory = take_host_memory(cache, chunk->used, chunk_heat(chunk));

	if (memory == NULL)
		return false;
	if (!host_memory_download(cache->device, &cache->host, memory, chunk->memory, chunk->used))
	{
		host_memory_give(cache->device, &cache->host, memory, chunk->used);
		return false;
	}
	kept_chunk_move(cache, chunk, (DevicePtr) (uintptr_t) memory, chunk->used, true);
	return true;
}

/*
 * Have a stripe's chunks of that heat give way on the device, until there are so many bytes at
 * most.  False: one would have to be evicted, which must not be.
 */
static bool
shrink_stripe(KeptCache *cache, KeptFile *file, uint32_t number, double heat, uint64_t bytes,
			  bool may_evict)
{
	KeptChunk  *chunk;

	while (cache->bytes > bytes && (chunk = cold_chunk(file, number, heat, false)) != NULL)
	{
		if (move_down(cache, chunk))
			continue;
		if (!may_evict)
			return false;
		evict(cache, file, number, chunk);
	}
	return true;
}

/*
 * Have chunks give way on the device that are not pinned and have less than that heat, the
 * coldest first, until there are so many bytes at most.  Each round takes those of the least heat.
 */
static bool
give_way(KeptCache *cache, uint64_t bytes, double below, int64_t now, bool may_evict)
{
	if (cache->bytes > bytes)
		cool(cache, now);
	while (cache->bytes > bytes)
	{
		double		heat = coldest(cache, false);

		if (!(heat < below))
			return false;
		for (KeptFile *file = cache->files; file != NULL; file = file->next)
			for (uint32_t i = file->nstripes; i > 0 && cache->bytes > bytes; i--)
				if (!shrink_stripe(cache, file, i - 1, heat, bytes, may_evict))
					return false;
	}
	return true;
}

static bool
shrink(KeptCache *cache, uint64_t bytes, double below, int64_t now)
{
	return give_way(cache, bytes, below, now, true);
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

void
kept_set_host_limit(KeptCache *cache, uint64_t limit, int64_t now)
{
	cache->host.limit = limit;
	cache->host.refused = false;
	cool(cache, now);
	while (cache->host.held > limit && evict_on_host(cache, INFINITY, limit))
		continue;
}

/* Memory of the device; the size is what memory of it really takes. */
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

/* As kept_memory, but chunks move down only of less than half that heat. */
static bool
take_counted(KeptCache *cache, uint64_t *size, double heat, int64_t now, DevicePtr *ptr)
{
	*size = device_memory_size(cache->memory, *size);
	if (!take_memory(cache, *size, heat, now, ptr))
		return false;
	cache->bytes += *size;
	return true;
}

bool
kept_memory(KeptCache *cache, uint64_t *size, double heat, int64_t now, DevicePtr *ptr)
{
	uint64_t	limit = kept_limit(cache);

	if (take_counted(cache, size, heat, now, ptr))
		return true;
	return cache->host.limit > 0 && *size <= limit &&
		give_way(cache, limit - *size, INFINITY, now, false) &&
		take_counted(cache, size, heat, now, ptr);
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

/* A chunk without memory yet; NULL: there is none of the process's for it. */
static KeptChunk *
make_chunk(uint64_t used, int ncolumns)
{
	KeptChunk  *chunk = calloc(1, sizeof(*chunk) + ncolumns * sizeof(chunk->columns[0]));

	if (chunk == NULL)
		return NULL;
	chunk->size = chunk->used = used;
	chunk->ncolumns = ncolumns;
	return chunk;
}

/* Memory beyond the limit, of a size that is what it really takes. */
static bool
take_beyond(KeptCache *cache, uint64_t size, DevicePtr *ptr)
{
	if (cache->host.limit == 0 ||
		cache->bytes + size > kept_limit(cache) + cache->memory->budget / PLAIN_SHARE ||
		device_memory_take(cache->device, cache->memory, size, ptr) != DEVICE_OK)
		return false;
	cache->bytes += size;
	return true;
}

KeptChunk *
kept_plain_chunk(KeptCache *cache, uint64_t size, double heat, int64_t now)
{
	KeptChunk  *chunk = make_chunk(size, 0);

	if (chunk == NULL || take_counted(cache, &chunk->size, heat, now, &chunk->memory) ||
		take_beyond(cache, chunk->size, &chunk->memory))
		return chunk;
	free(chunk);
	return NULL;
}

KeptChunk *
kept_chunk(KeptCache *cache, uint64_t size, int ncolumns, double heat, int64_t now)
{
	KeptChunk  *chunk = make_chunk(size, ncolumns);

	if (chunk == NULL || take_counted(cache, &chunk->size, heat, now, &chunk->memory))
		return chunk;
	cool(cache, now);
	chunk->size = size;
	chunk->memory = (DevicePtr) (uintptr_t) take_host_memory(cache, size, heat);
	chunk->on_host = true;
	if (chunk->memory != 0)
		return chunk;
	free(chunk);
	return NULL;
}

/* Move a chunk to the device's memory; false: that has no room. */
static bool
move_up(KeptCache *cache, KeptChunk *chunk, int64_t now)
{
	uint64_t	size = chunk->used;
	DevicePtr	memory;
	bool		taken;

	/* what gives way on the device must not push it out */
	kept_pin(chunk);
	taken = take_counted(cache, &size, chunk_heat(chunk), now, &memory);
	kept_unpin(cache, chunk);
	if (!taken)
		return false;
	if (!host_memory_upload(cache->device, &cache->host, memory,
							(const void *) (uintptr_t) chunk->memory, chunk->used))
	{
		kept_memory_free(cache, memory, size);
		return false;
	}
	kept_chunk_move(cache, chunk, memory, size, false);
	return true;
}

void
kept_move_up(KeptCache *cache, KeptFile *file, KeptColumn *const *columns, int ncolumns,
			 int64_t now)
{
	uint64_t	moved = 0;
	const KeptPlace *place;

	if (cache->host.used == 0)
		return;
	cool(cache, now);
	for (uint32_t i = 0; i < file->nstripes; i++)
		for (int j = 0; j < ncolumns && file->stripes[i] != NULL; j++)
		{
			KeptChunk  *chunk = kept_find(file->stripes[i], columns[j], &place);

			if (chunk == NULL || !chunk->on_host || chunk->pins > 0)
				continue;
			moved += chunk->used;
			if (moved > MOVED_UP_MOST || !move_up(cache, chunk, now))
				return;
		}
}
