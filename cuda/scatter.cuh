/*
 * scatter.cuh
 *	  Strategy `scatter`: rows are partitioned by their groups first, so that a block's
 *	  table in shared memory holds all groups of its rows.
 *
 * The modern form of G-Atom's atomicSS.  A partition has the keys of neighbouring slots
 * of the group table: by direct addressing a range of values, else of hashes.  So its
 * groups lie together in device memory, too, and what has no room in shared memory
 * meets the group table in one small part of it.
 *
 * scatter_count: how many rows that pass each partition has.  scatter_starts: where they
 * begin.  scatter_move: the columns of these rows to the partitions' places; where there
 * are more than SCATTER_MAX_BINS partitions, to bins of several partitions first, and
 * then from these.  Up to SCATTER_MAX_COUNTED partitions are counted before the first
 * pass, and scatter_bins adds them up; of more, each pass counts its own bins.
 *
 * scatter_move takes a tile's columns through shared memory: as soon as a column is written
 * that of the next tile begins to come in its place.  Rows of a partition are in no order,
 * so a row's rank in its tile is what an atomic in shared memory gives.  A block reserves
 * room for a tile's rows in each bin by one atomic.  Rows of one bin are written by
 * neighbouring lanes.
 *
 * scatter_aggregate: units of rows of one partition each (scatter_units), by the tiles and
 * private tables of strategy `block` (block.cuh), merged into the group table at the end.
 * A large partition has several units.  A key's group is looked for in the group table at
 * the end only.  If there is no room for it, the unit's rows are looked at once more, and
 * those that are in its state are undone ones.
 *
 * Kernel `aggregate` is that of strategy `atomic`: for undone rows, and for batches that
 * are not worth it, or that there is no memory to partition.
 */
#ifndef GPUAGG_SCATTER_CUH
#define GPUAGG_SCATTER_CUH

#include "copy.cuh"
#include "prefix.cuh"

#define aggregate_scatter aggregate_atomic
#define aggregate_scatter_twice aggregate_atomic

/* No row, or one that does not pass. */
#define SCATTER_NONE UINT32_MAX

/* Times BLOCK_ROWS rows of a thread that are counted at once. */
#define SCATTER_COUNTS 2

/* Rows of a tile. */
#define SCATTER_TILE (SCATTER_ROWS * SCATTER_THREADS)

/* A row's bin, and its rank there or its number in the tile, in one word. */
#define SCATTER_BIN_SHIFT 16
#define SCATTER_ROW_MASK ((1u << SCATTER_BIN_SHIFT) - 1)

/* The partition of a key.  Keys out of direct addressing's reach are in the last one. */
DEVICE_FN uint32_t
scatter_partition(const ScatterArgs *args, const uint64_t *key)
{
	uint32_t	capacity = args->rows.table.capacity;

#if TABLE_DIRECT
	uint32_t	slot = key[0] < capacity ? (uint32_t) key[0] : capacity - 1;

	return slot == 0 ? 0 : (slot - 1) >> args->shift;
#else
	uint32_t	slot = (uint32_t) key_hash(key) & (capacity - 1);

	return (uint32_t) ((uint64_t) (slot << args->shift) * args->npartitions >> 32);
#endif
}

/*
 * The partition of a row that passes, or SCATTER_NONE.  *error: the filter's, which rows
 * that do not pass may have.
 */
DEVICE_FN uint32_t
scatter_row(const ScatterArgs *args, const Raw *raw, uint32_t index, bool *error)
{
	Row			row;

	row_eval(&args->rows, raw, index, &row);
	*error |= row.error && !row.passes;
	return row.passes ? scatter_partition(args, row.key) : SCATTER_NONE;
}

/*
 * A tile of the batch's rows as they come, or a unit of those of a bin; false: there is
 * none.
 */
DEVICE_FN bool
scatter_tile(const ScatterArgs *args, uint32_t number, ScatterUnit *unit)
{
	uint64_t	from = (uint64_t) number * SCATTER_TILE;

	if (args->units != NULL)
	{
		if (number >= args->counters->made)
			return false;
		*unit = args->units[number];
		return true;
	}
	if (from >= args->rows.batch.nrows)
		return false;
	unit->partition = 0;
	unit->from = (uint32_t) from;
	unit->to = args->rows.batch.nrows - from < SCATTER_TILE ? (uint32_t) args->rows.batch.nrows :
		(uint32_t) from + SCATTER_TILE;
	return true;
}

