/*
 * known_facts.c
 *	  What samples have told of rows that stay on the device, for later runs over the same
 *	  rows.
 *
 * A sample costs a launch, a copy to the host and a wait for both.  A key stands for the
 * Program, its constants and the rows, so that the same sample would be taken again.  Two
 * keys with one hash cost time only: facts choose how rows meet their groups, and no
 * choice makes other groups.
 *
 * Owns the entries.
 */
#include <stdlib.h>

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

	if (entry == NULL)
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

void
known_facts_add(KnownFacts *known, uint64_t key, const SampleFacts *facts)
{
	KnownEntry *entry = find_entry(known, key);

	if (entry == NULL)
		entry = take_entry(known);
	if (entry == NULL)
		return;
	entry->key = key;
	entry->used = ++known->clock;
	entry->facts = *facts;
}

void
known_facts_free(KnownFacts *known)
{
	for (int i = 0; i < known->n; i++)
		free(known->entries[i]);
	*known = (KnownFacts) {0};
}
