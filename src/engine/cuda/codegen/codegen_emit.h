/*
 * codegen_emit.h
 *	  Generates emit_group: a group's key and state to the output's vectors.
 */
#ifndef GPUAGG_CODEGEN_EMIT_H
#define GPUAGG_CODEGEN_EMIT_H

#include "engine/cuda/codegen/layout.h"
#include "engine/cuda/codegen/text.h"

/* Append emit_group. */
extern void codegen_emit(const Program *program, const KernelLayout *layout, Text *text);

#endif							/* GPUAGG_CODEGEN_EMIT_H */
