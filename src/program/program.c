/*
 * program.c
 *	  Building Programs, and what several files ask of one.
 *
 * A Program is built in a ProgramBuilder's arrays and copied together by
 * program_finish.  Whatever is added is looked for first: lowering adds the
 * same column or subexpression as often as it meets it, and engines compute it
 * once.  The searches are linear, which is fine for what a query holds.
 *
 * No part has padding, and unused members are zero, so equal parts and equal Programs are equal
 * bytes: who looks for one may compare or hash them.
 *
 * Owns no memory.  Plain C without postgres.h.
 */
#include "program.h"
#include "check_lookup.h"

/*
 * Begin a Program.  Only the head needs to be cleared: parts are written whole
 * before they are counted.
 */
void
program_begin(ProgramBuilder *b, RowSource source)
{
	memset(&b->head, 0, sizeof(b->head));
	b->head.source = source;
	b->head.filter = -1;
	b->overflow = false;
}

/* The index for one more part after `count` ones, or -1 if there is no room. */
static int
next_index(ProgramBuilder *b, uint16_t *count, int limit)
{
	if (*count >= limit)
		b->overflow = true;
	return b->overflow ? -1 : (*count)++;
}

/* The index of a part among `count` parts of `size` bytes, or -1. */
static int
find_part(const void *parts, int count, const void *part, size_t size)
{
	for (int i = 0; i < count; i++)
		if (memcmp((const char *) parts + i * size, part, size) == 0)
			return i;
	return -1;
}

int
program_add_attr(ProgramBuilder *b, int len, int align)
{
	int			i = next_index(b, &b->head.nattrs, PROGRAM_MAX_ATTRS);

	if (i >= 0)
	{
		b->attrs[i].len = len;
		b->attrs[i].align = align;
	}
	return i;
}

int
program_add_param(ProgramBuilder *b, ValueType type)
{
	int			i = next_index(b, &b->head.nparams, PROGRAM_MAX_PARAMS);

	if (i >= 0)
		b->param_types[i] = type;
	return i;
}

/* An instruction's register, the one that computes it already if there is. */
static int
add_insn(ProgramBuilder *b, const Insn *insn)
{
	int			i;

	if (b->overflow)
		return -1;
	i = find_part(b->insns, b->head.ninsns, insn, sizeof(Insn));
	if (i < 0)
	{
		i = next_index(b, &b->head.ninsns, PROGRAM_MAX_INSNS);
		if (i >= 0)
			b->insns[i] = *insn;
	}
	return i;
}

int
program_copy_column(ProgramBuilder *b, const Column *column)
{
	Insn		insn = {.op = OP_column,.type = column->type,
		.nullable = column->nullable,.arg = {-1, -1, -1}};
	int			i;

	if (b->overflow)
		return -1;
	i = find_part(b->columns, b->head.ncolumns, column, sizeof(Column));
	if (i < 0)
	{
		i = next_index(b, &b->head.ncolumns, PROGRAM_MAX_COLUMNS);
		if (i < 0)
			return -1;
		b->columns[i] = *column;
	}
	insn.index = i;
	return add_insn(b, &insn);
}

int
program_add_column(ProgramBuilder *b, int attno, ValueType type,
				   bool nullable, int missing)
{
	Column		column = {.attno = attno,.missing = missing,.type = type,
		.nullable = nullable};

	return program_copy_column(b, &column);
}

int
program_add_presence(ProgramBuilder *b, int attno, bool nullable, int missing)
{
	Column		column = {.attno = attno,.missing = missing,.type = VT_BOOL,
		.nullable = nullable,.presence = true};

	return program_copy_column(b, &column);
}

/* The missing parameter's value is scaled already. */
int
program_add_numeric_column(ProgramBuilder *b, int attno, NumericPart part, int scale,
						   bool nullable, int missing)
{
	Column		column = {.attno = attno,.missing = missing,
		.type = NUMERIC_PART(part) == NUMERIC_SHOWN ? VT_INT4 : VT_INT8,
		.nullable = nullable,.numeric = part,.scale = scale};

	return program_copy_column(b, &column);
}

