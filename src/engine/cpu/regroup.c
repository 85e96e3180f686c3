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
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/cpu/accumulate.h"
#include "engine/cpu/eval.h"
#include "engine/cpu/output.h"
#include "engine/regroup.h"
#include "engine/cpu/table.h"
#include "program/state.h"

/* What accumulators can take in before they are merged or carried over. */
#define MOST_GROUPS (UINT64_C(1) << 31)

#define FROM_ENGINE (-1)

typedef struct Node
{
	KeySet		keys;
	bool		has_states;		/* a set's; else distinct keys only */
	int			source;			/* the node its groups come from, or FROM_ENGINE */
	Program    *program;
	GroupTable *table;
	GroupOutput *output;		/* made when the table is complete */
	SumUnit    *units;			/* by accumulator, of float sums */
	int32_t    *group_units;	/* the same, for the output */
} Node;

struct Regroup
{
	Program    *fine;
	Program    *coarse;
	EngineHints hints;
	uint64_t	limit;
	uint64_t	memory;
	KeySet		all;			/* the fine groups' keys */
	uint64_t	taken;			/* fine groups */
	int32_t    *fine_units;		/* of fine's float sums */
	Evaluator  *eval;			/* of coarse */
	int8_t	   *acc_keys;		/* by accumulator of coarse: the fine key that it
								 * takes in, or -1 */
	KeySet		arguments;		/* all of these */
	int			nsets;
	int		   *set_nodes;		/* by set: its node, or FROM_ENGINE */
	int			nnodes;
	Node	   *nodes;			/* in the order in which they are filled */
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
	regroup->nodes[regroup->nnodes++] = (Node)
	{
		.keys = keys,.has_states = has_states,.source = FROM_ENGINE
	};
}

/* Distinct keys first, then those with more keys. */
static int
compare_nodes(const void *a, const void *b)
{
	const Node *x = a;
	const Node *y = b;

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
		Node	   *node = &regroup->nodes[i];

		if (node->has_states && needs_fine(regroup, node->keys))
			continue;
		for (int j = 0; j < i; j++)
		{
			const Node *other = &regroup->nodes[j];

			if (other->has_states == node->has_states && other->keys != node->keys &&
				(other->keys & node->keys) == node->keys)
				node->source = j;	/* later ones have fewer keys */
		}
	}
}

static KeySet
source_keys(const Regroup *regroup, const Node *node)
{
	return node->source == FROM_ENGINE ? regroup->all : regroup->nodes[node->source].keys;
}

