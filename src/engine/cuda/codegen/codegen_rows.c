/*
 * codegen_rows.c
 *	  Generates row_load and row_eval: a row's columns, its key, its words.
 *
 * A register is three variables: r, its value, n, whether it is NULL, and e,
 * whether it is an error.  Those that are constant the compiler folds away.
 * Instructions are written in the order in which they are needed, those of the
 * filter first, so that a row that does not pass is left at once.
 */
#include <stdio.h>
#include <string.h>

#include "engine/cuda/codegen/codegen_parts.h"
#include "program/first_rows.h"

/*
 * Of every so many ANDs and ORs the compiler is not shown where the result
 * comes from.  NVRTC's time doubled with every second one over parts that can
 * fail or be NULL: a list of 25 took it minutes; with every eighth result
 * hidden one of 30 takes 0.2 s.
 */
#define LOGIC_HIDDEN_EVERY 8

/* Rows that do not pass are computed like others where that takes so few instructions. */
#define ROWS_FLAT_INSNS 64

/* Which registers are there already. */
typedef struct RowCode
{
	const Program *program;
	const KernelLayout *layout;
	Text	   *text;
	bool		fixed;			/* of row_eval_fixed */
	bool		flat;			/* rows that do not pass are computed, too */
	bool		written[PROGRAM_MAX_INSNS];
	int			nlogic;			/* ANDs and ORs so far */
} RowCode;

/* Can rows be left out?  Lanes without one that has passed other conditions have such ones. */
static bool
rows_can_be_left(const Program *program, const KernelLayout *layout)
{
	return program_leaves_rows(program) || layout->segments || layout->prefilter.n > 0;
}

/* row_load of rows in segments, and of a segment; one that is left out has zeros. */
static void
write_load_segment(const Program *program, Text *text)
{
	const Column *columns = program_columns(program);

	text_append(text, "DEVICE_FN void\n"
				"segment_load(const uint64_t *segment, uint64_t offset, Raw *raw)\n{\n"
				"\tRaw none = {0};\n\n"
				"\t*raw = none;\n\traw->left = segment_leaves(segment, offset);\n"
				"\tif (raw->left)\n\t\treturn;\n");
	for (int i = 0; i < program->ncolumns; i++)
	{
		ValueType	type = (ValueType) columns[i].type;
		const char *name = codegen_column_type(type);

		if (layout_type_width(type) != WIDTH_NONE)
			text_append(text, "\traw->c%d = (%s) (segment[SEGMENT_BASE(%d)] + "
						"segment_number(segment[SEGMENT_VALUES(%d)], offset));\n", i, name, i, i);
		else if (type == VT_TEXT)
			text_append(text, "\traw->c%d = segment_text(segment[SEGMENT_VALUES(%d)], "
						"segment[SEGMENT_BASE(%d)], offset);\n", i, i, i);
		else
			text_append(text, "\traw->c%d = ((const %s *) "
						"PLACE_ADDRESS(segment[SEGMENT_VALUES(%d)]))[offset];\n", i, name, i);
		if (columns[i].nullable)
			text_append(text, "\traw->n%d = (uint8_t) "
						"segment_number(segment[SEGMENT_NULLS(%d)], offset);\n", i, i);
	}
	text_append(text, "}\n\nDEVICE_FN void\n"
				"row_load(const RowBatch *batch, uint64_t row, Raw *raw)\n{\n"
				"\tuint64_t offset;\n"
				"\tconst uint64_t *segment = row_segment(batch, row, &offset);\n\n"
				"\tsegment_load(segment, offset, raw);\n}\n\n");
}

/* row_load of rows whose columns stand behind one another. */
static void
write_load(const Program *program, const KernelLayout *layout, Text *text)
{
	const Column *columns = program_columns(program);

	text_append(text, "DEVICE_FN void\n"
				"row_load(const RowBatch *batch, uint64_t row, Raw *raw)\n{\n");
	if (program_leaves_rows(program))
		text_append(text, "\traw->left = batch->left[row];\n");
	else if (layout->prefilter.n > 0)
		text_append(text, "\traw->left = 0;\n");
	for (int i = 0; i < program->ncolumns; i++)
	{
		const char *type = codegen_column_type((ValueType) columns[i].type);

		text_append(text, "\traw->c%d = ((const %s *) (batch->columns + "
					"batch->capacity * %u))[row];\n", i, type, layout->columns[i].values);
		if (columns[i].nullable)
			text_append(text, "\traw->n%d = (batch->columns + "
						"batch->capacity * %u)[row];\n", i, layout->columns[i].nulls);
	}
	text_append(text, "}\n\n");
}

