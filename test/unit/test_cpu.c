/*
 * test_cpu.c
 *	  The CPU engine through its EngineOps: grouping, filters, errors, sums.
 */
#include "program/heap_page.h"
#include "query.h"
#include "tap.h"

#define BATCH 5000				/* rows; more than the engine takes at once */

static uint64_t random_state = 88172645463325252u;

static uint64_t
random64(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

static void
run(Query *q)
{
	query_run(q, &cpu_engine, q->ncolumns > 0 ? q->columns[0].nrows : 0, BATCH);
}

/* One key column and count(*), sum of an int4 column. */
static Query *
count_and_sum(ValueType key)
{
	Query	   *q = query_begin();

	program_add_key(&q->b, query_column(q, key));
	program_add_acc(&q->b, ACC_COUNT, -1, -1);
	program_add_acc(&q->b, ACC_SUM_INT, query_column(q, VT_INT4), -1);
	return q;
}

static void
test_null_keys(void)
{
	Query	   *q = count_and_sum(VT_INT4);

	for (int i = 0; i < 300; i++)
	{
		if (i % 3 == 0)
			put_null(q, 0);
		else
			put_int4(q, 0, i % 3 == 1 ? 0 : -7);
		put_int4(q, 1, i);
	}
	run(q);
	ok(q->status == ENGINE_OK && q->ngroups == 3, "NULL is one key beside 0 and -7");
	ok(query_word(q, "null", 0) == 100 && query_word(q, "null", 1) == 14850, "rows under NULL");
	ok(query_word(q, "0", 0) == 100 && query_word(q, "0", 1) == 14950, "rows under 0");
	ok(query_word(q, "-7", 0) == 100 && query_word(q, "-7", 1) == 15050, "rows under -7");
	ok(q->stats.rows == 300 && q->stats.rows_passed == 300 && q->stats.groups == 3,
	   "rows and groups are counted");
	query_end(q);

	q = count_and_sum(VT_INT8);
	for (int i = 0; i < 2000; i++)
	{
		put_null(q, 0);
		put_int4(q, 1, 1);
	}
	run(q);
	ok(q->ngroups == 1 && query_word(q, "null", 1) == 2000, "only NULL keys");
	query_end(q);
}

static void
test_float_keys(void)
{
	static const double values[] = {0.0, -0.0, NAN, -NAN, 1.5, INFINITY};
	Query	   *q = count_and_sum(VT_FLOAT8);

	for (int i = 0; i < 60; i++)
	{
		put_float8(q, 0, values[i % 6]);
		put_int4(q, 1, 1);
	}
	run(q);
	ok(q->ngroups == 4, "float8: -0 is 0, NaNs are one");
	ok(query_word(q, "0", 0) == 20 && query_word(q, "nan", 0) == 20 &&
	   query_word(q, "1.5", 0) == 10 && query_word(q, "inf", 0) == 10, "float8: their rows");
	query_end(q);

	q = count_and_sum(VT_FLOAT4);
	for (int i = 1; i < 61; i++)
	{
		if (i % 7 == 0)
			put_null(q, 0);
		else
			put_float4(q, 0, values[i % 6]);
		put_int4(q, 1, 1);
	}
	run(q);
	ok(q->ngroups == 5 && query_word(q, "null", 0) == 8, "float4: the same, and NULL");
	ok(query_state(q, "-0") != NULL, "the value that came first is given back");
	query_end(q);
}

static void
test_text_keys(void)
{
	static const int lens[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 11, 12, 13, 14, 15, 16, 17, 24, 100, 1000};
	enum
	{
		NLENS = sizeof(lens) / sizeof(lens[0])
	};
	Query	   *q = count_and_sum(VT_TEXT);
	bool		good = true;
	char		text[1001];

	/* of each length, two that differ in their last byte only */
	for (int i = 0; i < NLENS * 2 * 50; i++)
	{
		int			len = lens[i % NLENS];

		memset(text, 'x', len);
		text[len] = '\0';
		if (len > 0 && i / NLENS % 2 == 1)
			text[len - 1] = 'y';
		put_text(q, 0, text);
		put_int4(q, 1, 1);
	}
	put_null(q, 0);
	put_int4(q, 1, 1);
	run(q);
	ok(q->status == ENGINE_OK && q->ngroups == NLENS * 2, "texts of all lengths, and NULL");
	ok(query_word(q, "", 0) == 100 && query_word(q, "null", 0) == 1,
	   "the empty text and NULL are two");
	for (int i = 1; i < NLENS; i++)
	{
		memset(text, 'x', lens[i]);
		text[lens[i]] = '\0';
		good &= query_word(q, text, 0) == 50;
		text[lens[i] - 1] = 'y';
		good &= query_word(q, text, 0) == 50;
	}
	ok(good, "each text has its rows");
	query_end(q);

	/* a text's zeros are not the padding behind a shorter one */
	q = count_and_sum(VT_TEXT);
	for (int i = 0; i < 16; i++)
	{
		memset(text, 0, sizeof(text));
		query_put(q, 0, text, i);
		put_int4(q, 1, i);
	}
	run(q);
	ok(q->ngroups == 16, "zero bytes count");
	query_end(q);
}

/* Many kinds of keys at once; what a row's keys are is written to name. */
static void
put_mixed_row(Query *q, uint64_t seed, char *name)
{
	static const char *const texts[] = {"a", "ab", "a text of more than sixteen bytes", ""};
	uint64_t	uuid[2] = {seed / 3 % 2, 0x0102030405060708};
	char		part[64];

	name[0] = '\0';
	put_text(q, 0, texts[seed % 4]);
	put_int2(q, 1, -(int) (seed / 7 % 3));
	put_bool(q, 2, seed / 11 % 2);
	sprintf(name, "%s|%d|%d|", texts[seed % 4], -(int) (seed / 7 % 3), (int) (seed / 11 % 2));
	if (seed / 13 % 3 == 0)
	{
		put_null(q, 3);
		strcat(name, "null|");
	}
	else
	{
		put_float8(q, 3, seed / 13 % 3);
		sprintf(part, "%d|", (int) (seed / 13 % 3));
		strcat(name, part);
	}
	query_put(q, 4, uuid, 16);
	sprintf(part, "%02x000000000000000807060504030201", (int) (seed / 3 % 2));
	strcat(name, part);
	put_int4(q, 5, 1);
}

static void
test_mixed_keys(void)
{
	enum
	{
		NROWS = 20000
	};
	Query	   *q = query_begin();
	char	  (*names)[128] = malloc(NROWS * sizeof(*names));
	int			counted = 0;
	bool		good = true;

	program_add_key(&q->b, query_column(q, VT_TEXT));
	program_add_key(&q->b, query_column(q, VT_INT2));
	program_add_key(&q->b, query_column(q, VT_BOOL));
	program_add_key(&q->b, query_column(q, VT_FLOAT8));
	program_add_key(&q->b, query_column(q, VT_UUID));
	program_add_acc(&q->b, ACC_SUM_INT, query_column(q, VT_INT4), -1);
	for (int i = 0; i < NROWS; i++)
		put_mixed_row(q, random64() >> 8, names[i]);
	run(q);
	for (uint32_t g = 0; g < q->ngroups; g++)
	{
		int			rows = 0;

		for (int i = 0; i < NROWS; i++)
			rows += strcmp(names[i], q->names[g]) == 0;
		good &= rows > 0 && q->states[g] == (uint64_t) rows;
		counted += rows;
	}
	ok(q->ngroups == 4 * 3 * 2 * 3 * 2, "five keys of different types: %u groups", q->ngroups);
	ok(good && counted == NROWS, "each group has its rows");
	free(names);
	query_end(q);
}

/* The key of a number: close to it, or anywhere. */
static int64_t
growth_key(int64_t number, bool scattered)
{
	return scattered ? (int64_t) ((uint64_t) number * UINT64_C(0x9e3779b97f4a7c15)) :
		number - 1000;
}

/* A million groups of two rows. */
static void
test_growth(void)
{
	enum
	{
		NGROUPS = 1000000
	};
	static const char *const spread[] = {"dense", "scattered"};

	for (int scattered = 0; scattered < 2; scattered++)
	{
		Query	   *q = count_and_sum(VT_INT8);
		bool		good = true;

		for (int i = 0; i < 2 * NGROUPS; i++)
		{
			put_int8(q, 0, growth_key(i % NGROUPS, scattered));
			put_int4(q, 1, i % NGROUPS);
		}
		run(q);
		for (uint32_t g = 0; g < q->ngroups; g++)
		{
			int64_t		number = (int64_t) q->states[2 * g + 1] / 2;

			good &= growth_key(number, scattered) == strtoll(q->names[g], NULL, 10) &&
				q->states[2 * g] == 2;
		}
		ok(q->status == ENGINE_OK && q->ngroups == NGROUPS && good,
		   "a million %s keys, by %s", spread[scattered], q->stats.strategy);
		query_end(q);
	}
}

static void
test_text_growth(void)
{
	Query	   *q = count_and_sum(VT_TEXT);
	bool		good = true;
	char		text[64];

	for (int i = 0; i < 200000; i++)
	{
		sprintf(text, i % 2 ? "%d" : "a key too long to stand in place %d", i % 100000);
		put_text(q, 0, text);
		put_int4(q, 1, i % 100000);
	}
	run(q);
	for (uint32_t g = 0; g < q->ngroups; g++)
	{
		int			number = atoi(strrchr(q->names[g], ' ') ? strrchr(q->names[g], ' ') : q->names[g]);

		good &= q->states[2 * g] == 2 && q->states[2 * g + 1] == (uint64_t) number * 2;
	}
	ok(q->ngroups == 100000 && good, "a hundred thousand texts");
	query_end(q);
}

/* Keys that come in order widen a range, and then leave it. */
static void
test_ranges(void)
{
	Query	   *q = count_and_sum(VT_INT4);
	uint64_t	rows = 0;

	for (int i = 0; i < 10000; i++)
	{
		put_int4(q, 0, i % 2 ? i : -i);
		put_int4(q, 1, 1);
	}
	put_int4(q, 0, INT32_MAX);
	put_int4(q, 1, 1);
	put_int4(q, 0, INT32_MIN);
	put_int4(q, 1, 1);
	put_null(q, 0);
	put_int4(q, 1, 1);
	for (int i = 0; i < 10000; i++)
	{
		put_int4(q, 0, i % 2 ? i : -i);
		put_int4(q, 1, 1);
	}
	query_run(q, &cpu_engine, q->columns[0].nrows, 100);
	for (uint32_t g = 0; g < q->ngroups; g++)
		rows += q->states[2 * g];
	ok(q->ngroups == 10003 && rows == 20003, "keys outside of the range so far");
	ok(query_word(q, "2147483647", 0) == 1 && query_word(q, "-2147483648", 0) == 1 &&
	   query_word(q, "9999", 0) == 2 && query_word(q, "-9998", 0) == 2 &&
	   query_word(q, "null", 0) == 1, "their rows");
	query_end(q);

	q = count_and_sum(VT_INT8);
	for (int i = 0; i < 3000; i++)
	{
		put_int8(q, 0, i % 2 ? INT64_MAX - i / 2 % 3 : INT64_MIN + i / 2 % 3);
		put_int4(q, 1, 1);
	}
	run(q);
	ok(q->ngroups == 6 && query_word(q, "9223372036854775807", 0) == 500, "int8's limits as keys");
	q->hints.rows = 1e100;		/* as planners have it */
	query_run(q, &cpu_engine, 3000, BATCH);
	ok(q->ngroups == 6, "an immense number of expected rows");
	query_end(q);
}

/* Whatever the limit, a run ends well or out of memory; and frees its memory. */
static void
test_memory_limit(void)
{
	Query	   *q = count_and_sum(VT_TEXT);
	int			enough = 0;
	bool		good = true;
	char		text[64];

	for (int i = 0; i < 20000; i++)
	{
		sprintf(text, "key number %d is long", i);
		put_text(q, 0, text);
		put_int4(q, 1, 1);
	}
	for (uint64_t limit = 1024; limit < 1 << 24; limit *= 2)
	{
		q->hints.memory_limit = limit;
		run(q);
		good &= q->status == ENGINE_OK ? q->ngroups == 20000 :
			q->status == ENGINE_NO_MEMORY && q->message[0] != '\0';
		enough += q->status == ENGINE_OK;
	}
	ok(good && enough > 0 && enough < 14, "limits of memory: enough %d times of 14", enough);
	query_end(q);

	q = count_and_sum(VT_INT4);
	for (int i = 0; i < 300000; i++)
	{
		put_int4(q, 0, i);
		put_int4(q, 1, 1);
	}
	q->hints.memory_limit = 1 << 20;
	run(q);
	ok(q->status == ENGINE_NO_MEMORY, "too many groups for the limit: %s", q->message);
	q->hints.memory_limit = 64 << 20;
	run(q);
	ok(q->status == ENGINE_OK && q->stats.memory > 300000 * 16 && q->stats.memory < 64 << 20,
	   "memory is told");
	query_end(q);
}

static void
test_no_keys(void)
{
	Query	   *q = query_begin();
	int			value = query_column(q, VT_INT4);

	program_add_acc(&q->b, ACC_COUNT, -1, -1);
	program_add_acc(&q->b, ACC_SUM_INT, value, -1);
	program_add_acc(&q->b, ACC_MIN_INT, value, -1);
	run(q);
	ok(q->status == ENGINE_OK && q->ngroups == 1 && query_word(q, "", 0) == 0 &&
	   query_word(q, "", 2) == INT64_MAX, "no keys and no rows: one group");
	ok(strcmp(q->stats.strategy, "plain") == 0, "the strategy without keys");
	for (int i = 0; i < 3000; i++)
		put_int4(q, 0, i - 10);
	run(q);
	ok(q->ngroups == 1 && query_word(q, "", 0) == 3000 &&
	   query_word(q, "", 1) == 2999 * 1500 - 30000 && query_word(q, "", 2) == -10,
	   "no keys: one group of all rows");
	query_end(q);

	q = count_and_sum(VT_INT4);
	run(q);
	ok(q->status == ENGINE_OK && q->ngroups == 0, "keys and no rows: no group");
	query_end(q);

	/* GROUP BY without any aggregate */
	q = query_begin();
	program_add_key(&q->b, query_column(q, VT_INT4));
	for (int i = 0; i < 5000; i++)
		put_int4(q, 0, i % 4100);
	run(q);
	ok(q->ngroups == 4100, "keys without aggregates");
	query_end(q);
}

static void
test_batches(void)
{
	static const uint32_t sizes[] = {1, 7, 63, 64, 65, 1023, 1024, 1025, 4096, 5000};

	for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++)
	{
		Query	   *q = query_begin();
		int			key = query_column(q, VT_INT4);
		int			value = query_column(q, VT_INT4);
		int			text = query_column(q, VT_TEXT);

		program_add_key(&q->b, key);
		program_add_acc(&q->b, ACC_COUNT, -1, -1);
		program_add_acc(&q->b, ACC_SUM_INT, value, -1);
		program_set_filter(&q->b, query_op(q, OP_text_eq, text,
										   query_constant(q, VT_TEXT, false, 0, "yes")));
		for (int i = 0; i < 5000; i++)
		{
			put_int4(q, 0, i % 5);
			if (i % 11 == 0)
				put_null(q, 1);
			else
				put_int4(q, 1, 1);
			put_text(q, 2, i % 2 ? "yes" : "no");
		}
		query_run(q, &cpu_engine, 5000, sizes[s]);
		ok(q->ngroups == 5 && query_word(q, "3", 0) == 500 && query_word(q, "3", 1) == 454 &&
		   q->stats.rows == 5000 && q->stats.rows_passed == 2500,
		   "batches of %u rows", sizes[s]);
		query_end(q);
	}
}

