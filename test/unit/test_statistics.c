/*
 * test_statistics.c
 *	  Percentiles, modes, counts and sums of distinct values: of the CPU engine, in memory and with a store, by one run and by
 *	  several; of the simulated device, with tables that grow.
 */
#include <math.h>

#include "engine/cuda/cuda_engine.h"
#include "memory_store.h"
#include "program/check.h"
#include "program/order_statistic.h"
#include "query.h"
#include "random.h"
#include "tap.h"

#define MOST_ROWS 60000

/* What the values of a group's rows are. */
typedef enum Values
{
	FEW,						/* different ones */
	MANY,
	FAR,						/* of the whole range */
	SAME,
	SPECIAL						/* NaN and infinities among floats */
} Values;

static const char *const value_names[] = {"few", "many", "far", "the same", "special"};

static const EngineOps *engine;
static int32_t keys[MOST_ROWS];
static int64_t ints[MOST_ROWS];
static double floats[MOST_ROWS];
static bool nulls[MOST_ROWS];
static bool filter[MOST_ROWS];
static int32_t factor = 7;		/* between keys */
static uint32_t alike;			/* the first rows, which have one key */
static double expected_rows;	/* EngineHints.rows: few, and a batch has few */
static bool only_distinct;		/* the Program reads counts and sums of distinct values only */

/* Columns. */
enum
{
	C_KEY, C_INT, C_FLOAT, C_FILTER, C_FRACTION
};

static const double fractions[] = {0, 0.3, 0.5, 0.97, 1};

#define NFRACTIONS 5

/* The words of what is read, by fraction. */
static struct
{
	int			count;
	int			disc[NFRACTIONS];	/* of integers */
	int			descending[NFRACTIONS];
	int			filtered[NFRACTIONS];
	int			cont[NFRACTIONS];	/* of floats */
	int			cont_descending[NFRACTIONS];
	int			of_group;		/* percentiles whose fraction is the group's: of integers, */
	int			between_of_group;	/* and of floats, from the greatest on */
	int			mode;			/* of integers */
	int			last_mode;
	int			float_mode;
	int			ndistinct;		/* of integers */
	int			nfiltered;
	int			nfloats;
	int			sum_distinct;	/* of integers */
	int			sum_filtered;
	int			sum128_distinct;
	int			given;			/* lists of the CPU engine's: of integers */
	int			given_filtered;
} word;

