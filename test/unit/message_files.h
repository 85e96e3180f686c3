/*
 * message_files.h
 *	  Which messages come with a file, for tests of what is sent and taken.
 */
#ifndef MESSAGE_FILES_H
#define MESSAGE_FILES_H

#include "service/wire/protocol.h"

static inline bool
message_has_file(MessageType type)
{
	switch (type)
	{
		case MESSAGE_OPEN:
		case MESSAGE_ATTACH:
		case MESSAGE_REQUEST:
		case MESSAGE_SERVED:
		case MESSAGE_PART:
		case MESSAGE_RESULT:
			return true;
		default:
			return false;
	}
}

#endif							/* MESSAGE_FILES_H */
