/*
 * rewarm.h
 *	  In the device worker: what one device process has kept, the next one keeps again.
 */
#ifndef GPUAGG_REWARM_H
#define GPUAGG_REWARM_H

/* A device process begins to serve. */
extern void rewarm_begin(void);

/* While it serves: returns after how many milliseconds to call this again. */
extern int	rewarm_go_on(void);

/* Write the names of what is kept now, if all is there again that shall be. */
extern void rewarm_save(void);

/* The worker ends, and the server has not crashed. */
extern void rewarm_end(void);

#endif							/* GPUAGG_REWARM_H */
