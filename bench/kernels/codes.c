/*
 * codes.c
 *	  Rows in segments, as kept columns are: their keys are codes of a dictionary's texts.
 */
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "engine/cuda/codegen/coded.h"
#include "engine/cuda/core/interpreter.h"

/* Of a segment: about what a stripe of narrow rows has. */
#define SEGMENT_ROWS 131072

uint32_t
codes_width(uint32_t groups)
{
	return groups <= 1 << 8 ? WIDTH_1 : groups <= 1 << 16 ? WIDTH_2 : WIDTH_4;
}

static void
must(const RunCore *core, bool good)
{
	if (good)
		return;
	fprintf(stderr, "codes: %s %s\n", core->device->message, core->head.message);
	exit(1);
}

/* Have kernels take codes, as codes.c of the engine's input does. */
static void
take_codes(RunCore *core)
{
	Program    *coded = malloc(core->program->size);
	bool	   *asked = calloc((size_t) core->program->ncolumns, sizeof(*asked));
	CodedConditions conditions;

	must(core, coded != NULL && asked != NULL &&
		 coded_make(core->program, asked, coded, &conditions));
	free(asked);
	core->kernel_program = coded;
	for (int table = TABLE_HASH; table <= TABLE_DIRECT; table++)
	{
		layout_make(coded, (TableKind) table, &core->layouts[table]);
		core->layouts[table].segments = true;
	}
	interpreter_renew(core);
}

/* The width of a column's numbers; WIDTH_NONE: it has none. */
static uint32_t
column_width(const Column *column, const Workload *workload, const RowOrder *order)
{
	if (column->coded)
		return codes_width(order->groups);
	if (column->type == VT_INT4 && column->attno <= 1 + workload->columns && workload->narrow > 0)
		return workload->narrow == 1 ? WIDTH_1 : WIDTH_2;
	return layout_type_width((ValueType) column->type);
}

static uint64_t
column_bytes(const Column *column, const Workload *workload, const RowOrder *order)
{
	uint32_t	width = column_width(column, workload, order);

	return width == WIDTH_NONE ? (uint64_t) layout_value_size((ValueType) column->type) :
		UINT64_C(1) << (width - WIDTH_1);
}

uint32_t
codes_row_bytes(const RunCore *core, const Workload *workload, const RowOrder *order)
{
	const Column *columns = program_columns(core->kernel_program);
	uint64_t	bytes = 0;

	for (int i = 0; i < core->kernel_program->ncolumns; i++)
		bytes += column_bytes(&columns[i], workload, order) + columns[i].nullable;
	return (uint32_t) bytes;
}

/* The segment of rows from that one on. */
static void
write_segment(const RunCore *core, const Workload *workload, const RowOrder *order,
			  const InputBuffer *buffer, uint64_t capacity, uint64_t first, uint64_t *segment)
{
	uint64_t	rows = order->rows - first;

	const Column *columns = program_columns(core->kernel_program);

	segment[SEGMENT_NROWS] = rows < SEGMENT_ROWS ? rows : SEGMENT_ROWS;
	for (int i = 0; i < core->kernel_program->ncolumns; i++)
	{
		const ColumnPlace *place = &core->layouts[0].columns[i];

		segment[SEGMENT_VALUES(i)] =
			PLACE(buffer->columns.ptr + capacity * place->values +
				  first * column_bytes(&columns[i], workload, order),
				  column_width(&columns[i], workload, order));
		segment[SEGMENT_NULLS(i)] =
			PLACE(buffer->columns.ptr + capacity * place->nulls + first, WIDTH_1);
	}
}

void
coded_segments(CudaRun *run, const Workload *workload, const RowOrder *order,
			   DeviceBuffer *texts)
{
	RunCore    *core = &run->core;
	InputBuffer *buffer = &run->input.buffers[0];
	uint64_t	capacity = run->input.layout.rows;
	uint32_t	n = (uint32_t) ((order->rows + SEGMENT_ROWS - 1) / SEGMENT_ROWS);
	size_t		words = SEGMENT_WORDS((size_t) core->program->ncolumns);
	uint64_t   *segments = calloc(n * words, sizeof(*segments));

	take_codes(core);
	must(core, segments != NULL &&
		 run_alloc(core, n * words * sizeof(*segments), &buffer->own_segments) == ENGINE_OK &&
		 run_alloc(core, (uint64_t) order->groups * (sizeof(TextRef) + CODES_TEXT),
				   texts) == ENGINE_OK);
	for (uint32_t i = 0; i < n; i++)
		write_segment(core, workload, order, buffer, capacity, (uint64_t) i * SEGMENT_ROWS,
					  segments + i * words);
	must(core, core->device_ops->upload(core->device, core->work, buffer->own_segments.ptr,
										segments, n * words * sizeof(*segments)) == DEVICE_OK &&
		 core->device_ops->stream_wait(core->device, core->work) == DEVICE_OK);
	free(segments);
	buffer->segments = buffer->own_segments.ptr;
	buffer->segment_rows = SEGMENT_ROWS;
	buffer->segment_words = (uint32_t) words;
	core->ncoded[0] = order->groups;
	core->coded[0] = (DeviceTexts) {
		.entries = texts->ptr,.bytes = texts->ptr + order->groups * sizeof(TextRef)
	};
}
