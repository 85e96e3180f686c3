/*
 * kept_names.h
 *	  The names of columns that are kept in device memory, in a file: what a later device
 *	  process shall keep again.
 *
 * Plain C99 without postgres.h.
 */
#ifndef GPUAGG_KEPT_NAMES_H
#define GPUAGG_KEPT_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "service/wire/protocol.h"

#define KEPT_NAMES_FILE SERVICE_DIRECTORY "/kept"

typedef struct KeptName
{
	uint32_t	tablespace;		/* of the table's file */
	uint32_t	database;
	uint32_t	relation;
	int32_t		attno;			/* 1 to PROGRAM_MAX_ATTRS */
} KeptName;

/* Write the file anew.  False, with errno: it is what it was. */
extern bool kept_names_write(const KeptName *names, uint32_t n);

/*
 * The file's names, malloc'd, n of them, in the order in which they were written.  NULL: there are
 * none; damaged: but there is a file.
 */
extern KeptName *kept_names_read(uint32_t *n, bool *damaged);

/*
 * Note that these columns are about to be kept again, until the end of that is noted.  False, with
 * errno: EEXIST if the end of the last time was not.
 */
extern bool kept_names_begin(void);
extern void kept_names_end(void);

#endif							/* GPUAGG_KEPT_NAMES_H */
