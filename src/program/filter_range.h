/*
 * filter_range.h
 *	  What a Program's filter can be, of rows whose columns' values are known to be in
 *	  ranges; and in which range a column's values must be.  Plain C without postgres.h.
 */
#ifndef GPUAGG_FILTER_RANGE_H
#define GPUAGG_FILTER_RANGE_H

#include "program/program.h"

/* What is known of a column's values in some rows. */
typedef struct ValueRange
{
	bool		nulls;			/* may some be NULL? */
	bool		values;			/* and some not? */
	bool		known;			/* these are integers in this range */
	int64_t		least;
	int64_t		most;
} ValueRange;

/*
 * Can a row pass the filter, or the filter be an error?  If not, PostgreSQL's answer is the
 * same without these rows.  ranges: of each of the Program's columns.
 */
extern bool filter_can_pass(const Program *program, const ParamValue *params,
							const ValueRange *ranges);

/*
 * Values of a column that refuse a row, whatever its other columns have: it does not pass the
 * filter, nor is the filter an error.
 */
typedef struct FilterCondition
{
	bool		inside;			/* those in this range, else those outside of it */
	int64_t		least;
	int64_t		most;
	int64_t		refused;		/* one of them */
	bool		refuses_nulls;	/* and NULL */
} FilterCondition;

/* False: none are known of the column.  Its values are those that registers have. */
extern bool filter_value_condition(const Program *program, const ParamValue *params, int column,
								   FilterCondition *condition);

/* The same where values stand in tuples as registers have them: not of numerics. */
extern bool filter_condition(const Program *program, const ParamValue *params, int column,
							 FilterCondition *condition);

#endif							/* GPUAGG_FILTER_RANGE_H */
