/*
 * spill.c
 *	  Groups out of a table into a GroupStore, and back, partition by partition.
 *
 * A table's groups are sorted by partition by counting, so that each partition's are
 * written in pieces as large as can be, and in their order: of the keys 0 and -0,
 * which are one, the group shows the one that came first, and so does a merged group
 * if a run's pieces are read in the order in which it wrote them.
 *
 * The leaves of a partition are those of a binary tree, by the bits of the hash
 * above the partition's, and are merged from left to right.  A leaf that does not fit
 * becomes an inner node.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/cpu/accumulate.h"
#include "engine/cpu/spill.h"
#include "program/state.h"

#define HASH_BITS 32			/* those that tables do not use for places */

/* A partition of more leaves is divided, into so many parts. */
#define MOST_LEAF_BITS 2
#define PART_BITS 5
#define NPARTS (1 << PART_BITS)

/* Groups that find their places in the table together. */
#define MERGED_AT_ONCE 128

/* Groups that are sorted, or written, between two looks for an interrupt. */
#define SORTED_AT_ONCE (UINT32_C(1) << 16)
#define WRITTEN_AT_ONCE (UINT32_C(1) << 14)

/* Groups that are fetched before they are written. */
#define PREFETCH 8

/* A piece in the making, unless one record is larger. */
typedef struct PartBuffer
{
	size_t		used;
	char		bytes[1 << 12];
} PartBuffer;

static EngineStatus
no_memory(char *message)
{
	snprintf(message, 256, "out of memory");
	return ENGINE_NO_MEMORY;
}

static EngineStatus
store_failed(const Spill *spill, char *message)
{
	snprintf(message, 256, "%s", spill->store->message);
	return ENGINE_NO_STORE;
}

static EngineStatus
interrupted(char *message)
{
	snprintf(message, 256, INTERRUPTED_MESSAGE);
	return ENGINE_FAILED;
}

/* Can states be inexact once they are merged, none of which is so by itself? */
static bool
merging_is_checked(const Program *program)
{
	for (int i = 0; i < program->naccs; i++)
	{
		AccForm		form = acc_form((AccKind) program_accs(program)[i].kind);

		if (form == FORM_INTERVAL || form == FORM_SIZE)
			return true;
	}
	return false;
}

/* Let there be n more partitions, whose groups have so many bits in common. */
static bool
add_partitions(Spill *spill, uint32_t n, int bits)
{
	Partition  *partitions = realloc(spill->partitions,
									 (spill->npartitions + n) * sizeof(Partition));

	if (partitions == NULL)
		return false;
	spill->partitions = partitions;
	for (uint32_t i = 0; i < n; i++)
		partitions[spill->npartitions++] = (Partition)
		{
			bits, false
		};
	return true;
}

Spill *
spill_create(const Program *program, const EngineHints *hints, uint64_t limit,
			 GroupTable *table, Statistics *statistics)
{
	Spill	   *spill = calloc(1, sizeof(Spill));

	if (spill == NULL)
		return NULL;
	spill->program = program;
	spill->hints = *hints;
	spill->limit = limit;
	spill->store = hints->store;
	spill->suspect = merging_is_checked(program);
	spill->statistics = statistics;
	spill->at_once = MERGED_AT_ONCE;
	records_format(&spill->format, program, table_layout(table), table_stride(table));
	if (!group_parts_create(&spill->group, &spill->format))
	{
		spill_free(spill);
		return NULL;
	}
	spill->starts = calloc(spill->store->npartitions + 1, sizeof(uint32_t));
	if (spill->starts != NULL &&
		add_partitions(spill, spill->store->npartitions,
					   __builtin_ctz(spill->store->npartitions)))
		return spill;
	spill_free(spill);
	return NULL;
}

