/*
 * cpu.c
 *	  The CPU engine: a run, and the way of a batch through it.
 *
 * Heap pages are deformed into a buffer of up to CPU_BATCH rows, column batches
 * are taken by slices of that many.  A batch's filter is evaluated first, then, if a
 * row has passed it, keys and arguments; the passing rows find their groups, and
 * each accumulator takes them in.
 *
 * Of tuples on pages, the filter is evaluated before anything else is read (filter.c),
 * and only those that pass get into the buffer, unless most rows pass: then it costs
 * less to read all that is needed of a tuple at once.
 *
 * With a GroupStore, a table that reaches the memory limit is spilled: its groups go to
 * the store, and it begins again without any.  It exceeds the limit only where a few
 * rows' groups and texts alone do so.
 *
 * The reference for the other engines: plain, single-threaded, done with its
 * work when a call returns.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/clock.h"
#include "engine/column_batch.h"
#include "engine/cpu/accumulate.h"
#include "engine/cpu/batch_filter.h"
#include "engine/cpu/bound.h"
#include "engine/cpu/deform.h"
#include "engine/cpu/filter.h"
#include "engine/cpu/group_output.h"
#include "engine/cpu/kept/coded_rows.h"
#include "engine/cpu/kept/kept_run.h"
#include "engine/cpu/key_share.h"
#include "engine/cpu/spill.h"
#include "engine/cpu/statistics.h"
#include "engine/cpu/stored_groups.h"
#include "engine/cpu/table.h"
#include "program/heap_page.h"
#include "program/state.h"

/* Sums of 32-bit halves are carried over well before 2^31 additions. */
#define NORMALIZE_ROWS (UINT64_C(1) << 30)
#define NORMALIZED_AT_ONCE 65536	/* groups, for one batch */

/* Rows that find their groups together where there is no room for those of a batch. */
#define FEW_ROWS 32

/*
 * The filter is evaluated first while fewer than 3 of 4 rows pass, which is looked at
 * once in so many rows.  By hand; where all rows pass, a filter on the last of many
 * attributes would take twice the time.
 */
#define FILTER_SAMPLE 16384

/* Pages whose tuples are still in the processor's caches when they are deformed. */
#define CPU_PAGES_AT_ONCE 16

typedef struct CpuRun
{
	EngineRun	head;
	EngineHints hints;
	const ParamValue *params;
	Evaluator  *eval;
	DeformBuffer *deform;		/* pages only */
	RowFilter  *filter;			/* likewise, where it can be evaluated first */
	BatchFilter *batch_filter;	/* the same of batches; NULL: the Program has none */
	bool		filters_first;
	bool		filtered;		/* what `deform` holds has passed the filter */
	uint64_t	sampled;		/* rows, and those that passed, when it was last */
	uint64_t	sampled_passed; /* decided whether to filter first */
	uint64_t	pages;			/* taken in */
	CpuKeptRun *kept;			/* NULL: no columns of the tables are */
	bool		keeps;			/* the last rows of `deform` are to be kept: */
	uint32_t	keep_first;		/* those from this number on */
	CodedRows  *coded;			/* NULL: none of these have been texts with codes */
	bool		is_coded;		/* the batch is of such rows */
	KeyShare	share;			/* of the keys, which the run takes */
	GroupTable *table;
	uint64_t	limit;			/* bytes, of the table */
	TableBound	bound;			/* likewise, in groups */
	Spill	   *spill;			/* NULL: no groups have left the table */
	Statistics *statistics;		/* NULL: the Program has no lists of values */
	bool		has_negative_zero;	/* among them, so that a statistic may be ambiguous */
	GroupChoice *choice;		/* of those in the output; NULL: all leave */
	StoredGroups stored;		/* if they have: the output */
	GroupOutput *output;		/* else; made when all input is in */
	bool		ended;			/* it is */
	bool		sums_floats;
	bool		only_counts;	/* is nothing of rows needed but how many they are? */
	uint64_t	unnormalized;	/* rows since sums were carried over */
	uint32_t	normalized;		/* groups whose sums are being carried over */
	SumUnit		units[PROGRAM_MAX_ACCS];	/* of float sums */
	int32_t		group_units[PROGRAM_MAX_ACCS];	/* the same, for the output */
	uint16_t	rows[CPU_BATCH];	/* of a batch: those that passed */
	uint32_t	groups[CPU_BATCH];	/* and their groups */
	Program		program;		/* followed by its parts */
} CpuRun;

static bool
cpu_supports(const Program *program, char *reason, size_t len)
{
	return true;
}

