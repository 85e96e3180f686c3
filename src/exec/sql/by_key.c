/*
 * by_key.c
 *	  SQL aggregates that group inside of one call: gpu_sum_by_key(key, value)
 *	  and gpu_count_by_key(key).
 *
 * The transition functions append (key, value) to a column batch and hand full
 * batches to an engine; the final function takes the groups, sorts them by key,
 * NULL last, and returns an array of (key, sum, count) or (key, count).  sum is
 * NULL where all values of a key are; count counts values that are not NULL, as
 * count(value) does, in gpu_sum_by_key, and rows in gpu_count_by_key.
 *
 * Under GROUP BY there is a state for every group, thousands at once, most with
 * few rows.  So a state has only a small batch at first, and no engine: the
 * engine that gpuagg.engine names is chosen when the first batch is full.  What
 * fits into one batch is aggregated by the cpu engine within the final
 * function, since no device would be done with it sooner.
 *
 * The final function keeps its result in the state and returns it again when it
 * is called again, which happens when a hashed aggregation is rescanned; but no
 * row can be added after it.  That is FINALFUNC_MODIFY = SHAREABLE, under which
 * PostgreSQL refuses window use.  There is no combine function, so PostgreSQL
 * never splits these aggregates over parallel workers; nothing forbids that a
 * worker runs one as a whole, so all functions are PARALLEL SAFE.
 *
 * Memory: the state, its batch and its result are in the aggregate's context;
 * only an engine's own memory is not PostgreSQL's, and bounded by
 * gpuagg.memory_limit.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/float.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/sortsupport.h"
#include "utils/typcache.h"

#include "exec/sql/column_run.h"
#include "exec/values/final.h"
#include "guc.h"
#include "handle/select.h"
#include "source/batch.h"

/* The value type of gpu_count_by_key, which has no value. */
#define NO_VALUE VT_COUNT

/* The Program's aggregates, in this order; gpu_count_by_key has only COUNT. */
enum
{
	AGG_COUNT,
	AGG_SUM
};

/* The columns: key, value. */
#define MAX_COLUMNS 2

#define MAX_RESULTS 3			/* key, sum, count */

typedef struct ByKeyState
{
	const Program *program;
	BatchWriter *writer;		/* NULL: final function was called */
	ColumnRun  *run;			/* NULL: no batch has been full yet */
	Datum		result;			/* of the final function */
} ByKeyState;

/* A key's result in the making. */
typedef struct ResultRow
{
	Datum		key;
	bool		key_isnull;
	Datum		row;			/* of the composite type */
} ResultRow;

/* The composite type to make, and the rows made so far. */
typedef struct ResultRows
{
	MemoryContext context;		/* of everything that rows point to */
	Oid			type;
	TupleDesc	tupdesc;
	ResultRow  *rows;
	Size		nrows;
	Size		size;
} ResultRows;

/* An aggregate over a column, of which another aggregate counts the values. */
static void
add_aggregate(ProgramBuilder *builder, FinalKind final, AccKind kind, int reg,
			  int count)
{
	program_add_agg(builder, final, program_add_acc(builder, kind, reg, -1), count);
}

/* GROUP BY the first column, with the aggregates over the others. */
static void
build_program(ProgramBuilder *builder, ValueType key_type, ValueType value_type)
{
	int			value = -1;
	int			count;

	program_begin(builder, SOURCE_COLUMNS);
	program_add_key(builder, program_add_column(builder, 1, key_type, true, -1));
	if (value_type != NO_VALUE)
		value = program_add_column(builder, 2, value_type, true, -1);
	count = program_add_acc(builder, ACC_COUNT, value, -1);
	program_add_agg(builder, FINAL_COUNT, count, count);

	switch (value_type)
	{
		case VT_INT4:
			add_aggregate(builder, FINAL_SUM_INT8, ACC_SUM_INT, value, count);
			break;
		case VT_INT8:
			add_aggregate(builder, FINAL_SUM_NUMERIC, ACC_SUM_INT128, value, count);
			break;
		case VT_FLOAT8:
			/* there is no plan to fall back to: all values, until a sum overflows */
			program_add_agg(builder, FINAL_SUM_FLOAT8,
							program_add_float_acc(builder, value, -1, -1, EXACT_LIMIT_ANY),
							count);
			break;
		default:
			Assert(value_type == NO_VALUE);
	}
}

