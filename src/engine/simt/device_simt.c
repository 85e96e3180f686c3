/*
 * device_simt.c
 *	  The simulated device: CUDA's model on the CPU, for tests.
 *
 * Kernel text is compiled by the host's C compiler against shim.h, and a
 * block's threads run as fibers (block.c); device memory is host memory with
 * guards (memory.c); streams do their work late (stream.c).  The device is as
 * strict as CUDA allows a device to be, and refuses what a driver refuses (limits.c).
 * When a kernel fails, everything else does from then on, as in a CUDA context.
 *
 * What is made on a device must be destroyed before the device is closed.  What
 * a kernel reads outside of all memory crashes the process: the engine's own
 * checks are all there is.
 */
#include "engine/simt/device_simt.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "engine/simt/module.h"
#include "engine/simt/stream.h"

#define PAGE 4096
#define DEFAULT_MEMORY (UINT64_C(256) << 20)
#define DEFAULT_CAPABILITY "9.0"

static DeviceStatus __attribute__((format(printf, 3, 4)))
fail(SimtDevice *dev, DeviceStatus status, const char *format,...)
{
	va_list		args;

	va_start(args, format);
	vsnprintf(dev->device.message, sizeof(dev->device.message), format, args);
	va_end(args);
	return status;
}

/* From now on all calls fail. */
static void __attribute__((format(printf, 2, 3)))
lose(SimtDevice *dev, const char *format,...)
{
	va_list		args;

	if (dev->lost)
		return;
	dev->lost = true;
	va_start(args, format);
	vsnprintf(dev->lost_message, sizeof(dev->lost_message), format, args);
	va_end(args);
}

/* Every call begins here: is the device lost, or shall this call fail? */
static DeviceStatus
begin(SimtDevice *dev, const char *call)
{
	DeviceStatus status = simt_injected(dev->number, call);

	if (dev->lost)
		return fail(dev, DEVICE_FAILED, "%s", dev->lost_message);
	if (status == DEVICE_FAILED)
		lose(dev, "%s: injected failure", call);
	if (status != DEVICE_OK)
		return fail(dev, status, "%s: injected failure", call);
	return DEVICE_OK;
}

#define BEGIN(dev, call) \
	do { \
		DeviceStatus begin_status = begin(dev, call); \
		if (begin_status != DEVICE_OK) \
			return begin_status; \
	} while (0)

static DeviceStatus
add(SimtDevice *dev, DeviceStream *stream, const Work *work)
{
	DeviceStatus status = simt_stream_add(dev, stream, work);

	if (status != DEVICE_OK)
		free(work->params);
	return status;
}

static uint64_t
environment_number(const char *name, uint64_t otherwise)
{
	const char *text = getenv(name);

	return text && *text ? strtoull(text, NULL, 0) : otherwise;
}

/* What the environment asks for, once; false: it is malformed. */
static bool
inject_environment(void)
{
	static bool looked = false;
	static bool good = true;
	const char *text = getenv("GPUAGG_SIMT_INJECT");

	if (!looked && text != NULL)
		good = simt_inject_text(text);
	looked = true;
	return good;
}

/* The device that it is to be; NULL: there is none such. */
static const SimtModel *
environment_model(void)
{
	const char *text = getenv("GPUAGG_SIMT_CAPABILITY");

	return simt_model(text && *text ? text : DEFAULT_CAPABILITY);
}

static void
describe(const SimtModel *model, uint64_t memory, DeviceInfo *info)
{
	memset(info, 0, sizeof(DeviceInfo));
	snprintf(info->name, sizeof(info->name), "simulated device");
	info->memory = memory;
	info->multiprocessors = 2;
	if (model != NULL)
	{
		info->major = model->major;
		info->minor = model->minor;
		info->shared_limit = model->shared_limit;
		info->usable = simt_compiler_there(info->reason, sizeof(info->reason));
	}
	else
		snprintf(info->reason, sizeof(info->reason), "GPUAGG_SIMT_CAPABILITY is none that is known");
}

