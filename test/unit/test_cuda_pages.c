/*
 * test_cuda_pages.c
 *	  Heap pages through the CUDA engine and through the CPU engine: the same
 *	  groups, and for damaged pages a failure of both.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/cuda/cuda_engine.h"
#include "numeric_writer.h"
#include "oracle.h"
#include "page_writer.h"
#include "tap.h"

#define NPAGES 40
#define NPARAMS 3

static const EngineOps *engine;
static char *pages[NPAGES];
static uint16_t lists[NPAGES][HEAP_PAGE_SIZE / 4];
static PageRef refs[NPAGES];
static bool some_external;		/* have some tuples values out of line? */
static uint64_t random_state = 88172645463325252u;

static uint32_t
random_u32(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (uint32_t) (random_state >> 16);
}

/*
 * The table: int4 not null, text, (dropped int2), int8, bool, uuid, float8 with a
 * missing value, text with a missing value, numeric of scale 3 with one.
 */
static Program *
make_program(bool all_columns)
{
	ProgramBuilder *b = malloc(sizeof(*b));
	Program    *program;
	int			text,
				int8,
				boolean;

	program_begin(b, SOURCE_PAGES);
	program_add_attr(b, 4, 4);
	program_add_attr(b, -1, 4);
	program_add_attr(b, 2, 2);
	program_add_attr(b, 8, 8);
	program_add_attr(b, 1, 1);
	program_add_attr(b, 16, 1);
	program_add_attr(b, 8, 8);
	program_add_attr(b, -1, 4);
	program_add_attr(b, -1, 4);
	text = program_add_column(b, 2, VT_TEXT, true, -1);
	int8 = program_add_column(b, 4, VT_INT8, true, -1);
	boolean = program_add_column(b, 5, VT_BOOL, true, -1);
	program_add_key(b, text);
	program_add_key(b, boolean);
	program_add_acc(b, ACC_COUNT, -1, -1);
	program_add_acc(b, ACC_SUM_INT128, int8, -1);
	program_add_acc(b, ACC_SUM_INT, program_add_column(b, 1, VT_INT4, false, -1), -1);
	if (all_columns)
	{
		int			float8 = program_add_column(b, 7, VT_FLOAT8, true,
												program_add_param(b, VT_FLOAT8));
		int			last = program_add_column(b, 8, VT_TEXT, true,
											  program_add_param(b, VT_TEXT));

		int			numeric = program_add_numeric_column(b, 9, NUMERIC_EXACT, 3, true,
														 program_add_param(b, VT_INT8));

		program_add_key(b, last);
		program_add_key(b, program_add_column(b, 6, VT_UUID, true, -1));
		program_add_acc(b, ACC_SUM_FLOAT, float8, -1);
		program_add_acc(b, ACC_MAX_FLOAT, float8, -1);
		program_add_acc(b, ACC_SUM_INT128, numeric, -1);
		program_add_acc(b, ACC_MIN_INT, numeric, -1);
	}
	program = calloc(1, program_size(b));
	program_finish(b, program);
	free(b);
	return program;
}

static void
make_tuple(TupleWriter *tuple)
{
	int32_t		int4 = (int32_t) random_u32();
	int64_t		int8 = (int64_t) (int32_t) random_u32() * 12345;
	double		float8 = (double) (random_u32() % 100) / 4;
	uint8_t		boolean = random_u32() & 1;
	int16_t		dropped = 7;
	uint64_t	uuid[2] = {random_u32() % 3, 5};
	char		text[200];
	char		external[VARLENA_ONDISK_SIZE] = {1, VARLENA_TAG_ONDISK};
	uint8_t		numeric[NUMERIC_ROOM];
	uint32_t	natts = random_u32() % 4 == 0 ? 4 + random_u32() % 6 : 9;

	tuple_begin(tuple);
	tuple_fixed(tuple, &int4, 4, 4);
	memset(text, 'a' + (int) (random_u32() % 5), sizeof(text));
	for (uint32_t i = 1; i < natts; i++)
	{
		if (random_u32() % 6 == 0)
		{
			tuple_null(tuple);
			continue;
		}
		switch (i)
		{
			case 1:
				if (some_external && random_u32() % 5 == 0)
					tuple_fixed(tuple, external, sizeof(external), 1);
				else
					tuple_text(tuple, text, random_u32() % 20, random_u32() & 1);
				break;
			case 2:
				tuple_fixed(tuple, &dropped, 2, 2);
				break;
			case 3:
				tuple_fixed(tuple, &int8, 8, 8);
				break;
			case 4:
				tuple_fixed(tuple, &boolean, 1, 1);
				break;
			case 5:
				tuple_fixed(tuple, uuid, 16, 1);
				break;
			case 6:
				tuple_fixed(tuple, &float8, 8, 8);
				break;
			case 8:
				tuple_text(tuple, (const char *) numeric,
						   numeric_of_scaled(numeric, random_u32() & 1, int8, 3),
						   random_u32() & 1);
				break;
			default:
				tuple_text(tuple, text, random_u32() % 3, random_u32() & 1);
				break;
		}
	}
}

