/*
 * eval.c
 *	  A Program's instructions over a batch of rows.
 *
 * One dense loop an operation, generated from ops.def, over arrays of values;
 * the compiler vectorises what it can.  Rows that are NULL or of no interest are
 * computed with the rest: operations do not trap (fn.h), and what comes out is
 * masked by the bitmaps of validity and errors, which cost a word for 64 rows
 * and nothing at all where no row of the batch is NULL.
 *
 * Memory: one block, made in eval_create, with the values and bitmaps of all
 * registers, and blocks of texts that are made.  Parameters are spread over a batch's length
 * once, but for tables, which look-ups have loops of their own for (lookup.c), and what is
 * computed from parameters alone is computed once too.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/cpu/eval.h"
#include "engine/cpu/lookup.h"
#include "engine/cpu/made_texts.h"
#include "program/ops.h"

/*
 * How long operations over texts work between two looks for an interrupt: bytes of
 * one text times those of the other, as LIKE may need it.
 */
#define TEXT_WORK (UINT64_C(1) << 22)

typedef struct Register
{
	void	   *values;			/* CPU_BATCH values */
	uint64_t   *valid;			/* CPU_BATCH bits */
	uint64_t   *error;
	bool		constant;		/* computed once, for a whole batch's length */
	MadeTexts	made;			/* where the values are texts that are made */
} Register;

struct Evaluator
{
	const Program *program;
	EngineHints hints;
	uint64_t	text_work;		/* since the last look */
	bool		interrupted;
	size_t		memory;
	Vector	   *vectors;		/* what eval_register gives */
	Register   *registers;		/* room for it */
	uint8_t		failed[CPU_BATCH];	/* errors of one operation, a byte a row */
	char		block[];
};

static const size_t value_bytes[] = {
#define TYPE(name, ctype, ...) [VT_##name] = sizeof(ctype),
#include "program/types.def"
};

#define CTYPE(name) Type_##name
#define TYPE(name, ctype, ...) typedef ctype CTYPE(name);
#include "program/types.def"

/*
 * The loops; those of checked operations note errors a byte a row.  Errors are rare, so that the
 * first loop of two sees only whether there is any.
 */
#define LOOP_0(call) \
	for (uint32_t i = 0; i < n; i++) \
		out[i] = call
#define LOOP_1(call) \
	do { \
		bool		any = false; \
		for (uint32_t i = 0; i < n; i++) \
		{ \
			bool		error = false; \
			out[i] = call; \
			any |= error; \
		} \
		if (!any) \
			memset(failed, false, n); \
		for (uint32_t i = 0; any && i < n; i++) \
		{ \
			bool		error = false; \
			(void) call; \
			failed[i] = error; \
		} \
	} while (0)
#define CALL1_0(name) name(x[i])
#define CALL1_1(name) name(x[i], &error)
#define CALL2_0(name) name(x[i], y[i])
#define CALL2_1(name) name(x[i], y[i], &error)

#define OP1(name, r, a, checked, ...) \
static void \
loop_##name(uint32_t n, void *result, const void *left, const void *right, uint8_t *failed) \
{ \
	CTYPE(r) *restrict out = result; \
	const CTYPE(a) *restrict x = left; \
	(void) right; \
	(void) failed; \
	LOOP_##checked(CALL1_##checked(name)); \
}
#define OP2(name, r, a, b, checked, ...) \
static void \
loop_##name(uint32_t n, void *result, const void *left, const void *right, uint8_t *failed) \
{ \
	CTYPE(r) *restrict out = result; \
	const CTYPE(a) *x = left; \
	const CTYPE(b) *y = right; \
	(void) failed; \
	LOOP_##checked(CALL2_##checked(name)); \
}
#include "program/ops.def"
#undef OP1
#undef OP2

typedef void (*Loop) (uint32_t n, void *result, const void *left,
					  const void *right, uint8_t *failed);

