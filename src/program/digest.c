/*
 * digest.c
 *	  Digests of bytes: BLAKE2bp of 512 bits, without a key, the first 256 of them.
 *
 * Aumasson, Neves, Wilcox-O'Hearn, Winnerlein, "BLAKE2: simpler, smaller, fast as MD5" (2013),
 * and RFC 7693.  Of each 512 bytes the first 128 are the next block of the first of four leaves,
 * and so on; the root is the hash of the leaves' hashes.  The leaves are lanes of vectors, which
 * is what makes it fast.
 *
 * Words are read as the processor has them, which is the standard's order on processors
 * whose lowest bytes come first.  On others the digests are other ones, and no less good.
 */
#include "digest.h"

#define BLOCK 128
#define LANES DIGEST_LANES
#define GROUP (BLOCK * LANES)
#define ROUNDS 12

/* A lane's last block may begin with any group but one that so many bytes follow. */
#define DECIDED (2 * GROUP - BLOCK)

typedef uint64_t Lanes __attribute__((vector_size(8 * LANES)));

_Static_assert(LANES == 4, "the tree's fanout");

static const uint64_t iv[8] = {
	UINT64_C(0x6a09e667f3bcc908), UINT64_C(0xbb67ae8584caa73b),
	UINT64_C(0x3c6ef372fe94f82b), UINT64_C(0xa54ff53a5f1d36f1),
	UINT64_C(0x510e527fade682d1), UINT64_C(0x9b05688c2b3e6c1f),
	UINT64_C(0x1f83d9abfb41bd6b), UINT64_C(0x5be0cd19137e2179)
};

/* What a group of blocks is for the lanes. */
typedef struct GroupKind
{
	Lanes		size;			/* bytes of the lane with which its block is in */
	Lanes		taken;			/* all ones: the lane has a block */
	Lanes		last;			/* all ones: it is its last one */
	Lanes		last_node;		/* all ones: and the lane is the last of its level */
} GroupKind;

#define ROTATED(x, bits) ((x) >> (bits) | (x) << (64 - (bits)))

#define MIX(a, b, c, d, x, y) \
	do { \
		v[a] += v[b] + m[x]; \
		v[d] = ROTATED(v[d] ^ v[a], 32); \
		v[c] += v[d]; \
		v[b] = ROTATED(v[b] ^ v[c], 24); \
		v[a] += v[b] + m[y]; \
		v[d] = ROTATED(v[d] ^ v[a], 16); \
		v[c] += v[d]; \
		v[b] = ROTATED(v[b] ^ v[c], 63); \
	} while (0)

/* The words of the block that each step takes. */
#define ROUND(s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12, s13, s14, s15) \
	do { \
		MIX(0, 4, 8, 12, s0, s1); \
		MIX(1, 5, 9, 13, s2, s3); \
		MIX(2, 6, 10, 14, s4, s5); \
		MIX(3, 7, 11, 15, s6, s7); \
		MIX(0, 5, 10, 15, s8, s9); \
		MIX(1, 6, 11, 12, s10, s11); \
		MIX(2, 7, 8, 13, s12, s13); \
		MIX(3, 4, 9, 14, s14, s15); \
	} while (0)