static int
simt_list(DeviceInfo *infos, int max, char *why, size_t len)
{
	const SimtModel *model = environment_model();
	const char *text = getenv("GPUAGG_SIMT_MEMORY");
	int			n = 0;

	/* kernels may be compiled before the device is opened */
	(void) inject_environment();
	do
	{
		char	   *end = NULL;
		uint64_t	memory = text && *text ? strtoull(text, &end, 0) : DEFAULT_MEMORY;

		if (n < max)
			describe(model, memory, &infos[n]);
		n++;
		text = end != NULL && *end == ',' ? end + 1 : NULL;
	} while (text != NULL);
	return n;
}

static Device *
simt_open(int index, char *why, size_t len)
{
	SimtDevice *dev;
	DeviceInfo	infos[DEVICES_MAX];
	const DeviceInfo *info = &infos[index];
	bool		there = index < simt_list(infos, DEVICES_MAX, why, len);

	if (!inject_environment())
	{
		snprintf(why, len, "GPUAGG_SIMT_INJECT is malformed");
		return NULL;
	}
	if (simt_injected(index, "open") != DEVICE_OK)
	{
		snprintf(why, len, "open: injected failure");
		return NULL;
	}
	if (!there || !info->usable)
	{
		snprintf(why, len, "%s", there ? info->reason : "there is no such simulated device");
		return NULL;
	}
	dev = calloc(1, sizeof(SimtDevice));
	if (dev)
		dev->block = simt_block_create(info->shared_limit);
	if (dev == NULL || dev->block == NULL)
	{
		free(dev);
		snprintf(why, len, "out of memory");
		return NULL;
	}
	dev->device.ops = &simt_device;
	dev->device.info = *info;
	dev->number = index;
	dev->model = environment_model();
	dev->memory.limit = info->memory;
	pthread_mutex_init(&dev->mutex, NULL);
	simt_block_seed(dev->block, environment_number("GPUAGG_SIMT_SEED", 0));
	return &dev->device;
}

static void
simt_close(Device *device)
{
	SimtDevice *dev = (SimtDevice *) device;

	while (dev->streams)
		simt_device.stream_destroy(device, dev->streams);
	while (dev->registered)
		simt_device.host_unregister(device, dev->registered->address);
	while (dev->allocated)
		simt_device.host_free(device, (void *) dev->allocated->address);
	pthread_mutex_destroy(&dev->mutex);
	simt_memory_free_all(&dev->memory);
	simt_block_free(dev->block);
	free(dev);
}

void
simt_set_seed(Device *device, uint64_t seed)
{
	simt_block_seed(((SimtDevice *) device)->block, seed);
}

/* What is destroyed may be in use by work that has not been done. */
static void
drain_all(SimtDevice *dev)
{
	for (DeviceStream *stream = dev->streams; stream; stream = stream->next)
		simt_stream_drain(dev, stream);
}

static DeviceStatus
simt_alloc(Device *device, size_t size, DevicePtr *ptr)
{
	SimtDevice *dev = (SimtDevice *) device;

	*ptr = 0;
	BEGIN(dev, "alloc");
	if (size == 0)
		return fail(dev, DEVICE_REFUSED, "alloc of 0 bytes");
	*ptr = simt_memory_alloc(&dev->memory, size);
	if (*ptr == 0)
		return fail(dev, DEVICE_NO_MEMORY,
					"out of device memory: %zu bytes wanted, %llu of %llu in use",
					size, (unsigned long long) dev->memory.used,
					(unsigned long long) dev->memory.limit);
	return DEVICE_OK;
}

static void
simt_free(Device *device, DevicePtr ptr)
{
	SimtDevice *dev = (SimtDevice *) device;
	char		why[320];

	if (ptr == 0)
		return;
	drain_all(dev);
	if (!simt_memory_release(&dev->memory, ptr, why, sizeof(why)))
		lose(dev, "%s", why);
}

