/*
 * cpu.c
 *	  The CPU engine: a run, and the way of a batch through it.
 *
 * Heap pages are deformed into a buffer of up to CPU_BATCH rows, column batches
 * are taken by slices of that many; either way a batch's filter is evaluated
 * first, then, if a row has passed it, keys and arguments; the passing rows
 * find their groups, and each accumulator takes them in.
 *
 * The reference for the other engines: plain, single-threaded, done with its
 * work when a call returns.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/cpu/accumulate.h"
#include "engine/cpu/deform.h"
#include "engine/cpu/output.h"
#include "engine/cpu/table.h"
#include "engine/clock.h"
#include "engine/column_batch.h"
#include "program/heap_page.h"
#include "program/state.h"

/* Sums of 32-bit halves are carried over well before 2^31 additions. */
#define NORMALIZE_ROWS (UINT64_C(1) << 30)
#define NORMALIZED_AT_ONCE 65536	/* groups, for one batch */

/* Pages whose tuples are still in the processor's caches when they are deformed. */
#define CPU_PAGES_AT_ONCE 16

typedef struct CpuRun
{
	EngineRun	head;
	EngineHints hints;
	const SlotValue *slots;
	Evaluator  *eval;
	DeformBuffer *deform;		/* pages only */
	uint64_t	pages;			/* taken in */
	GroupTable *table;
	GroupOutput *output;		/* made when all input is in */
	bool		sums_floats;
	uint64_t	unnormalized;	/* rows since sums were carried over */
	uint32_t	normalized;		/* groups whose sums are being carried over */
	SumUnit		units[PROGRAM_MAX_ACCS];	/* of float sums */
	int32_t		group_units[PROGRAM_MAX_ACCS];	/* the same, for the output */
	uint16_t	rows[CPU_BATCH];	/* of a batch: those that passed */
	uint32_t	groups[CPU_BATCH];	/* and their groups */
	Program		program;		/* followed by its parts */
} CpuRun;

static bool
cpu_available(char *reason, size_t len)
{
	return true;
}

static bool
cpu_supports(const Program *program, char *reason, size_t len)
{
	return true;
}

static void
cpu_close(EngineRun *head)
{
	CpuRun	   *run = (CpuRun *) head;

	eval_free(run->eval);
	deform_free(run->deform);
	output_free(run->output);
	table_free(run->table);
	free(run);
}

static EngineStatus
cpu_open(const Program *program, const SlotValue *slots, const EngineHints *hints,
		 EngineRun **result, char *message)
{
	uint64_t	limit = hints->memory_limit ? hints->memory_limit : DEFAULT_MEMORY_LIMIT;
	CpuRun	   *run = calloc(1, sizeof(CpuRun) + program->size);

	*result = NULL;
	if (run != NULL)
	{
		run->head.ops = &cpu_engine;
		memcpy(&run->program, program, program->size);
		run->hints = *hints;
		run->slots = slots;
		run->sums_floats = program_sums_floats(program);
		run->eval = eval_create(&run->program, slots, hints);
		if (program->source == SOURCE_PAGES)
			run->deform = deform_create(&run->program, slots, CPU_BATCH);
		run->table = table_create(&run->program, hints, limit);
		if (run->eval && run->table &&
			(run->deform || program->source != SOURCE_PAGES))
		{
			*result = &run->head;
			return ENGINE_OK;
		}
		cpu_close(&run->head);
	}
	snprintf(message, 256, "out of memory");
	return ENGINE_NO_MEMORY;
}

/* Those of n numbers of rows in run->rows that are not left out. */
static int
drop_left_rows(CpuRun *run, int n, const uint8_t *left)
{
	int			kept = 0;

	for (int i = 0; i < n; i++)
	{
		run->rows[kept] = run->rows[i];
		kept += !left[run->rows[i]];
	}
	return kept;
}

/*
 * The rows for which the filter is true, into run->rows; -1 if one is an error.
 * left: rows that do not count at all, or NULL.
 */