static void
test_filter_clause(void)
{
	Query	   *q = query_begin();
	int			key = query_column(q, VT_INT4);
	int			value = query_column(q, VT_INT8);
	int			flag = query_column(q, VT_BOOL);

	program_add_key(&q->b, key);
	program_add_acc(&q->b, ACC_COUNT, -1, flag);
	program_add_acc(&q->b, ACC_COUNT, value, flag);
	program_add_acc(&q->b, ACC_COUNT, value, -1);
	program_add_acc(&q->b, ACC_SUM_INT128, value, flag);
	program_add_acc(&q->b, ACC_MAX_INT, value, -1);
	for (int i = 0; i < 3000; i++)
	{
		put_int4(q, 0, i % 2);
		if (i % 5 == 0)
			put_null(q, 1);
		else
			put_int8(q, 1, i);
		if (i % 3 == 0)
			put_null(q, 2);
		else
			put_bool(q, 2, i % 3 == 1);
	}
	run(q);
	ok(query_word(q, "0", 0) == 500 && query_word(q, "1", 0) == 500, "FILTER: true, not NULL");
	ok(query_word(q, "0", 1) == 400 && query_word(q, "0", 2) == 1200, "FILTER and NULL arguments");
	ok(query_word(q, "0", 3) == 601000 && query_word(q, "0", 4) == 0, "FILTER of a sum");
	ok(query_word(q, "0", 5) == 2998 && query_word(q, "1", 5) == 2999, "no FILTER beside");
	query_end(q);
}

