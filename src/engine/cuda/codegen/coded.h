/*
 * coded.h
 *	  A Program whose texts that are keys, or have conditions, are codes.
 */
#ifndef GPUAGG_CODED_H
#define GPUAGG_CODED_H

#include "engine/cuda/kernels/kernel_args.h"
#include "program/program.h"

/* A condition on one column of texts: kernels look up its answer by the text's code. */
typedef struct CodedCondition
{
	int16_t		reg;			/* of the Program, whose instruction it is */
	int16_t		column;
} CodedCondition;

typedef struct CodedConditions
{
	int			n;
	CodedCondition of[ARGS_MAX_ANSWERS];
} CodedConditions;

/*
 * Write a copy of a Program with codes in the place of columns of texts, into room for as many
 * bytes: of texts that are keys, or that have conditions and are `asked`, and are nothing else.
 * False: there are no such columns.
 *
 * The copy is for kernels alone.  A code is an INT4, and its column is `coded`: equal texts
 * have equal codes, and what a group's key is is looked up when the group leaves.  A condition is an
 * OP_column of its text, whose first operand is the condition's number.
 */
extern bool coded_make(const Program *program, const bool *asked, Program *coded,
					   CodedConditions *conditions);

/* Is that column a key? */
extern bool coded_is_key(const Program *program, int column);

#endif							/* GPUAGG_CODED_H */
