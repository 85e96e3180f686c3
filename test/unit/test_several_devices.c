/*
 * test_several_devices.c
 *	  Runs on several devices, simulated ones of different sizes, or with
 *	  GPUAGG_TEST_ENGINE=cuda the machine's: the groups are those that the CPU engine makes,
 *	  columns are kept where their stripes are read, and what a device cannot do fails the run.
 *
 * A table has few pages of its own; its blocks show them again and again.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "engine/cuda/context/context.h"
#include "engine/cuda/cuda_engine.h"
#include "engine/several_devices.h"
#include "engine/simt/simt.h"
#include "engine/stripe.h"
#include "engine_data.h"
#include "oracle.h"
#include "page_writer.h"
#include "tap.h"

#define NDEVICES 3
#define MEMORIES "400000000,250000000,300000000"
#define SMALL_MEMORIES "400000000,26000000,300000000"
#define TWO_DEVICES 3
#define ALL_DEVICES 7
#define NROWS 30000
#define NPAGES 37
#define MAX_BLOCKS (FRAME_BLOCKS + 1500)

static const EngineOps *engine = &simt_engine;
static const DeviceOps *device = &simt_device;
static uint64_t devices;
static EngineOps several;		/* with the calls of the run opened last */

static char *pages[NPAGES];
static PageRef refs[MAX_BLOCKS];
static FrameMap frames[MAX_BLOCKS / FRAME_BLOCKS + 1];
static TableState state = {.file = {1663, 5, 7000},.relation = 77,.table = 3,.wal_end = 100,.frames = frames};
static const char *const strategies[] = {
	"auto", "atomic", "block", "peers", "scan", "vote", "scatter", "interpret"
};

#define NSTRATEGIES (int) (sizeof(strategies) / sizeof(strategies[0]))

/* The attributes. */
enum
{
	A_INT4 = 1, A_FLOAT8, A_TEXT, A_INT8
};

static EngineStatus
open_several(const Program *program, const ParamValue *params, const EngineHints *hints,
			 EngineRun **run, char *message)
{
	EngineStatus status = several_devices_open(engine, devices, program, params, hints, run,
											   message);

	if (status == ENGINE_OK)
		several = *(*run)->ops;
	several.open = open_several;
	return status;
}

/* All strategies over batches, with all kinds of accumulators. */
static void
test_batches(void)
{
	static const int keys[][2] = {
		{C_INT4, -1}, {C_TEXT_NULL, -1}, {C_INT8, C_INT4_NULL}, {C_UUID, -1}, {C_BOOL, C_INT2}
	};
	ColumnBatch batch = {NROWS, data_vectors};
	EngineHints plain = {.strategy = "auto"};

	for (int i = -1; i < (int) (sizeof(keys) / sizeof(keys[0])); i++)
	{
		int			nkeys = i < 0 ? 0 : keys[i][1] < 0 ? 1 : 2;
		Program    *program = data_program(i < 0 ? NULL : keys[i], nkeys, true, false);
		Groups	   *expected = engine_groups_of_batch(&cpu_engine, program, NULL, &plain, &batch,
													  NROWS);

		ok(several_devices_possible(program), "a run on several devices is possible");
		for (int j = i < 0 ? 0 : i % 2; j < NSTRATEGIES; j += 2)
		{
			EngineHints hints = {.strategy = strategies[j],.rows = NROWS};
			Groups	   *got = engine_groups_of_batch(&several, program, NULL, &hints, &batch, 700);

			ok(groups_same(program, expected, got) && got->stats.rows == NROWS &&
			   got->stats.groups == got->ngroups,
			   "%d keys, program %d, %s: %zu groups %s", nkeys, i, strategies[j], got->ngroups,
			   got->message);
			groups_free(got);
		}
		groups_free(expected);
		free(program);
	}
}

/* Rows of one call, which one part takes; values of a range, all of which each piece has. */
#define PIECE 2000
#define RANGE 1900

/* More groups than a part's first table takes. */
#define MERGE_ROWS 12000

/* Columns of rows whose groups are those of one part, or of several. */
enum
{
	M_ROW, M_SHARED, M_RANGE, M_RANGES, M_ENDS, M_FLOAT8, M_COUNT
};

