/*
 * cuda_engine.c
 *	  The CUDA engine: a run's beginning and end, and its calls.
 *
 * Host code over the device interface, so that the same code is the engine
 * `cuda` on a GPU and the engine `simt` on the simulated device.
 *
 * Memory: all device memory of a run is in DeviceBuffers, counted against its
 * limit, and freed by close, as are its streams and events; page-locked memory
 * and loaded kernels go back to the process's context.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/cuda/aggregate/merge_tables.h"
#include "engine/cuda/compiled/kernel_disk.h"
#include "engine/cuda/compiled/kernel_pending.h"
#include "engine/cuda/core/interpreter.h"
#include "engine/cuda/core/run_kernels.h"
#include "engine/cuda/core/run_resources.h"
#include "engine/cuda/cuda_engine.h"
#include "engine/cuda/input/asked.h"
#include "engine/cuda/kept/device_lookups.h"
#include "engine/cuda/run/feed.h"
#include "engine/cuda/run/run.h"
#include "engine/cuda/run/submit.h"

/* A run without a device; free_run takes it back. */
static CudaRun *
make_run(const EngineOps *ops, const DeviceOps *device, const Program *program,
		 const ParamValue *params, const EngineHints *hints)
{
	CudaRun    *run = calloc(1, sizeof(*run));
	RunCore    *core;

	if (run == NULL)
		return NULL;
	core = &run->core;
	core->program = malloc(program->size);
	if (core->program == NULL)
	{
		free(run);
		return NULL;
	}
	memcpy(core->program, program, program->size);
	core->kernel_program = core->program;
	core->head.ops = ops;
	core->head.stats.compile_cached = true;
	core->context = context_of(device, hints->device);
	core->device_ops = device;
	core->constants.params = params;
	core->hints = *hints;
	core->forced = hints->strategy ? strategy_named(hints->strategy) : -1;
	core->interpreter.forced = core->forced == STRATEGY_INTERPRET;
	if (core->interpreter.forced)
		core->forced = -1;
	run_make_layouts(core);
	return run;
}

static void
free_run(CudaRun *run)
{
	if (run->core.kernel_program != run->core.program)
		free(run->core.kernel_program);
	free(run->core.program);
	free(run);
}

/* Have the device; the first time in a process that takes a while. */
static bool
open_device(RunCore *core, char *message)
{
	Context    *context = context_get(core->device_ops, core->hints.device, message,
									  sizeof(core->head.message));

	if (context == NULL)
		return false;
	core->device = context->device;
	context->runs++;
	return true;
}

static void cuda_close(EngineRun *head);

static EngineStatus
open_on(const EngineOps *ops, const DeviceOps *device, const Program *program,
		const ParamValue *params, const EngineHints *hints, EngineRun **head, char *message)
{
	CudaRun    *run = make_run(ops, device, program, params, hints);
	EngineStatus status;

	*head = NULL;
	if (run == NULL)
	{
		snprintf(message, sizeof(run->core.head.message), "out of memory");
		return ENGINE_NO_MEMORY;
	}
	kernel_pending_forget_failures();
	/* the compiler works while the device is opened */
	kernels_prefetch(&run->core);
	if (!open_device(&run->core, message))
	{
		run_report(ENGINE_LOST, message);
		free_run(run);
		return ENGINE_LOST;
	}
	status = run_resources_open(&run->core);
	if (status == ENGINE_OK)
		status = input_open(&run->core, &run->input);
	if (status != ENGINE_OK)
	{
		memcpy(message, run->core.head.message, sizeof(run->core.head.message));
		cuda_close(&run->core.head);
		return status;
	}
	*head = &run->core.head;
	return ENGINE_OK;
}

static EngineStatus
cuda_request(EngineRun *head, EngineRequest *request)
{
	asked_request(&((CudaRun *) head)->input.tables, request);
	return ENGINE_OK;
}

static EngineStatus
cuda_answer(EngineRun *head, const EngineAnswer *answer)
{
	CudaRun    *run = (CudaRun *) head;

	return input_answer(&run->core, &run->input, answer);
}

static const uint8_t *
cuda_served(EngineRun *head, int i)
{
	const KeptTables *tables = &((CudaRun *) head)->input.tables;

	return i < tables->ntables ? tables->tables[i].served : NULL;
}

static EngineStatus
cuda_begin(EngineRun *head)
{
	EngineStatus status = submit_segments((CudaRun *) head);

	return status == ENGINE_BUSY ? ENGINE_OK : status;
}

static EngineStatus
cuda_pages(EngineRun *head, const PageRef *pages, int n)
{
	return feed_pages((CudaRun *) head, pages, n);
}

static bool
cuda_continues(EngineRun *head, const PageRef *page)
{
	return keep_continues(&((CudaRun *) head)->input.keep, page);
}

static uint64_t
cuda_released(EngineRun *head)
{
	CudaRun    *run = (CudaRun *) head;

	return page_calls_released(&run->core, &run->input.calls);
}

