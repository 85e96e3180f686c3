/*
 * group_list.c
 *	  A list of values that a group is given with, in memory or in the engine's store.
 */
#include "postgres.h"

#include "exec/values/group_list.h"

GroupList
group_list(EngineHandle *engine, uint32 group, const uint64_t *state, uint32 word)
{
	return (GroupList)
	{
		.engine = engine,.values = (const uint64_t *) (uintptr_t) state[word],.n = state[word + 1],
			.stored = {.group = group,.word = word}
	};
}

/* Those that the engine reads from the store. */
static void
read_stored(GroupList *list)
{
	EngineStatus status = engine_list(list->engine, &list->stored);

	if (status != ENGINE_OK)
		ereport(ERROR,
				(errcode(engine_sqlstate(status)),
				 errmsg("engine \"%s\" lost a group's values: %s",
						engine_name(list->engine), engine_message(list->engine))));
	if (list->stored.n > list->n - list->nread || (list->stored.n == 0 && list->nread < list->n))
		elog(ERROR, "engine \"%s\" has read other values of a group than there were",
			 engine_name(list->engine));
}

bool
group_list_next(GroupList *list, const uint64_t **values, uint64 *n)
{
	*values = list->values;
	*n = list->n - list->nread;
	if (*n > 0 && list->values == NULL)
	{
		read_stored(list);
		*values = list->stored.values;
		*n = list->stored.n;
	}
	list->nread += *n;
	return *n > 0;
}
