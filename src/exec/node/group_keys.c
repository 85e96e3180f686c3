/*
 * group_keys.c
 *	  The keys of a node's groups, as a source of a look-up's rows.
 *
 * The node's plan puts out columns of its groups' keys, and all groups; a scan of a subquery may be
 * above it that chooses among them.  Its engine runs when the source is opened; if PostgreSQL's own plan answers in its place, or values are not as the
 * Program that is asked for has them (with NaN and infinity numerics are other numbers), the
 * node's tuples are read as those of any plan.
 *
 * If groups are lost after some have been given, all come once more (lost_groups.c): then some
 * rows are there twice, and the look-up is not made if that matters.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "executor/instrument.h"

#include "exec/lookup/lookup_input.h"
#include "exec/node/group_keys.h"
#include "exec/node/node.h"

typedef struct GroupKeys
{
	KeySource	source;
	PlanState  *plan;			/* whose attributes are asked for: the node, or a scan of it */
	GpuAggState *state;			/* of the node */
	const Program *program;		/* its columns are wanted */
	int		   *keys;			/* of the groups, one a column */
	ColumnBatch batch;
	ColumnVector *vectors;		/* the batch's */
	GroupColumn **datums;		/* by attribute, from 1; NULL: it is not asked for */
	int			natts;
} GroupKeys;

/* The attribute that one of the plan's is in the rows that it is made of; 0: it is none. */
static int
attribute_below(const PlanState *plan, int attno)
{
	const TargetEntry *entry = list_nth_node(TargetEntry, plan->plan->targetlist, attno - 1);
	const Var  *var = (const Var *) entry->expr;

	return IsA(var, Var) ? Max(var->varattno, 0) : 0;
}

/* The number of the key that an attribute of the plan's rows is, or -1. */
static int
key_of(const GroupKeys *keys, int attno)
{
	const PlanState *node = &keys->state->css.ss.ps;

	if (keys->plan != node)
		attno = attribute_below(keys->plan, attno);
	if (attno > 0)
		attno = attribute_below(node, attno);
	return attno <= keys->state->plan->nkeys ? attno - 1 : -1;
}

/* Are all of the node's tuples made of its groups, one each? */
static bool
gives_all_groups(const GpuAggState *state)
{
	return state->plan->regrouping == NULL && state->plan->codes == NULL &&
		state->first_rows == NULL && state->top == NULL && state->css.ss.ps.qual == NULL;
}

/* Are the values of a key those that a column is to have? */
static bool
suits_column(const Program *groups, int key, const Column *column)
{
	int			scale = program_key_scales(groups)[key];

	if (column->presence)
		return true;
	if (program_key_type(groups, key) != (ValueType) column->type)
		return false;
	if (scale == KEY_NOT_NUMERIC)
		return column->numeric == NUMERIC_NONE;
	return column->numeric == NUMERIC_EXACT && column->scale == scale && !groups->specials;
}

/* Find the key of each column. */
static bool
find_keys(GroupKeys *keys)
{
	const Program *groups = node_run_results(keys->state->run);

	for (int i = 0; i < keys->program->ncolumns; i++)
	{
		const Column *column = &program_columns(keys->program)[i];

		keys->keys[i] = key_of(keys, column->attno);
		if (keys->keys[i] < 0 || !suits_column(groups, keys->keys[i], column))
			return false;
	}
	return true;
}

/* Make room for the values of these attributes. */
static bool
make_datums(GroupKeys *keys, const Bitmapset *datums)
{
	int			attno = -1;

	while ((attno = bms_next_member(datums, attno)) >= 0)
	{
		if (key_of(keys, attno) < 0)
			return false;
		keys->datums[attno] = palloc0(sizeof(GroupColumn));
	}
	return true;
}

/* For EXPLAIN ANALYZE: what is done from here on is the plan's, */
static void
start_instruments(const GroupKeys *keys)
{
	if (keys->plan->instrument && keys->plan != &keys->state->css.ss.ps)
		InstrStartNode(keys->plan->instrument);
	if (keys->state->css.ss.ps.instrument)
		InstrStartNode(keys->state->css.ss.ps.instrument);
}

