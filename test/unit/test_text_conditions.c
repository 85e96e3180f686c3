/*
 * test_text_conditions.c
 *	  Conditions on texts that stay on the device, answered by entries of their dictionaries: the
 *	  groups are those that the CPU engine makes of all pages.
 *
 * Every block of the table has a page of its own.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/cuda/aggregate/aggregation.h"
#include "engine/cuda/context/context.h"
#include "engine/cuda/cuda_engine.h"
#include "engine/cuda/run/run.h"
#include "engine/simt/simt.h"
#include "engine/stripe.h"
#include "oracle.h"
#include "page_writer.h"
#include "tap.h"

#define BLOCKS (2 * STRIPE_BLOCKS)
#define ROWS 6					/* of a page */
#define MEMORY (UINT64_C(1) << 30)

/* The attributes. */
enum
{
	A_NUMBER = 1, A_FIRST, A_SECOND
};

/* The parameters: a pattern, a text, a number. */
enum
{
	S_LIKE, S_TEXT, S_NUMBER, S_COUNT
};

static const EngineOps *engine = &simt_engine;
static const DeviceOps *device = &simt_device;
static char pages[BLOCKS][HEAP_PAGE_SIZE];
static PageRef refs[BLOCKS];
static FrameMap frame;
static TableState state = {.file = {1663, 5, 9100},.relation = 79,.table = 3,.nblocks = BLOCKS,.frames = &frame};
static ParamValue params[S_COUNT];
static EngineHints hints;

static void
add_text(TupleWriter *tuple, bool isnull, const char *text, bool toasted)
{
	uint32_t	compressed[] = {(12 << 2) | 2, 5, 5};

	if (isnull)
		tuple_null(tuple);
	else if (toasted)
		tuple_fixed(tuple, compressed, sizeof(compressed), 4);
	else
		tuple_text(tuple, text, (uint32_t) strlen(text), true);
}

/* A block's rows: NULLs, empty texts and others, of which each kind of block has its own. */
static void
make_block(uint32_t block, const char *kind, bool toasted)
{
	page_begin(pages[block]);
	for (uint32_t row = block * ROWS; row < (block + 1) * ROWS; row++)
	{
		TupleWriter tuple;
		int32_t		number = (int32_t) (row % 10);
		char		first[40];
		char		second[40];

		snprintf(first, sizeof(first), "%s %u", kind, row * UINT32_C(7919) % 97);
		snprintf(second, sizeof(second), "x%u", row % 5);
		tuple_begin(&tuple);
		tuple_fixed(&tuple, &number, 4, 4);
		add_text(&tuple, row % 11 == 0, row % 13 == 0 ? "" : first, toasted && row % 6 == 1);
		add_text(&tuple, row % 7 == 0, second, false);
		(void) page_add(pages[block], &tuple, HEAP_LINE_NORMAL);
	}
	refs[block] = (PageRef) {.page = pages[block],.nlines = page_nlines(pages[block]),.block = block,
							 .table = state.table};
}

static void
set_all_visible(uint32_t block, bool all_visible)
{
	uint8_t		bit = (uint8_t) (1 << block % 4 * 2);

	if (all_visible)
		frame.bits[block / 4] |= bit;
	else
		frame.bits[block / 4] &= (uint8_t) ~bit;
}

/* A new table; the second stripe has texts that the first one has not. */
static void
make_table(void)
{
	state.file[2]++;
	frame.lsn = 10;
	for (uint32_t block = 0; block < BLOCKS; block++)
	{
		make_block(block, block < STRIPE_BLOCKS ? "early" : "late", false);
		set_all_visible(block, true);
	}
	hints = (EngineHints) {.strategy = "interpret",.pages = BLOCKS,.tables = &state,.ntables = 1};
}

