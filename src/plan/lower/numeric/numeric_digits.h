/*
 * numeric_digits.h
 *	  How many digits a numeric has at most.
 */
#ifndef GPUAGG_NUMERIC_DIGITS_H
#define GPUAGG_NUMERIC_DIGITS_H

#include "nodes/primnodes.h"

/*
 * Is the expression's value, a sum of it over any rows, and each value that it is computed from
 * by arithmetic, far below what a numeric can hold, by the types of columns?
 */
extern bool numeric_has_few_digits(const Node *node);

#endif							/* GPUAGG_NUMERIC_DIGITS_H */
