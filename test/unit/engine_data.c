/*
 * engine_data.c
 *	  Rows of all types for tests of engines, and Programs over them.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine_data.h"
#include "lookup_tables.h"
#include "program/date_field.h"

ColumnVector data_vectors[C_COUNT];
static const ValueType types[C_COUNT] = {
	VT_INT4, VT_INT4, VT_INT8, VT_FLOAT8, VT_FLOAT4, VT_TEXT, VT_BOOL, VT_UUID,
	VT_INT2, VT_INT8, VT_INTERVAL
};

static uint32_t
random_u32(void)
{
	static uint64_t state = 88172645463325252u;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t) (state >> 16);
}

static bool
is_nullable(int column)
{
	return column == C_INT4_NULL || column == C_FLOAT4_NULL || column == C_TEXT_NULL ||
		column == C_INT8_NULL;
}

void
data_make(uint32_t nrows, uint32_t distinct, bool sorted)
{
	static char text[DATA_MAX_ROWS * 12];
	static uint32_t offsets[DATA_MAX_ROWS + 1];
	uint32_t	at = 0;

	for (int c = 0; c < C_COUNT; c++)
	{
		uint8_t    *validity;

		free((void *) data_vectors[c].validity);
		if (c != C_TEXT_NULL)
			free((void *) data_vectors[c].values);
		validity = is_nullable(c) ? malloc(nrows / 8 + 1) : NULL;
		for (uint32_t i = 0; validity && i <= nrows / 8; i++)
			validity[i] = (uint8_t) (random_u32() | random_u32());
		data_vectors[c].validity = validity;
		data_vectors[c].values = malloc(((size_t) nrows + 1) * 16);
	}
	free((void *) data_vectors[C_TEXT_NULL].values);
	data_vectors[C_TEXT_NULL].values = text;
	data_vectors[C_TEXT_NULL].offsets = offsets;
	for (uint32_t i = 0; i < nrows; i++)
	{
		uint32_t	k = sorted ? (uint32_t) ((uint64_t) i * distinct / nrows) :
			random_u32() % distinct;

		((int32_t *) data_vectors[C_INT4].values)[i] = (int32_t) k - 5;
		((int32_t *) data_vectors[C_INT4_NULL].values)[i] = (int32_t) (k * 7);
		((int64_t *) data_vectors[C_INT8].values)[i] =
			(int64_t) (int32_t) random_u32() * (INT64_C(1) << 31) + (int32_t) random_u32();
		((int64_t *) data_vectors[C_INT8_NULL].values)[i] = (int64_t) k * INT64_C(99991234567);
		((double *) data_vectors[C_FLOAT8].values)[i] = (double) (random_u32() % 1000) / 8;
		((float *) data_vectors[C_FLOAT4_NULL].values)[i] =
			k % 17 == 0 ? NAN : k % 13 == 0 ? -0.0f : (float) (k % 13) / 4;
		((uint8_t *) data_vectors[C_BOOL].values)[i] = (uint8_t) (random_u32() & 1);
		((int16_t *) data_vectors[C_INT2].values)[i] = (int16_t) (k % 100);
		((uint64_t *) data_vectors[C_UUID].values)[2 * i] = k;
		((uint64_t *) data_vectors[C_UUID].values)[2 * i + 1] = k % 3;
		/* of different k, of different lengths */
		((TimeSpan *) data_vectors[C_INTERVAL].values)[i] = (TimeSpan)
		{
			(int64_t) k * 999983, (int32_t) k - 70, (int32_t) k / 3 - 20
		};
		offsets[i] = at;
		at += (uint32_t) sprintf(text + at, "%.*s%u", (int) (k % 4), "abcd", k);
	}
	offsets[nrows] = at;
}

static int
column(ProgramBuilder *b, int c)
{
	return program_add_column(b, c + 1, types[c], is_nullable(c), -1);
}

