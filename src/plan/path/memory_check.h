/*
 * memory_check.h
 *	  Does the device memory that settings allow hold the groups that are expected?
 */
#ifndef GPUAGG_MEMORY_CHECK_H
#define GPUAGG_MEMORY_CHECK_H

#include "engine/engine.h"

/* If not, say why. */
extern bool device_holds_groups(const EngineOps *engine, const Program *program, double groups,
								char *reason, size_t len);

#endif							/* GPUAGG_MEMORY_CHECK_H */
