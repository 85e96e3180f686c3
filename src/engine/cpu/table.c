/*
 * table.c
 *	  Groups by their keys, and the groups' states.
 *
 * A group is a record: its packed keys (keys.h), then its states.  Records lie
 * one behind the other and are named by their number, so that they can move
 * when the array grows.  Where no two rows have the same keys, each has a record of its own.
 * Else two ways lead from keys to a record:
 *
 * hash		an open-addressing table with linear probing whose slots hold half
 *			of the hash and the record's number; at most half full.  That half
 *			also says where a slot belongs, so that growing looks at no keys,
 *			and reads and writes slots in their order.
 * direct	a single integer key of a small enough range is its own place in an
 *			array of record numbers.  The range widens as keys come; once it is
 *			too wide for the rows seen, the hash table takes over for good.
 *
 * Both walk a batch in passes, so that the memory one pass needs is being
 * fetched while others work (Chen et al., Improving Hash Join Performance
 * through Prefetching, ICDE 2004: group prefetching).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/cpu/keys.h"
#include "engine/cpu/large_memory.h"
#include "engine/cpu/table.h"
#include "program/state.h"

#define LINE_WORDS 8			/* of 64 bits in a line of the cache */
#define NO_GROUP 0				/* in slots and the direct map: number + 1 */
#define DIRECT_FREE_RANGE (UINT64_C(1) << 16)	/* always allowed */
#define DIRECT_MAX_RANGE (UINT64_C(1) << 26)
#define MAP_SHARE 2				/* of the limit, that the map may take */
#define HASH_HALF (~(uint64_t) UINT32_MAX)	/* of a slot */
#define FIRST_RECORDS 256
#define FIRST_SLOTS UINT64_C(1024)
#define MOST_FIRST_SLOTS (UINT64_C(1) << 21)	/* 16 MB: a guess may be wrong */
#define MOST_ROWS (UINT64_C(1) << 60)
#define ARENA_CHUNK (UINT64_C(1) << 16)
#define ARENA_SHARE 32			/* of the limit, that a chunk takes at most */

/* Records of more words than these are fetched ahead: they are not in a core's cache. */
#define CACHED_WORDS (UINT64_C(1) << 14)

/* What is moved between two looks for an interrupt: slots, or places of the map. */
#define MOVED_AT_ONCE (UINT64_C(1) << 18)

/* Bytes of long texts. */
typedef struct Arena
{
	struct Arena *next;
	size_t		used;
	size_t		size;
	char		bytes[];
} Arena;

struct GroupTable
{
	const Program *program;
	KeyLayout	layout;
	EngineHints hints;
	bool		interrupted;	/* a look has said so: the run is over */
	uint64_t	limit;			/* bytes */
	uint64_t	memory;			/* in use */
	uint64_t	peak;

	uint64_t   *records;
	size_t		stride;			/* words of a record */
	uint32_t	ngroups;
	uint32_t	room;			/* records allocated */
	uint32_t	most;			/* groups allowed */
	uint64_t   *fresh;			/* a new group's states */

	uint64_t   *slots;			/* upper half of the hash, number + 1 */
	uint64_t	mask;			/* slots - 1 */
	uint64_t	first_slots;	/* how many to begin with */

	bool		direct;			/* the direct map is in use */
	uint32_t   *map;			/* number + 1, by key - map_min */
	int64_t		map_min;
	uint64_t	map_range;
	int64_t		key_min;		/* of the keys seen */
	int64_t		key_max;
	uint32_t	null_group;		/* number + 1 of the NULL key's group */
	uint64_t	rows;			/* seen, or expected if that is more */

	Arena	   *arena;
	uint64_t   *packed;			/* keys of a batch */
	uint64_t	hashes[CPU_BATCH];
};

/* Memory that counts against the limit; NULL if it is reached. */
static void *
table_realloc(GroupTable *table, void *old, size_t old_size, size_t size)
{
	uint64_t	memory = table->memory - large_size(old_size) + large_size(size);
	void	   *new;

	if (memory > table->limit)
		return NULL;
	new = large_grow(old, old_size, size);
	if (new == NULL)
		return NULL;
	table->memory = memory;
	if (table->memory > table->peak)
		table->peak = table->memory;
	return new;
}

