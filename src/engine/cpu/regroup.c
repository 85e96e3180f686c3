/*
 * regroup.c
 *	  An engine's groups into coarser groups: grouping sets, DISTINCT aggregates.
 *
 * An engine makes the groups of all keys that any set or DISTINCT aggregate
 * needs, the fine groups.  A set's table takes them in by the set's keys, and
 * merges their states.  States merge exactly, so instead of all fine groups it
 * may take those of another set that has all of its keys: the smallest such.
 *
 * An aggregate with DISTINCT takes each value of its argument, which is a fine
 * key, once a group.  That is done when groups are taken in whose keys are the
 * set's keys and the argument, and no more, for then each comes once.  If the
 * set's table does not take such groups in anyway, they are made: a table of
 * these keys, without states.
 *
 * So there are tables, and edges along which groups go from one to another, or
 * from the engine; all edges lead from more keys to fewer, or from a table
 * without states to one with them, and tables are filled in that order.
 *
 * All tables share the memory allowed.  When one finds no room, the largest is spilled:
 * its groups go into the store (regroup_node.h), and its memory is free.  A table whose
 * groups are being read is left alone.  Reading groups that are in the store takes at
 * most a quarter of the memory, to merge them, and a table that takes more than half of
 * it is spilled before it is read: so there is always room for the one that is filled.  Once
 * all are filled, there is room to read any of them: when groups have left, nothing is
 * written any more, since the store could be full.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/cpu/eval.h"
#include "engine/cpu/regroup_node.h"
#include "program/state.h"

/* What accumulators can take in before they are merged or carried over. */
#define MOST_GROUPS (UINT64_C(1) << 31)

/* Groups that find theirs together where there is no room for those of a batch. */
#define FEW_GROUPS 32

/* Of the memory allowed: what merging a node's groups takes, and what one may hold. */
#define READING_SHARE 4
#define HOLDING_SHARE 2
#define LEAST_READING (UINT64_C(1) << 16)

struct Regroup
{
	Program    *fine;
	Program    *coarse;
	EngineHints hints;
	uint64_t	limit;
	uint64_t	held;			/* by all nodes */
	uint64_t	memory;			/* the most held at once */
	KeySet		all;			/* the fine groups' keys */
	uint64_t	taken;			/* fine groups */
	int32_t    *fine_units;		/* of fine's float sums */
	Evaluator  *eval;			/* of coarse */
	int8_t	   *acc_keys;		/* by accumulator of coarse: the fine key that it
								 * takes in, or -1 */
	KeySet		arguments;		/* all of these */
	bool		merges;			/* fine groups come several times each */
	int			nsets;
	int		   *set_nodes;		/* by set: its node, or FROM_ENGINE */
	int			nnodes;
	RegroupNode	   *nodes;			/* in the order in which they are filled */
	int			filling;		/* the node that is filled now, */
	int			taking;			/* by its source (0), or by this node (from 1) */
	uint16_t	rows[CPU_BATCH];	/* 0, 1, ... */
	uint32_t	groups[CPU_BATCH];
};

static int
count_keys(KeySet keys)
{
	return __builtin_popcountll(keys);
}

/* The fine key that a register is computed from. */
static int
register_key(const Program *coarse, int reg)
{
	const Insn *insns = program_insns(coarse);

	while (insns[reg].op != OP_column)
		reg = insns[reg].arg[0];
	return program_columns(coarse)[insns[reg].index].attno - 1;
}

/* Add a node unless there is one. */
static void
add_node(Regroup *regroup, KeySet keys, bool has_states)
{
	for (int i = 0; i < regroup->nnodes; i++)
		if (regroup->nodes[i].keys == keys && regroup->nodes[i].has_states == has_states)
			return;
	regroup->nodes[regroup->nnodes++] = (RegroupNode)
	{
		.keys = keys,.has_states = has_states,.source = FROM_ENGINE
	};
}

