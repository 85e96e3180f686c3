/*
 * test_feeding.c
 *	  Runs in a device process that several processes feed: the same groups as of one,
 *	  whoever gives which rows; all of them fail with any of them; strangers are refused.
 */
#include <sys/mman.h>

#include "engine_data.h"
#include "mutate.h"
#include "oracle.h"
#include "page_query.h"
#include "service/wire/opening.h"
#include "service_process.h"
#include "tap.h"

#define NPAGES QUERY_PAGES
#define MB (UINT64_C(1) << 20)

static char *buffers;
static ServiceProcess service;

/*
 * An engine whose rows come by several connections, in turns: what it is given first goes
 * by the first one, and so on.
 */
#define PARTS 4

typedef struct FedRun
{
	EngineRun	head;
	EngineRun  *parts[PARTS];	/* the first one has opened the run */
	int			turn;
	int			ended;			/* parts whose pages have, */
	int			fed;			/* or whose rows */
	uint64_t	given;			/* pages */
	uint64_t	of[PARTS];		/* by each */
} FedRun;

static const EngineOps *fed_client; /* that the parts are runs of */
static const EngineOps fed_engine;
static int	first_giver;		/* parts before it give nothing */

static RunKey
new_key(void)
{
	return (RunKey)
	{
		{
			random_u64(), random_u64() | 1
		}
	};
}

/* Until a run answers something else than BUSY, 5 s at most. */
#define WAIT_FOR(status, run, call) \
	do \
	{ \
		uint64_t	begin_ = now_ns(); \
		while (((status) = (call)) == ENGINE_BUSY && now_ns() - begin_ < UINT64_C(60000000000)) \
			service_wait(run); \
	} while (0)

static void
fed_close(EngineRun *head)
{
	FedRun	   *run = (FedRun *) head;

	for (int i = 0; i < PARTS; i++)
		if (run->parts[i] != NULL)
			fed_client->close(run->parts[i]);
	free(run);
}

static EngineStatus
fed_open(const Program *program, const ParamValue *params, const EngineHints *hints,
		 EngineRun **head, char *message)
{
	FedRun	   *run = calloc(1, sizeof(*run));
	EngineHints keyed = *hints;
	EngineStatus status;

	keyed.key = new_key();
	keyed.only_pages = false;
	run->head.ops = &fed_engine;
	run->turn = first_giver;
	status = fed_client->open(program, params, &keyed, &run->parts[0], message);
	if (status == ENGINE_OK)
		WAIT_FOR(status, run->parts[0], fed_client->shared->begun(run->parts[0]));
	for (int i = 1; i < PARTS && status == ENGINE_OK; i++)
		status = fed_client->shared->attach(program, &keyed, &run->parts[i], message);
	*head = status == ENGINE_OK ? &run->head : NULL;
	if (status != ENGINE_OK)
		fed_close(&run->head);
	return status;
}

/* A part has answered: the next one's turn, or its failure is the run's. */
static EngineStatus
answered(FedRun *run, EngineStatus status)
{
	if (status == ENGINE_OK)
		run->turn = run->turn + 1 < PARTS ? run->turn + 1 : first_giver;
	else if (status == ENGINE_BUSY)
		usleep(50);
	else
		memcpy(run->head.message, run->parts[run->turn]->message, sizeof(run->head.message));
	return status;
}

static EngineStatus
fed_pages(EngineRun *head, const PageRef *pages, int n)
{
	FedRun	   *run = (FedRun *) head;
	EngineStatus status = ENGINE_OK;

	if (n > 0)
	{
		int			part = run->turn;

		status = answered(run, fed_client->pages(run->parts[part], pages, n));
		run->given += status == ENGINE_OK ? (uint64_t) n : 0;
		run->of[part] += status == ENGINE_OK ? (uint64_t) n : 0;
		return status;
	}
	while (run->ended < PARTS && status == ENGINE_OK)
	{
		run->turn = run->ended;
		status = answered(run, fed_client->pages(run->parts[run->ended], NULL, 0));
		run->ended += status == ENGINE_OK;
	}
	return status;
}

