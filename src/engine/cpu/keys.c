/*
 * keys.c
 *	  A row's keys, packed into words that are compared and hashed as such.
 */
#include <string.h>

#include "engine/cpu/keys.h"

/* Give a field its place: aligned to its size, at the end of what there is. */
static uint32_t
place(uint32_t *end, uint32_t size)
{
	uint32_t	align = size < 8 ? size : 8;
	uint32_t	offset = (*end + align - 1) / align * align;

	*end = offset + size;
	return offset;
}

/* Wide fields first, so that alignment leaves no holes. */
static void
place_fields(KeyLayout *layout, uint32_t *end)
{
	for (int size = 16; size >= 1; size /= 2)
		for (int i = 0; i < layout->nfields; i++)
		{
			KeyField   *field = &layout->fields[i];
			int			bytes = value_type_size(field->type);

			if (bytes == 0)
				bytes = 16;
			if (bytes != size)
				continue;
			field->offset = place(end, size);
			if (field->type == VT_TEXT)
				layout->texts[layout->ntexts++] = field->offset / 8 + 1;
		}
}

void
keys_layout(KeyLayout *layout, const Program *program)
{
	uint32_t	end = 0;
	uint32_t	nullable = 0;

	memset(layout, 0, sizeof(*layout));
	layout->nfields = program->nkeys;
	for (int i = 0; i < program->nkeys; i++)
	{
		layout->fields[i].reg = program_keys(program)[i];
		layout->fields[i].type = program_key_type(program, i);
	}
	place_fields(layout, &end);
	for (int i = 0; i < program->nkeys; i++)
	{
		bool		can = program_insns(program)[layout->fields[i].reg].nullable;

		layout->fields[i].null_bit = can ? (int32_t) (end * 8 + nullable++) : -1;
	}
	end += (nullable + 7) / 8;
	layout->compared = (end + 7) / 8;
	end = layout->compared * 8;
	for (int i = 0; i < program->nkeys; i++)
		if (value_is_float(layout->fields[i].type))
			layout->fields[i].original = (int32_t) place(&end, value_type_size(layout->fields[i].type));
	layout->words = (end + 7) / 8;
}

/* Copy values of one width into place; NULLs set their bit and stay zero. */
#define PACK(ctype) \
	do { \
		const ctype *values = vector->values; \
		for (uint32_t i = 0; i < n; i++) \
		{ \
			char	   *to = (char *) (out + (size_t) i * words); \
			if (valid && !bit_is_set(valid, rows[i])) \
				to[field->null_bit / 8] |= (char) (1 << (field->null_bit % 8)); \
			else \
				memcpy(to + field->offset, &values[rows[i]], sizeof(ctype)); \
		} \
	} while (0)

/* Floats: the normalized value to compare, the value itself to show. */
#define PACK_FLOAT(ctype) \
	do { \
		const ctype *values = vector->values; \
		for (uint32_t i = 0; i < n; i++) \
		{ \
			char	   *to = (char *) (out + (size_t) i * words); \
			ctype		value = values[rows[i]]; \
			ctype		normal = value != value ? (ctype) __builtin_nan("") : value + 0; \
			if (valid && !bit_is_set(valid, rows[i])) \
			{ \
				to[field->null_bit / 8] |= (char) (1 << (field->null_bit % 8)); \
				continue; \
			} \
			memcpy(to + field->offset, &normal, sizeof(ctype)); \
			memcpy(to + field->original, &value, sizeof(ctype)); \
		} \
	} while (0)

/* Up to 8 bytes as a word, zeros behind them; reads none beyond them. */
static inline uint64_t
load_bytes(const char *data, uint32_t len)
{
	uint64_t	word = 0;
	uint32_t	low;
	uint32_t	high;

	if (len >= 4)
	{
		memcpy(&low, data, 4);
		memcpy(&high, data + len - 4, 4);
		return low | (uint64_t) high << (8 * (len - 4));
	}
	for (uint32_t i = 0; i < len; i++)
		word |= (uint64_t) (uint8_t) data[i] << (8 * i);
	return word;
}

/* The two words of a text; without calls of memcpy for a few bytes. */
static inline void
text_words(Bytes text, uint64_t words[2])
{
	if (text.len > TEXT_INLINE)
	{
		words[0] = text.len | load_bytes(text.data, 4) << 32;
		memcpy(&words[1], &text.data, sizeof(text.data));
	}
	else if (text.len > 4)
	{
		words[0] = text.len | load_bytes(text.data, 4) << 32;
		words[1] = load_bytes(text.data + 4, text.len - 4);
	}
	else
	{
		words[0] = text.len | load_bytes(text.data, text.len) << 32;
		words[1] = 0;
	}
}

