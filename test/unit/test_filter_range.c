/*
 * test_filter_range.c
 *	  Filters over rows whose columns' values are known to be in ranges: if a filter is said
 *	  to let none pass, none of all rows there can be passes, and none is an error.  The same
 *	  of rows with values of one column that are said to refuse any row.
 */
#include <stdlib.h>
#include <string.h>

#include "lookup_tables.h"
#include "oracle.h"
#include "program/filter_range.h"
#include "tap.h"

#define NPROGRAMS 30000
#define NCOLUMNS 4				/* int2, int4, int8, bool */
#define NPARAMS 4
#define NTABLES 4				/* parameters behind these */
#define MOST_VALUES 4			/* of a column: those of a range, and NULL */
#define MAX_ROWS (MOST_VALUES * MOST_VALUES * MOST_VALUES * MOST_VALUES)

static ParamValue params[NPARAMS + NTABLES];
static ValueRange ranges[NCOLUMNS];
static bool is_null[NCOLUMNS][MAX_ROWS];
static int64_t values[NCOLUMNS][MAX_ROWS];
static uint32_t nrows;

static int
any(int n)
{
	return rand() / 7 % n;
}

/* An integer's register, as int4 or as int8. */
static int
add_integer(ProgramBuilder *b, bool wide)
{
	int			arg;

	if (!wide && any(3) == 0)
	{
		arg = add_integer(b, true);
		return program_add_op(b, OP_int8_lookup, arg,
							  program_add_table_ref(b, NPARAMS + any(NTABLES)));
	}
	switch (any(5))
	{
		case 0:
			return program_add_op(b, wide ? OP_int2_to_int8 : OP_int2_to_int4,
								  program_add_column(b, 1, VT_INT2, true, -1), -1);
		case 1:
			if (wide)
				return program_add_column(b, 3, VT_INT8, true, -1);
			return program_add_column(b, 2, VT_INT4, true, -1);
		case 2:
			arg = program_add_column(b, 2, VT_INT4, true, -1);
			return wide ? program_add_op(b, OP_int4_to_int8, arg, -1) : arg;
		case 3:
			if (any(3) > 0)
				return program_add_param_ref(b, wide ? 2 : 1);
			arg = add_integer(b, wide);
			return program_add_op(b, wide ? OP_int8_div : OP_int4_div, arg, add_integer(b, wide));
		default:
			return program_add_param_ref(b, wide ? 2 : 1);
	}
}

static int
add_condition(ProgramBuilder *b, int depth)
{
	static const OpCode narrow[] = {OP_int4_lt, OP_int4_le, OP_int4_gt, OP_int4_ge, OP_int4_eq,
	OP_int4_ne};
	static const OpCode wide[] = {OP_int8_lt, OP_int8_le, OP_int8_gt, OP_int8_ge, OP_int8_eq,
	OP_int8_ne};
	int			kind = depth == 0 ? any(4) : any(9);
	int			left;

	switch (kind)
	{
		case 0:
			return program_add_column(b, 4, VT_BOOL, true, -1);
		case 1:
			left = add_integer(b, true);
			return program_add_op(b, any(2) ? OP_isnull : OP_isnotnull, left, -1);
		case 2:
			left = add_integer(b, false);
			return program_add_op(b, narrow[any(6)], left, add_integer(b, false));
		case 3:
			left = add_integer(b, true);
			return program_add_op(b, wide[any(6)], left, add_integer(b, true));
		case 4:
			return program_add_op(b, OP_bool_not, add_condition(b, depth - 1), -1);
		case 5:
			left = add_condition(b, depth - 1);
			return program_add_op(b, OP_or, left, add_condition(b, depth - 1));
		default:
			left = add_condition(b, depth - 1);
			return program_add_op(b, OP_and, left, add_condition(b, depth - 1));
	}
}

static Program *
make_program(void)
{
	ProgramBuilder *b = malloc(sizeof(*b));
	static const int lengths[] = {2, 4, 8, 1};
	static const ValueType types[] = {VT_INT2, VT_INT4, VT_INT8, VT_BOOL};
	Program    *program;

	program_begin(b, SOURCE_PAGES);
	for (int i = 0; i < NCOLUMNS; i++)
		program_add_attr(b, lengths[i], lengths[i]);
	for (int i = 0; i < NPARAMS; i++)
		program_add_param(b, types[i]);
	for (int i = 0; i < NTABLES; i++)
		program_add_param(b, VT_TEXT);
	for (int i = 0; i < NCOLUMNS; i++)
		(void) program_add_column(b, i + 1, types[i], true, -1);
	program_set_filter(b, add_condition(b, 3));
	program_add_key(b, program_add_column(b, 1, VT_INT2, true, -1));
	program_add_acc(b, ACC_COUNT, -1, -1);
	program = calloc(1, program_size(b));
	program_finish(b, program);
	free(b);
	return program;
}

