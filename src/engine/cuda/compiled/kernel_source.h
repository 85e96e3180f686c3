/*
 * kernel_source.h
 *	  All that a compiled image is made of, as one text.
 */
#ifndef GPUAGG_KERNEL_SOURCE_H
#define GPUAGG_KERNEL_SOURCE_H

#include "engine/cuda/device/device.h"

/*
 * text: a line that says what else than the kernel text decides about the image,
 * and from kernel on the kernel text.  Images fit if the whole text is the same;
 * the hash is for finding them.
 */
typedef struct KernelSource
{
	uint64_t	hash;
	size_t		size;			/* of text, without the NUL at its end */
	size_t		kernel;
	char		text[];
} KernelSource;

/* In malloc'd memory, for the caller to free; NULL: out of memory. */
extern KernelSource *kernel_source_make(const DeviceOps *ops, const DeviceInfo *info,
										const char *kernel_text);
extern KernelSource *kernel_source_copy(const KernelSource *source);

extern bool kernel_source_equal(const KernelSource *a, const KernelSource *b);

#ifdef GPUAGG_TESTING
/* The bits of hashes that count: tests make sources collide. */
extern uint64_t kernel_source_hash_mask;
#endif

#endif							/* GPUAGG_KERNEL_SOURCE_H */
