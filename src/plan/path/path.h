/*
 * path.h
 *	  The GpuAgg path: offering it to the planner, and its plan.  And how queries are planned.
 */
#ifndef GPUAGG_PATH_H
#define GPUAGG_PATH_H

/* Hooks into the planner.  Called once, when the module is loaded. */
extern void path_init(void);

/*
 * Let gpuagg look at a grouping after all extensions that have been loaded by now.  They may
 * replace the paths of those that look before them.  It comes last once in a session, so that
 * no chain of hooks can be a ring.
 */
extern void path_come_last(void);

/* planning.c: hooks into the planner, likewise. */
extern void planning_init(void);

#endif							/* GPUAGG_PATH_H */