static const Loop loops[OP_COUNT] = {
#define OP1(name, r, a, checked, ...) [OP_##name] = loop_##name,
#define OP2(name, r, a, b, checked, ...) [OP_##name] = loop_##name,
#include "program/ops.def"
#undef OP1
#undef OP2
};

/* The values that a register has room for: a batch's, or one table. */
static size_t
register_values(const Insn *insn)
{
	return insn_is_table(insn) ? 1 : CPU_BATCH;
}

/* The bytes that a register has: for values, and behind them for texts that are made of numbers. */
static size_t
register_bytes(const Insn *insn)
{
	size_t		texts = insn->op == OP_jsonb_text ? CPU_BATCH * JSON_NUMBER_LENGTH : 0;

	return register_values(insn) * value_bytes[insn->type] + texts;
}

/* Spread a parameter's value over a batch, for n values. */
static void
fill_param(const ParamValue *param, size_t n, Register *reg, Vector *vector)
{
	size_t		size = value_bytes[param->type];
	char	   *values = reg->values;
	Bytes		empty = {"", 0};
	Bytes		text = param->isnull ? empty : param->bytes;
	const void *value = &param->word;	/* little-endian: the lowest bytes */

	if (param->type == VT_TEXT)
		value = &text;
	else if (value_is_bytes((ValueType) param->type))
		value = param->isnull ? NULL : param->bytes.data;
	for (size_t i = 0; i < n && value != NULL; i++)
		memcpy(values + i * size, value, size);
	vector->values = values;
	if (param->isnull)
		vector->valid = reg->valid; /* all zero, and stays so */
}

void
eval_free(Evaluator *eval)
{
	if (eval == NULL)
		return;
	for (int i = 0; i < eval->program->ninsns; i++)
		made_texts_free(&eval->registers[i].made);
	free(eval);
}

size_t
eval_memory(const Evaluator *eval)
{
	size_t		memory = eval->memory;

	for (int i = 0; i < eval->program->ninsns; i++)
		memory += eval->registers[i].made.size;
	return memory;
}

const Vector *
eval_register(const Evaluator *eval, int reg)
{
	return &eval->vectors[reg];
}

void
eval_set_register(Evaluator *eval, int reg, const Vector *vector)
{
	eval->vectors[reg] = *vector;
}

/* Is one of the first n bits zero? */
static bool
has_zero(const uint64_t *bits, uint32_t n)
{
	for (uint32_t w = 0; w < n / 64; w++)
		if (bits[w] != UINT64_MAX)
			return true;
	return n % 64 != 0 && (~bits[n / 64] << (64 - n % 64)) != 0;
}

/*
 * A column of the batch: in place, but for texts with offsets and for the bitmap's alignment.
 * A bitmap without a NULL is dropped, which spares all that follows.
 */
static void
load_column(const ColumnVector *column, ValueType type, uint32_t n,
			Register *reg, Vector *vector)
{
	vector->values = column->values;
	vector->valid = NULL;
	vector->error = NULL;
	if (column->validity != NULL)
	{
		memcpy(reg->valid, column->validity, (n + 7) / 8);
		if (has_zero(reg->valid, n))
			vector->valid = reg->valid;
	}
	if (type == VT_TEXT && column->offsets != NULL)
	{
		Bytes	   *text = reg->values;
		const char *bytes = column->values;

		for (uint32_t i = 0; i < n; i++)
		{
			text[i].data = bytes + column->offsets[i];
			text[i].len = column->offsets[i + 1] - column->offsets[i];
		}
		vector->values = text;
	}
}

/* AND of two bitmaps of which either may be missing, into out. */
static const uint64_t *
both_valid(const uint64_t *a, const uint64_t *b, uint64_t *out)
{
	if (a == NULL || b == NULL)
		return a != NULL ? a : b;
	for (int i = 0; i < CPU_BATCH_WORDS; i++)
		out[i] = a[i] & b[i];
	return out;
}

static const uint64_t *
either_error(const uint64_t *a, const uint64_t *b, uint64_t *out)
{
	if (a == NULL || b == NULL)
		return a != NULL ? a : b;
	for (int i = 0; i < CPU_BATCH_WORDS; i++)
		out[i] = a[i] | b[i];
	return out;
}

