/*
 * protocol.c
 *	  Messages: making them, and checking those that came.
 *
 * Checks read each count once it is known to lie within the message, and compare it
 * with its limit before anything is multiplied by it.
 *
 * Owns no memory.  Plain C99 without postgres.h.
 */
#include "service/wire/protocol.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "service/wire/wire_frames.h"

/* The most groups, rows or bytes that anybody expects. */
#define MOST_EXPECTED 1e18

/* What is known of a message by its type: its struct, and what may follow. */
typedef struct MessageFacts
{
	size_t		size;			/* of the struct */
	bool		has_file;
	bool		(*good) (const Message *message);	/* its members; NULL: any are */
} MessageFacts;

static bool
is_flag(uint32_t value)
{
	return value <= 1;
}

/* Has the text a final zero? */
static bool
is_text(const char *text, size_t room)
{
	return memchr(text, '\0', room) != NULL;
}

/* Of a run that is over. */
static bool
is_failure(uint32_t status)
{
	return status > ENGINE_BUSY && status <= ENGINE_LOST;
}

static bool
is_expectation(double value)
{
	return value >= 0 && value <= MOST_EXPECTED;
}

/* A bool of any other byte than 0 and 1 must not be read as one. */
static bool
is_bool(const bool *value)
{
	return *(const uint8_t *) value <= 1;
}

static bool
good_stats(const EngineStats *stats)
{
	return is_text(stats->strategy, sizeof(stats->strategy)) && is_bool(&stats->compile_cached);
}

static bool
good_question(const Message *message)
{
	return message->question.kind < QUESTION_KINDS;
}

/* Sizes and counts that can be added and multiplied. */
static bool
good_opening(const OpeningParts *opening)
{
	return opening->program_size <= opening->size && opening->tables % 8 == 0 &&
		opening->tables <= opening->size && opening->nkeep <= PROGRAM_MAX_COLUMNS &&
		opening->ntables <= (opening->size - opening->tables) / sizeof(WireTable);
}

/* Whether there are such keys and aggregates, the engine sees. */
static bool
good_top(const TopHint *top)
{
	if (top->ncolumns > TOP_COLUMNS || top->nconditions > TOP_CONDITIONS || !is_flag(top->ties))
		return false;
	for (uint32_t i = 0; i < top->ncolumns; i++)
		if (!is_flag(top->columns[i].descending) || !is_flag(top->columns[i].nulls_first))
			return false;
	return true;
}

static bool
good_failure(const CallFailure *fails)
{
	return fails->nth == 0 ||
		(call_is_inner((EngineCall) fails->call) && is_failure(fails->status));
}

static bool
good_open(const Message *message)
{
	const OpenMessage *open = &message->open;

	/* only who is alone knows which page is the last one */
	if (run_key_is_set(&open->key) && open->only_pages)
		return false;
	return open->engine < NUM_ENGINES && is_flag(open->only_pages) && is_flag(open->answers) &&
		good_failure(&open->fails) &&
		good_opening(&open->opening) && good_top(&open->top) &&
		is_expectation(open->rows) && is_expectation(open->groups) &&
		is_text(open->strategy, sizeof(open->strategy)) &&
		is_text(open->database, sizeof(open->database)) &&
		is_text(open->relation, sizeof(open->relation));
}

static bool
good_attach(const Message *message)
{
	const AttachMessage *attach = &message->attach;

	return run_key_is_set(&attach->key) &&
		is_text(attach->database, sizeof(attach->database));
}

/* A page's own members; lines that lie among the message's. */
static bool
good_page(const PageEntry *page, uint32_t nlines)
{
	if (page->buffer < 0 || (page->buffer == 0 && page->place % 8 != 0))
		return false;
	if (page->lines == PAGE_ALL_LINES)
		return page->nlines <= UINT16_MAX;
	return page->lines <= nlines && page->nlines <= nlines - page->lines;
}

static bool
good_pages(const Message *message)
{
	const PageEntry *entries = (const PageEntry *) (&message->pages + 1);

	for (uint32_t i = 0; i < message->pages.npages; i++)
		if (!good_page(&entries[i], message->pages.nlines))
			return false;
	return true;
}

static bool
good_columns(const Message *message)
{
	const ColumnEntry *entries = (const ColumnEntry *) (&message->columns + 1);

	for (uint32_t i = 0; i < message->columns.ncolumns; i++)
		if (entries[i].values % 8 != 0 || entries[i].offsets % 8 != 0 ||
			entries[i].validity % 8 != 0)
			return false;
	return true;
}

