/*
 * choose.c
 *	  The strategy, from what a sample tells.
 *
 * With the numbers below the choice is nowhere more than 10 % behind the best
 * forced strategy but `scatter` in `bench/kernels --only strategies` on an H200: the
 * column "best to auto" of bench/results/h200-kernels.md.  Where nothing else is
 * said, they were not measured one by one.  A wrong choice costs time, never a
 * result: all strategies take every row.
 */
#include "engine/cuda/codegen/codegen_parts.h"
#include "engine/cuda/strategy/choose.h"
#include "engine/cuda/strategy/prefilter.h"

/* Runs that long are better scanned than updated row by row. */
#define SCAN_RUN_LENGTH 4.0

/* Of larger states a scan is slow, and its kernel takes NVRTC long. */
#define SCAN_MAX_WORDS 32

/* Lanes with the same key, in the mean, that pay for finding them. */
#define PEERS_PER_WARP 3.0

/*
 * In a hash table of more groups, finding a slot costs so much that looking for equal
 * keys first costs nothing (measured on an H200: 25.6 against 23.5 G rows/s for 10^6
 * random keys).
 */
#define PEERS_HASHED_GROUPS 131072

/* Fewer keys than that are few even if they stand near each other. */
#define CLUSTERED_KEYS 128

/* A key with that share of rows slows down plain atomics. */
#define HEAVY_SHARE 0.02

/* One key that `vote` can keep aside, if the next ones are not heavy, too. */
#define VOTE_SHARE 0.15

/* Share of rows that shared tables must take off the group table to pay. */
#define BLOCK_COVERED 0.25

/* Copies of a state that keep a heavy key's rows from waiting for each other. */
#define BLOCK_CALM_REPLICAS 8

/*
 * Direct addressing: slots for each group that is expected; that many always, and
 * that many never exceeded.
 */
#define DIRECT_SPREAD 8
#define DIRECT_MIN_SLOTS (UINT64_C(1) << 20)
#define DIRECT_MAX_SLOTS (UINT64_C(1) << 27)
#define DIRECT_MAX_SLOTS_SCATTERED (UINT64_C(1) << 31)	/* of batches for `scatter` */

/* Of the memory limit, what a table addressed directly takes always: see direct_fits. */
#define DIRECT_TABLE_SHARE 8

/*
 * Tables of shared memory with keys: slots at least, and how many for each group.  With 4
 * hardly a key is in another bucket than its own, with 2 one of 25.
 */
#define BLOCK_MIN_SLOTS 32
#define BLOCK_MIN_SPREAD 4
#define BLOCK_MAX_SPREAD 8
#define BLOCK_MAX_BUCKET 4		/* keys, of 32 bits: see block.cuh */

/*
 * A key with so many rows that its lanes wait for each other, if it has a single copy,
 * longer than for those whose keys are in the same banks: about 4 lanes.
 */
#define BLOCK_HOT_SHARE 0.1
#define BLOCK_MAX_REPLICAS 32
#define BLOCK_STATIC_SHARED 1024	/* for what kernels declare, and CUDA's own */

/*
 * Rows of one key among a warp's neighbours, for each copy of its state, from which
 * on a warp takes rows from several places: 165 against 246 G rows/s with 16 rows
 * and one copy, 309 against 246 with 16 rows and 8 copies (on an H200).
 */
#define BLOCK_MEETING 4.0
#define BLOCK_MAX_PLACES 8

/*
 * Where private tables hold all groups, only longer runs are scanned, since each is an
 * update of the group table, and only for states of few words.
 */
#define BLOCK_SCAN_RUN_LENGTH 32.0
#define BLOCK_SCAN_WORDS 8

/* Copies of states besides those of slots, and bytes of a key: see block.cuh. */
#define BLOCK_EXTRA_COPIES 64
#define BLOCK_KEY_SIZE(layout) ((layout)->key32 ? 8 : 12)	/* with the group's slot */
#define SCATTER_KEY_SIZE(layout) ((layout)->key32 ? 4 : 8)

