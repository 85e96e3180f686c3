/*
 * engine_data.h
 *	  Rows of all types for tests of engines, and Programs over them.
 */
#ifndef ENGINE_DATA_H
#define ENGINE_DATA_H

#include "engine/engine.h"

#define DATA_MAX_ROWS 300000

/* The columns: one of each kind, some with NULLs. */
enum
{
	C_INT4, C_INT4_NULL, C_INT8, C_FLOAT8, C_FLOAT4_NULL, C_TEXT_NULL, C_BOOL, C_UUID,
	C_INT2, C_INT8_NULL, C_INTERVAL, C_COUNT
};

extern ColumnVector data_vectors[C_COUNT];

/*
 * Fill all columns; keys come from 0 .. distinct - 1, by chance or in order.
 */
extern void data_make(uint32_t nrows, uint32_t distinct, bool sorted);

/*
 * A malloc'd Program with these columns as keys; with every kind of accumulator
 * or none; with a filter that has parameter 0, an INT4, in it, or none.
 */
extern Program *data_program(const int *keys, int nkeys, bool aggregates, bool filter);

/*
 * A malloc'd Program full of selections (with errors in sides that no row takes)
 * and operations on the calendar and on parts of texts; its parameters.
 */
#define DATA_EXPRESSION_PARAMS 7
extern Program *data_expressions(ParamValue params[DATA_EXPRESSION_PARAMS]);

/*
 * A malloc'd Program that groups by the rows that C_INT8_NULL finds in parameter 0, a table of
 * several MB, whose bytes are malloc'd, too; some keys are not there.
 */
extern Program *data_lookups(ParamValue params[1]);

#endif							/* ENGINE_DATA_H */
