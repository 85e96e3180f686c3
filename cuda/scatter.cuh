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
 * Rows of a partition are in no order, so a row's rank in its tile is what
 * an atomic in shared memory gives.  A block reserves room for a tile's rows in each
 * bin by one atomic, and takes each column through shared memory, so that rows
 * of one bin are written by neighbouring lanes.
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

#include "prefix.cuh"

#define aggregate_scatter aggregate_atomic
#define aggregate_scatter_twice aggregate_atomic

/* No row, or one that does not pass. */
#define SCATTER_NONE UINT32_MAX

/*
 * Rows of a thread whose keys are loaded at once, times BLOCK_ROWS rows that are counted,
 * and a column's values.
 */
#define SCATTER_KEYS (2 * ROWS_AT_ONCE)
#define SCATTER_COUNTS 2
#define SCATTER_VALUES 8

/* A row's bin and its rank there, in one word. */
#define SCATTER_RANK_BITS 16

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
KERNEL_BOUNDS(scatter_count, ScatterArgs, args, SCATTER_COUNT_THREADS, SCATTER_COUNT_BLOCKS)
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

KERNEL_BOUNDS(scatter_starts, ScatterArgs, args, SCATTER_COUNT_THREADS, 1)
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

/* A tile of rows in order of bins, in shared memory. */
typedef struct ScatterStage
{
	uint32_t   *values;			/* of a column */
	uint32_t   *to;				/* the place of each row among all rows */
	uint32_t	total;			/* rows */
} ScatterStage;

/*
 * A tile's bins, the bins' counts among `counts`, and for each of the thread's rows its
 * bin and its rank, in `words`.
 */
DEVICE_FN void
scatter_rank(const ScatterArgs *args, const ScatterUnit *unit, uint32_t *counts, uint32_t *words)
{
	for (uint32_t i = threadIdx.x; i < args->nbins; i += blockDim.x)
		counts[i] = 0;
	block_sync();
	PRAGMA_NO_UNROLL
	for (uint32_t at = threadIdx.x; at < SCATTER_TILE; at += SCATTER_KEYS * SCATTER_MOVE_THREADS)
	{
		Raw			raw[SCATTER_KEYS];

		PRAGMA_UNROLL
		for (uint32_t i = 0; i < SCATTER_KEYS; i++)
			if (unit->from + at + i * SCATTER_MOVE_THREADS < unit->to)
				row_load(&args->rows.batch, unit->from + at + i * SCATTER_MOVE_THREADS, &raw[i]);
		PRAGMA_UNROLL
		for (uint32_t i = 0; i < SCATTER_KEYS; i++)
		{
			uint32_t	row = unit->from + at + i * SCATTER_MOVE_THREADS;
			uint32_t	bin = SCATTER_NONE;
			bool		error = false;

			if (row < unit->to)
				bin = scatter_row(args, &raw[i], row, &error);
			if (bin != SCATTER_NONE)
			{
				bin = (bin - unit->partition) >> args->bin_shift;
				bin = bin << SCATTER_RANK_BITS | atomic_add_u32(&counts[bin], 1);
			}
			words[at + i * SCATTER_MOVE_THREADS] = bin;
		}
	}
	block_sync();
}

/*
 * The bins' counts become the places of their first rows in the tile; *total: of all
 * rows.  distance: from there to the places that the tile gets in the bins.
 */
DEVICE_FN void
scatter_reserve(const ScatterArgs *args, const ScatterUnit *unit, uint32_t *counts,
				uint32_t *distance, uint32_t *total)
{
	uint32_t   *cursors = args->cursors + (unit->partition >> args->bin_shift);
	uint32_t	each = (args->nbins + SCATTER_MOVE_THREADS - 1) / SCATTER_MOVE_THREADS;
	uint32_t	from = threadIdx.x * each;
	uint32_t	rows = 0;

	for (uint32_t i = from; i < from + each && i < args->nbins; i++)
		rows += counts[i];
	rows = block_prefix_sum(rows, total);
	for (uint32_t i = from; i < from + each && i < args->nbins; i++)
	{
		uint32_t	count = counts[i];

		counts[i] = rows;
		if (count > 0)
			distance[i] = atomic_add_u32(&cursors[i], count) - rows;
		rows += count;
	}
	block_sync();
}

/*
 * `place`: those of the thread's rows in the tile when it is in order of bins.  to: where
 * the row of each such place belongs.
 */
