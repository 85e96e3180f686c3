/*
 * rows.h
 *	  Rows of tuple table slots, sent to an engine by column batches.
 */
#ifndef GPUAGG_ROWS_H
#define GPUAGG_ROWS_H

#include "executor/tuptable.h"

#include "handle/handle.h"

typedef struct RowSender RowSender;

/*
 * In the current memory context.  The run of the engine is open, and not closed
 * before rows_end, unless by an error.
 */
extern RowSender *rows_create(const Program *program, EngineHandle *engine);

/* The table, by its number among the run's, that the rows which are added are of. */
extern void rows_set_table(RowSender *sender, uint32 table);

/*
 * Add the slot's row: column i of the Program is attribute attnos[i].  Varlenas are
 * detoasted.  Sends a batch when one is full.  Returns OK, or the status with
 * which the engine gave up.
 */
extern EngineStatus rows_add(RowSender *sender, TupleTableSlot *slot,
							 const AttrNumber *attnos);

/* Send what has not been sent yet. */
extern EngineStatus rows_flush(RowSender *sender);
extern void rows_end(RowSender *sender);

/* The attributes of the Program's columns, palloc'd. */
extern AttrNumber *rows_program_attnos(const Program *program);

#endif							/* GPUAGG_ROWS_H */