/* Add the errors that an operation noted to a vector's. */
static void
add_errors(Vector *vector, Register *reg, const uint8_t *failed, uint32_t n)
{
	uint8_t		any = 0;

	for (uint32_t i = 0; i < n; i++)
		any |= failed[i];
	if (!any)
		return;
	if (vector->error == NULL)
		memset(reg->error, 0, CPU_BATCH_WORDS * sizeof(uint64_t));
	else if (vector->error != reg->error)
		memcpy(reg->error, vector->error, CPU_BATCH_WORDS * sizeof(uint64_t));
	vector->error = reg->error;

	/* NULL operands make NULL, whatever the function said */
	for (uint32_t i = 0; i < n; i++)
		if (failed[i] && (vector->valid == NULL || bit_is_set(vector->valid, i)))
			reg->error[i / 64] |= UINT64_C(1) << (i % 64);
}

/* How many of n rows, at least one, are work enough for now. */
static uint32_t
text_rows(Evaluator *eval, const Bytes *left, const Bytes *right, uint32_t n)
{
	uint32_t	i = 0;

	for (; i < n && eval->text_work < TEXT_WORK; i++)
		eval->text_work += (left[i].len + UINT64_C(1)) *
			(right != NULL ? right[i].len + UINT64_C(1) : 1);
	return i;
}

/* Look for an interrupt, if there has been work enough. */
static void
end_text_rows(Evaluator *eval)
{
	if (eval->text_work < TEXT_WORK)
		return;
	eval->text_work = 0;
	eval->interrupted = engine_interrupted(&eval->hints);
}

/* jsonb_text of n rows, each with memory of its own for a number. */
static void
write_json_texts(uint32_t n, Bytes *restrict out, const Bytes *values, const int32_t *places,
				 char *numbers, uint8_t *failed)
{
	for (uint32_t i = 0; i < n; i++)
	{
		bool		error = false;

		out[i] = json_text(values[i], places[i], numbers + i * JSON_NUMBER_LENGTH, &error);
		failed[i] = error;
	}
}

/* An operation over texts, by pieces. */
static void
run_text_op(Evaluator *eval, const Insn *insn, const void *left, const void *right,
			void *result, uint32_t n)
{
	const Insn *insns = program_insns(eval->program);
	ValueType	right_type = right ? (ValueType) insns[insn->arg[1]].type : VT_COUNT;
	uint32_t	rows;

	for (uint32_t first = 0; first < n && !eval->interrupted; first += rows)
	{
		const Bytes *texts = (const Bytes *) left + first;
		const char *others = right ? (const char *) right + first * value_bytes[right_type] : NULL;

		rows = text_rows(eval, texts, right_type == VT_TEXT ? (const Bytes *) others : NULL,
						 n - first);
		if (insn->op == OP_jsonb_text)
			write_json_texts(rows, (Bytes *) result + first, texts, (const int32_t *) others,
							 (char *) ((Bytes *) result + CPU_BATCH) + first * JSON_NUMBER_LENGTH,
							 eval->failed + first);
		else
			loops[insn->op] (rows, (char *) result + first * value_bytes[insn->type], texts,
							 others, eval->failed + first);
		end_text_rows(eval);
	}
}

/* One that makes texts; without memory for these, all rows are errors. */
static void
run_making_op(Evaluator *eval, OpCode op, const void *left, const Bytes *right, Register *reg,
			  uint32_t n)
{
	bool		made = made_texts_run(op, n, left, right, &reg->made, reg->values);

	memset(eval->failed, !made, n);
	eval->text_work += reg->made.size;
	end_text_rows(eval);
}

