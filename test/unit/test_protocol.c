/*
 * test_protocol.c
 *	  Messages, openings and groups' files that lie: each is refused, or does no harm.
 *
 * Valid ones are changed at random, byte by byte and number by number, from a fixed
 * seed.  The sanitizers that the tests are built with see what would go wrong.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/cuda/codegen/coded.h"
#include "engine/stripe.h"
#include "engine_data.h"
#include "lookup_tables.h"
#include "message_files.h"
#include "mutate.h"
#include "oracle.h"
#include "program/check.h"
#include "program/ops_set.h"
#include "service/wire/channel.h"
#include "service/wire/groups_file.h"
#include "service/wire/opening.h"
#include "service/wire/wire_frames.h"
#include "tap.h"

#define MUTATIONS 100000

/* A message of each type, with something behind those that can have it. */
static void
make_message(Message *message, MessageType type)
{
	memset(message, 0, sizeof(*message));
	message_begin(message, type);
	switch (type)
	{
		case MESSAGE_ANSWER:
			message->answer.kind = REQUEST_PAGE_LSNS;
			break;
		case MESSAGE_TABLES:
			message->tables.place = 8192;
			break;
		case MESSAGE_REQUEST:
			message->request.kind = REQUEST_PAGE_LSNS;
			break;
		case MESSAGE_OPEN:
			message->open.opening = (OpeningParts)
			{
				.size = 4000,.tables = 1200,.program_size = 1000,.ntables = 2,.nkeep = 3
			};
			message->open.rows = 1e6;
			message_name(message->open.relation, "a table with a name that is longer than a name in PostgreSQL");
			break;
		case MESSAGE_ATTACH:
			message->attach.key.words[1] = 42;
			break;
		case MESSAGE_PAGES:
			message->pages.npages = 20;
			message->pages.nlines = 100;
			for (int i = 0; i < 20; i++)
				message_pages(message)[i] = (PageEntry) {.buffer = i,.nlines = 5,.lines = (uint32_t) i * 5};
			break;
		case MESSAGE_COLUMNS:
			message->columns.ncolumns = 12;
			break;
		case MESSAGE_DEVICES:
			message->devices.ndevices = 3;
			break;
		case MESSAGE_ACTIVITY:
			message->activity.nrows = 4;
			break;
		case MESSAGE_CACHE:
			message->cache.nrows = 5;
			for (int i = 0; i < 5; i++)
				message_cache(message)[i] = (CacheRow) {.relation = 1,.attno = i + 1};
			break;
		case MESSAGE_LEFT:
			message->left.nrows = 50;
			break;
		case MESSAGE_FAILED:
			message->failed.status = ENGINE_INEXACT;
			break;
		default:
			break;
	}
	message_end(message);
}

/* Read all of a message that was said to be good, as a receiver does. */
static uint64_t
read_message(Message *message)
{
	uint64_t	sum = 0;

	switch ((MessageType) message->head.type)
	{
		case MESSAGE_PAGES:
			for (uint32_t i = 0; i < message->pages.npages; i++)
			{
				PageEntry  *page = &message_pages(message)[i];

				for (uint32_t j = 0; page->lines != PAGE_ALL_LINES && j < page->nlines; j++)
					sum += message_lines(message)[page->lines + j];
			}
			break;
		case MESSAGE_OPEN:
			sum += strlen(message->open.relation) + strlen(message->open.database) +
				strlen(message->open.strategy) + (uint64_t) message->open.rows +
				message->open.top.groups;
			for (uint32_t i = 0; i < message->open.top.ncolumns; i++)
				sum += message->open.top.columns[i].descending +
					message->open.top.columns[i].nulls_first;
			break;
		case MESSAGE_ATTACH:
			sum += strlen(message->attach.database);
			break;
		case MESSAGE_DEVICES:
			for (uint32_t i = 0; i < message->devices.ndevices; i++)
				sum += strlen(message_devices(message)[i].info.name) +
					strlen(message_devices(message)[i].info.reason) +
					message_devices(message)[i].info.usable;
			break;
		case MESSAGE_ACTIVITY:
			for (uint32_t i = 0; i < message->activity.nrows; i++)
				sum += strlen(message_activity(message)[i].relation);
			break;
		case MESSAGE_CACHE:
			for (uint32_t i = 0; i < message->cache.nrows; i++)
				sum += (uint64_t) message_cache(message)[i].attno + message_cache(message)[i].bytes;
			break;
		case MESSAGE_LEFT:
			for (uint32_t i = 0; i < message->left.nrows; i++)
				sum += message_left(message)[i].line;
			break;
		case MESSAGE_PART:
			sum += strlen(message->part.stats.strategy) + message->part.stats.compile_cached;
			break;
		case MESSAGE_RESULT:
			sum += strlen(message->result.stats.strategy) + message->result.stats.compile_cached;
			break;
		case MESSAGE_FAILED:
			sum += strlen(message->failed.message) + message->failed.stats.compile_cached;
			break;
		default:
			break;
	}
	return sum;
}

