/*
 * heat.h
 *	  How much kept columns are read, which decides what gives way to what.
 *
 * A column has a heat: one for each run that reads it, up to a most, halved every day.
 */
#ifndef GPUAGG_HEAT_H
#define GPUAGG_HEAT_H

#include <math.h>
#include <stdint.h>

#define HEAT_MOST 16.0
#define HEAT_HALF_SECONDS 86400.0

/* Of a heat, what gives way to it has at most. */
#define HEAT_GIVES_WAY 0.5

/* What is left now of the heat of a moment; both in seconds. */
static inline double
heat_left(double heat, int64_t at, int64_t now)
{
	double		seconds = (double) (now - at);

	return seconds <= 0 ? heat : heat * exp2(-seconds / HEAT_HALF_SECONDS);
}

#endif							/* GPUAGG_HEAT_H */
