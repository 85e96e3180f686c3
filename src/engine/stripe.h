/*
 * stripe.h
 *	  Quarters of a frame, by which columns are kept, and blocks given that may be.
 *
 * A frame (table_state.h) has 4084 blocks: three stripes of 1020 and one of 1024.  So a
 * stripe is whole bytes of the visibility map, and an input buffer has room for one.
 */
#ifndef GPUAGG_STRIPE_H
#define GPUAGG_STRIPE_H

#include <string.h>

#include "engine/table_state.h"

#define STRIPE_BLOCKS 1020		/* of all but a frame's last one */
#define STRIPE_MAX_BLOCKS (FRAME_BLOCKS - (FRAME_BLOCKS / STRIPE_BLOCKS - 1) * STRIPE_BLOCKS)
#define STRIPE_MAP_BYTES (STRIPE_MAX_BLOCKS / 4)

/*
 * Tests of several devices have smaller ones, so that a small table has some for each device: of 4,
 * 12, 20 or 60 blocks, with which a frame's last one has 64, a word of bits.
 */
#ifdef GPUAGG_TESTING
extern uint32_t stripe_blocks;
#else
#define stripe_blocks STRIPE_BLOCKS
#endif
#define STRIPES_OF_FRAME ((FRAME_BLOCKS - 64) / stripe_blocks + 1)

/* A stripe's part of its map page, as FrameMap. */
typedef struct StripeMap
{
	uint64_t	lsn;
	uint8_t		bits[STRIPE_MAP_BYTES];
} StripeMap;

/* Its number in the table, by a block. */
static inline uint32_t
stripe_of_block(uint32_t block)
{
	uint32_t	stripe = block % FRAME_BLOCKS / stripe_blocks;

	return block / FRAME_BLOCKS * STRIPES_OF_FRAME +
		(stripe < STRIPES_OF_FRAME ? stripe : STRIPES_OF_FRAME - 1);
}

static inline uint32_t
stripe_first_block(uint32_t stripe)
{
	return stripe / STRIPES_OF_FRAME * FRAME_BLOCKS +
		stripe % STRIPES_OF_FRAME * stripe_blocks;
}

/* Its blocks, if the table has all of them. */
static inline uint32_t
stripe_nblocks(uint32_t stripe)
{
	uint32_t	last = STRIPES_OF_FRAME - 1;

	return stripe % STRIPES_OF_FRAME == last ? FRAME_BLOCKS - last * stripe_blocks : stripe_blocks;
}

/* Stripes of a table of so many blocks. */
static inline uint32_t
stripes_of_table(uint32_t nblocks)
{
	return nblocks == 0 ? 0 : stripe_of_block(nblocks - 1) + 1;
}

/*
 * Which of nparts runs has the stripe.  Tables of one stripe, as partitions may be, are not all the
 * first run's.
 */
static inline uint32_t
stripe_part(uint32_t file, uint32_t stripe, uint32_t nparts)
{
	return (file + stripe) % nparts;
}

/* The bytes of the map that are a stripe's, and its LSN. */
static inline const uint8_t *
stripe_bits(const TableState *table, uint32_t stripe)
{
	return table->frames[stripe / STRIPES_OF_FRAME].bits +
		stripe % STRIPES_OF_FRAME * (stripe_blocks / 4);
}

static inline uint64_t
stripe_lsn(const TableState *table, uint32_t stripe)
{
	return table->frames[stripe / STRIPES_OF_FRAME].lsn;
}

static inline void
stripe_map(const TableState *table, uint32_t stripe, StripeMap *map)
{
	memset(map, 0, sizeof(*map));
	map->lsn = stripe_lsn(table, stripe);
	memcpy(map->bits, stripe_bits(table, stripe), stripe_nblocks(stripe) / 4);
}

/*
 * Is a stamp newer?  With the same LSN no bit has been set between the two, so the newer one
 * has none that the other has not.
 */
static inline bool
stripe_map_is_newer(const StripeMap *map, const StripeMap *than)
{
	if (map->lsn != than->lsn)
		return map->lsn > than->lsn;
	for (int i = 0; i < STRIPE_MAP_BYTES; i++)
		if (map->bits[i] & ~than->bits[i] & 0x55)
			return false;
	return true;
}

/* Of a bit a block, those of 64 blocks, from a multiple of 64 on. */
static inline uint64_t
stripe_blocks_word(const uint8_t *bits, uint32_t block)
{
	uint64_t	word;

	memcpy(&word, bits + block / 8, sizeof(word));
	return word;
}

/* Is a stripe's block all-visible, by its number in the stripe? */
static inline bool
stripe_block_is_all_visible(const uint8_t *bits, uint32_t block)
{
	return (bits[block / 4] >> (block % 4 * 2) & 1) != 0;
}

/* Every second bit of a word, from its lowest one on. */
static inline uint64_t
stripe_even_bits(uint64_t word)
{
	word &= UINT64_C(0x5555555555555555);
	word = (word | word >> 1) & UINT64_C(0x3333333333333333);
	word = (word | word >> 2) & UINT64_C(0x0F0F0F0F0F0F0F0F);
	word = (word | word >> 4) & UINT64_C(0x00FF00FF00FF00FF);
	word = (word | word >> 8) & UINT64_C(0x0000FFFF0000FFFF);
	return (word | word >> 16) & UINT64_C(0x00000000FFFFFFFF);
}

/*
 * Which of 64 of its first nblocks blocks are, from a multiple of 64 on: a bit each, the first
 * one's lowest.  The frame goes on behind a stripe that ends within the word.  By words whose
 * lowest bytes come first, as on all hosts of such devices.
 */
static inline uint64_t
stripe_all_visible_word(const uint8_t *bits, uint32_t block, uint32_t nblocks)
{
	uint64_t	words[2];
	uint64_t	visible;

	if (block >= nblocks)
		return 0;
	memcpy(words, bits + block / 4, sizeof(words));
	visible = stripe_even_bits(words[0]) | stripe_even_bits(words[1]) << 32;
	return nblocks - block < 64 ? visible & ((UINT64_C(1) << (nblocks - block)) - 1) : visible;
}

/* How many of its first blocks are. */
static inline uint32_t
stripe_all_visible(const uint8_t *bits, uint32_t nblocks)
{
	uint32_t	n = 0;

	for (uint32_t i = 0; i < nblocks; i += 64)
		n += (uint32_t) __builtin_popcountll(stripe_all_visible_word(bits, i, nblocks));
	return n;
}

/* The stripe's blocks that the table has. */
static inline uint32_t
stripe_blocks_there(const TableState *table, uint32_t stripe)
{
	uint32_t	left = table->nblocks - stripe_first_block(stripe);

	return left < stripe_nblocks(stripe) ? left : stripe_nblocks(stripe);
}

/*
 * A kept stripe is of use for as long as no more than this share of its blocks has to be read
 * all the same.
 */
#define STRIPE_MASKED_SHARE 8

#endif							/* GPUAGG_STRIPE_H */