void
spill_trim(Spill *spill)
{
	free(spill->piece);
	free(spill->order);
	free(spill->places);
	free(spill->copies.words);
	free(spill->kept);
	free(spill->kept_copies.words);
	spill->piece = NULL;
	spill->room = 0;
	spill->order = NULL;
	spill->places = NULL;
	spill->groups_room = 0;
	spill->kept = NULL;
	spill->copies = spill->kept_copies = (RecordCopies)
	{
		0
	};
}

void
spill_free(Spill *spill)
{
	if (spill == NULL)
		return;
	spill_trim(spill);
	group_parts_free(&spill->group);
	free(spill->parts);
	free(spill->starts);
	free(spill->partitions);
	free(spill);
}

uint64_t
spill_memory(const Spill *spill)
{
	return spill->room + spill->copies.room + spill->npartitions * sizeof(Partition) +
		spill->groups_room * (sizeof(*spill->order) + sizeof(*spill->places));
}

/* Room to sort so many groups. */
static bool
reserve_order(Spill *spill, uint32_t ngroups)
{
	if (ngroups <= spill->groups_room)
		return true;
	free(spill->order);
	free(spill->places);
	spill->order = malloc(ngroups * sizeof(*spill->order));
	spill->places = malloc(ngroups * sizeof(*spill->places));
	spill->groups_room = spill->order && spill->places ? ngroups : 0;
	return spill->groups_room > 0;
}

static inline uint64_t
group_hash(const Spill *spill, const uint64_t *group)
{
	uint64_t	hash;

	keys_hash(spill->format.layout, group, 1, &hash);
	return hash;
}

/* Find the partitions of n groups, from the first on, and count them in starts. */
static void
find_places(Spill *spill, const GroupRecords *groups, uint32_t first, uint32_t n)
{
	uint32_t	mask = spill->store->npartitions - 1;

	for (uint32_t i = first; i < first + n; i++)
	{
		uint64_t	hash = group_hash(spill, groups->records + i * groups->stride);

		spill->places[i] = (uint16_t) (hash & mask);
		spill->starts[spill->places[i]]++;
	}
	spill->suspect = spill->suspect ||
		states_are_inexact(spill->program,
						   groups->records + first * groups->stride + groups->layout->words,
						   groups->stride, n) != NULL;
}

/* Sort groups by their partitions; starts[p] is the end of p's.  False: interrupted. */
static bool
sort_groups(Spill *spill, const GroupRecords *groups)
{
	uint32_t	start = 0;

	memset(spill->starts, 0, spill->store->npartitions * sizeof(uint32_t));
	for (uint32_t i = 0; i < groups->ngroups; i += SORTED_AT_ONCE)
	{
		uint32_t	left = groups->ngroups - i;

		if (engine_interrupted(&spill->hints))
			return false;
		find_places(spill, groups, i, left < SORTED_AT_ONCE ? left : SORTED_AT_ONCE);
	}
	for (uint32_t p = 0; p < spill->store->npartitions; p++)
	{
		uint32_t	count = spill->starts[p];

		spill->starts[p] = start;
		start += count;
	}
	for (uint32_t i = 0; i < groups->ngroups; i++)
	{
		if (i % SORTED_AT_ONCE == 0 && engine_interrupted(&spill->hints))
			return false;
		spill->order[spill->starts[spill->places[i]]++] = i;
	}
	return true;
}

/* Let the piece have room for so many bytes, beyond the `used` ones. */
static bool
reserve_piece(Spill *spill, size_t used, size_t size)
{
	size_t		room = used + size > GROUPS_PIECE ? used + size : GROUPS_PIECE;
	char	   *piece;

	if (room <= spill->room)
		return true;
	piece = realloc(spill->piece, room);
	if (piece == NULL)
		return false;
	spill->piece = piece;
	spill->room = room;
	return true;
}

/* Let a group be fetched, which can lie in two lines of the cache. */
static inline void
prefetch_group(const GroupRecords *groups, uint32_t number)
{
	const uint64_t *group = groups->records + number * groups->stride;

	__builtin_prefetch(group);
	__builtin_prefetch(group + groups->stride - 1);
}

