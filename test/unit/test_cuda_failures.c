/*
 * test_cuda_failures.c
 *	  Tables that grow, and devices that fail: on the simulated device.
 *
 * Every call of the device that a run makes fails once; the run must end in the
 * status that belongs to it, must leave nothing behind, and the next run must be
 * right.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/cuda/context/context.h"
#include "engine/cuda/cuda_engine.h"
#include "engine/cuda/compiled/kernel_disk.h"
#include "engine/cuda/kept/device_lookups.h"
#include "engine/cuda/kept/room.h"
#include "engine/simt/simt.h"
#include "engine_data.h"
#include "oracle.h"
#include "tap.h"

static const int text_key[] = {C_TEXT_NULL};
static const int int_key[] = {C_INT4_NULL};
static const int pair_key[] = {C_INT8_NULL, C_FLOAT8};

static Groups *
run(const Program *program, uint32_t nrows, const char *strategy, uint64_t limit,
	double groups)
{
	ParamValue	params[1] = {{.type = VT_INT4, .word = 1000}};
	EngineHints hints = {.strategy = strategy, .memory_limit = limit, .groups = groups};
	ColumnBatch batch = {.nrows = nrows, .columns = data_vectors};

	return engine_groups_of_batch(&simt_engine, program, params, &hints, &batch, 4096);
}

static bool
is_right(const Program *program, uint32_t nrows, const Groups *got)
{
	ColumnBatch batch = {.nrows = nrows, .columns = data_vectors};
	ParamValue	params[1] = {{.type = VT_INT4, .word = 1000}};
	Groups	   *expected = oracle_groups(program, params, &batch);
	bool		same = groups_same(program, expected, got);

	groups_free(expected);
	return same;
}

/* Many more groups than the first batch has: the table grows. */
static void
test_growth(const char *name, const int *keys, int nkeys, const char *strategy)
{
	const uint32_t nrows = 150000;
	Program    *program = data_program(keys, nkeys, false, false);
	Groups	   *got;

	data_make(nrows, 140000, true);
	got = run(program, nrows, strategy, 0, 10);
	ok(is_right(program, nrows, got), "growth: %s by %s, %zu groups", name, strategy,
	   got->ngroups);
	groups_free(got);
	free(program);
}

/* Memory of the device that is in use. */
static uint64_t
device_memory_free(void)
{
	char		why[256];
	Context    *context = context_get(&simt_device, 0, why, sizeof(why));
	uint64_t	bytes = 0;

	if (context != NULL)
		(void) simt_device.memory_free(context->device, &bytes);
	return bytes;
}

/* Let the nth of these calls fail; false once a run has fewer of them. */
static bool
fail_once(const Program *program, uint32_t nrows, const char *call, int nth,
		  DeviceStatus failure, EngineStatus expected, int *wrong)
{
	Groups	   *got;
	bool		failed;

	context_close(&simt_device);
	simt_inject(call, nth, failure);
	got = run(program, nrows, "auto", 0, 0);
	simt_inject(NULL, 0, DEVICE_OK);
	failed = got->status != ENGINE_OK;
	if (failed && (got->status != expected || got->message[0] == '\0' ||
				   (context_lost(&simt_device) >= 0) != (failure == DEVICE_FAILED)))
	{
		printf("# %s %d: status %d, %s\n", call, nth, got->status, got->message);
		(*wrong)++;
	}
	if (!failed && !is_right(program, nrows, got))
		(*wrong)++;
	groups_free(got);
	return failed;
}

/* Without memory to partition rows, they go as they come: the answer is right. */
static void
test_scatter_memory(void)
{
	const uint32_t nrows = 3000;
	Program    *program = data_program(int_key, 1, false, false);
	int			answers = 0;
	int			wrong = 0;
	int			nth = 0;
	bool		failed = true;

	data_make(nrows, 300, false);
	while (nth < 60 && (failed || answers < 4))
	{
		Groups	   *got;

		context_close(&simt_device);
		simt_inject("alloc", ++nth, DEVICE_NO_MEMORY);
		got = run(program, nrows, "scatter", 0, 0);
		simt_inject(NULL, 0, DEVICE_OK);
		failed = got->status != ENGINE_OK;
		wrong += failed ? got->status != ENGINE_NO_MEMORY :
			!is_right(program, nrows, got) || strcmp(got->stats.strategy, "scatter") != 0;
		answers += !failed;
		groups_free(got);
	}
	ok(nth < 60 && nth > answers && wrong == 0,
	   "scatter without memory: %d of %d times an answer", answers, nth);
	free(program);
}

