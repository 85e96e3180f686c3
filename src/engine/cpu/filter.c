/*
 * filter.c
 *	  A Program's filter over the tuples of heap pages, before anything else of them
 *	  is read.
 *
 * The filter is taken apart into its conjuncts.  Each is evaluated for the tuples
 * for which those before it are true, and reads its columns of these tuples only:
 * late materialization, as in column stores (Abadi et al., Materialization Strategies in
 * a Column-Oriented DBMS, ICDE 2007).  What keys and accumulators need is read
 * last.  Conjuncts that read nothing but what the ones before them do share a
 * stage, which reads it once.
 *
 * Conjuncts that cannot be errors go by cost, as PostgreSQL's do; their order cannot be
 * seen.  What one costs is the walk to the last attribute that it reads, its texts, and
 * its operations.  So among cheap ones the first attributes decide, and a pattern that
 * is looked for in a text comes behind comparisons of integers not far behind the text.
 * One that refuses more tuples may cost more.  Of a look-up in a table it is known beforehand
 * which share of the keys in the table's range it lacks, but not how many rows have keys
 * in that range.  So it is counted what each conjunct refuses, and they are put in order
 * again and again by that, since the tuples of other pages may be others.  But where
 * the Program hides rows, they stay as they are: no order tells of hidden values.
 * Expensive ones begin a stage, to be evaluated for few tuples.  From the first one on
 * that can be an error, all keep the Program's order.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/cpu/filter.h"
#include "engine/cpu/lookup.h"
#include "program/conjuncts.h"

/*
 * Costs, in comparisons of two integers, which take about 0.6 ns.  Measured with counts
 * over 105 columns, 7 of them texts of up to 55 bytes, and rounded.  Attributes of fixed
 * length take next to nothing to pass.
 */
#define PASSED_TEXT_COST 20		/* a walk over an attribute of variable length */
#define TEXT_COST 40			/* reading one */
#define SEARCH_COST 10			/* looking for something in it, or it in a set */
#define PATTERN_COST 100
#define EXPENSIVE SEARCH_COST	/* operations that are worth another stage */

/* The share of tuples that a conjunct refuses if nothing is known, and the least one. */
#define REFUSED_SHARE 0.5
#define LEAST_REFUSED_SHARE 0.01

/*
 * After how many tuples conjuncts are put in order again, which takes as long as a few
 * hundred tuples at most; and how many a conjunct must have seen.
 */
#define LEARNED_TUPLES 8192
#define LEAST_SEEN 256

typedef struct Conjunct
{
	int			reg;
	int			cost;			/* of its operations */
	int			reading;		/* cost: of reading its columns, and what is before them */
	int			last;			/* attribute, from 1, that it reads; 0: none */
	double		refused;		/* the share of tuples for which it is not true */
	uint32_t	nseen;			/* tuples for which it has been evaluated of late, */
	uint32_t	nrefused;		/* and those for which it was not true */
} Conjunct;

/* Tuples are fetched ahead as far as one of so many is read. */
#define FETCHED_SHARE 4

/* Registers that are computed for the same rows, in order. */
typedef struct RegisterList
{
	int			n;
	uint16_t   *registers;
} RegisterList;

typedef struct FilterStage
{
	int			first;			/* conjunct */
	int			n;
	RegisterList needed;
	DeformPass *pass;
} FilterStage;

/* How tuples are read for the conjuncts in their order. */
typedef struct FilterPlan
{
	int			nstages;
	FilterStage *stages;
	DeformPass *rest_pass;		/* of what keys and accumulators need */
} FilterPlan;

struct RowFilter
{
	const Program *program;
	const ParamValue *params;
	Evaluator  *eval;
	DeformBuffer *buffer;		/* the filter's columns */
	const DeformBuffer *rest_buffer;	/* those that keys and accumulators need */
	int			nconjuncts;
	int			nfree;			/* the first ones, which can be sorted */
	Conjunct   *conjuncts;
	FilterPlan	plan;
	RegisterList rest;			/* what keys and accumulators need */
	uint32_t	nlearned;		/* tuples since the conjuncts were put in order */
	uint32_t	n;				/* tuples found */
	uint32_t	found;			/* by the last call of filter_tuples, */
	uint32_t	reach;			/* and how far they were read */
	DeformTuple tuples[CPU_BATCH];
	uint16_t	rows[CPU_BATCH];
};