#define SCATTER_STATIC_SHARED 4096	/* as BLOCK_STATIC_SHARED, and a bit for each copy */
#define SCATTER_MIN_SLOTS 512	/* of fewer, there would be too many partitions */

/*
 * Where `scatter` is chosen.  Rows of a batch at least; groups for each of them at most,
 * since private tables are made and merged for each partition; words of a state, and bytes
 * of a row, at most.
 */
#define SCATTER_MIN_ROWS (UINT64_C(1) << 23)
#define SCATTER_GROUPS_PER_ROW 4
#define SCATTER_MAX_WORDS 8
#define SCATTER_MAX_ROW_BYTES 32

/*
 * How many times more groups than a sample tells `scatter` is prepared for, if the planner
 * expects so many: of rare keys a sample meets few, and partitions of fewer groups than
 * private tables hold cost little.
 */
#define SCATTER_MORE_GROUPS 16

/*
 * Share of rows with frequent keys from which on these alone pay for `block`.  With 10^4 hashed
 * keys of zipf's, 0.91 of whose rows have keys that a sample meets twice, it takes in 26 G rows/s,
 * `scatter` 69 (on an H200).
 */
#define SCATTER_COVERED 0.97

uint32_t
choose_block_size(const KernelLayout *layout, const StrategyChoice *choice)
{
	uint32_t	words = (uint32_t) layout->nblock * choice->block_copies;
	uint32_t	key = strategy_scatters(choice->strategy) ? SCATTER_KEY_SIZE(layout) :
		BLOCK_KEY_SIZE(layout);

	return (words + 3) / 4 * 16 + (choice->block_direct ? 0 :
								   (choice->block_slots + BLOCK_MAX_BUCKET) * key);
}

uint32_t
scatter_tile_size(const KernelLayout *layout, uint32_t rows)
{
	return rows * (layout->row_bytes + 4) + SCATTER_MAX_BINS * 8;
}

/* Rows of a tile for each thread that have room in shared memory. */
static uint32_t
scatter_rows(const KernelLayout *layout, uint32_t room)
{
	uint32_t	rows = SCATTER_MOST_ROWS;

	while (rows > 0 && scatter_tile_size(layout, rows * SCATTER_THREADS) > room)
		rows--;
	return rows;
}

/*
 * Slots of strategy `scatter`: without keys a power of 2 and NULL's, and no copies that no
 * slot has; false if its tables, or the tiles, are too small.
 */
static bool
scatter_dimensions(const KernelLayout *layout, uint32_t shared_limit, StrategyChoice *choice)
{
	bool		direct = choice->table == TABLE_DIRECT;
	uint32_t	room = shared_limit - SCATTER_STATIC_SHARED;
	uint32_t	per_copy = (uint32_t) layout->nblock * 4 + (direct ? 0 : SCATTER_KEY_SIZE(layout));
	uint32_t	copies = room / per_copy;
	uint32_t	most = copies - BLOCK_EXTRA_COPIES - 1;
	uint32_t	slots = SCATTER_MIN_SLOTS;

	if (shared_limit < SCATTER_MAX_COUNTED * 4 + SCATTER_STATIC_SHARED ||
		!layout_has_word_keys(layout) || copies < SCATTER_MIN_SLOTS + BLOCK_EXTRA_COPIES + 1)
		return false;
	choice->scatter_rows = scatter_rows(layout, room);
	if (choice->scatter_rows == 0)
		return false;
	while (2 * slots <= most)
		slots *= 2;
	choice->block_copies = direct ? slots + 1 + BLOCK_EXTRA_COPIES : copies;
	choice->block_slots = direct ? slots + 1 : most / BLOCK_MAX_BUCKET * BLOCK_MAX_BUCKET;
	choice->block_replicas = choice->block_places = 1;
	choice->block_direct = direct;
	choice->only_frequent = choice->block_hot = false;
	return true;
}

/*
 * Slots and copies of strategy `block` for so many groups; false if no table of
 * use fits.  How many copies there can be does not depend on the groups, so that kernels
 * do not.  Slots come first, then copies of a group's state, and what is left over is for
 * slots.
 */
