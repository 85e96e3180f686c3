/*
 * test_kernels.c
 *	  Parts of the kernels on published worked examples, and the choice of a
 *	  strategy from samples.  On the simulated device, or, with
 *	  GPUAGG_TEST_ENGINE=cuda, on a GPU.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "engine/cuda/kernels/kernel_args.h"
#include "engine/cuda/strategy/scatter_plan.h"
#include "one_device.h"
#include "tap.h"

typedef struct PartArgs
{
	DevicePtr	in;
	DevicePtr	out;
	DevicePtr	counter;
	uint64_t	n;
} PartArgs;

/* What the generated text gives, for one word that is a plain sum. */
static const char *const head =
"#include \"prelude.cuh\"\n"
"#include \"ops.h\"\n"
"#include \"args.cuh\"\n"
"#include \"key.cuh\"\n"
"#include \"words.cuh\"\n"
"#define NWORDS 1\n"
"#define NHOT 1\n"
"#define NVALUES 0\n"
"#define PRESENCE_WORD 0\n"
"#define KEY_WORDS 1\n"
"#define STATE 1\n"
"#define STRIDE 2\n"
"#define TABLE_DIRECT 0\n"
"#define INTERPRETED 0\n"
"#define KERNEL_BEGIN(table)\n"
"#define HAS_WORD_KEYS 1\n"
"#define HAS_TAGGED_KEYS 0\n"
"#define HAS_VALUES 0\n"
"#define KEY_ROOM 1\n"
"#define STATE_ROOM 1\n"
"#define ROWS_AT_ONCE 1\n"
"typedef struct Raw { uint8_t unused; } Raw;\n"
"typedef struct Row { uint64_t key[1], words[1]; bool passes, error, widen; } Row;\n"
"DEVICE_FN void row_load(const RowBatch *batch, uint64_t row, Raw *raw) {}\n"
"DEVICE_FN void row_eval(const AggregateArgs *args, const Raw *raw, uint32_t index, Row *row) {}\n"
"DEVICE_FN bool key_same(const AggregateArgs *args, const uint64_t *a, const uint64_t *b)\n"
"{ return a[0] == b[0]; }\n"
"DEVICE_FN void words_identity(uint64_t *words) { words[0] = 0; }\n"
"DEVICE_FN void words_merge(uint64_t *into, const uint64_t *from) { into[0] += from[0]; }\n"
"DEVICE_FN void words_add(uint64_t *state, uint64_t *cold, const uint64_t *words) { word_add(state, words[0]); }\n"
"#include \"table.cuh\"\n"
"#include \"rows.cuh\"\n"
"#include \"atomic.cuh\"\n"
"#include \"peers.cuh\"\n"
"#include \"vote.cuh\"\n"
"#include \"compact.cuh\"\n"
"#include \"prefix.cuh\"\n"
"typedef struct PartArgs { uint64_t *in, *out; uint32_t *counter; uint64_t n; } PartArgs;\n"
"\n"
"/* Keys in[0 ..], values in[n ..]; sums after each round to out. */\n"
"KERNEL(peers_rounds, PartArgs, args)\n"
"{\n"
"	uint32_t lane = lane_index();\n"
"	uint32_t mask = (1u << args.n) - 1;\n"
"	uint64_t word[1];\n"
"	uint32_t by_match, peers, behind, rank;\n"
"\n"
"	if (lane >= args.n)\n"
"		return;\n"
"	word[0] = args.in[args.n + lane];\n"
"	peers = peers_by_ballot(mask, args.in[lane]);\n"
"	by_match = warp_match_u64(mask, args.in[lane]);\n"
"	args.out[3 * args.n + lane] = peers == by_match;\n"
"	rank = bits_count_u32(peers & lanes_below());\n"
"	behind = peers & ~lanes_below() & ~(1u << lane);\n"
"	peers_reduce_round(mask, &behind, &rank, word);\n"
"	args.out[lane] = word[0];\n"
"	while (peers_reduce_round(mask, &behind, &rank, word))\n"
"		;\n"
"	args.out[args.n + lane] = word[0];\n"
"	word[0] = args.in[args.n + lane];\n"
"	peers_reduce(mask, peers, word);\n"
"	args.out[2 * args.n + lane] = word[0];\n"
"}\n"
"\n"
"KERNEL(compact, PartArgs, args)\n"
"{\n"
"	uint64_t i = grid_index();\n"
"	bool keep = i < args.n && args.in[i] % 3 == 0;\n"
"	uint32_t place = compact_place(keep, args.counter);\n"
"\n"
"	if (keep)\n"
"		args.out[place] = args.in[i];\n"
"}\n"
"\n"
"/* Inclusive sums within runs of equal keys. */\n"
"KERNEL(segments, PartArgs, args)\n"
"{\n"
"	uint64_t key[1] = {args.in[lane_index()]};\n"
"	uint64_t word[1] = {args.in[32 + lane_index()]};\n"
"\n"
"	scan_segments(scan_heads(NULL, key), word);\n"
"	args.out[lane_index()] = word[0];\n"
"}\n"
"\n"
"/* Of each thread the sum of those before, behind them the sum of all. */\n"
"KERNEL_BOUNDS(sums, PartArgs, args, 1024, 1)\n"
"{\n"
"	uint32_t total, before;\n"
"\n"
"	before = block_prefix_sum((uint32_t) args.in[threadIdx.x], &total);\n"
"	args.out[threadIdx.x] = before;\n"
"	if (threadIdx.x == 0)\n"
"		args.out[blockDim.x] = total;\n"
"}\n"
"\n"
"KERNEL(votes, PartArgs, args)\n"
"{\n"
"	args.out[lane_index()] = vote_pays(32, lane_index() + 1);\n"
"}\n";

