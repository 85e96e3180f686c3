/*
 * kept_error.h
 *	  An error that must not leave an engine by longjmp.
 *
 * What an engine calls back catches it, keeps what it says, and fails.
 */
#ifndef GPUAGG_KEPT_ERROR_H
#define GPUAGG_KEPT_ERROR_H

#include "miscadmin.h"

/*
 * In PG_CATCH: what the error says, in a message of 256 bytes.  The context becomes the
 * current one.  holdoff: InterruptHoldoffCount as it was before; ereport has also allowed
 * interrupts that were held.
 */
static inline void
keep_error(MemoryContext context, uint32 holdoff, char *message)
{
	ErrorData  *error;

	MemoryContextSwitchTo(context);
	InterruptHoldoffCount = holdoff;
	error = CopyErrorData();
	FlushErrorState();
	strlcpy(message, error->message ? error->message : "an error", 256);
	FreeErrorData(error);
}

#endif							/* GPUAGG_KEPT_ERROR_H */
