/*
 * kernel_disk.c
 *	  Compiled kernels on disk.
 *
 * An image is a file of its own, HASH.kernel by its source's hash:
 *
 *	FileHeader	of format 2, as its magic says; all numbers in native order
 *	source		KernelSource.text, without the NUL at its end
 *	image		as the compiler made it
 *
 * A file is used only if its source is, byte for byte, the one asked for; of two
 * sources with the same hash the one stored last has the file.  A checksum tells
 * damaged files, which are ignored and written anew, as are those of other
 * formats.  Failing to read or to write is never an error: the kernel is then
 * compiled.
 *
 * A file is written as HASH.kernel.PID and then renamed, so that nobody reads half
 * of one.  What a process that crashed has left so is removed by any other one
 * when it first uses the directory.  Should a new process get the same PID just
 * then, it may lose its file before it has renamed it: then it has failed to
 * write.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/cuda/compiled/fnv.h"
#include "engine/cuda/compiled/kernel_disk.h"

#define FILE_MAGIC "gpuagg kernel 2\n"
#define FILE_SUFFIX ".kernel"

#define PATH_SIZE 4096

/* The most bytes that the files have; the oldest are removed first. */
#define CACHE_LIMIT ((size_t) 64 << 20)

typedef struct FileHeader
{
	char		magic[sizeof(FILE_MAGIC) - 1];
	uint64_t	source_size;
	uint64_t	image_size;
	uint64_t	checksum;		/* of source and image */
} FileHeader;

static char *cache_directory = NULL;
static pid_t used_by = 0;		/* who has used the directory already */

void
kernel_disk_directory(const char *path)
{
	free(cache_directory);
	cache_directory = path && path[0] ? strdup(path) : NULL;
	used_by = 0;
}

/* A path in the directory; false: it is too long. */
static bool
path_of(const char *name, char *path)
{
	int			n = snprintf(path, PATH_SIZE, "%s/%s", cache_directory, name);

	return n > 0 && n < PATH_SIZE;
}

/* The process whose unfinished file has that name; 0: it is no such file. */
static pid_t
writer_of(const char *name)
{
	const char *suffix = strstr(name, FILE_SUFFIX ".");
	char	   *end;
	long		pid;

	if (suffix == NULL)
		return 0;
	pid = strtol(suffix + strlen(FILE_SUFFIX "."), &end, 10);
	return *end == '\0' && pid > 0 ? (pid_t) pid : 0;
}

/* This process has none yet: one with its PID is older than it is. */
static bool
writer_is_gone(pid_t pid)
{
	return pid == getpid() || (kill(pid, 0) != 0 && errno == ESRCH);
}

static void
remove_unfinished(void)
{
	DIR		   *dir = opendir(cache_directory);
	struct dirent *entry;

	if (dir == NULL)
		return;
	while ((entry = readdir(dir)) != NULL)
	{
		char		path[PATH_SIZE];
		pid_t		pid = writer_of(entry->d_name);

		if (pid != 0 && writer_is_gone(pid) && path_of(entry->d_name, path))
			unlink(path);
	}
	closedir(dir);
}

/* The path of a source's image; false: none are kept. */
static bool
image_path(const KernelSource *source, char *path)
{
	char		name[64];

	if (cache_directory == NULL)
		return false;
	if (used_by != getpid())
		remove_unfinished();
	used_by = getpid();
	snprintf(name, sizeof(name), "%016llx" FILE_SUFFIX, (unsigned long long) source->hash);
	return path_of(name, path);
}

/* Does the header fit the source, and a file of that size? */
static bool
header_fits(const FileHeader *header, const KernelSource *source, uint64_t file_size)
{
	return memcmp(header->magic, FILE_MAGIC, sizeof(header->magic)) == 0 &&
		header->source_size == source->size &&
		header->image_size > 0 &&
		header->image_size < file_size &&
		sizeof(*header) + header->source_size + header->image_size == file_size;
}