static int64_t merge_ints[M_FLOAT8][MERGE_ROWS];
static double merge_floats[MERGE_ROWS];
static uint8_t merge_validity[(MERGE_ROWS + 7) / 8];
static const ColumnVector merge_vectors[M_COUNT] = {
	{.values = merge_ints[M_ROW]}, {.values = merge_ints[M_SHARED]},
	{.values = merge_ints[M_RANGE],.validity = merge_validity},
	{.values = merge_ints[M_RANGES]},
	{.values = merge_ints[M_ENDS],.validity = merge_validity}, {.values = merge_floats}
};

static void
make_merge_rows(void)
{
	for (int64_t i = 0; i < MERGE_ROWS; i++)
	{
		merge_ints[M_ROW][i] = i * INT64_C(1000000007) * 4001;
		merge_ints[M_SHARED][i] = i * 7919 % 3000 * INT64_C(1000000007);
		merge_ints[M_RANGE][i] = i % RANGE;
		merge_ints[M_RANGES][i] = i % RANGE + i / PIECE % 3 * RANGE;
		/* of three parts, one has the least integers, and others the greatest ones */
		merge_ints[M_ENDS][i] = i / PIECE % 3 == 0 ? INT64_MIN + i % RANGE : INT64_MAX - i % RANGE;
		merge_floats[i] = (double) i * 1.1e6 - 5e9;
		merge_validity[i / 8] |= (uint8_t) ((i % 13 != 0) << i % 8);
	}
}

/* Keys, and accumulators of all kinds of words. */
static Program *
merge_program(const int *keys, int nkeys)
{
	ProgramBuilder *b = malloc(sizeof(*b));
	Program    *program;
	int			regs[M_COUNT];

	program_begin(b, SOURCE_COLUMNS);
	for (int i = 0; i < M_COUNT; i++)
		regs[i] = program_add_column(b, 1 + i, i == M_FLOAT8 ? VT_FLOAT8 : VT_INT8,
									 i == M_RANGE || i == M_ENDS, -1);
	for (int i = 0; i < nkeys; i++)
		program_add_key(b, regs[keys[i]]);
	program_add_acc(b, ACC_COUNT, -1, -1);
	program_add_acc(b, ACC_COUNT, regs[M_RANGE], -1);
	program_add_acc(b, ACC_SUM_INT128, regs[M_ROW], -1);
	program_add_acc(b, ACC_SUM_FLOAT, regs[M_FLOAT8], -1);
	program_add_acc(b, ACC_MIN_INT, regs[M_SHARED], -1);
	program_add_acc(b, ACC_MAX_INT, regs[M_RANGE], -1);
	program_add_acc(b, ACC_MIN_FLOAT, regs[M_FLOAT8], -1);
	program_add_acc(b, ACC_BIT_AND, regs[M_RANGES], -1);
	program_add_acc(b, ACC_BIT_OR, regs[M_RANGE], -1);
	program_add_acc(b, ACC_BIT_XOR, regs[M_ROW], -1);
	program = calloc(1, program_size(b));
	program_finish(b, program);
	free(b);
	return program;
}

/* A device has all groups, which are those expected, and can leave out those that are not wanted. */
static void
check_merge(const char *name, const Program *program, const char *strategy,
			const ColumnBatch *batch, const Groups *expected)
{
	EngineHints hints = {.strategy = strategy};
	Groups	   *got = engine_groups_of_batch(&several, program, NULL, &hints, batch, PIECE);

	ok(groups_same(program, expected, got) && got->stats.groups == got->ngroups &&
	   got->stats.groups_merged == 0, "%s, %s: %zu groups %s", name, strategy, got->ngroups,
	   got->message);
	groups_free(got);
	hints.top = (TopHint) {.groups = 10,.ncolumns = 1};
	got = engine_groups_of_batch(&several, program, NULL, &hints, batch, PIECE);
	ok(got->status == ENGINE_OK && got->stats.groups_left_out > 0 &&
	   got->stats.groups_left_out + got->ngroups == expected->ngroups,
	   "%llu are left out %s", (unsigned long long) got->stats.groups_left_out, got->message);
	groups_free(got);
}

