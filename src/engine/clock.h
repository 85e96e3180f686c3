/*
 * clock.h
 *	  The time that engines measure their work with.
 */
#ifndef GPUAGG_CLOCK_H
#define GPUAGG_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Nanoseconds of a clock that is never set back; only differences mean something. */
static inline uint64_t
now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t) now.tv_sec * 1000000000 + (uint64_t) now.tv_nsec;
}

#endif							/* GPUAGG_CLOCK_H */