static DeviceStatus
simt_memory_free(Device *device, uint64_t *bytes)
{
	SimtDevice *dev = (SimtDevice *) device;

	BEGIN(dev, "memory_free");
	*bytes = dev->memory.limit - dev->memory.used;
	return DEVICE_OK;
}

static DeviceStatus
simt_host_alloc(Device *device, size_t size, void **ptr)
{
	SimtDevice *dev = (SimtDevice *) device;
	SimtRegistered *made;

	*ptr = NULL;
	BEGIN(dev, "host_alloc");
	if (size == 0)
		return fail(dev, DEVICE_REFUSED, "host_alloc of 0 bytes");
	made = malloc(sizeof(SimtRegistered));
	if (made == NULL || posix_memalign(ptr, PAGE, size) != 0)
	{
		free(made);
		*ptr = NULL;
		return fail(dev, DEVICE_NO_MEMORY, "out of memory: %zu bytes wanted", size);
	}
	*made = (SimtRegistered) {dev->allocated, *ptr, size};
	dev->allocated = made;
	return DEVICE_OK;
}

/* The link that leads to the first memory of a list that overlaps, or to the end. */
static SimtRegistered **
find_registered(SimtRegistered **list, const char *address, size_t size)
{
	SimtRegistered **link = list;

	while (*link != NULL && ((*link)->address >= address + size ||
							 address >= (*link)->address + (*link)->size))
		link = &(*link)->next;
	return link;
}

static void
simt_host_free(Device *device, void *ptr)
{
	SimtDevice *dev = (SimtDevice *) device;
	SimtRegistered **link;
	SimtRegistered *gone;

	if (ptr == NULL)
		return;
	drain_all(dev);
	link = find_registered(&dev->allocated, ptr, 1);
	gone = *link;
	if (gone == NULL || gone->address != ptr)
	{
		lose(dev, "host_free of memory that is not host_alloc's");
		return;
	}
	*link = gone->next;
	free(gone);
	free(ptr);
}

/* Is all of it memory of the process? */
static bool
is_mapped(const char *address, size_t size)
{
	unsigned char in_core[64];
	size_t		step = PAGE * sizeof(in_core);

	for (size_t at = 0; at < size; at += step)
		if (mincore((void *) (uintptr_t) (address + at), size - at < step ? size - at : step,
					in_core) != 0)
			return false;
	return true;
}

/* Why the driver would not register memory, or NULL. */
static const char *
why_not_registered(SimtDevice *dev, const char *address, size_t size)
{
	if (size == 0 || (uintptr_t) address % PAGE != 0)
		return "it has no bytes, or is not aligned";
	if (*find_registered(&dev->registered, address, size) != NULL)
		return "some of it is registered";
	if (!is_mapped(address, size))
		return "some of it is no memory of the process";
	return NULL;
}

/* How long registering takes, in microseconds, so that calls at the same time meet. */
#define REGISTER_US 20000

static int	registering = 0;		/* calls of simt_host_register, by all devices */

/* Kernels can read all of the process's memory; what is registered is only checked. */
static DeviceStatus
simt_host_register(Device *device, const void *address, size_t size, DevicePtr *ptr,
				   char *why, size_t len)
{
	SimtDevice *dev = (SimtDevice *) device;
	SimtRegistered *made = malloc(sizeof(SimtRegistered));
	DeviceStatus status = simt_injected(dev->number, "host_register");
	bool		alone = __atomic_add_fetch(&registering, 1, __ATOMIC_SEQ_CST) == 1;
	const char *reason;

	*ptr = 0;
	usleep(REGISTER_US);
	(void) __atomic_sub_fetch(&registering, 1, __ATOMIC_SEQ_CST);
	pthread_mutex_lock(&dev->mutex);
	reason = alone ? why_not_registered(dev, address, size) : "another call has not ended";
	if (made == NULL || status != DEVICE_OK)
		snprintf(why, len, "host_register: injected failure");
	else if (reason != NULL)
	{
		snprintf(why, len, "host_register: %s", reason);
		status = DEVICE_REFUSED;
	}
	else
	{
		*made = (SimtRegistered) {dev->registered, address, size};
		dev->registered = made;
		*ptr = (DevicePtr) (uintptr_t) address;
		made = NULL;
	}
	pthread_mutex_unlock(&dev->mutex);
	free(made);
	return status;
}