/* Count the thread's rows from `first` on, of which not all may be there. */
DEVICE_FN void
scatter_count_rows(const ScatterArgs *args, const ScatterUnit *unit, uint64_t first, Raw *raw,
				   uint32_t *counts, bool *error)
{
	bool		whole = first + BLOCK_ROWS <= unit->to;

	PRAGMA_UNROLL
	for (uint32_t i = 0; i < BLOCK_ROWS; i++)
	{
		uint32_t	partition = SCATTER_NONE;

		if (!whole && first + i < unit->to)
			row_load(&args->rows.batch, first + i, &raw[i]);
		if (whole || first + i < unit->to)
			partition = scatter_row(args, &raw[i], (uint32_t) first + i, error);
		if (partition != SCATTER_NONE)
			atomic_add_u32_noreturn(&counts[(partition - unit->partition) >> args->bin_shift],
									1);
	}
}

/* Count a unit's rows from `first` on, every step-th of BLOCK_ROWS. */
DEVICE_FN void
scatter_count_unit(const ScatterArgs *args, const ScatterUnit *unit, uint64_t first,
				   uint64_t step, uint32_t *counts, bool *error)
{
	PRAGMA_NO_UNROLL
	for (; first < unit->to; first += SCATTER_COUNTS * step)
	{
		Raw			raw[SCATTER_COUNTS][BLOCK_ROWS];

		PRAGMA_UNROLL
		for (uint32_t i = 0; i < SCATTER_COUNTS; i++)
		{
			TilePlace	tile = tile_place(&args->rows.batch, first + i * step);

			if (first + i * step + BLOCK_ROWS <= unit->to)
				(void) rows_load_tile(&args->rows.batch, &tile, raw[i]);
		}
		PRAGMA_UNROLL
		for (uint32_t i = 0; i < SCATTER_COUNTS; i++)
			scatter_count_rows(args, unit, first + i * step, raw[i], counts, error);
	}
}

/* Rows of each bin: counted in shared memory, then added to all blocks' counts. */
KERNEL_BOUNDS(scatter_count, ScatterArgs, args, SCATTER_THREADS, SCATTER_COUNT_BLOCKS)
{
	DYNAMIC_SHARED(uint32_t, counts);
	ScatterUnit unit = {0, 0, (uint32_t) args.rows.batch.nrows, 0};
	uint32_t	number = blockIdx.x;
	bool		error = false;

	while (args.units == NULL || scatter_tile(&args, number, &unit))
	{
		for (uint32_t i = threadIdx.x; i < args.nbins; i += blockDim.x)
			counts[i] = 0;
		block_sync();
		if (args.units == NULL)
			scatter_count_unit(&args, &unit, grid_index() * BLOCK_ROWS,
							   grid_size() * BLOCK_ROWS, counts, &error);
		else
			scatter_count_unit(&args, &unit, unit.from + threadIdx.x * BLOCK_ROWS,
							   blockDim.x * BLOCK_ROWS, counts, &error);
		block_sync();
		for (uint32_t i = threadIdx.x; i < args.nbins; i += blockDim.x)
			if (counts[i] > 0)
				atomic_add_u32_noreturn(&args.counts[(unit.partition >> args.bin_shift) + i],
										counts[i]);
		if (args.units == NULL)
			break;
		block_sync();
		number += gridDim.x;
	}
	if (error)
		atomic_or_u32(&args.rows.counters->errors, ERROR_INEXACT);
}

/* Rows of each bin of several partitions, from those of these: a warp a bin. */
KERNEL(scatter_bins, ScatterArgs, args)
{
	for (uint32_t bin = (uint32_t) (grid_index() / WARP_SIZE); bin < args.nbins;
		 bin += (uint32_t) (grid_size() / WARP_SIZE))
	{
		uint32_t	first = bin << args.bin_shift;
		uint32_t	rows = 0;

		for (uint32_t i = lane_index(); i < 1u << args.bin_shift; i += WARP_SIZE)
			rows += args.parts[first + i];
		rows = warp_reduce_add_u32(FULL_MASK, rows);
		if (lane_index() == 0)
			args.counts[bin] = rows;
	}
}

