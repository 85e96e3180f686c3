/*
 * lower_shown.h
 *	  Where the display scale of a numeric shows.
 */
#ifndef GPUAGG_LOWER_SHOWN_H
#define GPUAGG_LOWER_SHOWN_H

#include "plan/lower/lowering.h"
#include "plan/lower/numeric/numeric_scale.h"

/*
 * The register for a value whose display scale must be its own, for one row's
 * decides what is shown.
 */
extern int	lower_uniform(Lowering *l, int reg, const NumericInfo *info);

/*
 * The accumulator of the display scales of an aggregate's values, *acc (-1: all are
 * the unit).
 */
extern bool lower_shown_acc(Lowering *l, int reg, const NumericInfo *info, int filter,
							int *acc);

#endif							/* GPUAGG_LOWER_SHOWN_H */
