/*
 * key_share.c
 *	  The rows of a run that takes a share of the keys only.
 *
 * Each run's groups are others, fewer than all, and nearer to its processor.  Neighbours are in one
 * share, so that no line of the cache of a map from keys to groups is needed by two runs: a hash is
 * that of the key without its lowest bits, by multiplication (Knuth, The Art of Computer
 * Programming, volume 3, 1998, section 6.4).
 */
#include "engine/cpu/key_share.h"

#define NEIGHBOUR_BITS 4		/* keys whose groups' numbers, of 4 bytes, are in a line of 64 */
#define MULTIPLIER UINT32_C(0x9E3779B1)	/* 2^32 by the golden ratio, a prime */

void
key_share_begin(KeyShare *share, const Program *program, const EngineHints *hints)
{
	uint64_t	n = hints->nkey_shares;
	uint64_t	first;

	share->takes_all = n <= 1;
	if (share->takes_all)
		return;
	share->reg = program_keys(program)[0];
	share->type = program_key_type(program, 0);
	first = ((uint64_t) hints->key_share << 32) / n;
	share->first = (uint32_t) first;
	share->width = (uint32_t) ((((uint64_t) hints->key_share + 1) << 32) / n - first);
}

/* Is a key of the share?  Those of 4 bytes and fewer spare the upper half. */
static inline bool
has_key(const KeyShare *share, int64_t key, size_t size)
{
	uint64_t	neighbours = (uint64_t) key >> NEIGHBOUR_BITS;
	uint32_t	hash = (uint32_t) (size > 4 ? neighbours ^ neighbours >> 32 : neighbours) * MULTIPLIER;

	return hash - share->first < share->width;
}

/* Keep the rows whose values are of the share: of the first n of a batch, or of those listed. */
#define KEEP(ctype) \
	do { \
		const ctype *values = vector->values; \
		for (uint32_t i = 0; dense && i < n; i++) \
		{ \
			rows[kept] = (uint16_t) i; \
			kept += has_key(&own, values[i], sizeof(ctype)); \
		} \
		for (uint32_t i = 0; !dense && i < n; i++) \
		{ \
			uint16_t	row = rows[i]; \
			rows[kept] = row; \
			kept += has_key(&own, values[row], sizeof(ctype)); \
		} \
	} while (0)

static uint32_t
keep_values(const KeyShare *share, const Vector *vector, uint16_t *rows, uint32_t n)
{
	const KeyShare own = *share;	/* in registers */
	bool		dense = rows[n - 1] + 1u == n;
	uint32_t	kept = 0;

	switch (share->type)
	{
#define KEEP_INTEGER(ctype) KEEP(ctype)
#define KEEP_FLOAT(ctype)
#define KEEP_BYTES(ctype)
#define KEEP_WIDE(ctype)
#define KEEP_TEXT(ctype)
#define TYPE(name, ctype, size, stored, class, ...) case VT_##name: KEEP_##class(ctype); break;
#include "program/types.def"
		case VT_COUNT:
			break;
	}
	return kept;
}

/* The same where rows have no values. */
static uint32_t
keep_some(const KeyShare *share, const Vector *vector, uint16_t *rows, uint32_t n)
{
	size_t		size = (size_t) value_type_size(share->type);
	uint32_t	kept = 0;

	for (uint32_t i = 0; i < n; i++)
	{
		uint16_t	row = rows[i];
		bool		fails = vector->error != NULL && bit_is_set(vector->error, row);
		bool		has_value = vector->valid == NULL || bit_is_set(vector->valid, row);

		rows[kept] = row;
		kept += fails || has_key(share, has_value ? integer_at(vector->values, share->type, row) : 0, size);
	}
	return kept;
}

uint32_t
key_share_keep(const KeyShare *share, const Evaluator *eval, uint16_t *rows, uint32_t n)
{
	const Vector *vector;

	if (share->takes_all || n == 0)
		return n;
	vector = eval_register(eval, share->reg);
	if (vector->valid == NULL && vector->error == NULL)
		return keep_values(share, vector, rows, n);
	return keep_some(share, vector, rows, n);
}
