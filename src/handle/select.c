/*
 * select.c
 *	  Which engine runs a query.
 *
 * Engines that have a device run in the device process: what is chosen here are their
 * clients.
 */
#include "postgres.h"

#include "utils/guc.h"

#include "handle/select.h"
#include "guc.h"
#include "service/client/client.h"
#include "service/client/session.h"

/* By GpuAggEngine; those that the build lacks are NULL. */
static const EngineOps *const engines[] = {
	[CHOICE_CUDA] = &cuda_client,
	[CHOICE_CPU] = &cpu_engine,
#ifdef GPUAGG_TESTING
	[CHOICE_SIMT] = &simt_client,
	[CHOICE_SERVICE] = &cpu_client
#endif
};

const EngineOps *
engine_named(int choice)
{
	return choice < (int) lengthof(engines) ? engines[choice] : NULL;
}

int
engine_number(const EngineOps *ops)
{
	int			choice = 0;

	while (choice < (int) lengthof(engines) && engines[choice] != ops)
		choice++;
	if (choice == (int) lengthof(engines))
		elog(ERROR, "engine \"%s\" has no number", ops->traits->name);
	return choice;
}

const EngineOps *
engine_required(void)
{
	const EngineOps *ops = engine_named(gpuagg_engine);
	char		reason[256] = "This build of gpuagg does not have it.";

	if (gpuagg_engine == CHOICE_AUTO)
		return NULL;
	if (ops == NULL || !engine_is_available(ops, reason, sizeof(reason)))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("engine \"%s\" is not available",
						GetConfigOption("gpuagg.engine", false, false)),
				 errdetail_internal("%s", reason),
				 errhint("Set gpuagg.engine to \"auto\" or \"cpu\".")));
	return ops;
}

bool
engine_cuda_answers(void)
{
	static bool reported = false;
	char		reason[256];

	if (session_has_device(reason, sizeof(reason)))
		return true;
	if (!reported)
		ereport(LOG,
				(errmsg("gpuagg uses the CPU: %s", reason)));
	reported = true;
	return false;
}

const EngineOps *
engine_for_plan(const char *planned, const Program *program)
{
	const EngineOps *ops = engine_required();
	char		reason[256];

	if (ops != NULL)
		return ops->supports(program, reason, sizeof(reason)) ? ops : &cpu_engine;
	if (strcmp(planned, cuda_client.traits->name) == 0 && engine_cuda_answers())
		return &cuda_client;
	return &cpu_engine;
}