static void
write_raw(const Program *program, const KernelLayout *layout, Text *text)
{
	const Column *columns = program_columns(program);

	text_append(text, "typedef struct Raw\n{\n\tuint8_t left;\n");
	for (int i = 0; i < program->ncolumns; i++)
	{
		text_append(text, "\t%s c%d;\n",
					codegen_column_type((ValueType) columns[i].type), i);
		if (columns[i].nullable)
			text_append(text, "\tuint8_t n%d;\n", i);
	}
	text_append(text, "} Raw;\n\n"
				"typedef struct Row\n{\n\tuint64_t key[KEY_WORDS];\n"
				"\tuint64_t words[NWORDS];\n\tbool passes;\n\tbool error;\n\tbool widen;\n"
				"#if HAS_VALUES\n\tuint64_t values[%d * NVALUES];\n\tbool takes[NVALUES];\n"
				"#endif\n#if NLISTS > 0\n\tuint64_t list_values[NLISTS];\n"
				"\tbool list_takes[NLISTS];\n#endif\n"
				"#if NFIRST > 0\n\tuint64_t entry[FIRST_WORDS];\n#endif\n} Row;\n\n", LAYOUT_VALUE_WORDS);
	if (layout->segments)
		write_load_segment(program, text);
	else
		write_load(program, layout, text);
	text_append(text, "DEVICE_FN Bytes\ntext_bytes(const AggregateArgs *args, TextRef ref)\n{\n"
				"\tBytes bytes;\n\n"
				"\tbytes.data = (const char *) args->batch.bytes + ref.start;\n"
				"\tbytes.len = ref.length;\n\treturn bytes;\n}\n\n"
				"DEVICE_FN float\nconstant_float4(int64_t word)\n{\n"
				"\tunion { uint32_t bits; float value; } both;\n\n"
				"\tboth.bits = (uint32_t) word;\n\treturn both.value;\n}\n\n");
}

/* An interval is a structure of its own; others are their words. */
static void
write_constant_bytes(Text *text, int reg, const Insn *insn)
{
	if (insn->type == VT_INTERVAL)
		text_append(text, "\tr%d = interval_of_words(args->constants[%d].bytes[0], "
					"args->constants[%d].bytes[1]);\n", reg, insn->index, insn->index);
	else
		for (int i = 0; i < value_type_size((ValueType) insn->type) / 8; i++)
			text_append(text, "\tr%d.w[%d] = args->constants[%d].bytes[%d];\n", reg, i,
						insn->index, i);
}

static void
write_constant(RowCode *code, int reg, const Insn *insn)
{
	Text	   *text = code->text;

	if (insn_is_table(insn))
	{
		text_append(text, "\tr%d = table_bytes(&args->constants[%d]);\n", reg, insn->index);
		return;
	}
	text_append(text, "\tn%d = args->constants[%d].isnull != 0;\n", reg, insn->index);
	switch (value_class((ValueType) insn->type))
	{
		case CLASS_TEXT:
			text_append(text, "\tr%d = text_bytes(args, args->constants[%d].text);\n",
						reg, insn->index);
			break;
		case CLASS_BYTES:
			write_constant_bytes(text, reg, insn);
			break;
		case CLASS_FLOAT:
			text_append(text, insn->type == VT_FLOAT4 ?
						"\tr%d = constant_float4(args->constants[%d].word);\n" :
						"\tr%d = f64_from_bits((uint64_t) args->constants[%d].word);\n",
						reg, insn->index);
			break;
		default:
			text_append(text, "\tr%d = (%s) args->constants[%d].word;\n", reg,
						codegen_type((ValueType) insn->type), insn->index);
			break;
	}
}

/* The answer to a condition on a text that is a code, which a row that is left out has none of. */
static void
write_answer(RowCode *code, int reg, const Insn *insn)
{
	const Column *column = &program_columns(code->program)[insn->index];
	char		isnull[40] = "";

	if (column->nullable)
		snprintf(isnull, sizeof(isnull), " || raw->n%d != 0", insn->index);
	text_append(code->text, "\t{\n"
				"\t\tuint8_t answer = coded_answer(args, %d, index, raw->left != 0%s, "
				"(uint32_t) raw->c%d);\n\n"
				"\t\tr%d = (answer & ANSWER_TRUE) != 0;\n"
				"\t\tn%d = (answer & ANSWER_NULL) != 0;\n\t}\n",
				insn->arg[0], isnull, insn->index, reg, reg);
}

