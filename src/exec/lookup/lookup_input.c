/*
 * lookup_input.c
 *	  The rows of a look-up's child plan.
 *
 * The child is read to its end, as for a hash join's table.  Its tuples become batches, as engines
 * have values; if they are groups, these are columns already (group_source.h).
 *
 * What PostgreSQL computes of distinct values is NULL where it has none.  If that can raise an
 * error, or a condition of a joined relation or a column that is made of its columns, the child
 * reads the rows of a Material, so that the error ends nothing but a subtransaction in which these
 * are read.  None can begin beside a parallel plan.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/xact.h"
#include "executor/executor.h"
#include "executor/nodeSubplan.h"
#include "miscadmin.h"
#include "utils/elog.h"
#include "utils/memutils.h"

#include "compat.h"
#include "exec/lookup/lookup_input.h"
#include "exec/values/params.h"
#include "program/numeric_page.h"
#include "source/batch.h"
#include "source/group_source.h"
#include "source/rows.h"
#include "set_aside.h"

/* Numbers of rows have 31 bits; a batch more than that may be there. */
#define MAX_ROWS (PG_INT32_MAX - 2 * BATCH_ROWS)

/* A status if the rows are more than fit, or ambiguous. */
static EngineStatus
check_rows(const LookupRows *rows, uint64 limit, const char **message)
{
	if (rows->is_ambiguous)
	{
		*message = "values of a joined relation are equal, but not the same";
		return ENGINE_INEXACT;
	}
	if (lookup_rows_memory(rows) > limit || rows->n > MAX_ROWS)
	{
		*message = "the rows of a joined relation do not fit into memory";
		return ENGINE_NO_MEMORY;
	}
	return ENGINE_OK;
}

/* Words of groups are looked for so many at a time. */
#define WORDS_AT_ONCE 256

/* What a child's tuples are put into. */
typedef struct TupleBatch
{
	LookupRows *rows;
	BatchWriter *batch;
	Array		codes;			/* of the batch's tuples */
	MemoryContext tuple_context;
} TupleBatch;

/* Is it stored as PostgreSQL stores a numeric that is a number, with all its digits shown? */
static bool
is_number(NumericHeader header)
{
	for (int i = 0; i < header.ndigits; i++)
		if (numeric_u16(header.digits + 2 * i) >= NUMERIC_BASE)
			return false;
	return !header.special && numeric_least_scale(header) <= header.scale;
}

/*
 * Is it NaN, infinite, or no number of the column's units that fits 64 bits?  No key of a table's
 * row, which is such a number, equals it.
 */
static bool
equals_no_key(const Column *column, Datum value)
{
	struct varlena *number = PG_DETOAST_DATUM_PACKED(value);
	const uint8 *bytes = (const uint8 *) VARDATA_ANY(number);
	uint32		len = VARSIZE_ANY_EXHDR(number);
	int64		units;

	return numeric_special(bytes, len) != 0 ||
		(is_number(numeric_header(bytes, len)) &&
		 !numeric_to_units(bytes, len, column->scale, &units));
}

/*
 * Let a tuple be found by no row where one of its keys is a numeric that none has.  A row may have
 * it all the same: engines tell when they read it.
 */
static void
drop_numeric_keys(LookupRows *rows, const Datum *values, bool *isnull)
{
	for (int i = 0; i < rows->info->nkeys; i++)
	{
		int			number = rows->info->keys[i].column;
		const Column *column = &program_columns(rows->info->program)[number];

		if (column->numeric != NUMERIC_NONE && !isnull[number])
		{
			isnull[number] = equals_no_key(column, values[number]);
			rows->left_out |= isnull[number];
		}
	}
}

/*
 * Add a tuple to the batch; false: a numeric is not what its column says.  What detoasting
 * leaves behind goes with the tuple's context.
 */
