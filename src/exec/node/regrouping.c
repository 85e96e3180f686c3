/*
 * regrouping.c
 *	  A node's grouping sets and DISTINCT aggregates, out of an engine's groups.
 *
 * The engine gives its groups once for the tables of regroup.c, and once more if
 * they are themselves the groups of a set; else it is closed, and its memory free,
 * before the first group leaves.
 *
 * The tables' memory is not PostgreSQL's: a reset callback frees it on every way
 * out, as it does for an engine's run.  What the memory allowed does not hold goes to a
 * temporary file (temp_store.h), which the query's resource owner closes after an error.  No
 * more is written once groups have left.
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"
#include "utils/memutils.h"

#include "engine/regroup.h"
#include "exec/node/regrouping.h"
#include "exec/node/temp_store.h"

struct Regrouping
{
	MemoryContextCallback callback;
	int			nsets;
	KeySet	   *sets;
	SetLayout  *layouts;
	Regroup    *regroup;		/* NULL: no run */
	TempStore  *store;			/* of the run, or NULL */
	int			set;			/* that gives groups now */
	int			zero_signs;		/* of the float keys of all groups so far */
	RegroupingStats stats;		/* of the last run */
	char		message[256];
};

static void
close_callback(void *arg)
{
	regroup_free(((Regrouping *) arg)->regroup);
}

static KeySet
key_set(const List *keys)
{
	KeySet		set = 0;
	ListCell   *lc;

	foreach(lc, keys)
		set |= (KeySet) 1 << lfirst_int(lc);
	return set;
}

/* One bit an argument, the last one's the lowest: is it no key of the set? */
static int32
grouping_value(KeySet set, const List *arguments)
{
	int32		value = 0;
	ListCell   *lc;

	foreach(lc, arguments)
		value = value << 1 | !((set >> lfirst_int(lc)) & 1);
	return value;
}

static SetLayout
set_layout(const PlanInfo *plan, KeySet set)
{
	SetLayout	layout;
	int			place = 0;
	ListCell   *lc;

	layout.places = palloc(sizeof(int) * (plan->nkeys + 1));
	layout.groupings = palloc(sizeof(int32) * (list_length(plan->groupings) + 1));
	for (int i = 0; i < plan->nkeys; i++)
		layout.places[i] = (set >> i) & 1 ? place++ : -1;
	foreach(lc, plan->groupings)
		layout.groupings[foreach_current_index(lc)] = grouping_value(set, lfirst(lc));
	return layout;
}

Regrouping *
regrouping_create(const PlanInfo *plan)
{
	Regrouping *regrouping = palloc0(sizeof(Regrouping));
	ListCell   *lc;

	regrouping->nsets = list_length(plan->sets);
	regrouping->sets = palloc(sizeof(KeySet) * regrouping->nsets);
	regrouping->layouts = palloc(sizeof(SetLayout) * regrouping->nsets);
	foreach(lc, plan->sets)
	{
		KeySet		set = key_set(lfirst(lc));

		regrouping->sets[foreach_current_index(lc)] = set;
		regrouping->layouts[foreach_current_index(lc)] = set_layout(plan, set);
	}
	regrouping->callback.func = close_callback;
	regrouping->callback.arg = regrouping;
	MemoryContextRegisterResetCallback(CurrentMemoryContext, &regrouping->callback);
	return regrouping;
}

/* What has happened so far. */
static void
note_stats(Regrouping *regrouping)
{
	if (regrouping->regroup == NULL)
		return;
	regrouping->stats.memory = regroup_memory(regrouping->regroup);
	regrouping->stats.batches = regroup_batches(regrouping->regroup);
	regrouping->stats.disk = temp_store_bytes(regrouping->store);
}

void
regrouping_close(Regrouping *regrouping)
{
	note_stats(regrouping);
	regroup_free(regrouping->regroup);
	regrouping->regroup = NULL;
	if (regrouping->store)
		temp_store_close(regrouping->store);
	regrouping->store = NULL;
}

uint64
regrouping_unread_keys(const Regrouping *regrouping, const Program *fine, const Program *coarse)
{
	return regroup_unread_keys(fine, coarse, regrouping->sets, regrouping->nsets);
}

/* Open a run of regrouping, with a store. */
static bool
open_regroup(Regrouping *regrouping, const Program *fine, const Program *coarse,
			 const EngineHints *hints)
{
	EngineHints own = *hints;

	regrouping->store = temp_store_create(coarse, hints);
	own.store = temp_store_groups(regrouping->store);
	regrouping->regroup = regroup_create(fine, coarse, regrouping->sets,
										 regrouping->nsets, &own);
	return regrouping->regroup != NULL;
}

/* The signs of the zeros among a float key's values, a bit each. */
static int
zero_signs(ValueType type, const ColumnVector *key, uint32 n)
{
	int			signs = 0;

	for (uint32 i = 0; i < n; i++)
	{
		double		value = type == VT_FLOAT4 ? ((const float *) key->values)[i] :
			((const double *) key->values)[i];
		bool		isnull = key->validity != NULL && !(key->validity[i / 8] >> i % 8 & 1);

		if (value == 0 && !isnull)
			signs |= signbit(value) ? 2 : 1;
	}
	return signs;
}