/* A copy of exactly the message's size, so that reads beyond it are seen. */
static Message *
exact_copy(const Message *message, size_t size)
{
	Message    *copy = malloc(size);

	memcpy(copy, message, size);
	return copy;
}

static void
check_messages(void)
{
	static Message message;
	char		why[256];
	uint64_t	sum = 0;
	int			good = 0;

	for (int type = 0; type < MESSAGE_TYPES; type++)
	{
		bool		answer = type >= MESSAGE_FIRST_ANSWER;
		int			nfds = message_has_file((MessageType) type);
		bool		fine;

		make_message(&message, (MessageType) type);
		fine = message_check(&message, message.head.size, nfds, answer, why, sizeof(why));
		ok(fine && !message_check(&message, message.head.size, nfds, !answer, why, sizeof(why)) &&
		   !message_check(&message, message.head.size, nfds + 1, answer, why, sizeof(why)),
		   "a message of type %d is for its receiver, with its files", type);
		fine = true;
		for (size_t size = 0; size < message.head.size && size < 3000; size++)
		{
			Message    *copy = exact_copy(&message, size);

			fine &= !message_check(copy, size, nfds, answer, why, sizeof(why));
			free(copy);
		}
		message.head.build++;
		fine &= !message_check(&message, message.head.size, nfds, answer, why, sizeof(why));
		ok(fine, "one that is cut, or of another build, is not");
	}
	for (int i = 0; i < MUTATIONS; i++)
	{
		MessageType type = (MessageType) (i % MESSAGE_TYPES);
		size_t		size;
		Message    *copy;

		make_message(&message, type);
		size = message.head.size;
		copy = exact_copy(&message, size);
		/* its own members more often than the head */
		if (i % 4 != 0 && size > sizeof(MessageHead))
			mutate((char *) copy + sizeof(MessageHead), size - sizeof(MessageHead));
		else
			mutate(copy, size);
		if (message_check(copy, size, message_has_file(type), type >= MESSAGE_FIRST_ANSWER, why,
						  sizeof(why)))
		{
			sum += read_message(copy);
			good++;
		}
		free(copy);
	}
	ok(good > 0 && good < MUTATIONS, "%d changed messages: %d do no harm (%llu), the others are refused",
	   MUTATIONS, good, (unsigned long long) sum % 10);
}

/* An opening's order of groups: its directions are flags, the rest is the engine's to see. */
static void
check_order(void)
{
	static const struct
	{
		TopHint		top;
		bool		good;
	}			orders[] = {
		{{.groups = 10}, true}, {{.groups = 10,.ncolumns = 1,.columns = {{3, 1, 0}}}, true},
		{{.groups = 10,.ncolumns = TOP_COLUMNS,.columns = {{3, 0, 1}, {0, 1, 1}}}, true},
		{{.groups = UINT32_MAX,.ncolumns = 2,.columns = {{UINT16_MAX, 1, 1}, {UINT16_MAX, 1, 1}}}, true},
		{{.groups = 10,.ncolumns = TOP_COLUMNS + 1,.columns = {{0}}}, false}, {{.groups = 10,.ncolumns = UINT32_MAX,.columns = {{0}}}, false},
		{{.groups = 10,.ncolumns = 1,.columns = {{3, 2, 0}}}, false}, {{.groups = 10,.ncolumns = 1,.columns = {{3, 0, 2}}}, false},
		{{.groups = 0,.ncolumns = 2,.columns = {{0, 0, 0}, {0, 255, 0}}}, false},
		{{.groups = 0,.ncolumns = TOP_COLUMNS,.columns = {{0}, {0}, {0}, {0, 0, 255}}}, false},
		{{.nconditions = TOP_CONDITIONS,.conditions = {{UINT64_MAX, 0, UINT32_MAX, 0}}}, true},
		{{.nconditions = TOP_CONDITIONS + 1}, false}, {{.nconditions = UINT32_MAX}, false},
		{{.groups = 10,.ties = 1}, true}, {{.groups = 10,.ties = 2}, false}
	};
	static Message message;
	char		why[256];

	for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++)
	{
		const TopHint *top = &orders[i].top;

		make_message(&message, MESSAGE_OPEN);
		message.open.top = *top;
		ok(message_check(&message, message.head.size, message_has_file(MESSAGE_OPEN), false, why,
						 sizeof(why)) == orders[i].good,
		   "an opening that asks for %u groups by %u columns and %u conditions, the first column with flags %u and %u, is %s",
		   top->groups, top->ncolumns, top->nconditions, top->columns[0].descending, top->columns[0].nulls_first,
		   orders[i].good ? "good" : "refused");
	}
}

