/*
 * memory_needed.c
 *	  An estimate of the device memory that a run begins with.
 *
 * Input buffers, a group table of hashed keys for the expected groups, and lists of values of
 * the expected rows, twice, since they are sorted from one place to another.  Strategy `scatter` takes more only where there is more (scatter.c).
 */
#include "engine/cuda/aggregate/run_table.h"
#include "engine/cuda/input/input.h"
#include "engine/cuda/run/run.h"

uint64_t
memory_needed(const Program *program, const EngineHints *hints)
{
	uint64_t	limit = hints->memory_limit > 0 ? hints->memory_limit : UINT64_MAX;
	uint64_t	bytes;
	uint64_t	groups = hints->groups < 1e12 ? (uint64_t) hints->groups : (uint64_t) 1e12;
	KernelLayout layout;
	InputLayout input;

	layout_make(program, TABLE_HASH, &layout);
	input_layout(program, &layout, hints, limit, &input);
	bytes = INPUT_BUFFERS * input_layout_memory(program, &input) +
		run_table_memory(program, &layout, groups, limit);
	if (layout.nlists > 0 && hints->rows < 1e12)
		bytes += (uint64_t) hints->rows * (layout.nlists + UINT64_C(1)) *
			(sizeof(uint32_t) + sizeof(uint64_t));
	return bytes < limit ? bytes : limit;
}