/* A part takes the groups of the others, whichever tables these have. */
static void
test_merge(void)
{
	static const struct
	{
		const char *name;
		int			keys[2];
		int			nkeys;
		const char *strategy;
	}			cases[] = {
		{"groups of a row", {M_ROW}, 1, "atomic"},
		{"groups of all parts", {M_SHARED}, 1, "scatter"},
		{"a range", {M_RANGE}, 1, "block"},
		{"ranges", {M_RANGES}, 1, "peers"},
		{"both ends of integers", {M_ENDS}, 1, "atomic"},
		{"two keys", {M_SHARED, M_RANGE}, 2, "vote"},
		{"two keys of a row", {M_RANGE, M_ROW}, 2, "scan"}
	};
	ColumnBatch batch = {MERGE_ROWS, merge_vectors};
	EngineHints plain = {.strategy = "auto"};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		Program    *program = merge_program(cases[i].keys, cases[i].nkeys);
		Groups	   *expected = engine_groups_of_batch(&cpu_engine, program, NULL, &plain, &batch,
													  MERGE_ROWS);

		ok(cuda_engine_merges(program), "%s can be merged on a device", cases[i].name);
		check_merge(cases[i].name, program, "auto", &batch, expected);
		check_merge(cases[i].name, program, "interpret", &batch, expected);
		check_merge(cases[i].name, program, cases[i].strategy, &batch, expected);
		groups_free(expected);
		free(program);
	}
}

/* The host merges texts. */
static void
test_merge_texts(void)
{
	static const int keys[] = {C_TEXT_NULL, C_INT4};
	Program    *program = data_program(keys, 2, false, false);
	ColumnBatch batch = {NROWS, data_vectors};
	EngineHints hints = {.strategy = "auto"};
	Groups	   *got = engine_groups_of_batch(&several, program, NULL, &hints, &batch, PIECE);

	ok(!cuda_engine_merges(program) && got->stats.groups_merged >= got->ngroups &&
	   got->ngroups > 0, "texts are merged by the host %s", got->message);
	groups_free(got);
	free(program);
}

/* So it does where a device has no memory for a copy of another's table. */
static void
test_merge_without_memory(void)
{
	static const int keys[] = {M_ROW};
	Program    *program = merge_program(keys, 1);
	ColumnBatch batch = {MERGE_ROWS, merge_vectors};
	EngineHints hints = {.strategy = "atomic"};
	Groups	   *expected = engine_groups_of_batch(&cpu_engine, program, NULL, &hints, &batch, MERGE_ROWS);
	Groups	   *got;
	int			by_host = 0;
	int			wrong = 0;

	for (int nth = 15; nth < 100 && by_host == 0; nth++)
	{
		/* what devices have kept of their memory they need not ask for; they ask twice */
		context_close(&simt_device);
		(void) simt_inject("alloc", nth, DEVICE_NO_MEMORY);
		(void) simt_inject("alloc", nth + 1, DEVICE_NO_MEMORY);
		got = engine_groups_of_batch(&several, program, NULL, &hints, &batch, PIECE);
		wrong += got->status != ENGINE_NO_MEMORY && !groups_same(program, expected, got);
		by_host += got->status == ENGINE_OK && got->stats.groups_merged > 0;
		groups_free(got);
		(void) simt_inject(NULL, 0, DEVICE_OK);
	}
	ok(wrong == 0 && by_host > 0, "without memory: %d runs by the host, %d wrong", by_host, wrong);
	(void) simt_inject("copy_from", 1, DEVICE_REFUSED);
	got = engine_groups_of_batch(&several, program, NULL, &hints, &batch, PIECE);
	ok(got->status == ENGINE_FAILED, "a copy that is refused: %s", got->message);
	(void) simt_inject(NULL, 0, DEVICE_OK);
	groups_free(got);
	groups_free(expected);
	free(program);
}

/* Fewer rows than devices, and none. */
static void
test_few_rows(void)
{
	static const int keys[] = {C_INT4};
	EngineHints hints = {.strategy = "auto"};

	for (int i = 0; i < 4; i++)
	{
		Program    *program = data_program(keys, i % 2, true, false);
		ColumnBatch batch = {i < 2 ? 0 : 2, data_vectors};
		Groups	   *expected = engine_groups_of_batch(&cpu_engine, program, NULL, &hints, &batch, 1);
		Groups	   *got = engine_groups_of_batch(&several, program, NULL, &hints, &batch, 1);

		ok(groups_same(program, expected, got), "%u rows, %d keys: %zu groups %s", batch.nrows,
		   i % 2, got->ngroups, got->message);
		groups_free(expected);
		groups_free(got);
		free(program);
	}
}

static void
make_page(char *page, int number)
{
	page_begin(page);
	for (int row = 0; row < 1 + number % 9; row++)
	{
		TupleWriter tuple;
		int32_t		int4 = number * 7 % 50 + row;
		double		float8 = number * 1.25 + row;
		int64_t		int8 = number * INT64_C(1000000007) - row;
		char		text[40];

		tuple_begin(&tuple);
		if (row % 5 == 4)
			tuple_null(&tuple);
		else
			tuple_fixed(&tuple, &int4, 4, 4);
		tuple_fixed(&tuple, &float8, 8, 8);
		tuple_text(&tuple, text, (uint32_t) snprintf(text, sizeof(text), "text %d", number % 20), true);
		tuple_fixed(&tuple, &int8, 8, 8);
		page_add(page, &tuple, HEAP_LINE_NORMAL);
	}
}

