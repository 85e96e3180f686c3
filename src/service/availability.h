/*
 * availability.h
 *	  What a session knows of devices, by asking the device process.
 *
 * No session looks for a device itself.
 */
#ifndef GPUAGG_AVAILABILITY_H
#define GPUAGG_AVAILABILITY_H

#include "service/protocol.h"

/*
 * Does the device process have this engine now?  It is started if there is none.  If
 * not, why.  What it has said once is remembered, so that this is cheap.
 */
extern bool service_has_engine(ServiceEngine engine, char *reason, size_t len);

/*
 * EngineOps.available of the clients: the same for who has been told to use the engine: also true if the device process
 * has ended or does not answer, but has not said that it lacks the engine.  Runs then fall
 * back, and no query fails.
 */
extern bool service_may_have_engine(ServiceEngine engine, char *reason, size_t len);

/* EngineOps.warm: has the device process opened its device?  Of an engine without one, true. */
extern bool service_is_warm(ServiceEngine engine);

/*
 * Fills at most max infos and returns how many devices there are.  Without one, or without a
 * device process: 0, and why (256 bytes).  What is not there is looked for again.
 */
extern int	service_devices(DeviceInfo *infos, int max, char *why);

#endif							/* GPUAGG_AVAILABILITY_H */
