/*
 * stripe.h
 *	  Quarters of a frame, by which columns are kept.
 *
 * A frame (table_state.h) has 4084 blocks: three stripes of 1020 and one of 1024.  So a
 * stripe is whole bytes of the visibility map, and an input buffer has room for one.
 */
#ifndef GPUAGG_STRIPE_H
#define GPUAGG_STRIPE_H

#include <string.h>

#include "engine/table_state.h"

#define STRIPES_OF_FRAME 4
#define STRIPE_BLOCKS 1020		/* of all but a frame's last one */
#define STRIPE_MAX_BLOCKS (FRAME_BLOCKS - (STRIPES_OF_FRAME - 1) * STRIPE_BLOCKS)
#define STRIPE_MAP_BYTES (STRIPE_MAX_BLOCKS / 4)

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
	uint32_t	stripe = block % FRAME_BLOCKS / STRIPE_BLOCKS;

	return block / FRAME_BLOCKS * STRIPES_OF_FRAME +
		(stripe < STRIPES_OF_FRAME ? stripe : STRIPES_OF_FRAME - 1);
}

static inline uint32_t
stripe_first_block(uint32_t stripe)
{
	return stripe / STRIPES_OF_FRAME * FRAME_BLOCKS +
		stripe % STRIPES_OF_FRAME * STRIPE_BLOCKS;
}

/* Its blocks, if the table has all of them. */
static inline uint32_t
stripe_nblocks(uint32_t stripe)
{
	return stripe % STRIPES_OF_FRAME == STRIPES_OF_FRAME - 1 ? STRIPE_MAX_BLOCKS :
		STRIPE_BLOCKS;
}

/* Stripes of a table of so many blocks. */
static inline uint32_t
stripes_of_table(uint32_t nblocks)
{
	return nblocks == 0 ? 0 : stripe_of_block(nblocks - 1) + 1;
}

/* The bytes of the map that are a stripe's, and its LSN. */
static inline const uint8_t *
stripe_bits(const TableState *table, uint32_t stripe)
{
	return table->frames[stripe / STRIPES_OF_FRAME].bits +
		stripe % STRIPES_OF_FRAME * (STRIPE_BLOCKS / 4);
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

/* Is a stripe's block all-visible, by its number in the stripe? */
static inline bool
stripe_block_is_all_visible(const uint8_t *bits, uint32_t block)
{
	return (bits[block / 4] >> (block % 4 * 2) & 1) != 0;
}

#endif							/* GPUAGG_STRIPE_H */
