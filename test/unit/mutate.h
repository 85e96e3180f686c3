/*
 * mutate.h
 *	  Bytes changed at random, from a fixed seed.
 *
 * Part of the one program that includes it.
 */
#ifndef MUTATE_H
#define MUTATE_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "random.h"

/* A number that is likely to be at a limit. */
static uint64_t
random_number(void)
{
	static const uint64_t numbers[] = {0, 1, 2, 7, 8, 255, 256, 511, 512, 513, 65535, 65536,
		INT32_MAX, UINT32_MAX, INT64_MAX, UINT64_MAX, 1024, 4096};

	return random_u64() % 3 == 0 ? random_u64() :
		numbers[random_u64() % (sizeof(numbers) / sizeof(numbers[0]))];
}

/* Change one to three numbers of 1 to 8 bytes; now and then by one only. */
static void
mutate(void *bytes, size_t size)
{
	static const size_t widths[] = {1, 2, 4, 8};
	int			n = 1 + (int) (random_u64() % 3);

	while (size > 0 && n-- > 0)
	{
		size_t		width = widths[random_u64() % 4];
		size_t		at = random_u64() % size / width * width;
		uint64_t	value = 0;

		if (at + width > size)
			continue;
		memcpy(&value, (char *) bytes + at, width);
		value = random_u64() % 3 == 0 ? value + random_u64() % 3 - 1 :
			random_u64() % 3 == 0 ? value ^ UINT64_C(1) << random_u64() % (8 * width) :
			random_number();
		memcpy((char *) bytes + at, &value, width);
	}
}

#endif							/* MUTATE_H */