/* The statistics in each answer that has some. */
static void
check_stats(void)
{
	static Message message;
	const struct
	{
		MessageType type;
		EngineStats *stats;
	}			answers[] = {
		{MESSAGE_PART, &message.part.stats}, {MESSAGE_RESULT, &message.result.stats},
		{MESSAGE_FAILED, &message.failed.stats}
	};
	char		why[256];

	for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++)
	{
		MessageType type = answers[i].type;
		EngineStats *stats = answers[i].stats;
		bool		refused;

		make_message(&message, type);
		memset(stats->strategy, 'x', sizeof(stats->strategy));
		refused = !message_check(&message, message.head.size, message_has_file(type), true, why,
								 sizeof(why));
		make_message(&message, type);
		memset(&stats->compile_cached, 2, 1);
		refused &= !message_check(&message, message.head.size, message_has_file(type), true, why,
								  sizeof(why));
		ok(refused, "statistics in a message of type %d: a name without an end, and no flag",
		   (int) type);
	}
}

/* Messages and files through a socket. */
static void
check_channel(void)
{
	static Message message;
	static Message came;
	char		why[256];
	int			fds[2];
	int			file = file_create("test");
	int			got = -1;
	uint64_t	value = 0;
	int			n = 0;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, fds) != 0)
		abort();
	ok(channel_receive(fds[1], false, &came, &got, why, sizeof(why)) == CHANNEL_BUSY,
	   "nothing has come");
	if (!file_write(file, 100, &(uint64_t) {42}, 8))
		abort();
	make_message(&message, MESSAGE_OPEN);
	ok(channel_send(fds[0], &message, file) == CHANNEL_OK &&
	   channel_receive(fds[1], false, &came, &got, why, sizeof(why)) == CHANNEL_OK &&
	   memcmp(&came, &message, message.head.size) == 0 && got >= 0 &&
	   file_read(got, 100, &value, 8) && value == 42, "a message comes with its file");
	ok(!file_read(got, 101, &value, 8) && !file_read(got, UINT64_MAX - 3, &value, 8),
	   "what the file has not got cannot be read");
	ok(!file_is_sealed(got, 108) && file_seal(file) && file_is_sealed(got, 108) &&
	   !file_write(file, 0, &value, 1) && !file_is_sealed(got, 109), "a sealed file does not change");
	close(got);
	(void) channel_send(fds[0], &message, -1);
	ok(channel_receive(fds[1], false, &came, &got, why, sizeof(why)) == CHANNEL_BAD && got < 0,
	   "without its file: %s", why);
	(void) send(fds[0], "rubbish", 7, 0);
	ok(channel_receive(fds[1], false, &came, &got, why, sizeof(why)) == CHANNEL_BAD, "rubbish: %s",
	   why);
	make_message(&message, MESSAGE_GROUPS);
	while (channel_send(fds[0], &message, -1) == CHANNEL_OK && n < 100000)
		n++;
	ok(n > 10 && n < 100000 && channel_send(fds[0], &message, -1) == CHANNEL_BUSY,
	   "a full socket says so after %s", n > 100 ? "many messages" : "some");
	close(fds[0]);
	while (channel_receive(fds[1], false, &came, &got, why, sizeof(why)) == CHANNEL_OK)
		n--;
	ok(n == 0 && channel_receive(fds[1], false, &came, &got, why, sizeof(why)) == CHANNEL_GONE,
	   "the other side has gone");
	close(fds[1]);
	close(file);
}

/* Who goes without reading all that was sent has still said why. */
static void
check_last_words(void)
{
	static Message message;
	char		why[256];
	int			fds[2];
	int			got;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, fds) != 0)
		abort();
	make_message(&message, MESSAGE_GROUPS);
	(void) channel_send(fds[0], &message, -1);
	make_message(&message, MESSAGE_FAILED);
	(void) channel_send(fds[1], &message, -1);
	close(fds[1]);
	ok(channel_receive(fds[0], true, &message, &got, why, sizeof(why)) == CHANNEL_OK &&
	   message.head.type == MESSAGE_FAILED &&
	   channel_receive(fds[0], true, &message, &got, why, sizeof(why)) == CHANNEL_GONE,
	   "last words are heard");
	close(fds[0]);
}

