/*
 * several_devices.c
 *	  A run on several devices at once: each has a part of the rows, and their groups are merged.
 *
 * A part is a run of the engine on one device.  Pages are dealt by stripes (stripe_part), so that
 * each device keeps the columns of its own stripes and serves them; batches are dealt in turn.
 * Who gives pages is told of those that are released in the order in which they were given, though
 * parts release them in their own.  A part that is busy makes the whole busy: it has work by then,
 * and so have others, since neighbouring stripes are of different parts.
 *
 * At the end one part takes the groups of the others (EngineParts), and its groups are the run's.
 * Where it cannot take some, each part that is left gives its groups, through the host's memory, to
 * the function that merges groups (regroup.h), whose groups are the run's then.  States merge
 * exactly, and float sums of all parts count one unit (EngineHints.units).  What a part may leave
 * out of its groups it does not know, unless it has all of them, so none leaves any out before
 * (EngineHints.top).
 *
 * Owns the parts' runs, and the groups.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/regroup.h"
#include "engine/several_devices.h"
#include "engine/stripe.h"
#include "program/exact.h"

/* Keys that a KeySet has bits for. */
#define MOST_KEYS 64

/* Pages that one part was given behind one another. */
typedef struct Span
{
	int			part;
	uint32_t	pages;
} Span;

typedef struct Part
{
	EngineRun  *run;
	bool		all_groups;		/* it has given them, or another part has them */
	bool		asks;			/* it has asked, and has no answer yet: */
	EngineRequest request;
	uint64_t	released;		/* of its pages, those that the run has counted */
} Part;

typedef struct SeveralRun
{
	EngineRun	head;			/* first: callers have a pointer to it */
	EngineOps	ops;			/* the run's own, which goes with it */
	const Program *program;		/* a copy */
	EngineHints hints;
	int64_t    *units;			/* EngineHints.units of all parts */
	int32_t    *group_units;	/* the same, as groups have them */
	int			nparts;
	Part		parts[DEVICES_MAX];
	Span	   *spans;			/* of pages that have been given, in their order */
	size_t		first_span;		/* that is not released as a whole */
	size_t		nspans;
	size_t		room;			/* for so many */
	uint64_t	released;		/* pages, in the order of the spans */
	uint32_t	taken;			/* of the pages of a call that was busy */
	int			turn;			/* the part that takes the next batch */
	uint8_t   **blocks;			/* by table: bits of what is served, or asked */
	Part	   *whole;			/* the part that has all groups; NULL: none does */
	bool		left;			/* parts have been merged as far as they can be */
	Regroup    *groups;
	bool		merged;			/* all groups are in that */
	uint64_t	given;			/* groups since the first one */
} SeveralRun;

bool
several_devices_possible(const Program *program)
{
	return program->nkeys <= MOST_KEYS && !program_has_float_key(program) &&
		!program_has_values(program) && program_first_rows(program) == NULL;
}

static EngineStatus
fail(SeveralRun *run, EngineStatus status, const char *message)
{
	snprintf(run->head.message, sizeof(run->head.message), "%s", message);
	return status;
}

/* A part's status is the run's. */
static EngineStatus
of_part(SeveralRun *run, const Part *part, EngineStatus status)
{
	return status == ENGINE_OK || status == ENGINE_BUSY ? status :
		fail(run, status, part->run->message);
}

/* Counters of parts add up; what is done at the same time takes as long as the longest. */
static void
add_stats(EngineStats *sum, const EngineStats *part)
{
#define ADD(member) sum->member += part->member
#define MOST(member) sum->member = part->member > sum->member ? part->member : sum->member
	ADD(rows);
	ADD(rows_passed);
	ADD(rows_refused);
	ADD(bytes);
	ADD(pages_in_place);
	ADD(pages_copied);
	ADD(blocks_resident);
	ADD(blocks_streamed);
	ADD(bytes_streamed);
	ADD(blocks_masked);
	ADD(blocks_skipped);
	ADD(blocks_kept);
	ADD(blocks_evicted);
	ADD(lookups_resident);
	ADD(lookup_bytes);
	ADD(memory);
	MOST(compile_ns);
	MOST(input_ns);
	MOST(aggregate_ns);
	MOST(output_ns);
#undef ADD
#undef MOST
	sum->compile_cached &= part->compile_cached;
	if (sum->strategy[0] == '\0')
		memcpy(sum->strategy, part->strategy, sizeof(sum->strategy));
}