static void
write_column(RowCode *code, int reg, const Insn *insn)
{
	const Column *column = &program_columns(code->program)[insn->index];

	if (insn->arg[0] >= 0)
	{
		write_answer(code, reg, insn);
		return;
	}
	if (column->type == VT_TEXT)
		text_append(code->text, "\tr%d = text_bytes(args, raw->c%d);\n", reg, insn->index);
	else
		text_append(code->text, "\tr%d = raw->c%d;\n", reg, insn->index);
	if (column->nullable)
		text_append(code->text, "\tn%d = raw->n%d != 0;\n", reg, insn->index);
}

/*
 * AND and OR as fn.h tells.  decided: the left side alone is the answer; value:
 * the answer if one side decides it.
 */
static void
write_logic(RowCode *code, int reg, const Insn *insn)
{
	int			a = insn->arg[0];
	int			b = insn->arg[1];
	const char *sign = insn->op == OP_and ? "!" : "";

	text_append(code->text,
				"\t{\n"
				"\t\tbool left = !n%d && !e%d && %sr%d;\n"
				"\t\tbool right = !n%d && !e%d && %sr%d;\n\n",
				a, a, sign, a, b, b, sign, b);
	text_append(code->text,
				"\t\te%d = e%d || (e%d && !left);\n"
				"\t\tn%d = !left && !right && (n%d || n%d);\n"
				"\t\tr%d = %s(left || right);\n",
				reg, a, b, reg, a, b, reg, sign);
	if (++code->nlogic % LOGIC_HIDDEN_EVERY == 0)
		text_append(code->text,
					"\t\tuint32_t bits = r%d | n%d << 1 | e%d << 2;\n\n"
					"\t\tOPAQUE_U32(bits);\n"
					"\t\tr%d = bits & 1;\n"
					"\t\tn%d = (bits >> 1) & 1;\n"
					"\t\te%d = (bits >> 2) & 1;\n",
					reg, reg, reg, reg, reg, reg);
	text_append(code->text, "\t}\n");
}

/* A selection: all that is told of the result is that of the side taken. */
static void
write_select(RowCode *code, int reg, const Insn *insn)
{
	int			when = insn->arg[0];
	int			a = insn->arg[1];
	int			b = insn->arg[2];

	text_append(code->text,
				"\t{\n"
				"\t\tbool taken = !n%d && r%d;\n\n"
				"\t\tr%d = taken ? r%d : r%d;\n"
				"\t\tn%d = taken ? n%d : n%d;\n"
				"\t\te%d = e%d || (taken ? e%d : e%d);\n"
				"\t}\n",
				when, when, reg, a, b, reg, a, b, reg, when, a, b);
}

/* A strict operation: its own error counts if no operand is NULL. */
static void
write_operation(RowCode *code, int reg, const Insn *insn)
{
	Text	   *text = code->text;
	OpCode		op = (OpCode) insn->op;
	int			a = insn->arg[0];
	int			b = op_nargs(op) > 1 ? insn->arg[1] : -1;

	text_append(text, "\tr%d = %s(r%d", reg, op_name(op), a);
	if (b >= 0)
		text_append(text, ", r%d", b);
	if (op_checked(op))
		text_append(text, ", &e%d", reg);
	text_append(text, ");\n\tn%d = n%d", reg, a);
	if (b >= 0)
		text_append(text, " || n%d", b);
	text_append(text, ";\n\te%d = (e%d && !n%d) || e%d", reg, reg, reg, a);
	if (b >= 0)
		text_append(text, " || e%d", b);
	text_append(text, ";\n");
}

