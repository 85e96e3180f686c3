/*
 * protocol.h
 *	  What sessions and the device process say to each other.
 *
 * They are connected by a Unix socket of type SOCK_SEQPACKET: one packet is one
 * message, a struct of this file.  A connection is one run of an engine, or one
 * question.  Bulk data lies in memory files (memfd_create) whose descriptors travel
 * with a message.  End of file says that the other side is gone.
 *
 * A run, from the session's side:
 *
 *	OPEN		with the input file: the Program and the parameters' values lie at its
 *				beginning, the bytes of pages and columns come behind it
 *				<- QUEUED, while there is no device memory for the run
 *				<- WANTED, before anything else, if the bytes of tables are wanted of which
 *				only the digest came
 *	TABLES		with them
 *				<- REQUEST, if the engine asks something (EngineRequest); with a
 *				file of the blocks whose pages' LSNs are wanted
 *	ANSWER		to it
 *				<- SERVED, with a file, if the engine has some of the tables' blocks
 *				<- STARTED: it is open, and pages and columns may come
 *	PAGES		<- RELEASED and LEFT, any number of them at any time
 *				no pages, the end: <- all LEFT, then PAGES_ENDED, and then at once
 *				what follows GROUPS, if only pages come and none of their rows was
 *				left out
 *	COLUMNS		<- RELEASED, once the batch has been taken
 *	GROUPS		<- PART, with a file of the first groups, if they are many
 *	NEXT		<- PART, with the next ones, and so on
 *				<- RESULT, with a file of the last ones
 *
 * Other processes can feed the run, too, if OPEN had a key:
 *
 *	ATTACH		with an input file of its own, for the bytes of pages and columns
 *				<- STARTED
 *	PAGES, COLUMNS	as above; RELEASED counts the feeder's own
 *	END			<- ENDED, once all of its rows have been taken
 *
 * The run has failed for all of them if one goes before ENDED.  GROUPS says how many
 * have been told ENDED.
 *
 * FAILED may come at any time, and ends the run, as RESULT does.  ALIVE comes at
 * least every ALIVE_INTERVAL_MS while the session waits for any other message.
 *
 * A receiver takes each message for a stranger's: message_check looks at each of
 * its members.  What lies in a file that the other side can write to is copied
 * before it is checked, and the copy is what is used.
 *
 * Plain C99 without postgres.h.
 */
#ifndef GPUAGG_PROTOCOL_H
#define GPUAGG_PROTOCOL_H

#include "engine/devices.h"
#include "engine/engine.h"

#define PROTOCOL_MAGIC UINT32_C(0x61677067)
#define PROTOCOL_MAX_MESSAGE 65536

/*
 * The socket, from the data directory, which is both sides' working directory.  Its name begins
 * as those of temporary files do (PG_TEMP_FILE_PREFIX), which base backups and pg_rewind leave out.
 */
#define SERVICE_DIRECTORY "gpuagg_device"
#define SERVICE_SOCKET SERVICE_DIRECTORY "/pgsql_tmp_socket"

/* How long the device process is silent at most while a session waits for it. */
#define ALIVE_INTERVAL_MS 500

/* Names in messages: with their final zero; longer ones are cut. */
#define PROTOCOL_NAME 64

typedef enum MessageType
{
	/* from a session */
	MESSAGE_QUESTION,
	MESSAGE_OPEN,
	MESSAGE_TABLES,
	MESSAGE_ANSWER,
	MESSAGE_PAGES,
	MESSAGE_COLUMNS,
	MESSAGE_GROUPS,
	MESSAGE_NEXT,
	MESSAGE_ATTACH,
	MESSAGE_END,
	/* from the device process */
	MESSAGE_DEVICES,
	MESSAGE_ACTIVITY,
	MESSAGE_CACHE,
	MESSAGE_EVICTED,
	MESSAGE_WANTED,
	MESSAGE_QUEUED,
	MESSAGE_REQUEST,
	MESSAGE_SERVED,
	MESSAGE_STARTED,
	MESSAGE_RELEASED,
	MESSAGE_LEFT,
	MESSAGE_PAGES_ENDED,
	MESSAGE_ENDED,
	MESSAGE_PART,
	MESSAGE_RESULT,
	MESSAGE_FAILED,
	MESSAGE_ALIVE,
	MESSAGE_TYPES
} MessageType;

/* Types from this one on are the device process's. */
#define MESSAGE_FIRST_ANSWER MESSAGE_DEVICES

typedef struct MessageHead
{
	uint32_t	magic;
	uint32_t	build;			/* protocol_build() */
	uint32_t	type;			/* MessageType */
	uint32_t	size;			/* of the whole message, in bytes */
} MessageHead;

/* NEXT, END, ENDED and ALIVE are heads only. */

