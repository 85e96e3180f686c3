/*
 * test_spill.c
 *	  The CPU engine with a store: a run that spills, and several runs that hand over
 *	  and merge, give the groups of one run with enough memory.
 */
#include <math.h>

#include "engine_data.h"
#include "memory_store.h"
#include "oracle.h"
#include "query.h"
#include "random.h"
#include "tap.h"

#define NROWS 8000
#define SMALL (UINT64_C(64) << 10)

static ColumnBatch data = {NROWS, data_vectors};

/* The groups of a Program by the stores that are wanted, and by the oracle. */
static void
compare(const int *keys, int nkeys, bool aggregates, uint64_t limit, const char *what)
{
	EngineHints hints = {.memory_limit = limit};
	Program    *program = data_program(keys, nkeys, aggregates, false);
	Groups	   *expected = oracle_groups(program, NULL, &data);
	Groups	   *groups = engine_groups_of_batch(&storing_engine, program, NULL, &hints, &data, 3000);

	ok(groups_same(program, expected, groups) && groups->ngroups == expected->ngroups &&
	   groups->stats.groups == groups->ngroups,
	   "%s, %d runs, %u partitions, %llu kB: %zu groups, %llu pieces, %llu batches: %s", what,
	   stores.runs, stores.partitions, (unsigned long long) limit >> 10, groups->ngroups,
	   (unsigned long long) stores.pieces, (unsigned long long) groups->stats.batches,
	   groups->message);
	ok(nkeys == 0 || stores.pieces > 4, "%s: groups have left the table", what);
	ok(stores.released == (stores.runs == 1 ? 0 : nkeys == 0 ? 1 : stores.partitions),
	   "%s: merged partitions are released", what);
	groups_free(expected);
	groups_free(groups);
	free(program);
}

static void
test_keys(void)
{
	static const int keys[][3] = {
		{C_INT4}, {C_INT4_NULL}, {C_TEXT_NULL}, {C_FLOAT8}, {C_UUID}, {C_INT8_NULL},
		{C_FLOAT4_NULL, C_TEXT_NULL, C_BOOL}, {C_INT2, C_TEXT_NULL, C_FLOAT8}
	};
	static const int nkeys[] = {1, 1, 1, 1, 1, 1, 3, 3};

	for (int i = 0; i < (int) (sizeof(nkeys) / sizeof(nkeys[0])); i++)
	{
		char		what[32];

		sprintf(what, "keys %d", i);
		compare(keys[i], nkeys[i], false, SMALL / 4, what);
		compare(keys[i], nkeys[i], true, 4 * SMALL, what);
	}
}

static void
test_sizes(void)
{
	static const int keys[] = {C_TEXT_NULL, C_INT4};

	for (uint64_t limit = 512; limit <= UINT64_C(1) << 18; limit *= 512)
		for (stores.partitions = 1; stores.partitions <= 1024; stores.partitions *= 32)
			compare(keys, 2, limit > 512, limit, "sizes");
	stores.partitions = 4;
}

static void
test_no_keys(void)
{
	compare(NULL, 0, true, SMALL, "no keys");
	compare(NULL, 0, true, 1, "no keys");
}

/* A query for count and sum of groups, of each of which there are rows all over. */
static Query *
count_and_sum(ValueType key, int nrows, int ngroups)
{
	Query	   *q = query_begin();

	program_add_key(&q->b, query_column(q, key));
	program_add_acc(&q->b, ACC_COUNT, -1, -1);
	program_add_acc(&q->b, ACC_SUM_INT, query_column(q, VT_INT4), -1);
	for (int i = 0; i < nrows; i++)
	{
		if (key == VT_INT4)
			put_int4(q, 0, i % ngroups);
		put_int4(q, 1, i % 5);
	}
	q->hints.memory_limit = SMALL;
	return q;
}

