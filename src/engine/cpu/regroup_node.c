/*
 * regroup_node.c
 *	  The table of one set of keys in regrouping, its groups in memory or in a store.
 *
 * A node whose table is to give memory back writes its groups into the store, as a run
 * of the CPU engine does (spill.h).  Once it is complete, its groups are in the
 * table alone, and come out of one output, or in the store alone, and come partition
 * by partition.
 *
 * All nodes have one store, whose partitions they take by turns: partition p of node n is
 * that of number p * nodes + n there.
 */
#include <stdio.h>
#include <stdlib.h>

#include "engine/cpu/regroup_node.h"

static uint32_t
partition_of(const NodeStore *store, uint32_t partition)
{
	return partition * store->of + store->number;
}

static bool
node_store_write(GroupStore *head, uint32_t partition, const void *piece, size_t size)
{
	NodeStore  *store = (NodeStore *) head;

	return store->all->write(store->all, partition_of(store, partition), piece, size);
}

static bool
node_store_rewind(GroupStore *head, uint32_t partition)
{
	NodeStore  *store = (NodeStore *) head;

	return store->all->rewind(store->all, partition_of(store, partition));
}

static bool
node_store_read(GroupStore *head, uint32_t partition, const void **piece, size_t *size)
{
	NodeStore  *store = (NodeStore *) head;

	return store->all->read(store->all, partition_of(store, partition), piece, size);
}

bool
node_open(RegroupNode *node, const Program *coarse, const EngineHints *hints)
{
	/* nobody knows how many groups the sets have */
	EngineHints own = {.wait = hints->wait};

	node->program = malloc(coarse->size);
	if (node->program == NULL)
		return false;
	program_with_keys(coarse, node->keys, node->has_states, node->program);
	node->table = table_create(node->program, &own, hints->memory_limit);
	node->units = calloc(coarse->naccs + 1, sizeof(SumUnit));
	node->group_units = calloc(coarse->naccs + 1, sizeof(int32_t));
	return node->table && node->units && node->group_units;
}

void
node_close(RegroupNode *node)
{
	stored_rewind(&node->stored);
	output_free(node->output);
	spill_free(node->spill);
	table_free(node->table);
	free(node->units);
	free(node->group_units);
	free(node->program);
}

uint64_t
node_memory(const RegroupNode *node)
{
	const GroupOutput *output = node->spill ? node->stored.output : node->output;

	return table_memory_held(node->table) + (output ? output_memory(output) : 0) +
		(node->spill ? spill_memory(node->spill) : 0);
}

bool
node_can_spill(const RegroupNode *node)
{
	return node->keys != 0 && !node->reading && table_groups(node->table) > 0;
}

static bool
need_spill(RegroupNode *node, const EngineHints *hints)
{
	EngineHints own = *hints;

	if (node->spill != NULL)
		return true;
	node->store.all = hints->store; /* whose message is that of the head, too */
	node->store.head = *hints->store;
	node->store.head.units = NULL;
	node->store.head.write = node_store_write;
	node->store.head.rewind = node_store_rewind;
	node->store.head.read = node_store_read;
	node->store.head.release = NULL;
	own.store = &node->store.head;
	node->spill = spill_create(node->program, &own, hints->memory_limit, node->table, NULL);
	node->stored.spill = node->spill;
	node->stored.table = node->table;
	return node->spill != NULL;
}

EngineStatus
node_spill(RegroupNode *node, const EngineHints *hints, char *message)
{
	EngineStatus status;

	output_free(node->output);
	node->output = NULL;
	if (!need_spill(node, hints))
	{
		snprintf(message, 256, "out of memory");
		return ENGINE_NO_MEMORY;
	}
	status = spill_groups(node->spill, node->table, message);
	if (status == ENGINE_OK)
		table_empty(node->table, table_groups(node->table));
	return status;
}

void
node_release(RegroupNode *node)
{
	output_free(node->output);
	node->output = NULL;
	table_release(node->table);
	if (node->spill != NULL)
		spill_trim(node->spill);
}

EngineStatus
node_complete(RegroupNode *node, const EngineHints *hints, char *message)
{
	GroupRecords groups;
	EngineStatus status;

	node->complete = true;
	if (node->spill == NULL)
	{
		groups = table_complete(node->table);
		return output_create(node->program, &groups, hints, NULL, &node->output, message);
	}
	status = node_spill(node, hints, message);
	node_release(node);
	return status;
}

void
node_set_reading_limit(RegroupNode *node, uint64_t limit)
{
	node->spill->limit = limit;
	table_set_limit(node->table, limit);
}

EngineStatus
node_check(RegroupNode *node, char *message)
{
	EngineStatus status = stored_check(&node->stored, message);

	node_release(node);
	return status;
}

static EngineStatus
next_stored(RegroupNode *node, GroupBatch *batch, char *message)
{
	EngineStatus status = stored_batch(&node->stored, batch, message);

	if (node->stored.nparts > node->parts)
		node->parts = node->stored.nparts;
	if (status != ENGINE_OK || batch->ngroups > 0)
		return status;
	stored_rewind(&node->stored);
	node_release(node);
	return ENGINE_OK;
}

EngineStatus
node_batch(RegroupNode *node, GroupBatch *batch, char *message)
{
	EngineStatus status = ENGINE_OK;

	if (node->spill != NULL)
		status = next_stored(node, batch, message);
	else
	{
		output_batch(node->output, batch);
		if (batch->ngroups == 0)
			output_rewind(node->output);
	}
	node->reading = batch->ngroups > 0;
	return status;
}
