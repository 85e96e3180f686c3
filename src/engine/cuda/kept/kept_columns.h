/*
 * kept_columns.h
 *	  Columns of tables that stay in device memory, or in page-locked host memory, from one run to
 *	  the next.
 *
 * A chunk is some columns of one stripe (stripe.h), of the rows of those blocks that were
 * all-visible: arrays, encoded as KeptPlace tells.  All chunks of a stripe have the same
 * rows in the same order, and were made under the same map: the stripe's stamp.
 *
 * Any chunk can be evicted at any moment: what runs have pinned is freed when the last of
 * them unpins it.  One thread uses a cache.
 *
 * The device process asks by the functions of cuda_engine.h: how much may be kept, what is
 * kept, and to evict it.  They take and give no more of this file than KeptInfo.
 */
#ifndef GPUAGG_KEPT_COLUMNS_H
#define GPUAGG_KEPT_COLUMNS_H

#include "engine/cuda/device/device_memory.h"
#include "engine/cuda/kept/dictionary.h"
#include "engine/cuda/kept/host_memory.h"
#include "engine/cuda/kept/kept_info.h"
#include "engine/kept_key.h"
#include "engine/stripe.h"

/* A column of a table, and what runs have had of it. */
typedef struct KeptColumn
{
	struct KeptColumn *next;
	KeptKey		key;
	double		heat;			/* at that time: see room.c */
	int64_t		heat_at;		/* seconds since 1970, as all times here */
	int64_t		last_used;
	uint64_t	hits;			/* stripes served */
	uint64_t	rows;			/* of the chunks that hold it */
	uint64_t	bytes;
	uint64_t	host_bytes;		/* of these, in host memory */
	uint64_t	plain_bytes;	/* what they were before they were encoded */
	uint64_t	blocks;
	uint32_t	chunks;
	int			place;			/* its index in the chunk that it was found in last */
	Dictionary *dictionary;		/* of a column of texts, or NULL */
	uint32_t	refused;		/* stripes in a row of which a text was toasted */
	bool		given_up;		/* it is not kept any more */
	bool		outlived;		/* it was kept until its table's file was removed */
} KeptColumn;

/*
 * Where a column stands in a chunk, in bytes, and how (args.cuh): values of integers are
 * numbers of a width, to which the least one is added; so are the codes of texts; those of
 * other types stand as they are.
 */
typedef struct KeptPlace
{
	KeptColumn *column;
	uint64_t	values;
	uint64_t	nulls;
	uint64_t	bytes;			/* of both */
	uint64_t	plain_bytes;	/* what they were before they were encoded */
	uint64_t	nnulls;			/* rows */
	int64_t		least;			/* of integers that are not NULL; 0: there are none */
	int64_t		most;
	bool		has_range;		/* are there? */
	uint8_t		width;			/* of the values */
	uint8_t		null_width;		/* of the NULLs; WIDTH_NONE: there are none */
} KeptPlace;

typedef struct KeptChunk
{
	struct KeptChunk *next; /* of its stripe */
	DevicePtr	memory;			/* also in host memory: kernels have the same addresses */
	uint64_t	size;			/* of the memory */
	uint64_t	used;			/* bytes of it */
	bool		on_host;		/* is it in host memory? */
	uint64_t	rows;			/* for KeptColumn's counts */
	uint32_t	blocks;
	uint32_t	pins;
	bool		counted;		/* in them */
	bool		evicted;		/* to be freed by the last that unpins it */
	int			ncolumns;
	KeptPlace	columns[];
} KeptChunk;

/*
 * Of the moment at which the map was read, the stamp: the rows of the blocks that the
 * stripe has, and their pages' LSNs, are those of that moment, too.
 */
typedef struct KeptStripe
{
	KeptChunk  *chunks;
	uint32_t	nrows;
	int			map_byte;		/* what all bytes of the stamp's bits are, if the rows of all of the
								 * stripe's blocks are here and none is lost; else -1 */
	uint32_t	nblocks;		/* whose rows are here */
	uint32_t	nlost;			/* others that had been kept: their rows are still there,
								 * and are masked */
	uint32_t	nmissed;		/* all-visible blocks that runs have had to read, since */
	StripeMap	map;			/* the stamp */
	uint8_t		has[STRIPE_MAX_BLOCKS / 8]; /* a bit a block: are its rows here? */
	uint32_t	rows[STRIPE_MAX_BLOCKS + 1];	/* each block's first row; nrows */
	uint64_t	lsns[STRIPE_MAX_BLOCKS];	/* each block's page's; 0: not known */
} KeptStripe;

/* A table's file. */
typedef struct KeptFile
{
	struct KeptFile *next;
	uint32_t	file[3];
	uint32_t	relation;
	uint32_t	users;			/* runs that have a pointer to it or to its columns */
	KeptColumn *columns;
	KeptStripe **stripes;	/* by number; NULL: nothing of it is kept */
	uint32_t	nstripes;
} KeptFile;

