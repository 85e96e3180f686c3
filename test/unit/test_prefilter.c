/*
 * test_prefilter.c
 *	  Conditions that kernels evaluate first: which can be, which are worth it, and that errors
 *	  end a run where they would without them, and only there.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/cuda/cuda_engine.h"
#include "engine/cuda/strategy/prefilter.h"
#include "lookup_tables.h"
#include "oracle.h"
#include "program/ops.h"
#include "random.h"
#include "tap.h"

/* As in kernels; memory is the host's here, so that the address sanitizer sees what is read. */
#define DEVICE_FN static inline
#define PRAGMA_UNROLL
#define PRAGMA_NO_UNROLL
#define WARP_SIZE 32
#define load_readonly(address) (*(address))
#include "../../cuda/tables.cuh"

#define AT_ONCE 8

#define NROWS 1000

/* Parameters of all Programs here. */
enum
{
	PARAM_ZERO, SLOT_HUNDRED, SLOT_FALSE, SLOT_NEAR, SLOT_FAR, SLOT_TEXT, NPARAMS
};

/* Columns: keys of look-ups, a divisor, a text, one that can be NULL. */
enum
{
	COLUMN_NEAR = 1, COLUMN_FAR, COLUMN_DIVISOR, COLUMN_TEXT, COLUMN_NULLABLE
};

static ParamValue params[NPARAMS];
static int32_t near_keys[NROWS];
static int32_t far_keys[NROWS];
static int32_t divisors[NROWS];

static ProgramBuilder *
begin(void)
{
	ProgramBuilder *b = malloc(sizeof(*b));

	program_begin(b, SOURCE_COLUMNS);
	for (int i = 0; i < NPARAMS; i++)
		program_add_param(b, (ValueType) params[i].type);
	return b;
}

static int
column(ProgramBuilder *b, int number)
{
	return program_add_column(b, number, number == COLUMN_TEXT ? VT_TEXT : VT_INT4,
							  number == COLUMN_NULLABLE, -1);
}

/* The number that a column's value finds in a table. */
static int
number_of(ProgramBuilder *b, int number, int param)
{
	return program_add_op(b, OP_int8_lookup,
						  program_add_op(b, OP_int4_to_int8, column(b, number), -1),
						  program_add_table_ref(b, param));
}

static int
is_found(ProgramBuilder *b, int number, int param)
{
	return program_add_op(b, OP_int4_ge, number_of(b, number, param),
						  program_add_param_ref(b, PARAM_ZERO));
}

/* 100 / divisor > 0: an error where that is 0. */
static int
divides(ProgramBuilder *b)
{
	return program_add_op(b, OP_int4_gt,
						  program_add_op(b, OP_int4_div, program_add_param_ref(b, SLOT_HUNDRED),
										 column(b, COLUMN_DIVISOR)),
						  program_add_param_ref(b, PARAM_ZERO));
}

static int
less(ProgramBuilder *b, int number)
{
	return program_add_op(b, OP_int4_lt, column(b, number), program_add_param_ref(b, SLOT_HUNDRED));
}

static int
both(ProgramBuilder *b, int left, int right)
{
	return program_add_op(b, OP_and, left, right);
}

static Program *
end(ProgramBuilder *b, int filter)
{
	Program    *program;

	program_set_filter(b, filter);
	program_add_acc(b, ACC_COUNT, -1, -1);
	program = calloc(1, program_size(b));
	program_finish(b, program);
	free(b);
	return program;
}

/* Are the candidates of a filter these registers?  The builder is freed. */
static void
expect_candidates(const char *name, ProgramBuilder *b, int filter, int n, const int *registers)
{
	Program    *program = end(b, filter);
	Prefilter	candidates;
	bool		same;

	prefilter_candidates(program, params, &candidates);
	same = candidates.n == n;
	for (int i = 0; i < n && same; i++)
		same = candidates.conditions[i] == registers[i];
	ok(same, "%s: %d candidates", name, candidates.n);
	free(program);
}

