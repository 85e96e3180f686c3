/*
 * test_served.c
 *	  Blocks that an engine in the device process serves itself: the session learns of
 *	  exactly these, and gives the others; it tells the LSNs that are asked for; files and messages
 *	  about them that lie.
 *
 * The engine is the CPU's, with the pages of the blocks that it serves given to it when
 * its run is opened.
 */
#include <sys/mman.h>

#include "engine/stripe.h"
#include "engine_data.h"
#include "mutate.h"
#include "oracle.h"
#include "page_query.h"
#include "service/wire/served_blocks.h"
#include "service_process.h"
#include "tap.h"

#define NPAGES 300
#define MUTATIONS 20000

/* The other table, of which nothing is given. */
#define OTHER_BLOCKS 70

/* Both processes' pages, and what the visibility map says of them. */
static const PageRef *refs;
static FrameMap frames[2];
static const TableState tables[2] = {
	{.file = {1, 2, 3},.relation = 4,.table = 0,.nblocks = NPAGES,.frames = &frames[0]},
	{.file = {1, 2, 5},.relation = 6,.table = 3,.nblocks = OTHER_BLOCKS,.frames = &frames[1]},
};

/* In the device process: of each table, the blocks that its map says are all-visible. */
static uint8_t served_bits[2][(NPAGES + 7) / 8];

static const uint8_t *
fake_served(EngineRun *run, int i)
{
	bool		any = false;

	for (size_t byte = 0; byte < sizeof(served_bits[i]); byte++)
		any |= served_bits[i][byte] != 0;
	return any ? served_bits[i] : NULL;
}

static bool
is_served(const uint8_t *bits, uint32_t block)
{
	return bits != NULL && (bits[block / 8] >> block % 8 & 1) != 0;
}

/* What the session says of a page; of tables[i]. */
static uint64_t
lsn_of(int i, uint32_t block)
{
	return (uint64_t) (i + 1) << 32 | block;
}

/* Are these LSNs what the session has said, of the served blocks? */
static bool
lsns_are_right(const uint64_t *lsns)
{
	for (int i = 0; i < 2; i++)
		for (uint32_t block = 0; block < tables[i].nblocks; block++)
			if (is_served(served_bits[i], block) && *lsns++ != lsn_of(i, block))
				return false;
	return true;
}

/* In the device process: what is asked of a run, of two tables those blocks that are served. */
static EngineRequest asks;

static EngineStatus
fake_request(EngineRun *run, EngineRequest *request)
{
	(void) run;
	*request = asks;
	return ENGINE_OK;
}

static EngineStatus
fake_answer(EngineRun *run, const EngineAnswer *answer)
{
	bool		right = answer->kind == asks.kind && answer->n == asks.n &&
		lsns_are_right(answer->lsns);

	asks = (EngineRequest) {REQUEST_NONE, 0, NULL};
	if (!right)
		snprintf(run->message, sizeof(run->message), "not the LSNs that were asked for");
	return right ? ENGINE_OK : ENGINE_FAILED;
}

static void
ask(void)
{
	static const uint8_t *blocks[2];

	asks = (EngineRequest) {REQUEST_PAGE_LSNS, 0, blocks};
	for (int i = 0; i < 2; i++)
	{
		blocks[i] = fake_served(NULL, i);
		for (uint32_t block = 0; block < tables[i].nblocks; block++)
			asks.n += is_served(served_bits[i], block);
	}
	if (asks.n == 0)
		asks.kind = REQUEST_NONE;
}

/* A strategy by which a run fails as it begins. */
#define FAILS "fails"

static EngineOps fake_engine;
static bool fails;

static EngineStatus
fake_open(const Program *program, const ParamValue *params, const EngineHints *hints,
		  EngineRun **run, char *message)
{
	EngineStatus status = cpu_engine.open(program, params, hints, run, message);

	memset(served_bits, 0, sizeof(served_bits));
	for (int i = 0; i < hints->ntables; i++)
		for (uint32_t block = 0; block < hints->tables[i].nblocks; block++)
			if (stripe_block_is_all_visible(hints->tables[i].frames->bits, block))
				served_bits[i][block / 8] |= (uint8_t) (1 << block % 8);
	asks = (EngineRequest) {REQUEST_NONE, 0, NULL};
	if (hints->ntables == 2)
		ask();
	fails = strcmp(hints->strategy, FAILS) == 0;
	if (status == ENGINE_OK)
		(*run)->ops = &fake_engine;
	return status;
}