/* Distinct keys first, then those with more keys. */
static int
compare_nodes(const void *a, const void *b)
{
	const RegroupNode *x = a;
	const RegroupNode *y = b;

	if (x->has_states != y->has_states)
		return x->has_states ? 1 : -1;
	if (count_keys(x->keys) != count_keys(y->keys))
		return count_keys(y->keys) - count_keys(x->keys);
	return x->keys < y->keys ? -1 : x->keys > y->keys;
}

/* Do groups with these keys hold each value of the argument once a group? */
static bool
is_distinct(KeySet from, KeySet keys, int argument)
{
	return (keys | (KeySet) 1 << argument) == from;
}

/* Does a set take an argument from the fine groups, whatever else it takes? */
static bool
needs_fine(const Regroup *regroup, KeySet keys)
{
	for (int i = 0; i < regroup->fine->nkeys; i++)
		if ((regroup->arguments >> i) & 1 && is_distinct(regroup->all, keys, i))
			return true;
	return false;
}

/* Where the groups of each node come from: the fewest keys that have all. */
static void
find_sources(Regroup *regroup)
{
	for (int i = 0; i < regroup->nnodes; i++)
	{
		RegroupNode	   *node = &regroup->nodes[i];

		if (node->has_states && needs_fine(regroup, node->keys))
			continue;
		for (int j = 0; j < i; j++)
		{
			const RegroupNode *other = &regroup->nodes[j];

			if (other->has_states == node->has_states && other->keys != node->keys &&
				(other->keys & node->keys) == node->keys)
				node->source = j;	/* later ones have fewer keys */
		}
	}
}

static KeySet
source_keys(const Regroup *regroup, const RegroupNode *node)
{
	return node->source == FROM_ENGINE ? regroup->all : regroup->nodes[node->source].keys;
}

/* The nodes of the sets, in their order. */
static void
add_sets(Regroup *regroup, const KeySet *sets)
{
	for (int i = 0; i < regroup->nsets; i++)
		if (sets[i] != regroup->all || regroup->arguments != 0 || regroup->merges)
			add_node(regroup, sets[i], true);
	qsort(regroup->nodes, regroup->nnodes, sizeof(RegroupNode), compare_nodes);
	find_sources(regroup);
}

/* The nodes of distinct keys that the sets' nodes do not take in anyway. */
static void
add_distinct(Regroup *regroup)
{
	int			nsets = regroup->nnodes;

	for (int i = 0; i < nsets; i++)
	{
		KeySet		keys = regroup->nodes[i].keys;
		KeySet		source = source_keys(regroup, &regroup->nodes[i]);

		for (int a = 0; a < regroup->fine->nkeys; a++)
			if ((regroup->arguments >> a) & 1 && !is_distinct(source, keys, a))
				add_node(regroup, keys | (KeySet) 1 << a, false);
	}
	qsort(regroup->nodes, regroup->nnodes, sizeof(RegroupNode), compare_nodes);
	for (int i = 0; i < regroup->nnodes; i++)
		regroup->nodes[i].source = FROM_ENGINE;
	find_sources(regroup);
}

/* Each set's node. */
static void
find_set_nodes(Regroup *regroup, const KeySet *sets)
{
	for (int i = 0; i < regroup->nsets; i++)
	{
		regroup->set_nodes[i] = FROM_ENGINE;
		for (int j = 0; j < regroup->nnodes; j++)
			if (regroup->nodes[j].has_states && regroup->nodes[j].keys == sets[i])
				regroup->set_nodes[i] = j;
	}
}

static bool
open_nodes(Regroup *regroup)
{
	for (int i = 0; i < regroup->nnodes; i++)
	{
		RegroupNode *node = &regroup->nodes[i];

		node->store.number = (uint32_t) i;
		node->store.of = (uint32_t) regroup->nnodes;
		if (!node_open(node, regroup->coarse, &regroup->hints))
			return false;
	}
	return true;
}

static Program *
copy_program(const Program *program)
{
	Program    *copy = malloc(program->size);

	return copy ? memcpy(copy, program, program->size) : NULL;
}