/* Read all of the groups. */
static uint64_t
read_groups(const Program *program, GroupsReader *reader)
{
	GroupBatch	batch;
	uint64_t	sum = 0;

	for (;;)
	{
		groups_reader_next(reader, &batch);
		if (batch.ngroups == 0)
			return sum;
		for (uint32_t i = 0; i < batch.ngroups; i++)
		{
			for (int k = 0; k < program->nkeys; k++)
			{
				const ColumnVector *key = &batch.keys[k];
				ValueType	type = program_key_type(program, k);
				size_t		size = (size_t) value_type_size(type);

				if (key->validity != NULL)
					sum += key->validity[i / 8];
				if (type != VT_TEXT)
					sum += ((const uint8_t *) key->values)[i * size + size - 1];
				else
					for (uint32_t j = key->offsets[i]; j < key->offsets[i + 1]; j++)
						sum += ((const uint8_t *) key->values)[j];
			}
			for (int a = 0; a < program->naccs; a++)
			{
				const Accumulator *acc = &program_accs(program)[a];
				const uint64_t *words = batch.states + (size_t) i * program->nwords + acc->word;

				sum += words[acc->nwords - 1];
				if (acc_is_text((AccKind) acc->kind) && words[0] != 0)
					for (uint32_t j = 0; j < (uint32_t) words[1]; j++)
						sum += ((const uint8_t *) (uintptr_t) words[0])[j];
				if (acc_sums_floats(acc))
					sum += (uint64_t) batch.units[a];
			}
		}
	}
}

/* A file with the same bytes, which are changed. */
static int
changed_file(int file, uint64_t size, uint64_t *new_size)
{
	char	   *bytes = malloc(size);
	int			changed = file_create("changed");

	if (!file_read(file, 0, bytes, size))
		abort();
	/* mostly what says where things are: the head, and the directory at the end */
	if (random_u64() % 2 == 0)
		mutate(bytes + size - 300, 300);
	else if (random_u64() % 2 == 0)
		mutate(bytes, 16);
	else
		mutate(bytes, size);
	*new_size = random_u64() % 20 == 0 ? random_u64() % size : size;
	if (!file_write(changed, 0, bytes, *new_size) || !file_seal(changed))
		abort();
	free(bytes);
	return changed;
}

/* Groups written to a file. */
static GroupsWriter *
write_groups(const Program *program, EngineRun *run)
{
	GroupsWriter *writer = groups_writer_create(program);
	GroupBatch	batch;

	while (cpu_engine.groups(run, &batch) == ENGINE_OK && batch.ngroups > 0)
		if (!groups_writer_add(writer, &batch))
			abort();
	return writer;
}

static void
check_groups_file(void)
{
	const int	keys[] = {C_TEXT_NULL, C_INT4_NULL, C_UUID};
	Program    *program = data_program(keys, 3, true, false);
	EngineHints hints = {.strategy = "auto"};
	ColumnBatch rows = {.nrows = 400,.columns = data_vectors};
	EngineRun  *run;
	GroupsWriter *writer;
	GroupsReader *reader;
	char		why[256];
	uint64_t	size;
	uint64_t	sum = 0;
	int			file;
	int			good = 0;

	data_make(400, 50, false);
	if (cpu_engine.open(program, NULL, &hints, &run, why) != ENGINE_OK ||
		cpu_engine.columns(run, &rows) != ENGINE_OK)
		abort();
	writer = write_groups(program, run);
	file = groups_writer_end(writer, &size);
	reader = groups_reader_open(program, file, size, &hints, why, sizeof(why));
	ok(reader != NULL, "a groups' file is read");
	if (reader != NULL)
		sum = read_groups(program, reader);
	groups_reader_rewind(reader);
	ok(read_groups(program, reader) == sum, "and read again");
	groups_reader_close(reader);
	ok(groups_reader_open(program, file, size + 1, &hints, why, sizeof(why)) == NULL,
	   "not with another size: %s", why);
	for (int i = 0; i < MUTATIONS / 5; i++)
	{
		uint64_t	new_size;
		int			changed = changed_file(file, size, &new_size);

		reader = groups_reader_open(program, changed, new_size, &hints, why, sizeof(why));
		close(changed);
		if (reader == NULL)
			continue;
		sum += read_groups(program, reader);
		good++;
		groups_reader_close(reader);
	}
	ok(good > 0 && good < MUTATIONS / 5,
	   "%d changed groups' files: %d do no harm (%llu), the others are refused", MUTATIONS / 5,
	   good, (unsigned long long) sum % 10);
	groups_writer_free(writer);
	cpu_engine.close(run);
	free(program);
}

