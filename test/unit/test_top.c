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
#include "program/exact_result.h"
#include "program/special.h"
#include "program/state.h"
#include "tap.h"

#define NGROUPS 3000
#define NROWS (3 * NGROUPS)

/* The Program's aggregates. */
enum
{
	A_COUNT, A_COUNT_VALUES, A_SUM, A_SUM_SMALL, A_MIN, A_MAX, A_FLOAT_MIN, A_FLOAT_MAX,
	A_AVG, A_AVG_SMALL, A_FLOAT_SUM, A_FLOAT_AVG, A_COUNTS
};

static const char *const agg_names[] = {
	"count(*)", "count(v)", "sum(int8)", "sum(int4)", "min(int8)", "max(int8)", "min(float8)",
	"max(float8)", "avg(int8)", "avg(int4)", "sum(float8)", "avg(float8)"
};

/* What values the rows have. */
typedef enum Values
{
	FEW,						/* of which many groups have the same */
	MANY,
	LARGE,						/* sums do not fit 64 bits */
	NEAR						/* averages that doubles put into another order */
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
	long double float_sum;		/* exact */
} Expected;

static const EngineOps *engine;
static Expected expected[NGROUPS];
static int64_t keys[NROWS];
static int64_t values[NROWS];
static int32_t small[NROWS];
static double floats[NROWS];
static double summed[NROWS];
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

/*
 * Of three of these values the sum is rounded to 3 * 2^60 + 512, and the average to
 * 2^60 + 256; of two of them, which are greater, to 2^61 and 2^60.
 */
static int64_t
near_value(uint32_t group)
{
	return (INT64_C(1) << 60) + (group < NGROUPS / 2 ? 90 : 110) + (int64_t) (next_random() % 10);
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
		kind == NEAR ? near_value(group) :
		(int64_t) ((next_random() << 25) ^ next_random());

	keys[row] = (int64_t) group * factor;
	values[row] = value;
	small[row] = (int32_t) (value % 1000);
	floats[row] = group % 97 == 5 ? special[group / 97 % 4] :
		kind == FEW ? (double) (value == 0 ? 1 : value) : (double) value / 3;
	/* sums of these have up to 62 bits */
	summed[row] = kind == FEW ? (double) value / 4 : kind == MANY ? (double) value / 3 :
		ldexp((double) (value >> 11), -30);
	if (kind == MANY)
		summed[row] = ldexp(floor(ldexp(summed[row], 35)), -35);
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
	group->float_sum += summed[row];
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
	int			columns[6];
	int			counts[2];
	int			sum;
	int			sum_small;
	int			sum_float;

	program_begin(b, SOURCE_COLUMNS);
	columns[0] = program_add_column(b, 1, VT_INT8, false, -1);
	columns[1] = program_add_column(b, 2, VT_INT8, true, -1);
	columns[2] = program_add_column(b, 3, VT_INT4, true, -1);
	columns[3] = program_add_column(b, 4, VT_FLOAT8, true, -1);
	columns[4] = program_add_column(b, 5, VT_TEXT, false, -1);
	columns[5] = program_add_column(b, 6, VT_FLOAT8, true, -1);
	program_add_key(b, columns[text_key ? 4 : 0]);
	counts[0] = program_add_acc(b, ACC_COUNT, -1, -1);
	counts[1] = program_add_acc(b, ACC_COUNT, columns[1], -1);
	sum = program_add_acc(b, ACC_SUM_INT128, columns[1], -1);
	sum_small = program_add_acc(b, ACC_SUM_INT, columns[2], -1);
	sum_float = program_add_acc(b, ACC_SUM_FLOAT, columns[5], -1);
	program_add_agg(b, FINAL_COUNT, counts[0], counts[0]);
	program_add_agg(b, FINAL_COUNT, counts[1], counts[1]);
	program_add_agg(b, FINAL_SUM_NUMERIC, sum, counts[1]);
	program_add_agg(b, FINAL_SUM_INT8, sum_small, counts[1]);
	program_add_agg(b, FINAL_EXTREME_INT8, program_add_acc(b, ACC_MIN_INT, columns[1], -1), counts[1]);
	program_add_agg(b, FINAL_EXTREME_INT8, program_add_acc(b, ACC_MAX_INT, columns[1], -1), counts[1]);
	program_add_agg(b, FINAL_EXTREME_FLOAT8, program_add_acc(b, ACC_MIN_FLOAT, columns[3], -1), counts[1]);
	program_add_agg(b, FINAL_EXTREME_FLOAT8, program_add_acc(b, ACC_MAX_FLOAT, columns[3], -1), counts[1]);
	program_add_agg(b, FINAL_AVG_NUMERIC, sum, counts[1]);
	program_add_agg(b, FINAL_AVG_NUMERIC, sum_small, counts[1]);
	program_add_agg(b, FINAL_SUM_FLOAT8, sum_float, counts[1]);
	program_add_agg(b, FINAL_AVG_FLOAT8, sum_float, counts[1]);
	program = calloc(1, program_size(b));
	program_finish(b, program);
	free(b);
	return program;
}

