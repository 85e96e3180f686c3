/*
 * test_pages_in_place.c
 *	  Heap pages that kernels read where they are, that are copied, and both: the
 *	  same groups as the CPU engine's, whatever becomes of a page once it is
 *	  released.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "engine/clock.h"
#include "engine/cuda/context/context.h"
#include "engine/cuda/cuda_engine.h"
#include "engine/simt/simt.h"
#include "oracle.h"
#include "page_writer.h"
#include "tap.h"

#define NPAGES 300
#define MAX_PAGE_ROWS 400

static const EngineOps *engine = &simt_engine;
static const DeviceOps *device = &simt_device;
static char *original;			/* the pages */
static char *buffers;			/* where engines read them: some are announced */
static char *elsewhere;			/* where nobody may */
static uint16_t lists[NPAGES][MAX_PAGE_ROWS];
static PageRef refs[NPAGES];
static int	lost;				/* pages that were overwritten */

/* Columns int4 and int8: count(*), sum(int8) by int4. */
static Program *
make_program(void)
{
	ProgramBuilder *b = malloc(sizeof(*b));
	Program    *program;

	program_begin(b, SOURCE_PAGES);
	program_add_attr(b, 4, 4);
	program_add_attr(b, 8, 8);
	program_add_key(b, program_add_column(b, 1, VT_INT4, false, -1));
	program_add_acc(b, ACC_COUNT, -1, -1);
	program_add_acc(b, ACC_SUM_INT128, program_add_column(b, 2, VT_INT8, false, -1), -1);
	program = calloc(1, program_size(b));
	program_finish(b, program);
	free(b);
	return program;
}

/* Rows that differ from page to page; of every third page, every second one counts. */
static void
make_page(int number)
{
	char	   *page = original + (size_t) number * HEAP_PAGE_SIZE;
	int64_t		value = number * 1000;
	TupleWriter tuple;
	uint32_t	n = 0;

	page_begin(page);
	do
	{
		int32_t		key = (int32_t) (value % 37);

		value++;
		tuple_begin(&tuple);
		tuple_fixed(&tuple, &key, 4, 4);
		tuple_fixed(&tuple, &value, 8, 8);
	} while (page_nlines(page) < MAX_PAGE_ROWS && page_add(page, &tuple, HEAP_LINE_NORMAL));
	refs[number] = (PageRef) {
		.nlines = page_nlines(page),.block = (uint32_t) number
	};
	if (number % 3 != 0)
		return;
	for (uint32_t line = 1; line <= refs[number].nlines; line += 2)
		lists[number][n++] = (uint16_t) line;
	refs[number].lines = lists[number];
	refs[number].nlines = n;
}

/* Pages before `from` lie where kernels may read them, the others do not. */
static void
place_pages(int from)
{
	for (int i = 0; i < NPAGES; i++)
	{
		char	   *area = i % 10 < from ? buffers : elsewhere;

		refs[i].page = area + (size_t) i * HEAP_PAGE_SIZE;
		memcpy((char *) refs[i].page, original + (size_t) i * HEAP_PAGE_SIZE, HEAP_PAGE_SIZE);
	}
}

/* What other processes may do to a page that is not pinned any more. */
static void
lose_page(const PageRef *ref)
{
	memset((char *) ref->page, 0x77, HEAP_PAGE_SIZE);
	lost++;
}

/* Of ten pages `in_place` lie where kernels may read them. */
static void
check(const char *name, const Program *program, int in_place, int at_once, uint64_t expected)
{
	/* so few are expected that buffers have 64 */
	EngineHints hints = {.strategy = "auto",.pages = NPAGES / 10};
	PageFeed	feed = {refs, NPAGES, at_once, lose_page};
	PageFeed	all = {refs, NPAGES, ENGINE_MAX_PAGES, NULL};
	Groups	   *wanted;
	Groups	   *got;

	place_pages(in_place);
	wanted = engine_groups_of_feed(&cpu_engine, program, NULL, &hints, &all);
	lost = 0;
	got = engine_groups_of_feed(engine, program, NULL, &hints, &feed);
	ok(wanted->status == ENGINE_OK && wanted->ngroups == 37 && lost == NPAGES &&
	   groups_same(program, wanted, got), "%s: %zu groups of %llu rows %s", name, got->ngroups,
	   (unsigned long long) got->stats.rows, got->message);
	ok(got->stats.pages_in_place == expected &&
	   got->stats.pages_in_place + got->stats.pages_copied == NPAGES,
	   "%llu in place, %llu copied", (unsigned long long) got->stats.pages_in_place,
	   (unsigned long long) got->stats.pages_copied);
	groups_free(wanted);
	groups_free(got);
}

