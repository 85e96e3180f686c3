/*
 * explain_option.h
 *	  EXPLAIN (GPUAGG): what becomes of each grouping of the query.
 */
#ifndef GPUAGG_EXPLAIN_OPTION_H
#define GPUAGG_EXPLAIN_OPTION_H

/* Register the option, where PostgreSQL has such.  Called once, when the module is loaded. */
extern void explain_option_init(void);

#endif							/* GPUAGG_EXPLAIN_OPTION_H */
