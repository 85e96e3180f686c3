/*
 * call_order.c
 *	  In which order the calls of a run may come, as data; and which a test wants to fail.
 *
 * The tables are those that engine.h tells, one for each contract.  A call that no rule of a
 * contract names is none of its business; one that some rule names may come only in the states
 * of these rules.  Only close is always in order.
 */
#include "engine/call_order.h"

#ifdef GPUAGG_TESTING

#include <stdio.h>
#include <stdlib.h>

/* In the state, the call leads to the other state. */
typedef struct Rule
{
	uint8_t		state;
	uint8_t		call;
	uint8_t		next;
} Rule;

/* The first state of each contract: no run. */
#define NONE 0

/* EngineOps */
enum
{
	TAKING = 1,
	GIVING
};

static const Rule core[] = {
	{NONE, CALL_OPEN, TAKING},
	{NONE, CALL_ATTACH, TAKING},
	{TAKING, CALL_PAGES, TAKING},
	{TAKING, CALL_TOASTED, TAKING},
	{TAKING, CALL_COLUMNS, TAKING},
	{TAKING, CALL_GROUPS, GIVING},
	{GIVING, CALL_GROUPS, GIVING},
	{GIVING, CALL_REWIND, GIVING},
};

/* EnginePartial */
enum
{
	PARTIAL_TAKING = 1,
	PARTIAL_EMITTED
};

static const Rule partial[] = {
	{NONE, CALL_OPEN, PARTIAL_TAKING},
	{NONE, CALL_ATTACH, PARTIAL_TAKING},
	{PARTIAL_TAKING, CALL_PAGES, PARTIAL_TAKING},
	{PARTIAL_TAKING, CALL_TOASTED, PARTIAL_TAKING},
	{PARTIAL_TAKING, CALL_COLUMNS, PARTIAL_TAKING},
	{PARTIAL_TAKING, CALL_GROUPS, PARTIAL_TAKING},
	{PARTIAL_TAKING, CALL_EMIT_PARTIAL, PARTIAL_EMITTED},
	{PARTIAL_EMITTED, CALL_COMBINE, PARTIAL_EMITTED},
};

/* EngineShared */
enum
{
	SHARED_OPENED = 1,
	SHARED_COMPLETE,
	SHARED_GIVING,
	SHARED_ATTACHED,
	SHARED_FED
};

static const Rule shared[] = {
	{NONE, CALL_OPEN, SHARED_OPENED},
	{SHARED_OPENED, CALL_BEGUN, SHARED_OPENED},
	{SHARED_OPENED, CALL_PAGES, SHARED_OPENED},
	{SHARED_OPENED, CALL_TOASTED, SHARED_OPENED},
	{SHARED_OPENED, CALL_COLUMNS, SHARED_OPENED},
	{SHARED_OPENED, CALL_EXPECT, SHARED_COMPLETE},
	{SHARED_OPENED, CALL_GROUPS, SHARED_GIVING},
	{SHARED_COMPLETE, CALL_GROUPS, SHARED_GIVING},
	{SHARED_GIVING, CALL_GROUPS, SHARED_GIVING},
	{NONE, CALL_ATTACH, SHARED_ATTACHED},
	{SHARED_ATTACHED, CALL_BEGUN, SHARED_ATTACHED},
	{SHARED_ATTACHED, CALL_PAGES, SHARED_ATTACHED},
	{SHARED_ATTACHED, CALL_TOASTED, SHARED_ATTACHED},
	{SHARED_ATTACHED, CALL_COLUMNS, SHARED_ATTACHED},
	{SHARED_ATTACHED, CALL_FED, SHARED_FED},
};

/* EngineKept */
enum
{
	KEPT_OPENED = 1,
	KEPT_ASKED,
	KEPT_SERVED,
	KEPT_BEGUN,
	KEPT_READING,
	KEPT_GIVING
};

static const Rule kept[] = {
	{NONE, CALL_OPEN, KEPT_OPENED},
	{KEPT_OPENED, CALL_REQUEST, KEPT_ASKED},
	{KEPT_ASKED, CALL_REQUEST, KEPT_ASKED},
	{KEPT_ASKED, CALL_ANSWER, KEPT_OPENED},
	{KEPT_OPENED, CALL_SERVED, KEPT_SERVED},
	{KEPT_ASKED, CALL_SERVED, KEPT_SERVED},
	{KEPT_SERVED, CALL_SERVED, KEPT_SERVED},
	{KEPT_OPENED, CALL_BEGIN, KEPT_BEGUN},
	{KEPT_ASKED, CALL_BEGIN, KEPT_BEGUN},
	{KEPT_SERVED, CALL_BEGIN, KEPT_BEGUN},
	{KEPT_OPENED, CALL_PAGES, KEPT_READING},
	{KEPT_ASKED, CALL_PAGES, KEPT_READING},
	{KEPT_SERVED, CALL_PAGES, KEPT_READING},
	{KEPT_BEGUN, CALL_PAGES, KEPT_READING},
	{KEPT_READING, CALL_PAGES, KEPT_READING},
	{KEPT_READING, CALL_CONTINUES, KEPT_READING},
	{KEPT_OPENED, CALL_COLUMNS, KEPT_READING},
	{KEPT_ASKED, CALL_COLUMNS, KEPT_READING},
	{KEPT_SERVED, CALL_COLUMNS, KEPT_READING},
	{KEPT_BEGUN, CALL_COLUMNS, KEPT_READING},
	{KEPT_READING, CALL_COLUMNS, KEPT_READING},
	{KEPT_OPENED, CALL_GROUPS, KEPT_GIVING},
	{KEPT_ASKED, CALL_GROUPS, KEPT_GIVING},
	{KEPT_SERVED, CALL_GROUPS, KEPT_GIVING},
	{KEPT_BEGUN, CALL_GROUPS, KEPT_GIVING},
	{KEPT_READING, CALL_GROUPS, KEPT_GIVING},
	{KEPT_GIVING, CALL_GROUPS, KEPT_GIVING},
	{NONE, CALL_ATTACH, KEPT_READING},
};

