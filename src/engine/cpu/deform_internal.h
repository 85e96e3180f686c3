/*
 * deform_internal.h
 *	  What a DeformBuffer is made of: deform_buffer.c owns its memory,
 *	  deform_pass.c plans how tuples are read, deform_find.c finds them on pages,
 *	  deform.c reads them.
 */
#ifndef GPUAGG_DEFORM_INTERNAL_H
#define GPUAGG_DEFORM_INTERNAL_H

#include "deform.h"
#include "engine/left_list.h"

/* A column in the making. */
typedef struct DeformColumn
{
	uint8_t		width;			/* bytes a value; 0: TEXT */
	bool		nullable;
	bool		has_nulls;		/* in this batch */
	uint8_t		numeric;		/* as in Column, of this scale */
	uint8_t		scale;
	bool		presence;		/* as in Column */
	int16_t		next;			/* another column of the same attribute, or -1 */
	uint16_t	attno;			/* from 1 */
	uint16_t	offset;			/* in the data of a tuple without NULLs, if the
								 * attribute belongs to the fixed ones */
	const ParamValue *missing;	/* value in tuples that are too short to hold
								 * it; NULL: they have NULL */
	void	   *values;			/* TEXT: bytes */
	size_t		room;			/* TEXT: bytes allocated */
	uint32_t   *offsets;		/* TEXT only */
	uint8_t    *validity;		/* all ones where has_nulls is not set */
} DeformColumn;

/* An attribute on the way to the last one that is needed. */
typedef struct DeformStep
{
	int16_t		len;			/* bytes, or -1: varlena */
	uint8_t		align_mask;		/* alignment less 1 */
	int16_t		column;			/* the first one made of it, or -1 */
} DeformStep;

/*
 * A step through tuples: attributes of fixed length are skipped, then one is read, or
 * one of variable length skipped.
 */
typedef struct DeformOp
{
	uint32_t	skip[8];		/* bytes to the latter, with padding, by the lowest
								 * bits of the offset where the step begins */
	int			from;			/* the first one skipped, or att */
	int			att;			/* the latter */
	bool		reads;
} DeformOp;

struct DeformPass
{
	uint8_t    *reads;			/* for each attribute up to the last one needed,
								 * whether it is read */
	int			end;			/* behind the last one that is */
	int			place;			/* the column of the rows' places, or -1: it is not read */

	/* Tuples that are not simple are walked attribute by attribute. */
	int			from;			/* where the walk begins: 0, or where the last pass
								 * ended */
	int			to;				/* where tuples' `at` is afterwards */

	/* Simple tuples: columns at known places, then steps through the rest. */
	int			nfixed_columns;
	int16_t    *fixed_columns;
	bool		resumes;		/* begins where the last pass ended */
	int			simple_to;		/* where tuples' `at` is afterwards */
	int			nops;
	DeformOp   *ops;
};

struct DeformBuffer
{
	uint32_t	capacity;
	uint32_t	nrows;
	size_t		memory;
	int			ncolumns;
	DeformColumn *columns;
	ColumnVector *vectors;		/* of batch */
	ColumnBatch batch;
	int			nsteps;
	DeformStep *steps;

	/* Rows that are left out; they stand in the batch all the same. */
	bool		leaves;			/* may rows be left out? */
	bool		leave;			/* a row in the making */
	bool		has_left;		/* in this batch */
	uint8_t    *left;			/* one byte a row; zeros where has_left is not
								 * set */
	LeftList	left_list;		/* of all batches */
	LeftList	left_rows;		/* of this one */

	/*
	 * The leading attributes of fixed length: in a tuple without NULLs among
	 * them they stand at the same place everywhere.
	 */
	int			nfixed;			/* steps */
	uint32_t	fixed_size;		/* bytes of data that they take */

	const PageRef *expected;	/* the page whose tuples are found next, or NULL */
	uint32_t	reach;			/* bytes of a tuple, its header's included, up to
								 * where most are read */
	DeformPass *all;			/* reads all columns */
	char	   *message;		/* of the call */
};

/* Rows without columns: deform_page where the page has any. */
extern EngineStatus deform_count(DeformBuffer *buffer, const PageRef *page,
								 uint32_t *line, char *message);

/* An attribute, numbered from 0, does not fit into a tuple; CORRUPT. */
extern EngineStatus deform_corrupt_value(const DeformTuple *tuple, int att, char *message);

/* Make a row's value in a TEXT column, the last row so far; false: no memory. */
extern bool deform_append_text(DeformBuffer *buffer, DeformColumn *column,
							   uint32_t row, const char *data, uint32_t len);

/* Make a row's value in a column NULL. */
static inline void
deform_set_null(DeformColumn *column, uint32_t row)
{
	column->has_nulls = true;
	column->validity[row >> 3] &= ~(1u << (row & 7));
	if (column->width == 0)
		column->offsets[row + 1] = column->offsets[row];
}

#endif							/* GPUAGG_DEFORM_INTERNAL_H */
