/*
 * known_facts.h
 *	  What samples have told of rows that stay on the device, for later runs over the same
 *	  rows.
 */
#ifndef GPUAGG_KNOWN_FACTS_H
#define GPUAGG_KNOWN_FACTS_H

#include <stdbool.h>

#include "engine/cuda/strategy/sample_facts.h"

#define KNOWN_FACTS 64

typedef struct KnownEntry
{
	uint64_t	key;			/* a hash of all that the sample depends on */
	uint64_t	used;			/* by the clock below, last */
	SampleFacts facts;
} KnownEntry;

/* Begins as zeros. */
typedef struct KnownFacts
{
	uint64_t	clock;
	int			n;
	KnownEntry *entries[KNOWN_FACTS];
} KnownFacts;

/* The facts of a key; false: they are not known. */
extern bool known_facts_find(KnownFacts *known, uint64_t key, SampleFacts *facts);

/* Keep them, if there is memory; those not used for longest give way. */
extern void known_facts_add(KnownFacts *known, uint64_t key, const SampleFacts *facts);

extern void known_facts_free(KnownFacts *known);

#endif							/* GPUAGG_KNOWN_FACTS_H */