/* What the accumulators take in. */
static void
find_arguments(Regroup *regroup)
{
	const Accumulator *accs = program_accs(regroup->coarse);

	for (int i = 0; i < regroup->coarse->naccs; i++)
	{
		regroup->acc_keys[i] = -1;
		if (accs[i].arg == ACC_MERGED)
			continue;
		regroup->acc_keys[i] = (int8_t) register_key(regroup->coarse, accs[i].arg);
		regroup->arguments |= (KeySet) 1 << regroup->acc_keys[i];
	}
}

static Regroup *
create(const Program *fine, const Program *coarse, const KeySet *sets, int nsets, bool merges,
	   const EngineHints *hints)
{
	/* what is evaluated, keys and their parts, takes no time */
	static const EngineHints nothing = {0};
	Regroup    *regroup = calloc(1, sizeof(Regroup));

	if (regroup == NULL)
		return NULL;
	regroup->hints = *hints;
	regroup->limit = hints->memory_limit ? hints->memory_limit : DEFAULT_MEMORY_LIMIT;
	regroup->hints.memory_limit = regroup->limit;
	regroup->nsets = nsets;
	regroup->merges = merges;
	for (int i = 0; i < fine->nkeys; i++)
		regroup->all |= (KeySet) 1 << i;
	for (int i = 0; i < CPU_BATCH; i++)
		regroup->rows[i] = (uint16_t) i;
	regroup->fine = copy_program(fine);
	regroup->coarse = copy_program(coarse);
	regroup->eval = regroup->coarse ? eval_create(regroup->coarse, NULL, &nothing) : NULL;
	regroup->acc_keys = calloc(coarse->naccs + 1, sizeof(int8_t));
	regroup->fine_units = calloc(fine->naccs + 1, sizeof(int32_t));
	regroup->set_nodes = calloc(nsets + 1, sizeof(int));
	/* a set has its own node, and one for each argument */
	regroup->nodes = calloc((size_t) (nsets + 1) * (fine->nkeys + 1), sizeof(RegroupNode));
	if (regroup->fine && regroup->coarse && regroup->eval && regroup->acc_keys &&
		regroup->fine_units && regroup->set_nodes && regroup->nodes)
	{
		find_arguments(regroup);
		add_sets(regroup, sets);
		add_distinct(regroup);
		find_set_nodes(regroup, sets);
		if (open_nodes(regroup))
			return regroup;
	}
	regroup_free(regroup);
	return NULL;
}

Regroup *
regroup_create(const Program *fine, const Program *coarse, const KeySet *sets,
			   int nsets, const EngineHints *hints)
{
	return create(fine, coarse, sets, nsets, false, hints);
}

/* Is a fine key only counted? */
static bool
is_counted(const Program *coarse, int key)
{
	const Accumulator *accs = program_accs(coarse);

	for (int i = 0; i < coarse->naccs; i++)
		if (accs[i].arg != ACC_MERGED && register_key(coarse, accs[i].arg) == key &&
			accs[i].kind != ACC_COUNT)
			return false;
	return true;
}

/*
 * With one set and one key beside it, each fine group has another value of that key, which is looked
 * at only if the accumulators take it in.
 */
uint64_t
regroup_unread_keys(const Program *fine, const Program *coarse, const KeySet *sets, int nsets)
{
	KeySet		others = 0;

	if (nsets != 1)
		return 0;
	for (int i = 0; i < fine->nkeys; i++)
		if (!(sets[0] >> i & 1))
			others |= (KeySet) 1 << i;
	for (int i = 0; i < fine->nkeys; i++)
		if (others == (KeySet) 1 << i && program_key_type(fine, i) == VT_TEXT && is_counted(coarse, i))
			return others;
	return 0;
}

/* Over a Program's groups, what merges all of its accumulators by the same keys. */
static Program *
merging_program(const Program *program)
{
	ProgramBuilder *b = malloc(sizeof(*b));
	Program    *merging = NULL;

	if (b == NULL)
		return NULL;
	program_begin(b, SOURCE_COLUMNS);
	b->head.level = program->level;
	b->head.specials = program->specials;
	for (int i = 0; i < program->nkeys; i++)
		program_add_numeric_key(b, program_add_column(b, i + 1, program_key_type(program, i),
													  true, -1),
								program_key_scales(program)[i]);
	for (int i = 0; i < program->naccs; i++)
		program_add_merged_acc(b, &program_accs(program)[i]);
	if (program_size(b) > 0)
		merging = malloc(program_size(b));
	if (merging != NULL)
		program_finish(b, merging);
	free(b);
	return merging;
}

