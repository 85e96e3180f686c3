/*
 * zone.h
 *	  A time zone's rules as data, for parameters.
 */
#ifndef GPUAGG_ZONE_H
#define GPUAGG_ZONE_H

#include "pgtime.h"

#include "program/fn.h"

/*
 * The table (ZoneSpan, see ops_zone.h) of a zone's rules, palloc'd.  False, and
 * why in *reason, if they cannot be determined.
 */
extern bool zone_table(pg_tz *zone, Bytes *table, char **reason);

/* The zone that AT TIME ZONE finds by that name, or a table of a fixed offset. */
extern bool zone_table_named(const char *name, Bytes *table, char **reason);

#endif							/* GPUAGG_ZONE_H */