/* Every call of a store fails once. */
static void
test_failures(void)
{
	Query	   *q = count_and_sum(VT_INT4, 20000, 10000);
	long		failed = 0;
	bool		good = true;

	for (stores.fails_at = 1;; stores.fails_at++)
	{
		query_run(q, &storing_engine, 20000, 3000);
		if (q->status == ENGINE_OK)
			break;
		failed++;
		good &= q->status == ENGINE_NO_STORE && q->message[0] != '\0';
	}
	stores.fails_at = 0;
	ok(good && failed > 20 && failed == stores.calls && q->ngroups == 10000,
	   "%d runs: %ld calls of the store, each has failed", stores.runs, failed);
	query_end(q);
}

static void
test_lost_piece(void)
{
	Query	   *q = count_and_sum(VT_INT4, 20000, 10000);

	stores.loses = true;
	query_run(q, &storing_engine, 20000, 3000);
	stores.loses = false;
	ok(q->status == ENGINE_OK && query_word(q, "1", 0) + query_word(q, "17", 0) <= 4,
	   "the store can lose a piece");
	query_end(q);
}

/* A partition of many times the limit is divided, if the store grows. */
static void
test_division(void)
{
	Query	   *q = count_and_sum(VT_INT4, 40000, 30000);

	stores.partitions = 1;
	q->hints.memory_limit = SMALL / 2;
	query_run(q, &storing_engine, 40000, 3000);
	ok(q->status == ENGINE_OK && q->ngroups == 30000 && query_word(q, "9999", 0) == 2 &&
	   query_word(q, "10000", 0) == 1 && (stores.beyond > 100) == (stores.runs == 1),
	   "%d runs: %llu pieces of %llu in other partitions", stores.runs,
	   (unsigned long long) stores.beyond, (unsigned long long) stores.pieces);
	stores.partitions = 4;
	query_end(q);
}

/* Where there is no room for that, it is merged as it is. */
static void
test_full_store(void)
{
	Query	   *q = count_and_sum(VT_INT4, 40000, 30000);

	stores.partitions = 1;
	stores.full = stores.runs == 1;
	q->hints.memory_limit = SMALL / 2;
	query_run(q, &storing_engine, 40000, 3000);
	ok(q->status == ENGINE_OK && q->ngroups == 30000 && query_word(q, "9999", 0) == 2 &&
	   query_word(q, "10000", 0) == 1 && (stores.beyond == 0) == stores.full,
	   "%d runs: no room for other partitions", stores.runs);
	stores.partitions = 4;
	stores.full = false;
	query_end(q);
}

static uint64_t
count_groups(EngineRun *run, uint64_t most)
{
	uint64_t	groups = 0;
	GroupBatch	batch;

	while (groups < most && storing_engine.groups(run, &batch) == ENGINE_OK && batch.ngroups > 0)
		groups += batch.ngroups;
	return groups;
}

static void
test_rewind(void)
{
	Query	   *q = count_and_sum(VT_INT4, 20000, 10000);
	Program    *program = malloc(program_size(&q->b));
	EngineRun  *run;
	uint64_t	part;
	uint64_t	again;

	program_finish(&q->b, program);
	(void) storing_engine.open(program, q->params, &q->hints, &run, q->message);
	(void) query_feed(q, run, 0, 20000);
	part = count_groups(run, 3000);
	storing_engine.rewind(run);
	again = count_groups(run, UINT64_MAX);
	ok(part < 10000 && again == 10000, "%d runs: rewound after %llu groups", stores.runs,
	   (unsigned long long) part);
	ok(count_groups(run, UINT64_MAX) == 0, "no groups follow the last");
	storing_engine.rewind(run);
	ok(count_groups(run, UINT64_MAX) == 10000 && run->stats.groups == 10000,
	   "rewound after all");
	storing_engine.close(run);
	free(program);
	query_end(q);
}

