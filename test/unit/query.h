/*
 * query.h
 *	  A query for an engine, without PostgreSQL: columns written value by value,
 *	  a run through EngineOps, and its groups to be looked up by their keys.
 */
#ifndef QUERY_H
#define QUERY_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"
#include "float_state.h"
#include "program/state.h"

#define QUERY_COLUMNS 16

/* A column in the making; a TEXT's values are bytes. */
typedef struct QueryColumn
{
	ValueType	type;
	char	   *values;
	size_t		used;			/* bytes */
	size_t		room;
	uint32_t   *offsets;		/* TEXT only */
	uint8_t    *validity;
	bool		has_nulls;
	uint32_t	nrows;
	uint32_t	rows_room;
} QueryColumn;

typedef struct Query
{
	ProgramBuilder b;
	EngineHints hints;
	ParamValue	params[PROGRAM_MAX_PARAMS];
	int			regs[QUERY_COLUMNS];
	QueryColumn columns[QUERY_COLUMNS];
	int			ncolumns;

	/* of a run */
	EngineStatus status;
	char		message[256];
	EngineStats stats;
	uint32_t	ngroups;
	char	  **names;			/* of each group: its keys as text, by '|' */
	uint64_t   *states;
	uint32_t	nwords;
	uint64_t  **lists;			/* that states have the addresses of */
	uint32_t	nlists;
	uint32_t	nstored;		/* of them, that were read from the store */
} Query;

static inline Query *
query_begin(void)
{
	Query	   *q = calloc(1, sizeof(Query));

	program_begin(&q->b, SOURCE_COLUMNS);
	return q;
}

/* A column of the input; its register. */
static inline int
query_column(Query *q, ValueType type)
{
	q->columns[q->ncolumns].type = type;
	q->regs[q->ncolumns] = program_add_column(&q->b, q->ncolumns + 1, type, true, -1);
	return q->regs[q->ncolumns++];
}

/* A constant's register. */
static inline int
query_constant(Query *q, ValueType type, bool isnull, int64_t word, const char *text)
{
	int			param = program_add_param(&q->b, type);

	q->params[param].type = type;
	q->params[param].isnull = isnull;
	q->params[param].word = word;
	if (text != NULL)
		q->params[param].bytes = (Bytes) {text, strlen(text)};
	return program_add_param_ref(&q->b, param);
}

static inline int
query_op(Query *q, OpCode op, int left, int right)
{
	return program_add_op(&q->b, op, left, right);
}

/* Forget the rows, not the program. */
static inline void
query_clear(Query *q)
{
	for (int i = 0; i < q->ncolumns; i++)
	{
		q->columns[i].used = 0;
		q->columns[i].nrows = 0;
		q->columns[i].has_nulls = false;
	}
}

/* Append a value's bytes to a column; NULL: NULL. */
static inline void
query_put(Query *q, int column, const void *value, size_t len)
{
	QueryColumn *c = &q->columns[column];
	size_t		size = c->type == VT_TEXT ? len : (size_t) value_type_size(c->type);

	if (value == NULL && c->type == VT_TEXT)
		size = 0;
	if (c->nrows + 1 >= c->rows_room)
	{
		c->rows_room = c->rows_room * 2 + 64;
		c->validity = realloc(c->validity, c->rows_room / 8 + 1);
		c->offsets = realloc(c->offsets, c->rows_room * sizeof(uint32_t));
		c->offsets[0] = 0;
	}
	while (c->used + size >= c->room)
		c->values = realloc(c->values, c->room = c->room * 2 + 1024);
	if (value != NULL)
		memcpy(c->values + c->used, value, size);
	else
		memset(c->values + c->used, 0xa5, size);	/* must not matter */
	c->used += size;
	c->validity[c->nrows / 8] &= ~(1 << c->nrows % 8);
	c->validity[c->nrows / 8] |= (value != NULL) << c->nrows % 8;
	c->has_nulls |= value == NULL;
	c->nrows++;
	c->offsets[c->nrows] = c->used;
}

static inline void
put_null(Query *q, int column)
{
	query_put(q, column, NULL, 0);
}

static inline void
put_bool(Query *q, int column, bool value)
{
	uint8_t		byte = value;

	query_put(q, column, &byte, 1);
}

static inline void
put_int2(Query *q, int column, int16_t value)
{
	query_put(q, column, &value, 2);
}

static inline void
put_int4(Query *q, int column, int32_t value)
{
	query_put(q, column, &value, 4);
}

static inline void
put_int8(Query *q, int column, int64_t value)
{
	query_put(q, column, &value, 8);
}

static inline void
put_float4(Query *q, int column, float value)
{
	query_put(q, column, &value, 4);
}

static inline void
put_float8(Query *q, int column, double value)
{
	query_put(q, column, &value, 8);
}

static inline void
put_text(Query *q, int column, const char *value)
{
	query_put(q, column, value, strlen(value));
}

