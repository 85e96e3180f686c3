/*
 * test_key_share.c
 *	  Rows of runs that divide their keys: each row is one run's, those of equal and of neighbouring
 *	  keys are the same one's, and keys that are errors are every run's.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/cpu/key_share.h"
#include "random.h"
#include "tap.h"

#define MOST_SHARES 17

typedef enum Kind
{
	PLAIN,
	WITH_NULLS,
	WITH_ERRORS,
	NKINDS
} Kind;

static const char *const kind_names[NKINDS] = {"", ", some NULL", ", some NULL, some errors"};

static char values[CPU_BATCH * sizeof(int64_t)];
static uint64_t valid[CPU_BATCH_WORDS];
static uint64_t error[CPU_BATCH_WORDS];
static int64_t keys[CPU_BATCH];	/* the same values; of NULLs zero */

/* A program that has one column, of this type, as its key. */
static Program *
one_key(ValueType type)
{
	ProgramBuilder *b = malloc(sizeof(ProgramBuilder));
	Program    *program;

	program_begin(b, SOURCE_COLUMNS);
	program_add_key(b, program_add_column(b, 1, type, true, -1));
	program = malloc(program_size(b));
	program_finish(b, program);
	free(b);
	return program;
}

static void
set_value(ValueType type, uint32_t row, int64_t key)
{
	size_t		size = (size_t) value_type_size(type);

	memcpy(values + row * size, &key, size);
	keys[row] = 0;
	memcpy(&keys[row], &key, size);
	if (size < sizeof(int64_t) && type != VT_BOOL)
		keys[row] = (int64_t) ((uint64_t) key << (64 - 8 * size)) >> (64 - 8 * size);
}

/* Keys that are few, neighbours, or anything. */
static void
make_values(ValueType type, Kind kind)
{
	for (uint32_t i = 0; i < CPU_BATCH; i++)
	{
		uint64_t	any = random_u64();
		int64_t		key = any % 3 == 0 ? (int64_t) i - 500 : any % 3 == 1 ? (int64_t) (any >> 8 & 7) :
			(int64_t) random_u64();

		set_value(type, i, type == VT_BOOL ? key & 1 : key);
	}
	memset(valid, kind == PLAIN ? 0xFF : 0, sizeof(valid));
	memset(error, 0, sizeof(error));
	for (uint32_t i = 0; i < CPU_BATCH; i++)
	{
		if (random_u64() % 5 > 0)
			valid[i / 64] |= UINT64_C(1) << i % 64;
		if (!bit_is_set(valid, i))
			keys[i] = 0;
		if (kind == WITH_ERRORS && random_u64() % 7 == 0)
			error[i / 64] |= UINT64_C(1) << i % 64;
	}
}

/* The rows of a batch, all or every other one; how many. */
static uint32_t
list_rows(bool all, uint16_t *rows)
{
	uint32_t	n = 0;

	for (uint32_t i = 0; i < CPU_BATCH; i++)
		if (all || random_u64() % 2 == 0)
			rows[n++] = (uint16_t) i;
	return n;
}

/* How many of the shares have each row; false: a share's rows are not those listed, in their order. */
static bool
count_shares(const Program *program, const Evaluator *eval, const uint16_t *rows, uint32_t n,
			 uint32_t nshares, uint32_t *count, uint32_t *share_of)
{
	bool		ascend = true;

	for (uint32_t share = 0; share < nshares; share++)
	{
		EngineHints hints = {.nkey_shares = nshares,.key_share = share};
		KeyShare	own;
		uint16_t	kept[CPU_BATCH];
		uint32_t	nkept;

		memcpy(kept, rows, n * sizeof(*rows));
		key_share_begin(&own, program, &hints);
		nkept = key_share_keep(&own, eval, kept, n);
		for (uint32_t i = 0; i < nkept; i++)
		{
			ascend = ascend && (i == 0 || kept[i - 1] < kept[i]);
			count[kept[i]]++;
			share_of[kept[i]] = share;
		}
	}
	return ascend;
}

/* Is each row listed one share's, but those of errors all shares', and neighbours one's? */
static bool
are_divided(const uint16_t *rows, uint32_t n, uint32_t nshares, const uint32_t *count,
			const uint32_t *share_of)
{
	uint32_t	found = 0;

	for (uint32_t i = 0; i < n; i++)
	{
		uint16_t	row = rows[i];
		bool		fails = bit_is_set(error, row);

		found += count[row];
		if (count[row] != (fails ? nshares : 1))
			return false;
		for (uint32_t j = 0; j < i && !fails; j++)
			if (!bit_is_set(error, rows[j]) && keys[row] >> 4 == keys[rows[j]] >> 4 &&
				share_of[row] != share_of[rows[j]])
				return false;
	}
	for (uint32_t i = 0; i < CPU_BATCH; i++)
		found -= count[i];
	return found == 0;
}

static void
test_division(ValueType type, Kind kind, bool all)
{
	Program    *program = one_key(type);
	EngineHints none = {0};
	Evaluator  *eval = eval_create(program, NULL, &none);
	Vector		vector = {values, kind == PLAIN ? NULL : valid, kind == WITH_ERRORS ? error : NULL};
	bool		divided = true;

	make_values(type, kind);
	eval_set_register(eval, 0, &vector);
	for (uint32_t nshares = 1; nshares <= MOST_SHARES; nshares++)
	{
		uint32_t	count[CPU_BATCH] = {0};
		uint32_t	share_of[CPU_BATCH] = {0};
		uint16_t	rows[CPU_BATCH];
		uint32_t	n = list_rows(all, rows);

		divided = divided && count_shares(program, eval, rows, n, nshares, count, share_of) &&
			are_divided(rows, n, nshares, count, share_of);
	}
	ok(divided, "%s%s, %s rows", value_type_name(type), kind_names[kind], all ? "all" : "some");
	eval_free(eval);
	free(program);
}

/* Shares of many keys have about as many rows each. */
static void
test_balance(void)
{
	Program    *program = one_key(VT_INT4);
	EngineHints none = {0};
	Evaluator  *eval = eval_create(program, NULL, &none);
	Vector		vector = {.values = values};
	uint32_t	most = 0;
	uint32_t	rows_of[16] = {0};

	for (int batch = 0; batch < 1000; batch++)
	{
		uint32_t	count[CPU_BATCH] = {0};
		uint32_t	share_of[CPU_BATCH] = {0};
		uint16_t	rows[CPU_BATCH];

		for (uint32_t i = 0; i < CPU_BATCH; i++)
			set_value(VT_INT4, i, batch * CPU_BATCH + i);
		eval_set_register(eval, 0, &vector);
		count_shares(program, eval, rows, list_rows(true, rows), 16, count, share_of);
		for (uint32_t i = 0; i < CPU_BATCH; i++)
			rows_of[share_of[i]]++;
	}
	for (int i = 0; i < 16; i++)
		most = rows_of[i] > most ? rows_of[i] : most;
	ok(most < 1000 * CPU_BATCH / 16 * 11 / 10, "of a million keys in 16 shares one has %u", most);
	eval_free(eval);
	free(program);
}

int
main(void)
{
	static const ValueType types[] = {VT_BOOL, VT_CHAR, VT_INT2, VT_INT4, VT_INT8};

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		for (int kind = 0; kind < NKINDS; kind++)
			for (int all = 0; all <= 1; all++)
				test_division(types[i], (Kind) kind, all);
	test_balance();
	return done_testing();
}