/* The sums of float8 and int8, and the greatest text, by a key. */
static Program *
make_program(int key)
{
	ProgramBuilder *b = malloc(sizeof(*b));
	Program    *program;
	int			text;

	program_begin(b, SOURCE_PAGES);
	program_add_attr(b, 4, 4);
	program_add_attr(b, 8, 8);
	program_add_attr(b, -1, 4);
	program_add_attr(b, 8, 8);
	text = program_add_column(b, A_TEXT, VT_TEXT, true, -1);
	if (key == A_INT4)
		program_add_key(b, program_add_column(b, A_INT4, VT_INT4, true, -1));
	else if (key == A_TEXT)
		program_add_key(b, text);
	program_add_acc(b, ACC_COUNT, -1, -1);
	program_add_acc(b, ACC_SUM_FLOAT, program_add_column(b, A_FLOAT8, VT_FLOAT8, false, -1), -1);
	program_add_acc(b, ACC_SUM_INT128, program_add_column(b, A_INT8, VT_INT8, false, -1), -1);
	program_add_acc(b, ACC_MAX_TEXT, text, -1);
	program = calloc(1, program_size(b));
	program_finish(b, program);
	free(b);
	return program;
}

static void
set_block(uint32_t block, bool all_visible)
{
	uint8_t    *byte = &frames[block / FRAME_BLOCKS].bits[block % FRAME_BLOCKS / 4];
	uint8_t		bit = (uint8_t) (1 << block % FRAME_BLOCKS % 4 * 2);
	char	   *page = pages[block * 31 % NPAGES];

	*byte = all_visible ? *byte | bit : *byte & (uint8_t) ~bit;
	refs[block] = (PageRef) {.page = page,.nlines = page_nlines(page),.block = block,
	.table = state.table,.lsn = 5};
}

static void
set_lsn(uint64_t lsn)
{
	for (uint32_t i = 0; i < MAX_BLOCKS / FRAME_BLOCKS + 1; i++)
		frames[i].lsn = lsn;
}

static void
make_table(uint32_t nblocks)
{
	memset(frames, 0, sizeof(frames));
	state.file[2]++;
	state.nblocks = nblocks;
	for (uint32_t i = 0; i < nblocks; i++)
		set_block(i, true);
	set_lsn(5);
}

/* All pages are as they were. */
static bool
same_lsns(const EngineRequest *request, uint64_t *lsns)
{
	for (uint64_t i = 0; i < request->n; i++)
		lsns[i] = 5;
	return true;
}

/* Run over the table, some pages at once; the CPU engine's groups must be the same. */
static EngineStats
check(const char *what, const Program *program, const char *strategy, int at_once)
{
	EngineHints hints = {.strategy = strategy,.pages = state.nblocks,.tables = &state,.ntables = 1,
	.answers = true};
	PageFeed	feed = {refs, (int) state.nblocks, at_once, NULL};
	Groups	   *expected = engine_groups_of_feed(&cpu_engine, program, NULL, &hints, &feed);
	Groups	   *got = engine_groups_of_feed(&several, program, NULL, &hints, &feed);
	EngineStats stats = got->stats;

	ok(groups_same(program, expected, got) && expected->stats.rows == stats.rows,
	   "%s: %zu groups, blocks: %llu resident, %llu masked, %llu kept %s", what, got->ngroups,
	   (unsigned long long) stats.blocks_resident, (unsigned long long) stats.blocks_masked,
	   (unsigned long long) stats.blocks_kept, got->message);
	groups_free(expected);
	groups_free(got);
	return stats;
}

/* Blocks of the table that a device keeps. */
static uint64_t
blocks_on(int number, const Program *program)
{
	return cuda_engine_blocks_kept(device, number, program, &state, 1);
}

/* Do devices keep the stripes that are theirs, and no others? */
static bool
are_dealt(const Program *program)
{
	uint32_t	nparts = (uint32_t) __builtin_popcountll(devices);
	uint64_t	expected[NDEVICES] = {0};
	bool		good = true;

	for (uint32_t i = 0; i < stripes_of_table(state.nblocks); i++)
		expected[stripe_part(state.file[2], i, nparts)] += stripe_blocks_there(&state, i);
	for (int i = 0; i < NDEVICES; i++)
		good = good && blocks_on(i, program) == expected[i];
	return good;
}

