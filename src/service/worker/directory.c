/*
 * directory.c
 *	  What the device worker and sessions leave each other in the data directory.
 *
 * gpuagg_device/worker	locked by the cluster's worker for as long as it lives; it tells why
 *						there is no device process, in a note
 * gpuagg_device/pgsql_tmp_socket	where the device process listens; it is there only while
 *						there is one that serves, or has just ended
 *
 * Paths are relative to the data directory, in which all server processes work: a
 * socket's path must be short.  Only the server's user can enter the directory.
 *
 * The lock is a lock of the open file, as flock's, in the kind that others can ask for
 * without taking it.
 *
 * A note is of one run of the server, and names it by its start time; those of
 * earlier runs say nothing.  One of a pause says nothing once its worker is gone.  The
 * worker writes it into the file that it has open: a lack of descriptors may be what it has
 * to tell.
 */
#include "postgres.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "service/worker/directory.h"
#include "service/wire/protocol.h"
#include "storage/fd.h"
#include "utils/timestamp.h"

#define WORKER_FILE SERVICE_DIRECTORY "/worker"
#define NEW_SOCKET SERVICE_SOCKET ".new"

/* Connections that wait to be accepted. */
#define BACKLOG 128

/* A note's size in the file, with zeros behind its text. */
#define NOTE_SIZE 1024

/* In the worker: its file, and what the socket's name led to. */
static int	worker_file = -1;
static struct stat socket_stat;

/* The whole file. */
static struct flock
whole_file(void)
{
	return (struct flock)
	{
		.l_type = F_WRLCK,.l_whence = SEEK_SET
	};
}

bool
directory_lock(void)
{
	struct flock lock = whole_file();

	if (mkdir(SERVICE_DIRECTORY, S_IRWXU) != 0 && errno != EEXIST)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not create directory \"%s\": %m", SERVICE_DIRECTORY)));
	worker_file = BasicOpenFilePerm(WORKER_FILE, O_RDWR | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR);
	if (worker_file < 0)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not open file \"%s\": %m", WORKER_FILE)));
	if (fcntl(worker_file, F_OFD_SETLK, &lock) == 0)
		return true;
	close(worker_file);
	return false;
}

static bool
is_same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

bool
directory_lock_is_there(void)
{
	struct stat named,
				locked;

	return stat(WORKER_FILE, &named) == 0 && fstat(worker_file, &locked) == 0 &&
		is_same_file(&named, &locked);
}

bool
directory_is_locked(void)
{
	struct flock lock = whole_file();
	int			file = OpenTransientFile(WORKER_FILE, O_RDWR | O_CLOEXEC);
	bool		locked;

	if (file < 0)
		return false;
	locked = fcntl(file, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
	CloseTransientFile(file);
	return locked;
}

/* Its first line: which run of the server, and what the note is. */
static int
note_head(char *text, size_t len, ServiceNote note)
{
	return snprintf(text, len, INT64_FORMAT " %d\n", PgStartTime, (int) note);
}

static void
write_note(int file, ServiceNote note, const char *reason)
{
	char		text[NOTE_SIZE] = "";
	int			head = note_head(text, sizeof(text), note);

	strlcpy(text + head, reason, sizeof(text) - head);
	if (pwrite(file, text, sizeof(text), 0) != sizeof(text))
		ereport(LOG,
				(errcode_for_file_access(),
				 errmsg("could not write file \"%s\": %m", WORKER_FILE)));
}

void
directory_write_note(ServiceNote note, const char *reason)
{
	write_note(worker_file, note, reason);
}

/* Is the text such a note of this run of the server? */
static bool
is_note(const char *text, ServiceNote note, char *reason, size_t len)
{
	char		head[64];
	int			size = note_head(head, sizeof(head), note);

	if (strncmp(text, head, size) != 0)
		return false;
	strlcpy(reason, text + size, len);
	return true;
}

ServiceNote
directory_read_note(char *reason, size_t len)
{
	char		text[NOTE_SIZE];
	int			file = OpenTransientFile(WORKER_FILE, O_RDONLY | O_CLOEXEC);
	ssize_t		size;

	if (file < 0)
		return NOTE_NONE;
	size = read(file, text, sizeof(text) - 1);
	CloseTransientFile(file);
	text[Max(size, 0)] = '\0';
	if (is_note(text, NOTE_NO_DEVICE, reason, len))
		return NOTE_NO_DEVICE;
	if (is_note(text, NOTE_PAUSE, reason, len) && directory_is_locked())
		return NOTE_PAUSE;
	return NOTE_NONE;
}

void
directory_remove_note(void)
{
	int			file = OpenTransientFile(WORKER_FILE, O_WRONLY | O_CLOEXEC);

	if (file < 0)
		return;
	write_note(file, NOTE_NONE, "");
	CloseTransientFile(file);
}

static struct sockaddr_un
socket_address(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};

	strlcpy(address.sun_path, path, sizeof(address.sun_path));
	return address;
}

/* A socket of the kind that the protocol needs. */
static int
new_socket(void)
{
	return socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

int
directory_make_socket(void)
{
	struct sockaddr_un address = socket_address(NEW_SOCKET);
	int			listener = new_socket();
	int			error;

	if (listener < 0)
		return -1;
	unlink(NEW_SOCKET);
	if (bind(listener, (struct sockaddr *) &address, sizeof(address)) == 0 &&
		chmod(NEW_SOCKET, S_IRUSR | S_IWUSR) == 0 && listen(listener, BACKLOG) == 0)
		return listener;
	error = errno;
	close(listener);
	errno = error;
	return -1;
}

void
directory_name_socket(void)
{
	if (stat(NEW_SOCKET, &socket_stat) != 0 || rename(NEW_SOCKET, SERVICE_SOCKET) != 0)
		ereport(LOG,
				(errcode_for_file_access(),
				 errmsg("could not rename \"%s\": %m", NEW_SOCKET)));
}

bool
directory_has_socket(void)
{
	struct stat named;

	return stat(SERVICE_SOCKET, &named) == 0 && is_same_file(&named, &socket_stat);
}

void
directory_remove_socket(void)
{
	if (directory_has_socket())
		unlink(SERVICE_SOCKET);
}

/* So many may wait to be accepted that one more cannot; then somebody serves, too. */
bool
directory_answers(void)
{
	struct sockaddr_un address = socket_address(SERVICE_SOCKET);
	int			connection = new_socket();
	bool		answers;

	if (connection < 0)
		return false;
	answers = connect(connection, (struct sockaddr *) &address, sizeof(address)) == 0 ||
		errno == EAGAIN;
	close(connection);
	return answers;
}
