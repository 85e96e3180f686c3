/*
 * table.h
 *	  Groups by their keys, and the groups' states.
 */
#ifndef GPUAGG_TABLE_H
#define GPUAGG_TABLE_H

#include "engine/cpu/group_output.h"
#include "engine/cpu/keys.h"

typedef struct GroupTable GroupTable;

/* Bytes, where EngineHints name no limit. */
#define DEFAULT_MEMORY_LIMIT (UINT64_C(1) << 30)

/*
 * NULL if there is no memory.  limit: bytes that the table may take.  Without
 * keys the table holds its one group from the start.
 */
extern GroupTable *table_create(const Program *program, const EngineHints *hints,
								uint64_t limit);
extern void table_free(GroupTable *table);

/*
 * The groups of a batch's rows rows[0 .. n - 1], into groups[]; new ones are
 * made, with the start values of their states.  INEXACT if a key is an error;
 * FAILED if interrupted; the reason is in message (256 bytes).
 */
extern EngineStatus table_find(GroupTable *table, const Evaluator *eval,
							   const uint16_t *rows, uint32_t n,
							   uint32_t *groups, char *message);

/*
 * The same of n packed keys (keys.h), at most CPU_BATCH, which stand where
 * table_packed says.
 */
extern uint64_t *table_packed(GroupTable *table);
extern EngineStatus table_find_packed(GroupTable *table, uint32_t n, uint32_t *groups,
									  char *message);

/*
 * Forget all groups, and expect about so many others.  Without keys there is again one
 * group.  NO_MEMORY of table_find leaves a table that can only be emptied, or asked
 * again for the same rows; some of their groups may have been made.
 */
extern void table_empty(GroupTable *table, uint64_t groups);

/* The same, and give back the memory. */
extern void table_release(GroupTable *table);

/* It has no room for more groups than so many, whatever memory there is. */
extern void table_set_most(GroupTable *table, uint32_t groups);

/* Another limit; does the table take more than its limit? */
extern void table_set_limit(GroupTable *table, uint64_t limit);
extern bool table_is_over(const GroupTable *table);

extern uint32_t table_groups(const GroupTable *table);
extern uint64_t table_memory(const GroupTable *table);	/* the most so far */
extern uint64_t table_memory_held(const GroupTable *table); /* now */
extern const char *table_strategy(const GroupTable *table);

/*
 * The groups' records: each its keys, layout->words words, then its state.
 * stride: words from one to the next.  They move when groups are made.
 */
extern const KeyLayout *table_layout(const GroupTable *table);
extern uint64_t *table_records(GroupTable *table, size_t *stride);
extern size_t table_stride(const GroupTable *table);

/* All groups, once there will be no more. */
extern GroupRecords table_complete(const GroupTable *table);

/* Room for bytes of a text, or for words, for as long as the table's groups; NULL: no memory. */
extern char *table_text_room(GroupTable *table, size_t size);
extern uint64_t *table_words_room(GroupTable *table, size_t nwords);

#endif							/* GPUAGG_TABLE_H */
