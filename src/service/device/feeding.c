/*
 * feeding.c
 *	  What all processes that feed one run share, in the device process.
 *
 * Each of them has a connection, and so a task.  An engine's call may give way before it
 * is done, so that only one task calls the engine at a time: the one whose turn it
 * is.  The others wait in line.
 *
 * A failure is the run's, whoever meets it: rows may be lost with the process that
 * gave them.  The task of the session that has opened the run closes it, once
 * all others have left.
 *
 * Owns the feeders and their input.
 */
#include "service/device/feeding.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* PostgreSQL has no more workers, and its leader is one more. */
#define MOST_FEEDERS 1025

static bool
same_key(const RunKey *a, const RunKey *b)
{
	return a->words[0] == b->words[0] && a->words[1] == b->words[1];
}

static Feeding *
find_key(const Service *service, const RunKey *key)
{
	Feeding    *feeding = service->feedings;

	while (feeding != NULL && !same_key(&feeding->key, key))
		feeding = feeding->next;
	return feeding;
}

bool
feeding_begin(Feeding *feeding)
{
	Service    *service = feeding->owner->service;

	if (!run_key_is_set(&feeding->key))
		return true;
	if (find_key(service, &feeding->key) != NULL)
		return false;
	feeding->next = service->feedings;
	service->feedings = feeding;
	return true;
}

Feeding *
feeding_find(const Service *service, const AttachMessage *attach)
{
	Feeding    *feeding = find_key(service, &attach->key);

	if (feeding == NULL ||
		feeding->owner->activity.role != attach->role ||
		strcmp(feeding->owner->activity.database, attach->database) != 0)
		return NULL;
	return feeding;
}

Feeder *
feeding_add(Feeding *feeding, Connection *connection, int file)
{
	Feeder	   *feeder = feeding->nfeeders < MOST_FEEDERS ? calloc(1, sizeof(*feeder)) : NULL;

	if (feeder == NULL)
		return NULL;
	feeder->feeding = feeding;
	feeder->connection = connection;
	feeder->input.config = connection->service->config;
	feeder->input.file = file;
	feeder->next = feeding->feeders;
	feeding->feeders = feeder;
	feeding->nfeeders++;
	feeding->nattached += connection != feeding->owner;
	connection->feeding = feeding;
	return feeder;
}

/* Let a task see that the run has failed; one whose session does not read would not. */
static void
rouse(Connection *connection)
{
	if (task_events(connection->task) & POLLOUT)
		connection->gone = true;
	task_wake(connection->task);
}

void
feeding_fail(Feeding *feeding, EngineStatus status, const char *message)
{
	if (feeding->status != ENGINE_OK)
		return;
	feeding->status = status;
	snprintf(feeding->message, sizeof(feeding->message), "%s", message);
	for (Feeder *feeder = feeding->feeders; feeder != NULL; feeder = feeder->next)
		if (feeder->connection != NULL && feeder->connection->task != task_current())
			rouse(feeder->connection);
}

void
feeding_end_attaching(Feeding *feeding)
{
	Feeding   **place = &feeding->owner->service->feedings;

	while (*place != NULL && *place != feeding)
		place = &(*place)->next;
	if (*place != NULL)
		*place = feeding->next;
}

void
feeding_end(Feeding *feeding)
{
	feeding_end_attaching(feeding);
	if (feeding->nattached > 0)
		feeding_fail(feeding, ENGINE_FAILED, "the session that had opened the run has gone");
	while (feeding->nattached > 0)
		task_give_way(0, TASK_NEVER);
	feeding->owner->feeding = NULL;
}

void
feeding_free(Feeding *feeding)
{
	while (feeding->feeders != NULL)
	{
		Feeder	   *feeder = feeding->feeders;

		feeding->feeders = feeder->next;
		input_free(&feeder->input);
		free(feeder);
	}
}

void
feeder_leave(Feeder *feeder)
{
	Feeding    *feeding = feeder->feeding;

	feeder->connection->feeding = NULL;
	feeder->connection = NULL;
	feeding->nattached--;
	task_wake(feeding->owner->task);
}

bool
feeder_is_wanted(const Feeder *feeder)
{
	return !feeder->connection->gone && feeder->feeding->status == ENGINE_OK;
}

static void
stand_in_line(Feeder *feeder)
{
	Feeder	  **last = &feeder->feeding->line;

	while (*last != NULL)
		last = &(*last)->next_in_line;
	feeder->next_in_line = NULL;
	*last = feeder;
}

bool
feeder_take_turn(Feeder *feeder)
{
	Feeding    *feeding = feeder->feeding;

	if (feeding->turn == NULL)
		feeding->turn = feeder;
	else
		stand_in_line(feeder);
	while (feeding->turn != feeder)
	{
		task_give_way(0, TASK_NEVER);
		/* whoever has the turn may wait for what only the failure ends */
		if (feeder->connection->gone)
			feeding_fail(feeding, ENGINE_FAILED, FEEDER_GONE);
	}
	if (feeder_is_wanted(feeder))
		return true;
	feeder_end_turn(feeder);
	return false;
}

void
feeder_end_turn(Feeder *feeder)
{
	Feeding    *feeding = feeder->feeding;
	Feeder	   *next = feeding->line;

	feeding->turn = next;
	if (next == NULL)
		return;
	feeding->line = next->next_in_line;
	task_wake(next->connection->task);
}