Regroup *
regroup_of_runs(const Program *program, const EngineHints *hints)
{
	Program    *merging = merging_program(program);
	KeySet		all = 0;
	Regroup    *regroup;

	if (merging == NULL)
		return NULL;
	for (int i = 0; i < program->nkeys; i++)
		all |= (KeySet) 1 << i;
	regroup = create(program, merging, &all, 1, true, hints);
	free(merging);
	return regroup;
}

void
regroup_free(Regroup *regroup)
{
	if (regroup == NULL)
		return;
	for (int i = 0; i < regroup->nnodes; i++)
		node_close(&regroup->nodes[i]);
	free(regroup->nodes);
	free(regroup->set_nodes);
	free(regroup->acc_keys);
	free(regroup->fine_units);
	eval_free(regroup->eval);
	free(regroup->coarse);
	free(regroup->fine);
	free(regroup);
}

static EngineStatus
no_memory(const Regroup *regroup, char *message)
{
	snprintf(message, 256, "the groups of all %s take more than the %llu MB allowed",
			 regroup->merges ? "devices" : "grouping sets", (unsigned long long) (regroup->limit >> 20));
	return ENGINE_NO_MEMORY;
}

/* What a node holds may have changed. */
static void
note_memory(Regroup *regroup, RegroupNode *node)
{
	uint64_t	memory = node_memory(node);

	regroup->held += memory - node->noted;
	node->noted = memory;
	memory = regroup->held + eval_memory(regroup->eval);
	if (memory > regroup->memory)
		regroup->memory = memory;
}

/* The node that holds most of those that can be spilled, or NULL. */
static RegroupNode *
largest_node(Regroup *regroup)
{
	RegroupNode *largest = NULL;
	uint64_t	most = 0;

	for (int i = 0; i < regroup->nnodes && regroup->hints.store != NULL; i++)
	{
		RegroupNode *node = &regroup->nodes[i];
		uint64_t	memory = node_can_spill(node) ? node_memory(node) : 0;

		if (memory > most)
		{
			most = memory;
			largest = node;
		}
	}
	return largest;
}

/* Spill a node, and free its memory. */
static EngineStatus
spill_node(Regroup *regroup, RegroupNode *node, char *message)
{
	EngineStatus status = node_spill(node, &regroup->hints, message);

	note_memory(regroup, node);
	node_release(node);
	note_memory(regroup, node);
	return status;
}

/* Let so much of the memory be free, if nodes can be spilled. */
static EngineStatus
make_room(Regroup *regroup, uint64_t room, char *message)
{
	EngineStatus status = ENGINE_OK;
	RegroupNode *largest;

	while (status == ENGINE_OK && regroup->held + room > regroup->limit &&
		   (largest = largest_node(regroup)) != NULL)
		status = spill_node(regroup, largest, message);
	return status;
}

/* Without a store there must be room. */
static EngineStatus
check_memory(const Regroup *regroup, char *message)
{
	return regroup->hints.store != NULL || regroup->held <= regroup->limit ?
		ENGINE_OK : no_memory(regroup, message);
}

static uint64_t
reading_limit(const Regroup *regroup)
{
	uint64_t	share = regroup->limit / READING_SHARE;

	return share > LEAST_READING ? share : LEAST_READING;
}

/*
 * Before the groups of a complete node are read.  Its own table can be spilled only now;
 * others can be later, when there is no room.
 */
static EngineStatus
begin_reading(Regroup *regroup, RegroupNode *node, bool fills, char *message)
{
	EngineStatus status = ENGINE_OK;

	if (fills && regroup->hints.store != NULL && node_can_spill(node) &&
		node_memory(node) > regroup->limit / HOLDING_SHARE)
		status = spill_node(regroup, node, message);
	if (status == ENGINE_OK && node->spill != NULL)
	{
		status = make_room(regroup, reading_limit(regroup), message);
		node_set_reading_limit(node, reading_limit(regroup));
	}
	node->reading = true;
	return status;
}