static void
test_failures(const char *call, DeviceStatus failure, EngineStatus expected)
{
	const uint32_t nrows = 3000;
	Program    *program = data_program(text_key, 1, true, true);
	Groups	   *got;
	int			wrong = 0;
	int			nth = 1;

	data_make(nrows, 300, false);
	while (nth < 60 && fail_once(program, nrows, call, nth, failure, expected, &wrong))
		nth++;
	/* a run that did not need the call any more has left a lost device */
	if (failure == DEVICE_FAILED)
		context_close(&simt_device);
	got = run(program, nrows, "auto", 0, 0);
	ok(nth > 1 && wrong == 0 && is_right(program, nrows, got),
	   "each of %d calls of %s fails, and then all is well", nth - 1, call);
	groups_free(got);
	free(program);
}

/* Runs give back all that they took. */
static void
test_memory(void)
{
	const uint32_t nrows = 3000;
	Program    *program = data_program(pair_key, 2, true, false);
	uint64_t	before;
	uint64_t	after;
	Groups	   *got;

	data_make(nrows, 300, false);
	groups_free(run(program, nrows, "auto", 0, 0));
	before = device_memory_free();
	groups_free(run(program, nrows, "auto", 0, 0));
	got = run(program, nrows, "auto", 1 << 20, 0);
	ok(got->status == ENGINE_NO_MEMORY, "a limit: %s", got->message);
	groups_free(got);
	after = device_memory_free();
	ok(before > 0 && before == after, "device memory is given back");
	free(program);
}

/* Compiled kernels on disk: found again, and made anew if they are damaged. */
static void
test_disk_cache(void)
{
	char		directory[] = "/tmp/gpuagg-cache-XXXXXX";
	char		command[256];
	Program    *program = data_program(int_key, 1, false, false);
	bool		cached[4];

	if (mkdtemp(directory) == NULL)
		return;
	kernel_disk_directory(directory);
	data_make(1000, 10, false);
	for (int i = 0; i < 4; i++)
	{
		Groups	   *got;

		context_close(&simt_device);
		if (i == 2)
		{
			snprintf(command, sizeof(command),
					 "for f in %s/*.kernel; do echo damaged | dd of=$f bs=1 seek=200 "
					 "conv=notrunc 2>/dev/null; done", directory);
			if (system(command) != 0)
				printf("# cannot damage files\n");
		}
		got = run(program, 1000, "auto", 0, 0);
		cached[i] = got->status == ENGINE_OK && got->stats.compile_cached;
		groups_free(got);
	}
	ok(!cached[0] && cached[1], "kernels are found on disk");
	ok(!cached[2] && cached[3], "damaged ones are made anew");
	kernel_disk_directory(NULL);
	snprintf(command, sizeof(command), "rm -r %s", directory);
	if (system(command) != 0)
		printf("# cannot remove %s\n", directory);
	free(program);
}

/* A run with a table that is to be kept. */
static Groups *
run_lookup(const Program *program, const ParamValue *param)
{
	EngineHints hints = {.strategy = "atomic"};
	ColumnBatch batch = {.nrows = 500,.columns = data_vectors};

	return engine_groups_of_batch(&simt_engine, program, param, &hints, &batch, 500);
}

/* Has it the groups, and the tables that nobody uses any more the memory? */
static bool
is_good(const Program *program, const Groups *expected, const Groups *got)
{
	const KeptCache *cache = &context_of(&simt_device, 0)->kept;

	for (const DeviceLookup *lookup = cache->lookups; lookup != NULL; lookup = lookup->next)
		if (lookup->pins > 0)
			return false;
	return groups_same(program, expected, got) &&
		cache->lookup_bytes == (cache->lookups != NULL ? cache->lookups->size : 0);
}

