/*
 * codegen_types.h
 *	  The C types of values in kernels.
 */
#ifndef GPUAGG_CODEGEN_TYPES_H
#define GPUAGG_CODEGEN_TYPES_H

#include "program/program.h"

/* Of a value in a register, and in a device column. */
extern const char *codegen_type(ValueType type);
extern const char *codegen_column_type(ValueType type);

#endif							/* GPUAGG_CODEGEN_TYPES_H */
