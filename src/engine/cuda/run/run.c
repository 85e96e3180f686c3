/*
 * run.c
 *	  The CUDA engine: a run's beginning and end, and its calls.
 *
 * Host code over the device interface, so that the same code is the engine
 * `cuda` on a GPU and the engine `simt` on the simulated device.
 *
 * Memory: all device memory of a run is in DeviceBuffers, counted against its
 * limit, and freed by close, as are its streams and events; page-locked memory
 * and loaded kernels go back to the process's context.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/cuda/cuda_engine.h"
#include "engine/cuda/cache/kernel_disk.h"
#include "engine/cuda/cache/kernel_pending.h"
#include "engine/cuda/run/run.h"

/* Of the free device memory, what a run takes at most if nobody says so. */
#define MEMORY_SHARE 0.8

EngineStatus
run_fail(CudaRun *run, EngineStatus status, const char *format, ...)
{
	va_list		args;

	va_start(args, format);
	vsnprintf(run->head.message, sizeof(run->head.message), format, args);
	va_end(args);
	run->failed = true;
	return status;
}

EngineStatus
run_device(CudaRun *run, DeviceStatus status, const char *what)
{
	if (status == DEVICE_OK)
		return ENGINE_OK;
	if (status == DEVICE_NO_MEMORY)
		return run_fail(run, ENGINE_NO_MEMORY, "%s: %s", what, run->device->message);
	if (status == DEVICE_FAILED)
		run->context->lost = true;
	return run_fail(run, ENGINE_FAILED, "%s: %s", what, run->device->message);
}

EngineStatus
run_alloc(CudaRun *run, uint64_t size, DeviceBuffer *buffer)
{
	EngineStatus status;

	if (size > run->memory_limit - run->memory_used)
		return run_fail(run, ENGINE_NO_MEMORY,
						"%llu bytes of device memory are over the limit of %llu",
						(unsigned long long) (run->memory_used + size),
						(unsigned long long) run->memory_limit);
	status = run_device(run, run->device_ops->alloc(run->device, size, &buffer->ptr),
						"could not allocate device memory");
	if (status != ENGINE_OK)
		return status;
	buffer->size = size;
	run->memory_used += size;
	if (run->head.stats.memory < run->memory_used)
		run->head.stats.memory = run->memory_used;
	return ENGINE_OK;
}

void
run_free(CudaRun *run, DeviceBuffer *buffer)
{
	if (buffer->ptr == 0)
		return;
	run->device_ops->free(run->device, buffer->ptr);
	run->memory_used -= buffer->size;
	*buffer = (DeviceBuffer) {0};
}

/*
 * A slot's bytes begin where numbers may: they can be tables (ops_zone.h,
 * ops_set.h).
 */
static uint64_t
slot_text_size(uint32_t len)
{
	return ((uint64_t) len + 7) / 8 * 8;
}

/* The slots' values as kernels read them, and their texts behind one another. */
static EngineStatus
open_slots(CudaRun *run)
{
	uint32_t	nslots = run->program->nslots;
	DeviceConstant *values;
	uint64_t	size = 0;
	EngineStatus status;

	for (uint32_t i = 0; i < nslots; i++)
		if (run->slots[i].type == VT_TEXT && !run->slots[i].isnull)
			size += slot_text_size(run->slots[i].bytes.len);
	if (size > UINT32_MAX / 4)
		return run_fail(run, ENGINE_NO_MEMORY, "constants are too large");
	/* what comes behind them stays aligned */
	run->slot_bytes_size = (uint32_t) ((size + 255) / 256 * 256);
	run->slot_bytes = calloc(1, run->slot_bytes_size + 1);
	values = calloc(nslots + 1, sizeof(*values));
	run->host_slots = values;
	if (run->slot_bytes == NULL || values == NULL)
		return run_fail(run, ENGINE_NO_MEMORY, "out of memory");
	size = 0;
	for (uint32_t i = 0; i < nslots; i++)
	{
		const SlotValue *slot = &run->slots[i];

		values[i].isnull = slot->isnull;
		values[i].word = slot->word;
		if (slot->isnull)
			continue;
		if (slot->type == VT_UUID || slot->type == VT_INTERVAL)
			memcpy(values[i].bytes, slot->bytes.data, sizeof(values[i].bytes));
		else if (slot->type == VT_TEXT)
		{
			values[i].text.start = (uint32_t) size;
			values[i].text.length = slot->bytes.len;
			memcpy(run->slot_bytes + size, slot->bytes.data, slot->bytes.len);
			size += slot_text_size(slot->bytes.len);
		}
	}
	status = run_alloc(run, (nslots + 1) * sizeof(*values), &run->slot_values);
	if (status == ENGINE_OK)
		status = run_device(run,
							run->device_ops->upload(run->device, run->work,
													run->slot_values.ptr, values,
													(nslots + 1) * sizeof(*values)),
							"could not copy constants");
	return status;
}