static void
simt_host_unregister(Device *device, const void *address)
{
	SimtDevice *dev = (SimtDevice *) device;
	SimtRegistered **link;
	SimtRegistered *gone;

	drain_all(dev);
	pthread_mutex_lock(&dev->mutex);
	link = find_registered(&dev->registered, address, 1);
	gone = *link;
	if (gone != NULL && gone->address == address)
	{
		*link = gone->next;
		free(gone);
	}
	else
		lose(dev, "unregister of memory that is not registered");
	pthread_mutex_unlock(&dev->mutex);
}

static DeviceStatus
simt_stream_create(Device *device, DeviceStream **stream)
{
	SimtDevice *dev = (SimtDevice *) device;

	*stream = NULL;
	BEGIN(dev, "stream_create");
	*stream = calloc(1, sizeof(DeviceStream));
	if (*stream == NULL)
		return fail(dev, DEVICE_NO_MEMORY, "out of memory");
	(*stream)->last = &(*stream)->first;
	(*stream)->next = dev->streams;
	dev->streams = *stream;
	return DEVICE_OK;
}

static void
simt_stream_destroy(Device *device, DeviceStream *stream)
{
	SimtDevice *dev = (SimtDevice *) device;
	DeviceStream **link = &dev->streams;

	if (stream == NULL)
		return;
	simt_stream_drain(dev, stream);
	simt_stream_drop(stream);
	while (*link != stream)
		link = &(*link)->next;
	*link = stream->next;
	free(stream);
}

static DeviceStatus
simt_stream_wait(Device *device, DeviceStream *stream)
{
	SimtDevice *dev = (SimtDevice *) device;

	BEGIN(dev, "stream_wait");
	return simt_stream_drain(dev, stream);
}

static DeviceStatus
simt_event_create(Device *device, DeviceEvent **event)
{
	SimtDevice *dev = (SimtDevice *) device;

	*event = NULL;
	BEGIN(dev, "event_create");
	*event = calloc(1, sizeof(DeviceEvent));
	if (*event == NULL)
		return fail(dev, DEVICE_NO_MEMORY, "out of memory");
	return DEVICE_OK;
}

static void
simt_event_destroy(Device *device, DeviceEvent *event)
{
	drain_all((SimtDevice *) device);
	free(event);
}

static DeviceStatus
simt_event_record(Device *device, DeviceEvent *event, DeviceStream *stream)
{
	SimtDevice *dev = (SimtDevice *) device;
	Work		work = {.kind = WORK_EVENT, .event = event,
	.generation = event->recorded + 1};
	DeviceStatus status;

	BEGIN(dev, "event_record");
	status = add(dev, stream, &work);
	if (status == DEVICE_OK)
	{
		event->stream = stream;
		event->recorded++;
	}
	return status;
}

/* How the work before the event has ended. */
static DeviceStatus
event_status(SimtDevice *dev, const DeviceEvent *event)
{
	if (event->status != DEVICE_OK)
		return fail(dev, event->status, "the event's stream has failed");
	return DEVICE_OK;
}

static DeviceStatus
simt_event_query(Device *device, DeviceEvent *event)
{
	SimtDevice *dev = (SimtDevice *) device;

	BEGIN(dev, "event_query");
	if (event->reached == event->recorded)
		return event_status(dev, event);
	return simt_stream_step(dev, event->stream);
}