int
program_add_wide_column(ProgramBuilder *b, int attno, NumericPart part, int scale,
						bool nullable)
{
	Column		column = {.attno = attno,.missing = -1,.type = VT_WIDE,
		.nullable = nullable,.numeric = part,.scale = scale};

	return program_copy_column(b, &column);
}

static int
add_param_ref(ProgramBuilder *b, int param, bool special)
{
	Insn		insn = {.op = OP_param,.nullable = !special,.special = special,
		.arg = {-1, -1, -1},.index = param};

	if (b->overflow)
		return -1;
	insn.type = b->param_types[param];
	return add_insn(b, &insn);
}

int
program_add_param_ref(ProgramBuilder *b, int param)
{
	return add_param_ref(b, param, false);
}

int
program_add_special_param_ref(ProgramBuilder *b, int param)
{
	return add_param_ref(b, param, true);
}

int
program_add_table_ref(ProgramBuilder *b, int param)
{
	return add_param_ref(b, param, true);
}

/*
 * The operands must have the operation's types.  A result can be NULL if an
 * operand can (AND and OR know better only when they see the values), and an
 * error if an operand can be one or the operation is checked.
 */
int
program_add_op(ProgramBuilder *b, OpCode op, int arg1, int arg2)
{
	Insn		insn = {.op = op,.arg = {arg1, arg2, -1},.index = -1};

	if (b->overflow)
		return -1;
	insn.type = op_result(op);
	insn.fallible = op_checked(op);
	for (int i = 0; i < op_nargs(op); i++)
	{
		insn.nullable |= b->insns[insn.arg[i]].nullable;
		insn.fallible |= b->insns[insn.arg[i]].fallible;
	}
	if (op == OP_isnull || op == OP_isnotnull)
		insn.nullable = false;
	return add_insn(b, &insn);
}

/* A selection can be NULL if a side can, and an error if any operand can. */
int
program_add_select(ProgramBuilder *b, int when, int then, int otherwise)
{
	Insn		insn = {.op = OP_select,.arg = {when, then, otherwise},.index = -1};

	if (b->overflow)
		return -1;
	insn.type = b->insns[then].type;
	insn.nullable = b->insns[then].nullable || b->insns[otherwise].nullable;
	insn.fallible = b->insns[when].fallible || b->insns[then].fallible ||
		b->insns[otherwise].fallible;
	return add_insn(b, &insn);
}

int
program_add_key(ProgramBuilder *b, int reg)
{
	return program_add_numeric_key(b, reg, KEY_NOT_NUMERIC);
}

int
program_add_numeric_key(ProgramBuilder *b, int reg, int scale)
{
	int			i = next_index(b, &b->head.nkeys, PROGRAM_MAX_KEYS);

	if (i >= 0)
	{
		b->keys[i] = reg;
		b->key_scales[i] = scale;
	}
	return i;
}

uint8_t
program_acc_words(AccKind kind, int level)
{
	switch (acc_form(kind))
	{
#define FORM(name, words, ...) case FORM_##name: return words;
#define REFERENCE(name, words, ...) case FORM_##name: return words;
#define STATISTIC(name, words, ...) case FORM_##name: return words;
#include "accs.def"
		case FORM_FIRST_ROWS:
		case FORM_KINDS:
			break;
	}
	return 0;
}

/* Behind all others, whether there is an equal one or not. */
static int
append_acc(ProgramBuilder *b, Accumulator acc)
{
	int			i = b->overflow ? -1 : next_index(b, &b->head.naccs, PROGRAM_MAX_ACCS);

	if (i >= 0)
	{
		acc.word = b->head.nwords;
		b->head.nwords += acc.nwords;
		b->accs[i] = acc;
	}
	return i;
}

static int
add_acc(ProgramBuilder *b, Accumulator acc)
{
	int			limit = acc.limit;
	int			i;

	if (b->overflow)
		return -1;
	if (acc.nwords == 0)
		acc.nwords = program_acc_words((AccKind) acc.kind, b->head.level);
	for (i = 0; i < b->head.naccs; i++)
	{
		acc.word = b->accs[i].word;
		acc.limit = b->accs[i].limit;
		if (memcmp(&b->accs[i], &acc, sizeof(acc)) != 0)
			continue;
		if (limit < b->accs[i].limit)
			b->accs[i].limit = limit;
		return i;
	}
	acc.limit = limit;
	return append_acc(b, acc);
}