/* What a Program asks of texts. */
typedef enum Ask
{
	ASK_NOTHING,				/* groups by both texts */
	ASK_LIKE,
	ASK_STARTS,					/* likewise, but for the operation */
	ASK_NOT_LIKE,
	ASK_NULL_OR_EQUAL,
	ASK_COALESCED,				/* a text in the place of NULL */
	ASK_CHOSEN,					/* which of two conditions on numbers holds */
	ASK_LENGTH,
	ASK_TWO,					/* a condition on each text */
	ASK_EITHER,					/* likewise, of which one is enough */
	ASK_TWICE,					/* two conditions on a text, apart from each other */
	ASK_COUNTED,				/* a count of texts that are like the pattern, and a sum of
								 * those that are like it or are NULL */
	ASK_KEY,					/* of the text that is the key, too */
	ASK_FAILING_FIRST,			/* behind an expression that can fail */
	ASK_FAILING_LAST,			/* and before it */
	ASK_BOTH,					/* are both texts the same? */
	ASK_EXTREME,				/* beside the least text */
	ASK_GROUPED,				/* groups by a condition, which is the filter, too */
	ASK_FAILING,				/* a condition that can fail */
	ASK_NULL,					/* is it NULL? */
	ASK_COUNT
} Ask;

static const char *const asks[] = {
	"nothing", "like", "starts", "not like", "null or equal", "coalesced", "chosen", "length", "two texts", "either of two",
	"twice", "counted", "of a key", "behind a failing one", "before a failing one",
	"both", "beside an extreme", "grouped by", "failing", "is null"
};

/* How many conditions are answered by entries, and how many columns are codes. */
static const struct
{
	int			conditions;
	int			columns;
}			expected_codes[] = {
	{0, 2}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, {2, 2}, {2, 2}, {2, 1}, {2, 1}, {1, 1}, {1, 1},
	{1, 1}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}
};

static int
param(ProgramBuilder *b, int number)
{
	return program_add_param_ref(b, number);
}

static int
like(ProgramBuilder *b, int text)
{
	return program_add_op(b, OP_text_like, text, param(b, S_LIKE));
}

static int
equal(ProgramBuilder *b, int text)
{
	return program_add_op(b, OP_text_eq, text, param(b, S_TEXT));
}

/* 0 leads to an error. */
static int
failing(ProgramBuilder *b, int number)
{
	return program_add_op(b, OP_int4_lt, program_add_op(b, OP_int4_div, param(b, S_NUMBER), number),
						  param(b, S_NUMBER));
}

static int
filter_of(ProgramBuilder *b, Ask ask, int number, int first, int second)
{
	switch (ask)
	{
		case ASK_NOT_LIKE:
			return program_add_op(b, OP_bool_not, like(b, first), -1);
		case ASK_NULL_OR_EQUAL:
			return program_add_op(b, OP_or, program_add_op(b, OP_isnull, first, -1), equal(b, first));
		case ASK_STARTS:
			return program_add_op(b, OP_text_starts_with, first, param(b, S_LIKE));
		case ASK_COALESCED:
			return equal(b, program_add_select(b, program_add_op(b, OP_isnull, first, -1),
											   param(b, S_TEXT), first));
		case ASK_CHOSEN:
			return program_add_select(b, program_add_op(b, OP_bool_not, like(b, first), -1),
									  program_add_op(b, OP_int4_lt, number, param(b, S_NUMBER)),
									  program_add_op(b, OP_int4_lt, param(b, S_NUMBER), number));
		case ASK_LENGTH:
			return program_add_op(b, OP_int4_lt, program_add_op(b, OP_text_octets, first, -1),
								  param(b, S_NUMBER));
		case ASK_TWO:
			return program_add_op(b, OP_and, like(b, first), equal(b, second));
		case ASK_EITHER:
			return program_add_op(b, OP_or, like(b, first), equal(b, second));
		case ASK_TWICE:
			return program_add_op(b, OP_and, like(b, first),
								  program_add_op(b, OP_or, equal(b, first),
												 program_add_op(b, OP_int4_lt, number, param(b, S_NUMBER))));
		case ASK_FAILING_FIRST:
			return program_add_op(b, OP_and, failing(b, number), like(b, first));
		case ASK_FAILING_LAST:
			return program_add_op(b, OP_and,
								  program_add_op(b, OP_and,
												 program_add_op(b, OP_isnotnull, first, -1),
												 like(b, first)), failing(b, number));
		case ASK_BOTH:
			return program_add_op(b, OP_text_lt, first, second);
		case ASK_FAILING:
			return failing(b, program_add_op(b, OP_text_octets, first, -1));
		case ASK_NULL:
			return program_add_op(b, OP_isnull, first, -1);
		default:
			return like(b, first);
	}
}