static DeviceStatus
simt_event_elapsed(Device *device, DeviceEvent *from, DeviceEvent *to, float *ms)
{
	SimtDevice *dev = (SimtDevice *) device;

	*ms = 0;
	BEGIN(dev, "event_elapsed");
	if (from->recorded == 0 || to->recorded == 0)
		return fail(dev, DEVICE_REFUSED, "elapsed time of an event never recorded");
	if (from->reached != from->recorded || to->reached != to->recorded)
		return fail(dev, DEVICE_BUSY, "the events have not both been reached");
	*ms = (float) (to->time - from->time);
	return DEVICE_OK;
}

static DeviceStatus
simt_stream_wait_event(Device *device, DeviceStream *stream, DeviceEvent *event)
{
	SimtDevice *dev = (SimtDevice *) device;
	Work		work = {.kind = WORK_WAIT_EVENT, .event = event};

	BEGIN(dev, "stream_wait_event");
	work.generation = event->recorded;
	return add(dev, stream, &work);
}

/* Does the range lie in a buffer? */
static DeviceStatus
check_range(SimtDevice *dev, const char *call, DevicePtr ptr, size_t size)
{
	char		why[320];

	if (simt_memory_range(&dev->memory, ptr, size, why, sizeof(why)))
		return DEVICE_OK;
	return fail(dev, DEVICE_REFUSED, "%s: %s", call, why);
}

static DeviceStatus
simt_upload(Device *device, DeviceStream *stream, DevicePtr to,
			const void *from, size_t size)
{
	SimtDevice *dev = (SimtDevice *) device;
	Work		work = {.kind = WORK_COPY, .to = (void *) (uintptr_t) to,
	.from = from, .size = size};
	DeviceStatus status;

	BEGIN(dev, "upload");
	status = check_range(dev, "upload", to, size);
	return status == DEVICE_OK ? add(dev, stream, &work) : status;
}

static DeviceStatus
simt_download(Device *device, DeviceStream *stream, void *to,
			  DevicePtr from, size_t size)
{
	SimtDevice *dev = (SimtDevice *) device;
	Work		work = {.kind = WORK_COPY, .to = to,
	.from = (const void *) (uintptr_t) from, .size = size};
	DeviceStatus status;

	BEGIN(dev, "download");
	status = check_range(dev, "download", from, size);
	return status == DEVICE_OK ? add(dev, stream, &work) : status;
}

static DeviceStatus
simt_fill(Device *device, DeviceStream *stream, DevicePtr ptr, uint8_t byte,
		  size_t size)
{
	SimtDevice *dev = (SimtDevice *) device;
	Work		work = {.kind = WORK_FILL, .to = (void *) (uintptr_t) ptr,
	.byte = byte, .size = size};
	DeviceStatus status;

	BEGIN(dev, "fill");
	status = check_range(dev, "fill", ptr, size);
	return status == DEVICE_OK ? add(dev, stream, &work) : status;
}

static DeviceStatus
simt_copy_from(Device *device, DeviceStream *stream, DevicePtr to, Device *other,
			   DevicePtr from, size_t size)
{
	SimtDevice *dev = (SimtDevice *) device;
	Work		work = {.kind = WORK_COPY, .to = (void *) (uintptr_t) to,
	.from = (const void *) (uintptr_t) from, .size = size};
	DeviceStatus status;

	BEGIN(dev, "copy_from");
	status = check_range(dev, "copy_from", to, size);
	if (status == DEVICE_OK)
		status = check_range((SimtDevice *) other, "copy_from", from, size);
	return status == DEVICE_OK ? add(dev, stream, &work) : status;
}

static DeviceStatus
simt_compile(const DeviceInfo *info, const char *text, const char *const *options,
			 void **image, size_t *size, char *message, size_t len)
{
	DeviceStatus status = simt_injected(SIMT_NO_DEVICE, "compile");

	*image = NULL;
	if (status == DEVICE_OK)
		return simt_host_compile(text, options, image, size, message, len);
	snprintf(message, len, "compile: injected failure");
	return status;
}

static DeviceStatus
simt_module_load_op(Device *device, const void *image, size_t size,
					DeviceModule **module)
{
	SimtDevice *dev = (SimtDevice *) device;

	*module = NULL;
	BEGIN(dev, "module_load");
	*module = simt_module_load(image, size, device->message, sizeof(device->message));
	return *module ? DEVICE_OK : DEVICE_REFUSED;
}