/* A part of a key's vector; NULLs if the groups do not have the key. */
static ColumnVector
slice_key(const GroupBatch *batch, KeySet from, int key, ValueType type, uint32_t first)
{
	static const uint64_t nothing[2 * CPU_BATCH + 2];
	ColumnVector slice = {nothing, (const uint32_t *) nothing, (const uint8_t *) nothing};
	const ColumnVector *whole;

	if (!((from >> key) & 1))
		return slice;
	whole = &batch->keys[count_keys(from & (((KeySet) 1 << key) - 1))];
	slice.values = (const char *) whole->values + first * (size_t) value_type_size(type);
	slice.offsets = whole->offsets ? whole->offsets + first : NULL;
	slice.validity = whole->validity ? whole->validity + first / 8 : NULL;
	return slice;
}

/* Let the evaluator have n of the batch's groups, from the first on. */
static void
evaluate(Regroup *regroup, const GroupBatch *batch, KeySet from, uint32_t first, uint32_t n)
{
	const Program *coarse = regroup->coarse;
	const Column *columns = program_columns(coarse);
	ColumnVector slices[PROGRAM_MAX_COLUMNS];
	ColumnBatch part = {n, slices};

	for (int i = 0; i < coarse->ncolumns; i++)
		slices[i] = slice_key(batch, from, columns[i].attno - 1,
							  (ValueType) columns[i].type, first);
	(void) eval_run(regroup->eval, &part, 0, coarse->ninsns);
}

/* Let a node's table take what the others leave of the memory. */
static void
set_limit(Regroup *regroup, RegroupNode *node)
{
	uint64_t	others = regroup->held - node->noted;

	table_set_limit(node->table, others < regroup->limit ? regroup->limit - others : 0);
}

/*
 * Find a node's groups of *n evaluated ones from the first on, or of fewer, and say of
 * how many.  Where there is no room, a few are tried, then nodes are spilled, and when
 * the table has no groups but these, the limit is lifted.
 */
static EngineStatus
find_groups(Regroup *regroup, RegroupNode *node, uint32_t first, uint32_t *n, char *message)
{
	bool		spilled = false;
	bool		lifted = false;
	EngineStatus status;

	set_limit(regroup, node);
	while ((status = table_find(node->table, regroup->eval, regroup->rows + first, *n,
								regroup->groups, message)) == ENGINE_NO_MEMORY && !lifted)
	{
		RegroupNode *largest = largest_node(regroup);

		if (regroup->hints.store == NULL)
			return no_memory(regroup, message);
		if (*n > FEW_GROUPS)
			*n = FEW_GROUPS;
		else if (largest != NULL && !(largest == node && spilled))
		{
			spilled = spilled || largest == node;
			status = spill_node(regroup, largest, message);
			if (status != ENGINE_OK)
				return status;
			set_limit(regroup, node);
		}
		else
		{
			table_release(node->table);
			table_set_limit(node->table, UINT64_MAX);
			lifted = true;
		}
	}
	return status;
}

/*
 * Merge states, if there are any to merge, into the groups found of n evaluated ones, and
 * take in arguments that are distinct among them.
 */
static EngineStatus
take_in(Regroup *regroup, RegroupNode *node, KeySet from, const uint64_t *states,
		size_t nwords, uint32_t first, uint32_t n, char *message)
{
	const Program *coarse = regroup->coarse;
	RowGroups	rows = {n, regroup->rows + first, regroup->groups};
	States		into = {.single = node->keys == 0,.table = node->table};
	EngineStatus status = ENGINE_OK;

	if (regroup->hints.store != NULL)	/* too late to spill: some are merged */
		table_set_limit(node->table, UINT64_MAX);
	into.base = table_records(node->table, &into.stride) + table_layout(node->table)->words;
	for (uint32_t i = 0; i < n && states != NULL; i++)
		if (!merge_state(regroup->fine, node->table,
						 into.base + regroup->groups[i] * into.stride,
						 states + (first + i) * nwords, true))
			return no_memory(regroup, message);
	for (int i = 0; i < coarse->naccs && status == ENGINE_OK; i++)
		if (regroup->acc_keys[i] >= 0 && is_distinct(from, node->keys, regroup->acc_keys[i]))
			status = accumulate(&program_accs(coarse)[i], coarse, regroup->eval, &rows,
								&into, &node->units[i], message);
	return status;
}