static int
last_attribute(const Program *program, const bool *wanted)
{
	int			last = 0;

	for (int c = 0; c < program->ncolumns; c++)
		if (wanted[c] && program_columns(program)[c].attno > last)
			last = program_columns(program)[c].attno;
	return last;
}

static int
last_attribute_of(const Program *program, int reg)
{
	bool		needed[PROGRAM_MAX_INSNS] = {0};
	bool		wanted[PROGRAM_MAX_COLUMNS] = {0};

	program_mark_register(program, reg, needed);
	program_mark_columns(program, needed, wanted);
	return last_attribute(program, wanted);
}

/* The table that an instruction reads. */
static Bytes
table_of(const RowFilter *filter, const Insn *insn)
{
	return filter->params[program_insns(filter->program)[insn->arg[1]].index].bytes;
}

static int
insn_cost(const RowFilter *filter, const Insn *insn)
{
	OpCode		op = (OpCode) insn->op;

	if (op_reads_table(op))
		return lookup_cost(op, table_of(filter, insn));
	switch (op)
	{
		case OP_column:
		case OP_param:
			return 0;
		case OP_text_in:
		case OP_text_contains:
		case OP_text_position:
		case OP_text_chars:
		case OP_bpchar_chars:
		case OP_text_first:
		case OP_text_after:
		case OP_text_from:
		case OP_text_last:
		case OP_text_limited:
		case OP_jsonb_place:
		case OP_jsonb_text:
		case OP_jsonb_has:
			return SEARCH_COST;
		case OP_text_like:
		case OP_timestamptz_local:
		case OP_timestamp_utc:
			return PATTERN_COST;
		default:
			return op_makes_text(op) ? SEARCH_COST : 1;
	}
}

/* What it costs to get at the columns that registers read. */
static int
reading_cost(const Program *program, const bool *wanted)
{
	int			cost = 0;

	for (int i = 0; i < last_attribute(program, wanted) - 1; i++)
		cost += program_attrs(program)[i].len < 0 ? PASSED_TEXT_COST : 0;
	for (int c = 0; c < program->ncolumns; c++)
		if (wanted[c] && program_columns(program)[c].type == VT_TEXT)
			cost += TEXT_COST;
	return cost;
}

static double
at_least_seldom(double refused)
{
	return refused > LEAST_REFUSED_SHARE ? refused : LEAST_REFUSED_SHARE;
}

/* Which share of tuples a conjunct refuses: known of whether a table has a key, or lacks it. */
static double
refused_share(const RowFilter *filter, int reg)
{
	bool		lacks;
	const Insn *lookup = program_asked_lookup(filter->program, filter->params, reg, &lacks);
	double		refused;

	if (lookup == NULL)
		return REFUSED_SHARE;
	refused = lookup_share(table_of(filter, lookup));
	if (!lacks)
		refused = 1 - refused;
	return at_least_seldom(refused);
}

static Conjunct
make_conjunct(const RowFilter *filter, int reg)
{
	const Program *program = filter->program;
	Conjunct	conjunct = {.reg = reg,.refused = refused_share(filter, reg)};
	bool		needed[PROGRAM_MAX_INSNS] = {0};
	bool		wanted[PROGRAM_MAX_COLUMNS] = {0};

	program_mark_register(program, reg, needed);
	program_mark_columns(program, needed, wanted);
	for (int i = 0; i <= reg; i++)
		if (needed[i])
			conjunct.cost += insn_cost(filter, &program_insns(program)[i]);
	conjunct.reading = reading_cost(program, wanted);
	conjunct.last = last_attribute(program, wanted);
	return conjunct;
}

bool
filter_reads(const Program *program)
{
	return program->filter >= 0 && last_attribute_of(program, program->filter) > 0;
}

