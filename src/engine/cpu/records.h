/*
 * records.h
 *	  Groups as they lie in a piece of a GroupStore.
 *
 * A record is a group's keys and states, as in the table (table.h), with the bytes
 * behind it of the long texts among its keys and of all texts among its extremes;
 * each text begins at a multiple of 8 bytes, and so does the next record.  Where
 * the table has a text's address there is 1, or 0 for none.
 *
 * A piece that has been read gives GroupRecords without copying; if records have texts,
 * their first parts are copied, to have addresses again, which lead into the piece.
 */
#ifndef GPUAGG_RECORDS_H
#define GPUAGG_RECORDS_H

#include "engine/cpu/group_output.h"

typedef struct RecordFormat
{
	const KeyLayout *layout;
	size_t		stride;			/* words without texts */
	int			nextremes;		/* of texts */
	uint16_t	extremes[PROGRAM_MAX_ACCS]; /* their first words in the record */
} RecordFormat;

/* layout must outlive the format. */
extern void records_format(RecordFormat *format, const Program *program,
						   const KeyLayout *layout, size_t stride);

/* Bytes of a group's record; write it, and return where it ends. */
extern size_t record_size(const RecordFormat *format, const uint64_t *group);
extern char *record_write(const RecordFormat *format, const uint64_t *group, char *to);

/* Memory of the reader's, for copies; to be freed by it. */
typedef struct RecordCopies
{
	uint64_t   *words;
	size_t		room;
} RecordCopies;

/* The groups of a piece, valid as long as it and the copies; false: no memory. */
extern bool records_read(const RecordFormat *format, const void *piece, size_t size,
						 RecordCopies *copies, GroupRecords *groups);

#endif							/* GPUAGG_RECORDS_H */
