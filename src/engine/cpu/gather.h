/*
 * gather.h
 *	  Values of an array, and bits of a bitmap, by their numbers.
 */
#ifndef GPUAGG_GATHER_H
#define GPUAGG_GATHER_H

#include <stddef.h>
#include <stdint.h>

typedef struct TwoWords
{
	uint64_t	words[2];
} TwoWords;

#define GATHER(ctype) \
	do { \
		const ctype *values = from; \
		ctype	   *result = to; \
		for (uint32_t i = 0; i < n; i++) \
			result[i] = values[numbers[i]]; \
	} while (0)

/*
 * n values of 1, 2, 4, 8 or 16 bytes.  They can go to the beginning of the same array, if the
 * numbers ascend.
 */
static inline void
gather_values(void *to, const void *from, size_t size, const uint16_t *numbers, uint32_t n)
{
	switch (size)
	{
		case 1:
			GATHER(uint8_t);
			break;
		case 2:
			GATHER(uint16_t);
			break;
		case 4:
			GATHER(uint32_t);
			break;
		case 8:
			GATHER(uint64_t);
			break;
		default:
			GATHER(TwoWords);
	}
}

#undef GATHER

/* The same of a bitmap's bits; it is another one. */
static inline void
gather_bits(uint8_t *to, const uint8_t *from, const uint16_t *numbers, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
	{
		uint8_t		bit = (uint8_t) (1 << i % 8);

		if (from[numbers[i] / 8] >> numbers[i] % 8 & 1)
			to[i / 8] |= bit;
		else
			to[i / 8] &= (uint8_t) ~bit;
	}
}

#endif							/* GPUAGG_GATHER_H */