static void
set_stats(SeveralRun *run)
{
	const EngineStats *own = &run->head.stats;
	EngineStats stats = {.compile_cached = true,.groups = own->groups,
		.groups_left_out = own->groups_left_out,.groups_removed = own->groups_removed,
		.devices = (uint64_t) run->nparts,.groups_merged = own->groups_merged,
	.batches = own->batches};

	for (int i = 0; i < run->nparts; i++)
		add_stats(&stats, &run->parts[i].run->stats);
	run->head.stats = stats;
}

/* Which part has a page. */
static int
part_of_page(const SeveralRun *run, const PageRef *page)
{
	uint32_t	file = page->table;

	for (int i = 0; i < run->hints.ntables; i++)
		if (run->hints.tables[i].table == page->table)
			file = run->hints.tables[i].file[2];
	return (int) stripe_part(file, stripe_of_block(page->block), (uint32_t) run->nparts);
}

/* Note pages that a part has been given; false: no memory. */
static bool
note_span(SeveralRun *run, int part, uint32_t pages)
{
	Span	   *last = run->nspans > run->first_span ? &run->spans[run->nspans - 1] : NULL;

	if (last != NULL && last->part == part && last->pages <= UINT32_MAX - pages)
	{
		last->pages += pages;
		return true;
	}
	if (run->first_span > run->nspans / 2)
	{
		memmove(run->spans, run->spans + run->first_span,
				(run->nspans - run->first_span) * sizeof(Span));
		run->nspans -= run->first_span;
		run->first_span = 0;
	}
	if (run->nspans == run->room)
	{
		size_t		room = 2 * run->room + 64;
		Span	   *spans = realloc(run->spans, room * sizeof(Span));

		if (spans == NULL)
			return false;
		run->spans = spans;
		run->room = room;
	}
	run->spans[run->nspans++] = (Span) {part, pages};
	return true;
}

/* Call it for all parts, which have work at the same time; BUSY if one is. */
static EngineStatus
of_all_parts(SeveralRun *run, EngineStatus (*call) (SeveralRun *run, Part *part))
{
	EngineStatus result = ENGINE_OK;

	for (int i = 0; i < run->nparts; i++)
	{
		EngineStatus status = call(run, &run->parts[i]);

		if (status == ENGINE_BUSY)
			result = ENGINE_BUSY;
		else if (status != ENGINE_OK)
			return status;
	}
	return result;
}

/* There are no more pages: until the part knows what it has left out. */
static EngineStatus
end_pages(SeveralRun *run, Part *part)
{
	call_is_due(part->run, CALL_PAGES);
	return of_part(run, part, part->run->ops->pages(part->run, NULL, 0));
}

static EngineStatus
several_pages(EngineRun *head, const PageRef *pages, int n)
{
	SeveralRun *run = (SeveralRun *) head;
	EngineStatus status = n == 0 ? of_all_parts(run, end_pages) : ENGINE_OK;

	while (status == ENGINE_OK && run->taken < (uint32_t) n)
	{
		const PageRef *next = pages + run->taken;
		int			i = part_of_page(run, next);
		Part	   *part = &run->parts[i];
		uint32_t	same = 1;

		while (run->taken + same < (uint32_t) n && part_of_page(run, next + same) == i)
			same++;
		call_is_due(part->run, CALL_PAGES);
		status = of_part(run, part, part->run->ops->pages(part->run, next, (int) same));
		if (status == ENGINE_OK && !note_span(run, i, same))
			status = fail(run, ENGINE_NO_MEMORY, "out of memory");
		if (status == ENGINE_OK)
			run->taken += same;
	}
	if (status == ENGINE_OK)
		run->taken = 0;
	set_stats(run);
	return status;
}

/*
 * Pages that a part has been given by a call that is still busy, and released, count once the call
 * is done.
 */