static void *
table_calloc(GroupTable *table, size_t size)
{
	uint64_t	memory = table->memory + large_size(size);
	void	   *new;

	if (memory > table->limit)
		return NULL;
	new = large_alloc(size);
	if (new != NULL)
	{
		table->memory = memory;
		if (table->memory > table->peak)
			table->peak = table->memory;
	}
	return new;
}

static void
table_drop(GroupTable *table, void *old, size_t size)
{
	if (old != NULL)
		table->memory -= large_size(size);
	large_free(old, size);
}

/* Let there be room for so many records. */
static bool
resize_records(GroupTable *table, uint64_t room)
{
	uint64_t   *records;

	if (room > UINT32_MAX)
		return false;
	records = table_realloc(table, table->records,
							table->room * table->stride * sizeof(uint64_t),
							room * table->stride * sizeof(uint64_t));
	if (records == NULL)
		return false;
	table->records = records;
	table->room = (uint32_t) room;
	return true;
}

/* Make room for n more records: for many more if the limit allows that, else some. */
static bool
reserve_records(GroupTable *table, uint32_t n)
{
	uint64_t	need = (uint64_t) table->ngroups + n;
	uint64_t	room = table->room ? table->room : FIRST_RECORDS;

	if (need > table->most)
		return false;
	if (need <= table->room)
		return true;
	while (room < need)
		room *= 2;
	return resize_records(table, room) || resize_records(table, need + need / 8);
}

static inline uint64_t *
record(const GroupTable *table, uint32_t group)
{
	return table->records + (size_t) group * table->stride;
}

/* Let a group's record be fetched, which can lie in two lines of the cache. */
static inline void
prefetch_record(const GroupTable *table, uint32_t group)
{
	const uint64_t *first = record(table, group);

	__builtin_prefetch(first, 1);
	__builtin_prefetch(first + table->stride - 1, 1);
}

char *
table_text_room(GroupTable *table, size_t size)
{
	char	   *room;

	if (table->arena == NULL || table->arena->size - table->arena->used < size)
	{
		uint64_t	share = table->limit / ARENA_SHARE;
		size_t		chunk = share < ARENA_CHUNK ? share : ARENA_CHUNK;
		Arena	   *arena;

		if (chunk < size)
			chunk = size;
		arena = table_calloc(table, sizeof(Arena) + chunk);
		if (arena == NULL)
			return NULL;
		arena->size = chunk;
		arena->next = table->arena;
		table->arena = arena;
	}
	room = table->arena->bytes + table->arena->used;
	table->arena->used += size;
	return room;
}

uint64_t *
table_words_room(GroupTable *table, size_t nwords)
{
	size_t		beyond = table->arena ? table->arena->used % sizeof(uint64_t) : 0;

	/* what is left may be less than this, and the next chunk begins with a word */
	if (beyond > 0)
		table->arena->used += sizeof(uint64_t) - beyond;
	if (beyond > 0 && table->arena->used > table->arena->size)
		table->arena->used = table->arena->size;
	return (uint64_t *) (void *) table_text_room(table, nwords * sizeof(uint64_t));
}

/* Copy the bytes of a record's long texts out of the batch they came with. */
static bool
keep_texts(GroupTable *table, uint64_t *keys)
{
	for (int i = 0; i < table->layout.ntexts; i++)
	{
		uint64_t   *word = &keys[table->layout.texts[i] - 1];
		Bytes		text = keys_text(word);
		char	   *copy;

		if (text.len <= TEXT_INLINE)
			continue;
		copy = table_text_room(table, text.len);
		if (copy == NULL)
			return false;
		memcpy(copy, text.data, text.len);
		memcpy(&word[1], &copy, sizeof(copy));
	}
	return true;
}

/* A new group; there is room for it. False: no memory for its texts. */
static bool
add_group(GroupTable *table, const uint64_t *keys, uint32_t *group)
{
	uint64_t   *new = record(table, table->ngroups);

	memcpy(new, keys, table->layout.words * sizeof(uint64_t));
	memcpy(new + table->layout.words, table->fresh,
		   table->program->nwords * sizeof(uint64_t));
	if (!keep_texts(table, new))
		return false;
	*group = table->ngroups++;
	return true;
}

/* Where a slot with this hash belongs; slots hold the upper half. */
static inline uint64_t
home(const GroupTable *table, uint64_t hash)
{
	return (hash >> 32) & table->mask;
}