/* Add a record to the piece, which leaves for the store when it is full. */
static EngineStatus
write_record(Spill *spill, const uint64_t *record, uint32_t partition, size_t *used, char *message)
{
	GroupStore *store = spill->store;
	size_t		size = record_size(&spill->format, record);

	if (*used > 0 && *used + size > GROUPS_PIECE)
	{
		if (!store->write(store, partition, spill->piece, *used))
			return store_failed(spill, message);
		*used = 0;
	}
	if (!reserve_piece(spill, *used, size))
		return no_memory(message);
	(void) record_write(&spill->format, record, spill->piece + *used);
	*used += size;
	return ENGINE_OK;
}

/* The same of a group, which may take several if it is not whole. */
static EngineStatus
write_group(Spill *spill, const uint64_t *group, bool whole, uint32_t partition, size_t *used,
			char *message)
{
	EngineStatus status = ENGINE_OK;
	const uint64_t *part;

	if (spill->format.nlists == 0 || whole)
		return write_record(spill, group, partition, used, message);
	group_parts_begin(&spill->group, group);
	while (status == ENGINE_OK && (part = group_parts_next(&spill->group)) != NULL)
		status = write_record(spill, part, partition, used, message);
	return status;
}

/*
 * Write n groups into a partition; order: their numbers, or NULL: from the first on.  whole: a
 * group is one record, however many values it has.
 */
static EngineStatus
write_groups(Spill *spill, const GroupRecords *groups, const uint32_t *order, uint32_t n,
			 bool whole, uint32_t partition, char *message)
{
	GroupStore *store = spill->store;
	size_t		used = 0;

	for (uint32_t i = 0; i < n; i++)
	{
		EngineStatus status;

		if (order && i + PREFETCH < n)
			prefetch_group(groups, order[i + PREFETCH]);
		status = write_group(spill, groups->records + (order ? order[i] : i) * groups->stride,
							 whole, partition, &used, message);
		if (status != ENGINE_OK)
			return status;
		if (i % WRITTEN_AT_ONCE == 0 && engine_interrupted(&spill->hints))
			return interrupted(message);
	}
	if (used > 0 && !store->write(store, partition, spill->piece, used))
		return store_failed(spill, message);
	return ENGINE_OK;
}

EngineStatus
spill_groups(Spill *spill, GroupTable *table, char *message)
{
	GroupRecords groups = table_complete(table);
	uint32_t	start = 0;
	EngineStatus status = ENGINE_OK;

	if (groups.ngroups == 0)
		return ENGINE_OK;
	if (!reserve_order(spill, groups.ngroups))
		return no_memory(message);
	if (!sort_groups(spill, &groups))
		return interrupted(message);
	for (uint32_t p = 0; p < spill->store->npartitions && status == ENGINE_OK; p++)
	{
		status = write_groups(spill, &groups, spill->order + start,
							  spill->starts[p] - start, false, p, message);
		start = spill->starts[p];
	}
	spill->records += groups.ngroups;
	return status;
}

EngineStatus
spill_into(Spill *spill, GroupTable *table, uint32_t partition, char *message)
{
	GroupRecords groups = table_complete(table);

	return write_groups(spill, &groups, NULL, groups.ngroups, true, partition, message);
}

EngineStatus
spill_rewind(Spill *spill, uint32_t partition, char *message)
{
	if (spill->store->rewind(spill->store, partition))
		return ENGINE_OK;
	return store_failed(spill, message);
}

EngineStatus
spill_read(Spill *spill, uint32_t partition, GroupRecords *groups, char *message)
{
	const void *piece = NULL;
	size_t		size = 0;

	groups->ngroups = 0;
	if (engine_interrupted(&spill->hints))
		return interrupted(message);
	if (!spill->store->read(spill->store, partition, &piece, &size))
		return store_failed(spill, message);
	spill->read = piece;
	spill->read_size = size;
	if (size > 0 && !records_read(&spill->format, piece, size, &spill->copies, groups))
		return no_memory(message);
	return ENGINE_OK;
}

