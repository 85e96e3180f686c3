/*
 * test_service.c
 *	  Runs in a device process: the same groups as the oracle's, many at once, sessions
 *	  that vanish, messages that lie, queues and silence.
 */
#include <sys/mman.h>

#include "engine/cuda/kept/kept_info.h"
#include "engine_data.h"
#include "mutate.h"
#include "oracle.h"
#include "page_query.h"
#include "service/client/link.h"
#include "service/wire/opening.h"
#include "memory_store.h"
#include "lookup_tables.h"
#include "message_files.h"
#include "service_process.h"
#include "tap.h"

#define NPAGES QUERY_PAGES
#define MB (UINT64_C(1) << 20)

/* What the device process has for shared buffers. */
static char *buffers;
static ServiceProcess service;

/* The client's groups are the oracle's. */
static void
check_batch(const EngineOps *ops, const char *name, const int *keys, int nkeys, bool aggregates,
			uint32_t nrows, uint32_t step)
{
	Program    *program = data_program(keys, nkeys, aggregates, true);
	ParamValue	params[1] = {{.type = VT_INT4,.word = 1000}};
	EngineHints hints = {.strategy = "auto",.rows = nrows};
	ColumnBatch batch = {.nrows = nrows,.columns = data_vectors};
	Groups	   *expected = oracle_groups(program, params, &batch);
	Groups	   *got = engine_groups_of_batch(ops, program, params, &hints, &batch, step);

	ok(got->status == ENGINE_OK && groups_same(program, expected, got),
	   "%s: %s, %u rows by %u, %zu groups %s", engine_id_name(ops->traits->id),
	   name, nrows, step, got->ngroups, got->message);
	groups_free(expected);
	groups_free(got);
	free(program);
}

static void
check_batches(void)
{
	const int	one[] = {C_INT4};
	const int	many[] = {C_INT4_NULL, C_TEXT_NULL, C_UUID};

	data_make(20000, 300, false);
	check_batch(&cpu_client, "no key", one, 0, true, 20000, 4096);
	check_batch(&cpu_client, "one key", one, 1, true, 20000, 20000);
	check_batch(&cpu_client, "no accumulators", many, 3, false, 20000, 4096);
	check_batch(&cpu_client, "many keys", many, 3, true, 20000, 100);
	check_batch(&cpu_client, "no rows", many, 3, true, 0, 1);
	data_make(30000, 8000, false);
	check_batch(&cpu_client, "several batches of groups", many, 3, true, 30000, 15000);
	data_make(500, 20, false);
	check_batch(&simt_client, "one key", one, 1, false, 500, 200);
}

/* Selections, the calendar, sets of values: parameters with bytes. */
static void
check_expressions(void)
{
	ParamValue	params[DATA_EXPRESSION_PARAMS];
	Program    *program = data_expressions(params);
	EngineHints hints = {.strategy = "auto"};
	ColumnBatch batch = {.nrows = 3001,.columns = data_vectors};
	Groups	   *expected;
	Groups	   *got;

	data_make(3001, 200, false);
	expected = oracle_groups(program, params, &batch);
	got = engine_groups_of_batch(&cpu_client, program, params, &hints, &batch, 512);
	ok(expected->status == ENGINE_OK && groups_same(program, expected, got),
	   "expressions, %zu groups %s", got->ngroups, got->message);
	groups_free(expected);
	groups_free(got);
	free(program);
}

/* The run of pages once more while none is read in place: a device has them registered meanwhile. */
static Groups *
groups_in_place(const EngineOps *ops, const Program *program, const EngineHints *hints,
				const PageRef *refs)
{
	Groups	   *got = engine_groups_of_pages(ops, program, NULL, hints, refs, NPAGES);

	for (int tries = 0; tries < 200 && got->stats.pages_in_place == 0; tries++)
	{
		usleep(5000);
		groups_free(got);
		got = engine_groups_of_pages(ops, program, NULL, hints, refs, NPAGES);
	}
	return got;
}

static void
check_pages(const EngineOps *ops, const char *name, bool in_place)
{
	ClientConfig client = service_client(&service);
	EngineHints hints = {.strategy = "auto",.pages = NPAGES};
	const PageRef *refs = make_pages(buffers, NPAGES);
	Program    *program = pages_program();
	Groups	   *expected = engine_groups_of_pages(&cpu_engine, program, NULL, &hints, refs, NPAGES);
	Groups	   *got;

	if (in_place)
	{
		client.buffers = buffers;
		client.buffers_size = NPAGES * HEAP_PAGE_SIZE;
	}
	client_configure(&client);
	got = in_place && ops == &simt_client ? groups_in_place(ops, program, &hints, refs) :
		engine_groups_of_pages(ops, program, NULL, &hints, refs, NPAGES);
	ok(got->status == ENGINE_OK && groups_same(program, expected, got),
	   "%s, %zu groups %s", name, got->ngroups, got->message);
	ok(got->stats.rows == expected->stats.rows, "%s: %llu of %llu rows", name,
	   (unsigned long long) got->stats.rows, (unsigned long long) expected->stats.rows);
	if (ops == &simt_client)
		ok(got->stats.pages_in_place + got->stats.pages_copied == NPAGES &&
		   (got->stats.pages_in_place > 0) == in_place, "%s: %llu are read in place", name,
		   (unsigned long long) got->stats.pages_in_place);
	groups_free(expected);
	groups_free(got);
	free(program);
}

