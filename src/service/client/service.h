/*
 * service.h
 *	  The device process, as sessions know it.
 */
#ifndef GPUAGG_SERVICE_H
#define GPUAGG_SERVICE_H

/*
 * Does the device process serve?  If there is none, it is started, which may take some
 * seconds and can be interrupted.  If there will be none soon: false, and why.
 */
extern bool service_start(char *reason, size_t len);

/*
 * As service_start, but true also if the device process has ended and will be started
 * again after a pause, for which neither of them waits.
 */
extern bool service_exists(char *reason, size_t len);

/* What was said of missing devices no longer counts: the next start looks again. */
extern void service_look_again(void);

#endif							/* GPUAGG_SERVICE_H */
