/*
 * distrust.h
 *	  Tables whose columns must not be kept, since an answer from them was wrong.
 *
 * Plain C99 without postgres.h.
 */
#ifndef GPUAGG_DISTRUST_H
#define GPUAGG_DISTRUST_H

#include "engine/table_state.h"

/* Keep no column of this table from now on, as long as the process lives. */
extern void distrust_table(uint32_t database, uint32_t relation);

/* Take away what is known of the maps of such tables: without it nothing is kept or served. */
extern void distrust_apply(TableState *tables, int ntables);

#endif							/* GPUAGG_DISTRUST_H */
