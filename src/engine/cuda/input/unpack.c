/*
 * unpack.c
 *	  Rows of kept segments as columns that stand behind one another, on the device.
 *
 * Kernels read most segments as they are.  Strategy `scatter` moves columns in pieces that it
 * copies as they stand, and reads each row three times: for it the numbers are unpacked first,
 * which takes a write and a read more of each value.
 */
#include "engine/cuda/input/unpack.h"

/*
 * Of what the run may take yet, the columns take at most this share: what scatter makes of them
 * is as large once or twice, and the group table grows.
 */
#define ROOM_SHARE 4

bool
unpack_possible(const RunCore *run, const Served *served)
{
	return run->kernel_program == run->program && served->texts.entries == 0 &&
		!run->layouts[0].has_text && !program_leaves_rows(run->program) &&
		run->program->ncolumns <= UNPACK_MAX_COLUMNS;
}

/* Rows of a buffer's columns: such that vectors of all widths are where they may be. */
static uint64_t
capacity_for(uint32_t rows)
{
	return ((uint64_t) rows + SEGMENT_ALIGN - 1) / SEGMENT_ALIGN * SEGMENT_ALIGN;
}

bool
unpack_make_room(RunCore *run, uint32_t rows, InputBuffer *buffers, int n)
{
	uint64_t	capacity = capacity_for(rows);
	uint64_t	size = capacity * run->layouts[0].row_bytes;
	bool		fits = size * (uint64_t) n <= (run->memory_limit - run->memory_used) / ROOM_SHARE;

	for (int i = 0; i < n && fits; i++)
	{
		fits = run_alloc(run, size, &buffers[i].columns) == ENGINE_OK;
		buffers[i].capacity = capacity;
	}
	for (int i = 0; i < n && !fits; i++)
		run_free(run, &buffers[i].columns);
	return fits;
}

/* Rows of the segments that are not left out. */
static uint64_t
rows_of_segments(const RunCore *run, const Served *served, uint32_t first, uint32_t n)
{
	size_t		nwords = SEGMENT_WORDS((size_t) run->program->ncolumns);
	uint64_t	rows = 0;

	for (uint32_t i = first; i < first + n; i++)
		rows += served->words[i * nwords + SEGMENT_NROWS];
	for (uint32_t i = 0; i < served->nranges; i++)
		if (served->range_segments[i] >= first && served->range_segments[i] < first + n)
			rows -= served->ranges[i].nrows;
	return rows;
}

static void
tell_columns(const RunCore *run, UnpackArgs *args)
{
	const Column *columns = program_columns(run->program);

	args->ncolumns = (uint32_t) run->program->ncolumns;
	for (int i = 0; i < run->program->ncolumns; i++)
	{
		const ColumnPlace *place = &run->layouts[0].columns[i];
		ValueType	type = (ValueType) columns[i].type;

		args->columns[i] = (UnpackColumn)
		{
			.values = place->values,.nulls = place->nulls,
				.width = (uint16_t) layout_value_size(type),
				.plain = layout_type_width(type) == WIDTH_NONE
		};
	}
}

EngineStatus
unpack_launch(RunCore *run, const Served *served, DeviceKernel *kernel, uint32_t first,
			  uint32_t n, InputBuffer *buffer)
{
	UnpackArgs	args = {.to = buffer->columns.ptr};
	EngineStatus status;

	args.batch.segments = buffer->segments;
	args.batch.segment_rows = buffer->segment_rows;
	args.batch.segment_words = buffer->segment_words;
	args.batch.nrows = buffer->nrows;
	args.capacity = buffer->capacity;
	args.counters = buffer->counters;
	tell_columns(run, &args);
	status = kernels_launch(run, kernel, buffer->nrows / (UNPACK_ROWS / UNPACK_THREADS),
							UNPACK_THREADS, 0, &args);
	buffer->segments = 0;
	buffer->nrows = (uint32_t) rows_of_segments(run, served, first, n);
	return status;
}