static EngineStatus
open_memory_limit(CudaRun *run)
{
	uint64_t	available;
	EngineStatus status;

	run->memory_limit = run->hints.memory_limit;
	if (run->memory_limit > 0)
		return ENGINE_OK;
	status = run_device(run, run->device_ops->memory_free(run->device, &available),
						"could not ask for free device memory");
	run->memory_limit = (uint64_t) (available * MEMORY_SHARE);
	return status;
}

/* All that a run has before its first row. */
static EngineStatus
open_resources(CudaRun *run)
{
	const DeviceOps *ops = run->device_ops;
	DeviceStatus device;
	EngineStatus status;

	status = open_memory_limit(run);
	if (status != ENGINE_OK)
		return status;
	device = ops->stream_create(run->device, &run->copy);
	if (device == DEVICE_OK)
		device = ops->stream_create(run->device, &run->work);
	if (device == DEVICE_OK)
		device = stage_take(run->context, COUNTERS_SIZE, &run->results);
	status = run_device(run, device, "could not begin to work on the device");
	if (status == ENGINE_OK)
		status = run_alloc(run, COUNTERS_SIZE, &run->counters);
	if (status == ENGINE_OK)
		status = run_device(run, ops->fill(run->device, run->work, run->counters.ptr, 0,
										   COUNTERS_SIZE), "could not clear counters");
	if (status == ENGINE_OK)
		status = open_slots(run);
	if (status == ENGINE_OK)
		status = input_open(run);
	return status;
}

/* A run without a device; free_run takes it back. */
static CudaRun *
make_run(const EngineOps *ops, const DeviceOps *device, const Program *program,
		 const SlotValue *slots, const EngineHints *hints)
{
	CudaRun    *run = calloc(1, sizeof(*run));

	if (run == NULL)
		return NULL;
	run->program = malloc(program->size);
	if (run->program == NULL)
	{
		free(run);
		return NULL;
	}
	memcpy(run->program, program, program->size);
	run->head.ops = ops;
	run->head.stats.compile_cached = true;
	run->context = context_of(device);
	run->device_ops = device;
	run->leaves = program_leaves_rows(run->program);
	run->slots = slots;
	run->hints = *hints;
	run->forced = hints->strategy ? strategy_named(hints->strategy) : -1;
	layout_make(run->program, TABLE_HASH, &run->layouts[TABLE_HASH]);
	layout_make(run->program, TABLE_DIRECT, &run->layouts[TABLE_DIRECT]);
	return run;
}

static void
free_run(CudaRun *run)
{
	free(run->program);
	free(run);
}

/* Have the device; the first time in a process that takes a while. */
static bool
open_device(CudaRun *run, char *message)
{
	Context    *context = context_get(run->device_ops, message, sizeof(run->head.message));

	if (context == NULL)
		return false;
	run->device = context->device;
	context->runs++;
	return true;
}

static void cuda_close(EngineRun *head);

static EngineStatus
open_on(const EngineOps *ops, const DeviceOps *device, const Program *program,
		const SlotValue *slots, const EngineHints *hints, EngineRun **head, char *message)
{
	CudaRun    *run = make_run(ops, device, program, slots, hints);
	EngineStatus status;

	*head = NULL;
	if (run == NULL)
	{
		snprintf(message, sizeof(run->head.message), "out of memory");
		return ENGINE_NO_MEMORY;
	}
	kernel_pending_forget_failures();
	/* the compiler works while the device is opened */
	kernels_ask(run);
	if (!open_device(run, message))
	{
		free_run(run);
		return ENGINE_FAILED;
	}
	status = open_resources(run);
	if (status != ENGINE_OK)
	{
		memcpy(message, run->head.message, sizeof(run->head.message));
		cuda_close(&run->head);
		return status;
	}
	*head = &run->head;
	return ENGINE_OK;
}

static EngineStatus
cuda_pages(EngineRun *head, const PageRef *pages, int n)
{
	return pages_take((CudaRun *) head, pages, n);
}

static int
cuda_left(EngineRun *head, LeftRow *rows, int max)
{
	return left_take(&((CudaRun *) head)->left, rows, max);
}

static EngineStatus
cuda_columns(EngineRun *head, const ColumnBatch *batch)
{
	return columns_take((CudaRun *) head, batch);
}

static EngineStatus
cuda_groups(EngineRun *head, GroupBatch *batch)
{
	CudaRun    *run = (CudaRun *) head;
	EngineStatus status;

	if (!run->input_ended)
	{
		status = input_flush(run);
		if (status == ENGINE_OK)
			status = aggregate_finish_all(run);
		/* no row at all: there may be one group all the same */
		if (status == ENGINE_OK && !run->chosen && run->program->nkeys == 0)
			status = choose(run, NULL);
		if (status != ENGINE_OK)
			return status;
		run->input_ended = true;
	}
	return output_next(run, batch);
}

