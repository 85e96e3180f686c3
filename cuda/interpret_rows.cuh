/*
 * interpret_rows.cuh
 *	  The interpreter: rows, keys and states of any Program, as its script says.
 *
 * These functions stand in the place of those that the code generator writes, so
 * that the other files make the same kernels of them: compiled once for a device,
 * they run every Program that has a script, slower than its own kernels and without
 * waiting for a compiler.  What the generated text has as constants are variables
 * here, in shared memory, where KERNEL_BEGIN copies the script.
 *
 * Values are in dynamic shared memory: those of parameters, which the block has once, and then
 * registers, of which each thread has its own; behind all of these their flags.  So many threads
 * as there is room for are what hides the latency of following the script.
 */
#ifndef GPUAGG_INTERPRET_ROWS_CUH
#define GPUAGG_INTERPRET_ROWS_CUH

SHARED Script script;

#define NKEYS (script.nkeys)
#define NWORDS (script.nwords)
#define NHOT (script.nhot)
#define NSUMS (script.nsums)
#define NVALUES (script.nvalues)
#define KEY_WORDS (script.key_words)
#define STATE (script.state)
#define STRIDE (script.stride)
#define TABLE_DIRECT (script.table_direct)
#define DIRECT_STRIDE (script.direct_stride)
#define DIRECT_PRESENCE (script.direct_presence)
#define DIRECT_VALUES (script.direct_nhot)
#define PRESENCE_WORD (script.presence)

/* Copy the script; all threads of the block. */
#define KERNEL_BEGIN(table) script_load((table)->script)

DEVICE_FN void
script_load(const Script *from)
{
	const uint64_t *source = (const uint64_t *) from;
	uint64_t   *words = (uint64_t *) &script;

	for (uint32_t i = threadIdx.x; i < sizeof(Script) / sizeof(uint64_t); i += blockDim.x)
		words[i] = source[i];
	block_sync();
}

/* What is loaded of a row before it is evaluated: the steps load the columns. */
typedef struct Raw
{
	uint8_t		left;
} Raw;

typedef struct Row
{
	uint64_t	key[SCRIPT_KEY_WORDS];
	uint64_t	words[SCRIPT_WORDS];
	uint64_t	values[LAYOUT_VALUE_WORDS * SCRIPT_VALUES];
	bool		takes[SCRIPT_VALUES];
	bool		passes;
	bool		error;
	bool		widen;
} Row;

/*----------
 * Registers
 *----------
 */
typedef union Value
{
#define TYPE(name, ctype, ...) ctype as_##name;
#include "types.def"
} Value;

#define VALUE_NULL 1
#define VALUE_ERROR 2

/* Where a place's value stands among all. */
DEVICE_FN uint32_t
place_index(int place)
{
	return place < 0 ? (uint32_t) (-1 - place) :
		script.nconstants + (uint32_t) place * blockDim.x + threadIdx.x;
}

DEVICE_FN Value *
place_value(int place)
{
	DYNAMIC_SHARED(Value, values);

	return &values[place_index(place)];
}

DEVICE_FN uint8_t *
place_flags(int place)
{
	DYNAMIC_SHARED(uint8_t, memory);

	return &memory[(script.nconstants + script.nregisters * blockDim.x) * sizeof(Value) +
				   place_index(place)];
}

DEVICE_FN Value *
step_value(int step)
{
	return place_value(script.steps[step].place);
}

DEVICE_FN uint8_t *
step_flags(int step)
{
	return place_flags(script.steps[step].place);
}

DEVICE_FN bool
step_null(int step)
{
	return (*step_flags(step) & VALUE_NULL) != 0;
}

DEVICE_FN bool
step_error(int step)
{
	return (*step_flags(step) & VALUE_ERROR) != 0;
}

/* Is a condition true? */
DEVICE_FN bool
step_true(int step)
{
	return *step_flags(step) == 0 && step_value(step)->as_BOOL;
}