/* It takes the rows of these blocks when it is told to begin. */
static EngineStatus
fake_begin(EngineRun *run)
{
	EngineStatus status = ENGINE_OK;

	for (int block = 0; status == ENGINE_OK && block < NPAGES; block++)
		if (is_served(served_bits[0], (uint32_t) block))
			status = cpu_engine.pages(run, &refs[block], 1);
	if (status != ENGINE_OK || !fails)
		return status;
	snprintf(run->message, sizeof(run->message), "it was to fail");
	return ENGINE_INEXACT;
}

static const EngineKept fake_kept = {
	.request = fake_request,
	.answer = fake_answer,
	.served = fake_served,
	.begin = fake_begin
};

/* Say of every block whose number has the remainder, or of all, that it is all-visible. */
static void
set_map(int table, int modulus, int remainder)
{
	FrameMap   *map = &frames[table];

	memset(map->bits, 0, sizeof(map->bits));
	for (uint32_t block = 0; block < tables[table].nblocks; block++)
		if (modulus > 0 && (int) block % modulus == remainder)
			map->bits[block / 4] |= (uint8_t) (1 << block % 4 * 2);
	map->lsn = 42;
}

/* Tell the LSNs that are asked for, if any are. */
static EngineStatus
tell_lsns(EngineRun *run)
{
	EngineRequest request;
	uint64_t	lsns[NPAGES + OTHER_BLOCKS];
	uint64_t	n = 0;
	EngineStatus status;

	while ((status = run->ops->kept->request(run, &request)) == ENGINE_BUSY)
		service_wait(run);
	if (status != ENGINE_OK || request.kind == REQUEST_NONE)
		return status;
	for (int i = 0; i < 2; i++)
		for (uint32_t block = 0; block < tables[i].nblocks; block++)
			if (is_served(request.blocks[i], block))
				lsns[n++] = lsn_of(i, block);
	while ((status = run->ops->kept->answer(run, &(EngineAnswer) {request.kind, n, lsns})) == ENGINE_BUSY)
		service_wait(run);
	return status;
}

static EngineStatus
wait_begun(EngineRun *run)
{
	EngineStatus status = tell_lsns(run);

	if (status != ENGINE_OK)
		return status;
	while ((status = run->ops->shared->begun(run)) == ENGINE_BUSY)
		service_wait(run);
	return status;
}

/* Are the blocks that the session need not give those that the map says? */
static bool
same_served(EngineRun *run, int i)
{
	const uint8_t *bits = run->ops->kept->served(run, i);

	for (uint32_t block = 0; block < tables[i].nblocks; block++)
		if (is_served(bits, block) !=
			stripe_block_is_all_visible(tables[i].frames->bits, block))
			return false;
	for (uint32_t block = tables[i].nblocks; block % 8 != 0; block++)
		if (is_served(bits, block))
			return false;
	return true;
}

/* Give the blocks that the engine does not serve. */
static EngineStatus
give_others(EngineRun *run, int *given)
{
	EngineStatus status = ENGINE_OK;

	*given = 0;
	for (uint32_t block = 0; status == ENGINE_OK && block < NPAGES; block++)
	{
		if (is_served(run->ops->kept->served(run, 0), block))
			continue;
		(*given)++;
		while ((status = run->ops->pages(run, &refs[block], 1)) == ENGINE_BUSY)
			service_wait(run);
	}
	if (status != ENGINE_OK)
		return status;
	while ((status = run->ops->pages(run, NULL, 0)) == ENGINE_BUSY)
		service_wait(run);
	return status;
}

/* The number of rows that all groups count. */
static uint64_t
count_rows(EngineRun *run)
{
	uint64_t	rows = 0;

	for (;;)
	{
		GroupBatch	batch;
		EngineStatus status;

		while ((status = run->ops->groups(run, &batch)) == ENGINE_BUSY)
			service_wait(run);
		if (status != ENGINE_OK || batch.ngroups == 0)
			return status == ENGINE_OK ? rows : 0;
		for (uint32_t i = 0; i < batch.ngroups; i++)
			rows += batch.states[i];
	}
}

/* count(*) by an int4. */
static Program *
count_program(void)
{
	ProgramBuilder *b = malloc(sizeof(*b));
	Program    *program;

	program_begin(b, SOURCE_PAGES);
	program_add_attr(b, 4, 4);
	program_add_attr(b, -1, 4);
	program_add_key(b, program_add_column(b, 1, VT_INT4, false, -1));
	program_add_acc(b, ACC_COUNT, -1, -1);
	program = calloc(1, program_size(b));
	program_finish(b, program);
	free(b);
	return program;
}

static uint64_t
expected_rows(void)
{
	uint64_t	rows = 0;

	for (int i = 0; i < NPAGES; i++)
		rows += refs[i].nlines;
	return rows;
}