/* Are the accumulators from the ith one on a list of these columns? */
static bool
is_list_of(const ProgramBuilder *b, int i, const RowListColumn *columns, int ncolumns, int filter)
{
	const Accumulator *acc = &b->accs[i];

	if (acc->kind != ACC_ROWS || acc->param != ncolumns || acc->filter != filter)
		return false;
	for (int j = 0; j < ncolumns; j++)
		if (acc[1 + j].arg != columns[j].reg || acc[1 + j].param != columns[j].scale)
			return false;
	return true;
}

int
program_add_rows(ProgramBuilder *b, const RowListColumn *columns, int ncolumns, int filter)
{
	Accumulator rows = {.kind = ACC_ROWS,.arg = -1,.filter = filter,.arg2 = -1,.param = ncolumns,
	.nwords = program_acc_words(ACC_ROWS, 0)};
	int			number;

	for (int i = 0; i < b->head.naccs && !b->overflow; i++)
		if (is_list_of(b, i, columns, ncolumns, filter))
			return i;
	number = append_acc(b, rows);
	for (int i = 0; i < ncolumns; i++)
		append_acc(b, (Accumulator) {.kind = ACC_ROW_COLUMN,.arg = columns[i].reg,
			.filter = -1,.arg2 = -1,.values = number,.param = columns[i].scale});
	return b->overflow ? -1 : number;
}

int
program_add_merged_acc(ProgramBuilder *b, const Accumulator *acc)
{
	int			i = next_index(b, &b->head.naccs, PROGRAM_MAX_ACCS);

	if (i >= 0)
	{
		b->accs[i] = *acc;
		b->accs[i].arg = ACC_MERGED;
		b->accs[i].arg2 = -1;
		b->accs[i].filter = -1;
		b->accs[i].word = b->head.nwords;
		b->head.nwords += acc->nwords;
	}
	return i;
}

int
program_add_acc(ProgramBuilder *b, AccKind kind, int arg, int filter)
{
	Accumulator acc = {.kind = kind,.arg = arg,.filter = filter,.arg2 = -1};

	if (acc_is_exact(kind))
		acc.limit = EXACT_LIMIT_SUM8;
	return add_acc(b, acc);
}

int
program_add_read_acc(ProgramBuilder *b, AccKind kind, int values, int param, bool descending)
{
	Accumulator acc = {.kind = kind,.arg = ACC_READ,.filter = -1,.arg2 = -1,.values = values,
		.param = param,.descending = descending};

	return values < 0 ? -1 : add_acc(b, acc);
}

int
program_add_place(ProgramBuilder *b)
{
	return program_add_column(b, COLUMN_PLACE, VT_INT8, false, -1);
}

int
program_add_first_rows(ProgramBuilder *b, int n, const int keys[2], int order, int place)
{
	Accumulator acc = {.kind = ACC_FIRST_ROWS,.arg = keys[0],.arg2 = keys[1],.filter = -1,
		.order = order,.place = place};

	acc.nwords = n * (acc_order_keys(&acc) + 1);
	return place < 0 ? -1 : add_acc(b, acc);
}

int
program_add_float_acc(ProgramBuilder *b, int arg, int arg2, int filter, int limit)
{
	Accumulator acc = {.kind = arg2 < 0 ? ACC_SUM_FLOAT : ACC_SUM_PRODUCT,
		.arg = arg,.filter = filter,.arg2 = arg2,.limit = limit};

	return add_acc(b, acc);
}

/* No accumulators of moments. */
#define NO_MOMENTS {-1, -1, -1, -1, -1}

int
program_copy_agg(ProgramBuilder *b, const Aggregate *agg)
{
	int			i = next_index(b, &b->head.naggs, PROGRAM_MAX_AGGS);

	if (i >= 0)
		b->aggs[i] = *agg;
	return i;
}

int
program_add_agg(ProgramBuilder *b, FinalKind final, int acc, int count)
{
	return program_add_numeric_agg(b, final, acc, count, 0);
}

int
program_add_numeric_agg(ProgramBuilder *b, FinalKind final, int acc, int count,
						int scale)
{
	Aggregate	agg = {.final = final,.scale = scale,.acc = acc,.count = count,
		.squares = {-1, -1},.high = -1,.shown = -1,.moments = NO_MOMENTS,.special = -1};

	return program_copy_agg(b, &agg);
}

