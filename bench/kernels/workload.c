/*
 * workload.c
 *	  What is computed of which rows: Programs, and rows that a kernel makes on the
 *	  device.
 */
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "engine/cuda/core/run_kernels.h"
#include "engine/cuda/kernels/kernel_args.h"
#include "make_rows.cuh"

#define FILTER_VALUES 100

const Workload workload_double = {.name = "float8",.type = VT_FLOAT8,.columns = 1,.sums = true};
const Workload workload_float = {.name = "float4",.type = VT_FLOAT4,.columns = 1,.sums = true};

/* Parameter 0: of the values that the filter reads, half pass. */
const ParamValue workload_params[] = {{.type = VT_INT4,.word = FILTER_VALUES / 2}};

static const char *const make_text =
"#include \"prelude.cuh\"\n"
"#include \"args.cuh\"\n"
"#include \"key.cuh\"\n"
"#include \"make_rows.cuh\"\n";

const char *const key_names[KEY_COUNT] = {
	"dense", "sparse", "int8", "two", "six", "text", "text20", "codes"
};

/* The key columns of a kind. */
typedef struct KeyColumns
{
	int			columns;
	ValueType	type;
	uint32_t	content;		/* of the first one; the second's is the next */
} KeyColumns;

static const KeyColumns key_columns[KEY_COUNT] = {
	{1, VT_INT4, MAKE_NUMBER},
	{1, VT_INT4, MAKE_SPARSE},
	{1, VT_INT8, MAKE_INT8_KEY},
	{2, VT_INT4, MAKE_THOUSANDS},
	{6, VT_INT4, MAKE_DIGIT},
	{1, VT_TEXT, MAKE_TEXT_KEY},
	{1, VT_TEXT, MAKE_TEXT_KEY},
	{1, VT_TEXT, MAKE_CODE}
};

uint32_t
key_text_length(KeyKind keys)
{
	return keys == KEY_TEXT ? 8 : keys == KEY_LONG_TEXT ? 20 : 0;
}

/* Sums of a column: two, of halves, of numbers of 128 bits. */
static void
add_sums(ProgramBuilder *b, ValueType type, int value)
{
	if (type == VT_FLOAT8 || type == VT_FLOAT4)
		program_add_acc(b, ACC_SUM_FLOAT, value, -1);
	else if (type == VT_WIDE)
	{
		program_add_acc(b, ACC_SUM_INT128, program_add_op(b, OP_wide_low, value, -1), -1);
		program_add_acc(b, ACC_SUM_INT128, program_add_op(b, OP_wide_high, value, -1), -1);
	}
	else
		program_add_acc(b, type == VT_INT8 ? ACC_SUM_INT128 : ACC_SUM_INT, value, -1);
}

Program *
workload_program(const Workload *workload, KeyKind keys)
{
	ProgramBuilder *b = malloc(sizeof(*b));
	int			attno = 1;
	Program    *program;

	program_begin(b, SOURCE_COLUMNS);
	for (int i = 0; i < key_columns[keys].columns; i++)
		program_add_key(b, program_add_column(b, attno++, key_columns[keys].type,
											  workload->nullable, -1));
	for (int i = 0; i < workload->columns; i++)
	{
		int			value = program_add_column(b, attno++, workload->type,
											   workload->nullable, -1);
		bool		is_float = workload->type == VT_FLOAT8 || workload->type == VT_FLOAT4;

		if (workload->sums)
			add_sums(b, workload->type, value);
		if (workload->extremes)
		{
			program_add_acc(b, is_float ? ACC_MIN_FLOAT : ACC_MIN_INT, value, -1);
			program_add_acc(b, is_float ? ACC_MAX_FLOAT : ACC_MAX_INT, value, -1);
		}
	}
	if (workload->filter)
		program_set_filter(b, program_add_op(b, OP_int4_lt,
											 program_add_column(b, 100, VT_INT4, false, -1),
											 program_add_param_ref(b, program_add_param(b, VT_INT4))));
	program_add_acc(b, ACC_COUNT, -1, -1);
	program = calloc(1, program_size(b));
	program_finish(b, program);
	free(b);
	return program;
}

static void
launch(RunCore *core, DeviceModule *module, const char *name, MakeArgs *args)
{
	DeviceKernel *kernel;

	if (core->device_ops->kernel(core->device, module, name, &kernel) != DEVICE_OK ||
		kernels_launch(core, kernel, args->rows, 256, 0, args) != ENGINE_OK)
	{
		fprintf(stderr, "rows: %s %s\n", core->device->message, core->head.message);
		exit(1);
	}
}

/* What a column holds: keys, then values, then what the filter reads. */
static uint32_t
content_of_column(const Workload *workload, KeyKind keys, int column)
{
	const KeyColumns *key = &key_columns[keys];

	if (column < key->columns)
		return key->content + (key->content == MAKE_THOUSANDS ? (uint32_t) column : 0);
	if (column == key->columns + workload->columns)
		return MAKE_FILTER;
	return workload->type == VT_FLOAT8 ? MAKE_FLOAT8 : workload->type == VT_FLOAT4 ? MAKE_FLOAT4 :
		workload->type == VT_INT8 ? MAKE_INT8 : workload->type == VT_WIDE ? MAKE_WIDE : MAKE_INT4;
}

/* The texts of a dictionary, in order of their codes. */
static void
make_dictionary(RunCore *core, DeviceModule *module, uint32_t groups)
{
	MakeArgs	args = {
		.values = core->coded[0].entries,.bytes = core->coded[0].bytes,.rows = groups,
		.groups = groups,.distribution = DIST_SORTED,.content = MAKE_TEXT_KEY,.length = CODES_TEXT
	};

	launch(core, module, "make_keys", &args);
}

void
workload_rows(RunCore *core, const Workload *workload, const InputBuffer *buffer,
			  uint64_t capacity, const RowOrder *order, KeyKind keys)
{
	const ColumnPlace *places = core->layouts[0].columns;
	LoadedModule *module;
	bool		cached;
	MakeArgs	args = {
		.bytes = buffer->bytes.ptr + core->constants.bytes_size,.rows = order->rows,
		.groups = order->groups,.distribution = order->distribution,
		.length = key_text_length(keys),.first_byte = core->constants.bytes_size
	};

	if (keys == KEY_CODES)
		args.length = 1u << (codes_width(order->groups) - WIDTH_1);
	if (kernel_cache_load(core->device, &core->context->modules, make_text, NULL, &module,
						  &cached) != DEVICE_OK)
	{
		fprintf(stderr, "%s\n", core->device->message);
		exit(1);
	}
	for (int i = 0; i < core->program->ncolumns; i++)
	{
		args.column = (uint32_t) i;
		args.content = content_of_column(workload, keys, i);
		if (i == key_columns[keys].columns)
			args.length = keys == KEY_CODES ? workload->narrow : 0;
		args.values = buffer->columns.ptr + capacity * places[i].values;
		launch(core, kernel_cache_module(module), i < key_columns[keys].columns ?
			   "make_keys" : "make_values", &args);
		args.column += 1000;
		args.content = MAKE_NULLS;
		args.values = buffer->columns.ptr + capacity * places[i].nulls;
		if (places[i].nulls > 0)
			launch(core, kernel_cache_module(module), "make_values", &args);
	}
	if (keys == KEY_CODES)
		make_dictionary(core, kernel_cache_module(module), order->groups);
	kernel_cache_release(module);
}
