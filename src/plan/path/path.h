/*
 * path.h
 *	  The GpuAgg path: offering it to the planner, and its plan.
 */
#ifndef GPUAGG_PATH_H
#define GPUAGG_PATH_H

/* Hooks into the planner.  Called once, when the module is loaded. */
extern void path_init(void);

#endif							/* GPUAGG_PATH_H */