static void
cpu_close(EngineRun *head)
{
	CpuRun	   *run = (CpuRun *) head;

	kept_run_free(run->kept);
	coded_free(run->coded);
	eval_free(run->eval);
	filter_free(run->filter);
	batch_filter_free(run->batch_filter);
	deform_free(run->deform);
	stored_rewind(&run->stored);
	output_free(run->output);
	choice_free(run->choice);
	spill_free(run->spill);
	statistics_free(run->statistics);
	table_free(run->table);
	free(run);
}

/* Let float sums have the units of the store, if it has any. */
static void
share_units(CpuRun *run)
{
	GroupStore *store = run->hints.store;

	for (int i = 0; store != NULL && store->units != NULL && i < run->program.naccs; i++)
		run->units[i].shared = &store->units[i];
}

/* Groups that are going to be merged with other runs' need not stay until the end. */
static void
begin_bound(CpuRun *run)
{
	const GroupStore *store = run->hints.store;

	if (store == NULL || store->grows || store->merged || run->program.nkeys == 0)
		bound_lift(&run->bound);
	else
		bound_begin(&run->bound, run->hints.rows, table_stride(run->table), run->limit);
	table_set_most(run->table, run->bound.most);
}

static EngineStatus
cpu_open(const Program *program, const ParamValue *params, const EngineHints *hints,
		 EngineRun **result, char *message)
{
	CpuRun	   *run = calloc(1, sizeof(CpuRun) + program->size);

	*result = NULL;
	if (run != NULL)
	{
		run->head.ops = &cpu_engine;
		memcpy(&run->program, program, program->size);
		run->hints = *hints;
		run->params = params;
		run->limit = hints->memory_limit ? hints->memory_limit : DEFAULT_MEMORY_LIMIT;
		share_units(run);
		key_share_begin(&run->share, &run->program, hints);
		run->sums_floats = program_sums_floats(program);
		run->only_counts = program_only_counts(program);
		run->eval = eval_create(&run->program, params, hints);
		if (program->source == SOURCE_PAGES)
			run->deform = deform_create(&run->program, params, CPU_BATCH, NULL);
		run->filters_first = run->deform && filter_reads(program);
		if (run->filters_first && run->eval)
			run->filter = filter_create(&run->program, params, run->eval, run->deform);
		if (program->filter >= 0 && run->eval)
			run->batch_filter = batch_filter_create(&run->program, params, run->eval);
		run->table = table_create(&run->program, hints, run->limit);
		if (program_has_values(program))
			run->statistics = statistics_create(&run->program, params, &run->hints, run->limit);
		if (run->eval && run->table && (run->statistics || !program_has_values(program)) &&
			(run->deform || program->source != SOURCE_PAGES) &&
			(run->filter || !run->filters_first) && (run->batch_filter || program->filter < 0) &&
			kept_run_create(&run->program, params, hints, &run->head.stats, &run->kept))
		{
			begin_bound(run);
			*result = &run->head;
			return ENGINE_OK;
		}
		cpu_close(&run->head);
	}
	snprintf(message, 256, "out of memory");
	return ENGINE_NO_MEMORY;
}

/* The numbers of n rows into run->rows.  left: rows that do not count, or NULL. */
static int
list_rows(CpuRun *run, uint32_t n, const uint8_t *left)
{
	int			kept = 0;

	if (left == NULL)
	{
		for (uint32_t i = 0; i < n; i++)
			run->rows[i] = (uint16_t) i;
		return (int) n;
	}
	for (uint32_t i = 0; i < n; i++)
	{
		run->rows[kept] = (uint16_t) i;
		kept += !left[i];
	}
	return kept;
}

/* Carry a group's sums over. */
static void
normalize_group(const Program *program, uint64_t *words)
{
	const Accumulator *accs = program_accs(program);

	for (int i = 0; i < program->naccs; i++)
		if (acc_form((AccKind) accs[i].kind) == FORM_INT128)
			sum128_normalize(words + accs[i].word);
}

/*
 * Carry SUM_INT128's low words over, long before they could overflow, some groups
 * for each batch of rows: the time that all take is no batch's.
 */
static void
normalize_sums(CpuRun *run, uint32_t rows)
{
	size_t		stride;
	uint64_t   *words = table_records(run->table, &stride) + table_layout(run->table)->words;
	uint32_t	ngroups = table_groups(run->table);

	run->unnormalized += rows;
	if (run->unnormalized < NORMALIZE_ROWS)
		return;
	for (uint32_t i = 0; i < NORMALIZED_AT_ONCE && run->normalized < ngroups; i++)
		normalize_group(&run->program, words + run->normalized++ * stride);
	if (run->normalized < ngroups)
		return;
	run->unnormalized = 0;
	run->normalized = 0;
}

