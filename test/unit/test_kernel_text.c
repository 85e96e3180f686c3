/*
 * test_kernel_text.c
 *	  Kernels generated for many Programs, compiled by NVRTC.  Needs no GPU.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/cuda/codegen/codegen.h"
#include "engine/cuda/codegen/codegen_parts.h"
#include "engine/cuda/codegen/coded.h"
#include "engine/cuda/device/cuda_compile.h"
#include "engine/cuda/strategy/prefilter.h"
#include "engine_data.h"
#include "tap.h"

static const CudaCompiler *compiler;

/* Compile; the image's size, 0 if it belongs to another part. */
static size_t
compile(const char *name, const char *text, int arch)
{
	char		message[512] = "";
	void	   *image = NULL;
	size_t		size = 0;
	DeviceStatus status;

	if (!in_part())
		return 0;
	status = cuda_compile(compiler, arch, text, NULL, &image, &size, message, sizeof(message));
	ok(status == DEVICE_OK && size > 0, "%s for sm_%d%s%s", name, arch,
	   message[0] ? ": " : "", message);
	if (getenv("KERNEL_IMAGES") && image)
	{
		char		path[512];
		FILE	   *file;

		snprintf(path, sizeof(path), "%s/%s_%d.cubin", getenv("KERNEL_IMAGES"), name, arch);
		file = fopen(path, "wb");
		if (file)
		{
			fwrite(image, 1, size, file);
			fclose(file);
		}
	}
	free(image);
	return size;
}

static size_t
compile_program(const char *name, const Program *program, TableKind table, KernelPart part,
				Strategy strategy, int arch)
{
	static KernelLayout layout;
	Text		text = {0};
	char		full[128];
	size_t		size;

	layout_make(program, table, &layout);
	layout.merges = strategy == STRATEGY_ATOMIC && layout_can_merge(program, &layout);
	if (strategy_scatters(strategy) && !codegen_scatter_possible(program, &layout))
		return 0;
	codegen(program, &layout, part, strategy, table == TABLE_DIRECT, 1000, 8, &text);
	snprintf(full, sizeof(full), "%s_%s_%s", name,
			 part == PART_SAMPLE ? "sample" : strategy_name(strategy),
			 table == TABLE_DIRECT ? "direct" : "hash");
	size = compile(full, text.data, arch);
	text_free(&text);
	return size;
}

/* (key, float8 value), sum and count; with an int4 key the benchmark's. */
static Program *
plain_program(ValueType key, bool nullable)
{
	ProgramBuilder *b = malloc(sizeof(*b));
	Program    *program;

	program_begin(b, SOURCE_COLUMNS);
	program_add_key(b, program_add_column(b, 1, key, nullable, -1));
	program_add_acc(b, ACC_SUM_FLOAT, program_add_column(b, 2, VT_FLOAT8, false, -1), -1);
	program_add_acc(b, ACC_COUNT, -1, -1);
	program = calloc(1, program_size(b));
	program_finish(b, program);
	free(b);
	return program;
}

static void
compile_interpreter(int arch)
{
	Text		text = {0};

	codegen_interpreter(&text);
	compile("interpreter", text.data, arch);
	text_free(&text);
}

static void
compile_deform(const char *name, bool numeric)
{
	Text		text = {0};

	codegen_deform(numeric, &text);
	compile(name, text.data, 90);
	text_free(&text);
}

static void
compile_top(void)
{
	Text		text = {0};

	codegen_top(&text);
	compile("top", text.data, 75);
	compile("top", text.data, 90);
	text_free(&text);
}

/* Rows in segments, of columns of all widths. */
static void
test_segments(void)
{
	static const ValueType types[] = {VT_INT8, VT_INT4, VT_INT2, VT_BOOL, VT_FLOAT8};
	static const Strategy strategies[] = {STRATEGY_BLOCK, STRATEGY_ATOMIC};

	for (int i = 0; i < 5; i++)
	{
		ProgramBuilder *b = malloc(sizeof(*b));
		Program    *program;
		KernelLayout layout;
		int			value;

		program_begin(b, SOURCE_COLUMNS);
		program_add_key(b, program_add_column(b, 1, VT_INT4, true, -1));
		value = program_add_column(b, 2, types[i], i % 2 == 0, -1);
		if (types[i] == VT_INT2)
			value = program_add_op(b, OP_int2_to_int8, value, -1);
		if (types[i] == VT_BOOL)
			value = program_add_op(b, OP_bool_to_int4, value, -1);
		program_add_acc(b, types[i] == VT_FLOAT8 ? ACC_SUM_FLOAT : ACC_SUM_INT, value, -1);
		program_add_acc(b, ACC_COUNT, -1, -1);
		program = calloc(1, program_size(b));
		program_finish(b, program);
		free(b);
		layout_make(program, TABLE_HASH, &layout);
		layout.segments = true;
		for (int j = 0; j < 2; j++)
		{
			Text		text = {0};
			char		name[40];

			codegen(program, &layout, PART_AGGREGATE, strategies[j], false, 1000, 8, &text);
			snprintf(name, sizeof(name), "segments_%d_%d", i, j);
			compile(name, text.data, 90);
			text_free(&text);
		}
		free(program);
	}
}