static void
pack_text(const KeyField *field, const Vector *vector, const uint16_t *rows,
		  uint32_t n, uint32_t words, uint64_t *out)
{
	const Bytes *values = vector->values;

	for (uint32_t i = 0; i < n; i++)
	{
		char	   *to = (char *) (out + (size_t) i * words);
		Bytes		text = values[rows[i]];

		if (vector->valid && !bit_is_set(vector->valid, rows[i]))
		{
			to[field->null_bit / 8] |= (char) (1 << (field->null_bit % 8));
			continue;
		}
		text_words(text, (uint64_t *) (to + field->offset));
	}
}

static void
pack_field(const KeyField *field, const Vector *vector, const uint16_t *rows,
		   uint32_t n, uint32_t words, uint64_t *out)
{
	const uint64_t *valid = vector->valid;

#define PACK_INTEGER(ctype) PACK(ctype)
#define PACK_BYTES(ctype) PACK(ctype)
#define PACK_WIDE(ctype) PACK(ctype)
#define PACK_TEXT(ctype) pack_text(field, vector, rows, n, words, out)

	switch (field->type)
	{
#define TYPE(name, ctype, size, stored, class, ...) \
		case VT_##name: \
			PACK_##class(ctype); \
			break;
#include "program/types.def"
		case VT_COUNT:
			break;
	}
}

bool
keys_pack(const KeyLayout *layout, const Evaluator *eval, const uint16_t *rows,
		  uint32_t n, uint64_t *out)
{
	memset(out, 0, (size_t) n * layout->words * sizeof(uint64_t));
	for (int i = 0; i < layout->nfields; i++)
	{
		const Vector *vector = eval_register(eval, layout->fields[i].reg);

		if (vector->error)
			for (uint32_t j = 0; j < n; j++)
				if (bit_is_set(vector->error, rows[j]))
					return false;
		pack_field(&layout->fields[i], vector, rows, n, layout->words, out);
	}
	return true;
}

/*
 * One step of a hash: multiply to 128 bits and fold, as wyhash does it
 * (Wang Yi's public domain design); the constants are digits of pi.
 */
static inline uint64_t
mix(uint64_t hash, uint64_t word)
{
	__uint128_t product = (__uint128_t) (hash ^ word ^ UINT64_C(0x243f6a8885a308d3)) *
		UINT64_C(0x13198a2e03707345);

	return (uint64_t) product ^ (uint64_t) (product >> 64);
}

uint64_t
keys_hash_bytes(Bytes bytes)
{
	uint64_t	hash = bytes.len;
	uint64_t	word;
	uint32_t	i = 0;

	for (; i + 8 <= bytes.len; i += 8)
	{
		memcpy(&word, bytes.data + i, 8);
		hash = mix(hash, word);
	}
	return mix(hash, load_bytes(bytes.data + i, bytes.len - i));
}

Bytes
keys_text(const uint64_t *word)
{
	Bytes		text;

	text.len = (uint32_t) word[0];
	text.data = (const char *) word + 4;
	if (text.len > TEXT_INLINE)
		memcpy(&text.data, &word[1], sizeof(text.data));
	return text;
}

void
keys_hash(const KeyLayout *layout, const uint64_t *packed, uint32_t n, uint64_t *hashes)
{
	uint32_t	words = layout->words;

	if (layout->compared == 1)
	{
		for (uint32_t i = 0; i < n; i++)
			hashes[i] = mix(0, packed[(size_t) i * words]);
		return;
	}
	for (uint32_t i = 0; i < n; i++)
	{
		const uint64_t *key = packed + (size_t) i * words;
		uint64_t	hash = 0;
		int			text = 0;

		for (uint32_t w = 0; w < layout->compared; w++)
		{
			uint64_t	word = key[w];

			if (text < layout->ntexts && layout->texts[text] == w)
			{
				text++;
				if ((uint32_t) key[w - 1] > TEXT_INLINE)
					word = keys_hash_bytes(keys_text(&key[w - 1]));
			}
			hash = mix(hash, word);
		}
		hashes[i] = hash;
	}
}

bool
keys_equal(const KeyLayout *layout, const uint64_t *a, const uint64_t *b)
{
	int			text = 0;

	for (uint32_t w = 0; w < layout->compared; w++)
	{
		bool		pointer = text < layout->ntexts && layout->texts[text] == w;

		if (pointer)
			text++;
		if (pointer && (uint32_t) a[w - 1] > TEXT_INLINE)
		{
			/* lengths are equal: they are in the word before */
			if (memcmp(keys_text(&a[w - 1]).data, keys_text(&b[w - 1]).data,
					   (uint32_t) a[w - 1]) != 0)
				return false;
		}
		else if (a[w] != b[w])
			return false;
	}
	return true;
}