static bool
block_dimensions(const KernelLayout *layout, uint64_t groups, uint64_t direct_slots,
				 uint32_t shared_limit, StrategyChoice *choice)
{
	uint32_t	room = shared_limit > BLOCK_STATIC_SHARED ? shared_limit - BLOCK_STATIC_SHARED : 0;
	bool		direct = direct_slots > 0;
	uint32_t	per_copy = (uint32_t) layout->nblock * 4 + (direct ? 0 : BLOCK_KEY_SIZE(layout));
	uint32_t	none = BLOCK_EXTRA_COPIES + (direct ? 0 : 1);
	uint64_t	wanted = direct ? direct_slots : BLOCK_MIN_SPREAD * groups;
	uint32_t	most;

	choice->block_copies = room / per_copy;
	most = choice->block_copies > none ? choice->block_copies - none : 0;
	if (most < (direct ? direct_slots : BLOCK_MIN_SLOTS))
		return false;
	wanted = wanted < BLOCK_MIN_SLOTS && !direct ? BLOCK_MIN_SLOTS : wanted;
	choice->block_slots = wanted < most ? (uint32_t) wanted : most;
	choice->block_replicas = 1;
	while (choice->block_replicas < BLOCK_MAX_REPLICAS &&
		   2 * choice->block_replicas * (choice->block_slots + 1) <= most)
		choice->block_replicas *= 2;
	if (!direct)
	{
		wanted = most / choice->block_replicas - 1;
		choice->block_slots = wanted < BLOCK_MAX_SPREAD * groups ? (uint32_t) wanted :
			choice->block_slots;
		choice->block_slots -= choice->block_slots % BLOCK_MAX_BUCKET;
	}
	return true;
}

/* Groups to expect: where the sample tells nothing, as many as the planner does. */
static double
expected_groups(const SampleFacts *facts, const EngineHints *hints)
{
	bool		sorted = facts->run_length >= SCAN_RUN_LENGTH;
	bool		all_new = facts->distinct >= facts->rows * 0.999;

	if (hints->groups > facts->distinct && (sorted || all_new))
		return hints->groups;
	/* a sample of nearly only new keys tells nothing but that there are many */
	if (all_new)
		return hints->rows > facts->distinct ? hints->rows : facts->distinct;
	return facts->groups;
}

/* Can and should the groups be addressed directly?  Then the range. */
static bool
choose_direct(const Program *program, const SampleFacts *facts, double groups,
			  uint64_t batch_rows, StrategyChoice *choice)
{
	uint64_t	most = batch_rows < SCATTER_MIN_ROWS ? DIRECT_MAX_SLOTS :
		DIRECT_MAX_SLOTS_SCATTERED;
	uint64_t	span = (uint64_t) facts->max - (uint64_t) facts->min;
	int64_t		least = layout_direct_narrow(program) ? INT32_MIN : INT64_MIN;
	uint64_t	margin;

	if (!layout_direct_possible(program) || facts->rows == 0 || facts->min > facts->max)
		return false;
	if (span >= most / 2 ||
		(span > DIRECT_MIN_SLOTS && span > DIRECT_SPREAD * groups))
		return false;
	/* room for values that the sample did not meet */
	margin = span / 16 + 64;
	choice->direct_min = facts->min < least + (int64_t) margin ? least :
		facts->min - (int64_t) margin;
	choice->direct_range = span + 2 * margin;
	/* the range does not end beyond the type's: see write_direct in codegen_keys.c */
	if (layout_direct_narrow(program) &&
		choice->direct_range > (uint64_t) (INT64_C(1) + INT32_MAX - choice->direct_min))
		choice->direct_range = (uint64_t) (INT64_C(1) + INT32_MAX - choice->direct_min);
	return true;
}

/* Bytes of a table of so many hashed keys. */
static uint64_t
hashed_size(const KernelLayout *layout, uint64_t groups)
{
	return layout_slots_for(groups) * layout_slot_memory(layout);
}

/*
 * Is a table of the range small enough?  A large one is if hashed keys would take more, and
 * if there is memory for these, too: a value that the sample did not meet may be out of the
 * range.
 */