/* One that reads a table; texts that are looked up by pieces, too. */
static void
run_table_op(Evaluator *eval, OpCode op, const void *left, Bytes table, void *result, uint32_t n)
{
	uint32_t	rows;

	if (op != OP_text_lookup)
	{
		lookup_run(op, n, left, table, result);
		return;
	}
	for (uint32_t first = 0; first < n && !eval->interrupted; first += rows)
	{
		const Bytes *texts = (const Bytes *) left + first;

		rows = text_rows(eval, texts, NULL, n - first);
		lookup_run(op, rows, texts, table, (int32_t *) result + first);
		end_text_rows(eval);
	}
}

/* A strict operation of ops.def. */
static void
run_op(Evaluator *eval, const Insn *insn, Vector *out, Register *reg, uint32_t n)
{
	const Vector *left = &eval->vectors[insn->arg[0]];
	const Vector *right = insn->arg[1] >= 0 ? &eval->vectors[insn->arg[1]] : NULL;

	if (op_reads_table((OpCode) insn->op))
		run_table_op(eval, (OpCode) insn->op, left->values, *(const Bytes *) right->values,
					 reg->values, n);
	else if (op_makes_text((OpCode) insn->op))
		run_making_op(eval, (OpCode) insn->op, left->values, right ? right->values : NULL, reg, n);
	else if (program_insns(eval->program)[insn->arg[0]].type == VT_TEXT)
		run_text_op(eval, insn, left->values, right ? right->values : NULL, reg->values, n);
	else
		loops[insn->op] (n, reg->values, left->values, right ? right->values : NULL,
						 eval->failed);
	out->values = reg->values;
	out->valid = left->valid;
	out->error = left->error;
	if (right)
	{
		out->valid = both_valid(left->valid, right->valid, reg->valid);
		out->error = either_error(left->error, right->error, reg->error);
	}
	if (op_checked((OpCode) insn->op))
		add_errors(out, reg, eval->failed, n);
}

/* What the rows of a boolean are, a bit a row; none of the three: NULL. */
typedef struct Truth
{
	uint64_t	yes[CPU_BATCH_WORDS];
	uint64_t	no[CPU_BATCH_WORDS];
	uint64_t	error[CPU_BATCH_WORDS];
} Truth;

/*
 * Booleans, a byte each, as bits, and bits as booleans.  Eight at a time: the
 * product has byte i's lowest bit at 56 + i, and nothing else there.
 */
static void
pack_bits(const uint8_t *values, uint32_t n, uint64_t *bits)
{
	uint32_t	i;

	memset(bits, 0, CPU_BATCH_WORDS * sizeof(uint64_t));
	for (i = 0; i + 8 <= n; i += 8)
	{
		uint64_t	bytes;

		memcpy(&bytes, values + i, 8);
		bytes = (bytes & UINT64_C(0x0101010101010101)) * UINT64_C(0x0102040810204080);
		bits[i / 64] |= bytes >> 56 << (i % 64);
	}
	for (; i < n; i++)
		bits[i / 64] |= (uint64_t) (values[i] & 1) << (i % 64);
}

/*
 * Byte i of a copy of eight bits keeps bit i, and is 0 or carries into its
 * highest bit.
 */
static void
unpack_bits(const uint64_t *bits, uint32_t n, uint8_t *values)
{
	uint32_t	i;

	for (i = 0; i + 8 <= n; i += 8)
	{
		uint64_t	bytes = (bits[i / 64] >> (i % 64) & 0xff) * UINT64_C(0x0101010101010101);

		bytes &= UINT64_C(0x8040201008040201);
		bytes = (bytes + UINT64_C(0x7f7f7f7f7f7f7f7f)) >> 7 & UINT64_C(0x0101010101010101);
		memcpy(values + i, &bytes, 8);
	}
	for (; i < n; i++)
		values[i] = bit_is_set(bits, i);
}

static void
read_truth(const Vector *vector, uint32_t n, Truth *truth)
{
	pack_bits(vector->values, n, truth->yes);
	memset(truth->error, 0, sizeof(truth->error));
	for (int w = 0; w < CPU_BATCH_WORDS; w++)
	{
		uint64_t	known = vector->valid ? vector->valid[w] : UINT64_MAX;

		if (vector->error)
			truth->error[w] = vector->error[w];
		known &= ~truth->error[w];
		truth->no[w] = known & ~truth->yes[w];
		truth->yes[w] &= known;
	}
}

