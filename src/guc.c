/*
 * guc.c
 *	  The settings, gpuagg.*.
 */
#include "postgres.h"

#include <limits.h>

#include "access/parallel.h"
#include "miscadmin.h"
#include "utils/guc.h"

#include "engine/cuda/codegen/strategy.h"
#include "engine/devices.h"
#include "engine/engine.h"
#include "handle/inject.h"
#include "handle/select.h"
#include "guc.h"

int			gpuagg_mode = MODE_AUTO;
int			gpuagg_engine = CHOICE_AUTO;
int			gpuagg_strategy = 0;
int			gpuagg_parallel_division = DIVISION_AUTO;
bool		gpuagg_fallback = true;
double		gpuagg_verify = 0;
bool		gpuagg_report_rejections = false;
int			gpuagg_memory_limit = 0;
int			gpuagg_queue_timeout = 5000;
int			gpuagg_device_timeout = 10000;
uint64		gpuagg_used_devices = PG_UINT64_MAX;
int			gpuagg_max_device_memory = 0;
int			gpuagg_cache_size = -1;
int			gpuagg_host_cache_size = 0;
int			gpuagg_cpu_cache_size = -1;
bool		gpuagg_prewarm_at_start = false;
double		gpuagg_setup_cost = -1;
double		gpuagg_page_cost = -1;
double		gpuagg_tuple_cost = -1;
double		gpuagg_operator_cost = -1;
double		gpuagg_group_cost = -1;

static const struct config_enum_entry mode_options[] = {
	{"auto", MODE_AUTO, false},
	{"off", MODE_OFF, false},
	{"force", MODE_FORCE, false},
	{NULL, 0, false}
};

static const struct config_enum_entry engine_options[] = {
	{"auto", CHOICE_AUTO, false},
#define CHOICE(id, name, hidden, ops) {name, CHOICE_##id, hidden},
#include "engine/engines.def"
	{NULL, 0, false}
};

static const struct config_enum_entry strategy_options[] = {
	{"auto", 0, false},
#define X(value, name, file, threads) {name, 1 + STRATEGY_##value, false},
	SETTABLE_STRATEGIES(X)
#undef X
	{NULL, 0, false}
};

static const struct config_enum_entry division_options[] = {
	{"auto", DIVISION_AUTO, false},
	{"rows", DIVISION_ROWS, false},
	{"keys", DIVISION_KEYS, false},
	{NULL, 0, false}
};

const char *
gpuagg_strategy_name(void)
{
	return strategy_options[gpuagg_strategy].name;
}

/*
 * An engine that is not there is refused when a session sets it.  Settings
 * of files, databases and roles are looked at when a query would use them: the
 * postmaster must not look for devices.  A parallel worker, which takes over the
 * settings of its session, need not look again.
 */
static bool
check_engine(int *newval, void **extra, GucSource source)
{
	const EngineOps *ops = engine_chosen(*newval);
	char		reason[256];

	if (*newval == CHOICE_AUTO || source < PGC_S_INTERACTIVE ||
		!IsUnderPostmaster || InitializingParallelWorker)
		return true;
	if (engine_is_available(ops, reason, sizeof(reason)))
		return true;
	GUC_check_errcode(ERRCODE_FEATURE_NOT_SUPPORTED);
	GUC_check_errmsg("engine \"%s\" is not available",
					 engine_choice_name(*newval));
	GUC_check_errdetail("%s", reason);
	GUC_check_errhint("Set gpuagg.engine to \"auto\" or \"cpu\".");
	return false;
}

static void
define_cost(const char *name, const char *description, double *variable)
{
	DefineCustomRealVariable(name, description,
							 "-1 takes the value calibrated for the engine.",
							 variable, -1, -1, 1e9, PGC_USERSET,
							 GUC_EXPLAIN, NULL, NULL, NULL);
}

static void
define_costs(void)
{
	define_cost("gpuagg.setup_cost",
				"Planner's cost of starting one run of the engine.",
				&gpuagg_setup_cost);
	define_cost("gpuagg.page_cost",
				"Planner's cost of taking in one heap page, beyond reading it.",
				&gpuagg_page_cost);
	define_cost("gpuagg.tuple_cost",
				"Planner's cost of taking in one row.",
				&gpuagg_tuple_cost);
	define_cost("gpuagg.operator_cost",
				"Planner's cost of one operation on one row.",
				&gpuagg_operator_cost);
	define_cost("gpuagg.group_cost",
				"Planner's cost of one group.",
				&gpuagg_group_cost);
}

static void
define_timeouts(void)
{
	DefineCustomIntVariable("gpuagg.queue_timeout",
							"The longest that a query waits for device memory.",
							"Then PostgreSQL's own plan runs.  0 does not wait, -1 waits without a limit.",
							&gpuagg_queue_timeout, 5000, -1, INT_MAX,
							PGC_USERSET, GUC_UNIT_MS, NULL, NULL, NULL);
	DefineCustomIntVariable("gpuagg.device_timeout",
							"The longest silence of the device process that a query bears.",
							"Then PostgreSQL's own plan runs.",
							&gpuagg_device_timeout, 10000, 1000, INT_MAX,
							PGC_USERSET, GUC_UNIT_MS, NULL, NULL, NULL);
}

/* The bits of "all", or of a list of numbers; false: it is neither. */
static bool
read_devices(const char *text, uint64 *devices)
{
	bool		more = true;

	*devices = PG_UINT64_MAX;
	if (pg_strcasecmp(text, "all") == 0)
		return true;
	*devices = 0;
	while (more)
	{
		char	   *end;
		long		number = strtol(text, &end, 10);

		if (end == text || number < 0 || number >= DEVICES_MAX)
			return false;
		*devices |= UINT64CONST(1) << number;
		text = end + strspn(end, " ");
		more = *text == ',';
		text += more;
	}
	return *text == '\0';
}

