/*
 * device_lookups.c
 *	  Tables of look-ups that stay in device memory from one run to the next.
 *
 * They are part of what is kept (KeptCache).  Among themselves the ones that have not been
 * used for longest go first; room.c says what gives way to what else.
 *
 * Memory: entries are malloc'd, with their outlines.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/cuda/kept/device_lookups.h"
#include "program/check_lookup.h"
#include "program/ops_lookup.h"

static void
free_lookup(KeptCache *cache, DeviceLookup *lookup)
{
	cache->lookup_bytes -= lookup->size;
	kept_memory_free(cache, lookup->memory, lookup->size);
	free(lookup);
}

static void
put_first(KeptCache *cache, DeviceLookup *lookup)
{
	lookup->next = cache->lookups;
	cache->lookups = lookup;
}

static bool
is_same(const DeviceLookup *lookup, const Digest *digest, uint32_t len, uint32_t readers)
{
	return lookup->len == len && (readers & ~lookup->readers) == 0 &&
		digest_equal(&lookup->digest, digest);
}

DeviceLookup *
device_lookup_take(KeptCache *cache, const Digest *digest, uint32_t len, uint32_t readers)
{
	DeviceLookup **link = &cache->lookups;
	DeviceLookup *lookup;

	while (*link != NULL && !is_same(*link, digest, len, readers))
		link = &(*link)->next;
	lookup = *link;
	if (lookup == NULL)
		return NULL;
	*link = lookup->next;
	put_first(cache, lookup);
	lookup->pins++;
	return lookup;
}

void
device_lookup_leave(KeptCache *cache, DeviceLookup *lookup)
{
	lookup->pins--;
	if (lookup->pins == 0 && lookup->evicted)
		free_lookup(cache, lookup);
}

/* Take it out of the list; what runs have pinned is freed later. */
static void
evict(KeptCache *cache, DeviceLookup **link)
{
	DeviceLookup *lookup = *link;

	*link = lookup->next;
	lookup->evicted = true;
	if (lookup->pins == 0)
		free_lookup(cache, lookup);
}

/* The link that leads to the one that has not been used for longest and is not pinned, or NULL. */
static DeviceLookup **
oldest(KeptCache *cache)
{
	DeviceLookup **found = NULL;

	for (DeviceLookup **link = &cache->lookups; *link != NULL; link = &(*link)->next)
		if ((*link)->pins == 0)
			found = link;
	return found;
}

void
device_lookups_evict(KeptCache *cache, uint64_t bytes)
{
	DeviceLookup **link;

	while (cache->lookup_bytes > bytes && (link = oldest(cache)) != NULL)
		evict(cache, link);
}

void
device_lookups_forget(KeptCache *cache)
{
	while (cache->lookups != NULL)
		evict(cache, &cache->lookups);
}

/* The bytes of a table's outline. */
static uint64_t
outline_size(Bytes table)
{
	const LookupHeader *header = (const LookupHeader *) table.data;

	if (table.len < sizeof(LookupHeader))
		return table.len;
	return sizeof(LookupHeader) +
		(header->form < LOOKUP_HASH4 ? (header->nentries + 7) / 8 : 0);
}

/* Of keys in bits or an array, which of them there are. */
static void
make_outline(Bytes table, char *to)
{
	LookupHeader *header = (LookupHeader *) to;
	uint8_t    *bits = (uint8_t *) to + sizeof(LookupHeader);
	uint32_t	form = ((const LookupHeader *) table.data)->form;

	memcpy(to, table.data, sizeof(LookupHeader));
	if (form >= LOOKUP_HASH4)
		return;
	header->form = LOOKUP_BITS;
	for (uint64_t i = 0; i < header->nentries; i++)
		if (lookup_array(i, form, lookup_entries(table)) != 0)
			bits[i / 8] |= (uint8_t) (1 << i % 8);
}

DeviceLookup *
device_lookup_add(KeptCache *cache, const Digest *digest, Bytes table, uint32_t readers,
				  DevicePtr memory, uint64_t size)
{
	bool		has_keys = (readers & LOOKUP_KEY_READERS) != 0;
	uint64_t	room = has_keys ? outline_size(table) : 0;
	DeviceLookup *lookup = calloc(1, sizeof(*lookup) + room);

	if (lookup == NULL)
		return NULL;
	*lookup = (DeviceLookup) {
		.digest = *digest,.len = table.len,.readers = readers,.memory = memory,.size = size,
		.pins = 1,.kept.outline = {(const char *) (lookup + 1), (uint32_t) room}
	};
	if (has_keys)
		make_outline(table, (char *) (lookup + 1));
	cache->lookup_bytes += size;
	put_first(cache, lookup);
	return lookup;
}