/* The nodes of the sets, in their order. */
static void
add_sets(Regroup *regroup, const KeySet *sets)
{
	for (int i = 0; i < regroup->nsets; i++)
		if (sets[i] != regroup->all || regroup->arguments != 0)
			add_node(regroup, sets[i], true);
	qsort(regroup->nodes, regroup->nnodes, sizeof(Node), compare_nodes);
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
	qsort(regroup->nodes, regroup->nnodes, sizeof(Node), compare_nodes);
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
	/* nobody knows how many groups the sets have */
	EngineHints hints = {.wait = regroup->hints.wait};

	for (int i = 0; i < regroup->nnodes; i++)
	{
		Node	   *node = &regroup->nodes[i];

		node->program = malloc(regroup->coarse->size);
		if (node->program == NULL)
			return false;
		program_with_keys(regroup->coarse, node->keys, node->has_states, node->program);
		node->table = table_create(node->program, &hints, regroup->limit);
		node->units = calloc(regroup->coarse->naccs + 1, sizeof(SumUnit));
		node->group_units = calloc(regroup->coarse->naccs + 1, sizeof(int32_t));
		if (!node->table || !node->units || !node->group_units)
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

Regroup *
regroup_create(const Program *fine, const Program *coarse, const KeySet *sets,
			   int nsets, const EngineHints *hints)
{
	/* what is evaluated, keys and their parts, takes no time */
	static const EngineHints nothing = {0};
	Regroup    *regroup = calloc(1, sizeof(Regroup));

	if (regroup == NULL)
		return NULL;
	regroup->hints = *hints;
	regroup->limit = hints->memory_limit ? hints->memory_limit : DEFAULT_MEMORY_LIMIT;
	regroup->nsets = nsets;
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
	regroup->nodes = calloc((size_t) (nsets + 1) * (fine->nkeys + 1), sizeof(Node));
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

void
regroup_free(Regroup *regroup)
{
	if (regroup == NULL)
		return;
	for (int i = 0; i < regroup->nnodes; i++)
	{
		output_free(regroup->nodes[i].output);
		table_free(regroup->nodes[i].table);
		free(regroup->nodes[i].units);
		free(regroup->nodes[i].group_units);
		free(regroup->nodes[i].program);
	}
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
	snprintf(message, 256, "the groups of all grouping sets take more than the %llu MB allowed",
			 (unsigned long long) (regroup->limit >> 20));
	return ENGINE_NO_MEMORY;
}

/* Is what all tables and outputs take within the limit? */
static EngineStatus
check_memory(Regroup *regroup, char *message)
{
	uint64_t	memory = eval_memory(regroup->eval);

	for (int i = 0; i < regroup->nnodes; i++)
	{
		const Node *node = &regroup->nodes[i];

		memory += table_memory(node->table);
		if (node->output)
			memory += output_memory(node->output);
	}
	if (memory > regroup->memory)
		regroup->memory = memory;
	return memory <= regroup->limit ? ENGINE_OK : no_memory(regroup, message);
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

/*
 * Take evaluated groups into a node's table: find theirs, merge their states if
 * there are any to merge, and take in arguments that are distinct among them.
 */
static EngineStatus
take_evaluated(Regroup *regroup, Node *node, KeySet from, const uint64_t *states,
			   size_t nwords, uint32_t n, char *message)
{
	const Program *coarse = regroup->coarse;
	RowGroups	rows = {n, regroup->rows, regroup->groups};
	States		into = {.single = node->keys == 0,.table = node->table};
	EngineStatus status;

	status = table_find(node->table, regroup->eval, regroup->rows, n, regroup->groups,
						message);
	if (status == ENGINE_OK)
		status = check_memory(regroup, message);
	if (status != ENGINE_OK || !node->has_states)
		return status;
	into.base = table_records(node->table, &into.stride) + table_layout(node->table)->words;
	for (uint32_t i = 0; i < n && states != NULL; i++)
		if (!merge_state(regroup->fine, node->table,
						 into.base + regroup->groups[i] * into.stride, states + i * nwords))
			return no_memory(regroup, message);
	for (int i = 0; i < coarse->naccs && status == ENGINE_OK; i++)
		if (regroup->acc_keys[i] >= 0 && is_distinct(from, node->keys, regroup->acc_keys[i]))
			status = accumulate(&program_accs(coarse)[i], coarse, regroup->eval, &rows,
								&into, &node->units[i], message);
	return status;
}

/* The next groups of a complete node into another; OK: that was all, else BUSY. */
static EngineStatus
take_node(Regroup *regroup, Node *node, const Node *source, char *message)
{
	size_t		nwords = source->program->nwords;
	GroupBatch	batch;

	output_batch(source->output, &batch);
	if (batch.ngroups == 0)
	{
		output_rewind(source->output);
		return ENGINE_OK;
	}
	for (uint32_t first = 0; first < batch.ngroups; first += CPU_BATCH)
	{
		uint32_t	n = batch.ngroups - first < CPU_BATCH ? batch.ngroups - first : CPU_BATCH;
		EngineStatus status;

		evaluate(regroup, &batch, source->keys, first, n);
		status = take_evaluated(regroup, node, source->keys,
								source->has_states ? batch.states + first * nwords : NULL,
								nwords, n, message);
		if (status != ENGINE_OK)
			return status;
	}
	return ENGINE_BUSY;
}

EngineStatus
regroup_add(Regroup *regroup, const GroupBatch *fine, char *message)
{
	EngineStatus status = ENGINE_OK;
	size_t		nwords = regroup->fine->nwords;

	regroup->taken += fine->ngroups;
	if (regroup->taken >= MOST_GROUPS)
	{
		snprintf(message, 256, "too many groups for grouping sets");
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
			Node	   *node = &regroup->nodes[i];

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
has_arguments(const Regroup *regroup, const Node *node, const Node *other)
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
fill_node(Regroup *regroup, Node *node, char *message)
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

EngineStatus
regroup_end(Regroup *regroup, char *message)
{
	for (; regroup->filling < regroup->nnodes; regroup->filling++)
	{
		Node	   *node = &regroup->nodes[regroup->filling];
		EngineStatus status = fill_node(regroup, node, message);
		GroupRecords groups = table_complete(node->table);

		if (status == ENGINE_OK)
			status = output_create(node->program, &groups, &regroup->hints, &node->output,
								   message);
		if (status != ENGINE_OK)
			return status;
		for (int j = 0; j < regroup->coarse->naccs; j++)
			node->group_units[j] = j < regroup->fine->naccs ? regroup->fine_units[j] :
				node->units[j].exponent;
		regroup->taking = 0;
	}
	return check_memory(regroup, message);
}

bool
regroup_is_fine(const Regroup *regroup, int set)
{
	return regroup->set_nodes[set] == FROM_ENGINE;
}

void
regroup_groups(Regroup *regroup, int set, GroupBatch *batch)
{
	Node	   *node = &regroup->nodes[regroup->set_nodes[set]];

	output_batch(node->output, batch);
	batch->units = node->group_units;
	if (batch->ngroups == 0)
		output_rewind(node->output);
}

uint64_t
regroup_memory(const Regroup *regroup)
{
	return regroup->memory;
}
