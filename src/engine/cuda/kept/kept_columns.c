/*
 * kept_columns.c
 *	  Columns of tables that stay in device memory, or in page-locked host memory: what there is,
 *	  and how it comes and goes.
 *
 * Files are a list, the last one used first: a server has few tables that are worth
 * keeping.  A file's stripes are an array by number.  An entry of a file stays when its
 * chunks have gone, since it remembers how often its columns are read; of such entries
 * that no run uses, the oldest go when there are too many.
 *
 * Memory: entries are malloc'd; the memory of chunks, dictionaries and look-ups is taken from
 * DeviceMemory and counted in `bytes`, or, of chunks, from HostMemory, which counts it itself.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/cuda/kept/kept_columns.h"

#define CACHE_LINE 64			/* bytes */

#define MAX_FILES 1024

/* Take an entry, of which nothing is kept, out of the list. */
static void
forget_file(KeptCache *cache, KeptFile **link)
{
	KeptFile   *file = *link;

	*link = file->next;
	while (file->columns != NULL)
	{
		KeptColumn *column = file->columns;

		file->columns = column->next;
		free(column);
	}
	free(file->stripes);
	free(file);
	cache->nfiles--;
}

bool
kept_keeps_any(const KeptFile *file)
{
	for (uint32_t i = 0; i < file->nstripes; i++)
		if (file->stripes[i] != NULL)
			return true;
	return false;
}

/* The oldest one that nobody needs. */
static void
forget_oldest_file(KeptCache *cache)
{
	KeptFile **oldest = NULL;

	for (KeptFile **link = &cache->files; *link != NULL; link = &(*link)->next)
		if ((*link)->users == 0 && !kept_keeps_any(*link))
			oldest = link;
	if (oldest != NULL)
		forget_file(cache, oldest);
}

KeptFile *
kept_file(KeptCache *cache, const uint32_t *name, uint32_t relation)
{
	KeptFile **link = &cache->files;
	KeptFile   *file;

	while (*link != NULL && memcmp((*link)->file, name, sizeof((*link)->file)) != 0)
		link = &(*link)->next;
	file = *link;
	if (file != NULL)
		*link = file->next;
	else
	{
		if (cache->nfiles >= MAX_FILES)
			forget_oldest_file(cache);
		file = calloc(1, sizeof(*file));
		if (file == NULL)
			return NULL;
		memcpy(file->file, name, sizeof(file->file));
		cache->nfiles++;
	}
	file->relation = relation;
	file->next = cache->files;
	cache->files = file;
	file->users++;
	return file;
}

void
kept_file_leave(KeptFile *file)
{
	file->users--;
}

KeptColumn *
kept_column(KeptFile *file, const KeptKey *key)
{
	KeptColumn *column = file->columns;

	while (column != NULL && memcmp(&column->key, key, sizeof(*key)) != 0)
		column = column->next;
	if (column != NULL)
		return column;
	column = calloc(1, sizeof(*column));
	if (column == NULL)
		return NULL;
	column->key = *key;
	column->next = file->columns;
	file->columns = column;
	return column;
}

KeptStripe *
kept_stripe(const KeptFile *file, uint32_t number)
{
	return number < file->nstripes ? file->stripes[number] : NULL;
}

/* Set map_byte, once the rest is known. */
static void
note_map_byte(KeptStripe *stripe, uint32_t number)
{
	uint32_t	nblocks = stripe_nblocks(number);
	const uint8_t *bits = stripe->map.bits;

	stripe->map_byte = stripe->nblocks == nblocks && stripe->nlost == 0 &&
		memcmp(bits, bits + 1, nblocks / 4 - 1) == 0 ? bits[0] : -1;
}

void
kept_stamp(KeptStripe *stripe, uint32_t number, const StripeMap *map, const uint8_t *has,
		   uint32_t nblocks)
{
	stripe->map = *map;
	memcpy(stripe->has, has, sizeof(stripe->has));
	stripe->nlost += stripe->nblocks - nblocks;
	stripe->nblocks = nblocks;
	note_map_byte(stripe, number);
}