static bool
check_device_numbers(char **newval, void **extra, GucSource source)
{
	uint64		devices;

	if (read_devices(*newval, &devices))
		return true;
	GUC_check_errdetail("It is \"all\", or a list of devices' numbers, from 0 to %d.",
						DEVICES_MAX - 1);
	return false;
}

static void
assign_device_numbers(const char *newval, void *extra)
{
	(void) read_devices(newval, &gpuagg_used_devices);
}

static void
define_devices(void)
{
	static char *devices;

	DefineCustomStringVariable("gpuagg.devices",
							   "The devices that are used, by their numbers in the view gpuagg_devices.",
							   "\"all\", or a list.  A change counts when the device process is started next.",
							   &devices, "all",
							   PGC_SIGHUP, GUC_LIST_INPUT, check_device_numbers, assign_device_numbers, NULL);
}

static void
define_device_memory(void)
{
	DefineCustomIntVariable("gpuagg.max_device_memory",
							"The most memory of each device that all queries together may use.",
							"0 takes 80 % of it.  A change counts when the device process is started next.",
							&gpuagg_max_device_memory, 0, 0, INT_MAX,
							PGC_SIGHUP, GUC_UNIT_MB, NULL, NULL, NULL);
	DefineCustomIntVariable("gpuagg.cache_size",
							"The most memory of each device that kept columns may use.",
							"0 keeps none, -1 takes a quarter of what all queries may use.  A change counts when the device process is started next.",
							&gpuagg_cache_size, -1, -1, INT_MAX,
							PGC_SIGHUP, GUC_UNIT_MB, NULL, NULL, NULL);

	DefineCustomIntVariable("gpuagg.host_cache_size",
							"The most page-locked host memory for kept columns that a device's memory has no room for.",
							"For each device.  0 keeps none there.  A change counts when the device process is started next.",
							&gpuagg_host_cache_size, 0, 0, INT_MAX,
							PGC_SIGHUP, GUC_UNIT_MB, NULL, NULL, NULL);

	/* without the postmaster's memory the setting is there, and does nothing */
	DefineCustomIntVariable("gpuagg.cpu_cache_size",
							"The shared memory for columns that the CPU engine keeps.",
							"0 keeps none, -1 takes a quarter of what shared_buffers has, beside it.  Needs the module in shared_preload_libraries.",
							&gpuagg_cpu_cache_size, -1, -1, INT_MAX,
							process_shared_preload_libraries_in_progress ? PGC_POSTMASTER : PGC_SIGHUP,
							GUC_UNIT_MB, NULL, NULL, NULL);
	DefineCustomBoolVariable("gpuagg.prewarm_at_start",
							 "Have columns kept in device memory again that were kept there when the server stopped.",
							 "When the device process is started.",
							 &gpuagg_prewarm_at_start, false,
							 PGC_SIGHUP, 0, NULL, NULL, NULL);
}

void
guc_init(void)
{
	DefineCustomEnumVariable("gpuagg.mode",
							 "When gpuagg takes an aggregation.",
							 "\"force\" takes all that it can, whatever the costs.",
							 &gpuagg_mode, MODE_AUTO, mode_options,
							 PGC_USERSET, GUC_EXPLAIN, NULL, NULL, NULL);
	DefineCustomEnumVariable("gpuagg.engine",
							 "The engine that aggregates.",
							 "\"auto\" takes the CPU or a CUDA device, whichever is estimated to cost less.",
							 &gpuagg_engine, CHOICE_AUTO, engine_options,
							 PGC_USERSET, GUC_EXPLAIN, check_engine, NULL, NULL);
	DefineCustomEnumVariable("gpuagg.strategy",
							 "How rows meet their groups on a GPU.",
							 "A strategy that cannot serve a query is passed over.",
							 &gpuagg_strategy, 0, strategy_options,
							 PGC_USERSET, GUC_EXPLAIN, NULL, NULL, NULL);
	DefineCustomEnumVariable("gpuagg.parallel_division",
							 "What parallel processes of the CPU engine divide among them.",
							 "With \"keys\", each reads all rows and takes those of its groups.  It is passed over where it cannot be done.",
							 &gpuagg_parallel_division, DIVISION_AUTO, division_options,
							 PGC_USERSET, GUC_EXPLAIN, NULL, NULL, NULL);
	DefineCustomBoolVariable("gpuagg.fallback",
							 "Run PostgreSQL's own plan when the engine cannot finish.",
							 "If off, the query fails with the reason.",
							 &gpuagg_fallback, true,
							 PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomRealVariable("gpuagg.verify",
							 "The share of engines' answers that are compared with PostgreSQL's own.",
							 "A compared query takes as long as both.  Where they differ, PostgreSQL's is taken.",
							 &gpuagg_verify, 0, 0, 1,
							 PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomBoolVariable("gpuagg.report_rejections",
							 "Tell why an aggregation is left to PostgreSQL.",
							 NULL,
							 &gpuagg_report_rejections, false,
							 PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomIntVariable("gpuagg.memory_limit",
							"The most memory of the engine one query may use.",
							"0 takes that of a hash aggregate in the CPU engine, else the engine's default.",
							&gpuagg_memory_limit, 0, 0, INT_MAX,
							PGC_USERSET, GUC_UNIT_MB | GUC_EXPLAIN, NULL, NULL, NULL);
	define_devices();
	define_device_memory();
	define_timeouts();
	define_costs();
	inject_init();
	MarkGUCPrefixReserved("gpuagg");
}
