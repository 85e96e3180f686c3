/*
 * engine.h
 *	  The interface between PostgreSQL's side of gpuagg and an engine.
 *
 * An engine aggregates the rows of one query: it is opened for a Program, is
 * fed heap pages, where the Program's source says so, and column batches, and
 * gives the groups back by batches.  It knows nothing of PostgreSQL: no palloc, no
 * ereport, no longjmp; plain C99 without postgres.h.  Its memory comes from
 * malloc or a device, is bounded by EngineHints.memory_limit, and is given back
 * by close, which the caller calls on every path out.
 *
 * One run is used by one thread.  The order of its calls is told at each table of calls,
 * EngineOps and those that it names.
 *
 * A status other than OK and BUSY ends the run: only close may follow.
 */
#ifndef GPUAGG_ENGINE_H
#define GPUAGG_ENGINE_H

#include "engine/call_order.h"
#include "engine/engines.h"
#include "engine/table_state.h"
#include "program/program.h"
#include "program/top_order.h"

typedef enum EngineStatus
{
	ENGINE_OK,
	ENGINE_BUSY,				/* not ready: look for interrupts, and call again
								 * with the same arguments */
	ENGINE_INEXACT,				/* a row's expression would raise an error, or a
								 * value cannot be represented here */
	ENGINE_WIDEN,				/* a float sum needs more words: begin again with
								 * the Program that program_widen makes */
	ENGINE_SPECIAL,				/* a numeric is NaN or infinite: begin again with
								 * the one that program_admit_specials makes */
	ENGINE_CORRUPT,				/* a heap page contradicts itself */
	ENGINE_NO_MEMORY,			/* memory_limit, or the machine's memory */
	ENGINE_NO_STORE,			/* the caller's GroupStore has failed: a full disk */
	ENGINE_FAILED,				/* the device or its driver */
	ENGINE_LOST					/* the device cannot be used any more, or the process
								 * that has it has ended */
} EngineStatus;

/*
 * Is it a status of the device, or of the way to it?  Another process that takes part in the
 * run may know a reason that tells more.
 */
static inline bool
engine_status_is_of_device(EngineStatus status)
{
	return status == ENGINE_FAILED || status == ENGINE_LOST;
}

#define GROUPS_PIECE (UINT64_C(1) << 14)	/* bytes written at once */

/*
 * Where groups go that leave a run's table, for lack of memory or for all runs of
 * a query to merge them: records of keys and states, by partitions of the keys'
 * hash.  The engine's caller implements it.
 *
 * A call of write is given whole records in the engine's own format, a multiple of 8 bytes.
 * They come back in pieces, aligned to 8 bytes, each of what one or several calls have
 * written into the partition one after the other; those of one run in its order, for of
 * the keys 0 and -0, which are one, a group shows the first.
 * A function that returns false has failed, for the reason in message.  A run that has written
 * nothing that it needs goes on without; else it fails, with ENGINE_NO_STORE.
 */
typedef struct GroupStore
{
	uint32_t	npartitions;	/* a power of two, at most 2^16; merging needs twice
								 * as many */
	bool		grows;			/* one run's own: any partition can be written */
	bool		merged;			/* the groups are in partitions npartitions and
								 * above, each once */
	int64_t    *units;			/* shared: for each accumulator what a float sum's
								 * words count, less INT32_MIN; 0: nobody has chosen it
								 * yet.  NULL: each run has its own */
	const char *message;

	/* at most GROUPS_PIECE bytes, unless they are one record */
	bool		(*write) (struct GroupStore *store, uint32_t partition,
						  const void *records, size_t size);

	/* Begin with the first piece; the next one, until the next call.  size 0: none. */
	bool		(*rewind) (struct GroupStore *store, uint32_t partition);
	bool		(*read) (struct GroupStore *store, uint32_t partition,
						 const void **piece, size_t *size);

	/*
	 * The partition will not be read any more: what is written next may take its
	 * place.  NULL: the store does not care.
	 */
	void		(*release) (struct GroupStore *store, uint32_t partition);
} GroupStore;

/*
 * By which other processes find a run that they feed, too.  Random: nobody can guess
 * it.  Zeros: none do.
 */
typedef struct RunKey
{
	uint64_t	words[2];
} RunKey;

static inline bool
run_key_is_set(const RunKey *key)
{
	return (key->words[0] | key->words[1]) != 0;
}

