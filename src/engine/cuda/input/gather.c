/*
 * gather.c
 *	  An input buffer's pages into its bytes on the device, in the copy stream.
 *
 * Pages that kernels read in place are gathered as they are given, so that they can be
 * released soon.  Those that had to be copied are gathered once the buffer is full.
 * Each of the two launches has its own list, in which the other's pages are 0: the
 * host writes to no list that the device may still read.
 *
 * Of pages that are read in place, tuples may stay there that no row can pass the filter with
 * (tuple_filter.c).
 */
#include "engine/cuda/input/input_steps.h"
#include "program/heap_page.h"

/*
 * Blocks of a launch.  Each has a page's 8 KB of loads on its way, of which a link of
 * 55 GB/s and 2 us needs 110 KB, or a few sectors of eight pages.  More would take
 * multiprocessors from the kernels that aggregate.  Not measured.
 */
#define MAX_BLOCKS 64

/* Of the buffer's pages from `first` on those that the list at that place in its stage has. */
static void
make_args(const RunCore *run, const InputBuffer *buffer, size_t list, uint32_t first,
		  GatherArgs *args)
{
	const uint64_t *sources = (const uint64_t *) ((const char *) buffer->stage.data + list);

	*args = (GatherArgs)
	{
		.to = buffer->bytes.ptr + run->constants.bytes_size + (uint64_t) first * HEAP_PAGE_SIZE,
			.sources = (uint64_t) (uintptr_t) (sources + first),
			.npages = buffer->npages - first
	};
}

/* Blocks that take so many pages each at once. */
static DeviceStatus
launch(RunCore *run, DeviceKernel *kernel, uint32_t npages, uint32_t at_once, void *args)
{
	uint32_t	blocks = (npages + at_once - 1) / at_once;
	void	   *params[] = {args};

	return device_launch(run->device, run->copy, kernel,
						 blocks < MAX_BLOCKS ? blocks : MAX_BLOCKS, GATHER_THREADS, 0, params);
}

/* Whole pages. */
static DeviceStatus
launch_pages(RunCore *run, const PageDeformer *deformer, const InputBuffer *buffer,
			 size_t list, uint32_t first)
{
	GatherArgs	args;

	make_args(run, buffer, list, first, &args);
	return launch(run, deformer->kernels.gather, args.npages, 1, &args);
}

/* Of each page the tuples that no condition refuses. */
static DeviceStatus
launch_tuples(RunCore *run, const PageDeformer *deformer, const InputLayout *input,
			  const InputBuffer *buffer, uint32_t first)
{
	const char *stage = buffer->stage.data;
	GatherTuplesArgs args = {0};

	make_args(run, buffer, input_in_place_place(input), first, &args.pages);
	args.info = (uint64_t) (uintptr_t) (stage + input_infos_place(input) +
										first * sizeof(DevicePage));
	args.lines = (uint64_t) (uintptr_t) (stage + input_lines_place(input));
	tuple_filter_tell(&deformer->filter, &args);
	return launch(run, deformer->kernels.gather_tuples, args.pages.npages, GATHER_THREADS / 32,
				  &args);
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
		status = buffer->filtered ? launch_tuples(run, deformer, input, buffer, first) :
			launch_pages(run, deformer, buffer, input_in_place_place(input), first);
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
	return run_device(run, launch_pages(run, deformer, buffer, input_copied_place(input), 0),
					  "could not copy pages to the device");
}
