/*
 * test_group_rows.c
 *	  The first rows of groups in an order, of the CPU engine and of the simulated device, or, with
 *	  GPUAGG_TEST_ENGINE=cuda, of a GPU, against a sort: rows that are equal, NULLs, floats, one
 *	  group and a group a row, rows in the order and in the opposite one, and tables that grow.
 */
#include <math.h>

#include "engine/cuda/cuda_engine.h"
#include "program/first_rows.h"
#include "program/order_statistic.h"
#include "query.h"
#include "random.h"
#include "tap.h"

#define MOST_ROWS 60000

/* What the rows' keys in the order are. */
typedef enum Values
{
	FEW,						/* different ones */
	MANY,
	SAME,
	RISING,						/* from row to row */
	FALLING
} Values;

static const char *const value_names[] = {"few", "many", "the same", "rising", "falling"};

/* Columns. */
enum
{
	C_KEY, C_INT, C_FLOAT, C_PLACE
};

static const EngineOps *engine;
static int32_t keys[MOST_ROWS];
static uint64_t entries[MOST_ROWS][FIRST_ROWS_MAX_WORDS];
static uint32_t sorted[MOST_ROWS];
static int nkeys;				/* of the order */
static int order;
static uint32_t alike;			/* the first rows, which have one key */
static double expected_rows;	/* EngineHints.rows: few, and a batch has few */
static int word;				/* the first one of the entries */

/* The Program; without a key all rows are one group. */
static Query *
make_query(bool keyed, int count)
{
	Query	   *q = query_begin();
	int			key = query_column(q, VT_INT4);
	int			ints = query_column(q, VT_INT8);
	int			floats = query_column(q, VT_FLOAT8);
	int			place = query_column(q, VT_INT8);
	const int	registers[] = {nkeys > 0 ? ints : -1, nkeys > 1 ? floats : -1};

	if (keyed)
		program_add_key(&q->b, key);
	word = q->b.accs[program_add_first_rows(&q->b, count, registers, order, place)].word;
	return q;
}

static int64_t
value_of(Values kind, uint32_t row)
{
	switch (kind)
	{
		case FEW:
			return (int64_t) (random_u64() % 5) - 2;
		case MANY:
			return (int64_t) random_u64();
		case RISING:
			return row;
		case FALLING:
			return -(int64_t) row;
		default:
			return 3;
	}
}

static double
float_of(void)
{
	static const double values[] = {0, -0.0, NAN, INFINITY, -INFINITY, 1.5, -7};

	return values[random_u64() % 7];
}

/* Add key n of the order to a row's entry. */
static void
add_order(uint64_t *entry, int n, bool isnull, uint64_t value)
{
	if (n >= nkeys)
		return;
	entry[0] |= mark_rank(isnull ? rank_of_null(order, n) : RANK_VALUE, n);
	entry[n + 1] = isnull ? 0 : key_is_descending(order, n) ? ~value : value;
}

/* Rows of so many groups, whose places do not come in order. */
static void
make_rows(Query *q, Values kind, uint32_t nrows, uint32_t ngroups)
{
	for (uint32_t i = 0; i < nrows; i++)
	{
		int64_t		value = value_of(kind, i);
		double		real = float_of();
		bool		int_null = kind == FEW && random_u64() % 4 == 0;
		bool		float_null = random_u64() % 5 == 0;
		uint64_t	number = (uint64_t) i * 7919 % nrows;

		keys[i] = i < alike ? 0 : (int32_t) (random_u64() % ngroups) * 7;
		if (ngroups == nrows)
			keys[i] = (int32_t) i;
		memset(entries[i], 0, sizeof(entries[i]));
		entries[i][0] = place_make((uint32_t) number % 3, (uint32_t) number / 30, (uint32_t) number % 30 + 1);
		put_int4(q, C_KEY, keys[i]);
		put_int8(q, C_PLACE, (int64_t) entries[i][0]);
		add_order(entries[i], 0, int_null, order_of_integer(value));
		add_order(entries[i], 1, float_null, order_of_float(real == 0 ? 0 : real));
		if (int_null)
			put_null(q, C_INT);
		else
			put_int8(q, C_INT, value);
		if (float_null)
			put_null(q, C_FLOAT);
		else
			put_float8(q, C_FLOAT, real);
	}
}

static bool keyed;

