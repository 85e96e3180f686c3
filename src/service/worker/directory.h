/*
 * directory.h
 *	  What the device worker and sessions leave each other in the data directory.
 */
#ifndef GPUAGG_DIRECTORY_H
#define GPUAGG_DIRECTORY_H

/* Why there is no device process, as the worker has noted it. */
typedef enum ServiceNote
{
	NOTE_NONE,					/* there is one, or there soon will be */
	NOTE_PAUSE,					/* it has ended, and the worker will start another one; or
								 * it takes long to begin */
	NOTE_NO_DEVICE				/* it would find no device */
} ServiceNote;

/* The worker's side: the directory, and its lock, kept until the process ends. */
extern bool directory_lock(void);

/* Is the file that is locked still the directory's? */
extern bool directory_lock_is_there(void);

/* Does a worker of this cluster hold the lock? */
extern bool directory_is_locked(void);

/* By the worker. */
extern void directory_write_note(ServiceNote note, const char *reason);

/* By a session. */
extern ServiceNote directory_read_note(char *reason, size_t len);
extern void directory_remove_note(void);

/*
 * A listening socket that nobody finds yet, or -1 with errno; it gets its name once there is
 * somebody to accept connections.
 */
extern int	directory_make_socket(void);
extern void directory_name_socket(void);
extern bool directory_has_socket(void);
extern void directory_remove_socket(void);

/* Does somebody listen? */
extern bool directory_answers(void);

#endif							/* GPUAGG_DIRECTORY_H */
