/*
 * variance.c
 *	  Variances of integers and numerics from their exact sums.
 *
 * PostgreSQL computes (N * sum of squares - square of the sum) / (N * (N - 1)),
 * or / (N * N), in numeric; the numerator is exact, and the quotient's scale is
 * that of any division.  A standard deviation is the square root rounded to the
 * quotient's scale, whereas the function sqrt(numeric), the one within reach,
 * may give more digits: these are rounded here, without rounding twice.
 *
 * Memory: all values are in the current context.
 */
#include "postgres.h"

#include "utils/fmgrprotos.h"

#include "exec/values/value_parts.h"

static Datum
numeric_of(int64 value)
{
	return NumericGetDatum(int64_to_numeric(value));
}

/*
 * The square root, rounded half up at a scale.  numeric_sqrt's root has that
 * many digits or more, and is rounded itself: if that made it a half, rounding
 * it again would go up from below the half.
 */
static Datum
square_root(Datum value, int32 scale)
{
	Datum		root = DirectFunctionCall1(numeric_sqrt, value);
	Datum		result = DirectFunctionCall2(numeric_round, root, Int32GetDatum(scale));
	Datum		half = NumericGetDatum(int64_div_fast_to_numeric(5, scale + 1));
	Datum		least = DirectFunctionCall2(numeric_sub, result, half);
	Datum		square = DirectFunctionCall2(numeric_mul, least, least);

	if (DatumGetBool(DirectFunctionCall2(numeric_gt, square, value)))
		result = DirectFunctionCall2(numeric_trunc, root, Int32GetDatum(scale));
	return result;
}

Numeric
exact_variance(int64 count, Numeric sum, Numeric squares, bool sample, bool root)
{
	Datum		n = numeric_of(count);
	Datum		numerator;
	Datum		divisor;
	Datum		result;

	numerator = DirectFunctionCall2(numeric_sub,
									DirectFunctionCall2(numeric_mul, n,
														NumericGetDatum(squares)),
									DirectFunctionCall2(numeric_mul,
														NumericGetDatum(sum),
														NumericGetDatum(sum)));
	/* zero has no digits behind the point */
	if (DatumGetBool(DirectFunctionCall2(numeric_eq, numerator, numeric_of(0))))
		return int64_to_numeric(0);

	divisor = DirectFunctionCall2(numeric_mul, n,
								  numeric_of(sample ? count - 1 : count));
	result = DirectFunctionCall2(numeric_div, numerator, divisor);
	if (root)
		result = square_root(result,
							 DatumGetInt32(DirectFunctionCall1(numeric_scale, result)));
	return DatumGetNumeric(result);
}