/* Groups are going to leave the table. */
static EngineStatus
need_spill(CpuRun *run)
{
	if (run->spill == NULL)
		run->spill = spill_create(&run->program, &run->hints, run->limit, run->table,
								  run->statistics);
	run->stored.spill = run->spill;
	run->stored.table = run->table;
	if (run->spill != NULL)
		return ENGINE_OK;
	snprintf(run->head.message, sizeof(run->head.message), "out of memory");
	return ENGINE_NO_MEMORY;
}

/* All groups out of the table into the store. */
static EngineStatus
spill_table(CpuRun *run)
{
	EngineStatus status = need_spill(run);

	if (status == ENGINE_OK)
		status = spill_groups(run->spill, run->table, run->head.message);
	if (status == ENGINE_OK)
		table_empty(run->table, table_groups(run->table));
	coded_forget_groups(run->coded);
	bound_empty(&run->bound);
	table_set_most(run->table, run->bound.most);
	run->unnormalized = 0;
	run->normalized = 0;
	return status;
}

/* The table has as many groups as it may: it may have more, or they leave. */
static EngineStatus
at_bound(CpuRun *run)
{
	if (bound_reached(&run->bound, table_groups(run->table)))
		return spill_table(run);
	table_set_most(run->table, run->bound.most);
	return ENGINE_OK;
}

static bool
is_at_bound(const CpuRun *run, uint32_t n)
{
	return (uint64_t) table_groups(run->table) + n > run->bound.most;
}

/*
 * Make room for the groups of *n rows, or of fewer: at its bound, the table may hold more,
 * or is spilled; else a few rows are tried, then the table is spilled, then the limit is
 * lifted.
 */
static EngineStatus
make_room(CpuRun *run, uint32_t *n, bool *spilled, bool *lifted)
{
	if (is_at_bound(run, *n))
		return at_bound(run);
	if (*n > FEW_ROWS)
		*n = FEW_ROWS;
	else if (!*spilled)
	{
		*spilled = true;
		return spill_table(run);
	}
	else
	{
		table_empty(run->table, 0);
		coded_forget_groups(run->coded);
		table_set_limit(run->table, UINT64_MAX);
		*lifted = true;
	}
	return ENGINE_OK;
}

static EngineStatus
run_interrupted(CpuRun *run)
{
	snprintf(run->head.message, sizeof(run->head.message), INTERRUPTED_MESSAGE);
	return ENGINE_FAILED;
}

/* Find the groups of rows by their codes; false: it cannot be done, and they are not found. */
static bool
find_by_codes(CpuRun *run, const uint16_t *rows, uint32_t n)
{
	uint16_t	unknown[CPU_BATCH];
	uint32_t	nunknown = coded_unknown(run->coded, rows, n, unknown);

	if (nunknown > 0)
	{
		if (!coded_keys(run->coded) ||
			table_find(run->table, run->eval, unknown, nunknown, run->groups,
					   run->head.message) != ENGINE_OK)
		{
			coded_forget_groups(run->coded);
			return false;
		}
		coded_set_groups(run->coded, nunknown, run->groups);
	}
	coded_groups(run->coded, n, run->groups);
	return true;
}

/* Find the groups of the first *n rows, or of fewer, and say of how many. */
static EngineStatus
find_groups(CpuRun *run, const uint16_t *rows, uint32_t *n)
{
	bool		spilled = false;
	bool		lifted = false;
	EngineStatus status;

	if (run->is_coded && coded_tell_groups(run->coded) && find_by_codes(run, rows, *n))
		return ENGINE_OK;
	if (run->is_coded && !coded_keys(run->coded))
		return run_interrupted(run);

	while ((status = table_find(run->table, run->eval, rows, *n, run->groups,
								run->head.message)) == ENGINE_NO_MEMORY &&
		   run->hints.store != NULL && !lifted)
	{
		status = make_room(run, n, &spilled, &lifted);
		if (status != ENGINE_OK)
			return status;
	}
	return status;
}

/* Take rows into their groups, run->groups. */
static EngineStatus
take_rows_in(CpuRun *run, const uint16_t *numbers, uint32_t n)
{
	const Program *program = &run->program;
	RowGroups	rows = {n, numbers, run->groups};
	States		states = {.single = program->nkeys == 0,.table = run->table,
		.has_negative_zero = &run->has_negative_zero};
	EngineStatus status;

	states.base = table_records(run->table, &states.stride) +
		table_layout(run->table)->words;
	if (run->hints.store != NULL)	/* too late to spill: rows have been taken in */
		table_set_limit(run->table, UINT64_MAX);
	status = accumulate_all(program, run->eval, &rows, &states, run->units, run->head.message);
	table_set_limit(run->table, run->limit);
	normalize_sums(run, n);
	run->bound.rows += n;
	if (status == ENGINE_OK && run->hints.store != NULL &&
		(program->nkeys > 0 || run->statistics != NULL) && table_is_over(run->table))
		status = spill_table(run);
	return status;
}

