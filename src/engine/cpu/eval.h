/*
 * eval.h
 *	  A Program's instructions over a batch of rows.
 */
#ifndef GPUAGG_EVAL_H
#define GPUAGG_EVAL_H

#include "engine/engine.h"

/* Rows of one batch; a register of 8 bytes a row then takes 8 kB. */
#define CPU_BATCH 1024
#define CPU_BATCH_WORDS (CPU_BATCH / 64)

/*
 * A register's values for a batch.  values: of the type's C type (Bytes for
 * TEXT).  valid, error: a bit a row; valid == NULL: no NULLs, error == NULL: no
 * errors.  Where a row is NULL or an error its value is arbitrary; where it is
 * an error its valid bit is arbitrary too.
 */
typedef struct Vector
{
	const void *values;
	const uint64_t *valid;
	const uint64_t *error;
} Vector;

typedef struct Evaluator Evaluator;

/* NULL if there is no memory.  The Program must outlive the evaluator. */
extern Evaluator *eval_create(const Program *program, const ParamValue *params,
							  const EngineHints *hints);
extern void eval_free(Evaluator *eval);
extern size_t eval_memory(const Evaluator *eval);

/*
 * Compute registers first .. last - 1 for a batch of at most CPU_BATCH rows.
 * The registers before them must have been computed for the same batch, whose
 * arrays the results may point into.  A column of texts without offsets has Bytes.  False: interrupted, there are no results,
 * and there will be none.
 */
extern bool eval_run(Evaluator *eval, const ColumnBatch *batch, int first, int last);

/* The same for some registers, in ascending order. */
extern bool eval_registers(Evaluator *eval, const ColumnBatch *batch,
						   const uint16_t *registers, int n);
extern const Vector *eval_register(const Evaluator *eval, int reg);

/* Let a register have values of the caller's for this batch. */
extern void eval_set_register(Evaluator *eval, int reg, const Vector *vector);

/* An integer of one of the types. */
static inline int64_t
integer_at(const void *values, ValueType type, uint32_t row)
{
	switch (value_type_size(type))
	{
		case 1:
			return type == VT_BOOL ? ((const uint8_t *) values)[row] : ((const int8_t *) values)[row];
		case 2:
			return ((const int16_t *) values)[row];
		case 4:
			return ((const int32_t *) values)[row];
		default:
			return ((const int64_t *) values)[row];
	}
}

static inline bool
bit_is_set(const uint64_t *bits, uint32_t row)
{
	return (bits[row / 64] >> (row % 64)) & 1;
}

#endif							/* GPUAGG_EVAL_H */