/* Texts as codes, with a condition. */
static void
test_codes(void)
{
	static const bool asked[] = {true};
	ProgramBuilder *b = malloc(sizeof(*b));
	CodedConditions conditions;
	Program    *program;
	Program    *coded;
	int			text;

	program_begin(b, SOURCE_COLUMNS);
	text = program_add_column(b, 1, VT_TEXT, true, -1);
	program_add_key(b, text);
	program_add_acc(b, ACC_COUNT, -1, -1);
	program_set_filter(b, program_add_op(b, OP_text_like, text,
										 program_add_param_ref(b, program_add_param(b, VT_TEXT))));
	program = calloc(1, program_size(b));
	coded = calloc(1, program_size(b));
	program_finish(b, program);
	free(b);
	ok(coded_make(program, asked, coded, &conditions) && conditions.n == 1, "a coded condition");
	for (int i = 0; i < 3; i++)
	{
		static const Strategy strategies[] = {STRATEGY_BLOCK, STRATEGY_ATOMIC, STRATEGY_ATOMIC};
		KernelLayout layout;
		Text		kernels = {0};
		char		name[40];

		layout_make(coded, i == 0 ? TABLE_DIRECT : TABLE_HASH, &layout);
		layout.segments = true;
		codegen(coded, &layout, i == 2 ? PART_SAMPLE : PART_AGGREGATE, strategies[i], i == 0, 1000, 8,
				&kernels);
		snprintf(name, sizeof(name), "codes_%d", i);
		compile(name, kernels.data, 90);
		text_free(&kernels);
	}
	free(program);
	free(coded);
}

/* Rows that find others in so many look-ups, two of which have keys; a sum of so many measures. */
static Program *
star_program(int nlookups, int nmeasures)
{
	ProgramBuilder *b = malloc(sizeof(*b));
	int			zero;
	int			filter = -1;
	int			value = -1;
	Program    *program;

	program_begin(b, SOURCE_COLUMNS);
	zero = program_add_param_ref(b, program_add_param(b, VT_INT4));
	for (int i = 0; i < nlookups; i++)
	{
		int			key = program_add_op(b, OP_int4_to_int8,
										 program_add_column(b, 1 + i, VT_INT4, false, -1), -1);
		int			row = program_add_op(b, OP_int8_lookup, key,
										 program_add_table_ref(b, program_add_param(b, VT_TEXT)));
		int			is = program_add_op(b, OP_int4_ge, row, zero);

		filter = filter < 0 ? is : program_add_op(b, OP_and, filter, is);
		if (i < 2)
			program_add_key(b, program_add_op(b, OP_row_code, row,
											  program_add_table_ref(b, program_add_param(b, VT_TEXT))));
	}
	for (int i = 0; i < nmeasures; i++)
	{
		int			column = program_add_column(b, 10 + i, VT_INT4, true, -1);

		value = value < 0 ? column : program_add_op(b, OP_int4_sub, value, column);
	}
	program_add_acc(b, ACC_SUM_INT, value, -1);
	program_add_acc(b, ACC_COUNT, value, -1);
	program_set_filter(b, filter);
	program = calloc(1, program_size(b));
	program_finish(b, program);
	free(b);
	return program;
}

