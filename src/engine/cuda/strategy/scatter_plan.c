/*
 * scatter_plan.c
 *	  Strategy `scatter`: into how many partitions, by how many passes.
 */
#include "engine/cuda/strategy/scatter_plan.h"

/*
 * Slots of private tables with keys for each group that is expected: rows whose keys find
 * no slot go to the group table one by one.
 */
#define SLOTS_PER_GROUP 2

/* A partition is divided, so that a block has about so many units. */
#define UNITS_PER_BLOCK 8
#define UNIT_ROWS_MIN 16384

static uint32_t
log2_floor(uint64_t n)
{
	uint32_t	log2 = 0;

	while (n >> (log2 + 1) > 0)
		log2++;
	return log2;
}

/*
 * Groups that a table of hashed keys has at most: what was expected, unless there turned
 * out to be more, and it has grown.
 */
static uint64_t
groups_of_table(const StrategyChoice *choice, uint32_t capacity)
{
	bool		grown = choice->groups < capacity / 4;

	return grown || choice->groups > capacity / 2 ? capacity / 2 : choice->groups;
}

/* Partitions of so many slots of the group table each: these are addressed directly. */
static void
plan_direct(const StrategyChoice *choice, uint32_t capacity, ScatterPlan *plan)
{
	plan->shift = log2_floor(choice->block_slots - 1);
	plan->npartitions = capacity == 0 ? 1 : ((capacity - 1) >> plan->shift) + 1;
}

/* Partitions whose groups have room in private tables, in a table of 2^n slots. */
static void
plan_hashed(const StrategyChoice *choice, uint32_t capacity, ScatterPlan *plan)
{
	uint64_t	slots = SLOTS_PER_GROUP * groups_of_table(choice, capacity);

	plan->shift = 32 - log2_floor(capacity);
	plan->npartitions = (uint32_t) (slots / choice->block_slots) + 1;
}

bool
scatter_plan(const StrategyChoice *choice, uint32_t capacity, uint64_t nrows,
			 uint32_t blocks, ScatterPlan *plan)
{
	uint64_t	unit_rows = nrows / ((uint64_t) blocks * UNITS_PER_BLOCK);

	*plan = (ScatterPlan) {.tile_rows = choice->scatter_rows * SCATTER_THREADS};
	if (choice->block_direct)
		plan_direct(choice, capacity, plan);
	else
		plan_hashed(choice, capacity, plan);
	if (plan->npartitions > SCATTER_MAX_PARTITIONS)
		return false;
	if (plan->npartitions > SCATTER_MAX_BINS ||
		(plan->npartitions > 1 && choice->strategy == STRATEGY_SCATTER_TWICE))
		plan->bin_shift = (log2_floor(plan->npartitions - 1) + 1) / 2;
	plan->nbins = ((plan->npartitions - 1) >> plan->bin_shift) + 1;
	/* the strategy for tests takes the other way, which real batches take if they are large */
	plan->counted_once = plan->bin_shift > 0 && plan->npartitions <= SCATTER_MAX_COUNTED &&
		choice->strategy != STRATEGY_SCATTER_TWICE;
	unit_rows = unit_rows > UNIT_ROWS_MIN ? unit_rows : UNIT_ROWS_MIN;
	plan->unit_rows = (uint32_t) ((unit_rows + SCATTER_ALIGN - 1) / SCATTER_ALIGN * SCATTER_ALIGN);
	return true;
}
