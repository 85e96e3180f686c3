/*
 * room.h
 *	  Which chunks stay, and where: their heat, the limits, and what gives way to what.
 */
#ifndef GPUAGG_ROOM_H
#define GPUAGG_ROOM_H

#include "engine/cuda/kept/kept_columns.h"

/* What a run that reads a column adds to its heat, and one that only wants to have it kept. */
#define HEAT_READ 1.0
#define HEAT_WANTED 4.0

/* To this heat all columns give way. */
#define HEAT_ANY 64.0

/* Note that a run reads a column, or wants it. */
extern void kept_heat(KeptColumn *column, double heat, int64_t now);

/* The bytes that may be kept. */
extern uint64_t kept_limit(const KeptCache *cache);

/*
 * Memory of that size on the device, which becomes what it really takes, after chunks of less than
 * half that heat have given way to it if need be, or others, if host memory has room for these.
 * kept_memory_free gives it back.
 */
extern bool kept_memory(KeptCache *cache, uint64_t *size, double heat, int64_t now,
							DevicePtr *ptr);

/*
 * Likewise for a table of look-ups, of which all may have a share of what may be kept; first the
 * tables give way that have not been used for longest, and then the coldest columns.
 */
extern bool kept_lookup_memory(KeptCache *cache, uint64_t *size, int64_t now, DevicePtr *ptr);

/*
 * A chunk with memory of that size, and room for so many columns, whose places the caller
 * sets.  heat: its hottest column's; chunks of less than half of that give way.  Where device
 * memory has no room for it, it is in host memory, which kernels can write to.  NULL: there is no
 * room for it.
 */
extern KeptChunk *kept_chunk(KeptCache *cache, uint64_t size, int ncolumns,
									 double heat, int64_t now);

/*
 * One for columns that are still to be encoded, on the device; where there may be chunks in host
 * memory, beyond the limit if need be.
 */
extern KeptChunk *kept_plain_chunk(KeptCache *cache, uint64_t size, double heat, int64_t now);

/*
 * Have chunks of these columns of a file that are in host memory move to the device's, as far as
 * there is room, or what is there has less than half of their heat.
 */
extern void kept_move_up(KeptCache *cache, KeptFile *file, KeptColumn *const *columns,
						 int ncolumns, int64_t now);

/* A column's heat, now. */
extern double kept_heat_now(const KeptColumn *column, int64_t now);

/*
 * Have chunks give way on the device until so many bytes have been given back, the coldest first.
 * False: there was nothing that is not pinned.
 */
extern bool kept_give_back(KeptCache *cache, uint64_t bytes, int64_t now);

/* Another limit; what is beyond it goes. */
extern void kept_set_limit(KeptCache *cache, uint64_t limit, int64_t now);
extern void kept_set_host_limit(KeptCache *cache, uint64_t limit, int64_t now);

#endif							/* GPUAGG_ROOM_H */
