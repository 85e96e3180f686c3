/*
 * kernel_source.c
 *	  All that a compiled image is made of, as one text.
 *
 * That is the kernel text, which holds the Program and its layout; the texts that
 * it includes, by their SHA-256, which stands for them; the kind of device, its
 * architecture, the compiler's version, and gpuagg's.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/cuda/compiled/fnv.h"
#include "engine/cuda/compiled/kernel_source.h"
#include "engine/cuda/kernels/kernel_text.h"

#ifdef GPUAGG_TESTING
uint64_t	kernel_source_hash_mask = UINT64_MAX;
#else
#define kernel_source_hash_mask UINT64_MAX
#endif

KernelSource *
kernel_source_make(const DeviceOps *ops, const DeviceInfo *info, const char *kernel_text)
{
	char		head[256];
	size_t		size = strlen(kernel_text);
	KernelSource *source;
	int			n;

	n = snprintf(head, sizeof(head), "%s gpuagg %s includes %s sm_%d%d compiler %d\n",
				 ops->name, GPUAGG_VERSION, kernel_text_digest, info->major, info->minor,
				 info->compiler);
	source = malloc(sizeof(KernelSource) + (size_t) n + size + 1);
	if (source == NULL)
		return NULL;
	source->kernel = (size_t) n;
	source->size = (size_t) n + size;
	memcpy(source->text, head, source->kernel);
	memcpy(source->text + source->kernel, kernel_text, size + 1);
	source->hash = fnv_add(FNV_START, source->text, source->size) & kernel_source_hash_mask;
	return source;
}

KernelSource *
kernel_source_copy(const KernelSource *source)
{
	KernelSource *copy = malloc(sizeof(KernelSource) + source->size + 1);

	if (copy != NULL)
		memcpy(copy, source, sizeof(KernelSource) + source->size + 1);
	return copy;
}

bool
kernel_source_equal(const KernelSource *a, const KernelSource *b)
{
	return a->hash == b->hash && a->size == b->size &&
		memcmp(a->text, b->text, a->size) == 0;
}
