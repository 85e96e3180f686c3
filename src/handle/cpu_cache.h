/*
 * cpu_cache.h
 *	  The memory in which the CPU engine keeps columns.
 */
#ifndef GPUAGG_CPU_CACHE_H
#define GPUAGG_CPU_CACHE_H

#include "utils/relcache.h"

/* A column that is kept. */
typedef struct CpuCacheColumn
{
	uint32		file[3];		/* as in TableState */
	Oid			relation;
	AttrNumber	attno;			/* one that is read in two ways comes twice */
	uint64		rows;
	uint64		bytes;			/* of shared memory */
	uint64		plain_bytes;	/* what they were without encodings */
	uint64		blocks;
	uint64		hits;			/* stripes of 1020 blocks that runs have taken from it */
	int64		last_used;		/* seconds since 1970; 0: never */
} CpuCacheColumn;

/* When the module is loaded. */
extern void cpu_cache_init(void);

/* Are columns kept?  Then runs of this process can be told of tables (EngineHints.tables). */
extern bool cpu_cache_is_on(void);

/* Is less than an eighth of the memory free? */
extern bool cpu_cache_is_full(void);

/* All columns of which something is kept, n of them, in the current context. */
extern CpuCacheColumn *cpu_cache_columns(int *n);

/*
 * Evict columns of a table's file, those of attributes whose bits are set, the lowest bit of byte 0
 * first; NULL: all.  The bytes of shared memory that are free now.
 */
extern int64 cpu_cache_evict(Relation relation, const uint8 *attributes);

#endif							/* GPUAGG_CPU_CACHE_H */