static void
cuda_rewind(EngineRun *head)
{
	output_restart((CudaRun *) head);
}

/* Wait for the device, so that nothing is freed that it still uses. */
static void
wait_for_device(CudaRun *run)
{
	if (run->copy != NULL)
		(void) run->device_ops->stream_wait(run->device, run->copy);
	if (run->work != NULL)
		(void) run->device_ops->stream_wait(run->device, run->work);
}

static void
cuda_close(EngineRun *head)
{
	CudaRun    *run = (CudaRun *) head;

	copier_wait(run->context->copier, run->copying);
	wait_for_device(run);
	output_close(run);
	input_close(run);
	device_table_free(run);
	device_values_free(run);
	run_free(run, &run->slot_values);
	run_free(run, &run->attrs);
	run_free(run, &run->hot);
	run_free(run, &run->counters);
	stage_give_back(run->context, &run->results);
	kernels_release(&run->kernels);
	kernel_cache_release(run->deform_module);
	if (run->copy != NULL)
		run->device_ops->stream_destroy(run->device, run->copy);
	if (run->work != NULL)
		run->device_ops->stream_destroy(run->device, run->work);
	run->context->runs--;
	free(run->host_slots);
	free(run->host_attrs);
	free(run->host_sample);
	free(run->slot_bytes);
	free(run->left_marks);
	left_free(&run->left);
	free_run(run);
}

/* Every Program can be run: large ones are slow to compile, not wrong. */
static bool
cuda_supports(const Program *program, char *reason, size_t len)
{
	(void) program;
	if (len > 0)
		reason[0] = '\0';
	return true;
}

/* Kernels are kept below the directory, those of both engines together. */
static void
cuda_init(const char *directory)
{
	char		path[4096];
	int			n = snprintf(path, sizeof(path), "%s/gpuagg_kernels", directory);

	if (n > 0 && (size_t) n < sizeof(path))
		kernel_disk_directory(path);
}

/*
 * Asked while a query is planned, so no device is opened for it: that would cost
 * time and device memory in processes that never use it.
 */
static bool
available_on(const DeviceOps *device, char *reason, size_t len)
{
	DeviceInfo	info;

	if (device->list(&info, 1, reason, len) < 1)
		return false;
	if (!info.usable)
		snprintf(reason, len, "%s", info.reason);
	return info.usable;
}

/*
 * Chosen by hand from runs of bench/run on one H200.  Those of
 * bench/results/h200-queries.md took 0.25 s for 294,000 pages and 40 million rows
 * in 100 groups, which these costs make 0.19 s, and 0.14 s more for 10^6 groups,
 * which they make 0.08 s.  cold is 0.2 s; there, a process's first run with kernels
 * on disk took 0.10 to 0.16 s longer than the others.
 */
static const EngineCosts cuda_costs = {
	.setup = 2500,
	.cold = 50000,
	.page = 0.15,
	.tuple = 0.00002,
	.group = 0.02,
};

#ifdef GPUAGG_TESTING
/* The simulated device serves tests: under gpuagg.mode = auto it never pays. */
static const EngineCosts simt_costs = {
	.setup = 2500,
	.cold = 50000,
	.page = 10,
	.tuple = 10,
	.operator = 10,
	.group = 10,
};
#endif

/* The two engines. */
#define CUDA_ENGINE(engine, engine_name, engine_costs, device) \
static bool \
engine##_available(char *reason, size_t len) \
{ \
	return available_on(&device, reason, len); \
} \
\
static bool \
engine##_warm(void) \
{ \
	return context_is_open(&device); \
} \
\
static EngineStatus \
engine##_open(const Program *program, const SlotValue *slots, const EngineHints *hints, \
			  EngineRun **run, char *message) \
{ \
	return open_on(&engine, &device, program, slots, hints, run, message); \
} \
\
const EngineOps engine = { \
	.name = engine_name, \
	.costs = &engine_costs, \
	.init = cuda_init, \
	.exit = kernel_pending_end, \
	.available = engine##_available, \
	.warm = engine##_warm, \
	.supports = cuda_supports, \
	.open = engine##_open, \
	.pages = cuda_pages, \
	.left = cuda_left, \
	.columns = cuda_columns, \
	.groups = cuda_groups, \
	.rewind = cuda_rewind, \
	.close = cuda_close \
};

CUDA_ENGINE(cuda_engine, "cuda", cuda_costs, cuda_device)
#ifdef GPUAGG_TESTING
CUDA_ENGINE(simt_engine, "simt", simt_costs, simt_device)
#endif