static int
compare(const void *left, const void *right)
{
	uint32_t	a = *(const uint32_t *) left;
	uint32_t	b = *(const uint32_t *) right;

	if (keyed && keys[a] != keys[b])
		return keys[a] < keys[b] ? -1 : 1;
	return first_row_is_before(entries[a], entries[b], nkeys) ? -1 : a != b;
}

/* Groups that have other rows than a sort gives them. */
static int
count_wrong(const Query *q, uint32_t nrows, int count, uint32_t *groups)
{
	int			wrong = 0;
	uint32_t	end;

	for (uint32_t i = 0; i < nrows; i++)
		sorted[i] = i;
	qsort(sorted, nrows, sizeof(uint32_t), compare);
	*groups = 0;
	for (uint32_t begin = 0; begin < nrows; begin = end, (*groups)++)
	{
		char		name[20] = "";
		const uint64_t *state;
		bool		good;

		for (end = begin + 1; end < nrows && (!keyed || keys[sorted[end]] == keys[sorted[begin]]);)
			end++;
		if (keyed)
			snprintf(name, sizeof(name), "%d", keys[sorted[begin]]);
		state = query_state(q, name);
		good = state != NULL;
		for (int n = 0; n < count && good; n++)
			good = begin + (uint32_t) n < end ?
				memcmp(state + word + n * (nkeys + 1), entries[sorted[begin + (uint32_t) n]],
					   (size_t) (nkeys + 1) * sizeof(uint64_t)) == 0 :
				state[word + n * (nkeys + 1)] == NO_FIRST_ROW;
		wrong += !good;
	}
	return wrong;
}

static void
check(Values kind, uint32_t nrows, uint32_t ngroups, int count, const char *strategy)
{
	Query	   *q = make_query(keyed, count);
	uint32_t	groups;
	int			wrong = -1;

	query_clear(q);
	make_rows(q, kind, nrows, ngroups);
	q->hints.strategy = strategy;
	q->hints.groups = expected_rows > 0 ? 1 : 0;
	q->hints.rows = expected_rows;
	query_run(q, engine, nrows, 7000);
	if (q->status == ENGINE_OK)
		wrong = count_wrong(q, nrows, count, &groups);
	ok(wrong == 0 && q->ngroups == groups,
	   "%s: %s values, %u rows, %u groups, %d of each by %d keys: %d wrong, strategy %s %s",
	   engine_id_name(engine->traits->id), value_names[kind], nrows, q->ngroups, count, nkeys, wrong,
	   q->stats.strategy, q->message);
	query_end(q);
}

/* Groups of all sizes, by orders of so many keys. */
static void
check_sizes(const char *strategy)
{
	for (nkeys = 0; nkeys <= FIRST_ROWS_MAX_KEYS; nkeys++)
	{
		order = (int) (random_u64() % 16) & ((1 << (nkeys * ORDER_BITS)) - 1);
		keyed = true;
		for (int kind = FEW; kind <= FALLING; kind++)
			check((Values) kind, 9000, kind % 2 ? 400 : 3, 1 + kind, strategy);
		check(FEW, 5000, 5000, 2, strategy);
		check(MANY, 1, 1, 16, strategy);
		keyed = false;
		check(SAME, 9000, 1, FIRST_ROWS_MAX, strategy);
	}
}

/*
 * Each row comes before all others of its group, so the places of entries that are garbage are
 * needed again; and a table that grows, since the first batch had few of the groups.
 */
static void
check_growth(void)
{
	nkeys = 1;
	for (order = 0; order <= ORDER_DESCENDING; order++)
	{
		keyed = false;
		check(order == 0 ? FALLING : RISING, MOST_ROWS, 1, 2, "auto");
		keyed = true;
		check(order == 0 ? FALLING : RISING, MOST_ROWS, 2, 16, "auto");
	}
	expected_rows = 1;
	order = 0;
	nkeys = 2;
	for (alike = 20000; alike <= 40000; alike += 20000)
		check(MANY, MOST_ROWS, 30000, 3, "atomic");
	alike = 0;
	expected_rows = 0;
}

int
main(void)
{
	static const char *const strategies[] = {"auto", "block"};

	engine = &cpu_engine;
	check_sizes("auto");
	check_growth();
	engine = getenv("GPUAGG_TEST_ENGINE") && strcmp(getenv("GPUAGG_TEST_ENGINE"), "cuda") == 0 ?
		&cuda_engine : &simt_engine;
	for (int i = 0; i < 2; i++)
		check_sizes(strategies[i]);
	check_growth();
	return done_testing();
}