/* The value of an integer, or of a BOOL, and that of a float. */
DEVICE_FN int64_t
step_int(int step)
{
	const Value *value = step_value(step);

	switch (script.steps[step].type)
	{
#define NUMBER_INTEGER(name) value->as_##name
#define NUMBER_FLOAT(name) 0
#define NUMBER_BYTES(name) 0
#define NUMBER_WIDE(name) 0
#define NUMBER_TEXT(name) 0
#define TYPE(name, ctype, size, stored, class, ...) case VT_##name: return NUMBER_##class(name);
#include "types.def"
		default:
			return 0;
	}
}

DEVICE_FN double
step_float(int step)
{
	const Value *value = step_value(step);

	return script.steps[step].type == VT_FLOAT4 ? (double) value->as_FLOAT4 : value->as_FLOAT8;
}

DEVICE_FN Bytes
text_bytes(const AggregateArgs *args, TextRef ref)
{
	Bytes		bytes;

	bytes.data = (const char *) args->batch.bytes + ref.start;
	bytes.len = ref.length;
	return bytes;
}

/*----------
 * Steps
 *----------
 */
/* A column's value, at the row of an array. */
DEVICE_FN void
step_load(const AggregateArgs *args, int type, const uint8_t *values, uint64_t row,
		  Value *value)
{
	switch (type)
	{
#define LOAD_INTEGER(name, ctype) value->as_##name = ((const ctype *) values)[row]
#define LOAD_FLOAT LOAD_INTEGER
#define LOAD_BYTES LOAD_INTEGER
#define LOAD_WIDE LOAD_INTEGER
#define LOAD_TEXT(name, ctype) value->as_##name = text_bytes(args, ((const TextRef *) values)[row])
#define TYPE(name, ctype, size, stored, class, ...) \
		case VT_##name: \
			LOAD_##class(name, ctype); \
			break;
#include "types.def"
		default:
			break;
	}
}

/* The answer to a condition on a text that is a code. */
DEVICE_FN uint8_t
step_answer(const AggregateArgs *args, const ScriptStep *step, uint64_t row, Value *value)
{
	uint64_t	offset;
	const uint64_t *segment = row_segment(&args->batch, row, &offset);
	bool		isnull = step->nulls != 0 &&
		segment_number(segment[SEGMENT_NULLS(step->index)], offset) != 0;
	uint64_t	code = segment[SEGMENT_BASE(step->index)] +
		segment_number(segment[SEGMENT_VALUES(step->index)], offset);
	uint8_t		answer = coded_answer(args, (uint32_t) step->arg[0], (uint32_t) row, isnull,
									  (uint32_t) code);

	value->as_BOOL = (answer & ANSWER_TRUE) != 0;
	return (answer & ANSWER_NULL) != 0 ? VALUE_NULL : 0;
}

/* Of a row in segments: an integer's bits are the value's lowest. */
DEVICE_FN uint8_t
step_segment_column(const AggregateArgs *args, const ScriptStep *step, uint64_t row,
					Value *value)
{
	const uint64_t *segment = row_segment(&args->batch, row, &row);
	uint64_t	place = segment[SEGMENT_VALUES(step->index)];

	if (step->type == VT_TEXT)
		value->as_TEXT = text_bytes(args, segment_text(place, segment[SEGMENT_BASE(step->index)],
													   row));
	else if (value_is_integer((ValueType) step->type))
		value->as_INT8 = (int64_t) (segment[SEGMENT_BASE(step->index)] +
									segment_number(place, row));
	else
		step_load(args, step->type, (const uint8_t *) PLACE_ADDRESS(place), row, value);
	if (step->nulls == 0)
		return 0;
	return segment_number(segment[SEGMENT_NULLS(step->index)], row) != 0 ? VALUE_NULL : 0;
}

DEVICE_FN uint8_t
step_column(const AggregateArgs *args, const ScriptStep *step, uint64_t row, Value *value)
{
	const RowBatch *batch = &args->batch;

	if (step->arg[0] >= 0)
		return step_answer(args, step, row, value);
	if (batch->segments != NULL)
		return step_segment_column(args, step, row, value);
	step_load(args, step->type, batch->columns + batch->capacity * step->values, row, value);
	if (step->nulls == 0)
		return 0;
	return (batch->columns + batch->capacity * step->nulls)[row] != 0 ? VALUE_NULL : 0;
}

