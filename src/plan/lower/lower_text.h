/*
 * lower_text.h
 *	  LIKE with constant patterns, lengths and constant parts of texts.
 */
#ifndef GPUAGG_LOWER_TEXT_H
#define GPUAGG_LOWER_TEXT_H

#include "plan/lower/lowering.h"

/* Lower a call, if the function is one of those here, to *reg (or -1). */
extern bool lower_text_function(Lowering *l, Oid function, List *args, Oid collation,
								int *reg);

#endif							/* GPUAGG_LOWER_TEXT_H */