/* The Program for these types; made once a session. */
static const Program *
by_key_program(ValueType key_type, ValueType value_type)
{
	static Program *programs[VT_COUNT][VT_COUNT + 1];
	Program   **program = &programs[key_type][value_type];

	if (*program == NULL)
	{
		ProgramBuilder *builder = palloc(sizeof(ProgramBuilder));
		Program    *made;

		build_program(builder, key_type, value_type);
		made = MemoryContextAlloc(TopMemoryContext, program_size(builder));
		program_finish(builder, made);
		*program = made;
		pfree(builder);
	}
	return *program;
}

/* Engines compare text by its bytes. */
static void
check_collation(Oid collation)
{
	if (!OidIsValid(collation))
		ereport(ERROR,
				(errcode(ERRCODE_INDETERMINATE_COLLATION),
				 errmsg("could not determine which collation to use for aggregation by key"),
				 errhint("Use the COLLATE clause to set the collation explicitly.")));
	if (!get_collation_isdeterministic(collation))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("nondeterministic collations are not supported for aggregation by key"),
				 errhint("Use the COLLATE clause to choose a deterministic collation.")));
}

static ByKeyState *
create_state(FunctionCallInfo fcinfo, MemoryContext context,
			 ValueType key_type, ValueType value_type)
{
	MemoryContext old;
	ByKeyState *state;

	if (key_type == VT_TEXT)
		check_collation(PG_GET_COLLATION());

	old = MemoryContextSwitchTo(context);
	state = palloc0(sizeof(ByKeyState));
	state->program = by_key_program(key_type, value_type);
	state->writer = batch_create(state->program);
	MemoryContextSwitchTo(old);
	return state;
}

/* At the end of the aggregation, or before it is repeated; not after an error. */
static void
close_run(Datum arg)
{
	ByKeyState *state = (ByKeyState *) DatumGetPointer(arg);

	if (state->run)
		column_run_close(state->run);
	state->run = NULL;
}

/* Hand the full batch to an engine, the one in the settings. */
static void
hand_over(FunctionCallInfo fcinfo, MemoryContext context, ByKeyState *state)
{
	if (state->run == NULL)
	{
		MemoryContext old = MemoryContextSwitchTo(context);

		state->run = column_run_create(engine_for_plan(CHOICE_CPU, state->program),
									   state->program, 0, false);
		MemoryContextSwitchTo(old);
		AggRegisterCallback(fcinfo, close_run, PointerGetDatum(state));
	}
	column_run_add(state->run, batch_columns(state->writer));
	batch_reset(state->writer);
}

/* Transition of all aggregates: (internal, key [, value]) -> internal. */
static Datum
by_key_transition(FunctionCallInfo fcinfo, ValueType key_type, ValueType value_type)
{
	MemoryContext context;
	ByKeyState *state;
	Datum		values[MAX_COLUMNS];
	bool		isnull[MAX_COLUMNS];

	if (AggCheckCallContext(fcinfo, &context) != AGG_CONTEXT_AGGREGATE)
		elog(ERROR, "transition function called outside of an aggregation");

	if (PG_ARGISNULL(0))
		state = create_state(fcinfo, context, key_type, value_type);
	else
		state = (ByKeyState *) PG_GETARG_POINTER(0);

	if (batch_full(state->writer))
		hand_over(fcinfo, context, state);
	for (int i = 1; i < PG_NARGS(); i++)
	{
		values[i - 1] = fcinfo->args[i].value;
		isnull[i - 1] = fcinfo->args[i].isnull;
	}
	batch_append(state->writer, values, isnull);
	PG_RETURN_POINTER(state);
}

