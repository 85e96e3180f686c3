/*
 * device_lookups.h
 *	  Tables of look-ups (ops_lookup.h) that stay in device memory from one run to the next.
 *
 * They are found by the digest of their bytes and of who may use them, which the caller makes,
 * so that one copy serves all runs with the same table.  They were checked before they were
 * added, for some operations that read them.
 *
 * One can be evicted at any moment: what runs have pinned is freed when the last of them
 * leaves it.  One thread uses a cache.
 */
#ifndef GPUAGG_DEVICE_LOOKUPS_H
#define GPUAGG_DEVICE_LOOKUPS_H

#include "engine/cuda/kept/kept_columns.h"

typedef struct DeviceLookup
{
	TableCopy	kept;			/* first: parameters have a pointer to it */
	struct DeviceLookup *next;	/* the last one used comes first */
	Digest		digest;
	uint32_t	len;			/* of the table, in bytes */
	uint32_t	readers;		/* operations for which it was checked: lookup_reader */
	DevicePtr	memory;
	uint64_t	size;			/* of the memory */
	uint32_t	pins;
	bool		evicted;		/* to be freed by the last that leaves it */
} DeviceLookup;

/* A table of that digest and length that was checked for all these readers, pinned; or NULL. */
extern DeviceLookup *device_lookup_take(KeptCache *cache, const Digest *digest, uint32_t len,
										uint32_t readers);
extern void device_lookup_leave(KeptCache *cache, DeviceLookup *lookup);

/*
 * Keep a table whose copy in memory for it (kept_lookup_memory) is complete; it is pinned.  NULL: there is no memory of
 * the host's.
 */
extern DeviceLookup *device_lookup_add(KeptCache *cache, const Digest *digest, Bytes table,
									   uint32_t readers, DevicePtr memory, uint64_t size);

/*
 * Evict tables that are not pinned, those first that have not been used for longest, until so
 * many bytes are left; or all of them, pinned or not.
 */
extern void device_lookups_evict(KeptCache *cache, uint64_t bytes);
extern void device_lookups_forget(KeptCache *cache);

#endif							/* GPUAGG_DEVICE_LOOKUPS_H */