#define RUNS 8

/* Let a run take the step that it is at, if it can; how many steps it has taken. */
static EngineStatus
step(EngineRun *run, const ColumnBatch *batch, int number, uint64_t *groups)
{
	GroupBatch	result;
	EngineStatus status;

	if (number < 3)
		return run->ops->columns(run, batch);
	status = run->ops->groups(run, &result);
	*groups += status == ENGINE_OK ? result.ngroups : 0;
	return status;
}

/* Several runs, each of which goes on as soon as it can. */
static void
check_many_runs(void)
{
	const int	one[] = {C_INT4};
	Program    *program = data_program(one, 1, true, false);
	EngineHints hints = {.strategy = "auto"};
	ColumnBatch batch = {.nrows = 5000,.columns = data_vectors};
	EngineRun  *runs[RUNS];
	int			at[RUNS] = {0};
	uint64_t	groups[RUNS] = {0};
	char		message[256];
	int			left = RUNS;
	bool		good = true;

	data_make(5000, 100, false);
	for (int i = 0; i < RUNS; i++)
		good &= cpu_client.open(program, NULL, &hints, &runs[i], message) == ENGINE_OK;
	while (left > 0 && good)
	{
		for (int i = 0; i < RUNS; i++)
		{
			EngineStatus status = at[i] < 4 ? step(runs[i], &batch, at[i], &groups[i]) : ENGINE_BUSY;

			good &= status == ENGINE_OK || status == ENGINE_BUSY;
			at[i] += status == ENGINE_OK;
			left -= status == ENGINE_OK && at[i] == 4;
		}
		usleep(100);
	}
	for (int i = 0; i < RUNS; i++)
	{
		good &= groups[i] == 100 && runs[i]->stats.rows == 15000;
		cpu_client.close(runs[i]);
	}
	ok(good, "%d runs at once", RUNS);
	ok(service_wait_runs(0) >= 0, "all of them have ended");
	free(program);
}

/* A session that goes after so many steps; its run must go, too. */
static void
check_vanishing(int steps)
{
	const int	one[] = {C_INT4};
	Program    *program = data_program(one, 1, true, false);
	EngineHints hints = {.strategy = "auto",.memory_limit = 100 * MB};
	ColumnBatch batch = {.nrows = 5000,.columns = data_vectors};
	EngineRun  *run;
	char		message[256];
	uint64_t	groups = 0;
	uint64_t	begin = now_ns();
	int			number = 0;
	int			waited;

	(void) cpu_client.open(program, NULL, &hints, &run, message);
	/* the last one breaks off at once, the others when they have been answered */
	while (number < steps && now_ns() - begin < UINT64_C(5000000000))
	{
		if (step(run, &batch, number, &groups) == ENGINE_OK)
			number++;
		else
			service_wait(run);
	}
	if (number < 4)
		(void) step(run, &batch, number, &groups);
	cpu_client.close(run);
	waited = service_wait_runs(0);
	ok(number == steps && waited >= 0 && waited < 100, "gone after step %d: its run went in %d ms",
	   steps, waited);
	free(program);
}

/* From now on runs are a session's. */
static void
begin_session(int session, int queue_timeout)
{
	ClientConfig client = service_client(&service);

	client.session = session;
	client.queue_timeout = queue_timeout;
	client_configure(&client);
}

/* While another run is open: how long one waits for the rest of the memory, and what becomes of it. */
static EngineStatus
wait_in_line(EngineRun *first, int session, int queue_timeout, int close_after,
			 EngineStats *stats, char *message)
{
	const int	one[] = {C_INT4};
	Program    *program = data_program(one, 1, true, false);
	EngineHints hints = {.strategy = "auto",.memory_limit = 600 * MB};
	EngineRun  *run;
	EngineStatus status;
	GroupBatch	batch;
	uint64_t	begin = now_ns();

	begin_session(session, queue_timeout);
	status = cpu_client.open(program, NULL, &hints, &run, message);
	while (status == ENGINE_OK && (status = cpu_client.groups(run, &batch)) == ENGINE_BUSY)
	{
		service_wait(run);
		if (first != NULL && now_ns() - begin > (uint64_t) close_after * 1000000)
		{
			cpu_client.close(first);
			first = NULL;
		}
		status = ENGINE_OK;
	}
	*stats = run->stats;
	memcpy(message, run->message, 256);
	cpu_client.close(run);
	if (first != NULL)
		cpu_client.close(first);
	free(program);
	return status;
}

/* A run that holds 600 MB of the 1000. */
static EngineRun *
open_large(void)
{
	const int	one[] = {C_INT4};
	Program    *program = data_program(one, 1, true, false);
	EngineHints hints = {.strategy = "auto",.memory_limit = 600 * MB,.relation = "large"};
	ColumnBatch batch = {.nrows = 100,.columns = data_vectors};
	EngineRun  *run;
	char		message[256];

	(void) cpu_client.open(program, NULL, &hints, &run, message);
	while (cpu_client.columns(run, &batch) == ENGINE_BUSY)
		service_wait(run);
	free(program);
	return run;
}