/* A Program with sets of values, beside what the expressions have. */
static Program *
set_program(ParamValue params[2])
{
	static struct
	{
		SetHeader	head;
		int64_t		values[3];
	}			numbers = {{3, 1}, {1, 5, 900}};
	static struct
	{
		SetHeader	head;
		uint32_t	places[3];
		char		bytes[8];
	}			texts = {{2, 0}, {20, 22, 25}, "a1bc1"};
	ProgramBuilder *b = malloc(sizeof(*b));
	Program    *program;
	int			set;
	int			reg;

	program_begin(b, SOURCE_COLUMNS);
	params[0] = (ParamValue) {.type = VT_TEXT,.bytes = {(const char *) &numbers, sizeof(numbers)}};
	params[1] = (ParamValue) {.type = VT_TEXT,.bytes = {(const char *) &texts, 25}};
	for (int c = 0; c < 6; c++)
	{
		static const ValueType types[] = {VT_INT4, VT_INT4, VT_INT8, VT_FLOAT8, VT_FLOAT4, VT_TEXT};

		program_add_column(b, c + 1, types[c], c == 1 || c == 4 || c == 5, -1);
	}
	set = program_add_param_ref(b, program_add_param(b, VT_TEXT));
	reg = program_add_op(b, OP_int8_in, 2, set);
	program_add_acc(b, ACC_COUNT, -1, reg);
	program_add_acc(b, ACC_COUNT, -1, program_add_op(b, OP_set_has_null, set, -1));
	set = program_add_param_ref(b, program_add_param(b, VT_TEXT));
	program_add_key(b, program_add_op(b, OP_text_in, 5, set));
	program_add_acc(b, ACC_MAX_TEXT, 5, -1);
	program_add_agg(b, FINAL_COUNT, 0, 0);
	program = calloc(1, program_size(b));
	program_finish(b, program);
	free(b);
	return program;
}

/* A Program with look-ups of each kind, and values of the rows. */
static Program *
lookup_program(ParamValue params[7])
{
	static const int64_t numbers[] = {-5, 0, 7, 45};
	static const int64_t far[] = {INT64_MIN, 3, INT64_MAX};
	static const Bytes texts[] = {{"a1", 2}, {"", 0}, {"abc3", 4}};
	static const uint32_t rows[] = {2, 0, 1, 2};
	static const uint8_t present[] = {1, 0, 1};
	static const ValueType types[] = {VT_INT4, VT_INT4, VT_INT8, VT_FLOAT8, VT_FLOAT4, VT_TEXT};
	ProgramBuilder *b = malloc(sizeof(*b));
	Program    *program;
	int			reg;
	int			text;

	program_begin(b, SOURCE_COLUMNS);
	for (int c = 0; c < 6; c++)
		program_add_column(b, c + 1, types[c], c == 1 || c == 4 || c == 5, -1);
	for (int i = 0; i < 7; i++)
		params[i] = (ParamValue) {.type = VT_TEXT};
	params[0].bytes = table_of_integers(LOOKUP_ARRAY1, numbers, rows, 4, 3);
	params[1].bytes = table_of_integers(LOOKUP_HASH4, numbers, rows, 4, 3);
	params[2].bytes = table_of_integers(LOOKUP_HASH8, far, rows, 3, 3);
	params[3].bytes = table_of_texts(texts, rows, 3, 3);
	params[4].bytes = table_of_values(8, numbers, present, 3);
	params[5].bytes = table_of_values(1, "\1\0\2", NULL, 3);
	params[6].bytes = table_of_row_texts(texts, present, 3);
	reg = program_add_op(b, OP_int4_to_int8, 1, -1);
	for (int i = 0; i < 3; i++)
		program_add_acc(b, ACC_SUM_INT,
						program_add_op(b, OP_int8_lookup, i < 2 ? reg : 2,
									   program_add_table_ref(b, program_add_param(b, VT_TEXT))), -1);
	reg = program_add_op(b, OP_text_lookup, 5, program_add_table_ref(b, program_add_param(b, VT_TEXT)));
	text = program_add_table_ref(b, program_add_param(b, VT_TEXT));
	program_add_acc(b, ACC_MAX_INT, program_add_op(b, OP_row_int8, reg, text),
					program_add_op(b, OP_row_has, reg, text));
	program_add_key(b, program_add_op(b, OP_row_code, reg,
									  program_add_table_ref(b, program_add_param(b, VT_TEXT))));
	text = program_add_param_ref(b, program_add_param(b, VT_TEXT));
	program_add_key(b, program_add_op(b, OP_row_text, reg, text));
	program_add_agg(b, FINAL_COUNT, 0, 0);
	program = calloc(1, program_size(b));
	program_finish(b, program);
	free(b);
	return program;
}

