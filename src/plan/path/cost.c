/*
 * cost.c
 *	  The planner's cost of a GpuAgg node.
 *
 * PostgreSQL's plans must be compared with costs of the same unit.  An engine
 * gives its costs in units of 4 microseconds (EngineTraits.costs), which is what a
 * unit of PostgreSQL's costs takes where its own aggregation reads a table in
 * memory: for 10^6 rows of bench/crossover in 10 to 1000 groups PostgreSQL's
 * estimate is 26,846, and they took 104 to 111 ms.
 *
 * Reading a page costs what it costs PostgreSQL: both do it.
 *
 * A device has no files: a run whose table does not fit gives up, and its time is lost.
 * What an engine says it needs without a limit is its input's buffers and the table; the
 * difference to what it needs for no groups is the table.  Buffers get smaller where
 * memory is short.  Without a setting, the limit is the device's own, which planning does not
 * ask for.
 */
#include "postgres.h"

#include <math.h>

#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "storage/bufmgr.h"

#include "guc.h"
#include "handle/handle.h"
#include "handle/select.h"
#include "plan/path/cost.h"
#include "program/conjuncts.h"

/*
 * Taking a tuple of PostgreSQL's apart into a column batch, in units of
 * cpu_tuple_cost, chosen by hand with bench/crossover's queries over other plans than
 * tables.  Its time is worth more, but so is that of PostgreSQL's own aggregation, most
 * of which goes into finding a row's group, and for which it charges no more than
 * for an operator.  Without keys there is none to find.
 */
#define SENT_TUPLE 0.05
#define SENT_WITHOUT_KEYS 0.8

/*
 * Finding a page's visible tuples, of the cost of a page that a device reads: 0.25 to
 * 0.45 us, where all are visible.  It and the sending of tuples is what processes divide
 * that feed one run.
 */
#define PAGE_VISIT 0.09

/* Counting a tuple of a page of which nothing is read, in units of taking one in. */
#define UNREAD_TUPLE 0.2

/* A row that the engine has already, likewise: it is not taken out of its page. */
#define KEPT_TUPLE 0.2

/*
 * What starting workers takes more than parallel_setup_cost, in units of that.  On a virtual
 * machine two workers that find nothing to do take 11 ms to start and end, and with the
 * pages that new processes have to map, a scan of 650 MB takes 27 ms more than its share;
 * parallel_setup_cost stands for 4.
 */
#define WORKERS_START 4

/*
 * Reading pages that are in memory, of what the planner counts for pages.
 * It counts the disk's time, which processes do not divide; they do divide this.  A bitmap
 * scan of 41,000 pages, whose pages cost 109,000, takes 57 ms, which are 14,000.  A row that an
 * index finds on a page of its own takes 1.2 to 2 us; the planner counts 16.
 */
#define CACHED_PAGES 0.1

/*
 * Finding a column of a tuple in a page, for each attribute up to it, where a process does
 * so and not a device.  PostgreSQL's plans, to which this matters as much, do not count it,
 * so it decides only how many processes aggregate, and not whose plan is chosen.
 */
#define ATTRIBUTE 0.0006

/* Few rows pass if they are fewer than one of so many. */
#define FEW_PASS 4

/* Looking whether a row's key is of a process's share, in operations. */
#define SHARE_TEST 2

/* The least share of rows that are kept where processes that divide keys read all of them. */
#define NEARLY_ALL 0.98

/* Handing a group of one process over and merging it, in units of making one. */
#define HANDED_GROUP 10

/*
 * What memory makes groups cost beyond that, in the same units.  PostgreSQL's plans, to which
 * it matters as much, do not count it, so it decides only how many processes aggregate, too.
 * A new group's memory is touched for the first time; a record that is handed over, and
 * a merged group, go through memory whose speed processes do not divide.  From 10^7 rows in
 * 10^6 and more groups on 16 cores, as bench/questions --groups has them.
 */
#define NEW_GROUP 13
#define HANDED_RECORD 2.5
#define MERGED_GROUP 12

/*
 * What a list of a group's values takes beyond its values, likewise: its memory, and to begin
 * to order it.  3 million groups of a value each take 3.2 s, and 2.5 s where (group, value) are
 * the keys.
 */
#define GROUP_LIST 40

/*
 * Ordering a row for an aggregate that the session makes, beyond comparisons, and calling the
 * aggregate's function: 0.1 us.
 */
#define ORDERED_ROW 0.025

/*
 * Finding a row's group in a table that is beyond the caches of a core, likewise, for each
 * doubling of its size, as bench/groups --engine cpu measures.  Integers of 4 bytes are mostly of a range that
 * a map holds, whose rows miss less.
 */