static void
check_queue(void)
{
	EngineStats stats;
	char		message[256];
	ActivityRow row;
	EngineStatus status;
	EngineRun  *large;
	int			n;

	begin_session(1, 5000);
	status = wait_in_line(open_large(), 2, 100, 1000000, &stats, message);
	ok(status == ENGINE_NO_MEMORY && strstr(message, "waited 1") != NULL,
	   "a run that waited too long is told: %s", message);
	status = wait_in_line(open_large(), 3, 10000, 200, &stats, message);
	ok(status == ENGINE_OK && stats.queue_ns > 150 * UINT64_C(1000000) &&
	   stats.queue_ns < UINT64_C(1000000000), "a run waits until another one ends: %llu ms",
	   (unsigned long long) (stats.queue_ns / 1000000));
	status = wait_in_line(open_large(), 4, 0, 1000000, &stats, message);
	ok(status == ENGINE_NO_MEMORY, "a run that must not wait does not: %s", message);
	status = wait_in_line(open_large(), 4, -1, 3000, &stats, message);
	ok(status == ENGINE_NO_MEMORY && stats.queue_ns == 0,
	   "nor does one whose session has another: %s", message);
	status = wait_in_line(open_large(), 0, -1, 200, &stats, message);
	ok(status == ENGINE_OK && stats.queue_ns > 150 * UINT64_C(1000000),
	   "one that does not tell its session waits");
	status = wait_in_line(open_large(), 0, -1, 200, &stats, message);
	ok(status == ENGINE_OK && stats.queue_ns > 150 * UINT64_C(1000000),
	   "beside another such one, too");
	large = open_large();
	n = service_runs(&row);
	ok(n == 1 && strcmp(row.relation, "large") == 0 && strcmp(row.database, "test") == 0 &&
	   row.process_id == getpid() && row.phase == RUN_READING, "activity shows the run");
	cpu_client.close(large);
	ok(service_wait_runs(0) >= 0, "and does not when it has ended");
}

/* One that listens and says nothing. */
static void
check_silence(void)
{
	ServiceProcess silent;
	ClientConfig client;
	Program    *program = pages_program();
	EngineHints hints = {.strategy = "auto"};
	EngineRun  *run;
	GroupBatch	batch;
	EngineStatus status;
	char		message[256];
	uint64_t	begin = now_ns();

	service_listen(&silent);
	client = service_client(&silent);
	client.device_timeout = 200;
	client_configure(&client);
	(void) cpu_client.open(program, NULL, &hints, &run, message);
	while ((status = cpu_client.groups(run, &batch)) == ENGINE_BUSY)
		service_wait(run);
	ok(status == ENGINE_FAILED && now_ns() - begin > 200 * UINT64_C(1000000) &&
	   now_ns() - begin < 1000 * UINT64_C(1000000), "silence ends a run: %s", run->message);
	cpu_client.close(run);
	close(silent.listener);
	ok(cpu_client.open(program, NULL, &hints, &run, message) == ENGINE_LOST && run == NULL,
	   "nobody listens: %s", message);
	unlink(silent.socket);
	rmdir(silent.directory);
	free(program);
}

/* A device process that dies: its runs end at once. */
static void
check_death(void)
{
	ServiceProcess mortal;
	ServiceConfig config = {.max_device_memory = 1000 * MB};
	ClientConfig client;
	EngineRun  *run;
	GroupBatch	batch;
	EngineStatus status;
	uint64_t	begin;

	service_begin(&mortal, &config);
	client = service_client(&mortal);
	client_configure(&client);
	run = open_large();
	kill(mortal.pid, SIGKILL);
	begin = now_ns();
	while ((status = cpu_client.groups(run, &batch)) == ENGINE_BUSY)
		service_wait(run);
	ok(status == ENGINE_LOST && now_ns() - begin < 100 * UINT64_C(1000000),
	   "the death of the device process ends a run: %s", run->message);
	cpu_client.close(run);
	service_end(&mortal);
}

/* Send a message by hand, and get the answer; its type, or -1. */
static int
converse(int fd, Message *message, int file, Message *answer)
{
	struct pollfd one = {.fd = fd,.events = POLLIN};
	char		why[256];
	int			came = -1;
	ChannelStatus status = channel_send(fd, message, file);

	while (status == CHANNEL_OK && poll(&one, 1, 5000) > 0 &&
		   (status = channel_receive(fd, true, answer, &came, why, sizeof(why))) == CHANNEL_BUSY)
		;
	if (came >= 0)
		close(came);
	return status == CHANNEL_OK ? (int) answer->head.type : -1;
}

/* The message that opens a run with what lies in the file. */
static void
open_message(Message *message, const OpeningParts *parts)
{
	message_begin(message, MESSAGE_OPEN);
	message->open.engine = ENGINE_ID_CPU;
	message->open.opening = *parts;
	message_end(message);
}

