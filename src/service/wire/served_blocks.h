/*
 * served_blocks.h
 *	  Which blocks an engine serves itself, from the device process to the session.
 *
 * The file begins with a byte a table, its ServedKind; from the next multiple of 8 on
 * come the bits of those tables that are served in part, each at a multiple of 8.
 *
 * Plain C99 without postgres.h.
 */
#ifndef GPUAGG_SERVED_BLOCKS_H
#define GPUAGG_SERVED_BLOCKS_H

#include "service/wire/protocol.h"

/* What a session knows. */
typedef struct Served
{
	uint8_t   **tables;			/* bits by table, NULL: none; NULL: of no table */
	int			ntables;
} Served;

/*
 * What the run's engine serves of the hints' tables, all taken together.  SOME: a sealed
 * file in *file, the caller's to close, and its size; or -1: there is no memory for it.
 */
extern ServedKind served_write(EngineRun *run, const EngineHints *hints, int *file,
							   uint64_t *size);

/* Likewise the file of blocks that the engine asks about; -1: there is no memory for it. */
extern int	served_write_asked(const uint8_t *const *blocks, const EngineHints *hints,
							   uint64_t *size);

/* How many blocks' bits are set, of all the hints' tables. */
extern uint64_t served_count(const EngineHints *hints, const Served *served);

/*
 * The same in the session, by the file or, of ALL, without one.  False: it is not what it
 * should be, or there is no memory.  served_free follows in any case.
 */
extern bool served_read(const EngineHints *hints, int file, uint64_t size, Served *served);
extern bool served_all(const EngineHints *hints, Served *served);
extern void served_free(Served *served);

#endif							/* GPUAGG_SERVED_BLOCKS_H */
