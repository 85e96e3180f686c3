/*
 * lookups.c
 *	  A node's look-ups: made of the rows of child plans before its run begins.
 *
 * Each child is read to its end (lookup_input.c), as for a hash join's table, unless no row can
 * pass any more.  Of its rows are made the look-up's keys (lookup_keys.h) and columns
 * (lookup_values.c).
 *
 * Memory: a context for each look-up, below the one of lookups_create, or that of
 * lookup_cache.c.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "utils/memutils.h"

#include "exec/lookup/lookup_cache.h"
#include "exec/lookup/lookup_demand.h"
#include "exec/lookup/lookup_input.h"
#include "exec/lookup/lookup_keys.h"
#include "exec/lookup/lookups.h"
#include "guc.h"
#include "handle/handle.h"

typedef struct NodeLookup
{
	const LookupInfo *info;
	LookupInput input;			/* the child's rows */
	bool		is_required;	/* rows pass only if they are found */
	LookupResult *result;		/* of this execution; NULL: none has been made */
	bool		is_current;		/* it need not be made again for the next execution */
} NodeLookup;

struct Lookups
{
	int			n;
	NodeLookup *of;
	NodeLookup **order;			/* in which they are built: the cheapest first */
	MemoryContext context;		/* results' are below */
};

static int
compare_costs(const void *a, const void *b)
{
	Cost		x = (*(NodeLookup *const *) a)->input.child->plan->total_cost;
	Cost		y = (*(NodeLookup *const *) b)->input.child->plan->total_cost;

	return (x > y) - (x < y);
}

Lookups *
lookups_create(const PlanInfo *plan, List *children)
{
	Lookups    *lookups = palloc(sizeof(Lookups));
	ListCell   *lc;

	lookups->n = list_length(plan->lookups);
	lookups->context = CurrentMemoryContext;
	lookups->of = palloc0(sizeof(NodeLookup) * (lookups->n + 1));
	lookups->order = palloc(sizeof(NodeLookup *) * (lookups->n + 1));
	foreach(lc, plan->lookups)
	{
		NodeLookup *lookup = &lookups->of[foreach_current_index(lc)];

		lookup->info = lfirst(lc);
		lookup->input.child = list_nth(children, foreach_current_index(lc));
		lookup->is_required = lookup->info->jointype == JOIN_INNER ||
			lookup->info->jointype == JOIN_SEMI;
		lookups->order[foreach_current_index(lc)] = lookup;
	}
	qsort(lookups->order, lookups->n, sizeof(NodeLookup *), compare_costs);
	return lookups;
}

/* Of the next parameter; false: there are too many. */
static bool
add_bytes(LookupResult *result, Bytes bytes)
{
	if (bytes.data == NULL)
		return false;
	result->bytes[result->nbytes++] = bytes;
	result->stats.bytes += bytes.len;
	return true;
}

/* The look-up that gives values the numbers that they have. */
static Bytes
numbers_bytes(const Numbering *numbers, ValueType type, uint64 limit)
{
	uint32		n = numbering_count(numbers);
	uint32	   *own = palloc_extended(sizeof(uint32) * (n + 1), MCXT_ALLOC_HUGE);
	bool		is_unique;
	Bytes		result;

	for (uint32 i = 0; i < n; i++)
		own[i] = i;
	if (type == VT_TEXT)
		result = lookup_of_texts(numbering_texts(numbers), own, n, n, limit, &is_unique);
	else
		result = lookup_of_integers((const int64 *) numbering_words(numbers), own, n, n, limit,
									&is_unique);
	pfree(own);
	return result;
}

/* The look-up of the rows by their keys. */
static Bytes
keys_bytes(const LookupRows *rows, uint64 limit, bool *is_unique)
{
	const uint32 *numbers = (const uint32 *) rows->numbers.data;
	uint32		nrows = numbering_count(rows->rows);
	Bytes	   *texts;
	Bytes		result;

	if (rows->info->nkeys > 1 || rows->keys[0].type != VT_TEXT)
		return lookup_of_integers((const int64 *) rows->integers.data, numbers, rows->n, nrows,
								  limit, is_unique);
	texts = palloc_extended(sizeof(Bytes) * (rows->n + 1), MCXT_ALLOC_HUGE);
	for (uint64 i = 0; i < rows->n; i++)
		texts[i] = numbering_texts(rows->key_texts)[((const uint32 *) rows->texts.data)[i]];
	result = lookup_of_texts(texts, numbers, rows->n, nrows, limit, is_unique);
	pfree(texts);
	return result;
}