/* Files that are not what a message says of them. */
static void
check_files(void)
{
	static Message message;
	static Message answer;
	Program    *program = pages_program();
	const EngineHints none = {0};
	OpeningParts parts;
	int			good = file_create("test");
	int			plain = open("/dev/null", O_RDONLY);
	int			fd;

	opening_write(good, program, NULL, false, &none, &parts);

	fd = channel_connect(service.socket);
	parts.size += 1000000;
	open_message(&message, &parts);
	parts.size -= 1000000;
	ok(converse(fd, &message, good, &answer) == MESSAGE_FAILED, "a file that is too short: %s",
	   answer.failed.message);
	close(fd);

	fd = channel_connect(service.socket);
	open_message(&message, &parts);
	ok(converse(fd, &message, plain, &answer) == MESSAGE_FAILED,
	   "a file that is no memory file: %s", answer.failed.message);
	close(fd);

	fd = channel_connect(service.socket);
	ok(converse(fd, &message, -1, &answer) == MESSAGE_FAILED, "no file: %s",
	   answer.failed.message);
	close(fd);

	fd = channel_connect(service.socket);
	open_message(&message, &parts);
	ok(converse(fd, &message, good, &answer) == MESSAGE_STARTED, "a good file");
	if (ftruncate(good, 16) != 0)
		abort();
	message_begin(&message, MESSAGE_PAGES);
	memset(message_pages(&message), 0, sizeof(PageEntry));
	message_pages(&message)->lines = PAGE_ALL_LINES;
	message.pages.npages = 1;
	message_end(&message);
	ok(converse(fd, &message, -1, &answer) == MESSAGE_FAILED, "that has shrunk: %s",
	   answer.failed.message);
	close(fd);

	fd = channel_connect(service.socket);
	message_begin(&message, MESSAGE_GROUPS);
	message_end(&message);
	ok(converse(fd, &message, -1, &answer) == MESSAGE_FAILED, "no run: %s",
	   answer.failed.message);
	close(fd);
	ok(service_wait_runs(0) >= 0, "none of these is left");
	close(good);
	close(plain);
	free(program);
}

/* Two texts whose sizes, as large as a file can be, have a small sum in 64 bits. */
static void
check_huge_columns(void)
{
	static Message message;
	static Message answer;
	ProgramBuilder *b = malloc(sizeof(ProgramBuilder));
	Program    *program;
	int			file = file_create("test");
	int			fd = channel_connect(service.socket);
	const EngineHints none = {0};
	OpeningParts parts;

	program_begin(b, SOURCE_COLUMNS);
	for (int i = 1; i <= 2; i++)
		program_add_key(b, program_add_column(b, i, VT_TEXT, true, -1));
	program = malloc(program_size(b));
	program_finish(b, program);
	free(b);
	opening_write(file, program, NULL, false, &none, &parts);
	if (ftruncate(file, INT64_MAX) != 0)
		abort();
	open_message(&message, &parts);
	ok(converse(fd, &message, file, &answer) == MESSAGE_STARTED, "a file without an end");
	message_begin(&message, MESSAGE_COLUMNS);
	message.columns.nrows = 1;
	message.columns.ncolumns = 2;
	for (int i = 0; i < 2; i++)
		message_columns(&message)[i] = (ColumnEntry)
		{
			.values_size = INT64_MAX,.offsets = 65536
		};
	message_end(&message);
	ok(converse(fd, &message, -1, &answer) == MESSAGE_FAILED && service_lives(&service),
	   "texts without an end: %s", answer.failed.message);
	close(fd);
	close(file);
	free(program);
	ok(service_wait_runs(0) >= 0, "the run goes");
}

/* Groups by the row that a key is found in; the table belongs to the caller. */
static Program *
lookup_program(int64_t first, ParamValue *param)
{
	enum
	{
		NKEYS = 20000
	};
	ProgramBuilder *b = malloc(sizeof(*b));
	int64_t    *keys = malloc(NKEYS * sizeof(*keys));
	uint32_t   *rows = malloc(NKEYS * sizeof(*rows));
	Program    *program;

	for (uint32_t i = 0; i < NKEYS; i++)
	{
		keys[i] = first + i;
		rows[i] = i % 5;
	}
	*param = (ParamValue) {.type = VT_TEXT,.bytes = table_of_integers(LOOKUP_ARRAY1, keys, rows, NKEYS, 5)};
	program_begin(b, SOURCE_COLUMNS);
	program_add_key(b, program_add_op(b, OP_int8_lookup,
									  program_add_column(b, 1, VT_INT8, false, -1),
									  program_add_table_ref(b, program_add_param(b, VT_TEXT))));
	program_add_acc(b, ACC_COUNT, -1, -1);
	program = calloc(1, program_size(b));
	program_finish(b, program);
	free(b);
	free(keys);
	free(rows);
	return program;
}

/* A run by the client; has it the groups, and the table from where it should have it? */
static void
check_lookup_run(const EngineOps *ops, const Program *program, const ParamValue *param,
				 bool resident, const char *name)
{
	static int64_t keys[1000];
	ColumnVector vector = {.values = keys};
	ColumnBatch batch = {.nrows = 1000,.columns = &vector};
	EngineHints hints = {.strategy = "auto"};
	Groups	   *expected;
	Groups	   *got;

	for (int i = 0; i < 1000; i++)
		keys[i] = i * 37;
	expected = engine_groups_of_batch(&cpu_engine, program, param, &hints, &batch, 1000);
	got = engine_groups_of_batch(ops, program, param, &hints, &batch, 1000);
	ok(got->status == ENGINE_OK && groups_same(program, expected, got), "%s: %zu groups %s",
	   name, got->ngroups, got->message);
	ok(ops == &cpu_client ||
	   (got->stats.lookups_resident == resident &&
		got->stats.lookup_bytes == (resident ? 0 : param->bytes.len)),
	   "%s: the table is %s", name, resident ? "there" : "sent");
	groups_free(expected);
	groups_free(got);
}