bool
spill_keep(Spill *spill, GroupRecords *groups)
{
	free(spill->kept);
	spill->kept = malloc(spill->read_size);
	if (spill->kept == NULL)
		return false;
	memcpy(spill->kept, spill->read, spill->read_size);
	return records_read(&spill->format, spill->kept, spill->read_size, &spill->kept_copies, groups);
}

/* Of n groups of a partition, those that belong to the leaf; their number. */
static uint32_t
choose_groups(const Spill *spill, uint32_t partition, const GroupRecords *groups,
			  uint32_t first, uint32_t n, const uint64_t **chosen)
{
	int			bits = spill->partitions[partition].bits;
	uint64_t	mask = ((UINT64_C(1) << spill->leaf_bits) - 1) << bits;
	uint64_t	leaf = spill->leaf << bits;
	uint32_t	nchosen = 0;

	for (uint32_t i = first; i < first + n; i++)
	{
		chosen[nchosen] = groups->records + i * groups->stride;
		nchosen += mask == 0 || (group_hash(spill, chosen[nchosen]) & mask) == leaf;
	}
	return nchosen;
}

/* Merge n groups into the table. */
static EngineStatus
merge_groups(const Spill *spill, GroupTable *table, const uint64_t *const *from, uint32_t n,
			 char *message)
{
	uint32_t	words = spill->format.layout->words;
	uint64_t   *packed = table_packed(table);
	uint32_t	groups[MERGED_AT_ONCE];
	size_t		stride;
	uint64_t   *records;
	EngineStatus status;

	for (uint32_t i = 0; i < n; i++)
		memcpy(packed + i * words, from[i], words * sizeof(uint64_t));
	status = table_find_packed(table, n, groups, message);
	if (status != ENGINE_OK)
		return status;
	records = table_records(table, &stride);
	for (uint32_t i = 0; i < n; i++)
		if (!merge_state(spill->program, table, records + groups[i] * stride + words,
						 from[i] + words, !spill->leaves_values))
			return ENGINE_NO_MEMORY;
	return ENGINE_OK;
}

/* Merge those of a piece's groups that belong to the leaf. */
static EngineStatus
merge_piece(const Spill *spill, GroupTable *table, uint32_t partition,
			const GroupRecords *groups, char *message)
{
	const uint64_t *chosen[MERGED_AT_ONCE];
	EngineStatus status = ENGINE_OK;

	for (uint32_t first = 0; first < groups->ngroups && status == ENGINE_OK;
		 first += spill->at_once)
	{
		uint32_t	left = groups->ngroups - first;
		uint32_t	n = choose_groups(spill, partition, groups, first,
									  left < spill->at_once ? left : spill->at_once, chosen);

		status = merge_groups(spill, table, chosen, n, message);
	}
	return status;
}

/* Merge the leaf; NO_MEMORY: it does not fit. */
static EngineStatus
merge_leaf(Spill *spill, GroupTable *table, uint32_t partition, char *message)
{
	GroupRecords groups;
	EngineStatus status = spill_rewind(spill, partition, message);

	table_empty(table, spill->records >> (spill->partitions[partition].bits + spill->leaf_bits));
	while (status == ENGINE_OK)
	{
		status = spill_read(spill, partition, &groups, message);
		if (status != ENGINE_OK || groups.ngroups == 0)
			break;
		status = merge_piece(spill, table, partition, &groups, message);
	}
	return status;
}

/*
 * Let merging the leaf take less memory.  False: it cannot, for it is a single group,
 * whatever its size.
 */
