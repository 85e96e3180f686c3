/*
 * batch.h
 *	  Column batches made of Datums, for all rows that are not heap pages.
 */
#ifndef GPUAGG_BATCH_H
#define GPUAGG_BATCH_H

#include "engine/engine.h"

#define BATCH_ROWS 4096

/* Bytes of texts in a column that make a batch full. */
#define BATCH_TEXT (8 * 1024 * 1024)

/*
 * A batch in the making.  Its memory is in the context that is current when it
 * is created; it has none of its own, since a hashed aggregation adds up all
 * contexts below its own repeatedly, and may hold a writer for each group.
 */
typedef struct BatchWriter BatchWriter;

/* For up to BATCH_ROWS rows of the Program's columns. */
extern BatchWriter *batch_create(const Program *program);

/*
 * Append a row: values[i] and isnull[i] are the Program's column i.  Varlenas
 * are detoasted and copied.  False: a numeric is not what its column says, and
 * no row was appended.
 */
extern bool batch_append(BatchWriter *writer, const Datum *values, const bool *isnull);

/* Was that numeric one that is special, which its column does not admit? */
extern bool batch_met_special(const BatchWriter *writer);

/* The rows so far (0 rows after batch_reset); full: no more may be appended. */
extern uint32_t batch_rows(const BatchWriter *writer);
extern bool batch_full(const BatchWriter *writer);

/* As a ColumnBatch, valid until the next append, reset or free. */
extern const ColumnBatch *batch_columns(BatchWriter *writer);
extern void batch_reset(BatchWriter *writer);
extern void batch_free(BatchWriter *writer);

#endif							/* GPUAGG_BATCH_H */