/* Take n evaluated groups into a node's table. */
static EngineStatus
take_evaluated(Regroup *regroup, RegroupNode *node, KeySet from, const uint64_t *states,
			   size_t nwords, uint32_t n, char *message)
{
	uint32_t	part = 0;
	EngineStatus status = ENGINE_OK;

	for (uint32_t first = 0; first < n && status == ENGINE_OK; first += part)
	{
		part = n - first;
		status = find_groups(regroup, node, first, &part, message);
		if (status == ENGINE_OK && node->has_states)
			status = take_in(regroup, node, from, states, nwords, first, part, message);
		note_memory(regroup, node);
		if (status == ENGINE_OK)
			status = make_room(regroup, 0, message);
	}
	return status == ENGINE_OK ? check_memory(regroup, message) : status;
}

/* The next groups of a complete node into another; OK: that was all, else BUSY. */
static EngineStatus
take_node(Regroup *regroup, RegroupNode *node, RegroupNode *source, char *message)
{
	size_t		nwords = source->program->nwords;
	EngineStatus status = ENGINE_OK;
	GroupBatch	batch;

	if (!source->reading)
		status = begin_reading(regroup, source, true, message);
	if (status == ENGINE_OK)
		status = node_batch(source, &batch, message);
	note_memory(regroup, source);
	if (status != ENGINE_OK || batch.ngroups == 0)
		return status;
	for (uint32_t first = 0; first < batch.ngroups && status == ENGINE_OK; first += CPU_BATCH)
	{
		uint32_t	n = batch.ngroups - first < CPU_BATCH ? batch.ngroups - first : CPU_BATCH;

		evaluate(regroup, &batch, source->keys, first, n);
		status = take_evaluated(regroup, node, source->keys,
								source->has_states ? batch.states + first * nwords : NULL,
								nwords, n, message);
	}
	return status == ENGINE_OK ? ENGINE_BUSY : status;
}

EngineStatus
regroup_add(Regroup *regroup, const GroupBatch *fine, char *message)
{
	EngineStatus status = ENGINE_OK;
	size_t		nwords = regroup->fine->nwords;

	regroup->taken += fine->ngroups;
	if (regroup->taken >= MOST_GROUPS)
	{
		snprintf(message, 256, "too many groups for %s",
				 regroup->merges ? "several devices" : "grouping sets");
		return ENGINE_NO_MEMORY;
	}
	for (int i = 0; i < regroup->fine->naccs && fine->units != NULL; i++)
		regroup->fine_units[i] = fine->units[i];
	for (uint32_t first = 0; first < fine->ngroups; first += CPU_BATCH)
	{
		uint32_t	n = fine->ngroups - first < CPU_BATCH ? fine->ngroups - first : CPU_BATCH;

		evaluate(regroup, fine, regroup->all, first, n);
		for (int i = 0; i < regroup->nnodes; i++)
		{
			RegroupNode	   *node = &regroup->nodes[i];

			if (node->source != FROM_ENGINE)
				continue;
			if (engine_interrupted(&regroup->hints))
			{
				snprintf(message, 256, INTERRUPTED_MESSAGE);
				return ENGINE_FAILED;
			}
			status = take_evaluated(regroup, node, regroup->all,
									fine->states + first * nwords, nwords, n, message);
			if (status != ENGINE_OK)
				return status;
		}
	}
	return ENGINE_OK;
}

