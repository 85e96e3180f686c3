/*
 * page_deformer.c
 *	  From heap pages to columns, on the device.
 */
#include "engine/cuda/core/run_kernels.h"
#include "engine/cuda/input/page_deformer.h"
#include "program/heap_page.h"

EngineStatus
page_deformer_open(RunCore *run, PageDeformer *deformer)
{
	const Program *program = run->program;
	const Column *columns[PROGRAM_MAX_COLUMNS];
	EngineStatus status;

	for (int i = 0; i < program->ncolumns; i++)
		columns[i] = &program_columns(program)[i];
	tuple_filter_find(program, run->constants.params, &deformer->filter);
	status = deform_attrs_open(run, columns, program->ncolumns, run->layouts[0].columns,
							   &deformer->attrs);
	if (status == ENGINE_OK)
		status = kernels_load_deform(run, &deformer->module, &deformer->kernels);
	deformer->open = status == ENGINE_OK;
	return status;
}

void
page_deformer_close(RunCore *run, PageDeformer *deformer)
{
	deform_attrs_close(run, &deformer->attrs);
	kernel_cache_release(deformer->module);
}

/* What is the same of all launches over a buffer's pages. */
static void
page_args(const RunCore *run, const InputLayout *input, const InputBuffer *buffer,
		  DeformArgs *args)
{
	*args = (DeformArgs) {0};
	input_buffer_batch(input, buffer, &args->batch);
	args->pages = buffer->bytes.ptr + run->constants.bytes_size;
	args->info = args->pages + input_infos_place(input);
	args->lines = args->pages + input_lines_place(input);
	args->constants = run->constants.values.ptr;
}

/* A warp a page. */
static EngineStatus
launch(RunCore *run, const PageDeformer *deformer, DeformArgs *args)
{
	return kernels_launch(run, deformer->kernels.deform, (uint64_t) args->npages * 32, 256, 0,
						  args);
}

EngineStatus
page_deformer_launch(RunCore *run, const PageDeformer *deformer, const InputLayout *input,
					 const InputBuffer *buffer)
{
	DeformArgs	args;

	page_args(run, input, buffer, &args);
	deform_attrs_tell(&deformer->attrs, &args);
	args.counters = buffer->counters;
	args.npages = buffer->npages;
	args.refused = deformer->filter.refused;
	args.refused_column = deformer->filter.refused_column;
	return launch(run, deformer, &args);
}

EngineStatus
page_deformer_keep(RunCore *run, const PageDeformer *deformer, const InputLayout *input,
				   const InputBuffer *buffer, const KeepPages *kept)
{
	DeformArgs	args;

	page_args(run, input, buffer, &args);
	deform_attrs_tell(kept->attrs, &args);
	args.batch.columns = kept->columns;
	args.batch.capacity = kept->capacity;
	args.batch.left = 0;
	args.counters = kept->counters;
	args.pages += (uint64_t) kept->first * HEAP_PAGE_SIZE;
	args.info += (uint64_t) kept->first * sizeof(DevicePage);
	args.npages = kept->npages;
	args.ranges = kept->ranges;
	return launch(run, deformer, &args);
}