/* A range of a few integers, often at an end of the type's own. */
static ValueRange
make_range(int64_t least, int64_t most)
{
	ValueRange	range = {.nulls = any(3) == 0,.values = true,.known = any(8) > 0};

	range.least = any(4) > 0 ? any(5) - 2 : any(2) ? least : most - 2;
	range.most = range.least + any(3);
	if (range.nulls && any(4) == 0)
		range.values = range.known = false;
	return range;
}

static void
make_ranges(void)
{
	ranges[0] = make_range(INT16_MIN, INT16_MAX);
	ranges[1] = make_range(INT32_MIN, INT32_MAX);
	ranges[2] = make_range(INT64_MIN, INT64_MAX);
	ranges[3] = make_range(0, 2);
	ranges[3].least = any(2);
	ranges[3].most = ranges[3].least | any(2);
	params[0] = (ParamValue) {.type = VT_INT2,.word = any(5) - 2};
	params[1] = (ParamValue) {.type = VT_INT4,.word = any(6) ? any(7) - 3 : INT32_MIN,.isnull = any(20) == 0};
	params[2] = (ParamValue) {.type = VT_INT8,.word = any(6) ? any(7) - 3 : INT64_MIN,.isnull = any(20) == 0};
	params[3] = (ParamValue) {.type = VT_BOOL,.word = any(2)};
}

/* Look-ups of a few keys, or none, by which numbers of rows are found that values meet. */
static void
make_tables(void)
{
	static const LookupForm forms[NTABLES] = {LOOKUP_BITS, LOOKUP_ARRAY1, LOOKUP_HASH4, LOOKUP_HASH8};
	static const uint32_t rows[] = {2, 0, 1, 2};
	static const uint32_t zeros[4];

	for (int i = 0; i < NTABLES; i++)
	{
		ParamValue *param = &params[NPARAMS + i];
		int64_t		keys[4];
		uint32_t	n = (uint32_t) any(4);
		int64_t		key = any(6) > 0 ? any(5) - 3 : forms[i] == LOOKUP_HASH8 ? INT64_MIN : INT32_MAX - 4;

		for (uint32_t j = 0; j < n; j++)
		{
			keys[j] = key;
			key += 1 + any(3);
		}
		free((void *) param->bytes.data);
		*param = (ParamValue) {.type = VT_TEXT};
		param->bytes = table_of_integers(forms[i], keys, forms[i] == LOOKUP_BITS ? zeros : rows, n,
										 forms[i] == LOOKUP_BITS ? 1 : 3);
	}
}

/* Values of a column: those of its range, and NULL. */
static int
count_values(const ValueRange *range)
{
	return (range->values ? (int) (range->most - range->least) + 1 : 0) + (range->nulls ? 1 : 0);
}

/* All rows there can be. */
static void
make_rows(void)
{
	nrows = 1;
	for (int i = 0; i < NCOLUMNS; i++)
	{
		uint32_t	n = (uint32_t) count_values(&ranges[i]);
		uint32_t	before = nrows;

		for (uint32_t row = before * n; row-- > 0;)
		{
			int64_t		number = (int64_t) (row / before);

			for (int j = 0; j < i; j++)
			{
				values[j][row] = values[j][row % before];
				is_null[j][row] = is_null[j][row % before];
			}
			is_null[i][row] = !ranges[i].values || number > ranges[i].most - ranges[i].least;
			values[i][row] = is_null[i][row] ? 0 : ranges[i].least + number;
		}
		nrows *= n;
	}
}

/* Groups of all rows: those that pass are counted. */
static Groups *
all_groups(const Program *program)
{
	static int16_t int2[MAX_ROWS];
	static int32_t int4[MAX_ROWS];
	static uint8_t boolean[MAX_ROWS];
	static uint8_t validity[NCOLUMNS][MAX_ROWS / 8];
	ColumnVector vectors[NCOLUMNS] = {{.values = int2}, {.values = int4}, {.values = values[2]},
	{.values = boolean}};
	ColumnBatch batch = {.nrows = nrows,.columns = vectors};

	memset(validity, 0, sizeof(validity));
	for (uint32_t row = 0; row < nrows; row++)
	{
		int2[row] = (int16_t) values[0][row];
		int4[row] = (int32_t) values[1][row];
		boolean[row] = (uint8_t) values[3][row];
		for (int i = 0; i < NCOLUMNS; i++)
			validity[i][row / 8] |= (uint8_t) (!is_null[i][row] << row % 8);
	}
	for (int i = 0; i < NCOLUMNS; i++)
		vectors[i].validity = validity[i];
	return oracle_groups(program, params, &batch);
}

