/*
 * sort_values.c
 *	  Unsigned integers into their order.
 *
 * Few are inserted, one after the other.  Many are distributed by one byte after the other,
 * the lowest first, but for bytes that are the same in all (a radix sort: Knuth, The Art of
 * Computer Programming, volume 3, section 5.2.5).
 */
#include <string.h>

#include "engine/cpu/statistics.h"

#define FEW_VALUES 48			/* by measurement */
#define MANY_VALUES (UINT64_C(1) << 20)	/* between their bytes interrupts are looked for */

static void
insert_values(uint64_t *values, uint64_t n)
{
	for (uint64_t i = 1; i < n; i++)
	{
		uint64_t	value = values[i];
		uint64_t	j = i;

		for (; j > 0 && values[j - 1] > value; j--)
			values[j] = values[j - 1];
		values[j] = value;
	}
}

/* By the byte at this bit, without changing the order of equal ones. */
static void
distribute(const uint64_t *from, uint64_t *to, uint64_t n, int shift)
{
	uint64_t	places[256] = {0};
	uint64_t	place = 0;

	for (uint64_t i = 0; i < n; i++)
		places[(from[i] >> shift) & 255]++;
	for (int i = 0; i < 256; i++)
	{
		uint64_t	count = places[i];

		places[i] = place;
		place += count;
	}
	for (uint64_t i = 0; i < n; i++)
		to[places[(from[i] >> shift) & 255]++] = from[i];
}

uint64_t *
sort_values(uint64_t *values, uint64_t *scratch, uint64_t n, const EngineHints *hints)
{
	uint64_t	differ = 0;

	if (n <= FEW_VALUES)
	{
		insert_values(values, n);
		return values;
	}
	for (uint64_t i = 1; i < n; i++)
		differ |= values[i] ^ values[0];
	for (int shift = 0; shift < 64; shift += 8)
	{
		uint64_t   *sorted = scratch;

		if (((differ >> shift) & 255) == 0)
			continue;
		if (hints != NULL && n >= MANY_VALUES && engine_interrupted(hints))
			return NULL;
		distribute(values, scratch, n, shift);
		scratch = values;
		values = sorted;
	}
	return values;
}
