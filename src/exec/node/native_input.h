/*
 * native_input.h
 *	  The scan by which the native plan reads the input plan's rows.
 */
#ifndef GPUAGG_NATIVE_INPUT_H
#define GPUAGG_NATIVE_INPUT_H

#include "nodes/execnodes.h"
#include "nodes/extensible.h"

extern const CustomScanMethods input_scan_methods;

/* Registers the node, for plans that are read back. */
extern void input_scan_init(void);

/*
 * Let the scan below the native plan read `input`, which the caller initializes,
 * rescans and ends.
 */
extern void input_scan_attach(PlanState *native, PlanState *input);

/*
 * Tell the native plan which parameters of the input plan have changed, before
 * either of them is rescanned: its own do not include these.
 */
extern void input_scan_params_changed(PlanState *native, const PlanState *input);

#endif							/* GPUAGG_NATIVE_INPUT_H */
