/*
 * encode.h
 *	  Columns as they stand in a stripe's pages (area.h).
 */
#ifndef GPUAGG_CPU_KEPT_ENCODE_H
#define GPUAGG_CPU_KEPT_ENCODE_H

#include "engine/cpu/eval.h"
#include "engine/cpu/kept/encode_texts.h"

/* A stripe's values of a column, as batches have them, from the first row on; begins as zeros. */
typedef struct PlainColumn
{
	ValueType	type;
	char	   *values;			/* of TEXT: none */
	PlainTexts	texts;			/* TEXT only */
	uint8_t    *validity;		/* a bit a row; NULL: no row is NULL */
	size_t		room;			/* rows that there is room for */
	CpuKeptLeft *left;			/* rows whose values are not there: zeros, or empty texts */
	uint32_t	nleft;
	size_t		left_room;
} PlainColumn;

extern void plain_free(PlainColumn *plain);

/*
 * How the rows are encoded: all of the place but its pages, of which this says how many they are.
 * False: no memory.
 */
extern bool encode_choose(PlainColumn *plain, uint32_t nrows, CpuKeptPlace *place);

/* Take the place's pages, which are free, for so many rows. */
extern void encode_take_pages(CpuKeptArea *area, CpuKeptPlace *place, uint32_t nrows);

/* Into these pages, of which nobody else knows. */
extern void encode_write(CpuKeptArea *area, const CpuKeptPlace *place, const PlainColumn *plain,
						 uint32_t nrows);

/* Where the next batch's rows of a column are; begins as zeros. */
typedef struct DecodedColumn
{
	ValueType	type;
	CpuKeptPlace place;
	uint32_t	values;			/* the pages of the batch */
	uint32_t	validity;
	char	   *buffer;			/* for a batch's values; texts as Bytes, or their codes */
	const char *from;			/* the batch's numbers or values; NULL: there are none */
	const uint8_t *valid;		/* the batch's bits; NULL: no row is NULL */
	uint64_t	valid_bits[CPU_BATCH / 64]; /* for those of some rows */

	/* Texts: */
	TextReader	reader;			/* of those that have no codes */
	Bytes	   *texts;			/* by their codes; NULL has an empty one */
	size_t		texts_room;
	const uint16_t *codes;		/* of the batch's rows */
} DecodedColumn;

#define DECODE_BUFFER (CPU_BATCH * 16)

/* Begin with a stripe's first row.  The buffer is the caller's, of DECODE_BUFFER bytes. */
extern void decode_begin(DecodedColumn *column, ValueType type, const CpuKeptPlace *place, char *buffer);

/* Read the texts that have codes, before the first batch; false: no memory. */
extern bool decode_texts(DecodedColumn *column, CpuKeptArea *area);
extern void decode_free(DecodedColumn *column);

/*
 * Go to the rows from a multiple of CPU_BATCH on, nrows of them, at most so many.  Batches follow one
 * behind the other.
 */
extern void decode_move(DecodedColumn *column, CpuKeptArea *area, uint32_t row, uint32_t nrows);

/*
 * The batch's rows, once in a batch, or those of them that `rows` names, which ascend; these get the
 * numbers from 0 on.  Texts are Bytes, without offsets; of such as have codes there are these, and no
 * values.
 */
extern void decode_batch(DecodedColumn *column, uint32_t nrows, ColumnVector *vector);
extern void decode_rows(DecodedColumn *column, const uint16_t *rows, uint32_t n, ColumnVector *vector);

#endif							/* GPUAGG_CPU_KEPT_ENCODE_H */
