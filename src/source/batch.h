/*
 * batch.h
 *	  Column batches made of Datums, for all rows that are not heap pages.
 */
#ifndef GPUAGG_BATCH_H
#define GPUAGG_BATCH_H

#include "engine/engine.h"

#define BATCH_ROWS 4096

/* A batch in the making, in a memory context of its own below the current. */
typedef struct BatchWriter BatchWriter;

/* For up to BATCH_ROWS rows of the Program's columns. */
extern BatchWriter *batch_create(const Program *program);

/*
 * Append a row: values[i] and isnull[i] are the Program's column i.  Varlenas
 * are detoasted and copied.
 */
extern void batch_append(BatchWriter *writer, const Datum *values, const bool *isnull);

/* The rows so far (0 rows after batch_reset); full: no more may be appended. */
extern uint32_t batch_rows(const BatchWriter *writer);
extern bool batch_full(const BatchWriter *writer);

/* As a ColumnBatch, valid until the next append, reset or free. */
extern const ColumnBatch *batch_columns(BatchWriter *writer);
extern void batch_reset(BatchWriter *writer);
extern void batch_free(BatchWriter *writer);

#endif							/* GPUAGG_BATCH_H */
