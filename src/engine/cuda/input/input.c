/*
 * input.c
 *	  A run's input: opened and closed.
 *
 * Two buffers: one is filled while the device works on the other.  Launches and
 * copies are large, so that what they cost by themselves does not count.
 */
#include "engine/cuda/input/input.h"

EngineStatus
input_open(RunCore *run, Input *input)
{
	EngineStatus status = ENGINE_OK;

	input->leaves = program_leaves_rows(run->program);
	input_layout(run->program, &run->layouts[0], &run->hints, run->memory_limit,
				 &input->layout);
	if (run->program->source == SOURCE_PAGES)
		status = page_deformer_open(run, &input->deformer);
	for (int i = 0; i < INPUT_BUFFERS && status == ENGINE_OK; i++)
		status = input_buffer_open(run, &input->layout, i, &input->buffers[i]);
	return status;
}

void
input_wait(RunCore *run, const Input *input)
{
	page_calls_wait_copies(run, &input->calls);
}

void
input_close(RunCore *run, Input *input)
{
	for (int i = 0; i < INPUT_BUFFERS; i++)
		input_buffer_close(run, &input->buffers[i]);
	page_deformer_close(run, &input->deformer);
	page_calls_close(run, &input->calls);
	left_rows_free(&input->left);
}