static int
compare_quotients(__int128 a, int64_t by_a, __int128 b, int64_t by_b)
{
	return (a * by_b > b * by_a) - (a * by_b < b * by_a);
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
		case A_AVG:
			return compare_quotients(a->sum, a->values, b->sum, b->values);
		case A_AVG_SMALL:
			return compare_quotients(a->sum_small, a->values, b->sum_small, b->values);
		case A_FLOAT_SUM:
			return float_order((double) a->float_sum, (double) b->float_sum);
		case A_FLOAT_AVG:
			return float_order((double) a->float_sum / a->values, (double) b->float_sum / b->values);
		default:
			return float_order(a->float_max, b->float_max);
	}
}

/* Column 0 is the key, the others are the aggregates. */
static TopHintColumn
column_of(int agg, bool descending, bool nulls_first)
{
	return (TopHintColumn) {(uint16_t) (agg + 1), descending, nulls_first};
}

/* As texts, keys are "t" and the group's number. */
static int
compare_keys(bool text_key, const Expected *a, const Expected *b)
{
	char		texts_of[2][16];

	if (!text_key)
		return (a > b) - (a < b);
	sprintf(texts_of[0], "t%d", (int) (a - expected));
	sprintf(texts_of[1], "t%d", (int) (b - expected));
	return strcmp(texts_of[0], texts_of[1]);
}

static int
compare_column(const TopHintColumn *column, bool text_key, const Expected *a, const Expected *b)
{
	int			agg = column->number - 1;
	int			order;

	if (agg > A_COUNT_VALUES && (a->values == 0 || b->values == 0))
	{
		order = (a->values == 0) - (b->values == 0);
		return column->nulls_first ? -order : order;
	}
	order = agg < 0 ? compare_keys(text_key, a, b) : compare_values(agg, a, b);
	return column->descending ? -order : order;
}

static int
compare(const TopHint *hint, bool text_key, const Expected *a, const Expected *b)
{
	int			order = 0;

	for (uint32_t i = 0; i < hint->ncolumns && order == 0; i++)
		order = compare_column(&hint->columns[i], text_key, a, b);
	return order;
}

static const TopHint *sorted_hint;
static bool sorted_texts;

static int
compare_sorted(const void *a, const void *b)
{
	return compare(sorted_hint, sorted_texts, *(const Expected *const *) a,
				   *(const Expected *const *) b);
}

/* The last group that is wanted. */
static const Expected *
last_wanted(const TopHint *hint, bool text_key)
{
	static const Expected *sorted[NGROUPS];

	for (int i = 0; i < NGROUPS; i++)
		sorted[i] = &expected[i];
	sorted_hint = hint;
	sorted_texts = text_key;
	qsort(sorted, NGROUPS, sizeof(sorted[0]), compare_sorted);
	return sorted[hint->groups == 0 || hint->groups > NGROUPS ? NGROUPS - 1 : hint->groups - 1];
}