int
program_add_variance(ProgramBuilder *b, FinalKind final, int sum, int count,
					 int low, int high, int scale)
{
	Aggregate	agg = {.final = final,.scale = scale,.acc = sum,.count = count,
		.squares = {low, high},.high = -1,.shown = -1,.moments = NO_MOMENTS,.special = -1};

	return program_copy_agg(b, &agg);
}

int
program_add_moments(ProgramBuilder *b, FinalKind final, int count,
					const int16_t sums[MOMENT_COUNT])
{
	Aggregate	agg = {.final = final,.acc = sums[MOMENT_X],.count = count,
		.squares = {-1, -1},.high = -1,.shown = -1,.special = -1};

	memcpy(agg.moments, sums, sizeof(agg.moments));
	return program_copy_agg(b, &agg);
}

void
program_set_high(ProgramBuilder *b, int agg, int acc)
{
	if (agg >= 0)
		b->aggs[agg].high = acc;
}

void
program_set_shown(ProgramBuilder *b, int agg, int acc)
{
	if (agg >= 0)
		b->aggs[agg].shown = acc;
}

void
program_set_added(ProgramBuilder *b, int agg, int constant)
{
	if (agg >= 0)
		b->aggs[agg].added = constant;
}

void
program_set_special(ProgramBuilder *b, int agg, int acc)
{
	if (agg >= 0)
		b->aggs[agg].special = acc;
}

void
program_set_filter(ProgramBuilder *b, int reg)
{
	b->head.filter = reg;
}

size_t
program_size(const ProgramBuilder *b)
{
	const Program *p = &b->head;

	if (b->overflow)
		return 0;
	return sizeof(Program) +
		p->nattrs * sizeof(Attribute) + p->ncolumns * sizeof(Column) +
		p->ninsns * sizeof(Insn) + p->naccs * sizeof(Accumulator) +
		p->naggs * sizeof(Aggregate) + p->nkeys * (sizeof(int16_t) + sizeof(int8_t));
}

/* Copy `size` bytes to *to and move it behind them. */
static void
put(char **to, const void *from, size_t size)
{
	memcpy(*to, from, size);
	*to += size;
}

/* buf: program_size bytes, aligned as a Program; the size must not be 0. */
void
program_finish(const ProgramBuilder *b, Program *buf)
{
	Program		head = b->head;
	char	   *to = (char *) buf;

	head.size = program_size(b);
	put(&to, &head, sizeof(head));
	put(&to, b->attrs, head.nattrs * sizeof(Attribute));
	put(&to, b->columns, head.ncolumns * sizeof(Column));
	put(&to, b->insns, head.ninsns * sizeof(Insn));
	put(&to, b->accs, head.naccs * sizeof(Accumulator));
	put(&to, b->aggs, head.naggs * sizeof(Aggregate));
	put(&to, b->keys, head.nkeys * sizeof(int16_t));
	put(&to, b->key_scales, head.nkeys * sizeof(int8_t));
}

void
program_with_keys(const Program *p, uint64_t keys, bool with_accs, Program *buf)
{
	Program		head = *p;
	char	   *to = (char *) (buf + 1);

	put(&to, program_attrs(p), p->nattrs * sizeof(Attribute));
	put(&to, program_columns(p), p->ncolumns * sizeof(Column));
	put(&to, program_insns(p), p->ninsns * sizeof(Insn));
	if (with_accs)
	{
		put(&to, program_accs(p), p->naccs * sizeof(Accumulator));
		put(&to, program_aggs(p), p->naggs * sizeof(Aggregate));
	}
	else
		head.naccs = head.naggs = head.nwords = 0;
	head.nkeys = 0;
	for (int i = 0; i < p->nkeys; i++)
	{
		if ((keys >> i) & 1)
		{
			put(&to, program_keys(p) + i, sizeof(int16_t));
			head.nkeys++;
		}
	}
	for (int i = 0; i < p->nkeys; i++)
		if ((keys >> i) & 1)
			put(&to, program_key_scales(p) + i, sizeof(int8_t));
	head.size = (uint32_t) (to - (char *) buf);
	memcpy(buf, &head, sizeof(head));
}

