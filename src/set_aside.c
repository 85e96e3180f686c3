/*
 * set_aside.c
 *	  Errors of what PostgreSQL might never have evaluated.
 */
#include "postgres.h"

#include "access/xact.h"
#include "utils/memutils.h"
#include "utils/resowner.h"

#include "set_aside.h"

int
set_errors_aside(void (*function) (void *argument), void *argument, bool subtransaction)
{
	MemoryContext context = CurrentMemoryContext;
	ResourceOwner owner = CurrentResourceOwner;
	volatile int sqlstate = 0;

	if (subtransaction)
		BeginInternalSubTransaction(NULL);
	MemoryContextSwitchTo(context);
	PG_TRY();
	{
		function(argument);
		if (subtransaction)
			ReleaseCurrentSubTransaction();
	}
	PG_CATCH();
	{
		ErrorData  *error;

		MemoryContextSwitchTo(context);
		error = CopyErrorData();
		FlushErrorState();
		if (subtransaction)
			RollbackAndReleaseCurrentSubTransaction();
		/* a handler rolls back its own subtransaction */
		if (error->sqlerrcode == ERRCODE_QUERY_CANCELED)
			ReThrowError(error);
		sqlstate = error->sqlerrcode;
		FreeErrorData(error);
	}
	PG_END_TRY();
	MemoryContextSwitchTo(context);
	CurrentResourceOwner = owner;
	return sqlstate;
}