/*
 * Errors: 1 / d fails for d = 0.  Columns: d, and a flag to leave rows out by.
 * where: which part of the query has the division.
 */
typedef enum Where
{
	IN_FILTER, IN_KEY, IN_ARGUMENT, IN_FILTER_CLAUSE, IN_FILTERED_ARGUMENT
} Where;

static Query *
division(Where where, bool with_filter)
{
	Query	   *q = query_begin();
	int			d = query_column(q, VT_INT4);
	int			flag = query_column(q, VT_BOOL);
	int			one = query_constant(q, VT_INT4, false, 1, NULL);
	int			quotient = query_op(q, OP_int4_div, one, d);
	int			is_one = query_op(q, OP_int4_eq, quotient, one);

	if (where == IN_FILTER)
		program_set_filter(&q->b, with_filter ? query_op(q, OP_and, flag, is_one) : is_one);
	else if (with_filter)
		program_set_filter(&q->b, flag);
	if (where == IN_KEY)
		program_add_key(&q->b, quotient);
	program_add_acc(&q->b, ACC_COUNT, -1, -1);
	if (where == IN_ARGUMENT)
		program_add_acc(&q->b, ACC_SUM_INT, quotient, -1);
	if (where == IN_FILTERED_ARGUMENT)
		program_add_acc(&q->b, ACC_SUM_INT, quotient, flag);
	if (where == IN_FILTER_CLAUSE)
		program_add_acc(&q->b, ACC_COUNT, -1, is_one);
	return q;
}

