/*
 * protect.h
 *	  Keep this process from writing to memory that it shares with others.
 *
 * Plain C99 without postgres.h.
 */
#ifndef GPUAGG_PROTECT_H
#define GPUAGG_PROTECT_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Detach System V segments, and make all other shared mappings of this process
 * read-only.  If not all of them are so afterwards: false, and why.
 */
extern bool protect_shared_memory(char *why, size_t len);

#endif							/* GPUAGG_PROTECT_H */
