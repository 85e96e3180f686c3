/*
 * stripe.c
 *	  How many blocks a stripe has, in builds for tests.
 */
#include "engine/stripe.h"

#ifdef GPUAGG_TESTING
uint32_t	stripe_blocks = STRIPE_BLOCKS;
#endif
