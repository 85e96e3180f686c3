/*
 * client.h
 *	  A session's side of the device process: engines whose runs are there.
 *
 * Plain C99 without postgres.h.  What PostgreSQL knows comes by ClientConfig and
 * EngineHints.
 */
#ifndef GPUAGG_CLIENT_H
#define GPUAGG_CLIENT_H

#include "engine/engine.h"
#include "service/wire/protocol.h"

typedef struct ClientConfig
{
	const char *socket;			/* its path */
	const char *buffers;		/* shared buffers */
	uint64_t	buffers_size;	/* bytes */
	int			session;		/* its process ID, in a parallel worker the leader's */
	int			process_id;		/* to be shown, as the following */
	uint32_t	role;			/* of the session; who may see what it runs */
	const char *database;
	int			queue_timeout;	/* milliseconds to wait for device memory; -1: for
								 * ever */
	int			device_timeout; /* milliseconds of silence that end a run */

	/* EngineProcess.available and EngineProcess.warm of these engines; NULL: true. */
	bool		(*available) (EngineId engine, char *reason, size_t len);
	bool		(*warm) (EngineId engine);
} ClientConfig;

/*
 * For all runs that are opened from now on.  The struct is copied, what it points to is
 * not.
 */
extern void client_configure(const ClientConfig *config);
extern const ClientConfig *client_current_config(void);

/*
 * Named as the engines that they stand for.  Their open answers FAILED only if nobody
 * listens; other failures are told by the calls that follow.
 */
#define SERVED(id, ops, costs, device, client) extern const EngineOps client;
#include "engine/engines.def"

/*
 * A question to the device process.  question_next: OK, and a message of the answer,
 * which is valid until the next call; BUSY: wait until the descriptor (-1: there is
 * none yet) can be read, or for some milliseconds; another status: why, in message
 * (256 bytes).  database, relation and attributes (NULL: none): as in QuestionMessage.
 */
typedef struct Question Question;

extern Question *question_ask(QuestionKind kind, uint32_t database, uint32_t relation,
							  const uint8_t *attributes, char *message);
extern EngineStatus question_next(Question *question, Message **answer, char *message);
extern int	question_descriptor(const Question *question);
extern void question_end(Question *question);

#endif							/* GPUAGG_CLIENT_H */