static void
enter_slot(GroupTable *table, uint64_t slot)
{
	uint64_t	at = home(table, slot);

	while (table->slots[at] != NO_GROUP)
		at = (at + 1) & table->mask;
	table->slots[at] = slot;
}

/* Look for an interrupt where i is the first of MOVED_AT_ONCE; was there one? */
static inline bool
interrupted_at(GroupTable *table, uint64_t i)
{
	if (i % MOVED_AT_ONCE == 0 && engine_interrupted(&table->hints))
		table->interrupted = true;
	return table->interrupted;
}

/*
 * The hash table has twice as many slots, the upper half of which is empty: let each group
 * have its place.  Slots are taken in their order, from one behind an empty one: then between
 * where a group belongs now and where it was, all have been taken before, so that no
 * group passes one that is still to move.
 */
static void
spread_slots(GroupTable *table, uint64_t nslots)
{
	uint64_t	empty = 0;

	while (table->slots[empty] != NO_GROUP)
		empty++;
	for (uint64_t i = 0; i < nslots && !interrupted_at(table, i); i++)
	{
		uint64_t	at = (empty + 1 + i) & (nslots - 1);
		uint64_t	slot = table->slots[at];

		table->slots[at] = NO_GROUP;
		if (slot != NO_GROUP)
			enter_slot(table, slot);
	}
}

/* False: no memory, or interrupted. */
static bool
double_slots(GroupTable *table)
{
	uint64_t	nslots = table->mask + 1;
	uint64_t	size = nslots * sizeof(uint64_t);
	uint64_t   *slots = table_realloc(table, table->slots, size, 2 * size);

	if (slots == NULL)
		return false;
	table->slots = slots;
	table->mask = 2 * nslots - 1;
	spread_slots(table, nslots);
	return !table->interrupted;
}

/* Make the hash table, and enter all groups.  False: no memory, or interrupted. */
static bool
make_slots(GroupTable *table, uint64_t nslots)
{
	table->slots = table_calloc(table, nslots * sizeof(uint64_t));
	if (table->slots == NULL)
		return false;
	table->mask = nslots - 1;
	for (uint32_t i = 0; i < table->ngroups && !interrupted_at(table, i); i++)
	{
		uint64_t	hash;

		keys_hash(&table->layout, record(table, i), 1, &hash);
		enter_slot(table, (hash & HASH_HALF) | (i + 1));
	}
	return !table->interrupted;
}

/* Make room for n more groups in the hash table. */
static bool
reserve_slots(GroupTable *table, uint32_t n)
{
	uint64_t	need = 2 * ((uint64_t) table->ngroups + n);
	uint64_t	nslots = table->first_slots;

	if (table->slots == NULL)
	{
		while (nslots < need)
			nslots *= 2;
		return make_slots(table, nslots);
	}
	while (table->mask + 1 < need)
		if (!double_slots(table))
			return false;
	return true;
}

/* Are two packed keys equal?  Inlined for keys of a known number of words. */
static inline bool
same_keys(const GroupTable *table, const uint64_t *a, const uint64_t *b, uint32_t words)
{
	if (words == 1)
		return a[0] == b[0];
	if (words == 2)
		return a[0] == b[0] && a[1] == b[1];
	return keys_equal(&table->layout, a, b);
}

/*
 * Find or make the groups of n packed keys, whose hashes are known.  words: 1
 * or 2, the words to compare, no texts among them; else 0.
 */
static inline EngineStatus
find_words(GroupTable *table, uint32_t n, uint32_t *groups, uint32_t words)
{
	for (uint32_t i = 0; i < n; i++)
		__builtin_prefetch(&table->slots[home(table, table->hashes[i])]);
	for (uint32_t i = 0; i < n; i++)
	{
		uint64_t	slot = table->slots[home(table, table->hashes[i])];

		if (slot != NO_GROUP)
			prefetch_record(table, (uint32_t) slot - 1);
	}
	for (uint32_t i = 0; i < n; i++)
	{
		const uint64_t *keys = table->packed + (size_t) i * table->layout.words;
		uint64_t	hash = table->hashes[i];
		uint64_t	at = home(table, hash);
		uint64_t	slot;

		while ((slot = table->slots[at]) != NO_GROUP &&
			   (((slot ^ hash) & HASH_HALF) != 0 ||
				!same_keys(table, record(table, (uint32_t) slot - 1), keys, words)))
			at = (at + 1) & table->mask;
		if (slot != NO_GROUP)
			groups[i] = (uint32_t) slot - 1;
		else
		{
			if (!add_group(table, keys, &groups[i]))
				return ENGINE_NO_MEMORY;
			table->slots[at] = (hash & HASH_HALF) | (groups[i] + 1);
		}
	}
	return ENGINE_OK;
}

