/*
 * column_batch.h
 *	  NULLs of a column batch.
 */
#ifndef GPUAGG_COLUMN_BATCH_H
#define GPUAGG_COLUMN_BATCH_H

#include "engine/engine.h"

static inline bool
vector_is_null(const ColumnVector *vector, uint32_t row)
{
	return vector->validity != NULL && !((vector->validity[row / 8] >> (row % 8)) & 1);
}

/* Is there a NULL in a column that the Program says has none? */
static inline bool
batch_has_wrong_null(const Program *program, const ColumnBatch *batch)
{
	const Column *columns = program_columns(program);

	for (int i = 0; i < program->ncolumns; i++)
	{
		if (columns[i].nullable || batch->columns[i].validity == NULL)
			continue;
		for (uint32_t row = 0; row < batch->nrows; row++)
			if (vector_is_null(&batch->columns[i], row))
				return true;
	}
	return false;
}

#endif							/* GPUAGG_COLUMN_BATCH_H */