/* 2000 rows, of which the 1500th has these values. */
static EngineStatus
divide(Query *q, bool zero, int flag)
{
	query_clear(q);
	for (int i = 0; i < 2000; i++)
	{
		if (i % 10 == 9)
			put_null(q, 0);
		else
			put_int4(q, 0, i == 1500 && zero ? 0 : 1);
		if (i == 1500 && flag < 0)
			put_null(q, 1);
		else
			put_bool(q, 1, i == 1500 ? flag : 1);
	}
	run(q);
	return q->status;
}

static void
test_errors(void)
{
	static const char *const names[] = {"filter", "key", "argument", "FILTER",
	"argument under FILTER"};

	for (Where where = IN_FILTER; where <= IN_FILTERED_ARGUMENT; where++)
	{
		Query	   *q = division(where, where != IN_FILTERED_ARGUMENT);

		ok(divide(q, false, 1) == ENGINE_OK, "%s: no error", names[where]);
		ok(divide(q, true, 1) == ENGINE_INEXACT && q->message[0] != '\0',
		   "%s: an error (%s)", names[where], q->message);
		ok(divide(q, true, 0) == ENGINE_OK, "%s: an error in a row left out", names[where]);
		ok(divide(q, true, -1) == (where == IN_FILTER ? ENGINE_INEXACT : ENGINE_OK),
		   "%s: an error in a row left out by NULL", names[where]);
		query_end(q);
	}
}

/* NULL operands hide what the operation says of the bits below them. */
static void
test_null_operands(void)
{
	Query	   *q = query_begin();
	int			a = query_column(q, VT_INT4);
	int			b = query_column(q, VT_INT4);

	program_add_acc(&q->b, ACC_SUM_INT, query_op(q, OP_int4_mul, a, b), -1);
	program_add_acc(&q->b, ACC_COUNT, query_op(q, OP_int4_mul, a, b), -1);
	for (int i = 0; i < 1000; i++)
	{
		if (i % 2)
			put_null(q, 0);
		else
			put_int4(q, 0, 3);
		put_int4(q, 1, i % 2 ? INT32_MAX : 5);
	}
	run(q);
	ok(q->status == ENGINE_OK && query_word(q, "", 0) == 7500 && query_word(q, "", 1) == 500,
	   "no error of a NULL operand");
	query_end(q);

	/* the other operand's error counts, NULL or not */
	q = query_begin();
	a = query_column(q, VT_INT4);
	b = query_op(q, OP_int4_neg, query_column(q, VT_INT4), -1);
	program_add_acc(&q->b, ACC_COUNT, query_op(q, OP_int4_eq, a, b), -1);
	put_null(q, 0);
	put_int4(q, 1, INT32_MIN);
	run(q);
	ok(q->status == ENGINE_INEXACT, "an operand's error beside a NULL operand");
	query_end(q);
}

/* Truth: false, true, NULL, an error. */
enum
{
	F, T, N, E
};

/*
 * `(1 / a = 1) op (1 / b = 1)`, where a row's a and b make these truths, among
 * rows of `others`.  What comes out: F, T, N, E.
 */
static int
connective(OpCode op, int a, int b, int rows)
{
	Query	   *q = query_begin();
	int			left = query_column(q, VT_INT4);
	int			right = query_column(q, VT_INT4);
	int			one = query_constant(q, VT_INT4, false, 1, NULL);
	int			result;
	int			truth[2] = {a, b};
	int			is;

	left = query_op(q, OP_int4_eq, query_op(q, OP_int4_div, one, left), one);
	right = query_op(q, OP_int4_eq, query_op(q, OP_int4_div, one, right), one);
	result = query_op(q, op, left, right);
	program_add_acc(&q->b, ACC_COUNT, -1, result);
	program_add_acc(&q->b, ACC_COUNT, result, -1);
	for (int i = 0; i < rows; i++)
		for (int side = 0; side < 2; side++)
		{
			static const int divisors[] = {2, 1, 0, 0};

			if (i == rows - 1 && truth[side] == N)
				put_null(q, side);
			else
				put_int4(q, side, i == rows - 1 ? divisors[truth[side]] : 2);
		}
	run(q);
	is = q->status == ENGINE_INEXACT ? E :
		query_word(q, "", 1) == rows - 1 ? N : (int) query_word(q, "", 0);
	query_end(q);
	return is;
}