static bool
split_leaf(Spill *spill, const GroupTable *table, uint32_t partition)
{
	if (table_groups(table) == 0 && spill->at_once > 1)
	{
		spill->at_once = 1;
		return true;
	}
	if (spill->format.layout->nfields == 0 || table_groups(table) <= 1 ||
		spill->partitions[partition].bits + spill->leaf_bits >= HASH_BITS)
		return false;
	spill->leaf_bits++;
	return true;
}

/* Write the piece of a part; `first` is the number of the first part. */
static EngineStatus
flush_part(Spill *spill, uint32_t first, uint32_t part, char *message)
{
	PartBuffer *buffer = &spill->parts[part];
	size_t		used = buffer->used;

	buffer->used = 0;
	if (used > 0 && !spill->store->write(spill->store, first + part, buffer->bytes, used))
		return store_failed(spill, message);
	return ENGINE_OK;
}

static EngineStatus
add_to_part(Spill *spill, uint32_t first, uint32_t part, const uint64_t *group, char *message)
{
	PartBuffer *buffer = &spill->parts[part];
	size_t		size = record_size(&spill->format, group);
	EngineStatus status = ENGINE_OK;

	if (buffer->used + size > sizeof(buffer->bytes))
		status = flush_part(spill, first, part, message);
	if (status == ENGINE_OK && size > sizeof(buffer->bytes))
	{
		GroupRecords one = {spill->format.layout, group, spill->format.stride, 1};

		return write_groups(spill, &one, NULL, 1, false, first + part, message);
	}
	if (status == ENGINE_OK)
	{
		(void) record_write(&spill->format, group, buffer->bytes + buffer->used);
		buffer->used += size;
	}
	return status;
}

/* A piece's groups into the parts that the next bits of their hash name. */
static EngineStatus
divide_piece(Spill *spill, uint32_t first, int bits, const GroupRecords *groups, char *message)
{
	EngineStatus status = ENGINE_OK;

	for (uint32_t i = 0; i < groups->ngroups && status == ENGINE_OK; i++)
	{
		const uint64_t *group = groups->records + i * groups->stride;

		status = add_to_part(spill, first, (group_hash(spill, group) >> bits) & (NPARTS - 1),
							 group, message);
	}
	return status;
}

/* A partition's groups into new partitions. */
static EngineStatus
write_parts(Spill *spill, uint32_t partition, char *message)
{
	uint32_t	first = spill->npartitions;
	int			bits = spill->partitions[partition].bits;
	GroupRecords groups = {.ngroups = 1};
	EngineStatus status;

	spill->parts = calloc(NPARTS, sizeof(PartBuffer));
	if (spill->parts == NULL || !add_partitions(spill, NPARTS, bits + PART_BITS))
		return no_memory(message);
	status = spill_rewind(spill, partition, message);
	while (status == ENGINE_OK && groups.ngroups > 0)
	{
		status = spill_read(spill, partition, &groups, message);
		if (status == ENGINE_OK)
			status = divide_piece(spill, first, bits, &groups, message);
	}
	for (uint32_t i = 0; i < NPARTS && status == ENGINE_OK; i++)
		status = flush_part(spill, first, i, message);
	free(spill->parts);
	spill->parts = NULL;
	return status;
}

/*
 * Divide a partition, and let the leaf be its only one.  If the store has no room for that,
 * the partition stays as it is, and so do later ones: groups may have been given already.
 */
static EngineStatus
divide(Spill *spill, uint32_t partition, char *message)
{
	uint32_t	npartitions = spill->npartitions;
	EngineStatus status = write_parts(spill, partition, message);

	if (status == ENGINE_NO_STORE)
	{
		spill->npartitions = npartitions;
		spill->full = true;
	}
	else
	{
		spill->partitions[partition].divided = true;
		spill_first_leaf(spill);
	}
	return status;
}

