/*
 * feeder.h
 *	  The rows that one process gives a run, in the device process.
 *
 * Plain C99 without postgres.h.
 */
#ifndef GPUAGG_FEEDER_H
#define GPUAGG_FEEDER_H

#include "service/device/feeding.h"

/*
 * Let the engine begin with the rows that it has, while the process finds out which ones it
 * has to give.  Any other status than OK is the run's: it has failed.
 */
extern EngineStatus feeder_begin(Feeder *feeder);

/*
 * Take pages and columns until another message has come, or none has to: OK.  Any other status is
 * the run's: it has failed.
 */
extern EngineStatus feeder_take_input(Feeder *feeder);

/* Serve a process that wants to feed another's run, from its first message to its last. */
extern void feeder_serve(Connection *connection);

#endif							/* GPUAGG_FEEDER_H */
