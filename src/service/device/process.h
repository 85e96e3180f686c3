/*
 * process.h
 *	  Becoming the device process.
 */
#ifndef GPUAGG_PROCESS_H
#define GPUAGG_PROCESS_H

/*
 * What the device process writes to the status pipe is lines for the server's log,
 * of at most so many bytes with the newline, but for these four: it serves from now on; its
 * loop has gone round, which it says every STATUS_INTERVAL_MS from then on; it ends, since
 * there is no device, for the reason that follows; it will end, since the device has failed whose
 * number follows.
 */
#define STATUS_MAX_LINE 512
#define STATUS_SERVES "\001serves"
#define STATUS_ALIVE "\001alive"
#define STATUS_NO_DEVICE "\001no device: "
#define STATUS_LOST "\001lost "
#define STATUS_INTERVAL_MS 1000

/*
 * fork() for the device process, which gets both descriptors, the pipe's for writing; by device,
 * for how many seconds it is left out (ServiceConfig.left_out).
 * Returns its process ID, or -1 with errno.  Called with all signals blocked.
 */
extern pid_t device_process_fork(int listener, int status, const uint32_t *left_out);

#ifdef GPUAGG_TESTING
/*
 * Of the next device process: gpuagg.device_dies_at (ServiceConfig.dies_at), gpuagg.device_delay.
 */
extern int	device_process_dies_at;
extern int	device_process_delay;
#endif

/*
 * Has a table's file, as in TableState, been removed?  In a process whose working directory is the
 * data directory; raises no error.
 */
extern bool table_file_is_gone(const uint32_t *file);

#endif							/* GPUAGG_PROCESS_H */