static uint64_t
several_released(EngineRun *head)
{
	SeveralRun *run = (SeveralRun *) head;

	while (run->first_span < run->nspans)
	{
		Span	   *span = &run->spans[run->first_span];
		Part	   *part = &run->parts[span->part];
		uint64_t	released = part->run->ops->released(part->run) - part->released;
		uint32_t	n = released < span->pages ? (uint32_t) released : span->pages;

		part->released += n;
		run->released += n;
		span->pages -= n;
		if (span->pages > 0)
			break;
		run->first_span++;
	}
	return run->released;
}

static int
several_toasted(EngineRun *head, ToastedRow *rows, int max)
{
	SeveralRun *run = (SeveralRun *) head;
	int			n = 0;

	for (int i = 0; i < run->nparts && n < max; i++)
	{
		EngineRun  *part = run->parts[i].run;

		call_is_due(part, CALL_TOASTED);
		n += part->ops->toasted(part, rows + n, max - n);
	}
	return n;
}

static EngineStatus
several_columns(EngineRun *head, const ColumnBatch *batch)
{
	SeveralRun *run = (SeveralRun *) head;
	Part	   *part = &run->parts[run->turn];
	EngineStatus status;

	call_is_due(part->run, CALL_COLUMNS);
	status = of_part(run, part, part->run->ops->columns(part->run, batch));
	if (status == ENGINE_OK)
		run->turn = (run->turn + 1) % run->nparts;
	set_stats(run);
	return status;
}

/* The next groups of a part; BUSY also while there are more. */
static EngineStatus
take_groups(SeveralRun *run, Part *part)
{
	GroupBatch	batch;
	EngineStatus status;

	if (part->all_groups)
		return ENGINE_OK;
	call_is_due(part->run, CALL_GROUPS);
	status = of_part(run, part, part->run->ops->groups(part->run, &batch));
	if (status != ENGINE_OK)
		return status;
	part->all_groups = batch.ngroups == 0;
	if (part->all_groups)
		return ENGINE_OK;
	run->head.stats.groups_merged += batch.ngroups;
	status = regroup_add(run->groups, &batch, run->head.message);
	return status == ENGINE_OK ? ENGINE_BUSY : status;
}

/* Shall one of EngineParts' calls be taken to have failed? */
static EngineStatus
injected(SeveralRun *run, EngineCall call)
{
#ifdef GPUAGG_TESTING
	return (EngineStatus) call_injected(&run->hints.fails, call, run->head.message);
#else
	return ENGINE_OK;
#endif
}

static EngineStatus
finish(SeveralRun *run, Part *part)
{
	EngineStatus status = injected(run, CALL_FINISH);

	if (status != ENGINE_OK)
		return status;
	call_is_due(part->run, CALL_FINISH);
	return of_part(run, part, part->run->ops->parts->finish(part->run));
}

/* Let `into` have the part's groups, if it can take them. */
static EngineStatus
merge(SeveralRun *run, Part *into, Part *part)
{
	EngineStatus status = injected(run, CALL_MERGE);

	if (status != ENGINE_OK)
		return status;
	call_is_due(into->run, CALL_MERGE);
	return of_part(run, into,
				   into->run->ops->parts->merge(into->run, part->run, &part->all_groups));
}

/* The one that has most rows, hence most groups, as far as anybody knows. */
static Part *
largest_part(SeveralRun *run)
{
	Part	   *largest = &run->parts[0];

	for (int i = 1; i < run->nparts; i++)
		if (run->parts[i].run->stats.rows_passed > largest->run->stats.rows_passed)
			largest = &run->parts[i];
	return largest;
}

/* Let the largest part have the groups of the others, as far as it can take them. */
static EngineStatus
merge_parts(SeveralRun *run)
{
	const EngineParts *parts = run->parts[0].run->ops->parts;
	EngineStatus status = parts == NULL ? ENGINE_OK : of_all_parts(run, finish);
	Part	   *into = largest_part(run);
	bool		all = parts != NULL;

	for (int i = 0; i < run->nparts && parts != NULL && status == ENGINE_OK; i++)
	{
		Part	   *part = &run->parts[i];

		if (part == into)
			continue;
		status = merge(run, into, part);
		all &= part->all_groups;
	}
	run->left = status == ENGINE_OK;
	if (!run->left || !all)
		return status;
	run->whole = into;
	call_is_due(into->run, CALL_COMPLETE);
	parts->complete(into->run, &run->hints);
	return ENGINE_OK;
}