/* What one costs for each tuple that it refuses decides. */
static bool
comes_before(const Conjunct *a, const Conjunct *b)
{
	double		of_a = (a->cost + a->reading) * b->refused;
	double		of_b = (b->cost + b->reading) * a->refused;

	return of_a != of_b ? of_a < of_b : a->last < b->last;
}

/* The filter's conjuncts; false: no memory. */
static bool
make_conjuncts(RowFilter *filter)
{
	int16_t    *registers = calloc(filter->program->ninsns, sizeof(int16_t));

	if (registers == NULL)
		return false;
	filter->nconjuncts = program_conjuncts(filter->program, filter->params, registers);
	filter->nfree = program_free_conjuncts(filter->program, registers, filter->nconjuncts);
	for (int i = 0; i < filter->nconjuncts; i++)
		filter->conjuncts[i] = make_conjunct(filter, registers[i]);
	free(registers);
	return true;
}

/* Sort those that can be sorted by their costs; false: they were in that order. */
static bool
sort_conjuncts(RowFilter *filter)
{
	Conjunct   *conjuncts = filter->conjuncts;
	bool		moved = false;

	for (int i = 0; i < filter->nfree; i++)
	{
		Conjunct	conjunct = conjuncts[i];
		int			to = i;

		for (; to > 0 && comes_before(&conjunct, &conjuncts[to - 1]); to--)
			conjuncts[to] = conjuncts[to - 1];
		conjuncts[to] = conjunct;
		moved |= to < i;
	}
	return moved;
}

/* The registers marked, as a list; false: no memory. */
static bool
list_registers(const Program *program, const bool *needed, RegisterList *list)
{
	list->registers = calloc(program->ninsns, sizeof(uint16_t));
	for (int i = 0; i < program->ninsns && list->registers != NULL; i++)
		if (needed[i])
			list->registers[list->n++] = (uint16_t) i;
	return list->registers != NULL;
}

/* The next stage: conjuncts from `first` on; false: no memory. */
static bool
add_stage(const RowFilter *filter, FilterPlan *plan, int first)
{
	const Program *program = filter->program;
	FilterStage *stage = &plan->stages[plan->nstages];
	const DeformPass *before = plan->nstages > 0 ? stage[-1].pass : NULL;
	bool		needed[PROGRAM_MAX_INSNS] = {0};
	bool		wanted[PROGRAM_MAX_COLUMNS] = {0};

	stage->first = first;
	program_mark_register(program, filter->conjuncts[first].reg, needed);
	program_mark_columns(program, needed, wanted);
	for (stage->n = 1; first + stage->n < filter->nconjuncts; stage->n++)
	{
		bool		more[PROGRAM_MAX_COLUMNS] = {0};
		bool		together[PROGRAM_MAX_INSNS];

		memcpy(together, needed, sizeof(together));
		program_mark_register(program, filter->conjuncts[first + stage->n].reg, together);
		program_mark_columns(program, together, more);
		if (memcmp(more, wanted, sizeof(more)) != 0 ||
			filter->conjuncts[first + stage->n].cost >= EXPENSIVE)
			break;
		memcpy(needed, together, sizeof(needed));
	}
	plan->nstages++;
	stage->pass = deform_pass_create(filter->buffer, wanted, before);
	return stage->pass != NULL && list_registers(program, needed, &stage->needed);
}

static void
free_plan(FilterPlan *plan)
{
	for (int i = 0; i < plan->nstages; i++)
	{
		deform_pass_free(plan->stages[i].pass);
		free(plan->stages[i].needed.registers);
	}
	deform_pass_free(plan->rest_pass);
	free(plan->stages);
}

/* What happens to tuples that pass; false: no memory. */
static bool
plan_rest(const RowFilter *filter, FilterPlan *plan)
{
	bool		needed[PROGRAM_MAX_INSNS] = {0};
	bool		wanted[PROGRAM_MAX_COLUMNS] = {0};

	program_mark_groups(filter->program, needed);
	program_mark_columns(filter->program, needed, wanted);
	plan->rest_pass = deform_pass_create(filter->rest_buffer, wanted,
										 plan->stages[plan->nstages - 1].pass);
	return plan->rest_pass != NULL;
}