/* Conditions that are evaluated first, of rows in columns and in segments. */
static void
test_prefilter(void)
{
	static const Strategy strategies[] = {STRATEGY_BLOCK, STRATEGY_REDUCE};
	static const int sizes[] = {3, 4};
	static const ParamValue params[16] = {{.type = VT_INT4}};

	for (int i = 0; i < 2 * 2 * 2; i++)
	{
		int			nlookups = sizes[i % 2];
		Strategy	strategy = strategies[i / 2 % 2];
		Program    *program = star_program(nlookups, nlookups - 2);
		KernelLayout layout;
		Text		text = {0};
		char		name[60];

		layout_make(program, TABLE_HASH, &layout);
		layout.segments = i / 4;
		prefilter_candidates(program, params, &layout.candidates);
		layout.prefilter = layout.candidates;
		layout.prefilter.n = 2;
		layout.prefilter.ahead[0] = true;
		codegen(program, &layout, PART_AGGREGATE, strategy, false, 1000, 8, &text);
		snprintf(name, sizeof(name), "star_%d_%s_%s", nlookups, strategy_name(strategy),
				 layout.segments ? "segments" : "columns");
		compile(name, text.data, 90);
		text_free(&text);
		free(program);
	}
}

/* The first rows of groups, in orders of so many keys. */
static void
test_first_rows(void)
{
	for (int nkeys = 0; nkeys <= 2; nkeys++)
	{
		ProgramBuilder *b = malloc(sizeof(*b));
		Program    *program;
		int			keys[] = {-1, -1};
		char		name[40];

		program_begin(b, SOURCE_PAGES);
		for (int i = 0; i < 4; i++)
			program_add_attr(b, i == 1 ? 8 : 4, 4);
		program_add_key(b, program_add_column(b, 1, VT_INT4, true, -1));
		for (int i = 0; i < nkeys; i++)
			keys[i] = program_add_column(b, 2 + i, i == 0 ? VT_FLOAT8 : VT_INT4, true, -1);
		program_add_first_rows(b, 2 + 7 * nkeys, keys, nkeys > 0 ? 1 : 0, program_add_place(b));
		program = calloc(1, program_size(b));
		program_finish(b, program);
		free(b);
		snprintf(name, sizeof(name), "first_rows_%d", nkeys);
		compile_program(name, program, TABLE_HASH, PART_AGGREGATE, STRATEGY_ATOMIC, 90);
		compile_program(name, program, TABLE_DIRECT, PART_AGGREGATE, STRATEGY_BLOCK, 75);
		free(program);
	}
}

/* Private tables with keys although the group table has none: it is too large. */
static void
compile_keyed_block(const char *name, const Program *program)
{
	static KernelLayout layout;
	Text		text = {0};

	layout_make(program, TABLE_DIRECT, &layout);
	codegen(program, &layout, PART_AGGREGATE, STRATEGY_BLOCK, false, 1000, 8, &text);
	compile(name, text.data, 90);
	text_free(&text);
}

/*
 * Float sums of all exponents have states of hundreds of words: code that is
 * written out for each of them takes minutes to compile.
 */
static void
test_large_state(void)
{
	ProgramBuilder *b = malloc(sizeof(*b));
	Program    *narrow;
	Program    *medium;
	Program    *full;
	size_t		size;

	program_begin(b, SOURCE_COLUMNS);
	program_add_key(b, program_add_column(b, 1, VT_INT4, false, -1));
	for (int i = 0; i < 6; i++)
		program_add_acc(b, ACC_SUM_FLOAT, program_add_column(b, 2 + i, VT_FLOAT8, true, -1), -1);
	narrow = calloc(1, program_size(b));
	medium = calloc(1, program_size(b));
	full = calloc(1, program_size(b));
	program_finish(b, narrow);
	ok(program_widen(narrow, medium) && program_widen(medium, full), "two wider levels");
	size = compile_program("large", full, TABLE_HASH, PART_AGGREGATE, STRATEGY_ATOMIC, 90);
	ok(size < 128 * 1024, "large_atomic_hash has %zu bytes", size);
	free(full);
	free(medium);
	free(narrow);
	free(b);
}

/*
 * A condition of many parts that can fail or be NULL, which the compiler must not
 * follow to their beginnings: that takes it minutes.
 */
static void
test_long_list(void)
{
	ProgramBuilder *b = malloc(sizeof(*b));
	Program    *program;
	int			value;
	int			any = -1;

	program_begin(b, SOURCE_COLUMNS);
	value = program_add_column(b, 1, VT_INT8, true, -1);
	program_add_key(b, value);
	value = program_add_op(b, OP_int8_mul, value,
						   program_add_param_ref(b, program_add_param(b, VT_INT8)));
	for (int i = 0; i < 30; i++)
	{
		int			param = program_add_param_ref(b, program_add_param(b, VT_INT8));
		int			is = program_add_op(b, OP_int8_eq, value, param);

		any = any < 0 ? is : program_add_op(b, OP_or, any, is);
	}
	program_set_filter(b, any);
	program_add_acc(b, ACC_COUNT, -1, -1);
	program = calloc(1, program_size(b));
	program_finish(b, program);
	compile_program("list", program, TABLE_HASH, PART_SAMPLE, STRATEGY_ATOMIC, 90);
	free(program);
	free(b);
}