/* Run a kernel over n words; its output into out, its counter is returned. */
static uint32_t
run_part(DeviceModule *module, const char *name, const uint64_t *in, size_t nin,
		 uint64_t n, uint64_t *out, size_t nout, uint32_t grid, uint32_t block)
{
	PartArgs	args = {.n = n};
	void	   *params[] = {&args};
	DeviceKernel *kernel;
	DeviceStream *stream;
	uint32_t	count;

	must(ops->stream_create(dev, &stream));
	must(ops->kernel(dev, module, name, &kernel));
	must(ops->alloc(dev, nin * 8 + 8, &args.in));
	must(ops->alloc(dev, nout * 8, &args.out));
	must(ops->alloc(dev, 4, &args.counter));
	must(ops->upload(dev, stream, args.in, in, nin * 8));
	must(ops->fill(dev, stream, args.out, 0xff, nout * 8));
	must(ops->fill(dev, stream, args.counter, 0, 4));
	must(ops->launch(dev, stream, kernel, grid, block, 0, params));
	must(ops->download(dev, stream, out, args.out, nout * 8));
	must(ops->download(dev, stream, &count, args.counter, 4));
	must(ops->stream_wait(dev, stream));
	ops->free(dev, args.in);
	ops->free(dev, args.out);
	ops->free(dev, args.counter);
	ops->stream_destroy(dev, stream);
	return count;
}

/* Westphal's example, S5151: three groups in 16 lanes. */
static void
test_peers(DeviceModule *module)
{
	static const uint64_t in[32] = {
		'A', 'B', 'B', 'C', 'A', 'B', 'C', 'A', 'B', 'C', 'A', 'C', 'A', 'A', 'B', 'C',
		9, 8, 2, 6, 2, 7, 1, 4, 7, 6, 1, 8, 7, 8, 4, 7
	};
	static const int lanes[] = {0, 1, 3, 5, 7, 9, 12, 14, 15};
	static const uint64_t after_one[] = {11, 10, 7, 14, 5, 14, 15, 4, 7};
	uint64_t	out[64];
	bool		right = true;

	run_part(module, "peers_rounds", in, 32, 16, out, 64, 1, 32);
	for (int i = 0; i < 9; i++)
		right &= out[lanes[i]] == after_one[i];
	ok(right, "peers: the worked example after the first round");
	ok(out[16] == 31 && out[17] == 28 && out[19] == 28, "peers: and at the end");
	ok(out[32] == 31 && out[33] == 28 && out[35] == 28, "peers: all rounds in one call");
	right = true;
	for (int i = 48; i < 64; i++)
		right &= out[i] == 1;
	ok(right, "peers: ballot loop and match find the same");
}

