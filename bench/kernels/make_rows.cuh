/*
 * make_rows.cuh
 *	  Rows for benchmarks, made on the device: numbers of groups in several orders, key
 *	  columns for them, values.
 */
#ifndef GPUAGG_MAKE_ROWS_CUH
#define GPUAGG_MAKE_ROWS_CUH

#ifdef GPUAGG_PRELUDE_CUH
#ifndef __CUDACC__
#include <math.h>
#endif
#endif

/* Orders: Distribution in bench.h. */
#define MAKE_SORTED 1
#define MAKE_SHIFTED 2
#define MAKE_ZIPF 3
#define MAKE_HEAVY 4

/* Contents of a column. */
#define MAKE_NUMBER 0			/* int4: the group's number */
#define MAKE_SPARSE 1			/* int4, all over the range */
#define MAKE_INT8_KEY 2			/* likewise */
#define MAKE_THOUSANDS 3		/* int4: the number by 1000, and the rest */
#define MAKE_UNITS 4
#define MAKE_DIGIT 5			/* int4: one of 6 digits to the base of 32 */
#define MAKE_TEXT_KEY 6			/* `length` characters */
#define MAKE_FLOAT8 7			/* all bits, below 1000 */
#define MAKE_FLOAT4 8
#define MAKE_INT8 9				/* numeric(10, 2) */
#define MAKE_INT4 10			/* of `length` bytes, if it is 1 or 2 */
#define MAKE_WIDE 11			/* numeric(30, 2) */
#define MAKE_FILTER 12			/* int4, below 100 */
#define MAKE_NULLS 13			/* bytes: every 16th is NULL */
#define MAKE_CODE 14			/* the group's number, of `length` bytes */

typedef struct MakeArgs
{
	POINTER(void) values;
	POINTER(uint8_t) bytes;		/* MAKE_TEXT_KEY */
	uint64_t	rows;
	uint32_t	groups;
	uint32_t	distribution;
	uint32_t	content;
	uint32_t	column;
	uint32_t	length;
	uint32_t	first_byte;		/* of texts, in the batch's bytes */
} MakeArgs;

#ifdef GPUAGG_PRELUDE_CUH

#define MAKE_SEED UINT64_C(88172645463325252)

/* The number of a row's group. */
DEVICE_FN uint32_t
make_number(const MakeArgs *args, uint64_t row)
{
	uint64_t	random = hash_mix(row + MAKE_SEED);
	uint32_t	groups = args->groups;
	uint32_t	sorted = (uint32_t) (row * groups / args->rows);
	uint32_t	uniform = (uint32_t) (random >> 16) % groups;
	double		u = (double) (random >> 11) / 9007199254740992.0;
	uint32_t	zipf;

	switch (args->distribution)
	{
		case MAKE_SORTED:
			return sorted;
		case MAKE_SHIFTED:
			if (random & 1)
				return sorted + 1 < groups ? sorted + 1 : sorted;
			return sorted > 0 ? sorted - 1 : 0;
		case MAKE_ZIPF:
			zipf = (uint32_t) exp(u * log((double) groups + 1)) - 1;
			return zipf < groups ? zipf : groups - 1;
		case MAKE_HEAVY:
			return random & 1 ? 0 : uniform;
		default:
			return uniform;
	}
}

/* A text of hexadecimal digits, the number's lowest ones last. */
DEVICE_FN void
make_text(const MakeArgs *args, uint64_t row, uint32_t number)
{
	uint64_t	start = row * args->length;
	TextRef		ref;

	for (uint32_t i = 0; i < args->length; i++)
	{
		uint32_t	place = args->length - 1 - i;
		uint32_t	digit = place < 8 ? number >> (4 * place) & 15 : 0;

		args->bytes[start + i] = (uint8_t) (digit < 10 ? '0' + digit : 'a' + digit - 10);
	}
	ref.start = args->first_byte + (uint32_t) start;
	ref.length = args->length;
	((TextRef *) args->values)[row] = ref;
}

/* Factors are odd: other keys, as many, all over the range. */
KERNEL(make_keys, MakeArgs, args)
{
	for (uint64_t i = grid_index(); i < args.rows; i += grid_size())
	{
		uint32_t	number = make_number(&args, i);
		int32_t    *int4 = (int32_t *) args.values;

		if (args.content == MAKE_NUMBER)
			int4[i] = (int32_t) number;
		else if (args.content == MAKE_SPARSE)
			int4[i] = (int32_t) (number * 2654435761u);
		else if (args.content == MAKE_INT8_KEY)
			((int64_t *) args.values)[i] =
				(int64_t) (number * UINT64_C(0x9e3779b97f4a7c15));
		else if (args.content == MAKE_THOUSANDS)
			int4[i] = (int32_t) (number / 1000);
		else if (args.content == MAKE_UNITS)
			int4[i] = (int32_t) (number % 1000);
		else if (args.content == MAKE_DIGIT)
			int4[i] = (int32_t) (number >> (5 * args.column) & 31);
		else if (args.content == MAKE_CODE && args.length == 1)
			((uint8_t *) args.values)[i] = (uint8_t) number;
		else if (args.content == MAKE_CODE && args.length == 2)
			((uint16_t *) args.values)[i] = (uint16_t) number;
		else if (args.content == MAKE_CODE)
			int4[i] = (int32_t) number;
		else
			make_text(&args, i, number);
	}
}

KERNEL(make_values, MakeArgs, args)
{
	for (uint64_t i = grid_index(); i < args.rows; i += grid_size())
	{
		uint64_t	random = hash_mix(hash_mix(i + MAKE_SEED) + args.column);
		double		value = (double) (random >> 11) / 9007199254740992.0 * 1000;

		if (args.content == MAKE_FLOAT8)
			((double *) args.values)[i] = value;
		else if (args.content == MAKE_FLOAT4)
			((float *) args.values)[i] = (float) value;
		else if (args.content == MAKE_INT8)
			((int64_t *) args.values)[i] = (int64_t) (random % 100000000);
		else if (args.content == MAKE_INT4 && args.length == 1)
			((uint8_t *) args.values)[i] = (uint8_t) random;
		else if (args.content == MAKE_INT4 && args.length == 2)
			((uint16_t *) args.values)[i] = (uint16_t) random;
		else if (args.content == MAKE_INT4)
			((int32_t *) args.values)[i] = (int32_t) random;
		else if (args.content == MAKE_WIDE)
		{
			((uint64_t *) args.values)[2 * i] = random;
			((uint64_t *) args.values)[2 * i + 1] = hash_mix(random) >> 32;
		}
		else if (args.content == MAKE_FILTER)
			((int32_t *) args.values)[i] = (int32_t) (random % 100);
		else
			((uint8_t *) args.values)[i] = random % 16 == 0;
	}
}

#endif							/* GPUAGG_PRELUDE_CUH */

#endif							/* GPUAGG_MAKE_ROWS_CUH */
