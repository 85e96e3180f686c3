/*
 * test_kept_texts.c
 *	  Columns of texts that stay on the device as codes of a dictionary, through the CUDA engine:
 *	  the groups are those that the CPU engine makes of all pages; and what becomes of the
 *	  dictionary.
 *
 * Every block of the table has a page of its own.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/cuda/context/context.h"
#include "engine/cuda/cuda_engine.h"
#include "engine/cuda/run/run.h"
#include "engine/simt/simt.h"
#include "engine/stripe.h"
#include "oracle.h"
#include "page_writer.h"
#include "tap.h"

#define MAX_BLOCKS 2500
#define ROWS 40					/* of a page */
#define MEMORY (UINT64_C(1) << 30)

/* The attributes; old tuples do not have the last one. */
enum
{
	A_NUMBER = 1, A_TEXT, A_LATE
};

static const EngineOps *engine = &simt_engine;
static const DeviceOps *device = &simt_device;
static char pages[MAX_BLOCKS][HEAP_PAGE_SIZE];
static PageRef refs[MAX_BLOCKS];
static FrameMap frames[2];
static TableState state = {.file = {1663, 5, 9000},.relation = 78,.table = 3,.frames = frames};
static ParamValue params[2];
static EngineHints hints;
static const char *const strategies[] = {
	"auto", "atomic", "block", "peers", "scan", "vote", "interpret"
};

#define NSTRATEGIES (int) (sizeof(strategies) / sizeof(strategies[0]))

static void
add_text(TupleWriter *tuple, const char *text, bool toasted)
{
	uint32_t	compressed[] = {(12 << 2) | 2, 5, 5};

	if (toasted)
		tuple_fixed(tuple, compressed, sizeof(compressed), 4);
	else
		tuple_text(tuple, text, (uint32_t) strlen(text), strlen(text) < 100);
}

static void
add_row(char *page, const char *text, bool toasted)
{
	TupleWriter tuple;
	int32_t		number = (int32_t) strlen(text);

	tuple_begin(&tuple);
	tuple_fixed(&tuple, &number, 4, 4);
	add_text(&tuple, text, toasted);
	(void) page_add(page, &tuple, HEAP_LINE_NORMAL);
}

/* A block's rows with so many different texts, each toasted_every-th toasted. */
static void
make_block(uint32_t block, uint32_t ntexts, uint32_t toasted_every)
{
	page_begin(pages[block]);
	for (uint32_t row = block * ROWS; row < (block + 1) * ROWS; row++)
	{
		char		text[40];

		snprintf(text, sizeof(text), "text %u", row * UINT32_C(7919) % ntexts);
		add_row(pages[block], text, toasted_every > 0 && row % toasted_every == 0);
	}
	refs[block] = (PageRef) {.page = pages[block],.nlines = page_nlines(pages[block]),.block = block,
							 .table = state.table};
}

/* A new table of such blocks, all-visible. */
static void
make_table(uint32_t nblocks, uint32_t ntexts, uint32_t toasted_every)
{
	memset(frames, 0, sizeof(frames));
	frames[0].lsn = frames[1].lsn = 10;
	state.file[2]++;
	state.nblocks = nblocks;
	for (uint32_t block = 0; block < nblocks; block++)
	{
		make_block(block, ntexts, toasted_every);
		frames[block / FRAME_BLOCKS].bits[block % FRAME_BLOCKS / 4] |=
			(uint8_t) (1 << block % FRAME_BLOCKS % 4 * 2);
	}
	hints = (EngineHints) {.strategy = "auto",.pages = nblocks,.tables = &state,.ntables = 1};
}

/* The same pages as two tables, of which the first one has so many blocks. */
static void
divide_table(uint32_t nblocks)
{
	static FrameMap second_frames[2];
	static TableState tables[2];

	memcpy(second_frames, frames, sizeof(frames));
	tables[0] = tables[1] = state;
	tables[0].nblocks = nblocks;
	tables[1].nblocks = state.nblocks - nblocks;
	tables[1].frames = second_frames;
	tables[1].table++;
	state.file[2]++;
	memcpy(tables[1].file, state.file, sizeof(state.file));
	for (uint32_t i = nblocks; i < state.nblocks; i++)
	{
		refs[i].block = i - nblocks;
		refs[i].table = tables[1].table;
	}
	hints.tables = tables;
	hints.ntables = 2;
}