static void
test_connectives(void)
{
	static const char names[] = "FTNE";
	static const int and[4][4] = {{F, F, F, F}, {F, T, N, E}, {F, N, N, E}, {E, E, E, E}};
	static const int or[4][4] = {{F, T, N, E}, {T, T, T, T}, {N, T, N, E}, {E, E, E, E}};

	for (int a = F; a <= E; a++)
		for (int b = F; b <= E; b++)
			for (int rows = 1; rows <= 71; rows += 70)
			{
				ok(connective(OP_and, a, b, rows) == and[a][b], "%c AND %c, row %d",
				   names[a], names[b], rows);
				ok(connective(OP_or, a, b, rows) == or[a][b], "%c OR %c, row %d",
				   names[a], names[b], rows);
			}
}

/*
 * A selection by every truth among sides that are a value, NULL or an error
 * (V, N, E; of the first side 1, of the second 2): the result's number, 0 for
 * NULL, -1 for an error.  Row `row` is among others that select 2.
 */
static int
selection(int truth, int then, int otherwise, int rows, ValueType type)
{
	Query	   *q = query_begin();
	int			columns[3];
	int			one = query_constant(q, VT_INT4, false, 1, NULL);
	int			regs[3];
	int			result;
	int			is;

	for (int i = 0; i < 3; i++)
	{
		columns[i] = query_column(q, VT_INT4);
		regs[i] = query_op(q, OP_int4_div, one, columns[i]);
	}
	/* 1 / 1 is 1; the second side's value is doubled */
	regs[2] = query_op(q, OP_int4_add, regs[2], regs[2]);
	if (type == VT_INT8)
		for (int i = 1; i < 3; i++)
			regs[i] = query_op(q, OP_int4_to_int8, regs[i], -1);
	result = program_add_select(&q->b, query_op(q, OP_int4_eq, regs[0], one),
								regs[1], regs[2]);
	program_add_acc(&q->b, ACC_SUM_INT, result, -1);
	for (int i = 0; i < rows; i++)
	{
		int			what[3] = {truth, then, otherwise};

		for (int side = 0; side < 3; side++)
		{
			/* 1 / 2 is 0, which is not 1 */
			int			divisor = what[side] == E ? 0 : side == 0 && truth == F ? 2 : 1;

			if (i == rows - 1 && what[side] == N)
				put_null(q, side);
			else
				put_int4(q, side, i == rows - 1 ? divisor : side == 0 ? 2 : 1);
		}
	}
	run(q);
	is = q->status == ENGINE_INEXACT ? -1 : (int) query_word(q, "", 0) - 2 * (rows - 1);
	query_end(q);
	return is;
}

static void
test_selections(void)
{
	static const char names[] = "FTNE";

	for (int truth = F; truth <= E; truth++)
		for (int then = T; then <= E; then++)
			for (int otherwise = T; otherwise <= E; otherwise++)
				for (int rows = 1; rows <= 71; rows += 70)
				{
					int			side = truth == T ? then : otherwise;
					int			value = truth == T ? 1 : 2;
					int			expected = truth == E || side == E ? -1 :
						side == N ? 0 : value;

					ok(selection(truth, then, otherwise, rows, VT_INT4) == expected &&
					   selection(truth, then, otherwise, rows, VT_INT8) == expected,
					   "select %c: %c, %c, row %d", names[truth], names[then],
					   names[otherwise], rows);
				}
}

/* Texts, one of them a constant, as keys. */
static void
test_text_selection(void)
{
	Query	   *q = query_begin();
	int			flag = query_column(q, VT_BOOL);
	int			text = query_column(q, VT_TEXT);
	int			other = query_constant(q, VT_TEXT, false, 0, "other");
	uint8_t		taken[2] = {0, 1};

	program_add_key(&q->b, program_add_select(&q->b, flag, text, other));
	program_add_acc(&q->b, ACC_COUNT, -1, -1);
	for (int i = 0; i < 3000; i++)
	{
		query_put(q, 0, i % 3 == 2 ? NULL : &taken[i % 3], 1);
		put_text(q, 1, i % 2 ? "odd" : "even");
	}
	run(q);
	ok(q->ngroups == 3 && query_word(q, "other", 0) == 2000 &&
	   query_word(q, "odd", 0) == 500 && query_word(q, "even", 0) == 500,
	   "selections between texts");
	query_end(q);
}

