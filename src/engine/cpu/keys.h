/*
 * keys.h
 *	  A row's keys, packed into words that are compared and hashed as such.
 *
 * Fixed-width keys lie side by side, each aligned to its size, with one bit a
 * nullable key behind them; what is NULL is zero.  Floats are packed normalized
 * (-0 as 0, one NaN) and once more as they came, in words behind the compared
 * ones: a group shows the value of its first row.  A text takes two words, the
 * German style of strings: its length and first 4 bytes, then the next 8 bytes
 * if it has at most 12, else a pointer to all of them.
 *
 *	  Neumann and Freitag, Umbra: A Disk-Based System with In-Memory
 *	  Performance, CIDR 2020, section 3.1
 */
#ifndef GPUAGG_KEYS_H
#define GPUAGG_KEYS_H

#include "engine/cpu/eval.h"

#define TEXT_INLINE 12

typedef struct KeyField
{
	ValueType	type;
	int			reg;
	uint32_t	offset;			/* in bytes */
	int32_t		null_bit;		/* counted from the first byte, or -1 */
	int32_t		original;		/* floats: offset of the value as it came */
} KeyField;

typedef struct KeyLayout
{
	int			nfields;
	uint32_t	compared;		/* words */
	uint32_t	words;			/* with the originals of floats */
	int			ntexts;
	KeyField	fields[PROGRAM_MAX_KEYS];
	uint32_t	texts[PROGRAM_MAX_KEYS];	/* word of each text's pointer */
} KeyLayout;

extern void keys_layout(KeyLayout *layout, const Program *program);

/*
 * Pack the keys of rows[0 .. n - 1] into out, layout->words words a row.  False
 * if a key is an error.
 */
extern bool keys_pack(const KeyLayout *layout, const Evaluator *eval,
					  const uint16_t *rows, uint32_t n, uint64_t *out);
extern void keys_hash(const KeyLayout *layout, const uint64_t *packed, uint32_t n,
					  uint64_t *hashes);
extern uint64_t keys_hash_bytes(Bytes bytes);
extern bool keys_equal(const KeyLayout *layout, const uint64_t *a, const uint64_t *b);

/* A packed text's bytes; word: the first of its two. */
extern Bytes keys_text(const uint64_t *word);

static inline bool
keys_is_null(const KeyField *field, const uint64_t *packed)
{
	return field->null_bit >= 0 &&
		(((const uint8_t *) packed)[field->null_bit / 8] >> (field->null_bit % 8)) & 1;
}

#endif							/* GPUAGG_KEYS_H */