/* Are equal words, or words that are near, those of values that differ? */
static bool
words_are_near(const TopHint *hint, Values kind)
{
	for (uint32_t i = 0; i < hint->ncolumns; i++)
	{
		int			agg = hint->columns[i].number - 1;

		if ((kind == LARGE && agg == A_SUM) || agg == A_AVG || agg == A_AVG_SMALL)
			return true;
	}
	return false;
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
		{.values = texts,.offsets = offsets}, {.values = summed,.validity = validity}
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

/* Have values that are equal words of their own?  Not texts, nor NaN and the infinities as extremes. */
static bool
words_are_exact(const TopHint *hint, bool text_key, Values kind)
{
	for (uint32_t i = 0; i < hint->ncolumns; i++)
	{
		int			agg = hint->columns[i].number - 1;

		if ((agg < 0 && text_key) || agg == A_FLOAT_MIN || agg == A_FLOAT_MAX)
			return false;
	}
	return !words_are_near(hint, kind);
}

/*
 * Exactly the groups that fewer than the wanted ones come before; of some aggregates, more.  A
 * device leaves out ties that are not asked for.
 */
static void
check(const Program *program, const TopHint *hint, const char *strategy, Values kind,
	  bool text_key, int64_t factor)
{
	static int64_t counts[NGROUPS];
	uint32_t	nrows = make_rows(kind, factor);
	EngineStats stats = {0};
	bool		answered = run(program, hint, strategy, nrows, text_key, factor, counts, &stats);
	bool		all = hint->groups == 0;
	int			agg = hint->columns[0].number - 1;
	bool		near = words_are_near(hint, kind);
	bool		cuts = !hint->ties && engine != &cpu_engine;
	uint32_t	least = all || hint->groups > NGROUPS ? NGROUPS : hint->groups;
	const Expected *last = last_wanted(hint, text_key);
	uint32_t	given = 0;
	uint32_t	missing = 0;
	uint32_t	more = 0;

	for (int i = 0; i < NGROUPS; i++)
	{
		int			order = all ? -1 : compare(hint, text_key, &expected[i], last);

		given += counts[i] != 0;
		missing += (order < 0 || (order == 0 && (!cuts || counts[i] != 0))) &&
			counts[i] != expected[i].count;
		more += order > 0 && counts[i] != 0;
	}
	ok(answered && missing == 0 && (more == 0 || near) && given >= least &&
	   (!cuts || given == least || !words_are_exact(hint, text_key, kind)) &&
	   stats.groups == NGROUPS && stats.groups_left_out == NGROUPS - given && stats.groups_removed == 0 &&
	   (given < NGROUPS || all || hint->groups > NGROUPS / 2 || kind != MANY),
	   "%s: %s%s%s and %u columns more, %u wanted%s, %u given, %u missing, %u too many: %s key, values %d, ran %s",
	   engine_id_name(engine->traits->id), agg < 0 ? "key" : agg_names[agg],
	   hint->columns[0].descending ? " desc" : "",
	   hint->columns[0].nulls_first ? " nulls first" : "", hint->ncolumns - 1, hint->groups,
	   hint->ties ? " with ties" : "", given, missing, more, text_key ? "text" : factor == 1 ? "dense" : "sparse", kind, stats.strategy);
}

static const uint32_t wanted_groups[] = {1, 10, 300, 2999, 3000, 3001, 20000};
static const char *const strategies[] = {"auto", "atomic", "scatter", "interpret"};

/* An order of rows of each kind. */
static void
check_order(const Program *program, TopHint *hint, int i, bool text_key, int64_t factor)
{
	seed = (uint64_t) i + 1;
	for (int kind = FEW; kind <= LARGE; kind++)
	{
		hint->groups = wanted_groups[(i + 2 * kind) % 7];
		hint->ties = (i + kind) % 2;
		check(program, hint, strategies[(i + kind) % 4], (Values) kind, text_key, factor);
		hint->groups = 10;
		hint->ties = !hint->ties;
		check(program, hint, strategies[(i + kind + 1) % 4], (Values) kind, text_key, factor);
	}
}

/* The key and each aggregate in each order, with each way in which a table has its groups. */
static void
check_engine(void)
{
	for (int i = 0; i < (1 + A_COUNTS) * 4; i++)
	{
		bool		text_key = i % 3 == 2;
		int64_t		factor = i % 3 == 0 ? 1 : 1000003 * INT64_C(4099);
		Program    *program = make_program(text_key);
		TopHint		hint = {.ncolumns = 1,.columns = {column_of(i / 4 - 1, i % 2, i / 2 % 2)}};

		check_order(program, &hint, i, text_key, factor);
		hint.groups = 0;
		check(program, &hint, "auto", MANY, text_key, factor);
		free(program);
	}
}

/* Of several columns, those behind the first decide where it does not. */
static void
check_columns(void)
{
	static const int aggs[][3] = {
		{A_COUNT, -1, -1}, {A_COUNT_VALUES, A_MIN, -1}, {A_MIN, A_FLOAT_MAX, A_COUNT},
		{A_SUM_SMALL, A_SUM, -1}, {A_SUM, A_MAX, -1}, {A_FLOAT_SUM, -1, A_COUNT},
		{A_COUNT, A_AVG, A_MIN}, {A_FLOAT_MIN, A_FLOAT_AVG, -1}, {-1, A_COUNT, A_SUM},
		{A_COUNT, A_COUNT_VALUES, A_SUM}
	};

	for (int i = 0; i < (int) (sizeof(aggs) / sizeof(aggs[0])) * 4; i++)
	{
		bool		text_key = i % 3 == 2;
		int64_t		factor = i % 3 == 0 ? 1 : 1000003 * INT64_C(4099);
		Program    *program = make_program(text_key);
		TopHint		hint = {.ncolumns = 3};

		for (int column = 0; column < 3; column++)
			hint.columns[column] = column_of(aggs[i / 4][column], (i + column) % 2, i / 2 % 2);
		check_order(program, &hint, i, text_key, factor);
		free(program);
	}
}

/* Averages that doubles cannot order: those that are wanted leave. */
static void
check_near(void)
{
	Program    *program = make_program(false);

	for (int i = 0; i < 8; i++)
	{
		TopHint		hint = {.groups = i < 4 ? 10 : 1000,.ncolumns = 1};

		hint.columns[0] = column_of(A_AVG, i % 2, false);
		seed = (uint64_t) i + 1;
		check(program, &hint, strategies[i / 2], NEAR, false, i < 4 ? 1 : 1000003);
	}
	free(program);
}

/* No rows: no groups, and none left out. */
static void
check_no_groups(void)
{
	Program    *program = make_program(false);
	TopHint		hint = {.groups = 5,.ncolumns = 1,.columns = {column_of(A_COUNT, true, false)}};
	EngineHints hints = {.strategy = "auto",.top = hint};
	ColumnBatch batch = {0};
	EngineRun  *ran;
	GroupBatch	groups = {0};
	char		message[256];
	EngineStatus status = engine->open(program, NULL, &hints, &ran, message);

	batch.columns = (const ColumnVector[6]) {[4] = {.values = texts,.offsets = offsets}};
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
			uint64_t	word = top_word(flags, 0, false, states[i], 1);

			good = good && word > top_word(flags | TOP_NULLS_FIRST, 0, true, states[i], 0) &&
				word < top_word(flags, 0, true, states[i], 0);
			for (int j = i + 1, same = 1; j < n; j++)
			{
				uint64_t	next = top_word(flags, 0, false, states[j], 1);

				same = same && equal[j];
				good = good && (same ? word == next : descending ? word > next : word < next);
			}
		}
		ok(good, "words of %s%s", name, descending ? ", descending" : "");
	}
}