/* The widest text or the longest column that a changed Program may ask for is there. */
static void
run_opening(const Opening *opening)
{
	static ColumnVector vectors[PROGRAM_MAX_COLUMNS];
	static const char zeros[16 * 64];
	EngineHints hints = {.strategy = "auto",.memory_limit = 50 << 20};
	ColumnBatch batch = {.nrows = 60,.columns = vectors};
	EngineRun  *run;
	GroupBatch	groups;
	char		message[256];

	/* bytes that are named are not there yet */
	for (int i = 0; i < opening->program->nparams; i++)
		if (opening->params[i].digest != NULL)
			return;
	for (int i = 0; i < opening->program->ncolumns; i++)
		vectors[i] = program_columns(opening->program)[i].type == VT_TEXT ?
			data_vectors[C_TEXT_NULL] : (ColumnVector) {.values = zeros};
	if (cpu_engine.open(opening->program, opening->params, &hints, &run, message) != ENGINE_OK)
		return;
	if (cpu_engine.columns(run, &batch) == ENGINE_OK)
		while (cpu_engine.groups(run, &groups) == ENGINE_OK && groups.ngroups > 0)
			;
	cpu_engine.close(run);
}

/* Tables that an opening has: the first ends within its second frame. */
static FrameMap frames[3] = {{.lsn = 77}, {.lsn = 78}, {.lsn = 79}};
static const TableState tables[2] = {
	{.file = {1, 2, 3},.relation = 4,.table = 1,.nblocks = FRAME_BLOCKS + 2,.frames = frames},
	{.file = {1, 2, 5},.relation = 6,.table = 7,.nblocks = FRAME_BLOCKS,.frames = frames + 2},
};

static void
fill_frames(void)
{
	memset(frames[0].bits, 0x11, FRAME_MAP_BYTES);
	frames[1].bits[0] = 0x05;
	memset(frames[2].bits, 0x44, FRAME_MAP_BYTES);
}

static bool
same_frames(const FrameMap *a, const FrameMap *b, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (a[i].lsn != b[i].lsn || memcmp(a[i].bits, b[i].bits, FRAME_MAP_BYTES) != 0)
			return false;
	return true;
}

/* Are nframes frames read from these words? */
static bool
reads_frames(const uint64_t *words, size_t n, uint32_t nframes)
{
	FrameMap	found[2];
	uint64_t	place = 0;

	return wire_frames_read((const char *) words, n * sizeof(*words), &place, found, nframes);
}

static void
check_frames(void)
{
	int			file = file_create("test");
	FrameMap	found[3];
	uint64_t	end = 8;
	uint64_t	place = 8;
	char	   *bytes;

	if (!wire_frames_write(file, frames, 3, &end))
		abort();
	ok(end % 8 == 0 && end < 8 + 3 * WIRE_FRAME_SIZE + 8 + FRAME_MAP_BYTES,
	   "of three frames one has its bits written");
	bytes = malloc(end);
	if (!file_read(file, 8, bytes + 8, end - 8))
		abort();
	ok(wire_frames_read(bytes, end, &place, found, 3) && place == end && same_frames(found, frames, 3),
	   "they are read as they were written");
	place = 8;
	ok(!wire_frames_read(bytes, end - 8, &place, found, 3), "but not without their end");
	place = 8;
	ok(!wire_frames_read(bytes, 8 + 2 * WIRE_FRAME_SIZE, &place, found, 3), "or without the last one");
	place = end + 8;
	ok(!wire_frames_read(bytes, end, &place, found, 0), "or behind the end");
	ok(reads_frames((const uint64_t[]) {5, 255, 6, 0}, 4, 2), "bytes are less than 256");
	ok(!reads_frames((const uint64_t[]) {5, 255, 6, 257}, 4, 2), "and not more");
	ok(!reads_frames((const uint64_t[]) {5, 255, 6, UINT64_C(1) << 32}, 4, 2),
	   "nothing stands behind them");
	ok(!reads_frames((const uint64_t[]) {5, 256, 6, 0}, 4, 2), "bits that are not there are not read");
	free(bytes);
	close(file);
}

static bool
same_table(const TableState *a, const TableState *b)
{
	return memcmp(a->file, b->file, sizeof(a->file)) == 0 && a->relation == b->relation &&
		a->table == b->table && a->nblocks == b->nblocks &&
		same_frames(a->frames, b->frames, table_state_frames(b->nblocks));
}

static bool
same_tables(const Opening *opening, const EngineHints *hints)
{
	if (opening->ntables != hints->ntables || opening->nkeep != hints->nkeep ||
		memcmp(opening->keep, hints->keep, (size_t) hints->nkeep * sizeof(Column)) != 0)
		return false;
	for (int i = 0; i < hints->ntables; i++)
		if (!same_table(&opening->tables[i], &hints->tables[i]))
			return false;
	return true;
}