/* Write an instruction, and first what it needs, if not there yet. */
static void
write_register(RowCode *code, int reg)
{
	const Insn *insn;

	if (reg < 0 || code->written[reg])
		return;
	code->written[reg] = true;
	insn = &program_insns(code->program)[reg];
	if (insn->op != OP_column && insn->op != OP_param)
	{
		for (int i = 0; i < op_nargs((OpCode) insn->op); i++)
			write_register(code, insn->arg[i]);
	}
	text_append(code->text, "\t%s r%d;\n\tbool n%d = false, e%d = false;\n\n",
				codegen_type((ValueType) insn->type), reg, reg, reg);
	switch (insn->op)
	{
		case OP_column:
			write_column(code, reg, insn);
			break;
		case OP_param:
			write_constant(code, reg, insn);
			break;
		case OP_and:
		case OP_or:
			write_logic(code, reg, insn);
			break;
		case OP_select:
			write_select(code, reg, insn);
			break;
		case OP_isnull:
		case OP_isnotnull:
			text_append(code->text, "\tr%d = %sn%d;\n\te%d = e%d;\n", reg,
						insn->op == OP_isnull ? "" : "!", insn->arg[0],
						reg, insn->arg[0]);
			break;
		default:
			write_operation(code, reg, insn);
			break;
	}
}

/*
 * Does the row count for a word: `take`, and errors if `errors`.  What rows that do not pass
 * count for, if they are computed, does not matter (block_places).
 */
static void
write_take(const RowCode *code, const DeviceWord *word, bool errors)
{
	const char *passes = code->flat ? "row->passes && " : "";
	Text	   *text = code->text;

	text_append(text, "\t\tbool take = true;\n\n");
	if (word->filter >= 0 && errors)
		text_append(text, "\t\trow->error |= %se%d;\n", passes, word->filter);
	if (word->filter >= 0)
		text_append(text, "\t\ttake = !n%d && r%d;\n", word->filter, word->filter);
	if (word->arg >= 0 && errors)
		text_append(text, "\t\trow->error |= %stake && e%d;\n", passes, word->arg);
	if (word->arg2 >= 0 && errors)
		text_append(text, "\t\trow->error |= %stake && e%d;\n", passes, word->arg2);
	if (word->arg >= 0)
		text_append(text, "\t\ttake = take && !n%d;\n", word->arg);
	if (word->arg2 >= 0)
		text_append(text, "\t\ttake = take && !n%d;\n", word->arg2);
}

/*
 * What a float sum gets from the row, flags included.  A narrow one, the common
 * case, takes 0 from rows that do not count.
 */
static void
write_sum(const RowCode *code, const DeviceWord *word)
{
	const char *passes = code->flat ? "row->passes && " : "";
	int			level = code->program->level;
	Text	   *text = code->text;
	char		unit[32];

	if (level == EXACT_FULL)
		snprintf(unit, sizeof(unit), "%d",
				 word->arg2 < 0 ? EXACT_LEAST : EXACT_LEAST_PRODUCT);
	else
		snprintf(unit, sizeof(unit), "args->units[%d]", word->sum);
	text_append(text, "\t{\n\t\tuint32_t problem = 0;\n");
	write_take(code, word, true);
	if (word->outer >= 0 && code->fixed)
		text_append(text, "\t\tfixed_value(take ? (double) r%d : 0.0, %s, "
					"&row->words[%d], &row->words[%d]);\n", word->arg, unit,
					word->outer, word->word);
	else if (word->outer >= 0)
		text_append(text, "\t\tproblem = exact_narrow(take ? (double) r%d : 0.0, %s, "
					"&row->words[%d], &row->words[%d], &row->words[%d]);\n", word->arg, unit,
					word->outer, word->word, word->outer + 1);
	else
	{
		text_append(text, "\t\tfor (int i = 0; i < %d; i++)\n\t\t\trow->words[%d + i] = 0;\n"
					"\t\tif (take)\n\t\t\tproblem = exact_place(",
					word->nwords + (level != EXACT_NARROW), word->word);
		if (word->arg2 < 0)
			text_append(text, "exact_number((double) r%d, %d)", word->arg, word->limit);
		else
			text_append(text, "exact_product((double) r%d, (double) r%d, %d)", word->arg,
						word->arg2, word->limit);
		text_append(text, ", %s, row->words + %d, %d, %d);\n", unit, word->word,
					word->nwords, level == EXACT_NARROW);
	}
	text_append(text, "\t\trow->error |= %s(problem & EXACT_BEYOND) != 0;\n"
				"\t\trow->widen |= %s(problem & EXACT_WIDEN) != 0;\n\t}\n", passes, passes);
}

