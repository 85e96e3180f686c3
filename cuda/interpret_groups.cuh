/*
 * interpret_groups.cuh
 *	  The interpreter: groups' extremes that are kept by reference, and the output.
 *
 * As interpret_rows.cuh, in the place of generated functions.
 */
#ifndef GPUAGG_INTERPRET_GROUPS_CUH
#define GPUAGG_INTERPRET_GROUPS_CUH

DEVICE_CALL void
row_values(const AggregateArgs *args, uint32_t slot, const Row *row)
{
	for (int i = 0; i < NVALUES; i++)
	{
		uint64_t   *extreme = group_values(&args->table, slot) + VALUE_WORDS * i;
		const uint64_t *value = row->values + VALUE_WORDS * i;
		AccKind		acc = (AccKind) script.values[i].acc;
		bool		greatest;

		if (!row->takes[i])
			continue;
		greatest = acc_is_greatest(acc);
		switch (acc_form(acc))
		{
#define REFERENCE(name, words, checked, text, take) \
			case FORM_##name: \
				value_take_##take(args, extreme, FORM_##name, greatest, value); \
				break;
#include "accs.def"
			default:
				break;
		}
	}
}

/* A vector of the output, at its place in bits a group. */
DEVICE_FN uint8_t *
output_vector(const EmitArgs *args, uint32_t bits)
{
	return args->output + args->capacity / 8 * bits;
}

/* What an extreme refers to, or its start values. */
DEVICE_FN void
emit_extreme(const EmitArgs *args, int value, const uint64_t *words, uint64_t *state)
{
	const ScriptValue *extreme = &script.values[value];
	uint64_t	from = words[STATE + NHOT + VALUE_WORDS * value];
	uint64_t   *to = state + extreme->word;

	for (int i = 0; i < extreme->nwords; i++)
		to[i] = extreme->start[i];
	if (from == VALUE_NONE)
		return;
	if (script.steps[extreme->arg].type == VT_TEXT)
	{
		TextRef		ref = emit_text(args, args->table.values, from);

		to[0] = ref.start;
		to[1] = ref.length;
	}
	else
	{
		const uint64_t *stored = (const uint64_t *) args->table.values + text_start(from);

		for (int i = 0; i < extreme->nwords; i++)
			to[i] = stored[i];
	}
}

/* An integer or a float of that many bits. */
DEVICE_FN void
emit_bits(uint8_t *vector, uint64_t place, int bits, uint64_t value)
{
	if (bits == 8)
		vector[place] = (uint8_t) value;
	else if (bits == 16)
		((uint16_t *) vector)[place] = (uint16_t) value;
	else if (bits == 32)
		((uint32_t *) vector)[place] = (uint32_t) value;
	else
		((uint64_t *) vector)[place] = value;
}

/* A key of a slot, which is not NULL. */
DEVICE_FN void
emit_key(const EmitArgs *args, int key, uint32_t slot, const uint64_t *words, uint64_t place)
{
	const KeyPlace *field = &script.keys[key];
	uint8_t    *vector = output_vector(args, script.out_values[key]);
	uint64_t	bits;

	if (key_is_unread(args, key))
		return;
	if (field->type == VT_TEXT)
		((TextRef *) vector)[place] = emit_text(args, args->table.arena, words[field->word]);
	else if (value_is_words((ValueType) field->type))
	{
		int			n = value_type_size((ValueType) field->type) / 8;

		for (int i = 0; i < n; i++)
			((uint64_t *) vector)[n * place + i] = words[field->word + i];
	}
	else
	{
		bits = TABLE_DIRECT ? (uint64_t) (args->table.direct_min + (int64_t) slot - 1) :
			words[field->word] >> field->shift;
		if (field->bits < 64)
			bits &= (UINT64_C(1) << field->bits) - 1;
		if (field->coded != 0)
		{
			((TextRef *) vector)[place] = emit_coded(args, field->coded, (uint32_t) bits);
			return;
		}
		if (value_is_float((ValueType) field->type) && args->negative_zero && bits == 0)
			bits = UINT64_C(1) << (field->bits - 1);
		emit_bits(vector, place, field->bits, bits);
	}
}

DEVICE_FN bool
key_is_null(int key, uint32_t slot, const uint64_t *words)
{
	const KeyPlace *field = &script.keys[key];

	if (TABLE_DIRECT)
		return slot == 0;
	return field->nullable && ((words[field->null_word] >> field->null_shift) & 1) != 0;
}

DEVICE_FN void
emit_group(const EmitArgs *args, uint32_t slot, const uint64_t *words, uint64_t place)
{
	uint64_t   *state = (uint64_t *) output_vector(args, script.out_states) +
		place * script.out_nwords;

	for (int i = 0; i < script.out_nwords; i++)
		if (script.out_words[i] >= 0)
			state[i] = *group_word(&args->table, slot, script.out_words[i]);
	for (int i = 0; i < NVALUES; i++)
		emit_extreme(args, i, words, state);
	for (int i = 0; i < NKEYS; i++)
	{
		uint32_t   *valid = (uint32_t *) output_vector(args, script.out_valid[i]);

		if (key_is_null(i, slot, words))
			continue;
		atomic_or_u32(&valid[place / 32], 1u << (place % 32));
		emit_key(args, i, slot, words, place);
	}
}

#endif							/* GPUAGG_INTERPRET_GROUPS_CUH */