/* Read all of the tables, as an engine does: it relies on their order and on their ends. */
static void
read_tables(const Opening *opening)
{
	for (int i = 0; i < opening->ntables; i++)
	{
		const TableState *table = &opening->tables[i];
		uint32_t	all = table_state_frames(table->nblocks) * FRAME_BLOCKS;

		if (i > 0 && table->table <= table[-1].table)
			abort();
		for (uint32_t block = table->nblocks; block < all; block++)
			if (stripe_block_is_all_visible(table->frames[block / FRAME_BLOCKS].bits,
											block % FRAME_BLOCKS))
				abort();
	}
}

/* Parts that lie: those that message_check lets pass are refused, or do no harm. */
static void
check_changed_parts(int file, const OpeningParts *parts, const char *name)
{
	static Message message;
	Opening		opening;
	char		why[256];
	int			passed = 0;
	int			good = 0;

	for (int i = 0; i < MUTATIONS / 5; i++)
	{
		make_message(&message, MESSAGE_OPEN);
		message.open.opening = *parts;
		mutate((char *) &message.open.opening, sizeof(OpeningParts));
		if (!message_check(&message, message.head.size, 1, false, why, sizeof(why)))
			continue;
		passed++;
		if (opening_read(file, &message.open.opening, &opening, why, sizeof(why)))
		{
			read_tables(&opening);
			good++;
		}
		opening_free(&opening);
	}
	ok(passed > good && good > 0, "%s: %d changed sizes: %d of %d that pass do no harm", name,
	   MUTATIONS / 5, good, passed);
}

/* Tables that are said to begin where the Program or the parameters stand: refused. */
static void
check_tables_apart(int file, const OpeningParts *parts, const char *name)
{
	OpeningParts changed = *parts;
	Opening		opening;
	char		why[256];
	int			good = 0;

	/* without tables, since what stands there is none */
	changed.ntables = 0;
	changed.nkeep = 0;
	for (changed.tables = 0; changed.tables < parts->tables; changed.tables += 8)
	{
		good += opening_read(file, &changed, &opening, why, sizeof(why));
		opening_free(&opening);
	}
	ok(good == 0, "%s: tables within what has been checked are refused", name);
	ok(opening_read(file, &changed, &opening, why, sizeof(why)), "%s: behind it they are not", name);
	opening_free(&opening);
}

/* Changed openings: each is refused, or can be run. */
static void
check_openings(const char *name, const Program *program, const ParamValue *params, int mutations)
{
	int			file = file_create("test");
	EngineHints hints = {.tables = tables,.ntables = 2,.keep = program_columns(program),
	.nkeep = program->ncolumns};
	OpeningParts parts;
	Opening		opening;
	char		why[256] = "";
	char	   *bytes;
	uint64_t	size;
	int			good = 0;

	if (!opening_write(file, program, params, true, &hints, &parts))
		abort();
	size = parts.size;
	ok(opening_read(file, &parts, &opening, why, sizeof(why)), "%s %s", name, why);
	ok(opening.program != NULL && memcmp(opening.program, program, program->size) == 0,
	   "%s: the same program", name);
	ok(same_tables(&opening, &hints), "%s: the same tables and columns", name);
	opening_free(&opening);
	bytes = malloc(size);
	if (!file_read(file, 0, bytes, size))
		abort();
	for (int i = 0; i < mutations; i++)
	{
		char	   *changed = malloc(size);

		memcpy(changed, bytes, size);
		mutate(changed, size);
		if (!file_write(file, 0, changed, size))
			abort();
		free(changed);
		if (opening_read(file, &parts, &opening, why, sizeof(why)))
		{
			read_tables(&opening);
			run_opening(&opening);
			good++;
		}
		opening_free(&opening);
	}
	ok(good > 0 && good < mutations, "%s: %d changed: %d do no harm, the others are refused", name,
	   mutations, good);
	if (!file_write(file, 0, bytes, size))
		abort();
	check_changed_parts(file, &parts, name);
	check_tables_apart(file, &parts, name);
	parts.size += 8;
	ok(!opening_read(file, &parts, &opening, why, sizeof(why)),
	   "%s: more bytes than there are", name);
	opening_free(&opening);
	free(bytes);
	close(file);
}

/* A Program of codes is not one that a session may send. */
static void
check_coded(const Program *program, const ParamValue *params)
{
	static const bool asked[PROGRAM_MAX_COLUMNS];
	Program    *coded = malloc(program->size);
	CodedConditions conditions;
	char		why[256];

	ok(coded_make(program, asked, coded, &conditions) && conditions.n == 0 &&
	   program_check(program, program->size, params, program->nparams, why, sizeof(why)) &&
	   !program_check(coded, coded->size, params, coded->nparams, why, sizeof(why)) &&
	   strstr(why, "column") != NULL, "codes: %s", why);
	free(coded);
}