/* Of the keys 0 and -0 a group shows the first, however often its table was spilled. */
static void
test_first_zero(void)
{
	Query	   *q = count_and_sum(VT_FLOAT8, 0, 0);
	const double zeros[2] = {0.0, -0.0};

	for (int first = 0; first < 2; first++)
	{
		query_clear(q);
		for (int i = 0; i < 20000; i++)
		{
			double		key = i % 1000 == 0 ? zeros[(first + (i > 0)) % 2] : i;

			query_put(q, 0, &key, sizeof(key));
			put_int4(q, 1, 1);
		}
		query_run(q, &storing_engine, 20000, 20000);
		ok(q->status == ENGINE_OK && query_word(q, first ? "-0" : "0", 0) == 20,
		   "the first zero is shown: %s", first ? "-0" : "0");
	}
	query_end(q);
}

/* What comes of asking for the first groups of two batches of 10,000 rows. */
static EngineStatus
first_groups(Query *q)
{
	GroupBatch	batch;
	EngineRun  *run;
	Program    *program = malloc(program_size(&q->b));
	EngineStatus status;

	program_finish(&q->b, program);
	(void) storing_engine.open(program, q->params, &q->hints, &run, q->message);
	(void) query_feed(q, run, 0, 10000);
	(void) query_feed(q, run, 10000, 10000);
	status = storing_engine.groups(run, &batch);
	storing_engine.close(run);
	free(program);
	return status;
}

/*
 * An extreme that is -0 is ambiguous in the end or not, and it is known before the first
 * group.  later: the value that follows.
 */
static void
test_ambiguous_float(double later, bool ambiguous)
{
	Query	   *q = query_begin();
	EngineStatus status;

	program_add_key(&q->b, query_column(q, VT_INT4));
	program_add_acc(&q->b, ACC_MIN_FLOAT, query_column(q, VT_FLOAT8), -1);
	q->hints.memory_limit = SMALL;
	for (int i = 0; i < 20000; i++)
	{
		double		value = i == 7 ? -0.0 : i < 10000 ? 1 : later;

		put_int4(q, 0, i % 10000);
		query_put(q, 1, &value, sizeof(value));
	}
	status = first_groups(q);
	ok(status == (ambiguous ? ENGINE_INEXACT : ENGINE_OK) && stores.pieces > 4,
	   "%d runs: a minimum of -0 and %g", stores.runs, later);
	query_end(q);
}

/* Equal intervals that are written differently meet only when groups are merged. */
static void
test_ambiguous_intervals(bool differ)
{
	Query	   *q = query_begin();
	TimeSpan	month = {0, 0, 1};
	TimeSpan	days = {0, 30, 0};

	program_add_key(&q->b, query_column(q, VT_INT4));
	program_add_acc(&q->b, ACC_MAX_INTERVAL, query_column(q, VT_INTERVAL), -1);
	q->hints.memory_limit = SMALL;
	for (int i = 0; i < 20000; i++)
	{
		put_int4(q, 0, i % 10000);
		query_put(q, 1, differ && i == 17778 ? &days : &month, sizeof(month));
	}
	query_run(q, &storing_engine, 20000, 10000);
	ok(q->status == (differ ? ENGINE_INEXACT : ENGINE_OK) && stores.pieces > 4 &&
	   q->ngroups == (differ ? 0 : 10000),
	   "%d runs: intervals that are written %s", stores.runs, differ ? "differently" : "the same");
	query_end(q);
}

/* A group's sizes are more than the limit only once they are merged, and it is known before the first. */
static void
test_size_limit(bool large)
{
	Query	   *q = query_begin();
	EngineStatus status;

	program_add_key(&q->b, query_column(q, VT_INT4));
	program_add_acc(&q->b, ACC_SUM_SIZES, query_column(q, VT_INT8), -1);
	q->hints.memory_limit = SMALL;
	for (int i = 0; i < 20000; i++)
	{
		int64_t		size = SIZE_LIMIT / 2 + (i == 17778 && large ? 2 : 0);

		put_int4(q, 0, i % 10000);
		query_put(q, 1, &size, sizeof(size));
	}
	status = first_groups(q);
	ok(status == (large ? ENGINE_INEXACT : ENGINE_OK) && stores.pieces > 4,
	   "%d runs: sizes that are %s", stores.runs, large ? "too large" : "in range");
	query_end(q);
}

