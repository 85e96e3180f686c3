/*
 * row_lists.c
 *	  Rows into lists of rows.
 *
 * A row's words lie behind one another in a list: no row begins in one chunk and ends in
 * another.  So each piece of a list is one of whole rows, wherever it goes.
 */
#include <stdio.h>

#include "engine/cpu/row_lists.h"
#include "engine/cpu/value_list.h"
#include "program/row_list.h"

typedef struct RowColumn
{
	const Vector *vector;
	ValueType	type;
} RowColumn;

static inline bool
is_null(const Vector *vector, uint32_t row)
{
	return vector->valid && !bit_is_set(vector->valid, row);
}

/* The words of a value that is not NULL. */
static inline uint64_t
value_words(const RowColumn *column, uint32_t row)
{
	if (column->type == VT_TEXT)
		return (row_text_size(((const Bytes *) column->vector->values)[row].len) + 7) / 8;
	return value_type_size(column->type) > 8 ? 2 : 1;
}

/* Which columns of a row are NULL, and its words; false: a column is an error. */
static bool
measure_row(const RowColumn *columns, int n, uint32_t row, uint32_t *nulls, uint64_t *nwords)
{
	*nulls = 0;
	*nwords = 1;
	for (int i = 0; i < n; i++)
	{
		const Vector *vector = columns[i].vector;

		if (vector->error && bit_is_set(vector->error, row))
			return false;
		if (is_null(vector, row))
			*nulls |= UINT32_C(1) << i;
		else
			*nwords += value_words(&columns[i], row);
	}
	return true;
}

/* Write a value that is not NULL; returns where it ends. */
static uint64_t *
write_value(const RowColumn *column, uint32_t row, uint64_t *to)
{
	const void *values = column->vector->values;

	switch (column->type)
	{
#define WRITE_INTEGER(ctype) to[0] = (uint64_t) (int64_t) ((const ctype *) values)[row]
#define WRITE_FLOAT(ctype) to[0] = 0, memcpy(to, &((const ctype *) values)[row], sizeof(ctype))
#define WRITE_BYTES(ctype) memcpy(to, &((const ctype *) values)[row], sizeof(ctype))
#define WRITE_WIDE(ctype) WRITE_BYTES(ctype)
#define WRITE_TEXT(ctype) row_write_text(((const ctype *) values)[row], to)
#define TYPE(name, ctype, size, stored, class, ...) \
		case VT_##name: \
			WRITE_##class(ctype); \
			break;
#include "program/types.def"
		case VT_COUNT:
			break;
	}
	return to + value_words(column, row);
}

EngineStatus
row_lists_take(const Accumulator *acc, const Program *program, const Evaluator *eval,
			   const RowGroups *rows, const States *states, char *message)
{
	RowColumn	columns[ROW_MAX_COLUMNS];

	for (int i = 0; i < acc->param; i++)
		columns[i] = (RowColumn)
		{
			eval_register(eval, acc[1 + i].arg), (ValueType) program_insns(program)[acc[1 + i].arg].type
		};
	for (uint32_t i = 0; i < rows->n; i++)
	{
		uint32_t	row = rows->rows[i];
		uint64_t   *words = states->base + acc->word +
			(states->single ? 0 : rows->groups[i] * states->stride);
		uint32_t	nulls;
		uint64_t	nwords;
		uint64_t   *to;

		if (!measure_row(columns, acc->param, row, &nulls, &nwords))
		{
			snprintf(message, 256, "an aggregate's argument would raise an error");
			return ENGINE_INEXACT;
		}
		if (nwords > LIST_MOST)
		{
			snprintf(message, 256, "a row is too long for its list");
			return ENGINE_INEXACT;
		}
		if ((to = list_room(states->table, words, nwords)) == NULL)
		{
			snprintf(message, 256, "the groups' rows take more memory than allowed");
			return ENGINE_NO_MEMORY;
		}
		*to++ = row_header(nwords, nulls);
		for (int j = 0; j < acc->param; j++)
			if ((nulls >> j & 1) == 0)
				to = write_value(&columns[j], row, to);
	}
	return ENGINE_OK;
}

bool
row_lists_merge(GroupTable *table, uint64_t *into, const uint64_t *from)
{
	ListWalk	walk;
	ListPiece	piece;

	list_walk(&walk, from);
	while ((piece = list_next(&walk)).n > 0)
		for (uint64_t i = 0, n; i < piece.n; i += n)
		{
			uint64_t   *to;

			n = row_words(piece.values[i]);
			if (piece.values[i] == 0)
				continue;
			if ((to = list_room(table, into, n)) == NULL)
				return false;
			memcpy(to, piece.values + i, n * sizeof(*to));
		}
	return true;
}
