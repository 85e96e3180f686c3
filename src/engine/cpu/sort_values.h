/*
 * sort_values.h
 *	  Unsigned integers into their order.
 */
#ifndef GPUAGG_SORT_VALUES_H
#define GPUAGG_SORT_VALUES_H

#include <stdint.h>

/* scratch: room for as many; the sorted values are where the result points, one of the two. */
extern uint64_t *sort_values(uint64_t *values, uint64_t *scratch, uint64_t n);

#endif							/* GPUAGG_SORT_VALUES_H */
