/*
 * check.c
 *	  Is a Program that somebody else has made one that an engine can run?
 *
 * A Program of one's own making is right by construction (program.c).  One that came
 * from another process is compared with what the builder would have made: sizes
 * first, then part after part, each of which refers to parts that have been checked.
 * What a Program computes is not looked at, only that computing it is safe.
 *
 * Some parameters are read as structures: sets of values (ops_set.h), whose counts and
 * places are checked here, and tables (check_lookup.c).  Of a table of which only the digest
 * and the length have come, the bytes are checked once they are there.
 *
 * Owns no memory.  Plain C without postgres.h.
 */
#include "check.h"

#include <stdio.h>

#include "check_lookup.h"
#include "first_rows.h"
#include "ops_set.h"
#include "row_list.h"

/* What is checked, and where the first fault is told. */
typedef struct Check
{
	const Program *program;
	const ParamValue *params;
	char	   *why;
	size_t		len;
	bool		tables[PROGRAM_MAX_PARAMS];	/* parameters that are tables */
} Check;

static bool
fault(const Check *check, const char *what, int index)
{
	snprintf(check->why, check->len, "the program's %s %d is not valid", what, index);
	return false;
}

/* Is the register there, before `end`, a value, and of a type in that range? */
static bool
is_register(const Check *check, int reg, int end, ValueType first, ValueType last)
{
	const Insn *insn;

	if (reg < 0 || reg >= end)
		return false;
	insn = &program_insns(check->program)[reg];
	return insn->type >= first && insn->type <= last && !insn_is_table(insn);
}

static bool
is_register_or_none(const Check *check, int reg, ValueType type)
{
	return reg == -1 || is_register(check, reg, check->program->ninsns, type, type);
}

/* Note which parameters are tables; the instructions are there, and not checked yet. */
static void
find_tables(Check *check)
{
	for (int i = 0; i < check->program->ninsns; i++)
	{
		const Insn *insn = &program_insns(check->program)[i];

		if (insn_is_table(insn) && insn->index >= 0 && insn->index < check->program->nparams)
			check->tables[insn->index] = true;
	}
}

/* The bytes that a Program with these counts has. */
static size_t
size_of_counts(const Program *p)
{
	return sizeof(Program) +
		p->nattrs * sizeof(Attribute) + p->ncolumns * sizeof(Column) +
		p->ninsns * sizeof(Insn) + p->naccs * sizeof(Accumulator) +
		p->naggs * sizeof(Aggregate) + p->nkeys * (sizeof(int16_t) + sizeof(int8_t));
}

static bool
head_is_good(const Program *p, size_t size, size_t nparams)
{
	return p->size == size && p->source <= SOURCE_COLUMNS && p->level <= EXACT_FULL &&
		p->nattrs <= PROGRAM_MAX_ATTRS && p->ncolumns <= PROGRAM_MAX_COLUMNS &&
		p->ninsns <= PROGRAM_MAX_INSNS && p->nparams <= PROGRAM_MAX_PARAMS &&
		p->nkeys <= PROGRAM_MAX_KEYS && p->naccs <= PROGRAM_MAX_ACCS &&
		p->naggs <= PROGRAM_MAX_AGGS && p->nparams == nparams && p->specials <= 1 &&
		p->hides_rows <= 1 &&
		size_of_counts(p) == size;
}

static bool
attribute_is_good(const Attribute *attr)
{
	return (attr->len > 0 || attr->len == -1) &&
		(attr->align == 1 || attr->align == 2 || attr->align == 4 || attr->align == 8);
}

/* A stored numeric's column: of the type that its part has. */
static bool
numeric_column_is_good(const Column *column)
{
	switch (NUMERIC_PART(column->numeric))
	{
		case NUMERIC_EXACT:
		case NUMERIC_UNITS:
			return column->type == VT_INT8 || column->type == VT_WIDE;
		case NUMERIC_SHOWN:
			return column->type == VT_INT4;
		default:
			return false;
	}
}

/* Can a tuple's attribute be read into it? */
static bool
column_fits_attribute(const Check *check, const Column *column)
{
	const Attribute *attr;

	if (column->attno == COLUMN_PLACE)
		return column->type == VT_INT8 && !column->nullable && !column->presence &&
			column->numeric == NUMERIC_NONE && column->missing == -1;
	if (column->attno < 1 || column->attno > check->program->nattrs)
		return false;
	attr = &program_attrs(check->program)[column->attno - 1];
	if (column->presence)
		return true;
	if (column->type == VT_TEXT || column->numeric != NUMERIC_NONE)
		return attr->len == -1;
	return attr->len == value_type_stored((ValueType) column->type);
}

