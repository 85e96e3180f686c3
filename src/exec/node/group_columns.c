/*
 * group_columns.c
 *	  The groups of a node, as columns of a source of rows.
 *
 * The node's plan puts out its groups' keys and results, of all groups; a scan of a subquery may be
 * above it that chooses among them.  Its engine runs when the source is opened; if PostgreSQL's own
 * plan answers in its place, or values are not as the Program that is asked for has them (with NaN
 * and infinity numerics are other numbers), the node's tuples are read as those of any plan.
 *
 * Keys are columns already.  Results become columns where many groups' are made at once, which
 * raises no error (group_column.h).
 *
 * The rest are the node's tuples where a result may be an error, or once groups have been lost and
 * come again (lost_groups.c): which of them have been given already is looked at one by one.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "executor/instrument.h"

#include "exec/node/group_columns.h"
#include "exec/node/node.h"
#include "exec/values/final.h"
#include "source/batch.h"
#include "source/group_source.h"

/* The values of a result. */
typedef struct ResultColumn
{
	GroupColumn *column;		/* of the node's tuples */
	bool		presence;		/* only whether there is a value is asked for */
	bool		is_sum;			/* it is a sum that PostgreSQL has as a numeric */
	uint64		values[BATCH_ROWS];
	uint8		validity[BATCH_ROWS / 8];
} ResultColumn;

typedef struct GroupColumns
{
	GroupSource source;
	PlanState  *plan;			/* whose attributes are asked for: the node, or a scan of it */
	GpuAggState *state;			/* of the node */
	const Program *program;		/* its columns are wanted */
	int		   *places;			/* of the node's tuples' columns, one a column */
	ColumnBatch batch;
	ColumnVector *vectors;		/* the batch's */
	uint32	  **offsets;		/* of texts, from the batch's first row on; by column */
	uint8	   *any_values;		/* of columns that only say whether there is a value */
	ResultColumn **results;		/* by column; NULL: it is a key, or not asked for */
	GroupColumn **datums;		/* by attribute, from 1; NULL: it is not asked for */
	int			natts;
	uint32		first;			/* group of the node's batch that is the first row's */
} GroupColumns;

/* The attribute that one of the plan's is in the rows that it is made of; 0: it is none. */
static int
attribute_below(const PlanState *plan, int attno)
{
	const TargetEntry *entry = list_nth_node(TargetEntry, plan->plan->targetlist, attno - 1);
	const Var  *var = (const Var *) entry->expr;

	return IsA(var, Var) ? Max(var->varattno, 0) : 0;
}

/* The column of the node's tuples, from 0, that an attribute of the plan's rows is, or -1. */
static int
place_of(const GroupColumns *groups, int attno)
{
	const PlanState *node = &groups->state->css.ss.ps;

	if (attno > 0 && groups->plan != node)
		attno = attribute_below(groups->plan, attno);
	if (attno > 0)
		attno = attribute_below(node, attno);
	return attno - 1;
}