static void
test_compact(DeviceModule *module)
{
	static uint64_t in[1000];
	static uint64_t out[1000];
	static bool seen[1000];
	uint32_t	expected = 0;
	uint32_t	count;
	bool		right = true;

	for (int i = 0; i < 1000; i++)
	{
		in[i] = (uint64_t) i;
		expected += i % 3 == 0;
	}
	count = run_part(module, "compact", in, 1000, 1000, out, 1000, 8, 128);
	for (uint32_t i = 0; i < count && i < 1000; i++)
	{
		right &= out[i] < 1000 && out[i] % 3 == 0 && !seen[out[i] % 1000];
		seen[out[i] % 1000] = true;
	}
	ok(count == expected && right, "compaction: each kept value once, %u of 1000", count);
	count = run_part(module, "compact", in, 1, 1, out, 1, 1, 32);
	ok(count == 1 && out[0] == 0, "compaction: one value");
}

static void
test_segments(DeviceModule *module)
{
	uint64_t	in[64];
	uint64_t	out[32];
	bool		right = true;

	for (uint64_t i = 0; i < 32; i++)
	{
		in[i] = i < 1 ? 5 : i < 12 ? 6 : i < 13 ? 5 : 7;
		in[32 + i] = i;
	}
	run_part(module, "segments", in, 64, 32, out, 32, 1, 32);
	for (uint64_t i = 0, sum = 0; i < 32; i++)
	{
		sum = i > 0 && in[i] == in[i - 1] ? sum + i : i;
		right &= out[i] == sum;
	}
	ok(right, "scan: sums within runs of equal keys");
	run_part(module, "votes", in, 1, 0, out, 32, 1, 32);
	ok(!out[0] && !out[3] && out[7] && out[31], "vote: pays for many lanes, not for few");
}

static void
test_prefix_sums(DeviceModule *module, uint32_t threads)
{
	static uint64_t in[1024];
	static uint64_t out[1025];
	uint64_t	sum = 0;
	bool		right = true;

	for (uint32_t i = 0; i < threads; i++)
		in[i] = i * 7919 % 1000;
	run_part(module, "sums", in, threads, threads, out, threads + 1, 1, threads);
	for (uint32_t i = 0; i < threads; i++)
	{
		right &= out[i] == sum;
		sum += in[i];
	}
	ok(right && out[threads] == sum, "prefix sums of %u threads", threads);
}

/* A plan as its parts must fit each other. */
static void
expect_plan(uint64_t groups, uint64_t nrows, uint32_t capacity, bool direct, Strategy strategy,
			uint32_t passes)
{
	bool		once = capacity < 25000 * (direct ? 4096 : UINT32_C(8192));
	StrategyChoice choice = {.strategy = strategy,.groups = groups,.block_direct = direct,
	.block_slots = direct ? 4097 : 4732};
	ScatterPlan plan;
	double		each;			/* slots or groups of a partition */

	passes = scatter_plan(&choice, capacity, nrows, 264, &plan) ? passes : 0;
	each = (double) (direct ? capacity : groups < capacity / 2 ? groups : capacity / 2) /
		plan.npartitions;
	ok(plan.npartitions <= SCATTER_MAX_PARTITIONS && plan.nbins <= SCATTER_MAX_BINS &&
	   1u << plan.bin_shift <= SCATTER_MAX_BINS &&
	   (uint64_t) plan.nbins << plan.bin_shift >= plan.npartitions &&
	   plan.unit_rows % SCATTER_ALIGN == 0 && plan.unit_rows > 0 &&
	   passes == (plan.bin_shift > 0 ? 2 : 1) &&
	   plan.counted_once == (passes == 2 && strategy == STRATEGY_SCATTER && once) &&
	   (direct ? 1u << plan.shift < choice.block_slots &&
		(capacity - 1) >> plan.shift == plan.npartitions - 1 :
		UINT64_C(1) << (32 - plan.shift) == capacity) &&
	   each < choice.block_slots * (direct ? 1.0 : 0.6),
	   "plan: %llu groups, %s: %u partitions of %.0f, %u bins", (unsigned long long) groups,
	   direct ? "direct" : "hashed", plan.npartitions, each, plan.nbins);
}

