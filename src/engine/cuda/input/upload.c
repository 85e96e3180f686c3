/*
 * upload.c
 *	  An input buffer's rows to the device, in the copy stream.
 */
#include "engine/cuda/input/input_steps.h"

/* What the host knows of the pages, which are gathered by gather.c. */
static EngineStatus
upload_infos(RunCore *run, const InputLayout *input, const InputBuffer *buffer)
{
	const DeviceOps *ops = run->device_ops;
	const char *stage = buffer->stage.data;
	DevicePtr	to = buffer->bytes.ptr + run->constants.bytes_size;
	DeviceStatus status;

	status = ops->upload(run->device, run->copy, to + input_infos_place(input),
						 stage + input_infos_place(input), buffer->npages * sizeof(DevicePage));
	if (status == DEVICE_OK && buffer->nlines > 0)
		status = ops->upload(run->device, run->copy, to + input_lines_place(input),
							 stage + input_lines_place(input), buffer->nlines * sizeof(uint16_t));
	return run_device(run, status, "could not copy pages to the device");
}

static EngineStatus
upload_columns(RunCore *run, const InputLayout *input, const InputBuffer *buffer)
{
	const Column *columns = program_columns(run->program);
	const DeviceOps *ops = run->device_ops;
	const char *stage = buffer->stage.data;
	DeviceStatus status = DEVICE_OK;

	for (int i = 0; i < run->program->ncolumns && status == DEVICE_OK; i++)
	{
		const ColumnPlace *place = &run->layouts[0].columns[i];
		size_t		values = (size_t) input->rows * place->values;
		size_t		nulls = (size_t) input->rows * place->nulls;
		const char *staged = stage + (size_t) input->batch_rows * place->values;
		size_t		size = (size_t) layout_value_size((ValueType) columns[i].type);

		status = ops->upload(run->device, run->copy, buffer->columns.ptr + values,
							 staged, buffer->nrows * size);
		run->head.stats.bytes += buffer->nrows * size;
		if (status == DEVICE_OK && place->nulls > 0)
			status = ops->upload(run->device, run->copy, buffer->columns.ptr + nulls,
								 stage + (size_t) input->batch_rows * place->nulls,
								 buffer->nrows);
	}
	if (status == DEVICE_OK && buffer->nbytes > 0)
		status = ops->upload(run->device, run->copy,
							 buffer->bytes.ptr + run->constants.bytes_size,
							 stage + input_texts_place(input), buffer->nbytes);
	run->head.stats.bytes += buffer->nbytes;
	return run_device(run, status, "could not copy columns to the device");
}

EngineStatus
input_upload(RunCore *run, const InputLayout *input, const InputBuffer *buffer)
{
	return buffer->pages ? upload_infos(run, input, buffer) :
		upload_columns(run, input, buffer);
}
