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
 */
#include <stdlib.h>
#include <string.h>

#include "engine/column_batch.h"
#include "engine/cpu/batch_filter.h"
#include "engine/cpu/conjunct_order.h"
#include "program/conjuncts.h"

/* A conjunct of at least that cost is none of comparisons only. */
#define DEAR_COST 3

/* Rows become a batch of their own if they are fewer than one of so many before a conjunct, */
#define CONJUNCT_SHARE 2

/* and before what comes behind the filter. */
#define REST_SHARE 4
#define COLUMNS_OF_OPERATION 2	/* there must be an operation for so many columns, too */

#define VALUES_SIZE (CPU_BATCH * 16)	/* bytes of a column's values */

struct BatchFilter
{
	const Program *program;
	Evaluator  *eval;
	bool		one_by_one;		/* are conjuncts evaluated so? */
	ConjunctOrder order;
	RegisterList *needed;		/* by register: what it is made of, if it is a conjunct's */
	RegisterList rest;			/* what keys and accumulators need */
	int			rest_ops;		/* of these, operations, */
	int			rest_columns;	/* and columns */
	bool	   *wanted;			/* columns that are needed from a conjunct on, or, behind the last
								 * one, by the rest: a line of ncolumns for each */
	ColumnBatch batch;			/* whose rows are the rows now */
	bool	   *computed;		/* registers that have been computed of it */
	ColumnVector *vectors;		/* of rows that have become a batch of their own: */
	char	   *values;			/* VALUES_SIZE a column, and */
	uint64_t   *validity;		/* CPU_BATCH_WORDS */
};

static bool *
wanted_from(const BatchFilter *filter, int conjunct)
{
	return filter->wanted + (size_t) conjunct * filter->program->ncolumns;
}

/* Which columns are needed from each conjunct on. */
static void
find_wanted(BatchFilter *filter)
{
	const Program *program = filter->program;
	bool		needed[PROGRAM_MAX_INSNS] = {0};

	program_mark_groups(program, needed);
	for (int i = filter->order.n; i >= 0; i--)
	{
		bool	   *wanted = wanted_from(filter, i);

		if (i < filter->order.n)
			program_mark_register(program, filter->order.conjuncts[i].reg, needed);
		memset(wanted, 0, (size_t) program->ncolumns * sizeof(bool));
		program_mark_columns(program, needed, wanted);
	}
}

/* What a register is made of; false: no memory. */
static bool
find_needed(BatchFilter *filter, int reg)
{
	bool		needed[PROGRAM_MAX_INSNS] = {0};

	program_mark_register(filter->program, reg, needed);
	return registers_list(filter->program, needed, &filter->needed[reg]);
}

static bool
find_rest(BatchFilter *filter)
{
	bool		needed[PROGRAM_MAX_INSNS] = {0};

	program_mark_groups(filter->program, needed);
	for (int i = 0; i < filter->program->ninsns; i++)
	{
		OpCode		op = (OpCode) program_insns(filter->program)[i].op;

		filter->rest_columns += needed[i] && op == OP_column;
		filter->rest_ops += needed[i] && op != OP_column && op != OP_param;
	}
	return registers_list(filter->program, needed, &filter->rest);
}

static bool
set_up(BatchFilter *filter, const ParamValue *params)
{
	const Program *program = filter->program;
	size_t		ncolumns = (size_t) program->ncolumns + 1;
	bool		made;

	if (!conjuncts_create(&filter->order, program, params, false))
		return false;
	for (int i = 0; i < filter->order.n; i++)
		filter->one_by_one |= filter->order.n > 1 && filter->order.conjuncts[i].cost >= DEAR_COST;
	filter->needed = calloc((size_t) program->ninsns, sizeof(RegisterList));
	filter->wanted = calloc((size_t) filter->order.n + 1, ncolumns * sizeof(bool));
	filter->computed = calloc((size_t) program->ninsns, sizeof(bool));
	filter->vectors = calloc(ncolumns, sizeof(ColumnVector));
	filter->values = malloc(ncolumns * VALUES_SIZE);
	filter->validity = malloc(ncolumns * CPU_BATCH_WORDS * sizeof(uint64_t));
	made = filter->needed && filter->wanted && filter->computed && filter->vectors &&
		filter->values && filter->validity && find_rest(filter) &&
		find_needed(filter, program->filter);
	for (int i = 0; i < filter->order.n && made; i++)
		if (filter->order.conjuncts[i].reg != program->filter)
			made = find_needed(filter, filter->order.conjuncts[i].reg);
	if (made)
		find_wanted(filter);
	return made;
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
	for (int i = 0; filter->needed != NULL && i < filter->program->ninsns; i++)
		free(filter->needed[i].registers);
	conjuncts_free(&filter->order);
	free(filter->needed);
	free(filter->rest.registers);
	free(filter->wanted);
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
		if (!eval_run(filter->eval, &filter->batch, reg, reg + 1))
			return false;
		filter->computed[reg] = true;
	}
	return true;
}