/* Stripes that were read by the same runs have it at the same place. */
static const KeptPlace *
find_place(const KeptChunk *chunk, KeptColumn *column)
{
	if (column->place < chunk->ncolumns && chunk->columns[column->place].column == column)
		return &chunk->columns[column->place];
	for (int i = 0; i < chunk->ncolumns; i++)
		if (chunk->columns[i].column == column)
		{
			column->place = i;
			return &chunk->columns[i];
		}
	return NULL;
}

KeptChunk *
kept_find(const KeptStripe *stripe, KeptColumn *column, const KeptPlace **place)
{
	for (KeptChunk *chunk = stripe->chunks; chunk != NULL; chunk = chunk->next)
	{
		*place = find_place(chunk, column);
		if (*place != NULL)
			return chunk;
	}
	return NULL;
}

void
kept_memory_free(KeptCache *cache, DevicePtr ptr, uint64_t size)
{
	cache->bytes -= size;
	device_memory_give(cache->device, cache->memory, ptr, size);
}

/* Memory that dictionaries have grown out of, which nothing reads any more. */
static void
free_old(KeptCache *cache, Dictionary *dictionary)
{
	while (dictionary->old != NULL)
	{
		OldMemory  *old = dictionary->old;

		dictionary->old = old->next;
		kept_memory_free(cache, old->ptr, old->size);
		free(old);
	}
}

/* Free a column's dictionary, if there is one that no chunk and no run needs. */
static void
free_dictionary(KeptCache *cache, KeptColumn *column)
{
	Dictionary *dictionary = column->dictionary;

	if (dictionary == NULL || column->chunks > 0 || dictionary->pins > 0)
		return;
	free_old(cache, dictionary);
	if (dictionary->memory != 0)
		kept_memory_free(cache, dictionary->memory, dictionary->room.size);
	free(dictionary);
	column->dictionary = NULL;
}

void
kept_pin_dictionary(KeptColumn *column)
{
	column->dictionary->pins++;
}

void
kept_unpin_dictionary(KeptCache *cache, KeptColumn *column)
{
	column->dictionary->pins--;
	if (column->dictionary->pins == 0)
		free_old(cache, column->dictionary);
	free_dictionary(cache, column);
}

/* Add one of a chunk's places to its column's counts, or take it out of them. */
static void
count_place(KeptCache *cache, const KeptChunk *chunk, const KeptPlace *place,
			bool counted)
{
	uint64_t	sign = counted ? 1 : UINT64_MAX;
	KeptColumn *column = place->column;

	column->rows += sign * chunk->rows;
	column->blocks += sign * chunk->blocks;
	column->bytes += sign * place->bytes;
	if (chunk->on_host)
		column->host_bytes += sign * place->bytes;
	column->plain_bytes += sign * place->plain_bytes;
	column->chunks += counted ? 1 : UINT32_MAX;
	free_dictionary(cache, column);
}

/* Add a chunk to its columns' counts, or take it out of them. */
static void
count_chunk(KeptCache *cache, KeptChunk *chunk, bool counted)
{
	if (chunk->counted == counted)
		return;
	chunk->counted = counted;
	for (int i = 0; i < chunk->ncolumns; i++)
		count_place(cache, chunk, &chunk->columns[i], counted);
}

void
kept_chunk_forget(KeptCache *cache, KeptChunk *chunk, const KeptColumn *column)
{
	int			n = 0;

	for (int i = 0; i < chunk->ncolumns; i++)
	{
		if (chunk->columns[i].column != column)
			chunk->columns[n++] = chunk->columns[i];
		else if (chunk->counted)
			count_place(cache, chunk, &chunk->columns[i], false);
	}
	chunk->ncolumns = n;
}

static void
free_memory(KeptCache *cache, const KeptChunk *chunk)
{
	if (chunk->on_host)
		host_memory_give(cache->device, &cache->host, (void *) (uintptr_t) chunk->memory,
						 chunk->size);
	else
		kept_memory_free(cache, chunk->memory, chunk->size);
}