DEVICE_FN uint8_t
step_constant(const AggregateArgs *args, const ScriptStep *step, Value *value)
{
	const DeviceConstant *constant = &args->constants[step->index];

	if (step->table)
		value->as_TEXT = table_bytes(constant);
	else if (step->type == VT_TEXT)
		value->as_TEXT = text_bytes(args, constant->text);
	else if (value_is_bytes((ValueType) step->type))
	{
		value->as_UUID.w[0] = constant->bytes[0];
		value->as_UUID.w[1] = constant->bytes[1];
	}
	else						/* the value's bits are the lowest */
		value->as_INT8 = constant->word;
	return constant->isnull != 0 ? VALUE_NULL : 0;
}

/* AND and OR, as fn.h tells. */
DEVICE_FN uint8_t
step_logic(const ScriptStep *step, Value *value)
{
	uint8_t		a = *place_flags(step->arg[0]);
	uint8_t		b = *place_flags(step->arg[1]);
	bool		decides = step->op == OP_or;
	bool		left = a == 0 && (place_value(step->arg[0])->as_BOOL != 0) == decides;
	bool		right = b == 0 && (place_value(step->arg[1])->as_BOOL != 0) == decides;
	bool		error = (a & VALUE_ERROR) != 0 || ((b & VALUE_ERROR) != 0 && !left);
	bool		isnull = !left && !right && ((a | b) & VALUE_NULL) != 0;

	value->as_BOOL = (left || right) == decides;
	return (isnull ? VALUE_NULL : 0) | (error ? VALUE_ERROR : 0);
}

DEVICE_FN uint8_t
step_select(const ScriptStep *step, Value *value)
{
	uint8_t		when = *place_flags(step->arg[0]);
	bool		taken = !(when & VALUE_NULL) && place_value(step->arg[0])->as_BOOL;
	int			from = taken ? step->arg[1] : step->arg[2];

	*value = *place_value(from);
	return *place_flags(from) | (when & VALUE_ERROR);
}

/* The function of an operation of ops.def. */
#define APPLY1_0(name, a) name(a)
#define APPLY1_1(name, a) name(a, error)
#define APPLY2_0(name, a, b) name(a, b)
#define APPLY2_1(name, a, b) name(a, b, error)

DEVICE_CALL void
step_apply(int op, const Value *a, const Value *b, Value *result, bool *error)
{
	switch (op)
	{
#define OP1(name, r, x, checked, ...) \
		case OP_##name: \
			result->as_##r = APPLY1_##checked(name, a->as_##x); \
			break;
#define OP2(name, r, x, y, checked, ...) \
		case OP_##name: \
			result->as_##r = APPLY2_##checked(name, a->as_##x, b->as_##y); \
			break;
#include "ops.def"
#undef OP1
#undef OP2
		default:
			break;
	}
}

/* A strict operation: its own error counts if no operand is NULL. */
DEVICE_FN uint8_t
step_operation(const ScriptStep *step, Value *value)
{
	int			a = step->arg[0];
	int			b = step->arg[1];
	uint8_t		flags = *place_flags(a) | *place_flags(b);
	bool		error = false;

	step_apply(step->op, place_value(a), place_value(b), value, &error);
	if (error && !(flags & VALUE_NULL))
		flags |= VALUE_ERROR;
	return flags;
}

/*
 * Steps from .. to - 1 of a row, of which the first ones are parameters, which have been loaded.
 * ends: a condition that decides ends them if it is false, unless one before it is an error; then
 * the filter is false, whatever else it says, and the result is false.
 */
