/*
 * interpreter.c
 *	  Kernels that run a Program before its own have been compiled.
 *
 * The scripts of both kinds of tables are made when the run is opened, and copied to
 * the device once kernels need them.
 */
#include <stdlib.h>

#include "engine/cuda/codegen/codegen.h"
#include "engine/cuda/core/interpreter.h"

/* Shared memory that is left to what kernels declare, the script and more. */
#define STATIC_SHARED (sizeof(Script) + 4096)

static bool enabled = false;

void
interpreter_enable(void)
{
	enabled = true;
}

bool
interpreter_has_room(const RunCore *run, const Script *script)
{
	return script_shared(script) + STATIC_SHARED <= run->device->info.shared_limit;
}

/* Make both scripts; false: the Program is too large, for them or for a block. */
static bool
make_scripts(const RunCore *run, Script *scripts)
{
	for (int table = TABLE_HASH; table <= TABLE_DIRECT; table++)
		if (!script_make(run->kernel_program, &run->layouts[table], &scripts[table]) ||
			!interpreter_has_room(run, &scripts[table]))
			return false;
	return true;
}

/* Both scripts, or none if they cannot be made. */
static void
renew_scripts(RunCore *run)
{
	Interpreter *interpreter = &run->interpreter;

	if (make_scripts(run, interpreter->scripts))
		return;
	free(interpreter->scripts);
	interpreter->scripts = NULL;
}

EngineStatus
interpreter_open(RunCore *run)
{
	Interpreter *interpreter = &run->interpreter;

	if (!interpreter->forced && (!enabled || run->forced >= 0))
		return ENGINE_OK;
	interpreter->scripts = malloc(2 * sizeof(Script));
	if (interpreter->scripts == NULL)
		return run_fail(run, ENGINE_NO_MEMORY, "out of memory");
	renew_scripts(run);
	return ENGINE_OK;
}

void
interpreter_renew(RunCore *run)
{
	if (run->interpreter.scripts != NULL)
		renew_scripts(run);
}

void
interpreter_close(RunCore *run)
{
	run_free(run, &run->interpreter.device);
	free(run->interpreter.scripts);
}

bool
interpreter_is_forced(const RunCore *run)
{
	return run->interpreter.forced && run->interpreter.scripts != NULL;
}

bool
interpreter_is_ready(const RunCore *run, const DeviceInfo *info)
{
	Text		text = {0};
	bool		ready;

	if (!enabled || run->forced >= 0)
		return false;
	codegen_interpreter(&text);
	ready = !text.failed &&
		kernel_cache_ready(run->context->modules, run->device_ops, info, text.data);
	text_free(&text);
	return ready;
}

EngineStatus
interpreter_script(RunCore *run, TableKind table, DevicePtr *script)
{
	Interpreter *interpreter = &run->interpreter;
	size_t		size = 2 * sizeof(Script);

	if (interpreter->device.ptr == 0)
	{
		EngineStatus status = run_alloc(run, size, &interpreter->device);

		if (status == ENGINE_OK)
			status = run_device(run, run->device_ops->upload(run->device, run->work,
															 interpreter->device.ptr,
															 interpreter->scripts, size),
								"could not copy a script");
		if (status != ENGINE_OK)
			return status;
	}
	*script = interpreter->device.ptr + (DevicePtr) table * sizeof(Script);
	return ENGINE_OK;
}

uint32_t
interpreter_shared(const RunCore *run, TableKind table)
{
	return script_shared(&run->interpreter.scripts[table]);
}
