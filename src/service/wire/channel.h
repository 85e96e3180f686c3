/*
 * channel.h
 *	  Messages through a socket, and the files that come with them.
 *
 * Nothing here waits: BUSY says that the socket is full, or empty.
 *
 * Plain C99 without postgres.h.
 */
#ifndef GPUAGG_CHANNEL_H
#define GPUAGG_CHANNEL_H

#include "service/wire/protocol.h"

typedef enum ChannelStatus
{
	CHANNEL_OK,
	CHANNEL_BUSY,
	CHANNEL_GONE,				/* the other side has closed the socket */
	CHANNEL_BAD					/* what came is no message, or the socket failed */
} ChannelStatus;

/*
 * A socket that is connected to the listener of that path, or -1: errno is
 * EAGAIN if it has no room just now, ENOENT or ECONNREFUSED if nobody listens.
 */
extern int	channel_connect(const char *path);

/* The next connection of a listener, or -1 and errno. */
extern int	channel_accept(int listener);

/* Is the other side a process of the same user? */
extern bool channel_is_same_user(int fd);

/* Has the other side closed the connection?  What it has sent before may not be read yet. */
extern bool channel_is_closed(int fd);

/* Send a message, whose end has been written, with a file if that is not -1. */
extern ChannelStatus channel_send(int fd, const Message *message, int file);

/*
 * The next message, checked for the side that gets answers or the other one.  *file:
 * a descriptor that came with it, the caller's to close, or -1.  If BAD, why.
 */
extern ChannelStatus channel_receive(int fd, bool answer, Message *message, int *file,
									 char *why, size_t len);

/*
 * A memory file, or -1 and errno.  Written to, it grows; memory that is not there is an
 * error of the writing.
 */
extern int	file_create(const char *name);
extern bool file_write(int file, uint64_t place, const void *data, size_t size);

/* Its size in bytes; 0: it is no memory file. */
extern uint64_t file_size(int file);

/* Read all of these bytes; false: the file has not got them. */
extern bool file_read(int file, uint64_t place, void *data, size_t size);

/* Free the memory of a part that is not used any more. */
extern void file_give_back(int file, uint64_t place, uint64_t size);

/* Forbid all changes for ever; nobody may have the file mapped to write to it. */
extern bool file_seal(int file);

/* Is it a memory file that cannot change any more, of exactly that size? */
extern bool file_is_sealed(int file, uint64_t size);

/* The next place of a file, or size of a part, that is a multiple of 8. */
static inline uint64_t
file_aligned(uint64_t place)
{
	return (place + 7) & ~UINT64_C(7);
}

#endif							/* GPUAGG_CHANNEL_H */
