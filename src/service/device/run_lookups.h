/*
 * run_lookups.h
 *	  The tables of a run's look-ups of which the session has told the digests only.
 *
 * Plain C99 without postgres.h.
 */
#ifndef GPUAGG_RUN_LOOKUPS_H
#define GPUAGG_RUN_LOOKUPS_H

#include "service/wire/opening.h"

/* Begins as zeros. */
typedef struct RunLookups
{
	const EngineLookups *engine;	/* NULL: it keeps none */
	int			device;			/* that keeps what is taken */
	TableDigest *digests;		/* by parameter: of the bytes and who may use them */
	char	   *bytes;			/* of tables that were wanted */
	uint8_t		wanted[PARAM_BITS]; /* these */
	uint32_t	nwanted;
} RunLookups;

/*
 * Take those that the engine keeps on the device, -1: none, for the role in the database.  The Program has been checked,
 * but for the bytes of such tables.  False: there is no memory.  run_lookups_end follows in
 * any case, once the run is closed.
 */
extern bool run_lookups_find(RunLookups *lookups, const EngineOps *ops, int device, uint32_t role,
							 const char *database, Opening *opening);

/*
 * Read the others, as the session has written them, and check them.  Other tasks go on
 * meanwhile.  OK; or why not.
 */
extern EngineStatus run_lookups_read(RunLookups *lookups, Opening *opening, int file,
									 uint64_t place, const char **why);

extern void run_lookups_end(RunLookups *lookups, Opening *opening);

#endif							/* GPUAGG_RUN_LOOKUPS_H */