/* A count by an attribute, and the sum of the numbers. */
static Program *
make_program(int key)
{
	ProgramBuilder *b = malloc(sizeof(*b));
	Program    *program;

	program_begin(b, SOURCE_PAGES);
	program_add_attr(b, 4, 4);
	program_add_attr(b, -1, 4);
	program_add_attr(b, -1, 4);
	program_add_param(b, VT_TEXT);
	program_add_param(b, VT_INT4);
	if (key == A_NUMBER)
		program_add_key(b, program_add_column(b, key, VT_INT4, false, -1));
	else
		program_add_key(b, program_add_column(b, key, VT_TEXT, true, key == A_LATE ? 0 : -1));
	program_add_acc(b, ACC_COUNT, -1, -1);
	program_add_acc(b, ACC_SUM_INT, program_add_column(b, A_NUMBER, VT_INT4, false, -1), -1);
	program = calloc(1, program_size(b));
	program_finish(b, program);
	free(b);
	return program;
}

/* What a Program with a text as a key does besides. */
typedef enum TextUse
{
	USE_NONE,
	USE_COUNT,					/* counts the texts, and takes those that are not NULL */
	USE_EXTREME,				/* has the least one */
	USE_LIKE,					/* takes those that are like a parameter's pattern */
	USE_NUMBER					/* takes rows whose number is less than a parameter's */
} TextUse;

/* Counts by a text, the other one too but for the last of these uses, and a number if wanted. */
static Program *
make_texts_program(bool number, TextUse use)
{
	ProgramBuilder *b = malloc(sizeof(*b));
	Program    *program;
	int			text;

	program_begin(b, SOURCE_PAGES);
	program_add_attr(b, 4, 4);
	program_add_attr(b, -1, 4);
	program_add_attr(b, -1, 4);
	program_add_param(b, VT_TEXT);
	program_add_param(b, VT_INT4);
	if (use != USE_NUMBER)
		program_add_key(b, program_add_column(b, A_LATE, VT_TEXT, true, 0));
	if (number)
		program_add_key(b, program_add_column(b, A_NUMBER, VT_INT4, false, -1));
	text = program_add_column(b, A_TEXT, VT_TEXT, true, -1);
	program_add_key(b, text);
	program_add_acc(b, ACC_COUNT, -1, -1);
	if (use == USE_COUNT)
	{
		program_set_filter(b, program_add_op(b, OP_isnotnull, text, -1));
		program_add_acc(b, ACC_COUNT, text, -1);
	}
	if (use == USE_EXTREME)
		program_add_acc(b, ACC_MIN_TEXT, text, -1);
	if (use == USE_LIKE)
		program_set_filter(b, program_add_op(b, OP_text_like, text, program_add_param_ref(b, 0)));
	if (use == USE_NUMBER)
		program_set_filter(b, program_add_op(b, OP_int4_lt, program_add_column(b, A_NUMBER, VT_INT4, false, -1),
											 program_add_param_ref(b, 1)));
	program = calloc(1, program_size(b));
	program_finish(b, program);
	free(b);
	return program;
}

/* The count by the number of those whose text is like a parameter's pattern. */
static Program *
make_filter_program(void)
{
	ProgramBuilder *b = malloc(sizeof(*b));
	Program    *program;
	int			text;

	program_begin(b, SOURCE_PAGES);
	program_add_attr(b, 4, 4);
	program_add_attr(b, -1, 4);
	program_add_param(b, VT_TEXT);
	program_add_param(b, VT_INT4);
	text = program_add_column(b, A_TEXT, VT_TEXT, true, -1);
	program_add_key(b, program_add_column(b, A_NUMBER, VT_INT4, false, -1));
	program_set_filter(b, program_add_op(b, OP_text_like, text, program_add_param_ref(b, 0)));
	program_add_acc(b, ACC_COUNT, -1, -1);
	program = calloc(1, program_size(b));
	program_finish(b, program);
	free(b);
	return program;
}

