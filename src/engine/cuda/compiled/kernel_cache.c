/*
 * kernel_cache.c
 *	  Modules of kernels, kept loaded.
 *
 * A module is known by all that its image was made of (kernel_source.h), and by what its
 * text was made from the last times that it was asked for.
 *
 * Modules stay loaded on the device until more than MODULES_KEPT are; the one
 * unused for longest goes first, those in use never.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/cuda/compiled/kernel_cache.h"
#include "engine/cuda/compiled/kernel_pending.h"

#define MODULES_KEPT 64

/* Recipes of a module that are remembered: few Programs make the same text. */
#define RECIPES_KEPT 4

/* A copy of one: its parts behind one another. */
typedef struct KeptRecipe
{
	struct KeptRecipe *next;
	size_t		sizes[RECIPE_PARTS];
	char		bytes[];
} KeptRecipe;

struct LoadedModule
{
	struct LoadedModule *next;
	KernelSource *source;		/* a copy */
	KeptRecipe *recipes;		/* the newest first */
	DeviceModule *module;
	int			users;
	uint64_t	last_used;
};

static uint64_t use_clock = 0;

/*----------
 * Loaded modules
 *----------
 */
static void
free_recipes(KeptRecipe **link)
{
	while (*link != NULL)
	{
		KeptRecipe *gone = *link;

		*link = gone->next;
		free(gone);
	}
}

static void
unload(Device *device, LoadedModule *module)
{
	device->ops->module_unload(device, module->module);
	free_recipes(&module->recipes);
	free(module->source);
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

static DeviceStatus
no_memory(Device *device)
{
	snprintf(device->message, sizeof(device->message), "out of memory");
	return DEVICE_NO_MEMORY;
}

/* Load an image as a module that one user has. */
static DeviceStatus
add_module(Device *device, LoadedModule **modules, const KernelSource *source,
		   const void *image, size_t size, LoadedModule **module)
{
	LoadedModule *m = calloc(1, sizeof(*m));
	DeviceStatus status;

	if (m == NULL || (m->source = kernel_source_copy(source)) == NULL)
	{
		free(m);
		return no_memory(device);
	}
	status = device->ops->module_load(device, image, size, &m->module);
	if (status != DEVICE_OK)
	{
		free(m->source);
		free(m);
		return status;
	}
	m->users = 1;
	m->last_used = ++use_clock;
	m->next = *modules;
	*modules = m;
	memory_trim(device, modules);
	*module = m;
	return DEVICE_OK;
}

static LoadedModule *
find_module(LoadedModule *modules, const KernelSource *source)
{
	LoadedModule *m = modules;

	while (m != NULL && !kernel_source_equal(m->source, source))
		m = m->next;
	return m;
}

/*----------
 * Getting modules
 *----------
 */
bool
kernel_cache_prefetch(LoadedModule *modules, const DeviceOps *ops, const DeviceInfo *info,
					  const char *text)
{
	KernelSource *source = kernel_source_make(ops, info, text);
	ImageRequest request = {.ops = ops, .info = info, .source = source, .from_disk = true};
	bool		loaded = source != NULL && find_module(modules, source) != NULL;

	/* a failure is reported by kernel_cache_load, which tries again */
	if (source != NULL && !loaded)
		kernel_pending_begin(&request);
	free(source);
	return !loaded;
}

bool
kernel_cache_ready(LoadedModule *modules, const DeviceOps *ops, const DeviceInfo *info,
				   const char *text)
{
	KernelSource *source = kernel_source_make(ops, info, text);
	ImageRequest request = {.ops = ops, .info = info, .source = source, .from_disk = true};
	bool		ready = source != NULL &&
		(find_module(modules, source) != NULL || kernel_pending_ready(&request));

	free(source);
	return ready;
}

static void
use_module(LoadedModule *module)
{
	module->users++;
	module->last_used = ++use_clock;
}

/* Take a module that is loaded; false: it is not. */
static bool
take_module(LoadedModule *modules, const KernelSource *source, LoadedModule **module)
{
	*module = find_module(modules, source);
	if (*module == NULL)
		return false;
	use_module(*module);
	return true;
}

/*
 * Get an image, and load it; *cached says that it came from disk.  While this run waited
 * for it, another one may have loaded it.
 */
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
	if (take_module(*modules, request->source, module))
	{
		free(image);
		return DEVICE_OK;
	}
	status = add_module(device, modules, request->source, image, size, module);
	if (status == DEVICE_OK && compiled)
		kernel_disk_store(request->source, image, size);
	free(image);
	return status;
}