/* Memory that only grows resident as it is registered. */
static char *
make_area(void)
{
	return mmap(NULL, (size_t) NPAGES * HEAP_PAGE_SIZE, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void
test_failures(const Program *program)
{
	char		why[256] = "";

	if (engine != &simt_engine)
		return;
	context_close(device);
	ok(!context_map_failed(device, why, sizeof(why)), "no area has failed yet");
	simt_inject("host_register", 1, DEVICE_FAILED);
	check("pages that cannot be registered yet", program, 10, 64, 0);
	context_map_wait(device);
	check("pages that cannot be registered", program, 10, 64, 0);
	ok(context_map_failed(device, why, sizeof(why)), "the area has failed: %s", why);
	simt_inject(NULL, 0, DEVICE_OK);
	context_close(device);
}

static DeviceStatus
register_slowly(Device *dev, const void *memory, size_t size, DevicePtr *ptr, char *why,
				size_t len)
{
	usleep(5000);
	*ptr = (DevicePtr) (uintptr_t) memory;
	return DEVICE_OK;
}

static void
forget(Device *dev, const void *memory)
{
}

/* Three slices that take 5 ms each; between them pauses of 75 ms, if they are held. */
static void
test_hold(void)
{
	static Mapped *mapped;
	const DeviceOps slow = {.host_register = register_slowly,.host_unregister = forget};
	Device		slow_device = {.ops = &slow};
	size_t		size = 3 * MAPPED_SLICE;
	char	   *area = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
							-1, 0);

	mapped = mapped_create();
	ok(mapped_add(mapped, area, size), "three slices");
	for (int turn = 0; turn < 3; turn++)
	{
		uint64_t	begin = now_ns();
		bool		places = true;

		mapped_open(mapped, &slow_device);
		if (turn > 0)
			mapped_hold(mapped);
		for (int i = 0; i < 3; i++)
			(void) mapped_place(mapped, area + i * MAPPED_SLICE, 16);
		/* at the last turn they are closed in a pause */
		if (turn < 2)
		{
			mapped_wait(mapped);
			for (int i = 0; i < 3; i++)
				places &= mapped_place(mapped, area + i * MAPPED_SLICE, 16) != 0;
			ok(places && now_ns() - begin > (turn > 0 ? 150000000 : 15000000),
			   "registered after %d ms", (int) ((now_ns() - begin) / 1000000));
		}
		mapped_close(mapped);
	}
	munmap(area, size);
}

int
main(void)
{
	Program    *program = make_program();

	if (getenv("GPUAGG_TEST_ENGINE") && strcmp(getenv("GPUAGG_TEST_ENGINE"), "cuda") == 0)
	{
		engine = &cuda_engine;
		device = &cuda_device;
	}
	original = malloc((size_t) NPAGES * HEAP_PAGE_SIZE);
	buffers = make_area();
	elsewhere = make_area();
	for (int i = 0; i < NPAGES; i++)
		make_page(i);
	ok(context_map(device, buffers, (size_t) NPAGES * HEAP_PAGE_SIZE), "memory is announced");

	/* while the first pages are read, their slice is not registered yet */
	place_pages(10);
	groups_free(engine_groups_of_feed(engine, program, NULL, &(EngineHints) {.strategy = "auto"},
									  &(PageFeed) {refs, NPAGES, 64, NULL}));
	context_map_wait(device);
	ok(!context_map(device, elsewhere, HEAP_PAGE_SIZE), "no more once the device is open");

	check("all in place", program, 10, 64, NPAGES);
	check("all in place, one at once", program, 10, 1, NPAGES);
	check("all copied", program, 0, 64, 0);
	check("in place and copied", program, 5, 64, NPAGES / 2);
	check("in place and copied, 7 at once", program, 3, 7, NPAGES * 3 / 10);
	check("more at once than a buffer has", program, 5, NPAGES, NPAGES / 2);
	test_failures(program);
	test_hold();

	context_close(device);
	munmap(buffers, (size_t) NPAGES * HEAP_PAGE_SIZE);
	munmap(elsewhere, (size_t) NPAGES * HEAP_PAGE_SIZE);
	free(original);
	free(program);
	return done_testing();
}