static bool
good_devices(const Message *message)
{
	const DeviceRow *rows = (const DeviceRow *) (&message->devices + 1);

	for (uint32_t i = 0; i < message->devices.ndevices; i++)
	{
		const DeviceInfo *info = &rows[i].info;

		if (!is_text(info->name, sizeof(info->name)) ||
			!is_text(info->reason, sizeof(info->reason)) || !is_bool(&info->usable) ||
			rows[i].engine >= NUM_ENGINES || !is_flag(rows[i].used))
			return false;
	}
	return is_flag(message->devices.warm) &&
		is_text(message->devices.why, sizeof(message->devices.why));
}

static bool
good_activity(const Message *message)
{
	const ActivityRow *rows = (const ActivityRow *) (&message->activity + 1);

	for (uint32_t i = 0; i < message->activity.nrows; i++)
		if (rows[i].engine >= NUM_ENGINES || rows[i].phase >= RUN_PHASES ||
			!is_text(rows[i].database, sizeof(rows[i].database)) ||
			!is_text(rows[i].relation, sizeof(rows[i].relation)))
			return false;
	return true;
}

static bool
good_cache(const Message *message)
{
	const CacheRow *rows = (const CacheRow *) (&message->cache + 1);

	for (uint32_t i = 0; i < message->cache.nrows; i++)
		if (rows[i].attno < COLUMN_PLACE || rows[i].attno > PROGRAM_MAX_ATTRS ||
			rows[i].device >= DEVICES_MAX)
			return false;
	return true;
}

static bool
good_tables(const Message *message)
{
	return message->tables.place % 8 == 0;
}

static bool
is_request_kind(uint32_t kind)
{
	return kind > REQUEST_NONE && kind < REQUEST_KINDS;
}

static bool
good_answer(const Message *message)
{
	return is_request_kind(message->answer.kind) && message->answer.place % 8 == 0;
}

static bool
good_request(const Message *message)
{
	return is_request_kind(message->request.kind);
}

static bool
good_started(const Message *message)
{
	return is_flag(message->started.buffers_in_place) && message->started.served < SERVED_KINDS;
}

static bool
good_left(const Message *message)
{
	const WireLeftRow *rows = (const WireLeftRow *) (&message->left + 1);

	for (uint32_t i = 0; i < message->left.nrows; i++)
		if (rows[i].line > UINT16_MAX)
			return false;
	return true;
}

static bool
good_pages_ended(const Message *message)
{
	return is_flag(message->pages_ended.all_input);
}

static bool
good_part(const Message *message)
{
	return good_stats(&message->part.stats);
}

static bool
good_result(const Message *message)
{
	return good_stats(&message->result.stats);
}

static bool
good_failed(const Message *message)
{
	const FailedMessage *failed = &message->failed;

	return is_failure(failed->status) && is_text(failed->message, sizeof(failed->message)) && good_stats(&failed->stats);
}

static const MessageFacts facts[MESSAGE_TYPES] = {
	[MESSAGE_QUESTION] = {sizeof(QuestionMessage), false, good_question},
	[MESSAGE_OPEN] = {sizeof(OpenMessage), true, good_open},
	[MESSAGE_TABLES] = {sizeof(TablesMessage), false, good_tables},
	[MESSAGE_ANSWER] = {sizeof(AnswerMessage), false, good_answer},
	[MESSAGE_PAGES] = {sizeof(PagesMessage), false, good_pages},
	[MESSAGE_COLUMNS] = {sizeof(ColumnsMessage), false, good_columns},
	[MESSAGE_GROUPS] = {sizeof(GroupsMessage), false, NULL},
	[MESSAGE_NEXT] = {sizeof(MessageHead), false, NULL},
	[MESSAGE_ATTACH] = {sizeof(AttachMessage), true, good_attach},
	[MESSAGE_END] = {sizeof(MessageHead), false, NULL},
	[MESSAGE_DEVICES] = {sizeof(DevicesMessage), false, good_devices},
	[MESSAGE_ACTIVITY] = {sizeof(ActivityMessage), false, good_activity},
	[MESSAGE_CACHE] = {sizeof(CacheMessage), false, good_cache},
	[MESSAGE_EVICTED] = {sizeof(EvictedMessage), false, NULL},
	[MESSAGE_WANTED] = {sizeof(WantedMessage), false, NULL},
	[MESSAGE_QUEUED] = {sizeof(QueuedMessage), false, NULL},
	[MESSAGE_REQUEST] = {sizeof(RequestMessage), true, good_request},
	[MESSAGE_SERVED] = {sizeof(ServedMessage), true, NULL},
	[MESSAGE_STARTED] = {sizeof(StartedMessage), false, good_started},
	[MESSAGE_RELEASED] = {sizeof(ReleasedMessage), false, NULL},
	[MESSAGE_LEFT] = {sizeof(LeftMessage), false, good_left},
	[MESSAGE_PAGES_ENDED] = {sizeof(PagesEndedMessage), false, good_pages_ended},
	[MESSAGE_ENDED] = {sizeof(MessageHead), false, NULL},
	[MESSAGE_PART] = {sizeof(PartMessage), true, good_part},
	[MESSAGE_RESULT] = {sizeof(ResultMessage), true, good_result},
	[MESSAGE_FAILED] = {sizeof(FailedMessage), false, good_failed},
	[MESSAGE_ALIVE] = {sizeof(MessageHead), false, NULL},
};

