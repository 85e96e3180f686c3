/*
 * stored_groups.c
 *	  The groups of a run that are in a GroupStore, as GroupBatches.
 *
 * Groups come part by part: where they have been merged, a part is a piece as it is in
 * the store, else what the table holds after one leaf of a partition (spill.h)
 * has been merged.  Each part has an output of its own.
 */
#include <stdio.h>

#include "engine/cpu/stored_groups.h"
#include "program/state.h"

/* Has a group of the part left the values of a list in the store? */
static bool
has_left_values(const StoredGroups *groups, const GroupRecords *part)
{
	const RecordFormat *format = &groups->spill->format;

	for (uint32_t g = 0; g < part->ngroups && format->nlists > 0; g++)
		for (int i = 0; i < format->nlists; i++)
		{
			const uint64_t *words = part->records + g * part->stride + format->lists[i];

			if (words[0] == 0 && words[1] > 0)
				return true;
		}
	return false;
}

/* Begin with a partition of merged groups, or go on where others have been read since. */
static EngineStatus
go_to_piece(StoredGroups *groups, uint32_t partition, char *message)
{
	uint32_t	done = groups->begun ? groups->npieces : 0;
	GroupRecords part;
	EngineStatus status;

	if (groups->begun && !groups->has_moved)
		return ENGINE_OK;
	status = spill_rewind(groups->spill, partition, message);
	for (uint32_t i = 0; i < done && status == ENGINE_OK; i++)
		status = spill_read(groups->spill, partition, &part, message);
	groups->npieces = done;
	groups->begun = true;
	groups->has_moved = false;
	return status;
}

/* The next piece of a merged store.  It stays while values are read that its groups have left. */
static EngineStatus
next_piece(StoredGroups *groups, GroupRecords *part, char *message)
{
	uint32_t	n = groups->spill->store->npartitions;
	EngineStatus status = ENGINE_OK;

	part->ngroups = 0;
	while (status == ENGINE_OK && part->ngroups == 0 && groups->partition < n)
	{
		status = go_to_piece(groups, n + groups->partition, message);
		if (status == ENGINE_OK)
			status = spill_read(groups->spill, n + groups->partition, part, message);
		groups->npieces++;
		if (status == ENGINE_OK && part->ngroups == 0)
		{
			groups->partition++;
			groups->begun = false;
		}
	}
	if (status == ENGINE_OK && has_left_values(groups, part) && !spill_keep(groups->spill, part))
	{
		snprintf(message, 256, "out of memory");
		return ENGINE_NO_MEMORY;
	}
	return status;
}

/* Begin with a partition, or go on in it; false: there is no more of it. */
static bool
go_to_leaf(StoredGroups *groups)
{
	if (groups->begun)
		return spill_next_leaf(groups->spill);
	spill_first_leaf(groups->spill);
	groups->begun = true;
	return !groups->spill->partitions[groups->partition].divided;
}

/* The next leaf that has groups.  Without keys, all are in partition 0. */
static EngineStatus
next_leaf(StoredGroups *groups, GroupRecords *part, char *message)
{
	const Spill *spill = groups->spill;
	EngineStatus status = ENGINE_OK;

	part->ngroups = 0;
	while (status == ENGINE_OK && part->ngroups == 0 &&
		   groups->partition < (spill->program->nkeys == 0 ? 1 : spill->npartitions))
	{
		if (go_to_leaf(groups))
		{
			status = spill_merge(groups->spill, groups->table, groups->partition, message);
			*part = table_complete(groups->table);
		}
		else
		{
			groups->partition++;
			groups->begun = false;
		}
	}
	return status;
}

static EngineStatus
next_part(StoredGroups *groups, GroupRecords *part, char *message)
{
	EngineStatus status = groups->spill->store->merged ? next_piece(groups, part, message) :
		next_leaf(groups, part, message);

	groups->ngroups += part->ngroups;
	groups->nparts += part->ngroups > 0;
	return status;
}

EngineStatus
stored_check(StoredGroups *groups, char *message)
{
	const Program *program = groups->spill->program;
	GroupRecords part;
	const char *inexact;
	EngineStatus status;

	while ((status = next_part(groups, &part, message)) == ENGINE_OK && part.ngroups > 0)
	{
		inexact = states_are_inexact(program, part.records + part.layout->words, part.stride,
									 part.ngroups);
		if (inexact == NULL)
			continue;
		snprintf(message, 256, "%s", inexact);
		return ENGINE_INEXACT;
	}
	stored_rewind(groups);
	return status;
}

EngineStatus
stored_batch(StoredGroups *groups, GroupBatch *batch, char *message)
{
	const Spill *spill = groups->spill;

	for (;;)
	{
		GroupRecords part;
		EngineStatus status;

		batch->ngroups = 0;
		if (groups->output != NULL && !output_batch(groups->output, batch))
		{
			snprintf(message, 256, INTERRUPTED_MESSAGE);
			return ENGINE_FAILED;
		}
		if (batch->ngroups > 0)
			return ENGINE_OK;
		output_free(groups->output);
		groups->output = NULL;
		status = next_part(groups, &part, message);
		if (status != ENGINE_OK || part.ngroups == 0)
			return status;
		status = output_create(spill->program, &part, &spill->hints, groups->choice, &groups->output,
							   message);
		if (status != ENGINE_OK)
			return status;
	}
}

EngineStatus
stored_list(StoredGroups *groups, StoredList *list, char *message)
{
	ValueSource *source = &groups->values.source;
	ListPiece	piece = {NULL, 0};
	EngineStatus status = ENGINE_OK;

	if (!list->begun)
	{
		spill_values(groups->spill, groups->partition, &groups->values);
		source->group = output_group(groups->output, list->group);
		source->word = list->word;
		groups->has_moved = true;
		status = source->rewind(source, message);
	}
	list->begun = true;
	if (status == ENGINE_OK)
		status = source->next(source, &piece, message);
	list->values = piece.values;
	list->n = piece.n;
	return status;
}

void
stored_rewind(StoredGroups *groups)
{
	output_free(groups->output);
	groups->output = NULL;
	groups->partition = 0;
	groups->begun = false;
	groups->ngroups = 0;
	groups->nparts = 0;
	if (groups->choice != NULL)
		choice_reset(groups->choice);
}
