/*
 * link.h
 *	  A session's connection to the device process: made without waiting, and given
 *	  up when it stays silent.
 *
 * Plain C99 without postgres.h.
 */
#ifndef GPUAGG_LINK_H
#define GPUAGG_LINK_H

#include "service/client/client.h"
#include "service/wire/channel.h"

typedef struct Link
{
	const ClientConfig *config;
	int			fd;				/* -1: not connected */
	bool		waits;			/* for the other side, since the last call */
	uint64_t	quiet_since;	/* heard nothing, or waited for nothing */
	int			file;			/* that came with the message, or -1 */
	Message		message;		/* that came last */
} Link;

extern void link_init(Link *link, const ClientConfig *config);
extern void link_close(Link *link);

/*
 * All of these: OK, or BUSY, or FAILED and why in a message of 256 bytes.
 *
 * Before anything else: be connected.  FAILED: nobody listens.
 */
extern EngineStatus link_connect(Link *link, char *why);

/* The next message; BUSY: there is none. */
extern EngineStatus link_receive(Link *link, char *why);

/*
 * Send a message, whose end this writes; BUSY: there is no room.  OK does not say that
 * the other side is still there: link_receive does.
 */
extern EngineStatus link_send(Link *link, Message *message, int file, char *why);

/* Does the session wait for the other side now?  To be told after each call. */
extern void link_wait(Link *link, bool waits);

#endif							/* GPUAGG_LINK_H */