static bool
add_tuple(TupleBatch *to, TupleTableSlot *slot)
{
	const Program *program = to->rows->info->program;
	MemoryContext old = MemoryContextSwitchTo(to->tuple_context);
	Datum		values[PROGRAM_MAX_COLUMNS];
	bool		isnull[PROGRAM_MAX_COLUMNS];
	bool		fits;

	slot_getallattrs(slot);
	for (int i = 0; i < program->ncolumns; i++)
	{
		int			attno = program_columns(program)[i].attno;

		values[i] = slot->tts_values[attno - 1];
		isnull[i] = slot->tts_isnull[attno - 1];
	}
	drop_numeric_keys(to->rows, values, isnull);
	fits = batch_append(to->batch, values, isnull);
	MemoryContextSwitchTo(old);
	MemoryContextReset(to->tuple_context);
	if (fits)
		lookup_rows_add_codes(to->rows, slot->tts_values, slot->tts_isnull, &to->codes);
	return fits;
}

/* The batch goes to the rows. */
static EngineStatus
flush(TupleBatch *from, uint64 limit, const char **message)
{
	const ColumnBatch *batch = batch_columns(from->batch);

	lookup_rows_add(from->rows, batch, &from->codes);
	batch_reset(from->batch);
	from->codes.size = 0;
	return check_rows(from->rows, limit, message);
}

/* Does a tuple count?  Not where the condition is false or NULL. */
static bool
meets_condition(const LookupInfo *info, TupleTableSlot *slot)
{
	bool		isnull;
	Datum		value;

	if (info->condition == 0)
		return true;
	value = slot_getattr(slot, info->condition, &isnull);
	return !isnull && DatumGetBool(value);
}

static EngineStatus
read_tuples(PlanState *child, LookupRows *rows, uint64 limit, const char **message)
{
	TupleBatch	to = {.rows = rows,.batch = batch_create(rows->info->program)};
	EngineStatus status = ENGINE_OK;

	to.tuple_context = AllocSetContextCreate(CurrentMemoryContext, "GpuAgg look-up's tuple",
											 ALLOCSET_DEFAULT_SIZES);
	for (;;)
	{
		TupleTableSlot *slot;

		CHECK_FOR_INTERRUPTS();
		slot = child_next_tuple(child);
		if (TupIsNull(slot))
			break;
		if (!meets_condition(rows->info, slot))
			continue;
		if (!add_tuple(&to, slot))
		{
			*message = "a numeric of a joined relation is not as its column's type says";
			return ENGINE_INEXACT;
		}
		if (batch_full(to.batch) && (status = flush(&to, limit, message)) != ENGINE_OK)
			return status;
	}
	status = flush(&to, limit, message);
	batch_free(to.batch);
	return status;
}

/* The attributes of the child's rows that columns have codes of. */
static Bitmapset *
coded_attributes(const LookupInfo *info)
{
	Bitmapset  *attnos = NULL;

	for (int i = 0; i < info->ncolumns; i++)
		if (lookup_use_is_code(info->columns[i].use))
			attnos = bms_add_member(attnos, info->columns[i].place);
	return attnos;
}

/* Some rows of a batch of groups, by whose words a column's codes are found. */
typedef struct WordRows
{
	GroupSource *groups;
	int			attno;
	MemoryContext context;		/* where values may be made */
	uint32		n;
	uint32		rows[WORDS_AT_ONCE];
	uint64		words[WORDS_AT_ONCE];
	uint32		numbers[WORDS_AT_ONCE];
} WordRows;

/* The value that a group has in a column; if it is made, in the context. */
static Datum
group_value(GroupSource *groups, int attno, uint32 row, MemoryContext context, bool *isnull)
{
	MemoryContext old = MemoryContextSwitchTo(context);
	Datum		value = groups->value(groups, attno, row, isnull);

	MemoryContextSwitchTo(old);
	return value;
}

static Datum
word_row_value(void *caller, uint32 i)
{
	WordRows   *some = caller;
	bool		isnull;

	return group_value(some->groups, some->attno, some->rows[i], some->context, &isnull);
}