/* What the planner and the settings know; all of it may be wrong. */
typedef struct EngineHints
{
	double		rows;			/* expected input rows, 0: unknown */
	double		groups;			/* expected groups, 0: unknown */
	double		pages;			/* expected heap pages, 0: unknown */
	bool		rows_differ;	/* no two rows that pass have the same keys: each is a group, and an
								 * engine need not look for it */
	uint64_t	memory_limit;	/* bytes for the run, 0: the engine's default */
	const char *strategy;		/* gpuagg.strategy: a name, or "auto" */
	int			device;			/* the number of the engine's device that the run uses */

	/*
	 * The run is one of nparts that divide the rows among them; 0: it has all.  It is given the
	 * pages of its part of the tables' stripes (stripe_part), and keeps and serves no others.
	 */
	uint32_t	nparts;
	uint32_t	part;

	/*
	 * The run is one of nkey_shares that divide groups among them by their only key, an integer: it
	 * is given all rows, and takes those whose keys are in its share.  0: it takes all.
	 */
	uint32_t	nkey_shares;
	uint32_t	key_share;

	/*
	 * By accumulator, what a float sum's words count, less INT32_MIN; 0: nobody has chosen it yet.
	 * Of all parts' runs, each of which chooses what is not chosen.  NULL: the run has its own.
	 */
	int64_t    *units;
	bool		only_pages;		/* columns come for rows that are left out only; false
								 * if others attach, whose rows nobody counts yet */

	/*
	 * Sleep for at most so many milliseconds, 0: not at all; should the run end?
	 * It then fails.  For a call that takes long without answering BUSY: it asks
	 * at least every 50 ms, and wherever it waits.  Other runs of the process may go
	 * on meanwhile.  NULL: the run should never end, and there is nobody to sleep for
	 * the engine.
	 */
	bool		(*wait) (int milliseconds);

	/*
	 * Has the caller given up pages before they were released?  Asked of pages that have
	 * been read: if not, they were what they had been given as, and columns of them can be
	 * kept.  NULL: never.
	 */
	bool		(*gave_up) (void);

	const char *relation;		/* what is read, to be shown; NULL: no one table */
	GroupStore *store;			/* for what memory_limit does not allow, and for
								 * emit_partial; NULL: none */
	uint64_t	host_limit;		/* bytes of groups in the caller's memory, where a
								 * run's own is elsewhere; beyond it, they go to the
								 * store.  0: no limit */
	bool		streams;		/* groups are wanted once, and may still fail after the
								 * first; so they need not be kept */
	RunKey		key;			/* of the run, if others may attach to it */

	/*
	 * An engine may leave out a group that does not fulfil the conditions, or if at least
	 * top.groups others that do come before it in this order.
	 */
	TopHint		top;

	/*
	 * A bit for each key that is a text, key 0's the lowest: of these the caller asks only whether
	 * they are NULL, so that all others may be given as empty.
	 */
	uint64_t	unread_keys;

	/*
	 * Tables whose columns the engine may keep for later runs, and take from earlier ones:
	 * the Program's, and those in keep, which are the Program's if the engine has EngineStripes.
	 * They stay the caller's, until close.  If there are some in keep, the run's purpose is that
	 * they are kept.
	 */
	const TableState *tables;
	int			ntables;
	const Column *keep;
	int			nkeep;

	bool		answers;		/* the caller answers what the engine asks: EngineKept.request */

#ifdef GPUAGG_TESTING
	CallFailure fails;			/* which inner call of the run is to fail */
#endif
} EngineHints;

/* Between two pieces of a long call: should the run end? */
static inline bool
engine_interrupted(const EngineHints *hints)
{
	return hints->wait != NULL && hints->wait(0);
}

#define INTERRUPTED_MESSAGE "interrupted"

/*
 * A heap page (BLCKSZ bytes, as in the buffer) and its visible tuples: line
 * pointer numbers lines[0 .. nlines - 1], from 1; with lines == NULL the first
 * nlines, all of which are normal.  The page stays readable, and its
 * visible tuples where they are, until EngineOps.released counts it, so that an
 * engine can go on to read it while the caller finds the next ones; lines only
 * until the call returns.  Other processes may add tuples and set hint bits and xmax meanwhile, and
 * after an error anything: an engine believes nothing on the page.
 */
