/*
 * device_cuda.c
 *	  A real CUDA device: the driver API behind device.h.
 *
 * The process shares the device's primary context; closing the last Device of a
 * device destroys it, and opening it again makes a new one, which is the way
 * out of an error that has left the context unusable.  In such a context every
 * call returns that error, so nothing about it needs to be remembered here.  An
 * error that is not known to be such a one is followed by a call that cannot fail
 * otherwise: its result tells whether the context goes on.
 *
 * A Device is of the process that opened it.  In a child of that process all
 * calls fail and close only forgets.  Never to be used in the postmaster, and
 * signals stay out of CUDA's threads: see cuda_api.h.
 *
 * Streams and events are the driver's own, under our type names.
 */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "engine/cuda/device/cuda_compile.h"

/* warp matching, sleeping threads and grid constants */
#define OLDEST_MAJOR 7

typedef struct CudaDevice
{
	Device		device;			/* first: callers have a pointer to it */
	const CudaDriver *driver;
	CUdevice	handle;
	CUcontext	context;
	pid_t		pid;			/* who opened it */
	uint64_t	number;			/* of those opened, from 1 */
	uint64_t	peers[DEVICES_MAX]; /* by handle: numbers of devices whose memory it has been let
									 * reach, or has not for good */
} CudaDevice;

/* The number of the device whose context is the thread's, or 0. */
static __thread uint64_t entered;

/* A forked process has the thread's variables, but no context. */
static void
forget_entered(void)
{
	entered = 0;
}

typedef struct CudaKernel
{
	DeviceKernel head;			/* first: callers have a pointer to it */
	struct CudaKernel *next;
	char	   *name;
	CUfunction	function;
} CudaKernel;

struct DeviceModule
{
	CUmodule	handle;
	CudaKernel *kernels;		/* freed with the module */
};

static DeviceStatus __attribute__((format(printf, 3, 4)))
fail(CudaDevice *dev, DeviceStatus status, const char *format,...)
{
	va_list		args;

	va_start(args, format);
	vsnprintf(dev->device.message, sizeof(dev->device.message), format, args);
	va_end(args);
	return status;
}

/* Is the context unusable after an error? */
static bool
is_lost(const CudaDevice *dev, CUresult error)
{
	size_t		available;
	size_t		total;

	return cuda_error_is_sticky(error) ||
		dev->driver->mem_info(&available, &total) != CUDA_SUCCESS;
}

/* The driver's result as a status, with the message if it is an error. */
static DeviceStatus
result(CudaDevice *dev, const char *what, CUresult error)
{
	if (error == CUDA_SUCCESS)
		return DEVICE_OK;
	if (error == CUDA_ERROR_NOT_READY)
		return DEVICE_BUSY;
	cuda_error_text(dev->driver, what, error, dev->device.message,
					sizeof(dev->device.message));
	if (error == CUDA_ERROR_OUT_OF_MEMORY)
		return DEVICE_NO_MEMORY;
	return is_lost(dev, error) ? DEVICE_FAILED : DEVICE_REFUSED;
}

/* Every call begins here: make the device's context the thread's. */
static DeviceStatus
enter(CudaDevice *dev)
{
	DeviceStatus status;

	if (entered == dev->number)
		return DEVICE_OK;
	if (dev->pid != getpid())
		return fail(dev, DEVICE_FAILED, "the CUDA device was opened by another process");
	status = result(dev, "cuCtxSetCurrent", dev->driver->context_set(dev->context));
	if (status == DEVICE_OK)
		entered = dev->number;
	return status;
}

/* Enter the device and return what the driver says to one call. */
#define CALL(dev, what, call) \
	do { \
		CudaDevice *call_dev = (CudaDevice *) (dev); \
		DeviceStatus call_status = enter(call_dev); \
		if (call_status != DEVICE_OK) \
			return call_status; \
		return result(call_dev, what, call_dev->driver->call); \
	} while (0)

/* The same where nobody waits for a status. */
#define CALL_VOID(dev, call) \
	do { \
		CudaDevice *call_dev = (CudaDevice *) (dev); \
		if (enter(call_dev) == DEVICE_OK) \
			(void) call_dev->driver->call; \
	} while (0)

/* A device attribute; 0 if the driver does not tell. */
static int
attribute(const CudaDriver *driver, CUdevice device, int which)
{
	int			value = 0;

	if (driver->device_attribute(&value, which, device) != CUDA_SUCCESS)
		return 0;
	return value;
}

