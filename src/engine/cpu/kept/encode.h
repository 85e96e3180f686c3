/*
 * encode.h
 *	  Columns as they stand in a stripe's pages (area.h).
 */
#ifndef GPUAGG_CPU_KEPT_ENCODE_H
#define GPUAGG_CPU_KEPT_ENCODE_H

#include "engine/cpu/kept/area.h"
#include "engine/engine.h"

/* A stripe's values of a column, as batches have them, from the first row on. */
typedef struct PlainColumn
{
	ValueType	type;
	char	   *values;
	uint8_t    *validity;		/* a bit a row; NULL: no row is NULL */
	size_t		room;			/* rows that there is room for */
} PlainColumn;

/*
 * How the rows are encoded: all of the place but its pages, of which this says how many they are.
 */
extern void encode_choose(const PlainColumn *plain, uint32_t nrows, CpuKeptPlace *place);

/* Into pages of the area, of which nobody else knows: those that the place names. */
extern void encode_write(CpuKeptArea *area, const CpuKeptPlace *place, const PlainColumn *plain,
						 uint32_t nrows);

/* Pages of the values, and of both arrays. */
extern uint32_t encode_value_pages(const CpuKeptPlace *place, uint32_t nrows);

/* Where the next batch's rows of a column are. */
typedef struct DecodedColumn
{
	ValueType	type;
	CpuKeptPlace place;
	uint32_t	values;			/* the pages of the batch */
	uint32_t	validity;
	char	   *buffer;			/* for a batch's values */
} DecodedColumn;

/* Begin with a stripe's first row.  The buffer is the caller's. */
extern void decode_begin(DecodedColumn *column, ValueType type, const CpuKeptPlace *place, char *buffer);

/*
 * The rows from a multiple of CPU_BATCH on, nrows of them, at most so many.  Batches are asked for
 * one behind the other.
 */
extern void decode_batch(DecodedColumn *column, CpuKeptArea *area, uint32_t row, uint32_t nrows,
						 ColumnVector *vector);

#endif							/* GPUAGG_CPU_KEPT_ENCODE_H */