/* Plan to evaluate the conjuncts in their order; false: no memory. */
static bool
make_plan(RowFilter *filter)
{
	FilterPlan	plan = {.stages = calloc((size_t) filter->nconjuncts, sizeof(FilterStage))};
	bool		made = plan.stages != NULL;

	for (int i = 0; i < filter->nconjuncts && made; i += plan.stages[plan.nstages - 1].n)
		made = add_stage(filter, &plan, i);
	made = made && plan_rest(filter, &plan);
	free_plan(&filter->plan);
	filter->plan = plan;
	return made;
}

/* Put the conjuncts in order by what they have refused of late; false: no memory. */
static bool
learn(RowFilter *filter)
{
	filter->nlearned = 0;
	for (int i = 0; i < filter->nfree; i++)
	{
		Conjunct   *conjunct = &filter->conjuncts[i];

		if (conjunct->nseen >= LEAST_SEEN)
			conjunct->refused = at_least_seldom((double) conjunct->nrefused / conjunct->nseen);
		conjunct->nseen /= 2;
		conjunct->nrefused /= 2;
	}
	return !sort_conjuncts(filter) || make_plan(filter);
}

/* All that does not change while tuples are filtered; false: no memory. */
static bool
set_up(RowFilter *filter)
{
	const Program *program = filter->program;
	bool		needed[PROGRAM_MAX_INSNS] = {0};
	bool		groups[PROGRAM_MAX_INSNS] = {0};
	bool		wanted[PROGRAM_MAX_COLUMNS] = {0};

	filter->conjuncts = calloc(program->ninsns, sizeof(Conjunct));
	program_mark_register(program, program->filter, needed);
	program_mark_columns(program, needed, wanted);
	program_mark_groups(program, groups);
	filter->buffer = deform_create(program, filter->params, CPU_BATCH, wanted);
	if (filter->conjuncts == NULL || filter->buffer == NULL || !make_conjuncts(filter))
		return false;
	sort_conjuncts(filter);
	return list_registers(program, groups, &filter->rest) && make_plan(filter);
}

RowFilter *
filter_create(const Program *program, const ParamValue *params, Evaluator *eval,
			  const DeformBuffer *rest)
{
	RowFilter  *filter = calloc(1, sizeof(RowFilter));

	if (filter == NULL)
		return NULL;
	filter->program = program;
	filter->params = params;
	filter->eval = eval;
	filter->rest_buffer = rest;
	if (set_up(filter))
		return filter;
	filter_free(filter);
	return NULL;
}

void
filter_free(RowFilter *filter)
{
	if (filter == NULL)
		return;
	free_plan(&filter->plan);
	free(filter->rest.registers);
	deform_free(filter->buffer);
	free(filter->conjuncts);
	free(filter);
}

size_t
filter_memory(const RowFilter *filter)
{
	return sizeof(RowFilter) + deform_memory(filter->buffer);
}

void
filter_expect(RowFilter *filter, const PageRef *page)
{
	deform_expect(filter->buffer, page);
}

EngineStatus
filter_find(RowFilter *filter, const PageRef *page, uint32_t *line, char *message)
{
	return deform_find(filter->buffer, page, line, filter->tuples, &filter->n, CPU_BATCH,
					   message);
}

bool
filter_full(const RowFilter *filter)
{
	return filter->n == CPU_BATCH;
}

/* Which conditions are true is as good as random: no branch, here and below. */
static int
keep_valid(const Vector *condition, uint16_t *rows, int n)
{
	const uint8_t *values = condition->values;
	int			kept = 0;

	for (int i = 0; i < n; i++)
	{
		uint16_t	row = rows[i];

		rows[kept] = row;
		kept += (values[row] != 0) & (int) bit_is_set(condition->valid, row);
	}
	return kept;
}

int
filter_keep(const Vector *condition, uint16_t *rows, int n)
{
	const uint8_t *values = condition->values;
	int			kept = 0;

	if (condition->error)
		for (int i = 0; i < n; i++)
			if (bit_is_set(condition->error, rows[i]))
				return -1;
	if (condition->valid)
		return keep_valid(condition, rows, n);
	for (int i = 0; i < n; i++)
	{
		uint16_t	row = rows[i];

		rows[kept] = row;
		kept += values[row] != 0;
	}
	return kept;
}

