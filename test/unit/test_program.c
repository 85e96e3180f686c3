/*
 * test_program.c
 *	  Building, finishing, hashing and printing Programs.
 */
#include <stdlib.h>

#include "program/program.h"
#include "tap.h"

/*
 * SELECT count(*), sum((a + b)::int8), sum(c) FILTER (WHERE a < b) ...
 * WHERE a = parameter AND b IS NOT NULL GROUP BY a, over a int4 not null, b int4,
 * c float8.
 */
static void
build_sample(ProgramBuilder *b, int filter_op)
{
	int			ra,
				rb,
				rc,
				param,
				equal,
				known,
				sum,
				less,
				count;

	program_begin(b, SOURCE_PAGES);
	program_add_attr(b, 4, 4);
	program_add_attr(b, -1, 4);
	program_add_attr(b, 4, 4);
	program_add_attr(b, 8, 8);
	param = program_add_param(b, VT_INT4);
	ra = program_add_column(b, 1, VT_INT4, false, -1);
	rb = program_add_column(b, 3, VT_INT4, true, -1);
	rc = program_add_column(b, 4, VT_FLOAT8, true, program_add_param(b, VT_FLOAT8));
	equal = program_add_op(b, filter_op, ra, program_add_param_ref(b, param));
	known = program_add_op(b, OP_isnotnull, rb, -1);
	program_set_filter(b, program_add_op(b, OP_and, equal, known));
	program_add_key(b, ra);
	count = program_add_acc(b, ACC_COUNT, -1, -1);
	program_add_agg(b, FINAL_COUNT, count, count);
	sum = program_add_op(b, OP_int4_to_int8, program_add_op(b, OP_int4_add, ra, rb), -1);
	sum = program_add_acc(b, ACC_SUM_INT128, sum, -1);
	program_add_agg(b, FINAL_SUM_NUMERIC, sum, count);
	less = program_add_op(b, OP_int4_lt, ra, rb);
	count = program_add_acc(b, ACC_COUNT, rc, less);
	sum = program_add_acc(b, ACC_SUM_FLOAT, rc, less);
	program_add_agg(b, FINAL_SUM_FLOAT8, sum, count);
}

static Program *
finish(const ProgramBuilder *b)
{
	Program    *p = malloc(program_size(b));

	program_finish(b, p);
	return p;
}

static void
test_facts(void)
{
	ok(value_type_size(VT_BOOL) == 1 && value_type_size(VT_UUID) == 16 &&
	   value_type_size(VT_TEXT) == 0, "sizes of types");
	ok(strcmp(value_type_name(VT_FLOAT4), "float4") == 0, "name of a type");
	ok(strcmp(op_name(OP_int4_add), "int4_add") == 0, "name of an operation");
	ok(op_nargs(OP_column) == 0 && op_nargs(OP_isnull) == 1 &&
	   op_nargs(OP_bool_not) == 1 && op_nargs(OP_and) == 2 &&
	   op_nargs(OP_text_eq) == 2 && op_nargs(OP_select) == 3, "numbers of operands");
	ok(op_result(OP_date_lt_timestamp) == VT_BOOL &&
	   op_arg(OP_date_lt_timestamp, 0) == VT_INT4 &&
	   op_arg(OP_date_lt_timestamp, 1) == VT_INT8, "types of an operation");
	ok(op_checked(OP_int4_add) && !op_checked(OP_int4_eq), "checked operations");
	ok(strcmp(acc_name(ACC_MAX_FLOAT), "max_float") == 0, "name of an accumulator");
	for (int op = 0; op < OP_COUNT; op++)
		if (op_name((OpCode) op) == NULL)
			ok(false, "operation %d has facts", op);
}

