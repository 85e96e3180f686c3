/*
 * gpuagg.c
 *	  The module's entry point.
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/builtins.h"

#include "exec/node/group_columns.h"
#include "exec/node/node.h"
#include "exec/sql/explain_option.h"
#include "guc.h"
#include "handle/cpu_cache.h"
#include "plan/path/path.h"
#include "service/client/session.h"
#include "service/worker/worker.h"
#include "stats/activity.h"
#include "stats/stats.h"

PG_MODULE_MAGIC;

void		_PG_init(void);

void
_PG_init(void)
{
	session_init();
	worker_init();
	guc_init();
	stats_init();
	activity_init();
	cpu_cache_init();
	node_init();
	group_columns_init();
	path_init();
	planning_init();
	explain_option_init();
}

/* gpuagg_version(): that of gpuagg.control when the library was built. */
PG_FUNCTION_INFO_V1(gpuagg_version);
Datum
gpuagg_version(PG_FUNCTION_ARGS)
{
	PG_RETURN_TEXT_P(cstring_to_text(GPUAGG_VERSION));
}
