/*
 * codegen_keys.c
 *	  Generates what is done with keys: packing, tags, comparing, storing.
 *
 * In a row's key, a text is its place in the batch's bytes and its length; in a
 * slot, its place in the table's arena and its length.
 *
 * Private tables (block.cuh) tell a key that is a tag and one word by a word alone: this
 * one, with NULL_FIELD in the places of NULLs.  A key with that value in the place of a
 * field that can be NULL, but is not, has no such word.
 */
#include "engine/cuda/codegen/codegen_parts.h"

void
codegen_text_word(int reg, Text *text)
{
	text_append(text, "text_word((uint32_t) (r%d.data - "
				"(const char *) args->batch.bytes), r%d.len)", reg, reg);
}

/* Of a field as many of its lowest bits as it has: no small number, and no date's end. */
#define NULL_FIELD UINT64_C(0x9e3779b97f4a7c15)

/* A key's bits as a word. */
static void
write_key_bits(Text *text, ValueType type, int reg)
{
	int			bits = 8 * value_type_size(type);

	switch (value_class(type))
	{
		case CLASS_INTEGER:
			if (bits < 64)
				text_append(text, "(uint64_t) (uint%d_t) r%d", bits, reg);
			else
				text_append(text, "(uint64_t) r%d", reg);
			break;
		case CLASS_FLOAT:
			text_append(text, bits == 32 ? "(uint64_t) key_float4(r%d)" : "key_float8(r%d)", reg);
			break;
		default:
			codegen_text_word(reg, text);
			break;
	}
}

void
codegen_pack_key(const KernelLayout *layout, int key, int reg, const char *to, Text *text)
{
	const KeyPlace *field = &layout->keys[key];

	if (field->nullable)
		text_append(text, "\tif (n%d)\n\t\t%s[%d] |= UINT64_C(1) << %d;\n\telse\n",
					reg, to, field->null_word, field->null_shift);
	if (value_is_words((ValueType) field->type))
	{
		text_append(text, "\t{\n");
		for (int i = 0; i < value_type_size((ValueType) field->type) / 8; i++)
			text_append(text, "\t\t%s[%d] = r%d.w[%d];\n", to, field->word + i, reg, i);
		text_append(text, "\t}\n");
		return;
	}
	text_append(text, "\t\t%s[%d] |= (", to, field->word);
	write_key_bits(text, (ValueType) field->type, reg);
	text_append(text, ") << %d;\n", field->shift);
}

/* Is that word of a key a text? */
static bool
word_is_text(const Program *program, const KernelLayout *layout, int word)
{
	for (int i = 0; i < program->nkeys; i++)
		if (layout->keys[i].word == word && layout->keys[i].type == VT_TEXT)
			return true;
	return false;
}

/* key_make_tag: the hash of the words, behind the NULL bits */
static void
write_tag(const Program *program, const KernelLayout *layout, Text *text)
{
	text_append(text, "DEVICE_FN void\n"
				"key_make_tag(const uint8_t *bytes, uint64_t *key)\n{\n"
				"\tuint64_t hash = key[0];\n\n");
	for (int i = 1; i < layout->key_words; i++)
	{
		if (word_is_text(program, layout, i))
			text_append(text, "\thash = hash_bytes(hash, bytes + text_start(key[%d]), "
						"text_length(key[%d]));\n", i, i);
		else
			text_append(text, "\thash = hash_combine(hash, key[%d]);\n", i);
	}
	text_append(text, "\tkey[0] |= hash << %d;\n}\n\n", TAG_NULL_SHIFT + TAG_NULL_BITS);
}

/* key_same: two rows' keys; key_is: a row's and a slot's. */
static void
write_compare(const Program *program, const KernelLayout *layout, Text *text)
{
	text_append(text, "DEVICE_FN bool\nkey_same(const AggregateArgs *args, "
				"const uint64_t *a, const uint64_t *b)\n{\n\treturn a[0] == b[0]");
	for (int i = 1; i < layout->key_words; i++)
		if (word_is_text(program, layout, i))
			text_append(text, " &&\n\t\ttext_length(a[%d]) == text_length(b[%d]) &&\n"
						"\t\tbytes_same(args->batch.bytes + text_start(a[%d]), "
						"args->batch.bytes + text_start(b[%d]), text_length(a[%d]))",
						i, i, i, i, i);
		else
			text_append(text, " &&\n\t\ta[%d] == b[%d]", i, i);
	text_append(text, ";\n}\n\nDEVICE_FN bool\nkey_is(const AggregateArgs *args, "
				"const uint64_t *key, const uint64_t *slot)\n{\n"
				"\tuint64_t word;\n\n");
	for (int i = 1; i < layout->key_words; i++)
	{
		text_append(text, "\tword = load_volatile_u64(&slot[%d]);\n", i);
		if (word_is_text(program, layout, i))
			text_append(text, "\tif (text_length(word) != text_length(key[%d]) ||\n"
						"\t\t!text_is(args->table.arena, text_start(word),\n"
						"\t\t\targs->batch.bytes + text_start(key[%d]), "
						"text_length(word)))\n"
						"\t\treturn false;\n", i, i);
		else
			text_append(text, "\tif (word != key[%d])\n\t\treturn false;\n", i);
	}
	text_append(text, "\treturn true;\n}\n\n");
}

