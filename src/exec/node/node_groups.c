/*
 * node_groups.c
 *	  From a run's groups to the node's tuples.
 *
 * Groups come by batches.  Rows of some groups at a time are made column by column
 * (group_column.h), and the scan tuple's slot points to one after the other.  What a column
 * cannot make of many groups is made of each.  Of a group that HAVING removes only the columns
 * that it looks at are made; those that the engine has removed by HAVING's conditions are counted
 * with them.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "executor/instrument.h"
#include "miscadmin.h"

#include "exec/node/node.h"

/* The array that column n is, or NULL. */
static GroupArray *
create_array(const PlanInfo *plan, int n, Oid type)
{
	ListCell   *lc;

	foreach(lc, plan->arrays)
		if (plan->nkeys + ((const ArrayInfo *) lfirst(lc))->agg == n)
			return group_array_create(lfirst(lc), type);
	return NULL;
}

/* The aggregate of rows that column n is, or NULL. */
static OrderedAggregate *
create_ordered(GpuAggState *state, int n)
{
	const PlanInfo *plan = state->plan;
	ListCell   *lc;

	foreach(lc, plan->ordered)
		if (plan->nkeys + ((const OrderedInfo *) lfirst(lc))->agg == n)
			return ordered_aggregate_create(lfirst(lc), state->css.ss.ps.state, &state->rows_ordered);
	return NULL;
}

void
node_create_columns(GpuAggState *state, const Bitmapset *having)
{
	TupleDesc	desc = state->css.ss.ss_ScanTupleSlot->tts_tupleDescriptor;
	GroupRows  *rows = &state->rows;
	int			n = desc->natts;

	/* the slot's own arrays are not used, and nobody frees them before the slot */
	rows->values = palloc0(sizeof(Datum) * GROUP_ROWS * n);
	rows->isnull = palloc0(sizeof(bool) * GROUP_ROWS * n);
	rows->unfilled = palloc(sizeof(GroupColumn *) * n);
	rows->columns = palloc0(sizeof(GroupColumn) * n);
	rows->order = palloc(sizeof(GroupColumn *) * n);
	for (int early = 1; early >= 0; early--)
	{
		for (int i = 0; i < n; i++)
			if ((having == NULL || bms_is_member(i + 1, having)) == early)
				rows->order[rows->ncolumns++] = &rows->columns[i];
		if (early)
			rows->nearly = rows->ncolumns;
	}
	for (int i = 0; i < n; i++)
	{
		rows->columns[i].number = i;
		rows->columns[i].array = create_array(state->plan, i, TupleDescAttr(desc, i)->atttypid);
		rows->columns[i].ordered = create_ordered(state, i);
		if (i < state->plan->nkeys && TupleDescAttr(desc, i)->attlen == -1)
			group_column_make_texts(&rows->columns[i]);
	}
}

/* The values that the nth column is a number of; NULL: it is a value itself. */
static const Datum *
code_values(const GpuAggState *state, int n)
{
	const ColumnCode *codes = state->plan->codes;

	return codes == NULL || codes[n].lookup < 0 ? NULL :
		lookups_code_values(state->lookups, &codes[n]);
}

/* The columns are the keys, then the aggregates, then GROUPING(); the rest are NULL. */
static void
begin_column(const GpuAggState *state, const NodeRun *run, GroupColumn *column)
{
	const PlanInfo *plan = state->plan;
	const Program *program = node_run_results(run);
	const int  *places = run->regrouping ? run->layout->places : NULL;
	int			n = column->number;
	int			agg = n - plan->nkeys;
	int			grouping = agg - plan->naggs;
	int			place = places && agg < 0 ? places[n] : n;

	column->engine = run->engine;
	if (agg < 0 && place >= 0 && code_values(state, n) != NULL)
		group_column_is_code(column, &run->groups.keys[place], code_values(state, n));
	else if (agg < 0 && place >= 0)
		group_column_is_key(column, program, n, &run->groups.keys[place]);
	else if (agg >= 0 && grouping < 0 && code_values(state, n) != NULL)
		group_column_is_coded_aggregate(column, program, &program_aggs(program)[agg],
										&run->groups, code_values(state, n));
	else if (agg >= 0 && grouping < 0)
		group_column_is_aggregate(column, program, &program_aggs(program)[agg],
								  &run->groups);
	else if (agg >= 0 && grouping < list_length(plan->groupings))
		group_column_is_constant(column, Int32GetDatum(places ? run->layout->groupings[grouping] : 0),
								 false);
	else
		group_column_is_constant(column, (Datum) 0, true);
}

Datum
node_group_value(void *node, uint32_t group, int n, bool *isnull)
{
	GroupColumn *column = &((GpuAggState *) node)->rows.columns[n];

	return column->value(column, group, isnull);
}

/* Make these columns of a group. */
static void
store_columns(uint32_t group, TupleTableSlot *slot, GroupColumn **columns, int n)
{
	for (int i = 0; i < n; i++)
	{
		int			number = columns[i]->number;

		slot->tts_values[number] = columns[i]->value(columns[i], group,
													 &slot->tts_isnull[number]);
	}
}

/*
 * Make the rows of the next groups, as far as columns can: those before HAVING, and not if
 * most groups may not leave by their order.
 */
