/*
 * ask.c
 *	  Questions of a session to the device process.
 */
#include "postgres.h"

#include "compat.h"
#include "miscadmin.h"
#include "service/ask.h"
#include "service/client.h"
#include "storage/latch.h"
#include "utils/wait_event.h"

/* Milliseconds between two looks where there is no descriptor to wait for. */
#define NO_DESCRIPTOR_SLEEP 10

/* Milliseconds after which silence is looked at. */
#define SILENCE_SLEEP 500

/* Sleep until there may be an answer. */
static void
wait_for_answer(const Question *question)
{
	static uint32 wait_event = 0;
	pgsocket	file = question_descriptor(question);
	int			events = WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH;
	int			milliseconds = SILENCE_SLEEP;

	if (wait_event == 0)
		wait_event = compat_wait_event("GpuAggAnswer");
	if (file != PGINVALID_SOCKET)
		events |= WL_SOCKET_READABLE;
	else
		milliseconds = NO_DESCRIPTOR_SLEEP;
	if (WaitLatchOrSocket(MyLatch, events, file, milliseconds, wait_event) & WL_LATCH_SET)
		ResetLatch(MyLatch);
	CHECK_FOR_INTERRUPTS();
}

bool
service_ask(QuestionKind kind, TakeAnswer take, void *arg, char *why)
{
	Question   *question = question_ask(kind, why);
	volatile EngineStatus status = ENGINE_FAILED;

	if (question == NULL)
		return false;
	PG_TRY();
	{
		Message    *answer;

		do
			while ((status = question_next(question, &answer, why)) == ENGINE_BUSY)
				wait_for_answer(question);
		while (status == ENGINE_OK && !take(answer, arg));
	}
	PG_FINALLY();
	{
		question_end(question);
	}
	PG_END_TRY();
	return status == ENGINE_OK;
}
