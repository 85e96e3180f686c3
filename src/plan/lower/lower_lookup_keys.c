/*
 * lower_lookup_keys.c
 *	  What look-ups are joined by: from the keys to the number of a row.
 *
 * One key of an integer or a text is looked up as it is.  Of several the values, or their numbers
 * by look-ups of their own, become one integer, two at a time (LookupKey).
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"

#include "plan/lower/lower_lookup_parts.h"
#include "plan/lower/lower_parts.h"
#include "plan/lower/numeric/numeric_guess.h"

/* The operation that a join's equality is, or -1: the look-up has no such keys. */
static int
key_op(Lowering *l, const Lookup *lookup, const JoinKey *key)
{
	int			op = function_op(key->function);

	switch (op)
	{
		case OP_int4_eq:
		case OP_int8_eq:
		case OP_text_eq:
		case OP_bpchar_eq:
			return op;
		case OP_bool_eq:
		case OP_uuid_eq:
			if (lookup->relids == NULL)
				return op;
			break;
		default:
			if (lookup->relids == NULL && key->function == F_NUMERIC_EQ)
				return OP_int8_eq;
			break;
	}
	return lower_reject(l, REJECTED_TYPE, _("a join by values of type %s is not supported"),
						format_type_be(exprType((const Node *) key->inner)));
}

static bool
is_text_op(int op)
{
	return op == OP_text_eq || op == OP_bpchar_eq;
}

/* One of several keys has as many words; of each there are numbers. */
static int
key_words(int op)
{
	return op == OP_uuid_eq ? 2 : 1;
}

/* The type of a key: TEXT, INT8, or INT4, which is the number of its value; alone it is INT8. */
static ValueType
key_type(int op)
{
	if (is_text_op(op))
		return VT_TEXT;
	return op == OP_int4_eq || op == OP_bool_eq ? VT_INT4 : VT_INT8;
}

/* A truth value as an integer. */
static int
lower_truth(Lowering *l, Expr *expr, ValueType type)
{
	int			reg = lower_expr(l, expr);

	if (reg >= 0)
		reg = program_add_op(l->builder, OP_bool_to_int4, reg, -1);
	return reg < 0 || type == VT_INT4 ? reg :
		program_add_op(l->builder, OP_int4_to_int8, reg, -1);
}

/* A numeric as its units, which the other side has, too. */
static int
lower_units(Lowering *l, Expr *expr)
{
	NumericInfo info;
	int			reg = lower_numeric(l, expr, &info);

	if (reg >= 0 && l->builder->insns[reg].type != VT_INT8)
		return lower_reject(l, REJECTED_NUMERIC, _("a numeric of 128 bits is not looked up"));
	return reg;
}

/* The table's side of an equality, as INT4, INT8 or TEXT. */
static int
lower_outer_key(Lowering *l, const JoinKey *key, int op, ValueType type, int word)
{
	int			reg;

	if (is_text_op(op) &&
		!check_collation(l, exprType((const Node *) key->outer), key->collation))
		return -1;
	if (key->function == F_NUMERIC_EQ)
		return lower_units(l, key->outer);
	if (op == OP_bool_eq)
		return lower_truth(l, key->outer, type);
	if (op == OP_uuid_eq)
	{
		reg = lower_expr(l, key->outer);
		return reg < 0 ? -1 :
			program_add_op(l->builder, word == 0 ? OP_uuid_first : OP_uuid_second, reg, -1);
	}
	reg = lower_operand(l, key->function, key->outer, type);
	return reg >= 0 && op == OP_bpchar_eq ?
		program_add_op(l->builder, OP_bpchar_trimmed, reg, -1) : reg;
}

/* The units of a numeric that the look-up's plan puts out; -1: they have not 64 bits. */
static int
inner_units_column(Lowering *l, Lookup *lookup, const JoinKey *key, int attno)
{
	NumericGuess guess;
	const char *reason;
	int			reg;

	if (!numeric_guess(l->root, key->inner, &guess, &reason))
		return lower_reject(l, REJECTED_NUMERIC, "%s", reason);
	if (!guess.fixed)
		return lower_reject(l, REJECTED_NUMERIC, _("a numeric of a joined relation has no fixed scale"));
	if (guess.special)
		return lower_reject(l, REJECTED_NUMERIC, _("NaN is not looked up"));
	reg = program_add_numeric_column(lookup->builder, attno, NUMERIC_EXACT, guess.scale, true, -1);
	return lookup_column_number(lookup, reg);
}