/* Room for a bin's rows, such that each of its partitions' begin at a SCATTER_ALIGN. */
DEVICE_FN uint32_t
scatter_room(const ScatterArgs *args, uint32_t rows)
{
	return (rows + ((SCATTER_ALIGN - 1) << args->bin_shift)) / SCATTER_ALIGN * SCATTER_ALIGN;
}

/* Where the rows of each bin begin: a block for those of a range. */
DEVICE_FN void
scatter_range(const ScatterArgs *args, uint32_t range)
{
	uint32_t	first = range * args->nbins;
	uint32_t	each = (args->nbins + blockDim.x - 1) / blockDim.x;
	uint32_t	from = threadIdx.x * each;
	uint32_t	rows = 0;
	uint32_t	total;

	for (uint32_t i = from; i < from + each && i < args->nbins; i++)
		rows += scatter_room(args, args->counts[first + i]);
	rows = block_prefix_sum(rows, &total);
	if (args->ranges != NULL)
		rows += args->ranges[range];
	for (uint32_t i = from; i < from + each && i < args->nbins; i++)
	{
		args->starts[first + i] = args->cursors[first + i] = rows;
		rows += scatter_room(args, args->counts[first + i]);
	}
}

KERNEL_BOUNDS(scatter_starts, ScatterArgs, args, SCATTER_THREADS, 1)
{
	for (uint32_t range = blockIdx.x; range < args.nranges; range += gridDim.x)
		scatter_range(&args, range);
}

/* Write the units of a bin, before which there are `place` others: all lanes of a warp. */
DEVICE_FN void
scatter_write_units(const ScatterArgs *args, uint32_t bin, uint32_t rows, uint32_t place)
{
	uint32_t	nunits = rows / args->unit_rows + (rows % args->unit_rows > 0);
	uint32_t	start = nunits > 0 ? args->starts[bin] : 0;

	for (uint32_t i = lane_index(); i < nunits; i += WARP_SIZE)
	{
		ScatterUnit *unit = &args->units[place + i];
		uint32_t	left = rows - i * args->unit_rows;

		unit->partition = bin << args->bin_shift;
		unit->from = start + i * args->unit_rows;
		unit->to = unit->from + (left < args->unit_rows ? left : args->unit_rows);
		unit->alone = nunits == 1;
	}
}

/* Units of all bins, in no order: a warp takes 32 bins at once. */
KERNEL(scatter_units, ScatterArgs, args)
{
	uint32_t	lane = lane_index();

	for (uint32_t first = (uint32_t) (grid_index() / WARP_SIZE) * WARP_SIZE; first < args.nbins;
		 first += (uint32_t) grid_size())
	{
		uint32_t	rows = first + lane < args.nbins ? args.counts[first + lane] : 0;
		uint32_t	nunits = rows / args.unit_rows + (rows % args.unit_rows > 0);
		uint32_t	before = warp_prefix_sum(nunits) - nunits;
		uint32_t	place = 0;

		if (lane == WARP_SIZE - 1)
			place = atomic_add_u32(&args.counters->made, before + nunits);
		place = warp_shfl_u32(FULL_MASK, place, WARP_SIZE - 1) + before;
		for (uint32_t i = 0; i < WARP_SIZE && first + i < args.nbins; i++)
			scatter_write_units(&args, first + i, warp_shfl_u32(FULL_MASK, rows, i),
								warp_shfl_u32(FULL_MASK, place, i));
	}
}

/* What a block of scatter_move has of a tile, in shared memory. */
typedef struct ScatterStage
{
	RowBatch	batch;			/* its columns, of SCATTER_TILE rows each */
	uint32_t   *order;			/* of each place in order of bins: the bin, and which row */
	uint32_t   *counts;			/* of each bin: rows, then the place of the first one */
	uint32_t   *distance;		/* from there to the bin's room in device memory */
} ScatterStage;

DEVICE_FN ScatterStage
scatter_stage(const ScatterArgs *args, uint8_t *shared)
{
	ScatterStage stage = {args->rows.batch};

	stage.batch.columns = shared;
	stage.batch.capacity = SCATTER_TILE;
	stage.order = (uint32_t *) (shared + SCATTER_TILE * ROW_BYTES);
	stage.counts = stage.order + SCATTER_TILE;
	stage.distance = stage.counts + args->nbins;
	return stage;
}

