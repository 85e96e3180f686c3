/*
 * module.c
 *	  Shared objects with kernels, loaded into the process.
 *
 * dlopen wants a file: the image is written to a temporary one, which is
 * removed as soon as it is mapped.  Each load is a file of its own, so two
 * modules from one image have variables of their own, as on a device.
 */
#include "engine/simt/module.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "engine/simt/limits.h"

static bool
write_all(int fd, const char *data, size_t size)
{
	while (size > 0)
	{
		ssize_t		n = write(fd, data, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		data += n;
		size -= (size_t) n;
	}
	return true;
}

static void *
load_image(const void *image, size_t size, char *message, size_t len)
{
	const char *temporary = getenv("TMPDIR");
	char		path[256];
	void	   *handle = NULL;
	int			fd;

	if (temporary == NULL || strlen(temporary) > 200)
		temporary = "/tmp";
	snprintf(path, sizeof(path), "%s/gpuagg-simt-XXXXXX", temporary);
	fd = mkstemp(path);
	if (fd < 0 || !write_all(fd, image, size))
		snprintf(message, len, "cannot write \"%s\": %s", path, strerror(errno));
	else
	{
		handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
		if (handle == NULL)
			snprintf(message, len, "cannot load a module: %s", dlerror());
	}
	if (fd >= 0)
	{
		close(fd);
		unlink(path);
	}
	return handle;
}

DeviceModule *
simt_module_load(const void *image, size_t size, char *message, size_t len)
{
	DeviceModule *module = calloc(1, sizeof(DeviceModule));

	if (module == NULL)
	{
		snprintf(message, len, "out of memory");
		return NULL;
	}
	module->handle = load_image(image, size, message, len);
	if (module->handle == NULL)
	{
		free(module);
		return NULL;
	}
	module->rt = dlsym(module->handle, "simt_rt");
	module->shared_bounds = dlsym(module->handle, "simt_shared_bounds");
	if (module->rt == NULL || module->shared_bounds == NULL)
	{
		snprintf(message, len, "the module does not include prelude.cuh");
		simt_module_unload(module);
		return NULL;
	}
	/* the assembler refuses a kernel that declares more */
	if (module->shared_bounds[1] - module->shared_bounds[0] > SIMT_SHARED_DEFAULT + SIMT_SHARED_MARK)
	{
		snprintf(message, len, "the module declares %td bytes of shared memory",
				 module->shared_bounds[1] - module->shared_bounds[0]);
		simt_module_unload(module);
		return NULL;
	}
	return module;
}

ModuleKernel *
simt_module_kernel(DeviceModule *module, const char *name, char *message, size_t len)
{
	const SimtKernel *code = dlsym(module->handle, name);
	ModuleKernel *kernel;

	if (code == NULL || code->magic != SIMT_KERNEL_MAGIC)
	{
		snprintf(message, len, "the module has no kernel \"%s\"", name);
		return NULL;
	}
	for (kernel = module->kernels; kernel != NULL; kernel = kernel->next)
		if (kernel->code == code)
			return kernel;
	kernel = calloc(1, sizeof(ModuleKernel));
	if (kernel == NULL)
	{
		snprintf(message, len, "out of memory");
		return NULL;
	}
	kernel->module = module;
	kernel->code = code;
	snprintf(kernel->name, sizeof(kernel->name), "%s", name);
	kernel->head.name = kernel->name;
	kernel->next = module->kernels;
	module->kernels = kernel;
	return kernel;
}

void
simt_module_unload(DeviceModule *module)
{
	while (module->kernels)
	{
		ModuleKernel *kernel = module->kernels;

		module->kernels = kernel->next;
		free(kernel);
	}
	dlclose(module->handle);
	free(module);
}
