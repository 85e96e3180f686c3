/*
 * service_process.h
 *	  A device process for tests: the server in a child, and a client's settings.
 *
 * Part of the one program that includes it.
 */
#ifndef SERVICE_PROCESS_H
#define SERVICE_PROCESS_H

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/clock.h"
#include "mutate.h"
#include "service/wire/channel.h"
#include "service/client/client.h"
#include "service/device/server.h"

typedef struct ServiceProcess
{
	pid_t		pid;
	int			listener;
	int			log;			/* what it has to say */
	char		directory[64];
	char		socket[96];
} ServiceProcess;

/* A listening socket in a directory of its own. */
static inline void
service_listen(ServiceProcess *service)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};

	snprintf(service->directory, sizeof(service->directory), "/tmp/gpuagg_test_XXXXXX");
	if (mkdtemp(service->directory) == NULL)
		abort();
	snprintf(service->socket, sizeof(service->socket), "%s/socket", service->directory);
	snprintf(address.sun_path, sizeof(address.sun_path), "%s", service->socket);
	service->listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (service->listener < 0 ||
		bind(service->listener, (struct sockaddr *) &address, sizeof(address)) != 0 ||
		listen(service->listener, 64) != 0)
		abort();
}

/* Start the device process; its working directory has its socket. */
static inline void
service_begin(ServiceProcess *service, const ServiceConfig *config)
{
	int			pipes[2];

	service_listen(service);
	if (pipe(pipes) != 0)
		abort();
	fflush(stdout);
	service->pid = fork();
	if (service->pid == 0)
	{
		close(pipes[0]);
		if (chdir(service->directory) == 0)
			device_process_main(service->listener, pipes[1], config);
		_exit(1);
	}
	close(pipes[1]);
	(void) fcntl(pipes[0], F_SETFL, O_NONBLOCK);
	service->log = pipes[0];
}

/* Is the process still there? */
static inline bool
service_lives(const ServiceProcess *service)
{
	return waitpid(service->pid, NULL, WNOHANG) == 0;
}

static inline void
service_end(ServiceProcess *service)
{
	char		command[128];

	kill(service->pid, SIGKILL);
	waitpid(service->pid, NULL, 0);
	close(service->listener);
	close(service->log);
	snprintf(command, sizeof(command), "rm -rf %s", service->directory);
	if (system(command) != 0)
		abort();
}

/* What the process has written to its log since the last call. */
static inline const char *
service_said(const ServiceProcess *service)
{
	static char text[8192];
	ssize_t		n = read(service->log, text, sizeof(text) - 1);

	text[n > 0 ? n : 0] = '\0';
	return text;
}

/* A client's settings for that process. */
static inline ClientConfig
service_client(const ServiceProcess *service)
{
	return (ClientConfig)
	{
		.socket = service->socket,.process_id = (int) getpid(),.database = "test",
			.queue_timeout = 5000,.device_timeout = 10000
	};
}

/* Wait for news of the run, or for a moment. */
static inline void
service_wait(EngineRun *run)
{
	int			fd = engine_descriptor(run);
	struct pollfd one = {.fd = fd,.events = POLLIN};

	(void) poll(&one, 1, fd >= 0 ? 50 : 1);
}

/* How many runs the process has, or -1; of the last one, its row. */
static inline int
service_runs(ActivityRow *row)
{
	char		why[256];
	Question   *question = question_ask(QUESTION_ACTIVITY, 0, 0, NULL, why);
	int			n = 0;

	for (;;)
	{
		Message    *answer;
		EngineStatus status = question_next(question, &answer, why);

		if (status == ENGINE_BUSY)
			usleep(500);
		else if (status != ENGINE_OK)
		{
			n = -1;
			break;
		}
		else if (answer->activity.nrows == 0)
			break;
		else
		{
			n += (int) answer->activity.nrows;
			if (row != NULL)
				*row = message_activity(answer)[answer->activity.nrows - 1];
		}
	}
	question_end(question);
	return n;
}

/* Milliseconds until the process has that many runs; -1: more than two seconds. */
static inline int
service_wait_runs(int n)
{
	uint64_t	begin = now_ns();

	while (now_ns() - begin < UINT64_C(2000000000))
	{
		if (service_runs(NULL) == n)
			return (int) ((now_ns() - begin) / 1000000);
		usleep(1000);
	}
	return -1;
}

/* Send a message that may have been changed; what comes back is dropped. */
static inline void
send_changed(int fd, Message *message, int file, bool change)
{
	static Message answer;
	char		why[256];
	int			came;

	message_end(message);
	if (change)
		mutate((char *) message + sizeof(MessageHead), message->head.size - sizeof(MessageHead));
	(void) channel_send(fd, message, file);
	while (channel_receive(fd, true, &answer, &came, why, sizeof(why)) == CHANNEL_OK)
		if (came >= 0)
			close(came);
}

#endif							/* SERVICE_PROCESS_H */
