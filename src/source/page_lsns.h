/*
 * page_lsns.h
 *	  The LSNs of tables' pages, by which an engine tells whether they have changed.
 */
#ifndef GPUAGG_PAGE_LSNS_H
#define GPUAGG_PAGE_LSNS_H

#include "source/heap.h"

/*
 * The LSNs that pages have now: of the blocks whose bits are set in asked[i], NULL: none, for
 * each table, in the order of tables and blocks.  *n of them, in the current context.
 */
extern uint64 *page_lsns_read(const SourceTable *tables, int ntables,
							  const BlockNumber *nblocks, const uint8 *const *asked, uint64 *n);

#endif							/* GPUAGG_PAGE_LSNS_H */
