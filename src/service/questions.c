/*
 * questions.c
 *	  What the device process is asked: its devices, and what runs there.
 */
#include "service/questions.h"

#include <string.h>

#include "engine/clock.h"
#include "engine/cuda/cuda_engine.h"

/* Rows of one message. */
#define ACTIVITY_ROWS ((PROTOCOL_MAX_MESSAGE - sizeof(ActivityMessage)) / sizeof(ActivityRow))

static void
answer_devices(Connection *c)
{
	DevicesMessage *devices = &c->answer.devices;
	int			n;

	message_begin(&c->answer, MESSAGE_DEVICES);
	memset(message_devices(&c->answer), 0, DEVICES_MAX * sizeof(DeviceInfo));
	n = cuda_devices(message_devices(&c->answer), DEVICES_MAX, devices->why,
					 sizeof(devices->why));
	devices->ndevices = (uint32_t) (n < 0 ? 0 : n > DEVICES_MAX ? DEVICES_MAX : n);
	devices->warm = cuda_engine.warm();
	(void) connection_send(c, -1);
}

static ActivityRow
activity_row(const Connection *c)
{
	ActivityRow row = c->activity;

	if (row.phase == RUN_WAITING)
		row.waited_ns = now_ns() - c->begun;
	return row;
}

/* Runs may come and go while a message waits for room: first their rows are copied. */
static uint32_t
copy_rows(const Service *service, uint32_t skip, ActivityRow *rows)
{
	uint32_t	n = 0;

	for (const Connection *c = service->connections; c != NULL && n < ACTIVITY_ROWS; c = c->next)
	{
		if (!c->is_run)
			continue;
		if (skip > 0)
			skip--;
		else
			rows[n++] = activity_row(c);
	}
	return n;
}

static void
answer_activity(Connection *c)
{
	uint32_t	told = 0;
	uint32_t	n;

	do
	{
		message_begin(&c->answer, MESSAGE_ACTIVITY);
		n = copy_rows(c->service, told, message_activity(&c->answer));
		c->answer.activity.nrows = n;
		told += n;
	} while (connection_send(c, -1) && n > 0);
}

void
question_answer(Connection *c)
{
	switch ((QuestionKind) c->message.question.kind)
	{
		case QUESTION_DEVICES:
			answer_devices(c);
			break;
		case QUESTION_ACTIVITY:
			answer_activity(c);
			break;
		case QUESTION_KINDS:
			break;
	}
}
