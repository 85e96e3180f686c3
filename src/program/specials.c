/*
 * specials.c
 *	  From a Program to one that admits NaN and the infinities among numerics.
 *
 * Few columns have them, so a Program's registers hold numbers only, and an
 * engine that finds something else answers ENGINE_SPECIAL.  The run then begins
 * again with the Program that is made here, in which specials are numbers at the
 * ends of the range (special.h).
 *
 * Instructions are taken over one by one, with a note of which registers may
 * hold specials: columns of numerics, and what is computed of them.  Comparisons,
 * selections, keys and extremes stay what they are; the other operand, if it
 * cannot be special, must not be one of these numbers by chance, and is
 * checked.  Arithmetic becomes that of ops_special.h.  Sums leave specials out,
 * and bits of another accumulator say which there were.  For any other operation,
 * and for sums of distinct values of a list, they are an error, and PostgreSQL's own
 * plan answers.
 *
 * The columns of a Program that merges groups are keys of another one, whose
 * accumulators come first in both: there are now more of them.
 *
 * Owns no memory.  Plain C without postgres.h.
 */
#include "program.h"
#include "row_list.h"

typedef struct Rewriting
{
	const Program *from;
	const Program *fine;		/* whose groups it merges, or NULL */
	ProgramBuilder *to;
	int16_t		regs[PROGRAM_MAX_INSNS];	/* of the old ones, the new */
	int16_t		accs[PROGRAM_MAX_ACCS];
	bool		special[PROGRAM_MAX_INSNS]; /* new registers: can be special? */
	bool		any;			/* has a column or constant that can */
} Rewriting;

/* What an operation becomes where an operand can be special. */
static int
special_op(OpCode op)
{
	switch (op)
	{
		case OP_int8_add:
			return OP_special_add;
		case OP_int8_sub:
			return OP_special_sub;
		case OP_int8_mul:
			return OP_special_mul;
		case OP_int8_neg:
			return OP_special_neg;
		case OP_int8_abs:
			return OP_special_abs;
		case OP_numeric_round:
			return OP_special_round;
		case OP_numeric_fit:
			return OP_special_fit;
		case OP_wide_of_int8:
			return OP_wide_of_special;
		case OP_wide_to_int8:
			return OP_wide_to_special;
		case OP_wide_product:
			return OP_wide_special_product;
		case OP_wide_add:
			return OP_wide_special_add;
		case OP_wide_sub:
			return OP_wide_special_sub;
		case OP_wide_mul:
			return OP_wide_special_mul;
		case OP_wide_neg:
			return OP_wide_special_neg;
		case OP_wide_abs:
			return OP_wide_special_abs;
		case OP_wide_round:
			return OP_wide_special_round;
		case OP_wide_fit:
			return OP_wide_special_fit;
		default:
			return -1;
	}
}

static bool
is_comparison(OpCode op)
{
	switch (op)
	{
		case OP_int8_eq:
		case OP_int8_ne:
		case OP_int8_lt:
		case OP_int8_le:
		case OP_int8_gt:
		case OP_int8_ge:
		case OP_wide_eq:
		case OP_wide_ne:
		case OP_wide_lt:
		case OP_wide_le:
		case OP_wide_gt:
		case OP_wide_ge:
			return true;
		default:
			return false;
	}
}

/* Does it make parts of sums, which specials are left out of? */
static bool
makes_addend(OpCode op)
{
	return op == OP_int8_square_low || op == OP_int8_square_high ||
		op == OP_wide_low || op == OP_wide_high;
}

/* A register by an operation for its width. */
static int
add_by_width(Rewriting *r, int reg, OpCode op, OpCode wide)
{
	if (reg < 0)
		return -1;
	return program_add_op(r->to, r->to->insns[reg].type == VT_WIDE ? wide : op, reg, -1);
}

/* The register where a number is wanted: none of those that stand for specials. */
static int
add_finite(Rewriting *r, int reg)
{
	if (reg < 0 || (r->to->insns[reg].type != VT_INT8 && r->to->insns[reg].type != VT_WIDE))
		return reg;
	return add_by_width(r, reg, OP_special_finite, OP_wide_special_finite);
}

