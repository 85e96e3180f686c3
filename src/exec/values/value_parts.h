/*
 * value_parts.h
 *	  What the files of values give each other.
 */
#ifndef GPUAGG_VALUE_PARTS_H
#define GPUAGG_VALUE_PARTS_H

#include "pgtime.h"
#include "utils/numeric.h"

#include "program/program.h"

/*
 * final.c: results, and values, of numbers.
 */

/* A number of units of 10^-scale, or, of a Program that admits it, a special. */
extern Datum number_numeric(const Program *program, int64 number, int scale);

/*
 * set.c: an array's elements as a set, for parameters.
 */

/* The set (ops_set.h) of an array's elements, palloc'd. */
extern Bytes set_of_array(Datum array);

/*
 * variance.c: variances of integers and numerics from their exact sums.
 */

/*
 * The variance of count values, or its square root, as PostgreSQL's aggregates
 * over integers and numerics give it: numeric, with the same digits.  sum and
 * squares are those of the values, whose display scale it has, and of their
 * squares, which have twice that.  A sample's variance needs two
 * values at least, the population's one.  The result and what is computed on
 * the way are in the current context.
 */
extern Numeric exact_variance(int64 count, Numeric sum, Numeric squares,
							  bool sample, bool root);

/*
 * zone.c: a time zone's rules as data, for parameters.
 */

/*
 * The table (ZoneSpan, see ops_zone.h) of a zone's rules, palloc'd.  False, and
 * why in *reason, if they cannot be determined.
 */
extern bool zone_table(pg_tz *zone, Bytes *table, char **reason);

/* The zone that AT TIME ZONE finds by that name, or a table of a fixed offset. */
extern bool zone_table_named(const char *name, Bytes *table, char **reason);

#endif							/* GPUAGG_VALUE_PARTS_H */
