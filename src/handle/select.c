/*
 * select.c
 *	  Which engine runs a query.
 *
 * Engines that have a device run in the device process: what is chosen here are their
 * clients.
 */
#include "postgres.h"

#include "handle/select.h"
#include "guc.h"
#include "service/client/client.h"
#include "service/client/session.h"

/* By GpuAggEngine; none for CHOICE_AUTO. */
static const EngineOps *const engines[NUM_CHOICES] = {
#define CHOICE(id, name, hidden, ops) [CHOICE_##id] = &ops,
#include "engine/engines.def"
};

const EngineOps *
engine_chosen(int choice)
{
	return engines[choice];
}

const char *
engine_choice_name(int choice)
{
	static const char *const names[NUM_CHOICES] = {
		[CHOICE_AUTO] = "auto",
#define CHOICE(id, name, hidden, ops) [CHOICE_##id] = name,
#include "engine/engines.def"
	};

	return names[choice];
}

const EngineOps *
engine_without_device(void)
{
	return &cpu_engine;
}

const EngineOps *
engine_with_device(void)
{
	return engines[CHOICE_CUDA];
}

int
engine_choice(const EngineOps *ops)
{
	int			choice = 0;

	while (choice < NUM_CHOICES && engines[choice] != ops)
		choice++;
	if (choice == NUM_CHOICES)
		elog(ERROR, "engine \"%s\" is no choice", engine_id_name(ops->traits->id));
	return choice;
}

const EngineOps *
engine_required(void)
{
	const EngineOps *ops = engine_chosen(gpuagg_engine);
	char		reason[256];

	if (ops != NULL && !engine_is_available(ops, reason, sizeof(reason)))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("engine \"%s\" is not available", engine_choice_name(gpuagg_engine)),
				 errdetail_internal("%s", reason),
				 errhint("Set gpuagg.engine to \"auto\" or \"cpu\".")));
	return ops;
}

bool
engine_device_answers(void)
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
engine_for_plan(int planned, const Program *program)
{
	const EngineOps *ops = engine_required();
	char		reason[256];

	if (ops != NULL)
		return ops->supports(program, reason, sizeof(reason)) ? ops : engine_without_device();
	if (engine_chosen(planned) == engine_with_device() && engine_device_answers())
		return engine_with_device();
	return engine_without_device();
}
