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
 * Plain C without postgres.h.
 */
#include <math.h>

#include "exec/moments.h"

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

/* Results of two arguments that a vertical line, of one x, has none of. */
static double
regression(FinalKind final, uint64_t count, const ExactSum *sums, bool *isnull)
{
	double		xx = sxx(count, sums);
	double		xy = sxy(count, sums);

	*isnull = xx == 0;
	if (final == FINAL_REGR_SLOPE)
		return xy / xx;
	return (sum_of(&sums[MOMENT_Y]) - sum_of(&sums[MOMENT_X]) * xy / xx) / (double) count;
}

static double
correlation(FinalKind final, uint64_t count, const ExactSum *sums, bool *isnull)
{
	double		xx = sxx(count, sums);
	double		yy = syy(count, sums);
	double		xy = sxy(count, sums);

	*isnull = xx == 0 || (final == FINAL_CORR && yy == 0);
	if (final == FINAL_CORR)
		return xy / sqrt(xx * yy);
	return yy == 0 ? 1 : (xy * xy) / (xx * yy);
}

double
float_moments(FinalKind final, uint64_t count, const ExactSum *sums, bool *isnull)
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
			return sum_of(&sums[MOMENT_X]) / n;
		case FINAL_REGR_AVGY:
			return sum_of(&sums[MOMENT_Y]) / n;
		case FINAL_COVAR_POP:
			return sxy(count, sums) / n;
		case FINAL_COVAR_SAMP:
			return sxy(count, sums) / (n - 1);
		case FINAL_CORR:
		case FINAL_REGR_R2:
			return correlation(final, count, sums, isnull);
		default:
			return regression(final, count, sums, isnull);
	}
}
