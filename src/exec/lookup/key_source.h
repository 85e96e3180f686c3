/*
 * key_source.h
 *	  The rows of a plan that are the keys of groups, by columns as engines have them.
 *
 * A look-up whose rows are groups of another node can be made of the groups' keys, without a
 * tuple of each.
 */
#ifndef GPUAGG_KEY_SOURCE_H
#define GPUAGG_KEY_SOURCE_H

#include "nodes/execnodes.h"

#include "engine/engine.h"

typedef struct KeySource KeySource;

struct KeySource
{
	/*
	 * The next rows, in the columns of the Program that the source was opened for, until the next
	 * call; NULL: there are no more.  Raises an error if they are lost.
	 */
	const ColumnBatch *(*next) (KeySource *source);

	/*
	 * The value that one of these rows has in an attribute that the source was opened for.  Datums
	 * by reference are in the current context, or the source's until its next call.
	 */
	Datum		(*value) (KeySource *source, int attno, uint32 row, bool *isnull);
};

/*
 * The plan's rows from the first one on, in the current context.  program: its columns are
 * attributes of the plan's; datums: attributes that are asked for as values.
 * NULL: they are not keys, or not as the Program has them, and the plan's tuples are to be read.
 */
typedef KeySource *(*KeySourceOpen) (PlanState *plan, const Program *program,
									 const Bitmapset *datums);

#endif							/* GPUAGG_KEY_SOURCE_H */
