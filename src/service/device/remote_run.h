/*
 * remote_run.h
 *	  A session's run of an engine, in the device process.
 */
#ifndef GPUAGG_REMOTE_RUN_H
#define GPUAGG_REMOTE_RUN_H

#include "service/device/connection.h"

/* Serve the run that the connection's message opens, from its beginning to its end. */
extern void remote_run_serve(Connection *connection);

#endif							/* GPUAGG_REMOTE_RUN_H */
