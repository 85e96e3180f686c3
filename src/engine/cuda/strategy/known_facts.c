/*
 * known_facts.c
 *	  What samples have told of rows that stay on the device, and the exponents of their
 *	  floats, for later runs over the same rows.
 *
 * A sample costs a launch, a copy to the host and a wait for both, and so do exponents.  The
 * wait is for other runs' kernels, too, which may have the whole device.  A key stands for the
 * Program, its constants and the rows, so that the same sample would be taken again.  Two
 * keys with one hash cost time only: facts choose how rows meet their groups, and no
 * choice makes other groups; of a unit that does not fit the values, kernels say so.
 *
 * Owns the entries.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/cuda/strategy/known_facts.h"

static KnownEntry *
find_entry(const KnownFacts *known, uint64_t key)
{
	for (int i = 0; i < known->n; i++)
		if (known->entries[i]->key == key)
			return known->entries[i];
	return NULL;
}

bool
known_facts_find(KnownFacts *known, uint64_t key, SampleFacts *facts)
{
	KnownEntry *entry = find_entry(known, key);

	if (entry == NULL || !entry->sampled)
		return false;
	entry->used = ++known->clock;
	*facts = entry->facts;
	return true;
}

/* A new entry, or the one not used for longest; NULL: no memory. */
static KnownEntry *
take_entry(KnownFacts *known)
{
	KnownEntry *oldest;

	if (known->n < KNOWN_FACTS)
	{
		KnownEntry *entry = malloc(sizeof(*entry));

		if (entry != NULL)
			known->entries[known->n++] = entry;
		return entry;
	}
	oldest = known->entries[0];
	for (int i = 1; i < known->n; i++)
		if (known->entries[i]->used < oldest->used)
			oldest = known->entries[i];
	return oldest;
}

/* The entry of a key, which is made if there is none; NULL: no memory. */
static KnownEntry *
have_entry(KnownFacts *known, uint64_t key)
{
	KnownEntry *entry = find_entry(known, key);

	if (entry == NULL)
	{
		entry = take_entry(known);
		if (entry == NULL)
			return NULL;
		entry->key = key;
		entry->sampled = entry->measured = false;
	}
	entry->used = ++known->clock;
	return entry;
}

void
known_facts_add(KnownFacts *known, uint64_t key, const SampleFacts *facts)
{
	KnownEntry *entry = have_entry(known, key);

	if (entry == NULL)
		return;
	entry->facts = *facts;
	entry->sampled = true;
}

bool
known_exponents_find(KnownFacts *known, uint64_t key, uint32_t *exponents, int n)
{
	KnownEntry *entry = find_entry(known, key);

	if (entry == NULL || !entry->measured || n > KNOWN_EXPONENTS)
		return false;
	entry->used = ++known->clock;
	memcpy(exponents, entry->exponents, (size_t) n * sizeof(*exponents));
	return true;
}

void
known_exponents_add(KnownFacts *known, uint64_t key, const uint32_t *exponents, int n)
{
	KnownEntry *entry = n <= KNOWN_EXPONENTS ? have_entry(known, key) : NULL;

	if (entry == NULL)
		return;
	memcpy(entry->exponents, exponents, (size_t) n * sizeof(*exponents));
	entry->measured = true;
}

void
known_facts_free(KnownFacts *known)
{
	for (int i = 0; i < known->n; i++)
		free(known->entries[i]);
	*known = (KnownFacts) {0};
}