static uint64_t
word_of(uint32_t order, uint64_t state)
{
	return top_word(order, 0, false, &state, 1);
}

/* A number of three words with few or many bits, near a tie or not. */
static void
make_number(uint64_t *words, int i)
{
	int			bits = i % 157;
	uint64_t	low = (next_random() << 32) ^ next_random();
	uint64_t	high = (next_random() << 32) ^ next_random();
	__int128	number = (__int128) (((unsigned __int128) high << 64) | low) >> (i % 127);

	if (i % 3 == 0)
		number = (number >> 60) * ((__int128) 1 << 60) + ((__int128) 1 << (i % 59)) * (i % 5 - 2);
	memcpy(words, &number, sizeof(number));
	words[2] = number < 0 ? UINT64_MAX : 0;
	/* as a sum's, beyond 128 bits too */
	if (bits > 127)
	{
		words[2] = (words[2] << (bits - 127)) | (words[1] >> (64 - (bits - 127)));
		words[1] = words[1] << (bits - 127) | words[0] >> (64 - (bits - 127));
	}
}

/* Float sums' words are in the order of what they are rounded to. */
static void
check_sum_words(bool single)
{
	static const int32_t units[] = {-1074, -1073, -1060, -1000, -200, -150, -100, -20, 0, 90, 500, 800};
	uint32_t	order = TOP_SUM_FLOAT | (single ? TOP_SINGLE : 0);
	uint64_t	last_word = 0;
	double		last = 0;
	int			bad = 0;
	int			equal = 0;

	seed = 17;
	for (int i = 0; i < 200000; i++)
	{
		int32_t		unit = units[i / 7 % (single ? 9 : 12)];
		uint64_t	words[3];
		double		value;
		double		own;
		uint64_t	word;

		make_number(words, i);
		value = exact_round(words, 3, unit, single);
		own = top_sum_float(words, unit, single);
		if (single && isinf((float) value))
			continue;
		word = top_word(order, unit, false, words, 1);
		bad += memcmp(&value, &own, sizeof(value)) != 0;
		if (i % 7 != 0)
			bad += (value < last) != (word < last_word) || (value == last) != (word == last_word);
		equal += value == last;
		last = value;
		last_word = word;
	}
	ok(bad == 0 && equal > 0, "%s sums are rounded and ordered, %d are not", single ? "float4" : "float8", bad);
}

