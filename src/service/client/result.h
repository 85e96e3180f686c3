/*
 * result.h
 *	  A run's groups in the session: parts in memory, and beyond a limit in a store.
 *
 * Plain C99 without postgres.h.
 */
#ifndef GPUAGG_RESULT_H
#define GPUAGG_RESULT_H

#include "engine/engine.h"

typedef struct Result Result;

/*
 * Of the hints: wait; host_limit, and the store for what it does not allow.  The
 * Program must outlive it.  NULL: no memory.
 */
extern Result *result_create(const Program *program, const EngineHints *hints);
extern void result_free(Result *result);

/*
 * With EngineHints.streams a part is freed when its groups have been given, and none goes into the
 * store; until result_hold: from then on all are held, unless the store fails; then it streams
 * for good, and result_hold answers false.  Unread: parts of which groups may be left to be given.
 */
extern bool result_hold(Result *result);
extern bool result_streams(const Result *result);
extern uint32_t result_unread(const Result *result);

/*
 * Take a part, a file of groups_file.h of that size, which may be closed then.  If the
 * status is not OK, message (256 bytes) says why.
 */
extern EngineStatus result_add(Result *result, int file, uint64_t size, char *message);

/*
 * The next groups, none after the last; the first ones again, unless parts have been
 * freed.  Only parts in the store can fail.
 */
extern EngineStatus result_next(Result *result, GroupBatch *batch, char *message);
extern void result_rewind(Result *result);

/* Bytes, the most held at once; in how many pieces the groups come, 1: none is stored. */
extern uint64_t result_memory(const Result *result);
extern uint64_t result_batches(const Result *result);

#endif							/* GPUAGG_RESULT_H */
