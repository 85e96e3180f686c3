/*
 * stars.c
 *	  Queries over a star's facts, in segments as kept columns are: some look-ups, which refuse most
 *	  rows, then a sum by codes of the rows that were found.
 *
 * The keys, sizes and shares are those of the Star Schema Benchmark at scale 10: keys of facts are
 * uniform, and a table has every n-th key of its range.  Each query runs with all conditions
 * evaluated for each row, and with those first that a sample chooses; the groups must be the same.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "engine/cuda/core/run_kernels.h"
#include "lookup_tables.h"

#define SEGMENT_ROWS 131072
#define MOST_LOOKUPS 4
#define COLUMNS "query|row bytes|rows that pass|all conditions of each row|first ones first|" \
	"conditions first|strategy|same"

/* A look-up, and the facts' key for it. */
typedef struct Dimension
{
	uint32_t	range;			/* of keys */
	uint32_t	every;			/* one of so many is in the table */
	uint32_t	codes;			/* of the rows found, a key of the groups; 0: they have none */
	LookupForm	form;
	uint32_t	width;			/* of the facts' key */
} Dimension;

typedef struct Star
{
	const char *name;
	int			measures;		/* whose difference is summed */
	Dimension	dimensions[MOST_LOOKUPS];
} Star;

static const Star stars[] = {
	{"like Q2.1", 1, {
		{2556, 1, 7, LOOKUP_ARRAY1, WIDTH_2}, {800000, 25, 40, LOOKUP_ARRAY1, WIDTH_4},
		{20000, 5, 0, LOOKUP_BITS, WIDTH_2}
	}},
	{"like Q4.1", 2, {
		{300000, 5, 5, LOOKUP_ARRAY1, WIDTH_4}, {20000, 5, 0, LOOKUP_BITS, WIDTH_2},
		{800000, 3, 0, LOOKUP_BITS, WIDTH_4}, {2556, 1, 7, LOOKUP_ARRAY1, WIDTH_2}
	}},
	{"like Q4.3", 2, {
		{300000, 5, 0, LOOKUP_BITS, WIDTH_4}, {20000, 25, 10, LOOKUP_ARRAY1, WIDTH_2},
		{800000, 25, 40, LOOKUP_ARRAY1, WIDTH_4}, {2556, 4, 2, LOOKUP_ARRAY1, WIDTH_2}
	}},
	{"one look-up that refuses a tenth", 1, {{300000, 1, 7, LOOKUP_ARRAY1, WIDTH_4}}}
};

static const char *const fill_text =
"#include \"prelude.cuh\"\n"
"#include \"args.cuh\"\n"
"#include \"key.cuh\"\n"
"typedef struct FillArgs\n"
"{\n"
"	void *values;\n"
"	uint64_t rows;\n"
"	uint32_t range, bytes, column, unused;\n"
"} FillArgs;\n"
"\n"
"KERNEL(fill, FillArgs, args)\n"
"{\n"
"	for (uint64_t i = grid_index(); i < args.rows; i += grid_size())\n"
"	{\n"
"		uint32_t value = (uint32_t) (hash_mix(hash_mix(i) + args.column) >> 20) % args.range;\n"
"\n"
"		if (args.bytes == 2)\n"
"			((uint16_t *) args.values)[i] = (uint16_t) value;\n"
"		else\n"
"			((uint32_t *) args.values)[i] = value;\n"
"	}\n"
"}\n";

typedef struct FillArgs
{
	DevicePtr	values;
	uint64_t	rows;
	uint32_t	range;
	uint32_t	bytes;
	uint32_t	column;
	uint32_t	unused;
} FillArgs;

static int
lookups_of(const Star *star)
{
	int			n = 0;

	while (n < MOST_LOOKUPS && star->dimensions[n].range > 0)
		n++;
	return n;
}

static void
must(const RunCore *core, bool good)
{
	if (good)
		return;
	fprintf(stderr, "stars: %s %s\n", core->device->message, core->head.message);
	exit(1);
}