static void
fill_rows(GpuAggState *state, const NodeRun *run)
{
	GroupRows  *rows = &state->rows;
	bool		by_order = state->top != NULL && !run->is_checking;
	uint32_t	begin = run->next_group;
	uint32_t	n = Min(GROUP_ROWS, run->groups.ngroups - begin);
	int			ncolumns = rows->ncolumns;

	rows->nunfilled = 0;
	if (rows->nearly < ncolumns)
		memset(rows->isnull, true, (size_t) n * ncolumns * sizeof(bool));
	for (int i = 0; i < rows->nearly; i++)
	{
		GroupColumn *column = rows->order[i];

		if (by_order || column->fill == NULL ||
			!column->fill(column, begin, n, rows->values + column->number,
						  rows->isnull + column->number, ncolumns))
			rows->unfilled[rows->nunfilled++] = column;
	}
	rows->begin = begin;
	rows->end = begin + n;
	rows->whole = !by_order && rows->nunfilled == 0 && rows->nearly == ncolumns &&
		run->before == NULL && state->css.ss.ps.qual == NULL;
}

/* Let the slot be a group's row. */
static inline void
point_to_row(const GroupRows *rows, uint32_t group, TupleTableSlot *slot)
{
	size_t		place = (size_t) (group - rows->begin) * rows->ncolumns;

	/* what was stored by this function before has nothing to free, unless it was materialized */
	if (TTS_EMPTY(slot) || TTS_SHOULDFREE(slot))
	{
		ExecClearTuple(slot);
		ExecStoreVirtualTuple(slot);
	}
	slot->tts_values = rows->values + place;
	slot->tts_isnull = rows->isnull + place;
}

/* Count what the engine has removed by HAVING since it was last counted. */
static void
count_removed(GpuAggState *state, NodeRun *run)
{
	uint64		removed = engine_stats(run->engine)->groups_removed;

	if (run->is_checking || removed <= run->removed)
		return;
	InstrCountFiltered1(state, removed - run->removed);
	run->removed = removed;
}

/* In a build for tests, on request: make one of the group's values wrong. */
static void
falsify(const NodeRun *run, TupleTableSlot *slot)
{
	char		message[256];

	if (run->is_witness || engine_injected(run->engine, "value", message) == ENGINE_OK)
		return;
	for (int i = 0; i < slot->tts_tupleDescriptor->natts; i++)
		if (TupleDescAttr(slot->tts_tupleDescriptor, i)->attbyval && !slot->tts_isnull[i])
			slot->tts_values[i] ^= 1;
}

/* The next group's tuple, of rows that are whole. */
static inline TupleTableSlot *
next_whole_row(GpuAggState *state, NodeRun *run, TupleTableSlot *slot)
{
	PlanState  *ps = &state->css.ss.ps;

	point_to_row(&state->rows, run->next_group++, slot);
	falsify(run, slot);
	if (ps->ps_ProjInfo == NULL)
		return slot;
	ResetExprContext(ps->ps_ExprContext);
	ps->ps_ExprContext->ecxt_scantuple = slot;
	return ExecProject(ps->ps_ProjInfo);
}

/* Put the next group into the scan tuple, unless it does not leave. */
static bool
take_group(GpuAggState *state, NodeRun *run, TupleTableSlot *slot)
{
	PlanState  *ps = &state->css.ss.ps;
	const GroupRows *rows = &state->rows;
	TopGroups  *top = run->is_checking ? NULL : state->top;
	MemoryContext old;
	uint32_t	group = run->next_group++;
	bool		leaves;

	ResetExprContext(ps->ps_ExprContext);
	ps->ps_ExprContext->ecxt_scantuple = slot;
	old = MemoryContextSwitchTo(ps->ps_ExprContext->ecxt_per_tuple_memory);
	leaves = !lost_groups_has_left(run, group) &&
		(top == NULL || !top_groups_are_better(top, group));
	if (leaves)
	{
		point_to_row(rows, group, slot);
		store_columns(group, slot, rows->unfilled, rows->nunfilled);
		leaves = ExecQual(ps->qual, ps->ps_ExprContext);
		if (!leaves && !run->is_checking)
			InstrCountFiltered1(state, 1);
	}
	if (leaves)
	{
		store_columns(group, slot, rows->order + rows->nearly, rows->ncolumns - rows->nearly);
		falsify(run, slot);
		if (top)
			top_groups_add(top);
	}
	MemoryContextSwitchTo(old);
	return leaves;
}

/* A batch of groups has come, or there are no more. */
void
node_groups_begin(GpuAggState *state, NodeRun *run)
{
	count_removed(state, run);
	for (int i = 0; i < state->rows.ncolumns && run->groups.ngroups > 0; i++)
		begin_column(state, run, &state->rows.columns[i]);
}

void
node_groups_resume(GpuAggState *state, NodeRun *run)
{
	node_groups_begin(state, run);
	state->rows.end = run->next_group;
	state->rows.whole = false;
}

/* Make rows of the next groups; false: there are no more.  *run: as lost_groups_next_batch. */
static bool
next_rows(GpuAggState *state, NodeRun **run)
{
	if ((*run)->next_group == (*run)->groups.ngroups && (*run)->groups.ngroups > 0)
		*run = lost_groups_next_batch(state, *run);
	if ((*run)->next_group == 0)
		node_groups_begin(state, *run);
	if ((*run)->groups.ngroups == 0)
		return false;
	fill_rows(state, *run);
	return true;
}

TupleTableSlot *
node_next_tuple(GpuAggState *state, NodeRun *run)
{
	PlanState  *ps = &state->css.ss.ps;
	TupleTableSlot *slot = state->css.ss.ss_ScanTupleSlot;

	for (;;)
	{
		CHECK_FOR_INTERRUPTS();
		if ((run->next_group == state->rows.end || run->next_group == 0) && !next_rows(state, &run))
			return ExecClearTuple(ps->ps_ProjInfo ? ps->ps_ResultTupleSlot : slot);
		if (state->rows.whole)
			return next_whole_row(state, run, slot);
		if (take_group(state, run, slot))
			return ps->ps_ProjInfo ? ExecProject(ps->ps_ProjInfo) : slot;
	}
}