/* Note the zeros among the float keys of the engine's groups. */
static void
note_zeros(Regrouping *regrouping, const Program *fine, const GroupBatch *batch)
{
	for (int i = 0; i < fine->nkeys; i++)
	{
		ValueType	type = program_key_type(fine, i);

		if (value_is_float(type))
			regrouping->zero_signs |= zero_signs(type, &batch->keys[i], batch->ngroups);
	}
}

/*
 * A set's key shows the 0 or -0 of its first row.  Groups come in the order of their first
 * rows, the engine's and those of other sets, but not out of files.
 */
static EngineStatus
check_zeros(Regrouping *regrouping, EngineHandle *engine)
{
	if (regrouping->zero_signs != 3 ||
		(engine_stats(engine)->batches <= 1 && temp_store_bytes(regrouping->store) == 0))
		return ENGINE_OK;
	strlcpy(regrouping->message, "float keys are both 0 and -0, and groups are in files",
			sizeof(regrouping->message));
	return ENGINE_INEXACT;
}

/* All groups of the engine into the tables. */
static EngineStatus
take_groups(Regrouping *regrouping, EngineHandle *engine, const Program *fine,
			const char **message)
{
	GroupBatch	batch;
	EngineStatus status;

	for (;;)
	{
		status = engine_groups(engine, &batch);
		if (status != ENGINE_OK)
		{
			*message = engine_message(engine);
			return status;
		}
		if (batch.ngroups == 0)
			return ENGINE_OK;
		note_zeros(regrouping, fine, &batch);
		status = check_zeros(regrouping, engine);
		if (status == ENGINE_OK)
			status = engine_injected(engine, "regroup", regrouping->message);
		if (status == ENGINE_OK)
			status = regroup_add(regrouping->regroup, &batch, regrouping->message);
		CHECK_FOR_INTERRUPTS();
		if (status != ENGINE_OK)
			return status;
	}
}

/* The sets' groups out of the tables, which may take a while. */
static EngineStatus
end_groups(Regrouping *regrouping, EngineHandle *engine)
{
	EngineStatus status = engine_injected(engine, "regroup", regrouping->message);

	if (status != ENGINE_OK)
		return status;
	while ((status = regroup_end(regrouping->regroup, regrouping->message)) == ENGINE_BUSY)
		CHECK_FOR_INTERRUPTS();
	CHECK_FOR_INTERRUPTS();
	return status == ENGINE_OK ? check_zeros(regrouping, engine) : status;
}

/* Are the fine groups a set's? */
static bool
needs_engine(const Regrouping *regrouping)
{
	for (int i = 0; i < regrouping->nsets; i++)
		if (regroup_is_fine(regrouping->regroup, i))
			return true;
	return false;
}

EngineStatus
regrouping_run(Regrouping *regrouping, EngineHandle *engine, const Program *fine,
			   const Program *coarse, const EngineHints *hints, const char **message)
{
	EngineStatus status;

	Assert(regrouping->regroup == NULL);
	regrouping->set = 0;
	regrouping->zero_signs = 0;
	regrouping->stats = (RegroupingStats)
	{
		0
	};
	*message = regrouping->message;
	status = engine_injected(engine, "regroup", regrouping->message);
	if (status != ENGINE_OK)
		return status;
	if (!open_regroup(regrouping, fine, coarse, hints))
	{
		strlcpy(regrouping->message, "out of memory for the groups of grouping sets",
				sizeof(regrouping->message));
		return ENGINE_NO_MEMORY;
	}
	status = take_groups(regrouping, engine, fine, message);
	if (status == ENGINE_OK)
		status = end_groups(regrouping, engine);
	if (status != ENGINE_OK)
		return status;
	if (needs_engine(regrouping))
		engine_rewind(engine);
	else
		engine_close(engine);
	return ENGINE_OK;
}

/* The next groups of the current set, which are the engine's or regrouped. */
static EngineStatus
set_groups(Regrouping *regrouping, EngineHandle *engine, GroupBatch *batch,
		   const char **message)
{
	EngineStatus status;

	if (!regroup_is_fine(regrouping->regroup, regrouping->set))
	{
		*message = regrouping->message;
		status = regroup_groups(regrouping->regroup, regrouping->set, batch,
								regrouping->message);
		CHECK_FOR_INTERRUPTS();
		return status;
	}
	*message = engine_message(engine);
	status = engine_groups(engine, batch);
	if (status == ENGINE_OK && batch->ngroups == 0)
		engine_rewind(engine);	/* the set may come twice */
	return status;
}

EngineStatus
regrouping_groups(Regrouping *regrouping, EngineHandle *engine, GroupBatch *batch,
				  const SetLayout **layout, const char **message)
{
	batch->ngroups = 0;
	for (; regrouping->set < regrouping->nsets; regrouping->set++)
	{
		EngineStatus status = set_groups(regrouping, engine, batch, message);

		*layout = &regrouping->layouts[regrouping->set];
		if (status != ENGINE_OK || batch->ngroups > 0)
			return status;
	}
	return ENGINE_OK;
}

void
regrouping_rewind(Regrouping *regrouping)
{
	Assert(regrouping->set == regrouping->nsets);
	regrouping->set = 0;
}

RegroupingStats
regrouping_stats(Regrouping *regrouping)
{
	note_stats(regrouping);
	return regrouping->stats;
}