/* Parameters: 0, then of each look-up its table and its rows' codes. */
static Program *
make_program(const Star *star)
{
	ProgramBuilder *b = malloc(sizeof(*b));
	int			n = lookups_of(star);
	int			filter = -1;
	int			value = -1;
	int			zero;
	Program    *program;

	program_begin(b, SOURCE_COLUMNS);
	zero = program_add_param_ref(b, program_add_param(b, VT_INT4));
	for (int i = 0; i < n; i++)
	{
		int			key = program_add_op(b, OP_int4_to_int8,
										 program_add_column(b, 1 + i, VT_INT4, false, -1), -1);
		int			row = program_add_op(b, OP_int8_lookup, key,
										 program_add_table_ref(b, program_add_param(b, VT_TEXT)));
		int			found = program_add_op(b, OP_int4_ge, row, zero);
		int			codes = program_add_table_ref(b, program_add_param(b, VT_TEXT));

		filter = filter < 0 ? found : program_add_op(b, OP_and, filter, found);
		if (star->dimensions[i].codes > 0)
			program_add_key(b, program_add_op(b, OP_row_code, row, codes));
	}
	for (int i = 0; i < star->measures; i++)
	{
		int			measure = program_add_column(b, 1 + n + i, VT_INT4, true, -1);

		value = value < 0 ? measure : program_add_op(b, OP_int4_sub, value, measure);
	}
	program_add_acc(b, ACC_SUM_INT, value, -1);
	program_add_acc(b, ACC_COUNT, -1, -1);
	program_set_filter(b, filter);
	program = calloc(1, program_size(b));
	program_finish(b, program);
	free(b);
	return program;
}

static void
make_params(const Star *star, ParamValue *params)
{
	params[0] = (ParamValue) {.type = VT_INT4};
	for (int i = 0; i < lookups_of(star); i++)
	{
		const Dimension *dimension = &star->dimensions[i];
		uint32_t	n = dimension->range / dimension->every;
		uint32_t	nrows = dimension->codes > 0 ? dimension->codes : 1;
		int64_t    *keys = malloc(n * sizeof(*keys));
		uint32_t   *rows = malloc(n * sizeof(*rows));
		uint8_t		codes[256];

		for (uint32_t j = 0; j < n; j++)
		{
			keys[j] = (int64_t) j * dimension->every;
			rows[j] = j % nrows;
		}
		for (uint32_t j = 0; j < nrows; j++)
			codes[j] = (uint8_t) (j + 1);
		params[1 + 2 * i] = (ParamValue) {.type = VT_TEXT};
		params[1 + 2 * i].bytes = table_of_integers(dimension->form, keys, rows, n, nrows);
		params[2 + 2 * i] = (ParamValue) {.type = VT_TEXT};
		params[2 + 2 * i].bytes = table_of_values(1, codes, NULL, nrows);
		free(keys);
		free(rows);
	}
}

static uint32_t
width_of(const Star *star, int column)
{
	return column < lookups_of(star) ? star->dimensions[column].width : WIDTH_4;
}

/* The facts, column after column. */
static void
make_facts(CudaRun *run, const Star *star, uint64_t rows)
{
	RunCore    *core = &run->core;
	DeviceKernel *kernel;
	LoadedModule *module;
	bool		cached;

	must(core, kernel_cache_load(core->device, &core->context->modules, fill_text, NULL, &module,
								 &cached) == DEVICE_OK);
	must(core, core->device_ops->kernel(core->device, kernel_cache_module(module), "fill",
										&kernel) == DEVICE_OK);
	for (int i = 0; i < core->program->ncolumns; i++)
	{
		FillArgs	args = {
			.values = run->input.buffers[0].columns.ptr +
			(uint64_t) run->input.layout.rows * core->layouts[0].columns[i].values,
			.rows = rows,.column = (uint32_t) i,.bytes = 1u << (width_of(star, i) - WIDTH_1),
			.range = i < lookups_of(star) ? star->dimensions[i].range : 10000000
		};

		/* one look-up alone lacks the last tenth of the keys */
		if (lookups_of(star) == 1 && i == 0)
			args.range = args.range / 9 * 10;
		must(core, kernels_launch(core, kernel, rows, 256, 0, &args) == ENGINE_OK);
	}
	must(core, core->device_ops->stream_wait(core->device, core->work) == DEVICE_OK);
	kernel_cache_release(module);
}