static void
test_plans(void)
{
	ScatterPlan plan;

	expect_plan(3, 1000, 4, true, STRATEGY_SCATTER, 1);
	expect_plan(3, 1000, 16384, false, STRATEGY_SCATTER, 1);
	expect_plan(3, 1000, 1, true, STRATEGY_SCATTER_TWICE, 1);
	expect_plan(1000000, 400000000, 1000129, true, STRATEGY_SCATTER, 1);
	expect_plan(1000000, 400000000, 1000129, true, STRATEGY_SCATTER_TWICE, 2);
	expect_plan(1000000, 400000000, 1 << 21, false, STRATEGY_SCATTER, 1);
	expect_plan(10, 400000000, 1 << 21, false, STRATEGY_SCATTER, 1);
	expect_plan(10000000, 400000000, 10625065, true, STRATEGY_SCATTER, 2);
	expect_plan(100000000, 400000000, 106250065, true, STRATEGY_SCATTER, 2);
	expect_plan(100000000, 400000000, 1 << 28, false, STRATEGY_SCATTER, 2);
	expect_plan(400000000, 400000000, 1 << 30, false, STRATEGY_SCATTER, 2);
	expect_plan(1000000000, 400000000, UINT32_C(1) << 31, false, STRATEGY_SCATTER, 2);
	expect_plan(100000000, 400000000, UINT32_C(1) << 31, true, STRATEGY_SCATTER, 2);
	ok(!scatter_plan(&(StrategyChoice) {.block_direct = true,.block_slots = 513}, UINT32_MAX,
					 400000000, 264, &plan), "no plan: private tables are too small");
}

/* A sample of keys that a function of the row's number gives. */
static SampleFacts
facts_of(uint32_t (*key) (uint32_t row), uint32_t n)
{
	SampledRow *rows = calloc(n, sizeof(*rows));
	SampleFacts facts;

	for (uint32_t i = 0; i < n; i++)
	{
		rows[i].passes = 1;
		rows[i].value = key(i);
		rows[i].hash = (uint64_t) key(i) * UINT64_C(0x9e3779b97f4a7c15);
	}
	sample_facts(rows, n, 100000, &facts);
	free(rows);
	return facts;
}

static uint32_t
scramble(uint32_t x)
{
	x = (x ^ (x >> 16)) * 0x45d9f3bu;
	x = (x ^ (x >> 16)) * 0x45d9f3bu;
	return x ^ (x >> 16);
}

static uint32_t
key_of_100(uint32_t row)
{
	return scramble(row) % 100;
}

static uint32_t
key_sorted(uint32_t row)
{
	return row / 50;
}

static uint32_t
key_sorted_sparse(uint32_t row)
{
	return row / 50 * 2654435761u;
}

static uint32_t
key_of_million(uint32_t row)
{
	return scramble(row) % 1000000 * 2654435761u;
}

static uint32_t
key_heavy(uint32_t row)
{
	return scramble(row) & 1 ? 7 : key_of_million(row);
}

static uint32_t
key_heavy_dense(uint32_t row)
{
	return scramble(row) & 1 ? 7 : scramble(row) % 1000000;
}

static uint32_t
key_slow(uint32_t row)
{
	return (row / 512 * 4 + scramble(row) % 4) * 2654435761u;
}

static uint32_t
key_near(uint32_t row)
{
	return (row / 64 * 4 + scramble(row) % 4) * 2654435761u;
}

/* 10^4 keys, of which the n-th has a share of about 1/n. */
static uint32_t
key_zipf(uint32_t row)
{
	return (uint32_t) exp(scramble(row) / 4294967296.0 * log(10001)) * 2654435761u;
}

static uint32_t
key_near_dense(uint32_t row)
{
	return (row / 16 * 4 + scramble(row) % 4) * 4;
}

