/*
 * lookup_demand.h
 *	  What a session's queries would have saved, had their look-ups been kept.
 */
#ifndef GPUAGG_LOOKUP_DEMAND_H
#define GPUAGG_LOOKUP_DEMAND_H

#include "plan/plan_info.h"

/*
 * A query that could have used the look-up is run otherwise, for making the look-up costs too
 * much; with one that is kept it would have saved so much, in the planner's costs.  The look-up's
 * key and tables are set, and the tables are locked.
 */
extern void lookup_demand_add(const LookupInfo *info, double saving);

/* Is anything known of the table's look-ups? */
extern bool lookup_demand_has_table(Oid table);

/* What has been added up for the look-up since its tables have last changed. */
extern double lookup_demand_saving(const LookupInfo *info);

/* The look-up has been made, and is kept or is not, which then is expected of the next one, too. */
extern void lookup_demand_made(const LookupInfo *info, bool is_kept);

#endif							/* GPUAGG_LOOKUP_DEMAND_H */