typedef struct PageRef
{
	const char *page;
	const uint16_t *lines;
	uint32_t	nlines;
	uint32_t	block;			/* block number, for messages and toasted rows */
	uint32_t	table;			/* the caller's number of the table, likewise */
	uint64_t	lsn;			/* the page's, when its lines were looked at; 0: not known */
} PageRef;

/* A row of a page that the engine has left out: see EngineOps.toasted. */
typedef struct ToastedRow
{
	uint32_t	table;			/* of its PageRef */
	uint32_t	block;
	uint16_t	line;			/* line pointer, from 1 */
} ToastedRow;

/*
 * One column of a batch.  values: nrows values of the type's C type, or, for
 * TEXT, bytes with offsets[0 .. nrows] into them.  validity: one bit a row, the
 * lowest bit of byte 0 first, 1 is a value, 0 is NULL; no validity: no NULLs.
 * What stands in a NULL row's value is arbitrary (a TEXT's offsets are in order
 * all the same).  Arrays belong to whoever made the batch.
 */
typedef struct ColumnVector
{
	const void *values;
	const uint32_t *offsets;
	const uint8_t *validity;
} ColumnVector;

typedef struct ColumnBatch
{
	uint32_t	nrows;
	const ColumnVector *columns;	/* the Program's columns, in order */
} ColumnBatch;

/*
 * Groups.  keys: the Program's keys, in order, nrows = ngroups.  states:
 * Program.nwords words a group, row after row (state.h).  units: for each
 * accumulator that is a float sum, what its words count.  All of it belongs to
 * the run and is valid until the next call.
 */
typedef struct GroupBatch
{
	uint32_t	ngroups;		/* 0: all groups have been given */
	const ColumnVector *keys;
	const uint64_t *states;
	const int32_t *units;
} GroupBatch;

/* What is read of a list of values that has stayed in the store: see EngineLists. */
typedef struct StoredList
{
	uint32_t	group;			/* of the last batch of groups */
	uint32_t	word;			/* of the group's state, the list's first one */
	bool		begun;			/* false: the first values are wanted; the engine sets it */
	const uint64_t *values;		/* the next ones, the run's until its next call */
	uint64_t	n;				/* how many; 0: there are no more */
} StoredList;

/* What an engine asks its caller, who has PostgreSQL. */
typedef enum EngineRequestKind
{
	REQUEST_NONE,				/* nothing */
	REQUEST_PAGE_LSNS,			/* which LSNs pages of EngineHints.tables have now */
	REQUEST_KINDS
} EngineRequestKind;

typedef struct EngineRequest
{
	EngineRequestKind kind;
	uint64_t	n;				/* values of the answer; 0 for REQUEST_NONE */

	/*
	 * PAGE_LSNS: the blocks of hints.tables[i], bits as of EngineKept.served; NULL: none of
	 * them.  They belong to the run, until the answer.
	 */
	const uint8_t *const *blocks;
} EngineRequest;

typedef struct EngineAnswer
{
	EngineRequestKind kind;		/* the request's */
	uint64_t	n;				/* likewise */
	const uint64_t *lsns;		/* PAGE_LSNS: in the order of tables and blocks; the caller's */
} EngineAnswer;

