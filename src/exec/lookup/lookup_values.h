/*
 * lookup_values.h
 *	  The bytes of a look-up's columns.
 */
#ifndef GPUAGG_LOOKUP_VALUES_H
#define GPUAGG_LOOKUP_VALUES_H

#include "exec/lookup/lookup_rows.h"

/* The bytes (LookupValues of ops_lookup.h) of a column, palloc'd; NULL data: too many. */
extern Bytes lookup_column_bytes(const LookupRows *rows, int column);

#endif							/* GPUAGG_LOOKUP_VALUES_H */
