/*
 * spill.h
 *	  Groups out of a table into a GroupStore, and back, partition by partition.
 *
 * Groups leave a table all at once, each into the partition that the lowest bits
 * of its keys' hash name: the table finds places by higher ones.  A partition can hold
 * several records of a group, from several tables.  They are merged in
 * a table that holds one leaf at a time: the whole partition or, if that takes more
 * than the memory allowed, those of its groups that agree in some more bits of
 * the hash.  A leaf of one group whose list of values does not fit leaves the values in the
 * store, from where its statistics are read, and which the caller of the engine reads if the list
 * is to be given.  The partition is read once for each of its leaves.  If these would be many,
 * and the store grows, the partition is divided: its records go into new partitions, by
 * more bits of the hash.
 */
#ifndef GPUAGG_SPILL_H
#define GPUAGG_SPILL_H

#include "engine/cpu/records.h"
#include "engine/cpu/statistics.h"
#include "engine/cpu/table.h"

/* A partition of the store, the number being its index. */
typedef struct Partition
{
	int			bits;			/* so many of the hash are those of all its groups */
	bool		divided;		/* the groups are in others now */
} Partition;

typedef struct Spill
{
	const Program *program;
	EngineHints hints;
	uint64_t	limit;			/* bytes that a table may take */
	GroupStore *store;
	RecordFormat format;
	uint64_t	records;		/* written into partitions */
	bool		suspect;		/* merged states may be inexact */
	Statistics *statistics;		/* the run's; NULL: there are no lists of values */

	/* writing */
	char	   *piece;
	size_t		room;
	GroupParts	group;			/* that is being written */
	uint32_t   *order;			/* groups, by their partitions */
	uint16_t   *places;			/* by group: its partition */
	uint32_t   *starts;			/* by partition: where its groups begin in order */
	uint32_t	groups_room;

	/* reading */
	Partition  *partitions;
	uint32_t	npartitions;	/* those that the store began with, and later ones */
	struct PartBuffer *parts;	/* pieces in the making, while a partition is divided */
	bool		full;			/* the store has no room for parts: none is divided any more */
	RecordCopies copies;
	uint64_t	leaf;			/* these bits of the hash, above the partition's, */
	int			leaf_bits;		/* so many, are those of the leaf's groups */
	uint32_t	at_once;		/* records that are merged together */
	bool		leaves_values;	/* merging leaves the values of lists in the store */
	bool		is_held;		/* a leaf of the partition has left values there that are given */
	const void *read;			/* the piece that was read last, */
	size_t		read_size;		/* and its bytes */
	void	   *kept;			/* a copy of one that is used while others are read, */
	RecordCopies kept_copies;	/* with the addresses of its own */
} Spill;

/* The values that a group has left in the store. */
typedef struct StoredValues
{
	ValueSource source;
	Spill	   *spill;
	uint32_t	partition;
	GroupRecords piece;
	uint32_t	next;			/* of its records */
} StoredValues;

/* NULL: no memory.  The table's layout, and statistics, which may be NULL, must outlive it. */
extern Spill *spill_create(const Program *program, const EngineHints *hints,
						   uint64_t limit, GroupTable *table, Statistics *statistics);
extern void spill_free(Spill *spill);
extern uint64_t spill_memory(const Spill *spill);	/* bytes */

/* Give back what writing has taken, and reading, unless groups are being read. */
extern void spill_trim(Spill *spill);

/*
 * Write a table's groups into their partitions, or into a given one.  FAILED: interrupted.
 * The reason is in message (256 bytes), here and below.
 */
extern EngineStatus spill_groups(Spill *spill, GroupTable *table, char *message);
extern EngineStatus spill_into(Spill *spill, GroupTable *table, uint32_t partition,
							   char *message);

/*
 * Begin with a partition's first leaf; make a table have the groups of a leaf, and no
 * others; go on to the next leaf, false: that was the last one.  Merging the first leaf
 * may divide the partition instead: then the table is empty, and that was all.  A store that
 * cannot be written to any more fails no merging.
 */
extern void spill_first_leaf(Spill *spill);
extern EngineStatus spill_merge(Spill *spill, GroupTable *table, uint32_t partition,
								char *message);
extern bool spill_next_leaf(Spill *spill);

/*
 * The leaf has been merged: if it is the last one, the partition is not read any more, unless a
 * leaf has left values there that are given.
 */
extern void spill_release(Spill *spill, uint32_t partition);

/*
 * The groups of a partition's next piece, as they were written; none after the last.
 * Valid until the next call.
 */
extern EngineStatus spill_rewind(Spill *spill, uint32_t partition, char *message);
extern EngineStatus spill_read(Spill *spill, uint32_t partition, GroupRecords *groups,
							   char *message);

/* Let the groups that were read last stay until the next ones that are kept; false: no memory. */
extern bool spill_keep(Spill *spill, GroupRecords *groups);

/* The values that groups have left in a partition; the caller sets the source's group and word. */
extern void spill_values(Spill *spill, uint32_t partition, StoredValues *values);

#endif							/* GPUAGG_SPILL_H */
