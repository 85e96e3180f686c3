/*
 * left_rows.c
 *	  Rows of pages that the device has left out: see EngineOps.toasted.
 *
 * A kernel marks them by a byte each; the host finds their line pointers in the
 * buffer's stage, which still holds what the device was given.
 */
#include "engine/cuda/input/left_rows.h"

/* The marks of a buffer's rows that were left out, which the device has made. */
static EngineStatus
download_marks(RunCore *run, const InputLayout *input, const InputBuffer *buffer,
			   LeftRows *left)
{
	const DeviceOps *ops = run->device_ops;
	DeviceStatus status;

	if (left->marks == NULL)
		left->marks = malloc(input->rows);
	if (left->marks == NULL)
		return run_fail(run, ENGINE_NO_MEMORY, "out of memory for rows left out");
	status = ops->download(run->device, run->work, left->marks, buffer->left.ptr,
						   buffer->nrows);
	return run_wait(run, status, "could not read which rows were left out");
}

EngineStatus
left_rows_note(RunCore *run, const InputLayout *input, const InputBuffer *buffer,
			   LeftRows *left)
{
	const char *stage = buffer->stage.data;
	const DevicePage *infos = (const DevicePage *) (stage + input_infos_place(input));
	const uint16_t *lines = (const uint16_t *) (stage + input_lines_place(input));
	EngineStatus status = download_marks(run, input, buffer, left);

	for (uint32_t p = 0; p < buffer->npages && status == ENGINE_OK; p++)
	{
		const DevicePage *info = &infos[p];

		for (uint32_t i = 0; i < info->nlines; i++)
		{
			uint16_t	line = info->all ? (uint16_t) (i + 1) : lines[info->lines + i];

			if (!left->marks[info->row + i])
				continue;
			run->head.stats.rows--;
			if (!left_add(&left->list, info->table, info->block, line))
				return run_fail(run, ENGINE_NO_MEMORY, "out of memory for rows left out");
		}
	}
	return status;
}

void
left_rows_free(LeftRows *left)
{
	free(left->marks);
	left_free(&left->list);
}
