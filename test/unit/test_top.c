/*
 * test_top.c
 *	  Groups that an engine leaves out, since enough others come before them: the words
 *	  that order groups, and what leaves a simulated device.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/cuda/cuda_engine.h"
#include "program/special.h"
#include "program/state.h"
#include "tap.h"

#define NGROUPS 3000
#define NROWS (3 * NGROUPS)

/* The Program's aggregates. */
enum
{
	A_COUNT, A_COUNT_VALUES, A_SUM, A_SUM_SMALL, A_MIN, A_MAX, A_FLOAT_MIN, A_FLOAT_MAX,
	A_AVG, A_COUNTS
};

static const char *const agg_names[] = {
	"count(*)", "count(v)", "sum(int8)", "sum(int4)", "min(int8)", "max(int8)", "min(float8)",
	"max(float8)", "avg(int8)"
};

/* What values the rows have. */
typedef enum Values
{
	FEW,						/* of which many groups have the same */
	MANY,
	LARGE						/* sums do not fit 64 bits */
} Values;

/* A group's results. */
typedef struct Expected
{
	int64_t		count;
	int64_t		values;			/* that are not NULL */
	__int128	sum;
	int64_t		sum_small;
	int64_t		min;
	int64_t		max;
	double		float_min;
	double		float_max;
} Expected;

static const EngineOps *engine;
static Expected expected[NGROUPS];
static int64_t keys[NROWS];
static int64_t values[NROWS];
static int32_t small[NROWS];
static double floats[NROWS];
static uint8_t validity[NROWS / 8 + 1];
static char texts[NROWS * 8];
static uint32_t offsets[NROWS + 1];
static uint64_t seed;

static uint64_t
next_random(void)
{
	seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return seed >> 20;
}

/* PostgreSQL's order of floats. */
static int
float_order(double a, double b)
{
	if (isnan(a) || isnan(b))
		return isnan(a) - isnan(b);
	return (a > b) - (a < b);
}

static void
make_row(uint32_t row, Values kind, int64_t factor)
{
	static const double special[] = {NAN, INFINITY, -INFINITY, 0.0};
	uint32_t	group = row % NGROUPS;
	int64_t		value = kind == FEW ? (int64_t) (next_random() % 7) - 3 :
		kind == MANY ? (int64_t) (next_random() % 2000001) - 1000000 :
		(int64_t) ((next_random() << 25) ^ next_random());

	keys[row] = (int64_t) group * factor;
	values[row] = value;
	small[row] = (int32_t) (value % 1000);
	floats[row] = group % 97 == 5 ? special[group / 97 % 4] :
		kind == FEW ? (double) (value == 0 ? 1 : value) : (double) value / 3;
	offsets[row + 1] = offsets[row] + (uint32_t) sprintf(texts + offsets[row], "t%u", group);
	/* all values of these groups are NULL */
	if (group % 11 != 3)
		validity[row / 8] |= (uint8_t) (1 << row % 8);
}

static void
expect_row(uint32_t row)
{
	Expected   *group = &expected[row % NGROUPS];
	bool		first = group->values == 0;

	group->count++;
	if (!((validity[row / 8] >> row % 8) & 1))
		return;
	group->values++;
	group->sum += values[row];
	group->sum_small += small[row];
	group->min = first || values[row] < group->min ? values[row] : group->min;
	group->max = first || values[row] > group->max ? values[row] : group->max;
	if (first || float_order(floats[row], group->float_min) < 0)
		group->float_min = floats[row];
	if (first || float_order(floats[row], group->float_max) > 0)
		group->float_max = floats[row];
}

/* Groups of one row, of two and of three. */
static uint32_t
make_rows(Values kind, int64_t factor)
{
	uint32_t	nrows = 0;

	memset(expected, 0, sizeof(expected));
	memset(validity, 0, sizeof(validity));
	while (nrows < NROWS - NGROUPS / 2)
		make_row(nrows++, kind, factor);
	for (uint32_t i = 0; i < nrows; i++)
		expect_row(i);
	return nrows;
}