#define MISS 1.5
#define MISS_IN_MAP 0.3
#define CACHED_TABLE (4 * 1024 * 1024)

/* A group's part of the CPU engine's hash table, beside its record: in bytes. */
#define SLOTS_SIZE 24

/*
 * The part of the memory up to which groups with many words of first rows are taken to fit.  Tables grow in
 * steps, and shares of processes that divide keys differ; and these groups cost many times as much if they
 * go to files.
 */
#define FIRST_WORDS_FIT 0.7

/*
 * A word of a group's first rows, in costs: it is written when the group is made, moved when the
 * table grows, and copied into a batch.  500,000 groups of 256 words take 10 s, of 32 words 2.2 s, where
 * rows of all of them are fetched.
 */
#define FIRST_WORD 0.0015

/* An engine's costs, where no setting says otherwise. */
static EngineCosts
costs_of(const EngineOps *engine)
{
	EngineCosts costs = *engine->traits->costs;

	if (!engine_is_warm(engine))
		costs.setup += costs.cold;
	if (gpuagg_setup_cost >= 0)
		costs.setup = gpuagg_setup_cost;
	if (gpuagg_page_cost >= 0)
		costs.page = gpuagg_page_cost;
	if (gpuagg_tuple_cost >= 0)
		costs.tuple = gpuagg_tuple_cost;
	if (gpuagg_operator_cost >= 0)
		costs.operator = gpuagg_operator_cost;
	if (gpuagg_group_cost >= 0)
		costs.group = costs.column_group = gpuagg_group_cost;
	return costs;
}

Cost
cost_setup(const EngineOps *engine)
{
	return costs_of(engine).setup;
}

/* Making column batches of PostgreSQL's tuples. */
static Cost
cost_sending(const CostInput *in)
{
	return in->rows_sent * cpu_tuple_cost *
		(in->program->nkeys > 0 ? SENT_TUPLE : SENT_WITHOUT_KEYS);
}

/*
 * Writing so many bytes and reading them, in costs.  Pieces of some pages are written at a file's
 * end, and read where they are: one of four pages is not where the last one was.
 */
static Cost
cost_file(double bytes)
{
	return ceil(bytes / BLCKSZ) * (seq_page_cost + 0.75 * seq_page_cost + 0.25 * random_page_cost);
}

/* Lists that the Program has. */
static int
count_lists(const Program *p)
{
	int			n = 0;

	for (int i = 0; i < p->naccs; i++)
		n += acc_is_list((AccKind) program_accs(p)[i].kind);
	return n;
}

/* The same but for those of rows, which the engine does not order. */
static int
count_value_lists(const Program *p)
{
	int			n = count_lists(p);

	for (int i = 0; i < p->naccs; i++)
		n -= program_accs(p)[i].kind == ACC_ROWS;
	return n;
}

/* The bytes of all lists. */
static double
lists_size(const CostInput *in)
{
	return in->rows_passed * (count_value_lists(in->program) + in->row_words) * sizeof(uint64);
}

/* Lists of values that are ordered, and for which there is no memory in a file. */
static Cost
cost_values(const CostInput *in, const EngineCosts *costs)
{
	double		bytes = in->engine->traits->on_device ? 0 : lists_size(in);

	return in->rows_passed * count_value_lists(in->program) * costs->value +
		(bytes > groups_memory_limit(false) ? cost_file(bytes) : 0);
}

/* What the session makes of lists of rows. */
static Cost
cost_ordering(const CostInput *in)
{
	double		in_group = in->rows_passed / Max(in->groups, 1);

	return in->rows_passed * in->nordered *
		(ORDERED_ROW + 2 * cpu_operator_cost * log2(Max(in_group, 1)));
}

/* The instructions of each conjunct that those before it in the Program do not have. */
static int
conjunct_sizes(const Program *p, int *sizes)
{
	int16_t		conjuncts[PROGRAM_MAX_INSNS];
	int			n = program_conjuncts(p, NULL, conjuncts);
	bool		counted[PROGRAM_MAX_INSNS] = {0};

	for (int c = 0; c < n; c++)
	{
		bool		needed[PROGRAM_MAX_INSNS] = {0};

		program_mark_register(p, conjuncts[c], needed);
		sizes[c] = 0;
		for (int i = 0; i < p->ninsns; i++)
		{
			sizes[c] += needed[i] && !counted[i];
			counted[i] |= needed[i];
		}
	}
	return n;
}

static int
compare_sizes(const void *a, const void *b)
{
	return *(const int *) a - *(const int *) b;
}

