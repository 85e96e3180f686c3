/*
 * float_state.h
 *	  Groups' states with doubles in the place of exact sums, so that runs of
 *	  different units and levels can be compared.
 */
#ifndef FLOAT_STATE_H
#define FLOAT_STATE_H

#include <stdlib.h>
#include <string.h>

#include "program/exact_result.h"
#include "program/program.h"

/*
 * A state of `ran`, which is `program` or a wider one, in the words of
 * `program`: of a float sum, the first is the double, and the others are 0.
 */
static inline void
float_state(const Program *program, const Program *ran, const int32_t *units,
			const uint64_t *words, uint64_t *to)
{
	for (int i = 0; i < program->naccs; i++)
	{
		const Accumulator *acc = &program_accs(program)[i];
		const Accumulator *from = &program_accs(ran)[i];
		ExactSum	sum = {words + from->word, from->nwords, (ExactLevel) ran->level, 0};
		double		value;

		if (!acc_sums_floats(acc))
		{
			memcpy(to + acc->word, words + from->word, acc->nwords * sizeof(uint64_t));
			continue;
		}
		sum.unit = units[i];
		value = exact_sum(&sum, false);
		memset(to + acc->word, 0, acc->nwords * sizeof(uint64_t));
		memcpy(to + acc->word, &value, sizeof(value));
	}
}

/* The Program of the next level, or NULL; the one it was is freed. */
static inline Program *
wider_program(Program *program)
{
	Program    *wider = malloc(program->size);

	if (!program_widen(program, wider))
	{
		free(wider);
		wider = NULL;
	}
	free(program);
	return wider;
}

static inline Program *
copy_program(const Program *program)
{
	return memcpy(malloc(program->size), program, program->size);
}

#endif							/* FLOAT_STATE_H */