static void
test_candidates(void)
{
	ProgramBuilder *b = begin();
	int			a = less(b, COLUMN_NEAR);
	int			c = less(b, COLUMN_FAR);
	int			n;
	int			f;
	int			any[20];

	expect_candidates("a AND c", b, both(b, a, c), 2, (int[]) {a, c});
	b = begin();
	a = less(b, COLUMN_NEAR);
	f = divides(b);
	c = less(b, COLUMN_FAR);
	n = program_add_select(b, a, f, program_add_param_ref(b, SLOT_FALSE));
	expect_candidates("a AND error AND c", b, both(b, n, c), 1, (int[]) {a});
	b = begin();
	f = divides(b);
	expect_candidates("error AND a", b, both(b, f, less(b, COLUMN_NEAR)), 0, NULL);
	b = begin();
	a = less(b, COLUMN_NULLABLE);
	expect_candidates("NULL AND error", b, both(b, a, divides(b)), 0, NULL);
	b = begin();
	a = program_add_op(b, OP_text_eq, column(b, COLUMN_TEXT), program_add_param_ref(b, SLOT_TEXT));
	c = less(b, COLUMN_FAR);
	expect_candidates("a text AND c", b, both(b, a, c), 1, &c);
	b = begin();
	a = program_add_op(b, OP_int4_lt, program_add_param_ref(b, PARAM_ZERO),
					   program_add_param_ref(b, SLOT_HUNDRED));
	expect_candidates("no column", b, a, 0, NULL);
	b = begin();
	for (int i = 0; i < 20; i++)
	{
		any[i] = less(b, 10 + i);
		n = i == 0 ? any[i] : both(b, n, any[i]);
	}
	expect_candidates("many", b, n, PREFILTER_CONDITIONS, any);
}

/* Is a condition taken for a search of a key? */
static void
expect_finds(const char *name, OpCode op, int param, bool expected)
{
	ProgramBuilder *b = begin();
	Program    *program = end(b, program_add_op(b, op, number_of(b, COLUMN_NEAR, SLOT_NEAR),
												program_add_param_ref(b, param)));
	Prefilter	candidates;

	prefilter_candidates(program, params, &candidates);
	ok(candidates.n == 1 && candidates.finds[0] == expected, "%s is%s a search of a key", name,
	   expected ? "" : " not");
	free(program);
}

/* Both tables' keys are asked for, and a column's value; by which shares of rows pass. */
static void
expect_choice(const char *name, const uint32_t *rows, int n, const int *order)
{
	ProgramBuilder *b = begin();
	int			filter = both(b, both(b, is_found(b, COLUMN_FAR, SLOT_FAR),
									  is_found(b, COLUMN_NEAR, SLOT_NEAR)),
							  less(b, COLUMN_DIVISOR));
	Program    *program = end(b, filter);
	SampleFacts facts = {.sampled = 0};
	KernelLayout layout;
	bool		same;

	layout_make(program, TABLE_HASH, &layout);
	prefilter_candidates(program, params, &layout.candidates);
	for (int i = 0; i < 8; i++)
	{
		facts.conditions[i] = rows[i];
		facts.sampled += rows[i];
	}
	prefilter_choose(program, params, &facts, &layout);
	same = layout.prefilter.n == n;
	for (int i = 0; i < n && same; i++)
		same = layout.prefilter.conditions[i] == layout.candidates.conditions[order[i]];
	ok(same, "%s: %d conditions first", name, layout.prefilter.n);
	free(program);
}

/* Rows by the conditions that are true of them: bit 0 the far table's, 1 the near one's, 2 less. */
static void
test_choice(void)
{
	expect_choice("no sample", (uint32_t[8]) {0}, 0, NULL);
	expect_choice("all rows pass", (uint32_t[8]) {0, 0, 0, 0, 0, 0, 0, 1000}, 0, NULL);
	expect_choice("most rows pass", (uint32_t[8]) {0, 0, 0, 0, 0, 0, 300, 700}, 0, NULL);
	expect_choice("the far table refuses", (uint32_t[8]) {0, 0, 0, 0, 0, 0, 980, 20}, 1,
				  (int[]) {0});
	expect_choice("the near one leaves a fifth, of which the far one leaves a tenth",
				  (uint32_t[8]) {0, 0, 0, 0, 720, 80, 180, 20}, 2, (int[]) {1, 0});
	expect_choice("both refuse the same rows", (uint32_t[8]) {0, 0, 0, 0, 970, 0, 0, 30}, 1,
				  (int[]) {1});
	expect_choice("nothing passes", (uint32_t[8]) {1000}, 1, (int[]) {2});
}