static void
test_builder(ProgramBuilder *b)
{
	int			a,
				c,
				param,
				sum,
				quotient;

	program_begin(b, SOURCE_COLUMNS);
	a = program_add_column(b, 1, VT_INT4, false, -1);
	c = program_add_column(b, 2, VT_INT4, true, -1);
	ok(program_add_column(b, 1, VT_INT4, false, -1) == a, "an equal column is found");
	ok(a != c && b->head.ncolumns == 2, "another column is added");
	param = program_add_param(b, VT_INT4);
	ok(program_add_param_ref(b, param) == program_add_param_ref(b, param), "an equal parameter's register is found");
	ok(b->insns[program_add_param_ref(b, param)].nullable, "a parameter can be NULL");
	ok(b->insns[program_add_param_ref(b, param)].type == VT_INT4, "a parameter's register has its type");

	sum = program_add_op(b, OP_int4_add, a, c);
	ok(program_add_op(b, OP_int4_add, a, c) == sum, "an equal operation is found");
	ok(program_add_op(b, OP_int4_add, c, a) != sum, "operands in another order are another operation");
	ok(b->insns[sum].nullable && b->insns[sum].fallible, "a checked operation over a nullable operand");
	quotient = program_add_op(b, OP_int4_eq, a, a);
	ok(!b->insns[quotient].nullable && !b->insns[quotient].fallible, "an operation that cannot fail");
	quotient = program_add_op(b, OP_isnull, sum, -1);
	ok(!b->insns[quotient].nullable && b->insns[quotient].fallible, "IS NULL of what can fail");
	quotient = program_add_op(b, OP_and, quotient, program_add_op(b, OP_int4_eq, a, c));
	ok(b->insns[quotient].nullable && b->insns[quotient].fallible && b->insns[quotient].type == VT_BOOL,
	   "AND of both");

	quotient = program_add_op(b, OP_isnull, c, -1);
	quotient = program_add_select(b, quotient, a, a);
	ok(!b->insns[quotient].nullable && !b->insns[quotient].fallible &&
	   b->insns[quotient].type == VT_INT4, "a selection has its sides' type");
	quotient = program_add_select(b, program_add_op(b, OP_isnull, c, -1), a, sum);
	ok(b->insns[quotient].nullable && b->insns[quotient].fallible,
	   "a selection can be what a side can be");
	quotient = program_add_op(b, OP_int4_eq, program_add_op(b, OP_int4_div, a, a), a);
	ok(b->insns[program_add_select(b, quotient, a, a)].fallible,
	   "a selection's condition can fail");
}

static void
test_accumulators(ProgramBuilder *b)
{
	int			wide,
				count;

	program_begin(b, SOURCE_COLUMNS);
	program_add_column(b, 1, VT_INT8, true, -1);
	wide = program_add_acc(b, ACC_SUM_INT128, 0, -1);
	count = program_add_acc(b, ACC_COUNT, -1, -1);
	ok(b->accs[wide].word == 0 && b->accs[wide].nwords == 2 &&
	   b->accs[count].word == 2 && b->head.nwords == 3, "words are given in order");
	ok(program_add_acc(b, ACC_SUM_INT128, 0, -1) == wide &&
	   program_add_acc(b, ACC_COUNT, -1, -1) == count && b->head.nwords == 3,
	   "equal accumulators are found");
	ok(program_add_acc(b, ACC_COUNT, 0, -1) != count &&
	   program_add_acc(b, ACC_COUNT, -1, 0) != count, "other argument or filter, other accumulator");
}

static void
test_overflow(ProgramBuilder *b)
{
	program_begin(b, SOURCE_COLUMNS);
	for (int i = 0; i < PROGRAM_MAX_COLUMNS; i++)
		program_add_column(b, i + 1, VT_INT4, true, -1);
	ok(program_size(b) > 0, "as many columns as there can be");
	ok(program_add_column(b, 1, VT_INT4, true, -1) == 0, "a full builder still finds equal parts");
	ok(program_add_column(b, PROGRAM_MAX_COLUMNS + 1, VT_INT4, true, -1) == -1, "one column too many");
	ok(program_size(b) == 0, "an overflowed builder has no size");
	ok(program_add_key(b, 0) == -1 && program_add_param(b, VT_BOOL) == -1 &&
	   program_add_op(b, OP_int4_add, 0, -1) == -1 &&
	   program_add_acc(b, ACC_COUNT, -1, -1) == -1, "overflow sticks");

	program_begin(b, SOURCE_COLUMNS);
	ok(program_size(b) == sizeof(Program), "a builder begins anew");
	program_add_column(b, 1, VT_INT4, true, -1);
	for (int i = 0; i < PROGRAM_MAX_KEYS; i++)
		program_add_key(b, 0);
	ok(program_size(b) > 0, "as many keys as there can be");
	program_add_key(b, 0);
	ok(program_size(b) == 0, "one key too many");

	program_begin(b, SOURCE_COLUMNS);
	program_add_column(b, 1, VT_INT4, true, -1);
	for (int i = 1; i < PROGRAM_MAX_INSNS; i++)
		program_add_op(b, OP_int4_neg, i - 1, -1);
	ok(b->head.ninsns == PROGRAM_MAX_INSNS && program_size(b) > 0, "as many instructions as there can be");
	program_add_op(b, OP_int4_neg, PROGRAM_MAX_INSNS - 1, -1);
	ok(program_size(b) == 0, "one instruction too many");
}