static Program *
make_program(bool text_key)
{
	ProgramBuilder *b = malloc(sizeof(*b));
	Program    *program;
	int			columns[5];
	int			counts[2];
	int			sum;

	program_begin(b, SOURCE_COLUMNS);
	columns[0] = program_add_column(b, 1, VT_INT8, false, -1);
	columns[1] = program_add_column(b, 2, VT_INT8, true, -1);
	columns[2] = program_add_column(b, 3, VT_INT4, true, -1);
	columns[3] = program_add_column(b, 4, VT_FLOAT8, true, -1);
	columns[4] = program_add_column(b, 5, VT_TEXT, false, -1);
	program_add_key(b, columns[text_key ? 4 : 0]);
	counts[0] = program_add_acc(b, ACC_COUNT, -1, -1);
	counts[1] = program_add_acc(b, ACC_COUNT, columns[1], -1);
	sum = program_add_acc(b, ACC_SUM_INT128, columns[1], -1);
	program_add_agg(b, FINAL_COUNT, counts[0], counts[0]);
	program_add_agg(b, FINAL_COUNT, counts[1], counts[1]);
	program_add_agg(b, FINAL_SUM_NUMERIC, sum, counts[1]);
	program_add_agg(b, FINAL_SUM_INT8, program_add_acc(b, ACC_SUM_INT, columns[2], -1), counts[1]);
	program_add_agg(b, FINAL_EXTREME_INT8, program_add_acc(b, ACC_MIN_INT, columns[1], -1), counts[1]);
	program_add_agg(b, FINAL_EXTREME_INT8, program_add_acc(b, ACC_MAX_INT, columns[1], -1), counts[1]);
	program_add_agg(b, FINAL_EXTREME_FLOAT8, program_add_acc(b, ACC_MIN_FLOAT, columns[3], -1), counts[1]);
	program_add_agg(b, FINAL_EXTREME_FLOAT8, program_add_acc(b, ACC_MAX_FLOAT, columns[3], -1), counts[1]);
	program_add_agg(b, FINAL_AVG_NUMERIC, sum, counts[1]);
	program = calloc(1, program_size(b));
	program_finish(b, program);
	free(b);
	return program;
}

/* In ascending order, of groups that have values. */
static int
compare_values(int agg, const Expected *a, const Expected *b)
{
	switch (agg)
	{
		case A_COUNT:
			return (a->count > b->count) - (a->count < b->count);
		case A_COUNT_VALUES:
			return (a->values > b->values) - (a->values < b->values);
		case A_SUM:
			return (a->sum > b->sum) - (a->sum < b->sum);
		case A_SUM_SMALL:
			return (a->sum_small > b->sum_small) - (a->sum_small < b->sum_small);
		case A_MIN:
			return (a->min > b->min) - (a->min < b->min);
		case A_MAX:
			return (a->max > b->max) - (a->max < b->max);
		case A_FLOAT_MIN:
			return float_order(a->float_min, b->float_min);
		default:
			return float_order(a->float_max, b->float_max);
	}
}

static int
compare(const TopHint *hint, const Expected *a, const Expected *b)
{
	int			order;

	if (hint->agg > A_COUNT_VALUES && (a->values == 0 || b->values == 0))
	{
		order = (a->values == 0) - (b->values == 0);
		return hint->nulls_first ? -order : order;
	}
	order = compare_values(hint->agg, a, b);
	return hint->descending ? -order : order;
}

/* How many groups come before this one? */
static uint32_t
groups_before(const TopHint *hint, const Expected *group)
{
	uint32_t	before = 0;

	for (int i = 0; i < NGROUPS; i++)
		before += compare(hint, &expected[i], group) < 0;
	return before;
}

/* The number in the i-th text: "t" and digits. */
static int64_t
number_of_text(const ColumnVector *texts_given, uint32_t i)
{
	const char *text = texts_given->values;
	int64_t		number = 0;

	for (uint32_t at = texts_given->offsets[i] + 1; at < texts_given->offsets[i + 1]; at++)
		number = number * 10 + text[at] - '0';
	return number;
}

/* The groups that an engine gives: counts of rows by group, -1 for something else. */
static bool
run(const Program *program, const TopHint *hint, const char *strategy, uint32_t nrows,
	bool text_key, int64_t factor, int64_t *counts, EngineStats *stats)
{
	const ColumnVector columns[] = {
		{.values = keys}, {.values = values,.validity = validity},
		{.values = small,.validity = validity}, {.values = floats,.validity = validity},
		{.values = texts,.offsets = offsets}
	};
	ColumnBatch batch = {.nrows = nrows,.columns = columns};
	EngineHints hints = {.strategy = strategy,.top = *hint};
	EngineRun  *ran;
	GroupBatch	groups;
	char		message[256];
	EngineStatus status = engine->open(program, NULL, &hints, &ran, message);

	memset(counts, 0, NGROUPS * sizeof(*counts));
	if (status != ENGINE_OK)
		return false;
	while ((status = engine->columns(ran, &batch)) == ENGINE_BUSY)
		;
	for (;;)
	{
		while (status == ENGINE_OK && (status = engine->groups(ran, &groups)) == ENGINE_BUSY)
			status = ENGINE_OK;
		if (status != ENGINE_OK || groups.ngroups == 0)
			break;
		for (uint32_t i = 0; i < groups.ngroups; i++)
		{
			int64_t		group = text_key ? number_of_text(&groups.keys[0], i) :
				((const int64_t *) groups.keys[0].values)[i] / factor;

			counts[group] += (int64_t) groups.states[(size_t) i * program->nwords];
		}
	}
	*stats = ran->stats;
	engine->close(ran);
	return status == ENGINE_OK;
}

