/*
 * path_input.h
 *	  What is below a path that has a single input.
 */
#ifndef GPUAGG_PATH_INPUT_H
#define GPUAGG_PATH_INPUT_H

#include "nodes/pathnodes.h"

/* The input of a path whose rows are those of its input, or NULL. */
extern const Path *path_same_rows(const Path *path);

/* The input of any path of PostgreSQL's that has one, also of an aggregation; or NULL. */
extern const Path *path_input(const Path *path);

#endif							/* GPUAGG_PATH_INPUT_H */
