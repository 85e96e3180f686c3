/*
 * placement.c
 *	  Which devices a run uses.
 *
 * A large table is dealt over all devices that are used, always the same way, so that each finds
 * the columns that it has kept.  So is one of which several devices keep blocks, and none keeps
 * nearly all; runs that begin together can have kept the same blocks on several devices.  A small
 * run, and one whose groups take longer to merge than several devices save, has one device: that of
 * those that are used which keeps most of its tables, and if none keeps any, that with the fewest
 * runs.
 *
 * A device whose budget is less than what the run needs is taken only if all are such.  A small
 * run's rows are not read again that a device has, even if others have less to do: reading a
 * table's pages takes longer than waiting for a run over kept columns.
 */
#include "service/device/placement.h"

#include "engine/cuda/context/context.h"
#include "engine/cuda/cuda_engine.h"
#include "engine/several_devices.h"

/* The share of a device's memory that runs may use, where no setting says. */
#define MEMORY_PERCENT 80

/*
 * What several devices cost and spare, in ns.  Of two H200s over 160,000,000 kept rows, a million
 * groups took 127 ms to the first where the host merged them, and one device took 7, 6 ns a page.
 * Reading a page that is not kept takes 160.  FEW_MERGED groups are merged at any price.
 */
#define MERGE_BY_HOST 60.0		/* a group */
#define MERGE_THERE 2.0			/* the same on a device */
#define SPARED_OF_KEPT 3.0		/* a page */
#define SPARED_OF_OTHERS 80.0
#define FEW_MERGED 50000

/*
 * A table is spread if one device keeps less than so much of what all of them keep, and of the
 * whole table.
 */
#define SPREAD_SHARE 0.9

/* What speaks for a device. */
typedef struct Place
{
	bool		fits;			/* is the budget large enough for the run? */
	uint64_t	kept;			/* blocks */
	uint32_t	runs;			/* that are there, and that wait */
	uint64_t	free;			/* bytes of the budget that neither runs nor kept columns have */
} Place;

/* The device's budget for all runs, as far as it is known. */
static void
find_budget(Service *service, const DeviceOps *ops, int device)
{
	Admission  *admission = &service->admissions[device];
	const Context *context = context_of(ops, device);
	DeviceInfo	info;

	admission->budget = service->config->max_device_memory;
	if (admission->budget > 0)
		return;
	if (context->device != NULL)
		admission->budget = context->memory.budget;
	else if (context_info(ops, device, &info))
		admission->budget = info.memory / 100 * MEMORY_PERCENT;
}

static Place
find_place(Service *service, const DeviceOps *ops, int device, const Program *program,
		   const EngineHints *hints, uint64_t need)
{
	const Admission *admission = &service->admissions[device];
	uint64_t	taken = admission->used + context_of(ops, device)->kept.bytes;
	uint64_t	budget;

	find_budget(service, ops, device);
	budget = admission->budget;
	return (Place)
	{
		.fits = need <= budget,.runs = admission->runs,
			.kept = cuda_engine_blocks_kept(ops, device, program, hints->tables, hints->ntables),
			.free = budget > taken ? budget - taken : 0
	};
}

static bool
is_better(const Place *a, const Place *b)
{
	if (a->fits != b->fits)
		return a->fits;
	if (a->kept != b->kept)
		return a->kept > b->kept;
	if (a->runs != b->runs)
		return a->runs < b->runs;
	return a->free > b->free;
}

/* The blocks of all tables. */
static uint64_t
blocks_of_tables(const EngineHints *hints)
{
	uint64_t	blocks = 0;

	for (int i = 0; i < hints->ntables; i++)
		blocks += hints->tables[i].nblocks;
	return blocks;
}

/*
 * Do its groups take less time to merge than so many devices spare one that keeps most_kept of the
 * blocks?
 */
static bool
merging_pays(const Program *program, const EngineHints *hints, int ndevices, uint64_t blocks,
			 uint64_t most_kept)
{
	double		others = blocks > most_kept ? (double) (blocks - most_kept) : 0;
	double		merge;

	if (hints->groups <= FEW_MERGED)
		return true;
	merge = cuda_engine_merges(program) ? MERGE_THERE : MERGE_BY_HOST;
	if (others > hints->pages)
		others = hints->pages;
	return hints->groups * merge * (ndevices - 1) <=
		hints->pages * SPARED_OF_KEPT + others * SPARED_OF_OTHERS;
}

/* Is the run one of all devices, of which there are so many? */
static bool
is_dealt(const ServiceConfig *config, const Program *program, const EngineHints *hints,
		 int ndevices, uint64_t kept, uint64_t most_kept)
{
	uint64_t	blocks = blocks_of_tables(hints);
	bool		is_spread = most_kept < SPREAD_SHARE * (kept < blocks ? kept : blocks);

	return program->source == SOURCE_PAGES && several_devices_possible(program) &&
		(hints->pages >= (double) config->deal_pages || is_spread) &&
		merging_pays(program, hints, ndevices, blocks, most_kept);
}

uint64_t
placement_choose(Service *service, const DeviceOps *ops, const Program *program,
				 const EngineHints *hints, uint64_t need)
{
	char		why[256];
	uint64_t	used = context_used(ops, why, sizeof(why));
	int			best = -1;
	Place		best_place = {0};
	bool		all_fit = true;
	uint64_t	kept = 0;
	uint64_t	most_kept = 0;

	for (int i = 0; i < DEVICES_MAX; i++)
	{
		Place		place;

		if ((used >> i & 1) == 0)
			continue;
		place = find_place(service, ops, i, program, hints, need);
		all_fit &= place.fits;
		kept += place.kept;
		most_kept = place.kept > most_kept ? place.kept : most_kept;
		if (best < 0 || is_better(&place, &best_place))
		{
			best = i;
			best_place = place;
		}
	}
	if (best < 0 || (all_fit && is_dealt(service->config, program, hints, __builtin_popcountll(used),
											kept, most_kept)))
		return used;
	return UINT64_C(1) << best;
}
