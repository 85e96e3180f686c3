/*
 * kernel_cache.c
 *	  Kernels: loaded, on disk, or being compiled.
 *
 * A compiled image is known by a hash of all that it was made of: its text and
 * the texts that it includes, the device's architecture, the compiler's
 * version, and gpuagg's.  The text holds the Program and its layout.
 *
 * Modules stay loaded on the device until more than MODULES_KEPT are; the one
 * unused for longest goes first, those in use never.
 *
 * What has been asked for and is not loaded yet is pending, with an image or a
 * job that makes one.  It stays so if whoever asked was interrupted, so that the
 * next one does not begin anew.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/cuda/compile_job.h"
#include "engine/cuda/kernel_cache.h"
#include "engine/cuda/kernel_disk.h"
#include "engine/cuda/kernel_text.h"

#define MODULES_KEPT 64
#define PENDING_KEPT 8

/* Compilers that work at the same time: those of cancelled queries count. */
#define COMPILERS_MAX 4

/* How long to wait between two looks for an interrupt, in milliseconds. */
#define WAIT_MS 10

struct LoadedModule
{
	struct LoadedModule *next;
	ImageKey	key;
	DeviceModule *module;
	int			users;
	uint64_t	last_used;
};

typedef struct Pending
{
	struct Pending *next;
	ImageKey	key;
	CompileJob *job;			/* or, if NULL, the image from disk: */
	void	   *image;
	size_t		size;
} Pending;

static uint64_t use_clock = 0;

/* The one asked for last comes first. */
static Pending *pending_images = NULL;

/* The texts that kernels include never change while the process lives. */
static ImageKey
included_key(void)
{
	static ImageKey key;
	static bool known = false;

	if (known)
		return key;
	image_key_start(&key);
	for (int i = 0; i < kernel_text_count; i++)
	{
		image_key_add(&key, kernel_text[i].name, strlen(kernel_text[i].name));
		image_key_add(&key, kernel_text[i].text, strlen(kernel_text[i].text));
	}
	known = true;
	return key;
}

static ImageKey
image_key(const DeviceOps *ops, const DeviceInfo *info, const char *text)
{
	ImageKey	key = included_key();
	char		what[256];

	snprintf(what, sizeof(what), "%s gpuagg %s sm_%d%d compiler %d",
			 ops->name, GPUAGG_VERSION, info->major, info->minor, info->compiler);
	image_key_add(&key, what, strlen(what));
	image_key_add(&key, text, strlen(text));
	return key;
}

/*----------
 * Loaded modules
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

/* Fail for a reason of the cache's own, which the message tells. */
static DeviceStatus
fail(Context *context, DeviceStatus status, const char *message)
{
	snprintf(context->device->message, sizeof(context->device->message), "%s", message);
	return status;
}