static bool
column_is_good(const Check *check, const Column *column)
{
	if (column->type >= VT_COUNT || column->nullable > 1 || column->presence > 1 ||
		column->coded != 0 || column->missing < -1 || column->missing >= check->program->nparams)
		return false;
	if (column->numeric != NUMERIC_NONE && !numeric_column_is_good(column))
		return false;
	if (column->presence && (column->type != VT_BOOL || column->numeric != NUMERIC_NONE))
		return false;
	if (column->missing >= 0 && (check->params[column->missing].type != column->type ||
								 check->tables[column->missing]))
		return false;
	return check->program->source != SOURCE_PAGES || column_fits_attribute(check, column);
}

/* Is it a table of which only the digest and the length are here, so far? */
static bool
is_absent(const ParamValue *param)
{
	return param->bytes.data == NULL && param->bytes.len > 0;
}

static bool
param_is_good(const ParamValue *param)
{
	ValueType	type = (ValueType) param->type;

	if (param->type >= VT_COUNT || value_class(type) == CLASS_WIDE)
		return false;
	if (param->isnull)
		return value_class(type) == CLASS_TEXT || param->bytes.len == 0;
	switch (value_class(type))
	{
		case CLASS_TEXT:
			return true;
		case CLASS_BYTES:
			return param->bytes.len == (uint32_t) value_type_size(type);
		default:
			return param->bytes.len == 0;
	}
}

static bool
integer_set_is_good(Bytes set)
{
	uint64_t	size = sizeof(SetHeader) + (uint64_t) set_header(set).nvalues * sizeof(int64_t);

	return set.len < sizeof(SetHeader) || size <= set.len;
}

/* Places in order, the first one behind the last place, the last one inside. */
static bool
text_set_is_good(Bytes set)
{
	uint64_t	n = set_header(set).nvalues;
	uint64_t	begin = sizeof(SetHeader) + (n + 1) * sizeof(uint32_t);
	const uint32_t *places;

	if (n == 0)
		return true;
	if (begin > set.len)
		return false;
	places = (const uint32_t *) (set.data + sizeof(SetHeader));
	if (places[0] < begin)
		return false;
	for (uint64_t i = 0; i < n; i++)
		if (places[i] > places[i + 1])
			return false;
	return places[n] <= set.len;
}

/* The operand that an operation reads as a set of values; -1: there is none. */
static int
set_operand(OpCode op)
{
	switch (op)
	{
		case OP_int8_in:
		case OP_text_in:
			return 1;
		case OP_set_has_null:
		case OP_set_has_element:
			return 0;
		default:
			return -1;
	}
}

/* A set comes from a parameter, and is what the operation takes it for. */
static bool
set_is_good(const Check *check, const Insn *insn)
{
	int			operand = set_operand((OpCode) insn->op);
	const Insn *from;
	Bytes		set;

	if (operand < 0)
		return true;
	from = &program_insns(check->program)[insn->arg[operand]];
	if (from->op != OP_param)
		return false;
	set = check->params[from->index].bytes;
	if (insn->op == OP_int8_in)
		return integer_set_is_good(set);
	return insn->op != OP_text_in || text_set_is_good(set);
}

/* Has an instruction before this one read the parameter in the same way? */
static bool
is_read_before(const Check *check, const Insn *insn, int param)
{
	const Insn *insns = program_insns(check->program);

	for (const Insn *before = insns; before < insn; before++)
		if (before->op == insn->op && insns[before->arg[1]].index == param)
			return true;
	return false;
}

/*
 * A table comes from a parameter, and is what the operation takes it for.  Texts come from a
 * parameter that is none, since their places are in the bytes that all texts are in; one can be
 * asked whether it has a value, too.
 */
static bool
table_is_good(const Check *check, const Insn *insn)
{
	const Insn *from;

	if (!op_reads_table((OpCode) insn->op))
		return true;
	from = &program_insns(check->program)[insn->arg[1]];
	if (from->op != OP_param || check->params[from->index].isnull ||
		(insn->op != OP_row_has && insn_is_table(from) != (insn->op != OP_row_text)))
		return false;
	return is_read_before(check, insn, from->index) || is_absent(&check->params[from->index]) ||
		lookup_is_good((OpCode) insn->op, check->params[from->index].bytes);
}