/* The engine's groups must be the CPU engine's.  The run's statistics. */
static EngineStats
check(const char *what, const Program *program)
{
	EngineStats stats;
	Groups	   *expected = engine_groups_of_pages(&cpu_engine, program, params, &hints, refs,
												  (int) state.nblocks);
	Groups	   *got = engine_groups_of_pages(engine, program, params, &hints, refs,
											 (int) state.nblocks);

	ok(expected->status == ENGINE_OK && groups_same(program, expected, got) &&
	   expected->stats.rows_passed == got->stats.rows_passed, "%s: %zu groups%s%s", what,
	   got->ngroups, got->message[0] ? ", " : "", got->message);
	stats = got->stats;
	groups_free(expected);
	groups_free(got);
	return stats;
}

/* And so many blocks are served and kept. */
static void
expect(const char *what, const Program *program, uint64_t resident, uint64_t kept)
{
	EngineStats stats = check(what, program);

	ok(stats.blocks_resident == resident && stats.blocks_kept == kept,
	   "%s: %llu blocks are served, %llu kept", what,
	   (unsigned long long) stats.blocks_resident, (unsigned long long) stats.blocks_kept);
}

/* The table's column of an attribute that is a text in the cache, 0: of any; or NULL. */
static KeptColumn *
text_column_of(int attno)
{
	for (KeptFile *file = context_of(device, 0)->kept.files; file != NULL; file = file->next)
		if (memcmp(file->file, state.file, sizeof(state.file)) == 0)
			for (KeptColumn *column = file->columns; column != NULL; column = column->next)
				if (column->key.type == VT_TEXT && (attno == 0 || column->key.attno == attno))
					return column;
	return NULL;
}

static KeptColumn *
text_column(void)
{
	return text_column_of(0);
}

/* Of all entries, the greatest code fits the width that is chosen for it. */
static void
test_kept(const Program *program, const Program *filter)
{
	static const uint32_t counts[] = {1, 2, 200, 5000};
	static const uint8_t widths[] = {WIDTH_NONE, WIDTH_BIT, WIDTH_1, WIDTH_2};

	for (int i = 0; i < 4; i++)
	{
		const KeptPlace *place;
		KeptColumn *column;

		make_table(2500, counts[i], 0);
		expect("texts are kept", program, 0, 2500);
		column = text_column();
		ok(column->dictionary->entries == counts[i] && column->dictionary->pins == 0,
		   "their dictionary has %u entries", column->dictionary->entries);
		ok(column->dictionary->old == NULL &&
		   dictionary_size(column->dictionary) < (counts[i] < 1000 ? 200000 : 1000000),
		   "and %llu bytes", (unsigned long long) dictionary_size(column->dictionary));
		(void) kept_find(context_of(device, 0)->kept.files->stripes[0], column, &place);
		ok(place->width == widths[i], "codes have the width %d", place->width);
		expect("and served", program, 2500, 0);
		hints.memory_limit = 6 << 20;
		expect("by several launches", filter, 2500, 0);
	}
}

/* Blocks without rows do not tell how many the table has, by which texts are judged. */
static void
test_empty_blocks(const Program *program)
{
	make_table(2500, 25000, 0);
	for (uint32_t block = 0; block < 2 * STRIPE_BLOCKS; block++)
		if (block < STRIPE_BLOCKS ? block % 4 == 0 : block % 10 != 0)
			refs[block].nlines = 0;
	expect("texts, and blocks without rows", program, 0, 2500);
	ok(!text_column()->given_up, "are not given up");
	expect("texts, and blocks without rows, are served", program, 2500, 0);
	make_table(2500, 25000, 0);
	for (uint32_t block = 0; block < 2500; block++)
		refs[block].nlines = 0;
	expect("a table without rows", program, 0, 2500);
	expect("is served", program, 2500, 0);
}

