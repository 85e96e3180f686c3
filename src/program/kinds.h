/*
 * kinds.h
 *	  The kinds of values and operations that Programs are made of.
 *
 * Read as C and as CUDA C.
 */
#ifndef GPUAGG_KINDS_H
#define GPUAGG_KINDS_H

#include "accs.h"

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

#endif							/* GPUAGG_KINDS_H */
