/*
 * limits.h
 *	  What the driver refuses to launch, by the numbers of real devices.
 */
#ifndef GPUAGG_SIMT_LIMITS_H
#define GPUAGG_SIMT_LIMITS_H

#include "engine/cuda/device/device.h"
#include "engine/simt/module.h"

/* Shared memory of a block, static and dynamic, of a kernel that was not allowed more. */
#define SIMT_SHARED_DEFAULT (48 * 1024)

/* A device, as far as launches depend on it. */
typedef struct SimtModel
{
	int			major,
				minor;			/* compute capability */
	uint32_t	shared_limit;	/* shared memory that a block can be allowed */
} SimtModel;

/* That of this compute capability, as "8.6"; NULL: there is none. */
extern const SimtModel *simt_model(const char *capability);

/* False, with the driver's reason, if a kernel's blocks cannot have that. */
extern bool simt_may_allow_shared(const SimtModel *model, const ModuleKernel *kernel,
								  uint32_t shared, char *why, size_t len);
extern bool simt_may_launch(const ModuleKernel *kernel, uint32_t grid, uint32_t block,
							uint32_t shared, char *why, size_t len);

/* Shared memory that the kernel's module declares. */
extern uint32_t simt_static_shared(const ModuleKernel *kernel);

#endif							/* GPUAGG_SIMT_LIMITS_H */
