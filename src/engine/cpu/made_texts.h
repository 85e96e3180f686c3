/*
 * made_texts.h
 *	  Operations that make texts (ops_made.h), of a batch's rows.
 */
#ifndef GPUAGG_MADE_TEXTS_H
#define GPUAGG_MADE_TEXTS_H

#include "program/program.h"

/* Memory of the texts that an operation has made of a batch; zeros before the first. */
typedef struct MadeTexts
{
	char	   *data;
	size_t		size;
} MadeTexts;

/*
 * Make n rows' texts, whose bytes are *made's until the next batch.  right: of operations with two
 * operands.  False: there is no memory for them, and they are all empty.
 */
extern bool made_texts_run(OpCode op, uint32_t n, const void *left, const Bytes *right,
						   MadeTexts *made, Bytes *out);

extern void made_texts_free(MadeTexts *made);

#endif							/* GPUAGG_MADE_TEXTS_H */