#define GATHER(ctype) \
	do { \
		const ctype *from = vector->values; \
		ctype	   *to = (ctype *) (void *) values; \
		for (int i = 0; i < n; i++) \
			to[i] = from[rows[i]]; \
	} while (0)

typedef struct TwoWords
{
	uint64_t	words[2];
} TwoWords;

/* The values of rows, which can be those of the same array further on. */
static void
gather_values(const ColumnVector *vector, ValueType type, const uint16_t *rows, int n,
			  char *values)
{
	switch (value_type_size(type))
	{
		case 1:
			GATHER(uint8_t);
			break;
		case 2:
			GATHER(uint16_t);
			break;
		case 4:
			GATHER(uint32_t);
			break;
		case 8:
			GATHER(uint64_t);
			break;
		case 16:
			GATHER(TwoWords);
			break;
		default:
			GATHER(Bytes);
	}
}

/* The same of texts that stand behind one another. */
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
gather_validity(const uint8_t *from, const uint16_t *rows, int n, uint8_t *to)
{
	for (int i = 0; i < n; i++)
	{
		uint8_t		bit = (uint8_t) (1 << i % 8);

		if (from[rows[i] / 8] >> rows[i] % 8 & 1)
			to[i / 8] |= bit;
		else
			to[i / 8] &= (uint8_t) ~bit;
	}
}

static void
gather_column(BatchFilter *filter, int c, const uint16_t *rows, int n)
{
	const ColumnVector *vector = &filter->batch.columns[c];
	ValueType	type = (ValueType) program_columns(filter->program)[c].type;
	char	   *values = filter->values + (size_t) c * VALUES_SIZE;
	uint8_t    *validity = (uint8_t *) (filter->validity + (size_t) c * CPU_BATCH_WORDS);

	if (vector->offsets != NULL)
		gather_texts(vector, rows, n, values);
	else
		gather_values(vector, type, rows, n, values);
	if (vector->validity != NULL)
		gather_validity(vector->validity, rows, n, validity);
	filter->vectors[c] = (ColumnVector)
	{
		.values = values,.validity = vector->validity != NULL ? validity : NULL
	};
}

/* Have the rows be a batch of their own, with columns that are needed from a conjunct on. */
static void
gather(BatchFilter *filter, int conjunct, uint16_t *rows, int n)
{
	const bool *wanted = wanted_from(filter, conjunct);

	for (int c = 0; c < filter->program->ncolumns; c++)
		if (wanted[c])
			gather_column(filter, c, rows, n);
	filter->batch = (ColumnBatch) {.nrows = (uint32_t) n,.columns = filter->vectors};
	memset(filter->computed, 0, (size_t) filter->program->ninsns * sizeof(bool));
	for (int i = 0; i < n; i++)
		rows[i] = (uint16_t) i;
}

/* The conjuncts one by one. */
static int
keep_one_by_one(BatchFilter *filter, uint16_t *rows, int n)
{
	if (conjuncts_learn(&filter->order, (uint32_t) n))
		find_wanted(filter);
	for (int i = 0; i < filter->order.n && n > 0; i++)
	{
		Conjunct   *conjunct = &filter->order.conjuncts[i];

		if ((uint32_t) n * CONJUNCT_SHARE < filter->batch.nrows)
			gather(filter, i, rows, n);
		if (!compute(filter, &filter->needed[conjunct->reg]))
			return BATCH_INTERRUPTED;
		n = conjunct_keep(conjunct, filter->eval, rows, n);
	}
	return n < 0 ? BATCH_ROW_FAILS : n;
}

int
batch_filter_keep(BatchFilter *filter, const ColumnBatch *batch, uint16_t *rows, int n)
{
	int			reg = filter->program->filter;

	filter->batch = *batch;
	memset(filter->computed, 0, (size_t) filter->program->ninsns * sizeof(bool));
	if (filter->one_by_one)
		return keep_one_by_one(filter, rows, n);
	if (!compute(filter, &filter->needed[reg]))
		return BATCH_INTERRUPTED;
	n = filter_keep(eval_register(filter->eval, reg), rows, n);
	return n < 0 ? BATCH_ROW_FAILS : n;
}

bool
batch_filter_eval_rest(BatchFilter *filter, uint16_t *rows, int n)
{
	if ((uint32_t) n * REST_SHARE < filter->batch.nrows &&
		filter->rest_ops * COLUMNS_OF_OPERATION >= filter->rest_columns)
		gather(filter, filter->order.n, rows, n);
	return compute(filter, &filter->rest);
}