/* What one part of a state gets from the row. */
static void
write_word(RowCode *code, int index)
{
	const DeviceWord *word = &code->layout->parts[index];
	Text	   *text = code->text;
	int			arg = word->arg;

	if (acc_is_exact((AccKind) word->acc))
	{
		if (word->part == 0)
			write_sum(code, word);
		return;
	}
	text_append(text, "\t{\n");
	write_take(code, word, true);
	text_append(text, "\t\trow->words[%d] = !take ? word_start(%d) : ", word->word, word->word);
	switch (acc_form((AccKind) word->acc))
	{
		case FORM_COUNT:
			text_append(text, "1");
			break;
		case FORM_INT128:
			if (word->part == 0)
				text_append(text, "(uint64_t) (int64_t) r%d & UINT64_C(0xffffffff)", arg);
			else
				text_append(text, "(uint64_t) ((int64_t) r%d >> 32)", arg);
			break;
		case FORM_ORDERED:
			text_append(text, "float_to_ordered((double) r%d, %s)", arg,
						acc_is_greatest((AccKind) word->acc) ? "true" : "false");
			break;
		case FORM_INT:
		case FORM_SIZE:
			text_append(text, "(uint64_t) (int64_t) r%d", arg);
			break;
		default:				/* no word: write_value */
			break;
	}
	text_append(text, ";\n\t}\n");
}

/* An extreme that is kept by reference: does the row count, and its value. */
static void
write_value(RowCode *code, int index)
{
	const DeviceValue *value = &code->layout->values[index];
	DeviceWord	word = {.arg = value->arg,.filter = value->filter,.arg2 = -1};
	Text	   *text = code->text;

	text_append(text, "\t{\n");
	write_take(code, &word, true);
	text_append(text, "\t\trow->takes[%d] = take;\n", index);
	if (acc_is_text((AccKind) value->acc))
	{
		text_append(text, "\t\tif (take)\n\t\t\trow->values[%d] = ",
					LAYOUT_VALUE_WORDS * index);
		codegen_text_word(value->arg, text);
		text_append(text, ";\n");
	}
	else if (acc_form((AccKind) value->acc) == FORM_INTERVAL)
		text_append(text, "\t\trow->values[%d] = (uint64_t) r%d.time;\n"
					"\t\trow->values[%d] = interval_days_word(r%d);\n",
					LAYOUT_VALUE_WORDS * index, value->arg,
					LAYOUT_VALUE_WORDS * index + 1, value->arg);
	else
		for (int i = 0; i < LAYOUT_VALUE_WORDS; i++)
			text_append(text, "\t\trow->values[%d] = r%d.w[%d];\n",
						LAYOUT_VALUE_WORDS * index + i, value->arg, i);
	text_append(text, "\t}\n");
}

/* A list: does the row count, and its value in its order. */
static void
write_list(RowCode *code, int index)
{
	const DeviceListPlace *list = &code->layout->lists[index];
	DeviceWord	word = {.arg = list->arg,.filter = list->filter,.arg2 = -1};
	bool		is_float = value_is_float((ValueType) program_insns(code->program)[list->arg].type);

	text_append(code->text, "\t{\n");
	write_take(code, &word, true);
	text_append(code->text, "\t\trow->list_takes[%d] = take;\n"
				"\t\trow->list_values[%d] = %s r%d);\n\t}\n", index, index,
				is_float ? "order_of_float((double)" : "order_of_integer((int64_t)", list->arg);
}

/* Key n of the order, as an integer in ascending order, and its bits in the entry's mark. */
static void
write_order(RowCode *code, const Accumulator *acc, int n, int reg)
{
	bool		is_float = value_is_float((ValueType) program_insns(code->program)[reg].type);

	text_append(code->text, "\trow->error |= row->passes && e%d;\n", reg);
	text_append(code->text, "\trow->entry[%d] = n%d ? 0 : %s(r%d == 0 ? 0 : (%s) r%d)", n + 1, reg,
				is_float ? "order_of_float" : "order_of_integer", reg,
				is_float ? "double" : "int64_t", reg);
	text_append(code->text, "%s;\n\trow->entry[0] |= mark_rank(n%d ? UINT64_C(%d) : RANK_VALUE, %d);\n",
				key_is_descending(acc->order, n) ? " ^ UINT64_MAX" : "", reg,
				(int) rank_of_null(acc->order, n), n);
}