typedef enum QuestionKind
{
	QUESTION_DEVICES,			/* <- DEVICES */
	QUESTION_ACTIVITY,			/* <- ACTIVITY, the last of which has no row */
	QUESTION_CACHE,				/* <- CACHE, likewise */
	QUESTION_EVICT,				/* <- EVICTED */
	QUESTION_DISTRUST,			/* the same of all columns, and keep none any more */
	QUESTION_KINDS
} QuestionKind;

/* Bytes with a bit for each attribute's number, the lowest bit of byte 0 first. */
#define ATTRIBUTE_BITS (PROGRAM_MAX_ATTRS / 8 + 1)

typedef struct QuestionMessage
{
	MessageHead head;
	uint32_t	kind;			/* QuestionKind */
	uint32_t	database;		/* EVICT, DISTRUST: the relation's */
	uint32_t	relation;		/* EVICT, DISTRUST: what is evicted; DISTRUST, 0: all of
								 * the database */
	uint32_t	unused;
	uint8_t		attributes[ATTRIBUTE_BITS]; /* EVICT: whose columns */
} QuestionMessage;

/*
 * The values of a parameter: ParamValue with a place for its bytes in the input file.  Of a table
 * that is named the file has only the digest, unless its bytes are wanted.
 */
typedef struct WireParam
{
	uint8_t		type;			/* ValueType */
	uint8_t		isnull;
	uint8_t		named;			/* has it a digest? */
	uint8_t		unused;
	uint32_t	len;
	int64_t		word;
	uint64_t	place;			/* of len bytes; a multiple of 8 */
	Digest		digest;			/* of these, if they are named */
} WireParam;

/* A table whose columns may be kept: TableState, whose frames lie in the input file. */
typedef struct WireTable
{
	uint32_t	file[3];
	uint32_t	relation;
	uint32_t	table;
	uint32_t	nblocks;
	uint64_t	wal_end;
} WireTable;

/*
 * What the input file begins with: the Program; as many WireParams as it has parameters, from
 * the next multiple of 8 on, and the parameters' bytes; the tables, the Columns to keep, and
 * from the next multiple of 8 on all tables' frames (wire_frames.h).
 */
typedef struct OpeningParts
{
	uint64_t	size;			/* of all parts, in bytes */
	uint64_t	tables;			/* their place, a multiple of 8 */
	uint32_t	program_size;
	uint32_t	ntables;
	uint32_t	nkeep;
	uint32_t	unused;
} OpeningParts;

typedef struct OpenMessage
{
	MessageHead head;
	uint32_t	engine;			/* EngineId */
	int32_t		process_id;
	uint32_t	queue_timeout;	/* milliseconds to wait for device memory;
								 * UINT32_MAX: for ever */
	uint32_t	only_pages;		/* bool of EngineHints; not with a key */
	uint32_t	role;			/* to be shown */
	int32_t		session;		/* process ID of the session, a worker's too; 0: not told */
	uint32_t	answers;		/* bool of EngineHints */
	CallFailure fails;			/* of EngineHints in builds for tests, else zeros */
	OpeningParts opening;		/* no tables with a key */
	uint64_t	memory_limit;	/* of EngineHints, as the following */
	double		rows;
	double		groups;
	uint64_t	total_pages;	/* that will come, as far as is known; to be shown */
	RunKey		key;			/* zeros: nobody else feeds the run */
	TopHint		top;			/* of EngineHints */
	uint64_t	unread_keys;	/* of EngineHints */
	char		strategy[PROTOCOL_NAME];
	char		database[PROTOCOL_NAME];	/* to be shown */
	char		relation[PROTOCOL_NAME];
} OpenMessage;

/* A bit for each parameter, the lowest one of byte 0 first. */
#define PARAM_BITS ((PROGRAM_MAX_PARAMS + 7) / 8)

/* The bytes of the tables that are wanted, by parameters, each at the next multiple of 8. */
typedef struct TablesMessage
{
	MessageHead head;
	uint64_t	place;			/* of the first in the input file, a multiple of 8 */
} TablesMessage;

/* EngineAnswer.  PAGE_LSNS: by tables and blocks, 8 bytes each. */
typedef struct AnswerMessage
{
	MessageHead head;
	uint32_t	kind;			/* the request's */
	uint32_t	unused;
	uint64_t	n;				/* values, as many as the request's */
	uint64_t	place;			/* theirs in the input file, a multiple of 8 */
} AnswerMessage;

/* Role and database must be those of the session that has opened the run. */
typedef struct AttachMessage
{
	MessageHead head;
	RunKey		key;
	uint32_t	role;
	uint32_t	unused;
	char		database[PROTOCOL_NAME];
} AttachMessage;

/* All input of the run has been given. */
typedef struct GroupsMessage
{
	MessageHead head;
	uint32_t	feeders;		/* that had attached, and have been told ENDED */
	uint32_t	unused;
} GroupsMessage;