/*
 * AND, and OR as the same with true and false exchanged (fn.h): a side that
 * decides settles the row, but only the left one hides the other's error.
 */
static void
run_connective(const Vector *left, const Vector *right, bool is_or,
			   Vector *out, Register *reg, uint32_t n)
{
	const uint8_t *x = left->values;
	const uint8_t *y = right->values;
	uint8_t    *result = reg->values;
	Truth		a;
	Truth		b;

	out->values = result;
	out->valid = NULL;
	out->error = NULL;
	if (!left->valid && !left->error && !right->valid && !right->error)
	{
		if (is_or)
			for (uint32_t i = 0; i < n; i++)
				result[i] = x[i] | y[i];
		else
			for (uint32_t i = 0; i < n; i++)
				result[i] = x[i] & y[i];
		return;
	}
	read_truth(left, n, &a);
	read_truth(right, n, &b);
	for (int w = 0; w < CPU_BATCH_WORDS; w++)
	{
		uint64_t	settled = is_or ? a.yes[w] : a.no[w];
		uint64_t	error = a.error[w] | (b.error[w] & ~settled);
		uint64_t	decided = (settled | (is_or ? b.yes[w] : b.no[w])) & ~error;
		uint64_t	agreed = is_or ? a.no[w] & b.no[w] : a.yes[w] & b.yes[w];

		a.yes[w] = is_or ? decided : agreed;
		reg->valid[w] = decided | agreed;
		reg->error[w] = error;
	}
	unpack_bits(a.yes, n, result);
	out->valid = reg->valid;
	if (left->error || right->error)
		out->error = reg->error;
}

/* The bits of a or b, missing ones all `missing`, as the bits of `taken` say. */
static void
select_bits(const uint64_t *taken, const uint64_t *a, const uint64_t *b,
			uint64_t missing, uint64_t *out)
{
	for (int w = 0; w < CPU_BATCH_WORDS; w++)
		out[w] = (taken[w] & (a ? a[w] : missing)) | (~taken[w] & (b ? b[w] : missing));
}

/*
 * A selection (fn.h): where the condition is true the first side's value, bits
 * of validity and error, else the second's; the condition's error on top.  Both
 * values are read, so that the loops have no branch.  Where all rows take the first
 * side, as where nothing is NULL, the result is that side's vector.
 */
static void
run_select(Evaluator *eval, const Insn *insn, Vector *out, Register *reg, uint32_t n)
{
	const Vector *when = &eval->vectors[insn->arg[0]];
	const Vector *a = &eval->vectors[insn->arg[1]];
	const Vector *b = &eval->vectors[insn->arg[2]];
	uint8_t    *taken = eval->failed;	/* a byte a row */
	Truth		truth;

	read_truth(when, n, &truth);
	if (!has_zero(truth.yes, n))
	{
		*out = *a;
		return;
	}
	unpack_bits(truth.yes, n, taken);
	switch ((ValueType) insn->type)
	{
#define TYPE(name, ctype, ...) \
		case VT_##name: \
			{ \
				ctype	   *restrict result = reg->values; \
				const ctype *x = a->values; \
				const ctype *y = b->values; \
				for (uint32_t i = 0; i < n; i++) \
				{ \
					ctype		yes = x[i]; \
					ctype		no = y[i]; \
\
					result[i] = taken[i] ? yes : no; \
				} \
				break; \
			}
#include "program/types.def"
		case VT_COUNT:
			break;
	}
	out->values = reg->values;
	out->valid = NULL;
	out->error = NULL;
	if (a->valid || b->valid)
	{
		select_bits(truth.yes, a->valid, b->valid, UINT64_MAX, reg->valid);
		out->valid = reg->valid;
	}
	if (when->error || a->error || b->error)
	{
		select_bits(truth.yes, a->error, b->error, 0, reg->error);
		out->error = either_error(reg->error, when->error, reg->error);
	}
}