/* Take the rows from `row` on that have a value, as many as there is room for; the next row. */
static uint32
take_word_rows(WordRows *some, const ColumnVector *values, int size, uint32 row, uint32 nrows)
{
	for (some->n = 0; row < nrows && some->n < WORDS_AT_ONCE; row++)
	{
		if (values->validity != NULL && !(values->validity[row / 8] >> (row % 8) & 1))
			continue;
		some->rows[some->n] = row;
		some->words[some->n] = 0;
		memcpy(&some->words[some->n++], (const char *) values->values + (Size) row * size, size);
	}
	return row;
}

/*
 * The codes of a column's rows, where the groups have it as words: the row's is *codes, and
 * from one row's to the next it is `stride`.  The first row whose code is not found so.
 */
static uint32
add_codes_by_words(LookupRows *rows, const RowColumn *column, WordRows *some, uint32 nrows,
				   uint32 *codes, int stride)
{
	ColumnVector values;
	uint32		row = 0;
	int			size;

	if (!some->groups->key(some->groups, some->attno, &values, &size))
		return 0;
	while (row < nrows)
	{
		uint32		next = take_word_rows(some, &values, size, row, nrows);

		if (!numbering_add_datums(column->values, some->words, some->n, word_row_value, some,
								  some->numbers, &rows->is_ambiguous))
			return row;
		for (; row < next; row++)
			codes[(Size) row * stride] = NO_CODE;
		for (uint32 i = 0; i < some->n; i++)
			codes[(Size) some->rows[i] * stride] = some->numbers[i];
	}
	return nrows;
}

/* The codes of a batch's rows; values may be made in the context. */
static void
add_group_codes(LookupRows *rows, GroupSource *groups, uint32 nrows, MemoryContext context,
				Array *codes)
{
	WordRows	some = {.groups = groups,.context = context};
	int			stride = lookup_rows_ncodes(rows);
	uint32	   *code = array_extend(codes, (Size) nrows * stride * sizeof(uint32));

	for (int i = 0; i < rows->info->ncolumns; i++)
	{
		const RowColumn *column = &rows->columns[i];

		if (!lookup_use_is_code(column->info->use))
			continue;
		some.attno = column->info->place;
		for (uint32 row = add_codes_by_words(rows, column, &some, nrows, code, stride); row < nrows; row++)
		{
			bool		isnull;
			Datum		value = group_value(groups, some.attno, row, context, &isnull);

			code[(Size) row * stride] = isnull ? NO_CODE :
				numbering_add_datum(column->values, value, &rows->is_ambiguous);
		}
		code++;
	}
	MemoryContextReset(context);
}

/* The rows of a source of groups; attnos: that columns have codes of. */
static EngineStatus
read_groups(GroupSource *groups, const Bitmapset *attnos, LookupRows *rows, uint64 limit,
			const char **message)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "GpuAgg look-up's values",
												  ALLOCSET_DEFAULT_SIZES);
	Array		codes = {0};
	const ColumnBatch *batch;
	EngineStatus status = ENGINE_OK;

	while (status == ENGINE_OK && (batch = groups->next(groups)) != NULL)
	{
		CHECK_FOR_INTERRUPTS();
		if (attnos != NULL)
			add_group_codes(rows, groups, batch->nrows, context, &codes);
		lookup_rows_add(rows, batch, &codes);
		codes.size = 0;
		status = check_rows(rows, limit, message);
	}
	return status;
}

/* What a plan notes of parameters lasts as long as the query. */
static void
rescan(PlanState *child)
{
	MemoryContext old = MemoryContextSwitchTo(child->state->es_query_cxt);

	ExecReScan(child);
	MemoryContextSwitchTo(old);
}