/* The same where a special is as good. */
static int
add_numeric(Rewriting *r, int reg)
{
	return reg >= 0 && r->special[reg] ? reg : add_finite(r, reg);
}

static int
add_addend(Rewriting *r, int reg)
{
	if (reg < 0 || !r->special[reg])
		return reg;
	return add_by_width(r, reg, OP_special_addend, OP_wide_special_addend);
}

/* Note that a new register may hold specials. */
static int
note_special(Rewriting *r, int reg)
{
	if (reg >= 0)
		r->special[reg] = true;
	return reg;
}

static int
add_column(Rewriting *r, const Insn *insn)
{
	Column		column = program_columns(r->from)[insn->index];
	bool		special = column.numeric != NUMERIC_NONE && column.numeric != NUMERIC_SHOWN;
	int			reg;

	if (r->fine != NULL)
		special = program_key_scales(r->fine)[column.attno - 1] != KEY_NOT_NUMERIC;

	if (column.numeric != NUMERIC_NONE)
	{
		column.numeric |= NUMERIC_SPECIALS;
		r->any = true;
	}
	reg = program_copy_column(r->to, &column);
	return special ? note_special(r, reg) : reg;
}

static int
add_param(Rewriting *r, const Insn *insn)
{
	r->to->param_types[insn->index] = insn->type;
	if (insn_is_table(insn))
		return program_add_table_ref(r->to, insn->index);
	if (!insn->special)
		return program_add_param_ref(r->to, insn->index);
	r->any = true;
	return note_special(r, program_add_special_param_ref(r->to, insn->index));
}

static int
add_select(Rewriting *r, int when, int then, int otherwise)
{
	if (then < 0 || otherwise < 0 || (!r->special[then] && !r->special[otherwise]))
		return program_add_select(r->to, when, then, otherwise);
	return note_special(r, program_add_select(r->to, when, add_numeric(r, then),
											  add_numeric(r, otherwise)));
}

/* An operation of which an operand can be special; b may be -1. */
static int
add_special_op(Rewriting *r, OpCode op, int a, int b)
{
	int			special = special_op(op);

	if (op == OP_isnull || op == OP_isnotnull)
		return program_add_op(r->to, op, a, b);
	if (is_comparison(op))
		return program_add_op(r->to, op, add_numeric(r, a), add_numeric(r, b));
	if (special >= 0)
		return note_special(r, program_add_op(r->to, (OpCode) special, add_numeric(r, a),
											  add_numeric(r, b)));
	if (makes_addend(op))
		return program_add_op(r->to, op, add_addend(r, a), -1);
	if (op == OP_numeric_to_int8)
		return add_finite(r, a);
	return program_add_op(r->to, op, r->special[a] ? add_finite(r, a) : a,
						  b >= 0 && r->special[b] ? add_finite(r, b) : b);
}

/* The new register of an old instruction. */
static int
add_insn(Rewriting *r, const Insn *insn)
{
	int			args[3];

	for (int i = 0; i < 3; i++)
	{
		args[i] = insn->arg[i] < 0 ? -1 : r->regs[insn->arg[i]];
		if (insn->arg[i] >= 0 && args[i] < 0)
			return -1;
	}
	switch ((OpCode) insn->op)
	{
		case OP_column:
			return add_column(r, insn);
		case OP_param:
			return add_param(r, insn);
		case OP_select:
			return add_select(r, args[0], args[1], args[2]);
		default:
			break;
	}
	if (r->special[args[0]] || (args[1] >= 0 && r->special[args[1]]))
		return add_special_op(r, (OpCode) insn->op, args[0], args[1]);
	return program_add_op(r->to, (OpCode) insn->op, args[0], args[1]);
}

static bool
is_merged(const Rewriting *r, int acc)
{
	return program_accs(r->from)[acc].arg == ACC_MERGED;
}

/* The accumulators of the groups that are merged. */
static void
add_merged_accs(Rewriting *r)
{
	for (int i = 0; i < r->fine->naccs; i++)
		program_add_merged_acc(r->to, &program_accs(r->fine)[i]);
}