DEVICE_CALL bool
steps_run(const AggregateArgs *args, uint64_t row, int from, int to, bool ends)
{
	for (int i = from; i < to; i++)
	{
		const ScriptStep *step = &script.steps[i];
		Value	   *value = place_value(step->place);
		uint8_t		flags;

		switch (step->op)
		{
			case OP_column:
				flags = step_column(args, step, row, value);
				break;
			case OP_and:
			case OP_or:
				flags = step_logic(step, value);
				break;
			case OP_select:
				flags = step_select(step, value);
				break;
			case OP_isnull:
			case OP_isnotnull:
				flags = *place_flags(step->arg[0]);
				value->as_BOOL = ((flags & VALUE_NULL) != 0) == (step->op == OP_isnull);
				flags &= VALUE_ERROR;
				break;
			default:
				flags = step_operation(step, value);
				break;
		}
		*place_flags(step->place) = flags;
		if (!step->decides)
			continue;
		ends = ends && !(flags & VALUE_ERROR);
		if (ends && flags == 0 && !value->as_BOOL)
			return false;
	}
	return true;
}

/* The parameters' values; all threads of the block. */
DEVICE_FN void
constants_load(const AggregateArgs *args)
{
	for (uint32_t i = threadIdx.x; i < script.nconstants; i += blockDim.x)
	{
		const ScriptStep *step = &script.steps[i];

		*step_flags((int) i) = step_constant(args, step, step_value((int) i));
	}
	block_sync();
}

/*----------
 * Keys
 *----------
 */
DEVICE_FN bool
key_word_is_text(int word)
{
	return ((script.key_texts >> word) & 1) != 0;
}

/* A key's bits as a word. */
DEVICE_FN uint64_t
key_bits(const AggregateArgs *args, ValueType type, const Value *value)
{
	int			bits = 8 * value_type_size(type);

	switch (value_class(type))
	{
		case CLASS_INTEGER:
			return (uint64_t) value->as_INT8 & (UINT64_MAX >> (64 - bits));
		case CLASS_FLOAT:
			return bits == 32 ? key_float4(value->as_FLOAT4) : key_float8(value->as_FLOAT8);
		default:
			return text_word((uint32_t) (value->as_TEXT.data -
										 (const char *) args->batch.bytes),
							 value->as_TEXT.len);
	}
}

/* A key's value into the packed key, which began as zeros. */
DEVICE_FN void
key_pack(const AggregateArgs *args, int key, const Value *value, bool isnull, uint64_t *to)
{
	const KeyPlace *place = &script.keys[key];

	if (isnull)
		to[place->null_word] |= UINT64_C(1) << place->null_shift;
	else if (value_is_words((ValueType) place->type))
	{
		to[place->word] = value->as_UUID.w[0];
		if (value_type_size((ValueType) place->type) > 8)
			to[place->word + 1] = value->as_UUID.w[1];
	}
	else
		to[place->word] |= key_bits(args, (ValueType) place->type, value) << place->shift;
}

/* The hash of the words, behind the NULL bits. */
DEVICE_CALL void
key_make_tag(const uint8_t *bytes, uint64_t *key)
{
	uint64_t	hash = key[0];

	for (int i = 1; i < KEY_WORDS; i++)
		if (key_word_is_text(i))
			hash = hash_bytes(hash, bytes + text_start(key[i]), text_length(key[i]));
		else
			hash = hash_combine(hash, key[i]);
	key[0] |= hash << (TAG_NULL_SHIFT + TAG_NULL_BITS);
}

/* Two rows' keys. */
DEVICE_CALL bool
key_same(const AggregateArgs *args, const uint64_t *a, const uint64_t *b)
{
	if (a[0] != b[0])
		return false;
	for (int i = 1; i < KEY_WORDS; i++)
		if (!key_word_is_text(i) ? a[i] != b[i] :
			text_length(a[i]) != text_length(b[i]) ||
			!bytes_same(args->batch.bytes + text_start(a[i]),
						args->batch.bytes + text_start(b[i]), text_length(a[i])))
			return false;
	return true;
}

/* A row's and a slot's. */
DEVICE_CALL bool
key_is(const AggregateArgs *args, const uint64_t *key, const uint64_t *slot)
{
	for (int i = 1; i < KEY_WORDS; i++)
	{
		uint64_t	word = load_volatile_u64(&slot[i]);

		if (!key_word_is_text(i) ? word != key[i] :
			text_length(word) != text_length(key[i]) ||
			!text_is(args->table.arena, text_start(word),
					 args->batch.bytes + text_start(key[i]), text_length(word)))
			return false;
	}
	return true;
}