static void
run_null_test(const Vector *in, bool isnull, Vector *out, Register *reg, uint32_t n)
{
	uint8_t    *result = reg->values;

	out->values = result;
	out->valid = NULL;
	out->error = in->error;
	if (in->valid == NULL)
		memset(result, !isnull, n);
	else
		for (uint32_t i = 0; i < n; i++)
			result[i] = bit_is_set(in->valid, i) != isnull;
}

/* Compute one register; without a batch, one that needs no column. */
static void
run_insn(Evaluator *eval, int i, const ColumnBatch *batch, uint32_t n)
{
	const Insn *insn = &program_insns(eval->program)[i];
	Vector	   *out = &eval->vectors[i];
	Register   *reg = &eval->registers[i];

	switch (insn->op)
	{
		case OP_column:
			load_column(&batch->columns[insn->index], (ValueType) insn->type, n,
						reg, out);
			break;
		case OP_param:
			break;
		case OP_and:
		case OP_or:
			run_connective(&eval->vectors[insn->arg[0]], &eval->vectors[insn->arg[1]],
						   insn->op == OP_or, out, reg, n);
			break;
		case OP_select:
			run_select(eval, insn, out, reg, n);
			break;
		case OP_isnull:
		case OP_isnotnull:
			run_null_test(&eval->vectors[insn->arg[0]], insn->op == OP_isnull,
						  out, reg, n);
			break;
		default:
			run_op(eval, insn, out, reg, n);
	}
}

/* Is it the same for all rows? */
static bool
is_constant(const Evaluator *eval, const Insn *insn)
{
	if (insn->op == OP_column || insn->op == OP_param)
		return insn->op == OP_param;
	for (int i = 0; i < op_nargs((OpCode) insn->op); i++)
		if (!eval->registers[insn->arg[i]].constant)
			return false;
	return true;
}

bool
eval_run(Evaluator *eval, const ColumnBatch *batch, int first, int last)
{
	for (int i = first; i < last && !eval->interrupted; i++)
		if (!eval->registers[i].constant)
			run_insn(eval, i, batch, batch->nrows);
	return !eval->interrupted;
}

bool
eval_registers(Evaluator *eval, const ColumnBatch *batch, const uint16_t *registers, int n)
{
	for (int i = 0; i < n; i++)
		if (!eval_run(eval, batch, registers[i], registers[i] + 1))
			return false;
	return true;
}

Evaluator *
eval_create(const Program *program, const ParamValue *params, const EngineHints *hints)
{
	const Insn *insns = program_insns(program);
	size_t		bitmap = CPU_BATCH_WORDS * sizeof(uint64_t);
	size_t		size = sizeof(Evaluator) +
		program->ninsns * (sizeof(Vector) + sizeof(Register) + 2 * bitmap + 64);
	Evaluator  *eval;
	char	   *next;

	for (int i = 0; i < program->ninsns; i++)
		size += register_bytes(&insns[i]);
	eval = calloc(1, size);
	if (eval == NULL)
		return NULL;
	eval->program = program;
	eval->hints = *hints;
	eval->memory = size;
	next = eval->block;
	eval->vectors = (Vector *) next;
	next += program->ninsns * sizeof(Vector);
	eval->registers = (Register *) next;
	next += program->ninsns * sizeof(Register);

	for (int i = 0; i < program->ninsns; i++)
	{
		Register   *reg = &eval->registers[i];

		reg->valid = (uint64_t *) next;
		reg->error = (uint64_t *) (next + bitmap);
		reg->values = next + 2 * bitmap;
		next += 2 * bitmap + register_bytes(&insns[i]);
		reg->constant = is_constant(eval, &insns[i]);
		if (insns[i].op == OP_param)
			fill_param(&params[insns[i].index], register_values(&insns[i]), reg,
					   &eval->vectors[i]);
		else if (reg->constant)
			run_insn(eval, i, NULL, CPU_BATCH);
	}
	return eval;
}
