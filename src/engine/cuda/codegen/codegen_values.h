/*
 * codegen_values.h
 *	  Generates row_values: a row's values into its group's extremes.
 */
#ifndef GPUAGG_CODEGEN_VALUES_H
#define GPUAGG_CODEGEN_VALUES_H

#include "engine/cuda/codegen/layout.h"
#include "engine/cuda/codegen/text.h"

/* Append row_values, if the layout has extremes that are kept by reference. */
extern void codegen_values(const KernelLayout *layout, Text *text);

#endif							/* GPUAGG_CODEGEN_VALUES_H */
