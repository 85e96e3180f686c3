/*
 * kinds.h
 *	  The kinds of values, operations and accumulators that Programs are made of.
 *
 * Read as C and as CUDA C.
 */
#ifndef GPUAGG_KINDS_H
#define GPUAGG_KINDS_H

#include "accs.h"
#include "types.h"

/*
 * Operations: those of ops.def, which have a scalar function of the same name,
 * and the few below, which are no functions of values alone.
 */
typedef enum OpCode
{
	OP_column,					/* index: column */
	OP_param,					/* index: parameter */
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
