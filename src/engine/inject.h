/*
 * inject.h
 *	  Failures on request, for tests of what happens after them.
 *
 * In builds made with TESTING=1, the setting gpuagg.inject_failure names a call
 * of the engine interface, which of them since the run was opened, and the
 * status that it shall have: 'pages:3:no_memory'.  In other builds nothing of
 * this exists.
 */
#ifndef GPUAGG_INJECT_H
#define GPUAGG_INJECT_H

#include "engine/engine.h"

#ifdef GPUAGG_TESTING

/* Define the setting; once, when the module is loaded. */
extern void inject_init(void);

/*
 * To be asked before each call of an engine, by the name of EngineOps' member:
 * ENGINE_OK, or the status with which the call shall be taken to have failed
 * without being made, and a message (256 bytes) of its reason.
 */
extern EngineStatus inject_status(const char *call, char *message);

#else

#define inject_init() ((void) 0)
#define inject_status(call, message) ENGINE_OK

#endif

#endif							/* GPUAGG_INJECT_H */
