/*
 * final.h
 *	  From an engine's groups to PostgreSQL's values.
 */
#ifndef GPUAGG_FINAL_H
#define GPUAGG_FINAL_H

#include "engine/engine.h"
#include "program/exact_result.h"

/*
 * The result of one aggregate from a group's words and the batch's units, as
 * PostgreSQL's own aggregate would return it; Datums by reference are in the
 * current context.  Can raise what PostgreSQL's final function would raise.
 */
extern Datum final_value(const Program *program, const Aggregate *agg,
						 const uint64_t *words, const int32_t *units, bool *isnull);

/*
 * The type of a result that engines have as it is; -1: it is none.  Sums that are numerics are
 * others (final_sum_units).
 */
extern int	final_column_type(FinalKind final);

/*
 * The units, 10^-scale each, of a group's FINAL_SUM_NUMERIC that has values, none of them
 * special; false: they have not 64 bits.
 */
extern bool final_sum_units(const Program *program, const Aggregate *agg, const uint64_t *words,
							int64 *units);

/*
 * An accumulator's exact sum of floats in a group's state, and that as a double, or as a
 * float that is a double.  Raises an overflow's error.
 */
extern ExactSum final_exact_sum(const Program *program, int acc, const uint64_t *words,
								const int32_t *units);
extern double final_float_sum(const ExactSum *sum, bool single);

/* Can final_value, for an aggregate of this Program? */
extern bool final_can_fail(const Program *program);

/*
 * Are all of its aggregates the same as PostgreSQL's to the last digit?  PostgreSQL rounds
 * sums of floats, and what it makes of them, after each row, in the rows' order.
 */
extern bool final_is_exact(const Program *program);

/*
 * A group's value of one key; a numeric has the key's display scale.  Datums by
 * reference are in the current context.
 */
extern Datum key_value(const Program *program, int key,
					   const ColumnVector *vector, uint32_t group, bool *isnull);

/*
 * A value of a column vector as a Datum of the SQL type with that ValueType;
 * TEXT and UUID are copied into the current context.
 */
extern Datum vector_datum(const ColumnVector *vector, ValueType type,
						  uint32_t row, bool *isnull);

#endif							/* GPUAGG_FINAL_H */