/* Every 5th key is in the near table, and every 20th in the far one. */
static void
make_params(void)
{
	static int64_t keys[200000];
	static uint32_t zeros[200000];

	for (int i = 0; i < 200000; i++)
		keys[i] = (int64_t) i * 20;
	params[PARAM_ZERO] = (ParamValue) {.type = VT_INT4};
	params[SLOT_HUNDRED] = (ParamValue) {.type = VT_INT4,.word = 100};
	params[SLOT_FALSE] = (ParamValue) {.type = VT_BOOL};
	params[SLOT_FAR] = (ParamValue) {.type = VT_TEXT};
	params[SLOT_FAR].bytes = table_of_integers(LOOKUP_BITS, keys, zeros, 200000, 1);
	for (int i = 0; i < 200; i++)
		keys[i] = (int64_t) i * 5;
	params[SLOT_NEAR] = (ParamValue) {.type = VT_TEXT};
	params[SLOT_NEAR].bytes = table_of_integers(LOOKUP_ARRAY1, keys, zeros, 200, 1);
	params[SLOT_TEXT] = (ParamValue) {.type = VT_TEXT,.bytes = {"x", 1}};
}

/* A divisor is 0 in the one row. */
static void
make_rows(int zero)
{
	for (int i = 0; i < NROWS; i++)
	{
		near_keys[i] = i;
		far_keys[i] = i;
		divisors[i] = i == zero ? 0 : 7;
	}
}

/* How the run of a Program over the rows ends, and by the oracle. */
static void
expect_status(const char *name, const Program *program, const char *strategy,
			  EngineStatus expected)
{
	ColumnVector columns[] = {
		{.values = near_keys}, {.values = far_keys}, {.values = divisors}
	};
	ColumnBatch batch = {.nrows = NROWS,.columns = columns};
	EngineHints hints = {.strategy = strategy};
	Groups	   *right = oracle_groups(program, params, &batch);
	Groups	   *got = engine_groups_of_batch(&simt_engine, program, params, &hints, &batch, NROWS);

	ok(right->status == expected && got->status == expected &&
	   (expected != ENGINE_OK || groups_same(program, right, got)), "%s, %s: %d, %d", name, strategy,
	   right->status, got->status);
	groups_free(right);
	groups_free(got);
}

/*
 * An error in the filter, in a row that a look-up on its left or right refuses or finds, and in a
 * sum.
 */
static Program *
error_program(int zero_at, bool keys, int where)
{
	ProgramBuilder *b = begin();
	int			near = is_found(b, COLUMN_NEAR, SLOT_NEAR);
	int			far = is_found(b, COLUMN_FAR, SLOT_FAR);
	int			filter = both(b, near, far);

	/* columns stand in their order */
	(void) column(b, COLUMN_DIVISOR);
	make_rows(zero_at);
	if (keys)
		program_add_key(b, number_of(b, COLUMN_FAR, SLOT_FAR));
	if (where == 0)
		filter = program_add_select(b, filter, divides(b), program_add_param_ref(b, SLOT_FALSE));
	else if (where == 1)
		filter = both(b, divides(b), filter);
	else
		program_add_acc(b, ACC_SUM_INT,
						program_add_op(b, OP_int4_div, program_add_param_ref(b, SLOT_HUNDRED),
									   column(b, COLUMN_DIVISOR)), -1);
	return end(b, filter);
}

