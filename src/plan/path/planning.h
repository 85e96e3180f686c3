/*
 * planning.h
 *	  How queries are planned.
 */
#ifndef GPUAGG_PLANNING_H
#define GPUAGG_PLANNING_H

/* Hooks into the planner.  Called once, when the module is loaded. */
extern void planning_init(void);

#endif							/* GPUAGG_PLANNING_H */
