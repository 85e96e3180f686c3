/*
 * lookup.h
 *	  Look-ups of a batch's rows in a table, and what they cost.
 *
 * Plain C99 without postgres.h.
 */
#ifndef GPUAGG_LOOKUP_H
#define GPUAGG_LOOKUP_H

#include "program/program.h"

/*
 * An operation that reads a table (op_reads_table) over n values of its first operand's type,
 * CPU_BATCH at most; so many of its result's type go to `result`.
 */
extern void lookup_run(OpCode op, uint32_t n, const void *left, Bytes table, void *result);

/* What it costs for one row, in comparisons of two integers. */
extern int	lookup_cost(OpCode op, Bytes table);

/* The share of the integers from the table's least key to its greatest that it has, about. */
extern double lookup_share(Bytes table);

#endif							/* GPUAGG_LOOKUP_H */
