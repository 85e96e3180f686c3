/*
 * interpreter.h
 *	  Kernels that run a Program before its own have been compiled.
 *
 * Kernels of one text follow the Program's script (cuda/script.cuh).  They are
 * slower than the Program's own, but need to be compiled only once for a device, and
 * are kept on disk like others.
 */
#ifndef GPUAGG_INTERPRETER_H
#define GPUAGG_INTERPRETER_H

#include "engine/cuda/codegen/script.h"
#include "engine/cuda/core/run_core.h"

/*
 * Let runs of this process begin with the interpreter, if its kernels are there, and
 * let them be compiled if they are not.
 */
extern void interpreter_enable(void);

/*
 * The Program's scripts; a Program may have none.  They and what is on the device are
 * freed by close.
 */
extern EngineStatus interpreter_open(RunCore *run);

/* Make them of the kernels' Program anew, before kernels need them. */
extern void interpreter_renew(RunCore *run);
extern void interpreter_close(RunCore *run);

/* Must the run use it?  It needs scripts for that. */
extern bool interpreter_is_forced(const RunCore *run);

/*
 * May the run use it, and are its kernels there, for such a device, which need not be
 * open?  If they are not, a compiler is begun.
 */
extern bool interpreter_is_ready(const RunCore *run, const DeviceInfo *info);

/* Has a block of such a device room for a script? */
extern bool interpreter_has_room(const RunCore *run, const Script *script);

/* A script on the device. */
extern EngineStatus interpreter_script(RunCore *run, TableKind table, DevicePtr *script);

/* Bytes of dynamic shared memory for a block of its kernel over rows. */
extern uint32_t interpreter_shared(const RunCore *run, TableKind table);

#endif							/* GPUAGG_INTERPRETER_H */
