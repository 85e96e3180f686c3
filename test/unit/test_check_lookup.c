/*
 * test_check_lookup.c
 *	  Tables that somebody else has made: what no reader can go astray in is accepted, all else is
 *	  refused.
 */
#include <stdio.h>

#include "lookup_tables.h"
#include "program/check.h"
#include "program/check_lookup.h"
#include "tap.h"

#define NKEYS 5

static const char *const form_names[LOOKUP_FORMS] = {
	"bits", "array of bytes", "array of two bytes", "array of four bytes", "hash of 4",
	"hash of 8", "texts"
};

/* A table of a form; of bits all numbers are 1. */
static Bytes
make_table(LookupForm form)
{
	static const int64_t keys[NKEYS] = {-3, 1, 2, 9, 20};
	static const Bytes texts[NKEYS] = {{"", 0}, {"a", 1}, {"bc", 2}, {"def", 3}, {"a", 1}};
	static const uint32_t rows[NKEYS] = {0, 2, 1, 2, 0};
	static const uint32_t zeros[NKEYS];

	if (form == LOOKUP_TEXTS)
		return table_of_texts(texts, rows, NKEYS - 1, 3);
	return table_of_integers(form, keys, form == LOOKUP_BITS ? zeros : rows, NKEYS,
							 form == LOOKUP_BITS ? 1 : 3);
}

static OpCode
op_of(LookupForm form)
{
	return form == LOOKUP_TEXTS ? OP_text_lookup : OP_int8_lookup;
}

static LookupHeader *
header_of(Bytes table)
{
	return (LookupHeader *) table.data;
}

/* Is the table refused with one of its numbers, of that size, changed?  It is then as before. */
static bool
refused_with(Bytes table, OpCode op, void *number, size_t size, int64_t value)
{
	char		before[8];
	bool		good;

	memcpy(before, number, size);
	memcpy(number, &value, size);
	good = lookup_is_good(op, table);
	memcpy(number, before, size);
	return !good;
}

#define REFUSED(member, value) \
	refused_with(table, op, &(member), sizeof(member), (int64_t) (value))

static void
check_header(LookupForm form)
{
	Bytes		table = make_table(form);
	OpCode		op = op_of(form);
	LookupHeader *header = header_of(table);
	Bytes		shorter = {table.data, table.len - 1};
	Bytes		none = {table.data, sizeof(LookupHeader) - 1};

	ok(lookup_is_good(op, table), "%s: accepted", form_names[form]);
	ok(!lookup_is_good(op == OP_int8_lookup ? OP_text_lookup : OP_int8_lookup, table) &&
	   !lookup_is_good(OP_row_int4, table), "%s: not for another operation", form_names[form]);
	ok(!lookup_is_good(op, shorter) && !lookup_is_good(op, none) &&
	   !lookup_is_good(op, (Bytes) {NULL, 0}), "%s: bytes that end early", form_names[form]);
	ok(REFUSED(header->form, LOOKUP_FORMS) && REFUSED(header->form, UINT32_MAX) &&
	   REFUSED(header->form, form == LOOKUP_TEXTS ? LOOKUP_HASH8 : LOOKUP_TEXTS),
	   "%s: no such form", form_names[form]);
	ok(REFUSED(header->nrows, 0) && REFUSED(header->nrows, (uint32_t) INT32_MAX + 1) &&
	   (form == LOOKUP_BITS || REFUSED(header->nrows, 2)), "%s: numbers beyond the rows",
	   form_names[form]);
	ok(REFUSED(header->nentries, header->nentries + 1) &&
	   REFUSED(header->nentries, header->nentries - 1) && REFUSED(header->nentries, UINT64_MAX) &&
	   REFUSED(header->nentries, 2 * header->nentries) &&
	   (form < LOOKUP_HASH4 || REFUSED(header->nentries, 0)), "%s: another number of entries",
	   form_names[form]);
	free((void *) table.data);
}

/* Of arrays the range says how many entries there are, of hash tables which keys there can be. */
static void
check_range(LookupForm form)
{
	Bytes		table = make_table(form);
	OpCode		op = op_of(form);
	LookupHeader *header = header_of(table);

	ok(REFUSED(header->most, header->most - 1) && REFUSED(header->least, header->least + 1) &&
	   (form >= LOOKUP_HASH4 ||
		(REFUSED(header->most, header->most + 1) && REFUSED(header->least, header->least - 1))),
	   "%s: another range", form_names[form]);
	free((void *) table.data);
}

