/*
 * kernel_cache.c
 *	  Compiled kernels, kept in memory and on disk.
 *
 * A compiled image is known by a hash of all that it was made of: its text and
 * the texts that it includes, the device's architecture, the compiler's
 * version, and gpuagg's.  The text holds the Program and its layout.
 *
 * In memory, modules stay loaded on the device until more than MODULES_KEPT
 * are; the one unused for longest goes first, those in use never.
 *
 * On disk, an image is a file of its own, written under another name and then
 * renamed, so that nobody reads half of one; a header with a checksum tells
 * damaged files, which are ignored and written anew.  Failing to read or to
 * write there is never an error: the kernel is then compiled.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/cuda/kernel_cache.h"
#include "engine/cuda/kernel_text.h"

#define MODULES_KEPT 64
#define FILE_MAGIC "gpuagg kernel 1\n"
#define FILE_SUFFIX ".kernel"
#define GPUAGG_VERSION "1.0"

#define FNV_START UINT64_C(0xcbf29ce484222325)
#define FNV_PRIME UINT64_C(0x100000001b3)

/* Two hashes over the same bytes, from different starts: 128 bits. */
typedef struct ImageKey
{
	uint64_t	hash[2];
} ImageKey;

struct LoadedModule
{
	struct LoadedModule *next;
	ImageKey	key;
	DeviceModule *module;
	int			users;
	uint64_t	last_used;
};

typedef struct FileHeader
{
	char		magic[sizeof(FILE_MAGIC) - 1];
	ImageKey	key;
	uint64_t	size;			/* of the image behind it */
	uint64_t	checksum;
} FileHeader;

static char *cache_directory = NULL;
static size_t cache_limit = (size_t) 64 << 20;
static uint64_t use_clock = 0;

void
kernel_cache_directory(const char *path)
{
	free(cache_directory);
	cache_directory = path && path[0] ? strdup(path) : NULL;
}

void
kernel_cache_limit(size_t bytes)
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

static void
key_add(ImageKey *key, const void *data, size_t size)
{
	key->hash[0] = fnv(key->hash[0], data, size);
	key->hash[1] = fnv(key->hash[1] ^ size, data, size);
}

/* The texts that kernels include never change while the process lives. */
static ImageKey
included_key(void)
{
	static ImageKey key;
	static bool known = false;

	if (known)
		return key;
	key.hash[0] = FNV_START;
	key.hash[1] = ~FNV_START;
	for (int i = 0; i < kernel_text_count; i++)
	{
		key_add(&key, kernel_text[i].name, strlen(kernel_text[i].name));
		key_add(&key, kernel_text[i].text, strlen(kernel_text[i].text));
	}
	known = true;
	return key;
}

static ImageKey
image_key(const Context *context, const char *text)
{
	const DeviceInfo *info = &context->device->info;
	ImageKey	key = included_key();
	char		what[256];

	snprintf(what, sizeof(what), "%s gpuagg %s sm_%d%d compiler %d",
			 context->ops->name, GPUAGG_VERSION, info->major, info->minor, info->compiler);
	key_add(&key, what, strlen(what));
	key_add(&key, text, strlen(text));
	return key;
}

static bool
key_equal(const ImageKey *a, const ImageKey *b)
{
	return a->hash[0] == b->hash[0] && a->hash[1] == b->hash[1];
}

/*----------
 * Disk
 *----------
 */
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
		!key_equal(&header.key, key) ||
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

static void *
disk_load(const ImageKey *key, size_t *size)
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

static void
disk_store(const ImageKey *key, const void *image, size_t size)
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

/*----------
 * Memory
 *----------
 */
static void
unload(Context *context, LoadedModule *module)
{
	context->ops->module_unload(context->device, module->module);
	free(module);
}

/* Unload what has not been used for longest, if too many are loaded. */
static void
memory_trim(Context *context)
{
	int			count = 0;
	LoadedModule **oldest = NULL;

	for (LoadedModule **m = &context->modules; *m != NULL; m = &(*m)->next)
	{
		count++;
		if ((*m)->users == 0 &&
			(oldest == NULL || (*m)->last_used < (*oldest)->last_used))
			oldest = m;
	}
	if (count > MODULES_KEPT && oldest != NULL)
	{
		LoadedModule *gone = *oldest;

		*oldest = gone->next;
		unload(context, gone);
	}
}

/* Load an image as a module that one user has. */
static DeviceStatus
add_module(Context *context, const ImageKey *key, const void *image, size_t size,
		   LoadedModule **module)
{
	LoadedModule *m = calloc(1, sizeof(*m));
	DeviceStatus status;

	if (m == NULL)
	{
		snprintf(context->device->message, sizeof(context->device->message),
				 "out of memory");
		return DEVICE_NO_MEMORY;
	}
	status = context->ops->module_load(context->device, image, size, &m->module);
	if (status != DEVICE_OK)
	{
		free(m);
		return status;
	}
	m->key = *key;
	m->users = 1;
	m->last_used = ++use_clock;
	m->next = context->modules;
	context->modules = m;
	memory_trim(context);
	*module = m;
	return DEVICE_OK;
}

static DeviceStatus
compile_module(Context *context, const ImageKey *key, const char *text,
			   LoadedModule **module)
{
	void	   *image;
	size_t		size;
	DeviceStatus status;

	status = context->ops->compile(context->device, text, NULL, &image, &size);
	if (status != DEVICE_OK)
		return status;
	status = add_module(context, key, image, size, module);
	if (status == DEVICE_OK)
		disk_store(key, image, size);
	free(image);
	return status;
}

DeviceStatus
kernel_cache_load(Context *context, const char *text, LoadedModule **module, bool *cached)
{
	ImageKey	key = image_key(context, text);
	void	   *image;
	size_t		size;

	*cached = true;
	for (LoadedModule *m = context->modules; m != NULL; m = m->next)
		if (key_equal(&m->key, &key))
		{
			m->users++;
			m->last_used = ++use_clock;
			*module = m;
			return DEVICE_OK;
		}
	image = disk_load(&key, &size);
	if (image != NULL)
	{
		DeviceStatus status = add_module(context, &key, image, size, module);

		free(image);
		if (status == DEVICE_OK)
			return status;
	}
	*cached = false;
	return compile_module(context, &key, text, module);
}

void
kernel_cache_release(LoadedModule *module)
{
	if (module != NULL)
		module->users--;
}

DeviceModule *
kernel_cache_module(const LoadedModule *module)
{
	return module->module;
}

void
kernel_cache_unload(Context *context)
{
	while (context->modules != NULL)
	{
		LoadedModule *m = context->modules;

		context->modules = m->next;
		unload(context, m);
	}
}
