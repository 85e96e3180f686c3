/*
 * cuda_api.c
 *	  The CUDA driver and NVRTC, loaded at run time.
 *
 * The libraries stay loaded until the process ends: CUDA's threads run in them.
 */
#include "engine/cuda/device/cuda_api.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#define DRIVER_LIBRARY "libcuda.so.1"
/*
 * Work queues of the device that streams are spread over.  With 8, the default, runs' streams
 * wait for each other: 8 sessions reach 48.0 GB/s over the link, with 32 48.3 (means of 2).
 */
#define HARDWARE_QUEUES "32"

#define OLDEST_DRIVER 11040		/* the first with all that kernels use */

/* Before a device is opened again: 100 ms, then twice as long as before, 3.1 s in all. */
#define OPEN_PAUSE_MS 100
#define OPEN_PAUSES 5

void
cuda_block_signals(sigset_t *old)
{
	sigset_t	all;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, old);
}

void
cuda_restore_signals(const sigset_t *old)
{
	pthread_sigmask(SIG_SETMASK, old, NULL);
}

/*
 * Errors of a kernel, of the device's memory and of its links, and those that say that the
 * context or the driver has gone.  That of an unknown error, too: the driver itself does not
 * know what is left.
 */
bool
cuda_error_is_sticky(CUresult error)
{
	static const CUresult sticky[] = {
		4,						/* DEINITIALIZED */
		201,					/* INVALID_CONTEXT */
		214,					/* ECC_UNCORRECTABLE */
		220,					/* NVLINK_UNCORRECTABLE */
		226,					/* CONTAINED */
		700,					/* ILLEGAL_ADDRESS */
		702,					/* LAUNCH_TIMEOUT */
		709,					/* CONTEXT_IS_DESTROYED */
		710,					/* ASSERT */
		714,					/* HARDWARE_STACK_ERROR */
		715,					/* ILLEGAL_INSTRUCTION */
		716,					/* MISALIGNED_ADDRESS */
		717,					/* INVALID_ADDRESS_SPACE */
		718,					/* INVALID_PC */
		719,					/* LAUNCH_FAILED */
		721,					/* TENSOR_MEMORY_LEAK */
		805,					/* MPS_CONNECTION_FAILED */
		806,					/* MPS_RPC_FAILURE */
		810,					/* MPS_CLIENT_TERMINATED */
		911,					/* EXTERNAL_DEVICE */
		999						/* UNKNOWN */
	};

	for (size_t i = 0; i < sizeof(sticky) / sizeof(sticky[0]); i++)
		if (sticky[i] == error)
			return true;
	return false;
}

void
cuda_error_text(const CudaDriver *driver, const char *what, CUresult error,
				char *text, size_t len)
{
	const char *name = NULL;
	const char *meaning = NULL;

	driver->error_name(error, &name);
	driver->error_string(error, &meaning);
	if (name)
		snprintf(text, len, "%s: %s (%s)", what, name, meaning ? meaning : "?");
	else
		snprintf(text, len, "%s: CUDA error %d", what, error);
}

/*
 * A symbol into a function pointer, whose type C does not let a void pointer
 * become; false, with the reason, if there is none.
 */
static bool
look_up(void *library, const char *name, const char *symbol, void *member,
		char *why, size_t len)
{
	void	   *address = dlsym(library, symbol);

	memcpy(member, &address, sizeof(address));
	if (address == NULL)
		snprintf(why, len, "%s is too old: it has no %s", name, symbol);
	return address != NULL;
}

#define LOOK_UP(member, symbol, parameters) \
	&& look_up(library, name, symbol, &functions->member, why, len)

static bool
driver_look_up(void *library, CudaDriver *functions, char *why, size_t len)
{
	const char *name = "the CUDA driver";

	return true CUDA_DRIVER_FUNCTIONS(LOOK_UP);
}

static bool
compiler_look_up(void *library, const char *name, CudaCompiler *functions,
				 char *why, size_t len)
{
	return true CUDA_COMPILER_FUNCTIONS(LOOK_UP)
		LOOK_UP(error_string, "nvrtcGetErrorString", ());
}