/* Is the leaf, which does not fit, one of so many that the partition is to be divided? */
static bool
must_divide(const Spill *spill, uint32_t partition)
{
	return spill->store->grows && !spill->full && spill->leaf_bits == MOST_LEAF_BITS && spill->leaf == 0 &&
		spill->partitions[partition].bits + PART_BITS <= HASH_BITS;
}

static EngineStatus
rewind_stored_values(ValueSource *source, char *message)
{
	StoredValues *stored = (StoredValues *) source;

	stored->piece.ngroups = 0;
	stored->next = 0;
	return spill_rewind(stored->spill, stored->partition, message);
}

/* Those of the group's next record that has any. */
static EngineStatus
next_stored_values(ValueSource *source, ListPiece *piece, char *message)
{
	StoredValues *stored = (StoredValues *) source;
	const KeyLayout *layout = stored->spill->format.layout;
	EngineStatus status = ENGINE_OK;

	piece->n = 0;
	while (piece->n == 0)
	{
		const uint64_t *record;

		if (stored->next == stored->piece.ngroups)
		{
			stored->next = 0;
			status = spill_read(stored->spill, stored->partition, &stored->piece, message);
			if (status != ENGINE_OK || stored->piece.ngroups == 0)
				break;
		}
		record = stored->piece.records + stored->next++ * stored->piece.stride;
		if (keys_equal(layout, record, source->group))
		{
			ListWalk	walk;

			list_walk(&walk, record + layout->words + source->word);
			*piece = list_next(&walk);
		}
	}
	return status;
}

void
spill_values(Spill *spill, uint32_t partition, StoredValues *values)
{
	*values = (StoredValues)
	{
		.source = {.rewind = rewind_stored_values,.next = next_stored_values},
			.spill = spill,
			.partition = partition
	};
}

/* The groups of the leaf are complete: read their statistics from their values. */
static EngineStatus
read_statistics(Spill *spill, GroupTable *table, uint32_t partition, char *message)
{
	StoredValues stored;

	spill_values(spill, partition, &stored);
	return statistics_read(spill->statistics, table, &stored.source, message);
}

EngineStatus
spill_merge(Spill *spill, GroupTable *table, uint32_t partition, char *message)
{
	EngineStatus status;

	while ((status = merge_leaf(spill, table, partition, message)) == ENGINE_NO_MEMORY)
	{
		if (must_divide(spill, partition))
		{
			table_empty(table, 0);
			status = divide(spill, partition, message);
			if (status == ENGINE_NO_STORE)
				continue;
			return status;
		}
		if (!split_leaf(spill, table, partition))
			break;
	}
	if (status == ENGINE_NO_MEMORY)
	{
		table_set_limit(table, UINT64_MAX);
		spill->leaves_values = true;
		status = merge_leaf(spill, table, partition, message);
		spill->leaves_values = false;
		spill->is_held |= program_gives_values(spill->program);
	}
	if (status == ENGINE_OK && spill->statistics != NULL)
		status = read_statistics(spill, table, partition, message);
	table_set_limit(table, spill->limit);
	return status == ENGINE_NO_MEMORY ? no_memory(message) : status;
}

void
spill_first_leaf(Spill *spill)
{
	spill->leaf = 0;
	spill->leaf_bits = 0;
	spill->is_held = false;
}

/* A leaf's bits are those of the path to it, the root's lowest: left 0, right 1. */
bool
spill_next_leaf(Spill *spill)
{
	while (spill->leaf_bits > 0)
	{
		uint64_t	last = UINT64_C(1) << (spill->leaf_bits - 1);

		if ((spill->leaf & last) == 0)
		{
			spill->leaf |= last;
			return true;
		}
		spill->leaf &= ~last;
		spill->leaf_bits--;
	}
	return false;
}

void
spill_release(Spill *spill, uint32_t partition)
{
	bool		last = spill->leaf == (UINT64_C(1) << spill->leaf_bits) - 1;

	if (last && !spill->is_held && spill->store->release != NULL)
		spill->store->release(spill->store, partition);
}
