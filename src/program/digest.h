/*
 * digest.h
 *	  Digests of bytes: BLAKE2bp of 512 bits, without a key, the first 256 of them.
 *
 * Nobody can find two sequences of bytes with the same digest, so equal digests mean equal bytes,
 * also where others choose the bytes.
 *
 * Plain C99 without postgres.h.
 */
#ifndef GPUAGG_DIGEST_H
#define GPUAGG_DIGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct Digest
{
	uint64_t	words[4];
} Digest;

/* Leaves of the tree. */
#define DIGEST_LANES 4

/* Of bytes that come in pieces. */
typedef struct DigestState
{
	uint64_t	h[8][DIGEST_LANES]; /* the leaves' hashes, word by word */
	uint64_t	size;			/* bytes that are in h: whole groups of a block a leaf */
	uint32_t	nheld;			/* bytes of: */
	uint8_t		held[1024];		/* the last groups, with a leaf's last block maybe */
} DigestState;

extern void digest_begin(DigestState *state);
extern void digest_add(DigestState *state, const void *bytes, size_t size);
extern void digest_end(DigestState *state, Digest *digest);

/* Of bytes that are there at once. */
extern void digest_of(const void *bytes, size_t size, Digest *digest);

static inline bool
digest_equal(const Digest *a, const Digest *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

#endif							/* GPUAGG_DIGEST_H */