/* Have the rows be those of the run's share of the keys; false: interrupted. */
static bool
keep_share(CpuRun *run, uint32_t *n)
{
	if (run->share.takes_all)
		return true;
	if (run->is_coded && !coded_keys(run->coded))
		return false;
	*n = key_share_keep(&run->share, run->eval, run->rows, *n);
	return true;
}

/* Rows that passed the filter: find their groups, and take them in. */
static EngineStatus
aggregate_rows(CpuRun *run, uint32_t n)
{
	uint32_t	part = 0;
	EngineStatus status = ENGINE_OK;

	if (!keep_share(run, &n))
		return run_interrupted(run);
	for (uint32_t first = 0; first < n && status == ENGINE_OK; first += part)
	{
		part = n - first;
		status = find_groups(run, run->rows + first, &part);
		if (status == ENGINE_OK)
			status = take_rows_in(run, run->rows + first, part);
	}
	if (status == ENGINE_OK && run->sums_floats &&
		run->head.stats.rows_passed + n >= EXACT_MAX_ROWS)
	{
		snprintf(run->head.message, sizeof(run->head.message), "too many rows for a float sum");
		return ENGINE_INEXACT;
	}
	return status;
}

/* Keep those of n rows that pass the filter, as batch_filter_keep. */
static int
keep_passing(CpuRun *run, const ColumnBatch *batch, int n)
{
	CodedRows  *coded = run->is_coded ? run->coded : NULL;

	if (run->program.filter >= 0)
		return batch_filter_keep(run->batch_filter, batch, coded, run->rows, n);
	if (coded != NULL)
		coded_begin_batch(coded, batch, true);
	return n;
}

/*
 * Compute what accumulators need of n rows that have passed, and keys, which coded rows may do
 * without; false: interrupted.
 */
static bool
eval_rest(CpuRun *run, const ColumnBatch *batch, int n)
{
	if (run->program.filter >= 0)
		return batch_filter_eval_rest(run->batch_filter, run->rows, n);
	return run->is_coded ? coded_accs(run->coded) :
		eval_run(run->eval, batch, 0, run->program.ninsns);
}

/* left: one byte a row, whether it is to be left out; NULL: none is. */
static EngineStatus
run_batch(CpuRun *run, const ColumnBatch *batch, const uint8_t *left)
{
	uint64_t	start = now_ns();
	int			passed = list_rows(run, batch->nrows, left);
	EngineStatus status = ENGINE_OK;

	run->head.stats.rows += (uint64_t) passed;
	passed = keep_passing(run, batch, passed);
	if (passed == BATCH_INTERRUPTED)
		return run_interrupted(run);
	if (passed == BATCH_ROW_FAILS)
	{
		snprintf(run->head.message, sizeof(run->head.message),
				 "the filter would raise an error");
		return ENGINE_INEXACT;
	}
	if (passed > 0)
	{
		if (!eval_rest(run, batch, passed))
			return run_interrupted(run);
		status = aggregate_rows(run, (uint32_t) passed);
	}
	run->head.stats.rows_passed += (uint64_t) passed;
	run->head.stats.aggregate_ns += now_ns() - start;
	return status;
}

/* The same for rows that have passed the filter, and are counted as read. */
static EngineStatus
run_filtered(CpuRun *run, const ColumnBatch *batch, const uint8_t *left)
{
	uint64_t	start = now_ns();
	uint32_t	n = (uint32_t) list_rows(run, batch->nrows, left);
	EngineStatus status;

	if (!filter_eval_rest(run->filter, batch))
		return run_interrupted(run);
	status = aggregate_rows(run, n);
	run->head.stats.rows -= batch->nrows - n;
	run->head.stats.rows_passed += n;
	run->head.stats.aggregate_ns += now_ns() - start;
	return status;
}

/* Give the rows of the deform buffer that are to be kept, and have not been given yet. */
static void
keep_rows(CpuRun *run)
{
	if (run->keeps && deform_rows(run->deform) > run->keep_first)
		keep_stripe_rows(run->kept, run->deform, run->keep_first);
	run->keep_first = deform_rows(run->deform);
}