/* Let the nth call fail: before a table is kept, or when it is there already. */
static void
fail_lookup(const Program *program, const ParamValue *param, const Groups *expected,
			const char *call, int nth, bool kept, DeviceStatus failure, int counts[3])
{
	Groups	   *got;
	bool		good;

	context_close(&simt_device);
	if (kept)
		groups_free(run_lookup(program, param));
	simt_inject(call, nth, failure);
	got = run_lookup(program, param);
	simt_inject(NULL, 0, DEVICE_OK);
	counts[0] += got->status != ENGINE_OK;
	good = got->status != ENGINE_OK || is_good(program, expected, got);
	groups_free(got);
	/* a run that did not need the call any more has left a lost device */
	if (failure == DEVICE_FAILED)
		context_close(&simt_device);
	got = run_lookup(program, param);
	counts[1] += got->status == ENGINE_OK && got->stats.lookups_resident == 1;
	counts[2] += !good || got->status != ENGINE_OK || !is_good(program, expected, got);
	groups_free(got);
}

/* Failures while a table becomes one that stays: it does not, or is right. */
static void
test_lookup_failures(const char *call, DeviceStatus failure)
{
	TableDigest digest = {.is_made = true};
	ParamValue	param;
	Program    *program = data_lookups(&param);
	ColumnBatch batch = {.nrows = 500,.columns = data_vectors};
	Groups	   *expected;
	int			counts[3] = {0};	/* failed; the next one found the table; wrong */

	data_make(500, 70, false);
	digest_of(param.bytes.data, param.bytes.len, &digest.digest);
	param.digest = &digest;
	expected = oracle_groups(program, &param, &batch);
	kept_set_limit(&context_of(&simt_device, 0)->kept, 400 << 20, 1000);
	for (int nth = 1; nth <= 8; nth++)
	{
		fail_lookup(program, &param, expected, call, nth, false, failure, counts);
		fail_lookup(program, &param, expected, call, nth, true, failure, counts);
	}
	ok(counts[0] > 0 && (counts[1] > 0) == (failure != DEVICE_FAILED) && counts[2] == 0,
	   "a table that is kept: %d failures of %s, %d times it is there", counts[0], call, counts[1]);
	kept_set_limit(&context_of(&simt_device, 0)->kept, 0, 1000);
	context_close(&simt_device);
	ok(context_of(&simt_device, 0)->memory.lent == 0, "all memory is given back");
	groups_free(expected);
	free((char *) param.bytes.data);
	free(program);
}

int
main(void)
{
	test_lookup_failures("alloc", DEVICE_NO_MEMORY);
	test_lookup_failures("upload", DEVICE_REFUSED);
	test_lookup_failures("upload", DEVICE_FAILED);
	test_lookup_failures("stream_wait", DEVICE_FAILED);
	test_growth("int", int_key, 1, "atomic");
	test_growth("text", text_key, 1, "atomic");
	test_growth("text", text_key, 1, "scan");
	test_growth("pair", pair_key, 2, "block");
	test_growth("int", int_key, 1, "peers");
	test_growth("int", int_key, 1, "scatter");
	test_growth("int", int_key, 1, "scatter_twice");
	test_scatter_memory();
	test_memory();
	test_disk_cache();
	test_failures("alloc", DEVICE_NO_MEMORY, ENGINE_NO_MEMORY);
	test_failures("host_alloc", DEVICE_NO_MEMORY, ENGINE_NO_MEMORY);
	test_failures("compile", DEVICE_COMPILE, ENGINE_FAILED);
	test_failures("launch", DEVICE_REFUSED, ENGINE_FAILED);
	test_failures("upload", DEVICE_REFUSED, ENGINE_FAILED);
	test_failures("launch", DEVICE_FAILED, ENGINE_LOST);
	test_failures("stream_wait", DEVICE_FAILED, ENGINE_LOST);
	test_failures("upload", DEVICE_FAILED, ENGINE_LOST);
	test_failures("event_query", DEVICE_FAILED, ENGINE_LOST);
	context_close(&simt_device);
	return done_testing();
}
