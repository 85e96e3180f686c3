/*
 * test_batch_filter.c
 *	  Filters over column batches whose conjuncts let few rows pass or many, and what is computed of
 *	  these rows: the CPU engine's groups are those of the oracle.
 */
#include <stdlib.h>
#include <string.h>

#include "oracle.h"
#include "random.h"
#include "tap.h"

#define NROWS 5000
#define NPROGRAMS 400
#define TEXT_BYTES 8			/* of a text, at most */

/* Columns, all of which can be NULL. */
enum
{
	C_INT2, C_INT4, C_INT8, C_FLOAT8, C_UUID, C_BOOL, C_TEXT, NCOLUMNS
};

static const ValueType types[NCOLUMNS] = {VT_INT2, VT_INT4, VT_INT8, VT_FLOAT8, VT_UUID, VT_BOOL,
VT_TEXT};

/* Parameters. */
enum
{
	P_INT4, P_INT8, P_TEXT, P_PATTERN, NPARAMS
};

static char values[NCOLUMNS][NROWS * 16];
static uint32_t offsets[NROWS + 1];
static uint8_t validity[NCOLUMNS][(NROWS + 7) / 8];
static ColumnVector vectors[NCOLUMNS];
static ParamValue params[NPARAMS];

static uint32_t
any(uint32_t n)
{
	return (uint32_t) ((random_u64() >> 20) % n);
}

/* Values from 0 to 99, as each type has them. */
static void
make_row(uint32_t row)
{
	for (int c = 0; c < NCOLUMNS; c++)
	{
		uint64_t	number = any(100);
		double		real = (double) number / 4;
		uint64_t	wide[2] = {number, number / 7};
		size_t		size = (size_t) value_type_size(types[c]);

		validity[c][row / 8] |= (uint8_t) ((any(20) > 0) << row % 8);
		if (c == C_BOOL)
			number = number < 30;
		if (c == C_TEXT)
			offsets[row + 1] = offsets[row] +
				(uint32_t) snprintf(values[c] + offsets[row], TEXT_BYTES, "t%u", (unsigned) number);
		else
			memcpy(values[c] + row * size, c == C_FLOAT8 ? (void *) &real :
				   c == C_UUID ? (void *) wide : (void *) &number, size);
	}
}

static void
make_batch(void)
{
	memset(validity, 0, sizeof(validity));
	for (uint32_t row = 0; row < NROWS; row++)
		make_row(row);
	for (int c = 0; c < NCOLUMNS; c++)
		vectors[c] = (ColumnVector) {.values = values[c],.validity = any(3) > 0 ? validity[c] : NULL};
	vectors[C_TEXT].offsets = offsets;
}

static int
column(ProgramBuilder *b, int c)
{
	return program_add_column(b, c + 1, types[c], true, -1);
}

/* A condition; with errors, it can be one. */
static int
add_condition(ProgramBuilder *b, bool errors)
{
	int			narrow = program_add_param_ref(b, P_INT4);
	int			quotient;

	switch (any(errors ? 7 : 6))
	{
		case 0:
			return program_add_op(b, OP_int4_lt, column(b, C_INT4), narrow);
		case 1:
			return program_add_op(b, OP_int8_ge, column(b, C_INT8), program_add_param_ref(b, P_INT8));
		case 2:
			return program_add_op(b, OP_text_contains, column(b, C_TEXT), program_add_param_ref(b, P_TEXT));
		case 3:
			return program_add_op(b, OP_text_like, column(b, C_TEXT), program_add_param_ref(b, P_PATTERN));
		case 4:
			return column(b, C_BOOL);
		case 5:
			return program_add_op(b, OP_bool_not, column(b, C_BOOL), -1);
		default:
			quotient = program_add_op(b, OP_int4_div, narrow, column(b, C_INT4));
			return program_add_op(b, OP_int4_lt, quotient, narrow);
	}
}

static Program *
make_program(bool errors)
{
	ProgramBuilder *b = malloc(sizeof(ProgramBuilder));
	static const ValueType param_types[NPARAMS] = {VT_INT4, VT_INT8, VT_TEXT, VT_TEXT};
	Program    *program;
	int			filter;
	int			twice;

	program_begin(b, SOURCE_COLUMNS);
	for (int i = 0; i < NPARAMS; i++)
		program_add_param(b, param_types[i]);
	for (int c = 0; c < NCOLUMNS; c++)
		(void) column(b, c);
	filter = add_condition(b, errors);
	for (uint32_t i = any(4); i > 0; i--)
		filter = program_add_op(b, OP_and, filter, add_condition(b, errors));
	program_set_filter(b, filter);
	for (int c = any(3) > 0 ? (int) any(NCOLUMNS) : NCOLUMNS; c < NCOLUMNS; c += 1 + (int) any(NCOLUMNS))
		if (types[c] != VT_FLOAT8)
			program_add_key(b, column(b, c));
	twice = program_add_op(b, OP_int8_add, column(b, C_INT8), column(b, C_INT8));
	program_add_acc(b, ACC_COUNT, -1, -1);
	program_add_acc(b, ACC_COUNT, column(b, C_TEXT), column(b, C_BOOL));
	program_add_acc(b, ACC_SUM_INT, column(b, C_INT4), any(2) ? add_condition(b, false) : -1);
	program_add_acc(b, ACC_SUM_INT128, twice, -1);
	program_add_acc(b, ACC_MAX_INT, column(b, C_INT2), -1);
	program = calloc(1, program_size(b));
	program_finish(b, program);
	free(b);
	return program;
}

static ParamValue
text(const char *bytes)
{
	return (ParamValue) {.type = VT_TEXT,.bytes = {bytes, (uint32_t) strlen(bytes)}};
}

static void
make_params(void)
{
	static const char *const texts[] = {"1", "t9", "77", "x", ""};
	static const char *const patterns[] = {"%1%", "t_", "t77", "%", "x%"};

	params[P_INT4] = (ParamValue) {.type = VT_INT4,.word = any(any(2) ? 5 : 110)};
	params[P_INT8] = (ParamValue) {.type = VT_INT8,.word = any(2) ? 97 + any(5) : any(100)};
	params[P_TEXT] = text(texts[any(5)]);
	params[P_PATTERN] = text(patterns[any(5)]);
}

/* Where the filter is an error for a row, both must say so. */
static void
test_programs(bool errors)
{
	int			same = 0;
	int			failed = 0;

	for (int i = 0; i < NPROGRAMS; i++)
	{
		ColumnBatch batch = {.nrows = NROWS,.columns = vectors};
		EngineHints hints = {0};
		Program    *program;
		Groups	   *expected;
		Groups	   *got;

		if (i % 20 == 0)
			make_batch();
		make_params();
		program = make_program(errors);
		expected = oracle_groups(program, params, &batch);
		got = engine_groups_of_batch(&cpu_engine, program, params, &hints, &batch, 704 + 8 * any(200));
		failed += expected->status != ENGINE_OK;
		same += expected->status == ENGINE_OK ? groups_same(program, expected, got) :
			got->status == expected->status;
		groups_free(expected);
		groups_free(got);
		free(program);
	}
	ok(same == NPROGRAMS, "filters%s: %d of %d as the oracle has them, %d of them errors",
	   errors ? " that can be errors" : "", same, NPROGRAMS, failed);
}

int
main(void)
{
	test_programs(false);
	test_programs(true);
	return done_testing();
}