/* Run what the deform buffer holds. */
static EngineStatus
flush_deformed(CpuRun *run)
{
	EngineStatus status = ENGINE_OK;

	if (deform_rows(run->deform) > 0)
	{
		const ColumnBatch *batch = deform_batch(run->deform);
		const uint8_t *left = deform_left(run->deform);

		keep_rows(run);
		status = run->filtered ? run_filtered(run, batch, left) : run_batch(run, batch, left);
		deform_reset(run->deform);
		run->keep_first = 0;
	}
	return status;
}

/*
 * Evaluate the filter for the tuples found so far, and read what else is needed of
 * those that pass.
 */
static EngineStatus
take_found(CpuRun *run)
{
	uint64_t	start = now_ns();
	FilteredTuples passed;
	EngineStatus status = filter_tuples(run->filter, &passed, run->head.message);
	uint32_t	n;

	run->head.stats.rows += passed.found - passed.left;
	for (; status == ENGINE_OK && passed.n > 0; passed.n -= n, passed.tuples += n)
	{
		n = CPU_BATCH - deform_rows(run->deform);
		if (n > passed.n)
			n = passed.n;
		status = filter_read_rest(run->filter, run->deform, passed.tuples, n,
								  run->head.message);
		run->head.stats.input_ns += now_ns() - start;
		if (status == ENGINE_OK && deform_full(run->deform))
			status = flush_deformed(run);
		start = now_ns();
	}
	run->head.stats.input_ns += now_ns() - start;
	return status;
}

/* Pages whose tuples are filtered before anything else of them is read. */
static EngineStatus
filter_pages(CpuRun *run, const PageRef *pages, int n)
{
	EngineStatus status = ENGINE_OK;

	for (int i = 0; i < n && status == ENGINE_OK; i++)
	{
		uint32_t	line = 0;

		filter_expect(run->filter, i + 1 < n ? &pages[i + 1] : NULL);
		while (line < pages[i].nlines && status == ENGINE_OK)
		{
			uint64_t	start = now_ns();

			status = filter_find(run->filter, &pages[i], &line, run->head.message);
			run->head.stats.input_ns += now_ns() - start;
			if (status == ENGINE_OK && filter_full(run->filter))
				status = take_found(run);
		}
	}
	return status == ENGINE_OK ? take_found(run) : status;
}

/* The rows that come into the deform buffer next are the page's: are they to be kept? */
static void
expect_rows(CpuRun *run, const PageRef *page)
{
	bool		keeps = keep_stripe_takes(run->kept, page);

	if (keeps == run->keeps)
		return;
	keep_rows(run);
	run->keeps = keeps;
}

static EngineStatus
deform_pages(CpuRun *run, const PageRef *pages, int n)
{
	EngineStatus status = ENGINE_OK;

	for (int i = 0; i < n && status == ENGINE_OK; i++)
	{
		uint32_t	line = 0;

		expect_rows(run, &pages[i]);
		deform_expect(run->deform, i + 1 < n ? &pages[i + 1] : NULL);
		for (;;)
		{
			uint64_t	start = now_ns();

			status = deform_page(run->deform, &pages[i], &line, run->head.message);
			run->head.stats.input_ns += now_ns() - start;
			if (status != ENGINE_OK || line >= pages[i].nlines)
				break;
			status = flush_deformed(run);
			if (status != ENGINE_OK)
				break;
		}
	}
	return status;
}

/* Should the filter be evaluated first?  Of rows that no filter removes, never. */
static bool
decide_filtering(CpuRun *run)
{
	const EngineStats *stats = &run->head.stats;
	uint64_t	rows = stats->rows - run->sampled;

	if (run->filter != NULL && rows >= FILTER_SAMPLE)
	{
		run->filters_first = (stats->rows_passed - run->sampled_passed) * 4 < rows * 3;
		run->sampled = stats->rows;
		run->sampled_passed = stats->rows_passed;
	}
	return run->filters_first;
}

/* No page of the stripe that is being kept comes any more. */
static void
end_keeping(CpuRun *run)
{
	if (run->deform != NULL)
		keep_rows(run);
	run->keeps = false;
	keep_stripe_end(run->kept);
}

/* Have columns be kept of pages of whose tuples not all are deformed; without any, the stripe has ended. */
static void
keep_pages(CpuRun *run, const PageRef *pages, int n)
{
	uint64_t	start = now_ns();

	if (n == 0)
		end_keeping(run);
	for (int i = 0; i < n && run->filtered; i++)
		keep_stripe_page(run->kept, &pages[i]);
	run->head.stats.input_ns += now_ns() - start;
}