/* The last word that leaves is not one of NULLs unless they are wanted. */
static void
check_last_words(void)
{
	ok(top_last_word(5, 0) == 5 && top_last_word(5, 1000) == 1005 &&
	   top_last_word(UINT64_MAX - 1000, 1000) == UINT64_MAX - 1 &&
	   top_last_word(UINT64_MAX - 1, 1000) == UINT64_MAX - 1 &&
	   top_last_word(UINT64_MAX, 1000) == UINT64_MAX && top_last_word(UINT64_MAX, 0) == UINT64_MAX,
	   "words at the end of all");
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
	ok(word_of(0, (uint64_t) INT64_MIN) <= word_of(0, (uint64_t) INT64_MIN + 1) &&
	   word_of(0, INT64_MAX) >= word_of(0, INT64_MAX - 1) &&
	   word_of(0, INT64_MAX) < top_word(0, 0, true, ints[0], 0) &&
	   word_of(0, (uint64_t) INT64_MIN) > top_word(TOP_NULLS_FIRST, 0, true, ints[0], 0),
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
	ok(word_of(TOP_FLOAT, float_to_ordered(NAN, max)) > word_of(TOP_FLOAT, states[9][0]) &&
	   word_of(TOP_FLOAT | TOP_DESCENDING, float_to_ordered(NAN, max)) <
	   word_of(TOP_FLOAT | TOP_DESCENDING, states[9][0]), "NaN is the largest");
}

/* An aggregate that is an int64; false: it is NULL. */
static bool
int_value(int agg, const Expected *group, int64_t *value)
{
	*value = agg == A_COUNT ? group->count : agg == A_COUNT_VALUES ? group->values :
		agg == A_SUM_SMALL ? group->sum_small : agg == A_MIN ? group->min : group->max;
	return agg == A_COUNT || agg == A_COUNT_VALUES || group->values > 0;
}

/* A range that some of the groups are in. */
static TopCondition
random_condition(int agg, int64_t *bounds)
{
	int64_t		ends[2] = {0, 0};

	(void) int_value(agg, &expected[next_random() % NGROUPS], &ends[0]);
	(void) int_value(agg, &expected[next_random() % NGROUPS], &ends[1]);
	bounds[0] = ends[0] < ends[1] ? ends[0] : ends[1];
	bounds[1] = ends[0] < ends[1] ? ends[1] : ends[0];
	return (TopCondition)
	{
		.number = (uint32_t) agg + 1,.least = top_word_of_int(bounds[0]),
			.most = top_word_of_int(bounds[1])
	};
}

/* Which groups are in these ranges, and how many? */
static int
groups_in_ranges(const int *aggs, int64_t (*bounds)[2], uint32_t n, bool *in)
{
	int			total = 0;

	for (int i = 0; i < NGROUPS; i++)
	{
		in[i] = true;
		for (uint32_t c = 0; c < n; c++)
		{
			int64_t		value;

			in[i] = in[i] && int_value(aggs[c], &expected[i], &value) &&
				value >= bounds[c][0] && value <= bounds[c][1];
		}
		total += in[i];
	}
	return total;
}

/*
 * Groups that fulfil conditions, all or the first ones by their keys; as many of those that do
 * not are counted as removed.
 */
static void
check_conditions(void)
{
	static const int aggs[] = {A_COUNT, A_MIN, A_SUM_SMALL, A_COUNT_VALUES, A_MAX, A_MIN};

	for (int i = 0; i < 40; i++)
	{
		bool		text_key = i % 5 == 4;
		int64_t		factor = i % 3 == 0 ? 1 : 1000003 * INT64_C(4099);
		Program    *program = make_program(text_key);
		TopHint		hint = {.groups = i % 2 == 0 || text_key ? 0 : 20,.ncolumns = 1,
		.columns = {column_of(-1, false, false)},.nconditions = 1 + i % 3};
		static int64_t counts[NGROUPS];
		static bool in[NGROUPS];
		int64_t		bounds[TOP_CONDITIONS][2];
		EngineStats stats = {0};
		uint32_t	nrows;
		bool		answered;
		int			total;
		int			wrong = 0;
		uint32_t	given = 0;

		seed = (uint64_t) i + 99;
		nrows = make_rows(i % 4 == 3 ? MANY : FEW, factor);
		for (uint32_t c = 0; c < hint.nconditions; c++)
			hint.conditions[c] = random_condition(aggs[i % 4 + c], bounds[c]);
		total = groups_in_ranges(aggs + i % 4, bounds, hint.nconditions, in);
		answered = run(program, &hint, strategies[i % 4], nrows, text_key, factor, counts, &stats);
		for (int g = 0; g < NGROUPS; g++)
		{
			bool		wanted = in[g] && (hint.groups == 0 || given < hint.groups);

			wrong += counts[g] != (wanted ? expected[g].count : 0);
			given += counts[g] != 0;
		}
		ok(answered && wrong == 0 && stats.groups == NGROUPS &&
		   stats.groups_removed == (uint64_t) (NGROUPS - total) &&
		   stats.groups_left_out == (uint64_t) total - given,
		   "%s: %d groups fulfil %u conditions, %u wanted, %u given, %d wrong, ran %s",
		   engine_id_name(engine->traits->id),
		   total, hint.nconditions, hint.groups, given, wrong, stats.strategy);
		free(program);
	}
}

/* If a condition is about what words cannot tell, groups are removed by the others alone. */
static void
check_unknown_condition(void)
{
	static int64_t counts[NGROUPS];
	Program    *program = make_program(false);
	uint32_t	nrows = make_rows(FEW, 1);
	EngineStats stats = {0};
	TopHint		hint = {.groups = 1,.ncolumns = 1,.columns = {column_of(A_COUNT, true, false)},
	.nconditions = 2,.conditions = {{.number = 1000}, {.number = 1 + A_COUNT,.most = UINT64_MAX}}};
	bool		all = run(program, &hint, "auto", nrows, false, 1, counts, &stats) &&
		stats.groups == NGROUPS && stats.groups_left_out == 0 && stats.groups_removed == 0;

	hint.conditions[1].least = top_word_of_int(4);
	ok(all && run(program, &hint, "auto", nrows, false, 1, counts, &stats) &&
	   stats.groups == NGROUPS && stats.groups_left_out == 0 && stats.groups_removed == NGROUPS,
	   "%s: a condition that words cannot tell beside one that they can", engine_id_name(engine->traits->id));
	free(program);
}

static int
columns_told(const Program *program, uint32_t groups, int first, int second)
{
	TopHint		hint = {.groups = groups,.ncolumns = 2};
	TopOrder	orders[TOP_COLUMNS];

	hint.columns[0] = column_of(first, false, false);
	hint.columns[1] = column_of(second, false, false);
	return top_orders_make(program, &hint, orders);
}

/* Orders that are none: of no aggregate, of one that words cannot tell, of NaN's sums. */
static void
check_refused(void)
{
	Program    *program = make_program(false);
	Program    *texts_program = make_program(true);
	Aggregate  *agg = (Aggregate *) &program_aggs(program)[A_SUM];
	bool		good = columns_told(program, 1, A_SUM, A_FLOAT_SUM) == 2 &&
		columns_told(program, 1, -1, A_SUM) == 2;

	/* what follows the beginnings of values, or what is near to them */
	good = good && columns_told(texts_program, 1, -1, A_SUM) == 1 &&
		columns_told(program, 1, A_AVG, A_SUM) == 1;
	program->level = EXACT_MEDIUM;
	good = good && columns_told(program, 1, A_FLOAT_SUM, A_SUM) == 0 &&
		columns_told(program, 1, A_SUM, A_FLOAT_SUM) == 1;
	program->level = EXACT_NARROW;
	good = good && columns_told(program, 1, A_COUNTS, A_SUM) == 0 &&
		columns_told(program, 0, A_SUM, A_SUM) == 0;
	agg->special = 0;
	good = good && columns_told(program, 1, A_SUM, A_COUNT) == 0;
	agg->special = -1;
	agg->high = 0;
	good = good && columns_told(program, 1, A_SUM, A_COUNT) == 0;
	ok(good, "orders that words cannot tell");
	free(program);
	free(texts_program);
}

#define NKEYS 8

static const ValueType key_types[NKEYS] = {
	VT_INT4, VT_FLOAT8, VT_INT2, VT_UUID, VT_BOOL, VT_FLOAT4, VT_WIDE, VT_CHAR
};

/* The keys of a group; the first one tells it. */
typedef struct KeysRow
{
	int32_t		number;
	double		large;
	int16_t		small;
	Uuid		uuid;
	uint8_t		flag;
	float		single;
	Wide		wide;
	int8_t		letter;
	bool		isnull;			/* all but the first and the wide one */
} KeysRow;

static KeysRow
keys_row(int group)
{
	static const double special[] = {NAN, INFINITY, -INFINITY, 0.0, -4e-320, 1e300};
	KeysRow		row = {.number = group * 7 - 9000};

	row.isnull = group % 13 == 0;
	row.large = group % 5 == 0 ? special[group / 5 % 6] : (group * 37 % 501 - 250) / 8.0;
	row.small = (int16_t) (group * 11 % 301 - 150);
	for (int i = 0; i < 16; i++)
		((uint8_t *) &row.uuid)[i] = (uint8_t) (i < 7 ? i * 40 : group * 71 >> (i - 7));
	row.flag = group % 3 == 0;
	row.single = group % 7 == 0 ? (float) special[group / 7 % 4] : (float) (group * 41 % 701 - 350) / 4;
	row.wide.w[0] = (uint64_t) (int64_t) (group * 43 % 907 - 450);
	row.wide.w[1] = group % 600 == 0 ? (uint64_t) (group % 1200 - 8) : (uint64_t) ((int64_t) row.wide.w[0] >> 63);
	row.letter = (int8_t) (group * 3 % 101 - 50);
	return row;
}

/* As engines order them: long ones by their beginnings. */
static int
compare_key(int key, const KeysRow *a, const KeysRow *b)
{
	switch (key_types[key])
	{
		case VT_INT4:
			return (a->number > b->number) - (a->number < b->number);
		case VT_FLOAT8:
			return float_order(a->large, b->large);
		case VT_INT2:
			return a->small - b->small;
		case VT_UUID:
			return memcmp(&a->uuid, &b->uuid, 8);
		case VT_BOOL:
			return a->flag - b->flag;
		case VT_FLOAT4:
			return float_order(a->single, b->single);
		case VT_WIDE:
			return (int) wide_lt(b->wide, a->wide) - (int) wide_lt(a->wide, b->wide);
		default:
			return a->letter - b->letter;
	}
}

static int
compare_rows(const TopHint *hint, const KeysRow *a, const KeysRow *b)
{
	int			order = 0;

	for (uint32_t i = 0; i < hint->ncolumns && order == 0; i++)
	{
		const TopHintColumn *column = &hint->columns[i];
		bool		nullable = column->number != 0 && column->number != 6;

		if (nullable && (a->isnull || b->isnull))
			order = column->nulls_first ? b->isnull - a->isnull : a->isnull - b->isnull;
		else
			order = compare_key(column->number, a, b) * (column->descending ? -1 : 1);
	}
	return order;
}

static int
compare_sorted_rows(const void *a, const void *b)
{
	return compare_rows(sorted_hint, *(const KeysRow *const *) a, *(const KeysRow *const *) b);
}

static const KeysRow *
last_row_wanted(const TopHint *hint, const KeysRow *rows)
{
	static const KeysRow *sorted[NGROUPS];

	for (int i = 0; i < NGROUPS; i++)
		sorted[i] = &rows[i];
	sorted_hint = hint;
	qsort(sorted, NGROUPS, sizeof(sorted[0]), compare_sorted_rows);
	return sorted[hint->groups - 1];
}

/* Only some of the keys: the first one and those with a bit. */
static Program *
make_keys_program(int keys_wanted)
{
	ProgramBuilder *b = malloc(sizeof(*b));
	Program    *program;

	program_begin(b, SOURCE_COLUMNS);
	for (int i = 0; i < NKEYS; i++)
	{
		int			column = program_add_column(b, i + 1, key_types[i], i != 0 && i != 6, -1);

		if (i == 0 || (keys_wanted >> i & 1))
			program_add_key(b, column);
	}
	program_add_agg(b, FINAL_COUNT, program_add_acc(b, ACC_COUNT, -1, -1), 0);
	program = calloc(1, program_size(b));
	program_finish(b, program);
	free(b);
	return program;
}

/* The groups' rows, and the same as columns. */
static KeysRow key_rows[NGROUPS];
static struct
{
	int32_t		number[NGROUPS];
	double		large[NGROUPS];
	int16_t		small[NGROUPS];
	Uuid		uuid[NGROUPS];
	uint8_t		flag[NGROUPS];
	float		single[NGROUPS];
	Wide		wide[NGROUPS];
	int8_t		letter[NGROUPS];
	uint8_t		valid[NGROUPS / 8 + 1];
} key_columns;

static void
make_key_columns(void)
{
	memset(key_columns.valid, 0, sizeof(key_columns.valid));
	for (int i = 0; i < NGROUPS; i++)
	{
		const KeysRow row = keys_row(i);

		key_rows[i] = row;
		key_columns.number[i] = row.number;
		key_columns.large[i] = row.large;
		key_columns.small[i] = row.small;
		key_columns.uuid[i] = row.uuid;
		key_columns.flag[i] = row.flag;
		key_columns.single[i] = row.single;
		key_columns.wide[i] = row.wide;
		key_columns.letter[i] = row.letter;
		if (!row.isnull)
			key_columns.valid[i / 8] |= (uint8_t) (1 << i % 8);
	}
}

/* The groups that an engine gives of these. */
static bool
run_keys(const Program *program, const EngineHints *hints, bool *given, EngineStats *stats)
{
	const uint8_t *valid = key_columns.valid;
	const ColumnVector columns[NKEYS] = {
		{.values = key_columns.number}, {.values = key_columns.large,.validity = valid},
		{.values = key_columns.small,.validity = valid}, {.values = key_columns.uuid,.validity = valid},
		{.values = key_columns.flag,.validity = valid}, {.values = key_columns.single,.validity = valid},
		{.values = key_columns.wide}, {.values = key_columns.letter,.validity = valid}
	};
	ColumnBatch batch = {.nrows = NGROUPS,.columns = columns};
	EngineRun  *ran;
	GroupBatch	groups;
	char		message[256];
	EngineStatus status = engine->open(program, NULL, hints, &ran, message);

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
			given[(((const int32_t *) groups.keys[0].values)[i] + 9000) / 7] = true;
	}
	*stats = ran->stats;
	engine->close(ran);
	return status == ENGINE_OK;
}