static int
cuda_toasted(EngineRun *head, ToastedRow *rows, int max)
{
	return left_take(&((CudaRun *) head)->input.left.list, rows, max);
}

static EngineStatus
cuda_columns(EngineRun *head, const ColumnBatch *batch)
{
	return feed_columns((CudaRun *) head, batch);
}

/* All input has been given: wait until the groups have it. */
static EngineStatus
cuda_finish(EngineRun *head)
{
	CudaRun    *run = (CudaRun *) head;
	RunCore    *core = &run->core;
	EngineStatus status;

	if (run->input.ended)
		return ENGINE_OK;
	status = feed_end(run);
	/* no row at all: there may be one group all the same */
	if (status == ENGINE_OK && !run->aggregation.chosen && core->program->nkeys == 0)
		status = aggregation_choose(core, &run->aggregation, NULL, false);
	if (status == ENGINE_OK && !run->aggregation.chosen && core->program->nkeys == 0)
		status = aggregation_begin(core, &run->aggregation, NULL);
	if (status == ENGINE_OK && run->aggregation.chosen)
		status = value_lists_read(core, &run->aggregation.table.lists,
								  &run->aggregation.table.table,
								  &core->layouts[run->aggregation.kernels.choice.table]);
	run->input.ended = status == ENGINE_OK;
	return status;
}

static EngineStatus
cuda_merge(EngineRun *head, EngineRun *other_head, bool *merged)
{
	CudaRun    *run = (CudaRun *) head;
	CudaRun    *other = (CudaRun *) other_head;

	return merge_tables(&run->core, &run->aggregation, &other->core, &other->aggregation, merged);
}

static void
cuda_complete(EngineRun *head, const EngineHints *hints)
{
	EngineHints *own = &((CudaRun *) head)->core.hints;

	own->top = hints->top;
	own->streams = hints->streams;
}

static EngineStatus
cuda_groups(EngineRun *head, GroupBatch *batch)
{
	CudaRun    *run = (CudaRun *) head;
	EngineStatus status = cuda_finish(head);

	return status == ENGINE_OK ?
		output_next(&run->core, &run->aggregation, &run->output, batch) : status;
}

static void
cuda_rewind(EngineRun *head)
{
	output_restart(&((CudaRun *) head)->output);
}

static void
cuda_close(EngineRun *head)
{
	CudaRun    *run = (CudaRun *) head;
	RunCore    *core = &run->core;

	/* nothing is freed that a thread or the device still works on */
	input_wait(core, &run->input);
	run_resources_wait(core);
	output_close(core, &run->output);
	input_close(core, &run->input);
	aggregation_close(core, &run->aggregation);
	run_resources_close(core);
	core->context->runs--;
	free_run(run);
}

/*
 * All but values of a jsonb, of which the texts of numbers have no memory there, nor have other
 * texts that are made; floats of texts, for which there is no strtod, and those of the C library's
 * functions, whose last bits differ there; lists that leave the engine; and Programs with many lists
 * of values, or with such and first rows, which no query has: large ones are slow to compile, not
 * wrong.
 */
static bool
cuda_supports(const Program *program, char *reason, size_t len)
{
	int			most = program_first_rows(program) != NULL ? 0 : ARGS_MAX_LISTS;
	const char *why = NULL;

	if (program_gives_values(program))
		why = GIVEN_VALUES_MESSAGE;
	else if (program_needs_cpu(program))
		why = "values of type jsonb, texts that are made, floats made of texts, and functions of the C library are not supported";
	else if (layout_nlists(program) > most)
		why = "there are too many ordered arguments";
	if (len > 0)
		snprintf(reason, len, "%s", why ? why : "");
	return why == NULL;
}

/* Kernels are kept below the directory, those of both engines together. */
static void
cuda_init(const char *directory)
{
	char		path[4096];
	int			n = snprintf(path, sizeof(path), "%s/gpuagg_kernels", directory);

	if (n > 0 && (size_t) n < sizeof(path))
		kernel_disk_directory(path);
	interpreter_enable();
}

static void
serve_on(const DeviceOps *device, uint64_t memory, const void *pages, size_t size)
{
	context_share(device, memory);
	/* if that fails, pages are copied */
	if (size > 0)
		(void) context_map(device, pages, size);
}

void
cuda_engine_use(uint64_t devices, uint64_t left_out)
{
	context_use(devices, left_out);
}

bool
cuda_engine_merges(const Program *program)
{
	KernelLayout *layout = malloc(sizeof(*layout));
	bool		merges;

	if (layout == NULL)
		return false;
	layout_make(program, TABLE_HASH, layout);
	merges = layout_can_merge(program, layout);
	free(layout);
	return merges;
}

void
cuda_engine_serve(uint64_t memory, const void *pages, size_t size)
{
	serve_on(&cuda_device, memory, pages, size);
	kernels_prefetch_general(&cuda_device);
#ifdef GPUAGG_TESTING
	serve_on(&simt_device, memory, pages, size);
#endif
}