/* What the key's texts take of the arena, in 8-byte words. */
DEVICE_FN uint64_t
key_text_size(const uint64_t *key)
{
	uint64_t	size = 0;

	for (int i = 1; i < KEY_WORDS; i++)
		if (key_word_is_text(i))
			size += text_room(key[i]);
	return size;
}

/* A key's words to a slot, its texts to the arena. */
DEVICE_CALL void
key_store(const AggregateArgs *args, const uint64_t *key, uint64_t *slot, uint64_t arena)
{
	for (int i = 1; i < KEY_WORDS; i++)
	{
		slot[i] = key[i];
		if (!key_word_is_text(i))
			continue;
		text_store(args->table.arena, arena, args->batch.bytes + text_start(key[i]),
				   text_length(key[i]));
		slot[i] = text_word((uint32_t) arena, text_length(key[i]));
		arena += text_room(key[i]);
	}
}

/* The packed key of a slot that was addressed directly. */
DEVICE_FN void
key_from_direct(int64_t number, bool isnull, uint64_t *key)
{
	Value		value;

	value.as_INT8 = number;
	for (int i = 0; i < KEY_WORDS; i++)
		key[i] = 0;
	key_pack(NULL, 0, &value, isnull, key);
	if (KEY_WORDS > 1)
		key_make_tag(NULL, key);
}

/* The slot of a value, or out of reach. */
DEVICE_FN uint64_t
direct_key(const AggregateArgs *args, int64_t value)
{
	uint64_t	slot = (uint64_t) value - (uint64_t) args->table.direct_min;

	return slot < UINT64_MAX - 1 ? slot + 1 : UINT64_MAX;
}

/* Of the keys 0 and -0 the first row of each is remembered. */
DEVICE_FN void
key_zero_seen(const AggregateArgs *args, int step, uint32_t index)
{
	ValueType	type = (ValueType) script.steps[step].type;
	double		value;

	if (!value_is_float(type) || step_null(step))
		return;
	value = step_float(step);
	if (value == 0)
		zero_seen(args, index, f64_bits(value) != 0);
}

DEVICE_FN void
row_key(const AggregateArgs *args, uint32_t index, Row *row)
{
	for (int i = 0; i < KEY_WORDS; i++)
		row->key[i] = 0;
	for (int i = 0; i < NKEYS; i++)
	{
		int			step = script.key_steps[i];

		row->error |= step_error(step);
		if (TABLE_DIRECT)
			row->key[0] = step_null(step) ? 0 : direct_key(args, step_int(step));
		else
		{
			key_pack(args, i, step_value(step), step_null(step), row->key);
			key_zero_seen(args, step, index);
		}
	}
	if (KEY_WORDS > 1)
		key_make_tag(args->batch.bytes, row->key);
}

/*----------
 * States
 *----------
 */
DEVICE_FN uint64_t
word_start(int word)
{
	return script.starts[word];
}

DEVICE_FN void
words_identity(uint64_t *words)
{
	for (int i = 0; i < NWORDS; i++)
		words[i] = script.starts[i];
}

DEVICE_CALL void
words_merge(uint64_t *into, const uint64_t *from)
{
	for (int i = 0; i < script.nparts; i++)
	{
		const DeviceWord *part = &script.parts[i];
		int			word = part->word;
		int			outer = part->outer;

		switch (part->kind)
		{
#define WORD(name, suffix, ...) \
			case WORD_##name: \
				merge_##suffix(&into[word], from[word]); \
				break;
#include "accs.def"
			case WORD_EXACT:
				if (outer >= 0)
					merge_split(&into[outer], &into[word], &into[outer + 1],
								from[outer], from[word], from[outer + 1]);
				else
					exact_add(into + word, from + word, part->nwords);
				break;
		}
	}
}