/* Load a module that is not loaded yet. */
static DeviceStatus
load_source(Device *device, LoadedModule **modules, const KernelSource *source,
			bool (*wait) (int), LoadedModule **module, bool *cached)
{
	ImageRequest request = {
		.ops = device->ops, .info = &device->info, .source = source, .from_disk = true
	};
	DeviceStatus status = load_image(device, modules, &request, wait, module, cached);

	/* a file may be whole and yet not what the driver takes */
	if (status != DEVICE_OK && *cached)
	{
		request.from_disk = false;
		status = load_image(device, modules, &request, wait, module, cached);
	}
	return status;
}

DeviceStatus
kernel_cache_load(Device *device, LoadedModule **modules, const char *text,
				  bool (*wait) (int), LoadedModule **module, bool *cached)
{
	KernelSource *source = kernel_source_make(device->ops, &device->info, text);
	DeviceStatus status = DEVICE_OK;

	*cached = true;
	if (source == NULL)
		return no_memory(device);
	if (!take_module(*modules, source, module))
		status = load_source(device, modules, source, wait, module, cached);
	free(source);
	return status;
}

/*----------
 * Modules by recipes
 *----------
 */
static bool
recipe_equal(const KeptRecipe *kept, const KernelRecipe *recipe)
{
	const char *bytes = kept->bytes;

	if (memcmp(kept->sizes, recipe->sizes, sizeof(kept->sizes)) != 0)
		return false;
	for (int i = 0; i < RECIPE_PARTS; bytes += recipe->sizes[i++])
		if (memcmp(bytes, recipe->parts[i], recipe->sizes[i]) != 0)
			return false;
	return true;
}

static bool
has_recipe(const LoadedModule *module, const KernelRecipe *recipe)
{
	const KeptRecipe *kept = module->recipes;

	while (kept != NULL && !recipe_equal(kept, recipe))
		kept = kept->next;
	return kept != NULL;
}

bool
kernel_cache_find(LoadedModule *modules, const KernelRecipe *recipe, LoadedModule **module)
{
	LoadedModule *m = modules;

	while (m != NULL && !has_recipe(m, recipe))
		m = m->next;
	*module = m;
	if (m == NULL)
		return false;
	use_module(m);
	return true;
}

/* Forget the oldest ones. */
static void
trim_recipes(LoadedModule *module)
{
	KeptRecipe **link = &module->recipes;

	for (int i = 0; i < RECIPES_KEPT && *link != NULL; i++)
		link = &(*link)->next;
	free_recipes(link);
}

void
kernel_cache_note(LoadedModule *module, const KernelRecipe *recipe)
{
	size_t		size = 0;
	KeptRecipe *kept;
	char	   *bytes;

	if (has_recipe(module, recipe))
		return;
	for (int i = 0; i < RECIPE_PARTS; i++)
		size += recipe->sizes[i];
	kept = malloc(sizeof(*kept) + size);
	if (kept == NULL)
		return;
	memcpy(kept->sizes, recipe->sizes, sizeof(kept->sizes));
	bytes = kept->bytes;
	for (int i = 0; i < RECIPE_PARTS; bytes += recipe->sizes[i++])
		memcpy(bytes, recipe->parts[i], recipe->sizes[i]);
	kept->next = module->recipes;
	module->recipes = kept;
	trim_recipes(module);
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
