/*
 * connection.h
 *	  A session's connection in the device process: its task and its messages.
 *
 * Plain C99 without postgres.h.
 */
#ifndef GPUAGG_CONNECTION_H
#define GPUAGG_CONNECTION_H

#include "engine/devices.h"
#include "service/device/admission.h"
#include "service/device/server.h"
#include "service/device/task.h"
#include "service/wire/channel.h"
#include "service/wire/protocol.h"

/* What all connections share. */
typedef struct Service
{
	const ServiceConfig *config;
	int			status;			/* the pipe of log lines */
	Admission	admissions[DEVICES_MAX];	/* by device; that of engines without one is
											 * device 0's */
	struct Connection *connections;
	struct Feeding *feedings;	/* runs that other sessions may feed, too */
	bool		lost;			/* a device has failed: this process must end; */
	int			lost_device;	/* its number */
#ifdef GPUAGG_TESTING
	uint64_t	messages;		/* received or begun to be sent */
#endif
} Service;

typedef struct Connection
{
	Service    *service;
	struct Connection *next;
	Task	   *task;
	int			fd;
	int			file;			/* that came with the message, or -1 */
	bool		gone;			/* the session is; nothing more will come or go */
	bool		owes;			/* the session may wait for a message */
	uint64_t	sent;			/* when it was sent the last one */
	struct Feeding *feeding;	/* the run that it feeds, or NULL */
	bool		is_run;			/* activity is shown */
	int32_t		session;		/* of the run, as it says */
	uint64_t	begun;			/* when the run came to wait for device memory */
	ActivityRow activity;
	Message		message;		/* that came last */
	Message		answer;			/* in the making */
} Connection;

/* A connection whose task calls serve with it; it owns the socket.  NULL: no memory. */
extern Connection *connection_create(Service *service, int fd,
									 void (*serve) (void *connection));
extern void connection_free(Connection *connection);

/*
 * For its task.  The next message, if there is one: BUSY if not; if it is BAD, the
 * session has been told why.
 */
extern ChannelStatus connection_receive(Connection *connection);

/* Send the answer, whose end it writes; waits for room.  False: the session is gone. */
extern bool connection_send(Connection *connection, int file);

/* Send FAILED. */
extern void connection_fail(Connection *connection, EngineStatus status, const char *message,
							const EngineStats *stats);

/* At any time: an ALIVE, if the socket has room. */
extern void connection_say_alive(Connection *connection);

/* A line for the server's log. */
extern void service_log(const Service *service, const char *format,...)
			__attribute__((format(printf, 2, 3)));

/*
 * questions.c: what the device process is asked: its devices, and what runs there.
 */

/* Answer the QUESTION that the connection's message is. */
extern void question_answer(Connection *connection);

/*
 * remote_run.c: a session's run of an engine.
 */

/* Serve the run that the connection's message opens, from its beginning to its end. */
extern void remote_run_serve(Connection *connection);

#endif							/* GPUAGG_CONNECTION_H */