/* What is known of a device without a context, and whether it can be used. */
static void
describe(const CudaDriver *driver, int index, DeviceInfo *info)
{
	size_t		memory = 0;
	CUdevice	device;
	const CudaCompiler *compiler;
	CUresult	error;

	memset(info, 0, sizeof(DeviceInfo));
	info->driver = driver->version;
	error = driver->device_get(&device, index);
	if (error != CUDA_SUCCESS)
	{
		cuda_error_text(driver, "cuDeviceGet", error, info->reason, sizeof(info->reason));
		return;
	}
	driver->device_name(info->name, sizeof(info->name), device);
	driver->device_memory(&memory, device);
	info->memory = memory;
	info->major = attribute(driver, device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
	info->minor = attribute(driver, device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
	info->multiprocessors = attribute(driver, device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
	if (info->multiprocessors < 1)
		info->multiprocessors = 1;
	info->shared_limit = (uint32_t)
		attribute(driver, device, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);

	compiler = cuda_compiler(driver->version, info->reason, sizeof(info->reason));
	if (compiler == NULL)
		return;
	info->compiler = compiler->release;
	if (info->major < OLDEST_MAJOR)
		snprintf(info->reason, sizeof(info->reason),
				 "its compute capability is %d.%d, at least %d.0 is needed",
				 info->major, info->minor, OLDEST_MAJOR);
	else if (attribute(driver, device, CU_DEVICE_ATTRIBUTE_COMPUTE_MODE) ==
			 CU_COMPUTEMODE_PROHIBITED)
		snprintf(info->reason, sizeof(info->reason), "its compute mode is prohibited");
	else
		info->usable = true;
}

int
cuda_devices(DeviceInfo *infos, int max, char *why, size_t len)
{
	const CudaDriver *driver = cuda_driver(why, len);
	int			count = 0;
	CUresult	error;

	if (driver == NULL)
		return 0;
	error = driver->device_count(&count);
	if (error != CUDA_SUCCESS)
	{
		cuda_error_text(driver, "cuDeviceGetCount", error, why, len);
		return 0;
	}
	if (count == 0)
		snprintf(why, len, "the CUDA driver sees no device");
	for (int i = 0; i < count && i < max; i++)
		describe(driver, i, &infos[i]);
	return count;
}

/* Take the device's primary context. */
static bool
retain(CudaDevice *dev, int index, char *why, size_t len)
{
	const char *what = "cuDeviceGet";
	int			pauses = 0;
	sigset_t	old;
	CUresult	error;

	cuda_block_signals(&old);
	error = dev->driver->device_get(&dev->handle, index);
	if (error == CUDA_SUCCESS)
	{
		what = "cuDevicePrimaryCtxRetain";
		do
			error = dev->driver->context_retain(&dev->context, dev->handle);
		while (cuda_opens_again(error, &pauses));
	}
	cuda_restore_signals(&old);
	if (error == CUDA_SUCCESS)
		return true;
	cuda_error_text(dev->driver, what, error, why, len);
	return false;
}

/* The number of one more device that is opened. */
static uint64_t
next_number(void)
{
	static uint64_t numbers = 0;

	if (numbers == 0)
		(void) pthread_atfork(NULL, NULL, forget_entered);
	return ++numbers;
}

static Device *
cuda_open(int index, char *why, size_t len)
{
	const CudaDriver *driver = cuda_driver(why, len);
	CudaDevice *dev;

	if (driver == NULL)
		return NULL;
	dev = calloc(1, sizeof(CudaDevice));
	if (dev == NULL)
	{
		snprintf(why, len, "out of memory");
		return NULL;
	}
	dev->device.ops = &cuda_device;
	dev->driver = driver;
	dev->pid = getpid();
	dev->number = next_number();
	describe(driver, index, &dev->device.info);
	if (!dev->device.info.usable)
		snprintf(why, len, "%s", dev->device.info.reason);
	else if (retain(dev, index, why, len))
		return &dev->device;
	free(dev);
	return NULL;
}

static void
cuda_close(Device *device)
{
	CudaDevice *dev = (CudaDevice *) device;

	if (dev->pid == getpid())
	{
		dev->driver->context_set(NULL);
		entered = 0;
		dev->driver->context_release(dev->handle);
	}
	free(dev);
}

static DeviceStatus
cuda_alloc(Device *dev, size_t size, DevicePtr *ptr)
{
	CUdeviceptr address = 0;
	DeviceStatus status = enter((CudaDevice *) dev);

	if (status == DEVICE_OK)
		status = result((CudaDevice *) dev, "cuMemAlloc",
						((CudaDevice *) dev)->driver->mem_alloc(&address, size));
	*ptr = status == DEVICE_OK ? address : 0;
	return status;
}

static void
cuda_free(Device *dev, DevicePtr ptr)
{
	if (ptr != 0)
		CALL_VOID(dev, mem_free(ptr));
}

static DeviceStatus
cuda_memory_free(Device *dev, uint64_t *bytes)
{
	size_t		available = 0;
	size_t		total = 0;
	DeviceStatus status = enter((CudaDevice *) dev);

	if (status == DEVICE_OK)
		status = result((CudaDevice *) dev, "cuMemGetInfo",
						((CudaDevice *) dev)->driver->mem_info(&available, &total));
	*bytes = available;
	return status;
}

static DeviceStatus
cuda_host_alloc(Device *dev, size_t size, void **ptr)
{
	*ptr = NULL;
	CALL(dev, "cuMemHostAlloc", host_alloc(ptr, size, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP));
}

static void
cuda_host_free(Device *dev, void *ptr)
{
	if (ptr != NULL)
		CALL_VOID(dev, host_free(ptr));
}

/*
 * For memory that the process may only read the driver requires the flag that says
 * so, and takes it for any.  What another device of the process has registered is registered for
 * all of them.  The message is the caller's, since other threads use the
 * device.
 */
static DeviceStatus
cuda_host_register(Device *device, const void *address, size_t size, DevicePtr *ptr,
				   char *why, size_t len)
{
	CudaDevice *dev = (CudaDevice *) device;
	const CudaDriver *driver = dev->driver;
	const char *what = "cuCtxSetCurrent";
	CUdeviceptr place = 0;
	bool		others = false;
	CUresult	error = driver->context_set(dev->context);

	*ptr = 0;
	if (error == CUDA_SUCCESS)
	{
		what = "cuMemHostRegister";
		error = driver->host_register((void *) address, size,
									  CU_MEMHOSTREGISTER_PORTABLE |
									  CU_MEMHOSTREGISTER_DEVICEMAP |
									  CU_MEMHOSTREGISTER_READ_ONLY);
		others = error == CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
	}
	if (error == CUDA_SUCCESS || others)
	{
		what = "cuMemHostGetDevicePointer";
		error = driver->host_pointer(&place, (void *) address, 0);
		if (error != CUDA_SUCCESS && !others)
			driver->host_unregister((void *) address);
	}
	if (error == CUDA_SUCCESS)
	{
		*ptr = place;
		return DEVICE_OK;
	}
	cuda_error_text(driver, what, error, why, len);
	if (error == CUDA_ERROR_OUT_OF_MEMORY)
		return DEVICE_NO_MEMORY;
	return is_lost(dev, error) ? DEVICE_FAILED : DEVICE_REFUSED;
}

static void
cuda_host_unregister(Device *dev, const void *address)
{
	CALL_VOID(dev, host_unregister((void *) address));
}

static DeviceStatus
cuda_stream_create(Device *dev, DeviceStream **stream)
{
	*stream = NULL;
	CALL(dev, "cuStreamCreate",
		 stream_create((CUstream *) stream, CU_STREAM_NON_BLOCKING));
}

/* The driver would let the stream's work end by itself: wait, as simt does. */
static void
cuda_stream_destroy(Device *dev, DeviceStream *stream)
{
	if (stream != NULL)
	{
		CALL_VOID(dev, stream_wait((CUstream) stream));
		CALL_VOID(dev, stream_destroy((CUstream) stream));
	}
}

static DeviceStatus
cuda_stream_wait(Device *dev, DeviceStream *stream)
{
	CALL(dev, "cuStreamSynchronize", stream_wait((CUstream) stream));
}

static DeviceStatus
cuda_event_create(Device *dev, DeviceEvent **event)
{
	*event = NULL;
	CALL(dev, "cuEventCreate", event_create((CUevent *) event, CU_EVENT_DEFAULT));
}

static void
cuda_event_destroy(Device *dev, DeviceEvent *event)
{
	if (event != NULL)
		CALL_VOID(dev, event_destroy((CUevent) event));
}

static DeviceStatus
cuda_event_record(Device *dev, DeviceEvent *event, DeviceStream *stream)
{
	CALL(dev, "cuEventRecord", event_record((CUevent) event, (CUstream) stream));
}

static DeviceStatus
cuda_event_query(Device *dev, DeviceEvent *event)
{
	CALL(dev, "cuEventQuery", event_query((CUevent) event));
}

static DeviceStatus
cuda_event_elapsed(Device *dev, DeviceEvent *from, DeviceEvent *to, float *ms)
{
	*ms = 0;
	CALL(dev, "cuEventElapsedTime",
		 event_elapsed(ms, (CUevent) from, (CUevent) to));
}

static DeviceStatus
cuda_stream_wait_event(Device *dev, DeviceStream *stream, DeviceEvent *event)
{
	CALL(dev, "cuStreamWaitEvent",
		 stream_wait_event((CUstream) stream, (CUevent) event, 0));
}

static DeviceStatus
cuda_upload(Device *dev, DeviceStream *stream, DevicePtr to, const void *from,
			size_t size)
{
	CALL(dev, "cuMemcpyHtoDAsync", upload(to, from, size, (CUstream) stream));
}

static DeviceStatus
cuda_download(Device *dev, DeviceStream *stream, void *to, DevicePtr from,
			  size_t size)
{
	CALL(dev, "cuMemcpyDtoHAsync", download(to, from, size, (CUstream) stream));
}

static DeviceStatus
cuda_fill(Device *dev, DeviceStream *stream, DevicePtr ptr, uint8_t byte,
		  size_t size)
{
	CALL(dev, "cuMemsetD8Async", fill(ptr, byte, size, (CUstream) stream));
}

/*
 * Let copies from another device take the link between the two, if that is NVLink, which native
 * atomics tell.  Over PCIe, where a machine's IOMMU may break such copies, the driver's go through
 * host memory, as they do without this.
 */
static void
reach_peer(CudaDevice *dev, const CudaDevice *other)
{
	int			linked = 0;

	if (other->handle >= DEVICES_MAX || dev->peers[other->handle] == other->number)
		return;
	dev->peers[other->handle] = other->number;
	if (dev->driver->peer_attribute(&linked, CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED,
									dev->handle, other->handle) == CUDA_SUCCESS && linked)
		(void) dev->driver->peer_enable(other->context, 0);
}

static DeviceStatus
cuda_copy_from(Device *device, DeviceStream *stream, DevicePtr to, Device *other_device,
			   DevicePtr from, size_t size)
{
	CudaDevice *dev = (CudaDevice *) device;
	const CudaDevice *other = (const CudaDevice *) other_device;
	DeviceStatus status = enter(dev);

	if (status != DEVICE_OK)
		return status;
	reach_peer(dev, other);
	CALL(device, "cuMemcpyPeerAsync",
		 copy_peer(to, dev->context, from, other->context, size, (CUstream) stream));
}

static DeviceStatus
cuda_device_compile(const DeviceInfo *info, const char *text, const char *const *options,
					void **image, size_t *size, char *message, size_t len)
{
	/* found already, when the device was described */
	const CudaCompiler *compiler = cuda_compiler(info->driver, message, len);

	*image = NULL;
	if (compiler == NULL)
		return DEVICE_REFUSED;
	return cuda_compile(compiler, info->major * 10 + info->minor, text, options,
						image, size, message, len);
}

/* The driver may translate PTX here, with threads of its own. */
static DeviceStatus
cuda_module_load(Device *device, const void *image, size_t size,
				 DeviceModule **module)
{
	CudaDevice *dev = (CudaDevice *) device;
	DeviceStatus status = enter(dev);
	sigset_t	old;

	*module = NULL;
	if (status != DEVICE_OK)
		return status;
	*module = calloc(1, sizeof(DeviceModule));
	if (*module == NULL)
		return fail(dev, DEVICE_NO_MEMORY, "out of memory");
	cuda_block_signals(&old);
	status = result(dev, "cuModuleLoadData",
					dev->driver->module_load(&(*module)->handle, image));
	cuda_restore_signals(&old);
	if (status != DEVICE_OK)
	{
		free(*module);
		*module = NULL;
	}
	return status;
}

static void
free_kernel(CudaKernel *kernel)
{
	if (kernel != NULL)
		free(kernel->name);
	free(kernel);
}

static void
cuda_module_unload(Device *dev, DeviceModule *module)
{
	if (module == NULL)
		return;
	CALL_VOID(dev, module_unload(module->handle));
	while (module->kernels)
	{
		CudaKernel *kernel = module->kernels;

		module->kernels = kernel->next;
		free_kernel(kernel);
	}
	free(module);
}

/* The module's kernel of that name, if it has been asked for before. */
static CudaKernel *
known_kernel(const DeviceModule *module, const char *name)
{
	CudaKernel *kernel = module->kernels;

	while (kernel != NULL && strcmp(kernel->name, name) != 0)
		kernel = kernel->next;
	return kernel;
}

/* The driver loads code lazily, so this may load a good part of the module. */
static DeviceStatus
cuda_kernel(Device *device, DeviceModule *module, const char *name,
			DeviceKernel **kernel)
{
	CudaDevice *dev = (CudaDevice *) device;
	DeviceStatus status = enter(dev);
	CudaKernel *found = known_kernel(module, name);
	sigset_t	old;

	*kernel = NULL;
	if (status == DEVICE_OK && found != NULL)
		*kernel = &found->head;
	if (status != DEVICE_OK || found != NULL)
		return status;
	found = calloc(1, sizeof(CudaKernel));
	if (found == NULL || (found->name = strdup(name)) == NULL)
	{
		free_kernel(found);
		return fail(dev, DEVICE_NO_MEMORY, "out of memory");
	}
	cuda_block_signals(&old);
	status = result(dev, "cuModuleGetFunction",
					dev->driver->module_function(&found->function, module->handle, name));
	cuda_restore_signals(&old);
	if (status != DEVICE_OK)
	{
		free_kernel(found);
		return status;
	}
	found->head.name = found->name;
	found->next = module->kernels;
	module->kernels = found;
	*kernel = &found->head;
	return DEVICE_OK;
}

static uint32_t
kernel_attribute(CudaDevice *dev, DeviceKernel *kernel, int which)
{
	int			value = 0;

	if (enter(dev) != DEVICE_OK ||
		dev->driver->function_attribute(&value, which,
										((CudaKernel *) kernel)->function) != CUDA_SUCCESS)
		return 0;
	return (uint32_t) value;
}

static void
cuda_kernel_use(Device *device, DeviceKernel *kernel, KernelUse *use)
{
	CudaDevice *dev = (CudaDevice *) device;

	use->threads = kernel_attribute(dev, kernel, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
	use->static_shared = kernel_attribute(dev, kernel, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
	use->registers = kernel_attribute(dev, kernel, CU_FUNC_ATTRIBUTE_NUM_REGS);
}

static DeviceStatus
cuda_allow_shared(Device *dev, DeviceKernel *kernel, uint32_t shared)
{
	CALL(dev, "cuFuncSetAttribute",
		 function_set_attribute(((CudaKernel *) kernel)->function,
								CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
								(int) shared));
}

static DeviceStatus
cuda_launch(Device *dev, DeviceStream *stream, DeviceKernel *kernel,
			uint32_t grid, uint32_t block, uint32_t shared, void **params)
{
	CALL(dev, "cuLaunchKernel",
		 launch(((CudaKernel *) kernel)->function, grid, 1, 1, block, 1, 1,
				shared, (CUstream) stream, params, NULL));
}

const DeviceOps cuda_device = {
	.name = "cuda",
	.list = cuda_devices,
	.open = cuda_open,
	.close = cuda_close,
	.alloc = cuda_alloc,
	.free = cuda_free,
	.memory_free = cuda_memory_free,
	.host_alloc = cuda_host_alloc,
	.host_free = cuda_host_free,
	.host_register = cuda_host_register,
	.host_unregister = cuda_host_unregister,
	.stream_create = cuda_stream_create,
	.stream_destroy = cuda_stream_destroy,
	.stream_wait = cuda_stream_wait,
	.event_create = cuda_event_create,
	.event_destroy = cuda_event_destroy,
	.event_record = cuda_event_record,
	.event_query = cuda_event_query,
	.event_elapsed = cuda_event_elapsed,
	.stream_wait_event = cuda_stream_wait_event,
	.upload = cuda_upload,
	.download = cuda_download,
	.fill = cuda_fill,
	.copy_from = cuda_copy_from,
	.compile = cuda_device_compile,
	.module_load = cuda_module_load,
	.module_unload = cuda_module_unload,
	.kernel = cuda_kernel,
	.kernel_use = cuda_kernel_use,
	.allow_shared = cuda_allow_shared,
	.launch = cuda_launch
};
