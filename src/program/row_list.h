/*
 * row_list.h
 *	  Rows of a group in a list of words, for aggregates whose input is ordered by PostgreSQL's
 *	  session.
 *
 * A row is a word that has the number of the row's words and which of its columns are NULL, and
 * behind it the other columns' values, each of which begins with a word: integers as int64,
 * floats by their bits, what a Datum points to as it stands in memory, and texts as varlena
 * values, whose header is short where it can be.  So a Datum can point to a value where it is.
 * Words of zeros may stand between rows (value_list.h).
 */
#ifndef GPUAGG_ROW_LIST_H
#define GPUAGG_ROW_LIST_H

#include "heap_page.h"
#include "types.h"

#define ROW_MAX_COLUMNS 16

/* What a varlena value with a short header has at most, header included. */
#define ROW_TEXT_SHORT_MAX 127

static inline uint64_t
row_header(uint64_t nwords, uint32_t nulls)
{
	return nwords << 16 | nulls;
}

/* The words of a row, or of what stands between rows. */
static inline uint64_t
row_words(uint64_t header)
{
	return header == 0 ? 1 : header >> 16;
}

static inline bool
row_has_null(uint64_t header, int column)
{
	return (header >> column) & 1;
}

/* Bytes of a text with its header. */
static inline uint64_t
row_text_size(uint32_t len)
{
	return (uint64_t) len + (len + VARLENA_SHORT_HEADER <= ROW_TEXT_SHORT_MAX ?
							 VARLENA_SHORT_HEADER : VARLENA_HEADER);
}

/* Write a text into as many words as it takes. */
static inline void
row_write_text(Bytes text, uint64_t *to)
{
	uint64_t	size = row_text_size(text.len);
	char	   *bytes = (char *) to;

	to[(size + 7) / 8 - 1] = 0;
	if (size <= ROW_TEXT_SHORT_MAX)
	{
		bytes[0] = (char) (size << 1 | 1);
		memcpy(bytes + VARLENA_SHORT_HEADER, text.data, text.len);
	}
	else
	{
		uint32_t	header = (uint32_t) size << 2;

		memcpy(bytes, &header, sizeof(header));
		memcpy(bytes + VARLENA_HEADER, text.data, text.len);
	}
}

/* The words of a value, which is not NULL. */
static inline uint64_t
row_value_words(ValueType type, const uint64_t *value)
{
	const uint8_t *bytes = (const uint8_t *) value;

	if (value_class(type) != CLASS_TEXT)
		return value_type_size(type) > 8 ? 2 : 1;
	return ((VARLENA_IS_SHORT(bytes[0]) ? VARLENA_SHORT_SIZE(bytes[0]) :
			 VARLENA_SIZE((uint32_t) value[0])) + 7) / 8;
}

#endif							/* GPUAGG_ROW_LIST_H */
