/*
 * test_segment_queue.c
 *	  Launches over columns that stay on the device, of which the next one is queued before it
 *	  is known what came of the last: rows that find no room in the first, in the last, in all
 *	  of them; and what is known of rows from earlier runs, right and wrong.
 *
 * Facts that are wrong make a run choose badly, so that its table is too small, but change
 * no answer.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/cuda/context/context.h"
#include "engine/cuda/cuda_engine.h"
#include "engine/stripe.h"
#include "engine/cuda/run/run.h"
#include "oracle.h"
#include "page_writer.h"
#include "tap.h"

#define NSTRIPES 4
#define NBLOCKS (NSTRIPES * STRIPE_BLOCKS)
#define PAGE_ROWS 40
#define NPAGES 250
#define NKEYS (NPAGES * PAGE_ROWS)
#define MEMORY (UINT64_C(1) << 30)

/* It has lists for less than all stripes, so that two launches can be queued.  Tables have more. */
#define MEMORY_LIMIT (UINT64_C(8) << 20)

/* The slots of the smallest table, of which half are filled. */
#define SMALL_TABLE 16384

/* A page of keys that are far from all others, and some that together have as many as a stripe. */
#define FAR_PAGE NPAGES
#define FAR_KEY 1000000000
#define MANY_PAGE (NPAGES + 1)
#define ALL_PAGES (MANY_PAGE + STRIPE_BLOCKS)

static char pages[ALL_PAGES][HEAP_PAGE_SIZE];
static PageRef refs[NBLOCKS];
static FrameMap frames[NBLOCKS / FRAME_BLOCKS + 1];
static TableState state = {.file = {1663, 5, 7000},.relation = 77,.table = 3,
						   .nblocks = NBLOCKS,.frames = frames};
static const char *const strategies[] = {"auto", "atomic", "block", "peers", "scan"};

#define NSTRATEGIES (int) (sizeof(strategies) / sizeof(strategies[0]))

/*
 * The simulated device's engine, which begins before it has pages, with a launch for each
 * stripe; and what it did.
 */
static EngineOps engine;
static uint32_t launches;
static int	queued;
static int	opened;				/* runs, since this was cleared */

static EngineStatus
open_and_begin(const Program *program, const ParamValue *params, const EngineHints *hints,
			   EngineRun **run, char *message)
{
	EngineStatus status = simt_engine.open(program, params, hints, run, message);
	Input	   *input;

	launches = 0;
	queued = 0;
	opened++;
	if (status != ENGINE_OK)
		return status;
	input = &((CudaRun *) *run)->input;
	((CudaRun *) *run)->core.memory_limit = MEMORY;
	if (input->nqueued > 1)
		(void) segment_launches_plan(&((CudaRun *) *run)->core, &input->served, 1, 0,
									 &input->launches);
	status = simt_engine.kept->begin(*run);
	launches = input->launches.n;
	for (int i = 0; i < input->nqueued; i++)
		queued += input->segments[i].state == BUFFER_SUBMITTED;
	/* both launches end before anybody looks at the first one's counters */
	(void) simt_device.stream_wait(((CudaRun *) *run)->core.device, ((CudaRun *) *run)->core.work);
	return status;
}

/* Rows of an int4 and a float8. */
static void
make_page(char *page, int number)
{
	page_begin(page);
	for (int row = 0; row < PAGE_ROWS; row++)
	{
		TupleWriter tuple;
		int32_t		int4 = number == FAR_PAGE ? FAR_KEY + row : number * PAGE_ROWS + row;
		double		float8 = number * 1.25 + row;

		tuple_begin(&tuple);
		tuple_fixed(&tuple, &int4, 4, 4);
		tuple_fixed(&tuple, &float8, 8, 8);
		page_add(page, &tuple, HEAP_LINE_NORMAL);
	}
}

static void
set_block(uint32_t block, int page)
{
	refs[block] = (PageRef) {.page = pages[page],.nlines = page_nlines(pages[page]),.block = block,
							 .table = state.table};
}

/* A new file, all of whose blocks are all-visible. */
static void
make_table(void)
{
	memset(frames, 0, sizeof(frames));
	state.file[2]++;
	frames[0].lsn = 5;
	for (uint32_t i = 0; i < NBLOCKS; i++)
	{
		set_block(i, (int) (i % NPAGES));
		frames[0].bits[i / 4] |= (uint8_t) (1 << i % 4 * 2);
	}
}

/* A count and a sum by a key. */
static Program *
make_program(void)
{
	ProgramBuilder *b = malloc(sizeof(*b));
	Program    *program;

	program_begin(b, SOURCE_PAGES);
	program_add_attr(b, 4, 4);
	program_add_attr(b, 8, 8);
	program_add_key(b, program_add_column(b, 1, VT_INT4, true, -1));
	program_add_acc(b, ACC_COUNT, -1, -1);
	program_add_acc(b, ACC_SUM_FLOAT, program_add_column(b, 2, VT_FLOAT8, false, -1), -1);
	program = calloc(1, program_size(b));
	program_finish(b, program);
	free(b);
	return program;
}

static EngineHints
make_hints(const char *strategy, uint64_t limit)
{
	return (EngineHints) {.strategy = strategy,.pages = NBLOCKS,.tables = &state,.ntables = 1,
						  .memory_limit = limit};
}