Program *
data_program(const int *keys, int nkeys, bool aggregates, bool filter)
{
	ProgramBuilder *b = malloc(sizeof(*b));
	Program    *program;
	int			regs[C_COUNT];
	int			wide;

	program_begin(b, SOURCE_COLUMNS);
	for (int c = 0; c < C_COUNT; c++)
		regs[c] = column(b, c);
	for (int i = 0; i < nkeys; i++)
		program_add_key(b, regs[keys[i]]);
	if (aggregates)
	{
		program_add_acc(b, ACC_COUNT, -1, -1);
		program_add_acc(b, ACC_COUNT, regs[C_INT4_NULL], -1);
		program_add_acc(b, ACC_SUM_INT, regs[C_INT4_NULL], -1);
		program_add_acc(b, ACC_SUM_INT128, regs[C_INT8], -1);
		program_add_acc(b, ACC_SUM_FLOAT, regs[C_FLOAT8], -1);
		program_add_acc(b, ACC_MIN_INT, regs[C_INT8], -1);
		program_add_acc(b, ACC_MAX_INT, regs[C_INT2], regs[C_BOOL]);
		/* not of -0: an extreme that is -0 ends as inexact */
		program_add_acc(b, ACC_MIN_FLOAT, program_add_op(b, OP_float4_abs, regs[C_FLOAT4_NULL], -1), -1);
		program_add_acc(b, ACC_MAX_FLOAT, regs[C_FLOAT8], regs[C_BOOL]);
		program_add_acc(b, ACC_BIT_AND, regs[C_INT2], -1);
		program_add_acc(b, ACC_BIT_AND, regs[C_BOOL], -1);
		program_add_acc(b, ACC_BIT_OR, regs[C_INT4_NULL], regs[C_BOOL]);
		program_add_acc(b, ACC_BIT_XOR, regs[C_INT8], -1);
		program_add_acc(b, ACC_MIN_TEXT, regs[C_TEXT_NULL], -1);
		program_add_acc(b, ACC_MAX_TEXT, regs[C_TEXT_NULL], regs[C_BOOL]);
		program_add_acc(b, ACC_MIN_BPCHAR, regs[C_TEXT_NULL], regs[C_BOOL]);
		program_add_acc(b, ACC_MAX_BPCHAR, regs[C_TEXT_NULL], -1);
		program_add_acc(b, ACC_MIN_INET, regs[C_TEXT_NULL], regs[C_BOOL]);
		wide = program_add_op(b, OP_wide_product, regs[C_INT8], regs[C_INT8_NULL]);
		program_add_acc(b, ACC_SUM_SIZES, program_add_op(b, OP_int8_size, program_add_op(b, OP_int4_to_int8, regs[C_INT4_NULL], -1), -1), regs[C_BOOL]);
		program_add_acc(b, ACC_MIN_WIDE, wide, -1);
		program_add_acc(b, ACC_MAX_WIDE, program_add_op(b, OP_wide_of_int8, regs[C_INT8_NULL], -1), regs[C_BOOL]);
		program_add_acc(b, ACC_MAX_WIDE, wide, -1);
		program_add_acc(b, ACC_MIN_INTERVAL, regs[C_INTERVAL], -1);
		program_add_acc(b, ACC_MAX_INTERVAL, regs[C_INTERVAL], regs[C_BOOL]);
	}
	if (filter)
	{
		int			param = program_add_param_ref(b, program_add_param(b, VT_INT4));
		int			less = program_add_op(b, OP_int4_lt, regs[C_INT4_NULL], param);

		program_set_filter(b, program_add_op(b, OP_or, less, regs[C_BOOL]));
	}
	program = calloc(1, program_size(b));
	program_finish(b, program);
	free(b);
	return program;
}


/* The register of one more parameter. */
static int
add_param(ProgramBuilder *b, ParamValue *params, ParamValue value)
{
	int			param = program_add_param(b, (ValueType) value.type);

	params[param] = value;
	return program_add_param_ref(b, param);
}