/* Columns that are not worth it. */
static void
test_given_up(const Program *program, const Program *numbers)
{
	make_table(1500, UINT32_MAX, 0);
	expect("texts that are all different", program, 0, 1500);
	ok(text_column()->given_up && text_column()->dictionary == NULL &&
	   text_column()->bytes == 0, "are given up");
	expect("once and for all", program, 0, 0);
	expect("and other columns are kept", numbers, 1500, 0);
	make_table(2500, 200, 0);
	for (uint32_t block = STRIPE_BLOCKS; block < state.nblocks; block++)
		make_block(block, UINT32_MAX, 0);
	state.nblocks = STRIPE_BLOCKS;
	expect("few texts", program, 0, STRIPE_BLOCKS);
	state.nblocks = 2500;
	expect("and then all different ones", program, STRIPE_BLOCKS, 2500 - STRIPE_BLOCKS);
	ok(text_column()->given_up && text_column()->dictionary == NULL &&
	   text_column()->bytes == 0, "are given up, too");
	expect("with nothing else", numbers, 2500, 0);
	make_table(2500, 25000, 0);
	expect("in turns, more texts than half of a stripe's rows", program, 0, 2500);
	expect("are served", program, 2500, 0);
	make_table(1500, 200, 0);
	expect("few texts", program, 0, 1500);
	text_column()->given_up = true;
	expect("of a column that was given up are not served", program, 0, 0);
	make_table(1500, 100, 100000);
	(void) check("toasted texts in some stripes", program);
	ok(text_column()->blocks > 0 && text_column()->blocks <= 480, "others are kept");
	make_table(1500, 100, 200);
	for (int i = 0; i < 3; i++)
		expect("toasted texts in all stripes", program, 0, 0);
	ok(!text_column()->given_up, "they are not given up at once");
	(void) check("but later", program);
	ok(text_column()->given_up && text_column()->dictionary == NULL, "they are");
	(void) check("with their dictionary", program);
}

/* Of two columns of texts that are read together, one has toasted ones. */
static void
test_one_toasted(const Program *late)
{
	Program    *both = make_texts_program(true, USE_NONE);

	make_table(1500, 100, 0);
	for (uint32_t block = 0; block < state.nblocks; block++)
	{
		page_begin(pages[block]);
		for (uint32_t row = block * ROWS; row < (block + 1) * ROWS; row++)
		{
			TupleWriter tuple;
			int32_t		number = (int32_t) (row % 7);

			tuple_begin(&tuple);
			tuple_fixed(&tuple, &number, 4, 4);
			add_text(&tuple, "a text", row % 300 == 0);
			add_text(&tuple, row % 3 == 0 ? "few" : "texts", false);
			(void) page_add(pages[block], &tuple, HEAP_LINE_NORMAL);
		}
	}
	for (int i = 0; i < 4; i++)
		expect("a column of toasted texts and another one", both, 0, 0);
	ok(text_column_of(A_TEXT)->given_up, "the one is given up");
	ok(!text_column_of(A_LATE)->given_up, "the other one is not");
	expect("it is kept", both, 0, 1500);
	expect("and served", late, 1500, 0);
	free(both);
}

/* Each table of a run has dictionaries of its own. */
static void
test_tables(const Program *program, const Program *filter)
{
	make_table(2500, 300, 0);
	divide_table(1100);
	expect("texts of two tables are kept", program, 0, 2500);
	expect("and served", program, 2500, 0);
	expect("to a filter, too", filter, 2500, 0);
}

/* What tuples have that are older than the column is a part of what it is. */
static void
test_missing(const Program *late)
{
	make_table(1500, 100, 0);
	params[0] = (ParamValue) {.type = VT_TEXT,.bytes = {"none", 4}};
	expect("a text that old tuples do not have", late, 0, 1500);
	expect("is served", late, 1500, 0);
	params[0].bytes = (Bytes) {"nono", 4};
	expect("but not with another value", late, 0, 1500);
	params[0].bytes = (Bytes) {"", 0};
	expect("nor with an empty one", late, 0, 1500);
	params[0].isnull = true;
	expect("nor with NULL", late, 0, 1500);
	params[0] = (ParamValue) {.type = VT_TEXT,.bytes = {"a text of 20 letters", 20}};
	expect("a long value is not kept", late, 0, 0);
}

/* Open a run, which is told what is served. */
static EngineRun *
open_run(const Program *program)
{
	EngineRun  *run;
	char		message[256];

	return engine->open(program, params, &hints, &run, message) == ENGINE_OK ? run : NULL;
}

/* Give so many blocks. */
static void
give(EngineRun *run, uint32_t first, int n)
{
	while (engine->pages(run, refs + first, n) == ENGINE_BUSY)
		;
}

/* Give the blocks from that one on. */
static void
give_from(EngineRun *run, uint32_t first)
{
	for (uint32_t i = first; i < state.nblocks; i += 20)
		give(run, i, 20);
}