/* The bytes of all its parameters, in the order of set_params. */
static EngineStatus
make_bytes(LookupResult *result, const LookupRows *rows, uint64 limit, const char **message)
{
	const LookupInfo *info = rows->info;
	bool		is_unique = true;
	bool		fits;

	result->bytes = palloc(sizeof(Bytes) * (info->ncolumns + 2 * info->nkeys + 1));
	result->digests = palloc0(sizeof(TableDigest) * (info->ncolumns + 2 * info->nkeys + 1));
	fits = add_bytes(result, keys_bytes(rows, limit, &is_unique));
	if (!is_unique && (info->jointype == JOIN_INNER || info->jointype == JOIN_LEFT))
	{
		*message = "a key is there twice in a joined relation";
		return ENGINE_INEXACT;
	}
	result->stats.form = fits ? lookup_form_name(result->bytes[0]) : NULL;
	for (int i = 0; i < info->nkeys && fits; i++)
	{
		const RowKey *key = &rows->keys[i];

		if (key->numbers != NULL)
			fits = add_bytes(result, numbers_bytes(key->numbers, key->type, limit));
		if (key->pairs != NULL && fits)
			fits = add_bytes(result, numbers_bytes(key->pairs, VT_INT8, limit));
	}
	for (int i = 0; i < info->ncolumns && fits; i++)
		fits = add_bytes(result, lookup_column_bytes(rows, i));
	if (fits && result->stats.bytes <= limit)
		return ENGINE_OK;
	*message = "the rows of a joined relation do not fit into memory";
	return ENGINE_NO_MEMORY;
}

/*
 * A parameter gets the next bytes.  They have a digest if later queries may have the same ones, so
 * that a device may keep them.
 */
static void
set_param(ParamValue *params, int param, const LookupResult *result, int *next)
{
	int			i = (*next)++;
	bool		stays = result->bytes[i].len > TABLE_SMALL && gpuagg_cache_size != 0 &&
		lookup_cache_keeps(result);

	params[param].isnull = false;
	params[param].bytes = result->bytes[i];
	params[param].digest = stays ? &result->digests[i] : NULL;
}

/* Put the bytes into the parameters that the plan has for them. */
static void
set_params(const NodeLookup *lookup, ParamValue *params)
{
	const LookupInfo *info = lookup->info;
	const LookupResult *result = lookup->result;
	int			next = 0;

	set_param(params, info->param, result, &next);
	for (int i = 0; i < info->nkeys; i++)
	{
		if (info->keys[i].param >= 0)
			set_param(params, info->keys[i].param, result, &next);
		if (info->keys[i].pair_param >= 0)
			set_param(params, info->keys[i].pair_param, result, &next);
	}
	for (int i = 0; i < info->ncolumns; i++)
		set_param(params, info->columns[i].param, result, &next);
}

/* The values of codes, by column. */
static Datum **
copy_values(const LookupRows *rows)
{
	Datum	  **values = palloc0(sizeof(Datum *) * (rows->info->ncolumns + 1));

	for (int i = 0; i < rows->info->ncolumns; i++)
		if (lookup_use_is_code(rows->info->columns[i].use))
			values[i] = numbering_copy_datums(rows->columns[i].values);
	return values;
}

static EngineStatus
make_from_rows(LookupResult *result, const LookupRows *rows, uint64 limit, const char **message)
{
	result->is_empty = rows->n == 0 && !rows->left_out;
	result->stats.keys = rows->n;
	result->stats.rows = numbering_count(rows->rows);
	result->values = copy_values(rows);
	return make_bytes(result, rows, limit, message);
}

/*
 * From its child's rows; without: as if there were none.  The rows themselves are not needed
 * any more then.
 */