/* Open a run of the simulated device whose table is named, which wants it; what it says to that. */
static int
say_of_named(const Program *program, const ParamValue *param, Message *message, Bytes bytes,
			 Message *answer)
{
	static Message open;
	int			file = file_create("test");
	int			fd = channel_connect(service.socket);
	const EngineHints none = {0};
	OpeningParts parts;
	int			type;

	opening_write(file, program, param, true, &none, &parts);
	(void) file_write(file, 8192, bytes.data, bytes.len);
	open_message(&open, &parts);
	open.open.engine = ENGINE_ID_SIMT;
	type = converse(fd, &open, file, answer);
	ok(type == MESSAGE_WANTED && answer->wanted.params[0] == 1, "the table is wanted");
	message_end(message);
	type = converse(fd, message, -1, answer);
	close(fd);
	close(file);
	return type;
}

/* Bytes that are not what was named, or not what the Program takes them for. */
static void
check_false_tables(const Program *program, const ParamValue *param)
{
	static Message message;
	static Message answer;
	char	   *changed = malloc(param->bytes.len);
	Bytes		bytes = {changed, param->bytes.len};
	TableDigest digest = {false};
	ParamValue	bad = {.type = VT_TEXT,.bytes = bytes,.digest = &digest};

	memcpy(changed, param->bytes.data, param->bytes.len);
	changed[5000] ^= 1;
	message_begin(&message, MESSAGE_TABLES);
	message.tables.place = 8192;
	ok(say_of_named(program, param, &message, bytes, &answer) == MESSAGE_FAILED,
	   "other bytes: %s", answer.failed.message);
	bytes.len = 10000;
	ok(say_of_named(program, param, &message, bytes, &answer) == MESSAGE_FAILED,
	   "too few: %s", answer.failed.message);
	/* no row has that number */
	changed[5000] = 77;
	ok(say_of_named(program, &bad, &message, bad.bytes, &answer) == MESSAGE_FAILED,
	   "bytes that are no table: %s", answer.failed.message);
	message_begin(&message, MESSAGE_GROUPS);
	ok(say_of_named(program, param, &message, param->bytes, &answer) == MESSAGE_FAILED,
	   "another message: %s", answer.failed.message);
	free(changed);
}

/* Tables of look-ups, which stay with the device process. */
static void
check_lookups(void)
{
	ClientConfig client = service_client(&service);
	TableDigest digests[2] = {{false}};
	ParamValue	params[3];
	Program    *program = lookup_program(0, &params[0]);
	QuestionMessage evict = {.kind = QUESTION_EVICT,.database = 1,.relation = 1};
	static Message message;
	static Message answer;
	int			fd = channel_connect(service.socket);

	check_lookup_run(&simt_client, program, &params[0], false, "a table without a digest");
	check_lookup_run(&simt_client, program, &params[0], false, "once more");
	params[0].digest = &digests[0];
	check_false_tables(program, &params[0]);
	check_lookup_run(&simt_client, program, &params[0], false, "a table with a digest");
	check_lookup_run(&simt_client, program, &params[0], true, "a run that names it");
	params[1] = params[0];
	params[1].digest = &digests[1];
	check_lookup_run(&simt_client, program, &params[1], true, "another session's equal one");
	free(lookup_program(7, &params[2]));
	digests[1].is_made = false;
	params[2].digest = &digests[1];
	check_lookup_run(&simt_client, program, &params[2], false, "other keys");
	check_lookup_run(&simt_client, program, &params[2], true, "these again");
	check_lookup_run(&simt_client, program, &params[0], true, "the first ones again");
	check_lookup_run(&cpu_client, program, &params[0], false, "an engine that keeps none");
	client.role = 77;
	client_configure(&client);
	check_lookup_run(&simt_client, program, &params[0], false, "another role");
	client.role = 0;
	client.database = "other";
	client_configure(&client);
	check_lookup_run(&simt_client, program, &params[0], false, "another database");
	client = service_client(&service);
	client_configure(&client);
	check_lookup_run(&simt_client, program, &params[0], true, "the first one");
	message_begin(&message, MESSAGE_QUESTION);
	evict.head = message.head;
	message.question = evict;
	message_end(&message);
	ok(converse(fd, &message, -1, &answer) == MESSAGE_EVICTED && answer.evicted.bytes == 0,
	   "what is evicted of look-ups is not told");
	close(fd);
	check_lookup_run(&simt_client, program, &params[0], false, "evicted");
	ok(service_wait_runs(0) >= 0, "no run is left");
	free((char *) params[0].bytes.data);
	free((char *) params[2].bytes.data);
	free(program);
}

#define CONVERSATIONS 3000

