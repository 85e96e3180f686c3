/*
 * batch_filter.c
 *	  A Program's filter over column batches, and what is evaluated of the rows that pass.
 *
 * Operations are evaluated for all rows of a batch, in loops without branches.  That is a waste
 * where few rows are left: so these then become a batch of their own, of the columns that are
 * needed from there on, and the next operations are evaluated for that.
 *
 * Where one of the filter's conjuncts costs more than comparisons, they are evaluated one by one
 * (conjunct_order.c).  Comparisons only are evaluated as the one expression that they are, which
 * takes no list of rows after each.
 *
 * Of rows whose texts have codes other registers are computed (coded_rows.c), so there are two
 * lists of these.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/column_batch.h"
#include "engine/cpu/batch_filter.h"
#include "engine/cpu/conjunct_order.h"
#include "engine/cpu/gather.h"
#include "program/conjuncts.h"

/* A conjunct of at least that cost is none of comparisons only. */
#define DEAR_COST 3

/* Rows become a batch of their own if they are fewer than one of so many of the batch. */
#define CONJUNCT_SHARE 4		/* before a conjunct that compares */
#define DEAR_CONJUNCT_SHARE 2	/* before one that costs more */
#define REST_SHARE 4			/* before what keys and accumulators need */

/* What these need is worth it where it has an operation for so many columns. */
#define COLUMNS_OF_OPERATION 2

#define VALUES_SIZE (CPU_BATCH * 16)	/* bytes of a column's values */

/* Registers to compute, in ascending order. */
typedef struct RegisterLists
{
	RegisterList *needed;		/* by conjunct's number, or for the filter: what it is made of */
	RegisterList rest;			/* what keys and accumulators need */
	int			rest_ops;		/* of these, operations, */
	int			rest_columns;	/* and columns */
	bool	   *wanted;			/* columns that are needed from a conjunct on, or, behind the last
								 * one, by the rest: a line of ncolumns for each */
	uint16_t   *registers;		/* of all lists, ninsns each */
} RegisterLists;

struct BatchFilter
{
	const Program *program;
	Evaluator  *eval;
	bool		one_by_one;		/* are conjuncts evaluated so? */
	ConjunctOrder order;
	int16_t    *numbers;		/* of conjuncts' registers, by register: in RegisterLists.needed */
	RegisterLists lists;
	RegisterLists coded_lists;	/* for rows with codes, by a plan of this number: */
	uint32_t	coded_plan;
	ColumnBatch batch;			/* whose rows are the rows now */
	CodedRows  *coded;			/* their codes, or NULL */
	bool	   *computed;		/* registers that have been computed of it */
	ColumnVector *vectors;		/* of rows that have become a batch of their own: */
	char	   *values;			/* VALUES_SIZE a column, and */
	uint64_t   *validity;		/* CPU_BATCH_WORDS */
};

/* Those of the batch. */
static const RegisterLists *
lists_of(const BatchFilter *filter)
{
	return filter->coded != NULL ? &filter->coded_lists : &filter->lists;
}

static bool *
wanted_from(const BatchFilter *filter, const RegisterLists *lists, int conjunct)
{
	return lists->wanted + (size_t) conjunct * filter->program->ncolumns;
}

static void
mark_register(const BatchFilter *filter, int reg, bool *needed)
{
	if (filter->coded != NULL)
		coded_mark_register(filter->coded, reg, needed);
	else
		program_mark_register(filter->program, reg, needed);
}

static void
mark_groups(const BatchFilter *filter, bool *needed)
{
	if (filter->coded != NULL)
		coded_mark_groups(filter->coded, needed);
	else
		program_mark_groups(filter->program, needed);
}

/* Which columns are needed from each conjunct on. */
static void
find_wanted(const BatchFilter *filter, RegisterLists *lists)
{
	const Program *program = filter->program;
	bool		needed[PROGRAM_MAX_INSNS] = {0};

	mark_groups(filter, needed);
	for (int i = filter->order.n; i >= 0; i--)
	{
		bool	   *wanted = wanted_from(filter, lists, i);

		if (i < filter->order.n)
			mark_register(filter, filter->order.conjuncts[i].reg, needed);
		memset(wanted, 0, (size_t) program->ncolumns * sizeof(bool));
		program_mark_columns(program, needed, wanted);
	}
}

static void
find_rest(const BatchFilter *filter, RegisterLists *lists)
{
	bool		needed[PROGRAM_MAX_INSNS] = {0};

	mark_groups(filter, needed);
	registers_fill(filter->program, needed, &lists->rest);
	lists->rest_ops = lists->rest_columns = 0;
	for (int i = 0; i < lists->rest.n; i++)
	{
		OpCode		op = (OpCode) program_insns(filter->program)[lists->rest.registers[i]].op;

		lists->rest_columns += op == OP_column;
		lists->rest_ops += op != OP_column && op != OP_param;
	}
}

