/*
 * kernel_cache.c
 *	  Modules of kernels, kept loaded.
 *
 * A compiled image is known by a hash of all that it was made of: its text and
 * the texts that it includes, the device's architecture, the compiler's
 * version, and gpuagg's.  The text holds the Program and its layout.
 *
 * Modules stay loaded on the device until more than MODULES_KEPT are; the one
 * unused for longest goes first, those in use never.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/cuda/cache/kernel_cache.h"
#include "engine/cuda/cache/kernel_pending.h"
#include "engine/cuda/kernels/kernel_text.h"

#define MODULES_KEPT 64

struct LoadedModule
{
	struct LoadedModule *next;
	ImageKey	key;
	DeviceModule *module;
	int			users;
	uint64_t	last_used;
};

static uint64_t use_clock = 0;

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
unload(Device *device, LoadedModule *module)
{
	device->ops->module_unload(device, module->module);
	free(module);
}

/* Unload what has not been used for longest, if too many are loaded. */
static void
memory_trim(Device *device, LoadedModule **modules)
{
	int			count = 0;
	LoadedModule **oldest = NULL;

	for (LoadedModule **m = modules; *m != NULL; m = &(*m)->next)
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
		unload(device, gone);
	}
}

/* Load an image as a module that one user has. */
static DeviceStatus
add_module(Device *device, LoadedModule **modules, const ImageKey *key,
		   const void *image, size_t size, LoadedModule **module)
{
	LoadedModule *m = calloc(1, sizeof(*m));
	DeviceStatus status;

	if (m == NULL)
	{
		snprintf(device->message, sizeof(device->message), "out of memory");
		return DEVICE_NO_MEMORY;
	}
	status = device->ops->module_load(device, image, size, &m->module);
	if (status != DEVICE_OK)
	{
		free(m);
		return status;
	}
	m->key = *key;
	m->users = 1;
	m->last_used = ++use_clock;
	m->next = *modules;
	*modules = m;
	memory_trim(device, modules);
	*module = m;
	return DEVICE_OK;
}

static LoadedModule *
find_module(LoadedModule *modules, const ImageKey *key)
{
	LoadedModule *m = modules;

	while (m != NULL && !image_key_equal(&m->key, key))
		m = m->next;
	return m;
}

/*----------
 * Getting modules
 *----------
 */
static ImageRequest
request_image(const DeviceOps *ops, const DeviceInfo *info, const char *text)
{
	ImageRequest request = {
		.ops = ops, .info = info, .text = text,
		.key = image_key(ops, info, text), .from_disk = true
	};

	return request;
}

bool
kernel_cache_prefetch(LoadedModule *modules, const DeviceOps *ops, const DeviceInfo *info,
					  const char *text)
{
	ImageRequest request = request_image(ops, info, text);

	if (find_module(modules, &request.key) != NULL)
		return false;
	/* a failure is reported by kernel_cache_load, which tries again */
	(void) kernel_pending_begin(&request);
	return true;
}

/* Load a module; *cached says that its image came from disk. */
static DeviceStatus
load_image(Device *device, LoadedModule **modules, const ImageRequest *request,
		   bool (*wait) (int), LoadedModule **module, bool *cached)
{
	void	   *image;
	size_t		size;
	bool		compiled;
	DeviceStatus status;

	status = kernel_pending_get(request, wait, &image, &size, &compiled,
								device->message, sizeof(device->message));
	*cached = !compiled;
	if (status != DEVICE_OK)
		return status;
	status = add_module(device, modules, &request->key, image, size, module);
	if (status == DEVICE_OK && compiled)
		kernel_disk_store(&request->key, image, size);
	free(image);
	return status;
}

DeviceStatus
kernel_cache_load(Device *device, LoadedModule **modules, const char *text,
				  bool (*wait) (int), LoadedModule **module, bool *cached)
{
	ImageRequest request = request_image(device->ops, &device->info, text);
	LoadedModule *m = find_module(*modules, &request.key);
	DeviceStatus status;

	*cached = true;
	if (m != NULL)
	{
		m->users++;
		m->last_used = ++use_clock;
		*module = m;
		return DEVICE_OK;
	}
	status = load_image(device, modules, &request, wait, module, cached);
	/* a file may be whole and yet not what the driver takes */
	if (status != DEVICE_OK && *cached)
	{
		request.from_disk = false;
		status = load_image(device, modules, &request, wait, module, cached);
	}
	return status;
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
kernel_cache_unload(Device *device, LoadedModule **modules)
{
	while (*modules != NULL)
	{
		LoadedModule *m = *modules;

		*modules = m->next;
		unload(device, m);
	}
}