/* Is that line pointer in the page's list? */
static bool
is_listed(const char *page, uint32_t number, bool all)
{
	uint32_t	line;

	memcpy(&line, page + HEAP_PAGE_LINES + (number - 1) * HEAP_LINE_SIZE, sizeof(line));
	return HEAP_LINE_FLAGS(line) == HEAP_LINE_NORMAL && (all || (random_u32() & 1));
}

/* Pages of random rows; some with dead line pointers, some not all of them visible. */
static void
make_pages(void)
{
	for (int p = 0; p < NPAGES; p++)
	{
		TupleWriter tuple;
		uint32_t	n = 0;

		page_begin(pages[p]);
		do
			make_tuple(&tuple);
		while (page_add(pages[p], &tuple,
						p % 4 == 1 && random_u32() % 5 == 0 ? HEAP_LINE_DEAD : HEAP_LINE_NORMAL));
		refs[p] = (PageRef) {.page = pages[p], .nlines = page_nlines(pages[p]), .block = (uint32_t) p};
		if (p % 4 != 1 && p % 4 != 2)
			continue;
		for (uint32_t i = 1; i <= refs[p].nlines; i++)
			if (is_listed(pages[p], i, p % 4 == 1))
				lists[p][n++] = (uint16_t) i;
		refs[p].lines = lists[p];
		refs[p].nlines = n;
	}
	/* a page without rows, and one from which only the first lines count */
	page_begin(pages[8]);
	refs[8].nlines = 0;
	refs[4].nlines /= 2;
}

static void
params_of(ParamValue *params)
{
	static const double missing = 2.5;

	memset(params, 0, NPARAMS * sizeof(*params));
	params[0].type = VT_FLOAT8;
	memcpy(&params[0].word, &missing, sizeof(missing));
	params[1].type = VT_TEXT;
	params[1].bytes = (Bytes) {.data = "missing", .len = 7};
	params[2].type = VT_INT8;
	params[2].word = -12345;
}

static void
check_same(const char *name, const Program *program, const char *strategy)
{
	ParamValue	params[NPARAMS];
	EngineHints hints = {.strategy = strategy};
	Groups	   *expected;
	Groups	   *got;

	params_of(params);
	expected = engine_groups_of_pages(&cpu_engine, program, params, &hints, refs, NPAGES);
	got = engine_groups_of_pages(engine, program, params, &hints, refs, NPAGES);
	ok(expected->status == ENGINE_OK && expected->ngroups > 10 &&
	   groups_same(program, expected, got) && expected->stats.rows == got->stats.rows,
	   "%s, %s: %zu groups of %llu rows", name, strategy, got->ngroups,
	   (unsigned long long) got->stats.rows);
	groups_free(expected);
	groups_free(got);
}

