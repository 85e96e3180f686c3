/*
 * test_placement.c
 *	  Which of several devices a run uses, by what they keep: on simulated devices that are alike.
 */
#include <stdio.h>
#include <stdlib.h>

#include "engine/cuda/context/context.h"
#include "service/device/placement.h"
#include "service/device/server.h"
#include "tap.h"

#define NBLOCKS 1000
#define ALL_DEVICES 7

static TableState table = {.file = {1663, 5, 7000},.relation = 77,.nblocks = NBLOCKS};

/* Rows by a number; their greatest text is one for which the host merges groups. */
static Program *
make_program(bool text)
{
	ProgramBuilder *b = malloc(sizeof(*b));
	Program    *program;

	program_begin(b, SOURCE_PAGES);
	program_add_attr(b, 4, 4);
	program_add_key(b, program_add_column(b, 1, VT_INT4, true, -1));
	program_add_acc(b, ACC_COUNT, -1, -1);
	if (text)
	{
		program_add_attr(b, -1, 4);
		program_add_acc(b, ACC_MAX_TEXT, program_add_column(b, 2, VT_TEXT, true, -1), -1);
	}
	program = calloc(1, program_size(b));
	program_finish(b, program);
	free(b);
	return program;
}

/* Let a device be taken to keep so many blocks of the table's column. */
static void
keep(const Program *program, int device, uint64_t blocks)
{
	KeptCache  *cache = &context_of(&simt_device, device)->kept;
	KeptFile   *file = kept_file(cache, table.file, table.relation);
	KeptKey		key;

	(void) kept_key(&program_columns(program)[0], NULL, &key);
	kept_column(file, &key)->blocks = blocks;
	kept_file_leave(file);
}

/*
 * Which devices does a run use, of so many pages and groups, with so many blocks on the first two?
 */
static void
expect_for_groups(const Program *program, double pages, double groups, uint64_t first,
				  uint64_t second, uint64_t devices)
{
	static const ServiceConfig config = {.max_device_memory = 1 << 20,.deal_pages = 100000};
	Service		service = {.config = &config};
	EngineHints hints = {.pages = pages,.groups = groups,.tables = &table,.ntables = 1};
	uint64_t	used;

	keep(program, 0, first);
	keep(program, 1, second);
	used = placement_choose(&service, &simt_device, program, &hints, 1000);
	ok(used == devices, "%.0f pages, %.0f groups, %d and %d blocks kept: devices %d", pages, groups,
	   (int) first, (int) second, (int) used);
}

static void
expect_devices(const Program *program, double pages, uint64_t first, uint64_t second,
			   uint64_t devices)
{
	expect_for_groups(program, pages, 100, first, second, devices);
}

int
main(void)
{
	Program    *program = make_program(false);
	Program    *texts = make_program(true);

	setenv("GPUAGG_SIMT_MEMORY", "100000000,100000000,100000000", 1);
	expect_devices(program, NBLOCKS, 0, 0, 1);
	expect_devices(program, NBLOCKS, 0, NBLOCKS, 2);
	expect_devices(program, NBLOCKS, 400, 600, ALL_DEVICES);
	expect_devices(program, NBLOCKS, 30, 60, ALL_DEVICES);
	/* both have kept the table, by runs that began together */
	expect_devices(program, NBLOCKS, NBLOCKS, NBLOCKS, 1);
	expect_devices(program, NBLOCKS, 950, 960, 2);
	expect_devices(program, 100000, NBLOCKS, NBLOCKS, ALL_DEVICES);
	expect_for_groups(program, 100000, 50001, 400, 600, ALL_DEVICES);
	expect_for_groups(program, 1000000, 700000, 600, 400, ALL_DEVICES);
	expect_for_groups(program, 1000000, 800000, 600, 400, 1);
	/* groups that take longer to merge than what is gained, by the host */
	expect_for_groups(texts, 100000, 50000, 0, 0, ALL_DEVICES);
	expect_for_groups(texts, 100000, 50001, 0, 0, 1);
	expect_for_groups(texts, 3000000, 75000, 0, 0, ALL_DEVICES);
	expect_for_groups(texts, 3000000, 76000, 0, 0, 1);
	for (int i = 0; i < 2; i++)
		kept_close(&context_of(&simt_device, i)->kept);
	free(program);
	free(texts);
	return done_testing();
}
