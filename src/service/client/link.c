/*
 * link.c
 *	  A session's connection to the device process: made without waiting, and given
 *	  up when it stays silent.
 *
 * Silence counts only while the session waits, and only what is left of it once all
 * messages that have come are read: a session that was busy itself, or stopped, blames
 * nobody.
 */
#include "service/client/link.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "engine/clock.h"

void
link_init(Link *link, const ClientConfig *config)
{
	link->config = config;
	link->fd = -1;
	link->waits = false;
	link->quiet_since = now_ns();
	link->file = -1;
}

static void
drop_file(Link *link)
{
	if (link->file >= 0)
		close(link->file);
	link->file = -1;
}

void
link_close(Link *link)
{
	drop_file(link);
	if (link->fd >= 0)
		close(link->fd);
	link->fd = -1;
}

void
link_wait(Link *link, bool waits)
{
	if (!link->waits)
		link->quiet_since = now_ns();
	link->waits = waits;
}

/* BUSY, until it has been quiet for too long. */
static EngineStatus
still_quiet(const Link *link, const char *what, char *why)
{
	uint64_t	quiet = (now_ns() - link->quiet_since) / 1000000;

	if (!link->waits || quiet < (uint64_t) link->config->device_timeout)
		return ENGINE_BUSY;
	snprintf(why, 256, "%s for %llu ms", what, (unsigned long long) quiet);
	return ENGINE_FAILED;
}

EngineStatus
link_connect(Link *link, char *why)
{
	if (link->fd >= 0)
		return ENGINE_OK;
	link->fd = channel_connect(link->config->socket);
	if (link->fd < 0)
	{
		if (errno == EAGAIN || errno == EINTR)
			return still_quiet(link, "the device process has accepted no connection", why);
		snprintf(why, 256, "could not connect to the device process: %s", strerror(errno));
		return ENGINE_LOST;
	}
	if (channel_is_same_user(link->fd))
		return ENGINE_OK;
	snprintf(why, 256, "the device process belongs to another user");
	return ENGINE_FAILED;
}

/* Of what a socket has come to. */
static EngineStatus
status_of(const Link *link, ChannelStatus status, char *why)
{
	switch (status)
	{
		case CHANNEL_OK:
			return ENGINE_OK;
		case CHANNEL_BUSY:
			return still_quiet(link, "the device process has been silent", why);
		case CHANNEL_GONE:
			snprintf(why, 256, "the device process has ended");
			return ENGINE_LOST;
		case CHANNEL_BAD:
			break;
	}
	return ENGINE_FAILED;
}

EngineStatus
link_receive(Link *link, char *why)
{
	ChannelStatus status;

	drop_file(link);
	status = channel_receive(link->fd, true, &link->message, &link->file, why, 256);
	if (status == CHANNEL_OK)
		link->quiet_since = now_ns();
	return status_of(link, status, why);
}

EngineStatus
link_send(Link *link, Message *message, int file, char *why)
{
	ChannelStatus status;

	message_end(message);
	snprintf(why, 256, "could not write to the device process");
	status = channel_send(link->fd, message, file);
	/* it may have said why before it went: link_receive tells, once that is read */
	if (status == CHANNEL_GONE)
		return ENGINE_OK;
	return status_of(link, status, why);
}
