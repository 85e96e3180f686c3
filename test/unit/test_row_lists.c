/*
 * test_row_lists.c
 *	  Lists of rows: of the CPU engine, in memory and with a store, by one run and by several.
 */
#include "engine/cuda/cuda_engine.h"
#include "memory_store.h"
#include "program/check.h"
#include "program/row_list.h"
#include "query.h"
#include "random.h"
#include "tap.h"

#define MOST_ROWS 30000
#define MOST_TEXT 9000

static int32_t keys[MOST_ROWS];
static bool wanted[MOST_ROWS];
static bool seen[MOST_ROWS];

/* Columns. */
enum
{
	C_KEY, C_ID, C_TEXT, C_UUID, C_FLOAT, C_BOOL
};

/* What the row of a number has; a text of some bytes, which are of the number, or NULL. */
static bool
has_text(uint32_t row)
{
	return row % 7 != 3;
}

static uint32_t
text_length(uint32_t row, uint32_t longest)
{
	uint32_t	lengths[] = {0, row % 5, 7, 8, 125, 126, 127, 128, row % 300};
	uint32_t	length = row % 97 == 5 ? longest : lengths[row % 9];

	return length < longest ? length : longest;
}

static void
fill_text(uint32_t row, char *text, uint32_t length)
{
	for (uint32_t i = 0; i < length; i++)
		text[i] = (char) ('a' + (row + i) % 26);
}

static void
make_rows(Query *q, uint32_t nrows, uint32_t ngroups, uint32_t longest)
{
	char		text[MOST_TEXT];

	query_clear(q);
	for (uint32_t i = 0; i < nrows; i++)
	{
		uint64_t	uuid[2] = {i, ~(uint64_t) i};
		uint32_t	length = text_length(i, longest);

		keys[i] = (int32_t) (random_u64() % ngroups) * 7;
		wanted[i] = random_u64() % 4 > 0;
		fill_text(i, text, length);
		put_int4(q, C_KEY, keys[i]);
		put_int8(q, C_ID, (int64_t) i - 100);
		query_put(q, C_TEXT, has_text(i) ? text : NULL, length);
		query_put(q, C_UUID, i % 5 ? uuid : NULL, sizeof(uuid));
		put_float8(q, C_FLOAT, i / 4.0);
		put_bool(q, C_BOOL, wanted[i]);
	}
}

/* Rows of a number, a text, a UUID and a float; the second list has those that are wanted. */
static Query *
make_query(bool keyed, int lists[2])
{
	Query	   *q = query_begin();
	RowListColumn columns[4];
	int			key = query_column(q, VT_INT4);
	int			filter;

	columns[0] = (RowListColumn) {query_column(q, VT_INT8), KEY_NOT_NUMERIC};
	columns[1] = (RowListColumn) {query_column(q, VT_TEXT), KEY_NOT_NUMERIC};
	columns[2] = (RowListColumn) {query_column(q, VT_UUID), KEY_NOT_NUMERIC};
	columns[3] = (RowListColumn) {query_column(q, VT_FLOAT8), KEY_NOT_NUMERIC};
	filter = query_column(q, VT_BOOL);
	if (keyed)
		program_add_key(&q->b, key);
	lists[0] = program_add_rows(&q->b, columns, 4, -1);
	lists[1] = program_add_rows(&q->b, columns, 2, filter);
	return q;
}

/* Is it the row that its number says, of this group? */
static bool
row_is_right(const uint64_t *row, int ncolumns, int32_t key, bool keyed, uint32_t longest)
{
	uint32_t	number = (uint32_t) ((int64_t) row[1] + 100);
	uint32_t	length = text_length(number, longest);
	const uint64_t *value = row + 2;
	char		text[MOST_TEXT];

	if (number >= MOST_ROWS || seen[number] || (keyed && keys[number] != key) ||
		row_has_null(row[0], 1) == has_text(number))
		return false;
	seen[number] = true;
	if (has_text(number))
	{
		uint32_t	header = length + 1 <= ROW_TEXT_SHORT_MAX ? 1 : 4;

		fill_text(number, text, length);
		if (memcmp((const char *) value + header, text, length) != 0 ||
			(header == 1 ? ((const uint8_t *) value)[0] != (length + 1) * 2 + 1 :
			 (uint32_t) value[0] != (length + 4) << 2))
			return false;
		value += row_value_words(VT_TEXT, value);
	}
	if (ncolumns == 4)
	{
		if (row_has_null(row[0], 2) != (number % 5 == 0) ||
			(number % 5 && (value[0] != number || value[1] != ~(uint64_t) number)))
			return false;
		value += number % 5 ? 2 : 0;
		if (*(const double *) value++ != number / 4.0)
			return false;
	}
	return value == row + row_words(row[0]);
}