static bool
has_no_operands(const Insn *insn)
{
	return insn->arg[0] == -1 && insn->arg[1] == -1 && insn->arg[2] == -1;
}

static bool
column_ref_is_good(const Check *check, const Insn *insn)
{
	const Column *column;

	if (insn->index < 0 || insn->index >= check->program->ncolumns)
		return false;
	column = &program_columns(check->program)[insn->index];
	return has_no_operands(insn) && insn->type == column->type &&
		insn->nullable == column->nullable && !insn->fallible && !insn->special;
}

static bool
param_ref_is_good(const Check *check, const Insn *insn)
{
	const ParamValue *param;

	if (insn->index < 0 || insn->index >= check->program->nparams)
		return false;
	param = &check->params[insn->index];
	return has_no_operands(insn) && insn->type == param->type && !insn->fallible &&
		insn->nullable == !insn->special && !(insn->special && param->isnull) &&
		check->tables[insn->index] == insn_is_table(insn);
}

/* Is it a table where one is wanted? */
static bool
is_table_operand(const Check *check, const Insn *insn, int operand, int number)
{
	return operand == 1 && op_reads_table((OpCode) insn->op) && insn->arg[1] >= 0 &&
		insn->arg[1] < number && insn_is_table(&program_insns(check->program)[insn->arg[1]]);
}

/* Operands before the instruction, of the operation's types; none beyond them. */
static bool
operands_are_good(const Check *check, const Insn *insn, int number)
{
	int			nargs = op_nargs((OpCode) insn->op);

	for (int i = 0; i < 3; i++)
	{
		ValueType	type = i < nargs ? op_arg((OpCode) insn->op, i) : VT_COUNT;

		if (i >= nargs ? insn->arg[i] != -1 :
			!is_table_operand(check, insn, i, number) &&
			!is_register(check, insn->arg[i], number, type == VT_COUNT ? 0 : type,
						 type == VT_COUNT ? VT_COUNT - 1 : type))
			return false;
	}
	return insn->index == -1 && !insn->special;
}

/* The type that the instruction's result must have, and whether it can be NULL or fail. */
static bool
result_is_good(const Check *check, const Insn *insn)
{
	const Insn *insns = program_insns(check->program);
	bool		select = insn->op == OP_select;
	bool		nullable = false;
	bool		fallible = op_checked((OpCode) insn->op);

	for (int i = 0; i < op_nargs((OpCode) insn->op); i++)
	{
		/* a selection's condition that is NULL counts as false */
		nullable |= insns[insn->arg[i]].nullable && !(select && i == 0);
		fallible |= insns[insn->arg[i]].fallible;
	}
	if (insn->op == OP_isnull || insn->op == OP_isnotnull)
		nullable = false;
	if (select && insns[insn->arg[1]].type != insns[insn->arg[2]].type)
		return false;
	return insn->nullable == nullable && insn->fallible == fallible &&
		insn->type == (select ? insns[insn->arg[1]].type : op_result((OpCode) insn->op));
}

static bool
insn_is_good(const Check *check, const Insn *insn, int number)
{
	if (insn->op >= OP_COUNT || insn->special > 1)
		return false;
	if (insn->op == OP_column)
		return column_ref_is_good(check, insn);
	if (insn->op == OP_param)
		return param_ref_is_good(check, insn);
	return operands_are_good(check, insn, number) && result_is_good(check, insn) &&
		set_is_good(check, insn) && table_is_good(check, insn);
}

/* The types that an accumulator takes in. */
static void
acc_types(AccKind kind, ValueType *first, ValueType *last)
{
	switch (kind)
	{
#define ACC(name, shown, from, to, form, word) \
		case ACC_##name: \
			*first = VT_##from; \
			*last = VT_##to; \
			return;
#include "accs.def"
		case ACC_KINDS:
			break;
	}
	*first = *last = VT_COUNT;
}