/* Special numerics have their places in an order. */
static int
add_first_rows(Rewriting *r, const Accumulator *acc)
{
	const int	keys[] = {acc->arg < 0 ? -1 : r->regs[acc->arg],
		acc->arg2 < 0 ? -1 : r->regs[acc->arg2]};

	return program_add_first_rows(r->to, acc_first_rows(acc), keys, acc->order,
								  r->regs[acc->place]);
}

/* The columns of rows are added with them. */
static int
add_rows(Rewriting *r, const Accumulator *acc, int filter)
{
	RowListColumn columns[ROW_MAX_COLUMNS];
	const Accumulator *rows = &program_accs(r->from)[acc->values];

	if (acc->kind == ACC_ROW_COLUMN)
		return r->accs[acc->values] + (int) (acc - rows);
	for (int i = 0; i < acc->param; i++)
	{
		int			reg = r->regs[acc[1 + i].arg];
		int			scale = acc[1 + i].param;

		columns[i] = (RowListColumn)
		{
			scale == KEY_NOT_NUMERIC ? reg : add_numeric(r, reg), scale
		};
	}
	return program_add_rows(r->to, columns, acc->param, filter);
}

/* Is it a list whose values are added up, each once?  Then none may be special. */
static bool
is_summed_list(const Program *p, int acc)
{
	const Accumulator *accs = program_accs(p);

	for (int i = 0; i < p->naccs; i++)
		if (accs[i].arg == ACC_READ && accs[i].values == acc &&
			acc_reads_distinct((AccKind) accs[i].kind) && accs[i].kind != ACC_COUNT_DISTINCT)
			return true;
	return false;
}

/* What a percentile's fraction is. */
static int
fraction_param(const Rewriting *r, const Accumulator *acc)
{
	int			of_group = acc_of_fraction(acc);

	return of_group < 0 ? acc->param : FRACTION_OF_GROUP(r->accs[of_group]);
}

/* An accumulator; numeric: an extreme of numerics, or their list; summed: is_summed_list. */
static int
add_acc(Rewriting *r, const Accumulator *acc, bool numeric, bool summed)
{
	int			arg = acc->arg < 0 ? -1 : r->regs[acc->arg];
	int			filter = acc->filter < 0 ? -1 : r->regs[acc->filter];

	if (acc->kind == ACC_FIRST_ROWS)
		return add_first_rows(r, acc);
	if (acc->kind == ACC_ROWS || acc->kind == ACC_ROW_COLUMN)
		return add_rows(r, acc, filter);
	if (acc->arg == ACC_READ)
		return program_add_read_acc(r->to, (AccKind) acc->kind, r->accs[acc->values],
									fraction_param(r, acc), acc->descending);
	if (acc_sums_floats(acc))
		return program_add_float_acc(r->to, arg, acc->arg2 < 0 ? -1 : r->regs[acc->arg2],
									 filter, acc->limit);
	if (acc_form((AccKind) acc->kind) == FORM_INT128)
		arg = add_addend(r, arg);
	else if (numeric)
		arg = add_numeric(r, arg);
	else if (summed && r->special[arg])
		arg = add_finite(r, arg);
	return program_add_acc(r->to, (AccKind) acc->kind, arg, filter);
}

/* Is it an aggregate of numerics' sums?  Then the values' register, else -1. */
static int
summed_register(Rewriting *r, const Aggregate *agg)
{
	int			arg = program_accs(r->from)[agg->acc].arg;

	if (arg < 0)
		return -1;
	switch ((FinalKind) agg->final)
	{
		case FINAL_SUM_NUMERIC:
		case FINAL_AVG_NUMERIC:
		case FINAL_VAR_POP:
		case FINAL_VAR_SAMP:
		case FINAL_STDDEV_POP:
		case FINAL_STDDEV_SAMP:
			break;
		default:
			return -1;
	}
	if (program_insns(r->from)[arg].op == OP_wide_low)
		arg = program_insns(r->from)[arg].arg[0];
	return r->special[r->regs[arg]] ? r->regs[arg] : -1;
}