/* Does the other node have arguments for a set that do not come with its source? */
static bool
has_arguments(const Regroup *regroup, const RegroupNode *node, const RegroupNode *other)
{
	if (!node->has_states || other->has_states || other->keys == source_keys(regroup, node))
		return false;
	for (int a = 0; a < regroup->fine->nkeys; a++)
		if ((regroup->arguments >> a) & 1 && is_distinct(other->keys, node->keys, a))
			return true;
	return false;
}

/* A node's next groups: those of its source, then arguments.  BUSY: there are more. */
static EngineStatus
fill_node(Regroup *regroup, RegroupNode *node, char *message)
{
	EngineStatus status = ENGINE_OK;

	while (status == ENGINE_OK && regroup->taking <= regroup->nnodes)
	{
		int			other = regroup->taking - 1;

		if (other < 0)
			other = node->source;
		else if (!has_arguments(regroup, node, &regroup->nodes[other]))
			other = FROM_ENGINE;
		if (other != FROM_ENGINE)
			status = take_node(regroup, node, &regroup->nodes[other], message);
		if (status == ENGINE_OK)
			regroup->taking++;
	}
	return status;
}

/* What float sums of a node count. */
static void
set_units(const Regroup *regroup, RegroupNode *node)
{
	for (int i = 0; i < regroup->coarse->naccs; i++)
		node->group_units[i] = i < regroup->fine->naccs ? regroup->fine_units[i] :
			node->units[i].exponent;
}

/* Let there be room to read any node whose groups are in the store. */
static EngineStatus
make_room_to_read(Regroup *regroup, char *message)
{
	for (int i = 0; i < regroup->nnodes; i++)
		if (regroup->nodes[i].has_states && regroup->nodes[i].spill != NULL)
			return make_room(regroup, reading_limit(regroup), message);
	return ENGINE_OK;
}

/* A node has all of its groups. */
static EngineStatus
complete_node(Regroup *regroup, RegroupNode *node, char *message)
{
	EngineStatus status = node_complete(node, &regroup->hints, message);

	set_units(regroup, node);
	note_memory(regroup, node);
	if (status != ENGINE_OK || node->spill == NULL || !node->spill->suspect)
		return status;
	status = begin_reading(regroup, node, false, message);
	if (status == ENGINE_OK)
		status = node_check(node, message);
	note_memory(regroup, node);
	node->reading = false;
	return status;
}

EngineStatus
regroup_end(Regroup *regroup, char *message)
{
	EngineStatus status;

	for (; regroup->filling < regroup->nnodes; regroup->filling++)
	{
		RegroupNode *node = &regroup->nodes[regroup->filling];

		status = fill_node(regroup, node, message);
		if (status == ENGINE_OK)
			status = complete_node(regroup, node, message);
		if (status != ENGINE_OK)
			return status;
		regroup->taking = 0;
	}
	for (int i = 0; i < regroup->nnodes; i++)
	{
		RegroupNode *node = &regroup->nodes[i];

		if (!node->has_states)	/* all have been taken in */
			node_release(node);
		note_memory(regroup, node);
	}
	status = make_room_to_read(regroup, message);
	return status == ENGINE_OK ? check_memory(regroup, message) : status;
}

bool
regroup_is_fine(const Regroup *regroup, int set)
{
	return regroup->set_nodes[set] == FROM_ENGINE;
}

EngineStatus
regroup_groups(Regroup *regroup, int set, GroupBatch *batch, char *message)
{
	RegroupNode *node = &regroup->nodes[regroup->set_nodes[set]];
	EngineStatus status;

	batch->ngroups = 0;
	if (!node->reading && node->spill != NULL)
		node_set_reading_limit(node, reading_limit(regroup));
	status = node_batch(node, batch, message);
	batch->units = node->group_units;
	note_memory(regroup, node);
	return status;
}

uint64_t
regroup_memory(const Regroup *regroup)
{
	return regroup->memory;
}

uint64_t
regroup_batches(const Regroup *regroup)
{
	uint64_t	batches = 1;

	for (int i = 0; i < regroup->nnodes; i++)
		if (regroup->nodes[i].parts > batches)
			batches = regroup->nodes[i].parts;
	return batches;
}