/* IS NULL, comparisons with NULL constants, a constant as a key. */
static void
test_null_tests(void)
{
	Query	   *q = query_begin();
	int			a = query_column(q, VT_TEXT);
	int			isnull = query_op(q, OP_isnull, a, -1);
	int			null = query_constant(q, VT_TEXT, true, 0, NULL);

	program_add_key(&q->b, query_constant(q, VT_INT8, false, -5, NULL));
	program_add_key(&q->b, query_constant(q, VT_TEXT, true, 0, NULL));
	program_add_acc(&q->b, ACC_COUNT, -1, isnull);
	program_add_acc(&q->b, ACC_COUNT, -1, query_op(q, OP_isnotnull, a, -1));
	program_add_acc(&q->b, ACC_COUNT, query_op(q, OP_text_eq, a, null), -1);
	program_add_acc(&q->b, ACC_COUNT, -1, query_op(q, OP_isnull, query_op(q, OP_text_eq, a, null), -1));
	for (int i = 0; i < 1500; i++)
	{
		if (i % 3 == 0)
			put_null(q, 0);
		else
			put_text(q, 0, "");
	}
	run(q);
	ok(q->ngroups == 1 && query_word(q, "-5|null", 0) == 500 &&
	   query_word(q, "-5|null", 1) == 1000, "IS NULL, IS NOT NULL, constants as keys");
	ok(query_word(q, "-5|null", 2) == 0 && query_word(q, "-5|null", 3) == 1500,
	   "comparison with NULL");
	query_end(q);

	q = query_begin();
	a = query_column(q, VT_INT4);
	program_set_filter(&q->b, query_op(q, OP_int4_eq, a, query_constant(q, VT_INT4, true, 0, NULL)));
	program_add_acc(&q->b, ACC_COUNT, -1, -1);
	for (int i = 0; i < 1500; i++)
		put_int4(q, 0, i);
	run(q);
	ok(q->status == ENGINE_OK && query_word(q, "", 0) == 0 && q->stats.rows_passed == 0,
	   "a filter that is NULL passes nothing");
	query_end(q);
}

static __int128
sum128(const uint64_t *words)
{
	return ((__int128) (int64_t) words[1] << 32) + words[0];
}

static void
test_integer_sums(void)
{
	for (int keys = 0; keys < 2; keys++)
	{
		Query	   *q = query_begin();
		int			key = query_column(q, VT_INT2);
		int			value = query_column(q, VT_INT8);
		__int128	expected = 0;

		if (keys)
			program_add_key(&q->b, key);
		program_add_acc(&q->b, ACC_SUM_INT128, value, -1);
		program_add_acc(&q->b, ACC_MIN_INT, value, -1);
		program_add_acc(&q->b, ACC_MAX_INT, value, -1);
		program_add_acc(&q->b, ACC_SUM_INT, key, -1);
		for (int i = 0; i < 5000; i++)
		{
			int64_t		v = i % 3 == 0 ? INT64_MIN : INT64_MAX - i % 3;

			put_int2(q, 0, -1);
			put_int8(q, 1, v);
			expected += v;
		}
		run(q);
		ok(q->ngroups == 1 && sum128(q->states) == expected,
		   "int8's limits sum up exactly, %s keys", keys ? "with" : "without");
		ok((int64_t) q->states[2] == INT64_MIN && (int64_t) q->states[3] == INT64_MAX - 1 &&
		   (int64_t) q->states[4] == -5000, "extremes and int2's sum");
		query_end(q);
	}
}

/* Bits of each type, with keys and without, over NULLs, and over nothing. */
static void
test_bits(void)
{
	static const AccKind kinds[] = {ACC_BIT_AND, ACC_BIT_OR, ACC_BIT_XOR};

	for (int keys = 0; keys < 2; keys++)
	{
		Query	   *q = query_begin();
		int			key = query_column(q, VT_INT4);
		int			columns[] = {
			query_column(q, VT_INT2), query_column(q, VT_INT8), query_column(q, VT_BOOL)
		};
		const char *name = keys ? "0" : "";

		if (keys)
			program_add_key(&q->b, key);
		for (int c = 0; c < 3; c++)
			for (int k = 0; k < 3; k++)
				program_add_acc(&q->b, kinds[k], columns[c], -1);
		for (int i = 0; i < 3001; i++)
		{
			put_int4(q, 0, keys && i == 3000);
			if (i == 7 || i == 3000)
				put_null(q, 1);
			else
				put_int2(q, 1, i % 2 ? -2 : 0x7ffc);
			put_int8(q, 2, i % 2 ? INT64_MIN + 3 : INT64_MIN + (INT64_C(1) << 40));
			put_bool(q, 3, i % 3 != 0);
		}
		run(q);
		ok(query_word(q, name, 0) == 0x7ffc && query_word(q, name, 1) == -2 &&
		   query_word(q, name, 2) == (int64_t) (-2),
		   "bits of int2, %s keys", keys ? "with" : "without");
		ok(query_word(q, name, 3) == INT64_MIN &&
		   query_word(q, name, 4) == INT64_MIN + 3 + (INT64_C(1) << 40) &&
		   query_word(q, name, 5) == (keys ? 0 : INT64_MIN + (INT64_C(1) << 40)), "bits of int8");
		ok(query_word(q, name, 6) == 0 && query_word(q, name, 7) == 1 &&
		   query_word(q, name, 8) == 0, "bits of booleans");
		if (keys)
			ok(query_word(q, "1", 0) == -1 && query_word(q, "1", 1) == 0 &&
			   query_word(q, "1", 2) == 0, "bits of NULLs only are the start values");
		query_end(q);
	}
}

static void
test_floats(void)
{
	for (int keys = 0; keys < 2; keys++)
	{
		Query	   *q = query_begin();
		int			key = query_column(q, VT_INT4);
		int			value = query_column(q, VT_FLOAT8);
		int			single = query_column(q, VT_FLOAT4);
		const char *name = keys ? "0" : "";
		double		expected = 0;

		if (keys)
			program_add_key(&q->b, key);
		program_add_acc(&q->b, ACC_SUM_FLOAT, value, -1);
		program_add_acc(&q->b, ACC_MIN_FLOAT, value, -1);
		program_add_acc(&q->b, ACC_MAX_FLOAT, value, -1);
		program_add_acc(&q->b, ACC_MIN_FLOAT, single, -1);
		program_add_acc(&q->b, ACC_MAX_FLOAT, single, -1);
		for (int i = 0; i < 4000; i++)
		{
			double		v = ((double) (random64() % 2000001) - 1000000) / 8;

			put_int4(q, 0, 0);
			put_float8(q, 1, v);
			put_float4(q, 2, i == 3999 ? NAN : i - 5);
			expected += v;
		}
		run(q);
		ok(q->status == ENGINE_OK && query_double(q, name, 0) == expected,
		   "a float sum");
		ok(float_from_ordered(query_state(q, name)[3], false) < 0 &&
		   float_from_ordered(query_state(q, name)[5], false) == -5 &&
		   isnan(float_from_ordered(query_state(q, name)[6], true)), "extremes of floats; NaN is greatest");
		query_end(q);
	}
}

