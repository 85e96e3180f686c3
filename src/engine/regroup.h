/*
 * regroup.h
 *	  An engine's groups into coarser groups: grouping sets, DISTINCT aggregates.
 *
 * It is done on the CPU for the groups of every engine (engine/cpu/regroup.c).
 * Plain C99 without postgres.h, as engines are; memory comes from malloc.
 */
#ifndef GPUAGG_REGROUP_H
#define GPUAGG_REGROUP_H

#include "engine/engine.h"

/* Keys of the fine groups, a bit each, key 0 the lowest; so 64 are the most. */
typedef uint64_t KeySet;

/* Each set that is not the fine one has a table of its own. */
#define REGROUP_MAX_SETS 1024

typedef struct Regroup Regroup;

/*
 * The groups of `fine`, which an engine makes, become those of each of the sets.
 *
 * `coarse` says what becomes of a group: its columns are the fine keys, its keys
 * as many, in the same order; its first accumulators are all of fine's, merged;
 * all others take in one fine key each, and every value of it once a group of
 * the set.  It must not have parameters.  Both Programs are copied.
 *
 * hints: wait as of an engine's run; memory_limit, of all tables together; store, which
 * must grow: for what the limit does not allow.  Without one, too many groups end in
 * NO_MEMORY.  NULL: no memory.
 */
extern Regroup *regroup_create(const Program *fine, const Program *coarse,
							   const KeySet *sets, int nsets, const EngineHints *hints);

/*
 * The groups of several runs of one Program, each of which may come from any of them, become one
 * set of groups, number 0.  NULL: no memory.
 */
extern Regroup *regroup_of_runs(const Program *program, const EngineHints *hints);

/* EngineHints.unread_keys of the fine groups, where these are for such a regrouping alone. */
extern uint64_t regroup_unread_keys(const Program *fine, const Program *coarse, const KeySet *sets,
									int nsets);

extern void regroup_free(Regroup *regroup);

/*
 * Take in groups of the engine's, then say that these were all, again and again
 * while the answer is BUSY: there is more to do.  Any other status than OK ends
 * the whole: its reason is in message (256 bytes).
 */
extern EngineStatus regroup_add(Regroup *regroup, const GroupBatch *fine, char *message);
extern EngineStatus regroup_end(Regroup *regroup, char *message);

/*
 * Is the set the fine groups themselves?  Then they are not kept here, and must
 * be had from the engine once more.
 */
extern bool regroup_is_fine(const Regroup *regroup, int set);

/*
 * The next groups of a set, none after the last, and then from the first again.
 * Their keys are those of the set in their order, their states coarse's.  The
 * batch's arrays are reused by the next call.  A set is read to its end before the next.
 * Only groups in the store can fail, with it, or for lack of the machine's memory, or
 * be interrupted.
 */
extern EngineStatus regroup_groups(Regroup *regroup, int set, GroupBatch *batch, char *message);

/* Bytes, the most held at once; in how many parts the groups of a set came, the most. */
extern uint64_t regroup_memory(const Regroup *regroup);
extern uint64_t regroup_batches(const Regroup *regroup);

#endif							/* GPUAGG_REGROUP_H */
