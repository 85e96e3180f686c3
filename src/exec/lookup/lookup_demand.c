/*
 * lookup_demand.c
 *	  What a session's queries would have saved, had their look-ups been kept.
 *
 * To make a look-up can cost more than it spares one query, and far less than it spares many.
 * How many will come is not known.  So each query that is run otherwise adds what it would have
 * saved; once that is what making the look-up costs, it is made and kept.  All queries together
 * then take at most twice as long as if it had been known (rent or buy: Karlin, Manasse,
 * Rudolph, Sleator, Competitive snoopy caching, 1988).
 *
 * What has been added up counts while the tables have the same rows, for else the look-up would
 * not have been kept.
 *
 * Memory: a context below TopMemoryContext for each look-up, at most MOST_DEMANDS.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "exec/lookup/lookup_cache.h"
#include "exec/lookup/lookup_demand.h"

#define MOST_DEMANDS 64

typedef struct Demand
{
	MemoryContext context;		/* where all of it is */
	List	   *tables;			/* Oids */
	char	   *key;
	List	   *stamps;			/* of the tables when the first saving was added */
	double		saving;
	bool		is_refused;		/* the look-up was made, and not kept */
} Demand;

static List *demands = NIL;		/* Demand, last added first */

static void
forget(Demand *demand)
{
	demands = list_delete_ptr(demands, demand);
	MemoryContextDelete(demand->context);
}

static Demand *
demand_for(const LookupInfo *info)
{
	ListCell   *lc;

	foreach(lc, demands)
	{
		Demand	   *demand = lfirst(lc);

		if (equal(demand->tables, info->tables) && strcmp(demand->key, info->key) == 0)
			return demand;
	}
	return NULL;
}

/* A new demand; NULL: the look-up could not be kept, since a table has no stamp. */
static Demand *
create(const LookupInfo *info)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "GpuAgg look-up demand",
												  ALLOCSET_SMALL_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	Demand	   *demand = palloc0(sizeof(Demand));

	demand->context = context;
	demand->tables = list_copy(info->tables);
	demand->key = pstrdup(info->key);
	demand->stamps = table_stamps(info->tables);
	if (demand->stamps != NIL)
	{
		/* from here on nothing fails that would leave it behind */
		MemoryContextSwitchTo(TopMemoryContext);
		demands = lcons(demand, demands);
		MemoryContextSetParent(context, TopMemoryContext);
	}
	MemoryContextSwitchTo(old);
	if (demand->stamps != NIL)
		return demand;
	MemoryContextDelete(context);
	return NULL;
}

void
lookup_demand_add(const LookupInfo *info, double saving)
{
	Demand	   *demand = demand_for(info);

	if (demand != NULL && !table_stamps_hold(demand->stamps, demand->tables))
	{
		forget(demand);
		demand = NULL;
	}
	if (demand == NULL)
		demand = create(info);
	if (demand == NULL || demand->is_refused)
		return;
	demand->saving += saving;
	if (list_length(demands) > MOST_DEMANDS)
		forget(llast(demands));
}

bool
lookup_demand_has_table(Oid table)
{
	ListCell   *lc;

	foreach(lc, demands)
		if (list_member_oid(((const Demand *) lfirst(lc))->tables, table))
			return true;
	return false;
}

double
lookup_demand_saving(const LookupInfo *info)
{
	const Demand *demand = demand_for(info);

	return demand != NULL && demand->saving > 0 &&
		table_stamps_hold(demand->stamps, demand->tables) ? demand->saving : 0;
}

void
lookup_demand_made(const LookupInfo *info, bool is_kept)
{
	Demand	   *demand = demand_for(info);

	if (demand == NULL)
		return;
	demand->saving = 0;
	demand->is_refused = !is_kept;
	if (is_kept)
		forget(demand);
}