/* What happened, for EXPLAIN ANALYZE.  Times in nanoseconds. */
typedef struct EngineStats
{
	char		strategy[32];	/* how rows met their groups */
	uint64_t	rows;			/* read */
	uint64_t	rows_passed;	/* after the filter */
	uint64_t	rows_refused;	/* of the others, those whose tuples a device has not
								 * read, but for what refuses them */
	uint64_t	groups;			/* also those left out: */
	uint64_t	groups_left_out;	/* by their order: see EngineHints.top; */
	uint64_t	groups_removed; /* by its conditions */
	uint64_t	devices;		/* that the rows were divided among; 0: they were not */
	uint64_t	groups_merged;	/* of these devices, merged by the host */
	uint64_t	batches;		/* in which groups came out of a store, 1: they were
								 * not in one */
	uint64_t	bytes;			/* of pages and batches taken in */
	uint64_t	pages_in_place; /* pages that a device read where they were */
	uint64_t	pages_copied;	/* pages that were copied for it first */
	uint64_t	blocks_resident;	/* whose rows the engine had kept */
	uint64_t	blocks_streamed;	/* of these, with columns in host memory, of which so */
	uint64_t	bytes_streamed; /* many bytes were copied to a device */
	uint64_t	blocks_masked;	/* of what it had kept, changed since */
	uint64_t	blocks_skipped;	/* kept ones of which no row can pass the filter */
	uint64_t	blocks_kept;	/* for later runs */
	uint64_t	blocks_evicted; /* kept ones that gave way to these, or to the run */
	uint64_t	lookups_resident;	/* tables of look-ups that the engine had kept */
	uint64_t	lookup_bytes;	/* of others, copied to a device */
	uint64_t	values_ordered; /* of percentiles and the like */
	uint64_t	memory;			/* the most held at once, in bytes, */
	uint64_t	host_memory;	/* and of a device's groups in the session */
	uint64_t	queue_ns;		/* waiting for other runs to end */
	uint64_t	compile_ns;		/* waiting for kernels, and loading them */
	uint64_t	input_ns;		/* pages and batches into columns, and a filter
								 * that is evaluated meanwhile */
	uint64_t	aggregate_ns;	/* expressions and grouping */
	uint64_t	output_ns;		/* groups out */
	bool		compile_cached; /* kernels came from a cache */
} EngineStats;

/* The head of every run; engines put their own struct around it. */
typedef struct EngineRun
{
	const struct EngineOps *ops;
	EngineStats stats;
	bool		settled;		/* no later call of groups fails: see settle */
	char		message[256];	/* why the last status was neither OK nor BUSY;
								 * for the log, lower case, no full stop */
#ifdef GPUAGG_TESTING
	CallOrder	order;
#endif
} EngineRun;

/*
 * What a run costs, for the planner: time in units of 4 microseconds, in which
 * PostgreSQL's own aggregation of a table in memory takes about as many as its
 * planner says (plan/path/cost.c).
 */
typedef struct EngineCosts
{
	double		setup;			/* one run */
	double		cold;			/* a process's first run, beyond that */
	double		page;			/* one heap page */
	double		tuple;			/* one row into columns, and to its group */
	double		operator;		/* one operation or accumulator on one row */
	double		group;			/* one group, its table's growth included */
	double		column_group;	/* one group of rows that differ, for a caller that makes no tuple
								 * of it, but takes columns of many */
	double		value;			/* one value of a list that is ordered */
} EngineCosts;

/* What an engine is; the same for as long as a process lives. */
typedef struct EngineTraits
{
	EngineId	id;				/* an engine's client has its engine's */
	const EngineCosts *costs;
	int			pages_at_once;	/* how many it had best get by one call of pages */

	/*
	 * Are its runs' groups, and what else they hold, in a device or in the device process, and
	 * not in the memory of the process that calls?  That process then holds groups only while
	 * it gives them.
	 */
	bool		on_device;
} EngineTraits;

/*
 * What an engine does once a process, and what it knows of its device.  Any member may be NULL.
 * No call depends on another, but for init, which is the first.
 */
typedef struct EngineProcess
{
	/*
	 * When the module is loaded, which the postmaster may do: the absolute path of the
	 * directory that the engine may keep files in.  NULL: nothing to do.
	 */
	void		(*init) (const char *directory);

	/*
	 * Is the engine there at all?  If not, say what is missing.  May be slow
	 * the first time (it may look for a device), and remembers the answer.  NULL: it is.
	 */
	bool		(*available) (char *reason, size_t len);

	/*
	 * Has the process done what an engine does once only, such as opening a
	 * device?  NULL: there is no such thing.
	 */
	bool		(*warm) (void);

	/*
	 * Has a device failed, or could it not be opened, so that only another process
	 * can try again?  Its number, or -1.  NULL: there is no such thing.
	 */
	int			(*lost) (void);

	/*
	 * An estimate of the bytes of device memory that a run begins with, and of a
	 * table for the expected groups.  A pure function.  NULL: the engine has no
	 * device.
	 */
	uint64_t	(*memory_needed) (const Program *program, const EngineHints *hints);

	/*
	 * After a call that answered BUSY: a descriptor that can be read once there is news of
	 * the run; -1, or NULL: there is none.
	 */
	int			(*descriptor) (EngineRun *run);
} EngineProcess;

