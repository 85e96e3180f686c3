/*
 * random.h
 *	  Numbers as if at random (xorshift64, Marsaglia 2003), from a fixed seed.
 *
 * Part of the one program that includes it.
 */
#ifndef RANDOM_H
#define RANDOM_H

#include <stdint.h>

static uint64_t random_state = UINT64_C(88172645463325252);

static uint64_t
random_u64(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

#endif							/* RANDOM_H */