static void
test_unsummable(void)
{
	static const double values[] = {0x1p989, -0x1p989, 1e308};

	for (int i = 0; i < 3; i++)
	{
		Query	   *q = query_begin();

		program_add_acc(&q->b, ACC_SUM_FLOAT, query_column(q, VT_FLOAT8), -1);
		put_float8(q, 0, 1);
		put_float8(q, 0, values[i]);
		put_float8(q, 0, 1);
		run(q);
		ok(q->status == ENGINE_INEXACT, "no sum with %g", values[i]);
		query_end(q);
	}
}

/* A NULL in a column that was said to have none is not believed away. */
static void
test_not_null_columns(void)
{
	Query	   *q = query_begin();

	q->columns[0].type = VT_INT4;
	q->ncolumns = 1;
	program_add_key(&q->b, program_add_column(&q->b, 1, VT_INT4, false, -1));
	for (int i = 0; i < 100; i++)
		put_int4(q, 0, i % 10);
	run(q);
	ok(q->status == ENGINE_OK && q->ngroups == 10, "a column without NULLs");
	put_null(q, 0);
	run(q);
	ok(q->status == ENGINE_INEXACT, "a NULL in a column without NULLs");
	query_end(q);
}

/* Random rows against a plain loop: x * y of rows where x > 0 OR y IS NULL. */
static void
test_random(void)
{
	enum
	{
		NKEYS = 50
	};
	int64_t		sums[NKEYS] = {0};
	int64_t		counts[NKEYS] = {0};
	Query	   *q = query_begin();
	int			key = query_column(q, VT_INT4);
	int			x = query_column(q, VT_INT4);
	int			y = query_column(q, VT_INT4);
	int			zero = query_constant(q, VT_INT4, false, 0, NULL);
	bool		good = true;

	program_set_filter(&q->b, query_op(q, OP_or, query_op(q, OP_int4_gt, x, zero),
									   query_op(q, OP_isnull, y, -1)));
	program_add_key(&q->b, key);
	program_add_acc(&q->b, ACC_COUNT, -1, -1);
	program_add_acc(&q->b, ACC_SUM_INT, query_op(q, OP_int4_mul, x, y), -1);
	for (int i = 0; i < 20000; i++)
	{
		int			k = (int) (random64() % NKEYS);
		int			vx = (int) (random64() % 2001) - 1000;
		int			vy = (int) (random64() % 2001) - 1000;
		bool		x_null = random64() % 5 == 0;
		bool		y_null = random64() % 5 == 0;

		put_int4(q, 0, k);
		x_null ? put_null(q, 1) : put_int4(q, 1, vx);
		y_null ? put_null(q, 2) : put_int4(q, 2, vy);
		if ((!x_null && vx > 0) || y_null)
		{
			counts[k]++;
			sums[k] += x_null || y_null ? 0 : vx * vy;
		}
	}
	run(q);
	for (uint32_t g = 0; g < q->ngroups; g++)
	{
		int			k = atoi(q->names[g]);

		good &= (int64_t) q->states[2 * g] == counts[k] && (int64_t) q->states[2 * g + 1] == sums[k];
	}
	ok(q->ngroups == NKEYS && good, "random rows, against a plain loop");
	query_end(q);
}

/* A page of tuples of two int4: numbers from `first` on, modulo 10, and 1. */
static uint32_t
make_page(char *page, int first)
{
	uint16_t	lower = HEAP_PAGE_LINES;
	uint16_t	upper = HEAP_PAGE_SIZE;
	uint16_t	special = HEAP_PAGE_SIZE;
	uint32_t	n = 0;

	memset(page, 0, HEAP_PAGE_SIZE);
	for (; upper - lower >= 32 + HEAP_LINE_SIZE; n++)
	{
		int32_t		values[2] = {(first + (int32_t) n) % 10, 1};
		uint32_t	line;

		upper -= 32;
		page[upper + HEAP_TUPLE_INFOMASK2] = 2;
		page[upper + HEAP_TUPLE_HOFF] = 24;
		memcpy(page + upper + 24, values, sizeof(values));
		line = upper | HEAP_LINE_NORMAL << 15 | 32u << 17;
		memcpy(page + lower, &line, sizeof(line));
		lower += HEAP_LINE_SIZE;
	}
	memcpy(page + HEAP_PAGE_LOWER, &lower, 2);
	memcpy(page + HEAP_PAGE_UPPER, &upper, 2);
	memcpy(page + HEAP_PAGE_SPECIAL, &special, 2);
	return n;
}