Program *
data_expressions(ParamValue params[DATA_EXPRESSION_PARAMS])
{
	ProgramBuilder *b = malloc(sizeof(*b));
	Program    *program;
	int			text;
	int			time;
	int			month;
	int			later;
	int			reg;

	program_begin(b, SOURCE_COLUMNS);
	for (int c = 0; c < C_COUNT; c++)
		column(b, c);
	text = column(b, C_TEXT_NULL);
	time = column(b, C_INT8);
	month = add_param(b, params, (ParamValue) {.type = VT_INT4,.word = FIELD_MONTH});

	reg = add_param(b, params, (ParamValue) {.type = VT_TEXT,.bytes = {"%b%1_", 5}});
	reg = program_add_op(b, OP_text_like, text, reg);
	program_set_filter(b, program_add_op(b, OP_or, reg, column(b, C_BOOL)));

	reg = add_param(b, params, (ParamValue) {.type = VT_INT4,.word = 2});
	reg = program_add_op(b, OP_text_first, text, reg);
	program_add_key(b, program_add_select(b, column(b, C_BOOL), reg,
										  add_param(b, params, (ParamValue)
													{.type = VT_TEXT,.bytes = {"other", 5}})));
	program_add_key(b, program_add_op(b, OP_date_extract, column(b, C_INT4), month));

	/* half of the times are before all timestamps */
	later = add_param(b, params, (ParamValue) {.type = VT_INT8,.word = 0});
	later = program_add_op(b, OP_int8_ge, time, later);
	reg = program_add_op(b, OP_timestamp_trunc, time, month);
	program_add_acc(b, ACC_SUM_INT128,
					program_add_select(b, later, reg,
									   add_param(b, params, (ParamValue)
												 {.type = VT_INT8,.isnull = true})), -1);
	reg = program_add_op(b, OP_timestamp_add_months, time, month);
	program_add_acc(b, ACC_MAX_INT, program_add_select(b, later, reg, time), -1);
	reg = add_param(b, params, (ParamValue) {.type = VT_INT4,.word = FIELD_JULIAN});
	program_add_acc(b, ACC_MAX_FLOAT, program_add_op(b, OP_timestamp_part, time, reg), later);
	program_add_acc(b, ACC_SUM_INT, program_add_op(b, OP_text_chars, text, -1), -1);

	program = calloc(1, program_size(b));
	program_finish(b, program);
	free(b);
	return program;
}

/* Every key but each seventh, and as many that no row of the data has. */
Program *
data_lookups(ParamValue params[1])
{
	enum
	{
		NKEYS = 300000
	};
	ProgramBuilder *b = malloc(sizeof(*b));
	int64_t    *keys = malloc(NKEYS * sizeof(*keys));
	uint32_t   *rows = malloc(NKEYS * sizeof(*rows));
	Program    *program;
	int			row;

	for (uint32_t i = 0; i < NKEYS; i++)
	{
		keys[i] = (int64_t) i * INT64_C(99991234567) + (i % 7 == 0);
		rows[i] = i % 1000;
	}
	params[0] = (ParamValue) {.type = VT_TEXT};
	params[0].bytes = table_of_integers(LOOKUP_HASH8, keys, rows, NKEYS, 1000);
	program_begin(b, SOURCE_COLUMNS);
	for (int c = 0; c < C_COUNT; c++)
		column(b, c);
	row = program_add_op(b, OP_int8_lookup, column(b, C_INT8_NULL),
						 program_add_table_ref(b, program_add_param(b, VT_TEXT)));
	program_add_key(b, row);
	program_add_acc(b, ACC_COUNT, -1, -1);
	program_add_acc(b, ACC_SUM_FLOAT, column(b, C_FLOAT8), -1);
	program = calloc(1, program_size(b));
	program_finish(b, program);
	free(b);
	free(keys);
	free(rows);
	return program;
}