#define SUM_BY_KEY(key, key_type, value, value_type) \
PG_FUNCTION_INFO_V1(gpu_sum_by_key_##key##_##value); \
Datum \
gpu_sum_by_key_##key##_##value(PG_FUNCTION_ARGS) \
{ \
	return by_key_transition(fcinfo, key_type, value_type); \
}

#define COUNT_BY_KEY(key, key_type) \
PG_FUNCTION_INFO_V1(gpu_count_by_key_##key); \
Datum \
gpu_count_by_key_##key(PG_FUNCTION_ARGS) \
{ \
	return by_key_transition(fcinfo, key_type, NO_VALUE); \
}

SUM_BY_KEY(int4, VT_INT4, int4, VT_INT4)
SUM_BY_KEY(int4, VT_INT4, int8, VT_INT8)
SUM_BY_KEY(int4, VT_INT4, float8, VT_FLOAT8)
SUM_BY_KEY(int8, VT_INT8, int4, VT_INT4)
SUM_BY_KEY(int8, VT_INT8, int8, VT_INT8)
SUM_BY_KEY(int8, VT_INT8, float8, VT_FLOAT8)
SUM_BY_KEY(text, VT_TEXT, int4, VT_INT4)
SUM_BY_KEY(text, VT_TEXT, int8, VT_INT8)
SUM_BY_KEY(text, VT_TEXT, float8, VT_FLOAT8)
COUNT_BY_KEY(int4, VT_INT4)
COUNT_BY_KEY(int8, VT_INT8)
COUNT_BY_KEY(text, VT_TEXT)

/* A group's results: count, and sum unless this is gpu_count_by_key. */
static void
group_results(const Program *program, const GroupBatch *groups, uint32 group,
			  Datum *sum, bool *sum_isnull, Datum *count)
{
	const uint64_t *words = groups->states + (Size) group * program->nwords;
	const Aggregate *aggs = program_aggs(program);
	bool		isnull;

	*count = final_value(program, &aggs[AGG_COUNT], words, groups->units, &isnull);
	if (program->naggs > AGG_SUM)
		*sum = final_value(program, &aggs[AGG_SUM], words, groups->units, sum_isnull);
}

/* Make one group's row. */
static void
add_group(const Program *program, const GroupBatch *groups, uint32 group,
		  ResultRows *results)
{
	int			last = results->tupdesc->natts - 1;
	Datum		values[MAX_RESULTS] = {0};
	bool		isnull[MAX_RESULTS] = {0};
	ResultRow  *result;

	if (results->nrows == results->size)
	{
		results->size *= 2;
		results->rows = repalloc_huge(results->rows,
									  results->size * sizeof(ResultRow));
	}
	result = &results->rows[results->nrows++];

	/* key, sum, count; or key, count */
	values[0] = vector_datum(&groups->keys[0], program_key_type(program, 0),
							 group, &isnull[0]);
	group_results(program, groups, group, &values[1], &isnull[1], &values[last]);

	result->key = values[0];
	result->key_isnull = isnull[0];
	result->row = HeapTupleGetDatum(heap_form_tuple(results->tupdesc, values, isnull));
}

static void
begin_results(ResultRows *results)
{
	MemoryContextReset(results->context);
	results->size = 64;
	results->nrows = 0;
	results->rows = palloc(results->size * sizeof(ResultRow));
}

/* Aggregate what is still in the batch, and make the rows of all groups. */
static void
collect_groups(ByKeyState *state, ResultRows *results)
{
	GroupBatch	groups;

	if (batch_rows(state->writer) > 0)
		column_run_add(state->run, batch_columns(state->writer));

	begin_results(results);
	for (;;)
	{
		CHECK_FOR_INTERRUPTS();
		if (!column_run_groups(state->run, &groups))
		{
			begin_results(results);
			continue;
		}
		if (groups.ngroups == 0)
			break;
		for (uint32 i = 0; i < groups.ngroups; i++)
		{
			CHECK_FOR_INTERRUPTS();
			add_group(column_run_program(state->run), &groups, i, results);
		}
	}
}

static int
compare_keys(const void *a, const void *b, void *sort)
{
	const ResultRow *left = a;
	const ResultRow *right = b;

	CHECK_FOR_INTERRUPTS();
	return ApplySortComparator(left->key, left->key_isnull,
							   right->key, right->key_isnull, sort);
}

/* Sort as ORDER BY key does. */
static void
sort_results(ResultRows *results, Oid collation)
{
	Oid			key_type = TupleDescAttr(results->tupdesc, 0)->atttypid;
	TypeCacheEntry *cache = lookup_type_cache(key_type, TYPECACHE_LT_OPR);
	SortSupportData sort = {0};

	sort.ssup_cxt = CurrentMemoryContext;
	sort.ssup_collation = collation;
	PrepareSortSupportFromOrderingOp(cache->lt_opr, &sort);
	qsort_arg(results->rows, results->nrows, sizeof(ResultRow), compare_keys, &sort);
}

/* Bytes of an array of the rows. */
static Size
array_size(const ResultRows *results)
{
	Size		size = ARR_OVERHEAD_NONULLS(1);

	for (Size i = 0; i < results->nrows; i++)
	{
		CHECK_FOR_INTERRUPTS();
		size += MAXALIGN(VARSIZE(DatumGetPointer(results->rows[i].row)));
	}
	if (results->nrows > MaxArraySize || !AllocSizeIsValid(size))
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("array size exceeds the maximum allowed (%d)",
						(int) MaxAllocSize)));
	return size;
}