static Program *
make_program(Ask ask)
{
	ProgramBuilder *b = malloc(sizeof(*b));
	Program    *program;
	int			number;
	int			first;
	int			second;

	program_begin(b, SOURCE_PAGES);
	program_add_attr(b, 4, 4);
	program_add_attr(b, -1, 4);
	program_add_attr(b, -1, 4);
	program_add_param(b, VT_TEXT);
	program_add_param(b, VT_TEXT);
	program_add_param(b, VT_INT4);
	number = program_add_column(b, A_NUMBER, VT_INT4, false, -1);
	first = program_add_column(b, A_FIRST, VT_TEXT, true, -1);
	second = ask == ASK_NOTHING || ask == ASK_TWO || ask == ASK_EITHER || ask == ASK_BOTH ?
		program_add_column(b, A_SECOND, VT_TEXT, true, -1) : -1;
	if (ask == ASK_NOTHING)
		program_add_key(b, second);
	else if (ask != ASK_COUNTED)
		program_set_filter(b, filter_of(b, ask, number, first, second));
	program_add_key(b, ask == ASK_NOTHING || ask == ASK_KEY ? first :
					ask == ASK_GROUPED ? like(b, first) : number);
	program_add_acc(b, ACC_COUNT, -1, -1);
	program_add_acc(b, ACC_COUNT, ask == ASK_COUNTED ? like(b, first) : first, -1);
	if (ask == ASK_COUNTED)
		program_add_acc(b, ACC_SUM_INT, number,
						filter_of(b, ASK_NULL_OR_EQUAL, number, first, second));
	if (ask == ASK_EXTREME)
		program_add_acc(b, ACC_MIN_TEXT, first, -1);
	program = calloc(1, program_size(b));
	program_finish(b, program);
	free(b);
	return program;
}

/*
 * The engine's groups must be the CPU engine's, or both fail.  The run's statistics, or zeros if
 * it has failed.
 */
static EngineStats
check(const char *what, Ask ask, const Program *program)
{
	EngineStats stats;
	Groups	   *expected = engine_groups_of_pages(&cpu_engine, program, params, &hints, refs, BLOCKS);
	Groups	   *got = engine_groups_of_pages(engine, program, params, &hints, refs, BLOCKS);
	bool		fails = expected->status != ENGINE_OK;

	ok(fails ? got->status == expected->status :
	   groups_same(program, expected, got) && expected->stats.rows_passed == got->stats.rows_passed &&
	   expected->stats.rows == got->stats.rows, "%s, %s, %s: %zu groups of %llu rows%s%s", what, asks[ask],
	   hints.strategy, got->ngroups, (unsigned long long) got->stats.rows_passed,
	   got->message[0] ? ", " : "", got->message);
	stats = got->stats;
	if (fails)
		memset(&stats, 0, sizeof(stats));
	groups_free(expected);
	groups_free(got);
	return stats;
}

/* Have the columns kept. */
static void
keep(const Program *program)
{
	EngineStats stats = check("kept", ASK_NOTHING, program);

	ok(stats.blocks_kept == BLOCKS, "%llu blocks are kept", (unsigned long long) stats.blocks_kept);
}

static EngineRun *
open_run(const Program *program)
{
	EngineRun  *run;
	char		message[256];

	return engine->open(program, params, &hints, &run, message) == ENGINE_OK ? run : NULL;
}

static void
check_codes(Ask ask, const Program *program)
{
	EngineRun  *run = open_run(program);
	const Input *input = &((CudaRun *) run)->input;

	ok(input->codes.answers.conditions.n == expected_codes[ask].conditions &&
	   input->codes.ncolumns == expected_codes[ask].columns, "%s: %d conditions of %d columns",
	   asks[ask], input->codes.answers.conditions.n, input->codes.ncolumns);
	ok((input->served.texts.entries > 0) ==
	   (ask >= ASK_BOTH), "a dictionary is copied, or not: %llu entries",
	   (unsigned long long) input->served.texts.entries);
	engine->close(run);
}