/*
 * Have array i of SCATTER_ARRAYS, which are values and NULLs of all columns, come for so many
 * rows, a multiple of 16, from `from` on.  No thread reads it any more.  Generated.
 */
DEVICE_FN void scatter_fetch(const RowBatch *batch, uint64_t from, uint32_t rows, uint32_t i,
							 const RowBatch *staged, uint64_t *barrier);

/*
 * Array i of the thread's rows to its places: of each row its number in the tile and in
 * device memory, or SCATTER_NONE.  Generated.
 */
DEVICE_FN void scatter_array(const ScatterArgs *args, const RowBatch *staged, uint32_t i,
							 const uint32_t *row, const uint32_t *to);

/* May a row's bin depend on array i?  Generated. */
DEVICE_FN bool scatter_needs(uint32_t i);

/* Array i of a unit's rows into the stage. */
DEVICE_FN void
scatter_begin(const ScatterArgs *args, const ScatterStage *stage, const ScatterUnit *unit,
			  uint32_t i, uint64_t *barriers)
{
	uint32_t	rows = (unit->to - unit->from + SCATTER_ALIGN - 1) / SCATTER_ALIGN * SCATTER_ALIGN;

	scatter_fetch(&args->rows.batch, unit->from, rows, i, &stage->batch, &barriers[i]);
}

DEVICE_FN void
scatter_clear(const ScatterArgs *args, const ScatterStage *stage)
{
	for (uint32_t i = threadIdx.x; i < args->nbins; i += blockDim.x)
		stage->counts[i] = 0;
}

/* The bins' counts, and for each of the thread's rows its bin and its rank, in `words`. */
DEVICE_FN void
scatter_rank(const ScatterArgs *args, const ScatterStage *stage, const ScatterUnit *unit,
			 uint32_t *words)
{
	PRAGMA_UNROLL
	for (uint32_t i = 0; i < SCATTER_ROWS; i++)
	{
		uint32_t	row = threadIdx.x + i * SCATTER_THREADS;
		uint32_t	bin = SCATTER_NONE;
		bool		error = false;
		Raw			raw;

		if (row < unit->to - unit->from)
		{
			row_load(&stage->batch, row, &raw);
			bin = scatter_row(args, &raw, unit->from + row, &error);
		}
		if (bin != SCATTER_NONE)
		{
			bin = (bin - unit->partition) >> args->bin_shift;
			bin = bin << SCATTER_BIN_SHIFT | atomic_add_u32(&stage->counts[bin], 1);
		}
		words[i] = bin;
	}
	block_sync();
}

/* Room for each bin's rows; returns how many they are in all. */
DEVICE_FN uint32_t
scatter_reserve(const ScatterArgs *args, const ScatterStage *stage, const ScatterUnit *unit)
{
	uint32_t   *cursors = args->cursors + (unit->partition >> args->bin_shift);
	uint32_t	each = (args->nbins + SCATTER_THREADS - 1) / SCATTER_THREADS;
	uint32_t	from = threadIdx.x * each;
	uint32_t	rows = 0;
	uint32_t	total;

	for (uint32_t i = from; i < from + each && i < args->nbins; i++)
		rows += stage->counts[i];
	rows = block_prefix_sum(rows, &total);
	for (uint32_t i = from; i < from + each && i < args->nbins; i++)
	{
		uint32_t	count = stage->counts[i];

		stage->counts[i] = rows;
		if (count > 0)
			stage->distance[i] = atomic_add_u32(&cursors[i], count) - rows;
		rows += count;
	}
	block_sync();
	return total;
}

/* Which row has each place in order of bins. */
DEVICE_FN void
scatter_order(const ScatterStage *stage, const uint32_t *words)
{
	PRAGMA_UNROLL
	for (uint32_t i = 0; i < SCATTER_ROWS; i++)
	{
		uint32_t	bin = words[i] >> SCATTER_BIN_SHIFT;

		if (words[i] != SCATTER_NONE)
			stage->order[stage->counts[bin] + (words[i] & SCATTER_ROW_MASK)] =
				bin << SCATTER_BIN_SHIFT | (threadIdx.x + i * SCATTER_THREADS);
	}
	block_sync();
}