static bool
direct_fits(const KernelLayout *layouts, const StrategyChoice *choice, uint64_t memory_limit)
{
	const KernelLayout *direct = &layouts[TABLE_DIRECT];
	const KernelLayout *hash = &layouts[TABLE_HASH];
	uint64_t	size = choice->direct_range * layout_slot_memory(direct);
	uint64_t	beyond = layout_slot_memory(direct) - layout_slot_size(direct);

	return choice->direct_range * (direct->stride * 8 + beyond) <= memory_limit / DIRECT_TABLE_SHARE ||
		(size <= hashed_size(hash, choice->groups) &&
		 size + hashed_size(hash, choice->direct_range) <= memory_limit);
}

/*
 * Do rows with the same key stand near each other, more than chance would have
 * it?  Then a block meets ever new keys, whatever the sample's number of them.
 */
static bool
is_clustered(const SampleFacts *facts)
{
	double		distinct = keys_met(facts->groups, 32);

	return facts->peers >= PEERS_PER_WARP && facts->distinct > CLUSTERED_KEYS &&
		facts->peers > 2 * 32 / distinct && facts->heaviest < VOTE_SHARE;
}

/*
 * Private tables for the keys that a block meets, with copies enough, where these
 * are few of a hash table's: 88.5 G rows/s against 43.8 of `peers` for 10^4
 * shifted keys (bench/results/h200-kernels.md).
 */
static bool
choose_clustered(const KernelLayout *layout, const SampleFacts *facts,
				 uint32_t shared_limit, StrategyChoice *choice)
{
	uint64_t	keys = (uint64_t) facts->block_keys;

	return choice->table == TABLE_HASH && is_clustered(facts) &&
		block_dimensions(layout, keys, 0, shared_limit, choice) &&
		choice->block_slots >= 2 * keys && choice->block_replicas >= BLOCK_CALM_REPLICAS;
}

/*
 * Do private tables with keys have slots for all groups?  Where some are frequent, those that are
 * rare are more than the sample's distinct ones tell.  Of clustered keys it meets few, but
 * it tells how many a block meets.
 */
static bool
holds_keys(const SampleFacts *facts, const StrategyChoice *choice)
{
	double		groups = choice->groups;

	groups = facts->least_groups > groups ? facts->least_groups : groups;
	return choice->block_slots >= groups * 4 / 3 &&
		(!is_clustered(facts) || choice->block_slots >= 2 * facts->block_keys);
}

/*
 * A key that gets a copy of its state for each lane, if states have few copies: one
 * that rows have as a sample has it.
 */
static bool
has_hot_key(const Program *program, const KernelLayout *layout, const SampleFacts *facts,
			const StrategyChoice *choice)
{
	return choice->block_replicas < BLOCK_CALM_REPLICAS && facts->nfrequent > 0 &&
		facts->heaviest >= BLOCK_HOT_SHARE / 2 && layout_direct_possible(program) &&
		layout_has_word_keys(layout) && layout->nvalues == 0;
}

/* Do a frequent key's rows meet in too few copies of its state? */
static bool
is_contended(const SampleFacts *facts, const StrategyChoice *choice)
{
	double		share = choice->block_hot ? facts->second : facts->heaviest;

	return share >= BLOCK_HOT_SHARE && choice->block_replicas < BLOCK_CALM_REPLICAS;
}

/*
 * Is a warp's run of rows better scanned than taken to a private table?  Not where its
 * lanes have copies of the state.
 */
static bool
is_scanned(const SampleFacts *facts, const KernelLayout *layout, const StrategyChoice *choice)
{
	return facts->run_length >= BLOCK_SCAN_RUN_LENGTH &&
		layout->nwords <= BLOCK_SCAN_WORDS &&
		choice->block_replicas < BLOCK_CALM_REPLICAS;
}

/*
 * fits: private tables hold all groups that are expected.  few: they hold those
 * that a block meets.
 */