static EngineStatus
cpu_pages(EngineRun *head, const PageRef *pages, int n)
{
	CpuRun	   *run = (CpuRun *) head;
	EngineStatus status = ENGINE_OK;

	if (decide_filtering(run) != run->filtered)
	{
		status = flush_deformed(run);
		run->filtered = !run->filtered;
		run->keeps = false;
	}
	if (status == ENGINE_OK)
		status = run->filtered ? filter_pages(run, pages, n) : deform_pages(run, pages, n);
	if (status == ENGINE_OK)
		keep_pages(run, pages, n);
	head->stats.bytes += (uint64_t) n * HEAP_PAGE_SIZE;
	run->pages += n;
	return status;
}

static const uint8_t *
cpu_asks(EngineRun *head, const StripeTurn *turn)
{
	return kept_run_asks(((CpuRun *) head)->kept, turn);
}

/* Begin with the texts of a stripe that is taken. */
static EngineStatus
begin_coded(CpuRun *run, const StripeTurn *turn)
{
	uint32_t	nrows;
	const DecodedColumn *columns = kept_run_columns(run->kept, &nrows);
	CodedStatus coded = CODED_NO_MEMORY;

	if (columns == NULL)
		return ENGINE_OK;
	if (run->coded == NULL)
		run->coded = coded_create(&run->program, run->params, run->eval);
	if (run->coded != NULL)
		coded = coded_begin(run->coded, columns, nrows);
	run->is_coded = coded == CODED_ROWS;
	if (coded == CODED_NONE_PASSES)
		kept_run_skip(run->kept, turn);
	if (coded == CODED_INTERRUPTED)
		return run_interrupted(run);
	if (coded != CODED_NO_MEMORY)
		return ENGINE_OK;
	snprintf(run->head.message, sizeof(run->head.message), "out of memory");
	return ENGINE_NO_MEMORY;
}

/* The rows of a stripe that are only counted. */
static EngineStatus
count_stripe(CpuRun *run, const StripeTurn *turn)
{
	run->head.stats.rows += turn->rows;
	run->head.stats.rows_passed += turn->rows;
	return take_rows_in(run, NULL, (uint32_t) turn->rows);
}

/* The rows of a stripe, batch by batch. */
static EngineStatus
run_stripe(CpuRun *run)
{
	EngineStatus status = ENGINE_OK;
	ColumnBatch batch;
	const uint8_t *left;

	while (status == ENGINE_OK && kept_run_batch(run->kept, &batch, &left))
		status = engine_interrupted(&run->hints) ? run_interrupted(run) :
			run_batch(run, &batch, left);
	return status;
}

static EngineStatus
cpu_take(EngineRun *head, StripeTurn *turn)
{
	CpuRun	   *run = (CpuRun *) head;
	uint64_t	start = now_ns();
	EngineStatus status = ENGINE_OK;
	bool		taken;

	end_keeping(run);
	taken = kept_run_take(run->kept, turn);
	if (taken)
		status = begin_coded(run, turn);
	head->stats.input_ns += now_ns() - start;
	if (taken && status == ENGINE_OK)
		status = run->only_counts ? count_stripe(run, turn) : run_stripe(run);
	run->is_coded = false;
	if (taken)
		kept_run_end(run->kept);
	return status;
}

/* Values have been copied out of all pages. */
static uint64_t
cpu_released(EngineRun *head)
{
	return ((CpuRun *) head)->pages;
}

static int
cpu_toasted(EngineRun *head, ToastedRow *rows, int max)
{
	CpuRun	   *run = (CpuRun *) head;

	int			n = kept_run_take_left(run->kept, rows, max);

	if (run->deform)
		n += deform_take_left(run->deform, rows + n, max - n);
	return run->filter ? n + filter_take_left(run->filter, rows + n, max - n) : n;
}

/*
 * Bytes of a column's values and of what is beside them.  Those for NULLs count whether there are
 * any or not, since hidden rows may have them.
 */
static uint64_t
column_bytes(const ColumnVector *column, const Column *described, uint32_t nrows)
{
	uint64_t	bytes = (uint64_t) nrows * (uint64_t) value_type_size((ValueType) described->type);

	if (described->type == VT_TEXT)
		bytes = column->offsets[nrows] - column->offsets[0] +
			(nrows + UINT64_C(1)) * sizeof(uint32_t);
	return bytes + (described->nullable ? (nrows + UINT64_C(7)) / 8 : 0);
}