static void
simt_module_unload_op(Device *device, DeviceModule *module)
{
	if (module == NULL)
		return;
	drain_all((SimtDevice *) device);
	simt_module_unload(module);
}

static DeviceStatus
simt_kernel(Device *device, DeviceModule *module, const char *name,
			DeviceKernel **kernel)
{
	SimtDevice *dev = (SimtDevice *) device;
	ModuleKernel *found;

	*kernel = NULL;
	BEGIN(dev, "kernel");
	found = simt_module_kernel(module, name, device->message, sizeof(device->message));
	if (found == NULL)
		return DEVICE_REFUSED;
	*kernel = &found->head;
	return DEVICE_OK;
}

static void
simt_kernel_use(Device *device, DeviceKernel *kernel, KernelUse *use)
{
	const ModuleKernel *found = (const ModuleKernel *) kernel;

	(void) device;
	use->threads = found->code->threads;
	use->static_shared = simt_static_shared(found);
}

static DeviceStatus
simt_allow_shared(Device *device, DeviceKernel *kernel, uint32_t shared)
{
	SimtDevice *dev = (SimtDevice *) device;
	ModuleKernel *found = (ModuleKernel *) kernel;
	char		why[256];

	BEGIN(dev, "allow_shared");
	if (!simt_may_allow_shared(dev->model, found, shared, why, sizeof(why)))
		return fail(dev, DEVICE_REFUSED, "allow_shared: %s", why);
	found->optin_shared = shared;
	return DEVICE_OK;
}

static DeviceStatus
simt_launch(Device *device, DeviceStream *stream, DeviceKernel *kernel,
			uint32_t grid, uint32_t block, uint32_t shared, void **params)
{
	SimtDevice *dev = (SimtDevice *) device;
	ModuleKernel *found = (ModuleKernel *) kernel;
	Work		work = {.kind = WORK_LAUNCH, .kernel = found, .grid = grid,
	.block = block, .shared = shared};
	DeviceStatus injected = simt_injected(dev->number, "launch");
	char		why[256];

	BEGIN(dev, "");
	work.injected = injected == DEVICE_FAILED;
	if (injected != DEVICE_OK && !work.injected)
		return fail(dev, injected, "launch: injected failure");
	if (!simt_may_launch(found, grid, block, shared, why, sizeof(why)))
		return fail(dev, DEVICE_REFUSED, "launch: %s", why);
	work.params = malloc(found->code->params + 1);
	if (work.params == NULL)
		return fail(dev, DEVICE_NO_MEMORY, "out of memory");
	memcpy(work.params, params[0], found->code->params);
	return add(dev, stream, &work);
}

const DeviceOps simt_device = {
	.name = "simt",
	.list = simt_list,
	.open = simt_open,
	.close = simt_close,
	.alloc = simt_alloc,
	.free = simt_free,
	.memory_free = simt_memory_free,
	.host_alloc = simt_host_alloc,
	.host_free = simt_host_free,
	.host_register = simt_host_register,
	.host_unregister = simt_host_unregister,
	.stream_create = simt_stream_create,
	.stream_destroy = simt_stream_destroy,
	.stream_wait = simt_stream_wait,
	.event_create = simt_event_create,
	.event_destroy = simt_event_destroy,
	.event_record = simt_event_record,
	.event_query = simt_event_query,
	.event_elapsed = simt_event_elapsed,
	.stream_wait_event = simt_stream_wait_event,
	.upload = simt_upload,
	.download = simt_download,
	.fill = simt_fill,
	.copy_from = simt_copy_from,
	.compile = simt_compile,
	.module_load = simt_module_load_op,
	.module_unload = simt_module_unload_op,
	.kernel = simt_kernel,
	.kernel_use = simt_kernel_use,
	.allow_shared = simt_allow_shared,
	.launch = simt_launch
};
