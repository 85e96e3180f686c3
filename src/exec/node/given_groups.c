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
 * Until the end only copies of the batches' keys are made, array by array, in a buffer, which
 * goes into the run's store when it would exceed its limit.  Only after a failure are records
 * made of them, all in memory, and a list of them sorted by their bytes.  If the store takes no
 * more, which harms nobody as long as the run itself goes on, they are given up.
 *
 * All memory is the creator's context's.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "exec/node/given_groups.h"

/* Partition of the store: parts of a device's groups are in 0. */
#define GIVEN_PARTITION 1

/* Groups whose records are written at once, key by key. */
#define GROUPS_AT_ONCE 256

/* A copy of a batch: this, a CopiedKey for each key, and the arrays, each in multiples of 8 bytes. */
typedef struct CopiedBatch
{
	uint64		size;			/* of all, bytes */
	uint64		ngroups;
} CopiedBatch;

/* Bytes of a key's arrays, which are in this order. */
typedef struct CopiedKey
{
	uint64		validity;		/* 0: no NULLs */
	uint64		offsets;		/* 0 unless it is a text */
	uint64		values;
} CopiedKey;

struct GivenGroups
{
	const Program *program;
	GroupStore *store;
	size_t		head;			/* bytes of a record before its texts */
	size_t	   *lengths;		/* places of texts' lengths in it */
	int			ntexts;
	char	   *buffer;			/* copies of batches */
	size_t		used;			/* bytes */
	size_t		room;
	size_t		limit;			/* of the room */
	bool		stored;			/* some are in the store */
	bool		unknown;		/* the store has failed: nothing is added any more */
	uint64		ngroups;		/* of all copies */
	size_t		text_bytes;		/* of all their texts, with what is NULL's */
	char	   *records;		/* in the end: */
	size_t		written;		/* bytes of them */
	uint64		nrecords;
	const char **sorted;
	char	   *wanted;			/* a record that is looked for */
	size_t		wanted_room;
	size_t		starts[GROUPS_AT_ONCE + 1]; /* of records that are written, behind one another */
	size_t		texts[GROUPS_AT_ONCE];	/* likewise, of a text */
};

/*
 * Of 0 and -0 as a float key an engine shows the one that it met first.  Whether states are
 * inexact is known window by window.
 */
bool
given_groups_are_possible(const Program *program)
{
	const Accumulator *accs = program_accs(program);

	if (program->nkeys == 0 || program_has_float_key(program))
		return false;
	for (int i = 0; i < program->naccs; i++)
	{
		AccForm		form = acc_form((AccKind) accs[i].kind);

		if (form_is_checked(form) || form_is_text(form))
			return false;
	}
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
			given->stored = true;
			given->used = 0;
			continue;
		}
		given->room *= 2;
		given->buffer = repalloc_huge(given->buffer, given->room);
	}
	return true;
}

/* The bytes of a key's arrays in a batch. */
static CopiedKey
sizes_of_key(const GivenGroups *given, const GroupBatch *batch, int key)
{
	const ColumnVector *vector = &batch->keys[key];
	size_t		n = batch->ngroups;
	CopiedKey	sizes = {vector->validity ? (n + 7) / 8 : 0, 0, n * key_size(given, key)};

	if (is_text(given, key))
	{
		sizes.offsets = (n + 1) * sizeof(uint32);
		sizes.values = vector->offsets[n];
	}
	return sizes;
}

static char *
copy_array(char *to, const void *array, size_t size)
{
	if (size > 0)
		memcpy(to, array, size);
	return to + MAXALIGN(size);
}