/* What a session says, some of it changed on the way, or in the file. */
static void
say_changed_things(const Program *program)
{
	static Message message;
	int			file = file_create("test");
	int			fd = channel_connect(service.socket);
	int			changed = (int) (random_u64() % 5);
	const EngineHints none = {0};
	OpeningParts parts;
	uint64_t	size = 0;

	opening_write(file, program, NULL, false, &none, &parts);
	(void) file_write(file, 8192, buffers, 4 * HEAP_PAGE_SIZE);
	open_message(&message, &parts);
	message.open.queue_timeout = 10;
	send_changed(fd, &message, file, changed == 0);
	message_begin(&message, MESSAGE_PAGES);
	message.pages.npages = 4;
	message.pages.nlines = 3;
	memset(message_pages(&message), 0, 4 * sizeof(PageEntry) + 3 * sizeof(uint16_t));
	for (int i = 0; i < 4; i++)
		message_pages(&message)[i] = (PageEntry)
		{
			.buffer = i % 2,.nlines = i == 3 ? 3 : 50,.lines = i == 3 ? 0 : PAGE_ALL_LINES,
				.place = 8192 + (uint64_t) i * HEAP_PAGE_SIZE
		};
	send_changed(fd, &message, -1, changed == 1);
	message_begin(&message, MESSAGE_COLUMNS);
	message.columns.nrows = 10;
	message.columns.ncolumns = 2;
	for (int i = 0; i < 2; i++)
		message_columns(&message)[i] = (ColumnEntry)
		{
			.values = 65536,.values_size = 40,.offsets = i * 32768
		};
	if (changed == 2)
		mutate(&size, sizeof(size));
	(void) file_write(file, 32768 + random_u64() % 44, &size, changed == 2 ? 8 : 0);
	(void) file_write(file, 65536, buffers, 100);
	send_changed(fd, &message, -1, changed == 3);
	message_begin(&message, MESSAGE_GROUPS);
	send_changed(fd, &message, -1, changed == 4);
	close(fd);
	close(file);
}

static void
check_changed_conversations(void)
{
	Program    *program = pages_program();

	for (int i = 0; i < CONVERSATIONS; i++)
		say_changed_things(program);
	ok(service_wait_runs(0) >= 0 && service_lives(&service),
	   "%d changed conversations do the device process no harm", CONVERSATIONS);
	free(program);
}

/* An answer of any type, changed. */
static void
answer_something(int fd)
{
	static Message message;
	MessageType type = (MessageType) (MESSAGE_FIRST_ANSWER +
									  random_u64() % (MESSAGE_TYPES - MESSAGE_FIRST_ANSWER));
	int			file = message_has_file(type) ? file_create("test") : -1;

	message_begin(&message, type);
	if (type == MESSAGE_LEFT)
		message.left.nrows = 1;
	memset(message_left(&message), 0, sizeof(WireLeftRow));
	if (type == MESSAGE_FAILED)
		message.failed.status = ENGINE_INEXACT;
	if (file >= 0)
	{
		uint64_t	words[4] = {1, 16, 0, 0};

		mutate(words, sizeof(words));
		(void) file_write(file, 0, words, sizeof(words));
		message.result.size = sizeof(words);
		(void) file_seal(file);
	}
	message_end(&message);
	if (random_u64() % 2 == 0)
		mutate((char *) &message + sizeof(MessageHead), message.head.size - sizeof(MessageHead));
	(void) channel_send(fd, &message, file);
	if (file >= 0)
		close(file);
}

/* A run whose other side answers anything. */
static bool
run_with_liar(int listener, const Program *program, const PageRef *refs)
{
	EngineHints hints = {.strategy = "auto",.only_pages = random_u64() % 2 == 0};
	EngineRun  *run;
	GroupBatch	batch;
	char		message[256];
	EngineStatus status = cpu_client.open(program, NULL, &hints, &run, message);
	ToastedRow	left[16];
	int			fd = channel_accept(listener);
	static Message first;

	message_begin(&first, MESSAGE_STARTED);
	message_end(&first);
	if (random_u64() % 2 == 0)
		(void) channel_send(fd, &first, -1);
	for (int i = 0; i < 12 && (status == ENGINE_OK || status == ENGINE_BUSY); i++)
	{
		answer_something(fd);
		if (i < 4)
			status = cpu_client.pages(run, refs, 20);
		else if (i < 6)
			status = cpu_client.pages(run, NULL, 0);
		else
			status = cpu_client.groups(run, &batch);
		(void) cpu_client.released(run);
		(void) cpu_client.toasted(run, left, 16);
	}
	cpu_client.close(run);
	close(fd);
	return status != ENGINE_OK;
}

static void
check_changed_answers(void)
{
	ServiceProcess liar;
	ClientConfig client;
	Program    *program = pages_program();
	const PageRef *refs = make_pages(buffers, NPAGES);
	int			refused = 0;

	service_listen(&liar);
	(void) fcntl(liar.listener, F_SETFL, O_NONBLOCK);
	client = service_client(&liar);
	client_configure(&client);
	for (int i = 0; i < CONVERSATIONS; i++)
		refused += run_with_liar(liar.listener, program, refs);
	ok(refused > 0, "%d changed answers do the session no harm, %s", CONVERSATIONS,
	   refused == CONVERSATIONS ? "and none is a result" : "and most are refused");
	close(liar.listener);
	unlink(liar.socket);
	rmdir(liar.directory);
	client = service_client(&service);
	client_configure(&client);
	free(program);
}

