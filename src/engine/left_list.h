/*
 * left_list.h
 *	  The rows that an engine has left out and not told yet: see EngineOps.toasted.
 *
 * Begins as zeros; memory comes from malloc and goes with left_free.
 */
#ifndef GPUAGG_LEFT_LIST_H
#define GPUAGG_LEFT_LIST_H

#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"

typedef struct LeftList
{
	ToastedRow *rows;
	size_t		told;			/* of them, from the first on */
	size_t		n;
	size_t		room;
} LeftList;

/* Append a row; false: no memory. */
static inline bool
left_add(LeftList *list, uint32_t table, uint32_t block, uint16_t line)
{
	if (list->n == list->room)
	{
		size_t		room = list->room ? list->room * 2 : 256;
		ToastedRow *rows = realloc(list->rows, room * sizeof(ToastedRow));

		if (rows == NULL)
			return false;
		list->rows = rows;
		list->room = room;
	}
	list->rows[list->n++] = (ToastedRow) {table, block, line};
	return true;
}

/* Tell up to max rows; when all have been told, their memory is used again. */
static inline int
left_take(LeftList *list, ToastedRow *rows, int max)
{
	size_t		n = list->n - list->told;

	if (n > (size_t) max)
		n = (size_t) max;
	if (n > 0)
		memcpy(rows, list->rows + list->told, n * sizeof(ToastedRow));
	list->told += n;
	if (list->told == list->n)
		list->told = list->n = 0;
	return (int) n;
}

static inline void
left_free(LeftList *list)
{
	free(list->rows);
	memset(list, 0, sizeof(*list));
}

#endif							/* GPUAGG_LEFT_LIST_H */
