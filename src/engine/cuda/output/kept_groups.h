/*
 * kept_groups.h
 *	  Groups in the host's memory: all of them, before the first one is given.
 */
#ifndef GPUAGG_KEPT_GROUPS_H
#define GPUAGG_KEPT_GROUPS_H

#include "engine/cuda/codegen/layout.h"
#include "engine/cuda/kernels/kernel_args.h"
#include "engine/engine.h"

/* Groups as the device has put them out, downloaded. */
typedef struct Window
{
	const Counters *counters;	/* how many there are, and bytes of texts */
	const char *vectors;		/* behind one another, as KernelLayout.out_* say */
	const char *texts;			/* of keys and extremes */
	uint32_t	capacity;		/* groups that each vector has room for */
} Window;

/* A list of batches; each is one piece of memory, its vectors behind its head. */
typedef struct KeptGroups
{
	struct KeptGroups *next;
	GroupBatch	batch;
} KeptGroups;

/* The states of a window's groups, whose extremes of texts have places in texts. */
extern const uint64_t *window_states(const KernelLayout *layout, const Window *window);

/*
 * Without texts, a window's groups can be given where they are.  keys: room for as many
 * as the Program has; batch.units are the caller's to set.
 */
extern bool window_can_be_given(const KernelLayout *layout);
extern GroupBatch window_batch(const Program *program, const KernelLayout *layout,
							   const Window *window, ColumnVector *keys);

/*
 * Copy a window's groups, of which there are some; extremes of texts have addresses
 * then, see state.h.  `next` and batch.units are the caller's to set.  NULL: out of
 * memory.
 */
extern KeptGroups *kept_groups_make(const Program *program, const KernelLayout *layout,
									const Window *window);

/* Free a list. */
extern void kept_groups_free(KeptGroups *kept);

#endif							/* GPUAGG_KEPT_GROUPS_H */