/* Rows that are said to differ are groups each, once, whether there is memory for them or not. */
static void
test_rows_differ(uint64_t limit, bool differ)
{
	Query	   *q = query_begin();
	bool	   *seen = calloc(20000, sizeof(bool));
	uint32_t	once = 0;

	program_add_key(&q->b, query_column(q, VT_INT4));
	program_add_key(&q->b, query_column(q, VT_TEXT));
	q->hints.memory_limit = limit;
	q->hints.rows_differ = true;
	for (int i = 0; i < 20000; i++)
	{
		put_int4(q, 0, differ ? i : i / 2);
		put_text(q, 1, "a text that is too long to be in a record");
	}
	query_run(q, &storing_engine, 20000, 3000);
	for (uint32_t i = 0; i < q->ngroups; i++)
	{
		int			key = atoi(q->names[i]);

		once += !seen[key];
		seen[key] = true;
	}
	ok(q->status == ENGINE_OK && q->ngroups == 20000 && once == (differ ? 20000 : 10000) &&
	   (limit > SMALL || stores.pieces > 4),
	   "%d runs, %llu kB: rows that %s: %s", stores.runs, (unsigned long long) limit >> 10,
	   differ ? "differ" : "are only said to", q->message);
	free(seen);
	query_end(q);
}

/* Sums of 128 bits and of floats of each level, of groups that were spilled often. */
static void
test_sums(double large, const char *what)
{
	Query	   *q = query_begin();
	double		expected[16] = {0};
	int			reg;

	program_add_key(&q->b, query_column(q, VT_INT4));
	reg = query_column(q, VT_FLOAT8);
	program_add_float_acc(&q->b, reg, -1, -1, 1000);
	program_add_acc(&q->b, ACC_SUM_INT128, query_column(q, VT_INT8), -1);
	q->hints.memory_limit = SMALL;
	for (int i = 0; i < 60000; i++)
	{
		int32_t		key = i % 3 == 0 ? i : i % 16;
		double		value = i == 30000 ? large : key == i % 16 && i % 3 != 0 ? 0.5 + i % 7 : 0;

		if (i == 30000)
			key = 3;
		if (key < 16)
			expected[key] += value;
		put_int4(q, 0, key);
		query_put(q, 1, &value, sizeof(value));
		put_int8(q, 2, i % 2 ? INT64_MAX : INT64_MIN);
	}
	query_run(q, &storing_engine, 60000, 2000);
	for (int i = 0; i < 16; i++)
	{
		char		name[16];

		sprintf(name, "%d", i);
		if (query_double(q, name, 0) != expected[i])
			q->status = ENGINE_FAILED;
	}
	ok(q->status == ENGINE_OK && stores.pieces > 4, "%d runs: float sums, %s: %s", stores.runs,
	   what, q->message);
	query_end(q);
}

/* A text, or a state, can be larger than all memory allowed. */
static void
test_large_texts(void)
{
	Query	   *q = query_begin();
	char	   *text = malloc(200001);
	int			reg = query_column(q, VT_TEXT);

	program_add_key(&q->b, reg);
	program_add_acc(&q->b, ACC_MAX_TEXT, reg, -1);
	q->hints.memory_limit = SMALL;
	for (int i = 0; i < 100; i++)
	{
		size_t		len = i % 5 == 0 ? 200000 : (size_t) (i * 31 % 64);

		memset(text, 'a' + i % 20, len);
		text[len] = '\0';
		query_put(q, 0, text, len);
	}
	free(text);
	{
		Program    *program = malloc(program_size(&q->b));
		EngineRun  *run;

		program_finish(&q->b, program);
		(void) storing_engine.open(program, q->params, &q->hints, &run, q->message);
		for (uint32_t i = 0; i < 100; i += 10)
			(void) query_feed(q, run, i, 10);
		/* 4 long texts, and those of other lengths */
		ok(count_groups(run, UINT64_MAX) == 4 + 80, "%d runs: texts beyond the limit", stores.runs);
		storing_engine.close(run);
		free(program);
	}
	query_end(q);
}

