/*
 * kinds.h
 *	  The kinds of values, operations and accumulators that Programs are made of.
 *
 * Read as C and as CUDA C.
 */
#ifndef GPUAGG_KINDS_H
#define GPUAGG_KINDS_H

/*
 * How a value stands in a column batch and in a register.  X(name, C type,
 * bytes in a column vector; 0 for offsets and bytes).  Dates are INT4 (days),
 * timestamps INT8 (microseconds), oid is INT4 (equality only), varchar and
 * char(n) are TEXT.  No key is an INTERVAL.  A numeric is INT8, or WIDE where 64
 * bits do not hold it (no slot is): it counts units of 10^-scale, where the scale
 * belongs to the expression and is known to the maker of the Program; engines
 * know it of columns only, which come from stored numerics.
 */
#define VALUE_TYPES(X) \
	X(BOOL, uint8_t, 1) \
	X(CHAR, int8_t, 1) \
	X(INT2, int16_t, 2) \
	X(INT4, int32_t, 4) \
	X(INT8, int64_t, 8) \
	X(FLOAT4, float, 4) \
	X(FLOAT8, double, 8) \
	X(UUID, Uuid, 16) \
	X(WIDE, Wide, 16) \
	X(INTERVAL, TimeSpan, 16) \
	X(TEXT, Bytes, 0)

typedef enum ValueType
{
#define X(name, ctype, size) VT_##name,
	VALUE_TYPES(X)
#undef X
	VT_COUNT
} ValueType;

/*
 * Operations: those of ops.def, which have a scalar function of the same name,
 * and the few below, which are no functions of values alone.
 */
typedef enum OpCode
{
	OP_column,					/* index: column */
	OP_slot,					/* index: slot */
	OP_and,						/* arg[0], arg[1]: BOOL, as SQL's AND */
	OP_or,						/* likewise */
	OP_isnull,					/* arg[0]: any type; never NULL */
	OP_isnotnull,
	OP_select,					/* arg[0] is true ? arg[1] : arg[2]; arg[0]:
								 * BOOL, the others of one type; see fn.h */
#define OP1(name, r, a, checked, ...) OP_##name,
#define OP2(name, r, a, b, checked, ...) OP_##name,
#include "ops.def"
#undef OP1
#undef OP2
	OP_COUNT
} OpCode;

/*
 * Accumulators: what is kept for each group, in words of 8 bytes.  See state.h
 * for their words, their start values and how two states merge.
 */
typedef enum AccKind
{
	ACC_COUNT,					/* rows, or rows whose argument is not NULL */
	ACC_SUM_INT,				/* sum of BOOL..INT8 in int64, wrapping */
	ACC_SUM_INT128,				/* sum of INT8, exact: 2 words */
	ACC_SUM_FLOAT,				/* sum of FLOAT4, FLOAT8, exact: see exact.h */
	ACC_SUM_PRODUCT,			/* of products of two of these, likewise */
	ACC_MIN_INT,				/* of INT2, INT4, INT8 */
	ACC_MAX_INT,
	ACC_MIN_FLOAT,				/* of FLOAT4, FLOAT8, as ordered bits (state.h) */
	ACC_MAX_FLOAT,
	ACC_BIT_AND,				/* of BOOL, INT2, INT4, INT8 */
	ACC_BIT_OR,
	ACC_BIT_XOR,
	ACC_MIN_TEXT,				/* of TEXT, by the bytes */
	ACC_MAX_TEXT,
	ACC_MIN_BPCHAR,				/* the blanks that it ends in do not count */
	ACC_MAX_BPCHAR,
	ACC_MIN_WIDE,				/* of WIDE */
	ACC_MAX_WIDE,
	ACC_MIN_INTERVAL,			/* of INTERVAL, by the length */
	ACC_MAX_INTERVAL
} AccKind;

#endif							/* GPUAGG_KINDS_H */
