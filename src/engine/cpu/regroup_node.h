/*
 * regroup_node.h
 *	  The table of one set of keys in regrouping, its groups in memory or in a store.
 *
 * Plain C99 without postgres.h; memory comes from malloc.
 */
#ifndef GPUAGG_REGROUP_NODE_H
#define GPUAGG_REGROUP_NODE_H

#include "engine/cpu/accumulate.h"
#include "engine/cpu/stored_groups.h"
#include "engine/regroup.h"

/* A node's part of the store that all nodes share: every `of`th partition is its own. */
typedef struct NodeStore
{
	GroupStore	head;
	GroupStore *all;
	uint32_t	number;			/* of the node, from 0 */
	uint32_t	of;				/* nodes */
} NodeStore;

#define FROM_ENGINE (-1)

typedef struct RegroupNode
{
	KeySet		keys;
	bool		has_states;		/* a set's; else distinct keys only */
	int			source;			/* the node its groups come from, or FROM_ENGINE */
	Program    *program;
	GroupTable *table;
	bool		complete;		/* it has all groups */
	GroupOutput *output;		/* made then, if none has left the table */
	NodeStore	store;
	Spill	   *spill;			/* NULL: none has */
	StoredGroups stored;		/* if some have: the output */
	bool		reading;		/* its groups are being given */
	uint64_t	parts;			/* in which they were given */
	uint64_t	noted;			/* bytes: node_memory, when it was last looked at */
	SumUnit    *units;			/* by accumulator, of float sums */
	int32_t    *group_units;	/* the same, for the output */
} RegroupNode;

/* The node's Program and table; false: no memory, also then node_close must follow. */
extern bool node_open(RegroupNode *node, const Program *coarse, const EngineHints *hints);
extern void node_close(RegroupNode *node);

/* Bytes held now. */
extern uint64_t node_memory(const RegroupNode *node);

/* Can memory be had by spilling it? */
extern bool node_can_spill(const RegroupNode *node);

/*
 * Write all groups of the table into the store, and empty the table.  hints: with the
 * store of all nodes.  The reason of a failure is in message (256 bytes), here and below.
 */
extern EngineStatus node_spill(RegroupNode *node, const EngineHints *hints, char *message);

/* Give back the memory that writing, or reading, has taken. */
extern void node_release(RegroupNode *node);

/* There will be no more groups. */
extern EngineStatus node_complete(RegroupNode *node, const EngineHints *hints, char *message);

/* The memory that reading a node may take whose groups are in the store. */
extern void node_set_reading_limit(RegroupNode *node, uint64_t limit);

/* INEXACT if groups in the store are; reads all of them. */
extern EngineStatus node_check(RegroupNode *node, char *message);

/* The next groups; none after the last, and then from the first again. */
extern EngineStatus node_batch(RegroupNode *node, GroupBatch *batch, char *message);

#endif							/* GPUAGG_REGROUP_NODE_H */