/* A damaged page: both engines refuse it, or both make the same of it. */
static void
check_damaged(const char *name, const Program *program, int rounds, bool whole_page)
{
	int			refused = 0;
	int			differ = 0;
	int			corrupt = 0;

	for (int i = 0; i < rounds; i++)
	{
		ParamValue	params[NPARAMS];
		EngineHints hints = {.strategy = "atomic"};
		char		kept[HEAP_PAGE_SIZE];
		Groups	   *expected;
		Groups	   *got;

		params_of(params);
		memcpy(kept, pages[0], HEAP_PAGE_SIZE);
		for (int j = 0; j < (whole_page ? HEAP_PAGE_SIZE : 3); j++)
		{
			uint32_t	at = whole_page ? (uint32_t) j : random_u32() % HEAP_PAGE_SIZE;

			pages[0][at] = (char) random_u32();
		}
		/* a header that holds, so that tuples are looked at */
		memcpy(pages[0] + HEAP_PAGE_LOWER, kept + HEAP_PAGE_LOWER, 6);
		expected = engine_groups_of_pages(&cpu_engine, program, params, &hints, refs, 1);
		got = engine_groups_of_pages(engine, program, params, &hints, refs, 1);
		refused += got->status != ENGINE_OK;
		corrupt += got->status == ENGINE_CORRUPT;
		if ((expected->status == ENGINE_OK) != (got->status == ENGINE_OK))
		{
			printf("# %d (%s) and %d (%s)\n", expected->status, expected->message,
				   got->status, got->message);
			differ++;
		}
		else if (got->status == ENGINE_OK && !groups_same(program, expected, got))
			differ++;
		groups_free(expected);
		groups_free(got);
		memcpy(pages[0], kept, HEAP_PAGE_SIZE);
	}
	ok(differ == 0 && corrupt > 0, "%s: %d of %d refused, by both engines", name, refused,
	   rounds);
}

/* One damaged place, and the status it must end in. */
static void
check_status(const char *name, const Program *program, EngineStatus status)
{
	ParamValue	params[NPARAMS];
	EngineHints hints = {.strategy = "auto"};
	Groups	   *got;

	params_of(params);
	got = engine_groups_of_pages(engine, program, params, &hints, refs, 1);
	ok(got->status == status, "%s: %s", name, got->message);
	groups_free(got);
}

static void
check_statuses(const Program *program)
{
	uint16_t	list[1] = {9999};
	PageRef		kept = refs[0];
	char		external[VARLENA_ONDISK_SIZE] = {1, VARLENA_TAG_ONDISK};
	uint32_t	compressed = 100 << 2 | 2;
	int32_t		int4 = 1;
	TupleWriter tuple;

	refs[0].lines = list;
	refs[0].nlines = 1;
	check_status("a line pointer that is not there", program, ENGINE_CORRUPT);
	refs[0] = kept;
	page_put16(pages[0], HEAP_PAGE_UPPER, 9000);
	check_status("a page header that contradicts itself", program, ENGINE_CORRUPT);

	page_begin(pages[0]);
	tuple_begin(&tuple);
	tuple_fixed(&tuple, &int4, 4, 4);
	tuple_fixed(&tuple, external, sizeof(external), 1);
	page_add(pages[0], &tuple, HEAP_LINE_NORMAL);
	refs[0].nlines = 1;
	check_status("a value out of line: the row is left out", program, ENGINE_OK);

	page_begin(pages[0]);
	tuple_begin(&tuple);
	tuple_fixed(&tuple, &int4, 4, 4);
	tuple_fixed(&tuple, &compressed, 4, 4);
	tuple.len += 96;
	page_add(pages[0], &tuple, HEAP_LINE_NORMAL);
	check_status("a compressed value: the row is left out", program, ENGINE_OK);

	page_begin(pages[0]);
	tuple_begin(&tuple);
	tuple_null(&tuple);
	tuple_text(&tuple, "a", 1, true);
	page_add(pages[0], &tuple, HEAP_LINE_NORMAL);
	check_status("NULL in a column that is NOT NULL", program, ENGINE_INEXACT);
}

int
main(void)
{
	Program    *few = make_program(false);
	Program    *all = make_program(true);
	int			rounds = 60;

	engine = getenv("GPUAGG_TEST_ENGINE") && strcmp(getenv("GPUAGG_TEST_ENGINE"), "cuda") == 0 ?
		&cuda_engine : &simt_engine;
	for (int p = 0; p < NPAGES; p++)
		pages[p] = malloc(HEAP_PAGE_SIZE);
	make_pages();
	check_same("few columns", few, "auto");
	check_same("few columns", few, "scan");
	check_same("all columns", all, "auto");
	check_same("all columns", all, "peers");
	check_damaged("three bytes damaged", all, rounds, false);
	check_damaged("random pages", all, rounds / 3, true);
	some_external = true;
	make_pages();
	check_same("some rows left out", few, "auto");
	check_same("some rows left out", few, "scan");
	check_same("some rows left out", all, "block");
	check_statuses(few);
	for (int p = 0; p < NPAGES; p++)
		free(pages[p]);
	free(few);
	free(all);
	return done_testing();
}
