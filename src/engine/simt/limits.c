/*
 * limits.c
 *	  What the driver refuses to launch, by the numbers of real devices.
 *
 * The driver refuses a launch whose grid or block is empty or too large, whose block has
 * more threads than the kernel's launch bounds or than there are registers for, or more
 * shared memory, static and dynamic together, than 48 kB or what the kernel has been
 * allowed.
 *
 * What is not known here is taken at its worst.  A kernel without launch bounds may have
 * been given 255 registers a thread, so that the 65,536 of a multiprocessor are enough for
 * 256 threads.  With launch bounds the compiler sees to the registers.  Static shared memory
 * is that of all kernels of the module.
 */
#include "engine/simt/limits.h"

#include <stdio.h>
#include <string.h>

#include "engine/simt/block.h"

#define MAX_GRID INT32_MAX

/*
 * CUDA's programming guide, "maximum amount of shared memory per thread block".  No GPU is
 * known to differ from others of its compute capability.
 */
static const SimtModel models[] = {
	{7, 0, 96 * 1024},
	{7, 5, 64 * 1024},
	{8, 0, 163 * 1024},
	{8, 6, 99 * 1024},
	{8, 9, 99 * 1024},
	{9, 0, 227 * 1024},
	{10, 0, 227 * 1024},
	{12, 0, 99 * 1024}
};

const SimtModel *
simt_model(const char *capability)
{
	int			major,
				minor;

	if (sscanf(capability, "%d.%d", &major, &minor) != 2)
		return NULL;
	for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++)
		if (models[i].major == major && models[i].minor == minor)
			return &models[i];
	return NULL;
}

uint32_t
simt_static_shared(const ModuleKernel *kernel)
{
	unsigned char *const *bounds = kernel->module->shared_bounds;

	return (uint32_t) (bounds[1] - bounds[0]) - SIMT_SHARED_MARK;
}

bool
simt_may_allow_shared(const SimtModel *model, const ModuleKernel *kernel, uint32_t shared,
					  char *why, size_t len)
{
	if (shared <= model->shared_limit &&
		simt_static_shared(kernel) <= model->shared_limit - shared)
		return true;
	snprintf(why, len, "a block can have %u bytes of shared memory", model->shared_limit);
	return false;
}

bool
simt_may_launch(const ModuleKernel *kernel, uint32_t grid, uint32_t block, uint32_t shared,
				char *why, size_t len)
{
	uint64_t	whole = (uint64_t) simt_static_shared(kernel) + shared;

	if (grid == 0 || grid > MAX_GRID)
		snprintf(why, len, "a grid has 1 to %d blocks", MAX_GRID);
	else if (block == 0 || block > SIMT_MAX_BLOCK)
		snprintf(why, len, "a block has 1 to %d threads", SIMT_MAX_BLOCK);
	else if (block > kernel->code->threads)
		snprintf(why, len, "the kernel's launch bounds, or a thread's registers, allow %u threads",
				 kernel->code->threads);
	else if (whole > SIMT_SHARED_DEFAULT && shared > kernel->optin_shared)
		snprintf(why, len, "%llu bytes of shared memory have not been allowed",
				 (unsigned long long) whole);
	else
		return true;
	return false;
}
