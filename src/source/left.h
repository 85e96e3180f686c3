/*
 * left.h
 *	  Rows of heap pages that an engine has left out, read by PostgreSQL.
 */
#ifndef GPUAGG_LEFT_H
#define GPUAGG_LEFT_H

#include "source/heap.h"
#include "source/rows.h"

typedef struct LeftSource LeftSource;

/*
 * For rows of these tables, which the engine knows by their places here; nblocks: how
 * many blocks of each are read, an array that stays the caller's.
 */
extern LeftSource *left_create(const SourceTable *tables, int ntables,
							   const BlockNumber *nblocks, Snapshot snapshot,
							   EngineHandle *engine, RowSender *sender);

/*
 * Hand those that the engine has named so far to the sender; adds their number to
 * *nrows.  Returns OK, or the status with which the engine gave up.
 */
extern EngineStatus left_send(LeftSource *left, uint64 *nrows);
extern void left_end(LeftSource *left);

#endif							/* GPUAGG_LEFT_H */