/* Take in groups of blocks, all of one kind but that each adds a block to the lanes' sizes. */
static inline __attribute__((always_inline)) void
take_groups(uint64_t (*state)[LANES], const uint8_t *from, size_t ngroups, const GroupKind *kind)
{
	Lanes		h[8];
	Lanes		size = kind->size;

	memcpy(h, state, sizeof(h));
	for (; ngroups > 0; ngroups--, from += GROUP)
	{
		uint64_t	words[GROUP / 8];
		Lanes		m[16];
		Lanes		v[16];

		memcpy(words, from, GROUP);
		for (int i = 0; i < 16; i++)
			m[i] = (Lanes) {words[i], words[16 + i], words[32 + i], words[48 + i]};
		for (int i = 0; i < 8; i++)
		{
			v[i] = h[i];
			v[8 + i] = (Lanes) {iv[i], iv[i], iv[i], iv[i]};
		}
		v[12] ^= size;
		v[14] ^= kind->last;
		v[15] ^= kind->last_node;
		ROUND(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
		ROUND(14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3);
		ROUND(11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4);
		ROUND(7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8);
		ROUND(9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13);
		ROUND(2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9);
		ROUND(12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11);
		ROUND(13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10);
		ROUND(6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5);
		ROUND(10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0);
		ROUND(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
		ROUND(14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3);
		for (int i = 0; i < 8; i++)
			h[i] ^= (v[i] ^ v[8 + i]) & kind->taken;
		size += BLOCK;
	}
	memcpy(state, h, sizeof(h));
}

static void
take_groups_plainly(uint64_t (*state)[LANES], const uint8_t *from, size_t ngroups,
					const GroupKind *kind)
{
	take_groups(state, from, ngroups, kind);
}

#ifdef __x86_64__
static __attribute__((target("avx2"))) void
take_groups_avx2(uint64_t (*state)[LANES], const uint8_t *from, size_t ngroups,
				 const GroupKind *kind)
{
	take_groups(state, from, ngroups, kind);
}

/* It rotates words by one instruction. */
static __attribute__((target("avx512f,avx512vl"))) void
take_groups_avx512(uint64_t (*state)[LANES], const uint8_t *from, size_t ngroups,
				   const GroupKind *kind)
{
	take_groups(state, from, ngroups, kind);
}
#endif

static void
take(uint64_t (*state)[LANES], const uint8_t *from, size_t ngroups, const GroupKind *kind)
{
#ifdef __x86_64__
	if (__builtin_cpu_supports("avx512vl"))
		take_groups_avx512(state, from, ngroups, kind);
	else if (__builtin_cpu_supports("avx2"))
		take_groups_avx2(state, from, ngroups, kind);
	else
#endif
		take_groups_plainly(state, from, ngroups, kind);
}

/* The hashes of nodes of the tree, before their bytes; depth: 0 of leaves, 1 of the root. */
static void
begin_nodes(uint64_t (*state)[LANES], uint64_t depth)
{
	for (uint64_t lane = 0; lane < LANES; lane++)
	{
		for (int i = 0; i < 8; i++)
			state[i][lane] = iv[i];
		/* 64 bytes of result, no key, the fanout, two levels; the node; 64 bytes of inner nodes */
		state[0][lane] ^= UINT64_C(64) | (uint64_t) LANES << 16 | UINT64_C(2) << 24;
		state[1][lane] ^= depth == 0 ? lane : 0;
		state[2][lane] ^= depth | UINT64_C(64) << 8;
	}
}

void
digest_begin(DigestState *state)
{
	begin_nodes(state->h, 0);
	state->size = 0;
	state->nheld = 0;
}

/* Groups in which no block is a lane's last one. */
static void
take_inner(DigestState *state, const uint8_t *from, size_t ngroups)
{
	GroupKind	kind;

	memset(&kind, 0, sizeof(kind));
	kind.size += state->size / LANES + BLOCK;
	kind.taken = ~kind.taken;
	take(state->h, from, ngroups, &kind);
	state->size += (uint64_t) ngroups * GROUP;
}

/* A group goes in once so many bytes are there that all lanes have further ones. */
void
digest_add(DigestState *state, const void *bytes, size_t size)
{
	const uint8_t *from = bytes;

	/* what is held, with what makes the first group of it whole */
	while (state->nheld > 0 && state->nheld + size > DECIDED)
	{
		size_t		room = state->nheld < GROUP ? GROUP - state->nheld : 0;

		memcpy(state->held + state->nheld, from, room);
		take_inner(state, state->held, 1);
		from += room;
		size -= room;
		state->nheld -= GROUP - (uint32_t) room;
		memmove(state->held, state->held + GROUP, state->nheld);
	}
	if (state->nheld == 0 && size > DECIDED)
	{
		size_t		ngroups = (size - DECIDED + GROUP - 1) / GROUP;

		take_inner(state, from, ngroups);
		from += ngroups * GROUP;
		size -= ngroups * GROUP;
	}
	if (size > 0)
		memcpy(state->held + state->nheld, from, size);
	state->nheld += (uint32_t) size;
}

/* Bytes of a lane that are held from group number `group` on. */
static uint32_t
held_bytes(const DigestState *state, int lane, uint32_t group)
{
	uint32_t	begin = group * GROUP + (uint32_t) lane * BLOCK;

	if (state->nheld <= begin)
		return 0;
	return state->nheld - begin < BLOCK ? state->nheld - begin : BLOCK;
}

/* The leaves' last blocks, of which each has one, an empty one if it has no byte. */
static void
end_leaves(DigestState *state)
{
	memset(state->held + state->nheld, 0, sizeof(state->held) - state->nheld);
	for (uint32_t group = 0; group < 2; group++)
	{
		GroupKind	kind;

		for (int lane = 0; lane < LANES; lane++)
		{
			uint32_t	here = held_bytes(state, lane, group);
			bool		taken = here > 0 || group == 0;
			bool		last = taken && held_bytes(state, lane, group + 1) == 0;

			kind.size[lane] = state->size / LANES + group * BLOCK + here;
			kind.taken[lane] = taken ? UINT64_MAX : 0;
			kind.last[lane] = last ? UINT64_MAX : 0;
			kind.last_node[lane] = last && lane == LANES - 1 ? UINT64_MAX : 0;
		}
		take(state->h, state->held + group * GROUP, 1, &kind);
	}
}

/* The root is the first lane of another state. */
void
digest_end(DigestState *state, Digest *digest)
{
	uint64_t	root[8][LANES];
	uint64_t	groups[2][GROUP / 8] = {{0}};

	end_leaves(state);
	for (int leaf = 0; leaf < LANES; leaf++)
		for (int i = 0; i < 8; i++)
			groups[leaf / 2][leaf % 2 * 8 + i] = state->h[i][leaf];
	begin_nodes(root, 1);
	for (uint32_t block = 0; block < 2; block++)
	{
		GroupKind	kind = {.size = {(block + 1) * BLOCK},.taken = {UINT64_MAX}};

		if (block == 1)
			kind.last[0] = kind.last_node[0] = UINT64_MAX;
		take(root, (const uint8_t *) groups[block], 1, &kind);
	}
	for (int i = 0; i < 4; i++)
		digest->words[i] = root[i][0];
}

void
digest_of(const void *bytes, size_t size, Digest *digest)
{
	DigestState state;

	digest_begin(&state);
	digest_add(&state, bytes, size);
	digest_end(&state, digest);
}