/*
 * It dies before it has accepted a connection: what is sent then is lost, and the next
 * look for an answer says so.
 */
static void
check_death_unaccepted(void)
{
	static Link link;
	static Message message;
	ServiceProcess gone;
	ClientConfig client;
	char		why[256];

	service_listen(&gone);
	client = service_client(&gone);
	link_init(&link, &client);
	ok(link_connect(&link, why) == ENGINE_OK, "a connection that nobody has accepted");
	close(gone.listener);
	message_begin(&message, MESSAGE_QUESTION);
	ok(link_send(&link, &message, -1, why) == ENGINE_OK, "a message that is lost");
	ok(link_receive(&link, why) == ENGINE_LOST, "nobody is there: %s", why);
	link_close(&link);
	unlink(gone.socket);
	rmdir(gone.directory);
}

/* Groups that come in several parts. */
#define MANY_GROUPS 200000

static Program *
counts_program(void)
{
	ProgramBuilder *b = malloc(sizeof(ProgramBuilder));
	Program    *program;

	program_begin(b, SOURCE_COLUMNS);
	program_add_key(b, program_add_column(b, 1, VT_INT8, true, -1));
	program_add_acc(b, ACC_COUNT, -1, -1);
	program = malloc(program_size(b));
	program_finish(b, program);
	free(b);
	return program;
}

/* Rows with as many keys, taken in. */
static EngineStatus
give_many(EngineRun *run)
{
	static int64_t keys[MANY_GROUPS / 8];
	EngineStatus status = ENGINE_OK;

	for (int first = 0; first < MANY_GROUPS && status == ENGINE_OK; first += MANY_GROUPS / 8)
	{
		ColumnVector vector = {keys, NULL, NULL};
		ColumnBatch batch = {MANY_GROUPS / 8, &vector};

		for (int i = 0; i < MANY_GROUPS / 8; i++)
			keys[i] = first + i;
		while ((status = run->ops->columns(run, &batch)) == ENGINE_BUSY)
			service_wait(run);
	}
	return status;
}

/* Take all that are left; has the run not been settled before, and is it now? */
static bool
settle(EngineRun *run)
{
	bool		settled = run->settled;
	EngineStatus status;

	while ((status = run->ops->stream->settle(run)) == ENGINE_BUSY)
		service_wait(run);
	return status == ENGINE_OK && !settled && run->settled;
}

/*
 * How many of the groups come, each once and right; -1: one does not, or it fails.  The run is
 * settled after so many batches, 0: never.
 */
static int
count_many(EngineRun *run, int settle_after)
{
	static uint8_t seen[MANY_GROUPS];
	GroupBatch	batch;
	EngineStatus status;
	int			n = 0;

	memset(seen, 0, sizeof(seen));
	for (;;)
	{
		while ((status = run->ops->groups(run, &batch)) == ENGINE_BUSY)
			service_wait(run);
		if (status != ENGINE_OK || batch.ngroups == 0)
			return status == ENGINE_OK ? n : -1;
		for (uint32_t i = 0; i < batch.ngroups; i++)
		{
			int64_t		key = ((const int64_t *) batch.keys[0].values)[i];

			if (key < 0 || key >= MANY_GROUPS || seen[key]++ || batch.states[i] != 1)
				return -1;
			n++;
		}
		/* it cannot where the store fails */
		if (settle_after > 0 && --settle_after == 0 && settle(run) == (stores.fails_at > 0))
			return -1;
	}
}

/* Groups that are given while others are on their way, of which few are held at once. */
static void
check_stream(int settle_after, bool fails)
{
	Program    *program = counts_program();
	MemoryStore *store = memory_store();
	EngineHints hints = {.strategy = "auto",.streams = true,.host_limit = 1 << 20,
	.store = &store->head};
	EngineRun  *run;
	char		message[256];

	stores.fails_at = fails ? 1 : 0;
	ok(cpu_client.open(program, NULL, &hints, &run, message) == ENGINE_OK &&
	   give_many(run) == ENGINE_OK, "many groups are to come as a stream");
	if (fails)
		ok(count_many(run, settle_after) == MANY_GROUPS && run->stats.rows == MANY_GROUPS,
		   "the store fails, and groups go on coming");
	else
		ok(count_many(run, settle_after) == MANY_GROUPS && run->settled &&
		   run->stats.rows == MANY_GROUPS, "all have come, settled after %d batches", settle_after);
	if (settle_after == 0)
		ok(stores.pieces == 0 && run->stats.host_memory < UINT64_C(3) << 20,
		   "%d kB were held", (int) (run->stats.host_memory >> 10));
	else if (!fails)
		ok(stores.pieces > 0, "%d pieces have gone through the store", (int) stores.pieces);
	run->ops->close(run);
	stores.fails_at = 0;
	memory_store_free(store);
	free(program);
}

