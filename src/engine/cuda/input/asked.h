/*
 * asked.h
 *	  LSNs of pages, which decide where the map does not.
 */
#ifndef GPUAGG_ASKED_H
#define GPUAGG_ASKED_H

#include "engine/cuda/input/resident_tables.h"

/*
 * Ask the caller for LSNs of the tables' pages, where they can tell that kept blocks are what
 * they were: ResidentTable.lsns.
 */
extern EngineStatus asked_find(RunCore *run, ResidentTables *tables);

#endif							/* GPUAGG_ASKED_H */