/*
 * Operations of a filter for each row.  The CPU engine evaluates a conjunct for the rows that
 * those before it have left.  All are taken to refuse the same share, and the small ones to
 * come first.
 */
static double
filter_operations(const CostInput *in)
{
	int			sizes[PROGRAM_MAX_INSNS];
	int			n = conjunct_sizes(in->program, sizes);
	double		passed = Min(1, in->rows_passed / Max(in->rows, 1));
	double		left = 1;
	double		sum = 0;

	qsort(sizes, n, sizeof(int), compare_sizes);
	for (int c = 0; c < n; c++)
	{
		sum += left * sizes[c];
		left *= pow(passed, 1.0 / n);
	}
	return sum;
}

/*
 * Operations on rows.  The CPU engine evaluates what comes behind the filter for the rows that pass,
 * if these are few.
 */
static double
operations(const CostInput *in)
{
	const Program *p = in->program;
	double		rest = p->ninsns - (p->filter + 1);
	bool		few_pass = in->rows_passed * FEW_PASS < in->rows;

	if (in->engine->traits->on_device || p->filter < 0)
		return in->rows * p->ninsns;
	return in->rows * filter_operations(in) + (few_pass ? in->rows_passed : in->rows) * rest;
}

/* What the engine does with all rows that it reads. */
static Cost
cost_read_rows(const CostInput *in, const EngineCosts *costs)
{
	const Program *p = in->program;
	bool		unread = in->pages > 0 && p->ncolumns == 0;
	/* of kept rows that are only counted the number is known */
	double		spared = in->kept * (program_only_counts(p) ? 1 : 1 - KEPT_TUPLE);
	Cost		cost = in->pages * (1 - in->kept) * costs->page;

	cost += in->rows * (1 - spared) * costs->tuple * (unread ? UNREAD_TUPLE : 1);
	return cost + operations(in) * costs->operator + cost_sending(in);
}

/* And what it does with those that it takes into their groups. */
static Cost
cost_taken_rows(const CostInput *in, const EngineCosts *costs)
{
	const Program *p = in->program;
	double		passed = in->rows_passed * (program_only_counts(p) ? 1 - in->kept : 1);

	return passed * (p->nkeys + p->naccs) * costs->operator + cost_values(in, costs);
}

/* Both, in one process. */
static Cost
cost_rows(const CostInput *in, const EngineCosts *costs)
{
	return cost_read_rows(in, costs) + cost_taken_rows(in, costs);
}

/* What processes do of that which feed one run; the rest is the device's. */
static Cost
cost_feeding(const CostInput *in, const EngineCosts *costs)
{
	return in->pages * (1 - in->kept) * Min(PAGE_VISIT, costs->page) + cost_sending(in);
}

/* Bytes of a group that leaves a table. */
static double
record_size(const CostInput *in)
{
	return (in->program->nkeys + in->program->nwords) * sizeof(uint64);
}

/*
 * Records that leave a table of so much memory, which takes in items that belong to so many
 * groups; 0: all groups fit.  A table that is full is emptied; so many items fill it as it takes, if
 * they come at random, to meet that part of the groups.
 */
static double
spilled_records(const CostInput *in, double memory, double items, double groups)
{
	double		fit = memory / (record_size(in) + SLOTS_SIZE) *
		(program_first_rows(in->program) ? FIRST_WORDS_FIT : 1);
	double		part = fit / Max(groups, 1);

	return part >= 1 ? 0 : Max(groups, items * part / -log1p(-part));
}

/* Records are written, read and merged, which is as much work as a group. */
static Cost
cost_records(const CostInput *in, const EngineCosts *costs, double records)
{
	return records * costs->group + cost_file(records * record_size(in));
}

/* Groups of one process, or those that a device returns, that the memory does not hold. */
static Cost
cost_spilling(const CostInput *in, const EngineCosts *costs)
{
	double		memory = groups_memory_limit(in->regrouped > 0);

	if (in->engine->traits->on_device)
		return cost_file(Max(0, in->groups * record_size(in) - memory));
	return cost_records(in, costs, spilled_records(in, memory, in->rows_passed, in->groups));
}

/* What states with many words of first rows take of so many groups. */
static Cost
cost_first_words(const CostInput *in, double groups)
{
	const Accumulator *first = program_first_rows(in->program);

	return first == NULL ? 0 : groups * first->nwords * FIRST_WORD;
}

/* Making the groups. */
static Cost
cost_groups(const CostInput *in, const EngineCosts *costs)
{
	return in->groups * (in->rows_differ ? costs->column_group : costs->group) +
		cost_first_words(in, in->groups);
}