/* A constant of each type that has one (program.h). */
static void
test_constants(void)
{
	ProgramBuilder *b = malloc(sizeof(*b));
	Program    *program;

	program_begin(b, SOURCE_COLUMNS);
	program_add_key(b, program_add_column(b, 1, VT_INT4, false, -1));
	for (int type = 0; type < VT_COUNT; type++)
		if (type != VT_WIDE)
			program_add_acc(b, ACC_COUNT,
							program_add_param_ref(b, program_add_param(b, (ValueType) type)), -1);
	program = calloc(1, program_size(b));
	program_finish(b, program);
	compile_program("constants", program, TABLE_HASH, PART_AGGREGATE, STRATEGY_ATOMIC, 90);
	free(program);
	free(b);
}

int
main(void)
{
	static const int other_archs[] = {75, 80, 100, 120};
	static const int text_keys[] = {C_TEXT_NULL, C_INT8_NULL, C_BOOL};
	static const int int_key[] = {C_INT8_NULL};
	static const int pair_keys[] = {C_INT2, C_FLOAT4_NULL};
	char		why[256];
	Program    *plain = plain_program(VT_INT4, false);
	Program    *long_key = plain_program(VT_INT8, true);
	Program    *wide = data_program(text_keys, 3, true, true);
	Program    *integer = data_program(int_key, 1, true, true);
	Program    *pair = data_program(pair_keys, 2, false, false);
	ParamValue	params[DATA_EXPRESSION_PARAMS];
	Program    *expressions = data_expressions(params);
	Program    *none = data_program(NULL, 0, true, true);

	compiler = cuda_compiler(0, why, sizeof(why));
	if (compiler == NULL)
		ok(true, "# SKIP %s", why);
	for (int s = 0; s < STRATEGY_COUNT && compiler; s++)
	{
		Strategy	strategy = (Strategy) s;

		if (strategy == STRATEGY_INTERPRET)
			continue;
		if (strategy == STRATEGY_REDUCE)
		{
			compile_program("none", none, TABLE_HASH, PART_AGGREGATE, strategy, 90);
			continue;
		}
		compile_program("plain", plain, TABLE_HASH, PART_AGGREGATE, strategy, 90);
		compile_program("plain", plain, TABLE_DIRECT, PART_AGGREGATE, strategy, 90);
		if (strategy == STRATEGY_BLOCK || strategy == STRATEGY_SCATTER)
			compile_program("long_key", long_key, TABLE_HASH, PART_AGGREGATE, strategy, 90);
		compile_program("wide", wide, TABLE_HASH, PART_AGGREGATE, strategy, 90);
		compile_program("integer", integer, TABLE_HASH, PART_AGGREGATE, strategy, 90);
		compile_program("expressions", expressions, TABLE_HASH, PART_AGGREGATE, strategy, 90);
		compile_program("pair", pair, TABLE_HASH, PART_AGGREGATE, strategy, 90);
		for (int i = 0; i < 4 && strategy <= STRATEGY_PEERS; i++)
			compile_program("plain", plain, TABLE_HASH, PART_AGGREGATE, strategy,
							other_archs[i]);
	}
	if (compiler)
	{
		test_first_rows();
		test_segments();
		test_codes();
		test_prefilter();
		test_large_state();
		test_long_list();
		test_constants();
		compile_program("integer", integer, TABLE_DIRECT, PART_SAMPLE, STRATEGY_ATOMIC, 90);
		compile_program("wide", wide, TABLE_HASH, PART_SAMPLE, STRATEGY_ATOMIC, 90);
		compile_keyed_block("plain_block_keyed", plain);
		compile_interpreter(90);
		compile_interpreter(75);
		compile_deform("deform", false);
		compile_deform("deform_numeric", true);
		compile_top();
	}
	free(plain);
	free(long_key);
	free(wide);
	free(integer);
	free(pair);
	free(expressions);
	free(none);
	return done_testing();
}
