/*
 * moments.c
 *	  Variances, covariances and regressions of floats from their exact sums.
 *
 * PostgreSQL keeps N, Sx = sum(x) and Sxx = sum((x - Sx/N)^2), and likewise Sy,
 * Syy and Sxy, updated row by row in doubles.  Here N * Sxx is computed exactly,
 * as N * sum(x^2) - sum(x)^2, and rounded once, then divided by N; and so are the
 * others.  What follows are the divisions and roots of PostgreSQL's own final
 * functions.  Where an x is special (NaN, infinite), so is Sxx, and both x's and
 * y's make Sxy so: NaN.
 *
 * From 19 on, what is called guarded here, PostgreSQL computes some of them with
 * more care: the mean of equal values is that value, no product of sums leaves
 * the range of doubles where the result is in it, and a correlation is not beyond
 * 1.  The mean is then the exact one, rounded once.
 *
 * Plain C without postgres.h.
 */
#include <math.h>

#include "exec/values/moments.h"

/* A sum that begins with 0, as PostgreSQL's does, and so is never -0. */
static double
sum_of(const ExactSum *sum)
{
	return exact_sum(sum, false) + 0.0;
}

/* Sxx, Syy or Sxy. */
static double
deviations(uint64_t count, const ExactSum *sums, FloatMoment products, FloatMoment a,
		   FloatMoment b)
{
	return exact_deviations(count, &sums[products], &sums[a], &sums[b]) / (double) count;
}

static double
sxx(uint64_t count, const ExactSum *sums)
{
	return deviations(count, sums, MOMENT_XX, MOMENT_X, MOMENT_X);
}

static double
syy(uint64_t count, const ExactSum *sums)
{
	return deviations(count, sums, MOMENT_YY, MOMENT_Y, MOMENT_Y);
}

static double
sxy(uint64_t count, const ExactSum *sums)
{
	return deviations(count, sums, MOMENT_XY, MOMENT_X, MOMENT_Y);
}

static double
mean(uint64_t count, const ExactSum *sum, bool guarded)
{
	return guarded ? exact_mean(count, sum) : sum_of(sum) / (double) count;
}

/* Has a product or quotient left the range of doubles? */
static bool
out_of_range(double value)
{
	return value == 0 || isinf(value);
}

/* The root of xx * yy. */
static double
root_of_product(double xx, double yy, bool guarded)
{
	if (guarded && out_of_range(xx * yy))
		return sqrt(xx) * sqrt(yy);
	return sqrt(xx * yy);
}

/* a * b / c */
static double
proportion(double a, double b, double c, bool guarded)
{
	double		value = a * b / c;
	int			exponents[3];

	if (!guarded || !out_of_range(value) || !isfinite(a) || !isfinite(b) || !isfinite(c))
		return value;
	a = frexp(a, &exponents[0]);
	b = frexp(b, &exponents[1]);
	c = frexp(c, &exponents[2]);
	return ldexp(a * b / c, exponents[0] + exponents[1] - exponents[2]);
}

/* Results of two arguments that a vertical line, of one x, has none of. */
static double
regression(FinalKind final, uint64_t count, const ExactSum *sums, bool guarded, bool *isnull)
{
	double		xx = sxx(count, sums);
	double		xy = sxy(count, sums);

	*isnull = xx == 0;
	if (final == FINAL_REGR_SLOPE)
		return xy / xx;
	return (sum_of(&sums[MOMENT_Y]) - proportion(sum_of(&sums[MOMENT_X]), xy, xx, guarded)) /
		(double) count;
}

static double
corr(double xx, double yy, double xy, bool guarded)
{
	double		value = xy / root_of_product(xx, yy, guarded);

	if (guarded && fabs(value) > 1)
		return value < 0 ? -1 : 1;
	return value;
}

static double
determination(double xx, double yy, double xy, bool guarded)
{
	double		value = (xy * xy) / (xx * yy);

	if (!guarded)
		return value;
	if (out_of_range(xy * xy) || out_of_range(xx * yy))
	{
		value = xy / (sqrt(xx) * sqrt(yy));
		value *= value;
	}
	return value > 1 ? 1 : value;
}

static double
correlation(FinalKind final, uint64_t count, const ExactSum *sums, bool guarded, bool *isnull)
{
	double		xx = sxx(count, sums);
	double		yy = syy(count, sums);
	double		xy = sxy(count, sums);

	*isnull = xx == 0 || (final == FINAL_CORR && yy == 0);
	if (final == FINAL_CORR)
		return corr(xx, yy, xy, guarded);
	return yy == 0 ? 1 : determination(xx, yy, xy, guarded);
}

double
float_moments(FinalKind final, uint64_t count, const ExactSum *sums, bool guarded,
			  bool *isnull)
{
	double		n = (double) count;

	*isnull = count < 2 && (final == FINAL_FLOAT_VAR_SAMP ||
							final == FINAL_FLOAT_STDDEV_SAMP || final == FINAL_COVAR_SAMP);
	if (*isnull)
		return 0;
	switch (final)
	{
		case FINAL_FLOAT_VAR_POP:
			return sxx(count, sums) / n;
		case FINAL_FLOAT_VAR_SAMP:
			return sxx(count, sums) / (n - 1);
		case FINAL_FLOAT_STDDEV_POP:
			return sqrt(sxx(count, sums) / n);
		case FINAL_FLOAT_STDDEV_SAMP:
			return sqrt(sxx(count, sums) / (n - 1));
		case FINAL_REGR_SXX:
			return sxx(count, sums);
		case FINAL_REGR_SYY:
			return syy(count, sums);
		case FINAL_REGR_SXY:
			return sxy(count, sums);
		case FINAL_REGR_AVGX:
			return mean(count, &sums[MOMENT_X], guarded);
		case FINAL_REGR_AVGY:
			return mean(count, &sums[MOMENT_Y], guarded);
		case FINAL_COVAR_POP:
			return sxy(count, sums) / n;
		case FINAL_COVAR_SAMP:
			return sxy(count, sums) / (n - 1);
		case FINAL_CORR:
		case FINAL_REGR_R2:
			return correlation(final, count, sums, guarded, isnull);
		default:
			return regression(final, count, sums, guarded, isnull);
	}
}