static EngineStatus
find_hashed(GroupTable *table, uint32_t n, uint32_t *groups)
{
	uint32_t	words = table->layout.ntexts == 0 ? table->layout.compared : 0;

	switch (words)
	{
		case 1:
			return find_words(table, n, groups, 1);
		case 2:
			return find_words(table, n, groups, 2);
		default:
			return find_words(table, n, groups, 0);
	}
}

/* Make a group of each of n packed keys, or, if there is no memory for all, of none. */
static EngineStatus
append_groups(GroupTable *table, uint32_t n, uint32_t *groups)
{
	uint32_t	ngroups = table->ngroups;

	for (uint32_t i = 0; i < n; i++)
		if (!add_group(table, table->packed + (size_t) i * table->layout.words, &groups[i]))
		{
			table->ngroups = ngroups;
			return ENGINE_NO_MEMORY;
		}
	return ENGINE_OK;
}

/* The only key of a packed row, sign-extended. */
static inline int64_t
single_key(const GroupTable *table, const uint64_t *packed)
{
	switch (table->layout.fields[0].type)
	{
#define NUMBER_INTEGER(ctype) (ctype) *packed
#define NUMBER_FLOAT(ctype) 0
#define NUMBER_BYTES(ctype) 0
#define NUMBER_WIDE(ctype) 0
#define NUMBER_TEXT(ctype) 0
#define TYPE(name, ctype, size, stored, class, ...) case VT_##name: return NUMBER_##class(ctype);
#include "program/types.def"
		case VT_COUNT:
			break;
	}
	return 0;
}

/* The smallest and the largest key of a batch; false if all are NULL. */
static bool
key_range(const GroupTable *table, uint32_t n, int64_t *min, int64_t *max)
{
	const KeyField *field = &table->layout.fields[0];
	bool		any = false;

	*min = INT64_MAX;
	*max = INT64_MIN;
	for (uint32_t i = 0; i < n; i++)
	{
		const uint64_t *packed = table->packed + (size_t) i * table->layout.words;
		int64_t		key = single_key(table, packed);

		if (keys_is_null(field, packed))
			continue;
		any = true;
		*min = key < *min ? key : *min;
		*max = key > *max ? key : *max;
	}
	return any;
}

/*
 * Give the direct map the places of keys min .. min + range - 1.  False: it would
 * leave too little for the groups, no memory, or interrupted.
 */
static bool
move_map(GroupTable *table, int64_t min, uint64_t range)
{
	uint32_t   *map = range * sizeof(uint32_t) > table->limit / MAP_SHARE ? NULL :
		table_calloc(table, range * sizeof(uint32_t));
	uint64_t	shift = (uint64_t) table->map_min - (uint64_t) min;

	if (map == NULL)
		return false;
	for (uint64_t i = 0; i < table->map_range && !interrupted_at(table, i); i += MOVED_AT_ONCE)
	{
		uint64_t	n = table->map_range - i;

		memcpy(map + shift + i, table->map + i,
			   (n < MOVED_AT_ONCE ? n : MOVED_AT_ONCE) * sizeof(uint32_t));
	}
	table_drop(table, table->map, table->map_range * sizeof(uint32_t));
	table->map = map;
	table->map_min = min;
	table->map_range = range;
	return true;
}

