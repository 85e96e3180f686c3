/*
 * lower_zone.h
 *	  What depends on a time zone.
 */
#ifndef GPUAGG_LOWER_ZONE_H
#define GPUAGG_LOWER_ZONE_H

#include "plan/lower/lowering.h"

/*
 * The register of a zone's rules.  zone: an expression of its name; NULL: the
 * session's.
 */
extern int	lower_zone(Lowering *l, Expr *zone);

/* Between timestamptz and timestamp, of which either register may be -1. */
extern int	lower_to_local(Lowering *l, int reg, int zone);
extern int	lower_to_utc(Lowering *l, int reg, int zone);

/* Lower a call, if the function is one of those here, to *reg (or -1). */
extern bool lower_zone_function(Lowering *l, Oid function, List *args, int *reg);

#endif							/* GPUAGG_LOWER_ZONE_H */
