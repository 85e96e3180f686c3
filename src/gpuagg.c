/*
 * gpuagg.c
 *	  The module's entry point.
 */
#include "postgres.h"

#include "fmgr.h"

#include "exec/node.h"
#include "guc.h"
#include "plan/path.h"

PG_MODULE_MAGIC;

void		_PG_init(void);

void
_PG_init(void)
{
	guc_init();
	node_init();
	path_init();
}