static void
check_served(const char *what, int expected)
{
	Program    *program = count_program();
	EngineHints hints = {.strategy = "auto",.answers = true,.tables = tables,.ntables = 2};
	EngineRun  *run;
	char		message[256];
	EngineStatus status;
	int			given;
	uint64_t	rows;

	if (cpu_client.open(program, NULL, &hints, &run, message) != ENGINE_OK)
		abort();
	ok(wait_begun(run) == ENGINE_OK && same_served(run, 0) && same_served(run, 1),
	   "%s: the session knows what is served %s", what, run->message);
	status = give_others(run, &given);
	ok(status == ENGINE_OK && given == expected, "%s: %d of %d blocks are given", what, given,
	   NPAGES);
	rows = count_rows(run);
	ok(rows == expected_rows(), "%s: %llu rows %s", what, (unsigned long long) rows, run->message);
	cpu_client.close(run);
	free(program);
}

/* A run that fails as it begins has failed when its pages end. */
static void
check_failed(void)
{
	Program    *program = count_program();
	EngineHints hints = {.strategy = FAILS,.answers = true,.tables = tables,.ntables = 2};
	EngineRun  *run;
	char		message[256];
	int			given;

	if (cpu_client.open(program, NULL, &hints, &run, message) != ENGINE_OK)
		abort();
	if (wait_begun(run) == ENGINE_OK)
		(void) give_others(run, &given);
	ok(run->ops->pages(run, NULL, 0) == ENGINE_INEXACT &&
	   strcmp(run->message, "it was to fail") == 0, "a run fails as it begins: %s",
	   run->message);
	cpu_client.close(run);
	free(program);
}

/* A device process's end of a run's socket, with the run opened. */
typedef struct OtherEnd
{
	ServiceProcess process;
	int			fd;
	EngineRun  *run;
	Program    *program;
} OtherEnd;

static void
begin_other_end(OtherEnd *end, bool with_tables)
{
	EngineHints hints = {.strategy = "auto",.answers = true,.tables = tables,.ntables = with_tables ? 2 : 0};
	ClientConfig client;
	char		why[256];

	service_listen(&end->process);
	client = service_client(&end->process);
	client_configure(&client);
	end->program = count_program();
	if (cpu_client.open(end->program, NULL, &hints, &end->run, why) != ENGINE_OK)
		abort();
	end->fd = channel_accept(end->process.listener);
}

static void
end_other_end(OtherEnd *end)
{
	cpu_client.close(end->run);
	close(end->fd);
	close(end->process.listener);
	unlink(end->process.socket);
	rmdir(end->process.directory);
	free(end->program);
}

static void
say_served(OtherEnd *end, int file, uint64_t size)
{
	static Message message;

	message_begin(&message, MESSAGE_SERVED);
	message.served.size = size;
	message_end(&message);
	(void) channel_send(end->fd, &message, file);
}

static void
say_asked(OtherEnd *end, int file, uint64_t size)
{
	static Message message;

	message_begin(&message, MESSAGE_REQUEST);
	message.request.kind = REQUEST_PAGE_LSNS;
	message.request.size = size;
	message_end(&message);
	(void) channel_send(end->fd, &message, file);
}

static void
say_started(OtherEnd *end, ServedKind served)
{
	static Message message;

	message_begin(&message, MESSAGE_STARTED);
	message.started.served = served;
	message_end(&message);
	(void) channel_send(end->fd, &message, -1);
}

/* A run that serves what its maps say, without a process. */
static int
served_file(uint64_t *size)
{
	EngineRun	run = {.ops = &fake_engine};
	EngineHints hints = {.tables = tables,.ntables = 2};
	int			file;

	memset(served_bits, 0, sizeof(served_bits));
	call_is_due(&run, CALL_OPEN);
	served_bits[0][7] = 0x81;
	memset(served_bits[1], 0xff, OTHER_BLOCKS / 8);
	served_bits[1][OTHER_BLOCKS / 8] = 0x3f;
	if (served_write(&run, &hints, &file, size) != SERVED_SOME || file < 0)
		abort();
	return file;
}