/* Some values that a condition says refuse a row: next to those that do not, if there are any. */
static ValueRange
refused_range(const FilterCondition *condition)
{
	ValueRange	range = {.nulls = condition->refuses_nulls,.values = true,.known = true};

	range.least = range.most = condition->refused;
	if (any(4) == 0)
		return range;
	if (condition->inside && condition->least < condition->most)
	{
		range.most = condition->most;
		range.least = range.most - 1;
	}
	else if (!condition->inside && condition->refused < condition->least)
	{
		range.most = condition->least - 1;
		range.least = range.most - (range.most > condition->refused);
	}
	else if (!condition->inside)
	{
		range.least = condition->most + 1;
		range.most = range.least + (range.least < condition->refused);
	}
	return range;
}

/* Is no row with the column's refused values one that passes, or an error? */
static bool
condition_is_right(const Program *program, int column, const FilterCondition *condition)
{
	Groups	   *groups;
	bool		right;

	ranges[column] = refused_range(condition);
	make_rows();
	groups = all_groups(program);
	right = groups->status == ENGINE_OK && groups->ngroups == 0;
	groups_free(groups);
	return right;
}

static void
test_conditions(void)
{
	int			found = 0;
	int			outside = 0;
	int			nulls = 0;
	int			wrong = 0;

	for (int i = 0; i < NPROGRAMS; i++)
	{
		Program    *program = make_program();
		int			column = any(NCOLUMNS);
		FilterCondition condition;

		make_ranges();
		make_tables();
		if (filter_condition(program, params, column, &condition))
		{
			ParamValue	kept[NPARAMS + NTABLES];

			memcpy(kept, params, sizeof(params));
			for (int j = 0; j < 2; j++)
			{
				/* other rows, but the same parameters */
				make_ranges();
				memcpy(params, kept, sizeof(params));
				wrong += !condition_is_right(program, column, &condition);
			}
			found++;
			outside += !condition.inside;
			nulls += condition.refuses_nulls;
		}
		free(program);
	}
	ok(wrong == 0, "%d of %d conditions refuse a row that passes, or is an error", wrong, found);
	ok(outside > 1500 && found - outside > 1500 && nulls > 1500,
	   "%d refuse values outside of a range, %d in one, %d NULL", outside, found - outside, nulls);
}

/* Which of a column's values refuse a row that is looked up in a table. */
static void
test_lookup(LookupForm form, uint32_t step, int64_t from, int64_t to, bool passes)
{
	static int64_t keys[10000];
	static uint32_t zeros[10000];
	ParamValue	param[2] = {{.type = VT_TEXT}, {.type = VT_INT4}};
	ValueRange	range = {.values = true,.known = true,.least = from,.most = to};
	ProgramBuilder *b = malloc(sizeof(*b));
	FilterCondition condition = {0};
	Program    *program;
	int			row;
	bool		right;

	for (int i = 0; i < 10000; i++)
		keys[i] = 1000 + (int64_t) i * step;
	param[0].bytes = table_of_integers(form, keys, zeros, 10000, 1);
	program_begin(b, SOURCE_PAGES);
	program_add_attr(b, 8, 8);
	row = program_add_op(b, OP_int8_lookup, program_add_column(b, 1, VT_INT8, false, -1),
						 program_add_table_ref(b, program_add_param(b, VT_TEXT)));
	program_set_filter(b, program_add_op(b, OP_int4_ge, row,
										 program_add_param_ref(b, program_add_param(b, VT_INT4))));
	program_add_acc(b, ACC_COUNT, -1, -1);
	program = calloc(1, program_size(b));
	program_finish(b, program);
	right = filter_condition(program, param, 0, &condition) && !condition.inside &&
		condition.least == 1000 && condition.most == keys[9999];
	ok(right && filter_can_pass(program, param, &range) == passes,
	   "look-up in form %d, keys %u apart: %lld to %lld may%s pass", form, step, (long long) from,
	   (long long) to, passes ? "" : " not");
	free((void *) param[0].bytes.data);
	free(program);
	free(b);
}

