/*
 * inject.h
 *	  Failures on request, for tests of what happens after them.
 *
 * In builds made with TESTING=1, the setting gpuagg.inject_failure names a call,
 * which of them since the run was opened, and the status that it shall have:
 * 'pages:3:no_memory'.  A call is
 *
 * - a member of the engine interface that can fail and that sessions call (make_call in
 *	 handle.c): open, attach, request, answer, take, begun, pages, columns, fed,
 *	 emit_partial, combine, groups, settle, list;
 * - one that is made where the run is, mostly in the device process: begin of EngineKept, and
 *	 finish and merge of EngineParts.  The session says which when it opens the run
 *	 (EngineHints.fails);
 * - "toasted", by which a row is left out that was not given, whatever the status;
 * - "regroup", a call of regroup.h that can fail;
 * - "fetch", the fetch of a first row of a group from its table (fetch_rows.c);
 * - "order", by which memory to order a group's rows is refused, whatever the status;
 * - "value", by which a group leaves with a wrong value, whatever the status;
 * - "lost", a call of groups after which others have left already;
 * - "any", one of all these but begin, finish, merge, toasted, settle, list, fetch, order, value
 *	 and lost before the first groups have left, when a failure must still end in PostgreSQL's own plan.
 *
 * 'open:2:failed' fails every second run, and so does attach.  'combine:1:failed:worker' fails
 * in parallel workers only, and with 'leader' in the others.  In other builds nothing of this
 * exists.
 */
#ifndef GPUAGG_INJECT_H
#define GPUAGG_INJECT_H

#include "engine/engine.h"

#ifdef GPUAGG_TESTING

/* The calls of one run, as far as it has come. */
typedef struct InjectCalls
{
	int			named;			/* of the call that the setting names */
	int			any;			/* of all that "any" stands for */
	bool		asked_groups;
} InjectCalls;

/* Define the setting; once, when the module is loaded. */
extern void inject_init(void);

/*
 * To be asked before each call, by its name: ENGINE_OK, or the status with which
 * the call shall be taken to have failed without being made, and a message (256
 * bytes) of its reason.
 */
extern EngineStatus inject_status(InjectCalls *calls, const char *call, char *message);

/* To be asked when a run is opened: which of the calls shall fail that are made where it is. */
extern CallFailure inject_inner(void);

#else

#define inject_init() ((void) 0)

#endif

#endif							/* GPUAGG_INJECT_H */
