/*
 * room.h
 *	  Which chunks stay: their heat, the limit, and what gives way to what.
 */
#ifndef GPUAGG_RESIDENT_ROOM_H
#define GPUAGG_RESIDENT_ROOM_H

#include "engine/cuda/kept/kept_columns.h"

/* What a run that reads a column adds to its heat, and one that only wants to have it kept. */
#define HEAT_READ 1.0
#define HEAT_WANTED 4.0

/* Note that a run reads a column, or wants it. */
extern void resident_heat(ResidentColumn *column, double heat, int64_t now);

/* The bytes that may be kept. */
extern uint64_t resident_limit(const ResidentCache *cache);

/*
 * Memory of that size, which becomes what it really takes, after chunks of less than half that
 * heat have given way to it if need be.  resident_memory_free gives it back.
 */
extern bool resident_memory(ResidentCache *cache, uint64_t *size, double heat, int64_t now,
							DevicePtr *ptr);

/*
 * A chunk with memory of that size, and room for so many columns, whose places the caller
 * sets.  heat: its hottest column's; chunks of less than half of that give way.  NULL: there
 * is no room for it.
 */
extern ResidentChunk *resident_chunk(ResidentCache *cache, uint64_t size, int ncolumns,
									 double heat, int64_t now);

/* A column's heat, now. */
extern double resident_heat_now(const ResidentColumn *column, int64_t now);

/*
 * Evict until so many bytes have been given back, the coldest first.  False: there was
 * nothing that is not pinned.
 */
extern bool resident_give_back(ResidentCache *cache, uint64_t bytes, int64_t now);

/* Another limit; what is beyond it goes. */
extern void resident_set_limit(ResidentCache *cache, uint64_t limit, int64_t now);

#endif							/* GPUAGG_RESIDENT_ROOM_H */