/* From pages, from kept columns, with masks, and after the map has got another LSN. */
static void
test_kept(int key, const char *strategy)
{
	Program    *program = make_program(key);
	EngineStats stats;
	char		what[100];

	make_table(FRAME_BLOCKS + 1500);
	snprintf(what, sizeof(what), "key %d, %s", key, strategy);
	stats = check(what, program, strategy, 100);
	ok(stats.blocks_kept > state.nblocks / 2, "most is kept");
	/* texts of a first buffer may still be on their way into the dictionary */
	(void) check(what, program, strategy, 100);
	ok(are_dealt(program), "then all is, by stripes");
	stats = check(what, program, strategy, 100);
	ok(stats.blocks_resident == state.nblocks && stats.bytes == 0, "all is served");
	for (uint32_t block = 7; block < state.nblocks; block += 97)
		set_block(block, false);
	stats = check(what, program, strategy, ENGINE_MAX_PAGES);
	ok(stats.blocks_masked == 58 && stats.blocks_resident == state.nblocks - 58, "some are masked");
	set_lsn(6);
	stats = check(what, program, strategy, 1);
	ok(stats.blocks_resident == state.nblocks - 58, "LSNs of pages tell what is as it was");
	free(program);
}

/* Small tables, such as partitions, are not all the first device's. */
static void
test_small_tables(void)
{
	Program    *program = make_program(A_INT4);
	Program    *sums = make_program(0);
	uint64_t	blocks[NDEVICES] = {0};

	for (int table = 0; table < NDEVICES; table++)
	{
		make_table(200);
		(void) check("a small table", program, "auto", 100);
		for (int i = 0; i < NDEVICES; i++)
			blocks[i] += blocks_on(i, program);
	}
	ok(blocks[0] == 200 && blocks[1] == 200 && blocks[2] == 200, "three tables on three devices");
	for (int table = 0; table < NDEVICES; table++)
	{
		make_table(200);
		(void) check("sums of rows that one device has", sums, "auto", 100);
	}
	free(program);
	free(sums);
}

/* A Program whose groups depend on the order of rows is not divided. */
static void
test_impossible(void)
{
	static const int keys[] = {C_FLOAT8};
	Program    *program = data_program(keys, 1, false, false);

	ok(!several_devices_possible(program), "float keys");
	free(program);
}

/* One device fails, or has no memory: so does the run, and it is known which. */
static void
test_failures(void)
{
	static const int keys[] = {C_INT4};
	Program    *program = data_program(keys, 1, true, false);
	ColumnBatch batch = {NROWS, data_vectors};
	EngineHints hints = {.strategy = "atomic"};
	Groups	   *got;

	/* what devices have kept of their memory they need not ask for */
	context_close(&simt_device);
	(void) simt_inject("host_alloc@1", 1, DEVICE_NO_MEMORY);
	got = engine_groups_of_batch(&several, program, NULL, &hints, &batch, 700);
	ok(got->status == ENGINE_NO_MEMORY && context_lost(&simt_device) < 0, "no memory: %s",
	   got->message);
	groups_free(got);
	(void) simt_inject(NULL, 0, DEVICE_OK);
	(void) simt_inject("launch@1", 3, DEVICE_FAILED);
	got = engine_groups_of_batch(&several, program, NULL, &hints, &batch, 700);
	ok(got->status == ENGINE_LOST && context_lost(&simt_device) == 1, "device 1 is lost: %s",
	   got->message);
	groups_free(got);
	(void) simt_inject(NULL, 0, DEVICE_OK);
	context_close(&simt_device);
	free(program);
}

/* Groups that cannot go from device to device fail the run; the next one goes on. */
static void
test_merge_failures(void)
{
	static const int keys[] = {M_RANGE};
	static const DeviceStatus failures[] = {DEVICE_REFUSED, DEVICE_FAILED, DEVICE_OK};
	static const EngineStatus expected[] = {ENGINE_FAILED, ENGINE_LOST, ENGINE_OK};
	Program    *program = merge_program(keys, 1);
	ColumnBatch batch = {MERGE_ROWS, merge_vectors};
	EngineHints hints = {.strategy = "atomic"};

	for (int i = 0; i < 3; i++)
	{
		Groups	   *got;

		(void) simt_inject("copy_from", 1, failures[i]);
		got = engine_groups_of_batch(&several, program, NULL, &hints, &batch, PIECE);
		ok(got->status == expected[i] && (context_lost(&simt_device) >= 0) == (got->status == ENGINE_LOST),
		   "a copy of groups from another device, outcome %d: %s", (int) got->status, got->message);
		groups_free(got);
		(void) simt_inject(NULL, 0, DEVICE_OK);
		if (failures[i] == DEVICE_FAILED)
			context_close(&simt_device);
	}
	free(program);
}

