/*
 * key_share.h
 *	  The rows of a run that takes a share of the keys only.
 */
#ifndef GPUAGG_KEY_SHARE_H
#define GPUAGG_KEY_SHARE_H

#include "engine/cpu/eval.h"

/* A share of the keys' hashes, of 32 bits: from first on, width of them. */
typedef struct KeyShare
{
	bool		takes_all;
	int			reg;			/* the key's register */
	ValueType	type;			/* an integer type */
	uint32_t	first;
	uint32_t	width;
} KeyShare;

/* The share that EngineHints.key_share names; all keys, if they name none. */
extern void key_share_begin(KeyShare *share, const Program *program, const EngineHints *hints);

/*
 * Of a batch's rows rows[0 .. n - 1], which ascend, those that are the share's, in their order;
 * returns how many.  A NULL has the share of zero.  Rows whose key is an error are every share's.
 */
extern uint32_t key_share_keep(const KeyShare *share, const Evaluator *eval, uint16_t *rows,
							   uint32_t n);

#endif							/* GPUAGG_KEY_SHARE_H */
