/*
 * server.c
 *	  The device process's loop.
 *
 * One thread waits for all connections and lets their tasks run, each until it gives way:
 * after each message, and wherever an engine waits for its device.  So runs take turns
 * by batches.  A session that hears nothing would give up, so those that wait
 * hear at least that this loop goes round.
 *
 * Owns the connections.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE				/* ppoll */
#endif
#include "service/device/server.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "engine/clock.h"
#include "engine/cuda/cuda_engine.h"
#include "service/device/connection.h"
#include "service/device/failures.h"
#include "service/device/feeder.h"
#include "service/device/process.h"
#include "service/wire/channel.h"
#include "service/wire/contents.h"

/* The loop's own descriptors come before those of the connections. */
enum
{
	POLL_LISTENER,
	POLL_STATUS,
	POLL_OWN
};

/* After a connection that could not be accepted, look again so much later. */
#define ACCEPT_AGAIN_NS UINT64_C(100000000)

/* How exact sleeps are; the kernel's default would add 50 microseconds. */
#define TIMER_SLACK_NS 1000

/* Compilers that nobody waits for, and what is queued for them, are looked at so often. */
#define KEEP_KERNELS_NS UINT64_C(100000000)

/* What is kept is written for planners so often, while there are connections. */
#define CONTENTS_NS UINT64_C(100000000)

/* Files of which columns are kept are looked at so often: are they still there? */
#define GONE_NS UINT64_C(1000000000)

typedef struct Loop
{
	Service		service;
	int			listener;
	int			nconnections;
	uint64_t	accept_after;	/* do not look at the listener before */
	uint64_t	keep_at;		/* when to keep kernels next */
	uint64_t	contents_at;	/* when to write what is kept next */
	uint64_t	gone_at;		/* when to look for files that are gone next */
	uint64_t	tell_at;		/* when to tell the worker that the loop goes round */
	uint64_t	begun;			/* when the process has */
	uint64_t	use_at;			/* when to use another device that was left out */
	bool		told_of_host_memory;	/* that there is no more of it */
	struct pollfd *polls;		/* of the loop and the connections, in their order */
	int			room;			/* of them */
} Loop;

static void __attribute__((noreturn))
give_up(const Loop *loop, const char *why)
{
	service_log(&loop->service, "%s", why);
	_exit(1);
}

static void
make_polls(Loop *loop)
{
	struct pollfd *poll;

	if (loop->room < POLL_OWN + loop->nconnections)
	{
		int			room = 2 * (POLL_OWN + loop->nconnections);
		struct pollfd *polls = realloc(loop->polls, (size_t) room * sizeof(struct pollfd));

		if (polls == NULL)
			give_up(loop, "out of memory");
		loop->polls = polls;
		loop->room = room;
	}
	poll = loop->polls;
	poll[POLL_LISTENER].fd = now_ns() < loop->accept_after ? -1 : loop->listener;
	poll[POLL_LISTENER].events = POLLIN;
	poll[POLL_STATUS].fd = loop->service.status;
	poll[POLL_STATUS].events = 0;
	poll += POLL_OWN;
	for (const Connection *c = loop->service.connections; c != NULL; c = c->next, poll++)
	{
		/* a closed socket is ready all the time */
		poll->fd = c->gone ? -1 : c->fd;
		poll->events = (short) (task_events(c->task) | POLLRDHUP);
	}
}

static uint64_t
earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Use all devices but those that are still to be left out. */
static void
use_devices(Loop *loop)
{
	const ServiceConfig *config = loop->service.config;
	uint64_t	now = now_ns();
	uint64_t	left_out = 0;

	if (now < loop->use_at)
		return;
	loop->use_at = TASK_NEVER;
	for (int i = 0; i < DEVICES_MAX; i++)
	{
		uint64_t	until = loop->begun + config->left_out[i] * UINT64_C(1000000000);

		if (until <= now)
			continue;
		left_out |= UINT64_C(1) << i;
		loop->use_at = earlier(loop->use_at, until);
	}
	cuda_engine_use(config->devices != 0 ? config->devices : UINT64_MAX, left_out);
}