static void
give_all(EngineRun *run)
{
	give_from(run, 0);
}

/* The number of its groups, once all have come. */
static uint64_t
count_groups(EngineRun *run)
{
	GroupBatch	batch;
	uint64_t	ngroups = 0;
	EngineStatus status;

	for (;;)
	{
		status = engine->groups(run, &batch);
		if (status == ENGINE_BUSY)
			continue;
		if (status != ENGINE_OK || batch.ngroups == 0)
			break;
		ngroups += batch.ngroups;
	}
	return status == ENGINE_OK ? ngroups : 0;
}

/* The same; the run is closed. */
static uint64_t
end_run(EngineRun *run)
{
	uint64_t	ngroups = count_groups(run);

	engine->close(run);
	return ngroups;
}

static void
test_runs_at_once(const Program *program)
{
	EngineRun  *runs[2];
	DictionaryRoom room;

	make_table(2500, 300, 0);
	runs[0] = open_run(program);
	runs[1] = open_run(program);
	ok(text_column()->dictionary->filler == runs[0], "the first of two runs fills");
	give_all(runs[1]);
	give_all(runs[0]);
	ok(end_run(runs[1]) == 300 && end_run(runs[0]) == 300, "both are right");
	expect("what the first one has kept is served", program, 2500, 0);
	runs[0] = open_run(program);
	ok(text_column()->dictionary->pins == 1, "a run that is served has pinned the dictionary");
	cuda_engine_evict_relation(state.file[1], state.relation);
	ok(text_column()->dictionary != NULL && text_column()->dictionary->memory != 0,
	   "what is evicted meanwhile stays for it");
	ok(end_run(runs[0]) == 300, "so it ends as it began");
	ok(text_column()->dictionary == NULL && cuda_engine_columns_size() == 0,
	   "and then it goes, with all memory");
	expect("it is kept anew", program, 0, 2500);
	runs[0] = open_run(program);
	frames[0].lsn++;
	for (uint32_t i = 0; i < state.nblocks; i++)
	{
		char		text[40];

		snprintf(text, sizeof(text), "another text %u", i);
		page_begin(pages[i]);
		for (int j = 0; j < ROWS; j++)
			add_row(pages[i], text, false);
	}
	expect("texts that come later", program, 0, 2500);
	ok(end_run(runs[0]) == 300, "are not those of a run that was served before");
	expect("and are served", program, 2500, 0);
	ok(text_column()->dictionary->entries == 2800, "the dictionary has all");
	/* a run that fails leaves nothing behind that it has claimed */
	frames[0].lsn++;
	runs[0] = open_run(program);
	give_all(runs[0]);
	engine->close(runs[0]);
	ok(text_column()->dictionary->filler == NULL && text_column()->dictionary->pins == 0 &&
	   text_column()->dictionary->entries_coming == 0, "a run that ends early lets it go");
	for (int i = 0; i < 10; i++)
	{
		frames[0].lsn++;
		runs[0] = open_run(program);
		give_all(runs[0]);
		engine->close(runs[0]);
	}
	ok(text_column()->dictionary->entries == 2800 && !text_column()->given_up,
	   "however many do, it knows what it has");
	expect("it goes on", program, 0, 2500);
	ok(text_column()->dictionary->entries == 2800 &&
	   !dictionary_spare(text_column()->dictionary, &room), "and has no more room than that takes");
}

/* A dictionary grows by work on the device, which another run that is served has to wait for. */
static void
test_growing(const Program *program)
{
	EngineRun  *run;

	make_table(2500, 211, 0);
	state.nblocks = STRIPE_BLOCKS;
	expect("the first stripe", program, 0, STRIPE_BLOCKS);
	state.nblocks = 2500;
	/* what it grows into is not memory that it has had */
	device_memory_trim(context_of(device, 0)->device, &context_of(device, 0)->memory, 0);
	run = open_run(program);
	give_from(run, STRIPE_BLOCKS);
	ok(text_column()->dictionary->old != NULL, "a run has the dictionary grow");
	expect("another one is served meanwhile", program, STRIPE_BLOCKS, 2500 - STRIPE_BLOCKS);
	ok(end_run(run) == 211, "both are right");
	expect("and all is kept", program, 2500, 0);
	frames[0].lsn++;
	run = open_run(program);
	text_column()->dictionary->spoilt = true;
	frames[0].lsn--;
	expect("of a dictionary whose move has failed nothing is served", program, 0, 0);
	frames[0].lsn++;
	give_from(run, 0);
	ok(text_column()->dictionary->entries_coming == 0, "nor is it filled");
	engine->close(run);
	ok(text_column()->given_up && text_column()->dictionary == NULL,
	   "it is given up by the run that fills it");
}

