/*
 * verify.h
 *	  Rows as sets, to compare an engine's answer with PostgreSQL's.
 */
#ifndef GPUAGG_VERIFY_H
#define GPUAGG_VERIFY_H

#include "executor/tuptable.h"
#include "nodes/execnodes.h"

#include "source/heap.h"

typedef struct Verifier Verifier;

/* Rows in no order; of any number, in no memory. */
typedef struct RowSet
{
	uint64		rows;
	uint64		sums[2];		/* of the rows' hashes */
} RowSet;

/* Is this execution of a node one of those that gpuagg.verify asks for? */
extern bool verify_is_wanted(void);

/*
 * For rows of this type.  ignored: columns, from 1, that are not compared.  Lives in the
 * current memory context.
 */
extern Verifier *verifier_create(TupleDesc rows, const Bitmapset *ignored);
extern void verifier_add(Verifier *verifier, RowSet *set, TupleTableSlot *row);
extern bool row_sets_are_equal(const RowSet *a, const RowSet *b);

/*
 * An answer over these tables was wrong: the device process evicts their columns and keeps
 * none of them any more, if there is one.
 */
extern void verify_distrust(const SourceTable *tables, int ntables);

#endif							/* GPUAGG_VERIFY_H */
