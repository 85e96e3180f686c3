/*
 * codegen_keys.h
 *	  Generates what is done with keys: packing, tags, comparing, storing.
 */
#ifndef GPUAGG_CODEGEN_KEYS_H
#define GPUAGG_CODEGEN_KEYS_H

#include "engine/cuda/codegen/layout.h"
#include "engine/cuda/codegen/text.h"

/*
 * Append key_same, key_is and, where the layout needs them, key_make_tag, key_store,
 * key_text_size, key_from_direct and direct_key.  any: direct_key takes values out of
 * the group table's range as they are; else they are all alike.
 */
extern void codegen_keys(const Program *program, const KernelLayout *layout, bool any,
						 Text *text);

/*
 * Append the packing of one key, whose value is in variables r and n of the number
 * reg, into the words of the array `to`, which begin as zeros.
 */
extern void codegen_pack_key(const KernelLayout *layout, int key, int reg,
							 const char *to, Text *text);

/* Append a text in a register as its place in the batch's bytes and its length. */
extern void codegen_text_word(int reg, Text *text);

#endif							/* GPUAGG_CODEGEN_KEYS_H */
