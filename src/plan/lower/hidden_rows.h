/*
 * hidden_rows.h
 *	  Rows that the user may not see.
 */
#ifndef GPUAGG_HIDDEN_ROWS_H
#define GPUAGG_HIDDEN_ROWS_H

#include "nodes/pathnodes.h"

/* Is the query part of a view that is a security barrier, for all we know? */
extern bool is_behind_barrier(const PlannerInfo *root);

/* Can a table of the query have rows that are hidden from the user? */
extern bool has_hidden_rows(PlannerInfo *root, Index rti);

#endif							/* GPUAGG_HIDDEN_ROWS_H */
