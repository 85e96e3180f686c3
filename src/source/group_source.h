/*
 * group_source.h
 *	  The rows of a plan that are groups of another node, by columns as engines have them.
 *
 * A look-up, or a grouping, of such rows can be made of the groups' keys and results, without a
 * tuple of each.
 */
#ifndef GPUAGG_GROUP_SOURCE_H
#define GPUAGG_GROUP_SOURCE_H

#include "nodes/execnodes.h"

#include "engine/engine.h"

typedef struct GroupSource GroupSource;

struct GroupSource
{
	/*
	 * The next rows, at most BATCH_ROWS, in the columns of the Program that the source was opened
	 * for, until the next call; NULL: there are no more, or, with tuples_follow, the others are to be
	 * read as the plan's tuples.
	 */
	const ColumnBatch *(*next) (GroupSource *source);

	/*
	 * The value that one of these rows has in an attribute that the source was opened for.  Datums
	 * by reference are in the current context, or the source's until its next call.
	 */
	Datum		(*value) (GroupSource *source, int attno, uint32 row, bool *isnull);

	/*
	 * The values of the batch's rows in such an attribute as engines have them, of *size bytes each,
	 * at most 8: the same bytes are the same value.  False: they are larger, or no such ones.
	 */
	bool		(*key) (GroupSource *source, int attno, ColumnVector *values, int *size);

	bool		tuples_follow;
};

/*
 * The plan's rows from the first one on, in the current context.  program: its columns are
 * attributes of the plan's; datums: attributes that are asked for as values, or NULL.
 * NULL: they are no groups, or not as the Program has them, and the plan's tuples are to be read.
 */
typedef GroupSource *(*GroupSourceOpen) (PlanState *plan, const Program *program,
										 const Bitmapset *datums);

/* How that is done, once, when the module is loaded; */
extern void group_source_init(GroupSourceOpen open);

/* and doing it. */
extern GroupSource *group_source_open(PlanState *plan, const Program *program,
									  const Bitmapset *datums);

#endif							/* GPUAGG_GROUP_SOURCE_H */