/* Of pages of several parts all, or none: they do not know of each other's. */
static uint64_t
fed_released(EngineRun *head)
{
	FedRun	   *run = (FedRun *) head;
	bool		all = true;

	for (int i = 0; i < PARTS; i++)
	{
		uint64_t	released = fed_client->released(run->parts[i]);

		if (released > run->of[i])
			abort();
		all &= released == run->of[i];
		if (i == first_giver && i == PARTS - 1)
			return released;
	}
	return all ? run->given : 0;
}

static int
fed_toasted(EngineRun *head, ToastedRow *rows, int max)
{
	FedRun	   *run = (FedRun *) head;
	int			n = 0;

	for (int i = 0; i < PARTS; i++)
		n += fed_client->toasted(run->parts[i], rows + n, max - n);
	return n;
}

static EngineStatus
fed_columns(EngineRun *head, const ColumnBatch *batch)
{
	FedRun	   *run = (FedRun *) head;

	return answered(run, fed_client->columns(run->parts[run->turn], batch));
}

static EngineStatus
fed_groups(EngineRun *head, GroupBatch *batch)
{
	FedRun	   *run = (FedRun *) head;
	EngineStatus status = ENGINE_OK;

	while (run->fed < PARTS - 1 && status == ENGINE_OK)
	{
		run->turn = run->fed + 1;
		status = answered(run, fed_client->shared->fed(run->parts[run->turn]));
		run->fed += status == ENGINE_OK;
	}
	if (status != ENGINE_OK)
		return status;
	run->turn = 0;
	fed_client->shared->expect(run->parts[0], PARTS - 1);
	status = answered(run, fed_client->groups(run->parts[0], batch));
	run->head.stats = run->parts[0]->stats;
	return status;
}

static const EngineOps fed_engine = {
	.open = fed_open,
	.pages = fed_pages,
	.released = fed_released,
	.toasted = fed_toasted,
	.columns = fed_columns,
	.groups = fed_groups,
	.close = fed_close
};

static void
check_batch(const EngineOps *client, uint32_t nrows, uint32_t step)
{
	const int	keys[] = {C_INT4_NULL, C_TEXT_NULL};
	Program    *program = data_program(keys, 2, true, true);
	ParamValue	params[1] = {{.type = VT_INT4,.word = 1000}};
	EngineHints hints = {.strategy = "auto",.rows = nrows};
	ColumnBatch batch = {.nrows = nrows,.columns = data_vectors};
	Groups	   *expected;
	Groups	   *got;

	data_make(nrows, 300, false);
	expected = oracle_groups(program, params, &batch);
	fed_client = client;
	got = engine_groups_of_batch(&fed_engine, program, params, &hints, &batch, step);
	ok(got->status == ENGINE_OK && groups_same(program, expected, got),
	   "%s: %u rows by %u from %d processes, %zu groups %s", engine_id_name(client->traits->id),
	   nrows, step, PARTS, got->ngroups, got->message);
	groups_free(expected);
	groups_free(got);
	free(program);
}

/* What has been released is not read any more, by whoever was told so. */
static void
lose(const PageRef *page)
{
	memset((char *) page->page, 0x5a, HEAP_PAGE_SIZE);
}

static void
check_pages(const EngineOps *client, const char *name, bool in_place, int at_once, int from)
{
	ClientConfig config = service_client(&service);
	EngineHints hints = {.strategy = "auto",.pages = NPAGES};
	PageFeed	feed = {make_pages(buffers, NPAGES), NPAGES, at_once, lose};
	Program    *program = pages_program();
	Groups	   *expected = engine_groups_of_pages(&cpu_engine, program, NULL, &hints, feed.pages, NPAGES);
	Groups	   *got;

	if (in_place)
	{
		config.buffers = buffers;
		config.buffers_size = NPAGES * HEAP_PAGE_SIZE;
	}
	client_configure(&config);
	fed_client = client;
	first_giver = from;
	got = engine_groups_of_feed(&fed_engine, program, NULL, &hints, &feed);
	ok(got->status == ENGINE_OK && groups_same(program, expected, got),
	   "%s, %s: %d pages at once, from process %d on, %zu groups %s", engine_id_name(client->traits->id),
	   name, at_once, from, got->ngroups, got->message);
	ok(got->stats.rows == expected->stats.rows, "%llu of %llu rows",
	   (unsigned long long) got->stats.rows, (unsigned long long) expected->stats.rows);
	first_giver = 0;
	groups_free(expected);
	groups_free(got);
	free(program);
	ok(service_wait_runs(0) >= 0, "the run has ended");
}