DEVICE_CALL void
words_add(uint64_t *state, uint64_t *cold, const uint64_t *words)
{
	for (int i = 0; i < script.nparts; i++)
	{
		const DeviceWord *part = &script.parts[i];
		int			word = part->word;
		int			outer = part->outer;

		switch (part->kind)
		{
#define WORD(name, suffix, ...) \
			case WORD_##name: \
				word_##suffix(&state[word], words[word]); \
				break;
#include "accs.def"
			case WORD_EXACT:
				if (outer >= 0)
					word_split(&cold[outer - NHOT], &state[word], &cold[outer + 1 - NHOT],
							   words[outer], words[word], words[outer + 1]);
				else
					word_exact(state + word, words + word, part->nwords);
				break;
		}
	}
}

/* SUM_INT128's low words, which must not run over; the high one's part is the next. */
DEVICE_FN void
state_normalize(uint64_t *state)
{
	for (int i = 0; i < script.nparts; i++)
	{
		const DeviceWord *part = &script.parts[i];

		if (acc_form((AccKind) part->acc) != FORM_INT128 || part->part != 0)
			continue;
		state[part[1].word] += state[part->word] >> 32;
		state[part->word] &= UINT64_C(0xffffffff);
	}
}

/*----------
 * Rows
 *----------
 */

/* Does the row count for a word or a value?  *error: an error that it then has. */
DEVICE_FN bool
row_takes(int filter, int arg, int arg2, bool *error)
{
	bool		take = true;

	if (filter >= 0)
	{
		*error |= step_error(filter);
		take = !step_null(filter) && step_value(filter)->as_BOOL;
	}
	if (arg >= 0)
		*error |= take && step_error(arg);
	if (arg2 >= 0)
		*error |= take && step_error(arg2);
	return take && !(arg >= 0 && step_null(arg)) && !(arg2 >= 0 && step_null(arg2));
}

/* What a float sum gets from the row, flags included. */
DEVICE_CALL void
row_sum(const AggregateArgs *args, const DeviceWord *part, bool take, Row *row)
{
	bool		narrow = script.level == EXACT_NARROW;
	int32_t		unit = args->units[part->sum];
	uint32_t	problem = 0;

	if (script.level == EXACT_FULL)
		unit = part->arg2 < 0 ? EXACT_LEAST : EXACT_LEAST_PRODUCT;
	if (part->outer >= 0)
		problem = exact_narrow(take ? step_float(part->arg) : 0.0, unit,
							   &row->words[part->outer], &row->words[part->word],
							   &row->words[part->outer + 1]);
	else
	{
		for (int i = 0; i < part->nwords + !narrow; i++)
			row->words[part->word + i] = 0;
		if (take)
			problem = exact_place(part->arg2 < 0 ?
								  exact_number(step_float(part->arg), part->limit) :
								  exact_product(step_float(part->arg), step_float(part->arg2),
												part->limit),
								  unit, row->words + part->word, part->nwords, narrow);
	}
	row->error |= (problem & EXACT_BEYOND) != 0;
	row->widen |= (problem & EXACT_WIDEN) != 0;
}

/* What another word gets from a row that counts. */
DEVICE_FN uint64_t
row_word(const DeviceWord *part)
{
	switch (acc_form((AccKind) part->acc))
	{
		case FORM_COUNT:
			return 1;
		case FORM_INT128:
			return part->part == 0 ? (uint64_t) step_int(part->arg) & UINT64_C(0xffffffff) :
				(uint64_t) (step_int(part->arg) >> 32);
		case FORM_ORDERED:
			return float_to_ordered(step_float(part->arg), acc_is_greatest((AccKind) part->acc));
		default:
			return (uint64_t) step_int(part->arg);
	}
}

DEVICE_FN void
row_words(const AggregateArgs *args, Row *row)
{
	for (int i = 0; i < script.nparts; i++)
	{
		const DeviceWord *part = &script.parts[i];
		bool		sum = acc_is_exact((AccKind) part->acc);
		bool		take;

		if (sum && part->part > 0)
			continue;			/* flags come with the sum */
		take = row_takes(part->filter, part->arg, part->arg2, &row->error);
		if (sum)
			row_sum(args, part, take, row);
		else
			row->words[part->word] = take ? row_word(part) : script.starts[part->word];
	}
}