/* The lists for the batch's kind of rows. */
static void
find_lists(const BatchFilter *filter, RegisterLists *lists)
{
	for (int i = 0; i < filter->order.n; i++)
	{
		int			reg = filter->order.conjuncts[i].reg;
		bool		needed[PROGRAM_MAX_INSNS] = {0};

		mark_register(filter, reg, needed);
		registers_fill(filter->program, needed, &lists->needed[filter->numbers[reg]]);
	}
	if (!filter->one_by_one)
	{
		bool		needed[PROGRAM_MAX_INSNS] = {0};

		mark_register(filter, filter->program->filter, needed);
		registers_fill(filter->program, needed, &lists->needed[filter->order.n]);
	}
	find_rest(filter, lists);
	find_wanted(filter, lists);
}

static bool
create_lists(const BatchFilter *filter, RegisterLists *lists)
{
	size_t		n = (size_t) filter->order.n + 1;
	size_t		ninsns = (size_t) filter->program->ninsns;

	lists->needed = calloc(n, sizeof(RegisterList));
	lists->wanted = calloc(n, ((size_t) filter->program->ncolumns + 1) * sizeof(bool));
	lists->registers = calloc((n + 1) * ninsns, sizeof(uint16_t));
	if (lists->needed == NULL || lists->wanted == NULL || lists->registers == NULL)
		return false;
	for (size_t i = 0; i < n; i++)
		lists->needed[i].registers = lists->registers + i * ninsns;
	lists->rest.registers = lists->registers + n * ninsns;
	return true;
}

static void
free_lists(RegisterLists *lists)
{
	free(lists->needed);
	free(lists->wanted);
	free(lists->registers);
}

static bool
set_up(BatchFilter *filter, const ParamValue *params)
{
	const Program *program = filter->program;
	size_t		ncolumns = (size_t) program->ncolumns + 1;

	if (!conjuncts_create(&filter->order, program, params, false))
		return false;
	filter->numbers = calloc((size_t) program->ninsns, sizeof(int16_t));
	filter->computed = calloc((size_t) program->ninsns, sizeof(bool));
	filter->vectors = calloc(ncolumns, sizeof(ColumnVector));
	filter->values = malloc(ncolumns * VALUES_SIZE);
	filter->validity = malloc(ncolumns * CPU_BATCH_WORDS * sizeof(uint64_t));
	if (!filter->numbers || !filter->computed || !filter->vectors || !filter->values ||
		!filter->validity || !create_lists(filter, &filter->lists) ||
		!create_lists(filter, &filter->coded_lists))
		return false;
	for (int i = 0; i < filter->order.n; i++)
	{
		const Conjunct *conjunct = &filter->order.conjuncts[i];

		filter->numbers[conjunct->reg] = (int16_t) i;
		filter->one_by_one |= filter->order.n > 1 && conjunct->cost >= DEAR_COST;
	}
	find_lists(filter, &filter->lists);
	return true;
}

BatchFilter *
batch_filter_create(const Program *program, const ParamValue *params, Evaluator *eval)
{
	BatchFilter *filter = calloc(1, sizeof(BatchFilter));

	if (filter == NULL)
		return NULL;
	filter->program = program;
	filter->eval = eval;
	if (set_up(filter, params))
		return filter;
	batch_filter_free(filter);
	return NULL;
}

void
batch_filter_free(BatchFilter *filter)
{
	if (filter == NULL)
		return;
	conjuncts_free(&filter->order);
	free_lists(&filter->lists);
	free_lists(&filter->coded_lists);
	free(filter->numbers);
	free(filter->computed);
	free(filter->vectors);
	free(filter->values);
	free(filter->validity);
	free(filter);
}

size_t
batch_filter_memory(const BatchFilter *filter)
{
	return sizeof(BatchFilter) + ((size_t) filter->program->ncolumns + 1) *
		(VALUES_SIZE + CPU_BATCH_WORDS * sizeof(uint64_t));
}

/* Those of the registers that have not been computed of this batch; false: interrupted. */
static bool
compute(BatchFilter *filter, const RegisterList *list)
{
	for (int i = 0; i < list->n; i++)
	{
		uint16_t	reg = list->registers[i];

		if (filter->computed[reg])
			continue;
		if (!(filter->coded != NULL ? coded_register(filter->coded, reg) :
			  eval_run(filter->eval, &filter->batch, reg, reg + 1)))
			return false;
		filter->computed[reg] = true;
	}
	return true;
}

/* The texts of rows, which stand behind one another. */
static void
gather_texts(const ColumnVector *vector, const uint16_t *rows, int n, char *values)
{
	Bytes	   *to = (Bytes *) (void *) values;

	for (int i = 0; i < n; i++)
	{
		uint32_t	start = vector->offsets[rows[i]];

		to[i] = (Bytes) {(const char *) vector->values + start, vector->offsets[rows[i] + 1] - start};
	}
}