/* The same of a key of the groups. */
static int
key_of(const GroupColumns *groups, int attno)
{
	int			place = place_of(groups, attno);

	return place < groups->state->plan->nkeys ? place : -1;
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
key_suits(const Program *results, int key, const Column *column)
{
	int			scale = program_key_scales(results)[key];

	if (column->presence)
		return true;
	if (program_key_type(results, key) != (ValueType) column->type)
		return false;
	if (scale == KEY_NOT_NUMERIC)
		return column->numeric == NUMERIC_NONE;
	return column->numeric == NUMERIC_EXACT && column->scale == scale && !results->specials;
}

/* The same of a sum that is a numeric: its units have 64 bits. */
static bool
sum_suits(const Program *results, const Aggregate *sum, const Column *column)
{
	if (results->specials || sum->high >= 0)
		return false;
	return column->presence ||
		(column->type == VT_INT8 && column->scale == sum->scale &&
		 (column->numeric == NUMERIC_UNITS || (column->numeric == NUMERIC_EXACT && sum->shown < 0)));
}

/* The same of a result. */
static bool
result_suits(const GroupColumns *groups, int place, const Column *column)
{
	const Program *results = node_run_results(groups->state->run);
	const GroupColumn *values = &groups->state->rows.columns[place];
	int			agg = place - groups->state->plan->nkeys;
	int			type;

	if (agg >= groups->state->plan->naggs || values->array != NULL || values->ordered != NULL)
		return false;
	if (program_aggs(results)[agg].final == FINAL_SUM_NUMERIC)
		return sum_suits(results, &program_aggs(results)[agg], column);
	type = final_column_type((FinalKind) program_aggs(results)[agg].final);
	return type >= 0 && column->numeric == NUMERIC_NONE &&
		(column->presence || column->type == (uint8) type);
}

static ResultColumn *
make_result(const GroupColumns *groups, int place, const Column *column)
{
	const Program *results = node_run_results(groups->state->run);
	ResultColumn *result = palloc(sizeof(ResultColumn));

	result->column = &groups->state->rows.columns[place];
	result->presence = column->presence;
	result->is_sum = program_aggs(results)[place - groups->state->plan->nkeys].final == FINAL_SUM_NUMERIC;
	return result;
}

/* Find what each column is of. */
static bool
find_places(GroupColumns *groups)
{
	const PlanInfo *plan = groups->state->plan;

	for (int i = 0; i < groups->program->ncolumns; i++)
	{
		const Column *column = &program_columns(groups->program)[i];
		int			place = place_of(groups, column->attno);

		groups->places[i] = place;
		if (place < 0)
			return false;
		if (place < plan->nkeys)
		{
			if (!key_suits(node_run_results(groups->state->run), place, column))
				return false;
			if (column->type == VT_TEXT && !column->presence)
				groups->offsets[i] = palloc(sizeof(uint32) * (BATCH_ROWS + 1));
			continue;
		}
		if (!result_suits(groups, place, column))
			return false;
		groups->results[i] = make_result(groups, place, column);
	}
	return true;
}

/* Make room for the values of these attributes. */
static bool
make_datums(GroupColumns *groups, const Bitmapset *datums)
{
	int			attno = -1;

	while ((attno = bms_next_member(datums, attno)) >= 0)
	{
		if (key_of(groups, attno) < 0)
			return false;
		groups->datums[attno] = palloc0(sizeof(GroupColumn));
	}
	return true;
}

/* For EXPLAIN ANALYZE: what is done from here on is the plan's, */
static void
start_instruments(const GroupColumns *groups)
{
	if (groups->plan->instrument && groups->plan != &groups->state->css.ss.ps)
		InstrStartNode(groups->plan->instrument);
	if (groups->state->css.ss.ps.instrument)
		InstrStartNode(groups->state->css.ss.ps.instrument);
}

/* until here, with so many rows. */
static void
stop_instruments(const GroupColumns *groups, double n)
{
	if (groups->state->css.ss.ps.instrument)
		InstrStopNode(groups->state->css.ss.ps.instrument, n);
	if (groups->plan->instrument && groups->plan != &groups->state->css.ss.ps)
		InstrStopNode(groups->plan->instrument, n);
}

/* A new batch of the run's groups has come. */
static void
begin_groups(GroupColumns *groups)
{
	NodeRun    *run = groups->state->run;
	const Program *results = node_run_results(run);

	node_groups_begin(groups->state, run);
	for (int attno = 1; attno <= groups->natts; attno++)
	{
		int			key = groups->datums[attno] ? key_of(groups, attno) : -1;

		if (key >= 0)
			group_column_is_key(groups->datums[attno], results, key, &run->groups.keys[key]);
	}
}

/* Are there groups of the run's that have not been given?  Not if they come again. */
static bool
have_groups(GroupColumns *groups)
{
	NodeRun    *run = groups->state->run;

	if (run->groups.ngroups > 0 && run->next_group == run->groups.ngroups)
		run = lost_groups_next_batch(groups->state, run);
	groups->source.tuples_follow = run->before != NULL;
	if (run->groups.ngroups == 0 || run->before != NULL)
		return false;
	if (run->next_group == 0)
		begin_groups(groups);
	return true;
}

/* A key's values, from a group on whose number is a multiple of 8. */
static ColumnVector
slice_key(const ColumnVector *key, ValueType type, uint32 first, uint32 n, uint32 *offsets)
{
	ColumnVector slice = {
		.validity = key->validity ? key->validity + first / 8 : NULL
	};

	if (type != VT_TEXT)
	{
		slice.values = (const char *) key->values + (Size) first * value_type_size(type);
		return slice;
	}
	slice.values = (const char *) key->values + key->offsets[first];
	slice.offsets = offsets;
	for (uint32 i = 0; i <= n; i++)
		offsets[i] = key->offsets[first + i] - key->offsets[first];
	return slice;
}

/* The same where only the NULLs count. */
static ColumnVector
slice_presence(const GroupColumns *groups, const ColumnVector *key, uint32 first)
{
	return (ColumnVector) {
		.values = groups->any_values,
		.validity = key->validity ? key->validity + first / 8 : NULL
	};
}

/* Let Datums be numbers of four bytes, one behind the other. */
static void
narrow(uint64 *values, uint32 n)
{
	for (uint32 i = 0; i < n; i++)
	{
		int32		value = DatumGetInt32((Datum) values[i]);

		memcpy((char *) values + i * sizeof(value), &value, sizeof(value));
	}
}

/* Sums as units; false: one has not 64 bits. */
static bool
fill_sums(const ResultColumn *result, uint32 first, uint32 n, uint64 *values, bool *isnull)
{
	const GroupColumn *column = result->column;
	const uint64_t *state = column->states + (Size) first * column->nwords;

	for (uint32 i = 0; i < n; i++, state += column->nwords)
	{
		int64		units = 0;

		isnull[i] = state[column->count] == 0;
		if (!isnull[i] && !result->presence &&
			!final_sum_units(column->program, column->agg, state, &units))
			return false;
		values[i] = (uint64) units;
	}
	return true;
}

/* Results of n groups; false: one may be an error. */
static bool
fill_results(ResultColumn *result, ValueType type, uint32 first, uint32 n)
{
	bool		isnull[GROUP_ROWS];

	memset(result->validity, 0, (n + 7) / 8);
	for (uint32 begin = 0; begin < n; begin += GROUP_ROWS)
	{
		uint32		some = Min(GROUP_ROWS, n - begin);
		bool		filled = result->is_sum ?
			fill_sums(result, first + begin, some, result->values + begin, isnull) :
			result->column->fill(result->column, first + begin, some, result->values + begin,
								 isnull, 1);

		if (!filled)
			return false;
		for (uint32 i = 0; i < some; i++)
			result->validity[(begin + i) / 8] |= (uint8) (!isnull[i] << i % 8);
	}
	if (type == VT_INT4)
		narrow(result->values, n);
	return true;
}

/* How many groups are the next batch, with no more bytes of texts than others have. */
static uint32
next_number(const GroupColumns *groups, const NodeRun *run)
{
	uint32		first = run->next_group;
	uint32		n = Min(BATCH_ROWS, run->groups.ngroups - first);

	for (int i = 0; i < groups->program->ncolumns; i++)
	{
		const uint32 *offsets = groups->offsets[i] == NULL ? NULL :
			run->groups.keys[groups->places[i]].offsets + first;

		while (offsets != NULL && n > 8 && offsets[n] - offsets[0] > BATCH_TEXT)
			n = TYPEALIGN(8, n / 2);
	}
	return n;
}

/* The next groups as rows of the batch; false: they are to be tuples. */
static bool
take_groups(GroupColumns *groups)
{
	NodeRun    *run = groups->state->run;
	const Program *results = node_run_results(run);
	uint32		first = run->next_group;
	uint32		n = next_number(groups, run);

	for (int i = 0; i < groups->program->ncolumns; i++)
	{
		const Column *column = &program_columns(groups->program)[i];
		int			place = groups->places[i];
		ResultColumn *result = groups->results[i];

		if (result == NULL && column->presence)
			groups->vectors[i] = slice_presence(groups, &run->groups.keys[place], first);
		else if (result == NULL)
			groups->vectors[i] = slice_key(&run->groups.keys[place], program_key_type(results, place),
										   first, n, groups->offsets[i]);
		else if (fill_results(result, (ValueType) column->type, first, n))
			groups->vectors[i] = (ColumnVector)
		{
			.values = result->values,.validity = result->validity
		};
		else
			return false;
	}
	groups->first = first;
	groups->batch.nrows = n;
	run->next_group = first + n;
	return true;
}

static const ColumnBatch *
next_groups(GroupSource *source)
{
	GroupColumns *groups = (GroupColumns *) source;
	GpuAggState *state = groups->state;
	MemoryContext old = MemoryContextSwitchTo(state->input.estate->es_query_cxt);
	bool		found;

	start_instruments(groups);
	found = have_groups(groups);
	if (found && !take_groups(groups))
	{
		source->tuples_follow = true;
		found = false;
	}
	if (found)
	{
		state->ntuples += groups->batch.nrows;
		state->groups_as_columns += groups->batch.nrows;
	}
	else if (source->tuples_follow)
		node_groups_resume(state, state->run);
	else
		node_run_close(state->run);
	stop_instruments(groups, found ? groups->batch.nrows : 0);
	MemoryContextSwitchTo(old);
	return found ? &groups->batch : NULL;
}

static Datum
key_datum(GroupSource *source, int attno, uint32 row, bool *isnull)
{
	GroupColumns *groups = (GroupColumns *) source;
	GroupColumn *column = groups->datums[attno];

	return column->value(column, groups->first + row, isnull);
}

static bool
key_values(GroupSource *source, int attno, ColumnVector *values, int *size)
{
	const GroupColumns *groups = (const GroupColumns *) source;
	const Program *results = node_run_results(groups->state->run);
	int			key = key_of(groups, attno);
	ValueType	type = program_key_type(results, key);

	*size = type == VT_TEXT ? 0 : value_type_size(type);
	if (*size == 0 || *size > (int) sizeof(uint64))
		return false;
	*values = slice_key(&groups->state->run->groups.keys[key], type, groups->first,
						groups->batch.nrows, NULL);
	return true;
}

/* Let the engine run; false: PostgreSQL's own plan answers. */
static bool
run_node(const GroupColumns *groups)
{
	MemoryContext old = MemoryContextSwitchTo(groups->state->input.estate->es_query_cxt);
	bool		has_groups;

	if (groups->plan->chgParam != NULL)
		ExecReScan(groups->plan);
	if (groups->state->css.ss.ps.chgParam != NULL)
		ExecReScan(&groups->state->css.ss.ps);
	start_instruments(groups);
	has_groups = node_run_engine(groups->state);
	stop_instruments(groups, 0);
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

static GroupSource *
open_group_columns(PlanState *plan, const Program *program, const Bitmapset *datums)
{
	GpuAggState *state = find_node(plan);
	GroupColumns *groups;
	int			ncolumns = program->ncolumns + 1;

	if (state == NULL || !gives_all_groups(state))
		return NULL;
	groups = palloc0(sizeof(GroupColumns));
	groups->source.next = next_groups;
	groups->source.value = key_datum;
	groups->source.key = key_values;
	groups->plan = plan;
	groups->state = state;
	groups->program = program;
	groups->places = palloc(sizeof(int) * ncolumns);
	groups->vectors = palloc0(sizeof(ColumnVector) * ncolumns);
	groups->offsets = palloc0(sizeof(uint32 *) * ncolumns);
	groups->results = palloc0(sizeof(ResultColumn *) * ncolumns);
	groups->any_values = palloc0(BATCH_ROWS);
	groups->batch.columns = groups->vectors;
	groups->natts = list_length(plan->plan->targetlist);
	groups->datums = palloc0(sizeof(GroupColumn *) * (groups->natts + 1));
	return run_node(groups) && find_places(groups) && make_datums(groups, datums) ?
		&groups->source : NULL;
}

void
group_columns_init(void)
{
	group_source_init(open_group_columns);
}
