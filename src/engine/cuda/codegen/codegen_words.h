/*
 * codegen_words.h
 *	  Generates what is done with the words of a state.
 */
#ifndef GPUAGG_CODEGEN_WORDS_H
#define GPUAGG_CODEGEN_WORDS_H

#include "engine/cuda/codegen/layout.h"
#include "engine/cuda/codegen/text.h"

/*
 * Append word_start, words_identity, words_merge, words_add, words_add_shared and
 * state_normalize.
 */
/* A WordKind in the names of functions. */
extern const char *codegen_word_kind(int kind);

extern void codegen_words(const Program *program, const KernelLayout *layout, Text *text);

#endif							/* GPUAGG_CODEGEN_WORDS_H */
