/*
 * ops_bucket.h
 *	  Buckets of numbers and of times: width_bucket and date_bin.
 *
 * What a bucket is made of are constants: a parameter's bytes, an array of numbers of 8
 * bytes.  Read as C and as CUDA C.
 */
#ifndef GPUAGG_OPS_BUCKET_H
#define GPUAGG_OPS_BUCKET_H

#include "fn.h"
#include "ops_calendar.h"
#include "ops_float.h"

#define MOST_BUCKETS 2147483647

/* The part of a range's buckets below a, as PostgreSQL computes it from version 16 on. */
GA_FN double
bucket_by_part(double a, double low, double high, double count)
{
	if (!isinf(high - low))
		return count * ((a - low) / (high - low));
	return count * ((a / 2 - low / 2) / (high / 2 - low / 2));
}

/*
 * width_bucket(a, low, high, count): of four doubles, the last of which is 1 where
 * PostgreSQL divides first.  Versions that do not can overflow.
 */
GA_FN int32_t
float8_width_bucket(double a, Bytes histogram, bool *error)
{
	const double *numbers = (const double *) histogram.data;
	double		sign = 1;
	double		low;
	double		high;
	double		bucket;

	if (isnan(a) || histogram.len < 4 * sizeof(double))
	{
		*error = true;
		return 0;
	}
	if (numbers[0] > numbers[1])
		sign = -1;
	a *= sign;
	low = sign * numbers[0];
	high = sign * numbers[1];
	if (a < low)
		return 0;
	if (a >= high)
		bucket = numbers[2] + 1;
	else if (numbers[3] == 1)
		bucket = fmin(trunc(bucket_by_part(a, low, high, numbers[2])), numbers[2] - 1) + 1;
	else
		bucket = numbers[2] * (a - low) / (high - low) + 1;
	if (!(bucket < MOST_BUCKETS + 1.0))
	{
		*error = true;
		return 0;
	}
	return (int32_t) bucket;
}

/*
 * The same of integers.  Lowering admits only such that a count times a width is
 * an int64.
 */
GA_FN int32_t
int8_width_bucket(int64_t a, Bytes histogram)
{
	const int64_t *numbers = (const int64_t *) histogram.data;
	bool		falls;
	uint64_t	distance;
	uint64_t	width;

	if (histogram.len < 3 * sizeof(int64_t))
		return 0;
	falls = numbers[0] > numbers[1];
	if (falls ? a > numbers[0] : a < numbers[0])
		return 0;
	if (falls ? a <= numbers[1] : a >= numbers[1])
		return (int32_t) numbers[2] + 1;
	distance = falls ? (uint64_t) numbers[0] - (uint64_t) a : (uint64_t) a - (uint64_t) numbers[0];
	width = falls ? (uint64_t) numbers[0] - (uint64_t) numbers[1] :
		(uint64_t) numbers[1] - (uint64_t) numbers[0];
	return (int32_t) ((uint64_t) numbers[2] * distance / width) + 1;
}

/* width_bucket(a, thresholds): halved as PostgreSQL halves them, in order or not. */
GA_FN int32_t
float8_bucket(double a, Bytes thresholds)
{
	const double *numbers = (const double *) thresholds.data;
	uint32_t	left = 0;
	uint32_t	right = thresholds.len / sizeof(double);

	while (left < right)
	{
		uint32_t	middle = (left + right) / 2;

		if (float8_lt(a, numbers[middle]))
			right = middle;
		else
			left = middle + 1;
	}
	return (int32_t) left;
}

GA_FN int32_t
int8_bucket(int64_t a, Bytes thresholds)
{
	const int64_t *numbers = (const int64_t *) thresholds.data;
	uint32_t	left = 0;
	uint32_t	right = thresholds.len / sizeof(int64_t);

	while (left < right)
	{
		uint32_t	middle = (left + right) / 2;

		if (a < numbers[middle])
			right = middle;
		else
			left = middle + 1;
	}
	return (int32_t) left;
}

/* date_bin(stride, timestamp, origin): of the stride, not zero, and the origin. */
GA_FN int64_t
timestamp_bin(int64_t timestamp, Bytes bins, bool *error)
{
	const int64_t *numbers = (const int64_t *) bins.data;
	int64_t		from_origin;
	int64_t		rest;
	int64_t		result;

	if (timestamp_is_infinite(timestamp))
		return timestamp;
	if (bins.len < 2 * sizeof(int64_t) || numbers[0] <= 0)
	{
		*error = true;
		return 0;
	}
	from_origin = (int64_t) ((uint64_t) timestamp - (uint64_t) numbers[1]);
	rest = from_origin % numbers[0];
	result = (int64_t) ((uint64_t) timestamp - (uint64_t) rest);
	*error |= ((timestamp ^ numbers[1]) & (timestamp ^ from_origin)) < 0;
	if (rest >= 0)
		return result;
	return timestamp_add_time(result, -numbers[0], error);
}

#endif							/* GPUAGG_OPS_BUCKET_H */