/* Its values for extremes that are kept by reference. */
DEVICE_FN void
row_extremes(const AggregateArgs *args, Row *row)
{
	for (int i = 0; i < NVALUES; i++)
	{
		const ScriptValue *extreme = &script.values[i];
		uint64_t   *words = &row->values[LAYOUT_VALUE_WORDS * i];
		const Value *value = step_value(extreme->arg);

		row->takes[i] = row_takes(extreme->filter, extreme->arg, -1, &row->error);
		if (!row->takes[i])
			continue;
		if (script.steps[extreme->arg].type == VT_TEXT)
			words[0] = key_bits(args, VT_TEXT, value);
		else
		{
			words[0] = value->as_UUID.w[0];
			words[1] = value->as_UUID.w[1];
		}
	}
}

DEVICE_FN void
row_load(const RowBatch *batch, uint64_t row, Raw *raw)
{
	uint64_t	offset;
	const uint64_t *segment;

	raw->left = batch->segments == NULL && script.leaves_rows && batch->left[row] != 0;
	if (batch->segments == NULL)
		return;
	segment = row_segment(batch, row, &offset);
	raw->left = segment_leaves(segment, offset);
}

DEVICE_CALL void
row_eval(const AggregateArgs *args, const Raw *raw, uint32_t index, Row *row)
{
	int			filter = script.filter;

	row->error = false;
	row->widen = false;
	row->passes = !raw->left;
	if (!row->passes)
		return;
	if (!steps_run(args, index, script.nconstants, script.filter_steps, args->task != TASK_SAMPLE))
	{
		row->passes = false;
		return;
	}
	if (filter >= 0)
	{
		row->error = step_error(filter);
		row->passes = step_true(filter);
		if (!row->passes)
			return;
	}
	(void) steps_run(args, index, script.filter_steps, script.nsteps, false);
	row_key(args, index, row);
	row_words(args, row);
	row_extremes(args, row);
}

/* Which of the script's conditions are true of the row that row_eval was called for last. */
DEVICE_FN uint32_t
row_conditions(const AggregateArgs *args, const Raw *raw, uint32_t index)
{
	uint32_t	conditions = 0;

	(void) args, (void) raw, (void) index;
	for (int i = 0; i < script.nconditions; i++)
		conditions |= (uint32_t) step_true(script.conditions[i]) << i;
	return conditions;
}

/* What the filter is of each row, whether it passes or not. */
DEVICE_FN void
rows_answer(const AggregateArgs *args)
{
	for (uint64_t row = grid_index(); row < args->batch.nrows; row += grid_size())
	{
		(void) steps_run(args, row, script.nconstants, script.filter_steps, false);
		args->row_answers[row] = step_null(script.filter) ? ANSWER_NULL :
			step_value(script.filter)->as_BOOL ? ANSWER_TRUE : 0;
	}
}

/* The largest exponents so far, and the row's. */
DEVICE_FN void
row_exponents(const AggregateArgs *args, const Raw *raw, uint32_t index, uint32_t *largest)
{
	if (raw->left)
		return;
	if (!steps_run(args, index, script.nconstants, script.nsteps, true))
		return;
	if (script.filter >= 0 && !step_true(script.filter))
		return;
	for (int i = 0; i < script.nparts; i++)
	{
		const DeviceWord *part = &script.parts[i];
		uint32_t	exponent;
		bool		error = false;

		if (part->kind != WORD_EXACT ||
			!row_takes(part->filter, part->arg, part->arg2, &error))
			continue;
		if (part->arg2 < 0)
			exponent = exact_exponent(step_float(part->arg));
		else
			exponent = exact_product_exponent(step_float(part->arg), step_float(part->arg2));
		if (exponent > largest[part->sum])
			largest[part->sum] = exponent;
	}
}

#endif							/* GPUAGG_INTERPRET_ROWS_CUH */
