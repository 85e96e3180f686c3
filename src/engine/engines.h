/*
 * engines.h
 *	  Which engines there are.
 *
 * Plain C99 without postgres.h.
 */
#ifndef GPUAGG_ENGINES_H
#define GPUAGG_ENGINES_H

typedef enum EngineId
{
#define ENGINE(id, name) ENGINE_ID_##id,
#include "engine/engines.def"
	NUM_ENGINES
} EngineId;

/* As settings, views and messages show it. */
static inline const char *
engine_id_name(EngineId id)
{
	static const char *const names[NUM_ENGINES] = {
#define ENGINE(id, name) [ENGINE_ID_##id] = name,
#include "engine/engines.def"
	};

	return names[id];
}

#endif							/* GPUAGG_ENGINES_H */