static EngineStatus
cpu_columns(EngineRun *head, const ColumnBatch *batch)
{
	CpuRun	   *run = (CpuRun *) head;
	const Column *columns = program_columns(&run->program);
	ColumnVector slice[PROGRAM_MAX_COLUMNS];
	EngineStatus status = ENGINE_OK;

	if (batch_has_wrong_null(&run->program, batch))
	{
		snprintf(head->message, sizeof(head->message),
				 "a column that cannot be NULL is NULL");
		return ENGINE_INEXACT;
	}
	for (int i = 0; i < run->program.ncolumns; i++)
		head->stats.bytes += column_bytes(&batch->columns[i], &columns[i], batch->nrows);
	for (uint32_t first = 0; first < batch->nrows && status == ENGINE_OK; first += CPU_BATCH)
	{
		uint32_t	left = batch->nrows - first;
		ColumnBatch part = {left < CPU_BATCH ? left : CPU_BATCH, slice};

		for (int i = 0; i < run->program.ncolumns; i++)
		{
			const ColumnVector *whole = &batch->columns[i];
			size_t		size = (size_t) value_type_size((ValueType) columns[i].type);

			slice[i].values = (const char *) whole->values + first * size;
			slice[i].offsets = whole->offsets ? whole->offsets + first : NULL;
			slice[i].validity = whole->validity ? whole->validity + first / 8 : NULL;
		}
		status = run_batch(run, &part, NULL);
	}
	return status;
}

/* The most memory held at once, and how rows met their groups. */
static void
set_stats(CpuRun *run)
{
	EngineStats *stats = &run->head.stats;
	uint64_t	memory = table_memory(run->table) + eval_memory(run->eval) +
		(run->deform ? deform_memory(run->deform) : 0) +
		(run->filter ? filter_memory(run->filter) : 0) +
		(run->batch_filter ? batch_filter_memory(run->batch_filter) : 0) +
		(run->spill ? spill_memory(run->spill) : 0) +
		(run->statistics ? statistics_memory(run->statistics) : 0) +
		(run->output ? output_memory(run->output) : 0) +
		(run->choice ? choice_memory(run->choice) : 0) + kept_run_memory(run->kept) + coded_memory(run->coded);

	if (memory > stats->memory)
		stats->memory = memory;
	if (run->statistics != NULL)
		stats->values_ordered += statistics_values(run->statistics);
	snprintf(stats->strategy, sizeof(stats->strategy), "%s", table_strategy(run->table));
}

/* The units of all sums, others' too, for the output. */
static void
set_units(CpuRun *run)
{
	for (int i = 0; i < run->program.naccs; i++)
	{
		const SumUnit *unit = &run->units[i];

		run->group_units[i] = unit->exponent;
		if (!unit->chosen && unit->shared != NULL && *unit->shared != 0)
			run->group_units[i] = (int32_t) (*unit->shared + INT32_MIN);
	}
}

/* The output of a table that holds all groups. */
static EngineStatus
output_table(CpuRun *run)
{
	GroupRecords groups = table_complete(run->table);
	EngineStatus status = ENGINE_OK;

	if (run->statistics != NULL)
		status = statistics_read(run->statistics, run->table, NULL, run->head.message);
	if (status == ENGINE_OK)
		status = output_create(&run->program, &groups, &run->hints, run->choice, &run->output,
							   run->head.message);
	run->head.stats.groups = groups.ngroups;
	run->head.stats.batches = 1;
	return status;
}

/* That of groups that are in the store, and those left in the table. */
static EngineStatus
output_stored(CpuRun *run)
{
	bool		merged = run->hints.store->merged;
	EngineStatus status = merged ? need_spill(run) : spill_table(run);

	if (status == ENGINE_OK && !merged && (run->spill->suspect || run->has_negative_zero))
		status = stored_check(&run->stored, run->head.message);
	return status;
}

/* All input is in.  What can fail of the output but by the store, fails here. */
static EngineStatus
end_input(CpuRun *run)
{
	EngineStatus status = ENGINE_OK;

	if (run->deform)
		status = flush_deformed(run);
	if (status == ENGINE_OK && run->statistics != NULL)
		status = statistics_check(run->statistics, run->head.message);
	if (status != ENGINE_OK)
		return status;
	set_units(run);
	if (!choice_create(&run->program, &run->hints, run->group_units, &run->choice))
	{
		snprintf(run->head.message, sizeof(run->head.message), "out of memory");
		return ENGINE_NO_MEMORY;
	}
	run->stored.choice = run->choice;
	if (run->spill != NULL || (run->hints.store != NULL && run->hints.store->merged))
		status = output_stored(run);
	else
		status = output_table(run);
	set_stats(run);
	run->ended = status == ENGINE_OK;
	return status;
}

static EngineStatus
next_stored(CpuRun *run, GroupBatch *batch)
{
	EngineStats *stats = &run->head.stats;
	EngineStatus status = stored_batch(&run->stored, batch, run->head.message);

	if (run->stored.ngroups > stats->groups)
		stats->groups = run->stored.ngroups;
	if (run->stored.nparts > stats->batches)
		stats->batches = run->stored.nparts;
	set_stats(run);
	return status;
}

