/*
 * sum_float.c
 *	  Floats, and products of two, into exact sums.
 *
 * A run's first values other than 0 choose the unit; while there are none, all
 * values are 0, whose words are 0 in any unit.  Of several runs that share units, the
 * first to choose does so for all.
 *
 * The loop for narrow sums is the one that matters: its branches go one way for
 * nearly all real data, and it asks for problems once a batch.
 */
#include <math.h>

#include "engine/cpu/sum_float.h"

#define MOST_UNITS 0x1p62		/* of a sum's middle word, that a value is added as at once */

static inline double
float_at(const Vector *vector, bool single, uint32_t row)
{
	return single ? ((const float *) vector->values)[row] :
		((const double *) vector->values)[row];
}

/* The largest exponent of the rows' values, or products; 0: all are 0. */
static uint32_t
largest_exponent(const FloatArgs *args, const RowGroups *rows)
{
	uint32_t	largest = 0;

	for (uint32_t i = 0; i < rows->n; i++)
	{
		double		a = float_at(args->a, args->a_single, rows->rows[i]);
		uint32_t	exponent = args->b == NULL ? exact_exponent(a) :
			exact_product_exponent(a, float_at(args->b, args->b_single, rows->rows[i]));

		largest = exponent > largest ? exponent : largest;
	}
	return largest;
}

/* Let all runs have the unit of the one that has chosen it first. */
static void
share_unit(SumUnit *unit)
{
	int64_t		nobody = 0;
	int64_t		mine = (int64_t) unit->exponent - INT32_MIN;

	if (!__atomic_compare_exchange_n(unit->shared, &nobody, mine, false,
									 __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		unit->exponent = (int32_t) (nobody + INT32_MIN);
}

static void
choose_unit(const Accumulator *acc, int level, const FloatArgs *args,
			const RowGroups *rows, SumUnit *unit)
{
	uint32_t	exponent = level == EXACT_FULL ? 0 : largest_exponent(args, rows);

	unit->chosen = exponent > 0 || level == EXACT_FULL;
	unit->exponent = acc_unit(acc, level, exponent);
	if (unit->chosen && unit->shared != NULL)
		share_unit(unit);
}

/* What turns values into units of a sum's middle word, and back, without loss. */
typedef struct Scale
{
	double		to;
	double		back;
} Scale;

static Scale
scale_of(int32_t unit)
{
	return (Scale)
	{
		ldexp(1, -(unit + 64)), ldexp(1, unit + 64)
	};
}

/*
 * One value into the words of a sum; what came of it.  Nearly all are an integer of few enough
 * units of the middle word, which the processor converts.  What is not, and what the scale loses, is
 * seen by its bits: another value comes back.
 */
static inline uint32_t
add_narrow(double value, int32_t unit, Scale scale, uint64_t *to)
{
	double		scaled = value * scale.to;
	uint64_t	more[3];
	uint32_t	problems;

	if (fabs(scaled) < MOST_UNITS)
	{
		int64_t		digits = (int64_t) scaled;

		if (exact_float_bits((double) digits * scale.back) == exact_float_bits(value))
		{
			to[1] += (uint64_t) digits;
			to[2] += (uint64_t) (digits >> 63) + (to[1] < (uint64_t) digits);
			return 0;
		}
	}
	problems = exact_narrow(value, unit, &more[0], &more[1], &more[2]);
	exact_add(to, more, 3);
	return problems;
}

#define FOR_NARROW(ctype, to) \
	do { \
		const ctype *values = args->a->values; \
		for (uint32_t i = 0; i < rows->n; i++) \
			problems |= add_narrow(values[rows->rows[i]], unit, scale, to); \
	} while (0)

static uint32_t
sum_narrow(const Accumulator *acc, const FloatArgs *args, const RowGroups *rows,
		   const States *states, int32_t unit)
{
	uint64_t   *base = states->base + acc->word;
	uint64_t	single[3] = {base[0], base[1], base[2]};
	Scale		scale = scale_of(unit);
	uint32_t	problems = 0;

	if (states->single && args->a_single)
		FOR_NARROW(float, single);
	else if (states->single)
		FOR_NARROW(double, single);
	else if (args->a_single)
		FOR_NARROW(float, base + rows->groups[i] * states->stride);
	else
		FOR_NARROW(double, base + rows->groups[i] * states->stride);
	if (states->single)
		memcpy(base, single, sizeof(single));
	return problems;
}

static uint32_t
sum_numbers(const Accumulator *acc, int level, const FloatArgs *args,
			const RowGroups *rows, const States *states, int32_t unit)
{
	int			n = acc_number_words(acc, level);
	uint32_t	problems = 0;

	for (uint32_t i = 0; i < rows->n; i++)
	{
		size_t		group = states->single ? 0 : rows->groups[i];
		uint64_t   *words = states->base + acc->word + group * states->stride;
		double		a = float_at(args->a, args->a_single, rows->rows[i]);
		ExactNumber number = args->b == NULL ? exact_number(a, acc->limit) :
			exact_product(a, float_at(args->b, args->b_single, rows->rows[i]), acc->limit);

		problems |= exact_accumulate(&number, unit, words, n, level == EXACT_NARROW);
	}
	return problems;
}

uint32_t
sum_floats(const Accumulator *acc, int level, const FloatArgs *args,
		   const RowGroups *rows, const States *states, SumUnit *unit)
{
	if (!unit->chosen)
		choose_unit(acc, level, args, rows, unit);
	if (level == EXACT_NARROW && acc_form((AccKind) acc->kind) == FORM_FLOAT)
		return sum_narrow(acc, args, rows, states, unit->exponent);
	return sum_numbers(acc, level, args, rows, states, unit->exponent);
}
