/*
 * kernel_cache.h
 *	  Modules of kernels, kept loaded.
 */
#ifndef GPUAGG_KERNEL_CACHE_H
#define GPUAGG_KERNEL_CACHE_H

#include <stddef.h>

#include "engine/cuda/run/context.h"

/* A module in use; it stays loaded at least until it is released. */
typedef struct LoadedModule LoadedModule;

/*
 * Begin to get the module of that kernel text for such a device, which need not be
 * open yet: from disk, or compiled in a thread, unless too many compilers work
 * already.  For a text that will be loaded soon.  False: it is loaded.
 */
extern bool kernel_cache_ask(Context *context, const DeviceInfo *info, const char *text);

/*
 * The module of that kernel text for the context's device: loaded already, from
 * disk, or compiled.  *cached says that nothing was compiled.  While it waits for
 * the compiler it asks `interrupted`, unless that is NULL, whether it should go
 * on; BUSY if not, with a message.
 */
extern DeviceStatus kernel_cache_load(Context *context, const char *text,
									  bool (*interrupted) (void),
									  LoadedModule **module, bool *cached);

extern void kernel_cache_release(LoadedModule *module);
extern DeviceModule *kernel_cache_module(const LoadedModule *module);

/* Unload all modules of a context that is about to be closed. */
extern void kernel_cache_unload(Context *context);

#endif							/* GPUAGG_KERNEL_CACHE_H */