DEVICE_FN void
scatter_places(const uint32_t *counts, const uint32_t *distance, const uint32_t *words,
			   uint32_t *place, uint32_t *to)
{
	PRAGMA_UNROLL
	for (uint32_t i = 0; i < SCATTER_ROWS; i++)
	{
		uint32_t	word = words[threadIdx.x + i * SCATTER_MOVE_THREADS];
		uint32_t	bin = word >> SCATTER_RANK_BITS;

		place[i] = SCATTER_NONE;
		if (word == SCATTER_NONE)
			continue;
		place[i] = counts[bin] + (word & ((1u << SCATTER_RANK_BITS) - 1));
		to[place[i]] = place[i] + distance[bin];
	}
	block_sync();
}

/*
 * A tile's values of a column to their places, every STRIDE-th value of such a type.
 * Loads are given out before the first value is needed.
 */
#define SCATTER_COLUMN(name, type, stride) \
DEVICE_FN void \
name(const type *from, type *column, const ScatterStage *stage, const uint32_t *place) \
{ \
	type	   *staged = (type *) stage->values; \
	\
	from += threadIdx.x * (stride); \
	PRAGMA_UNROLL \
	for (uint32_t i = 0; i < SCATTER_ROWS; i += SCATTER_VALUES) \
	{ \
		type		values[SCATTER_VALUES]; \
		\
		PRAGMA_UNROLL \
		for (uint32_t j = 0; j < SCATTER_VALUES; j++) \
			if (place[i + j] != SCATTER_NONE) \
				load_stream(&values[j], from + (i + j) * SCATTER_MOVE_THREADS * (stride), \
							sizeof(type)); \
		PRAGMA_UNROLL \
		for (uint32_t j = 0; j < SCATTER_VALUES; j++) \
			if (place[i + j] != SCATTER_NONE) \
				staged[place[i + j]] = values[j]; \
	} \
	block_sync(); \
	PRAGMA_UNROLL \
	for (uint32_t i = 0; i < SCATTER_ROWS; i++) \
	{ \
		uint32_t	at = threadIdx.x + i * SCATTER_MOVE_THREADS; \
		\
		if (at < stage->total) \
			column[(uint64_t) stage->to[at] * (stride)] = staged[at]; \
	} \
	block_sync(); \
}

SCATTER_COLUMN(scatter_column_1, uint8_t, 1)
SCATTER_COLUMN(scatter_column_2, uint16_t, 1)
SCATTER_COLUMN(scatter_column_4, uint32_t, 1)
SCATTER_COLUMN(scatter_column_8, uint64_t, 1)
SCATTER_COLUMN(scatter_half_16, uint64_t, 2)

DEVICE_FN void
scatter_column_16(const uint64_t *from, uint64_t *column, const ScatterStage *stage,
				  const uint32_t *place)
{
	scatter_half_16(from, column, stage, place);
	scatter_half_16(from + 1, column + 1, stage, place);
}

/* All columns of a tile: generated. */
DEVICE_FN void scatter_columns(const ScatterArgs *args, uint64_t from,
							   const ScatterStage *stage, const uint32_t *place);

/*
 * Rows to the places of their bins.  Dynamic shared memory: for each of a tile's rows
 * where it belongs; then two words for each bin, and one for each row, or later a value
 * for each row.
 */
KERNEL_BOUNDS(scatter_move, ScatterArgs, args, SCATTER_MOVE_THREADS, SCATTER_MOVE_BLOCKS)
{
	DYNAMIC_SHARED(uint32_t, shared);
	ScatterStage stage = {shared + SCATTER_TILE, shared, 0};
	uint32_t   *counts = stage.values;
	uint32_t   *distance = counts + args.nbins;
	uint32_t   *words = distance + args.nbins;
	ScatterUnit unit;

	for (uint32_t number = blockIdx.x; scatter_tile(&args, number, &unit); number += gridDim.x)
	{
		uint32_t	place[SCATTER_ROWS];

		scatter_rank(&args, &unit, counts, words);
		scatter_reserve(&args, &unit, counts, distance, &stage.total);
		scatter_places(counts, distance, words, place, stage.to);
		scatter_columns(&args, unit.from, &stage, place);
	}
}

/* Bits for private slots. */
#define SCATTER_FAILED_WORDS (BLOCK_COPIES / 32 + 1)

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

KERNEL_BOUNDS(scatter_aggregate, ScatterArgs, args, SCATTER_THREADS, 2)
{
	SHARED uint32_t next;
	DYNAMIC_SHARED(uint32_t, shared);
	BlockTable	table = block_table(&args.rows, shared);
	RowCursor	cursor = rows_begin(1);

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