static Strategy
choose_strategy(const SampleFacts *facts, const KernelLayout *layout,
				const StrategyChoice *choice, bool fits, bool few)
{
	if (layout->nwords > LAYOUT_MERGE_WORDS)
		return STRATEGY_ATOMIC;
	if (fits && choice->block_direct && !is_contended(facts, choice) &&
		!is_scanned(facts, layout, choice))
		return STRATEGY_BLOCK;
	if (facts->run_length >= SCAN_RUN_LENGTH)
		return layout->nwords <= SCAN_MAX_WORDS ? STRATEGY_SCAN : STRATEGY_PEERS;
	if (fits && !is_contended(facts, choice))
		return STRATEGY_BLOCK;
	if (is_clustered(facts))
		return few ? STRATEGY_BLOCK : STRATEGY_PEERS;
	if (facts->heaviest >= VOTE_SHARE && facts->second < HEAVY_SHARE)
		return STRATEGY_VOTE;
	if (facts->covered >= BLOCK_COVERED || fits)
		return STRATEGY_BLOCK;
	if (facts->peers >= PEERS_PER_WARP ||
		(choice->table == TABLE_HASH && choice->groups > PEERS_HASHED_GROUPS))
		return STRATEGY_PEERS;
	return STRATEGY_ATOMIC;
}

/*
 * Private tables for strategy `block`: for all groups where they fit and frequent
 * keys find copies enough, else for the frequent keys.
 */
static void
choose_block(const KernelLayout *layout, const SampleFacts *facts, uint32_t shared_limit,
			 bool fits, StrategyChoice *choice)
{
	if (fits && !(is_contended(facts, choice) && facts->covered >= BLOCK_COVERED))
		return;
	choice->only_frequent = facts->nfrequent > 0;
	choice->block_direct = false;
	if (!block_dimensions(layout, choice->only_frequent ? facts->nfrequent : choice->groups,
						  0, shared_limit, choice))
		choice->strategy = STRATEGY_ATOMIC;
}

/* Where rows meet their groups in the order in which they come. */
static StrategyChoice
choose_in_order(const Program *program, const KernelLayout *layouts, const SampleFacts *facts,
				const EngineHints *hints, uint64_t memory_limit, uint64_t batch_rows,
				int forced, uint32_t shared_limit)
{
	double		groups = expected_groups(facts, hints);
	StrategyChoice choice = {0};
	const KernelLayout *layout;
	bool		fits;
	bool		few;

	choice.groups = groups < UINT32_MAX ? (uint64_t) groups : UINT32_MAX;
	if (choose_direct(program, facts, groups, batch_rows, &choice) &&
		direct_fits(layouts, &choice, memory_limit))
		choice.table = TABLE_DIRECT;
	else
		choice.table = TABLE_HASH;
	layout = &layouts[choice.table];
	choice.block_direct = choice.table == TABLE_DIRECT;
	fits = block_dimensions(layout, choice.groups,
							choice.block_direct ? choice.direct_range + 1 : 0,
							shared_limit, &choice);
	if (!choice.block_direct)
		fits = fits && holds_keys(facts, &choice);
	few = !fits && choose_clustered(layout, facts, shared_limit, &choice);
	choice.block_hot = has_hot_key(program, layout, facts, &choice);
	choice.strategy = choose_strategy(facts, layout, &choice, fits, few);
	if (forced >= 0 && forced != STRATEGY_REDUCE && layout->nwords <= LAYOUT_MERGE_WORDS)
		choice.strategy = (Strategy) forced;
	if (choice.strategy == STRATEGY_BLOCK)
		choose_block(layout, facts, shared_limit, fits || few, &choice);
	else
		choice.block_hot = false;
	choice.block_places = facts->peers > BLOCK_MEETING * choice.block_replicas ?
		BLOCK_MAX_PLACES : 1;
	return choice;
}

/*
 * Is a batch of so many rows better partitioned first?  Not where equal keys stand behind each
 * other, nor where private tables hold all groups, or nearly all rows' ones.  Where two keys at a
 * time take turns, `peers` is faster for 10^6 hashed groups, and slower for those that are
 * addressed directly: 39 against 33, 62 against 68 G rows/s (on an H200).
 */