/* The row's entry of first_rows.h. */
static void
write_entry(RowCode *code)
{
	const Accumulator *acc = program_first_rows(code->program);
	const int16_t keys[] = {acc->arg, acc->arg2};

	text_append(code->text, "\trow->entry[0] = (uint64_t) r%d;\n", acc->place);
	for (int n = 0; n < acc_order_keys(acc); n++)
		write_order(code, acc, n, keys[n]);
}

/*
 * The key of a row: by direct addressing its slot, or one that is out of reach
 * if the value is out of the range; else packed, and with a tag if needed.
 */
static void
write_row_key(RowCode *code)
{
	const Program *program = code->program;
	Text	   *text = code->text;

	text_append(text, "\tfor (int i = 0; i < KEY_WORDS; i++)\n\t\trow->key[i] = 0;\n");
	if (program->nkeys > 0 && code->layout->table == TABLE_DIRECT)
	{
		int			reg = program_keys(program)[0];

		text_append(text, "\trow->error |= row->passes && e%d;\n"
					"\trow->key[0] = n%d ? 0 : direct_key(args, (int64_t) r%d);\n",
					reg, reg, reg);
		return;
	}
	for (int i = 0; i < program->nkeys; i++)
	{
		int			reg = program_keys(program)[i];

		text_append(text, "\trow->error |= row->passes && e%d;\n", reg);
		codegen_pack_key(code->layout, i, reg, "row->key", text);
		if (value_is_float((ValueType) code->layout->keys[i].type))
			text_append(text, "\tif (!n%d && r%d == 0)\n"
						"\t\tzero_seen(args, index, f64_bits((double) r%d) != 0);\n",
						reg, reg, reg);
	}
	if (code->layout->key_words > 1)
		text_append(text, "\tkey_make_tag(args->batch.bytes, row->key);\n");
}

/* The registers that a part needs. */
static void
write_arguments(RowCode *code, const DeviceWord *word)
{
	write_register(code, word->filter);
	write_register(code, word->arg);
	write_register(code, word->arg2);
}

/*
 * Does the row pass?  Left at once, if it does not.  Where rows that do not pass are computed,
 * whoever has them computed knows which of them are left out.
 */
static void
write_passes(RowCode *code)
{
	int			filter = code->program->filter;
	bool		leaves = rows_can_be_left(code->program, code->layout) && !code->flat;
	const char *leave = code->flat ? "" : "\tif (!row->passes)\n\t\treturn;\n";

	text_append(code->text, "\trow->error = false;\n\trow->passes = %s;\n%s",
				leaves ? "!raw->left" : "true", leaves ? leave : "");
	if (filter < 0)
		return;
	write_register(code, filter);
	text_append(code->text, "\trow->error = row->passes && e%d;\n"
				"\trow->passes = row->passes && !e%d && !n%d && r%d;\n%s", filter, filter,
				filter, filter, leave);
}

static void
write_eval(RowCode *code)
{
	const Program *program = code->program;
	const Accumulator *first = program_first_rows(program);

	text_append(code->text, "DEVICE_FN void\nrow_eval%s(const AggregateArgs *args, "
				"const Raw *raw, uint32_t index, Row *row)\n{\n"
				"\t(void) index;\n\trow->widen = false;\n",
				code->fixed ? "_fixed" : "");
	write_passes(code);
	for (int i = 0; i < program->nkeys; i++)
		write_register(code, program_keys(program)[i]);
	for (int i = 0; i < code->layout->nparts; i++)
		write_arguments(code, &code->layout->parts[i]);
	for (int i = 0; i < code->layout->nvalues; i++)
	{
		write_register(code, code->layout->values[i].filter);
		write_register(code, code->layout->values[i].arg);
	}
	for (int i = 0; i < code->layout->nlists; i++)
	{
		write_register(code, code->layout->lists[i].filter);
		write_register(code, code->layout->lists[i].arg);
	}
	if (first != NULL)
	{
		write_register(code, first->arg);
		write_register(code, first->arg2);
		write_register(code, first->place);
	}
	write_row_key(code);
	for (int i = 0; i < code->layout->nparts; i++)
		write_word(code, i);
	for (int i = 0; i < code->layout->nvalues; i++)
		write_value(code, i);
	for (int i = 0; i < code->layout->nlists; i++)
		write_list(code, i);
	if (first != NULL)
		write_entry(code);
	text_append(code->text, "}\n\n");
}

