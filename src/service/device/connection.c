/*
 * connection.c
 *	  A session's connection in the device process: its task and its messages.
 *
 * The first message says what the connection is for: a question, a run, or rows for
 * another session's run.  The
 * connection is served by a task and ends with it.
 *
 * A connection owns its socket, the file that came with a message until somebody
 * takes it, and its task.
 */
#include "service/device/connection.h"

#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/clock.h"
#include "service/wire/channel.h"

void
service_log(const Service *service, const char *format,...)
{
	char		line[512];
	va_list		args;
	int			n;

	va_start(args, format);
	n = vsnprintf(line, sizeof(line) - 1, format, args);
	va_end(args);
	if (n < 0)
		return;
	if ((size_t) n > sizeof(line) - 2)
		n = sizeof(line) - 2;
	line[n] = '\n';
	/* a log that nobody reads must not stop anything */
	if (write(service->status, line, (size_t) n + 1) < 0)
		return;
}

/* In builds for tests: die here, if that was asked for. */
static void
count_message(Service *service)
{
#ifdef GPUAGG_TESTING
	if (++service->messages == service->config->dies_at)
		raise(SIGKILL);
#endif
}

Connection *
connection_create(Service *service, int fd, void (*serve) (void *connection))
{
	Connection *c = malloc(sizeof(*c));

	if (c == NULL)
		return NULL;
	/* its messages are written before they are read */
	memset(c, 0, offsetof(Connection, message));
	c->service = service;
	c->fd = fd;
	c->file = -1;
	c->task = task_create(serve, c);
	if (c->task != NULL)
		return c;
	free(c);
	return NULL;
}

void
connection_free(Connection *c)
{
	if (c->file >= 0)
		close(c->file);
	close(c->fd);
	task_free(c->task);
	free(c);
}

ChannelStatus
connection_receive(Connection *c)
{
	char		why[256];
	ChannelStatus status;

	if (c->gone)
		return CHANNEL_GONE;
	if (c->file >= 0)
		close(c->file);
	status = channel_receive(c->fd, false, &c->message, &c->file, why, sizeof(why));
	if (status == CHANNEL_OK)
		count_message(c->service);
	else if (status == CHANNEL_GONE)
		c->gone = true;
	else if (status == CHANNEL_BAD)
	{
		service_log(c->service, "a session's message was refused: %s", why);
		connection_fail(c, ENGINE_FAILED, why, NULL);
	}
	return status;
}

bool
connection_send(Connection *c, int file)
{
	ChannelStatus status;

	message_end(&c->answer);
	count_message(c->service);
	while (!c->gone &&
		   (status = channel_send(c->fd, &c->answer, file)) != CHANNEL_OK)
	{
		if (status == CHANNEL_BUSY)
			task_give_way(POLLOUT, TASK_NEVER);
		else
			c->gone = true;
	}
	c->sent = now_ns();
	return !c->gone;
}

void
connection_fail(Connection *c, EngineStatus status, const char *message,
				const EngineStats *stats)
{
	FailedMessage *failed = &c->answer.failed;

	message_begin(&c->answer, MESSAGE_FAILED);
	failed->status = status;
	snprintf(failed->message, sizeof(failed->message), "%s", message);
	if (stats != NULL)
		failed->stats = *stats;
	(void) connection_send(c, -1);
}

void
connection_say_alive(Connection *c)
{
	Message		alive;

	message_begin(&alive, MESSAGE_ALIVE);
	message_end(&alive);
	(void) channel_send(c->fd, &alive, -1);
	c->sent = now_ns();
}