/* EngineStripes */
enum
{
	STRIPES_OPENED = 1,
	STRIPES_ASKED,
	STRIPES_GIVING
};

static const Rule stripes[] = {
	{NONE, CALL_OPEN, STRIPES_OPENED},
	{NONE, CALL_ATTACH, STRIPES_OPENED},
	{STRIPES_OPENED, CALL_ASKS, STRIPES_ASKED},
	{STRIPES_OPENED, CALL_TAKE, STRIPES_OPENED},
	{STRIPES_ASKED, CALL_TAKE, STRIPES_OPENED},
	{STRIPES_OPENED, CALL_PAGES, STRIPES_OPENED},
	{STRIPES_OPENED, CALL_COLUMNS, STRIPES_OPENED},
	{STRIPES_OPENED, CALL_GROUPS, STRIPES_GIVING},
	{STRIPES_GIVING, CALL_GROUPS, STRIPES_GIVING},
};

/* EngineStream */
enum
{
	STREAM_TAKING = 1,
	STREAM_GIVING
};

static const Rule stream[] = {
	{NONE, CALL_OPEN, STREAM_TAKING},
	{NONE, CALL_ATTACH, STREAM_TAKING},
	{STREAM_TAKING, CALL_GROUPS, STREAM_GIVING},
	{STREAM_GIVING, CALL_GROUPS, STREAM_GIVING},
	{STREAM_GIVING, CALL_SETTLE, STREAM_GIVING},
};

/* EngineLists */
enum
{
	LISTS_TAKING = 1,
	LISTS_GIVING
};

static const Rule lists[] = {
	{NONE, CALL_OPEN, LISTS_TAKING},
	{NONE, CALL_ATTACH, LISTS_TAKING},
	{LISTS_TAKING, CALL_GROUPS, LISTS_GIVING},
	{LISTS_TAKING, CALL_REWIND, LISTS_TAKING},
	{LISTS_GIVING, CALL_GROUPS, LISTS_GIVING},
	{LISTS_GIVING, CALL_LIST, LISTS_GIVING},
	{LISTS_GIVING, CALL_REWIND, LISTS_TAKING},
};

/* EngineParts */
enum
{
	PARTS_TAKING = 1,
	PARTS_FINISHED,
	PARTS_GIVING
};

static const Rule parts[] = {
	{NONE, CALL_OPEN, PARTS_TAKING},
	{NONE, CALL_ATTACH, PARTS_TAKING},
	{PARTS_TAKING, CALL_PAGES, PARTS_TAKING},
	{PARTS_TAKING, CALL_TOASTED, PARTS_TAKING},
	{PARTS_TAKING, CALL_COLUMNS, PARTS_TAKING},
	{PARTS_TAKING, CALL_FINISH, PARTS_FINISHED},
	{PARTS_FINISHED, CALL_FINISH, PARTS_FINISHED},
	{PARTS_FINISHED, CALL_MERGE, PARTS_FINISHED},
	{PARTS_FINISHED, CALL_COMPLETE, PARTS_FINISHED},
	{PARTS_TAKING, CALL_GROUPS, PARTS_GIVING},
	{PARTS_FINISHED, CALL_GROUPS, PARTS_GIVING},
	{PARTS_GIVING, CALL_GROUPS, PARTS_GIVING},
};

static const struct
{
	const char *table;
	const Rule *rules;
	int			nrules;
}			contracts[CALL_ORDERS] =
{
#define CONTRACT(name, rules) {name, rules, sizeof(rules) / sizeof(rules[0])}
	CONTRACT("EngineOps", core),
	CONTRACT("EnginePartial", partial),
	CONTRACT("EngineShared", shared),
	CONTRACT("EngineKept", kept),
	CONTRACT("EngineStripes", stripes),
	CONTRACT("EngineStream", stream),
	CONTRACT("EngineLists", lists),
	CONTRACT("EngineParts", parts)
#undef CONTRACT
};

/* The state after the call; the same if the contract does not name it; -1: it may not come. */
static int
next_state(int contract, uint8_t state, EngineCall call)
{
	int			next = state;

	for (int i = 0; i < contracts[contract].nrules; i++)
	{
		const Rule *rule = &contracts[contract].rules[i];

		if (rule->call != call)
			continue;
		if (rule->state == state)
			return rule->next;
		next = -1;
	}
	return next;
}

void
call_order_note(CallOrder *order, EngineCall call)
{
	for (int i = 0; i < CALL_ORDERS; i++)
	{
		int			next = next_state(i, order->states[i], call);

		if (next < 0)
		{
			fprintf(stderr, "gpuagg: call \"%s\" of a run out of order after \"%s\", by %s\n",
					engine_call_name(call), engine_call_name((EngineCall) order->last),
					contracts[i].table);
			abort();
		}
		order->states[i] = (uint8_t) next;
	}
	order->last = (uint8_t) call;
}

int
call_injected(CallFailure *failure, EngineCall call, char *message)
{
	if (failure->call != call || failure->nth == 0 || --failure->nth > 0)
		return 0;
	snprintf(message, 256, INJECTED_MESSAGE, engine_call_name(call));
	return failure->status;
}

#endif							/* GPUAGG_TESTING */
