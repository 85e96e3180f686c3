/*
 * numeric_writer.h
 *	  Stored numerics for tests: what stands behind the varlena header.
 *
 * Part of the one program that includes it.
 */
#ifndef NUMERIC_WRITER_H
#define NUMERIC_WRITER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define NUMERIC_ROOM 64

/* A stored numeric from its parts; the number of bytes. */
static uint32_t
numeric_write(uint8_t *to, bool is_long, bool negative, int scale, int weight,
			  const uint16_t *digits, int ndigits)
{
	uint16_t	header[2];
	uint32_t	size = is_long ? 4 : 2;

	if (is_long)
	{
		header[0] = (uint16_t) ((negative ? 0x4000 : 0) | scale);
		header[1] = (uint16_t) weight;
	}
	else
		header[0] = (uint16_t) (0x8000 | (negative ? 0x2000 : 0) | scale << 7 | (weight & 0x7f));
	memcpy(to, header, size);
	memcpy(to + size, digits, (size_t) ndigits * 2);
	return size + (uint32_t) ndigits * 2;
}

/*
 * Stored numeric of a number of units of 10^-scale: its decimal digits, filled
 * up with zeros so that the point is between two digits of base 10000, without
 * zeros at either end.
 */
static uint32_t
numeric_of_scaled(uint8_t *to, bool is_long, __int128 value, int scale)
{
	unsigned __int128 rest = value < 0 ? -(unsigned __int128) value : (unsigned __int128) value;
	uint16_t	digits[16] = {0};
	int			first = 0;
	int			last = 15;
	int			behind = (scale + 3) / 4;

	for (int i = scale; i < behind * 4; i++)
		rest *= 10;
	for (int i = 15; i >= 0; i--, rest /= 10000)
		digits[i] = (uint16_t) (rest % 10000);
	while (first < 16 && digits[first] == 0)
		first++;
	while (last >= first && digits[last] == 0)
		last--;
	if (first == 16)
		return numeric_write(to, is_long, false, scale, 0, digits, 0);
	return numeric_write(to, is_long, value < 0, scale, 15 - behind - first,
						 digits + first, last - first + 1);
}

#endif							/* NUMERIC_WRITER_H */