/* Messages that have no place, or say what cannot be. */
static void
check_lies(void)
{
	OtherEnd	end;
	uint64_t	size;
	int			file = served_file(&size);

	begin_other_end(&end, true);
	say_started(&end, SERVED_SOME);
	ok(wait_begun(end.run) == ENGINE_FAILED, "no file: %s", end.run->message);
	end_other_end(&end);

	begin_other_end(&end, true);
	say_served(&end, file, size);
	say_started(&end, SERVED_ALL);
	ok(wait_begun(end.run) == ENGINE_FAILED, "another kind: %s", end.run->message);
	end_other_end(&end);

	begin_other_end(&end, true);
	say_served(&end, file, size);
	say_served(&end, file, size);
	ok(wait_begun(end.run) == ENGINE_FAILED, "two files: %s", end.run->message);
	end_other_end(&end);

	begin_other_end(&end, false);
	say_served(&end, file, size);
	say_started(&end, SERVED_SOME);
	ok(wait_begun(end.run) == ENGINE_FAILED, "tables that there are not: %s", end.run->message);
	end_other_end(&end);

	begin_other_end(&end, true);
	say_asked(&end, file, size);
	say_asked(&end, file, size);
	ok(wait_begun(end.run) == ENGINE_FAILED, "asked twice: %s", end.run->message);
	end_other_end(&end);

	begin_other_end(&end, true);
	say_asked(&end, file, size);
	say_started(&end, SERVED_NONE);
	ok(wait_begun(end.run) == ENGINE_FAILED, "asked, and not told: %s", end.run->message);
	end_other_end(&end);

	begin_other_end(&end, true);
	say_served(&end, file, size);
	say_asked(&end, file, size);
	ok(wait_begun(end.run) == ENGINE_FAILED, "asked too late: %s", end.run->message);
	end_other_end(&end);

	begin_other_end(&end, false);
	say_asked(&end, file, size);
	ok(wait_begun(end.run) == ENGINE_FAILED, "asked of no tables: %s", end.run->message);
	end_other_end(&end);

	begin_other_end(&end, true);
	say_served(&end, file, size);
	say_started(&end, SERVED_SOME);
	ok(wait_begun(end.run) == ENGINE_OK && is_served(end.run->ops->kept->served(end.run, 0), 56) &&
	   !is_served(end.run->ops->kept->served(end.run, 0), 57), "the truth");
	end_other_end(&end);
	close(file);
}

/* Files that lie: each is refused, or has no bits behind the tables' blocks. */
static void
check_files(void)
{
	EngineHints hints = {.tables = tables,.ntables = 2};
	uint64_t	size;
	int			file = served_file(&size);
	char	   *bytes = malloc(size);
	Served		served = {0};
	int			good = 0;
	bool		ends = true;

	if (!file_read(file, 0, bytes, size))
		abort();
	ok(!served_read(&hints, file, size + 1, &served), "a file of another size is refused");
	served_free(&served);
	for (int i = 0; i < MUTATIONS; i++)
	{
		int			changed = file_create("test");
		char	   *copy = malloc(size);

		memcpy(copy, bytes, size);
		mutate(copy, size);
		if (!file_write(changed, 0, copy, size) || (i % 10 > 0 && !file_seal(changed)))
			abort();
		if (served_read(&hints, changed, size, &served))
		{
			good++;
			ends &= i % 10 > 0;
			for (int t = 0; t < 2; t++)
				for (uint32_t block = tables[t].nblocks; block % 8 != 0; block++)
					ends &= !is_served(served.tables[t], block);
		}
		served_free(&served);
		free(copy);
		close(changed);
	}
	ok(good > 0 && good < MUTATIONS && ends,
	   "%d changed files: %d do no harm, the others are refused", MUTATIONS, good);
	free(bytes);
	close(file);
}

int
main(void)
{
	ServiceProcess service;
	ServiceConfig config = {.buffers_size = (uint64_t) NPAGES * HEAP_PAGE_SIZE,
	.engine = &fake_engine};
	ClientConfig client;
	char	   *buffers = mmap(NULL, NPAGES * HEAP_PAGE_SIZE, PROT_READ | PROT_WRITE,
							   MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	refs = make_pages(buffers, NPAGES);
	config.buffers = buffers;
	fake_engine = cpu_engine;
	fake_engine.open = fake_open;
	fake_engine.kept = &fake_kept;
	service_begin(&service, &config);
	client = service_client(&service);
	client.buffers = buffers;
	client.buffers_size = (uint64_t) NPAGES * HEAP_PAGE_SIZE;
	client_configure(&client);
	set_map(0, 0, 0);
	set_map(1, 0, 0);
	check_served("nothing", NPAGES);
	set_map(0, 1, 0);
	check_served("one table", 0);
	set_map(1, 1, 0);
	check_served("all", 0);
	set_map(0, 2, 1);
	check_served("every second block", NPAGES / 2);
	set_map(0, NPAGES, NPAGES - 1);
	check_served("the last block", NPAGES - 1);
	check_failed();
	check_served("after a failure", NPAGES - 1);
	ok(service_lives(&service), "the device process lives");
	service_end(&service);
	check_lies();
	check_files();
	return done_testing();
}
