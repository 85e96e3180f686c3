/*
 * devices.h
 *	  The machine's CUDA devices.
 *
 * Plain C99 without postgres.h.
 */
#ifndef GPUAGG_DEVICES_H
#define GPUAGG_DEVICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The most devices of a kind that are told apart. */
#define DEVICES_MAX 64

/* What a device says of itself. */
typedef struct DeviceInfo
{
	char		name[128];
	uint64_t	memory;			/* bytes */
	int			major,
				minor;			/* compute capability */
	int			driver;			/* CUDA version of the driver, 13000 is 13.0; 0:
								 * none */
	int			compiler;		/* NVRTC's version, likewise */
	int			multiprocessors;
	uint32_t	shared_limit;	/* most shared memory a block can opt in to */
	bool		usable;
	char		reason[160];	/* why not usable */
} DeviceInfo;

/*
 * Fills at most max infos and returns how many devices there are.  Without a
 * driver: 0, and why says what is missing.
 */
extern int	cuda_devices(DeviceInfo *infos, int max, char *why, size_t len);

#endif							/* GPUAGG_DEVICES_H */
