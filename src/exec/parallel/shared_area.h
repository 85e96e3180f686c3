/*
 * shared_area.h
 *	  Memory of a query's dsa_area, as long as the machine has any.
 */
#ifndef GPUAGG_SHARED_AREA_H
#define GPUAGG_SHARED_AREA_H

#include "utils/dsa.h"

/*
 * Before the first shared_area_allocate, once for an area.  After an error, which does not detach
 * the area, the process must do so, or end.
 */
extern void shared_area_begin(dsa_area *area);

/* Memory of an area that has begun; invalid: the machine has no more, or PostgreSQL. */
extern dsa_pointer shared_area_allocate(dsa_area *area, Size size);

#endif							/* GPUAGG_SHARED_AREA_H */
