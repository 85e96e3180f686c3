/*
 * key_values.h
 *	  How many values an expression can have, by its form and statistics' ranges.
 */
#ifndef GPUAGG_KEY_VALUES_H
#define GPUAGG_KEY_VALUES_H

#include "nodes/pathnodes.h"

/* About so many at most; 0: its form tells nothing. */
extern double key_values(PlannerInfo *root, Node *key);

#endif							/* GPUAGG_KEY_VALUES_H */
