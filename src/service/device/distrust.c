/*
 * distrust.c
 *	  Tables whose columns must not be kept, since an answer from them was wrong.
 *
 * A session has compared an answer with PostgreSQL's (gpuagg.verify).  There are no such
 * tables, or few; when there are many, all tables are such.
 */
#include "service/device/distrust.h"

#include <string.h>

#define MOST_TABLES 64

static struct
{
	uint32_t	database;
	uint32_t	relation;
}			distrusted[MOST_TABLES];
static int	ndistrusted;

static bool
is_distrusted(uint32_t database, uint32_t relation)
{
	for (int i = 0; i < ndistrusted; i++)
		if (distrusted[i].database == database && distrusted[i].relation == relation)
			return true;
	return ndistrusted == MOST_TABLES;
}

void
distrust_table(uint32_t database, uint32_t relation)
{
	if (is_distrusted(database, relation))
		return;
	distrusted[ndistrusted].database = database;
	distrusted[ndistrusted++].relation = relation;
}

void
distrust_apply(TableState *tables, int ntables)
{
	for (int i = 0; i < ntables; i++)
	{
		FrameMap   *frames = (FrameMap *) tables[i].frames;

		if (is_distrusted(tables[i].file[1], tables[i].relation))
			memset(frames, 0, table_state_frames(tables[i].nblocks) * sizeof(FrameMap));
	}
}