static bool
is_scattered(const SampleFacts *facts, const KernelLayout *layout,
			 const StrategyChoice *choice, uint64_t batch_rows)
{
	if (batch_rows < SCATTER_MIN_ROWS ||
		choice->groups / SCATTER_GROUPS_PER_ROW > batch_rows ||
		layout->nwords > SCATTER_MAX_WORDS || layout->row_bytes > SCATTER_MAX_ROW_BYTES)
		return false;
	if (choice->strategy == STRATEGY_SCAN ||
		(is_clustered(facts) && choice->table == TABLE_HASH))
		return false;
	return choice->strategy != STRATEGY_BLOCK ||
		(choice->only_frequent && facts->covered < SCATTER_COVERED);
}

/* Groups that `scatter` is prepared for. */
static uint64_t
groups_to_scatter(const SampleFacts *facts, const EngineHints *hints, uint64_t groups)
{
	double		sampled = groups > facts->least_groups ? groups : facts->least_groups;
	double		most = SCATTER_MORE_GROUPS * sampled;
	double		expected = hints->groups < most ? hints->groups : most;

	return (uint64_t) (expected > sampled ? expected : sampled);
}

StrategyChoice
choose_from_facts(const Program *program, const KernelLayout *layouts,
				  const SampleFacts *facts, const EngineHints *hints,
				  uint64_t memory_limit, uint64_t batch_rows, int forced,
				  uint32_t shared_limit)
{
	bool		scatter = forced >= 0 && strategy_scatters((Strategy) forced);
	StrategyChoice choice = choose_in_order(program, layouts, facts, hints, memory_limit,
											batch_rows, scatter ? -1 : forced,
											shared_limit);
	StrategyChoice scattered = choice;

	scattered.groups = groups_to_scatter(facts, hints, choice.groups);
	if (!scatter && (forced >= 0 || !is_scattered(facts, &layouts[choice.table], &scattered,
												  batch_rows)))
		return choice;
	if (!codegen_scatter_possible(program, &layouts[choice.table]) ||
		!scatter_dimensions(&layouts[choice.table], shared_limit, &scattered))
		return choice;
	scattered.strategy = scatter ? (Strategy) forced : STRATEGY_SCATTER;
	return scattered;
}

StrategyChoice
choose_first(const Program *program, const KernelLayout *layouts, int forced)
{
	StrategyChoice choice = {0};

	if (program->nkeys > 0)
	{
		if (layout_direct_possible(program))
			choice.table = TABLE_DIRECT;
		return choice;
	}
	choice.strategy = STRATEGY_REDUCE;
	if (forced >= 0 && forced != STRATEGY_BLOCK && !strategy_scatters((Strategy) forced))
		choice.strategy = (Strategy) forced;
	if (layouts[TABLE_HASH].nwords > LAYOUT_MERGE_WORDS)
		choice.strategy = STRATEGY_ATOMIC;
	return choice;
}

bool
choose_expected(const Program *program, const KernelLayout *layouts,
				const EngineHints *hints, int forced, const DeviceInfo *info,
				StrategyChoice *choice)
{
	uint64_t	memory = hints->memory_limit > 0 ? hints->memory_limit : info->memory;
	SampleFacts facts;

	if (program->nkeys == 0 || hints->groups <= 0)
		return false;
	expected_facts(hints->groups, sample_size(hints->rows), &facts);
	*choice = choose_from_facts(program, layouts, &facts, hints, memory, 0, forced,
								info->shared_limit);
	return true;
}

void
choose_hashing(const KernelLayout *layouts, uint64_t groups, uint32_t shared_limit,
			   StrategyChoice *choice)
{
	if (layouts[TABLE_HASH].prefilter.n > 0)
		shared_limit -= PREFILTER_SHARED;
	choice->table = TABLE_HASH;
	choice->only_frequent = choice->block_hot = false;
	choice->block_direct = false;
	if (strategy_scatters(choice->strategy) ?
		!scatter_dimensions(&layouts[TABLE_HASH], shared_limit, choice) :
		!block_dimensions(&layouts[TABLE_HASH], groups, 0, shared_limit, choice) &&
		choice->strategy == STRATEGY_BLOCK)
		choice->strategy = STRATEGY_ATOMIC;
}