/* A device is of no use any more, nor is this process. */
static void __attribute__((noreturn))
end_with_device(const Loop *loop)
{
	char		why[64];

	service_log(&loop->service, STATUS_LOST "%d", loop->service.lost_device);
	snprintf(why, sizeof(why), "device %d has failed", loop->service.lost_device);
	give_up(loop, why);
}

/* When this session must hear something again. */
static uint64_t
alive_at(const Connection *c)
{
	return c->owes && !c->gone ? c->sent + ALIVE_INTERVAL_MS * UINT64_C(1000000) : TASK_NEVER;
}

/* Until when there is nothing to do unless a descriptor says so. */
static uint64_t
next_time(const Loop *loop)
{
	uint64_t	next = earlier(earlier(loop->keep_at, loop->contents_at),
							   earlier(earlier(loop->gone_at, loop->tell_at), loop->use_at));

	if (loop->accept_after > now_ns())
		next = earlier(next, loop->accept_after);
	for (const Connection *c = loop->service.connections; c != NULL; c = c->next)
		next = earlier(next, earlier(task_until(c->task), alive_at(c)));
	return next;
}

static void
wait_for_events(Loop *loop)
{
	uint64_t	next = next_time(loop);
	uint64_t	now = now_ns();
	uint64_t	sleep = next > now ? next - now : 0;
	struct timespec limit = {(time_t) (sleep / 1000000000), (long) (sleep % 1000000000)};

	make_polls(loop);
	if (ppoll(loop->polls, (nfds_t) (POLL_OWN + loop->nconnections),
			  next == TASK_NEVER ? NULL : &limit, NULL) < 0)
	{
		if (errno != EINTR)
			give_up(loop, strerror(errno));
		for (int i = 0; i < POLL_OWN + loop->nconnections; i++)
			loop->polls[i].revents = 0;
	}
}

/* Let the connection's task go on, if what it waits for is there. */
static void
run_connection(Connection *c, short happened, uint64_t now)
{
	bool		closed = (happened & (POLLHUP | POLLRDHUP | POLLERR | POLLNVAL)) != 0;
	bool		due = (happened & task_events(c->task)) != 0 || task_until(c->task) <= now;

	c->gone |= closed;
	if (due || closed)
		task_resume(c->task);
	else if (alive_at(c) <= now)
		connection_say_alive(c);
}

/* All connections that were polled; new ones are not there yet. */
static void
run_connections(Loop *loop)
{
	const struct pollfd *poll = loop->polls + POLL_OWN;
	uint64_t	now = now_ns();

	for (Connection *c = loop->service.connections; c != NULL; c = c->next, poll++)
		run_connection(c, poll->revents, now);
}

static void
remove_done(Loop *loop)
{
	Connection **place = &loop->service.connections;

	while (*place != NULL)
	{
		Connection *c = *place;

		if (task_is_done(c->task))
		{
			*place = c->next;
			connection_free(c);
			loop->nconnections--;
		}
		else
			place = &c->next;
	}
}

/* What a connection's task does. */
static void
serve_connection(void *argument)
{
	Connection *c = argument;
	ChannelStatus status;

	while ((status = connection_receive(c)) == CHANNEL_BUSY && !c->gone)
		task_give_way(POLLIN, TASK_NEVER);
	if (status != CHANNEL_OK)
		return;
	if (c->message.head.type == MESSAGE_QUESTION)
		question_answer(c);
	else if (c->message.head.type == MESSAGE_OPEN)
		remote_run_serve(c);
	else if (c->message.head.type == MESSAGE_ATTACH)
		feeder_serve(c);
	else
		connection_fail(c, ENGINE_FAILED, "no run is open", NULL);
}