static void
gather_column(BatchFilter *filter, int c, const uint16_t *rows, int n)
{
	const ColumnVector *vector = &filter->batch.columns[c];
	ValueType	type = (ValueType) program_columns(filter->program)[c].type;
	char	   *values = filter->values + (size_t) c * VALUES_SIZE;
	uint8_t    *validity = (uint8_t *) (filter->validity + (size_t) c * CPU_BATCH_WORDS);

	if (type == VT_TEXT && vector->offsets != NULL)
		gather_texts(vector, rows, n, values);
	else
		gather_values(values, vector->values, type == VT_TEXT ? sizeof(Bytes) :
					  (size_t) value_type_size(type), rows, (uint32_t) n);
	if (vector->validity != NULL)
		gather_bits(validity, vector->validity, rows, (uint32_t) n);
	filter->vectors[c] = (ColumnVector)
	{
		.values = values,.validity = vector->validity != NULL ? validity : NULL
	};
}

/* Have the rows be a batch of their own, with columns that are needed from a conjunct on. */
static void
gather(BatchFilter *filter, int conjunct, uint16_t *rows, int n)
{
	const bool *wanted = wanted_from(filter, lists_of(filter), conjunct);

	/* of texts with codes there are no values */
	for (int c = 0; c < filter->program->ncolumns; c++)
		if (wanted[c] && filter->batch.columns[c].values != NULL)
			gather_column(filter, c, rows, n);
		else
			filter->vectors[c] = (ColumnVector) {0};
	filter->batch = (ColumnBatch) {.nrows = (uint32_t) n,.columns = filter->vectors};
	if (filter->coded != NULL)
		coded_gather(filter->coded, &filter->batch, rows, (uint32_t) n);
	memset(filter->computed, 0, (size_t) filter->program->ninsns * sizeof(bool));
	for (int i = 0; i < n; i++)
		rows[i] = (uint16_t) i;
}

/* The conjuncts one by one. */
static int
keep_one_by_one(BatchFilter *filter, uint16_t *rows, int n)
{
	const RegisterLists *lists = lists_of(filter);

	for (int i = 0; i < filter->order.n && n > 0; i++)
	{
		Conjunct   *conjunct = &filter->order.conjuncts[i];

		if ((uint32_t) n * (conjunct->cost < DEAR_COST ? CONJUNCT_SHARE : DEAR_CONJUNCT_SHARE) <
			filter->batch.nrows)
			gather(filter, i, rows, n);
		if (!compute(filter, &lists->needed[filter->numbers[conjunct->reg]]))
			return BATCH_INTERRUPTED;
		n = conjunct_keep(conjunct, filter->eval, rows, n);
	}
	return n < 0 ? BATCH_ROW_FAILS : n;
}

/* Begin with a batch. */
static void
begin_batch(BatchFilter *filter, const ColumnBatch *batch, CodedRows *coded, int n)
{
	bool		moved = filter->one_by_one && conjuncts_learn(&filter->order, (uint32_t) n);

	if (moved)
	{
		filter->coded = NULL;
		find_wanted(filter, &filter->lists);
		filter->coded_plan = 0;
	}
	filter->batch = *batch;
	filter->coded = coded;
	memset(filter->computed, 0, (size_t) filter->program->ninsns * sizeof(bool));
	if (coded == NULL)
		return;
	coded_begin_batch(coded, &filter->batch, filter->one_by_one);
	if (coded_plan_number(coded) != filter->coded_plan)
		find_lists(filter, &filter->coded_lists);
	filter->coded_plan = coded_plan_number(coded);
}

int
batch_filter_keep(BatchFilter *filter, const ColumnBatch *batch, CodedRows *coded, uint16_t *rows,
				  int n)
{
	begin_batch(filter, batch, coded, n);
	if (filter->one_by_one)
		return keep_one_by_one(filter, rows, n);
	if (!compute(filter, &lists_of(filter)->needed[filter->order.n]))
		return BATCH_INTERRUPTED;
	n = filter_keep(eval_register(filter->eval, filter->program->filter), rows, n);
	return n < 0 ? BATCH_ROW_FAILS : n;
}

bool
batch_filter_eval_rest(BatchFilter *filter, uint16_t *rows, int n)
{
	const RegisterLists *lists = lists_of(filter);

	if ((uint32_t) n * REST_SHARE < filter->batch.nrows &&
		lists->rest_ops * COLUMNS_OF_OPERATION >= lists->rest_columns)
		gather(filter, filter->order.n, rows, n);
	return filter->coded != NULL ? coded_accs(filter->coded) : compute(filter, &lists->rest);
}