/*
 * The rows as an array in the given context.  construct_array would copy up to
 * 1 GB without a look for interrupts.
 */
static Datum
results_array(ResultRows *results, MemoryContext context)
{
	Size		size = array_size(results);
	ArrayType  *array = MemoryContextAlloc(context, size);
	char	   *to;

	memset(array, 0, ARR_OVERHEAD_NONULLS(1));
	SET_VARSIZE(array, size);
	array->ndim = 1;
	array->elemtype = results->type;
	ARR_DIMS(array)[0] = (int) results->nrows;
	ARR_LBOUND(array)[0] = 1;
	to = (char *) array + ARR_OVERHEAD_NONULLS(1);
	for (Size i = 0; i < results->nrows; i++)
	{
		const char *row = DatumGetPointer(results->rows[i].row);
		Size		length = VARSIZE(row);

		CHECK_FOR_INTERRUPTS();
		memcpy(to, row, length);
		memset(to + length, 0, MAXALIGN(length) - length);
		to += MAXALIGN(length);
	}
	return PointerGetDatum(array);
}

/*
 * End the aggregation of a state: its result, an array of the composite type,
 * is then all that is left of it.
 */
static void
finish_state(ByKeyState *state, MemoryContext context, Oid type, Oid collation)
{
	MemoryContext work = AllocSetContextCreate(CurrentMemoryContext,
											   "gpuagg by-key result",
											   ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	ResultRows	results = {0};

	if (state->run == NULL)
		state->run = column_run_create(engine_without_device(), state->program,
									   batch_rows(state->writer), true);
	MemoryContextSwitchTo(work);
	results.context = AllocSetContextCreate(work, "gpuagg by-key rows",
											ALLOCSET_DEFAULT_SIZES);
	results.type = type;
	results.tupdesc = lookup_rowtype_tupdesc(type, -1);

	MemoryContextSwitchTo(results.context);
	collect_groups(state, &results);
	close_run(PointerGetDatum(state));
	batch_free(state->writer);
	state->writer = NULL;

	MemoryContextSwitchTo(work);
	sort_results(&results, collation);
	state->result = results_array(&results, context);
	ReleaseTupleDesc(results.tupdesc);

	MemoryContextSwitchTo(old);
	MemoryContextDelete(work);
}

/*
 * Final function of all aggregates: (internal) -> array of a composite type.
 * NULL if there were no rows, as array_agg.
 */
PG_FUNCTION_INFO_V1(gpu_by_key_final);
Datum
gpu_by_key_final(PG_FUNCTION_ARGS)
{
	MemoryContext context;
	ByKeyState *state;

	if (AggCheckCallContext(fcinfo, &context) != AGG_CONTEXT_AGGREGATE)
		elog(ERROR, "final function called outside of an aggregation");
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();

	state = (ByKeyState *) PG_GETARG_POINTER(0);
	if (state->writer)
		finish_state(state, context,
					 get_element_type(get_func_rettype(fcinfo->flinfo->fn_oid)),
					 PG_GET_COLLATION());
	PG_RETURN_DATUM(state->result);
}