/* The groups that leave, by the order of some of all keys; numbers: of the Program's keys. */
static void
check_keys_order(const Program *program, const TopHint *order, const int *numbers,
				 const char *strategy)
{
	EngineHints hints = {.strategy = strategy,.top = *order};
	const KeysRow *last = last_row_wanted(order, key_rows);
	bool		near = key_types[order->columns[0].number] == VT_WIDE;
	bool		given[NGROUPS] = {false};
	EngineStats stats = {0};
	int			wrong = 0;
	int			ngiven = 0;
	bool		answered;

	for (uint32_t i = 0; i < order->ncolumns; i++)
		hints.top.columns[i].number = (uint16_t) numbers[order->columns[i].number];
	answered = run_keys(program, &hints, given, &stats);
	for (int i = 0; i < NGROUPS; i++)
	{
		bool		wanted = compare_rows(order, &key_rows[i], last) <= 0;

		wrong += wanted ? !given[i] : given[i] && !near;
		ngiven += given[i];
	}
	ok(answered && wrong == 0 && stats.groups == NGROUPS &&
	   stats.groups_left_out == (uint64_t) (NGROUPS - ngiven),
	   "%s: by keys %d%s and %u more, %u wanted, %d given, %d wrong, ran %s",
	   engine_id_name(engine->traits->id),
	   order->columns[0].number, order->columns[0].descending ? " desc" : "", order->ncolumns - 1,
	   order->groups, ngiven, wrong, stats.strategy);
}