/* Pages, all tuples and listed ones, and one that contradicts itself. */
static void
test_pages(void)
{
	static const uint16_t listed[] = {1, 3, 200};
	Query	   *q = query_begin();
	Program    *program;
	EngineRun  *run;
	GroupBatch	batch;
	PageRef		pages[12];
	uint64_t	rows = 3;
	uint64_t	sums = 0;

	program_begin(&q->b, SOURCE_PAGES);
	program_add_attr(&q->b, 4, 4);
	program_add_attr(&q->b, 4, 4);
	program_add_key(&q->b, program_add_column(&q->b, 1, VT_INT4, false, -1));
	program_add_acc(&q->b, ACC_SUM_INT, program_add_column(&q->b, 2, VT_INT4, true, -1), -1);
	program = malloc(program_size(&q->b));
	program_finish(&q->b, program);
	for (int i = 0; i < 12; i++)
	{
		char	   *page = malloc(HEAP_PAGE_SIZE);
		uint32_t	n = make_page(page, i);

		pages[i] = (PageRef) {page, i == 0 ? listed : NULL, i == 0 ? 3 : n, i, 0, 0};
		rows += i > 0 ? n : 0;
	}
	ok(cpu_engine.open(program, q->params, &q->hints, &run, q->message) == ENGINE_OK &&
	   cpu_engine.pages(run, pages, 5) == ENGINE_OK &&
	   cpu_engine.pages(run, pages + 5, 7) == ENGINE_OK &&
	   cpu_engine.pages(run, NULL, 0) == ENGINE_OK, "pages are taken");
	ok(cpu_engine.groups(run, &batch) == ENGINE_OK && batch.ngroups == 10, "their groups");
	for (uint32_t g = 0; g < batch.ngroups; g++)
		sums += batch.states[g];
	ok(sums == rows && run->stats.rows == rows, "all of their rows, and of a list only those");
	cpu_engine.close(run);

	((char *) pages[11].page)[HEAP_PAGE_UPPER] = 1;
	((char *) pages[11].page)[HEAP_PAGE_UPPER + 1] = 0;
	ok(cpu_engine.open(program, q->params, &q->hints, &run, q->message) == ENGINE_OK &&
	   cpu_engine.pages(run, pages, 12) == ENGINE_CORRUPT && strstr(run->message, "block 11"),
	   "a corrupted page is named");
	cpu_engine.close(run);
	for (int i = 0; i < 12; i++)
		free((char *) pages[i].page);
	free(program);
	query_end(q);
}

/* A run can be closed at any point. */
static void
test_closing(void)
{
	Query	   *q = count_and_sum(VT_TEXT);
	Program    *program = malloc(program_size(&q->b));
	EngineRun  *run;
	GroupBatch	batch;

	for (int i = 0; i < 6000; i++)
	{
		char		text[64];

		sprintf(text, "a text that is long enough %d", i);
		put_text(q, 0, text);
		put_int4(q, 1, 1);
	}
	program_finish(&q->b, program);
	for (int stop = 0; stop < 4; stop++)
	{
		EngineStatus status = cpu_engine.open(program, q->params, &q->hints, &run, q->message);

		if (stop > 0 && status == ENGINE_OK)
			status = query_feed(q, run, 0, 3000);
		if (stop > 1 && status == ENGINE_OK)
			status = query_feed(q, run, 3000, 3000);
		if (stop > 2 && status == ENGINE_OK)
			status = cpu_engine.groups(run, &batch);
		ok(status == ENGINE_OK, "closed after step %d", stop);
		cpu_engine.close(run);
	}
	free(program);
	query_end(q);
}

/*
 * The hash table grows with groups at its end, and with those that belong there and have gone
 * to its beginning: the second row of each key finds the first one's group.
 */
static void
test_growing(void)
{
	int			wrong = 0;

	for (int t = 0; t < 100; t++)
	{
		Query	   *q = count_and_sum(VT_INT8);

		for (int i = 0; i < 2 * 1200; i++)
		{
			put_int8(q, 0, (i % 1200 + t * 1200) * INT64_C(1000003));
			put_int4(q, 1, 1);
		}
		run(q);
		wrong += q->status != ENGINE_OK || q->ngroups != 1200;
		query_end(q);
	}
	ok(wrong == 0, "tables that grow: %d have other groups", wrong);
}

static int	looks_left;

static bool
interrupt_soon(int milliseconds)
{
	return looks_left-- == 0;
}

/* Whichever look finds an interrupt, it ends the run; so often does a run look. */
static int
interruptions(Query *q)
{
	q->hints.wait = interrupt_soon;
	for (int looks = 0;; looks++)
	{
		looks_left = looks;
		run(q);
		if (looks_left >= 0)
			return q->status == ENGINE_OK ? looks : -1;
		if (q->status != ENGINE_FAILED || strcmp(q->message, INTERRUPTED_MESSAGE) != 0)
			return -1;
	}
}

static void
test_interrupted(void)
{
	Query	   *q = count_and_sum(VT_TEXT);
	int			looks;

	for (int i = 0; i < 20000; i++)
	{
		char		text[64];

		sprintf(text, "a text that is long enough %d", i);
		put_text(q, 0, text);
		put_int4(q, 1, 1);
	}
	looks = interruptions(q);
	/* the table grows 6 times, texts are measured by 4096 groups */
	ok(looks >= 6 + 5, "texts: interrupted at any of %d looks", looks);
	query_end(q);

	q = count_and_sum(VT_INT4);
	for (int i = 0; i < 100000; i++)
	{
		put_int4(q, 0, i * 3);
		put_int4(q, 1, 1);
	}
	looks = interruptions(q);
	ok(looks >= 4, "a dense range that grows: interrupted at any of %d looks", looks);
	query_end(q);
}

int
main(void)
{
	test_null_keys();
	test_float_keys();
	test_text_keys();
	test_mixed_keys();
	test_growth();
	test_text_growth();
	test_ranges();
	test_memory_limit();
	test_no_keys();
	test_batches();
	test_filter_clause();
	test_errors();
	test_null_operands();
	test_connectives();
	test_selections();
	test_text_selection();
	test_null_tests();
	test_integer_sums();
	test_bits();
	test_floats();
	test_unsummable();
	test_not_null_columns();
	test_random();
	test_pages();
	test_closing();
	test_growing();
	test_interrupted();
	return done_testing();
}