bool
cuda_opens_again(CUresult error, int *pauses)
{
	const struct timespec pause = {
		.tv_sec = (OPEN_PAUSE_MS << *pauses) / 1000,
		.tv_nsec = (OPEN_PAUSE_MS << *pauses) % 1000 * 1000000
	};

	if (error != CUDA_ERROR_OUT_OF_MEMORY || *pauses == OPEN_PAUSES)
		return false;
	(*pauses)++;
	nanosleep(&pause, NULL);
	return true;
}

static bool
driver_load(CudaDriver *driver, char *why, size_t len)
{
	void	   *library = dlopen(DRIVER_LIBRARY, RTLD_NOW | RTLD_LOCAL);
	int			pauses = 0;
	CUresult	error;

	if (library == NULL)
	{
		snprintf(why, len, "there is no CUDA driver: %s", dlerror());
		return false;
	}
	if (!driver_look_up(library, driver, why, len))
		return false;
	error = driver->driver_version(&driver->version);
	if (error != CUDA_SUCCESS)
	{
		cuda_error_text(driver, "cuDriverGetVersion", error, why, len);
		return false;
	}
	if (driver->version < OLDEST_DRIVER)
	{
		snprintf(why, len, "the CUDA driver is too old: it supports CUDA %d.%d, at least %d.%d is needed",
				 driver->version / 1000, driver->version % 1000 / 10,
				 OLDEST_DRIVER / 1000, OLDEST_DRIVER % 1000 / 10);
		return false;
	}
	(void) setenv("CUDA_DEVICE_MAX_CONNECTIONS", HARDWARE_QUEUES, 0);
	do
		error = driver->init(0);
	while (cuda_opens_again(error, &pauses));
	if (error != CUDA_SUCCESS)
	{
		cuda_error_text(driver, "cuInit", error, why, len);
		return false;
	}
	return true;
}

const CudaDriver *
cuda_driver(char *why, size_t len)
{
	static CudaDriver driver;
	static pid_t initialised_by;
	sigset_t	old;
	bool		loaded;

	if (initialised_by == getpid())
		return &driver;
	if (initialised_by != 0)
	{
		snprintf(why, len, "CUDA was initialised by the parent process");
		return NULL;
	}
	cuda_block_signals(&old);
	loaded = driver_load(&driver, why, len);
	cuda_restore_signals(&old);
	if (!loaded)
		return NULL;
	initialised_by = getpid();
	return &driver;
}

/* Load NVRTC from one place; if it is not there, why stays as it is. */
static bool
compiler_load(const char *path, int driver, CudaCompiler *compiler,
			  char *why, size_t len)
{
	void	   *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	int			major,
				minor;

	if (library == NULL)
		return false;
	if (compiler_look_up(library, path, compiler, why, len))
	{
		if (compiler->version(&major, &minor) != NVRTC_SUCCESS)
			snprintf(why, len, "%s does not tell its version", path);
		else if (driver != 0 && major > driver / 1000)
			snprintf(why, len, "%s is of CUDA %d.%d, too new for the driver, which is of CUDA %d.%d",
					 path, major, minor, driver / 1000, driver % 1000 / 10);
		else
		{
			compiler->release = major * 1000 + minor * 10;
			return true;
		}
	}
	dlclose(library);
	return false;
}

/* The usual names, newest first, where the loader looks and where CUDA lies. */
static bool
compiler_find(int driver, CudaCompiler *compiler, char *why, size_t len)
{
	static const char *const places[] = {
		"", "/usr/local/cuda/lib64/", "/usr/local/cuda/lib/"
	};
	static const char *const names[] = {
		"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so.11",
		"libnvrtc.so"
	};
	char		path[128];

	snprintf(why, len, "there is no NVRTC: no libnvrtc.so.13, .12 or .11, neither in the library path nor in /usr/local/cuda");
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		for (size_t j = 0; j < sizeof(names) / sizeof(names[0]); j++)
		{
			snprintf(path, sizeof(path), "%s%s", places[i], names[j]);
			if (compiler_load(path, driver, compiler, why, len))
				return true;
		}
	return false;
}

const CudaCompiler *
cuda_compiler(int driver, char *why, size_t len)
{
	static CudaCompiler compiler;
	static bool found;
	sigset_t	old;

	if (!found)
	{
		cuda_block_signals(&old);
		found = compiler_find(driver, &compiler, why, len);
		cuda_restore_signals(&old);
	}
	return found ? &compiler : NULL;
}
