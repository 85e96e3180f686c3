/*
 * questions.h
 *	  What the device process is asked: its devices, and what runs there.
 */
#ifndef GPUAGG_QUESTIONS_H
#define GPUAGG_QUESTIONS_H

#include "service/device/connection.h"

/* Answer the QUESTION that the connection's message is. */
extern void question_answer(Connection *connection);

#endif							/* GPUAGG_QUESTIONS_H */