/* Values of a size to their places: see scatter_array. */
#define SCATTER_VALUES(name, type, words) \
DEVICE_FN void \
name(const void *staged, void *column, const uint32_t *row, const uint32_t *to) \
{ \
	PRAGMA_UNROLL \
	for (uint32_t i = 0; i < SCATTER_ROWS; i++) \
		for (uint32_t j = 0; j < (words) && to[i] != SCATTER_NONE; j++) \
			((type *) column)[(uint64_t) to[i] * (words) + j] = \
				((const type *) staged)[row[i] * (words) + j]; \
}

SCATTER_VALUES(scatter_values_1, uint8_t, 1)
SCATTER_VALUES(scatter_values_2, uint16_t, 1)
SCATTER_VALUES(scatter_values_4, uint32_t, 1)
SCATTER_VALUES(scatter_values_8, uint64_t, 1)
SCATTER_VALUES(scatter_values_16, uint64_t, 2)

/* For each of the thread's places in order of bins, of `total` ones, which row it has. */
DEVICE_FN void
scatter_places(const ScatterStage *stage, uint32_t total, uint32_t *row, uint32_t *to)
{
	PRAGMA_UNROLL
	for (uint32_t i = 0; i < SCATTER_ROWS; i++)
	{
		uint32_t	place = threadIdx.x + i * SCATTER_THREADS;
		uint32_t	word = place < total ? stage->order[place] : 0;

		row[i] = word & SCATTER_ROW_MASK;
		to[i] = place < total ? place + stage->distance[word >> SCATTER_BIN_SHIFT] :
			SCATTER_NONE;
	}
}

/* A tile's order of bins, once what it depends on has come; returns how many rows pass. */
DEVICE_FN uint32_t
scatter_sort(const ScatterArgs *args, const ScatterStage *stage, const ScatterUnit *unit,
			 uint64_t *barriers, uint32_t turn)
{
	uint32_t	words[SCATTER_ROWS];
	uint32_t	total;

	PRAGMA_UNROLL
	for (uint32_t i = 0; i < SCATTER_ARRAYS; i++)
		if (scatter_needs(i))
			copy_wait(&barriers[i], turn);
	scatter_rank(args, stage, unit, words);
	total = scatter_reserve(args, stage, unit);
	scatter_order(stage, words);
	scatter_clear(args, stage);
	return total;
}

/*
 * Rows to the places of their bins.  Dynamic shared memory: a tile's columns, and the rest
 * of a ScatterStage.
 */
KERNEL_BOUNDS(scatter_move, ScatterArgs, args, SCATTER_THREADS, 1)
{
	SHARED uint64_t barriers[SCATTER_ARRAYS];
	DYNAMIC_SHARED(uint8_t, shared);
	ScatterStage stage = scatter_stage(&args, shared);
	uint32_t	number = blockIdx.x;
	ScatterUnit unit;
	bool		more = scatter_tile(&args, number, &unit);

	for (uint32_t i = 0; i < SCATTER_ARRAYS; i++)
		copy_init(&barriers[i]);
	scatter_clear(&args, &stage);
	block_sync();
	PRAGMA_UNROLL
	for (uint32_t i = 0; i < SCATTER_ARRAYS && more; i++)
		scatter_begin(&args, &stage, &unit, i, barriers);
	for (uint32_t turn = 0; more; turn++)
	{
		uint32_t	total = scatter_sort(&args, &stage, &unit, barriers, turn);
		uint32_t	row[SCATTER_ROWS];
		uint32_t	to[SCATTER_ROWS];

		number += gridDim.x;
		more = scatter_tile(&args, number, &unit);
		scatter_places(&stage, total, row, to);
		PRAGMA_UNROLL
		for (uint32_t i = 0; i < SCATTER_ARRAYS; i++)
		{
			copy_wait(&barriers[i], turn);
			scatter_array(&args, &stage.batch, i, row, to);
			block_sync();
			if (more)
				scatter_begin(&args, &stage, &unit, i, barriers);
		}
	}
}

/* Bits for private slots. */
#define SCATTER_FAILED_WORDS (BLOCK_DIRECT ? 1 : BLOCK_COPIES / 32 + 1)

