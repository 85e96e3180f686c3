/*
 * kept_error.h
 *	  An error that must not leave an engine by longjmp.
 *
 * What an engine calls back catches it, keeps it, and fails; once the engine has returned,
 * the error is raised again.
 */
#ifndef GPUAGG_KEPT_ERROR_H
#define GPUAGG_KEPT_ERROR_H

#include "miscadmin.h"

/*
 * In PG_CATCH: the error, in a context, which becomes the current one.  holdoff:
 * InterruptHoldoffCount as it was before; ereport has also allowed interrupts that were held.
 */
static inline ErrorData *
keep_error(MemoryContext context, uint32 holdoff)
{
	ErrorData  *error;

	MemoryContextSwitchTo(context);
	InterruptHoldoffCount = holdoff;
	error = CopyErrorData();
	FlushErrorState();
	return error;
}

#endif							/* GPUAGG_KEPT_ERROR_H */