/* Read an image from an open file; NULL if it is not whole, or not the source's. */
static void *
read_image(FILE *file, const KernelSource *source, size_t *size)
{
	FileHeader	header;
	struct stat st;
	char	   *content;
	size_t		content_size;
	bool		good;

	if (fread(&header, sizeof(header), 1, file) != 1 ||
		fstat(fileno(file), &st) != 0 ||
		!header_fits(&header, source, (uint64_t) st.st_size))
		return NULL;
	content_size = header.source_size + header.image_size;
	content = malloc(content_size);
	if (content == NULL)
		return NULL;
	good = fread(content, 1, content_size, file) == content_size &&
		memcmp(content, source->text, source->size) == 0 &&
		fnv_add(FNV_START, content, content_size) == header.checksum;
	if (!good)
	{
		free(content);
		return NULL;
	}
	*size = header.image_size;
	return memmove(content, content + source->size, *size);
}

void *
kernel_disk_load(const KernelSource *source, size_t *size)
{
	char		path[PATH_SIZE];
	FILE	   *file;
	void	   *image;

	if (!image_path(source, path))
		return NULL;
	file = fopen(path, "rb");
	if (file == NULL)
		return NULL;
	image = read_image(file, source, size);
	fclose(file);
	return image;
}

static bool
is_image(const char *name)
{
	size_t		length = strlen(name);

	return length > strlen(FILE_SUFFIX) &&
		strcmp(name + length - strlen(FILE_SUFFIX), FILE_SUFFIX) == 0;
}

static bool
is_older(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec < b->tv_sec || (a->tv_sec == b->tv_sec && a->tv_nsec < b->tv_nsec);
}

/* The path of the oldest image, "" if there is none; returns the size of all. */
static uint64_t
find_oldest(char *oldest)
{
	DIR		   *dir = opendir(cache_directory);
	struct dirent *entry;
	struct timespec time = {0};
	uint64_t	total = 0;

	oldest[0] = '\0';
	if (dir == NULL)
		return 0;
	while ((entry = readdir(dir)) != NULL)
	{
		char		path[PATH_SIZE];
		struct stat st;

		if (!is_image(entry->d_name) || !path_of(entry->d_name, path) || stat(path, &st) != 0)
			continue;
		total += (uint64_t) st.st_size;
		if (oldest[0] == '\0' || is_older(&st.st_mtim, &time))
		{
			strcpy(oldest, path);
			time = st.st_mtim;
		}
	}
	closedir(dir);
	return total;
}

/* Remove the oldest files until no more than the limit is left. */
static void
disk_trim(void)
{
	char		oldest[PATH_SIZE];

	while (find_oldest(oldest) > CACHE_LIMIT && oldest[0] != '\0')
		if (unlink(oldest) != 0)
			return;
}

static bool
write_image(const char *path, const KernelSource *source, const void *image, size_t size)
{
	FILE	   *file = fopen(path, "wb");
	FileHeader	header;
	bool		good;

	if (file == NULL)
		return false;
	memset(&header, 0, sizeof(header));
	memcpy(header.magic, FILE_MAGIC, sizeof(header.magic));
	header.source_size = source->size;
	header.image_size = size;
	header.checksum = fnv_add(fnv_add(FNV_START, source->text, source->size), image, size);
	good = fwrite(&header, sizeof(header), 1, file) == 1 &&
		fwrite(source->text, 1, source->size, file) == source->size &&
		fwrite(image, 1, size, file) == size;
	return fclose(file) == 0 && good;
}

void
kernel_disk_store(const KernelSource *source, const void *image, size_t size)
{
	char		path[PATH_SIZE];
	char		unfinished[PATH_SIZE + 32];

	if (!image_path(source, path))
		return;
	if (mkdir(cache_directory, 0700) != 0 && errno != EEXIST)
		return;
	snprintf(unfinished, sizeof(unfinished), "%s.%ld", path, (long) getpid());
	if (write_image(unfinished, source, image, size) && rename(unfinished, path) == 0)
		disk_trim();
	else
		unlink(unfinished);
}
