/*
 * kernel_disk.c
 *	  Compiled kernels on disk.
 *
 * An image is a file of its own, written under another name and then renamed, so
 * that nobody reads half of one; a header with a checksum tells damaged files,
 * which are ignored and written anew.  Failing to read or to write is never an
 * error: the kernel is then compiled.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/cuda/cache/kernel_disk.h"

#define FILE_MAGIC "gpuagg kernel 1\n"
#define FILE_SUFFIX ".kernel"

#define FNV_START UINT64_C(0xcbf29ce484222325)
#define FNV_PRIME UINT64_C(0x100000001b3)

typedef struct FileHeader
{
	char		magic[sizeof(FILE_MAGIC) - 1];
	ImageKey	key;
	uint64_t	size;			/* of the image behind it */
	uint64_t	checksum;
} FileHeader;

static char *cache_directory = NULL;
static size_t cache_limit = (size_t) 64 << 20;

void
kernel_disk_directory(const char *path)
{
	free(cache_directory);
	cache_directory = path && path[0] ? strdup(path) : NULL;
}

void
kernel_disk_limit(size_t bytes)
{
	cache_limit = bytes;
}

static uint64_t
fnv(uint64_t hash, const void *data, size_t size)
{
	const unsigned char *bytes = data;

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ bytes[i]) * FNV_PRIME;
	return hash;
}

void
image_key_start(ImageKey *key)
{
	key->hash[0] = FNV_START;
	key->hash[1] = ~FNV_START;
}

void
image_key_add(ImageKey *key, const void *data, size_t size)
{
	key->hash[0] = fnv(key->hash[0], data, size);
	key->hash[1] = fnv(key->hash[1] ^ size, data, size);
}

bool
image_key_equal(const ImageKey *a, const ImageKey *b)
{
	return a->hash[0] == b->hash[0] && a->hash[1] == b->hash[1];
}

static bool
image_path(const ImageKey *key, char *path, size_t len)
{
	int			n;

	if (cache_directory == NULL)
		return false;
	n = snprintf(path, len, "%s/%016llx%016llx" FILE_SUFFIX, cache_directory,
				 (unsigned long long) key->hash[0], (unsigned long long) key->hash[1]);
	return n > 0 && (size_t) n < len;
}

/* Read an image from an open file; NULL if it is not whole. */
static void *
read_image(FILE *file, const ImageKey *key, size_t *size)
{
	FileHeader	header;
	struct stat st;
	void	   *image;

	if (fread(&header, sizeof(header), 1, file) != 1 ||
		fstat(fileno(file), &st) != 0 ||
		memcmp(header.magic, FILE_MAGIC, sizeof(header.magic)) != 0 ||
		!image_key_equal(&header.key, key) ||
		header.size == 0 ||
		header.size != (uint64_t) st.st_size - sizeof(header))
		return NULL;
	image = malloc(header.size);
	if (image == NULL)
		return NULL;
	if (fread(image, 1, header.size, file) != header.size ||
		fnv(FNV_START, image, header.size) != header.checksum)
	{
		free(image);
		return NULL;
	}
	*size = header.size;
	return image;
}

void *
kernel_disk_load(const ImageKey *key, size_t *size)
{
	char		path[4096];
	FILE	   *file;
	void	   *image;

	if (!image_path(key, path, sizeof(path)))
		return NULL;
	file = fopen(path, "rb");
	if (file == NULL)
		return NULL;
	image = read_image(file, key, size);
	fclose(file);
	return image;
}

/* Remove the oldest files until no more than the limit is left. */
static void
disk_trim(void)
{
	for (;;)
	{
		DIR		   *dir = opendir(cache_directory);
		struct dirent *entry;
		char		oldest[4096] = "";
		struct timespec oldest_time = {0};
		uint64_t	total = 0;

		if (dir == NULL)
			return;
		while ((entry = readdir(dir)) != NULL)
		{
			char		path[4096];
			struct stat st;
			size_t		length = strlen(entry->d_name);

			if (length < sizeof(FILE_SUFFIX) ||
				strcmp(entry->d_name + length - strlen(FILE_SUFFIX), FILE_SUFFIX) != 0 ||
				snprintf(path, sizeof(path), "%s/%s", cache_directory,
						 entry->d_name) >= (int) sizeof(path) ||
				stat(path, &st) != 0)
				continue;
			total += (uint64_t) st.st_size;
			if (oldest[0] == '\0' || st.st_mtim.tv_sec < oldest_time.tv_sec ||
				(st.st_mtim.tv_sec == oldest_time.tv_sec &&
				 st.st_mtim.tv_nsec < oldest_time.tv_nsec))
			{
				strcpy(oldest, path);
				oldest_time = st.st_mtim;
			}
		}
		closedir(dir);
		if (total <= cache_limit || oldest[0] == '\0' || unlink(oldest) != 0)
			return;
	}
}

void
kernel_disk_store(const ImageKey *key, const void *image, size_t size)
{
	char		path[4096];
	char		temporary[4096 + 32];
	FileHeader	header;
	FILE	   *file;
	bool		good;

	if (!image_path(key, path, sizeof(path)))
		return;
	if (mkdir(cache_directory, 0700) != 0 && errno != EEXIST)
		return;
	snprintf(temporary, sizeof(temporary), "%s.%ld", path, (long) getpid());
	file = fopen(temporary, "wb");
	if (file == NULL)
		return;
	memset(&header, 0, sizeof(header));
	memcpy(header.magic, FILE_MAGIC, sizeof(header.magic));
	header.key = *key;
	header.size = size;
	header.checksum = fnv(FNV_START, image, size);
	good = fwrite(&header, sizeof(header), 1, file) == 1 &&
		fwrite(image, 1, size, file) == size;
	good = fclose(file) == 0 && good;
	if (!good || rename(temporary, path) != 0)
		unlink(temporary);
	else
		disk_trim();
}
