/*
 * records.h
 *	  Groups as they lie in a piece of a GroupStore.
 *
 * A record is a group's keys and states, as in the table (table.h), with the bytes
 * behind it of the long texts among its keys and of all texts among its extremes;
 * each text begins at a multiple of 8 bytes, and so does the next record.  Where
 * the table has a text's address there is 1, or 0 for none.
 *
 * Likewise the values of a list (value_list.h), of which a group's records have a part each:
 * the states of all but the first are start values, and merge with it.
 *
 * A piece that has been read gives GroupRecords without copying; if records have texts,
 * their first parts are copied, to have addresses again, which lead into the piece.
 */
#ifndef GPUAGG_RECORDS_H
#define GPUAGG_RECORDS_H

#include "engine/cpu/group_output.h"
#include "engine/cpu/value_list.h"

typedef struct RecordFormat
{
	const KeyLayout *layout;
	size_t		stride;			/* words without texts */
	int			nextremes;		/* of texts */
	uint16_t	extremes[PROGRAM_MAX_ACCS]; /* their first words in the record */
	int			nlists;			/* of values */
	uint16_t	lists[PROGRAM_MAX_ACCS];	/* likewise */
	const Program *program;
} RecordFormat;

/* The Program and the layout must outlive the format. */
extern void records_format(RecordFormat *format, const Program *program,
						   const KeyLayout *layout, size_t stride);

/* A group of a table, taken apart into what its records are made of. */
typedef struct GroupParts
{
	const RecordFormat *format;
	const uint64_t *group;
	uint64_t   *words;			/* of a part, where there are lists */
	ListWalk   *walks;			/* one a list: what is in no part yet */
	bool		begun;
} GroupParts;

/* Room for taking groups apart; false: no memory.  Freed by group_parts_free. */
extern bool group_parts_create(GroupParts *parts, const RecordFormat *format);
extern void group_parts_free(GroupParts *parts);

/* Begin with a group; its next part, NULL: there are no more.  Valid until the next call. */
extern void group_parts_begin(GroupParts *parts, const uint64_t *group);
extern const uint64_t *group_parts_next(GroupParts *parts);

/* Bytes of a part's record, or a read one's; write it, and return where it ends. */
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
