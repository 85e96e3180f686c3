/*
 * channel.c
 *	  Messages through a socket, and the files that come with them.
 *
 * Owns no memory.  Plain C99 without postgres.h.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE				/* memfd_create, accept4, struct ucred */
#endif
#include "service/wire/channel.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/* Descriptors that a packet may bring before the kernel drops the others. */
#define MAX_FILES 4

/* Room for their control message, aligned for its head. */
typedef union FilesRoom
{
	char		room[CMSG_SPACE(MAX_FILES * sizeof(int))];
	struct cmsghdr align;
} FilesRoom;

int
channel_connect(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int			fd;
	int			n = snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);

	if (n < 0 || (size_t) n >= sizeof(address.sun_path))
	{
		errno = ENAMETOOLONG;
		return -1;
	}
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd >= 0 && connect(fd, (struct sockaddr *) &address, sizeof(address)) != 0)
	{
		int			error = errno;

		close(fd);
		errno = error;
		return -1;
	}
	return fd;
}

int
channel_accept(int listener)
{
	return accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

bool
channel_is_same_user(int fd)
{
	struct ucred peer;
	socklen_t	size = sizeof(peer);

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == geteuid();
}

static ChannelStatus
status_of_error(void)
{
	switch (errno)
	{
		case EAGAIN:
		case ENOBUFS:
			return CHANNEL_BUSY;
		case EPIPE:
		case ECONNRESET:
		case ENOTCONN:
			return CHANNEL_GONE;
		default:
			return CHANNEL_BAD;
	}
}

ChannelStatus
channel_send(int fd, const Message *message, int file)
{
	struct iovec part = {(void *) message, message->head.size};
	struct msghdr packet = {.msg_iov = &part,.msg_iovlen = 1};
	FilesRoom	control;
	ssize_t		sent;

	if (file >= 0)
	{
		struct cmsghdr *head;

		memset(&control, 0, sizeof(control));
		packet.msg_control = &control;
		packet.msg_controllen = CMSG_SPACE(sizeof(int));
		head = CMSG_FIRSTHDR(&packet);
		head->cmsg_level = SOL_SOCKET;
		head->cmsg_type = SCM_RIGHTS;
		head->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(head), &file, sizeof(int));
	}
	do
		sent = sendmsg(fd, &packet, MSG_DONTWAIT | MSG_NOSIGNAL);
	while (sent < 0 && errno == EINTR);
	return sent >= 0 ? CHANNEL_OK : status_of_error();
}

bool
channel_is_closed(int fd)
{
	struct pollfd one = {.fd = fd};

	return poll(&one, 1, 0) != 0;
}

/* Keep the first of the descriptors that came, if any; returns how many came. */
static int
take_files(struct msghdr *packet, int *file)
{
	int			n = 0;

	*file = -1;
	for (struct cmsghdr *head = CMSG_FIRSTHDR(packet); head != NULL;
		 head = CMSG_NXTHDR(packet, head))
	{
		size_t		size = head->cmsg_len - CMSG_LEN(0);

		if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS)
			continue;
		for (size_t at = 0; at + sizeof(int) <= size; at += sizeof(int))
		{
			int			one;

			memcpy(&one, CMSG_DATA(head) + at, sizeof(int));
			if (n++ == 0)
				*file = one;
			else
				close(one);
		}
	}
	return n;
}

ChannelStatus
channel_receive(int fd, bool answer, Message *message, int *file, char *why, size_t len)
{
	FilesRoom	control;
	struct iovec part = {message, sizeof(*message)};
	struct msghdr packet = {.msg_iov = &part,.msg_iovlen = 1,
		.msg_control = &control,.msg_controllen = sizeof(control)};
	ssize_t		size;
	int			nfiles;

	*file = -1;
	/* ECONNRESET, once: the other side has gone, and what it said before comes next */
	do
		size = recvmsg(fd, &packet, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	while (size < 0 && (errno == EINTR || errno == ECONNRESET));
	if (size == 0)
		return CHANNEL_GONE;
	if (size < 0)
	{
		snprintf(why, len, "could not read from the socket: %s", strerror(errno));
		return status_of_error();
	}
	nfiles = take_files(&packet, file);
	if (packet.msg_flags & (MSG_TRUNC | MSG_CTRUNC))
		snprintf(why, len, "a packet is too large");
	else if (message_check(message, (size_t) size, nfiles, answer, why, len))
		return CHANNEL_OK;
	if (*file >= 0)
		close(*file);
	*file = -1;
	return CHANNEL_BAD;
}

int
file_create(const char *name)
{
	return memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
}

bool
file_write(int file, uint64_t place, const void *data, size_t size)
{
	const char *from = data;

	while (size > 0)
	{
		ssize_t		n = pwrite(file, from, size, (off_t) place);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		from += n;
		place += (uint64_t) n;
		size -= (size_t) n;
	}
	return true;
}

/* Reading another kind of file could take for ever. */
uint64_t
file_size(int file)
{
	struct stat status;

	if (fcntl(file, F_GET_SEALS) < 0 || fstat(file, &status) != 0 || status.st_size < 0)
		return 0;
	return (uint64_t) status.st_size;
}

bool
file_read(int file, uint64_t place, void *data, size_t size)
{
	char	   *to = data;

	if (place > INT64_MAX - size)
		return false;
	while (size > 0)
	{
		ssize_t		n = pread(file, to, size, (off_t) place);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		to += n;
		place += (uint64_t) n;
		size -= (size_t) n;
	}
	return true;
}

void
file_give_back(int file, uint64_t place, uint64_t size)
{
	if (size > 0)
		(void) fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t) place,
						 (off_t) size);
}

/* What no one may do to a file that is sealed. */
#define ALL_SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE)

bool
file_seal(int file)
{
	return fcntl(file, F_ADD_SEALS, ALL_SEALS | F_SEAL_SEAL) == 0;
}

bool
file_is_sealed(int file, uint64_t size)
{
	int			seals = fcntl(file, F_GET_SEALS);

	return seals >= 0 && (seals & ALL_SEALS) == ALL_SEALS && file_size(file) == size;
}