/* Let the direct map reach over min .. max too; false if it must not. */
static bool
widen_map(GroupTable *table, int64_t min, int64_t max)
{
	uint64_t	range;
	int64_t		spare;

	if (table->map_range > 0 && min >= table->map_min &&
		(uint64_t) max - (uint64_t) table->map_min < table->map_range)
		return true;
	table->key_min = min < table->key_min ? min : table->key_min;
	table->key_max = max > table->key_max ? max : table->key_max;
	range = (uint64_t) table->key_max - (uint64_t) table->key_min + 1;
	if (range == 0 || range > DIRECT_MAX_RANGE ||
		(range > DIRECT_FREE_RANGE && range > 4 * table->rows))
		return false;

	/* spare places at both ends: a range that creeps is not copied each time */
	spare = (int64_t) (range / 4);
	min = table->key_min > INT64_MIN + spare ? table->key_min - spare : table->key_min;
	if (table->map_range > 0 && table->map_min < min)
		min = table->map_min;
	max = table->key_max < INT64_MAX - spare ? table->key_max + spare : table->key_max;
	if (table->map_range > 0 && max < table->map_min + (int64_t) (table->map_range - 1))
		max = table->map_min + (int64_t) (table->map_range - 1);
	return move_map(table, min, (uint64_t) max - (uint64_t) min + 1);
}

/* Find or make the groups of n packed keys by the direct map. */
static EngineStatus
find_direct(GroupTable *table, uint32_t n, uint32_t *groups)
{
	const KeyField *field = &table->layout.fields[0];
	uint32_t	words = table->layout.words;

	for (uint32_t i = 0; i < n; i++)
	{
		const uint64_t *packed = table->packed + (size_t) i * words;
		uint32_t   *place = keys_is_null(field, packed) ? &table->null_group :
			&table->map[(uint64_t) single_key(table, packed) - (uint64_t) table->map_min];

		if (*place == NO_GROUP)
		{
			if (!add_group(table, packed, &groups[i]))
				return ENGINE_NO_MEMORY;
			*place = groups[i] + 1;
		}
		else
			groups[i] = *place - 1;
		prefetch_record(table, groups[i]);
	}
	return ENGINE_OK;
}

/* From now on the hash table alone leads to groups. */
static void
drop_map(GroupTable *table)
{
	table->direct = false;
	table_drop(table, table->map, table->map_range * sizeof(uint32_t));
	table->map = NULL;
	table->map_range = 0;
	table->null_group = NO_GROUP;
}

/* Is the direct map to be used for this batch?  Once not, never again. */
static bool
use_direct(GroupTable *table, uint32_t n)
{
	int64_t		min;
	int64_t		max;

	if (!table->direct)
		return false;
	if (key_range(table, n, &min, &max) && !widen_map(table, min, max))
	{
		drop_map(table);
	}
	return table->direct;
}

/* The group of each row by its key's value; UINT32_MAX: it has none yet. */
#define FIND_KNOWN(ctype) \
	do { \
		const ctype *values = vector->values; \
		for (uint32_t i = 0; i < n; i++) \
		{ \
			uint64_t	place = (uint64_t) (int64_t) values[rows[i]] - least; \
			bool		inside = place < range; \
			uint32_t	group = map[inside ? place : 0]; \
			group = inside ? group : NO_GROUP; \
			if (valid != NULL && !bit_is_set(valid, rows[i])) \
				group = table->null_group; \
			groups[i] = group - 1; \
			missing |= group == NO_GROUP; \
		} \
	} while (0)

/*
 * Find the groups of rows by the direct map without packing their keys, and which of the n have
 * none yet; the number of these.  Where a key is an error, that is all.
 */
static uint32_t
find_known(const GroupTable *table, const Evaluator *eval, const uint16_t *rows, uint32_t n,
		   uint32_t *groups, uint16_t *unknown)
{
	const Vector *vector;
	const uint32_t *map = table->map;
	uint64_t	least = (uint64_t) table->map_min;
	uint64_t	range = table->map_range;
	const uint64_t *valid;
	bool		missing = false;
	uint32_t	nunknown = 0;

	if (range == 0)
		return n;
	vector = eval_register(eval, table->layout.fields[0].reg);
	valid = vector->valid;
	if (vector->error != NULL)
		return n;
	switch (table->layout.fields[0].type)
	{
#define KNOWN_INTEGER(ctype) FIND_KNOWN(ctype)
#define KNOWN_FLOAT(ctype) return n
#define KNOWN_BYTES(ctype) return n
#define KNOWN_WIDE(ctype) return n
#define KNOWN_TEXT(ctype) return n
#define TYPE(name, ctype, size, stored, class, ...) case VT_##name: KNOWN_##class(ctype); break;
#include "program/types.def"
		case VT_COUNT:
			break;
	}
	for (uint32_t i = 0; missing && i < n; i++)
		if (groups[i] + 1 == NO_GROUP)
			unknown[nunknown++] = (uint16_t) i;
	return nunknown;
}

