/*
 * group_column.h
 *	  The values of a column of the node's tuples, from a batch of groups.
 *
 * How a value is made is the same for all groups of a batch, and chosen once.
 */
#ifndef GPUAGG_GROUP_COLUMN_H
#define GPUAGG_GROUP_COLUMN_H

#include "compat.h"
#include "engine/engine.h"
#include "exec/values/ordered_aggregate.h"
#include "plan/plan_info.h"
#include "program/exact_result.h"

typedef struct GroupColumn GroupColumn;

/* How several aggregates' values are an array. */
typedef struct GroupArray GroupArray;

/*
 * A group's value.  Datums by reference are in the current context, or in the column until it
 * makes another group's value.  Can raise what final_value can raise.
 */
typedef Datum (*GroupColumnValue) (GroupColumn *column, uint32 group, bool *isnull);

/*
 * The same of n groups, at most GROUP_ROWS, one after the other; the next one's value is `step`
 * places behind.  Datums by reference are in the column until it fills the next rows.
 * Raises nothing; false: some values need GroupColumnValue.
 */
typedef bool (*GroupColumnFill) (GroupColumn *column, uint32 group, uint32 n,
								 Datum *values, bool *isnull, int step);

#define GROUP_ROWS 128

struct GroupColumn
{
	GroupColumnValue value;
	GroupColumnFill fill;		/* NULL: there is none */
	int			number;			/* the caller's */
	bool		isnull;			/* of a constant */
	Datum		constant;

	/* of a key */
	const Program *program;
	int			key;
	ColumnVector vector;
	const Datum *coded;			/* of a code: the values, by their numbers */

	/* of an aggregate */
	const Aggregate *agg;
	const uint64_t *states;		/* the first group's */
	uint32		nwords;			/* of a group */
	uint32		word;			/* the result's first one */
	uint32		count;			/* the word that counts its values */
	const int32_t *units;
	ExactSum	sum;			/* of floats, but for its words */
	double		scale;			/* as exact_word_sum's */
	GroupArray *array;			/* NULL: it is a value itself */
	OrderedAggregate *ordered;	/* that is made of rows; NULL: of the words alone */
	EngineHandle *engine;		/* whose groups these are */

	char		text[VARATT_SHORT_MAX];	/* a short one, with its header */
	char	   *texts;			/* likewise, of GROUP_ROWS groups; NULL: it is no text */
};

/* Of an array's type, in the current context; the ArrayInfo must stay. */
extern GroupArray *group_array_create(const ArrayInfo *info, Oid type);

/* Of a type with texts, in the current context. */
extern void group_column_make_texts(GroupColumn *column);

/*
 * Each of these makes the column that of a batch, which must stay as long as it is used.  What has
 * a list of values needs the engine, which the caller sets.
 */
extern void group_column_is_key(GroupColumn *column, const Program *program, int key,
								const ColumnVector *vector);

/* Of a key that is the number of one of these values. */
extern void group_column_is_coded_aggregate(GroupColumn *column, const Program *program,
											const Aggregate *agg, const GroupBatch *batch,
											const Datum *values);
extern void group_column_is_code(GroupColumn *column, const ColumnVector *vector,
								 const Datum *values);
extern void group_column_is_aggregate(GroupColumn *column, const Program *program,
									  const Aggregate *agg, const GroupBatch *batch);
extern void group_column_is_constant(GroupColumn *column, Datum value, bool isnull);

#endif							/* GPUAGG_GROUP_COLUMN_H */
