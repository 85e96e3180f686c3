/*
 * worker.h
 *	  The device worker: a background worker whose child is the device process.
 */
#ifndef GPUAGG_WORKER_H
#define GPUAGG_WORKER_H

#include "postmaster/bgworker.h"

/*
 * When the module is loaded: with shared_preload_libraries the worker is started
 * with the server.
 */
extern void worker_init(void);

/* What to register; a session's is not started again when it fails. */
extern BackgroundWorker worker_registration(bool by_session);

extern PGDLLEXPORT void gpuagg_device_worker(Datum arg);

#endif							/* GPUAGG_WORKER_H */
