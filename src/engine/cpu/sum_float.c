/*
 * sum_float.c
 *	  Floats, and products of two, into exact sums.
 *
 * A run's first values other than 0 choose the unit; while there are none, all
 * values are 0, whose words are 0 in any unit.  Of several runs that share units, the
 * first to choose does so for all.
 *
 * Narrow sums are those that matter.  Nearly all values of real data are an integer of few enough
 * units of a sum's middle word.  A batch of such values is made integers by additions of floats, which
 * the compiler vectorises: of a float and a constant that is so much larger, the lowest bits are
 * the float's integer (Hecker, "Let's get to the (floating) point", Game Developer 1996).  Whether all are is seen once a
 * batch; where one is not, each is looked at.
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

/* Add an integer of 128 bits to a sum's middle and highest words. */
static inline void
add_digits(__int128 digits, uint64_t *to)
{
	to[1] += (uint64_t) digits;
	to[2] += (uint64_t) (digits >> 64) + (to[1] < (uint64_t) digits);
}

/*
 * One value into the words of a sum; what came of it.  Most are an integer of few enough units of
 * the middle word, which the processor converts.  What is not, and what the scale loses, is seen by
 * its bits: another value comes back.
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
			add_digits(digits, to);
			return 0;
		}
	}
	problems = exact_narrow(value, unit, &more[0], &more[1], &more[2]);
	exact_add(to, more, 3);
	return problems;
}

/* Sums with these have a unit of 2^32, and of 1. */
#define WITH_HIGH 0x1.8p84
#define WITH_LOW 0x1.8p52

/*
 * A value as an integer of units of the middle word, high * 2^32 + low, both of two's complement.
 * *wrong gets a bit if it is none, if it is too large, or if it is -0.
 */
static inline void
split_value(double value, Scale scale, uint64_t *high, uint64_t *low, uint64_t *wrong)
{
	double		scaled = value * scale.to;
	double		with_high = scaled + WITH_HIGH;
	double		with_low = scaled - (with_high - WITH_HIGH) + WITH_LOW;
	double		again = ((with_high - WITH_HIGH) + (with_low - WITH_LOW)) * scale.back;
	uint64_t	magnitude = exact_float_bits(scaled) & INT64_MAX;

	*high = exact_float_bits(with_high) - exact_float_bits(WITH_HIGH);
	*low = exact_float_bits(with_low) - exact_float_bits(WITH_LOW);
	*wrong |= exact_float_bits(again) ^ exact_float_bits(value);
	/* the highest bit, if it is MOST_UNITS or more, infinite or NaN */
	*wrong |= (magnitude + ((UINT64_C(1) << 63) - exact_float_bits(MOST_UNITS))) >> 63;
}

/* The rows' values one behind the other: where they are, if they stand so, or in `room`. */
static const double *
values_in_row(const FloatArgs *args, const RowGroups *rows, double *room)
{
	const float *singles = args->a->values;
	const double *doubles = args->a->values;
	const uint16_t *numbers = rows->rows;
	const uint32_t n = rows->n;

	if (!args->a_single && n > 0 && numbers[n - 1] - numbers[0] == (int) n - 1)
		return doubles + numbers[0];
	for (uint32_t i = 0; i < n; i++)
		room[i] = args->a_single ? singles[numbers[i]] : doubles[numbers[i]];
	return room;
}

/* n values into one sum; false: one is no such integer, and the sum is what it was. */
static bool
sum_split(const double *restrict values, uint32_t n, Scale scale, uint64_t *to)
{
	uint64_t	high;
	uint64_t	low;
	uint64_t	sum_high = 0;
	uint64_t	sum_low = 0;
	uint64_t	wrong = 0;

	for (uint32_t i = 0; i < n; i++)
	{
		split_value(values[i], scale, &high, &low, &wrong);
		sum_high += high;
		sum_low += low;
	}
	if (wrong != 0)
		return false;
	add_digits((__int128) (int64_t) sum_high * (INT64_C(1) << 32) + (int64_t) sum_low, to);
	return true;
}

/* The same into the sums of the rows' groups. */
static bool
sum_split_groups(const double *restrict values, const RowGroups *rows, const States *states,
				 Scale scale, uint64_t *base)
{
	const uint32_t *groups = rows->groups;
	const size_t stride = states->stride;
	const uint32_t n = rows->n;
	int64_t		digits[CPU_BATCH];
	uint64_t	high;
	uint64_t	low;
	uint64_t	wrong = 0;

	for (uint32_t i = 0; i < n; i++)
	{
		split_value(values[i], scale, &high, &low, &wrong);
		digits[i] = (int64_t) ((high << 32) + low);
	}
	if (wrong != 0)
		return false;
	for (uint32_t i = 0; i < n; i++)
		add_digits(digits[i], base + groups[i] * stride);
	return true;
}

#define FOR_NARROW(ctype) \
	do { \
		const ctype *values = args->a->values; \
		for (uint32_t i = 0; i < rows->n; i++) \
			problems |= add_narrow(values[rows->rows[i]], unit, scale, base + \
								   (states->single ? 0 : rows->groups[i] * states->stride)); \
	} while (0)

static uint32_t
sum_narrow(const Accumulator *acc, const FloatArgs *args, const RowGroups *rows,
		   const States *states, int32_t unit)
{
	uint64_t   *base = states->base + acc->word;
	Scale		scale = scale_of(unit);
	double		room[CPU_BATCH];
	const double *in_row = values_in_row(args, rows, room);
	uint32_t	problems = 0;

	if (states->single ? sum_split(in_row, rows->n, scale, base) :
		sum_split_groups(in_row, rows, states, scale, base))
		return 0;
	if (args->a_single)
		FOR_NARROW(float);
	else
		FOR_NARROW(double);
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
