/*
 * select.h
 *	  Which engine runs a query, and how PostgreSQL holds one of its runs.
 */
#ifndef GPUAGG_SELECT_H
#define GPUAGG_SELECT_H

#include "engine/engine.h"

/* The engine of a GpuAggEngine (guc.h), or NULL if the build lacks it. */
extern const EngineOps *engine_named(int choice);

/*
 * The engine that gpuagg.engine names; for `auto`, NULL.  Raises an ERROR if one
 * is named that is not there.
 */
extern const EngineOps *engine_required(void);

/*
 * Is the CUDA engine there?  Looks for a device the first time, which takes a
 * moment, and tells the log once if it finds none.
 */
extern bool engine_cuda_answers(void);

/*
 * The engine to run a plan with that was made for the engine named `planned`
 * (only plans made under `auto` need it; cuda may be gone since).  Where
 * gpuagg.engine has changed since to one that cannot run the Program: cpu.
 */
extern const EngineOps *engine_for_plan(const char *planned, const Program *program);

/* Once, when the module is loaded. */
extern void engine_init(void);

/*
 * A run that is closed when the current memory context is reset or deleted, or
 * by engine_close, whichever comes first; so no path out leaks it.
 */
typedef struct EngineHandle EngineHandle;

/*
 * All of these return a status other than BUSY (they wait, looking for
 * interrupts) and leave the reason in engine_message.
 */
extern EngineHandle *engine_handle(const EngineOps *ops);
extern EngineStatus engine_open(EngineHandle *handle, const Program *program,
								const SlotValue *slots, const EngineHints *hints);
extern EngineStatus engine_pages(EngineHandle *handle, const PageRef *pages, int n);

/* As EngineOps.left; cannot fail. */
extern int	engine_left(EngineHandle *handle, LeftRow *rows, int max);
extern EngineStatus engine_columns(EngineHandle *handle, const ColumnBatch *batch);
extern EngineStatus engine_groups(EngineHandle *handle, GroupBatch *batch);
extern void engine_rewind(EngineHandle *handle);
extern void engine_close(EngineHandle *handle);
extern const char *engine_message(const EngineHandle *handle);

/* An open run cannot have a row at all: why, and that status. */
extern EngineStatus engine_give_up(EngineHandle *handle, EngineStatus status,
								   const char *message);

/*
 * In a build for tests: shall this call of a run, or over its groups, be taken to
 * have failed (inject.h)?  ENGINE_OK: no.
 */
extern EngineStatus engine_injected(EngineHandle *handle, const char *call,
									char *message);

/* What happened, also after engine_close; NULL before engine_open. */
extern const EngineStats *engine_stats(const EngineHandle *handle);
extern const char *engine_name(const EngineHandle *handle);

/* SQLSTATE for a status, where it must become an ERROR. */
extern int	engine_sqlstate(EngineStatus status);

#endif							/* GPUAGG_SELECT_H */
