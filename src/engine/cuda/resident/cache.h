/*
 * cache.h
 *	  Columns of tables that stay in device memory from one run to the next.
 *
 * A chunk is some columns of one stripe (stripe.h): plain arrays, as in an input buffer, of
 * the rows of those blocks that were all-visible.  All chunks of a stripe have the same
 * rows in the same order, and were made under the same map: the stripe's stamp.
 *
 * Any chunk can be evicted at any moment: what runs have pinned is freed when the last of
 * them unpins it.  One thread uses a cache.
 *
 * The device process asks by the functions of cuda_engine.h: how much may be kept, what is
 * kept, and to evict it.  They take and give no more of this file than ResidentInfo.
 */
#ifndef GPUAGG_RESIDENT_CACHE_H
#define GPUAGG_RESIDENT_CACHE_H

#include "engine/cuda/device/device_memory.h"
#include "engine/cuda/resident/resident_info.h"
#include "engine/cuda/resident/stripe.h"
#include "program/program.h"

/* All that decides what a column's values are; compared as bytes. */
typedef struct ResidentKey
{
	int16_t		attno;			/* as in Column: */
	uint8_t		type;
	uint8_t		nullable;
	uint8_t		numeric;
	uint8_t		scale;
	uint8_t		presence;
	uint8_t		has_missing;	/* tuples that are too short have a value: */
	uint64_t	missing[2];
} ResidentKey;

/* A column of a table, and what runs have had of it. */
typedef struct ResidentColumn
{
	struct ResidentColumn *next;
	ResidentKey key;
	double		heat;			/* at that time: see room.c */
	int64_t		heat_at;		/* seconds since 1970, as all times here */
	int64_t		last_used;
	uint64_t	hits;			/* stripes served */
	uint64_t	rows;			/* of the chunks that hold it */
	uint64_t	bytes;
	uint64_t	blocks;
} ResidentColumn;

/* Where a column stands in a chunk, in bytes. */
typedef struct ResidentPlace
{
	ResidentColumn *column;
	uint64_t	values;
	uint64_t	nulls;			/* a byte a row, if it is nullable */
	uint64_t	bytes;			/* of both */
} ResidentPlace;

typedef struct ResidentChunk
{
	struct ResidentChunk *next; /* of its stripe */
	DevicePtr	memory;
	uint64_t	size;
	uint64_t	rows;			/* for ResidentColumn's counts */
	uint32_t	blocks;
	uint32_t	pins;
	bool		counted;		/* in them */
	bool		evicted;		/* to be freed by the last that unpins it */
	int			ncolumns;
	ResidentPlace columns[];
} ResidentChunk;

typedef struct ResidentStripe
{
	StripeMap	map;			/* the stamp */
	uint8_t		has[STRIPE_MAX_BLOCKS / 8]; /* a bit a block: are its rows here? */
	uint32_t	nblocks;		/* such blocks */
	uint32_t	nrows;
	uint32_t	rows[STRIPE_MAX_BLOCKS + 1];	/* each block's first row; nrows */
	ResidentChunk *chunks;
} ResidentStripe;

/* A table's file. */
typedef struct ResidentFile
{
	struct ResidentFile *next;
	uint32_t	file[3];
	uint32_t	relation;
	uint32_t	users;			/* runs that have a pointer to it or to its columns */
	ResidentColumn *columns;
	ResidentStripe **stripes;	/* by number; NULL: nothing of it is kept */
	uint32_t	nstripes;
} ResidentFile;

/* Begins as zeros; device and memory are set once the device is open. */
typedef struct ResidentCache
{
	Device	   *device;
	DeviceMemory *memory;		/* that chunks are part of */
	uint64_t	limit;			/* bytes of chunks; RESIDENT_SHARE */
	uint64_t	bytes;			/* of them */
	ResidentFile *files;
	uint32_t	nfiles;
} ResidentCache;

/*
 * The file's entry, made if there is none, and NULL for lack of memory.  The caller is a
 * user of it until resident_file_leave.
 */
extern ResidentFile *resident_file(ResidentCache *cache, const uint32_t *file,
								   uint32_t relation);
extern void resident_file_leave(ResidentFile *file);

/* A column of it, likewise. */
extern void resident_key(const Column *column, const SlotValue *slots, ResidentKey *key);
extern ResidentColumn *resident_column(ResidentFile *file, const ResidentKey *key);

/* What is kept of a stripe, or NULL. */
extern ResidentStripe *resident_stripe(const ResidentFile *file, uint32_t number);

/* The chunk of a stripe that has the column, and the column's place in it; or NULL. */
extern ResidentChunk *resident_find(const ResidentStripe *stripe, const ResidentColumn *column,
									const ResidentPlace **place);

extern void resident_pin(ResidentChunk *chunk);
extern void resident_unpin(ResidentCache *cache, ResidentChunk *chunk);

/*
 * A chunk that has been filled becomes the stripe's.  made: what is known of the stripe,
 * without chunks, malloc'd; it and the chunk belong to the cache from now on.  The chunk is
 * dropped if the cache has the same already, or what is newer; what is older is evicted.
 * Is the chunk kept?
 */
extern bool resident_publish(ResidentCache *cache, ResidentFile *file, uint32_t number,
							 ResidentStripe *made, ResidentChunk *chunk);

/* Free a chunk that no stripe has, and that is not pinned. */
extern void resident_chunk_free(ResidentCache *cache, ResidentChunk *chunk);

/* Evict a stripe's chunk; the stripe goes with its last one. */
extern void resident_evict_chunk(ResidentCache *cache, ResidentFile *file, uint32_t number,
								 ResidentChunk *chunk);

/* Evict all of a file. */
extern void resident_evict_file(ResidentCache *cache, ResidentFile *file);

/* Forget all; nothing is pinned, and no file has users.  The limit stays. */
extern void resident_close(ResidentCache *cache);

#endif							/* GPUAGG_RESIDENT_CACHE_H */