/* key_text_size, and key_store, which copies texts to the arena */
static void
write_store(const Program *program, const KernelLayout *layout, Text *text)
{
	text_append(text, "DEVICE_FN uint64_t\nkey_text_size(const uint64_t *key)\n{\n"
				"\treturn 0");
	for (int i = 1; i < layout->key_words; i++)
		if (word_is_text(program, layout, i))
			text_append(text, " + text_room(key[%d])", i);
	text_append(text, ";\n}\n\nDEVICE_FN void\nkey_store(const AggregateArgs *args, "
				"const uint64_t *key, uint64_t *slot, uint64_t arena)\n{\n");
	for (int i = 1; i < layout->key_words; i++)
		if (word_is_text(program, layout, i))
			text_append(text, "\ttext_store(args->table.arena, arena, "
						"args->batch.bytes + text_start(key[%d]), text_length(key[%d]));\n"
						"\tslot[%d] = text_word((uint32_t) arena, text_length(key[%d]));\n"
						"\tarena += text_room(key[%d]);\n", i, i, i, i, i);
		else
			text_append(text, "\tslot[%d] = key[%d];\n", i, i);
	text_append(text, "}\n\n");
}

/* key_word: a key's word, or UINT64_MAX; key_from_word */
static void
write_word(const Program *program, const KernelLayout *layout, Text *text)
{
	text_append(text, "DEVICE_FN uint64_t\nkey_word(const uint64_t *key)\n{\n"
				"\tuint64_t word = key[1];\n\tbool none = false;\n\n");
	for (int i = 0; i < program->nkeys; i++)
	{
		const KeyPlace *field = &layout->keys[i];
		uint64_t	mask = UINT64_MAX >> (64 - field->bits);

		if (field->nullable)
			text_append(text, "\tif ((key[0] >> %d & 1) != 0)\n"
						"\t\tword |= UINT64_C(0x%llx) << %d;\n"
						"\telse\n"
						"\t\tnone |= (key[1] >> %d & UINT64_C(0x%llx)) == UINT64_C(0x%llx);\n",
						field->null_shift, (unsigned long long) (NULL_FIELD & mask),
						field->shift, field->shift, (unsigned long long) mask,
						(unsigned long long) (NULL_FIELD & mask));
	}
	text_append(text, "\treturn none ? UINT64_MAX : word;\n}\n\n"
				"DEVICE_FN void\nkey_from_word(uint64_t word, uint64_t *key)\n{\n"
				"\tkey[0] = 0;\n\tkey[1] = word;\n");
	for (int i = 0; i < program->nkeys; i++)
	{
		const KeyPlace *field = &layout->keys[i];
		uint64_t	mask = UINT64_MAX >> (64 - field->bits);

		if (field->nullable)
			text_append(text, "\tif ((word >> %d & UINT64_C(0x%llx)) == UINT64_C(0x%llx))\n\t{\n"
						"\t\tkey[0] |= UINT64_C(1) << %d;\n"
						"\t\tkey[1] &= ~(UINT64_C(0x%llx) << %d);\n\t}\n",
						field->shift, (unsigned long long) mask,
						(unsigned long long) (NULL_FIELD & mask), field->null_shift,
						(unsigned long long) mask, field->shift);
	}
	text_append(text, "\tkey_make_tag(NULL, key);\n}\n\n");
}

/* key_from_direct: the packed key of a slot that was addressed directly */
static void
write_from_direct(const KernelLayout *layout, Text *text)
{
	const char *type = codegen_type((ValueType) layout->keys[0].type);

	text_append(text, "DEVICE_FN void\nkey_from_direct(int64_t value, bool isnull, "
				"uint64_t *key)\n{\n"
				"\t%s r0 = (%s) value;\n\tbool n0 = isnull;\n\n"
				"\tfor (int i = 0; i < KEY_WORDS; i++)\n\t\tkey[i] = 0;\n"
				"\t(void) n0;\n", type, type);
	codegen_pack_key(layout, 0, 0, "key", text);
	if (layout->key_words > 1)
		text_append(text, "\tkey_make_tag(NULL, key);\n");
	text_append(text, "}\n\n");
}

/*
 * direct_key: the slot of a value, or out of reach.  In 32 bits no value of a narrow
 * type looks like another one: see choose_direct in choose.c.
 */
static void
write_direct(bool narrow, Text *text)
{
	text_append(text, "DEVICE_FN uint64_t\n"
				"direct_key(const AggregateArgs *args, int64_t value)\n{\n");
	if (narrow)
		text_append(text, "\tuint32_t slot = (uint32_t) value - "
					"(uint32_t) args->table.direct_min;\n\n"
					"\treturn (uint64_t) slot + 1;\n}\n\n");
	else
		text_append(text, "\tuint64_t slot = (uint64_t) value - "
					"(uint64_t) args->table.direct_min;\n\n"
					"\treturn slot < UINT64_MAX - 1 ? slot + 1 : UINT64_MAX;\n}\n\n");
}

void
codegen_keys(const Program *program, const KernelLayout *layout, bool any, Text *text)
{
	if (layout->table == TABLE_DIRECT)
		write_direct(!any && layout_direct_narrow(program), text);
	else if (layout_direct_possible(program))
	{
		if (layout->key_words > 1)
			write_tag(program, layout, text);
		write_from_direct(layout, text);
	}
	else if (layout->key_words > 1)
		write_tag(program, layout, text);
	write_compare(program, layout, text);
	if (layout->key64)
		write_word(program, layout, text);
	if (layout->key_words > 1)
		write_store(program, layout, text);
}
