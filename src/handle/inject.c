/*
 * inject.c
 *	  Failures on request, for tests of what happens after them.
 *
 * The setting is parsed when it is set; its parts live in static variables, as
 * does the count of runs opened since.  The count of a run's calls belongs to its
 * handle, for there may be several runs at once (a query within a query).
 */
#include "postgres.h"

#include "handle/inject.h"

#ifdef GPUAGG_TESTING

#include "access/parallel.h"
#include "utils/guc.h"

/* In which processes. */
typedef enum InjectPlace
{
	EVERYWHERE,
	IN_LEADER,
	IN_WORKERS
} InjectPlace;

static char *inject_failure;	/* the setting's text */

/* Its parts: nothing is injected while nth is 0. */
static char inject_call[16];
static int	inject_nth;
static EngineStatus inject_result;
static InjectPlace inject_place;

static unsigned int runs;		/* opened since the setting was set */

static const struct
{
	const char *name;
	EngineStatus status;
}			statuses[] =
{
	{"inexact", ENGINE_INEXACT},
	{"widen", ENGINE_WIDEN},
	{"special", ENGINE_SPECIAL},
	{"corrupt", ENGINE_CORRUPT},
	{"no_memory", ENGINE_NO_MEMORY},
	{"no_store", ENGINE_NO_STORE},
	{"failed", ENGINE_FAILED},
	{"lost", ENGINE_LOST}
};

/* What follows the status. */
static bool
parse_place(const char *text, InjectPlace *place)
{
	*place = strcmp(text, ":leader") == 0 ? IN_LEADER :
		strcmp(text, ":worker") == 0 ? IN_WORKERS : EVERYWHERE;
	return *place != EVERYWHERE || text[0] == '\0';
}

/* The parts of `text`; false if it is not CALL:NUMBER:STATUS[:PLACE] or empty. */
static bool
parse_failure(const char *text, char *call, int *nth, EngineStatus *status,
			  InjectPlace *place)
{
	char		name[16];
	int			end = -1;

	*nth = 0;
	if (text[0] == '\0')
		return true;
	if (sscanf(text, "%15[a-z_]:%d:%15[a-z_]%n", call, nth, name, &end) != 3 ||
		!parse_place(text + end, place) || *nth < 1)
		return false;
	for (int i = 0; i < (int) lengthof(statuses); i++)
	{
		if (strcmp(name, statuses[i].name) == 0)
		{
			*status = statuses[i].status;
			return true;
		}
	}
	return false;
}

static bool
check_inject_failure(char **newval, void **extra, GucSource source)
{
	char		call[16];
	int			nth;
	EngineStatus status;
	InjectPlace place;

	if (parse_failure(*newval, call, &nth, &status, &place))
		return true;
	GUC_check_errdetail("The value is CALL:NUMBER:STATUS, such as \"pages:3:no_memory\".");
	return false;
}

static void
assign_inject_failure(const char *newval, void *extra)
{
	(void) parse_failure(newval, inject_call, &inject_nth, &inject_result, &inject_place);
	runs = 0;
}

void
inject_init(void)
{
	DefineCustomStringVariable("gpuagg.inject_failure",
							   "Makes a call of the engine fail, for tests.",
							   NULL,
							   &inject_failure,
							   "",
							   PGC_SUSET,
							   0,
							   check_inject_failure,
							   assign_inject_failure,
							   NULL);
}

/* Count a call that "any" may stand for; is it the one to fail? */
static bool
is_nth_of_any(InjectCalls *calls, const char *call)
{
	if (strcmp(call, "groups") == 0)
	{
		if (calls->asked_groups)
			return false;
		calls->asked_groups = true;
	}
	return ++calls->any == inject_nth;
}

/* Does "any" stand for other calls only? */
static bool
is_special(const char *call)
{
	static const char *const special[] = {
		"toasted", "settle", "list", "order", "value", "lost", "fetch"
	};

	for (int i = 0; i < (int) lengthof(special); i++)
		if (strcmp(call, special[i]) == 0)
			return true;
	return false;
}

/* Count a call; is it the one to fail? */
static bool
is_to_fail(InjectCalls *calls, const char *call)
{
	bool		opens = strcmp(call, "open") == 0 || strcmp(call, "attach") == 0;

	if (opens)
	{
		memset(calls, 0, sizeof(*calls));
		runs++;
	}
	if (strcmp(inject_call, "any") == 0)
		return !is_special(call) && is_nth_of_any(calls, call);
	if (strcmp(call, inject_call) != 0)
		return false;
	if (opens)
		return runs % inject_nth == 0;
	return ++calls->named == inject_nth;
}

/* Does the setting name a call that this process would make? */
static bool
is_here(void)
{
	return inject_nth > 0 &&
		(inject_place == EVERYWHERE || (inject_place == IN_WORKERS) == IsParallelWorker());
}

EngineStatus
inject_status(InjectCalls *calls, const char *call, char *message)
{
	if (!is_here() || !is_to_fail(calls, call))
		return ENGINE_OK;
	snprintf(message, 256, INJECTED_MESSAGE, call);
	return inject_result;
}

CallFailure
inject_inner(void)
{
	CallFailure failure = {.status = (uint8) inject_result,.nth = (uint16) Min(inject_nth, UINT16_MAX)};

	for (int call = 0; call < NUM_ENGINE_CALLS && is_here(); call++)
	{
		failure.call = (uint8) call;
		if (call_is_inner(call) && strcmp(engine_call_name(call), inject_call) == 0)
			return failure;
	}
	return (CallFailure) {0};
}

#endif							/* GPUAGG_TESTING */