static void
test_flat(ProgramBuilder *b)
{
	Program    *p;
	Program    *again;
	Program    *other;

	build_sample(b, OP_int4_eq);
	p = finish(b);
	ok(p->size == program_size(b), "the flat size");
	ok(memcmp(program_attrs(p), b->attrs, p->nattrs * sizeof(Attribute)) == 0 &&
	   memcmp(program_columns(p), b->columns, p->ncolumns * sizeof(Column)) == 0 &&
	   memcmp(program_insns(p), b->insns, p->ninsns * sizeof(Insn)) == 0 &&
	   memcmp(program_accs(p), b->accs, p->naccs * sizeof(Accumulator)) == 0 &&
	   memcmp(program_aggs(p), b->aggs, p->naggs * sizeof(Aggregate)) == 0 &&
	   memcmp(program_keys(p), b->keys, p->nkeys * sizeof(int16_t)) == 0,
	   "all parts are where the program says");
	ok(program_key_type(p, 0) == VT_INT4, "a key's type");

	/* what was in the builder before must not show */
	memset(b, 0xa5, sizeof(*b));
	build_sample(b, OP_int4_eq);
	again = finish(b);
	ok(p->size == again->size && memcmp(p, again, p->size) == 0,
	   "equal programs are equal bytes");
	build_sample(b, OP_int4_ne);
	other = finish(b);
	ok(p->size != other->size || memcmp(p, other, p->size) != 0, "another operation, other bytes");
	free(p);
	free(again);
	free(other);
}

static void
test_printing(ProgramBuilder *b)
{
	static const char *const expected[] = {
		"r0 = column 0 (attribute 1, int4, not null)",
		"r1 = column 1 (attribute 3, int4)",
		"r2 = column 2 (attribute 4, float8, missing: param 1)",
		"r3 = param 0 (int4)",
		"r4 = int4_eq r0, r3",
		"r5 = isnotnull r1",
		"r6 = and r4, r5",
		"r7 = int4_add r0, r1",
		"r8 = int4_to_int8 r7",
		"r9 = int4_lt r0, r1",
		"filter r6",
		"key r0",
		"count -> word 0",
		"sum_int128 r8 -> words 1 to 2",
		"count r2 -> word 3 filter r9",
		"sum_float r2 -> words 4 to 6 filter r9",
		"result count of word 0",
		"result sum_numeric of word 1, counted by word 0",
		"result sum_float8 of word 4, counted by word 3",
	};
	int			nlines = sizeof(expected) / sizeof(expected[0]);
	Program    *p;
	char		line[128];

	build_sample(b, OP_int4_eq);
	p = finish(b);
	for (int i = 0; i < nlines; i++)
	{
		bool		there = program_print_line(p, i, line, sizeof(line));

		ok(there && strcmp(line, expected[i]) == 0, "line: %s", expected[i]);
		if (strcmp(line, expected[i]) != 0)
			printf("# got: %s\n", line);
	}
	ok(!program_print_line(p, nlines, line, sizeof(line)), "no more lines");
	ok(program_print_line(p, 0, line, 8) && strcmp(line, "r0 = co") == 0, "a short buffer cuts a line");
	free(p);
}

int
main(void)
{
	ProgramBuilder *b = malloc(sizeof(ProgramBuilder));

	test_facts();
	test_builder(b);
	test_accumulators(b);
	test_overflow(b);
	test_flat(b);
	test_printing(b);
	free(b);
	return done_testing();
}