void
kept_chunk_free(KeptCache *cache, KeptChunk *chunk)
{
	free_memory(cache, chunk);
	free(chunk);
}

void
kept_chunk_move(KeptCache *cache, KeptChunk *chunk, DevicePtr memory, uint64_t size, bool on_host)
{
	free_memory(cache, chunk);
	for (int i = 0; i < chunk->ncolumns && chunk->counted; i++)
	{
		KeptColumn *column = chunk->columns[i].column;

		if (chunk->on_host)
			column->host_bytes -= chunk->columns[i].bytes;
		if (on_host)
			column->host_bytes += chunk->columns[i].bytes;
	}
	chunk->memory = memory;
	chunk->size = size;
	chunk->on_host = on_host;
}

void
kept_fetch_stripe(const KeptFile *file, uint32_t number)
{
	const KeptStripe *stripe = kept_stripe(file, number);

	if (stripe == NULL)
		return;
	__builtin_prefetch(stripe);
	__builtin_prefetch(&stripe->map.lsn);
}

void
kept_fetch_columns(const KeptFile *file, uint32_t number, KeptColumn *const *columns, int ncolumns)
{
	const KeptStripe *stripe = kept_stripe(file, number);
	const KeptChunk *chunk = stripe != NULL ? stripe->chunks : NULL;

	if (chunk == NULL)
		return;
	__builtin_prefetch(chunk);
	__builtin_prefetch((const char *) chunk + CACHE_LINE);
	for (int i = 0; i < ncolumns; i++)
	{
		const KeptPlace *place = &chunk->columns[columns[i]->place];

		__builtin_prefetch(place);
		__builtin_prefetch(place + 1);
	}
}

void
kept_pin(KeptChunk *chunk)
{
	chunk->pins++;
}

void
kept_unpin(KeptCache *cache, KeptChunk *chunk)
{
	chunk->pins--;
	if (chunk->pins == 0 && chunk->evicted)
		kept_chunk_free(cache, chunk);
}

/* A chunk that its stripe has no longer. */
static void
let_go(KeptCache *cache, KeptChunk *chunk)
{
	count_chunk(cache, chunk, false);
	chunk->evicted = true;
	if (chunk->pins == 0)
		kept_chunk_free(cache, chunk);
}

void
kept_evict_chunk(KeptCache *cache, KeptFile *file, uint32_t number,
					 KeptChunk *chunk)
{
	KeptStripe *stripe = file->stripes[number];
	KeptChunk **link = &stripe->chunks;

	while (*link != chunk)
		link = &(*link)->next;
	*link = chunk->next;
	let_go(cache, chunk);
	if (stripe->chunks != NULL)
		return;
	file->stripes[number] = NULL;
	free(stripe);
}

static void
evict_stripe(KeptCache *cache, KeptFile *file, uint32_t number)
{
	while (kept_stripe(file, number) != NULL)
		kept_evict_chunk(cache, file, number, file->stripes[number]->chunks);
}

void
kept_give_up(KeptCache *cache, KeptFile *file, KeptColumn *column)
{
	const KeptPlace *place;

	column->given_up = true;
	for (uint32_t i = 0; i < file->nstripes; i++)
	{
		KeptStripe *stripe = file->stripes[i];
		KeptChunk  *chunk = stripe != NULL ? kept_find(stripe, column, &place) : NULL;

		if (chunk != NULL && chunk->ncolumns > 1)
			kept_chunk_forget(cache, chunk, column);
		else if (chunk != NULL)
			kept_evict_chunk(cache, file, i, chunk);
	}
}

void
kept_evict_file(KeptCache *cache, KeptFile *file)
{
	for (uint32_t i = 0; i < file->nstripes; i++)
		evict_stripe(cache, file, i);
}

static bool
has_attribute(const uint8_t *attributes, const KeptPlace *place)
{
	int16_t		attno = place->column->key.attno;

	return (attributes[attno / 8] >> attno % 8 & 1) != 0;
}