/* Let the kernels take the first buffer's rows by segments. */
static void
make_segments(CudaRun *run, const Star *star, uint64_t rows)
{
	RunCore    *core = &run->core;
	InputBuffer *buffer = &run->input.buffers[0];
	uint32_t	n = (uint32_t) ((rows + SEGMENT_ROWS - 1) / SEGMENT_ROWS);
	size_t		words = SEGMENT_WORDS((size_t) core->program->ncolumns);
	uint64_t   *segments = calloc(n * words, sizeof(*segments));

	must(core, segments != NULL &&
		 run_alloc(core, n * words * sizeof(*segments), &buffer->own_segments) == ENGINE_OK);
	for (uint32_t i = 0; i < n; i++)
	{
		uint64_t	first = (uint64_t) i * SEGMENT_ROWS;
		uint64_t   *segment = segments + i * words;

		segment[SEGMENT_NROWS] = rows - first < SEGMENT_ROWS ? rows - first : SEGMENT_ROWS;
		for (int j = 0; j < core->program->ncolumns; j++)
		{
			DevicePtr	column = buffer->columns.ptr +
				(uint64_t) run->input.layout.rows * core->layouts[0].columns[j].values;

			segment[SEGMENT_VALUES(j)] =
				PLACE(column + (first << (width_of(star, j) - WIDTH_1)), width_of(star, j));
			segment[SEGMENT_NULLS(j)] = PLACE(column, WIDTH_NONE);
		}
	}
	must(core, core->device_ops->upload(core->device, core->work, buffer->own_segments.ptr,
										segments, n * words * sizeof(*segments)) == DEVICE_OK &&
		 core->device_ops->stream_wait(core->device, core->work) == DEVICE_OK);
	free(segments);
	buffer->segments = buffer->own_segments.ptr;
	buffer->segment_rows = SEGMENT_ROWS;
	buffer->segment_words = (uint32_t) words;
	core->layouts[TABLE_HASH].segments = core->layouts[TABLE_DIRECT].segments = true;
}

/* One run.  first: conditions may be evaluated first; *conditions: how many are. */
static Measurement
measure(const Bench *bench, const Star *star, bool first, int *conditions)
{
	ParamValue	params[1 + 2 * MOST_LOOKUPS];
	Program    *program = make_program(star);
	EngineHints hints = {.groups = 300,.rows = (double) bench->rows,.strategy = "auto"};
	Measurement result = {0};
	char		message[256];
	EngineRun  *head;
	CudaRun    *run;

	make_params(star, params);
	if (bench->engine->open(program, params, &hints, &head, message) != ENGINE_OK)
	{
		fprintf(stderr, "open: %s\n", message);
		exit(1);
	}
	run = (CudaRun *) head;
	for (int table = TABLE_HASH; table <= TABLE_DIRECT && !first; table++)
		run->core.layouts[table].candidates.n = 0;
	resident_make_room(run, bench->rows, 0);
	make_facts(run, star, bench->rows);
	make_segments(run, star, bench->rows);
	resident_measure(bench, run, &result);
	*conditions = run->core.layouts[TABLE_HASH].prefilter.n;
	for (int i = 0; i < program->ncolumns; i++)
		result.row_bytes += 1u << (width_of(star, i) - WIDTH_1);
	bench->engine->close(head);
	for (int i = 1; i < program->nparams; i++)
		free((void *) params[i].bytes.data);
	free(program);
	return result;
}

void
run_stars(Bench *bench)
{
	report_section("Star queries, G rows/s", COLUMNS);
	for (size_t i = 0; i < sizeof(stars) / sizeof(stars[0]); i++)
	{
		int			conditions[2];
		Measurement all = measure(bench, &stars[i], false, &conditions[0]);
		Measurement first = measure(bench, &stars[i], true, &conditions[1]);
		bool		same = all.digest == first.digest && all.counted == first.counted;
		char		cells[6][32];
		const char *line[] = {
			stars[i].name, cells[0], cells[1], cells[2], cells[3], cells[4], cells[5],
			same ? "yes" : "NO"
		};

		snprintf(cells[0], sizeof(cells[0]), "%u", first.row_bytes);
		snprintf(cells[1], sizeof(cells[0]), "%.2g %%", 100.0 * first.counted / bench->rows);
		snprintf(cells[2], sizeof(cells[0]), "%.3g", bench->rows / all.ms / 1e6);
		snprintf(cells[3], sizeof(cells[0]), "%.3g", bench->rows / first.ms / 1e6);
		snprintf(cells[4], sizeof(cells[0]), "%d", conditions[1]);
		snprintf(cells[5], sizeof(cells[0]), "%s", first.ran);
		bench->failed |= !same;
		report_line(line, 8);
	}
}