/* Exactly the groups that fewer than the wanted ones come before; of too large sums, more. */
static void
check(const Program *program, const TopHint *hint, const char *strategy, Values kind,
	  bool text_key, int64_t factor)
{
	static int64_t counts[NGROUPS];
	uint32_t	nrows = make_rows(kind, factor);
	EngineStats stats = {0};
	bool		answered = run(program, hint, strategy, nrows, text_key, factor, counts, &stats);
	bool		all = hint->agg == A_AVG || hint->groups == 0;
	uint32_t	given = 0;
	uint32_t	missing = 0;
	uint32_t	more = 0;

	for (int i = 0; i < NGROUPS; i++)
	{
		bool		wanted = all || groups_before(hint, &expected[i]) < hint->groups;

		given += counts[i] != 0;
		missing += wanted && counts[i] != expected[i].count;
		more += !wanted && counts[i] != 0;
	}
	ok(answered && missing == 0 && (more == 0 || (kind == LARGE && hint->agg == A_SUM)) &&
	   stats.groups == NGROUPS && stats.groups_left_out == NGROUPS - given &&
	   (given < NGROUPS || all || hint->groups > NGROUPS / 2 || kind != MANY),
	   "%s%s%s, %u wanted, %u given, %u missing, %u too many: %s key, values %d, ran %s",
	   agg_names[hint->agg], hint->descending ? " desc" : "",
	   hint->nulls_first ? " nulls first" : "", hint->groups, given, missing, more,
	   text_key ? "text" : factor == 1 ? "dense" : "sparse", kind, stats.strategy);
}

/* Each aggregate in each order, with each way in which a table has its groups. */
static void
check_engine(void)
{
	static const uint32_t wanted[] = {1, 10, 300, 2999, 3000, 3001, 20000};
	static const char *const strategies[] = {"auto", "atomic", "scatter", "interpret"};

	for (int i = 0; i < A_COUNTS * 4; i++)
	{
		bool		text_key = i % 3 == 2;
		int64_t		factor = i % 3 == 0 ? 1 : 1000003 * INT64_C(4099);
		Program    *program = make_program(text_key);
		TopHint		hint = {.agg = (uint16_t) (i / 4),.descending = i % 2,
		.nulls_first = i / 2 % 2};

		seed = (uint64_t) i + 1;
		for (int kind = FEW; kind <= LARGE; kind++)
		{
			hint.groups = wanted[(i + 2 * kind) % 7];
			check(program, &hint, strategies[(i + kind) % 4], (Values) kind, text_key, factor);
			hint.groups = 10;
			check(program, &hint, strategies[(i + kind + 1) % 4], (Values) kind, text_key, factor);
		}
		hint.groups = 0;
		check(program, &hint, "auto", MANY, text_key, factor);
		free(program);
	}
}

/* No rows: no groups, and none left out. */
static void
check_no_groups(void)
{
	Program    *program = make_program(false);
	TopHint		hint = {.groups = 5,.agg = A_COUNT,.descending = 1};
	EngineHints hints = {.strategy = "auto",.top = hint};
	ColumnBatch batch = {0};
	EngineRun  *ran;
	GroupBatch	groups = {0};
	char		message[256];
	EngineStatus status = engine->open(program, NULL, &hints, &ran, message);

	batch.columns = (const ColumnVector[5]) {{0}};
	if (status == ENGINE_OK)
		status = engine->columns(ran, &batch);
	while (status == ENGINE_OK && (status = engine->groups(ran, &groups)) == ENGINE_BUSY)
		status = ENGINE_OK;
	ok(status == ENGINE_OK && groups.ngroups == 0 && ran->stats.groups == 0 &&
	   ran->stats.groups_left_out == 0, "no groups");
	engine->close(ran);
	free(program);
}

/* Words of a list of states are in its order; those of neighbours that are equal, equal. */
static void
check_words(const char *name, uint32_t order, const uint64_t (*states)[2], int n,
			const bool *equal)
{
	for (int descending = 0; descending < 2; descending++)
	{
		uint32_t	flags = order | (descending ? TOP_DESCENDING : 0);
		bool		good = true;

		for (int i = 0; i < n; i++)
		{
			uint64_t	word = top_word(flags, false, states[i][0], states[i][1]);

			good = good && word > top_word(flags | TOP_NULLS_FIRST, true, 0, 0) &&
				word < top_word(flags, true, 0, 0);
			for (int j = i + 1, same = 1; j < n; j++)
			{
				uint64_t	next = top_word(flags, false, states[j][0], states[j][1]);

				same = same && equal[j];
				good = good && (same ? word == next : descending ? word > next : word < next);
			}
		}
		ok(good, "words of %s%s", name, descending ? ", descending" : "");
	}
}