/* Run it; the CPU engine's groups must be the same. */
static void
check(const char *what, const Program *program, const EngineHints *hints)
{
	Groups	   *expected = engine_groups_of_pages(&cpu_engine, program, NULL, hints, refs, NBLOCKS);
	Groups	   *got = engine_groups_of_pages(&engine, program, NULL, hints, refs, NBLOCKS);

	ok(expected->status == ENGINE_OK && groups_same(program, expected, got) &&
	   expected->stats.rows == got->stats.rows &&
	   expected->stats.rows_passed == got->stats.rows_passed,
	   "%s, %s: %zu groups by %u launches, %d of them queued%s%s", hints->strategy, what,
	   got->ngroups, launches, queued, got->message[0] ? ", " : "", got->message);
	groups_free(expected);
	groups_free(got);
}

/* The entry that the last run has found or made. */
static KnownEntry *
last_known(void)
{
	KnownFacts *known = &context_of(&simt_device, 0)->known;

	for (int i = 0; i < known->n; i++)
		if (known->entries[i]->used == known->clock)
			return known->entries[i];
	return NULL;
}

/* Keep the table's columns, and learn of its rows by launches as small as those to come. */
static void
learn(const Program *program, const EngineHints *hints)
{
	EngineHints all = make_hints(hints->strategy, 0);

	check("from pages", program, &all);
	check("what is known", program, hints);
	ok(launches == NSTRIPES && queued == 2, "the second launch is queued behind the first");
}

/* From now on only the range of most keys is known. */
static void
forget_others(void)
{
	SampleFacts *facts = &last_known()->facts;

	facts->min = 0;
	facts->max = NKEYS - 1;
	facts->groups = facts->distinct = NKEYS;
}

/* Keys beyond a range, in blocks of the first launch, of the last, or of both. */
static void
test_far_keys(const Program *program, const char *strategy, bool first, bool last)
{
	EngineHints hints = make_hints(strategy, MEMORY_LIMIT);

	make_table();
	if (first)
		set_block(7, FAR_PAGE);
	if (last)
		set_block(NBLOCKS - 3, FAR_PAGE);
	learn(program, &hints);
	forget_others();
	check("keys beyond the range", program, &hints);
}

/*
 * Few rows of the first launch find no room, and most of the last, which has the same buffer:
 * its list must have room for them, not for the few.
 */
static void
test_lists(const Program *program, const char *strategy)
{
	EngineHints hints = make_hints(strategy, MEMORY_LIMIT);

	make_table();
	set_block(7, FAR_PAGE);
	for (uint32_t i = 0; i < STRIPE_BLOCKS; i++)
		set_block(NBLOCKS - STRIPE_BLOCKS + i, (int) (MANY_PAGE + i));
	learn(program, &hints);
	forget_others();
	check("few rows, then many", program, &hints);
}

/* A table that is full before the first launch ends: rows of all launches find no room. */
static void
test_full(const Program *program, const char *strategy)
{
	EngineHints hints = make_hints(strategy, MEMORY_LIMIT);

	_Static_assert(NKEYS > SMALL_TABLE / 2 && NKEYS < SMALL_TABLE && STRIPE_BLOCKS > NPAGES, "the first launch fills it");
	make_table();
	learn(program, &hints);
	last_known()->facts.min = 1;
	last_known()->facts.max = 0;
	last_known()->facts.groups = last_known()->facts.distinct = 10;
	check("a table that is too small", program, &hints);
}

/* A unit that does not fit the values is noticed, also if it was known. */
static void
test_exponents(const Program *program)
{
	EngineHints hints = make_hints("auto", MEMORY_LIMIT);
	KnownEntry *entry;
	uint32_t	exponent;

	make_table();
	learn(program, &hints);
	entry = last_known();
	ok(entry->measured && entry->sampled, "exponents are known");
	exponent = entry->exponents[0];
	entry->exponents[0] = 2000;
	opened = 0;
	check("a unit that does not fit", program, &hints);
	ok(opened == 2, "sums are made wider by a second run");
	entry->exponents[0] = exponent;
	opened = 0;
	check("a unit that fits", program, &hints);
	ok(opened == 1, "there is one run");
	state.file[2]++;
	hints.memory_limit = 0;
	check("another file", program, &hints);
	check("of which nothing is known", program, &hints);
	ok(last_known()->measured && last_known()->exponents[0] == exponent, "its exponents are");
}

int
main(void)
{
	Program    *program = make_program();

	engine = simt_engine;
	engine.open = open_and_begin;
	context_share(&simt_device, MEMORY);
	cuda_engine_keep_columns(MEMORY / 4);
	for (int i = 0; i < ALL_PAGES; i++)
		make_page(pages[i], i);
	for (int i = 0; i < NSTRATEGIES; i++)
	{
		test_far_keys(program, strategies[i], i % 2 == 0, true);
		test_full(program, strategies[i]);
		test_lists(program, strategies[i]);
	}
	test_far_keys(program, "auto", true, false);
	test_exponents(program);
	cuda_engine_evict_relation(0, 0);
	ok(context_memory_used(&simt_device, 0) == 0, "all memory was given back");
	free(program);
	return done_testing();
}
