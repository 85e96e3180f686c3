/*
 * test_regroup.c
 *	  Groups into coarser groups: their sums, distinct values, that the work comes in
 *	  pieces, between which a caller can be interrupted, and that groups beyond the
 *	  memory allowed go through a store.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/regroup.h"
#include "memory_store.h"
#include "tap.h"

#define NGROUPS 30000
#define BATCH 4096

/* Keys, and with them the fine groups' columns. */
enum
{
	K_A,
	K_B,
	K_V,						/* differs between all groups */
	NKEYS
};

enum
{
	ACC_ALL,					/* of fine and coarse */
	ACC_SUM,
	ACC_DISTINCT,				/* of coarse: values of V / 8 */
	NACCS
};

#define MODULUS_A 7
#define MODULUS_B 5
#define MANY 12000				/* values of B where groups are to be many */

static int32_t keys[NKEYS][NGROUPS];
static uint64_t states[NGROUPS][2];

static int32_t modulus_b = MODULUS_B;

static const KeySet sets[] = {1 << K_A | 1 << K_B, 1 << K_A, 1 << K_B, 0};

#define NSETS ((int) (sizeof(sets) / sizeof(sets[0])))

static void
make_groups(void)
{
	for (int i = 0; i < NGROUPS; i++)
	{
		keys[K_A][i] = i % MODULUS_A;
		keys[K_B][i] = i % modulus_b;
		keys[K_V][i] = i;
		states[i][ACC_ALL] = 1 + i % 3;
		states[i][ACC_SUM] = (uint64_t) i;
	}
}

static Program *
finished(ProgramBuilder *b)
{
	Program    *program = malloc(program_size(b));

	program_finish(b, program);
	return program;
}

static void
add_keys(ProgramBuilder *b)
{
	program_begin(b, SOURCE_COLUMNS);
	for (int i = 0; i < NKEYS; i++)
		program_add_key(b, program_add_column(b, i + 1, VT_INT4, true, -1));
}

static Program *
fine_program(ProgramBuilder *b)
{
	add_keys(b);
	program_add_acc(b, ACC_COUNT, -1, -1);
	program_add_acc(b, ACC_SUM_INT, b->keys[K_V], -1);
	return finished(b);
}

static Program *
coarse_program(ProgramBuilder *b, const Program *fine)
{
	add_keys(b);
	for (int i = 0; i < fine->naccs; i++)
		program_add_merged_acc(b, &program_accs(fine)[i]);
	program_add_acc(b, ACC_COUNT, b->keys[K_V], -1);
	return finished(b);
}

static EngineStatus
add_groups(Regroup *regroup, char *message)
{
	EngineStatus status = ENGINE_OK;

	for (uint32_t first = 0; first < NGROUPS && status == ENGINE_OK; first += BATCH)
	{
		ColumnVector vectors[NKEYS];
		GroupBatch	batch = {0};

		memset(vectors, 0, sizeof(vectors));
		for (int i = 0; i < NKEYS; i++)
			vectors[i].values = &keys[i][first];
		batch.ngroups = NGROUPS - first < BATCH ? NGROUPS - first : BATCH;
		batch.keys = vectors;
		batch.states = states[first];
		status = regroup_add(regroup, &batch, message);
	}
	return status;
}

/* How often regroup_end says that there is more to do; -1: it fails. */
static int
end_groups(Regroup *regroup, char *message)
{
	EngineStatus status;
	int			busy = 0;

	while ((status = regroup_end(regroup, message)) == ENGINE_BUSY)
		busy++;
	return status == ENGINE_OK ? busy : -1;
}

/* Fine groups are that far apart, at least, that agree in their keys of a set. */
static int
step_of(KeySet set)
{
	return ((set >> K_A) & 1 ? MODULUS_A : 1) * ((set >> K_B) & 1 ? modulus_b : 1);
}

/* The fine group that is the first with the keys of a set's group. */
static int
first_with(KeySet set, const GroupBatch *batch, uint32_t group)
{
	int			place = (set >> K_A) & 1 ? 1 : 0;
	int32_t		a = place > 0 ? ((const int32_t *) batch->keys[0].values)[group] : 0;
	int32_t		b = 0;

	if (((set >> K_B) & 1) == 0)
		return a;
	b = ((const int32_t *) batch->keys[place].values)[group];
	while (place > 0 && b < NGROUPS && keys[K_A][b] != a)
		b += modulus_b;
	return b;
}

/* Does a group of a set have what all fine groups with its keys come to? */
static bool
group_is_right(KeySet set, const GroupBatch *batch, uint32_t group)
{
	const uint64_t *words = batch->states + (size_t) group * NACCS;
	uint64_t	expected[NACCS] = {0};

	for (int i = first_with(set, batch, group); i < NGROUPS; i += step_of(set))
	{
		expected[ACC_ALL] += states[i][ACC_ALL];
		expected[ACC_SUM] += states[i][ACC_SUM];
		expected[ACC_DISTINCT]++;
	}
	return memcmp(words, expected, sizeof(expected)) == 0;
}

/* The number of a set's groups, 0 if one is wrong. */
static int
count_right_groups(Regroup *regroup, int set)
{
	GroupBatch	batch;
	char		message[256];
	int			n = 0;

	for (;;)
	{
		if (regroup_groups(regroup, set, &batch, message) != ENGINE_OK)
			return 0;
		if (batch.ngroups == 0)
			return n;
		for (uint32_t i = 0; i < batch.ngroups; i++)
			if (!group_is_right(sets[set], &batch, i))
				return 0;
		n += (int) batch.ngroups;
	}
}

