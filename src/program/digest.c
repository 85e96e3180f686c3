/*
 * digest.c
 *	  Digests of bytes: BLAKE2b (RFC 7693) of 256 bits, without a key.
 *
 * Words are read as the processor has them, which is the standard's order on processors
 * whose lowest bytes come first.  On others the digests are other ones, and no less good.
 */
#include "digest.h"

#define BLOCK 128
#define ROUNDS 12

static const uint64_t iv[8] = {
	UINT64_C(0x6a09e667f3bcc908), UINT64_C(0xbb67ae8584caa73b),
	UINT64_C(0x3c6ef372fe94f82b), UINT64_C(0xa54ff53a5f1d36f1),
	UINT64_C(0x510e527fade682d1), UINT64_C(0x9b05688c2b3e6c1f),
	UINT64_C(0x1f83d9abfb41bd6b), UINT64_C(0x5be0cd19137e2179)
};

/* Which words of the block each round takes. */
static const uint8_t sigma[ROUNDS][16] = {
	{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
	{14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
	{11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
	{7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
	{9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
	{2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
	{12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
	{13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
	{6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
	{10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0},
	{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
	{14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3}
};

static inline uint64_t
rotated(uint64_t word, int bits)
{
	return word >> bits | word << (64 - bits);
}

#define MIX(a, b, c, d, x, y) \
	do { \
		v[a] += v[b] + (x); \
		v[d] = rotated(v[d] ^ v[a], 32); \
		v[c] += v[d]; \
		v[b] = rotated(v[b] ^ v[c], 24); \
		v[a] += v[b] + (y); \
		v[d] = rotated(v[d] ^ v[a], 16); \
		v[c] += v[d]; \
		v[b] = rotated(v[b] ^ v[c], 63); \
	} while (0)

/* Take in a block, with which `size` bytes are in. */
static void
take_block(DigestState *state, const uint8_t *block, uint64_t size, bool is_last)
{
	uint64_t	m[16];
	uint64_t	v[16];

	memcpy(m, block, sizeof(m));
	memcpy(v, state->h, sizeof(state->h));
	memcpy(v + 8, iv, sizeof(iv));
	v[12] ^= size;
	if (is_last)
		v[14] = ~v[14];
	for (int round = 0; round < ROUNDS; round++)
	{
		const uint8_t *s = sigma[round];

		MIX(0, 4, 8, 12, m[s[0]], m[s[1]]);
		MIX(1, 5, 9, 13, m[s[2]], m[s[3]]);
		MIX(2, 6, 10, 14, m[s[4]], m[s[5]]);
		MIX(3, 7, 11, 15, m[s[6]], m[s[7]]);
		MIX(0, 5, 10, 15, m[s[8]], m[s[9]]);
		MIX(1, 6, 11, 12, m[s[10]], m[s[11]]);
		MIX(2, 7, 8, 13, m[s[12]], m[s[13]]);
		MIX(3, 4, 9, 14, m[s[14]], m[s[15]]);
	}
	for (int i = 0; i < 8; i++)
		state->h[i] ^= v[i] ^ v[i + 8];
	state->size = size;
}

void
digest_begin(DigestState *state)
{
	memcpy(state->h, iv, sizeof(iv));
	/* the parameters: 32 bytes of result, no key, no tree */
	state->h[0] ^= UINT64_C(0x01010000) ^ sizeof(Digest);
	state->size = 0;
	state->nheld = 0;
}

/* A block goes in once it is known that more bytes follow it. */
void
digest_add(DigestState *state, const void *bytes, size_t size)
{
	const uint8_t *from = bytes;
	size_t		room = BLOCK - state->nheld;

	if (size > room)
	{
		memcpy(state->held + state->nheld, from, room);
		take_block(state, state->held, state->size + BLOCK, false);
		from += room;
		size -= room;
		state->nheld = 0;
		for (; size > BLOCK; from += BLOCK, size -= BLOCK)
			take_block(state, from, state->size + BLOCK, false);
	}
	if (size > 0)
		memcpy(state->held + state->nheld, from, size);
	state->nheld += (uint32_t) size;
}

void
digest_end(DigestState *state, Digest *digest)
{
	memset(state->held + state->nheld, 0, BLOCK - state->nheld);
	take_block(state, state->held, state->size + state->nheld, true);
	memcpy(digest, state->h, sizeof(*digest));
}

void
digest_of(const void *bytes, size_t size, Digest *digest)
{
	DigestState state;

	digest_begin(&state);
	digest_add(&state, bytes, size);
	digest_end(&state, digest);
}
