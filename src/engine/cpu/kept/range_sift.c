/*
 * range_sift.c
 *	  Rows of a batch that the filter's ranges let pass, found before the batch is decoded.
 *
 * A filter tells of a column of integers in which range its values must be for a row to pass
 * (filter_value_condition).  In a stripe such a column is an array of narrow numbers, and the range
 * is one of these: so a subtraction and a comparison of one to four bytes tell most of the rows that
 * do not pass, where to decode all columns and to evaluate the filter takes many times as long.  What
 * is left is filtered as all rows would be.
 *
 * Not if the Program hides rows: how long it takes would tell of their values.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/cpu/kept/range_sift.h"
#include "program/filter_range.h"

/* Rows are decoded by themselves if they are fewer than one of so many. */
#define SIFT_SHARE 3

bool
range_sift_create(RangeSift *sift, int ncolumns)
{
	sift->ranges = calloc((size_t) ncolumns + 1, sizeof(*sift->ranges));
	return sift->ranges != NULL;
}

void
range_sift_free(RangeSift *sift)
{
	free(sift->ranges);
}

static void
find_ranges(RangeSift *sift, const Program *program, const ParamValue *params)
{
	sift->is_known = true;
	for (int i = 0; i < program->ncolumns; i++)
	{
		FilterCondition condition;

		if (filter_value_condition(program, params, i, &condition) && !condition.inside)
			sift->ranges[sift->n++] = (SiftRange)
		{
			.column = i,.least = condition.least,.most = condition.most,
				.refuses_nulls = condition.refuses_nulls
		};
	}
}

/* The range as it is of the stripe's numbers; false: it refuses none of them. */
static bool
begin_range(SiftRange *range, const CpuKeptPlace *place)
{
	int64_t		least = range->least > place->least ? range->least : place->least;
	int64_t		most = range->most < place->most ? range->most : place->most;

	if (!place->has_range ||
		(least == place->least && most == place->most &&
		 (place->nnulls == 0 || !range->refuses_nulls)))
		return false;
	range->refuses_all = least > most;
	range->low = (uint64_t) least - (place->plain ? 0 : (uint64_t) place->least);
	range->span = (uint64_t) most - (uint64_t) least;
	return true;
}

void
range_sift_begin(RangeSift *sift, const Program *program, const ParamValue *params,
				 const DecodedColumn *columns)
{
	if (!sift->is_known && !program->hides_rows)
		find_ranges(sift, program, params);
	sift->ntested = 0;
	for (int i = 0; i < sift->n; i++)
		if (begin_range(&sift->ranges[i], &columns[sift->ranges[i].column].place))
		{
			SiftRange	tested = sift->ranges[i];

			sift->ranges[i] = sift->ranges[sift->ntested];
			sift->ranges[sift->ntested++] = tested;
		}
}

/* Which of the numbers of one width are in the range. */
#define TEST(ntype) \
	do { \
		const ntype *restrict numbers = (const ntype *) (const void *) column->from; \
		ntype		low = (ntype) range->low; \
		ntype		span = (ntype) range->span; \
		for (uint32_t i = 0; i < n; i++) \
			in_range[i] = (ntype) (numbers[i] - low) <= span; \
	} while (0)

/* A byte a row: is its value in the range?  That of a NULL may be anything. */
static void
test_values(const SiftRange *range, const DecodedColumn *column, uint32_t n,
			uint8_t *restrict in_range)
{
	if (range->refuses_all || column->place.width == 0)
		memset(in_range, !range->refuses_all, n);
	else if (column->place.width == 1)
		TEST(uint8_t);
	else if (column->place.width == 2)
		TEST(uint16_t);
	else if (column->place.width == 4)
		TEST(uint32_t);
	else
		TEST(uint64_t);
}

/* Rows that a range refuses do not pass. */
static void
sift_by(RangeSift *sift, const SiftRange *range, const DecodedColumn *column, uint32_t n)
{
	uint8_t		in_range[CPU_BATCH];
	const uint8_t *valid = column->valid;

	test_values(range, column, n, in_range);
	for (uint32_t i = 0; valid != NULL && i < n; i++)
	{
		uint8_t		bit = valid[i / 8] >> i % 8 & 1;

		in_range[i] = bit ? in_range[i] : !range->refuses_nulls;
	}
	for (uint32_t i = 0; i < n; i++)
		sift->passes[i] &= in_range[i];
}

static uint32_t
count(const uint8_t *marks, uint32_t n)
{
	uint32_t	sum = 0;

	for (uint32_t i = 0; i < n; i++)
		sum += marks[i];
	return sum;
}

bool
range_sift_batch(RangeSift *sift, const DecodedColumn *columns, uint32_t nrows, const uint8_t *left,
				 uint32_t *npass, uint32_t *ncount)
{
	uint32_t	n = 0;

	if (sift->ntested == 0)
		return false;
	for (uint32_t i = 0; i < nrows; i++)
		sift->passes[i] = left == NULL || !left[i];
	*ncount = left == NULL ? nrows : count(sift->passes, nrows);
	for (int i = 0; i < sift->ntested; i++)
		sift_by(sift, &sift->ranges[i], &columns[sift->ranges[i].column], nrows);
	*npass = count(sift->passes, nrows);
	if (*npass * SIFT_SHARE >= nrows)
		return false;
	for (uint32_t i = 0; n < *npass; i++)
	{
		sift->rows[n] = (uint16_t) i;
		n += sift->passes[i];
	}
	return true;
}