/* Tables are named, but for the last one, whose texts stand among others; they can be checked later. */
static void
check_named(const Program *program, const ParamValue *params)
{
	int			file = file_create("test");
	const EngineHints none = {0};
	OpeningParts parts;
	Opening		opening;
	char		why[256] = "";
	Digest		digest;
	int			named = 0;
	int			good = 0;

	if (!opening_write(file, program, params, true, &none, &parts) ||
		!opening_read(file, &parts, &opening, why, sizeof(why)))
		abort();
	for (int i = 0; i < 6; i++)
	{
		ParamValue *param = &opening.params[i];

		digest_of(params[i].bytes.data, params[i].bytes.len, &digest);
		named += opening_names(program, params, i) && param->bytes.data == NULL &&
			param->bytes.len == params[i].bytes.len &&
			digest_equal(&param->digest->digest, &digest);
		param->bytes = params[i].bytes;
		good += program_check_table(program, opening.params, i);
		param->bytes = params[i ^ 1].bytes;
		good += i > 3 && !program_check_table(program, opening.params, i);
	}
	ok(named == 6 && !opening_names(program, params, 6) && opening.params[6].digest == NULL &&
	   opening.params[6].bytes.data != NULL, "tables are named");
	ok(good == 8, "their bytes are checked later");
	opening.params[6].digest = opening.params[0].digest;
	opening.params[6].bytes.data = NULL;
	ok(!program_check(program, program->size, opening.params, 7, why, sizeof(why)),
	   "what is no table cannot be named: %s", why);
	opening_free(&opening);
	close(file);
}

static void
check_programs(void)
{
	const int	keys[] = {C_INT4, C_TEXT_NULL, C_BOOL};
	ParamValue	one[1] = {{.type = VT_INT4,.word = 1000}};
	ParamValue	many[DATA_EXPRESSION_PARAMS];
	ParamValue	sets[2];
	ParamValue	lookups[7];
	TableDigest digests[7] = {{false}};
	Program    *program = data_program(keys, 3, true, true);

	fill_frames();
	check_frames();
	data_make(400, 50, false);
	check_openings("accumulators", program, one, MUTATIONS / 5);
	free(program);
	program = data_program(keys, 3, false, false);
	check_coded(program, one);
	free(program);
	program = data_expressions(many);
	check_openings("expressions", program, many, MUTATIONS / 5);
	free(program);
	program = set_program(sets);
	check_openings("sets", program, sets, MUTATIONS / 5);
	free(program);
	program = lookup_program(lookups);
	check_openings("look-ups", program, lookups, MUTATIONS / 5);
	for (int i = 0; i < 7; i++)
		lookups[i].digest = &digests[i];
	check_openings("look-ups that are named", program, lookups, MUTATIONS / 5);
	check_named(program, lookups);
	for (int i = 0; i < 7; i++)
		free((void *) lookups[i].bytes.data);
	free(program);
}

#ifdef __SANITIZE_ADDRESS__
/* More than that is no memory, as of the directory below. */
const char *
__asan_default_options(void)
{
	return "allocator_may_return_null=1:max_allocation_size_mb=64";
}

/* Batches until there is no memory for the directory. */
static void
check_groups_memory(void)
{
	ProgramBuilder *b = malloc(sizeof(*b));
	static const int64_t zero = 0;
	ColumnVector keys[PROGRAM_MAX_KEYS];
	GroupBatch	batch = {.ngroups = 1,.keys = keys,.states = (const uint64_t *) &zero};
	int			nbatches = 0;
	Program    *program;
	GroupsWriter *writer;

	program_begin(b, SOURCE_COLUMNS);
	for (int i = 0; i < PROGRAM_MAX_KEYS; i++)
	{
		program_add_key(b, program_add_column(b, i + 1, VT_INT8, false, -1));
		keys[i] = (ColumnVector) {.values = &zero};
	}
	program_add_acc(b, ACC_COUNT, -1, -1);
	program = calloc(1, program_size(b));
	program_finish(b, program);
	free(b);
	writer = groups_writer_create(program);
	while (nbatches < 1000000 && groups_writer_add(writer, &batch))
		nbatches++;
	ok(nbatches > 0 && nbatches < 1000000, "no memory behind %d batches of groups", nbatches);
	groups_writer_free(writer);
	free(program);
}
#endif

int
main(void)
{
	check_messages();
	check_order();
	check_stats();
	check_channel();
	check_last_words();
	check_groups_file();
	check_programs();
#ifdef __SANITIZE_ADDRESS__
	check_groups_memory();
#endif
	return done_testing();
}
