/*
 * client_run.h
 *	  A session's run in the device process, for the files that it is made of: client.c, and
 *	  client_input.c for what it sends.
 *
 * Plain C99 without postgres.h.
 */
#ifndef GPUAGG_CLIENT_RUN_H
#define GPUAGG_CLIENT_RUN_H

#include "engine/left_list.h"
#include "program/heap_page.h"
#include "service/client/client.h"
#include "service/client/link.h"
#include "service/client/result.h"
#include "service/wire/opening.h"
#include "service/wire/served_blocks.h"

/* Pages whose bytes can lie in the file at once. */
#define RING_PAGES ENGINE_MAX_PAGES

/* Batches of columns that can lie there. */
#define COLUMN_AREAS 2

/* A part of the file; its size may be 0. */
typedef struct Area
{
	uint64_t	place;
	uint64_t	size;
} Area;

typedef struct ClientRun
{
	EngineRun	head;
	EngineId	engine;
	ClientConfig config;
	EngineHints hints;
	char		strategy[PROTOCOL_NAME];
	char		relation[PROTOCOL_NAME];
	Program    *program;
	const ParamValue *params;	/* the caller's */
	bool		names;			/* tables are named first, and sent if they are wanted */
	uint8_t		wanted[PARAM_BITS]; /* of these, such as are */
	bool		owes_tables;	/* they are written, but the device process does not know yet */
	Area		tables;			/* their bytes */
	EngineStatus status;		/* what it has failed with, or OK */
	Link		link;
	bool		attaches;		/* to another process's run */
	bool		opened;			/* OPEN or ATTACH has been sent */
	bool		started;
	bool		in_place;		/* the device process can read shared buffers */
	EngineRequest request;		/* what the engine waits for the answer to */
	Served		asked;			/* its blocks */
	Area		lsns;			/* of these, the answer */
	Served		served;			/* blocks that need not be sent */
	bool		all_pages;		/* it knows that no more come, */
	bool		pages_ended;	/* and is done with them */
	bool		all_input;		/* it knows that no more rows come, */
	bool		ended;			/* and, attached, has taken them all */
	uint32_t	feeders;		/* that have fed this run, too */
	int			file;			/* memory that it can read */
	OpeningParts opening;		/* at its beginning */
	uint64_t	end;			/* of what is in use of it */
	uint32_t	taken;			/* pages of the caller's call, sent already */
	uint64_t	sent;			/* pages */
	uint64_t	in_place_sent;	/* number of the last page in a buffer, from 1 */
	uint64_t	released;		/* pages, as the device process says */
	Area		ring;
	uint64_t	copied;			/* pages into the ring */
	uint64_t	copy_of[RING_PAGES];	/* their numbers, from 1 */
	uint64_t	batches;		/* sent */
	uint64_t	batches_taken;
	bool		batch_written;	/* the caller's batch is in its area already */
	Area		areas[COLUMN_AREAS];
	LeftList	left;
	Result	   *result;			/* NULL: no part has come */
	uint64_t	parts;			/* that have come before the last one */
	bool		wants_part;		/* but the device process does not know it yet */
	bool		complete;		/* all have come */
	Message		message;		/* in the making */
} ClientRun;

/* The run has failed, for this reason or, if it is NULL, the one that its message has already. */
extern EngineStatus client_fail(ClientRun *run, EngineStatus status, const char *message);

/* Send the message that has been made. */
extern EngineStatus client_send(ClientRun *run);

/* Take what has come.  OK: the run is started. */
extern EngineStatus client_advance(ClientRun *run);

/* A call ends with this status. */
extern EngineStatus client_answer(ClientRun *run, EngineStatus status);

/* Write the tables that are wanted to the file; and say so, if that has not been done yet. */
extern EngineStatus client_write_tables(ClientRun *run);
extern EngineStatus client_send_tables(ClientRun *run);

/* Members of EngineOps that send input, or tell what has become of it. */
extern EngineStatus client_reply(EngineRun *head, const EngineAnswer *answer);
extern EngineStatus client_pages(EngineRun *head, const PageRef *pages, int n);
extern uint64_t client_released(EngineRun *head);
extern EngineStatus client_columns(EngineRun *head, const ColumnBatch *batch);

#endif							/* GPUAGG_CLIENT_RUN_H */
