/*
 * client_question.c
 *	  A session's questions to the device process.
 *
 * A question owns its connection.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "service/client/link.h"

static const MessageType answers[QUESTION_KINDS] = {
	[QUESTION_DEVICES] = MESSAGE_DEVICES,
	[QUESTION_ACTIVITY] = MESSAGE_ACTIVITY,
	[QUESTION_CACHE] = MESSAGE_CACHE,
	[QUESTION_EVICT] = MESSAGE_EVICTED,
	[QUESTION_DISTRUST] = MESSAGE_EVICTED
};

struct Question
{
	ClientConfig config;
	QuestionKind kind;
	uint32_t	database;
	uint32_t	relation;
	uint8_t		attributes[ATTRIBUTE_BITS];
	bool		asked;
	Link		link;
	Message		message;
};

Question *
question_ask(QuestionKind kind, uint32_t database, uint32_t relation,
			 const uint8_t *attributes, char *message)
{
	Question   *question = calloc(1, sizeof(*question));

	if (question == NULL)
	{
		snprintf(message, 256, "out of memory");
		return NULL;
	}
	question->config = *client_current_config();
	question->kind = kind;
	question->database = database;
	question->relation = relation;
	if (attributes != NULL)
		memcpy(question->attributes, attributes, sizeof(question->attributes));
	link_init(&question->link, &question->config);
	return question;
}

static EngineStatus
ask(Question *question, char *message)
{
	EngineStatus status;

	message_begin(&question->message, MESSAGE_QUESTION);
	question->message.question.kind = question->kind;
	question->message.question.database = question->database;
	question->message.question.relation = question->relation;
	memcpy(question->message.question.attributes, question->attributes,
		   sizeof(question->attributes));
	status = link_send(&question->link, &question->message, -1, message);
	question->asked = status == ENGINE_OK;
	return status;
}

/* The next message that is no sign of life only. */
static EngineStatus
receive(Question *question, char *message)
{
	MessageType wanted = answers[question->kind];
	EngineStatus status;

	do
		status = link_receive(&question->link, message);
	while (status == ENGINE_OK && question->link.message.head.type == MESSAGE_ALIVE);
	if (status == ENGINE_OK && question->link.message.head.type != (uint32_t) wanted)
	{
		snprintf(message, 256, "the device process answers what was not asked");
		status = ENGINE_FAILED;
	}
	return status;
}

EngineStatus
question_next(Question *question, Message **answer, char *message)
{
	EngineStatus status = link_connect(&question->link, message);

	if (status == ENGINE_OK && !question->asked)
		status = ask(question, message);
	if (status == ENGINE_OK)
		status = receive(question, message);
	*answer = status == ENGINE_OK ? &question->link.message : NULL;
	link_wait(&question->link, status == ENGINE_BUSY);
	return status;
}

int
question_descriptor(const Question *question)
{
	return question->link.fd;
}

void
question_end(Question *question)
{
	link_close(&question->link);
	free(question);
}