/* 32-bit FNV-1a, one number after the other. */
static uint32_t
mix(uint32_t hash, uint32_t value)
{
	for (int shift = 0; shift < 32; shift += 8)
		hash = (hash ^ (value >> shift & 0xff)) * UINT32_C(16777619);
	return hash;
}

uint32_t
protocol_build(void)
{
	static uint32_t build = 0;
	uint32_t	hash = UINT32_C(2166136261);

	if (build != 0)
		return build;
	for (const char *c = GPUAGG_VERSION; *c; c++)
		hash = mix(hash, (uint8_t) *c);
	for (int i = 0; i < MESSAGE_TYPES; i++)
		hash = mix(hash, (uint32_t) facts[i].size);
	hash = mix(hash, sizeof(Program) + sizeof(Insn) + sizeof(Column) + sizeof(FrameMap) +
			   sizeof(WireTable) + sizeof(WireParam) + sizeof(PageEntry) + WIRE_FRAME_SIZE);
	hash = mix(hash, sizeof(Accumulator) + sizeof(Aggregate) + sizeof(DeviceInfo));
	for (int op = 0; op < OP_COUNT; op++)
	{
		hash = mix(hash, (uint32_t) (op_result((OpCode) op) << 8 | op_nargs((OpCode) op)));
		for (const char *c = op_name((OpCode) op); *c; c++)
			hash = mix(hash, (uint8_t) *c);
	}
	build = hash != 0 ? hash : 1;
	return build;
}

void
message_begin(Message *message, MessageType type)
{
	memset(message, 0, facts[type].size);
	message->head.magic = PROTOCOL_MAGIC;
	message->head.build = protocol_build();
	message->head.type = (uint32_t) type;
}

/* What follows the struct, in bytes; counts beyond their limits make it too large. */
static size_t
size_behind(const Message *message)
{
	switch ((MessageType) message->head.type)
	{
		case MESSAGE_PAGES:
			if (message->pages.npages > ENGINE_MAX_PAGES)
				return PROTOCOL_MAX_MESSAGE;
			return message->pages.npages * sizeof(PageEntry) +
				message->pages.nlines * sizeof(uint16_t);
		case MESSAGE_COLUMNS:
			if (message->columns.ncolumns > PROGRAM_MAX_COLUMNS)
				return PROTOCOL_MAX_MESSAGE;
			return message->columns.ncolumns * sizeof(ColumnEntry);
		case MESSAGE_DEVICES:
			if (message->devices.ndevices > DEVICES_MAX)
				return PROTOCOL_MAX_MESSAGE;
			return message->devices.ndevices * sizeof(DeviceRow);
		case MESSAGE_ACTIVITY:
			return message->activity.nrows * sizeof(ActivityRow);
		case MESSAGE_CACHE:
			return message->cache.nrows * sizeof(CacheRow);
		case MESSAGE_LEFT:
			if (message->left.nrows > LEFT_MAX)
				return PROTOCOL_MAX_MESSAGE;
			return message->left.nrows * sizeof(WireLeftRow);
		default:
			return 0;
	}
}

size_t
message_size(const Message *message)
{
	return facts[message->head.type].size + size_behind(message);
}

void
message_end(Message *message)
{
	message->head.size = (uint32_t) message_size(message);
}

bool
message_check(const Message *message, size_t size, int nfds, bool answer, char *why, size_t len)
{
	const MessageHead *head = &message->head;
	const char *fault = NULL;

	if (size < sizeof(MessageHead) || size > PROTOCOL_MAX_MESSAGE)
		fault = "a packet is no message";
	else if (head->magic != PROTOCOL_MAGIC)
		fault = "a packet is no message of gpuagg's";
	else if (head->build != protocol_build())
		fault = "the device process and the session run different builds of gpuagg";
	else if (head->type >= MESSAGE_TYPES || (head->type >= MESSAGE_FIRST_ANSWER) != answer)
		fault = "a message's type is not known here";
	else if (head->size != size || size < facts[head->type].size ||
			 size != message_size(message))
		fault = "a message has another size than it says";
	else if (nfds != (facts[head->type].has_file ? 1 : 0))
		fault = "a message has another number of files than its type";
	else if (facts[head->type].good != NULL && !facts[head->type].good(message))
		fault = "a message's contents are out of range";
	if (fault != NULL)
		snprintf(why, len, "%s", fault);
	return fault == NULL;
}

void
message_name(char name[PROTOCOL_NAME], const char *text)
{
	snprintf(name, PROTOCOL_NAME, "%s", text != NULL ? text : "");
}
