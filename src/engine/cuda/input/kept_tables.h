/*
 * kept_tables.h
 *	  The tables and columns of a run that can be taken from those that are kept, or be
 *	  kept.
 */
#ifndef GPUAGG_KEPT_TABLES_H
#define GPUAGG_KEPT_TABLES_H

#include "engine/cuda/core/run_core.h"

typedef struct KeptTable
{
	const TableState *state;
	KeptFile   *file;
	KeptColumn **columns;	/* of KeptTables.columns */
	uint8_t    *served;			/* EngineKept.served; NULL: none of its blocks */
	uint8_t    *taken;			/* a byte a stripe: is it served? */
	uint8_t    *wanted;			/* likewise: is it to be kept? */
	uint8_t    *asked;			/* bits as `served`: of whose pages the LSN is asked for */
	uint64_t   *lsns;			/* by block, those LSNs, others 0; NULL: none is known */
} KeptTable;

/* Begins as zeros; without tables nothing is served or kept. */
typedef struct KeptTables
{
	KeptTable  *tables;
	int			ntables;
	const Column **columns;		/* the Program's, then those that are to be kept
								 * beside them */
	int			ncolumns;
	int64_t		now;			/* seconds since 1970 */
	const uint8_t **asked;		/* by table, its `asked`; NULL: nothing is asked */
	uint64_t	nasked;			/* LSNs that the caller owes */
} KeptTables;

/*
 * Those of the run's hints, if anything may be kept and the Program's rows can come in
 * any order.  Whatever a failure leaves, kept_tables_close takes.
 */
extern EngineStatus kept_tables_open(RunCore *run, KeptTables *tables);
/* Is a stripe of the table the run's (EngineHints.nparts)? */
extern bool kept_table_has(const RunCore *run, const KeptTable *table, uint32_t number);

extern void kept_tables_close(KeptTables *tables);

#endif							/* GPUAGG_KEPT_TABLES_H */