/* Keys of each type, in one word or in many; behind it another one. */
static void
check_keys(void)
{
	static const int keys_wanted[] = {0x14, 0x20, 0x84, 0x7e, 0xfe};

	for (int i = 0; i < (int) (sizeof(keys_wanted) / sizeof(keys_wanted[0])); i++)
	{
		Program    *program = make_keys_program(keys_wanted[i]);
		int			numbers[NKEYS] = {0};

		for (int key = 1, n = 0; key < NKEYS; key++)
			numbers[key] = keys_wanted[i] >> key & 1 ? ++n : -1;
		for (int key = 0; key < NKEYS * 4; key++)
		{
			TopHint		hint = {.groups = key % 3 == 0 ? 40 : 7,.ncolumns = 1,.ties = 1};

			if (numbers[key / 4] < 0)
				continue;
			hint.columns[0] = (TopHintColumn) {(uint16_t) (key / 4), key % 2, key / 2 % 2};
			check_keys_order(program, &hint, numbers, strategies[(i + key) % 4]);
			/* a uuid's and a wide number's words end the order */
			if (key / 4 == 0 || key / 4 == 3 || key / 4 == 6)
				continue;
			hint.ncolumns = 2;
			hint.columns[1] = (TopHintColumn) {0, key / 2 % 2, 0};
			check_keys_order(program, &hint, numbers, strategies[(i + key) % 4]);
		}
		free(program);
	}
}

int
main(void)
{
	const EngineOps *engines[] = {
		getenv("GPUAGG_TEST_ENGINE") && strcmp(getenv("GPUAGG_TEST_ENGINE"), "cuda") == 0 ?
		&cuda_engine : &simt_engine, &cpu_engine
	};

	check_int_words();
	check_float_words(false);
	check_float_words(true);
	check_sum_words(false);
	check_sum_words(true);
	check_last_words();
	check_refused();
	make_key_columns();
	for (int i = 0; i < 2; i++)
	{
		engine = engines[i];
		check_no_groups();
		check_engine();
		check_near();
		check_columns();
		check_keys();
		check_conditions();
		check_unknown_condition();
	}
	return done_testing();
}