/* Making coarser groups. */
static Cost
cost_regrouping(const CostInput *in, const EngineCosts *costs)
{
	double		memory = groups_memory_limit(in->processes == 1);

	if (in->regrouped == 0)
		return 0;
	return in->regrouped * costs->group +
		cost_records(in, costs, spilled_records(in, memory, in->regrouped, in->made));
}

Cost
cost_startup(const CostInput *in)
{
	EngineCosts costs = costs_of(in->engine);

	return costs.setup + in->input_cost + cost_rows(in, &costs) + cost_groups(in, &costs) +
		cost_spilling(in, &costs) + cost_regrouping(in, &costs) + cost_ordering(in);
}

/*
 * Of several processes, each has its own groups, all of them if there are few, and merges
 * its share of all processes' groups.  What is handed over, and then merged, is in memory
 * up to the limits of all processes.
 */
static Cost
cost_handing_over(const CostInput *in, const EngineCosts *costs)
{
	double		rows = in->rows_passed / in->divisor;
	double		groups = in->divides_keys ? in->groups / in->processes : Min(in->groups, rows);
	double		memory = groups_memory_limit(false);
	double		records = Max(groups, spilled_records(in, memory, rows, groups));
	double		stored = (records * in->processes + in->groups) * record_size(in);

	return groups * costs->group + cost_first_words(in, groups) +
		records * costs->group * HANDED_GROUP * in->processes / in->divisor +
		cost_file(Max(0, stored - memory * in->processes));
}

/*
 * As PostgreSQL has it for its own parallel scans, processes divide what a row costs,
 * and not what it costs to read pages.  Those that feed one run have no groups, and the
 * device's work is not divided.
 */
Cost
cost_process(const CostInput *in)
{
	EngineCosts costs = costs_of(in->engine);
	Cost		feeding = cost_feeding(in, &costs);

	if (in->engine->partial == NULL)
		return costs.setup + in->input_cost - in->scan_cost +
			(in->scan_cost + feeding) / in->divisor + cost_rows(in, &costs) - feeding;
	if (in->divides_keys)
		return costs.setup + in->input_cost + cost_read_rows(in, &costs) +
			in->rows_passed * SHARE_TEST * costs.operator +
			cost_taken_rows(in, &costs) / in->divisor + cost_handing_over(in, &costs);
	return costs.setup + in->input_cost - in->scan_cost +
		(in->scan_cost + cost_rows(in, &costs)) / in->divisor + cost_handing_over(in, &costs);
}

Cost
cost_merged(const CostInput *in)
{
	EngineCosts costs = costs_of(in->engine);
	/* one run that all feed has been opened once */
	Cost		cost = in->engine->partial != NULL ? costs.setup :
		cost_spilling(in, &costs);

	return cost + cost_groups(in, &costs) + cost_regrouping(in, &costs) + cost_ordering(in);
}

Cost
cost_workers_start(void)
{
	return WORKERS_START * parallel_setup_cost;
}

/*
 * Of two plans for the same rows, processes divide in the second what rows cost, and in
 * neither what pages cost.
 */
Cost
cost_cached_pages_spared(Cost alone, Cost partial, double divisor)
{
	Cost		pages;

	if (divisor <= 1)
		return 0;
	pages = (divisor * partial - alone) / (divisor - 1);
	return Max(0, Min(pages, partial)) * CACHED_PAGES * (1 - 1 / divisor);
}

double
cost_share_in_memory(double pages)
{
	return pages <= effective_cache_size ? CACHED_PAGES : 1;
}

double
cost_share_read_again(double pages)
{
	/* a scan of more than a quarter leaves nothing in shared buffers */
	return pages <= NBuffers / 4 ? 0 : cost_share_in_memory(pages);
}

/* The number of the last attribute that is read. */
static int
last_attribute(const Program *p)
{
	int			last = 0;

	for (int i = 0; i < p->ncolumns; i++)
		last = Max(last, program_columns(p)[i].attno);
	return last;
}

/* The groups that are expected among so many rows of any of them. */
static double
groups_among(double groups, double rows)
{
	return groups > 0 ? groups * -expm1(-rows / groups) : 0;
}

/* Such rows' misses in a table of so many groups, in units of making one. */
static double
misses(const CostInput *in, double rows, double groups)
{
	const Program *p = in->program;
	double		size = groups * (record_size(in) + SLOTS_SIZE);
	bool		map = p->nkeys == 1 && program_key_type(p, 0) == VT_INT4;

	return size <= CACHED_TABLE ? 0 :
		rows * log2(size / CACHED_TABLE) * (map ? MISS_IN_MAP : MISS);
}

