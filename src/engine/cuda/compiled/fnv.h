/*
 * fnv.h
 *	  Fowler, Noll and Vo's hash FNV-1a: for names and checksums, not for identity.
 */
#ifndef GPUAGG_FNV_H
#define GPUAGG_FNV_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define FNV_START UINT64_C(0xcbf29ce484222325)
#define FNV_PRIME UINT64_C(0x100000001b3)

/* Go on from a hash, or from FNV_START. */
static inline uint64_t
fnv_add(uint64_t hash, const void *data, size_t size)
{
	const unsigned char *bytes = data;

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ bytes[i]) * FNV_PRIME;
	return hash;
}

/* The same by 8 bytes at once, for many of them; size: a multiple of 8. */
static inline uint64_t
fnv_add_words(uint64_t hash, const void *data, size_t size)
{
	const unsigned char *bytes = data;

	for (size_t i = 0; i < size; i += sizeof(uint64_t))
	{
		uint64_t	word;

		memcpy(&word, bytes + i, sizeof(word));
		hash = (hash ^ word) * FNV_PRIME;
		/* a product's low bits do not depend on high ones */
		hash ^= hash >> 32;
	}
	return hash;
}

#endif							/* GPUAGG_FNV_H */
