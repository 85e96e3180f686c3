/*
 * kept_info.h
 *	  What is kept of a table's column, to be shown.
 */
#ifndef GPUAGG_KEPT_INFO_H
#define GPUAGG_KEPT_INFO_H

#include <stdbool.h>
#include <stdint.h>

/* A limit of bytes of device memory: a quarter of what all runs together may have. */
#define KEPT_SHARE UINT64_MAX

typedef struct KeptInfo
{
	uint32_t	file[3];		/* as in TableState */
	uint32_t	relation;
	int			device;			/* its number */
	int16_t		attno;			/* as in Column; one read in two ways comes twice */
	bool		presence;		/* only whether it is NULL is kept */
	uint64_t	rows;
	uint64_t	bytes;			/* of device memory, and of host memory: */
	uint64_t	host_bytes;
	uint64_t	plain_bytes;	/* what they were without encodings */
	uint64_t	blocks;
	uint64_t	hits;			/* stripes of 1020 blocks that runs have taken from it */
	int64_t		last_used;		/* seconds since 1970 */
} KeptInfo;

#endif							/* GPUAGG_KEPT_INFO_H */