/* All parts' groups, merged: those of a part, or in run->groups. */
static EngineStatus
merge_groups(SeveralRun *run)
{
	EngineStatus status = run->left ? ENGINE_OK : merge_parts(run);

	if (status == ENGINE_OK && run->whole == NULL)
		status = of_all_parts(run, take_groups);
	set_stats(run);
	if (status != ENGINE_OK)
		return status;
	if (program_sums_floats(run->program) && run->head.stats.rows_passed >= EXACT_MAX_ROWS)
		return fail(run, ENGINE_INEXACT, "too many rows for a float sum");
	if (run->whole != NULL)
		return ENGINE_OK;
	for (int i = 0; i < run->program->naccs; i++)
		if (run->units[i] != 0)
			run->group_units[i] = (int32_t) (run->units[i] + INT32_MIN);
	status = regroup_end(run->groups, run->head.message);
	run->merged = status == ENGINE_OK;
	return status;
}

/* The next groups of the part that has all. */
static EngineStatus
whole_groups(SeveralRun *run, GroupBatch *batch)
{
	EngineRun  *whole = run->whole->run;
	EngineStats *stats = &run->head.stats;
	EngineStatus status;

	call_is_due(whole, CALL_GROUPS);
	status = of_part(run, run->whole, whole->ops->groups(whole, batch));
	stats->groups = whole->stats.groups;
	stats->groups_left_out = whole->stats.groups_left_out;
	stats->groups_removed = whole->stats.groups_removed;
	set_stats(run);
	return status;
}

static EngineStatus
several_groups(EngineRun *head, GroupBatch *batch)
{
	SeveralRun *run = (SeveralRun *) head;
	EngineStatus status = run->merged || run->whole != NULL ? ENGINE_OK : merge_groups(run);

	if (status != ENGINE_OK)
		return status;
	if (run->whole != NULL)
		return whole_groups(run, batch);
	status = regroup_groups(run->groups, 0, batch, head->message);
	/* of a part without rows the units are its own, of sums that are 0 */
	batch->units = run->group_units;
	run->given = status == ENGINE_OK && batch->ngroups > 0 ? run->given + batch->ngroups : 0;
	if (run->given > head->stats.groups)
		head->stats.groups = run->given;
	head->stats.batches = 1;
	return status;
}

/* Behind the last group is the first one. */
static void
several_rewind(EngineRun *head)
{
	SeveralRun *run = (SeveralRun *) head;
	GroupBatch	batch = {.ngroups = 1};

	if (run->whole != NULL)
	{
		call_is_due(run->whole->run, CALL_REWIND);
		run->whole->run->ops->rewind(run->whole->run);
		return;
	}
	while (run->given > 0 && several_groups(head, &batch) == ENGINE_OK && batch.ngroups > 0)
		;
}

static void
several_close(EngineRun *head)
{
	SeveralRun *run = (SeveralRun *) head;

	for (int i = 0; i < run->nparts; i++)
	{
		EngineRun  *part = run->parts[i].run;

		if (part == NULL)
			continue;
		call_is_due(part, CALL_CLOSE);
		part->ops->close(part);
	}
	for (int i = 0; run->blocks != NULL && i < run->hints.ntables; i++)
		free(run->blocks[i]);
	free(run->blocks);
	regroup_free(run->groups);
	free(run->spans);
	free(run->units);
	free(run->group_units);
	free((Program *) run->program);
	free(run);
}

/* Bytes of a table's bits. */
static size_t
blocks_size(const SeveralRun *run, int table)
{
	return ((size_t) run->hints.tables[table].nblocks + 7) / 8;
}

/* Add those of one part. */
static void
add_blocks(const SeveralRun *run, int table, const uint8_t *bits)
{
	for (size_t i = 0; bits != NULL && i < blocks_size(run, table); i++)
		run->blocks[table][i] |= bits[i];
}