/* A key's value, appended to text; a name long enough for the tests' keys. */
static inline void
append_key(char *text, size_t len, const ColumnVector *key, ValueType type, uint32_t row)
{
	size_t		used = strlen(text);
	char	   *to = text + used;
	const char *values = key->values;
	size_t		size = (size_t) value_type_size(type);
	int64_t		word = 0;
	double		number = 0;

	len -= used;
	if (key->validity != NULL && !(key->validity[row / 8] >> row % 8 & 1))
	{
		snprintf(to, len, "null");
		return;
	}
	if (type == VT_TEXT)
	{
		snprintf(to, len, "%.*s", (int) (key->offsets[row + 1] - key->offsets[row]),
				 values + key->offsets[row]);
		return;
	}
	values += row * size;
	memcpy(&word, values, size < 8 ? size : 8);
	switch (type)
	{
		case VT_INT2:
			word = (int16_t) word;
			break;
		case VT_INT4:
			word = (int32_t) word;
			break;
		case VT_CHAR:
			word = (int8_t) word;
			break;
		case VT_FLOAT4:
			{
				float		single;

				memcpy(&single, values, 4);
				number = single;
				break;
			}
		case VT_FLOAT8:
			memcpy(&number, values, 8);
			break;
		default:
			break;
	}
	if (type == VT_FLOAT4 || type == VT_FLOAT8)
		snprintf(to, len, "%g", number != number ? fabs(number) : number);
	else if (type == VT_UUID)
		for (int i = 0; i < 16; i++)
			snprintf(to + 2 * i, len - 2 * i, "%02x", (unsigned) (uint8_t) values[i]);
	else
		snprintf(to, len, "%lld", (long long) word);
}

static inline int
query_compare_words(const void *a, const void *b)
{
	uint64_t	first = *(const uint64_t *) a;
	uint64_t	second = *(const uint64_t *) b;

	return (first > second) - (first < second);
}

/* Read a list that has stayed in the store, of which there are n values; more, or less, is no answer. */
static inline void
query_read_list(Query *q, EngineRun *run, StoredList *list, uint64_t *to, uint64_t n)
{
	uint64_t	nread = 0;

	q->nstored++;
	do
	{
		q->status = run->ops->lists->list(run, list);
		if (q->status == ENGINE_OK && list->n > n - nread)
			q->status = ENGINE_FAILED;
		if (q->status == ENGINE_OK && list->n > 0)
			memcpy(to + nread, list->values, list->n * sizeof(uint64_t));
		nread += q->status == ENGINE_OK ? list->n : 0;
	} while (q->status == ENGINE_OK && list->n > 0);
	if (q->status == ENGINE_OK && nread < n)
		q->status = ENGINE_FAILED;
}

/* Copies of lists that are given, which are the run's: those of the batch's groups. */
static inline void
query_take_lists(Query *q, EngineRun *run, const Program *program, uint32_t ngroups)
{
	const Accumulator *accs = program_accs(program);

	for (int i = 0; i < program->naccs; i++)
	{
		if (!acc_is_given((AccKind) accs[i].kind))
			continue;
		q->lists = realloc(q->lists, (q->nlists + ngroups) * sizeof(uint64_t *));
		for (uint32_t g = 0; g < ngroups; g++)
		{
			uint64_t   *words = q->states + (size_t) (q->ngroups + g) * q->nwords + accs[i].word;
			uint64_t   *copy = calloc(words[1] + 1, sizeof(uint64_t));

			if (words[1] > 0 && words[0] == 0 && q->status == ENGINE_OK)
			{
				StoredList	list = {.group = g,.word = accs[i].word};

				query_read_list(q, run, &list, copy, words[1]);
				if (accs[i].kind == ACC_GIVEN_VALUES)
					qsort(copy, words[1], sizeof(uint64_t), query_compare_words);
			}
			else if (words[1] > 0 && words[0] != 0)
				memcpy(copy, (const void *) (uintptr_t) words[0], words[1] * sizeof(uint64_t));
			words[0] = (uint64_t) (uintptr_t) copy;
			q->lists[q->nlists++] = copy;
		}
	}
}

static inline void
query_take_groups(Query *q, EngineRun *run, const Program *program, const Program *ran,
				  const GroupBatch *batch)
{
	q->names = realloc(q->names, (q->ngroups + batch->ngroups) * sizeof(char *));
	q->states = realloc(q->states, (q->ngroups + batch->ngroups) * q->nwords * 8 + 1);
	for (uint32_t i = 0; i < batch->ngroups; i++)
		float_state(program, ran, batch->units, batch->states + (size_t) i * ran->nwords,
					q->states + (size_t) (q->ngroups + i) * q->nwords);
	query_take_lists(q, run, program, batch->ngroups);
	for (uint32_t i = 0; i < batch->ngroups; i++)
	{
		char		name[4096] = "";

		for (int k = 0; k < program->nkeys; k++)
		{
			if (k > 0)
				strcat(name, "|");
			append_key(name, sizeof(name), &batch->keys[k], program_key_type(program, k), i);
		}
		q->names[q->ngroups + i] = strdup(name);
	}
	q->ngroups += batch->ngroups;
}