void
given_groups_add(GivenGroups *given, const GroupBatch *batch)
{
	int			nkeys = given->program->nkeys;
	CopiedBatch head = {sizeof(CopiedBatch) + nkeys * sizeof(CopiedKey), batch->ngroups};
	CopiedKey  *keys;
	char	   *at;

	for (int i = 0; i < nkeys; i++)
	{
		CopiedKey	sizes = sizes_of_key(given, batch, i);

		head.size += MAXALIGN(sizes.validity) + MAXALIGN(sizes.offsets) + MAXALIGN(sizes.values);
		given->text_bytes += is_text(given, i) ? sizes.values : 0;
	}
	if (!given->unknown && !make_room(given, head.size))
	{
		given->unknown = true;
		pfree(given->buffer);
		given->buffer = NULL;
	}
	if (given->unknown)
		return;
	at = given->buffer + given->used;
	memcpy(at, &head, sizeof(head));
	keys = (CopiedKey *) (at + sizeof(head));
	at = (char *) (keys + nkeys);
	for (int i = 0; i < nkeys; i++)
	{
		const ColumnVector *vector = &batch->keys[i];

		keys[i] = sizes_of_key(given, batch, i);
		at = copy_array(at, vector->validity, keys[i].validity);
		at = copy_array(at, vector->offsets, keys[i].offsets);
		at = copy_array(at, vector->values, keys[i].values);
	}
	given->used += head.size;
	given->ngroups += batch->ngroups;
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

/* Records of a batch's groups, behind those before. */
static void
add_records(GivenGroups *given, const GroupBatch *batch)
{
	uint32		n;

	for (uint32 group = 0; group < batch->ngroups; group += n)
	{
		CHECK_FOR_INTERRUPTS();
		n = Min(GROUPS_AT_ONCE, batch->ngroups - group);
		place_records(given, batch, group, n);
		put_records(given, batch, group, n, given->records + given->written);
		for (uint32 i = 0; i < n; i++)
			given->sorted[given->nrecords++] = given->records + given->written + given->starts[i];
		given->written += given->starts[n];
	}
}

/* The same of copies of batches, of so many bytes. */
static void
add_copies(GivenGroups *given, const char *copies, size_t size)
{
	int			nkeys = given->program->nkeys;
	ColumnVector *vectors = palloc0(sizeof(ColumnVector) * nkeys);
	const char *end = copies + size;

	while (copies < end)
	{
		const CopiedBatch *head = (const CopiedBatch *) copies;
		const CopiedKey *keys = (const CopiedKey *) (head + 1);
		const char *at = (const char *) (keys + nkeys);
		GroupBatch	batch = {.ngroups = (uint32) head->ngroups,.keys = vectors};

		for (int i = 0; i < nkeys; i++)
		{
			vectors[i].validity = keys[i].validity ? (const uint8 *) at : NULL;
			at += MAXALIGN(keys[i].validity);
			vectors[i].offsets = (const uint32 *) at;
			at += MAXALIGN(keys[i].offsets);
			vectors[i].values = at;
			at += MAXALIGN(keys[i].values);
		}
		add_records(given, &batch);
		copies += head->size;
	}
	pfree(vectors);
}

/* Of all copies, the stored ones first. */
static bool
make_records(GivenGroups *given)
{
	const void *piece = NULL;
	size_t		size = 0;

	if (given->stored && !given->store->rewind(given->store, GIVEN_PARTITION))
		return false;
	while (given->stored)
	{
		if (!given->store->read(given->store, GIVEN_PARTITION, &piece, &size))
			return false;
		if (size == 0)
			break;
		add_copies(given, piece, size);
	}
	add_copies(given, given->buffer, given->used);
	pfree(given->buffer);
	given->buffer = NULL;
	return true;
}

bool
given_groups_end(GivenGroups *given)
{
	MemoryContext context = GetMemoryChunkContext(given);

	if (given->unknown)
		return false;
	given->records = MemoryContextAllocHuge(context, given->ngroups * given->head +
											given->text_bytes + 1);
	given->sorted = MemoryContextAllocHuge(context, given->ngroups * sizeof(char *) + 1);
	if (!make_records(given))
		return false;
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