/*
 * Several runs of a query, each with rows of its own, and with one store for all
 * (EngineHints.store).  These calls take the place of groups.
 *
 *	state	  call							  state
 *	taking	  pages, toasted, columns		  taking
 *			  emit_partial					  emitted
 *	emitted	  combine						  emitted
 *
 * After emit_partial there is no more input, and there are no groups: a run with the merged
 * store, opened for no input, gives them.
 */
typedef struct EnginePartial
{
	/* All input has been given: write the groups to the store. */
	EngineStatus (*emit_partial) (EngineRun *run);

	/*
	 * After all runs have done so: merge a partition's groups, and write each once to
	 * partition npartitions + partition.  Any run may combine any partition, each once.  If
	 * there are float sums, all runs together may take no more rows than one.
	 */
	EngineStatus (*combine) (EngineRun *run, uint32_t partition);
} EnginePartial;

/*
 * One run outside of its callers' processes that several of them feed.
 *
 *	state	  call							  state
 *	opened	  begun, pages, toasted, columns  opened
 *			  expect						  complete
 *			  groups						  giving
 *	complete  groups						  giving
 *	giving	  groups, rewind				  giving
 *	attached  begun, pages, toasted, columns  attached
 *			  fed							  fed
 *	fed		  nothing but close
 *
 * open leads to opened, attach to attached.
 */
typedef struct EngineShared
{
	/* OK: the run has begun, and others may attach to it. */
	EngineStatus (*begun) (EngineRun *run);

	/*
	 * Feed the run that another process has opened with hints.key, and that has begun; the
	 * Program is the same.  As open, on failure *run is NULL and message (256 bytes) says why.
	 */
	EngineStatus (*attach) (const Program *program, const EngineHints *hints,
							EngineRun **run, char *message);

	/*
	 * All rows of this process have been given; OK once all are taken.  Toasted rows may be
	 * told to any of the processes that gave pages.  A process that closes its part before
	 * has failed, and so has the run.
	 */
	EngineStatus (*fed) (EngineRun *run);

	/*
	 * So many others have fed the run, and are done.  Without the rows of exactly so many it
	 * has failed, as groups then says.
	 */
	void		(*expect) (EngineRun *run, uint32_t feeders);
} EngineShared;

/*
 * Columns of tables that stay where the engine has them for later runs, which then need not
 * be given these tables' blocks (EngineHints.tables).
 *
 *	state	  call							  state
 *	opened	  request						  asked
 *			  served						  served
 *			  begin							  begun
 *			  pages, columns				  reading
 *	asked	  answer						  opened
 *			  request, served, begin, pages, columns, as in opened
 *	served	  served, begin, pages, columns, as in opened
 *	begun	  pages, columns				  reading
 *	reading	  pages, continues, columns		  reading
 *
 * From all of these, groups leads to giving, where none of this table's calls may come.
 */
typedef struct EngineKept
{
	/*
	 * What must the engine know before it can tell what it serves?  If hints.answers and there
	 * are hints.tables, the caller asks this and answers, until it is REQUEST_NONE; other runs
	 * may go on, and what is kept may change, meanwhile.  An engine whose caller does not
	 * answer does without.  BUSY: it is not known yet.  NULL, both: the engine asks nothing.
	 */
	EngineStatus (*request) (EngineRun *run, EngineRequest *request);
	EngineStatus (*answer) (EngineRun *run, const EngineAnswer *answer);

	/*
	 * Then, and once begun, if the engine has that, answers OK: blocks of
	 * hints.tables[i] that must not be given, since the engine has their rows; one bit a
	 * block, the lowest bit of byte 0 first, and no bits behind the table's blocks;
	 * NULL: none.  Belongs to the run.
	 */
	const uint8_t *(*served) (EngineRun *run, int i);

	/*
	 * Begin with the rows that the engine has, before any are given; what cannot be done at
	 * once is left to later calls.  Never BUSY.  NULL: it does so by itself.
	 */
	EngineStatus (*begin) (EngineRun *run);

	/*
	 * Once this page has been taken: does the engine make more of those that follow in the
	 * table if no other process's come in between?  Never BUSY.  NULL: it does not.
	 */
	bool		(*continues) (EngineRun *run, const PageRef *page);
} EngineKept;

