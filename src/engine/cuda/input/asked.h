/*
 * asked.h
 *	  LSNs of pages, which decide where the map does not.
 */
#ifndef GPUAGG_ASKED_H
#define GPUAGG_ASKED_H

#include "engine/cuda/input/kept_tables.h"

/*
 * Of which of the tables' pages the caller is asked for the LSN: where it can tell that kept
 * blocks are what they were.  KeptTables.nasked of them, 0 if the caller does not answer.
 */
extern EngineStatus asked_find(RunCore *run, KeptTables *tables);

/* The request for these, and its answer: into KeptTable.lsns. */
extern void asked_request(const KeptTables *tables, EngineRequest *request);
extern EngineStatus asked_take(RunCore *run, KeptTables *tables, const EngineAnswer *answer);

#endif							/* GPUAGG_ASKED_H */