/* row_exponents: the largest exponents so far, and the row's. */
static void
write_exponents(RowCode *code)
{
	const KernelLayout *layout = code->layout;
	Text	   *text = code->text;
	int			filter = code->program->filter;

	text_append(text, "DEVICE_FN void\nrow_exponents(const AggregateArgs *args, "
				"const Raw *raw, uint32_t index, uint32_t *largest)\n{\n"
				"\tuint32_t exponent;\n\n\t(void) index;\n");
	if (rows_can_be_left(code->program, layout))
		text_append(text, "\tif (raw->left)\n\t\treturn;\n");
	if (filter >= 0)
	{
		write_register(code, filter);
		text_append(text, "\tif (e%d || n%d || !r%d)\n\t\treturn;\n", filter, filter, filter);
	}
	for (int i = 0; i < layout->nparts; i++)
	{
		const DeviceWord *word = &layout->parts[i];

		if (word->kind != WORD_EXACT)
			continue;
		write_arguments(code, word);
		text_append(text, "\t{\n");
		write_take(code, word, false);
		text_append(text, "\t\texponent = ");
		if (word->arg2 < 0)
			text_append(text, "exact_exponent((double) r%d);\n", word->arg);
		else
			text_append(text, "exact_product_exponent((double) r%d, (double) r%d);\n",
						word->arg, word->arg2);
		text_append(text, "\t\tif (take && exponent > largest[%d])\n"
					"\t\t\tlargest[%d] = exponent;\n\t}\n", word->sum, word->sum);
	}
	text_append(text, "}\n\n");
}

bool
codegen_rows_flat(const Program *program, const KernelLayout *layout)
{
	for (int i = 0; i < program->ncolumns; i++)
		if (program_columns(program)[i].type == VT_TEXT)
			return false;
	for (int i = 0; i < program->nkeys; i++)
		if (value_is_float((ValueType) layout->keys[i].type))
			return false;
	return layout->nvalues == 0 && layout->nlists == 0 && layout->nfirst == 0 &&
		program->ninsns <= ROWS_FLAT_INSNS;
}

void
codegen_row_fixed(const Program *program, const KernelLayout *layout, Text *text)
{
	RowCode		code = {.program = program,.layout = layout,.text = text,.fixed = true};
	bool		differs = program->filter >= 0 || rows_can_be_left(program, layout);

	code.flat = codegen_rows_flat(program, layout);
	for (int i = 0; i < layout->nparts; i++)
		differs = differs || layout->parts[i].outer >= 0;
	if (differs)
		write_eval(&code);
	else
		text_append(text, "#define row_eval_fixed row_eval\n\n");
}

void
codegen_row_register(const Program *program, const KernelLayout *layout, int reg, Text *text)
{
	RowCode		code = {.program = program,.layout = layout,.text = text};

	text_append(text, "DEVICE_FN %s\nrow_register_%d(const AggregateArgs *args, const Raw *raw, "
				"uint32_t index, bool *isnull)\n{\n\t(void) args, (void) index;\n",
				codegen_type((ValueType) program_insns(program)[reg].type), reg);
	write_register(&code, reg);
	text_append(text, "\t*isnull = n%d;\n\treturn r%d;\n}\n\n", reg, reg);
}

void
codegen_sampled_conditions(const Program *program, const KernelLayout *layout, Text *text)
{
	for (int i = 0; i < layout->candidates.n; i++)
		codegen_row_register(program, layout, layout->candidates.conditions[i], text);
	text_append(text, "DEVICE_FN uint32_t\nrow_conditions(const AggregateArgs *args, "
				"const Raw *raw, uint32_t index)\n{\n\tuint32_t conditions = 0;\n\tbool isnull;\n\n"
				"\t(void) args, (void) raw, (void) index, (void) isnull;\n");
	for (int i = 0; i < layout->candidates.n; i++)
	{
		int			reg = layout->candidates.conditions[i];

		text_append(text, "\tif (row_register_%d(args, raw, index, &isnull) && !isnull)\n"
					"\t\tconditions |= 1u << %d;\n", reg, i);
	}
	text_append(text, "\treturn conditions;\n}\n\n");
}

void
codegen_rows(const Program *program, const KernelLayout *layout, Text *text)
{
	RowCode		code;

	memset(&code, 0, sizeof(code));
	code.program = program;
	code.layout = layout;
	code.text = text;
	write_raw(program, layout, text);
	write_eval(&code);
	memset(code.written, 0, sizeof(code.written));
	if (layout_needs_exponents(program))
		write_exponents(&code);
}