/* Groups that fit the limit do not leave the table. */
static void
test_no_spill(void)
{
	Query	   *q = count_and_sum(VT_INT4, 50000, 700);

	query_run(q, &storing_engine, 50000, 50000);
	ok(q->status == ENGINE_OK && q->ngroups == 700 && stores.pieces == 0 && q->stats.batches == 1,
	   "700 groups fit 64 kB");
	query_end(q);
	q = count_and_sum(VT_INT4, 20000, 10000);
	query_run(q, &storing_engine, 20000, 20000);
	ok(stores.bytes < 2 * 20000 * 32, "10000 groups take %llu bytes of the store",
	   (unsigned long long) stores.bytes);
	query_end(q);
}

/* Bytes of groups in any order that runs store which expect so many rows; 0: wrong groups. */
static uint64_t
bytes_stored(int nrows, int ngroups, double expected)
{
	Query	   *q = query_begin();
	uint64_t	counted = 0;
	bool		good;

	program_add_key(&q->b, query_column(q, VT_INT4));
	program_add_acc(&q->b, ACC_COUNT, -1, -1);
	for (int i = 0; i < nrows; i++)
		put_int4(q, 0, (int32_t) ((random_u64() >> 20) % (uint64_t) ngroups));
	q->hints.memory_limit = UINT64_C(1) << 24;
	q->hints.rows = expected;
	query_run(q, &storing_engine, (uint32_t) nrows, 3000);
	for (uint32_t i = 0; i < q->ngroups; i++)
		counted += q->states[(size_t) i * q->nwords];
	good = q->status == ENGINE_OK && counted == (uint64_t) nrows && (int) q->ngroups <= ngroups;
	query_end(q);
	return good ? stores.bytes : 0;
}

/* Groups of few rows leave the table before it is too large for the cache. */
static void
test_bound(void)
{
	uint64_t	few = bytes_stored(300000, 100000, 100000);
	uint64_t	few_stay = bytes_stored(300000, 100000, 1e9);
	uint64_t	many = bytes_stored(600000, 40000, 200000);
	uint64_t	many_stay = bytes_stored(600000, 40000, 1e9);

	ok(few_stay > 0 && few > few_stay * 11 / 10, "groups of few rows leave: %llu bytes, else %llu",
	   (unsigned long long) few, (unsigned long long) few_stay);
	ok(many_stay > 0 && many < many_stay * 101 / 100, "groups of many rows stay: %llu bytes, else %llu",
	   (unsigned long long) many, (unsigned long long) many_stay);
}

int
main(void)
{
	data_make(NROWS, NROWS / 2, false);
	test_lost_piece();
	test_no_spill();
	for (stores.runs = 1; stores.runs <= 3; stores.runs += 2)
	{
		test_keys();
		test_sizes();
		test_no_keys();
		test_failures();
		test_division();
		test_full_store();
		test_rewind();
		stores.partitions = 1;
		test_rewind();
		stores.partitions = 4;
		test_ambiguous_float(1, true);
		test_ambiguous_float(-1, false);
		test_ambiguous_intervals(false);
		test_ambiguous_intervals(true);
		test_rows_differ(SMALL, true);
		test_rows_differ(64 * SMALL, true);
		test_rows_differ(SMALL, false);
		test_size_limit(false);
		test_size_limit(true);
		test_sums(1, "narrow");
		test_sums(1e40, "medium");
		test_sums(1e300, "full");
		test_large_texts();
	}
	stores.runs = 3;
	test_bound();
	stores.runs = 1;
	test_first_zero();
	return done_testing();
}