/* Take a chunk's columns of these attributes out of it; are there no others? */
static bool
forget_attributes(KeptCache *cache, KeptChunk *chunk, const uint8_t *attributes)
{
	int			i = 0;

	while (i < chunk->ncolumns)
		if (has_attribute(attributes, &chunk->columns[i]))
			kept_chunk_forget(cache, chunk, chunk->columns[i].column);
		else
			i++;
	return chunk->ncolumns == 0;
}

void
kept_evict_attributes(KeptCache *cache, KeptFile *file, const uint8_t *attributes)
{
	for (uint32_t i = 0; i < file->nstripes; i++)
	{
		KeptChunk  *chunk = file->stripes[i] ? file->stripes[i]->chunks : NULL;

		while (chunk != NULL)
		{
			KeptChunk  *next = chunk->next;

			if (forget_attributes(cache, chunk, attributes))
				kept_evict_chunk(cache, file, i, chunk);
			chunk = next;
		}
	}
}

/* Have they the same rows, and did they come by them under the same map? */
static bool
same_stripe(const KeptStripe *a, const KeptStripe *b)
{
	return memcmp(&a->map, &b->map, sizeof(a->map)) == 0 &&
		memcmp(a->has, b->has, sizeof(a->has)) == 0 &&
		memcmp(a->rows, b->rows, sizeof(a->rows)) == 0;
}

/* Has another chunk of the stripe each of the chunk's columns? */
static bool
has_all(const KeptStripe *stripe, const KeptChunk *chunk)
{
	const KeptPlace *place;

	for (int i = 0; i < chunk->ncolumns; i++)
		if (kept_find(stripe, chunk->columns[i].column, &place) == NULL)
			return false;
	return true;
}

/* Have a place for the stripe's number. */
static bool
make_place(KeptFile *file, uint32_t number)
{
	uint32_t	n = number + number / 2 + 16;
	KeptStripe **stripes;

	if (number < file->nstripes)
		return true;
	stripes = realloc(file->stripes, n * sizeof(*stripes));
	if (stripes == NULL)
		return false;
	memset(stripes + file->nstripes, 0, (n - file->nstripes) * sizeof(*stripes));
	file->stripes = stripes;
	file->nstripes = n;
	return true;
}

/* The stripe that the chunk goes to: what was made, or what is there; NULL: nowhere. */
static KeptStripe *
stripe_for(KeptCache *cache, KeptFile *file, uint32_t number, KeptStripe *made,
		   const KeptChunk *chunk)
{
	KeptStripe *there;

	if (!make_place(file, number))
		return NULL;
	there = file->stripes[number];
	if (there != NULL && same_stripe(there, made))
		return has_all(there, chunk) ? NULL : there;
	if (there != NULL && !stripe_map_is_newer(&made->map, &there->map))
		return NULL;
	evict_stripe(cache, file, number);
	file->stripes[number] = made;
	note_map_byte(made, number);
	return made;
}

bool
kept_publish(KeptCache *cache, KeptFile *file, uint32_t number,
				 KeptStripe *made, KeptChunk *chunk)
{
	KeptStripe *stripe = stripe_for(cache, file, number, made, chunk);

	if (stripe != made)
		free(made);
	if (stripe == NULL)
	{
		kept_chunk_free(cache, chunk);
		return false;
	}
	chunk->next = stripe->chunks;
	stripe->chunks = chunk;
	chunk->rows = stripe->nrows;
	chunk->blocks = stripe->nblocks;
	count_chunk(cache, chunk, true);
	return true;
}

void
kept_close(KeptCache *cache)
{
	uint64_t	limit = cache->limit;

	while (cache->files != NULL)
	{
		kept_evict_file(cache, cache->files);
		forget_file(cache, &cache->files);
	}
	if (cache->device != NULL)
		host_memory_close(cache->device, &cache->host);
	*cache = (KeptCache) {.limit = limit,.host.limit = cache->host.limit};
}
