/*
 * call_order.h
 *	  The calls of a run; in which order they may come, and which fail, in builds for tests.
 *
 * Plain C99 without postgres.h.
 */
#ifndef GPUAGG_CALL_ORDER_H
#define GPUAGG_CALL_ORDER_H

#include <stdbool.h>
#include <stdint.h>

/*
 * CALL(name, member): a call of a run, by the member of EngineOps or of one of its tables.  So
 * are they called by messages and by gpuagg.inject_failure, too.
 */
#define ENGINE_CALLS(CALL) \
	CALL(OPEN, open) \
	CALL(PAGES, pages) \
	CALL(TOASTED, toasted) \
	CALL(COLUMNS, columns) \
	CALL(GROUPS, groups) \
	CALL(REWIND, rewind) \
	CALL(EMIT_PARTIAL, emit_partial) \
	CALL(COMBINE, combine) \
	CALL(ATTACH, attach) \
	CALL(BEGUN, begun) \
	CALL(FED, fed) \
	CALL(EXPECT, expect) \
	CALL(REQUEST, request) \
	CALL(ANSWER, answer) \
	CALL(SERVED, served) \
	CALL(BEGIN, begin) \
	CALL(CONTINUES, continues) \
	CALL(ASKS, asks) \
	CALL(TAKE, take) \
	CALL(SETTLE, settle) \
	CALL(LIST, list) \
	CALL(FINISH, finish) \
	CALL(MERGE, merge) \
	CALL(COMPLETE, complete) \
	CALL(CLOSE, close)

typedef enum EngineCall
{
#define CALL(name, member) CALL_##name,
	ENGINE_CALLS(CALL)
#undef CALL
	NUM_ENGINE_CALLS
} EngineCall;

#define CALL_ORDERS 8			/* EngineOps, and its tables but EngineProcess and EngineLookups */

/* The member's name. */
static inline const char *
engine_call_name(EngineCall call)
{
	static const char *const names[NUM_ENGINE_CALLS] = {
#define CALL(name, member) #member,
		ENGINE_CALLS(CALL)
#undef CALL
	};

	return names[call];
}

/*
 * Is it a call of which sessions know nothing, since it is made where the run is?  Only those that
 * can fail.
 */
static inline bool
call_is_inner(EngineCall call)
{
	return call == CALL_BEGIN || call == CALL_FINISH || call == CALL_MERGE;
}

/* Which inner call a test wants to fail.  Zeros: none. */
typedef struct CallFailure
{
	uint8_t		call;			/* EngineCall */
	uint8_t		status;			/* the EngineStatus that it is taken to answer */
	uint16_t	nth;			/* so many calls of its name from now on; 0: none fails */
} CallFailure;

#define INJECTED_MESSAGE "a failure was injected into \"%s\""

/* How far a run has come, by each table.  Begins as zeros. */
typedef struct CallOrder
{
	uint8_t		states[CALL_ORDERS];
	uint8_t		last;			/* the last EngineCall */
} CallOrder;

#ifdef GPUAGG_TESTING

/*
 * The call is going to be made, or, open and attach, has been.  One that may not come now is
 * told to stderr, and ends the process.
 */
extern void call_order_note(CallOrder *order, EngineCall call);

#define call_is_due(run, call) call_order_note(&(run)->order, call)

/*
 * To be asked before each inner call: ENGINE_OK, or the status with which it shall be taken to have
 * failed without being made, and a message (256 bytes) of its reason.
 */
extern int	call_injected(CallFailure *failure, EngineCall call, char *message);

#else

#define call_is_due(run, call) ((void) 0)

#endif

#endif							/* GPUAGG_CALL_ORDER_H */