/* Has a look-up's column values of such keys? */
static bool
suits_key(int op, int type)
{
	if (is_text_op(op))
		return type == VT_TEXT;
	if (op == OP_uuid_eq)
		return type == VT_UUID;
	return type == VT_INT2 || type == VT_INT4 || type == VT_INT8 || type == VT_CHAR ||
		type == VT_BOOL;
}

/* The look-up's side: a column of its Program; or -1. */
static int
inner_key_column(Lowering *l, Lookup *lookup, const JoinKey *key, int op)
{
	int			attno = lookup->relids == NULL ? lookup_plan_number(lookup, key->inner) :
		lookup_attribute(l, lookup, key->inner);
	int			type;

	if (attno > 0 && key->function == F_NUMERIC_EQ)
		return inner_units_column(l, lookup, key, attno);
	type = attno > 0 ? lower_type(l, exprType((const Node *) key->inner)) : -1;
	if (attno == 0 || (type >= 0 && !suits_key(op, type)))
		return lower_reject(l, REJECTED_EXPRESSION, _("what a relation is joined by can raise errors"));
	if (type < 0)
		return -1;
	return lookup_column_number(lookup,
								program_add_column(lookup->builder, attno, type, true, -1));
}

/* The number of a value by a look-up of its own, as INT4. */
static int
lower_number(Lowering *l, int reg, int param)
{
	OpCode		op = l->builder->insns[reg].type == VT_TEXT ? OP_text_lookup : OP_int8_lookup;

	return param < 0 ? -1 :
		program_add_op(l->builder, op, reg, program_add_table_ref(l->builder, param));
}

/* One of several keys, as INT4; *part says how its numbers are made. */
static int
lower_key_part(Lowering *l, const JoinKey *key, int op, LookupKey *part)
{
	ValueType	type = key_type(op);
	int			reg = lower_outer_key(l, key, op, type, part->word);

	if (reg < 0 || type == VT_INT4)
		return reg;
	part->param = lookup_add_param(l);
	return lower_number(l, reg, part->param);
}

void
lookup_note_errors(Lowering *l, int reg)
{
	if (reg >= 0 && l->builder->insns[reg].fallible)
		l->checked = lappend_int(l->checked, reg);
}

/* A key's word joins those before it, of which *pair is the register; false: it cannot. */
static bool
add_key_word(Lowering *l, Lookup *lookup, const JoinKey *key, int op, int word, bool alone,
			 int *pair)
{
	LookupKey  *part = palloc(sizeof(LookupKey));
	int			reg;

	*part = (LookupKey)
	{
		.column = inner_key_column(l, lookup, key, op),.word = word,.param = -1,.pair_param = -1,
			.trims = op == OP_bpchar_eq
	};
	if (part->column < 0)
		return false;
	lookup->keys = lappend(lookup->keys, part);
	if (alone)
		reg = lower_outer_key(l, key, op, is_text_op(op) ? VT_TEXT : VT_INT8, word);
	else
		reg = lower_key_part(l, key, op, part);
	if (reg < 0)
		return false;
	if (list_length(lookup->keys) > 2)
	{
		part->pair_param = lookup_add_param(l);
		*pair = lower_number(l, *pair, part->pair_param);
	}
	*pair = *pair < 0 ? reg : program_add_op(l->builder, OP_key_pair, *pair, reg);
	return true;
}

bool
lookup_lower_keys(Lowering *l, Lookup *lookup, List *keys)
{
	int			pair = -1;
	ListCell   *lc;

	foreach(lc, keys)
	{
		const JoinKey *key = lfirst(lc);
		int			op = key_op(l, lookup, key);
		bool		alone = list_length(keys) == 1 && key_words(op) == 1;

		for (int word = 0; op >= 0 && word < key_words(op); word++)
			if (!add_key_word(l, lookup, key, op, word, alone, &pair))
				return false;
		if (op < 0)
			return false;
	}
	lookup->param = lookup_add_param(l);
	lookup->row = lower_number(l, pair, lookup->param);
	lookup_note_errors(l, lookup->row);
	return lower_succeeded(l);
}
