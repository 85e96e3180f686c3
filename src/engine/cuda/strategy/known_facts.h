/*
 * known_facts.h
 *	  What samples have told of rows that stay on the device, and the exponents of their
 *	  floats, for later runs over the same rows.
 */
#ifndef GPUAGG_KNOWN_FACTS_H
#define GPUAGG_KNOWN_FACTS_H

#include <stdbool.h>

#include "engine/cuda/strategy/sample_facts.h"

#define KNOWN_FACTS 64

/* Of Programs with more float sums, no exponents are known. */
#define KNOWN_EXPONENTS 32

typedef struct KnownEntry
{
	uint64_t	key;			/* a hash of all that the sample depends on */
	uint64_t	used;			/* by the clock below, last */
	bool		sampled;		/* are there facts? */
	bool		measured;		/* are there exponents? */
	SampleFacts facts;
	uint32_t	exponents[KNOWN_EXPONENTS];
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

/* The same of the largest exponents of n float sums' values (float_units.c). */
extern bool known_exponents_find(KnownFacts *known, uint64_t key, uint32_t *exponents, int n);
extern void known_exponents_add(KnownFacts *known, uint64_t key, const uint32_t *exponents,
								int n);

extern void known_facts_free(KnownFacts *known);

#endif							/* GPUAGG_KNOWN_FACTS_H */