/* How many rows all groups' lists have; -1: one is wrong. */
static int64_t
count_rows(const Query *q, int list, bool keyed, uint32_t longest)
{
	const Accumulator *acc = &q->b.accs[list];
	int64_t		count = 0;

	memset(seen, 0, sizeof(seen));
	for (uint32_t g = 0; g < q->ngroups; g++)
	{
		const uint64_t *words = q->states + (size_t) g * q->nwords + acc->word;
		const uint64_t *rows = (const uint64_t *) (uintptr_t) words[0];

		for (uint64_t i = 0; i < words[1]; i += row_words(rows[i]))
		{
			if (rows[i] == 0)
				continue;
			if (!row_is_right(rows + i, acc->param, atoi(q->names[g]), keyed, longest))
				return -1;
			count++;
		}
	}
	return count;
}

/* A group whose rows are more than the limit stays in the store, and one that fits does not. */
static bool
stored_are_right(const Query *q, uint32_t nrows, uint32_t ngroups, uint64_t limit)
{
	uint64_t	of_group = (uint64_t) nrows / ngroups * 5 * sizeof(uint64_t);

	return of_group <= 2 * limit || (q->nstored >= ngroups && q->stats.memory < limit * 4 + (UINT64_C(1) << 20));
}

static void
check(const EngineOps *engine, uint32_t nrows, uint32_t ngroups, bool keyed, uint32_t longest,
	  uint64_t limit)
{
	int			lists[2];
	Query	   *q = make_query(keyed, lists);
	int64_t		nwanted = 0;

	make_rows(q, nrows, ngroups, longest);
	for (uint32_t i = 0; i < nrows; i++)
		nwanted += wanted[i];
	q->hints.memory_limit = limit;
	query_run(q, engine, nrows, 1000);
	ok(q->status == ENGINE_OK && count_rows(q, lists[0], keyed, longest) == nrows &&
	   count_rows(q, lists[1], keyed, longest) == nwanted &&
	   stored_are_right(q, nrows, ngroups, limit),
	   "%u rows in %u groups, texts of up to %u bytes, %llu kB: %s", nrows, ngroups, longest,
	   (unsigned long long) limit >> 10, q->message);
	query_end(q);
}

static void
check_sizes(const EngineOps *engine, uint64_t limit)
{
	check(engine, 0, 1, true, 10, limit);
	check(engine, 1, 1, false, 10, limit);
	check(engine, 3000, 3000, true, 300, limit);
	check(engine, MOST_ROWS, 50, true, 300, limit);
	check(engine, MOST_ROWS, 6, true, 300, limit);
	check(engine, MOST_ROWS, 1, false, 300, limit);
	check(engine, 5000, 20, true, 8100, limit);
}

static void
check_long(void)
{
	int			lists[2];
	Query	   *q = make_query(true, lists);

	make_rows(q, 300, 3, 8900);
	query_run(q, &cpu_engine, 300, 100);
	ok(q->status == ENGINE_INEXACT, "a row that is too long: %s", q->message);
	query_end(q);
}

static bool
is_good(Query *q)
{
	Program    *program = malloc(program_size(&q->b));
	char		why[256];
	bool		good;

	program_finish(&q->b, program);
	good = program_check(program, program->size, q->params, 0, why, sizeof(why));
	if (good)
		good = cpu_engine.supports(program, why, sizeof(why)) &&
			!simt_engine.supports(program, why, sizeof(why));
	free(program);
	return good;
}

/* Equal lists are one; their columns are checked. */
static void
check_programs(void)
{
	int			lists[2];
	Query	   *q = make_query(true, lists);
	RowListColumn columns[2] = {{q->regs[C_ID], KEY_NOT_NUMERIC}, {q->regs[C_TEXT], KEY_NOT_NUMERIC}};
	Accumulator *accs = q->b.accs;

	ok(program_add_rows(&q->b, columns, 2, q->regs[C_BOOL]) == lists[1] && q->b.head.naccs == 8,
	   "equal lists are one");
	ok(is_good(q), "the CPU engine has lists of rows, the simulated device has not");
	accs[lists[0]].param = 5;
	ok(!is_good(q), "a list has no more columns than are behind it");
	accs[lists[0]].param = 4;
	accs[lists[1] + 2].values = (int16_t) lists[0];
	ok(!is_good(q), "a column is of the list before it");
	accs[lists[1] + 2].values = (int16_t) lists[1];
	accs[lists[1] + 2].arg = -1;
	ok(!is_good(q), "a column has a register");
	accs[lists[1] + 2].arg = (int16_t) q->regs[C_TEXT];
	accs[lists[1]].param = 3;
	ok(!is_good(q), "a list has its columns within the program");
	query_end(q);
}

int
main(void)
{
	check_programs();
	check_sizes(&cpu_engine, UINT64_C(1) << 30);
	check_long();
	for (stores.runs = 1; stores.runs <= 3; stores.runs += 2)
	{
		check_sizes(&storing_engine, UINT64_C(64) << 10);
		check_sizes(&storing_engine, UINT64_C(1) << 20);
	}
	return done_testing();
}