/* A run and one more process that feeds it, both of which have begun. */
typedef struct Pair
{
	Program    *program;
	EngineHints hints;
	EngineRun  *run;
	EngineRun  *other;
	ColumnBatch batch;
	ColumnVector vectors[2];
} Pair;

static int32_t pair_values[64];
static uint32_t pair_offsets[65];

static Pair
begin_pair(void)
{
	Pair		pair = {.program = pages_program(),.hints = {.strategy = "auto"}};
	char		message[256];
	EngineStatus status;

	pair.hints.key = new_key();
	(void) cpu_client.open(pair.program, NULL, &pair.hints, &pair.run, message);
	WAIT_FOR(status, pair.run, cpu_client.shared->begun(pair.run));
	(void) cpu_client.shared->attach(pair.program, &pair.hints, &pair.other, message);
	WAIT_FOR(status, pair.other, cpu_client.shared->begun(pair.other));
	if (status != ENGINE_OK)
		printf("# %s\n", pair.other->message);
	return pair;
}

static EngineStatus
give_rows(Pair *pair, EngineRun *run)
{
	EngineStatus status;

	pair->vectors[0].values = pair_values;
	pair->vectors[1].values = pair_values;
	pair->vectors[1].offsets = pair_offsets;
	pair->batch = (ColumnBatch) {64, pair->vectors};
	WAIT_FOR(status, run, cpu_client.columns(run, &pair->batch));
	return status;
}

static EngineStatus
end_rows(EngineRun *run)
{
	EngineStatus status;

	WAIT_FOR(status, run, cpu_client.shared->fed(run));
	return status;
}

static EngineStatus
ask_groups(EngineRun *run, uint32_t feeders)
{
	GroupBatch	batch;
	EngineStatus status;

	cpu_client.shared->expect(run, feeders);
	WAIT_FOR(status, run, cpu_client.groups(run, &batch));
	return status;
}

static void
end_pair(Pair *pair)
{
	if (pair->other != NULL)
		cpu_client.close(pair->other);
	if (pair->run != NULL)
		cpu_client.close(pair->run);
	free(pair->program);
	ok(service_wait_runs(0) >= 0, "the run goes");
}

static void
check_ends(void)
{
	Pair		pair = begin_pair();
	bool		good;

	good = give_rows(&pair, pair.other) == ENGINE_OK && end_rows(pair.other) == ENGINE_OK;
	cpu_client.close(pair.other);
	pair.other = NULL;
	ok(good && ask_groups(pair.run, 1) == ENGINE_OK && pair.run->stats.rows == 64,
	   "one that has ended may go: %s", pair.run->message);
	end_pair(&pair);

	pair = begin_pair();
	(void) give_rows(&pair, pair.other);
	cpu_client.close(pair.other);
	pair.other = NULL;
	ok(ask_groups(pair.run, 1) == ENGINE_FAILED, "one that goes before has failed: %s",
	   pair.run->message);
	end_pair(&pair);

	pair = begin_pair();
	(void) give_rows(&pair, pair.other);
	ok(ask_groups(pair.run, 1) == ENGINE_FAILED, "groups before all have ended: %s",
	   pair.run->message);
	ok(end_rows(pair.other) == ENGINE_FAILED, "fail for all: %s", pair.other->message);
	end_pair(&pair);

	pair = begin_pair();
	(void) end_rows(pair.other);
	ok(ask_groups(pair.run, 2) == ENGINE_FAILED, "one that was never there is missed: %s",
	   pair.run->message);
	end_pair(&pair);

	pair = begin_pair();
	(void) give_rows(&pair, pair.run);
	cpu_client.close(pair.run);
	pair.run = NULL;
	ok(give_rows(&pair, pair.other) == ENGINE_FAILED || end_rows(pair.other) == ENGINE_FAILED,
	   "the first one goes: %s", pair.other->message);
	end_pair(&pair);
}