static inline void
query_forget_groups(Query *q)
{
	for (uint32_t i = 0; i < q->ngroups; i++)
		free(q->names[i]);
	free(q->names);
	free(q->states);
	for (uint32_t i = 0; i < q->nlists; i++)
		free(q->lists[i]);
	free(q->lists);
	q->names = NULL;
	q->states = NULL;
	q->lists = NULL;
	q->nlists = 0;
	q->nstored = 0;
	q->ngroups = 0;
}

/*
 * Rows from `first` on, in arrays of exactly their size, so that the address
 * sanitizer sees every read outside of them.
 */
static inline EngineStatus
query_feed(Query *q, EngineRun *run, uint32_t first, uint32_t n)
{
	ColumnVector vectors[QUERY_COLUMNS] = {{0}};
	ColumnBatch batch = {n, vectors};
	EngineStatus status;

	for (int i = 0; i < q->ncolumns; i++)
	{
		QueryColumn *c = &q->columns[i];
		size_t		size = (size_t) value_type_size(c->type);
		size_t		begin = c->type == VT_TEXT ? 0 : first * size;
		size_t		end = c->type == VT_TEXT ? c->used : (first + n) * size;
		char	   *values = malloc(end - begin);

		memcpy(values, c->values + begin, end - begin);
		vectors[i].values = values;
		if (c->type == VT_TEXT)
		{
			uint32_t   *offsets = malloc((n + 1) * sizeof(uint32_t));

			memcpy(offsets, c->offsets + first, (n + 1) * sizeof(uint32_t));
			vectors[i].offsets = offsets;
		}
		if (c->has_nulls)
		{
			uint8_t    *validity = calloc((n + 7) / 8, 1);

			for (uint32_t row = 0; row < n; row++)
				validity[row / 8] |= (c->validity[(first + row) / 8] >> (first + row) % 8 & 1) << row % 8;
			vectors[i].validity = validity;
		}
	}
	do
		status = run->ops->columns(run, &batch);
	while (status == ENGINE_BUSY);
	for (int i = 0; i < q->ncolumns; i++)
	{
		free((void *) vectors[i].values);
		free((void *) vectors[i].offsets);
		free((void *) vectors[i].validity);
	}
	return status;
}

/* One run, of the Program or a wider one. */
static inline void
query_run_once(Query *q, const Program *program, const Program *ran, const EngineOps *ops,
			   uint32_t nrows, uint32_t batch_rows)
{
	EngineRun  *run;

	query_forget_groups(q);
	q->nwords = program->nwords;
	q->message[0] = '\0';
	q->status = ops->open(ran, q->params, &q->hints, &run, q->message);
	for (uint32_t first = 0; q->status == ENGINE_OK && first < nrows; first += batch_rows)
		q->status = query_feed(q, run, first,
							   nrows - first < batch_rows ? nrows - first : batch_rows);
	while (q->status == ENGINE_OK || q->status == ENGINE_BUSY)
	{
		GroupBatch	batch;

		q->status = ops->groups(run, &batch);
		if (q->status == ENGINE_OK && batch.ngroups == 0)
			break;
		if (q->status == ENGINE_OK)
			query_take_groups(q, run, program, ran, &batch);
	}
	if (run != NULL)
	{
		q->stats = run->stats;
		if (q->status != ENGINE_OK)
			memcpy(q->message, run->message, sizeof(q->message));
		ops->close(run);
	}
}

/*
 * Run the query over nrows rows, by batches of so many; q->status tells how.
 * States have doubles for float sums (float_state.h).
 */
static inline void
query_run(Query *q, const EngineOps *ops, uint32_t nrows, uint32_t batch_rows)
{
	Program    *program = malloc(program_size(&q->b));
	Program    *ran;

	program_finish(&q->b, program);
	ran = copy_program(program);
	do
		query_run_once(q, program, ran, ops, nrows, batch_rows);
	while (q->status == ENGINE_WIDEN && (ran = wider_program(ran)) != NULL);
	free(ran);
	free(program);
}

/* The state of the group with these keys; NULL unless there is exactly one. */
static inline const uint64_t *
query_state(const Query *q, const char *name)
{
	const uint64_t *state = NULL;

	for (uint32_t i = 0; i < q->ngroups; i++)
		if (strcmp(q->names[i], name) == 0)
		{
			if (state != NULL)
				return NULL;
			state = q->states + (size_t) i * q->nwords;
		}
	return state;
}

/* A word of that state, as a number; -1 if there is no such group. */
static inline int64_t
query_word(const Query *q, const char *name, int word)
{
	const uint64_t *state = query_state(q, name);

	return state != NULL ? (int64_t) state[word] : -1;
}

static inline double
query_double(const Query *q, const char *name, int word)
{
	const uint64_t *state = query_state(q, name);
	double		value = -1;

	if (state != NULL)
		memcpy(&value, &state[word], sizeof(value));
	return value;
}

static inline void
query_end(Query *q)
{
	query_forget_groups(q);
	for (int i = 0; i < q->ncolumns; i++)
	{
		free(q->columns[i].values);
		free(q->columns[i].offsets);
		free(q->columns[i].validity);
	}
	free(q);
}

#endif							/* QUERY_H */
