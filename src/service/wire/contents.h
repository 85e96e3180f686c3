/*
 * contents.h
 *	  The table of contents of what is kept in device memory: a file that the device
 *	  process writes and sessions read, for the planner.
 *
 * Plain C99 without postgres.h.
 */
#ifndef GPUAGG_CONTENTS_H
#define GPUAGG_CONTENTS_H

#include "service/wire/protocol.h"

/* Of the device process: what is kept now, malloc'd, n rows of it; NULL: no memory. */
extern CacheRow *contents_now(uint32_t *n);

/* Likewise: write the file, if it is not what was written last.  Errors are not told. */
extern void contents_write(void);

/*
 * Of a session: the file's rows, malloc'd, without hits and times; NULL: there is none.  They
 * may be older than what is kept.
 */
extern CacheRow *contents_read(uint32_t *n);

#endif							/* GPUAGG_CONTENTS_H */