/* A stripe (stripe.h) of EngineHints.tables[table] that is a run's. */
typedef struct StripeTurn
{
	int			table;
	uint32_t	stripe;

	/* the LSNs of its pages, by block; of blocks that were not asked for 0.  NULL: none was */
	const uint64_t *lsns;

	/* What take answers, until the next call: */
	const uint8_t *served;		/* as EngineKept.served, of the stripe's blocks; NULL: none */
	uint64_t	rows;			/* of these blocks */
} StripeTurn;

/*
 * Columns of tables that runs of all of a server's processes share (EngineHints.tables).  Which
 * run has which stripes is the caller's matter; each run of several has some.
 *
 *	state	  call							  state
 *	opened	  asks							  asked
 *			  take, pages, columns			  opened
 *	asked	  take							  opened
 *
 * Of a stripe that is taken, the pages of blocks that are not served are given before the next one
 * is, in their order.  groups leads to giving, where none of this table's calls may come.
 */
typedef struct EngineStripes
{
	/*
	 * Of which of the stripe's blocks must the LSN be known before it is taken?  Bits as of
	 * EngineKept.served, until the next call; NULL: of none.
	 */
	const uint8_t *(*asks) (EngineRun *run, const StripeTurn *turn);

	/* Take in the rows that the engine has.  Never BUSY. */
	EngineStatus (*take) (EngineRun *run, StripeTurn *turn);
} EngineStripes;

/*
 * Tables of look-ups that an engine keeps for later runs: such as have a digest (ParamValue),
 * which must tell who may use them, too.  No call depends on a run.
 */
typedef struct EngineLookups
{
	/*
	 * A table of that digest and length that the device keeps, and was checked for these readers
	 * (lookup_reader).  It stays until it is let go, after the run that has it in its
	 * parameters is closed.  NULL: there is none.
	 */
	const TableCopy *(*take) (int device, const Digest *digest, uint32_t len, uint32_t readers);
	void		(*leave) (int device, const TableCopy *lookup);
} EngineLookups;

/*
 * Groups that are given while others are elsewhere (EngineHints.streams).
 *
 *	state	  call							  state
 *	taking	  groups						  giving
 *	giving	  groups, rewind, settle		  giving
 */
typedef struct EngineStream
{
	/*
	 * Take all groups that are left, so that no later call of groups fails, but by a store,
	 * and what the run holds elsewhere is free.  Where the store has no room for them, the
	 * run streams on, and is not settled (EngineRun.settled).
	 */
	EngineStatus (*settle) (EngineRun *run);
} EngineStream;

/*
 * Lists of values that leave with their groups (program_gives_values).  One that needs more memory
 * than is allowed stays in the store: the state of its group has no address, and says how many
 * values there are.
 *
 *	state	  call							  state
 *	taking	  rewind						  taking
 *			  groups						  giving
 *	giving	  groups, list					  giving
 *			  rewind						  taking
 */
typedef struct EngineLists
{
	/*
	 * The next values of a list of the last batch's, which the caller names; in no order.  One list
	 * is read at a time, also again.  It can fail as groups can that are in a store.
	 */
	EngineStatus (*list) (EngineRun *run, StoredList *list);
} EngineLists;

/*
 * Runs of one Program that divide the rows among them, in one process (EngineHints.nparts), whose
 * groups go to one of them.
 *
 *	state	  call							  state
 *	taking	  pages, toasted, columns		  taking
 *			  finish						  finished
 *			  groups						  giving
 *	finished  finish, merge, complete		  finished
 *			  groups						  giving
 *	giving	  groups						  giving
 */
typedef struct EngineParts
{
	/* All input has been given; OK once the run's groups have it. */
	EngineStatus (*finish) (EngineRun *run);

	/*
	 * Take another's groups into the run's, which both are finished.  *merged: it has been done,
	 * and the other can only be closed; else, with OK, it cannot be, and both have the groups that
	 * they had.  Never BUSY.
	 */
	EngineStatus (*merge) (EngineRun *run, EngineRun *other, bool *merged);

	/* The run has all parts' groups: of these hints top and streams are its own from now on. */
	void		(*complete) (EngineRun *run, const EngineHints *hints);
} EngineParts;

/*
 * What every engine has, and the tables of what only some have.
 *
 *	state	  call							  state
 *	(none)	  open							  taking
 *	taking	  pages, toasted, columns		  taking
 *			  groups						  giving
 *	giving	  groups, rewind				  giving
 *
 * In every state there may be close, released, and calls of another table, as far as that
 * knows them.  A call must be in order by each table that names it.  Builds for tests check
 * that (call_order.h); whoever makes a call of a run says so by call_is_due before.
 */