/* An aggregate over accumulators of this Program. */
static void
add_agg(Rewriting *r, const Aggregate *agg)
{
	Aggregate	copy = *agg;
	int			filter = program_accs(r->from)[agg->acc].filter;
	int			summed = summed_register(r, agg);
	int			i;

	copy.acc = r->accs[agg->acc];
	copy.count = r->accs[agg->count];
	copy.high = agg->high < 0 ? -1 : r->accs[agg->high];
	copy.shown = agg->shown < 0 ? -1 : r->accs[agg->shown];
	for (i = 0; i < 2; i++)
		copy.squares[i] = agg->squares[i] < 0 ? -1 : r->accs[agg->squares[i]];
	for (i = 0; i < MOMENT_COUNT; i++)
		copy.moments[i] = agg->moments[i] < 0 ? -1 : r->accs[agg->moments[i]];
	i = program_copy_agg(r->to, &copy);
	if (summed >= 0)
		program_set_special(r->to, i, program_add_acc(r->to, ACC_BIT_OR,
													  add_by_width(r, summed, OP_special_mark,
																   OP_wide_special_mark),
													  filter < 0 ? -1 : r->regs[filter]));
}

/* Is it an extreme of numerics, or the list that such a value is read from? */
static bool
is_numeric_extreme(const Program *p, int acc)
{
	for (int i = 0; i < p->naggs; i++)
	{
		int			extreme = program_aggs(p)[i].acc;
		const Accumulator *from = &program_accs(p)[extreme];

		if (program_aggs(p)[i].final == FINAL_EXTREME_NUMERIC &&
			(extreme == acc || (from->arg == ACC_READ && from->values == acc)))
			return true;
	}
	return false;
}

static void
add_keys(Rewriting *r)
{
	for (int i = 0; i < r->from->nkeys; i++)
	{
		int			reg = r->regs[program_keys(r->from)[i]];
		int			scale = program_key_scales(r->from)[i];

		if (scale != KEY_NOT_NUMERIC)
			reg = add_numeric(r, reg);
		program_add_numeric_key(r->to, reg, scale);
	}
}

/* Aggregates; those over merged accumulators are the other Program's, in order. */
static void
add_aggs(Rewriting *r)
{
	const Program *p = r->from;
	int			merged = 0;

	for (int i = 0; i < p->naggs && !r->to->overflow; i++)
	{
		const Aggregate *agg = &program_aggs(p)[i];

		if (is_merged(r, agg->acc))
			program_copy_agg(r->to, &program_aggs(r->fine)[merged++]);
		else
			add_agg(r, agg);
	}
}

/* Accumulators keep their order, and what is merged its numbers. */
static bool
add_accs(Rewriting *r)
{
	const Program *p = r->from;

	if (r->fine != NULL)
		add_merged_accs(r);
	for (int i = 0; i < p->naccs; i++)
	{
		r->accs[i] = (int16_t) (is_merged(r, i) ? i :
								add_acc(r, &program_accs(p)[i], is_numeric_extreme(p, i),
										is_summed_list(p, i)));
		if (r->fine == NULL && (is_merged(r, i) || r->accs[i] != i))
			return false;
	}
	return true;
}

bool
program_admit_specials(const Program *p, const Program *fine, ProgramBuilder *b)
{
	Rewriting	r = {p, fine, b, {0}, {0}, {0}, fine != NULL};

	if (p->specials)
		return false;
	program_begin(b, (RowSource) p->source);
	b->head.level = p->level;
	b->head.nparams = p->nparams;
	b->head.specials = true;
	b->head.hides_rows = p->hides_rows;
	for (int i = 0; i < p->nattrs; i++)
		program_add_attr(b, program_attrs(p)[i].len, program_attrs(p)[i].align);
	for (int i = 0; i < p->ninsns && !b->overflow; i++)
		r.regs[i] = (int16_t) add_insn(&r, &program_insns(p)[i]);
	if (b->overflow || !r.any)
		return false;
	if (p->filter >= 0)
		program_set_filter(b, r.regs[p->filter]);
	add_keys(&r);
	if (!add_accs(&r))
		return false;
	add_aggs(&r);
	return !b->overflow;
}
