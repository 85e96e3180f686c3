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
#include "plan/lower/numeric/lower_wide.h"
#include "plan/lower/numeric/numeric_guess.h"
#include "program/numeric_page.h"

/* One of the keys, while it is lowered. */
typedef struct KeySides
{
	const JoinKey *key;
	int			op;				/* the operation that the equality is */
	bool		alone;			/* no other key, and no other word, is looked up with it */
	int			units;			/* of a numeric: the register of the table's side, */
	int			scale;			/* which counts units of 10^-scale, */
	NumericPart part;			/* and how the look-up's column has its values */
} KeySides;

/* The operation that a join's equality is, of numerics that of their units; -1: none. */
static int
key_op(Lowering *l, const JoinKey *key)
{
	int			op = key->function == F_NUMERIC_EQ ? OP_int8_eq : function_op(key->function);

	switch (op)
	{
		case OP_int4_eq:
		case OP_int8_eq:
		case OP_text_eq:
		case OP_bpchar_eq:
		case OP_bool_eq:
		case OP_uuid_eq:
			return op;
		default:
			return lower_reject(l, REJECTED_TYPE, _("a join by values of type %s is not supported"),
								format_type_be(exprType((const Node *) key->inner)));
	}
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

/*
 * Find the units of a numeric key: those of the table's values.  A value of the look-up's that is
 * no number of these equals none of them.
 */
static bool
find_units(Lowering *l, KeySides *sides)
{
	NumericInfo outer;
	NumericGuess guess;
	const char *reason;

	sides->units = lower_numeric(l, sides->key->outer, &outer);
	if (sides->units < 0)
		return false;
	if (is_wide(l, sides->units) || outer.scale > NUMERIC64_MAX_SCALE)
		lower_reject(l, REJECTED_NUMERIC, _("a numeric of 128 bits is not looked up"));
	else if (numeric_guess(l->root, sides->key->outer, &guess, &reason) && guess.special)
		lower_reject(l, REJECTED_NUMERIC, _("NaN is not looked up"));
	sides->scale = outer.scale;
	sides->part = numeric_guess(l->root, sides->key->inner, &guess, &reason) && guess.fixed &&
		guess.scale == outer.scale ? NUMERIC_EXACT : NUMERIC_UNITS;
	return lower_succeeded(l);
}

/* The table's side of an equality, as INT4, INT8 or TEXT. */
static int
lower_outer_key(Lowering *l, const KeySides *sides, ValueType type, int word)
{
	const JoinKey *key = sides->key;
	int			reg;

	if (is_text_op(sides->op) &&
		!check_collation(l, exprType((const Node *) key->outer), key->collation))
		return -1;
	if (key->function == F_NUMERIC_EQ)
		return sides->units;
	if (sides->op == OP_bool_eq)
		return lower_truth(l, key->outer, type);
	if (sides->op == OP_uuid_eq)
	{
		reg = lower_expr(l, key->outer);
		return reg < 0 ? -1 :
			program_add_op(l->builder, word == 0 ? OP_uuid_first : OP_uuid_second, reg, -1);
	}
	reg = lower_operand(l, key->function, key->outer, type);
	return reg >= 0 && sides->op == OP_bpchar_eq ?
		program_add_op(l->builder, OP_bpchar_trimmed, reg, -1) : reg;
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
inner_key_column(Lowering *l, Lookup *lookup, const KeySides *sides)
{
	Expr	   *inner = sides->key->inner;
	int			attno = lookup->relids == NULL ? lookup_plan_number(lookup, inner) :
		lookup_attribute(l, lookup, inner);
	bool		is_units = sides->key->function == F_NUMERIC_EQ;
	int			type = attno > 0 && !is_units ? lower_type(l, exprType((const Node *) inner)) : -1;

	if (attno == 0 || (type >= 0 && !suits_key(sides->op, type)))
		return lower_reject(l, REJECTED_EXPRESSION, _("what a relation is joined by can raise errors"));
	if (is_units)
		return lookup_column_number(lookup,
									program_add_numeric_column(lookup->builder, attno, sides->part,
															   sides->scale, true, -1));
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
lower_key_part(Lowering *l, const KeySides *sides, LookupKey *part)
{
	ValueType	type = key_type(sides->op);
	int			reg = lower_outer_key(l, sides, type, part->word);

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
add_key_word(Lowering *l, Lookup *lookup, const KeySides *sides, int word, int *pair)
{
	LookupKey  *part = palloc(sizeof(LookupKey));
	int			reg;

	*part = (LookupKey)
	{
		.column = inner_key_column(l, lookup, sides),.word = word,.param = -1,.pair_param = -1,
			.trims = sides->op == OP_bpchar_eq
	};
	if (part->column < 0)
		return false;
	lookup->keys = lappend(lookup->keys, part);
	if (sides->alone)
		reg = lower_outer_key(l, sides, is_text_op(sides->op) ? VT_TEXT : VT_INT8, word);
	else
		reg = lower_key_part(l, sides, part);
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
		KeySides	sides = {.key = lfirst(lc)};

		sides.op = key_op(l, sides.key);
		sides.alone = list_length(keys) == 1 && key_words(sides.op) == 1;
		if (sides.op < 0 || (sides.key->function == F_NUMERIC_EQ && !find_units(l, &sides)))
			return false;
		for (int word = 0; word < key_words(sides.op); word++)
			if (!add_key_word(l, lookup, &sides, word, &pair))
				return false;
	}
	lookup->param = lookup_add_param(l);
	lookup->row = lower_number(l, pair, lookup->param);
	lookup_note_errors(l, lookup->row);
	return lower_succeeded(l);
}