static void
check_hash(LookupForm form)
{
	Bytes		table = make_table(form);
	OpCode		op = op_of(form);
	LookupHeader *header = header_of(table);
	char	   *entries = (char *) table.data + sizeof(LookupHeader);
	size_t		size = table_entry_size(form);
	uint32_t	number = 1;
	Bytes		full;

	ok(REFUSED(header->shift, header->shift + 1) && REFUSED(header->shift, header->shift - 1) &&
	   REFUSED(header->shift, 0) && REFUSED(header->shift, 64) &&
	   REFUSED(header->shift, header->shift + 64), "%s: another shift", form_names[form]);
	/* a number in each entry */
	full = (Bytes) {table_memory(table.len), table.len};
	memcpy((char *) full.data, table.data, table.len);
	entries = (char *) full.data + sizeof(LookupHeader);
	for (uint64_t i = 0; i < header->nentries; i++)
		memcpy(entries + i * size + (form == LOOKUP_HASH4 ? 0 : form == LOOKUP_HASH8 ? 8 : 12),
			   &number, sizeof(number));
	if (form == LOOKUP_HASH8)
		header_of(full)->least = INT64_MIN, header_of(full)->most = INT64_MAX;
	ok(!lookup_is_good(op, full), "%s: no empty entry", form_names[form]);
	memset(entries, 0, size);
	ok(lookup_is_good(op, full), "%s: an empty one", form_names[form]);
	free((void *) full.data);
	free((void *) table.data);
}

static void
check_text_places(void)
{
	Bytes		table = make_table(LOOKUP_TEXTS);
	OpCode		op = OP_text_lookup;
	LookupText *entry = (LookupText *) (table.data + sizeof(LookupHeader));

	while (entry->number == 0 || entry->length == 0)
		entry++;
	ok(REFUSED(entry->start, table.len) && REFUSED(entry->start, UINT32_MAX) &&
	   REFUSED(entry->length, table.len - entry->start + 1) && REFUSED(entry->length, UINT32_MAX) &&
	   !REFUSED(entry->length, table.len - entry->start), "texts outside of the table");
	free((void *) table.data);
}

/* Without keys. */
static void
check_empty(LookupForm form)
{
	Bytes		table = form == LOOKUP_TEXTS ? table_of_texts(NULL, NULL, 0, 0) :
		table_of_integers(form, NULL, NULL, 0, 0);

	ok(lookup_is_good(op_of(form), table), "%s: without keys", form_names[form]);
	if (form < LOOKUP_HASH4)
		ok(refused_with(table, op_of(form), &header_of(table)->nentries, 8, 8),
		   "%s: without keys, entries that are not there", form_names[form]);
	free((void *) table.data);
}

/* Values of 11 rows, the widest that there are. */
static void
check_values(OpCode op, uint32_t width)
{
	static const Wide numbers[11];
	static const Bytes texts[11] = {{"abc", 3}, {"d", 1}};
	static const uint8_t present[11] = {1, 0, 1, 1};
	Bytes		table = op == OP_row_text ? table_of_row_texts(texts, present, 11) :
		table_of_values(width, numbers, present, 11);
	LookupValues *values = (LookupValues *) table.data;
	uint64_t	bitmap = values->present;

	ok(lookup_is_good(op, table), "%s of %u bytes: accepted", op_name(op), width);
	ok(!lookup_is_good(OP_int8_lookup, table), "%s: no keys", op_name(op));
	ok(REFUSED(values->nrows, (uint32_t) INT32_MAX + 1) && REFUSED(values->nrows, UINT32_MAX) &&
	   REFUSED(values->nrows, 1000), "%s: more rows", op_name(op));
	ok(op == OP_row_has || (REFUSED(values->width, 0) && REFUSED(values->width, 3) &&
							REFUSED(values->width, width == 8 ? 4 : 8) &&
							REFUSED(values->width, width + 256)), "%s: another width", op_name(op));
	ok(REFUSED(values->present, table.len) && REFUSED(values->present, UINT64_MAX) &&
	   REFUSED(values->present, 1) && REFUSED(values->present, table.len - 1) &&
	   !REFUSED(values->present, 0), "%s: a bitmap outside", op_name(op));
	if (op != OP_row_has)
	{
		values->present = 0;
		table.len = (uint32_t) bitmap;
		ok(lookup_is_good(op, table), "%s: no bitmap", op_name(op));
		table.len--;
		ok(!lookup_is_good(op, table), "%s: values that end early", op_name(op));
	}
	table.len = sizeof(LookupValues) - 1;
	ok(!lookup_is_good(op, table), "%s: no header", op_name(op));
	free((void *) table.data);
}

