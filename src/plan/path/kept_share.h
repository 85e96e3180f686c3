/*
 * kept_share.h
 *	  How much of a grouping's input is in device memory.
 */
#ifndef GPUAGG_PLAN_RESIDENT_H
#define GPUAGG_PLAN_RESIDENT_H

#include "plan/path/source_tables.h"
#include "program/program.h"

/*
 * The share of the tables' blocks that a run of the Program would probably not read, since
 * a device has kept their rows: an estimate, for costs.
 */
extern double resident_share(const InputTables *tables, const Program *program);

#endif							/* GPUAGG_PLAN_RESIDENT_H */