/* A row without a value where there must be one fails the run, with one reason for all. */
static void
check_failure(void)
{
	static const uint8_t invalid[8];
	Pair		pair = begin_pair();

	pair.vectors[0].validity = invalid;
	ok(give_rows(&pair, pair.other) == ENGINE_OK, "a batch that the engine cannot take");
	ok(end_rows(pair.other) == ENGINE_INEXACT, "fails: %s", pair.other->message);
	ok(ask_groups(pair.run, 1) == ENGINE_INEXACT &&
	   strcmp(pair.run->message, pair.other->message) == 0, "for all");
	end_pair(&pair);
}

/* What comes of an attempt to attach. */
static EngineStatus
attach_as(const Pair *pair, const EngineHints *hints, uint32_t role, const char *database,
		  char *message)
{
	ClientConfig config = service_client(&service);
	EngineRun  *run;
	EngineStatus status;

	config.role = role;
	config.database = database;
	client_configure(&config);
	(void) cpu_client.shared->attach(pair->program, hints, &run, message);
	WAIT_FOR(status, run, cpu_client.shared->begun(run));
	memcpy(message, run->message, 256);
	cpu_client.close(run);
	config = service_client(&service);
	client_configure(&config);
	return status;
}

static void
check_strangers(void)
{
	Pair		pair = begin_pair();
	EngineHints other = pair.hints;
	EngineRun  *twin;
	EngineStatus status;
	char		message[256];

	other.only_pages = true;
	(void) cpu_client.open(pair.program, NULL, &other, &twin, message);
	WAIT_FOR(status, twin, cpu_client.shared->begun(twin));
	ok(status == ENGINE_FAILED, "the end of one's pages is not that of others: %s", twin->message);
	cpu_client.close(twin);
	other.only_pages = false;
	other.key.words[0]++;
	ok(attach_as(&pair, &other, 0, "test", message) == ENGINE_FAILED, "another key: %s", message);
	other.key = (RunKey) {{0}};
	ok(attach_as(&pair, &other, 0, "test", message) == ENGINE_FAILED, "no key: %s", message);
	ok(attach_as(&pair, &pair.hints, 7, "test", message) == ENGINE_FAILED, "another role: %s",
	   message);
	ok(attach_as(&pair, &pair.hints, 0, "tests", message) == ENGINE_FAILED, "another database: %s",
	   message);
	(void) cpu_client.open(pair.program, NULL, &pair.hints, &twin, message);
	WAIT_FOR(status, twin, cpu_client.shared->begun(twin));
	ok(status == ENGINE_FAILED, "a second run with the key: %s", twin->message);
	cpu_client.close(twin);
	ok(end_rows(pair.other) == ENGINE_OK && ask_groups(pair.run, 1) == ENGINE_OK,
	   "none of them does the run any harm");
	ok(attach_as(&pair, &pair.hints, 0, "test", message) == ENGINE_FAILED, "it has ended: %s",
	   message);
	end_pair(&pair);
}

/*
 * An engine that wants the pages of a stripe of so many blocks behind one another, and notes
 * what it is given.  In memory that the test shares with the device process.
 */
#define STRIPE 32
#define PAUSE_BLOCK 1000		/* whose page waits until the test has gone on */

typedef struct Noted
{
	bool		stripes;		/* are there any? */
	uint32_t	n;
	uint32_t	blocks[8 * STRIPE];
	volatile bool pauses;		/* a page has come that waits, */
	volatile bool goes_on;		/* until then; */
	volatile bool gave_up;		/* what EngineHints.gave_up says behind that */
} Noted;

static Noted *noted;
static bool (*gave_up) (void);
static EngineOps noting_engine;

static EngineStatus
noting_open(const Program *program, const ParamValue *params, const EngineHints *hints,
			EngineRun **run, char *message)
{
	gave_up = hints->gave_up;
	return cpu_engine.open(program, params, hints, run, message);
}

