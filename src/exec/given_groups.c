/*
 * given_groups.c
 *	  Which groups of a run have been given, by their keys.
 *
 * A run whose groups leave before all of them have come may still fail.  Then another
 * engine makes all groups again, and those that have left must not leave twice.  A group's
 * record is its keys: a head of one width, with a bit for each that is NULL, the bytes of their
 * values, and the lengths of texts; then the texts' bytes.  Texts are the same if their bytes
 * are, as engines take them (collation.c).
 *
 * Records are gathered in a buffer, which goes into the run's store when it would exceed
 * its limit.  Only after a failure are all of them in memory, and a list of them sorted by
 * their bytes.
 *
 * All memory is the creator's context's.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "exec/given_groups.h"

/* Partition of the store: parts of a device's groups are in 0. */
#define GIVEN_PARTITION 1

/* Groups whose records are written at once, key by key. */
#define GROUPS_AT_ONCE 256

struct GivenGroups
{
	const Program *program;
	GroupStore *store;
	size_t		head;			/* bytes of a record before its texts */
	size_t	   *lengths;		/* places of texts' lengths in it */
	int			ntexts;
	char	   *buffer;			/* in the end all records */
	size_t		used;			/* bytes */
	size_t		room;
	size_t		limit;			/* of the room */
	size_t		stored;			/* likewise, in the store */
	uint64		nrecords;		/* in both */
	const char **sorted;		/* the records, in the end */
	char	   *wanted;			/* a record that is looked for */
	size_t		wanted_room;
	size_t		starts[GROUPS_AT_ONCE + 1]; /* of records that are written, behind one another */
	size_t		texts[GROUPS_AT_ONCE];	/* likewise, of a text */
};

/*
 * Of 0 and -0 as a float key an engine shows the one that it met first.  Whether an extreme is
 * ambiguous is known window by window.
 */
bool
given_groups_are_possible(const Program *program)
{
	const Accumulator *accs = program_accs(program);

	if (program->nkeys == 0 || program_has_float_key(program))
		return false;
	for (int i = 0; i < program->naccs; i++)
		if (accs[i].kind == ACC_MIN_FLOAT || accs[i].kind == ACC_MAX_FLOAT ||
			acc_is_text((AccKind) accs[i].kind) || acc_is_interval((AccKind) accs[i].kind))
			return false;
	return true;
}

static size_t
null_bytes(const Program *program)
{
	return (program->nkeys + 7) / 8;
}

static bool
is_text(const GivenGroups *given, int key)
{
	return program_key_type(given->program, key) == VT_TEXT;
}

/* Of a key, in a record's head. */
static size_t
key_size(const GivenGroups *given, int key)
{
	return is_text(given, key) ? sizeof(uint32) :
		(size_t) value_type_size(program_key_type(given->program, key));
}

GivenGroups *
given_groups_create(const Program *program, GroupStore *store, uint64 limit)
{
	GivenGroups *given = palloc0(sizeof(GivenGroups));

	given->program = program;
	given->store = store;
	given->lengths = palloc(sizeof(size_t) * program->nkeys);
	given->head = null_bytes(program);
	for (int i = 0; i < program->nkeys; i++)
	{
		if (is_text(given, i))
			given->lengths[given->ntexts++] = given->head;
		given->head += key_size(given, i);
	}
	given->room = GROUPS_PIECE;
	given->limit = Max(limit, GROUPS_PIECE);
	given->buffer = palloc(given->room);
	given->wanted_room = given->head;
	given->wanted = palloc(given->wanted_room);
	return given;
}

static bool
key_is_null(const ColumnVector *vector, uint32 group)
{
	return vector->validity && !(vector->validity[group / 8] & (1 << (group % 8)));
}

/* Find where records of these groups begin; the last start is their end. */
static void
place_records(GivenGroups *given, const GroupBatch *batch, uint32 group, uint32 n)
{
	size_t	   *starts = given->starts;

	starts[0] = 0;
	for (uint32 i = 0; i < n; i++)
		starts[i + 1] = given->head;
	for (int key = 0; given->ntexts > 0 && key < given->program->nkeys; key++)
	{
		const ColumnVector *vector = &batch->keys[key];

		if (!is_text(given, key))
			continue;
		for (uint32 i = 0; i < n; i++)
			if (!key_is_null(vector, group + i))
				starts[i + 1] += vector->offsets[group + i + 1] - vector->offsets[group + i];
	}
	for (uint32 i = 0; i < n; i++)
		starts[i + 1] += starts[i];
}

/* One key of a batch's groups, of a constant size, into their records, which are zeros. */
static inline void
put_sized(const GivenGroups *given, const ColumnVector *vector, size_t size, int key,
		  size_t place, uint32 group, uint32 n, char *records)
{
	const char *value = (const char *) vector->values + group * size;

	for (uint32 i = 0; i < n; i++, value += size)
	{
		char	   *record = records + given->starts[i];

		if (key_is_null(vector, group + i))
			record[key / 8] |= (char) (1 << (key % 8));
		else
			memcpy(record + place, value, size);
	}
}

/* The same of any size. */
static void
put_values(const GivenGroups *given, const GroupBatch *batch, int key, size_t place,
		   uint32 group, uint32 n, char *records)
{
	const ColumnVector *vector = &batch->keys[key];
	size_t		size = key_size(given, key);

	if (size == 4)
		put_sized(given, vector, 4, key, place, group, n, records);
	else if (size == 8)
		put_sized(given, vector, 8, key, place, group, n, records);
	else
		put_sized(given, vector, size, key, place, group, n, records);
}