/* Of n rows those that are not left out; counts the others. */
static int
list_rows(RowFilter *filter, uint32_t n, uint32_t *nleft)
{
	const uint8_t *left = deform_left(filter->buffer);
	int			kept = 0;

	for (uint32_t i = 0; i < n; i++)
	{
		filter->rows[kept] = (uint16_t) i;
		kept += left == NULL || !left[i];
	}
	*nleft += n - (uint32_t) kept;
	return kept;
}

/* Tuples have been read. */
static void
note_reach(RowFilter *filter, const DeformTuple *tuples, uint32_t n)
{
	uint32_t	reach = (uint64_t) n * FETCHED_SHARE >= filter->found ? deform_reach(tuples, n) : 0;

	if (reach > filter->reach)
		filter->reach = reach;
	deform_set_reach(filter->buffer, filter->reach);
}

/* Keep those of n rows for which a conjunct is true; -1: it is an error of one. */
static int
keep_by(RowFilter *filter, Conjunct *conjunct, int n)
{
	int			kept = filter_keep(eval_register(filter->eval, conjunct->reg), filter->rows, n);

	conjunct->nseen += (uint32_t) n;
	conjunct->nrefused += (uint32_t) (n - kept);
	return kept;
}

/* Keep the tuples for which a stage's conjuncts are true. */
static EngineStatus
run_stage(RowFilter *filter, const FilterStage *stage, FilteredTuples *result, char *message)
{
	EngineStatus status;
	int			n;

	deform_reset(filter->buffer);
	status = deform_read(filter->buffer, stage->pass, result->tuples, result->n, message);
	if (status != ENGINE_OK)
		return status;
	note_reach(filter, result->tuples, result->n);
	if (!eval_registers(filter->eval, deform_batch(filter->buffer), stage->needed.registers,
						stage->needed.n))
	{
		snprintf(message, 256, INTERRUPTED_MESSAGE);
		return ENGINE_FAILED;
	}
	n = list_rows(filter, result->n, &result->left);
	for (int i = 0; i < stage->n && n > 0; i++)
		n = keep_by(filter, &filter->conjuncts[stage->first + i], n);
	if (n < 0)
	{
		snprintf(message, 256, "the filter would raise an error");
		return ENGINE_INEXACT;
	}
	for (int i = 0; i < n; i++)
		result->tuples[i] = result->tuples[filter->rows[i]];
	result->n = (uint32_t) n;
	return ENGINE_OK;
}

EngineStatus
filter_tuples(RowFilter *filter, FilteredTuples *result, char *message)
{
	EngineStatus status = ENGINE_OK;

	result->tuples = filter->tuples;
	result->found = result->n = filter->n;
	result->left = 0;
	filter->found = filter->n;
	filter->reach = 0;
	if (filter->nlearned >= LEARNED_TUPLES && !filter->program->hides_rows && !learn(filter))
	{
		snprintf(message, 256, "out of memory");
		return ENGINE_NO_MEMORY;
	}
	filter->nlearned += filter->n;
	for (int i = 0; i < filter->plan.nstages && status == ENGINE_OK && result->n > 0; i++)
		status = run_stage(filter, &filter->plan.stages[i], result, message);
	filter->n = 0;
	return status;
}

int
filter_take_left(RowFilter *filter, ToastedRow *rows, int max)
{
	return deform_take_left(filter->buffer, rows, max);
}

EngineStatus
filter_read_rest(RowFilter *filter, DeformBuffer *rest, DeformTuple *tuples,
				 uint32_t n, char *message)
{
	EngineStatus status = deform_read(rest, filter->plan.rest_pass, tuples, n, message);

	note_reach(filter, tuples, n);
	return status;
}

bool
filter_eval_rest(const RowFilter *filter, const ColumnBatch *batch)
{
	return eval_registers(filter->eval, batch, filter->rest.registers, filter->rest.n);
}
