/*
 * native_scans.h
 *	  Does the native plan scan the tables that a node reads?
 */
#ifndef GPUAGG_NATIVE_SCANS_H
#define GPUAGG_NATIVE_SCANS_H

#include "nodes/execnodes.h"

#include "plan/plan_info.h"

/*
 * Does PostgreSQL itself scan, by the native plan of a node that reads pages, all tables that
 * the node reads, and no others?
 */
extern bool native_scans_tables(const Plan *native, const PlanInfo *plan, EState *estate);

#endif							/* GPUAGG_NATIVE_SCANS_H */
