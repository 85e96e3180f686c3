/*
 * server.h
 *	  The device process's loop.
 *
 * Plain C99 without postgres.h.
 */
#ifndef GPUAGG_SERVER_H
#define GPUAGG_SERVER_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/devices.h"

/* Tables of so many pages and more are dealt over devices. */
#define DEAL_PAGES (1 << 20)

typedef struct ServiceConfig
{
	const char *buffers;		/* shared buffers, as this process has them */
	uint64_t	buffers_size;	/* bytes; 0: they cannot be read here */
	uint64_t	devices;		/* that are used, a bit each, 0: all; */
	uint32_t	left_out[DEVICES_MAX];	/* but for so many seconds from now on not those that
										 * have failed; 0: has not */
	uint64_t	max_device_memory;	/* bytes of each device for all runs together; 0:
									 * 80 % */
	uint64_t	cache_size;		/* bytes of it for columns that stay, or
								 * KEPT_SHARE */
	uint64_t	host_cache_size;	/* bytes of page-locked memory for those that it has no
									 * room for, for each device */
	uint64_t	deal_pages;		/* DEAL_PAGES; tests have fewer */
	bool		(*file_is_gone) (const uint32_t *file); /* a table's, as in TableState; NULL:
														 * nobody knows */
#ifdef GPUAGG_TESTING
	const struct EngineOps *engine; /* in the place of the CPU engine; NULL: itself */
	uint64_t	dies_at;		/* kill the process at its message of that number,
								 * of those that come and go; 0: never */
#endif
} ServiceConfig;

/*
 * Serve the connections of a listening socket (SOCK_SEQPACKET) until this process
 * ends, which it does by _exit: with status 1 when the device has failed, with a line in
 * the log before.  The process must be what process.c makes of it.
 *
 * status: a pipe; each write to it is one line for the server's log, without a
 * prefix, of at most 512 bytes with its newline, or a line of process.h's.
 *
 * While there is no device process, whoever holds the listening socket must accept
 * connections and close them: a session that is not answered waits for
 * gpuagg.device_timeout.
 */
extern void device_process_main(int listener, int status, const ServiceConfig *config)
			__attribute__((noreturn));

#endif							/* GPUAGG_SERVER_H */
