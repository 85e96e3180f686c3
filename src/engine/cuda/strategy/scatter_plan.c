/*
 * scatter_plan.c
 *	  Strategy `scatter`: into how many partitions, by how many passes.
 */
#include "engine/cuda/strategy/scatter_plan.h"

/* Slots of private tables with keys for each group that is expected. */
#define SLOTS_PER_GROUP 1.5

/* A partition is divided, so that a block has about so many units. */
#define UNITS_PER_BLOCK 4
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

/* The slots of a partition whose groups have room in a private table. */
static uint32_t
private_shift(const StrategyChoice *choice, uint32_t capacity)
{
	uint32_t	shift = log2_floor(capacity);
	double		groups = (double) groups_of_table(choice, capacity);

	if (choice->block_direct)
		return log2_floor(choice->block_slots - 1);
	while (shift > 0 && SLOTS_PER_GROUP * groups * (UINT64_C(1) << shift) / capacity >
		   choice->block_slots)
		shift--;
	return shift;
}

static uint32_t
partitions(uint32_t capacity, uint32_t shift)
{
	return capacity == 0 ? 1 : ((capacity - 1) >> shift) + 1;
}

bool
scatter_plan(const StrategyChoice *choice, uint32_t capacity, uint64_t nrows,
			 uint32_t blocks, ScatterPlan *plan)
{
	uint64_t	unit_rows = nrows / ((uint64_t) blocks * UNITS_PER_BLOCK);

	*plan = (ScatterPlan) {.shift = private_shift(choice, capacity)};
	plan->npartitions = partitions(capacity, plan->shift);
	if (plan->npartitions > SCATTER_MAX_PARTITIONS)
		return false;
	if (plan->npartitions > SCATTER_MAX_BINS ||
		(plan->npartitions > 1 && choice->strategy == STRATEGY_SCATTER_TWICE))
		plan->bin_shift = (log2_floor(plan->npartitions - 1) + 1) / 2;
	plan->nbins = partitions(plan->npartitions, plan->bin_shift);
	unit_rows = unit_rows > UNIT_ROWS_MIN ? unit_rows : UNIT_ROWS_MIN;
	plan->unit_rows = (uint32_t) ((unit_rows + SCATTER_ALIGN - 1) / SCATTER_ALIGN * SCATTER_ALIGN);
	return true;
}