/* Is what a percentile's fraction is, a parameter or an accumulator before it? */
static bool
fraction_is_there(const Check *check, const Accumulator *acc)
{
	const Accumulator *accs = program_accs(check->program);
	int			of_group = acc_of_fraction(acc);

	if (of_group >= 0)
		return of_group < acc - accs && accs[of_group].kind == ACC_MAX_FLOAT;
	return acc->param < check->program->nparams && check->params[acc->param].type == VT_FLOAT8;
}

/* What a statistic is read from: a list of values of its types, and of a percentile a fraction. */
static bool
read_acc_is_good(const Check *check, const Accumulator *acc, ValueType first, ValueType last)
{
	const Program *p = check->program;
	const Accumulator *values = &program_accs(p)[acc->values];

	if (acc->values < 0 || acc->values >= p->naccs || values->kind != ACC_VALUES ||
		!is_register(check, values->arg, p->ninsns, first, last))
		return false;
	if (acc_has_fraction((AccKind) acc->kind) ? !fraction_is_there(check, acc) : acc->param != 0)
		return false;
	return acc->arg == ACC_READ && acc->arg2 == -1 && acc->filter == -1 && acc->limit == 0 &&
		acc->descending <= 1;
}

/* Keys of an order, a place, and words for some whole entries. */
static bool
first_rows_are_good(const Check *check, const Accumulator *acc, ValueType first, ValueType last)
{
	const Program *p = check->program;
	int			nkeys = acc_order_keys(acc);
	int			n = acc_first_rows(acc);
	const int16_t keys[] = {acc->arg, acc->arg2};

	for (int i = 0; i < FIRST_ROWS_MAX_KEYS; i++)
		if (i < nkeys ? !is_register(check, keys[i], p->ninsns, first, last) : keys[i] != -1)
			return false;
	return n >= 1 && n <= FIRST_ROWS_MAX && acc->nwords == n * (nkeys + 1) &&
		acc->order >> (nkeys * ORDER_BITS) == 0 && acc->filter == -1 &&
		acc->limit == 0 && acc->values == 0 && acc->param == 0 && acc->descending == 0 &&
		is_register(check, acc->place, p->ninsns, VT_INT8, VT_INT8);
}

/* A list of rows, and behind it its columns. */
static bool
rows_are_good(const Check *check, const Accumulator *acc)
{
	const Program *p = check->program;
	int			number = (int) (acc - program_accs(p));

	if (acc->param < 0 || acc->param > ROW_MAX_COLUMNS || acc->param >= p->naccs - number)
		return false;
	for (int i = 1; i <= acc->param; i++)
		if (acc[i].kind != ACC_ROW_COLUMN || acc[i].values != number)
			return false;
	return acc->arg == -1 && acc->arg2 == -1 && acc->values == 0 && acc->limit == 0 &&
		acc->descending == 0 && is_register_or_none(check, acc->filter, VT_BOOL);
}

static bool
row_column_is_good(const Check *check, const Accumulator *acc, ValueType first, ValueType last)
{
	const Program *p = check->program;
	const Accumulator *rows = &program_accs(p)[acc->values];

	return acc->values >= 0 && rows < acc && rows->kind == ACC_ROWS && acc - rows <= rows->param &&
		acc->arg2 == -1 && acc->filter == -1 && acc->limit == 0 && acc->param >= KEY_NOT_NUMERIC &&
		acc->descending == 0 && is_register(check, acc->arg, p->ninsns, first, last);
}

static bool
acc_is_good(const Check *check, const Accumulator *acc, int word)
{
	const Program *p = check->program;
	ValueType	first;
	ValueType	last;

	if (acc->kind >= ACC_KINDS || acc->word != word)
		return false;
	acc_types((AccKind) acc->kind, &first, &last);
	if (acc->kind == ACC_FIRST_ROWS)
		return first_rows_are_good(check, acc, first, last);
	if (acc->nwords != program_acc_words((AccKind) acc->kind, p->level) || acc->order != 0 ||
		acc->place != 0)
		return false;
	if (form_is_read(acc_form((AccKind) acc->kind)))
		return read_acc_is_good(check, acc, first, last);
	if (acc->kind == ACC_ROWS)
		return rows_are_good(check, acc);
	if (acc->kind == ACC_ROW_COLUMN)
		return row_column_is_good(check, acc, first, last);
	if (acc->values != 0 || acc->param != 0 || acc->descending != 0)
		return false;
	if ((acc_reads_value((AccKind) acc->kind) || acc->arg != -1) &&
		!is_register(check, acc->arg, p->ninsns, first, last))
		return false;
	if (acc_form((AccKind) acc->kind) == FORM_FLOAT_PRODUCT ?
		!is_register(check, acc->arg2, p->ninsns, first, last) : acc->arg2 != -1)
		return false;
	if (acc_sums_floats(acc) ? acc->limit < 0 || acc->limit > EXACT_LIMIT_ANY : acc->limit != 0)
		return false;
	return is_register_or_none(check, acc->filter, VT_BOOL);
}

