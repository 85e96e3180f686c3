/*
 * workload.c
 *	  What is computed of which rows: Programs, and rows that a kernel makes on the
 *	  device.
 */
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "engine/cuda/core/run_kernels.h"

#define FILTER_VALUES 100

const Workload workload_double = {.name = "float8",.type = VT_FLOAT8,.columns = 1,.sums = true};
const Workload workload_float = {.name = "float4",.type = VT_FLOAT4,.columns = 1,.sums = true};

/* Slot 0: of the values that the filter reads, half pass. */
const SlotValue workload_slots[] = {{.type = VT_INT4,.word = FILTER_VALUES / 2}};

/* Parameters of the kernels below. */
typedef struct MakeArgs
{
	DevicePtr	values;
	uint64_t	rows;
	uint32_t	groups;
	uint32_t	distribution;
	uint32_t	sparse;
	uint32_t	kind;			/* of values */
	uint32_t	column;
	uint32_t	unused;
} MakeArgs;

/* Kinds of values. */
enum
{
	MAKE_FLOAT8,				/* all bits, below 1000 */
	MAKE_FLOAT4,
	MAKE_INT8,					/* numeric(10, 2) */
	MAKE_INT4,
	MAKE_FILTER,
	MAKE_NULLS					/* bytes: every 16th is NULL */
};

static const char *const make_text =
"#include \"prelude.cuh\"\n"
"#include \"args.cuh\"\n"
"#include \"key.cuh\"\n"
"#ifndef __CUDACC__\n"
"#include <math.h>\n"
"#endif\n"
"typedef struct MakeArgs\n"
"{\n"
"	void *values;\n"
"	uint64_t rows;\n"
"	uint32_t groups, distribution, sparse, kind, column, unused;\n"
"} MakeArgs;\n"
"\n"
"DEVICE_FN uint32_t\n"
"make_key(const MakeArgs *args, uint64_t row, uint64_t random)\n"
"{\n"
"	uint32_t groups = args->groups;\n"
"	uint32_t sorted = (uint32_t) (row * groups / args->rows);\n"
"	uint32_t uniform = (uint32_t) (random >> 16) % groups;\n"
"	double u = (double) (random >> 11) / 9007199254740992.0;\n"
"	uint32_t zipf;\n"
"\n"
"	switch (args->distribution)\n"
"	{\n"
"		case 1:\n"
"			return sorted;\n"
"		case 2:\n"
"			if (random & 1)\n"
"				return sorted + 1 < groups ? sorted + 1 : sorted;\n"
"			return sorted > 0 ? sorted - 1 : 0;\n"
"		case 3:\n"
"			zipf = (uint32_t) exp(u * log((double) groups + 1)) - 1;\n"
"			return zipf < groups ? zipf : groups - 1;\n"
"		case 4:\n"
"			return random & 1 ? 0 : uniform;\n"
"		default:\n"
"			return uniform;\n"
"	}\n"
"}\n"
"\n"
"/* Odd factor: other keys, as many, all over the range. */\n"
"KERNEL(make_keys, MakeArgs, args)\n"
"{\n"
"	for (uint64_t i = grid_index(); i < args.rows; i += grid_size())\n"
"	{\n"
"		uint64_t random = hash_mix(i + 88172645463325252);\n"
"\n"
"		((int32_t *) args.values)[i] = (int32_t) (make_key(&args, i, random) *\n"
"												   (args.sparse ? 2654435761u : 1));\n"
"	}\n"
"}\n"
"\n"
"KERNEL(make_values, MakeArgs, args)\n"
"{\n"
"	for (uint64_t i = grid_index(); i < args.rows; i += grid_size())\n"
"	{\n"
"		uint64_t random = hash_mix(hash_mix(i + 88172645463325252) + args.column);\n"
"		double value = (double) (random >> 11) / 9007199254740992.0 * 1000;\n"
"\n"
"		if (args.kind == 0)\n"
"			((double *) args.values)[i] = value;\n"
"		else if (args.kind == 1)\n"
"			((float *) args.values)[i] = (float) value;\n"
"		else if (args.kind == 2)\n"
"			((int64_t *) args.values)[i] = (int64_t) (random % 100000000);\n"
"		else if (args.kind == 3)\n"
"			((int32_t *) args.values)[i] = (int32_t) random;\n"
"		else if (args.kind == 4)\n"
"			((int32_t *) args.values)[i] = (int32_t) (random % 100);\n"
"		else\n"
"			((uint8_t *) args.values)[i] = random % 16 == 0;\n"
"	}\n"
"}\n";

Program *
workload_program(const Workload *workload)
{
	ProgramBuilder *b = malloc(sizeof(*b));
	Program    *program;

	program_begin(b, SOURCE_COLUMNS);
	program_add_key(b, program_add_column(b, 1, VT_INT4, workload->nullable, -1));
	for (int i = 0; i < workload->columns; i++)
	{
		int			value = program_add_column(b, 2 + i, workload->type, workload->nullable, -1);
		bool		is_float = workload->type == VT_FLOAT8 || workload->type == VT_FLOAT4;

		if (workload->sums)
			program_add_acc(b, is_float ? ACC_SUM_FLOAT :
							workload->type == VT_INT8 ? ACC_SUM_INT128 : ACC_SUM_INT, value, -1);
		if (workload->extremes)
		{
			program_add_acc(b, is_float ? ACC_MIN_FLOAT : ACC_MIN_INT, value, -1);
			program_add_acc(b, is_float ? ACC_MAX_FLOAT : ACC_MAX_INT, value, -1);
		}
	}
	if (workload->filter)
		program_set_filter(b, program_add_op(b, OP_int4_lt,
											 program_add_column(b, 100, VT_INT4, false, -1),
											 program_add_slot_ref(b, program_add_slot(b, VT_INT4))));
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

static uint32_t
kind_of_column(const Workload *workload, int column)
{
	if (workload->filter && column == workload->columns + 1)
		return MAKE_FILTER;
	return workload->type == VT_FLOAT8 ? MAKE_FLOAT8 : workload->type == VT_FLOAT4 ? MAKE_FLOAT4 :
		workload->type == VT_INT8 ? MAKE_INT8 : MAKE_INT4;
}

void
workload_rows(RunCore *core, const Workload *workload, DevicePtr columns, uint64_t capacity,
			  uint64_t rows, uint32_t groups, Distribution distribution, bool sparse)
{
	const ColumnPlace *places = core->layouts[0].columns;
	LoadedModule *module;
	bool		cached;
	MakeArgs	args = {
		.rows = rows,.groups = groups,.distribution = distribution,.sparse = sparse
	};

	if (kernel_cache_load(core->device, &core->context->modules, make_text, NULL, &module,
						  &cached) != DEVICE_OK)
	{
		fprintf(stderr, "%s\n", core->device->message);
		exit(1);
	}
	for (int i = 0; i < core->program->ncolumns; i++)
	{
		args.column = (uint32_t) i;
		args.kind = kind_of_column(workload, i);
		args.values = columns + capacity * places[i].values;
		launch(core, kernel_cache_module(module), i == 0 ? "make_keys" : "make_values", &args);
		args.column += 1000;
		args.kind = MAKE_NULLS;
		args.values = columns + capacity * places[i].nulls;
		if (places[i].nulls > 0)
			launch(core, kernel_cache_module(module), "make_values", &args);
	}
	kernel_cache_release(module);
}
