/*
 * set_aside.c
 *	  Errors of what PostgreSQL might never have evaluated.
 */
#include "postgres.h"

#include "access/xact.h"
#include "utils/memutils.h"
#include "utils/resowner.h"

#include "set_aside.h"

/*
 * Is the error the query's?  A cancel is, and so is what the whole transaction has to be tried again
 * after, such as a conflict with another one.
 */
static bool
ends_query(int sqlstate)
{
	return sqlstate == ERRCODE_QUERY_CANCELED ||
		ERRCODE_TO_CATEGORY(sqlstate) == ERRCODE_TO_CATEGORY(ERRCODE_TRANSACTION_ROLLBACK);
}

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
		if (ends_query(error->sqlerrcode))
			ReThrowError(error);
		sqlstate = error->sqlerrcode;
		FreeErrorData(error);
	}
	PG_END_TRY();
	MemoryContextSwitchTo(context);
	CurrentResourceOwner = owner;
	return sqlstate;
}