static void
check_row_places(void)
{
	static const Bytes texts[3] = {{"abc", 3}, {"d", 1}, {"", 0}};
	Bytes		table = table_of_row_texts(texts, NULL, 3);
	OpCode		op = OP_row_text;
	uint32_t   *places = (uint32_t *) (table.data + sizeof(LookupValues));

	ok(REFUSED(places[0], places[0] - 1) && REFUSED(places[0], places[1] + 1) &&
	   REFUSED(places[1], places[2] + 1) && REFUSED(places[3], table.len + 1) &&
	   REFUSED(places[2], UINT32_MAX) && REFUSED(places[3], 0), "texts' places");
	free((void *) table.data);
}

static void
check_codes(void)
{
	static const uint32_t codes[2] = {7, INT32_MAX};
	Bytes		table = table_of_values(4, codes, NULL, 2);
	OpCode		op = OP_row_code;

	ok(lookup_is_good(op, table) &&
	   refused_with(table, op, (char *) table.data + sizeof(LookupValues), 4,
					(int64_t) INT32_MAX + 1), "codes beyond all numbers");
	free((void *) table.data);
}

/*----------
 * Programs
 *----------
 */
static ParamValue params[5];

/* The number of a row that a column finds, a value and a text of that row, and another text. */
static Program *
make_program(void)
{
	ProgramBuilder *b = malloc(sizeof(*b));
	Program    *program;
	int			row;
	int			text;

	program_begin(b, SOURCE_COLUMNS);
	row = program_add_op(b, OP_int8_lookup, program_add_column(b, 1, VT_INT8, true, -1),
						 program_add_table_ref(b, program_add_param(b, VT_TEXT)));
	program_add_acc(b, ACC_SUM_INT,
					program_add_op(b, OP_row_int4, row,
								   program_add_table_ref(b, program_add_param(b, VT_TEXT))), -1);
	text = program_add_param_ref(b, program_add_param(b, VT_TEXT));
	program_add_key(b, program_add_op(b, OP_row_text, row, text));
	program_add_acc(b, ACC_COUNT, -1, program_add_op(b, OP_row_has, row, text));
	text = program_add_column(b, 2, VT_TEXT, true, program_add_param(b, VT_TEXT));
	program_add_acc(b, ACC_MAX_TEXT, text,
					program_add_op(b, OP_text_eq, text,
								   program_add_param_ref(b, program_add_param(b, VT_TEXT))));
	program = malloc(program_size(b));
	program_finish(b, program);
	free(b);
	return program;
}

static bool
is_good(const Program *program)
{
	char		why[256];

	return program_check(program, program->size, params, program->nparams, why, sizeof(why));
}

/* The first instruction of an operation, of those for which `special` is that. */
static Insn *
find_insn(Program *program, OpCode op, bool special)
{
	Insn	   *insn = (Insn *) program_insns(program);

	while (insn->op != op || (insn->special != 0) != special)
		insn++;
	return insn;
}

static int16_t
number_of(const Program *program, const Insn *insn)
{
	return (int16_t) (insn - program_insns(program));
}