/* All normal line pointers count. */
#define PAGE_ALL_LINES UINT32_MAX

/* A page lies in a shared buffer, or its bytes in the input file. */
typedef struct PageEntry
{
	int32_t		buffer;			/* from 1; 0: bytes at `place` */
	uint32_t	block;
	uint32_t	table;
	uint32_t	nlines;
	uint32_t	lines;			/* the first of them among the message's lines, or
								 * PAGE_ALL_LINES */
	uint32_t	unused;
	uint64_t	place;
	uint64_t	lsn;
} PageEntry;

/* Behind it: npages PageEntries, nlines line pointers as uint16_t. */
typedef struct PagesMessage
{
	MessageHead head;
	uint32_t	npages;			/* at most ENGINE_MAX_PAGES; 0: no more pages come */
	uint32_t	nlines;
} PagesMessage;

/* A column vector's parts in the input file, at multiples of 8. */
typedef struct ColumnEntry
{
	uint64_t	values;			/* place */
	uint64_t	values_size;	/* bytes */
	uint64_t	offsets;		/* place; 0 unless it is a TEXT */
	uint64_t	validity;		/* place; 0: there are no NULLs */
} ColumnEntry;

/* Behind it: ncolumns ColumnEntries. */
typedef struct ColumnsMessage
{
	MessageHead head;
	uint32_t	nrows;
	uint32_t	ncolumns;
} ColumnsMessage;

/* A device, and what is done there. */
typedef struct DeviceRow
{
	DeviceInfo	info;
	uint64_t	memory_used;	/* by runs, bytes */
	uint64_t	cache_used;		/* by what is kept on it, bytes */
	uint64_t	host_cache_used;	/* by what is kept in its host memory, bytes */
	uint32_t	engine;			/* EngineId */
	uint32_t	number;
	uint32_t	runs;			/* that are there, or wait for its memory */
	uint32_t	used;			/* may runs use it? */
} DeviceRow;

/* Behind it: ndevices DeviceRows. */
typedef struct DevicesMessage
{
	MessageHead head;
	uint32_t	ndevices;		/* at most DEVICES_MAX */
	uint32_t	warm;			/* is the device open? */
	char		why[256];		/* there is none */
} DevicesMessage;

typedef enum RunPhase
{
	RUN_WAITING,				/* for device memory */
	RUN_OPENING,
	RUN_READING,				/* taking in rows */
	RUN_FINISHING,			/* all rows are in */
	RUN_PHASES
} RunPhase;

typedef struct ActivityRow
{
	int32_t		process_id;
	uint32_t	engine;			/* EngineId */
	uint32_t	phase;			/* RunPhase */
	uint32_t	role;			/* of the session */
	uint64_t	pages;			/* given */
	uint64_t	total_pages;	/* 0: not known */
	uint64_t	rows;
	uint64_t	memory;			/* of the device, bytes */
	uint64_t	waited_ns;		/* for device memory */
	uint64_t	devices;		/* a bit each; 0: not known yet, or none */
	char		database[PROTOCOL_NAME];
	char		relation[PROTOCOL_NAME];
} ActivityRow;

/* Behind it: nrows ActivityRows; none: these were all. */
typedef struct ActivityMessage
{
	MessageHead head;
	uint32_t	nrows;
	uint32_t	unused;
} ActivityMessage;

/* A column of a table's file that is kept for a device: KeptInfo. */
typedef struct CacheRow
{
	uint32_t	file[3];
	uint32_t	relation;
	int32_t		attno;			/* or COLUMN_PLACE */
	uint32_t	device;			/* its number */
	uint64_t	rows;
	uint64_t	bytes;
	uint64_t	host_bytes;
	uint64_t	plain_bytes;
	uint64_t	blocks;
	uint64_t	hits;
	int64_t		last_used;
} CacheRow;

/* Behind it: nrows CacheRows; none: these were all. */
typedef struct CacheMessage
{
	MessageHead head;
	uint32_t	nrows;
	uint32_t	unused;
} CacheMessage;

typedef struct EvictedMessage
{
	MessageHead head;
	uint64_t	bytes;
} EvictedMessage;

/* Tables, at least one, whose bytes are wanted. */
typedef struct WantedMessage
{
	MessageHead head;
	uint8_t		params[PARAM_BITS];
} WantedMessage;

typedef struct QueuedMessage
{
	MessageHead head;
	uint32_t	position;		/* runs before this one */
	uint32_t	unused;
} QueuedMessage;

/* Which blocks of a table, or of all tables, the engine serves. */
typedef enum ServedKind
{
	SERVED_NONE,
	SERVED_ALL,
	SERVED_SOME,
	SERVED_KINDS
} ServedKind;