static EngineStatus
noting_pages(EngineRun *run, const PageRef *pages, int n)
{
	for (int i = 0; i < n; i++)
	{
		if (!noted->stripes)
			continue;
		if (noted->n < 8 * STRIPE)
			noted->blocks[noted->n++] = pages[i].block;
		if (pages[i].block != PAUSE_BLOCK)
			continue;
		noted->pauses = true;
		while (!noted->goes_on)
			usleep(100);
		noted->gave_up = gave_up();
	}
	return cpu_engine.pages(run, pages, n);
}

static bool
noting_continues(EngineRun *run, const PageRef *page)
{
	(void) run;
	return noted->stripes && page->block % STRIPE != STRIPE - 1;
}

/* It keeps nothing: no block is served. */
static const uint8_t *
noting_served(EngineRun *run, int i)
{
	(void) run;
	(void) i;
	return NULL;
}

static const EngineKept noting_kept = {
	.served = noting_served,
	.continues = noting_continues
};

static const EngineOps *
make_noting_engine(void)
{
	noted = mmap(NULL, sizeof(*noted), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	noting_engine = cpu_engine;
	noting_engine.open = noting_open;
	noting_engine.pages = noting_pages;
	noting_engine.kept = &noting_kept;
	return &noting_engine;
}

/* Give so many blocks' pages; BUSY: the device process has not got them all. */
static EngineStatus
give_pages(EngineRun *run, const PageRef *pages, int n, uint32_t first, PageRef *given)
{
	for (int i = 0; i < n; i++)
	{
		given[i] = pages[(first + (uint32_t) i) % NPAGES];
		given[i].block = first + (uint32_t) i;
	}
	return cpu_client.pages(run, given, n);
}

/* Two processes give two stripes each, by small pieces in turns. */
static void
check_stripes(void)
{
	const PageRef *pages = make_pages(buffers, NPAGES);
	Pair		pair = begin_pair();
	EngineRun  *runs[] = {pair.run, pair.other};
	PageRef		given[4];
	bool		whole = true;
	EngineStatus status = ENGINE_OK;

	noted->n = 0;
	for (uint32_t at = 0; at < 2 * STRIPE; at += 4)
		for (uint32_t i = 0; i < 2 && status == ENGINE_OK; i++)
			WAIT_FOR(status, runs[i], give_pages(runs[i], pages, 4, i * 2 * STRIPE + at, given));
	for (int i = 1; i >= 0 && status == ENGINE_OK; i--)
		WAIT_FOR(status, runs[i], cpu_client.pages(runs[i], NULL, 0));
	ok(status == ENGINE_OK && end_rows(pair.other) == ENGINE_OK &&
	   ask_groups(pair.run, 1) == ENGINE_OK, "two processes that keep their turns: %s",
	   pair.run->message);
	for (uint32_t i = 1; i < noted->n; i++)
		whole &= i % STRIPE == 0 || noted->blocks[i] == noted->blocks[i - 1] + 1;
	ok(noted->n == 4 * STRIPE && whole, "%u pages come by whole stripes", noted->n);
	end_pair(&pair);
}

/* One that keeps its turn goes: the others do not wait for it. */
static void
check_lost_turn(void)
{
	const PageRef *pages = make_pages(buffers, NPAGES);
	Pair		pair = begin_pair();
	PageRef		given[4];
	EngineStatus status;

	WAIT_FOR(status, pair.other, give_pages(pair.other, pages, 4, 0, given));
	usleep(50000);
	(void) give_pages(pair.run, pages, 4, STRIPE, given);
	usleep(50000);
	cpu_client.close(pair.other);
	pair.other = NULL;
	WAIT_FOR(status, pair.run, cpu_client.pages(pair.run, NULL, 0));
	ok(status == ENGINE_FAILED, "one that keeps its turn goes: %s", pair.run->message);
	end_pair(&pair);
}

/* While the engine works for one process, another one gives up its pages, or does not. */
static void
check_gave_up(bool goes)
{
	const PageRef *pages = make_pages(buffers, NPAGES);
	Pair		pair = begin_pair();
	PageRef		given[4];
	EngineStatus status;

	noted->pauses = noted->goes_on = noted->gave_up = false;
	WAIT_FOR(status, pair.other, give_pages(pair.other, pages, 1, STRIPE - 1, given));
	WAIT_FOR(status, pair.run, give_pages(pair.run, pages, 1, PAUSE_BLOCK, given));
	for (int i = 0; i < 5000 && !noted->pauses; i++)
		usleep(1000);
	if (goes)
	{
		cpu_client.close(pair.other);
		pair.other = NULL;
	}
	noted->goes_on = true;
	WAIT_FOR(status, pair.run, cpu_client.pages(pair.run, NULL, 0));
	ok(noted->pauses && noted->gave_up == goes, "pages of a process that %s: the engine %s",
	   goes ? "has gone" : "is there", noted->gave_up ? "makes nothing of them" : "may keep them");
	end_pair(&pair);
}

#define CONVERSATIONS 2000

/* What one that feeds says, some of it changed, or in another order. */
static void
feed_changed_things(const RunKey *key)
{
	static Message message;
	int			file = file_create("test");
	int			fd = channel_connect(service.socket);
	int			changed = (int) (random_u64() % 8);

	(void) file_write(file, 0, buffers, 4 * HEAP_PAGE_SIZE);
	message_begin(&message, MESSAGE_ATTACH);
	message.attach.key = *key;
	message_name(message.attach.database, "test");
	send_changed(fd, &message, file, changed == 0);
	message_begin(&message, MESSAGE_PAGES);
	message.pages.npages = 2;
	memset(message_pages(&message), 0, 2 * sizeof(PageEntry));
	for (int i = 0; i < 2; i++)
		message_pages(&message)[i] = (PageEntry)
		{
			.buffer = i,.nlines = 50,.lines = PAGE_ALL_LINES
		};
	send_changed(fd, &message, -1, changed == 1);
	if (changed != 2)
	{
		message_begin(&message, MESSAGE_PAGES);
		send_changed(fd, &message, -1, changed == 3);
	}
	message_begin(&message, random_u64() % 4 == 0 ? MESSAGE_GROUPS : MESSAGE_END);
	send_changed(fd, &message, -1, changed == 4);
	close(fd);
	close(file);
}

static void
check_changed_conversations(void)
{
	for (int i = 0; i < CONVERSATIONS / 4; i++)
	{
		Pair		pair = begin_pair();

		for (int n = 0; n < 4; n++)
			feed_changed_things(&pair.hints.key);
		(void) ask_groups(pair.run, (uint32_t) (random_u64() % 6));
		cpu_client.close(pair.other);
		cpu_client.close(pair.run);
		free(pair.program);
	}
	ok(service_wait_runs(0) >= 0 && service_lives(&service),
	   "%d changed conversations do the device process no harm", CONVERSATIONS);
}

int
main(void)
{
	ServiceConfig config = {.max_device_memory = 1000 * MB,
		.buffers_size = NPAGES * HEAP_PAGE_SIZE};
	ClientConfig client;

	buffers = mmap(NULL, NPAGES * HEAP_PAGE_SIZE, PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	config.buffers = buffers;
	config.engine = make_noting_engine();
	service_begin(&service, &config);
	client = service_client(&service);
	client_configure(&client);
	check_batch(&cpu_client, 20000, 512);
	check_batch(&cpu_client, 20000, 7000);
	check_batch(&cpu_client, 0, 1);
	check_batch(&simt_client, 600, 64);
	for (int from = 0; from < PARTS; from++)
		check_pages(&cpu_client, "pages in place", true, 10 + 50 * from, from);
	check_pages(&cpu_client, "single pages", true, 1, 0);
	check_pages(&cpu_client, "pages copied", false, 512, 0);
	check_pages(&simt_client, "pages copied", false, 100, 1);
	check_pages(&simt_client, "pages in place", true, 37, 0);
	check_pages(&simt_client, "pages in place", true, 16, PARTS - 1);
	client = service_client(&service);
	client_configure(&client);
	check_ends();
	check_failure();
	check_strangers();
	noted->stripes = true;
	check_stripes();
	check_lost_turn();
	check_gave_up(false);
	check_gave_up(true);
	noted->stripes = false;
	check_changed_conversations();
	ok(service_lives(&service), "the device process lives");
	service_end(&service);
	return done_testing();
}