/* What a small device has no room for is read each time, or fails the run. */
static void
test_small_device(void)
{
	static const int keys[] = {C_INT8, C_INT4};
	Program    *program = make_program(A_INT4);
	Program    *many = data_program(keys, 2, true, false);
	ColumnBatch batch = {NROWS, data_vectors};
	EngineHints hints = {.strategy = "auto"};
	EngineStats stats;
	Groups	   *got;

	context_close(&simt_device);
	setenv("GPUAGG_SIMT_MEMORY", SMALL_MEMORIES, 1);
	cuda_engine_keep_columns(64 << 10);
	make_table(FRAME_BLOCKS);
	stats = check("little may be kept", program, "auto", 100);
	ok(stats.blocks_kept < state.nblocks, "not all is");
	(void) check("so it is read again", program, "auto", 100);
	got = engine_groups_of_batch(&several, many, NULL, &hints, &batch, 700);
	ok(got->status == ENGINE_NO_MEMORY, "many groups: %s", got->message);
	groups_free(got);
	free(program);
	free(many);
}

/* Buffers that kernels read in place, registered with all devices. */
static void
make_pages(void)
{
	char	   *memory = mmap(NULL, (size_t) NPAGES * HEAP_PAGE_SIZE, PROT_READ | PROT_WRITE,
							  MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	for (int i = 0; i < NPAGES; i++)
		make_page(pages[i] = memory + (size_t) i * HEAP_PAGE_SIZE, i);
	ok(context_map(device, memory, (size_t) NPAGES * HEAP_PAGE_SIZE), "memory is announced");
}

/* All pages are read in place once their memory is registered. */
static void
test_in_place(void)
{
	Program    *program = make_program(A_INT4);
	EngineStats stats;
	char		why[256];

	make_table(3 * STRIPE_BLOCKS);
	(void) check("pages in place, or not yet", program, "auto", 100);
	context_map_wait(device);
	ok(!context_map_failed(device, why, sizeof(why)), "all memory is registered: %s", why);
	make_table(3 * STRIPE_BLOCKS);
	stats = check("pages in place", program, "auto", 100);
	ok(stats.pages_in_place == state.nblocks, "of all devices");
	free(program);
}

static void
test_devices(void)
{
	printf("# %d devices\n", __builtin_popcountll(devices));
	test_in_place();
	test_batches();
	/* simulated devices once */
	if (devices == ALL_DEVICES || engine != &simt_engine)
		test_merge();
	test_few_rows();
	for (int i = 0; i < NSTRATEGIES; i += 3)
		test_kept(A_INT4, strategies[i]);
	test_kept(A_TEXT, "auto");
	test_kept(0, "auto");
}

int
main(void)
{
	const char *name = getenv("GPUAGG_TEST_ENGINE");
	char		why[256];

	setenv("GPUAGG_SIMT_MEMORY", MEMORIES, 1);
	if (name != NULL && strcmp(name, "cuda") == 0)
	{
		engine = &cuda_engine;
		device = &cuda_device;
	}
	if (__builtin_popcountll(context_used(device, why, sizeof(why))) < 2)
	{
		printf("1..0 # SKIP there are no two devices\n");
		return 0;
	}
	context_share(device, 0);
	cuda_engine_keep_columns(KEPT_SHARE);
	several.open = open_several;
	data_make(NROWS, 300, false);
	make_merge_rows();
	make_pages();
	oracle_lsns = same_lsns;
	devices = TWO_DEVICES;
	test_devices();
	if (engine == &simt_engine)
	{
		devices = ALL_DEVICES;
		test_devices();
		test_small_tables();
		test_impossible();
		test_merge_texts();
		test_merge_without_memory();
		test_failures();
		test_merge_failures();
		test_small_device();
	}
	cuda_engine_evict_relation(0, 0);
	for (int i = 0; i < NDEVICES; i++)
		ok(context_memory_used(device, i) == 0 && context_of(device, i)->memory.lent == 0,
		   "device %d: all memory was given back", i);
	return done_testing();
}