/* Begins as zeros, but for the limits; device and memory are set once the device is open. */
typedef struct KeptCache
{
	Device	   *device;
	DeviceMemory *memory;		/* that chunks are part of */
	uint64_t	limit;			/* bytes of chunks and look-ups; KEPT_SHARE */
	uint64_t	bytes;			/* of them, and of look-ups: */
	uint64_t	lookup_bytes;
	HostMemory	host;			/* for chunks that device memory has no room for */
	struct DeviceLookup *lookups;	/* device_lookups.h */
	uint64_t	evicted;		/* blocks of chunks that have given way (room.c) */
	KeptFile   *files;
	uint32_t	nfiles;
} KeptCache;

/*
 * The file's entry, made if there is none, and NULL for lack of memory.  The caller is a
 * user of it until kept_file_leave.
 */
extern KeptFile *kept_file(KeptCache *cache, const uint32_t *file,
								   uint32_t relation);
extern void kept_file_leave(KeptFile *file);

/* A column of it, likewise. */
extern KeptColumn *kept_column(KeptFile *file, const KeptKey *key);

/* Have the dictionary of a column stay; or let it go, if nothing else needs it. */
extern void kept_pin_dictionary(KeptColumn *column);
extern void kept_unpin_dictionary(KeptCache *cache, KeptColumn *column);

/*
 * Keep a column of the file no more.  Chunks that have others, too, stay; their bytes for the
 * column go with them.
 */
extern void kept_give_up(KeptCache *cache, KeptFile *file, KeptColumn *column);

/* What is kept of a stripe, or NULL. */
extern KeptStripe *kept_stripe(const KeptFile *file, uint32_t number);

/*
 * The stripe, of that number, has been compared with its pages: of its blocks those in `has`, nblocks
 * of them, are as they were kept at the moment of a later map.
 */
extern void kept_stamp(KeptStripe *stripe, uint32_t number, const StripeMap *map,
					   const uint8_t *has, uint32_t nblocks);

/* The chunk of a stripe that has the column, and the column's place in it; or NULL. */
extern KeptChunk *kept_find(const KeptStripe *stripe, KeptColumn *column,
							const KeptPlace **place);

/*
 * Have the processor fetch what is looked at of a stripe that is as it was kept; then, if that has
 * come, of its last chunk.
 */
extern void kept_fetch_stripe(const KeptFile *file, uint32_t number);
extern void kept_fetch_columns(const KeptFile *file, uint32_t number, KeptColumn *const *columns,
							   int ncolumns);

extern void kept_pin(KeptChunk *chunk);
extern void kept_unpin(KeptCache *cache, KeptChunk *chunk);

/*
 * A chunk that has been filled becomes the stripe's.  made: what is known of the stripe,
 * without chunks, malloc'd; it and the chunk belong to the cache from now on.  The chunk is
 * dropped if the cache has the same already, or what is newer; what is older is evicted.
 * Is the chunk kept?
 */
extern bool kept_publish(KeptCache *cache, KeptFile *file, uint32_t number,
							 KeptStripe *made, KeptChunk *chunk);

/* Give back memory of the cache's (room.h); nothing uses it any more. */
extern void kept_memory_free(KeptCache *cache, DevicePtr ptr, uint64_t size);

/* Take a column out of those that a chunk has.  Runs that have pinned it use its memory only. */
extern void kept_chunk_forget(KeptCache *cache, KeptChunk *chunk,
								  const KeptColumn *column);

/*
 * A chunk's bytes have been copied into other memory, which it has from now on; what it had is
 * given back.  It is not pinned.
 */
extern void kept_chunk_move(KeptCache *cache, KeptChunk *chunk, DevicePtr memory, uint64_t size,
							bool on_host);

/* Free a chunk that no stripe has, and that is not pinned. */
extern void kept_chunk_free(KeptCache *cache, KeptChunk *chunk);

/* Evict a stripe's chunk; the stripe goes with its last one. */
extern void kept_evict_chunk(KeptCache *cache, KeptFile *file, uint32_t number,
								 KeptChunk *chunk);

/* Evict all of a file. */
extern void kept_evict_file(KeptCache *cache, KeptFile *file);

/*
 * Evict the file's columns of attributes whose bits are set, the lowest bit of byte 0 first.
 * Chunks that have others, too, stay; their bytes for these columns go with them.
 */
extern void kept_evict_attributes(KeptCache *cache, KeptFile *file,
									  const uint8_t *attributes);

/* Is anything kept of a file? */
extern bool kept_keeps_any(const KeptFile *file);

/* Forget all columns; nothing is pinned, and no file has users.  The limit stays. */
extern void kept_close(KeptCache *cache);

#endif							/* GPUAGG_KEPT_COLUMNS_H */
