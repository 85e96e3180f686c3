/*
 * key.cuh
 *	  Parts of keys: hashes, bytes of texts, floats made equal.
 */
#ifndef GPUAGG_KEY_CUH
#define GPUAGG_KEY_CUH

/* Every input bit changes every output bit: the finalizer of MurmurHash3. */
DEVICE_FN uint64_t
hash_mix(uint64_t x)
{
	x ^= x >> 33;
	x *= UINT64_C(0xff51afd7ed558ccd);
	x ^= x >> 33;
	x *= UINT64_C(0xc4ceb9fe1a85ec53);
	return x ^ (x >> 33);
}

/* The hash of one word more. */
DEVICE_FN uint64_t
hash_combine(uint64_t hash, uint64_t word)
{
	return hash_mix(hash * UINT64_C(0x9e3779b97f4a7c15) + word);
}

/* The hash of a text more. */
DEVICE_FN uint64_t
hash_bytes(uint64_t hash, const uint8_t *bytes, uint32_t length)
{
	uint32_t	i = 0;
	uint64_t	word;

	for (; i + 8 <= length; i += 8)
	{
		word = 0;
		for (uint32_t j = 0; j < 8; j++)
			word |= (uint64_t) bytes[i + j] << (8 * j);
		hash = hash_combine(hash, word);
	}
	word = length;
	for (; i < length; i++)
		word = (word << 8) | bytes[i];
	return hash_combine(hash, word);
}

DEVICE_FN bool
bytes_same(const uint8_t *a, const uint8_t *b, uint32_t length)
{
	for (uint32_t i = 0; i < length; i++)
		if (a[i] != b[i])
			return false;
	return true;
}

/* A TextRef as a key word, and back. */
DEVICE_FN uint64_t
text_word(uint32_t start, uint32_t length)
{
	return ((uint64_t) start << 32) | length;
}

DEVICE_FN uint32_t
text_start(uint64_t word)
{
	return (uint32_t) (word >> 32);
}

DEVICE_FN uint32_t
text_length(uint64_t word)
{
	return (uint32_t) word;
}

/* What a text of that length takes of the arena, in 8-byte words. */
DEVICE_FN uint64_t
text_room(uint64_t word)
{
	return ((uint64_t) text_length(word) + 7) / 8;
}

/* Eight bytes of a text, or as many as it has from there on and then zeros, as a word. */
DEVICE_FN uint64_t
text_piece(const uint8_t *bytes, uint32_t length, uint32_t from)
{
	union
	{
		uint64_t	word;
		uint8_t		bytes[8];
	}			piece = {0};

	for (uint32_t i = 0; i < 8; i++)
		if (from + i < length)
			piece.bytes[i] = bytes[from + i];
	return piece.word;
}

/* Copy a text to a place of the arena; the last word is filled up with zeros. */
DEVICE_FN void
text_store(uint8_t *arena, uint64_t place, const uint8_t *bytes, uint32_t length)
{
	uint64_t   *to = (uint64_t *) arena + place;

	for (uint32_t i = 0; i < length; i += 8)
		to[i / 8] = text_piece(bytes, length, i);
}

/* Is it the text, of the same length, at a place of the arena?  Others may be writing there. */
DEVICE_FN bool
text_is(const uint8_t *arena, uint64_t place, const uint8_t *bytes, uint32_t length)
{
	const uint64_t *stored = (const uint64_t *) arena + place;

	for (uint32_t i = 0; i < length; i += 8)
		if (load_volatile_u64(&stored[i / 8]) != text_piece(bytes, length, i))
			return false;
	return true;
}

/* Bytes among the output's; without room the count alone tells the host. */
DEVICE_FN TextRef
emit_bytes(const EmitArgs *args, const uint8_t *bytes, uint32_t length)
{
	uint64_t	at = atomic_add_u64(&args->counters->emitted_bytes, length);
	TextRef		ref;

	ref.start = (uint32_t) at;
	ref.length = length;
	if (at + length <= args->text_size)
		for (uint32_t i = 0; i < length; i++)
			args->text[at + i] = bytes[i];
	return ref;
}

/* Is nothing of a key wanted but whether it is NULL? */
DEVICE_FN bool
key_is_unread(const EmitArgs *args, int key)
{
	return (args->unread_keys >> key & 1) != 0;
}

/* A text of an arena. */
DEVICE_FN TextRef
emit_text(const EmitArgs *args, const uint8_t *arena, uint64_t word)
{
	return emit_bytes(args, arena + (uint64_t) text_start(word) * 8, text_length(word));
}

/* The text of a key that is a code; coded: see KeyPlace. */
DEVICE_FN TextRef
emit_coded(const EmitArgs *args, uint32_t coded, uint32_t code)
{
	const DeviceTexts *texts = &args->coded[coded - 1];
	TextRef		entry = texts->entries[code];

	return emit_bytes(args, texts->bytes + entry.start, entry.length);
}

/* A float as a key's bits: one zero, one NaN. */
DEVICE_FN uint64_t
key_float8(double value)
{
	if (value != value)
		return UINT64_C(0x7ff8000000000000);
	return value == 0 ? 0 : f64_bits(value);
}

DEVICE_FN uint32_t
key_float4(float value)
{
	union
	{
		float		value;
		uint32_t	bits;
	}			both;

	if (value != value)
		return 0x7fc00000u;
	both.value = value;
	return value == 0 ? 0 : both.bits;
}

/*
 * A float key is 0 and -0 in one group, which has the sign of its first row: so
 * the first rows are remembered.
 */
DEVICE_FN void
zero_seen(const AggregateArgs *args, uint32_t row, bool negative)
{
	TableCounters *counters = args->table.counters;
	uint64_t	number = UINT64_MAX - (args->batch.first + row);

	if (counters != NULL && counters->zero_rows[negative] < number)
		atomic_max_u64(&counters->zero_rows[negative], number);
}

#endif							/* GPUAGG_KEY_CUH */
