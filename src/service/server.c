/*
 * server.c
 *	  The device process's loop: it accepts connections and ends them.
 */
#include "service/server.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

void
device_process_main(int listener, int status, const ServiceConfig *config)
{
	for (;;)
	{
		struct pollfd waiting = {.fd = listener,.events = POLLIN};
		int			connection;

		poll(&waiting, 1, -1);
		connection = accept(listener, NULL, NULL);
		if (connection >= 0)
			close(connection);
	}
}