static EngineStatus
find_unknown(GroupTable *table, const Evaluator *eval, const uint16_t *rows, uint32_t n,
			 uint32_t *groups, char *message)
{
	if (table->layout.nfields > 0 &&
		!keys_pack(&table->layout, eval, rows, n, table->packed))
	{
		snprintf(message, 256, "a group's key would raise an error");
		return ENGINE_INEXACT;
	}
	return table_find_packed(table, n, groups, message);
}

EngineStatus
table_find(GroupTable *table, const Evaluator *eval, const uint16_t *rows,
		   uint32_t n, uint32_t *groups, char *message)
{
	uint16_t	unknown[CPU_BATCH];
	uint16_t	its_rows[CPU_BATCH];
	uint32_t	its_groups[CPU_BATCH];
	uint32_t	nunknown = find_known(table, eval, rows, n, groups, unknown);
	EngineStatus status = ENGINE_OK;

	if (nunknown == n)
		return find_unknown(table, eval, rows, n, groups, message);
	table->rows += n - nunknown;
	for (uint32_t i = 0; i < nunknown; i++)
		its_rows[i] = rows[unknown[i]];
	if (nunknown > 0)
		status = find_unknown(table, eval, its_rows, nunknown, its_groups, message);
	if (status != ENGINE_OK)
		return status;
	for (uint32_t i = 0; i < nunknown; i++)
		groups[unknown[i]] = its_groups[i];
	if ((uint64_t) table->ngroups * table->stride > CACHED_WORDS)
		for (uint32_t i = 0; i < n; i++)
			prefetch_record(table, groups[i]);
	return ENGINE_OK;
}

uint64_t *
table_packed(GroupTable *table)
{
	return table->packed;
}

EngineStatus
table_find_packed(GroupTable *table, uint32_t n, uint32_t *groups, char *message)
{
	EngineStatus status;

	table->rows += n;
	if (table->layout.nfields == 0)
	{
		memset(groups, 0, n * sizeof(uint32_t));
		return ENGINE_OK;
	}
	if (!reserve_records(table, n))
		status = ENGINE_NO_MEMORY;
	else if (table->hints.rows_differ)
		status = append_groups(table, n, groups);
	else if (use_direct(table, n))
		status = find_direct(table, n, groups);
	else if (!reserve_slots(table, n))
		status = ENGINE_NO_MEMORY;
	else
	{
		keys_hash(&table->layout, table->packed, n, table->hashes);
		status = find_hashed(table, n, groups);
	}
	if (table->interrupted)
	{
		snprintf(message, 256, INTERRUPTED_MESSAGE);
		return ENGINE_FAILED;
	}
	if (status == ENGINE_NO_MEMORY)
		snprintf(message, 256, "%u groups take more than the %llu MB allowed",
				 table->ngroups, (unsigned long long) (table->limit >> 20));
	return status;
}

GroupTable *
table_create(const Program *program, const EngineHints *hints, uint64_t limit)
{
	GroupTable *table = calloc(1, sizeof(GroupTable));

	if (table == NULL)
		return NULL;
	table->program = program;
	table->limit = limit;
	table->most = UINT32_MAX;
	table->hints = *hints;
	if (hints->rows > 0)		/* planners know of 1e100 rows */
		table->rows = hints->rows < MOST_ROWS ? (uint64_t) hints->rows : MOST_ROWS;
	table->first_slots = FIRST_SLOTS;
	while (table->first_slots < hints->groups * 2 &&
		   table->first_slots < MOST_FIRST_SLOTS &&
		   table->first_slots * sizeof(uint64_t) < limit / 16)
		table->first_slots *= 2;
	keys_layout(&table->layout, program);
	table->stride = table->layout.words + program->nwords;
	if (table->stride == 0)
		table->stride = 1;
	/* a record that is nearly a line of the cache is in one line, and not in two */
	if (table->stride > LINE_WORDS * 5 / 8 && table->stride < LINE_WORDS)
		table->stride = LINE_WORDS;
	table->key_min = INT64_MAX;
	table->key_max = INT64_MIN;
	table->direct = table->layout.nfields == 1 && value_is_integer(table->layout.fields[0].type);
	table->packed = calloc(CPU_BATCH, (table->layout.words + 1) * sizeof(uint64_t));
	table->fresh = calloc(program->nwords + 1, sizeof(uint64_t));
	if (!table->packed || !table->fresh)
	{
		table_free(table);
		return NULL;
	}
	state_init(program, table->fresh);
	if (program->nkeys == 0)
	{
		uint32_t	group;

		table->limit = UINT64_MAX;	/* there is nothing to do without this group */
		if (!reserve_records(table, 1) || !add_group(table, table->packed, &group))
		{
			table_free(table);
			return NULL;
		}
		table->limit = limit;
	}
	return table;
}