/* How many columns' codes kernels take. */
static int
coded_columns(const Program *program)
{
	EngineRun  *run = open_run(program);
	int			n = ((CudaRun *) run)->input.codes.ncolumns;

	engine->close(run);
	return n;
}

/* Other rows in a block, which is not all-visible any more; the first ones' text is toasted. */
static void
change_block(uint32_t block, uint32_t ntoasted)
{
	page_begin(pages[block]);
	for (uint32_t i = 0; i < ROWS; i++)
	{
		char		text[40];

		snprintf(text, sizeof(text), i % 8 == 0 ? "text %u" : "new text %u",
				 i % 8 == 0 ? (block + i) % 300 : block * ROWS + i);
		add_row(pages[block], text, i < ntoasted);
	}
	refs[block].nlines = page_nlines(pages[block]);
	frames[block / FRAME_BLOCKS].bits[block % FRAME_BLOCKS / 4] &=
		(uint8_t) ~(1 << block % FRAME_BLOCKS % 4 * 2);
}

static void
check_strategies(const char *what, const Program *program)
{
	for (int i = 0; i < NSTRATEGIES; i++)
	{
		char		name[100];

		if (!in_part())
			continue;
		snprintf(name, sizeof(name), "%s, %s", what, strategies[i]);
		hints.strategy = strategies[i];
		(void) check(name, program);
	}
	hints.strategy = "auto";
}

/* Where texts are keys and nothing else, kernels take codes. */
static void
test_codes(const Program *program)
{
	static const char *const uses[] = {"no use", "a count", "an extreme", "a filter"};
	Program    *many = make_texts_program(true, USE_NONE);

	make_table(2500, 300, 0);
	params[0] = (ParamValue) {.type = VT_TEXT,.bytes = {"%1%", 3}};
	(void) check("texts are kept", many);
	ok(coded_columns(program) == 1 && coded_columns(many) == 2, "codes are taken");
	check_strategies("one key", program);
	check_strategies("three keys", many);
	params[0].isnull = true;
	(void) check("a key that is NULL is kept", many);
	ok(coded_columns(many) == 2, "and codes are taken");
	check_strategies("three keys, one of them NULL", many);
	params[0].isnull = false;
	for (int i = USE_NONE; i <= USE_LIKE; i++)
	{
		Program    *other = make_texts_program(false, (TextUse) i);

		ok(coded_columns(other) == (i != USE_EXTREME ? 2 : 1), "%s beside a key: codes", uses[i]);
		(void) check("with the same groups", other);
		free(other);
	}
	for (uint32_t block = 100; block < 2500; block += 97)
		change_block(block, block % 4);
	ok(coded_columns(many) == 2, "codes are taken although some pages come");
	check_strategies("one key of kept rows and others", program);
	check_strategies("three keys of kept rows and others", many);
	free(many);
}

/* Codes that a sample does not meet are in the range of a table that is addressed directly. */
static void
test_rare_codes(const Program *program)
{
	EngineRun  *run;
	const Aggregation *aggregation;

	make_table(2500, 200, 0);
	for (uint32_t block = 1300; block < 1306; block++)
	{
		change_block(block, 0);
		frames[0].bits[block / 4] |= (uint8_t) (1 << block % 4 * 2);
	}
	(void) check("rare texts", program);
	run = open_run(program);
	aggregation = &((CudaRun *) run)->aggregation;
	ok(count_groups(run) == 410, "have groups");
	ok(aggregation->facts.max == 409 && aggregation->table.growths == 0 &&
	   aggregation->kernels.choice.table == TABLE_DIRECT, "and slots, codes up to %d",
	   (int) aggregation->facts.max);
	engine->close(run);
}

