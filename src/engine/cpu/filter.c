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
 * Their order is that of conjunct_order.c.  Expensive ones begin a stage, to be evaluated for few
 * tuples.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/cpu/conjunct_order.h"
#include "engine/cpu/filter.h"
#include "program/conjuncts.h"

/* Tuples are fetched ahead as far as one of so many is read. */
#define FETCHED_SHARE 4

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
	ConjunctOrder order;
	FilterPlan	plan;
	RegisterList rest;			/* what keys and accumulators need */
	uint32_t	n;				/* tuples found */
	uint32_t	found;			/* by the last call of filter_tuples, */
	uint32_t	reach;			/* and how far they were read */
	DeformTuple tuples[CPU_BATCH];
	uint16_t	rows[CPU_BATCH];
};

bool
filter_reads(const Program *program)
{
	bool		needed[PROGRAM_MAX_INSNS] = {0};
	bool		wanted[PROGRAM_MAX_COLUMNS] = {0};

	if (program->filter < 0)
		return false;
	program_mark_register(program, program->filter, needed);
	program_mark_columns(program, needed, wanted);
	for (int c = 0; c < program->ncolumns; c++)
		if (wanted[c] && program_columns(program)[c].attno > 0)
			return true;
	return false;
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
	program_mark_register(program, filter->order.conjuncts[first].reg, needed);
	program_mark_columns(program, needed, wanted);
	for (stage->n = 1; first + stage->n < filter->order.n; stage->n++)
	{
		bool		more[PROGRAM_MAX_COLUMNS] = {0};
		bool		together[PROGRAM_MAX_INSNS];

		memcpy(together, needed, sizeof(together));
		program_mark_register(program, filter->order.conjuncts[first + stage->n].reg, together);
		program_mark_columns(program, together, more);
		if (memcmp(more, wanted, sizeof(more)) != 0 ||
			conjunct_is_expensive(&filter->order.conjuncts[first + stage->n]))
			break;
		memcpy(needed, together, sizeof(needed));
	}
	plan->nstages++;
	stage->pass = deform_pass_create(filter->buffer, wanted, before);
	return stage->pass != NULL && registers_list(program, needed, &stage->needed);
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
	FilterPlan	plan = {.stages = calloc((size_t) filter->order.n, sizeof(FilterStage))};
	bool		made = plan.stages != NULL;

	for (int i = 0; i < filter->order.n && made; i += plan.stages[plan.nstages - 1].n)
		made = add_stage(filter, &plan, i);
	made = made && plan_rest(filter, &plan);
	free_plan(&filter->plan);
	filter->plan = plan;
	return made;
}

/* All that does not change while tuples are filtered; false: no memory. */
static bool
set_up(RowFilter *filter)
{
	const Program *program = filter->program;
	bool		needed[PROGRAM_MAX_INSNS] = {0};
	bool		groups[PROGRAM_MAX_INSNS] = {0};
	bool		wanted[PROGRAM_MAX_COLUMNS] = {0};

	program_mark_register(program, program->filter, needed);
	program_mark_columns(program, needed, wanted);
	program_mark_groups(program, groups);
	filter->buffer = deform_create(program, filter->params, CPU_BATCH, wanted);
	return filter->buffer != NULL &&
		conjuncts_create(&filter->order, program, filter->params, true) &&
		registers_list(program, groups, &filter->rest) && make_plan(filter);
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
	conjuncts_free(&filter->order);
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
		n = conjunct_keep(&filter->order.conjuncts[stage->first + i], filter->eval, filter->rows, n);
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
	if (conjuncts_learn(&filter->order, filter->n) && !make_plan(filter))
	{
		snprintf(message, 256, "out of memory");
		return ENGINE_NO_MEMORY;
	}
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
