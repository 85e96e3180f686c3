/*
 * oracle.c
 *	  The groups of a Program over rows, computed the plainest way.
 */
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "float_state.h"
#include "oracle.h"
#include "program/ops.h"
#include "program/state.h"

typedef struct GroupRow
{
	size_t		keylen;
	char	   *key;			/* for each key: a NULL byte, length, bytes */
	uint64_t   *words;
} GroupRow;

/* A register of one row. */
typedef struct Value
{
	bool		isnull;
	bool		error;
#define TYPE(name, ctype, ...) ctype v_##name;
#include "program/types.def"
} Value;

static void *
must(void *p)
{
	if (p == NULL)
	{
		printf("Bail out! out of memory\n");
		exit(1);
	}
	return p;
}

/*----------
 * Groups
 *----------
 */

/*
 * A text as the words of an extreme (state.h), with the only copy of such a text
 * there is, so that equal states are equal words.
 */
static void
keep_text(Bytes text, uint64_t *words)
{
	static Bytes *kept;
	static size_t nkept;
	size_t		i = 0;

	while (i < nkept && (kept[i].len != text.len || memcmp(kept[i].data, text.data, text.len) != 0))
		i++;
	if (i == nkept)
	{
		char	   *copy = must(malloc(text.len + 1));

		memcpy(copy, text.data, text.len);
		kept = must(realloc(kept, ++nkept * sizeof(*kept)));
		kept[i] = (Bytes) {copy, text.len};
	}
	words[0] = (uint64_t) (uintptr_t) kept[i].data;
	words[1] = text.len;
}

/* The same for all extremes of texts of a state. */
static void
keep_texts(const Program *program, uint64_t *state)
{
	for (int i = 0; i < program->naccs; i++)
	{
		const Accumulator *acc = &program_accs(program)[i];

		if (acc_is_text((AccKind) acc->kind) && state[acc->word] != 0)
			keep_text(extreme_text(state + acc->word), state + acc->word);
	}
}

static Groups *
groups_new(const Program *program)
{
	Groups	   *groups = must(calloc(1, sizeof(*groups)));

	groups->nwords = program->nwords;
	return groups;
}

static void
groups_add(Groups *groups, const char *key, size_t keylen, const uint64_t *words)
{
	GroupRow   *row;

	if (groups->ngroups == groups->room)
	{
		groups->room = groups->room ? 2 * groups->room : 64;
		groups->rows = must(realloc(groups->rows, groups->room * sizeof(GroupRow)));
	}
	row = &groups->rows[groups->ngroups++];
	row->keylen = keylen;
	row->key = must(malloc(keylen + 1));
	memcpy(row->key, key, keylen);
	row->words = must(malloc(groups->nwords * sizeof(uint64_t) + 1));
	memcpy(row->words, words, groups->nwords * sizeof(uint64_t));
}

static int
compare_rows(const void *a, const void *b)
{
	const GroupRow *x = a;
	const GroupRow *y = b;
	size_t		shorter = x->keylen < y->keylen ? x->keylen : y->keylen;
	int			order = memcmp(x->key, y->key, shorter);

	if (order != 0)
		return order;
	return (x->keylen > y->keylen) - (x->keylen < y->keylen);
}

static void
groups_sort(Groups *groups)
{
	if (groups->ngroups > 1)
		qsort(groups->rows, groups->ngroups, sizeof(GroupRow), compare_rows);
}

static void
merge_state(const Program *program, uint64_t *into, const uint64_t *from)
{
	const Accumulator *acc = program_accs(program);

	for (int i = 0; i < program->naccs; i++)
		acc_merge(&acc[i], program->level, into + acc[i].word, from + acc[i].word);
}

/* After sorting: the rows of one key become one. */
static void
groups_unite(const Program *program, Groups *groups)
{
	size_t		n = 0;

	for (size_t i = 0; i < groups->ngroups; i++)
	{
		GroupRow   *row = &groups->rows[i];

		if (n > 0 && compare_rows(&groups->rows[n - 1], row) == 0)
		{
			merge_state(program, groups->rows[n - 1].words, row->words);
			free(row->key);
			free(row->words);
		}
		else
			groups->rows[n++] = *row;
	}
	groups->ngroups = n;
}

