/*
 * rows.h
 *	  Rows of tuple table slots, sent to an engine by column batches.
 */
#ifndef GPUAGG_ROWS_H
#define GPUAGG_ROWS_H

#include "executor/tuptable.h"
#include "nodes/execnodes.h"
#include "port/atomics.h"

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

/*
 * child.c: a child plan's rows, as column batches.
 */

/* The child's next tuple; it runs in the query's context, whatever the current one is. */
extern TupleTableSlot *child_next_tuple(PlanState *child);

/*
 * Run the child plan to its end and hand its rows to the engine.  Returns OK,
 * or the status with which the engine gave up.  stop: not 0 once the rest of the rows is
 * of no use, or NULL.
 */
extern EngineStatus child_source_run(PlanState *child, const Program *program,
									 EngineHandle *engine, pg_atomic_uint32 *stop);

#endif							/* GPUAGG_ROWS_H */