/*
 * EngineRequest, with a sealed file.  PAGE_LSNS: of the blocks, as of those that are served
 * (served_blocks.h), at least one.
 */
typedef struct RequestMessage
{
	MessageHead head;
	uint32_t	kind;			/* EngineRequestKind, but NONE */
	uint32_t	unused;
	uint64_t	size;			/* of the file */
} RequestMessage;

/* With a sealed file: see served_blocks.h. */
typedef struct ServedMessage
{
	MessageHead head;
	uint64_t	size;			/* of the file */
} ServedMessage;

typedef struct StartedMessage
{
	MessageHead head;
	uint32_t	buffers_in_place;	/* may pages come as numbers of buffers? */
	uint32_t	served;			/* ServedKind of all tables; SOME: SERVED came before */
} StartedMessage;

/* Totals of the run. */
typedef struct ReleasedMessage
{
	MessageHead head;
	uint64_t	pages;			/* of those given, in order, not read any more */
	uint64_t	batches;		/* of columns, taken */
} ReleasedMessage;

/* Rows of one message. */
#define LEFT_MAX 4096

typedef struct WireLeftRow
{
	uint32_t	table;
	uint32_t	block;
	uint32_t	line;
} WireLeftRow;

/* Behind it: nrows WireLeftRows. */
typedef struct LeftMessage
{
	MessageHead head;
	uint32_t	nrows;			/* at most LEFT_MAX */
	uint32_t	unused;
} LeftMessage;

/* All pages have been read, and all rows that are left out told. */
typedef struct PagesEndedMessage
{
	MessageHead head;
	uint32_t	all_input;		/* no columns come: the groups do, unasked */
	uint32_t	unused;
} PagesEndedMessage;

/* With a file of groups, as RESULT: see groups_file.h. */
typedef struct PartMessage
{
	MessageHead head;
	uint64_t	size;			/* of the file */
	EngineStats stats;			/* so far */
} PartMessage;

typedef struct ResultMessage
{
	MessageHead head;
	uint64_t	size;			/* of the file */
	EngineStats stats;
} ResultMessage;

typedef struct FailedMessage
{
	MessageHead head;
	uint32_t	status;			/* EngineStatus, neither OK nor BUSY */
	uint32_t	unused;
	char		message[256];
	EngineStats stats;
} FailedMessage;

/* Room for any message; aligned for all of them. */
typedef union Message
{
	MessageHead head;
	QuestionMessage question;
	OpenMessage open;
	TablesMessage tables;
	AnswerMessage answer;
	AttachMessage attach;
	GroupsMessage groups;
	PagesMessage pages;
	ColumnsMessage columns;
	DevicesMessage devices;
	ActivityMessage activity;
	CacheMessage cache;
	EvictedMessage evicted;
	WantedMessage wanted;
	QueuedMessage queued;
	RequestMessage request;
	ServedMessage served;
	StartedMessage started;
	ReleasedMessage released;
	LeftMessage left;
	PagesEndedMessage pages_ended;
	PartMessage part;
	ResultMessage result;
	FailedMessage failed;
	uint64_t	room[PROTOCOL_MAX_MESSAGE / sizeof(uint64_t)];
} Message;

/* What follows a message's struct. */
static inline PageEntry *
message_pages(Message *message)
{
	return (PageEntry *) (&message->pages + 1);
}

static inline uint16_t *
message_lines(Message *message)
{
	return (uint16_t *) (message_pages(message) + message->pages.npages);
}

static inline ColumnEntry *
message_columns(Message *message)
{
	return (ColumnEntry *) (&message->columns + 1);
}

static inline DeviceRow *
message_devices(Message *message)
{
	return (DeviceRow *) (&message->devices + 1);
}

static inline ActivityRow *
message_activity(Message *message)
{
	return (ActivityRow *) (&message->activity + 1);
}

static inline CacheRow *
message_cache(Message *message)
{
	return (CacheRow *) (&message->cache + 1);
}

static inline WireLeftRow *
message_left(Message *message)
{
	return (WireLeftRow *) (&message->left + 1);
}

/*
 * A number of this build: that of another one whose messages, Programs or
 * operations differ is another.
 */
extern uint32_t protocol_build(void);

/* Clear a message's struct, and fill in its head. */
extern void message_begin(Message *message, MessageType type);

/* The message's size by its type and counts; message_end writes it. */
extern size_t message_size(const Message *message);
extern void message_end(Message *message);

/*
 * Is it a whole message that this side may get, `answer`: a session, with all its
 * members in their range?  size: of the packet; nfds: descriptors that came with
 * it.  If not, why.
 */
extern bool message_check(const Message *message, size_t size, int nfds, bool answer,
						  char *why, size_t len);

/* Copy a name into a message, cut to its room. */
extern void message_name(char name[PROTOCOL_NAME], const char *text);

#endif							/* GPUAGG_PROTOCOL_H */