/* Others' turns come after those that are there. */
static void
add_connection(Loop *loop, int fd)
{
	Connection **last = &loop->service.connections;
	Connection *c = channel_is_same_user(fd) ? connection_create(&loop->service, fd, serve_connection) : NULL;

	if (c == NULL)
	{
		close(fd);
		return;
	}
	while (*last != NULL)
		last = &(*last)->next;
	*last = c;
	loop->nconnections++;
	loop->keep_at = earlier(loop->keep_at, now_ns() + KEEP_KERNELS_NS);
	loop->contents_at = earlier(loop->contents_at, now_ns() + CONTENTS_NS);
}

/* Runs ask for kernels, some of which are compiled when the last run has ended. */
static void
keep_kernels(Loop *loop)
{
	uint64_t	now = now_ns();

	if (now < loop->keep_at)
		return;
	loop->keep_at = cuda_engine_keep_kernels() || loop->nconnections > 0 ?
		now + KEEP_KERNELS_NS : TASK_NEVER;
}

/* What is kept changes while there are connections.  At first nothing is. */
static void
write_contents(Loop *loop)
{
	uint64_t	now = now_ns();

	if (now < loop->contents_at)
		return;
	contents_write();
	loop->contents_at = loop->nconnections > 0 ? now + CONTENTS_NS : TASK_NEVER;
}

/*
 * A table that has been dropped, truncated or rewritten has another file, or none.  Nobody asks for
 * what is kept of the old one, and it would stay until its memory is needed.
 */
static void
evict_gone(Loop *loop)
{
	bool		(*is_gone) (const uint32_t *) = loop->service.config->file_is_gone;
	uint64_t	now = now_ns();

	if (now < loop->gone_at)
		return;
	loop->gone_at = now + GONE_NS;
	if (is_gone != NULL && cuda_engine_evict_gone(is_gone))
		contents_write();
}

/* What is there of it is used on. */
static void
tell_of_host_memory(Loop *loop)
{
	char		why[256];

	if (loop->told_of_host_memory || !cuda_engine_host_memory_refused(why, sizeof(why)))
		return;
	loop->told_of_host_memory = true;
	service_log(&loop->service,
				"no more page-locked memory is taken for gpuagg.host_cache_size: %s", why);
}

/* A full pipe has been told often enough. */
static void
tell_worker(Loop *loop)
{
	uint64_t	now = now_ns();

	if (now < loop->tell_at)
		return;
	loop->tell_at = now + STATUS_INTERVAL_MS * UINT64_C(1000000);
	if (write(loop->service.status, STATUS_ALIVE "\n", sizeof(STATUS_ALIVE)) < 0)
		return;
}

static void
accept_connections(Loop *loop)
{
	int			fd;

	while ((fd = channel_accept(loop->listener)) >= 0)
		add_connection(loop, fd);
	if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED)
		loop->accept_after = now_ns() + ACCEPT_AGAIN_NS;
}

void
device_process_main(int listener, int status, const ServiceConfig *config)
{
	Loop		loop = {.listener = listener,.begun = now_ns()};

	loop.service.config = config;
	use_devices(&loop);
	cuda_engine_serve(config->max_device_memory, config->buffers, config->buffers_size);
	cuda_engine_keep_columns(config->cache_size);
	cuda_engine_keep_columns_on_host(config->host_cache_size);
	loop.service.status = status;
	(void) fcntl(listener, F_SETFL, O_NONBLOCK);
	(void) fcntl(status, F_SETFL, O_NONBLOCK);
	failures_log(&loop.service);
	(void) prctl(PR_SET_TIMERSLACK, TIMER_SLACK_NS);
	for (;;)
	{
		wait_for_events(&loop);
		/* whoever reads the log has gone, and with it the server */
		if (loop.polls[POLL_STATUS].revents & (POLLERR | POLLHUP))
			_exit(0);
		run_connections(&loop);
		remove_done(&loop);
		keep_kernels(&loop);
		write_contents(&loop);
		evict_gone(&loop);
		tell_of_host_memory(&loop);
		tell_worker(&loop);
		use_devices(&loop);
		if (loop.service.lost)
			end_with_device(&loop);
		if (loop.polls[POLL_LISTENER].revents != 0)
			accept_connections(&loop);
	}
}