static void
test_lookups(void)
{
	test_lookup(LOOKUP_BITS, 6000, -5, 999, false);
	test_lookup(LOOKUP_BITS, 6000, -5, 1000, true);
	test_lookup(LOOKUP_BITS, 6000, 7001, 11096, false);
	test_lookup(LOOKUP_BITS, 6000, 7001, 11097, true);
	test_lookup(LOOKUP_BITS, 6000, 7000, 7001, true);
	test_lookup(LOOKUP_ARRAY1, 3, 1001, 1002, false);
	test_lookup(LOOKUP_ARRAY4, 3, 1001, 1003, true);
	test_lookup(LOOKUP_ARRAY2, 3, INT64_MIN, 999, false);
	test_lookup(LOOKUP_HASH4, 3, 1001, 1002, true);
	test_lookup(LOOKUP_HASH4, 3, 1000 + 9999 * 3 + 1, INT64_MAX, false);
	test_lookup(LOOKUP_HASH8, 3, INT64_MIN, 999, false);
	test_lookup(LOOKUP_HASH8, 3, INT64_MIN, INT64_MAX, true);
}

/* The range of a column of one comparison, and of two. */
static void
test_bounds(void)
{
	ProgramBuilder *b = malloc(sizeof(*b));
	ParamValue	bounds[2] = {{.type = VT_INT4,.word = -5}, {.type = VT_INT4,.word = 9}};
	FilterCondition condition = {0};
	Program    *program;
	int			column;
	int			least;
	bool		found;

	program_begin(b, SOURCE_PAGES);
	program_add_attr(b, 4, 4);
	program_add_param(b, VT_INT4);
	program_add_param(b, VT_INT4);
	column = program_add_column(b, 1, VT_INT4, true, -1);
	least = program_add_op(b, OP_int4_ge, column, program_add_param_ref(b, 0));
	program_set_filter(b, program_add_op(b, OP_and, least,
										 program_add_op(b, OP_int4_lt, column,
														program_add_param_ref(b, 1))));
	program_add_acc(b, ACC_COUNT, -1, -1);
	program = calloc(1, program_size(b));
	program_finish(b, program);
	found = filter_condition(program, bounds, 0, &condition);
	ok(found && !condition.inside && condition.least == -5 && condition.most == 8 &&
	   condition.refuses_nulls,
	   "from -5 to below 9: from %lld to %lld", (long long) condition.least,
	   (long long) condition.most);
	bounds[1].word = -5;
	ok(filter_condition(program, bounds, 0, &condition) && condition.least > condition.most,
	   "no value is below -5 and not");
	bounds[0].isnull = true;
	ok(filter_condition(program, bounds, 0, &condition) && condition.inside &&
	   condition.least == INT32_MIN && condition.most == INT32_MAX,
	   "none is anything to a NULL");
	free(program);
	free(b);
}

/* What a refused row has instead of a flag that must be false: operations take 0 and 1 only. */
static void
test_flag(void)
{
	ProgramBuilder *b = malloc(sizeof(*b));
	FilterCondition condition = {0};
	Program    *program;
	bool		found;

	program_begin(b, SOURCE_PAGES);
	program_add_attr(b, 1, 1);
	program_set_filter(b, program_add_op(b, OP_bool_not,
										 program_add_column(b, 1, VT_BOOL, true, -1), -1));
	program_add_acc(b, ACC_COUNT, -1, -1);
	program = calloc(1, program_size(b));
	program_finish(b, program);
	found = filter_condition(program, NULL, 0, &condition);
	ok(found && !condition.inside && condition.least == 0 && condition.most == 0 &&
	   condition.refused == 1,
	   "a flag that is not 0 is refused, and made %lld", (long long) condition.refused);
	free(program);
	free(b);
}

int
main(void)
{
	int			skipped = 0;
	int			could_be = 0;
	int			wrong = 0;

	test_bounds();
	test_flag();
	test_lookups();
	srand(7);
	for (int i = 0; i < NPROGRAMS; i++)
	{
		Program    *program = make_program();
		Groups	   *groups;
		bool		pass;
		bool		any_pass;

		make_ranges();
		make_tables();
		make_rows();
		pass = filter_can_pass(program, params, ranges);
		groups = all_groups(program);
		any_pass = groups->status != ENGINE_OK || groups->ngroups > 0;
		wrong += !pass && any_pass;
		skipped += !pass;
		could_be += !any_pass;
		groups_free(groups);
		free(program);
	}
	ok(wrong == 0, "%d of %d filters let a row pass, or are an error, and are not seen", wrong,
	   NPROGRAMS);
	ok(skipped > could_be / 2, "%d of %d that let none pass are seen", skipped, could_be);
	test_conditions();
	for (int i = 0; i < NTABLES; i++)
		free((void *) params[NPARAMS + i].bytes.data);
	return done_testing();
}
