/*
 * handle.h
 *	  How PostgreSQL holds a run of an engine: calls, waits, interrupts.
 */
#ifndef GPUAGG_HANDLE_H
#define GPUAGG_HANDLE_H

#include "engine/engine.h"

/*
 * A run that is closed when the current memory context is reset or deleted, or
 * by engine_close, whichever comes first; so no path out leaks it.
 */
typedef struct EngineHandle EngineHandle;

/* What the settings say, and how to wait; for regroup.h too. */
extern EngineHints engine_hints(double rows, double groups, double pages);

/*
 * All of these return a status other than BUSY (they wait, looking for
 * interrupts) and leave the reason in engine_message.  A run that has failed answers all later
 * calls as it did then, until it is closed.
 */
extern EngineHandle *engine_handle(const EngineOps *ops);
extern EngineStatus engine_open(EngineHandle *handle, const Program *program,
								const ParamValue *params, const EngineHints *hints);

/*
 * What the engine asks, REQUEST_NONE for one that asks nothing; and the answer.  As
 * EngineKept.request and answer.
 */
extern EngineStatus engine_request(EngineHandle *handle, EngineRequest *request);
extern EngineStatus engine_answer(EngineHandle *handle, const EngineAnswer *answer);

/* EngineHints.tables of the open run, n of them. */
extern const TableState *engine_tables(const EngineHandle *handle, int *n);

/*
 * After that: as EngineKept.served, by the tables' numbers: served[i] is set for each table
 * that hints.tables had, and others stay as they are.
 */
extern EngineStatus engine_served(EngineHandle *handle, const uint8 **served);

/*
 * Does the open run take stripes of hints.tables?  If so, as EngineStripes.asks and take.  A run
 * that has failed asks nothing.
 */
extern bool engine_takes_stripes(const EngineHandle *handle);
extern const uint8 *engine_asks(EngineHandle *handle, const StripeTurn *turn);
extern EngineStatus engine_take(EngineHandle *handle, StripeTurn *turn);

extern EngineStatus engine_pages(EngineHandle *handle, const PageRef *pages, int n);

/*
 * What groups may take of a process's memory: as much as a hash aggregate of
 * PostgreSQL's, unless gpuagg.memory_limit says otherwise; in bytes.  regroups: half of
 * it, the other half being for the groups before, or after, regrouping.
 */
extern uint64 groups_memory_limit(bool regroups);

/* EngineTraits.pages_at_once; as EngineOps.released; wait until it counts so many. */
extern int	engine_pages_at_once(const EngineHandle *handle);
extern uint64 engine_released(EngineHandle *handle);
extern void engine_wait_released(EngineHandle *handle, uint64 pages);

/* As EngineOps.toasted; cannot fail. */
extern int	engine_toasted(EngineHandle *handle, ToastedRow *rows, int max);
extern EngineStatus engine_columns(EngineHandle *handle, const ColumnBatch *batch);
extern EngineStatus engine_groups(EngineHandle *handle, GroupBatch *batch);
extern void engine_rewind(EngineHandle *handle);

/* As EngineLists.list, for an engine that has lists. */
extern EngineStatus engine_list(EngineHandle *handle, StoredList *list);

/* As EngineStream.settle; can no later call of groups fail? */
extern EngineStatus engine_settle(EngineHandle *handle);
extern bool engine_is_settled(const EngineHandle *handle);

/* As EngineShared.begun, attach, fed and expect, for an engine that has these. */
extern EngineStatus engine_begun(EngineHandle *handle);
extern EngineStatus engine_attach(EngineHandle *handle, const Program *program,
								  const EngineHints *hints);
extern EngineStatus engine_fed(EngineHandle *handle);
extern void engine_expect(EngineHandle *handle, uint32 feeders);

/* As EnginePartial.emit_partial and combine. */
extern EngineStatus engine_emit_partial(EngineHandle *handle);
extern EngineStatus engine_combine(EngineHandle *handle, uint32 partition);

extern void engine_close(EngineHandle *handle);
extern bool engine_is_open(const EngineHandle *handle);
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
extern EngineId engine_id(const EngineHandle *handle);
extern const char *engine_name(const EngineHandle *handle);
extern const EngineOps *engine_ops(const EngineHandle *handle);

/* Count what other runs of the same aggregation have done as this one's, too. */
extern void engine_stats_add(EngineStats *stats, const EngineStats *others);
extern void engine_add_work(EngineHandle *handle, const EngineStats *others);

/* SQLSTATE for a status, where it must become an ERROR. */
extern int	engine_sqlstate(EngineStatus status);

#endif							/* GPUAGG_HANDLE_H */
