/*
 * display_scale.h
 *	  The display scale of a numeric that is being lowered.
 */
#ifndef GPUAGG_DISPLAY_SCALE_H
#define GPUAGG_DISPLAY_SCALE_H

#include "plan/lower/lowering.h"

/* How a value's display scale comes about; in the current context, immutable. */
typedef struct DisplayScale DisplayScale;

/* Of a constant or a type modifier; of a NULL, which has none; of a column. */
extern const DisplayScale *display_scale_const(int scale);
extern const DisplayScale *display_scale_of_null(void);

/*
 * Of an attribute whose values have their own: the column that holds it is added
 * when it is needed.  expected: by all values, or -1 if there is none.  missing:
 * of tuples that do not have the attribute, or -1: they have NULL.
 */
extern const DisplayScale *display_scale_column(int attno, bool nullable, int missing,
												int expected);

/* Of a sum or difference; of a product; of what a condition's register selects. */
extern const DisplayScale *display_scale_larger(const DisplayScale *a, const DisplayScale *b);
extern const DisplayScale *display_scale_added(const DisplayScale *a, const DisplayScale *b);
extern const DisplayScale *display_scale_selected(int when, const DisplayScale *then,
												  const DisplayScale *otherwise);

/* Of what a register of type INT4 has it for. */
extern const DisplayScale *display_scale_computed(int reg);

/* Is it one of nothing but NULLs and specials, which have none? */
extern bool display_scale_has_none(const DisplayScale *shown);

/* Is it the same for all values but NULLs, whatever they are? */
extern bool display_scale_fixed(const DisplayScale *shown, int *scale);

/* Is it expected to be?  A NULL's is any: *scale is then left alone. */
extern bool display_scale_expected(const DisplayScale *shown, int *scale);

/* A register of type INT4 that has it for all values but NULLs, or -1. */
extern int	display_scale_register(Lowering *l, const DisplayScale *shown);

#endif							/* GPUAGG_DISPLAY_SCALE_H */
