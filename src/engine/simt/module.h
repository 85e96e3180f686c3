/*
 * module.h
 *	  Shared objects with kernels, loaded into the process.
 */
#ifndef GPUAGG_SIMT_MODULE_H
#define GPUAGG_SIMT_MODULE_H

#include "engine/cuda/device/device.h"
#include "engine/simt/shim.h"

typedef struct ModuleKernel
{
	DeviceKernel head;			/* first: callers have a pointer to it */
	struct ModuleKernel *next;
	DeviceModule *module;
	const SimtKernel *code;
	uint32_t	optin_shared;	/* bytes of dynamic shared memory: allow_shared */
	char		name[64];
} ModuleKernel;

struct DeviceModule
{
	void	   *handle;			/* dlopen's */
	SimtRuntime **rt;
	unsigned char *const *shared_bounds;
	ModuleKernel *kernels;		/* freed with the module */
};

/* These return NULL, with the reason in message, on failure. */
extern DeviceModule *simt_module_load(const void *image, size_t size,
									  char *message, size_t len);
extern ModuleKernel *simt_module_kernel(DeviceModule *module, const char *name,
										char *message, size_t len);
extern void simt_module_unload(DeviceModule *module);

#endif							/* GPUAGG_SIMT_MODULE_H */
