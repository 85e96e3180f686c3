/*
 * session.h
 *	  A session's dealings with the device process, where they need PostgreSQL.
 */
#ifndef GPUAGG_SESSION_H
#define GPUAGG_SESSION_H

#include "engine/engine.h"
#include "service/wire/protocol.h"

/* When the module is loaded. */
extern void session_init(void);

/* Before a run is opened: what the settings and the session are, for the clients. */
extern void session_configure(void);

/*
 * Has the device process a CUDA device that can be used?  As EngineProcess.available, but
 * false while it has ended and is not there again.
 */
extern bool session_has_device(char *reason, size_t len);

/*
 * A run of this engine could not be opened since nobody listens: does somebody now?  If
 * not, why, in message (256 bytes).
 */
extern bool session_finds_service(const EngineOps *ops, char *message);

/*
 * Ask the device process, wait for its answer, looking for interrupts, and let `take`
 * have each message of it.  relation: in QuestionMessage, of this database.  False and why
 * (256 bytes): there is none that answers.
 */
extern bool session_ask(QuestionKind kind, uint32_t relation,
						void (*take) (Message *answer, void *argument),
						void *argument, char *why);

/*
 * Have columns of this database's relation evicted, those of the attributes whose bits are set
 * (QuestionMessage): the bytes that have been given back.
 */
extern int64_t session_evict(uint32_t relation, const uint8_t *attributes);

#endif							/* GPUAGG_SESSION_H */