/* What groups cost the leader alone beyond cost_startup, in units of making one. */
static double
memory_alone(const CostInput *in)
{
	return in->groups * NEW_GROUP + misses(in, in->rows_passed, in->groups);
}

/* The same of several processes, beyond cost_process and cost_merged. */
static double
memory_together(const CostInput *in)
{
	double		rows = in->rows_passed / in->divisor;
	double		groups = in->divides_keys ? in->groups / in->processes :
		groups_among(in->groups, rows);

	return groups * in->processes * HANDED_RECORD + in->groups * MERGED_GROUP +
		misses(in, rows, groups);
}

/* Can processes divide the keys, and is the setting, or are nearly all rows kept, for it? */
static bool
may_divide_keys(const CostInput *in)
{
	if (in->processes == 1 || in->pages == 0 || in->engine->partial == NULL ||
		!program_has_integer_key(in->program))
		return false;
	return gpuagg_parallel_division == DIVISION_KEYS ||
		(gpuagg_parallel_division == DIVISION_AUTO && in->kept >= NEARLY_ALL);
}

bool
cost_divide_keys(const CostInput *in)
{
	CostInput	rows = *in;
	CostInput	keys = *in;
	Cost		group = costs_of(in->engine).group;

	rows.divides_keys = false;
	keys.divides_keys = true;
	return may_divide_keys(in) &&
		(gpuagg_parallel_division == DIVISION_KEYS ||
		 cost_process(&keys) + memory_together(&keys) * group <
		 cost_process(&rows) + memory_together(&rows) * group);
}

/* Has a group a list that is read again and again from a file? */
static bool
list_exceeds_memory(const CostInput *in)
{
	return count_lists(in->program) > 0 && !in->engine->traits->on_device &&
		lists_size(in) / count_lists(in->program) / Max(in->groups, 1) > groups_memory_limit(false);
}

/* Groups that are regrouped, which the CPU does for every engine. */
static Cost
cost_regrouping_beyond(const CostInput *in)
{
	if (in->regrouped == 0)
		return 0;
	return (in->made * NEW_GROUP + misses(in, in->regrouped, in->made)) *
		costs_of(engine_without_device()).group;
}

Cost
cost_beyond(const CostInput *in)
{
	EngineCosts costs = costs_of(in->engine);
	Cost		cost = cost_regrouping_beyond(in);

	if (!in->engine->traits->on_device)
		cost += costs.group *
			(in->groups * count_lists(in->program) * GROUP_LIST + memory_alone(in));
	return cost + (list_exceeds_memory(in) ? cost_values(in, &costs) : 0);
}

bool
cost_workers_pay(const CostInput *in, Cost alone, Cost together, bool workers_find)
{
	bool		on_device = in->engine->traits->on_device;
	Cost		columns = in->pages > 0 && !on_device ?
		in->rows * last_attribute(in->program) * ATTRIBUTE : 0;
	Cost		spared = alone - together + columns * (1 - 1 / in->divisor);

	if (!workers_find)
		spared += in->pages_spared;
	if (in->engine->partial != NULL)
		spared += (memory_alone(in) - memory_together(in)) * costs_of(in->engine).group;
	return spared > (workers_find ? 0 : cost_workers_start());
}

/* In bytes; 0: no setting limits it. */
static uint64
allowed_memory(void)
{
	int			megabytes = gpuagg_memory_limit;

	if (gpuagg_max_device_memory > 0 && (megabytes == 0 || gpuagg_max_device_memory < megabytes))
		megabytes = gpuagg_max_device_memory;
	return (uint64) megabytes << 20;
}

bool
device_holds_groups(const EngineOps *engine, const Program *program, double rows, double groups,
					char *reason, size_t len)
{
	EngineHints expected = {.rows = program_has_values(program) ? rows : 0,.groups = groups};
	EngineHints none = {0};
	uint64		allowed = allowed_memory();
	uint64		buffers;
	uint64		table;

	if (allowed == 0)
		return true;
	buffers = engine_memory_needed(engine, program, &none);
	/* buffers for few rows are small */
	table = Max(engine_memory_needed(engine, program, &expected), buffers) - buffers;
	if (table <= allowed)
		return true;
	snprintf(reason, len, "the expected groups%s take " UINT64_FORMAT " MB of device memory, and "
			 UINT64_FORMAT " MB are allowed", program_has_values(program) ? " and their values" : "",
			 table >> 20, allowed >> 20);
	return false;
}