/* A row by a batch of columns, with another text. */
static void
give_row(EngineRun *run)
{
	int32_t		number = 3;
	uint32_t	offsets[] = {0, 3};
	ColumnVector columns[] = {
		{.values = "row",.offsets = offsets}, {.values = &number}
	};
	ColumnBatch batch = {.nrows = 1,.columns = columns};

	while (engine->columns(run, &batch) == ENGINE_BUSY)
		;
}

/*
 * Rows that come by pages, in many buffers, since rows come otherwise, too, have more texts than
 * there was room for.
 */
static void
test_new_codes(void)
{
	Program    *program = make_texts_program(false, USE_NUMBER);
	const CodedColumn *column;
	EngineRun  *run;

	make_table(2500, 50, 0);
	params[1].word = 11;
	state.nblocks = 1540;
	expect("a part of the table is kept", program, 0, 1540);
	state.nblocks = 2500;
	for (uint32_t block = 1540; block < 2500; block++)
		change_block(block, 0);
	run = open_run(program);
	column = &((CudaRun *) run)->input.codes.columns[0];
	ok(column->own.memory == 0 && column->own.entries == 50, "a run knows what is kept");
	for (uint32_t i = 1540; i < 2500; i += 20)
	{
		give(run, i, 20);
		give_row(run);
	}
	ok(count_groups(run) == 301, "all groups are there");
	ok(column->own.entries > 20000 && column->own.room.entries == 65536,
	   "%u texts were counted, and room was made for %u", column->own.entries,
	   column->own.room.entries);
	engine->close(run);
	(void) check("and right", program);
	frames[0].bits[0] = 0;
	for (uint32_t block = 0; block < 600; block++)
		change_block(block, 0);
	ok(coded_columns(program) == 0, "no codes are taken where most rows come by pages");
	(void) check("of which the groups are right, too", program);
	free(program);
}

/* A block's rows have empty texts. */
static void
empty_texts(uint32_t block)
{
	page_begin(pages[block]);
	for (int i = 0; i < ROWS; i++)
		add_row(pages[block], "", false);
}

/*
 * What rows that a run did not wait for have added to a dictionary is known once it ends.  Another
 * run's own begins with no entries that are none, which would be empty texts.
 */
static void
test_codes_dropped(const Program *program)
{
	static const uint32_t counts[] = {STRIPE_BLOCKS + 20, 2 * STRIPE_BLOCKS};

	for (int i = 0; i < 2; i++)
	{
		const Dictionary *dictionary;
		EngineRun  *run;

		make_table(2500, 300, 0);
		empty_texts(7);
		empty_texts(1030);
		state.nblocks = STRIPE_BLOCKS;
		expect("a stripe with empty texts", program, 0, STRIPE_BLOCKS);
		state.nblocks = counts[i];
		run = open_run(program);
		give_from(run, STRIPE_BLOCKS);
		give_row(run);
		engine->close(run);
		dictionary = text_column()->dictionary;
		ok(dictionary->entries == 301 && dictionary->entries_coming == 0,
		   "a dictionary has %u entries", dictionary->entries);
		run = open_run(program);
		ok(((CudaRun *) run)->input.codes.ncolumns == 1 &&
		   ((CudaRun *) run)->input.codes.columns[0].own.entries == 301, "a run takes these");
		engine->close(run);
		(void) check("and texts are the same that have no others", program);
	}
}

/* Groups whose keys are codes come first if their texts do. */
static void
test_codes_order(const Program *program)
{
	Program    *many = make_texts_program(true, USE_NONE);

	make_table(1500, 3000, 0);
	params[0] = (ParamValue) {.type = VT_TEXT,.bytes = {"none", 4}};
	(void) check("texts are kept", many);
	for (int descending = 0; descending < 2; descending++)
	{
		EngineStats stats;

		hints.top = (TopHint)
		{
			.groups = 10,.ncolumns = 1,.columns[0] = {.descending = (uint8_t) descending}
		};
		stats = check("the first texts of a sole key", program);
		ok(stats.groups_left_out > 2900, "and few others");
		hints.top.columns[0].number = 2;
		stats = check("and of the last of three", many);
		ok(stats.groups_left_out > 2900, "and few others");
	}
	free(many);
}