static int64_t
bits_of(double value)
{
	int64_t		bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

static int
word_of(const Query *q, int acc)
{
	return q->b.accs[acc].word;
}

/* What is read of distinct values from the lists of integers, of floats and of chosen integers. */
static void
add_distinct(Query *q, const int lists[3])
{
	word.ndistinct = word_of(q, program_add_read_acc(&q->b, ACC_COUNT_DISTINCT, lists[0], 0, false));
	word.nfloats = word_of(q, program_add_read_acc(&q->b, ACC_COUNT_DISTINCT, lists[1], 0, false));
	word.nfiltered = word_of(q, program_add_read_acc(&q->b, ACC_COUNT_DISTINCT, lists[2], 0, false));
	word.sum_distinct = word_of(q, program_add_read_acc(&q->b, ACC_SUM_DISTINCT, lists[0], 0, false));
	word.sum_filtered = word_of(q, program_add_read_acc(&q->b, ACC_SUM_DISTINCT128, lists[2], 0, false));
	word.sum128_distinct = word_of(q, program_add_read_acc(&q->b, ACC_SUM_DISTINCT128, lists[0], 0, false));
}

/* Percentiles whose fraction is the group's. */
static void
add_group_fractions(Query *q, const int lists[3])
{
	int			fraction = FRACTION_OF_GROUP(program_add_acc(&q->b, ACC_MAX_FLOAT, C_FRACTION, -1));

	word.of_group = word_of(q, program_add_read_acc(&q->b, ACC_PERCENTILE_DISC, lists[0], fraction,
													false));
	word.between_of_group = word_of(q, program_add_read_acc(&q->b, ACC_PERCENTILE_CONT, lists[1],
															fraction, true));
}

/* The columns, a key or none, and the three lists. */
static Query *
begin_query(bool keyed, int lists[3])
{
	Query	   *q = query_begin();
	int			key = query_column(q, VT_INT4);
	int			value = query_column(q, VT_INT8);
	int			real = query_column(q, VT_FLOAT8);
	int			wanted = query_column(q, VT_BOOL);

	query_column(q, VT_FLOAT8);
	if (keyed)
		program_add_key(&q->b, key);
	lists[0] = program_add_acc(&q->b, ACC_VALUES, value, -1);
	lists[1] = program_add_acc(&q->b, ACC_VALUES, real, -1);
	lists[2] = program_add_acc(&q->b, ACC_VALUES, value, wanted);
	return q;
}

/* The Program; a group is its key's, or, without, all rows are one. */
static Query *
make_query(bool keyed)
{
	int			lists[3];
	Query	   *q = begin_query(keyed, lists);

	if (only_distinct)
	{
		add_distinct(q, lists);
		return q;
	}
	word.count = word_of(q, program_add_acc(&q->b, ACC_COUNT, q->b.accs[lists[0]].arg, -1));
	for (int i = 0; i < NFRACTIONS; i++)
	{
		int			param = program_add_param(&q->b, VT_FLOAT8);

		q->params[param].type = VT_FLOAT8;
		q->params[param].word = bits_of(fractions[i]);
		word.disc[i] = word_of(q, program_add_read_acc(&q->b, ACC_PERCENTILE_DISC, lists[0], param, false));
		word.descending[i] = word_of(q, program_add_read_acc(&q->b, ACC_PERCENTILE_DISC, lists[0], param, true));
		word.filtered[i] = word_of(q, program_add_read_acc(&q->b, ACC_PERCENTILE_DISC, lists[2], param, false));
		word.cont[i] = word_of(q, program_add_read_acc(&q->b, ACC_PERCENTILE_CONT, lists[1], param, false));
		word.cont_descending[i] = word_of(q, program_add_read_acc(&q->b, ACC_PERCENTILE_CONT, lists[1], param, true));
	}
	word.mode = word_of(q, program_add_read_acc(&q->b, ACC_MODE, lists[0], 0, false));
	word.last_mode = word_of(q, program_add_read_acc(&q->b, ACC_MODE, lists[0], 0, true));
	word.float_mode = word_of(q, program_add_read_acc(&q->b, ACC_MODE, lists[1], 0, false));
	add_group_fractions(q, lists);
	add_distinct(q, lists);
	if (engine->traits->id == ENGINE_ID_CPU)
	{
		int			value = q->b.accs[lists[0]].arg;

		word.given = word_of(q, program_add_acc(&q->b, ACC_GIVEN_VALUES, value, -1));
		word.given_filtered = word_of(q, program_add_acc(&q->b, ACC_GIVEN_VALUES, value,
														 q->b.accs[lists[2]].filter));
	}
	return q;
}

/* Of a row with the key. */
static double
fraction_of_key(int32_t key)
{
	return (key & 7) / 7.0;
}

static int64_t
make_value(Values kind, uint32_t row)
{
	switch (kind)
	{
		case FEW:
			return (int64_t) (random_u64() % 9) - 4;
		case FAR:
			return (int64_t) random_u64();
		case SAME:
			return 7;
		default:
			return (int64_t) (random_u64() % 2000001) - 1000000 + row % 3;
	}
}

static void
make_rows(Query *q, Values kind, uint32_t nrows, uint32_t ngroups)
{
	static const double special[] = {NAN, INFINITY, -INFINITY};

	query_clear(q);
	for (uint32_t i = 0; i < nrows; i++)
	{
		keys[i] = i < alike ? 0 : (int32_t) (random_u64() % ngroups) * factor;
		ints[i] = make_value(kind, i);
		floats[i] = kind == SPECIAL && random_u64() % 3 == 0 ? special[random_u64() % 3] :
			(double) make_value(kind, i) / 7 + 0.0;
		nulls[i] = keys[i] % 5 == 3 ? random_u64() % 9 > 0 : random_u64() % 9 == 0;
		filter[i] = random_u64() % 2;
		put_int4(q, C_KEY, keys[i]);
		if (nulls[i])
		{
			put_null(q, C_INT);
			put_null(q, C_FLOAT);
		}
		else
		{
			put_int8(q, C_INT, ints[i]);
			put_float8(q, C_FLOAT, floats[i]);
		}
		put_bool(q, C_FILTER, filter[i]);
		put_float8(q, C_FRACTION, fraction_of_key(keys[i]));
	}
}

static int
compare_ints(const void *a, const void *b)
{
	int64_t		x = *(const int64_t *) a;
	int64_t		y = *(const int64_t *) b;

	return (x > y) - (x < y);
}

/* PostgreSQL's order. */
static int
compare_floats(const void *a, const void *b)
{
	double		x = *(const double *) a;
	double		y = *(const double *) b;

	if (isnan(x) || isnan(y))
		return isnan(x) - isnan(y);
	return (x > y) - (x < y);
}

static bool
is_same(double a, double b)
{
	return a == b || (isnan(a) && isnan(b));
}

/* The value that comes most often in sorted ones; of several, the first, or the last. */
static int64_t
mode_of(const int64_t *values, uint32_t n, bool last)
{
	uint32_t	most = 0;
	int64_t		mode = 0;

	for (uint32_t i = 0, run; i < n; i += run)
	{
		for (run = 1; i + run < n && values[i + run] == values[i]; run++)
			;
		if (run > most || (last && run == most))
		{
			most = run;
			mode = values[i];
		}
	}
	return mode;
}

/* percentile_cont as PostgreSQL computes it, of the words that an engine gives. */
static double
between(const uint64_t *words)
{
	double		numbers[3];

	memcpy(numbers, words, sizeof(numbers));
	return numbers[2] == 0 ? numbers[0] : numbers[0] + (numbers[2] * (numbers[1] - numbers[0]));
}

static double
expected_cont(const double *values, uint32_t n, double fraction, bool descending)
{
	double		place = fraction * (n - 1);
	uint32_t	low = (uint32_t) floor(place);
	uint32_t	high = (uint32_t) ceil(place);
	double		a = values[descending ? n - 1 - low : low];
	double		b = values[descending ? n - 1 - high : high];

	return low == high ? a : a + ((place - low) * (b - a));
}

static uint32_t
disc_place(uint32_t n, double fraction)
{
	double		place = ceil(fraction * n);

	return place < 1 ? 0 : (uint32_t) place - 1;
}

/* The different values among sorted ones. */
static uint32_t
count_distinct(const int64_t *values, uint32_t n)
{
	uint32_t	count = 0;

	for (uint32_t i = 0; i < n; i++)
		count += i == 0 || values[i] != values[i - 1];
	return count;
}

static uint32_t
count_distinct_floats(const double *values, uint32_t n)
{
	uint32_t	count = 0;

	for (uint32_t i = 0; i < n; i++)
		count += i == 0 || !is_same(values[i], values[i - 1]);
	return count;
}

static __int128
sum_distinct(const int64_t *values, uint32_t n)
{
	__int128	sum = 0;

	for (uint32_t i = 0; i < n; i++)
		if (i == 0 || values[i] != values[i - 1])
			sum += values[i];
	return sum;
}

/* The sum of which the words are halves, where the low one may hold more than 32 bits. */
static __int128
sum_of_words(const uint64_t *words)
{
	return (__int128) (int64_t) words[1] * (INT64_C(1) << 32) + words[0];
}

/* What is read of a group's distinct values: how many numbers are wrong. */
static int
wrong_distinct(const uint64_t *state, const int64_t *values, uint32_t n, const int64_t *wanted,
			   uint32_t nwanted, const double *reals)
{
	return (state[word.ndistinct] != count_distinct(values, n)) +
		(state[word.nfiltered] != count_distinct(wanted, nwanted)) +
		(state[word.nfloats] != count_distinct_floats(reals, n)) +
		(state[word.sum_distinct] != (uint64_t) sum_distinct(values, n)) +
		(sum_of_words(&state[word.sum128_distinct]) != sum_distinct(values, n)) +
		(sum_of_words(&state[word.sum_filtered]) != sum_distinct(wanted, nwanted));
}

/* Has a list that is given not these values, in their order? */
static int
wrong_list(const uint64_t *words, const int64_t *values, uint32_t n)
{
	const uint64_t *given = (const uint64_t *) (uintptr_t) words[0];
	int			wrong = words[1] != n;

	for (uint32_t i = 0; i < n && wrong == 0; i++)
		wrong += given[i] != order_of_integer(values[i]);
	return wrong;
}

/* A group's statistics: how many are wrong. */
static int
wrong_in_group(const uint64_t *state, const int64_t *values, uint32_t n, const int64_t *wanted,
			   uint32_t nwanted, const double *reals, double fraction)
{
	int			wrong = wrong_distinct(state, values, n, wanted, nwanted, reals);

	if (only_distinct)
		return wrong;
	wrong += state[word.count] != n;
	if (engine->traits->id == ENGINE_ID_CPU)
		wrong += wrong_list(&state[word.given], values, n) +
			wrong_list(&state[word.given_filtered], wanted, nwanted);
	for (int i = 0; i < NFRACTIONS && n > 0; i++)
	{
		uint32_t	place = disc_place(n, fractions[i]);

		wrong += (int64_t) state[word.disc[i]] != values[place];
		wrong += (int64_t) state[word.descending[i]] != values[n - 1 - place];
		wrong += nwanted > 0 &&
			(int64_t) state[word.filtered[i]] != wanted[disc_place(nwanted, fractions[i])];
		wrong += !is_same(between(&state[word.cont[i]]), expected_cont(reals, n, fractions[i], false));
		wrong += !is_same(between(&state[word.cont_descending[i]]),
						  expected_cont(reals, n, fractions[i], true));
	}
	if (n > 0)
	{
		wrong += (int64_t) state[word.of_group] != values[disc_place(n, fraction)];
		wrong += !is_same(between(&state[word.between_of_group]),
						  expected_cont(reals, n, fraction, true));
	}
	return wrong + (n > 0 && (int64_t) state[word.mode] != mode_of(values, n, false)) +
		(n > 0 && (int64_t) state[word.last_mode] != mode_of(values, n, true));
}

/* All groups: how many numbers are wrong, and how many groups there are. */
static int
count_wrong(const Query *q, uint32_t nrows, uint32_t ngroups, bool keyed, uint32_t *groups)
{
	static int64_t values[MOST_ROWS];
	static int64_t wanted[MOST_ROWS];
	static double reals[MOST_ROWS];
	int			wrong = 0;

	*groups = 0;
	for (uint32_t g = 0; g < (keyed ? ngroups : 1); g++)
	{
		uint32_t	n = 0;
		uint32_t	nwanted = 0;
		uint32_t	rows = 0;
		double		fraction = 0;
		char		name[32] = "";
		const uint64_t *state;

		for (uint32_t i = 0; i < nrows; i++)
		{
			if (keyed && keys[i] != (int32_t) g * factor)
				continue;
			rows++;
			fraction = fmax(fraction, fraction_of_key(keys[i]));
			if (nulls[i])
				continue;
			values[n] = ints[i];
			reals[n++] = floats[i];
			if (filter[i])
				wanted[nwanted++] = ints[i];
		}
		if (keyed && rows == 0)
			continue;
		++*groups;
		qsort(values, n, sizeof(values[0]), compare_ints);
		qsort(wanted, nwanted, sizeof(wanted[0]), compare_ints);
		qsort(reals, n, sizeof(reals[0]), compare_floats);
		if (keyed)
			sprintf(name, "%d", (int) g * factor);
		state = query_state(q, name);
		wrong += state == NULL ? 1 : wrong_in_group(state, values, n, wanted, nwanted, reals,
													  fraction);
	}
	return wrong;
}

static void
check(Values kind, uint32_t nrows, uint32_t ngroups, bool keyed, uint64_t limit,
	  const char *strategy, double expected_groups)
{
	Query	   *q = make_query(keyed);
	uint32_t	groups;
	int			wrong;

	make_rows(q, kind, nrows, ngroups);
	q->hints.memory_limit = limit;
	q->hints.strategy = strategy;
	q->hints.groups = expected_groups;
	q->hints.rows = expected_rows;
	stores.pieces = 0;
	query_run(q, engine, nrows, 7000);
	wrong = count_wrong(q, nrows, ngroups, keyed, &groups);
	ok(q->status == ENGINE_OK && wrong == 0 && q->ngroups == groups &&
	   (q->stats.values_ordered > 0 || nrows == 1 || (engine == &storing_engine && stores.runs > 1)),
	   "%s: %s values, %u rows, %u groups, %llu kB, %u runs, %llu pieces: %d wrong, strategy %s %s",
	   engine_id_name(engine->traits->id), value_names[kind], nrows, q->ngroups,
	   (unsigned long long) limit >> 10, engine == &storing_engine ? stores.runs : 1,
	   (unsigned long long) stores.pieces, wrong, q->stats.strategy, q->message);
	query_end(q);
}

/* Groups of all sizes. */
static void
check_sizes(uint64_t limit, const char *strategy, double expected_groups)
{
	for (int kind = FEW; kind <= SPECIAL; kind++)
	{
		check((Values) kind, 8000, 700, true, limit, strategy, expected_groups);
		check((Values) kind, 20000, 3, true, limit, strategy, expected_groups);
		check((Values) kind, 9000, 1, false, limit, strategy, expected_groups);
	}
	check(MANY, 4000, 1500, true, limit, strategy, expected_groups);
	check(MANY, 1, 1, true, limit, strategy, expected_groups);
}

/*
 * Keys that are far apart; and a table that grows, since the first batch had few of the groups,
 * while lists have pairs with its slots.
 */
static void
check_growth(void)
{
	factor = 1001;
	check(MANY, 8000, 700, true, 0, "auto", 0);
	expected_rows = 1;
	for (alike = 20000; alike <= 40000; alike += 20000)
		check(MANY, MOST_ROWS, 30000, true, UINT64_C(160) << 20, "atomic", 1);
	alike = 0;
	expected_rows = 0;
}

/* Counts and sums of distinct values, with nothing else that is read from their lists. */
static void
check_distinct(uint64_t limit)
{
	only_distinct = true;
	for (int kind = FEW; kind <= SPECIAL; kind++)
	{
		check((Values) kind, 20000, 3, true, limit, "auto", 0);
		check((Values) kind, 9000, 1, false, limit, "auto", 0);
		check((Values) kind, 5000, 700, true, limit, "auto", 0);
	}
	/* groups of one row, of one and all rows, of 33 rows, which a warp has of two groups */
	check(MANY, 3000, 20000, true, limit, "auto", 0);
	check(FEW, 33, 1, true, limit, "auto", 0);
	check(MANY, 65, 2, true, limit, "auto", 0);
	only_distinct = false;
}

/* 0 and -0 are one value, and so are all NaNs. */
static void
check_distinct_floats(void)
{
	const double values[] = {-0.0, 0.0, -NAN, NAN, 1, -0.0, INFINITY};
	int			lists[3];
	Query	   *q = begin_query(true, lists);
	const uint64_t *state;

	add_distinct(q, lists);
	query_clear(q);
	for (int i = 0; i < 7; i++)
	{
		put_int4(q, C_KEY, 1);
		put_null(q, C_INT);
		put_float8(q, C_FLOAT, values[i]);
		put_bool(q, C_FILTER, true);
		put_float8(q, C_FRACTION, 0);
	}
	query_run(q, engine, 7, 7);
	state = q->status == ENGINE_OK ? query_state(q, "1") : NULL;
	ok(state != NULL && state[word.nfloats] == 4 && state[word.ndistinct] == 0 &&
	   state[word.sum_distinct] == 0, "%s: distinct floats, and no integers: %s",
	   engine_id_name(engine->traits->id), q->message);
	query_end(q);
}

/* Of a group with both 0 and -0 the result is not known where it is one of them. */
static void
check_zeros(double middle, EngineStatus expected, const char *what)
{
	const double values[] = {-1, -0.0, middle, 0.0, 1};
	Query	   *q = make_query(true);

	query_clear(q);
	for (int i = 0; i < 5; i++)
	{
		put_int4(q, C_KEY, 1);
		put_int8(q, C_INT, i);
		put_float8(q, C_FLOAT, values[i]);
		put_bool(q, C_FILTER, true);
		put_float8(q, C_FRACTION, 0);
	}
	query_run(q, engine, 5, 5);
	ok(q->status == expected, "%s: %s: status %d, %s", engine_id_name(engine->traits->id), what,
	   q->status, q->message);
	query_end(q);
}

static void
check_fraction(double fraction, bool isnull)
{
	Query	   *q = make_query(true);

	make_rows(q, FEW, 100, 3);
	q->params[1].word = bits_of(fraction);
	q->params[1].isnull = isnull;
	query_run(q, engine, 100, 100);
	ok(q->status == ENGINE_INEXACT, "%s: %s %g is no fraction: %s",
	   engine_id_name(engine->traits->id), isnull ? "NULL" : "the number", fraction, q->message);
	query_end(q);
}

/* All that does not depend on memory. */
static void
check_engine(void)
{
	check_zeros(0.5, ENGINE_INEXACT, "0 and -0, and one of them the median");
	check_distinct_floats();
	check_fraction(1.001, false);
	check_fraction(-0.5, false);
	check_fraction(NAN, false);
	check_fraction(0.5, true);
}

/* No device gives lists, and nothing is read from those that are given. */
static void
check_given(void)
{
	Query	   *q = query_begin();
	int			list = program_add_acc(&q->b, ACC_GIVEN_VALUES, query_column(q, VT_INT8), -1);
	Program    *program = malloc(program_size(&q->b));
	char		why[256] = "";

	program_finish(&q->b, program);
	ok(cpu_engine.supports(program, why, sizeof(why)) &&
	   program_check(program, program->size, q->params, 0, why, sizeof(why)) &&
	   !simt_engine.supports(program, why, sizeof(why)), "lists are given by the CPU engine: %s", why);
	free(program);
	(void) program_add_read_acc(&q->b, ACC_MODE, list, 0, false);
	program = malloc(program_size(&q->b));
	program_finish(&q->b, program);
	ok(!program_check(program, program->size, q->params, 0, why, sizeof(why)),
	   "nothing is read from a list that is given: %s", why);
	free(program);
	query_end(q);
}

/* A group's fraction is a maximum of floats, which is there before it is read. */
static void
check_group_fraction(AccKind kind, int behind)
{
	Query	   *q = query_begin();
	int			real = query_column(q, VT_FLOAT8);
	int			values = program_add_acc(&q->b, ACC_VALUES, real, -1);
	int			fraction = program_add_acc(&q->b, kind, real, -1);
	Program    *program;
	bool		good;
	char		why[256] = "";

	(void) program_add_read_acc(&q->b, ACC_PERCENTILE_CONT, values,
								FRACTION_OF_GROUP(fraction + behind), false);
	program = malloc(program_size(&q->b));
	program_finish(&q->b, program);
	good = program_check(program, program->size, q->params, 0, why, sizeof(why));
	ok(good == (kind == ACC_MAX_FLOAT && behind == 0), "%s, %d behind, as a fraction: %s",
	   acc_name(kind), behind, why);
	free(program);
	query_end(q);
}

int
main(void)
{
	static const char *const strategies[] = {"auto", "atomic", "scatter", "block"};

	check_given();
	check_group_fraction(ACC_MAX_FLOAT, 0);
	check_group_fraction(ACC_MAX_FLOAT, 1);
	check_group_fraction(ACC_MAX_FLOAT, 2);
	check_group_fraction(ACC_MIN_FLOAT, 0);
	engine = &cpu_engine;
	check_sizes(UINT64_C(1) << 30, "auto", 0);
	check_sizes(UINT64_C(8) << 20, "auto", 1e9);
	check(MANY, MOST_ROWS, 2, true, UINT64_C(1) << 30, "auto", 2);
	check_distinct(UINT64_C(1) << 30);
	check_engine();
	engine = &storing_engine;
	for (stores.runs = 1; stores.runs <= 3; stores.runs += 2)
	{
		check_sizes(UINT64_C(64) << 10, "auto", 0);
		check_sizes(UINT64_C(1) << 20, "auto", 0);
		check(FAR, MOST_ROWS, 2, true, UINT64_C(64) << 10, "auto", 2);
		check_distinct(UINT64_C(64) << 10);
	}
	engine = &simt_engine;
	for (int i = 0; i < 4; i++)
		check_sizes(0, strategies[i], i % 2 ? 1 : 0);
	check_growth();
	check_distinct(0);
	check_engine();
	return done_testing();
}
