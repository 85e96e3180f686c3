/*
 * questions.c
 *	  What the device process is asked: its devices, what runs there, and which columns
 *	  are kept.
 */
#include "service/device/connection.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/clock.h"
#include "engine/cuda/context/context.h"
#include "engine/cuda/cuda_engine.h"
#include "service/wire/contents.h"
#include "service/device/distrust.h"

/* Rows of one message. */
#define ACTIVITY_ROWS ((PROTOCOL_MAX_MESSAGE - sizeof(ActivityMessage)) / sizeof(ActivityRow))
#define CACHE_ROWS ((PROTOCOL_MAX_MESSAGE - sizeof(CacheMessage)) / sizeof(CacheRow))

/* Add the devices of a kind, and why none of them is used. */
static void
add_devices(const Service *service, EngineId engine, const DeviceOps *ops, Message *answer)
{
	DevicesMessage *devices = &answer->devices;
	DeviceInfo	infos[DEVICES_MAX];
	int			n;
	uint64_t	used;

	n = ops->list(infos, DEVICES_MAX, devices->why, sizeof(devices->why));
	used = context_used(ops, devices->why, sizeof(devices->why));
	for (int i = 0; i < n && devices->ndevices < DEVICES_MAX; i++)
	{
		if (infos[i].usable && (used >> i & 1) == 0)
			snprintf(infos[i].reason, sizeof(infos[i].reason), "%s",
					 service->config->devices >> i & 1 ? "it has failed and is left out for a while" :
					 "gpuagg.devices does not name it");
		message_devices(answer)[devices->ndevices++] = (DeviceRow)
		{
			.info = infos[i],.engine = engine,.number = (uint32_t) i,.used = used >> i & 1,
				.memory_used = context_memory_used(ops, i),
				.cache_used = context_of(ops, i)->kept.bytes,
				.host_cache_used = context_of(ops, i)->kept.host.used,.runs = service->admissions[i].runs
		};
	}
}

/* The simulated devices, too, if tests have said of what size they are. */
static void
answer_devices(Connection *c)
{
	DevicesMessage *devices = &c->answer.devices;

	message_begin(&c->answer, MESSAGE_DEVICES);
	memset(message_devices(&c->answer), 0, DEVICES_MAX * sizeof(DeviceRow));
#ifdef GPUAGG_TESTING
	if (getenv("GPUAGG_SIMT_MEMORY") != NULL)
		add_devices(c->service, ENGINE_ID_SIMT, &simt_device, &c->answer);
#endif
	add_devices(c->service, ENGINE_ID_CUDA, &cuda_device, &c->answer);
	devices->warm = engine_is_warm(&cuda_engine);
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

/* All rows of one moment, which may take several messages; then one without any. */
static void
answer_cache(Connection *c)
{
	uint32_t	nrows;
	CacheRow   *rows = contents_now(&nrows);
	uint32_t	told = 0;
	uint32_t	n;

	if (rows == NULL)
	{
		connection_fail(c, ENGINE_NO_MEMORY, "out of memory", NULL);
		return;
	}
	do
	{
		message_begin(&c->answer, MESSAGE_CACHE);
		for (n = 0; n < CACHE_ROWS && told < nrows; told++)
			if (rows[told].blocks > 0)
				message_cache(&c->answer)[n++] = rows[told];
		c->answer.cache.nrows = n;
	} while (connection_send(c, -1) && n > 0);
	free(rows);
}

static void
answer_evict(Connection *c)
{
	const QuestionMessage *question = &c->message.question;
	uint64_t	before = cuda_engine_columns_size();

	if (question->kind == QUESTION_EVICT)
		cuda_engine_evict_attributes(question->database, question->relation,
									 question->attributes);
	else
	{
		distrust_table(question->database, question->relation);
		/* 0 would be all databases */
		if (question->database != 0)
			cuda_engine_evict_relation(question->database, question->relation);
	}
	/* nobody knows which of them are of the relation's rows */
	cuda_engine_evict_lookups();
	/* who has evicted plans without what went */
	contents_write();
	message_begin(&c->answer, MESSAGE_EVICTED);
	c->answer.evicted.bytes = before - cuda_engine_columns_size();
	(void) connection_send(c, -1);
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
		case QUESTION_CACHE:
			answer_cache(c);
			break;
		case QUESTION_EVICT:
		case QUESTION_DISTRUST:
			answer_evict(c);
			break;
		case QUESTION_KINDS:
			break;
	}
}
