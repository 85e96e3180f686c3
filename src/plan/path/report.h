/*
 * report.h
 *	  What gpuagg.report_rejections tells.
 */
#ifndef GPUAGG_REPORT_H
#define GPUAGG_REPORT_H

/* Hooks into the planner.  Called once, when the module is loaded. */
extern void report_init(void);

/* An aggregation of the query that is being planned is left to PostgreSQL. */
extern void report_rejection(const char *reason);

#endif							/* GPUAGG_REPORT_H */