static int	looks_left;

static bool
interrupt_soon(int milliseconds)
{
	return looks_left-- == 0;
}

/* Whichever look finds an interrupt, it ends the whole. */
static void
test_interrupted(const Program *fine, const Program *coarse)
{
	EngineHints hints = {.wait = interrupt_soon};
	bool		good = true;
	int			looks;

	for (looks = 0;; looks += 7)
	{
		Regroup    *regroup = regroup_create(fine, coarse, sets, NSETS, &hints);
		char		message[256] = "";
		bool		done;

		looks_left = looks;
		done = add_groups(regroup, message) == ENGINE_OK && end_groups(regroup, message) >= 0;
		regroup_free(regroup);
		if (looks_left >= 0)
		{
			good = good && done;
			break;
		}
		good = good && !done && strcmp(message, INTERRUPTED_MESSAGE) == 0;
	}
	ok(good && looks > NGROUPS / BATCH, "interrupted at any of %d looks", looks);
}

/* Groups taken in, and regrouped; false: neither, for the reason in message. */
static bool
regroups(Regroup *regroup, char *message)
{
	return add_groups(regroup, message) == ENGINE_OK && end_groups(regroup, message) >= 0;
}

/* Groups that the memory does not hold: the same, whatever it is. */
static void
test_stored(const Program *fine, const Program *coarse)
{
	static const uint64_t limits[] = {1 << 15, 1 << 18, 1 << 20, 1 << 26};
	char		message[256] = "";

	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
	{
		MemoryStore *store = memory_store();
		EngineHints hints = {.memory_limit = limits[i],.store = &store->head};
		Regroup    *regroup = regroup_create(fine, coarse, sets, NSETS, &hints);
		int			limit = (int) (limits[i] >> 10);

		ok(regroups(regroup, message), "with %d kB", limit);
		for (int turn = 0; turn < 2; turn++)
			ok(count_right_groups(regroup, 0) == NGROUPS &&
			   count_right_groups(regroup, 1) == MODULUS_A &&
			   count_right_groups(regroup, 2) == MANY && count_right_groups(regroup, 3) == 1,
			   "all sets have their groups");
		ok((stores.pieces > 0) == (i < 3), "through the store: %llu pieces",
		   (unsigned long long) stores.pieces);
		ok((regroup_batches(regroup) > 1) == (i < 3), "in %llu parts",
		   (unsigned long long) regroup_batches(regroup));
		ok(i == 0 || regroup_memory(regroup) < limits[i] + (1 << 18), "%d kB are held",
		   (int) (regroup_memory(regroup) >> 10));
		regroup_free(regroup);
		memory_store_free(store);
	}
}

/* Whichever call of the store fails, that ends the whole, or all groups are right without it. */
static void
test_store_fails(const Program *fine, const Program *coarse)
{
	bool		good = true;
	long		calls = 0;
	long		failed = 0;

	for (stores.fails_at = 1;; stores.fails_at += 1 + stores.fails_at / 2)
	{
		MemoryStore *store = memory_store();
		EngineHints hints = {.memory_limit = 1 << 18,.store = &store->head};
		Regroup    *regroup = regroup_create(fine, coarse, sets, NSETS, &hints);
		char		message[256] = "";
		bool		done = regroups(regroup, message);
		int			ngroups = 0;

		for (int i = 0; i < NSETS && done; i++)
		{
			int			n = count_right_groups(regroup, i);

			done = n > 0;
			ngroups += n;
		}
		failed += !done;
		good = good && (!done || ngroups == NGROUPS + MODULUS_A + MANY + 1);
		regroup_free(regroup);
		memory_store_free(store);
		calls = stores.calls;
		if (calls < stores.fails_at)
		{
			good = good && done;
			break;
		}
	}
	ok(good && calls > 100 && failed > 8, "of %ld calls of the store any fails, %ld end all", calls, failed);
	stores.fails_at = 0;
}

int
main(void)
{
	static const int expected[] = {MODULUS_A * MODULUS_B, MODULUS_A, MODULUS_B, 1};
	ProgramBuilder *b = malloc(sizeof(ProgramBuilder));
	Program    *fine = fine_program(b);
	Program    *coarse = coarse_program(b, fine);
	EngineHints hints = {0};
	Regroup    *regroup;
	char		message[256] = "";

	make_groups();
	regroup = regroup_create(fine, coarse, sets, NSETS, &hints);
	ok(add_groups(regroup, message) == ENGINE_OK, "groups are taken in");
	ok(end_groups(regroup, message) >= 2 * (NGROUPS / BATCH), "and regrouped piece by piece");
	for (int i = 0; i < NSETS; i++)
	{
		ok(!regroup_is_fine(regroup, i), "set %d is made here", i);
		ok(count_right_groups(regroup, i) == expected[i], "set %d has its groups", i);
		ok(count_right_groups(regroup, i) == expected[i], "and has them again");
	}
	regroup_free(regroup);
	test_interrupted(fine, coarse);

	hints.memory_limit = 1 << 20;
	regroup = regroup_create(fine, coarse, sets, NSETS, &hints);
	ok(!regroups(regroup, message), "too little memory: %s", message);
	regroup_free(regroup);

	modulus_b = MANY;			/* 7 and 12000 have no common divisor */
	make_groups();
	test_stored(fine, coarse);
	test_store_fails(fine, coarse);
	free(coarse);
	free(fine);
	free(b);
	return done_testing();
}