/* A key, a count, and sums of so many integers, of two words each. */
static Program *
program_of_sums(int nsums)
{
	ProgramBuilder *b = malloc(sizeof(*b));
	Program    *program;

	program_begin(b, SOURCE_COLUMNS);
	program_add_key(b, program_add_column(b, 1, VT_INT4, false, -1));
	program_add_acc(b, ACC_COUNT, -1, -1);
	for (int i = 0; i < nsums; i++)
		program_add_acc(b, ACC_SUM_INT128,
						program_add_column(b, 2 + i, VT_INT8, false, -1), -1);
	program = calloc(1, program_size(b));
	program_finish(b, program);
	free(b);
	return program;
}

static uint32_t shared_limit = 227 * 1024;

/*
 * forced: a strategy, or -1: auto; groups: what the planner expects, or 0; batch_rows: of
 * the batch that was sampled, 0: not known.
 */
static StrategyChoice
choice_of_batch(const SampleFacts *facts, double groups, int nsums, uint64_t batch_rows,
				int forced)
{
	static KernelLayout layouts[2];
	Program    *program = program_of_sums(nsums);
	EngineHints hints = {.rows = 1e8,.groups = groups};
	StrategyChoice		choice;

	layout_make(program, TABLE_HASH, &layouts[TABLE_HASH]);
	layout_make(program, TABLE_DIRECT, &layouts[TABLE_DIRECT]);
	choice = choose_from_facts(program, layouts, facts, &hints, UINT64_C(1) << 33,
							   batch_rows, forced, shared_limit);
	free(program);
	return choice;
}

static StrategyChoice
choice_of(const SampleFacts *facts, double groups, int nsums, int forced)
{
	return choice_of_batch(facts, groups, nsums, 0, forced);
}

static void
expect_choice(const char *name, uint32_t (*key) (uint32_t), int nsums, int forced,
			  Strategy strategy)
{
	SampleFacts facts = facts_of(key, SAMPLE_ROWS);
	StrategyChoice		choice = choice_of(&facts, 0, nsums, forced);

	ok(choice.strategy == strategy, "%s: %s keys, %d sums: %s of %.0f groups",
	   forced < 0 ? "auto" : strategy_name((Strategy) forced), name, nsums,
	   strategy_name(choice.strategy), facts.groups);
}

/* 4096 values, too many for several copies of their states. */
static uint32_t
key_runs(uint32_t row)
{
	return row / 64 * 8;
}

static uint32_t
key_mixed_runs(uint32_t row)
{
	return row / 64 * 8 + scramble(row) % 2;
}

static uint32_t
key_of_4096(uint32_t row)
{
	return scramble(row) % 4096;
}

/* Where does a warp take its rows from? */
static void
expect_places(const char *name, uint32_t (*key) (uint32_t), uint32_t places)
{
	SampleFacts facts = facts_of(key, SAMPLE_ROWS);
	StrategyChoice		choice = choice_of(&facts, 0, 1, -1);

	ok(choice.strategy == STRATEGY_BLOCK && choice.block_places == places,
	   "%s keys: %s, %u copies, a warp's rows are in %u places", name,
	   strategy_name(choice.strategy), choice.block_replicas, choice.block_places);
}

/*
 * Do a block of `scatter_aggregate` and one of `scatter_move` fit into the shared memory of a
 * multiprocessor (of compute capability 9.0)?  Beside a private table a block has a bit for each
 * copy and a word, beside a tile a word for each array and each warp.  1 KB is CUDA's.
 */
static void
expect_blocks_fit(const char *name, uint32_t (*key) (uint32_t), int nsums)
{
	static KernelLayout layout;
	SampleFacts facts = facts_of(key, SAMPLE_ROWS);
	StrategyChoice choice = choice_of(&facts, 0, nsums, STRATEGY_SCATTER);
	Program    *program = program_of_sums(nsums);
	uint32_t	table;
	uint32_t	tile;

	layout_make(program, choice.table, &layout);
	table = choose_block_size(&layout, &choice) + 4 * (choice.block_copies / 32 + 1) + 4 + 1024;
	tile = scatter_tile_size(&layout, choice.scatter_rows * SCATTER_THREADS) +
		8 * 2 * (uint32_t) program->ncolumns + 128 + 1024;
	ok(choice.strategy == STRATEGY_SCATTER && table <= 228 * 1024 && tile <= 228 * 1024 &&
	   (choice.scatter_rows == SCATTER_MOST_ROWS ||
		scatter_tile_size(&layout, (choice.scatter_rows + 1) * SCATTER_THREADS) > 223 * 1024),
	   "a block of scatter, %s keys, %d sums: a table of %u bytes, a tile of %u", name, nsums,
	   table, tile);
	free(program);
}

