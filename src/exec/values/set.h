/*
 * set.h
 *	  An array's elements as a set, for parameters.
 */
#ifndef GPUAGG_SET_H
#define GPUAGG_SET_H

#include "program/fn.h"

/* The set (ops_set.h) of an array's elements, palloc'd. */
extern Bytes set_of_array(Datum array);

#endif							/* GPUAGG_SET_H */
