/*
 * gather.c
 *	  An input buffer's pages into its bytes on the device, in the copy stream.
 *
 * Pages that kernels read in place are gathered as they are given, so that they can be
 * released soon.  Those that had to be copied are gathered once the buffer is full.
 * Each of the two launches has its own list, in which the other's pages are 0: the
 * host writes to no list that the device may still read.
 */
#include "engine/cuda/input/gather.h"
#include "program/heap_page.h"

/*
 * Blocks of a launch.  Each has a page's 8 KB of loads on its way, of which a link of
 * 55 GB/s and 2 us needs 110 KB.  More would take multiprocessors from the kernels that
 * aggregate.  Not measured.
 */
#define MAX_BLOCKS 64

static DeviceStatus
launch(RunCore *run, const PageDeformer *deformer, const InputBuffer *buffer,
	   size_t list, uint32_t first)
{
	const uint64_t *sources = (const uint64_t *) ((const char *) buffer->stage.data + list);
	uint32_t	npages = buffer->npages - first;
	GatherArgs	args = {0};
	void	   *params[] = {&args};

	args.to = buffer->bytes.ptr + run->constants.bytes_size + (uint64_t) first * HEAP_PAGE_SIZE;
	args.sources = (uint64_t) (uintptr_t) (sources + first);
	args.npages = npages;
	return run->device_ops->launch(run->device, run->copy, deformer->kernels.gather,
								   npages < MAX_BLOCKS ? npages : MAX_BLOCKS,
								   GATHER_THREADS, 0, params);
}

EngineStatus
gather_in_place(RunCore *run, const PageDeformer *deformer, const InputLayout *input,
				const InputBuffer *buffer, uint32_t first, PageCall *call)
{
	const DeviceOps *ops = run->device_ops;
	const uint64_t *sources = (const uint64_t *) ((const char *) buffer->stage.data +
												  input_in_place_place(input));
	DeviceStatus status;

	while (first < buffer->npages && sources[first] == 0)
		first++;
	if (first == buffer->npages)
		return ENGINE_OK;
	status = ops->event_record(run->device, call->begun, run->copy);
	if (status == DEVICE_OK)
		status = launch(run, deformer, buffer, input_in_place_place(input), first);
	if (status == DEVICE_OK)
		status = ops->event_record(run->device, call->read, run->copy);
	call->gathered = status == DEVICE_OK;
	return run_device(run, status, "could not read pages");
}

EngineStatus
gather_copied(RunCore *run, const PageDeformer *deformer, const InputLayout *input,
			  const InputBuffer *buffer)
{
	if (buffer->ncopied == 0)
		return ENGINE_OK;
	return run_device(run, launch(run, deformer, buffer, input_copied_place(input), 0),
					  "could not copy pages to the device");
}