static int
filter_rows(CpuRun *run, uint32_t n, const uint8_t *left)
{
	const Vector *filter;
	const uint8_t *values;
	int			passed = 0;

	if (run->program.filter < 0)
	{
		for (uint32_t i = 0; i < n; i++)
			run->rows[i] = (uint16_t) i;
		return left ? drop_left_rows(run, (int) n, left) : (int) n;
	}
	filter = eval_register(run->eval, run->program.filter);
	values = filter->values;
	if (filter->error)
		for (uint32_t i = 0; i < n; i++)
			if (bit_is_set(filter->error, i) && !(left && left[i]))
				return -1;
	for (uint32_t i = 0; i < n; i++)
	{
		run->rows[passed] = (uint16_t) i;
		passed += values[i] && (!filter->valid || bit_is_set(filter->valid, i));
	}
	return left ? drop_left_rows(run, passed, left) : passed;
}

/* Carry a group's sums over. */
static void
normalize_group(const Program *program, uint64_t *words)
{
	const Accumulator *accs = program_accs(program);

	for (int i = 0; i < program->naccs; i++)
		if (accs[i].kind == ACC_SUM_INT128)
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

/* Rows that passed the filter: find their groups, and take them in. */
static EngineStatus
aggregate_rows(CpuRun *run, uint32_t n)
{
	const Program *program = &run->program;
	RowGroups	rows = {n, run->rows, run->groups};
	States		states = {.single = program->nkeys == 0,.table = run->table};
	EngineStatus status;

	status = table_find(run->table, run->eval, run->rows, n, run->groups,
						run->head.message);
	states.base = table_records(run->table, &states.stride) +
		table_layout(run->table)->words;
	for (int i = 0; i < program->naccs && status == ENGINE_OK; i++)
		status = accumulate(&program_accs(program)[i], program, run->eval, &rows,
							&states, &run->units[i], run->head.message);
	normalize_sums(run, n);
	if (status == ENGINE_OK && run->sums_floats &&
		run->head.stats.rows_passed + n >= EXACT_MAX_ROWS)
	{
		snprintf(run->head.message, sizeof(run->head.message), "too many rows for a float sum");
		return ENGINE_INEXACT;
	}
	return status;
}

static uint32_t
count_left(const uint8_t *left, uint32_t n)
{
	uint32_t	count = 0;

	for (uint32_t i = 0; i < n; i++)
		count += left[i];
	return count;
}

static EngineStatus
run_interrupted(CpuRun *run)
{
	snprintf(run->head.message, sizeof(run->head.message), INTERRUPTED_MESSAGE);
	return ENGINE_FAILED;
}

/* left: one byte a row, whether it is to be left out; NULL: none is. */
static EngineStatus
run_batch(CpuRun *run, const ColumnBatch *batch, const uint8_t *left)
{
	uint64_t	start = now_ns();
	int			split = run->program.filter + 1;
	int			passed;
	EngineStatus status = ENGINE_OK;

	if (!eval_run(run->eval, batch, 0, split))
		return run_interrupted(run);
	passed = filter_rows(run, batch->nrows, left);
	if (passed < 0)
	{
		snprintf(run->head.message, sizeof(run->head.message),
				 "the filter would raise an error");
		return ENGINE_INEXACT;
	}
	if (passed > 0)
	{
		if (!eval_run(run->eval, batch, split, run->program.ninsns))
			return run_interrupted(run);
		status = aggregate_rows(run, (uint32_t) passed);
	}
	run->head.stats.rows += batch->nrows - (left ? count_left(left, batch->nrows) : 0);
	run->head.stats.rows_passed += (uint64_t) passed;
	run->head.stats.aggregate_ns += now_ns() - start;
	return status;
}

/* Run what the deform buffer holds. */
static EngineStatus
flush_deformed(CpuRun *run)
{
	EngineStatus status = ENGINE_OK;

	if (deform_rows(run->deform) > 0)
	{
		status = run_batch(run, deform_batch(run->deform), deform_left(run->deform));
		deform_reset(run->deform);
	}
	return status;
}

static EngineStatus
cpu_pages(EngineRun *head, const PageRef *pages, int n)
{
	CpuRun	   *run = (CpuRun *) head;
	EngineStatus status = ENGINE_OK;

	for (int i = 0; i < n && status == ENGINE_OK; i++)
	{
		uint32_t	line = 0;

		for (;;)
		{
			uint64_t	start = now_ns();

			status = deform_page(run->deform, &pages[i], &line, head->message);
			head->stats.input_ns += now_ns() - start;
			if (status != ENGINE_OK || line >= pages[i].nlines)
				break;
			status = flush_deformed(run);
			if (status != ENGINE_OK)
				break;
		}
		head->stats.bytes += HEAP_PAGE_SIZE;
	}
	run->pages += n;
	return status;
}

/* Values have been copied out of all pages. */
static uint64_t
cpu_released(EngineRun *head)
{
	return ((CpuRun *) head)->pages;
}

static int
cpu_left(EngineRun *head, LeftRow *rows, int max)
{
	CpuRun	   *run = (CpuRun *) head;

	return run->deform ? deform_take_left(run->deform, rows, max) : 0;
}

/* Bytes of a column's values and of what is beside them. */
static uint64_t
column_bytes(const ColumnVector *column, ValueType type, uint32_t nrows)
{
	uint64_t	bytes = (uint64_t) nrows * (uint64_t) value_type_size(type);

	if (type == VT_TEXT)
		bytes = column->offsets[nrows] - column->offsets[0] +
			(nrows + UINT64_C(1)) * sizeof(uint32_t);
	return bytes + (column->validity ? (nrows + UINT64_C(7)) / 8 : 0);
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
		head->stats.bytes += column_bytes(&batch->columns[i], (ValueType) columns[i].type,
										  batch->nrows);
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

/* All input is in.  What can fail of the output, fails here. */
static EngineStatus
end_input(CpuRun *run)
{
	EngineStats *stats = &run->head.stats;
	EngineStatus status = ENGINE_OK;
	GroupRecords groups;

	if (run->deform)
		status = flush_deformed(run);
	if (status != ENGINE_OK)
		return status;
	groups = table_complete(run->table);
	status = output_create(&run->program, &groups, &run->hints, &run->output,
						   run->head.message);
	if (status != ENGINE_OK)
		return status;
	for (int i = 0; i < run->program.naccs; i++)
		run->group_units[i] = run->units[i].exponent;
	stats->groups = table_groups(run->table);
	stats->memory = table_memory(run->table) + eval_memory(run->eval) +
		(run->deform ? deform_memory(run->deform) : 0) + output_memory(run->output);
	snprintf(stats->strategy, sizeof(stats->strategy), "%s", table_strategy(run->table));
	return ENGINE_OK;
}

static EngineStatus
cpu_groups(EngineRun *head, GroupBatch *batch)
{
	CpuRun	   *run = (CpuRun *) head;
	EngineStatus status = run->output ? ENGINE_OK : end_input(run);
	uint64_t	start = now_ns();

	if (status != ENGINE_OK)
		return status;
	output_batch(run->output, batch);
	batch->units = run->group_units;
	head->stats.output_ns += now_ns() - start;
	return ENGINE_OK;
}

static void
cpu_rewind(EngineRun *head)
{
	output_rewind(((CpuRun *) head)->output);
}

/*
 * Chosen by hand, so that bench/crossover finds no query that gpuagg.mode = auto
 * gives to this engine and that takes more than 1.2 times PostgreSQL's time:
 * bench/results/cpu-crossover.md.
 */
const EngineCosts cpu_costs = {
	.setup = 30,
	.page = 0.02,
	.tuple = 0.002,
	.operator = 0.00015,
	.group = 0.02,
};

const EngineOps cpu_engine = {
	.name = "cpu",
	.costs = &cpu_costs,
	.pages_at_once = CPU_PAGES_AT_ONCE,
	.available = cpu_available,
	.supports = cpu_supports,
	.open = cpu_open,
	.pages = cpu_pages,
	.released = cpu_released,
	.left = cpu_left,
	.columns = cpu_columns,
	.groups = cpu_groups,
	.rewind = cpu_rewind,
	.close = cpu_close,
};