/* The key that a private slot has. */
DEVICE_FN bool
scatter_key(const BlockTable *table, uint32_t slot, uint64_t *key)
{
	BlockKey	entry = table->keys[slot];

#if BLOCK_KEY64
	key_from_word(entry, key);
#else
	key[0] = entry;
#endif
#if BLOCK_KEY32
	if (slot == table->slots)
		key[0] = UINT64_C(1) << 32;
#endif
	return entry != BLOCK_EMPTY;
}

/*
 * As group_update, for a group that no other thread updates.  made: it is new.  Words that
 * are cold are rarely touched.
 */
DEVICE_FN void
group_update_alone(const AggregateArgs *args, uint32_t slot, bool made, const uint64_t *words)
{
	uint64_t   *state = group_slot(&args->table, slot) + STATE;
	uint64_t	hot[NHOT];

	PRAGMA_UNROLL
	for (int i = 0; i < NHOT; i++)
		hot[i] = made ? word_start(i) : load_volatile_u64(&state[i]);
	words_add_alone(hot, group_cold(&args->table, slot), words);
	PRAGMA_UNROLL
	for (int i = 0; i < NHOT; i++)
		state[i] = hot[i];
}

/*
 * The group of a private slot, or GROUP_NONE: the slot is not used, or, *failed, there is
 * no room.  roomy, *made: see table.cuh.
 */
DEVICE_FN uint32_t
scatter_group(const AggregateArgs *args, const BlockTable *table, uint32_t slot, bool roomy,
			  bool *failed, bool *made)
{
	*failed = *made = false;
#if TABLE_DIRECT
	return slot < table->slots ? slot + table->base : GROUP_NONE;
#else
	uint32_t	group = GROUP_NONE;
	bool		used;
	uint64_t	key[KEY_WORDS];

	used = slot < table->slots + BLOCK_NULL_SLOT && scatter_key(table, slot, key);
	if (used)
		group = group_claim(args, key, roomy, made);
	*failed = used && group == GROUP_NONE;
	return group;
#endif
}

/* Have L2 fetch where the group table has, or will have, the keys of the private table. */
DEVICE_FN void
scatter_merge_ahead(const AggregateArgs *args, const BlockTable *table)
{
	for (uint32_t slot = threadIdx.x; slot < table->slots + BLOCK_NULL_SLOT && !BLOCK_DIRECT;
		 slot += blockDim.x)
	{
		uint64_t	key[KEY_WORDS];

		if (scatter_key(table, slot, key))
			load_ahead(group_slot(&args->table,
								  (uint32_t) key_hash(key) & (args->table.capacity - 1)));
	}
}

/*
 * Merge the private table into the group table.  failed: a bit for each slot, set if its
 * group found no room; true: some are.
 */
DEVICE_FN bool
scatter_merge(const AggregateArgs *args, const BlockTable *table, bool alone, uint32_t *failed)
{
	uint32_t	nslots = table->slots + BLOCK_NULL_SLOT;
	bool		some = false;
	uint32_t	nmade = 0;
	bool		roomy;

	for (uint32_t i = threadIdx.x; i < SCATTER_FAILED_WORDS && !BLOCK_DIRECT; i += blockDim.x)
		failed[i] = 0;
	roomy = !BLOCK_DIRECT &&
		load_volatile_u32(&args->table.counters->groups) + nslots < args->table.limit;
	block_sync();
	scatter_merge_ahead(args, table);
	PRAGMA_NO_UNROLL
	for (uint32_t first = 0; first < nslots; first += blockDim.x)
	{
		uint32_t	slot = first + threadIdx.x;
		uint64_t	words[NWORDS];
		bool		fails;
		bool		made;
		uint32_t	group = scatter_group(args, table, slot, roomy, &fails, &made);

		if (group != GROUP_NONE)
		{
			block_words(table->states, slot, words);
#if TABLE_DIRECT
			if (words[PRESENCE_WORD] == 0)
				continue;
#endif
			if (alone)
				group_update_alone(args, group, made, words);
			else
				group_update(args, group, words);
		}
		if (fails)
			atomic_or_u32(&failed[slot / 32], 1u << slot % 32);
		some |= fails;
		nmade += made;
	}
	nmade = warp_reduce_add_u32(FULL_MASK, nmade);
	if (lane_index() == 0 && nmade > 0)
		atomic_add_u32_noreturn(&args->table.counters->groups, nmade);
	return block_sync_or(some);
}

