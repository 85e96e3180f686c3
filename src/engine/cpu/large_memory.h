/*
 * large_memory.h
 *	  Memory for tables that may be large.
 */
#ifndef GPUAGG_LARGE_MEMORY_H
#define GPUAGG_LARGE_MEMORY_H

#include <stddef.h>

/* How many bytes memory of this size can take. */
extern size_t large_size(size_t size);

/* Zeros; NULL: no memory. */
extern void *large_alloc(size_t size);

/*
 * Let memory of old_size bytes, which large_alloc or this has returned (or NULL, and 0), have
 * size bytes, more than before; what is new is zero.  NULL: no memory, and the old one is as it
 * was.
 */
extern void *large_grow(void *old, size_t old_size, size_t size);

/* size: that it was given.  NULL: nothing happens. */
extern void large_free(void *memory, size_t size);

#endif							/* GPUAGG_LARGE_MEMORY_H */
