/*
 * page_deformer.c
 *	  From heap pages to columns, on the device.
 */
#include <stdlib.h>

#include "engine/cuda/core/run_kernels.h"
#include "engine/cuda/input/page_deformer.h"

/* What the deform kernel must know of attributes and columns. */
static EngineStatus
open_attrs(RunCore *run, PageDeformer *deformer)
{
	const Program *program = run->program;
	const Column *columns = program_columns(program);
	size_t		attrs_size;
	size_t		size;
	DeformAttr *attrs;
	DeviceColumn *made;
	EngineStatus status;

	for (int i = 0; i < program->ncolumns; i++)
		if (deformer->nattrs < (uint32_t) columns[i].attno)
			deformer->nattrs = (uint32_t) columns[i].attno;
	attrs_size = deformer->nattrs * sizeof(DeformAttr);
	size = attrs_size + program->ncolumns * sizeof(DeviceColumn);
	if (size == 0)
		return ENGINE_OK;
	attrs = calloc(1, size);
	if (attrs == NULL)
		return run_fail(run, ENGINE_NO_MEMORY, "out of memory");
	deformer->host = attrs;
	made = (DeviceColumn *) (attrs + deformer->nattrs);
	for (uint32_t i = 0; i < deformer->nattrs; i++)
	{
		attrs[i].len = program_attrs(program)[i].len;
		attrs[i].align = program_attrs(program)[i].align;
		attrs[i].column = -1;
	}
	for (int i = 0; i < program->ncolumns; i++)
	{
		DeformAttr *attr = &attrs[columns[i].attno - 1];

		made[i].values = run->layouts[0].columns[i].values;
		made[i].nulls = run->layouts[0].columns[i].nulls;
		made[i].width = (uint32_t) layout_value_size((ValueType) columns[i].type);
		made[i].is_text = columns[i].type == VT_TEXT;
		made[i].numeric = columns[i].numeric;
		made[i].scale = columns[i].scale;
		made[i].presence = columns[i].presence;
		made[i].missing = columns[i].missing;
		made[i].next = attr->column;
		attr->column = (int16_t) i;
	}
	status = run_alloc(run, size, &deformer->attrs);
	if (status == ENGINE_OK)
		status = run_device(run, run->device_ops->upload(run->device, run->work,
														 deformer->attrs.ptr, attrs, size),
							"could not copy the table's layout");
	return status;
}

EngineStatus
page_deformer_open(RunCore *run, PageDeformer *deformer)
{
	EngineStatus status = open_attrs(run, deformer);

	if (status == ENGINE_OK)
		status = kernels_load_deform(run, &deformer->module, &deformer->kernel,
									 &deformer->gather);
	return status;
}

void
page_deformer_close(RunCore *run, PageDeformer *deformer)
{
	run_free(run, &deformer->attrs);
	kernel_cache_release(deformer->module);
	free(deformer->host);
}

EngineStatus
page_deformer_launch(RunCore *run, const PageDeformer *deformer, const InputLayout *input,
					 const InputBuffer *buffer)
{
	DeformArgs	args = {0};

	input_buffer_batch(input, buffer, &args.batch);
	args.pages = buffer->bytes.ptr + run->constants.bytes_size;
	args.info = args.pages + input_infos_place(input);
	args.lines = args.pages + input_lines_place(input);
	args.attrs = deformer->attrs.ptr;
	args.columns = deformer->attrs.ptr + deformer->nattrs * sizeof(DeformAttr);
	args.constants = run->constants.values.ptr;
	args.counters = buffer->counters;
	args.npages = buffer->npages;
	args.nattrs = deformer->nattrs;
	/* a warp a page */
	return kernels_launch(run, deformer->kernel, (uint64_t) buffer->npages * 32, 256, 0,
						  &args);
}