/* Tables where none may be, and none where one must be. */
static void
check_uses(void)
{
	Program    *program = make_program();
	Insn	   *lookup = find_insn(program, OP_int8_lookup, false);
	Insn	   *text = find_insn(program, OP_row_text, false);
	Insn	   *value = find_insn(program, OP_row_int4, false);
	Insn	   *table = find_insn(program, OP_param, true);
	Insn	   *plain = find_insn(program, OP_param, false);
	Insn	   *equal = find_insn(program, OP_text_eq, false);
	int16_t		before;

	ok(is_good(program), "a program with look-ups");
	before = lookup->arg[1];
	lookup->arg[1] = number_of(program, plain);
	ok(!is_good(program), "keys in a parameter that is no table");
	lookup->arg[1] = value->arg[1];
	ok(!is_good(program), "values where keys are wanted");
	lookup->arg[1] = before;
	before = value->arg[1];
	value->arg[1] = lookup->arg[1];
	ok(!is_good(program), "keys where values are wanted");
	value->arg[1] = before;
	before = text->arg[1];
	text->arg[1] = value->arg[1];
	ok(!is_good(program), "texts in a table");
	text->arg[1] = before;
	((int16_t *) program_keys(program))[0] = number_of(program, table);
	ok(!is_good(program), "a table as a key");
	((int16_t *) program_keys(program))[0] = number_of(program, text);
	before = program_accs(program)[2].arg;
	((Accumulator *) program_accs(program))[2].arg = number_of(program, table);
	ok(!is_good(program), "a table that is aggregated");
	((Accumulator *) program_accs(program))[2].arg = before;
	((Column *) program_columns(program))[1].missing = table->index;
	ok(!is_good(program), "a table that is a column's missing value");
	((Column *) program_columns(program))[1].missing = -1;
	before = equal->arg[1];
	equal->arg[1] = number_of(program, table);
	ok(!is_good(program), "a table that is compared");
	equal->arg[1] = before;
	ok(is_good(program), "the program as it was");
	((Insn *) program_insns(program))[before].index = table->index;
	ok(!is_good(program), "a parameter that is both");
	free(program);
}

/* Texts of rows are not in a table, but must be there. */
static void
check_params(void)
{
	Program    *program = make_program();

	params[0].isnull = true;
	ok(!is_good(program), "a table that is NULL");
	params[0].isnull = false;
	params[2].isnull = true;
	ok(!is_good(program), "texts of rows that are NULL");
	params[2].isnull = false;
	params[2].bytes.len--;
	ok(!is_good(program), "texts of rows that end early");
	params[2].bytes.len++;
	params[0].bytes.len--;
	ok(!is_good(program), "keys that end early");
	params[0].bytes.len++;
	ok(program_tables_size(program, params) == params[0].bytes.len + params[1].bytes.len,
	   "the size of its tables");
	free(program);
}

static void
check_programs(void)
{
	static const int32_t numbers[3] = {4, 5, 6};
	static const Bytes texts[3] = {{"abc", 3}, {"d", 1}, {"", 0}};

	params[0] = (ParamValue) {.type = VT_TEXT,.bytes = make_table(LOOKUP_HASH4)};
	params[1] = (ParamValue) {.type = VT_TEXT,.bytes = table_of_values(4, numbers, NULL, 3)};
	params[2] = (ParamValue) {.type = VT_TEXT,.bytes = table_of_row_texts(texts, NULL, 3)};
	params[3] = (ParamValue) {.type = VT_TEXT,.bytes = {"missing", 7}};
	params[4] = params[3];
	check_uses();
	check_params();
	for (int i = 0; i < 3; i++)
		free((void *) params[i].bytes.data);
}

int
main(void)
{
	static const struct
	{
		OpCode		op;
		uint32_t	width;
	}			ops[] = {
		{OP_row_has, 4}, {OP_row_code, 1}, {OP_row_code, 2}, {OP_row_code, 4}, {OP_row_bool, 1},
		{OP_row_char, 1}, {OP_row_int2, 2}, {OP_row_int4, 4}, {OP_row_int8, 8}, {OP_row_float4, 4},
		{OP_row_float8, 8}, {OP_row_uuid, 16}, {OP_row_macaddr, 8}, {OP_row_wide, 16},
		{OP_row_interval, 16}, {OP_row_text, 4}
	};

	for (int form = 0; form < LOOKUP_FORMS; form++)
	{
		check_header((LookupForm) form);
		if (form != LOOKUP_TEXTS)
			check_range((LookupForm) form);
		if (form >= LOOKUP_HASH4)
			check_hash((LookupForm) form);
		check_empty((LookupForm) form);
	}
	check_text_places();
	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++)
		check_values(ops[i].op, ops[i].width);
	check_row_places();
	check_codes();
	check_programs();
	return done_testing();
}