static EngineStatus
make_result(NodeLookup *lookup, LookupResult *result, bool reads, uint64 limit,
			const char **message)
{
	MemoryContext context = AllocSetContextCreate(result->context, "GpuAgg look-up's rows",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	LookupRows *rows = lookup_rows_create(lookup->info, ExecGetResultType(lookup->input.child));
	EngineStatus status = ENGINE_OK;

	if (reads)
		status = lookup_input_read(&lookup->input, rows, limit, message);

	MemoryContextSwitchTo(old);
	if (status == ENGINE_OK)
	{
		MemoryContextSwitchTo(context);
		lookup_rows_sort(rows);
		MemoryContextSwitchTo(old);
		status = make_from_rows(result, rows, limit, message);
	}
	else
		/* its workers would wait for a reader */
		ExecShutdownNode(lookup->input.child);
	MemoryContextDelete(context);
	return status;
}

/* A result in a context of its own. */
static LookupResult *
create_result(const Lookups *lookups)
{
	MemoryContext context = AllocSetContextCreate(lookups->context, "GpuAgg look-up",
												  ALLOCSET_DEFAULT_SIZES);
	LookupResult *result = MemoryContextAllocZero(context, sizeof(LookupResult));

	result->context = context;
	return result;
}

/* Make the result anew, and keep it if that may be. */
static EngineStatus
build(const Lookups *lookups, NodeLookup *lookup, bool reads, uint64 limit, const char **message)
{
	bool		may_be_kept = reads && lookup->info->tables != NIL;
	List	   *stamps = may_be_kept ? table_stamps(lookup->info->tables) : NIL;
	LookupResult *result = create_result(lookups);
	MemoryContext old = MemoryContextSwitchTo(result->context);
	EngineStatus status = make_result(lookup, result, reads, limit, message);

	MemoryContextSwitchTo(old);
	lookup->result = result;
	lookup->is_current = reads && status == ENGINE_OK;
	if (lookup->is_current && table_stamps_hold(stamps, lookup->info->tables))
		lookup_cache_add(lookup->info, stamps, result, limit);
	if (may_be_kept)
		lookup_demand_made(lookup->info, lookup->is_current && lookup_cache_keeps(result));
	return status;
}

/* Let go the last execution's result, unless the session keeps it. */
static void
drop_result(NodeLookup *lookup)
{
	if (lookup->result != NULL && !lookup_cache_keeps(lookup->result))
		MemoryContextDelete(lookup->result->context);
	lookup->result = NULL;
	lookup->is_current = false;
}

/* Have a result for this execution. */
static EngineStatus
find_or_build(const Lookups *lookups, NodeLookup *lookup, bool reads, uint64 limit,
			  const char **message)
{
	if (lookup->is_current && lookup->input.child->chgParam == NULL)
		return ENGINE_OK;
	drop_result(lookup);
	if (lookup->info->tables != NIL)
		lookup->result = lookup_cache_find(lookup->info);
	if (lookup->result == NULL)
		return build(lookups, lookup, reads, limit, message);
	lookup->is_current = true;
	return ENGINE_OK;
}

EngineStatus
lookups_build(Lookups *lookups, ParamValue *params, const char **message)
{
	uint64		limit = groups_memory_limit(false);
	bool		lets_none_pass = false;

	for (int i = 0; i < lookups->n; i++)
	{
		NodeLookup *lookup = lookups->order[i];
		/* an error of a row is PostgreSQL's, whether it is found or not */
		bool		reads = !lets_none_pass || lookup->info->can_fail;
		EngineStatus status = find_or_build(lookups, lookup, reads, limit, message);

		if (status != ENGINE_OK)
			return status;
		lets_none_pass |= lookup->is_required && lookup->result->is_empty;
		set_params(lookup, params);
	}
	return ENGINE_OK;
}

bool
lookups_let_none_pass(const Lookups *lookups)
{
	for (int i = 0; i < lookups->n; i++)
		if (lookups->of[i].is_required && lookups->of[i].result->is_empty)
			return true;
	return false;
}

Datum *
lookups_code_values(const Lookups *lookups, const ColumnCode *code)
{
	return lookups->of[code->lookup].result->values[code->column];
}

const LookupStats *
lookups_stats(const Lookups *lookups, int number)
{
	const LookupResult *result = lookups->of[number].result;

	return result == NULL || result->stats.form == NULL ? NULL : &result->stats;
}