static bool
accs_are_good(const Check *check)
{
	const Accumulator *accs = program_accs(check->program);
	int			word = 0;

	for (int i = 0; i < check->program->naccs; i++)
	{
		if (!acc_is_good(check, &accs[i], word))
			return fault(check, "accumulator", i);
		word += accs[i].nwords;
	}
	return word == check->program->nwords || fault(check, "number of words", word);
}

static bool
agg_is_good(const Check *check, const Aggregate *agg)
{
	const int16_t accs[] = {agg->acc, agg->count, agg->squares[0], agg->squares[1],
	agg->high, agg->shown, agg->special};

	for (size_t i = 0; i < sizeof(accs) / sizeof(accs[0]); i++)
		if (accs[i] < -1 || accs[i] >= check->program->naccs)
			return false;
	for (int i = 0; i < MOMENT_COUNT; i++)
		if (agg->moments[i] < -1 || agg->moments[i] >= check->program->naccs)
			return false;
	return agg->final <= FINAL_ORDERED;
}

static bool
key_is_good(const Check *check, int reg)
{
	return is_register(check, reg, check->program->ninsns, 0, VT_COUNT - 1) &&
		value_is_key((ValueType) program_insns(check->program)[reg].type);
}

/* The parts that instructions refer to, and the instructions, in their order. */
static bool
insns_are_good(const Check *check)
{
	const Program *p = check->program;

	for (int i = 0; i < p->nparams; i++)
		if (!param_is_good(&check->params[i]) ||
			(is_absent(&check->params[i]) && (check->params[i].digest == NULL || !check->tables[i])))
			return fault(check, "parameter", i);
	for (int i = 0; i < p->nattrs; i++)
		if (!attribute_is_good(&program_attrs(p)[i]))
			return fault(check, "attribute", i);
	for (int i = 0; i < p->ncolumns; i++)
		if (!column_is_good(check, &program_columns(p)[i]))
			return fault(check, "column", i);
	for (int i = 0; i < p->ninsns; i++)
		if (!insn_is_good(check, &program_insns(p)[i], i))
			return fault(check, "instruction", i);
	return true;
}

bool
program_check(const void *bytes, size_t size, const ParamValue *params, size_t nparams,
			  char *why, size_t len)
{
	const Program *p = bytes;
	Check		check = {p, params, why, len, {false}};

	if (size < sizeof(Program) || !head_is_good(p, size, nparams))
	{
		snprintf(why, len, "the program's size is not what it says");
		return false;
	}
	find_tables(&check);
	if (!insns_are_good(&check) || !accs_are_good(&check))
		return false;
	for (int i = 0; i < p->naggs; i++)
		if (!agg_is_good(&check, &program_aggs(p)[i]))
			return fault(&check, "aggregate", i);
	for (int i = 0; i < p->nkeys; i++)
		if (!key_is_good(&check, program_keys(p)[i]))
			return fault(&check, "key", i);
	return is_register_or_none(&check, p->filter, VT_BOOL) || fault(&check, "filter", p->filter);
}

bool
program_check_table(const Program *program, const ParamValue *params, int param)
{
	const Insn *insns = program_insns(program);

	for (int i = 0; i < program->ninsns; i++)
		if (op_reads_table((OpCode) insns[i].op) && insns[insns[i].arg[1]].index == param &&
			!lookup_is_good((OpCode) insns[i].op, params[param].bytes))
			return false;
	return true;
}

bool
program_check_columns(const Program *program, const ParamValue *params, const Column *columns,
					  size_t ncolumns, char *why, size_t len)
{
	Check		check = {program, params, why, len, {false}};

	find_tables(&check);
	for (size_t i = 0; i < ncolumns; i++)
		if (!column_is_good(&check, &columns[i]))
			return fault(&check, "column to keep", (int) i);
	return true;
}