static uint32_t dense_groups;

static uint32_t
key_dense(uint32_t row)
{
	return scramble(row) % dense_groups;
}

/* What is chosen without a sample is what a sample of such keys chooses. */
static void
expect_probable(uint32_t groups, int nsums)
{
	SampleFacts facts;
	StrategyChoice		sampled;
	StrategyChoice		probable;

	dense_groups = groups;
	facts = facts_of(key_dense, SAMPLE_ROWS);
	sampled = choice_of(&facts, groups, nsums, -1);
	expected_facts(groups, SAMPLE_ROWS, &facts);
	probable = choice_of(&facts, groups, nsums, -1);
	ok(probable.table == sampled.table && probable.strategy == sampled.strategy &&
	   probable.block_direct == sampled.block_direct,
	   "probably, of %u groups, %d sums: %s, by a sample %s", groups, nsums,
	   strategy_name(probable.strategy), strategy_name(sampled.strategy));
}

/*
 * Of a small input fewer rows are sampled: for the same choice, or, where fewer groups
 * seem to be, for `block`, whose private tables hold what a block meets of so few rows.
 */
static void
expect_small(const char *name, uint32_t (*key) (uint32_t), int nsums)
{
	SampleFacts small = facts_of(key, sample_size(100000));
	SampleFacts large = facts_of(key, SAMPLE_ROWS);
	StrategyChoice		a = choice_of(&small, 0, nsums, -1);
	StrategyChoice		b = choice_of(&large, 0, nsums, -1);

	ok(a.table == b.table && a.block_direct == b.block_direct &&
	   a.only_frequent == b.only_frequent &&
	   (a.strategy == b.strategy || (a.strategy == STRATEGY_BLOCK && nsums == 0)),
	   "%s keys, %d sums: %s by %u rows, %s by %u", name, nsums, strategy_name(a.strategy),
	   small.rows, strategy_name(b.strategy), large.rows);
}

static void
test_sample_size(void)
{
	ok(sample_size(0) == SAMPLE_ROWS && sample_size(1e12) == SAMPLE_ROWS &&
	   sample_size(16 * 10000) == 10000 && sample_size(1) == SAMPLE_LEAST_ROWS,
	   "the sample's size follows the input's");
	for (int nsums = 0; nsums <= 40; nsums += 20)
	{
		expect_small("100 random", key_of_100, nsums);
		expect_small("sorted", key_sorted, nsums);
		expect_small("a million random", key_of_million, nsums);
		expect_small("heavy", key_heavy, nsums);
		expect_small("near each other", key_near, nsums);
		expect_small("near each other for long", key_slow, nsums);
		for (dense_groups = 10; dense_groups <= 100000; dense_groups *= 10)
			expect_small("dense", key_dense, nsums);
	}
}

/* A large batch is partitioned, where groups are many. */
static void
expect_scattered(const char *name, uint32_t (*key) (uint32_t), int nsums, uint64_t batch_rows,
				 Strategy strategy)
{
	SampleFacts facts = facts_of(key, SAMPLE_ROWS);
	StrategyChoice choice = choice_of_batch(&facts, 0, nsums, batch_rows, -1);

	ok(choice.strategy == strategy, "%s keys, %d sums, a batch of %llu rows: %s", name, nsums,
	   (unsigned long long) batch_rows, strategy_name(choice.strategy));
}