typedef struct EngineOps
{
	const EngineTraits *traits;

	/* Can it run this Program?  A pure function; says why not. */
	bool		(*supports) (const Program *program, char *reason, size_t len);

	/*
	 * Begin a run.  The Program is copied; params (Program.nparams values) and
	 * their bytes must stay until close.  On failure *run is NULL and message
	 * (256 bytes) says why.
	 */
	EngineStatus (*open) (const Program *program, const ParamValue *params,
						  const EngineHints *hints, EngineRun **run,
						  char *message);

	/*
	 * Take in rows.  n is at most ENGINE_MAX_PAGES; 0, the last call of a process, only
	 * waits until all pages are released.  BUSY: call again with the same
	 * arguments; what has been taken is remembered.
	 */
	EngineStatus (*pages) (EngineRun *run, const PageRef *pages, int n);

	/*
	 * Of the pages given so far, in the order in which they were given, how many
	 * the engine will not read any more.  It grows without further calls of pages,
	 * and never shrinks.  A run that has failed has released all, and says so by the
	 * status of its next call.
	 */
	uint64_t	(*released) (EngineRun *run);

	/*
	 * An engine leaves out rows of pages whose needed values are compressed or
	 * stored out of line, if program_leaves_rows, and the caller sends them as
	 * column batches.  Up to max of those that are known and have not been told
	 * yet; returns their number.  Pages may be gone by then.  After pages with n
	 * = 0 has returned OK, all are known.
	 */
	int			(*toasted) (EngineRun *run, ToastedRow *rows, int max);

	/* Take in a batch of rows.  BUSY: call again with the same batch. */
	EngineStatus (*columns) (EngineRun *run, const ColumnBatch *batch);

	/*
	 * The next groups, in no order; the first call says that all input has
	 * been given.  Without keys there is exactly one group, even for no rows.
	 * Once a call has answered OK, no later one fails, unless EngineHints.streams: rows
	 * have left by then, and it is too late for PostgreSQL's own plan.  Only groups that
	 * are in a store can fail later, with it or for lack of the machine's memory, or be
	 * interrupted.
	 */
	EngineStatus (*groups) (EngineRun *run, GroupBatch *batch);

	/*
	 * Let groups begin with the first group again, once it has answered OK.
	 * Cannot fail, and neither can the calls of groups that follow, but by a store.
	 */
	void		(*rewind) (EngineRun *run);

	/* End the run wherever it is and free all of it.  Cannot fail. */
	void		(*close) (EngineRun *run);

	/* What the engine has beyond that; NULL: it does not have it. */
	const EngineProcess *process;
	const EnginePartial *partial;
	const EngineShared *shared;
	const EngineKept *kept;
	const EngineStripes *stripes;
	const EngineLookups *lookups;
	const EngineStream *stream;
	const EngineLists *lists;
	const EngineParts *parts;
} EngineOps;

/* Is the engine there?  If not, say what is missing. */
static inline bool
engine_is_available(const EngineOps *ops, char *reason, size_t len)
{
	return ops->process == NULL || ops->process->available == NULL ||
		ops->process->available(reason, len);
}

/* Has the process done what the engine does once only? */
static inline bool
engine_is_warm(const EngineOps *ops)
{
	return ops->process == NULL || ops->process->warm == NULL || ops->process->warm();
}

/* The device memory that a run begins with, in bytes; 0: the engine has no device. */
static inline uint64_t
engine_memory_needed(const EngineOps *ops, const Program *program, const EngineHints *hints)
{
	return ops->process == NULL || ops->process->memory_needed == NULL ? 0 :
		ops->process->memory_needed(program, hints);
}

/* After BUSY: what can be read once there is news of the run; -1: nothing. */
static inline int
engine_descriptor(EngineRun *run)
{
	const EngineProcess *process = run->ops->process;

	return process == NULL || process->descriptor == NULL ? -1 : process->descriptor(run);
}

#define ENGINE_MAX_PAGES 512

extern const EngineOps cpu_engine;
extern const EngineCosts cpu_costs;

#endif							/* GPUAGG_ENGINE_H */