/* Give the texts' memory back. */
static void
drop_texts(GroupTable *table)
{
	while (table->arena != NULL)
	{
		Arena	   *next = table->arena->next;

		table_drop(table, table->arena, sizeof(Arena) + table->arena->size);
		table->arena = next;
	}
}

static void
drop_records(GroupTable *table)
{
	table_drop(table, table->records, table->room * table->stride * sizeof(uint64_t));
	table->records = NULL;
	table->room = 0;
}

static void
drop_slots(GroupTable *table)
{
	if (table->slots != NULL)
		table_drop(table, table->slots, (table->mask + 1) * sizeof(uint64_t));
	table->slots = NULL;
	table->mask = 0;
}

/* No slot has a group; there are as many as so many groups will need, or twice that. */
static void
empty_slots(GroupTable *table, uint64_t groups)
{
	uint64_t	nslots = table->slots ? table->mask + 1 : 0;
	uint64_t	most = table->limit / 4 / sizeof(uint64_t);

	table->first_slots = FIRST_SLOTS;
	while (table->first_slots < groups * 2 && table->first_slots * 2 <= most)
		table->first_slots *= 2;
	if (nslots == table->first_slots || nslots == table->first_slots * 2)
		memset(table->slots, 0, nslots * sizeof(uint64_t));
	else
		drop_slots(table);
}

void
table_empty(GroupTable *table, uint64_t groups)
{
	uint32_t	group;

	table->ngroups = 0;
	drop_texts(table);
	drop_map(table);
	empty_slots(table, groups);
	if (table->memory > table->limit)
	{
		drop_slots(table);
		if (table->layout.nfields > 0)
			drop_records(table);
	}
	if (table->layout.nfields == 0)
		(void) add_group(table, table->packed, &group); /* there is room for one */
}

void
table_release(GroupTable *table)
{
	uint64_t	limit = table->limit;

	table->limit = 0;
	table_empty(table, 0);
	table->limit = limit;
}

void
table_set_most(GroupTable *table, uint32_t groups)
{
	table->most = groups;
}

void
table_set_limit(GroupTable *table, uint64_t limit)
{
	table->limit = limit;
}

bool
table_is_over(const GroupTable *table)
{
	return table->memory > table->limit;
}

void
table_free(GroupTable *table)
{
	if (table == NULL)
		return;
	drop_texts(table);
	drop_records(table);
	drop_slots(table);
	drop_map(table);
	free(table->fresh);
	free(table->packed);
	free(table);
}

uint32_t
table_groups(const GroupTable *table)
{
	return table->ngroups;
}

uint64_t
table_memory(const GroupTable *table)
{
	return table->peak;
}

uint64_t
table_memory_held(const GroupTable *table)
{
	return table->memory;
}

const char *
table_strategy(const GroupTable *table)
{
	if (table->layout.nfields == 0)
		return "plain";
	if (table->hints.rows_differ)
		return "append";
	return table->direct ? "direct" : "hash";
}

const KeyLayout *
table_layout(const GroupTable *table)
{
	return &table->layout;
}

size_t
table_stride(const GroupTable *table)
{
	return table->stride;
}

uint64_t *
table_records(GroupTable *table, size_t *stride)
{
	*stride = table->stride;
	return table->records;
}

GroupRecords
table_complete(const GroupTable *table)
{
	return (GroupRecords)
	{
		.layout = &table->layout,.records = table->records,.stride = table->stride,
			.ngroups = table->ngroups
	};
}