void
cuda_engine_report_to(void (*report) (EngineStatus status, const char *message))
{
	run_report_to(report);
}

bool
cuda_engine_keep_kernels(void)
{
	return kernel_pending_keep();
}

/*
 * Asked while a query is planned, so no device is opened for it: that would cost
 * time and device memory in processes that never use it.
 */
static bool
available_on(const DeviceOps *device, char *reason, size_t len)
{
	return context_used(device, reason, len) != 0;
}

/*
 * Chosen by hand from runs on one H200.  At commit 73a61d3, with the engine in the session's
 * process, queries took 0.25 s for 294,000 pages and 40 million rows in 100 groups, which these
 * costs make 0.19 s, and 0.14 s more for 10^6 groups, which they make 0.08 s.  cold is 0.2 s; a
 * process's first run with kernels on disk took 0.10 to 0.16 s longer than the others.  setup is
 * 1 ms, since one process serves all sessions: of bench/results/h200-device.md, a query over 10^5
 * rows took 1.1 to 1.4 ms, which these costs make 1.4.
 */
const EngineCosts cuda_costs = {
	.setup = 250,
	.cold = 50000,
	.page = 0.15,
	.tuple = 0.00002,
	.group = 0.02,
	.column_group = 0.003,
	.value = 0.00005,
};

#ifdef GPUAGG_TESTING
/* The simulated device serves tests: under gpuagg.mode = auto it never pays. */
const EngineCosts simt_costs = {
	.setup = 2500,
	.cold = 50000,
	.page = 10,
	.tuple = 10,
	.operator = 10,
	.group = 10,
	.column_group = 10,
	.value = 0.1,
};
#endif

static const EngineKept kept = {
	.request = cuda_request,
	.answer = cuda_answer,
	.served = cuda_served,
	.begin = cuda_begin,
	.continues = cuda_continues,
};

static const EngineParts parts = {
	.finish = cuda_finish,
	.merge = cuda_merge,
	.complete = cuda_complete,
};

/* What is taken needs the context, as a run does. */
static const TableCopy *
take_lookup(Context *context, const Digest *digest, uint32_t len, uint32_t readers)
{
	DeviceLookup *lookup = device_lookup_take(&context->kept, digest, len, readers);

	if (lookup == NULL)
		return NULL;
	context->runs++;
	return &lookup->kept;
}

static void
leave_lookup(Context *context, const TableCopy *lookup)
{
	device_lookup_leave(&context->kept, (DeviceLookup *) lookup);
	context->runs--;
}

/* The two engines. */
#define CUDA_ENGINE(its_ops, its_id, its_costs, device) \
static bool \
its_ops##_available(char *reason, size_t len) \
{ \
	return available_on(&device, reason, len); \
} \
\
static bool \
its_ops##_warm(void) \
{ \
	return context_is_open(&device); \
} \
\
static int \
its_ops##_lost(void) \
{ \
	return context_lost(&device); \
} \
\
static EngineStatus \
its_ops##_open(const Program *program, const ParamValue *params, const EngineHints *hints, \
			  EngineRun **run, char *message) \
{ \
	return open_on(&its_ops, &device, program, params, hints, run, message); \
} \
\
static const TableCopy * \
its_ops##_take(int number, const Digest *digest, uint32_t len, uint32_t readers) \
{ \
	return take_lookup(context_of(&device, number), digest, len, readers); \
} \
\
static void \
its_ops##_leave(int number, const TableCopy *lookup) \
{ \
	leave_lookup(context_of(&device, number), lookup); \
} \
\
static const EngineLookups its_ops##_lookups = { \
	.take = its_ops##_take, \
	.leave = its_ops##_leave \
}; \
\
static const EngineTraits its_ops##_traits = { \
	.id = its_id, \
	.costs = &its_costs, \
	.pages_at_once = ENGINE_MAX_PAGES, \
	.on_device = true \
}; \
\
static const EngineProcess its_ops##_process = { \
	.init = cuda_init, \
	.available = its_ops##_available, \
	.warm = its_ops##_warm, \
	.lost = its_ops##_lost, \
	.memory_needed = memory_needed \
}; \
\
const EngineOps its_ops = { \
	.traits = &its_ops##_traits, \
	.supports = cuda_supports, \
	.open = its_ops##_open, \
	.pages = cuda_pages, \
	.released = cuda_released, \
	.toasted = cuda_toasted, \
	.columns = cuda_columns, \
	.groups = cuda_groups, \
	.rewind = cuda_rewind, \
	.close = cuda_close, \
	.process = &its_ops##_process, \
	.kept = &kept, \
	.lookups = &its_ops##_lookups, \
	.parts = &parts \
};

CUDA_ENGINE(cuda_engine, ENGINE_ID_CUDA, cuda_costs, cuda_device)
#ifdef GPUAGG_TESTING
CUDA_ENGINE(simt_engine, ENGINE_ID_SIMT, simt_costs, simt_device)
#endif