/* All that is asked, by the interpreter and by kernels of the Program's own. */
static void
check_all(const char *what, uint64_t resident, Program *const *programs)
{
	for (int i = ASK_LIKE; i < ASK_COUNT; i++)
	{
		EngineStats stats;

		hints.strategy = "interpret";
		stats = check(what, (Ask) i, programs[i]);
		ok(stats.rows == 0 || stats.blocks_resident == resident, "%llu blocks are served",
		   (unsigned long long) stats.blocks_resident);
		hints.strategy = "atomic";
		(void) check(what, (Ask) i, programs[i]);
	}
	hints.strategy = "interpret";
}

static void
check_strategies(const char *what, Ask ask, const Program *program)
{
	static const char *const strategies[] = {"block", "peers", "scan", "vote"};

	for (int i = 0; i < 4; i++)
	{
		hints.strategy = strategies[i];
		(void) check(what, ask, program);
	}
	hints.strategy = "interpret";
}

static uint64_t
key_of(const Program *program)
{
	CudaRun    *run = (CudaRun *) open_run(program);
	RowBatch	batch;
	uint64_t	key;

	input_buffer_batch(&run->input.layout, &run->input.segments[0], &batch);
	key = sample_key(&run->core, &batch);
	engine->close(&run->core.head);
	return key;
}

/* What is known of rows that pass one condition is not taken for those that pass another one. */
static void
test_known(const Program *like, const Program *starts)
{
	uint64_t	key = key_of(like);

	ok(key != 0 && key == key_of(like) && key != key_of(starts),
	   "another condition has a key of its own");
}

/* Of patterns that are NULL no row is like them. */
static void
test_null_pattern(Program *const *programs)
{
	params[S_LIKE].isnull = true;
	check("a pattern that is NULL", ASK_LIKE, programs[ASK_LIKE]);
	check("a pattern that is NULL", ASK_EITHER, programs[ASK_EITHER]);
	check("a pattern that is NULL", ASK_COUNTED, programs[ASK_COUNTED]);
	check("a pattern that is NULL", ASK_CHOSEN, programs[ASK_CHOSEN]);
	params[S_LIKE].isnull = false;
}

/* A row that a condition leaves out has no error behind it, but before it. */
static void
test_errors(Program *const *programs)
{
	Bytes		pattern = params[S_LIKE].bytes;

	params[S_LIKE].bytes = (Bytes) {"none", 4};
	for (int i = 0; i < 2; i++)
	{
		hints.strategy = i == 0 ? "interpret" : "atomic";
		ok(check("no text is like it", ASK_FAILING_LAST, programs[ASK_FAILING_LAST]).rows > 0,
		   "a failing one is not reached");
		ok(check("no text is like it", ASK_FAILING_FIRST, programs[ASK_FAILING_FIRST]).rows == 0,
		   "a failing one comes first");
	}
	hints.strategy = "interpret";
	params[S_LIKE].bytes = pattern;
}

/* A column that is NULL everywhere has no entries. */
static void
test_no_entries(Program *const *programs)
{
	make_table();
	for (uint32_t block = 0; block < BLOCKS; block++)
	{
		page_begin(pages[block]);
		for (uint32_t row = 0; row < ROWS; row++)
		{
			TupleWriter tuple;
			int32_t		number = (int32_t) row;

			tuple_begin(&tuple);
			tuple_fixed(&tuple, &number, 4, 4);
			tuple_null(&tuple);
			tuple_null(&tuple);
			(void) page_add(pages[block], &tuple, HEAP_LINE_NORMAL);
		}
		refs[block].nlines = page_nlines(pages[block]);
	}
	keep(programs[ASK_NOTHING]);
	check("only NULLs", ASK_LIKE, programs[ASK_LIKE]);
	check("only NULLs", ASK_NULL_OR_EQUAL, programs[ASK_NULL_OR_EQUAL]);
}

