/*
 * ask.h
 *	  Questions of a session to the device process.
 */
#ifndef GPUAGG_ASK_H
#define GPUAGG_ASK_H

#include "service/protocol.h"

/* Takes a message of the answer; was it the last one? */
typedef bool (*TakeAnswer) (Message *answer, void *arg);

/*
 * Ask the device process that serves, and wait for the whole answer; interrupts are
 * looked at.  If none comes: false, and why (256 bytes).
 */
extern bool service_ask(QuestionKind kind, TakeAnswer take, void *arg, char *why);

#endif							/* GPUAGG_ASK_H */
