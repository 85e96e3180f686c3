/*
 * kernel_cache.h
 *	  Compiled kernels, kept in memory and on disk.
 */
#ifndef GPUAGG_KERNEL_CACHE_H
#define GPUAGG_KERNEL_CACHE_H

#include <stddef.h>

#include "engine/cuda/context.h"

/*
 * Where compiled kernels are kept; NULL or empty (the start value): only in
 * memory.  The directory is made if it is not there; the string is copied.
 */
extern void kernel_cache_directory(const char *path);

/* The most bytes that files in it may have; the oldest are removed first. */
extern void kernel_cache_limit(size_t bytes);

/* A module in use; it stays loaded at least until it is released. */
typedef struct LoadedModule LoadedModule;

/*
 * The module of that kernel text for the context's device: loaded already, from
 * disk, or compiled.  *cached says that nothing was compiled.
 */
extern DeviceStatus kernel_cache_load(Context *context, const char *text,
									  LoadedModule **module, bool *cached);
extern void kernel_cache_release(LoadedModule *module);
extern DeviceModule *kernel_cache_module(const LoadedModule *module);

/* Unload all modules of a context that is about to be closed. */
extern void kernel_cache_unload(Context *context);

#endif							/* GPUAGG_KERNEL_CACHE_H */