static EngineStatus
ask_parts(SeveralRun *run)
{
	for (int i = 0; i < run->nparts; i++)
	{
		Part	   *part = &run->parts[i];
		EngineStatus status;

		call_is_due(part->run, CALL_REQUEST);
		status = of_part(run, part, part->run->ops->kept->request(part->run, &part->request));
		if (status != ENGINE_OK)
			return status;
		part->asks = part->request.kind != REQUEST_NONE;
	}
	return ENGINE_OK;
}

/* What all parts ask of, which are blocks of different stripes. */
static EngineStatus
several_request(EngineRun *head, EngineRequest *request)
{
	SeveralRun *run = (SeveralRun *) head;
	EngineStatus status = ask_parts(run);

	*request = (EngineRequest) {REQUEST_NONE, 0, NULL};
	for (int i = 0; i < run->nparts && status == ENGINE_OK; i++)
		if (run->parts[i].asks)
		{
			request->kind = run->parts[i].request.kind;
			request->n += run->parts[i].request.n;
		}
	if (status != ENGINE_OK || request->kind == REQUEST_NONE)
		return status;
	for (int table = 0; table < run->hints.ntables; table++)
	{
		memset(run->blocks[table], 0, blocks_size(run, table));
		for (int i = 0; i < run->nparts; i++)
			if (run->parts[i].asks)
				add_blocks(run, table, run->parts[i].request.blocks[table]);
	}
	request->blocks = (const uint8_t *const *) run->blocks;
	return ENGINE_OK;
}

static bool
has_bit(const uint8_t *bits, uint32_t block)
{
	return bits != NULL && (bits[block / 8] >> block % 8 & 1) != 0;
}

/* Of the LSNs of all blocks that were asked for, those that a part has asked for. */
static void
find_lsns(const SeveralRun *run, const Part *part, const uint64_t *lsns, uint64_t *own)
{
	for (int table = 0; table < run->hints.ntables; table++)
		for (uint32_t block = 0; block < run->hints.tables[table].nblocks; block++)
		{
			if (!has_bit(run->blocks[table], block))
				continue;
			if (has_bit(part->request.blocks[table], block))
				*own++ = *lsns;
			lsns++;
		}
}

static EngineStatus
answer_part(SeveralRun *run, Part *part, const EngineAnswer *answer)
{
	uint64_t   *lsns = malloc(part->request.n * sizeof(uint64_t));
	EngineAnswer own = {answer->kind, part->request.n, lsns};
	EngineStatus status;

	if (lsns == NULL)
		return fail(run, ENGINE_NO_MEMORY, "out of memory");
	find_lsns(run, part, answer->lsns, lsns);
	part->asks = false;
	call_is_due(part->run, CALL_ANSWER);
	status = of_part(run, part, part->run->ops->kept->answer(part->run, &own));
	free(lsns);
	return status;
}

static EngineStatus
several_answer(EngineRun *head, const EngineAnswer *answer)
{
	SeveralRun *run = (SeveralRun *) head;
	EngineStatus status = ENGINE_OK;

	for (int i = 0; i < run->nparts && status == ENGINE_OK; i++)
		if (run->parts[i].asks)
			status = answer_part(run, &run->parts[i], answer);
	set_stats(run);
	return status;
}

/* What the parts serve, which are different stripes; NULL: nothing. */
static const uint8_t *
several_served(EngineRun *head, int table)
{
	SeveralRun *run = (SeveralRun *) head;
	bool		any = false;

	memset(run->blocks[table], 0, blocks_size(run, table));
	for (int i = 0; i < run->nparts; i++)
	{
		EngineRun  *part = run->parts[i].run;
		const uint8_t *bits;

		call_is_due(part, CALL_SERVED);
		bits = part->ops->kept->served(part, table);
		add_blocks(run, table, bits);
		any |= bits != NULL;
	}
	return any ? run->blocks[table] : NULL;
}

static EngineStatus
several_begin(EngineRun *head)
{
	SeveralRun *run = (SeveralRun *) head;
	EngineStatus status = ENGINE_OK;

	for (int i = 0; i < run->nparts && status == ENGINE_OK; i++)
	{
		Part	   *part = &run->parts[i];

		call_is_due(part->run, CALL_BEGIN);
		status = of_part(run, part, part->run->ops->kept->begin(part->run));
	}
	set_stats(run);
	return status;
}