void
groups_free(Groups *groups)
{
	for (size_t i = 0; i < groups->ngroups; i++)
	{
		free(groups->rows[i].key);
		free(groups->rows[i].words);
	}
	free(groups->rows);
	free(groups);
}

/* Append one key's value to a group's key. */
static size_t
put_key(char *to, bool isnull, const void *bytes, uint32_t len)
{
	to[0] = (char) isnull;
	if (isnull)
		len = 0;
	memcpy(to + 1, &len, sizeof(len));
	if (len > 0)
		memcpy(to + 1 + sizeof(len), bytes, len);
	return 1 + sizeof(len) + len;
}

static bool
words_same(AccKind kind, const uint64_t *a, const uint64_t *b)
{
	if (acc_is_exact(kind))
	{
		double		x,
					y;

		memcpy(&x, a, sizeof(x));
		memcpy(&y, b, sizeof(y));
		return (isnan(x) && isnan(y)) || a[0] == b[0];
	}
	if (acc_form(kind) == FORM_INT128)
	{
		uint64_t	x[2] = {a[0], a[1]};
		uint64_t	y[2] = {b[0], b[1]};

		sum128_normalize(x);
		sum128_normalize(y);
		return x[0] == y[0] && x[1] == y[1];
	}
	return a[0] == b[0] && (!acc_is_value(kind) || a[1] == b[1]);
}

bool
groups_same(const Program *program, const Groups *a, const Groups *b)
{
	const Accumulator *accs = program_accs(program);

	if (a->status != b->status)
	{
		printf("# status %d (%s) and %d (%s)\n", a->status, a->message, b->status, b->message);
		return false;
	}
	if (a->ngroups != b->ngroups)
	{
		printf("# %zu and %zu groups\n", a->ngroups, b->ngroups);
		return false;
	}
	for (size_t i = 0; i < a->ngroups; i++)
	{
		if (compare_rows(&a->rows[i], &b->rows[i]) != 0)
		{
			printf("# group %zu has different keys\n", i);
			return false;
		}
		for (int j = 0; j < program->naccs; j++)
			if (!words_same((AccKind) accs[j].kind, a->rows[i].words + accs[j].word,
							b->rows[i].words + accs[j].word))
			{
				printf("# group %zu differs in accumulator %d: %llx and %llx\n", i, j,
					   (unsigned long long) a->rows[i].words[accs[j].word],
					   (unsigned long long) b->rows[i].words[accs[j].word]);
				return false;
			}
	}
	return true;
}

/*----------
 * Evaluation
 *----------
 */