bool
program_sums_floats(const Program *p)
{
	for (int i = 0; i < p->naccs; i++)
		if (acc_sums_floats(&program_accs(p)[i]))
			return true;
	return false;
}

bool
op_needs_cpu(OpCode op)
{
	switch (op)
	{
		case OP_jsonb_place:
		case OP_jsonb_inside:
		case OP_jsonb_text:
		case OP_jsonb_has:
		case OP_text_float8:
			return true;
		default:
			return op_makes_text(op) || op_calls_libm(op);
	}
}

bool
program_needs_cpu(const Program *p)
{
	for (int i = 0; i < p->ninsns; i++)
		if (op_needs_cpu((OpCode) program_insns(p)[i].op))
			return true;
	return false;
}

bool
program_has_values(const Program *p)
{
	for (int i = 0; i < p->naccs; i++)
		if (acc_is_list((AccKind) program_accs(p)[i].kind))
			return true;
	return false;
}

bool
program_only_counts(const Program *p)
{
	const Accumulator *accs = program_accs(p);
	bool		counts = p->ncolumns == 0 && p->nkeys == 0 && p->filter < 0;

	for (int i = 0; i < p->naccs; i++)
		counts = counts && acc_form((AccKind) accs[i].kind) == FORM_COUNT &&
			accs[i].arg == -1 && accs[i].arg2 < 0 && accs[i].filter < 0;
	return counts;
}

bool
program_gives_values(const Program *p)
{
	for (int i = 0; i < p->naccs; i++)
		if (acc_is_given((AccKind) program_accs(p)[i].kind))
			return true;
	return false;
}

const Accumulator *
program_first_rows(const Program *p)
{
	for (int i = 0; i < p->naccs; i++)
		if (program_accs(p)[i].kind == ACC_FIRST_ROWS)
			return &program_accs(p)[i];
	return NULL;
}

bool
program_has_float_key(const Program *p)
{
	for (int i = 0; i < p->nkeys; i++)
		if (value_is_float(program_key_type(p, i)))
			return true;
	return false;
}

bool
program_has_integer_key(const Program *p)
{
	return p->nkeys == 1 && value_is_integer(program_key_type(p, 0));
}

bool
program_widen(const Program *p, Program *wider)
{
	Accumulator *acc;

	if (p->level == EXACT_FULL || !program_sums_floats(p))
		return false;
	memcpy(wider, p, p->size);
	wider->level++;
	wider->nwords = 0;
	acc = (Accumulator *) program_accs(wider);
	for (int i = 0; i < wider->naccs; i++)
	{
		if (acc[i].kind != ACC_FIRST_ROWS)
			acc[i].nwords = program_acc_words((AccKind) acc[i].kind, wider->level);
		acc[i].word = wider->nwords;
		wider->nwords += acc[i].nwords;
	}
	return true;
}

bool
program_leaves_rows(const Program *p)
{
	const Column *columns = program_columns(p);

	if (p->source != SOURCE_PAGES || program_has_float_key(p))
		return false;
	for (int i = 0; i < p->ncolumns; i++)
		if (columns[i].type == VT_TEXT || columns[i].numeric)
			return true;
	return false;
}

bool
program_can_be_served(const Program *p)
{
	return p->source == SOURCE_PAGES && !program_has_float_key(p);
}

uint64_t
program_tables_size(const Program *p, const ParamValue *params)
{
	uint64_t	size = 0;

	/* a parameter has one instruction at most that takes it for a table */
	for (int i = 0; i < p->ninsns; i++)
	{
		const ParamValue *param = &params[program_insns(p)[i].index];

		if (insn_is_table(&program_insns(p)[i]) && param->kept == NULL)
			size += param->bytes.len;
	}
	return size;
}

uint32_t
program_table_readers(const Program *p, int param)
{
	const Insn *insns = program_insns(p);
	uint32_t	readers = 0;

	for (int i = 0; i < p->ninsns; i++)
	{
		const Insn *from = op_reads_table((OpCode) insns[i].op) ? &insns[insns[i].arg[1]] : NULL;

		if (from != NULL && insn_is_table(from) && from->index == param)
			readers |= lookup_reader((OpCode) insns[i].op);
	}
	return readers;
}