static void
check_int_words(void)
{
	static const uint64_t ints[][2] = {
		{(uint64_t) INT64_MIN}, {(uint64_t) INT64_MIN + 1}, {(uint64_t) -70000}, {(uint64_t) -1},
		{0}, {1}, {70000}, {INT64_MAX - 1}, {INT64_MAX}
	};
	/* low words need not be below 2^32; a NULL's word is no number's */
	static const uint64_t sums[][2] = {
		{0, (uint64_t) INT64_MIN}, {5, (uint64_t) INT32_MIN - 1}, {0, (uint64_t) INT32_MIN},
		{2, (uint64_t) INT32_MIN},
		{UINT64_C(0xffffffff), (uint64_t) -2}, {UINT64_C(0x300000000), (uint64_t) -4},
		{UINT64_C(0x100000000), (uint64_t) -1}, {0, 0}, {1, 0}, {UINT64_C(0x100000000), 4},
		{0, 5}, {1, 5}, {UINT64_C(0xfffffffd), INT32_MAX}, {UINT64_C(0xffffffff), INT32_MAX},
		{0, (uint64_t) INT32_MAX + 1}, {0, INT64_MAX / 2}
	};
	static const bool ints_equal[9] = {0};
	static const bool sums_equal[16] = {
		false, true, true, false, false, false, false, true, false, false, true, false, false,
		false, true, true
	};

	check_words("integers", 0, ints + 1, 7, ints_equal);
	check_words("128-bit sums", TOP_INT128, sums, 16, sums_equal);
	ok(top_word(0, false, (uint64_t) INT64_MIN, 0) <= top_word(0, false, (uint64_t) INT64_MIN + 1, 0) &&
	   top_word(0, false, INT64_MAX, 0) >= top_word(0, false, INT64_MAX - 1, 0) &&
	   top_word(0, false, INT64_MAX, 0) < top_word(0, true, 0, 0) &&
	   top_word(0, false, (uint64_t) INT64_MIN, 0) > top_word(TOP_NULLS_FIRST, true, 0, 0),
	   "words of the least and the largest integer");
}

static void
check_float_words(bool max)
{
	static const double floats_sorted[] = {
		-INFINITY, -1e308, -1.5, -4.9e-324, -0.0, 0.0, 4.9e-324, 1.5, 1e308, INFINITY
	};
	static const bool equal[10] = {false, false, false, false, false, true};
	uint64_t	states[10][2] = {{0}};

	for (int i = 0; i < 10; i++)
		states[i][0] = float_to_ordered(floats_sorted[i], max);
	check_words(max ? "maxima of floats" : "minima of floats", TOP_FLOAT,
				(const uint64_t (*)[2]) states, 10, equal);
	ok(top_word(TOP_FLOAT, false, float_to_ordered(NAN, max), 0) > top_word(TOP_FLOAT, false, states[9][0], 0) &&
	   top_word(TOP_FLOAT | TOP_DESCENDING, false, float_to_ordered(NAN, max), 0) <
	   top_word(TOP_FLOAT | TOP_DESCENDING, false, states[9][0], 0), "NaN is the largest");
}

/* Orders that are none: of no aggregate, of one that words cannot tell, of NaN's sums. */
static void
check_refused(void)
{
	Program    *program = make_program(false);
	Aggregate  *agg = (Aggregate *) &program_aggs(program)[A_SUM];
	TopHint		hint = {.groups = 1,.agg = A_SUM};
	TopOrder	order;
	bool		good = top_order_make(program, &hint, &order);

	hint.agg = A_AVG;
	good = good && !top_order_make(program, &hint, &order);
	hint.agg = A_COUNTS;
	good = good && !top_order_make(program, &hint, &order);
	hint = (TopHint) {.groups = 0,.agg = A_SUM};
	good = good && !top_order_make(program, &hint, &order);
	hint.groups = 1;
	agg->special = 0;
	good = good && !top_order_make(program, &hint, &order);
	agg->special = -1;
	agg->high = 0;
	good = good && !top_order_make(program, &hint, &order);
	ok(good, "orders that words cannot tell");
	free(program);
}

int
main(void)
{
	engine = getenv("GPUAGG_TEST_ENGINE") && strcmp(getenv("GPUAGG_TEST_ENGINE"), "cuda") == 0 ?
		&cuda_engine : &simt_engine;
	check_int_words();
	check_float_words(false);
	check_float_words(true);
	check_refused();
	check_no_groups();
	check_engine();
	return done_testing();
}
