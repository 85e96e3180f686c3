/*
 * test_call_order.c
 *	  The order of a run's calls, as engine.h tells it: what may come, and what aborts.
 */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/call_order.h"
#include "tap.h"

#define MOST 8

/* Does a run abort that is called so?  The list ends with CALL_CLOSE. */
static bool
aborts(const EngineCall *calls)
{
	pid_t		child;
	int			status;

	fflush(stdout);
	child = fork();
	if (child == 0)
	{
		CallOrder	order = {0};

		if (freopen("/dev/null", "w", stderr) == NULL)
			_exit(1);
		for (int i = 0; calls[i] != CALL_CLOSE; i++)
			call_order_note(&order, calls[i]);
		_exit(0);
	}
	return waitpid(child, &status, 0) == child && WIFSIGNALED(status) &&
		WTERMSIG(status) == SIGABRT;
}

int
main(void)
{
	static const struct
	{
		const char *name;
		bool		aborts;
		EngineCall	calls[MOST];
	}			runs[] = {
		{"pages, then groups, and again", false,
		{CALL_OPEN, CALL_PAGES, CALL_GROUPS, CALL_REWIND, CALL_GROUPS, CALL_CLOSE}},
		{"pages behind groups", true,
		{CALL_OPEN, CALL_PAGES, CALL_GROUPS, CALL_PAGES, CALL_CLOSE}},
		{"a rewind before groups", true,
		{CALL_OPEN, CALL_PAGES, CALL_REWIND, CALL_CLOSE}},
		{"pages before a run is open", true,
		{CALL_PAGES, CALL_CLOSE}},
		{"emit_partial, then combine", false,
		{CALL_OPEN, CALL_PAGES, CALL_EMIT_PARTIAL, CALL_COMBINE, CALL_COMBINE, CALL_CLOSE}},
		{"combine before emit_partial", true,
		{CALL_OPEN, CALL_PAGES, CALL_COMBINE, CALL_CLOSE}},
		{"pages behind emit_partial", true,
		{CALL_OPEN, CALL_PAGES, CALL_EMIT_PARTIAL, CALL_PAGES, CALL_CLOSE}},
		{"attach, pages, fed", false,
		{CALL_ATTACH, CALL_PAGES, CALL_FED, CALL_CLOSE}},
		{"pages behind fed", true,
		{CALL_ATTACH, CALL_PAGES, CALL_FED, CALL_PAGES, CALL_CLOSE}},
		{"groups of a run that others have opened", true,
		{CALL_ATTACH, CALL_PAGES, CALL_GROUPS, CALL_CLOSE}},
		{"expect, then groups", false,
		{CALL_OPEN, CALL_BEGUN, CALL_PAGES, CALL_EXPECT, CALL_GROUPS, CALL_CLOSE}},
		{"pages behind expect", true,
		{CALL_OPEN, CALL_BEGUN, CALL_EXPECT, CALL_PAGES, CALL_CLOSE}},
		{"request, answer, served, pages", false,
		{CALL_OPEN, CALL_REQUEST, CALL_ANSWER, CALL_SERVED, CALL_PAGES, CALL_CLOSE}},
		{"an answer that nobody has asked for", true,
		{CALL_OPEN, CALL_ANSWER, CALL_CLOSE}},
		{"a request behind pages", true,
		{CALL_OPEN, CALL_PAGES, CALL_REQUEST, CALL_CLOSE}},
		{"stripes that are asked for and taken between pages", false,
		{CALL_OPEN, CALL_ASKS, CALL_TAKE, CALL_PAGES, CALL_TAKE, CALL_GROUPS, CALL_CLOSE}},
		{"pages before a stripe that was asked for", true,
		{CALL_OPEN, CALL_ASKS, CALL_PAGES, CALL_CLOSE}},
		{"settle behind the first groups", false,
		{CALL_OPEN, CALL_GROUPS, CALL_SETTLE, CALL_GROUPS, CALL_CLOSE}},
		{"settle before them", true,
		{CALL_OPEN, CALL_SETTLE, CALL_CLOSE}},
		{"a list of groups, and of others", false,
		{CALL_OPEN, CALL_GROUPS, CALL_LIST, CALL_LIST, CALL_GROUPS, CALL_LIST, CALL_CLOSE}},
		{"a list before groups", true,
		{CALL_OPEN, CALL_LIST, CALL_CLOSE}},
		{"a list of groups that come again", true,
		{CALL_OPEN, CALL_GROUPS, CALL_REWIND, CALL_LIST, CALL_CLOSE}}
	};

	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++)
		ok(aborts(runs[i].calls) == runs[i].aborts, "%s: %s", runs[i].name,
		   runs[i].aborts ? "aborts" : "may come");
	return done_testing();
}