static void
test_errors(void)
{
	static const char *const strategies[] = {"block", "atomic", "peers", "auto"};
	static const struct
	{
		const char *name;
		int			where;
		int			zero_at;
		EngineStatus status;
	}			cases[] = {
		{"an error right of look-ups that refuse the row", 0, 15, ENGINE_OK},
		{"of look-ups of which one finds it", 0, 5, ENGINE_OK},
		{"of look-ups that find it", 0, 40, ENGINE_INEXACT},
		{"an error left of look-ups that refuse the row", 1, 16, ENGINE_INEXACT},
		{"an error in a sum's argument, of a row that is refused", 2, 16, ENGINE_OK},
		{"of a row that passes", 2, 40, ENGINE_INEXACT}
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		for (int j = 0; j < 5; j++)
		{
			Program    *program = error_program(cases[i].zero_at, j < 4, cases[i].where);

			prefilter_takes_all = true;
			expect_status(cases[i].name, program, j < 4 ? strategies[j] : "reduce",
						  cases[i].status);
			free(program);
		}
}

/* A key near one of so many, which begin with `least`, or at an end of the numbers. */
static int64_t
any_key(int64_t least, uint32_t n)
{
	static const int64_t ends[] = {INT32_MIN, INT32_MAX, 0, -1, INT64_MIN, INT64_MAX,
	INT64_C(1) << 32, INT32_MIN + 1};

	return random_u64() % 4 == 0 ? ends[random_u64() % 8] :
		(int64_t) ((uint64_t) least + random_u64() % (3 * n + 6) - 3);
}

/* Several keys at once are found as each of them is: in a table of n keys, every third number. */
static bool
finds_same(LookupForm form, int64_t least, uint32_t n)
{
	int64_t		all[100];
	uint32_t	zeros[100] = {0};
	bool		same = true;
	Bytes		table;

	for (uint32_t i = 0; i < n; i++)
		all[i] = (int64_t) ((uint64_t) least + 3 * i);
	table = table_of_integers(form, all, zeros, n, 1);
	for (int round = 0; round < 500; round++)
	{
		uint32_t	asked = (uint32_t) random_u64() & 0xff;
		uint32_t	expected[2] = {0, 0};
		int64_t		keys8[AT_ONCE];
		int32_t		keys4[AT_ONCE];

		for (int i = 0; i < AT_ONCE; i++)
		{
			keys8[i] = any_key(least, n);
			keys4[i] = (int32_t) keys8[i];
			expected[0] |= (uint32_t) (int8_lookup(keys8[i], table) >= 0) << i;
			expected[1] |= (uint32_t) (int8_lookup(keys4[i], table) >= 0) << i;
		}
		same &= table_has_int8(keys8, asked, AT_ONCE, table) == (expected[0] & asked) &&
			table_has_int4(keys4, asked, AT_ONCE, table) == (expected[1] & asked);
	}
	free((void *) table.data);
	return same;
}

/* Tables of all forms, of 32 bits, at their ends, and beyond. */
static void
test_finding(void)
{
	static const int64_t leasts[] = {0, -70, INT32_MIN, INT32_MIN - INT64_C(100), INT32_MAX - 5,
	INT32_MAX - INT64_C(297), INT64_C(1) << 40, INT64_MIN};
	static const uint32_t sizes[] = {0, 1, 100};

	for (int form = LOOKUP_BITS; form < LOOKUP_TEXTS; form++)
		for (int i = 0; i < 8 * 3; i++)
			ok(finds_same((LookupForm) form, leasts[i / 3], sizes[i % 3]),
			   "form %d, %u keys from %lld on", form, sizes[i % 3], (long long) leasts[i / 3]);
}

int
main(void)
{
	make_params();
	test_candidates();
	expect_finds("row >= 0", OP_int4_ge, PARAM_ZERO, true);
	expect_finds("row >= 100", OP_int4_ge, SLOT_HUNDRED, false);
	expect_finds("row < 0", OP_int4_lt, PARAM_ZERO, false);
	test_choice();
	test_finding();
	test_errors();
	free((void *) params[SLOT_NEAR].bytes.data);
	free((void *) params[SLOT_FAR].bytes.data);
	return done_testing();
}