/* The planner may know of more groups than a sample with a heavy key tells. */
static void
test_groups_to_scatter(void)
{
	SampleFacts facts = facts_of(key_heavy, SAMPLE_ROWS);
	StrategyChoice sampled = choice_of_batch(&facts, 0, 1, 400000000, -1);
	StrategyChoice more = choice_of_batch(&facts, 10.0 * sampled.groups, 1, 400000000, -1);
	StrategyChoice far_more = choice_of_batch(&facts, 1e15, 1, 400000000, -1);
	StrategyChoice fewer = choice_of_batch(&facts, 1, 1, 400000000, -1);

	ok(sampled.strategy == STRATEGY_SCATTER && fewer.groups == sampled.groups &&
	   more.groups == 10 * sampled.groups && far_more.groups > more.groups &&
	   far_more.groups <= 20 * sampled.groups,
	   "scatter: groups as the planner has them, %llu, %llu, %llu",
	   (unsigned long long) sampled.groups, (unsigned long long) more.groups,
	   (unsigned long long) far_more.groups);
}

static uint32_t
key_of_50_millions(uint32_t row)
{
	return scramble(row) % 50000000;
}

/*
 * More than an eighth of the memory, directly: if hashed keys would take more, and the memory
 * holds both.
 */
static void
test_large_direct(void)
{
	SampleFacts facts = facts_of(key_of_50_millions, SAMPLE_ROWS);
	StrategyChoice many = choice_of_batch(&facts, 5e7, 1, 400000000, -1);
	StrategyChoice few = choice_of_batch(&facts, 1e7, 1, 400000000, -1);
	StrategyChoice large = choice_of_batch(&facts, 5e7, 6, 400000000, -1);

	ok(many.table == TABLE_DIRECT && few.table == TABLE_HASH && large.table == TABLE_HASH,
	   "50 million values: directly for as many groups, not for few, nor for large states");
}

static const char *const statistics_head =
"#include \"prelude.cuh\"\n"
"#include \"ops.h\"\n"
"#include \"state.h\"\n"
"#include \"order_statistic.h\"\n"
"#include \"args.cuh\"\n"
"#include \"statistics.cuh\"\n"
"KERNEL(find_end, StatisticArgs, args)\n"
"{\n"
"	args.ends[0] = mode_run_end(&args, args.starts[0], args.ends[0], 0);\n"
"}\n";

/* Of a run of equal values, nearly 2^32 pairs long with those before it, which cannot be read. */
static void
expect_run_end(DeviceModule *module, uint32_t start, uint32_t end)
{
	size_t		page = (size_t) sysconf(_SC_PAGESIZE);
	size_t		size = (size_t) end * 8;
	size_t		before = (size_t) start * 8 / page * page;
	char	   *values = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	uint32_t	found = end;
	StatisticArgs args = {.list.values = (DevicePtr) values,.starts = (DevicePtr) &start,
	.ends = (DevicePtr) &found};
	void	   *params[] = {&args};
	DeviceKernel *kernel;
	DeviceStream *stream;

	if (values == MAP_FAILED || mprotect(values + before, size - before, PROT_READ) != 0)
	{
		printf("Bail out! no room for addresses\n");
		exit(1);
	}
	must(ops->stream_create(dev, &stream));
	must(ops->kernel(dev, module, "find_end", &kernel));
	must(ops->launch(dev, stream, kernel, 1, 1, 0, params));
	must(ops->stream_wait(dev, stream));
	ops->stream_destroy(dev, stream);
	munmap(values, size);
	ok(found == end, "mode: a run from pair %u to %u", start, end);
}

/* Host memory is the simulated device's, of which a run takes the pages that are looked at. */
static void
test_long_runs(void)
{
	DeviceModule *module;
	void	   *image;
	size_t		size;

	if (ops != &simt_device)
		return;
	must(device_compile(dev, statistics_head, NULL, &image, &size));
	must(ops->module_load(dev, image, size, &module));
	free(image);
	expect_run_end(module, 5, 1000);
	expect_run_end(module, UINT32_C(2200000000), UINT32_MAX);
	ops->module_unload(dev, module);
}