/*
 * Rows that were taken into a state for which there was no room: undone.  The same rows
 * have private slots as before.
 */
DEVICE_FN void
scatter_undone(const AggregateArgs *args, const BlockTable *table, const ScatterUnit *unit,
			   const uint32_t *failed)
{
	uint32_t	round_rows = blockDim.x * BLOCK_ROWS;
	uint32_t	rounds = (unit->to - unit->from + round_rows - 1) / round_rows;
	uint32_t	first = unit->from + threadIdx.x * BLOCK_ROWS;

	PRAGMA_NO_UNROLL
	for (; rounds > 0; rounds--, first += round_rows)
	{
		Raw			raw[BLOCK_ROWS];
		Row			rows[BLOCK_ROWS];
		uint32_t	place[BLOCK_ROWS];
		uint32_t	groups[BLOCK_ROWS];
		uint32_t	rests[BLOCK_ROWS] = {0};
		TilePlace	tile = tile_place(&args->batch, first);

		if (!warp_all(FULL_MASK, first + BLOCK_ROWS <= unit->to))
			continue;
		(void) rows_load_tile(&args->batch, &tile, raw);
		PRAGMA_UNROLL
		for (int i = 0; i < BLOCK_ROWS; i++)
			row_eval_fixed(args, &raw[i], first + (uint32_t) i, &rows[i]);
		block_places(args, table, rows, place, groups);
		rows_fix(args, rows, place, BLOCK_MISSED(table), rests);
		PRAGMA_UNROLL
		for (int i = 0; i < BLOCK_ROWS; i++)
			if (rows[i].passes && place[i] != BLOCK_MISSED(table) &&
				(failed[place[i] / 32] >> place[i] % 32 & 1) != 0)
				row_undone(args, first + (uint32_t) i);
	}
}

/* The rows of a unit, which are one partition's. */
DEVICE_FN void
scatter_unit(const AggregateArgs *args, BlockTable *table, RowCursor *cursor,
			 const ScatterUnit *unit)
{
	SHARED uint32_t failed[SCATTER_FAILED_WORDS];
	uint32_t	round_rows = blockDim.x * BLOCK_ROWS;
	uint32_t	rounds = (unit->to - unit->from + round_rows - 1) / round_rows;
	uint32_t	first = unit->from + threadIdx.x * BLOCK_ROWS;

	block_table_init(args, table);
	PRAGMA_NO_UNROLL
	for (; rounds > 0; rounds--, first += round_rows)
	{
		TilePlace	tile = tile_place(&args->batch, first);
		bool		whole = warp_all(FULL_MASK, first + BLOCK_ROWS <= unit->to);
		uint32_t	place[BLOCK_ROWS] = {0};
		bool		missed = !whole || block_tile(args, table, cursor, &tile, place);

		if (warp_any(FULL_MASK, missed))
			block_missed(args, table, cursor, &tile, unit->to, place, whole);
	}
	if (scatter_merge(args, table, unit->alone, failed))
		scatter_undone(args, table, unit, failed);
}

KERNEL_BOUNDS(scatter_aggregate, ScatterArgs, args, SCATTER_THREADS, 1)
{
	SHARED uint32_t next;
	DYNAMIC_SHARED(uint32_t, shared);
	BlockTable	table = block_table(&args.rows, shared);
	RowCursor	cursor = rows_begin(&args.rows, 1);

	for (;;)
	{
		ScatterUnit unit;

		block_sync();
		if (threadIdx.x == 0)
			next = atomic_add_u32(&args.counters->taken, 1);
		block_sync();
		if (next >= args.counters->made)
			break;
		unit = args.units[next];
#if TABLE_DIRECT
		table.base = unit.partition << args.shift;
		table.slots = args.rows.table.capacity - table.base;
		table.slots = table.slots < args.rows.block_slots ? table.slots : args.rows.block_slots;
#endif
		scatter_unit(&args.rows, &table, &cursor, &unit);
	}
	rows_end(&args.rows, &cursor);
}

#endif							/* GPUAGG_SCATTER_CUH */
