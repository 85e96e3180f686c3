/*
 * native_plan.h
 *	  What a node has to do with its native plan: what that scans, and reads from the node.
 */
#ifndef GPUAGG_NATIVE_PLAN_H
#define GPUAGG_NATIVE_PLAN_H

#include "nodes/execnodes.h"
#include "nodes/extensible.h"

#include "plan/plan_info.h"

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

/*
 * Does PostgreSQL itself scan, by the native plan of a node that reads pages, all tables that
 * the node reads, and no others?
 */
extern bool native_scans_tables(const Plan *native, const PlanInfo *plan, EState *estate);

#endif							/* GPUAGG_NATIVE_PLAN_H */
