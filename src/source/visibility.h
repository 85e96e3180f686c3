/*
 * visibility.h
 *	  What tells whether pages of the tables that are read have changed: the visibility map,
 *	  and the pages' LSNs.
 */
#ifndef GPUAGG_VISIBILITY_H
#define GPUAGG_VISIBILITY_H

#include "engine/table_state.h"
#include "source/heap.h"

/* May an engine keep a heap table's columns from one run to the next? */
extern bool table_columns_may_stay(Relation relation);

/*
 * The states of those tables whose columns may stay, in the current context: *n of
 * them; NULL: there are none.  The snapshot of the run has been taken, none of the
 * tables' pages has been read.
 */
extern TableState *table_states_read(const SourceTable *tables, int ntables,
									 const BlockNumber *nblocks, int *n);

/*
 * page_lsns.c: the LSNs of tables' pages, by which an engine tells whether they have changed.
 */

/*
 * The LSNs that pages have now: of the blocks whose bits are set in asked[i], NULL: none, for
 * each table, in the order of tables and blocks.  *n of them, in the current context.
 */
extern uint64 *page_lsns_read(const SourceTable *tables, int ntables,
							  const BlockNumber *nblocks, const uint8 *const *asked, uint64 *n);

/* The same of a stripe's blocks, by block of the stripe; 0 of those that are not asked for. */
extern void page_lsns_read_stripe(Relation relation, BlockNumber nblocks, uint32 stripe,
								  const uint8 *asked, uint64 *lsns);

#endif							/* GPUAGG_VISIBILITY_H */
