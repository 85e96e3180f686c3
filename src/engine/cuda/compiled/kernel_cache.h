/*
 * kernel_cache.h
 *	  Modules of kernels, kept loaded.
 */
#ifndef GPUAGG_KERNEL_CACHE_H
#define GPUAGG_KERNEL_CACHE_H

#include "engine/cuda/device/device.h"

/*
 * A loaded module.  The modules of a device are a list, which begins as NULL and
 * belongs to whoever opened the device; a module in use stays loaded at least until
 * it is released.
 */
typedef struct LoadedModule LoadedModule;

/*
 * Begin to get the module of that kernel text for such a device, which need not be
 * open yet: from disk, or compiled in a thread, later if too many compilers work.  For a
 * text that will be loaded soon.  False: it is loaded, as one of `modules`.
 */
extern bool kernel_cache_prefetch(LoadedModule *modules, const DeviceOps *ops,
								  const DeviceInfo *info, const char *text);

/*
 * The same, and true if kernel_cache_load would not wait for a compiler; false for a
 * text that does not compile.
 */
extern bool kernel_cache_ready(LoadedModule *modules, const DeviceOps *ops,
							   const DeviceInfo *info, const char *text);

/*
 * The module of that kernel text for the device, whose modules are given: loaded
 * already, from disk, or compiled.  *cached says that nothing was compiled.  While
 * the compiler works it sleeps by `wait`, which is EngineHints.wait: BUSY if that
 * says that the run should end.  All failures leave a message in the device.
 */
extern DeviceStatus kernel_cache_load(Device *device, LoadedModule **modules,
									  const char *text, bool (*wait) (int milliseconds),
									  LoadedModule **module, bool *cached);

/*
 * All that a kernel text is made from: the same bytes make the same text.  So a module is
 * found without its text being made.
 */
#define RECIPE_PARTS 3

typedef struct KernelRecipe
{
	const void *parts[RECIPE_PARTS];
	size_t		sizes[RECIPE_PARTS];
} KernelRecipe;

/* The module that such a text was loaded as, if it still is; as kernel_cache_load. */
extern bool kernel_cache_find(LoadedModule *modules, const KernelRecipe *recipe,
							  LoadedModule **module);

/* Remember that the module's text was made from it, if there is memory; a copy. */
extern void kernel_cache_note(LoadedModule *module, const KernelRecipe *recipe);

extern void kernel_cache_release(LoadedModule *module);
extern DeviceModule *kernel_cache_module(const LoadedModule *module);

/* Unload all modules of a device that is about to be closed. */
extern void kernel_cache_unload(Device *device, LoadedModule **modules);

#endif							/* GPUAGG_KERNEL_CACHE_H */