/* The groups of a run of which the nth of these calls fails: right, or none. */
static bool
is_right_or_fails(const Program *program, const Groups *expected, const char *call, int nth,
				  DeviceStatus failure, bool *failed)
{
	Groups	   *got;
	bool		right;

	(void) simt_inject(call, nth, failure);
	got = engine_groups_of_pages(engine, program, params, &hints, refs, (int) state.nblocks);
	(void) simt_inject(NULL, 0, DEVICE_OK);
	*failed = got->status != ENGINE_OK;
	right = *failed ? got->message[0] != '\0' : groups_same(program, expected, got);
	if (!right)
		printf("# %s %d: %s\n", call, nth, got->message);
	groups_free(got);
	return right;
}

/* Each of these calls fails once, while texts are kept, and then while they are served. */
static void
test_failures(const Program *program, const char *call, DeviceStatus failure)
{
	Groups	   *expected;
	int			wrong = 0;
	int			answers = 0;
	int			nth = 0;

	make_table(STRIPE_BLOCKS + 100, 150, 0);
	for (uint32_t block = 0; block < 20; block++)
		change_block(block, 0);
	expected = engine_groups_of_pages(&cpu_engine, program, params, &hints, refs,
									  (int) state.nblocks);
	while (nth < 200 && answers < 8)
	{
		bool		failed;

		if (failure == DEVICE_FAILED)
			context_close(device);
		context_share(device, MEMORY);
		cuda_engine_keep_columns(MEMORY / 4);
		state.file[2]++;
		device_memory_trim(context_of(device, 0)->device, &context_of(device, 0)->memory, 0);
		wrong += !is_right_or_fails(program, expected, call, ++nth, failure, &failed);
		answers = failed ? 0 : answers + 1;
		/* what has been kept is right, and memory was given back */
		wrong += !is_right_or_fails(program, expected, call, nth, failure, &failed);
		wrong += !is_right_or_fails(program, expected, NULL, 0, failure, &failed);
		wrong += failure != DEVICE_FAILED && (failed || (context_lost(device) >= 0));
		cuda_engine_evict_relation(0, 0);
		wrong += failure != DEVICE_FAILED && context_of(device, 0)->memory.lent != 0;
	}
	ok(wrong == 0 && nth < 200, "%s fails: %d times, %d of them wrong", call, nth, wrong);
	groups_free(expected);
}

int
main(void)
{
	Program    *program = make_program(A_TEXT);
	Program    *numbers = make_program(A_NUMBER);
	Program    *late = make_program(A_LATE);
	Program    *filter = make_filter_program();

	context_share(device, MEMORY);
	cuda_engine_keep_columns(MEMORY / 4);
	params[0] = (ParamValue) {.type = VT_TEXT,.bytes = {"none", 4}};
	params[1] = (ParamValue) {.type = VT_INT4};
	params[0].bytes = (Bytes) {"%1%", 3};
	test_kept(program, filter);
	test_empty_blocks(program);
	test_given_up(program, numbers);
	test_one_toasted(late);
	test_tables(program, filter);
	test_missing(late);
	cuda_engine_evict_relation(0, 0);
	test_runs_at_once(program);
	cuda_engine_evict_relation(0, 0);
	test_growing(program);
	cuda_engine_evict_relation(0, 0);
	test_codes(program);
	test_new_codes();
	test_rare_codes(program);
	test_codes_dropped(program);
	test_codes_order(program);
	cuda_engine_evict_relation(0, 0);
	test_failures(program, "alloc", DEVICE_NO_MEMORY);
	test_failures(program, "launch", DEVICE_REFUSED);
	test_failures(program, "upload", DEVICE_REFUSED);
	test_failures(program, "download", DEVICE_REFUSED);
	test_failures(program, "fill", DEVICE_REFUSED);
	test_failures(program, "event_record", DEVICE_REFUSED);
	test_failures(program, "stream_wait_event", DEVICE_REFUSED);
	test_failures(program, "launch", DEVICE_FAILED);
	cuda_engine_evict_relation(0, 0);
	ok(context_memory_used(device, 0) == 0 && context_of(device, 0)->memory.lent == 0,
	   "all memory was given back");
	free(program);
	free(numbers);
	free(late);
	free(filter);
	return done_testing();
}