/* With a limit, and a store whose nth call fails. */
static void
check_parts(const EngineOps *ops, uint64_t limit, long fails_at)
{
	Program    *program = counts_program();
	MemoryStore *store = memory_store();
	EngineHints hints = {.strategy = "auto",.host_limit = limit,.store = &store->head};
	EngineRun  *run;
	char		message[256];

	stores.fails_at = fails_at;
	ok(ops->open(program, NULL, &hints, &run, message) == ENGINE_OK &&
	   give_many(run) == ENGINE_OK, "%s: many groups, %d kB",
	   engine_id_name(ops->traits->id), (int) (limit >> 10));
	if (fails_at > 0)
		ok(count_many(run, 0) < 0, "call %ld of the store fails: %s", fails_at, run->message);
	else
	{
		ok(count_many(run, 0) == MANY_GROUPS, "all have come");
		run->ops->rewind(run);
		ok(count_many(run, 0) == MANY_GROUPS, "and once more");
		ok((stores.pieces > 0) == (limit > 0) && run->stats.batches == stores.pieces + 1,
		   "%d pieces have gone through the store", (int) stores.pieces);
		ok(limit == 0 || run->stats.host_memory < limit + (2 << 20), "%d kB were held",
		   (int) (run->stats.host_memory >> 10));
	}
	run->ops->close(run);
	stores.fails_at = 0;
	memory_store_free(store);
	free(program);
}

#define MANY_PARTS 1000

/* A file without groups; false: the socket has no room. */
static bool
send_empty_part(int fd)
{
	static Message message;
	uint64_t	head[2] = {0, 16};
	int			file = file_create("test");
	ChannelStatus status;

	(void) file_write(file, 0, head, sizeof(head));
	(void) file_seal(file);
	message_begin(&message, MESSAGE_PART);
	message.part.size = sizeof(head);
	message_end(&message);
	status = channel_send(fd, &message, file);
	close(file);
	return status == CHANNEL_OK;
}

/* Messages of a type that have come. */
static int
count_messages(int fd, MessageType type)
{
	static Message message;
	char		why[256];
	int			file;
	int			n = 0;

	while (channel_receive(fd, false, &message, &file, why, sizeof(why)) == CHANNEL_OK)
	{
		n += message.head.type == (uint32_t) type;
		if (file >= 0)
			close(file);
	}
	return n;
}

/* Each part is answered, also one that comes when there is no room for the answer. */
static void
check_full_socket(void)
{
	static Message message;
	ServiceProcess slow;
	ClientConfig client;
	Program    *program = counts_program();
	EngineHints hints = {.strategy = "auto"};
	EngineRun  *run;
	GroupBatch	batch;
	char		why[256];
	int			nparts = 0;
	int			n = 0;
	int			fd;

	service_listen(&slow);
	client = service_client(&slow);
	client_configure(&client);
	(void) cpu_client.open(program, NULL, &hints, &run, why);
	fd = channel_accept(slow.listener);
	message_begin(&message, MESSAGE_STARTED);
	message_end(&message);
	(void) channel_send(fd, &message, -1);
	(void) cpu_client.groups(run, &batch);
	while (nparts < MANY_PARTS && send_empty_part(fd))
	{
		nparts++;
		(void) cpu_client.groups(run, &batch);
	}
	for (int i = 0; i < nparts; i++)
	{
		n += count_messages(fd, MESSAGE_NEXT);
		(void) cpu_client.groups(run, &batch);
	}
	ok(n == nparts, "%d of %d parts are answered", n, nparts);
	cpu_client.close(run);
	close(fd);
	close(slow.listener);
	unlink(slow.socket);
	rmdir(slow.directory);
	client = service_client(&service);
	client_configure(&client);
	free(program);
}

int
main(void)
{
	ServiceConfig config = {.max_device_memory = 1000 * MB,
		.cache_size = KEPT_SHARE,.buffers_size = NPAGES * HEAP_PAGE_SIZE};
	ClientConfig client;

	buffers = mmap(NULL, NPAGES * HEAP_PAGE_SIZE, PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	config.buffers = buffers;
	service_begin(&service, &config);
	client = service_client(&service);
	client_configure(&client);
	check_batches();
	check_expressions();
	check_pages(&cpu_client, "pages in place", true);
	check_pages(&cpu_client, "pages copied", false);
	check_pages(&simt_client, "pages copied by the device process", false);
	check_pages(&simt_client, "pages read by a device", true);
	check_parts(&cpu_client, 0, 0);
	check_parts(&cpu_client, 1, 0);
	check_parts(&cpu_client, 2 << 20, 0);
	check_parts(&simt_client, 1 << 20, 0);
	for (int fails_at = 1; fails_at < 6; fails_at++)
		check_parts(&cpu_client, 1 << 20, fails_at);
	check_stream(0, false);
	check_stream(1, false);
	check_stream(3, false);
	check_stream(1, true);
	check_full_socket();
	check_many_runs();
	for (int steps = 0; steps <= 4; steps++)
		check_vanishing(steps);
	check_queue();
	check_files();
	check_huge_columns();
	check_lookups();
	check_changed_conversations();
	check_changed_answers();
	check_silence();
	check_death();
	check_death_unaccepted();
	ok(service_lives(&service), "the device process lives");
	service_end(&service);
	return done_testing();
}