/* until here, with so many rows. */
static void
stop_instruments(const GroupKeys *keys, double n)
{
	if (keys->state->css.ss.ps.instrument)
		InstrStopNode(keys->state->css.ss.ps.instrument, n);
	if (keys->plan->instrument && keys->plan != &keys->state->css.ss.ps)
		InstrStopNode(keys->plan->instrument, n);
}

/* The next batch of groups is the run's. */
static bool
have_groups(GpuAggState *state)
{
	NodeRun    *run = state->run;

	if (run->groups.ngroups > 0 && run->next_group == run->groups.ngroups)
		run = lost_groups_next_batch(state, run);
	return run->groups.ngroups > 0;
}

/* Take all groups of the batch. */
static void
take_groups(GroupKeys *keys, NodeRun *run)
{
	const Program *groups = node_run_results(run);

	keys->batch.nrows = run->groups.ngroups;
	for (int i = 0; i < keys->program->ncolumns; i++)
		keys->vectors[i] = run->groups.keys[keys->keys[i]];
	for (int attno = 1; attno <= keys->natts; attno++)
	{
		int			key = keys->datums[attno] ? key_of(keys, attno) : -1;

		if (key >= 0)
			group_column_is_key(keys->datums[attno], groups, key, &run->groups.keys[key]);
	}
	run->next_group = run->groups.ngroups;
}

static const ColumnBatch *
next_keys(KeySource *source)
{
	GroupKeys  *keys = (GroupKeys *) source;
	GpuAggState *state = keys->state;
	MemoryContext old = MemoryContextSwitchTo(state->input.estate->es_query_cxt);
	bool		found;

	start_instruments(keys);
	found = have_groups(state);
	if (found)
	{
		take_groups(keys, state->run);
		state->ntuples += keys->batch.nrows;
	}
	else
		node_run_close(state->run);
	stop_instruments(keys, found ? keys->batch.nrows : 0);
	MemoryContextSwitchTo(old);
	return found ? &keys->batch : NULL;
}

static Datum
key_datum(KeySource *source, int attno, uint32 row, bool *isnull)
{
	GroupColumn *column = ((GroupKeys *) source)->datums[attno];

	return column->value(column, row, isnull);
}

/* Let the engine run; false: PostgreSQL's own plan answers. */
static bool
run_node(const GroupKeys *keys)
{
	MemoryContext old = MemoryContextSwitchTo(keys->state->input.estate->es_query_cxt);
	bool		has_groups;

	if (keys->plan->chgParam != NULL)
		ExecReScan(keys->plan);
	if (keys->state->css.ss.ps.chgParam != NULL)
		ExecReScan(&keys->state->css.ss.ps);
	start_instruments(keys);
	has_groups = node_run_engine(keys->state);
	stop_instruments(keys, 0);
	MemoryContextSwitchTo(old);
	return has_groups;
}

/* The node whose rows the plan's are, or NULL. */
static GpuAggState *
find_node(PlanState *plan)
{
	if (IsA(plan, SubqueryScanState) && plan->qual == NULL)
		return node_of(((SubqueryScanState *) plan)->subplan);
	return node_of(plan);
}

static KeySource *
open_group_keys(PlanState *plan, const Program *program, const Bitmapset *datums)
{
	GpuAggState *state = find_node(plan);
	GroupKeys  *keys;

	if (state == NULL || !gives_all_groups(state))
		return NULL;
	keys = palloc0(sizeof(GroupKeys));
	keys->source.next = next_keys;
	keys->source.value = key_datum;
	keys->plan = plan;
	keys->state = state;
	keys->program = program;
	keys->keys = palloc(sizeof(int) * (program->ncolumns + 1));
	keys->vectors = palloc0(sizeof(ColumnVector) * (program->ncolumns + 1));
	keys->batch.columns = keys->vectors;
	keys->natts = list_length(plan->plan->targetlist);
	keys->datums = palloc0(sizeof(GroupColumn *) * (keys->natts + 1));
	return run_node(keys) && find_keys(keys) && make_datums(keys, datums) ? &keys->source : NULL;
}

void
group_keys_init(void)
{
	lookup_input_init(open_group_keys);
}