int
main(void)
{
	DeviceModule *module = open_with_module(head);

	test_peers(module);
	test_compact(module);
	test_segments(module);
	for (uint32_t threads = 32; threads <= 1024; threads *= 2)
		test_prefix_sums(module, threads);
	ops->module_unload(dev, module);
	test_long_runs();
	ops->close(dev);

	expect_choice("100 random", key_of_100, 0, -1, STRATEGY_BLOCK);
	expect_choice("sorted", key_sorted, 0, -1, STRATEGY_BLOCK);
	expect_choice("sorted", key_sorted, 20, -1, STRATEGY_BLOCK);
	expect_choice("runs of", key_runs, 1, -1, STRATEGY_SCAN);
	expect_places("100 random", key_of_100, 1);
	expect_places("4096 random", key_of_4096, 1);
	expect_places("mixed runs of", key_mixed_runs, 8);
	expect_choice("sorted sparse", key_sorted_sparse, 0, -1, STRATEGY_SCAN);
	expect_choice("sorted sparse", key_sorted_sparse, 20, -1, STRATEGY_PEERS);
	expect_choice("sorted", key_sorted, 20, STRATEGY_SCAN, STRATEGY_SCAN);
	expect_choice("sorted", key_sorted, 40, -1, STRATEGY_ATOMIC);
	expect_choice("sorted", key_sorted, 40, STRATEGY_SCAN, STRATEGY_ATOMIC);
	expect_choice("a million random", key_of_million, 0, -1, STRATEGY_PEERS);
	expect_choice("heavy", key_heavy, 0, -1, STRATEGY_VOTE);
	expect_choice("near each other", key_near, 0, -1, STRATEGY_PEERS);
	expect_choice("near each other", key_near, 20, -1, STRATEGY_PEERS);
	expect_choice("near each other for long", key_slow, 0, -1, STRATEGY_BLOCK);
	for (uint32_t groups = 1; groups <= 10000000; groups *= 10)
	{
		expect_probable(groups, 0);
		expect_probable(2 * groups, 3);
		expect_probable(5 * groups, 20);
	}
	expect_probable(UINT32_MAX, 0);
	test_sample_size();
	test_plans();
	test_groups_to_scatter();
	test_large_direct();
	expect_scattered("a million random", key_of_million, 0, 100000000, STRATEGY_SCATTER);
	expect_scattered("a million random", key_of_million, 1, 400000000, STRATEGY_SCATTER);
	expect_scattered("a million random", key_of_million, 8, 100000000, STRATEGY_PEERS);
	expect_scattered("a million random", key_of_million, 0, 1000000, STRATEGY_PEERS);
	expect_scattered("heavy", key_heavy, 0, 100000000, STRATEGY_SCATTER);
	expect_scattered("heavy dense", key_heavy_dense, 0, 100000000, STRATEGY_SCATTER);
	expect_scattered("heavy dense", key_heavy_dense, 0, 1000000, STRATEGY_VOTE);
	expect_scattered("zipf", key_zipf, 1, 100000000, STRATEGY_SCATTER);
	expect_scattered("zipf", key_zipf, 1, 1000000, STRATEGY_BLOCK);
	expect_scattered("near each other", key_near, 0, 100000000, STRATEGY_PEERS);
	expect_scattered("near each other, dense", key_near_dense, 1, 100000000, STRATEGY_SCATTER);
	expect_scattered("near each other, dense", key_near_dense, 1, 1000000, STRATEGY_PEERS);
	expect_scattered("100 random", key_of_100, 0, 100000000, STRATEGY_BLOCK);
	expect_scattered("sorted sparse", key_sorted_sparse, 0, 100000000, STRATEGY_SCAN);
	expect_choice("a million random", key_of_million, 0, STRATEGY_SCATTER, STRATEGY_SCATTER);
	for (int nsums = 0; nsums < 4; nsums++)
	{
		expect_blocks_fit("dense", key_of_4096, nsums);
		expect_blocks_fit("sparse", key_of_million, nsums);
	}
	/* a tile of rows needs more shared memory than smaller devices have */
	shared_limit = 64 * 1024;
	expect_choice("a million random", key_of_million, 0, STRATEGY_SCATTER, STRATEGY_PEERS);
	expect_scattered("a million random", key_of_million, 0, 100000000, STRATEGY_PEERS);
	return done_testing();
}