/* Rows by a batch of columns, one of which passes. */
static void
test_batch(const Program *program)
{
	static const int32_t numbers[] = {20, 21, 22};
	static const uint32_t offsets[] = {0, 9, 14, 14};
	static const uint8_t valid[] = {3};
	ColumnVector columns[] = {
		{.values = numbers}, {.values = "early 1newother",.offsets = offsets,.validity = valid}
	};
	ColumnBatch batch = {.nrows = 3,.columns = columns};
	EngineRun  *run = open_run(program);
	GroupBatch	groups;
	uint64_t	ngroups = 0;
	EngineStatus status;

	while (engine->columns(run, &batch) == ENGINE_BUSY)
		;
	do
	{
		status = engine->groups(run, &groups);
		ngroups += status == ENGINE_OK ? groups.ngroups : 0;
	} while (status == ENGINE_BUSY || (status == ENGINE_OK && groups.ngroups > 0));
	ok(status == ENGINE_OK && ngroups == 11, "%llu groups, one of them of a batch's row",
	   (unsigned long long) ngroups);
	engine->close(run);
}

/* Each of these calls fails once: the groups are right, or there are none. */
static void
test_failures(const Program *program, const char *call)
{
	Groups	   *expected = engine_groups_of_pages(&cpu_engine, program, params, &hints, refs, BLOCKS);
	int			wrong = 0;
	int			failed = 0;

	for (int nth = 1; nth <= 25; nth++)
	{
		Groups	   *got;

		device_memory_trim(context_of(device, 0)->device, &context_of(device, 0)->memory, 0);
		(void) simt_inject(call, nth, DEVICE_NO_MEMORY);
		got = engine_groups_of_pages(engine, program, params, &hints, refs, BLOCKS);
		(void) simt_inject(NULL, 0, DEVICE_OK);
		failed += got->status != ENGINE_OK;
		wrong += got->status == ENGINE_OK && !groups_same(program, expected, got);
		groups_free(got);
	}
	ok(wrong == 0 && failed > 0, "%s fails: %d times, %d of them wrong", call, failed, wrong);
	groups_free(expected);
}

int
main(void)
{
	Program    *programs[ASK_COUNT];

	context_share(device, MEMORY);
	cuda_engine_keep_columns(MEMORY / 4);
	params[S_LIKE] = (ParamValue) {.type = VT_TEXT,.bytes = {"%1%", 3}};
	params[S_TEXT] = (ParamValue) {.type = VT_TEXT,.bytes = {"x1", 2}};
	params[S_NUMBER] = (ParamValue) {.type = VT_INT4,.word = 7};
	for (int i = 0; i < ASK_COUNT; i++)
		programs[i] = make_program((Ask) i);
	make_table();
	keep(programs[ASK_NOTHING]);
	for (int i = 0; i < ASK_COUNT; i++)
		check_codes((Ask) i, programs[i]);
	check_all("served", BLOCKS, programs);
	check_strategies("served", ASK_TWO, programs[ASK_TWO]);
	test_known(programs[ASK_LIKE], programs[ASK_STARTS]);
	test_null_pattern(programs);
	test_errors(programs);
	params[S_TEXT].bytes = (Bytes) {"", 0};
	check("an empty text", ASK_NULL_OR_EQUAL, programs[ASK_NULL_OR_EQUAL]);
	params[S_TEXT].bytes = (Bytes) {"x1", 2};
	test_batch(programs[ASK_LIKE]);
	for (uint32_t block = 5; block < BLOCKS; block += 101)
	{
		make_block(block, "new", block % 2 == 1);
		set_all_visible(block, false);
	}
	check_codes(ASK_LIKE, programs[ASK_LIKE]);
	check_all("with other rows", BLOCKS - 21, programs);
	check_strategies("with other rows", ASK_EITHER, programs[ASK_EITHER]);
	check_strategies("with other rows", ASK_KEY, programs[ASK_KEY]);
	test_failures(programs[ASK_TWO], "alloc");
	test_no_entries(programs);
	for (int i = 0; i < ASK_COUNT; i++)
		free(programs[i]);
	cuda_engine_evict_relation(0, 0);
	ok(context_memory_used(device, 0) == 0 && context_of(device, 0)->memory.lent == 0,
	   "all memory was given back");
	return done_testing();
}