static EngineStatus
cpu_groups(EngineRun *head, GroupBatch *batch)
{
	CpuRun	   *run = (CpuRun *) head;
	EngineStatus status = run->ended ? ENGINE_OK : end_input(run);
	uint64_t	start = now_ns();

	if (status != ENGINE_OK)
		return status;
	if (run->output == NULL)
		status = next_stored(run, batch);
	else if (!output_batch(run->output, batch))
		status = run_interrupted(run);
	batch->units = run->group_units;
	if (run->choice != NULL)
	{
		head->stats.groups_left_out = choice_left_out(run->choice);
		head->stats.groups_removed = choice_removed(run->choice);
	}
	head->stats.output_ns += now_ns() - start;
	return status;
}

static EngineStatus
cpu_emit_partial(EngineRun *head)
{
	CpuRun	   *run = (CpuRun *) head;
	EngineStatus status = run->deform ? flush_deformed(run) : ENGINE_OK;

	if (status == ENGINE_OK && run->statistics != NULL)
		status = statistics_check(run->statistics, run->head.message);
	if (status == ENGINE_OK)
		status = spill_table(run);
	bound_lift(&run->bound);
	table_set_most(run->table, run->bound.most);
	set_stats(run);
	return status;
}

/* Are the groups of a leaf, merged, inexact? */
static EngineStatus
check_leaf(CpuRun *run)
{
	GroupRecords groups = table_complete(run->table);
	const char *inexact = states_are_inexact(&run->program, groups.records + groups.layout->words,
											 groups.stride, groups.ngroups);

	if (inexact == NULL)
		return ENGINE_OK;
	snprintf(run->head.message, sizeof(run->head.message), "%s", inexact);
	return ENGINE_INEXACT;
}

static EngineStatus
cpu_combine(EngineRun *head, uint32_t partition)
{
	CpuRun	   *run = (CpuRun *) head;
	uint32_t	to = run->hints.store->npartitions + partition;
	EngineStatus status = ENGINE_OK;

	if (run->program.nkeys == 0 && partition > 0)
		return ENGINE_OK;		/* all groups are in the first */
	spill_first_leaf(run->spill);
	do
	{
		status = spill_merge(run->spill, run->table, partition, head->message);
		if (status == ENGINE_OK)
			status = check_leaf(run);
		if (status == ENGINE_OK)
		{
			spill_release(run->spill, partition);
			status = spill_into(run->spill, run->table, to, head->message);
		}
		head->stats.groups += table_groups(run->table);
		head->stats.batches += table_groups(run->table) > 0;
	} while (status == ENGINE_OK && spill_next_leaf(run->spill));
	set_stats(run);
	return status;
}

static void
cpu_rewind(EngineRun *head)
{
	CpuRun	   *run = (CpuRun *) head;

	if (run->choice != NULL)
		choice_rewind(run->choice);
	if (run->output != NULL)
		output_rewind(run->output);
	else
		stored_rewind(&run->stored);
}

static EngineStatus
cpu_list(EngineRun *head, StoredList *list)
{
	return stored_list(&((CpuRun *) head)->stored, list, head->message);
}

/*
 * Chosen by hand, so that bench/crossover finds no query that gpuagg.mode = auto
 * gives to this engine and that takes more than 1.2 times PostgreSQL's time.
 */
const EngineCosts cpu_costs = {
	.setup = 13,
	.page = 0.02,
	.tuple = 0.002,
	.operator = 0.00015,
	.group = 0.002,
	.column_group = 0.002,
	.value = 0.008,
};

static const EngineTraits traits = {
	.id = ENGINE_ID_CPU,
	.costs = &cpu_costs,
	.pages_at_once = CPU_PAGES_AT_ONCE,
};

static const EnginePartial partial = {
	.emit_partial = cpu_emit_partial,
	.combine = cpu_combine,
};

static const EngineStripes stripes = {
	.asks = cpu_asks,
	.take = cpu_take,
};

static const EngineLists lists = {
	.list = cpu_list,
};

const EngineOps cpu_engine = {
	.traits = &traits,
	.supports = cpu_supports,
	.open = cpu_open,
	.pages = cpu_pages,
	.released = cpu_released,
	.toasted = cpu_toasted,
	.columns = cpu_columns,
	.groups = cpu_groups,
	.rewind = cpu_rewind,
	.close = cpu_close,
	.partial = &partial,
	.stripes = &stripes,
	.lists = &lists,
};