/* The same of texts, which go behind those before. */
static void
put_texts(GivenGroups *given, const GroupBatch *batch, int key, size_t place,
		  uint32 group, uint32 n, char *records)
{
	const ColumnVector *vector = &batch->keys[key];

	for (uint32 i = 0; i < n; i++, group++)
	{
		char	   *record = records + given->starts[i];
		uint32		start = vector->offsets[group];
		uint32		length = vector->offsets[group + 1] - start;

		if (key_is_null(vector, group))
		{
			record[key / 8] |= (char) (1 << (key % 8));
			continue;
		}
		memcpy(record + place, &length, sizeof(length));
		if (length > 0)
			memcpy(records + given->texts[i], (const char *) vector->values + start, length);
		given->texts[i] += length;
	}
}

/* Records of groups that have been placed. */
static void
put_records(GivenGroups *given, const GroupBatch *batch, uint32 group, uint32 n,
			char *records)
{
	size_t		place = null_bytes(given->program);

	memset(records, 0, given->starts[n]);
	for (uint32 i = 0; i < n && given->ntexts > 0; i++)
		given->texts[i] = given->starts[i] + given->head;
	for (int i = 0; i < given->program->nkeys; i++)
	{
		if (is_text(given, i))
			put_texts(given, batch, i, place, group, n, records);
		else
			put_values(given, batch, i, place, group, n, records);
		place += key_size(given, i);
	}
}

/* Have room for so many bytes more: a larger buffer, or what it holds goes into the store. */
static bool
make_room(GivenGroups *given, size_t size)
{
	while (given->room - given->used < size)
	{
		if (given->room > given->limit / 2 && given->used > 0)
		{
			if (!given->store->write(given->store, GIVEN_PARTITION, given->buffer, given->used))
				return false;
			given->stored += given->used;
			given->used = 0;
			continue;
		}
		given->room *= 2;
		given->buffer = repalloc_huge(given->buffer, given->room);
	}
	return true;
}

bool
given_groups_add(GivenGroups *given, const GroupBatch *batch)
{
	uint32		n;

	for (uint32 group = 0; group < batch->ngroups; group += n)
	{
		n = Min(GROUPS_AT_ONCE, batch->ngroups - group);
		place_records(given, batch, group, n);
		/* of long texts, fewer at once */
		while (n > 1 && given->starts[n] > GROUPS_PIECE)
			n /= 2;
		if (!make_room(given, given->starts[n]))
			return false;
		put_records(given, batch, group, n, given->buffer + given->used);
		given->used += given->starts[n];
		given->nrecords += n;
	}
	return true;
}

/* A record's texts, in bytes. */
static size_t
texts_size(const GivenGroups *given, const char *record)
{
	size_t		size = 0;

	for (int i = 0; i < given->ntexts; i++)
	{
		uint32		length;

		memcpy(&length, record + given->lengths[i], sizeof(length));
		size += length;
	}
	return size;
}

/* Sorting many records takes long. */
static int
compare_records(const void *a, const void *b, void *arg)
{
	const GivenGroups *given = arg;
	const char *left = *(const char *const *) a;
	const char *right = *(const char *const *) b;
	int			order = memcmp(left, right, given->head);

	CHECK_FOR_INTERRUPTS();
	/* if the heads are equal, so are the lengths */
	if (order != 0 || given->ntexts == 0)
		return order;
	return memcmp(left + given->head, right + given->head, texts_size(given, left));
}

/* All records into memory. */
static bool
read_records(GivenGroups *given)
{
	char	   *records = MemoryContextAllocHuge(GetMemoryChunkContext(given),
												 given->stored + given->used + 1);
	size_t		at = 0;

	if (given->stored > 0 && !given->store->rewind(given->store, GIVEN_PARTITION))
		return false;
	while (at < given->stored)
	{
		const void *piece = NULL;
		size_t		size;

		if (!given->store->read(given->store, GIVEN_PARTITION, &piece, &size) ||
			size == 0 || size > given->stored - at)
			return false;
		memcpy(records + at, piece, size);
		at += size;
	}
	memcpy(records + at, given->buffer, given->used);
	given->used += at;
	given->buffer = records;
	return true;
}

bool
given_groups_end(GivenGroups *given)
{
	const char *record;

	if (!read_records(given))
		return false;
	given->sorted = MemoryContextAllocHuge(GetMemoryChunkContext(given),
										   given->nrecords * sizeof(char *) + 1);
	record = given->buffer;
	for (uint64 i = 0; i < given->nrecords; i++)
	{
		given->sorted[i] = record;
		record += given->head + texts_size(given, record);
	}
	qsort_arg(given->sorted, given->nrecords, sizeof(char *), compare_records, given);
	return true;
}

bool
given_groups_have(GivenGroups *given, const GroupBatch *batch, uint32 group)
{
	place_records(given, batch, group, 1);
	if (given->starts[1] > given->wanted_room)
	{
		given->wanted = repalloc_huge(given->wanted, given->starts[1]);
		given->wanted_room = given->starts[1];
	}
	put_records(given, batch, group, 1, given->wanted);
	return bsearch_arg(&given->wanted, given->sorted, given->nrecords, sizeof(char *),
					   compare_records, given) != NULL;
}