/* All rows of the child. */
static EngineStatus
read_child(LookupInput *input, LookupRows *rows, uint64 limit, const char **message)
{
	Bitmapset  *attnos = coded_attributes(rows->info);
	GroupSource *groups;
	EngineStatus status = ENGINE_OK;

	if (input->was_read)
		rescan(input->child);
	input->was_read = true;
	groups = group_source_open(input->child, rows->info->program, attnos);
	if (groups != NULL)
		status = read_groups(groups, attnos, rows, limit, message);
	if (status != ENGINE_OK || (groups != NULL && !groups->tuples_follow))
		return status;
	return read_tuples(input->child, rows, limit, message);
}

/*
 * Let a child's Material have all of its rows, and rewind it.  If there are any, the subqueries are
 * run whose values are needed: their plans stay open.
 */
static void
fill_material(PlanState *child)
{
	TupleTableSlot *slot;
	bool		has_rows = false;

	for (;;)
	{
		CHECK_FOR_INTERRUPTS();
		slot = child_next_tuple(outerPlanState(child));
		if (TupIsNull(slot))
			break;
		has_rows = true;
	}
	Assert(child->chgParam == NULL);
	rescan(child);
	if (has_rows)
		ExecSetParamPlanMulti(params_exec_ids(child->plan->targetlist), child->ps_ExprContext);
}

/* What read_child is called with, and what it returns. */
typedef struct ChildReading
{
	LookupInput *input;
	LookupRows *rows;
	uint64		limit;
	const char *message;
	EngineStatus status;
} ChildReading;

static void
read_child_of(void *argument)
{
	ChildReading *reading = argument;

	reading->status = read_child(reading->input, reading->rows, reading->limit,
								 &reading->message);
}

/*
 * What failed expressions have begun ended with the subtransaction, and SQL functions would end it
 * once more.
 */
static void
forget_callbacks(PlanState *child)
{
	if (child->ps_ExprContext != NULL)
		child->ps_ExprContext->ecxt_callbacks = NULL;
}

/* Read a child whose errors are set aside, in a subtransaction. */
static EngineStatus
read_child_aside(LookupInput *input, LookupRows *rows, uint64 limit, const char **message)
{
	ChildReading reading = {.input = input,.rows = rows,.limit = limit};
	int			sqlstate = set_errors_aside(read_child_of, &reading, true);

	if (sqlstate == 0)
	{
		if (reading.status != ENGINE_OK)
			*message = reading.message;
		return reading.status;
	}
	input->has_failed = true;
	forget_callbacks(input->child);
	*message = psprintf("what is computed of %s raises error %s",
						rows->info->computed != NIL ? "distinct values" : "a joined relation's rows",
						unpack_sql_state(sqlstate));
	return ENGINE_INEXACT;
}

/*
 * The same where what the child computes of its Material's rows can raise errors.  PostgreSQL
 * would come to one that is computed of distinct values, too, but maybe to another one first: beside
 * a parallel plan the error is the query's.  To that of a joined relation's row PostgreSQL may never
 * come: nothing of it is computed there.
 */
static EngineStatus
read_child_safely(LookupInput *input, LookupRows *rows, uint64 limit, const char **message)
{
	bool		is_parallel = IsInParallelMode();

	if (input->has_failed || (is_parallel && rows->info->computed == NIL))
	{
		*message = input->has_failed ? "what is computed of a look-up's rows has raised an error before" :
			"a condition of a joined relation cannot be evaluated beside a parallel plan";
		return ENGINE_INEXACT;
	}
	/* a changed parameter must have come to the Material before it is filled */
	if (input->was_read || input->child->chgParam != NULL)
		rescan(input->child);
	fill_material(input->child);
	input->was_read = false;
	return is_parallel ? read_child(input, rows, limit, message) :
		read_child_aside(input, rows, limit, message);
}

EngineStatus
lookup_input_read(LookupInput *input, LookupRows *rows, uint64 limit, const char **message)
{
	return rows->info->can_fail ? read_child_safely(input, rows, limit, message) :
		read_child(input, rows, limit, message);
}
