/*
 * test_regroup.c
 *	  Groups into coarser groups: their sums, distinct values, and that the work
 *	  comes in pieces, between which a caller can be interrupted.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/regroup.h"
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
	ACC_ROWS,					/* of fine and coarse */
	ACC_SUM,
	ACC_DISTINCT,				/* of coarse: values of V / 8 */
	NACCS
};

#define MODULUS_A 7
#define MODULUS_B 5

static int32_t keys[NKEYS][NGROUPS];
static uint64_t states[NGROUPS][2];

static const KeySet sets[] = {1 << K_A | 1 << K_B, 1 << K_A, 1 << K_B, 0};

#define NSETS ((int) (sizeof(sets) / sizeof(sets[0])))

static void
make_groups(void)
{
	for (int i = 0; i < NGROUPS; i++)
	{
		keys[K_A][i] = i % MODULUS_A;
		keys[K_B][i] = i % MODULUS_B;
		keys[K_V][i] = i;
		states[i][ACC_ROWS] = 1 + i % 3;
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

/* Does a group of a set have what all fine groups with its keys come to? */
static bool
group_is_right(KeySet set, const GroupBatch *batch, uint32_t group)
{
	const uint64_t *words = batch->states + (size_t) group * NACCS;
	uint64_t	expected[NACCS] = {0};

	for (int i = 0; i < NGROUPS; i++)
	{
		bool		same = true;
		int			place = 0;

		for (int k = 0; k < NKEYS; k++)
			if ((set >> k) & 1)
				same &= keys[k][i] == ((const int32_t *) batch->keys[place++].values)[group];
		if (!same)
			continue;
		expected[ACC_ROWS] += states[i][ACC_ROWS];
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
	int			n = 0;

	for (;;)
	{
		regroup_groups(regroup, set, &batch);
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
	ok(add_groups(regroup, message) != ENGINE_OK || end_groups(regroup, message) < 0,
	   "too little memory: %s", message);
	regroup_free(regroup);
	free(coarse);
	free(fine);
	free(b);
	return done_testing();
}