/* Load an image as a module that one user has. */
static DeviceStatus
add_module(Context *context, const ImageKey *key, const void *image, size_t size,
		   LoadedModule **module)
{
	LoadedModule *m = calloc(1, sizeof(*m));
	DeviceStatus status;

	if (m == NULL)
		return fail(context, DEVICE_NO_MEMORY, "out of memory");
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

static LoadedModule *
find_module(Context *context, const ImageKey *key)
{
	LoadedModule *m = context->modules;

	while (m != NULL && !image_key_equal(&m->key, key))
		m = m->next;
	return m;
}

/*----------
 * Pending images
 *----------
 */

/* The link that leads to a key's image, or to the list's end. */
static Pending **
find_pending(const ImageKey *key)
{
	Pending   **p = &pending_images;

	while (*p != NULL && !image_key_equal(&(*p)->key, key))
		p = &(*p)->next;
	return p;
}

/* Take an image, the caller's to free, out of the list. */
static DeviceStatus
take_pending(Pending **link, void **image, size_t *size, char *message, size_t len)
{
	Pending    *p = *link;
	DeviceStatus status = DEVICE_OK;

	*link = p->next;
	*image = p->image;
	*size = p->size;
	if (p->job != NULL)
		status = compile_job_end(p->job, image, size, message, len);
	free(p);
	return status;
}

/* Let go of an image that nobody waits for; on disk it can be found again. */
static void
drop_pending(Pending **link)
{
	ImageKey	key = (*link)->key;
	bool		compiled = (*link)->job != NULL;
	void	   *image;
	size_t		size;

	if (take_pending(link, &image, &size, NULL, 0) != DEVICE_OK)
		return;
	if (compiled)
		kernel_disk_store(&key, image, size);
	free(image);
}

/* Of many pending images, those that are there go, the oldest at least. */
static void
trim_pending(void)
{
	Pending   **p = &pending_images;

	for (int i = 0; *p != NULL; i++)
	{
		if (i >= PENDING_KEPT && ((*p)->job == NULL || compile_job_wait((*p)->job, 0)))
			drop_pending(p);
		else
			p = &(*p)->next;
	}
}

/* One of the jobs if there are too many for another to begin, else NULL. */
static CompileJob *
job_in_the_way(void)
{
	CompileJob *job = NULL;
	int			working = 0;

	for (Pending *p = pending_images; p != NULL; p = p->next)
		if (p->job != NULL && !compile_job_wait(p->job, 0))
		{
			job = p->job;
			working++;
		}
	return working >= COMPILERS_MAX ? job : NULL;
}

/* Begin to get an image.  BUSY: too many compilers work. */
static DeviceStatus
add_pending(const DeviceOps *ops, const DeviceInfo *info, const ImageKey *key,
			const char *text, bool from_disk)
{
	Pending    *p = calloc(1, sizeof(*p));

	if (p == NULL)
		return DEVICE_NO_MEMORY;
	p->key = *key;
	if (from_disk)
		p->image = kernel_disk_load(key, &p->size);
	if (p->image == NULL && job_in_the_way() != NULL)
	{
		free(p);
		return DEVICE_BUSY;
	}
	if (p->image == NULL)
		p->job = compile_job_begin(ops, info, text);
	if (p->image == NULL && p->job == NULL)
	{
		free(p);
		return DEVICE_NO_MEMORY;
	}
	p->next = pending_images;
	pending_images = p;
	trim_pending();
	return DEVICE_OK;
}

void
kernel_cache_ask(Context *context, const DeviceInfo *info, const char *text)
{
	ImageKey	key = image_key(context->ops, info, text);

	/* whoever needs it will hear of what is in the way */
	if (find_module(context, &key) == NULL && *find_pending(&key) == NULL)
		(void) add_pending(context->ops, info, &key, text, true);
}

/*
 * Wait until the image of that key is there, got from disk if allowed, or cannot
 * be had.  BUSY: interrupted.
 */
static DeviceStatus
wait_for_image(Context *context, const ImageKey *key, const char *text, bool from_disk,
			   bool (*interrupted) (void))
{
	for (;;)
	{
		Pending    *pending = *find_pending(key);
		CompileJob *job;

		if (pending == NULL)
		{
			DeviceStatus status = add_pending(context->ops, &context->device->info, key,
											  text, from_disk);

			if (status == DEVICE_NO_MEMORY)
				return fail(context, status, "out of memory");
			if (status == DEVICE_OK)
				continue;
			job = job_in_the_way();
		}
		else
		{
			job = pending->job;
			if (job == NULL || compile_job_wait(job, 0))
				return DEVICE_OK;
		}
		if (interrupted != NULL && interrupted())
			return fail(context, DEVICE_BUSY, "interrupted");
		if (job != NULL)
			(void) compile_job_wait(job, WAIT_MS);
	}
}

/* Load a module; *cached says that its image came from disk. */
static DeviceStatus
load_image(Context *context, const ImageKey *key, const char *text, bool from_disk,
		   bool (*interrupted) (void), LoadedModule **module, bool *cached)
{
	Device	   *device = context->device;
	Pending   **link;
	void	   *image;
	size_t		size;
	DeviceStatus status = wait_for_image(context, key, text, from_disk, interrupted);

	*cached = false;
	if (status != DEVICE_OK)
		return status;
	link = find_pending(key);
	*cached = (*link)->job == NULL;
	status = take_pending(link, &image, &size, device->message, sizeof(device->message));
	if (status != DEVICE_OK)
		return status;
	status = add_module(context, key, image, size, module);
	if (status == DEVICE_OK && !*cached)
		kernel_disk_store(key, image, size);
	free(image);
	return status;
}

DeviceStatus
kernel_cache_load(Context *context, const char *text, bool (*interrupted) (void),
				  LoadedModule **module, bool *cached)
{
	ImageKey	key = image_key(context->ops, &context->device->info, text);
	LoadedModule *m = find_module(context, &key);
	DeviceStatus status;

	*cached = true;
	if (m != NULL)
	{
		m->users++;
		m->last_used = ++use_clock;
		*module = m;
		return DEVICE_OK;
	}
	status = load_image(context, &key, text, true, interrupted, module, cached);
	/* a file may be whole and yet not what the driver takes */
	if (status != DEVICE_OK && *cached)
		status = load_image(context, &key, text, false, interrupted, module, cached);
	return status;
}

void
kernel_cache_forget_failures(void)
{
	Pending   **p = &pending_images;

	while (*p != NULL)
	{
		if ((*p)->job != NULL && compile_job_failed((*p)->job))
			drop_pending(p);
		else
			p = &(*p)->next;
	}
}

void
kernel_cache_end(void)
{
	while (pending_images != NULL)
		drop_pending(&pending_images);
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
