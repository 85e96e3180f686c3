/*
 * table_keys.h
 *	  Which columns of a table are a key of it.
 */
#ifndef GPUAGG_TABLE_KEYS_H
#define GPUAGG_TABLE_KEYS_H

#include "nodes/bitmapset.h"
#include "nodes/parsenodes.h"

/*
 * Does a unique index say that no two rows of a query's relation are equal in these columns (numbers
 * of attributes), as their types and collations compare them?  not_null: nor are two of them NULL.
 */
extern bool columns_are_key(const RangeTblEntry *rte, const Bitmapset *columns, bool not_null);

#endif							/* GPUAGG_TABLE_KEYS_H */