static bool
several_continues(EngineRun *head, const PageRef *page)
{
	SeveralRun *run = (SeveralRun *) head;
	EngineRun  *part = run->parts[part_of_page(run, page)].run;

	call_is_due(part, CALL_CONTINUES);
	return part->ops->kept->continues(part, page);
}

static const EngineKept several_kept = {
	.request = several_request,
	.answer = several_answer,
	.served = several_served,
	.begin = several_begin,
	.continues = several_continues,
};

/* Bits of all tables' blocks; false: no memory. */
static bool
make_blocks(SeveralRun *run)
{
	run->blocks = calloc((size_t) run->hints.ntables + 1, sizeof(uint8_t *));
	for (int i = 0; run->blocks != NULL && i < run->hints.ntables; i++)
	{
		run->blocks[i] = malloc(blocks_size(run, i) + 1);
		if (run->blocks[i] == NULL)
			return false;
	}
	return run->blocks != NULL;
}

/* The run without its parts; several_close takes what a failure leaves. */
static SeveralRun *
make_run(const EngineOps *ops, const Program *program, const EngineHints *hints)
{
	SeveralRun *run = calloc(1, sizeof(*run));
	EngineHints own = {.wait = hints->wait};

	if (run == NULL)
		return NULL;
	run->ops = (EngineOps)
	{
		.traits = ops->traits,.supports = ops->supports,.open = ops->open,
			.pages = several_pages,.released = several_released,.toasted = several_toasted,
			.columns = several_columns,.groups = several_groups,.rewind = several_rewind,
			.close = several_close,.process = ops->process,
			.kept = ops->kept != NULL ? &several_kept : NULL
	};
	run->head.ops = &run->ops;
	run->hints = *hints;
	run->program = malloc(program->size);
	run->units = calloc((size_t) program->naccs + 1, sizeof(int64_t));
	run->group_units = calloc((size_t) program->naccs + 1, sizeof(int32_t));
	run->groups = regroup_of_runs(program, &own);
	if (run->program != NULL && run->units != NULL && run->group_units != NULL && run->groups != NULL && make_blocks(run))
	{
		memcpy((Program *) run->program, program, program->size);
		return run;
	}
	several_close(&run->head);
	return NULL;
}

/* A part on each device. */
static EngineStatus
open_parts(SeveralRun *run, const EngineOps *ops, uint64_t devices, const ParamValue *params,
		   char *message)
{
	EngineHints hints = run->hints;
	EngineStatus status = ENGINE_OK;

	hints.nparts = (uint32_t) __builtin_popcountll(devices);
	hints.rows /= hints.nparts;
	hints.pages /= hints.nparts;
	hints.units = run->units;
	hints.top = (TopHint) {0};
	hints.unread_keys = 0;
	hints.streams = true;
	for (int i = 0; i < DEVICES_MAX && status == ENGINE_OK; i++)
	{
		Part	   *part = &run->parts[run->nparts];

		if ((devices >> i & 1) == 0)
			continue;
		hints.device = i;
		hints.part = (uint32_t) run->nparts;
		status = ops->open(run->program, params, &hints, &part->run, message);
		if (status != ENGINE_OK)
			break;
		call_is_due(part->run, CALL_OPEN);
		run->nparts++;
	}
	return status;
}

EngineStatus
several_devices_open(const EngineOps *ops, uint64_t devices, const Program *program,
					 const ParamValue *params, const EngineHints *hints, EngineRun **head,
					 char *message)
{
	SeveralRun *run = make_run(ops, program, hints);
	EngineStatus status;

	*head = NULL;
	if (run == NULL)
	{
		snprintf(message, sizeof(run->head.message), "out of memory");
		return ENGINE_NO_MEMORY;
	}
	status = open_parts(run, ops, devices, params, message);
	if (status != ENGINE_OK)
	{
		several_close(&run->head);
		return status;
	}
	set_stats(run);
	*head = &run->head;
	return ENGINE_OK;
}
