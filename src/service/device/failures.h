/*
 * failures.h
 *	  What the device has not done for runs, in the server's log.
 *
 * Plain C99 without postgres.h.
 */
#ifndef GPUAGG_FAILURES_H
#define GPUAGG_FAILURES_H

#include "engine/engine.h"
#include "service/device/connection.h"

/* From now on log each kind of failure once.  Once a process. */
extern void failures_log(const Service *service);

#endif							/* GPUAGG_FAILURES_H */
