/*
 * script.h
 *	  From a Program to its script, which the interpreter follows.
 */
#ifndef GPUAGG_SCRIPT_H
#define GPUAGG_SCRIPT_H

#include "engine/cuda/codegen/layout.h"

/* Make the script; false: the Program is too large for one. */
extern bool script_make(const Program *program, const KernelLayout *layout, Script *script);

/* Bytes of dynamic shared memory that a block of INTERPRET_THREADS needs. */
extern uint32_t script_shared(const Script *script);

#endif							/* GPUAGG_SCRIPT_H */