static Value
column_value(const Program *program, const ColumnBatch *batch, int column, uint32_t row)
{
	const ColumnVector *vector = &batch->columns[column];
	Value		value;

	memset(&value, 0, sizeof(value));
	value.isnull = vector->validity && !((vector->validity[row / 8] >> (row % 8)) & 1);
	if (value.isnull)
		return value;
	switch ((ValueType) program_columns(program)[column].type)
	{
#define TYPE(name, ctype, size, stored, class, ...) \
		case VT_##name: \
			if (CLASS_##class != CLASS_TEXT) \
				value.v_##name = ((const ctype *) vector->values)[row]; \
			break;
#include "program/types.def"
		case VT_COUNT:
			break;
	}
	if (program_columns(program)[column].type == VT_TEXT)
	{
		value.v_TEXT.data = (const char *) vector->values + vector->offsets[row];
		value.v_TEXT.len = vector->offsets[row + 1] - vector->offsets[row];
	}
	return value;
}

static Value
param_value(const ParamValue *param)
{
	Value		value;

	memset(&value, 0, sizeof(value));
	value.isnull = param->isnull;
	value.v_BOOL = param->word != 0;
	value.v_CHAR = (int8_t) param->word;
	value.v_INT2 = (int16_t) param->word;
	value.v_INT4 = (int32_t) param->word;
	value.v_INT8 = param->word;
	memcpy(&value.v_FLOAT4, &param->word, sizeof(float));
	memcpy(&value.v_FLOAT8, &param->word, sizeof(double));
	value.v_TEXT = param->bytes;
	switch ((ValueType) param->type)
	{
#define TYPE(name, ctype, size, stored, class, ...) \
		case VT_##name: \
			if (CLASS_##class == CLASS_BYTES && !param->isnull) \
				memcpy(&value.v_##name, param->bytes.data, sizeof(ctype)); \
			break;
#include "program/types.def"
		case VT_COUNT:
			break;
	}
	return value;
}

/* PostgreSQL's order: the left side first, then only what is still needed. */
static Value
logic_value(bool is_and, const Value *a, const Value *b)
{
	Value		value;

	memset(&value, 0, sizeof(value));
	if (a->error)
		value.error = true;
	else if (!a->isnull && (a->v_BOOL != 0) != is_and)
		value.v_BOOL = !is_and;
	else if (b->error)
		value.error = true;
	else if (!b->isnull && (b->v_BOOL != 0) != is_and)
		value.v_BOOL = !is_and;
	else if (a->isnull || b->isnull)
		value.isnull = true;
	else
		value.v_BOOL = is_and;
	return value;
}

/* Call of a function that can fail, and of one that cannot. */
#define CALL1_0(name, a) name(a)
#define CALL1_1(name, a) name(a, &error)
#define CALL2_0(name, a, b) name(a, b)
#define CALL2_1(name, a, b) name(a, b, &error)

static Value
operation_value(OpCode op, const Value *a, const Value *b)
{
	Value		value;
	bool		error = false;

	memset(&value, 0, sizeof(value));
	value.error = a->error || (b && b->error);
	value.isnull = a->isnull || (b && b->isnull);
	if (value.error || value.isnull)
		return value;
	switch (op)
	{
#define OP1(name, r, x, checked, ...) \
		case OP_##name: value.v_##r = CALL1_##checked(name, a->v_##x); break;
#define OP2(name, r, x, y, checked, ...) \
		case OP_##name: value.v_##r = CALL2_##checked(name, a->v_##x, b->v_##y); break;
#include "program/ops.def"
#undef OP1
#undef OP2
		default:
			break;
	}
	value.error = error;
	return value;
}

static void
evaluate(const Program *program, const ParamValue *params, const ColumnBatch *batch,
		 uint32_t row, Value *values)
{
	const Insn *insns = program_insns(program);

	for (int i = 0; i < program->ninsns; i++)
	{
		const Value *a = insns[i].arg[0] >= 0 ? &values[insns[i].arg[0]] : NULL;
		const Value *b = insns[i].arg[1] >= 0 ? &values[insns[i].arg[1]] : NULL;

		switch (insns[i].op)
		{
			case OP_column:
				values[i] = column_value(program, batch, insns[i].index, row);
				break;
			case OP_param:
				values[i] = param_value(&params[insns[i].index]);
				break;
			case OP_and:
			case OP_or:
				values[i] = logic_value(insns[i].op == OP_and, a, b);
				break;
			case OP_isnull:
			case OP_isnotnull:
				memset(&values[i], 0, sizeof(values[i]));
				values[i].error = a->error;
				values[i].v_BOOL = a->isnull == (insns[i].op == OP_isnull);
				break;
			case OP_select:
				values[i] = !a->error && (a->isnull || !a->v_BOOL) ?
					values[insns[i].arg[2]] : *b;
				values[i].error |= a->error;
				break;
			default:
				values[i] = operation_value((OpCode) insns[i].op, a, b);
				break;
		}
	}
}

static size_t
key_of_row(const Program *program, const Value *values, char *key)
{
	size_t		len = 0;

	for (int i = 0; i < program->nkeys; i++)
	{
		Value		value = values[program_keys(program)[i]];

		switch (program_key_type(program, i))
		{
#define KEY_FLOAT(name, ctype) \
			value.v_##name = isnan(value.v_##name) ? (ctype) NAN : value.v_##name; \
			KEY_INTEGER(name, ctype)
#define KEY_INTEGER(name, ctype) \
			len += put_key(key + len, value.isnull, &value.v_##name, sizeof(ctype))
#define KEY_BYTES KEY_INTEGER
#define KEY_WIDE KEY_INTEGER
#define KEY_TEXT(name, ctype) \
			len += put_key(key + len, value.isnull, value.v_##name.data, value.v_##name.len)
#define TYPE(name, ctype, size, stored, class, ...) \
			case VT_##name: \
				KEY_##class(name, ctype); \
				break;
#include "program/types.def"
			case VT_COUNT:
				break;
		}
	}
	return len;
}

static int64_t
as_integer(ValueType type, const Value *value)
{
	return type == VT_BOOL ? value->v_BOOL : type == VT_CHAR ? value->v_CHAR :
		type == VT_INT2 ? value->v_INT2 : type == VT_INT4 ? value->v_INT4 : value->v_INT8;
}

static double
as_double(const Program *program, int reg, const Value *value)
{
	return program_insns(program)[reg].type == VT_FLOAT4 ? value->v_FLOAT4 : value->v_FLOAT8;
}

/* One row as the state of a group, FULL; false if it has an error. */
static bool
words_of_row(const Program *program, const Value *values, uint64_t *words)
{
	const Accumulator *accs = program_accs(program);

	state_init(program, words);
	for (int i = 0; i < program->naccs; i++)
	{
		const Accumulator *acc = &accs[i];
		uint64_t   *to = words + acc->word;
		const Value *arg = acc->arg >= 0 ? &values[acc->arg] : NULL;
		const Value *arg2 = acc->arg2 >= 0 ? &values[acc->arg2] : NULL;
		ValueType	type = arg ? (ValueType) program_insns(program)[acc->arg].type : VT_INT8;
		int64_t		integer = arg ? as_integer(type, arg) : 0;
		double		real = arg ? as_double(program, acc->arg, arg) : 0;
		ExactNumber number;

		if (acc->filter >= 0 && values[acc->filter].error)
			return false;
		if (acc->filter >= 0 && (values[acc->filter].isnull || !values[acc->filter].v_BOOL))
			continue;
		if ((arg && arg->error) || (arg2 && arg2->error))
			return false;
		if ((arg && arg->isnull) || (arg2 && arg2->isnull))
			continue;
		switch (acc_form((AccKind) acc->kind))
		{
			case FORM_COUNT:
				to[0] = 1;
				break;
			case FORM_INT128:
				to[0] = (uint64_t) integer & UINT64_C(0xffffffff);
				to[1] = (uint64_t) (integer >> 32);
				break;
			case FORM_FLOAT:
			case FORM_FLOAT_PRODUCT:
				number = arg2 ? exact_product(real, as_double(program, acc->arg2, arg2), acc->limit) :
					exact_number(real, acc->limit);
				if (exact_accumulate(&number, acc_unit(acc, program->level, 0), to,
									 acc_number_words(acc, program->level), false) != 0)
					return false;
				break;
			case FORM_ORDERED:
				to[0] = float_to_ordered(real, acc_is_greatest((AccKind) acc->kind));
				break;
			case FORM_WIDE:
				memcpy(to, arg->v_WIDE.w, sizeof(arg->v_WIDE.w));
				break;
			case FORM_INTERVAL:
				to[0] = (uint64_t) arg->v_INTERVAL.time;
				to[1] = interval_days_word(arg->v_INTERVAL);
				break;
			case FORM_INT:
			case FORM_SIZE:
				to[0] = (uint64_t) integer;
				break;
			default:
				keep_text(arg->v_TEXT, to);
				break;
		}
	}
	return true;
}

/* States of the FULL Program become those of the Program itself. */
static void
take_doubles(const Program *program, const Program *full, Groups *groups)
{
	int32_t		units[PROGRAM_MAX_ACCS];

	for (int i = 0; i < full->naccs; i++)
		units[i] = acc_unit(&program_accs(full)[i], full->level, 0);
	groups->nwords = program->nwords;
	for (size_t i = 0; i < groups->ngroups; i++)
	{
		uint64_t   *words = must(malloc(program->nwords * sizeof(uint64_t) + 1));

		float_state(program, full, units, groups->rows[i].words, words);
		free(groups->rows[i].words);
		groups->rows[i].words = words;
	}
}

static Program *
full_program(const Program *program)
{
	Program    *full = copy_program(program);

	while (program_sums_floats(program) && full->level != EXACT_FULL)
		full = wider_program(full);
	return full;
}

Groups *
oracle_groups(const Program *narrow, const ParamValue *params, const ColumnBatch *batch)
{
	Program    *program = full_program(narrow);
	Groups	   *groups = groups_new(program);
	Value	   *values = must(calloc(program->ninsns + 1, sizeof(Value)));
	uint64_t   *words = must(calloc(program->nwords + 1, sizeof(uint64_t)));
	char	   *key = must(malloc(1 << 20));

	for (uint32_t row = 0; row < batch->nrows; row++)
	{
		const Value *filter = program->filter >= 0 ? &values[program->filter] : NULL;
		bool		error = false;

		evaluate(program, params, batch, row, values);
		if (filter && !filter->error && (filter->isnull || !filter->v_BOOL))
			continue;
		error = filter && filter->error;
		for (int i = 0; i < program->nkeys; i++)
			error |= values[program_keys(program)[i]].error;
		if (error || !words_of_row(program, values, words))
		{
			groups->status = ENGINE_INEXACT;
			break;
		}
		groups_add(groups, key, key_of_row(program, values, key), words);
	}
	groups_sort(groups);
	groups_unite(program, groups);
	if (program->nkeys == 0 && groups->ngroups == 0)
	{
		state_init(program, words);
		groups_add(groups, key, 0, words);
	}
	while (groups->status != ENGINE_OK && groups->ngroups > 0)
	{
		free(groups->rows[--groups->ngroups].key);
		free(groups->rows[groups->ngroups].words);
	}
	take_doubles(narrow, program, groups);
	free(program);
	free(values);
	free(words);
	free(key);
	return groups;
}

/*----------
 * Engines
 *----------
 */
static void
collect(const Program *program, const Program *ran, Groups *groups, const GroupBatch *batch)
{
	char	   *key = must(malloc(1 << 20));
	uint64_t   *words = must(malloc(program->nwords * sizeof(uint64_t) + 1));

	for (uint32_t row = 0; row < batch->ngroups; row++)
	{
		size_t		len = 0;

		for (int i = 0; i < program->nkeys; i++)
		{
			const ColumnVector *vector = &batch->keys[i];
			int			size = value_type_size(program_key_type(program, i));
			bool		isnull = vector->validity &&
				!((vector->validity[row / 8] >> (row % 8)) & 1);

			if (size == 0)
				len += put_key(key + len, isnull,
							   (const char *) vector->values + vector->offsets[row],
							   vector->offsets[row + 1] - vector->offsets[row]);
			else
				len += put_key(key + len, isnull,
							   (const char *) vector->values + (size_t) row * size, size);
		}
		float_state(program, ran, batch->units, batch->states + (size_t) row * ran->nwords, words);
		keep_texts(program, words);
		groups_add(groups, key, len, words);
	}
	free(key);
	free(words);
}

/* After BUSY: an engine in another process tells when there is news. */
static void
wait_for_news(EngineRun *run)
{
	struct pollfd news = {.fd = engine_descriptor(run),
		.events = POLLIN};

	if (news.fd >= 0)
		(void) poll(&news, 1, 50);
}

bool		(*oracle_lsns) (const EngineRequest *request, uint64_t *lsns);

/* Answer what the run asks. */
static EngineStatus
answer_requests(const EngineOps *engine, EngineRun *run, const EngineHints *hints)
{
	EngineRequest request = {REQUEST_NONE, 0, NULL};
	EngineStatus status = ENGINE_OK;

	if (engine->kept == NULL || engine->kept->request == NULL || !hints->answers)
		return ENGINE_OK;
	do
	{
		uint64_t   *lsns;

		call_is_due(run, CALL_REQUEST);
		while ((status = engine->kept->request(run, &request)) == ENGINE_BUSY)
			wait_for_news(run);
		if (status != ENGINE_OK || request.kind == REQUEST_NONE)
			return status;
		lsns = must(malloc((request.n + 1) * sizeof(*lsns)));
		if (oracle_lsns(&request, lsns))
		{
			call_is_due(run, CALL_ANSWER);
			status = engine->kept->answer(run, &(EngineAnswer) {request.kind, request.n, lsns});
		}
		else
		{
			snprintf(run->message, sizeof(run->message), "there is no answer");
			status = ENGINE_FAILED;
		}
		free(lsns);
	} while (status == ENGINE_OK);
	return status;
}

/* The groups of a run whose rows are in, unless something failed; then close. */
static Groups *
finish(const EngineOps *engine, const Program *program, const Program *ran, EngineRun *run,
	   Groups *groups)
{
	GroupBatch	batch;

	while (groups->status == ENGINE_OK)
	{
		call_is_due(run, CALL_GROUPS);
		while ((groups->status = engine->groups(run, &batch)) == ENGINE_BUSY)
			wait_for_news(run);
		if (groups->status != ENGINE_OK || batch.ngroups == 0)
			break;
		collect(program, ran, groups, &batch);
	}
	if (groups->status != ENGINE_OK)
		snprintf(groups->message, sizeof(groups->message), "%s", run->message);
	groups->stats = run->stats;
	engine->close(run);
	groups_sort(groups);
	return groups;
}

static Groups *
run_batch(const EngineOps *engine, const Program *program, const Program *ran,
		  const ParamValue *params, const EngineHints *hints, const ColumnBatch *batch,
		  uint32_t step)
{
	Groups	   *groups = groups_new(program);
	ColumnVector *part = must(calloc(program->ncolumns + 1, sizeof(*part)));
	EngineRun  *run;

	/* validity is bits: pieces begin at whole bytes */
	step = (step + 7) / 8 * 8;
	groups->level = (ExactLevel) ran->level;
	groups->status = engine->open(ran, params, hints, &run, groups->message);
	if (groups->status != ENGINE_OK)
	{
		free(part);
		return groups;
	}
	call_is_due(run, CALL_OPEN);
	for (uint32_t row = 0; row < batch->nrows && groups->status == ENGINE_OK; row += step)
	{
		ColumnBatch piece = {.columns = part};

		piece.nrows = batch->nrows - row < step ? batch->nrows - row : step;
		for (int i = 0; i < program->ncolumns; i++)
		{
			int			size = value_type_size((ValueType) program_columns(program)[i].type);

			part[i] = batch->columns[i];
			part[i].values = (const char *) part[i].values + (size_t) row * size;
			if (part[i].validity)
				part[i].validity += row / 8;
			if (part[i].offsets)
				part[i].offsets += row;
		}
		call_is_due(run, CALL_COLUMNS);
		while ((groups->status = engine->columns(run, &piece)) == ENGINE_BUSY)
			wait_for_news(run);
	}
	free(part);
	return finish(engine, program, ran, run, groups);
}

/* As many rows of NULLs, or zeros, as rows have been left out. */
static EngineStatus
send_left(const EngineOps *engine, const Program *program, EngineRun *run)
{
	static const char zeros[65 * 16];
	static const uint8_t invalid[9];
	ColumnVector vectors[PROGRAM_MAX_COLUMNS] = {{0}};
	ColumnBatch batch = {0, vectors};
	ToastedRow	left[64];
	EngineStatus status = ENGINE_OK;

	for (int i = 0; i < program->ncolumns; i++)
	{
		vectors[i].values = zeros;
		vectors[i].offsets = (const uint32_t *) (const void *) zeros;
		if (program_columns(program)[i].nullable)
			vectors[i].validity = invalid;
	}
	while (status == ENGINE_OK)
	{
		call_is_due(run, CALL_TOASTED);
		batch.nrows = (uint32_t) engine->toasted(run, left, 64);
		if (batch.nrows == 0)
			break;
		call_is_due(run, CALL_COLUMNS);
		while ((status = engine->columns(run, &batch)) == ENGINE_BUSY)
			wait_for_news(run);
	}
	return status;
}

Groups *
engine_groups_of_batch(const EngineOps *engine, const Program *program,
					   const ParamValue *params, const EngineHints *hints,
					   const ColumnBatch *batch, uint32_t step)
{
	Program    *ran = copy_program(program);
	Groups	   *groups = run_batch(engine, program, ran, params, hints, batch, step);

	while (groups->status == ENGINE_WIDEN && (ran = wider_program(ran)) != NULL)
	{
		groups_free(groups);
		groups = run_batch(engine, program, ran, params, hints, batch, step);
	}
	free(ran);
	return groups;
}

/*
 * Lose the pages that the run has released: of those given no more than there are,
 * and at the end all.
 */
static EngineStatus
lose_released(const EngineOps *engine, EngineRun *run, const PageFeed *feed, int given,
			  bool ended, uint64_t *lost)
{
	uint64_t	released = engine->released(run);

	if (released > (uint64_t) given || (ended && released < (uint64_t) given))
	{
		snprintf(run->message, sizeof(run->message), "%llu of %d pages are released",
				 (unsigned long long) released, given);
		return ENGINE_FAILED;
	}
	for (; *lost < released; ++*lost)
		if (feed->lose != NULL)
			feed->lose(&feed->pages[*lost]);
	return ENGINE_OK;
}

/* Has the engine the page's rows itself? */
static bool
is_served(const EngineOps *engine, EngineRun *run, const EngineHints *hints,
		  const PageRef *page)
{
	for (int i = 0; i < hints->ntables; i++)
	{
		const uint8_t *served = NULL;

		if (engine->kept != NULL)
		{
			call_is_due(run, CALL_SERVED);
			served = engine->kept->served(run, i);
		}
		if (hints->tables[i].table == page->table && served != NULL)
			return (served[page->block / 8] >> page->block % 8 & 1) != 0;
	}
	return false;
}

/* The pages that must be given, in memory of the caller's. */
static PageFeed
without_served(const EngineOps *engine, EngineRun *run, const EngineHints *hints,
			   const PageFeed *feed)
{
	PageFeed	left = *feed;
	PageRef    *pages = must(malloc(((size_t) feed->npages + 1) * sizeof(*pages)));

	left.npages = 0;
	for (int i = 0; i < feed->npages; i++)
		if (!is_served(engine, run, hints, &feed->pages[i]))
			pages[left.npages++] = feed->pages[i];
	left.pages = pages;
	return left;
}

static EngineStatus
give_pages(const EngineOps *engine, const Program *program, EngineRun *run,
		   const PageFeed *feed)
{
	EngineStatus status = ENGINE_OK;
	uint64_t	lost = 0;

	for (int i = 0; i < feed->npages && status == ENGINE_OK; i += feed->at_once)
	{
		int			n = feed->npages - i < feed->at_once ? feed->npages - i : feed->at_once;

		call_is_due(run, CALL_PAGES);
		while ((status = engine->pages(run, feed->pages + i, n)) == ENGINE_BUSY)
			wait_for_news(run);
		if (status == ENGINE_OK)
			status = lose_released(engine, run, feed, i + n, false, &lost);
		if (status == ENGINE_OK)
			status = send_left(engine, program, run);
	}
	if (status == ENGINE_OK)
	{
		call_is_due(run, CALL_PAGES);
		while ((status = engine->pages(run, NULL, 0)) == ENGINE_BUSY)
			wait_for_news(run);
	}
	if (status == ENGINE_OK)
		status = lose_released(engine, run, feed, feed->npages, true, &lost);
	return status == ENGINE_OK ? send_left(engine, program, run) : status;
}

static Groups *
run_pages(const EngineOps *engine, const Program *program, const Program *ran,
		  const ParamValue *params, const EngineHints *hints, const PageFeed *feed)
{
	Groups	   *groups = groups_new(program);
	PageFeed	left;
	EngineRun  *run;

	groups->status = engine->open(ran, params, hints, &run, groups->message);
	if (groups->status != ENGINE_OK)
		return groups;
	call_is_due(run, CALL_OPEN);
	groups->status = answer_requests(engine, run, hints);
	if (groups->status != ENGINE_OK)
		return finish(engine, program, ran, run, groups);
	left = without_served(engine, run, hints, feed);
	groups->status = give_pages(engine, program, run, &left);
	free((void *) left.pages);
	return finish(engine, program, ran, run, groups);
}

Groups *
engine_groups_of_feed(const EngineOps *engine, const Program *program,
					  const ParamValue *params, const EngineHints *hints, const PageFeed *feed)
{
	Program    *ran = copy_program(program);
	Groups	   *groups = run_pages(engine, program, ran, params, hints, feed);

	while (groups->status == ENGINE_WIDEN && (ran = wider_program(ran)) != NULL)
	{
		groups_free(groups);
		groups = run_pages(engine, program, ran, params, hints, feed);
	}
	free(ran);
	return groups;
}

Groups *
engine_groups_of_pages(const EngineOps *engine, const Program *program,
					   const ParamValue *params, const EngineHints *hints,
					   const PageRef *pages, int npages)
{
	PageFeed	feed = {pages, npages, ENGINE_MAX_PAGES, NULL};

	return engine_groups_of_feed(engine, program, params, hints, &feed);
}
